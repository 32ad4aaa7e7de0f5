"""What the tests of the page Data do with files, and read off it."""

import numpy as np
import pandas as pd
import pytest

from bjp_engine.resources import sample_data
from bjp_explorer.shell import sources
from tests.app.conftest import healthy
from tests.app.looks import until

VOTES = sample_data("datasets", "house_votes_84.csv").read_bytes()


def messy(rows=240):
    """A table with an identifier, numbers, spellings, holes, a copy and a constant."""
    rng = np.random.default_rng(1)
    smokes = rng.random(rows) < 0.4
    frame = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(rows)],
            "age": 18 + np.arange(rows) % 70,
            "smokes": np.where(smokes, "yes", "no"),
            "cough": np.where(rng.random(rows) < np.where(smokes, 0.7, 0.2), "x", "o"),
            "unit": "kg",
        }
    )
    frame.loc[::9, "smokes"] = "YES"
    frame.loc[::10, "cough"] = None
    frame["copy"] = frame["smokes"].str.lower().map({"yes": 1, "no": 0})
    return frame.to_csv(index=False).encode()


def upload(app, name, content):
    if app.segmented_control(key="data-way").value != "file":
        healthy(app.segmented_control(key="data-way").set_value("file").run())
    return ready(app.file_uploader(key="data-file").set_value((name, content, "text/csv")))


def ready(changed):
    """The app after a change, once nothing is being read or prepared any more."""
    app = healthy(changed.run())
    until(lambda: not app.get("progress") or not healthy(app.run()).get("progress"))
    return app


def click(app, label, place=0):
    return ready([each for each in app.button if each.label == label][place].click())


def field(widgets, label):
    (found,) = (each for each in widgets if each.label.startswith(label))
    return found


def choose(app, label, words):
    widget = field(app.selectbox, label)
    ready(widget.select_index(widget.options.index(words)))


def in_hand(app):
    token = app.session_state["visit-token"]
    uploads = app.session_state["visit-uploads"]
    return uploads[token] if token in uploads else sources.load(token)


def plan(app):
    return in_hand(app).preparation


def kinds(app):
    return [step.kind for step in plan(app).steps]


def metrics(app):
    return {each.label: each.value for each in app.metric}


def said(app):
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.subheader)
    return "\n".join(each.value for kind in kinds for each in kind).replace("\\", "")


def error(app):
    (found,) = app.error
    return found.value.replace("\\", "")


def check_numbers(app, data):
    shown = metrics(app)
    assert (shown["Rows"], shown["Variables"]) == (f"{data.rows:,}", f"{data.n:,}")
    low, high = min(data.cardinalities), max(data.cardinalities)
    assert shown["States each"] == (str(low) if low == high else f"{low}–{high}")
    variables, _, preview = (each.value for each in app.dataframe if "Kind" not in each.value)
    assert variables["States"].tolist() == list(data.cardinalities)
    for i, shares in enumerate(variables["Distribution"]):
        counts = np.bincount(data.codes[:, i], minlength=data.cardinalities[i])
        assert shares == pytest.approx(counts / data.rows, abs=1e-4)
        top = int(counts.argmax())
        text = f"{data.labels[i][top]} · {100 * counts[top] / data.rows:.1f} %"
        assert variables["Most frequent"][i] == text
    rows, columns = preview.shape
    assert (rows, columns) == (min(100, data.rows), min(60, data.n))
    labels = data.to_frame().iloc[:rows, :columns].astype(str)
    assert (preview.astype(str).to_numpy() == labels.to_numpy()).all()
