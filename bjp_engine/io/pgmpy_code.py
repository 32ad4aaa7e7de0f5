"""A network as a small Python file that builds it for pgmpy.

Every name and label is a literal in ASCII, as `ascii` writes it, so no text of a file becomes code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import metadata

from bjp_engine.io.model import Model

_HEAD = '''"""A Markov network as code for pgmpy, written by bjp-explorer {version}.

    pip install pgmpy

Run it to see the network, or import `network` from it.
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
_TAIL = '''

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
'''
_NONE = "No parameters were fitted: the graph alone."
_KNOWN = (
    "Each factor: places in NAMES, and its values, the last variable's states running fastest.\n"
    "# {scaled}"
)
_SCALED = "Their product is the probability of a row."
_UNSCALED = "Their product is the probability of a row up to a constant that is not known."


def to_pgmpy_code(model: Model) -> bytes:
    """Python code that builds a network with pgmpy."""
    states = [_list(ascii(label) for label in labels) for labels in model.labels or ()]
    text = _HEAD.format(
        version=_version(),
        names=_lines(ascii(name) for name in model.names),
        states=_lines(states),
        edges=_lines(f"({i}, {j})" for i, j in model.edges),
        about=_about(model),
        factors=_lines(_factors(model)),
    )
    return (text + _TAIL).encode("ascii")


def _factors(model: Model) -> Iterator[str]:
    """Each factor's places and values."""
    if model.network is None:
        return
    model.log_tables()  # refuses what is too large
    place = {name: i for i, name in enumerate(model.names)}
    for members, values in model.network.potentials().items():
        scope = ", ".join(str(place[name]) for name in members)
        yield f"(({scope},), {_list(map(repr, values.ravel().tolist()))})"


def _about(model: Model) -> str:
    """The comment above the factors."""
    if model.network is None:
        return _NONE
    known = model.network.log_partition is not None
    return _KNOWN.format(scaled=_SCALED if known else _UNSCALED)


def _list(items: Iterable[str]) -> str:
    """Items as a list on one line."""
    return f"[{', '.join(items)}]"


def _lines(items: Iterable[str]) -> str:
    """Items as a list with a line each."""
    found = [f"    {item},\n" for item in items]
    return f"[\n{''.join(found)}]" if found else "[]"


def _version() -> str:
    """The version of the engine that runs."""
    try:
        return metadata.version("bjp-explorer")
    except metadata.PackageNotFoundError:
        return "uninstalled"
