"""From evidence to the probability of an edge: a logistic map, fitted to networks that are known.

`TERMS` lists what counts of a pair and of its table, docs/theory/support.md has the formulas, and
`probability.json` the coefficients, which `python -m benchmarks calibration --fit` writes. N, the
variables and their states count no further than the fit went.

Kinds of tables differ, and verdicts are to be right in each. So positive ln odds count two thirds,
and negative ones the less, down to half, the more associations no edge explains: where edges are
many and weak, or a cause is hidden, rows show only of few pairs that they are none. What a table
shows as a whole is measured on the variables that take part in anything.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.associations import Associations
from bjp_engine.dataset import Dataset
from bjp_engine.records import record

# The terms of the map, in the order of their coefficients.
TERMS = (
    *("constant", "rows", "taking part", "dependence", "density × dependence", "unexplained"),
    *("models against", "models", "test", "states × partial", "indirect", "shared", "busier"),
)
FILE = "probability.json"
# How much positive ln odds count.
CAUTION = 2 / 3
# From so much unexplained on negative ln odds count less, and half from the second figure on.
_LITTLE, _MUCH = 0.03, 0.2
_KNEE, _MOST = 4.0, 25.0
# Shares of a neighbour below the first hardly count, nor does less than so many neighbours.
_SHARE, _NEIGHBOUR = 0.01, 0.3
# ln odds that differ by less are equal.
_DIGITS = 9
# Such ln odds of an association given none let both variables take part.
_ASSOCIATED = 1.0
# Few pairs show little of a table: so many more count as if they had no association.
_MORE_PAIRS = 120
# So little behind the weakest link of a path (natural log), a path hardly explains a pair.
_NEAR_PATH = 4.0
# What the fit has seen of N, n and r.
ROWS, VARIABLES, STATES = (100, 8000), (3, 128), (2, 11)


@record
@dataclass(frozen=True, eq=False, slots=True)
class PairEvidence:
    """What the data say of each pair, as ln odds of an edge (natural log), shape (n, n) each.

    Parameters
    ----------
    own : ndarray of float
        W: [j, b] what the model of variable j would gain by b, or loses without it, λ included.
    log_odds : ndarray of float
        Λ, of both models.
    test : ndarray of float
        Of dependence, given the neighbours of the end that has fewer.
    partial : ndarray of float
        Of an association given all other variables.
    indirect : ndarray of float
        Of an association given none, less those of the weakest link of the strongest path between
        the two, the pair itself included: 0 at most.
    shared, busier : ndarray of float
        No ln odds, but counts by Λ of all pairs: of the neighbours that the two share, each divided
        by how many it has itself, and of the other neighbours of the end that has more.
    unexplained : ndarray of float
        No ln odds: how much is associated in the table of what is no edge by Λ, given all others,
        or as much as by a path; of the pairs that take part as far as this is one, else of all.
    probability : ndarray of float
        Of an edge.
    density, dependence, taking_part : float
        Of the table: u = d / (1 + d), with d the mean degree by Λ of the variables that take part;
        how strongly pairs of them are associated, ln of the mean of X² / f, at least 0; and how
        many are associated with any, each by its strongest association, 1 at least.
    """

    own: Floats
    log_odds: Floats
    test: Floats
    partial: Floats
    indirect: Floats
    shared: Floats
    busier: Floats
    unexplained: Floats
    probability: Floats
    density: float = 0.0
    dependence: float = 0.0
    taking_part: float = 1.0


def describe_table(
    found: Associations, indirect: Floats, chance: Floats
) -> tuple[Floats, tuple[float, ...]]:
    """What is unexplained, density, dependence, and how many take part; `chance` is σ(Λ)."""
    more, alone = _MORE_PAIRS, np.eye(len(chance), dtype=np.bool_)
    part = sigmoid(np.where(alone, -np.inf, found.marginal).max(axis=1) - _ASSOCIATED)
    both, taking_part = np.outer(part, part), max(float(part.sum()), 1.0)
    degree = 2 * _total(both * chance) / taking_part
    dependence = (_total(both * found.ratio) + more) / (_total(both) + more)
    near = (found.marginal > 0) & (indirect > -_NEAR_PATH)

    def unexplained(weight: Floats) -> float:
        none = weight * (1 - chance)
        given = (_total(none * found.partial_ratio) + more) / (_total(none) + more)
        return math.log(max(1.0, given)) + 2 * _total(none * near) / (_total(weight) + more)

    of_all = unexplained(np.ones_like(both))
    of_each = of_all + both * max(0.0, unexplained(both) - of_all)
    return of_each, (degree / (1 + degree), math.log(max(1.0, dependence)), taking_part)


def _total(of: Floats) -> float:
    """The sum over pairs."""
    return float(np.triu(of, 1).sum())


def terms(data: Dataset, said: PairEvidence) -> Floats:
    """What the map weighs: a row for each pair, in lexicographic order, a column for each term."""
    pairs = np.triu_indices(data.n, 1)
    states = np.log(np.clip(data.cardinalities, *STATES) - 1.0)
    of_pairs = said.log_odds, said.test, said.partial, said.indirect
    models, test, partial, indirect = (saturated(of[pairs]) for of in of_pairs)
    columns = (
        1.0,
        math.log(float(np.clip(data.rows, *ROWS)) / 1000) / 2,
        math.log(float(np.clip(said.taking_part, *VARIABLES)) / 30),
        said.dependence,
        said.density * said.dependence,
        said.unexplained[pairs],
        np.minimum(models, 0.0),
        models,
        test,
        np.add.outer(states, states)[pairs] * partial,
        indirect,
        np.log1p(said.shared[pairs] / _SHARE),
        np.log(said.busier[pairs] + _NEIGHBOUR),
    )
    return np.column_stack(np.broadcast_arrays(*columns))


def caution(unexplained: Floats) -> Floats:
    """How much negative ln odds of pairs count in a table of which so much is unexplained."""
    share = (unexplained - _LITTLE) / (_MUCH - _LITTLE)
    found: Floats = 1.0 - 0.5 * np.clip(share, 0.0, 1.0)
    return found


def saturated(odds: Floats) -> Floats:
    """s(v): as v near 0, and hardly more than its logarithm far from it."""
    held = np.clip(odds, -_MOST, _MOST)
    found: Floats = np.sign(held) * _KNEE * np.log1p(np.abs(held) / _KNEE)
    return found


def probabilities(
    features: Floats, weights: Floats, against: Floats | float, added: Floats | float = 0.0
) -> Floats:
    """What the map makes of terms and coefficients; `against` as `caution` says."""
    log_odds = np.round(features @ weights, _DIGITS)
    return sigmoid(np.where(log_odds > 0, CAUTION, against) * log_odds + added)


def map_evidence(data: Dataset, said: PairEvidence, added: Floats) -> Floats:
    """The probability of each pair, shape (n, n), with ln odds `added` by Bayes' rule."""
    pairs, found = np.triu_indices(data.n, 1), np.zeros_like(said.log_odds)
    against = caution(said.unexplained[pairs])
    found[pairs] = probabilities(terms(data, said), coefficients(), against, added[pairs])
    return found + found.T


@cache
def coefficients() -> Floats:
    """β, in the order of TERMS, from the file that ships with the package."""
    text = files("bjp_engine.search.auto").joinpath(FILE).read_text(encoding="utf-8")
    known = json.loads(text)["coefficients"]
    # A term that is new counts nothing before the next fit.
    found = np.array([float(known.get(term, 0.0)) for term in TERMS])
    found.setflags(write=False)
    return found


def sigmoid(v: Floats) -> Floats:
    """σ(v) = 1 / (1 + exp(-v)), without overflow."""
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * v)
    return found
