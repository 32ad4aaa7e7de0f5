"""The line of `bjp` that learns a result again, where one line can say it."""

from __future__ import annotations

import shlex

from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script_data import file_name, missing_of, reading_of
from bjp_explorer.shell.sources import PART

_OWN = ("prior", "gamma", "slices", "ess", "expected_degree", "edge_probability")
_SEARCH = ("start", "seed", "evaluations")


def learn_line(result: Result) -> str | None:
    """The command, for a shell.

    None where it can't be said so: rows that were drawn or of which some variables are used, a file
    that was read in a way of its own, or a graph that wasn't learned.
    """
    loaded, trace = result.loaded, result.learned
    drawn = loaded.kind == "net" or PART in loaded.token or reading_of(loaded)
    # Without a preparation nobody knows here which columns of a file were left out.
    unprepared = loaded.kind == "file" and loaded.preparation is None
    if drawn or unprepared or trace is None or not result.repeatable:
        return None
    name = f"{loaded.base.partition(':')[0]}.csv"
    words = ["bjp", "learn", name if loaded.kind == "sample" else file_name(loaded)]
    words += ["--method", trace.method, "--search", trace.search]
    policy = missing_of(loaded) if loaded.kind == "sample" else None
    words += ["--missing", policy] if policy else []
    words += ["--prepare", "preparation.json"] if loaded.preparation is not None else []
    for key, value in result.options.items():
        if key in (*_OWN, *_SEARCH):
            words += [f"--{key.replace('_', '-')}", str(value)]
        else:
            words += ["--option", f"{key}={value}"]
    return shlex.join([*words, "--output", "graph.json"])
