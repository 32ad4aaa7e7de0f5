"""Which view shows what the engine returns, and with what payload: `bjp_engine.share` from inside.

Nothing here needs the app's packages, so a notebook with the core alone has the same pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, GraphError, OptionError, clip
from bjp_engine.graph import check_graph, on_names
from bjp_engine.parameters import FittedNetwork
from bjp_engine.scores import SCORES, ScoreTrace
from bjp_engine.search import SEARCHES, SearchTrace
from bjp_engine.validate import file_path, instance, text, whole_number
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.share.page import page
from bjp_explorer.shell import origins
from bjp_explorer.shell.text import count, number, plain
from bjp_explorer.views import layout, payloads
from bjp_explorer.views.payloads import Names, Payload
from bjp_explorer.views.words import (
    AGAINST_TRUTH,
    SEEING,
    agreement,
    climb_names,
    edges_found,
    score_name,
)

GIVE = (
    "give a score, a search, a fitted network, or a list of graphs or searches of the same "
    "variables"
)
# What a page does for Python, and does not where there is none.
_ASKED = ("editable", "report", "clickable", "edge_clicks")
# Pixels of a notebook that a view takes, where it is another than most.
HEIGHTS = {"networks": 520, "whatif": 640}
# What a notebook holds without growing heavy.
MOST_VARIABLES, MOST_STEPS = 60, 1000


@dataclass(frozen=True, slots=True)
class Shown:
    """A view with its payload, and what stands above it."""

    view: str
    payload: Mapping[str, Any]
    title: str
    about: str


def write(what: Any, path: Any = None, *, note: str = "", **how: Any) -> tuple[str, int]:
    """A page of something, and how high it is; see `bjp_engine.share` for the other arguments."""
    target = None if path is None else file_path(path)
    title, about = how.pop("title"), how.pop("about")
    found = show(what, **how)
    heading = found.title if title is None else text(title, "title")
    below = found.about if about is None else str(about)
    payload = without_python(found.payload)
    made = page(found.view, payload, title=heading, about=below, note=note)
    if target is not None:
        target.write_text(made, encoding="utf-8")
    return made, HEIGHTS.get(found.view, 800)


def embed(trace: ScoreTrace | SearchTrace) -> tuple[str, int] | None:
    """The page of a trace for a notebook; None where there is none, or it is too large for one."""
    steps = len(trace.steps) if isinstance(trace, SearchTrace) else 0
    few = 0 < len(trace.graph) <= MOST_VARIABLES and steps <= MOST_STEPS
    if not few or not _is_known(trace):
        return None
    return write(trace, title=None, about=None, step=None, truth=None, given=None)


def without_python(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A payload for a page of its own, where nobody answers to an edit or a click."""
    return {name: name not in _ASKED and value for name, value in payload.items()}


def show(what: Any, *, step: Any, truth: Any, given: Any) -> Shown:
    """The view of something."""
    several, climbs = isinstance(what, (Mapping, list, tuple)), isinstance(what, SearchTrace)
    with_steps = climbs or isinstance(what, ScoreTrace) or (several and len(what) == 2)
    for name, value, fits, goes_with in (
        ("step", step, with_steps, "a score, a search or two searches"),
        ("truth", truth, climbs or several, "a search, or several searches or graphs"),
        ("given", given, isinstance(what, FittedNetwork), "a fitted network"),
    ):
        if value is not None and not fits:
            raise OptionError(f"{name} goes with {goes_with}; leave it out.")
    if step is not None:
        whole_number(step, "step")
    if isinstance(what, ScoreTrace):
        return _score(what, step or 0)
    if isinstance(what, SearchTrace):
        return _climb(what, step or 0, truth)
    if isinstance(what, FittedNetwork):
        return _network(what, given)
    if isinstance(what, nx.Graph):
        return _networks(_graphs({"Graph": what}), None, {})
    if not several:
        raise OptionError(f"what is of type {type(what).__name__}; {GIVE}.")
    titled = _titled(what)
    graphs = _graphs(titled)
    searches = {title: one for title, one in titled.items() if isinstance(one, SearchTrace)}
    if len(searches) == len(titled) == 2:
        return _duel(searches, step or 0, truth)
    # Titles that were not given name the search already.
    return _networks(graphs, truth, searches if isinstance(what, Mapping) else {})


def _titled(several: Any) -> dict[str, Any]:
    if not several:
        raise OptionError(f"what is empty; {GIVE}.")
    if isinstance(several, Mapping):
        return {text(title, "a title"): one for title, one in several.items()}
    titles = [_title(one, k) for k, one in enumerate(several, start=1)]
    distinct = len(set(titles)) == len(titles)
    every = titles if distinct else [f"{title} ({k})" for k, title in enumerate(titles, start=1)]
    return dict(zip(every, several, strict=True))


def _title(one: Any, k: int) -> str:
    if isinstance(one, SearchTrace) and _is_known(one):
        return f"{SCORES[one.method].title} by {origins.search_name(one)}"
    return f"Graph {k}"


def _graphs(titled: Mapping[str, Any]) -> dict[str, nx.Graph[Any]]:
    found: dict[str, nx.Graph[Any]] = {}
    for title, one in titled.items():
        graph = one.graph if isinstance(one, (ScoreTrace, SearchTrace, FittedNetwork)) else one
        if not isinstance(graph, nx.Graph):
            raise OptionError(f"what holds one of type {type(one).__name__}; {GIVE}.")
        check_graph(graph)
        found[title] = graph
    names = tuple(next(iter(found.values())))
    for title, graph in found.items():
        if set(map(str, graph)) != set(map(str, names)):
            raise GraphError(
                f"{clip(title)} has other variables than the first graph; give graphs of the same."
            )
        found[title] = graph if set(graph) == set(names) else on_names(graph, names)
    return found


def _is_known(trace: ScoreTrace | SearchTrace) -> bool:
    """Whether the frontend knows the names of its score and search."""
    return trace.method in SCORES and getattr(trace, "search", None) in (None, *SEARCHES)


def _check_known(trace: ScoreTrace | SearchTrace) -> None:
    if not _is_known(trace):
        raise OptionError(
            "Only scores and searches that the package registers have a page; give graph "
            "of the trace to share what was found."
        )
    if not len(trace.graph):
        raise GraphError("The graph has no variable, so there is nothing to show.")


def _truth(truth: Any, variables: Names) -> nx.Graph[Any] | None:
    if truth is None:
        return None
    instance(truth, "truth", nx.Graph, "a networkx.Graph")
    try:
        return on_names(truth, variables.names)
    except GraphError as reason:
        raise GraphError(f"truth: {reason}") from None


def _size(graph: nx.Graph[Any]) -> str:
    return f"{count(len(graph), 'variable')}, {count(graph.number_of_edges(), 'edge')}"


def _points(variables: Names, *graphs: nx.Graph[Any] | None) -> payloads.Points:
    """Where the nodes stand: for the truth where there is one, as in the app."""
    return layout.positions(
        variables.names, [nx.Graph(graph) for graph in graphs if graph is not None]
    )


def _score(trace: ScoreTrace, step: int) -> Shown:
    _check_known(trace)
    whole_number(step, "step", 0, len(trace.terms))
    variables = Names(tuple(trace.graph))
    payload = payloads.step_payload(
        trace, variables, _points(variables, trace.graph), identity="score", editable=False
    )
    payload["initial_step"] = step
    name = score_name(trace.method, True, getattr(trace.terms, "prior_cells", "equal"))
    payload["score_name"] = name
    about = f"{_size(trace.graph)} · {name} = {number(trace.total - trace.log_prior, 4)}"
    return Shown("step", payload, f"{SCORES[trace.method].title}, step by step", about)


def _climb_payload(
    trace: SearchTrace, variables: Names, points: payloads.Points, truth: nx.Graph[Any] | None
) -> Payload:
    _check_known(trace)
    uniform, cells = trace.structure.uniform, origins.cells_of(trace)
    start, score = payloads.begin_of(trace)
    return payloads.climb_payload(
        variables,
        points,
        Flips.of(trace.steps, trace.start_score),
        trace,
        names=climb_names("climb", trace.method, trace.search, uniform=uniform, cells=cells),
        start=payloads.start_of(start, score, variables),
        truth=truth,
    )


def _climb(trace: SearchTrace, step: int, truth: Any) -> Shown:
    variables = Names(tuple(trace.graph))
    known = _truth(truth, variables)
    points = _points(variables, known if known is not None else trace.graph)
    payload = _climb_payload(trace, variables, points, known)
    last = len(payload["steps"]) + (payload["rejected"] is not None)
    payload["initial_step"] = whole_number(step, "step", 0, last)
    name = score_name(trace.method, trace.structure.uniform, origins.cells_of(trace))
    edges = edges_found(trace, Flips.of(trace.steps, trace.start_score))
    size = f"{count(variables.n, 'variable')}, {origins.origin(trace)}"
    about = f"{size} · {edges} · {name} = {number(trace.score, 4)}"
    return Shown("climb", payload, f"{SCORES[trace.method].title} climbs", about)


def _duel(searches: Mapping[str, SearchTrace], step: int, truth: Any) -> Shown:
    first, second = searches.values()
    variables = Names(tuple(first.graph))
    known = _truth(truth, variables)
    shown = [known] if known is not None else [first.graph, second.graph]
    points = _points(variables, *shown)
    climbs = [_climb_payload(one, variables, points, known) for one in searches.values()]
    payload = payloads.duel_payload(climbs, [*searches], by="flips", identity="duel")
    payload["initial_step"] = step
    return Shown("duel", payload, "Two climbs", count(variables.n, "variable"))


def _networks(
    graphs: Mapping[str, nx.Graph[Any]], truth: Any, searches: Mapping[str, SearchTrace]
) -> Shown:
    """Several networks on one layout, toned by how many have each edge, or by a true one."""
    first = next(iter(graphs.values()))
    if not len(first):
        raise GraphError("The graph has no variable, so there is nothing to show.")
    variables = Names(tuple(first))
    known = _truth(truth, variables)
    points = _points(variables, *([known] if known is not None else graphs.values()))
    tones: Mapping[str, str] = {}
    if known is not None:
        tones = AGAINST_TRUTH
        edges = [payloads.edges_against(graph, known, variables) for graph in graphs.values()]
    elif len(graphs) > 1:
        tones = agreement(len(graphs))
        edges = payloads.edges_by_agreement(list(graphs.values()), variables)
    else:
        edges = [[[i, j, "plain"] for i, j in payloads.edge_indices(first, variables)]]
    panels = [
        {
            "key": k,
            "title": plain(title),
            "subtitle": _edges(graph, searches.get(title)),
            "edges": drawn,
        }
        for k, ((title, graph), drawn) in enumerate(zip(graphs.items(), edges, strict=True))
    ]
    used = {tone for drawn in edges for *_, tone in drawn}
    payload = payloads.networks_payload(
        variables,
        points,
        panels,
        identity="networks",
        tones={tone: label for tone, label in tones.items() if tone in used},
    )
    title = "One network" if len(graphs) == 1 else f"{len(graphs)} networks"
    return Shown("networks", payload, title, count(variables.n, "variable"))


def _edges(graph: nx.Graph[Any], search: SearchTrace | None) -> str:
    edges = count(graph.number_of_edges(), "edge")
    known = search is not None and _is_known(search)
    return f"{edges} · {SEARCHES[search.search].title}" if search and known else edges


def _network(network: FittedNetwork, given: Any) -> Shown:
    variables = Names(network.names)
    points = _points(variables, network.graph)
    payload = whatif_payload(network, points, given or {}, variables)
    about = f"{_size(network.graph)} · fitted to {count(network.rows, 'row')}"
    return Shown("whatif", payload, "What if", about)


# --- What if --------------------------------------------------------------------------------------

# A browser sums as many cells at each press of a key.
MOST_CELLS = 1 << 12


def too_large(network: FittedNetwork) -> str:
    """Why a page can't hold the network, in a sentence; empty where it can."""
    cells = math.prod(network.model.cardinalities)
    if cells <= MOST_CELLS:
        return ""
    return (
        f"The network has {cells:,} joint states, and a page holds {MOST_CELLS:,} at most; fit one "
        "of fewer variables or states."
    )


def whatif_payload(
    network: FittedNetwork,
    points: payloads.Points,
    given: Mapping[Name, object],
    variables: payloads.Variables,
) -> Payload:
    """A network with evidence, as the view *What if* takes it."""
    if reason := too_large(network):
        raise OptionError(reason)
    assert network.log_partition is not None  # summed over fewer states than that
    sizes = network.model.cardinalities
    codes = np.indices(sizes).reshape(len(sizes), -1).T
    joint = np.exp(network.model.log_weight(codes) - network.log_partition)
    return {
        **payloads.layout_of(variables, points),
        "edges": payloads.edge_indices(network.graph, variables),
        "states": [[plain(label) for label in labels] for labels in network.labels],
        "joint": joint.tolist(),
        "evidence": _places(network, given),
        "note": SEEING,
    }


def _places(network: FittedNetwork, given: object) -> list[list[int]]:
    if not isinstance(given, Mapping):
        raise OptionError(f"given={clip(given)} must be a dict of variables with their states.")
    found = []
    for name, state in given.items():
        if name not in network.names:
            raise DataError(f"given: {clip(name)} is not one of the network's variables.")
        i = network.names.index(name)
        if str(state) not in network.labels[i]:
            known = ", ".join(map(clip, network.labels[i][:6]))
            raise DataError(f"given: {clip(name)} has no state {clip(state)}; it has {known}.")
        found.append([i, network.labels[i].index(str(state))])
    return found
