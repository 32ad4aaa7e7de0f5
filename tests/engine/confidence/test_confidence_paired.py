"""Comparisons in which rows depend on each other, or a column repeats what makes the groups."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import metrics
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison
from bjp_engine.errors import DataError
from tests.engine.calls import assert_options_refused
from tests.refusals import assert_refused

FAST = {"search": "ibmap-hc", "n_jobs": 1}


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
    asked = {"permutations": 1999, "seed": 4, "paired": "who", **FAST}
    found = bjp.compare_groups(first, second, **asked)
    exact = (every >= found.distance).mean()
    assert 0.05 < exact < 0.95
    assert abs(found.p - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 2000)
    assert (found.paired, found.notes) == ("who", ())
    assert set(found.graph_a) == {"x", "y", "z"}
    assert "permutations of the group labels within each who (van" in describe_comparison(found)
    # It is the same for any order of rows, columns and groups, and for persons of other names.
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
