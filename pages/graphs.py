"""All graphs: every graph on at most six variables, ranked by each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import streamlit as st

from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.result import Result
from bjp_explorer.graphs import figures, gallery
from bjp_explorer.graphs.figures import MOST_VARIABLES
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.job import Task
from bjp_explorer.shell import caches, components, links, origins, sources, visit
from bjp_explorer.shell.text import plain
from bjp_explorer.shell.visit import end_page
from bjp_explorer.views import layout, payloads
from bjp_explorer.views.palette import current
from bjp_explorer.views.sections import show_contents, show_heading
from bjp_explorer.views.words import NEAR_ABOUT

BEST, COLUMNS = 10, 4
# A column has room for names of so many letters.
LONGEST_NAME = 18

links.read(figures.fields(visit.current()))
whole = sub = frame.heading("Every graph on at most six variables, ranked by each score.")
is_part, usual = whole.data.n > MOST_VARIABLES, list(whole.data.names)
if is_part:
    unconnected = caches.score_graph(whole.data, nx.empty_graph(usual), "bjp")
    usual = sources.strongest(unconnected, whole.data, MOST_VARIABLES)
bar = st.container(horizontal=True, vertical_alignment="bottom")
method = figures.SCORE.buttons(bar, "Rank by", help=NEAR_ABOUT)
if is_part:
    names = figures.Variables.of(whole, usual).menu(bar)
    if not names:
        st.info("Choose one to six variables.", icon=":material/checklist:")
        end_page()
    if set(names) == set(usual):
        st.caption(
            "Chosen: the variables with the strongest pairwise dependences, those with the lowest "
            "Pr(X ⊥ Y | D)."
        )
    sub = sources.subset(whole, names)
links.copy_button(bar)
data, openable = sub.data, sub is whole
found: dict[str, GraphTable] | None = results.at_once(
    ("all graphs", data.digest),
    f"Scoring all {1 << data.n * (data.n - 1) // 2:,} graphs",
    Task(tasks.score_all_graphs, data),
    costs.of_all_graphs(data),
)
if found is None:
    end_page()
tables = found
# What each score's hill climb found on these variables.
climbs = {method: results.learned(data, method) for method in SCORES}
learned = {m: trace for m, trace in climbs.items() if trace and origins.is_whole(trace)}
if len(learned) < len(climbs):
    end_page()
specials = gallery.specials(sub, {m: trace.graph for m, trace in learned.items()})
points = layout.points(sub, learned["bjp"].graph)
palette = current()
table = tables[method]
named = gallery.at_number(specials, table)
sections = {
    "ranks": "Learned and known graphs",
    "scores": "Score against score",
    "edges": "Posterior of each edge",
    "best": f"The best graphs by {SCORES[method].title}",
}


def show_panels(panels: Sequence[Mapping[str, Any]], key: str, **look: Any) -> None:
    """Some graphs; a click on one's button steps through its score."""
    used = {tone for panel in panels for *_, tone in panel["edges"]}
    payload = payloads.networks_payload(
        data,
        points,
        panels,
        identity=f"{data.digest[:16]} {method} {key}",
        tones={tone: label for tone, label in gallery.TONES.items() if tone in used},
        clickable=openable,
        **look,
    )
    payload["stem"] = file_stem(sub.title, method)
    if key == "best" and max(len(plain(name)) for name in data.names) > LONGEST_NAME:
        payload["names"] = gallery.abbreviate(data.names)
    opened = components.show("networks", payload, key=f"graphs-{key}").open
    if openable and opened in [panel["key"] for panel in panels]:
        graph = table.graph(int(opened))
        links.open_graph(sub, graph, method, "chosen among all graphs", learned[method].graph)


@st.fragment
def score_against_score() -> None:
    """The scatter, and the graph of the point that was clicked."""
    left, right = st.columns(2, vertical_alignment="bottom")
    across, up = axes = (
        figures.ACROSS.menu(left, "Horizontal axis"),
        figures.UP.menu(right, "Vertical axis"),
    )
    rank = figures.rank_choice(data.digest, method, len(table.scores))
    chart, side = st.columns([1.7, 1], gap="medium")
    with side:
        help_ = "Click a point to see its graph here, or type a rank."
        place = rank.box(st, f"Graph of rank (by {SCORES[method].title})", help=help_)
        chosen = int(table.ranking[place - 1])
        panel = gallery.panel(table, place, named, f"Rank {place:,}")
        show_panels([panel], "one")
        graph = table.graph(chosen)
        trace = caches.score_graph(data, graph, method)
        name = f"{method}-rank-{place}"
        downloads(Result(sub, graph, trace, points), name=name, key="graphs-one")

    def choose_point() -> None:
        for point in st.session_state["graphs-scatter"].selection.points:
            rank.put(gallery.place_of(table, point["customdata"]))

    key = ("scatter", sub.token, data.digest, axes, method, chosen, palette)
    chart.plotly_chart(
        caches.drawn(key, lambda: figures.scatter(tables, axes, method, specials, chosen, palette)),
        key="graphs-scatter",
        on_select=choose_point,
        selection_mode="points",
        config=figures.CONFIG | {"modeBarButtonsToRemove": ["autoscale"]},
        alt=f"Scatter of graphs: {figures.axis_title(up)} against {figures.axis_title(across)}.",
    )
    links.keep(figures.fields(whole, usual))


known = specials[len(SCORES) :]
st.markdown(gallery.finding(table, learned[method], known, BEST, part=not openable))
if not openable and known:
    st.caption(
        "On these variables alone, the known network also connects two of them if a path through "
        "omitted variables connects them."
    )
if data.n > 1:
    show_contents(st, sections)
places = range(1, min(BEST, len(table.scores)) + 1)
show_panels(
    [gallery.panel(table, place, named, f"{place}.") for place in places],
    "best",
    columns=min(COLUMNS, len(places)),
)
if not openable:
    # So that every page is about them.
    st.button(
        "Explore this variable" if data.n == 1 else f"Explore these {data.n} variables",
        key="graphs-explore",
        icon=":material/filter_alt:",
        help="Selects these variables as the dataset; then you can open any of their graphs.",
        on_click=visit.choose,
        args=(sub.token,),
    )
if data.n > 1:
    show_heading(sections, "ranks")
    st.table(gallery.ranks(specials, tables), border="horizontal", hide_index=True)
    show_heading(sections, "scores")
    most = figures.MOST_POINTS
    few = len(table.scores) <= most
    points_are = "Each point is a graph" if few else f"Points are the {most:,} best graphs"
    st.caption(f"{points_are}; click one to see it. The best are at the top right.")
    score_against_score()
    show_heading(sections, "edges")
    text = (
        "With a uniform prior over graphs, a graph’s posterior probability is exp(score) divided "
        "by the sum of that over all graphs. The posterior of an edge, in per cent, is the sum "
        "over the graphs that have it."
    )
    if getattr(SCORES[method], "near_only", False):
        text += (
            " By near blankets this is a posterior only if the assertions of a graph are "
            "independent of each other given the data."
        )
    st.caption(text)
    left, right = st.columns(2, gap="medium")
    shares, climb = table.edge_probabilities, learned[method].graph
    matrix, bars = caches.drawn(
        ("edges", data.digest, data.names, method, caches.edges_key(climb), palette),
        lambda: (
            figures.edge_matrix(shares, data, method, palette),
            figures.edge_bars(shares, data, climb, method, palette),
        ),
    )
    left.plotly_chart(
        matrix,
        key="graphs-matrix",
        config=figures.CONFIG,
        alt="Matrix of the posterior probability of each edge.",
    )
    right.plotly_chart(
        bars,
        key="graphs-bars",
        config=figures.CONFIG,
        alt="Bars: the edges by descending posterior probability.",
    )
    top = caches.once(("best graphs", data.digest, method), lambda: gallery.top_table(table))
    show_heading(sections, "best")
    st.dataframe(
        top,
        hide_index=True,
        key="graphs-table",
        column_config={
            "rank": st.column_config.NumberColumn(width="small"),
            "edges": st.column_config.NumberColumn(width="small"),
            "score": st.column_config.NumberColumn(f"ln {SCORES[method].title}", format="%.4f"),
            # A full bar is a probability of 1.
            "share": st.column_config.ProgressColumn(
                "posterior", format="%.4f", min_value=0.0, max_value=1.0
            ),
            "list": st.column_config.TextColumn("which", width="large"),
        },
    )
