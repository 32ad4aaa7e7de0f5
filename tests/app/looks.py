"""What the tests of a page read off it."""

import json
import re
import time
from functools import cache

import numpy as np

import bjp_engine as bjp
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.sources import Loaded

# Seconds after which what a test waits for will never happen, however busy the machine is.
ENDS = 600.0


def until(happened):
    end = time.monotonic() + ENDS
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.005)


def rested(app):
    """The app once nothing is being read or computed any more, whatever came of it."""
    until(lambda: not app.get("progress") or not app.run().get("progress"))
    return app


def settled(app):
    """The same, and all went well."""
    rested(app)
    assert not app.exception
    assert not app.error
    return app


def take(app, *uploads):
    """Give a visit uploaded tables, and let the pages be about the first."""
    app.session_state[visit._UPLOADS] = {each.token: each for each in uploads}
    app.session_state[visit._TOKEN] = uploads[0].token


def coupled(names, rows=60, seed=0):
    """An uploaded table of coins, the last of which falls as the first does."""
    codes = np.random.default_rng(seed).integers(0, 2, (rows, len(names)))
    codes[:, -1] = codes[:, 0]
    return Loaded("file:made", "Made up", "", bjp.Dataset.from_codes(codes, names=names))


@cache
def coronary():
    return sources.load("coronary").data


@cache
def learn(method="bjp", search="ibmap-hc"):
    """What a search finds in these data."""
    return bjp.learn(coronary(), method, search)


def texts(app):
    blocks = (*app.markdown, *app.caption, *app.info, *app.warning)
    return " ".join(block.value for block in blocks)


def payload(app):
    (found,) = views(app)
    return found


def views(app):
    """What the views on the page were given, without the address and the buttons."""
    given = [json.loads(component.proto.json) for component in app.get("bidi_component")]
    for found in given:
        if isinstance(found.get("terms"), str):
            found["terms"] = json.loads(found["terms"])
    return [
        found
        for found in given
        if not {"query", "button"} & set(found) and found["view"] != "projector"
    ]


def address(app):
    found = app.session_state["link-last"]
    return dict(found)


def figures(text):
    plain = text.replace("−", "-").replace(",", "")
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?", plain)]


def line(app):
    (found,) = [block.value for block in app.markdown if block.value.startswith("**ln ")]
    return found
