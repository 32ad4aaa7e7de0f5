"""The flips of a search as the app keeps them: a frame is the walk at that point."""

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_explorer.jobs import flips as module
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.views import payloads
from tests.app.looks import coronary


@pytest.fixture(scope="module")
def walk():
    """Some hundred flips, many of them back and forth."""
    return bjp.learn(coronary(), "bjp", "tabu", patience=250)


def test_frames_are_the_walk_and_are_only_added_while_it_goes_on(walk):
    made = len(walk.steps)
    graphs = [set(map(frozenset, walk.start.edges))]
    for step in walk.steps:
        graphs.append(graphs[-1] ^ {frozenset(step.edge)})
    for stride in (1, 2, 8, 64):
        frames = Flips.of(walk.steps, walk.start_score).frames(stride, walk.best_at)
        assert [frame.at for frame in frames] == sorted(
            {*range(stride, made + 1, stride), walk.best_at, made}
        )
        edges, score, tried = set(graphs[0]), walk.start_score, 0
        for frame in frames:
            step = walk.steps[frame.at - 1]
            assert (frame.edge, frame.added, frame.phase, frame.score) == (
                step.edge, step.added, step.phase, step.score
            )  # fmt: skip
            # As the browser does it: the others change, the last pair is set.
            for pair in frame.others:
                assert frozenset(pair) != frozenset(frame.edge)
                edges ^= {frozenset(pair)}
            edges -= {frozenset(frame.edge)}
            edges |= {frozenset(frame.edge)} if frame.added else set()
            assert edges == graphs[frame.at], (stride, frame.at)
            assert frame.gain == pytest.approx(step.score - score, abs=1e-9)
            assert frame.tried == step.evaluations - tried
            score, tried = step.score, step.evaluations
        assert tried <= walk.evaluations
    flips = Flips(walk.start_score)
    before = flips.frames(1)
    assert before == flips.frames(4, 0) == []
    assert (len(flips), flips.stride, flips.last_tried) == (0, 1, 0)
    for step in walk.steps:
        flips.record(step)
        now = flips.frames(16)
        assert (now[: len(before)], len(now)) == (before, len(flips) // 16)
        before = now


def test_a_long_walk_is_thinned(monkeypatch, walk):
    monkeypatch.setattr(module, "MOST", 50)
    flips = Flips.of(walk.steps, walk.start_score)
    assert len(flips) == len(walk.steps) > 200
    assert len(flips.first) == 50
    points = np.zeros((coronary().n, 2))
    start = payloads.start_of(walk.start, walk.start_score, coronary())
    parts = ("id", "method", "score_name", "short_name", "queue", "look")
    names = dict.fromkeys(parts, "walk")
    rest = {"names": names, "start": start, "truth": None}
    shown = payloads.climb_payload(coronary(), points, flips, walk, **rest)
    assert 25 <= len(shown["steps"]) <= 52
    assert (shown["made"], shown["best"]) == (len(walk.steps), walk.best_at)
    by_at = {step["at"]: step for step in shown["steps"]}
    assert by_at[walk.best_at]["score"] == walk.score
    assert by_at[len(walk.steps)]["score"] == walk.steps[-1].score
    running = payloads.climb_payload(coronary(), points, flips, None, **rest)
    assert running["series"] != shown["series"]
    assert running["best"] is None
