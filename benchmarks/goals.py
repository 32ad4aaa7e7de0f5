"""The engine's goals of speed, each beside what it took in this run.

A ratio compares the engine with a plain implementation of the same thing (`reference.py`) that
was timed in turn with it, so it says as much on a slow machine as on a fast one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import networkx as nx
import numpy as np

import bjp_engine as bjp
from benchmarks import baseline, fresh, reference, samples, tests
from benchmarks.measure import median_ready, rounds
from bjp_engine.search import PUBLISHED
from bjp_engine.search.exhaustive import block_index

MS, US = 1e-3, 1e-6


@dataclass(frozen=True)
class Row:
    """One line of the table: a task, what it took (in seconds, or MB) and what it should."""

    task: str
    median: float
    goal: float
    unit: str = "ms"
    beside: tuple[str, ...] = ()
    ratios: dict[str, float] = field(default_factory=dict)

    def line(self) -> str:
        """The row as it is printed."""
        size = {"s": 1.0, "ms": MS, "us": US, "MB": 1.0, "×": 1.0}[self.unit]
        unit = "µs" if self.unit == "us" else self.unit
        reached = "yes" if self.median <= self.goal else "NO"
        told = [f"{shown(ratio)} × {name}" for name, ratio in self.ratios.items()]
        figures = f"{shown(self.median / size)} {unit} | {shown(self.goal / size)} {unit}"
        return f"| {self.task} | {figures} | {reached} | {'; '.join((*told, *self.beside))} |"


def shown(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def learning(name: str, data: bjp.Dataset, method: str, goal: float, *, repeats: int = 5) -> Row:
    """A whole climb beside the plain one, which has to find the same graph."""
    codes, cards = np.asfortranarray(data.codes), np.array(data.cardinalities)
    plain: Callable[[], object] = (
        partial(reference.mpl_hc, codes, cards)
        if method == "mpl"
        else partial(reference.ibmap_hc, codes, cards, method == "ib")
    )
    engine = partial(bjp.learn, data, method, PUBLISHED[method])
    found = nx.to_numpy_array(engine().graph, nodelist=data.names, dtype=bool)
    assert (found == plain()).all(), f"{name}: the plain {method} climb finds another graph"
    taken = rounds({"engine": engine, "plain": plain}, repeats)
    new = median_ready(
        lambda: samples.anew(data), lambda d: bjp.learn(d, method, PUBLISHED[method]), 15
    )
    return Row(
        name,
        taken["engine"],
        goal,
        beside=(f"{shown(new / MS)} ms with a new Dataset",),
        ratios={"the plain climb": taken["plain"] / taken["engine"]},
    )


def climbs() -> list[Row]:
    """The paper's largest case by each score, and data as large as ALARM's."""
    data = samples.scale_free()
    size = f"n = {data.n}, N = {data.rows}"
    return [
        learning(f"BJP, IBMAP-HC, {size}", data, "bjp", 4 * MS),
        learning(f"IB-score, IBMAP-HC, {size}", data, "ib", 15 * MS),
        learning(f"MPL hill climb, {size}", data, "mpl", 10 * MS),
        learning("BJP, ALARM-like, n = 37, N = 20 000", samples.alarm_like(), "bjp", 4 * MS),
    ]


def tracing() -> Row:
    """What it costs to look at every step."""
    data = samples.scale_free()
    taken = rounds(
        {
            "bare": lambda: bjp.learn(data, search="ibmap-hc"),
            "traced": lambda: list(bjp.learn(data, search="ibmap-hc").steps),
        },
        9,
    )
    ratio = taken["traced"] / taken["bare"]
    beside = (f"{shown(taken['traced'] / MS)} ms against {shown(taken['bare'] / MS)} ms",)
    return Row("learn with every step read, compared with learn alone", ratio, 3, "×", beside)


def single_test() -> Row:
    """One independence test, beside numpy and scipy."""
    taken = rounds(tests.works(), 25)
    return Row(
        "independence_test, 3 variables given, N = 8000",
        taken[tests.ENGINE],
        50 * US,
        "us",
        ratios={"numpy and scipy": taken[tests.PLAIN] / taken[tests.ENGINE]},
    )


def graphs() -> list[Row]:
    """Every graph on six variables, by all three scores, and the index they share."""
    data = samples.six()
    codes, cards = np.asfortranarray(data.codes), np.array(data.cardinalities)
    plain = partial(reference.all_graphs, codes, cards)
    assert np.allclose(plain(), bjp.all_graphs(data).scores, rtol=1e-10)

    def all_three(data: bjp.Dataset = data) -> None:
        for method in ("bjp", "ib", "mpl"):
            bjp.all_graphs(data, method)

    works = {
        "all": all_three,
        "bjp": partial(bjp.all_graphs, data),
        "plain": plain,
        "index": partial(block_index.__wrapped__, data.n, 0),
    }
    taken = rounds(works, 7)
    new = median_ready(lambda: samples.anew(data), all_three, 15)
    return [
        Row(
            "all 32 768 graphs on 6 variables, three scores",
            taken["all"],
            2 * MS,
            beside=(f"{shown(new / MS)} ms with a new Dataset",),
            ratios={"plain look-up (BJP only)": taken["plain"] / taken["bjp"]},
        ),
        Row("their index, made once", taken["index"], 10 * MS),
    ]


def sampling() -> Row:
    """The rows of a benchmark dataset: 10 chains of 1100 sweeps."""
    model = bjp.sampling.random_model(bjp.networks.load("scale-free-4"), seed=0)
    taken = rounds({"sample": partial(model.sample, 10_000, method="gibbs")}, 7)
    return Row("Gibbs, n = 128, 10 chains × 1100 sweeps", taken["sample"], 60 * MS)


def large() -> list[Row]:
    """A thousand variables and a hundred thousand rows, in a process of its own."""
    found = fresh.run("large")
    again = (f"{shown(found['warm'])} s with the same Dataset again",)
    room = (f"beyond the data of {found['data']:.0f} MB",)
    task = "BJP, n = 1000, N = 100 000"
    return [
        Row(f"{task}, new Dataset", found["seconds"], 3.0, "s", again),
        Row(f"{task}, memory", found["beyond"], found["data"] + 150, "MB", room),
    ]


def starting() -> list[Row]:
    """A process that learns for the first time, with and without compiled code."""
    learned, compiled = fresh.first_learn(), fresh.cold_compile()
    whole = (f"{shown(learned['process'])} s with the interpreter's own start",)
    return [
        Row("first learn of a process, imports included", learned["seconds"], 0.6, "s", whole),
        Row("compiling everything once per installation", compiled["seconds"], 30.0, "s"),
    ]


def rows() -> list[Row]:
    """Every goal, measured now."""
    return [*climbs(), *large(), *graphs(), single_test(), sampling(), tracing(), *starting()]


def ratios_of(found: list[Row]) -> dict[str, float]:
    """The ratio of each task that has one."""
    return {row.task: ratio for row in found for ratio in row.ratios.values()}


def main(*, save: bool = False) -> int:
    """Print the table; 1 if a ratio fell by more than a quarter, and again when measured again."""
    found = rows()
    print("\n| task | median | to reach | reached? | in the same run |")
    print("|---|---|---|---|---|")
    for row in found:
        print(row.line())
    ratios = ratios_of(found)
    if save:
        return baseline.save(ratios)
    if baseline.fallen(ratios):
        print("\nA ratio has fallen; they are measured once more.")
        again = ratios_of([*climbs(), *graphs(), single_test()])
        ratios = {task: max(ratio, again[task]) for task, ratio in ratios.items()}
    return baseline.compare(ratios)
