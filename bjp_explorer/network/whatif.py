"""What if: what the network of the page says of all other variables given evidence on some."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.io.graphs import disarm_cell
from bjp_engine.parameters import FittedNetwork, count_given
from bjp_engine.sampling import Method
from bjp_explorer.downloads.button import file_stem, share_button
from bjp_explorer.jobs import results
from bjp_explorer.share.page import page
from bjp_explorer.share.records import too_large, whatif_payload
from bjp_explorer.shell import caches
from bjp_explorer.shell.choices import Field, SomeOf
from bjp_explorer.shell.sources import PART, Loaded
from bjp_explorer.shell.text import (
    count,
    in_state,
    markdown,
    number,
    plain,
    prose,
    tell_apart,
    together,
)
from bjp_explorer.views.payloads import Points
from bjp_explorer.views.words import SEEING, first_completed

Given = Mapping[Name, str]
# Fewer rows leave a share a standard error that can exceed 0.1; and the most states of a line.
FEW_ROWS, _MOST_STATES = 25, 12


@dataclass(frozen=True)
class Evidence(SomeOf):
    """States of some variables, at most one of each; in the URL each by its place: "3.0,5.1"."""

    def read(self, text: str) -> list[Any]:
        places = {place: value for value, place in self._places().items()}
        asked = [places.get(each) for each in text.split(",")]
        found = [value for value in self.labels if value in asked]
        if len(found) < len(asked) or len(dict(found)) < len(found):
            raise OptionError("must be states of different variables by their places, like 0.1,3.0")
        return found

    def write(self, value: Any) -> str:
        places = self._places()
        return ",".join(places[each] for each in self.labels if each in value)

    def settle(self) -> None:
        """Of each variable keep the state that was chosen last, which the browser puts last."""
        self.put([*dict(Field.get(self)).items()])

    def _places(self) -> dict[Any, str]:
        firsts = {name: i for i, name in enumerate(dict([*self.labels]))}
        found, seen = {}, dict.fromkeys(firsts, 0)
        for name, state in self.labels:
            found[name, state] = f"{firsts[name]}.{seen[name]}"
            seen[name] += 1
        return found


def evidence_of(loaded: Loaded) -> Evidence:
    """The choice of what is known of some variables; it outlasts a choice among the variables."""
    data = loaded.data.drop_unused_states()
    states = zip(data.names, data.labels, strict=True)
    pairs = [(name, one) for name, of in states for one in of]
    labels = dict(zip(pairs, tell_apart(in_state(*pair) for pair in pairs), strict=True))
    key = f"network-evidence {loaded.token.partition(PART)[0]}"
    return Evidence("given", key, [], labels)


def show(loaded: Loaded, graph: nx.Graph[Any], points: Points) -> None:
    """The part of the page; folded, it computes nothing."""
    data, chosen = loaded.data.drop_unused_states(), evidence_of(loaded)
    key = f"network-whatif {data.digest}"
    part = st.expander(
        ("What if: probabilities given evidence"),
        key=key,
        # A link with evidence unfolds it; then the reader does, whatever is chosen.
        expanded=bool(st.session_state.get(key, chosen.get())),
        on_change="rerun",
    )
    if not part.open:
        return
    with part:
        given: Given = dict(
            chosen.menu(
                st,
                "What is known of some variables",
                help="Type a variable’s name and choose its state. A variable has one state at a "
                "time: another choice replaces it.",
                placeholder="Nothing chosen yet",
                on_change=chosen.settle,
                select_all=False,
            )
        )
        network = results.fit_network(data, graph)
        if network is None:
            return
        _answer(network, loaded, given)

        def made() -> str:
            payload = whatif_payload(network, points, given, network.data)
            about = f"The probabilities of a network fitted to {count(network.data.rows, 'row')}"
            note = first_completed(loaded.imputed)
            return page("whatif", payload, title=loaded.title, about=about, note=note)

        stem = file_stem(loaded.title, "what-if")
        share_button(made, stem=stem, key="network-whatif", problem=too_large(network))


def _answer(network: FittedNetwork, loaded: Loaded, given: Given) -> None:
    data, sampled, problem = network.data, False, ""
    try:
        _query(network, given, "exact")
        _query(network, {}, "exact")
    except OptionError as error:
        problem = str(error)
        st.info(prose(problem), icon=":material/info:")
        sampled = st.toggle(
            "Sample instead (Gibbs)",
            key="network-whatif-sample",
            help="Estimates each probability from 20,000 rows drawn from the network. Where "
            "variables depend strongly on each other, chains may keep to their starts, and the "
            "error is larger than shown.",
        )
    rows = int(count_given(data, data.names[:1], given)["rows"].iloc[0])
    if given:
        where = "" if loaded.imputed is None else " of the first completed table"
        st.markdown(describe_rows(rows, data.rows, where))
    found = to_table(network, data, given, sampled=sampled)
    column = st.column_config
    first = "given" if "given" in found else "network"
    headings = {
        "given": (
            "Pr given evidence",
            "The network’s probability of the state given the evidence.",
        ),
        "network": ("Pr", "The network’s probability of the state without evidence."),
        "rows": (
            f"share in {count(rows, 'row')}",
            "The state’s share among the rows of the data that have the evidence.",
        ),
        "data": ("share in all rows", "The state’s share among all rows of the data."),
        "error": ("± error", "Monte Carlo standard error"),
    }
    st.dataframe(
        found,
        hide_index=True,
        key="network-whatif-table",
        height=min(35 * len(found) + 38, 520),
        column_config={
            "variable": column.TextColumn(width=110),
            "state": column.TextColumn(width=80),
        }
        | {
            name: column.ProgressColumn(
                label, help=about, width=130, min_value=0.0, max_value=1.0, format="%.3f"
            )
            if name == first
            else column.NumberColumn(label, help=about, format="%.3f")
            for name, (label, about) in headings.items()
        },
    )
    if not problem and len(given) < data.n:
        best = network.most_probable(given)
        states = [markdown(in_state(*each)) for each in best.items() if each[0] not in given]
        if (more := len(states) - _MOST_STATES) > 0:
            states[_MOST_STATES:] = [f"{more:,} more"]
        which = "others" if given else "variables"
        st.markdown(f"Most probable joint state of all {which}: {together(states)}.")
        if len(given) > 1:
            _show_contributions(network, given)
    st.caption(SEEING)


def _show_contributions(network: FittedNetwork, given: Given) -> None:
    names = [name for name in network.names if name not in given]
    labels = dict(zip(names, tell_apart(names, 28), strict=True))
    target = st.selectbox(
        "What each piece of evidence changes for",
        names,
        index=None,
        format_func=labels.__getitem__,
        placeholder="Choose a variable",
        key="network-whatif-target",
    )
    if target is None:
        return
    found = network.leave_one_out(target, given)
    left_out = [disarm_cell(in_state(name, given[name])) for name in found["evidence"]]
    states = [disarm_cell(plain(label, 28)) for label in found["state"]]
    column = st.column_config
    st.dataframe(
        found.assign(evidence=left_out, state=states),
        hide_index=True,
        key="network-whatif-contributions",
        column_config={
            "evidence": column.TextColumn(width=125),
            "state": column.TextColumn(width=55),
            "probability": column.NumberColumn("with all", format="%.3f", width=70),
            "without": column.NumberColumn("without it", format="%.3f", width=70),
        },
    )
    st.caption(
        "Each line leaves out one piece of evidence and keeps the others. The changes do not add "
        "up: two pieces that say the same can each be left out at no loss."
    )


def to_table(
    network: FittedNetwork, data: Dataset, given: Given, *, sampled: bool = False
) -> pd.DataFrame:
    """A row for each state of each variable that the evidence leaves open.

    Columns variable, state, given, error, network, rows, data; error only of sampled
    probabilities, given and rows only with evidence, and none that exact inference cannot reach.
    """
    targets = [name for name in network.names if name not in given]
    counted = count_given(data, targets)
    columns: dict[str, Any] = {
        "variable": [disarm_cell(plain(name, 28)) for name in counted["variable"]],
        "state": [disarm_cell(plain(label, 28)) for label in counted["state"]],
    }
    for column, evidence in {"given": given, "network": {}}.items():
        if column == "given" and not given:
            continue
        try:
            answer = _query(network, evidence, "exact")
        except OptionError:
            if not sampled:
                continue
            answer = _query(network, evidence, "gibbs")
        same = answer[answer["variable"].isin(targets)]
        columns[column] = same["probability"].to_numpy()
        if "standard_error" in answer and "error" not in columns:
            columns["error"] = same["standard_error"].to_numpy()
    if given:
        columns["rows"] = count_given(data, targets, given)["share"].to_numpy()
    columns["data"] = counted["share"].to_numpy()
    return pd.DataFrame(columns)


def describe_rows(rows: int, of: int, where: str = "") -> str:
    """How many rows have the evidence, and what follows where they are few. Markdown."""
    if not rows:
        return (
            f"**None of the {count(of, 'row')}{where} has this evidence**, so the data show "
            "nothing here: the numbers rest on the network alone."
        )
    text = f"**{rows:,} of {count(of, 'row')}**{where} {'has' if rows == 1 else 'have'} this "
    text += "evidence."
    if rows < FEW_ROWS:
        text += (
            f" The data say little here: a share of {count(rows, 'row')} has a standard error of "
            f"up to {number(0.5 / math.sqrt(rows), 2)}."
        )
    return text


def _query(network: FittedNetwork, given: Given, method: Method) -> pd.DataFrame:
    """An answer of the network, kept: those without evidence, and samples, are wanted again."""
    about = (network.data.digest, caches.edges_key(network.graph), method, repr(given))
    return caches.drawn(("what if", *about), lambda: network.query(given=given, method=method))
