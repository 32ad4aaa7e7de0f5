"""One search of the engine, in the process that runs the comparison.

What is timed is the learn alone, from a dataset that nothing has been counted of. Imports and the
loading of compiled code are not: the search is first run on a copy of the same data. A process of
its own for each learn, as the peers have, takes half a second before it can begin.
"""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import Any

import bjp_engine as bjp
from benchmarks.accuracy.store import OVER_TIME
from bjp_engine.search import PUBLISHED

Found = dict[str, Any]


def learned(name: str, data: bjp.Dataset, limit: float) -> Found:
    """What peer.py prints. NAME is bjp_engine:METHOD, …:METHOD,SEARCH or …:METHOD,SEARCH,START."""
    method, search, start = (*name.partition(":")[2].split(","), None, None)[:3]
    options = {"start": start} if start else {}

    def learn() -> tuple[bjp.search.SearchTrace, float]:
        fresh = bjp.Dataset.from_codes(data.codes, data.cardinalities)
        began = time.process_time()
        trace = bjp.learn(fresh, method, search or PUBLISHED[method], **options)
        return trace, time.process_time() - began

    trace, seconds = learn()
    if seconds <= limit:
        trace, seconds = learn()
    if seconds > limit:
        return {"note": OVER_TIME}
    pairs = [sorted(pair) for pair in trace.graph.edges()]
    called = f"bjp-explorer {version('bjp-explorer')}"
    return {"graphs": {"graph": sorted(pairs)}, "seconds": seconds, "version": called}
