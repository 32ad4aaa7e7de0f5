"""The headers of every answer, and the settings that are checked when the server starts."""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import time
import tomllib
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit import config
from streamlit.runtime.memory_session_storage import MemorySessionStorage

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


def asked(kind: str, **given: str) -> dict[str, Any]:
    """A request with some headers."""
    headers = [(name.encode(), value.encode()) for name, value in given.items()]
    return {"type": kind, "path": "/", "headers": headers}


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
        server.guard(careless)
    monkeypatch.setenv("BJP_WORKERS", "2")
    assert isinstance(server.guard(careless), headers.Headers)


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names that the settings of the app allow."""
    given = {"server.allowedHosts": ["127.0.0.1", "localhost"]}
    monkeypatch.setattr(config, "get_option", given.__getitem__)


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost", "LOCALHOST:80"])
def test_its_own_names_are_answered(host: str) -> None:
    app = server.guard(careless)
    assert answered(app, asked("http", host=host))[0]["status"] == 200
    own = asked("websocket", host=host, origin=f"http://{host.lower()}")
    assert answered(app, own)[0]["type"] == "http.response.start"
    # No browser leaves the origin out.
    assert answered(app, asked("websocket", host=host))[0]["type"] == "http.response.start"


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8501", ""])
def test_another_name_is_refused(host: str) -> None:
    app = server.guard(careless)
    start, body = answered(app, asked("http", host=host))
    assert start["status"] == 403
    assert b"content-security-policy" in {name for name, _ in start["headers"]}
    assert b"another name" in body["body"]
    assert answered(app, asked("websocket", host=host))[-1]["type"] == "websocket.close"


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize(
    "origin",
    [
        *("http://localhost:3000", "http://127.0.0.1:9999", "http://localhost:8501"),
        *("https://evil.example", "null", "http://[", "http://127.0.0.1"),
    ],
)
def test_a_websocket_of_another_page_is_refused(origin: str) -> None:
    request = asked("websocket", host="127.0.0.1:8501", origin=origin)
    assert answered(server.guard(careless), request) == [{"type": "websocket.close", "code": 1008}]


def test_a_visit_that_is_over_is_forgotten_though_nobody_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Session:
        id = "over"

    kept = MemorySessionStorage(ttl_seconds=0.02)
    session = Session()
    kept.save(SimpleNamespace(session=session))
    held = weakref.ref(session)
    del session
    manager = SimpleNamespace(_session_storage=kept)
    runtime = SimpleNamespace(
        exists=lambda: True, get_instance=lambda: SimpleNamespace(_session_mgr=manager)
    )
    monkeypatch.setattr(server, "runtime", runtime, raising=False)
    monkeypatch.setattr(server, "COLLECTED", 0.01)
    time.sleep(0.05)

    async def collect() -> None:
        collecting = asyncio.create_task(server._collect())
        await asyncio.sleep(0.2)
        collecting.cancel()

    asyncio.run(collect())
    gc.collect()
    assert held() is None


def test_no_file_is_watched_and_a_choice_of_a_link_is_no_warning() -> None:
    path = Path(__file__).parents[3] / ".streamlit" / "config.toml"
    settings = tomllib.loads(path.read_text("utf-8"))
    assert settings["server"]["fileWatcherType"] == "none"
    assert settings["global"]["disableWidgetStateDuplicationWarning"] is True
