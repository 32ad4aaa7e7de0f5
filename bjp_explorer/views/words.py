"""Sentences that pages and the report share: what a confidence means, and what a prior adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from bjp_engine import Dataset, score
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import ABSENT, PRESENT, judge_pairs
from bjp_engine.kernels.centred import KAPPAS
from bjp_engine.parameters import Imputed
from bjp_engine.scores import SCORES, AssertionScore
from bjp_engine.search import SearchTrace
from bjp_explorer.shell import origins
from bjp_explorer.shell.text import count, number
from bjp_explorer.views.payloads import Payload, best_of, look_of

# --- Verdicts -------------------------------------------------------------------------------------

# What makes a pair present, and what absent.
USUAL = f"present from {PRESENT:g}, absent up to {ABSENT:g}"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Of all pairs."""

    # How many pairs are taken for edges, for neither, and for none.
    present: int
    undecided: int
    absent: int
    # Pairs of which the fit has not seen the like; nothing else here counts them.
    beyond: int
    # How many present pairs are expected to be no edge, and how many edges are expected among all
    # other pairs: sums of 1 - p and of p.
    false: float
    missed: float


def judge(sure: EdgeConfidence) -> Verdicts:
    """Count all pairs, of which some are like those of the fit."""
    assert sure.judged is not None
    judged = np.triu(sure.judged, 1)
    p = sure.matrix[judged]
    verdict = judge_pairs(p)
    present, undecided, absent = (
        int((verdict == one).sum()) for one in ("present", "undecided", "absent")
    )
    beyond = len(sure.names) * (len(sure.names) - 1) // 2 - len(p)
    false = math.fsum(1.0 - p[verdict == "present"])
    return Verdicts(present, undecided, absent, beyond, false, math.fsum(p[verdict != "present"]))


if TYPE_CHECKING:
    from bjp_explorer.jobs.flips import Flips
    from bjp_explorer.jobs.tasks import Shuffled
    from bjp_explorer.shell.caches import Cells

# From so many pairs on, chance alone is likely to make some of them look dependent.
_MANY_PAIRS = 300
# After the name of a score, by the prior cells of its tests.
OF_TESTS = {"equal": "", "centred": " (centred cells)"}
# Said wherever the score can be chosen.
NEAR_ABOUT = (
    "Near blankets is our extension of the paper’s BJP: each pair is tested given only the "
    "neighbours through which the other variable can be reached."
)
# The legend of edges held against the true network.
AGAINST_TRUTH = {"tp": "true positive", "fp": "false positive", "missing": "missing"}
SEEING = (
    "These are probabilities of a model fitted to observed rows: what to expect after seeing the "
    "evidence, not the effect of an intervention that sets it."
)
# What the number of a pair is, by its kind.
MEASURES = {
    "calibrated": "calibrated probability",
    "test": "Pr(dependent)",
    "bootstrap": "share of resamples",
    "exact": "edge probability",
}


def unit_of(method: str) -> str:
    """What a score is made of."""
    return "test" if isinstance(SCORES[method], AssertionScore) else "local score"


def of_score(method: str) -> str:
    """A score's name as the owner of something: a plural takes the apostrophe alone."""
    title = SCORES[method].title
    return f"{title}’" if title.endswith("s") else f"{title}’s"


def score_name(method: str, uniform: bool, cells: Cells) -> str:
    """What is climbed: a score by its tests, or its sum with the prior over structures."""
    return f"ln {SCORES[method].title}{OF_TESTS[cells]}{'' if uniform else ' + prior'}"


def edges_found(trace: SearchTrace, flips: Flips) -> str:
    """How many edges a search found, and after which of its flips."""
    made, best = len(flips), best_of(flips, trace)
    edges = count(trace.graph.number_of_edges(), "edge")
    if best == made:
        return f"{edges} after {count(made, 'flip')}"
    if best:
        return f"{edges} after {best:,} of {count(made, 'flip')}"
    return f"{edges}, as at the start: none of {count(made, 'flip')} led to a better graph"


def climb_names(
    identity: str, method: str, search: str, *, uniform: bool, cells: Cells = "equal"
) -> Payload:
    """What a climb and its score are called, and how it is drawn."""
    first = "Most at odds with the graph" if search == "auto" else "Lowest local contributions"
    return {
        "id": identity,
        "method": method,
        "look": look_of(method),
        "score_name": score_name(method, uniform, cells),
        "short_name": f"ln {origins.short_title(method)}" if uniform else "score",
        # What the pairs are, the first of which is proposed next.
        "queue": first,
    }


def agreement(networks: int) -> Mapping[str, str]:
    """The legend of edges by how many of some networks have them."""
    every = {2: "in both", 3: "in all three", 4: "in all four"}.get(networks, f"in all {networks}")
    some = {"some": "in two" if networks == 3 else "in some"} if networks > 2 else {}
    return {"all": every, **some, "only": "only here"}


def centred_odds() -> str:
    """The odds of dependence in a slice by centred prior cells. Markdown with a formula."""
    light, heavy = (f"{kappa:g}" for kappa in KAPPAS)
    return rf"""$$
\begin{{gathered}}
\frac{{h}}{{g}} = \tfrac12 \sum_{{\kappa = {light}, {heavy}}} \exp u_\kappa, \\
u_\kappa = U(c; A\,p\,q^{{\mathsf T}}) - U(a; A\,p) - U(b; A\,q)
\end{{gathered}}
$$

c: counts, with margins a and b and their shares p = a / n, q = b / n. A = κ × states of one
variable × states of the other, of those in the slice. U(v; w) = ln Γ(Σw) − ln Γ(Σw + Σv) +
Σ [ln Γ(w + v) − ln Γ(w)]."""


def _of_calibrated(sure: EdgeConfidence) -> str:
    """What calibrated probabilities mean, if any pair of these data is like those of the fit."""
    if sure.judged is not None and not sure.judged.any():
        return "Calibrated probability: its scale was fitted to other data than these."
    return (
        "Calibrated probability: auto’s evidence for the pair, on a scale fitted to samples of "
        f"known networks. There, nine in ten pairs of {PRESENT} or more are edges, and nine in "
        f"ten of {ABSENT} or less are not. Between, the number can be too low (more than two "
        "states) or too high (few edges); for data of another kind it is a guess. Where edges are "
        f"many and weak, or a cause was not observed, many pairs of {ABSENT} or less can be edges."
    )


def meaning_of_confidence(sure: EdgeConfidence) -> str:
    """What the calibrated probabilities, or the posteriors of the tests, mean."""
    if sure.kind == "calibrated":
        return _of_calibrated(sure)
    tests = OF_TESTS[sure.options.get("prior_cells", "equal")]
    text = (
        f"Pr(dependent) is the posterior of the one test{tests} that BJP computes for the pair, "
        "given the blanket of one end. It is not why a pair is an edge, because a search compares "
        "scores of whole graphs. The test assumes that the rest of the graph is right"
    )
    amount = len(sure.names) * (len(sure.names) - 1) // 2
    if amount < _MANY_PAIRS:
        return f"{text}."
    return (
        f"{text}, and gives dependence a prior of ½ for each pair. Among {amount:,} pairs, some "
        "reach a high probability by chance."
    )


def describe_verdicts(found: Verdicts) -> str:
    """How all pairs are judged, and how many errors to expect. Markdown."""
    total = found.present + found.undecided + found.absent
    if not total:
        return ""
    kind = "judged pair" if found.beyond else "pair"
    text = (
        f"**{found.present:,} of {count(total, kind)} {'is' if found.present == 1 else 'are'} "
        f"present, {found.absent:,} absent, {found.undecided:,} undecided** ({USUAL})."
    )
    if found.present:
        text += (
            f" Of the present pairs, {_expected(found.false)} are expected to be no edge; among "
            f"the others, {_expected(found.missed)} edges are expected."
        )
    return text


def _expected(amount: float) -> str:
    """An expected number, of which nearly none is not said to be none."""
    return number(amount, 1) if amount >= 0.1 else "fewer than 0.1"


def describe_shuffled(found: Shuffled, trace: SearchTrace) -> str:
    """What the search finds by chance, compared with what it found. Markdown."""
    edges, present = (
        number(fmean(each), 2).rstrip("0").rstrip(".") for each in (found.edges, found.present)
    )
    own, tables = trace.graph.number_of_edges(), len(found.edges)
    return (
        f"**Chance**: {count(own, 'edge')} {'is' if own == 1 else 'are'} learned from these data, "
        f"and {edges} on average from {tables} tables with every column shuffled. "
        f"Present pairs: {found.own_present:,}, and {present} on average. "
        f"{warn_of_chance(found, trace)}"
    ).strip()


def warn_of_chance(found: Shuffled, trace: SearchTrace) -> str:
    """That as many edges are found where nothing depends on anything, if so."""
    own, tables = trace.graph.number_of_edges(), len(found.edges)
    as_many = sum(each >= own for each in found.edges)
    # No more than one in twenty is what a test at 0.05 allows.
    if not own or 20 * as_many <= tables:
        return ""
    return (
        f"In {as_many:,} of {tables:,} tables with shuffled columns the search finds as many edges "
        "or more, so chance explains the number of edges."
    )


def prior_of(trace: SearchTrace, estimated: bool) -> str:
    """The prior over structures that a score counts, in words.

    Nothing for the uniform one, the paper's.
    """
    given, adds = trace.structure, f"adds {number(trace.log_prior)} to the score"
    if given.uniform:
        return ""
    if given.log_odds is not None:
        return f"Some pairs have a prior probability of their own; this prior {adds}."
    probability = number(given.probability(len(trace.graph)), 4)
    how = ", estimated from the data" if estimated else ""
    return f"The prior probability of each edge is {probability}{how}; this prior {adds}."


# --- Completed tables -----------------------------------------------------------------------------

# A pair is drawn from this mean probability on.
DRAWN = 0.5
FIRST_COMPLETED = (
    "Missing cells were imputed; this page uses the first of {tables} completed tables."
)


def first_completed(imputed: Imputed | None) -> str:
    """That a page shows one of several completed tables; empty where nothing was imputed."""
    return "" if imputed is None else FIRST_COMPLETED.format(tables=len(imputed.datasets))


def is_pooled(sure: EdgeConfidence | None) -> bool:
    """Whether numbers are means over completed tables."""
    return sure is not None and sure.kind == "calibrated" and sure.made > 1


def pooled_trace(data: Dataset, first: SearchTrace, sure: EdgeConfidence) -> SearchTrace:
    """The search in the first completed table, with the graph of the pooled probabilities.

    Its score is that of this graph in the first table; its steps are those of the search.
    """
    graph = sure.graph(DRAWN)
    scored = score(data, graph, first.method, **first.given)
    return replace(first, graph=graph, score=scored.total, log_prior=scored.log_prior)


def describe_imputed(
    imputed: Imputed | None, sure: EdgeConfidence | None, search: str, *, effects: bool
) -> str:
    """What was imputed and what comes of it, in plain text; empty where nothing was.

    `effects`: whether there are any, which are pooled then.
    """
    if imputed is None:
        return ""
    tables = f"{len(imputed.datasets)} completed tables"
    if not is_pooled(sure):
        if effects:
            rest = f"Effects are pooled over {tables}; all else is from the first of them."
        else:
            rest = f"What is shown is from the first of {tables}."
        return f"{imputed.sentence} {rest}"
    also = ", and effects are pooled over them" * effects
    graph = (
        f"The graph has the pairs with a mean of {DRAWN:g} or more. All else is"
        if search == "auto"
        else "The graph and all else are"
    )
    return (
        f"{imputed.sentence} Probabilities are means over {tables}{also}. {graph} from the first "
        "table."
    )
