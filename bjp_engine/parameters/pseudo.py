"""Maximum pseudo-likelihood, for any graph (Besag 1975).

The pseudo-likelihood of a row is the product of every variable's probability given all others,
which depends on its blanket only. With θ_C = ln φ_C,

    ln p(x_i = s | x_B) = η_s - ln Σ_t exp(η_t),   η_s = Σ_{C ∋ i} θ_C(x_{C∖i}, s),

and what is maximised is

    Σ_rows Σ_i ln p(x_i | x_{B^i}) - (ridge / 2) Σ_C |θ_C|²,

which is strictly concave. The last part is a Gaussian prior of variance 1 / `ridge` on every
weight: it keeps weights finite, hence probabilities above 0, picks one of the many ways to write
the same distribution as factors, treats all states alike, and fades as N grows.

Rows that agree on x_i's blanket are one row with a count for each state. All variables with the
same number of states are stacked: a sparse matrix picks rows of θ, so one product with it gives
all η, and one with its transpose the gradient, or the Hessian times a vector. With these a
trust-region Newton method with conjugate gradients (Nocedal & Wright 2006, section 7.1) needs
some ten steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bjp_engine.arrays import Floats, Places, columns
from bjp_engine.counts import table_of
from bjp_engine.dataset import Dataset
from bjp_engine.kernels.counting import cells_of_node
from bjp_engine.progress import Descent, Progress
from bjp_engine.sampling.elimination import Scope

# ln φ_C of each scope, and `converged`, `iterations` and `residual` of `FittedNetwork`.
Fit: TypeAlias = tuple[Sequence[Floats], bool, int, float]

# The length of the gradient, for one row.
TOLERANCE = 1e-7
MOST_STEPS = 500
# How far the first step may go.
FIRST_RADIUS = 1.0
# η that are held at once: 8 MB.
MOST_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class _Block:
    """Some variables with r states each, stacked, with M configurations in all."""

    # csr_array of shape (M, R): which of the rows of weights add up to the η of a configuration.
    picks: Any
    places: Places  # shape (R, r): where these weights stand in θ
    # Shape (r, M): numpy adds up along a short last axis many times slower.
    counts: Floats

    @property
    def totals(self) -> Floats:
        """The rows of each configuration, shape (M,)."""
        return np.asarray(self.counts.sum(axis=0))

    def eta(self, theta: Floats) -> Floats:
        """η of every state of every configuration, shape (r, M)."""
        return np.ascontiguousarray((self.picks @ theta[self.places]).T)

    def back(self, change: Floats, length: int) -> Floats:
        """What a change of every η is for θ; a weight stands in a row for each of its variables."""
        rows = self.picks.T @ change.T
        sums = np.bincount(self.places.ravel(), rows.ravel(), length)
        return np.asarray(sums, dtype=np.float64)


class _Surface:
    """Minus what is maximised, for one row: its height, slope and curvature."""

    def __init__(
        self, blocks: Sequence[_Block], ridge: float, rows: int, progress: Progress
    ) -> None:
        self._blocks, self._ridge, self._rows = blocks, ridge, max(1, rows)
        self._descent = Descent(progress, TOLERANCE)
        self._at = np.empty(0)
        self._probabilities: list[Floats] = []

    def height_and_slope(self, theta: Floats) -> tuple[float, Floats]:
        value = self._ridge / 2 * float(theta @ theta)
        gradient = self._ridge * theta
        self._at, self._probabilities = theta.copy(), []
        for block in self._blocks:
            logs = block.eta(theta)
            logs -= logs.max(axis=0)
            logs -= np.log(np.exp(logs).sum(axis=0))
            value -= float((block.counts * logs).sum())
            self._probabilities.append(np.exp(logs))
            expected = block.totals * self._probabilities[-1]
            gradient += block.back(expected - block.counts, len(theta))
        gradient /= self._rows
        self._descent.tick(float(np.linalg.norm(gradient)))
        return value / self._rows, gradient

    def curvature(self, theta: Floats, vector: Floats) -> Floats:
        """The Hessian times a vector."""
        if not np.array_equal(self._at, theta):
            # The step tried last was refused.
            self.height_and_slope(theta)
        product = self._ridge * vector
        for block, p in zip(self._blocks, self._probabilities, strict=True):
            weighted = p * block.eta(vector)
            weighted -= p * weighted.sum(axis=0)
            product += block.back(block.totals * weighted, len(theta))
        return product / self._rows


def fit_by_pseudo_likelihood(
    data: Dataset, scopes: Sequence[Scope], ridge: float, progress: Progress
) -> Fit:
    """The one maximum of the penalised pseudo-likelihood."""
    from scipy.optimize import minimize

    shapes = [[data.cardinalities[i] for i in scope] for scope in scopes]
    # Where the weights of each scope begin in one vector of all; the length comes last.
    starts = np.cumsum([0, *map(math.prod, shapes)])
    blocks = [*_blocks(data, scopes, starts, progress)]
    surface = _Surface(blocks, ridge, data.rows, progress)
    found = minimize(
        surface.height_and_slope,
        np.zeros(starts[-1]),
        (),
        "trust-ncg",
        jac=True,
        hessp=surface.curvature,
        options={"gtol": TOLERANCE, "maxiter": MOST_STEPS, "initial_trust_radius": FIRST_RADIUS},
    )
    residual = float(np.linalg.norm(found.jac))
    pieces = zip(np.split(found.x, starts[1:-1]), shapes, strict=True)
    log_tables = [piece.reshape(shape) for piece, shape in pieces]
    return log_tables, residual <= TOLERANCE, int(found.nit), residual


def _blocks(
    data: Dataset, scopes: Sequence[Scope], starts: Places, progress: Progress
) -> Iterator[_Block]:
    """The variables by number of states, as many at a time as memory allows."""
    parts: list[_Block] = []
    for i in sorted(range(data.n), key=lambda i: data.cardinalities[i]):
        progress.tick()
        part = _one_variable(data, i, scopes, starts)
        same = parts and len(parts[0].counts) == len(part.counts)
        held = sum(other.counts.size for other in parts) + part.counts.size
        if parts and not (same and held <= MOST_AT_ONCE):
            yield _stack(parts)
            parts = []
        parts.append(part)
    yield _stack(parts)


def _one_variable(data: Dataset, i: int, scopes: Sequence[Scope], starts: Places) -> _Block:
    """The configurations of a blanket, the weights that each picks, and the counts."""
    from scipy.sparse import csr_array

    mine = [k for k, scope in enumerate(scopes) if i in scope]
    members = sorted({j for k in mine for j in scopes[k]} - {i})
    first, keys, found = cells_of_node(table_of(data), i, columns(members))
    size, r = len(first), data.cardinalities[i]
    counts = np.zeros(size * r)
    counts[keys] = found
    configurations = {j: data.codes[first, j] for j in members}
    picked, places, width = [], [], 0
    for k in mine:
        shape = tuple(data.cardinalities[j] for j in scopes[k])
        rest = tuple(j for j in scopes[k] if j != i)
        cells = np.moveaxis(np.arange(np.prod(shape)).reshape(shape), scopes[k].index(i), -1)
        chosen = np.zeros(size, dtype=np.intp)
        for j in rest:
            chosen = chosen * data.cardinalities[j] + configurations[j]
        picked.append(chosen + width)
        places.append(starts[k] + cells.reshape(-1, r))
        width += len(places[-1])
    ends = np.arange(0, size * len(mine) + 1, len(mine))
    chosen = np.stack(picked, axis=1).ravel()
    picks = csr_array((np.ones(len(chosen)), chosen, ends), (size, width))
    by_state = np.ascontiguousarray(counts.reshape(size, r).T)
    return _Block(picks, np.concatenate(places), by_state)


def _stack(parts: Sequence[_Block]) -> _Block:
    from scipy.sparse import block_diag, csr_array

    return _Block(
        csr_array(block_diag([part.picks for part in parts], format="csr")),
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.counts for part in parts], axis=1),
    )
