"""The Data page: three ways in, and numbers that are the engine's."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bjp_explorer.data_upload import Upload, Way
from streamlit.testing.v1 import AppTest

from bjp_engine import networks
from bjp_engine._resources import sample_data
from bjp_engine.dataset import Dataset
from bjp_engine.io import read_frame
from bjp_explorer import data_networks, data_upload, data_views, sources
from bjp_explorer.data_words import distinct, listed
from bjp_explorer.sources import Loaded
from bjp_explorer.text import prose
from tests.app.looks import address

Run = Callable[[Any], AppTest]
VOTES = (sample_data() / "datasets" / "house_votes_84.csv").read_bytes()


def in_hand(app: AppTest) -> Loaded:
    """The dataset that every page sees."""
    token = app.session_state["visit-token"]
    uploads: dict[str, Loaded] = app.session_state["visit-uploads"]
    return uploads[token] if token in uploads else sources.load(token)


def metrics(app: AppTest) -> dict[str, str]:
    """The numbers on the page."""
    return {each.label: each.value for each in app.metric}


def said(app: AppTest) -> str:
    """All the text on the page, without the backslashes that keep it plain."""
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.subheader)
    return "\n".join(each.value for kind in kinds for each in kind).replace("\\", "")


def check_numbers(app: AppTest, data: Dataset) -> None:
    """Metrics, variables and preview are those of the data."""
    shown = metrics(app)
    assert shown["Rows"] == f"{data.rows:,}"
    assert shown["Variables"] == f"{data.n:,}"
    low, high = min(data.cardinalities), max(data.cardinalities)
    assert shown["States each"] == (str(low) if low == high else f"{low}–{high}")
    variables, preview = (each.value for each in app.dataframe)
    assert variables["States"].tolist() == list(data.cardinalities)
    for i, shares in enumerate(variables["Shares"]):
        counts = np.bincount(data.codes[:, i], minlength=data.cardinalities[i])
        assert shares == pytest.approx(counts / data.rows, abs=1e-4)
        top = int(counts.argmax())
        text = f"{data.labels[i][top]} · {100 * counts[top] / data.rows:.1f} %"
        assert variables["Most frequent"][i] == text
    rows, columns = preview.shape
    assert (rows, columns) == (min(100, data.rows), min(60, data.n))
    labels = data.to_frame().iloc[:rows, :columns].astype(str)
    assert (preview.astype(str).to_numpy() == labels.to_numpy()).all()


def upload(app: AppTest, name: str, content: bytes, run: Run) -> AppTest:
    """Choose the second way in and give it a file."""
    run(app.segmented_control(key="data-way").set_value("file"))
    return run(app.file_uploader(key="data-file").set_value((name, content, "text/csv")))


class TestSamples:
    def test_coronary_is_loaded_at_first(self, app: AppTest) -> None:
        assert in_hand(app).token == "coronary"
        check_numbers(app, sources.load("coronary").data)
        assert metrics(app)["Published edges"] == "9"
        assert metrics(app)["Missing cells"] == "0"
        assert not [each for each in app.radio if each.key.startswith("data-missing")]
        entry = sources.samples()["coronary"]
        for text in (entry.about, entry.known, entry.source, entry.licence):
            assert text in said(app)

    def test_choosing_one_loads_it_and_puts_it_into_the_url(self, app: AppTest, run: Run) -> None:
        run(app.radio(key="data-sample").set_value("titanic"))
        check_numbers(app, sources.load("titanic").data)
        assert address(app)["data"] == "titanic"
        assert "Titanic" in app.sidebar.markdown[0].value

    def test_missing_cells_are_a_choice_with_its_cost(self, app: AppTest, run: Run) -> None:
        run(app.radio(key="data-sample").set_value("house_votes_84"))
        check_numbers(app, sources.load("house_votes_84:state").data)
        choice = app.radio(key="data-missing-house_votes_84")
        assert choice.value == "state"
        assert "232 of 435 rows remain" in choice.proto.captions[0]
        run(choice.set_value("drop"))
        check_numbers(app, sources.load("house_votes_84:drop").data)
        assert address(app)["data"] == "house_votes_84:drop"
        assert "203 incomplete rows of 435 dropped" in said(app)
        assert app.dataframe[0].value["Missing"].sum() == 392

    def test_the_senate_ends_in_a_usable_dataset_and_says_so(self, app: AppTest, run: Run) -> None:
        run(app.radio(key="data-sample").set_value("senate109"))
        check_numbers(app, sources.load("senate109").data)
        assert "no row is complete" in app.info[0].value
        assert "kept as a state of their own" in app.info[0].value
        assert not [each for each in app.radio if each.key.startswith("data-missing")]

    def test_another_variable_is_counted(self, app: AppTest, run: Run) -> None:
        assert app.selectbox(key="data-variable").value == "smoking"
        run(app.selectbox(key="data-variable").set_value("family history"))
        run(app.radio(key="data-sample").set_value("titanic"))
        assert app.selectbox(key="data-variable").value == "Class"


class TestNetworks:
    def test_it_draws_at_once_with_known_truth(self, app: AppTest, run: Run) -> None:
        run(app.segmented_control(key="data-way").set_value("net"))
        loaded = in_hand(app)
        assert loaded.token == "net:target-1:clique-log-weights:1000:0"
        assert loaded.truth is not None
        check_numbers(app, loaded.data)
        assert metrics(app)["True edges"] == "6"
        assert "reconstruction" in said(app)

    def test_the_default_distribution_is_that_of_the_papers_table(
        self, app: AppTest, run: Run
    ) -> None:
        run(app.segmented_control(key="data-way").set_value("net"))
        for group, weights in {
            "hubs": "clique-log-weights",
            "scale-free": "clique-log-weights",
            "real": "log-odds",
        }.items():
            run(app.segmented_control(key="data-group").set_value(group))
            assert app.radio(key=f"data-weights-{group}").value == weights
            assert in_hand(app).token.split(":")[2] == weights

    def test_every_choice_counts(self, app: AppTest, run: Run) -> None:
        run(app.segmented_control(key="data-way").set_value("net"))
        app.segmented_control(key="data-group").set_value("real")
        run(app)
        app.selectbox(key="data-network-real").set_value("dolphins")
        app.radio(key="data-weights-real").set_value("clique-potentials")
        app.select_slider(key="data-rows").set_value(250)
        app.number_input(key="data-seed").set_value(5)
        run(app)
        token = "net:dolphins:clique-potentials:250:5"
        assert address(app)["data"] == token
        check_numbers(app, sources.load(token).data)
        about = networks.describe("dolphins")
        assert metrics(app)["Irregularity"] == f"{about.total_irregularity:,}"
        assert metrics(app)["Nodes"] == "62"
        assert metrics(app)["True edges"] == metrics(app)["Edges"] == "159"

    def test_a_link_opens_it_with_its_settings(self, open_app: Callable[..., AppTest]) -> None:
        app = open_app(data="net:karate:log-odds:300:3")
        assert app.segmented_control(key="data-way").value == "net"
        assert app.segmented_control(key="data-group").value == "real"
        assert app.selectbox(key="data-network-real").value == "karate"
        assert app.radio(key="data-weights-real").value == "log-odds"
        assert app.select_slider(key="data-rows").value == 300
        assert app.number_input(key="data-seed").value == 3
        check_numbers(app, sources.load("net:karate:log-odds:300:3").data)

    def test_every_network_is_in_one_group(self) -> None:
        members = [name for group in data_networks.groups().values() for name in group.members]
        assert sorted(members) == sorted(networks.names())
        assert len(data_networks.groups()["real"].members) == 6


class TestOwnFile:
    def test_house_votes_is_told_and_in_hand_at_once(self, app: AppTest, run: Run) -> None:
        upload(app, "house_votes_84.csv", VOTES, run)
        frame, report = read_frame(VOTES)
        check_numbers(app, Dataset.from_frame(frame, missing="state"))
        assert in_hand(app).token == address(app)["data"] == f"file:{_digest(VOTES)}"
        text = said(app)
        assert "house_votes_84.csv is a text table with commas" in text
        assert "435 rows and 17 columns. All 17 columns are used; 392 missing cells" in text
        for note in report.notes:
            assert note in text
        assert "house_votes_84.csv" in app.sidebar.markdown[0].value.replace("\\", "")

    def test_columns_and_missing_cells_are_chosen(self, app: AppTest, run: Run) -> None:
        upload(app, "votes.csv", VOTES, run)
        run(app.multiselect[0].set_value([0, 1, 4]))
        frame = read_frame(VOTES)[0].iloc[:, [0, 1, 4]]
        check_numbers(app, Dataset.from_frame(frame, missing="state"))
        assert "3 of its columns are used" in said(app)
        assert "14 columns of 17 left out" in said(app)
        choice = next(each for each in app.radio if each.key.startswith("data-missing"))
        dropped = Dataset.from_frame(frame, missing="drop")
        assert f"{dropped.rows} of 435 rows remain" in choice.proto.captions[0]
        run(choice.set_value("drop"))
        check_numbers(app, dropped)

    def test_it_stays_when_one_leaves_and_returns(
        self, app: AppTest, run: Run, switch_page: Callable[[AppTest, str], AppTest]
    ) -> None:
        upload(app, "votes.csv", VOTES, run)
        run(app.multiselect[0].set_value([0, 1, 4]))
        digest = in_hand(app).data.digest
        switch_page(app, "method")
        assert "votes.csv" in app.sidebar.markdown[0].value.replace("\\", "")
        switch_page(app, "data")
        assert app.segmented_control(key="data-way").value == "file"
        assert app.multiselect[0].value == [0, 1, 4]
        assert in_hand(app).data.digest == digest
        run(app.segmented_control(key="data-way").set_value("sample"))
        assert in_hand(app).token == "coronary"
        run(app.segmented_control(key="data-way").set_value("file"))
        assert in_hand(app).data.digest == digest

    def test_it_is_read_once(self, app: AppTest, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        reads: list[str] = []
        real = data_upload.read_frame

        def counted(source: Any, **options: Any) -> Any:
            reads.append(source.name)
            return real(source, **options)

        monkeypatch.setattr(data_upload, "read_frame", counted)
        upload(app, "votes.csv", VOTES, run)
        run(app.multiselect[0].set_value([0, 1, 4]))
        run(app.selectbox(key="data-variable").set_value("party"))
        assert reads == ["votes.csv"]

    def test_unusable_columns_are_left_out_and_may_be_put_back(
        self, app: AppTest, run: Run
    ) -> None:
        lines = [f"p{i},{i % 2},{'ab'[i % 2]},same,{i % 60}" for i in range(120)]
        upload(app, "t.csv", "\n".join(["id,x,y,const,many", *lines]).encode(), run)
        assert app.multiselect[0].value == [1, 2]
        text = said(app)
        assert "id (a different value in every row)" in text
        assert "const (the same value in every row)" in text
        assert "many (more than 50 different values)" in text
        run(app.multiselect[0].set_value([1, 2, 4]))
        assert in_hand(app).data.cardinalities == (2, 2, 60)

    def test_a_german_table(self, app: AppTest, run: Run) -> None:
        rng = np.random.default_rng(0)
        rows = [
            f"{'Köln' if rng.random() < 0.5 else 'Bonn'};{i % 3};{rng.normal(70, 9):.2f}".replace(
                ".", ","
            )
            for i in range(300)
        ]
        upload(app, "städte.csv", "\n".join(["Stadt;Größe;kg", *rows]).encode("cp1252"), run)
        assert in_hand(app).data.names == ("Stadt", "Größe")
        assert "semicolons between its cells" in said(app)
        assert "kg (more than 50 different values)" in said(app)
        assert "not UTF-8" in said(app)

    def test_an_index_column_is_left_out_and_told(self, app: AppTest, run: Run) -> None:
        frame = pd.DataFrame({"a": [0, 1] * 20, "b": ["x", "y", "y", "x"] * 10})
        upload(app, "t.csv", frame.to_csv().encode(), run)
        check_numbers(app, Dataset.from_frame(frame))
        assert "counts the rows; it was left out" in said(app)

    def test_the_sheet_of_a_workbook_is_chosen(self, app: AppTest, run: Run) -> None:
        first = pd.DataFrame({"a": [0, 1] * 5, "b": ["x", "y"] * 5})
        second = pd.DataFrame({"c": [0, 1, 2] * 5, "d": ["u", "v", "u"] * 5})
        book = io.BytesIO()
        with pd.ExcelWriter(book) as writer:
            first.to_excel(writer, sheet_name="One", index=False)
            second.to_excel(writer, sheet_name="Two & $x$", index=False)
        upload(app, "book.xlsx", book.getvalue(), run)
        check_numbers(app, Dataset.from_frame(first))
        (sheet,) = (each for each in app.selectbox if each.label == "Sheet")
        run(sheet.set_value("Two & $x$"))
        check_numbers(app, Dataset.from_frame(second))

    def test_a_table_without_names(self, app: AppTest, run: Run) -> None:
        upload(app, "t.csv", b"0,1\n1,0\n1,1\n0,0\n", run)
        run(app.checkbox[0].set_value(False))
        assert in_hand(app).data.names == (0, 1)
        assert in_hand(app).data.rows == 4

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("empty.csv", b"", "is empty"),
            ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a picture"),
            ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "Line 3"),
            ("book.xlsx", b"PK\x03\x04 no workbook", "Excel workbook"),
            ("t.pkl", b"\x80\x04", "could run code"),
        ],
    )
    def test_what_cant_be_read_costs_nothing(
        self, app: AppTest, run: Run, name: str, content: bytes, sentence: str
    ) -> None:
        upload(app, "votes.csv", VOTES, run)
        before = in_hand(app).data.digest
        run(app.file_uploader(key="data-file").set_value((name, content, "text/csv")))
        assert sentence in app.error[0].value.replace("\\", "")
        assert in_hand(app).data.digest == before
        assert "votes.csv stays in hand" in said(app)
        run(app.file_uploader(key="data-file").set_value(None))
        assert not app.error
        assert len(app.multiselect[0].value) == 17

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (b"only\n" + b"0\n1\n" * 20, "Only the column “only” is in use"),
            (
                b"id,g\n" + b"".join(b"p%d,%d\n" % (i, i % 2) for i in range(40)),
                "Only the column “g” is in use",
            ),
            (b"a,b\n" + b"1,2\n" * 40, "None of its columns is in use"),
        ],
    )
    def test_fewer_than_two_usable_columns_get_one_sentence(
        self, app: AppTest, run: Run, content: bytes, sentence: str
    ) -> None:
        upload(app, "few.csv", content, run)
        assert len(app.warning) == 1
        assert sentence in app.warning[0].value
        assert "a network needs at least two variables" in app.warning[0].value
        assert in_hand(app).token == "coronary"

    def test_hostile_names_stay_text(self, app: AppTest, run: Run) -> None:
        names = ["**b**", "<img src=x onerror=alert(1)>", "[a](javascript:x)", "$x$", "a" * 9000]
        frame = pd.DataFrame({name: ["<b>u</b>", "&lt;"] * 10 for name in names})
        upload(app, "<script>**x**.csv", frame.to_csv(index=False).encode(), run)
        assert in_hand(app).data.names == tuple(names)
        assert not any(each.proto.allow_html for each in (*app.markdown, *app.caption))
        texts = [each.value for each in (*app.markdown, *app.caption, *app.subheader)]
        for piece in ("<script>", "<img", "[a]", " **b", "$x$"):
            assert not [text for text in texts if piece in text], piece
        figure = data_views.counts_figure(in_hand(app).data, 0)
        assert figure.layout.yaxis.ticktext == ("&amp;lt;", "&lt;b&gt;u&lt;/b&gt;")


class TestParts:
    def test_what_an_upload_is(self) -> None:
        parquet = io.BytesIO()
        pd.DataFrame({"a": [0, 1], "b": [1, 0]}).to_parquet(parquet)
        reading = data_upload.read(Upload("t.parquet", parquet.getvalue()), Way())
        assert data_upload.what_it_is(reading) == (
            "t.parquet is a Parquet table, with 2 rows and 2 columns."
        )
        assert data_upload.what_is_done(reading, [0, 1], "drop") == (
            "Both columns are used; none of their cells is missing."
        )
        libra = data_upload.read(Upload("t.data", b"0,1\n1,0\n"), Way())
        assert "a Libra data file" in data_upload.what_it_is(libra)

    def test_sheets_of_what_is_no_workbook(self) -> None:
        assert data_upload.sheet_titles(b"PK\x03\x04") == ()
        assert Upload("t.csv", b"a,b\n").sheets == ()

    def test_distinct_names(self) -> None:
        assert distinct(["a_b", "c"]) == ["a b", "c"]
        assert distinct(["a_b", "a b", 3]) == ["a b (column 1)", "a b (column 2)", "3"]
        assert len(set(distinct(["x" * 70, "x" * 71, "\u200b", " "]))) == 4

    def test_words(self) -> None:
        assert listed(["a", "b", "c"], 2) == "a, b and 1 more"
        assert prose("x " * 300).count("x") == 300
        assert prose("*a* <b>") == r"\*a\* \<b\>"

    def test_many_states_are_cut_in_the_figure_and_told(self) -> None:
        data = Dataset.from_codes(np.arange(90).reshape(-1, 1) % 30)
        figure = data_views.counts_figure(data, 0)
        assert list(figure.data[0].x) == [3] * 20
        assert "10 more" in data_views.counts_text(data, 0)

    def test_the_figure_counts(self) -> None:
        data = sources.load("titanic").data
        assert list(data_views.counts_figure(data, 0).data[0].x) == [325, 285, 706, 885]
        assert "Crew 885" in data_views.counts_text(data, 0)


def _digest(content: bytes) -> str:
    return Upload("", content).digest
