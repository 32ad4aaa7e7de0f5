"""All graphs: every graph on at most six variables, ranked by each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable, SearchTrace, StopReason
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.result import Result
from bjp_explorer.graphs import choices, figures, gallery, words
from bjp_explorer.graphs import tables as graph_tables
from bjp_explorer.graphs.choices import MOST_VARIABLES, SHOWN
from bjp_explorer.jobs import results
from bjp_explorer.shell import caches, components, links, opening, subsets, visit
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import plain
from bjp_explorer.views import canvas, payloads
from bjp_explorer.views.palette import current
from bjp_explorer.views.sections import show_contents, show_heading
from bjp_explorer.views.words import NEAR_ABOUT

BEST, COLUMNS = 10, 4
# A column has room for names of so many letters.
LONGEST_NAME = 18

links.read(choices.fields(visit.current()))
whole = frame.heading(words.ABOUT)


def usual_variables() -> list[Name]:
    """The variables at first, where there are too many for all."""
    data = whole.data
    if data.n <= MOST_VARIABLES:
        return list(data.names)
    empty: nx.Graph[Any] = nx.empty_graph(data.names)
    return subsets.strongest(caches.score_graph(data, empty, "bjp"), data, MOST_VARIABLES)


def choose_variables(place: Any) -> Loaded:
    """All variables where they are few; else those that are chosen."""
    data = whole.data
    if data.n <= MOST_VARIABLES:
        return whole
    names = choices.Variables.of(whole, usual).menu(place)
    if not names:
        st.info(words.CHOOSE, icon=":material/checklist:")
        end_page()
    if set(names) == set(usual):
        st.caption(words.USUAL_VARIABLES)
    return subsets.subset(whole, names)


def climbs() -> dict[str, SearchTrace]:
    """What each score's hill climb found on these variables."""
    found = {method: results.learned(data, method) for method in SCORES}
    if any(t is None or t.stop_reason is StopReason.CANCELLED for t in found.values()):
        end_page()
    return {method: trace for method, trace in found.items() if trace is not None}


def best_graphs() -> None:
    """The best graphs as small multiples."""
    places = range(1, min(BEST, len(table.scores)) + 1)
    panels = [gallery.panel(table, place, named, f"{place}.") for place in places]
    used = {tone for panel in panels for *_, tone in panel["edges"]}
    payload = payloads.networks_payload(
        data,
        points,
        panels,
        identity=f"{data.digest[:16]} {method} best",
        tones={tone: label for tone, label in gallery.TONES.items() if tone in used},
        columns=min(COLUMNS, len(panels)),
        clickable=openable,
    )
    if max(len(plain(name)) for name in data.names) > LONGEST_NAME:
        payload["names"] = gallery.abbreviate(data.names)
    payload["stem"] = file_stem(sub.title, method)
    open_one(components.networks_view(payload, key="graphs-best").open, panels)
    if not openable:
        explore_button()


def open_one(key: Any, panels: Sequence[Mapping[str, Any]]) -> None:
    """Go to the page that steps through a graph's score, if it is one of those shown."""
    if openable and key in [panel["key"] for panel in panels]:
        graph = table.graph(int(key))
        opening.open_graph(sub, graph, method, words.OPENED, learned[method].graph)


def explore_button() -> None:
    """Select the chosen variables, so that every page is about them."""
    st.button(
        words.explore(data.n),
        key="graphs-explore",
        icon=":material/filter_alt:",
        help=words.EXPLORE_HELP,
        on_click=visit.choose,
        args=(sub.token,),
    )


@st.fragment
def score_against_score(tables: Mapping[str, GraphTable]) -> None:
    """The scatter, and the graph of the point that was clicked."""
    left, middle, right = st.columns([1, 1, 1.4], vertical_alignment="bottom")
    axes = (choices.ACROSS.menu(left, words.ACROSS), choices.UP.menu(middle, words.UP))
    amount = choices.AMOUNT.buttons(right, words.amount_label(method))
    numbers = gallery.foremost(table, SHOWN[amount])
    rank = choices.rank_choice(data.digest, method, len(table.scores))
    chart, side = st.columns([1.7, 1], gap="medium")
    with side:
        place = rank.box(st, words.rank_label(method), help=words.RANK_HELP)
        chosen = int(table.ranking[place - 1])
        look_at(place)

    def choose_point() -> None:
        number = st.session_state["graphs-scatter"].get("pick")
        if isinstance(number, int) and 0 <= number < len(table.scores):
            rank.put(gallery.place_of(table, number))

    cloud = figures.scatter(tables, axes, numbers, specials, chosen, palette)
    with chart:
        components.points_view(
            cloud.payload(f"{data.digest[:16]} {axes} {amount}", file_stem(sub.title)),
            key="graphs-scatter",
            on_pick=choose_point,
        )
    links.keep(choices.fields(whole, usual))


def look_at(place: int) -> None:
    """One graph, with what can be done with it."""
    panel = gallery.panel(table, place, named, words.rank_title(place))
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
    open_one(components.networks_view(payload, key="graphs-one").open, [panel])
    trace = caches.score_graph(data, graph, method)
    downloads(Result(sub, graph, trace, points), name=f"{method}-rank-{place}", key="graphs-one")


def posterior() -> None:
    """How probable each edge is."""
    show_heading(sections, "edges")
    near = getattr(SCORES[method], "near_only", False)
    st.caption(f"{words.POSTERIOR_CAPTION}{' ' + words.NEAR_POSTERIOR if near else ''}")
    left, right = st.columns(2, gap="medium")
    shares, climb = table.edge_probabilities, learned[method].graph
    about = (data.digest, data.names, method, caches.edges_key(climb), palette)
    left.plotly_chart(
        caches.drawn(
            ("matrix", *about), lambda: figures.edge_matrix(shares, data, method, palette)
        ),
        key="graphs-matrix",
        config=figures.CONFIG,
        alt=words.MATRIX,
    )
    right.plotly_chart(
        caches.drawn(
            ("bars", *about), lambda: figures.edge_bars(shares, data, climb, method, palette)
        ),
        key="graphs-bars",
        config=figures.CONFIG,
        alt=words.BARS,
    )


def best_table() -> None:
    """The best graphs as a table."""
    top = caches.once(("best graphs", data.digest, method), lambda: gallery.top_table(table))
    show_heading(sections, "best")
    # A full bar is a probability of 1.
    share = st.column_config.ProgressColumn(
        "posterior", format="%.4f", min_value=0.0, max_value=1.0
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
bar = st.container(horizontal=True, vertical_alignment="bottom")
method = choices.SCORE.buttons(bar, words.RANK_BY, help=NEAR_ABOUT)
sub = choose_variables(bar)
links.copy_button(bar)
data = sub.data
openable = sub is whole
tables = graph_tables.tables(data)
if tables is None:
    end_page()
learned = climbs()
specials = gallery.specials(sub, {m: trace.graph for m, trace in learned.items()})
points = canvas.points(sub, learned["bjp"].graph)
palette = current()
table = tables[method]
named = gallery.at_number(specials, table)
sections = words.sections(method)

known = specials[len(SCORES) :]
st.markdown(words.finding(table, learned[method], known, BEST, part=not openable))
if not openable and known:
    st.caption(words.PART_OF_KNOWN)
if data.n > 1:
    show_contents(st, sections)
best_graphs()
if data.n > 1:
    show_heading(sections, "ranks")
    st.table(gallery.ranks(specials, tables), border="horizontal", hide_index=True)
    show_heading(sections, "scores")
    st.caption(words.SCATTER_CAPTION)
    score_against_score(tables)
    posterior()
    best_table()
