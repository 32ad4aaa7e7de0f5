"""Rows beyond one machine: many files, or a Dask DataFrame, read and held by a cluster's workers.

each file, by the ordinary reader, on a worker -> heads to the client, which agrees on the states
-> parts on the workers

Only heads travel: the distinct values of each column, and how often each occurs.
"""

from __future__ import annotations

import glob
import hashlib
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Ints, code_dtype
from bjp_engine.cluster import Client, Future, check_client, results_of, wait_for
from bjp_engine.columns import Column, Table, as_values
from bjp_engine.counters.planes import PlanesPart
from bjp_engine.counters.shards import Shards, share_out
from bjp_engine.dataset import CountedDataset, Missing
from bjp_engine.errors import BJPError, DataError, clip, listed
from bjp_engine.io.limits import NoRowsError
from bjp_engine.io.options import ReadArguments, ReadOptions
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.validate import (
    Name,
    check_total,
    choice,
    is_arrow,
    is_pandas,
    missing_sentence,
    nothing_left_sentence,
)

_log = logging.getLogger(__name__)
# A longer first line is no header.
_HEADER = 1 << 20


@dataclass(frozen=True, eq=False)
class Head:
    """What is known of the rows of one file without a look at them; small, and picklable."""

    title: str  # how sentences call the file
    names: tuple[Name, ...]
    values: tuple[Column, ...]  # of each column its distinct values, a row each
    counts: tuple[Ints, ...]  # how many rows hold each value
    holes: tuple[int, ...]  # missing cells of each column, of all rows that were read
    rows: int
    read: int  # rows before those with missing cells were left out
    textual: bool  # whether a column is numbers only by the texts of this file


@dataclass(frozen=True, eq=False)
class Draft:
    """The rows of one file by its own values, on the worker that read it."""

    head: Head
    table: Table

    def __sizeof__(self) -> int:
        """The memory that the rows take."""
        return sum(column.codes.nbytes for column in self.table.columns.values())


@dataclass(frozen=True, eq=False)
class Agreement:
    """The variables that several files have in common, as one table of all rows would have them."""

    names: tuple[Name, ...]
    labels: tuple[tuple[str, ...], ...]
    ordered: tuple[bool, ...]
    # For each file and column the code of each of its values, and last that of a missing cell.
    places: tuple[tuple[NDArray[np.intp], ...], ...]

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """How many states each variable has."""
        return tuple(map(len, self.labels))


def read_sharded(
    source: Any,
    *,
    client: Client,
    weights: Name | None = None,
    missing: Missing = "error",
    progress: Progress = UNWATCHED,
    **options: Unpack[ReadArguments],
) -> CountedDataset:
    """Read rows that lie in many files, or in a Dask DataFrame, on the workers of a cluster.

    Parameters
    ----------
    source : str, path, list of them, or dask.dataframe.DataFrame
        Files with the same columns, each small enough for `read_table`: a pattern such as
        ``"folder/*.parquet"``, whose files are taken by name, or a list in the order of the rows.
        Every worker must find them under these paths.
    client : distributed.Client
        Of a Dask cluster whose workers have this package.
    weights : str or int, optional
        A column that says how often each row was counted; it is no variable. The rows of each file
        are written out so often.
    missing : {"error", "drop", "state"}
        What to do with missing cells, see `Dataset.from_frame`.
    progress : Progress
        Reports how many files are read, and can cancel it.
    **options
        The fields of `ReadOptions`.

    Returns
    -------
    CountedDataset
        Its rows stay on the workers, and tests, scores and most searches ask these for counts.
        What reads rows ("auto", "exhaustive", "exact", `codes`) brings them here, if there are up
        to 2³⁰ cells. Names, states, graphs and scores are those of one table of all rows, to the
        last bit. A search reports how many of the present tables are counted.

    Examples
    --------
    >>> from bjp_engine import learn, read_sharded
    >>> from distributed import Client  # doctest: +SKIP
    >>> with Client("tcp://host:8786") as client:  # doctest: +SKIP
    ...     data = read_sharded("folder/*.parquet", client=client)
    ...     trace = learn(data, search="ibmap-hc")

    Without a client nothing is read:

    >>> try:
    ...     read_sharded("folder/*.parquet", client=None)
    ... except ValueError as error:
    ...     print(str(error)[:17])
    client is missing

    Notes
    -----
    A worker holds the bit planes of its rows, one bit for each row and state but the first, and
    the codes of variables of more than eight states. While it reads, each of its threads also holds
    the codes of one file twice, a byte or two a cell. Python, its packages and the kernels take
    about 300 MB of each worker besides (docs/performance.md). This process holds the states and the
    counts that it asks for, and the codes of the rows once they were brought.

    Each file is read by itself. In text tables a column may be numbers in one file and text in
    another; its states are then those of the texts.

    A worker that is killed or lost is made up for: another one reads its files again, and what was
    asked for goes on. A file that has changed since then is an error. If workers are killed again
    and again, or are gone for a minute, `ChildProcessError` says so.
    """
    check_progress(progress)
    check_client(client)
    choice(missing, "missing", get_args(Missing))
    chosen = ReadOptions.of(options)
    sources, titles = _sources(client, source)
    make = partial(draft, options=chosen, missing=missing, weights=weights)
    drafts = client.map(make, sources, titles, pure=False)
    parts: list[Future] = []
    try:
        heads = results_of(client, client.map(_head, drafts, pure=False), progress)
        if empty := [title for title, head in zip(titles, heads, strict=True) if head is None]:
            _log.info("%s of %s parts have no rows: %s.", len(empty), len(heads), ", ".join(empty))
        drafts = [one for one, head in zip(drafts, heads, strict=True) if head is not None]
        heads = [head for head in heads if head is not None]
        if not heads:
            raise DataError(f"{titles[0]} has no rows, nor has any other part; add the data.")
        agreed = agree(heads, missing)
        settle = partial(settled, cardinalities=agreed.cardinalities)
        marks = [_mark(head) for head in heads]
        parts = client.map(settle, drafts, marks, agreed.places, pure=False)
        wait_for(client, parts, progress.quiet)
    except BaseException:
        client.cancel([*drafts, *parts])
        raise
    # From here on a part that is lost is made from its file.
    del drafts
    rows = [head.rows for head in heads]
    groups, sizes = share_out(client, parts, rows), agreed.cardinalities
    shards = Shards(client, groups, rows, sizes)
    return CountedDataset(shards, sizes, agreed.names, agreed.labels, agreed.ordered)


def _sources(client: Client, source: Any) -> tuple[list[Any], list[str]]:
    """What each shard is read from, and how sentences call it."""
    if is_pandas(source, "DataFrame") or is_arrow(source):
        raise DataError(
            f"source is a {type(source).__name__}, whose rows are here; use Dataset.from_frame."
        )
    if hasattr(source, "to_delayed") and hasattr(source, "npartitions"):
        if not hasattr(source, "columns"):
            raise DataError(f"source is a {type(source).__name__} of Dask; give a Dask DataFrame.")
        frames = client.compute(source.to_delayed())
        return frames, [f"Partition {k + 1}" for k in range(len(frames))]
    paths = [path.absolute() for path in _paths(source)]
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        within = os.path.commonpath([path.parent for path in paths])
        names = [path.relative_to(within).as_posix() for path in paths]
    return list(map(str, paths)), [clip(name) for name in names]


def _paths(source: Any) -> list[Path]:
    """The files that are meant."""
    if isinstance(source, (str, os.PathLike)):
        pattern = os.fsdecode(source)
        found = sorted(glob.glob(pattern, recursive=True)) or [pattern]  # noqa: PTH207 - any path
        if found == [pattern] and glob.has_magic(pattern):
            raise DataError(
                f"No file matches {clip(pattern)}; give the pattern of files that are there, such "
                "as 'folder/*.parquet'."
            )
        if found == [pattern] and Path(pattern).is_dir():
            raise DataError(
                f"{clip(pattern)} is a folder; name the files in it, such as 'folder/*.parquet'."
            )
        return list(map(Path, found))
    listed = list(source) if isinstance(source, Iterable) else None
    if listed is None or not all(isinstance(path, (str, os.PathLike)) for path in listed):
        raise DataError(
            f"source is of type {type(source).__name__}; give a pattern such as "
            "'folder/*.parquet', a list of paths, or a Dask DataFrame."
        )
    if not listed:
        raise DataError("source is empty; give the path of one file at least.")
    return [Path(os.fsdecode(path)) for path in listed]


# --- On the workers -------------------------------------------------------------------------------


def draft(
    source: Any, title: str, *, options: ReadOptions, missing: Missing, weights: Name | None
) -> Draft | None:
    """The rows of a file or of a part of a frame, by their own values; None where it has none."""
    try:
        table, textual = _table(source, options)
        if weights is not None:
            table.check_frequencies(weights)
            column = table.column(weights)
            column.check_numbers(weights)
            if not column.holes and not column.values[column.counts > 0].any():
                return None
            table = table.repeated(weights)
    except NoRowsError:
        # An empty file or a lone header of text is a part without rows; a failed write is not.
        if not hasattr(source, "columns") and not _is_empty(Path(source)):
            raise DataError(
                f"{title} holds no rows that can be read; correct it, or leave it out."
            ) from None
        return None
    except BJPError as error:
        if title in str(error):
            raise
        raise type(error)(f"{title}: {error}") from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise DataError(f"{title} can't be read ({why}); check it on every worker.") from None
    read, holes = table.rows, tuple(column.holes for column in table.columns.values())
    if missing == "drop" and any(holes):
        table = table.take(table.complete_rows())
    columns = tuple(table.columns.values())
    values = tuple(replace(one, codes=np.arange(len(one.values))) for one in columns)
    counts = tuple(one.counts for one in columns)
    head = Head(title, table.names, values, counts, holes, table.rows, read, textual)
    return Draft(head, table)


def _table(source: Any, options: ReadOptions) -> tuple[Table, bool]:
    """The columns of a source, and whether they are read from text."""
    from bjp_engine.io.tables import read_columns

    if is_arrow(source) or is_pandas(source, "DataFrame"):
        if not len(source):
            raise NoRowsError("no rows")
        return Table.of(source), False
    given = {name: getattr(options, name) for name in ReadArguments.__annotations__}
    table, report = read_columns(source, **given)
    return table, report.format in ("csv", "tsv")


def _is_empty(path: Path) -> bool:
    """Whether a file is Parquet, which is never of no bytes, or text of one line at most."""
    with path.open("rb") as file:
        start = file.read(_HEADER)
    text = path.suffix.lower() not in (".parquet", ".pq") and b"\0" not in start
    return start[:4] == b"PAR1" or (text and len(start) < _HEADER and len(start.splitlines()) < 2)


def _head(made: Draft | None) -> Head | None:
    """What travels of a draft."""
    return None if made is None else made.head


def settled(
    made: Draft, mark: str, places: Sequence[NDArray[np.intp]], *, cardinalities: tuple[int, ...]
) -> PlanesPart:
    """The rows by the states agreed upon."""
    if _mark(made.head) != mark:
        raise DataError(f"{made.head.title} has changed since it was first read.")
    codes = np.empty((made.head.rows, len(cardinalities)), code_dtype(cardinalities), "F")
    for i, (column, table) in enumerate(zip(made.table.columns.values(), places, strict=True)):
        codes[:, i] = table.astype(codes.dtype)[column.codes]
    return PlanesPart.of(codes, cardinalities)


def _mark(head: Head) -> str:
    """A hash of what the codes of a head's rows stand for, and how often each occurs."""
    content = hashlib.sha256(repr((head.rows, head.read, head.names)).encode())
    for column, counts in zip(head.values, head.counts, strict=True):
        content.update(repr((column.values.tolist(), counts.tolist())).encode())
    return content.hexdigest()


# --- Which states the values of all files are ----------------------------------------------------


def agree(heads: Sequence[Head], missing: Missing = "error") -> Agreement:
    """Find the states of all files together, as `Dataset.from_table` finds those of one table."""
    first = heads[0]
    for other in heads[1:]:
        _check_alike(first, other)
    _check_rows(heads, missing)
    labels: list[tuple[str, ...]] = []
    ordered: list[bool] = []
    places: list[list[NDArray[np.intp]]] = [[] for _ in heads]
    for i, name in enumerate(first.names):
        column = _united(_alike([head.values[i] for head in heads], heads, name))
        lost = missing != "drop" and any(head.holes[i] for head in heads)
        counts = np.concatenate([head.counts[i] for head in heads])
        rows = np.append(column.codes[counts > 0], [-1] * lost)
        seen = replace(column, codes=rows)
        states, table = seen.states(name)
        labels.append(states)
        ordered.append(seen.ordinal and not lost)
        ends = np.cumsum([len(head.counts[i]) for head in heads])[:-1]
        for own, part in zip(places, np.split(table[column.codes], ends), strict=True):
            own.append(np.append(part, table[-1]))
    return Agreement(first.names, tuple(labels), tuple(ordered), tuple(map(tuple, places)))


def _check_rows(heads: Sequence[Head], missing: Missing) -> None:
    """Refuse missing cells, tables without a row, and more rows than are counted."""
    read, names = sum(head.read for head in heads), heads[0].names
    check_total(read)
    holes = np.sum([head.holes for head in heads], axis=0)
    if missing == "error" and holes.any():
        most = max(heads, key=lambda head: head.holes[np.argmax(holes)])
        most_in = most.title if len(heads) > 1 else None
        raise DataError(missing_sentence(holes, names, most_in=most_in))
    if missing == "drop" and not any(head.rows for head in heads):
        raise DataError(nothing_left_sentence(holes, read, names))


def _check_alike(first: Head, other: Head) -> None:
    """Refuse a file with other columns than the first."""
    if other.names == first.names:
        return
    lacks = [name for name in first.names if name not in other.names]
    more = [name for name in other.names if name not in first.names]
    if not lacks and not more:
        raise DataError(
            f"{other.title} has the columns of {first.title} in another order; name those to "
            "read, in one order, with columns=."
        )
    parts = [f"without {listed(lacks)}"] * bool(lacks) + [f"with {listed(more)}"] * bool(more)
    raise DataError(
        f"{other.title} has other columns than {first.title} ({' and '.join(parts)}); give all "
        "files the same columns, or name those to read with columns=."
    )


def _alike(columns: Sequence[Column], heads: Sequence[Head], name: Name) -> Sequence[Column]:
    """Columns of one kind; in text tables numbers become text beside text."""
    kinds = [_kind(column) for column in columns]
    known = dict.fromkeys(filter(None, kinds))
    if len(known) < 2:
        return columns
    whole = all(head.textual for head in heads) and {*known} == {"numbers", "text"}
    if whole and not any(column.fractional for column in columns):
        return [replace(column, values=as_values(column.labels)) for column in columns]
    one, other = list(known)[:2]
    raise DataError(
        f"Column {clip(name)} holds {one} in {heads[kinds.index(one)].title} and {other} in "
        f"{heads[kinds.index(other)].title}; write both files with the same type."
    )


def _kind(column: Column) -> str:
    """What a column holds, as files must agree on it; nothing where it has no value."""
    if not len(column.values):
        return ""
    kind = "truth values" if column.values.dtype.kind == "b" else "text"
    if column.numeric:
        kind = "numbers"
    elif column.values.dtype.kind == "O" and not column.textual:
        kind = type(column.values[0]).__name__
    return f"categories of {kind}" if column.declared else kind


def _united(columns: Sequence[Column]) -> Column:
    """Columns below one another, by the values of all of them."""
    filled = [one for one in columns if len(one.values)] or list(columns[:1])
    dtypes = {one.values.dtype for one in filled}
    dtype: Any = np.result_type(*dtypes)
    if len(dtypes) > 1 and (dtype.kind not in "iu" or any(one.kind == "b" for one in dtypes)):
        dtype = np.dtype(object)  # what numpy would round
    listed_values = [one.values.tolist() for one in columns]
    known: dict[Any, int] = {}
    tables = [[known.setdefault(value, len(known)) for value in values] for values in listed_values]
    values = as_values(known) if dtype.kind == "O" else np.array(list(known), dtype=dtype)
    codes = np.concatenate([np.array(table, dtype=np.intp) for table in tables])
    ordinal = all(one.ordinal for one in filled)
    ordinal = ordinal and all(a < b for table in tables for a, b in pairwise(table))
    declared = any(one.declared for one in filled)
    ordered = declared or all(one.ordered for one in filled)
    return Column(values, codes, ordered, declared, ordinal=ordinal)
