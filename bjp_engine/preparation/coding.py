"""The end of a preparation: from columns to a Dataset, with known states where there are some."""

from __future__ import annotations

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, clip
from bjp_engine.preparation.base import count, those
from bjp_engine.preparation.plan import Preparation, States

_SHOWN = 3


def coded(table: Table, preparation: Preparation) -> tuple[Dataset, list[str]]:
    """The dataset of a table in which nothing is left open."""
    notes: list[str] = []
    known = {one.column: one.labels for one in preparation.states or ()}
    if preparation.states is not None:
        table = _same_variables(table, tuple(known), notes)
    _check_missing(table)
    if preparation.states is not None:
        columns = {
            name: _known(column, known[name], name, preparation, notes)
            for name, column in table.columns.items()
        }
        table = Table(table.rows, columns)
    return Dataset.from_table(table), notes


def states_of(data: Dataset) -> tuple[States, ...]:
    """The variables and states of a dataset, to be kept with a preparation."""
    return tuple(States(name, labels) for name, labels in zip(data.names, data.labels, strict=True))


def _check_missing(table: Table) -> None:
    """Refuse cells of which no step says what becomes of them."""
    holes = {
        name: column.holes
        for name, column in ((name, table.column(name)) for name in table.names)
        if column.holes and not column.own
    }
    if holes:
        worst = max(holes, key=lambda name: holes[name])
        raise DataError(
            f"{count(sum(holes.values()), 'cell')} in {count(len(holes), 'variable')} "
            f"{'is' if sum(holes.values()) == 1 else 'are'} still missing (most in "
            f"{clip(worst)}); add a step that drops their rows, makes them a state or fills them."
        )


def _known(
    column: Column,
    known: tuple[str, ...],
    name: Name,
    preparation: Preparation,
    notes: list[str],
) -> Column:
    """A column by the states that the first table had."""
    column, fresh = column.by_states(known, name)
    if fresh:
        shown = f"{those(fresh[:_SHOWN], '')}{' …' if len(fresh) > _SHOWN else ''}"
        if preparation.unseen == "error":
            raise DataError(
                f"Column {clip(name)} holds {shown}, which the preparation hasn't seen; "
                "merge rare states, or apply it with unseen='own'."
            )
        notes.append(
            f"Column {clip(name)} holds {count(len(fresh), 'state')} not seen before ({shown}), "
            "placed after the known ones."
        )
    return column


def _same_variables(table: Table, names: tuple[Name, ...], notes: list[str]) -> Table:
    """The variables of the first table, in its order."""
    absent = tuple(name for name in names if name not in table.columns)
    if absent:
        raise DataError(
            f"The table lacks {those(absent, '')}, which the preparation was made with; "
            "add what is missing, or make a preparation for this table."
        )
    strange = tuple(name for name in table.names if name not in set(names))
    if strange:
        notes.append(
            f"{count(len(strange), 'column')} that the preparation doesn't know "
            f"{'was' if len(strange) == 1 else 'were'} left out: {those(strange, '')}."
        )
    return table.keeping(names)
