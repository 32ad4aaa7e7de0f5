"""What was done to the cells of a table, in sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from bjp_engine.errors import clip, columns_text
from bjp_engine.validate import Name

_MOST = 5
_SEPARATORS = {",": "comma", ".": "point", "'": "apostrophe"}


@dataclass
class CellNotes:
    """What was done to the cells of a table, for one sentence each."""

    missing: Counter[str] = field(default_factory=Counter)  # how often each text was
    holes: list[Name] = field(default_factory=list)  # columns with missing cells
    none: list[Name] = field(default_factory=list)  # columns with the category "None"
    trimmed: list[Name] = field(default_factory=list)  # columns with spaces around cells
    codes: list[Name] = field(default_factory=list)  # columns of codes, of which NA is one
    doubtful_codes: list[Name] = field(default_factory=list)  # the same, but NA is missing
    separated: list[Name] = field(default_factory=list)  # numbers not as a program writes them
    doubtful: list[str] = field(default_factory=list)  # sentences on text that may be numbers
    mixed: list[str] = field(default_factory=list)  # sentences on text among numbers

    def sentences(self, decimal: str = ".", thousands: str | None = None) -> list[str]:
        """What the reader of the table should know."""
        notes = []
        if self.separated:
            parts = ["decimal separator: comma"] if decimal == "," else []
            if thousands:
                name = _SEPARATORS.get(thousands, "space")
                parts.append(f"thousands separator: {name}")
            text = "; ".join(parts)
            notes.append(f"{text[0].upper()}{text[1:]}; in {columns_text(self.separated)}.")
        if self.missing:
            cells = self.missing.total()
            kinds = ", ".join(
                f"{clip(text, 20) if text else 'empty'} {count:,}×"
                for text, count in self.missing.most_common(6)
            )
            notes.append(
                f"Missing: {cells:,} cell{'s' if cells > 1 else ''} ({kinds}) "
                f"in {columns_text(self.holes)}."
            )
        if self.none:
            notes.append(
                f"'None' counts as a category, not as missing, in {columns_text(self.none)}."
            )
        if self.trimmed:
            notes.append(f"Spaces around cells were taken off in {columns_text(self.trimmed)}.")
        if self.codes:
            notes.append(
                f"'NA' counts as a code, not as missing, in {columns_text(self.codes)}; if it is "
                "missing, say so (missing_values=)."
            )
        if self.doubtful_codes:
            notes.append(
                f"'NA' counts as missing in {columns_text(self.doubtful_codes)}, but may be the "
                "code of a country or continent; if it is, say what is missing (missing_values=)."
            )
        return [*notes, *_first(self.doubtful), *_first(self.mixed)]


def _first(sentences: list[str]) -> list[str]:
    """Some of many sentences of one kind, and how many more there are."""
    more = len(sentences) - _MOST
    others = [f"The same holds for {more:,} more column{'s' * (more > 1)}."] if more > 0 else []
    return sentences[:_MOST] + others
