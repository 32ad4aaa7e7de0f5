"""One view of the frontend with its payload as one HTML file, which needs no server.

The frontend's own modules are its only code: each that the view reaches becomes a ``data:``
address in an import map. Only the payload is a page's own, so no page shows other numbers.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any
from urllib.parse import quote

from bjp_explorer.shell.text import plain

FRONTEND = files("bjp_explorer") / "frontend"
# An import or export statement with the module that it names. Comments name modules, too, but
# begin with * or /.
_IMPORT = re.compile(r'^((?:import|export)\b[^;"]*?")(\.[^"]+)(";)', re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import url\("([^"]+)"\);$', re.MULTILINE)
# A comment that has its lines to itself, and the type of what follows it.
_COMMENT = re.compile(
    r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n|^[ \t]*//[^\n]*\n|/\*\* @type (?:(?!\*/).)*\*/ ?",
    re.MULTILINE | re.DOTALL,
)
# Parsers of addresses drop tabs and line ends, and read % and #.
_KEPT_IN_ADDRESS = "".join(map(chr, range(32, 127))).replace("%", "").replace("#", "")


def page(
    view: str,
    payload: Mapping[str, Any],
    *,
    title: str,
    about: str = "",
    note: str = "",
    entry: str = "share.js",
) -> str:
    """Write a view with its payload as one HTML file, whose policy allows no request.

    `view` is a module of ``frontend/views``; title, about and note are text, never markup; `entry`
    is the module that mounts the view. A number that is not finite is a ValueError.
    """
    names = modules(f"views/{view}.js", entry)
    imports = _json({"imports": {name: _address(code) for name, code in names.items()}})
    start = (
        f'import View from "views/{view}.js";\nimport {{ mount }} from "{entry}";\n'
        'mount(View, JSON.parse(document.getElementById("payload").textContent));\n'
    )
    allowed = " ".join(["data:", _hash(imports), _hash(start)])
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    lines = [escape(plain(line, 400)) for line in (about, note) if line]
    below = "".join(f'<p dir="auto">{line}</p>' for line in lines)
    heading = escape(plain(title, 200))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=False)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
<style>
{style()}</style>
<script type="importmap">{imports}</script>
</head>
<body>
<header><div><h1 dir="auto">{heading}</h1>{below}</div></header>
<main></main>
<noscript>This page needs JavaScript, which this browser has switched off.</noscript>
<script type="application/json" id="payload">{_json({**payload, "view": view})}</script>
<script type="module">{start}</script>
</body>
</html>
"""


@cache
def modules(*entries: str) -> dict[str, str]:
    """The modules that some modules reach, by their paths, which stand in their imports, too.

    Without comments, which are more than half of them.
    """
    found: dict[str, str] = {}
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        folder = PurePosixPath(name).parent

        def bare(match: re.Match[str], folder: PurePosixPath = folder) -> str:
            # A path from the frontend's folder, for one from another folder in it.
            reached = normpath(folder / match[2])
            waiting.append(reached)
            return f"{match[1]}{reached}{match[3]}"

        found[name] = _IMPORT.sub(bare, _COMMENT.sub("", _read(name)))
    return found


@cache
def style() -> str:
    """The frontend's style sheets as one, and that of a page around them."""
    sheet = _STYLE_IMPORT.sub(lambda match: _read(match[1]), _read("style.css"))
    return sheet + _read("share.css")


def _read(name: str) -> str:
    return FRONTEND.joinpath(name).read_text(encoding="utf-8")


def _address(code: str) -> str:
    return f"data:text/javascript;charset=utf-8,{quote(code, safe=_KEPT_IN_ADDRESS)}"


def _json(value: Any) -> str:
    """JSON that ends no element of a page: with every < and every foreign letter escaped."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
