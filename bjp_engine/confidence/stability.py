"""Stability: how much of a network remains when rows are dropped (docs/theory/stability.md).

Of each share, random subsets without replacement are kept, and the same search learns from them.
Subset k of every share holds the first rows of one permutation of the rows in lexicographic order,
`default_rng([seed, k])`, so that the subsets of a smaller share hold those of a larger one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import tee
from typing import TYPE_CHECKING, Any, Literal

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Ints, number_rows
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError
from bjp_engine.graph import to_adjacency, to_graph
from bjp_engine.metrics import confusion
from bjp_engine.parameters.effects import edge_strengths
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, lock_arrays, record
from bjp_engine.scores import Score, find_score
from bjp_engine.scores.prior import freeze_known
from bjp_engine.search.many import learn_all
from bjp_engine.validate import (
    Seed,
    ascending_numbers,
    choice,
    probability,
    whole_number,
    whole_seed,
)

if TYPE_CHECKING:
    import pandas as pd

DROPPED = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75)
# The correlation that counts as high, and the part of the subsets that may fall below it: 1 in 20.
HIGH, _ONE_IN = 0.7, 20
# What Epskamp, Borsboom & Fried ask of the coefficient.
LEAST, GOOD = 0.25, 0.5
# A vector with a smaller range, compared with its size, is constant.
_ROUNDING = 1e-12


@record
@dataclass(frozen=True, eq=False, slots=True)
class Stability:
    """How much of a learned network remains when rows are dropped, as `drop_cases` found.

    Parameters
    ----------
    dropped, rows : ndarray, shape (S,)
        The shares of the rows that were dropped, ascending; how many rows each subset then holds.
    hamming, f1 : ndarray, shape (S, R)
        Of the graph learned from each subset: Hamming distance to that of all rows, and F1 of the
        edges, 1 for two graphs without any.
    edges, nodes : ndarray of float, shape (S, R)
        Pearson correlation of strengths with those in all rows, of all pairs and of all variables
        (the sum of their edges'); 0 where it is not defined, because all are equal.
    strengths : ndarray of float, shape (n, n)
        `|effect|` of each edge in all rows, see `FittedNetwork.effects`; 0 for other pairs.
    """

    dropped: Floats
    rows: Ints
    hamming: Ints
    f1: Floats
    edges: Floats
    nodes: Floats
    strengths: Floats
    graph: nx.Graph[Name]
    repeats: int
    seed: int
    method: str
    search: str
    options: FrozenMapping[str, Any]
    seconds: float

    def __post_init__(self) -> None:
        lock_arrays((self.dropped, self.rows, self.hamming, self.f1))
        lock_arrays((self.edges, self.nodes, self.strengths))

    def coefficient(self, of: Literal["edges", "nodes"] = "edges") -> float:
        """The correlation-stability coefficient, CS(cor = 0.7).

        The largest share of rows that can be dropped so that, for it and every smaller share, at
        least 95 % of the subsets correlate 0.7 or more with all rows. 0 if there is none; nan if
        the strengths in all rows are equal. It should not be below 0.25, and better above 0.5
        (Epskamp, Borsboom & Fried 2018).
        """
        kinds = "edges", "nodes"
        if _is_constant(_vectors(self.strengths)[kinds.index(choice(of, "of", kinds))]):
            return math.nan
        low, _ = _band(self.edges if of == "edges" else self.nodes)
        kept = int(np.logical_and.accumulate(low >= HIGH).sum())
        return float(self.dropped[kept - 1]) if kept else 0.0

    def to_frame(self) -> pd.DataFrame:
        """The curves, a row for each share.

        Columns dropped and rows; of hamming, f1, edges and nodes the mean, and as `_low` and
        `_high` the ends of the band that leaves out 5 % of the subsets on either side.
        """
        import pandas as pd

        columns: dict[str, Any] = {"dropped": self.dropped, "rows": self.rows}
        for name in ("hamming", "f1", "edges", "nodes"):
            values = getattr(self, name)
            low, high = _band(values)
            columns |= {name: values.mean(axis=1), f"{name}_low": low, f"{name}_high": high}
        return pd.DataFrame(columns)

    def describe(self) -> str:
        """The coefficients in one or two sentences of plain text, for a report."""
        edges, nodes = self.coefficient("edges"), self.coefficient("nodes")
        if math.isnan(edges):
            return (
                "The stability of strengths cannot be measured: all pairs of variables are equally "
                "strong, so that no correlation is defined."
            )
        of = f"in 95 % of {self.repeats:,} random subsets"
        up_to, how = f"With up to {100 * edges:g} %", f"correlated at least {HIGH}"
        if not edges:
            up_to = f"Already with {100 * self.dropped[0]:g} %"
            how = f"did not correlate {HIGH}"
        # Of shares above the largest one tried nothing is known.
        least = ["at least " if one == self.dropped[-1] else "" for one in (edges, nodes)]
        rest = "not defined" if math.isnan(nodes) else f"{least[1]}{nodes:.4g}"
        return (
            f"{up_to} of the rows dropped, edge strengths {how} with those of all rows {of} "
            f"(Epskamp et al., 2018): CS(cor = {HIGH}) is {least[0]}{edges:.4g} for edges; "
            f"for node strength it is {rest}."
        )


def drop_cases(
    data: DataLike,
    method: str | Score = "bjp",
    search: str | None = None,
    *,
    dropped: Sequence[float] = DROPPED,
    repeats: int = 100,
    seed: Seed = 0,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> Stability:
    """Learn again from random parts of the rows, and compare with what all rows show.

    Parameters
    ----------
    dropped : sequence of float
        The shares of the rows to drop, ascending, each strictly between 0 and 1.
    repeats : int
        How many subsets for each share, 20 or more, because 1 in 20 may fall below the band.

    Examples
    --------
    >>> from bjp_engine.confidence import drop_cases
    >>> rows = [[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0]] * 40
    >>> found = drop_cases(rows, dropped=[0.25, 0.5], repeats=20)
    >>> found.coefficient("edges"), found.to_frame()["f1"].tolist()
    (0.5, [1.0, 0.975])

    The same for any `n_jobs` and order of rows. A pair that is not learned from a subset has
    strength 0 there. That a network is stable does not show that it is true.
    """
    check_progress(progress)
    data, shares = as_dataset(data).drop_unused_states(), ascending_numbers(dropped, "dropped")
    for share in shares:
        probability(share, "dropped", inner=True)
    if not shares:
        raise OptionError("dropped holds no share of the rows; give at least one, such as 0.25.")
    whole_number(repeats, "repeats", _ONE_IN)
    seed = whole_seed(seed)
    if data.rows < 2:
        raise DataError("The data have fewer than two rows, so none can be dropped; give more.")
    began, total, found = time.perf_counter(), len(shares) * repeats, []
    data = data.take(np.argsort(number_rows(data.codes, data.cardinalities), kind="stable"))
    rows = np.array([max(1, round((1 - share) * data.rows)) for share in shares])
    threads, quiet = options.pop("n_jobs", -1), progress.quiet
    # The searches run ahead of the fits by one or two subsets for each thread.
    drawn, again = tee(_subsets(data, rows.tolist(), repeats, seed))
    running = learn_all(drawn, method, search, n_jobs=threads, progress=quiet, **options)
    with closing(running) as traces:
        whole = next(traces)
        strengths = edge_strengths(next(again), whole.graph)
        known = _vectors(strengths)
        for k in range(total):
            progress.tick(k, total)
            graph = next(traces).graph
            compared = confusion(whole.graph, graph)
            correlations = map(_correlate, known, _vectors(edge_strengths(next(again), graph)))
            found.append((compared.hamming, compared.f1, *correlations))
    progress.finish(total)
    hamming, f1, edges, nodes = np.reshape(found, (repeats, len(shares), 4)).T.copy()
    return Stability(
        dropped=np.array(shares),
        rows=rows,
        hamming=hamming.astype(np.int64),
        f1=f1,
        edges=edges,
        nodes=nodes,
        strengths=strengths,
        graph=to_graph(to_adjacency(whole.graph, data), data.names, frozen=True),
        repeats=repeats,
        seed=seed,
        method=find_score(method).name,
        search=whole.search,
        options=FrozenMapping(freeze_known(options)),
        seconds=time.perf_counter() - began,
    )


def _subsets(data: Dataset, rows: list[int], repeats: int, seed: int) -> Iterator[Dataset]:
    """All rows; then the subsets of each share, repeat by repeat."""
    yield data
    for k in range(repeats):
        order = np.random.default_rng([seed, k]).permutation(data.rows)
        yield from (data.take(np.sort(order[:kept])) for kept in rows)


def _vectors(strengths: Floats) -> tuple[Floats, Floats]:
    """The strengths of all pairs, and of all variables."""
    return strengths[np.triu_indices(len(strengths), 1)], strengths.sum(axis=0)


def _correlate(one: Floats, other: Floats) -> float:
    """Pearson's correlation, 0 where it is not defined."""
    if _is_constant(one) or _is_constant(other):
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def _is_constant(values: Floats) -> bool:
    """Whether no value differs from another by more than rounding."""
    return not len(values) or bool(np.ptp(values) <= _ROUNDING * np.abs(values).max())


def _band(values: Floats | Ints) -> tuple[Any, Any]:
    """The lowest and the highest value of each share once 1 in 20 is left out on either side."""
    ordered = np.sort(values, axis=1)
    out = values.shape[1] // _ONE_IN
    return ordered[:, out], ordered[:, -1 - out]
