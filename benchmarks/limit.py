"""How near a search can come at all: beside the graph that is right as often as one can be.

Whoever knows the family of the distribution, the strength of its edges and their density can
weigh every graph by its exact likelihood, and keep the edges of a posterior above ½. Nobody makes
fewer mistakes on average. Here: six binary variables, each pair an edge with probability 0.35, of
log odds 1.
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import bjp_engine as bjp
from benchmarks import marked
from benchmarks.accuracy.export import APP
from bjp_engine.metrics import hamming

N, DENSITY, NETWORKS, ROWS = 6, 0.35, 200, (100, 250, 1000, 4000)
# Choices are made on seeds from 1000 on.
FIRST = 0
SEARCHES = {"bjp-auto": "auto", "bjp-paper": "ibmap-hc"}
TITLES = {"limit": "limit", "bjp-auto": "`auto`", "bjp-paper": "the paper's search"}
Floats = NDArray[np.float64]


class Limit:
    """The posterior of every edge, for whoever knows all but the graph.

    Parameters
    ----------
    log_table : ndarray of float, shape (2, 2)
        The log weight of an edge by the states of its ends.
    density : float
        The probability of an edge before any data are seen.
    n : int
        Variables, binary; every one of the 2^(n(n-1)/2) graphs is weighed.
    """

    def __init__(self, log_table: Floats, density: float = DENSITY, n: int = N) -> None:
        self._table, self._pairs = log_table, list(combinations(range(n), 2))
        states = np.arange(1 << n)[:, None] >> np.arange(n) & 1
        weights = np.array([log_table[states[:, i], states[:, j]] for i, j in self._pairs])
        many = len(self._pairs)
        self._has = (np.arange(1 << many)[:, None] >> np.arange(many) & 1).astype(np.float64)
        self._log_z = np.log(np.exp(self._has @ weights).sum(axis=1))
        self._prior = self._has.sum(axis=1) * np.log(density / (1 - density))

    def edges(self, codes: NDArray[Any]) -> dict[tuple[int, int], float]:
        """The posterior probability of each edge; codes of shape (N, n)."""
        of_pairs = np.array([self._table[codes[:, i], codes[:, j]].sum() for i, j in self._pairs])
        log_posterior = self._has @ of_pairs - len(codes) * self._log_z + self._prior
        posterior = np.exp(log_posterior - log_posterior.max())
        shares = posterior @ self._has / posterior.sum()
        return dict(zip(self._pairs, shares.tolist(), strict=True))


def measured(first: int = FIRST, networks: int = NETWORKS) -> dict[int, dict[str, float]]:
    """Wrong edges per true edge by rows: of the limit, and of each search."""
    mistakes = {rows: dict.fromkeys(("limit", *SEARCHES), 0) for rows in ROWS}
    true, best = 0, limit()
    for seed in range(first, first + networks):
        graph = nx.gnp_random_graph(N, DENSITY, seed=seed)
        model = bjp.sampling.random_model(graph, "log-odds")
        whole, truth = model.sample(max(ROWS), seed, "gibbs"), model.graph
        true += truth.number_of_edges()
        for rows, found in mistakes.items():
            data = whole.take(np.arange(rows))
            likely = nx.empty_graph(data.names)
            for (i, j), share in best.edges(data.codes).items():
                if share > 0.5:
                    likely.add_edge(data.names[i], data.names[j])
            found["limit"] += hamming(truth, likely)
            for name, search in SEARCHES.items():
                found[name] += hamming(truth, bjp.learn(data, "bjp", search).graph)
    return {rows: {k: v / true for k, v in of.items()} for rows, of in mistakes.items()}


def limit() -> Limit:
    """That of these networks."""
    factors = bjp.sampling.random_model(nx.path_graph(2), "log-odds").factors
    (pair,) = (factor for factor in factors if len(factor.variables) == 2)
    return Limit(np.asarray(pair.log_table))


def app_file(found: dict[int, dict[str, float]]) -> str:
    """The app's file: what was drawn, and wrong edges per true edge by rows and method."""
    wrong = {rows: {name: round(v, 6) for name, v in of.items()} for rows, of in found.items()}
    drawn = {"variables": N, "edge probability": DENSITY, "networks": NETWORKS}
    return json.dumps(drawn | {"wrong per true edge": wrong}, indent=2) + "\n"


def main() -> None:
    """Print it, write it into docs/benchmarks.md and for the app."""
    found = measured()
    lines = [f"| N | {' | '.join(TITLES.values())} |", "| --- " * (1 + len(TITLES)) + "|"]
    for rows, of in found.items():
        lines.append(f"| {rows} | {' | '.join(f'{of[name]:.3f}' for name in TITLES)} |")
    print(text := "\n".join(lines))
    marked.write("benchmarks.md", "limit", text)
    (APP / "limit.json").write_text(app_file(found), encoding="utf-8")
