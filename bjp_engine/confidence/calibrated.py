"""Calibrated probabilities: of the pairs that get 0.9, at least nine in ten are edges.

`auto` weighs the evidence of every pair as ln odds Λ, its prior over structures; as probabilities
these are far off. A logistic map puts them on the scale of what was seen: it was fitted to samples
of networks whose edges are known, of which `calibrated.json` has the coefficients. A pair has four
pieces of evidence, each as s(v) = sign(v) · 4 ln(1 + |v| / 4), v held within ±25:

- Λ, of which only what speaks against an edge counts everywhere;
- t, the mean of both ends' ln odds of dependence, each by the test given its neighbours in the
  graph of all pairs with Λ > 0;
- e, the ln odds of an association given all other variables at once, and
- m = ½ X² - ½ f ln N, of one given none (`associations` has e, X² and f).

And a table shows of what kind it is by four numbers: u = d / (1 + d), where d = 2/n Σ σ(Λ) is the
mean degree that Λ leads one to expect; π, the share of pairs that are associated given all others;
a and b, how much is associated at all and given all others: a = ln(0.1 + the mean over pairs of
X² / f, none above 6), b the same of P², 0 where rows are too few for partial correlations.
`TERMS` lists the products of these that count. In a table of many weak edges, of a hidden cause or
of little more than chance, they draw probabilities towards ½, where sparse ones stay clear.

Positive ln odds count half, so of the pairs at 0.9 or more clearly more than nine in ten are edges:
kinds of tables differ, and `present` is to be right in each.

N, n and the numbers of states count no further than the fit went. Constant variables count
nowhere. No number depends on the order of the columns.

What is known of pairs is not a part of the fit. Required pairs have probability 1 and forbidden
ones 0, and count so in d and in the graph of the tests. The ln odds of a likely pair are those of
the map, with Λ as the usual prior would have it, plus what its own prior odds are above the usual
ones: Bayes' rule. All others have what the map makes of their evidence, given what is known.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.arrays import Bools, Floats
from bjp_engine.confidence.associations import measure_associations
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import CountedDataset, DataLike, Dataset, as_dataset
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.graph import Adjacency
from bjp_engine.parameters.imputation import Imputed
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores import score
from bjp_engine.scores.board import Assertions
from bjp_engine.scores.known import KnownEdges, KnownPairs
from bjp_engine.search import learn
from bjp_engine.search.auto.nodewise import constants
from bjp_engine.search.auto.search import Auto, usual_odds
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import instance

if TYPE_CHECKING:
    import pandas as pd

# The terms of the map, in the order of their coefficients.
TERMS = (
    *("constant", "rows", "variables", "states", "density", "share"),
    *("dependence", "partial dependence", "evidence against", "density × evidence", "test"),
    *("partial", "share × partial", "partial dependence × partial"),
    *("marginal", "density × marginal", "share × marginal", "dependence × marginal"),
)
FILE = "calibrated.json"
_KNEE, _MOST = 4.0, 25.0
CAUTION = 0.5
_LARGEST_MEAN = 6.0
_SAME = 1e-9
_OPTIONS = {"prior_cells": "centred"}
_EARLY = "The search stopped before it weighed the pairs; give it more time."
# What the fit has seen of N, n and r.
ROWS, VARIABLES, STATES = (100, 8000), (8, 128), (2, 11)


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
        What `learn(data, "bjp", "auto")` found, if that has been done. The map was fitted to its
        default options, so it is refused with others; what it knew of pairs is taken from it.
    known : KnownEdges, mapping or DataFrame, optional
        What is known of pairs, see `learn`; only without a trace. Required pairs get 1, forbidden
        ones 0. The map was fitted without knowledge: of the others it is only Bayes' rule.

    Returns
    -------
    EdgeConfidence
        Of kind "calibrated"; `verdicts` sorts the pairs. Of networks of the kinds that were fitted,
        a share p of the pairs with probability p are edges; for other networks that is a guess.
        `judged` has the pairs of which the fit has seen the like: of variables of which 2 to 11
        states occur, with at least 100 rows. Of `Imputed`, `error` is the standard deviation over
        the completed tables, and `made` how many there are.

    Examples
    --------
    >>> from bjp_engine import Dataset, edge_probabilities
    >>> data = Dataset.from_codes([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]] * 50)
    >>> edge_probabilities(data).verdicts()["verdict"][0]
    'present'

    Notes
    -----
    See docs/theory.md §12, and docs/calibration.md for how well calibrated they are.
    """
    began = time.perf_counter()
    if isinstance(data, Imputed):
        return _pooled(data, trace, known, progress, began)
    data = as_dataset(data)
    if isinstance(data, CountedDataset):
        data = data.hold(progress)
    if trace is None:
        found = learn(data, "bjp", Auto.name, known=known, progress=progress)
    else:
        if known is not None:
            raise OptionError("known can't be given with a trace; learn the trace with it.")
        _check(data, trace)
        found = trace
    matrix, judged = np.zeros((data.n, data.n)), fitted_pairs(data.drop_unused_states())
    pairs, upper = _known_pairs(data, found), np.triu_indices(data.n, 1)
    added = 0.0 if pairs is None else pairs.shift(usual_odds(data))[upper]
    matrix[upper] = probabilities(terms(data, found), coefficients(), added)
    # Of pairs of a constant there is the prior alone.
    silent = constants(data)
    silent = (silent | silent[:, None])[upper]
    matrix[upper] = np.where(silent, _sigmoid(usual_odds(data)[upper] + added), matrix[upper])
    matrix = matrix + matrix.T
    if pairs is not None:
        matrix, judged = pairs.settle(matrix), judged | pairs.required | pairs.forbidden
    return EdgeConfidence(
        "calibrated",
        data.names,
        matrix,
        None,
        found.method,
        found.search,
        judged=judged,
        seconds=time.perf_counter() - began,
    )


def _pooled(
    data: Imputed,
    trace: SearchTrace | None,
    known: KnownEdges | Mapping[Any, Any] | pd.DataFrame | None,
    progress: Progress,
    began: float,
) -> EdgeConfidence:
    """The mean over tables: Pr(edge | known cells) is the mean of Pr(edge | all cells)."""
    tables = data.datasets
    if len(tables) == 1:
        return edge_probabilities(tables[0], trace, known=known, progress=progress)
    if trace is not None:
        raise OptionError("A trace is of one table, and data are several completed ones; leave it.")
    parts = []
    progress.tick(0, len(tables))
    for one in tables:
        parts.append(edge_probabilities(one, known=known, progress=progress.quiet))
        progress.tick(len(parts), len(tables))
    every = np.stack([one.matrix for one in parts])
    judged = [one.judged for one in parts if one.judged is not None]
    return replace(
        parts[0],
        matrix=every.mean(axis=0),
        error=every.std(axis=0, ddof=1),
        judged=np.all(judged, axis=0),
        seed=data.seed,
        asked=len(parts),
        made=len(parts),
        seconds=time.perf_counter() - began,
    )


def terms(data: Dataset, trace: SearchTrace) -> Floats:
    """What the map weighs: a row for each pair, in lexicographic order, a column for each term."""
    data = data.drop_unused_states()
    n, pairs = data.n, np.triu_indices(data.n, 1)
    if n < 2:
        return np.zeros((0, len(TERMS)))
    odds = trace.structure.log_odds
    if odds is None:
        raise OptionError(_EARLY)
    known, shift = _known_pairs(data, trace), np.zeros((n, n))
    chance, graph = _sigmoid(odds), odds > 0
    if known is not None:
        chance, graph = known.settle(chance), known.agreeing(graph)
        shift = known.shift(usual_odds(data))
    # Of a constant the data say nothing.
    live = ~constants(data)
    spoken = np.outer(live, live)[pairs]
    degree = 2 / max(int(np.count_nonzero(live)), 1) * math.fsum(chance[pairs][spoken].tolist())
    density = degree / (1 + degree)
    evidence = saturated(np.where(spoken, (odds - shift)[pairs], usual_odds(data)[pairs]))
    tests = saturated(np.where(spoken, _tests(data, graph, trace)[pairs], 0.0))
    states = np.log(np.clip(data.cardinalities, *STATES) - 1.0)
    partial, marginal = np.zeros(len(spoken)), np.zeros(len(spoken))
    share = dependence = partly = 0.0
    if spoken.any():
        found = measure_associations(data.select([data.names[k] for k in np.flatnonzero(live)]))
        of_marginal = (found.marginal - found.freedom * math.log(data.rows)) / 2
        partial[spoken], marginal[spoken] = saturated(found.log_odds), saturated(of_marginal)
        share, dependence = found.share, _mean_dependence(found.marginal, found.freedom)
        partly = 0.0 if found.partial is None else _mean_dependence(found.partial, found.freedom)
    columns = (
        1.0,
        math.log(float(np.clip(data.rows, *ROWS)) / 1000) / 2,
        math.log(float(np.clip(np.count_nonzero(live), *VARIABLES)) / 30),
        (states + states[:, None])[pairs],
        density,
        share,
        dependence,
        partly,
        np.minimum(evidence, 0.0),
        density * evidence,
        tests,
        partial,
        share * partial,
        partly * partial,
        marginal,
        density * marginal,
        share * marginal,
        dependence * marginal,
    )
    return np.column_stack(np.broadcast_arrays(*columns))


def _mean_dependence(statistic: Floats, freedom: Floats) -> float:
    """ln of 0.1 and the mean statistic of a degree of freedom; no pair counts for more than 6."""
    each = np.minimum(statistic / freedom, _LARGEST_MEAN)
    return math.log(0.1 + math.fsum(each.tolist()) / len(each))


def fitted_pairs(data: Dataset) -> Bools:
    """Of which pairs the fit has seen the like: enough rows, no constant, not too many states."""
    usual = ~constants(data) & (np.array(data.cardinalities) <= STATES[1])
    return np.outer(usual, usual) & (data.rows >= ROWS[0])


def saturated(odds: Floats) -> Floats:
    """s(v): as v near 0, and hardly more than its logarithm far from it."""
    held = np.clip(odds, -_MOST, _MOST)
    found: Floats = np.sign(held) * _KNEE * np.log1p(np.abs(held) / _KNEE)
    return found


def probabilities(features: Floats, weights: Floats, added: Floats | float = 0.0) -> Floats:
    """What the map makes of terms and their coefficients, with prior odds of likely pairs added.

    Only `CAUTION` of what speaks for an edge counts, so that `present` is right in kinds of tables,
    too, that are harder than the average one.
    """
    log_odds = features @ weights
    return _sigmoid(np.where(log_odds > 0, CAUTION * log_odds, log_odds) + added)


@cache
def coefficients() -> Floats:
    """β, in the order of TERMS, from the file that ships with the package."""
    text = files("bjp_engine.confidence").joinpath(FILE).read_text(encoding="utf-8")
    known = json.loads(text)["coefficients"]
    found = np.array([float(known[term]) for term in TERMS])
    found.setflags(write=False)
    return found


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
    given = trace.given
    if given.pop("log_odds", None) is None or trace.evidence is None:
        raise OptionError(_EARLY)
    pairs, begun = _known_pairs(data, trace), usual_odds(data)
    if pairs is not None:
        begun = begun + pairs.shift(begun)
        begun[pairs.required | pairs.forbidden] = 0.0
    if given != _OPTIONS or not np.allclose(trace.evidence.prior, begun, rtol=_SAME, atol=_SAME):
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
    given = {name: value for name, value in trace.given.items() if name != "log_odds"}
    return (trace.method, trace.search) == ("bjp", Auto.name) and given == _OPTIONS


def _known_pairs(data: Dataset, trace: SearchTrace) -> KnownPairs | None:
    """What the search knew of pairs."""
    return None if trace.known is None or trace.known.empty else trace.known.on(data.names)


def _tests(data: Dataset, graph: Adjacency, trace: SearchTrace) -> Floats:
    """The mean of both ends' ln odds of dependence, in the graph of the pairs with Λ > 0."""
    np.fill_diagonal(graph, False)
    asserted = Assertions.of(data, graph, True, trace.options["bjp"]).values
    with np.errstate(divide="ignore", invalid="ignore"):
        log_odds = asserted - np.log(-np.expm1(asserted))
    log_odds = np.clip(np.where(graph, log_odds, -log_odds), -_MOST, _MOST)
    mean: Floats = (log_odds + log_odds.T) / 2
    return mean


def _sigmoid(v: Floats) -> Floats:
    """σ(v) = 1 / (1 + exp(-v)), without overflow."""
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * v)
    return found
