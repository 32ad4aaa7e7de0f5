"""What *Three scores* keeps in its URL: what the edges are compared with."""

from __future__ import annotations

from collections.abc import Iterator

from bjp_explorer.shell import links
from bjp_explorer.shell.links import Field
from bjp_explorer.shell.sources import Loaded

_NAMES = {"each other": "scores", "the true network": "truth", "the published graph": "published"}


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choice."""
    known = {"the true network": loaded.truth, "the published graph": loaded.published}
    there = [name for name in _NAMES if known.get(name, loaded) is not None]
    yield links.choice("compare", "scores-compare", there, "each other", _NAMES)
