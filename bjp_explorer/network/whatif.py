"""What if: what the network of the page says of all other variables given evidence on some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.parameters import FittedNetwork, count_given
from bjp_engine.sampling import Method
from bjp_explorer.downloads.button import file_stem, share_button
from bjp_explorer.jobs import results
from bjp_explorer.network import choices, pairs, words
from bjp_explorer.share.page import page
from bjp_explorer.share.whatif import too_large, whatif_payload
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, plain, prose
from bjp_explorer.views.payloads import Points
from bjp_explorer.views.pooled import first_completed
from bjp_explorer.views.words import SEEING

Given = Mapping[Name, str]
# A state, or weights of states.
Weighed = Mapping[Name, Any]


def show(loaded: Loaded, graph: nx.Graph[Any], points: Points) -> None:
    """The part of the page; folded, it computes nothing."""
    data, chosen = loaded.data.drop_unused_states(), choices.evidence_of(loaded)
    key = f"network-whatif {data.digest}"
    part = st.expander(
        words.WHAT_IF,
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
                words.EVIDENCE,
                help=words.EVIDENCE_HELP,
                placeholder=words.NO_EVIDENCE,
                on_change=chosen.settle,
                select_all=False,
            )
        )
        reliable = 1.0
        if given:
            reliable = choices.RELIABLE.slider(
                st, words.RELIABLE, step=0.05, help=words.RELIABLE_HELP, width=300
            )
        network = results.fit_network(data, graph)
        if network is not None:
            _answer(network, loaded, given, reliable)
            _share(network, loaded, points, given, reliable)


def _share(
    network: FittedNetwork, loaded: Loaded, points: Points, given: Given, reliable: float
) -> None:
    """The button of a page that answers the same for any evidence."""
    problem, data = too_large(network), network.data

    def made() -> str:
        payload = whatif_payload(network, points, given, data, reliable=reliable)
        rows = count(data.rows, "row")
        about, note = words.about_page(rows), first_completed(loaded.imputed)
        return page("whatif", payload, title=loaded.title, about=about, note=note)

    share_button(
        made, stem=file_stem(loaded.title, "what-if"), key="network-whatif", problem=problem
    )


def weigh(given: Given, network: FittedNetwork, reliable: float) -> dict[Name, Any]:
    """Evidence that is right with some probability, and else names any other state."""
    if reliable == 1:
        return dict(given)
    states = dict(zip(network.names, network.labels, strict=True))
    return {
        name: {
            other: reliable if other == state else (1 - reliable) / (len(states[name]) - 1)
            for other in states[name]
        }
        if len(states[name]) > 1
        else state
        for name, state in given.items()
    }


def _answer(network: FittedNetwork, loaded: Loaded, pieces: Given, reliable: float) -> None:
    """What the network says, compared with what the data show."""
    given, certain, data = weigh(pieces, network, reliable), reliable == 1, network.data
    sampled, error = False, _out_of_reach(network, given)
    if error:
        st.info(prose(error), icon=":material/info:")
        sampled = st.toggle(words.SAMPLE, key="network-whatif-sample", help=words.SAMPLE_HELP)
    rows = count_rows(data, pieces)
    if given:
        where = "" if loaded.imputed is None else words.OF_FIRST_TABLE
        st.markdown(words.describe_rows(rows, data.rows, where) if certain else words.UNRELIABLE)
    found = table(network, data, given, sampled=sampled)
    column = st.column_config
    first = "given" if "given" in found else "network"
    headings = {
        "given": (words.GIVEN_EVIDENCE, words.GIVEN_EVIDENCE_HELP),
        "network": (words.WITHOUT_EVIDENCE, words.WITHOUT_EVIDENCE_HELP),
        "rows": (words.rows_column(rows), words.ROWS_HELP),
        "data": (words.ALL_ROWS, words.ALL_ROWS_HELP),
    }
    config = {
        name: column.ProgressColumn(
            label, help=about, width=130, min_value=0.0, max_value=1.0, format="%.3f"
        )
        if name == first
        else column.NumberColumn(label, help=about, format="%.3f")
        for name, (label, about) in headings.items()
    }
    st.dataframe(
        found,
        hide_index=True,
        key="network-whatif-table",
        height=min(35 * len(found) + 38, 520),
        column_config=config
        | {
            "variable": column.TextColumn(words.VARIABLE, width=110),
            "state": column.TextColumn(words.STATE, width=80),
            "error": column.NumberColumn(words.ERROR, format="%.3f", help=words.ERROR_HELP),
        },
    )
    if not error and (len(given) < data.n or not certain):
        best = network.most_probable(given)
        others = {name: state for name, state in best.items() if not certain or name not in given}
        st.markdown(words.describe_most_probable(others, bool(given)))
    if not error and 1 < len(given) < data.n:
        _show_contributions(network, given, pieces)
    st.caption(SEEING)


def _show_contributions(network: FittedNetwork, given: Weighed, pieces: Given) -> None:
    """What each piece of evidence changes for one variable."""
    labels = {name: plain(name, 28) for name in network.names if name not in given}
    target = st.selectbox(
        words.CONTRIBUTIONS,
        list(labels),
        index=None,
        format_func=labels.__getitem__,
        placeholder=words.NO_TARGET,
        key="network-whatif-target",
    )
    if target is None:
        return
    column = st.column_config
    st.dataframe(
        contributions(network, target, given, pieces),
        hide_index=True,
        key="network-whatif-contributions",
        column_config={
            "evidence": column.TextColumn(words.EVIDENCE_COLUMN, width=125),
            "state": column.TextColumn(words.STATE, width=55),
            "probability": column.NumberColumn(words.ALL_EVIDENCE, format="%.3f", width=70),
            "without": column.NumberColumn(words.LEFT_OUT, format="%.3f", width=70),
        },
    )
    st.caption(words.CONTRIBUTIONS_CAPTION)


def count_rows(data: Dataset, given: Given) -> int:
    """How many rows have the evidence."""
    rows: int = count_given(data, data.names[:1], given)["rows"].tolist()[0]
    return rows


def table(
    network: FittedNetwork, data: Dataset, given: Weighed, *, sampled: bool = False
) -> pd.DataFrame:
    """A row for each state of each variable that the evidence leaves open.

    Columns variable, state, given, error, network, rows, data; error only of sampled
    probabilities, given and rows only with evidence, and none that exact inference cannot reach;
    rows only if each piece is a state.
    """
    certain = not any(isinstance(known, Mapping) for known in given.values())
    targets = [name for name in network.names if not certain or name not in given]
    counted = count_given(data, targets)
    columns: dict[str, Any] = {
        "variable": [pairs.cell(plain(name, 28)) for name in counted["variable"]],
        "state": [pairs.cell(plain(label, 28)) for label in counted["state"]],
    }
    for column, evidence in {"given": given, "network": {}}.items():
        if column == "network" or given:
            answer = _ask(network, evidence, sampled)
            if answer is not None:
                same = answer[answer["variable"].isin(targets)]
                columns[column] = same["probability"].to_numpy()
                if "standard_error" in answer and "error" not in columns:
                    columns["error"] = same["standard_error"].to_numpy()
    if given and certain:
        columns["rows"] = count_given(data, targets, given)["share"].to_numpy()
    columns["data"] = counted["share"].to_numpy()
    return pd.DataFrame(columns)


def contributions(
    network: FittedNetwork, target: Name, given: Weighed, pieces: Given
) -> pd.DataFrame:
    """The probabilities of one variable's states with all evidence, and without each piece.

    Columns evidence, state, probability, without.
    """
    found = network.leave_one_out(target, given)
    left_out = [pairs.cell(words.state(name, pieces[name])) for name in found["evidence"]]
    states = [pairs.cell(plain(label, 28)) for label in found["state"]]
    return found.assign(evidence=left_out, state=states)


def _out_of_reach(network: FittedNetwork, given: Weighed) -> str:
    """Why exact inference is out of reach, in a sentence; else empty."""
    try:
        _query(network, given, "exact")
        _query(network, {}, "exact")
    except OptionError as error:
        return str(error)
    return ""


def _ask(network: FittedNetwork, given: Weighed, sampled: bool) -> pd.DataFrame | None:
    """The probabilities of all states that evidence leaves open; None where they are not had."""
    try:
        return _query(network, given, "exact")
    except OptionError:
        return _query(network, given, "gibbs") if sampled else None


def _query(network: FittedNetwork, given: Weighed, method: Method) -> pd.DataFrame:
    """An answer of the network, kept: those without evidence, and samples, are wanted again."""
    about = (network.data.digest, caches.edges_key(network.graph), method, repr(given))
    return caches.drawn(("what if", *about), lambda: network.query(given=given, method=method))
