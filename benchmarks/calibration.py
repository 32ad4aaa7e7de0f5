"""`python -m benchmarks calibration [--fit]`: are the calibrated probabilities calibrated?

The map of `bjp_engine.search.auto.probability` is fitted to samples of `benchmarks.accuracy` and to
tables of `benchmarks.kinds`, with seeds for choosing. It is judged on others: all pairs of the 189
groups, and again by maps that were fitted without the network that is judged. `--fit` writes the
coefficients into the package. `python -m benchmarks kinds` judges them on each kind of tables, of
which two are in no fit.

Every dataset of the benchmark counts the same in the fit; the kinds count `FURTHER` times as much
as all of these, and those of few variables four times as much as other kinds.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.special import expit

import bjp_engine as bjp
from benchmarks import kinds, marked, reliability, simple
from benchmarks.accuracy.export import APP, lines
from benchmarks.accuracy.groups import (
    BAYESIAN,
    DISTRIBUTIONS,
    MIXED,
    NETWORKS,
    WEIGHTS,
    Group,
    Sample,
    bayesian,
    make,
)
from benchmarks.accuracy.groups import ROWS as JUDGED_ROWS
from bjp_engine.arrays import Bools, Floats
from bjp_engine.confidence.edges import ABSENT, PRESENT
from bjp_engine.graph import to_adjacency
from bjp_engine.independence import IndependenceOptions
from bjp_engine.progress import UNWATCHED
from bjp_engine.search.auto import evidence, probability
from bjp_engine.search.auto.nodewise import tells_nothing

FITTED, JUDGED = range(3000, 3002), range(7520, 7523)
ROWS = (100, 250, 1000, 8000)
COMMAND = "python -m benchmarks calibration --fit"
FILE = Path(probability.__file__).with_name(probability.FILE)
# What tables of independent columns weigh beside all others, and how large they are at most.
INDEPENDENT, MOST_INDEPENDENT = 1.5, 64
# Of the pairs that nothing speaks for, so many of a dataset are fitted to.
_DRAWN, _CLEAR = 400, -4.0
RIDGE = 1e-2
# The kinds of tables: how many rows they have, seeds, and what all of them weigh in the fit.
KIND_ROWS, KIND_FITTED, KIND_JUDGED = (250, 500, 1000, 2000), range(5000, 5020), range(9720, 9732)
FURTHER, OF_FEW = 0.8, 4.0
Sources = list[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of one dataset: the terms of the map, the truth, and how many pairs each stands for."""

    group: Group
    terms: Floats
    caution: Floats
    edge: Bools
    weight: Floats


def sources() -> Sources:
    """Network and distribution of every kind of data."""
    known = [(name, kind) for name in NETWORKS for kind in (*WEIGHTS, MIXED)]
    return known + [(name, BAYESIAN) for name in bayesian.NAMES]


def weighed(group: Group, data: bjp.Dataset, edge: Bools) -> Pairs:
    """The terms of all pairs of a dataset, by the options that `auto` begins with."""
    live = np.flatnonzero(~tells_nothing(data))
    part = data.select([data.names[j] for j in live]).drop_unused_states()
    upper = np.triu_indices(part.n, 1)
    said = evidence.gather(part, IndependenceOptions(prior_cells="centred"), UNWATCHED)
    truth = edge[np.ix_(live, live)][upper]
    caution = probability.caution(said.unexplained[upper])
    return Pairs(group, probability.terms(part, said), caution, truth, np.ones(len(truth)))


def gather(
    of: Sources, seeds: Iterable[int], sizes: tuple[int, ...], *, shuffled: bool = False
) -> Iterator[Pairs]:
    """All pairs of samples, or of samples whose columns are made independent."""
    for seed in seeds:
        for network, kind in of:
            data, truth = make(Sample(Group(network, kind, max(sizes)), seed))
            edge = to_adjacency(truth, data)
            codes = data.codes
            if shuffled:
                codes = np.random.default_rng([seed, 2]).permuted(codes, axis=0)
                edge = np.zeros_like(edge)
            for rows in sizes:
                part = bjp.Dataset.from_codes(codes[:rows], data.cardinalities)
                yield weighed(Group(network, kind, rows), part, edge)


def gather_kinds(names: Iterable[str], seeds: Iterable[int]) -> Iterator[Pairs]:
    """All pairs of tables of some kinds, and of as many rows as the fit has fewest."""
    for kind in names:
        for seed in seeds:
            table = kinds.make(kind, seed, max(KIND_ROWS))
            for rows in (ROWS[0], *KIND_ROWS):
                data = table.data(rows)
                if not tells_nothing(data).all():
                    yield weighed(Group("", kind, rows), data, table.truth)


def thinned(pairs: Pairs) -> Pairs:
    """Fewer pairs: of those that nothing speaks for, each drawn one stands for many."""
    clear = pairs.terms[:, probability.TERMS.index("models against")] < _CLEAR
    least = np.flatnonzero(clear & ~pairs.edge)
    if len(least) <= _DRAWN:
        return pairs
    drawn = np.random.default_rng(len(least)).choice(least, _DRAWN, replace=False)
    kept = np.ones(len(clear), dtype=np.bool_)
    kept[np.setdiff1d(least, drawn)] = False
    weight = np.where(clear & ~pairs.edge, len(least) / _DRAWN, 1.0)
    return replace(pairs, terms=pairs.terms[kept], edge=pairs.edge[kept], weight=weight[kept])


def fit(
    samples: list[Pairs], independent: list[Pairs], further: list[Pairs] | None = None
) -> Floats:
    """The coefficients of greatest penalised likelihood, by Newton's steps."""
    parts = [(one, 1.0) for one in samples]
    share = INDEPENDENT * len(samples) / max(len(independent), 1)
    parts += [(one, share) for one in independent]
    each = [OF_FEW if one.group.distribution in kinds.FEW else 1.0 for one in further or ()]
    whole = FURTHER * len(samples) / max(len(each), 1)
    parts += [(one, whole * many) for one, many in zip(further or (), each, strict=True)]
    terms = np.concatenate([one.terms for one, _ in parts])
    edge = np.concatenate([one.edge for one, _ in parts])
    weight = np.concatenate([each * one.weight / one.weight.sum() for one, each in parts])
    beta, ridge = np.zeros(terms.shape[1]), RIDGE * np.eye(terms.shape[1])
    for _ in range(100):
        found = expit(terms @ beta)
        slope = terms.T @ (weight * (edge - found)) - ridge @ beta
        curved = (terms * (weight * found * (1 - found))[:, None]).T @ terms + ridge
        step = np.linalg.solve(curved, slope)
        beta += step * min(1.0, 3.0 / np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    return beta


def text(beta: Floats) -> str:
    """The file of coefficients."""
    rounded = {term: round(float(b), 4) for term, b in zip(probability.TERMS, beta, strict=True)}
    about = {
        "made by": COMMAND,
        "from": f"samples of benchmarks.accuracy: seeds {FITTED.start} to {FITTED.stop - 1}, "
        f"{', '.join(map(str, ROWS))} rows; tables of benchmarks.kinds: seeds "
        f"{KIND_FITTED.start} to {KIND_FITTED.stop - 1}, "
        f"{', '.join(map(str, (ROWS[0], *KIND_ROWS)))} rows",
        "coefficients": rounded,
    }
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, eq=False)
class Judged:
    """Of one dataset: probabilities, those by the map that has not seen its network, the truth."""

    group: Group
    found: Floats
    unseen: Floats
    edge: Bools


def judge(beta: Floats, without: dict[str, Floats], seeds: Iterable[int] = JUDGED) -> list[Judged]:
    """The 189 groups on seeds that nothing was fitted to."""
    return [
        Judged(
            one.group,
            probability.probabilities(one.terms, beta, one.caution),
            probability.probabilities(one.terms, without[one.group.network], one.caution),
            one.edge,
        )
        for one in gather(sources(), seeds, JUDGED_ROWS)
    ]


def calibration_error(found: Floats, edge: Bools, weight: Floats | None = None) -> float:
    """ECE: how far ten bins of probability are from their share of edges, the mean of all pairs."""
    which = np.minimum((10 * found).astype(int), 9)
    each = np.ones(len(found)) if weight is None else weight
    off = np.bincount(which, each * (found - edge), minlength=10)
    return float(np.abs(off).sum() / each.sum())


@dataclass(frozen=True)
class Figures:
    """How calibrated some datasets' pairs are, taken as one heap."""

    error: float
    by_dataset: float
    unseen: float
    brier: float
    present: float
    absent: float
    undecided: float
    between: float


def figures(of: list[Judged]) -> Figures:
    """All of them; `by_dataset` weighs every dataset the same, `between` is the undecided's."""
    found, unseen = (
        np.concatenate([getattr(one, name) for one in of]) for name in ("found", "unseen")
    )
    edge = np.concatenate([one.edge for one in of])
    weight = np.concatenate([np.full(len(one.edge), 1 / len(one.edge)) for one in of])
    high, low = found >= PRESENT, found <= ABSENT
    others = ~(high | low)
    return Figures(
        calibration_error(found, edge),
        calibration_error(found, edge, weight),
        calibration_error(unseen, edge),
        float(np.mean((found - edge) ** 2)),
        float(edge[high].mean()) if high.any() else float("nan"),
        1 - float(edge[low].mean()) if low.any() else float("nan"),
        float(others.mean()),
        calibration_error(found[others], edge[others]) if others.any() else float("nan"),
    )


HEAD = (
    "| distribution | N | ECE | each dataset alike | network not fitted | Brier | edges of those "
    f"≥ {PRESENT} | none of those ≤ {ABSENT} | undecided | ECE of the undecided |"
)


def of_groups(judged: list[Judged], kind: str | None, rows: int | None) -> list[Judged]:
    """Those of a distribution and a number of rows; of all where None is asked for."""
    return [
        one
        for one in judged
        if kind in (one.group.distribution, None) and rows in (one.group.rows, None)
    ]


def table(judged: list[Judged]) -> str:
    """A line for each distribution and number of rows, and for each of these alone."""
    lines = [HEAD, "| --- " * 10 + "|"]
    for kind in (*DISTRIBUTIONS, None):
        for rows in (*JUDGED_ROWS, None):
            of = of_groups(judged, kind, rows)
            if of:
                one = figures(of)
                lines.append(
                    f"| {kind or 'all'} | {rows or 'all'} | {one.error:.4f} | {one.by_dataset:.4f} "
                    f"| {one.unseen:.4f} | {one.brier:.4f} | {one.present:.1%} | {one.absent:.1%} "
                    f"| {one.undecided:.1%} | {one.between:.3f} |"
                )
    return "\n".join(lines).replace("%", " %")


def goals(judged: list[Judged], alone: list[Floats]) -> str:
    """What was to be reached, and what was."""
    kinds = [figures(of_groups(judged, kind, None)) for kind in DISTRIBUTIONS]
    sizes = [figures(of_groups(judged, None, rows)) for rows in JUDGED_ROWS]
    whole = figures(judged)
    at_most: tuple[tuple[str, float, float], ...] = (
        ("ECE of all pairs", whole.error, 0.01),
        ("ECE, the worst distribution", max(one.error for one in kinds), 0.03),
        ("ECE, the worst number of rows", max(one.error for one in sizes), 0.03),
        ("ECE, networks that were not fitted", whole.unseen, 0.02),
    )
    present, absent = min(one.present for one in kinds), min(one.absent for one in kinds)
    at_least = (
        (f"edges among pairs ≥ {PRESENT}, worst distribution", present, 0.9),
        (f"no edges among pairs ≤ {ABSENT}, worst distribution", absent, 0.9),
    )
    lines = ["| figure | found | to reach | reached? |", "| --- " * 4 + "|"]
    answer = {True: "yes", False: "NO"}
    lines += [f"| {name} | {v:.4f} | ≤ {to} | {answer[v <= to]} |" for name, v, to in at_most]
    lines += [f"| {name} | {v:.3f} | ≥ {to} | {answer[v >= to]} |" for name, v, to in at_least]
    many = fmean(float((one >= PRESENT).sum()) for one in alone)
    lines.append(f"| pairs ≥ {PRESENT} in a table of independent columns | {many:.3f} | – | – |")
    return "\n".join(lines)


def app_bins(judged: list[Judged]) -> str:
    """The app's file: pairs, edges and mean probability in each tenth, by kind of data and rows."""
    cells = []
    for kind in DISTRIBUTIONS:
        for rows in JUDGED_ROWS:
            found, edge = heap(of_groups(judged, kind, rows))
            which = np.minimum((10 * found).astype(int), 9)
            for k in np.unique(which):
                those = which == k
                figures = (those.sum(), edge[those].sum(), f"{found[those].mean():.5f}")
                cells.append((kind, rows, k, *figures))
    return lines(("distribution", "rows", "tenth", "pairs", "edges", "probability"), cells)


def heap(of: list[Judged]) -> tuple[Floats, Bools]:
    """Probabilities and the truth of all pairs of some datasets."""
    return np.concatenate([one.found for one in of]), np.concatenate([one.edge for one in of])


def small(of: Sources) -> Sources:
    """Those whose shuffled tables are fitted to, too."""
    return [
        (network, kind)
        for network, kind in of
        if kind == BAYESIAN or bjp.networks.load(network).number_of_nodes() <= MOST_INDEPENDENT
    ]


KINDS_HEAD = (
    f"| kind | N | pairs ≥ {PRESENT} | edges among them | pairs ≤ {ABSENT} | none among them "
    "| undecided | undecided edges | ECE | edges | wrong: `auto` | L1, EBIC | tests, BH |"
)


def kinds_table() -> str:
    """A line for each kind and number of rows: verdicts, and mean Hamming distances a table."""
    lines = [KINDS_HEAD, "| --- " * 13 + "|"]
    for kind in kinds.KINDS:
        tables = [kinds.make(kind, seed, max(KIND_ROWS)) for seed in KIND_JUDGED]
        title = kind if kind in kinds.FITTED else f"*{kind}*, in no fit"
        for rows in KIND_ROWS:
            each = [_judge_table(one, rows) for one in tables]
            found = np.concatenate([p for p, _, _ in each])
            edge = np.concatenate([truth for _, truth, _ in each])
            high, low = found >= PRESENT, found <= ABSENT
            between, many = ~(high | low), len(tables)
            wrong = [fmean(of) for of in zip(*(distances for _, _, distances in each), strict=True)]
            shares = (
                f"{high.sum() / many:.1f}",
                f"{edge[high].mean():.1%}" if high.any() else "–",
                f"{low.sum() / many:.1f}",
                f"{1 - edge[low].mean():.1%}" if low.any() else "–",
                f"{between.mean():.1%}",
                f"{between[edge].mean():.1%}" if edge.any() else "–",
                f"{calibration_error(found, edge):.3f}",
                f"{edge.sum() / many:.1f}",
                *("–" if math.isnan(one) else f"{one:.1f}" for one in wrong),
            )
            lines.append(f"| {title} | {rows} | {' | '.join(shares)} |".replace("%", " %"))
    return "\n".join(lines)


def _judge_table(table: kinds.Table, rows: int) -> tuple[Floats, Bools, list[float]]:
    """Probabilities, the truth, and distances: of auto and of two methods for binary tables."""
    data = table.data(rows)
    upper, matrix = np.triu_indices(data.n, 1), bjp.edge_probabilities(data).matrix
    found, edge = matrix[upper], table.truth[upper]
    graphs = [found >= 0.5]
    if data.n <= simple.MOST and table.codes.max() == 1:
        spins = 2.0 * table.codes[:rows] - 1
        graphs += [simple.lasso_neighbours(spins)[upper], simple.tested_pairs(spins)[upper]]
    distances = [float((graph != edge).sum()) for graph in graphs]
    return found, edge, distances + [math.nan] * (3 - len(distances))


def main(arguments: list[str] | None = None) -> None:
    """Fit, judge, write into the docs and for the app; the coefficients only where asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calibration")
    parser.add_argument("--fit", action="store_true", help="write the coefficients")
    given = parser.parse_args(arguments or [])
    of = sources()
    samples = [thinned(one) for one in gather(of, FITTED, ROWS)]
    independent = [thinned(one) for one in gather(small(of), FITTED[:1], ROWS, shuffled=True)]
    further = [thinned(one) for one in gather_kinds(kinds.FITTED, KIND_FITTED)]
    if given.fit:
        FILE.write_text(text(fit(samples, independent, further)), encoding="utf-8")
        probability.coefficients.cache_clear()
    without = {
        name: fit(
            *(
                [one for one in many if one.group.network != name]
                for many in (samples, independent)
            ),
            further,
        )
        for name in {network for network, _ in of}
    }
    judged = judge(probability.coefficients(), without)
    alone = [
        probability.probabilities(one.terms, probability.coefficients(), one.caution)
        for one in gather(small(of), JUDGED[:1], JUDGED_ROWS, shuffled=True)
    ]
    found = f"{goals(judged, alone)}\n\n{table(judged)}"
    print(found)
    marked.write("calibration.md", "calibration", found)
    points = {}
    for kind in DISTRIBUTIONS:
        for rows in JUDGED_ROWS:
            points[kind, rows] = reliability.bins(*heap(of_groups(judged, kind, rows)))
    reliability.IMAGE.write_text(reliability.draw(points), encoding="utf-8")
    (APP / "calibration.csv").write_text(app_bins(judged), encoding="utf-8")


def main_kinds() -> None:
    """Judge the probabilities on each kind of tables, and write it into the docs."""
    found = kinds_table()
    print(found)
    marked.write("calibration.md", "kinds", found)
