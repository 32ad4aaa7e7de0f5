"""Examples that the lessons and the page about the method share: coronary, and Appendix B's hub.

They are made once a server; samples are drawn exactly, from one seed each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine import Dataset, learn, networks, sampling, score
from bjp_engine.dataset import Name
from bjp_engine.sampling import Weights
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_engine.search import PUBLISHED, SearchTrace
from bjp_explorer.shell import caches, sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import canvas

HUB_ROWS = 1000
WEIGHTS: Weights = "log-odds"


def coronary() -> Loaded:
    """The dataset of the page's first half, whatever the visit has selected."""
    return caches.once(("method", sources.DEFAULT), lambda: sources.load(sources.DEFAULT))


def learn_coronary(method: str = "bjp") -> SearchTrace:
    """What a score learns from coronary."""
    data = coronary().data
    return caches.once(("method learned", method), lambda: learn(data, method, PUBLISHED[method]))


def ib_row(x: Name) -> tuple[ScoreTrace, tuple[AssertionTerm, ...]]:
    """The IB-score of coronary's learned graph, and its terms that belong to one variable."""
    data, graph = coronary().data, learn_coronary().graph
    trace = caches.score_graph(data, graph, "ib")
    terms = [term for term in trace.terms if isinstance(term, AssertionTerm)]
    return trace, tuple(term for term in terms if term.x == x)


@dataclass(frozen=True, eq=False, slots=True)
class Hub:
    """The hub of four nodes of Appendix B: a sample, both scores of the true graph, a drawing."""

    data: Dataset
    bjp: ScoreTrace
    ib: ScoreTrace
    points: NDArray[np.float64]


def hub(seed: int) -> Hub:
    """Draw the sample of Appendix B's network and score its true graph."""

    def make() -> Hub:
        graph = networks.load("appendix-b", labelled=True)
        data = sampling.random_model(graph, WEIGHTS, seed=seed).sample(
            HUB_ROWS, seed=seed, method="exact"
        )
        points = canvas.positions(data.names, graph)
        return Hub(data, score(data, graph, "bjp"), score(data, graph, "ib"), points)

    return caches.once(("method hub", seed), make)
