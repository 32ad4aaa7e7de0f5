"""Experiments as descriptions, and the rows that they fix."""

import dataclasses
import json
import math
from itertools import product

import numpy as np

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.experiments import (
    TABLES,
    Experiment,
    dataset,
    find_table,
    read_experiment,
    resize,
)
from bjp_engine.experiments.runner import derive_seed, jobs, run_job
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
