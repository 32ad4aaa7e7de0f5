"""`python -m benchmarks.accuracy run|status|report|export|tidy`; see the package."""

from __future__ import annotations

import argparse

from benchmarks.accuracy import export, report, run
from benchmarks.accuracy.compared import Results
from benchmarks.accuracy.groups import REPORTING
from benchmarks.accuracy.methods import named
from benchmarks.accuracy.store import Store

parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
parser.add_argument("what", choices=("run", "status", "report", "export", "tidy"))
parser.add_argument("--methods", nargs="+", default=["ours", "peers"], metavar="NAME")
parser.add_argument("--seeds", nargs="+", type=int, default=list(REPORTING), metavar="SEED")
parser.add_argument("--seconds", type=int, default=run.SECONDS, help="the most a search may use")
parser.add_argument("--again", action="store_true", help="try once more what failed")
given = parser.parse_args()
if given.what == "run":
    run.run(named(given.methods), given.seeds, given.seconds, again=given.again)
elif given.what == "status":
    print("\n".join(run.progress(named(given.methods), given.seeds)))
elif given.what == "tidy":
    Store().tidy()
else:
    results = Results(Store().read())
    if given.what == "export":
        export.main(results)
    else:
        parts = report.sections(results) | report.groups(results)
        print("\n\n".join(f"## {name}\n\n{text}" for name, text in parts.items()))
