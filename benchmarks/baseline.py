"""The ratios a run is compared with: how many times faster than plain code each task once was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_name("baseline.json")
# What is left of a ratio that has fallen too far.
LEAST = 0.75


def save(ratios: Mapping[str, float]) -> int:
    """Keep the ratios of this run."""
    rounded = {task: round(ratio, 2) for task, ratio in ratios.items()}
    FILE.write_text(json.dumps(rounded, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print("\nThese ratios are the baseline from now on.")
    return 0


def fallen(ratios: Mapping[str, float]) -> list[str]:
    """A sentence for each ratio that is less than three quarters of the baseline's."""
    known: dict[str, float] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return [
        f"SLOWER: {task}: {ratios[task]:.1f} × plain code, where the baseline is {before:.1f} × "
        f"({100 * (1 - ratios[task] / before):.0f} % less)."
        for task, before in known.items()
        if task in ratios and ratios[task] < LEAST * before
    ]


def compare(ratios: Mapping[str, float]) -> int:
    """Say which ratios fell by more than a quarter; 1 if there is one."""
    lines = fallen(ratios)
    for line in lines or ["No ratio is more than a quarter below benchmarks/baseline.json."]:
        print(f"\n{line}")
    return 1 if lines else 0
