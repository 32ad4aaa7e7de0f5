"""Rows that are read into bit planes: variables and counts are those of the table as held."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bjp_engine as bjp
from bjp_engine.contingency import Request
from bjp_engine.counters.planes import PlanesPart
from bjp_engine.counters.sums import Sum
from bjp_engine.dataset import CountedDataset
from bjp_engine.errors import BJPError, Cancelled, DataError
from bjp_engine.io import child, packing, parquet, read_columns, streams, text, text_stream
from bjp_engine.io.agreement import agree
from bjp_engine.io.limits import Limits
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.packing import recode
from bjp_engine.io.streams import draft, read_counted
from bjp_engine.progress import Progress
from tests.apart import run_here
from tests.engine.cost import peak_of

ROWS = 1400


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Blocks of a word of each plane, batches that end within them; read in this process."""
    monkeypatch.setattr(packing, "BLOCK", 512)
    monkeypatch.setattr(parquet, "ROWS", 100)
    monkeypatch.setattr(streams, "WHOLE", 100)
    monkeypatch.setattr(streams, "MOST_HELD", 0)
    monkeypatch.setattr(text_stream, "HEAD", 1 << 12)
    monkeypatch.setattr(text_stream, "BLOCK", 1 << 12)
    monkeypatch.setattr(text, "BLOCK", 1 << 12)
    monkeypatch.setattr(child, "run", run_here)


def variables(data):
    """Everything but the rows."""
    return data.rows, data.names, data.cardinalities, data.labels, data.ordered


def counts(codes, sizes, chosen):
    """How many rows have each combination of states."""
    table = np.zeros([sizes[i] for i in chosen], dtype=np.int64)
    np.add.at(table, tuple(codes[:, i].astype(np.intp) for i in chosen), 1)
    return table


def check_counts(data, whole):
    """All pairs, and some triples, are counted as in the table that is held."""
    assert isinstance(data, CountedDataset)
    sizes = whole.cardinalities
    sets = [*itertools.combinations(range(whole.n), 2)]
    sets += [*itertools.combinations(range(whole.n), 3)][::7]
    sets = [some for some in sets if np.prod([sizes[i] for i in some]) < 1 << 16]
    requests = [Request(some[0], some[1:-1], some[-1:], laid_out=True) for some in sets]
    for some, (cells, within) in zip(sets, data.counter.count(requests), strict=True):
        # By the configuration of Z, the state of x, the state of y.
        table = np.moveaxis(counts(whole.codes, sizes, some), 0, -2)
        assert cells.tolist() == table.sum(axis=-1).ravel().tolist()
        assert within.tolist() == [
            table[..., k].ravel().tolist() for k in range(1, sizes[some[-1]])
        ]


def check_same(data, whole):
    assert variables(data) == variables(whole)
    check_counts(data, whole)


def outcome(read, *arguments, **options):
    """A dataset, or the sentence that refuses it."""
    try:
        return read(*arguments, **options)
    except BJPError as error:
        return type(error), str(error)


def check(path, *, weights=None, **options):
    """A file is counted as it is held, however missing cells are treated."""
    for missing in ("error", "drop", "state"):
        how = {"missing": missing, "weights": weights}
        whole = outcome(bjp.read_table, path, **how, **options)
        data = outcome(read_counted, path, ReadOptions.of(options), **how)
        if isinstance(whole, bjp.Dataset):
            check_same(data, whole)
        else:
            assert data == whole


def columns(rows=ROWS):
    """Columns of every kind."""
    rng = np.random.default_rng(0)
    some = rng.integers(0, 3, rows)
    holes = rng.random(rows) < 0.1
    once = np.zeros(rows, dtype=int)
    once[-1] = 1
    return {
        "two": rng.integers(0, 2, rows),
        "once": once,
        "text": np.array(["no", "yes", "10"])[some],
        "late": np.where(np.arange(rows) < 600, "a", np.array(["b", "a", "c"])[some]),
        "many": rng.integers(-5, 15, rows),
        "very many": np.append(np.arange(300), rng.integers(0, 300, rows - 300)),
        "eight": rng.integers(0, 8, rows),
        "eight and holes": pa.array(rng.integers(0, 8, rows), mask=holes),
        "grows": np.minimum(np.arange(rows) // 100, 9),
        "holes late": pa.array(some, mask=np.arange(rows) == rows - 2),
        "holes first": pa.array(some, mask=np.arange(rows) == 0),
        "floats": np.array([1.0, 2.0, np.nan])[some],
        "halves": np.array([1.0, 0.5, -0.0])[some],
        "truth": some > 1,
        "tokens": np.array(["b", "", " "])[some],
        "nothing": pa.nulls(rows),
        "categories": pa.array(pd.Categorical.from_codes(some, list("zyxw"))),
        "scale": pa.array(pd.Categorical.from_codes(some - 1, list("zyxw"), ordered=True)),
        "full scale": pa.array(pd.Categorical.from_codes(some, list("zyxw"), ordered=True)),
    }


def stored(path, **cells):
    pq.write_table(pa.table(cells), path)


class TestParquet:
    def test_variables_and_counts(self, tmp_path):
        held, path = columns(), tmp_path / "table.parquet"
        for kept in (slice(0, 8), slice(6, 14), slice(11, 19)):
            pq.write_table(pa.table(dict([*held.items()][kept])), path, row_group_size=333)
            check(path)
        some = {name: pa.array(held[name]) for name in ("two", "many", "holes first")}
        for rows in (1, 63, 64, 65, 512, 1024):
            stored(path, **{n: cells[:rows] for n, cells in some.items()})
            check(path)
        # No row is complete.
        stored(path, a=[None, 1] * 300, b=[1, None] * 300)
        check(path)

    def test_what_cannot_be_counted(self, tmp_path, monkeypatch):
        path = tmp_path / "table.parquet"
        monkeypatch.setattr(parquet, "ROWS", 1 << 15)
        stored(path, a=np.arange((1 << 16) + 600))
        with pytest.raises(DataError, match=r"Column 'a' has \d+ states"):
            read_counted(path)
        # Values that only memory tells apart.
        stored(path, a=pa.array(np.arange(9), pa.float16()))
        with pytest.raises(DataError, match=r"Column 'a'.*columns="):
            read_counted(path)
        stored(path, a=np.arange(ROWS) % 7)
        path.write_bytes(path.read_bytes()[:-300] + b"PAR1")
        with pytest.raises(DataError, match=r"'table.parquet' can't be read as a Parquet"):
            read_counted(path)
        for name in ("no.csv", "table.xlsx", "table.pickle"):
            if name != "no.csv":
                (tmp_path / name).write_bytes(b"PK\x03\x04")
            with pytest.raises(DataError, match=name):
                draft(tmp_path / name)

    def test_more_cells_than_are_held(self, tmp_path, monkeypatch):
        path = tmp_path / "table.parquet"
        stored(path, a=np.arange(ROWS) % 3, b=np.arange(ROWS) % 2)
        whole = bjp.read_table(path)
        monkeypatch.setattr(parquet, "MOST_HELD", 2 * ROWS - 1)
        check_same(bjp.read_table(path), whole)
        with pytest.raises(DataError, match=r"'table.parquet' has 1,400 rows .*read_table"):
            read_columns(path)
        assert isinstance(bjp.read_table(path.read_bytes()), bjp.Dataset)


TEXTS = {
    "plain": ("a,b\n", "{k0},{t}\n"),
    "with a byte order mark": ("\ufeffa,b\n", "{k0},{t}\n"),
    "returns": ("a,b\r\n", "{k0},{t}\r\n"),
    "tabs": ("a\tb\n", "{k0}\t{t}\n"),
    "semicolons and commas": ("a;b;c\n", "{k0};{t};{k1},5\n"),
    "quoted": ('"a","b"\n', '"{k0}","{t}, ""so"""\n'),
    "quoted line ends": ("a,b\n", '{k0},"{t}\nand more"\n'),
    "missing": ("a,b\n", "{k0},{m}\n"),
    "numbers written twice": ("a,b,c\n", "{k0},{k1}.{k0},{k1}.0\n"),
    "spaces": ("a, b\n", "{k0}, {t} \n"),
    "comments above": ("# from somewhere\na,b\n", "{k0},{t}\n"),
    "row names without a name": (",a,b\n", "{k},{k0},{t}\n"),
    "more cells than names": ("a,b\n", "r{k},{k0},{t}\n"),
    "delimiters behind": ("a,b,\n", "{k0},{t},\n"),
    "one column": ("a\n", "{t}\n"),
    "question texts": (
        "Q1,Q2,Q3\nHow old are you?,Do you smoke?,How often is that?\n",
        "{k0},{k1},{k2}\n",
    ),
    "many": ("a,b\n", "{k2},{k}\n"),
}


def write_text(path, kind, rows=ROWS):
    """A table of text whose last row has a state of its own."""
    head, row = TEXTS[kind]
    words, lost = ("often", "never", "ähm"), ("x", "NA", "y", "")
    lines = [
        row.format(k=k, k0=k % 2, k1=k % 5, k2=k % 13, t=words[k % 3], m=lost[k % 4])
        for k in range(rows)
    ]
    lines[-1] = lines[-1].replace("often", "once").replace("never", "once")
    path.write_bytes("".join([head, *lines]).encode())


class TestText:
    def test_variables_and_counts(self, tmp_path, monkeypatch):
        path = tmp_path / "table.csv"
        for kind in TEXTS:
            write_text(path, kind)
            with monkeypatch.context() as patch:
                # None of it falls back on the way that holds the text.
                patch.setattr(streams, "_read_whole_text", None)
                check(path)
            check(path, columns=[0])
        path.write_text("".join(f"{k % 2},{k % 3}\n" for k in range(ROWS)))
        check(path, header=False)

    def test_what_comes_late(self, tmp_path):
        path = tmp_path / "table.csv"
        write_text(path, "plain")
        for late in ('1,"a, b"\n', '1,"a\nb"\n', '1,"a\n\n\nb"\n'):
            path.write_bytes(path.read_bytes() + late.encode())
            check(path)
        # Some of it only where the text is read as a whole.
        rows = "".join(f"{k % 2},{k % 3}\n" for k in range(ROWS)).encode()
        for end in (b'1,a "b" c\n', b"1,2,\n", b"1,a\r0,b\n", "1,café\n".encode("cp1252")):
            path.write_bytes(rows + end)
            check(path)
        write_text(path, "delimiters behind")
        path.write_bytes(path.read_bytes() + b"1,often,more\n")
        with pytest.raises(DataError, match=r"Column 3 of 'table\.csv' has no name"):
            read_counted(path)
        assert read_counted(path, ReadOptions(columns=("a", "b"))).names == ("a", "b")
        # Comments and malformed rows.
        write_text(path, "plain")
        path.write_bytes(path.read_bytes() + b"# so far\n1,never\n")
        check(path)
        path.write_bytes(path.read_bytes() + b"1,2,3\n1,never\n")
        check(path, malformed="skip")
        with pytest.raises(DataError, match=r"Line 1,404 of 'table.csv' has 3 cells.* 2; "):
            read_counted(path)

    def test_a_larger_text_than_is_held(self, tmp_path, monkeypatch):
        path = tmp_path / "table.csv"
        rows = "".join(f"{k % 3},{'yes' if k % 5 else 'no'},{k % 11}\n" for k in range(150_000))
        path.write_text(f"a,b,c\n{rows}")
        monkeypatch.setattr(packing, "BLOCK", 1 << 14)
        monkeypatch.setattr(text, "BLOCK", 1 << 20)
        whole = bjp.read_table(path)
        limits = Limits(file_mb=1)
        check_counts(bjp.read_table(path, limits=limits), whole)
        monkeypatch.setattr(streams, "MOST_HELD", 3 * 150_000)
        data = bjp.read_table(path, limits=limits)
        assert variables(data) == variables(whole)
        assert (data.codes == whole.codes).all()
        for odd, why in ((b'1,a "b" c,2\n', "quotation marks"), (b"1,caf\xe9,2\n", "UTF-8")):
            path.write_bytes(f"a,b,c\n{rows}".encode() + odd)
            with pytest.raises(DataError, match=rf"'table.csv' is larger than 1 MB.*{why}"):
                bjp.read_table(path, limits=limits)
        with pytest.raises(DataError, match="larger than 1 MB"):
            read_columns(path, limits=limits)


def test_cancelled_within_the_file(tmp_path, monkeypatch):
    path, done = tmp_path / "table.csv", []
    write_text(path, "plain", 60_000)
    progress = Progress(lambda k, n: done.append(k * 100 // n), lambda: len(done) > 3)
    with pytest.raises(Cancelled):
        read_counted(path, progress=progress)
    assert 0 < done[0] <= done[3] < 100
    # Parquet is read in a process of its own, as in a program.
    monkeypatch.undo()
    monkeypatch.setattr(parquet, "ROWS", 100)
    path, seen = tmp_path / "table.parquet", []
    stored(path, a=np.arange(ROWS) % 7)
    with pytest.raises(Cancelled):
        read_counted(path, progress=Progress(cancelled=lambda: True))
    read_counted(path, progress=Progress(lambda *counted: seen.append(counted)))
    assert seen[-1] == (ROWS, ROWS)


class TestFrequencies:
    def test_as_if_the_rows_stood_there_as_often(self, tmp_path):
        rng = np.random.default_rng(1)
        frame = pd.DataFrame({n: columns()[n] for n in ("two", "text", "many", "once")})
        frame["holes"] = np.where(rng.random(ROWS) < 0.2, None, rng.choice(["u", "v"], ROWS))
        frame["n"] = rng.integers(0, 40, ROWS)
        # States, and missing cells, that no row with a frequency has.
        frame.loc[700, ["text", "n"]] = ["never counted", 0]
        frame.to_csv(tmp_path / "table.csv", index=False)
        frame.to_parquet(tmp_path / "table.parquet")
        for path in (tmp_path / "table.csv", tmp_path / "table.parquet"):
            check(path, weights="n")
            check(path, weights="n", columns=["two", "n", "text", "many"])

    def test_frequencies_that_are_none(self, tmp_path):
        path, two = tmp_path / "table.parquet", np.arange(609) % 2
        for odd in (-1.0, 0.5, None, np.inf):
            stored(path, a=two, n=[1.0] * 599 + [odd] + [2.0] * 9)
            with pytest.raises(DataError, match="Row 600 has"):
                read_counted(path, weights="n")
            check(path, weights="n")
        for cells in (["x"] * 609, [0] * 609):
            stored(path, a=two, n=cells)
            check(path, weights="n")
        check(path, weights="m")
        check(path, weights="n", columns=["n"])


def shards(folder, table, ends):
    """Some rows a file."""
    paths = []
    for k, (begin, end) in enumerate(itertools.pairwise((0, *ends, table.num_rows))):
        paths.append(folder / f"part-{k}.parquet")
        pq.write_table(table.slice(begin, end - begin), paths[-1])
    return paths


def united(paths, missing, **options):
    """What several files are together."""
    drafts = [draft(path, missing=missing, **options) for path in paths]
    agreed = agree([one.head for one in drafts], missing)
    settled = [one.settled(agreed, k) for k, one in enumerate(drafts)]
    factors = [factor for one in settled for factor in one.weights]
    counter = Sum([part for one in settled for part in one.parts], factors)
    assert counter.rows == agreed.rows
    return CountedDataset(
        counter, agreed.cardinalities, agreed.names, agreed.labels, agreed.ordered
    )


class TestAgreement:
    def test_files_are_one_table(self, tmp_path):
        for missing, kept in itertools.product(
            ("state", "drop"), (slice(0, 8), slice(6, 14), slice(11, 19))
        ):
            held = dict([*columns().items()][kept])
            if missing == "drop":
                held = {n: cells for n, cells in held.items() if n not in ("nothing", "tokens")}
            table = pa.table(held)
            whole = bjp.read_table(*shards(tmp_path, table, []), missing=missing)
            paths = shards(tmp_path, table, [3, 4, 510, 900, 901, 1399])
            for order in (paths, paths[::-1]):
                check_same(united(order, missing), whole)

    def test_missing_cells_and_frequencies_of_all_files(self, tmp_path):
        table = pa.table({"a": pa.array([1, None, 2, None, 1, 1]), "b": [None, *[0] * 5]})
        most = r", most of them in 'part-0\.parquet'; leave .* or make .*'state'\.$"
        for cuts, said in (([], "; leave .*, make .*, or impute"), ([3, 5], most)):
            with pytest.raises(DataError, match=rf"^Column 'a' has 2 missing cells \(1 .*{said}"):
                united(shards(tmp_path, table, cuts), "error")
        # A file of which no row is left is a part of the rest.
        whole = bjp.read_table(*shards(tmp_path, table, []), missing="drop")
        check_counts(united(shards(tmp_path, table, [1, 2]), "drop"), whole)
        table = pa.table({"a": [0, 1, 2, 0], "b": [0, 1, 0, 1], "n": [0, 0, 3, 4]})
        whole = bjp.read_table(*shards(tmp_path, table, []), weights="n")
        check_same(united(shards(tmp_path, table, [2, 3]), "error", weights="n"), whole)
        with pytest.raises(DataError, match="Every row has the frequency 0 in column 'n'"):
            united(shards(tmp_path, table.slice(0, 2), [1]), "error", weights="n")

    def test_values_that_each_file_has_in_part(self, tmp_path):
        def write(*cells):
            paths = [tmp_path / f"{k}.parquet" for k in range(len(cells))]
            for path, part in zip(paths, cells, strict=True):
                stored(path, a=pa.array(part), b=[0] * len(part))
            return paths

        def sizes(cells, *levels):
            return pd.Categorical(cells, levels, ordered=True)

        late = sizes(["l", None, "s"], "s", "m", "l")
        paths = write(sizes(["m", "s"], "s", "m"), late)
        data = united(paths, "drop")
        assert (data.labels[0], data.ordered) == (("s", "m", "l"), (True, False))
        assert united(paths, "state").ordered == (False, False)
        # Two orders that don't agree mean nothing.
        assert united(write(sizes(["l"], "l", "s"), late), "drop").ordered == (False, False)
        large = 2**53
        paths = write(pa.array([1, large, large + 1], pa.int64()), [1.0, 0.5, None])
        labels = ("0.5", "1", str(large), str(large + 1), "(missing)")
        assert united(paths, "state").labels[0] == labels
        # Texts are numbers only where they are in all files.
        parts, files = ("1,1.0\n2,2\n", "01,3\nx,1\n1,1\n", "10,NA\n"), []
        for k, rows in enumerate((*parts, "".join(parts))):
            files.append(tmp_path / f"{k}.csv")
            files[-1].write_text(f"a,b\n{rows}")
        check_same(united(files[:3], "state"), bjp.read_table(files[3], missing="state"))

    def test_frames_in_memory(self):
        frame = pd.DataFrame(
            {
                "x": [1.0, 2.0, np.nan, 10.0] * 30,
                "y": pd.Categorical(list("abca") * 30, list("cbad"), ordered=True),
                "z": ["", "u", "v10", "v9"] * 30,
                7: [True, False] * 60,
            }
        )
        for missing in ("drop", "state"):
            whole = bjp.Dataset.from_frame(frame, missing=missing)
            check_same(united([frame[:1], frame[1:70], frame[70:]], missing), whole)
        one, other = pd.DataFrame({"x": [1, 0]}), pd.DataFrame({"x": [True, False]})
        with pytest.raises(DataError, match=r"both \d and \w+, which count as equal"):
            united([one, other], "error")

    def test_other_columns_and_types(self, tmp_path):
        first, second = tmp_path / "one.parquet", tmp_path / "two.parquet"
        stored(first, a=[1], b=[1])
        for table, what in (
            ({"b": [1], "a": [1]}, "in another order"),
            ({"a": [1], "c": [1]}, "without 'b' and with 'c'"),
            ({"a": [1]}, "without 'b'"),
            ({"a": ["1"], "b": [1]}, "Column 'a' holds text"),
        ):
            stored(second, **table)
            with pytest.raises(DataError, match=what) as found:
                united([first, second], "error")
            assert "two.parquet" in str(found.value), what
        (tmp_path / "three.csv").write_text("a,b\n1,1\n")
        with pytest.raises(DataError, match="different formats"):
            united([first, tmp_path / "three.csv"], "error")


def test_recoded_planes_are_those_of_the_other_codes():
    old, new = (2, 3, 8, 9, 300, 5, 1, 8, 12), (2, 2, 9, 8, 7, 5, 3, 8, 12)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(1, 1500))
        codes = np.stack([rng.integers(0, r, rows) for r in old], axis=1)
        places = [rng.integers(0, r, before) for before, r in zip(old, new, strict=True)]
        places[-1] = np.arange(12)
        expected = np.stack([p[c] for p, c in zip(places, codes.T, strict=True)], axis=1)
        part = PlanesPart.of(codes, old)
        found = recode(Sum([part]), places, new).parts[0]
        assert found.digest == PlanesPart.of(expected, new).digest
        assert part.digest == PlanesPart.of(codes, old).digest
    # A part that stays is not copied.
    assert recode(Sum([part]), [np.arange(r) for r in old], old).parts[0] is part


def test_memory_is_that_of_the_planes(tmp_path, monkeypatch):
    """A quarter of a megabyte a column, where codes take two."""
    rows, n = 1 << 21, 8
    monkeypatch.setattr(packing, "BLOCK", 1 << 16)
    monkeypatch.setattr(parquet, "ROWS", 1 << 16)
    monkeypatch.setattr(parquet, "threads_for", lambda columns: 1)
    cells = pa.array(np.random.default_rng(0).integers(0, 2, rows, dtype=np.int8))
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({f"c{i}": cells for i in range(n)}), path, row_group_size=rows // 4)
    read_counted(path)
    data, peak = peak_of(read_counted, path)
    assert data.rows == rows
    planes = rows * n / 8
    assert planes < peak < 2 * planes
