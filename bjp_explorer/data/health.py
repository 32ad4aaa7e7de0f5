"""The health report in words, worst first, each finding with a button that answers it."""

from __future__ import annotations

import streamlit as st

from bjp_engine.health import Finding
from bjp_engine.preparation import MissingCells, Preparation
from bjp_explorer.data import plan as data_plan
from bjp_explorer.data import visit
from bjp_explorer.data.reading import Reading
from bjp_explorer.shell.text import count, markdown, prose

# More findings than this are told in words only.
_MOST, _WORDS = 12, 100
_BADGES = {
    "stop": ("must be resolved", ":material/block:", "red"),
    "serious": ("serious", ":material/error:", "orange"),
    "warning": ("check this", ":material/warning:", "yellow"),
    "note": ("good to know", ":material/info:", "blue"),
}


def shown(reading: Reading, plan: Preparation) -> None:
    """What was found in a file, and what is done about it."""
    findings = reading.health.findings
    st.markdown("**Health of the file**, worst finding first")
    with st.container(border=True, gap="small"):
        for number, finding in enumerate(findings[:_MOST]):
            _finding(reading, plan, finding, number)
        if len(findings) > _MOST:
            rest = findings[_MOST:]
            st.markdown(f"**{count(len(rest), 'more finding')}**")
            st.markdown("\n".join(f"- {prose(one.sentence)}" for one in rest[:_WORDS]))
    with st.expander("What each column is", icon=":material/table_rows:"):
        _variables(reading)


def _finding(reading: Reading, plan: Preparation, finding: Finding, number: int) -> None:
    """One finding: what it is, and its button."""
    words, icon, colour = _BADGES[finding.severity]
    answered = data_plan.answered(finding, plan, reading.names)
    if answered:
        words, icon, colour = "resolved", ":material/check:", "green"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(gap=None, width="stretch"):
            st.markdown(f":{colour}-badge[{icon} {words}] **{finding.title}**")
            st.markdown(prose(finding.sentence))
            if finding.kind == "missing":
                _otherwise(reading, plan)
        if finding.steps:
            _answer(reading, plan, finding, number, answered=answered)


def _answer(
    reading: Reading, plan: Preparation, finding: Finding, number: int, *, answered: bool
) -> None:
    """The button that does the obvious thing, or takes it back."""
    if answered:
        other = data_plan.taking_back(plan, finding)
        label, icon = "Undo", ":material/undo:"
    else:
        other = data_plan.adding(plan, finding.steps, reading.names)
        label, icon = finding.action, ":material/check:"
    st.button(
        markdown(label),
        key=f"data-finding-{number}",
        icon=icon,
        help=prose(" ".join(step.sentence for step in finding.steps)),
        disabled=other == plan,
        on_click=visit.change,
        args=(reading, other),
        width="content",
    )


def _otherwise(reading: Reading, plan: Preparation) -> None:
    """The other answers to missing cells: no guess fits every table."""
    done = {step.how for step in plan.steps if isinstance(step, MissingCells)}
    complete = next(
        one.figures["complete"] for one in reading.health.findings if one.kind == "missing"
    )
    ways = {
        "drop": f"Drop their rows ({complete:,.0f} left)",
        "state": "Make them a state",
        "most_frequent": "Fill in the most frequent state",
    }
    with st.container(horizontal=True, gap="small"):
        for how, label in ways.items():
            if how in done or (how == "drop" and not complete):
                continue
            st.button(
                label,
                key=f"data-missing-{how}",
                type="tertiary",
                on_click=visit.change,
                args=(reading, data_plan.adding(plan, [MissingCells(how)], reading.names)),
                width="content",
            )


def _variables(reading: Reading) -> None:
    """The table of columns."""
    st.dataframe(
        reading.variables,
        hide_index=True,
        height=35 * (min(len(reading.names), 9) + 1) + 3,
        key="data-columns",
        column_config={
            "Column": st.column_config.TextColumn(pinned=True, width="medium"),
            "Most frequent": st.column_config.ProgressColumn(
                min_value=0.0,
                max_value=1.0,
                format="percent",
                help="The share of the rows that hold the most frequent value.",
            ),
            "Rare states": st.column_config.NumberColumn(
                help="States with fewer rows than a slice needs for clear evidence."
            ),
            "Several spellings": st.column_config.NumberColumn(
                help="Values that differ from another value only in capital letters or spaces."
            ),
        },
    )
