"""The browser's modules: what they work out without a page, and what they are sent."""

import os
import shutil
import subprocess
import sys
import types
import typing
from pathlib import Path
from typing import Any

import numpy as np

import bjp_engine as bjp
from bjp_engine.exercises import Form, Sheet
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.lessons import course
from bjp_explorer.lessons.course import CLOSING, LESSONS
from bjp_explorer.practice.sheet_page import run_payload
from bjp_explorer.views import payload_types, payloads
from bjp_explorer.views.point_cloud import Axis, Cloud, Group
from docs import make_payloads
from tests.contracts.recipes import ROOT


def test_what_needs_no_page():
    """The cases of `tests/frontend`, which Deno runs; it loads nothing from elsewhere."""
    program = shutil.which("deno", path=Path(sys.executable).parent)
    assert program, "install the packages of requirements-dev.lock"
    done = subprocess.run(
        [program, "test", "--no-check", "--no-remote", "--no-npm", ROOT / "tests" / "frontend"],
        cwd=ROOT,
        env={**os.environ, "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_frontend_knows_the_same_payloads():
    written = make_payloads.TARGET.read_text(encoding="utf-8")
    assert written == make_payloads.script(), "run python docs/make_payloads.py"


def faults(value, hint, where):
    """Where a value is not of its type; a whole number is a number, too."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    inside = {}
    if origin in (typing.NotRequired, typing.Annotated):
        right, inside = True, {"": (value, parts[0])}
    elif origin in (types.UnionType, typing.Union):
        right = any(not any(faults(value, part, where)) for part in parts)
    elif origin is typing.Literal:
        right = value in parts
    elif typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, vars(payload_types), include_extras=True)
        optional = {n for n, h in hints.items() if typing.get_origin(h) is typing.NotRequired}
        right = isinstance(value, dict) and {*hints} - optional <= {*value} <= {*hints}
        if right:
            inside = {f".{name}": (item, hints[name]) for name, item in value.items()}
    elif origin in (list, dict):
        right = isinstance(value, dict if origin is dict else (list, tuple))
        if right:
            items = value.items() if origin is dict else enumerate(value)
            inside = {f"[{k}]": (item, parts[-1]) for k, item in items}
    else:
        right = hint is Any or type(value) is hint or (hint is float and type(value) is int)
    if not right:
        yield f"{where}: {value!r} is no {hint}"
    for name, (item, of) in inside.items():
        yield from faults(item, of, where + name)


def assert_described(value, record):
    """A payload is what the description says."""
    assert not (found := list(faults(value, record, record.__name__))[:10]), "\n".join(found)


def test_payloads_are_as_described():
    data = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
    graph = bjp.learn(data, search="ibmap-hc").graph
    points = np.zeros((data.n, 2))
    for method in ("bjp", "ib", "mpl"):
        trace = bjp.score(data, graph, method)
        made = payloads.step_payload(trace, data, points, identity="x", editable=True)
        assert_described(made, payload_types.StepPayload)
        assert_described(payloads.with_terms_as_text(made), payload_types.StepPayload)
    climbs = []
    names = {"method": "bjp", "score_name": "ln BJP", "short_name": "BJP", "queue": "Lowest"}
    names["look"] = payloads.look_of("bjp")
    for search in ("ibmap-hc", "tabu"):
        walk = bjp.learn(data, search=search)
        start = payloads.start_of(walk.start, walk.start_score, data)
        flips, named = Flips.of(walk.steps, walk.start_score), {**names, "id": search}
        climbs.append(
            payloads.climb_payload(data, points, flips, walk, names=named, start=start, truth=graph)
        )
        assert_described(climbs[-1], payload_types.ClimbPayload)
    duel = payloads.duel_payload(climbs, ["one", "two"], by="flips", identity="x")
    assert_described(duel, payload_types.DuelPayload)
    panel = {"key": 1, "title": "a", "graph": graph, "roles": [[0, "x"]]}
    several = payloads.networks_payload(data, points, [panel], identity="x", tones={"all": "all"})
    assert_described(several, payload_types.NetworksPayload)
    axis, place = Axis("a", "b", range=(0.0, 1.0)), np.zeros(3)
    marks = [(0, 0, "star", "a", "#000000")]
    cloud = Cloud(axis, axis, [Group("a", place, place)], "label", marks=marks, ring=(0, 0, "a"))
    assert_described(cloud.payload("x", "stem"), payload_types.PointsPayload)


def test_lessons_and_a_run_of_practice_are_as_described():
    for place in ((1, 2), (2, 4), (4, 2), (5, 4), (6, 2), (7, 3), (8, 2), CLOSING):
        answers = {}
        question = None if place == CLOSING else LESSONS[place[0] - 1].steps[place[1] - 1].question
        if question is not None:
            answers[place] = course.Answer(question.answer(), "solved")
        made = course.payload(*place, answers, {1}, language="es")
        assert_described(made, payload_types.LessonPayload)
    made = run_payload(Sheet(number=27, seed=1))
    assert {one["form"] for one in made["exercises"]} == set(Form)
    assert_described(made, payload_types.PracticePayload)
