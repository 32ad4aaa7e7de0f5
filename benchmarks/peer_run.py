"""One search of another package on data in a file: `python -m benchmarks.peer_run NAME FILE`.

Prints the seconds of the search alone and how many edges it found. Imports nothing of the
engine, so that any Python that has the package can run it.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

# Each starts with the name of the package that has to be importable.
Result = tuple[float, int]


def timed(search: Any, edges: Any) -> Result:
    """Seconds of a search, and the edges of what it found."""
    began = time.perf_counter()
    found = search()
    return time.perf_counter() - began, int(edges(found))


def pgmpy(codes: np.ndarray, cards: np.ndarray, which: str) -> Result:
    """Hill climb and GES by BDeu, PC by chi-square."""
    import pandas as pd
    from pgmpy import causal_discovery as searches

    frame = pd.DataFrame(codes, columns=[f"x{i}" for i in range(len(cards))]).astype("category")
    made = {
        "hill-climb": lambda: searches.HillClimbSearch("bdeu", show_progress=False),
        "ges": lambda: searches.GES("bdeu"),
        "pc": lambda: searches.PC(ci_test="chi_square", n_jobs=1, show_progress=False),
    }[which]()
    return timed(lambda: made.fit(frame), lambda found: len(found.causal_graph_.edges))


def pyagrum(codes: np.ndarray, cards: np.ndarray, which: str) -> Result:
    """MIIC, greedy hill climb by BDeu, PC."""
    import pandas as pd
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    model = gum.BayesNet()
    names = [f"x{i}" for i in range(len(cards))]
    for name, r in zip(names, cards, strict=True):
        model.add(gum.RangeVariable(name, name, 0, int(r) - 1))
    learner = gum.BNLearner(pd.DataFrame(codes, columns=names), model)
    if which == "hill-climb":
        learner.useGreedyHillClimbing()
        learner.useScoreBDeu()
    elif which == "miic":
        learner.useMIIC()
    else:
        learner.usePC()
    return timed(learner.learnPDAG if which != "hill-climb" else learner.learnBN, sizes)


def sizes(graph: Any) -> int:
    """Edges of a directed or partly directed graph of pyAgrum."""
    return graph.sizeArcs() + (graph.sizeEdges() if hasattr(graph, "sizeEdges") else 0)


def causallearn(codes: np.ndarray, cards: np.ndarray, which: str) -> Result:
    """PC by G² or chi-square, GES by BDeu."""
    del cards
    if which == "ges":
        from causallearn.search.ScoreBased.GES import ges

        return timed(
            lambda: ges(codes.astype(int), "local_score_BDeu"),
            lambda found: found["G"].get_num_edges(),
        )
    from causallearn.search.ConstraintBased.PC import pc

    return timed(
        lambda: pc(codes.astype(int), 0.01, which.removeprefix("pc-"), show_progress=False),
        lambda found: found.G.get_num_edges(),
    )


PACKAGES = {"pgmpy": pgmpy, "pyagrum": pyagrum, "causallearn": causallearn}


def main(name: str, path: str) -> None:
    """Read the data and run the search."""
    warnings.simplefilter("ignore")
    package, _, which = name.partition(":")
    with np.load(Path(path)) as data:
        codes, cards = data["codes"], data["cards"]
    seconds, edges = PACKAGES[package](codes, cards, which)
    print(json.dumps({"seconds": seconds, "edges": edges}))


if __name__ == "__main__":
    main(*sys.argv[1:])
