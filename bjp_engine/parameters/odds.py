"""Log odds ratios of several tables together, by pairs of rows (docs/theory/effects.md).

Two rows of one slice, the first with the states s of x and t of y, the second with s' and t', can
also be matched the other way round, (s, t') and (s', t). Given which states of x and which of y the
two have, whatever the slice and its margins,

    Pr(as they are) = 1 / (1 + exp(-λ)),    λ = u(s, t) + u(s', t') - u(s, t') - u(s', t),

so pairs of rows show log odds ratios and nothing else (Liang & Qin 2000). With weights 1 / n_a for
the n_a rows of a slice, M(st, s't') = Σ_a n_a(s, t) n_a(s', t') / n_a counts them, and one λ for
all is found where

    Σ z [M(st, s't') σ(-z λ) - M(st', s't) σ(z λ)] = 0,    z = (s' - s)(t' - t),

over all pairs of states s < s', t < t'. For two states each that is Mantel & Haenszel's (1959)
ln (M(11, 00) / M(01, 10)); in one table it is the log odds ratio. A pair of rows that agree on x or
on y has no information, hence neither has a slice in which one of the two does not vary.

The variance of the left side U is estimated without bias, for few large slices as for many small
ones, since pairs without a common row are independent: with g_ij what the pair ij adds to U,

    Var U = Σ_a n_a⁻² [Σ_i (Σ_j g_ij)² - Σ_{i<j} g_ij²].

For two states each Robins, Breslow & Greenland's (1986) is as consistent, and less small where rows
are few: half of the first sum, and half of the same by the pairs that go the other way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bjp_engine.arrays import Floats, Ints, blocks

# Rows that are added where the states of a pair of variables only ever go one way, so that no
# finite number fits: for two states each half a row to every cell (Haldane 1956).
ADDED_ROWS = 2.0
MOST_STEPS, TOLERANCE = 100, 1e-11
_SMALLEST = 1e-300


@dataclass(frozen=True, eq=False)
class Quads:
    """All pairs of states of x with all of y, in tables of shape (r_x, r_y) that are laid flat.

    Each array has shape (Q,): the cells of both ways to match them, first the way along which both
    variables rise or fall, and the steps z between them, 1 where each pair has a number of its own.
    """

    straight: tuple[Ints, Ints]
    crossed: tuple[Ints, Ints]
    steps: Floats
    scaled: bool

    @staticmethod
    def of(x: Floats, y: Floats, *, scaled: bool) -> Quads:
        """Of variables whose states have these places; `scaled` if one number fits them all."""
        (s, s2), (t, t2) = (np.triu_indices(len(places), 1) for places in (x, y))
        times = len(t), len(s)
        s, s2 = (np.repeat(part, times[0]) for part in (s, s2))
        t, t2 = (np.tile(part, times[1]) for part in (t, t2))
        z = (x[s2] - x[s]) * (y[t2] - y[t]) if scaled else np.ones(len(s))
        t, t2 = np.where(z > 0, t, t2), np.where(z > 0, t2, t)
        r = len(y)
        return Quads((s * r + t, s2 * r + t2), (s * r + t2, s2 * r + t), np.abs(z), scaled)

    def ways(self, pairs: Floats) -> tuple[Floats, Floats]:
        """Of pairs of cells those of both ways of each pair of states."""
        return pairs[self.straight], pairs[self.crossed]

    def effect(self, values: Floats) -> float:
        """What log odds ratios come to: the one of all, or the root mean square of those known."""
        if self.scaled:
            return float(values[0])
        known = values[~np.isnan(values)]
        return float(np.sqrt(np.mean(known**2))) if len(known) else np.nan


def informative_pairs(tables: Floats) -> Floats:
    """How many pairs of rows differ in both variables, of tables (…, r_x, r_y), shape (…)."""
    cells = (tables**2).sum(axis=(-2, -1))
    rows, columns = ((tables.sum(axis=k) ** 2).sum(axis=-1) for k in (-1, -2))
    return np.asarray((tables.sum(axis=(-2, -1)) ** 2 - rows - columns + cells) / 2)


@dataclass(frozen=True, eq=False)
class Association:
    """How x and y go together in the slices of a table, shape (K, r_x, r_y).

    Slices count by `weights`, shape (K,), in place of their rows; 0 leaves one out.
    """

    tables: Floats
    quads: Quads
    weights: Floats | None = None

    @cached_property
    def is_informative(self) -> bool:
        """Whether any pair of rows differs in both variables."""
        return bool(self._informative.any())

    @cached_property
    def is_finite(self) -> bool:
        """Whether rows go both ways, so that some finite number fits them best."""
        flat = self.tables.reshape(len(self.tables), -1)
        shown = np.where(self._informative[:, None] > 0, flat, 0)
        straight, crossed = (way > 0 for way in self.quads.ways(shown.T @ shown))
        if self.quads.scaled:
            return bool(straight.any() and crossed.any())
        return bool((straight & crossed).any())

    @cached_property
    def effect(self) -> float:
        """What its log odds ratios come to, NaN if no row shows it."""
        return self.quads.effect(self.log_odds)

    @property
    def missing_share(self) -> float:
        """Of the pairs of states that rows show, the share whose log odds ratio is infinite."""
        straight, crossed = self._counted
        shown = straight + crossed > 0
        return float(np.mean(np.isnan(self.log_odds[shown]))) if shown.any() else 0.0

    @cached_property
    def log_odds(self) -> Floats:
        """λ of all, shape (1,); or of each pair of states, NaN where rows don't go both ways."""
        straight, crossed = self._counted
        if not self.quads.scaled:
            known = (straight > 0) & (crossed > 0)
            logs = np.log(np.maximum(straight, _SMALLEST) / np.maximum(crossed, _SMALLEST))
            return np.where(known, logs, np.nan)
        return np.array([self._slope(straight, crossed) if self.is_informative else np.nan])

    @cached_property
    def variances(self) -> Floats:
        """Of each value, the same shape."""
        return self._moments[1]

    def change(self, noise: Floats) -> Floats:
        """By how much the values change, to first order, with changes of counts, shape (K, C)."""
        towards, away = self._rates
        shares = noise / self._rows[:, None]
        if self.quads.scaled:
            pull = (shares * self._influence).sum(keepdims=True)[0]
        else:
            pairs = shares.T @ self._flat
            straight, crossed = self.quads.ways(pairs + pairs.T)
            pull = towards * straight - away * crossed
        plain, variance = self._moments
        return np.asarray(pull / self._curvature * np.sqrt(variance / plain))

    @cached_property
    def spread(self) -> float:
        """The standard deviation of λ between slices beyond chance (DerSimonian & Laird 1986)."""
        if not self.is_finite:
            return 0.0
        excess = scale = 0.0
        both = ~np.isnan(np.broadcast_to(self.log_odds, self.quads.steps.shape))
        for block, (n00, n11, n01, n10) in self._corners():
            known = (n00 * n11 + n01 * n10 > 0) & both[block]
            a, d, b, c = (cell + 0.5 for cell in (n00, n11, n01, n10))
            logs = np.log(a * d / (b * c))
            weights = np.where(known, 1 / (1 / a + 1 / b + 1 / c + 1 / d), 0.0)
            total = np.maximum(weights.sum(axis=0), _SMALLEST)
            centre = (weights * logs).sum(axis=0) / total
            # A single slice has nothing to differ from.
            chance = known.sum(axis=0) - 1
            several = chance > 0
            apart = (weights * (logs - centre) ** 2).sum(axis=0) - chance
            excess += float(apart[several].sum())
            spare = total - (weights**2).sum(axis=0) / total
            scale += float((spare * self.quads.steps[block] ** 2)[several].sum())
        return float(np.sqrt(max(0.0, excess) / scale)) if scale > _SMALLEST else 0.0

    @cached_property
    def added(self) -> Floats:
        """What is added to the counts where no finite number fits, shape (K, C)."""
        shape = len(self.tables), self.tables[0].size
        if self.is_finite or not self.is_informative:
            return np.zeros(shape)
        rows = np.maximum(self.tables.sum(axis=(1, 2)), 1)
        shares = self._informative / rows
        return np.asarray(np.outer(shares / shares.sum(), np.full(shape[1], ADDED_ROWS / shape[1])))

    @cached_property
    def _informative(self) -> Floats:
        pairs = informative_pairs(self.tables)
        return pairs if self.weights is None else np.where(self.weights > 0, pairs, 0.0)

    @cached_property
    def _flat(self) -> Floats:
        """The counts of informative slices with what is added, shape (K, C)."""
        flat = self.tables.reshape(len(self.tables), -1) + self.added
        return np.asarray(np.where(self._informative[:, None] > 0, flat, 0.0))

    @cached_property
    def _rows(self) -> Floats:
        """What pairs of rows of each slice are divided by."""
        rows = np.maximum(self._flat.sum(axis=1), 1)
        return rows if self.weights is None else rows**2 / np.maximum(self.weights, _SMALLEST)

    @cached_property
    def _counted(self) -> tuple[Floats, Floats]:
        """M of both ways of each pair of states."""
        return self.quads.ways((self._flat / self._rows[:, None]).T @ self._flat)

    def _corners(self) -> Iterator[tuple[slice, list[Floats]]]:
        """Some pairs of states at a time: the counts of their cells, straight and crossed."""
        cells = (*self.quads.straight, *self.quads.crossed)
        for block in blocks(len(self.quads.steps), len(self._flat)):
            yield block, [self._flat[:, cell[block]] for cell in cells]

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        """What a pair of rows adds to U by the way it goes, shape (Q,)."""
        z = self.quads.steps
        up = _falling(z * self.log_odds)
        return z * up, z * (1 - up)

    @cached_property
    def _curvature(self) -> Floats:
        straight, crossed = self._counted
        towards, away = self._rates
        each = (straight + crossed) * towards * away
        return each.sum(keepdims=True) if self.quads.scaled else each

    @cached_property
    def _influence(self) -> Floats:
        """Σ_j g_ij of a row in each cell, shape (K, C)."""
        size = self._flat.shape[1]
        pairs = np.zeros((size, size))
        (a, d), (b, c) = self.quads.straight, self.quads.crossed
        towards, away = self._rates
        pairs[a, d] = pairs[d, a] = towards
        pairs[b, c] = pairs[c, b] = -away
        return np.asarray(self._flat @ pairs)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """The variance of each value without and with the part of pairs that share both rows."""
        flat, squares = self._flat, self._rows[:, None] ** 2
        towards, away = self._rates
        straight, crossed = self.quads.ways((flat / squares).T @ flat)
        same = straight * towards**2 + crossed * away**2
        if self.quads.scaled:
            whole, same = (flat * self._influence**2 / squares).sum(keepdims=True)[0], same.sum()
        else:
            pairs = (flat / squares).T @ flat**2
            straight, crossed = self.quads.ways(pairs + pairs.T)
            whole = straight * towards**2 + crossed * away**2
        if not self.is_finite:
            rest = whole  # of added rows no pair is left out
        elif self.quads.scaled and len(self.quads.steps) > 1:
            # In matched pairs the second part is half of the first.
            rest = np.maximum(whole - same, whole / 2)
        else:
            # By the pairs that go the other way (Robins, Breslow & Greenland 1986).
            exchanged = np.zeros(len(towards))
            for block, (a, d, b, c) in self._corners():
                exchanged[block] = (((a + d) * b * c + (b + c) * a * d) / squares).sum(axis=0)
            rest = (whole + exchanged * towards * away) / 2
        scale = np.maximum(self._curvature, _SMALLEST) ** 2
        return whole / scale, rest / scale

    def _slope(self, straight: Floats, crossed: Floats) -> float:
        """Where U is 0, which falls with λ: Newton's method within bounds that close in."""
        z = self.quads.steps
        if np.ptp(z) == 0:
            return float(np.log(straight.sum() / crossed.sum()) / z[0])
        low, high, value = -np.inf, np.inf, 0.0
        for _ in range(MOST_STEPS):
            rate = _falling(z * value)
            height = float((z * (straight * rate - crossed * (1 - rate))).sum())
            low, high = (value, high) if height > 0 else (low, value)
            bend = float((z**2 * (straight + crossed) * rate * (1 - rate)).sum())
            step = float(np.clip(height / max(bend, _SMALLEST), -2, 2))
            if abs(step) < TOLERANCE:
                break
            value = value + step if low < value + step < high else (low + high) / 2
        return value


def _falling(values: Floats) -> Floats:
    """σ(-v), of which nothing overflows."""
    return np.asarray((1 - np.tanh(values / 2)) / 2)
