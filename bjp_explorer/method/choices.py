"""What can be chosen on *About the method*: the variables, and the samples drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_explorer.method.data import STAR_ROWS
from bjp_explorer.shell.choices import Field, Number, OneOf
from bjp_explorer.shell.text import plain

_LAST = 999
HUB = Number("hub-sample", "method-sample", 2, 0, _LAST)
STAR = Number("star-sample", "method-star-sample", 1, 0, _LAST)
ROWS = OneOf("rows", "method-rows", 1000, {rows: str(rows) for rows in STAR_ROWS})


def node(data: Dataset) -> OneOf:
    """The variable whose blanket is looked at."""
    return _variable("node", "method-node", "physical_work", data.names)


def x(data: Dataset) -> OneOf:
    """The first variable of the test."""
    return _variable("x", "method-x", "smoking", data.names)


def y(data: Dataset) -> OneOf:
    """The second variable of the test."""
    others = [name for name in data.names if name != x(data).get()]
    return _variable("y", "method-y", "physical_work", others)


def z(data: Dataset) -> OneOf:
    """The variable that the test is given, or none."""
    pair = (x(data).get(), y(data).get())
    return _variable("given", "method-z", None, [None, *(v for v in data.names if v not in pair)])


def fields(data: Dataset) -> Iterator[Field]:
    """The page's choices."""
    for variable in (node, x, y, z):
        yield variable(data)
    yield HUB
    yield ROWS
    yield STAR


def _variable(name: str, key: str, start: Name | None, allowed: Sequence[Name | None]) -> OneOf:
    """A choice of a variable that starts with the one that the text is about, if it may."""
    labels = {each: "nothing" if each is None else plain(each) for each in allowed}
    default = start if start in labels else allowed[0]
    return OneOf(name, key, default, labels, {None: "none"})
