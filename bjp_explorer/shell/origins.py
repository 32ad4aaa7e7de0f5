"""How a graph came about, in the same words on every page and in every file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx

from bjp_engine.scores import SCORES, KnownEdges
from bjp_engine.search import PUBLISHED, SEARCHES, SearchTrace, StopReason
from bjp_explorer.shell.text import count, together

if TYPE_CHECKING:
    from bjp_explorer.shell.caches import Cells
    from bjp_explorer.shell.sources import Loaded


def usual_search(loaded: Loaded) -> str:
    """The search by which every page learns BJP's graph of a dataset, unless another is chosen.

    An uploaded file's is auto; the data that come with the app show the paper's.
    """
    return "auto" if loaded.token.startswith("file:") else PUBLISHED["bjp"]


def own_key(loaded: Loaded, key: str) -> str:
    """The key of a choice that uploaded files begin with another value of, kept apart."""
    return f"{key}-own" if usual_search(loaded) == "auto" else key


def short_title(method: str) -> str:
    """A score's name where there is little room: its first word."""
    return SCORES[method].title.split()[0]


def is_whole(trace: SearchTrace) -> bool:
    """Whether the search came to its end, so that its graph is the learned one."""
    return trace.stop_reason is not StopReason.CANCELLED


def learned_graph(found: object) -> nx.Graph[Any] | None:
    """The graph of a search that came to its end; None of one that runs or was cancelled."""
    return found.graph if isinstance(found, SearchTrace) and is_whole(found) else None


def cells_of(trace: SearchTrace) -> Cells:
    """The prior cells of the tests that a graph was learned with."""
    cells: Cells = getattr(trace.options[trace.method], "prior_cells", "equal")
    return cells


def search_name(trace: SearchTrace) -> str:
    """A search within a sentence: "auto", "the paper’s search (IBMAP-HC)", "tabu search"."""
    title = SEARCHES[trace.search].title
    as_published = all(each == type(each)() for each in trace.options.values())
    if trace.search == PUBLISHED[trace.method] and trace.structure.uniform and as_published:
        return f"the paper’s search ({title})"
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def origin(trace: SearchTrace, tables: int = 1) -> str:
    """How its graph came about, with what was known: "learned by auto with 2 required pairs".

    From how many completed tables, if more than one, or that the search was cancelled before.
    """
    by, known = search_name(trace), describe_known(trace.known)
    by += f" with {known}" if known else ""
    by += f" in {tables} completed tables" if tables > 1 else ""
    return f"learned by {by}" if is_whole(trace) else f"reached by {by} before it was cancelled"


def describe_known(known: KnownEdges | None) -> str:
    """How much was known: "2 required, 3 forbidden pairs"; empty where nothing was."""
    if known is None or known.empty:
        return ""
    required, forbidden, rest = map(len, (known.required, known.forbidden, known.likely))
    numbers = {"required": required, "forbidden": forbidden}
    parts = [f"{number:,} {what}" for what, number in numbers.items() if number]
    parts = [f"{', '.join(parts)} pair{'s' * (required + forbidden > 1)}"] if parts else []
    parts += [f"{count(rest, 'pair')} with a prior probability"] if rest else []
    return together(parts)
