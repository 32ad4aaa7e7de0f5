"""Experiments as descriptions, the rows that they fix, and what is made of results."""

import dataclasses
import json
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.experiments import (
    TABLES,
    Experiment,
    Results,
    claims,
    dataset,
    find_table,
    read_experiment,
    resize,
    summaries,
)
from bjp_engine.experiments.runs import KINDS, derive_seed, jobs, run_job
from bjp_engine.experiments.summary import (
    MeanEstimate,
    combine,
    estimate,
    gaps,
    printed,
    rate_error,
)
from tests.refusals import assert_refused

CLIMBS = (("bjp", "ibmap-hc"), ("ib", "ibmap-hc"), ("mpl", "mpl-hc"))
SMALL = Experiment("small", ("target-3", "karate"), (60, 250), CLIMBS, distributions=2, samples=2)


def small(**changes):
    return dataclasses.replace(SMALL, **changes)


def rows_of(experiment):
    return [row for job in jobs(experiment) for row in run_job(job)]


class TestDescription:
    def test_the_tables_are_the_paper_s(self):
        assert list(TABLES) == [f"table-{k}" for k in (1, 2, 3, 4)]
        assert find_table("table-1").size == 6 * 6 * 100 * 3
        others = [resize(TABLES[f"table-{k}"], samples=1) for k in (2, 3, 4)]
        assert sum(table.size for table in others) == 14 * 6 * 10 * 3
        assert {len(table.rows) for table in TABLES.values()} == {6}
        assert {learner.search for learner in find_table("table-1").scores} == {"exhaustive"}
        assert [find_table(f"table-{k}").measure for k in (1, 2)] == ["success", "hamming"]

    def test_it_can_be_written_and_read(self):
        for experiment in (SMALL, *TABLES.values()):
            assert Experiment(**experiment.as_plain()) == experiment
        given = small(rows=tuple(np.array([60, 250])), seed=np.int64(0), samples=np.int8(2))
        assert json.dumps(given.as_plain()) == json.dumps(SMALL.as_plain())

    def test_a_value_that_cannot_be_used_is_named(self):
        for key, values in {
            "name": ("", "=1+1", "<b>"),
            "networks": (("nowhere",), (), "karate", ("karate", "karate")),
            "rows": ((0,), (2.5,), (True,)),
            "scores": ((("bic", "ibmap-hc"),), (("mpl", "ibmap-hc"),), ("bjp",)),
            "weights": ("strong",),
            "epsilon": (2.0, "1", math.nan),
            "sampler": ("slice",),
            "distributions": (0,),
            "samples": ("ten",),
            "burn_in": (-1,),
            "sweeps": (0,),
            "seed": (-1,),
        }.items():
            for value in values:
                assert_refused(OptionError, rf"^{key}\b", small, **{key: value})
        # Six nodes are few enough for everything, 34 are not, and 112 too many for exact rows.
        for large in (
            {"sampler": "exact", "networks": ("adj-noun",)},
            {"scores": (("bjp", "exhaustive"),)},
        ):
            assert_refused(OptionError, r"^networks\b", small, **large)
        assert small(sampler="exact", networks=("karate",)).sampler == "exact"
        assert_refused(OptionError, "table-4", find_table, "table4")
        for key, value in (("networks", ["hub-1"]), ("rows", [100])):
            assert_refused(OptionError, f"^{key}: ", resize, SMALL, **{key: value})

    def test_shrinking_takes_cells_away_and_changes_none(self):
        less = resize(SMALL, networks=["karate"], rows=[60], distributions=1, samples=1)
        of, found = (
            {row[:6]: row._replace(seconds=0) for row in rows_of(e)} for e in (SMALL, less)
        )
        assert len(found) == less.size == 3
        assert found.items() <= of.items()


def test_a_file_is_what_it_says(tmp_path):
    whole = """
    name = "mine"
    networks = ["hub-1"]
    rows = [100]
    samples = 3
    seed = 7
    weights = "log-odds"
    epsilon = 2.0
    [scores]
    mpl = "mpl-hc"
    bjp = ["ibmap-hc", "auto"]
    """
    (path := tmp_path / "mine.toml").write_text(whole, encoding="utf-8")
    learners = (("mpl", "mpl-hc"), ("bjp", "ibmap-hc"), ("bjp", "auto"))
    assert read_experiment(path) == Experiment(
        "mine", ("hub-1",), (100,), learners, "log-odds", 2.0, samples=3, seed=7
    )
    for before, after, said in (
        ("samples = 3", "sample = 3", "'sample'"),
        ("samples = 3", "samples = 0", "samples=0"),
        ("rows = [100]", "", "'rows'"),
        ("[scores]", "[score]", "'score'"),
        ('mpl = "mpl-hc"', "mpl = 3", "scores"),
        ('"mine"', '"table-4"', "name"),
        ("seed = 7", "seed =", "TOML"),
    ):
        path.write_text(whole.replace(before, after), encoding="utf-8")
        assert_refused(OptionError, rf"(?=.*mine\.toml).*{said}", read_experiment, path)


class TestRows:
    def test_each_is_what_the_engine_learns_from_its_data(self):
        # All graphs are searched for table 1.
        table = resize(find_table("table-1"), networks=["target-6"], rows=[500], distributions=1)
        for experiment in (SMALL, resize(table, samples=2)):
            for row in rows_of(experiment):
                data = dataset(experiment, row.network, row.distribution, row.sample, row.rows)
                trace = bjp.learn(data, row.score, row.search)
                truth = {frozenset(edge) for edge in bjp.networks.load(row.network).edges}
                found = {frozenset(edge) for edge in trace.graph.edges}
                assert (row.fp, row.fn) == (len(found - truth), len(truth - found))
                assert (row.hamming, row.value) == (row.fp + row.fn, trace.score)
                assert (row.tests, row.steps) == (trace.tests, len(trace.steps))
                assert (row.seconds > 0, row.version) == (True, bjp.__version__)
                assert experiment is SMALL or row.search == "exhaustive"

    def test_a_smaller_sample_is_the_beginning_of_a_larger(self):
        for sampler in ("gibbs", "exact"):
            experiment = small(networks=("target-2",), sampler=sampler)
            long, short = (dataset(experiment, "target-2", 1, 0, rows) for rows in (1500, 60))
            assert np.array_equal(long.codes[:60], short.codes), sampler

    def test_the_data_come_from_the_description_alone_and_all_seeds_differ(self):
        def codes(experiment, *place):
            return dataset(experiment, "target-3", *place, 60).codes.tobytes()

        same = small(scores=(("mpl", "mpl-hc"),), samples=9)
        assert codes(SMALL, 0, 0) == codes(same, 0, 0)
        different = {codes(SMALL, d, s) for d in range(3) for s in range(3)}
        assert len(different | {codes(small(seed=1), 0, 0)}) == 10
        table, hundred = find_table("table-4"), list(product(range(10), repeat=2))
        seeds = {derive_seed(table, network, *ds) for network in table.networks for ds in hundred}
        assert len(seeds) == 600
        assert all(0 <= seed < 2**63 for seed in seeds)


def results(experiment, found, *, without=None):
    """Results with Hamming distances and tests by network, N, distribution, sample and score."""
    rows = []
    for network, size, d, s, (score, search) in product(
        experiment.networks,
        experiment.rows,
        range(experiment.distributions),
        range(experiment.samples),
        experiment.scores,
    ):
        wrong, tests = found(network, size, d, s, score)
        cell = (experiment.name, network, size, d, s, score, search)
        rows.append((*cell, wrong, wrong, 0, -1.0, 0.5, tests, 1, 0, "0"))
    if without is not None:
        del rows[without]
    return Results({experiment.name: experiment}, pd.DataFrame(rows, columns=list(KINDS)))


def same(wrong, tests=1):
    return lambda network, size, d, s, score: (wrong[score], tests)


def claims_of(experiment, found, kind):
    return {c.rival: c for c in claims(results(experiment, found)).itertuples() if c.kind == kind}


def noisy(network, size, d, s, score):
    """A different number everywhere, always the same."""
    key = [len(network), ord(network[-1]), size, d, s, len(score), ord(score[0])]
    generator = np.random.default_rng(key)
    return int(generator.integers(20, 60)), int(generator.integers(100, 900))


def test_intervals_are_student_s_over_the_groups():
    values = pd.Series([3.0, 5.0, 4.0, 8.0, 6.0, 7.0, 1.0, 2.0, 3.0])
    found = estimate(values, np.repeat([0, 1, 2], 3))
    means = values.to_numpy().reshape(3, 3).mean(axis=1)
    expected = stats.ttest_1samp(means, 0.0).confidence_interval(0.95)
    assert (found.mean, found.error) == pytest.approx((values.mean(), stats.sem(means)))
    assert found.interval == pytest.approx((expected.low, expected.high))
    # Groups of one are an ordinary sample, and one value has no error.
    assert estimate(values, np.arange(9)).error == pytest.approx(stats.sem(values))
    found = estimate(pd.Series([2.0, 4.0]), np.array([0, 0]))
    assert found.mean == 3
    assert all(map(math.isnan, (found.error, *found.interval)))
    # A difference of two is Welch's.
    a, b = values[:5], values[3:]
    found = combine([estimate(x, np.arange(len(x))) for x in (a, b)], [1.0, -1.0])
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert found.freedom == pytest.approx(expected.df)
    # The error of a rate is never 0.
    assert rate_error(0, 100) == pytest.approx(math.sqrt(101) / 102 / 10)
    assert rate_error(50, 100) == pytest.approx(0.05)


def test_summaries_are_means_over_the_datasets():
    mine = Experiment("mine", ("karate",), (60, 90), (("bjp", "ibmap-hc"),), samples=3)
    one, other = summaries(results(mine, noisy)).itertuples()
    drawn = np.array(
        [[noisy("karate", 90, d, s, "bjp") for s in range(3)] for d in range(10)], dtype=float
    )
    wrong, tests = np.moveaxis(drawn, 2, 0)
    assert (one.rows, other.rows, other.repeats) == (60, 90, 30)
    assert other.hamming == other.fp == pytest.approx(wrong.mean())
    assert other.hamming_error == pytest.approx(stats.sem(wrong.mean(axis=1)))
    assert (other.tests, other.fn) == (pytest.approx(tests.mean()), 0)
    assert (other.mean, other.error) == (other.hamming, other.hamming_error)
    # One distribution makes all samples independent.
    one, _ = summaries(results(resize(mine, distributions=1, samples=9), noisy)).itertuples()
    wrong = [noisy("karate", 60, 0, s, "bjp")[0] for s in range(9)]
    assert one.hamming_error == pytest.approx(stats.sem(wrong))

    # Success is learning the network itself.
    def found(network, size, d, s, score):
        return (0 if d < 4 and score == "bjp" else 3), 1

    table = resize(find_table("table-1"), rows=[250])
    by_score = {one.score: one for one in summaries(results(table, found)).itertuples()}
    assert by_score["bjp"].mean == pytest.approx(0.4)
    assert by_score["bjp"].error == pytest.approx(stats.sem([1] * 4 + [0] * 6))
    assert (by_score["mpl"].mean, by_score["mpl"].error) == (0, rate_error(0, 100))


def test_all_figures_are_there_as_read_in_the_paper():
    figures = printed().set_index(["experiment", "measure", "network", "rows", "score"])["printed"]
    assert {*figures.index} == {
        (table.name, table.measure, *place)
        for table in TABLES.values()
        for place in product(table.networks, table.rows, ("mpl", "ib", "bjp"))
    }
    value = {where[2:]: figure for where, figure in figures.items()}
    rates = {1: (0.28, 0.35, 0.34), 4: (0.0, 0.44, 0.5), 6: (0.27, 0.8, 0.82)}
    for k, expected in rates.items():
        assert tuple(value[f"target-{k}", 8000, s] for s in ("mpl", "ib", "bjp")) == expected
    assert value["scale-free-4", 250, "ib"] == 123.2
    assert value["curtis-54", 2000, "bjp"] == 18.9
    assert value["karate", 8000, "mpl"] == 36.6


def test_agreement_is_ten_percent_or_three_errors():
    table = resize(find_table("table-4"), networks=["karate"], rows=[8000])

    def agree(**wrong):
        """Printed: 36.6 ± 0.65 (MPL), 2.6 ± 0.49 (IB), 3.2 ± 0.82 (BJP)."""

        def found(network, size, d, s, score):
            values = wrong[score]
            return values[(10 * d + s) % len(values)], 1

        compared = summaries(results(table, found)).set_index("score")["agrees"]
        return [compared[score] for score in wrong]

    # 10 % of 36.6 is 3.66, three errors of IB-score 1.47, of BJP 2.46.
    assert agree(mpl=[33], ib=[4], bjp=[5]) == [True] * 3
    assert agree(mpl=[32], ib=[5], bjp=[6]) == [False] * 3
    # A standard error of 0.97 of our own makes up for it.
    assert agree(mpl=[36], ib=[0, 0, 0, 20], bjp=[3])[1]
    compared = summaries(results(table, same({"mpl": 40, "ib": 2, "bjp": 3})))
    assert compared["agrees"].all()
    assert gaps(compared) == {"karate": pytest.approx((3.4 + 0.6 + 0.2) / 3)}
    # Only the paper's tables are compared.
    mine = Experiment("mine", ("karate",), (8000,), (("bjp", "ibmap-hc"),))
    found = summaries(results(mine, noisy))
    assert found[["printed", "difference", "difference_error", "agrees"]].isna().all(axis=None)
    assert (gaps(found), len(claims(results(mine, noisy)))) == ({}, 0)


class TestClaims:
    def test_differences_are_paired(self):
        """Data differ by far more than scores; only pairing tells one from two edges."""

        def found(network, size, d, s, score):
            wrong, tests = noisy(network, size, d, s, "same")
            return wrong + {"bjp": 0, "ib": (d + s) % 2, "mpl": -(s % 2)}[score], tests

        table = resize(find_table("table-4"), networks=["karate"])
        of = {
            claim.rival: claim
            for claim in claims(results(table, found)).itertuples()
            if claim.unit == "edges"
        }
        gains = [(d + s) % 2 for d in range(10) for s in range(10)]
        low, high = stats.ttest_1samp(gains, 0).confidence_interval(0.95)
        assert (of["ib"].low, of["ib"].high) == pytest.approx((low, high))
        assert of["ib"].estimate == pytest.approx(0.5)
        # The paper prints BJP behind IB-score at N = 8000.
        assert of["ib"].rows == (250, 500, 1000, 2000, 4000)
        assert (of["ib"].verdict, of["mpl"].verdict) == ("holds", "refuted")

    def test_distributions_are_the_units_and_tests_are_compared_as_ratios(self):
        def found(network, size, d, s, score):
            return 10 + (d if score == "mpl" else 3), (200 if score == "ib" else 100) * (1 + d)

        table = resize(find_table("table-2"), networks=["hub-1"])
        of = claims_of(table, found, "fewer errors")
        low, high = stats.ttest_1samp(np.arange(10) - 3, 0).confidence_interval(0.95)
        assert (of["mpl"].low, of["mpl"].high) == pytest.approx((low, high))
        (fewer,) = claims_of(table, found, "fewer tests").values()
        assert (fewer.estimate, fewer.low) == (pytest.approx(2), pytest.approx(2))
        assert fewer.verdict == "holds"

    def test_growth_is_the_slope_of_a_line(self):
        gain = {"hub-1": 1, "hub-2": 4, "hub-3": 5, "hub-4": 10}

        def found(network, size, d, s, score):
            return 20 + (score == "ib") * (gain[network] + d % 2), 1

        grown = claims_of(find_table("table-2"), found, "grows with n")["ib"]
        line = stats.linregress([4, 5, 6, 7], [k + 0.5 for k in gain.values()])
        assert grown.estimate == pytest.approx(line.slope)
        error = stats.sem([0, 1] * 5) * math.sqrt(1.5**2 + 0.5**2 + 0.5**2 + 1.5**2) / 5
        # Welch and Satterthwaite: squared weights 2.25 and 0.25, nine degrees of freedom each.
        reach = stats.t.ppf(0.975, 9 * (2.25 + 0.25) ** 2 * 4 / (2 * 2.25**2 + 2 * 0.25**2)) * error
        ends = line.slope - reach, line.slope + reach
        assert (grown.low, grown.high) == pytest.approx(ends)
        assert grown.verdict == "holds"

    def test_irregularity_is_the_total_one(self):
        table = resize(find_table("table-4"), samples=1)
        graphs = {of: bjp.networks.load(of) for of in table.networks}
        uneven = {of: bjp.metrics.total_irregularity(graph) for of, graph in graphs.items()}

        def found(network, size, d, s, score):
            return round(uneven[network] / 100) * (score == "mpl"), 1

        grown = claims_of(table, found, "grows with irregularity")["mpl"]
        assert grown.estimate == pytest.approx(10, abs=0.01)

    def test_for_the_targets_success_counts(self):
        table = resize(find_table("table-1"), samples=1)
        found_claims = claims(results(table, same({"bjp": 0, "ib": 1, "mpl": 7})))
        fewer = found_claims["estimate"][found_claims["kind"] == "fewer errors"]
        assert ({*fewer}, "fewer tests" in {*found_claims["kind"]}) == ({1.0}, False)

    def test_a_missing_row_takes_its_dataset_away(self):
        def found(network, size, d, s, score):
            return (9 * (d == 0) + 1) * (score == "ib"), 1

        table = resize(find_table("table-4"), networks=["karate"], rows=[250], samples=1)
        # mpl's first row is not ib's.
        for without, expected in ((None, 1.9), (0, 1.9), (1, 1)):
            first = claims(results(table, found, without=without))["estimate"][0]
            assert first == pytest.approx(expected), without

    def test_one_dataset_or_nothing_but_noise_decides_nothing(self):
        table = resize(find_table("table-4"), networks=["karate"])
        for few in (table, resize(table, distributions=1, samples=1)):
            assert {*claims(results(few, noisy))["verdict"]} == {"open"}
        assert MeanEstimate(1.0, math.nan, 0).interval != (1.0, 1.0)
