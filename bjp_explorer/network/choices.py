"""What can be chosen on *Your network*: the search, the kind of confidence and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator

from bjp_engine import Dataset
from bjp_engine.search.exhaustive import MOST_VARIABLES
from bjp_explorer.network import words
from bjp_explorer.shell import origins
from bjp_explorer.shell.choices import Field, Number, OneOf
from bjp_explorer.shell.sources import Loaded

_MOST_SEED = 2**31 - 1

KIND = OneOf("confidence", "network-kind", "calibrated", words.KINDS)
THRESHOLD = Number("threshold", "network-threshold", 0.0, 0.0, 1.0)
RESAMPLES = Number("resamples", "network-resamples", 200, 1, 2000)
# What Markov chains may take.
SECONDS = OneOf("seconds", "network-seconds", 30, words.TIMES)


def search_of(loaded: Loaded) -> OneOf:
    """The choice of a search; it begins with the one that every page begins with."""
    key = origins.own_key(loaded, "network-search")
    return OneOf("search", key, origins.usual_search(loaded), words.SEARCHES)


def seed(kind: str) -> Number:
    """The seed of a kind of confidence."""
    return Number("seed", f"network-{kind}-seed", 0, 0, _MOST_SEED)


def is_immediate(kind: str, data: Dataset) -> bool:
    """Whether a kind of confidence takes no settings, because it is found in a moment."""
    return kind in ("calibrated", "test") or (kind == "graphs" and data.n <= MOST_VARIABLES)


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choices."""
    yield search_of(loaded)
    yield KIND
    yield THRESHOLD
    kind = KIND.get()
    if not is_immediate(kind, loaded.data):
        yield RESAMPLES if kind == "bootstrap" else SECONDS
        yield seed(kind)
