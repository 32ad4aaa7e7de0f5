"""Reading rows batch by batch into bit planes: an eighth of their codes where states are two.

source -> `draft`: planes by order of appearance, and a head -> `agree` on the states of all heads
-> `recode` the planes of each draft

One file has one head, and `read_counted` does all three. The shards of a cluster are drafted where
they lie; only heads travel.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from bjp_engine.arrays import Ints, SignedCodes, signed_dtype
from bjp_engine.columns import Column, Table
from bjp_engine.counters.sums import Sum
from bjp_engine.dataset import CountedDataset, Dataset, Missing, adopt
from bjp_engine.errors import DataError, clip
from bjp_engine.io import child
from bjp_engine.io.agreement import Agreement, Coding, Head, agree, read_texts
from bjp_engine.io.limits import MEGABYTE, Guard, Limits, NoRowsError
from bjp_engine.io.notes import CellNotes
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.packing import Frequencies, Lane, Packing, recode, repeat, tally, without
from bjp_engine.io.parquet import MOST_HELD, Received, column_of, send_columns
from bjp_engine.io.sources import check_file, first_bytes, read_source
from bjp_engine.io.tables import format_of, is_parquet
from bjp_engine.io.text import Texts
from bjp_engine.io.text_stream import Unread, read_pieces, texts_of
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.validate import Name, choice, is_arrow, is_pandas, whole_frequencies

# Text tables of up to so many bytes are read as a whole, whatever they look like.
WHOLE = 1 << 26
# Parquet files of up to so many bytes leave their process to the next one.
_SMALL = 1 << 24
_EMPTY = Column(np.empty(0), np.empty(0, dtype=np.int8))
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Draft:
    """The rows of one source as planes by order of appearance, and what their codes stand for."""

    head: Head
    counter: Sum

    def __sizeof__(self) -> int:
        """The memory that the rows take."""
        return self.counter.nbytes

    def settled(self, agreed: Agreement, place: int = 0) -> Sum:
        """The rows by the states agreed upon, for the head at a place; the draft is used up."""
        return recode(self.counter, agreed.places[place], agreed.cardinalities, release=True)


@dataclass(frozen=True, eq=False)
class _Read:
    """All that was read, before anything is decided about frequencies and missing cells."""

    title: str
    packing: Packing
    cells: Sequence[Column | Texts]  # by the codes of the lanes
    kinds: Sequence[str]
    options: ReadOptions


def draft(
    source: Any,
    options: ReadOptions | None = None,
    progress: Progress = UNWATCHED,
    *,
    missing: Missing = "error",
    weights: Name | None = None,
) -> Draft:
    """Read a source once, batch by batch.

    Parameters
    ----------
    source : str, path, pandas.DataFrame or Arrow table
        A Parquet file or text table on disk; or a part of a table that is in memory.
    options : ReadOptions, optional
    progress : Progress
    missing : {"error", "drop", "state"}
        With "drop" rows with missing cells are left out here; else `agree` decides.
    weights : str or int, optional
        A column that says how often its row was counted; it is no variable of the draft.

    Returns
    -------
    Draft

    Raises
    ------
    DataError
        If it can't be read; the sentence names the file, and the column or line.
    """
    check_progress(progress)
    choice(missing, "missing", get_args(Missing))
    chosen = options or ReadOptions()
    if is_arrow(source) or is_pandas(source, "DataFrame"):
        return _reduced(_read_frame(source, chosen, weights), missing, weights)
    path = Path(os.fsdecode(source))
    limits = chosen.limits or Limits.from_environment()
    size = check_file(path)
    guard = Guard(limits, clip(path.name), progress)
    if not size:
        raise NoRowsError(f"{guard.title} is empty; give a table with names and rows.")
    if is_parquet(path, chosen):
        return _reduced(_read_parquet(path, chosen, guard, weights), missing, weights)
    return _reduced(_read_text(path, size, chosen, guard, weights), missing, weights)


def read_counted(
    path: Path,
    options: ReadOptions | None = None,
    progress: Progress = UNWATCHED,
    *,
    missing: Missing = "error",
    weights: Name | None = None,
    held: int | None = None,
) -> Dataset:
    """One file as a dataset: of codes up to so many cells, else of planes that are counted.

    Parameters and errors are those of `draft`.
    """
    made = draft(path, options, progress, missing=missing, weights=weights)
    agreed = agree([made.head], missing)
    if dropped := made.head.read - agreed.rows:
        _log.info("%s of %s rows have missing cells and were left out.", dropped, made.head.read)
    counter = made.settled(agreed)
    parts = agreed.cardinalities, agreed.names, agreed.labels, agreed.ordered
    held = MOST_HELD if held is None else held
    if weights is None and agreed.rows * len(agreed.names) <= held:
        return adopt(counter.codes(progress), *parts)
    return CountedDataset(counter, *parts)


def _read_frame(frame: Any, options: ReadOptions, weights: Name | None) -> _Read:
    """A part of a table in memory."""
    table = Table.of(frame)
    table.check_rows()
    packing = _packing(table.names, weights)
    cells = []
    for lane, column in zip(packing.lanes, table.columns.values(), strict=True):
        lane.take(column.codes)
        lane.close()
        cells.append(replace(column, codes=_codes_in(lane)))
    return _Read("A part of the table", packing, cells, [""] * len(cells), options)


def _read_parquet(path: Path, options: ReadOptions, guard: Guard, weights: Name | None) -> _Read:
    """A Parquet file."""
    found = _Packed(guard, weights)
    keep = path.stat().st_size <= _SMALL
    child.run(send_columns, path, options, guard, guard=guard, receive=found.receive, keep=keep)
    tokens = frozenset([""] if options.missing_values is None else options.missing_values)
    cells: list[Column | Texts] = []
    kinds = []
    for place, lane in enumerate(found.packing.lanes):
        held = found.values.pop(place)
        kinds.append(_kind(held.values.type, held.declared))
        cells.append(column_of(lane.name, held, _codes_in(lane), tokens, CellNotes()))
    return _Read(guard.title, found.packing, cells, kinds, replace(options, format="parquet"))


class _Packed(Received):
    """The rows of a Parquet file, packed as they come."""

    packing: Packing

    def __init__(self, guard: Guard, weights: Name | None) -> None:
        super().__init__(guard)
        self._weights = weights

    def begin(self) -> None:
        """Refuse what planes would not hold."""
        self.check_memory("bits", 1)
        self.packing = _packing(self.names, self._weights)

    def take(self, place: int, start: int, part: SignedCodes | None) -> None:
        """Take some rows of a column, which come in their order."""
        lane = self.packing.lanes[place]
        if part is None:
            raise DataError(
                f"Column {clip(lane.name)} holds values that can't be told apart batch by batch; "
                "convert it to text or numbers, or leave it out with columns=."
            )
        lane.take(part)
        if start + len(part) == self.rows:
            lane.close()


def _read_text(
    path: Path, size: int, options: ReadOptions, guard: Guard, weights: Name | None
) -> _Read:
    """A text table: as a whole where it is small or odd, else in pieces."""
    head = first_bytes(path, 1 << 10)
    kind = options.format or (format_of(head) if head is not None else None)
    if kind not in ("csv", "tsv"):
        raise DataError(
            f"{guard.title} is not read in parts; save the table as Parquet or as CSV text."
        )
    options = replace(options, format=kind)
    notes: list[str] = []
    most = guard.limits.file_mb * MEGABYTE
    if size > min(WHOLE, most):
        try:
            columns, packing, used = read_pieces(path, options, guard, notes, weights)
        except Unread as why:
            if size > most:
                raise DataError(
                    f"{guard.title} is larger than {guard.limits.of('file_mb', ' MB')} and can't "
                    f"be read in pieces, for {why}; save the table as Parquet."
                ) from None
        else:
            return _read_as_text(guard.title, packing, [texts for _, texts in columns], used)
    return _read_whole_text(path, options, guard, weights)


def _read_whole_text(path: Path, options: ReadOptions, guard: Guard, weights: Name | None) -> _Read:
    """A text table that is held in memory while it is read."""
    from bjp_engine.io.archives import unpack
    from bjp_engine.io.delimited import name_grid, read_grid

    notes: list[str] = []
    content = read_source(path, limit=guard.limits.file_mb * MEGABYTE)
    content = unpack(content, guard, options.member, notes)
    if not content.data.strip():
        raise NoRowsError(f"{content.title} is empty; give a table with names and rows.")
    grid, used = read_grid(content, options, guard, notes)
    columns, _, used = name_grid(content.title, grid, used, notes)
    packing = _packing([name for name, _ in columns], weights)
    for lane, (_, texts) in zip(packing.lanes, columns, strict=True):
        lane.take(texts.codes)
    cells = [texts_of(texts.values, texts.title) for _, texts in columns]
    return _read_as_text(guard.title, packing, cells, used)


def _read_as_text(
    title: str, packing: Packing, cells: Sequence[Texts], options: ReadOptions
) -> _Read:
    """Columns of which isn't decided yet what they hold."""
    return _Read(title, packing, cells, [""] * len(cells), options)


def _packing(names: Sequence[Name], weights: Name | None) -> Packing:
    """Lanes for some columns; that of frequencies must be one of them."""
    if weights is not None:
        Table(0, dict.fromkeys(names, _EMPTY)).check_frequencies(weights)
    return Packing(names, weights)


def _codes_in(lane: Lane) -> SignedCodes:
    """For each code of a lane the value that it stands for, -1 where that is a missing cell."""
    codes = np.arange(lane.states)
    if lane.hole is not None and not isinstance(lane, Frequencies):
        codes = np.insert(codes, lane.hole, -1)
    return codes.astype(signed_dtype(lane.states))


def _kind(kind: Any, declared: bool) -> str:
    """The type of a column as files must agree on it; nothing where none has a value."""
    if declared:
        return f"categories of {_kind(kind, False)}"
    if pa.types.is_null(kind):
        return ""
    if pa.types.is_integer(kind) or pa.types.is_float64(kind):
        return "numbers"
    return "text" if pa.types.is_large_string(kind) or pa.types.is_string(kind) else str(kind)


def _reduced(found: _Read, missing: Missing, weights: Name | None) -> Draft:
    """A draft of what was read: rows repeated by their frequency, and without missing cells."""
    counter = Sum(found.packing.parts())
    variables, options = [], found.options
    for lane, cells, kind in zip(found.packing.lanes, found.cells, found.kinds, strict=True):
        if isinstance(lane, Frequencies):
            counter = repeat(list(counter.parts), _frequencies(lane, cells, options))
        else:
            variables.append((lane, cells, kind))
    names, sizes = zip(*((lane.name, lane.codes) for lane, _, _ in variables), strict=True)

    def codings() -> tuple[Coding, ...]:
        counts = tally(counter, sizes)
        parts = zip(variables, counts, strict=True)
        return tuple(Coding(cells, n, kind) for (_, cells, kind), n in parts)

    made, read = codings(), counter.rows
    gone = [one.gone(options) for one in made]
    holes = tuple(int(one.counts[lost].sum()) for one, lost in zip(made, gone, strict=True))
    if missing == "drop" and any(holes):
        counter = without(counter, gone)
        made = codings()
    return Draft(
        Head(found.title, names, made, counter.rows, read, holes, options, weights), counter
    )


def _frequencies(lane: Frequencies, cells: Column | Texts, options: ReadOptions) -> Iterator[Ints]:
    """How often each row was counted, block by block."""
    if isinstance(cells, Texts):
        cells = read_texts([lane.name], [cells.values], options)[0]
    cells.check_numbers(lane.name)
    places, above = np.append(cells.codes, -1), 0
    for codes in lane.blocks:
        found = places[codes]
        if (found < 0).any():
            raise DataError(
                f"Row {above + int(np.argmax(found < 0)) + 1} has no frequency in column "
                f"{clip(lane.name)}; give it one, or 0 to leave the row out."
            )
        yield whole_frequencies(cells.values[found], len(found), above)
        above += len(found)
