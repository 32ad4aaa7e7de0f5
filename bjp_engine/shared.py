"""Pages of their own, one HTML file with the player of the app, and plots of a record.

Both are made by the package `bjp_explorer`, which is looked for when it is needed.
"""

from __future__ import annotations

from html import escape
from importlib import import_module
from os import PathLike
from typing import Any

__all__ = ["Page", "share"]

_MAKER = "bjp_explorer.share.records"
_PLOTTER = "bjp_explorer.plots.records"


class Page(str):
    """An HTML file as text, which shows itself in a notebook, `height` pixels high.

    Examples
    --------
    >>> import networkx as nx
    >>> import bjp_engine as bjp
    >>> page = bjp.share(nx.path_graph(["rain", "wet", "slippery"]))
    >>> page.startswith("<!doctype html>"), page.height
    (True, 520)
    """

    height: int

    def __new__(cls, text: str, height: int = 800) -> Page:
        """A text with the height of its frame."""
        page = super().__new__(cls, text)
        page.height = height
        return page

    def __repr__(self) -> str:
        """How long it is."""
        return f"<{type(self).__name__} of {len(self):,} characters>"

    def _repr_html_(self) -> str:
        """The page in a frame of a notebook, which lets it do nothing but run its own code."""
        return (
            f'<iframe srcdoc="{escape(self)}" sandbox="allow-scripts allow-downloads" '
            f'title="A page of BJP Explorer" style="width:100%;height:{self.height}px;border:0">'
            "</iframe>"
        )


def share(
    what: Any,
    path: str | PathLike[str] | None = None,
    *,
    title: str | None = None,
    about: str | None = None,
    step: int | None = None,
    truth: Any = None,
    given: Any = None,
) -> Page:
    """One HTML file that shows a result with the app's player, and asks no server for anything.

    It opens from a disk, a mail, a course page or an ``<iframe>``, offline, in any browser of
    2023 or later. Names are shown as they are and never run.

    Parameters
    ----------
    what : ScoreTrace, SearchTrace, FittedNetwork, networkx.Graph, or several
        A score is shown step by step; a search as a climb; a fitted network of at most 4,096
        joint states as *What if*. A list of two searches is shown as two climbs with one player,
        any other list of graphs and searches of the same variables as networks on one layout. A
        dict gives each of them its title.
    path : str or path, optional
        Where the file is written, too.
    title, about : str, optional
        The heading, and the line below it; by default what is shown, and its score.
    step : int, optional
        The step at which a score or a search is opened, from 0, the default.
    truth : networkx.Graph, optional
        The true network: what searches and graphs are compared with.
    given : dict, optional
        Of a fitted network: for each variable that is known at first, its state.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import bjp_engine as bjp
    >>> data = bjp.read_table(bjp.resources.sample_data("datasets", "coronary.csv"))
    >>> trace = bjp.learn(data, search="ibmap-hc")
    >>> with TemporaryDirectory() as folder:
    ...     page = bjp.share(trace, Path(folder, "climb.html"), title="Coronary heart disease")
    ...     Path(folder, "climb.html").stat().st_size < 1_000_000
    True

    Notes
    -----
    A trace in a notebook shows itself by such a page, where it has at most 60 variables and
    1,000 steps.
    """
    how = {"title": title, "about": about, "step": step, "truth": truth, "given": given}
    return Page(*import_module(_MAKER).write(what, path, **how))


def plot(what: Any, **how: Any) -> Any:
    """A record's figure; see the methods `plot` for the arguments."""
    return import_module(_PLOTTER).draw(what, **how)


def in_notebook(trace: Any) -> str:
    """A trace's page in a frame; empty where it has none, or would make a notebook heavy."""
    made = import_module(_MAKER).embed(trace)
    return "" if made is None else Page(*made)._repr_html_()
