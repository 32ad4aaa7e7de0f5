"""Kinds of tables beyond the benchmark networks, sampled here and not by the engine.

Each kind draws a network with its parameters from a seed, and rows of it by Gibbs sampling (one
chain a row) or by ancestral sampling. So a table of N rows is the first N of a longer one. The
truth is the graph of the distribution of the observed variables. `FITTED` are the kinds that
calibrated probabilities are fitted to, on other seeds; `ASIDE` are in no fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import bjp_engine as bjp

Codes = NDArray[np.int64]
Truth = NDArray[np.bool_]
Drawn = tuple[Codes, bool, Truth]
SWEEPS = 120


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a network: codes (N, n), whether states are ordered, and the true graph."""

    kind: str
    seed: int
    codes: Codes
    ordered: bool
    truth: Truth

    def data(self, rows: int, *, ordered: bool | None = None) -> bjp.Dataset:
        """The first rows as a dataset."""
        codes, r = self.codes[:rows], self.codes.max(axis=0) + 1
        by_order = self.ordered if ordered is None else ordered
        names = [f"X{j}" for j in range(codes.shape[1])]
        return bjp.Dataset.from_codes(
            codes, np.maximum(r, 2).tolist(), names, ordered=names if by_order else ()
        )


def make(kind: str, seed: int, rows: int) -> Table:
    """A table by its kind and seed."""
    rng = np.random.default_rng([seed, crc32(kind.encode())])
    codes, ordered, truth = KINDS[kind](rng, rows)
    return Table(kind, seed, codes, ordered, truth)


def adjacency(graph: nx.Graph) -> Truth:  # type: ignore[type-arg]
    """A graph on 0 to n - 1 as a matrix."""
    made: Truth = nx.to_numpy_array(graph, nodelist=range(len(graph))) > 0
    return made


def regular(rng: np.random.Generator, degree: int, n: int) -> Truth:
    """A random graph of equal degrees."""
    return adjacency(nx.random_regular_graph(degree, n + n * degree % 2, int(rng.integers(2**31))))


def random_graph(rng: np.random.Generator, n: int, degree: float) -> Truth:
    """A random graph by its expected mean degree."""
    upper = np.triu(rng.random((n, n)) < degree / (n - 1), 1)
    return upper | upper.T


def weights(rng: np.random.Generator, graph: Truth, low: float, high: float) -> np.ndarray:
    """Symmetric weights of the edges, of random sizes within the limits."""
    upper = np.triu(graph * rng.uniform(low, high, graph.shape), 1)
    return upper + upper.T


def signed(rng: np.random.Generator, of: np.ndarray, negative: float = 0.5) -> np.ndarray:
    """The same weights, each negative with a probability."""
    signs = np.triu(np.where(rng.random(of.shape) < negative, -1.0, 1.0), 1)
    made: np.ndarray = of * (signs + signs.T)
    return made


def spins(rng: np.random.Generator, odds: np.ndarray, fields: np.ndarray, rows: int) -> Codes:
    """Binary rows by log odds ratios and log odds of state 1 where all others are balanced."""
    n = len(odds)
    x = np.where(rng.random((n, rows)) < 0.5, 1.0, -1.0)
    for _ in range(SWEEPS):
        for i in range(n):
            eta = fields[i] + odds[i] @ x / 2
            x[i] = np.where(rng.random(rows) * (1 + np.exp(-eta)) < 1, 1.0, -1.0)
    return (x.T > 0).astype(np.int64)


def states(
    rng: np.random.Generator,
    tables: dict[tuple[int, int], np.ndarray],
    fields: np.ndarray,
    rows: int,
) -> Codes:
    """Rows of variables of r states by log weights of pairs (r, r) and of states (n, r)."""
    n, r = fields.shape
    near: list[list[tuple[int, np.ndarray]]] = [[] for _ in range(n)]
    for (i, j), table in tables.items():
        near[i].append((j, table.T))
        near[j].append((i, table))
    x = rng.integers(r, size=(n, rows))
    for _ in range(SWEEPS):
        for i in range(n):
            weight = np.tile(fields[i], (rows, 1))
            for j, of in near[i]:
                weight += of[x[j]]
            x[i] = (weight + rng.gumbel(size=(rows, r))).argmax(axis=1)
    return x.T.copy()


def dense_mixed(rng: np.random.Generator, rows: int) -> Drawn:
    """Degree 6 to 16 of 16 to 30 binary variables, signs mixed."""
    n, base = int(rng.integers(16, 31)), rng.uniform(0.6, 1.2)
    graph = regular(rng, int(rng.integers(6, min(17, n - 2))), n)
    odds = signed(rng, weights(rng, graph, base * rng.choice([0.5, 1.0]), base))
    return spins(rng, odds, np.zeros(len(graph)), rows), False, graph


def dense_14(rng: np.random.Generator, rows: int) -> Drawn:
    """Degree 14 of 20, log odds ratios +1 and −1."""
    graph = regular(rng, 14, 20)
    return spins(rng, signed(rng, 1.0 * graph), np.zeros(20), rows), False, graph


def dense_10(rng: np.random.Generator, rows: int) -> Drawn:
    """Degree 10 of 20, log odds ratios +1 and −1."""
    graph = regular(rng, 10, 20)
    return spins(rng, signed(rng, 1.0 * graph), np.zeros(20), rows), False, graph


def dense_equal(rng: np.random.Generator, rows: int) -> Drawn:
    """Degree 6 to 14 of 16 to 30 binary variables, all signs equal."""
    n, degree = int(rng.integers(16, 31)), int(rng.integers(6, 15))
    graph = regular(rng, degree, n)
    odds = weights(rng, graph, 0.8, 1.2) * rng.uniform(2.5, 4.5) / degree
    return spins(rng, odds, np.zeros(len(graph)), rows), False, graph


def sparse(rng: np.random.Generator, rows: int) -> Drawn:
    """Mean degree 1 to 4 of 8 to 40 binary variables."""
    n = int(rng.integers(8, 41))
    graph = random_graph(rng, n, rng.uniform(1, 4))
    odds = signed(rng, weights(rng, graph, 0.5, 2.0), rng.choice([0.0, 0.5]))
    return spins(rng, odds, rng.normal(0, 0.5, n), rows), False, graph


def few(rng: np.random.Generator, rows: int) -> Drawn:
    """3 to 7 variables of 2 to 4 states, of mean degree 0.3 to 2."""
    n = int(rng.integers(3, 8))
    return tabled(rng, random_graph(rng, n, min(rng.uniform(0.3, 2), n - 1)), rows)


def few_tree(rng: np.random.Generator, rows: int) -> Drawn:
    """A tree of 3 to 7 variables of 2 to 4 states."""
    n = int(rng.integers(3, 8))
    graph = np.zeros((n, n), dtype=np.bool_)
    for j in range(1, n):
        graph[j, rng.integers(j)] = True
    return tabled(rng, graph | graph.T, rows)


def few_independent(rng: np.random.Generator, rows: int) -> Drawn:
    """3 to 9 independent columns of 2 to 5 states."""
    n, r = int(rng.integers(3, 10)), int(rng.integers(2, 6))
    shares = rng.dirichlet(np.full(r, rng.choice([1.0, 10.0])), n)
    codes = np.stack([rng.choice(r, rows, p=one) for one in shares], axis=1)
    return codes, False, np.zeros((n, n), dtype=np.bool_)


def tabled(rng: np.random.Generator, graph: Truth, rows: int) -> Drawn:
    """Rows of variables of 2 to 4 states; each edge has a table of weak to strong weights."""
    r, spread = int(rng.integers(2, 5)), rng.uniform(0.4, 2.0)
    tables = {
        (int(i), int(j)): rng.normal(0, spread, (r, r)) for i, j in np.argwhere(np.triu(graph))
    }
    return states(rng, tables, rng.normal(0, 0.4, (len(graph), r)), rows), False, graph


def wide(rng: np.random.Generator, rows: int) -> Drawn:
    """Mean degree 2 of 60 binary variables."""
    graph = random_graph(rng, 60, 2.0)
    odds = signed(rng, weights(rng, graph, 0.8, 1.6))
    return spins(rng, odds, rng.normal(0, 0.3, 60), rows), False, graph


def hub(rng: np.random.Generator, rows: int) -> Drawn:
    """A hub of 8 to 15 among 20 binary variables, and a few more edges."""
    graph = random_graph(rng, 20, rng.uniform(0.2, 1.0))
    graph[0, 1 : int(rng.integers(9, 17))] = True
    graph |= graph.T
    odds = signed(rng, weights(rng, graph, 0.6, 1.4), 0.5)
    return spins(rng, odds, np.zeros(20), rows), False, graph


def hidden(rng: np.random.Generator, rows: int, strength: float | None = None) -> Drawn:
    """Binary causes that are not observed: whatever one drives is connected in pairs."""
    n = 16
    strength = float(rng.choice([1.4, 2.0, 3.0])) if strength is None else strength
    graph = random_graph(rng, n, rng.uniform(0, 1.5))
    odds = np.zeros((n + 1, n + 1))
    odds[:n, :n] = signed(rng, weights(rng, graph, 0.8, 1.4))
    driven = rng.choice(n, int(rng.integers(8, n + 1)), replace=False)
    odds[n, driven] = odds[driven, n] = strength * rng.choice([-1, 1], len(driven))
    codes = spins(rng, odds, np.zeros(n + 1), rows)[:, :n]
    graph[np.ix_(driven, driven)] = True
    np.fill_diagonal(graph, False)
    return codes, False, graph


def three_way(rng: np.random.Generator, rows: int) -> Drawn:
    """Exclusive ors of two variables with errors, apart or in a sparse network."""
    n = int(rng.integers(6, 31))
    graph = random_graph(rng, n, rng.choice([0.0, 1.0]))
    codes = spins(rng, weights(rng, graph, 0.8, 1.6), np.zeros(n), rows)
    order = rng.permutation(n)
    for k in range(int(rng.integers(1, 1 + n // 4))):
        a, b, c = order[3 * k : 3 * k + 3]
        graph[c], graph[:, c] = False, False
        codes[:, c] = codes[:, a] ^ codes[:, b] ^ (rng.random(rows) < rng.uniform(0.1, 0.3))
        graph[[a, b, a, c, b, c], [b, a, c, a, c, b]] = True
    return codes, False, graph


def skewed(rng: np.random.Generator, rows: int) -> Drawn:
    """Mean degree 1 to 3 of 20 binary variables of which one state is in few rows."""
    graph = random_graph(rng, 20, rng.uniform(1, 3))
    odds = weights(rng, graph, 0.8, 2.0)
    return spins(rng, odds, odds.sum(axis=1) / 2 - rng.uniform(2, 3, 20), rows), False, graph


def nominal(rng: np.random.Generator, rows: int) -> Drawn:
    """Mean degree 1 to 3 of 8 to 25 variables of 3 to 5 states."""
    n, r = int(rng.integers(8, 26)), int(rng.integers(3, 6))
    graph, spread = random_graph(rng, n, rng.uniform(1, 3)), rng.uniform(0.5, 1.2)
    tables = {
        (int(i), int(j)): rng.normal(0, spread, (r, r)) for i, j in np.argwhere(np.triu(graph))
    }
    return states(rng, tables, rng.normal(0, 0.3, (n, r)), rows), False, graph


def directed(rng: np.random.Generator, rows: int) -> Drawn:
    """Random Bayesian networks of 2 to 4 states with at most three parents."""
    n = int(rng.integers(8, 31))
    sizes, graph = rng.integers(2, 5, n), np.zeros((n, n), dtype=np.bool_)
    codes = np.zeros((rows, n), dtype=np.int64)
    for j in range(n):
        many = min(j, int(rng.choice(4, p=[0.2, 0.4, 0.3, 0.1])))
        parents = rng.choice(j, many, replace=False) if j else np.zeros(0, dtype=np.int64)
        cells = np.zeros(rows, dtype=np.int64)
        for p in parents:
            cells = cells * sizes[p] + codes[:, p]
        table = rng.dirichlet(np.full(sizes[j], 0.7), int(np.prod(sizes[parents])))
        codes[:, j] = (rng.random(rows)[:, None] > table.cumsum(axis=1)[cells, :-1]).sum(axis=1)
        family = np.append(parents, j)
        graph[np.ix_(family, family)] = True
    np.fill_diagonal(graph, False)
    return codes, False, graph


def independent(rng: np.random.Generator, rows: int) -> Drawn:
    """Independent columns of 2 to 30 states, some of them rare."""
    n, r = int(rng.integers(10, 61)), int(rng.choice([2, 2, 3, 5, 10, 30]))
    shares = rng.dirichlet(np.full(r, rng.choice([0.3, 1.0, 10.0])), n)
    if rng.random() < 0.4:
        r, shares = 2, np.tile([0.95, 0.05], (n, 1))
    codes = np.stack([rng.choice(r, rows, p=one) for one in shares], axis=1)
    return codes, bool(r > 2 and rng.random() < 0.3), np.zeros((n, n), dtype=np.bool_)


def rare(rng: np.random.Generator, rows: int) -> Drawn:
    """60 independent columns of which 5 % are ones."""
    return (rng.random((rows, 60)) < 0.05).astype(np.int64), False, np.zeros((60, 60), np.bool_)


def bands(rng: np.random.Generator, latent: np.ndarray) -> Codes:
    """Normal columns cut into 3, 5 or 7 ordered states: at equal steps, or skewed."""
    steps, form = int(rng.choice([3, 5, 7])), rng.integers(3)
    z = (latent - latent.mean(axis=0)) / latent.std(axis=0)
    codes = np.empty(z.shape, dtype=np.int64)
    for j in range(z.shape[1]):
        shift = (0.0, rng.normal(0, 0.4), rng.uniform(0.4, 1.2))[form]
        cuts = np.linspace(-1.6, 1.6, steps + 1)[1:-1] + shift
        codes[:, j] = (z[:, j : j + 1] > cuts).sum(axis=1)
    return codes


def scale_normal(rng: np.random.Generator, rows: int) -> Drawn:
    """8 to 25 normal variables with a sparse precision matrix, cut into ordered states."""
    n = int(rng.integers(8, 26))
    graph = random_graph(rng, n, rng.uniform(1.5, 3.5))
    part = signed(rng, weights(rng, graph, 0.15, 0.4), 0.2)
    precision = np.eye(n) * max(1.0, 0.1 - np.linalg.eigvalsh(-part).min()) - part
    scale = np.sqrt(np.diag(np.linalg.inv(precision)))
    latent = rng.multivariate_normal(np.zeros(n), np.linalg.inv(precision), rows) / scale
    return bands(rng, latent), True, graph


def scale_factors(rng: np.random.Generator, rows: int) -> Drawn:
    """8 to 25 ordered items: three to six share a factor, and are connected in pairs; some none."""
    n = int(rng.integers(8, 26))
    graph, latent = np.zeros((n, n), dtype=np.bool_), rng.normal(size=(rows, n))
    at = int(rng.integers(0, 5))
    while at + 3 <= n:
        items = np.arange(at, min(n, at + int(rng.integers(3, 7))))
        loads = rng.uniform(0.4, 0.8, len(items))
        factor = rng.normal(size=(rows, 1))
        latent[:, items] = loads * factor + np.sqrt(1 - loads**2) * latent[:, items]
        graph[np.ix_(items, items)] = True
        at += len(items)
    np.fill_diagonal(graph, False)
    return bands(rng, latent), True, graph


def scale_linear(rng: np.random.Generator, rows: int) -> Drawn:
    """8 to 25 ordered variables, linear by linear, with margins of their own."""
    n, r = int(rng.integers(8, 26)), int(rng.choice([3, 5, 7]))
    graph = random_graph(rng, n, rng.uniform(1, 3))
    score = np.linspace(-1, 1, r)
    size = signed(rng, weights(rng, graph, 0.5, 1.5), 0.3)
    tables = {
        (int(i), int(j)): size[i, j] * np.outer(score, score)
        for i, j in np.argwhere(np.triu(graph))
    }
    fields = rng.normal(0, 0.4, (n, 1)) * score - rng.uniform(0, 1, (n, 1)) * score**2
    return states(rng, tables, fields, rows), True, graph


def scale_bent(rng: np.random.Generator, rows: int) -> Drawn:
    """8 to 20 ordered variables of which half of the pairs depend in a U."""
    n, r = int(rng.integers(8, 21)), int(rng.choice([3, 5, 7]))
    graph = random_graph(rng, n, rng.uniform(1, 2.5))
    score = np.linspace(-1, 1, r)
    forms = score, 2 * score**2 - 1
    size, bent = signed(rng, weights(rng, graph, 0.6, 1.5)), rng.random((n, n)) < 0.5
    tables = {
        (int(i), int(j)): size[i, j] * np.outer(forms[int(bent[i, j])], score)
        for i, j in np.argwhere(np.triu(graph))
    }
    return states(rng, tables, rng.normal(0, 0.3, (n, 1)) * score, rows), True, graph


def scale_interactions(rng: np.random.Generator, rows: int) -> Drawn:
    """Ordered variables of which some pairs drive two others by their product, and some chains."""
    n, r = int(rng.integers(8, 21)), int(rng.choice([3, 5, 7]))
    score = np.linspace(-1, 1, r)
    graph, pull = np.zeros((n, n), dtype=np.bool_), np.zeros((rows, n))
    codes, tilt = np.empty((rows, n), dtype=np.int64), rng.normal(0, 0.3, n)
    groups = [range(at, at + 4) for at in range(0, n - 3, 4)]
    parents: dict[int, tuple[int, ...]] = {}
    for a, b, c, d in groups:
        parents |= {c: (a, b), d: (a, b)} if rng.random() < 0.6 else {b: (a,), c: (b,), d: (c,)}
    strength = rng.uniform(1.5, 4.0, n)
    for j in range(n):
        family = [*parents.get(j, ()), j]
        graph[np.ix_(family, family)] = True
        if j in parents:
            pull[:, j] = strength[j] * score[codes[:, family[:-1]]].prod(axis=1)
        weight = (pull[:, [j]] + tilt[j]) * score
        codes[:, j] = (weight + rng.gumbel(size=(rows, r))).argmax(axis=1)
    np.fill_diagonal(graph, False)
    return codes, True, graph


def small_world(rng: np.random.Generator, rows: int) -> Drawn:
    """Rings of degree 4 or 6 with short cuts, binary, with fields; in no fit."""
    n = int(rng.integers(16, 41))
    ring = nx.watts_strogatz_graph(n, int(rng.choice([4, 6])), 0.2, int(rng.integers(2**31)))
    graph = adjacency(ring)
    odds = signed(rng, weights(rng, graph, 0.4, 1.2), 0.3)
    return spins(rng, odds, rng.normal(0, 0.8, n), rows), False, graph


def classes(rng: np.random.Generator, rows: int) -> Drawn:
    """A hidden class of three drives 8 of 14 variables of 2 or 3 states; in no fit."""
    n, r = 14, int(rng.integers(2, 4))
    codes, which = rng.integers(r, size=(rows, n)), rng.integers(3, size=rows)
    graph = np.zeros((n, n), dtype=np.bool_)
    for j in range(8):
        table = rng.dirichlet(np.full(r, 1.0), 3)
        codes[:, j] = (rng.random(rows)[:, None] > table.cumsum(axis=1)[which, :-1]).sum(axis=1)
    graph[:8, :8] = ~np.eye(8, dtype=np.bool_)
    for j in range(8, n - 1):
        copy = rng.random(rows) < 0.4
        codes[copy, j + 1] = codes[copy, j]
        graph[j, j + 1] = graph[j + 1, j] = True
    return codes, False, graph


BESIDE = (dense_mixed, dense_equal, sparse, hidden, directed, nominal, scale_normal, scale_factors)


def beside(rng: np.random.Generator, rows: int) -> Drawn:
    """A table of another kind, and 5 to 40 unrelated columns that have the margins of its own."""
    codes, ordered, truth = BESIDE[int(rng.integers(len(BESIDE)))](rng, rows)
    n, more = len(truth), int(rng.integers(5, 41))
    unrelated = rng.permuted(codes[:, rng.integers(n, size=more)], axis=0)
    graph = np.zeros((n + more, n + more), dtype=np.bool_)
    graph[:n, :n] = truth
    return np.concatenate([codes, unrelated], axis=1), ordered, graph


FITTED: dict[str, Callable[[np.random.Generator, int], Drawn]] = {
    "dense, mixed signs": dense_mixed,
    "degree 14": dense_14,
    "degree 10": dense_10,
    "dense, equal signs": dense_equal,
    "sparse": sparse,
    "3 to 7 variables": few,
    "3 to 7 variables, trees": few_tree,
    "60 variables": wide,
    "hub": hub,
    "hidden cause": hidden,
    "three-way": three_way,
    "skewed margins": skewed,
    "3 to 5 states": nominal,
    "directed": directed,
    "independent": independent,
    "rare states, independent": rare,
    "3 to 9 variables, independent": few_independent,
    "scale, normal": scale_normal,
    "scale, factors": scale_factors,
    "scale, linear": scale_linear,
    "scale, bent": scale_bent,
    "scale, interactions": scale_interactions,
    "beside unrelated columns": beside,
}
ASIDE: dict[str, Callable[[np.random.Generator, int], Drawn]] = {
    "small world": small_world,
    "classes": classes,
}
KINDS = FITTED | ASIDE
# Kinds with few variables.
FEW = {"3 to 7 variables", "3 to 7 variables, trees", "3 to 9 variables, independent"}
