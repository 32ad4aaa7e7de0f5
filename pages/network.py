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
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import results
from bjp_explorer.network import choices, confidence, words
from bjp_explorer.network.reasons import reasons
from bjp_explorer.shell import caches, components, links, opening, origins, visit
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.text import count, number
from bjp_explorer.views import canvas, payloads
from bjp_explorer.views import edges as network_edges
from bjp_explorer.views.edges import Line
from bjp_explorer.views.words import MEASURES, meaning_of_confidence

LEGEND = {
    "sure": "1",
    "likely": "¾",
    "even": "½",
    "missing": "outside the graph",
}

links.read(choices.fields(visit.current().data))
loaded = frame.heading(
    "Your network",
    "The network learned from the data, the probability of each edge, and the downloads.",
)
data = loaded.data
known = loaded.truth if loaded.truth is not None else loaded.published
known_name = "the true network" if loaded.truth is not None else "the published graph"

if data.n == 1:
    st.info(
        "There is only one variable, so there is no pair that could be an edge.",
        icon=":material/info:",
    )
    end_page()


def drawing() -> None:
    """The network; the width of an edge shows the number that was chosen."""
    edges = network_edges.drawn(found, data, sure.kind, why)
    used = ["sure", "likely", "even"] if shown.number_of_edges() else []
    used += ["missing"] if any(tone == "missing" for _, _, tone, *_ in edges) else []
    panel = {
        "key": search,
        "title": f"{count(shown.number_of_edges(), 'edge')} {how}; width shows {measure}",
        "edges": edges,
    }
    payload = payloads.networks_payload(
        data,
        points,
        [panel],
        identity=f"{data.digest[:16]} network",
        tones={
            tone: f"{measure} {LEGEND[tone]}" if tone == "sure" else LEGEND[tone] for tone in used
        },
    )
    payload["stem"] = file_stem(loaded.title)
    payload["tall"] = True
    components.networks_view(payload, key="network-view")


def pairs() -> None:
    """The same as a table."""
    reason = "Where the number says otherwise: what flipping the pair does to the whole score."
    about = "The conditioning set of the one test that BJP computes for the pair."
    test = (
        "Pr(dependent) by the one test that BJP computes for the pair, given the set on its right."
    )
    st.dataframe(
        network_edges.table(found, data, sure.kind, known, why),
        hide_index=True,
        key="network-table",
        height=min(36 * len(found) + 38, 520),
        column_config={
            "pair": st.column_config.TextColumn("pair", width=250),
            "confidence": st.column_config.ProgressColumn(
                measure, min_value=0.0, max_value=1.0, format="%.4f"
            ),
            "error": st.column_config.NumberColumn(
                "± error", format="%.4f", help="Monte Carlo standard error", width="small"
            ),
            "learned": st.column_config.TextColumn("learned", width="small"),
            "why": st.column_config.TextColumn("why", width=270, help=reason),
            "test": st.column_config.NumberColumn("Pr(dependent)", format="%.4f", help=test),
            "given": st.column_config.TextColumn("given", width=270, help=about),
            "known": st.column_config.TextColumn(known_name.removeprefix("the "), width=140),
        },
    )


def uniform_score(graph: nx.Graph[Any]) -> float:
    """ln BJP, every graph as likely as any other beforehand."""
    return caches.score_graph(data, graph, "bjp").total


def difference(auto: SearchTrace, paper: SearchTrace) -> None:
    """How the graphs of the two searches differ."""
    st.subheader("Auto and the paper’s search", anchor=False)
    if not (origins.is_whole(auto) and origins.is_whole(paper)):
        st.caption("A search was cancelled, so its graph is not compared with the other one’s.")
        return
    only_auto, only_paper = words.differences(auto.graph, paper.graph, data)
    rows = {
        f"{name[:1].upper()}{name[1:]}": each.graph
        for each in (auto, paper)
        for name in [origins.search_name(each)]
    }
    lines = []
    if not only_auto and not only_paper:
        lines.append("Both found the same graph.")
    for who, only in zip(rows, (only_auto, only_paper), strict=True):
        if only:
            lines.append(f"Only {who} has {count(len(only), 'edge')}: {words.listed(only)}.")
    st.markdown(" ".join(lines))
    table = pd.DataFrame(
        {
            "Search": list(rows),
            "Edges": [f"{graph.number_of_edges():,}" for graph in rows.values()],
            "ln BJP (uniform prior)": [number(uniform_score(g), 4) for g in rows.values()],
        }
    )
    if known is not None:
        far = [f"{metrics.hamming(known, graph):,}" for graph in rows.values()]
        table[f"Hamming distance to {known_name}"] = far
    st.table(table, border="horizontal", hide_index=True)
    st.caption(
        "The paper’s search climbs this score from the empty graph and stops at the first "
        "proposal that does not raise it. Auto climbs this score plus a prior of its own, so it "
        "may end with a lower ln BJP and yet be closer to the true graph."
    )


controls = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
search = choices.SEARCH.buttons(controls, "Search")
kind = choices.KIND.buttons(controls, "Number of each edge", wrap=True)
auto = results.learned(data, "bjp", "auto")
# Every page places the variables by the graph of the paper's search.
paper = results.learned(data, "bjp")
if auto is None or paper is None:
    end_page()
trace: SearchTrace = auto if search == "auto" else paper
how = origins.origin(trace)

asked = confidence.ask(kind, search, data)
tests = confidence.of_tests(data, trace)
# Its place is always there, so that the component below stays mounted when it empties.
with st.container():
    given: EdgeConfidence | None = confidence.answer(data, trace, asked)
sure = tests if given is None else given

# Above the slider on the page, below it in the script: it says what the slider hides.
above = st.container()
bar = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
threshold = choices.THRESHOLD.slider(
    bar,
    "Hide edges with a number below",
    step=0.01,
    help="Applies to the drawing, the table and the files.",
)
found: list[Line] = network_edges.lines(data, trace.graph, sure, tests, threshold)
shown = network_edges.kept(found, data)
hidden = trace.graph.number_of_edges() - shown.number_of_edges()
points = canvas.points(loaded, origins.learned_graph(paper))
measure, why = MEASURES[sure.kind], reasons(data, trace, found)

with above:
    sentences = [words.summary(found, data, hidden, threshold, sure.kind, how)]
    constant = (data.codes[:1] == data.codes).all(axis=0)
    if constant.any():
        sentences.append(words.constants([data.names[i] for i in constant.nonzero()[0]]))
    st.markdown(" ".join(sentences))
    prior = "a prior of two neighbours per variable" if asked.prior else "a uniform prior"
    st.caption(meaning_of_confidence(sure, prior))
    if sure.diagnostics is not None:
        st.markdown(words.trust(sure.diagnostics))
with bar:
    if st.button(
        "Step through its score",
        key="network-step",
        icon=":material/footprint:",
        help="Shows the tests of this graph, one after another, down to the counts.",
    ):
        if hidden:
            opening.open_graph(loaded, shown, "bjp")
        opening.open_learned("bjp", "auto" if search == "auto" else "learned")
    links.copy_button(bar)
    result = Result(loaded, shown, trace, points, sure)
    downloads(result, name=f"{search} {sure.kind}", key="network")

drawing()
pairs()
st.subheader("How it was found", anchor=False)
st.markdown(words.did(trace))
st.page_link("pages/method.py", label="About the method", icon=":material/menu_book:")
difference(auto, paper)
links.keep(choices.fields(data))
