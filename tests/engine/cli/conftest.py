"""Settings of the tests of commands."""

import pytest

from bjp_engine.kernels import compiled


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No command says that it compiles: kernels that are not compiled yet are, where needed."""
    monkeypatch.setattr(compiled, "is_complete", lambda: True)
