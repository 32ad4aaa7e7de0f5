"""Other packages on the same data, each once, in a process of its own and on one core.

They learn other things (mostly directed graphs), so only the time for a structure from the
same table is compared. `make bench PEERS=1` installs those of the dependency group `bench`;
BDgraph runs where `Rscript` finds it. BJP_PEERS names another Python that has the packages.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import bjp_engine as bjp
from benchmarks import samples
from benchmarks.fresh import ALONE
from benchmarks.measure import medians
from bjp_engine.search import PUBLISHED

LIMIT = float(os.environ.get("BJP_PEERS_SECONDS", "120"))
PYTHON = os.environ.get("BJP_PEERS", sys.executable)
# Name of the run, and what it is.
RUNS = {
    "pyagrum:miic": "pyAgrum, MIIC",
    "pyagrum:hill-climb": "pyAgrum, greedy hill climb, BDeu",
    "pyagrum:pc": "pyAgrum, PC",
    "pgmpy:hill-climb": "pgmpy, hill climb, BDeu",
    "pgmpy:ges": "pgmpy, GES, BDeu",
    "pgmpy:pc": "pgmpy, PC, chi-square",
    "causallearn:pc-gsq": "causal-learn, PC, G²",
    "causallearn:pc-chisq": "causal-learn, PC, chi-square",
    "causallearn:ges": "causal-learn, GES, BDeu",
}
# BDgraph's own search for the highest pseudo-likelihood, and its search by jumps.
R_PROGRAM = """
suppressPackageStartupMessages(library(BDgraph))
given <- commandArgs(TRUE)
data <- as.matrix(read.csv(given[1], header = FALSE))
taken <- system.time(invisible(capture.output(
    found <- bdgraph.mpl(data, method = given[2], algorithm = given[3], iter = 5000,
        cores = 1, verbose = FALSE))))[["elapsed"]]
graph <- if (given[3] == "hc") found$selected_graph else BDgraph::select(found)
cat(sprintf('{"seconds": %f, "edges": %d}', taken, as.integer(sum(graph != 0) / 2)))
"""
R_RUNS = {"hc": "BDgraph, hill climb, MPL", "bdmcmc": "BDgraph, 5000 jumps, MPL"}


def here(package: str) -> bool:
    """Whether the Python that is asked has a package."""
    if sys.executable == PYTHON:
        return importlib.util.find_spec(package) is not None
    command = [PYTHON, "-c", f"import {package}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def has_bdgraph() -> bool:
    """Whether R is there with BDgraph."""
    if shutil.which("Rscript") is None:
        return False
    command = ["Rscript", "-e", "library(BDgraph)"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def told(command: list[str]) -> dict[str, float] | str:
    """What a run found, or the sentence that says why it did not."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            env=os.environ | ALONE,
        )
    except subprocess.TimeoutExpired:
        return f"more than {LIMIT:.0f} s"
    if done.returncode:
        return "failed: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1][:80]
    found: dict[str, float] = json.loads(done.stdout[done.stdout.rindex("{") :])
    return found


def commands(data: bjp.Dataset, folder: Path) -> dict[str, list[str]]:
    """How each peer that is there is run on a dataset."""
    table, text = folder / "data.npz", folder / "data.csv"
    np.savez(table, codes=data.codes, cards=np.array(data.cardinalities))
    np.savetxt(text, data.codes, fmt="%d", delimiter=",")
    there = {package for package in {name.split(":")[0] for name in RUNS} if here(package)}
    found = {
        title: [PYTHON, "-m", "benchmarks.peer_run", name, str(table)]
        for name, title in RUNS.items()
        if name.split(":")[0] in there
    }
    if has_bdgraph():
        program = folder / "bdgraph.R"
        program.write_text(R_PROGRAM)
        method = "dgm-binary" if set(data.cardinalities) == {2} else "dgm"
        for algorithm, title in R_RUNS.items():
            found[title] = ["Rscript", str(program), str(text), method, algorithm]
    return found


def compare(title: str, data: bjp.Dataset) -> None:
    """The engine and every peer on one dataset."""
    works = {m: partial(bjp.learn, data, m, PUBLISHED[m]) for m in ("bjp", "ib", "mpl")}
    ours = medians(works, 9)
    print(f"\n{title}: n = {data.n}, N = {data.rows}\n")
    print("| search | seconds | edges | time relative to the engine's BJP |\n|---|---|---|---|")
    for method, seconds in ours.items():
        edges = works[method]().graph.number_of_edges()
        print(
            f"| this engine, {method} | {seconds:.4f} | {edges} | {seconds / ours['bjp']:.1f} × |"
        )
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands(data, Path(folder)).items():
            found = told(command)
            if isinstance(found, str):
                ratio = f"more than {LIMIT / ours['bjp']:,.0f} ×" if "more" in found else ""
                print(f"| {name} | {found} | | {ratio} |", flush=True)
            else:
                ratio = f"{found['seconds'] / ours['bjp']:,.0f} ×"
                print(
                    f"| {name} | {found['seconds']:.2f} | {found['edges']:.0f} | {ratio} |",
                    flush=True,
                )


def main() -> None:
    """Both datasets; and how to install what is missing."""
    compare("ALARM-like", samples.alarm_like())
    compare("scale-free-4", samples.scale_free())
    missing = [name for name in ("pyagrum", "causallearn", "pgmpy") if not here(name)]
    if missing:
        print(f"\nNot here: {', '.join(missing)}; `make bench PEERS=1` installs them.")
    if not has_bdgraph():
        print("\nR's BDgraph is not here; on Debian, apt-get install r-cran-bdgraph.")
