"""Scores side by side: BJP, IB-score, MPL and near blankets learn from the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine.search import SearchTrace
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem, share_button
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import results
from bjp_explorer.jobs.job import Job
from bjp_explorer.scores import choices, comparison, halves, words
from bjp_explorer.scores.comparison import Reference, title
from bjp_explorer.share.page import page
from bjp_explorer.share.records import without_python
from bjp_explorer.shell import caches, components, links, opening, origins, prediction, visit
from bjp_explorer.shell.ending import end_page
from bjp_explorer.views import canvas, payloads
from bjp_explorer.views.pooled import first_completed
from bjp_explorer.views.sections import show_contents, show_heading
from bjp_explorer.views.words import NEAR_ABOUT, agreement, of_score

# Scoring every disputed pair both ways stays within a second up to here.
FEW_VARIABLES, FEW_PAIRS = 40, 40

links.read(choices.fields(visit.current()))
methods = choices.shown()
loaded = frame.heading(words.about(methods))
data = loaded.data


def learn_in_turn() -> dict[str, SearchTrace]:
    """What is learned so far; one search after another, so that their seconds compare."""
    found: dict[str, SearchTrace] = {}
    for position, method in enumerate(methods, start=1):
        result = results.outcome(data, method)
        if isinstance(result, Job):
            watch(result, [title(later) for later in methods[position:]])
            break
        if result is not None and origins.is_whole(result):
            found[method] = result
    return found


@st.fragment(run_every=0.25)
def watch(job: Job[SearchTrace], waiting: list[str]) -> None:
    """How far the present search is, and what comes after it."""
    results.show_progress(job, "scores-cancel")
    if waiting:
        st.caption(words.waiting(waiting))


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


def show_networks(compared: Reference | None) -> None:
    """The learned graphs on one layout; "Open" steps through one."""
    tones: Mapping[str, str] = compared.tones if compared else agreement(len(methods))
    if compared is None:
        edges = comparison.by_agreement(traces, data, methods)
    else:
        edges = {
            m: payloads.edges_against(trace.graph, compared.graph, data)
            for m, trace in traces.items()
        }
    panels = [
        {
            "key": method,
            "title": title(method),
            "subtitle": words.panel_subtitle(trace),
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
        columns=len(methods),
        clickable=True,
    )
    payload["stem"] = file_stem(loaded.title)
    about = words.about_page([*traces], compared)
    with bar:
        share_button(
            lambda: page(
                "networks",
                without_python(payload),
                title=loaded.title,
                about=about,
                note=first_completed(loaded.imputed),
            ),
            stem=file_stem(loaded.title, "scores"),
            key="scores",
        )
    view = components.networks_view(payload, key="scores-networks")
    if view.open in traces:
        opening.open_learned(view.open)


def show_downloads() -> None:
    """The files of each learned graph, under its drawing."""
    for column, (method, trace) in zip(st.columns(len(methods)), traces.items(), strict=False):
        with column:
            result = Result(loaded, trace.graph, trace, points)
            key, label = f"scores-{method}", words.download_label(method)
            downloads(result, name=method, key=key, label=label)


def show(table: pd.DataFrame, first: str) -> None:
    """A table of text whose index becomes its first column."""
    st.table(table.reset_index(names=first), border="horizontal", hide_index=True)


def show_cross_table() -> None:
    """Every graph under every score."""
    own = {method: words.graph_name(method) for method in traces}
    graphs = {own[method]: trace.graph for method, trace in traces.items()}
    graphs |= {reference.name: reference.graph for reference in references}
    scores = comparison.every_score(graphs, total, methods)
    show_heading(words.SECTIONS, "scores")
    st.caption(words.COLUMNS_CAPTION)
    table = comparison.mark_best(scores)
    table.insert(0, words.EDGES, [f"{graph.number_of_edges():,}" for graph in graphs.values()])
    show(table, words.GRAPH)
    if sentence := words.optimum_sentence(scores, own):
        st.markdown(sentence)


def show_differences() -> None:
    """The pairs on which the scores differ."""
    show_heading(words.SECTIONS, "differences")
    pairs = comparison.list_disputed(traces, data)
    if not pairs:
        st.markdown(words.SAME_GRAPHS)
        return
    effects: dict[Any, float] = {}
    few = data.n <= FEW_VARIABLES and len(pairs) <= FEW_PAIRS
    if few:
        effects = caches.once(
            ("flips", data.digest, methods), lambda: comparison.flip_effects(traces, data, pairs)
        )
    st.caption(words.differences_caption(len(pairs), few, FEW_VARIABLES, FEW_PAIRS))
    with st.container(height=420 if len(pairs) > 10 else "content", border=False):
        show(comparison.differences(traces, data, references, effects), words.PAIR)


def show_one_graph() -> None:
    """One graph under every score, and the tests that BJP skips."""
    show_heading(words.SECTIONS, "one-graph")
    st.caption(words.ONE_GRAPH)
    graphs = {of_score(method): trace.graph for method, trace in traces.items()}
    learned = {of_score(method): f"learned with {title(method)}" for method in traces}
    graphs |= {reference.name.removeprefix("the "): reference.graph for reference in references}
    if visit.has_edited(loaded):
        name = visit.origin_of_edited(loaded) or words.EDITED
        graphs[name] = visit.edited_graph(loaded)
    halves.show_section(loaded, graphs, learned, methods)


traces = learn_in_turn()
references = known_graphs()
if not traces:
    end_page()

complete = len(traces) == len(methods)
compare = choices.compare(loaded)
chosen = compare.default
sections = {
    anchor: heading
    for anchor, heading in words.SECTIONS.items()
    if anchor == "costs" or (complete and (anchor != "one-graph" or data.n > 1))
}
about = (data.digest, methods)
asking = choices.PREDICT.get() and prediction.is_open("scores", about)
if complete and not asking:
    st.markdown(words.finding(traces, references, data))
bar = st.container(horizontal=True, vertical_alignment="bottom")
choices.SHOWN.buttons(bar, words.SCORES, help=NEAR_ABOUT)
if references and data.n > 1:
    chosen = compare.buttons(bar, words.COMPARE)
choices.PREDICT.toggle(bar, prediction.PREDICT, help=prediction.PREDICT_HELP)
links.copy_button(bar)
if asking:
    if complete:
        titles = {method: title(method) for method in methods}
        prediction.ask(words.MOST_EDGES, titles, "scores", about)
    links.keep(choices.fields(loaded))
    end_page()
if choices.PREDICT.get() and complete:
    prediction.compare(*words.most_edges(traces), "scores", about)
show_contents(bar, sections)
points = canvas.points(loaded, origins.learned_graph(traces.get("bjp")))
show_networks({reference.name: reference for reference in references}.get(chosen))
show_downloads()

show_heading(sections, "costs")
show(comparison.costs(traces, references[0] if references else None), " ")
if complete:
    show_cross_table()
    show_differences()
    if data.n > 1:
        show_one_graph()
links.keep(choices.fields(loaded))
