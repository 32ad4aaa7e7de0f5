"""A view as one file: nothing of it is asked of a server, and no name is markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest

from bjp_explorer.share.page import FRONTEND, modules, page, style

VIEWS = ("step", "climb", "duel", "networks", "lesson", "practice")
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>"


class Parsed(HTMLParser):
    """The elements of a page, with what stands in each script."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data


@pytest.fixture(params=VIEWS)
def view(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def code_of(address: str) -> str:
    """The module of an address, as a browser reads it: its parser drops tabs and line ends."""
    head, body = re.sub(r"[\t\n\r]", "", address).split("#")[0].split(",", 1)
    assert head == "data:text/javascript;charset=utf-8"
    return unquote_to_bytes(body).decode()


def lines_of(code: str) -> list[str]:
    """The lines of a module that are no comment, without what an import says of folders."""
    lines = re.sub(r'"[./a-z]*/([a-z]+\.js")', r'"\1', code).splitlines()
    return [
        x for x in lines if x.strip() and not re.match(r"\s*(/\*\*(?!.*\*/.*\S)|\*/|\* |\*$|//)", x)
    ]


def test_holds_every_module_that_the_view_imports(view: str) -> None:
    found = Parsed(page(view, {}, title="t"))
    imports: dict[str, str] = json.loads(found.scripts[0])["imports"]
    for name, address in imports.items():
        code = code_of(address)
        # Another way to the same: whatever follows the word from, comments left out.
        bare = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
        named = re.findall(r'(?:\bfrom|^import)\s*"([^"]+)"', bare, re.MULTILINE)
        assert set(named) <= set(imports), name
        assert not re.search(r"\bimport\(", bare), name
        source = FRONTEND.joinpath(name).read_text(encoding="utf-8")
        assert lines_of(code) == lines_of(source), name
    assert {f"views/{view}.js", "share.js"} <= set(imports)
    others = {f"views/{other}.js" for other in (*VIEWS, "link", "points")} - {f"views/{view}.js"}
    assert not others & set(imports)
    assert re.findall(r'from "([^"]+)"', found.scripts[2]) == [f"views/{view}.js", "share.js"]


def test_asks_nobody_for_anything(view: str) -> None:
    found = Parsed(page(view, {"name": "https://example.com/x.js"}, title="t"))
    for tag, attributes in found.tags:
        assert not {"src", "href", "srcset", "action", "data"} & set(attributes), tag
    assert "@import" not in style()
    assert re.findall(r"url\((?!#)", style()) == []
    policy = next(a["content"] for _, a in found.tags if "http-equiv" in a)
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {
        *("default-src", "script-src", "style-src", "img-src", "base-uri", "form-action")
    }
    hashes = {
        f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'"
        for s in (found.scripts[0], found.scripts[2])
    }
    assert set(rules["script-src"].split()) == {"data:", *hashes}


def test_no_name_is_markup() -> None:
    payload: dict[str, Any] = {
        "names": [HOSTILE, "ن" * 10_000, "\u202eabc", "\ud800", '"&', "\u2028"],
        "view": "no",
    }
    found = Parsed(page("climb", payload, title=HOSTILE, about=HOSTILE, language='"><b>'))
    assert "img" not in dict(found.tags)
    assert [tag for tag, _ in found.tags].count("script") == 3
    assert "b" not in dict(found.tags)
    assert json.loads(found.scripts[1]) == {**payload, "view": "climb"}
    page("climb", payload, title="a\ud800b").encode()


def test_style_sheet_ends_no_element() -> None:
    assert "<" not in style()


def test_a_number_that_no_browser_reads_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        page("step", {"value": [float("nan")]}, title="t")


def test_views_share_one_module_of_each_name() -> None:
    assert "parts/dom.js" in modules("views/climb.js", "share.js")
    assert "views/lesson.js" not in modules("views/climb.js", "share.js")


def test_needs_no_package_of_the_app() -> None:
    """The core alone writes pages: what `bjp app` runs on is an extra."""
    code = """
import sys
for name in ("streamlit", "plotly", "matplotlib", "pyvis"):
    sys.modules[name] = None
import bjp_explorer.share.page, bjp_explorer.views.payloads, bjp_explorer.views.layout
import bjp_explorer.jobs.flips
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
