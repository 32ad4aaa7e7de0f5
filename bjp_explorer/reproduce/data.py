"""What the rows of one table come to: summaries, agreement and claims, all of them the engine's."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import streamlit as st

from bjp_engine import networks
from bjp_engine.errors import DataError
from bjp_engine.experiments import (
    TABLES,
    Claim,
    Experiment,
    Results,
    Summary,
    claims,
    read_results,
    summaries,
)
from bjp_engine.experiments.summary import Key
from bjp_engine.resources import sample_data

# What is compared row by row: a run time differs, and a logarithm may in its last digits.
EXACT = ("hamming", "fp", "fn", "steps", "tests")
# Of the time, at most one part in so many goes into looking at a run.
PACE = 4.0


def shipped_path() -> Path:
    """The results that ship with the app, in the engine's compact form."""
    return sample_data("paper", "results.parquet")


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """One table's rows with everything that is shown of them."""

    experiment: Experiment
    # The rows of this experiment.
    results: Results
    cells: tuple[Summary, ...]
    claims: tuple[Claim, ...]

    @property
    def by_key(self) -> dict[Key, Summary]:
        """The summaries by what they are about."""
        return {one.key: one for one in self.cells}

    @property
    def printed(self) -> list[Summary]:
        """Those that the paper prints as well."""
        return [one for one in self.cells if one.printed is not None]

    @property
    def is_reconstructed(self) -> bool:
        """Whether the networks are reconstructions."""
        return any(networks.describe(name).reconstructed for name in self.experiment.networks)

    @property
    def distances(self) -> dict[str, float]:
        """How far our figures are from the paper's on average, by network."""
        found: dict[str, list[float]] = {}
        for one in self.printed:
            found.setdefault(one.network, []).append(abs(one.difference))
        return {network: fmean(values) for network, values in found.items()}

    @property
    def agreeing(self) -> int:
        """How many figures agree with the paper's."""
        return sum(one.agrees is True for one in self.printed)


def view(results: Results, table: str) -> View:
    """Look at one table."""
    experiment = results.experiments[table]
    mine = results.where(experiment=table)
    return View(experiment, mine, summaries(mine), claims(mine))


@st.cache_resource(show_spinner="Reading the included rows …")
def read_shipped() -> dict[str, View]:
    """The paper's tables as they were run once and shipped, read once a server, by table."""
    results = read_results(shipped_path())
    return {table: view(results, table) for table in TABLES if table in results.experiments}


@dataclass(frozen=True, eq=False, slots=True)
class Repeated:
    """Own rows beside those that are shipped."""

    # Cells that both have.
    both: int
    # Of these, the ones with the same result.
    equal: int


def compare_rows(mine: Results, theirs: Results) -> Repeated:
    """How many rows came out as in the shipped run.

    A cell with another seed is not the same cell.
    """
    key = ("network", "rows", "distribution", "sample", "score", "search", "seed")
    known = dict(zip(_rows(theirs, key), _rows(theirs, EXACT), strict=True))
    found = [
        known[cell] == row
        for cell, row in zip(_rows(mine, key), _rows(mine, EXACT), strict=True)
        if cell in known
    ]
    return Repeated(len(found), sum(found))


def _rows(results: Results, columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    """Some columns as tuples."""
    return list(zip(*(results[name].tolist() for name in columns), strict=True))


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """What was read from a results file, and when."""

    # Of the file's state.
    signature: tuple[int, ...]
    view: View
    # Seconds of the clock, and of the reading.
    at: float
    took: float


def look(
    path: Path, table: str, before: Look | None = None, *, running: bool = False
) -> Look | None:
    """Read a results file, if there is anything new in it.

    The last one again where it still holds; None where there is no file, or where a run is about to
    make it.
    """
    if not path.is_file():
        return None
    now = time.monotonic()
    signature = _signature(path)
    if before is not None:
        early = running and now - before.at < PACE * before.took
        if early or before.signature == signature:
            return before
    try:
        results = read_results(path)
    except DataError:
        if running:
            return before
        raise
    if table not in results.experiments:
        return before
    found = view(results, table)
    end = time.monotonic()
    return Look(signature, found, end, end - now)


def _signature(path: Path) -> tuple[int, ...]:
    """What changes whenever rows are added, to the file or to SQLite's log beside it."""
    found: list[int] = []
    for each in (path, path.with_name(f"{path.name}-wal")):
        try:
            state = each.stat()
        except OSError:
            continue
        found += [state.st_mtime_ns, state.st_size]
    return tuple(found)
