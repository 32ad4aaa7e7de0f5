"""The permutation test of *Groups*: a button, the job's progress, then what it found."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from bjp_engine.confidence import GroupComparisons
from bjp_engine.search import SearchTrace
from bjp_explorer.groups import choices, words
from bjp_explorer.groups.parts import Groups
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.tasks import Task

# Seconds to fit both groups in one permutation, and more of them for each edge.
_FIT, _FIT_EDGE = 0.007, 2e-4


def find(groups: Groups, search: str, traces: dict[str, SearchTrace]) -> GroupComparisons | None:
    """What the test found; before, its settings with a button, or its progress.

    None until it has ended well.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        amount = choices.PERMUTATIONS.box(st, words.PERMUTATIONS, width=160)
        seed = choices.SEED.box(st, words.SEED, width=160)
    key = ("groups", *(part.digest for part in groups.values()), *groups, search, amount, seed)
    wanted = {"permutations": amount, "seed": seed}
    found: GroupComparisons | None = results.on_request(
        key, partial(_offer, key, groups, search, traces, wanted)
    )
    return found


def _offer(
    key: tuple[Any, ...],
    groups: Groups,
    search: str,
    traces: dict[str, SearchTrace],
    wanted: dict[str, int],
) -> None:
    """A button, and what it does."""
    pairs = len(groups) * (len(groups) - 1) // 2
    each = sum(costs.of_search(part, "bjp", search, {}) for part in groups.values())

    def begin() -> None:
        first, *_ = groups.values()
        task = Task(tasks.compared, first, {"groups": groups, "search": search, **wanted})
        results.begin(key, words.TESTING, task, wanted["permutations"] * each, words.COUNTED)

    # Each group is in as many pairs as there are other groups.
    alone = (t.seconds + _FIT_EDGE * t.graph.number_of_edges() for t in traces.values())
    seconds = (sum(alone) * (len(groups) - 1) + _FIT * pairs) * wanted["permutations"]
    if warning := words.warn_of_permutations(wanted["permutations"], pairs):
        st.warning(warning, icon=":material/warning:")
    about = words.describe_test(wanted["permutations"], pairs, seconds)
    icon = ":material/compare_arrows:"
    results.offer(words.TEST, about, begin, "groups-test", icon, type="primary")
