"""`bjp report`: what a results file says, in the terminal, as a page or as a table."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bjp_engine.cli.files import single_line

if TYPE_CHECKING:
    from bjp_engine.experiments import Results, Summary

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
    from bjp_engine.experiments import summaries
    from bjp_engine.experiments.summary import by_network, gaps, share

    found = summaries(results)
    for block in by_network(found):
        success = block.cells[0].measure == "success"
        measure = "rate of success" if success else "Hamming distance"
        yield (
            f"{block.experiment}, {block.network}: mean {measure} ± standard error "
            "(the paper's, difference)"
        )
        heading = "".join(f"  {score + ' ' + search:<{WIDTH}}" for score, search in block.learners)
        yield f"{'N':>6}{heading}".rstrip()
        for rows, line in block.lines():
            texts = (f"  {_cell(one):<{WIDTH}}" for one in line)
            yield f"{rows:>6}{''.join(texts)}".rstrip()
        yield ""
    compared = [one for one in found if one.printed is not None]
    if compared:
        agrees = sum(one.agrees is True for one in compared)
        yield (
            f"{agrees} of {len(compared)} figures agree with the paper's "
            f"({share(compared):.0%}); the others are marked *."
        )
        for network, gap in gaps(compared).items():
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


def _cell(one: Summary | None) -> str:
    """Ours, and the paper's where it prints one."""
    if one is None:
        return "–"
    text = f"{one.mean:.{one.digits}f}"
    if not math.isnan(one.error):
        text += f" ± {one.error:.{one.digits}f}"
    if one.printed is None:
        return text
    mark = "" if one.agrees else " *"
    return f"{text} ({one.printed:.{one.digits}f}, {one.difference:+.{one.digits}f}){mark}"
