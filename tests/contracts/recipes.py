"""What CONTRIBUTING.md shows how to write, as written there: two scores and a search."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search import SEARCHES

_TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
_DATA = bjp.Dataset.from_codes([[0, 0, 1], [1, 1, 0], [0, 1, 1]] * 20)
_made: dict[str, Any] = {"__name__": __name__, "bjp": bjp, "data": _DATA}
for _block in re.findall(r"```python\n(.*?)```", _TEXT, re.DOTALL):
    exec(compile(_block, "CONTRIBUTING.md", "exec"), _made)

EarlierEnd, Bic, RoundByRound = (_made[name] for name in ("EarlierEnd", "Bic", "RoundByRound"))
# A test has the name of a built-in, or the object itself.
ALL_SCORES = {**SCORES, "earlier-end": EarlierEnd(), "bic": Bic()}
ALL_SEARCHES = {**SEARCHES, "round-by-round": RoundByRound()}


def method_of(name: str) -> Any:
    """What `learn` and `score` take: a built-in's name, or a made-up score."""
    return name if name in SCORES else ALL_SCORES[name]


def search_of(name: str) -> Any:
    """What `learn` takes: a built-in's name, or a made-up search."""
    return name if name in SEARCHES else ALL_SEARCHES[name]
