"""What holds for all tests of the page Data."""

from functools import partial

import pytest

from bjp_engine.parameters import impute
from bjp_engine.preparation import preparation


@pytest.fixture(autouse=True)
def few_tables(monkeypatch):
    """Few completed tables, soon: how many there are is tested where they are made."""
    monkeypatch.setattr(preparation, "impute", partial(impute, times=2, rounds=1))
