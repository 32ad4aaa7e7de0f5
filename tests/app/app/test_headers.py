"""The headers of every answer, and the settings that are checked when the server starts."""

import asyncio
import base64
import hashlib
import tomllib

import pytest
from streamlit import config

from bjp_explorer.app import server
from bjp_explorer.shell import caches, frames
from tests.app.conftest import ROOT


def answered(app, kind="http", path="/", **given):
    sent = []

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    named = [(name.encode(), value.encode()) for name, value in given.items()]
    asyncio.run(app({"type": kind, "path": path, "headers": named}, receive, send))
    return sent


async def careless(scope, receive, send):
    given = [(b"content-type", b"text/html"), (b"Content-Security-Policy", b"default-src *")]
    await send({"type": "http.response.start", "status": 200, "headers": given})
    await send({"type": "http.response.body", "body": b""})


def test_every_answer_has_them_once_and_scripts_are_allowed_by_their_hash_alone():
    start, body = answered(server.Headers(careless))
    names = [name.lower() for name, _ in start["headers"]]
    assert len(set(names)) == len(names) == 1 + len(server.headers())
    found = dict(start["headers"])
    assert found[b"content-security-policy"].decode() == server.policy(server.page())
    assert found[b"x-content-type-options"] == b"nosniff"
    assert found[b"content-type"] == b"text/html"
    assert body == {"type": "http.response.body", "body": b""}
    # A page in a frame has a policy of its own, under its digest alone.
    caches.drawn(("frame", "a1b2"), lambda: "<p>ö")
    app = frames.Frames(server.Headers(careless))
    start, body = answered(app, path="/base/frame/a1b2")
    policy = dict(start["headers"])[b"content-security-policy"]
    assert policy.startswith(b"sandbox allow-scripts; default-src 'none'")
    assert body["body"].decode() == "<p>ö"
    for path in ("/frame/other", "/a1b2", "/frame/"):
        assert answered(app, path=path)[1]["body"] == b"", path
    start, _ = answered(server.Headers(careless), "websocket")
    assert [name for name, _ in start["headers"]] == [b"content-type", b"Content-Security-Policy"]
    text = "\n  let a = 'ö'\n"
    html = f"<script>{text}</script><script type='module' src='./a.js'></script>"
    parts = dict(part.split(" ", 1) for part in server.policy(html).split("; "))
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert parts["script-src"] == f"'self' 'sha256-{digest}'"
    # What would undo it; only pictures and letters may be given as data.
    wide = {"*", "https:", "data:", "'unsafe-eval'", "'unsafe-inline'"}
    allowed = {"style-src": {"'unsafe-inline'"}, "img-src": {"data:"}, "font-src": {"data:"}}
    for name, sources in parts.items():
        assert wide & set(sources.split()) <= allowed.get(name, set()), name
    for name in ("default-src", "frame-ancestors", "base-uri", "form-action"):
        assert parts[name] == "'none'", name
    assert (parts["frame-src"], parts.get("object-src", "'none'")) == ("'self'", "'none'")
    # Streamlit's page has no script that the policy forbids.
    html = server.page()
    assert html.count("<script") == html.count("<script>") + html.count('<script type="module" ')
    assert server.policy(html).count("'sha256-") == html.count("<script>") == 1
    assert 'src="http' not in html


def test_settings_are_checked_and_only_its_own_names_answered(monkeypatch):
    monkeypatch.setenv("BJP_WORKERS", "many")
    with pytest.raises(SystemExit, match="BJP_WORKERS must be a whole number"):
        server.guard(careless)
    monkeypatch.setenv("BJP_WORKERS", "2")
    assert server.guard(careless)
    # No file is watched, and a choice of a link is no warning.
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["fileWatcherType"] == "none"
    assert settings["global"]["disableWidgetStateDuplicationWarning"] is True
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
        assert b"content-security-policy" in dict(start["headers"]), host
        assert b"another name" in body["body"], host
        assert answered(app, "websocket", host=host)[-1]["type"] == "websocket.close", host
    for origin in (
        *("http://localhost:3000", "http://127.0.0.1:9999", "http://localhost:8501"),
        *("https://evil.example", "null", "http://[", "http://127.0.0.1"),
    ):
        sent = answered(app, "websocket", host="127.0.0.1:8501", origin=origin)
        assert sent == [{"type": "websocket.close", "code": 1008}], origin
