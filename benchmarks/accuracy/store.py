"""The results: one CSV file a method, a line for each graph that was judged.

Lines are appended whole, so a run that is killed loses no more than the line it was writing;
of two lines on the same graph the later counts. `tidy` sorts a file.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from benchmarks.accuracy.groups import Group, Sample

FOLDER = Path(__file__).with_name("results")
OVER_TIME, FAILED = "over time", "failed"


@dataclass(frozen=True)
class Row:
    """One graph beside the truth; without figures, the note says why there is none.

    `seconds` is processor time of the search alone. `note` is empty, `over time`, or begins
    with `failed`.
    """

    network: str
    distribution: str
    rows: int
    seed: int
    method: str
    true: int
    hamming: int | None
    fp: int | None
    fn: int | None
    f1: float | None
    seconds: float | None
    note: str
    version: str

    @property
    def group(self) -> Group:
        """The group that its sample belongs to."""
        return Group(self.network, self.distribution, self.rows)

    @property
    def key(self) -> tuple[Sample, str]:
        """What there is one row of."""
        return Sample(self.group, self.seed), self.method


COLUMNS = [field.name for field in fields(Row)]


def whole(text: str) -> int | None:
    """A whole number, or nothing."""
    return int(text) if text else None


def decimal(text: str) -> float | None:
    """A number, or nothing."""
    return float(text) if text else None


def row(cells: dict[str, str]) -> Row:
    """A line of the file."""
    counts = {name: whole(cells[name]) for name in ("hamming", "fp", "fn")}
    return Row(
        network=cells["network"],
        distribution=cells["distribution"],
        rows=int(cells["rows"]),
        seed=int(cells["seed"]),
        method=cells["method"],
        true=int(cells["true"]),
        f1=decimal(cells["f1"]),
        seconds=decimal(cells["seconds"]),
        note=cells["note"],
        version=cells["version"],
        **counts,
    )


def lines(rows: Iterable[Row]) -> str:
    """Rows as lines of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(astuple, rows))
    return text.getvalue()


class Store:
    """The results in a folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder

    def read(self, file: str | None = None) -> list[Row]:
        """Every row of one file, or of all; a line that was cut off is left out."""
        paths = [self.folder / f"{file}.csv"] if file else sorted(self.folder.glob("*.csv"))
        found: dict[tuple[Sample, str], Row] = {}
        for path in paths:
            if path.exists():
                text = path.read_text(encoding="utf-8")
                kept = text[: text.rfind("\n") + 1].splitlines()
                for cells in csv.DictReader(kept):
                    one = row(cells)
                    found[one.key] = one
        return list(found.values())

    def append(self, file: str, rows: Iterable[Row]) -> None:
        """Add rows at the end of a file, which is made if need be."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{file}.csv"
        before = path.read_bytes() if path.exists() else b""
        if not before:
            before = (",".join(COLUMNS) + "\n").encode()
            path.write_bytes(before)
        end = before.rfind(b"\n") + 1
        with path.open("r+b") as out:
            out.truncate(end)
            out.seek(end)
            out.write(lines(rows).encode())
            out.flush()
            os.fsync(out.fileno())

    def tidy(self) -> None:
        """Sort every file, so that two runs can be compared line by line."""
        for path in sorted(self.folder.glob("*.csv")):
            rows = sorted(self.read(path.stem), key=lambda one: one.key)
            fresh = path.with_suffix(".new")
            fresh.write_text(",".join(COLUMNS) + "\n" + lines(rows), encoding="utf-8")
            fresh.replace(path)
