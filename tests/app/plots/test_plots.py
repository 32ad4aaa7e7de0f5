"""Plots by one call: the numbers in a figure are the record's, by either package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex

import bjp_engine as bjp
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.errors import OptionError
from bjp_explorer.views.palette import DARK, LIGHT

DATA = bjp.read_table(bjp.resources.sample_data("datasets", "coronary.csv"))
CLIMB = bjp.learn(DATA, search="ibmap-hc")
SCORE = bjp.score(DATA, CLIMB.graph)
MATRIX = np.array([[0, 0.95, 0.5], [0.95, 0, 0.1], [0.5, 0.1, 0]])
PAIRS = EdgeConfidence("bootstrap", ("a", "b", "c"), MATRIX, MATRIX / 10, "bjp")
PLOTS: dict[str, Callable[..., Any]] = {
    "climb": CLIMB.plot,
    "network": lambda **how: CLIMB.plot("network", **how),
    "score": SCORE.plot,
    "pairs": PAIRS.plot,
    "data": DATA.plot,
}
HOSTILE = ("<b>a</b>", "$x^2$", "\\frac", "a\nb", "<script>alert(1)</script>")


def marked(figure: Any, name: str) -> Any:
    """The trace of a name in a legend."""
    return next(trace for trace in figure.data if trace.name == name)


@pytest.mark.parametrize("search", ["ibmap-hc", "tabu", "auto"])
@pytest.mark.parametrize("method", ["bjp", "ib"])
def test_a_climb_shows_the_score_of_each_flip(method: str, search: str) -> None:
    trace = bjp.learn(DATA, method, search)
    table = trace.to_frame()
    figure = trace.plot()
    assert figure.data[0].y[1:] == tuple(table["score"])
    assert figure.data[0].y[0] == (trace.start_score if len(table) else trace.score)
    assert figure.data[0].x == tuple(range(len(table) + 1))
    for name, part in table.groupby("added"):
        points = marked(figure, "edge added" if name else "edge removed")
        assert points.x == tuple(part["step"])
        assert points.y == tuple(part["score"])
    drawn = trace.plot(backend="matplotlib").axes[0].lines[0]
    assert drawn.get_ydata().tolist() == list(figure.data[0].y)


def test_blankets_of_the_mpl_climb_are_no_steps_of_its_score() -> None:
    trace = bjp.learn(DATA, "mpl")
    table = trace.to_frame().query("phase != 'blanket'")
    assert 0 < len(table) < len(trace.steps)
    line = trace.plot().data[0]
    assert line.y == (trace.start_score, *table["score"])
    assert line.y[-1] == pytest.approx(bjp.score(DATA, trace.graph, "mpl").score)


def test_a_search_without_flips_is_a_point() -> None:
    trace = bjp.learn(DATA, search="exhaustive")
    assert trace.plot().data[0].y == (trace.score,)


def test_a_network_has_every_edge_between_its_nodes() -> None:
    lines, nodes = CLIMB.plot("network").data
    place = {name: (x, y) for name, x, y in zip(nodes.text, nodes.x, nodes.y, strict=True)}
    assert sorted(place) == sorted(DATA.names)
    ends = list(zip(lines.x, lines.y, strict=True))
    found = {frozenset(ends[k : k + 2]) for k in range(0, len(ends), 3)}
    assert found == {frozenset((place[x], place[y])) for x, y in CLIMB.graph.edges}


def test_terms_of_a_score_are_sorted_and_add_up() -> None:
    (bars,) = SCORE.plot().data
    assert sum(bars.x) == pytest.approx(SCORE.score)
    assert list(bars.x) == sorted(term.value for term in SCORE.computed)
    assert len(SCORE.plot(most=3).data[0].x) == 3
    local = bjp.score(DATA, CLIMB.graph, "mpl")
    assert sum(local.plot().data[0].x) == pytest.approx(local.score)


def test_pairs_are_sorted_with_their_errors() -> None:
    figure = PAIRS.plot()
    assert figure.data[0].x == (0.95, 0.5, 0.1)
    assert figure.data[0].error_x.array == pytest.approx((0.095, 0.05, 0.01))
    assert figure.layout.yaxis.ticktext == ("a – b", "a – c", "b – c")
    assert PAIRS.plot(most=1).data[0].x == (0.95,)
    assert "1 most probable of 3 pairs" in PAIRS.plot(most=1).layout.title.text


def test_pairs_that_are_not_judged_are_hollow() -> None:
    judged = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)
    found = EdgeConfidence("calibrated", ("a", "b", "c"), MATRIX, None, "bjp", judged=judged)
    sure, unlike = found.plot().data
    assert (sure.x, sure.y, unlike.x, unlike.y) == ((0.95, 0.5), (0.0, 1.0), (0.1,), (2.0,))
    assert unlike.marker.color == LIGHT.paper != sure.marker.color


def test_shares_of_states_are_those_of_the_rows() -> None:
    (bars,) = DATA.plot().data
    frame = DATA.to_frame()
    for i, name in enumerate(DATA.names):
        parts = [x for x, y in zip(bars.x, bars.y, strict=True) if y == i]
        counted = frame[name].value_counts(normalize=True).reindex(DATA.labels[i]).dropna()
        assert parts == pytest.approx(list(counted))
    (few,) = DATA.plot(most=2).data
    assert set(few.y) == {0, 1}
    drawn = DATA.plot(backend="matplotlib").axes[0].patches
    assert [bar.get_width() for bar in drawn] == pytest.approx(list(bars.x))


def test_a_dataset_without_rows_has_no_bars() -> None:
    empty = bjp.Dataset.from_codes(np.empty((0, 2), int), cardinalities=[2, 2])
    assert not len(empty.plot().data[0].x)


@pytest.mark.parametrize(("theme", "palette"), [("light", LIGHT), ("dark", DARK)])
@pytest.mark.parametrize("name", PLOTS)
def test_figures_bring_paper_and_ink_of_their_own(name: str, theme: str, palette: Any) -> None:
    figure = PLOTS[name](theme=theme)
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == palette.paper
    assert figure.layout.font.color == palette.ink
    drawn = PLOTS[name](theme=theme, backend="matplotlib")
    assert to_hex(drawn.get_facecolor()) == palette.paper
    assert to_hex(drawn.axes[0].xaxis.label.get_color()) == palette.ink
    assert drawn._repr_png_().startswith(b"\x89PNG")


def test_names_are_shown_as_they_are() -> None:
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


@pytest.mark.parametrize(
    ("plot", "how", "sentence"),
    [
        (CLIMB.plot, {"backend": "bokeh"}, "backend='bokeh' is not known; use one of 'plotly'"),
        (CLIMB.plot, {"kind": "tree"}, "kind='tree' is not known; use one of 'score', 'network'"),
        (DATA.plot, {"theme": "pink"}, "theme='pink' is not known; use one of 'light', 'dark'"),
        (DATA.plot, {"most": 0}, "most=0 must be a whole number, 1 or more"),
        (PAIRS.plot, {"most": True}, "most=True must be a whole number"),
    ],
)
def test_an_unknown_choice_is_a_sentence(plot: Any, how: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        plot(**how)
    assert sentence in str(error.value)


@pytest.mark.parametrize("missing", ["plotly", "matplotlib"])
def test_what_is_not_installed_is_named(missing: str) -> None:
    program = (
        "import sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "import bjp_engine as bjp\n"
        f"bjp.Dataset.from_codes([[0, 1], [1, 0]]).plot(backend={missing!r})\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert run.stderr.endswith(
        f"plot(backend={missing!r}) needs {missing}, which is not installed; "
        f"install it with pip install {missing}.\n"
    )


def test_plotting_by_plotly_loads_no_other_package() -> None:
    program = (
        "import sys, bjp_engine as bjp\n"
        "bjp.Dataset.from_codes([[0, 1], [1, 0]]).plot()\n"
        "print([m for m in ('streamlit', 'matplotlib', 'pyvis') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
