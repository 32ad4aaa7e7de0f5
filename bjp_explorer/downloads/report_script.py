"""What a report says of how to come to the same result again."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from html import escape
from importlib import metadata

from bjp_explorer.downloads.command_line import learn_line
from bjp_explorer.downloads.report_markup import listing, text
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import script

_PACKAGES = ("bjp-explorer", "numpy", "numba", "networkx", "scipy", "pandas")


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
