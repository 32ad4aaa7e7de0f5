"""What `auto` makes of ordered answers: as unordered states, cut into two, and as ordered ones.

Samples of networks whose edges are known: normal variables cut into five bands, also with more than
half of the rows in the first; five states with linear-by-linear edges, these mixed with binary and
unordered variables; edges that neither rise nor fall; and interactions. `auto` was chosen on seeds
of 1000 and above; the table has other seeds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from statistics import fmean, stdev

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import bjp_engine as bjp
from benchmarks import marked
from bjp_engine.dataset import Dataset

SEEDS = range(10)
ROWS = 350, 1000, 4000
VARIABLES, STATES, SWEEPS = 18, 5, 80
Floats = NDArray[np.float64]
_EVEN = np.linspace(-1.0, 1.0, STATES)


def structure(seed: int, rng: np.random.Generator) -> nx.Graph:
    """A chain, hubs or a random graph, in turn."""
    n, kind = VARIABLES, seed % 3
    if kind == 0:
        graph = nx.path_graph(n)
    elif kind == 1:
        graph = nx.Graph([(n // 3 * (i // (n // 3)), i) for i in range(n) if i % (n // 3)])
        graph.add_edges_from([(0, n // 3), (n // 3, n // 3 * 2)])
    else:
        graph = nx.gnm_random_graph(n, 5 * n // 4, seed=seed)
    graph.add_nodes_from(range(n))
    order = rng.permutation(n).tolist()
    return nx.relabel_nodes(graph, dict(enumerate(order)))


def bands(graph: nx.Graph, rows: int, rng: np.random.Generator) -> Dataset:
    """Normal variables with that conditional independence graph, cut into five bands."""
    return banded(graph, rows, rng, np.array([-1.2, -0.4, 0.4, 1.2]), 1.0)


def skewed(graph: nx.Graph, rows: int, rng: np.random.Generator) -> Dataset:
    """The same with more than half of the rows in the first band."""
    return banded(graph, rows, rng, np.array([0.5, 1.0, 1.5, 2.0]), 0.5)


def banded(
    graph: nx.Graph, rows: int, rng: np.random.Generator, limits: Floats, shift: float
) -> Dataset:
    """Cut at some limits, which every other variable shifts by as much at random."""
    n = VARIABLES
    precision = np.eye(n)
    for i, j in graph.edges:
        precision[i, j] = precision[j, i] = rng.choice([-1, 1]) * rng.uniform(0.2, 0.4)
    least = np.linalg.eigvalsh(precision)[0]
    precision += max(0.0, 0.15 - least) * np.eye(n)
    covariance = np.linalg.inv(precision)
    spread = np.sqrt(np.diag(covariance))
    values = rng.multivariate_normal(np.zeros(n), covariance, rows, method="cholesky") / spread
    codes = np.empty((rows, n), dtype=int)
    for j in range(n):
        moved = 0.0 if j % 2 else rng.uniform(-shift, shift)
        codes[:, j] = np.searchsorted(limits + moved, values[:, j])
    return declared(codes, [STATES] * n, range(n))


def declared(codes: NDArray[np.int_], sizes: list[int], ordered: range) -> Dataset:
    """A dataset of codes, of which some columns are ordered."""
    return Dataset.from_codes(codes, sizes, ordered=list(ordered))


def sampled(
    sizes: list[int],
    potentials: dict[tuple[int, int], Floats],
    single: list[Floats],
    rows: int,
    rng: np.random.Generator,
) -> NDArray[np.int_]:
    """Rows of a pairwise model, each from a Gibbs chain of its own."""
    n = len(sizes)
    codes = np.stack([rng.integers(0, r, rows) for r in sizes])
    near: list[list[tuple[int, Floats]]] = [[] for _ in range(n)]
    for (i, j), table in potentials.items():
        near[i].append((j, table.T))
        near[j].append((i, table))
    for _ in range(SWEEPS):
        for j in range(n):
            logits = np.broadcast_to(single[j], (rows, sizes[j])).copy()
            for k, table in near[j]:
                logits += table[codes[k]]
            # The largest of logits with Gumbel noise is a draw from their softmax.
            codes[j] = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    return codes.T


def linear(graph: nx.Graph, rows: int, rng: np.random.Generator) -> Dataset:
    """Five states with linear-by-linear edges."""
    sizes, single = [STATES] * VARIABLES, _margins(rng, [STATES] * VARIABLES)
    edges = {
        edge: rng.choice([-1, 1]) * rng.uniform(0.4, 1.2) * np.outer(_EVEN, _EVEN)
        for edge in graph.edges
    }
    return declared(sampled(sizes, edges, single, rows, rng), sizes, range(VARIABLES))


def mixed(graph: nx.Graph, rows: int, rng: np.random.Generator) -> Dataset:
    """Half of the variables ordered, a quarter binary, a quarter of three unordered states."""
    n = VARIABLES
    sizes = [STATES if j % 2 else 2 if j % 4 else 3 for j in range(n)]

    def scores(r: int) -> Floats:
        return rng.permutation(np.array([-1.0, 0.0, 1.0])) if r == 3 else np.linspace(-1, 1, r)

    edges = {
        (i, j): rng.choice([-1, 1])
        * rng.uniform(0.4, 1.2)
        * np.outer(scores(sizes[i]), scores(sizes[j]))
        * (0.7 if sizes[i] + sizes[j] < 8 else 1.0)
        for i, j in graph.edges
    }
    codes = sampled(sizes, edges, _margins(rng, sizes), rows, rng)
    return declared(codes, sizes, range(1, n, 2))


def bent(graph: nx.Graph, rows: int, rng: np.random.Generator) -> Dataset:
    """Five states; edges neither rise nor fall: the ends of a scale against its middle."""
    sizes = [STATES] * VARIABLES
    u_shaped = np.array([1.0, -0.5, -1.0, -0.5, 1.0])
    edges = {
        (i, j): rng.choice([-1, 1])
        * rng.uniform(0.4, 1.2)
        * np.outer(u_shaped, _EVEN if rng.random() < 0.5 else u_shaped)
        for i, j in graph.edges
    }
    codes = sampled(sizes, edges, _margins(rng, sizes), rows, rng)
    return declared(codes, sizes, range(VARIABLES))


def interacting(graph: nx.Graph, rows: int, rng: np.random.Generator) -> Dataset:
    """Three states; each variable is driven by two earlier ones, above all by their product.

    The graph is made here: the two, which the product connects, and the variable.
    """
    n = VARIABLES
    graph.remove_edges_from(list(graph.edges))
    codes = rng.integers(0, 3, (rows, n))
    limits = np.array([-0.5, 0.5])
    for child in range(6, n):
        a, b = sorted(rng.choice(child, 2, replace=False).tolist())
        drive = 1.3 * (codes[:, a] - 1) * (codes[:, b] - 1) + 0.4 * (codes[:, a] - 1)
        codes[:, child] = np.searchsorted(limits, drive + rng.normal(size=rows))
        graph.add_edges_from([(a, b), (a, child), (b, child)])
    return declared(codes, [3] * n, range(n))


def _margins(rng: np.random.Generator, sizes: list[int]) -> list[Floats]:
    """Weights of single states, every other variable's skewed."""
    return [
        np.linspace(-1, 1, r) * (rng.uniform(-0.8, 0.8) if j % 2 else 0.0)
        for j, r in enumerate(sizes)
    ]


KINDS: dict[str, Callable[[nx.Graph, int, np.random.Generator], Dataset]] = {
    "bands of normal variables": bands,
    "skewed bands": skewed,
    "linear-by-linear": linear,
    "mixed with unordered": mixed,
    "U-shaped": bent,
    "interactions": interacting,
}


def make(kind: str, rows: int, seed: int) -> tuple[Dataset, nx.Graph]:
    """A sample, and the graph it is from."""
    rng = np.random.default_rng([seed, rows, list(KINDS).index(kind)])
    graph = structure(seed, rng)
    return KINDS[kind](graph, rows, rng), graph


def unordered(data: Dataset) -> Dataset:
    """The same without a word of orders."""
    return Dataset(data.codes, data.cardinalities, data.names, data.labels)


def cut(data: Dataset) -> Dataset:
    """Ordered variables cut into two where the halves are most alike."""
    codes, sizes = np.array(data.codes, dtype=int), list(data.cardinalities)
    for j, ordered in enumerate(data.ordered):
        if ordered:
            below = np.bincount(codes[:, j], minlength=sizes[j]).cumsum()[:-1]
            codes[:, j] = codes[:, j] > np.argmin(np.abs(below - data.rows / 2))
            sizes[j] = 2
    return Dataset.from_codes(codes, sizes, data.names)


METHODS: dict[str, Callable[[Dataset], Dataset]] = {
    "unordered": unordered,
    "cut into two": cut,
    "ordered": lambda data: data,
}


def f1(truth: nx.Graph, found: nx.Graph) -> float:
    """The harmonic mean of precision and recall."""
    true = {frozenset(edge) for edge in truth.edges}
    said = {frozenset(edge) for edge in found.edges}
    return 2 * len(true & said) / max(1, len(true) + len(said))


Figures = dict[tuple[str, int], dict[str, list[tuple[float, float]]]]


def measured(seeds: range = SEEDS) -> Figures:
    """F1 and Hamming distance by kind and rows, for each method."""
    found: Figures = defaultdict(lambda: defaultdict(list))
    for kind in KINDS:
        for rows in ROWS:
            for seed in seeds:
                data, truth = make(kind, rows, seed)
                for name, of in METHODS.items():
                    graph = bjp.learn(of(data)).graph
                    figures = f1(truth, graph), float(bjp.metrics.hamming(truth, graph))
                    found[kind, rows][name].append(figures)
    return found


def table(found: Figures) -> str:
    """A line for each kind and number of rows."""
    lines = [f"| networks | N | {' | '.join(METHODS)} |", "| --- " * (2 + len(METHODS)) + "|"]
    for (kind, rows), by in found.items():
        cells = [
            f"{fmean(f for f, _ in by[name]):.2f} ± "
            f"{stdev(f for f, _ in by[name]) / len(by[name]) ** 0.5:.2f}, "
            f"{fmean(h for _, h in by[name]):.1f}"
            for name in METHODS
        ]
        lines.append(f"| {kind} | {rows} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print it, and write it into docs/auto.md."""
    text = table(measured())
    print(text)
    marked.write("auto.md", "ordered", text)
