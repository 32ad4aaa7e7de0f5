"""The graph and the sentence of probabilities that are means over completed tables."""

from __future__ import annotations

from dataclasses import replace

from bjp_engine import Dataset, score
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.parameters import Imputed
from bjp_engine.search import SearchTrace

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
