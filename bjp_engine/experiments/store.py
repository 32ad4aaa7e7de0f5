"""Results: rows on disk in a SQLite file that survives whatever happens to a run, and as columns.

Rows are keyed by their cell and added in transactions, so a run that was killed leaves whole
rows only, and two runs on one file can do each other no harm: the second to finish a cell
finds its row there. With write-ahead logging the file can be read while a run adds to it; the
log next to the file belongs to it until the next run or report takes it in.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bjp_engine.errors import BJPError, DataError, OptionError, clip
from bjp_engine.experiments.description import Cell, Experiment
from bjp_engine.validate import choice, file_path, instance

if TYPE_CHECKING:
    import pandas as pd


class Row(NamedTuple):
    """One result; the first six fields are its cell."""

    network: str
    rows: int
    distribution: int
    sample: int
    score: str
    search: str
    hamming: int  # pairs in which the learned graph differs from the network: fp + fn
    fp: int  # edges too many
    fn: int  # edges missing
    value: float  # the learned graph's score, natural log
    seconds: float  # of the search; packing the rows, which all scores share, is not in it
    tests: int  # tests (or local scores) computed
    steps: int  # flips made
    seed: int  # of the sample
    version: str  # of the engine

    @property
    def cell(self) -> Cell:
        """What the row is about."""
        return Cell._make(self[: len(Cell._fields)])


KINDS: Mapping[str, type] = MappingProxyType({"experiment": str} | get_type_hints(Row))

# --- Results as columns ---------------------------------------------------------------------------

COMPACT = ".parquet"
# Under this name the compact form holds the descriptions.
DESCRIPTIONS = b"bjp experiments"


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Results:
    """Rows of one or several experiments, by column.

    Parameters
    ----------
    experiments : mapping of str to Experiment
        Their descriptions, by name.
    columns : mapping of str to ndarray, each of shape (rows,)
        Read-only: `experiment`; `network`, `rows` (N), `distribution`, `sample`, `score` and
        `search` of the cell; `hamming`, `fp` (edges too many), `fn` (edges missing), `value` (the
        learned graph's score, natural log), `seconds` of the search, `tests` computed, `steps`
        (flips), `seed` of the sample and `version` of the engine.

    Examples
    --------
    >>> from bjp_engine.experiments import read_results
    >>> results = read_results("sample_data/paper/results.parquet")
    >>> results
    Results(36,000 of 36,000 rows: table-1, table-2, table-3, table-4)
    >>> float(results.where(network="karate", rows=8000, score="bjp")["hamming"].mean())
    2.02
    """

    experiments: Mapping[str, Experiment]
    columns: Mapping[str, NDArray[Any]]

    def __post_init__(self) -> None:
        columns = {name: np.array(values) for name, values in self.columns.items()}
        for values in columns.values():
            values.setflags(write=False)
        object.__setattr__(self, "columns", MappingProxyType(columns))
        object.__setattr__(self, "experiments", MappingProxyType(dict(self.experiments)))

    def __len__(self) -> int:
        return len(self.columns["experiment"])

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[choice(column, "column", tuple(self.columns))]

    def __repr__(self) -> str:
        return f"Results({len(self):,} of {self.expected:,} rows: {', '.join(self.experiments)})"

    @property
    def expected(self) -> int:
        """How many rows the finished experiments have."""
        return sum(experiment.size for experiment in self.experiments.values())

    def where(self, **values: object) -> Results:
        """The rows that have these values; of one experiment, with its description only."""
        chosen = np.ones(len(self), dtype=np.bool_)
        for name, value in values.items():
            if not isinstance(value, (str, int, float, np.generic)):
                raise OptionError(f"{name}={clip(value)} must be one text or number.")
            chosen &= self[name] == value
        one = values.get("experiment")
        experiments = {k: e for k, e in self.experiments.items() if one is None or k == one}
        return Results(experiments, {k: column[chosen] for k, column in self.columns.items()})

    def to_frame(self) -> pd.DataFrame:
        """The columns as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(dict(self.columns))


def check_results(results: object) -> Results:
    """Results, or a sentence with where to get them."""
    return instance(results, "results", Results, "what `run` or `read_results` returns")


def read_results(path: str | Path) -> Results:
    """Read a results file, also while a run adds to it.

    Parameters
    ----------
    path : str or Path
        What `run` or `write_compact` wrote.

    Returns
    -------
    Results

    Examples
    --------
    >>> from bjp_engine.experiments import read_results
    >>> len(read_results("sample_data/paper/results.parquet"))
    36000
    """
    path = file_path(path)
    if not path.is_file():
        raise DataError(f"There is no results file {clip(path.name)}; `bjp experiment` makes one.")
    return _read_compact(path) if path.suffix.lower() == COMPACT else _read_store(path)


def write_compact(results: Results, path: str | Path) -> None:
    """Write results as a Parquet file, about a tenth as large as a run's file.

    Parameters
    ----------
    results : Results
    path : str or Path
        It must end in .parquet. `read_results` reads it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_results(results)
    path = file_path(path)
    if path.suffix.lower() != COMPACT:
        raise DataError(f"{clip(path.name)} must end in {COMPACT}.")
    plain = {name: found.as_plain() for name, found in results.experiments.items()}
    columns = {name: results[name] for name in KINDS}
    # Seven digits of a run time are more than it repeats.
    columns["seconds"] = columns["seconds"].astype(np.float32)
    table = pa.table(columns)
    table = table.replace_schema_metadata({DESCRIPTIONS: json.dumps(plain, sort_keys=True)})
    # Floats hardly repeat: their bytes are sorted by place, all else goes by dictionaries.
    floats = [name for name, kind in KINDS.items() if kind is float]
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in KINDS if name not in floats],
        use_byte_stream_split=floats,
    )


def _read_compact(path: Path) -> Results:
    from bjp_engine.io.parquet import read_arrays

    refusal = f"{clip(path.name)} holds no results of an experiment, or is damaged; name another."
    arrays, metadata = read_arrays(path, list(KINDS), refusal)
    try:
        plain = json.loads(metadata[DESCRIPTIONS])
        experiments = {name: _restore(one, path) for name, one in plain.items()}
        columns = {name: arrays[name].astype(kind, copy=False) for name, kind in KINDS.items()}
    except BJPError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError(refusal) from None
    return Results(experiments, columns)


def _read_store(path: Path) -> Results:
    order = f"SELECT * FROM results ORDER BY experiment, {KEY}"  # noqa: S608
    with _plain_faults(path), closing(_open(_for_reading(path.absolute()))) as connection:
        _check_format(connection, path)
        rows = connection.execute(order).fetchall()
        by_column: Iterable[Any] = zip(*rows, strict=True) if rows else [()] * len(KINDS)
        columns: dict[str, NDArray[Any]] = {
            name: np.array(values, dtype=kind)
            for (name, kind), values in zip(KINDS.items(), by_column, strict=True)
        }
        return Results(_descriptions(connection, path), columns)


# --- Rows on disk ---------------------------------------------------------------------------------

# Stands in the file's header: "bjp", and the version of the tables.
FORMAT = 0x626A7001
# Seconds to wait for another run's transaction.
PATIENCE = 60
KEY = ", ".join(Cell._fields)
SQL = {str: "TEXT", int: "INTEGER", float: "REAL"}
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS experiments (
    experiment TEXT PRIMARY KEY,
    description TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    experiment TEXT NOT NULL REFERENCES experiments,
    {", ".join(f"{name} {SQL[KINDS[name]]} NOT NULL" for name in Row._fields)},
    PRIMARY KEY (experiment, {KEY})
) WITHOUT ROWID;
"""
PLACES = ", ".join("?" * len(KINDS))
INSERT = f"INSERT INTO results VALUES ({PLACES}) ON CONFLICT (experiment, {KEY}) DO NOTHING"  # noqa: S608
# What to do about SQLite's faults.
FAULTS = {
    sqlite3.SQLITE_FULL: "can't grow, because its disk is full; finished rows are kept: free some "
    "space and give the same command again",
    sqlite3.SQLITE_BUSY: f"has been in use by another program for {PATIENCE} seconds; try again",
    sqlite3.SQLITE_CANTOPEN: "can't be opened; is its folder there, and may you write to it?",
    sqlite3.SQLITE_READONLY: "may not be written to; name another file or change its permissions",
    sqlite3.SQLITE_IOERR: "can't be read or written; check its disk, then give the same "
    "command again",
}
DAMAGED = (
    "is damaged; move it away and run the experiment again, or save its rows with the command "
    "`sqlite3 FILE .recover`"
)


class Store:
    """A results file that is open for writing, on a disk of this machine; for a `with` block."""

    def __init__(self, path: str | Path) -> None:
        self.path = file_path(path)
        with _plain_faults(self.path):
            self._connection = _open(f"{self.path.absolute().as_uri()}?mode=rwc")
            try:
                _check_format(self._connection, self.path, new=True)
                self._connection.execute("PRAGMA journal_mode=WAL")
                # After a power cut the last rows may be missing, and none is broken.
                self._connection.execute("PRAGMA synchronous=NORMAL")
                self._connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
                self._connection.execute(f"PRAGMA application_id={FORMAT}")
            except BaseException:
                self._connection.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def begin(self, experiment: Experiment) -> None:
        """Note what the rows to come belong to."""
        plain = json.dumps(experiment.as_plain(), sort_keys=True)
        with _plain_faults(self.path):
            with self._connection:
                self._connection.execute(
                    "INSERT OR IGNORE INTO experiments VALUES (?, ?)", (experiment.name, plain)
                )
            found = _descriptions(self._connection, self.path)[experiment.name]
        if found != experiment:
            before, now = found.as_plain(), experiment.as_plain()
            differences = ", ".join(
                f"{key}={before[key]} where {now[key]} is asked for"
                for key in before
                if before[key] != now[key]
            )
            raise DataError(
                f"{clip(self.path.name)} holds {experiment.name} with {differences}; "
                "ask for the same again, or for another file."
            )

    def cells(self, experiment: Experiment) -> set[Cell]:
        """The cells that have their rows."""
        question = f"SELECT {KEY} FROM results WHERE experiment = ?"  # noqa: S608
        with _plain_faults(self.path):
            found = self._connection.execute(question, (experiment.name,))
            return {Cell(*row) for row in found}

    def add(self, experiment: Experiment, rows: Iterable[Row]) -> None:
        """Add rows, all or none; those that are there already stay as they are."""
        with _plain_faults(self.path), self._connection:
            self._connection.executemany(INSERT, [(experiment.name, *row) for row in rows])


@contextmanager
def _plain_faults(path: Path) -> Iterator[None]:
    """SQLite's faults as a sentence that says what to do."""
    try:
        yield
    except BJPError:
        raise
    except sqlite3.Error as error:
        # Its extended codes hold the plain one in their last byte.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        raise DataError(f"{clip(path.name)} {FAULTS.get(code, DAMAGED)} ({error}).") from None
    except (KeyError, OverflowError, TypeError, ValueError):
        raise DataError(f"{clip(path.name)} {DAMAGED}.") from None


def _open(uri: str) -> sqlite3.Connection:
    """A connection that waits for others' transactions."""
    return sqlite3.connect(uri, timeout=PATIENCE, uri=True)


def _for_reading(path: Path) -> str:
    """How to open a file that is only read: where that is allowed, take in a log left behind."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return f"{path.as_uri()}?mode=rw"
    # Without a log nobody is writing, and none can be made here.
    log = path.with_name(f"{path.name}-wal")
    return f"{path.as_uri()}?mode=ro{'' if log.exists() else '&immutable=1'}"


def _check_format(connection: sqlite3.Connection, path: Path, *, new: bool = False) -> None:
    """Refuse what something else made, and what is damaged; an empty file may become ours."""
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_NOTADB:
            raise
        mark, tables = 0, 1
    if mark != FORMAT and not (new and mark == tables == 0):
        raise DataError(f"{clip(path.name)} holds no results of an experiment; name another file.")
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise DataError(f"{clip(path.name)} {DAMAGED} ({' '.join(state.split())}).")


def _descriptions(connection: sqlite3.Connection, path: Path) -> dict[str, Experiment]:
    found = connection.execute("SELECT experiment, description FROM experiments").fetchall()
    return {name: _restore(json.loads(plain), path) for name, plain in found}


def _restore(plain: Mapping[str, Any], path: Path) -> Experiment:
    try:
        return Experiment(**plain)
    except (BJPError, TypeError) as error:
        name = clip(path.name)
        raise DataError(f"The description in {name} can't be used: {error}") from None
