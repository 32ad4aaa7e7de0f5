"""What work costs, the same on every machine: calls of functions, and memory."""

import sys
import tracemalloc


def calls_of(work, *arguments):
    """How many functions are called."""
    made = 0

    def count(_, event, __):
        nonlocal made
        made += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work(*arguments)
    finally:
        sys.setprofile(None)
    return made


def peak_of(work, *arguments):
    """What it gives, and the most bytes that Python held meanwhile."""
    tracemalloc.start()
    try:
        return work(*arguments), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
