"""What *Groups* shows of the networks, and of the test: verdict, tables, downloads."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.confidence import GroupComparison, GroupComparisons, describe_comparison
from bjp_engine.io import comparison_csv, comparison_json
from bjp_engine.io.graphs import disarm_cell
from bjp_engine.io.pairs import encode_csv
from bjp_explorer.downloads.button import file_stem, offer
from bjp_explorer.downloads.formats import Format
from bjp_explorer.groups import choices, words
from bjp_explorer.groups.parts import Groups, largest_gap, toned_edges
from bjp_explorer.shell import components, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, prose
from bjp_explorer.views import canvas, payloads

# More variables need taller drawings.
_MANY = 10


def show_networks(loaded: Loaded, groups: Groups, graphs: dict[str, nx.Graph[Any]]) -> None:
    """The networks on one map, and how many edges they share."""
    data: Dataset = next(iter(groups.values()))
    edges, having = toned_edges(graphs, data)
    union: nx.Graph[Any] = nx.compose_all(graphs.values())
    panels = [
        {
            "key": f"group {k}",
            "title": name,
            "subtitle": words.panel_subtitle(groups[name].rows, graphs[name].number_of_edges()),
            "edges": edges[name],
        }
        for k, name in enumerate(graphs, 1)
    ]
    used = {tone for lines in edges.values() for _, _, tone, *_ in lines}
    tones = words.TONES[min(3, len(graphs))]
    payload = payloads.networks_payload(
        data,
        canvas.positions(data.names, union),
        panels,
        identity=f"{data.digest[:16]} groups",
        tones={tone: label for tone, label in tones.items() if tone in used},
        columns=2 if len(graphs) == 4 else min(3, len(graphs)),
    )
    payload["tall"] = data.n > _MANY
    payload["stem"] = file_stem(loaded.title, "groups")
    st.markdown(words.describe_networks(having, list(graphs), data))
    warning = words.warn_of_sizes({name: part.rows for name, part in groups.items()})
    components.networks_view(payload, key="groups-networks")
    if warning:
        st.warning(warning, icon=":material/balance:")


def show_comparisons(loaded: Loaded, groups: Groups, search: str, found: GroupComparisons) -> None:
    """What the test found of one pair of groups, of several after a table of all."""
    names, k = list(found.pairs), 0
    table = found.table
    for note in dict.fromkeys(note for one in found.pairs.values() for note in one.notes):
        st.warning(prose(note), icon=":material/warning:")
    if len(names) > 1:
        st.table(summary(found), border="horizontal", hide_index=True)
        st.caption(words.HOLM)
        # The clearest difference first.
        clearest = int(np.argmin(table["p_edges"]))
        k = choices.pair_of(names, clearest).menu(st, words.PAIR, width=320)
    one = found.pairs[names[k]]
    chances = [table[f"{name}_adjusted"][k] for name in ("p", "p_strength", "p_edges")]
    st.markdown(words.judge(one, chances))
    if len(one.edges):
        show_edges(one, *names[k])
    gap = words.describe_margins(largest_gap({name: groups[name] for name in names[k]}))
    st.caption(" ".join(filter(None, (words.MEANING, gap, words.MISSING))))
    st.markdown(f"**{words.PAPER}**")
    text = describe_comparison(one, *names[k])
    if len(names) > 1:
        text += f" {words.ALONE_IN_PAPER.format(pairs=len(names))}"
    st.code(text, language=None, wrap_lines=True)
    visit.note(loaded, (("groups", *names[k]), search), text)
    if len(names) > 1:
        st.caption(words.ALONE)
    files = (
        Format(
            *("csv", words.PAIRS_CSV, "text/csv", "table"),
            lambda: encode_csv(comparison_csv(found)),
            about=words.PAIRS_ABOUT,
        ),
        Format(
            *("json", words.EVERYTHING, "application/json", "data_object"),
            lambda: comparison_json(found).encode(),
            about=words.EVERYTHING_ABOUT,
        ),
    )
    offer(files, file_stem(loaded.title, "groups"), "groups")


def summary(found: GroupComparisons) -> pd.DataFrame:
    """A line of text for each pair of groups."""
    table = found.table
    return pd.DataFrame(
        {
            words.GROUPS: [words.markdown_pair(a, b) for a, b in found.pairs],
            words.LARGEST_P: [words.chance(p) for p in table["p_edges_adjusted"]],
            words.DISTANCE: [count(d, "edge") for d in table["distance"]],
            words.P: [words.chance(p) for p in table["p_adjusted"]],
            words.STRENGTH_P: [words.chance(p) for p in table["p_strength_adjusted"]],
        }
    )


def show_edges(one: GroupComparison, a: str, b: str) -> None:
    """The pairs of variables, the clearest difference first."""
    column, numbers = st.column_config, "%.3f"
    shown = edge_table(one, a, b)
    st.dataframe(
        shown,
        hide_index=True,
        key="groups-edges",
        height=min(36 * len(shown) + 38, 520),
        column_config={
            "pair": column.TextColumn("pair", width=210),
            "edge": column.TextColumn("edge in", width=120),
            "effect_a": column.NumberColumn(words.column("effect", a), format=numbers),
            "effect_b": column.NumberColumn(words.column("effect", b), format=numbers),
            "difference": column.NumberColumn(
                "difference", format=numbers, help=words.COLUMN_HELP["difference"]
            ),
            "p": column.NumberColumn("p", format="%.4f", help=words.COLUMN_HELP["p"]),
            "p_adjusted": column.NumberColumn(
                "adjusted p", format="%.4f", help=words.COLUMN_HELP["p_adjusted"]
            ),
            "kind": column.TextColumn("effect is a"),
        },
    )
    st.caption(words.TABLE_ABOUT)


def edge_table(one: GroupComparison, a: str, b: str) -> pd.DataFrame:
    """The pairs with their names as one text, and in which network each is an edge."""
    edges = one.edges
    ends = zip(edges.pop("x"), edges.pop("y"), strict=True)
    edges.insert(0, "pair", [disarm_cell(words.pair_text(x, y)) for x, y in ends])
    has = zip(edges.pop("in_a"), edges.pop("in_b"), strict=True)
    edges.insert(1, "edge", [disarm_cell(words.where(*each, a, b)) for each in has])
    return edges[["pair", "edge", "effect_a", "effect_b", "difference", "p_adjusted", "p", "kind"]]
