"""`bjp plan`: how many edges of a network are found with how many rows, by simulation."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli.common import (
    PREPARE,
    add_options,
    check_output,
    compile_first,
    read_graph_file,
    read_numbers,
    write_text,
)
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import OptionError, printable

if TYPE_CHECKING:
    import networkx as nx

    from bjp_engine.parameters import FittedNetwork
    from bjp_engine.planning import RowPlan

GRAPHS = (".graphml", ".gml", ".json")
# Told of every plan whose truth was learned.
LEARNED = (
    "note: the learned network is taken for the truth, and strengths learned with few rows look "
    "stronger than they are, so the forecast is too good"
)

MEANING = (
    "found: edges of the network that are learned, and their share; false: learned edges that the "
    "network has not, and their share of the learned"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The network, the numbers of rows, and what is written."""
    add_options(parser, "file", "--read", *PREPARE)
    parser.epilog = (
        "FILE may also be the name of a benchmark network (see bjp networks), or a graph file "
        f"({', '.join(GRAPHS)}; with --graph a .csv, too): both need --strength."
    )
    parser.add_argument("--graph", action="store_true", help="FILE is a graph, not a table")
    parser.add_argument(
        "--strength", type=float, help="of a graph: the log odds ratio of each edge, such as 1"
    )
    parser.add_argument("--rows", metavar="N,…", help="numbers of rows, such as 100,250,500")
    parser.add_argument("--method", default="bjp", help="default bjp")
    parser.add_argument("--search", help="see bjp learn --help")
    parser.add_argument("--samples", type=int, default=20, help="default 20")
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument("--share", type=float, default=0.8, help="of edges to be found, 0.8")
    parser.add_argument("--output", help="a .csv file with the table")


def run(arguments: argparse.Namespace) -> int:
    """Simulate, and print the table."""
    import bjp_engine as bjp
    from bjp_engine.planning import ROWS, check_share

    check_output("--output", arguments.output, (".csv",))
    check_share(arguments.share)
    rows = read_numbers("--rows", arguments.rows) or ROWS
    compile_first()
    network, learned = _network(arguments)
    plan = bjp.plan_rows(
        network,
        rows,
        strength=arguments.strength,
        method=arguments.method,
        search=arguments.search,
        samples=arguments.samples,
        seed=arguments.seed,
    )
    print(
        f"{printable(arguments.file)}: {plan.edges:,} edges; {plan.method} by {plan.search}, "
        f"{plan.samples:,} samples, seed {plan.seed}"
    )
    if learned:
        print(LEARNED)
    print(f"means over the samples{' ± standard error' * (plan.samples > 1)}; {MEANING}")
    print(_table(plan))
    enough = plan.rows_for(arguments.share)
    share = f"{100 * arguments.share:g} % of the edges"
    if enough is None:
        fewer = plan.to_frame()["recall"].max() >= arguments.share
        though = ", though fewer rows found them" * bool(fewer)
        print(f"{share} are not found with {plan.rows[-1]:,} rows on average{though}")
    else:
        least = "with at most {:,} rows" if enough == plan.rows[0] else "with {:,} rows or more"
        print(f"{share} are found {least.format(enough)} on average")
    if arguments.output is not None:
        table = plan.to_frame().to_csv(index=False, lineterminator="\n")
        write_text(arguments.output, table)
    return 0


def _network(arguments: argparse.Namespace) -> tuple[FittedNetwork | nx.Graph[Any], bool]:
    """What is taken for the truth, and whether it was learned from a table."""
    import bjp_engine as bjp

    file = arguments.file
    if file in bjp.networks.names():
        return bjp.networks.load(file), False
    if arguments.graph or Path(file).suffix.lower() in GRAPHS:
        return read_graph_file(file), False
    if arguments.strength is not None:
        raise OptionError(
            "--strength is for a graph, and FILE is read as a table; leave it out, or add --graph."
        )
    data = read_data(file, arguments, note=True).data
    print(f"{data.rows:,} rows, {data.n:,} variables")
    trace = bjp.learn(data, arguments.method, arguments.search)
    return bjp.fit_parameters(data, trace.graph, "auto"), True


def _table(plan: RowPlan) -> str:
    """The means with their standard errors, tab by tab."""
    lines = ["rows\tfound\tshare\tfalse\tfalse share"]
    for one in plan.to_frame().to_dict("records"):
        cells = [f"{one['rows']}"]
        for name in ("found", "recall", "false", "false_share"):
            percent = name in ("recall", "false_share")
            number, error = ((100 if percent else 1) * one[name + end] for end in ("", "_error"))
            cell = f"{number:.0f} %" if percent else f"{number:.1f}"
            cells.append(cell + ("" if math.isnan(error) else f" ± {error:.1f}"))
        lines.append("\t".join(cells))
    return "\n".join(lines)
