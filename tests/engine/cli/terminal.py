"""The `bjp` command as a terminal shows it, called in this process."""

from bjp_engine import cli


class Terminal:
    """Runs commands and gives what they print."""

    def __init__(self, capsys):
        self._capsys = capsys

    def __call__(self, *argv, note=""):
        """The output of a command that succeeds, with `note` (None: anything) as errors."""
        assert cli.main([*map(str, argv)]) == 0, argv
        out, err = self._capsys.readouterr()
        assert err == note or note is None, argv
        return out

    def read(self):
        """What was printed since, to both ends."""
        return self._capsys.readouterr()

    def refuse(self, *argv, begun=False, notes=False):
        """The one sentence of a command that fails, where `begun` perhaps after other lines.

        And, where asked for, after `notes`.
        """
        assert cli.main([*map(str, argv)]) == 2, argv
        out, err = self._capsys.readouterr()
        if notes:
            err = "".join(line for line in err.splitlines(True) if not line.startswith("note: "))
        assert (err[:5], err.count("\n")) == ("bjp: ", 1), argv
        assert begun or not out, argv
        assert "Traceback" not in err, argv
        return err
