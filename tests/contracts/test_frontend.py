"""The browser's modules: what they work out without a page, and what they are sent."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import bjp_engine as bjp
from bjp_engine.exercises import Form, Sheet
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.lessons import course
from bjp_explorer.lessons.course import CLOSING, LESSONS
from bjp_explorer.practice.sheets import run_payload
from bjp_explorer.views import payloads
from tests.contracts.recipes import ROOT


def deno(*arguments):
    """Run Deno, which loads nothing from elsewhere."""
    program = shutil.which("deno", path=Path(sys.executable).parent)
    assert program, "install the packages of requirements-dev.lock"
    command, *rest = arguments
    done = subprocess.run(
        [program, command, "--no-remote", "--no-npm", *rest],
        cwd=ROOT,
        env={**os.environ, "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_what_needs_no_page():
    """The cases of `tests/frontend`."""
    code, told = deno("test", "--no-check", ROOT / "tests" / "frontend")
    assert code == 0, told


def check_described(folder, made):
    """Payloads, as (name of the type, value), by the frontend's own declaration of them."""
    types = (ROOT / "bjp_explorer" / "frontend" / "payloads.d.ts").as_uri()
    names = ", ".join(sorted({name for name, _ in made}))
    lines = [f'import type {{ {names} }} from "{types}";']
    lines += [f"export const p{k}: {name} = {json.dumps(v)};" for k, (name, v) in enumerate(made)]
    script = folder / "payloads.ts"
    script.write_text("\n".join(lines), encoding="utf-8")
    return deno("check", script)


def test_payloads_are_as_described(tmp_path):
    data = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
    graph = bjp.learn(data, search="ibmap-hc").graph
    points, sent = np.zeros((data.n, 2)), []
    for method in ("bjp", "ib", "mpl"):
        trace = bjp.score(data, graph, method)
        made = payloads.step_payload(trace, data, points, identity="x", editable=True)
        sent += [("StepPayload", made), ("StepPayload", payloads.with_terms_as_text(made))]
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
        sent.append(("ClimbPayload", climbs[-1]))
    duel = payloads.duel_payload(climbs, ["one", "two"], by="flips", identity="x")
    panel = {"key": 1, "title": "a", "graph": graph, "roles": [[0, "x"]]}
    several = payloads.networks_payload(data, points, [panel], identity="x", tones={"all": "all"})
    sent += [("DuelPayload", duel), ("NetworksPayload", several)]
    code, told = check_described(tmp_path, sent)
    assert code == 0, told
    # The check can fail: a field too many, one too few, and one of another type.
    step = sent[0][1]
    less = {name: value for name, value in step.items() if name != "order"}
    for wrong in ({**step, "more": 1}, less, {**step, "order": "0"}, {**step, "change": {}}):
        assert check_described(tmp_path, [("StepPayload", wrong)])[0] == 1


def test_lessons_and_a_run_of_practice_are_as_described(tmp_path):
    sent = []
    for place in ((1, 2), (2, 4), (4, 2), (5, 4), (6, 3), (7, 2), CLOSING):
        answers = {}
        question = None if place == CLOSING else LESSONS[place[0] - 1].steps[place[1] - 1].question
        if question is not None:
            answers[place] = course.Answer(question.answer(), "solved")
        made = course.payload(*place, answers, {1})
        sent.append(("LessonPayload", made))
    made = run_payload(Sheet(number=27, seed=1))
    assert {one["form"] for one in made["exercises"]} == set(Form)
    code, told = check_described(tmp_path, [*sent, ("PracticePayload", made)])
    assert code == 0, told
