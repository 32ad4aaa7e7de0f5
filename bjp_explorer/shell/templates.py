"""Templates of what holds more text than values: tables of counts, the report, the script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup

from bjp_engine.dataset import Name
from bjp_explorer.shell.text import count, number, plain, probability


def render(template: str, **given: Any) -> str:
    """A template with its values; of HTML, each value is escaped."""
    return _environment().get_template(template).render(given)


def line(value: object, width: int = 400) -> str:
    """Any text on one line, cut where it is too long to read."""
    return plain(value, width)


def name(of: Name, width: int = 60) -> Markup:
    """A variable's name as HTML; written from right to left it turns nothing else round."""
    return Markup("<bdi>{}</bdi>").format(plain(of, width))


def _lines(values: Sequence[Any]) -> str:
    """A list as ASCII Python that gives it back; a long one has a line for each entry."""
    text = ascii([*values])
    if len(text) > 90:
        return "[\n" + "".join(f"    {one!a},\n" for one in values) + "]"
    return text


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parents[1]),
        autoescape=select_autoescape(["html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"line": line, "name": name, "count": count, "number": number}
    made.filters |= {"probability": probability, "literal": ascii, "lines": _lines}
    return made
