"""Hypothesis strategies: small data sets with every oddity the engine must take, and graphs.

A `Sample` holds plain Python rows, which the oracles read, and makes the engine's `Dataset` of the
same rows on demand, so that a test never compares the engine with itself.
"""

from dataclasses import dataclass
from functools import cached_property

import networkx as nx
import numpy as np
from hypothesis import strategies as st

import bjp_engine as bjp
from tests import oracles


@dataclass(frozen=True)
class Sample:
    """Rows of codes and the number of states of each variable, seen or not."""

    rows: tuple[tuple[int, ...], ...]
    cards: tuple[int, ...]

    @property
    def n(self):
        return len(self.cards)

    @cached_property
    def data(self):
        """The same rows as the engine sees them; variables are named by their index."""
        codes = np.array(self.rows, dtype=np.int64).reshape(len(self.rows), self.n)
        return bjp.Dataset.from_codes(codes, cardinalities=self.cards)

    def permuted_variables(self, order):
        """New variable v is old variable order[v]."""
        rows = tuple(tuple(row[v] for v in order) for row in self.rows)
        return Sample(rows, tuple(self.cards[v] for v in order))


def random_sample(seed, cards, rows, *, declared=None):
    """Rows in which a variable may be constant, noise, or a noisy copy of an earlier one."""
    rng = np.random.default_rng(seed)
    columns = []
    for v, card in enumerate(cards):
        noise = rng.integers(card, size=rows)
        kind = rng.choice(["noise", "copy", "constant"], p=[0.35, 0.6, 0.05])
        if kind == "copy" and v:
            source = columns[rng.integers(v)]
            keep = rng.random(rows) < rng.choice([0.3, 0.6, 0.9, 1.0])
            noise = np.where(keep, source % card, noise)
        elif kind == "constant":
            noise = np.full(rows, rng.integers(card))
        columns.append(noise)
    table = np.column_stack(columns) if columns else np.zeros((rows, 0), dtype=int)
    return Sample(tuple(map(tuple, table.tolist())), declared or cards)


def noisy_tree(seed, cards, rows, keep=0.5):
    """Rows in which each variable repeats a random earlier one, so that a search has work."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(cards[0], size=rows)]
    for v, card in enumerate(cards[1:], start=1):
        source = columns[rng.integers(v)]
        noise = rng.integers(card, size=rows)
        columns.append(np.where(rng.random(rows) < keep, source % card, noise))
    return Sample(tuple(map(tuple, np.column_stack(columns).tolist())), cards)


usual_cards = st.integers(2, 5)
odd_cards = st.one_of(st.just(1), st.integers(6, 40))
cards = st.integers(0, 9).flatmap(lambda die: odd_cards if die == 9 else usual_cards)


@st.composite
def samples(draw, min_variables=2, max_variables=6, max_rows=60, states=cards):
    """Data of 2 to 6 variables, 2 to 5 states (now and then 1, or up to 40), 0 to 60 rows.

    A variable may declare up to three states that no row shows.
    """
    n = draw(st.integers(min_variables, max_variables))
    seen = tuple(draw(st.lists(states, min_size=n, max_size=n)))
    extra = draw(st.lists(st.sampled_from([0, 0, 0, 1, 3]), min_size=n, max_size=n))
    declared = tuple(r + more for r, more in zip(seen, extra, strict=True))
    rows = draw(st.integers(0, max_rows))
    return random_sample(draw(st.integers(0, 2**32 - 1)), seen, rows, declared=declared)


def graphs(n):
    """Any graph on n variables."""
    pairs = oracles.pairs(n)
    return st.sets(st.sampled_from(pairs)).map(oracles.edges_of) if pairs else st.just(frozenset())


def permutations(n):
    """Any order of 0..n-1."""
    return st.permutations(list(range(n)))


@st.composite
def samples_with_graph(draw, **options):
    """Data and a graph on its variables."""
    sample = draw(samples(**options))
    return sample, draw(graphs(sample.n))


@st.composite
def samples_with_test(draw, **options):
    """Data, two of its variables and a conditioning set of others."""
    sample = draw(samples(**options))
    order = draw(permutations(sample.n))
    size = draw(st.integers(0, sample.n - 2))
    return sample, order[0], order[1], tuple(order[2 : 2 + size])


def as_graph(edges, n):
    """The oracle's graph as the engine takes it."""
    graph = nx.empty_graph(n)
    graph.add_edges_from(map(tuple, edges))
    return graph


def edges_in(graph):
    """The engine's graph as the oracle's."""
    return oracles.edges_of(graph.edges)
