"""What a page keeps in its URL: typed fields, read on arrival, written after the widgets.

A page lists its fields; each says its name in the URL, what it accepts, and where its value is
kept. What holds its default is left out, so URLs stay short and can be read. Nothing in a URL is
evaluated: a field looks its text up in a list or reads a number, and a bad one is told in a
sentence while the rest of the link holds.

The address is written by the browser, in place of the one before (``link.js``): what
`st.query_params` writes would be one more entry of the history for each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from bjp_engine.errors import OptionError, clip
from bjp_explorer.shell import components, visit

_READ, _TOLD, _LAST, _WRITTEN = "link-read", "link-told", "link-last", "link-written"
# Longer values are no choice of any page.
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Field:
    """One choice of a page.

    Parameters
    ----------
    name : str
        In the URL.
    read : callable(str) -> value
        Raises OptionError, whose text continues a sentence: "must be one of bjp, ib, mpl".
    default : object
        Left out of the URL.
    """

    name: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    get: Callable[[], Any]
    put: Callable[[Any], None]
    default: Any = None


def choice(
    name: str,
    key: str,
    options: Iterable[Any],
    default: Any,
    names: Mapping[Any, str] | None = None,
) -> Field:
    """One of a list, kept in the session."""
    texts = {option: (names or {}).get(option, str(option)) for option in options}
    values = {text: option for option, text in texts.items()}

    def read(text: str) -> Any:
        if text not in values:
            raise OptionError(f"must be one of {', '.join(values)}")
        return values[text]

    return Field(name, read, lambda value: texts.get(value, ""), *kept(key, default), default)


def several(name: str, key: str, options: Iterable[Any], default: Iterable[Any]) -> Field:
    """Any of a list, in its order, kept in the session."""
    texts = {str(option): option for option in options}

    def read(text: str) -> list[Any]:
        asked = set(filter(None, text.split(",")))
        if not asked <= texts.keys():
            raise OptionError(f"must be some of {', '.join(texts)}, with commas between")
        return [option for text, option in texts.items() if text in asked]

    def write(chosen: Iterable[Any]) -> str:
        there = set(map(str, chosen))
        # One comma says none at all.
        return ",".join(text for text in texts if text in there) or ","

    usual = read(write(default))
    get, put = kept(key, usual)
    return Field(name, read, write, lambda: read(write(get())), put, usual)


def whole(name: str, key: str, low: int, high: int, default: int | None) -> Field:
    """A whole number, kept in the session."""

    def read(text: str) -> int:
        short = text.isascii() and text.isdecimal() and len(text) <= 12
        if not (short and low <= int(text) <= high):
            raise OptionError(f"must be a whole number from {low:,} to {high:,}")
        return int(text)

    return Field(name, read, str, *kept(key, default), default)


def real(name: str, key: str, low: float, high: float, default: float | None) -> Field:
    """A number, kept in the session."""

    def read(text: str) -> float:
        return number(text, low, high)

    return Field(name, read, "{:g}".format, *kept(key, default), default)


def number(text: str, low: float, high: float) -> float:
    """A number in plain decimals."""
    plain = len(text) <= 12 and text.isascii() and text.replace(".", "", 1).isdecimal()
    value = float(text) if plain else math.nan
    if not low <= value <= high:
        raise OptionError(f"must be a number from {low:g} to {high:g}")
    return value


def read(fields: Iterable[Field]) -> None:
    """Take over what the URL says, once for each arrival at a page.

    A URL without any of the fields changes nothing: the visit remembers its choices. In one that
    has some, those that are missing take their defaults.
    """
    if st.session_state.get(_READ) == visit.arrival() or visit.asked_file():
        return
    st.session_state[_READ], st.session_state[_TOLD] = visit.arrival(), []
    given = {name: text for name, text in st.query_params.items() if name != "data"}
    if not given:
        return
    for field in fields:
        field.put(field.default)
        if field.name in given:
            _take(field, given[field.name])


def _take(field: Field, text: str) -> None:
    """One value from the URL, or a sentence."""
    try:
        field.put(field.read(text))
    except OptionError as why:
        used = "" if field.default is None else field.write(field.default)
        instead = f"{used} is used instead" if used else "it is ignored"
        told = clip(text, _MOST_SHOWN)
        tell(f"The link’s {field.name}={told} can’t be used: it {why}; {instead}.")


def tell(sentence: str) -> None:
    """Say what of a link could not be used; it stays on the page until one leaves it."""
    told = st.session_state.setdefault(_TOLD, [])
    if sentence not in told:
        told.append(sentence)


def told() -> list[str]:
    """The sentences about the link by which one came to this page."""
    here = st.session_state.get(_READ) == visit.arrival()
    return list(st.session_state.get(_TOLD, ())) if here else []


def query(fields: Iterable[Field]) -> dict[str, str]:
    """The parameters that lead to what is on the screen.

    The dataset, and every field that doesn't hold its default.
    """
    found = {"data": visit.current().token}
    for field in fields:
        value = field.get()
        if value != field.default and (text := field.write(value)):
            found[field.name] = text
    return found


def begin() -> None:
    """Begin a run: no address is written yet."""
    st.session_state[_WRITTEN] = False


def end() -> None:
    """End a run: a page that keeps nothing in its URL still names the dataset."""
    if not st.session_state.get(_WRITTEN) and not visit.asked_file():
        keep(others=True)


def begin_with(fields: Iterable[Field]) -> None:
    """Give what nobody has chosen its default, before its widget is made."""
    for field in fields:
        field.put(field.get())


def keep(fields: Iterable[Field] = (), *, others: bool = False) -> None:
    """Write the address of what is on the screen; call it after the widgets."""
    made = query(fields)
    st.session_state[_LAST], st.session_state[_WRITTEN] = made, True
    with st.container(key="link-address"):
        components.link_view(
            {"query": made, "page": visit.page(), "others": others}, key="link-address-view"
        )


def last() -> dict[str, str]:
    """The parameters that were written last."""
    return dict(st.session_state.get(_LAST, {}))


def copy_button(place: Any) -> None:
    """A button that copies the address, in a container."""
    with place:
        components.link_view({"button": True}, key="link-copy", width="content")


def kept(key: str, default: Any) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """How a value is read from the session and put there, as `Field` takes them."""
    return partial(st.session_state.get, key, default), partial(_put, key)


def _put(key: str, value: Any) -> None:
    """Set a value of the session."""
    st.session_state[key] = value
