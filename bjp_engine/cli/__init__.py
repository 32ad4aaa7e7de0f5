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
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from bjp_engine.cli.common import name_flags
from bjp_engine.cli.learn import learn_arguments, run_learn, run_score, score_arguments
from bjp_engine.cli.share import run_share, run_sheet, share_arguments, sheet_arguments
from bjp_engine.cli.studies import (
    compare_arguments,
    experiment_arguments,
    plan_arguments,
    report_arguments,
    run_compare,
    run_experiments,
    run_plan,
    run_report,
)
from bjp_engine.cli.tables import health_arguments, run_health
from bjp_engine.errors import BJPError, Cancelled, OptionError, not_installed, printable
from bjp_engine.resources import app_files
from bjp_engine.validate import whole_number

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
        return _report(error)
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


def _report(error: BaseException) -> int:
    """Say in one sentence what went wrong."""
    if isinstance(error, BrokenPipeError):
        # The reader, such as `head`, has had enough; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    sentence = str(error)
    if isinstance(error, OSError) and error.strerror:
        sentence = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    print(f"bjp: {printable(name_flags(sentence))}", file=sys.stderr)
    return 2


def _app_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8501, help="default 8501, or the next free one")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


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


# What each command is for, its arguments, and what it does.
COMMANDS = {
    "app": ("open the explorer in the browser", _app_arguments, _run_app),
    "learn": ("learn a network from a table", learn_arguments, run_learn),
    "score": ("score a graph on a table", score_arguments, run_score),
    "share": ("write a result, or the lessons, as HTML pages", share_arguments, run_share),
    "compare": ("test whether groups have the same network", compare_arguments, run_compare),
    "plan": ("forecast what so many rows find", plan_arguments, run_plan),
    "health": ("find what is wrong with a table", health_arguments, run_health),
    "experiment": ("reproduce the paper's tables", experiment_arguments, run_experiments),
    "report": ("show the results of experiments", report_arguments, run_report),
    "sheet": ("write a sheet of exercises", sheet_arguments, run_sheet),
    "networks": ("list the benchmark networks", None, _list_networks),
    "warmup": ("compile the kernels now", None, _warm_up),
}


def make_parser() -> argparse.ArgumentParser:
    """Every command and its arguments."""
    parser = argparse.ArgumentParser(
        prog="bjp", description="Learn and score Markov networks with the BJP score, and see why."
    )
    parser.add_argument("--version", action="version", version=f"bjp {version('bjp-explorer')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parser.set_defaults(run=_show_help)
    for name, (purpose, add_arguments, run) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose)
        if add_arguments is not None:
            add_arguments(command)
        command.set_defaults(run=run)
    return parser
