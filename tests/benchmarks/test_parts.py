"""What is taken out of `auto` to see what it brings is really out."""

from __future__ import annotations

import numpy as np
import pytest

import bjp_engine as bjp
from benchmarks import marked, parts
from benchmarks.accuracy.groups import DISTRIBUTIONS, REPORTING, ROWS


def test_nothing_is_chosen_on_what_is_reported() -> None:
    assert not set(parts.SEEDS) & set(REPORTING)


def sampled(network: str, rows: int) -> bjp.Dataset:
    model = bjp.sampling.random_model(bjp.networks.load(network), "log-odds", seed=1)
    return model.sample(rows, seed=1)


def test_each_part_changes_something() -> None:
    few_rows = sampled("will-57", 250)
    all_sure = sampled("hub-2", 1000)
    states = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 8, size=(300, 6)))
    odds = {}
    for name, part in parts.VARIANTS.items():
        with part():
            odds[name] = [
                bjp.learn(data, "bjp", "auto").structure.log_odds
                for data in (few_rows, all_sure, states)
            ]
    auto, alone, bare, uncorrected, unregressed, small, full, tables = odds.values()
    for without in (alone, bare):
        assert (auto[0] >= without[0]).all()
        assert (auto[0] > without[0]).any()
        assert (auto[2] == without[2]).all()
    assert (auto[1] <= uncorrected[1]).all()
    assert (auto[1] < uncorrected[1]).any()
    assert (auto[0] != unregressed[0]).any()
    assert (auto[2] == unregressed[2]).all()
    assert (auto[1] != small[1]).any()
    assert (auto[2] == small[2]).all()
    assert (auto[0] == full[0]).all()
    assert (auto[2] != full[2]).any()
    assert (auto[0] == tables[0]).all()
    assert (auto[2] > tables[2]).any()


def test_a_line_for_each_distribution_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        (kind, rows): {name: [0.25, 0.75] for name in parts.VARIANTS}
        for kind in DISTRIBUTIONS
        for rows in ROWS
    }
    lines = parts.table(found).splitlines()
    assert len(lines) == 2 + len(DISTRIBUTIONS) * len(ROWS)
    assert lines[2] == f"| {DISTRIBUTIONS[0]} | 250 |{' 0.500 |' * len(parts.VARIANTS)}"
    written: list[str] = []
    monkeypatch.setattr(parts, "measured", lambda: found)
    monkeypatch.setattr(marked, "write", lambda *given: written.extend(given))
    parts.main()
    assert written == ["auto.md", "parts", parts.table(found)]
