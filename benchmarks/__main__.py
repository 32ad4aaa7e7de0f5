"""`python -m benchmarks [NAME …]`: run some of them; goals, tests and shards where none is named.

`--peers` runs other packages on the same data at the end, `--save-baseline` keeps the ratios
of the goals for later runs to be compared with. `load` and `calibration` take options of their
own, see `python -m benchmarks load --help`.
"""

from __future__ import annotations

import argparse
import os
import sys

from benchmarks import (
    bandwidth,
    bets,
    bootstraps,
    calibration,
    cluster,
    curves,
    effects,
    files,
    gaps,
    goals,
    heldout,
    imputation,
    limit,
    load,
    near,
    ordered,
    pages,
    paper,
    parts,
    peers,
    planner,
    routes,
    shards,
    sizes,
    tables,
    threads,
    variants,
    workers,
)
from benchmarks.fresh import ALONE

ALL = {
    "goals": goals.main,
    "shards": shards.main,
    "threads": threads.main,
    "variants": variants.main,
    "curves": curves.main,
    "effects": effects.main,
    "heldout": heldout.main,
    "gaps": gaps.main,
    "imputation": imputation.main,
    "imputation-cost": imputation.cost,
    "limit": limit.main,
    "parts": parts.main,
    "planner": planner.main,
    "near": near.main,
    "ordered": ordered.main,
    "bootstraps": bootstraps.main,
    "calibration": calibration.main,
    "kinds": calibration.main_kinds,
    "bandwidth": bandwidth.main,
    "bets": bets.main,
    "cluster": cluster.main,
    "routes": routes.main,
    "pages": pages.main,
    "load": load.main,
    "workers": workers.main,
    "files": files.main,
    "tables": tables.main,
    "sizes": sizes.main,
    "paper": paper.main,
    "peers": peers.main,
}
USUAL = ("goals", "shards")


def run(names: list[str], *, save: bool = False) -> int:
    """Run benchmarks by name; 1 if one of them finds the engine slower than it was."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; choose from {', '.join(ALL)}.")
        return 2
    status = 0
    for name in names:
        status = max(status, (goals.main(save=save) if name == "goals" else ALL[name]()) or 0)
    return status


if __name__ == "__main__":
    for name, main in (("load", load.main), ("calibration", calibration.main)):
        if sys.argv[1:2] == [name]:
            sys.exit(main(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL))
    parser.add_argument("--peers", action="store_true", help="other packages too")
    parser.add_argument("--save-baseline", action="store_true", help="keep the goals' ratios")
    given = parser.parse_args()
    os.environ.update(ALONE)
    chosen = [*(given.names or USUAL), *(["peers"] if given.peers else [])]
    sys.exit(run(chosen, save=given.save_baseline))
