"""A fitted network for pgmpy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError

if TYPE_CHECKING:
    from pgmpy.models import DiscreteMarkovNetwork

    from bjp_engine.parameters.network import FittedNetwork


def potentials(network: FittedNetwork) -> dict[tuple[Name, ...], NDArray[np.float64]]:
    """The factors as positive numbers, none too large for a double."""
    tables = network.factors
    tops = {members: float(log_table.max()) for members, log_table in tables.items()}
    # Beside its largest entry no factor overflows; what that leaves of Z is shared out evenly.
    known = network.log_partition is not None
    shift = (
        (math.fsum(tops.values()) - (network.log_partition or 0.0)) / len(tops) if known else 0.0
    )
    return {
        members: np.exp(log_table - tops[members] + shift) for members, log_table in tables.items()
    }


def pgmpy_network(network: FittedNetwork) -> DiscreteMarkovNetwork:
    """Write a fitted network as pgmpy holds one."""
    try:
        from pgmpy.factors.discrete import DiscreteFactor
        from pgmpy.models import DiscreteMarkovNetwork
    except ImportError:
        raise OptionError(
            "to_pgmpy needs pgmpy, which is not installed; "
            "install it with pip install 'bjp-explorer[pgmpy]'."
        ) from None
    labels = dict(zip(network.names, network.labels, strict=True))
    made = DiscreteMarkovNetwork()
    made.add_nodes_from(network.graph.nodes)
    made.add_edges_from(network.graph.edges)
    for members, values in potentials(network).items():
        made.add_factors(
            DiscreteFactor(
                list(members),
                list(values.shape),
                values,
                state_names={name: list(labels[name]) for name in members},
            )
        )
    return made
