"""Files read by the workers of a cluster are one table, and what is wrong with one names it."""

import itertools
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.io import child
from bjp_engine.sharded import _head, agree, draft, settled
from tests.apart import run_here
from tests.clusters import local_client, sharded_table
from tests.refusals import assert_refused

ROWS = 1400


@pytest.fixture(scope="module")
def client():
    with local_client(2, processes=False) as client:
        yield client


@pytest.fixture
def _here(monkeypatch):
    """A process of its own for each Parquet file takes its time."""
    monkeypatch.setattr(child, "run", run_here)


def write(folder, *frames, kind="csv"):
    """Frames as files of a folder, and the pattern of these."""
    for k, frame in enumerate(frames):
        getattr(pd.DataFrame(frame), f"to_{kind}")(folder / f"part-{k}.{kind}", index=False)
    return str(folder / f"part-*.{kind}")


def pieces(frame, *ends):
    """A frame in pieces."""
    return [frame.iloc[a:b] for a, b in zip((0, *ends), (*ends, len(frame)), strict=True)]


def assert_same(sharded, whole):
    """The same variables, states and rows."""
    for name in ("names", "labels", "cardinalities", "ordered", "rows"):
        assert getattr(sharded, name) == getattr(whole, name)
    assert (sharded.codes == whole.codes).all()


def assert_read_alike(client, paths, whole, **options):
    """The same dataset as of one file with all rows, or the same refusal but for its name."""
    try:
        wanted = bjp.read_table(whole, **options)
    except DataError as error:
        about = f"^{re.escape(str(error)[:30])}"
        assert_refused(DataError, about, bjp.read_sharded, paths, client=client, **options)
    else:
        assert_same(bjp.read_sharded(paths, client=client, **options), wanted)


def columns(rows=ROWS):
    """Columns of every kind."""
    rng = np.random.default_rng(0)
    some = rng.integers(0, 3, rows)
    return {
        "two": rng.integers(0, 2, rows),
        "once": (np.arange(rows) == rows - 1).astype(int),
        "text": np.array(["no", "yes", "10"])[some],
        "late": np.where(np.arange(rows) < 600, "a", np.array(["b", "a", "c"])[some]),
        "very many": np.append(np.arange(300), rng.integers(0, 300, rows - 300)),
        "eight and holes": pa.array(rng.integers(0, 8, rows), mask=rng.random(rows) < 0.1),
        "grows": np.minimum(np.arange(rows) // 100, 9),
        "holes late": pa.array(some, mask=np.arange(rows) == rows - 2),
        "floats": np.array([1.0, 2.0, np.nan])[some],
        "halves": np.where(np.arange(rows) < 700, 1.0, np.array([1.0, 0.5, -0.0])[some]),
        "truth": some > 1,
        "tokens": np.array(["b", "", " "])[some],
        "nothing": pa.nulls(rows),
        "nothing yet": pa.array(some, mask=np.arange(rows) < 900),
        "categories": pa.array(pd.Categorical.from_codes(some, list("zyxw"))),
        "scale": pa.array(pd.Categorical.from_codes(some - 1, list("zyxw"), ordered=True)),
        "full scale": pa.array(pd.Categorical.from_codes(some, list("zyxw"), ordered=True)),
    }


@pytest.mark.usefixtures("_here")
def test_parquet_files_are_one_table(client, tmp_path):
    whole, held = tmp_path / "whole.parquet", columns()
    for kept in (slice(0, 6), slice(4, 12), slice(11, 17)):
        table = pa.table(dict([*held.items()][kept]))
        pq.write_table(table, whole)
        for ends in ((), (1,), (700,), (64, 65, 1000)):
            paths = []
            for k, (a, b) in enumerate(itertools.pairwise((0, *ends, ROWS))):
                paths.append(tmp_path / f"part-{k}.parquet")
                pq.write_table(table.slice(a, b - a), paths[-1])
            for missing in ("error", "drop", "state"):
                assert_read_alike(client, paths, whole, missing=missing)


def test_texts_are_one_table(client, tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "number": rng.integers(0, 12, ROWS),
            "text late": np.where(np.arange(ROWS) < 1000, "7", rng.choice(["7", "u"], ROWS)),
            "halves late": np.where(np.arange(ROWS) < 900, 1, rng.choice([1, 1.5], ROWS)),
            "holes": rng.choice(["a", "b", "NA"], ROWS),
            "times": rng.integers(0, 4, ROWS) * (np.arange(ROWS) < 1100),
        }
    )
    frame.to_csv(whole := tmp_path / "whole.csv", index=False)
    pattern = write(tmp_path, *pieces(frame, 300, 1100))
    for missing in ("error", "drop", "state"):
        assert_read_alike(client, pattern, whole, missing=missing)
        # The last file has no row that counts.
        assert_read_alike(client, pattern, whole, missing=missing, weights="times")
    assert_read_alike(client, pattern, whole, columns=["text late", "number"])
    said, progress = [], bjp.Progress(report=lambda *counts: said.append(counts))
    read = bjp.read_sharded
    read(pattern, client=client, missing="drop", progress=progress)
    assert said[-1] == (3, 3)
    with pytest.raises(Cancelled):
        read(pattern, client=client, progress=bjp.Progress(cancelled=lambda: True))


def test_shards_without_rows(client, tmp_path, caplog):
    table = sharded_table(60)
    whole = bjp.Dataset.from_frame(table)
    for kind, ends, empty in (("parquet", (20, 20), (1, 3)), ("csv", (0, 20), (0, 3))):
        pattern = write(tmp_path, *pieces(table, *ends), kind=kind)
        (tmp_path / f"part-3.{kind}").touch()
        caplog.clear()
        assert_same(bjp.read_sharded(pattern, client=client), whole)
        (said,) = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
        assert "2 of 4 files have no rows: " in said
        assert all(f"part-{k}.{kind}" in said for k in empty)
    about = "no rows, nor has any other file"
    assert_refused(DataError, about, bjp.read_sharded, tmp_path / "part-[03].csv", client=client)


def test_the_file_is_named(client, tmp_path):
    table = sharded_table(40)
    pattern = write(tmp_path, table, table.assign(d=[[k] for k in range(40)]), kind="parquet")
    assert_refused(DataError, r"'part-1\.parquet'", bjp.read_sharded, pattern, client=client)
    (tmp_path / "part-1.parquet").write_bytes(b"PAR1 and nothing else")
    assert_refused(DataError, r"'part-1\.parquet'", bjp.read_sharded, pattern, client=client)
    pattern, how = write(tmp_path, *(table.assign(times=k) for k in (1, 0.5))), {"weights": "times"}
    assert_refused(
        DataError, r"'part-1\.csv': Row 1 ", bjp.read_sharded, pattern, client=client, **how
    )
    # Files of one name are told apart.
    for folder, other in {"a": table, "b": table.drop(columns="d")}.items():
        (tmp_path / folder).mkdir()
        other.to_parquet(tmp_path / folder / "part.parquet")
    about, pattern = r"'b/part\.parquet' has other .*'a/part", tmp_path / "*" / "part.parquet"
    assert_refused(DataError, about, bjp.read_sharded, pattern, client=client)


@pytest.mark.usefixtures("_here")
def test_what_does_not_fit(client, tmp_path):
    one = {"a": [1, 2], "b": ["x", "y"]}
    for other, part in (
        ({"b": ["x"], "a": [1]}, r"than 'part-0\.parquet' \(the same in another order\)"),
        ({"a": [1], "c": ["x"]}, r"without 'b' and with 'c'"),
        ({"a": ["1"], "b": ["x"]}, "'a' holds numbers in .*-0.* and text in .*-1"),
        ({"a": [True], "b": ["x"]}, "truth values"),
        ({"a": pd.Categorical(["1"]), "b": ["x"]}, "categories of text"),
    ):
        pattern = write(tmp_path, one, other, kind="parquet")
        assert_refused(DataError, part, bjp.read_sharded, pattern, client=client)
    # Of a fraction the file doesn't say how it is written.
    pattern = write(tmp_path, {"a": [0.5, 1.5]}, {"a": ["x", "y"]})
    about = "write both files with the same type"
    assert_refused(DataError, about, bjp.read_sharded, pattern, client=client)


def test_what_is_no_source_or_client(client, tmp_path):
    for source, sentence in (
        ([tmp_path / "gone.csv"], r"no file 'gone\.csv'"),
        (tmp_path / "*.csv", "No file matches"),
        (tmp_path, "is a folder; name a file in it"),
        ([], "names no files"),
        (pd.DataFrame({"a": [1]}), "names no files"),
    ):
        assert_refused(DataError, sentence, bjp.read_sharded, source, client=client)
    pattern = write(tmp_path, sharded_table(40))
    with local_client(1, processes=False) as closed:
        data = bjp.read_sharded(pattern, client=closed)
    assert_refused(OptionError, "client is closed", bjp.learn, data, search="ibmap-hc")
    for other, sentence in (
        (None, "client is missing"),
        ("tcp://a:1", "is of type str"),
        (closed, "client is closed"),
    ):
        assert_refused(OptionError, sentence, bjp.read_sharded, pattern, client=other)


def test_a_file_that_has_changed(tmp_path):
    write(tmp_path, sharded_table(40), sharded_table(40).iloc[::-1])
    how = {"missing": "error", "weights": None}
    before, after = (draft(str(tmp_path / f"part-{k}.csv"), "t", **how) for k in range(2))
    labels, _, places = agree([_head(before)])
    sizes = tuple(map(len, labels))
    assert settled(before, before.mark, places[0], cardinalities=sizes).rows == 40
    with pytest.raises(DataError, match="has changed since"):
        settled(after, before.mark, places[0], cardinalities=sizes)
