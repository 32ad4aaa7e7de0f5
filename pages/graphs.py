"""All graphs: every graph on at most six variables, ranked by each score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import networkx as nx
import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable, SearchTrace, StopReason
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.result import Result
from bjp_explorer.graphs import choices
from bjp_explorer.graphs import tables as graph_tables
from bjp_explorer.graphs.choices import MOST_VARIABLES, SHOWN
from bjp_explorer.jobs import results
from bjp_explorer.shell import caches, components, links, opening, subsets, visit
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count
from bjp_explorer.views import canvas, figures, payloads
from bjp_explorer.views import graph_gallery as gallery
from bjp_explorer.views.palette import current

BEST = 10

links.read(choices.fields(visit.current()))
whole = frame.heading(
    "All graphs",
    "This page scores every graph on at most six variables. It shows how good the result of a "
    "hill climb is, and how probable each edge is.",
)


def usual_variables() -> list[Name]:
    """The variables at first, where there are too many for all."""
    data = whole.data
    if data.n <= MOST_VARIABLES:
        return list(data.names)
    empty: nx.Graph[Any] = nx.empty_graph(data.names)
    return subsets.strongest(caches.score_graph(data, empty, "bjp"), data, MOST_VARIABLES)


def choose_variables() -> Loaded:
    """All variables where they are few; else those that are chosen."""
    data = whole.data
    if data.n <= MOST_VARIABLES:
        return whole
    names = choices.Variables.of(whole, usual).menu()
    if not names:
        st.info("Choose one to six variables.", icon=":material/checklist:")
        end_page()
    if set(names) == set(usual):
        st.caption(
            "The default is the variables with the strongest pairwise dependences, "
            "that is, of the pairs with the lowest Pr(X ⊥ Y | D)."
        )
    return subsets.subset(whole, names)


def climbs() -> dict[str, SearchTrace]:
    """What each score's hill climb found on these variables."""
    found = {method: results.learned(data, method) for method in SCORES}
    if any(t is None or t.stop_reason is StopReason.CANCELLED for t in found.values()):
        end_page()
    return {method: trace for method, trace in found.items() if trace is not None}


def told() -> str:
    """How the climb did, in words."""
    if data.n == 1:
        return "There is only one graph on one variable."
    rank = table.rank(learned[method].graph)
    amount = f"{len(table.scores):,}"
    climb = f"{SCORES[method].title}’s hill climb"
    line = f"On {count(data.n, 'variable')} there are {amount} graphs. {climb}"
    if sub is not whole:
        line += f" on these {data.n} alone"
    if rank == 1:
        line += " found the best one."
    else:
        line += f" ended at rank {rank:,}, because {learned[method].stop_reason}."
    for special in specials[len(SCORES) :]:
        line += f" {special.name.capitalize()} has rank {table.rank(special.graph):,}."
    best = min(BEST, len(table.scores))
    held = f"{100 * math.exp(gallery.share_of_best(table, best)):.3g} %"
    return f"{line} The {best} best graphs carry {held} of the posterior." if best == BEST else line


def best_graphs() -> None:
    """The best graphs as small multiples."""
    places = range(1, min(BEST, len(table.scores)) + 1)
    panels = [gallery.panel(table, place, named, f"{place}.") for place in places]
    used = {tone for panel in panels for *_, tone in panel["edges"]}
    st.subheader(f"The best {count(len(panels), 'graph')} by {SCORES[method].title}", anchor=False)
    payload = payloads.networks_payload(
        data,
        points,
        panels,
        identity=f"{data.digest[:16]} {method} best",
        tones={tone: label for tone, label in gallery.TONES.items() if tone in used},
        columns=min(5, len(panels)),
        clickable=openable,
    )
    payload["names"] = gallery.abbreviated(data.names)
    payload["stem"] = file_stem(sub.title, method)
    open_one(components.networks_view(payload, key="graphs-best").open)
    if not openable:
        explore_button()


def open_one(key: str | None) -> None:
    """Go to the page that steps through a graph's score."""
    if key is not None and openable:
        opening.open_graph(sub, table.graph(int(key)), method)


def explore_button() -> None:
    """Select the chosen variables, so that every page is about them."""
    amount = "this variable" if data.n == 1 else f"these {data.n} variables"
    st.button(
        f"Explore {amount}",
        key="graphs-explore",
        icon=":material/filter_alt:",
        help="Selects these variables as the dataset; then you can open any of their graphs.",
        on_click=visit.choose,
        args=(sub.token,),
    )


@st.fragment
def score_against_score(tables: Mapping[str, GraphTable]) -> None:
    """The scatter, and the graph of the point that was clicked."""
    left, middle, right = st.columns([1, 1, 1.4], vertical_alignment="bottom")
    axes = (choices.ACROSS.menu(left, "Horizontal axis"), choices.UP.menu(middle, "Vertical axis"))
    amount = choices.AMOUNT.buttons(right, f"Show, ranked by {SCORES[method].title}")
    numbers = gallery.foremost(table, SHOWN[amount])
    rank = choices.rank_choice(data.digest, method, len(table.scores))
    chart, side = st.columns([1.7, 1], gap="medium")
    with side:
        place = rank.box(
            st,
            f"Graph of rank (by {SCORES[method].title})",
            help="Click a point to see its graph here, or type a rank.",
        )
        chosen = int(table.ranking[place - 1])
        look_at(place)

    def picked() -> None:
        number = st.session_state["graphs-scatter"].get("pick")
        if isinstance(number, int) and 0 <= number < len(table.scores):
            rank.put(gallery.place_of(table, number))

    cloud = figures.scatter(tables, axes, numbers, specials, chosen, palette)
    with chart:
        components.points_view(
            cloud.payload(f"{data.digest[:16]} {axes} {amount}", file_stem(sub.title)),
            key="graphs-scatter",
            on_pick=picked,
        )
    links.keep(choices.fields(whole, usual))


def look_at(place: int) -> None:
    """One graph, with what can be done with it."""
    panel = gallery.panel(table, place, named, f"Rank {place:,}")
    graph = table.graph(int(panel["key"]))
    used = {tone for *_, tone in panel["edges"]}
    payload = payloads.networks_payload(
        data,
        points,
        [panel],
        identity=f"{data.digest[:16]} {method} one",
        tones={tone: label for tone, label in gallery.TONES.items() if tone in used},
        clickable=openable,
    )
    payload["stem"] = file_stem(sub.title, method)
    open_one(components.networks_view(payload, key="graphs-one").open)
    trace = caches.score_graph(data, graph, method)
    downloads(Result(sub, graph, trace, points), name=f"{method}-rank-{place}", key="graphs-one")


def posterior() -> None:
    """How probable each edge is."""
    st.subheader(f"The posterior of each edge by {SCORES[method].title}", anchor=False)
    st.caption(
        "A graph’s posterior probability is its score divided by the sum over all graphs. The "
        "posterior of an edge is the sum over the graphs that have it."
    )
    left, right = st.columns(2, gap="medium")
    shares, climb = table.edge_probabilities, learned[method].graph
    about = (data.digest, data.names, method, caches.edges_key(climb), palette)
    left.plotly_chart(
        caches.drawn(
            ("matrix", *about), lambda: figures.edge_matrix(shares, data, method, palette)
        ),
        key="graphs-matrix",
        config=figures.CONFIG,
        alt="Matrix of the posterior probability of each edge.",
    )
    right.plotly_chart(
        caches.drawn(
            ("bars", *about), lambda: figures.edge_bars(shares, data, climb, method, palette)
        ),
        key="graphs-bars",
        config=figures.CONFIG,
        alt="Bars: the edges by descending posterior probability.",
    )


def best_table() -> None:
    """The best graphs as a table."""
    top = caches.once(("best graphs", data.digest, method), lambda: gallery.top_table(table))
    st.subheader(f"The best {count(len(top), 'graph')}", anchor=False)
    share = st.column_config.ProgressColumn(
        "posterior", format="%.4f", min_value=0.0, max_value=max(float(top["share"].max()), 1e-300)
    )
    st.dataframe(
        top,
        hide_index=True,
        key="graphs-table",
        column_config={
            "rank": st.column_config.NumberColumn("rank", width="small"),
            "edges": st.column_config.NumberColumn("edges", width="small"),
            "score": st.column_config.NumberColumn(f"ln {SCORES[method].title}", format="%.4f"),
            "share": share,
            "list": st.column_config.TextColumn("which", width="large"),
        },
    )


usual = usual_variables()
sub = choose_variables()
data = sub.data
openable = sub is whole
tables = graph_tables.tables(data)
if tables is None:
    end_page()
learned = climbs()
specials = gallery.specials(sub, {m: trace.graph for m, trace in learned.items()})
points = canvas.points(sub, learned["bjp"].graph)
palette = current()

bar = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom")
method = choices.SCORE.buttons(bar, "Rank by")
links.copy_button(bar)
table = tables[method]
named = gallery.at_number(specials, table)
st.markdown(told())
if not openable and (sub.truth is not None or sub.published is not None):
    st.caption(
        "On these variables alone, the known network also connects two of them if a path through "
        "omitted variables connects them."
    )
best_graphs()
if data.n > 1:
    st.subheader("Where the learned and known graphs rank", anchor=False)
    st.table(gallery.ranks(specials, tables), border="horizontal", hide_index=True)
    st.subheader("Score against score", anchor=False)
    st.caption("Each point is a graph; click one to see it. Best is to the right and above.")
    score_against_score(tables)
    posterior()
    best_table()
