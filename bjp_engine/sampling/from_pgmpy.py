"""What a discrete network of pgmpy holds: variables, states and factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import GraphError, OptionError, clip, not_installed
from bjp_engine.sampling.factor import Factor

Parts = tuple[tuple[Name, ...], tuple[int, ...], tuple[Factor, ...], tuple[tuple[str, ...], ...]]


def read_network(network: Any) -> Parts:
    """Names, numbers of states, factors and labels of a network of pgmpy."""
    try:
        from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork
    except ImportError:
        raise not_installed("from_pgmpy", "pgmpy", "'bjp-explorer[pgmpy]'") from None
    if not isinstance(network, (DiscreteBayesianNetwork, DiscreteMarkovNetwork)):
        raise OptionError(
            f"network is a {type(network).__name__}; give pgmpy's DiscreteMarkovNetwork or "
            "DiscreteBayesianNetwork."
        )
    try:
        network.check_model()
    except (ValueError, AttributeError) as error:
        raise GraphError(
            f"pgmpy finds the network incomplete ({clip(error)}); give every variable its table."
        ) from None
    directed = isinstance(network, DiscreteBayesianNetwork)
    tables = [cpd.to_factor() for cpd in network.get_cpds()] if directed else network.get_factors()
    names = tuple(network.nodes)
    states: dict[Name, list[object]] = {}
    for table in tables:
        for name in table.variables:
            states.setdefault(name, list(table.state_names[name]))
    labels = tuple(tuple(map(str, states[name])) for name in names)
    sizes = tuple(map(len, labels))
    factors = [_factor(table, names, states) for table in tables]
    # An edge that no table covers stays an edge, with a factor of 1.
    covered = [set(factor.variables) for factor in factors]
    for edge in network.edges:
        pair = tuple(sorted(names.index(name) for name in edge))
        if not any(members.issuperset(pair) for members in covered):
            factors.append(Factor(pair, np.zeros([sizes[i] for i in pair])))
    return names, sizes, tuple(factors), labels


def _factor(table: Any, names: tuple[Name, ...], states: dict[Name, list[object]]) -> Factor:
    """One table with ascending variables, and each variable's states in one order."""
    values = np.asarray(table.values, dtype=np.float64)
    for axis, name in enumerate(table.variables):
        given = list(table.state_names[name])
        if set(given) != set(states[name]):
            raise GraphError(
                f"The tables give variable {clip(name)} different states; name them alike in all."
            )
        values = values.take([given.index(state) for state in states[name]], axis)
    if not (values >= 0).all():
        raise GraphError(
            f"The table of {clip(', '.join(map(str, table.variables)))} holds a weight that is not "
            "a number from 0; correct it."
        )
    places = [names.index(name) for name in table.variables]
    order = sorted(range(len(places)), key=places.__getitem__)
    with np.errstate(divide="ignore"):
        return Factor(tuple(places[k] for k in order), np.log(values.transpose(order)))
