"""Charts over N: what was measured on a network, by score, beside the paper's figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from urllib.parse import quote

import plotly.graph_objects as go

from bjp_engine.experiments import Summary
from bjp_engine.scores import PAPERS, SCORES
from bjp_explorer.reproduce.data import View
from bjp_explorer.reproduce.tables import seconds as duration
from bjp_explorer.views.palette import LOOKS, READ_ONLY, Palette, add_band, style

SETTINGS = READ_ONLY | {"toImageButtonOptions": {"format": "svg", "filename": "reproduction"}}
# Pixels a letter of a tick's label takes.
LETTER = 7
HEIGHT = 210


def outcome(view: View, network: str, palette: Palette) -> go.Figure:
    """What the table is about, over N: a line with its band for each score, and the paper's marks.

    For each score three traces: the band of one standard error up and down, our means, the paper's
    figures.
    """
    figure = go.Figure()
    for score, search in view.experiment.scores:
        mine = _of(view, network, score, search)
        errors = [0.0 if math.isnan(one.error) else one.error for one in mine]
        rows = [one.rows for one in mine]
        means = [one.mean for one in mine]
        upper = [mean + error for mean, error in zip(means, errors, strict=True)]
        lower = [mean - error for mean, error in zip(means, errors, strict=True)]
        add_band(figure, rows, lower, upper, palette.score(score), opacity=0.22)
        _ours(figure, score, rows, means, palette, error=errors)
        _theirs(figure, score, mine, palette)
    _over_sizes(figure, view, palette)
    if view.experiment.measure == "success":
        figure.update_yaxes(range=[-0.03, 1.03], tickformat=".1f", dtick=0.2)
    else:
        figure.update_yaxes(rangemode="tozero")
    return figure


def times(view: View, network: str, palette: Palette) -> go.Figure:
    """Seconds of a search over N, both axes logarithmic.

    For each score two traces: our means, the paper's.
    """
    figure = go.Figure()
    for score, search in view.experiment.scores:
        mine = _of(view, network, score, search)
        means = [one.seconds for one in mine]
        _ours(figure, score, [one.rows for one in mine], means, palette, unit=" s")
        _theirs(figure, score, mine, palette, unit=" s")
    _over_sizes(figure, view, palette)
    values = [value for trace in figure.data for value in trace.y]
    if values:
        ticks = _ticks(min(values), max(values))
        labels = [duration(tick) for tick in ticks]
        figure.update_yaxes(tickvals=ticks, ticktext=labels)
        figure.update_layout(margin_l=12 + LETTER * max(map(len, labels)))
    figure.update_yaxes(type="log")
    return figure


def describe_chart(view: View, network: str, *, seconds: bool = False) -> str:
    """A chart as a sentence: what each score comes to at the largest N."""
    parts = []
    for score, search in view.experiment.scores:
        mine = _of(view, network, score, search)
        if mine:
            value = mine[-1].seconds if seconds else mine[-1].mean
            parts.append(f"{SCORES[score].title} {value:.3g} at N = {mine[-1].rows:,}")
    what = "Seconds per search" if seconds else "Mean"
    return f"{what} over N on {network}: {'; '.join(parts) or 'no rows yet'}."


def draw_key(palette: Palette) -> str:
    """What lines and marks mean, as HTML with small drawings."""
    shapes = {
        "circle": '<circle cx="20" cy="7" r="4.5"/>',
        "square": '<rect x="15.8" y="2.8" width="8.4" height="8.4"/>',
        "triangle-up": '<path d="M20 1.5 25.5 11.5H14.5Z"/>',
    }
    dashes = {"solid": "", "dash": ' stroke-dasharray="6 3"', "dot": ' stroke-dasharray="2 3"'}
    parts = []
    for score in PAPERS:
        drawn = LOOKS[score]
        ink, name, shape = palette.score(score), SCORES[score].title, shapes[drawn.symbol]
        line = f'<path d="M0 7H40"{dashes[drawn.dash]}/>'
        filled = f'stroke="{ink}" fill="{ink}" stroke-width="2"'
        hollow = f'stroke="{ink}" fill="none" stroke-width="1.8"'
        parts += [
            f"<span>{_image(f'<g {filled}>{line}{shape}</g>', 0, 40)} {name}</span>",
            f"<span>{_image(f'<g {hollow}>{shape}</g>', 13, 14)} {name}, the paper’s</span>",
        ]
    style = "display:flex;flex-wrap:wrap;gap:0.3rem 1.1rem;align-items:center;font-size:0.9rem"
    return f'<div style="{style}">{"".join(parts)}</div>'


def _image(drawing: str, left: int, width: int) -> str:
    """A small drawing as an image: Streamlit takes SVG out of HTML, but not out of an address."""
    space = 'xmlns="http://www.w3.org/2000/svg"'
    box = f'width="{width}" height="14" viewBox="{left} 0 {width} 14"'
    text = quote(f"<svg {space} {box}>{drawing}</svg>")
    return f'<img alt="" src="data:image/svg+xml,{text}" style="vertical-align:-2px">'


def _of(view: View, network: str, score: str, search: str) -> list[Summary]:
    """The summaries of one line, by ascending N."""
    return [
        one
        for one in view.cells
        if (one.network, one.score, one.search) == (network, score, search)
    ]


def _ours(
    figure: go.Figure,
    score: str,
    rows: Sequence[int],
    means: Sequence[float],
    palette: Palette,
    *,
    error: Sequence[float] | None = None,
    unit: str = "",
) -> None:
    """Our means as a line with filled marks."""
    drawn, colour, name = LOOKS[score], palette.score(score), SCORES[score].title
    behind = " ± %{customdata:.3g}" if error is not None else ""
    figure.add_scatter(
        x=rows,
        y=means,
        mode="lines+markers",
        name=name,
        line={"color": colour, "width": 2, "dash": drawn.dash},
        marker={"symbol": drawn.symbol, "size": 7, "color": colour},
        customdata=error,
        hovertemplate=f"{name}, N = %{{x:,}}: %{{y:.3g}}{behind}{unit}<extra></extra>",
    )


def _theirs(
    figure: go.Figure, score: str, mine: Sequence[Summary], palette: Palette, unit: str = ""
) -> None:
    """The paper's figures as hollow marks."""
    drawn, colour, name = LOOKS[score], palette.score(score), SCORES[score].title
    pairs = [(one.rows, one.printed_seconds if unit else one.printed) for one in mine]
    printed = [(rows, value) for rows, value in pairs if value is not None]
    figure.add_scatter(
        x=[rows for rows, _ in printed],
        y=[value for _, value in printed],
        mode="markers",
        name=f"{name}, the paper’s",
        marker={
            "symbol": f"{drawn.symbol}-open",
            "size": 10,
            "color": colour,
            "line": {"width": 1.8},
        },
        hovertemplate=f"{name} in the paper, N = %{{x:,}}: %{{y:.3g}}{unit}<extra></extra>",
    )


def _over_sizes(figure: go.Figure, view: View, palette: Palette) -> None:
    """N on a logarithmic axis, each size named."""
    style(figure, palette, HEIGHT)
    sizes = sorted(view.experiment.rows)
    ends = [math.log10(sizes[0]) - 0.08, math.log10(sizes[-1]) + 0.08]
    # Margins that Plotly finds by itself cost a second drawing of each figure.
    figure.update_layout(showlegend=False, margin={"l": 36, "r": 8, "t": 6, "b": 24})
    figure.update_xaxes(
        type="log",
        range=ends,
        tickvals=sizes,
        ticktext=[f"{rows / 1000:g}k" if rows >= 1000 else f"{rows}" for rows in sizes],
        tickangle=0,
        zeroline=False,
        automargin=False,
    )
    figure.update_yaxes(zeroline=False, automargin=False)


def _ticks(least: float, most: float) -> list[float]:
    """Powers of ten around a range, with their doubles and halves where it is narrow."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    steps = (1, 2, 5) if most < 100 * least else (1,)
    return [step * 10.0**k for k in range(first, last + 1) for step in steps]
