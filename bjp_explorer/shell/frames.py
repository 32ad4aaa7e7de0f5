"""Pages that the app shows in a frame of their own, where their scripts reach nothing of the app.

A page is kept by a digest of its content and answered under `/frame/…` with a policy of its own:
an opaque origin, no request, no form.
"""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from bjp_explorer.shell import caches

PATH = "/frame/"
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "sandbox allow-scripts; default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def show(page: str, height: int) -> None:
    """Show an HTML page in a frame."""
    name = hashlib.sha256(page.encode()).hexdigest()
    caches.drawn(("frame", name), lambda: page)
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    st.iframe(f"{'/' * bool(base)}{base}{PATH}{name}", height=height)


class Frames:
    """Middleware that answers for the pages that were shown."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, or let the application do so."""
        _, _, name = scope.get("path", "").rpartition(PATH)
        page = caches.DRAWINGS.get(("frame", name)) if name else None
        if scope["type"] != "http" or page is None:
            await self._app(scope, receive, send)
            return
        found = [(key.lower().encode(), value.encode()) for key, value in HEADERS.items()]
        await send({"type": "http.response.start", "status": 200, "headers": found})
        await send({"type": "http.response.body", "body": str(page).encode()})
