"""The `bjp` command: open the app, or learn and score from the terminal.

What a command computes goes to standard output; what went wrong is one sentence on
standard error. Exit codes: 0 done, 2 the input can't be used, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from bjp_engine.cli.common import LEARNER, PREPARE, SCORE, SEARCH, TABLE, add_arguments, name_flags
from bjp_engine.cli.learn import LEARN, SCORE_GRAPH, run_learn, run_score
from bjp_engine.cli.share import SHARE, SHEET, run_share, run_sheet
from bjp_engine.cli.studies import (
    COMPARE,
    EXPERIMENT,
    PLAN,
    REPORT,
    run_compare,
    run_experiments,
    run_plan,
    run_report,
)
from bjp_engine.cli.tables import HEALTH, run_health
from bjp_engine.errors import BJPError, Cancelled, OptionError, clip, not_installed, printable
from bjp_engine.resources import app_files
from bjp_engine.validate import OR_IMPUTE, whole_number

HOST, PORTS_TRIED = "127.0.0.1", 100


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    # A terminal that lacks ⊥ or a name's letters shows a question mark, not a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    arguments = make_parser().parse_args(argv)
    try:
        with warnings.catch_warnings():
            _note_warnings()
            code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except (BJPError, OSError, Cancelled) as error:
        return _report(error, learns=arguments.run is run_learn)
    except KeyboardInterrupt:
        return 130


def _note_warnings() -> None:
    """Have what the library warns of printed as a note, each sentence once."""
    usual, said = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
        note = printable(name_flags(str(message)))
        if category is not UserWarning:
            usual(message, category, *where)
        elif note not in said:
            said.add(note)
            print(f"note: {note}", file=sys.stderr)

    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = show  # type: ignore[assignment]


def _report(error: BaseException, *, learns: bool) -> int:
    """Say in one sentence what went wrong; only what `learns` from a table imputes, too."""
    if isinstance(error, BrokenPipeError):
        # The reader, such as `head`, has had enough; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    sentence = str(error)
    if isinstance(error, FileNotFoundError):
        sentence = f"There is no file {clip(error.filename)}; check the name and the folder."
    elif isinstance(error, OSError) and error.strerror:
        sentence = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    sentence = sentence if learns else sentence.replace(OR_IMPUTE, "")
    print(f"bjp: {printable(name_flags(sentence))}", file=sys.stderr)
    return 2


APP = {
    "--port 8501": "default 8501, or the next free one",
    "--no-browser": "only print the address",
}


def _run_app(arguments: argparse.Namespace) -> int:
    """Serve the explorer until Ctrl-C; Streamlit opens the browser where there is a screen."""
    if find_spec("streamlit") is None:
        raise not_installed("The app", "Streamlit", "'bjp-explorer[app]'")
    # Its other settings are in the folder, where Streamlit reads them.
    folder, port = app_files(), _free_port(whole_number(arguments.port, "port", 1, 65535))
    print(f"BJP Explorer starts at http://{HOST}:{port}  (Ctrl-C stops it)", flush=True)
    how = (f"--server.address={HOST}", f"--server.port={port}", "--browser.gatherUsageStats=false")
    hidden = ["--server.headless=true"] * arguments.no_browser
    # A program of its own, so the engine imports nothing of it.
    program = [sys.executable, "-m", "streamlit", "run", str(folder / "app.py"), *how, *hidden]
    server = subprocess.Popen(program, cwd=folder, stdin=subprocess.DEVNULL)  # noqa: S603
    # A terminal interrupts the server as well; a polite `kill` is passed on.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    code = server.wait()
    return code if code >= 0 else 128 - code


def _free_port(first: int) -> int:
    """The first port of this machine, from `first` upward, that nothing uses."""
    last = min(first + PORTS_TRIED, 65536)
    for port in range(first, last):
        with suppress(OSError), socket.create_server((HOST, port)):
            return port
    raise OptionError(
        f"The ports {first} to {last - 1} are all taken or not allowed: choose another --port."
    )


def _list_networks(_: argparse.Namespace) -> int:
    import bjp_engine as bjp

    for name in bjp.networks.names():
        graph = bjp.networks.load(name)
        print(f"{name}\t{graph.number_of_nodes()} nodes\t{graph.number_of_edges()} edges")
    return 0


def _warm_up(_: argparse.Namespace) -> int:
    from bjp_engine.warmup import warmup

    warmup(report=lambda sentence: print(sentence, flush=True))
    return 0


def _show_help(_: argparse.Namespace) -> int:
    """What there is, for who named no command."""
    make_parser().print_help(sys.stderr)
    return 2


# What each command is for, what it does, and groups of its arguments.
COMMANDS: dict[
    str, tuple[str, Callable[[argparse.Namespace], int], *tuple[dict[str, str], ...]]
] = {
    "app": ("open the explorer in the browser", _run_app, APP),
    "learn": ("learn a network from a table", run_learn, SCORE, SEARCH, LEARN),
    "score": ("score a graph on a table", run_score, SCORE, SCORE_GRAPH),
    "share": ("write a result, or the lessons, as HTML pages", run_share, SHARE, SCORE, SEARCH),
    "compare": ("test whether groups have the same network", run_compare, SCORE, COMPARE, LEARNER),
    "plan": ("forecast what so many rows find", run_plan, TABLE, PREPARE, PLAN),
    "health": ("find what is wrong with a table", run_health, TABLE, HEALTH),
    "experiment": ("reproduce the paper's tables", run_experiments, EXPERIMENT),
    "report": ("show the results of experiments", run_report, REPORT),
    "sheet": ("write a sheet of exercises", run_sheet, SHEET),
    "networks": ("list the benchmark networks", _list_networks),
    "warmup": ("compile the kernels now", _warm_up),
}


def make_parser() -> argparse.ArgumentParser:
    """Every command and its arguments."""
    parser = argparse.ArgumentParser(
        prog="bjp", description="Learn and score Markov networks with the BJP score, and see why."
    )
    parser.add_argument("--version", action="version", version=f"bjp {version('bjp-explorer')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parser.set_defaults(run=_show_help)
    for name, (purpose, run, *groups) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose)
        add_arguments(command, *groups)
        command.set_defaults(run=run)
    return parser
