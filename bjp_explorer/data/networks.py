"""The third way in: rows drawn from a benchmark network, whose structure is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import streamlit as st

from bjp_engine import networks
from bjp_engine.networks import NetworkInfo
from bjp_explorer.shell import caches, components, sources
from bjp_explorer.shell.choices import Number, OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import canvas, payloads

ROWS = (250, 500, 1000, 2000, 4000, 8000)
_ROWS = "data-rows"
_SEED = Number("", "data-seed", 0, 0, sources.MOST_SEED)


@dataclass(frozen=True)
class Group:
    """Networks that belong together.

    Parameters
    ----------
    weights : str
        The distribution that reproduces the paper's tables on them (docs/theory.md §7).
    """

    title: str
    weights: str
    members: tuple[str, ...]


# What each distribution does, in a sentence, in the order of `sources.WEIGHTS`.
_WEIGHTS = {
    "clique-log-weights": (
        "Clique log-weights",
        (
            "Each configuration of each maximal clique weighs eʷ, with w drawn between 0 and 1. "
            "This gives the paper's tables 1–3."
        ),
    ),
    "clique-potentials": (
        "Clique potentials",
        (
            "Each configuration of each maximal clique weighs a number drawn between 0 and 1: "
            "the paper's literal wording, which gives stronger dependences."
        ),
    ),
    "log-odds": (
        "Log odds",
        (
            "Each edge favours agreement of its two ends, with a log odds ratio of 1. "
            "This gives the paper's table 4."
        ),
    ),
}


@cache
def groups() -> dict[str, Group]:
    """The benchmark networks in groups."""

    def starting(prefix: str) -> tuple[str, ...]:
        return tuple(name for name in networks.names() if name.startswith(prefix))

    found = {
        "targets": Group("Six nodes", "clique-log-weights", starting("target-")),
        "hubs": Group("Hubs", "clique-log-weights", starting("hub-")),
        "scale-free": Group("Scale-free", "clique-log-weights", starting("scale-free-")),
        "appendix": Group("Appendix B", "clique-log-weights", starting("appendix-")),
    }
    others = tuple(
        name
        for name in networks.names()
        if not any(name in group.members for group in found.values())
    )
    real = {"real": Group("Real networks", "log-odds", others)}
    return {
        key: (found | real)[key] for key in ("targets", "hubs", "scale-free", "real", "appendix")
    }


@cache
def info(name: str) -> NetworkInfo:
    """What there is to say about a network."""
    return networks.describe(name)


def follow(token: str) -> None:
    """Set the widgets to a network's token."""
    sample = sources.network_sample(token)
    group = next(key for key, group in groups().items() if sample.network in group.members)
    _group_choice().put(group)
    _network_choice(group).put(sample.network)
    _weights_choice(group).put(sample.weights)
    st.session_state[_ROWS] = sample.rows
    _SEED.put(sample.seed)


def pick() -> str:
    """Choose a network, how its potentials are drawn, and how many rows.

    The token of the sample.
    """
    group = _group_choice().buttons(st, "Networks", wrap=True)
    left, right = st.columns([4, 5], gap="large")
    with left:
        name = _network_choice(group).menu(st, "Network")
        weights = _weights_choice(group).radio(
            st,
            "Distribution",
            captions=[_WEIGHTS[weights][1] for weights in sources.WEIGHTS],
            help="The distribution is a product of tables with one weight per combination of "
            "states. A maximal clique is a set of nodes that are all connected to each other, to "
            "which no further node can be added. A configuration is one combination of their "
            "states.",
        )
        token = sources.network_token(name, weights, *_size())
    with right:
        _described(info(name))
        _picture(caches.loaded(token), info(name))
    return token


def _described(about: NetworkInfo) -> None:
    """Size, irregularity, and where it comes from."""
    with st.container(horizontal=True, gap="medium"):
        st.metric("Nodes", about.nodes, width="content")
        st.metric("Edges", about.edges, width="content")
        st.metric(
            "Irregularity",
            f"{about.total_irregularity:,}",
            width="content",
            help="The differences between the degrees of any two nodes, added up: 0 where all "
            "nodes have equally many neighbours, large where a few hubs have most of them. "
            f"Over the edges only: {about.edge_irregularity:,}.",
        )
    if about.reconstructed:
        st.badge("reconstructed", icon=":material/construction:", color="orange")
    st.markdown(about.description.strip())
    st.caption(f"Source: {about.source}.")


def _picture(loaded: Loaded, about: NetworkInfo) -> None:
    """The true network."""
    graph, data = loaded.truth, loaded.data
    if graph is None:
        return
    panel = {
        "key": about.name,
        "title": about.title,
        "subtitle": "The rows are drawn from this network.",
        "graph": graph,
    }
    points = canvas.positions(data.names, graph)
    components.networks_view(
        payloads.networks_payload(data, points, [panel], identity=about.name), "data-picture"
    )


def _group_choice() -> OneOf:
    """The group of networks."""
    return OneOf("", "data-group", "targets", {key: one.title for key, one in groups().items()})


def _network_choice(group: str) -> OneOf:
    """One network of a group; each group remembers its own."""
    labels = {name: info(name).title for name in groups()[group].members}
    return OneOf("", f"data-network-{group}", next(iter(labels)), labels)


def _weights_choice(group: str) -> OneOf:
    """The distribution of the potentials; each group remembers its own."""
    labels = {weights: _WEIGHTS[weights][0] for weights in sources.WEIGHTS}
    return OneOf("", f"data-weights-{group}", groups()[group].weights, labels)


def _size() -> tuple[int, int]:
    """How many rows, and the seed."""
    # A link may ask for a number of rows between two of ours.
    sizes = sorted({*ROWS, int(st.session_state.get(_ROWS, 1000))})
    left, right = st.columns([3, 2], gap="medium")
    rows = OneOf("", _ROWS, 1000, {size: f"{size:,}" for size in sizes}).slider(left, "Rows")
    about = "The same seed gives the same potentials and the same rows again."
    return rows, _SEED.box(right, "Seed", help=about)
