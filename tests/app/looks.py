"""What the tests of a page read off it."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from streamlit.testing.v1 import AppTest


def rested(app: AppTest) -> AppTest:
    """The app once nothing is being read or computed any more, whatever came of it."""
    end = time.monotonic() + 600
    while app.get("progress") and time.monotonic() < end:
        time.sleep(0.1)
        app.run()
    assert not app.get("progress")
    return app


def settled(app: AppTest) -> AppTest:
    """The same, and all went well."""
    rested(app)
    assert not app.exception
    assert not app.error
    return app


def payload(app: AppTest) -> dict[str, Any]:
    """What the page's component was given."""
    (found,) = views(app)
    return found


def views(app: AppTest) -> list[dict[str, Any]]:
    """What the views on the page were given; the address, its button and the lecture left out."""
    given = [json.loads(component.proto.json) for component in app.get("bidi_component")]
    for found in given:
        if isinstance(found.get("terms"), str):
            found["terms"] = json.loads(found["terms"])
    return [found for found in given if not {"query", "button", "leaving"} & set(found)]


def address(app: AppTest) -> dict[str, str]:
    """The parameters that the page has put into its URL."""
    found: dict[str, str] = app.session_state["link-last"]
    return dict(found)


def figures(text: str) -> list[float]:
    """All numbers in a text."""
    plain = text.replace("−", "-").replace(",", "")
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?", plain)]


def line(app: AppTest) -> str:
    """The page's own line about the score."""
    (found,) = [block.value for block in app.markdown if block.value.startswith("**ln ")]
    return found
