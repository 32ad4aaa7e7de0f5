"""`bjp learn` with imputed cells: one answer from several completed tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli.files import split_names, write_pairs
from bjp_engine.cli.lines import effect_text
from bjp_engine.errors import OptionError, plural, printable

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from bjp_engine.cli.tables import ReadData
    from bjp_engine.confidence import EdgeConfidence
    from bjp_engine.dataset import Name
    from bjp_engine.parameters import Imputed

IMPUTE = "impute"
FORMATS = (".graphml", ".csv")
# What needs one table, or a score or search other than that of calibrated probabilities.
_ALONE = ("search", "start", "evaluations", "seconds")
_USUAL = ("prior", "gamma", "slices", "prior_cells", "ess", "expected_degree", "edge_probability")


def needs_one_table(arguments: argparse.Namespace) -> str | None:
    """Why completed tables can't be pooled: what was given instead, in a few words."""
    given = [name for name in (*_ALONE, *_USUAL) if getattr(arguments, name) not in (None, False)]
    given += ["option"] * bool(arguments.option)
    given += ["method"] * (arguments.method != "bjp")
    given += ["confidence"] * (arguments.confidence not in (None, "calibrated"))
    if given:
        return f"--{given[0].replace('_', '-')}"
    suffix = "" if arguments.output is None else Path(arguments.output).suffix.lower()
    return f"--output {suffix}" if suffix and suffix not in FORMATS else None


def check_imputed(arguments: argparse.Namespace) -> None:
    """Refuse what doesn't go with completed tables."""
    name = needs_one_table(arguments)
    if name is None:
        return
    if name.startswith("--output "):
        raise OptionError(
            f"--output can't be {name.split()[1]} with --missing impute; use {', '.join(FORMATS)}."
        )
    raise OptionError(
        f"{name} can't be given with --missing impute, which pools the calibrated "
        "probabilities of several tables; leave it out, or choose another --missing."
    )


def report_imputed(arguments: argparse.Namespace, found: ReadData) -> int:
    """Pool the probabilities, and print or write the graph of the pairs from 0.5 on."""
    import bjp_engine as bjp
    from bjp_engine.paper import write_paragraph
    from bjp_engine.parameters import Imputed
    from bjp_engine.records import FrozenMapping

    imputed = found.imputed or Imputed((found.data,), FrozenMapping({}), arguments.seed or 0, 0)
    if (arguments.prepare, arguments.roles) != (None, None):
        # What is said of the first table is not so of the pooled ones.
        print("\n".join(line for line in found.lines if imputed.sentence not in line))
    first = imputed.datasets[0]
    known = None if arguments.known is None else bjp.io.read_known(arguments.known, first.names)
    pooled = bjp.edge_probabilities(imputed, known=known)
    graph = pooled.graph(0.5)
    effects = _effects(arguments, imputed, graph) if arguments.effects else None
    trace = replace(bjp.learn(first, "bjp", "auto", known=known), graph=graph)
    warnings = bjp.confidence.list_warnings(first, trace, pooled, effects=effects)
    print(f"{printable(arguments.file)}: {first.rows} rows, {first.n} variables")
    print("\n".join((*_lines(imputed), *(f"warning: {printable(one)}" for one in warnings))))
    more: dict[str, Any] = {"effects": effects, "warnings": warnings}
    if arguments.paper:
        said: dict[str, Any] = {"preparation": found.for_paper, "imputed": imputed}
        print(write_paragraph(first, trace, pooled, **said, **more))
    write_pairs(arguments.pairs, pooled, graph, **more)
    if arguments.output is None or arguments.effects:
        print("\n".join(_edges(pooled, effects)))
    if arguments.output is not None:
        bjp.io.write_graph(graph, arguments.output, confidence=pooled, **more)
        print(f"written: {printable(arguments.output)}")
    return 0


def _effects(
    arguments: argparse.Namespace, imputed: Imputed, graph: nx.Graph[Name]
) -> pd.DataFrame:
    from bjp_engine.parameters import pool_effects

    names = imputed.datasets[0].names
    return pool_effects(
        imputed,
        graph,
        ordered=None if arguments.ordered is None else split_names(arguments.ordered, names),
        resamples=arguments.resamples,
        seed=arguments.seed or 0,
    )


def _lines(imputed: Imputed) -> Iterator[str]:
    """What was imputed, and what the numbers are."""
    times = len(imputed.datasets)
    if times == 1:
        yield "missing: no cell is missing, so nothing was imputed"
    else:
        yield (
            f"missing: {plural(imputed.cells, 'cell')} ({100 * imputed.share:.3g} %) imputed "
            f"{times} times under the network (seed {imputed.seed}), assuming that they are "
            "missing at random"
        )
    over = f", mean over {times} completed tables" if times > 1 else ""
    yield f"confidence: probability of each edge, calibrated on known networks{over}"
    yield "edges: the pairs with probability 0.5 or more"


def _edges(pooled: EdgeConfidence, effects: pd.DataFrame | None) -> Iterator[str]:
    """A line for each edge: its probability, its spread over the tables, its verdict and effect."""
    found = {} if effects is None else {frozenset((e.x, e.y)): e for e in effects.itertuples()}
    # Both stand by falling probability.
    for edge, verdict in zip(pooled.edges(0.5), pooled.verdicts()["verdict"], strict=False):
        spread = [] if edge.error is None else [f"± {edge.error:.4f}"]
        pair = f"{printable(edge.x)} - {printable(edge.y)}"
        own = [effect_text(found[frozenset((edge.x, edge.y))])] if found else []
        yield "\t".join((pair, f"{edge.confidence:.4f}", *spread, str(verdict), *own))
