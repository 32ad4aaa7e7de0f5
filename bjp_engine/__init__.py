"""Structure learning of Markov networks from discrete data: BJP, IB-score and MPL.

A trace goes from room to room: dataset → counts → test posteriors → scores → search. Every
intermediate is a named field, every total the sum of its parts, every log natural.

>>> import bjp_engine as bjp
>>> truth = bjp.networks.load("target-4")
>>> data = bjp.sampling.random_model(truth, seed=1).sample(8000, seed=1)
>>> trace = bjp.learn(data, search="ibmap-hc")
>>> bjp.metrics.hamming(truth, trace.graph) <= 5
True
"""

from typing import TYPE_CHECKING

from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, Cancelled, DataError, GraphError, OptionError
from bjp_engine.growth import GrowthTrace, posterior_growth, subsample
from bjp_engine.independence import Slice, TestOptions, TestTrace, independence_test
from bjp_engine.scores import (
    AssertionTerm,
    ChangeKind,
    LocalSlice,
    LocalTerm,
    LocalTrace,
    ScoreChange,
    ScoreTrace,
    SparedTests,
    StructurePrior,
    TermChange,
    local_trace,
    score,
    score_change,
    spared_tests,
)
from bjp_engine.search import (
    Contribution,
    GraphTable,
    Progress,
    SearchTrace,
    Step,
    StopReason,
    all_graphs,
    iter_steps,
    learn,
    learn_all,
)
from bjp_engine.warmup import warmup

if TYPE_CHECKING:
    from bjp_engine import experiments, health, metrics, networks, preparation, sampling
    from bjp_engine.classical import ClassicalSlice, ClassicalTrace, classical_test
    from bjp_engine.confidence import (
        EdgeConfidence,
        bootstrap,
        posterior_edges,
        test_confidence,
    )
    from bjp_engine.estimator import BlanketLearner
    from bjp_engine.io import read_graph, read_table, trace_json, write_graph
    from bjp_engine.parameters import (
        Comparison,
        Difference,
        FittedNetwork,
        HeldOut,
        cross_validate,
        fit_parameters,
        held_out,
    )
    from bjp_engine.preparation import prepare

__version__ = "0.1.0"

__all__ = [
    "AssertionTerm",
    "BJPError",
    "BlanketLearner",
    "Cancelled",
    "ChangeKind",
    "ClassicalSlice",
    "ClassicalTrace",
    "Comparison",
    "Contribution",
    "DataError",
    "Dataset",
    "Difference",
    "EdgeConfidence",
    "FittedNetwork",
    "GraphError",
    "GraphTable",
    "GrowthTrace",
    "HeldOut",
    "LocalSlice",
    "LocalTerm",
    "LocalTrace",
    "OptionError",
    "Progress",
    "ScoreChange",
    "ScoreTrace",
    "SearchTrace",
    "Slice",
    "SparedTests",
    "Step",
    "StopReason",
    "StructurePrior",
    "TermChange",
    "TestOptions",
    "TestTrace",
    "all_graphs",
    "bootstrap",
    "classical_test",
    "cross_validate",
    "experiments",
    "fit_parameters",
    "health",
    "held_out",
    "independence_test",
    "iter_steps",
    "learn",
    "learn_all",
    "local_trace",
    "metrics",
    "networks",
    "posterior_edges",
    "posterior_growth",
    "preparation",
    "prepare",
    "read_graph",
    "read_table",
    "sampling",
    "score",
    "score_change",
    "spared_tests",
    "subsample",
    "test_confidence",
    "trace_json",
    "warmup",
    "write_graph",
]

# Loaded when first asked for: who learns from an array needs none of them.
_LATE = {
    "BlanketLearner": "bjp_engine.estimator",
    "ClassicalSlice": "bjp_engine.classical",
    "ClassicalTrace": "bjp_engine.classical",
    "Comparison": "bjp_engine.parameters",
    "Difference": "bjp_engine.parameters",
    "EdgeConfidence": "bjp_engine.confidence",
    "FittedNetwork": "bjp_engine.parameters",
    "HeldOut": "bjp_engine.parameters",
    "bootstrap": "bjp_engine.confidence",
    "classical_test": "bjp_engine.classical",
    "confidence": "bjp_engine.confidence",
    "cross_validate": "bjp_engine.parameters",
    "experiments": "bjp_engine.experiments",
    "fit_parameters": "bjp_engine.parameters",
    "health": "bjp_engine.health",
    "held_out": "bjp_engine.parameters",
    "io": "bjp_engine.io",
    "metrics": "bjp_engine.metrics",
    "networks": "bjp_engine.networks",
    "posterior_edges": "bjp_engine.confidence",
    "preparation": "bjp_engine.preparation",
    "prepare": "bjp_engine.preparation",
    "read_graph": "bjp_engine.io",
    "read_table": "bjp_engine.io",
    "sampling": "bjp_engine.sampling",
    "test_confidence": "bjp_engine.confidence",
    "trace_json": "bjp_engine.io",
    "write_graph": "bjp_engine.io",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """A module of the engine, or a function of `bjp_engine.io`."""
        from importlib import import_module

        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        module = import_module(_LATE[name])
        found = module if _LATE[name].endswith(f".{name}") else getattr(module, name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """Every name, loaded or not."""
        return sorted({*globals(), *_LATE})
