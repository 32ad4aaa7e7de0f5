"""Rows beyond one machine: many files, or a Dask DataFrame, read and held by a cluster's workers.

drafts on the workers -> heads to the client, which agrees on the states -> parts on the workers

A draft holds its rows as planes by order of appearance, so each file is read once. What reads files
is imported where one is read: pyarrow takes its time.
"""

from __future__ import annotations

import glob
import hashlib
import logging
import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, get_args

from bjp_engine.cluster import Client, Future, check_client, results_of, wait_for
from bjp_engine.counters.shards import Shards, share_out
from bjp_engine.counters.sums import Sum
from bjp_engine.dataset import CountedDataset, Missing
from bjp_engine.errors import BJPError, DataError, clip
from bjp_engine.io.limits import NoRowsError
from bjp_engine.io.options import ReadArguments, ReadOptions
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.validate import Name, choice, is_arrow, is_pandas

_log = logging.getLogger(__name__)
# A longer first line is no header.
_HEADER = 1 << 20

if TYPE_CHECKING:
    from bjp_engine.io.agreement import Head
    from bjp_engine.io.packing import Places
    from bjp_engine.io.streams import Draft


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
        Parquet files or text tables with the same columns: a pattern such as
        ``"folder/*.parquet"``, whose files are taken by name, or a list in the order of the rows.
        Every worker must find them under these paths.
    client : distributed.Client
        Of a Dask cluster whose workers have this package.
    weights : str or int, optional
        A column that says how often each row was counted; it is no variable.
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

    Raises
    ------
    DataError
        If there is no such file, or one can't be read or has other columns or types than the
        first; the sentence names the file. If cells are missing and `missing` is "error".
    OptionError
        If an option isn't known, or `client` is no client or closed.
    ChildProcessError
        If the cluster's workers are killed again and again, or are gone for a minute. So it is
        with all that later asks for counts.
    Cancelled
        If it was cancelled.

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
    the codes of variables of more than eight states. While it reads it also holds, for each of its
    threads, one file twice and a process of its own that decodes the file. Python, its packages and
    the kernels take about 300 MB of each worker besides (docs/performance.md). This process holds
    the states and the counts that it asks for, and the codes of the rows once they were brought.

    A worker that is killed or lost is made up for: another one reads its files again, and what was
    asked for goes on. A file that has changed since then is an error.
    """
    from bjp_engine.io.agreement import agree

    check_progress(progress)
    check_client(client)
    choice(missing, "missing", get_args(Missing))
    chosen = ReadOptions.of(options)
    sources, titles = _sources(client, source)
    make = partial(_draft, options=chosen, missing=missing, weights=weights)
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
        settle = partial(_settled, cardinalities=agreed.cardinalities)
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
    shards = Shards(client, groups, rows, sizes, weighted=weights is not None)
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


def _draft(
    source: Any, title: str, *, options: ReadOptions, missing: Missing, weights: Name | None
) -> Draft | None:
    """The rows of a file or of a part of a frame, by their values in order of appearance."""
    from bjp_engine.io.streams import draft

    if is_pandas(source, "DataFrame") and not len(source):
        return None
    try:
        made = draft(source, options, missing=missing, weights=weights)
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
    return replace(made, head=replace(made.head, title=title))


def _is_empty(path: Path) -> bool:
    """Whether a file is Parquet, which is never of no bytes, or text of one line at most."""
    with path.open("rb") as file:
        start = file.read(_HEADER)
    text = path.suffix.lower() not in (".parquet", ".pq") and b"\0" not in start
    return start[:4] == b"PAR1" or (text and len(start) < _HEADER and len(start.splitlines()) < 2)


def _head(made: Draft | None) -> Head | None:
    """What travels of a draft."""
    return None if made is None else made.head


def _settled(made: Draft, mark: str, places: Places, *, cardinalities: tuple[int, ...]) -> Sum:
    """The rows by the states agreed upon."""
    from bjp_engine.io.packing import recode

    if _mark(made.head) != mark:
        raise DataError(f"{made.head.title} has changed since it was first read.")
    # Without `release`: Dask may ask for the same draft again.
    return recode(made.counter, places, cardinalities)


def _mark(head: Head) -> str:
    """A hash of what the codes of a head's rows stand for, and how often each occurs."""
    content = hashlib.sha256(repr((head.rows, head.read, head.names)).encode())
    for coding in head.codings:
        values, codes = list(coding.cells.values), coding.cells.codes.tolist()
        content.update(repr((values, codes, coding.counts.tolist())).encode())
    return content.hexdigest()
