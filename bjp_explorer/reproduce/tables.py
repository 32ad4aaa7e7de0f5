"""Our figures beside the paper's as a table, network by network and N by N."""

from __future__ import annotations

import math

import pandas as pd
from pandas.io.formats.style import Styler

from bjp_engine.experiments import Summary
from bjp_engine.scores import SCORES
from bjp_explorer.reproduce.data import View
from bjp_explorer.shell.text import number
from bjp_explorer.views.palette import Palette

EMPTY = "–"


def figures(view: View, palette: Palette) -> Styler:
    """Ours ± standard error, the paper's ± its spread, and the difference.

    Three columns a score; a difference beyond the errors has a mark and a ground.
    """
    digits = 2 if view.experiment.measure == "success" else 1
    cells, off, known = [], [], view.by_key
    for network, rows in _places(view):
        line: dict[str, str] = {"network": network, "N": f"{rows:,}"}
        marked: dict[str, bool] = {}
        for score, search in view.experiment.scores:
            title = SCORES[score].title
            one = known.get((view.experiment.name, network, rows, score, search))
            beside = None if one is None or one.printed is None else one
            line[title] = EMPTY if one is None else ours(one, digits)
            line[f"{title} paper"] = EMPTY if beside is None else theirs(beside, digits)
            line[f"{title} Δ"] = EMPTY if beside is None else apart(beside, digits)
            marked[f"{title} Δ"] = beside is not None and not beside.agrees
        cells.append(line)
        off.append(marked)
    return _styled(pd.DataFrame(cells), pd.DataFrame(off), palette)


def times(view: View, palette: Palette) -> Styler:
    """Seconds of a search beside the paper's, and how many times as long the paper's took."""
    cells, known = [], view.by_key
    for network, rows in _places(view):
        line: dict[str, str] = {"network": network, "N": f"{rows:,}"}
        for score, search in view.experiment.scores:
            title = SCORES[score].title
            one = known.get((view.experiment.name, network, rows, score, search))
            printed = None if one is None else one.printed_seconds
            line[title] = EMPTY if one is None else seconds(one.seconds)
            line[f"{title} paper"] = EMPTY if printed is None else seconds(printed)
            ratio = EMPTY if printed is None or one is None else f"{printed / one.seconds:,.0f} ×"
            line[f"{title} ratio"] = ratio
        cells.append(line)
    table = pd.DataFrame(cells)
    return _styled(table, pd.DataFrame(index=table.index), palette)


def ours(one: Summary, digits: int) -> str:
    """A mean with its standard error, where it has one."""
    error = "" if math.isnan(one.error) else f" ± {number(one.error, digits)}"
    return f"{number(one.mean, digits)}{error}"


def theirs(one: Summary, digits: int) -> str:
    """The paper's figure, with the number that it prints behind ±."""
    if one.printed is None:
        return EMPTY
    spread = one.printed_spread
    behind = "" if spread is None else f" ± {number(spread, digits)}"
    return f"{number(one.printed, digits)}{behind}"


def apart(one: Summary, digits: int) -> str:
    """Ours minus the paper's, marked where the errors don't allow it."""
    text = number(one.difference, digits)
    signed = f"+{text}" if one.difference > 0 and text.strip("0.") else text
    if one.agrees:
        return signed
    return f"{'▲' if one.difference > 0 else '▼'} {signed}"


def seconds(value: float) -> str:
    """A run time to three digits."""
    if value >= 100:
        return f"{value:,.0f} s"
    if value >= 0.1:
        return f"{value:.3g} s"
    return f"{value * 1000:.3g} ms" if value >= 1e-4 else f"{value * 1e6:.3g} µs"


def _places(view: View) -> list[tuple[str, int]]:
    """Networks and N in the paper's order, also those without a row yet."""
    sizes = sorted(view.experiment.rows)
    return [(network, rows) for network in view.experiment.networks for rows in sizes]


def _styled(table: pd.DataFrame, off: pd.DataFrame, palette: Palette) -> Styler:
    """Marked cells get a ground of their own as well."""
    ground = f"background-color: {palette.quiet}40; color: {palette.ink}; font-weight: 600"
    marked = off.reindex(columns=table.columns, fill_value=False).fillna(False).astype(bool)
    styles = marked.map(lambda one: ground if one else "")
    # Cells with ids are set in the table anew by Streamlit, one after the other.
    return Styler(table, cell_ids=False).apply(lambda _: styles, axis=None)
