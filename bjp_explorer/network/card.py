"""The edge card: everything that is known of one pair, opened by a click on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import streamlit as st

from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import judge_pairs
from bjp_explorer.downloads.result import Result
from bjp_explorer.network import confidence, words
from bjp_explorer.network.slices import (
    MOST_SLICES,
    MOST_STATES,
    Shares,
    count_shares,
    describe_shares,
    describe_where,
    slice_table,
)
from bjp_explorer.shell import caches, opening, origins
from bjp_explorer.shell.components import numbers_in
from bjp_explorer.shell.text import markdown, number, plain, prose
from bjp_explorer.views.edges import Line, pair_name
from bjp_explorer.views.effects import AMONG, MEANINGS, join_states
from bjp_explorer.views.words import MEASURES

_ASKED = "network-card-asked"
SHARES_OF = "Shares of"
SLICE, ROWS, DEPENDENT = "slice", "rows", "Pr(dependent) here"
STEP = "Step through its test"
NOT_MADE = "not computed"
WHY = "Why it is an edge, or none:"
VARIES = (
    "The effect differs between rows: its standard deviation over the states of their common "
    "neighbours is {spread}, so one number does not describe it. Look at the slices below."
)
ABOUT_SLICES = (
    "Shares are those of the data. A slice is a configuration of the conditioning set of the "
    "pair’s test, the blanket of one end."
)


@dataclass(frozen=True, eq=False, slots=True)
class Card:
    """What is known of a pair."""

    # What the page shows.
    result: Result
    line: Line
    # The columns of its test: that of the variable whose blanket is given, and the other.
    test: tuple[int, int]
    # The kinds of numbers, each with its value or why there is none.
    measures: dict[str, str]
    # Sentences: the verdict, and the effect.
    facts: list[str]
    # Why it is an edge, or none.
    why: str


def card_of(result: Result, line: Line, why: str) -> Card:
    """The card of a pair of which a page shows the line, and why it is an edge."""
    trace, sure, data = result.learned, result.confidence, result.data
    assert trace is not None
    assert sure is not None
    pair = line.i, line.j
    verdict = ""
    if sure.judged is not None:
        verdict = f" ({judge_pairs(line.confidence, sure.judged[pair], *result.verdicts)})"
    how = origins.origin(trace, result.tables)
    where = f"{'An edge' if line.learned else 'No edge'} of the graph {how}"
    facts = [f"{where}; {MEASURES[sure.kind]} {number(line.confidence, 4)}{verdict}."]
    effect = result.of_edges().get(pair)
    if effect is not None:
        joined = join_states(pair, effect, data)
        facts.append(
            f"{effect.text[:1].upper()}{effect.text[1:]}{f': {joined}' if joined else ''}."
        )
        facts[-1] += f" {MEANINGS[effect.kind]}"
        if effect.among:
            facts.append(AMONG.format(among=effect.among))
        if effect.varies:
            facts.append(VARIES.format(spread=number(effect.spread, 2)))
    measures, known = {}, result.options.get("known", confidence.NOTHING)
    for kind, found in confidence.made(result.loaded, trace.search, known).items():
        value = NOT_MADE if found is None else _value(found, pair)
        measures[words.KINDS[kind]] = number(line.test, 4) if kind == "test" else value
    # The end whose blanket is the conditioning set comes first.
    names = data.names
    near = {*trace.graph[names[line.i]]} - {names[line.j]} == {*line.given}
    return Card(result, line, pair if near else (line.j, line.i), measures, facts, why)


def _value(found: EdgeConfidence, pair: tuple[int, int]) -> str:
    """The number of a pair with its error."""
    error = "" if found.error is None else f" ± {number(float(found.error[pair]), 4)}"
    return f"{number(float(found.matrix[pair]), 4)}{error}"


def ask(pair: tuple[int, int]) -> None:
    """Ask for the card of a pair, once."""
    st.session_state[_ASKED] = pair


def ask_clicked(edge: object, n: int) -> None:
    """Ask for the card of the edge that was clicked, if one was."""
    pair = numbers_in(edge, n, n)
    if pair is not None and pair[0] != pair[1]:
        ask((min(pair), max(pair)))


def asked() -> tuple[int, int] | None:
    """The pair whose card was asked for; the question is then forgotten."""
    pair: tuple[int, int] | None = st.session_state.pop(_ASKED, None)
    return pair


def show(card: Card) -> None:
    """Open the card."""
    title = pair_name((card.line.i, card.line.j), card.result.data, 40)
    st.dialog(markdown(title), width="large")(_content)(card)


def _content(card: Card) -> None:
    """What stands on it."""
    for fact in card.facts:
        st.markdown(prose(fact))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(" · ".join(f"{kind} {value}" for kind, value in card.measures.items()))
        if st.button(STEP, key="network-card-step", icon=":material/footprint:"):
            opening.begin_at(*card.test)
            _open_step(card.result)
    _show_slices(card)
    if card.why:
        st.caption(prose(f"{WHY} {card.why}."))


def _open_step(result: Result) -> NoReturn:
    """Step through the score of the learned graph."""
    trace = result.learned
    assert trace is not None
    if result.options:
        how = origins.origin(trace)
        opening.open_graph(result.loaded, trace.graph, "bjp", how, cells=result.cells)
    opening.open_learned("bjp", "auto" if trace.search == "auto" else "learned", result.cells)


def _show_slices(card: Card) -> None:
    """The counts of the pair in words and as a table."""
    data, (i, j) = card.result.data, card.test
    x, y = data.names[i], data.names[j]
    test = caches.bayesian_test(data, x, y, card.line.given, card.result.cells)
    labels = {name: plain(name, 28) for name in (y, x)}
    of = st.segmented_control(
        SHARES_OF,
        list(labels),
        format_func=labels.__getitem__,
        default=y,
        required=True,
        key=f"network-card-of {i} {j}",
    )
    found = count_shares(test, data, of, data.ordered[data.index(of)])
    for text in (*describe_shares(found), describe_where(found)):
        st.markdown(prose(text))
    st.dataframe(slice_table(found), hide_index=True, column_config=_columns(found))
    more = len(found.counts) - MOST_SLICES
    caption = [ABOUT_SLICES]
    caption += [f"The {MOST_SLICES} slices with most rows of {len(found.counts):,}."] * (more > 0)
    st.caption(" ".join(caption))


def _columns(found: Shares) -> dict[str, Any]:
    """The headings."""
    column = st.column_config
    what = found.text(20)
    shares = {
        f"of {k}": column.NumberColumn(
            f"{what} if {plain(found.by, 20)} = {plain(label, 20)}", format="percent"
        )
        for k, label in enumerate(found.states[:MOST_STATES])
    }
    return shares | {
        "where": column.TextColumn(SLICE, width="medium"),
        "rows": column.NumberColumn(ROWS, format="localized", width="small"),
        "dependent": column.NumberColumn(DEPENDENT, format="%.4f"),
    }
