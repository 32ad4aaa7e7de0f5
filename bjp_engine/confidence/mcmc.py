"""The posterior probability of each edge: over all graphs, weighted by their score.

With few variables every graph is scored and the sum is exact. With more, Markov chains draw graphs
G with probability proportional to e^score(G), prior over structures included, and of each pair the
mean probability over the draws is taken (`bjp_engine.confidence.chain`). The chains begin far
apart (`bjp_engine.confidence.starts`); whether they agree in the end is told with the result
(`bjp_engine.confidence.diagnostics`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bjp_engine.confidence.chain import FlipChain
from bjp_engine.confidence.diagnostics import diagnose
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.confidence.pooled import pooled
from bjp_engine.confidence.starts import dispersed, posed
from bjp_engine.confidence.tabled import MOST_TABLED, TabledChain, tabled
from bjp_engine.confidence.tally import Chain, Plan
from bjp_engine.confidence.together import Clock, run_together
from bjp_engine.dataset import Dataset, check_dataset
from bjp_engine.errors import OptionError, clip, is_number
from bjp_engine.frozen import FrozenMapping
from bjp_engine.graph import Adjacency
from bjp_engine.progress import Progress
from bjp_engine.search.base import Problem
from bjp_engine.search.exhaustive import MOST_VARIABLES, score_all_graphs
from bjp_engine.search.many import threads_of
from bjp_engine.search.starts import whole_number

How = Literal["auto", "exact", "mcmc"]


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """How many chains are run, and for how long.

    Parameters
    ----------
    chains : int
        1 or more; with one alone nothing tells whether it mixed.
    draws : int
        Of each chain; 8 or more.
    thin : int, optional
        Sweeps a draw; by default 10 for up to 12 variables, where they cost little, else 1.
    warm_up : int, optional
        Draws before the first that counts; by default half as many.
    temperatures : int, optional
        Copies of each chain that exchange graphs; by default 8 for up to 12 variables, else 1:
        warm copies hold dense graphs, whose tests take longest.
    seconds : float, optional
        Wall-clock time. A third of it at most is spent on the warm-up.
    n_jobs : int
        How many threads; -1 for every core. The result is the same for any number.

    Raises
    ------
    OptionError
        If one is out of range.
    """

    chains: int = 4
    draws: int = 2000
    thin: int | None = None
    warm_up: int | None = None
    temperatures: int | None = None
    seconds: float | None = None
    n_jobs: int = -1

    def __post_init__(self) -> None:
        """Refuse what no chain can be run with."""
        whole_number("chains", self.chains, 1)
        whole_number("draws", self.draws, 8)
        for name, least in (("thin", 1), ("warm_up", 0), ("temperatures", 1)):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), least)
        if self.seconds is not None and not (is_number(self.seconds) and self.seconds > 0):
            raise OptionError(f"seconds={clip(self.seconds)} must be a positive number.")
        threads_of(self.n_jobs)

    def plan(self, n: int) -> Plan:
        """The chains' length for n variables."""
        copies, few = self.temperatures, n <= MOST_TABLED
        return Plan(
            self.draws // 2 if self.warm_up is None else self.warm_up,
            self.draws,
            (8 if few else 1) if copies is None else copies,
            (10 if few else 1) if self.thin is None else self.thin,
        )


def posterior_edges(
    data: Dataset,
    method: str = "bjp",
    *,
    how: How = "auto",
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    **options: Any,
) -> EdgeConfidence:
    """The posterior probability of each edge, over all graphs.

    Parameters
    ----------
    data : Dataset
        N rows of n variables.
    method : {"bjp", "ib", "mpl"}
        The score whose exponential is taken for the probability of graph and data.
    how : {"auto", "exact", "mcmc"}
        Score every graph, or draw graphs by Markov chains; "auto" does the first as long as
        there are few enough variables.
    seed : int
        0 or more.
    on_progress : callable(done, total), optional
        Called with how many sweeps are made, or how much is scored of all graphs.
    cancelled : callable() -> bool, optional
        Asked often; once True, what was drawn until then is returned.
    **options
        The score's and the prior's over structures, see `learn`; and, for Markov chains, those of
        `ChainOptions`.

    Returns
    -------
    EdgeConfidence
        Of kind "exact", or of kind "mcmc" with Monte Carlo errors and `diagnostics`. Where the
        time was over, or it was cancelled, `ended` says so and `made` how many draws count.

    Raises
    ------
    OptionError
        If an argument isn't known or out of range.
    DataError
        If every graph is to be scored of too many variables.
    Cancelled
        If it was cancelled before there were enough draws.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> round(37 * posterior_edges(data).of(0, 1).confidence, 9)
    30.0

    References
    ----------
    docs/theory.md §12.
    """
    check_dataset(data)
    whole_number("seed", seed, 0)
    if how not in ("auto", "exact", "mcmc"):
        raise OptionError(f"how={clip(how)} is not known; use 'auto', 'exact' or 'mcmc'.")
    began = time.perf_counter()
    names = ChainOptions.__dataclass_fields__
    wanted = {name: value for name, value in options.items() if name in names}
    rest = {name: value for name, value in options.items() if name not in names}
    settings = ChainOptions(**wanted)
    problem = posed(data, method, Progress(on_progress, cancelled), rest)
    if how == "exact" or (how == "auto" and data.n <= MOST_VARIABLES):
        made = _exact(problem, rest)
    else:
        made = _drawn(problem, settings, seed, rest)
    return replace(made, seconds=time.perf_counter() - began)


def _exact(problem: Problem, options: dict[str, Any]) -> EdgeConfidence:
    """Every graph scored."""
    table = score_all_graphs(problem)
    return EdgeConfidence(
        "exact",
        problem.data.names,
        table.edge_probabilities,
        None,
        problem.score.name,
        options=FrozenMapping(options),
    )


def _drawn(
    problem: Problem, settings: ChainOptions, seed: int, options: dict[str, Any]
) -> EdgeConfidence:
    """Markov chains over graphs."""
    began, data = time.perf_counter(), problem.data
    plan, watch = settings.plan(data.n), problem.watch
    first, *own = np.random.SeedSequence(seed).spawn(1 + settings.chains)
    starts = dispersed(problem, options, settings.chains, np.random.default_rng(first))
    chains = _chains(replace(problem, watch=Progress(None, watch.cancelled)), starts, plan, own)
    clock = Clock(began, settings.seconds, watch)
    ended = run_together(chains, plan, clock, threads_of(settings.n_jobs))
    matrix, error = pooled([chain.tally for chain in chains], data.n)
    return EdgeConfidence(
        "mcmc",
        data.names,
        matrix,
        error,
        problem.score.name,
        options=FrozenMapping(options),
        seed=seed,
        asked=settings.chains * plan.draws,
        made=sum(chain.tally.made for chain in chains),
        ended=ended,
        diagnostics=diagnose(chains, data.names),
    )


def _chains(
    problem: Problem,
    starts: Sequence[Adjacency],
    plan: Plan,
    seeds: Sequence[np.random.SeedSequence],
) -> list[Chain]:
    """A chain for each start: by look-ups where there are few variables."""
    each = zip(starts, seeds, strict=True)
    if problem.data.n > MOST_TABLED:
        return [FlipChain(problem, start, plan, seed) for start, seed in each]
    scores = tabled(problem)
    return [TabledChain(scores, start, plan, seed) for start, seed in each]
