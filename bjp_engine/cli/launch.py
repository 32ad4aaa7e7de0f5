"""Start the app: find its folder and a free port, and run Streamlit there.

Streamlit is started as a program of its own, so the engine imports nothing of it.
"""

from __future__ import annotations

import argparse
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from bjp_engine.errors import OptionError, not_installed
from bjp_engine.resources import app_files

HOST = "127.0.0.1"
FIRST_PORT = 8501
PORTS_TRIED = 100


def app_folder() -> Path:
    """Find the folder that holds app.py."""
    if not (app_files() / "app.py").is_file():
        raise FileNotFoundError(
            "The app's files are missing from this installation: install bjp-explorer again."
        )
    return app_files()


def free_port(first: int = FIRST_PORT) -> int:
    """Find the first port of this machine, from `first` upward, that nothing uses."""
    if not 1 <= first <= 65535:
        raise OptionError(f"Port {first} doesn't exist: choose one from 1024 to 65535.")
    last = min(first + PORTS_TRIED, 65536)
    for port in range(first, last):
        with suppress(OSError), socket.create_server((HOST, port)):
            return port
    raise OptionError(
        f"The ports {first} to {last - 1} are all taken or not allowed: choose another --port."
    )


def command(folder: Path, port: int, *more: str) -> list[str]:
    """The command line that serves the app; its other settings are in the folder."""
    where = (f"--server.address={HOST}", f"--server.port={port}")
    private = "--browser.gatherUsageStats=false"
    program = [sys.executable, "-m", "streamlit", "run", str(folder / "app.py")]
    return [*program, *where, private, *more]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where it is served."""
    parser.add_argument(
        "--port", type=int, default=FIRST_PORT, help="default 8501, or the next free one"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> int:
    """Serve the explorer until Ctrl-C; Streamlit opens the browser where there is a screen."""
    if find_spec("streamlit") is None:
        raise not_installed("The app", "Streamlit", "'bjp-explorer[app]'")
    folder, port = app_folder(), free_port(arguments.port)
    print(f"BJP Explorer starts at http://{HOST}:{port}  (Ctrl-C stops it)", flush=True)
    hidden = ["--server.headless=true"] * arguments.no_browser
    # Streamlit reads .streamlit/config.toml from the folder it is started in.
    server = subprocess.Popen(command(folder, port, *hidden), cwd=folder, stdin=subprocess.DEVNULL)  # noqa: S603
    # A terminal interrupts the server as well; a polite `kill` is passed on.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    code = server.wait()
    return code if code >= 0 else 128 - code
