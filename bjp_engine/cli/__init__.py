"""The `bjp` command: open the app, or learn and score from the terminal.

What a command computes goes to standard output; what went wrong is one sentence on
standard error. Exit codes: 0 done, 2 the input can't be used, 130 interrupted.
Everything heavy is imported by the command that needs it.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from bjp_engine.cli.experiment import add_experiment_arguments, run_experiments
from bjp_engine.cli.health import (
    add_health_arguments,
    add_prepare_argument,
    prepared,
    run_health,
)
from bjp_engine.cli.report import add_report_arguments, run_report
from bjp_engine.cli.search import add_search_arguments, search_options, trace_lines
from bjp_engine.errors import BJPError, Cancelled, OptionError

if TYPE_CHECKING:
    from bjp_engine.confidence import EdgeConfidence
    from bjp_engine.dataset import Dataset
    from bjp_engine.preparation import Preparation
    from bjp_engine.scores import ScoreTrace
    from bjp_engine.search import SearchTrace

METHODS = ("bjp", "ib", "mpl")
TEST_OPTIONS = ("prior", "gamma", "slices")
OPTIONS_OF = {"bjp": TEST_OPTIONS, "ib": TEST_OPTIONS, "mpl": ("ess",)}
CONFIDENCES = ("test", "bootstrap", "mcmc", "exact")
PRIOR_OPTIONS = ("edge_probability", "expected_degree")
GRAPH_FORMATS = (".graphml", ".gml", ".csv", ".json")
MODEL_FORMATS = (".mn", ".py")
OUTPUT_FORMATS = (*GRAPH_FORMATS, *MODEL_FORMATS)
ESTIMATES = ("pseudo-likelihood", "likelihood", "auto")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    _print_anything()
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except (BJPError, OSError, Cancelled) as error:
        return _report(error)
    except KeyboardInterrupt:
        return 130


def _report(error: BaseException) -> int:
    """Say in one sentence what went wrong."""
    if isinstance(error, BrokenPipeError):
        # The reader, such as `head`, has had enough; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    sentence = str(error)
    if isinstance(error, OSError) and error.strerror:
        sentence = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    # In the terminal the choice is a flag.
    sentence = re.sub(r"\(missing='(\w+)'\)", r"(--missing \1)", sentence)
    print(f"bjp: {_plain(sentence)}", file=sys.stderr)
    return 2


def _print_anything() -> None:
    """A terminal that lacks ⊥ or a name's letters shows a question mark, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _plain(text: object) -> str:
    """Text from a file as it may be shown: one line, no control characters."""
    return "".join(c if c.isprintable() else " " for c in str(text))


# --- Commands ------------------------------------------------------------------------------------


def _app(arguments: argparse.Namespace) -> int:
    """Serve the explorer until Ctrl-C."""
    from bjp_engine.cli.launch import run_app

    def stop(*_: object) -> NoReturn:
        raise SystemExit(143)

    # A polite `kill` ends the server as well.
    signal.signal(signal.SIGTERM, stop)
    return run_app(
        arguments.port,
        browser=not arguments.no_browser,
        report=lambda sentence: print(sentence, flush=True),
    )


def _learn(arguments: argparse.Namespace) -> int:
    """Learn a network and write it."""
    import bjp_engine as bjp

    options = _options(arguments, arguments.method)
    _check_output(arguments.output, arguments.parameters)
    if arguments.start is not None:
        is_file = Path(arguments.start).suffix.lower() in GRAPH_FORMATS
        options["start"] = bjp.read_graph(arguments.start) if is_file else arguments.start
    given = options | search_options(arguments)
    data, preparation = _read(arguments)
    trace = bjp.learn(data, arguments.method, arguments.search, **given)
    print(f"{_plain(arguments.file)}: {data.rows} rows, {data.n} variables")
    print("\n".join(trace_lines(trace)))
    sure = _confidence(arguments, data, trace, options)
    if sure is not None:
        print(_told(sure))
    if arguments.output is None:
        for x, y in trace.graph.edges():
            told = "" if sure is None else f"\t{sure.of(x, y).confidence:.4f}"
            print(f"{_plain(x)} - {_plain(y)}{told}")
    elif Path(arguments.output).suffix.lower() in MODEL_FORMATS:
        _write_model(data, trace, arguments.output, arguments.parameters)
    else:
        _write(trace, arguments.output, sure, preparation)
    return 0


def _read(arguments: argparse.Namespace) -> tuple[Dataset, Preparation | None]:
    """The table, and how it was prepared where steps were given."""
    import bjp_engine as bjp

    if arguments.prepare is None:
        return bjp.read_table(arguments.file, missing=arguments.missing), None
    data, preparation, said = prepared(arguments.file, arguments.prepare, arguments.missing)
    print("\n".join(said))
    return data, preparation


def _confidence(
    arguments: argparse.Namespace, data: Dataset, trace: SearchTrace, options: dict[str, Any]
) -> EdgeConfidence | None:
    """How sure it is of each edge, in the way that was asked for."""
    import bjp_engine as bjp
    from bjp_engine.search.auto.search import begun_with

    how, method, seed = arguments.confidence, arguments.method, arguments.seed or 0
    if how is None:
        return None
    if how == "bootstrap":
        asked = {"resamples": arguments.resamples, "seed": seed}
        return bjp.bootstrap(data, method, arguments.search, **asked, **options)
    of_score = {name: value for name, value in options.items() if name != "start"}
    if how == "test":
        return bjp.test_confidence(data, trace.graph, method, **of_score)
    asked = begun_with(trace.search, of_score)
    return bjp.posterior_edges(data, method, how=how, seed=seed, seconds=arguments.seconds, **asked)


def _told(sure: EdgeConfidence) -> str:
    """What the confidence is, in a line."""
    if sure.kind == "bootstrap":
        return f"confidence: bootstrap frequency in {sure.made} resamples"
    found = sure.diagnostics
    if found is None:
        kinds = {"test": "posterior of each test", "exact": "posterior over all graphs"}
        return f"confidence: {kinds[sure.kind]}"
    agree = "agree" if found.converged else "do not agree yet"
    worst = "" if found.rhat is None else f" (R-hat {found.rhat:.3f}, {found.ess:.0f} effective)"
    return (
        f"confidence: posterior by {found.chains} Markov chains of {found.draws} draws, "
        f"which {agree}{worst}"
    )


def _write(
    trace: SearchTrace, path: str, sure: EdgeConfidence | None, preparation: Preparation | None
) -> None:
    """The graph as a file; as JSON, with everything the search went through."""
    import bjp_engine as bjp

    if Path(path).suffix.lower() == ".json":
        steps = None if preparation is None else preparation.to_dict()
        text = bjp.trace_json(trace, sure, preparation=steps)
        Path(path).write_text(text + "\n", encoding="utf-8")
    else:
        bjp.write_graph(trace.graph, path, confidence=sure)
    print(f"written: {_plain(path)}")


def _write_model(data: Dataset, trace: SearchTrace, path: str, estimate: str | None) -> None:
    """The network for programs that compute with it; with parameters where they are asked for."""
    import bjp_engine as bjp

    fitted = None if estimate is None else bjp.fit_parameters(data, trace.graph, estimate)  # type: ignore[arg-type]
    bjp.write_graph(trace.graph, path, data=data, network=fitted)
    print(f"written: {_plain(path)}")


def _score(arguments: argparse.Namespace) -> int:
    """Score a graph on a table."""
    import bjp_engine as bjp

    methods = METHODS if arguments.method == "all" else (arguments.method,)
    data, _ = _read(arguments)
    graph = bjp.read_graph(arguments.graph)
    for method in methods:
        trace = bjp.score(data, graph, method, **_options(arguments, method))
        print(f"{method}\t{trace.total!r}" if len(methods) > 1 else repr(trace.total))
        if arguments.terms:
            print("\n".join(_term_lines(trace)))
    return 0


def _networks(_: argparse.Namespace) -> int:
    """List the benchmark networks."""
    import bjp_engine as bjp

    for name in bjp.networks.names():
        graph = bjp.networks.load(name)
        print(f"{name}\t{graph.number_of_nodes()} nodes\t{graph.number_of_edges()} edges")
    return 0


def _warmup(_: argparse.Namespace) -> int:
    """Compile the kernels, so that nobody waits for it later."""
    import bjp_engine as bjp

    bjp.warmup(report=lambda sentence: print(sentence, flush=True))
    return 0


# --- Arguments and lines -------------------------------------------------------------------------


def _options(arguments: argparse.Namespace, method: str) -> dict[str, Any]:
    """The options that were given; of those for all methods, the ones this method has."""
    has = (*OPTIONS_OF[method], *PRIOR_OPTIONS)
    given = {name: getattr(arguments, name) for name in (*TEST_OPTIONS, "ess", *PRIOR_OPTIONS)}
    return {
        name: value
        for name, value in given.items()
        if value is not None and (arguments.method != "all" or name in has)
    }


def _number_or_word(text: str) -> float | str:
    """A number where it is one; what the word means, the engine knows."""
    try:
        return float(text)
    except ValueError:
        return text


def _check_output(path: str | None, estimate: str | None) -> None:
    """Refuse before the work what could not be written after it."""
    suffix = "" if path is None else Path(path).suffix.lower()
    if path is not None and suffix not in OUTPUT_FORMATS:
        raise OptionError(f"--output must end in one of {', '.join(OUTPUT_FORMATS)}.")
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise OptionError(f"--output: the folder of {path} doesn't exist; make it first.")
    if estimate is not None and suffix not in MODEL_FORMATS:
        raise OptionError("--parameters needs an --output that holds them: .mn or .py.")


def _term_lines(trace: ScoreTrace) -> Iterator[str]:
    """One line per term: value, whether computed, and what the term says."""
    from bjp_engine.scores import AssertionTerm

    for term in trace.terms:
        said, origin = _plain(term.x), "computed"
        if isinstance(term, AssertionTerm):
            said += f" {'⊥̸' if term.dependent else '⊥'} {_plain(term.y)}"
            origin = "computed" if term.computed else "inferred"
        given = ", ".join(_plain(name) for name in term.given) or "∅"
        yield f"{term.value!r}\t{origin}\t{said} | {given}"


def _parser() -> argparse.ArgumentParser:
    """Every command and its arguments."""
    parser = argparse.ArgumentParser(
        prog="bjp", description="Learn and score Markov networks with the BJP score, and see why."
    )
    parser.add_argument("--version", action="version", version=f"bjp {version('bjp-explorer')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    app = commands.add_parser("app", help="open the explorer in the browser")
    app.add_argument("--port", type=int, default=8501, help="default 8501, or the next free one")
    app.add_argument("--no-browser", action="store_true", help="only print the address")
    app.set_defaults(run=_app)

    learn = commands.add_parser("learn", help="learn a network from a table")
    _add_table_arguments(learn, METHODS)
    add_search_arguments(learn)
    learn.add_argument(
        "--output",
        help="a .graphml, .gml, .csv or .json (with the whole trace) file; .mn for Libra, .py to "
        "build it with pgmpy",
    )
    learn.add_argument(
        "--parameters", choices=ESTIMATES, help="fit them, for an --output of .mn or .py"
    )
    learn.add_argument("--confidence", choices=CONFIDENCES, help="how sure it is of each edge")
    learn.add_argument("--resamples", type=int, default=200, help="of the bootstrap, default 200")
    learn.set_defaults(run=_learn)

    score = commands.add_parser("score", help="score a graph on a table")
    _add_table_arguments(score, (*METHODS, "all"))
    score.add_argument("--graph", required=True, help="a .graphml, .gml, .csv or .json file")
    score.add_argument("--terms", action="store_true", help="print every term of the sum")
    score.set_defaults(run=_score)

    health = commands.add_parser("health", help="what a table is and what is wrong with it")
    add_health_arguments(health)
    health.set_defaults(run=run_health)

    experiment = commands.add_parser("experiment", help="reproduce the paper's tables")
    add_experiment_arguments(experiment)
    experiment.set_defaults(run=run_experiments)

    report = commands.add_parser("report", help="show the results of experiments")
    add_report_arguments(report)
    report.set_defaults(run=run_report)

    commands.add_parser("networks", help="list the benchmark networks").set_defaults(run=_networks)
    commands.add_parser("warmup", help="compile the kernels now").set_defaults(run=_warmup)
    return parser


def _add_table_arguments(parser: argparse.ArgumentParser, methods: Sequence[str]) -> None:
    """The table, the score and the options of the score."""
    parser.add_argument("file", metavar="FILE", help="CSV, TSV, Parquet, Excel or Libra .data")
    parser.add_argument("--method", choices=methods, default="bjp", help="default bjp")
    parser.add_argument("--missing", choices=("error", "drop", "state"), default="error")
    add_prepare_argument(parser)
    parser.add_argument("--prior", type=float, help="prior probability of independence, 0.5")
    parser.add_argument("--gamma", type=float, help="weight of every cell of a table, 1")
    parser.add_argument("--slices", choices=("all", "observed"), help="configurations K counts")
    parser.add_argument("--ess", type=float, help="equivalent sample size of mpl, 1")
    parser.add_argument("--expected-degree", type=float, help="neighbours a variable has, a priori")
    parser.add_argument(
        "--edge-probability",
        type=_number_or_word,
        metavar="NUMBER|data",
        help="of every edge, a priori; 'data' estimates it (learn only)",
    )
