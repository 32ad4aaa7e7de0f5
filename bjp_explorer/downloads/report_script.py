"""What a report says of how to come to the same result again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator
from html import escape
from importlib import metadata

from bjp_explorer.downloads.report_markup import listing, text
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import script
from bjp_explorer.downloads.script_data import file_name, missing_of, reading_of
from bjp_explorer.shell.sources import PART

_PACKAGES = ("bjp-explorer", "numpy", "numba", "networkx", "scipy", "pandas")
# Options of `bjp learn` that have a name of their own.
_OWN = (
    "prior",
    "gamma",
    "slices",
    "prior_cells",
    "ess",
    "expected_degree",
    "edge_probability",
    "start",
    "seed",
    "evaluations",
)


def repeat_section(result: Result) -> Iterator[str]:
    """Versions, a command where one line can say it, and a program, as HTML."""
    yield "<h2>How to repeat it</h2>"
    yield listing(versions())
    line = learn_line(result)
    if line is not None:
        yield "<p>In a terminal, in the folder of the file:</p>"
        yield f"<pre>{escape(line)}</pre>"
        if result.loaded.preparation is not None:
            yield (
                "<p><code>preparation.json</code> is among the downloads of the page that made "
                "this report; the program below holds the same steps.</p>"
            )
        if result.known is not None:
            yield (
                "<p><code>known.csv</code> is among those downloads; the program below holds the "
                "same pairs.</p>"
            )
    yield (
        "<p>The same in Python. The program ends with an error unless rows and score are those of "
        "this report.</p>"
    )
    yield f"<pre>{escape(script(result).decode('ascii'))}</pre>"


def versions() -> Iterator[tuple[str, str]]:
    """The programs that the numbers depend on, with their versions, as HTML."""
    yield "Python", text(platform.python_version())
    for package in _PACKAGES:
        try:
            yield package, text(metadata.version(package))
        except metadata.PackageNotFoundError:
            yield package, "not installed as a package"


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
        if key == "known":
            words += ["--known", "known.csv"]
        elif key in _OWN:
            words += [f"--{key.replace('_', '-')}", str(value)]
        else:
            words += ["--option", f"{key}={value}"]
    return shlex.join([*words, "--output", "graph.json"])
