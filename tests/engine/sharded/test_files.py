"""Files read by the workers of a cluster are one table, and what is wrong with one names it."""

import itertools

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


@pytest.fixture(scope="module")
def client():
    with local_client(2, processes=False) as client:
        yield client


def write(folder, *frames, kind="csv"):
    """Frames as files of a folder, and the pattern of these.

    A Parquet file is decoded by a process of its own, which takes its time.
    """
    for k, frame in enumerate(frames):
        getattr(frame, f"to_{kind}")(folder / f"part-{k}.{kind}", index=False)
    return str(folder / f"*.{kind}")


def pieces(frame, *ends):
    """A frame in pieces."""
    return [frame.iloc[a:b] for a, b in zip((0, *ends), (*ends, len(frame)), strict=True)]


def assert_same(sharded, whole):
    """The same variables, states and counts of all pairs."""
    for name in ("names", "labels", "cardinalities", "ordered", "rows"):
        assert getattr(sharded, name) == getattr(whole, name)
    for x in whole.names[:-1]:
        mine, theirs = (bjp.independence_test(d, x, whole.names[-1]) for d in (sharded, whole))
        assert [s.counts.tolist() for s in mine.slices] == [
            s.counts.tolist() for s in theirs.slices
        ]


@pytest.mark.slow
class TestEqual:
    def test_files_are_one_table(self, client, tmp_path):
        table = sharded_table(900)
        whole = bjp.Dataset.from_frame(table)
        for kind in ("parquet", "csv"):
            pattern = write(tmp_path, *pieces(table, 10, 500), kind=kind)
            assert_same(bjp.read_sharded(pattern, client=client), whole)
            files = sorted(tmp_path.glob(f"*.{kind}"))
            some = bjp.read_sharded(files, client=client, columns=["f", "c", "g"])
            assert_same(some, whole.select(["f", "c", "g"]))
            assert_same(bjp.read_sharded(files, client=client).select(["f", "c", "g"]), some)
        said, progress = [], bjp.Progress(report=lambda *counts: said.append(counts))
        bjp.read_sharded(pattern, client=client, progress=progress)
        assert said[-1] == (3, 3)
        with pytest.raises(Cancelled):
            bjp.read_sharded(pattern, client=client, progress=bjp.Progress(cancelled=lambda: True))

    def test_shards_without_rows(self, client, tmp_path, caplog):
        table = sharded_table(60)
        pattern = write(tmp_path, *pieces(table, 20, 20), kind="parquet")
        whole = bjp.Dataset.from_frame(table)
        (tmp_path / "part-3.parquet").touch()
        assert_same(bjp.read_sharded(pattern, client=client), whole)
        (said,) = [record for record in caplog.records if record.levelname == "WARNING"]
        assert "2 of 4 files have no rows: " in said.getMessage()
        assert "part-1.parquet" in said.getMessage()
        texts = write(tmp_path, *pieces(table, 0, 20), kind="csv")
        (tmp_path / "part-3.csv").touch()
        assert_same(bjp.read_sharded(texts, client=client), whole)
        with pytest.raises(DataError, match="no rows, nor has any other file"):
            bjp.read_sharded(tmp_path / "part-[03].csv", client=client)

    def test_missing_cells_and_frequencies(self, client, tmp_path):
        holed = sharded_table(200).replace({"f": {"on": None}})
        pattern, whole = write(tmp_path, holed), bjp.Dataset.from_frame(holed, missing="drop")
        assert_same(bjp.read_sharded(pattern, client=client, missing="drop"), whole)
        table = sharded_table(200).assign(times=np.arange(200) % 5)
        data = bjp.read_sharded(write(tmp_path, *pieces(table, 30)), client=client, weights="times")
        whole = bjp.Dataset.from_frame(table, weights="times")
        assert_same(data, whole)
        one, other = (bjp.learn(d, "ib", "ibmap-hc") for d in (data, whole))
        assert one.score == other.score
        # They are written out in their order.
        assert (data.codes == whole.codes).all()


@pytest.mark.slow
class TestRefused:
    def test_the_file_is_named(self, client, tmp_path):
        table = sharded_table(40)
        pattern = write(tmp_path, table, table.assign(d=[[k] for k in range(40)]), kind="parquet")
        with pytest.raises(DataError, match=r"'part-1\.parquet'"):
            bjp.read_sharded(pattern, client=client)
        (tmp_path / "part-1.parquet").write_bytes(b"PAR1 and nothing else")
        with pytest.raises(DataError, match=r"'part-1\.parquet'"):
            bjp.read_sharded(pattern, client=client)
        pattern = write(tmp_path, *(table.assign(times=k) for k in (1, 0.5)))
        with pytest.raises(DataError, match=r"'part-1\.csv': Row 1 "):
            bjp.read_sharded(pattern, client=client, weights="times")
        # Files of one name are told apart.
        for folder, other in {"a": table, "b": table.drop(columns="d")}.items():
            (tmp_path / folder).mkdir()
            other.to_parquet(tmp_path / folder / "part.parquet")
        with pytest.raises(DataError, match=r"'b/part\.parquet' has other .*'a/part"):
            bjp.read_sharded(tmp_path / "*" / "part.parquet", client=client)

    def test_what_is_no_source(self, client, tmp_path):
        for source, sentence in (
            ([tmp_path / "gone.csv"], r"no file 'gone\.csv'"),
            (tmp_path / "*.csv", "No file matches"),
            (tmp_path, "is a folder; name a file in it"),
            ([], "names no files"),
            (pd.DataFrame({"a": [1]}), "names no files"),
        ):
            with pytest.raises(DataError, match=sentence):
                bjp.read_sharded(source, client=client)

    def test_clients(self, tmp_path):
        for client, sentence in ((None, "client is missing"), ("tcp://a:1", "is of type str")):
            with pytest.raises(OptionError, match=sentence):
                bjp.read_sharded(tmp_path / "*.parquet", client=client)
        pattern = write(tmp_path, sharded_table(40))
        with local_client(1, processes=False) as client:
            data = bjp.read_sharded(pattern, client=client)
        with pytest.raises(OptionError, match="that read this dataset is closed"):
            bjp.learn(data, search="ibmap-hc")
        with pytest.raises(OptionError, match="client is closed"):
            bjp.read_sharded(tmp_path / "*.parquet", client=client)


ROWS = 1400


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


class TestTogether:
    """What the workers do, done here: the rows of several files are those of one, code by code."""

    @pytest.fixture(autouse=True)
    def _here(self, monkeypatch):
        monkeypatch.setattr(child, "run", run_here)

    def check(self, paths, whole, missing="error", weights=None, **options):
        """The same variables and rows, or the same refusal but for the name of a file."""
        try:
            wanted = bjp.read_table(whole, missing=missing, weights=weights, **options)
        except DataError as error:
            wanted = error
        how = {"missing": missing, "weights": weights, **options}
        drafts = [draft(str(path), path.name, **how) for path in paths]
        drafts = [one for one in drafts if one is not None]
        if isinstance(wanted, DataError):
            with pytest.raises(DataError) as caught:
                agree([_head(one) for one in drafts], missing)
            assert str(caught.value)[:30] == str(wanted)[:30]
            return
        found = agree([_head(one) for one in drafts], missing)
        for name in ("names", "labels", "ordered"):
            assert getattr(found, name) == getattr(wanted, name), name
        sizes = tuple(map(len, found.labels))
        parts = [
            settled(one, one.mark, places, cardinalities=sizes)
            for one, places in zip(drafts, found.places, strict=True)
        ]
        for v in range(wanted.n):
            codes = np.concatenate([part.codes_of(v) for part in parts])
            assert (codes == wanted.codes[:, v]).all()

    def test_parquet(self, tmp_path):
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
                    self.check(paths, whole, missing)

    def test_text(self, tmp_path):
        whole = tmp_path / "whole.csv"
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
        frame.to_csv(whole, index=False)
        paths = [tmp_path / f"part-{k}.csv" for k in range(3)]
        for path, piece in zip(paths, pieces(frame, 300, 1100), strict=True):
            piece.to_csv(path, index=False)
        for missing in ("error", "drop", "state"):
            self.check(paths, whole, missing)
            # The last file has no row that counts.
            self.check(paths, whole, missing, weights="times")
        self.check(paths, whole, columns=["text late", "number"])

    def test_what_does_not_fit(self, tmp_path):
        def heads(*frames, kind="csv"):
            found = []
            for k, frame in enumerate(frames):
                path = tmp_path / f"{k}.{kind}"
                getattr(pd.DataFrame(frame), f"to_{kind}")(path, index=False)
                how = {"missing": "error", "weights": None}
                found.append(_head(draft(str(path), path.name, **how)))
            return found

        one = {"a": [1, 2], "b": ["x", "y"]}
        for other, part in (
            ({"b": ["x"], "a": [1]}, r"than 0.parquet \(the same in another order\)"),
            ({"a": [1], "c": ["x"]}, r"without 'b' and with 'c'"),
            ({"a": ["1"], "b": ["x"]}, "'a' holds numbers in 0.parquet and text in 1.parquet"),
            ({"a": [True], "b": ["x"]}, "truth values"),
            ({"a": pd.Categorical(["1"]), "b": ["x"]}, "categories of text"),
        ):
            with pytest.raises(DataError, match=part):
                agree(heads(one, other, kind="parquet"))
        # Of a fraction the file doesn't say how it is written.
        with pytest.raises(DataError, match="write both files with the same type"):
            agree(heads({"a": [0.5, 1.5]}, {"a": ["x", "y"]}))


def test_a_file_that_has_changed(tmp_path):
    write(tmp_path, sharded_table(40), sharded_table(40).iloc[::-1])
    how = {"missing": "error", "weights": None}
    before, after = (draft(str(tmp_path / f"part-{k}.csv"), "t", **how) for k in range(2))
    found = agree([_head(before)])
    sizes = tuple(map(len, found.labels))
    assert settled(before, before.mark, found.places[0], cardinalities=sizes).rows == 40
    with pytest.raises(DataError, match="has changed since"):
        settled(after, before.mark, found.places[0], cardinalities=sizes)
