"""Plots by one call: the numbers in a figure are the record's."""

import subprocess
import sys
from functools import cache

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex

import bjp_engine as bjp
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.errors import OptionError
from bjp_explorer.views.palette import DARK, LIGHT
from tests.app.looks import coronary, learn
from tests.refusals import assert_refused

MATRIX = np.array([[0, 0.95, 0.5], [0.95, 0, 0.1], [0.5, 0.1, 0]])
PAIRS = EdgeConfidence("bootstrap", ("a", "b", "c"), MATRIX, MATRIX / 10, "bjp")
HOSTILE = ("<b>a</b>", "$x^2$", "\\frac", "a\nb", "<script>alert(1)</script>")


@cache
def plots():
    return {
        "climb": learn().plot,
        "network": lambda **how: learn().plot("network", **how),
        "score": bjp.score(coronary(), learn().graph).plot,
        "pairs": PAIRS.plot,
        "data": coronary().plot,
    }


def points_of(axes):
    """The marked points by what they are, each with its places."""
    handles, labels = axes.get_legend_handles_labels()
    found = dict(zip(labels, handles, strict=True))
    return {label: one.lines[0].get_xydata() for label, one in found.items()}


def widths(figure):
    return [bar.get_width() for bar in figure.axes[0].patches]


def test_a_climb_shows_each_flip_and_a_network_each_edge():
    for method in ("bjp", "ib"):
        for search in ("ibmap-hc", "tabu", "auto"):
            trace = learn(method, search)
            table, axes = trace.to_frame(), trace.plot().axes[0]
            x, y = axes.lines[0].get_data()
            start = trace.start_score if len(table) else trace.score
            assert [*y] == [start, *table["score"]], (method, search)
            assert [*x] == [*range(len(table) + 1)]
            for added, part in table.groupby("added"):
                points = points_of(axes)["edge added" if added else "edge removed"]
                assert points.tolist() == part[["step", "score"]].to_numpy().tolist()
    # Blankets of the MPL climb are no steps of its score.
    trace = learn("mpl", "mpl-hc")
    table = trace.to_frame().query("phase != 'blanket'")
    assert 0 < len(table) < len(trace.steps)
    _, y = trace.plot().axes[0].lines[0].get_data()
    assert [*y] == [trace.start_score, *table["score"]]
    assert y[-1] == pytest.approx(bjp.score(coronary(), trace.graph, "mpl").total)
    trace = learn("bjp", "exhaustive")
    assert [*trace.plot().axes[0].lines[0].get_ydata()] == [trace.score]
    axes = learn().plot("network").axes[0]
    place = {
        text.get_text(): (text.get_position()[0], text.get_position()[1]) for text in axes.texts
    }
    assert sorted(place) == sorted(coronary().names)
    ends = {
        frozenset((round(x, 9), round(y + 0.035, 9)) for x, y in line.get_xydata())
        for line in axes.lines
        if len(line.get_xydata()) == 2 and line.get_marker() == "None"
    }
    rounded = {name: (round(x, 9), round(y, 9)) for name, (x, y) in place.items()}
    assert ends == {frozenset((rounded[x], rounded[y])) for x, y in learn().graph.edges}


def test_terms_pairs_and_shares_are_those_of_the_records():
    score = bjp.score(coronary(), learn().graph)
    assert widths(score.plot()) == sorted(term.value for term in score.computed)
    assert sum(widths(score.plot())) == pytest.approx(score.total)
    assert len(widths(score.plot(most=3))) == 3
    local = bjp.score(coronary(), learn().graph, "mpl")
    assert sum(widths(local.plot())) == pytest.approx(local.total)
    axes = PAIRS.plot().axes[0]
    (bars,) = axes.containers
    assert bars.lines[0].get_xdata() == pytest.approx((0.95, 0.5, 0.1))
    reach = [np.ptp(segment[:, 0]) / 2 for segment in bars.lines[2][0].get_segments()]
    assert reach == pytest.approx((0.095, 0.05, 0.01))
    assert [one.get_text() for one in axes.get_yticklabels()] == ["a – b", "a – c", "b – c"]
    one = PAIRS.plot(most=1).axes[0]
    assert one.containers[0].lines[0].get_xdata() == pytest.approx([0.95])
    assert "1 most probable of 3 pairs" in one.get_title(loc="left")
    judged = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)
    found = EdgeConfidence("calibrated", ("a", "b", "c"), MATRIX, None, "bjp", judged=judged)
    sure, unlike = points_of(found.plot().axes[0]).values()
    assert (sure.tolist(), unlike.tolist()) == ([[0.95, 0], [0.5, 1]], [[0.1, 2]])
    data = coronary()
    bars, frame = data.plot().axes[0].patches, data.to_frame()
    for i, name in enumerate(data.names):
        parts = [bar.get_width() for bar in bars if round(bar.get_y() + 0.375) == i]
        counted = frame[name].value_counts(normalize=True).reindex(data.labels[i]).dropna()
        assert parts == pytest.approx(list(counted)), name
    assert len(data.plot(most=2).axes[0].patches) == 4
    empty = bjp.Dataset.from_codes(np.empty((0, 2), int), cardinalities=[2, 2])
    assert not widths(empty.plot())


def test_figures_bring_paper_and_ink_of_their_own_and_names_are_shown_as_they_are():
    for name, plot in plots().items():
        for theme, palette in (("light", LIGHT), ("dark", DARK)):
            drawn = plot(theme=theme)
            assert to_hex(drawn.get_facecolor()) == palette.paper, (name, theme)
            assert to_hex(drawn.axes[0].xaxis.label.get_color()) == palette.ink, (name, theme)
            assert drawn._repr_png_().startswith(b"\x89PNG")
    rng = np.random.default_rng(3)
    data = bjp.Dataset.from_codes(rng.integers(0, 2, (60, 5)), names=HOSTILE)
    trace = bjp.learn(data, search="ibmap-hc")
    figures = (data.plot, trace.plot, lambda **how: trace.plot("network", **how))
    for plot in (*figures, bjp.score(data, nx.complete_graph(HOSTILE)).plot):
        axes = plot().axes[0]
        plot()._repr_png_()
        texts = [*axes.texts, *axes.get_yticklabels(), axes.title]
        assert not any(text.get_parse_math() for text in texts if text.get_text() in HOSTILE)


def test_an_unknown_choice_is_a_sentence():
    for of, how, sentence in (
        ("climb", {"kind": "tree"}, "kind='tree' is not known; use one of 'score', 'network'"),
        ("data", {"theme": "pink"}, "theme='pink' is not known; use one of 'light', 'dark'"),
        ("data", {"most": 0}, "most=0 must be a whole number, 1 or more"),
        ("pairs", {"most": True}, "most=True must be a whole number"),
    ):
        assert_refused(OptionError, sentence, plots()[of], **how)


def test_plotting_loads_one_package_and_names_what_is_not_installed():
    program = """
import sys, bjp_engine as bjp
from bjp_engine.errors import BJPError
data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
sys.modules["matplotlib.figure"] = None
try:
    data.plot()
except BJPError as error:
    print(error)
del sys.modules["matplotlib.figure"]
data.plot()
assert not {"streamlit", "plotly", "pyvis", "matplotlib.pyplot"} & {*sys.modules}
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [
        "plot() needs matplotlib, which is not installed; install it with pip install matplotlib."
    ]
