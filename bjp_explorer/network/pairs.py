"""The pairs of the page in its drawing and in its table; a column of the table is added here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import judge_pairs
from bjp_engine.dataset import Name
from bjp_explorer.network import card, words
from bjp_explorer.shell.text import number, plain
from bjp_explorer.views.edges import Line, clear_others, pair_name
from bjp_explorer.views.effects import Effect, Effects, join_states, joined_states, kinds_of, widths
from bjp_explorer.views.verdicts import Thresholds
from bjp_explorer.views.words import MEASURES

Reasons = Mapping[tuple[int, int], str]

# The most names of a given set.
_GIVEN = 8
# Cells that begin so are formulas to a spreadsheet program, as which the table can be saved.
_FORMULA = ("=", "+", "-", "@")


def learned_graph(found: Sequence[Line], data: Dataset) -> nx.Graph[Name]:
    """The learned edges that are shown, as a graph on all variables."""
    graph: nx.Graph[Name] = nx.Graph()
    graph.add_nodes_from(data.names)
    pairs = sorted((line.i, line.j) for line in found if line.learned)
    graph.add_edges_from((data.names[i], data.names[j]) for i, j in pairs)
    return graph


def drawing_edges(
    found: Sequence[Line],
    data: Dataset,
    kind: str,
    effects: Effects,
    present: float,
) -> list[list[Any]]:
    """The pairs as edges of a drawing.

    Of the pairs that are no edges the surest, as the words name them, without weight. With effects
    the tone of an edge is its sign, and one more number its width.
    """
    edges, wide = [line for line in found if line.learned], widths(effects)
    drawn = []
    for line in sorted([*edges, *clear_others(found, present)], key=lambda line: (line.i, line.j)):
        effect = effects.get((line.i, line.j))
        tone = "missing" if not line.learned else "plain" if effect is None else effect.sign
        weight = round(line.confidence, 4) if line.learned else None
        text = describe(line, data, kind, effect)
        size = [] if effect is None else [wide[line.i, line.j]]
        drawn.append([line.i, line.j, tone, weight, text, *size])
    return drawn


def describe(line: Line, data: Dataset, kind: str, effect: Effect | None = None) -> str:
    """A pair in words, as plain text."""
    strength = ""
    if effect is not None:
        joined = join_states((line.i, line.j), effect, data)
        strength = f"{effect.text}{f' ({joined})' if joined else ''} · "
    error = "" if line.error is None else f" ± {number(line.error)}"
    where = "" if line.learned else " (not in the graph)"
    test = f"Pr(dependent) {number(line.test, 4)}, " if line.confidence != line.test else ""
    return (
        f"{pair_name((line.i, line.j), data)}{where}: {strength}{MEASURES[kind]} "
        f"{number(line.confidence, 4)}{error} · {test}given {conditioning_set(line.given)}"
    )


def conditioning_set(names: Sequence[Name]) -> str:
    """A set of names, cut where it is long."""
    if not names:
        return "∅"
    more = f", … {len(names) - _GIVEN:,} more" if len(names) > _GIVEN else ""
    return "{" + ", ".join(plain(name, 28) for name in names[:_GIVEN]) + more + "}"


def cell(text: str) -> str:
    """A text as a cell that no spreadsheet program takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def show_table(
    found: Sequence[Line],
    data: Dataset,
    sure: EdgeConfidence,
    known: tuple[nx.Graph[Any] | None, str],
    why: Reasons,
    effects: Effects,
    thresholds: Thresholds,
) -> None:
    """The pairs as a table on the page; beside the known graph stands what it is called.

    A line that is chosen asks for the card of its pair.
    """
    # With other pairs a ticked line would mean another one.
    key = f"network-table {hash(tuple((line.i, line.j) for line in found))}"

    def ask_selected() -> None:
        rows = st.session_state[key].selection.rows
        if rows:
            card.ask((found[rows[0]].i, found[rows[0]].j))

    column = st.column_config
    shown = table(found, data, sure, known[0], why, effects, thresholds)
    longest = max(map(len, shown["pair"]), default=0)
    st.dataframe(
        shown,
        hide_index=True,
        key=key,
        # Of pairs that are no edge there is no effect.
        placeholder="",
        height=min(36 * len(found) + 38, 520),
        column_config={
            "pair": column.TextColumn(words.PAIR, width=min(max(120, 24 + 7 * longest), 340)),
            "confidence": column.ProgressColumn(
                MEASURES[sure.kind], min_value=0.0, max_value=1.0, format="%.4f", width=170
            ),
            "error": column.NumberColumn(
                words.ERROR, format="%.4f", help=words.ERROR_HELP, width="small"
            ),
            "effect": column.NumberColumn(
                words.EFFECT, format="%.2f", help=words.EFFECT_HELP, width=62
            ),
            "low": column.NumberColumn(
                words.LOW, format="%.2f", help=words.INTERVAL_HELP, width=56
            ),
            "high": column.NumberColumn(
                words.HIGH, format="%.2f", help=words.INTERVAL_HELP, width=56
            ),
            "measure": column.TextColumn(words.MEASURE, width=180, help=words.MEASURE_HELP),
            "joins": column.TextColumn(words.STATES, width=110, help=words.STATES_HELP),
            "among": column.TextColumn(words.AMONG, width=140, help=words.AMONG_HELP),
            "verdict": column.TextColumn(
                words.VERDICT, width=90, help=words.describe_thresholds(thresholds)
            ),
            "learned": column.TextColumn(words.LEARNED, width="small"),
            "why": column.TextColumn(words.WHY, width=270, help=words.WHY_HELP),
            "test": column.NumberColumn(words.TEST, format="%.4f", help=words.TEST_HELP),
            "given": column.TextColumn(words.GIVEN, width=270, help=words.GIVEN_HELP),
            "known": column.TextColumn(known[1].removeprefix("the "), width=140),
        },
        on_select=ask_selected,
        selection_mode="single-row",
    )


def table(
    found: Sequence[Line],
    data: Dataset,
    sure: EdgeConfidence,
    known: nx.Graph[Any] | None,
    why: Reasons,
    effects: Effects,
    thresholds: Thresholds,
) -> pd.DataFrame:
    """The pairs as a table.

    Columns pair, confidence, error, verdict, effect, low, high, measure, joins, among, learned,
    why, known, test, given; without those that there are not, without measure where there is but
    one, and without test where it is the confidence.
    """
    columns: dict[str, list[Any]] = {
        "pair": [cell(pair_name((line.i, line.j), data)) for line in found],
    }
    columns["confidence"] = [line.confidence for line in found]
    if any(line.error is not None for line in found):
        columns["error"] = [line.error for line in found]
    if sure.judged is not None:
        judged = [sure.judged[line.i, line.j] for line in found]
        columns["verdict"] = judge_pairs(columns["confidence"], judged, *thresholds).tolist()
    if effects:
        of = [effects.get((line.i, line.j)) for line in found]
        for name in ("effect", "low", "high"):
            columns[name] = [None if one is None else getattr(one, name) for one in of]
        if kinds_of(effects):
            columns["measure"] = ["" if one is None else one.kind for one in of]
        columns["joins"] = [
            "" if one is None else cell(" – ".join(joined_states((line.i, line.j), one, data)))
            for line, one in zip(found, of, strict=True)
        ]
        if any(one.among for one in effects.values()):
            columns["among"] = ["" if one is None else cell(one.among) for one in of]
    columns["learned"] = ["edge" if line.learned else "no edge" for line in found]
    if why:
        columns["why"] = [why.get((line.i, line.j), "") for line in found]
    if known is not None:
        has = [known.has_edge(data.names[line.i], data.names[line.j]) for line in found]
        columns["known"] = ["edge" if edge else "no edge" for edge in has]
    if sure.kind != "test":
        columns["test"] = [line.test for line in found]
    columns["given"] = [conditioning_set(line.given) for line in found]
    return pd.DataFrame(columns)
