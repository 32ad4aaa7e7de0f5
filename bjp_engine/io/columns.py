"""The columns of a text table as values, with the marks that its numbers have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import columns_text
from bjp_engine.io.cells import MISSING_VALUES, CellNotes, note_mixed, to_series
from bjp_engine.io.grid import Grid
from bjp_engine.io.headings import Column
from bjp_engine.io.limits import Guard
from bjp_engine.io.marks import Marks, find_marks
from bjp_engine.io.options import ReadOptions

if TYPE_CHECKING:
    import pandas as pd

_SAID = {",": "a comma", ".": "a point", "'": "an apostrophe"}


def typed(
    columns: list[Column], grid: Grid, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[list[pd.Series[Any]], ReadOptions]:
    """The values of all columns."""
    given = options.missing_values
    missing = MISSING_VALUES if given is None else frozenset(text.strip() for text in given)
    marks = find_marks(
        (
            [cell for value in texts.values if (cell := value.strip()) not in missing]
            for _, texts in columns
        ),
        options.delimiter,
        options,
    )
    done = CellNotes()
    series = []
    for name, texts in columns:
        guard.tick()
        found = to_series(name, texts, missing, done, marks)
        if found.dtype == "str" and (said := note_mixed(name, texts, grid.lines, grid.where)):
            done.mixed.append(said)
        series.append(found)
    if done.marked:
        notes.append(_sentence(marks, done))
    notes.extend(done.sentences())
    return series, replace(options, decimal=marks.decimal, thousands=marks.thousands)


def _sentence(marks: Marks, done: CellNotes) -> str:
    """How numbers were read that aren't written as usual."""
    parts = ["a comma before the decimals"] if marks.decimal == "," else []
    if marks.thousands:
        parts.append(f"{_SAID.get(marks.thousands, 'a space')} between thousands")
    return f"Numbers were read with {' and '.join(parts)} in {columns_text(done.marked)}."
