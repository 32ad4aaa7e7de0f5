"""Plots by one call: the numbers in a figure are the record's, by either package."""

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


def test_a_climb_shows_each_flip_and_a_network_each_edge():
    for method in ("bjp", "ib"):
        for search in ("ibmap-hc", "tabu", "auto"):
            trace = learn(method, search)
            table, figure = trace.to_frame(), trace.plot()
            line = figure.data[0]
            assert line.y[1:] == tuple(table["score"]), (method, search)
            assert line.y[0] == (trace.start_score if len(table) else trace.score)
            assert line.x == tuple(range(len(table) + 1))
            by_name = {trace.name: trace for trace in figure.data}
            for added, part in table.groupby("added"):
                points = by_name["edge added" if added else "edge removed"]
                assert (points.x, points.y) == (tuple(part["step"]), tuple(part["score"]))
            drawn = trace.plot(backend="matplotlib").axes[0].lines[0]
            assert drawn.get_ydata().tolist() == list(line.y)
    # Blankets of the MPL climb are no steps of its score.
    trace = learn("mpl", "mpl-hc")
    table = trace.to_frame().query("phase != 'blanket'")
    assert 0 < len(table) < len(trace.steps)
    line = trace.plot().data[0]
    assert line.y == (trace.start_score, *table["score"])
    assert line.y[-1] == pytest.approx(bjp.score(coronary(), trace.graph, "mpl").score)
    trace = learn("bjp", "exhaustive")
    assert trace.plot().data[0].y == (trace.score,)
    lines, nodes = learn().plot("network").data
    place = {name: (x, y) for name, x, y in zip(nodes.text, nodes.x, nodes.y, strict=True)}
    assert sorted(place) == sorted(coronary().names)
    ends = list(zip(lines.x, lines.y, strict=True))
    found = {frozenset(ends[k : k + 2]) for k in range(0, len(ends), 3)}
    assert found == {frozenset((place[x], place[y])) for x, y in learn().graph.edges}


def test_terms_pairs_and_shares_are_those_of_the_records():
    score = bjp.score(coronary(), learn().graph)
    (bars,) = score.plot().data
    assert sum(bars.x) == pytest.approx(score.score)
    assert list(bars.x) == sorted(term.value for term in score.computed)
    assert len(score.plot(most=3).data[0].x) == 3
    local = bjp.score(coronary(), learn().graph, "mpl")
    assert sum(local.plot().data[0].x) == pytest.approx(local.score)
    figure = PAIRS.plot()
    assert figure.data[0].x == (0.95, 0.5, 0.1)
    assert figure.data[0].error_x.array == pytest.approx((0.095, 0.05, 0.01))
    assert figure.layout.yaxis.ticktext == ("a – b", "a – c", "b – c")
    assert PAIRS.plot(most=1).data[0].x == (0.95,)
    assert "1 most probable of 3 pairs" in PAIRS.plot(most=1).layout.title.text
    judged = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)
    found = EdgeConfidence("calibrated", ("a", "b", "c"), MATRIX, None, "bjp", judged=judged)
    sure, unlike = found.plot().data
    assert (sure.x, sure.y, unlike.x, unlike.y) == ((0.95, 0.5), (0.0, 1.0), (0.1,), (2.0,))
    assert unlike.marker.color == LIGHT.paper != sure.marker.color
    data = coronary()
    (bars,) = data.plot().data
    frame = data.to_frame()
    for i, name in enumerate(data.names):
        parts = [x for x, y in zip(bars.x, bars.y, strict=True) if y == i]
        counted = frame[name].value_counts(normalize=True).reindex(data.labels[i]).dropna()
        assert parts == pytest.approx(list(counted)), name
    assert set(data.plot(most=2).data[0].y) == {0, 1}
    drawn = data.plot(backend="matplotlib").axes[0].patches
    assert [bar.get_width() for bar in drawn] == pytest.approx(list(bars.x))
    empty = bjp.Dataset.from_codes(np.empty((0, 2), int), cardinalities=[2, 2])
    assert not len(empty.plot().data[0].x)


def test_figures_bring_paper_and_ink_of_their_own():
    for name, plot in plots().items():
        for theme, palette in (("light", LIGHT), ("dark", DARK)):
            layout = plot(theme=theme).layout
            assert layout.paper_bgcolor == layout.plot_bgcolor == palette.paper, (name, theme)
            assert layout.font.color == palette.ink, (name, theme)
            drawn = plot(theme=theme, backend="matplotlib")
            assert to_hex(drawn.get_facecolor()) == palette.paper, (name, theme)
            assert to_hex(drawn.axes[0].xaxis.label.get_color()) == palette.ink, (name, theme)
            assert drawn._repr_png_().startswith(b"\x89PNG")


def test_names_are_shown_as_they_are():
    rng = np.random.default_rng(3)
    data = bjp.Dataset.from_codes(rng.integers(0, 2, (60, 5)), names=HOSTILE)
    trace = bjp.learn(data, search="ibmap-hc")
    figures = (data.plot, trace.plot, lambda **how: trace.plot("network", **how))
    for plot in (*figures, bjp.score(data, nx.complete_graph(HOSTILE)).plot):
        assert not any(tag in str(plot().to_dict()) for tag in ("<script", "<b>"))
        drawn = plot(backend="matplotlib")
        drawn._repr_png_()
        texts = [*drawn.axes[0].texts, *drawn.axes[0].get_yticklabels()]
        assert not any(text.get_parse_math() for text in texts)


def test_an_unknown_choice_is_a_sentence():
    for of, how, sentence in (
        ("climb", {"backend": "bokeh"}, "backend='bokeh' is not known; use one of 'plotly'"),
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
for name in ("plotly", "matplotlib"):
    sys.modules[name] = None
    try:
        data.plot(backend=name)
    except BJPError as error:
        print(error)
    del sys.modules[name]
data.plot()
assert not {"streamlit", "matplotlib", "pyvis"} & {*sys.modules}
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [
        f"plot(backend={name!r}) needs {name}, which is not installed; "
        f"install it with pip install {name}."
        for name in ("plotly", "matplotlib")
    ]
