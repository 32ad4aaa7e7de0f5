"""What every registered search must do, with every score that it serves."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import BJPError, Cancelled, OptionError
from bjp_engine.scores import LocalScore
from bjp_engine.scores.mpl import MPL, MPLOptions
from bjp_engine.search import SEARCHES, problem, searches_for
from tests.contracts.recipes import ALL_SCORES, ALL_SEARCHES, method_of, search_of
from tests.contracts.test_scores_contract import is_a_sentence
from tests.strategies import random_sample

NAMES = ["zeta", "alpha", "7", "β<b>", "=1+1"]
DATA = bjp.Dataset.from_codes(
    np.array(random_sample(3, (2, 3, 2, 5, 2), 200).rows), [2, 3, 2, 6, 2], NAMES
)
PAIRS = [
    (method, name)
    for name, search in ALL_SEARCHES.items()
    for method, score in ALL_SCORES.items()
    if search.serves(score)
]
every_search = pytest.mark.parametrize(("method", "search"), PAIRS)


def test_the_registry() -> None:
    assert set(SEARCHES) == {
        "ibmap-hc",
        "mpl-hc",
        "hill-climb",
        "steepest",
        "tabu",
        "restarts",
        "annealing",
        "auto",
        "exhaustive",
        "exact",
    }
    assert all(search.name == name and search.title for name, search in SEARCHES.items())
    assert {method for method, _ in PAIRS} == set(ALL_SCORES)
    with pytest.raises(TypeError):
        SEARCHES["new"] = SEARCHES["ibmap-hc"]  # type: ignore[index]


@pytest.mark.parametrize(("method", "search"), [("bjp", "auto"), ("ib", "auto"), ("mpl", "mpl-hc")])
def test_the_default_search(method: str, search: str) -> None:
    assert searches_for(method)[0] == search
    assert bjp.learn(DATA, method).search == search


@every_search
class TestTrace:
    def test_ends_at_the_score_of_its_graph(self, method: str, search: str) -> None:
        trace = learn(DATA, method, search)
        assert (trace.method, trace.search) == (method, search)
        again = bjp.score(DATA, trace.graph, method_of(method), **trace.given)
        assert (trace.score, trace.log_prior) == (again.total, again.log_prior)
        assert trace.order == again.order
        assert trace.score >= trace.start_score
        start = bjp.score(DATA, trace.start, method_of(method), **trace.given)
        assert trace.start_score == start.total

    @pytest.mark.parametrize("prior", [{}, {"expected_degree": 1.2}], ids=str)
    def test_its_steps_lead_to_its_graph(self, method: str, search: str, prior: dict) -> None:
        trace = learn(DATA, method, search, **prior)
        graph, given = nx.Graph(trace.start), trace.given
        flips = [step for step in trace.steps if step.phase != "blanket"]
        best_at = trace.best_at - (len(trace.steps) - len(flips))
        for k, step in enumerate(flips, 1):
            graph.add_edge(*step.edge) if step.added else graph.remove_edge(*step.edge)
            again = bjp.score(DATA, graph, method_of(method), **given)
            assert step.score == pytest.approx(again.total, rel=1e-12)
            assert step.order == again.order
            if k == best_at:
                assert nx.utils.graphs_equal(nx.Graph(trace.graph), graph)
            assert trace.score >= step.score - 1e-12 * abs(step.score)
        if best_at == 0 and search != "exhaustive":
            assert set(trace.graph.edges) == set(trace.start.edges)

    def test_every_column_is_a_node(self, method: str, search: str) -> None:
        trace = learn(DATA, method, search)
        for graph in (trace.graph, trace.start, *trace.milestones.values()):
            assert list(graph.nodes) == NAMES
            assert not graph.is_directed()
        for step in trace.steps:
            assert set(step.edge) <= set(NAMES)
            assert step.accepted
            assert math.isfinite(step.score)
            assert math.isfinite(step.gain)

    def test_same_call_same_bits(self, method: str, search: str) -> None:
        one, other = (learn(DATA, method, search) for _ in range(2))
        assert one.steps == other.steps
        assert one.rejected == other.rejected
        assert (one.score, one.tests) == (other.score, other.tests)
        assert list(one.graph.edges) == list(other.graph.edges)

    def test_says_why_it_stopped(self, method: str, search: str) -> None:
        reason = learn(DATA, method, search).stop_reason
        assert isinstance(reason, bjp.search.StopReason)
        assert isinstance(reason, str)
        assert len(reason.value.split()) > 2

    def test_cannot_be_written(self, method: str, search: str) -> None:
        trace = learn(DATA, method, search)
        with pytest.raises(dataclasses.FrozenInstanceError):
            trace.score = 0.0  # type: ignore[misc]
        with pytest.raises(nx.NetworkXError):
            trace.graph.add_edge("zeta", "alpha")
        with pytest.raises(TypeError):
            trace.steps[:0] = ()  # type: ignore[index]
        with pytest.raises(TypeError):
            trace.options["prior"] = 0.1  # type: ignore[index]
        for step in trace.steps[:1]:
            with pytest.raises(dataclasses.FrozenInstanceError):
                step.gain = 0.0  # type: ignore[misc]

    def test_names_do_not_matter(self, method: str, search: str) -> None:
        plain = bjp.Dataset.from_codes(DATA.codes, DATA.cardinalities)
        one, other = learn(DATA, method, search), learn(plain, method, search)
        assert one.score == other.score
        assert [tuple(map(NAMES.index, step.edge)) for step in one.steps] == [
            tuple(step.edge) for step in other.steps
        ]

    def test_work_is_counted(self, method: str, search: str) -> None:
        trace = learn(DATA, method, search)
        assert trace.tests > 0
        assert trace.seconds >= 0
        assert all(0 < step.tests <= trace.tests for step in trace.steps)
        tried = [step.evaluations for step in trace.proposals]
        assert tried == sorted(tried)
        assert all(0 < count <= trace.evaluations for count in tried)


@every_search
class TestWatching:
    def test_every_step_is_shown(self, method: str, search: str) -> None:
        seen: list[bjp.search.Step] = []
        trace = learn(DATA, method, search, on_step=seen.append)
        assert tuple(step for step in seen if step.accepted) == trace.steps
        assert tuple(seen) == tuple(trace.proposals)
        assert (trace.rejected is None) == (not seen or seen[-1].accepted)

    def test_cancelled_at_once_nothing_is_done(self, method: str, search: str) -> None:
        # Where the start costs no work to score, there is a trace of it to hand back.
        seen: list[bjp.search.Step] = []
        try:
            trace = learn(
                DATA,
                method,
                search,
                on_step=seen.append,
                progress=bjp.Progress(cancelled=lambda: True),
            )
        except Cancelled:
            assert seen == []
        else:
            assert trace.stop_reason == bjp.search.StopReason.CANCELLED
            assert trace.steps == ()

    @pytest.mark.parametrize("patience", [1, 5, 20, 100])
    def test_cancelling_late_gives_what_there_is(
        self, method: str, search: str, patience: int
    ) -> None:
        questions = itertools.count(1)
        whole = learn(DATA, method, search)
        try:
            trace = learn(
                DATA,
                method,
                search,
                progress=bjp.Progress(cancelled=lambda: next(questions) > patience),
            )
        except Cancelled:
            assert next(questions) > patience
            return
        assert trace.steps == whole.steps[: len(trace.steps)]
        again = bjp.score(DATA, trace.graph, method_of(method), **trace.given)
        assert trace.score == again.total
        if trace.stop_reason != bjp.search.StopReason.CANCELLED:
            assert trace.steps == whole.steps


@every_search
class TestBudget:
    @pytest.mark.parametrize("most", [1, 2, 7, 30])
    def test_tries_no_more_than_it_may(self, method: str, search: str, most: int) -> None:
        whole = learn(DATA, method, search)
        trace = learn(DATA, method, search, evaluations=most)
        if search == "exhaustive":
            assert trace.evaluations == 0
            return
        # The first phase of the MPL hill climb is told a blanket at a time.
        room = 20 if search == "mpl-hc" else 0
        assert trace.evaluations <= most + room
        if whole.evaluations > most + room:
            assert trace.stop_reason == bjp.search.StopReason.EVALUATIONS
        assert trace.score <= whole.score + 1e-9 or search == "annealing"

    def test_ends_when_its_time_is_over(self, method: str, search: str) -> None:
        trace = learn(DATA, method, search, seconds=1e-9)
        assert trace.stop_reason == bjp.search.StopReason.TIME
        assert len(trace.proposals) == 0

    @pytest.mark.parametrize("name", ["seconds", "evaluations"])
    def test_a_bad_budget_is_named(self, method: str, search: str, name: str) -> None:
        for bad in (0, -1, math.nan, "much", True):
            with pytest.raises(OptionError, match=name) as caught:
                learn(DATA, method, search, **{name: bad})
            assert is_a_sentence(str(caught.value))


@every_search
class TestData:
    @pytest.mark.parametrize(
        ("rows", "cards"),
        [(0, (2, 3)), (0, (2,)), (1, (1, 1, 1)), (30, (1, 40, 2)), (5, (300, 2, 7))],
    )
    def test_odd_tables(self, method: str, search: str, rows: int, cards: tuple[int, ...]) -> None:
        data = random_sample(1, cards, rows).data
        trace = learn(data, method, search)
        assert math.isfinite(trace.score)
        assert list(trace.graph.nodes) == list(range(len(cards)))


@every_search
class TestOptions:
    def test_defaults_may_be_spelled_out(self, method: str, search: str) -> None:
        spelled = {
            field.name: getattr(record, field.name)
            for record in (ALL_SCORES[method].options_type(), ALL_SEARCHES[search].options_type())
            for field in dataclasses.fields(record)
        }
        if search == "auto":
            spelled["prior_cells"] = "centred"
        assert learn(DATA, method, search, **spelled).steps == learn(DATA, method, search).steps

    def test_an_unknown_option_is_named(self, method: str, search: str) -> None:
        with pytest.raises(OptionError, match="flavour") as caught:
            learn(DATA, method, search, flavour="mild")
        assert is_a_sentence(str(caught.value))

    def test_a_bad_value_is_named(self, method: str, search: str) -> None:
        for field in dataclasses.fields(ALL_SEARCHES[search].options_type):
            for bad in (-1, math.nan, None, "much"):
                with pytest.raises(BJPError, match=field.name) as caught:
                    learn(DATA, method, search, **{field.name: bad})
                assert is_a_sentence(str(caught.value))


@pytest.mark.parametrize("search", ALL_SEARCHES)
def test_a_score_that_a_search_does_not_serve(search: str) -> None:
    for method in set(ALL_SCORES) - {method for method, name in PAIRS if name == search}:
        with pytest.raises(OptionError, match=search) as caught:
            learn(DATA, method, search)
        assert is_a_sentence(str(caught.value))


@pytest.mark.parametrize("search", [name for method, name in PAIRS if method == "earlier-end"])
def test_bjp_by_another_name_is_searched_as_bjp(search: str) -> None:
    for seed in range(3):
        data = random_sample(seed, (2, 3, 2, 2, 3), 60).data
        ours, theirs = (learn(data, method, search) for method in ("earlier-end", "bjp"))
        assert ours.steps == theirs.steps
        assert (ours.score, ours.tests, ours.stop_reason) == (
            theirs.score,
            theirs.tests,
            theirs.stop_reason,
        )


class PlainMPL(LocalScore):
    """MPL as a local score that knows no shortcut."""

    name, title, options_type = "plain-mpl", "MPL, plainly", MPLOptions

    def local(self, data: bjp.Dataset, j: int, members: Sequence[int], options: Any) -> float:
        return MPL().local(data, j, members, options)


@pytest.mark.parametrize("prior", [{}, {"expected_degree": 1.2}], ids=str)
@pytest.mark.parametrize("search", [name for method, name in PAIRS if method == "mpl"])
def test_a_local_score_finds_what_mpl_finds(search: str, prior: dict) -> None:
    for seed in range(3):
        data = random_sample(seed, (2, 3, 2, 2, 3), 60).data
        ours = bjp.learn(data, PlainMPL(), search_of(search), **prior)
        theirs = bjp.learn(data, "mpl", search_of(search), **prior)
        assert [step.edge for step in ours.steps] == [step.edge for step in theirs.steps]
        assert ours.score == pytest.approx(theirs.score, rel=1e-12)
        assert nx.utils.graphs_equal(ours.graph, theirs.graph)


def learn(data: bjp.Dataset, method: str, search: str, **options: Any) -> bjp.search.SearchTrace:
    return bjp.learn(data, method_of(method), search_of(search), **options)


class TestTime:
    """A clock of its own: nothing here depends on how busy the machine is."""

    @pytest.mark.parametrize("ticks", [1, 3, 6, 12, 25])
    @every_search
    def test_ends_in_the_preparation_too(
        self, method: str, search: str, ticks: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Every look at the clock takes a second, so a budget is a number of looks.
        now = itertools.count()
        monkeypatch.setattr(problem, "clock", lambda: float(next(now)))
        trace = learn(DATA, method, search, seconds=ticks)
        assert next(now) <= ticks + 5
        again = bjp.score(DATA, trace.graph, method_of(method), **trace.given)
        assert trace.score == again.total
        if trace.stop_reason is bjp.search.StopReason.TIME and not trace.steps:
            assert set(trace.start.edges) == set(trace.graph.edges)

    @pytest.mark.parametrize("start", ["mpl", "mpl-or", "chow-liu"])
    def test_a_start_that_takes_too_long_gives_way(
        self, start: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = itertools.count()
        monkeypatch.setattr(problem, "clock", lambda: float(next(now)))
        trace = bjp.learn(DATA, search="ibmap-hc", start=start, seconds=2)
        assert trace.stop_reason is bjp.search.StopReason.TIME
        assert not trace.graph.edges
        assert trace.score == bjp.score(DATA, trace.graph).score
