"""How sure it is of each pair of variables that it is an edge, asked in three ways.

`test_confidence` looks at one graph's tests, `bootstrap` at graphs learned from resampled rows,
`posterior_edges` at all graphs, weighted by their score. All hand on an `EdgeConfidence`.
"""

from bjp_engine.confidence.bootstrap import bootstrap
from bjp_engine.confidence.diagnostics import Diagnostics
from bjp_engine.confidence.edges import Edge, EdgeConfidence, Ended
from bjp_engine.confidence.mcmc import ChainOptions, posterior_edges
from bjp_engine.confidence.posterior import confidence_of_trace, test_confidence

__all__ = [
    "ChainOptions",
    "Diagnostics",
    "Edge",
    "EdgeConfidence",
    "Ended",
    "bootstrap",
    "confidence_of_trace",
    "posterior_edges",
    "test_confidence",
]
