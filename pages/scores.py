"""Three scores: BJP, IB-score and MPL learn from the same data, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine.scores import SCORES
from bjp_engine.search import SearchTrace
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import results
from bjp_explorer.jobs.job import Job
from bjp_explorer.scores import choices, comparison, halves, words
from bjp_explorer.scores.comparison import Reference, title
from bjp_explorer.shell import caches, components, links, opening, origins, visit
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.text import count, number
from bjp_explorer.views import canvas, payloads
from bjp_explorer.views.graph_gallery import abbreviated

# Scoring every disputed pair both ways stays within a second up to here.
FEW_VARIABLES, FEW_PAIRS = 40, 40
# A third of a page holds so many names in full.
FEW_NAMES = 8

links.read(choices.fields(visit.current()))
loaded = frame.heading(
    "Three scores",
    "BJP, the IB-score and MPL learn from the same data: where do their graphs agree, where do "
    "they differ, and what does each one cost?",
)
data = loaded.data


def learn_in_turn() -> dict[str, SearchTrace]:
    """What is learned so far; one search after another, so that their seconds compare."""
    found: dict[str, SearchTrace] = {}
    for position, method in enumerate(SCORES, start=1):
        result = results.outcome(data, method)
        if isinstance(result, Job):
            watch(result, [title(later) for later in list(SCORES)[position:]])
            break
        if result is not None and origins.is_whole(result):
            found[method] = result
    return found


@st.fragment(run_every=0.25)
def watch(job: Job[SearchTrace], waiting: list[str]) -> None:
    """How far the present search is, and what comes after it."""
    results.show_progress(job, "scores-cancel")
    if waiting:
        st.caption(f"Then: {', '.join(waiting)}.")


def known_graphs() -> list[Reference]:
    """The truth and the published graph, where there are any."""
    found = []
    if loaded.truth is not None:
        found.append(Reference("the true network", loaded.truth, known=True))
    if loaded.published is not None:
        found.append(Reference("the published graph", loaded.published, known=False))
    return found


def total(method: str, graph: nx.Graph[Any]) -> float:
    """The engine's score of a graph."""
    return caches.score_graph(data, graph, method).total


def networks(compared: Reference | None) -> None:
    """The learned graphs on one layout; "Open" steps through one."""
    tones: Mapping[str, str] = comparison.AGREEMENT if compared is None else compared.tones
    if compared is None:
        edges = comparison.by_agreement(traces, data)
    else:
        edges = {m: comparison.against(trace, compared, data) for m, trace in traces.items()}
    panels = [
        {
            "key": method,
            "title": title(method),
            "subtitle": f"{count(trace.graph.number_of_edges(), 'edge')} {origins.origin(trace)} · "
            f"ln {title(method)} = {number(trace.score, 4)}",
            "edges": edges[method],
        }
        for method, trace in traces.items()
    ]
    used = {tone for lines in edges.values() for *_, tone in lines}
    payload = payloads.networks_payload(
        data,
        points,
        panels,
        identity=f"{data.digest[:16]} {compared.name if compared else ''}",
        tones={tone: label for tone, label in tones.items() if tone in used},
        columns=3,
        clickable=True,
    )
    payload["stem"] = file_stem(loaded.title)
    if FEW_NAMES < data.n <= FEW_VARIABLES:
        payload["names"] = abbreviated(data.names)
    seen = components.networks_view(payload, key="scores-networks")
    if seen.open in traces:
        opening.open_learned(seen.open)


def save() -> None:
    """The files of each learned graph, under its drawing."""
    for column, (method, trace) in zip(st.columns(3), traces.items(), strict=False):
        with column:
            result = Result(loaded, trace.graph, trace, points)
            key, label = f"scores-{method}", f"Download {title(method)}"
            downloads(result, name=method, key=key, label=label)


def show(table: pd.DataFrame, first: str) -> None:
    """A table of text whose index becomes its first column."""
    st.table(table.reset_index(names=first), border="horizontal", hide_index=True)


def cross_table() -> None:
    """Every graph under every score."""
    own = {method: f"{title(method)}’s graph" for method in traces}
    graphs = {own[method]: trace.graph for method, trace in traces.items()}
    graphs |= {reference.name: reference.graph for reference in references}
    scores = comparison.every_score(graphs, total)
    st.subheader("Every graph under every score", anchor=False)
    st.caption(
        "Compare within a column: larger (closer to 0) is better, and ✓ marks the best. "
        "Do not compare across columns: every score has its own scale."
    )
    table = comparison.marked(scores)
    table.insert(0, "Edges", [f"{graph.number_of_edges():,}" for graph in graphs.values()])
    show(table, "Graph")
    if sentence := words.optimum_sentence(scores, own):
        st.markdown(sentence)


def disputes() -> None:
    """The pairs on which the scores differ."""
    st.subheader("Where they differ", anchor=False)
    pairs = comparison.disputed(traces, data)
    if not pairs:
        st.markdown("The three graphs are the same.")
        return
    effects: dict[Any, float] = {}
    explained = (
        "The effect of each flip on the scores is not shown: with more than "
        f"{FEW_VARIABLES} variables or {FEW_PAIRS} pairs it takes too long to compute."
    )
    if data.n <= FEW_VARIABLES and len(pairs) <= FEW_PAIRS:
        effects = caches.once(
            ("flips", data.digest), lambda: comparison.flip_effects(traces, data, pairs)
        )
        explained = (
            "“adding it” and “removing it” show how the ln score of that score’s own graph changes "
            "when this one edge is flipped. A plus marks a flip that the climb never proposed."
        )
    st.caption(f"{count(len(pairs), 'pair')}. {explained}")
    with st.container(height=420 if len(pairs) > 10 else "content", border=False):
        show(comparison.differences(traces, data, references, effects), "Pair")


def one_graph() -> None:
    """One graph under three scores, and the tests that BJP skips."""
    st.subheader("One graph under three scores", anchor="one-graph")
    st.caption(
        "A graph makes n(n − 1) assertions. IB-score tests all of them, BJP tests half; MPL scores "
        "each variable once. Which tests does BJP skip, and what would they have said?"
    )
    graphs = {f"{title(method)}’s": trace.graph for method, trace in traces.items()}
    graphs |= {reference.name.removeprefix("the "): reference.graph for reference in references}
    if visit.has_edited(loaded):
        graphs["edited by hand"] = visit.edited_graph(loaded)
    halves.section(loaded, graphs)


traces = learn_in_turn()
references = known_graphs()
if not traces:
    end_page()

if complete := len(traces) == len(SCORES):
    sentences = [words.agreement_sentence(traces, data), words.cost_sentence(traces)]
    sentences += [words.truth_sentence(traces, r) for r in references if r.known]
    st.markdown(" ".join(sentences))

compare = choices.compare(loaded)
chosen = compare.default
bar = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom")
if references and data.n > 1:
    chosen = compare.buttons(bar, "Colour the edges by comparing with")
links.copy_button(bar)
points = canvas.points(loaded, origins.learned_graph(traces.get("bjp")))
networks({reference.name: reference for reference in references}.get(chosen))
save()

st.subheader("Results and costs of each search", anchor=False)
show(comparison.costs(traces, references[0] if references else None), " ")
if complete:
    cross_table()
    disputes()
    if data.n > 1:
        one_graph()
links.keep(choices.fields(loaded))
