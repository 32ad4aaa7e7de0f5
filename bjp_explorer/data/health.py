"""The health report in words, worst first, each finding with a button that answers it."""

from __future__ import annotations

import streamlit as st

from bjp_engine.health import Finding, blanket_limit
from bjp_engine.health.findings import SEVERITIES, find_row_limit
from bjp_engine.preparation import MissingCells, Preparation
from bjp_explorer.data import plan as data_plan
from bjp_explorer.data import visit, words
from bjp_explorer.data.reading import Reading
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, markdown, prose

# More findings than this have no buttons, and still more are only counted.
_MOST, _WORDS = 12, 100
_BADGES = {
    "stop": (":material/block:", "red"),
    "serious": (":material/error:", "orange"),
    "warning": (":material/warning:", "yellow"),
    "note": (":material/info:", "blue"),
}


def show(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    """What was found in a file, and what is done about it."""
    findings = reading.health.findings
    st.markdown(words.HEALTH)
    # What the suggested steps answer comes last, and stays where it is when that changes.
    order = sorted(
        range(min(len(findings), _MOST)),
        key=lambda k: data_plan.is_answered(findings[k], reading.suggestion, reading.names),
    )
    with st.container(border=True):
        for number in order:
            finding = _now(findings[number], loaded)
            _finding(reading, plan, finding, number)
        if len(findings) > _MOST:
            rest = findings[_MOST:]
            st.markdown(f"**{count(len(rest), words.MORE_FINDINGS)}**")
            st.markdown("\n".join(f"- {prose(one.sentence)}" for one in rest[:_WORDS]))


def _now(finding: Finding, loaded: Loaded | None) -> Finding:
    """A finding; what the rows allow is that of the dataset that the steps made."""
    if finding.kind != "blankets" or loaded is None:
        return finding
    data = loaded.data.drop_unused_states()
    return find_row_limit(blanket_limit(data.rows, data.cardinalities), data.n, data.rows)


def _finding(reading: Reading, plan: Preparation, finding: Finding, number: int) -> None:
    """One finding: what it is, and its button."""
    badge = SEVERITIES[finding.severity]
    icon, colour = _BADGES[finding.severity]
    answered = data_plan.is_answered(finding, plan, reading.names)
    if answered:
        badge, icon, colour = words.RESOLVED, ":material/check:", "green"
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None, width="stretch"):
            st.markdown(f":{colour}-badge[{icon} {badge}] **{finding.title}**")
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
        other = data_plan.take_back(plan, finding)
        label, icon = words.UNDO, ":material/undo:"
    else:
        other = data_plan.add(plan, finding.steps, reading.names)
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
        "drop": words.DROP_ROWS.format(complete=complete),
        "state": words.MAKE_STATE,
        "most_frequent": words.FILL_IN,
        "impute": words.IMPUTE,
    }
    with st.container(horizontal=True):
        for how, label in ways.items():
            if how in done or (how == "drop" and not complete):
                continue
            st.button(
                label,
                key=f"data-missing-{how}",
                type="tertiary",
                help=words.IMPUTE_HELP if how == "impute" else None,
                on_click=visit.change,
                args=(reading, data_plan.add(plan, [MissingCells(how)], reading.names)),
                width="content",
            )
