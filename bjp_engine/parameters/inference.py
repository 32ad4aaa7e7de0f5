"""What a network makes of evidence: margins, exact or sampled, and the most probable joint state.

Evidence on a variable is a set of states that it can still have, each with a weight w(x_i) > 0:

    Pr(x | evidence) ∝ Π_C φ_C(x_C) Π_i w_i(x_i).

A known state is the case of one state. Its variable leaves every factor, and so the graph. What
is left is again a Markov network, on which the elimination tree or the Gibbs sampler runs. All
factors are positive, so only evidence without any possible state has probability 0.

A cell of a row that says nothing, as one of a value that no row to learn from had, is summed out:
with U the unknown cells and K the known ones, Pr(x_i | x_K) ∝ Σ_{x_U} Π_C φ_C(x_C), for all rows of
one pattern of unknown cells at once. Only those that a path of unknown cells joins to i matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, Places, blocks
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError, clip, listed
from bjp_engine.labels import match_states
from bjp_engine.sampling import Factor, MarkovModel
from bjp_engine.sampling.elimination import (
    MOST_CELLS,
    EliminationTree,
    Scope,
    log_sum,
    spread,
)
from bjp_engine.validate import Seed, VariableIndex, entries, is_number, whole_number

if TYPE_CHECKING:
    import pandas as pd

# The rows, as one more axis of each table.
_ROWS = -1


def log_states(model: MarkovModel, codes: NDArray[Any], i: int) -> Floats:
    """ln Pr(x_i = s | all others) of every state, shape (N, r_i), of rows of codes."""
    eta = np.zeros((len(codes), model.cardinalities[i]))
    for factor in model.factors:
        if i in factor.variables:
            table = np.moveaxis(factor.log_table, factor.variables.index(i), -1)
            eta += table[tuple(codes[:, j] for j in factor.variables if j != i)]
    return eta - log_sum(eta, 1)[:, None]


def log_known_states(
    model: MarkovModel, fitted: Dataset, codes: NDArray[Any], unseen: Bools, i: int
) -> Floats:
    """The same where some cells say nothing.

    Where to sum over x_j needs a table of more than 2^20 cells for a row, each factor of j is
    averaged without the others, by the shares of j's states in the rows that were fitted to.
    """
    unknown = unseen.copy()
    unknown[:, i] = False
    open_rows = unknown.any(axis=1)
    found = np.empty((len(codes), model.cardinalities[i]))
    found[~open_rows] = log_states(model, codes[~open_rows], i)
    patterns, which = np.unique(unknown[open_rows], axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows = np.flatnonzero(open_rows)[which.ravel() == k]
        hidden = {i, *np.flatnonzero(pattern).tolist()}
        found[rows] = _summed(model, fitted, codes[rows], i, hidden)
    return found


def _summed(
    model: MarkovModel, fitted: Dataset, codes: NDArray[Any], i: int, hidden: set[int]
) -> Floats:
    """ln Pr(x_i = s | known cells) of rows in which the same cells are unknown."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_node(i)
    for factor in model.factors:
        nx.add_path(graph, hidden.intersection(factor.variables))
    hidden = nx.node_connected_component(graph, i)
    factors = [factor for factor in model.factors if not hidden.isdisjoint(factor.variables)]
    scopes = [tuple(v for v in factor.variables if v in hidden) for factor in factors]
    steps = _plan(scopes, model.cardinalities, i)
    found = np.empty((len(codes), model.cardinalities[i]))
    widest = max((size for _, size in steps if size <= MOST_CELLS), default=found.shape[1])
    for block in blocks(len(codes), widest, MOST_CELLS):
        parts = []
        for factor, scope in zip(factors, scopes, strict=True):
            axes = [factor.variables.index(v) for v in scope]
            table = np.moveaxis(factor.log_table, axes, range(-len(axes), 0))
            known = tuple(codes[block, v] for v in factor.variables if v not in hidden)
            parts.append(((_ROWS, *scope), table[known] if known else table[None]))
        for v, size in steps:
            touching = [[part for part in parts if v in part[0]]]
            parts = [part for part in parts if v not in part[0]]
            if size > MOST_CELLS:
                counts = np.bincount(fitted.codes[:, v], minlength=model.cardinalities[v])
                with np.errstate(divide="ignore"):
                    shares: tuple[Scope, Floats] = (v,), np.log(counts / fitted.rows)
                touching = [[part, shares] for part in touching[0]]
            for some in touching:
                onto = tuple(sorted(set().union(*(scope for scope, _ in some))))
                joined = sum((spread(table, scope, onto) for scope, table in some), np.zeros(1))
                left = tuple(u for u in onto if u != v)
                parts.append((left, log_sum(joined, onto.index(v))))
        eta = sum((table for scope, table in parts if i in scope), np.zeros((1, found.shape[1])))
        found[block] = eta - log_sum(eta, 1)[:, None]
    return found


def _plan(scopes: Iterable[Scope], cardinalities: Sequence[int], i: int) -> list[tuple[int, int]]:
    """The variables but i in the order in which they are summed out, and the cells that each needs.

    The next is always the one that needs the smallest table.
    """
    left, steps = [set(scope) for scope in scopes], []
    while others := set().union(*left) - {i}:
        around = {v: set().union(*(one for one in left if v in one)) for v in others}
        sizes = {v: math.prod(cardinalities[u] for u in around[v]) for v in others}
        v = min(others, key=lambda u: (sizes[u], u))
        steps.append((v, sizes[v]))
        touching = [one - {v} for one in left if v in one]
        left = [one for one in left if v not in one]
        left += [around[v] - {v}] if sizes[v] <= MOST_CELLS else touching
    return steps


# A state, or a weight for each state that is possible.
Given: TypeAlias = Mapping[Name, object]
# The weights of all states, by the place of each variable that something is known of.
Evidence: TypeAlias = dict[int, Floats]

# Independent Gibbs chains; the spread of their means is the Monte Carlo error.
CHAINS = 50


def count_given(
    data: DataLike, targets: Name | Iterable[Name] | None = None, given: Given | None = None
) -> pd.DataFrame:
    """What the data alone show: among the rows with the evidence, the share of each state.

    Parameters
    ----------
    targets, given
        As of `FittedNetwork.query`. With a dict of weights a row may have any of the states of
        positive weight; these must be equal, because a row either has the evidence or has it not.

    Returns
    -------
    pandas.DataFrame
        Columns variable, state, count, rows (that have the evidence) and share, count / rows: a row
        for each state of each target.

    Examples
    --------
    >>> from bjp_engine.parameters import count_given
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"rain": ["no", "yes", "yes", "no"], "wet": ["no", "yes", "no", "no"]})
    >>> count_given(frame, "wet", {"rain": "yes"}).values.tolist()
    [['wet', 'no', 1, 2, 0.5], ['wet', 'yes', 1, 2, 0.5]]
    """
    import pandas as pd

    data = as_dataset(data)
    evidence = read_evidence(data.names, data.labels, given)
    chosen = np.ones(data.rows, dtype=np.bool_)
    for i, weights in evidence.items():
        if not _are_even(weights):
            raise OptionError(
                f"The weights of {clip(data.names[i])} differ, but a row either has a state or has "
                "it not; give one state, or equal weights."
            )
        chosen &= weights[data.codes[:, i]] > 0
    rows = int(chosen.sum())
    places = read_targets(data.names, targets, evidence)
    counts = [np.bincount(data.codes[chosen, i], None, data.cardinalities[i]) for i in places]
    every = np.concatenate([np.zeros(0, dtype=np.intp), *counts])
    share = every / rows if rows else np.full(len(every), np.nan)
    columns = state_columns(data.names, data.labels, places)
    return pd.DataFrame(columns | {"count": every, "rows": rows, "share": share})


def read_targets(names: Sequence[Name], targets: object, evidence: Evidence) -> list[int]:
    """The places of some variables in their order; by default of those whose state is open."""
    if targets is None:
        known = {i for i, weights in evidence.items() if np.count_nonzero(weights) == 1}
        return [i for i in range(len(names)) if i not in known]
    return read_names(names, targets, "targets")


def read_names(names: Sequence[Name], given: object, argument: str) -> list[int]:
    """The places of one variable or of several in a list, in the order in which they are named."""
    index, places = VariableIndex(names), list[int]()
    alone = isinstance(given, (str, int, np.integer))
    for one in (given,) if alone else entries(given, argument):
        try:
            place = index.place(one)
        except DataError as error:
            raise DataError(f"{argument}: {error}") from None
        if place in places:
            raise DataError(
                f"{argument} names the variable {clip(names[place])} twice; name each one once."
            )
        places.append(place)
    return places


def read_evidence(
    names: Sequence[Name], labels: Sequence[tuple[str, ...]], given: object
) -> Evidence:
    """What is known of variables, by their places."""
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise OptionError(
            f"given is of type {type(given).__name__}; give a dict of variables and their states."
        )
    return {
        i: _read_states(names[i], labels[i], known)
        for i, known in zip(read_names(names, given, "given"), given.values(), strict=True)
    }


def _read_states(name: Name, labels: tuple[str, ...], known: object) -> Floats:
    """The weights of one variable's states, of a state or a dict of states with their weights."""
    if isinstance(known, (str, int, float, np.generic)):
        known = {known: 1.0}
    if not isinstance(known, Mapping):
        raise OptionError(
            f"given holds {clip(known)} for {clip(name)}; give a state, or a dict of states and "
            "weights."
        )
    places = match_states(labels, known)
    strangers = [state for state, place in zip(known, places, strict=True) if place == len(labels)]
    if strangers:
        raise DataError(
            f"The variable {clip(name)} has no state {listed(strangers, 8, labels)}; its "
            f"states are {listed(labels, 8, strangers)}."
        )
    if len(set(places)) < len(places):
        raise DataError(f"given names a state of {clip(name)} twice; name each one once.")
    weights = np.zeros(len(labels))
    for place, (state, weight) in zip(places, known.items(), strict=True):
        if not is_number(weight) or not 0 <= float(weight) < math.inf:
            raise OptionError(
                f"The weight {clip(weight)} of state {clip(state)} of {clip(name)} must be a "
                "number from 0."
            )
        weights[place] = float(weight)
    if not weights.any():
        raise OptionError(
            f"The evidence on {clip(name)} has probability 0, because none of its states has a "
            "positive weight; give one of them a weight above 0."
        )
    return weights


def _are_even(weights: Floats) -> bool:
    """Whether all possible states have the same weight, as a known state has."""
    return len(np.unique(weights[weights > 0])) == 1


def state_columns(
    names: Sequence[Name], labels: Sequence[tuple[str, ...]], places: Iterable[int]
) -> dict[str, list[Any]]:
    """A row for each state of some variables, as the first columns of a table."""
    rows = [(names[i], label) for i in places for label in labels[i]]
    return {"variable": [name for name, _ in rows], "state": [label for _, label in rows]}


@dataclass(frozen=True, eq=False, slots=True)
class Conditioned:
    """A network after evidence; its variables keep their positions, and have fewer states."""

    # A variable whose state is known, or of no concern to what is asked, has one state and no
    # factor.
    model: MarkovModel
    states: tuple[Places, ...]  # of the whole network
    cardinalities: tuple[int, ...]  # of the whole network

    def margins(self, places: Sequence[int]) -> Floats:
        """Pr(x_i | evidence) of each state of some variables, one after another."""
        every = self._tree("or use method='gibbs'").log_margins(self.model.factors)
        return self._of_all_states(places, [np.exp(every[i]) for i in places])

    def most_probable(self) -> list[int]:
        """The most probable joint state given the evidence, as states of the whole network."""
        tree = self._tree("or use a graph with fewer edges")
        best = tree.most_probable(self.model.factors)
        return [int(states[k]) for states, k in zip(self.states, best, strict=True)]

    def sampled_margins(self, places: Sequence[int], rows: int, seed: Seed) -> dict[str, Floats]:
        """Shares of each of these states in Gibbs chains, and their standard errors."""
        sweeps = -(-whole_number(rows, "rows", 2 * CHAINS) // CHAINS)
        drawn, found = self.model.sample(CHAINS * sweeps, seed, sweeps=sweeps), []
        for i in places:
            r = drawn.cardinalities[i]
            cells = np.repeat(np.arange(CHAINS), sweeps) * r + drawn.codes[:, i]
            counts = np.bincount(cells, minlength=CHAINS * r).reshape(CHAINS, r)
            shares = counts / sweeps
            between = shares.std(axis=0, ddof=1) / math.sqrt(CHAINS)
            # As of independent rows, after half a row for and half a row against.
            smoothed = (counts.sum(axis=0) + 0.5) / (drawn.rows + 1)
            alone = np.sqrt(smoothed * (1 - smoothed) / (drawn.rows + 2)) * (r > 1)
            found.append((shares.mean(axis=0), np.maximum(between, alone)))
        return {
            name: self._of_all_states(places, [both[k] for both in found])
            for k, name in enumerate(("probability", "standard_error"))
        }

    def _of_all_states(self, places: Sequence[int], values: Sequence[Floats]) -> Floats:
        """Values of the possible states, with 0 for the others."""
        parts = [np.zeros(self.cardinalities[i]) for i in places]
        for i, part, known in zip(places, parts, values, strict=True):
            part[self.states[i]] = known
        return np.concatenate([np.zeros(0), *parts])

    def _tree(self, instead: str) -> EliminationTree:
        """The elimination tree of what is left, or a sentence that it is too large."""
        if (tree := self.model.tree) is None:
            left = sum(r > 1 for r in self.model.cardinalities)
            raise OptionError(
                f"The tables of exact inference on the {left} variables whose states are open "
                f"would hold more than {MOST_CELLS:,} cells; give the states of more variables, "
                f"{instead}."
            )
        return tree


def condition(model: MarkovModel, evidence: Evidence, about: Sequence[int]) -> Conditioned:
    """The network given evidence, as far as it matters for some of the variables."""
    states = [np.arange(r) for r in model.cardinalities]
    for i, weights in evidence.items():
        states[i] = np.flatnonzero(weights)
    factors = []
    for factor in model.factors:
        table = factor.log_table[np.ix_(*(states[i] for i in factor.variables))]
        # Variables that have one state only are left out.
        factors.append((tuple(i for i in factor.variables if len(states[i]) > 1), table.squeeze()))
    for i, weights in evidence.items():
        if not _are_even(weights):
            factors.append(((i,), np.log(weights[states[i]])))
    left: nx.Graph[int] = nx.Graph()
    left.add_nodes_from(about)
    for scope, _ in factors:
        nx.add_path(left, scope)
    relevant = {j for i in about for j in nx.node_connected_component(left, i)}
    kept = tuple(one if i in relevant else one[:1] for i, one in enumerate(states))
    concerned = [Factor(*one) for one in factors if one[0] and one[0][0] in relevant]
    left_over = MarkovModel(model.names, tuple(map(len, kept)), tuple(concerned))
    return Conditioned(left_over, kept, model.cardinalities)
