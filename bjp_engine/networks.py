"""The benchmark networks of the paper, by name (docs/theory.md §6).

Everything said about them, and every edge that is not in an edge list, stands in
sample_data/networks/catalogue.toml; this module only reads it.
"""

from __future__ import annotations

import csv
import tomllib
from difflib import get_close_matches
from functools import cache
from typing import Any

import networkx as nx

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.resources import sample_data
from bjp_engine.validate import Seed, truth, whole_seed

__all__ = ["load", "names"]

LEAVES_PER_HUB = 7
# What is said about a network besides its size.
ABOUT = ("name", "title", "description", "source", "reconstructed")


def names() -> tuple[str, ...]:
    """The names of the benchmark networks.

    Examples
    --------
    >>> from bjp_engine.networks import names
    >>> names()[0], names()[-1], len(names())
    ('target-1', 'appendix-b', 21)
    """
    return tuple(_catalogue())


def load(name: str, *, labelled: bool = False, seed: Seed | None = None) -> nx.Graph[Name]:
    """Build a benchmark network.

    Parameters
    ----------
    labelled : bool
        Call the nodes by their names where they have any, X0, X1, … where not;
        otherwise they are the integers 0..n - 1.
    seed : int, optional
        Only of a scale-free network: another one. By default the one of seed 0.

    Returns
    -------
    networkx.Graph
        Nodes in ascending order. `graph.graph` holds name, title, description, source and
        whether it is reconstructed, since the paper's is lost.

    Examples
    --------
    >>> from bjp_engine.networks import load
    >>> load("karate").number_of_edges()
    78
    >>> list(load("dolphins", labelled=True))[:2]
    ['Beak', 'Beescratch']
    """
    entry = _entry(name)
    truth(labelled, "labelled")
    graph: nx.Graph[Any] = nx.Graph()
    graph.graph.update({key: entry[key] for key in ABOUT})
    if "scale_free" in entry:
        # Barabási and Albert's preferential attachment with one edge a new node.
        drawn = whole_seed(0 if seed is None else seed)
        edges = nx.barabasi_albert_graph(entry["scale_free"], 1, seed=drawn).edges
    elif seed is not None:
        raise OptionError(f"The network {clip(name)} is fixed; leave seed out.")
    elif "hubs" in entry:
        # Hubs in a path, each followed by its own leaves.
        block, hubs = 1 + LEAVES_PER_HUB, range(entry["hubs"])
        edges = [(block * k, block * (k + 1)) for k in hubs[:-1]]
        edges += [(block * k, block * k + leaf) for k in hubs for leaf in range(1, block)]
    elif "file" in entry:
        edges = [(int(row["source"]), int(row["target"])) for row in _rows(entry["file"])]
    else:
        edges = [(u, v) for u, v in entry["edges"]]
    graph.add_nodes_from(range(1 + max(max(edge) for edge in edges)))
    graph.add_edges_from(sorted((min(edge), max(edge)) for edge in edges))
    for row in _rows(entry["nodes"]) if "nodes" in entry else ():
        graph.add_node(int(row.pop("node")), **row)
    if not labelled:
        return graph
    known = nx.get_node_attributes(graph, "name")
    return nx.relabel_nodes(graph, {node: known.get(node, f"X{node}") for node in graph})


@cache
def _catalogue() -> dict[str, dict[str, Any]]:
    """The catalogue's entries by name, in its order."""
    with sample_data("networks", "catalogue.toml").open("rb") as file:
        return {entry["name"]: entry for entry in tomllib.load(file)["network"]}


def _entry(name: str) -> dict[str, Any]:
    """The catalogue's entry, or a sentence with the names that come close."""
    if isinstance(name, str) and name in _catalogue():
        return _catalogue()[name]
    close = get_close_matches(name.lower(), names(), 3, 0.4) if isinstance(name, str) else []
    instead = "the closest names are" if close else "choose one of"
    raise OptionError(f"There is no network {clip(name)}; {instead} {', '.join(close or names())}.")


def _rows(file: str) -> list[dict[str, str]]:
    """The lines of a CSV file beside the catalogue."""
    with sample_data("networks", file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
