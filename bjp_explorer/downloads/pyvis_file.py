"""The network as one HTML file to explore: made by pyvis, drawn by vis-network, offline.

pyvis writes tags that fetch Bootstrap and puts some texts into the page as they are. So the tags
are taken out, the nodes are whole numbers, names stand only in labels (which vis-network writes on
a canvas), and the file itself forbids every request.
"""

from __future__ import annotations

import html
import json
import math
import re
from typing import Any

from bjp_explorer.downloads.drawing import DASHES, MANY, edges_of, notes_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell.text import count, plain
from bjp_explorer.views.palette import LIGHT, Palette

WIDTH, HEIGHT = 1000.0, 700.0
# Everything the file needs is inside it; this makes the browser agree.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
  body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: %s; background: %s;
    display: grid; grid-template-rows: auto minmax(0, 1fr); height: 100vh; }
  p { margin: 0; padding: 0.7rem 1rem; overflow-wrap: anywhere; }
  #mynetwork { float: none !important; border: 0 !important; }
"""
# What pyvis writes around the drawing: a page of its own, headings, and tags that fetch.
_FETCHED = re.compile(
    r"<!-- <link .*?-->|<link\s[^>]*>|<script\s[^>]*src=[^>]*>\s*</script>"
    r"|<center>\s*<h1>\s*</h1>\s*</center>",
    re.DOTALL,
)


def interactive_html(result: Result, palette: Palette = LIGHT, *, warned: bool = False) -> str:
    """A network as an HTML page with zoom and drag, in which nothing is fetched.

    `warned`: whether warnings stand beside it.
    """
    from pyvis.network import Network  # imports IPython, which takes a second

    data, few = result.data, result.data.n <= MANY
    room = max(1.0, math.sqrt(data.n / MANY))
    chosen = {"background": palette.paper, "border": palette.primary}
    look: dict[str, Any] = {
        "size": 14 if few else 7,
        "font": {
            "size": 16 if few else 12,
            "color": palette.ink,
            "strokeWidth": 5,
            "strokeColor": palette.paper,
        },
        "color": {
            "background": palette.paper,
            "border": palette.ink,
            "hover": chosen,
            "highlight": chosen,
        },
    }
    network = Network("100%", "100%", bgcolor=palette.paper, cdn_resources="in_line")
    network.set_options(
        json.dumps(
            {
                "physics": {"enabled": False},
                "edges": {"smooth": False, "width": 2, "color": {"color": palette.quiet}},
                "nodes": {"shape": "dot", "borderWidth": 2},
                "interaction": {"hover": True, "tooltipDelay": 120},
            }
        )
    )
    for i, (name, (x, y)) in enumerate(zip(data.names, result.points.tolist(), strict=True)):
        network.add_node(
            i,
            label=plain(name, 40),
            x=round(x * WIDTH * room, 2),
            y=round(y * HEIGHT * room, 2),
            title=count(result.graph.degree[name], "neighbour"),
            **look,
        )
    for edge in edges_of(result):
        dash, gap = DASHES.get(edge.tone, (0, 0))
        network.add_edge(
            *edge.pair,
            width=round(max(1.0, (7 if few else 4) * edge.width), 2),
            title=edge.told,
            color=edge.colour(palette),
            # vis-network's round ends reach into the gap.
            dashes=[dash, gap + 8] if dash else False,
        )
    title = result.loaded.title
    about = [title, result.about, "drag to move, scroll to zoom"]
    below = " · ".join([*about, *notes_of(result, warned=warned)])
    style = _STYLE % (palette.ink, palette.paper)
    # pyvis's page without what it would fetch, under a title and a policy.
    head, body = _FETCHED.sub("", network.generate_html()).split("<body>", 1)
    inside = head.split("<head>", 1)[1].replace('<meta charset="utf-8">', "", 1)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(plain(title, 120))}</title>\n<style>{style}</style>\n"
        f"{inside}<body>\n<p>{html.escape(plain(below, 2000))}</p>{body}"
    )
