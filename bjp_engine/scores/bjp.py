"""BJP, the Blankets Joint Posterior (Schlüter, Strappa, Milone & Bromberg, arXiv 1608.02315).

Pr(G | D) is the joint posterior of the n blankets. By the chain rule it is a product in which
each blanket is scored given the ones before it (eq. jointBlankets2); with the variables sorted
by ascending degree, ψ, the assertion on (ψ_i, ψ_k) is

- computed with the blanket of ψ_i where i < k (eqs. ciPosterior, cdPosterior),
- inferred as 1 where i > k: it was settled from the other end, by the smaller blanket.

So half of the tests are never made, and they are those of the largest conditioning sets.
Symbols: ψ = `degree_order`, B^x = `blanket`, computed (ψ_i, ψ_k) = `computed[ψ_i, ψ_k]`.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.graph import Adjacency, degree_order
from bjp_engine.scores.assertions import AssertionScore


class BJP(AssertionScore):
    """Each pair is computed once, from the end that comes first in ψ."""

    name = "bjp"
    title = "BJP"
    both_ends = False

    def computed(self, adjacency: Adjacency) -> Bools:
        """Which assertions are computed."""
        order = degree_order(adjacency)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        return np.less.outer(position, position)
