"""docs/theory.md once more, slowly: the implementation the engine is checked against.

Nothing here is fast or clever.  A data set is a list of rows (tuples of codes) with the number of
states of each variable; a graph is a set of frozensets of two indices; every score is computed
from scratch, row by row, with 50 significant digits and an unbounded exponent (mpmath), so that
what underflows or cancels in double precision does neither here.  Numbers of configurations are
Python integers.  The section numbers are those of docs/theory.md.

This file imports nothing from the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import factorial, prod

import networkx as nx
from mpmath import mp, mpf

Rows = Sequence[Sequence[int]]
Edge = frozenset[int]
Edges = frozenset[Edge]

DIGITS = 50
mp.dps = DIGITS


# --- graphs ---------------------------------------------------------------------------------


def edges_of(pairs: Iterable[tuple[int, int]]) -> Edges:
    """The graph with these edges."""
    return frozenset(frozenset(pair) for pair in pairs)


def blanket(edges: Edges, i: int) -> frozenset[int]:
    """B^i, the neighbours of i (section 1)."""
    return frozenset(j for edge in edges if i in edge for j in edge if j != i)


def degree_order(edges: Edges, n: int) -> tuple[int, ...]:
    """ψ: ascending degree, ties by ascending index (section 3)."""
    return tuple(sorted(range(n), key=lambda i: (len(blanket(edges, i)), i)))


def pairs(n: int) -> list[tuple[int, int]]:
    """Every pair i < j, in lexicographic order."""
    return list(combinations(range(n), 2))


def all_graphs(n: int) -> list[Edges]:
    """The 2^(n(n-1)/2) graphs on n variables."""
    some = pairs(n)
    return [
        edges_of(pair for bit, pair in enumerate(some) if number >> bit & 1)
        for number in range(2 ** len(some))
    ]


def total_irregularity(edges: Edges, n: int) -> int:
    """Σ_{i<j} |d_i - d_j| (section 5)."""
    return sum(abs(len(blanket(edges, i)) - len(blanket(edges, j))) for i, j in pairs(n))


def edge_irregularity(edges: Edges) -> int:
    """Σ over the edges of |d_i - d_j| (section 5)."""
    return sum(abs(len(blanket(edges, i)) - len(blanket(edges, j))) for i, j in map(tuple, edges))


# --- ln Γ -----------------------------------------------------------------------------------


def log_gamma(x: Fraction) -> mpf:
    """ln Γ(x), from the factorial where x is a small whole number."""
    return _log_gamma(x, mp.prec)


@cache
def _log_gamma(x: Fraction, precision: int) -> mpf:
    """The same, for the digits that are asked for now."""
    if x.denominator == 1 and x < 3000:
        return mp.log(factorial(x.numerator - 1))
    return mp.loggamma(mpf(x.numerator) / x.denominator)


def log_beta_integral(counts: Iterable[int], cells: int, gamma: Fraction) -> mpf:
    """U(v; γ) = lnΓ(γm) - lnΓ(γm + Σv) + Σ_q [lnΓ(γ + v_q) - lnΓ(γ)], zero counts left out."""
    seen = [v for v in counts if v]
    return (
        log_gamma(gamma * cells)
        - log_gamma(gamma * cells + sum(seen))
        + sum((log_gamma(gamma + v) - log_gamma(gamma) for v in seen), mpf(0))
    )


def log_dirichlet_multinomial(counts: Iterable[int], weights: Iterable[Fraction]) -> mpf:
    """ln of the evidence of counts whose Dirichlet prior has these weights; one is positive."""
    seen = [(v, w) for v, w in zip(counts, weights, strict=True) if w]
    return (
        log_gamma(sum((w for _, w in seen), Fraction(0)))
        - log_gamma(sum((v + w for v, w in seen), Fraction(0)))
        + sum((log_gamma(v + w) - log_gamma(w) for v, w in seen if v), mpf(0))
    )


def centred_log_odds(table: dict[tuple[int, int], int], gamma: Fraction) -> list[mpf]:
    """ln odds of dependence of a slice by each κ, with cells centred on independence."""
    xs, ys = sorted({x for x, _ in table}), sorted({y for _, y in table})
    a = [sum(table.get((x, y), 0) for y in ys) for x in xs]
    b = [sum(table.get((x, y), 0) for x in xs) for y in ys]
    found, n = [], sum(a)
    for kappa in (1, 8):
        weight = kappa * gamma * len(xs) * len(ys)
        p, q = [Fraction(v, n) for v in a], [Fraction(v, n) for v in b]
        cells = [table.get((x, y), 0) for x in xs for y in ys]
        found.append(
            log_dirichlet_multinomial(cells, [weight * s * t for s in p for t in q])
            - log_dirichlet_multinomial(a, [weight * s for s in p])
            - log_dirichlet_multinomial(b, [weight * t for t in q])
        )
    return found


# --- the test (section 2) -------------------------------------------------------------------


@dataclass(frozen=True)
class OracleSlice:
    configuration: tuple[int, ...]
    counts: dict[tuple[int, int], int]
    log_g: mpf
    log_h: mpf
    log_independent: mpf

    @property
    def rows(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class OracleTest:
    configurations: int  # K
    log_prior: mpf  # ln p_k
    slices: tuple[OracleSlice, ...]  # the observed ones, by configuration
    empty_log: mpf  # what the unseen slices add
    log_independent: mpf
    log_dependent: mpf


def independence_test(
    rows: Rows,
    cards: Sequence[int],
    x: int,
    y: int,
    given: Iterable[int] = (),
    *,
    prior: float = 0.5,
    gamma: float = 1.0,
    slices: str = "all",
    prior_cells: str = "equal",
) -> OracleTest:
    """ln Pr(X_x ⊥ X_y | Z, D) and its complement, slice by slice.

    `given` is read in the order in which it is given; a configuration lists its states likewise.
    With `slices="observed"`, K counts the slices that hold a row; when there is none, nothing was
    learned and the posterior is the prior. With centred cells K counts states that some row has.
    """
    given = tuple(given)
    tables: dict[tuple[int, ...], Counter[tuple[int, int]]] = {}
    for row in rows:
        tables.setdefault(tuple(row[z] for z in given), Counter())[row[x], row[y]] += 1

    states = {z: cards[z] for z in given}
    if prior_cells == "centred" and rows:
        states = {z: len({row[z] for row in rows}) for z in given}
    configurations = prod(states.values()) if slices == "all" else max(1, len(tables))
    log_prior = mp.log(mpf(prior)) / configurations
    log_complement = mp.log(-mp.expm1(log_prior))
    exact_gamma = Fraction(gamma)

    observed = []
    for configuration, table in sorted(tables.items()):
        a, b = Counter(), Counter()
        for (state_x, state_y), count in table.items():
            a[state_x] += count
            b[state_y] += count
        log_g = log_beta_integral(a.values(), cards[x], exact_gamma) + log_beta_integral(
            b.values(), cards[y], exact_gamma
        )
        log_h = log_beta_integral(table.values(), cards[x] * cards[y], exact_gamma)
        if prior_cells == "centred":
            # Given the margins: the hypergeometric probability, and that times the odds.
            margins = sum((log_gamma(Fraction(1 + v)) for v in (*a.values(), *b.values())), mpf(0))
            seen = (sum(table.values()), *table.values())
            log_g = margins - sum((log_gamma(Fraction(1 + v)) for v in seen), mpf(0))
            odds = [mp.exp(value) for value in centred_log_odds(dict(table), exact_gamma)]
            log_h = log_g + mp.log(sum(odds, mpf(0)) / len(odds))
        # ln{p g / (p g + (1-p) h)} = -ln(1 + (1-p) h / (p g))
        log_odds = log_complement + log_h - log_prior - log_g
        observed.append(OracleSlice(configuration, dict(table), log_g, log_h, -log1pexp(log_odds)))
    empty_log = (configurations - len(observed)) * log_prior
    log_independent = sum((s.log_independent for s in observed), mpf(0)) + empty_log
    log_dependent = mp.log(-mp.expm1(log_independent))
    return OracleTest(
        configurations, log_prior, tuple(observed), empty_log, log_independent, log_dependent
    )


def log1pexp(x: mpf) -> mpf:
    """ln(1 + e^x) with all its digits, however small or large e^x is."""
    return x + mp.log1p(mp.exp(-x)) if x > 0 else mp.log1p(mp.exp(x))


def exact_posterior(table: Sequence[Sequence[int]]) -> Fraction:
    """Pr(X ⊥ Y | D) for Z = ∅ as the fraction it is: g / (g + h), with whole-number factorials."""

    def u(counts: Sequence[int]) -> Fraction:
        m, total = len(counts), sum(counts)
        return Fraction(factorial(m - 1) * prod(map(factorial, counts)), factorial(m - 1 + total))

    g = u([sum(row) for row in table]) * u([sum(column) for column in zip(*table, strict=True)])
    h = u([count for row in table for count in row])
    return g / (g + h)


# --- the scores (section 3) -----------------------------------------------------------------


@dataclass(frozen=True)
class OracleTerm:
    x: int
    y: int
    given: frozenset[int]
    dependent: bool
    computed: bool
    value: mpf


def near(edges: Edges, x: int, y: int) -> frozenset[int]:
    """The neighbours of x, but y, from which y can be reached when x is taken out of the graph."""
    graph = nx.Graph(tuple(edge) for edge in edges)
    graph.add_nodes_from((x, y))
    graph.remove_node(x)
    return blanket(edges, x) & nx.node_connected_component(graph, y) - {y}


def assertion(
    rows: Rows,
    cards: Sequence[int],
    edges: Edges,
    x: int,
    y: int,
    near_only: bool = False,
    **options: object,
) -> OracleTerm:
    """The computed term of (x, y): conditioned on the blanket of x, or the near part of it."""
    dependent = frozenset((x, y)) in edges
    given = near(edges, x, y) if near_only else blanket(edges, x) - {y}
    test = independence_test(rows, cards, x, y, sorted(given), **options)  # type: ignore[arg-type]
    value = test.log_dependent if dependent else test.log_independent
    return OracleTerm(x, y, given, dependent, True, value)


def bjp_terms(
    rows: Rows, cards: Sequence[int], edges: Edges, near_only: bool = False, **options: object
) -> list[OracleTerm]:
    """All n(n-1) assertions, row by row in the order ψ; those with i > k are inferred."""
    order = degree_order(edges, len(cards))
    terms = []
    for i, x in enumerate(order):
        for k, y in enumerate(order):
            if i < k:
                terms.append(assertion(rows, cards, edges, x, y, near_only, **options))
            elif i > k:
                given = near(edges, x, y) if near_only else blanket(edges, x) - {y}
                dependent = frozenset((x, y)) in edges
                terms.append(OracleTerm(x, y, given, dependent, False, mpf(0)))
    return terms


def near_terms(
    rows: Rows, cards: Sequence[int], edges: Edges, **options: object
) -> list[OracleTerm]:
    """As of BJP, each test given the near part of the blanket."""
    return bjp_terms(rows, cards, edges, near_only=True, **options)


def ib_terms(rows: Rows, cards: Sequence[int], edges: Edges, **options: object) -> list[OracleTerm]:
    """All n(n-1) assertions, every one computed."""
    order = degree_order(edges, len(cards))
    return [assertion(rows, cards, edges, x, y, **options) for x in order for y in order if x != y]


TERMS = {"bjp": bjp_terms, "ib": ib_terms, "near": near_terms}


def mpl_local(
    rows: Rows, cards: Sequence[int], j: int, parents: Iterable[int], ess: float = 1.0
) -> mpf:
    """Node j's part of MPL given the blanket `parents`; unseen configurations add nothing."""
    parents = sorted(parents)
    tables: dict[tuple[int, ...], Counter[int]] = {}
    for row in rows:
        tables.setdefault(tuple(row[b] for b in parents), Counter())[row[j]] += 1
    q = prod(cards[b] for b in parents)
    alpha = Fraction(ess) / q
    return sum(
        (
            log_gamma(alpha)
            - log_gamma(alpha + sum(table.values()))
            + sum(
                log_gamma(alpha / cards[j] + count) - log_gamma(alpha / cards[j])
                for count in table.values()
            )
            for table in tables.values()
        ),
        mpf(0),
    )


def score(rows: Rows, cards: Sequence[int], edges: Edges, method: str, **options: object) -> mpf:
    """ln of the score of a graph, from scratch."""
    if method == "mpl":
        n = len(cards)
        return sum((mpl_local(rows, cards, j, blanket(edges, j)) for j in range(n)), mpf(0))
    terms = TERMS[method](rows, cards, edges, **options)
    return sum((term.value for term in terms), mpf(0))


# --- the searches (section 4) ---------------------------------------------------------------


@dataclass(frozen=True)
class OracleSearch:
    """What a search did.

    `margin` is the smallest difference that decided anything (the proposal against the runner-up,
    the new score against the old): where it is tiny, rounding may decide otherwise.
    """

    flips: tuple[tuple[int, int], ...]
    scores: tuple[mpf, ...]  # of the start graph, then after each accepted flip
    rejected: tuple[int, int] | None
    edges: Edges
    margin: mpf

    @property
    def score(self) -> mpf:
        return self.scores[-1]


def local_contributions(
    rows: Rows, cards: Sequence[int], edges: Edges, method: str
) -> dict[tuple[int, int], mpf]:
    """Pair → its computed term (BJP) or the sum of its two terms (IB)."""
    terms = TERMS[method](rows, cards, edges)
    table = dict.fromkeys(pairs(len(cards)), mpf(0))
    for term in terms:
        table[min(term.x, term.y), max(term.x, term.y)] += term.value
    return table


def ibmap_hc(
    rows: Rows, cards: Sequence[int], method: str = "bjp", start: Edges = frozenset()
) -> OracleSearch:
    """IBMAP-HC, every graph scored from scratch."""
    edges = start
    scores = [score(rows, cards, edges, method)]
    flips: list[tuple[int, int]] = []
    margin = mp.inf
    while True:
        table = local_contributions(rows, cards, edges, method)
        if not table:
            return OracleSearch(tuple(flips), tuple(scores), None, edges, margin)
        ranked = sorted(table, key=lambda pair: (table[pair], pair))
        if len(ranked) > 1:
            margin = min(margin, table[ranked[1]] - table[ranked[0]])
        flipped = edges ^ {frozenset(ranked[0])}
        new = score(rows, cards, flipped, method)
        margin = min(margin, abs(new - scores[-1]))
        if not new > scores[-1]:
            return OracleSearch(tuple(flips), tuple(scores), ranked[0], edges, margin)
        edges = flipped
        scores.append(new)
        flips.append(ranked[0])


class Best:
    """The first of the candidates whose value is largest, and how clearly it won."""

    def __init__(self) -> None:
        self.margin = mp.inf

    def of(self, values: dict[object, mpf], base: mpf) -> object | None:
        """The candidate with the largest value if that is strictly above `base`, else None."""
        if not values:
            return None
        ranked = sorted(values.values(), reverse=True)
        self.margin = min(self.margin, abs(ranked[0] - base))
        if ranked[0] > base and len(ranked) > 1:
            self.margin = min(self.margin, ranked[0] - ranked[1])
        return next(c for c, v in values.items() if v == ranked[0]) if ranked[0] > base else None


def mpl_blanket(
    rows: Rows, cards: Sequence[int], j: int, best: Best | None = None
) -> tuple[frozenset[int], tuple[tuple[str, int], ...]]:
    """Phase 1 for one variable: its blanket, and the additions and deletions in order."""
    best = best or Best()
    members: frozenset[int] = frozenset()
    moves: list[tuple[str, int]] = []

    def local(blanket_: frozenset[int]) -> mpf:
        return mpl_local(rows, cards, j, blanket_)

    while True:
        candidates = [i for i in range(len(cards)) if i != j and i not in members]
        added = best.of({i: local(members | {i}) for i in candidates}, local(members))
        if added is None:
            return members, tuple(moves)
        members |= {added}
        moves.append(("add", added))
        while len(members) > 2:
            removed = best.of({i: local(members - {i}) for i in sorted(members)}, local(members))
            if removed is None:
                break
            members -= {removed}
            moves.append(("delete", removed))


@dataclass(frozen=True)
class OracleMPL(OracleSearch):
    and_graph: Edges
    or_graph: Edges


def mpl_hc(rows: Rows, cards: Sequence[int]) -> OracleMPL:
    """The MPL hill climb: blankets, then the pairs on which they disagree."""
    n = len(cards)
    best = Best()
    blankets = [mpl_blanket(rows, cards, j, best)[0] for j in range(n)]
    and_graph = edges_of((i, j) for i, j in pairs(n) if j in blankets[i] and i in blankets[j])
    or_graph = edges_of((i, j) for i, j in pairs(n) if j in blankets[i] or i in blankets[j])
    open_pairs = [(i, j) for i, j in pairs(n) if frozenset((i, j)) in or_graph - and_graph]

    edges = and_graph
    scores = [score(rows, cards, edges, "mpl")]
    flips: list[tuple[int, int]] = []
    while True:
        values = {p: score(rows, cards, edges ^ {frozenset(p)}, "mpl") for p in open_pairs}
        chosen = best.of(values, scores[-1])
        if chosen is None:
            return OracleMPL(
                tuple(flips), tuple(scores), None, edges, best.margin, and_graph, or_graph
            )
        edges ^= {frozenset(chosen)}
        scores.append(values[chosen])
        flips.append(chosen)


def exhaustive(rows: Rows, cards: Sequence[int], method: str) -> dict[Edges, mpf]:
    """Every graph with its score."""
    return {edges: score(rows, cards, edges, method) for edges in all_graphs(len(cards))}
