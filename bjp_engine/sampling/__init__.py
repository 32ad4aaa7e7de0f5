"""Random Markov networks on a given graph, and samples drawn from them (docs/theory.md §7).

A model is a product of factors over cliques, p(x) ∝ Π_C φ_C(x_C), held as log tables.
Every number comes from a numpy Generator, so a seed repeats exactly:

- weights: `default_rng(seed)` fills one maximal clique after another, in lexicographic order
  of their ascending node positions, each table in C order (its last variable runs fastest);
- Gibbs: chain c has a stream of its own, child c of `SeedSequence(seed)`. It draws the start
  with `integers`, then n uniforms a sweep, which visits the variables in ascending order;
- exact: one uniform a row, from child 0 of `SeedSequence(seed)`.

Since the children are independent of `default_rng(seed)`, one seed may serve for the model
and its sample.

Symbols: φ_C = exp(`Factor.log_table`), r_i = `cardinalities[i]`, ε = `epsilon`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import GraphError, OptionError, clip, not_installed
from bjp_engine.graph import Adjacency, GraphLike, as_graph, to_graph
from bjp_engine.records import keep, record
from bjp_engine.sampling.elimination import (
    IMPOSSIBLE,
    MOST_CELLS,
    EliminationTree,
    Factor,
    eliminate,
    maximal_cliques,
)
from bjp_engine.sampling.gibbs import gibbs_rows
from bjp_engine.validate import (
    Seed,
    choice,
    column_name,
    entries,
    instance,
    number,
    whole_number,
    whole_seed,
)

__all__ = ["Factor", "MarkovModel", "Method", "Weights", "random_model"]

Method = Literal["gibbs", "exact"]
Weights = Literal["clique-log-weights", "clique-potentials", "log-odds"]

# The joint table has one entry a joint state.
MAX_JOINT_STATES = 1 << 20
MAX_CELLS = 10**8
# 32 MB of weights; one binary clique of 22 nodes fills it.
MAX_WEIGHTS = 1 << 22


@record
@dataclass(frozen=True, eq=False)
class MarkovModel:
    """A distribution p(x) ∝ Π_C φ_C(x_C) over discrete variables, as `random_model` makes one.

    Parameters
    ----------
    names : tuple of str or int
        The n variables.
    cardinalities : tuple of int
        r_i, the number of states of each.
    factors : tuple of Factor
        In any order; a variable in none of them is uniform. A log weight of -inf makes its joint
        states impossible.
    labels : tuple of tuple of str, optional
        The text of each state; the codes by default.
    """

    names: tuple[Name, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]
    labels: tuple[tuple[str, ...], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("names", "cardinalities", "factors"):
            keep(self, **{name: entries(getattr(self, name), name)})
        sizes = dict(enumerate(whole_number(r, "cardinalities", 1) for r in self.cardinalities))
        if len(sizes) != len(self.names):
            raise GraphError(
                f"There are {len(sizes)} cardinalities for {len(self.names)} variables; give one "
                "per variable."
            )
        for factor in self.factors:
            instance(factor, "factors", Factor, "a tuple of Factor")
            variables, table = factor.variables, factor.log_table
            shape = tuple(sizes.get(i) for i in variables)
            ascending = variables and tuple(sorted(set(variables))) == variables
            if not ascending or table.shape != shape or not (table < np.inf).all():
                raise GraphError(
                    f"The factor of the variables {variables} has a table of shape {table.shape}; "
                    f"give ascending positions up to {len(sizes) - 1}, and a log weight, finite "
                    "or -inf, for each joint state."
                )
        if self.labels is not None:
            labels = tuple(entries(one, "labels") for one in entries(self.labels, "labels"))
            keep(self, labels=labels)
            if tuple(map(len, labels)) != self.cardinalities:
                raise GraphError("labels don't fit the cardinalities; give one text per state.")

    @classmethod
    def from_pgmpy(cls, network: Any) -> MarkovModel:
        """The distribution of a discrete network of pgmpy, to sample from and compare with.

        Its graph has every edge of a Markov network, and is the moral graph of a Bayesian one.
        With a zero in a table only `sample(method="exact")` draws from the model.

        Examples
        --------
        >>> from bjp_engine.sampling import MarkovModel
        >>> from pgmpy.factors.discrete import TabularCPD
        >>> from pgmpy.models import DiscreteBayesianNetwork
        >>> rain = DiscreteBayesianNetwork()
        >>> rain.add_node("rain")
        >>> states = {"rain": ["no", "yes"]}
        >>> rain.add_cpds(TabularCPD("rain", 2, [[0.8], [0.2]], state_names=states))
        >>> model = MarkovModel.from_pgmpy(rain)
        >>> model.labels, model.joint().round(2).tolist()
        ((('no', 'yes'),), [0.8, 0.2])
        """
        try:
            from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork
        except ImportError:
            raise not_installed("from_pgmpy", "pgmpy", "'bjp-explorer[pgmpy]'") from None
        if not isinstance(network, (DiscreteBayesianNetwork, DiscreteMarkovNetwork)):
            raise OptionError(
                f"network is a {type(network).__name__}; give pgmpy's DiscreteMarkovNetwork or "
                "DiscreteBayesianNetwork."
            )
        try:
            network.check_model()
        except (ValueError, AttributeError) as error:
            raise GraphError(
                f"pgmpy finds the network incomplete ({clip(error)}); give every variable its "
                "table."
            ) from None
        directed = isinstance(network, DiscreteBayesianNetwork)
        tables = [one.to_factor() for one in network.get_cpds()] if directed else network.factors
        names = tuple(network.nodes)
        # The first table that has a variable gives the order of its states.
        states = {v: list(one.state_names[v]) for one in tables[::-1] for v in one.variables}
        labels = tuple(tuple(map(str, states[name])) for name in names)
        factors = [_read_factor(table, names, states) for table in tables]
        # An edge that no table covers stays an edge, with a factor of 1.
        for edge in network.edges:
            pair = tuple(sorted(map(names.index, edge)))
            if not any({*pair} <= {*factor.variables} for factor in factors):
                factors.append(Factor(pair, np.zeros([len(labels[i]) for i in pair])))
        return cls(names, tuple(map(len, labels)), tuple(factors), labels)

    @cached_property
    def adjacency(self) -> Adjacency:
        """Which variables share a factor, shape (n, n)."""
        found = np.zeros((len(self.names), len(self.names)), dtype=np.bool_)
        for factor in self.factors:
            found[np.ix_(factor.variables, factor.variables)] = True
        np.fill_diagonal(found, val=False)
        return found

    @property
    def graph(self) -> nx.Graph[Name]:
        """The Markov network: two variables are adjacent where they share a factor."""
        return to_graph(self.adjacency, self.names)

    @cached_property
    def tree(self) -> EliminationTree | None:
        """The tree for exact inference, or None where its tables would be too large."""
        return eliminate(self.adjacency, self.cardinalities)

    def log_weight(self, codes: ArrayLike) -> NDArray[np.float64]:
        """The unnormalised log probability Σ_C ln φ_C(x_C) of each row."""
        table = Dataset.from_codes(codes, self.cardinalities, self.names).codes
        total = np.zeros(len(table))
        for factor in self.factors:
            total += factor.log_table[tuple(table[:, i] for i in factor.variables)]
        return total

    def joint(self) -> NDArray[np.float64]:
        """The probability of every joint state by enumeration, shape (r_0, …, r_{n-1}).

        Examples
        --------
        >>> import networkx as nx
        >>> from bjp_engine.sampling import random_model
        >>> random_model(nx.path_graph(3), seed=1).joint().shape
        (2, 2, 2)
        """
        states = math.prod(self.cardinalities)
        if states > MAX_JOINT_STATES:
            raise OptionError(
                f"The model has about 10^{math.log10(states):.0f} joint states and exact "
                f"enumeration takes at most {MAX_JOINT_STATES}; sample draws from larger models."
            )
        log_joint = np.zeros(self.cardinalities)
        for factor in self.factors:
            shape = [r if i in factor.variables else 1 for i, r in enumerate(self.cardinalities)]
            log_joint += factor.log_table.reshape(shape)
        if np.isneginf(top := log_joint.max()):
            raise GraphError(IMPOSSIBLE)
        weights = np.exp(log_joint - top)
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def sample(
        self,
        rows: int,
        seed: Seed = 0,
        method: Method | None = None,
        *,
        burn_in: int = 100,
        sweeps: int = 1000,
    ) -> Dataset:
        """Draw a dataset.

        Parameters
        ----------
        method : {"gibbs", "exact"}, optional
            `gibbs` runs chains one after another, as many as the rows need, each from a
            uniform random state; `exact` draws independent rows. By default exact where that is
            possible, and from chains elsewhere.
        burn_in : int
            Sweeps of each Gibbs chain before its first row.
        sweeps : int
            Sweeps of each Gibbs chain after that; each gives one row, without thinning.

        Examples
        --------
        >>> import networkx as nx
        >>> from bjp_engine.sampling import random_model
        >>> model = random_model(nx.path_graph(3), seed=1)
        >>> model.sample(5, seed=2).codes.shape
        (5, 3)

        Notes
        -----
        N rows are the first N of a stream that the seed fixes, so a shorter sample is the
        beginning of a longer one. Ten chains make 10 000 rows, as Libra does by default. Exact
        rows invert the joint distribution function of up to 2^20 joint states; of more, each
        variable is drawn given those after it in an elimination tree of up to 2^20 cells.

        A UserWarning says where Gibbs chains of 200 sweeps or more disagree: the split R̂ of
        Gelman et al. (2013), of the state where it is largest, is more than 1.2.
        """
        whole_number(rows, "rows", 1)
        whole_number(burn_in, "burn_in", 0)
        whole_number(sweeps, "sweeps", 1)
        if rows * len(self.names) > MAX_CELLS:
            raise OptionError(
                f"rows={rows} of {len(self.names)} variables is more than {MAX_CELLS} cells; "
                "ask for fewer rows."
            )
        seed = whole_seed(seed)
        if method is not None:
            choice(method, "method", get_args(Method))
        codes = None if method == "gibbs" else self._independent_rows(rows, seed)
        if codes is None:
            if method == "exact":
                raise OptionError(
                    f"method='exact' would need tables of more than {MOST_CELLS:,} cells; use "
                    "method='gibbs'."
                )
            if any(np.isneginf(factor.log_table).any() for factor in self.factors):
                raise OptionError(
                    "Gibbs chains can't sample where a weight is zero, since one may never reach "
                    "some states; use method='exact' where its tables are small enough, or pgmpy's "
                    "simulate for a Bayesian network."
                )
            codes = gibbs_rows(self, rows, seed, burn_in, sweeps)
        return Dataset.from_codes(codes, self.cardinalities, self.names, self.labels)

    def _independent_rows(self, rows: int, seed: int) -> NDArray[Any] | None:
        """Rows by inverting the joint distribution function, or from the elimination tree."""
        stream = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        if math.prod(self.cardinalities) > MAX_JOINT_STATES:
            if self.tree is None:
                return None
            return self.tree.draw(self.factors, self.cardinalities, rows, stream)
        cumulative = np.cumsum(self.joint())
        cumulative /= cumulative[-1]
        states = np.searchsorted(cumulative, stream.random(rows), side="right")
        return np.stack(np.unravel_index(states, self.cardinalities), axis=1)


def random_model(
    graph: GraphLike,
    weights: Weights = "clique-log-weights",
    seed: Seed = 0,
    *,
    states: int | Sequence[int] = 2,
    epsilon: float = 1.0,
) -> MarkovModel:
    """Draw a distribution whose Markov network is a given graph.

    Parameters
    ----------
    weights : {"clique-log-weights", "clique-potentials", "log-odds"}
        A table for each maximal clique with ln φ ~ U(0, 1) in every entry; the same with
        φ ~ U(0, 1); or, for each edge, φ = exp(ε/2) where its two states are equal and 1
        elsewhere, so that the log odds ratio of a binary edge is ε. The last draws nothing.
    states : int or sequence of int
        r, or one r_i for each node; at least 2.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.sampling import random_model
    >>> model = random_model(nx.cycle_graph(4), "log-odds", states=[2, 2, 3, 3])
    >>> len(model.factors), model.cardinalities
    (4, (2, 2, 3, 3))
    """
    graph = as_graph(graph)
    if not graph:
        raise GraphError("The graph has no nodes; give it at least one.")
    names = tuple(column_name(node, "graph") for node in graph)
    cardinalities = _cardinalities(states, len(names))
    places = nx.convert_node_labels_to_integers(graph)
    choice(weights, "weights", get_args(Weights))
    epsilon = number(epsilon, "epsilon")
    if not math.isfinite(epsilon):
        raise OptionError(f"epsilon={epsilon} is not finite; give a number such as 1.0.")
    if weights == "log-odds":
        edges = sorted(tuple(sorted(edge)) for edge in places.edges())
        half = [np.eye(cardinalities[i], cardinalities[j]) * (epsilon / 2) for i, j in edges]
        return MarkovModel(names, cardinalities, tuple(map(Factor, edges, half)))
    if epsilon != 1.0:
        raise OptionError(f"epsilon={epsilon} is only for weights='log-odds'; leave it out.")
    cliques = maximal_cliques(places, cardinalities, MAX_WEIGHTS)
    if cliques is None:
        raise OptionError(
            f"The tables of the graph's cliques need more than {MAX_WEIGHTS} weights; use "
            "fewer edges or states, or weights='log-odds'."
        )
    draw = np.random.default_rng(whole_seed(seed)).random
    tables = [draw([cardinalities[i] for i in clique]) for clique in cliques]
    if weights == "clique-potentials":
        # 1 - u is as uniform as u and never 0, whose logarithm is infinite.
        tables = [np.log1p(-table) for table in tables]
    return MarkovModel(names, cardinalities, tuple(map(Factor, cliques, tables)))


def _cardinalities(states: int | Sequence[int], n: int) -> tuple[int, ...]:
    """One number of states for each of n nodes."""
    sizes = np.ravel(states).tolist() * (n if np.ndim(states) == 0 else 1)
    if len(sizes) != n:
        raise OptionError(f"states has {len(sizes)} entries for {n} nodes; give one per node.")
    for size in sizes:
        whole_number(size, "states", 2)
    return tuple(sizes)


def _read_factor(table: Any, names: tuple[Name, ...], states: dict[Name, list[object]]) -> Factor:
    """One table with ascending variables, and each variable's states in one order."""
    values = np.asarray(table.values, dtype=np.float64)
    for axis, name in enumerate(table.variables):
        given = list(table.state_names[name])
        if set(given) != set(states[name]):
            raise GraphError(
                f"The tables give variable {clip(name)} different states; name them alike in all."
            )
        values = values.take([given.index(state) for state in states[name]], axis)
    places = [names.index(name) for name in table.variables]
    order = sorted(range(len(places)), key=places.__getitem__)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Factor(tuple(places[k] for k in order), np.log(values.transpose(order)))
