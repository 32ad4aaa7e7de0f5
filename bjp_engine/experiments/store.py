"""Results on disk: a SQLite file that survives whatever happens to the run.

Rows are keyed by their cell and added in transactions, so a run that was killed leaves whole
rows only, and two runs on one file can do each other no harm: the second to finish a cell
finds its row there. With write-ahead logging the file can be read while a run adds to it; the
log beside the file belongs to it until the next run or report takes it in.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from bjp_engine.errors import BJPError, DataError, clip
from bjp_engine.experiments.description import Cell, Experiment
from bjp_engine.experiments.jobs import Row

# Stands in the file's header: "bjp", and the version of the tables.
FORMAT = 0x626A7001
# Seconds to wait for another run's transaction.
PATIENCE = 60.0
TYPES = {
    **dict.fromkeys(("network", "score", "search", "version"), "TEXT"),
    **dict.fromkeys(("value", "seconds"), "REAL"),
}
KEY = ", ".join(Cell._fields)
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS experiments (
    experiment TEXT PRIMARY KEY,
    description TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    experiment TEXT NOT NULL REFERENCES experiments,
    {", ".join(f"{name} {TYPES.get(name, 'INTEGER')} NOT NULL" for name in Row._fields)},
    PRIMARY KEY (experiment, {KEY})
) WITHOUT ROWID;
"""
PLACES = ", ".join("?" * (1 + len(Row._fields)))
INSERT = f"INSERT INTO results VALUES ({PLACES}) ON CONFLICT (experiment, {KEY}) DO NOTHING"  # noqa: S608


class Store:
    """A results file that is open for writing; use it in a `with` block.

    Parameters
    ----------
    path : str or Path
        Made if it doesn't exist. It must lie on a disk of this machine: SQLite's log does not
        work on network drives.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._connection = _opened(f"{self.path.absolute().as_uri()}?mode=rwc", self.path)
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
        """The store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file; its log is taken in if nobody else has it open."""
        self._connection.close()

    def begin(self, experiment: Experiment) -> None:
        """Note what the rows to come belong to."""
        plain = json.dumps(experiment.as_plain(), sort_keys=True)
        with self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO experiments VALUES (?, ?)", (experiment.name, plain)
            )
        found = descriptions(self._connection)[experiment.name]
        if found != experiment:
            differences = _differences(found, experiment)
            raise DataError(
                f"{clip(self.path.name)} holds {experiment.name} with {differences}; "
                "ask for the same again, or for another file."
            )

    def done(self, experiment: Experiment) -> set[Cell]:
        """The cells that have their rows."""
        found = self._connection.execute(
            f"SELECT {KEY} FROM results WHERE experiment = ?",  # noqa: S608
            (experiment.name,),
        )
        return {Cell(*row) for row in found}

    def add(self, experiment: Experiment, rows: Iterable[Row]) -> None:
        """Add rows, all or none; those that are there already stay as they are."""
        with self._connection:
            self._connection.executemany(INSERT, [(experiment.name, *row) for row in rows])


def read_rows(path: str | Path) -> tuple[dict[str, Experiment], list[tuple[str, Row]]]:
    """Everything in a results file, also while a run adds to it."""
    if not Path(path).is_file():
        raise DataError(
            f"There is no results file {clip(Path(path).name)}; `bjp experiment` makes one."
        )
    connection = _opened(_for_reading(Path(path).absolute()), path)
    try:
        _check_format(connection, path)
        order = f"SELECT * FROM results ORDER BY experiment, {KEY}"  # noqa: S608
        rows = [(name, Row(*fields)) for name, *fields in connection.execute(order)]
        return descriptions(connection), rows
    finally:
        connection.close()


def descriptions(connection: sqlite3.Connection) -> dict[str, Experiment]:
    """The experiments of an open file, by name."""
    found = connection.execute("SELECT experiment, description FROM experiments").fetchall()
    return {name: restored(plain) for name, plain in found}


def restored(plain: str) -> Experiment:
    """An experiment from its JSON."""
    try:
        return Experiment(**json.loads(plain))
    except (BJPError, TypeError, ValueError) as error:
        raise DataError(f"The results' description can't be used: {error}") from None


def _for_reading(path: Path) -> str:
    """How to open a file that is only read: where that is allowed, take in a log left behind."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return f"{path.as_uri()}?mode=rw"
    # Without a log nobody is writing, and none can be made here.
    log = path.with_name(f"{path.name}-wal")
    return f"{path.as_uri()}?mode=ro{'' if log.exists() else '&immutable=1'}"


def _opened(uri: str, path: str | Path) -> sqlite3.Connection:
    """A connection; that the file can't be opened is one sentence."""
    try:
        return sqlite3.connect(uri, timeout=PATIENCE, uri=True)
    except sqlite3.OperationalError as error:
        raise DataError(
            f"{clip(Path(path).name)} can't be opened: {error}; is the folder there?"
        ) from None


def _check_format(connection: sqlite3.Connection, path: str | Path, *, new: bool = False) -> None:
    """Refuse a file that was made by something else; an empty one may become ours."""
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError:
        mark, tables = 0, 1
    if mark != FORMAT and not (new and mark == tables == 0):
        raise DataError(
            f"{clip(Path(path).name)} holds no results of an experiment; name another file."
        )


def _differences(found: Experiment, asked: Experiment) -> str:
    """What is not the same, key by key."""
    before, now = found.as_plain(), asked.as_plain()
    return ", ".join(
        f"{key}={before[key]} where {now[key]} is asked for"
        for key in before
        if before[key] != now[key]
    )
