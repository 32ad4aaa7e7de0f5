"""One search of the engine on data in a file: `python -m benchmarks.accuracy.ours NAME FILE`.

Prints what peer.py prints. NAME is bjp_engine:METHOD, or bjp_engine:METHOD,SEARCH.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

import bjp_engine as bjp


def main(name: str, path: str) -> None:
    """Read the data, learn and print what was found."""
    method, _, search = name.partition(":")[2].partition(",")
    with np.load(Path(path)) as table:
        data = bjp.Dataset.from_codes(table["codes"], table["cards"].tolist())
    # Compiled code is loaded before the clock runs.
    bjp.learn(bjp.Dataset.from_codes([[0, 0], [1, 1]]), method)
    began = time.process_time()
    graph = bjp.learn(data, method, search or None).graph
    seconds = time.process_time() - began
    place = {column: i for i, column in enumerate(data.names)}
    pairs = [sorted((place[u], place[v])) for u, v in graph.edges()]
    found = {
        "graphs": {"graph": sorted(pairs)},
        "seconds": seconds,
        "version": f"bjp-explorer {version('bjp-explorer')}",
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
