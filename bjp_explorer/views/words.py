"""Sentences that pages and the report share: what a confidence means, and what a prior adds."""

from __future__ import annotations

from bjp_engine.confidence import EdgeConfidence, Ended
from bjp_engine.scores import SCORES
from bjp_engine.search import SearchTrace
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.text import count, number

# From so many pairs on, chance alone is likely to make some of them look dependent.
_MANY_PAIRS = 300
# After the name of a score, by the prior cells of its tests.
OF_TESTS = {"equal": "", "centred": " (centred cells)"}
# What the number of a pair is, by its kind.
MEASURES = {
    "calibrated": "calibrated probability",
    "test": "Pr(dependent)",
    "bootstrap": "share of resamples",
    "exact": "edge probability",
    "mcmc": "edge probability",
}


def score_name(method: str, uniform: bool, cells: Cells) -> str:
    """What is climbed: a score by its tests, or its sum with the prior over structures."""
    return f"ln {SCORES[method].title}{OF_TESTS[cells]}{'' if uniform else ' + prior'}"


def meaning_of_confidence(sure: EdgeConfidence, prior: str) -> str:
    """What the numbers mean."""
    tests = OF_TESTS[sure.options.get("prior_cells", "equal")]
    if sure.kind == "test":
        text = (
            f"Pr(dependent) is the posterior of the one test{tests} that BJP computes for the "
            "pair, given the blanket of one end. It is not why a pair is an edge, because a search "
            "compares scores of whole graphs. The test assumes that the rest of the graph is right"
        )
        amount = len(sure.names) * (len(sure.names) - 1) // 2
        if amount < _MANY_PAIRS:
            return f"{text}."
        return (
            f"{text}, and gives dependence a prior of ½ for each pair. Among {amount:,} pairs, "
            "some reach a high probability by chance."
        )
    if sure.kind == "calibrated":
        return (
            "Calibrated probability: auto’s evidence for the pair, on a scale fitted to samples of "
            "known networks, where it is right on average. It is too low where nearly all edges "
            "are weak, and for data of another kind it is a guess."
        )
    if sure.kind == "bootstrap":
        return (
            "Share of resamples: how often the pair is an edge of the graph learned from "
            f"{count(sure.made, 'resample')} of the rows (seed {sure.seed})."
        )
    if sure.kind == "exact":
        n = len(sure.names)
        return (
            "Edge probability: the exact posterior probability of the edge, summed over all "
            f"{1 << (n * (n - 1) // 2):,} graphs, each weighted by its BJP score{tests} and "
            f"{prior}."
        )
    over = ", which ended at the time limit" if sure.ended is Ended.TIME else ""
    return (
        "Edge probability: the posterior probability of the edge over all graphs, each weighted by "
        f"its BJP score{tests} and {prior}, estimated from {sure.made:,} draws of Markov chains "
        f"(seed {sure.seed}){over}."
    )


def prior_of(trace: SearchTrace, estimated: bool) -> str:
    """The prior over structures that a score counts, in words.

    Nothing for the uniform one, the paper's.
    """
    given, adds = trace.structure, f"adds {number(trace.log_prior)} to the score"
    if given.uniform:
        return ""
    if given.log_odds is not None:
        return (
            "Each pair has its own prior odds, which the search chose from the same data; the "
            f"prior {adds}. The search therefore climbs a composite objective, not a posterior: "
            "it can compare two graphs, but not two searches."
        )
    probability = number(given.probability(len(trace.graph)), 4)
    how = ", estimated from the data" if estimated else ""
    return f"The prior probability of each edge is {probability}{how}; this prior {adds}."
