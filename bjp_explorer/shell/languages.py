"""Sentences as data: a file a language, phrases with placeholders, and their plural forms.

Code that says something makes a `Phrase`: a key and its values. Which language it is said in is
decided where the text leaves, by `Texts.put`. Files are TOML, `texts/CODE.toml` in a page's
package: tables of sentences, in which `{lower_case}` is a placeholder. An amount is a table with
the forms `one` and `other`, of which the value `n` decides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bjp_engine.errors import OptionError

# Every other language is measured by this one.
SOURCE = "en"
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
FORMS = {"one", "other"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence or a part of one, in no language yet."""

    # Where it stands in the files, "lesson.step.name".
    key: str
    # What its placeholders stand for; numbers that are no counts come as text.
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Joined:
    """Phrases one after another."""

    parts: tuple[Any, ...]
    by: str = " "


# A text, or what becomes one in a language.
Said = str | Phrase | Joined


def say(key: str, **values: Any) -> Phrase:
    """A phrase by its key."""
    return Phrase(key, values)


@dataclass(frozen=True)
class Texts:
    """What a page says, in each language that it has a file for."""

    # Where the files are, each named by the code of its language.
    folder: Path

    @cached_property
    def files(self) -> dict[str, dict[str, Any]]:
        """The entries of each language by their keys: texts, lists of texts, and plural forms."""
        paths = sorted(
            self.folder.glob("*.toml"), key=lambda path: (path.stem != SOURCE, path.stem)
        )
        return {path.stem: _flat(tomllib.loads(path.read_text("utf-8"))) for path in paths}

    @cached_property
    def names(self) -> dict[str, str]:
        """What each language calls itself, by its code; the source is first."""
        return {code: entries["language"] for code, entries in self.files.items()}

    def put(self, thing: Any, language: str) -> Any:
        """A payload with its text in place of every phrase; numbers and texts stay as they are."""
        if isinstance(thing, Phrase):
            entry = self._entry(thing.key, language)
            if isinstance(entry, list):
                return [self._fill(text, thing.values, language) for text in entry]
            if isinstance(entry, dict):
                entry = entry["one" if thing.values["n"] == 1 else "other"]
            return self._fill(entry, thing.values, language)
        if isinstance(thing, Joined):
            return thing.by.join(self.put(part, language) for part in thing.parts)
        if isinstance(thing, Mapping):
            return {key: self.put(value, language) for key, value in thing.items()}
        if isinstance(thing, list | tuple):
            return [self.put(value, language) for value in thing]
        return thing

    def table(self, prefix: str, language: str) -> dict[str, str]:
        """The texts of one table as they stand, by their names in it."""
        start = f"{prefix}."
        entries = self._entries(language).items()
        return {key.removeprefix(start): text for key, text in entries if key.startswith(start)}

    def faults(self, language: str) -> list[str]:
        """What a language's file lacks or has too much, compared with the English one.

        A sentence for each fault, with its key; none where the language is complete.
        """
        source, other = self._entries(SOURCE), self._entries(language)
        found = [f"{key} is missing." for key in source if key not in other]
        found += [f"{key} is no key of {SOURCE}.toml." for key in other if key not in source]
        for key in source.keys() & other.keys():
            wanted, given = _placeholders(source[key]), _placeholders(other[key])
            if type(source[key]) is not type(other[key]) or len(wanted) != len(given):
                found.append(f"{key} must have as many texts as in {SOURCE}.toml.")
            elif wanted != given:
                found.append(f"{key} must have the placeholders of {SOURCE}.toml: {wanted}.")
        return sorted(found)

    def _fill(self, text: str, values: Mapping[str, Any], language: str) -> str:
        """A text with a value in place of each placeholder; values are not read again."""

        def shown(match: re.Match[str]) -> str:
            value = self.put(values[match[1]], language)
            return f"{value:,}" if isinstance(value, int) else str(value)

        return PLACEHOLDER.sub(shown, text)

    def _entry(self, key: str, language: str) -> Any:
        return self._entries(language)[key]

    def _entries(self, language: str) -> dict[str, Any]:
        if language not in self.files:
            raise OptionError(f"language must be one of {', '.join(self.files)}, not {language!r}.")
        return self.files[language]


def _placeholders(entry: Any) -> list[list[str]]:
    """The placeholders of an entry, text by text."""
    texts = entry.values() if isinstance(entry, dict) else [entry]
    lists = [text if isinstance(text, list) else [text] for text in texts]
    return [sorted(set(PLACEHOLDER.findall(text))) for each in lists for text in each]


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """The entries of nested tables by their whole keys."""
    found: dict[str, Any] = {}
    for name, entry in table.items():
        if isinstance(entry, dict) and set(entry) != FORMS:
            found |= _flat(entry, f"{before}{name}.")
        else:
            found[before + name] = entry
    return found
