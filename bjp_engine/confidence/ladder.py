"""Inverse temperatures of copies that exchange their graphs, so that no copy stays in one mode.

A copy at inverse temperature β draws from the score to the power of β: at 1 from the posterior, at
0 from all graphs alike. Copies at neighbouring temperatures exchange their graphs so that each
keeps its distribution, and a graph that leads out of a mode arrives at β = 1 from the warm end.

Exchanges work best where each pair of neighbours refuses about half of them (Syed and others 2022).
The sum of refusals up to β, the barrier Λ(β), hardly depends on how the ladder is spaced; the next
ladder has its steps at equal distances in it. With too few copies for the way to β = 0 it ends
above, so that at most two thirds are refused.

References
----------
Geyer (1991), Markov chain Monte Carlo maximum likelihood.
Syed, Bouchard-Côté, Deligiannidis & Doucet (2022), Non-reversible parallel tempering.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.arrays import Floats

# The first ladder stays where graphs are like those of the posterior, and cost as much.
_FIRST_RATIO = 0.8
_REFUSED = 2 / 3
# Below this a copy may as well draw from all graphs alike.
_WARM_ENOUGH = 0.01


class Ladder:
    """Inverse temperatures, and how often neighbours refused to exchange.

    Parameters
    ----------
    copies : int
        T, 1 or more.

    Attributes
    ----------
    betas : ndarray of float, shape (T,)
        From 1 downward; changed in place.
    refused, asked : ndarray of float, shape (T - 1,)
        Sums of the probability of refusal, and of exchanges tried.
    """

    def __init__(self, copies: int) -> None:
        """Begin close to the posterior."""
        self.betas = np.power(_FIRST_RATIO, np.arange(copies, dtype=np.float64))
        self.refused, self.asked = np.zeros(copies - 1), np.zeros(copies - 1)

    def forget(self, share: float = 1.0) -> None:
        """Let what was refused until now count less, or not at all."""
        self.refused *= 1 - share
        self.asked *= 1 - share

    def respace(self) -> None:
        """Space the ladder anew by what was refused."""
        if len(self.betas) > 1:
            self.betas[:] = respaced(self.betas, self.refused / np.maximum(self.asked, 1))
            self.forget(0.5)

    def swapped(self) -> float | None:
        """The least share of accepted exchanges between neighbours; None where there were none."""
        asked = self.asked > 0
        if not asked.any():
            return None
        return float(1 - (self.refused[asked] / self.asked[asked]).max())


def respaced(ladder: Floats, refused: Floats) -> Floats:
    """The next ladder, from how often neighbours refused to exchange."""
    steps = len(ladder)
    barrier = np.concatenate([[0.0], np.cumsum(np.maximum(refused, 1e-3))])
    reach = _REFUSED * (steps - 1)
    if barrier[-1] > reach:
        return np.interp(np.linspace(0.0, reach, steps), barrier, ladder)
    # Further on by the slope of the last step, but no more than halfway to 0 at a time.
    slope = (barrier[-1] - barrier[-2]) / max(ladder[-2] - ladder[-1], 1e-12)
    end = max(ladder[-1] - (reach - barrier[-1]) / slope, ladder[-1] / 2)
    longer = np.append(ladder, end if end > _WARM_ENOUGH else 0.0)
    barrier = np.append(barrier, barrier[-1] + slope * (ladder[-1] - longer[-1]))
    return np.interp(np.linspace(0.0, barrier[-1], steps), barrier, longer)
