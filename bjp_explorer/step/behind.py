"""What stands behind one term of a score: drawn by Streamlit, from the engine's traces."""

from __future__ import annotations

from typing import Any, NamedTuple

import networkx as nx
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.classical import ClassicalTrace
from bjp_engine.dataset import Name
from bjp_engine.independence import TestTrace
from bjp_engine.scores import AssertionTerm, LocalTerm, ScoreTrace, local_trace
from bjp_explorer.shell import caches
from bjp_explorer.shell.caches import Cells
from bjp_explorer.step import behind_growth, behind_inferred, words
from bjp_explorer.views import classical as behind_classical
from bjp_explorer.views import drill

SLICES_A_PAGE = 4


class Assertion(NamedTuple):
    """What a test is about: ⟨x ⊥ y | given⟩, or its negation where `dependent`."""

    x: Name
    y: Name
    given: tuple[Name, ...]
    dependent: bool


def show(
    trace: ScoreTrace,
    position: int,
    data: Dataset,
    known: dict[str, nx.Graph[Any]],
    cells: Cells = "equal",
    *,
    predict: bool = False,
) -> None:
    """The counts behind a term, or why there are none.

    `known` are graphs, by their names; `predict` asks how the posterior grows before showing it.
    """
    term = trace.terms[position - 1]
    with st.container(border=True):
        if isinstance(term, LocalTerm):
            _local(term, data)
        elif term.computed:
            show_test(_assertion(term), data, cells, predict=predict)
        else:
            behind_inferred.show(term, trace, data, known, cells)
            if st.toggle(words.SKIPPED, key="step-spared"):
                show_test(_assertion(term), data, cells, predict=predict)


@st.fragment
def show_test(
    assertion: Assertion,
    data: Dataset,
    cells: Cells = "equal",
    key: str = "step",
    *,
    predict: bool = False,
) -> None:
    """A test on all rows or on some: its slices, its product, the classical tests, its growth."""
    x, y, given, dependent = assertion
    sets, order = behind_growth.grow_sets(given), behind_growth.order(key)
    counts = st.container()
    beside, growing = st.columns([1, 1.1], gap="medium")
    with growing:
        st.markdown(words.FEWER_ROWS)
        asking = predict and behind_growth.ask(
            caches.posterior_curves(data, (x, y), sets, order, cells), f"{data.digest} {cells}", key
        )
        rows, seed = (data.rows, order) if asking else behind_growth.slider(data, key)
    part = caches.subsample_of(data, (x, y, *given), rows, seed) if rows < data.rows else data
    test = caches.bayesian_test(part, x, y, given, cells)
    classical = caches.classical_tests(part, x, y, given)
    with counts:
        if rows < data.rows:
            st.info(words.some_rows(rows, data.rows), icon=":material/filter_alt:")
        _counts(test, classical, dependent, part, key)
    with beside:
        st.markdown(words.CLASSICAL)
        behind_classical.show(test, classical)
    if not asking:
        with growing:
            grown = caches.posterior_curves(data, (x, y), sets, seed, cells)
            behind_growth.show(grown, rows, dependent, key)


def _assertion(term: AssertionTerm) -> Assertion:
    """What a term asserts."""
    return Assertion(term.x, term.y, term.given, term.dependent)


def _counts(
    test: TestTrace, classical: ClassicalTrace, dependent: bool, data: Dataset, key: str
) -> None:
    """Slices, evidence, posterior."""
    st.markdown(words.COUNTS)
    product, size = st.container(), len(test.slices)
    order = list(range(size))
    if size > SLICES_A_PAGE:
        controls = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
        with controls:
            if _is_telling_first(key):
                order = drill.telling(test)
            first, last = _range_of(size, words.SLICES, key)
    else:
        first, last = 0, size
    with product:
        st.html(drill.product_html(test, dependent, order))
    st.html(drill.slices_html(test, classical, data, order[first:last]))
    if test.unseen:
        st.caption(words.without_rows(test.given, test.unseen, test.log_unseen))
    odds = drill.odds_words(test.log_independent)
    if test.options.prior_cells == "centred":
        st.caption(words.reading_centred(test.log_independent, odds))
    else:
        st.caption(words.reading_slices(test.log_independent, odds))


def _is_telling_first(key: str) -> bool:
    """In which order many slices are shown."""
    chosen = st.segmented_control(
        words.SLICES,
        [words.TELLING_FIRST, words.IN_ORDER],
        default=words.TELLING_FIRST,
        required=True,
        key=f"{key}-slices",
        persist_state="session",
    )
    return bool(chosen == words.TELLING_FIRST)


def _local(term: LocalTerm, data: Dataset) -> None:
    """The counts of a variable's states in each configuration of its blanket."""
    local = local_trace(data, term.x, term.given)
    st.markdown(words.COUNTS)
    st.caption(words.reading_local(local.value, local.log_alpha))
    first, last = _range_of(len(local.slices), words.CONFIGURATIONS, "step")
    st.html(drill.local_html(local, data, first, last))
    without = local.configurations - len(local.slices)
    if without:
        st.caption(words.empty_configurations(without))


def _range_of(size: int, noun: str, key: str) -> tuple[int, int]:
    """Which slices to lay out, when there are many."""
    if size <= SLICES_A_PAGE:
        return 0, size
    last_page = -(-size // SLICES_A_PAGE)
    label = words.page_of(noun, last_page)
    page = int(st.number_input(label, 1, last_page, 1, key=f"{key}-page-{noun}", width=200))
    return (page - 1) * SLICES_A_PAGE, min(size, page * SLICES_A_PAGE)
