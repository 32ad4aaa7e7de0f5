"""BJP, the Blankets Joint Posterior (Schlüter, Strappa, Milone & Bromberg, arXiv 1608.02315).

Pr(G | D) is the joint posterior of the n blankets. By the chain rule it is a product in which
each blanket is scored given the ones before it (eq. jointBlankets2); with the variables sorted
by ascending degree, ψ, the assertion on (ψ_i, ψ_k) is

- computed with the blanket of ψ_i where i < k (eqs. ciPosterior, cdPosterior),
- inferred as 1 where i > k: it was settled from the other end, by the smaller blanket.

So half of the tests are never made, and they are those of the largest conditioning sets.
Symbols: ψ = `degree_order`, B^x = `blanket`, computed = `AssertionScore.computed`.
"""

from __future__ import annotations

from bjp_engine.scores.assertions import AssertionScore


class BJP(AssertionScore):
    """Each pair is computed once, from the end that comes first in ψ."""

    name = "bjp"
    title = "BJP"
    cited = "the Blankets Joint Posterior (BJP; Schlüter et al., arXiv:1608.02315)"
    both_ends = False
