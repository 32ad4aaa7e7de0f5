"""`python -m benchmarks bootstraps`: how calibrated are the edge frequencies of other searches?

Bootstrap frequencies of peers, of the paper's search and of `auto`, and BDgraph's posterior
probabilities, beside `bjp.edge_probabilities` on the same datasets: binary ones of at most 34
variables, with a seed that nothing was fitted to. The packages are found as by
`benchmarks.accuracy`; where one is missing, the table is printed and the document is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import bjp_engine as bjp
from benchmarks import marked
from benchmarks.accuracy import methods, run
from benchmarks.accuracy.groups import BAYESIAN, MIXED, WEIGHTS, Group, Sample
from benchmarks.calibration import Judged, figures
from bjp_engine.arrays import Floats
from bjp_engine.confidence.edges import ABSENT, PRESENT
from bjp_engine.graph import to_adjacency

ROWS = (250, 1000)
SOURCES = [(name, kind) for name in ("scale-free-1", "karate") for kind in (*WEIGHTS, MIXED)]
SOURCES.append(("asia", BAYESIAN))
RESAMPLES, OF_AUTO = 100, 200
# The one that all packages were run with.
SEED = 7000
# For all resamples of a dataset, in seconds.
LIMIT = 600
# The peers: what a line is called, the run, its kind of graph, and how many resamples.
PEERS = (
    ("PyBNesian, greedy, BDe · skeleton", "pybnesian:hill-climb", "skeleton", RESAMPLES),
    ("PyBNesian, greedy, BDe · moral", "pybnesian:hill-climb", "moral", RESAMPLES),
    ("RISE, our own code", "own:rise", "graph", RESAMPLES),
    ("BDgraph, MPL, posterior from 5000 jumps", "bdgraph:probabilities", "graph", 0),
)
CALIBRATED = "`bjp.edge_probabilities`"
Line = tuple[str, Judged]


def ours(data: bjp.Dataset) -> Iterator[tuple[str, Floats]]:
    """The engine's own numbers, each a matrix."""
    yield CALIBRATED, bjp.edge_probabilities(data).matrix
    for title, search, resamples in (
        ("BJP, auto", "auto", OF_AUTO),
        ("BJP, the paper's search", "ibmap-hc", RESAMPLES),
    ):
        found = bjp.confidence.bootstrap(data, "bjp", search, resamples=resamples, n_jobs=1)
        yield f"{title}, bootstrap of {resamples}", found.matrix


def theirs(table: run.Table) -> Iterator[tuple[str, Floats]]:
    """The peers' numbers; a search that gives two graphs is run once."""
    known: dict[str, run.Found] = {}
    for title, name, kind, resamples in PEERS:
        method = methods.Method(name, title, name, "undirected", 0)
        if not methods.ready(method):
            continue
        if name not in known:
            more = [str(resamples)] if resamples else []
            known[name] = run.told([*method.command(table.folder), *more], LIMIT)
        if "graphs" not in known[name]:
            raise SystemExit(f"{title} on {table.sample}: {known[name]['note']}")
        matrix = np.zeros((table.data.n, table.data.n))
        for i, j, share in known[name]["graphs"].get(kind, []):
            matrix[i, j] = matrix[j, i] = share
        yield title + (f", bootstrap of {resamples}" if resamples else ""), matrix


def measured(samples: list[Sample]) -> dict[str, list[Judged]]:
    """Every line's numbers and the truth, dataset by dataset."""
    found: dict[str, list[Judged]] = {}
    for sample in samples:
        with run.Table(sample) as table:
            pairs = np.triu_indices(table.data.n, 1)
            edge = to_adjacency(table.truth, table.data)[pairs]
            for title, matrix in (*ours(table.data), *theirs(table)):
                one = Judged(sample.group, matrix[pairs], matrix[pairs], edge)
                found.setdefault(title, []).append(one)
        print(sample, flush=True)
    return found


def table(found: dict[str, list[Judged]]) -> str:
    """A line for each, the smallest Brier score first."""
    shares = (f"edges of those ≥ {PRESENT}", f"none of those ≤ {ABSENT}", "undecided")
    head = ("numbers", "ECE", "Brier", *shares)
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
    for title, one in sorted(
        ((title, figures(of)) for title, of in found.items()), key=lambda pair: pair[1].brier
    ):
        shares = " | ".join(
            "–" if np.isnan(v) else f"{v:.1%}" for v in (one.present, one.absent, one.undecided)
        )
        lines.append(f"| {title} | {one.error:.4f} | {one.brier:.4f} | {shares} |")
    return "\n".join(lines).replace("%", " %")


def main() -> None:
    """Print the table, and write it into docs/calibration.md if every peer is there."""
    found = measured([Sample(Group(*source, rows), SEED) for source in SOURCES for rows in ROWS])
    print(text := table(found))
    missing = [title for title, *_ in PEERS if not any(name.startswith(title) for name in found)]
    if missing:
        print(f"\nNot here: {', '.join(missing)}; docs/calibration.md is left as it is.")
    else:
        marked.write("calibration.md", "bootstraps", text)
