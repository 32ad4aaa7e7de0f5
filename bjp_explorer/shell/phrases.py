"""Sentences as data: phrases with placeholders, and their plural forms.

Code that says something makes a `Phrase`, a key and its values; `Texts.put` says it where the text
leaves. The file is TOML: tables of sentences, in which `{lower_case}` is a placeholder. An amount
is a table with the forms `one` and `other`, of which the value `n` decides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
FORMS = {"one", "other"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence or a part of one, not yet said."""

    # Where it stands in the file, "lesson.step.name".
    key: str
    # What its placeholders stand for; numbers that are no counts come as text.
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Joined:
    """Phrases one after another."""

    parts: tuple[Any, ...]
    by: str = " "


# A text, or what becomes one.
Said = str | Phrase | Joined


def say(key: str, **values: Any) -> Phrase:
    """A phrase by its key."""
    return Phrase(key, values)


@dataclass(frozen=True)
class Texts:
    """What a page says."""

    file: Path

    @cached_property
    def entries(self) -> dict[str, Any]:
        """Texts, lists of texts, and plural forms by their keys."""
        return _flat(tomllib.loads(self.file.read_text("utf-8")))

    def put(self, thing: Any) -> Any:
        """A payload with its text in place of every phrase; numbers and texts stay as they are."""
        if isinstance(thing, Phrase):
            entry = self.entries[thing.key]
            if isinstance(entry, list):
                return [self._fill(text, thing.values) for text in entry]
            if isinstance(entry, dict):
                entry = entry["one" if thing.values["n"] == 1 else "other"]
            return self._fill(entry, thing.values)
        if isinstance(thing, Joined):
            return thing.by.join(self.put(part) for part in thing.parts)
        if isinstance(thing, Mapping):
            return {key: self.put(value) for key, value in thing.items()}
        if isinstance(thing, list | tuple):
            return [self.put(value) for value in thing]
        return thing

    def table(self, prefix: str) -> dict[str, str]:
        """The texts of one table as they stand, by their names in it."""
        start = f"{prefix}."
        entries = self.entries.items()
        return {key.removeprefix(start): text for key, text in entries if key.startswith(start)}

    def _fill(self, text: str, values: Mapping[str, Any]) -> str:
        """A text with a value in place of each placeholder; values are not read again."""

        def shown(match: re.Match[str]) -> str:
            value = self.put(values[match[1]])
            return f"{value:,}" if isinstance(value, int) else str(value)

        return PLACEHOLDER.sub(shown, text)


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """The entries of nested tables by their whole keys."""
    found: dict[str, Any] = {}
    for name, entry in table.items():
        if isinstance(entry, dict) and set(entry) != FORMS:
            found |= _flat(entry, f"{before}{name}.")
        else:
            found[before + name] = entry
    return found
