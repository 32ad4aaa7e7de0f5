"""The network as one HTML file to keep: made by pyvis, drawn by vis-network, offline.

pyvis writes tags that fetch Bootstrap and puts some texts into the page as they are. So the tags
are taken out, the nodes are whole numbers, names stand only in labels (which vis-network writes on
a canvas), and the file itself forbids every request.
"""

from __future__ import annotations

import html
import json
import math
import re
from types import MappingProxyType
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence
from bjp_explorer.downloads.drawing import note_of
from bjp_explorer.shell.text import plain
from bjp_explorer.views.effects import NEGATIVE, Effect, Effects, widths
from bjp_explorer.views.palette import LIGHT
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.words import MEASURES

WIDTH, HEIGHT = 1000.0, 700.0
_INK, _EDGE, _PAPER, _CHOSEN = LIGHT.ink, LIGHT.quiet, LIGHT.paper, LIGHT.primary
_MANY = 40
# A dash and a gap; vis-network's round ends reach into the gap.
_DASH = (9, 14)

# Everything the file needs is inside it; this makes the browser agree.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
  body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: #1b2733; background: #ffffff; }
  p { margin: 0; padding: 0.7rem 1rem; overflow-wrap: anywhere; }
  #mynetwork { float: none !important; border: 0 !important; }
"""

# What pyvis writes around the drawing: a page of its own, headings, and tags that fetch.
_FETCHED = re.compile(
    r"<!-- <link .*?-->|<link\s[^>]*>|<script\s[^>]*src=[^>]*>\s*</script>"
    r"|<center>\s*<h1>\s*</h1>\s*</center>",
    re.DOTALL,
)


def interactive_html(
    data: Dataset,
    graph: nx.Graph[Any],
    points: NDArray[np.float64],
    title: str,
    about: str,
    confidence: EdgeConfidence | None = None,
    effects: Effects = MappingProxyType({}),
) -> str:
    """A network as an HTML page with zoom and drag, in which nothing is fetched."""
    from pyvis.network import Network  # imports IPython, which takes a second

    network = Network(height="calc(100vh - 3rem)", width="100%", cdn_resources="in_line")
    network.set_options(_options(data.n))
    for i, name in enumerate(data.names):
        look = _node(points[i], graph.degree[name], data.n)
        network.add_node(i, label=plain(name, 40), **look)
    wide = widths(effects)
    for i, j in edge_indices(graph, data):
        look = _edge(confidence, effects.get((i, j)), wide.get((i, j), 1.0), (i, j), data.n)
        network.add_edge(i, j, **look)
    note = note_of(confidence, effects) if effects else ""
    told = " · ".join(filter(None, [plain(about, 1500), note]))
    return _offline(network.generate_html(), plain(title, 120), told)


def _options(n: int) -> str:
    """vis-network's options, as the JSON that pyvis takes."""
    return json.dumps(
        {
            "physics": {"enabled": False},
            "edges": {"smooth": False, "width": 2 if n <= _MANY else 1, "color": {"color": _EDGE}},
            "nodes": {"shape": "dot", "borderWidth": 2},
            "interaction": {"hover": True, "tooltipDelay": 120},
        }
    )


def _edge(
    confidence: EdgeConfidence | None,
    effect: Effect | None,
    share: float,
    pair: tuple[int, int],
    n: int,
) -> dict[str, Any]:
    """How an edge is drawn, and what it tells: no text of the user's."""
    sure, look = 1.0, {}
    known = [] if effect is None else [effect.text]
    if confidence is not None:
        sure = float(confidence.matrix[pair])
        known.append(f"{MEASURES[confidence.kind]} {sure:.4f}")
    if not known:
        return {}
    share, widest = share if effect is not None else sure, 7 if n <= _MANY else 4
    if effect is not None:
        colour = {"color": getattr(LIGHT, effect.sign), "opacity": round(0.3 + 0.6 * sure, 3)}
        look = {"color": colour, "dashes": _DASH if effect.sign == NEGATIVE else False}
    return {"width": round(max(1.0, widest * share), 2), "title": " · ".join(known), **look}


def _node(point: NDArray[np.float64], degree: int, n: int) -> dict[str, Any]:
    """Where a node stands and how it looks; its tooltip holds no text of the user's."""
    few = n <= _MANY
    room = max(1.0, math.sqrt(n / _MANY))
    return {
        "x": round(float(point[0]) * WIDTH * room, 2),
        "y": round(float(point[1]) * HEIGHT * room, 2),
        "size": 14 if few else 7,
        "font": {"size": 16 if few else 12, "color": _INK, "strokeWidth": 5, "strokeColor": _PAPER},
        "color": {
            "background": _PAPER,
            "border": _INK,
            "hover": {"background": _PAPER, "border": _CHOSEN},
            "highlight": {"background": _PAPER, "border": _CHOSEN},
        },
        "title": "1 neighbour" if degree == 1 else f"{degree} neighbours",
    }


def _offline(page: str, title: str, about: str) -> str:
    """pyvis's page without what it would fetch, under a title and a policy."""
    head, body = _FETCHED.sub("", page).split("<body>", 1)
    inside = head.split("<head>", 1)[1].replace('<meta charset="utf-8">', "", 1)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f"{inside}<body>\n<p>{html.escape(about)}</p>{body}"
    )
