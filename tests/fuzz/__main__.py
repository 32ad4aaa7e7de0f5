"""`python -m tests.fuzz`: read many damaged files; a table or one sentence must come of each.

Every input follows from the seed and its number, so a finding is repeated by
`python -m tests.fuzz --seed 0 --only NUMBER`.
"""

import argparse
import multiprocessing as mp
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz import check
from tests.fuzz.inputs import make_input
from tests.fuzz.work import work

_PIECE = 5000
_LAST_WORDS = 60.0
FOLDER = Path("test-results/fuzz")


def main():
    """Run the fuzzer; 1 if it found something."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the number of the first input")
    parser.add_argument("--only", type=int, help="read this input alone, with its traceback")
    given = parser.parse_args()
    if given.only is not None:
        one = make_input(given.seed, given.only)
        print(one.kind, repr(one.name), one.options, one.data[:200])
        print(check.run(one, twice=True))
        return 0
    return _run(given.seed, given.start, given.start + given.inputs)


def _run(seed, first, last):
    """All inputs, a few thousand in each process."""
    began = time.monotonic()
    counts = Counter()
    findings = {}
    at = first
    while at < last:
        end = min(at + _PIECE, last)
        counted, found, reached = _piece(seed, at, end)
        counts.update(counted)
        findings.update({kind: found[kind] for kind in found if kind not in findings})
        for kind, where in found.items():
            print(f"  found: {kind} ({where})", flush=True)
        at = reached
        rate = (at - first) / (time.monotonic() - began)
        print(f"{at - first:,} inputs, {rate:.0f} a second, {len(findings)} findings", flush=True)
    for name, times in sorted(counts.items()):
        print(f"  {name}: {times:,}")
    return 1 if findings else 0


def _piece(seed, first, last):
    """A range in a process of its own, which may die or stand still."""
    context = mp.get_context("spawn")
    state, results = context.Value("q", first), context.Queue()
    child = context.Process(target=work, args=(seed, first, last, state, str(FOLDER), results))
    child.start()
    while child.is_alive() and results.empty():
        child.join(0.5)
    if results.empty() and state.value < last:
        child.join()
        number = state.value
        # What it found before went with it: those inputs are read again, then this one alone.
        if number > first:
            return _piece(seed, first, number)
        return (*_alone(seed, number), number + 1)
    counts, found = results.get(timeout=_LAST_WORDS)
    child.join()
    return counts, found, last


def _alone(seed, number):
    """An input that ended the process: a finding, unless it is read apart from a user's."""
    one = make_input(seed, number)
    try:
        return Counter({f"{one.kind} {check.run(one, twice=False)} apart": 1}), {}
    except (Exception, check.HangError) as error:
        return Counter(), {check.place(error): f"--only {number}"}


if __name__ == "__main__":
    sys.exit(main())
