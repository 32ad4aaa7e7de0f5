"""What *Groups* shows: the networks, the permutation test, and what it found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.confidence import (
    GroupComparison,
    GroupComparisons,
    compare_all_groups,
    describe_comparison,
)
from bjp_engine.confidence.comparison import LEVEL
from bjp_engine.io import comparison_csv
from bjp_engine.io.graphs import disarm_cell, encode_csv
from bjp_engine.search import SearchTrace
from bjp_explorer.downloads.button import file_stem, offer
from bjp_explorer.downloads.formats import Format
from bjp_explorer.groups import parts
from bjp_explorer.groups.parts import Groups
from bjp_explorer.jobs import costs, results
from bjp_explorer.jobs.job import Task
from bjp_explorer.shell import components, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, markdown, number, plain, prose, tell_apart, together
from bjp_explorer.views import layout, payloads
from bjp_explorer.views.payloads import pair_name

# More variables need taller drawings, and more groups are a table.
_MANY, MOST_DRAWN, MOST_NAMED = 10, 3, 3
# Groups of which one has so many times the rows of another are unequal; fewer rows are few.
UNEQUAL, FEW = 2.0, 50
# Seconds to fit both groups in one permutation, and more of them for each edge.
_FIT, _FIT_EDGE = 0.007, 2e-4
TEST, TESTING, PAPER = "Test the difference", "Permuting the groups", "For a paper"
TONES = {
    2: {"all": "in both", "only": "in one only"},
    3: {"all": "in all groups", "some": "in some", "only": "in one only"},
}


def show_networks(loaded: Loaded, groups: Groups, graphs: dict[str, nx.Graph[Any]]) -> None:
    """Two or three networks on one map, of more which has each edge; and how many they share."""
    data: Dataset = next(iter(groups.values()))
    having = parts.having_edges(graphs, data)
    st.markdown(describe_networks(having, list(graphs), data))
    if len(graphs) > MOST_DRAWN:
        # A line for each edge of any group, with a column for each group.
        rows = [
            [disarm_cell(pair_name(pair, data)), *("edge" if g in who else "" for g in graphs)]
            for pair, who in having.items()
        ]
        names = tell_apart(["pair", *graphs], 30)
        st.dataframe(
            pd.DataFrame(rows, columns=names),
            hide_index=True,
            key="groups-table",
            column_config={names[0]: st.column_config.TextColumn(width=210, pinned=True)},
        )
    else:
        edges = {name: parts.toned_edges(having, name, len(graphs), data) for name in graphs}
        panels = [
            {
                "key": f"group {k}",
                "title": name,
                "subtitle": f"n = {groups[name].rows:,} · {count(len(edges[name]), 'edge')}",
                "edges": edges[name],
            }
            for k, name in enumerate(graphs, 1)
        ]
        used = {tone for lines in edges.values() for _, _, tone, *_ in lines}
        payload = payloads.networks_payload(
            data,
            layout.positions_of(data.names, nx.compose_all(graphs.values())),
            panels,
            identity=f"{data.digest[:16]} groups",
            tones={tone: text for tone, text in TONES[len(graphs)].items() if tone in used},
        )
        payload |= {"tall": data.n > _MANY, "stem": file_stem(loaded.title, "groups")}
        components.show("networks", payload, key="groups-networks")
    if warning := warn_of_sizes({name: part.rows for name, part in groups.items()}):
        st.warning(warning, icon=":material/balance:")


def describe_networks(
    having: Mapping[tuple[int, int], Sequence[str]], names: Sequence[str], data: Dataset
) -> str:
    """How many edges all groups share, and which ones they don't. Markdown."""
    if not having:
        return "**No group’s network has an edge.**"
    everywhere = sum(len(who) == len(names) for who in having.values())
    all_of = "both networks" if len(names) == 2 else f"all {len(names)} networks"
    verb = "are" if everywhere > 1 else "is"
    text = f"**{count(everywhere, 'edge') if everywhere else 'No edge'} {verb} in {all_of}"
    apart = {pair: who for pair, who in having.items() if len(who) < len(names)}
    if not apart:
        return f"{text}**, and no edge is in one only."
    text += f", {len(apart):,} {'differs' if len(apart) == 1 else 'differ'}.**"
    if len(names) > MOST_DRAWN:
        return text
    by_group: dict[tuple[str, ...], list[str]] = {}
    for pair, who in apart.items():
        by_group.setdefault(tuple(who), []).append(markdown(pair_name(pair, data)))
    for who, edges in by_group.items():
        named = edges[:MOST_NAMED]
        if len(edges) > len(named):
            named.append(f"{len(edges) - len(named):,} more")
        if len(who) > 1:
            (other,) = set(names) - set(who)
            where = f"In all but {_name(other)}"
        else:
            where = f"Only in {_name(who[0])}"
        text += f" {where}: {together(named)}."
    return text


def warn_of_sizes(rows: Mapping[str, int]) -> str:
    """That fewer rows give fewer edges, where the sizes differ much or are small; else empty."""
    least, most = min(rows, key=rows.__getitem__), max(rows, key=rows.__getitem__)
    said = []
    if rows[most] >= UNEQUAL * rows[least]:
        said.append(
            f"{_name(least)} has {count(rows[least], 'row')}, {_name(most)} has {rows[most]:,}. "
            "Fewer rows give fewer edges, so a part of the difference may come from the sizes. "
            "The test below allows for that."
        )
    if few := [name for name, amount in rows.items() if amount < FEW]:
        which = together([f"{_name(name)} ({rows[name]:,})" for name in few])
        have = "has" if len(few) == 1 else "have"
        said.append(f"{which} {have} fewer than {FEW} rows, which show little about any edge.")
    return " ".join(said)


def warn_of_states(names: Sequence[str]) -> str:
    """That two files have different states. Markdown."""
    which = together([_name(name) for name in names[:MOST_NAMED]])
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return (
        f"The files have different states of {which}{more}. If numbers were binned in each file by "
        "itself, the bins differ, and so will the networks: prepare both with the same steps."
    )


# --- The test -------------------------------------------------------------------------------------


def test_groups(
    groups: Groups, search: str, traces: dict[str, SearchTrace]
) -> GroupComparisons | None:
    """What the test found; before, its settings with a button, or its progress.

    None until it has ended well.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        amount = parts.PERMUTATIONS.box(st, "Permutations", width=160)
        seed = parts.SEED.box(st, "Seed", width=160)
    key = ("groups", *(part.digest for part in groups.values()), *groups, search, amount, seed)
    wanted = {"groups": groups, "search": search, "permutations": amount, "seed": seed}
    task = Task(compare_all_groups, None, wanted, ("progress", "n_jobs"))

    def begin() -> None:
        each = sum(costs.of_search(part, "bjp", search, {}) for part in groups.values())
        results.begin(key, TESTING, task, amount * each, "permutations")

    def ask() -> None:
        pairs = len(groups) * (len(groups) - 1) // 2
        # Each group is in as many pairs as there are other groups.
        alone = sum(t.seconds + _FIT_EDGE * t.graph.number_of_edges() for t in traces.values())
        seconds = (alone * (len(groups) - 1) + _FIT * pairs) * amount
        if (least := pairs / (amount + 1)) > LEVEL:
            st.warning(
                f"With {count(pairs, 'pair')} of groups and {count(amount, 'permutation')}, no "
                f"adjusted p-value can be below {number(min(least, 1.0), 3)}. Take at least "
                f"{math.ceil(pairs / LEVEL) - 1:,}.",
                icon=":material/warning:",
            )
        about = f"{max(1, round(seconds))} s" if seconds < 100 else f"{round(seconds / 60):,} min"
        what = f"Permutes {amount:,} times which rows are in which group, and learns again. "
        icon = ":material/compare_arrows:"
        results.offer(
            TEST, f"{what}Takes about {about}.", begin, "groups-test", icon, type="primary"
        )

    found: GroupComparisons | None = results.on_request(key, ask)
    return found


def show_comparisons(loaded: Loaded, groups: Groups, search: str, found: GroupComparisons) -> None:
    """What the test found of one pair of groups, of several after a table of all."""
    names, k, table = list(found.pairs), 0, found.table
    for note in dict.fromkeys(note for one in found.pairs.values() for note in one.notes):
        st.warning(prose(note), icon=":material/warning:")
    if len(names) > 1:
        # The clearest difference first.
        column, clearest = parts.by_of(loaded).get(), int(np.argmin(table["p_edges"]))
        choice = parts.pair_of(loaded, column, names, clearest)
        st.table(summary(found, choice.labels.values()), border="horizontal", hide_index=True)
        st.caption("All p-values are adjusted for the number of pairs of groups (Holm).")
        k = choice.menu(st, "Compare", width=320)
    one = found.pairs[names[k]]
    st.markdown(judge(one, float(table["p_edges_adjusted"][k])))
    if len(one.edges):
        show_edges(one, *names[k])
    gap = parts.largest_gap({name: groups[name] for name in names[k]})
    st.caption(
        "A p-value is the share of permutations in which groups that differ by chance only show a "
        "difference at least as large. A small one says that the groups’ distributions differ, and "
        "which number shows it. It does not prove that just this edge differs. If a state is much "
        f"rarer in one group, a small p-value is no evidence of different edges. "
        f"{describe_margins(gap)} Missing cells are handled as chosen on the page Data. Where they "
        "are a state, groups with more of them can differ for that reason alone."
    )
    st.markdown(f"**{PAPER}**")
    text = describe_comparison(one, *names[k])
    if len(names) > 1:
        text += f" They are not adjusted for the {len(names)} pairs of groups."
    st.code(text, language=None, wrap_lines=True)
    visit.note(loaded, (("groups", *names[k]), search), text)
    files = (
        Format(
            *("csv", "Pairs of variables (CSV)", "text/csv", "table"),
            lambda: encode_csv(comparison_csv(found)),
            about="Every edge of either network, with both effects and p-values.",
        ),
    )
    offer(files, file_stem(loaded.title, "groups"), "groups")


def summary(found: GroupComparisons, pairs: Iterable[str]) -> pd.DataFrame:
    """A line of text for each pair of groups."""
    table = found.table
    return pd.DataFrame(
        {
            "Groups": [*map(markdown, pairs)],
            "p (largest difference of a pair)": [chance(p) for p in table["p_edges_adjusted"]],
            "p (global strength)": [chance(p) for p in table["p_strength_adjusted"]],
            "Hamming distance": [count(d, "edge") for d in table["distance"]],
        }
    )


def judge(found: GroupComparison, p: float) -> str:
    """Whether two groups differ clearly, by the largest difference of a pair. Markdown.

    Its p-value `p` allows for all pairs. That of the Hamming distance, which finds a difference no
    more often than chance does, and that of the global strength are no part of it.
    """
    largest = chance(p)
    if p > LEVEL:
        return (
            f"**No clear difference.** The largest difference of a pair of variables has p = "
            f"{largest}, adjusted for all pairs. This does not prove that the networks are the "
            "same."
        )
    clear = max(1, int((found.edges["p_adjusted"] <= LEVEL).sum()))
    pairs = f"{count(clear, 'pair')} of variables {'differs' if clear == 1 else 'differ'}"
    return (
        f"**The groups differ clearly:** {pairs}, with p = {largest} for the largest difference, "
        "adjusted for all pairs."
    )


def describe_margins(gap: tuple[Any, str, dict[str, float]] | None) -> str:
    """Where the margins of the groups differ most. Markdown."""
    if gap is None:
        return ""
    name, state, shares = gap
    low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    what = f"{markdown(plain(name, 28))} = {markdown(plain(state, 28))}"
    return (
        f"Here the margins differ most in {what}: {shares[low]:.0%} of the rows in {_name(low)}, "
        f"{shares[high]:.0%} in {_name(high)}."
    )


def show_edges(one: GroupComparison, a: str, b: str) -> None:
    """The pairs of variables, the clearest difference first."""
    edges = one.edges
    ends = zip(edges.pop("x"), edges.pop("y"), strict=True)
    has = [*zip(edges.pop("in_a"), edges.pop("in_b"), strict=True)]
    a, b = tell_apart([a, b], 30)
    names = {(True, True): "both", (True, False): a, (False, True): b}
    pairs = [disarm_cell(f"{plain(x, 28)} – {plain(y, 28)}") for x, y in ends]
    shown = edges.assign(pair=pairs, edge=[disarm_cell(names[each]) for each in has])
    column, form = st.column_config, "%.3f"
    config = {
        "pair": column.TextColumn(width=210),
        "edge": column.TextColumn("edge in", width=120),
        "effect_a": column.NumberColumn(f"{a}: effect", format=form),
        "effect_b": column.NumberColumn(f"{b}: effect", format=form),
        "difference": column.NumberColumn(
            format=form,
            help="For log odds ratios that of the second group less that of the first.",
        ),
        "p_adjusted": column.NumberColumn(
            "adjusted p",
            format="%.4f",
            help="Adjusted for all pairs of variables (Westfall & Young).",
        ),
        "p": column.NumberColumn(format="%.4f", help="Of this pair alone."),
        "kind": column.TextColumn("effect is a"),
    }
    st.dataframe(
        shown[[*config]],
        hide_index=True,
        key="groups-edges",
        height=min(36 * len(shown) + 38, 520),
        column_config=config,
    )
    st.caption(
        "Effects are log odds ratios (natural log) given all other variables; with more than two "
        "states those for one step, where both variables are ordered, or else their root mean "
        "square (strength). Both groups are fitted on the union of both networks."
    )


def chance(p: float) -> str:
    """A p-value to two digits."""
    return f"{p:.2g}"


def _name(name: str) -> str:
    return markdown(plain(name, 40))
