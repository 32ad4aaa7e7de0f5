"""Comparing several groups: the groups, Holm's adjustment, and the result in words and files."""

import csv
import io
from functools import cache

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import bjp_engine as bjp
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison
from bjp_engine.errors import DataError, OptionError
from tests.engine.calls import reports_of
from tests.refusals import assert_refused

FAST = {"search": "ibmap-hc", "n_jobs": 1}


def three():
    """Two groups in which x and y agree, one in which they don't; z depends on nothing."""
    rng, groups = np.random.default_rng(0), {}
    for name, same in (("=a", 0.85), ("b", 0.85), ("c", 0.15)):
        x, z = rng.integers(2, size=(2, 120))
        y = np.where(rng.random(120) < same, x, 1 - x)
        groups[name] = bjp.Dataset.from_codes(np.column_stack([x, y, z]), [2] * 3, ["x", "y", "z"])
    return groups


@cache
def compared():
    return compare_all_groups(three(), permutations=59, seed=4, **FAST)


def test_each_pair_is_that_of_two_groups_and_adjusted_by_holm():
    groups, found = three(), compared()
    assert list(found.pairs) == [("=a", "b"), ("=a", "c"), ("b", "c")]
    for (a, b), one in found.pairs.items():
        alone = bjp.compare_groups(groups[a], groups[b], permutations=59, seed=4, **FAST)
        pd.testing.assert_frame_equal(one.edges, alone.edges)
        assert (one.p, one.p_strength) == (alone.p, alone.p_strength)
    table = found.table
    for name in ("p", "p_strength", "p_edges"):
        assert table[name].tolist() == [getattr(one, name) for one in found.pairs.values()]
        expected = multipletests(table[name], method="holm")[1]
        np.testing.assert_allclose(table[f"{name}_adjusted"], expected, rtol=1e-12)
    # The third group was planted to differ from both others.
    assert (table["p_edges_adjusted"] <= 0.05).tolist() == [False, True, True]


def test_progress_counts_all_pairs_and_can_end_it():
    seen = reports_of(compare_all_groups, three(), permutations=2, **FAST)
    assert seen == [(done, 6) for done in (0, 1, 2, 2, 3, 4, 4, 5, 6)]


def test_groups_that_are_refused():
    for groups, error, about in (
        ({"a": [[0, 1]]}, OptionError, "groups holds 1 group;"),
        ({str(k): [[0, 1]] for k in range(7)}, OptionError, "with 2 to 6 groups"),
        ([[0, 1]], OptionError, "give a mapping"),
        ({"a": [[0, 1]], "b": [[0]]}, DataError, "a = 'a', b = 'b': b lacks the variable"),
    ):
        assert_refused(error, about, compare_all_groups, groups, permutations=2)


def test_states_make_groups_without_the_column():
    data = bjp.Dataset.from_codes(
        [[0, 1, 0], [1, 0, 1], [1, 1, 1], [3, 0, 0]],
        [4, 2, 2],
        ["class", "x", "y"],
        [["1st", "2nd", "3rd", "crew"], ["no", "yes"], ["0", "1"]],
    )
    groups = choose_groups(data, "class")
    assert list(groups) == ["class = 1st", "class = 2nd", "class = crew"]
    assert groups["class = 2nd"].names == ("x", "y")
    assert list(choose_groups(data, 0, ["crew", "1st"])) == ["class = crew", "class = 1st"]
    # One state against the rest.
    groups = choose_groups(data, "class", ["2nd"])
    assert list(groups) == ["class = 2nd", "class ≠ 2nd"]
    assert groups["class = 2nd"].codes.tolist() == [[0, 1], [1, 1]]
    assert groups["class ≠ 2nd"].codes.tolist() == [[1, 0], [0, 0]]
    assert groups["class ≠ 2nd"].labels == data.labels[1:]
    for column, states, error, about in (
        ("age", [], DataError, "There is no variable 'age'"),
        ("class", ["4th"], OptionError, "'class' has no state '4th'; it has '1st'"),
        ("class", ["3rd"], DataError, "No row has the state '3rd' of 'class'"),
        ("class", ["crew", "crew"], OptionError, "names a state twice"),
    ):
        assert_refused(error, about, choose_groups, data, column, states)
    codes = np.column_stack([np.arange(100), np.zeros(100, int), np.arange(100) % 2])
    data = bjp.Dataset.from_codes(codes, [100, 2, 2], ["number", "same", "x"])
    assert choose_groups(data, "number", ["7"])["number ≠ 7"].rows == 99


def test_every_number_of_the_sentences():
    found = compared().pairs["b", "c"]
    text, first = describe_comparison(found, "women", "men"), found.edges.iloc[0]
    assert (first["x"], first["y"]) == ("x", "y")
    for said in (
        "of women (n = 120) and men (n = 120) differ in 1 pair of variables",
        f"a Hamming distance of {found.distance} (p = ",
        f"that of women is {first['difference']:.3g}".replace("-", "−"),
        *("(adjusted p = 0.017)", "in that of x and y"),
        "by 59 permutations of the group labels (",
        f"{found.strength_a:.3g} and {found.strength_b:.3g} (p = {found.p_strength:.2g})",
    ):
        assert said in text
    assert text.endswith("seed 4).")
    alike = describe_comparison(compared().pairs["=a", "b"])
    assert "differ clearly in any pair (smallest adj" in alike
    one = bjp.compare_groups([[0], [1]], [[1]], permutations=3)
    assert describe_comparison(one).startswith("Neither the network of a (n = 2) nor that of b")
    about = "found is of type GroupComparisons; give a GroupComparison, such as one "
    assert_refused(OptionError, about, describe_comparison, compared())


def table_of(found):
    return [*csv.DictReader(io.StringIO(bjp.io.comparison_csv(found), newline=""))]


def test_the_table_has_every_pair_and_no_formula():
    found = compared()
    rows = table_of(found)
    assert [row["group_a"] for row in rows] == ["'=a", "'=a", "b"]
    assert {(row["x"], row["y"]) for row in rows} == {("x", "y")}
    values = [one.edges["difference"][0] for one in found.pairs.values()]
    assert [float(row["difference"]) for row in rows] == values
    (row,) = table_of(found.pairs["b", "c"])
    assert (row["group_a"], row["group_b"], row["x"]) == ("a", "b", "x")
    assert float(row["difference"]) == values[2]
    what = "found is of type NoneType; give what"
    assert_refused(OptionError, what, bjp.io.comparison_csv, None)


def test_what_no_row_shows_has_no_number_in_a_file():
    groups = {name: three()[name].codes * [1, 1, 0] for name in "bc"}
    with pytest.warns(UserWarning, match="cannot show the effect of 0 – 2"):
        found = compare_all_groups(groups, permutations=3, known={(0, 2): "required"})
    columns = ["effect_a", "effect_b", "difference"]
    (row,) = [row for row in table_of(found) if row["y"] == "2"]
    assert [row[name] for name in columns] == [""] * 3
