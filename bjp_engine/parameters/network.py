"""A graph with its parameters: the record that gives probabilities."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, Ints, blocks
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError, clip, listed, not_installed
from bjp_engine.labels import match_states
from bjp_engine.parameters.effects import describe_doubts, edge_effects, effect_rows
from bjp_engine.parameters.inference import (
    Conditioned,
    Evidence,
    Given,
    condition,
    log_known_states,
    log_states,
    read_evidence,
    read_targets,
    state_columns,
)
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.sampling import MarkovModel, Method
from bjp_engine.validate import Seed, choice

if TYPE_CHECKING:
    import pandas as pd

Fitting = Literal["closed-form", "scaling", "pseudo-likelihood"]


def code_states(data: Dataset, labels: Sequence[tuple[str, ...]]) -> NDArray[np.int64]:
    """Codes by states that are known already; one more than these where a state is not."""
    places = (match_states(known, own) for own, known in zip(data.labels, labels, strict=True))
    codes = (np.array(place)[data.codes[:, i]] for i, place in enumerate(places))
    return np.column_stack([*codes])


def recode(data: Dataset, labels: Sequence[tuple[str, ...]]) -> Dataset:
    """The same rows by states that are known already; ordered where common ones keep theirs."""
    codes, ordered = code_states(data, labels), []
    for i, (name, own, known) in enumerate(zip(data.names, data.labels, labels, strict=True)):
        unknown = codes[:, i] == len(known)
        if unknown.any():
            state = listed([own[data.codes[unknown.argmax(), i]]], 1, known)
            raise DataError(
                f"Column {clip(name)} holds {state}, which is not one of its states; declare all "
                "states beforehand, by pandas Categorical columns."
            )
        common = [known.index(label) for label in own if label in known]
        if data.ordered[i] and common == sorted(common):
            ordered.append(name)
    return Dataset.from_codes(codes, [*map(len, labels)], data.names, labels, ordered=ordered)


def code_rows(data: Dataset, fitted: Dataset, aside: int | None) -> tuple[Ints, Bools]:
    """Rows by the states of fitted ones, and the cells, but of one column, that no such row has."""
    codes, about = code_states(data, fitted.labels), []
    unseen = np.zeros(codes.shape, dtype=np.bool_)
    for i, (counts, known) in enumerate(zip(fitted.state_counts, fitted.labels, strict=True)):
        if i != aside:
            unseen[:, i] = np.append(counts == 0, True)[codes[:, i]]
        if unseen[:, i].any():
            states = np.unique(data.codes[unseen[:, i], i]).tolist()
            values = listed((data.labels[i][state] for state in states), 8, known)
            about.append(f"{values} in column {clip(data.names[i])}")
    if about:
        more = f"; and in {len(about) - 8} more columns" if len(about) > 8 else ""
        warnings.warn(
            f"No row to learn from holds {'; '.join(about[:8])}{more}. Such a cell says nothing: "
            "each answer is averaged over its column, given the rest of the row.",
            stacklevel=3,
        )
    return codes, unseen


@record
@dataclass(frozen=True, eq=False, slots=True)
class FittedNetwork:
    """A Markov network with parameters, Pr(x) = Π_C φ_C(x_C) / Z, as `fit_parameters` makes it.

    Parameters
    ----------
    model : MarkovModel
        Names, numbers of states and factors; it also samples. It gives declared states that no row
        has what smoothing gives them; fit to `data.drop_unused_states()` to leave them out.
    fitting : {"closed-form", "scaling", "pseudo-likelihood"}
        Maximum likelihood in closed form or by iterative proportional fitting, or maximum
        pseudo-likelihood; `iterations` are its sweeps, or steps of the optimiser.
    scopes : {"cliques", "edges"}
        What has a factor: each maximal clique; or each edge, and each variable without one.
    smoothing : float
        `ess` of maximum likelihood, `ridge` of maximum pseudo-likelihood.
    log_partition : float or None
        ln Z; None where exact inference is out of reach.
    data : Dataset
        What it was fitted to, which `effects` counts; a pickle of the network holds it, too.
    """

    graph: nx.Graph[Name]
    model: MarkovModel
    labels: tuple[tuple[str, ...], ...]
    fitting: Fitting
    scopes: Literal["cliques", "edges"]
    rows: int
    smoothing: float
    converged: bool
    iterations: int
    log_partition: float | None
    data: Dataset = field(repr=False)

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables."""
        return self.model.names

    @property
    def factors(self) -> FrozenMapping[tuple[Name, ...], Floats]:
        """ln φ_C by the names of C in column order; an axis of length r_i for each, read-only."""
        return FrozenMapping(
            {
                tuple(self.names[i] for i in factor.variables): factor.log_table
                for factor in self.model.factors
            }
        )

    def conditional(self, data: DataLike, variable: Name) -> Floats:
        """The probabilities of one variable's states, given the other variables of each row.

        Of N rows an array of shape (N, r); what they say of the variable is not looked at. A cell
        of a frame or an array that holds what no fitted row does says nothing, and a warning names
        it: the answer is summed over what the cell may be (docs/theory/prediction.md).
        """
        if isinstance(data, Dataset):
            same = self._matched(data)
            return np.exp(log_states(self.model, same.codes, same.index(variable)))
        same = self._matched(data, strict=False)
        i = same.index(variable)
        codes, unseen = code_rows(same, self.data, i)
        return np.exp(log_known_states(self.model, self.data, codes, unseen, i))

    def log_conditional(self, data: DataLike) -> Floats:
        """ln Pr(x_i | all other variables of the row) of every cell, natural logs, all finite."""
        codes = self._matched(data).codes
        found = np.empty(codes.shape, order="F")
        for i, r in enumerate(self.model.cardinalities):
            for block in blocks(len(codes), r):
                states = log_states(self.model, codes[block], i)
                found[block, i] = states[np.arange(len(states)), codes[block, i]]
        return found

    def log_probability(self, data: DataLike) -> Floats:
        """ln Pr(x) of each row, shape (N,)."""
        if self.log_partition is None:
            raise OptionError(
                "The graph is too dense to sum over all joint states, so a row's probability is "
                "not known; log_conditional needs no such sum."
            )
        return self.model.log_weight(self._matched(data).codes) - self.log_partition

    def effects(
        self,
        level: float = 0.95,
        *,
        ordered: Iterable[Name] | None = None,
        resamples: int = 200,
        seed: Seed = 0,
        progress: Progress = UNWATCHED,
    ) -> pd.DataFrame:
        """How strong each edge is, with an interval.

        Effects come from counts alone, of rows that agree on variables which separate the ends of
        an edge; how the network was fitted has no part in it.

        Parameters
        ----------
        ordered : iterable of str or int
            Variables whose states are ordered as in `labels`, where text that was not declared is
            sorted ("high" < "low"); by default those that the data declare so.
        resamples : int
            How many resamples the intervals of strengths are from, 1 or more.

        Returns
        -------
        pandas.DataFrame
            A row for each edge, in lexicographic order of columns, with these columns:

            - x, y: the variables, in column order.
            - effect: natural log, NaN where no row shows it; of the kind named in `kind`.
            - low, high: the interval.
            - spread: the standard deviation of the log odds ratio between slices beyond what chance
              explains. If it is large, one number does not describe the edge.
            - kind: "log odds ratio" of two variables of two states given all others, positive where
              the later states go with each other; "log odds ratio per step" of variables that are
              ordered or have two states; else "strength", the root mean square of the log odds
              ratios of all pairs of states that occur, which has no sign.
            - among: which slices show the effect, such as "sex = woman"; empty if all do.
            - doubt: why not to rely on the number, as docs/theory/effects.md explains: "unknown",
              "infinite", "never together", "sparse" or "silent"; else empty.

            Edges with a doubt are named in a warning. `attrs` hold level, resamples and seed.

        Examples
        --------
        >>> import math
        >>> from bjp_engine import fit_parameters
        >>> rows = [[0, 0]] * 50 + [[1, 1]] * 25 + [[0, 1]] * 15 + [[1, 0]] * 10
        >>> found = fit_parameters(rows, [(0, 1)]).effects()
        >>> found["kind"][0], math.isclose(found["effect"][0], math.log(50 * 25 / (15 * 10)))
        ('log odds ratio', True)

        Notes
        -----
        With two states each this is Mantel & Haenszel's estimate. Chance raises a strength; its
        interval holds 0 unless the table differs from independence by more than chance explains.
        Edges of a graph that was learned from the same rows look stronger in them than they are;
        the interval takes the graph as given.
        """
        how = level, ordered, resamples, seed, progress
        table = edge_effects(self.data, self.graph, *how)
        for sentence in describe_doubts(effect_rows(table)):
            warnings.warn(sentence, stacklevel=2)
        return table

    def query(
        self,
        targets: Name | Iterable[Name] | None = None,
        given: Given | None = None,
        *,
        method: Method = "exact",
        rows: int = 20_000,
        seed: Seed = 0,
    ) -> pd.DataFrame:
        """The probabilities of each target's states given evidence on other variables.

        Parameters
        ----------
        targets : str, int or iterable of them, optional
            Names, or positions among this network's variables; by default every variable whose
            state `given` leaves open.
        given : dict, optional
            For each variable that something is known of, its state; or a dict of its states with
            weights, proportional to the probability of what was observed given each state (soft
            evidence). Others have weight 0. A state that no fitted row has says nothing, with a
            warning.
        method : {"exact", "gibbs"}
            Exact by variable elimination, where its tables hold at most 2^20 cells; or estimated
            on any graph: from rows drawn exactly where that is so, and from Gibbs chains beyond.
        rows : int
            For "gibbs": how many rows are drawn, at least 100, rounded up to 50 equal chains.

        Returns
        -------
        pandas.DataFrame
            Columns variable, state and probability, a row for each state of each target; with
            "gibbs" a column standard_error: of the means of independent chains, and at least that
            of as many independent rows.

        Examples
        --------
        >>> import networkx as nx
        >>> import bjp_engine as bjp
        >>> titanic = bjp.read_table(bjp.resources.sample_data("datasets", "titanic.csv"))
        >>> network = bjp.fit_parameters(titanic, nx.complete_graph(titanic.names))
        >>> network.query("Survived", {"Sex": "Female", "Class": {"1st": 1, "2nd": 1}}).round(2)
           variable state  probability
        0  Survived    No         0.08
        1  Survived   Yes         0.92

        More evidence needs smaller tables. The standard error of "gibbs" takes chains as long
        enough to forget their starts; `MarkovModel.sample` warns where they disagree.
        """
        import pandas as pd

        choice(method, "method", get_args(Method))
        evidence = self._read_evidence(given)
        places = read_targets(self.names, targets, evidence)
        left = self._condition(evidence, places)
        if method == "exact":
            found = {"probability": left.margins(places)}
        else:
            found = left.sampled_margins(places, rows, seed)
        return pd.DataFrame(state_columns(self.names, self.labels, places) | found)

    def most_probable(self, given: Given | None = None) -> dict[Name, str]:
        """The label of each variable's state in the most probable joint state given evidence.

        It need not consist of each variable's most probable state, and may itself be improbable.
        Of equally probable states (to 10^-12 of their log) each variable gets the first, in the
        order in which states are traced back (Koller & Friedman 2009, section 13.2).

        Examples
        --------
        >>> from bjp_engine import fit_parameters
        >>> network = fit_parameters([[0, 0], [0, 0], [1, 1], [0, 1]] * 25, [(0, 1)])
        >>> network.most_probable(), network.most_probable({0: "1"})
        ({0: '0', 1: '0'}, {0: '1', 1: '1'})
        """
        best = self._condition(self._read_evidence(given), range(len(self.names))).most_probable()
        parts = zip(self.names, self.labels, best, strict=True)
        return {name: labels[state] for name, labels, state in parts}

    def leave_one_out(self, target: Name, given: Given) -> pd.DataFrame:
        """The probabilities of one variable with all evidence, and without each piece of it.

        Columns evidence, state, probability and without: of each variable of `given`, and each
        state of the target. The differences do not add up to the effect of all evidence: two
        variables that say the same can each be left out at no loss.

        Examples
        --------
        >>> from bjp_engine import fit_parameters
        >>> rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1]] * 25
        >>> network = fit_parameters(rows, [(0, 1)])
        >>> network.leave_one_out(1, {0: "1", 2: "0"}).round(2).values.tolist()
        [[0, '0', 0.05, 0.5], [0, '1', 0.95, 0.5], [2, '0', 0.05, 0.05], [2, '1', 0.95, 0.95]]
        """
        import pandas as pd

        if not isinstance(target, (str, int, np.integer)):
            raise OptionError(f"target is {clip(target)}; give the name or index of one variable.")
        evidence = self._read_evidence(given)
        (place,) = places = read_targets(self.names, (target,), evidence)
        fewer = [{j: one for j, one in evidence.items() if j != i} for i in evidence]
        known = (evidence, *fewer)
        whole, *without = (self._condition(one, places).margins(places) for one in known)
        states = self.labels[place]
        return pd.DataFrame(
            {
                "evidence": [self.names[i] for i in evidence for _ in states],
                "state": [*states] * len(evidence),
                "probability": np.tile(whole, len(evidence)),
                "without": np.concatenate([np.zeros(0), *without]),
            }
        )

    def to_pgmpy(self) -> Any:
        """The same network for pgmpy.

        A DiscreteMarkovNetwork with the states' labels; the product of its factors is Pr(x) itself
        where Z is known. pgmpy does not normalise what it is asked of one: with evidence it answers
        Pr(query, evidence), and `answer.normalize(inplace=False)` is Pr(query | evidence).
        """
        try:
            from pgmpy.factors.discrete import DiscreteFactor
            from pgmpy.models import DiscreteMarkovNetwork
        except ImportError:
            raise not_installed("to_pgmpy", "pgmpy", "'bjp-explorer[pgmpy]'") from None
        labels = dict(zip(self.names, self.labels, strict=True))
        network = DiscreteMarkovNetwork()
        network.add_nodes_from(self.graph.nodes)
        network.add_edges_from(self.graph.edges)
        for members, values in self.potentials().items():
            states = {name: list(labels[name]) for name in members}
            network.add_factors(DiscreteFactor(list(members), list(values.shape), values, states))
        return network

    def potentials(self) -> dict[tuple[Name, ...], Floats]:
        """φ_C by the names of C, none too large for a double.

        They are scaled so that Π_C φ_C(x_C) is Pr(x) itself where Z is known.
        """
        tables = self.factors
        tops = {members: float(log_table.max()) for members, log_table in tables.items()}
        # Divided by its largest entry no factor overflows; the rest of Z is shared out evenly.
        shift = 0.0
        if self.log_partition is not None:
            shift = (math.fsum(tops.values()) - self.log_partition) / len(tops)
        return {
            members: np.exp(log_table - tops[members] + shift)
            for members, log_table in tables.items()
        }

    def _read_evidence(self, given: Given | None) -> Evidence:
        """What is known of variables, without states that no fitted row has: they say nothing."""
        evidence = read_evidence(self.names, self.labels, given)
        for i in self._occurring().keys() & evidence.keys():
            states = [self.labels[i][k] for k in np.flatnonzero(evidence[i])]
            evidence[i] = evidence[i] * self._occurring()[i]
            if not evidence[i].any():
                del evidence[i]
                warnings.warn(
                    f"No fitted row holds {listed(states, 8, self.labels[i])} in column "
                    f"{clip(self.names[i])}, which says nothing: the answer is the one without it.",
                    stacklevel=3,
                )
        return evidence

    def _condition(self, evidence: Evidence, about: Sequence[int]) -> Conditioned:
        """The network given evidence; no variable has a state that no fitted row has."""
        return condition(self.model, {**self._occurring(), **evidence}, about)

    def _occurring(self) -> Evidence:
        """Which states fitted rows have, of each variable that has others, too."""
        counts = enumerate(self.data.state_counts) if self.rows else ()
        return {i: (one > 0).astype(np.float64) for i, one in counts if not one.all()}

    def _matched(self, data: DataLike, *, strict: bool = True) -> Dataset:
        """The columns in this network's order, by its states; or by their own if not `strict`."""
        rows = as_dataset(data)
        strangers = [name for name in self.names if name not in rows.names]
        if strangers or rows.n != len(self.names):
            about = f"lack the variable {clip(strangers[0])}" if strangers else "have more columns"
            raise DataError(f"The data {about}; give the {len(self.names)} fitted variables.")
        rows = rows if rows.names == self.names else rows.select(self.names)
        return recode(rows, self.labels) if strict and rows.labels != self.labels else rows
