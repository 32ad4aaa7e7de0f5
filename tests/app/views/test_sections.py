"""Long pages begin with what they found and with links that lead to their sections."""

from __future__ import annotations

import re

from tests.app.conftest import OpenApp
from tests.app.looks import settled, texts

LINK = re.compile(r"\[([^\]]+)\]\(#([a-z-]+)\)")


def test_contents_lead_to_every_section(open_app: OpenApp) -> None:
    for page, about in (
        ("scores", "All three agree on"),
        ("graphs", "hill climb found the best of all"),
        ("accuracy", "comes closest to the true network"),
        ("reproduce", "figures (91 %) agree with the paper’s"),
        ("method", ""),
    ):
        app = settled(open_app(page))
        (contents,) = [LINK.findall(each.value) for each in app.caption if LINK.search(each.value)]
        headings = [(each.value, each.proto.anchor) for each in app.subheader]
        shown, there = (
            [(text.replace("\N{NO-BREAK SPACE}", " "), anchor) for text, anchor in found]
            for found in (contents, headings)
        )
        assert shown == there, page
        assert about in texts(app)
