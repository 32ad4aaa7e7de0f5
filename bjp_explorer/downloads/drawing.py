"""A network as a picture to keep: one drawing by matplotlib, written as SVG or PNG.

Positions are those of the screen, and names are one line of plain text that nothing reads as a
formula. A `Figure` on a canvas of its own needs no pyplot; matplotlib's settings are global all the
same, so they are set and put back under a lock.
"""

from __future__ import annotations

import io
import math
import textwrap
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bjp_engine.confidence.edges import NOT_JUDGED, judge_pairs
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell.text import number, plain
from bjp_explorer.views.effects import NEGATIVE, POSITIVE, UNSIGNED, describe_width, widths
from bjp_explorer.views.palette import LIGHT, Palette
from bjp_explorer.views.payloads import edge_indices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# With more nodes than this, dots and names shrink and the drawing grows.
MANY = 40
_SIZE, _MARGIN, _ABOVE, _LEADING = (800.0, 540.0), (170.0, 50.0), 46.0, 18.0
_POINTS = 0.72  # of a pixel, at 100 pixels an inch
LONGEST = 40
# Sides of a node on which its name may stand, and how many times as large a drawing may be whose
# names don't fit, up to so many pixels in all.
_SIDES = np.array([(0, -1), (0, 1), (1, 0), (-1, 0), (0.6, -1), (-0.6, -1), (0.6, 1), (-0.6, 1)])
_ROOMS, _WIDEST = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5), 3000.0
_FONT, _MOST_FONTS, _UNKNOWN = "DejaVu Sans", 400, "\ufffd"
_FONTS = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"
_LOCK = threading.Lock()
# A dash and a gap in pixels: of a negative effect, and of an undecided edge.
DASHES = {NEGATIVE: (9.0, 6.0), "undecided": (4.0, 5.0)}
NOTES = {
    POSITIVE: "green: positive (later states go together)",
    NEGATIVE: "dashed purple: negative",
    UNSIGNED: "grey: no sign",
    "undecided": "short dashes: undecided",
}
# Neither the moment nor the program is written: the same drawing gives the same bytes.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
}


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge as it is drawn."""

    pair: tuple[int, int]
    # Of its effect, "undecided", or empty where neither is known.
    tone: str
    # As a share of the widest.
    width: float
    # Its numbers: no text of the user's.
    told: str

    def colour(self, palette: Palette = LIGHT) -> str:
        """The hue of its tone."""
        return str(getattr(palette, {"": "ink", "undecided": "muted"}.get(self.tone, self.tone)))


def edges_of(result: Result) -> list[Edge]:
    """The edges that are drawn; where pairs are judged, the present ones and those that are not.

    Undecided ones only if the page shows them.
    """
    effects, sure = result.of_edges(), result.confidence
    wide, found = widths(effects), []
    for i, j in edge_indices(result.graph, result.data):
        effect, told, tone = effects.get((i, j)), [], ""
        if effect is not None:
            told, tone = [effect.text], effect.sign
        if sure is not None:
            p = float(sure.matrix[i, j])
            told.append(f"probability {number(p, 4)}")
            judged = True if sure.judged is None else sure.judged[i, j]
            verdict = str(judge_pairs(p, judged))
            if verdict != "present":
                tone = "undecided"
                if not (result.undecided or verdict == NOT_JUDGED):
                    continue
        found.append(Edge((i, j), tone, wide.get((i, j), 0.4), " · ".join(told)))
    return found


def notes_of(result: Result, *, warned: bool = False) -> Iterator[str]:
    """What colours, dashes and widths show, and the warnings unless they stand elsewhere."""
    edges, effects = edges_of(result), result.of_edges()
    used = {edge.tone for edge in edges}
    told = "; ".join(text for tone, text in NOTES.items() if tone in used)
    if told:
        width = describe_width(effects, {edge.pair for edge in edges})
        yield f"{told[:1].upper()}{told[1:]}.{f' Width: {width}.' * bool(width)}"
    if left := result.graph.number_of_edges() - len(edges):
        them = "1 edge of the graph is" if left == 1 else f"{left} edges of the graph are"
        yield f"{them} not present by {'its' if left == 1 else 'their'} probability, and not drawn."
    if not warned:
        yield from (f"Warning: {one}" for one in result.warnings)


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text in pixels from the upper left."""

    x: float
    # Of the baseline.
    y: float
    text: str
    size: float
    # Names are centred, and kept apart from the lines behind them.
    is_name: bool = False
    is_bold: bool = False


def picture(result: Result, form: Literal["svg", "png"]) -> bytes:
    """The drawing as a file; in SVG texts are text in any script, which needs no font here."""
    import matplotlib as mpl

    with _LOCK, mpl.rc_context():
        # What a user's matplotlibrc says is for the user's own figures.
        mpl.rcdefaults()
        settings: dict[Any, Any] = {"text.parse_math": False, "svg.hashsalt": "bjp"}
        mpl.rcParams.update(settings)
        figure, texts = draw(result)
        if form == "png":
            _write(figure, texts)
        target = io.BytesIO()
        dpi = 200 if form == "png" else 72
        figure.savefig(target, format=form, dpi=dpi, metadata=_METADATA[form])
    content = target.getvalue()
    if form == "svg":
        lines = "\n".join(map(_as_svg, texts))
        group = f'<g transform="scale({_POINTS})" font-family="{_FONTS}" fill="{LIGHT.ink}">'
        content = content.replace(b"</svg>", f"{group}\n{lines}\n</g>\n</svg>".encode())
    return content


def draw(result: Result) -> tuple[Figure, list[Text]]:
    """The figure, in pixels from the upper left, and the texts that belong on it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    data, few = result.data, result.data.n <= MANY
    radius, size = (9.0, 15.0) if few else (5.0, 12.0)
    names, edges = [plain(name, LONGEST) for name in data.names], edges_of(result)
    written = np.array([(size * sum(map(_letter, name)), 1.2 * size) for name in names])
    margin = np.maximum(_MARGIN, (written[:, 0].max() / 2 + 8, 0))
    for room in _ROOMS:
        spans = np.array(_SIZE) * max(1.0, math.sqrt(data.n / MANY)) * room
        places = result.points * spans + margin + (0, _ABOVE)
        paper = spans + 2 * margin + (0, _ABOVE)
        ends = places[[edge.pair for edge in edges]].reshape(-1, 2, 2)
        middles, fits = _place_names(written, places, radius + 3, ends, paper)
        if fits or spans[0] * _ROOMS[1] > _WIDEST:
            break
    width = float(paper[0])
    letters = int(width / 8)
    notes = [line for note in notes_of(result) for line in textwrap.wrap(plain(note, 400), letters)]
    height = float(paper[1]) + 20 + _LEADING * len(notes)
    figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=LIGHT.paper)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_axis_off()
    # Of a dash pattern matplotlib multiplies the lengths by the width.
    wide = [max(0.8, (7.0 if few else 4.0) * edge.width) for edge in edges]
    axes.add_collection(
        LineCollection(
            [*ends],
            linewidths=[_POINTS * one for one in wide],
            colors=[edge.colour() for edge in edges],
            linestyles=[
                (0.0, tuple(part / one for part in DASHES[edge.tone]))
                if edge.tone in DASHES
                else "solid"
                for edge, one in zip(edges, wide, strict=True)
            ],
            alpha=0.85,
            zorder=1,
        )
    )
    axes.scatter(
        places[:, 0],
        places[:, 1],
        s=(2 * radius * _POINTS) ** 2,
        facecolor=LIGHT.paper,
        edgecolor=LIGHT.ink,
        linewidths=2 * _POINTS,
        clip_on=False,
        zorder=2,
    )
    texts = [
        Text(x, y + 0.36 * size, name, size, is_name=True)
        for name, (x, y) in zip(names, middles.tolist(), strict=True)
    ]
    texts.append(Text(24, 30, plain(result.loaded.title, 90), 18, is_bold=True))
    texts.append(Text(24, 51, plain(result.about, 160), 14))
    first = height - 18 - _LEADING * (len(notes) - 1)
    texts += [Text(24, first + _LEADING * k, line, 13) for k, line in enumerate(notes)]
    return figure, texts


def _letter(letter: str) -> float:
    """About how wide a letter is, as a share of its size: fonts differ."""
    if unicodedata.east_asian_width(letter) in "FW" or letter in "mwMW@%":
        return 1.0
    return 0.74 if letter.isupper() else 0.62


def _place_names(
    sizes: NDArray[Any], places: NDArray[Any], reach: float, ends: NDArray[Any], paper: NDArray[Any]
) -> tuple[NDArray[Any], bool]:
    """The middle of each name, and whether all are on the paper and clear of nodes and names.

    Of the sides that are, a name takes one that crosses few edges, best away from the middle, where
    most edges are.
    """
    boxes, clear = np.hstack([places - reach, places + reach]), True
    away = np.where(places[:, 1] < places[:, 1].mean(), 1, -1)
    for k, (place, size) in enumerate(zip(places, sizes, strict=True)):
        middles = place + _SIDES * (1, away[k]) * (size / 2 + reach)
        low, high = middles - size / 2, middles + size / 2
        shared = np.minimum(high[:, None], boxes[:, 2:]) - np.maximum(low[:, None], boxes[:, :2])
        hidden = np.prod(np.clip(shared, 0, None), axis=2).sum(axis=1)
        hidden += size[1] * (np.clip(-low, 0, None) + np.clip(high - paper, 0, None)).sum(axis=1)
        # Where each edge enters and leaves each box, as shares of its way.
        begin, way = ends[:, 0], ends[:, 1] - ends[:, 0] + 1e-9
        at = np.sort([(low[:, None] - begin) / way, (high[:, None] - begin) / way], axis=0)
        crossed = np.clip(at[0].max(axis=-1), 0, None) < np.clip(at[1].min(axis=-1), None, 1)
        best = int(np.argmin(1e3 * hidden + crossed.sum(axis=1) + 0.3 * np.arange(len(_SIDES))))
        clear &= bool(hidden[best] < 1)
        boxes = np.vstack([boxes, [*low[best], *high[best]]])
    return (boxes[len(places) :, :2] + boxes[len(places) :, 2:]) / 2, clear


def _as_svg(one: Text) -> str:
    """An element of text; a stroke in the colour of the paper keeps names apart from lines."""
    look = f' font-size="{one.size:g}"' + ' font-weight="600"' * one.is_bold
    if one.is_name:
        look += f' text-anchor="middle" stroke="{LIGHT.paper}" stroke-width="4"'
        look += ' stroke-linejoin="round" paint-order="stroke"'
    return f'<text x="{one.x:.2f}" y="{one.y:.2f}"{look}>{escape(one.text)}</text>'


def _write(figure: Figure, texts: Sequence[Text]) -> None:
    """The texts in glyphs, by the fonts that have them."""
    families, lacking = _fonts({c for one in texts for c in one.text})
    letters = {ord(c): _UNKNOWN for c in lacking}
    apart = {"facecolor": LIGHT.paper, "edgecolor": "none", "pad": 0.4, "alpha": 0.8}
    for one in texts:
        figure.axes[0].text(
            one.x,
            one.y,
            one.text.translate(letters),
            fontsize=one.size * _POINTS,
            fontfamily=families,
            # Other fonts of the machine may have no bold letters.
            fontweight="bold" if one.is_bold and len(families) == 1 else "normal",
            color=LIGHT.ink,
            ha="center" if one.is_name else "left",
            bbox=apart if one.is_name else None,
            zorder=3,
            parse_math=False,
        )


def _fonts(letters: set[str]) -> tuple[list[str], set[str]]:
    """The fonts that have some letters, matplotlib's own first, and the letters that none has."""
    from matplotlib.font_manager import FontProperties, fontManager

    own = fontManager.findfont(FontProperties(family=[_FONT]))
    families, lacking = [_FONT], {c for c in letters if ord(c) not in _characters_of(own)}
    regular = {(one.name, str(one.fname)) for one in fontManager.ttflist if one.style == "normal"}
    for name, path in sorted(regular)[: _MOST_FONTS * bool(lacking)]:
        found = {c for c in lacking if ord(c) in _characters_of(path)}
        if found and name not in families:
            families.append(name)
            lacking -= found
    return families, lacking


@cache
def _characters_of(path: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):  # a font that can't be read has none
        return frozenset()
