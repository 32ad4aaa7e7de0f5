"""Whether several Markov chains agree (R̂ and effective sample size, by ArviZ), and their mean.

The number of edges, the score and every edge that some draws have and others lack are compared
between the chains. Of each quantity the rank-normalised split R̂ and the bulk effective sample size
are computed; the worst are reported, because a chain is as good as what it knows least.

References
----------
Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and
localization: an improved R̂ for assessing convergence of MCMC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.confidence.chains import Chain, Tally
from bjp_engine.dataset import Name
from bjp_engine.records import record

# What Vehtari and others ask for: R̂ below 1.01, and 100 effective draws a chain.
HIGHEST_RHAT, LEAST_ESS = 1.01, 100
# ArviZ takes a millisecond a quantity; of more edges than these the most doubtful are compared.
MOST_EDGES = 1000
# Halved, a chain must still have a variance.
LEAST_DRAWS = 8


@record
@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How well several chains agree.

    Parameters
    ----------
    chains : int
    draws : int
        Of each chain, after warm-up.
    rhat : float or None
        The worst rank-normalised R̂; None where nothing varied, or draws are too few.
    rhat_of : str
        What it is of: "edges" (their number), "score", or a pair as "x - y".
    ess : float or None
        The worst bulk effective sample size.
    ess_of : str
    watched : int
        How many quantities varied and were compared.
    stuck : int
        Those among them of which every chain keeps a value of its own: R̂ is infinite there.
    swapped : float or None
        The share of accepted exchanges between neighbouring temperatures, the least over chains
        and neighbours; None where there is one temperature.
    hottest : float
        The least inverse temperature, 0 where it reaches the uniform distribution over graphs.
    """

    chains: int
    draws: int
    rhat: float | None
    rhat_of: str
    ess: float | None
    ess_of: str
    watched: int
    stuck: int
    swapped: float | None = None
    hottest: float = 1.0

    @property
    def converged(self) -> bool:
        """Whether the chains agree: R̂ ≤ 1.01 and at least 100 effective draws per chain."""
        if self.stuck or self.draws < LEAST_DRAWS:
            return False
        if self.rhat is None or self.ess is None:
            return True
        return self.rhat <= HIGHEST_RHAT and self.ess >= LEAST_ESS * self.chains

    @property
    def summary(self) -> str:
        """The numbers in a sentence or two, as plain text."""
        if self.rhat is not None and self.ess is not None:
            text = (
                f"R̂ = {self.rhat:.3f} at worst (of {_named(self.rhat_of)}), effective sample size "
                f"{self.ess:,.0f} at least (of {_named(self.ess_of)}), over {self.chains} "
                f"chain{'s' * (self.chains != 1)}."
            )
        elif self.watched:
            text = "R̂ and effective sample size cannot be computed."
        else:
            text = "Nothing varied between the draws."
        if self.stuck:
            what = "quantity" if self.stuck == 1 else "quantities"
            text += f" In {self.stuck:,} {what} each chain is stuck at a value of its own."
        return text


def _named(quantity: str) -> str:
    return {"edges": "the number of edges", "score": "the score"}.get(quantity, quantity)


def diagnose(chains: Sequence[Chain], names: tuple[Name, ...]) -> Diagnostics:
    """Compare what several chains drew."""
    varied, labels = _varied([chain.tally for chain in chains], names)
    halves = varied.shape[1] // 2
    still = np.ptp(varied[:, :halves], axis=1) + np.ptp(varied[:, -halves:], axis=1) == 0
    stuck = still.all(axis=0)
    rhat, ess = _measures(varied[..., ~stuck])
    moving = [label for label, is_stuck in zip(labels, stuck, strict=True) if not is_stuck]
    worst, least = (int(rhat.argmax()), int(ess.argmin())) if moving else (0, 0)
    accepted = [chain.ladder.least_accepted() for chain in chains]
    return Diagnostics(
        len(chains),
        varied.shape[1],
        float(rhat[worst]) if moving else None,
        moving[worst] if moving else "",
        float(ess[least]) if moving else None,
        moving[least] if moving else "",
        len(labels),
        int(stuck.sum()),
        min((share for share in accepted if share is not None), default=None),
        max(float(chain.ladder.betas[-1]) for chain in chains),
    )


def _varied(tallies: Sequence[Tally], names: tuple[Name, ...]) -> tuple[Floats, list[str]]:
    """The quantities that varied, shape (chains, draws, quantities), and what each is called."""
    made = min(tally.made for tally in tallies)
    rows, columns = np.triu_indices(len(names), 1)
    packed = np.stack([tally.present[:made] for tally in tallies])
    present = np.unpackbits(packed, axis=2, count=len(rows))
    share = present.mean(axis=(0, 1))
    doubtful = np.argsort(-share * (1 - share), kind="stable")[:MOST_EDGES]
    doubtful = np.sort(doubtful[(share[doubtful] > 0) & (share[doubtful] < 1)])
    totals = {
        "edges": np.stack([tally.edges[:made] for tally in tallies]),
        "score": np.stack([tally.score[:made] for tally in tallies]),
    }
    varied = {name: total for name, total in totals.items() if np.ptp(total) > 0}
    labels = [*varied, *(f"{names[rows[p]]} - {names[columns[p]]}" for p in doubtful)]
    found = [*varied.values(), *np.moveaxis(present[..., doubtful], 2, 0).astype(np.float64)]
    return np.stack(found, axis=2) if found else np.empty((len(tallies), made, 0)), labels


def _measures(varied: Floats) -> tuple[Floats, Floats]:
    """R̂ and effective sample size of each quantity."""
    if not varied.shape[2]:
        return np.empty(0), np.empty(0)
    # Brings the statistics of scipy along, which takes a second.
    from arviz_stats.base import array_stats

    # Folded at its median, an edge that half of the draws have is constant, and is not folded.
    with np.errstate(invalid="ignore", divide="ignore"):
        rhat = array_stats.rhat(varied, chain_axis=0, draw_axis=1)
        ess = array_stats.ess(varied, chain_axis=0, draw_axis=1, method="bulk")
    return np.asarray(rhat, dtype=np.float64), np.asarray(ess, dtype=np.float64)


def pool(tallies: Sequence[Tally], n: int) -> tuple[Floats, Floats]:
    """The mean probability of each pair over all chains, and its Monte Carlo standard error."""
    chance = np.stack([tally.chance for tally in tallies])
    tried = np.stack([tally.tried for tally in tallies])
    mean = chance.sum(axis=(0, 1)) / np.maximum(tried.sum(axis=(0, 1)), 1)
    never = tried.sum(axis=(0, 1)) == 0
    if never.any():
        # How often each pair was an edge.
        m = len(never)
        drawn = [np.unpackbits(t.present[: t.made], axis=1, count=m) for t in tallies]
        mean[never] = np.concatenate(drawn).mean(axis=0)[never]
    error = np.maximum(
        _spread(np.concatenate(chance), np.concatenate(tried), mean),
        _spread(chance.sum(axis=1), tried.sum(axis=1), mean),
    )
    return _matrix(np.clip(mean, 0.0, 1.0), n), _matrix(error, n)


def _spread(chance: Floats, tried: Floats, mean: Floats) -> Floats:
    """The standard error of a mean of parts, each weighted by how often a pair was tried in it."""
    parts = (tried > 0).sum(axis=0)
    weight = tried / np.maximum(tried.sum(axis=0), 1)
    off = chance / np.maximum(tried, 1) - mean
    more = parts / np.maximum(parts - 1, 1)
    spread: Floats = np.sqrt((weight**2 * off**2).sum(axis=0) * more)
    return spread


def _matrix(values: Floats, n: int) -> Floats:
    """Values of pairs as a symmetric matrix."""
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = values
    return matrix + matrix.T
