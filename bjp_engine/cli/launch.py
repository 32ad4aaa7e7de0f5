"""Start the app: find its folder and a free port, run Streamlit there, wait until it answers.

Streamlit is started as a program of its own, so the engine imports nothing of it.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from bjp_engine.errors import OptionError, not_installed
from bjp_engine.resources import app_files

HOST = "127.0.0.1"
FIRST_PORT = 8501
PORTS_TRIED = 100
PATIENCE = 120.0  # seconds for a cold start on a slow machine


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
        if _is_free(port):
            return port
    raise OptionError(
        f"The ports {first} to {last - 1} are all taken or not allowed: choose another --port."
    )


def _is_free(port: int) -> bool:
    """Whether nothing answers at the port and a server may be opened there."""
    with socket.socket() as caller:
        caller.settimeout(0.5)
        if caller.connect_ex((HOST, port)) == 0:
            return False
    with socket.socket() as server:
        if os.name != "nt":
            # A port whose last server has just ended is free; on Windows this would steal one.
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((HOST, port))
        except OSError:
            return False
    return True


def command(folder: Path, port: int) -> list[str]:
    """The command line that serves the app."""
    options = {
        "server.address": HOST,
        "server.port": port,
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
        # Nobody edits the app while it is used; watching its files would only cost.
        "server.fileWatcherType": "none",
    }
    settings = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "streamlit", "run", str(folder / "app.py"), *settings]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where it is served."""
    parser.add_argument(
        "--port", type=int, default=FIRST_PORT, help="default 8501, or the next free one"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> int:
    """Serve the explorer until Ctrl-C."""
    if find_spec("streamlit") is None:
        raise not_installed("The app", "Streamlit", "'bjp-explorer[app]'")

    def stop(*_: object) -> NoReturn:
        raise SystemExit(143)

    # A polite `kill` ends the server as well.
    signal.signal(signal.SIGTERM, stop)
    return serve(arguments.port, browser=not arguments.no_browser)


def serve(first_port: int, *, browser: bool) -> int:
    """Serve the app until it is stopped."""
    folder = app_folder()
    port = free_port(first_port)
    if port != first_port:
        print(f"Port {first_port} is taken, so {port} is used.", flush=True)
    # Streamlit reads .streamlit/config.toml from the folder it is started in.
    server = subprocess.Popen(command(folder, port), cwd=folder, stdin=subprocess.DEVNULL)  # noqa: S603
    try:
        if _answers(server, port):
            url = f"http://{HOST}:{port}"
            print(f"BJP Explorer is open at {url}  (Ctrl-C stops it)", flush=True)
            if browser and _has_screen():
                webbrowser.open(url)
        return server.wait()
    except KeyboardInterrupt:
        # The terminal has interrupted the server as well; a second time would look like an error.
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=3)
        return 0
    finally:
        server.terminate()
        server.wait()


def _answers(server: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until the server is healthy; False if it ends or says nothing for too long."""
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        connection = HTTPConnection(HOST, port, timeout=5)
        try:
            connection.request("GET", "/_stcore/health")
            if connection.getresponse().status == 200:
                return True
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    return False


def _has_screen() -> bool:
    """Whether a browser window can open: without a display, one inside the terminal would."""
    if os.name == "nt" or sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
