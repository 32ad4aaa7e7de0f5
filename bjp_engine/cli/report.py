"""`bjp report`: what a results file says, in the terminal, as a page or as a table."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from bjp_engine.cli.files import single_line

if TYPE_CHECKING:
    from bjp_engine.experiments import Agreement, Results, Summary
    from bjp_engine.experiments.summary import Key

WIDTH = 34


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """The results and the files to write."""
    parser.add_argument("results", metavar="RESULTS", help="a file that `bjp experiment` wrote")
    parser.add_argument("--html", metavar="FILE", help="a page with figures, in one file")
    parser.add_argument("--csv", metavar="FILE", help="means, errors and the paper's figures")
    parser.add_argument(
        "--compact", metavar="FILE", help="all rows as a small .parquet file, a results file too"
    )


def run_report(arguments: argparse.Namespace) -> int:
    """Write the files; without one, print tables and claims."""
    from bjp_engine.experiments import read_results, report_html, write_compact, write_summary

    results = read_results(arguments.results)
    writers = (
        (arguments.html, report_html),
        (arguments.csv, write_summary),
        (arguments.compact, write_compact),
    )
    for path, write in writers:
        if path is not None:
            write(results, path)
            print(f"written: {single_line(path)}")
    if not any(path for path, _ in writers):
        print("\n".join([*table_lines(results), *claim_lines(results)]))
    return 0


def table_lines(results: Results) -> Iterator[str]:
    """A table for each network: ours ± standard error, the paper's, the difference."""
    from bjp_engine.experiments import agreement, summaries
    from bjp_engine.experiments.summary import gaps, share

    compared = {one.summary.key: one for one in agreement(results)}
    for (name, network), block in groupby(
        summaries(results), key=lambda one: (one.experiment, one.network)
    ):
        cells = list(block)
        measure = "rate of success" if cells[0].measure == "success" else "Hamming distance"
        yield f"{name}, {network}: mean {measure} ± standard error (the paper's, difference)"
        columns = [*dict.fromkeys((one.score, one.search) for one in cells)]
        heading = "".join(f"  {score + ' ' + search:<{WIDTH}}" for score, search in columns)
        yield f"{'N':>6}{heading}".rstrip()
        for rows, line in groupby(cells, key=lambda one: one.rows):
            found = {(one.score, one.search): one for one in line}
            texts = [_cell(found.get(column), compared) for column in columns]
            yield f"{rows:>6}{''.join(f'  {text:<{WIDTH}}' for text in texts)}".rstrip()
        yield ""
    if compared:
        agrees = sum(one.agrees for one in compared.values())
        yield (
            f"{agrees} of {len(compared)} figures agree with the paper's "
            f"({share(compared.values()):.0%}); the others are marked *."
        )
        for network, gap in gaps(compared.values()).items():
            yield f"  {network}: {gap:.3g} apart on average"


def claim_lines(results: Results) -> Iterator[str]:
    """The paper's claims, one a line."""
    from bjp_engine.experiments import claims

    found = claims(results)
    if found:
        yield ""
        yield "The paper's claims (by how much BJP does better, 95 % confidence interval)"
    for claim in found:
        estimate = f"{claim.estimate:.3g} [{claim.low:.3g} to {claim.high:.3g}] {claim.unit}"
        yield f"  {claim.verdict:<8} {claim.sentence}: {estimate}"


def _cell(one: Summary | None, compared: dict[Key, Agreement]) -> str:
    """Ours, and the paper's where it prints one."""
    if one is None:
        return "–"
    digits = 2 if one.measure == "success" else 1
    text = f"{one.mean:.{digits}f}"
    if not math.isnan(one.error):
        text += f" ± {one.error:.{digits}f}"
    theirs = compared.get(one.key)
    if theirs is None:
        return text
    mark = "" if theirs.agrees else " *"
    return f"{text} ({theirs.printed.value:.{digits}f}, {theirs.difference:+.{digits}f}){mark}"
