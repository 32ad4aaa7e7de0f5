"""A few of many variables: which to take first, and what is known of their network."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.shell.sources import PART, Loaded
from bjp_explorer.shell.text import count


def strongest(independent: ScoreTrace, data: Dataset, most: int) -> list[Name]:
    """The variables of the strongest pairwise dependences.

    In column order: pair after pair, the least likely independent first, as long as they fit.
    """
    terms = [t for t in independent.computed if isinstance(t, AssertionTerm)]
    chosen: dict[Name, None] = {}
    for term in sorted(terms, key=lambda t: t.value):
        joined = {**chosen, term.x: None, term.y: None}
        if len(joined) <= most:
            chosen = joined
    return sorted(chosen or data.names[:most], key=data.index)


def marginal(graph: nx.Graph[Any], keep: Collection[Name]) -> nx.Graph[Any]:
    """The network of some of the variables, the others summed out.

    Two variables are adjacent where a path joins them whose inner nodes are all left out.

    Eliminating a node joins its neighbours; that is how a Markov network is marginalised.
    """
    joined: nx.Graph[Any] = nx.Graph(graph)
    for node in [node for node in graph if node not in set(keep)]:
        around = list(joined[node])
        joined.add_edges_from((u, v) for k, u in enumerate(around) for v in around[k + 1 :])
        joined.remove_node(node)
    return joined


def subset(loaded: Loaded, names: Sequence[Name]) -> Loaded:
    """Some of the variables as a dataset of their own.

    The same one where they are all of its variables.
    """
    if len(names) == loaded.data.n:
        return loaded
    # Tokens name columns of the whole dataset, so a part of a part is a part of the whole.
    loaded = loaded.whole or loaded
    columns = sorted(loaded.data.index(name) for name in names)
    data = loaded.data.select([loaded.data.names[i] for i in columns])
    imputed = loaded.imputed and loaded.imputed.select(data.names)
    missing_in = tuple(loaded.missing_in[i] for i in columns) if loaded.missing_in else ()

    def rest(graph: nx.Graph[Any] | None) -> nx.Graph[Any] | None:
        return None if graph is None else marginal(graph, data.names)

    return replace(
        loaded,
        token=f"{loaded.token}{PART}{'.'.join(map(str, columns))}",
        title=f"{loaded.title}: {data.n} of {loaded.data.n}",
        about=f"{count(data.n, 'variable')} of {loaded.data.n}, chosen on the page All graphs.",
        data=data,
        imputed=imputed if imputed and imputed.cells else None,
        whole=loaded,
        missing=sum(missing_in),
        missing_in=missing_in,
        truth=rest(loaded.truth),
        published=rest(loaded.published),
    )


def read_places(text: str) -> list[int]:
    """Whole numbers with dots between, as tokens have them; none where something else is there."""
    parts = text.split(".")
    known = all(part.isascii() and part.isdecimal() and len(part) < 7 for part in parts)
    return [int(part) for part in parts] if known else []


def part(loaded: Loaded, columns: str) -> Loaded:
    """The subset that a token names."""
    places = read_places(columns)
    if not places or len(set(places)) < len(places) or max(places) >= loaded.data.n:
        raise OptionError(
            f"{clip(columns)} are not columns of {loaded.title}; it has {loaded.data.n} columns, "
            "counted from 0."
        )
    return subset(loaded, [loaded.data.names[i] for i in places])
