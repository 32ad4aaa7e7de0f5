"""The posteriors of a graph's assertions against what they condition on, in two halves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bjp_engine.scores import SparedTests, TermColumns
from bjp_explorer.shell.text import plain
from bjp_explorer.views import palette
from bjp_explorer.views.point_cloud import Axis, Cloud, Group

# Nearer to ½ than this, a posterior says next to nothing.
NEAR = 0.1
# Names show on hovering up to here; beyond, they would be most of what the browser is sent.
MOST_NAMED = 40


def cloud(halves: SparedTests) -> Cloud:
    """Pr(assertion | D) against |Z|, computed and inferred side by side."""
    most = int(max((half.given.max() for half in (halves.computed, halves.inferred)), default=0))
    return Cloud(
        Axis("|Z|, variables given", "|Z| =", whole=True, range=(-0.6, most + 0.6)),
        Axis("posterior of the assertion", "Pr =", range=(-0.04, 1.04)),
        [
            _group(halves, half, name, dependent)
            for name, half in (("computed", halves.computed), ("inferred", halves.inferred))
            for dependent in (False, True)
        ],
        f"Posteriors of {len(halves.computed)} computed and {len(halves.inferred)} inferred "
        "assertions against the number of variables given.",
        bands=[(0.5 - NEAR, 0.5 + NEAR)],
    )


def _group(halves: SparedTests, half: TermColumns, name: str, dependent: bool) -> Group:
    """The independences or dependences of one half, a little aside so that both halves are seen."""
    few, computed = len(half) < 1000, half is halves.computed
    mine = half.dependent == dependent
    colours = palette.current()
    texts = _pairs(halves, half)
    return Group(
        f"{'⊥̸' if dependent else '⊥'}, {name}",
        (half.given + (-0.2 if computed else 0.2) + _spread(len(half)))[mine],
        half.posterior[mine],
        symbol="circle" if computed else "diamond-open",
        colour=colours.vermilion if dependent else colours.blue,
        size=7 if few else 5,
        alpha=0.85 if few else 0.5,
        texts=[texts[k] for k in np.flatnonzero(mine)] if texts else [],
    )


def _spread(size: int) -> NDArray[np.float64]:
    """Small shifts to the side, so that marks of one |Z| don't hide each other."""
    return (np.arange(size, dtype=np.float64) * 0.618034 % 1.0 - 0.5) * 0.3


def _pairs(halves: SparedTests, half: TermColumns) -> list[str]:
    """The pair of each mark."""
    if len(halves.names) > MOST_NAMED:
        return []
    names = [plain(name, 18) for name in halves.names]
    pairs = zip(half.x.tolist(), half.y.tolist(), half.dependent.tolist(), strict=True)
    return [f"{names[x]} {'⊥̸' if d else '⊥'} {names[y]}" for x, y, d in pairs]
