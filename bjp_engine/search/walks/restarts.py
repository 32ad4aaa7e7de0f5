"""Steepest ascent again and again, each time from the best graph with some pairs flipped.

Iterated local search (Lourenço, Martin & Stützle 2003): a few random flips lead out of the
reach of one local maximum, and mostly not out of what was right in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bjp_engine.records import keep
from bjp_engine.search.driver import Move
from bjp_engine.search.flips import Pairs
from bjp_engine.search.problem import Problem
from bjp_engine.search.starts import StartOptions
from bjp_engine.search.trace import StopReason
from bjp_engine.search.walks.walk import Walk, WalkSearch, best_flip, try_flips, weigh_more
from bjp_engine.validate import Seed, whole_number, whole_seed


@dataclass(frozen=True, slots=True)
class RestartOptions(StartOptions):
    """How often the ascent is begun again, and how far away.

    Parameters
    ----------
    restarts : int
        Ascents after the first; 0 is plain steepest ascent.
    strength : int
        Pairs flipped before each: half of them edges where there are so many.
    seed : int
        Of the random pairs.
    """

    restarts: int = 10
    strength: int = 6
    seed: Seed = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        StartOptions.__post_init__(self)
        keep(self, seed=whole_seed(self.seed))
        for name, least in (("restarts", 0), ("strength", 1)):
            keep(self, **{name: whole_number(getattr(self, name), name, least)})


@dataclass(frozen=True, eq=False, slots=True)
class RestartWalk(Walk):
    """A walk that counts the ascents that have ended."""

    ascents: int = 0


class Restarts(WalkSearch):
    """Ascend, shake the best graph, ascend again."""

    name = "restarts"
    title = "Restarts by perturbation"
    options_type = RestartOptions
    walk_type = RestartWalk

    def advance(self, problem: Problem, state: RestartWalk, _most: int) -> Move:
        """Ascend one step, or shake the best graph."""
        options: RestartOptions = problem.search_options
        move = _ascend(problem, state)
        if move is not None:
            return move
        problem.progress.tick(state.ascents, options.restarts + 1)
        if state.ascents >= options.restarts:
            return Move(state, stop=StopReason.SCHEDULE)
        shaken = _shaken(state, options)
        if problem.budget.evaluations is not None:
            shaken = shaken[: problem.budget.evaluations - state.evaluations]
        if len(shaken) == 0:
            return Move(state, stop=StopReason.NO_PAIR)
        after = replace(state, ascents=state.ascents + 1)
        return Move(*try_flips(after, shaken, np.full(len(shaken), -np.inf), "restart"))


def _ascend(problem: Problem, walk: RestartWalk) -> Move | None:
    """Weigh some flips, or make the best of all; None where no flip raises the score."""
    more = weigh_more(problem, walk)
    if more is not None:
        return Move(more)
    best = best_flip(walk)
    if best is None:
        return None
    pair = walk.gains.pairs[best : best + 1]
    return Move(*try_flips(walk, pair, np.full(1, -np.inf), "ascent"))


def _shaken(walk: RestartWalk, options: RestartOptions) -> Pairs:
    """The flips that lead from the graph as it stands to the best one, shaken."""
    rng = np.random.default_rng([whole_seed(options.seed), walk.ascents])
    pairs = walk.gains.pairs
    edges = walk.adjacency[pairs[:, 0], pairs[:, 1]]
    half = min(int(edges.sum()), options.strength // 2)
    chosen = rng.permutation(np.flatnonzero(edges))[:half]
    others = rng.permutation(np.flatnonzero(~edges))[: options.strength - half]
    flipped = walk.flips.adjacency[pairs[:, 0], pairs[:, 1]] != edges
    flipped[chosen] ^= True
    flipped[others] ^= True
    return pairs[flipped]
