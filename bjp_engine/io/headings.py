"""Which of the first lines hold titles and names, and which columns are variables.

Names stand below titles, or in several lines: groups, questions, ids of an export. A line below the
first is taken for such a line only where it can hardly be a row (`_is_heading`, `_are_names`);
otherwise a table loses a respondent. Each guess has a note that says how to undo it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, count, pairwise
from math import nan, prod
from statistics import median
from typing import TYPE_CHECKING

from bjp_engine.columns import Column
from bjp_engine.errors import DataError, clip, columns_text, plural
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.values import MISSING_VALUES
from bjp_engine.validate import Name

if TYPE_CHECKING:
    from bjp_engine.io.text import Grid

# The line where a record begins, and its cells.
Record = tuple[int, list[str]]
NamedTexts = tuple[Name, Column]
COMMENTS = ("#", "%")
# No table has more lines of titles above its names.
MOST_ABOVE = 10
# No export has more lines of names and texts.
_MOST = 3
# So seldom a row would have a text of its own in each column.
_CHANCE = 0.005
# With fewer rows below it, a line is no different from them.
_FEW_ROWS = 4
# So many columns must tell a line from the rows; the more where none holds numbers.
_COLUMNS, _MANY_COLUMNS = 3, 5
# So many cells with values of their columns tell a row, to each with a text that no row has.
_VALUES_TO_NEW = 4
# There, most of its texts must hold a question mark or so many words.
_QUESTION = 4
_IMPORT_ID = re.compile(r'\{\s*"ImportId"\s*:.*\}', re.DOTALL)
_CODE = re.compile(r"[^\W\d]\w*[.\-\w\[\]]*")
NUMBER = re.compile(r"[-+]?[0-9.,]+%?(?:[eE][-+]?[0-9]+)?")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
# A number, or a part of a date.
_DIGITS = re.compile(r"[-+−]?[0-9.,]*[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?")
# What SurveyMonkey writes below a question that has one column.
_ANSWER = frozenset(("response", "open-ended response", "antwort", "beantwortung mit offenem ende"))


@dataclass(frozen=True, slots=True)
class Head:
    """What the first records of a table show."""

    names: tuple[str, ...] | None  # None where no line holds them
    titles: tuple[str, ...] = ()  # what each column is about
    width: int = 0  # cells of a row; one more than names where the rows bear names of their own
    skipped: int = 0  # lines above the names
    lines: int = 0  # of names
    line: int = 0  # the last line of names, or the last above the table
    first: int = 0  # where the first row begins
    where: str = "Line"  # what these are


def find_head(
    records: Sequence[Record],
    options: ReadOptions,
    notes: list[str],
    *,
    above: int = 0,
    where: str = "Line",
) -> Head:
    """What the first records of a table show, below so many lines."""
    widths = [len(cells) for _, cells in records]
    width = max(widths, key=widths.count, default=0)
    marks = COMMENTS if where == "Line" else ()
    rows = [
        (line, cells)
        for line, cells in records
        if len(cells) == width or not (cells[0].startswith(marks) or is_blank(cells, width))
    ]
    (first, cells), *rest = rows or [(0, list[str]())]
    auto = options.header_rows == AUTO
    is_row, may_be = _is_row(cells, [other for _, other in rest]) if auto else (False, False)
    if is_row:
        notes.append(
            f"{where} {first} is like those below it, so columns are named by place; if it holds "
            "names, say so (header_rows=1)."
        )
    elif may_be:
        notes.append(
            f"{where} {first} gives the names, though most of its cells are like those below; if "
            "it is a row, say so (header_rows=0)."
        )
    if is_row or options.header_rows == 0 or not rows:
        return Head(None, width=len(cells), skipped=above, first=first, where=where)
    # Cells without anything are no names.
    filled = [one for one in rows if width == 1 or any(map(str.strip, one[1]))] or rows
    if options.skip_lines == AUTO and (titles := count_titles(filled)):
        text = clip(" ".join(filter(None, dict.fromkeys(map(str.strip, filled[0][1])))), 40)
        notes.append(
            f"Left out above the names: {plural(titles, where.lower())} ({text}"
            f"{' …' * (titles > 1)}); if that is wrong, say how many are to be (skip_lines=)."
        )
        above, filled = filled[titles][0] - 1, filled[titles:]
    names, line = list(filled[0][1]), filled[0][0]
    below = [cells for other, cells in rows if other > line]
    wide = len(below[0]) if below else len(names)
    # Names of nothing at the right edge.
    while len(names) > wide and not names[-1].strip():
        del names[-1]
    # One more cell: row names in front, or a delimiter at the end of each row.
    more = wide == len(names) + 1
    more = more and any(cells[-1].strip() for cells in below if len(cells) == wide)
    width = len(names) + more
    about: list[str] = [""] * len(names)
    used, table = _table([cells for _, cells in filled], len(names))
    lines = 1 if more else _count_lines(table)
    lines = lines if auto else int(options.header_rows)
    if lines > 1:
        line = filled[:lines][-1][0]
        notes.append(
            f"{where}s {filled[0][0]} to {line} hold names and texts of the columns, not answers; "
            "if that is wrong, say how many do (header_rows=)."
        )
        names = [""] * len(names)
        for j, name, text in zip(used, *_names_and_titles(table[:lines]), strict=True):
            names[j], about[j] = name, text
    first = next((other for other, _ in rows if other > line), 0)
    names = [*map(str.strip, names)]
    return Head(tuple(names), tuple(about), width, above, lines, line, first, where)


def is_blank(cells: Sequence[str], width: int) -> bool:
    """Whether a record is a blank line; a lone empty cell is a row of a table with one column."""
    return not cells or (width > 1 == len(cells) and not cells[0].strip())


def _table(records: Sequence[Sequence[str]], width: int) -> tuple[list[int], list[list[str]]]:
    """The columns that hold anything, and their cells."""
    rows = [[cell.strip() for cell in cells[:width]] for cells in records]
    rows = [cells + [""] * (width - len(cells)) for cells in rows]
    used = [j for j, column in enumerate(zip(*rows, strict=True)) if any(column)]
    return used, [[cells[j] for j in used] for cells in rows]


# --- Lines of titles and names --------------------------------------------------------------------


def _is_row(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[bool, bool]:
    """Whether the first line is a row, by texts of its columns and fitting numbers, or may be."""
    alike = [row for row in rows if len(row) == len(cells)]
    # Names may stand again between the rows, but seldom.
    others = [row for row in alike if row != cells]
    if len(others) * 5 < len(alike) * 4:
        others = alike
    if len(others) < _FEW_ROWS:
        return False, False
    again, fit = list[int](), list[int]()
    unlike = new = 0
    for j, (cell, *column) in enumerate(zip(cells, *others, strict=True)):
        values = {*column} - MISSING_VALUES
        if not values - {cell} or (cell in MISSING_VALUES and (cell or cell in column)):
            continue  # the one choice of a column, or nothing, is no evidence
        shape, *shapes = (_DIGITS.sub("0", text) for text in (cell, *values))
        same, distinct = "0" in shape and {*shapes} == {shape}, len({*column}) == len(column)
        if cell in values and not NUMBER.fullmatch(cell):
            again.append(j)
        elif same and (distinct or not any(map(str.isalpha, shape))):
            fit.append(j)
        elif distinct:
            unlike += 1
        else:
            new += 1
    first, *below = [[row[j] for j in fit] for row in (cells, *others)]
    fits = 0 if not fit or _are_chosen(first, below) else len(fit)
    # Names differ; a rare state may be seen only here.
    needed = new * (_VALUES_TO_NEW if len({cells[j] for j in again}) == len(again) else 1)
    if len(again) > unlike and len(again) + fits >= needed:
        running = _is_running([[row[j] for j in again] for row in (cells, *others)])
        return not running, running
    if not (again or unlike or new):
        return fits > 0, False
    return False, bool(again) and len(again) + len(fit) > unlike + new


def _is_running(rows: Sequence[Sequence[str]]) -> bool:
    """Whether, of rows that mostly repeat an answer, only the first rises: A, B, C, D."""
    rising, *others = [all(before < after for before, after in pairwise(row)) for row in rows]
    twice = sum(len({*row}) < len(row) for row in rows)
    return rising and not any(others) and twice * 2 > len(rows) and len(rows[0]) >= _COLUMNS


def _are_chosen(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether numbers are names all the same: they count on, or rise beyond their columns."""
    texts = [*zip(cells, *rows, strict=True)]
    columns = [[*map(_number, column)] for column in texts]
    numbers = [first for first, *_ in columns]
    # Names have a form of their own, as 1.1 over whole numbers, or are years at equal distances.
    parts = [["." in text or "," in text for text in column] for column in texts]
    odd = sum(first not in others for first, *others in parts)
    steps = {after - before for before, after in pairwise(numbers)}
    years = len(steps - {0}) == len(steps) == 1 and all(map(_YEAR.fullmatch, cells))
    years = years and len(cells) >= _COLUMNS and not all(map(_YEAR.fullmatch, chain(*rows)))
    if years or odd >= max(2, len(cells) / 2):
        return True
    rising = all(before < after for before, after in pairwise(numbers))
    inside = sum(min(column) <= first <= max(column) for first, *column in columns)
    if not rising or inside * 2 < len(columns):
        return rising
    # Of many columns some may have been left out.
    gaps = len(columns) if len(columns) > _COLUMNS else 0
    counted = all(map(float.is_integer, numbers)) and numbers[-1] < numbers[0] + len(columns) + gaps
    return counted and (len(columns) > 1 or numbers[0] in (0, 1))


def _number(text: str) -> float:
    """A number, or none."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return nan


def count_titles(records: Sequence[Record]) -> int:
    """How many records above the names are titles."""
    widths = [len(cells) for _, cells in records]
    width = max(widths, key=widths.count, default=0)
    for k in range(1, min(MOST_ABOVE, len(records) - 2) + 1):
        line, above = records[k - 1]
        used, table = _table([cells for _, cells in records[k:]], width)
        cells = [cell.strip() for cell in above] + [""] * (width - len(above))
        cells = [cells[j] for j in used]
        # A sentence may hold the delimiter.
        cut = len(above) > width or records[k][0] > line + 1 or _is_sentence(cells, table)
        if not (cut or _is_title(cells)):
            return 0
        rest = widths[k:]
        while rest and rest[-1] != width:  # remarks below the table
            del rest[-1]
        if {*rest} != {width}:
            continue
        names, rows = table[0], table[1 : len(rest)]
        # Narrower than the table by more than the name of the rows.
        lone = len(above) == 1 < width - 1 and not _is_title(names)
        lone = lone and not any(map(NUMBER.fullmatch, names))
        # Names may have one cell fewer than rows, but then begin with no sentence.
        words = max(len(row[0].split()) for row in table)
        wordy = len(above) == width or len(cells[0].split()) > words
        most = _CHANCE if wordy or cut else 0
        if lone or _are_names(names, rows, most=most) or _are_groups(names, rows):
            return k
    return 0


def _is_sentence(cells: Sequence[str], table: Sequence[Sequence[str]]) -> bool:
    """Whether a line has a number among texts, or more words than all below; no names of groups."""
    numbers = sum(NUMBER.fullmatch(cell) is not None for cell in cells)
    told = 0 < numbers < len({*filter(None, cells)})
    if len(cells) >= _COLUMNS and all(map(_CODE.fullmatch, table[0])):
        words, *below = (max(len(cell.split()) for cell in row) for row in (cells, *table))
        told = told or words > max(below)
    return told and _count_lines([cells, *table]) == 1


def _is_title(cells: Sequence[str]) -> bool:
    """Whether only some cells from the left hold anything, or all hold the same."""
    filled = sum(map(bool, cells))
    return (filled < len(cells) and all(cells[:filled])) or len({*cells}) == 1 < len(cells)


def _are_groups(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether cells name groups of columns that the next row names, one of them over several."""
    several = any(cell in ("", before) for before, cell in pairwise(cells))
    if not (rows and several and cells[0]) or _is_title(cells):
        return False
    return _are_names(rows[0], rows[1:], _filled(cells))


def _filled(cells: Sequence[str]) -> list[str]:
    """The cells, each blank one as the one before."""
    found: Iterator[str] = accumulate(cells, lambda before, cell: cell or before)
    return [*found]


def _stands_out(
    cells: Sequence[str], rows: Sequence[Sequence[str]], groups: Sequence[str] = ()
) -> bool:
    """Whether a line fills each column with a text that no row below has and that is no answer.

    The texts differ, or those of one group do.
    """
    if any(cell in MISSING_VALUES or NUMBER.fullmatch(cell) for cell in cells):
        return False
    if len(set(zip(groups or cells, cells, strict=True))) < len(cells):
        return False
    return all(cell not in column for cell, *column in zip(cells, *rows, strict=True))


def _are_names(
    cells: Sequence[str],
    rows: Sequence[Sequence[str]],
    groups: Sequence[str] = (),
    most: float = _CHANCE,
) -> bool:
    """Whether a line stands out of numbers, or more than rows like those below it would."""
    if not rows or not _stands_out(cells, rows, groups):
        return False
    columns = [*zip(*rows, strict=True)]
    # How often a row would hold a text that no other has, by those below it.
    singles = ([*Counter(column).values()].count(1) for column in columns)
    chance = prod((single + 1) / (len(rows) + 1) for single in singles)
    return any(map(_are_numbers, columns)) or chance <= most


def _count_lines(table: Sequence[Sequence[str]]) -> int:
    """How many lines hold names and texts."""
    if _are_groups(table[0], table[1:]):
        return 2
    # The line of import ids is the last of them.
    for k, cells in enumerate(table[1 : 1 + _MOST], start=2):
        if _has_ids(cells):
            return k
    count = 1
    while count < _MOST and _is_heading(table, count):
        count += 1
    return count


def _has_ids(cells: Sequence[str]) -> bool:
    """Whether a line holds Qualtrics' import ids and nothing else."""
    filled = [*filter(None, cells)]
    return bool(filled) and all(map(_IMPORT_ID.fullmatch, filled))


def _is_heading(table: Sequence[Sequence[str]], at: int) -> bool:
    """Whether a line can hardly be a row: texts over numbers, questions, SurveyMonkey's options."""
    rows = table[at + 1 :]
    if len(rows) < _FEW_ROWS:
        return False
    cells = table[at]
    if at == 1 and _are_options(table[0], cells, rows):
        return True
    if not _stands_out(cells, rows):
        return False
    # Codes below questions.
    codes = at == 1 and len(cells) >= _COLUMNS and all(map(_CODE.fullmatch, cells))
    if codes and sum(map(_is_question, table[0])) * 2 > len(cells) and _are_names(cells, rows):
        return True
    # Texts over numbers; or of several words, longer than all below, over numbers and few states.
    numbers = evident = asked = 0
    for cell, *column in zip(cells, *rows, strict=True):
        number = _are_numbers(column)
        longer = len(cell.split()) > 1 and len(cell) > max(map(len, column))
        numbers += number
        evident += longer and (number or len({*column}) * 3 <= len(rows))
        asked += _is_question(cell)
    if len(cells) < _COLUMNS or numbers * 2 >= len(cells):
        return len(cells) >= _COLUMNS
    # An answer may be a few words longer than all others.
    questions = asked * 2 > len(cells) >= _MANY_COLUMNS
    return evident * 2 >= len(cells) and (numbers > 0 or questions)


def _is_question(cell: str) -> bool:
    """Whether a text has a question mark, or as many words as a question."""
    return "?" in cell or len(cell.split()) >= _QUESTION


def _are_numbers(values: Sequence[str]) -> bool:
    """Whether a column holds numbers, and nothing else but missing cells."""
    found = {*values} - MISSING_VALUES
    return bool(found) and all(map(NUMBER.fullmatch, found))


def _are_options(
    header: Sequence[str], cells: Sequence[str], rows: Sequence[Sequence[str]]
) -> bool:
    """Whether SurveyMonkey's second line follows: "Response", or one of the options."""
    # It has nothing below the respondent's number, which every row has and which comes first.
    answers = [k for k, cell in enumerate(cells) if cell.lower() in _ANSWER]
    if not answers or cells[0] or len({row[0] for row in rows}) < len(rows):
        return False
    return all(
        len(header[k].split()) > 1 and cells[k] not in [row[k] for row in rows] for k in answers
    )


def _names_and_titles(lines: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """The line of the shortest distinct names, and the texts of the others."""
    texts = [[*line] for line in lines if not _has_ids(line)] or [[*lines[0]]]
    # A question, or a group, is named once, at the first of its columns.
    texts[0] = _filled(texts[0])
    fitting = [
        line
        for line in texts
        if all(line)
        and len({*line}) == len(line)
        # Most are such as programs take for names.
        and sum(_CODE.fullmatch(cell) is not None for cell in line) * 2 > len(line)
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
    head, texts = grid.head, grid.columns
    columns: list[NamedTexts] = [(f"column {k}", one) for k, one in enumerate(texts, start=1)]
    if head.names is None:
        columns = [one for one in columns if any(map(str.strip, one[1].values))] or columns[:1]
        if gone := len(texts) - len(columns):
            notes.append(f"Columns without a value were left out: {gone}.")
    else:
        first = "The first column has no name and {} the rows; it was left out."
        if len(texts) > len(head.names):
            if len(texts[0].values) < grid.rows:
                cells = f"{len(texts)} cells where the header has {len(head.names)}"
                raise DataError(
                    f"{head.where} {grid.lines[0]} has {cells}; name every column, quote cells "
                    "that hold the delimiter, or leave out a title above the names (skip_lines=)."
                )
            notes.append(first.format("names"))
            texts = texts[1:]
        columns = [
            (name, replace(column, title=title))
            for name, column, title in zip(head.names, texts, head.titles, strict=True)
            if name or any(map(str.strip, column.values))
        ]
        if gone := len(texts) - len(columns):
            notes.append(f"Columns with neither a name nor a value were left out: {gone}.")
        if columns and (does := _use_as_index(*columns[0], len(columns))):
            notes.append(first.format(does))
            del columns[0]
        names = _fit_names([str(name) for name, _ in columns], head, notes)
        columns = [(name, column) for name, (_, column) in zip(names, columns, strict=True)]
    return [columns[i] for i in options.places([name for name, _ in columns])]


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


def _fit_names(texts: Sequence[str], head: Head, notes: list[str]) -> Sequence[str]:
    """Names that are distinct and not empty."""
    if all(texts) and len({*texts}) == len(texts):
        return texts
    numbers = sum(not text or NUMBER.fullmatch(text) is not None for text in texts)
    if numbers * 2 > len(texts):
        raise DataError(
            f"{head.where} {head.line} has no names for most columns; if it is a title, leave it "
            f"out (skip_lines={head.line}), and if it is data, read the table without a header "
            "line (header_rows=0)."
        )
    taken, met = {*texts}, set[str]()
    versions = defaultdict[str, Iterator[int]](partial(count, 2))
    fitting, nameless, twice = list[str](), list[Name](), list[Name]()
    for place, text in enumerate(texts, start=1):
        name = text or f"column {place}"
        if name in (met if text else taken):
            name = next(new for k in versions[name] if (new := f"{name} ({k})") not in taken)
            twice += [name] * bool(text)
        nameless += [name] * (not text)
        met.add(text)
        taken.add(name)
        fitting.append(name)
    if nameless:
        notes.append(f"Without a name in the file, so named by place: {columns_text(nameless)}.")
    if twice:
        notes.append(f"Named like another in the file, so numbered: {columns_text(twice)}.")
    return fitting
