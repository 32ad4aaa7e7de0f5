"""Checks of a network with fewer repetitions than on the page."""

from functools import partial

import pytest

from bjp_engine.confidence import drop_cases
from bjp_explorer.network import checks

# Fewer shares of the rows, and fewer subsets, than by default.
drop = partial(drop_cases, dropped=(0.25, 0.5), repeats=20)


@pytest.fixture(autouse=True)
def _few_repetitions(monkeypatch):
    for name in ("TABLES", "SAMPLES"):
        monkeypatch.setattr(checks, name, 3)
    for name in ("RESAMPLES", "REPEATS"):
        monkeypatch.setattr(checks, name, 20)
    monkeypatch.setattr(checks, "drop_cases", drop)
