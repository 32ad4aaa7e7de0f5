"""What the parts of `auto` bring: the distance to the truth with each of them taken out.

On networks and distributions of `benchmarks.accuracy`, with the seeds that choices are made on.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from statistics import fmean
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import bjp_engine as bjp
from benchmarks import marked
from benchmarks.accuracy.groups import DISTRIBUTIONS, Sample, groups, make
from bjp_engine.dataset import Dataset
from bjp_engine.kernels.tabled import LOOK
from bjp_engine.search.auto.linear import LinearModels
from bjp_engine.search.auto.probability import TERMS, coefficients

SEEDS = range(2000, 2004)
Part = Callable[[], AbstractContextManager[object]]


def no_helpers(data: Dataset, *_given: object) -> NDArray[np.int64]:
    """No pair is tried with a variable."""
    return np.full((data.n, LOOK, 2), -1, dtype=np.int64)


def no_lines(data: Dataset, *_given: object) -> LinearModels:
    """No variable is regressed."""
    nothing = np.zeros((data.n, data.n), dtype=np.bool_)
    return LinearModels(np.where(nothing, 0.0, -np.inf), nothing.astype(float), nothing)


def without(*terms: str) -> Part:
    """Coefficients of nought."""
    known = coefficients().copy()
    known[[TERMS.index(term) for term in terms]] = 0.0
    return lambda: patch(f"{PROBABILITY}.coefficients", lambda: known)


EVIDENCE = "bjp_engine.search.auto.evidence"
NODEWISE = "bjp_engine.search.auto.nodewise"
PROBABILITY = "bjp_engine.search.auto.probability"
VARIANTS: dict[str, Part] = {
    "`auto`": nullcontext,
    "without logistic regression": lambda: patch(
        f"{NODEWISE}.binary_variables", lambda _data: np.empty(0, dtype=np.intp)
    ),
    "blankets of at most eight": lambda: patch(
        f"{NODEWISE}.extend_blanket", lambda *_given: -math.inf
    ),
    "without the scan of triples": lambda: patch(f"{NODEWISE}.interacting_pairs", no_helpers),
    "without linear models": lambda: patch(f"{EVIDENCE}.linear_models", no_lines),
    "all that tables have against an edge": lambda: patch(f"{NODEWISE}._MOST_AGAINST", math.inf),
    "without the test": without("test"),
    "without partial associations": without("states × partial"),
    "without paths": without("indirect"),
    "without neighbours": without("shared", "busier"),
}
Shares = dict[tuple[str, int], dict[str, list[float]]]


def measured() -> Shares:
    """Wrong edges per true edge by distribution and rows, for each variant."""
    found: Shares = defaultdict(lambda: defaultdict(list))
    for group in groups():
        for seed in SEEDS:
            data, truth = make(Sample(group, seed))
            for name, part in VARIANTS.items():
                with part():
                    learned = bjp.learn(data, "bjp", "auto").graph
                share = bjp.metrics.hamming(truth, learned) / truth.number_of_edges()
                found[group.distribution, group.rows][name].append(share)
    return found


def table(found: Shares) -> str:
    """A line for each distribution and number of rows."""
    lines = [f"| distribution | N | {' | '.join(VARIANTS)} |", "| --- " * (2 + len(VARIANTS)) + "|"]
    for kind, rows in sorted(found, key=lambda key: (DISTRIBUTIONS.index(key[0]), key[1])):
        cells = (f"{fmean(found[kind, rows][name]):.3f}" for name in VARIANTS)
        lines.append(f"| {kind} | {rows} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print it, and write it into docs/auto.md."""
    text = table(measured())
    print(text)
    marked.write("auto.md", "parts", text)
