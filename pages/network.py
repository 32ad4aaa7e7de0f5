"""Your network: the learned graph, the probability of each edge, and the downloads."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine import metrics
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.search import SearchTrace
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.paper import paper_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import results
from bjp_explorer.network import (
    card,
    choices,
    confidence,
    effects,
    how_many_rows,
    nodes,
    pairs,
    shuffled,
    stability,
    whatif,
    words,
)
from bjp_explorer.network import known as entering
from bjp_explorer.network import known_choice as entered
from bjp_explorer.network.reasons import reasons
from bjp_explorer.shell import caches, components, links, opening, origins, visit
from bjp_explorer.shell.choices import choice_of_search
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.text import number, prose
from bjp_explorer.views import canvas, edges, payloads, pooled, verdicts
from bjp_explorer.views.edges import Line
from bjp_explorer.views.effects import Effects, define
from bjp_explorer.views.words import MEASURES, describe_verdicts, meaning_of_confidence

links.read(choices.fields(visit.current()))
# Figures first: title and files stand in one line, what can be chosen in another.
head = st.container(
    horizontal=True,
    horizontal_alignment="distribute",
    vertical_alignment="center",
    key="network-head",
)
loaded = frame.heading(words.ABOUT, head)
data = loaded.data
known = loaded.truth if loaded.truth is not None else loaded.published
known_name = words.TRUE if loaded.truth is not None else words.PUBLISHED

if data.n == 1:
    st.info(words.ONE_VARIABLE, icon=":material/info:")
    end_page()


def drawing() -> None:
    """The network; the width of an edge shows its effect, or the number that was chosen."""
    drawn = pairs.drawing_edges(found, data, sure.kind, of_edges, limits.present)
    probable = words.LEGEND | {"sure": f"{measure} {words.LEGEND['sure']}"}
    tones = words.effect_legend(of_edges, measure) if of_edges else probable
    edges, others = shown.number_of_edges() > 0, any(tone == "missing" for _, _, tone, *_ in drawn)
    tones = {k: text for k, text in tones.items() if (others if k == "missing" else edges)}
    marked = entered.mark(drawn, given, data)
    tones |= {k: text for k, text in entered.LEGEND.items() if k in marked}
    panel = {
        "key": search,
        "title": words.panel_title(shown.number_of_edges(), how, measure, bool(of_edges)),
        "edges": drawn,
        "roles": [[node, "pick"] for node in entering.picked(loaded)],
    }
    payload = payloads.networks_payload(
        data,
        points,
        [panel],
        identity=f"{data.digest[:16]} network",
        tones=tones,
    )
    payload["stem"] = file_stem(loaded.title)
    payload["tall"] = True
    view = components.networks_view(
        payload,
        key="network-view",
        on_node=lambda: entering.pick(loaded, "network-view"),
        on_edge=lambda: None,
    )
    card.ask_clicked(view.edge, data.n)


def uniform_score(graph: nx.Graph[Any]) -> float:
    """ln BJP, every graph as likely as any other beforehand."""
    return caches.score_graph(data, graph, "bjp").total


def difference(auto: SearchTrace, paper: SearchTrace) -> None:
    """How the graphs of the two searches differ."""
    st.subheader(words.TWO_SEARCHES, anchor=False)
    if not (origins.is_whole(auto) and origins.is_whole(paper)):
        st.caption(words.NOT_COMPARED)
        return
    names = [origins.search_name(each) for each in (auto, paper)]
    graphs = [each.graph for each in (auto, paper)]
    alone = words.differences(auto.graph, paper.graph, data)
    lines = [words.only_by(who, only) for who, only in zip(names, alone, strict=True) if only]
    st.markdown(" ".join(lines) or words.SAME)
    table = pd.DataFrame(
        {
            words.NAMED: [f"{name[:1].upper()}{name[1:]}" for name in names],
            words.EDGES: [f"{graph.number_of_edges():,}" for graph in graphs],
            words.SCORE: [number(uniform_score(graph), 4) for graph in graphs],
        }
    )
    if known is not None:
        far = [f"{metrics.hamming(known, graph):,}" for graph in graphs]
        table[words.hamming_column(known_name)] = far
    st.table(table, border="horizontal", hide_index=True)
    st.caption(words.TWO_SCORES)


@st.fragment
def what_if() -> None:
    """What the network makes of evidence; a choice there reruns nothing else."""
    whatif.show(loaded, shown, points)
    links.keep(choices.fields(loaded))


# A place that is always there, so that the component below stays mounted when it fills.
tools = head.container(horizontal=True, width="content")
given = entering.show(loaded, tools)
options = entered.options_of(given)
controls = st.container(horizontal=True, vertical_alignment="center", key="network-controls")
search = choice_of_search(loaded, "network-search").buttons(
    controls, words.SEARCH, label_visibility="collapsed"
)
kind = choices.choice_of_kind(data).buttons(
    controls, words.KIND, wrap=True, label_visibility="collapsed"
)
choices.SHOW.buttons(controls, words.SHOW, label_visibility="collapsed")
effects.choose_settings(controls, loaded, kind)
slider = controls.container(width=200, gap=None, key="network-slider")
threshold = choices.THRESHOLD.slider(slider, words.HIDE, step=0.01, help=words.HIDE_HELP)
errors = slider.empty()
auto = results.learned(data, "bjp", "auto", **options)
# Every page places the variables by the graph of the paper's search, if that shows each edge.
usual = results.learned(data, "bjp")
paper = results.learned(data, "bjp", **options) if options else usual
if auto is None or paper is None or usual is None:
    end_page()
trace: SearchTrace = auto if search == "auto" else paper
how = origins.origin(trace)

asked = confidence.choose_settings(kind, search, loaded, given)
tests = confidence.compute_tests(data, trace)
with st.container():
    answer: EdgeConfidence | None = confidence.find(data, trace, asked)
    doubts = st.container()
    without_known = confidence.find_without_known(loaded, trace)
    if without_known is None and options:
        end_page()
sure = tests if answer is None else answer
# The drawing of pooled probabilities is of all completed tables, as they are.
is_pooled = search == "auto" and pooled.is_pooled(sure)
first = trace
if is_pooled:
    trace = pooled.pooled_trace(data, trace, sure)
    how = origins.origin(trace, sure.made)

limits = effects.thresholds(sure.kind)
# Of calibrated probabilities the undecided pairs are listed, too.
least = limits.absent if sure.kind == "calibrated" else edges.LIKELY
found: list[Line] = edges.lines(data, trace.graph, sure, tests, threshold, least)
found = entered.without_forbidden(found, given, data)
shown = pairs.learned_graph(found, data)
hidden = trace.graph.number_of_edges() - shown.number_of_edges()
points = canvas.points_showing(loaded, origins.learned_graph(usual), trace.graph)
listed = [*found, *entered.forbidden_lines(given, data, trace.graph, sure, tests)]
measure, why = MEASURES[sure.kind], reasons(data, trace, listed)
with st.container():
    measured = effects.find(loaded, trace.graph)

with tools:
    if st.button(
        words.STEP,
        key="network-step",
        icon=":material/footprint:",
        help=words.STEP_HELP,
    ):
        if hidden or options or is_pooled:
            opened = words.partly_hidden(how, threshold) if hidden else how
            opening.open_graph(loaded, shown, "bjp", opened, cells=origins.cells_of(trace))
        graph = "auto" if search == "auto" else "learned"
        opening.open_learned("bjp", graph, origins.cells_of(trace))
    links.copy_button(tools)
    further = visit.notes(loaded, search, *options.items())
    result = Result(
        loaded,
        shown,
        trace,
        points,
        sure,
        options=options,
        effects=measured,
        shuffled=None if options else shuffled.find(data, search, limits.present),
        threshold=threshold,
        verdicts=limits,
        further=further,
        without_known=without_known,
    )
    downloads(result, name=f"{search} {sure.kind}", key="network")
of_edges: Effects = result.of_edges()
for warning in result.warnings:
    if warning not in (result.hidden_edges, result.imputation):
        doubts.warning(prose(warning), icon=":material/warning:")

drawing()
st.caption(words.ASK)
if result.imputation:
    st.caption(prose(result.imputation))
entering.show_picked(loaded)
summary = f"{words.summary(found, data, hidden, sure.kind, how)} {result.hidden_edges}".strip()
if sure.kind == "calibrated":
    judged = verdicts.judge(sure, [(line.i, line.j) for line in found if line.learned], limits)
    errors.caption(words.expect_errors(judged))
    summary += f" {describe_verdicts(judged, shown.number_of_edges())}"
st.markdown(summary)
if details := words.details(found, data, sure.kind, limits):
    st.markdown(details)
st.caption(meaning_of_confidence(sure, words.PRIOR_OF_AUTO if asked.prior else words.UNIFORM))
# What chance alone finds says nothing of edges that were required.
if origins.is_whole(trace) and not options:
    shuffled.show(data, first, search, limits.present, imputed=loaded.imputed is not None)
pairs.show_table(listed, data, sure, (known, known_name), why, of_edges, limits)
if of_edges:
    st.caption(define(of_edges, measured))
pair = card.asked()
for line in listed:
    if (line.i, line.j) == pair:
        card.show(card.card_of(result, line, why.get(pair, "")))
what_if()
if origins.is_whole(trace):
    stability.show(loaded, first, search, options, further)
    nodes.show(loaded, trace, search, options)
    how_many_rows.show(loaded, trace, search, options)
    with st.expander(words.FOR_PAPER, key="network-paper", on_change="rerun") as folded:
        if folded.open:
            st.code(paper_of(result), language=None, wrap_lines=True)
st.subheader(words.HOW, anchor=False)
if loaded.imputed is not None:
    st.caption(words.FIRST_TABLE)
st.markdown(f"{words.describe_search(first, data)} {entered.describe(given)}")
st.page_link("pages/method.py", icon=":material/menu_book:")
difference(auto, paper)
