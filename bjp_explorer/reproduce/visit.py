"""What a visit has chosen on *Reproduce the paper*, its run, and the rows that it sees."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from bjp_engine.experiments import Experiment
from bjp_explorer.jobs import presence
from bjp_explorer.reproduce import data, sizes, words
from bjp_explorer.reproduce.data import View
from bjp_explorer.reproduce.files import results_file
from bjp_explorer.reproduce.runs import Run, desk
from bjp_explorer.reproduce.sizes import SHIPPED
from bjp_explorer.shell import caches
from bjp_explorer.shell.choices import Number, OneOf

TABLE = OneOf(
    "table",
    "reproduce-table",
    "table-1",
    words.TABLES,
    {table: table.removeprefix("table-") for table in words.TABLES},
)
SIZE = OneOf("size", "reproduce-size", SHIPPED, words.SIZES)
SEED = Number("seed", "reproduce-seed", 0, 0, sizes.MOST_SEED)
OUTCOME, TIMES = "outcome", "times"
DRAW = OneOf("show", "reproduce-draw", OUTCOME, {OUTCOME: OUTCOME, TIMES: TIMES})
FIELDS = (TABLE, SIZE, DRAW, SEED)


@st.cache_resource(show_spinner=False)
def _looks() -> caches.Shelf[data.Look]:
    """What was read last from the results files of runs."""
    return caches.Shelf(64 << 20)


@dataclass(frozen=True, slots=True)
class Choice:
    """A table in a size."""

    table: str
    # One of `words.SIZES`.
    size: str
    seed: int

    @property
    def experiment(self) -> Experiment:
        """What is run; of the shipped rows, what was."""
        if self.size == SHIPPED:
            return self.included.experiment
        return sizes.experiment_of(self.table, self.size, self.seed)

    @property
    def included(self) -> View:
        """The shipped rows of the table."""
        return data.read_shipped()[self.table]

    @property
    def run(self) -> Run | None:
        """The visit's run of it, while it lasts."""
        if self.size == SHIPPED:
            return None
        return desk().running(results_file(self.experiment), presence.visit())

    def start(self) -> None:
        """Begin, or go on with what is there."""
        experiment = self.experiment
        desk().start(experiment, results_file(experiment), presence.visit())

    def cancel(self) -> None:
        """Stop; what is finished is kept."""
        desk().leave(results_file(self.experiment), presence.visit())

    def rows(self, *, running: bool) -> View | None:
        """What there is of it so far; None before the first row."""
        if self.size == SHIPPED:
            return self.included
        path, shelf = results_file(self.experiment), _looks()
        look = data.look(path, self.table, shelf.get(path), running=running)
        if look is None:
            return None
        shelf.put(path, look)
        return look.view if len(look.view.results) else None


def current_choice() -> Choice:
    """What the widgets say."""
    return Choice(TABLE.get(), SIZE.get(), SEED.get())
