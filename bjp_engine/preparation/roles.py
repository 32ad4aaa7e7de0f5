"""What rows and columns are: counted or left out, variables or groups, choices of one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools
from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import IN_A_PAPER, DataError, OptionError, clip, columns_text, listed, plural
from bjp_engine.labels import MISSING_LABEL, natural_key
from bjp_engine.parameters.imputation import TIMES
from bjp_engine.preparation.states import seen_labels, without_values
from bjp_engine.preparation.steps import (
    ColumnName,
    Columns,
    ColumnStep,
    SomeStates,
    Step,
    Target,
    optional,
    row_numbers,
    some_text,
)
from bjp_engine.validate import Name, choice, texts, truth, whole_number


@dataclass(frozen=True)
class FilterRows(Step):
    """Keep the rows with some states of a variable, or leave them out (`keep=False`).

    A missing cell is none of the states. A column whose texts are all numbers then is read as such.

    Examples
    --------
    >>> from bjp_engine.preparation import FilterRows
    >>> FilterRows("sex", ("f", "x")).sentence
    "Keep only the rows in which 'sex' is 'f', 'x'."
    """

    kind: ClassVar[str] = "filter"
    column: ColumnName
    states: SomeStates
    keep: Annotated[bool, truth] = True

    def _said(self) -> tuple[str, str]:
        rows = f"rows in which {clip(self.column, 30)} is {listed(self.states)}"
        if self.keep:
            return f"Keep only the {rows}.", f"Only {rows} were used."
        return f"Leave out the {rows}.", f"R{rows[1:]} were left out."

    def _applied(self, table: Table) -> tuple[Table, str]:
        column = table.column(self.column)
        named = np.array([*(label in self.states for label in column.labels), False])
        kept = named[column.codes] == self.keep
        if not kept.any():
            raise DataError(
                f"no row would be left; column {clip(self.column)} holds {listed(column.labels)}."
            )
        unseen = [state for state in self.states if state not in column.labels]
        table, said = _keep(table, kept)
        return table, f"{said} No row holds {listed(unseen)}." if unseen else said


@dataclass(frozen=True)
class DropRows(Step):
    """Leave rows out by their numbers, from 1, such as a line of totals.

    A column whose texts are all numbers then is read as such.

    Examples
    --------
    >>> from bjp_engine.preparation import DropRows
    >>> DropRows((301,)).sentence
    'Leave out row 301.'
    """

    kind: ClassVar[str] = "rows"
    rows: Annotated[tuple[int, ...], row_numbers]

    def _said(self) -> tuple[str, str]:
        rows, were = rows_text(self.rows), "was" if len(self.rows) == 1 else "were"
        return f"Leave out {rows}.", f"R{rows[1:]} {were} left out."

    def _applied(self, table: Table) -> tuple[Table, str]:
        kept = np.ones(table.rows, np.bool_)
        if max(self.rows) > table.rows or len({*self.rows}) == table.rows:
            raise DataError(f"the table has {plural(table.rows, 'row')}; name some of them.")
        kept[np.array(self.rows) - 1] = False
        return _keep(table, kept)


def rows_text(rows: Sequence[int]) -> str:
    """Numbers of rows in a sentence: the first four, the others counted."""
    more = f" and {len(rows) - 4:,} more" if len(rows) > 4 else ""
    return f"row{'s' * (len(rows) > 1)} {', '.join(f'{row:,}' for row in rows[:4])}{more}"


def _keep(table: Table, kept: Bools) -> tuple[Table, str]:
    """The table with some of its rows; a column is read as numbers where no other text is left."""
    said = f"{plural(int(np.count_nonzero(kept)), 'row')} of {table.rows:,} kept."
    if kept.all():
        return table, said
    table = table.take(kept)
    texts = {n: c for n, c in table.columns.items() if c.textual and not c.declared}
    return table.having({n: without_values(c, c.counts == 0) for n, c in texts.items()}), said


@dataclass(frozen=True)
class MissingCells(Step):
    """Drop rows with missing cells, make these a state, or impute them 20 times.

    Rows without any value at all are dropped in any case. Cells that were made a state are not
    missing for later steps. Cells to impute stay missing until all steps are made: they are drawn
    given all other cells of their row, see `bjp_engine.parameters.impute`.

    Examples
    --------
    >>> from bjp_engine.preparation import MissingCells
    >>> MissingCells("drop").sentence
    'Drop the rows with a missing cell in any variable.'
    """

    kind: ClassVar[str] = "missing"
    how: Annotated[str, partial(choice, known=("drop", "state", "impute"))]
    seed: Annotated[int, partial(whole_number, most=2**63 - 1)] = 0

    def _said(self) -> tuple[str, str]:
        own = f"a state of their own, {clip(MISSING_LABEL)}"
        often, seed = f"{TIMES} times under the network", f"(seed {self.seed})"
        if self.how == "drop":
            did = "Rows with a missing cell were left out."
            return "Drop the rows with a missing cell in any variable.", did
        if self.how == "state":
            return f"Make missing cells in any variable {own}.", f"Missing cells became {own}."
        return (
            f"Impute missing cells {often}, after all steps {seed}.",
            f"Missing cells were imputed {often}, after all other steps {seed}.",
        )

    @property
    def targets(self) -> set[Target]:
        """One answer to all missing cells, whichever it is."""
        return {(MissingCells, None)}

    def for_paper(self, before: int, after: int) -> str:
        """What was done; of imputation, only the rows that were removed: its record says more."""
        if self.how != "impute":
            return super().for_paper(before, after)
        were, gone = "was" if before - after == 1 else "were", before - after
        return f"{plural(gone, 'row')} without any value {were} left out." if gone else ""

    def _applied(self, table: Table) -> tuple[Table, str]:
        drop = self.how == "drop"
        kept = table.complete_rows() if drop else ~table.empty_rows()
        left = int(np.count_nonzero(kept))
        if drop and not left:
            holes = count_missing(table)
            worst = max(holes, key=lambda name: holes[name])
            raise DataError(
                f"every row has a missing cell (column {clip(worst)} has most, "
                f"{holes[worst]:,} of {table.rows:,}), so dropping rows leaves nothing; "
                "make missing cells a state, or leave variables out first."
            )
        gone = plural(table.rows - left, "row")
        if 0 < left < table.rows:
            table = table.take(kept)
        if drop:
            return table, f"{gone} dropped, {left:,} remain."
        holes = count_missing(table)
        cells = f"{plural(sum(holes.values()), 'missing cell')} in {plural(len(holes), 'variable')}"
        said = "imputed after all steps." if self.how == "impute" else "a state of their own."
        if self.how == "state":
            # Also where none is missing now: a step before may still be changed.
            table = table.having({n: replace(c, own=True) for n, c in table.columns.items()})
        dropped = f" {gone} without any value dropped." if table.rows == left < len(kept) else ""
        return table, f"{cells}: {said}{dropped}"


def count_missing(table: Table) -> dict[Name, int]:
    """The missing cells of each variable that has any, but for those that are a state."""
    columns = table.columns.items()
    return {name: one.holes for name, one in columns if one.holes and not (one.own or one.group)}


@dataclass(frozen=True)
class RepeatRows(Step):
    """Count each row as often as a column of whole numbers says, and leave that out.

    Rows with the frequency 0 vanish. Copies of a row follow one another.

    Examples
    --------
    >>> from bjp_engine.preparation import RepeatRows
    >>> RepeatRows("Freq").sentence
    "Count each row as often as 'Freq' says, and leave 'Freq' out."
    """

    kind: ClassVar[str] = "frequencies"
    column: ColumnName

    def _said(self) -> tuple[str, str]:
        name = clip(self.column, 30)
        return (
            f"Count each row as often as {name} says, and leave {name} out.",
            f"Each row was counted as often as the column {name} says.",
        )

    @property
    def targets(self) -> set[Target]:
        """The one column."""
        return {(self.column, None)}

    def for_paper(self, before: int, after: int) -> str:
        """What was done, and that N does not count the rows of the file."""
        return f"{self.done[:-1]}: N counts {plural(after, 'case')}, from {plural(before, 'row')}."

    def _applied(self, table: Table) -> tuple[Table, str]:
        long = table.repeated(self.column)
        return long, f"{plural(table.rows, 'line')} counted as {long.rows:,} rows."


_ORDERED = {"variable": "not ordered", "ordered": "ordered"}


@dataclass(frozen=True)
class SetRoles(Step):
    """Say what columns are: "variable", "ordered", "group" or "leave out".

    The states of an "ordered" column run from one end to the other, as `states` names them, also
    those that no row holds; without it, as numbers, intervals and declared states are ordered. The
    order of a "variable" means nothing, even if the file says so. A "group" is no variable of the
    network; a cell that is still missing there after all steps is in the group "(missing)".

    Examples
    --------
    >>> from bjp_engine.preparation import SetRoles
    >>> SetRoles(("id",), "leave out").sentence
    "Leave out 'id'."
    >>> SetRoles(("mood",), "ordered", ("low", "middle", "high")).sentence
    "Take the states of 'mood' as ordered: 'low', 'middle', 'high'."
    """

    kind: ClassVar[str] = "roles"
    columns: Columns
    role: Annotated[str, partial(choice, known=("variable", "ordered", "group", "leave out"))]
    states: Annotated[tuple[str, ...] | None, optional(texts)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.states is not None and (len(self.states) < 2 or self.role != "ordered"):
            raise OptionError("states must name two states or more of an ordered variable.")

    @property
    def leaves_out(self) -> tuple[Name, ...]:
        """The columns that it leaves out."""
        return self.columns if self.role == "leave out" else ()

    @property
    def targets(self) -> set[Target]:
        """The role of each column."""
        return {(name, self.role) for name in self.columns}

    def _said(self) -> tuple[str, str]:
        names, order = listed(self.columns), f": {listed(self.states, 12)}" if self.states else ""
        were = "were" if len(self.columns) > 1 else "was"
        were = f"The {columns_text(self.columns, IN_A_PAPER)} {were}"
        if self.role == "leave out":
            return f"Leave out {names}.", f"{were} left out."
        if self.role == "group":
            done = f"{were} kept as groups of rows, not as variables."
            return f"Keep {names} as groups, not as variables.", done
        how, of = f"{_ORDERED[self.role]}{order}", listed(self.columns, IN_A_PAPER)
        return (
            f"Take the states of {names} as {how}.",
            f"The states of {of} were declared as {how}.",
        )

    def _applied(self, table: Table) -> tuple[Table, str]:
        changed = {name: table.column(name) for name in self.columns}
        if self.role == "leave out":
            table = table.keeping([name for name in table.names if name not in changed])
        else:
            table = table.having({n: self._declared(column, n) for n, column in changed.items()})
        left = sum(not column.group for column in table.columns.values())
        if not left:
            raise DataError("no variable would be left; keep at least one.")
        said = plural(len(changed), "variable")
        if self.role in _ORDERED:
            return table, f"{said} declared as {_ORDERED[self.role]}."
        did = "left out" if self.role == "leave out" else "kept as groups"
        return table, f"{said} {did}, {left:,} remain."

    def _declared(self, column: Column, name: Name) -> Column:
        if self.role == "group":
            return replace(column, group=True)
        if self.states is None:
            seen = seen_labels(column)
            has_one = column.ordered or column.numeric or len(seen) < 3
            if self.role == "ordered" and not has_one:
                raise DataError(
                    f"column {clip(name)} holds {listed(seen, 12)}, in no order that is known; "
                    "name its states from one end to the other."
                )
            return replace(column, ordinal=self.role == "ordered")
        known = {label: k for k, label in enumerate(self.states)}
        if strange := [label for label in seen_labels(column) if label not in known]:
            raise DataError(
                f"column {clip(name)} holds {listed(strange)}, which the order doesn't name; "
                "name every state, or treat it as missing first."
            )
        places = np.array([known.get(label, -1) for label in column.labels], dtype=np.intp)
        made = column.recoded(places, self.states)
        return replace(made, ordered=True, declared=True, ordinal=True)


# What says that a choice was not ticked.
_DENIALS = frozenset(
    (
        *("no", "n", "0", "false", "f", "off", "none", "unchecked", "not checked", "not selected"),
        *("unselected", "not mentioned", "not chosen", "never", "nein", "falsch", "nicht genannt"),
        *("nicht gewählt", "nicht ausgewählt", "non", "faux", "falso", "não", "nee", "nej", "nie"),
        *("", "-", "–", "—", "✗", "✘", "☐", "non coché", "no seleccionado"),
    )
)


def is_denial(label: str) -> bool:
    """Whether a value says that a choice was not ticked: a word or number of denial."""
    return " ".join(label.split()).casefold().strip(".") in _DENIALS


@dataclass(frozen=True)
class MultipleChoice(ColumnStep):
    """Make yes/no variables of the columns of a question with several choices.

    Each holds one value where the choice was ticked, and is empty elsewhere. A value that denies,
    such as "no", 0 or "unchecked", is "no", and empty cells stay missing then.

    Examples
    --------
    >>> from bjp_engine.preparation import MultipleChoice
    >>> MultipleChoice(("tv", "radio")).sentence.partition(":")[0]
    "Make 'tv', 'radio' yes or no"
    """

    kind: ClassVar[str] = "multiple_choice"
    did: ClassVar[str] = "{1} made yes or no."
    columns: Columns

    def _said(self) -> tuple[str, str]:
        empty, none = "an empty cell", "a row without any of them"
        shown = listed(self.columns, IN_A_PAPER)
        does = f"Make {listed(self.columns)} yes or no: {empty} is no, and {none} is no to each."
        done = f"{empty} counted as no, and {none} as no to each."
        return does, f"The choices {shown} were coded as yes or no: {done}"

    def _changed(self, column: Column, name: Name) -> tuple[Column, Bools]:
        seen = seen_labels(column)
        if len(seen) > 1:
            raise DataError(
                f"column {clip(name)} holds {len(seen):,} different values; a choice holds one "
                "value where it was ticked, and is empty elsewhere."
            )
        # An empty cell is no, unless that is what the others say.
        denied = bool(seen) and is_denial(seen[0])
        codes = (column.codes >= 0).astype(np.intp) - denied
        return _yes_or_no(codes, column.title), column.counts > 0


def _yes_or_no(codes: NDArray[np.intp], title: str) -> Column:
    return Column(as_values(["no", "yes"]), codes, ordered=True, declared=True, title=title)


@dataclass(frozen=True)
class SplitAnswers(Step):
    """Make a yes/no variable of each answer, where cells list several of them.

    Spaces around an answer, and brackets or quotation marks around a list, don't count. An empty
    cell is "no" to each answer. The `separator` stands between two answers.

    Examples
    --------
    >>> import pandas as pd
    >>> from bjp_engine.preparation import SplitAnswers, prepare
    >>> frame = pd.DataFrame({"by": ["Email, Phone", "Phone", None], "sex": ["f", "m", "f"]})
    >>> made = prepare(frame, [SplitAnswers(("by",), ",")]).data
    >>> made.names, made.codes[:, :2].tolist()
    (('by: Email', 'by: Phone', 'sex'), [[1, 1], [0, 1], [0, 0]])
    """

    kind: ClassVar[str] = "split"
    columns: Columns
    separator: Annotated[str, some_text] = ","

    def _said(self) -> tuple[str, str]:
        does = f"Make a yes/no variable of each answer in {listed(self.columns)}"
        done = f"Each answer in {listed(self.columns, IN_A_PAPER)} became a yes/no variable"
        return (
            f"{does}, divided by {self.separator!r}; an empty cell is no to each.",
            f"{done}; an empty cell counted as no to each.",
        )

    def _applied(self, table: Table) -> tuple[Table, str]:
        for name in self.columns:
            table.column(name)
        made: dict[Name, Column] = {}
        answers = 0
        for name, column in table.columns.items():
            if name not in self.columns:
                made[name] = column
                continue
            cells = [set(split_parts(label, self.separator)) for label in column.labels]
            seen = (split_parts(label, self.separator) for label in seen_labels(column))
            parts = sorted({part for cell in seen for part in cell}, key=natural_key)
            if not parts:
                raise DataError(f"column {clip(name)} has no value at all; leave it out.")
            answers += len(parts)
            for part in parts:
                new = f"{name}: {part}"
                if new in table.columns or new in made:
                    raise DataError(f"there is a column {clip(new)} already; leave it out first.")
                places = np.array([*(part in cell for cell in cells), False], dtype=np.intp)
                made[new] = _yes_or_no(places[column.codes], column.title)
        said = f"{plural(answers, 'answer')} of {plural(len(self.columns), 'column')} made yes or "
        return replace(table, columns=made), f"{said}no."


def split_parts(label: str, separator: str) -> tuple[str, ...]:
    """The answers that a cell lists."""
    text = label.strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        text = text[1:-1]
    parts = (part.strip().strip("\"'").strip() for part in text.split(separator))
    return tuple(part for part in parts if part)
