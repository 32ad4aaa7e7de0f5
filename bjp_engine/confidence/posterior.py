"""The posterior probability of each edge: over all graphs, weighted by their score.

With few variables every graph is scored and the sum is exact. With more, Markov chains draw graphs
G with probability proportional to e^score(G), prior over structures included, and of each pair the
mean probability over the draws is taken (`bjp_engine.confidence.chains`). Each chain runs in a
thread of its own, with its own random numbers; the chains begin far apart, and whether they agree
in the end is part of the result (`bjp_engine.confidence.diagnostics`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Any, Literal, get_args

import numpy as np

from bjp_engine.confidence.chains import Chain, FlipSampler, LookUpSampler, Plan, every_score
from bjp_engine.confidence.diagnostics import LEAST_DRAWS, diagnose, pool
from bjp_engine.confidence.edges import EdgeConfidence, Ended
from bjp_engine.dataset import DataLike, as_dataset
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency, to_adjacency
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, keep
from bjp_engine.scores import Score
from bjp_engine.scores.known import freeze_known
from bjp_engine.scores.mpl import MPL, MPLOptions
from bjp_engine.search import StopReason, learn
from bjp_engine.search.exhaustive import MOST_VARIABLES, score_all_graphs
from bjp_engine.search.flips import free_pairs
from bjp_engine.search.many import threads_of
from bjp_engine.search.mpl_hc import climb_mpl
from bjp_engine.search.problem import Problem, pose
from bjp_engine.validate import choice, positive_number, whole_number

How = Literal["auto", "exact", "mcmc"]

# Up to so many variables scores are looked up; with one more, tests and memory double and more.
MOST_LOOKED_UP = 12
# Seconds of work between two looks at whether to stop.
_PATIENCE = 0.2
# Seconds for a draw of every chain, below which threads would mostly wait for each other.
_WORTH_A_THREAD = 0.02
# The warm-up's share of the time, at most.
_WARM_SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """How many chains are run, and for how long.

    Parameters
    ----------
    chains : int
        1 or more; of one alone nothing shows whether it mixed.
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
    """

    chains: int = 4
    draws: int = 2000
    thin: int | None = None
    warm_up: int | None = None
    temperatures: int | None = None
    seconds: float | None = None
    n_jobs: int = -1

    def __post_init__(self) -> None:
        chains = whole_number(self.chains, "chains", 1)
        keep(self, chains=chains, draws=whole_number(self.draws, "draws", LEAST_DRAWS))
        for name, least in (("thin", 1), ("warm_up", 0), ("temperatures", 1)):
            if getattr(self, name) is not None:
                keep(self, **{name: whole_number(getattr(self, name), name, least)})
        if self.seconds is not None:
            keep(self, seconds=positive_number(self.seconds, "seconds"))
        threads_of(self.n_jobs)

    def plan(self, n: int) -> Plan:
        """The chains' length for n variables."""
        copies, few = self.temperatures, n <= MOST_LOOKED_UP
        return Plan(
            self.draws // 2 if self.warm_up is None else self.warm_up,
            self.draws,
            (8 if few else 1) if copies is None else copies,
            (10 if few else 1) if self.thin is None else self.thin,
        )


def posterior_edges(
    data: DataLike,
    method: str | Score = "bjp",
    *,
    how: How = "auto",
    seed: int = 0,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> EdgeConfidence:
    """The posterior probability of each edge, over all graphs (docs/theory.md §12).

    Parameters
    ----------
    data : Dataset, DataFrame or array
        N rows of n variables.
    method : {"bjp", "ib", "mpl", "near"} or Score
        The score whose exponential is taken for the probability of graph and data.
    how : {"auto", "exact", "mcmc"}
        Score every graph, or draw graphs by Markov chains; "auto" does the first as long as
        there are few enough variables.
    seed : int
        0 or more.
    progress : Progress
        Gets the number of draws that were made, or of graphs' tests; once it is cancelled, what
        was drawn until then is returned.
    **options
        The score's, the prior's over structures and what is `known` of pairs, see `learn`; and,
        for Markov chains, those of `ChainOptions`.

    Returns
    -------
    EdgeConfidence
        Of kind "exact", or of kind "mcmc" with Monte Carlo errors and `diagnostics`. Where the
        time was over, or it was cancelled, `ended` says so and `made` how many draws count.

    Examples
    --------
    >>> from bjp_engine.confidence import posterior_edges
    >>> data = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> round(37 * posterior_edges(data).of(0, 1).confidence, 9)
    30.0
    """
    check_progress(progress)
    data = as_dataset(data).drop_unused_states()
    whole_number(seed, "seed")
    choice(how, "how", get_args(How))
    began = time.perf_counter()
    of_chains = options.keys() & ChainOptions.__dataclass_fields__.keys()
    settings = ChainOptions(**{name: options[name] for name in of_chains})
    rest = freeze_known({name: options[name] for name in options if name not in of_chains})
    problem = pose(data, method, rest, progress.quiet)
    if how == "exact" or (how == "auto" and data.n <= MOST_VARIABLES):
        made = _exact(replace(problem, progress=progress), rest)
    else:
        made = _drawn(problem, settings, seed, rest, progress)
    return replace(made, seconds=time.perf_counter() - began)


def _exact(problem: Problem, options: dict[str, Any]) -> EdgeConfidence:
    found = score_all_graphs(problem).edge_probabilities
    return EdgeConfidence(
        "exact",
        problem.data.names,
        # Else their sum may lack the last digit.
        found if problem.pairs is None else problem.pairs.settle(found),
        None,
        problem.score.name,
        options=FrozenMapping(options),
    )


def _drawn(
    problem: Problem, settings: ChainOptions, seed: int, options: dict[str, Any], progress: Progress
) -> EdgeConfidence:
    """Markov chains over graphs; `progress` is theirs, and the problem's reports nothing."""
    began, names = time.perf_counter(), problem.data.names
    plan = settings.plan(len(names))
    first, *seeds = np.random.SeedSequence(seed).spawn(1 + settings.chains)
    starts = map(problem.agreeing, dispersed_starts(problem, options, np.random.default_rng(first)))
    chains = _chains(problem, list(islice(starts, settings.chains)), plan, seeds)
    ended = run_chains(chains, plan, settings, began, progress)
    matrix, error = pool([chain.tally for chain in chains], len(names))
    return EdgeConfidence(
        "mcmc",
        names,
        matrix,
        error,
        problem.score.name,
        options=FrozenMapping(options),
        seed=seed,
        asked=settings.chains * plan.draws,
        made=sum(chain.tally.made for chain in chains),
        ended=ended,
        diagnostics=diagnose(chains, names),
    )


def dispersed_starts(
    problem: Problem, options: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[Adjacency]:
    """Graphs as far from each other as is cheap, for chains to begin at, without end."""
    data = problem.data
    trace = learn(data, problem.score, progress=problem.progress, **options)
    if trace.stop_reason is StopReason.CANCELLED:
        raise Cancelled("The computation was cancelled.")
    yield to_adjacency(trace.graph, data)
    yield np.zeros((data.n, data.n), dtype=np.bool_)
    # The densest start of any search, then random graphs as dense as that.
    either = climb_mpl(data, MPL(), MPLOptions(), problem.progress, flips=False).milestones["or"]
    yield either
    while True:
        upper = np.triu(rng.random((data.n, data.n)) < either.mean(), 1)
        yield upper | upper.T


def _chains(
    problem: Problem,
    starts: Sequence[Adjacency],
    plan: Plan,
    seeds: Sequence[np.random.SeedSequence],
) -> list[Chain]:
    """A chain for each start: by look-ups where there are few variables."""
    n, free = problem.data.n, free_pairs(problem)
    scores = every_score(problem) if n <= MOST_LOOKED_UP else None
    chains = []
    for start, seed in zip(starts, seeds, strict=True):
        sampler = (
            FlipSampler(problem, start, plan.temperatures, seed)
            if scores is None
            else LookUpSampler(scores, start, plan.temperatures, seed, free)
        )
        chains.append(Chain(sampler, plan, n * (n - 1) // 2))
    return chains


def run_chains(
    chains: Sequence[Chain], plan: Plan, settings: ChainOptions, began: float, progress: Progress
) -> Ended:
    """Warm the chains up and draw from them, side by side, equally many draws of each."""
    seconds = math.inf if settings.seconds is None else settings.seconds
    total = len(chains) * (plan.warm_up + plan.draws)

    with ThreadPoolExecutor(threads_of(settings.n_jobs), "chain") as pool:

        def advance(
            step: Callable[[Chain, int], None], draws: int, enough: int, before: int, until: float
        ) -> int:
            made, block, pace = 0, 1, 0.0
            while made < draws and not (made >= enough and time.perf_counter() > until):
                progress.tick(len(chains) * (before + made), total)
                block, started = min(block, draws - made), time.perf_counter()
                run = map if pace < _WORTH_A_THREAD else pool.map
                list(run(step, chains, repeat(block)))
                made += block
                pace = (time.perf_counter() - started) / block
                block = max(1, min(4 * block, int(_PATIENCE / max(pace, 1e-9))))
            progress.tick(len(chains) * (before + made), total)
            return made

        advance(Chain.warm, plan.warm_up, 1, 0, began + _WARM_SHARE * seconds)
        try:
            made = advance(Chain.draw, plan.draws, LEAST_DRAWS, plan.warm_up, began + seconds)
        except Cancelled:
            if chains[0].tally.made < LEAST_DRAWS:
                raise
            return Ended.CANCELLED
    return Ended.COMPLETE if made == plan.draws else Ended.TIME
