"""What `bjp learn` says of a search: its arguments, and what came of it in lines."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import OptionError, clip

if TYPE_CHECKING:
    from bjp_engine.search import SearchTrace


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """The search, where it starts, how much it may use, and its own options."""
    parser.add_argument(
        "--search",
        help="default auto (bjp, ib) or mpl-hc (mpl); ibmap-hc (bjp, ib) is the paper's, "
        "hill-climb (bjp, ib), steepest, tabu, restarts, annealing, exhaustive, exact (ib, mpl)",
    )
    parser.add_argument("--start", help="empty, mpl-and, mpl-or, mpl, chow-liu, or a graph file")
    parser.add_argument("--seconds", type=float, help="how long search and mcmc may take each")
    parser.add_argument("--evaluations", type=int, help="how many flips it may try")
    parser.add_argument("--seed", type=int, help="of random numbers, default 0")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the search, such as tenure=20 of tabu; may be repeated",
    )


def search_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The budget, the seed and what `--option` says of the search's own options."""
    from bjp_engine.search import SEARCHES, searches_for

    name = arguments.search or searches_for(arguments.method)[0]
    kinds = (
        {field.name: type(field.default) for field in fields(SEARCHES[name].options_type)}
        if name in SEARCHES
        else {}
    )
    given = {key: getattr(arguments, key) for key in ("seconds", "evaluations", "seed")}
    found = {key: value for key, value in given.items() if value is not None}
    if arguments.confidence is not None and "seed" not in kinds:
        found.pop("seed", None)
    for text in arguments.option:
        key, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option {clip(text)} must read NAME=VALUE.")
        found[key] = _typed(text, value, kinds.get(key, str))
    return found


def _typed(text: str, value: str, kind: type) -> Any:
    """The value of an option, as the type of its default."""
    if kind not in (int, float):
        return value
    try:
        return kind(value)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise OptionError(f"--option {clip(text)}: the value must be {wanted}.") from None


def trace_lines(trace: SearchTrace) -> Iterator[str]:
    """What a search found, in lines."""
    flips = sum(step.phase != "blanket" for step in trace.steps)
    after = flips - (len(trace.steps) - trace.best_at)
    best = f"{after} of {flips}" if after < flips else f"{flips}"
    yield (
        f"{trace.method} by {trace.search}: {trace.graph.number_of_edges()} edges after "
        f"{best} flips in {trace.seconds:.3g} s; {trace.stop_reason}"
    )
    yield f"evaluations: {trace.evaluations}"
    yield f"prior: {_prior_line(trace)}"
    yield f"score: {trace.score!r}"


def _prior_line(trace: SearchTrace) -> str:
    """The prior over structures, and what it does to the score."""
    prior = trace.structure
    if prior.uniform:
        return "every graph is equally probable"
    if prior.log_odds is None:
        told = f"each edge has probability {prior.probability(len(trace.graph)):.4g}"
    else:
        told = (
            "each pair has odds of its own, chosen by the search from the same data, so the score "
            "is a composite objective"
        )
    return f"{told}; it adds {trace.log_prior:.4f} to the score"
