"""How sure each edge is, as an estimator asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.confidence import bootstrap, posterior_edges, test_confidence
from bjp_engine.dataset import Dataset
from bjp_engine.errors import OptionError, clip
from bjp_engine.search.auto.search import begun_with
from bjp_engine.search.base import SearchTrace

# What of the options belongs to the score itself, and not to the prior over structures.
_OF_SCORE = ("prior", "gamma", "ess")


def edge_confidence(
    kind: str, data: Dataset, trace: SearchTrace, options: Mapping[str, Any], how: Mapping[str, Any]
) -> Floats:
    """The probability of each pair of variables to be an edge."""
    if kind == "test":
        of_score = {name: options[name] for name in _OF_SCORE if name in options}
        made = test_confidence(data, trace.graph, trace.method, **of_score)
    elif kind == "bootstrap":
        made = bootstrap(data, trace.method, **how, **options)
    elif kind == "mcmc":
        rest = {name: how[name] for name in ("seed", "n_jobs")}
        made = posterior_edges(data, trace.method, **rest, **begun_with(trace.search, options))
    else:
        raise OptionError(
            f"confidence={clip(kind)} is not known; use None, 'test', 'bootstrap' or 'mcmc'."
        )
    return np.asarray(made.matrix, dtype=np.float64)
