"""What CONTRIBUTING.md shows how to write, as written there: two scores and a search."""

import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search import SEARCHES

ROOT = Path(__file__).parents[2]
# Registered scores and searches, then those of the document.
SCORE_NAMES = (*SCORES, "earlier-end", "bic")
SEARCH_NAMES = (*SEARCHES, "round-by-round")


@cache
def document():
    """What the document's code defines."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    data = bjp.Dataset.from_codes([[0, 0, 1], [1, 1, 0], [0, 1, 1]] * 20)
    made = {"__name__": __name__, "bjp": bjp, "data": data}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "CONTRIBUTING.md", "exec"), made)
    return {made[name].name: made[name]() for name in ("EarlierEnd", "Bic", "RoundByRound")}


def score_of(name):
    return SCORES.get(name) or document()[name]


def search_of(name):
    return SEARCHES.get(name) or document()[name]


def method_of(name):
    """What `learn` and `score` take: a built-in's name, or the object itself."""
    return name if name in SCORES else score_of(name)


def methods_of(search):
    """The scores that a search serves."""
    return [name for name in SCORE_NAMES if search_of(search).serves(score_of(name))]


@contextmanager
def case(*values):
    """Name the values of a loop in whatever is raised in it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"case: {', '.join(map(str, values))}")
        raise
