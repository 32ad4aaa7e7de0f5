"""All graphs on a few variables: the ones that stand out, their ranks, and one as a panel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from bjp_engine.dataset import Name
from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable, SearchTrace
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, number, plain, probability
from bjp_explorer.views.palette import LOOKS, OTHER
from bjp_explorer.views.payloads import edge_indices, edge_pairs, pair_name
from bjp_explorer.views.words import of_score

TONES = {
    "plain": "in the best graph",
    "some": "not in the best graph",
    "missing": "only in the best graph",
}


@dataclass(frozen=True, eq=False, slots=True)
class Special:
    """A graph to look out for among all."""

    # "BJP’s climb", "the true network", …
    name: str
    # Its marker.
    symbol: str
    graph: nx.Graph[Any]
    # The score that found it, if one did.
    method: str = ""


def specials(loaded: Loaded, learned: Mapping[str, nx.Graph[Any]]) -> list[Special]:
    """The graphs to look out for: those of the climbs, then those that are known."""
    climbs = [
        Special(f"{of_score(method)} climb", LOOKS.get(method, OTHER).symbol, graph, method)
        for method, graph in learned.items()
    ]
    known = (
        ("the true network", "star", loaded.truth),
        ("the published graph", "diamond", loaded.published),
    )
    return climbs + [Special(name, mark, g) for name, mark, g in known if g is not None]


def at_number(found: Sequence[Special], table: GraphTable) -> dict[int, list[Special]]:
    """The special graphs by their number."""
    places: dict[int, list[Special]] = {}
    for special in found:
        places.setdefault(table.number(special.graph), []).append(special)
    return places


def ranks(found: Sequence[Special], tables: Mapping[str, GraphTable]) -> pd.DataFrame:
    """Where each special graph ranks under each score; Markdown, the first rank bold and ticked."""
    columns = {
        "Graph": [special.name for special in found],
        "Edges": [f"{special.graph.number_of_edges():,}" for special in found],
    }
    for method, table in tables.items():
        places = [table.rank(special.graph) for special in found]
        columns[f"Rank by {SCORES[method].title}"] = [
            "**1** ✓" if rank == 1 else f"{rank:,}" for rank in places
        ]
    return pd.DataFrame(columns)


def panel(
    table: GraphTable, place: int, named: Mapping[int, Sequence[Special]], title: str
) -> dict[str, Any]:
    """One graph as a panel, whose key is the graph's number; edges are toned by `TONES`."""
    chosen = int(table.ranking[place - 1])
    graph = table.graph(chosen)
    edges = edge_pairs(graph, table.data)
    best = edge_pairs(table.graph(int(table.ranking[0])), table.data)
    share = percent(float(table.scores[chosen]) - table.log_normaliser)
    who = [special.name for special in named.get(chosen, ())]
    score = f"ln {SCORES[table.method].title} {number(float(table.scores[chosen]))}"
    score = score.replace(" ", "\N{NO-BREAK SPACE}")
    return {
        "key": str(chosen),
        "title": title,
        "subtitle": " · ".join([*who, f"posterior {share}", count(len(edges), "edge"), score]),
        "edges": [[*pair, "plain" if pair in best else "some"] for pair in sorted(edges)]
        + [[*pair, "missing"] for pair in sorted(best - edges)],
        "badge": "★" if who else "",
    }


def percent(log_share: float) -> str:
    """A probability from its natural log, as a percentage where that is short."""
    share = 100 * math.exp(log_share)
    if share >= 1:
        return f"{share:.1f} %"
    return f"{share:.2g} %" if share >= 0.01 else probability(log_share)


def top_table(table: GraphTable, most: int = 200) -> pd.DataFrame:
    """The best graphs. Columns rank, edges, score, share, list."""
    top = table.ranking[:most]
    pairs = [edge_indices(table.graph(int(k)), table.data) for k in top]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(top) + 1),
            "edges": [len(p) for p in pairs],
            "score": table.scores[top],
            "share": np.exp(table.scores[top] - table.log_normaliser),
            "list": [
                ("{" + ", ".join(pair_name(pair, table.data) for pair in p) + "}") for p in pairs
            ],
        }
    )


def abbreviate(names: Sequence[Name]) -> list[str]:
    """Names for small drawings, as short as they can be told apart."""
    texts = [plain(name) for name in names]
    for width in range(5, 12):
        cut = [t if len(t) <= width + 2 else f"{t[:width].rstrip()}." for t in texts]
        if len(set(cut)) == len(cut):
            return cut
    return [t if len(t) <= 13 else f"{t[:6]}…{t[-6:]}" for t in texts]


def place_of(table: GraphTable, chosen: int) -> int:
    """A graph's place in the ranking; of equal graphs the smaller number comes first."""
    return int(np.flatnonzero(table.ranking == chosen)[0]) + 1


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
    variables = f"these {count(n, 'variable')} alone" if part else count(n, "variable")
    rank, amount = table.rank(trace.graph), f"{len(table.scores):,}"
    climb = f"{of_score(table.method)} hill climb"
    if rank == 1:
        line = f"**{climb} found the best of all {amount} graphs on {variables}.**"
    else:
        line = (
            f"**{climb} ended at rank {rank:,} of {amount} graphs** on "
            f"{variables}, because {trace.stop_reason}."
        )
    for special in references:
        line += f" {special.name.capitalize()} has rank {table.rank(special.graph):,}."
    if len(table.scores) >= most:
        best = np.logaddexp.reduce(table.scores[table.ranking[:most]]) - table.log_normaliser
        share = 100 * math.exp(min(0.0, float(best)))
        line += f" The {most} best graphs carry {share:.3g} % of the posterior."
    return line
