"""Multiple imputation of missing cells under the network itself, by data augmentation.

Each of m independent chains begins with a draw of every missing cell from the known cells of its
column. A round then goes twice through what is unknown:

    graph and parameters   learned from the completed rows, the parameters from a resample of them
    missing cells          Gibbs sweeps, x_i ~ Pr(x_i | all other cells of the row) under these

Where few cells are missing, rows differ little between rounds, and the graph of a round before
serves: it is learned in the first rounds, and then after ever more of them.

The resample stands for a draw of the parameters from their posterior (the approximate Bayesian
bootstrap), so that what is not known of them is in the draws, too. The completed table after the
last round is one imputation. Analyses of all m are averaged; how much they differ is what the
missing cells leave open. Cells are taken to be missing at random: whether one is missing may
depend on the known cells of its row, and not on what it would have held.

Effects of the edges of one graph are pooled by Rubin's rules (1987), with the symbols of
docs/theory/missing.md. A strength is the length of a vector of log odds ratios and has no sign: q
is then the length of the mean vector, and squares are mean squares of differences of vectors, which
by the triangle inequality are at least those of the lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Places, blocks
from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset, warn_of_columns
from bjp_engine.errors import Cancelled, DataError, OptionError, clip, plural
from bjp_engine.parameters.effects import (
    STRENGTH,
    GraphEdges,
    check_resampling,
    edge_effects,
    ordered_places,
)
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.parameters.inference import log_states
from bjp_engine.parameters.network import recode
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.sampling import MarkovModel
from bjp_engine.search import learn
from bjp_engine.search.many import in_threads, threads_of
from bjp_engine.search.trace import StopReason
from bjp_engine.validate import Name, Seed, instance, is_pandas, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd

# Imputations, and rounds before each of them.
TIMES, ROUNDS = 20, 10
# Gibbs sweeps of a round: next to learning they cost little.
SWEEPS = 3
# Up to this share of missing cells the graph is not learned in every round: `python -m benchmarks
# imputation` sees no difference.
FEW_MISSING = 0.05
# Margins are met to this, which is little beside what a resample changes.
_TOLERANCE = 1e-4
# For each completed table, row and pair of variables, on two cores.
_SECONDS = 2e-7


def imputation_seconds(rows: int, variables: int) -> float:
    """About how long imputing takes on two cores: `python -m benchmarks imputation-cost`."""
    return _SECONDS * TIMES * rows * variables**2


@record
@dataclass(frozen=True, eq=False, slots=True)
class Imputed:
    """A table whose missing cells were filled in several times.

    Parameters
    ----------
    datasets : tuple of Dataset
        The completed tables; one, the table itself, where no cell is missing.
    missing : mapping of str or int to int
        How many cells of each variable are missing, of those that lack any.
    """

    datasets: tuple[Dataset, ...]
    missing: FrozenMapping[Name, int]
    seed: int
    rounds: int

    @property
    def cells(self) -> int:
        """How many cells are missing."""
        return sum(self.missing.values())

    @property
    def sentence(self) -> str:
        """What was done, how often, and what that assumes."""
        return (
            f"{plural(self.cells, 'missing cell')} ({100 * self.share:.3g} %) imputed "
            f"{len(self.datasets)} times under the network (seed {self.seed}), assumed to be "
            "missing at random given the other answers."
        )

    def select(self, names: Sequence[Name]) -> Imputed:
        """The same tables with some of their variables."""
        kept = {name: cells for name, cells in self.missing.items() if name in set(names)}
        datasets = tuple(one.select(names) for one in self.datasets)
        return replace(self, datasets=datasets, missing=FrozenMapping(kept))

    @property
    def share(self) -> float:
        """The share of all cells that is missing, 0 to 1."""
        return self.cells / max(self.datasets[0].codes.size, 1)


def impute(
    data: pd.DataFrame | Table,
    times: int = TIMES,
    *,
    seed: Seed = 0,
    rounds: int = ROUNDS,
    n_jobs: int = -1,
    progress: Progress = UNWATCHED,
) -> Imputed:
    """Fill in missing cells several times under networks learned from the data.

    Parameters
    ----------
    times : int
        m, how many completed tables, 2 or more.
    rounds : int
        How often each chain learns a network and draws the missing cells, 1 or more.

    Examples
    --------
    >>> from bjp_engine.parameters import impute
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": ["n", "y", None, "y"] * 25, "b": ["n", "y", "y", None] * 25})
    >>> made = impute(frame, 5)
    >>> len(made.datasets), dict(made.missing), made.datasets[0].labels
    (5, {'a': 25, 'b': 25}, (('n', 'y'), ('n', 'y')))

    The same for any `n_jobs`. docs/calibration.md shows how near it comes to complete data.
    """
    check_progress(progress)
    if not isinstance(data, Table) and not is_pandas(data, "DataFrame"):
        raise OptionError(
            f"data is of type {type(data).__name__}; give a DataFrame or a Table with missing "
            "cells."
        )
    whole_number(times, "times", 2)
    seed = whole_seed(seed)
    whole_number(rounds, "rounds", 1)
    threads = threads_of(n_jobs)
    table = Table.of(data)
    warn_of_columns(table, identifiers=False)
    begun, holes = _coded(table)
    # What nobody chose is never drawn.
    used = begun.drop_unused_states()
    missing = FrozenMapping({begun.names[i]: len(rows) for i, rows in holes.items()})
    if not holes:
        return Imputed((begun,), missing, seed, rounds)

    def chain(k: int, data: Dataset, stop: Callable[[], bool] | None) -> Dataset:
        rng = np.random.default_rng([seed, k])
        return _complete(data, holes, rng, rounds, Progress(cancelled=stop))

    made: list[Dataset] = []
    progress.tick(0, times)
    running = in_threads(chain, repeat(used, times), threads, progress.cancelled)
    with closing(running):
        for one in running:
            made.append(one if used is begun else recode(one, begun.labels))
            progress.tick(len(made), times)
    return Imputed(tuple(made), missing, seed, rounds)


def _coded(table: Table) -> tuple[Dataset, dict[int, Places]]:
    """The rows with a state that occurs in each missing cell, and the rows missing of a column."""
    table.check_rows()
    columns, whole = list(table.columns.values()), Dataset.from_frame(table, missing="state")
    codes, labels = whole.codes.copy(order="F"), list(whole.labels)
    holes: dict[int, Places] = {}
    for i, column in enumerate(columns):
        if column.holes == column.rows and not column.own:
            raise DataError(
                f"Column {clip(table.names[i])} has no known cell, so nothing can be imputed; "
                "leave it out."
            )
        if column.holes and not column.own:
            # The state of missing cells comes last.
            holes[i], labels[i] = np.flatnonzero(column.codes < 0), labels[i][:-1]
            codes[holes[i], i] = np.bincount(np.delete(codes[:, i], holes[i])).argmax()
    ordered = tuple(one.ordinal and not (one.holes and one.own) for one in columns)
    return Dataset(
        codes, tuple(map(len, labels)), table.names, tuple(labels), ordered, table.notes
    ), holes


def _complete(
    data: Dataset,
    holes: dict[int, Places],
    rng: np.random.Generator,
    rounds: int,
    progress: Progress,
) -> Dataset:
    """One chain, from its start to its last round."""
    codes = data.codes.copy(order="F")
    for i, rows in holes.items():
        known = np.delete(data.codes[:, i], rows)
        codes[rows, i] = rng.choice(known, len(rows))
    few = sum(map(len, holes.values())) <= FEW_MISSING * data.codes.size
    learned = {k * (k + 1) // 2 for k in range(rounds)} if few else set(range(rounds))
    for number in range(rounds):
        completed = replace(data, codes=codes.copy(order="F"))
        if number in learned:
            trace = learn(completed, "bjp", "auto", progress=progress)
            if trace.stop_reason is StopReason.CANCELLED:
                raise Cancelled("The computation was cancelled.")
        drawn = completed.take(rng.integers(data.rows, size=data.rows))
        network = fit_parameters(
            drawn, trace.graph, "auto", tolerance=_TOLERANCE, progress=progress
        )
        for _ in range(SWEEPS):
            sweep(network.model, codes, holes, rng)
    return replace(data, codes=codes)


def sweep(
    model: MarkovModel, codes: NDArray[Any], holes: dict[int, Places], rng: np.random.Generator
) -> None:
    """Draw each missing cell given all other cells of its row, column by column, in place."""
    for i, rows in holes.items():
        for block in blocks(len(rows), model.cardinalities[i]):
            where = rows[block]
            chances = np.exp(log_states(model, codes[where], i)).cumsum(axis=1)
            drawn = rng.random(len(where)) * chances[:, -1]
            codes[where, i] = (drawn[:, None] >= chances[:, :-1]).sum(axis=1)


def pool_effects(
    imputed: Imputed,
    graph: nx.Graph[Name],
    *,
    level: float = 0.95,
    ordered: Iterable[Name] | None = None,
    resamples: int = 200,
    seed: Seed = 0,
    progress: Progress = UNWATCHED,
) -> pd.DataFrame:
    """How strong each edge of a graph is, pooled over completed tables by Rubin's rules.

    Parameters
    ----------
    graph : networkx.Graph
        On the names of the variables, such as `edge_probabilities(imputed).graph(0.5)`.
    resamples : int
        For strengths; in all, 1 or more: each of the m tables has its share, 2 at least.

    Returns
    -------
    pandas.DataFrame
        The columns of `FittedNetwork.effects`; spread is a mean over the tables. Its `attrs` also
        hold m as "tables", and as "resamples" how many were drawn in all.

    Examples
    --------
    >>> import pandas as pd
    >>> from bjp_engine.parameters import impute, pool_effects
    >>> frame = pd.DataFrame({"a": ["n", "y", None, "y"] * 25, "b": ["n", "y", "n", None] * 25})
    >>> found = pool_effects(impute(frame, 5), [("a", "b")])
    >>> found[["x", "y", "kind"]].values.tolist(), found.attrs["tables"]
    ([['a', 'b', 'log odds ratio']], 5)
    """
    instance(imputed, "imputed", Imputed, "what `impute` returns")
    seed = check_resampling(level, resamples, seed, progress)
    m = len(imputed.datasets)
    if m == 1:
        how = level, ordered, resamples, seed, progress
        return edge_effects(imputed.datasets[0], graph, *how)
    each = max(2, -(-resamples // m))
    tables: list[GraphEdges] = []
    within: list[Floats] = []
    for k, data in enumerate(imputed.datasets):
        tables.append(GraphEdges(data, graph, ordered_places(data, ordered), progress.quiet))
        progress.tick(k * each, m * each)
        # No two tables have a seed in common.
        within.append(tables[-1].variances(each, seed * m + k, progress.quiet))
    progress.finish(m * each)
    effects, between = np.zeros((2, len(tables[0].edges)))
    for number, edge in enumerate(tables[0].edges):
        values = np.stack([one.associations[number].log_odds for one in tables])
        centre = values.mean(axis=0)
        effects[number] = edge.quads.effect(centre)
        between[number] = sum(edge.quads.effect(part) ** 2 for part in values - centre) / (m - 1)
    reach = rubin_reach(np.mean(within, axis=0), between, m, level)
    least = [0.0 if edge.kind == STRENGTH else -np.inf for edge in tables[0].edges]
    ends = np.maximum(effects - reach, least), effects + reach
    spreads = np.mean([[found.spread for found in one.associations] for one in tables], axis=0)
    made = {"level": float(level), "resamples": m * each, "seed": seed, "tables": m}
    return tables[0].table(effects, ends, spreads, **made)


def rubin_reach(within: Floats, between: Floats, m: int, level: float) -> Floats:
    """Half the length of the interval t_ν √T, from the variances W and B of m tables."""
    from scipy.special import stdtrit

    extra = (1 + 1 / m) * between
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(extra > 0, (m - 1) * (1 + within / extra) ** 2, np.inf)
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(within + extra))
