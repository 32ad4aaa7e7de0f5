"""Settings of the tests of commands."""

import pytest

from bjp_engine.kernels import compiled
from tests.engine.cli.terminal import Terminal


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    """No command says that it compiles: kernels that are not compiled yet are, where needed."""
    monkeypatch.setattr(compiled, "is_complete", lambda: True)


@pytest.fixture
def command(capsys):
    """`bjp` in a terminal."""
    return Terminal(capsys)
