"""What the lessons and the page about the method share: coronary, and what is learned from it."""

from __future__ import annotations

from bjp_engine import learn
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
