"""Files of the server: offered only where its administrator named their folder."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from bjp_explorer.data import server_files, words
from bjp_explorer.data.upload import Upload
from tests.app.conftest import healthy
from tests.app.data.uploads import in_hand, ready, said

Run = Callable[[Any], AppTest]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shards, a text table, and what is none."""
    there = tmp_path / "data"
    there.mkdir()
    monkeypatch.setenv(server_files.FOLDER, str(there))
    for k, states in enumerate((["a", "b"], ["b", "c"])):
        columns = {"x": states * 30, "y": states[:1] * 30 + states[1:] * 30}
        pd.DataFrame(columns).to_parquet(there / f"shard-{k}.parquet")
    pd.DataFrame({"u": ["no", "yes"] * 30, "v": ["no"] * 25 + ["yes"] * 35}).to_csv(
        there / "small.csv", index=False
    )
    (there / "notes.md").write_text("no table")
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    return there


def test_the_names_are_those_of_tables(folder: Path) -> None:
    shards = ["shard-0.parquet", "shard-1.parquet"]
    assert server_files.names() == [*shards, "small.csv", words.ALL_SHARDS]
    (folder / "shard-1.parquet").unlink()
    assert words.ALL_SHARDS not in server_files.names()


def test_without_a_folder_nothing_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server_files.FOLDER, raising=False)
    assert server_files.names() == []
    monkeypatch.setenv(server_files.FOLDER, "/nowhere/at/all")
    assert server_files.names() == []


@pytest.mark.parametrize("name", ["../secret.csv", "notes.md", "/etc/passwd"])
def test_no_other_file_is_read(folder: Path, name: str) -> None:
    taken = server_files.take(name)
    assert isinstance(taken, str)
    assert "can't be read" in taken


def test_a_link_out_of_the_folder_is_not_followed(folder: Path) -> None:
    before = server_files.names()
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "gone.csv").symlink_to(folder / "nothing.csv")
    assert server_files.names() == before
    assert "can't be read" in str(server_files.take("link.csv"))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"z": [1, 2]}, "'shard-9.parquet' has other columns than 'shard-0.parquet'"),
        ({"x": [1, 2], "y": ["a", "b"]}, "A column of 'shard-9.parquet' has another type"),
    ],
)
def test_shards_that_do_not_fit_are_said(
    folder: Path, other: dict[str, list[Any]], said: str
) -> None:
    pd.DataFrame(other).to_parquet(folder / "shard-9.parquet")
    assert str(server_files.take(words.ALL_SHARDS)).startswith(said)


def test_a_shard_that_is_damaged_is_said(folder: Path) -> None:
    (folder / "shard-9.parquet").write_bytes(b"PAR1, but nothing else")
    assert str(server_files.take(words.ALL_SHARDS)).startswith("'shard-9.parquet' can't be read")


def test_texts_of_both_widths_and_a_column_of_nothing_fit(folder: Path) -> None:
    wide = pa.table({"x": pa.array(["a"], pa.large_string()), "y": pa.nulls(1)})
    pq.write_table(wide, folder / "shard-9.parquet")
    taken = server_files.take(words.ALL_SHARDS)
    assert isinstance(taken, Upload)
    rows = pq.read_table(io.BytesIO(taken.content)).to_pylist()
    assert len(rows) == 121
    assert rows[-1] == {"x": "a", "y": None}


def test_shards_are_unpacked_within_the_limits(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A few kilobytes that would take half a gigabyte.
    texts = pa.table({"x": ["a" * 4000] * 150_000, "y": ["b"] * 150_000})
    pq.write_table(texts, folder / "shard-9.parquet")
    monkeypatch.setenv("BJP_MAX_MEMORY_MB", "600")
    assert "memory" in str(server_files.take(words.ALL_SHARDS))


def test_limits_hold(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BJP_MAX_FILE_MB", "1")
    (folder / "small.csv").write_bytes(b"a,b\n" + b"1,2\n" * (1 << 19))
    assert "larger than 1 MB" in str(server_files.take("small.csv"))


def test_a_file_and_all_shards_become_datasets(folder: Path, open_app: Run) -> None:
    app = open_app("data")
    healthy(app.segmented_control(key="data-way").set_value("file").run())
    ready(app.selectbox(key="data-server-file").set_value("small.csv"))
    assert in_hand(app).data.names == ("u", "v")
    ready(app.selectbox(key="data-server-file").set_value(words.ALL_SHARDS))
    data = in_hand(app).data
    assert (data.rows, data.labels[0]) == (120, ("a", "b", "c"))
    assert "120 rows" in said(app)


def test_the_page_offers_none_by_default(open_app: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server_files.FOLDER, raising=False)
    app = open_app("data")
    healthy(app.segmented_control(key="data-way").set_value("file").run())
    assert all(each.label != words.SERVER_FILE for each in app.selectbox)
