"""Files of the server: offered only where its administrator named their folder."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from bjp_explorer.data import server_files, words
from bjp_explorer.data.upload import Upload
from tests.app.conftest import healthy
from tests.app.data.uploads import in_hand, ready, said


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


def test_only_tables_of_the_folder_are_offered_and_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = ["shard-0.parquet", "shard-1.parquet"]
    offered = [*shards, "small.csv", words.ALL_SHARDS]
    assert server_files.names() == offered
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "gone.csv").symlink_to(folder / "nothing.csv")
    assert server_files.names() == offered
    for name in ("../secret.csv", "notes.md", "/etc/passwd", "link.csv"):
        taken = server_files.take(name)
        assert isinstance(taken, str), name
        assert "can't be read" in taken, name
    (folder / "shard-1.parquet").unlink()
    assert server_files.names() == [shards[0], "small.csv"]
    for nowhere in ("", "/nowhere/at/all"):
        monkeypatch.setenv(server_files.FOLDER, nowhere)
        assert server_files.names() == []
    monkeypatch.delenv(server_files.FOLDER)
    assert server_files.names() == []


def test_shards_fit_or_a_sentence_says_why_not(folder: Path) -> None:
    shard = folder / "shard-9.parquet"
    wide = pa.table({"x": pa.array(["a"], pa.large_string()), "y": pa.nulls(1)})
    pq.write_table(wide, shard)
    taken = server_files.take(words.ALL_SHARDS)
    assert isinstance(taken, Upload)
    rows = pq.read_table(io.BytesIO(taken.content)).to_pylist()
    assert len(rows) == 121
    assert rows[-1] == {"x": "a", "y": None}
    for other, sentence in (
        ({"z": [1, 2]}, "'shard-9.parquet' has other columns than 'shard-0.parquet'"),
        ({"x": [1, 2], "y": ["a", "b"]}, "A column of 'shard-9.parquet' has another type"),
    ):
        pd.DataFrame(other).to_parquet(shard)
        assert str(server_files.take(words.ALL_SHARDS)).startswith(sentence)
    shard.write_bytes(b"PAR1, but nothing else")
    assert str(server_files.take(words.ALL_SHARDS)).startswith("'shard-9.parquet' can't be read")


def test_limits_hold(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BJP_MAX_MEMORY_MB", "600")
    assert isinstance(server_files.take(words.ALL_SHARDS), Upload)
    # A few kilobytes that would take half a gigabyte.
    places = np.zeros(150_000, dtype=np.int32)
    columns = [pa.DictionaryArray.from_arrays(places, [text]) for text in ("a" * 4000, "b")]
    texts = pa.table(columns, names=["x", "y"])
    pq.write_table(texts, folder / "shard-9.parquet", store_schema=False)
    assert "memory" in str(server_files.take(words.ALL_SHARDS))
    monkeypatch.setenv("BJP_MAX_FILE_MB", "1")
    (folder / "small.csv").write_bytes(b"a,b\n" + b"1,2\n" * (1 << 19))
    assert "larger than 1 MB" in str(server_files.take("small.csv"))


def test_a_file_and_all_shards_become_datasets(
    folder: Path, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    healthy(app.segmented_control(key="data-way").set_value("file").run())
    ready(app.selectbox(key="data-server-file").set_value("small.csv"))
    assert in_hand(app).data.names == ("u", "v")
    ready(app.selectbox(key="data-server-file").set_value(words.ALL_SHARDS))
    data = in_hand(app).data
    assert (data.rows, data.labels[0]) == (120, ("a", "b", "c"))
    assert "120 rows" in said(app)
    monkeypatch.delenv(server_files.FOLDER)
    healthy(app.run())
    assert all(each.label != words.SERVER_FILE for each in app.selectbox)
