"""Which lines hold names, and which columns are variables.

Names stand below titles, or in several lines: groups, questions, ids of an export. A line below the
first is taken for such a line only where it can hardly be a row (`_is_heading`,
`_are_names_below`); otherwise a table loses a respondent. Each guess has a note that says how to
undo it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from statistics import median

import numpy as np

from bjp_engine.errors import DataError, clip, columns_text, listed
from bjp_engine.io.dialect import MOST_ABOVE, note_titles
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.text import Grid, Texts
from bjp_engine.io.values import MISSING_VALUES
from bjp_engine.validate import Name, VariableIndex

NamedTexts = tuple[Name, Texts]
# No export has more lines of names and texts.
_MOST = 3
# So seldom a row would have a text of its own in each column.
_CHANCE = 0.005
# With fewer rows below it, a line is no different from them.
_FEW_ROWS = 4
# Without a column of numbers, so many columns must tell a line from the rows.
_MANY_COLUMNS = 5
# There, most of its texts must hold a question mark or so many words.
_QUESTION = 4
_IMPORT_ID = re.compile(r'\{\s*"ImportId"\s*:.*\}', re.DOTALL)
_CODE = re.compile(r"[^\W\d]\w*[.\-\w\[\]]*")
_NUMBERED = re.compile(r"[^\W\d_][^\W_]{0,11}[ _.-]?\d[\w.\-\[\]]*")
_NUMBER = re.compile(r"[-+]?[0-9.,]+%?(?:[eE][-+]?[0-9]+)?")
# What SurveyMonkey writes below a question that has one column.
_ANSWER = frozenset(("response", "open-ended response", "antwort", "beantwortung mit offenem ende"))
# A cell where a name should be.
_VALUE = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def join_headings(grid: Grid, options: ReadOptions, notes: list[str]) -> tuple[Grid, ReadOptions]:
    """The grid below its titles, with its lines of names and texts as names and titles."""
    # Row names in front, or delimiters behind, belong to tables of one line of names.
    if grid.header is None or len(grid.header) != len(grid.columns):
        return grid, options
    if options.skip_lines == AUTO:
        grid, options = _without_titles(grid, options, notes)
    assert grid.header is not None
    given = options.header_rows
    grouped = given == AUTO and _are_groups(grid, grid.header, 0)
    count = 2 if grouped else _count(grid) if given == AUTO else int(given)
    if count == 1:
        return grid, replace(options, header_rows=1)
    lines = [list(grid.header), *(_line(grid, k) for k in range(min(count - 1, grid.rows)))]
    names, titles = _names_and_titles(lines)
    where = grid.where.lower()
    below = [str(line) for line in grid.lines[: count - 1]]
    many = len(below) > 1
    notes.append(
        f"{grid.where}{'s' * many} {' and '.join(below)} hold{'s' * (not many)} names, texts or "
        f"ids of the columns, not answers; names and titles were made of "
        f"{'them' if many else 'it'} and the {where} above. If "
        f"{'these are rows' if many else 'it is a row'}, say so (header_rows=1)."
    )
    grid = _below(grid, count - 1, names)
    columns = tuple(
        replace(texts, title=title) for texts, title in zip(grid.columns, titles, strict=True)
    )
    return replace(grid, columns=columns), replace(options, header_rows=count)


def _below(grid: Grid, rows: int, header: Sequence[str]) -> Grid:
    """The grid without its first rows, under another header."""
    columns = tuple(_without_first(texts, rows) for texts in grid.columns)
    named_in, lines = int(grid.lines[min(rows, grid.rows) - 1]), grid.lines[rows:]
    return replace(grid, header=tuple(header), columns=columns, lines=lines, named_in=named_in)


def _without_titles(grid: Grid, options: ReadOptions, notes: list[str]) -> tuple[Grid, ReadOptions]:
    """The grid below lines of titles, which fill only some cells from the left."""
    assert grid.header is not None
    lines = [*grid.header]
    for row in range(min(MOST_ABOVE, grid.rows - 1)):
        if not _is_title(lines):
            break
        cells = _line(grid, row)
        if _are_names_below(grid, row, ()) or _are_groups(grid, cells, row + 1):
            notes.append(note_titles(row + 1, grid.header, grid.where))
            made = _below(grid, row + 1, cells)
            return made, replace(options, skip_lines=int(grid.lines[row]) - 1)
        lines = cells
    return grid, options


def _is_title(cells: Sequence[str]) -> bool:
    """Whether only some cells from the left hold anything, or all hold the same."""
    filled = [bool(cell.strip()) for cell in cells]
    width = sum(filled)
    left = 0 < width < len(cells) and all(filled[:width])
    return left or len(set(cells)) == 1 < len(cells)


def _runs(cells: Sequence[str]) -> list[str]:
    """The cells, each blank that repeats the one before, as those of a merged cell do."""
    before = ["", *cells]
    return ["" if cell == last else cell for last, cell in zip(before, cells, strict=False)]


def _are_groups(grid: Grid, cells: Sequence[str], row: int) -> bool:
    """Whether cells name groups of the columns that a row names, one of them over several."""
    texts = [cell.strip() for cell in cells]
    several = bool(texts[0]) and not all(_runs(texts)) and not _is_title(texts)
    return several and row < grid.rows and _are_names_below(grid, row, _filled(cells))


def _are_names_below(grid: Grid, row: int, groups: Sequence[str]) -> bool:
    """Whether a row fills each column with a text that no row below has and that is no answer.

    The texts differ, or those of one group do.
    """
    cells, left = _line(grid, row), grid.rows - row - 1
    if any(cell in MISSING_VALUES or _is_number(cell) for cell in cells):
        return False
    named = set(zip(groups or cells, cells, strict=True))
    if len(named) < len(cells):
        return False
    numbers, chance = False, 1.0
    for texts, cell in zip(grid.columns, cells, strict=True):
        values = _others(texts, row)
        if cell in values or (cell not in groups and not _is_once(texts, row)):
            return False
        counts = [texts.counts[k] for k, value in enumerate(texts.values) if _is_number(value)]
        numbers |= sum(counts) * 10 >= left * 9 > 0
        # How often a row would hold a text that no other has, by those below it.
        chance *= (np.count_nonzero(texts.counts == 1) - (cell not in groups) + 1) / (left + 1)
    return numbers or chance <= _CHANCE


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None


def _filled(cells: Sequence[str]) -> list[str]:
    """The cells, each blank one as the one before."""
    found = [cells[0]]
    for cell in cells[1:]:
        found.append(cell or found[-1])
    return found


def _line(grid: Grid, row: int) -> list[str]:
    return [texts.values[texts.codes[row]].strip() for texts in grid.columns]


def _without_first(texts: Texts, rows: int) -> Texts:
    """A column without its first rows, its distinct cells by first appearance again."""
    codes = texts.codes[rows:]
    kept, first = np.unique(codes, return_index=True)
    kept = kept[np.argsort(first)]
    table = np.zeros(len(texts.values), dtype=codes.dtype)
    table[kept] = np.arange(len(kept))
    return Texts([texts.values[k] for k in kept], table[codes])


def _count(grid: Grid) -> int:
    """How many lines hold names and texts."""
    # The line of import ids is the last of them.
    for row in range(min(_MOST, grid.rows)):
        if _has_ids(_line(grid, row)):
            return row + 2
    count = 1
    while count < _MOST and _is_heading(grid, count - 1):
        count += 1
    return count


def _has_ids(cells: Sequence[str]) -> bool:
    """Whether a line holds Qualtrics' import ids and nothing else."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(map(_IMPORT_ID.fullmatch, filled))


def _is_heading(grid: Grid, row: int) -> bool:
    """Whether a line can hardly be a row: it holds questions, codes, or SurveyMonkey's options."""
    assert grid.header is not None
    left = grid.rows - row - 1
    if left < _FEW_ROWS:
        return False
    cells = _line(grid, row)
    if row == 0 and _are_options(grid, cells):
        return True
    # No number and no missing cell, no text twice, and none that a row holds.
    if any(cell in MISSING_VALUES or _NUMBER.fullmatch(cell) for cell in cells):
        return False
    if len(set(cells)) < len(cells) or any(not _is_once(texts, row) for texts in grid.columns):
        return False
    others = [_others(texts, row) for texts in grid.columns]
    if any(cell in values for cell, values in zip(cells, others, strict=True)):
        return False
    return _are_questions(grid.header, cells, others, left) or _are_codes(
        grid.header, cells, others
    )


def _is_once(texts: Texts, row: int) -> bool:
    """Whether no other row of a column holds the same."""
    return bool(texts.counts[texts.codes[row]] == 1)


def _others(texts: Texts, row: int) -> list[str]:
    """The distinct cells of the rows below one; those above occur once, if at all."""
    above = set(texts.codes[: row + 1].tolist())
    return [value.strip() for k, value in enumerate(texts.values) if k not in above]


def _are_questions(
    header: Sequence[str], cells: Sequence[str], others: Sequence[list[str]], rows: int
) -> bool:
    """Whether texts of several words stand below short names, and unlike them numbers or states."""
    if not _are_names(header):
        return False
    numbers = evident = asked = 0
    for cell, values in zip(cells, others, strict=True):
        longer = len(cell.split()) > 1 and len(cell) > max(map(len, values), default=0)
        plain = longer and _are_numbers(values)
        numbers += plain
        evident += plain or (longer and len(values) * 3 <= rows)
        asked += "?" in cell or len(cell.split()) >= _QUESTION
    # An answer may be a few words longer than all others.
    if not numbers and asked * 2 <= len(cells):
        return False
    return _are_enough(numbers, evident, len(cells))


def _are_codes(header: Sequence[str], cells: Sequence[str], others: Sequence[list[str]]) -> bool:
    """Whether codes such as Q1_1 stand below the texts of questions, and numbers below them."""
    if sum(len(name.split()) > 2 for name in header) * 2 < len(header):
        return False
    if not all(map(_CODE.fullmatch, cells)):
        return False
    numbered = sum(_NUMBERED.fullmatch(cell) is not None for cell in cells)
    if numbered * 2 < len(cells):
        return False
    if any(_NUMBERED.fullmatch(value) for values in others for value in values):
        return False
    numbers = sum(map(_are_numbers, others))
    return numbers > 0 and _are_enough(numbers, numbers, len(cells))


def _are_names(cells: Sequence[str]) -> bool:
    """Whether most cells are such as programs take for names."""
    fitting = sum(_CODE.fullmatch(cell.strip()) is not None for cell in cells)
    return fitting * 2 > len(cells)


def _are_enough(numbers: int, evident: int, columns: int) -> bool:
    """Whether enough columns tell a line from the rows below it."""
    least = 3 if numbers else _MANY_COLUMNS
    return columns >= least and evident * 2 >= columns and evident >= min(least, 2)


def _are_numbers(values: Sequence[str]) -> bool:
    """Whether a column holds numbers, and nothing else but missing cells."""
    found = [value for value in values if value not in MISSING_VALUES]
    return bool(found) and all(map(_NUMBER.fullmatch, found))


def _are_options(grid: Grid, cells: Sequence[str]) -> bool:
    """Whether SurveyMonkey's second line follows: "Response", or one of the options."""
    # It has nothing below the respondent's number, which every row has and which comes first.
    answers = [k for k, cell in enumerate(cells) if cell.lower() in _ANSWER]
    identifier, header = grid.columns[0], grid.header or ()
    if not answers or cells[0] or len(identifier.values) < grid.rows:
        return False
    return all(len(header[k].split()) > 1 and _is_once(grid.columns[k], 0) for k in answers)


def _names_and_titles(lines: Sequence[list[str]]) -> tuple[list[str], list[str]]:
    """The line of the shortest distinct names, and the texts of the others."""
    texts = [
        [cell.strip() for cell in line] for line in lines if not _has_ids([c.strip() for c in line])
    ] or [list(lines[0])]
    # A question, or a group, is named once, at the first of its columns.
    texts[0] = _filled(texts[0])
    fitting = [
        line for line in texts if all(line) and len(set(line)) == len(line) and _are_names(line)
    ]
    if fitting:
        names = min(fitting, key=lambda line: median(map(len, line)))
        rest = [line for line in texts if line is not names]
        return names, [_joined(cells, name) for name, *cells in zip(names, *rest, strict=True)]
    first, *rest = texts
    names = [_joined(cells) for cells in zip(first, *rest, strict=True)]
    return names, [""] * len(names)


def _joined(cells: Sequence[str], name: str = "") -> str:
    """Texts as one, without what says nothing."""
    kept = [cell for cell in dict.fromkeys(cells) if cell and cell != name]
    told = [cell for cell in kept if cell.lower() not in _ANSWER]
    return " – ".join(" ".join(cell.split()) for cell in told or kept)


# --- Columns by their names -----------------------------------------------------------------------


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
    texts = [str(name).strip() for name in names]
    return sum(not x or _VALUE.fullmatch(x) is not None for x in texts) * 2 > len(texts)


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
