"""Structure learning by scikit-learn's conventions.

This package imports scikit-learn; `bjp_engine` imports this package when `BlanketLearner` is
first asked for.
"""

from __future__ import annotations

from bjp_engine.estimator.learner import BlanketLearner

__all__ = ["BlanketLearner"]
