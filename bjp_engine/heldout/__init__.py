"""How well a graph predicts rows it has not seen: structures compared without a truth.

The measure is the held-out pseudo-log-likelihood, the mean over rows of
Σ_i ln Pr(x_i | all other variables), with parameters fitted to other rows (SPEC section 11).
"""

from __future__ import annotations

from bjp_engine.heldout.folds import Comparison, Difference, cross_validate
from bjp_engine.heldout.one import HeldOut, held_out, pseudo_log_likelihood

__all__ = [
    "Comparison",
    "Difference",
    "HeldOut",
    "cross_validate",
    "held_out",
    "pseudo_log_likelihood",
]
