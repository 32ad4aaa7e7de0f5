"""What every registered search must do, with every score that it serves."""

import dataclasses
import itertools
import math
from functools import cache

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.scores import LocalScore
from bjp_engine.scores.mpl import MPL, MPLOptions
from bjp_engine.search import SEARCHES, StopReason, driver, searches_for
from tests.contracts.recipes import (
    SCORE_NAMES,
    SEARCH_NAMES,
    case,
    method_of,
    methods_of,
    score_of,
    search_of,
)
from tests.refusals import assert_refused
from tests.strategies import random_sample

NAMES = ["zeta", "alpha", "7", "β<b>", "=1+1"]
DATA = bjp.Dataset.from_codes(
    np.array(random_sample(3, (2, 3, 2, 5, 2), 200).rows), [2, 3, 2, 6, 2], NAMES
)
# Why each search ends, where nothing ends it sooner.
ENDS = {
    "ibmap-hc": StopReason.NOT_RAISED,
    "mpl-hc": StopReason.NO_CANDIDATE,
    "hill-climb": StopReason.NO_FLIP,
    "round-by-round": StopReason.NO_FLIP,
    "tabu": StopReason.PATIENCE,
    "restarts": StopReason.SCHEDULE,
    "auto": StopReason.WEIGHED,
    "exhaustive": StopReason.COMPLETE,
}
every_search = pytest.mark.parametrize("search", SEARCH_NAMES)


def learn(method, search, data=DATA, **options):
    return bjp.learn(data, method_of(method), search_of(search), **options)


@cache
def learned(method, search):
    """A search with the defaults."""
    return learn(method, search)


def scored(trace, graph):
    """A graph by the score of a search."""
    return bjp.score(DATA, graph, method_of(trace.method), **trace.given)


def refused(match, method, search, **options):
    assert_refused(OptionError, rf"{match}.*\.$", learn, method, search, **options)


def test_the_registry_and_its_defaults():
    assert set(ENDS) == set(SEARCH_NAMES)
    assert all(search.name == name and search.title for name, search in SEARCHES.items())
    assert {method for search in SEARCHES for method in methods_of(search)} == set(SCORE_NAMES)
    with pytest.raises(TypeError):
        SEARCHES["new"] = SEARCHES["ibmap-hc"]
    for method, search in (("bjp", "auto"), ("ib", "auto"), ("mpl", "mpl-hc")):
        assert searches_for(method)[0] == bjp.learn(DATA, method).search == search


@every_search
def test_a_trace_is_of_its_score_and_graph_and_cannot_be_written(search):
    for method in methods_of(search):
        with case(method):
            trace = learned(method, search)
            assert (trace.method, trace.search) == (method, search)
            assert trace.stop_reason is ENDS[search]
            again = scored(trace, trace.graph)
            assert (trace.score, trace.log_prior) == (again.total, again.log_prior)
            assert trace.order == again.order
            assert trace.score >= trace.start_score == scored(trace, trace.start).total
            for graph in (trace.graph, trace.start, *trace.milestones.values()):
                assert list(graph.nodes) == NAMES
                assert not graph.is_directed()
            for step in trace.steps:
                assert set(step.edge) <= set(NAMES)
                assert step.accepted
                assert math.isfinite(step.score)
                assert math.isfinite(step.gain)
                assert 0 < step.tests <= trace.tests
            tried = [step.evaluations for step in trace.proposals]
            assert tried == sorted(tried)
            assert all(0 < count <= trace.evaluations for count in tried)
            assert trace.tests > 0
            assert trace.seconds >= 0

            with pytest.raises(dataclasses.FrozenInstanceError):
                trace.score = 0.0
            with pytest.raises(nx.NetworkXError):
                trace.graph.add_edge("zeta", "alpha")
            with pytest.raises(TypeError):
                trace.steps[:0] = ()
            with pytest.raises(TypeError):
                trace.options["prior"] = 0.1
            for step in trace.steps[:1]:
                with pytest.raises(dataclasses.FrozenInstanceError):
                    step.gain = 0.0


@every_search
def test_its_steps_lead_to_its_graph_with_a_prior_too(search):
    for method, prior in itertools.product(methods_of(search), ({}, {"expected_degree": 1.2})):
        with case(method, prior):
            trace = learn(method, search, **prior) if prior else learned(method, search)
            graph = nx.Graph(trace.start)
            flips = [step for step in trace.steps if step.phase != "blanket"]
            best_at = trace.best_at - (len(trace.steps) - len(flips))
            for k, step in enumerate(flips, 1):
                graph.add_edge(*step.edge) if step.added else graph.remove_edge(*step.edge)
                again = scored(trace, graph)
                assert step.score == pytest.approx(again.total, rel=1e-12)
                assert step.order == again.order
                if k == best_at:
                    assert nx.utils.graphs_equal(nx.Graph(trace.graph), graph)
                assert trace.score >= step.score - 1e-12 * abs(step.score)
            if best_at == 0 and search != "exhaustive":
                assert set(trace.graph.edges) == set(trace.start.edges)


@every_search
def test_the_same_call_gives_the_same_bits_watched_or_with_other_names(search):
    plain = bjp.Dataset.from_codes(DATA.codes, DATA.cardinalities)
    for method in methods_of(search):
        with case(method):
            one, seen = learned(method, search), list[bjp.search.Step]()
            other = learn(method, search, on_step=seen.append)
            assert one.steps == other.steps
            assert one.rejected == other.rejected
            assert (one.score, one.tests) == (other.score, other.tests)
            assert list(one.graph.edges) == list(other.graph.edges)
            assert tuple(step for step in seen if step.accepted) == other.steps
            assert tuple(seen) == tuple(other.proposals)
            assert (other.rejected is None) == (not seen or seen[-1].accepted)
            started = list[float]()
            for watched in (
                {"on_start": lambda *given, into=started: into.append(given[1])},
                {"progress": bjp.Progress(lambda *_: None)},
            ):
                assert learn(method, search, **watched).steps == one.steps
            assert started[-1] == one.start_score
            nameless = learn(method, search, plain)
            assert nameless.score == one.score
            assert [tuple(step.edge) for step in nameless.steps] == [
                tuple(map(NAMES.index, step.edge)) for step in one.steps
            ]


@every_search
def test_cancelling_gives_what_there_is(search):
    for method, patience in itertools.product(methods_of(search), (0, 1, 5, 20, 100)):
        with case(method, patience):
            whole, seen, questions = learned(method, search), [], itertools.count(1)
            watch = bjp.Progress(cancelled=lambda q=questions, p=patience: next(q) > p)
            try:
                trace = learn(method, search, on_step=seen.append, progress=watch)
            except Cancelled:
                assert next(questions) > patience + 1
                assert patience or not seen
                continue
            assert trace.steps == whole.steps[: len(trace.steps)]
            assert trace.score == scored(trace, trace.graph).total
            if trace.stop_reason is not StopReason.CANCELLED:
                assert trace.steps == whole.steps
            if not patience:
                # Where the start costs no work to score, there is a trace of it to hand back.
                assert (trace.stop_reason, trace.steps) == (StopReason.CANCELLED, ())


@every_search
def test_a_budget_of_flips_is_kept(search):
    # The first phase of the MPL hill climb reports a blanket at a time.
    room = 20 if search == "mpl-hc" else 0
    for method, most in itertools.product(methods_of(search), (1, 2, 7, 30)):
        with case(method, most):
            whole, trace = learned(method, search), learn(method, search, evaluations=most)
            if search == "exhaustive":
                assert trace.evaluations == 0
                continue
            assert trace.evaluations <= most + room
            if whole.evaluations > most + room:
                assert trace.stop_reason is StopReason.EVALUATIONS
            assert trace.score <= whole.score + 1e-9


@every_search
def test_a_budget_of_time_is_kept_in_the_preparation_too(search, monkeypatch):
    """A clock of its own: nothing here depends on how busy the machine is."""
    for method, ticks in itertools.product(methods_of(search), (1e-9, 1, 3, 6, 12, 25)):
        with case(method, ticks):
            # Every look at the clock takes a second, so a budget is a number of looks.
            now = itertools.count()
            monkeypatch.setattr(driver, "clock", lambda now=now: float(next(now)))
            trace = learn(method, search, seconds=ticks)
            assert next(now) <= ticks + 5
            assert trace.score == scored(trace, trace.graph).total
            if ticks < 1:
                assert trace.stop_reason is StopReason.TIME
                assert len(trace.proposals) == 0
            if trace.stop_reason is StopReason.TIME and not trace.steps:
                assert set(trace.start.edges) == set(trace.graph.edges)


@pytest.mark.parametrize("start", ["mpl", "mpl-or", "chow-liu"])
def test_a_start_that_takes_too_long_gives_way(start, monkeypatch):
    now = itertools.count()
    monkeypatch.setattr(driver, "clock", lambda: float(next(now)))
    trace = bjp.learn(DATA, search="ibmap-hc", start=start, seconds=2)
    assert trace.stop_reason is StopReason.TIME
    assert not trace.graph.edges
    assert trace.score == bjp.score(DATA, trace.graph).total


@every_search
def test_odd_tables(search):
    tables = [(0, (2, 3)), (0, (2,)), (1, (1, 1, 1)), (30, (1, 40, 2)), (5, (300, 2, 7))]
    for method, (rows, cards) in itertools.product(methods_of(search), tables):
        trace = learn(method, search, random_sample(1, cards, rows).data)
        assert math.isfinite(trace.score), (method, rows, cards)
        assert list(trace.graph.nodes) == list(range(len(cards))), (method, rows, cards)


@every_search
def test_options_may_be_spelled_out_and_bad_ones_are_named(search):
    own = search_of(search).options_type
    bad_values = {field.name: (-1, math.nan, None, "much") for field in dataclasses.fields(own)}
    bad_values |= dict.fromkeys(("seconds", "evaluations"), (0, -1, math.nan, "much", True))
    bad_values["flavour"] = ("mild",)
    for method in SCORE_NAMES:
        with case(method):
            if method not in methods_of(search):
                refused(search, method, search)
                continue
            spelled = {
                field.name: getattr(record, field.name)
                for record in (score_of(method).options_type(), own())
                for field in dataclasses.fields(record)
            }
            if search == "auto":
                spelled["prior_cells"] = "centred"
            assert learn(method, search, **spelled).steps == learned(method, search).steps
            for name, values in bad_values.items():
                for value in values:
                    refused(name, method, search, **{name: value})


def test_bjp_by_another_name_is_searched_as_bjp():
    searches = [name for name in SEARCH_NAMES if "bjp" in methods_of(name)]
    assert searches == [name for name in SEARCH_NAMES if "earlier-end" in methods_of(name)]
    for search, seed in itertools.product(searches, range(3)):
        with case(search, seed):
            data = random_sample(seed, (2, 3, 2, 2, 3), 60).data
            ours, theirs = (learn(method, search, data) for method in ("earlier-end", "bjp"))
            assert ours.steps == theirs.steps
            assert (ours.score, ours.tests) == (theirs.score, theirs.tests)
            assert ours.stop_reason is theirs.stop_reason


class PlainMPL(LocalScore):
    """MPL as a local score that knows no shortcut."""

    name, title, options_type = "plain-mpl", "MPL, plainly", MPLOptions

    def local(self, data, j, members, options):
        return MPL().local(data, j, members, options)


def test_a_local_score_finds_what_mpl_finds():
    searches = [name for name in SEARCH_NAMES if "mpl" in methods_of(name)]
    priors = ({}, {"expected_degree": 1.2})
    assert "mpl-hc" in searches
    for search, prior, seed in itertools.product(searches, priors, range(3)):
        with case(search, prior, seed):
            data = random_sample(seed, (2, 3, 2, 2, 3), 60).data
            ours, theirs = (
                bjp.learn(data, method, search_of(search), **prior)
                for method in (PlainMPL(), "mpl")
            )
            assert [step.edge for step in ours.steps] == [step.edge for step in theirs.steps]
            assert ours.score == pytest.approx(theirs.score, rel=1e-12)
            assert nx.utils.graphs_equal(ours.graph, theirs.graph)
