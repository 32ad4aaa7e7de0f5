"""What watches a long computation, and how every long call refuses anything else."""

from __future__ import annotations

from functools import partial
from typing import Any

import networkx as nx
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap, posterior_edges
from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.experiments import find_table, run
from bjp_engine.health import health
from bjp_engine.io import read_frame
from bjp_engine.parameters import cross_validate, fit_parameters, held_out
from bjp_engine.preparation import prepare
from bjp_engine.progress import UNWATCHED, Progress


@pytest.fixture
def data() -> bjp.Dataset:
    return bjp.Dataset.from_codes([[0, 0, 1], [1, 1, 0]] * 20)


def test_every_long_call_takes_a_progress_and_nothing_else(data: bjp.Dataset) -> None:
    path, frame = nx.path_graph(3), pd.DataFrame({"a": [1, 2], "b": [1, 1]})
    calls: tuple[Any, ...] = (
        partial(bjp.learn, data),
        partial(bjp.iter_steps, data),
        partial(bjp.all_graphs, data),
        partial(bjp.search.learn_all, [data]),
        partial(bootstrap, data),
        partial(posterior_edges, data),
        partial(fit_parameters, data, path),
        fit_parameters(data, path).effects,
        partial(held_out, path, data, data),
        partial(cross_validate, data, {"path": path}),
        partial(prepare, frame),
        partial(health, frame),
        partial(read_frame, b"a,b\n1,2\n"),
        partial(run, find_table("table-4"), "never-made.db"),
    )
    for call in calls:
        for progress in (5, print, None, True, "yes"):
            with pytest.raises(OptionError) as caught:
                call(progress=progress)
            sentence = str(caught.value)
            assert sentence.startswith("progress is of type "), call
            assert " bjp_engine.Progress, " in sentence, call
            assert sentence.endswith("."), call
    # What it calls can be called.
    for name in ("report", "cancelled"):
        for wrong in (5, "print", True):
            with pytest.raises(OptionError, match=rf"^{name}='.*' must be a function, or None\.$"):
                Progress(**{name: wrong})


def test_a_quiet_one_can_be_cancelled_and_reports_nothing() -> None:
    seen: list[tuple[int, int]] = []
    progress = Progress(lambda *now: seen.append(now), lambda: True)
    with pytest.raises(Cancelled):
        progress.quiet.tick(1, 2)
    assert seen == []
    progress.finish(2)
    assert seen == [(2, 2)]
    assert Progress(print).quiet is UNWATCHED


def test_the_last_report_of_all_graphs_is_of_all(data: bjp.Dataset) -> None:
    for method in ("bjp", "ib", "mpl", "near"):
        seen: list[tuple[int, int]] = []
        watch = Progress(lambda *now, seen=seen: seen.append(now))
        bjp.all_graphs(data, method, progress=watch)
        assert seen[-1] == (8, 8), method
        assert (0, 8) in seen, method
