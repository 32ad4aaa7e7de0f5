"""How many rows? What is found of a network with N rows, by simulation.

Samples are drawn from the network with its parameters, the largest N of each; the first N rows of
a sample are its sample of N rows. From each a graph is learned and compared with the network's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.arrays import Ints
from bjp_engine.dataset import Dataset
from bjp_engine.errors import OptionError, listed, plural, value_text
from bjp_engine.graph import GraphLike, as_graph
from bjp_engine.metrics import confusion
from bjp_engine.parameters import Estimate, FittedNetwork, fit_parameters
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import lock_arrays, record
from bjp_engine.sampling import MarkovModel, random_model
from bjp_engine.scores import Score, find_score
from bjp_engine.search.many import learn_all
from bjp_engine.validate import Seed, entries, number, probability, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd

ROWS = (100, 250, 500, 1000, 2000, 4000)
# Sweeps from one row of a Gibbs chain to the next that is taken.
_THINNED = 10

__all__ = ["ROWS", "RowPlan", "plan_rows"]


@record
@dataclass(frozen=True, eq=False, slots=True)
class RowPlan:
    """What is found of a network with how many rows, as `plan_rows` found.

    `found` and `false`, shape (R, S), say of each number of rows and sample how many of the
    network's edges were learned, and how many edges that it has not. Rows are independent, or
    those of Gibbs chains, thinned.
    """

    rows: tuple[int, ...]
    edges: int
    found: Ints
    false: Ints
    method: str
    search: str
    seed: int
    independent: bool

    def __post_init__(self) -> None:
        lock_arrays((self.found, self.false))

    @property
    def samples(self) -> int:
        """S, how many samples were drawn."""
        return self.found.shape[1]

    def to_frame(self) -> pd.DataFrame:
        """A row for each N: means over the samples with standard errors, as `_error`.

        `recall` is the share of the network's edges that is learned, and `found` their number;
        `false` are learned edges that the network has not, and `false_share` their share of the
        learned ones, 0 where none is learned. The error of a single sample is nan.
        """
        import pandas as pd

        learned = self.found + self.false
        measures = {
            "recall": self.found / self.edges,
            "found": self.found,
            "false": self.false,
            "false_share": self.false / np.maximum(learned, 1),
            "hamming": self.edges - self.found + self.false,
        }
        table = pd.DataFrame({"rows": self.rows})
        for name, values in measures.items():
            samples = pd.DataFrame(values.T)
            table[name], table[f"{name}_error"] = samples.mean(), samples.sem()
        return table

    def rows_for(self, share: float = 0.8) -> int | None:
        """The number of rows from which on a share of the edges is found on average.

        Between two numbers of rows it is interpolated in ln N and rounded up; with every larger
        number of the table the share is found, too. None where the largest does not reach it; the
        smallest where all do, and fewer may do.

        Examples
        --------
        >>> import numpy as np
        >>> from bjp_engine.planning import RowPlan
        >>> counts = np.array([[1, 1], [3, 3], [4, 4]])
        >>> plan = RowPlan((100, 200, 400), 4, counts, 0 * counts, "bjp", "auto", 0, True)
        >>> plan.rows_for(0.5), plan.rows_for(0.2), plan.rows_for(1.0)
        (142, 100, 400)
        """
        probability(share, "share")
        means = self.found.mean(axis=1) / self.edges
        missed = np.flatnonzero(means < share - 1e-12)
        k = int(missed[-1]) + 1 if len(missed) else 0
        if k == len(means):
            return None
        if k == 0:
            return self.rows[0]
        part = (share - means[k - 1]) / (means[k] - means[k - 1])
        low, high = math.log(self.rows[k - 1]), math.log(self.rows[k])
        # No rounding error makes another row of a whole number.
        return min(self.rows[k], math.ceil(math.exp(low + part * (high - low)) - 1e-9))

    def describe(self, rows: int) -> str:
        """What one number of rows finds, in a sentence."""
        if rows not in self.rows:
            raise OptionError(
                f"rows={value_text(rows)} was not simulated; use {listed(self.rows, 8)}."
            )
        one = self.to_frame().iloc[self.rows.index(rows)]
        edges = plural(self.edges, "edge")
        off, wrong = (
            "" if math.isnan(error) else f" ± {error:.1f}"
            for error in (one["found_error"], one["false_error"])
        )
        return (
            f"With {rows:,} rows, {one['found']:.1f}{off} of {edges} are found on average "
            f"({100 * one['recall']:.0f} %), and {one['false']:.1f}{wrong} edges are false "
            f"({100 * one['false_share']:.0f} % of the learned edges)."
        )


def plan_rows(  # noqa: PLR0913 - what is drawn, and how it is learned from
    network: FittedNetwork | MarkovModel | GraphLike,
    rows: Iterable[int] = ROWS,
    *,
    strength: float | None = None,
    method: str | Score = "bjp",
    search: str | None = None,
    samples: int = 20,
    seed: Seed = 0,
    n_jobs: int = -1,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> RowPlan:
    """What is found of a network with how many rows, by simulation.

    Parameters
    ----------
    network : FittedNetwork, MarkovModel or networkx.Graph
        The truth: a fitted network, a model (`bjp_engine.sampling.random_model` makes one on a
        benchmark network), or a graph, whose variables get two states each.
    strength : float, optional
        For a graph, and only there: the log odds ratio of each edge given all other variables
        (natural log). 0.5 is weak and 2 is strong.
    seed : int
        0 or more. Sample k is drawn with `numpy.random.default_rng([seed, k])`.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine import plan_rows
    >>> plan = plan_rows(nx.path_graph(4), (50, 800), strength=1.5, samples=5)
    >>> plan.to_frame()["recall"].round(1).tolist()
    [0.7, 1.0]

    Notes
    -----
    A learned network is taken for the truth, though it has only the edges that were found, and
    strengths that were learned with few rows look stronger than they are. So its forecast is too
    good, the more so the fewer rows there were; that of a network with known strengths is not.

    Samples have all states of each variable, seen or not, but those that no row of a fitted
    network's data has, and no missing cells. Variables that are ordered in the data of a fitted
    network are ordered in its samples.
    """
    check_progress(progress)
    model, ordered = _truth(network, strength)
    graph = model.graph
    if not graph.number_of_edges():
        raise OptionError("The network has no edge, so there is none to find; give one with edges.")
    sizes = tuple(sorted({whole_number(one, "rows", 2) for one in entries(rows, "rows")}))
    if not sizes:
        raise OptionError("rows is empty; give at least one number of rows.")
    whole_number(samples, "samples", 1)
    seed = whole_seed(seed)
    longest = (
        replace(draw_rows(model, sizes[-1], seed, k), ordered=ordered) for k in range(samples)
    )
    parts = (data.take(np.arange(size)) for data in longest for size in sizes)
    found, total, by = list[tuple[int, int]](), len(sizes) * samples, ""
    running = learn_all(parts, method, search, n_jobs=n_jobs, progress=progress.quiet, **options)
    with closing(running) as traces:
        for trace in traces:
            compared, by = confusion(graph, trace.graph), trace.search
            found.append((compared.tp, compared.fp))
            progress.tick(len(found), total)
    true, false = np.reshape(found, (samples, len(sizes), 2)).T.copy()
    return RowPlan(
        sizes,
        graph.number_of_edges(),
        true,
        false,
        find_score(method).name,
        by,
        seed,
        model.tree is not None,
    )


def draw_rows(model: MarkovModel, rows: int, seed: Seed, k: int) -> Dataset:
    """Independent rows from an elimination tree where there is one, else every tenth of a chain.

    Fewer rows are the first of more.
    """
    seed = whole_seed(seed)
    if (tree := model.tree) is None:
        # The number of which numpy's SeedSequence makes what it makes of the two.
        both = seed | k << 32 * max(1, -(-seed.bit_length() // 32))
        drawn = model.sample(rows * _THINNED, both, "gibbs", sweeps=1000 * _THINNED)
        return drawn.take(np.arange(0, rows * _THINNED, _THINNED))
    codes = tree.draw(model.factors, model.cardinalities, rows, np.random.default_rng([seed, k]))
    return Dataset.from_codes(codes, model.cardinalities, model.names)


def _truth(network: Any, strength: float | None) -> tuple[MarkovModel, tuple[bool, ...]]:
    """The distribution that samples come from, and which of its variables are ordered."""
    model, ordered = network, tuple[bool, ...]()
    if isinstance(network, FittedNetwork):
        fitted = _by_used_states(network)
        model, ordered = fitted.model, fitted.data.ordered
    if isinstance(model, MarkovModel):
        if strength is not None:
            raise OptionError(
                "strength is for a graph; this network has strengths, so leave it out."
            )
        return model, ordered
    graph = as_graph(network)
    if strength is None or not math.isfinite(number(strength, "strength")) or not strength:
        raise OptionError(
            "A graph needs a strength, finite and not 0, such as 1: the log odds ratio of an edge."
        )
    return random_model(graph, "log-odds", epsilon=strength), ordered


def _by_used_states(network: FittedNetwork) -> FittedNetwork:
    """The network as it is fitted to the states that occur: no sample has another."""
    data, smoothing = network.data.drop_unused_states(), network.smoothing
    if data is network.data:
        return network
    pseudo = network.fitting == "pseudo-likelihood"
    estimate: Estimate = "pseudo-likelihood" if pseudo else "likelihood"
    return fit_parameters(data, network.graph, estimate, ess=smoothing, ridge=smoothing)
