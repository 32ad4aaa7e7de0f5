"""What can be chosen on *Scores side by side*: which scores, and what edges are compared with."""

from __future__ import annotations

from collections.abc import Iterator

from bjp_engine.scores import PAPERS, SCORES
from bjp_explorer.scores import words
from bjp_explorer.shell.choices import Field, OneOf, Switch
from bjp_explorer.shell.sources import Loaded

_NAMES = {"each other": "scores", "the true network": "truth", "the published graph": "published"}
SHOWN = OneOf("scores", "scores-shown", "paper", words.SHOWN)


# Whether the graphs are shown only once one has predicted which has most edges.
PREDICT = Switch("predict", "scores-predict")


def shown() -> tuple[str, ...]:
    """The scores that are compared."""
    return PAPERS if SHOWN.get() == "paper" else tuple(SCORES)


def compare(loaded: Loaded) -> OneOf:
    """What the edges are compared with."""
    known = {"the true network": loaded.truth, "the published graph": loaded.published}
    labels = {name: name for name in _NAMES if known.get(name, loaded) is not None}
    return OneOf("compare", "scores-compare", "each other", labels, _NAMES)


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choices."""
    yield SHOWN
    yield compare(loaded)
    yield PREDICT
