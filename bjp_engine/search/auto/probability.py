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
from dataclasses import dataclass, field
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
@dataclass(frozen=True, slots=True)
class TableNumbers:
    """What a table shows as a whole, of the variables that vary.

    Parameters
    ----------
    rows : int
        N.
    density : float
        u = d / (1 + d), with d their mean degree by Λ.
    dependence : float
        How strongly pairs of them are associated: ln of the mean of X² / f, at least 0.
    taking_part : float
        How many variables are associated with any, each by its strongest association; 1 at least.
    unexplained : ndarray of float
        Of each pair i < j: how much is associated of what is no edge by Λ, given all others, or as
        much as by a path; of the pairs that take part as far as it is one of these, else of all.
    """

    rows: int
    density: float = 0.0
    dependence: float = 0.0
    taking_part: float = 1.0
    unexplained: Floats = field(default_factory=lambda: np.empty(0))


def table_numbers(
    data: Dataset, found: Associations, indirect: Floats, chance: Floats
) -> TableNumbers:
    """Of the pairs i < j of a table; `chance` that each is an edge, by Λ."""
    pairs, more = np.triu_indices(data.n, 1), _MORE_PAIRS
    strongest = np.full(data.n, -np.inf)
    for ends in pairs:
        np.maximum.at(strongest, ends, found.marginal)
    part = sigmoid(strongest - _ASSOCIATED)
    both, taking_part = part[pairs[0]] * part[pairs[1]], max(_total(part), 1.0)
    degree = 2 * _total(both * chance) / taking_part
    dependence = (_total(both * found.ratio) + more) / (_total(both) + more)
    near = (found.marginal > 0) & (indirect > -_NEAR_PATH)

    def unexplained(weight: Floats) -> float:
        none = weight * (1 - chance)
        given = (_total(none * found.partial_ratio) + more) / (_total(none) + more)
        return math.log(max(1.0, given)) + 2 * _total(none[near]) / (_total(weight) + more)

    of_all = unexplained(np.ones_like(both))
    of_each = of_all + both * max(0.0, unexplained(both) - of_all)
    density, dependence = degree / (1 + degree), math.log(max(1.0, dependence))
    return TableNumbers(data.rows, density, dependence, taking_part, of_each)


def _total(of: Floats) -> float:
    """The sum, which no order of the columns changes."""
    return math.fsum(of.tolist())


def terms(data: Dataset, table: TableNumbers, evidence: tuple[Floats, ...]) -> Floats:
    """What the map weighs: a row for each pair, in lexicographic order, a column for each term."""
    pairs = np.triu_indices(data.n, 1)
    states = np.log(np.clip(data.cardinalities, *STATES) - 1.0)
    of_states = (states + states[:, None])[pairs]
    models, test, partial, indirect = map(saturated, evidence[:4])
    shared, busier = evidence[4:]
    of_table = (
        1.0,
        math.log(float(np.clip(table.rows, *ROWS)) / 1000) / 2,
        math.log(float(np.clip(table.taking_part, *VARIABLES)) / 30),
        table.dependence,
        table.density * table.dependence,
        table.unexplained,
    )
    near = np.log1p(shared / _SHARE), np.log(busier + _NEIGHBOUR)
    of_pair = (np.minimum(models, 0.0), models, test, of_states * partial, indirect, *near)
    columns = [np.broadcast_to(of, len(of_states)) for of in (*of_table, *of_pair)]
    return np.column_stack(columns)


def caution(table: TableNumbers) -> Floats:
    """How much negative ln odds of each pair i < j count in a table."""
    share = (table.unexplained - _LITTLE) / (_MUCH - _LITTLE)
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
