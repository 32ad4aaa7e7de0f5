"""Calibrated probabilities: of the pairs that get 0.9, at least nine in ten are edges.

They are those of `auto` (`bjp_engine.search.auto.probability`), so a trace of it has them already,
and it has to be of the options that the map was fitted to.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.parameters.imputation import Imputed
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores import score
from bjp_engine.scores.prior import KnownEdges
from bjp_engine.search import learn
from bjp_engine.search.auto.evidence import Auto, begun_with
from bjp_engine.search.auto.nodewise import EXPECTED_DEGREE, tells_nothing
from bjp_engine.search.auto.probability import ROWS, STATES
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import instance

if TYPE_CHECKING:
    import pandas as pd

_SAME = 1e-9


def edge_probabilities(
    data: DataLike | Imputed,
    trace: SearchTrace | None = None,
    *,
    known: KnownEdges | Mapping[Any, Any] | pd.DataFrame | None = None,
    progress: Progress = UNWATCHED,
) -> EdgeConfidence:
    """How probable it is that each pair of variables is an edge, calibrated on known networks.

    Parameters
    ----------
    data : Dataset, DataFrame, array or Imputed
        N rows of n variables. Of what `impute` made, the mean over its completed tables is taken.
    trace : SearchTrace, optional
        What `learn(data)` found, by its default options: the map was fitted to these. What is known
        of pairs is taken from it.
    known : KnownEdges, mapping or DataFrame, optional
        As of `learn`; only without a trace. Required pairs get 1, forbidden ones 0, and likely ones
        Bayes' rule: the map was fitted without knowledge.

    Returns
    -------
    EdgeConfidence
        Of kind "calibrated"; `verdicts` sorts the pairs. Of networks of the kinds that were fitted,
        a share p of the pairs with probability p are edges; for other networks that is a guess.
        `judged` has the pairs of which the fit has seen the like: of 2 to 11 states, with at least
        100 rows. Of `Imputed`, `error` is the standard deviation over the `made` completed tables.

    Examples
    --------
    >>> from bjp_engine import Dataset, edge_probabilities
    >>> data = Dataset.from_codes([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]] * 50)
    >>> edge_probabilities(data).verdicts()["verdict"][0]
    'present'

    docs/theory.md §12 has the map, docs/calibration.md how well calibrated it is.
    """
    began = time.perf_counter()
    if isinstance(data, Imputed):
        if len(data.datasets) > 1:
            return _pooled(data, trace, known, progress, began)
        data = data.datasets[0]
    data = as_dataset(data).hold(progress)
    if trace is None:
        trace = learn(data, "bjp", Auto.name, known=known, progress=progress)
    elif known is not None:
        raise OptionError("known can't be given with a trace; learn the trace with it.")
    else:
        _check(data, trace)
    if trace.evidence is None:
        raise OptionError("The search stopped before it weighed the pairs; give it more time.")
    judged = fitted_pairs(data.drop_unused_states())
    if trace.known is not None:
        pairs = trace.known.on(data.names)
        judged |= pairs.required | pairs.forbidden
    return EdgeConfidence(
        "calibrated",
        data.names,
        trace.evidence.probability.copy(),
        None,
        trace.method,
        trace.search,
        judged=judged,
        seconds=time.perf_counter() - began,
    )


def _pooled(
    data: Imputed, trace: SearchTrace | None, known: Any, progress: Progress, began: float
) -> EdgeConfidence:
    """The mean over tables: Pr(edge | known cells) is the mean of Pr(edge | all cells)."""
    if trace is not None:
        raise OptionError("A trace is of one table, and data are several completed ones; leave it.")
    parts, made = list[EdgeConfidence](), len(data.datasets)
    for one in data.datasets:
        progress.tick(len(parts), made)
        parts.append(edge_probabilities(one, known=known, progress=progress.quiet))
    progress.finish(made)
    every = np.stack([one.matrix for one in parts])
    return replace(
        parts[0],
        matrix=every.mean(axis=0),
        error=every.std(axis=0, ddof=1),
        judged=np.all([one.judged for one in parts if one.judged is not None], axis=0),
        seed=data.seed,
        asked=made,
        made=made,
        seconds=time.perf_counter() - began,
    )


def fitted_pairs(data: Dataset) -> Bools:
    """Of which pairs the fit has seen the like: enough rows, no constant, not too many states."""
    usual = ~tells_nothing(data) & (np.array(data.cardinalities) <= STATES[1])
    return np.outer(usual, usual) & (data.rows >= ROWS[0])


def _check(data: Dataset, trace: SearchTrace) -> None:
    """Refuse a trace of another score, search or dataset."""
    instance(trace, "trace", SearchTrace, "what `learn` returns")
    if (trace.method, trace.search) != ("bjp", Auto.name):
        raise OptionError(
            f"trace is of method={clip(trace.method)} and search={clip(trace.search)}; calibrated "
            "probabilities need one of 'bjp' and 'auto'."
        )
    if tuple(trace.graph) != data.names:
        raise DataError("The trace is of other variables than the data; learn from these data.")
    if not is_usual(trace):
        raise OptionError(
            "trace was learned with options of its own, and the probabilities are calibrated to "
            "the usual ones; give no trace, or learn without options."
        )
    again = score(data, trace.graph, trace.method, **trace.given).total
    # The order of summation may differ in the last digits.
    if not math.isclose(again, trace.score, rel_tol=_SAME, abs_tol=_SAME):
        raise DataError("The trace is of other rows than the data; learn from these data.")


def is_usual(trace: SearchTrace) -> bool:
    """Whether a trace is of the score, search and options that probabilities are calibrated to."""
    given = trace.given
    if trace.known is not None and not trace.known.empty:
        given.pop("log_odds", None)
        given.setdefault("expected_degree", EXPECTED_DEGREE)
    return (trace.method, trace.search) == ("bjp", Auto.name) and given == begun_with(Auto.name, {})
