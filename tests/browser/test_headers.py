"""The content security policy at work: what a page may not do even if a script got into it."""

from __future__ import annotations

import urllib.error
import urllib.request
from functools import partial
from typing import Any

from tests.browser.conftest import Server
from tests.browser.visits import eventually, open_page

ATTEMPTS = {
    "an inline script": """() => {
        const script = document.createElement('script');
        script.textContent = 'window.broken = true';
        document.body.append(script);
        return window.broken === true;
    }""",
    "a handler in an attribute": """() => {
        document.body.insertAdjacentHTML('beforeend', '<b onclick="window.broken = true">b</b>');
        document.body.lastElementChild.click();
        return window.broken === true;
    }""",
    "text as a program": """() => {
        const script = document.createElement('script');
        script.src = 'data:text/javascript,window.broken=true';
        document.body.append(script);
        return new Promise(done => {
            script.onload = () => done(true);
            script.onerror = () => done(false);
        });
    }""",
    # Later, when the policy holds for what the test itself has evaluated, too.
    "eval": """() => new Promise(done => setTimeout(() => {
        try {
            done(new Function('return true')());
        } catch (error) {
            console.error(String(error));
            done(false);
        }
    }))""",
    "a form to another machine": """() => new Promise(done => {
        document.addEventListener('securitypolicyviolation', e => done(
            e.effectiveDirective !== 'form-action'), {once: true});
        const form = document.createElement('form');
        form.action = 'http://127.0.0.2/';
        document.body.append(form);
        form.submit();
    })""",
    "a request to another machine": """() => fetch('http://127.0.0.2/').then(
        () => true, error => !String(error).includes('Failed to fetch'))""",
    "a frame": """() => new Promise(done => {
        document.addEventListener('securitypolicyviolation', e => done(
            e.effectiveDirective !== 'frame-src'), {once: true});
        const frame = document.createElement('iframe');
        frame.src = '/';
        document.body.append(frame);
    })""",
}


def test_each_attempt_is_refused(browser: Any, server: Server) -> None:
    # Not `page`, on which nothing may be refused.
    context = browser.new_context(base_url=server.url)
    page, refused = context.new_page(), list[str]()
    page.on("console", lambda message: refused.append(message.text))
    open_page(page, "method")

    def assert_refused(what: str) -> None:
        assert any("Content Security Policy" in text for text in refused), (what, refused)

    assert not any("Content Security Policy" in text for text in refused)
    for what, attempt in ATTEMPTS.items():
        refused.clear()
        assert page.evaluate(attempt) is False, what
        eventually(page, partial(assert_refused, what))
    context.close()


def test_every_answer_has_the_headers(server: Server) -> None:
    for path in ("/", "/step", "/_stcore/health", "/favicon.png", "/nowhere.js"):
        try:
            with urllib.request.urlopen(server.url + path, timeout=120) as answer:
                found = answer.headers
        except urllib.error.HTTPError as error:
            found = error.headers
        assert "default-src 'none'" in found["Content-Security-Policy"], path
        assert found.get_all("X-Content-Type-Options") == ["nosniff"], path
        assert found["X-Frame-Options"] == "DENY", path
