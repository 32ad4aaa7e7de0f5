"""A fitted network as the table of its joint probabilities, which a page can sum."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.parameters import FittedNetwork
from bjp_explorer.shell.text import plain
from bjp_explorer.views import payloads
from bjp_explorer.views.payloads import Payload
from bjp_explorer.views.words import SEEING

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
    canvas = payloads.layout_of(variables, points)
    return {
        "layout_id": canvas["layout_id"],
        "names": canvas["names"],
        "x": canvas["x"],
        "y": canvas["y"],
        "edges": payloads.edge_indices(network.graph, variables),
        "states": [[plain(label) for label in labels] for labels in network.labels],
        "joint": joint.tolist(),
        "evidence": _places(network, given),
        "note": SEEING,
    }


def _places(network: FittedNetwork, given: object) -> list[list[int]]:
    """The variables and states of some evidence."""
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
