"""The paper's printed figures beside the engine's: Hamming distances, and rates of success."""

from __future__ import annotations

from statistics import mean, stdev

import bjp_engine as bjp

METHODS = ("mpl", "ib", "bjp")
# Network, weights, rows, and what tables 3 and 4 print for MPL, IB-score and BJP.
DISTANCES = (
    ("scale-free-4", "clique-log-weights", 250, (131.42, 123.2, 116.4)),
    ("curtis-54", "log-odds", 2000, (40.1, 22.7, 18.9)),
    ("karate", "log-odds", 2000, (40.5, 17.12, 11.3)),
    ("karate", "log-odds", 8000, (36.6, 2.6, 3.2)),
)
REPEATS, MODELS, ROWS = 10, 100, 8000


def distances() -> None:
    """Mean Hamming distance with its standard error, each repeat with its own model and sample."""
    print(f"\nHamming distance, {REPEATS} repeats (mean ± standard error), and the paper's mean")
    for network, weights, rows, printed in DISTANCES:
        truth = bjp.networks.load(network)
        found: dict[str, list[int]] = {method: [] for method in METHODS}
        for seed in range(REPEATS):
            model = bjp.sampling.random_model(truth, weights, seed=seed)  # type: ignore[arg-type]
            data = model.sample(rows, seed=seed)
            for method in METHODS:
                found[method].append(bjp.metrics.hamming(truth, bjp.learn(data, method).graph))
        columns = [
            f"{method} {mean(found[method]):6.1f} ± {stdev(found[method]) / REPEATS**0.5:4.1f}"
            f" ({paper})"
            for method, paper in zip(METHODS, printed, strict=True)
        ]
        print(f"  {network}, N = {rows}: " + "   ".join(columns))


def successes() -> None:
    """How often the learned graph is the true one, on the six targets."""
    print(f"\nRate of success, {MODELS} models, N = {ROWS}: by each score's climb, and by the best")
    print("of all graphs")
    for target in (f"target-{k}" for k in range(1, 7)):
        truth = bjp.networks.load(target)
        climbed, best = dict.fromkeys(METHODS, 0), dict.fromkeys(METHODS, 0)
        for seed in range(MODELS):
            data = bjp.sampling.random_model(truth, seed=seed).sample(ROWS, seed=seed)
            for method in METHODS:
                climbed[method] += bjp.metrics.hamming(truth, bjp.learn(data, method).graph) == 0
                table = bjp.all_graphs(data, method)
                best[method] += table.best == table.number(truth)
        columns = [
            f"{method} {climbed[method] / MODELS:.2f} {best[method] / MODELS:.2f}"
            for method in METHODS
        ]
        print(f"  {target}: " + "   ".join(columns))


def main() -> None:
    """Both."""
    distances()
    successes()
