"""`bjp compare`: do groups of rows have the same network? Groups by a column, or two files."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bjp_engine.cli.files import (
    ProgressLine,
    check_output,
    compile_first,
    split_names,
)
from bjp_engine.cli.learn import (
    PRIOR_OPTIONS,
    SCORE_OPTIONS,
    add_known_argument,
    add_table_and_score,
    read_known,
)
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import OptionError, plural, printable
from bjp_engine.progress import Progress
from bjp_engine.scores import SCORES
from bjp_engine.search import searches_for

if TYPE_CHECKING:
    from bjp_engine.confidence import GroupComparison, GroupComparisons
    from bjp_engine.dataset import Dataset

FORMATS = (".csv", ".json")
# Lines of the table of differences.
MOST_LINES = 10


def add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    """The tables, the groups, what learns, and the test."""
    add_table_and_score(parser)
    parser.add_argument(
        "other", metavar="FILE2", nargs="?", help="the second group, with the same columns"
    )
    parser.add_argument("--by", metavar="COLUMN", help="its states make the groups of one FILE")
    parser.add_argument(
        "--states",
        metavar="STATE,…",
        help="only these states; with one state, that state and all other rows",
    )
    parser.add_argument(
        "--paired",
        metavar="COLUMN",
        help="whose each row is: labels are permuted within each person",
    )
    searches = "; ".join(f"{method}: {', '.join(searches_for(method))}" for method in SCORES)
    parser.add_argument("--search", help=f"{searches}; the first is the default")
    add_known_argument(parser)
    parser.add_argument("--permutations", type=int, default=1000, help="default 1000")
    parser.add_argument("--seed", type=int, default=0, help="of the permutations, default 0")
    parser.add_argument("--jobs", type=int, default=-1, help="threads, default one for each core")
    parser.add_argument("--output", help="a .csv (the pairs of variables) or .json (everything)")


def run_compare(arguments: argparse.Namespace) -> int:
    """Compare the groups, and say how they differ."""
    import bjp_engine as bjp
    from bjp_engine.io.graphs import encode_csv

    check_output("--output", arguments.output, FORMATS)
    given = {name: getattr(arguments, name) for name in (*SCORE_OPTIONS, *PRIOR_OPTIONS)}
    line = ProgressLine("permutations")
    groups = _groups(arguments)
    given |= read_known(arguments, next(iter(groups.values())))
    compile_first()
    try:
        found = bjp.confidence.compare_all_groups(
            groups,
            arguments.method,
            arguments.search,
            permutations=arguments.permutations,
            seed=arguments.seed,
            paired=arguments.paired,
            n_jobs=arguments.jobs,
            # Threads that a Ctrl-C leaves behind ask whether to stop.
            progress=Progress(line.show, lambda: False),
            **{name: value for name, value in given.items() if value is not None},
        )
    finally:
        line.end()
    print("\n".join(map(printable, _lines(found))))
    if arguments.output is not None:
        is_json = Path(arguments.output).suffix.lower() == ".json"
        text = bjp.io.comparison_json(found) if is_json else bjp.io.comparison_csv(found)
        Path(arguments.output).write_bytes(encode_csv(text))
        print(f"written: {printable(arguments.output)}")
    return 0


def _groups(arguments: argparse.Namespace) -> dict[str, Dataset]:
    """The rows of each group, by its name."""
    from bjp_engine.confidence import choose_groups

    if (arguments.by is None) == (arguments.other is None):
        raise OptionError("Give --by COLUMN for the groups of one file, or a second file.")
    if arguments.by is None:
        if arguments.states is not None:
            raise OptionError("--states needs --by COLUMN; leave it out for two files.")
        return _two_files(arguments)
    (data,) = _read(arguments, arguments.file)
    print(f"{printable(arguments.file)}: {data.rows} rows, {data.n} variables")
    states = []
    if arguments.states is not None:
        states = split_names(arguments.states, data.labels[data.index(arguments.by)])
    return choose_groups(data, arguments.by, states)


def _two_files(arguments: argparse.Namespace) -> dict[str, Dataset]:
    """Each file is a group, which is called by its name."""
    files = (arguments.file, arguments.other)
    names = [Path(file).stem for file in files]
    if names[0] == names[1]:
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    tables = _read(arguments, *files)
    for file, data in zip(files, tables, strict=True):
        print(f"{printable(file)}: {data.rows} rows, {data.n} variables")
    return dict(zip(names, tables, strict=True))


def _read(arguments: argparse.Namespace, *files: str) -> list[Dataset]:
    """The tables, one of them prepared if that is asked for."""
    if files[1:] and (arguments.prepare, arguments.roles) != (None, None):
        raise OptionError(
            "--prepare and --roles take one file, which is cut into bins once for all its groups; "
            "put the rows of both files into one, with a column for --by."
        )
    found = [read_data(file, arguments) for file in files]
    for line in found[0].lines:
        print(line)
    return [one.data for one in found]


# --- Lines ----------------------------------------------------------------------------------------


def _lines(found: GroupComparisons) -> Iterator[str]:
    """What was found of each pair of groups."""
    from bjp_engine.confidence import describe_comparison

    several = len(found.pairs) > 1
    for ((a, b), one), adjusted in zip(found.pairs.items(), found.table.itertuples(), strict=True):
        yield from ("", f"{a} and {b}") if several else ()
        sizes = zip((a, b), (one.rows_a, one.rows_b), (one.graph_a, one.graph_b), strict=True)
        for name, rows, graph in sizes:
            yield f"{name}: {plural(rows, 'row')}, {plural(graph.number_of_edges(), 'edge')}"
        for what, p, holm in (
            ("largest difference of a pair", one.p_edges, adjusted.p_edges_adjusted),
            (f"Hamming distance {one.distance}", one.p, adjusted.p_adjusted),
            (
                f"global strength {one.strength_a:.4f} and {one.strength_b:.4f}",
                one.p_strength,
                adjusted.p_strength_adjusted,
            ),
        ):
            more = f", adjusted for {len(found.pairs)} pairs of groups {holm:.4f}" * several
            yield f"{what}: p = {p:.4f}{more}"
        yield from _differences(one, a, b)
        yield describe_comparison(one, a, b)


def _differences(one: GroupComparison, a: str, b: str) -> Iterator[str]:
    """The pairs of variables that differ most, a line each."""
    from bjp_engine.parameters.effects import STRENGTH

    edges = one.edges
    for row in edges[:MOST_LINES].itertuples():
        both = row.in_a and row.in_b
        where = "edge in both" if both else f"edge only in {a if row.in_a else b}"
        if math.isnan(float(row.difference)):  # type: ignore[arg-type]
            yield f"{row.x} - {row.y} ({where}): the rows of both groups do not show its effect"
            continue
        strength = row.kind == STRENGTH
        gap = "root mean square difference of log odds ratios" if strength else "difference"
        yield (
            f"{row.x} - {row.y} ({where}): {row.kind} {row.effect_a:.4f} and "
            f"{row.effect_b:.4f}, {gap} {row.difference:.4f}, p = {row.p:.4f}, adjusted p = "
            f"{row.p_adjusted:.4f}"
        )
    if len(edges) > MOST_LINES:
        yield f"{plural(len(edges) - MOST_LINES, 'more pair')} with smaller differences"
