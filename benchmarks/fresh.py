"""What has to be measured in a process of its own: `python -m benchmarks.fresh NAME`.

Nothing but the clock is imported before it runs, so that imports are counted where they belong.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial

BEGAN = time.perf_counter()
# Everything is measured on one core.
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def first() -> dict[str, float]:
    """Imports, a dataset of 8000 rows and 10 columns, and a first learn."""
    import numpy as np

    import bjp_engine as bjp

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (8000, 10))
    codes[:, 5:] ^= codes[:, :5] & rng.integers(0, 2, (8000, 5))
    bjp.learn(bjp.Dataset.from_codes(codes), search="ibmap-hc")
    return {"seconds": time.perf_counter() - BEGAN}


def compiled() -> dict[str, float]:
    """Everything compiled, as `bjp warmup` does."""
    from bjp_engine.warmup import warmup

    warmup()
    return {"seconds": time.perf_counter() - BEGAN}


def large() -> dict[str, float]:
    """The largest goal: its seconds, and the memory it takes beyond the data."""
    import bjp_engine as bjp
    from benchmarks import samples
    from benchmarks.measure import forget_peak, median_ready, memory, seconds_of

    bjp.learn(samples.dependent_pairs(4, 64), search="ibmap-hc")
    data = samples.tree()
    forget_peak()
    before = memory("VmRSS")
    bjp.learn(data, search="ibmap-hc")
    beyond = memory("VmHWM") - before
    warm = statistics.median(
        seconds_of(lambda: bjp.learn(data, search="ibmap-hc")) for _ in range(3)
    )
    return {
        "seconds": median_ready(
            lambda: samples.anew(data), partial(bjp.learn, search="ibmap-hc"), 2
        ),
        "warm": warm,
        "beyond": beyond,
        "data": data.codes.nbytes / 1024**2,
    }


def run(what: str, **environment: str) -> dict[str, float]:
    """What one of the above says in a process of its own, and how long that took as a whole."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fresh", what],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | ALONE | environment,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found | {"process": time.perf_counter() - began}


def first_learn(repeats: int = 7) -> dict[str, float]:
    """The median of several first learns; one more before that, to have the disk at hand."""
    found = [run("first") for _ in range(repeats + 1)][1:]
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def cold_compile() -> dict[str, float]:
    """Everything compiled into an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        return run("compiled", NUMBA_CACHE_DIR=folder)


if __name__ == "__main__":
    chosen = {"first": first, "compiled": compiled, "large": large}
    print(json.dumps(chosen[sys.argv[1]]()))
