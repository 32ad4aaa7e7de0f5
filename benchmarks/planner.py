"""Whether the forecasts of `plan_rows` hold: those of 20 samples against 200 other ones."""

from __future__ import annotations

import networkx as nx

import bjp_engine as bjp
from benchmarks import marked
from bjp_engine.planning import RowPlan
from bjp_engine.sampling import MarkovModel

ROWS, AFTER = (250, 500, 1000), 200


def networks() -> dict[str, MarkovModel]:
    """Networks with known strengths: weak and strong edges, many of them, and more states."""
    load, make = bjp.networks.load, bjp.sampling.random_model
    return {
        "target-4, log odds 1": make(load("target-4"), "log-odds", epsilon=1.0),
        "hub-2, log odds 1": make(load("hub-2"), "log-odds", epsilon=1.0),
        "cycle of 12, three states, log odds 1.5": make(
            nx.cycle_graph(12), "log-odds", states=3, epsilon=1.5
        ),
        "karate, log odds 1": make(load("karate"), "log-odds", epsilon=1.0),
    }


def measured(samples: int = 20, after: int = AFTER) -> dict[str, tuple[RowPlan, RowPlan]]:
    """Of each network a forecast, and what other samples give."""
    return {
        name: (
            bjp.plan_rows(model, ROWS, samples=samples, seed=0),
            bjp.plan_rows(model, ROWS, samples=after, seed=1),
        )
        for name, model in networks().items()
    }


def main() -> None:
    """Print it, and write it into docs/benchmarks.md."""
    lines = [
        "| network | N | edges found: forecast | new samples | false: forecast | new samples |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    farthest = 0.0
    for name, plans in measured().items():
        first, second = (plan.to_frame().to_dict("records") for plan in plans)
        for one, other in zip(first, second, strict=True):
            cells = [
                f"{100 * each[what]:.1f} % ± {100 * each[f'{what}_error']:.1f}"
                for what in ("recall", "false_share")
                for each in (one, other)
            ]
            lines.append(f"| {name} | {one['rows']} | {' | '.join(cells)} |")
            for what in ("recall", "false_share"):
                farthest = max(farthest, 100 * abs(one[what] - other[what]))
    text = "\n".join([*lines, "", f"Farthest apart: {farthest:.1f} points."])
    print(text)
    marked.write("benchmarks.md", "planner", text)


if __name__ == "__main__":
    main()
