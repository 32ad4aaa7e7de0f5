"""The table of a file's columns: what each is, with its role, which is changed in its cell."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError
from bjp_engine.preparation import Preparation
from bjp_explorer.data import roles, visit, words
from bjp_explorer.data.reading import Reading
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import prose

# What the table showed before it was edited, under which key, and why a role was refused.
_SHOWN, _REFUSED = "data-roles-shown", "data-roles-refused"


def show(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    """The table of columns, and what of an order is lost."""
    st.markdown(words.COLUMNS)
    now = roles.roles_of(reading, plan)
    base, key = _table(reading, now)
    frame = reading.variables.copy()
    frame.insert(1, words.ROLE, [words.ROLES[base[name]] for name in reading.names])
    st.data_editor(
        frame,
        hide_index=True,
        height=35 * (min(len(reading.names), 12) + 1) + 3,
        key=key,
        disabled=[name for name in frame.columns if name != words.ROLE],
        on_change=change,
        args=(reading, plan, key),
        column_config={
            words.COLUMN: st.column_config.TextColumn(pinned=True, width=150),
            words.ROLE: st.column_config.SelectboxColumn(
                options=list(words.ROLES.values()), required=True, help=words.ROLE_HELP, width=130
            ),
            words.KIND: st.column_config.TextColumn(width=90),
            words.VALUES: st.column_config.NumberColumn(width=110),
            words.MISSING_CELLS: st.column_config.NumberColumn(width=70),
            words.FREQUENT: st.column_config.ProgressColumn(
                width=115,
                min_value=0.0,
                max_value=1.0,
                format="percent",
                help=words.FREQUENT_HELP,
            ),
            words.RARE: st.column_config.NumberColumn(help=words.RARE_HELP, width=90),
            words.SPELLINGS: st.column_config.NumberColumn(help=words.SPELLINGS_HELP, width=125),
        },
    )
    if why := st.session_state.pop(_REFUSED, ""):
        st.error(prose(why), icon=":material/error:")
    if lost := _unordered(now, loaded):
        st.caption(prose(words.NO_LONGER_ORDERED.format(names=words.list_some(map(str, lost)))))


def change(reading: Reading, plan: Preparation, key: str) -> None:
    """Give columns the roles that were chosen in their cells."""
    edits: dict[int, dict[str, Any]] = st.session_state[key]["edited_rows"]
    by_words = {text: role for role, text in words.ROLES.items()}
    now = roles.roles_of(reading, plan)
    try:
        for place, cells in edits.items():
            name, role = reading.names[place], by_words[cells[words.ROLE]]
            if now[name] != role:
                plan = roles.with_role(reading, plan, name, role)
    except BJPError as error:
        st.session_state[_REFUSED] = str(error)
    visit.change(reading, plan)


def _table(reading: Reading, now: dict[Name, str]) -> tuple[dict[Name, str], str]:
    """The roles below the edits of the table, and its key.

    The browser keeps its edits and its place as long as they are what the steps say; a change from
    elsewhere, such as Undo, begins a new table.
    """
    file = (reading.upload.digest, reading.way)
    last, base, number = st.session_state.get(_SHOWN, (None, {}, 0))
    if last == file:
        edits = st.session_state.get(f"data-columns-{number}", {}).get("edited_rows", {})
        by_words = {text: role for role, text in words.ROLES.items()}
        seen = base | {
            reading.names[place]: by_words[cells[words.ROLE]] for place, cells in edits.items()
        }
        if seen == now:
            return base, f"data-columns-{number}"
    st.session_state[_SHOWN] = (file, now, number + 1)
    return now, f"data-columns-{number + 1}"


def _unordered(now: dict[Name, str], loaded: Loaded | None) -> list[Name]:
    """Columns declared as ordered, of more than two states, that the dataset has unordered."""
    if loaded is None:
        return []
    data = loaded.data
    return [
        name
        for name, ordered, states in zip(data.names, data.ordered, data.cardinalities, strict=True)
        if now.get(name) == "ordered" and not ordered and states > 2
    ]
