"""A network for programs that compute with it: Libra's `.mn`, and Python code for pgmpy.

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

In the code for pgmpy every name and label is a literal in ASCII, as `ascii` writes it, so no text
of a file becomes code. It is written only: code is never read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from itertools import combinations
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.graph import on_names
from bjp_engine.io.sources import Content

if TYPE_CHECKING:
    from bjp_engine.parameters import FittedNetwork

Scope = tuple[int, ...]
LogTable = tuple[Scope, NDArray[np.float64]]
# Each weight is a line of text, or a part of one.
MOST_WEIGHTS = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """What is known of a graph's variables: names, edges as places in them, states, parameters."""

    names: tuple[Name, ...]
    edges: tuple[tuple[int, int], ...]
    labels: tuple[tuple[str, ...], ...] | None = None
    network: FittedNetwork | None = None

    def log_tables(self) -> tuple[LogTable, ...]:
        """The factors as scopes and ln φ: those fitted, else zeros over the cliques or edges."""
        from bjp_engine.parameters.elimination import scopes_of

        if self.network is not None:
            tables = tuple((one.variables, one.log_table) for one in self.network.model.factors)
            _check_weights(sum(table.size for _, table in tables))
            return tables
        n, sizes = len(self.names), tuple(map(len, self.labels or ()))
        adjacency = np.zeros((n, n), dtype=np.bool_)
        for i, j in self.edges:
            adjacency[i, j] = adjacency[j, i] = True
        try:
            scopes = scopes_of(adjacency, sizes)[0]
        except OptionError as reason:
            raise GraphError(str(reason)) from None
        shapes = [[sizes[i] for i in scope] for scope in scopes]
        _check_weights(sum(map(math.prod, shapes)))
        return tuple((scope, np.zeros(s)) for scope, s in zip(scopes, shapes, strict=True))


def model_of(
    graph: nx.Graph[Name], data: Dataset | None = None, network: FittedNetwork | None = None
) -> Model:
    """Put together what is known."""
    names, labels = tuple(graph), None
    known = data if network is None else network
    if known is not None:
        names, labels = known.names, known.labels
        graph = on_names(graph, names)
    fitted = () if network is None else network.graph.edges
    if network is not None and set(map(frozenset, graph.edges)) != set(map(frozenset, fitted)):
        raise GraphError(
            "The parameters were fitted to another graph; fit them to this one (fit_parameters)."
        )
    place = {name: i for i, name in enumerate(names)}
    edges = sorted((min(e), max(e)) for e in ((place[u], place[v]) for u, v in graph.edges))
    return Model(names, tuple(edges), labels, network)


def _check_weights(weights: int) -> None:
    """Refuse more weights than a text file should hold."""
    if weights > MOST_WEIGHTS:
        raise GraphError(
            f"The factors hold {weights:,} weights and a text file takes {MOST_WEIGHTS:,}; use a "
            "graph with fewer edges, or variables with fewer states."
        )


# --- Libra --------------------------------------------------------------------------------------

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
    lines = [",".join(str(len(labels)) for labels in model.labels), "MN {"]
    for scope, values in model.log_tables():
        lines.append("table {")
        for states in np.ndindex(values.shape):
            conditions = " ".join(f"+v{i}_{k}" for i, k in zip(scope, states, strict=True))
            lines.append(f"{values[states]:.16e} {conditions}")
        lines += ["}", ""]
    return ("\n".join([*lines, "}"]) + "\n").encode("ascii")


def parse_mn(content: Content) -> nx.Graph[Name]:
    """The structure of a `.mn` file."""
    text = content.data.decode("utf-8", "replace")
    head = _HEAD.match(text)
    if head is None:
        raise GraphError(
            f"{content.title} is not a Libra Markov network; such a file begins with the numbers "
            "of states, as in 2,2,3, and then MN {."
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
        members = sorted({_variable(condition, states, content) for condition in factor})
        graph.add_edges_from(combinations(members, 2))
    return graph


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


def _variable(condition: tuple[str, str], states: list[int], content: Content) -> int:
    """A variable, if it and its state exist."""
    i, state = map(int, condition)
    if i < len(states) and state < states[i]:
        return i
    known = (
        f"variable {i} has the states 0 to {states[i] - 1}"
        if i < len(states)
        else f"there are {len(states)} variables, counted from 0"
    )
    raise GraphError(
        f"{content.title} has a factor over {clip('v' + '_'.join(condition))}, "
        f"but by its first line {known}."
    )


# --- pgmpy --------------------------------------------------------------------------------------

_HEAD_OF_CODE = '''"""A Markov network as code for pgmpy, written by bjp-explorer {version}.

    pip install pgmpy

Run it to see the network and, where it has factors, an answer that it gives; or import `network`
from it. pgmpy does not normalise what it is asked of a Markov network: with evidence it answers
Pr(query, evidence), and `answer.normalize(inplace=False)` is Pr(query | evidence).
"""

from pgmpy.factors.discrete import DiscreteFactor
from pgmpy.models import DiscreteMarkovNetwork

# The variables, in column order.
NAMES = {names}

# The states of each variable, in the order of their codes; empty where they are not known.
STATES = {states}

# The edges, as places in NAMES.
EDGES = {edges}

# {about}
FACTORS = {factors}
'''
_TAIL_OF_CODE = '''

def build():
    """Make the network."""
    made = DiscreteMarkovNetwork()
    made.add_nodes_from(NAMES)
    made.add_edges_from([(NAMES[i], NAMES[j]) for i, j in EDGES])
    for scope, values in FACTORS:
        made.add_factors(
            DiscreteFactor(
                [NAMES[i] for i in scope],
                [len(STATES[i]) for i in scope],
                values,
                state_names={NAMES[i]: STATES[i] for i in scope},
            )
        )
    return made


network = build()

if __name__ == "__main__":
    print(network)
    print(f"{network.number_of_nodes()} variables, {network.number_of_edges()} edges")
    if FACTORS:
        from pgmpy.inference import VariableElimination

        # The first variable, given the first state of the second.
        evidence = {NAMES[i]: STATES[i][0] for i in range(len(NAMES))[1:2]}
        answer = VariableElimination(network).query(NAMES[:1], evidence, show_progress=False)
        print(f"{NAMES[0]} given {evidence}:")
        print(answer.normalize(inplace=False))
'''
_ABOUT_FACTORS = (
    "Each factor: places in NAMES, and its values, the last variable's states running fastest.\n"
    "# Their product is the probability of a row"
)


def to_pgmpy_code(model: Model) -> bytes:
    """Python code that builds a network with pgmpy."""
    factors, about = [], "No parameters were fitted: the graph alone."
    if model.network is not None:
        model.log_tables()  # refuses what is too large
        place = {name: i for i, name in enumerate(model.names)}
        for members, values in model.network.potentials().items():
            scope = ", ".join(str(place[name]) for name in members)
            factors.append(f"(({scope},), {values.ravel().tolist()})")
        known = model.network.log_partition is not None
        about = f"{_ABOUT_FACTORS}{'.' if known else ' up to a constant that is not known.'}"
    text = _HEAD_OF_CODE.format(
        version=version(),
        names=_lines(map(ascii, model.names)),
        states=_lines(ascii(list(labels)) for labels in model.labels or ()),
        edges=_lines(map(str, model.edges)),
        about=about,
        factors=_lines(factors),
    )
    return (text + _TAIL_OF_CODE).encode("ascii")


def _lines(items: Iterable[str]) -> str:
    found = [f"    {item},\n" for item in items]
    return f"[\n{''.join(found)}]" if found else "[]"


def version() -> str:
    """The version of the engine that runs."""
    try:
        return metadata.version("bjp-explorer")
    except metadata.PackageNotFoundError:
        return "uninstalled"
