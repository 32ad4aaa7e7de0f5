"""Whether several Markov chains tell the same: R̂ and the effective sample size, by ArviZ.

Watched are the number of edges, the score and every edge that some draws have and others lack.
Of each the rank-normalised split R̂ and the bulk effective sample size are computed; the worst are
reported, because a chain is as good as what it knows least.

References
----------
Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and
localization: an improved R̂ for assessing convergence of MCMC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.confidence.tally import Chain
from bjp_engine.dataset import Name

# What Vehtari and others ask for: R̂ below 1.01, and 100 effective draws a chain.
HIGHEST_RHAT, LEAST_ESS = 1.01, 100
# ArviZ takes a millisecond a quantity; more edges than these are not watched one by one.
MOST_EDGES = 1000
# Halved, a chain must still have a variance.
LEAST_DRAWS = 8


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How well several chains agree.

    Parameters
    ----------
    draws : int
        Of each chain, after warm-up.
    rhat : float or None
        The worst rank-normalised R̂; None where nothing varied, or draws are too few.
    rhat_of : str
        What it is of: "edges" (their number), "score", or a pair as "x - y".
    ess : float or None
        The worst bulk effective sample size.
    watched : int
        How many quantities varied and were watched.
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
        """Whether nothing speaks against the chains: R̂ ≤ 1.01 and 100 effective draws a chain."""
        if self.stuck or self.draws < LEAST_DRAWS:
            return False
        if self.rhat is None or self.ess is None:
            return True
        return self.rhat <= HIGHEST_RHAT and self.ess >= LEAST_ESS * self.chains


def diagnose(chains: Sequence[Chain], names: tuple[Name, ...]) -> Diagnostics:
    """Compare what several chains drew."""
    watched, labels = _watched(chains, names)
    halves = watched.shape[1] // 2
    still = np.ptp(watched[:, :halves], axis=1) + np.ptp(watched[:, -halves:], axis=1) == 0
    stuck = still.all(axis=0)
    rhat, ess = _measures(watched[..., ~stuck])
    moving = [label for label, is_stuck in zip(labels, stuck, strict=True) if not is_stuck]
    worst, least = (int(rhat.argmax()), int(ess.argmin())) if moving else (0, 0)
    swapped = [chain.ladder.swapped() for chain in chains]
    return Diagnostics(
        len(chains),
        watched.shape[1],
        float(rhat[worst]) if moving else None,
        moving[worst] if moving else "",
        float(ess[least]) if moving else None,
        moving[least] if moving else "",
        len(labels),
        int(stuck.sum()),
        min((share for share in swapped if share is not None), default=None),
        max(float(chain.ladder.betas[-1]) for chain in chains),
    )


def _watched(
    chains: Sequence[Chain], names: tuple[Name, ...]
) -> tuple[NDArray[np.float64], list[str]]:
    """What varies, shape (chains, draws, quantities), and what each is called."""
    tallies = [chain.tally for chain in chains]
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
    return np.stack(found, axis=2) if found else np.empty((len(chains), made, 0)), labels


def _measures(watched: NDArray[np.float64]) -> tuple[Floats, Floats]:
    """R̂ and effective sample size of each quantity."""
    if not watched.shape[2]:
        return np.empty(0), np.empty(0)
    # Brings the statistics of scipy along, which takes a second.
    from arviz_stats.base import array_stats

    # Folded at its median, an edge that half of the draws have is constant, and is not folded.
    with np.errstate(invalid="ignore", divide="ignore"):
        rhat = array_stats.rhat(watched, chain_axis=0, draw_axis=1)
        ess = array_stats.ess(watched, chain_axis=0, draw_axis=1, method="bulk")
    return np.asarray(rhat, dtype=np.float64), np.asarray(ess, dtype=np.float64)
