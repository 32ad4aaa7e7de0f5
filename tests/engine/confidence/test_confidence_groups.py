"""Comparing groups: p-values by a slow plain recomputation, of several groups and of persons."""

import csv
import io
from collections import Counter
from contextlib import nullcontext
from functools import cache, partial
from itertools import combinations, product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import bjp_engine as bjp
from bjp_engine import metrics
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison
from bjp_engine.errors import Cancelled, DataError, OptionError
from tests.engine.calls import assert_options_refused, reports_of
from tests.refusals import assert_refused

FAST = {"search": "ibmap-hc", "n_jobs": 1}


def noisy(rng, source, same):
    """A copy of a column of zeros and ones that agrees with it so often."""
    return np.where(rng.random(len(source)) < same, source, 1 - source)


@cache
def example():
    """Two groups of unequal size, one variable with three states, triangles not unlikely."""
    rng = np.random.default_rng(0)
    frames = []
    for rows, same in ((140, 0.8), (100, 0.65)):
        x = rng.integers(2, size=rows)
        y = noisy(rng, x, 0.75)
        z = (noisy(rng, x, 0.8) + noisy(rng, y, same)).astype(int)
        z = np.where(rng.random(rows) < 0.3, rng.integers(3, size=rows), z)
        w = noisy(rng, x, same)
        frames.append(pd.DataFrame({"w": w, "x": x, "y": y, "z": z}))
    return frames[0], frames[1]


def log_odds(groups, x, y, given, sizes):
    """For each group the log odds ratio of each pair of pairs of states, NaN if it is unknown."""
    pairs = [
        (s, u, t, v)
        for s, u in combinations(range(sizes[x]), 2)
        for t, v in combinations(range(sizes[y]), 2)
    ]
    slices = {}
    for g, rows in enumerate(groups):
        for row in rows:
            key = tuple(row[v] for v in given)
            slices.setdefault(key, np.zeros((2, sizes[x], sizes[y])))[g, row[x], row[y]] += 1
    both_ways = np.zeros((2, len(pairs), 2))
    for tables in slices.values():
        shown = np.array(
            [[(n[s, t] * n[u, v], n[s, v] * n[u, t]) for s, u, t, v in pairs] for n in tables]
        )
        if shown.any(axis=(1, 2)).all():
            rows = tables.sum(axis=(1, 2))
            both_ways += shown / rows[:, None, None] ** 2 / (1 / rows).sum()
    both_ways[(both_ways == 0).any(axis=2)] = np.nan
    return np.log(both_ways[..., 0] / both_ways[..., 1])


def slow_measure(groups):
    """Everything of one labelling from its definition."""
    names, sizes = groups[0].names, groups[0].cardinalities
    graphs = [bjp.learn(group, search="ibmap-hc").graph for group in groups]
    union = nx.compose(*graphs)
    # Then common neighbours part the ends of an edge.
    assert nx.is_chordal(union)
    means = {}
    for (i, x), (j, y) in combinations(enumerate(names), 2):
        if union.has_edge(x, y):
            given = [names.index(z) for z in nx.common_neighbors(union, x, y)]
            means[x, y] = log_odds([one.codes.tolist() for one in groups], i, j, given, sizes)
    distance = len({*map(frozenset, graphs[0].edges)} ^ {*map(frozenset, graphs[1].edges)})
    return graphs, distance, means


def root_mean_square(odds):
    return float(np.sqrt(np.nanmean(np.square(odds))))


def recomputed(permutations, seed):
    """The observed labelling and the permuted ones."""
    a, b = example()
    codes = np.concatenate(example())
    sizes, names = [int(top) + 1 for top in codes.max(axis=0)], list(a.columns)
    distinct, counts = zip(*sorted(Counter(map(tuple, codes.tolist())).items()), strict=True)

    def measure(*groups):
        parts = [bjp.Dataset.from_codes(rows, sizes, names) for rows in groups]
        return slow_measure(parts)

    found = [measure(a.to_numpy(), b.to_numpy())]
    for k in range(permutations):
        rng = np.random.default_rng([seed, k])
        second = rng.multivariate_hypergeometric(counts, len(b))
        first = np.subtract(counts, second)
        found.append(measure(*(np.repeat(distinct, times, axis=0) for times in (first, second))))
    return found[0], found[1:]


def test_every_number_is_that_of_a_plain_recomputation():
    permutations, seed = 24, 3
    one = bjp.compare_groups(*example(), permutations=permutations, seed=seed, **FAST)
    (graphs, distance, means), others = recomputed(permutations, seed)

    def p_value(values, own):
        return (1 + sum(value >= own for value in values)) / (permutations + 1)

    for found, wanted in zip((one.graph_a, one.graph_b), graphs, strict=True):
        assert nx.utils.graphs_equal(nx.Graph(found), nx.Graph(wanted))
    assert one.distance == distance > 0
    assert one.p == p_value([other[1] for other in others], distance)

    def strengths(tables):
        return [sum(root_mean_square(t[k]) for t in tables.values()) for k in (0, 1)]

    def gap(tables):
        return abs(np.subtract(*strengths(tables)))

    assert any(not graph.has_edge(*pair) for graph in graphs for pair in means)
    assert [one.strength_a, one.strength_b] == pytest.approx(strengths(means), rel=1e-9)
    assert abs(one.strength_b - one.strength_a) == pytest.approx(gap(means), rel=1e-9)
    assert one.p_strength == p_value([gap(other[2]) for other in others], gap(means))

    codes, error = np.concatenate(example()), {}
    for (i, x), (j, y) in combinations(enumerate(example()[0].columns), 2):
        rows, columns = (np.bincount(codes[:, v]) + 0.5 for v in (i, j))
        error[x, y] = 2 * np.sqrt(len(codes) * np.mean(1 / np.outer(rows, columns)))

    def length(tables, pair):
        return root_mean_square(tables[pair][1] - tables[pair][0]) if pair in tables else 0.0

    largest = [max(length(t, pair) / error[pair] for pair in error) for _, _, t in others]
    assert {(row.x, row.y) for row in one.edges.itertuples()} == {*means}
    for row in one.edges.itertuples():
        pair = (row.x, row.y)
        here = length(means, pair)
        assert (row.in_a, row.in_b) == tuple(graph.has_edge(*pair) for graph in graphs)
        assert abs(row.difference) == pytest.approx(here, rel=1e-9)
        signed = row.kind == "log odds ratio"
        assert signed == ("z" not in pair)
        for effect, t in zip((row.effect_a, row.effect_b), means[pair], strict=True):
            plain = t[0] if signed else root_mean_square(t)
            assert effect == pytest.approx(plain, rel=1e-9)
        assert row.p == p_value([length(other[2], pair) for other in others], here)
        assert row.p_adjusted == p_value(largest, here / error[pair])
    assert one.edges["p_adjusted"].is_monotonic_increasing
    assert one.p_edges == one.edges["p_adjusted"].min()


def same_edges(one, other, flip=False):
    """Whether two comparisons agree pair by pair, whatever the order of columns."""
    mine, theirs = (
        edges.set_index(edges[["x", "y"]].apply(frozenset, axis=1)).drop(columns=["x", "y"])
        for edges in (one.edges, other.edges)
    )
    theirs = theirs.loc[mine.index]
    if flip:
        turned = {"in_a": "in_b", "in_b": "in_a", "effect_a": "effect_b", "effect_b": "effect_a"}
        theirs = theirs.rename(columns=turned)[mine.columns]
        theirs.loc[theirs["kind"] == "log odds ratio", "difference"] *= -1
    pd.testing.assert_frame_equal(mine, theirs, rtol=1e-9)


def test_an_effect_that_is_infinite_in_both_groups_is_no_difference():
    # b copies a in either group, d copies c in the first one alone; groups of unequal size.
    rng = np.random.default_rng(3)
    a, c = rng.integers(2, size=(2, 400))
    table = pd.DataFrame({"a": a, "b": a, "c": c, "d": np.where(np.arange(400) < 300, c, 1 - c)})
    with pytest.warns(UserWarning, match="no finite estimate"):
        found = bjp.compare_groups(table[:300], table[300:], permutations=99, **FAST)
    pairs = found.edges.set_index(["x", "y"])
    assert pairs.loc[("a", "b"), "doubt"] == "infinite"
    assert np.isnan(pairs.loc[("a", "b"), "difference"])
    assert (pairs.loc[("a", "b"), "p_adjusted"], pairs.loc[("c", "d"), "p_adjusted"]) == (1, 0.01)


def test_exchanging_the_groups_changes_signs_only():
    for rows in (100, 140):
        a, b = example()[0][:rows], example()[1]
        one = bjp.compare_groups(a, b, permutations=19, **FAST)
        other = bjp.compare_groups(b, a, permutations=19, **FAST)
        assert (one.distance, one.p, one.p_strength) == (other.distance, other.p, other.p_strength)
        assert (one.strength_a, one.rows_a) == (other.strength_b, other.rows_b)
        same_edges(one, other, flip=True)


def test_the_order_of_columns_and_rows_and_the_threads_change_nothing_else():
    # BJP breaks ties of ψ by position; MPL knows no such order.
    (a, b), columns = example(), ["z", "x", "w", "y"]
    one = bjp.compare_groups(a, b, "mpl", permutations=19, n_jobs=1)
    shuffled = a[columns].sample(frac=1, random_state=1)
    other = bjp.compare_groups(shuffled, b, "mpl", permutations=19, n_jobs=1)
    assert (one.distance, one.p, one.p_strength) == (other.distance, other.p, other.p_strength)
    assert list(other.graph_b) == ["z", "x", "w", "y"]
    same_edges(one, other)
    threads, seeded = (
        bjp.compare_groups(a, b, "mpl", permutations=19, seed=seed, n_jobs=2) for seed in (0, 1)
    )
    pd.testing.assert_frame_equal(one.edges, threads.edges)
    assert not one.edges["p"].equals(seeded.edges["p"])


def test_states_of_one_group_are_states_of_both():
    a = pd.DataFrame({"x": ["low", "high"] * 30, "y": ["no", "yes"] * 25 + ["yes", "no"] * 5})
    y = ["no", "yes", "yes"] * 17 + ["yes", "no", "no"] * 3
    b = pd.DataFrame({"x": ["low", "high", "mid"] * 20, "y": y, "c": ["0", "1"] * 30})
    a["c"] = "0"
    found = bjp.compare_groups(a, b, permutations=9, **FAST)
    both = bjp.Dataset.from_frame(pd.concat([a, b]))
    halves = both.take(range(60)), both.take(range(60, 120))
    other = bjp.compare_groups(*halves, permutations=9, **FAST)
    pd.testing.assert_frame_equal(found.edges, other.edges)
    assert found.edges[["x", "y", "kind"]].values.tolist() == [["x", "y", "strength"]]
    assert np.isfinite(found.edges["difference"]).all()
    # One variable has no edge.
    found = bjp.compare_groups([[0], [1]], [[1]], permutations=3)
    assert (found.p, found.p_strength, found.p_edges) == (1.0, 1.0, 1.0)
    assert (found.distance, len(found.edges)) == (0, 0)


def test_states_that_are_written_differently_are_named_and_refused_where_none_is_shared():
    rows = np.random.default_rng(0).integers(2, size=(40, 2))
    compare = partial(bjp.compare_groups, permutations=1, **FAST)
    for mine, theirs in (
        (("no", "yes"), ("No", "Yes")),
        (("False", "True"), ("0", "1")),
        (("0", "1"), ("2", "3")),
    ):
        a, b = (
            pd.DataFrame({"x": np.array(states)[rows[:, 0]], "y": rows[:, 1]})
            for states in (mine, theirs)
        )
        sentence = f"^'x' has .*{mine[0]}.* in the first group and .*{theirs[0]}.* in the second"
        assert_refused(DataError, sentence, compare, a, b)
        # States that are declared and do not occur are none in common.
        both = pd.CategoricalDtype([*mine, *theirs])
        assert_refused(DataError, "write them in the same way", compare, a.astype({"x": both}), b)
        shared = b.assign(x=[theirs[0]] * 39 + [mine[1]])
        with pytest.warns(UserWarning, match="write them in the same way"):
            compare(a, shared)
        compare(a, b.assign(x=theirs[0]))
        # A state that only one group has is no doubt, unless a tenth of the other's rows are new.
        for strange, doubtful in ((3, False), (4, True)):
            other = a.assign(x=[theirs[0]] * strange + [mine[0]] * (40 - strange))
            said = pytest.warns(UserWarning, match="^'x' has")
            with said if doubtful else nullcontext():
                compare(a, other)


def test_a_column_makes_the_groups():
    # Names that are numbers, and states that do not occur.
    data = bjp.Dataset.from_codes([[0, 1, 0], [2, 0, 1]], [3, 2, 2], names=[2, 0, 1])
    parts = data.split(2)
    assert {label: part.codes.tolist() for label, part in parts.items()} == {
        "0": [[1, 0]],
        "2": [[0, 1]],
    }
    assert parts["0"].names == (0, 1)
    assert_refused(DataError, "There is no variable 'sex'", data.split, "sex")
    assert_refused(DataError, "no columns", data.select([2]).split, 2)


def test_arguments_that_are_refused():
    usual = {"a": [[0, 1], [1, 0]], "b": [[0, 1], [1, 1]], "permutations": 3}
    cases = "permutations=0 permutations=9.5 seed=-1 method='best' search='best' n_jobs=0"
    assert_options_refused(cases, bjp.compare_groups, **usual)
    for given, about in (
        ({"b": [[0, 1, 1]]}, "a lacks the variable '2' of b"),
        ({"a": [[0, 1, 1]]}, "b lacks the variable '2' of a"),
        ({"b": bjp.Dataset.from_codes(np.zeros((0, 2), int))}, "b has no rows"),
        ({"b": pd.DataFrame({0: [1.0, None], 1: [0, 1]})}, "missing"),
    ):
        assert_refused(DataError, about, bjp.compare_groups, **(usual | given))


def test_it_reports_each_permutation_and_can_be_cancelled():
    seen = reports_of(bjp.compare_groups, *example(), permutations=4, **FAST)
    assert seen == [(done, 4) for done in range(5)]
    for threads in (1, 2):
        seen.clear()
        watched = bjp.Progress(lambda *now: seen.append(now), lambda: len(seen) > 2)
        options = FAST | {"permutations": 10**6, "n_jobs": threads}
        with pytest.raises(Cancelled):
            bjp.compare_groups(*example(), progress=watched, **options)
        assert seen[-1][0] < 10


def test_ordered_variables_differ_by_the_slope_of_their_log_odds_ratios():
    # Every 2 x 2 table of adjacent states has the odds ratio 2 in one group and 1/2 in the other.
    names, counts = ["x", "y"], 3 * np.outer([3, 2, 1, 3], [2, 1, 2])
    counts = counts * 2 ** np.outer(np.arange(4), np.arange(3))
    codes = np.repeat(np.indices((4, 3)).reshape(2, -1).T, counts.ravel(), axis=0)
    lists = [[str(s) for s in range(r)] for r in (4, 3)]

    def group(codes, ordered):
        return bjp.Dataset.from_codes(codes, [4, 3], names, lists, ordered)

    a, b = group(codes, names), group([3, 0] + codes * [-1, 1], names)
    found = bjp.compare_groups(a, b, permutations=39)
    (row,) = found.edges.itertuples()
    assert [*found.graph_a.edges] == [*bjp.learn(a).graph.edges] == [("x", "y")]
    assert row.kind == "log odds ratio per step"
    assert (row.effect_a, row.effect_b) == pytest.approx((np.log(2), -np.log(2)), rel=0.02)
    assert row.difference == pytest.approx(row.effect_b - row.effect_a)
    assert (found.strength_a, found.strength_b) == (row.effect_a, -row.effect_b)
    assert row.p == row.p_adjusted == 1 / 40
    assert "log odds ratio per step of b less that of a is −1.3" in describe_comparison(found)
    # The sign follows the order of states; the p-values don't.
    turned = [group([3, 0] + one.codes * [-1, 1], names) for one in (a, b)]
    (other,) = bjp.compare_groups(*turned, permutations=39).edges.itertuples()
    assert other.difference == pytest.approx(-row.difference, abs=1e-4)
    assert (other.p, other.p_adjusted) == (row.p, row.p_adjusted)
    # With the order of one variable only it is a strength.
    half = [group(one.codes, ["x"]) for one in (a, b)]
    assert [*bjp.compare_groups(*half, permutations=1).edges["kind"]] == ["strength"]


def _graded(states, *, ordered=True):
    cells = pd.Categorical(list("abc") * 20, list(states), ordered=ordered)
    return pd.DataFrame({"grade": cells, "x": [0, 1] * 30})


def test_an_order_is_not_lost_without_a_word():
    for other in (_graded("cba"), _graded("abc", ordered=False)):
        for pair in ((_graded("abc"), other), (other, _graded("abc"))):
            with pytest.warns(UserWarning, match=r"^'grade' isn't ordered in the same way in both"):
                bjp.compare_groups(*pair, permutations=1)
    # Warnings are errors: nothing is said of the same order, none, or one of two states.
    bjp.compare_groups(_graded("abc"), _graded("abc"), permutations=1)
    bjp.compare_groups(*[_graded("abc", ordered=False)] * 2, permutations=1)
    two = pd.DataFrame({"x": pd.Categorical(list("ab") * 9, ordered=True), "y": [0, 1, 1] * 6})
    bjp.compare_groups(two, two.astype({"x": str}), permutations=1)


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
        ({"a": [[0, 1]]}, OptionError, "a mapping with 2 to 6"),
        ({str(k): [[0, 1]] for k in range(7)}, OptionError, "with 2 to 6 groups"),
        ([[0, 1]], OptionError, "a mapping with 2 to 6"),
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


def waves(rng, persons, rows=(1, 1), alone=0):
    """What persons answered in two waves: all that is said depends on who says it.

    Each has so many rows in each wave; some more have rows in one of them only.
    """
    kind = rng.integers(2, size=(persons + alone, 3))
    kind[:, 1] = np.where(rng.random(len(kind)) < 0.8, kind[:, 0], 1 - kind[:, 0])
    made = []
    for wave, most in enumerate(rows):
        here = np.r_[np.arange(persons), persons + np.arange(wave, alone, 2)]
        whose = np.repeat(here, rng.integers(1, most + 1, len(here)))
        flipped = rng.random((len(whose), 3)) < 0.1
        frame = pd.DataFrame(kind[whose] ^ flipped, columns=["x", "y", "z"])
        made.append(frame.assign(who=[f"P{one:03d}" for one in whose]))
    return made


def numbers(found):
    """Every number of a comparison."""
    return found.p, found.p_strength, found.p_edges, found.edges.to_dict("records")


def test_labels_are_permuted_within_each_person():
    # Who has rows in one wave only keeps her labels.
    first, second = waves(np.random.default_rng(5), 6, (2, 1), alone=50)
    first.loc[::2, "z"] = first["x"][::2]
    table = pd.concat([first, second], ignore_index=True)
    # Every way in which each person's rows can be divided as hers are, each as probable.
    ways = []
    for one in table.groupby("who").groups.values():
        size = int((one < len(first)).sum())
        ways.append([set(some) for some in combinations(one, size)])
    assert 100 < np.prod([len(each) for each in ways]) < 1000

    def distance(rows):
        chosen = table.index.isin(list(rows))
        parts = [table[mask][["x", "y", "z"]] for mask in (chosen, ~chosen)]
        data = [bjp.Dataset.from_codes(part.to_numpy(), [2] * 3, ["x", "y", "z"]) for part in parts]
        return metrics.hamming(*(bjp.learn(one, search="ibmap-hc").graph for one in data))

    every = np.array([distance(set.union(*chosen)) for chosen in product(*ways)])
    asked = {"permutations": 499, "seed": 4, "paired": "who", **FAST}
    found = bjp.compare_groups(first, second, **asked)
    exact = (every >= found.distance).mean()
    assert 0.05 < exact < 0.95
    assert abs(found.p - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 500)
    assert (found.paired, found.notes) == ("who", ())
    assert set(found.graph_a) == {"x", "y", "z"}
    assert "permutations of the group labels within each who (van" in describe_comparison(found)
    # It is the same for any order of rows, columns and groups, and for persons of other names.
    asked["permutations"] = 49
    found = bjp.compare_groups(first, second, **asked)
    shuffled = first.sample(frac=1, random_state=1)[["who", "z", "y", "x"]]
    turned = bjp.compare_groups(second, shuffled, **asked)
    assert numbers(turned)[:3] == numbers(found)[:3]
    assert turned.edges["p"].sort_values().tolist() == found.edges["p"].sort_values().tolist()
    threaded = bjp.compare_groups(first, second, **asked | {"n_jobs": 2})
    assert numbers(threaded) == numbers(found)


def test_what_cannot_be_paired_is_refused():
    first, second = waves(np.random.default_rng(0), 30)
    unnamed = second.assign(who=["(missing)", *second["who"][1:]])
    for about, a, b, more in (
        ("There is no variable 'id'", first, second, {"paired": "id"}),
        ("There is no variable 'who'", first, second.drop(columns="who"), {}),
        ("No 'who' has rows in both groups", first, second.assign(who=range(30)), {}),
        ("Some rows have no 'who'", first, unnamed, {}),
    ):
        assert_refused(DataError, about, bjp.compare_groups, a, b, **{"paired": "who"} | more)
    assert_options_refused("permutations=1000001", bjp.compare_groups, first, second)


def test_numbers_of_persons_are_left_out_and_named_once():
    first, second = waves(np.random.default_rng(1), 60)
    plain = [one[["x", "y", "z"]] for one in (first, second)]
    asked = {"permutations": 19, **FAST}
    expected = bjp.compare_groups(*plain, **asked)
    one = [one.rename(columns={"who": "id"}) for one in (first, second)]
    codes = [frame.assign(code=[f"{w[::-1]}y" for w in frame["id"]]) for frame in one]
    other = [one[0], one[1].assign(id=[f"Q{k // 2}" for k in range(60)])]
    for groups, so, times in (
        (one, "p-values do not hold; paired='id'", 1),
        # A code that recurs is a person's, whatever it is called.
        ([frame.drop(columns="id") for frame in codes], "paired='code'", 1),
        (codes, "paired='id'", 2),
        (other, "p-values are too small", 1),
        ([frame.assign(id=range(k, k + 60)) for k, frame in ((0, one[0]), (60, one[1]))], "", 1),
    ):
        with pytest.warns(UserWarning, match="left out of the comparison") as caught:
            found = bjp.compare_groups(*groups, **asked)
        said = [str(each.message) for each in caught]
        assert tuple(said) == found.notes
        assert len(said) == times, said
        assert so in said[0]
        assert numbers(found) == numbers(expected)
        assert all(one in describe_comparison(found) for one in said)
    # Where it is known that persons are paired, nothing is wrong.
    paired = bjp.compare_groups(*one, paired="id", **asked)
    assert paired.notes == ()


def test_a_column_that_repeats_the_groups_is_left_out():
    rng = np.random.default_rng(4)
    arm = np.repeat(["a", "b", "c"], 60)
    x = rng.integers(2, size=180)
    y = np.where(rng.random(180) < np.where(arm == "a", 0.1, 0.4), 1 - x, x)
    frame = pd.DataFrame({"arm": arm, "x": x, "y": y, "z": rng.integers(2, size=180)})
    copy = frame.assign(site=frame["arm"].map({"a": 7, "b": 5, "c": 3}))
    # A finer coding of the groups, and a copy with two rows in a hundred exchanged.
    finer = frame.assign(site=frame["arm"] + rng.integers(3, size=180).astype(str))
    near = frame.assign(site=np.where(rng.random(180) < 0.02, "b", frame["arm"]))
    asked = {"permutations": 19, **FAST}
    for copied, states in ((copy, ["a", "b"]), (copy, ["a"]), (copy, []), (finer, []), (near, [])):
        expected = compare_all_groups(choose_groups(frame, "arm", states), **asked)
        with pytest.warns(
            UserWarning, match="^Column 'site' separates the groups of 'arm'"
        ) as caught:
            groups = choose_groups(copied, "arm", states)
        assert len(caught) == 1
        found = compare_all_groups(groups, **asked)
        for pair, one in expected.pairs.items():
            assert numbers(found.pairs[pair]) == numbers(one), pair
    # What a treatment changes a lot is a variable, and so is what each row has to itself.
    often = np.where(rng.random(180) < 0.15, 1, np.arange(180) // 60)
    codes = np.column_stack([np.arange(180) // 60, often, np.arange(180)])
    assert choose_groups(bjp.Dataset.from_codes(codes), 0)["0 = 0"].names == (1, 2)
    # Groups of which nobody knows what made them: what is constant in each, and not the same.
    a, b = (copy[arm == one].drop(columns="arm") for one in "ab")
    plain = [one.drop(columns="site") for one in (a, b)]
    with pytest.warns(UserWarning, match="'site' repeats the group: it holds '5', '7'"):
        found = bjp.compare_groups(a, b, **asked)
    assert numbers(found) == numbers(bjp.compare_groups(*plain, **asked))
    assert list(found.graph_a) == ["x", "y", "z"]
    about = "No variable is left to compare. Column 'site' repeats the group"
    assert_refused(DataError, about, bjp.compare_groups, a[["site"]], b[["site"]])
