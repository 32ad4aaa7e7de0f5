"""Which columns of a file are variables: names, row names, and columns of nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count

from bjp_engine.errors import DataError, clip, columns_text, listed
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.text import Grid, Texts
from bjp_engine.validate import Name, VariableIndex

NamedTexts = tuple[Name, Texts]
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def name_columns(grid: Grid, options: ReadOptions, notes: list[str]) -> list[NamedTexts]:
    """The columns of a grid that are variables, with their names."""
    if grid.header is None:
        columns: list[NamedTexts] = list(enumerate(grid.columns))
        while len(columns) > 1 and columns[-1][1].is_blank:
            columns.pop()
        if gone := len(grid.columns) - len(columns):
            notes.append(f"Columns without a value at the right edge were left out: {gone}.")
    else:
        found = _named(grid, notes)
        columns = [(name, texts) for name, texts in found if name or not texts.is_blank]
        if gone := len(found) - len(columns):
            notes.append(
                "Columns with neither a name nor a value (trailing delimiters) were left out: "
                f"{gone}."
            )
        columns = _without_index(columns, notes)
        names = _fit_names([name for name, _ in columns], grid.named_in, notes)
        columns = [(name, texts) for name, (_, texts) in zip(names, columns, strict=True)]
    kept = choose([name for name, _ in columns], options)
    return [columns[i] for i in kept]


def _fit_names(names: Sequence[Name], line: int, notes: list[str]) -> list[Name]:
    """Names that are distinct and not empty."""
    texts = [str(name) for name in names]
    sound = all(map(str.strip, texts)) and len(set(texts)) == len(texts)
    if sound or _are_values(names):
        check_names(names, line)
        return list(names)
    taken, met = set(texts), set[str]()
    numbers: dict[str, Iterator[int]] = defaultdict(partial(count, 2))
    fitting, nameless, twice = list[Name](), list[Name](), list[Name]()
    for place, text in enumerate(texts, start=1):
        named = bool(text.strip())
        name = text if named else f"column {place}"
        if name in (met if named else taken):
            name = next(new for k in numbers[name] if (new := f"{name} ({k})") not in taken)
            twice += [name] * named
        nameless += [name] * (not named)
        met.add(text)
        taken.add(name)
        fitting.append(name)
    if nameless:
        notes.append(
            f"Without a name in the file, so named by place: {columns_text(nameless)}."
            f"{_title_hint(names, line)}"
        )
    if twice:
        notes.append(f"Named like another in the file, so numbered: {columns_text(twice)}.")
    return fitting


def _are_values(names: Sequence[Name]) -> bool:
    """Whether a table without its header shows values where names should be."""
    return sum(_is_value(name) for name in names) * 2 > len(names)


def _title_hint(names: Sequence[Name], line: int) -> str:
    """What to do where the first line is a title: of its cells only the first holds anything."""
    filled = [bool(str(name).strip()) for name in names]
    if len(filled) < 2 or filled != [True] + [False] * (len(filled) - 1):
        return ""
    return f" If line {line} is a title, leave it out (skip_lines={line})."


def check_names(names: Sequence[Name], line: int = 0) -> None:
    """Refuse names that are empty or not distinct; those of a text table stand in a line."""
    hint = _title_hint(names, line) if line else ""
    if not hint and _are_values(names):
        hint = " If the first line is data, read the table without a header line (header_rows=0)."
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        text = str(name)
        if not text.strip():
            raise DataError(f"Column {position} has no name; give it one in the header.{hint}")
        if text in first:
            raise DataError(
                f"Columns {first[text]} and {position} are both named {clip(text)}; "
                f"rename one of them.{hint}"
            )
        first[text] = position


def choose(names: Sequence[Name], options: ReadOptions) -> list[int]:
    """Where the columns to be read stand."""
    index = VariableIndex(names)

    def find(wanted: Name) -> int:
        place = index.find(wanted)
        if place is None:
            known = listed(names, 8)
            raise DataError(f"columns: there is no column {clip(wanted)}; the file has {known}.")
        return place

    if not names:
        raise DataError("The file has no column besides its row names; it needs one variable.")
    if options.columns is None:
        return list(range(len(names)))
    wanted = [find(name) for name in options.columns]
    for position, times in Counter(wanted).items():
        if times > 1:
            raise DataError(f"columns has {clip(names[position])} twice; name it once.")
    return wanted


def _named(grid: Grid, notes: list[str]) -> list[NamedTexts]:
    """Columns under their names; row names in front and delimiters behind get none."""
    header = [name.strip() for name in grid.header or ()]
    if len(grid.columns) == len(header) + 1:
        last = grid.columns[-1]
        distinct = len(grid.columns[0].values) == grid.rows
        if last.is_blank:
            header = [*header, ""]
        elif distinct:
            notes.append("The first column has no name and names the rows; it was left out.")
            return list(zip(header, grid.columns[1:], strict=True))
        else:
            cells = f"{len(header) + 1} cells where the header has {len(header)}"
            raise DataError(
                f"{grid.where} {grid.lines[0]} has {cells}; name every column, quote cells that "
                "hold the delimiter, or leave out a title above the names (skip_lines=)."
            )
    return list(zip(header, grid.columns, strict=True))


def _without_index(columns: list[NamedTexts], notes: list[str]) -> list[NamedTexts]:
    """Without an unnamed first column that only counts or names the rows."""
    if not columns:
        return columns
    name, texts = columns[0]
    # pandas writes a name of its own where a table with an unnamed index is saved again.
    if name not in ("", "Unnamed: 0") or len(texts.values) != len(texts.codes):
        return columns
    if not _counts_rows(texts) and (len(columns) == 1 or len(texts.codes) == 1):
        return columns
    does = "counts" if _counts_rows(texts) else "names"
    notes.append(f"The first column has no name and {does} the rows; it was left out.")
    return columns[1:]


def _counts_rows(texts: Texts) -> bool:
    """Whether the cells, all different, read 0..N-1 or 1..N from top to bottom."""
    first = texts.values[0].strip()
    if first not in ("0", "1"):
        return False
    return all(value.strip() == str(i) for i, value in enumerate(texts.values, int(first)))


def _is_value(name: Name) -> bool:
    """Whether a heading looks like a cell: a number or nothing."""
    text = str(name).strip()
    return not text or _NUMBER.fullmatch(text) is not None
