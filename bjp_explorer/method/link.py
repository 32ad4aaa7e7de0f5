"""What *About the method* keeps in its URL: the variables chosen, and the samples drawn."""

from __future__ import annotations

from collections.abc import Iterator

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_explorer.method import data as method_data
from bjp_explorer.shell import links
from bjp_explorer.shell.links import Field

NODE, X, Y, Z = "method-node", "method-x", "method-y", "method-z"
HUB, ROWS, STAR = "method-sample", "method-rows", "method-star-sample"
# Where the text begins; Z is None for no variable given.
STARTS: dict[str, Name | None] = {NODE: "physical_work", X: "smoking", Y: "physical_work", Z: None}
LAST = 999


def fields(data: Dataset) -> Iterator[Field]:
    """The page's choices."""
    yield links.choice("node", NODE, data.names, STARTS[NODE])
    yield links.choice("x", X, data.names, STARTS[X])
    yield links.choice("y", Y, data.names, STARTS[Y])
    yield links.choice("given", Z, [None, *data.names], STARTS[Z], {None: "none"})
    yield links.whole("hub-sample", HUB, 0, LAST, 2)
    yield links.choice("rows", ROWS, method_data.STAR_ROWS, 1000)
    yield links.whole("star-sample", STAR, 0, LAST, 1)
