"""What the rows of one table come to: summaries, agreement and claims, all of them the engine's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import streamlit as st

from bjp_engine import networks
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
