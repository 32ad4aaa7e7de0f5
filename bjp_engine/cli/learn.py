"""`bjp learn` and `bjp score`: a table, a score, and a graph that is found or given."""

from __future__ import annotations

import argparse
import glob
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bjp_engine.cli.files import (
    ProgressLine,
    add_table_argument,
    check_output,
    compile_first,
    read_graph_file,
    split_names,
    write_pairs,
)
from bjp_engine.cli.lines import (
    confidence_line,
    edge_lines,
    imputed_lines,
    term_lines,
    trace_lines,
)
from bjp_engine.cli.tables import ReadData, add_prepare_arguments, read_data, read_on_cluster
from bjp_engine.cluster import Client, connect
from bjp_engine.errors import OptionError, clip, printable
from bjp_engine.scores import PLUGINS as SCORE_PLUGINS
from bjp_engine.scores import SCORES, find_score
from bjp_engine.scores.base import plugin_names
from bjp_engine.search import PLUGINS as SEARCH_PLUGINS
from bjp_engine.search import find_search, searches_for

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.confidence import EdgeConfidence
    from bjp_engine.dataset import Dataset
    from bjp_engine.parameters import Imputed
    from bjp_engine.search import SearchTrace

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


SCORE_OPTIONS = ("prior", "gamma", "slices", "prior_cells", "ess")
PRIOR_OPTIONS = ("edge_probability", "expected_degree")
GRAPH_FORMATS = (".graphml", ".csv", ".json")


def add_learn_arguments(parser: argparse.ArgumentParser) -> None:
    """The table and the score, the search and its limits, and what is written."""
    add_table_and_score(parser, missing=(IMPUTE,))
    add_search_arguments(parser)
    parser.add_argument(
        "--output",
        help="a .graphml, .csv or .json (with the whole trace) file",
    )
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="a .csv file: every pair with its probability (calibrated unless --confidence says "
        "otherwise) and verdict, and whether it is an edge",
    )
    parser.add_argument(
        "--confidence",
        choices=("calibrated", "test", "bootstrap", "exact"),
        help="a number for each edge: its probability, calibrated on known networks, posterior of "
        "its test, frequency in bootstrap resamples, or posterior over all graphs (at most seven "
        "variables)",
    )
    parser.add_argument(
        "--effects",
        action="store_true",
        help="the effect of each edge (log odds ratio, or strength of variables with more than two "
        "states), with its 95 %% interval",
    )
    parser.add_argument(
        "--ordered",
        metavar="NAME,…",
        help="for --effects: variables of more than two states whose states are ordered as listed",
    )
    parser.add_argument(
        "--resamples",
        type=int,
        default=200,
        help="of a bootstrap, and for strengths of --effects, default 200",
    )
    parser.add_argument(
        "--paper",
        action="store_true",
        help="a methods and results paragraph for a paper, made of what was done",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="count the rows on this Dask cluster, such as tcp://host:8786, whose workers read "
        "FILE: a pattern such as 'folder/*.parquet' (in quotes), with a part of the rows in each "
        "file",
    )


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """The search, where it begins and ends, and what is known of pairs."""
    searches = "; ".join(f"{method}: {', '.join(searches_for(method))}" for method in SCORES)
    if others := ", ".join(plugin_names(SEARCH_PLUGINS)):
        searches += f"; of other packages: {others}"
    parser.add_argument(
        "--search", help=f"{searches}; the first is the default, ibmap-hc the paper's"
    )
    add_known_argument(parser)
    parser.add_argument("--start", help="empty, mpl-and, mpl-or, mpl, chow-liu, or a graph file")
    parser.add_argument("--seconds", type=float, help="time limit of the search")
    parser.add_argument("--evaluations", type=int, help="how many flips the search may try")
    parser.add_argument("--seed", type=int, help="seed of random numbers, default 0")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the search or of the score, such as tenure=20 of tabu; may be repeated",
    )


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, the score and the graph."""
    add_table_and_score(parser, more=("all",))
    parser.add_argument("--graph", required=True, help="a .graphml, .gml, .csv or .json file")
    parser.add_argument("--terms", action="store_true", help="print every term of the sum")


def add_known_argument(parser: argparse.ArgumentParser) -> None:
    """What is known of pairs."""
    parser.add_argument(
        "--known",
        metavar="FILE",
        help="a CSV of what is known of pairs, a line each: two variables, and required, forbidden "
        "or a probability",
    )


def add_table_and_score(
    parser: argparse.ArgumentParser, *, more: Sequence[str] = (), missing: Sequence[str] = ()
) -> None:
    """The table, the score and its options."""
    add_table_argument(parser)
    # A built-in score goes before another package's of its name.
    methods = [*dict.fromkeys((*SCORES, *plugin_names(SCORE_PLUGINS), *more))]
    parser.add_argument("--method", choices=methods, default="bjp", help="default bjp")
    add_prepare_arguments(parser, missing)
    parser.add_argument("--prior", type=float, help="prior probability of independence, 0.5")
    parser.add_argument("--gamma", type=float, help="prior weight of a contingency table's cell, 1")
    parser.add_argument("--slices", choices=("all", "observed"), help="configurations K counts")
    parser.add_argument(
        "--prior-cells",
        choices=("equal", "centred"),
        help="prior of a table's cells under dependence: the same for all, or centred on "
        "independence, for variables of many states or skewed margins",
    )
    parser.add_argument("--ess", type=float, help="equivalent sample size of mpl, 1")
    parser.add_argument(
        "--expected-degree", type=float, help="prior over graphs: expected neighbours per variable"
    )
    parser.add_argument(
        "--edge-probability",
        type=_number_or_word,
        metavar="NUMBER|data",
        help="prior probability of every edge; 'data' estimates it (learn and compare)",
    )


def run_learn(arguments: argparse.Namespace) -> int:
    """Learn a network and write it, with the rows here or on a cluster."""
    if arguments.scheduler is None:
        if glob.has_magic(arguments.file) and not Path(arguments.file).exists():
            raise OptionError(
                f"{clip(arguments.file)} is a pattern of files; name one file, or count the rows "
                "of all on a Dask cluster with --scheduler."
            )
        return _learn(arguments)
    line = ProgressLine("files")
    try:
        with connect(arguments.scheduler) as client:
            return _learn(arguments, client, line)
    finally:
        line.end()


def _check_counted(arguments: argparse.Namespace, data: Dataset) -> None:
    """Refuse, before a search, what reads rows where these are too many to be held."""
    if data.fits:
        return
    asked = {
        "--effects": arguments.effects,
        f"--confidence {arguments.confidence}": arguments.confidence not in (None, "test"),
        "--pairs": arguments.pairs is not None and arguments.confidence != "test",
    }
    for name, reads in asked.items():
        if reads:
            how = "add --confidence test" if name == "--pairs" else "leave it out"
            raise OptionError(f"{name} reads rows, and those of this table are too many; {how}.")


def _learn(
    arguments: argparse.Namespace, client: Client | None = None, line: ProgressLine | None = None
) -> int:
    """Learn a network and write it."""
    import bjp_engine as bjp
    from bjp_engine.paper import write_paragraph

    output, options = arguments.output, score_options(arguments, arguments.method)
    check_output("--output", output, GRAPH_FORMATS)
    check_output("--pairs", arguments.pairs, (".csv",))
    if arguments.missing == IMPUTE:
        check_imputed(arguments)
    _check_effects(arguments)
    options |= read_start(arguments)
    searched = search_options(arguments)
    if client is None or line is None:
        found = read_data(arguments.file, arguments, note=True, seed=arguments.seed)
    else:
        found = read_on_cluster(arguments.file, arguments, client, line)
        searched["on_step"] = lambda step: line.write(f"{step.index:,} flips")
    single = needs_one_table(arguments)
    pools = arguments.missing == IMPUTE or (found.imputed is not None and single is None)
    data = found.data if pools else data_of(found, single)
    _check_counted(arguments, data)
    given = options | searched | read_known(arguments, data)
    compile_first()
    learned = _of_imputed(arguments, found) if pools else _of_table(arguments, data, given)
    if line is not None:
        line.end()
    print(f"{printable(arguments.file)}: {data.rows} rows, {data.n} variables")
    print("\n".join(learned.lines))
    trace, confidence, effects = learned.trace, learned.confidence, learned.effects
    warnings = bjp.confidence.list_warnings(data, trace, confidence, effects=effects)
    for warning in warnings:
        print(f"warning: {printable(warning)}")
    more: dict[str, Any] = {"effects": effects, "warnings": warnings}
    if arguments.paper:
        said: dict[str, Any] = {"preparation": found.for_paper, "imputed": learned.imputed}
        print(write_paragraph(data, trace, confidence, **said, **more))
    write_pairs(arguments.pairs, confidence, trace.graph, effects=effects)
    if output is None or arguments.effects:
        print("\n".join(edge_lines(trace, confidence, effects)))
    if output is not None:
        if Path(output).suffix.lower() == ".json":
            steps = None if found.preparation is None else found.preparation.to_dict()
            text = bjp.io.trace_json(trace, confidence, preparation=steps, **more)
            Path(output).write_text(text + "\n", encoding="utf-8")
        else:
            bjp.io.write_graph(trace.graph, output, confidence=confidence, **more)
        print(f"written: {printable(output)}")
    return 0


class _Learned(NamedTuple):
    """What was learned, and the lines that say how."""

    lines: list[str]
    trace: SearchTrace
    confidence: EdgeConfidence | None
    effects: pd.DataFrame | None
    imputed: Imputed | None = None


def _of_table(arguments: argparse.Namespace, data: Dataset, given: dict[str, Any]) -> _Learned:
    """One table."""
    import bjp_engine as bjp

    trace = bjp.learn(data, arguments.method, arguments.search, **given)
    confidence = _edge_confidence(arguments, data, trace, given)
    lines = [*trace_lines(trace), *([] if confidence is None else [confidence_line(confidence)])]
    return _Learned(lines, trace, confidence, _edge_effects(arguments, data, trace))


def _of_imputed(arguments: argparse.Namespace, found: ReadData) -> _Learned:
    """Several completed tables: the graph of the pairs whose pooled probability is 0.5 or more."""
    import bjp_engine as bjp
    from bjp_engine.parameters import Imputed, pool_effects
    from bjp_engine.records import FrozenMapping

    imputed = found.imputed or Imputed((found.data,), FrozenMapping({}), arguments.seed or 0, 0)
    if (arguments.prepare, arguments.roles) != (None, None):
        # What is said of the first table is not so of the pooled ones.
        print("\n".join(line for line in found.lines if imputed.sentence not in line))
    known = read_known(arguments, found.data)
    pooled = bjp.edge_probabilities(imputed, **known)
    trace = replace(bjp.learn(found.data, "bjp", "auto", **known), graph=pooled.graph(0.5))
    effects = None
    if arguments.effects:
        how = _effect_options(arguments, found.data)
        effects = pool_effects(imputed, trace.graph, **how)
    return _Learned([*imputed_lines(imputed)], trace, pooled, effects, imputed)


def run_score(arguments: argparse.Namespace) -> int:
    """Score a graph on a table."""
    import bjp_engine as bjp
    from bjp_engine.confidence.doubts import warn_of_unused_states

    methods = list(SCORES) if arguments.method == "all" else [arguments.method]
    data = data_of(read_data(arguments.file, arguments))
    graph = read_graph_file(arguments.graph)
    for method in methods:
        trace = bjp.score(data, graph, method, **score_options(arguments, method))
        print(f"{method}\t{trace.total!r}" if len(methods) > 1 else repr(trace.total))
        if arguments.terms:
            print("\n".join(term_lines(trace)))
    for warning in warn_of_unused_states(data, arguments):
        print(f"warning: {printable(warning)}", file=sys.stderr)
    return 0


# --- From arguments to options --------------------------------------------------------------------


def data_of(found: ReadData, single: str | None = None) -> Dataset:
    """A table, of completed ones the first; what was done and what is suggested is printed."""
    if found.lines:
        print("\n".join(found.lines))
    if found.note is not None:
        print(found.note, file=sys.stderr)
    if single is not None and found.imputed is not None:
        print(f"note: {single} needs one table, so only the first is used.", file=sys.stderr)
    return found.data


def score_options(arguments: argparse.Namespace, method: str) -> dict[str, Any]:
    """The options that were given; of those for all methods, the ones this method has."""
    has = {*PRIOR_OPTIONS, *(field.name for field in fields(find_score(method).options_type))}
    given = {name: getattr(arguments, name) for name in (*SCORE_OPTIONS, *PRIOR_OPTIONS)}
    return {
        name: value
        for name, value in given.items()
        if value is not None and (arguments.method != "all" or name in has)
    }


def _check_effects(arguments: argparse.Namespace) -> None:
    """Refuse what goes only with effects."""
    if arguments.ordered is not None and not arguments.effects:
        raise OptionError("--ordered needs --effects.")


def read_start(arguments: argparse.Namespace) -> dict[str, Any]:
    """Where the search begins, if it was given: a word, or a graph."""
    if arguments.start is None:
        return {}
    is_file = Path(arguments.start).suffix.lower() in (*GRAPH_FORMATS, ".gml")
    return {"start": read_graph_file(arguments.start) if is_file else arguments.start}


def read_known(arguments: argparse.Namespace, data: Dataset) -> dict[str, Any]:
    """What is known of pairs, if a file says it."""
    import bjp_engine as bjp

    if arguments.known is None:
        return {}
    return {"known": bjp.io.read_known(arguments.known, data.names)}


def search_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The budget, the seed and the search's own options, given by `--option`."""
    score = find_score(arguments.method)
    search = find_search(arguments.search, score)
    of_score, of_search = fields(score.options_type), fields(search.options_type)
    kinds = {field.name: type(field.default) for field in (*of_score, *of_search)}
    given = {key: getattr(arguments, key) for key in ("seconds", "evaluations", "seed")}
    found = {key: value for key, value in given.items() if value is not None}
    other = any(getattr(arguments, name, None) for name in ("confidence", "effects"))
    if other and "seed" not in kinds:
        found.pop("seed", None)
    for text in arguments.option:
        key, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option {clip(text)} must read NAME=VALUE.")
        kind = kinds.get(key, str)
        try:
            found[key] = kind(value) if kind in (int, float) else value
        except ValueError:
            number = "a whole number" if kind is int else "a number"
            raise OptionError(f"--option {clip(text)}: the value must be {number}.") from None
    return found


def _number_or_word(text: str) -> float | str:
    """A number where it is one; the engine knows the words."""
    try:
        return float(text)
    except ValueError:
        return text


def _edge_confidence(
    arguments: argparse.Namespace, data: Dataset, trace: SearchTrace, given: dict[str, Any]
) -> EdgeConfidence | None:
    """The number of each pair, of the search that the graph was learned by with its options."""
    from bjp_engine.confidence.posteriors import confidence_of_kind

    how = arguments.confidence or (None if arguments.pairs is None else "calibrated")
    if how is None:
        return None
    options = {name: one for name, one in given.items() if name not in ("seed", "on_step")}
    number = {"resamples": arguments.resamples, "seed": arguments.seed or 0}
    return confidence_of_kind(how, data, trace, arguments.search, **number, **options)


def _edge_effects(
    arguments: argparse.Namespace, data: Dataset, trace: SearchTrace
) -> pd.DataFrame | None:
    from bjp_engine.parameters.effects import edge_effects

    if not arguments.effects:
        return None
    return edge_effects(data, trace.graph, **_effect_options(arguments, data))


def _effect_options(arguments: argparse.Namespace, data: Dataset) -> dict[str, Any]:
    from bjp_engine.validate import whole_number

    ordered = None if arguments.ordered is None else split_names(arguments.ordered, data.names)
    return {
        "ordered": ordered,
        "resamples": whole_number(arguments.resamples, "resamples", 1),
        "seed": whole_number(arguments.seed or 0, "seed"),
    }
