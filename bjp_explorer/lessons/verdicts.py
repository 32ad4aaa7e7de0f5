"""The engine's verdict on every answer that a question can get, for a page without the engine.

An answer is a sequence of picks: a set in ascending order, an order as it is. `verdict_tree` asks
the question's own check about each of them, and keeps equal verdicts and equal branches once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb, perm
from typing import Any

from bjp_explorer.lessons.model import AnswerKind, Payload, Pick, Picks, Question, Step, Verdict

# A question with more answers is not judged without the engine.
MOST_ANSWERS = 100_000
# How many picks an answer has at most, where that is not all of them.
_LONGEST: dict[AnswerKind, int] = {"pair": 2, "card": 1}


def candidates(step: Step) -> Picks:
    """Everything that can be picked to answer a step's question, in ascending order."""
    scene, question = step.view(()), step.question
    assert question is not None
    if question.kind == "cells":
        terms = scene["matrix"]["terms"]
        return tuple(sorted(zip(terms["x"], terms["y"], strict=True)))
    if question.kind in ("cards", "card"):
        return tuple(range(len(scene.get("cards") or scene["networks"])))
    drawing = scene["networks"][0]
    # What is marked already is not asked for.
    fixed = {i for i, _ in drawing["roles"]} if question.kind == "nodes" else ()
    return tuple(k for k in range(len(drawing["names"])) if k not in fixed)


def sort_picks(kind: AnswerKind, picks: Picks) -> Picks:
    """An answer as it is judged: which of a set was picked first makes no difference."""
    return picks if kind == "order" else tuple(sorted(picks))


def count_answers(kind: AnswerKind, n: int) -> int:
    """How many answers a question has with so many candidates, the empty one included."""
    ways = perm if kind == "order" else comb
    return sum(ways(n, k) for k in range(_LONGEST.get(kind, n) + 1))


def verdict_tree(step: Step, most: int = MOST_ANSWERS) -> Payload | None:
    """The verdicts on all answers; None where there are too many to ask about.

    `candidates`; `verdicts`, each once; `nodes`, each with the verdict on the answer that ends
    there and a branch for each candidate that may follow, by its position; `root`. A branch is the
    position of a verdict if all that follows gets the same one, else −1 − that of a node.
    """
    question, choices = step.question, candidates(step)
    assert question is not None
    if count_answers(question.kind, len(choices)) > most:
        return None
    tree = _Tree(question, choices)
    root = tree.grow(())
    return {
        "candidates": list(choices),
        "verdicts": list(tree.verdicts.values()),
        "nodes": [[own, dict(branches)] for own, branches in tree.nodes],
        "root": root,
    }


@dataclass
class _Tree:
    """What was found so far; the position of each is its place in the dictionary."""

    question: Question
    choices: tuple[Pick, ...]
    verdicts: dict[Any, Verdict] = field(default_factory=dict)
    places: dict[Any, int] = field(default_factory=dict)
    nodes: dict[tuple[int, tuple[tuple[int, int], ...]], int] = field(default_factory=dict)

    def grow(self, picked: tuple[int, ...]) -> int:
        """The branch of all answers that begin so; picks by their positions."""
        own = self._judge(tuple(self.choices[k] for k in picked))
        branches = tuple((k, self.grow((*picked, k))) for k in self._following(picked))
        if all(branch == own for _, branch in branches):
            return own
        return -1 - self.nodes.setdefault((own, branches), len(self.nodes))

    def _following(self, picked: tuple[int, ...]) -> list[int]:
        n, kind = len(self.choices), self.question.kind
        if len(picked) >= _LONGEST.get(kind, n):
            return []
        if kind == "order":
            return [k for k in range(n) if k not in picked]
        return list(range(picked[-1] + 1 if picked else 0, n))

    def _judge(self, picks: Picks) -> int:
        verdict = self.question.check(picks)
        # A sentence is told by its parts: phrases hold dictionaries, which have no hash.
        key = repr(verdict)
        self.verdicts.setdefault(key, verdict)
        return self.places.setdefault(key, len(self.places))
