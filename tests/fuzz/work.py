"""A process that reads a range of inputs and tells what it finds."""

import json
import resource
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from tests.fuzz import check
from tests.fuzz.inputs import make_input

_ADDRESS_SPACE = 12 << 30
_TWICE = 10
_STILL = 60
_SHRINKING = 20


def work(seed, first, last, state, folder, results):
    """Read the inputs of a range; `state` holds the number of the one in hand."""
    # Whatever goes wrong, the machine stays usable.
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    counts = Counter()
    found = {}
    for number in range(first, last):
        state.value = number
        _give_time()
        given = make_input(seed, number)
        try:
            outcome = _outcome(given, twice=number % _TWICE == 0)
        except (Exception, check.HangError) as error:
            outcome, kind = "found", check.place(error)
            if kind not in found:
                found[kind] = store(given, kind, f"{seed}-{number}", Path(folder))
        counts[f"{given.kind} {outcome}"] += 1
    state.value = last
    results.put((counts, found))


def _outcome(given, *, twice):
    """How one input ends: here, or if not well, as a user's file does."""
    try:
        return check.run(given, twice=twice, apart=False)
    except (Exception, check.HangError):
        return f"{check.run(given, twice=twice)} apart"


def _give_time():
    """End the process where one input takes a minute within compiled code."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime) + _STILL
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def store(given, kind, stem, folder):
    """Keep the smallest file that fails in the same way, and how it is read."""

    def fails(data):
        try:
            check.run(replace(given, data=data), twice=True)
        except (Exception, check.HangError) as error:
            return check.place(error) == kind
        return False

    slow = "HangError" in kind or "memory" in kind
    data = given.data if slow else smallest(given.data, fails)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.bin").write_bytes(data)
    about = {"finding": kind, "name": given.name, "options": given.options}
    about["data"] = repr(data[:400])
    (folder / f"{stem}.json").write_text(json.dumps(about, indent=1))
    return f"{stem}.bin"


def smallest(data, fails):
    """Bytes from which nothing can be taken, as far as the time allows."""
    end = time.monotonic() + _SHRINKING
    size = max(1, len(data) // 2)
    while size and time.monotonic() < end:
        at, shorter = 0, False
        while at < len(data) and time.monotonic() < end:
            trial = data[:at] + data[at + size :]
            if fails(trial):
                data, shorter = trial, True
            else:
                at += size
        size = size if shorter else size // 2
    return data
