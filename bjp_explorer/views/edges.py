"""Names of pairs, and graphs with one edge more or less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_explorer.shell.text import plain


def flipped(graph: nx.Graph[Any], data: Dataset, i: int, j: int) -> nx.Graph[Any]:
    """A copy with the edge of two columns added where it is missing, removed where it is there."""
    copy: nx.Graph[Any] = nx.Graph(graph)
    pair = data.names[i], data.names[j]
    if copy.has_edge(*pair):
        copy.remove_edge(*pair)
    else:
        copy.add_edge(*pair)
    return copy


def pair_name(pair: Sequence[int], data: Dataset, width: int = 28) -> str:
    """An edge by the names of its ends."""
    return " – ".join(plain(data.names[i], width) for i in pair)
