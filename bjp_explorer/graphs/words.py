"""What *All graphs* says: its headings, how figures are read, and how a climb did."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable, SearchTrace
from bjp_explorer.graphs import gallery
from bjp_explorer.graphs.gallery import Special
from bjp_explorer.shell.text import count
from bjp_explorer.views.words import of_score

ABOUT = "Every graph on at most six variables, ranked by each score."
RANK_BY, OPENED = "Rank by", "chosen among all graphs"
CHOOSE = "Choose one to six variables."
USUAL_VARIABLES = (
    "Chosen: the variables with the strongest pairwise dependences, those with the lowest "
    "Pr(X ⊥ Y | D)."
)
PART_OF_KNOWN = (
    "On these variables alone, the known network also connects two of them if a path through "
    "omitted variables connects them."
)
ACROSS, UP = "Horizontal axis", "Vertical axis"
RANK_HELP = "Click a point to see its graph here, or type a rank."
SCATTER_CAPTION = "Each point is a graph; click one to see it. The best are at the top right."
POSTERIOR_CAPTION = (
    "With a uniform prior over graphs, a graph’s posterior probability is exp(score) divided by "
    "the sum of that over all graphs. The posterior of an edge, in per cent, is the sum over the "
    "graphs that have it."
)
NEAR_POSTERIOR = (
    "By near blankets this is a posterior only if the assertions of a graph are independent of "
    "each other given the data."
)
MATRIX = "Matrix of the posterior probability of each edge."
BARS = "Bars: the edges by descending posterior probability."
EXPLORE_HELP = "Selects these variables as the dataset; then you can open any of their graphs."


def sections(method: str) -> dict[str, str]:
    """The headings by their anchors."""
    return {
        "ranks": "Learned and known graphs",
        "scores": "Score against score",
        "edges": "Posterior of each edge",
        "best": f"The best graphs by {SCORES[method].title}",
    }


def finding(
    table: GraphTable,
    trace: SearchTrace,
    references: Sequence[Special],
    most: int,
    *,
    part: bool,
) -> str:
    """How the climb did, where known graphs rank, and what the `most` best graphs carry.

    `part`: whether the variables are only some of the dataset's.
    """
    n = table.data.n
    if n == 1:
        return "There is only one graph on one variable."
    rank, amount = table.rank(trace.graph), f"{len(table.scores):,}"
    climb = f"{of_score(table.method)} hill climb"
    alone = " alone" if part else ""
    if rank == 1:
        line = f"**{climb} found the best of all {amount} graphs on {_variables(n, part)}{alone}.**"
    else:
        line = (
            f"**{climb} ended at rank {rank:,} of {amount} graphs** on "
            f"{_variables(n, part)}{alone}, because {trace.stop_reason}."
        )
    for special in references:
        line += f" {special.name.capitalize()} has rank {table.rank(special.graph):,}."
    if len(table.scores) >= most:
        share = f"{100 * math.exp(gallery.share_of_best(table, most)):.3g} %"
        line += f" The {most} best graphs carry {share} of the posterior."
    return line


def _variables(n: int, part: bool) -> str:
    """So many variables; these, where others are left out."""
    return f"these {count(n, 'variable')}" if part else count(n, "variable")


def amount_label(method: str) -> str:
    """What the choice of points is called."""
    return f"Show, ranked by {SCORES[method].title}"


def rank_label(method: str) -> str:
    """What the choice of one graph is called."""
    return f"Graph of rank (by {SCORES[method].title})"


def rank_title(place: int) -> str:
    """The heading of one graph."""
    return f"Rank {place:,}"


def explore(n: int) -> str:
    """The button that selects the variables."""
    return "Explore this variable" if n == 1 else f"Explore these {n} variables"
