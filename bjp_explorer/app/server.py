"""What stands around the app when it is served: settings, headers, and an end in order."""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import importlib
import os
import re
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from bjp_engine.errors import OptionError
from bjp_explorer.jobs.pool import WORKERS, workers
from bjp_explorer.shell.frames import Frames

# Seconds between two collections of all garbage.
COLLECTED = 20.0


def guard(app: Application) -> Application:
    """The app under its own names only, with the headers of every answer."""
    try:
        workers(os.environ.get(WORKERS))
    except OptionError as error:
        sys.exit(str(error))
    return Frames(Headers(OwnHost(app)))


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """What is done when the server begins and ends.

    It gets ready while the first browser still loads, and looks for garbage now and then, not
    after every run.
    """
    threading.Thread(target=_get_ready, name="get ready", daemon=True).start()
    collecting = asyncio.create_task(_collect())
    yield
    collecting.cancel()


def _get_ready() -> None:
    importlib.import_module("bjp_explorer.app.frame")
    importlib.import_module("bjp_explorer.shell.visit").warm_up()
    # None of this is ever garbage, and to look through it takes longer than a click.
    gc.collect()
    gc.freeze()


async def _collect() -> None:
    """Look for garbage at intervals, so that what a visit or a search held is soon given back."""
    while True:
        await asyncio.sleep(COLLECTED)
        await asyncio.to_thread(gc.collect)


# --- Headers --------------------------------------------------------------------------------------

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def page() -> str:
    """The HTML page that Streamlit serves."""
    return (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")


def policy(html: str) -> str:
    """The content security policy."""
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in _INLINE.findall(html)
    ]
    scripts = " ".join(["'self'", *(f"'sha256-{found}'" for found in hashes)])
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            # Streamlit and Plotly write style elements and attributes.
            "style-src 'self' 'unsafe-inline'",
            # Figures are drawn as data, and saved as blobs.
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            # The websocket is of the same origin.
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            # What is shown in a frame has a policy of its own (shell/frames.py).
            "frame-src 'self'",
            "frame-ancestors 'none'",
        )
    )


def headers() -> dict[str, str]:
    """The headers of every answer, by name."""
    return {
        "Content-Security-Policy": policy(page()),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }


class OwnHost:
    """Middleware that answers under the server's own names, and websockets of its own pages.

    Streamlit checks names for the websocket only, and looks up its own address outside before it
    refuses a page of another origin.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuse, or let the application answer."""
        kind = scope["type"]
        if kind not in ("http", "websocket") or _is_own(scope):
            await self._app(scope, receive, send)
        elif kind == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            given = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": given})
            await send({"type": "http.response.body", "body": b"This server has another name."})


def _is_own(scope: Message) -> bool:
    """Whether a request names this server, and a websocket comes from one of its pages."""
    found: dict[bytes, list[str]] = {}
    for name, value in scope.get("headers", ()):
        found.setdefault(name.lower(), []).append(value.decode("latin-1"))
    host = ",".join(found.get(b"host", ())) or None
    if not is_host_allowed(host):
        return False
    origins = found.get(b"origin", ()) if scope["type"] == "websocket" else ()
    return all(_place(origin) == (host or "").lower() for origin in origins)


def _place(origin: str) -> str:
    """The host and port of an origin; empty where it has none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


class Headers:
    """Middleware that puts them on every answer."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._added = [(k.lower().encode(), v.encode()) for k, v in headers().items()]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let the application answer, and add the headers."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in self._added}
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in names]
                message["headers"] = [*kept, *self._added]
            await send(message)

        await self._app(scope, receive, sending if scope["type"] == "http" else send)
