"""The three ways to a dataset, sample, file and network, in step with the current dataset."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from bjp_engine import metrics, networks
from bjp_engine.dataset import MISSING_LABEL, Missing
from bjp_explorer.data import files, work
from bjp_explorer.shell import components, sources, visit
from bjp_explorer.shell.choices import Field, Number, OneOf
from bjp_explorer.shell.sources import Loaded, Sample
from bjp_explorer.shell.text import count, markdown, names_list
from bjp_explorer.views import layout, payloads

if TYPE_CHECKING:
    import networkx as nx

_FOLLOWED = "data-followed"
ROWS = (250, 500, 1000, 2000, 4000, 8000)
_ROWS = "data-rows"
_SEED = Number("", "data-seed", 0, 0, sources.MOST_SEED)
# The name of each distribution, and what it is.
_WEIGHTS = {
    "Clique log-weights": "Each configuration of each maximal clique weighs eʷ, with w drawn "
    "between 0 and 1. This gives the paper's tables 1–3.",
    "Clique potentials": "Each configuration of each maximal clique weighs a number drawn between "
    "0 and 1: the paper's literal wording, which gives stronger dependences.",
    "Log odds": "Each edge favours agreement of its two ends, with a log odds ratio of 1. This "
    "gives the paper's table 4.",
}
GROUPS = {
    "targets": "Six nodes",
    "hubs": "Hubs",
    "scale-free": "Scale-free",
    "real": "Real networks",
    "appendix": "Appendix B",
}
_WEIGHTS_HELP = (
    "The distribution is a product of tables with one weight per combination of states. A maximal "
    "clique is a set of nodes that are all connected to each other, to which no further node can "
    "be added. A configuration is one combination of their states."
)


def fields(loaded: Loaded) -> list[Field]:
    """The page's choice: where the data come from, by default the way of the current dataset."""
    return [_way(loaded)]


def follow(loaded: Loaded) -> None:
    """Set the widgets to the current dataset, where a link or another page chose it.

    Whoever comes back while a file is being read sees that file.
    """
    if visit.has_arrived() and work.is_reading():
        _way(loaded).put("file")
        return
    if st.session_state.get(_FOLLOWED) == loaded.token:
        return
    _way(loaded).put(loaded.kind)
    if loaded.kind == "sample":
        name, _, missing = loaded.base.partition(":")
        _sample_choice().put(name)
        one = _missing_choice(name)
        one.put(missing or one.default)
    elif loaded.kind == "net":
        sample = sources.network_sample(loaded.base)
        group = next(key for key in GROUPS if sample.network in members(key))
        _group_choice().put(group)
        _network_choice(group).put(sample.network)
        _weights_choice(group).put(sample.weights)
        st.session_state[_ROWS] = sample.rows
        _SEED.put(sample.seed)


def choose(loaded: Loaded) -> Loaded:
    """Show the ways in, and select what they say."""
    _offer_all(loaded)
    way = _way(loaded).buttons(
        st, "Where the data come from", label_visibility="collapsed", wrap=True
    )
    token = {"sample": _pick_sample, "file": files.pick, "net": _pick_network}[way]()
    if token is None:
        title = markdown(loaded.title)
        until = {"file": "a file is uploaded and prepared", "net": "you use these rows"}[way]
        st.caption(f"Still using {title}, until {until}.")
    elif token != loaded.base:
        visit.choose(token)
    found = visit.current()
    st.session_state[_FOLLOWED] = found.token
    return found


def is_waiting(loaded: Loaded) -> bool:
    """Whether the page asks for a file, and none has become the current dataset."""
    return bool(_way(loaded).get() == "file" != loaded.kind)


def _way(loaded: Loaded) -> OneOf:
    labels = {
        "sample": ":material/dataset: Sample datasets",
        "file": ":material/upload_file: Your own file",
        "net": ":material/hub: Benchmark network",
    }
    return OneOf("from", "data-way", loaded.kind, labels)


def _offer_all(loaded: Loaded) -> None:
    """Say that only some of the variables are selected, and offer all of them."""
    if loaded.base == loaded.token:
        return
    whole = visit.find(loaded.base).data.n
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**Only {loaded.data.n} of {whole} variables are selected:** "
            f"{markdown(names_list(loaded.data.names))}."
        )
        st.button(
            f"Use all {whole}",
            key="data-all",
            icon=":material/select_all:",
            on_click=visit.choose,
            args=(loaded.base,),
            width="content",
        )


# --- Sample datasets ------------------------------------------------------------------------------


def _pick_sample() -> str:
    samples = sources.samples()
    left, right = st.columns([2, 5], gap="large")
    captions = [
        f"{one.rows:,} × {one.columns}" + (f" · {one.missing:,} missing" if one.missing else "")
        for one in samples.values()
    ]
    name = _sample_choice().radio(left, "Dataset", captions=captions)
    with right:
        return _describe_sample(samples[name])


def _sample_choice() -> OneOf:
    labels = {name: sample.title for name, sample in sources.samples().items()}
    return OneOf("", "data-sample", sources.DEFAULT, labels)


def _missing_choice(name: str) -> OneOf:
    usual = sources.usual_missing(sources.sample_frame(name))
    ways = {"drop": "Drop incomplete rows", "state": "Keep as a state of their own"}
    return OneOf("", f"data-missing-{name}", usual, ways)


def _describe_sample(sample: Sample) -> str:
    """Everything the catalogue says, and what to do with missing cells."""
    missing = count(sample.missing, "cell") if sample.missing else "no cell"
    variables = count(sample.columns, "variable")
    st.markdown(f"**{sample.title}** · {sample.rows:,} rows × {variables}, {missing} missing")
    st.markdown(sample.about)
    st.markdown(f"**What is known.** {sample.known}")
    st.caption(f"Source: {sample.source}. Licence: {sample.licence}.")
    if not sample.missing:
        return sources.sample_token(sample.name)
    return sources.sample_token(sample.name, _ask_missing(sample))


def _ask_missing(sample: Sample) -> Missing:
    """What to do with missing cells, asked where there is a choice."""
    what = count(sample.missing, "missing cell")
    complete = sources.complete_rows(sources.sample_frame(sample.name))
    if not complete:
        st.info(
            f"{what}, and no row is complete. Dropping rows would leave nothing, so missing cells "
            f"become a state of their own, “{MISSING_LABEL}”.",
            icon=":material/rule:",
        )
        return "state"
    chosen: Missing = _missing_choice(sample.name).radio(
        st,
        f"What to do with the {what}",
        captions=[
            f"{complete:,} of {sample.rows:,} rows remain",
            f"all {sample.rows:,} rows remain, with “{MISSING_LABEL}” as one more state",
        ],
        horizontal=True,
    )
    return chosen


# --- Rows drawn from a benchmark network, whose structure is known --------------------------------


@cache
def members(group: str) -> tuple[str, ...]:
    """The benchmark networks of a group; what begins like no other group is real."""
    begins = {key: f"{key.rstrip('s')}-" for key in GROUPS}
    names = networks.names()
    if group == "real":
        return tuple(name for name in names if not name.startswith(tuple(begins.values())))
    return tuple(name for name in names if name.startswith(begins[group]))


_network = cache(networks.load)


def _pick_network() -> str | None:
    """Choose a network, its potentials and how many rows; None until these are wanted."""
    group = _group_choice().buttons(st, "Networks", wrap=True)
    left, right = st.columns([4, 5], gap="large")
    with left:
        name = _network_choice(group).menu(st, "Network")
        weights = _weights_choice(group).radio(
            st, "Distribution", captions=[*_WEIGHTS.values()], help=_WEIGHTS_HELP
        )
        # A link may ask for a number of rows between two of ours.
        sizes = sorted({*ROWS, int(st.session_state.get(_ROWS, 1000))})
        wide, narrow = st.columns([3, 2], gap="medium")
        shown = {size: f"{size:,}" for size in sizes}
        rows = OneOf("", _ROWS, 1000, shown).slider(wide, "Rows")
        seed = _SEED.box(
            narrow, "Seed", help="The same seed gives the same potentials and the same rows again."
        )
        token = sources.network_token(name, weights, rows, seed)
        wanted = visit.current().kind == "net" or st.button(
            "Use these rows", icon=":material/check:", key="data-draw"
        )
    with right:
        _describe_network(_network(name))
        _draw(visit.loaded(token), name)
    return token if wanted else None


def _describe_network(graph: nx.Graph[Any]) -> None:
    about = graph.graph
    with st.container(horizontal=True, gap="medium"):
        st.metric("Nodes", len(graph), width="content")
        st.metric("Edges", graph.number_of_edges(), width="content")
        st.metric(
            "Irregularity",
            f"{metrics.total_irregularity(graph):,}",
            width="content",
            help="The differences between the degrees of any two nodes, added up: 0 where all "
            "nodes have equally many neighbours, large where a few hubs have most of them. Over "
            f"the edges only: {metrics.edge_irregularity(graph):,}.",
        )
    if about["reconstructed"]:
        st.badge("reconstructed", icon=":material/construction:", color="orange")
    st.markdown(about["description"].strip())
    st.caption(f"Source: {about['source']}.")


def _draw(loaded: Loaded, name: str) -> None:
    assert loaded.truth is not None
    panel = {
        "key": name,
        "title": _network(name).graph["title"],
        "subtitle": "The rows are drawn from this network.",
        "graph": loaded.truth,
    }
    points = layout.positions_of(loaded.data.names, loaded.truth)
    payload = payloads.networks_payload(loaded.data, points, [panel], identity=name)
    components.show("networks", payload, "data-picture")


def _group_choice() -> OneOf:
    return OneOf("", "data-group", "targets", GROUPS)


def _network_choice(group: str) -> OneOf:
    """One network of a group; each group remembers its own."""
    labels = {name: _network(name).graph["title"] for name in members(group)}
    return OneOf("", f"data-network-{group}", next(iter(labels)), labels)


def _weights_choice(group: str) -> OneOf:
    """The distribution of the potentials; each group remembers its own."""
    labels = dict(zip(sources.WEIGHTS, _WEIGHTS, strict=True))
    # What reproduces the paper's tables on them (docs/theory.md §7).
    usual = "log-odds" if group == "real" else "clique-log-weights"
    return OneOf("", f"data-weights-{group}", usual, labels)
