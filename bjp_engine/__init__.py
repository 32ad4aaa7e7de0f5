"""Structure learning of Markov networks from discrete data: BJP, IB-score and MPL.

A trace goes from room to room: dataset → counts → test posteriors → scores → search. Every
intermediate is a named field, every total the sum of its parts, every log natural.

>>> import bjp_engine as bjp
>>> truth = bjp.networks.load("target-4")
>>> data = bjp.sampling.random_model(truth, seed=1).sample(8000, seed=1)
>>> trace = bjp.learn(data, method="bjp")
>>> bjp.metrics.hamming(truth, trace.graph) <= 5
True
"""

from bjp_engine import metrics, networks, sampling
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, Cancelled, DataError, GraphError, OptionError
from bjp_engine.independence import Slice, TestOptions, TestTrace, independence_test
from bjp_engine.io import read_graph, read_table, trace_json, write_graph
from bjp_engine.scores import (
    AssertionTerm,
    LocalSlice,
    LocalTerm,
    LocalTrace,
    ScoreTrace,
    local_trace,
    score,
)
from bjp_engine.search import (
    Contribution,
    GraphTable,
    SearchTrace,
    Step,
    StopReason,
    Watch,
    all_graphs,
    learn,
    watch,
)
from bjp_engine.warmup import warmup

__version__ = "0.1.0"

__all__ = [
    "AssertionTerm",
    "BJPError",
    "Cancelled",
    "Contribution",
    "DataError",
    "Dataset",
    "GraphError",
    "GraphTable",
    "LocalSlice",
    "LocalTerm",
    "LocalTrace",
    "OptionError",
    "ScoreTrace",
    "SearchTrace",
    "Slice",
    "Step",
    "StopReason",
    "TestOptions",
    "TestTrace",
    "Watch",
    "all_graphs",
    "independence_test",
    "learn",
    "local_trace",
    "metrics",
    "networks",
    "read_graph",
    "read_table",
    "sampling",
    "score",
    "trace_json",
    "warmup",
    "watch",
    "write_graph",
]
