"""`py.typed` holds: mypy and pyright accept what a user writes, and see what is wrong in it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.recipes import ROOT

SCRIPT = '''
import networkx as nx
import pandas as pd

import bjp_engine as bjp
from bjp_engine.scores import ScoreTrace
from bjp_engine.search import SearchTrace


class Table:
    """What polars, pyarrow and DuckDB have in common."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return requested_schema


data: bjp.Dataset = bjp.read_table("table.csv")
trace: SearchTrace = bjp.learn(data, search="ibmap-hc")
for step in trace.steps:
    sign: bool = step.added
    gain: float = step.gain
graph: nx.Graph = trace.graph
test = bjp.independence_test(data, "x", "y", given=["z"])
counts: list[list[int]] = [row for part in test.slices for row in part.counts.tolist()]
total: float = test.log_independent + test.log_dependent
score: ScoreTrace = bjp.score(data, graph)
longest: int = max(len(term.given) for term in score.computed)
probabilities = bjp.edge_probabilities(data)
verdicts: pd.DataFrame = probabilities.verdicts()
probability: float = probabilities.of("x", "y").confidence
effects: pd.DataFrame = bjp.fit_parameters(data, graph).effects()
learner = bjp.BlanketLearner("bjp", search="ibmap-hc").fit(data.to_frame())
likelihood: float = learner.score(data.to_frame())
other = bjp.Dataset.from_frame(Table(), weights="count")
again = bjp.learn(Table())
page: str = bjp.share(trace, "climb.html", title="A climb")
'''
FAULTS = ["trace.graf", "data.rows.upper()", "bjp.learn(data, serach='auto')", "bjp.lern(data)"]


def examples():
    """The Python blocks of README as one script."""
    parts = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1:]
    return "\n".join(part.split("```")[0] for part in parts)


def mypy(script):
    """The lines that mypy refuses."""
    options = ["--strict", "--config-file=", f"--cache-dir={script.parent / 'mypy'}"]
    # networkx and scikit-learn are published without types.
    options += ["--disable-error-code=import-untyped", "--no-error-summary", "--no-pretty"]
    made = run([sys.executable, "-m", "mypy", *options, script.name], script.parent)
    return [int(line.split(":")[1]) for line in made.splitlines() if ": error:" in line]


def pyright(script):
    """The lines that pyright refuses in its standard mode; its fork comes with all it needs."""
    settings = {"include": [script.name], "typeCheckingMode": "standard"}
    (script.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    program = Path(sys.executable).with_name("basedpyright")
    command = [str(program), "--outputjson", "--pythonpath", sys.executable]
    found = json.loads(run(command, script.parent))["generalDiagnostics"]
    return [one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"]


def run(command, folder):
    """What a checker prints; it ends with 1 where it found something."""
    made = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert made.returncode in {0, 1}, made.stdout + made.stderr
    return made.stdout


@pytest.mark.slow
@pytest.mark.parametrize("check", [mypy, pyright])
def test_a_script_of_a_user(check, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(examples(), encoding="utf-8")
    assert check(script) == []
    script.write_text("\n".join([SCRIPT, *FAULTS]), encoding="utf-8")
    last = len(SCRIPT.splitlines()) + 1
    assert sorted(set(check(script))) == [last + k for k in range(1, len(FAULTS) + 1)]
