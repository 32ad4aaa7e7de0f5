"""What is kept of the results beside the rows: the docs' tables, the figure, the app's data.

All are made of the rows alone, so that a test can make them again and compare.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.accuracy import figure, report
from benchmarks.accuracy.compared import Results
from benchmarks.accuracy.methods import ALL
from benchmarks.accuracy.standing import means
from benchmarks.accuracy.tables import TITLES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
APP = ROOT / "bjp_explorer" / "accuracy"
PLACE = ("seeds", "network", "distribution", "rows", "true")
BLOCK = re.compile(r"(<!-- (\S+): .*? -->\n)(.*?)(\n<!-- end -->)", re.DOTALL)


def lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()


def app_means(results: Results) -> str:
    """The means on all seeds that are compared, and on the first alone, by group and method."""
    compared = [results.seeds] if results.seeds == [0] else [results.seeds, [0]]
    head = (*PLACE, "method", "hamming", "f1", "seconds")
    cells = []
    for seeds in compared:
        for group, those in means(results.rows, seeds).items():
            for name, mean in sorted(those.items()):
                figures = (f"{mean.hamming:g}", f"{mean.f1:.4f}", f"{mean.seconds:.3g}")
                place = (group.network, group.distribution, group.rows, f"{mean.true:g}")
                cells.append((" ".join(map(str, seeds)), *place, name, *figures))
    return lines(head, cells)


def app_methods(results: Results) -> str:
    """What each method of the means is."""
    versions = {one.method: one.version for one in results.rows if one.version}
    rows = [
        (name, one.name, TITLES[name], "ours" if one.ours else "peer", versions[name], kind)
        for one in ALL
        for kind, name in one.rows.items()
        if name in versions
    ]
    return lines(("method", "search", "title", "side", "version", "judged"), rows)


def page(text: str, sections: dict[str, str]) -> str:
    """A document with its blocks filled in, but those of other commands."""

    def filled(one: re.Match[str]) -> str:
        return f"{one[1]}\n{sections[one[2]]}\n{one[4]}" if one[2] in sections else one[0]

    return BLOCK.sub(filled, text)


def files(results: Results) -> dict[Path, str]:
    """Every file that is made of the rows, with what belongs into it."""
    return {
        APP / "means.csv": app_means(results),
        APP / "methods.csv": app_methods(results),
        figure.IMAGE: report.picture(results),
        PAGE: page(PAGE.read_text(encoding="utf-8"), report.sections(results)),
    }


def main(results: Results) -> None:
    """Write them all."""
    for path, text in files(results).items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
