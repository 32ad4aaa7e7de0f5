"""What a page lets one choose, each choice declared once.

A declaration says what a choice is called in the URL, under which key the visit keeps it, which
values it may have, and which one it has at first. `links` reads and writes the URL by it, and its
widget is drawn by it. Nothing in a URL is evaluated: a choice looks its text up in a list or reads
a number in plain decimals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES
from bjp_explorer.shell import origins
from bjp_explorer.shell.sources import Loaded


@dataclass(frozen=True)
class Field:
    """A value that a page keeps in its URL."""

    # In the URL; empty for what is only kept for the visit.
    name: str
    # Of the session, and of the widget.
    key: str
    # Left out of the URL.
    default: Any = None

    def get(self) -> Any:
        """The current value."""
        return st.session_state.get(self.key, self.default)

    def put(self, value: Any) -> None:
        """Make this the current value."""
        st.session_state[self.key] = value

    def read(self, text: str) -> Any:
        """The value that a URL names.

        Raises OptionError, whose text continues a sentence: "must be one of bjp, ib, mpl".
        """
        raise NotImplementedError

    def write(self, value: Any) -> str:
        """A value as the URL names it."""
        return str(value)

    def _begin(self) -> dict[str, Any]:
        """Make sure that the session holds a valid value; the arguments that all widgets take."""
        value = self.get()
        if self.key not in st.session_state or st.session_state[self.key] != value:
            self.put(value)
        return {"key": self.key, "persist_state": "session"}


@dataclass(frozen=True)
class OneOf(Field):
    """One of several values."""

    # What may be chosen, and what the page calls it.
    labels: Mapping[Any, str] = field(default_factory=dict)
    # Names in the URL that differ from the value itself.
    texts: Mapping[Any, str] = field(default_factory=dict)

    def get(self) -> Any:
        """The current value; the default while that is none of those that may be chosen."""
        value = super().get()
        return value if value in self.labels else self.default

    def read(self, text: str) -> Any:
        values = {self.write(value): value for value in self.labels}
        if text not in values:
            raise OptionError(f"must be one of {', '.join(values)}")
        return values[text]

    def write(self, value: Any) -> str:
        return self.texts.get(value, str(value)) if value in self.labels else ""

    def buttons(self, place: Any, label: str, **about: Any) -> Any:
        """A row of buttons, one of which is pressed."""
        about = {"format_func": self.labels.__getitem__, "required": True} | about | self._begin()
        return place.segmented_control(label, list(self.labels), **about)

    def menu(self, place: Any, label: str, **about: Any) -> Any:
        """A list that unfolds."""
        about |= self._begin() | {"format_func": self.labels.__getitem__}
        return place.selectbox(label, list(self.labels), **about)

    def radio(self, place: Any, label: str, **about: Any) -> Any:
        """A list with a caption for each value."""
        about |= self._begin() | {"format_func": self.labels.__getitem__}
        return place.radio(label, list(self.labels), **about)

    def slider(self, place: Any, label: str) -> Any:
        """A slider over the values."""
        shown = self.labels.__getitem__
        return place.select_slider(label, list(self.labels), format_func=shown, **self._begin())


def choice_of_score(key: str) -> OneOf:
    """The choice of a score."""
    return OneOf("score", key, "bjp", {name: origins.short_title(name) for name in SCORES})


def choice_of_search(loaded: Loaded, key: str) -> OneOf:
    """The choice of BJP's search; it begins with the one that every page begins with."""
    labels = {"auto": "Auto", "ibmap-hc": "The paper’s (IBMAP-HC)"}
    return OneOf("search", origins.own_key(loaded, key), origins.usual_search(loaded), labels)


@dataclass(frozen=True)
class Switch(Field):
    """On or off: 1 or 0 in the URL."""

    default: bool = False

    def read(self, text: str) -> bool:
        if text not in ("0", "1"):
            raise OptionError("must be 1 or 0")
        return text == "1"

    def write(self, value: Any) -> str:
        return str(int(value))

    def toggle(self, place: Any, label: str, **about: Any) -> bool:
        """A switch."""
        return bool(place.toggle(label, **about, **self._begin()))


@dataclass(frozen=True)
class SomeOf(Field):
    """Any of several values, in their order; their texts hold no commas."""

    # What may be chosen, and what the page calls it.
    labels: Mapping[Any, str] = field(default_factory=dict)

    def get(self) -> list[Any]:
        """The chosen values."""
        chosen = super().get()
        return [value for value in self.labels if value in chosen]

    def read(self, text: str) -> list[Any]:
        asked, texts = set(filter(None, text.split(","))), list(map(str, self.labels))
        if not asked <= set(texts):
            raise OptionError(f"must be some of {', '.join(texts)}, separated by commas")
        return [value for value in self.labels if str(value) in asked]

    def write(self, value: Any) -> str:
        # One comma says none at all.
        return ",".join(str(each) for each in self.labels if each in value) or ","

    def buttons(self, place: Any, label: str, **about: Any) -> list[Any]:
        """A row of buttons, any of which are pressed."""
        about |= self._begin() | {"format_func": self.labels.__getitem__}
        found: list[Any] = place.pills(label, list(self.labels), selection_mode="multi", **about)
        return found

    def menu(self, place: Any, label: str, **about: Any) -> list[Any]:
        """A list that unfolds."""
        about |= self._begin() | {"format_func": self.labels.__getitem__}
        found: list[Any] = place.multiselect(label, list(self.labels), **about)
        return found


@dataclass(frozen=True)
class Number(Field):
    """A number within bounds; a whole one where its bounds are."""

    low: int | float = 0
    high: int | float = 0

    def read(self, text: str) -> int | float:
        return whole(text, self.low, self.high) if self._whole else real(text, self.low, self.high)

    def write(self, value: Any) -> str:
        return str(value) if self._whole else np.format_float_positional(value, trim="-")

    def box(self, place: Any, label: str, **about: Any) -> Any:
        """A box to type in; empty at first where there is no default."""
        about |= self._begin()
        if self.default is None:
            about["value"] = None
        return place.number_input(label, self.low, self.high, **about)

    @property
    def _whole(self) -> bool:
        return isinstance(self.low, int)


@dataclass(frozen=True)
class Position(Number):
    """Where a player rests: a link's value waits under the key until the player takes it."""

    # What the URL says.
    at: int = 0

    def get(self) -> int:
        """The step at which the player rests."""
        return self.at


def whole(text: str, low: float, high: float) -> int:
    """A whole number in plain digits."""
    short = text.isascii() and text.isdecimal() and len(text) <= 12
    if not (short and low <= int(text) <= high):
        raise OptionError(f"must be a whole number from {low:,} to {high:,}")
    return int(text)


def real(text: str, low: float, high: float) -> float:
    """A number in plain decimals."""
    plain = len(text) <= 30 and text.isascii() and text.replace(".", "", 1).isdecimal()
    value = float(text) if plain else math.nan
    if not low <= value <= high:
        raise OptionError(f"must be a number from {low:g} to {high:g}")
    return value
