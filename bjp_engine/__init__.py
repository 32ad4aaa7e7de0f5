"""Structure learning of Markov networks from discrete data: BJP, IB-score and MPL.

Everything that takes data takes a `Dataset`, a DataFrame or an array. Logarithms are natural.

    read_table          a CSV, TSV, Parquet, Excel, SPSS, Stata, SAS or ARFF file
    read_sharded        rows in many files that the workers of a Dask cluster read and count
    Dataset             rows of discrete variables, coded once and never changed
    independence_test   the Bayesian test of two variables given others
    score, all_graphs   a graph's score, term by term; that of every graph on up to seven variables
    learn               the structure that a search finds, and its steps
    edge_probabilities  how probable each pair is an edge, calibrated on known networks
    compare_groups      whether two groups of rows have the same network, edge by edge
    fit_parameters      the probabilities of a graph's network, and the effects of its edges
    share               a result as one HTML page, with the app's player
    plan_rows           how many edges of a network are found with how many rows
    BlanketLearner      learn as an estimator of scikit-learn
    Progress            how a long call reports and is cancelled

Records and further functions are in these modules:

    io, preparation, health          files in and out; tables made ready; what is wrong with them
    independence, classical          tests and their records, and how they grow with the rows
    scores, search                   what learn and score return, the registered scores and searches
    confidence, parameters           how probable each edge is; fitted networks and held-out rows
    networks, sampling, metrics      benchmark networks, samples of them, distances of graphs
    exercises, experiments, paper    questions for a class; repeated runs; a paragraph for a paper
    errors, resources                what is raised; the sample data that ship

>>> import bjp_engine as bjp
>>> truth = bjp.networks.load("target-4")
>>> data = bjp.sampling.random_model(truth, seed=1).sample(8000, seed=1)
>>> bjp.metrics.hamming(truth, bjp.learn(data, search="ibmap-hc").graph) <= 5
True
"""

# Without __all__, help() shows these lines and not every class and function in full.
from typing import TYPE_CHECKING

from bjp_engine.dataset import Dataset as Dataset
from bjp_engine.independence import independence_test as independence_test
from bjp_engine.progress import Progress as Progress
from bjp_engine.scores import score as score
from bjp_engine.search import all_graphs as all_graphs
from bjp_engine.search import learn as learn

if TYPE_CHECKING:
    from bjp_engine import classical as classical
    from bjp_engine import confidence as confidence
    from bjp_engine import errors as errors
    from bjp_engine import exercises as exercises
    from bjp_engine import experiments as experiments
    from bjp_engine import health as health
    from bjp_engine import independence as independence
    from bjp_engine import io as io
    from bjp_engine import metrics as metrics
    from bjp_engine import networks as networks
    from bjp_engine import paper as paper
    from bjp_engine import parameters as parameters
    from bjp_engine import preparation as preparation
    from bjp_engine import resources as resources
    from bjp_engine import sampling as sampling
    from bjp_engine import scores as scores
    from bjp_engine import search as search
    from bjp_engine.confidence import compare_groups as compare_groups
    from bjp_engine.confidence import edge_probabilities as edge_probabilities
    from bjp_engine.estimator import BlanketLearner as BlanketLearner
    from bjp_engine.io import read_table as read_table
    from bjp_engine.parameters import fit_parameters as fit_parameters
    from bjp_engine.planning import plan_rows as plan_rows
    from bjp_engine.sharded import read_sharded as read_sharded
    from bjp_engine.shared import share as share

__version__ = "0.1.0"

_EAGER = (
    *("Dataset", "Progress", "all_graphs", "independence_test", "learn", "score"),
    *("__doc__", "__file__", "__name__", "__version__"),
)
# Loaded when first used: learning from an array needs none of them. A name, or a module.
_LATE = {
    "BlanketLearner": "estimator",
    "compare_groups": "confidence",
    "edge_probabilities": "confidence",
    "fit_parameters": "parameters",
    "plan_rows": "planning",
    "read_sharded": "sharded",
    "read_table": "io",
    "share": "shared",
    **dict.fromkeys(
        (
            *("classical", "confidence", "errors", "exercises", "experiments", "health"),
            *("independence", "io", "metrics", "networks", "paper", "parameters", "preparation"),
            *("resources", "sampling", "scores", "search"),
        )
    ),
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """A module of the engine, or a name that one of them holds."""
        from importlib import import_module

        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        home = _LATE[name]
        module = import_module(f"{__name__}.{home or name}")
        globals()[name] = found = getattr(module, name) if home else module
        return found

    def __dir__() -> list[str]:
        """The public names, loaded or not."""
        return sorted({*_EAGER, *_LATE})
