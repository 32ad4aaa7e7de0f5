"""Libra's `.mn`: a Markov network as the numbers of states and a list of factors.

Lowd & Rooshenas (2015), User Manual for Libra 1.1, section "Graphical Models":

    2,2,3                     the number of states of each variable
    MN {
    table {                   a factor: ln φ, and the states that it stands for
    -6.93e-01 +v0_1 +v2_0
    …
    }
    }

Variables have no names there: v0 is the first column, and the states are codes. A factor is a
table, a set of features, a tree, or a single feature on a line; a condition +v0_1 says that
variable 0 is in state 1, and -v0_1 that it isn't.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import networkx as nx
import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import GraphError, clip
from bjp_engine.io.model import Model, Table
from bjp_engine.io.sources import Content

_HEAD = re.compile(r"\s*([0-9,\s]+?)\s*\bMN\s*\{", re.ASCII)
_PART = re.compile(r"(?:table|features|tree)\s*\{([^{}]*)\}|([^\n{}]+)\n?|([{}])", re.ASCII)
_CONDITION = re.compile(r"(?<![A-Za-z0-9_])v([0-9]{1,9})_([0-9]{1,9})(?![A-Za-z0-9_])", re.ASCII)


def to_mn(model: Model) -> bytes:
    """A network as Libra's `.mn`."""
    if model.labels is None:
        raise GraphError(
            "A .mn file lists the number of states of each variable, and a graph doesn't tell "
            "them; give the data too (data=…)."
        )
    tables = model.log_tables() or tuple(_zeros(model))
    lines = [",".join(map(str, model.cardinalities)), "MN {"]
    for table in tables:
        lines += ["table {", *_weights(table), "}", ""]
    return ("\n".join([*lines, "}"]) + "\n").encode("ascii")


def parse_mn(content: Content) -> nx.Graph[Name]:
    """The structure of a `.mn` file."""
    text = content.data.decode("utf-8", "replace")
    head = _HEAD.match(text)
    if head is None:
        raise GraphError(
            f"{content.title} is no Libra Markov network; such a file begins with the numbers of "
            "states, as in 2,2,3, and then MN {."
        )
    cells = [cell.strip() for cell in head[1].split(",")]
    if not all(re.fullmatch("[0-9]{1,9}", cell) and int(cell) > 0 for cell in cells):
        raise GraphError(
            f"{content.title}: the first line must hold the number of states of each variable, "
            "separated by commas."
        )
    states = [int(cell) for cell in cells]
    graph: nx.Graph[Name] = nx.empty_graph(len(states))
    for factor in _factors(text, head.end(), content):
        members = sorted({_variable(found, states, content) for found in factor})
        graph.add_edges_from(combinations(members, 2))
    return graph


def _zeros(model: Model) -> Iterator[Table]:
    """A table of zeros over each set of variables that share a factor."""
    for scope in model.scopes():
        yield scope, np.zeros([model.cardinalities[i] for i in scope])


def _weights(table: Table) -> Iterator[str]:
    """A line for each entry."""
    scope, values = table
    for states in np.ndindex(values.shape):
        told = " ".join(f"+v{i}_{state}" for i, state in zip(scope, states, strict=True))
        yield f"{values[states]:.16e} {told}"


def _factors(text: str, start: int, content: Content) -> Iterator[list[tuple[str, str]]]:
    """The conditions of each factor, to the brace that ends the network."""
    for part in _PART.finditer(text, start):
        block, line, brace = part.groups()
        if brace == "}":
            return
        if brace is not None:
            break
        found = _CONDITION.findall(block if block is not None else line)
        if found:
            yield found
    raise GraphError(f"{content.title}: the braces of the network don't match; close them.")


def _variable(found: tuple[str, str], states: list[int], content: Content) -> int:
    """A variable, if it and its state exist."""
    i, state = map(int, found)
    if i < len(states) and state < states[i]:
        return i
    told = f"variable {i} has the states 0 to {states[i] - 1}" if i < len(states) else ""
    raise GraphError(
        f"{content.title} has a factor over {clip('v' + '_'.join(found))}, but by its first line "
        f"{told or f'there are {len(states)} variables, counted from 0'}."
    )
