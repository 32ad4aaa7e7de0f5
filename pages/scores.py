"""Scores side by side: BJP, IB-score, MPL and near blankets learn from the same data."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine.scores import PAPERS, SCORES
from bjp_engine.search import SearchTrace
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem, share_button
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import results
from bjp_explorer.jobs.job import Job
from bjp_explorer.scores import comparison, halves
from bjp_explorer.scores.comparison import PUBLISHED, TRUE, title
from bjp_explorer.share.page import page
from bjp_explorer.share.records import without_python
from bjp_explorer.shell import caches, components, links, origins, prediction, visit
from bjp_explorer.shell.choices import OneOf, Switch
from bjp_explorer.shell.origins import short_title
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, number, together
from bjp_explorer.shell.visit import end_page
from bjp_explorer.views import layout, payloads
from bjp_explorer.views.sections import show_contents, show_heading
from bjp_explorer.views.words import NEAR_ABOUT, agreement, first_completed, of_score

# Scoring every disputed pair both ways stays within a second up to here.
FEW_VARIABLES, FEW_PAIRS = 40, 40

ABOUT = "BJP, IB-score and MPL: each learns from the same data by its own published search."
SECTIONS = {
    "costs": "Results and costs",
    "scores": "Every graph under every score",
    "differences": "Where they differ",
    "one-graph": "One graph under every score",
}
# What the edges are compared with, and its name in the URL.
_NAMES = {"each other": "scores", TRUE: "truth", PUBLISHED: "published"}
SHOWN = OneOf(
    "scores", "scores-shown", "paper", {"paper": "The paper’s three", "all": "With near blankets"}
)
# Whether the graphs are shown only once one has predicted which has most edges.
PREDICT = Switch("predict", "scores-predict")


def references_of(loaded: Loaded) -> dict[str, nx.Graph[Any]]:
    """The graphs that the learned ones are held against, by their names."""
    known = {TRUE: loaded.truth, PUBLISHED: loaded.published}
    return {name: graph for name, graph in known.items() if graph is not None}


def fields(loaded: Loaded) -> tuple[OneOf, OneOf, Switch]:
    """The page's choices; the second is what the edges are compared with."""
    names = ["each other", *references_of(loaded)]
    compare = OneOf(
        "compare", "scores-compare", "each other", {name: name for name in names}, _NAMES
    )
    return SHOWN, compare, PREDICT


links.read(fields(visit.current()))
methods: tuple[str, ...] = PAPERS if SHOWN.get() == "paper" else tuple(SCORES)
loaded = frame.heading(f"{ABOUT} {NEAR_ABOUT}" if "near" in methods else ABOUT)
data = loaded.data


@st.fragment(run_every=0.25)
def watch(job: Job[SearchTrace], waiting: list[str]) -> None:
    """How far the present search is, and what comes after it."""
    results.show_progress(job, "scores-cancel")
    if waiting:
        st.caption(f"Then: {', '.join(waiting)}.")


def show(table: pd.DataFrame, first: str) -> None:
    """A table of text whose index becomes its first column."""
    st.table(table.reset_index(names=first), border="horizontal", hide_index=True)


# One search after another, so that their seconds compare.
traces: dict[str, SearchTrace] = {}
for position, method in enumerate(methods, start=1):
    result = results.outcome(data, method)
    if isinstance(result, Job):
        watch(result, [title(later) for later in methods[position:]])
        break
    if result is not None and origins.is_whole(result):
        traces[method] = result
if not traces:
    end_page()
references = references_of(loaded)
complete = len(traces) == len(methods)
compare = fields(loaded)[1]
chosen = compare.default
sections = {
    anchor: heading
    for anchor, heading in SECTIONS.items()
    if anchor == "costs" or (complete and (anchor != "one-graph" or data.n > 1))
}
about = (data.digest, methods)
asking = PREDICT.get() and prediction.is_open("scores", about)
if complete and not asking:
    st.markdown(comparison.finding(traces, references, data))
bar = st.container(horizontal=True, vertical_alignment="bottom")
SHOWN.buttons(bar, "Scores", help=NEAR_ABOUT)
if references and data.n > 1:
    chosen = compare.buttons(bar, "Compare the edges with")
PREDICT.toggle(
    bar,
    prediction.PREDICT,
    help="Asks for each result before it is shown. *Show* shows it without a prediction.",
)
links.copy_button(bar)
if asking:
    if complete:
        titles = {method: title(method) for method in methods}
        prediction.ask(
            "**Which score will find the most edges?** The results wait for your prediction.",
            titles,
            "scores",
            about,
        )
    links.keep(fields(loaded))
    end_page()
if PREDICT.get() and complete:
    prediction.compare(*comparison.most_edges(traces), "scores", about)
show_contents(bar, sections)
points = layout.points(loaded, origins.learned_graph(traces.get("bjp")))
if (reference := references.get(chosen)) is None:
    tones, edges = agreement(len(methods)), comparison.by_agreement(traces, data, methods)
else:
    tones = comparison.tones_against(chosen)
    edges = {
        method: payloads.edges_against(trace.graph, reference, data)
        for method, trace in traces.items()
    }
used = {tone for lines in edges.values() for *_, tone in lines}
payload = payloads.networks_payload(
    data,
    points,
    [
        {
            "key": method,
            "title": title(method),
            "subtitle": f"{count(trace.graph.number_of_edges(), 'edge')} · ln {title(method)} = "
            f"{number(trace.score, 4)}",
            "edges": edges[method],
        }
        for method, trace in traces.items()
    ],
    identity=f"{data.digest[:16]} {chosen if reference else ''}",
    tones={tone: label for tone, label in tones.items() if tone in used},
    columns=len(methods),
    clickable=True,
)
payload["stem"] = file_stem(loaded.title)
to_share, drawn = without_python(payload), together([title(method) for method in methods])
drawn = f"Learned with {drawn}" + (f", compared with {chosen}" if reference else "")
note = first_completed(loaded.imputed)
with bar:
    share_button(
        lambda: page("networks", to_share, title=loaded.title, about=drawn, note=note),
        stem=file_stem(loaded.title, "scores"),
        key="scores",
    )
view = components.show("networks", payload, key="scores-networks")
if view.open in traces:
    links.open_learned(view.open)
for column, (method, trace) in zip(st.columns(len(methods)), traces.items(), strict=False):
    with column:
        downloads(
            Result(loaded, trace.graph, trace, points),
            name=method,
            key=f"scores-{method}",
            label=f"Download {short_title(method)}",
        )

show_heading(sections, "costs")
show(comparison.costs(traces, references), " ")
if complete:
    own = {method: f"{of_score(method)} graph" for method in traces}
    graphs = {own[method]: trace.graph for method, trace in traces.items()}
    graphs |= references
    scored = pd.DataFrame(
        {m: [caches.score_graph(data, g, m).total for g in graphs.values()] for m in methods},
        index=list(graphs),
    )
    show_heading(sections, "scores")
    st.caption(
        "Compare within a column: larger (closer to 0) is better, and ✓ marks the best. "
        "Do not compare across columns: every score has its own scale."
    )
    table = comparison.mark_best(scored)
    table.insert(0, "Edges", [f"{graph.number_of_edges():,}" for graph in graphs.values()])
    show(table, "Graph")
    if sentence := comparison.optimum_sentence(scored, own):
        st.markdown(sentence)

    show_heading(sections, "differences")
    pairs = comparison.list_disputed(traces, data)
    if not pairs:
        st.markdown("All graphs are the same.")
    else:
        effects: dict[Any, float] = {}
        if data.n <= FEW_VARIABLES and len(pairs) <= FEW_PAIRS:
            effects = caches.once(
                ("flips", data.digest, methods),
                lambda: comparison.flip_effects(traces, data, pairs),
            )
            text = (
                "“adding it” and “removing it” show how the ln score of that score’s own graph "
                "changes when this one edge is flipped. A positive number belongs to a flip that "
                "the climb never proposed."
            )
        else:
            text = (
                "The effect of each flip on the scores is not shown: with more than "
                f"{FEW_VARIABLES} variables or {FEW_PAIRS} pairs it takes too long to compute."
            )
        st.caption(f"{count(len(pairs), 'pair')}. {text}")
        with st.container(height=420 if len(pairs) > 10 else "content", border=False):
            show(comparison.differences(traces, data, references, effects), "Pair")

if complete and data.n > 1:
    show_heading(sections, "one-graph")
    st.caption(
        "A graph makes n(n − 1) assertions. IB-score tests all of them, BJP tests half; MPL scores "
        "each variable once. Which tests does BJP skip, and what would their posteriors be?"
    )
    graphs = {of_score(method): trace.graph for method, trace in traces.items()}
    learned = {of_score(method): f"learned with {title(method)}" for method in traces}
    graphs |= {name.removeprefix("the "): graph for name, graph in references.items()}
    if visit.edits(loaded):
        name = visit.edits(loaded).origin or "edited by you"
        graphs[name] = visit.edited_graph(loaded)
    halves.show_section(loaded, graphs, learned, methods)
links.keep(fields(loaded))
