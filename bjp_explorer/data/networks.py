"""The third way in: rows drawn from a benchmark network, whose structure is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import streamlit as st

from bjp_engine import networks
from bjp_engine.networks import NetworkInfo
from bjp_explorer.data import words
from bjp_explorer.shell import components, loading, sources, visit
from bjp_explorer.shell.choices import Number, OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import canvas, payloads

ROWS = (250, 500, 1000, 2000, 4000, 8000)
_ROWS = "data-rows"
_SEED = Number("", "data-seed", 0, 0, sources.MOST_SEED)


@dataclass(frozen=True)
class Group:
    """Networks that belong together."""

    title: str
    # The distribution that reproduces the paper's tables on them (docs/theory.md §7).
    weights: str
    members: tuple[str, ...]


@cache
def groups() -> dict[str, Group]:
    """The benchmark networks in groups."""

    def starting(prefix: str) -> tuple[str, ...]:
        return tuple(name for name in networks.names() if name.startswith(prefix))

    found = {
        "targets": Group(words.GROUPS["targets"], "clique-log-weights", starting("target-")),
        "hubs": Group(words.GROUPS["hubs"], "clique-log-weights", starting("hub-")),
        "scale-free": Group(
            words.GROUPS["scale-free"], "clique-log-weights", starting("scale-free-")
        ),
        "appendix": Group(words.GROUPS["appendix"], "clique-log-weights", starting("appendix-")),
    }
    others = tuple(
        name
        for name in networks.names()
        if not any(name in group.members for group in found.values())
    )
    real = {"real": Group(words.GROUPS["real"], "log-odds", others)}
    return {key: (found | real)[key] for key in words.GROUPS}


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


def pick() -> str | None:
    """Choose a network, how its potentials are drawn, and how many rows.

    The token of the sample; None until one was asked for.
    """
    group = _group_choice().buttons(st, words.NETWORKS, wrap=True)
    left, right = st.columns([4, 5], gap="large")
    with left:
        name = _network_choice(group).menu(st, words.NETWORK)
        weights = _weights_choice(group).radio(
            st,
            "Distribution",
            captions=[words.WEIGHTS_ABOUT[weights] for weights in sources.WEIGHTS],
            help=words.WEIGHTS_HELP,
        )
        token = sources.network_token(name, weights, *_size())
        wanted = visit.current().kind == "net" or st.button(
            "Use these rows", icon=":material/check:", key="data-draw"
        )
    with right:
        _describe(info(name))
        _draw(loading.loaded(token), info(name))
    return token if wanted else None


def _describe(about: NetworkInfo) -> None:
    """Size, irregularity, and where it comes from."""
    with st.container(horizontal=True, gap="medium"):
        st.metric(words.NODES, about.nodes, width="content")
        st.metric(words.EDGES, about.edges, width="content")
        st.metric(
            words.IRREGULARITY,
            f"{about.total_irregularity:,}",
            width="content",
            help=words.IRREGULARITY_HELP.format(edges=about.edge_irregularity),
        )
    if about.reconstructed:
        st.badge("reconstructed", icon=":material/construction:", color="orange")
    st.markdown(about.description.strip())
    st.caption(f"Source: {about.source}.")


def _draw(loaded: Loaded, about: NetworkInfo) -> None:
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
    labels = {weights: words.WEIGHTS_NAMES[weights] for weights in sources.WEIGHTS}
    return OneOf("", f"data-weights-{group}", groups()[group].weights, labels)


def _size() -> tuple[int, int]:
    """How many rows, and the seed."""
    # A link may ask for a number of rows between two of ours.
    sizes = sorted({*ROWS, int(st.session_state.get(_ROWS, 1000))})
    left, right = st.columns([3, 2], gap="medium")
    rows = OneOf("", _ROWS, 1000, {size: f"{size:,}" for size in sizes}).slider(left, words.ROWS)
    return rows, _SEED.box(right, words.SEED, help=words.SEED_HELP)
