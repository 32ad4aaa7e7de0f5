"""Results as columns: read from a run's file, or from the compact form that is shipped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.errors import DataError, clip
from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.jobs import Row
from bjp_engine.experiments.store import read_rows, restored

COMPACT = ".parquet"
COLUMNS = ("experiment", *Row._fields)
# Under this name the compact form holds the descriptions.
DESCRIPTIONS = b"bjp experiments"


@dataclass(frozen=True, eq=False, slots=True)
class Results:
    """Rows of one or several experiments, by column.

    Parameters
    ----------
    experiments : mapping of str to Experiment
        Their descriptions, by name.
    columns : mapping of str to ndarray, each of shape (rows,)
        `experiment`, and the fields of `Row`; read-only.
    """

    experiments: Mapping[str, Experiment]
    columns: Mapping[str, NDArray[Any]]

    def __post_init__(self) -> None:
        """Take copies that nobody writes to."""
        columns = {name: np.array(values) for name, values in self.columns.items()}
        for values in columns.values():
            values.setflags(write=False)
        object.__setattr__(self, "columns", MappingProxyType(columns))
        object.__setattr__(self, "experiments", MappingProxyType(dict(self.experiments)))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.columns["experiment"])

    def __getitem__(self, column: str) -> NDArray[Any]:
        """One column."""
        return self.columns[column]

    def where(self, **values: object) -> Results:
        """The rows that have these values."""
        chosen = np.ones(len(self), dtype=np.bool_)
        for name, value in values.items():
            chosen &= self.columns[name] == value
        kept = {name: values[chosen] for name, values in self.columns.items()}
        return Results(self.experiments, kept)

    @property
    def expected(self) -> int:
        """How many rows the finished experiments have."""
        return sum(experiment.size for experiment in self.experiments.values())


def read_results(path: str | Path) -> Results:
    """Read a results file, also while a run adds to it."""
    if Path(path).suffix.lower() == COMPACT:
        return _read_compact(Path(path))
    experiments, rows = read_rows(path)
    return Results(experiments, _as_columns([(name, *row) for name, row in rows]))


def write_compact(results: Results, path: str | Path) -> None:
    """Write results as a Parquet file, about a tenth as large."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if Path(path).suffix.lower() != COMPACT:
        raise DataError(f"{clip(Path(path).name)} must end in {COMPACT}.")
    plain = {name: found.as_plain() for name, found in results.experiments.items()}
    columns = {name: results[name] for name in COLUMNS}
    # Seven digits of a run time are more than it repeats.
    columns["seconds"] = columns["seconds"].astype(np.float32)
    table = pa.table(columns)
    table = table.replace_schema_metadata({DESCRIPTIONS: json.dumps(plain, sort_keys=True)})
    # Floats hardly repeat: their bytes are sorted by place, all else goes by dictionaries.
    floats = [name for name in COLUMNS if columns[name].dtype.kind == "f"]
    others = [name for name in COLUMNS if name not in floats]
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=others,
        use_byte_stream_split=floats,
    )


def _read_compact(path: Path) -> Results:
    """The compact form."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise DataError(
            f"There is no results file {clip(Path(path).name)}; `bjp experiment` makes one."
        )
    try:
        table = pq.read_table(path, columns=list(COLUMNS))
        plain = json.loads(table.schema.metadata[DESCRIPTIONS])
    except (pa.ArrowException, KeyError, TypeError, ValueError):
        raise DataError(f"{clip(Path(path).name)} holds no results of an experiment.") from None
    columns = {name: table[name].to_numpy().astype(_kind(name), copy=False) for name in COLUMNS}
    return Results({name: restored(json.dumps(one)) for name, one in plain.items()}, columns)


def _as_columns(rows: Sequence[tuple[Any, ...]]) -> dict[str, NDArray[Any]]:
    """Columns from rows, typed also where there are none."""
    by_column = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMNS)
    return {
        name: np.array(values, dtype=_kind(name))
        for name, values in zip(COLUMNS, by_column, strict=True)
    }


def _kind(column: str) -> type:
    """The type of a column's entries."""
    if column in ("value", "seconds"):
        return float
    return str if column in ("experiment", "network", "score", "search", "version") else int
