"""From evidence to the probability of an edge: a logistic map, fitted to networks that are known.

A pair has four pieces of evidence in ln odds: Λ of both models, t of its test, e given all other
variables, and how much less it is associated than the links of a path between the two. Each counts
as s(v) = sign(v) · 4 ln(1 + |v| / 4), v held within ±25; e where a variable has more than two
states. Neighbours count by the logarithm: those that the two share, and the others of the end that
has more. How probable an edge is at all a table shows as a whole: by u = d / (1 + d), with d the
mean degree that Λ leads one to expect, by how strongly pairs are associated, and by how many are,
given all other variables (`bjp_engine.associations`) or without an edge or a path that explains it.
`TERMS` lists what counts, and `probability.json` has the coefficients, which
`python -m benchmarks calibration --fit` writes.

Kinds of tables differ, and verdicts are to be right in each. So positive ln odds count two thirds,
and negative ones the less, down to half, the more associations no edge explains: where edges are
many and weak, or a cause is hidden, rows show only of few pairs that they are none. N, n and the
numbers of states count no further than the fit went. No number depends on the order of the columns.
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
    *("constant", "rows", "variables", "taking part", "dependence", "density × dependence"),
    *("partial share", "unexplained"),
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
    rows, variables : int
        N and n.
    taking_part : float
        How many variables are associated with any.
    density : float
        u.
    dependence : float
        How strongly pairs are associated: ln of the mean of X² / f, at least 0.
    partial_share : float
        How many pairs are, given all others, by Storey's estimate.
    unexplained : float
        How much of it no edge explains.
    """

    rows: int
    variables: int
    taking_part: float = 0.0
    density: float = 0.0
    dependence: float = 0.0
    partial_share: float = 0.0
    unexplained: float = 0.0


def table_numbers(
    data: Dataset, found: Associations, indirect: Floats, chance: Floats
) -> TableNumbers:
    """Of the pairs i < j of a table; `chance` that each is an edge, by Λ."""
    n, (first, second) = data.n, np.triu_indices(data.n, 1)
    strongest = np.full(n, -np.inf)
    np.maximum.at(strongest, first, found.marginal)
    np.maximum.at(strongest, second, found.marginal)
    part = sigmoid(strongest - _ASSOCIATED)
    each, taking_part = part[first] * part[second], max(math.fsum(part.tolist()), 1.0)
    pairs = math.fsum(each.tolist())

    def total(of: Floats) -> float:
        return math.fsum((each * of).tolist())

    degree, more = 2 * total(chance) / taking_part, _MORE_PAIRS
    return TableNumbers(
        data.rows,
        n,
        taking_part,
        degree / (1 + degree),
        math.log(max(1.0, (total(found.ratio) + more) / (pairs + more))),
        (2 * total(found.above.astype(np.float64)) - pairs) / (pairs + more),
        max(_unexplained(found, indirect, 1 - chance, of) for of in (each, np.ones_like(each))),
    )


def _unexplained(found: Associations, indirect: Floats, none: Floats, weight: Floats) -> float:
    """How much is associated of what is no edge by Λ: given all others, or as much as by a path.

    In a sparse network about nothing; much where edges are many and weak, or a cause is hidden.
    """
    near, weighed = (found.marginal > 0) & (indirect > -_NEAR_PATH), none * weight
    share = math.fsum(weighed[near].tolist()) / (math.fsum(weight.tolist()) + _MORE_PAIRS)
    given = math.fsum((weighed * found.partial_ratio).tolist()) + _MORE_PAIRS
    return max(0.0, math.log(given / (math.fsum(weighed.tolist()) + _MORE_PAIRS))) + 2 * share


def map_to_probabilities(
    data: Dataset, table: TableNumbers, evidence: tuple[Floats, ...], added: Floats
) -> Floats:
    """The probability of each pair i < j, by what is known of it; `added` are other prior odds."""
    return probabilities(terms(data, table, evidence), coefficients(), caution(table), added)


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
        math.log(float(np.clip(table.variables, *VARIABLES)) / 30),
        math.log(float(np.clip(table.taking_part, *VARIABLES)) / 30),
        table.dependence,
        table.density * table.dependence,
        table.partial_share,
        table.unexplained,
    )
    near = np.log1p(shared / _SHARE), np.log(busier + _NEIGHBOUR)
    of_pair = (np.minimum(models, 0.0), models, test, of_states * partial, indirect, *near)
    columns = [np.broadcast_to(of, len(of_states)) for of in (*of_table, *of_pair)]
    return np.column_stack(columns)


def caution(table: TableNumbers) -> float:
    """How much negative ln odds count in a table."""
    return 1.0 - 0.5 * min(max((table.unexplained - _LITTLE) / (_MUCH - _LITTLE), 0.0), 1.0)


def saturated(odds: Floats) -> Floats:
    """s(v): as v near 0, and hardly more than its logarithm far from it."""
    held = np.clip(odds, -_MOST, _MOST)
    found: Floats = np.sign(held) * _KNEE * np.log1p(np.abs(held) / _KNEE)
    return found


def probabilities(
    features: Floats, weights: Floats, against: float, added: Floats | float = 0.0
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
