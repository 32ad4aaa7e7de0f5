"""What is compared: each method's name, what it is, and how it is run on a file of data.

A directed graph is judged twice, by its moral graph and by its skeleton; neighbourhoods are
judged by the edges on which both ends agree and by those that either end claims. The first of
the two bears the method's name, the other has its kind appended: `pyagrum-miic-skeleton`.
Blankets and undirected graphs are judged as they are.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Another Python that has the packages may be named.
PYTHON = os.environ.get("BJP_PEERS", sys.executable)
PROGRAM = Path(__file__).with_name("peer.R")
KINDS = {
    "directed": ("moral", "skeleton"),
    "neighbourhoods": ("and", "or"),
    "undirected": ("graph",),
}
ONLY_FIRST = frozenset({0})
R_PACKAGES = {"bdgraph": "BDgraph", "glmnet": "glmnet", "bnlearn": "bnlearn"}
OURS = "bjp_engine"
# The method that is judged, and what it is to improve on.
SUBJECT, PAPER = "bjp-auto", "bjp-paper"


@dataclass(frozen=True)
class Method:
    """One search of one package.

    Parameters
    ----------
    name : str
        Of its file of results, and of the first graph it gives.
    title : str
        What the reader sees.
    run : str
        PACKAGE:SEARCH, as what runs it takes it (`ours.py`, `peer.py`, `peer.R`).
    gives : str
        A key of `KINDS`.
    tier : int
        0 is run first; what is slow comes later.
    seeds : frozenset of int, optional
        Those that it is run for, where not for all.
    binary : bool
        Whether it takes two states only.
    """

    name: str
    title: str
    run: str
    gives: str
    tier: int
    seeds: frozenset[int] | None = None
    binary: bool = False

    @property
    def package(self) -> str:
        """What has to be there."""
        return self.run.split(":")[0]

    @property
    def rows(self) -> dict[str, str]:
        """The kinds of graph that it gives, and the name that each is known by."""
        first, *others = KINDS[self.gives]
        return {first: self.name} | {kind: f"{self.name}-{kind}" for kind in others}

    @property
    def ours(self) -> bool:
        """Whether it is a search of the engine."""
        return self.package == OURS

    def command(self, folder: Path) -> list[str]:
        """How a peer is run on the data that `Table` put into a folder."""
        if self.package in R_PACKAGES:
            return ["Rscript", str(PROGRAM), self.run, str(folder / "data.csv")]
        return [PYTHON, "-m", "benchmarks.accuracy.peer", self.run, str(folder / "data.npz")]


ALL = (
    # The engine: the paper's searches, and the default for people's own data.
    Method(PAPER, "BJP, the paper's search", "bjp_engine:bjp", "undirected", 0),
    Method("ib-paper", "IB-score, the paper's search", "bjp_engine:ib", "undirected", 0),
    Method("mpl-paper", "MPL, Pensar's search", "bjp_engine:mpl", "undirected", 0),
    Method(SUBJECT, "BJP, auto", "bjp_engine:bjp,auto", "undirected", 0),
    # What a better start, and going on past a refusal, do by themselves.
    Method(
        "bjp-or",
        "BJP started from MPL's OR graph",
        "bjp_engine:bjp,ibmap-hc,mpl-or",
        "undirected",
        0,
    ),
    Method(
        "bjp-hill-climb",
        "BJP, hill climb",
        "bjp_engine:bjp,hill-climb",
        "undirected",
        2,
        ONLY_FIRST,
    ),
    # Fast, and often the best of the peers. L1 logistic regression with EBIC is IsingFit's method.
    Method("pyagrum-hill-climb", "pyAgrum, greedy, BDeu", "pyagrum:hill-climb", "directed", 0),
    Method("pybnesian-hill-climb", "PyBNesian, greedy, BDe", "pybnesian:hill-climb", "directed", 0),
    Method("pybnesian-mmhc", "PyBNesian, MMHC", "pybnesian:mmhc", "directed", 0),
    Method("pybnesian-pc", "PyBNesian, PC, χ²", "pybnesian:pc", "directed", 0),
    Method(
        "glmnet-ebic",
        "glmnet, L1, EBIC ¼",
        "glmnet:ebic",
        "neighbourhoods",
        0,
        binary=True,
    ),
    Method("rise", "RISE, our own code", "own:rise", "undirected", 1, binary=True),
    Method("bnlearn-hpc", "bnlearn, HPC", "bnlearn:hpc", "undirected", 0),
    Method("bnlearn-hc", "bnlearn, greedy, BDe", "bnlearn:hc", "directed", 0),
    # Good, and slow where the graph is large or dense.
    Method("pyagrum-miic", "pyAgrum, MIIC", "pyagrum:miic", "directed", 1),
    Method("causal-learn-pc", "causal-learn, PC, G²", "causallearn:pc", "directed", 1),
    Method("bnlearn-mmpc", "bnlearn, MMPC", "bnlearn:mmpc", "undirected", 1),
    Method("bnlearn-hiton", "bnlearn, SI-HITON-PC", "bnlearn:hiton", "undirected", 1),
    # Slow, or another PC: on the first seed.
    Method(
        "abess-slide",
        "abess, SLIDE",
        "abess:slide",
        "undirected",
        2,
        ONLY_FIRST,
        binary=True,
    ),
    Method("bdgraph-hc", "BDgraph, MPL, greedy", "bdgraph:hc", "undirected", 2, ONLY_FIRST),
    Method("pgmpy-hill-climb", "pgmpy, greedy, BDeu", "pgmpy:bdeu", "directed", 2, ONLY_FIRST),
    Method("pyagrum-pc", "pyAgrum, PC", "pyagrum:pc", "directed", 2, ONLY_FIRST),
    Method("pgmpy-pc", "pgmpy, PC, χ²", "pgmpy:pc", "directed", 2, ONLY_FIRST),
    Method(
        "sklearn-ebic",
        "scikit-learn, L1, EBIC ¼",
        "sklearn:ebic",
        "neighbourhoods",
        3,
        ONLY_FIRST,
        binary=True,
    ),
    Method(
        "bdgraph-jumps", "BDgraph, MPL, 5000 jumps", "bdgraph:bdmcmc", "undirected", 3, ONLY_FIRST
    ),
    Method("pgmpy-hill-climb-bic", "pgmpy, greedy, BIC", "pgmpy:bic-d", "directed", 3, ONLY_FIRST),
    Method(
        "causal-learn-ges", "causal-learn, GES, BDeu", "causallearn:ges", "directed", 3, ONLY_FIRST
    ),
)


def named(names: Iterable[str]) -> list[Method]:
    """Methods by their names, `ours` and `peers` standing for all of a side."""
    known = {method.name: method for method in ALL}
    found = []
    for name in names:
        if name in ("ours", "peers"):
            found += [one for one in ALL if one.ours == (name == "ours")]
        elif name in known:
            found.append(known[name])
        else:
            raise SystemExit(f"There is no method {name!r}; choose from {', '.join(known)}.")
    return found


def titles() -> dict[str, str]:
    """What each name in the results stands for."""
    found = {}
    for method in ALL:
        kinds = method.rows
        for kind, name in kinds.items():
            found[name] = method.title if len(kinds) == 1 else f"{method.title} · {kind}"
    return found


def ready(method: Method) -> bool:
    """Whether a method can be run here."""
    return method.package in (OURS, "own") or here(method.package)


@cache
def here(package: str) -> bool:
    """Whether a package is there."""
    if package in R_PACKAGES:
        if shutil.which("Rscript") is None:
            return False
        command = ["Rscript", "-e", f"library({R_PACKAGES[package]})"]
    elif sys.executable == PYTHON:
        return importlib.util.find_spec(package) is not None
    else:
        command = [PYTHON, "-c", f"import {package}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
