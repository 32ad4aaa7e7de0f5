"""What stands behind one term of a score: drawn by Streamlit, from the engine's traces."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from bjp_engine import Dataset
from bjp_engine.classical import ClassicalTrace
from bjp_engine.dataset import Name
from bjp_engine.independence import TestTrace
from bjp_engine.scores import AssertionTerm, LocalTerm, ScoreTrace, local_trace
from bjp_explorer.shell import caches
from bjp_explorer.shell.text import count, names_list, number, probability
from bjp_explorer.step import behind_growth, behind_inferred
from bjp_explorer.views import classical as behind_classical
from bjp_explorer.views import drill

SLICES_A_PAGE = 4
TELLING, IN_ORDER = "most telling first", "in order"


class Asked(NamedTuple):
    """A test that is to be shown: ⟨x ⊥ y | given⟩, or its negation where `dependent`."""

    x: Name
    y: Name
    given: tuple[Name, ...]
    dependent: bool


def show(trace: ScoreTrace, position: int, data: Dataset) -> None:
    """The counts behind a term, or why there are none."""
    term = trace.terms[position - 1]
    with st.container(border=True):
        if isinstance(term, LocalTerm):
            _local(term, data)
        elif term.computed:
            show_test(_asked(term), data)
        else:
            _inferred(term, trace, data)


@st.fragment
def show_test(asked: Asked, data: Dataset, key: str = "step") -> None:
    """A test on all rows or on some: its slices, its product, the classical tests, its growth."""
    counts = st.container()
    beside, growing = st.columns([1, 1.1], gap="medium")
    with growing:
        st.markdown("**With fewer rows**")
        rows, seed = behind_growth.slider(data, key)
    x, y, given, dependent = asked
    part = caches.subsample_of(data, (x, y, *given), rows, seed) if rows < data.rows else data
    test = caches.bayesian_test(part, x, y, given)
    classical = caches.classical_tests(part, x, y, given)
    with counts:
        if rows < data.rows:
            st.info(
                f"This box uses {rows:,} of the {data.rows:,} rows. The score above uses all rows.",
                icon=":material/filter_alt:",
            )
        _counts(test, classical, dependent, part, key)
    with beside:
        st.markdown("**Compare with the classical tests**")
        behind_classical.show(test, classical)
    with growing:
        sets = behind_growth.nested(given)
        grown = caches.posterior_curves(data, (x, y), sets, seed)
        behind_growth.show(grown, rows, dependent, key)


def _asked(term: AssertionTerm) -> Asked:
    """The test of a term."""
    return Asked(term.x, term.y, term.given, term.dependent)


def _counts(
    test: TestTrace, classical: ClassicalTrace, dependent: bool, data: Dataset, key: str
) -> None:
    """Slices, evidence, posterior."""
    st.markdown("**The counts behind it**")
    product, size = st.container(), len(test.slices)
    order = list(range(size))
    if size > SLICES_A_PAGE:
        controls = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
        with controls:
            if _telling_first(key):
                order = drill.telling(test)
            first, last = _range_of(size, "Slices", key)
    else:
        first, last = 0, size
    with product:
        st.html(drill.product_html(test, dependent, order))
    st.html(drill.slices_html(test, classical, data, order[first:last]))
    if test.unseen:
        st.caption(
            f"{_unseen(test.unseen)} of {names_list(test.given)} without a row: each keeps its "
            f"prior, in total a factor of {probability(test.log_unseen)}."
        )
    st.caption(
        f"Pr(⊥ | D) = {probability(test.log_independent)}: "
        f"{drill.odds_words(test.log_independent)}. Small numbers: counts expected under "
        "independence. In each slice, g is the evidence of independence, h the evidence of "
        "dependence, and pₖ the slice’s share of the prior ½. "
        "Pr(⊥ here) = pₖ g / (pₖ g + (1 − pₖ) h), and these multiply."
    )


def _telling_first(key: str) -> bool:
    """In which order many slices are shown."""
    chosen = st.segmented_control(
        "Slices",
        [TELLING, IN_ORDER],
        default=TELLING,
        required=True,
        key=f"{key}-slices",
        persist_state="session",
    )
    return bool(chosen == TELLING)


def _inferred(term: AssertionTerm, trace: ScoreTrace, data: Dataset) -> None:
    """Why there is no test, and the one that IB-score makes in its place."""
    made, step = behind_inferred.reverse(term, trace)
    behind_inferred.show(term, trace, made, step)
    if st.toggle("Show the test that IB-score makes here", key="step-spared"):
        there = caches.bayesian_test(data, term.x, term.y, term.given)
        here = caches.bayesian_test(data, made.x, made.y, made.given)
        behind_inferred.compare(here, there, term.dependent)
        show_test(_asked(term), data)


def _local(term: LocalTerm, data: Dataset) -> None:
    """The counts of a variable's states in each configuration of its blanket."""
    local = local_trace(data, term.x, term.given)
    st.markdown("**The counts behind it**")
    st.caption(
        "The table counts rows by state of the variable, in each configuration of its blanket. The "
        f"last column adds up to the local score, {number(local.value)}. "
        f"α = {probability(local.log_alpha)} for each cell."
    )
    first, last = _range_of(len(local.slices), "Configurations", "step")
    st.html(drill.local_html(local, data, first, last))
    without = local.configurations - len(local.slices)
    if without:
        st.caption(f"{_unseen(without)} without a row: they add 0.")


def _range_of(size: int, noun: str, key: str) -> tuple[int, int]:
    """Which slices to lay out, when there are many."""
    if size <= SLICES_A_PAGE:
        return 0, size
    last_page = -(-size // SLICES_A_PAGE)
    page = int(
        st.number_input(
            f"{noun}, page 1 to {last_page}", 1, last_page, 1, key=f"{key}-page-{noun}", width=200
        )
    )
    return (page - 1) * SLICES_A_PAGE, min(size, page * SLICES_A_PAGE)


def _unseen(unseen: int) -> str:
    """How many configurations have no row; beyond a billion only the order of magnitude."""
    if unseen < 10**9:
        return count(unseen, "configuration")
    return f"About 10^{len(str(unseen)) - 1} configurations"
