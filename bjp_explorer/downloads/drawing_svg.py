"""A drawing as SVG: names stay text in any script, nothing is fetched, nothing can run.

This is the one writer that needs no library. Inside a report the same element stands in the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from bjp_explorer.downloads.drawing import DASH, Dot, Drawing, Line

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"


def svg_file(drawing: Drawing) -> bytes:
    """A file of its own, in UTF-8."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return (head + svg_element(drawing) + "\n").encode()


def svg_element(drawing: Drawing) -> str:
    """The svg element alone. Without ids, so that several may stand in one page."""
    width, height = f"{drawing.width:g}", f"{drawing.height:g}"
    colours = drawing.palette
    named = escape(f"{drawing.title}: {drawing.about}")
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-label="{named}" '
            f'font-family="{escape(_FONT)}">'
        ),
        f'<rect width="{width}" height="{height}" fill="{colours.paper}"/>',
        _words(24, 30, 18, drawing.title, colours.ink, weight="600"),
        _words(24, 51, 14, drawing.about, colours.ink),
        f'<g stroke="{colours.ink}" stroke-linecap="round">',
        *(_line(line, drawing) for line in drawing.lines),
        "</g>",
        f'<g fill="{colours.paper}" stroke="{colours.ink}" stroke-width="2">',
        *map(_dot, drawing.dots),
        "</g>",
        # The stroke in the colour of the paper keeps names apart from the lines behind them.
        (
            f'<g font-size="{drawing.text_size:g}" fill="{colours.ink}" stroke="{colours.paper}" '
            'stroke-width="4" stroke-linejoin="round" paint-order="stroke">'
        ),
        *_labels(drawing),
        "</g>",
        *(_words(24, y, 13, line, colours.ink) for y, line in drawing.foot),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


def _line(line: Line, drawing: Drawing) -> str:
    """An edge; resting the pointer on it tells its ends."""
    x1, y1, x2, y2 = line.ends
    look = f' stroke="{line.colour(drawing.palette)}"' if line.sign else ""
    if line.is_dashed:
        dash, gap = DASH
        look += f' stroke-dasharray="{dash:g} {gap:g}" stroke-linecap="butt"'
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"{look} '
        f'stroke-width="{line.width:g}" stroke-opacity="{line.opacity:g}">'
        f"<title>{escape(line.text)}</title></line>"
    )


def _dot(dot: Dot) -> str:
    """A variable."""
    return (
        f'<circle cx="{dot.x:g}" cy="{dot.y:g}" r="{dot.radius:g}">'
        f"<title>{escape(dot.text)}</title></circle>"
    )


def _labels(drawing: Drawing) -> Iterator[str]:
    """The names."""
    for dot in drawing.dots:
        x, y = dot.place
        yield f'<text x="{x:g}" y="{y:g}" text-anchor="middle">{escape(dot.label)}</text>'


def _words(x: float, y: float, size: int, text: str, colour: str, weight: str = "400") -> str:
    """A line of text."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{escape(text)}</text>'
    )
