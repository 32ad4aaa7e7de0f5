"""The pairs of *Your network*: which are listed and drawn, their table, and the card of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from scipy.stats import chi2

from bjp_engine import Dataset
from bjp_engine.classical import ClassicalTrace
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import ABSENT, NOT_JUDGED, judge_pairs
from bjp_engine.dataset import Name
from bjp_engine.io.graphs import disarm_cell
from bjp_engine.scores import KnownEdges
from bjp_explorer.network import known as entering
from bjp_explorer.shell import caches, links, origins
from bjp_explorer.shell.components import numbers_in
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import (
    count,
    in_state,
    markdown,
    number,
    p_value,
    plain,
    prose,
    tell_apart,
    together,
)
from bjp_explorer.views.drill import ENOUGH, configuration
from bjp_explorer.views.effects import (
    AMONG,
    LEGEND,
    LEVEL,
    MEANINGS,
    Effects,
    describe_width,
    kinds_of,
    widths,
)
from bjp_explorer.views.payloads import edge_indices, pair_name
from bjp_explorer.views.words import USUAL, first_completed

_ASKED = "network-card-asked"
# The most pairs that are listed besides learned, present and forbidden ones.
MOST_OTHERS = 50


@dataclass(frozen=True, slots=True)
class Line:
    """A pair of columns, i < j."""

    i: int
    j: int
    probability: float
    # "present", "undecided", "absent" or "not judged".
    verdict: str
    # Whether it is an edge of the learned graph.
    learned: bool

    @property
    def pair(self) -> tuple[int, int]:
        """Both columns."""
        return self.i, self.j

    @property
    def is_open(self) -> bool:
        """Whether it may be an edge: it is undecided, or a learned edge that is not judged."""
        return self.verdict == "undecided" or (self.verdict == NOT_JUDGED and self.learned)


def list_pairs(
    data: Dataset, graph: nx.Graph[Any], sure: EdgeConfidence, known: KnownEdges
) -> list[Line]:
    """Learned edges, present and forbidden pairs, and the most probable others that are no absent.

    The most probable first.
    """
    assert sure.judged is not None
    learned = {(i, j) for i, j in edge_indices(graph, data)}
    upper = np.triu(np.ones_like(sure.judged), 1)
    verdicts = judge_pairs(sure.matrix, sure.judged)
    found = learned | entering.entries(known, data).keys()
    found |= {(i, j) for i, j in np.argwhere(upper & (verdicts == "present")).tolist()}
    rows, columns = np.nonzero(upper & (sure.matrix > ABSENT))
    best = np.argsort(-sure.matrix[rows, columns], kind="stable")[:MOST_OTHERS]
    found |= set(zip(rows[best].tolist(), columns[best].tolist(), strict=True))
    lines = [
        Line(i, j, float(sure.matrix[i, j]), str(verdicts[i, j]), (i, j) in learned)
        for i, j in found
    ]
    return sorted(lines, key=lambda line: (-line.probability, line.i, line.j))


def describe_effect(effects: Effects, pair: tuple[int, int]) -> str:
    """The effect of a pair with its interval and what it joins, as plain text."""
    if (effect := effects.get(pair)) is None:
        return ""
    return f"{effect.text}{f' ({effect.joins})' if effect.joins else ''}"


def draw(
    lines: Sequence[Line], data: Dataset, effects: Effects, known: KnownEdges, undecided: bool
) -> tuple[list[list[Any]], dict[str, str]]:
    """The present pairs as edges of a drawing, and the undecided ones dashed; and the legend.

    The tone of an edge is the sign of its effect, its size that of the effect.
    """
    drawn: list[list[Any]] = []
    wide = widths(effects)
    for line in sorted(lines, key=lambda line: line.pair):
        effect = effects.get(line.pair)
        if line.verdict == "present":
            tone = "plain" if effect is None else effect.sign
        elif line.is_open and (undecided or line.verdict == NOT_JUDGED):
            tone = "undecided"
        else:
            continue
        told = [describe_effect(effects, line.pair), f"probability {number(line.probability, 4)}"]
        text = f"{pair_name(line.pair, data)}: {line.verdict} · {' · '.join(filter(None, told))}"
        drawn.append([*line.pair, tone, 1.0, text, wide.get(line.pair, 0.5)])
    used = {edge[2] for edge in drawn}
    legend = {tone: text for tone, text in LEGEND.items() if tone in used}
    if legend:
        legend["width"] = f"width: {describe_width(effects, {(i, j) for i, j, *_ in drawn})}"
    legend |= {"undecided": "undecided"} if "undecided" in used else {}
    tones = entering.mark(drawn, known, data)
    return drawn, legend | {what: text for what, text in entering.LEGEND.items() if what in tones}


# --- The table ------------------------------------------------------------------------------------


def to_table(
    lines: Sequence[Line], data: Dataset, truth: nx.Graph[Any] | None, effects: Effects
) -> pd.DataFrame:
    """The pairs as a table.

    Columns pair, verdict, probability, effect, low, high, joins, measure, among, truth; without
    those that there are not, and without measure where there is but one.
    """
    of = [effects.get(line.pair) for line in lines]
    columns: dict[str, list[Any]] = {
        "pair": [disarm_cell(pair_name(line.pair, data)) for line in lines],
        "verdict": [line.verdict for line in lines],
        "probability": [line.probability for line in lines],
    }
    if effects:
        for name in ("effect", "low", "high"):
            columns[name] = [None if one is None else getattr(one, name) for one in of]
        columns["joins"] = [
            "" if one is None else disarm_cell(" – ".join(one.joined)) for one in of
        ]
        if kinds_of(effects):
            columns["measure"] = ["" if one is None else one.kind for one in of]
        if any(one.among for one in effects.values()):
            columns["among"] = ["" if one is None else disarm_cell(one.among) for one in of]
    if truth is not None:
        has = [truth.has_edge(data.names[line.i], data.names[line.j]) for line in lines]
        columns["truth"] = ["edge" if edge else "no edge" for edge in has]
    return pd.DataFrame(columns)


def show_table(
    lines: Sequence[Line],
    data: Dataset,
    truth: nx.Graph[Any] | None,
    truth_name: str,
    effects: Effects,
) -> None:
    """The table on the page; a line that is chosen asks for the card of its pair."""
    # With other pairs a ticked line would mean another one.
    key = f"network-table {hash(tuple(line.pair for line in lines))}"

    def ask_selected() -> None:
        if rows := st.session_state[key].selection.rows:
            st.session_state[_ASKED] = lines[rows[0]].pair

    column, shown = st.column_config, to_table(lines, data, truth, effects)
    interval = f"End of the {100 * LEVEL:g} % interval, which takes the graph as given."
    effect = "Natural log; what it measures stands below the table."
    joins = "The states of both that go together. Empty where the interval holds 0."
    among = "The rows that show the effect: elsewhere one variable has a single state."
    st.dataframe(
        shown,
        hide_index=True,
        key=key,
        placeholder="",
        height=min(36 * len(lines) + 38, 520),
        column_config={
            "pair": column.TextColumn(
                width=min(max(120, 24 + 7 * max(map(len, shown["pair"]), default=0)), 340)
            ),
            "verdict": column.TextColumn(width=90, help=f"Of the probability: {USUAL}."),
            "probability": column.ProgressColumn(
                "calibrated probability", min_value=0.0, max_value=1.0, format="%.4f", width=170
            ),
            "effect": column.NumberColumn(format="%.2f", help=effect, width=62),
            "low": column.NumberColumn(format="%.2f", help=interval, width=56),
            "high": column.NumberColumn(format="%.2f", help=interval, width=56),
            "joins": column.TextColumn(width=120, help=joins),
            "measure": column.TextColumn(width=180),
            "among": column.TextColumn("shown by", width=140, help=among),
            "truth": column.TextColumn(truth_name, width=140),
        },
        on_select=ask_selected,
        selection_mode="single-row",
    )


# --- The card of a pair ---------------------------------------------------------------------------


def ask_clicked(edge: object, n: int) -> None:
    """Ask for the card of the edge that was clicked, if one was."""
    pair = numbers_in(edge, n, n)
    if pair is not None and pair[0] != pair[1]:
        st.session_state[_ASKED] = (min(pair), max(pair))


def show_asked(
    lines: Sequence[Line], loaded: Loaded, graph: nx.Graph[Any], effects: Effects, known: KnownEdges
) -> None:
    """The card of the pair that was asked for; the question is then forgotten."""
    pair = st.session_state.pop(_ASKED, None)
    for line in lines:
        if line.pair == pair:
            title = markdown(pair_name(pair, loaded.data, 40))
            st.dialog(title, width="large")(_show_card)(line, loaded, graph, effects, known)


def _show_card(
    line: Line, loaded: Loaded, graph: nx.Graph[Any], effects: Effects, known: KnownEdges
) -> None:
    data, effect = loaded.data, effects.get(line.pair)
    st.markdown(f"**{line.verdict.capitalize()}**: probability {number(line.probability, 4)}.")
    if effect is not None:
        told = describe_effect(effects, line.pair)
        st.markdown(prose(f"{told[:1].upper()}{told[1:]}. {MEANINGS[effect.kind]}"))
        if effect.among:
            st.markdown(prose(AMONG.format(among=effect.among)))
        if effect.varies:
            st.markdown(
                f"The effect differs between rows (SD {number(effect.spread, 2)}), so one number "
                "does not describe it. Look at the slices below."
            )
    found = PairRows.of(data, graph, line.pair)
    ends = (found.y, found.x)
    labels = dict(zip(ends, map(markdown, tell_apart(ends, 28)), strict=True))
    of = st.segmented_control(
        "Shares of",
        ends,
        format_func=labels.__getitem__,
        default=found.y,
        required=True,
        key=f"network-card-of {line.pair}",
    )
    shares = found.count_shares(of)
    if loaded.imputed is not None:
        st.caption(first_completed(loaded.imputed))
    for text in shares.sentences():
        st.markdown(prose(text))
    why = [_entered(entering.entries(known, data).get(line.pair, "")), *_why(found)]
    st.markdown("**Why** " + " ".join(map(prose, filter(None, why))))
    if len(shares.counts) > 1:
        what, column = shares.text(20), st.column_config
        heads = {
            f"of {k}": column.NumberColumn(
                f"{what} if {in_state(shares.by, label, 20)}", format="%.0f %%"
            )
            for k, label in enumerate(shares.states[:MOST_STATES])
        }
        table = shares.to_table()
        st.dataframe(
            table.assign(**{name: 100 * table[name] for name in heads}),
            hide_index=True,
            column_config=heads
            | {
                "where": column.TextColumn("rows with", width="medium"),
                "rows": column.NumberColumn(format="localized", width="small"),
                "shows": column.TextColumn("these rows show"),
            },
        )
        if (more := len(shares.counts) - MOST_SLICES) > 0:
            st.caption(f"{count(more, 'smaller slice')} left out.")
    if st.button("Step through its test", key="network-card-step", icon=":material/footprint:"):
        links.begin_at(*(data.index(name) for name in (found.x, found.y)))
        open_step(loaded, graph, known)


def _entered(what: str) -> str:
    return f"You {'required' if what == 'required' else 'forbade'} this edge." if what else ""


def _why(found: PairRows) -> list[str]:
    """What the rows show of the pair, all together and given the neighbours of one end."""
    if found.is_constant:
        return ["A variable with one value shows nothing about its edges."]
    whole, given = found.whole, found.trace
    shows = "dependence" if whole.p_g_squared <= 0.05 else "no dependence"
    told = [f"All rows together show {shows} (G² test, p = {p_value(whole.p_g_squared)})."]
    if given.given:
        still = "still show" if shows == "dependence" else "show"
        what = "dependence" if given.p_g_squared <= 0.05 else "no dependence"
        names = [plain(name, 28) for name in given.given[:8]]
        names += [f"{len(given.given) - 8:,} more"] * (len(given.given) > 8)
        p = p_value(given.p_g_squared)
        told.append(f"Rows that agree on {together(names)} {still} {what} (p = {p}).")
        told.append(found.describe_slices())
    return told


def open_step(loaded: Loaded, graph: nx.Graph[Any], known: KnownEdges) -> None:
    """Go to the page that steps through the score of the network."""
    if not known.empty or loaded.imputed is not None:
        how = (
            "edges of *Your network*"
            if known.empty
            else (f"learned by auto with {origins.describe_known(known)}")
        )
        links.open_graph(loaded, graph, "bjp", how, cells="centred")
    links.open_learned("bjp", "auto", "centred")


# --- Slices ---------------------------------------------------------------------------------------

# Slices of a table, states of the other variable, and slices in words: those with most rows.
MOST_SLICES, MOST_STATES, _MOST_NAMED = 12, 8, 2
DEPENDENT, NEITHER, FEW = "dependence", "no dependence", "too few rows to tell"


@dataclass(frozen=True, eq=False, slots=True)
class PairRows:
    """The rows of a pair of variables, in slices given the smaller blanket of both ends."""

    data: Dataset
    # The one whose blanket is given comes first.
    x: Name
    y: Name
    # The classical test in all rows, and given the blanket.
    whole: ClassicalTrace
    trace: ClassicalTrace
    # Of each slice. Shape (S, r_x, r_y).
    tables: NDArray[np.int64]
    where: tuple[str, ...]

    @classmethod
    def of(cls, data: Dataset, graph: nx.Graph[Any], pair: tuple[int, int]) -> PairRows:
        """Count the rows of a pair of columns."""
        x, y = sorted((data.names[k] for k in pair), key=lambda name: len(graph[name]))
        given = tuple(sorted(set(graph[x]) - {y}, key=data.index))
        test = caches.bayesian_test(data, x, y, given)
        return cls(
            data,
            x,
            y,
            caches.classical_tests(data, x, y, ()),
            caches.classical_tests(data, x, y, given),
            np.array([part.counts for part in test.slices]),
            tuple(configuration(given, part.configuration, data) for part in test.slices),
        )

    @property
    def is_constant(self) -> bool:
        """Whether a variable of the pair has one value."""
        return not self.whole.freedom

    @property
    def shows(self) -> NDArray[Any]:
        """What the counts of each slice show, by G² at 0.05."""
        slices = self.trace.slices
        p = np.where(
            slices.freedom > 0, chi2.sf(slices.g_squared, np.maximum(slices.freedom, 1)), 1
        )
        few = (slices.least_expected < ENOUGH) | (slices.freedom == 0)
        return np.select([few, p <= 0.05], [FEW, DEPENDENT], NEITHER)

    def describe_slices(self) -> str:
        """How many slices show what, in a sentence of plain text; empty of one slice."""
        shows, rows = self.shows, self.tables.sum(axis=(1, 2))
        if len(shows) < 2:
            return ""
        parts = [
            f"{what} in {(shows == what).sum():,} ({count(int(rows[shows == what].sum()), 'row')})"
            for what in (DEPENDENT, NEITHER, FEW)
            if (shows == what).any()
        ]
        return f"Of {len(shows):,} slices, each by its own counts: {together(parts)}."

    def count_shares(self, of: Name) -> Shares:
        """The shares of a state of one end; of ordered states it and all later ones count."""
        by = self.x if of == self.y else self.y
        tables = self.tables if of == self.y else self.tables.transpose(0, 2, 1)
        order = np.argsort(-tables.sum(axis=(1, 2)), kind="stable")
        totals = tables.sum(axis=2)
        at_least = self.data.ordered[self.data.index(of)] and tables.shape[2] > 2
        if at_least:
            tables = tables[..., ::-1].cumsum(axis=2)[..., ::-1]
        rows = totals.sum(axis=0)
        apart = np.ptp(tables.sum(axis=0)[rows > 0] / rows[rows > 0, None], axis=0)
        # Of two states the later one, which usually is the "yes".
        place = len(apart) - 1 - int(apart[::-1].round(9).argmax())
        labels = (self.data.labels[self.data.index(name)] for name in (of, by))
        states, others = labels
        return Shares(
            of,
            by,
            states[place],
            at_least,
            others,
            tuple(self.where[k] for k in order),
            np.stack([tables[..., place], totals], axis=2)[order],
            self.shows[order],
        )


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """How often a variable is in one state, by the state of the other, slice by slice."""

    # The variable whose state is counted, and the other.
    of: Name
    by: Name
    # The state whose share differs most between the states of the other, and whether later states
    # count, too.
    state: str
    at_least: bool
    # Those of the other.
    states: tuple[str, ...]
    # The slices in words, those with most rows first.
    where: tuple[str, ...]
    # Rows of each state of the other: in the state, and all. Shape (S, r_by, 2).
    counts: NDArray[np.int64]
    # What the counts of each slice show.
    shows: NDArray[Any]

    def text(self, width: int = 28) -> str:
        """What is counted, as plain text: "exercise ≥ 4"."""
        return in_state(self.of, self.state, width, "≥" if self.at_least else "=")

    def to_table(self) -> pd.DataFrame:
        """The slices with most rows.

        Columns where, rows, "of 0", "of 1", … for the states of the other variable, and shows.
        """
        shares = np.array([_share(table) for table in self.counts[:MOST_SLICES]])
        rows = self.counts[:MOST_SLICES, :, 1].sum(axis=1)
        columns: dict[str, Any] = {"where": self.where[:MOST_SLICES], "rows": rows}
        columns |= {f"of {k}": shares[:, k] for k in range(min(shares.shape[1], MOST_STATES))}
        return pd.DataFrame(columns | {"shows": self.shows[:MOST_SLICES]})

    def sentences(self) -> Iterator[str]:
        """The same in words, plain text: all rows, then the slices with most rows."""
        parts = [("Of all rows:", self.counts.sum(axis=0))]
        if len(self.counts) > 1:
            parts += [
                (f"Of the {table[:, 1].sum():,} rows with {where}:", table)
                for where, table in zip(self.where[:_MOST_NAMED], self.counts, strict=False)
            ]
        for what, table in parts:
            told = [
                f"{100 * share:.0f} % of {rows:,} with {in_state(self.by, label)}"
                for label, share, rows in zip(self.states, _share(table), table[:, 1], strict=True)
                if rows
            ][:MOST_STATES]
            if len(told) > 1:
                yield f"{what} {self.text()} in {together(told)}."


def _share(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share in each row of a table of rows in the state and all; none where there is none."""
    hits, rows = table.T
    shares: NDArray[np.float64] = np.full(len(table), np.nan)
    np.divide(hits, rows, out=shares, where=rows > 0)
    return shares
