"""What a visit has chosen on *Reproduce the paper*, its run, and the rows that it sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from bjp_engine.experiments import TABLES, Experiment
from bjp_explorer.jobs import presence
from bjp_explorer.reproduce import data, sizes
from bjp_explorer.reproduce.data import View
from bjp_explorer.reproduce.files import results_file
from bjp_explorer.reproduce.runs import Run, desk
from bjp_explorer.reproduce.sizes import SHIPPED, SIZES
from bjp_explorer.shell import caches, links
from bjp_explorer.shell.links import Field

TABLE, SIZE, SEED, DRAW = "reproduce-table", "reproduce-size", "reproduce-seed", "reproduce-draw"
OUTCOME, TIMES = "outcome", "times"


@st.cache_resource(show_spinner=False)
def _looks() -> caches.Shelf[data.Look]:
    """What was read last from the results files of runs."""
    return caches.Shelf(8)


@dataclass(frozen=True, slots=True)
class Choice:
    """A table in a size.

    Parameters
    ----------
    size : str
        One of `SIZES`, or the shipped rows.
    """

    table: str
    size: str
    seed: int

    @property
    def experiment(self) -> Experiment:
        """What is run; of the shipped rows, what was."""
        if self.size == SHIPPED:
            return self.shipped.experiment
        return sizes.asked(self.table, self.size, self.seed)

    @property
    def shipped(self) -> View:
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
            return self.shipped
        path, shelf = results_file(self.experiment), _looks()
        look = data.look(path, self.table, shelf.get(path), running=running)
        if look is None:
            return None
        shelf.put(path, look)
        return look.view if len(look.view.results) else None


def begin() -> None:
    """Take over what the URL says; what nobody has chosen holds its default."""
    links.read(fields())
    for key, default in ((TABLE, "table-1"), (SIZE, SHIPPED), (SEED, 0), (DRAW, OUTCOME)):
        if st.session_state.get(key) is None:
            st.session_state[key] = default


def chosen() -> Choice:
    """What the widgets say."""
    memory = st.session_state
    return Choice(memory[TABLE], memory[SIZE], memory[SEED])


def fields() -> Iterator[Field]:
    """What the page keeps in its URL."""
    numbers = {table: table.removeprefix("table-") for table in TABLES}
    yield links.choice("table", TABLE, TABLES, "table-1", numbers)
    yield links.choice("size", SIZE, (SHIPPED, *SIZES), SHIPPED)
    yield links.choice("show", DRAW, (OUTCOME, TIMES), OUTCOME)
    yield links.whole("seed", SEED, 0, sizes.MOST_SEED, 0)
