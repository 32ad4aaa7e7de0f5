"""What is known of pairs of variables, as a text of three columns.

    x,y,known
    smoking,systolic_pressure,required
    smoking,family_anamnesis,forbidden
    mental_work,physical_work,0.9

The header may be left out. Groups that may not touch are written pair by pair.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from bjp_engine.errors import DataError, OptionError, clip, plural
from bjp_engine.io.graphs import disarm_cell, restore_cell
from bjp_engine.io.sources import read_source
from bjp_engine.scores.known import KnownEdges, What, read_what
from bjp_engine.validate import Name, VariableIndex

# A larger file is something else.
_MOST_BYTES = 1 << 24
_HEADER = ("x", "y", "known")


def read_known(path: str | Path, names: Sequence[Name] | None = None) -> KnownEdges:
    """Read what is known of pairs from a CSV file of three columns.

    Each line has two variables and "required", "forbidden" or a probability. A first line
    x,y,known, or one that names no variable, is the header. Each line is compared with `names`, the
    variables, if these are given.
    """
    content = read_source(path, limit=_MOST_BYTES)
    return parse_known(content.data, names, content.name)


def parse_known(
    content: bytes, names: Sequence[Name] | None = None, title: str = "known"
) -> KnownEdges:
    r"""Read what is known of pairs from the UTF-8 text of a file, see `read_known`.

    Examples
    --------
    >>> from bjp_engine.io import parse_known
    >>> parse_known(b"x,y,known\na,b,required\na,c,0.9\n").rows()
    (('a', 'b', 'required'), ('a', 'c', 0.9))
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"The file {clip(title)} is not UTF-8; save it as UTF-8 text.") from None
    index = None if names is None else VariableIndex(names)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, line, known = list[tuple[Name, Name, What]](), 1, dict[frozenset[Name], What]()
    try:
        for line_cells in reader:
            cells = [restore_cell(cell.strip()) for cell in line_cells]
            if any(cells) and (rows or not _is_header(cells, index)):
                x, y, what = _row(cells, index, names)
                if known.setdefault(frozenset((x, y)), what) != what:
                    raise DataError(
                        f"an earlier line says something else of {clip(x)} and {clip(y)}."
                    )
                rows.append((x, y, what))
            line = reader.line_num + 1
    except (OptionError, DataError, csv.Error) as error:
        raise DataError(f"Line {line} of {clip(title)}: {error}") from None
    return KnownEdges.from_rows(rows)


def known_csv(known: KnownEdges) -> str:
    r"""What is known of pairs as CSV, which `read_known` reads.

    Examples
    --------
    >>> from bjp_engine.io import known_csv
    >>> from bjp_engine.scores import KnownEdges
    >>> known_csv(KnownEdges(forbidden=[("a", "b")]))
    'x,y,known\na,b,forbidden\n'
    """
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(_HEADER)
    # As in lists of edges, no name is a formula to a spreadsheet program.
    for *pair, what in known.rows():
        cells = (disarm_cell(name) if isinstance(name, str) else name for name in pair)
        writer.writerow((*cells, what))
    return made.getvalue()


def _is_header(cells: list[str], index: VariableIndex | None) -> bool:
    """Whether a first line says what the columns are: x, y, known, or nothing of any variable."""
    if len(cells) != len(_HEADER) or tuple(map(str.lower, cells)) == _HEADER:
        return len(cells) == len(_HEADER)
    try:
        read_what(cells[2], "it")
    except OptionError:
        return index is not None and index.find(cells[0]) is index.find(cells[1]) is None
    return False


def _row(
    cells: list[str], index: VariableIndex | None, names: Sequence[Name] | None
) -> tuple[Name, Name, What]:
    if len(cells) != 3:
        raise DataError(
            f"it has {plural(len(cells), 'cell')}; write two variables and 'required', "
            "'forbidden' or a probability."
        )
    pair: list[Name] = [*cells[:2]]
    if index is not None and names is not None:
        pair = [names[index.place(cell)] for cell in pair]
    x, y = pair
    if x == y:
        raise DataError(f"it pairs {clip(x)} with itself; name two variables.")
    return x, y, read_what(cells[2], "it")
