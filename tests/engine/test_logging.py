"""What a library user may want to know goes to `logging`, and is shown only where asked for."""

import logging
import os
import subprocess
import sys

import bjp_engine as bjp

TABLE = b"smokes;cough\nyes;no\nno;no\n;yes\nyes;yes\n"


def test_guesses_dropped_rows_and_ends_of_searches(caplog):
    caplog.set_level(logging.INFO, "bjp_engine")
    data = bjp.read_table(TABLE, missing="drop")
    trace = bjp.learn(data, search="ibmap-hc")
    found = {(one.name, one.levelname): one.getMessage() for one in caplog.records}
    assert {level for _, level in found} == {"INFO"}
    assert "1 cell (empty 1×) in column 'smokes'" in found["bjp_engine.io.tables", "INFO"]
    assert (
        found["bjp_engine.dataset", "INFO"] == "1 of 4 rows have missing cells and were left out."
    )
    ended = found["bjp_engine.search.driver", "INFO"]
    assert ended == f"ibmap-hc of bjp ended with {len(trace.steps)} flips: {trace.stop_reason}"


def test_compiling_is_announced_once_and_nothing_is_printed_by_default(tmp_path):
    loud = "import logging; logging.basicConfig(level=logging.INFO)"
    kernels = "from bjp_engine.kernels import board"
    table = f"import bjp_engine as bjp; bjp.read_table({TABLE!r}, missing='drop')"

    def run(*lines):
        """What a new process prints, whose compiled code is kept apart."""
        made = subprocess.run(
            [sys.executable, "-c", "\n".join(lines)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        )
        return made.stdout + made.stderr

    assert "Kernels are compiled when they are first called" in run(loud, kernels)
    next(tmp_path.glob("*/kernels-*")).joinpath("one").touch()
    shown = run(loud, kernels, table)
    assert "Kernels are compiled" not in shown
    assert "were left out" in shown
    assert not run(kernels, table)
