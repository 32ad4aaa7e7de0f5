"""Which lines hold names, and which columns are variables.

Names stand below titles, or in several lines: groups, questions, ids of an export. A line below the
first is taken for such a line only where it can hardly be a row (`_is_heading`,
`_are_names_below`); otherwise a table loses a respondent. Each guess has a note that says how to
undo it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from statistics import median

import numpy as np

from bjp_engine.columns import Column
from bjp_engine.errors import DataError, clip, columns_text, listed
from bjp_engine.io.dialect import MOST_ABOVE, note_titles
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.text import Grid
from bjp_engine.io.values import MISSING_VALUES
from bjp_engine.validate import Name, VariableIndex

NamedTexts = tuple[Name, Column]
# No export has more lines of names and texts.
_MOST = 3
# So seldom a row would have a text of its own in each column.
_CHANCE = 0.005
# With fewer rows below it, a line is no different from them.
_FEW_ROWS = 4
# So many columns must tell a line from the rows; the more where none holds numbers.
_COLUMNS, _MANY_COLUMNS = 3, 5
# There, most of its texts must hold a question mark or so many words.
_QUESTION = 4
_IMPORT_ID = re.compile(r'\{\s*"ImportId"\s*:.*\}', re.DOTALL)
_CODE = re.compile(r"[^\W\d]\w*[.\-\w\[\]]*")
_NUMBER = re.compile(r"[-+]?[0-9.,]+%?(?:[eE][-+]?[0-9]+)?")
# What SurveyMonkey writes below a question that has one column.
_ANSWER = frozenset(("response", "open-ended response", "antwort", "beantwortung mit offenem ende"))


def join_headings(grid: Grid, options: ReadOptions, notes: list[str]) -> tuple[Grid, ReadOptions]:
    """The grid below its titles, with its lines of names and texts as names and titles."""
    # Row names in front, or delimiters behind, belong to tables of one line of names.
    if grid.header is None or len(grid.header) != len(grid.columns):
        return grid, options
    if options.skip_lines == AUTO:
        grid, options = _without_titles(grid, options, notes)
    header, lines = options.header_rows, [list(grid.header or ())]
    if header == AUTO:
        header = 2 if _are_groups(grid, lines[0], 0) else _count_headings(grid, lines[0])
    options = replace(options, header_rows=header)
    below = [str(line) for line in grid.lines[: int(header) - 1]]
    if header == 1:
        return grid, options
    lines += [_line(grid, row) for row in range(len(below))]
    names, titles = _names_and_titles(lines)
    many, where = len(below) > 1, grid.where.lower()
    notes.append(
        f"{grid.where}{'s' * many} {' and '.join(below)} hold{'s' * (not many)} names, texts or "
        f"ids of the columns, not answers; names and titles were made of "
        f"{'them' if many else 'it'} and the {where} above. If "
        f"{'these are rows' if many else 'it is a row'}, say so (header_rows=1)."
    )
    grid = _below(grid, int(header) - 1, names)
    columns = [
        replace(texts, title=title) for texts, title in zip(grid.columns, titles, strict=True)
    ]
    return replace(grid, columns=tuple(columns)), options


def _below(grid: Grid, rows: int, header: Sequence[str]) -> Grid:
    """The grid without its first rows, under another header."""
    left = [replace(texts, codes=texts.codes[rows:]) for texts in grid.columns]
    columns = [texts.without(texts.counts == 0) for texts in left]
    named_in = int(grid.lines[min(rows, grid.rows) - 1])
    return replace(
        grid,
        header=tuple(header),
        columns=tuple(columns),
        lines=grid.lines[rows:],
        named_in=named_in,
    )


def _without_titles(grid: Grid, options: ReadOptions, notes: list[str]) -> tuple[Grid, ReadOptions]:
    """The grid below lines of titles, which fill only some cells from the left."""
    header = cells = list(grid.header or ())
    for row in range(min(MOST_ABOVE, grid.rows - 1)):
        if not _is_title(cells):
            break
        cells = _line(grid, row)
        if _are_names_below(grid, row) or _are_groups(grid, cells, row + 1):
            notes.append(note_titles(row + 1, header, grid.where))
            options = replace(options, skip_lines=int(grid.lines[row]) - 1)
            return _below(grid, row + 1, cells), options
    return grid, options


def _is_title(cells: Sequence[str]) -> bool:
    """Whether only some cells from the left hold anything, or all hold the same."""
    filled = [bool(cell.strip()) for cell in cells]
    width = sum(filled)
    left = 0 < width < len(cells) and all(filled[:width])
    return left or len(set(cells)) == 1 < len(cells)


def _are_groups(grid: Grid, cells: Sequence[str], row: int) -> bool:
    """Whether cells name groups of the columns that a row names, one of them over several."""
    texts = [cell.strip() for cell in cells]
    several = any(cell in ("", before) for before, cell in pairwise(texts))
    if not texts[0] or not several or _is_title(texts) or row >= grid.rows:
        return False
    return _are_names_below(grid, row, _filled(cells))


def _filled(cells: Sequence[str]) -> list[str]:
    """The cells, each blank one as the one before."""
    found = [cells[0]]
    for cell in cells[1:]:
        found.append(cell or found[-1])
    return found


def _line(grid: Grid, row: int) -> list[str]:
    return [texts.values[texts.codes[row]].strip() for texts in grid.columns]


def _others(texts: Column, row: int) -> list[str]:
    """The distinct cells of the rows below one; those above occur once, if at all."""
    above = set(texts.codes[: row + 1].tolist())
    return [value.strip() for k, value in enumerate(texts.values) if k not in above]


def _stands_out(grid: Grid, row: int, groups: Sequence[str] = ()) -> bool:
    """Whether a row fills each column with a text that no row below has and that is no answer.

    The texts differ, or those of one group do.
    """
    cells = _line(grid, row)
    if any(cell in MISSING_VALUES or _NUMBER.fullmatch(cell) for cell in cells):
        return False
    if len(set(zip(groups or cells, cells, strict=True))) < len(cells):
        return False
    return all(
        cell not in _others(texts, row) and (cell in groups or _is_once(texts, row))
        for texts, cell in zip(grid.columns, cells, strict=True)
    )


def _is_once(texts: Column, row: int) -> bool:
    """Whether no other row of a column holds the same."""
    return bool(texts.counts[texts.codes[row]] == 1)


def _are_names_below(grid: Grid, row: int, groups: Sequence[str] = ()) -> bool:
    """Whether a row stands out of numbers, or more than rows like those below it would."""
    if not _stands_out(grid, row, groups):
        return False
    numbers, chance = False, 1.0
    for texts, cell in zip(grid.columns, _line(grid, row), strict=True):
        numbers |= _are_numbers(_others(texts, row))
        # How often a row would hold a text that no other has, by those below it.
        singles = np.count_nonzero(texts.counts == 1) - (cell not in groups)
        chance *= (singles + 1) / (grid.rows - row)
    return numbers or chance <= _CHANCE


def _count_headings(grid: Grid, header: Sequence[str]) -> int:
    """How many lines hold names and texts."""
    # The line of import ids is the last of them.
    for row in range(min(_MOST, grid.rows)):
        if _has_ids(_line(grid, row)):
            return row + 2
    count = 1
    while count < _MOST and _is_heading(grid, header, count - 1):
        count += 1
    return count


def _has_ids(cells: Sequence[str]) -> bool:
    """Whether a line holds Qualtrics' import ids and nothing else."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and all(map(_IMPORT_ID.fullmatch, filled))


def _is_heading(grid: Grid, header: Sequence[str], row: int) -> bool:
    """Whether a line can hardly be a row: texts over numbers, questions, SurveyMonkey's options."""
    cells, left = _line(grid, row), grid.rows - row - 1
    if left < _FEW_ROWS:
        return False
    if row == 0 and _are_options(grid, header, cells):
        return True
    if not _stands_out(grid, row):
        return False
    # Texts over numbers; or of several words, longer than all below, over numbers and few states.
    numbers = evident = asked = 0
    for texts, cell in zip(grid.columns, cells, strict=True):
        values = _others(texts, row)
        number = _are_numbers(values)
        longer = len(cell.split()) > 1 and len(cell) > max(map(len, values), default=0)
        numbers += number
        evident += longer and (number or len(values) * 3 <= left)
        asked += "?" in cell or len(cell.split()) >= _QUESTION
    if len(cells) < _COLUMNS or numbers * 2 >= len(cells):
        return len(cells) >= _COLUMNS
    # An answer may be a few words longer than all others.
    questions = asked * 2 > len(cells) >= _MANY_COLUMNS
    return evident * 2 >= len(cells) and (numbers > 0 or questions)


def _are_names(cells: Sequence[str]) -> bool:
    """Whether most cells are such as programs take for names."""
    fitting = sum(_CODE.fullmatch(cell.strip()) is not None for cell in cells)
    return fitting * 2 > len(cells)


def _are_numbers(values: Sequence[str]) -> bool:
    """Whether a column holds numbers, and nothing else but missing cells."""
    found = [value for value in values if value not in MISSING_VALUES]
    return bool(found) and all(map(_NUMBER.fullmatch, found))


def _are_options(grid: Grid, header: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether SurveyMonkey's second line follows: "Response", or one of the options."""
    # It has nothing below the respondent's number, which every row has and which comes first.
    answers = [k for k, cell in enumerate(cells) if cell.lower() in _ANSWER]
    if not answers or cells[0] or len(grid.columns[0].values) < grid.rows:
        return False
    return all(len(header[k].split()) > 1 and _is_once(grid.columns[k], 0) for k in answers)


def _names_and_titles(lines: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """The line of the shortest distinct names, and the texts of the others."""
    texts = [[cell.strip() for cell in line] for line in lines if not _has_ids(line)]
    texts = texts or [list(lines[0])]
    # A question, or a group, is named once, at the first of its columns.
    texts[0] = _filled(texts[0])
    fitting = [
        line for line in texts if all(line) and len(set(line)) == len(line) and _are_names(line)
    ]
    if fitting:
        names = min(fitting, key=lambda line: median(map(len, line)))
        rest = [line for line in texts if line is not names]
        return names, [_joined(cells, name) for name, *cells in zip(names, *rest, strict=True)]
    return [_joined(cells) for cells in zip(*texts, strict=True)], [""] * len(texts[0])


def _joined(cells: Sequence[str], name: str = "") -> str:
    """Texts as one, without what says nothing."""
    kept = [cell for cell in dict.fromkeys(cells) if cell and cell != name]
    telling = [cell for cell in kept if cell.lower() not in _ANSWER]
    return " – ".join(" ".join(cell.split()) for cell in telling or kept)


# --- Columns by their names -----------------------------------------------------------------------


def name_columns(grid: Grid, options: ReadOptions, notes: list[str]) -> list[NamedTexts]:
    """The columns of a grid that are variables, with their names."""
    if grid.header is None:
        columns: list[NamedTexts] = list(enumerate(grid.columns))
        while len(columns) > 1 and _is_blank(columns[-1][1]):
            columns.pop()
        if gone := len(grid.columns) - len(columns):
            notes.append(f"Columns without a value at the right edge were left out: {gone}.")
    else:
        found = _named(grid, notes)
        columns = [(name, texts) for name, texts in found if name or not _is_blank(texts)]
        if gone := len(found) - len(columns):
            notes.append(
                "Columns with neither a name nor a value (trailing delimiters) were left out: "
                f"{gone}."
            )
        if columns and (does := _use_as_index(*columns[0], len(columns))):
            notes.append(f"The first column has no name and {does} the rows; it was left out.")
            del columns[0]
        names = _fit_names([str(name) for name, _ in columns], grid.named_in, notes)
        columns = [(name, texts) for name, (_, texts) in zip(names, columns, strict=True)]
    return [columns[i] for i in choose([name for name, _ in columns], options)]


def _is_blank(texts: Column) -> bool:
    """Whether no cell holds anything but spaces."""
    return not any(value.strip() for value in texts.values)


def _named(grid: Grid, notes: list[str]) -> list[NamedTexts]:
    """Columns under their names; row names in front and delimiters behind get none."""
    header = [name.strip() for name in grid.header or ()]
    if len(grid.columns) == len(header):
        return list(zip(header, grid.columns, strict=True))
    if _is_blank(grid.columns[-1]):
        return list(zip([*header, ""], grid.columns, strict=True))
    if len(grid.columns[0].values) == grid.rows:
        notes.append("The first column has no name and names the rows; it was left out.")
        return list(zip(header, grid.columns[1:], strict=True))
    cells = f"{len(header) + 1} cells where the header has {len(header)}"
    raise DataError(
        f"{grid.where} {grid.lines[0]} has {cells}; name every column, quote cells that "
        "hold the delimiter, or leave out a title above the names (skip_lines=)."
    )


def _use_as_index(name: Name, texts: Column, columns: int) -> str:
    """What a first column without a name does that differs in each row; else nothing."""
    # pandas writes a name of its own where a table with an unnamed index is saved again.
    rows = len(texts.codes)
    if name not in ("", "Unnamed: 0") or len(texts.values) != rows:
        return ""
    places = [value.strip() for value in texts.values]
    if any(places == [str(i) for i in range(first, rows + first)] for first in (0, 1)):
        return "counts"
    return "names" if columns > 1 and rows > 1 else ""


def _fit_names(texts: Sequence[str], line: int, notes: list[str]) -> Sequence[str]:
    """Names that are distinct and not empty."""
    if _are_values(texts) or (all(texts) and len(set(texts)) == len(texts)):
        check_names(texts, line)
        return texts
    taken, met = set(texts), set[str]()
    numbers: dict[str, Iterator[int]] = defaultdict(partial(count, 2))
    fitting, nameless, twice = list[str](), list[Name](), list[Name]()
    for place, text in enumerate(texts, start=1):
        name = text or f"column {place}"
        if name in (met if text else taken):
            name = next(new for k in numbers[name] if (new := f"{name} ({k})") not in taken)
            twice += [name] * bool(text)
        nameless += [name] * (not text)
        met.add(text)
        taken.add(name)
        fitting.append(name)
    if nameless:
        notes.append(
            f"Without a name in the file, so named by place: {columns_text(nameless)}."
            f"{_title_hint(texts, line)}"
        )
    if twice:
        notes.append(f"Named like another in the file, so numbered: {columns_text(twice)}.")
    return fitting


def _are_values(names: Sequence[Name]) -> bool:
    """Whether a table without its header shows values where names should be."""
    texts = [str(name).strip() for name in names]
    return sum(not x or _NUMBER.fullmatch(x) is not None for x in texts) * 2 > len(texts)


def _title_hint(names: Sequence[Name], line: int) -> str:
    """What to do where the first line is a title: of its cells only the first holds anything."""
    first, *others = [str(name).strip() for name in names] or [""]
    if not line or not first or not others or any(others):
        return ""
    return f" If line {line} is a title, leave it out (skip_lines={line})."


def check_names(names: Sequence[Name], line: int = 0) -> None:
    """Refuse names that are empty or not distinct; those of a text table stand in a line."""
    hint = _title_hint(names, line)
    if not hint and _are_values(names):
        hint = " If the first line is data, read the table without a header line (header_rows=0)."
    first: dict[str, int] = {}
    for position, text in enumerate(map(str, names), start=1):
        if not text.strip():
            raise DataError(f"Column {position} has no name; give it one in the header.{hint}")
        if first.setdefault(text, position) != position:
            raise DataError(
                f"Columns {first[text]} and {position} are both named {clip(text)}; "
                f"rename one of them.{hint}"
            )


def choose(names: Sequence[Name], options: ReadOptions) -> list[int]:
    """Where the columns to be read stand."""
    if not names:
        raise DataError("The file has no column besides its row names; it needs one variable.")
    if options.columns is None:
        return list(range(len(names)))
    index, places = VariableIndex(names), list[int]()
    for wanted in options.columns:
        place = index.find(wanted)
        if place is None:
            known = listed(names, 8)
            raise DataError(f"columns: there is no column {clip(wanted)}; the file has {known}.")
        if place in places:
            raise DataError(f"columns has {clip(names[place])} twice; name it once.")
        places.append(place)
    return places
