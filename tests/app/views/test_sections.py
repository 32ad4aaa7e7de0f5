"""Long pages begin with what they found and with links that lead to their sections."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

LINK = re.compile(r"\[([^\]]+)\]\(#([a-z-]+)\)")


@pytest.mark.parametrize(
    ("page", "about"),
    [
        ("scores", "All three agree on"),
        ("graphs", "hill climb found the best of all"),
        ("accuracy", "comes closest to the true network"),
        ("reproduce", "figures (91 %) agree with the paper’s"),
        ("method", ""),
    ],
)
def test_contents_lead_to_every_section(
    open_app: Callable[..., AppTest], page: str, about: str
) -> None:
    app = open_app(page)
    # A page that learns something first shows the rest when it is done.
    for _ in range(60):
        if app.subheader:
            break
        app.run()
    (contents,) = [LINK.findall(each.value) for each in app.caption if LINK.search(each.value)]
    headings = [(each.value, each.proto.anchor) for each in app.subheader]
    assert [(text.replace("\N{NO-BREAK SPACE}", " "), anchor) for text, anchor in contents] == [
        (text.replace("\N{NO-BREAK SPACE}", " "), anchor) for text, anchor in headings
    ]
    assert about in " ".join(each.value for each in app.markdown)
