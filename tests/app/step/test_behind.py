"""Behind a test, without the page: sentences about the test, the skipped test and fewer rows."""

import math
import re
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.scores import AssertionTerm
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import probability
from bjp_explorer.step import behind
from bjp_explorer.views import drill
from tests.strategies import samples_with_test


@given(st.floats(-800, 0) | st.floats(-10, 0) | st.floats(-40, -1).map(lambda x: -math.exp(x)))
def test_a_probability_is_written_with_digits_that_mean_something(log_value):
    text = probability(log_value).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    rest, digits, power = re.fullmatch(r"(1 − )?([\d.]+)(?:·10(-?\d+))?", text).groups()
    found = math.log(float(digits)) + int(power or "0") * math.log(10)
    if rest:
        found = math.log1p(-math.exp(found))
    if math.exp(log_value) < 1e-3:
        assert found == pytest.approx(log_value, abs=6e-3)
    elif math.exp(log_value) > 0.99995:
        assert found == pytest.approx(log_value, rel=6e-3)
    else:
        assert math.exp(found) == pytest.approx(math.exp(log_value), abs=5.1e-5)


@given(samples_with_test())
def test_the_sentence_knows_which_tests_agree(case):
    sample, *asked = case
    test = bjp.independence_test(sample.data, *asked)
    classical = bjp.classical.classical_test(sample.data, *asked)
    told = drill.relation(test, classical)
    posterior, rejected = math.exp(test.log_independent), classical.p_g_squared < 0.05
    if not classical.freedom:
        assert "nothing to test" in told
    elif abs(posterior - 0.5) < 0.1:
        assert "undecided" in told
        assert ("G² rejects" in told) == rejected
    else:
        assert ("disagree" in told) == (rejected != (posterior < 0.5))
        agreed = re.search(r"agree at 0.05: (\w+)", told)
        assert agreed is None or (agreed[1] == "dependent") == rejected
    rough = any(each.least_expected < 5 for each in classical.slices)
    assert ("rough" in drill.roughness(classical)) == rough


def test_the_curves_are_the_traces():
    data, given = sources.load("coronary").data, ("smoking", "mental_work", "systolic_pressure")
    sets = behind.grow_sets(given)
    trace = bjp.independence.posterior_growth(data, "physical_work", "lipoprotein_ratio", sets)
    *curves, mark = behind.draw_growth(trace, int(trace.sizes[15]), dependent=False).data[:5]
    for curve, log_independent in zip(curves, trace.log_independent, strict=True):
        assert list(curve.x) == trace.sizes[1:].tolist()
        assert list(curve.y) == np.exp(log_independent[1:]).tolist()
    assert [curve.name for curve in curves] == ["∅ given", *(f"+ {name}" for name in given)]
    assert len({curve.line.dash for curve in curves}) == 4
    assert (mark.x[0], mark.y[0]) == (trace.sizes[15], math.exp(trace.log_independent[-1, 15]))
    # Conditioning sets grow to the whole, in at most five curves.
    for size in (0, 1, 4, 5, 20, 60):
        sets = behind.grow_sets(tuple(range(size)))
        assert (sets[0], sets[-1], len(sets)) == ((), tuple(range(size)), min(size + 1, 5))
        assert all(set(a) < set(b) for a, b in pairwise(sets)), size
    # Nothing is asked where no rows can be added.
    few = bjp.Dataset.from_codes(sources.load("coronary").data.codes[:8])
    assert not behind.ask_growth(bjp.independence.posterior_growth(few, 0, 1, [()]), "few")


def test_the_verdict_is_that_of_both_tests():
    starts = {
        (0.9, 0.5): "**The skipped test agrees.**",
        (0.2, 0.5): "**The skipped test supports the graph",
        (0.2, 0.49): "**Both tests contradict the graph.** It has ",
        (0.9, 0.49): "**A bet, and its price.**",
    }
    for ((made, skipped), start), dependent in product(starts.items(), (False, True)):
        case = made, skipped, dependent
        term = AssertionTerm("a_b", "*c*", ("d",), dependent, computed=False, value=0.0)
        other = AssertionTerm("*c*", "a_b", (), dependent, computed=True, value=math.log(made))
        options = {"test": 3, "rows": (5.25, 70.0), "known": {"true network": True}}
        agrees, sentence = behind.verdict(term, other, math.log(skipped), **options)
        assert agrees == (skipped == 0.5), case
        assert f"{skipped:.4f} with 1 variable given and 70 rows" in sentence, case
        assert f"test 3 gives {made:.4f} with 5.2 rows" in sentence, case
        both = ("an edge" if dependent else "no edge") if start.endswith("has ") else ""
        assert sentence.startswith(start + both), case
        for part in (
            "though the skipped test has more rows per slice",
            "The true network has this edge",
            f"speaks {'against' if dependent else 'for'} an edge",
        ):
            assert (part in sentence) == ("price" in start), (case, part)


def test_the_most_telling_slice_comes_first_and_names_are_text():
    rows = [[0, 0, 0], [1, 1, 0]] + [[k % 2, k % 2, 1] for k in range(30)] + [[0, 1, 2]]
    assert drill.telling(bjp.independence_test(np.array(rows), 0, 1, [2])) == [1, 0, 2]

    name = "<b>$x$</b>"
    codes = np.random.default_rng(0).integers(2, size=(40, 3))
    data = bjp.Dataset.from_codes(codes, names=[name, "y", "z"])
    trace = bjp.independence.posterior_growth(data, "y", "z", [(), (name,)])
    figure = behind.draw_growth(trace, 40, dependent=True)
    assert figure.data[1].name == "+ &lt;b&gt;$x$&lt;/b&gt;"
