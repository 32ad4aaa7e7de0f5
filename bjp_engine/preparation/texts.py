"""Text that differs only in spaces, or in capital letters."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.labels import natural_key
from bjp_engine.preparation import fields
from bjp_engine.preparation.base import Did, Step, count, put, those

# More spellings than this are not kept with the step: such a column is free text.
_KEPT = 4096


def trimmed(text: str) -> str:
    """Text with single spaces between its words, none around it, and accents as one character."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


@dataclass(frozen=True)
class Spellings:
    """How the values of a column are written.

    Parameters
    ----------
    column : str or int
    texts : tuple of str
        One for each value, whatever its capitals.

    Raises
    ------
    OptionError
        If a field is out of range.
    """

    column: Name
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the fields."""
        fields.name(self.column, "column")
        object.__setattr__(self, "texts", fields.texts(self.texts, "texts"))
        if len({text.casefold() for text in self.texts}) < len(self.texts):
            raise OptionError("texts holds two that differ in capitals only.")


@dataclass(frozen=True)
class TidyText(Step):
    """Take spaces off texts, and write alike what differs in capital letters only.

    Parameters
    ----------
    columns : tuple of str or int, optional
        By default every column of texts.
    fold_case : bool
        Whether capitals are looked at; the most frequent spelling is kept, of equals the first
        in natural order.
    fitted : tuple of Spellings, optional
        The spellings that were kept; those of columns with more than 4096 are not.

    Raises
    ------
    OptionError
        If a field is out of range.
    """

    kind: ClassVar[str] = "tidy"
    title: ClassVar[str] = "tidy text"
    columns: tuple[Name, ...] | None = None
    fold_case: bool = True
    fitted: tuple[Spellings, ...] | None = field(default=None, metadata={"of": Spellings})

    def __post_init__(self) -> None:
        """Check the fields."""
        put(
            self,
            columns=fields.names(self.columns, "columns", every=True),
            fold_case=fields.flag(self.fold_case, "fold_case"),
            fitted=fields.records(self.fitted, "fitted", Spellings),
        )

    @property
    def sentence(self) -> str:
        """What it does."""
        more = " and write alike what differs only in capital letters" if self.fold_case else ""
        return f"Take needless spaces off in {those(self.columns, 'all texts')}{more}."

    def fit(self, table: Table) -> TidyText:
        """Find the spellings to keep."""
        table.check(self.columns or ())
        if self.fitted is not None or not self.fold_case:
            return self
        found = []
        for name in self.columns or table.names:
            column = table.column(name)
            if column.textual and len(column.values) <= _KEPT:
                found.append(Spellings(name, tuple(usual_spellings(column).values())))
        return replace(self, fitted=tuple(found))

    def apply(self, table: Table) -> Did:
        """The table with tidy texts."""
        table.check(self.columns or ())
        known = {one.column: one.texts for one in self.fitted or ()}
        made: dict[Name, Column] = {}
        cells = 0
        for name in self.columns or table.names:
            column = table.column(name)
            if not column.textual:
                continue
            changed, tidy = self._tidied(column, known.get(name, ()))
            if changed:
                cells += changed
                made[name] = tidy
        return Did(
            table.having(made),
            f"{count(cells, 'cell')} written anew in {count(len(made), 'variable')}.",
            cells,
        )

    def _tidied(self, column: Column, known: tuple[str, ...]) -> tuple[int, Column]:
        """How many cells of a column change, and the column after it."""
        kept = usual_spellings(column) if self.fold_case else {}
        kept |= {text.casefold(): text for text in known}
        texts = [
            kept.get(trimmed(value).casefold(), trimmed(value)) if isinstance(value, str) else value
            for value in column.values.tolist()
        ]
        changed = np.array(
            [one != two for one, two in zip(texts, column.values.tolist(), strict=True)]
        )
        places: dict[object, int] = {}
        table = [places.setdefault(text, len(places)) for text in texts]
        return int(column.counts[changed].sum()), column.recoded(np.array(table), list(places))


def usual_spellings(column: Column) -> dict[str, str]:
    """The most frequent spelling of each text."""
    votes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for value, rows in zip(column.values.tolist(), column.counts.tolist(), strict=True):
        if isinstance(value, str) and rows:
            text = trimmed(value)
            votes[text.casefold()][text] += rows
    return {
        key: next(iter(texts))
        if len(texts) == 1
        else min(texts, key=lambda text: (-texts[text], natural_key(text)))
        for key, texts in votes.items()
    }
