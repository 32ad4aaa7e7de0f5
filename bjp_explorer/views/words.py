"""Sentences that pages and the report share: what a confidence means, and what a prior adds."""

from __future__ import annotations

from bjp_engine.confidence import EdgeConfidence, Ended
from bjp_engine.search import SearchTrace
from bjp_explorer.shell.text import count, number

# From so many pairs on, chance alone is likely to make some of them look dependent.
_MANY_PAIRS = 300


def meaning_of_confidence(sure: EdgeConfidence, prior: str) -> str:
    """What the numbers mean."""
    if sure.kind == "test":
        text = (
            "Confidence here: the probability that the pair is dependent, by the one test that BJP "
            "computes of it, given the blanket of one end. It takes the rest of the graph as right"
        )
        amount = len(sure.names) * (len(sure.names) - 1) // 2
        if amount < _MANY_PAIRS:
            return f"{text}."
        return (
            f"{text}, and each pair for as likely dependent as not beforehand: of {amount:,} pairs "
            "some reach a high confidence by chance."
        )
    if sure.kind == "bootstrap":
        return (
            f"Confidence here: the share of {count(sure.made, 'resample')} of the rows "
            f"(seed {sure.seed}) in whose learned graph the pair is an edge."
        )
    if sure.kind == "exact":
        n = len(sure.names)
        return (
            f"Confidence here: the posterior probability of the edge, summed over all "
            f"{1 << (n * (n - 1) // 2):,} graphs, each weighed by its BJP score and {prior}. "
            "With so few variables it is exact."
        )
    over = ", until the time was over" if sure.ended is Ended.TIME else ""
    return (
        "Confidence here: the posterior probability of the edge over all graphs, each weighed by "
        f"its BJP score and {prior}, from {sure.made:,} draws of Markov chains "
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
            "Each pair has its own prior odds, chosen by the search from the same data; the prior "
            f"{adds}. What is climbed is therefore a composite objective and no posterior: under "
            "it two graphs compare, two searches do not."
        )
    probability = number(given.probability(len(trace.graph)), 4)
    how = ", estimated from the data" if estimated else ""
    return f"Beforehand each edge has probability {probability}{how}; this prior {adds}."
