"""The paragraph for a paper and the warnings, against counts made apart from them."""

import io
import re
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap, list_warnings, posterior_edges
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.io import graph_bytes, trace_json
from bjp_engine.paper import write_paragraph
from bjp_engine.scores import KnownEdges
from bjp_engine.search import StopReason
from tests.refusals import assert_refused


@cache
def data():
    """Two pairs that depend on each other, and noise."""
    rng = np.random.default_rng(5)
    a, c = rng.integers(0, 2, (2, 400))
    b, d = (np.where(rng.random(400) < 0.85, x, 1 - x) for x in (a, 1 - c))
    codes = np.column_stack([a, b, c, d, rng.integers(0, 3, 400)])
    labels = [("no", "yes")] * 4 + [("x", "y", "z")]
    return bjp.Dataset.from_codes(codes, [2, 2, 2, 2, 3], ["a", "b", "c", "d", "e"], labels)


@cache
def learned():
    return bjp.learn(data())


@cache
def usual():
    return bjp.edge_probabilities(data())


def parts(text):
    return dict(part.split(". ", 1) for part in text.split("\n\n"))


def test_verdicts_are_those_of_the_pairs_and_thresholds_count():
    matrix = usual().matrix[np.triu_indices(5, 1)]
    for present, absent in ((0.9, 0.1), (0.5, 0.01)):
        text = write_paragraph(data(), learned(), usual(), present=present, absent=absent)
        found = parts(text)
        counts = re.findall(r"(\d+) (?:is|are) (\w+)", found["Results"])
        numbers = {name: int(n) for n, name in counts}
        assert numbers.pop("present") == (matrix >= present).sum() == 2
        assert numbers.pop("absent", 0) == (matrix <= absent).sum()
        assert sum(numbers.values()) == ((matrix < present) & (matrix > absent)).sum()
        assert f"pairs of {present:g} or more are called present" in found["Methods"]
    assert f"has {learned().graph.number_of_edges()} of 10 possible edges" in found["Results"]
    with pytest.raises(OptionError):
        write_paragraph(data(), learned(), usual(), present=0.1, absent=0.9)


def test_the_strongest_edge_is_that_of_the_counts():
    effects = bjp.fit_parameters(data(), learned().graph).effects(0.9)
    found = parts(write_paragraph(data(), learned(), effects=effects))
    # a - b is an edge of its own, so that its log odds ratio is that of its table.
    assert set(map(frozenset, learned().graph.edges)) == {frozenset("ab"), frozenset("cd")}
    n = np.histogram2d(data().codes[:, 0], data().codes[:, 1], bins=2)[0]
    ratio = np.log(n[0, 0] * n[1, 1] / (n[0, 1] * n[1, 0]))
    sentence = r"a – b (\S+) \[(\S+), (\S+)\] \(a = yes goes with b = yes\)"
    effect, low, high = map(float, re.search(sentence, found["Results"]).groups())
    ends = ratio + np.array([0, -1, 1]) * 1.6449 * np.sqrt((1 / n).sum())
    assert (effect, low, high) == pytest.approx(ends, abs=0.0051)
    assert "d = no" in found["Results"]  # c and d oppose each other
    assert "with 90 % intervals" in found["Methods"]
    assert "Mantel" in found["References"]


def test_a_given_order_says_which_states_come_later():
    noise = [[first, second] for first in range(3) for second in range(3)]
    codes = [[0, 1], [0, 1], [1, 0], [2, 2], [1, 0], [2, 2]] * 30 + noise * 5
    labels = np.array(["high", "low", "mid"])[np.array(codes)]
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    rows = bjp.Dataset.from_frame(pd.DataFrame(labels, columns=["a", "b"]).astype(kind))
    trace = bjp.learn(rows)
    network = bjp.fit_parameters(rows, trace.graph)
    effects = network.effects(resamples=9)
    found = parts(write_paragraph(rows, trace, effects=effects))["Results"]
    assert effects["effect"][0] < 0  # high goes with low, and low with high
    assert "(higher a goes with lower b)" in found
    # An interval that includes 0 has no direction.
    unsure = effects.assign(low=-0.1, high=0.2)
    assert " goes with " not in write_paragraph(rows, trace, effects=unsure)
    strengths = network.effects(ordered=(), resamples=9, seed=3)
    found = parts(write_paragraph(rows, trace, effects=strengths))["Methods"]
    assert "those of strengths are from 9 resamples (seed 3)" in found


def test_the_paragraph_says_what_was_done_and_known():
    trace = bjp.learn(data(), "bjp", "ibmap-hc", gamma=0.5, expected_degree=1.0)
    left_out, differ = "Column f was left out.", "Women and men do not differ."
    options = {"source": "a survey", "preparation": (left_out,), "further": (differ,)}
    found = parts(write_paragraph(data(), trace, **options))
    for said in (
        *("5 discrete variables (2 to 3 states)", "400 rows of a survey", left_out, "γ = 0.5"),
        "prior probability 0.25 of each edge",  # 1 / (5 - 1)
        *("IBMAP-HC", bjp.__version__),
    ):
        assert said in found["Methods"]
    assert found["Results"].endswith(differ)
    assert not {"Warnings", "Before the data"} & set(found)
    assert "arXiv:1608.02315" in found["References"]
    references = parts(write_paragraph(data(), bjp.learn(data(), "mpl")))["References"]
    assert ("Pensar" in references, "Margaritis" in references) == (True, False)
    known = KnownEdges([("a", "e")], [("d", "a"), ("d", "b"), ("d", "c")], {("b", "c"): 0.05})
    found = parts(write_paragraph(data(), bjp.learn(data(), known=known)))["Methods"]
    for said in ("(a – e)", "(d – a; d – b; d – c)", "(b – c (0.05))"):
        assert said in found


def test_each_kind_of_number_is_called_what_it_is():
    trace = bjp.learn(data(), search="ibmap-hc")
    for made, said in (
        (bjp.confidence.confidence_of_tests(bjp.score(data(), trace.graph)), "one test"),
        (bootstrap(data(), search="ibmap-hc", resamples=7, seed=2), "7 bootstrap resamples"),
        (posterior_edges(data()), "over all graphs"),
    ):
        found = parts(write_paragraph(data(), trace, made))
        assert said in found["Methods"]
        least = sum(made.of(x, y).confidence >= 0.9 for x, y in trace.graph.edges)
        assert f"Of these edges, {least} " in found["Results"], said
    # Probabilities of another run are called that.
    for options in ({"method": "mpl"}, {"search": "tabu"}, {"gamma": 2.0}, {}):
        trace = bjp.learn(data(), **options)
        found = parts(write_paragraph(data(), trace, usual()))
        both = sum(usual().of(*edge).confidence >= 0.9 for edge in trace.graph.edges)
        said = re.search(r"Of the edges of the graph, (\d+) ", found["Results"])
        assert ("comes from a separate run" in found["Methods"]) == bool(options), options
        assert (said and int(said[1])) == (both if options else None), options


def test_no_name_turns_the_text_around():
    names = ("\u202ecouncil", "b\u200b")
    rows = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 20 + [[0, 1], [1, 0]], names=names)
    trace = bjp.learn(rows, search="ibmap-hc")
    effects = bjp.fit_parameters(rows, trace.graph).effects(resamples=20)
    said = write_paragraph(rows, trace, effects=effects)
    assert "council – b" in said
    assert not {"\u202e", "\u200b"} & set(said)
    assert clip("\u202ea\nb") == "'a b'"


def test_records_of_other_data_and_arguments_of_another_kind_are_refused():
    trace, graph = learned(), nx.Graph([("a", "c")])
    graph.add_nodes_from(data().names)
    of_other, own = (
        bjp.fit_parameters(data(), one).effects(resamples=5) for one in (graph, trace.graph)
    )
    other = bjp.Dataset.from_codes(data().codes, data().cardinalities, list("vwxyz"))
    sure, others = bjp.edge_probabilities(other), "^{} and data have other variables"
    for given, about in (
        ((trace, sure), others.format("confidence")),
        ((bjp.learn(other),), others.format("trace")),
    ):
        for write in (write_paragraph, list_warnings):
            assert_refused(DataError, about, write, data(), *given)
    for effects in (of_other, of_other[:0], own.replace({"x": {"a": "z"}})):
        assert_refused(DataError, "other graph", write_paragraph, data(), trace, effects=effects)
    about = others.format("without_known")
    assert_refused(DataError, about, list_warnings, data(), trace, without_known=sure)
    for write in (write_paragraph, list_warnings):
        assert_refused(OptionError, "^trace is of type NoneType", write, data(), None)
    wrong = {"confidence": "calibrated", "effects": 1, "further": "abc", "preparation": [1]}
    for name, value in (wrong | {"warnings": "abc", "source": 3}).items():
        about = rf"^{name}\b.*\.$"
        assert_refused(OptionError, about, write_paragraph, data(), trace, **{name: value})


def test_runs_that_ended_early_are_warned_of():
    trace = learned()
    assert list_warnings(data(), trace, usual()) == ()
    for reason, said in ((StopReason.CANCELLED, "cancelled"), (StopReason.TIME, "time limit")):
        assert said in list_warnings(data(), replace(trace, stop_reason=reason))[0]
    stopped = replace(bootstrap(data(), resamples=4), asked=10)
    assert any("4 of 10 resamples" in one for one in list_warnings(data(), trace, stopped))


def test_few_rows_and_more_variables_than_were_calibrated_are_warned_of():
    few, enough = (data().take(np.arange(rows)) for rows in (99, 100))
    for confidence, said in (
        (None, "only 99 rows"),
        (bootstrap(few, resamples=2), "only 99 rows"),
        (bjp.edge_probabilities(few), "not judged"),
    ):
        (warning,) = list_warnings(few, bjp.learn(few), confidence)
        assert said in warning
    with_all = (few, bjp.learn(few), bjp.edge_probabilities(few))
    assert "No pair was judged" in write_paragraph(*with_all)
    assert list_warnings(enough, bjp.learn(enough)) == ()
    for n in (128, 129):
        noise = bjp.Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (120, n)))
        trace = bjp.learn(noise)
        warnings = list_warnings(noise, trace, bjp.edge_probabilities(noise, trace))
        said = f"128 variables, and these data have {n}."
        assert (any(said in one for one in warnings), list_warnings(noise, trace)) == (n > 128, ())


def test_known_pairs_that_the_data_contradict_are_named():
    assert usual().of("a", "b").confidence > 0.9
    assert usual().of("a", "c").confidence < 0.1
    agreeing = bjp.learn(data(), known={("a", "c"): "forbidden", ("a", "b"): "required"})
    likely = bjp.learn(data(), known={("a", "b"): 0.01})
    assert list_warnings(data(), agreeing) == list_warnings(data(), likely) == ()
    against = bjp.learn(data(), known={("a", "b"): "forbidden", ("c", "a"): "required"})
    (warning,) = list_warnings(data(), against)
    for x, y, what in (("a", "b", "no"), ("a", "c", "an")):
        p = usual().of(x, y).confidence
        said = "above 0.9999" if p > 0.9999 else f"{p:.4f}"
        assert f"{x} – {y} is {what} edge (calibrated probability {said})" in warning
    assert warning in parts(write_paragraph(data(), against))["Warnings"]
    # What the caller has computed is used; pairs that are not judged say nothing.
    assert list_warnings(data(), against, without_known=usual()) == (warning,)
    few, forbidden = data().take(np.arange(90)), {("a", "b"): "forbidden"}
    warnings = list_warnings(few, bjp.learn(few, known=forbidden))
    assert not any("contradict" in one for one in warnings)
    # Marginal pseudo-likelihood has no test that other edges could weaken.
    (by_mpl,) = list_warnings(data(), bjp.learn(data(), "mpl", known=forbidden))
    assert ["Compare with MPL" in one for one in (warning, by_mpl)] == [True, False]


def test_warnings_stand_in_every_file():
    rows = bjp.Dataset.from_codes([[0, 0, 0], [1, 1, 0]] * 60, [2, 2, 2], ["a", "b", "=c"])
    trace = bjp.learn(rows)
    (warning,) = warnings = list_warnings(rows, trace)
    written = {
        kind: graph_bytes(trace.graph, kind, warnings=warnings) for kind in ("graphml", "json")
    }
    for text in (*map(bytes.decode, written.values()), trace_json(trace, warnings=warnings)):
        assert "has the same value in every row" in text
    assert nx.read_graphml(io.BytesIO(written["graphml"])).graph["warning"] == warning
    for kind, text in written.items():
        assert set(bjp.io.read_graph(text, kind)) == {"a", "b", "=c"}


def test_many_states_and_an_order_that_is_not_used_are_said():
    for states, unused in ((64, False), (65, True)):
        codes = np.column_stack([np.arange(650) % states, np.arange(650) % 3])
        # States that no row holds don't count.
        rows = bjp.Dataset.from_codes(codes, [90, 3], ["score", "b"], ordered=["score", "b"])
        for search, expected in (("auto", unused), ("ibmap-hc", False)):
            warnings = list_warnings(rows, bjp.learn(rows, search=search))
            found = [one for one in warnings if "order of score (65 states)" in one]
            assert len(found) == expected, (states, search)
    codes = np.column_stack([np.arange(103) % r for r in (12, 13, 20, 30, 40, 3)])
    rows = bjp.Dataset.from_codes(codes, [12, 13, 20, 30, 40, 3], list("abcdef"))
    few = "103 rows are few for e (40 states), d (30 states), c (20 states) and"
    # Of each other column a state follows from one of another column.
    expected = ("Auto left out b (13 states)", f"{few} 1 other variable:")
    assert all(map(str.startswith, list_warnings(rows, bjp.learn(rows))[:2], expected))
    (warning,) = list_warnings(rows, bjp.learn(rows, search="ibmap-hc"))
    assert warning.startswith(f"{few} 2 other variables:")


def test_an_exclusive_or_that_is_not_looked_for_is_said():
    rng = np.random.default_rng(0)
    for sizes, ordered, named in (
        ([2] * 256, (), None),
        ([2] * 257, (), "0 (2 states), 1 (2 states), 2 (2 states) and 254 other variables"),
        ([8, 2, 2], (), None),
        ([9, 2, 2], (), "0 (9 states)"),
        ([9, 2, 2], [0], None),
        ([9, 2], (), None),
    ):
        codes = rng.integers(sizes, size=(120, len(sizes)))
        codes[:, 1:3] = codes[:, :1] % 2
        rows = bjp.Dataset.from_codes(codes, sizes, ordered=ordered)
        trace = bjp.learn(rows)
        found = [one for one in list_warnings(rows, trace) if "exclusive or" in one]
        begin = f"Pairs that only an exclusive or with {named} connects"
        assert [one.startswith(begin) for one in found] == [True] * (named is not None), sizes
    found = list_warnings(rows, bjp.learn(rows, search="ibmap-hc"))
    assert not any("exclusive or" in one for one in found)


def test_effects_without_a_finite_estimate_are_named():
    # Of a and b two of four pairs of states never meet; b and c meet.
    rng = np.random.default_rng(0)
    a = np.repeat([0, 1], 60)
    c = np.where(rng.random(120) < 0.8, a, 1 - a)
    rows = bjp.Dataset.from_codes(np.column_stack([a, a, c]), names=["a", "b", "c"])
    graph = nx.Graph([("a", "b"), ("b", "c")])
    with pytest.warns(UserWarning, match="The effect of a – b has no finite estimate") as caught:
        effects = bjp.fit_parameters(rows, graph).effects(resamples=10)
    trace = replace(bjp.learn(rows), graph=graph)
    assert list_warnings(rows, trace, effects=effects) == (str(caught[0].message),)
    for given in (effects.iloc[1:], None):
        assert list_warnings(rows, trace, effects=given) == ()
