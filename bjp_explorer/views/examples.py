"""What the lessons and the page about the method share: coronary, and what is learned from it."""

from __future__ import annotations

from bjp_engine import learn
from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_engine.search import PUBLISHED, SearchTrace
from bjp_explorer.shell import caches, sources
from bjp_explorer.shell.sources import Loaded


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
