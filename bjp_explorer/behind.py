"""What stands behind one term of a score: drawn by Streamlit, from the engine's traces."""

from __future__ import annotations

import streamlit as st

from bjp_engine import AssertionTerm, Dataset, LocalTerm, ScoreTrace, local_trace
from bjp_explorer import cached, drill
from bjp_explorer.text import count, markdown, names_list, number, probability, psi, shown

SLICES_A_PAGE = 4


def show(trace: ScoreTrace, position: int, data: Dataset) -> None:
    """The counts behind a term, or why there are none.

    Parameters
    ----------
    trace : ScoreTrace
    position : int
        1 for the first term.
    data : Dataset
    """
    term = trace.terms[position - 1]
    with st.container(border=True):
        if isinstance(term, LocalTerm):
            _local(term, data)
        elif term.computed:
            _test(term, data)
        else:
            _inferred(term, trace)


def _test(term: AssertionTerm, data: Dataset) -> None:
    """Slices, evidence, posterior."""
    test = cached.tested(data.digest, term.x, term.y, term.given, data)
    st.markdown("**The counts behind it**")
    st.html(drill.product_html(test, term.dependent))
    first, last = _range_of(len(test.slices), "Slices")
    st.html(drill.slices_html(test, data, first, last))
    if test.unseen:
        st.caption(
            f"{_unseen(test.unseen)} of {names_list(test.given)} without a row: each keeps its "
            f"prior, together a factor of {probability(test.log_unseen)}."
        )
    st.caption(
        f"Pr(⊥ | D) = {probability(test.log_independent)}: "
        f"{drill.odds_words(test.log_independent)}. In each slice g is the evidence of "
        "independence, h that of dependence, p the slice's share of the prior ½."
    )


def _inferred(term: AssertionTerm, trace: ScoreTrace) -> None:
    """Why there is no test."""
    where = {name: k for k, name in enumerate(trace.order)}
    # The text is ours but for the names, which Markdown must not read.
    earlier, later = markdown(shown(term.y)), markdown(shown(term.x))
    made = trace.graph.degree[term.y] - term.dependent
    presence = "an edge" if term.dependent else "no edge"
    st.markdown("**No test was made here**")
    st.markdown(
        f"This assertion is about the same pair as one before it, seen from the other end: that "
        f"there is {presence} between {earlier} ({psi(where[term.y])}) and {later} "
        f"({psi(where[term.x])}). {earlier} comes first in the order, so its whole blanket is "
        f"given by now, and that blanket already says whether {later} is in it. What is given "
        "holds with probability 1: nothing is left to test, and ln 1 = 0 is added. The test that "
        f"was saved would have conditioned on {count(len(term.given), 'variable')}, "
        f"the one that was made on {made:,}."
    )


def _local(term: LocalTerm, data: Dataset) -> None:
    """The counts of a variable's states in each configuration of its blanket."""
    local = local_trace(data, term.x, term.given)
    st.markdown("**The counts behind it**")
    st.caption(
        "Rows by state of the variable, in each configuration of its blanket. The last column "
        f"adds up to the local score, {number(local.value)}. "
        f"α = {probability(local.log_alpha)} for each cell."
    )
    first, last = _range_of(len(local.slices), "Configurations")
    st.html(drill.local_html(local, data, first, last))
    without = local.configurations - len(local.slices)
    if without:
        st.caption(f"{_unseen(without)} without a row: they add 0.")


def _range_of(size: int, noun: str) -> tuple[int, int]:
    """Which slices to lay out, when there are many."""
    if size <= SLICES_A_PAGE:
        return 0, size
    last_page = -(-size // SLICES_A_PAGE)
    page = int(
        st.number_input(
            f"{noun}, page 1 to {last_page}", 1, last_page, 1, key=f"step-page-{noun}", width=200
        )
    )
    return (page - 1) * SLICES_A_PAGE, min(size, page * SLICES_A_PAGE)


def _unseen(unseen: int) -> str:
    """How many configurations have no row; beyond a billion only the order of magnitude."""
    if unseen < 10**9:
        return count(unseen, "configuration")
    return f"About 10^{len(str(unseen)) - 1} configurations"
