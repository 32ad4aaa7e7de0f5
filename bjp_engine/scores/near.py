"""Near blankets: BJP given no more than separates. Our extension of the paper, not the paper's.

The variables are sorted by degree and each pair is tested once, from the end x that comes first in
ψ, as in BJP. But the test conditions on those neighbours of x alone through which y can be reached,

    Z(x, y) = (B^x ∩ the component of y in G without x) without y.

They separate x from y as B^x does, and are often far fewer (docs/theory.md §3).
Symbols: the component = `Board.ways`, Z(x, y) = `AssertionTerms.given`.
"""

from __future__ import annotations

from bjp_engine.scores.assertions import AssertionScore


class NearBlankets(AssertionScore):
    """Each pair is computed as by BJP, given the neighbours through which it can be reached."""

    name = "near"
    title = "Near blankets"
    cited = (
        "near blankets, a variant of the Blankets Joint Posterior (BJP; Schlüter et al., "
        "arXiv:1608.02315) that conditions only on neighbours through which the other variable "
        "can be reached"
    )
    both_ends = False
    near_only = True
