"""The headers of every answer, and the settings that are checked when the server starts."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Any

import pytest

from bjp_explorer.app import headers, server

# What may be given as data: pictures and letters.
DRAWN = {"img-src", "font-src"}


def answered(app: Any, scope: dict[str, Any]) -> list[dict[str, Any]]:
    """What an application sends."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent


async def careless(scope: Any, receive: Any, send: Any) -> None:
    """An application with a policy of its own."""
    given = [(b"content-type", b"text/html"), (b"Content-Security-Policy", b"default-src *")]
    await send({"type": "http.response.start", "status": 200, "headers": given})
    await send({"type": "http.response.body", "body": b""})


def test_every_answer_has_them_once() -> None:
    start, body = answered(headers.Headers(careless), {"type": "http"})
    names = [name.lower() for name, _ in start["headers"]]
    assert len(set(names)) == len(names) == 1 + len(headers.headers())
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    assert found["content-security-policy"] == headers.policy(headers.page())
    assert found["x-content-type-options"] == "nosniff"
    assert found["content-type"] == "text/html"
    assert body == {"type": "http.response.body", "body": b""}


def test_a_websocket_is_left_alone() -> None:
    start, _ = answered(headers.Headers(careless), {"type": "websocket"})
    assert [name for name, _ in start["headers"]] == [b"content-type", b"Content-Security-Policy"]


def test_inline_scripts_are_allowed_by_their_hash_alone() -> None:
    text = "\n  let a = 'ö'\n"
    html = f"<script>{text}</script><script type='module' src='./a.js'></script>"
    parts = dict(part.split(" ", 1) for part in headers.policy(html).split("; "))
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert parts["script-src"] == f"'self' 'sha256-{digest}'"
    # What would undo it.
    for name, sources in parts.items():
        assert not {"*", "https:", "data:"} & set(sources.split()) or name in DRAWN, name
        assert "'unsafe-eval'" not in sources
        assert "'unsafe-inline'" not in sources or name == "style-src"
    assert parts["default-src"] == parts["frame-ancestors"] == parts["base-uri"] == "'none'"


def test_streamlits_page_has_no_script_that_the_policy_forbids() -> None:
    html = headers.page()
    assert html.count("<script") == html.count("<script>") + html.count('<script type="module" ')
    assert headers.policy(html).count("'sha256-") == html.count("<script>") == 1
    assert 'src="http' not in html


def test_a_setting_that_cannot_be_used_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BJP_WORKERS", "many")
    with pytest.raises(SystemExit, match="BJP_WORKERS must be a whole number"):
        server.guarded(careless)
    monkeypatch.setenv("BJP_WORKERS", "2")
    assert isinstance(server.guarded(careless), headers.Headers)
