"""An assertion that is inferred: why it holds, and what the skipped test would have said."""

from __future__ import annotations

import networkx as nx
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.independence import TestTrace
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.shell import caches
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.text import psi
from bjp_explorer.step import words


def reverse(term: AssertionTerm, trace: ScoreTrace) -> tuple[AssertionTerm, int]:
    """The computed assertion about the same pair, and its step, from 1."""
    where = {name: k for k, name in enumerate(trace.order)}
    # Row by row, without the diagonal; the computed one stands above it.
    step = where[term.y] * (len(where) - 1) + where[term.x]
    made = trace.terms[step - 1]
    assert isinstance(made, AssertionTerm)
    return made, step


def show(
    term: AssertionTerm,
    trace: ScoreTrace,
    data: Dataset,
    known: dict[str, nx.Graph[object]],
    cells: Cells,
) -> None:
    """Why there is no test, and whether the one that is skipped agrees.

    `known` are graphs to compare with, by their names.
    """
    made, step = reverse(term, trace)
    where = {name: k for k, name in enumerate(trace.order)}
    test = sum(isinstance(each, AssertionTerm) and each.computed for each in trace.terms[:step])
    ranks = psi(where[term.y]), psi(where[term.x])
    st.markdown(words.why_inferred(term, made, test=test, step=step, ranks=ranks))
    here = caches.bayesian_test(data, made.x, made.y, made.given, cells)
    there = caches.bayesian_test(data, term.x, term.y, term.given, cells)
    agrees, sentence = words.verdict(
        term,
        made,
        there.log_dependent if term.dependent else there.log_independent,
        test=test,
        rows=(rows_a_slice(here), rows_a_slice(there)),
        known={name: graph.has_edge(term.x, term.y) for name, graph in known.items()},
    )
    if agrees:
        st.markdown(sentence)
    else:
        st.warning(sentence, icon=":material/casino:")


def rows_a_slice(test: TestTrace) -> float:
    """How many rows there are for each slice that occurs."""
    return sum(part.rows for part in test.slices) / max(len(test.slices), 1)
