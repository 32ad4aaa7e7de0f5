"""What was found in a file and what is done about it: findings, the table of roles, the steps.

By hand a person does six things: roles in the table of columns, and in forms the codes of missing
cells, an order, other names of states, bins, and a filter of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError, OptionError, clip
from bjp_engine.health import SEVERITIES, Finding, with_roles
from bjp_engine.health.report import find_row_limit
from bjp_engine.health.states import describe_seconds
from bjp_engine.parameters.imputation import TIMES
from bjp_engine.preparation import (
    BinNumbers,
    FilterRows,
    MissingCells,
    MissingCodes,
    Preparation,
    RecodeStates,
    SetRoles,
    Step,
    add_steps,
    is_done,
    roles_of,
    take_back,
)
from bjp_explorer.data import making
from bjp_explorer.data.reading import Reading
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, markdown, prose, tell_apart

# More findings than this have no buttons, and still more are only counted; so are more steps.
_MOST, _WORDS, _MOST_STEPS = 30, 100, 60
_IMPUTING = (
    f"Each missing cell is drawn {TIMES} times from what a learned network makes probable, given "
    "the other answers of its row. Edge probabilities are means over the completed tables, and "
    "effects are pooled over them. This assumes that, given the other answers, a missing answer is "
    "no different from a known one."
)
_BADGES = {
    "stop": (":material/block:", "red"),
    "serious": (":material/error:", "orange"),
    "warning": (":material/warning:", "yellow"),
    "note": (":material/info:", "blue"),
}
_ROLES = {
    "variable": "variable",
    "ordered": "ordered variable",
    "group": "group",
    "frequency": "frequency",
    "leave out": "left out",
}
# What the table of roles showed before it was edited, and under which key.
_SHOWN, _REFUSED = "data-roles-shown", "data-roles-refused"
_ORDER = "Order of the states"
_FORM = "data-add"


def show(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    """Findings with their buttons, the table of columns, and the steps."""
    _findings(reading, plan, loaded)
    _columns(reading, plan)
    _steps(reading, plan, loaded)
    _add_by_hand(reading, plan, loaded)


# --- Findings -------------------------------------------------------------------------------------


def is_answered(finding: Finding, plan: Preparation) -> bool:
    """Whether the steps do what a finding asks for."""
    return bool(finding.steps) and all(is_done(plan, step) for step in finding.steps)


def _findings(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    findings = reading.health.findings
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Health of the file**, worst finding first")
        st.button(
            "Undo last change",
            key="data-undo",
            icon=":material/undo:",
            disabled=not making.can_undo(reading),
            on_click=making.undo,
            args=(reading,),
        )
        if plan != reading.suggestion:
            _button("As suggested", "suggested", reading, reading.suggestion, "auto_fix_high")
    order = sorted(range(min(len(findings), _MOST)), key=lambda k: is_answered(findings[k], plan))
    with st.container(border=True):
        for number in order:
            _finding(reading, plan, loaded, number)
        if rest := findings[_MOST:]:
            st.markdown(f"**{count(len(rest), 'more finding')}**")
            st.markdown("\n".join(f"- {prose(one.sentence)}" for one in rest[:_WORDS]))


def _finding(reading: Reading, plan: Preparation, loaded: Loaded | None, number: int) -> None:
    """One finding: what was seen, what is done or suggested, and the button for the other."""
    finding = reading.health.findings[number]
    if finding.kind == "blankets" and loaded is not None:
        # What the rows allow is that of the dataset that the steps made.
        data = loaded.data.drop_unused_states()
        finding = find_row_limit(data.rows, data.cardinalities, data.rows)
    badge, (icon, colour) = SEVERITIES[finding.severity], _BADGES[finding.severity]
    answered = is_answered(finding, plan)
    if answered:
        badge, icon, colour = "resolved", ":material/check:", "green"
    # On a phone the button is below the text.
    text, button = st.columns([5, 2], vertical_alignment="center")
    with text, st.container(gap=None):
        st.markdown(f":{colour}-badge[{icon} {badge}] **{finding.title}**")
        st.markdown(prose(finding.sentence))
        if finding.steps and not answered:
            st.caption(prose(f"Suggested: {' '.join(s.sentence for s in finding.steps)}"))
        elif changes := _changes(finding, plan, loaded) if answered else "":
            st.caption(f":small[→ {prose(changes)}]")
        if finding.kind == "missing":
            _otherwise(reading, plan, finding)
    if finding.steps:
        other = (take_back if answered else add_steps)(plan, finding.steps)
        with button:
            _button(
                markdown("Undo" if answered else finding.action),
                f"finding-{number}",
                reading,
                other,
                "undo" if answered else "check",
                type="secondary",
                help=prose(" ".join(step.sentence for step in finding.steps)),
                disabled=other == plan,
            )


def _changes(finding: Finding, plan: Preparation, loaded: Loaded | None) -> str:
    if loaded is None:
        return ""
    # One step leaves out what several findings ask for.
    leaving_out, asked = ("roles", "leave out"), {making.kind_of(s): s.done for s in finding.steps}
    out = [said for kind, said in asked.items() if kind == leaving_out]
    did = making.what_steps_did(plan, loaded).items()
    return " ".join((*out, *(said for said, kind in did if kind in asked and kind != leaving_out)))


def _otherwise(reading: Reading, plan: Preparation, finding: Finding) -> None:
    """The other answers to missing cells: no guess fits every table."""
    # The suggested way has the button of the finding, until another one is taken.
    steps = plan.steps if is_answered(finding, plan) else finding.steps
    done = {step.how for step in steps if isinstance(step, MissingCells)}
    complete, seconds = finding.figures["complete"], finding.figures["seconds"]
    ways = {
        "drop": f"Drop their rows ({complete:,.0f} left)",
        "state": "Make them a state",
        "impute": f"Impute ({TIMES} times, about {describe_seconds(seconds)})",
    }
    with st.container(horizontal=True):
        for how, label in ways.items():
            if how in done or (how == "drop" and not complete):
                continue
            _button(
                label,
                f"missing-{how}",
                reading,
                add_steps(plan, [MissingCells(how)]),
                help=_IMPUTING if how == "impute" else None,
            )


# --- The table of columns -------------------------------------------------------------------------


def _columns(reading: Reading, plan: Preparation) -> None:
    """What each column is, with its role, which is changed in its cell."""
    st.markdown("**What each column is**; click a role to change it")
    now = roles_of(reading.table, plan)
    base, key = _shown_roles(reading, now)
    frame = reading.variables.copy()
    frame.insert(1, "Role", [_ROLES[base[name]] for name in reading.names])
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    st.data_editor(
        frame,
        hide_index=True,
        key=key,
        disabled=[name for name in frame.columns if name != "Role"],
        on_change=_change_roles,
        args=(reading, plan, key),
        column_config={
            "Column": text(pinned=True, width=150),
            "Role": st.column_config.SelectboxColumn(
                options=list(_ROLES.values()),
                required=True,
                help=(
                    "Variables are the nodes of the network. The states of an ordered variable "
                    "run from one end to the other, so effects have a sign. A group puts rows "
                    "into groups, to be compared on the page Groups. A frequency says how often "
                    "its row was counted."
                ),
                width=130,
            ),
            "Kind": text(width=115),
            "Distinct values": number(width=110),
            "Missing": number(width=70),
            "Most frequent": st.column_config.ProgressColumn(
                width=115,
                min_value=0.0,
                max_value=100.0,
                format="%.1f %%",
                help="The share of the rows that hold the most frequent value.",
            ),
            "Rare states": number(
                help="States with fewer rows than a slice needs for clear evidence.", width=90
            ),
        },
    )
    if refusal := st.session_state.pop(_REFUSED, None):
        st.error(prose(refusal), icon=":material/error:")


def _edits(reading: Reading, key: str) -> dict[Name, str]:
    by_words = {text: role for role, text in _ROLES.items()}
    rows: dict[int, dict[str, Any]] = st.session_state.get(key, {}).get("edited_rows", {})
    return {reading.names[k]: by_words[cells["Role"]] for k, cells in rows.items()}


def _change_roles(reading: Reading, plan: Preparation, key: str) -> None:
    edits = _edits(reading, key)
    try:
        making.change(reading, with_roles(reading.table, plan, edits, reading.health))
    except BJPError as error:
        how = f" “Add a step”, “{_ORDER}” does that." if "ordered" in edits.values() else ""
        st.session_state[_REFUSED] = f"{error}{how}"


def _shown_roles(reading: Reading, now: dict[Name, str]) -> tuple[dict[Name, str], str]:
    """The roles below the edits of the table, and its key.

    The browser keeps its edits and its place as long as they are what the steps say; a change from
    elsewhere, such as Undo, begins a new table.
    """
    file = (reading.upload.digest, reading.way)
    last, base, number = st.session_state.get(_SHOWN, (None, {}, 0))
    if last == file and base | _edits(reading, f"data-columns-{number}") == now:
        return base, f"data-columns-{number}"
    st.session_state[_SHOWN] = (file, now, number + 1)
    return now, f"data-columns-{number + 1}"


# --- The steps ------------------------------------------------------------------------------------


def _steps(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    st.markdown("**Steps of the preparation**, in their order")
    with st.container(border=True):
        if not plan.steps:
            st.markdown("No steps: the file is used unchanged.")
        for number, step in enumerate(plan.steps[:_MOST_STEPS], 1):
            text = f"**{number}.** {prose(step.sentence)}"
            if loaded is not None:
                text += f"  \n:small[→ {prose(loaded.did[number - 1])}]"
            left, right = st.columns([7, 1], vertical_alignment="center")
            left.markdown(text)
            with right:
                _button("Remove", f"step-out-{number}", reading, plan.without(number), "close")
        if len(plan.steps) > _MOST_STEPS:
            st.caption(f"And {count(len(plan.steps) - _MOST_STEPS, 'step')} more.")
        if plan.steps:
            _button("Remove all", "clear", reading, Preparation(), "delete_sweep")


def _button(
    label: str, key: str, reading: Reading, plan: Preparation, icon: str = "", **more: Any
) -> None:
    """A button that takes other steps."""
    st.button(
        label,
        key=f"data-{key}",
        icon=f":material/{icon}:" if icon else None,
        on_click=making.change,
        args=(reading, plan),
        width="content",
        **{"type": "tertiary", **more},
    )


# --- A step added by hand -------------------------------------------------------------------------


def _add_by_hand(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    """The choice of a kind, and the form of the one chosen."""
    rounds = st.session_state.setdefault(f"{_FORM}-round", 0)
    kind = st.selectbox(
        "Add a step",
        list(_FORMS),
        index=None,
        placeholder="Add a step by hand …",
        key=f"{_FORM}-{rounds}",
        label_visibility="collapsed",
    )
    if kind is None:
        return
    with st.form(f"data-form-{rounds}"):
        st.markdown(f"**{kind}**")
        make = _FORMS[kind](reading, loaded, f"data-form-{rounds}-{list(_FORMS).index(kind)}")
        if not st.form_submit_button("Add this step", icon=":material/add:"):
            return
        try:
            making.change(reading, add_steps(plan, [make()]))
        except BJPError as error:
            st.error(prose(str(error)), icon=":material/error:")
            return
    st.session_state[f"{_FORM}-round"] += 1
    st.rerun()


def _codes_form(reading: Reading, _: Loaded | None, key: str) -> Callable[[], Step]:
    chosen = _several(reading.names, reading, key)
    text = st.text_input(
        "Values that stand for missing cells",
        placeholder="9; 99; k.A.",
        key=f"{key}-codes",
        help="Separate them by semicolons.",
    )
    codes = _parts(text.split(";"))
    return lambda: MissingCodes(tuple((name, codes) for name in chosen))


def _order_form(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    chosen = _several(loaded.data.names if loaded else reading.names, reading, key)
    text = st.text_area(
        "Their states from one end to the other, one per line",
        key=f"{key}-states",
        help="Leave it empty if the states stand in their order already, as numbers do.",
    )
    return lambda: SetRoles(chosen, "ordered", _parts(text.splitlines()) or None)


def _recode_form(reading: Reading, loaded: Loaded | None, key: str) -> Callable[[], Step]:
    chosen = _several(loaded.data.names if loaded else reading.names, reading, key)
    text = st.text_area(
        "Old and new states, one pair per line",
        placeholder="sometimes = often\n5 = 1",
        key=f"{key}-pairs",
        help="States that get the same name become one state.",
    )
    return lambda: RecodeStates(chosen, read_pairs(text))


def _bins_form(reading: Reading, _: Loaded | None, key: str) -> Callable[[], Step]:
    names = [name for name in reading.names if reading.table.column(name).numeric]
    chosen = _several(names, reading, key)
    left, middle, right = st.columns(3)
    ways = {"quantile": "Equally many rows", "equal_width": "Equal width"}
    how = left.selectbox("Bins", list(ways), format_func=ways.__getitem__, key=f"{key}-how")
    bins = middle.number_input("At most how many", 2, 1000, 4, key=f"{key}-bins")
    cuts = right.text_input(
        "Or own cut points",
        placeholder="18; 65",
        key=f"{key}-cuts",
        help=(
            "They replace the choice of bins. Separate them by semicolons. A value on a cut "
            "point belongs to the bin above it."
        ),
    )

    def make() -> Step:
        own = read_numbers(cuts)
        return BinNumbers(chosen, "cuts" if own else how, int(bins), own or None)

    return make


def _filter_form(reading: Reading, _: Loaded | None, key: str) -> Callable[[], Step]:
    name = st.selectbox(
        "Variable", reading.names, format_func=reading.labels.__getitem__, key=f"{key}-name"
    )
    text = st.text_area(
        "Its states, one per line", key=f"{key}-states", help="As they stand in the file."
    )
    ways = {True: "Only these rows are kept", False: "These rows are left out"}
    keep = st.radio(
        "Rows with these states", list(ways), format_func=ways.__getitem__, key=f"{key}-how"
    )
    return lambda: FilterRows(name, _parts(text.splitlines()), keep)


_FORMS: dict[str, Callable[[Reading, Loaded | None, str], Callable[[], Step]]] = {
    "Codes of missing cells": _codes_form,
    _ORDER: _order_form,
    "Recode states": _recode_form,
    "Numbers into bins": _bins_form,
    "Filter rows": _filter_form,
}


def _several(names: Sequence[Name], reading: Reading, key: str) -> tuple[Name, ...]:
    known = dict(zip(names, tell_apart(names), strict=True)) | reading.labels
    picked = st.multiselect(
        "Variables",
        list(names),
        format_func=known.__getitem__,
        placeholder="Choose",
        key=f"{key}-columns",
    )
    return tuple(name for name in names if name in set(picked))


def _parts(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts without the space around them, but for those that are empty then."""
    return tuple(part.strip() for part in texts if part.strip())


def read_numbers(text: str) -> tuple[float, ...]:
    """Numbers with semicolons between."""
    found = []
    for part in _parts(text.split(";")):
        try:
            found.append(float(part.replace(",", ".")))
        except ValueError:
            raise OptionError(
                f"{clip(part, 30)} is not a number; write cut points such as 18; 65."
            ) from None
    return tuple(found)


def read_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Old and new states, a pair "old = new" a line."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        old, mark, new = (part.strip() for part in line.rpartition("="))
        if not (old and mark and new):
            raise OptionError(
                f"{clip(line, 30)} is no pair; write the old state, =, and the new one."
            )
        found.append((old, new))
    return tuple(found)
