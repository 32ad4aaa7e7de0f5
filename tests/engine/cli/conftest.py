"""The `bjp` command as a terminal shows it, called in this process."""

import pytest

from bjp_engine import cli
from bjp_engine.kernels import compiled


class Terminal:
    """Runs commands and gives what they print."""

    def __init__(self, capsys):
        self._capsys = capsys
        self.noticed = []

    def _captured(self):
        """Both ends; what readers of files noticed is kept apart."""
        out, err = self._capsys.readouterr()
        lines = err.splitlines(True)
        self.noticed = [line for line in lines if line.startswith("reading: ")]
        return out, "".join(line for line in lines if line not in self.noticed)

    def __call__(self, *argv, note=""):
        """The output of a command that succeeds, with `note` (None: anything) as errors.

        What the reader noticed is left aside, in `noticed`.
        """
        assert cli.main([*map(str, argv)]) == 0, argv
        out, err = self._captured()
        assert err == note or note is None, argv
        return out

    def read(self):
        """What was printed since, to both ends."""
        return self._capsys.readouterr()

    def refuse(self, *argv, begun=False, notes=False):
        """The one sentence of a command that fails, `begun` after lines, perhaps after `notes`."""
        assert cli.main([*map(str, argv)]) == 2, argv
        out, err = self._captured()
        if notes:
            err = "".join(line for line in err.splitlines(True) if not line.startswith("note: "))
        assert (err[:5], err.count("\n")) == ("bjp: ", 1), argv
        assert begun or not out, argv
        assert "Traceback" not in err, argv
        return err


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    """No command says that it compiles: kernels that are not compiled yet are, where needed."""
    monkeypatch.setattr(compiled, "is_complete", lambda: True)


@pytest.fixture
def command(capsys):
    return Terminal(capsys)
