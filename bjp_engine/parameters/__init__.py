"""Parameters for a learned graph, so that it gives probabilities (docs/theory.md §11).

A fitted network is p(x) ∝ Π_C φ_C(x_C) with a factor for each maximal clique C: by the theorem
of Hammersley and Clifford these are all positive distributions whose Markov network is the graph
or a part of it. Given evidence on some variables, it gives the probabilities of the others.
"""

from __future__ import annotations

from bjp_engine.parameters.fit import Estimate, fit_parameters
from bjp_engine.parameters.held_out import predict_variables
from bjp_engine.parameters.imputation import Imputed, impute, pool_effects
from bjp_engine.parameters.inference import count_given
from bjp_engine.parameters.network import FittedNetwork

__all__ = [
    "Estimate",
    "FittedNetwork",
    "Imputed",
    "count_given",
    "fit_parameters",
    "impute",
    "pool_effects",
    "predict_variables",
]
