"""How sure each edge is, as an estimator asks for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset
from bjp_engine.errors import OptionError, clip
from bjp_engine.scores import AssertionTerm, score
from bjp_engine.search.base import SearchTrace

Floats = NDArray[np.float64]

# What of the options belongs to the score itself, and not to the prior over structures.
_OF_SCORE = ("prior", "gamma", "ess")


def edge_confidence(
    kind: str, data: Dataset, trace: SearchTrace, options: Mapping[str, Any], how: Mapping[str, Any]
) -> Floats:
    """The probability of each pair of variables to be an edge.

    Parameters
    ----------
    kind : {"test", "bootstrap", "mcmc"}
        By the posterior of its computed test; by how often it is learned from resampled rows;
        by its posterior probability over graphs.
    data : Dataset
    trace : SearchTrace
        What was learned from them.
    options : mapping
        What was given to `learn`.
    how : mapping
        `search`, `resamples`, `seed` and `n_jobs`.

    Returns
    -------
    ndarray of float, shape (n, n)
        Symmetric, 0 on the diagonal.

    Raises
    ------
    OptionError
        If the kind isn't known, or the score makes no tests.
    """
    if kind == "test":
        of_score = {name: options[name] for name in _OF_SCORE if name in options}
        return _by_test(data, trace, of_score)
    if kind == "bootstrap":
        made = import_module("bjp_engine.confidence").bootstrap(
            data, trace.method, **how, **options
        )
    elif kind == "mcmc":
        rest = {name: how[name] for name in ("seed", "n_jobs")}
        module = import_module("bjp_engine.confidence")
        made = module.posterior_edges(data, trace.method, **rest, **options)
    else:
        raise OptionError(
            f"confidence={clip(kind)} is not known; use None, 'test', 'bootstrap' or 'mcmc'."
        )
    return np.asarray(made.matrix, dtype=np.float64)


def _by_test(data: Dataset, trace: SearchTrace, options: Mapping[str, Any]) -> Floats:
    """Pr(dependent) by each pair's computed test, the mean where there are two."""
    terms = score(data, trace.graph, trace.method, **options).computed
    sums, tests = np.zeros((data.n, data.n)), np.zeros((data.n, data.n))
    for term in terms:
        if not isinstance(term, AssertionTerm):
            raise OptionError(
                f"score={clip(trace.method)} makes no tests, so confidence='test' has nothing to "
                "look at; use 'bootstrap'."
            )
        i, j = data.index(term.x), data.index(term.y)
        dependent = math.exp(term.value) if term.dependent else -math.expm1(term.value)
        sums[[i, j], [j, i]] += dependent
        tests[[i, j], [j, i]] += 1
    return sums / np.maximum(tests, 1)
