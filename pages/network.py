"""Your network: which pairs are edges, how strong, how sure that is, and the downloads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from bjp_engine.confidence import EdgeConfidence, edge_probabilities
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.pyvis_file import interactive_html
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import costs, results
from bjp_explorer.jobs.job import Task
from bjp_explorer.network import checks, pairs, whatif
from bjp_explorer.network import known as entering
from bjp_explorer.shell import components, frames, links, origins, visit
from bjp_explorer.shell.choices import Field, OneOf, Switch
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, prose
from bjp_explorer.shell.visit import end_page
from bjp_explorer.views import layout, payloads, words
from bjp_explorer.views.effects import define
from bjp_explorer.views.palette import current
from bjp_explorer.views.words import describe_verdicts, meaning_of_confidence

UNDECIDED = Switch("undecided", "network-undecided")
VIEW = OneOf("view", "network-view-of", "map", {"map": "Map", "drag": "Drag and zoom"})


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choices."""
    yield UNDECIDED
    yield VIEW
    yield whatif.evidence_of(loaded)
    yield entering.choice_of(loaded)


links.read(fields(visit.current()))
head = st.container(
    horizontal=True,
    horizontal_alignment="distribute",
    vertical_alignment="center",
    key="network-head",
)
loaded = frame.heading(
    "Which pairs of variables are edges, how strong they are, and the downloads.", head
)
data = loaded.data
if data.n == 1:
    st.info("There is only one variable, so no pair could be an edge.", icon=":material/info:")
    end_page()

# A place that is always there, so that the component below stays mounted when it fills.
tools = head.container(horizontal=True, width="content")
known = entering.edit(loaded, tools)
options = {} if known.empty else {"known": known}
trace = results.learned(data, "bjp", "auto", **options)
# Every page places the variables by the graph of the paper's search, if that shows each edge.
placed = results.learned(data, "bjp")
if trace is None or placed is None:
    end_page()


def weigh(**given: Any) -> EdgeConfidence | None:
    """The calibrated probability of each pair; while it is computed, None."""
    tables = () if loaded.imputed is None else loaded.imputed.datasets
    task = Task(edge_probabilities, data, given)
    if loaded.imputed is not None:
        task = Task(edge_probabilities, None, {"data": loaded.imputed, **given})
    key = ("confidence", data.digest, *given.items(), *(one.digest for one in tables))
    seconds = 3 * max(1, len(tables)) * costs.of_search(data, "bjp", "auto", {})
    found: EdgeConfidence | None = results.at_once(
        key,
        "Weighing each pair",
        task,
        seconds,
        "completed tables" if tables else "",
    )
    return found


sure, without_known = weigh(**options), weigh() if options else None
if sure is None or (options and without_known is None):
    end_page()
first = trace
if words.is_pooled(sure):
    trace = words.pooled_trace(data, trace, sure)
graph, points = trace.graph, layout.points_showing(loaded, placed.graph, trace.graph)
lines = pairs.list_pairs(data, graph, sure, known)
present = [line for line in lines if line.verdict == "present"]
judged = words.judge(sure)
further = visit.notes(loaded, "auto", *options.items())
controls = st.container(horizontal=True, vertical_alignment="center", key="network-controls")
way = VIEW.buttons(controls, "View", label_visibility="collapsed")
undecided = UNDECIDED.toggle(controls, "Show undecided pairs", help="They are drawn dashed.")
warnings = st.container()
drawing = st.container()
with st.container():
    effects = None
    if graph.number_of_edges():
        effects = results.edge_effects(data, graph, loaded.imputed)
result = Result(
    loaded,
    graph,
    trace,
    points,
    sure,
    options=options,
    effects=effects,
    shuffled=None if options else checks.find_chance(data),
    further=further,
    undecided=undecided,
    without_known=without_known,
)
with tools:
    if st.button("Step through its score", key="network-step", icon=":material/footprint:"):
        pairs.open_step(loaded, graph, known)
    links.copy_button(tools)
    downloads(result, name="network", key="network")
for warning in result.warnings:
    if warning != result.imputation:
        warnings.warning(prose(warning), icon=":material/warning:")
of_edges = result.of_edges()
with drawing:
    if way == "drag":
        # vis-network's canvas, for networks in which a map is too full.
        frames.show(interactive_html(result, current(), warned=True), height=620)
    else:
        edges, legend = pairs.draw(lines, data, of_edges, known, undecided)
        title = f"{count(len(present), 'present pair')}"
        payload = payloads.networks_payload(
            data,
            points,
            [{"key": "auto", "title": title, "edges": edges}],
            identity=f"{data.digest[:16]} network",
            tones=legend,
        )
        payload |= {"stem": file_stem(loaded.title), "tall": True, "edge_clicks": True}
        view = components.show("networks", payload, key="network-view")
        pairs.ask_clicked(view.edge, data.n)
        if lines:
            st.caption("Click an edge or a line of the table to see everything about the pair.")
if result.imputation:
    st.caption(prose(result.imputation))
st.markdown(
    f"{describe_verdicts(judged)} The graph {origins.origin(trace, result.tables)} has "
    f"{count(graph.number_of_edges(), 'edge')}; effects, *What if* and files are of this graph."
)
# What chance alone finds says nothing of edges that were required.
if origins.is_whole(trace) and not options:
    checks.show_chance(loaded, first)
known_graph, name = loaded.truth, "true network"
if known_graph is None:
    known_graph, name = loaded.published, "published graph"
if lines:
    pairs.show_table(lines, data, known_graph, name, of_edges)
st.caption(" ".join(filter(None, [define(of_edges, effects), meaning_of_confidence(sure)])))
pairs.show_asked(lines, loaded, graph, of_edges, known)


@st.fragment
def what_if() -> None:
    """What the network makes of evidence; a choice there reruns nothing else."""
    whatif.show(loaded, graph, points)
    links.keep(fields(loaded))


what_if()
if origins.is_whole(trace):
    checks.show_stability(loaded, first, lines, options, further)
    false = sum(1 - float(sure.matrix[i, j]) for i, j in payloads.edge_indices(graph, data))
    checks.show_rows(loaded, trace, false, options)
    checks.show_predictions(loaded, trace, options)
    key = "network-paper"
    with st.expander("For a paper: methods and results", key=key, on_change="rerun") as folded:
        if folded.open:
            st.code(result.paper(), language=None, wrap_lines=True)
