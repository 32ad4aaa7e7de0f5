"""What stands behind one term of a score: drawn by Streamlit, from the engine's traces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
import plotly.graph_objects as go
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.classical import ClassicalTrace
from bjp_engine.dataset import Name
from bjp_engine.independence import GrowthTrace, IndependenceTrace, grid
from bjp_engine.kernels.centred import KAPPAS
from bjp_engine.scores import AssertionTerm, LocalTerm, ScoreTrace, local_trace
from bjp_explorer.shell import caches, prediction
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.shell.text import (
    count,
    html_text,
    markdown,
    names_list,
    number,
    plain,
    probability,
    psi,
)
from bjp_explorer.views import drill, palette
from bjp_explorer.views.words import centred_odds

SLICES_A_PAGE = 4
ORDER = OneOf("", "step-slices", "telling", {"telling": "most telling first", "order": "in order"})


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
            _show_test(term, data, cells, predict=predict)
        else:
            _inferred(term, trace, data, known, cells)
            if st.toggle("Show the skipped test", key="step-spared"):
                _show_test(term, data, cells, predict=predict)


@st.fragment
def _show_test(term: AssertionTerm, data: Dataset, cells: Cells, *, predict: bool) -> None:
    """A test on all rows or on some: its slices, its product, the classical tests, its growth."""
    x, y, given = term.x, term.y, term.given
    sets, order = grow_sets(given), _order_seed()
    counts = st.container()
    beside, growing = st.columns([1, 1.1], gap="medium")
    with growing:
        st.markdown("**With fewer rows**")
        asking = predict and ask_growth(
            caches.posterior_curves(data, (x, y), sets, order, cells), f"{data.digest} {cells}"
        )
        rows, seed = (data.rows, order) if asking else choose_rows(data)
    part = caches.subsample_of(data, (x, y, *given), rows, seed) if rows < data.rows else data
    test = caches.bayesian_test(part, x, y, given, cells)
    classical = caches.classical_tests(part, x, y, given)
    with counts:
        if rows < data.rows:
            text = (
                f"This box uses {rows:,} of the {data.rows:,} rows. The score above uses all rows."
            )
            st.info(text, icon=":material/filter_alt:")
        _counts(test, classical, term.dependent, part)
    with beside:
        st.markdown("**Compare with the classical tests**")
        drill.show_classical(test, classical)
    if not asking:
        with growing:
            grown = caches.posterior_curves(data, (x, y), sets, seed, cells)
            st.plotly_chart(
                draw_growth(grown, rows, term.dependent),
                key="step-growth",
                config=palette.READ_ONLY,
            )
            if len(sets) > 1:
                st.caption(
                    "The same rows, divided among the configurations of ever more variables. The "
                    "more variables are given, the more rows a test needs to leave ½."
                )


def _counts(
    test: IndependenceTrace, classical: ClassicalTrace, dependent: bool, data: Dataset
) -> None:
    st.markdown("**The counts behind it**")
    product, size = st.container(), len(test.slices)
    order, begin, end = list(range(size)), 0, size
    if size > SLICES_A_PAGE:
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            if ORDER.buttons(st, "Slices") == "telling":
                order = drill.telling(test)
            begin, end = _range_of(size, "Slices")
    product.html(drill.product_html(test, dependent, order))
    st.html(drill.slices_html(test, classical, data, order[begin:end]))
    if test.unseen:
        keeps = "it keeps" if test.unseen == 1 else "each keeps"
        st.caption(
            f"{_configurations(test.unseen)} of {markdown(names_list(test.given))} without a row: "
            f"{keeps} its prior, in total a factor of {probability(test.log_unseen)}."
        )
    st.caption(_reading(test))


def _local(term: LocalTerm, data: Dataset) -> None:
    """The counts of a variable's states in each configuration of its blanket."""
    local = local_trace(data, term.x, term.given)
    st.markdown("**The counts behind it**")
    st.caption(
        "The table counts rows by state of the variable, in each configuration of its blanket. The "
        f"last column adds up to the local score, {number(local.value)}. "
        f"α = {probability(local.log_alpha)} for each cell."
    )
    first, last = _range_of(len(local.slices), "Configurations")
    st.html(drill.local_html(local, data, first, last))
    without = local.configurations - len(local.slices)
    if without:
        st.caption(f"{_configurations(without)} without a row: each adds 0.")


def _range_of(size: int, noun: str) -> tuple[int, int]:
    """Which slices to lay out, when there are many."""
    if size <= SLICES_A_PAGE:
        return 0, size
    last_page = -(-size // SLICES_A_PAGE)
    label = f"{noun}, page 1 to {last_page}"
    page = int(st.number_input(label, 1, last_page, 1, key=f"step-page-{noun}", width=200))
    return (page - 1) * SLICES_A_PAGE, min(size, page * SLICES_A_PAGE)


def _inferred(
    term: AssertionTerm,
    trace: ScoreTrace,
    data: Dataset,
    known: dict[str, nx.Graph[object]],
    cells: Cells,
) -> None:
    """Why there is no test, and whether the one that is skipped agrees.

    `known` are graphs to compare with, by their names.
    """
    where = {name: k for k, name in enumerate(trace.order)}
    # Row by row, without the diagonal; the computed one stands above it.
    step = where[term.y] * (len(where) - 1) + where[term.x]
    terms = [each for each in trace.terms[:step] if isinstance(each, AssertionTerm)]
    made, number_of_test = terms[-1], sum(each.computed for each in terms)
    earlier, later = (markdown(plain(name)) for name in (term.y, term.x))
    presence = "an edge" if term.dependent else "no edge"
    given = markdown(names_list(made.given))
    st.markdown(
        f"**Why 1? Already tested from {earlier}** (test {number_of_test:,}, assertion {step:,}): "
        f"{earlier} {_sign(made)} {later} given {given}, Pr = {probability(made.value)}. "
        f"{earlier} ({psi(where[term.y])}) comes before {later} ({psi(where[term.x])}), so its "
        f"blanket is given when the score comes here, and it says that there is {presence}. "
        "Given that, this assertion is certain: the score adds ln 1 = 0."
    )
    here, there = (
        caches.bayesian_test(data, each.x, each.y, each.given, cells) for each in (made, term)
    )
    agrees, sentence = verdict(
        term,
        made,
        there.log_dependent if term.dependent else there.log_independent,
        test=number_of_test,
        rows=(_rows_a_slice(here), _rows_a_slice(there)),
        known={name: graph.has_edge(term.x, term.y) for name, graph in known.items()},
    )
    if agrees:
        st.markdown(sentence)
    else:
        st.warning(sentence, icon=":material/casino:")


def _rows_a_slice(test: IndependenceTrace) -> float:
    """How many rows there are for each slice that occurs."""
    return sum(part.rows for part in test.slices) / max(len(test.slices), 1)


def _reading(test: IndependenceTrace) -> str:
    """How to read the tables of a test."""
    log_independent = test.log_independent
    head = (
        f"Pr(⊥ | D) = {probability(log_independent)}: {drill.odds_words(log_independent)}. Small "
        "numbers: counts expected under independence. In each slice, "
    )
    if test.options.prior_cells != "centred":
        return head + (
            "g is the evidence of independence, h the evidence of dependence, and pₖ the slice’s "
            "share of the prior ½. Pr(⊥ here) = pₖ g / (pₖ g + (1 − pₖ) h), and these multiply."
        )
    light, heavy = (f"{kappa:g}" for kappa in KAPPAS)
    return head + (
        f"h / g is the odds of dependence: the mean of those by a light prior (κ = {light}), which "
        f"allows strong association, and a heavy one (κ = {heavy}), which allows only weak "
        "association. pₖ is the slice’s share of the prior ½. "
        "Pr(⊥ here) = pₖ / (pₖ + (1 − pₖ) h / g), and these multiply."
        f"\n\n{centred_odds()}"
    )


def _configurations(unseen: int) -> str:
    """How many configurations; beyond a billion only the order of magnitude."""
    if unseen < 10**9:
        return count(unseen, "configuration")
    return f"About 10^{len(str(unseen)) - 1} configurations"


def verdict(
    term: AssertionTerm,
    made: AssertionTerm,
    skipped: float,
    *,
    test: int,
    rows: tuple[float, float],
    known: dict[str, bool],
) -> tuple[bool, str]:
    """Whether the skipped test agrees with the graph, and a sentence or three about it.

    `skipped` is ln Pr of the assertion by that test; `rows` are the mean rows per non-empty slice
    of the test that was made, and of it; `known` says of known graphs, by their names, whether they
    have the edge.
    """
    made_rows, skipped_rows = (
        "1 row" if each == 1 else f"{number(each, 0 if each >= 10 else 1)} rows" for each in rows
    )
    here = (
        f"Pr({_sign(term)}) = {probability(skipped)} with {count(len(term.given), 'variable')} "
        f"given and {skipped_rows} per non-empty slice"
    )
    there = f"test {test:,} gives {probability(made.value)} with {made_rows} per slice"
    agrees, kept = skipped >= -math.log(2), made.value >= -math.log(2)
    if agrees:
        which = "agrees." if kept else "supports the graph, the test that was made does not."
        return True, f"**The skipped test {which}** From this end it gives {here}; {there}."
    edge = "an edge" if term.dependent else "no edge"
    if not kept:
        return False, (
            f"**Both tests contradict the graph.** It has {edge} here, but from this end the "
            f"skipped test gives {here}; {there}. The score counts this once."
        )
    if made_rows == skipped_rows:
        reliable = ", with as many rows per slice"
    elif rows[0] > rows[1]:
        reliable = ": with more rows per slice, it is the more reliable of the two"
    else:
        reliable = (
            ", though the skipped test has more rows per slice and is the more reliable of the two"
        )
    judged = "".join(
        f" The {name} has {'this edge' if has else 'no such edge'}: judged by that graph, the "
        f"bet was {'right' if has == term.dependent else 'wrong'}."
        for name, has in known.items()
    )
    return False, (
        f"**A bet, and its price.** From this end the skipped test gives {here}: it speaks "
        f"{'against' if term.dependent else 'for'} an edge. From the other end {there}, and the "
        f"score counts that one alone{reliable}. The graph has {edge} here, and the score never "
        f"sees the disagreement.{judged}"
    )


def _sign(term: AssertionTerm) -> str:
    return "⊥̸" if term.dependent else "⊥"


# --- The posterior as rows are added --------------------------------------------------------------

# More curves than these can't be told apart.
MOST_SETS = 5
DASHES = ("dot", "dash", "dashdot", "longdash")


def choose_rows(data: Dataset) -> tuple[int, int]:
    """How many rows to look at, in which order; one control for all tests on a page."""
    sizes = grid(data.rows).tolist()
    line = st.container(horizontal=True, vertical_alignment="bottom")
    rows = line.select_slider(
        "Rows",
        sizes,
        data.rows,
        format_func=lambda size: f"{size:,}",
        # Other data have other numbers of rows.
        key=f"step-rows-{data.rows}",
        persist_state="session",
        help="The first rows of a random order. Everything in this box uses these rows.",
    )
    seed = _order_seed()
    line.button(
        "Shuffle",
        icon=":material/shuffle:",
        key="step-shuffle-button",
        on_click=lambda: st.session_state.update({"step-shuffle": seed + 1}),
        help="Uses another random order of the rows.",
    )
    return int(rows), int(seed)


def _order_seed() -> int:
    """The seed of the present random order of the rows."""
    return int(st.session_state.setdefault("step-shuffle", 0))


def ask_growth(trace: GrowthTrace, of: str) -> bool:
    """Ask whether the posterior rises or falls from a tenth of the rows on; then compare.

    True while the question is open, so that nothing may give its answer.
    """
    few = int(np.searchsorted(trace.sizes, trace.sizes[-1] / 10))
    curve = trace.log_independent[-1][few:]
    if trace.sizes[few] < 2 or curve[0] == curve[-1]:
        return False  # no rows to add, or no change to predict
    key, about = "step-growth", (of, trace.x, trace.y, trace.sets[-1], trace.seed)
    if prediction.is_open(key, about):
        question = (
            f"From {trace.sizes[few]:,} to all {trace.sizes[-1]:,} rows: does Pr(⊥ | D) rise or "
            "fall?"
        )
        prediction.ask(question, {"rise": "It rises", "fall": "It falls"}, key, about)
        return True
    rises = bool(curve[-1] > curve[0])
    text = describe_growth(trace.sizes[few:].tolist(), curve.tolist())
    prediction.compare({"rise": rises, "fall": not rises}, text, key, about)
    return False


def grow_sets(given: Sequence[Name]) -> tuple[tuple[Name, ...], ...]:
    """Growing conditioning sets: none, then the members of a set one by one or several at a time.

    At most `MOST_SETS`, from the empty set to all.
    """
    spread = np.linspace(0, len(given), min(len(given) + 1, MOST_SETS))
    return tuple(tuple(given[: round(float(size))]) for size in spread)


def draw_growth(trace: GrowthTrace, rows: int, dependent: bool) -> go.Figure:
    """Pr(⊥ | D) against the number of rows, a line for each conditioning set."""
    colours, at = palette.current(), max(rows, 1)
    mine, quiet = colours.vermilion if dependent else colours.blue, colours.quiet
    # A log scale has no 0, and a single row leaves the prior as it is.
    kept = trace.sizes > 0
    curves: list[dict[str, Any]] = []
    for m, given in enumerate(trace.sets):
        more = [html_text(name, 18) for name in given if m and name not in trace.sets[m - 1]]
        rest = f" and {len(more) - 2} more" if len(more) > 2 else ""
        # The last line is the test's.
        last = m == len(trace.sets) - 1
        dash, width = ("solid", 3) if last else (DASHES[m % len(DASHES)], 1.8)
        curves.append(
            {
                "x": trace.sizes[kept].tolist(),
                "y": np.exp(trace.log_independent[m][kept]).tolist(),
                "name": f"+ {', '.join(more[:2])}{rest}" if m else "∅ given",
                "mode": "lines",
                "line": {"color": mine if last else quiet, "dash": dash, "width": width},
                "hovertemplate": "%{y:.4f}<extra>" + f"{len(given)} given</extra>",
            }
        )
    here = float(np.exp(trace.log_independent[-1, int(np.searchsorted(trace.sizes, rows))]))
    mark = {
        "x": [at],
        "y": [here],
        "mode": "markers",
        "marker": {"color": mine, "size": 11, "symbol": "diamond"},
        "showlegend": False,
        "hoverinfo": "skip",
    }
    half = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0.5, "y1": 0.5}
    these = {"type": "line", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1}
    layout = {
        "dragmode": False,
        "height": 320,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "y": -0.28, "yanchor": "top", "x": 0},
        "hovermode": "x unified",
        "xaxis": {"type": "log", "title": {"text": "rows"}, "showgrid": False, "dtick": 1},
        "yaxis": {"range": [-0.04, 1.04], "title": {"text": "Pr(⊥ | D)"}, "tickformat": ".1f"},
        "shapes": [
            {**half, "line": {"color": quiet, "width": 1, "dash": "dot"}},
            {**these, "line": {"color": mine, "width": 1}},
        ],
    }
    # In one go: plotly checks what it is given at each change, which takes longer than the test.
    return go.Figure([*curves, mark], layout)


def describe_growth(sizes: list[int], curve: list[float]) -> str:
    """How a posterior went over some numbers of rows, given as logs, and where it turned."""
    way = "rises" if curve[-1] > curve[0] else "falls"
    text = (
        f"It {way} from {probability(curve[0])} with {sizes[0]:,} rows to "
        f"{probability(curve[-1])} with all {sizes[-1]:,}."
    )
    # The extreme that is no end of the curve by what a plot shows.
    for extreme, name in ((max(curve), "highest"), (min(curve), "lowest")):
        inner = min(abs(math.exp(extreme) - math.exp(end)) for end in (curve[0], curve[-1]))
        if inner > 0.01:
            at = sizes[curve.index(extreme)]
            text += f" In between it is {name} with {at:,} rows, {probability(extreme)}."
    return text
