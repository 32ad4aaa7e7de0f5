"""What watches a long computation, and what every long call says of anything else."""

from __future__ import annotations

from collections.abc import Callable

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

DATA = bjp.Dataset.from_codes([[0, 0, 1], [1, 1, 0]] * 20)
FRAME = pd.DataFrame({"a": [1, 2], "b": [1, 1]})
CALLS: dict[str, Callable[..., object]] = {
    "learn": lambda **watch: bjp.learn(DATA, **watch),
    "iter_steps": lambda **watch: bjp.iter_steps(DATA, **watch),
    "all_graphs": lambda **watch: bjp.all_graphs(DATA, **watch),
    "learn_all": lambda **watch: bjp.search.learn_all([DATA], **watch),
    "bootstrap": lambda **watch: bootstrap(DATA, **watch),
    "posterior_edges": lambda **watch: posterior_edges(DATA, **watch),
    "fit_parameters": lambda **watch: fit_parameters(DATA, nx.path_graph(3), **watch),
    "effects": lambda **watch: fit_parameters(DATA, nx.path_graph(3)).effects(**watch),
    "held_out": lambda **watch: held_out(nx.path_graph(3), DATA, DATA, **watch),
    "cross_validate": lambda **watch: cross_validate(DATA, {"path": nx.path_graph(3)}, **watch),
    "prepare": lambda **watch: prepare(FRAME, **watch),
    "health": lambda **watch: health(FRAME, **watch),
    "read_frame": lambda **watch: read_frame(b"a,b\n1,2\n", **watch),
    "run": lambda **watch: run(find_table("table-4"), "never-made.db", **watch),
}


@pytest.mark.parametrize("progress", [5, print, None, True, "yes"], ids=str)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_progress_is_a_progress(call: Callable[..., object], progress: object) -> None:
    with pytest.raises(OptionError, match=r"^progress is of type .* bjp_engine\.Progress, .*\.$"):
        call(progress=progress)


@pytest.mark.parametrize("name", ["report", "cancelled"])
def test_what_it_calls_can_be_called(name: str) -> None:
    for wrong in (5, "print", True):
        with pytest.raises(OptionError, match=rf"^{name}='.*' must be a function, or None\.$"):
            Progress(**{name: wrong})  # type: ignore[arg-type]


def test_a_quiet_one_can_be_cancelled_and_reports_nothing() -> None:
    seen: list[tuple[int, int]] = []
    progress = Progress(lambda *now: seen.append(now), lambda: True)
    with pytest.raises(Cancelled):
        progress.quiet.tick(1, 2)
    assert seen == []
    progress.finish(2)
    assert seen == [(2, 2)]
    assert Progress(print).quiet is UNWATCHED


@pytest.mark.parametrize("method", ["bjp", "ib", "mpl", "near"])
def test_the_last_report_of_all_graphs_is_of_all(method: str) -> None:
    seen: list[tuple[int, int]] = []
    bjp.all_graphs(DATA, method, progress=Progress(lambda *now: seen.append(now)))
    assert seen[-1] == (8, 8)
    assert (0, 8) in seen
