"""One search of another Python package on data in a file: `… accuracy.peer NAME FILE [RESAMPLES]`.

Prints the edges found, the seconds of processor time of the search alone, and the package's
version; with a number of bootstrap resamples, the share of these in which each pair is an edge,
after the pair. Imports nothing of the engine, so that any Python that has the package can run it.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy import rise

Pair = tuple[int, int]
Share = tuple[int, int, float]
# What a search found: its graphs, each under the name of its kind.
Graphs = dict[str, list[Pair]]
# As IsingFit does it: Barber & Drton's extended BIC with γ = ¼.
GAMMA, PENALTIES = 0.25, 30
# Of every test of independence: what most of the packages take by themselves.
ALPHA = 0.05
# SLIDE tries each number of neighbours up to this one.
NEIGHBOURS = 10


@dataclass(frozen=True)
class Table:
    """The data."""

    codes: np.ndarray
    cards: list[int]

    @property
    def names(self) -> list[str]:
        """A neutral name for each column."""
        return [f"x{i}" for i in range(len(self.cards))]

    def frame(self) -> Any:
        """A pandas DataFrame of categories, with the states that no row has too."""
        import pandas as pd

        columns = {
            name: pd.Categorical.from_codes(codes, [str(state) for state in range(r)])
            for name, codes, r in zip(self.names, self.codes.T, self.cards, strict=True)
        }
        return pd.DataFrame(columns)

    def numbered(self, pairs: Iterable[tuple[str, str]]) -> list[Pair]:
        """Pairs of names as pairs of positions."""
        return [(int(u[1:]), int(v[1:])) for u, v in pairs]


Search = Callable[[Table], Graphs]


def directed(arcs: Iterable[Pair], lines: Iterable[Pair] = ()) -> Graphs:
    """The moral graph and the skeleton of a directed, or partly directed, graph.

    Parents of one child are joined, be they joined by an arc, a line or nothing. What is left
    undirected in a pattern has no such parents that the pattern doesn't show.
    """
    arcs = list(arcs)
    skeleton = {(min(pair), max(pair)) for pair in (*arcs, *lines)}
    parents: dict[int, set[int]] = {}
    for parent, child in arcs:
        parents.setdefault(child, set()).add(parent)
    married = {pair for above in parents.values() for pair in married_pairs(above)}
    return {"moral": sorted(skeleton | married), "skeleton": sorted(skeleton)}


def married_pairs(parents: Iterable[int]) -> Iterable[Pair]:
    """All pairs of parents, each ascending."""
    return itertools.combinations(sorted(parents), 2)


def neighbourhoods(found: list[set[int]]) -> Graphs:
    """The pairs of which both have the other as neighbour, and those of which one has."""
    either = sorted({(min(i, j), max(i, j)) for i, those in enumerate(found) for j in those})
    return {"and": [(i, j) for i, j in either if j in found[i] and i in found[j]], "or": either}


# --- The searches: each gives back the graphs and the seconds they took -----------------------


def pyagrum(table: Table, which: str) -> tuple[Graphs, float]:
    """MIIC, greedy hill climb by BDeu, PC."""
    import pandas as pd
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    model = gum.BayesNet()
    for name, r in zip(table.names, table.cards, strict=True):
        model.add(gum.RangeVariable(name, name, 0, r - 1))
    learner = gum.BNLearner(pd.DataFrame(table.codes, columns=table.names), model)
    if which == "hill-climb":
        learner.useGreedyHillClimbing()
        learner.useScoreBDeu()
        found, seconds = timed(learner.learnBN)
        return directed(found.arcs()), seconds
    if which == "miic":
        learner.useMIIC()
    else:
        learner.usePC()
    found, seconds = timed(learner.learnPDAG)
    return directed(found.arcs(), found.edges()), seconds


def causallearn(table: Table, which: str) -> tuple[Graphs, float]:
    """PC by G² and GES by BDeu."""
    codes = table.codes.astype(int)
    if which == "ges":
        from causallearn.search.ScoreBased.GES import ges

        found, seconds = timed(lambda: ges(codes, "local_score_BDeu"))
        ends = found["G"].graph
    else:
        from causallearn.search.ConstraintBased.PC import pc

        found, seconds = timed(lambda: pc(codes, ALPHA, "gsq", show_progress=False))
        ends = found.G.graph
    # ends[j, i] = 1 and ends[i, j] = -1 where i → j; both -1 where undirected.
    pairs = [(i, j) for i, j in itertools.permutations(range(len(ends)), 2) if ends[i, j]]
    arcs = [(i, j) for i, j in pairs if ends[i, j] == -1 and ends[j, i] == 1]
    return directed(arcs, pairs), seconds


def pgmpy(table: Table, which: str) -> tuple[Graphs, float]:
    """Hill climb by BDeu or BIC, and PC by chi-square."""
    from pgmpy import causal_discovery as searches

    if which == "pc":
        search: Any = searches.PC(
            ci_test="chi_square", significance_level=ALPHA, n_jobs=1, show_progress=False
        )
    else:
        search = searches.HillClimbSearch(which, show_progress=False)
    found, seconds = timed(lambda: search.fit(table.frame()).causal_graph_)
    arcs = getattr(found, "directed_edges", None)
    if arcs is None:
        return directed(table.numbered(found.edges)), seconds
    return directed(table.numbered(arcs), table.numbered(found.undirected_edges)), seconds


def pybnesian(table: Table, which: str) -> tuple[Graphs, float]:
    """Hill climb by BDe, PC and MMHC by chi-square."""
    import pybnesian as pbn

    frame = table.frame()
    if which == "hill-climb":
        start, score = pbn.DiscreteBN(table.names), pbn.BDe(frame)
        found, seconds = timed(
            lambda: pbn.GreedyHillClimbing().estimate(pbn.ArcOperatorSet(), score, start)
        )
    elif which == "mmhc":
        test, score = pbn.ChiSquare(frame), pbn.BDe(frame)
        found, seconds = timed(
            lambda: pbn.MMHC().estimate(
                test, pbn.ArcOperatorSet(), score, bn_type=pbn.DiscreteBNType(), alpha=ALPHA
            )
        )
    else:
        test = pbn.ChiSquare(frame)
        found, seconds = timed(lambda: pbn.PC().estimate(test, alpha=ALPHA))
    lines = found.edges() if hasattr(found, "edges") else ()
    return directed(table.numbered(found.arcs()), table.numbered(lines)), seconds


def sklearn(table: Table, which: str) -> tuple[Graphs, float]:
    """The neighbours of each binary variable by L1 logistic regression, the penalty by EBIC."""
    del which
    codes = table.codes.astype(float)
    found, seconds = timed(lambda: [neighbours(codes, i) for i in range(codes.shape[1])])
    return neighbourhoods(found), seconds


def neighbours(codes: np.ndarray, i: int) -> set[int]:
    """The support with the least extended BIC along a path of penalties."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import l1_min_c

    others = np.delete(np.arange(codes.shape[1]), i)
    inputs, target = codes[:, others], codes[:, i]
    if min(target.sum(), (1 - target).sum()) < 2:
        return set()
    least = l1_min_c(inputs, target, loss="log")
    # This solver penalises the intercept too; a large scale makes that penalty small.
    search = LogisticRegression(
        l1_ratio=1, solver="liblinear", tol=1e-4, max_iter=1000, intercept_scaling=30
    )
    best: tuple[float, set[int]] = (math.inf, set())
    for strength in least * np.geomspace(1, 1000, PENALTIES):
        search.set_params(C=strength).fit(inputs, target)
        logits = np.where(target == 1, 1, -1) * search.decision_function(inputs)
        support = set(others[search.coef_[0] != 0].tolist())
        cost = math.log(len(target)) + 2 * GAMMA * math.log(len(others))
        ebic = 2 * float(np.logaddexp(0, -logits).sum()) + cost * len(support)
        best = min(best, (ebic, support), key=lambda pair: pair[0])
    return best[1]


def abess(table: Table, which: str) -> tuple[Graphs, float]:
    """SLIDE: the best subset of neighbours of each binary variable, its size by the GIC."""
    del which
    from abess.graph import IsingModel

    spins = 2.0 * table.codes - 1
    search = IsingModel(max_support_size=min(NEIGHBOURS, len(table.cards) - 2))
    found, seconds = timed(lambda: search.fit(spins).theta_ != 0)
    return {"graph": list(zip(*np.nonzero(np.triu(found, 1)), strict=True))}, seconds


def own(table: Table, which: str) -> tuple[Graphs, float]:
    """RISE."""
    del which
    found, seconds = timed(lambda: rise.edges(table.codes))
    return {"graph": found}, seconds


def frequencies(table: Table, search: Search, resamples: int) -> dict[str, list[Share]]:
    """In what share of bootstrap resamples each pair is an edge; those of no edge are left out."""
    rng = np.random.default_rng(0)
    found: dict[str, Counter[Pair]] = {}
    for _ in range(resamples):
        drawn = table.codes[rng.integers(len(table.codes), size=len(table.codes))]
        for kind, pairs in search(Table(drawn, table.cards)).items():
            found.setdefault(kind, Counter()).update((int(i), int(j)) for i, j in pairs)
    return {
        kind: [(*pair, many / resamples) for pair, many in sorted(counts.items())]
        for kind, counts in found.items()
    }


def timed(search: Callable[[], Any]) -> tuple[Any, float]:
    """What a search gives back, and the processor time it took."""
    began = time.process_time()
    found = search()
    return found, time.process_time() - began


PACKAGES: dict[str, Callable[[Table, str], tuple[Graphs, float]]] = {
    "pyagrum": pyagrum,
    "causallearn": causallearn,
    "pgmpy": pgmpy,
    "pybnesian": pybnesian,
    "sklearn": sklearn,
    "abess": abess,
    "own": own,
}
DISTRIBUTION = {"causallearn": "causal-learn", "sklearn": "scikit-learn"}


def main(name: str, path: str, resamples: str = "0") -> None:
    """Read the data, run the search and print what it found."""
    warnings.simplefilter("ignore")
    package, _, which = name.partition(":")
    with np.load(Path(path)) as data:
        table = Table(data["codes"], [int(r) for r in data["cards"]])
    if int(resamples):
        shares = frequencies(table, lambda one: PACKAGES[package](one, which)[0], int(resamples))
        print(json.dumps({"graphs": shares}))
        return
    graphs, seconds = PACKAGES[package](table, which)
    called = DISTRIBUTION.get(package, package)
    version = "own" if package == "own" else f"{called} {importlib.metadata.version(called)}"
    plain = {kind: [(int(i), int(j)) for i, j in pairs] for kind, pairs in graphs.items()}
    print(json.dumps({"graphs": plain, "seconds": seconds, "version": version}))


if __name__ == "__main__":
    main(*sys.argv[1:])
