"""How probable each pair is an edge: the record of every kind, and what makes three of them.

`kind` says which question it answers: the posterior of the pair's test ("test"), how often the
pair is an edge of what is learned from resampled rows ("bootstrap"), its probability over all
graphs, weighted by their score ("exact"), or the share of edges among such pairs of known networks
("calibrated"). docs/theory/support.md says what each is worth.

Of a pair's test the confidence is the probability of dependence. IB-score makes two tests of a
pair, which has their mean: so edges and missing edges are treated alike. Resample k draws N of the
N rows with replacement, with `numpy.random.default_rng([seed, k])`, and the same search learns from
it (Friedman, Goldszmidt & Wyner 1999).
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.cluster import Client
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import Cancelled, DataError, OptionError, clip, listed
from bjp_engine.graph import to_adjacency
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.scores import SCORES, AssertionScore, Score, ScoreTrace, find_score
from bjp_engine.scores.bjp import AssertionTerms
from bjp_engine.scores.prior import freeze_known
from bjp_engine.search import find_search
from bjp_engine.search.driver import pose
from bjp_engine.search.exhaustive import score_all_graphs
from bjp_engine.search.many import learn_all
from bjp_engine.shared import plot
from bjp_engine.validate import (
    Seed,
    VariableIndex,
    instance,
    probability,
    whole_number,
    whole_seed,
)

if TYPE_CHECKING:
    import pandas as pd

# From which probability a pair is taken for an edge, and up to which for none.
PRESENT, ABSENT = 0.9, 0.1
# The verdict on pairs unlike those that calibrated probabilities were fitted to.
NOT_JUDGED = "not judged"
# Pairs that a notebook shows.
_MOST_SHOWN = 10

ConfidenceKind = Literal["test", "bootstrap", "exact", "calibrated"]


@record
@dataclass(frozen=True, slots=True)
class Edge:
    """A pair, the confidence that it is an edge, and the Monte Carlo standard error of that."""

    x: Name
    y: Name
    confidence: float
    error: float | None


@record
@dataclass(frozen=True, eq=False, slots=True)
class EdgeConfidence:
    """The confidence that each pair of variables is an edge.

    Parameters
    ----------
    kind : {"test", "bootstrap", "exact", "calibrated"}
        Which question the numbers answer: `confidence_of_tests`, `bootstrap`, `posterior_edges` and
        `edge_probabilities` say which.
    matrix : ndarray of float, shape (n, n)
        Probabilities, symmetric, zero on the diagonal; read-only.
    error : ndarray of float, shape (n, n), or None
        Monte Carlo standard error of each; None where nothing was drawn at random.
    search : str or None
        That learned from each resample; None where nothing was learned.
    asked, made : int
        How many resamples were asked for, and how many stand behind the numbers.
    judged : ndarray of bool, shape (n, n), or None
        For "calibrated", the pairs of which the fit has seen the like; None for all.
    """

    kind: ConfidenceKind
    names: tuple[Name, ...]
    matrix: Floats
    error: Floats | None
    method: str
    search: str | None = None
    options: FrozenMapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))
    seed: int | None = None
    asked: int = 0
    made: int = 0
    judged: Bools | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for name in ("matrix", "error", "judged"):
            array = getattr(self, name)
            if array is not None:
                copy = array.copy()
                copy.setflags(write=False)
                object.__setattr__(self, name, copy)

    @property
    def complete(self) -> bool:
        """Whether all resamples were made, and none was cancelled."""
        return self.made == self.asked

    def of(self, x: Name, y: Name) -> Edge:
        """One pair."""
        index = VariableIndex(self.names)
        i, j = sorted((index.place(x), index.place(y)))
        if i == j:
            raise DataError(f"x and y are both {clip(self.names[i])}; ask for two variables.")
        error = None if self.error is None else float(self.error[i, j])
        return Edge(self.names[i], self.names[j], float(self.matrix[i, j]), error)

    def to_frame(self, threshold: float = 0.0) -> pd.DataFrame:
        """The pairs that reach a probability as a table, the highest first, then by columns.

        Columns x, y and probability, and error where there is one.

        Examples
        --------
        >>> import numpy as np
        >>> from bjp_engine.confidence import EdgeConfidence
        >>> made = EdgeConfidence("exact", ("a", "b"), np.array([[0, 0.7], [0.7, 0]]), None, "bjp")
        >>> made.to_frame().values.tolist()
        [['a', 'b', 0.7]]
        """
        import pandas as pd

        rows, columns = self._ranked(threshold)
        table = {
            "x": [self.names[i] for i in rows],
            "y": [self.names[j] for j in columns],
            "probability": self.matrix[rows, columns],
        }
        known = {} if self.error is None else {"error": self.error[rows, columns]}
        return pd.DataFrame(table | known)

    def verdicts(self, present: float = PRESENT, absent: float = ABSENT) -> pd.DataFrame:
        """Whether each pair is taken for an edge, the most probable first.

        From `present` on a pair is "present", up to `absent` it is "absent", between them it is
        "undecided". Of the "calibrated" kind, about a share `present` of the pairs that just reach
        it are edges, and pairs unlike those of the fit are "not judged"; the other kinds promise
        nothing of the sort.

        Examples
        --------
        >>> import numpy as np
        >>> from bjp_engine.confidence import EdgeConfidence
        >>> matrix = np.array([[0, 0.95, 0.5], [0.95, 0, 0.1], [0.5, 0.1, 0]])
        >>> made = EdgeConfidence("calibrated", ("a", "b", "c"), matrix, None, "bjp")
        >>> made.verdicts()["verdict"].tolist()
        ['present', 'undecided', 'absent']
        """
        table = self.to_frame()[["x", "y", "probability"]]
        judged = True if self.judged is None else self.judged[self._ranked(0.0)]
        return table.assign(verdict=judge_pairs(table["probability"], judged, present, absent))

    def plot(self, *, most: int = 30, theme: str = "light") -> Any:
        """The probability of each pair as a figure, the highest first.

        Bars are one Monte Carlo standard error to either side, where there is one. Hollow points
        are not judged, see `verdicts`.

        Examples
        --------
        >>> import bjp_engine as bjp
        >>> bjp.edge_probabilities([[0, 0], [1, 1]] * 60).plot().axes[0].get_title(loc="left")
        '1 pair'
        """
        return plot(self, most=most, theme=theme)

    def _repr_html_(self) -> str:
        """The pairs of the highest probability, as a notebook shows them."""
        frame, pairs = self.to_frame(), len(self.names) * (len(self.names) - 1) // 2
        about = f"{self.kind} · {len(self.names)} variables, {pairs} pairs"
        about += "" if self.complete else f" · {self.made:,} of {self.asked:,} resamples"
        table = frame.head(_MOST_SHOWN).to_html(index=False, float_format="{:.4f}".format)
        more = f"<p>… and {pairs - _MOST_SHOWN} more</p>" if pairs > _MOST_SHOWN else ""
        return f"<p>EdgeConfidence: {about}</p>{table}{more}"

    def graph(self, threshold: float = 0.5) -> nx.Graph[Name]:
        """The graph of the pairs that reach a probability, with every variable as a node.

        Edges, in lexicographic order, have `probability`, and `error` where there is one.
        """
        graph: nx.Graph[Name] = nx.Graph()
        graph.add_nodes_from(self.names)
        for i, j in sorted(np.transpose(self._ranked(threshold)).tolist()):
            known = {} if self.error is None else {"error": float(self.error[i, j])}
            p = float(self.matrix[i, j])
            graph.add_edge(self.names[i], self.names[j], probability=p, **known)
        return graph

    def _ranked(self, threshold: float) -> tuple[Places, Places]:
        """The pairs that reach a probability, the highest first, equal ones by columns."""
        least = probability(threshold, "threshold")
        rows, columns = np.nonzero(np.triu(self.matrix >= least, 1))
        order = np.argsort(-self.matrix[rows, columns], kind="stable")
        return rows[order], columns[order]


def judge_pairs(
    values: ArrayLike, judged: ArrayLike = True, present: float = PRESENT, absent: float = ABSENT
) -> NDArray[Any]:
    """The verdict on each probability, or that there is none."""
    high, low = probability(present, "present"), probability(absent, "absent")
    if low >= high:
        raise OptionError(
            f"absent={low:g} is not below present={high:g}; give a lower absent or a higher "
            "present."
        )
    found = np.asarray(values)
    known = [~np.asarray(judged, dtype=bool), found >= high, found <= low]
    return np.select(known, [NOT_JUDGED, "present", "absent"], "undecided")


def confidence_of_tests(trace: ScoreTrace, **options: Any) -> EdgeConfidence:
    """The posterior of dependence by the test that a score made for each pair of a graph.

    The score is by BJP, IB-score or near blankets; the options that it was given are kept.

    Examples
    --------
    >>> import bjp_engine as bjp
    >>> from bjp_engine.confidence import confidence_of_tests
    >>> trace = bjp.score([[0, 0], [0, 0], [1, 1], [1, 1]], [(0, 1)])
    >>> round(37 * confidence_of_tests(trace).of(0, 1).confidence, 9)
    30.0
    """
    instance(trace, "trace", ScoreTrace, "what `score` returns")
    if not isinstance(trace.terms, AssertionTerms):
        testing = [name for name, one in SCORES.items() if isinstance(one, AssertionScore)]
        raise OptionError(
            f"method={clip(trace.method)} makes no tests; use {listed(testing, 8)}, or another "
            "kind of confidence."
        )
    terms, names = trace.terms.columns(), tuple(trace.graph)
    ends, computed = np.zeros((2, len(names), len(names)))
    made = terms.x[terms.computed], terms.y[terms.computed]
    posterior = np.where(terms.dependent, terms.posterior, -np.expm1(terms.value))
    ends[made], computed[made] = posterior[terms.computed], 1
    tests = np.maximum(computed + computed.T, 1)
    return EdgeConfidence(
        "test",
        names,
        (ends + ends.T) / tests,
        None,
        trace.method,
        options=FrozenMapping(options),
    )


def bootstrap(
    data: DataLike,
    method: str | Score = "bjp",
    search: str | None = None,
    *,
    resamples: int = 200,
    seed: Seed = 0,
    client: Client | None = None,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> EdgeConfidence:
    """How often each pair is an edge of the graphs learned from resampled rows.

    Parameters
    ----------
    client : distributed.Client, optional
        Of a Dask cluster on which the searches run, see `learn_all`.
    progress : Progress
        Gets the number of resamples that were learned from; once it is cancelled, the frequencies
        in these are returned: `made` says how many they are.
    **options
        As of `learn`; and `n_jobs`, how many threads, see `learn_all`.

    Returns
    -------
    EdgeConfidence
        Of kind "bootstrap", the same for any `n_jobs` and with any cluster. The error
        is the standard deviation of the frequency's Beta posterior under Jeffreys's prior, so only
        required or forbidden pairs have the error 0.

    Examples
    --------
    >>> from bjp_engine.confidence import bootstrap
    >>> frequency = bootstrap([[0, 0], [1, 1], [0, 1]] * 20, resamples=50)
    >>> frequency.of(0, 1).confidence, frequency.made, frequency.complete
    (1.0, 50, True)
    """
    check_progress(progress)
    data = as_dataset(data).drop_unused_states().hold(progress)
    whole_number(resamples, "resamples", 1)
    seed = whole_seed(seed)
    options = freeze_known(options)
    if not data.rows:
        raise DataError("The data has no rows to draw resamples from; give it some.")
    began, made = time.perf_counter(), 0
    counts = np.zeros((data.n, data.n), dtype=np.int64)
    chosen = find_search(search, find_score(method))
    if any(one.name == "seed" for one in fields(chosen.options_type)):
        options["seed"] = seed
    streams = (np.random.default_rng([seed, k]) for k in range(resamples))
    drawn = (data.take(rng.integers(data.rows, size=data.rows)) for rng in streams)
    how = {"n_jobs": options.pop("n_jobs", -1), "client": client, "progress": progress.quiet}
    running = learn_all(drawn, method, search, **how, **options)
    with closing(running) as traces:
        try:
            for trace in traces:
                counts += to_adjacency(trace.graph, data)
                made, search = made + 1, trace.search
                progress.tick(made, resamples)
        except Cancelled:
            if not made:
                raise
    # Of Beta(k + ½, m - k + ½) for k of m.
    mean = (counts + 0.5) / (made + 1)
    error = np.sqrt(mean * (1 - mean) / (made + 2)) * ~np.eye(data.n, dtype=np.bool_)
    known = options.get("known")
    fixed = None if known is None else known.on(data.names).fixed
    if fixed is not None:
        error[fixed] = 0.0
    return EdgeConfidence(
        "bootstrap",
        data.names,
        counts / made,
        error,
        find_score(method).name,
        search,
        FrozenMapping(options),
        seed,
        resamples,
        made,
        seconds=time.perf_counter() - began,
    )


def shuffle_columns(data: DataLike, seed: Seed = 0) -> Dataset:
    """The dataset with the rows of every column in a random order of its own.

    What a search finds there, it finds by chance. Column i gets the i-th permutation of
    `numpy.random.default_rng(seed)`.

    Examples
    --------
    >>> from bjp_engine import learn
    >>> from bjp_engine.confidence import shuffle_columns
    >>> learn(shuffle_columns([[0, 0], [1, 1]] * 50)).graph.number_of_edges()
    0
    """
    data = as_dataset(data)
    rng = np.random.default_rng(whole_seed(seed))
    codes = np.empty_like(data.codes, order="F")
    for i in range(data.n):
        codes[:, i] = data.codes[rng.permutation(data.rows), i]
    return Dataset(codes, data.cardinalities, data.names, data.labels, data.ordered)


def posterior_edges(
    data: DataLike, method: str | Score = "bjp", *, progress: Progress = UNWATCHED, **options: Any
) -> EdgeConfidence:
    """The posterior probability of each edge, over all graphs on up to seven variables.

    Examples
    --------
    >>> from bjp_engine.confidence import posterior_edges
    >>> data = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> round(37 * posterior_edges(data).of(0, 1).confidence, 9)
    30.0
    """
    began = time.perf_counter()
    check_progress(progress)
    given = freeze_known(options)
    problem = pose(as_dataset(data).drop_unused_states(), method, given, progress.quiet)
    found = score_all_graphs(replace(problem, progress=progress)).edge_probabilities
    return EdgeConfidence(
        "exact",
        problem.data.names,
        # Else their sum may lack the last digit.
        found if problem.pairs is None else problem.pairs.settle(found),
        None,
        problem.score.name,
        options=FrozenMapping(given),
        seconds=time.perf_counter() - began,
    )
