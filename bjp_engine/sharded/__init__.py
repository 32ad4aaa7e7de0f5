"""Rows beyond one machine: a cluster's workers read many files, hold them and answer tables.

each file, by the ordinary reader, on a worker -> heads to the client, which agrees on the states
-> parts on the workers

Only heads travel: the distinct values of each column.
"""

from __future__ import annotations

import glob
import hashlib
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack, get_args

import numpy as np

from bjp_engine.arrays import Places, code_dtype
from bjp_engine.cluster import Client, Future, check_client, results_of, wait_for
from bjp_engine.columns import Column, Table, as_values
from bjp_engine.dataset import Missing
from bjp_engine.errors import BJPError, DataError, NoRowsError, clip, listed
from bjp_engine.io.options import ReadArguments, ReadOptions
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.sharded.rows import Part, ShardedDataset, Shards
from bjp_engine.validate import (
    Name,
    choice,
    missing_sentence,
    nothing_left_sentence,
)

__all__ = ["read_sharded"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Draft:
    """The rows of one file by its own values, on the worker that read it; or its head.

    A head is small and travels: of each column it has each value that occurs once, and a missing
    cell if there is one.
    """

    title: str  # how sentences call the file
    table: Table
    read: int  # rows before those with missing cells were left out
    holes: tuple[int, ...]  # missing cells of each column, of all rows that were read
    textual: bool  # whether a column is numbers only by the texts of this file
    mark: str  # a hash of values and rows

    def __sizeof__(self) -> int:
        """The memory that the rows take."""
        return sum(column.codes.nbytes for column in self.table.columns.values())


def read_sharded(
    source: Any,
    *,
    client: Client,
    weights: Name | None = None,
    missing: Missing = "error",
    progress: Progress = UNWATCHED,
    **options: Unpack[ReadArguments],
) -> ShardedDataset:
    """Read rows that lie in many files on the workers of a cluster, and leave them there.

    Parameters
    ----------
    source : str, path, or list of them
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
    **options
        The fields of `ReadOptions`.

    Returns
    -------
    ShardedDataset
        `score`, `independence_test` and the published searches ("ibmap-hc", "mpl-hc") ask the
        workers for tables; graph, scores and steps are those of one table, to the last bit. What
        reads rows, as "auto" does, has up to 2³⁰ cells brought here.

    Examples
    --------
    >>> from bjp_engine import learn, read_sharded
    >>> from distributed import Client  # doctest: +SKIP
    >>> with Client("tcp://host:8786") as client:  # doctest: +SKIP
    ...     data = read_sharded("folder/*.parquet", client=client)
    ...     trace = learn(data, search="ibmap-hc")

    Notes
    -----
    A worker holds a bit for each row and state but the first, and codes of variables of more than
    eight states; while it reads, the codes of its files as well. A file is read by itself: a column
    may be numbers in one text file and text in another, and is then text. A lost worker's files are
    read again by another; one that has changed since is an error.
    """
    check_progress(progress)
    check_client(client)
    choice(missing, "missing", get_args(Missing))
    ReadOptions.of(options)
    paths, titles = _files(source)
    make = partial(draft, missing=missing, weights=weights, **options)
    drafts = client.map(make, paths, titles, pure=False)
    parts: list[Future] = []
    try:
        heads = results_of(client, client.map(_head, drafts, pure=False), progress)
        if empty := [title for title, head in zip(titles, heads, strict=True) if head is None]:
            _log.warning("%s of %s files have no rows: %s.", len(empty), len(heads), listed(empty))
        drafts = [one for one, head in zip(drafts, heads, strict=True) if head is not None]
        heads = [head for head in heads if head is not None]
        if not heads:
            raise DataError(f"{titles[0]} has no rows, nor has any other file; add the data.")
        labels, ordered, places = agree(heads, missing)
        marks = [head.mark for head in heads]
        settle = partial(settled, cardinalities=tuple(map(len, labels)))
        parts = client.map(settle, drafts, marks, places, pure=False)
        wait_for(client, parts, progress.quiet)
    except BaseException:
        client.cancel([*drafts, *parts])
        raise
    # From here on a part that is lost is made from its file.
    del drafts
    shards = Shards.of(client, parts, [head.table.rows for head in heads], marks)
    return ShardedDataset(shards, heads[0].table.names, labels, ordered)


def _files(source: Any) -> tuple[list[str], list[str]]:
    """The paths that are meant, and how sentences call them."""
    if isinstance(source, (str, os.PathLike)):
        pattern = os.fsdecode(source)
        given = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - any path
        if not given:
            raise DataError(
                f"No file matches {clip(pattern)}; give the pattern of files that are there, such "
                "as 'folder/*.parquet'."
            )
    else:
        given = list(source) if isinstance(source, (list, tuple)) else []
        if not given or not all(isinstance(path, (str, os.PathLike)) for path in given):
            raise DataError(
                f"source={clip(source)} names no files; give a pattern such as "
                "'folder/*.parquet', or a list of paths."
            )
    paths = [Path(os.fsdecode(path)).absolute() for path in given]
    within = os.path.commonpath([path.parent for path in paths])
    return list(map(str, paths)), [clip(path.relative_to(within).as_posix()) for path in paths]


# --- On the workers -------------------------------------------------------------------------------


def draft(
    path: str, title: str, *, missing: Missing, weights: Name | None, **options: Any
) -> Draft | None:
    """The rows of a file by their own values; None where it has none."""
    from bjp_engine.io.tables import read_columns

    try:
        table, report = read_columns(path, **options)
        counted = table
        if weights is not None:
            counted = table.repeated(weights, once=missing == "error")
            table = table.repeated(weights)
    except NoRowsError:
        return None
    except BJPError as error:
        if title in str(error):
            raise
        raise type(error)(f"{title}: {error}") from None
    read, holes = table.rows, tuple(column.holes for column in counted.columns.values())
    if missing == "drop" and any(holes):
        table = table.take(table.complete_rows())
    content = hashlib.sha256(repr((table.names, read)).encode())
    for column in table.columns.values():
        content.update(repr(column.values.tolist()).encode())
        content.update(np.ascontiguousarray(column.codes).data)
    textual = report.format in ("csv", "tsv")
    return Draft(title, table, read, holes, textual, content.hexdigest())


def _head(made: Draft | None) -> Draft | None:
    """What travels of a draft."""
    if made is None:
        return None
    columns = {
        name: replace(one, codes=np.append(np.flatnonzero(one.counts), [-1] * (one.holes > 0)))
        for name, one in made.table.columns.items()
    }
    return replace(made, table=made.table.having(columns))


def settled(
    made: Draft, mark: str, places: Sequence[Places], *, cardinalities: tuple[int, ...]
) -> Part:
    """The rows by the states agreed upon."""
    if made.mark != mark:
        raise DataError(f"{made.title} has changed since it was first read; read all files anew.")
    codes = np.empty((made.table.rows, len(cardinalities)), code_dtype(cardinalities), "F")
    for i, (column, table) in enumerate(zip(made.table.columns.values(), places, strict=True)):
        codes[:, i] = table.astype(codes.dtype)[column.codes]
    return Part.of(codes, cardinalities)


# --- Which states the values of all files are ----------------------------------------------------


def agree(
    heads: Sequence[Draft], missing: Missing = "error"
) -> tuple[tuple[tuple[str, ...], ...], tuple[bool, ...], list[list[Places]]]:
    """Find the states of all files together, as `Dataset.from_frame` finds those of one table.

    Returns the labels of each variable, and whether they have an order; and for each file and
    column the code of each of its values, and last that of a missing cell.
    """
    for head in heads[1:]:
        _check_alike(heads[0], head)
    _check_rows(heads, missing)
    labels, ordered, places = [], [], [list[Places]() for _ in heads]
    for name in heads[0].table.names:
        columns = _alike([head.table.columns[name] for head in heads], heads, name)
        whole, tables = _united(columns)
        states, codes = whole.states(name)
        labels.append(states)
        ordered.append(whole.ordinal and not whole.holes)
        for own, table in zip(places, tables, strict=True):
            own.append(codes[table])
    return tuple(labels), tuple(ordered), places


def _check_rows(heads: Sequence[Draft], missing: Missing) -> None:
    """Refuse missing cells and tables without a row."""
    read, names = sum(head.read for head in heads), heads[0].table.names
    holes = np.sum([head.holes for head in heads], axis=0)
    if missing == "error" and holes.any():
        most = max(heads, key=lambda head: head.holes[np.argmax(holes)])
        most_in = most.title if len(heads) > 1 else None
        raise DataError(missing_sentence(holes, names, most_in=most_in))
    if missing == "drop" and not any(head.table.rows for head in heads):
        raise DataError(nothing_left_sentence(holes, read, names))


def _check_alike(first: Draft, other: Draft) -> None:
    """Refuse a file with other columns than the first."""
    mine, theirs = first.table.names, other.table.names
    lacks, more = ([n for n in a if n not in b] for a, b in ((mine, theirs), (theirs, mine)))
    parts = [f"{how} {listed(some)}" for how, some in (("without", lacks), ("with", more)) if some]
    if mine != theirs:
        raise DataError(
            f"{other.title} has other columns than {first.title} "
            f"({' and '.join(parts) or 'the same in another order'}); give all files the same "
            "columns, or name those to read, in one order, with columns=."
        )


def _alike(columns: Sequence[Column], heads: Sequence[Draft], name: Name) -> Sequence[Column]:
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
    objects = "text" if column.textual else type(column.values[0]).__name__
    kind = {"b": "truth values", "O": objects}.get(column.values.dtype.kind, "numbers")
    return f"categories of {kind}" if column.declared else kind


def _united(columns: Sequence[Column]) -> tuple[Column, list[Places]]:
    """A column of the values that occur in several; and which of them each column's are.

    The last of these is that of a missing cell.
    """
    filled = [one for one in columns if len(one.values)]
    known: dict[Any, int] = {}
    tables = [
        np.array([*(known.setdefault(v, len(known)) for v in one.values), -1], dtype=np.intp)
        for one in columns
    ]
    seen = np.concatenate([table[one.codes] for one, table in zip(columns, tables, strict=True)])
    ordinal = bool(filled) and all(one.ordinal for one in filled)
    ordinal = ordinal and all((np.diff(table[:-1]) > 0).all() for table in tables)
    declared = any(one.declared for one in filled)
    return Column(as_values(known), seen, declared, declared, ordinal=ordinal), tables
