"""An assertion that BJP infers: why it holds, from which test, and what IB-score does instead."""

from __future__ import annotations

import streamlit as st

from bjp_engine.independence import TestTrace
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.shell.text import count, markdown, names_list, number, probability, psi, shown


def reverse(term: AssertionTerm, trace: ScoreTrace) -> tuple[AssertionTerm, int]:
    """The computed assertion about the same pair, and its step, from 1."""
    where = {name: k for k, name in enumerate(trace.order)}
    # Row by row, without the diagonal; the computed one stands above it.
    step = where[term.y] * (len(where) - 1) + where[term.x]
    made = trace.terms[step - 1]
    assert isinstance(made, AssertionTerm)
    return made, step


def show(term: AssertionTerm, trace: ScoreTrace, made: AssertionTerm, step: int) -> None:
    """Why there is no test."""
    where = {name: k for k, name in enumerate(trace.order)}
    # The text is ours but for the names, which Markdown must not read.
    earlier, later = markdown(shown(term.y)), markdown(shown(term.x))
    presence = "an edge" if term.dependent else "no edge"
    test = sum(isinstance(each, AssertionTerm) and each.computed for each in trace.terms[:step])
    st.markdown("**No test was made here**")
    st.markdown(
        f"Test {test:,} already decided this pair from its other end: there is {presence} between "
        f"{earlier} ({psi(where[term.y])}) and {later} ({psi(where[term.x])}). {earlier} comes "
        "first in the order, so its blanket is already given, and it says whether "
        f"{later} is in it. Given that outcome, this assertion holds with probability 1: nothing "
        "is left to test, and the score adds ln 1 = 0. The skipped test "
        f"would have conditioned on {count(len(term.given), 'variable')}; "
        f"the test made in its place conditioned on {len(made.given):,}."
    )
    relation = "⊥̸" if made.dependent else "⊥"
    given = markdown(names_list(made.given))
    st.markdown(
        f"**It follows from test {test:,} (assertion {step:,}):** "
        f"{earlier} {relation} {later} given {given}, "
        f"Pr = {probability(made.value)}."
    )


def compare(here: TestTrace, there: TestTrace, dependent: bool) -> None:
    """The test that was made beside the one that was not."""
    sign = "⊥̸" if dependent else "⊥"
    made, spared = (
        (probability(t.log_dependent if dependent else t.log_independent), _rows(t))
        for t in (here, there)
    )
    st.warning(
        f"**BJP skips this test.** From this end Pr({sign}) = {spared[0]}, with {spared[1]} per "
        f"non-empty slice. From the other end, by the test that BJP made, it is {made[0]}, with "
        f"{made[1]} per non-empty slice. IB-score multiplies both.",
        icon=":material/block:",
    )


def _rows(test: TestTrace) -> str:
    """How many rows there are for each slice that occurs."""
    rows = sum(part.rows for part in test.slices)
    mean = rows / max(len(test.slices), 1)
    return f"{number(mean, 0 if mean >= 10 else 1)} rows"
