"""`bjp learn` and `bjp score`: a table, a score, and a graph that is found or given."""

from __future__ import annotations

import argparse
import glob
import sys
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli import common
from bjp_engine.cli.common import IMPUTE, METHODS, ProgressLine
from bjp_engine.cli.lines import edge_lines, learned_lines, term_lines
from bjp_engine.cli.tables import read_data, read_on_cluster
from bjp_engine.cluster import connect
from bjp_engine.errors import OptionError, clip, plural, printable
from bjp_engine.scores import SCORES
from bjp_engine.scores.prior import NAMES
from bjp_engine.search.auto.evidence import begun_with
from bjp_engine.validate import whole_number

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.confidence import EdgeConfidence
    from bjp_engine.dataset import Dataset
    from bjp_engine.parameters import Imputed
    from bjp_engine.preparation import Prepared
    from bjp_engine.search import SearchTrace

# What needs one table, or a score or search other than that of calibrated probabilities.
_OF_ONE_TABLE = ("search", "start", "evaluations", "seconds", *common.SCORE_OPTIONS, "option")


LEARN = {
    f"--missing error|drop|state|{IMPUTE}": "what to do with missing cells; impute fills them in "
    "20 times and pools the probabilities",
    "--output str": "a .graphml, .csv or .json (with the whole trace) file",
    "--pairs FILE": "a .csv file: every pair with its probability (calibrated unless --confidence "
    "says otherwise) and verdict, and whether it is an edge",
    "--confidence [calibrated|test|bootstrap|exact]": "a number for each edge: its probability, "
    "calibrated on known networks, posterior of its test, frequency in bootstrap resamples, or "
    "posterior over all graphs (at most seven variables)",
    "--effects": "the effect of each edge (log odds ratio, or strength of variables with more than "
    "two states), with its 95 %% interval",
    "--ordered NAME,…": "for --effects: variables of more than two states whose states are ordered "
    "as listed",
    "--resamples 200": "of a bootstrap, and for strengths of --effects, default 200",
    "--paper": "a methods and results paragraph for a paper, made of what was done",
    "--scheduler ADDRESS": "count the rows on this Dask cluster, such as tcp://host:8786, whose "
    "workers read FILE: a pattern such as 'folder/*.parquet' (in quotes), with a part of the rows "
    "in each file",
}


def run_learn(arguments: argparse.Namespace) -> int:
    """Learn a network and write it, with the rows here or on a cluster."""
    from bjp_engine.preparation import Prepared

    file, scheduler, single = arguments.file, arguments.scheduler, _needs_one_table(arguments)
    if scheduler is None and glob.has_magic(file) and not Path(file).exists():
        raise OptionError(
            f"{clip(file)} is a pattern of files; name one file, or count the rows of all on a "
            "Dask cluster with --scheduler."
        )
    common.check_output("--output", arguments.output, common.GRAPH_FORMATS)
    common.check_output("--pairs", arguments.pairs, (".csv",))
    if arguments.missing == IMPUTE and single is not None:
        raise OptionError(
            f"{single} can't be given with --missing impute, which pools the calibrated "
            "probabilities of several tables; leave it out, or choose another --missing."
        )
    if arguments.ordered is not None and not arguments.effects:
        raise OptionError("--ordered needs --effects.")
    given = common.search_options(arguments)
    with nullcontext() if scheduler is None else connect(scheduler) as client:
        with ProgressLine("files") as line:
            if scheduler is None:
                how: dict[str, Any] = {"pooled": single is None, "seed": arguments.seed}
                found = read_data(file, arguments, note=True, **how)
            else:
                found = Prepared(read_on_cluster(file, arguments, client, line))
                given["on_step"] = lambda step: line.write(f"{step.index:,} flips")
            imputed = found.imputed if single is None else None
            if found.imputed is not imputed:
                note = f"note: {single} needs one table, so only the first is used."
                print(note, file=sys.stderr)
            result = _learned(arguments, found.data, imputed, given)
        # Warnings and the paragraph may look at rows, too.
        _show(arguments, found, imputed, *result)
    return 0


def _needs_one_table(arguments: argparse.Namespace) -> str | None:
    """Why completed tables can't be pooled: what was given instead, in a few words."""
    given = [name for name in _OF_ONE_TABLE if getattr(arguments, name) not in (None, [])]
    given += ["method"] * (arguments.method != "bjp")
    given += ["confidence"] * (arguments.confidence not in (None, "calibrated"))
    given += ["output .json"] * str(arguments.output).lower().endswith(".json")
    return f"--{given[0].replace('_', '-')}" if given else None


def _learned(
    arguments: argparse.Namespace, data: Dataset, imputed: Imputed | None, given: dict[str, Any]
) -> tuple[SearchTrace, EdgeConfidence | None, pd.DataFrame | None]:
    """The graph, the number of each pair, and effects, of one table or several completed ones."""
    import bjp_engine as bjp
    from bjp_engine.parameters import pool_effects
    from bjp_engine.parameters.effects import edge_effects

    kind = arguments.confidence
    if kind is None and (arguments.pairs is not None or arguments.missing == IMPUTE):
        kind = "calibrated"
    if not data.fits and (arguments.effects or kind not in (None, "test")):
        raise OptionError(
            "--effects, --pairs and --confidence read rows, and those of this table are too many; "
            "leave them out, or choose --confidence test."
        )
    known = common.read_known(arguments, data)
    common.compile_first()
    confidence = effects = None
    if imputed is not None:
        confidence = bjp.edge_probabilities(imputed, **known)
        trace = replace(bjp.learn(data, "bjp", "auto", **known), graph=confidence.graph(0.5))
    else:
        trace = bjp.learn(data, arguments.method, arguments.search, **given, **known)
    drawn: dict[str, Any] = {
        "resamples": whole_number(arguments.resamples, "resamples", 1),
        "seed": whole_number(arguments.seed or 0, "seed"),
    }
    if imputed is None and kind is not None:
        options = {k: one for k, one in given.items() if k not in ("seed", "on_step")} | known
        confidence = _confidence(kind, data, trace, arguments.search, options, **drawn)
    if arguments.effects:
        drawn["ordered"] = common.split_names(arguments.ordered, data.names)
        if imputed is None:
            effects = edge_effects(data, trace.graph, **drawn)
        else:
            effects = pool_effects(imputed, trace.graph, **drawn)
    return trace, confidence, effects


def _confidence(
    kind: str,
    data: Dataset,
    trace: SearchTrace,
    search: str | None,
    options: dict[str, Any],
    **drawn: Any,
) -> EdgeConfidence:
    """One kind of confidence in what a search, as it was asked for, learned with these options."""
    import bjp_engine as bjp

    if kind == "calibrated":
        return bjp.edge_probabilities(data, known=options.get("known"))
    if kind == "bootstrap":
        return bjp.confidence.bootstrap(data, trace.method, search, **drawn, **options)
    of_score = {*NAMES, "known", *(one.name for one in fields(trace.options[trace.method]))}
    begun = begun_with(trace.search, {key: options[key] for key in options if key in of_score})
    if kind == "exact":
        return bjp.confidence.posterior_edges(data, trace.method, **begun)
    begun.pop("known", None)
    scored = bjp.score(data, trace.graph, trace.method, **begun)
    return bjp.confidence.confidence_of_tests(scored, **begun)


def _show(
    arguments: argparse.Namespace,
    found: Prepared,
    imputed: Imputed | None,
    trace: SearchTrace,
    confidence: EdgeConfidence | None,
    effects: pd.DataFrame | None,
) -> None:
    """Print what was learned, and write the files that were asked for."""
    import bjp_engine as bjp
    from bjp_engine.io.graphs import encode_csv
    from bjp_engine.paper import write_paragraph

    data, output = found.data, arguments.output
    print(f"{printable(arguments.file)}: {plural(data.rows, 'row')}, {plural(data.n, 'variable')}")
    if arguments.missing == IMPUTE and found.imputed is None:
        print("missing: no cell is missing, so nothing was imputed")
    print("\n".join(learned_lines(trace, confidence, imputed)))
    warnings = bjp.confidence.list_warnings(data, trace, confidence, effects=effects)
    for warning in warnings:
        print(f"warning: {printable(warning)}")
    more: dict[str, Any] = {"effects": effects, "warnings": warnings}
    if arguments.paper:
        print(write_paragraph(data, trace, confidence, preparation=found, **more))
    if arguments.pairs is not None and confidence is not None:
        pairs = bjp.io.pair_csv(confidence, trace.graph, effects=effects)
        common.write_text(arguments.pairs, encode_csv(pairs))
    if output is None or arguments.effects:
        print("\n".join(edge_lines(trace, confidence, effects)))
    if output is None:
        return
    if Path(output).suffix.lower() == ".json":
        steps = found.preparation.to_dict() if found.preparation.steps else None
        text = bjp.io.trace_json(trace, confidence, preparation=steps, **more)
        common.write_text(output, f"{text}\n")
    else:
        bjp.io.write_graph(trace.graph, output, confidence=confidence, **more)
        print(f"written: {printable(output)}")


SCORE_GRAPH = {
    f"--method {'|'.join(METHODS)}|all": "default bjp",
    "--graph! str": "a .graphml, .gml, .csv or .json file",
    "--terms": "print every term of the sum",
}


def run_score(arguments: argparse.Namespace) -> int:
    """Score a graph on a table."""
    import bjp_engine as bjp
    from bjp_engine.confidence.doubts import warn_of_unused_states

    several = arguments.method == "all"
    data = read_data(arguments.file, arguments).data
    graph = common.read_graph_file(arguments.graph)
    for method in SCORES if several else [arguments.method]:
        options = common.score_options(arguments, method if several else None)
        trace = bjp.score(data, graph, method, **options)
        print(f"{method}\t{trace.total!r}" if several else repr(trace.total))
        if arguments.terms:
            print("\n".join(term_lines(trace)))
    for warning in warn_of_unused_states(data, arguments):
        print(f"warning: {printable(warning)}", file=sys.stderr)
    return 0
