"""Step through the score: one assertion at a time, in the order ψ, down to the counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

import networkx as nx
import streamlit as st

from bjp_engine.scores import SCORES, LocalTerm, ScoreTrace
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import results
from bjp_explorer.share.page import page
from bjp_explorer.share.records import without_python
from bjp_explorer.shell import caches, components, links, origins, prediction, visit
from bjp_explorer.shell.text import count, markdown, names_list, number, plain
from bjp_explorer.shell.visit import end_page
from bjp_explorer.step import behind, choices
from bjp_explorer.step import change as step_change
from bjp_explorer.views import layout, payloads
from bjp_explorer.views.payloads import Payload, flipped
from bjp_explorer.views.words import OF_TESTS, first_completed

_CENTRED = (
    "With centred cells, the test’s prior expects independence: fairer than the paper’s where "
    "variables have many states or rare ones."
)
ABOUT = {
    "bjp": "The score multiplies one probability per assertion. Variables are sorted by degree, "
    "and each pair is tested once, from its lower-degree end; the other half is already known. "
    f"{_CENTRED}",
    "ib": "The same assertions, but each pair is tested from both ends: twice as many tests, "
    f"those with the largest conditioning sets included. {_CENTRED}",
    "near": "Our extension of the paper’s BJP: each pair is tested once, given only the neighbours "
    f"through which the other variable can be reached, not the whole blanket. {_CENTRED}",
    "mpl": "No tests: each variable is scored given its blanket, one local score per variable.",
}
# How the graph came about, by the choice of the page; what was learned says it by its search.
CAME = {"true": "of the true network", "published": "published", "edited": "edited by you"}
# Graphs that the skipped tests are compared with, by the choice of the page.
KNOWN = {"true": "true network", "published": "published graph"}

links.read(choices.fields(visit.current()))
method = choices.SCORE.get()
# Figures first: title and result stand in one line, what can be chosen in another.
head = st.container(
    horizontal=True,
    horizontal_alignment="distribute",
    vertical_alignment="center",
    key="step-head",
)
about = f"{ABOUT.get(method, '')} {prediction.ABOUT if choices.has_tests() else ''}".strip()
loaded = frame.heading(about, head)
data = loaded.data

controls = st.container(
    horizontal=True, gap="xsmall", vertical_alignment="center", key="step-controls"
)
method = choices.SCORE.buttons(controls, "Score", label_visibility="collapsed")
if choices.has_tests():
    choices.test_choice(loaded).menu(controls, "Test", label_visibility="collapsed", width=135)
cells = choices.cells(loaded)
graph_choice = choices.graph_choice(loaded)
chosen = graph_choice.buttons(controls, "Graph", wrap=True, label_visibility="collapsed")
tools = controls.container(
    horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="xsmall"
)
if chosen == "edited":
    tools.button(
        "Undo",
        icon=":material/undo:",
        key="step-undo",
        help="Undo the last edit of the graph",
        on_click=visit.edits(loaded).undo,
        disabled=not visit.edits(loaded).can_undo,
    )
links.copy_button(tools)

by_bjp = results.learned(data, "bjp")
by_method = by_bjp if method == "bjp" else results.learned(data, method)
if chosen == "auto":
    by_method = results.learned(data, "bjp", "auto")
if by_bjp is None or by_method is None:
    end_page()

empty: nx.Graph[Any] = nx.empty_graph(data.names)
graphs = {
    "learned": by_method.graph,
    "auto": by_method.graph,
    "true": loaded.truth,
    "published": loaded.published,
    "edited": visit.edited_graph(loaded),
}
if (graph := graphs.get(chosen)) is None:
    graph = empty
points = layout.points(loaded, origins.learned_graph(by_bjp))
edges = caches.edges_key(graph)
scored = results.score_graph(data, graph, method, cells)
if scored is None:
    end_page()
trace: ScoreTrace = scored
# Another test has the same steps, so the player stays where it is.
place = f"{data.digest[:16]} {method} {edges}"
identity = f"{place}{OF_TESTS[cells]}"
change = step_change.change_payload(graph, trace, data, cells)
before = change.pop("caption") if change else ""
if (asked := choices.take_asked_step(trace)) is not None:
    st.session_state[choices.KEPT] = asked
# Held here, for a file is made when the script has ended.
places: dict[str, int] = st.session_state.setdefault("step-at", {})
# Not in the fragment, whose own rerun after a click is still about the graph before.
if (kept := st.session_state.pop(choices.KEPT, None)) is not None:
    places[place] = min(kept, len(trace.terms))
# How the graph came about, in the words of a result.
origin = CAME.get(chosen, "")
if chosen in choices.LEARNED:
    origin = origins.origin(by_method)
elif chosen == "edited":
    origin = visit.edits(loaded).origin or origin


def toggle() -> None:
    """An edge was clicked on or off: the result becomes the graph edited by hand."""
    event = st.session_state["step-view"].get("toggle")
    numbers = components.numbers_in(event, data.n, data.n, len(trace.terms) + 1)
    if numbers is None or numbers[0] == numbers[1]:
        return
    # What it was before can be had back.
    visit.edit(loaded, graph, origin if chosen != "edited" else "")
    visit.edit(loaded, flipped(graph, data, numbers[0], numbers[1]))
    graph_choice.put("edited")
    # The step is kept: one sees what the edit does to it.
    st.session_state[choices.KEPT] = numbers[2]


def drawn_score() -> Payload:
    """The score for the component, the same for every step."""
    values = step_change.skipped_values(trace, data, cells)
    made = payloads.step_payload(
        trace, data, points, identity=identity, editable=True, skipped=values
    )
    made["score_name"] += OF_TESTS[cells]
    return payloads.with_terms_as_text(made)


@st.fragment
def explorer() -> None:
    """The component, and below it what is behind the step at which it rests."""
    key = ("step", identity, crc32(points.tobytes()))
    payload = caches.drawn(key, drawn_score) | {
        "initial_step": places.get(place, 0),
        "stem": file_stem(loaded.title),
        "change": change,
        "predict": choices.PREDICT.get(),
    }
    seen = components.show("step", payload, key="step-view", toggle=toggle)
    if seen.predict is not None:
        choices.PREDICT.put(bool(seen.predict))
    if seen.toggle or seen.predict is not None:
        st.rerun()  # the result above and the page to share follow the component
    settled = seen.settled
    if isinstance(settled, Mapping) and settled.get("id") == identity:
        rest = components.numbers_in([settled.get("step")], len(trace.terms) + 1)
        places[place] = rest[0] if rest else 0
    position = places.get(place, 0)
    links.keep(choices.fields(loaded, position))
    if not 0 < position <= len(trace.terms):
        st.caption(
            "From the first step on, the counts behind each number appear here. "
            "For blankets, assertions and the order ψ, see:"
        )
        st.page_link("pages/method.py", icon=":material/menu_book:")
        return
    others = {"true": loaded.truth, "published": loaded.published}
    known = {KNOWN[name]: other for name, other in others.items() if other and name != chosen}
    behind.show(trace, position, data, known, cells, predict=choices.PREDICT.get())


# The file is made when the script has ended.
predict = choices.PREDICT.get()


def page_of_step() -> str:
    """The score at the step where one is, as a page of its own."""
    at = {"initial_step": places.get(place, 0), "predict": predict}
    payload = without_python(drawn_score()) | at
    note = first_completed(loaded.imputed)
    return page("step", payload, title=loaded.title, about=files.about, note=note)


score = f"**ln {SCORES[method].title}{OF_TESTS[cells]} = {number(trace.total)}**"
if chosen == "edited" and before:
    score += f" {before}"
came = f"{count(graph.number_of_edges(), 'edge')} {origin}".rstrip()
head.markdown(f"{score} · {came} · {markdown(loaded.title)}", width="content")
with tools:
    found = by_method if chosen in choices.LEARNED else None
    files = Result(loaded, graph, trace, points, search=found, scored_with=cells)
    name = chosen if found is None or origins.is_whole(found) else "cancelled"
    downloads(files, name=f"{method}-{name}{OF_TESTS[cells]}", key="step", page=page_of_step)
# Its place is always there, so that the component below stays mounted when it empties.
with st.container():
    if chosen == "edited" and not visit.edits(loaded):
        st.caption("No other graph yet: press Edit edges and click two variables to connect them.")
    elif chosen == "edited" and choices.is_too_large(loaded):
        st.caption(
            "This graph has too many edges for a link; the link leads to the learned graph instead."
        )
explorer()

if st.toggle("Show every term as a table", key="step-table", persist_state="session"):
    rows = [
        {"x": plain(term.x), "given": names_list(term.given), "ln": term.value}
        if isinstance(term, LocalTerm)
        else {
            "x": plain(term.x),
            "y": plain(term.y),
            "given": names_list(term.given),
            "assertion": "dependent" if term.dependent else "independent",
            "made": "computed" if term.computed else "inferred as 1",
            "ln": term.value,
        }
        for term in trace.terms
    ]
    st.dataframe(
        rows,
        hide_index=True,
        key="step-terms",
        # Near 1 a log is so small that fixed decimals would read 0.
        column_config={
            "ln": st.column_config.NumberColumn(
                "ln Pr" if choices.has_tests() else "ln P", format="%.6g"
            )
        },
    )
