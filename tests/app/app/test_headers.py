"""The headers of every answer, and the settings that are checked when the server starts."""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import time
import tomllib
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit import config
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from bjp_explorer.app import headers, server
from tests.app.conftest import ROOT

# What may be given as data: pictures and letters.
DRAWN = {"img-src", "font-src"}


def answered(app: Any, kind: str = "http", **given: str) -> list[dict[str, Any]]:
    """What an application sends to a request with some headers."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    named = [(name.encode(), value.encode()) for name, value in given.items()]
    asyncio.run(app({"type": kind, "path": "/", "headers": named}, receive, send))
    return sent


async def careless(scope: Any, receive: Any, send: Any) -> None:
    """An application with a policy of its own."""
    given = [(b"content-type", b"text/html"), (b"Content-Security-Policy", b"default-src *")]
    await send({"type": "http.response.start", "status": 200, "headers": given})
    await send({"type": "http.response.body", "body": b""})


def test_every_answer_has_them_once_and_a_websocket_is_left_alone() -> None:
    start, body = answered(headers.Headers(careless))
    names = [name.lower() for name, _ in start["headers"]]
    assert len(set(names)) == len(names) == 1 + len(headers.headers())
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    assert found["content-security-policy"] == headers.policy(headers.page())
    assert found["x-content-type-options"] == "nosniff"
    assert found["content-type"] == "text/html"
    assert body == {"type": "http.response.body", "body": b""}
    start, _ = answered(headers.Headers(careless), "websocket")
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
        assert "'unsafe-eval'" not in sources, name
        assert "'unsafe-inline'" not in sources or name == "style-src", name
    assert parts["default-src"] == parts["frame-ancestors"] == parts["base-uri"] == "'none'"
    # Streamlit's page has no script that the policy forbids.
    html = headers.page()
    assert html.count("<script") == html.count("<script>") + html.count('<script type="module" ')
    assert headers.policy(html).count("'sha256-") == html.count("<script>") == 1
    assert 'src="http' not in html


def test_settings_that_are_checked_and_settings_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BJP_WORKERS", "many")
    with pytest.raises(SystemExit, match="BJP_WORKERS must be a whole number"):
        server.guard(careless)
    monkeypatch.setenv("BJP_WORKERS", "2")
    assert isinstance(server.guard(careless), headers.Headers)
    # No file is watched, and a choice of a link is no warning.
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["fileWatcherType"] == "none"
    assert settings["global"]["disableWidgetStateDuplicationWarning"] is True


def test_only_its_own_names_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"server.allowedHosts": ["127.0.0.1", "localhost"]}
    monkeypatch.setattr(config, "get_option", names.__getitem__)
    app = server.guard(careless)
    for host in ("127.0.0.1:8501", "localhost", "LOCALHOST:80"):
        assert answered(app, host=host)[0]["status"] == 200, host
        # No browser leaves the origin out.
        for own in ({"origin": f"http://{host.lower()}"}, {}):
            start = answered(app, "websocket", host=host, **own)[0]
            assert start["type"] == "http.response.start", host
    for host in ("evil.example", "127.0.0.1.evil.example:8501", ""):
        start, body = answered(app, host=host)
        assert start["status"] == 403, host
        assert b"content-security-policy" in {name for name, _ in start["headers"]}, host
        assert b"another name" in body["body"], host
        assert answered(app, "websocket", host=host)[-1]["type"] == "websocket.close", host
    for origin in (
        *("http://localhost:3000", "http://127.0.0.1:9999", "http://localhost:8501"),
        *("https://evil.example", "null", "http://[", "http://127.0.0.1"),
    ):
        sent = answered(app, "websocket", host="127.0.0.1:8501", origin=origin)
        assert sent == [{"type": "websocket.close", "code": 1008}], origin


def test_a_visit_that_is_over_is_forgotten_though_nobody_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Session:
        id = "over"

    session, kept = Session(), MemorySessionStorage(ttl_seconds=0.001)
    kept.save(SimpleNamespace(session=session))
    held = weakref.ref(session)
    del session
    manager = SimpleNamespace(_session_storage=kept)
    runtime = SimpleNamespace(
        exists=lambda: True, get_instance=lambda: SimpleNamespace(_session_mgr=manager)
    )
    monkeypatch.setattr(server, "runtime", runtime, raising=False)
    monkeypatch.setattr(server, "COLLECTED", 0.01)

    async def collect() -> None:
        collecting, end = asyncio.create_task(server._collect()), time.monotonic() + 60
        while held() is not None and time.monotonic() < end:
            await asyncio.sleep(0.01)
        collecting.cancel()

    asyncio.run(collect())
    gc.collect()
    assert held() is None
