"""The pictures of an exercise on paper and in learning platforms: SVG, and tables in HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from bjp_engine.exercises import Exercise, GraphPicture, GridPicture
from bjp_explorer.views.palette import LIGHT

SIZE = 240
_RADIUS, _ABOVE = 15, 20


def graph_svg(graph: GraphPicture) -> str:
    """A graph as an svg element: black on white, marked nodes filled; nothing is fetched."""
    above = _ABOVE if graph.title else 0
    places = {
        name: (SIZE * x, SIZE * y + above)
        for name, (x, y) in zip(graph.names, graph.positions, strict=True)
    }
    lines = [(*places[u], *places[v]) for u, v in graph.edges]
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE + above}" '
            f'width="{SIZE}" height="{SIZE + above}" role="img" '
            f'aria-label="{escape(describe_graph(graph))}" font-family="sans-serif">'
        ),
        f'<rect width="{SIZE}" height="{SIZE + above}" fill="{LIGHT.paper}"/>',
        *(
            [_text(SIZE / 2, 16, graph.title, LIGHT.ink, 'font-size="14" font-weight="600"')]
            if graph.title
            else []
        ),
        *(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{LIGHT.ink}" '
            'stroke-width="2"/>'
            for x1, y1, x2, y2 in lines
        ),
    ]
    for name, (x, y) in places.items():
        marked = name in graph.marked
        parts += [
            (
                f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" stroke="{LIGHT.ink}" '
                f'stroke-width="2" fill="{LIGHT.ink if marked else LIGHT.paper}"/>'
            ),
            _text(x, y + 5, name, LIGHT.paper if marked else LIGHT.ink, 'font-size="15"'),
        ]
    return "\n".join([*parts, "</svg>"])


def describe_graph(graph: GraphPicture) -> str:
    """A graph in words, for those who don't see it."""
    edges = ", ".join(f"{u} – {v}" for u, v in graph.edges) or "none"
    title = f"{graph.title}: " if graph.title else ""
    return f"{title}nodes {', '.join(graph.names)}; edges {edges}"


def grid_html(grid: GridPicture) -> str:
    """A table as an element of HTML."""
    caption = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    head = "".join(f"<th>{escape(one)}</th>" for one in (grid.corner, *grid.columns))
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, cells in zip(grid.rows, grid.cells, strict=True)
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def question_html(exercise: Exercise, images: list[str]) -> Iterator[str]:
    """The question and its picture as elements; `images` are the addresses of its graphs."""
    yield f"<p>{escape(exercise.ask)}</p>"
    if images:
        yield (
            "<p>"
            + " ".join(
                f'<img src="{escape(address)}" alt="{escape(describe_graph(graph))}"/>'
                for address, graph in zip(images, exercise.picture.graphs, strict=True)
            )
            + "</p>"
        )
    yield from (grid_html(grid) for grid in exercise.picture.grids)
    yield from (f"<p>{escape(note)}</p>" for note in exercise.picture.notes)


def solution_html(exercise: Exercise) -> str:
    """The worked solution as paragraphs."""
    return "".join(f"<p>{escape(line)}</p>" for line in exercise.solution)


def _text(x: float, y: float, text: str, colour: str, look: str) -> str:
    """A line of text around a middle."""
    place = f'x="{x:g}" y="{y:g}" text-anchor="middle"'
    return f'<text {place} fill="{colour}" {look}>{escape(text)}</text>'
