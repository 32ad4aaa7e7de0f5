"""States that no row has say nothing: every number is that of the table without them."""

import math
from functools import cache

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import Dataset
from bjp_engine.confidence import (
    bootstrap,
    compare_all_groups,
    confidence_of_tests,
    drop_cases,
    edge_probabilities,
    list_warnings,
    posterior_edges,
)
from bjp_engine.health import health
from bjp_engine.paper import write_paragraph
from bjp_engine.parameters import impute

NAMES = ("a", "b", "c", "d", "e")
STATES = (("no", "yes"),) * 3 + (("low", "mid", "high"), ("u", "v", "w"))
# How many unused states, where they stand among the others, and which variables have them.
WIDER = [(1, "first", "abcde"), (7, "last", "abcde"), (12, "between", "cde")]


@cache
def codes(rows=240, seed=4):
    rng = np.random.default_rng(seed)
    a, d, e = (rng.integers(r, size=rows) for r in (2, 3, 3))
    b = np.where(rng.random(rows) < 0.75, a, 1 - a)
    c = np.where(rng.random(rows) < 0.65, b, 1 - b)
    e = np.where(rng.random(rows) < 0.3, d, e)
    return np.column_stack([a, b, c, d, e])


@cache
def table(unused=0, place="last", columns="", *, rows=240, seed=4):
    """The same rows with so many states more, d ordered."""
    parts, labels = [], []
    for name, column, states in zip(NAMES, codes(rows, seed).T, STATES, strict=True):
        more = [f"{name}{k}" for k in range(unused if name in columns else 0)]
        at = {"first": 0, "between": 1, "last": len(states)}[place]
        parts.append(np.where(column >= at, column + len(more), column))
        labels.append([*states[:at], *more, *states[at:]])
    sizes = [*map(len, labels)]
    return Dataset.from_codes(np.column_stack(parts), sizes, NAMES, labels, ordered=["d"])


def doors(data):
    """What each door gives of a table."""
    trace, one = bjp.learn(data), {"n_jobs": 1}
    again = bjp.score(data, trace.graph, trace.method, **trace.given)
    assert (again.total, list_warnings(data, trace)) == (trace.score, ())
    terms = again.terms.columns()
    yield "auto", [nx.to_numpy_array(trace.graph), trace.score, trace.evidence.log_odds]
    yield "auto's terms", [terms.value, terms.log_configurations]
    yield "auto's tests", [confidence_of_tests(again).matrix]
    for given in ((), (trace,)):
        sure = edge_probabilities(data, *given)
        present = [*(sure.verdicts()["verdict"] == "present")]
        yield f"probabilities {len(given)}", [sure.matrix, sure.judged, present]
    for method, search in (("bjp", None), ("bjp", "ibmap-hc"), ("mpl", None)):
        how = {"search": search, **one}
        yield f"bootstrap {method} {search}", [bootstrap(data, method, resamples=12, **how).matrix]
        found = drop_cases(data, method, dropped=[0.3, 0.6], repeats=20, **how)
        graph = nx.to_numpy_array(found.graph)
        yield f"stability {method} {search}", [found.hamming, found.f1, graph]
    for method in ("bjp", "ib", "mpl", "near"):
        yield f"posterior {method}", [posterior_edges(data, method).matrix]
    for estimate in ("auto", "pseudo-likelihood"):
        network = bjp.fit_parameters(data, nx.path_graph(NAMES), estimate)
        effects = network.effects(resamples=5)[["effect", "low", "high", "spread"]]
        yield f"effects {estimate}", [effects]
        plan = bjp.plan_rows(network, (60, 200), samples=5, **one)
        yield f"planning {estimate}", [plan.found, plan.false]
    for search in ("auto", "ibmap-hc"):
        compared = compare_all_groups(data.split("e"), permutations=19, search=search, **one)
        for pair, found in compared.pairs.items():
            graphs = map(nx.to_numpy_array, (found.graph_a, found.graph_b))
            yield f"groups {search} {pair}", [found.p, found.distance, *graphs]


@cache
def plain():
    return dict(doors(table()))


@pytest.mark.parametrize("case", WIDER, ids=str)
def test_every_door_gives_what_the_table_without_them_gives(case):
    data = table(*case)
    assert data.drop_unused_states().digest == table().digest, case
    assert table().drop_unused_states() is table()
    expected = plain()
    for name, values in doors(data):
        for value, other in zip(values, expected[name], strict=True):
            assert np.allclose(value, other, rtol=1e-9, atol=1e-12), (case, name)


def test_left_over_categories_split_rows_and_counted_rows():
    here = table().to_frame().astype(str)
    there = table(seed=5).to_frame().astype(str).replace({"a": {"yes": "oui"}})
    frame = pd.concat([here.assign(land="x"), there.assign(land="y")]).astype("category")
    rest = frame[frame["land"] == "x"].drop(columns="land")
    part = Dataset.from_frame(frame).split("land")["x"]
    assert (len(rest["a"].cat.categories), part.cardinalities[0]) == (3, 3)
    plain = edge_probabilities(here).matrix
    for data in (rest, part, part.take(np.arange(part.rows))):
        assert (edge_probabilities(data).matrix == plain).all()
    # Rows that are written out by their frequencies, of which some are 0.
    times = np.arange(part.rows) % 3 * (part.codes[:, 1] == 0)
    counted = part.take(np.repeat(np.arange(part.rows), times))
    kept = counted.drop_unused_states()
    assert (counted.labels[1], kept.labels[1]) == (("no", "yes"), ("no",))
    assert (edge_probabilities(counted).matrix == edge_probabilities(kept).matrix).all()


def test_imputed_cells_hold_only_states_that_occur():
    gone = np.random.default_rng(0).random((120, 5)) < 0.2
    gone[:60, 0] = True
    first = []
    for case in ((0, "last", ""), *WIDER):
        data = table(*case).take(range(120))
        made = impute(data.to_frame().mask(gone), 3, rounds=2, n_jobs=1)
        # Declared states stay, and the order of d; what is drawn doesn't depend on them.
        assert {one.labels for one in made.datasets} == {data.labels}, case
        assert {one.ordered for one in made.datasets} == {data.ordered}, case
        drawn = [one.to_frame().astype(str).to_numpy() for one in made.datasets]
        first = first or [*drawn, edge_probabilities(made).matrix]
        for one, other in zip([*drawn, edge_probabilities(made).matrix], first, strict=True):
            assert (one == other).all(), case
    assert {*np.concatenate(first[:-1])[:, 0]} == {"no", "yes"}


def test_the_papers_scores_count_them_and_say_so():
    data, graph = table(2, "between", "bd", rows=40), nx.Graph([("a", "b"), ("b", "d")])

    def said(trace, of=data):
        return [one for one in list_warnings(of, trace) if "No row has" in one]

    for method in ("bjp", "ib", "mpl"):
        fewer, more = (bjp.score(of, graph, method).total for of in (table(rows=40), data))
        assert not math.isclose(more, fewer, rel_tol=1e-6), method
        (sentence,) = said(bjp.learn(data, method, bjp.search.PUBLISHED[method]))
        assert sentence.startswith("No row has 4 declared states of b and d. "), method
    # By its own test auto counts none; by the paper's it does.
    assert not said(bjp.learn(data))
    assert len(said(bjp.learn(data, prior_cells="equal"))) == 1
    # What a paper says of auto is the same.
    both = [write_paragraph(each, bjp.learn(each)) for each in (data, table(rows=40))]
    assert both[0] == both[1]


def test_health_names_what_nobody_chose():
    frame = table(1, "first", "ad").to_frame()
    frame["f"] = pd.Categorical(["no"] * 240, ["no", "yes", "perhaps"])
    for given in (frame, bjp.Dataset.from_frame(frame)):
        report = health(given)
        (found,) = (one for one in report.findings if one.kind == "unused")
        # A constant is left out, whatever it might have been.
        assert (found.columns, found.severity, found.steps) == (("a", "d"), "note", ())
        assert "'a0' in column 'a'; 'd0' in column 'd'" in found.sentence
    assert not any(one.kind == "unused" for one in health(table().to_frame()).findings)
