"""Parquet files: the same dataset by path, from memory and by way of pandas' cells."""

import datetime as dt
import decimal
import math
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine import columns
from bjp_engine.errors import BJPError, DataError
from bjp_engine.io import child, declared, read_columns, read_frame
from tests.apart import run_here
from tests.awkward.columnar import stored
from tests.engine.cost import peak_of
from tests.refusals import assert_refused

KINDS = ("error", "drop", "state")
NAN = float("nan")


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    """A few rows a batch, so that small files have many of them; read in this process."""
    monkeypatch.setattr(declared, "ROWS", 3)
    monkeypatch.setattr(columns, "_ROWS", 4)
    monkeypatch.setattr(child, "run", run_here)


def outcome(source, missing, **options):
    """Everything that reading a file gives."""
    try:
        data = bjp.read_table(source, missing=missing, **options)
        report = read_columns(source, **options)[1]
    except BJPError as error:
        # Bytes have no name, and a sentence may begin with it.
        return type(error), str(error).replace("'table.parquet'", "The file")
    assert data.codes.flags.f_contiguous
    assert not data.codes.flags.writeable
    return data.names, data.labels, data.codes.dtype, data.codes.tolist(), report


def expected(path, missing, tokens):
    """The same dataset by way of the cells, as pandas holds them."""
    frame = pq.read_table(path).to_pandas(integer_object_nulls=True)
    for i, name in enumerate(frame.columns):
        cells = frame.iloc[:, i]
        if isinstance(cells.dtype, pd.CategoricalDtype):
            gone = [v for v in cells.cat.categories if isinstance(v, str) and v.strip() in tokens]
            kept = [v for v in cells.cat.categories if v not in gone]
            frame[name] = cells.cat.set_categories(kept)
        elif cells.dtype.kind == "f":
            seen = cells.dropna()
            if len(seen) and ((seen % 1 == 0) & (seen.abs() < 2.0**53)).all():
                frame[name] = cells.astype("Int64")
        else:
            frame[name] = cells.mask([isinstance(v, str) and v.strip() in tokens for v in cells])
    try:
        data = bjp.Dataset.from_frame(frame, missing=missing)
    except BJPError as error:
        return type(error), str(error)
    return data.names, data.labels, data.codes.dtype, data.codes.tolist()


def compare(folder, table, options, **how):
    """Read a table by its path and from memory; what both agree on."""
    path = folder / "table.parquet"
    pq.write_table(table, path, **how)
    whole = [outcome(path.read_bytes(), missing, **options) for missing in KINDS]
    parts = [outcome(path, missing, **options) for missing in KINDS]
    assert parts == whole
    return parts


def check(folder, table, tokens, **how):
    """Both ways agree with the cells."""
    found = compare(folder, table, {"missing_values": tokens}, **how)
    path = folder / "table.parquet"
    held = [expected(path, missing, [""] if tokens is None else tokens) for missing in KINDS]
    assert [one[: len(other)] for one, other in zip(found, held, strict=True)] == held


COLUMNS = {
    "small numbers": pa.array([3, -1, 2, -1, 10, 3, 3, 2], pa.int8()),
    "large numbers": pa.array([2**64 - 1, 1, 2, 1, 10, 3, 3, 2], pa.uint64()),
    "numbers about the last of doubles": pa.array([2**53, 2**53 + 1, 2**53 - 1, 1, -(2**62), 0]),
    "floats": pa.array([1.5, 0.0, NAN, -0.0, 1.5, 1e300, 0.25, math.inf, -math.inf]),
    "whole floats": pa.array([1.0, 0.0, NAN, -0.0, 10.0, 2.0]),
    "short floats": pa.array([1.5, 0.1, NAN, 1.5, 0.25, 2.0], pa.float32()),
    "truth": pa.array([True, False]),
    "text": pa.array(["b", "a", "item10", "item2", "10", "9", "01", "ähm", "", " ", "?", "NA"]),
    "long text": pa.array(["b", "a", "B", "item2", "", " ", "?", "NA"], pa.large_string()),
    "text once": pa.array([f"{i}" * 4 for i in range(8)]),
    "dates": pa.array([dt.date(2020, 1, 1 + i) for i in range(4)]),
    "moments": pa.array([dt.datetime(2020, 1, 1 + i, 5) for i in range(4)]),
    "moments in a zone": pa.array([dt.datetime(2020, 1, 1 + i, tzinfo=dt.UTC) for i in range(4)]),
    "times": pa.array([dt.time(1 + i) for i in range(4)]),
    "spans": pa.array([dt.timedelta(hours=1 + i) for i in range(4)]),
    "decimals": pa.array([decimal.Decimal(f"{i % 3}.50") for i in range(8)]),
    "bytes of one length": pa.array([b"ab", b"cd"] * 4, pa.binary(2)),
    "one value": pa.array(["same"]),
    "nothing": pa.nulls(8),
    "no text": pa.nulls(8, pa.string()),
    "no number": pa.nulls(8, pa.float64()),
    "categories": pa.array(pd.Categorical(list("babcabba"), categories=list("zcbay"))),
    "ordered categories": pa.array(
        pd.Categorical(["m", "s", ""], ["s", "m", "", "l"], ordered=True)
    ),
    "counted categories": pa.DictionaryArray.from_arrays([0, 1, 2, 2, 2, 1, 0], [10, 7, 8]),
    "no category": pa.DictionaryArray.from_arrays(pa.nulls(8, pa.int32()), ["a", "b"]),
}


def test_each_type_alone_and_all_at_once(tmp_path):
    cells = {name: column.take(np.arange(8) % len(column)) for name, column in COLUMNS.items()}
    holes = {name: column.take(pa.array([3, 0, None, *range(5)])) for name, column in cells.items()}
    for name, column in holes.items():
        table = pa.table({name: column, "beside": pa.array([0, 1] * 4)})
        check(tmp_path, table, None, row_group_size=2)
    for columns_ in (cells, holes):
        for rows, use_dictionary in product((1, 5, 100), (True, False)):
            for tokens in (None, ["b", "?"]):
                how = {"row_group_size": rows, "use_dictionary": use_dictionary}
                check(tmp_path, pa.table(columns_), tokens, **how)


@st.composite
def arrow_tables(draw):
    """Up to five columns of any type, each perhaps with holes, perhaps in several pieces."""
    rows, made = draw(st.integers(1, 14)), {}
    for i in range(draw(st.integers(1, 5))):
        column = COLUMNS[draw(st.sampled_from(sorted(COLUMNS)))]
        places = st.integers(0, len(column) - 1)
        places = st.none() | places if draw(st.booleans()) else places
        cells = column.take(
            pa.array(draw(st.lists(places, min_size=rows, max_size=rows)), pa.int32())
        )
        cut = draw(st.integers(0, rows))
        made[f"c{i}"] = pa.chunked_array([cells[:cut], cells[cut:]])
    return pa.table(made)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    table=arrow_tables(),
    rows=st.integers(1, 15),
    use_dictionary=st.booleans(),
    tokens=st.sampled_from([None, (), ("a", "?"), ("", "10")]),
)
def test_both_ways_agree(tmp_path, table, rows, use_dictionary, tokens):
    check(tmp_path, table, tokens, row_group_size=rows, use_dictionary=use_dictionary)


def test_more_states_than_bytes_hold(tmp_path, monkeypatch):
    for states in (255, 256, 257, 300):
        order = np.random.default_rng(0).permutation(states)
        values = pa.array(np.concatenate([order, order[:9]]))
        holes = pa.array([None, *(f"t{i}" for i in values.to_pylist()[1:])])
        table = pa.table({"a": values, "b": holes, "c": values.cast(pa.float64())})
        (_, _, (*_, codes, report)) = compare(tmp_path, table, {})
        assert report.rows == len(codes) == states + 9
    monkeypatch.setattr(declared, "ROWS", 1 << 15)
    monkeypatch.setattr(columns, "_ROWS", 1 << 15)
    values = np.arange(70_000)
    few = compare(tmp_path, pa.table({"id": values[: 1 << 16]}), {})
    assert few[0][2] == np.uint16
    many = compare(tmp_path, pa.table({"id": values, "hole": [None, *values[1:] % 2]}), {})
    words = ("'hole' has 1 missing cell", "'id' has 69999 states", "'id' has 70000 states")
    assert all(part in said for part, (_, said) in zip(words, many, strict=True)), many
    # The last are not counted.
    monkeypatch.setattr(declared, "ROWS", 3)
    monkeypatch.setattr(declared, "MAX_VALUES", 10)
    pq.write_table(pa.table({"id": np.arange(12)}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="'id' has more than 10 states"):
        bjp.read_table(tmp_path / "t.parquet")


def test_a_date_that_python_does_not_know_is_refused_by_its_column():
    # 9 306 000 days after 1970 is the year 27449; a Parquet file may hold it.
    days = pa.array([0, 9_306_000], pa.int32()).cast(pa.date32())
    with pytest.raises(DataError, match=r"^Column 'day' holds date32"):
        bjp.read_table(stored({"a": [1, 2], "day": days}))


def test_options_and_a_stored_index_mean_the_same(tmp_path):
    names = {"a.b": [1, 2, 1], "a": ["x", "y", "x"], "ünï code": [0.5, 1.5, 0.5], "n": [3, 3, 3]}
    table = pa.table(names)
    for options in (
        *({"columns": ["a"]}, {"columns": ["n", "a.b"]}, {"columns": [2, 0]}),
        *({"columns": ["none such"]}, {"columns": ["a", "a"]}),
        *({"format": "parquet"}, {"format": "csv"}, {"missing_values": ["x"]}),
    ):
        compare(tmp_path, table, options, row_group_size=2)
    assert compare(tmp_path, table, {"columns": ["n", "a.b"]})[0][0] == ("n", "a.b")
    for name, names in (("case", ("a", "case")), (None, ("a",))):
        frame = pd.DataFrame({"a": ["x", "y"]}, index=pd.Index([5, 9], name=name))
        assert compare(tmp_path, pa.Table.from_pandas(frame), {})[0][0] == names
    assert "index" in read_frame(tmp_path / "table.parquet")[1].notes[0]
    # A name is like the path of a nested column.
    nested = table.append_column("n", pa.array([{"a.b": 1}] * 3))
    compare(tmp_path, nested.rename_columns(["n.x", "a", "b", "c", "n"]), {})
    nested = pa.table({"n": pa.array([{"x": 7}] * 3), "n.x": pa.array([1, 2, 1])})
    compare(tmp_path, nested, {"columns": ["n.x"]})
    for odd in ([[1], [2], [3]], [b"x", b"y", b"z"], [{"k": 1}] * 3):
        more = table.append_column("odd", pa.array(odd))
        assert "'odd'" in compare(tmp_path, more, {})[0][1]
        compare(tmp_path, more, {"columns": ["a", "n"]})
    # Types that pyarrow doesn't code.
    halves = pa.array(np.array([0.5, 1.5, 0.5], dtype=np.float16))
    compare(tmp_path, table.append_column("half", halves), {})
    periods = pd.DataFrame({"p": pd.PeriodIndex(["2020-01", "2020-02", "2020-01"], freq="M")})
    compare(tmp_path, pa.Table.from_pandas(periods), {})
    for name, refused in (("t.pkl", True), ("t.json", True), ("bare", False)):
        (tmp_path / name).write_bytes(stored(table))
        if refused:
            assert_refused(DataError, name, bjp.read_table, tmp_path / name)
        else:
            assert bjp.read_table(str(tmp_path / name), columns=["a"]).rows == 3


def test_damage(tmp_path, monkeypatch):
    """What `tests/awkward` reads from memory is refused by its path in the same words."""
    path, table = tmp_path / "table.parquet", pa.table({"a": [*range(7)] * 286})
    pq.write_table(table.append_column("b", pa.array(["x", "y"] * 1001)), path)
    whole, table = path.read_bytes(), pq.read_table(path)
    damaged = whole[:-20], whole[:4] + b"\xff" * 60 + whole[64:]
    for content in (b"", b"  \n", b"PAR1", b"PAR1" + b"\0" * 60, b"a,b\n1,2", *damaged):
        path.write_bytes(content)
        assert_refused(DataError, r"empty|can't be read as a Parquet table", bjp.read_table, path)
        assert outcome(path, "error") == outcome(content, "error", format="parquet")
    nothing = compare(tmp_path, pa.table({"a": pa.array([], pa.int64())}), {})
    assert "no rows" in nothing[0][1]
    # Texts that are no UTF-8.
    offsets = pa.py_buffer(np.arange(5, dtype=np.int32))
    texts = pa.StringArray.from_buffers(4, offsets, pa.py_buffer(b"\xffab\xff"))
    assert "can't be read" in compare(tmp_path, pa.table({"a": texts, "b": [0, 1, 0, 1]}), {})[0][1]
    # It has another number of rows than it says.
    path.write_bytes(whole)
    for rows in (table.slice(0, 5), pa.concat_tables([table, table])):
        with monkeypatch.context() as patch:
            batches = rows.to_batches()
            patch.setattr(pq.ParquetFile, "iter_batches", lambda *_, b=batches, **__: b)
            assert_refused(DataError, "can't be read as a Parquet table", bjp.read_table, path)
    monkeypatch.setattr(declared, "MOST_CELLS", 4003)
    assert_refused(DataError, r"2,002 rows of 2 columns.*columns=", bjp.read_table, path)
    (tmp_path / "folder.parquet").mkdir()
    for name, words in (("folder.parquet", "folder"), ("nowhere.parquet", "There is no file")):
        assert_refused(DataError, words, bjp.read_table, tmp_path / name)


def test_a_path_is_not_bound_to_the_cells_and_bytes_of_an_upload(tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": [0, 1] * 500}), path)
    monkeypatch.setenv("BJP_MAX_CELLS", "100")
    assert_refused(DataError, "more cells than 100", bjp.read_table, path.read_bytes())
    assert bjp.read_table(path).rows == 1000
    monkeypatch.setenv("BJP_MAX_FILE_MB", "1")
    with pytest.raises(DataError, match="larger than 1 MB"):
        bjp.read_table(path.read_bytes() + bytes(1 << 20))
    assert bjp.read_table(path).rows == 1000


def test_memory_is_that_of_the_codes(tmp_path, monkeypatch):
    """Far below the raw cells, though they lie in one piece in the file."""
    monkeypatch.setattr(declared, "ROWS", 1 << 18)
    monkeypatch.setattr(columns, "_ROWS", 1 << 18)
    rows, n = 2_000_000, 8
    numbers = pa.array(np.random.default_rng(0).integers(0, 4, rows))
    path = tmp_path / "table.parquet"
    table = pa.table({f"c{i}": numbers for i in range(n)})
    pq.write_table(table, path, row_group_size=rows, use_dictionary=False, compression="none")
    bjp.read_table(b"a\n1\n")
    usual, raw = pa.default_memory_pool(), rows * n * 8
    arrow = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(arrow)
    try:
        _, ours = peak_of(bjp.read_table, path)
    finally:
        pa.set_memory_pool(usual)
    # The codes twice at the most, as they were read and in one table, and a few batches.
    assert ours < 2 * rows * n + (1 << 24)
    assert 0 < arrow.max_memory() < raw / 2


def test_what_a_file_says_of_order_and_titles(tmp_path):
    def levels(codes, states, ordered=True):
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), states, ordered=ordered)

    path, states = tmp_path / "t.parquet", pa.array(["low", "mid", "high"])
    cells = [levels([2, 0, 0, 1, 1], states, ordered) for ordered in (True, False)]
    titled = pa.field("a", cells[0].type, metadata={"label": " How  much? "})
    pq.write_table(pa.table(cells, schema=pa.schema([titled, pa.field("b", cells[1].type)])), path)
    for source in (path, path.read_bytes()):
        a, b = read_columns(source)[0].columns.values()
        assert (a.ordinal, b.ordinal) == (True, False)
        assert (a.title, b.title) == ("How much?", "")
        assert a.values.tolist() == b.values.tolist() == ["low", "mid", "high"]
        assert bjp.read_table(source).ordered == (True, False)
    # Groups of rows that disagree leave no order: "mid" came after "high" was known.
    parts = [pa.table({"a": levels([0, 1, 0], pa.array(["low", "high"]))})]
    parts.append(pa.table({"a": levels([0, 1, 2], states)}))
    with pq.ParquetWriter(path, parts[0].schema) as writer:
        for part in parts:
            writer.write_table(part)
    column = read_columns(path)[0].columns["a"]
    assert set(column.values.tolist()) == {"low", "mid", "high"}
    assert column.ordinal == (column.values.tolist() == ["low", "mid", "high"])
