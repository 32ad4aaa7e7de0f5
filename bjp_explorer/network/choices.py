"""What can be chosen on *Your network*: the search, the kind of confidence and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator

from bjp_engine import Dataset
from bjp_engine.search.exhaustive import MOST_VARIABLES
from bjp_explorer.shell.choices import Field, Number, OneOf

_MOST_SEED = 2**31 - 1

SEARCH = OneOf(
    "search", "network-search", "auto", {"auto": "Auto", "ibmap-hc": "The paper’s (IBMAP-HC)"}
)
KIND = OneOf(
    "confidence",
    "network-kind",
    "test",
    {"test": "BJP’s test", "bootstrap": "Bootstrap", "graphs": "Posterior over graphs"},
)
THRESHOLD = Number("threshold", "network-threshold", 0.0, 0.0, 1.0)
RESAMPLES = Number("resamples", "network-resamples", 200, 1, 2000)
# What Markov chains may take.
SECONDS = OneOf(
    "seconds", "network-seconds", 30, {10: "10 s", 30: "30 s", 120: "2 min", 600: "10 min"}
)


def seed(kind: str) -> Number:
    """The seed of a kind of confidence."""
    return Number("seed", f"network-{kind}-seed", 0, 0, _MOST_SEED)


def is_immediate(kind: str, data: Dataset) -> bool:
    """Whether a kind of confidence takes no settings, because it is found in a moment."""
    return kind == "test" or (kind == "graphs" and data.n <= MOST_VARIABLES)


def fields(data: Dataset) -> Iterator[Field]:
    """The page's choices."""
    yield SEARCH
    yield KIND
    yield THRESHOLD
    kind = KIND.get()
    if not is_immediate(kind, data):
        yield RESAMPLES if kind == "bootstrap" else SECONDS
        yield seed(kind)
