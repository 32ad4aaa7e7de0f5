"""The posteriors of a graph's assertions against what they condition on, in two halves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bjp_engine.scores import SparedTests, TermColumns
from bjp_explorer.shell.text import plain, shown
from bjp_explorer.views import palette
from bjp_explorer.views.point_cloud import Axis, Cloud, Group

# Nearer to ½ than this, a posterior says next to nothing.
NEAR = 0.1
# Names are told on hovering up to here; beyond, they would be most of what the browser is sent.
MOST_NAMED = 40


def cloud(halves: SparedTests) -> Cloud:
    """Pr(assertion | D) against |Z|, computed and inferred side by side."""
    colours = palette.current()
    most = int(max((half.given.max() for half in (halves.computed, halves.inferred)), default=0))
    return Cloud(
        Axis("|Z|, variables given", "|Z| =", whole=True, range=(-0.6, most + 0.6)),
        Axis("posterior of the assertion", "Pr =", range=(-0.04, 1.04)),
        [
            _group(halves, "computed by BJP", halves.computed, -0.2, colours.blue),
            _group(halves, "inferred as 1", halves.inferred, 0.2, colours.vermilion),
        ],
        f"Posteriors of {len(halves.computed)} computed and {len(halves.inferred)} inferred "
        "assertions against the number of variables given.",
        bands=[(0.5 - NEAR, 0.5 + NEAR)],
    )


def _group(halves: SparedTests, name: str, half: TermColumns, aside: float, colour: str) -> Group:
    """One half, a little aside so that both can be seen."""
    few = len(half) < 1000
    return Group(
        name,
        half.given + aside + _spread(len(half)),
        half.posterior,
        symbol="circle" if aside < 0 else "diamond-open",
        colour=colour,
        size=7 if few else 5,
        alpha=0.85 if few else 0.5,
        texts=_pairs(halves, half),
    )


def _spread(size: int) -> NDArray[np.float64]:
    """Small shifts to the side, so that marks of one |Z| don't hide each other."""
    return (np.arange(size, dtype=np.float64) * 0.618034 % 1.0 - 0.5) * 0.3


def _pairs(halves: SparedTests, half: TermColumns) -> list[str]:
    """The pair of each mark."""
    if len(halves.names) > MOST_NAMED:
        return []
    names = [plain(shown(name), 18) for name in halves.names]
    pairs = zip(half.x.tolist(), half.y.tolist(), half.dependent.tolist(), strict=True)
    return [f"{names[x]} {'⊥̸' if d else '⊥'} {names[y]}" for x, y, d in pairs]
