"""The comparison of ordered answers: its samples, its measure, its table."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from benchmarks import marked, ordered


def test_nothing_is_chosen_on_what_is_reported() -> None:
    assert max(ordered.SEEDS) < 1000


@pytest.mark.parametrize("kind", ordered.KINDS)
def test_neighbours_depend_on_each_other(kind: str) -> None:
    data, truth = ordered.make(kind, 2000, 1001)
    assert (data.rows, data.n) == (2000, ordered.VARIABLES)
    assert sorted(truth.nodes) == list(range(data.n))
    assert sum(data.ordered) == (data.n // 2 if kind.startswith("mixed") else data.n)

    def dependence(x: int, y: int) -> float:
        seen = np.zeros((data.cardinalities[x], data.cardinalities[y]))
        np.add.at(seen, (data.codes[:, x], data.codes[:, y]), 1)
        expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / data.rows
        return float((((seen - expected) ** 2)[expected > 0] / expected[expected > 0]).sum())

    edges = [dependence(*edge) for edge in truth.edges]
    others = [dependence(*pair) for pair in nx.non_edges(truth)]
    assert np.median(edges) > 3 * np.median(others)


def test_cut_where_the_halves_are_most_alike() -> None:
    codes = [[0, 2]] * 4 + [[1, 1]] * 3 + [[2, 0]] * 3
    data = ordered.cut(bjp.Dataset.from_codes(codes, ordered=[0]))
    assert data.cardinalities == (2, 3)
    assert data.codes[:, 0].tolist() == [0] * 4 + [1] * 6


def test_f1_by_hand() -> None:
    truth, found = nx.Graph([(0, 1), (1, 2), (2, 3)]), nx.Graph([(1, 0), (1, 3)])
    assert ordered.f1(truth, found) == pytest.approx(2 * 1 / (3 + 2))


def test_the_table_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {("U-shaped", 350): {name: [(0.5, 3.0), (0.7, 1.0)] for name in ordered.METHODS}}
    written: list[str] = []
    monkeypatch.setattr(ordered, "measured", lambda: found)
    monkeypatch.setattr(marked, "write", lambda *given: written.extend(given))
    ordered.main()
    assert written[:2] == ["auto.md", "ordered"]
    assert written[2].splitlines()[2] == "| U-shaped | 350 |" + " 0.60 ± 0.10, 2.0 |" * 3
