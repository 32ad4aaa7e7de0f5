"""Reading tables: every format, every guess, and a sentence for every file that can't be used."""

from __future__ import annotations

import codecs
import csv
import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import DataError, OptionError
from bjp_engine.io import Limits, ReadOptions, TableReport, child, read_frame, read_table
from bjp_engine.io.excel import cell_text
from bjp_engine.io.sources import read_source
from bjp_engine.io.values import MISSING_VALUES
from tests.apart import run_here

PLAIN = b"smokes,cough,age\nyes,no,1\nno,no,2\nyes,yes,3\n"


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are read in a process of their own are read in this one."""
    monkeypatch.setattr(child, "run", run_here)


def frame_of(source: object, **options: object) -> pd.DataFrame:
    return read_frame(source, **options)[0]


def notes_of(source: object, **options: object) -> str:
    return "\n".join(read_frame(source, **options)[1].notes)


def refusal(source: object, **options: object) -> str:
    with pytest.raises(DataError) as caught:
        read_frame(source, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def workbook(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


class Upload(io.BytesIO):
    """What a browser hands over: bytes with a name."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


class TestSources:
    def test_the_same_table_from_everywhere(self, tmp_path: Path) -> None:
        path = tmp_path / "table.csv"
        path.write_bytes(PLAIN)
        wanted = read_table(PLAIN)
        with path.open("rb") as file:
            assert read_table(file).digest == wanted.digest
        for source in (path, str(path), Upload(PLAIN, "table.csv"), io.BytesIO(PLAIN)):
            assert read_table(source).digest == wanted.digest
        assert wanted.names == ("smokes", "cough", "age")
        assert wanted.labels == (("no", "yes"), ("no", "yes"), ("1", "2", "3"))

    def test_an_upload_is_read_whole_though_it_was_read_before(self) -> None:
        upload = Upload(PLAIN, "table.csv")
        upload.read()
        assert len(frame_of(upload)) == 3

    def test_a_closed_file(self) -> None:
        upload = Upload(PLAIN, "table.csv")
        upload.close()
        with pytest.raises(DataError, match=r"'table\.csv' is closed; open it again\."):
            read_table(upload)

    def test_text_in_memory_is_taken_for_utf8(self) -> None:
        assert frame_of(io.StringIO("é,b\n1,2\n")).columns.tolist() == ["é", "b"]

    def test_the_file_is_named_and_its_folders_are_not(self, tmp_path: Path) -> None:
        sentence = refusal(tmp_path / "nowhere.csv")
        assert "'nowhere.csv'" in sentence
        assert str(tmp_path) not in sentence

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        assert "folder" in refusal(tmp_path)

    def test_a_device_is_no_file(self) -> None:
        assert "'null'" in refusal("/dev/null")

    def test_an_address_is_never_fetched(self) -> None:
        assert "There is no file 'table.csv'" in refusal("http://127.0.0.1:1/table.csv")

    def test_odd_names_are_refused_in_a_sentence(self) -> None:
        refusal("a\0b.csv")
        assert "can't be read" in refusal("a" * 5000 + ".csv")

    def test_what_is_no_file(self) -> None:
        assert "int" in refusal(7)

    def test_a_file_that_gives_no_bytes(self) -> None:
        class Odd:
            def read(self, size: int = -1) -> object:
                return 1 << 40

        for file in (Odd(), io.StringIO("a\ud800\n")):
            assert "binary mode" in refusal(file)

    def test_a_file_opened_as_text_that_is_not(self, tmp_path: Path) -> None:
        path = tmp_path / "table.csv"
        path.write_bytes(b"\xff\xfe\xff")
        with path.open(encoding="utf-8") as file:
            assert "binary mode" in refusal(file)

    def test_the_limit(self, tmp_path: Path) -> None:
        path = tmp_path / "table.csv"
        path.write_bytes(PLAIN)
        for source in (PLAIN, path, io.BytesIO(PLAIN), io.BufferedReader(io.BytesIO(PLAIN))):
            with pytest.raises(DataError, match="larger than"):
                read_source(source, limit=10)

    @pytest.mark.parametrize("name", ["t.pickle", "t.pkl", "t.joblib", "t.npy"])
    def test_what_runs_code_is_refused_unopened(self, name: str) -> None:
        class Bomb:
            def __reduce__(self) -> tuple[object, tuple[object, ...]]:
                return (pytest.fail, ("it was unpickled",))

        sentence = refusal(Upload(pickle.dumps(Bomb()), name))
        assert "run code" in sentence
        refusal(Upload(pickle.dumps(Bomb()), "table.csv"))

    @pytest.mark.parametrize("name", ["t.json", "t.xls", "t.rds", "t.csv.bak", "t.html"])
    def test_an_unknown_extension(self, name: str) -> None:
        assert ".xlsx" in refusal(Upload(PLAIN, name))
        assert len(frame_of(Upload(PLAIN, name), format="csv")) == 3

    def test_a_path_sent_as_the_name_of_an_upload(self) -> None:
        assert "'t.exe'" in refusal(Upload(PLAIN, "C:\\Users\\me\\t.exe"))


class TestOptions:
    def test_unknown_options_and_values(self) -> None:
        for options, part in [
            ({"sep": ","}, "'sep'"),
            ({"format": "minitab"}, "'minitab'"),
            ({"delimiter": ",,"}, "delimiter"),
            ({"delimiter": '"'}, "delimiter"),
            ({"columns": "smokes"}, "columns"),
            ({"columns": []}, "columns"),
            ({"missing_values": "NA"}, "missing_values"),
            ({"header": 0}, "header"),
            ({"encoding": "klingon"}, "klingon"),
            ({"encoding": "zip"}, "zip"),
            ({"encoding": 8}, "encoding"),
        ]:
            with pytest.raises(OptionError, match=part):
                read_frame(PLAIN, **options)
        with pytest.raises(OptionError, match="missing"):
            read_table(PLAIN, missing="ignore")

    def test_options_are_values(self) -> None:
        assert ReadOptions(columns=["a"]) == ReadOptions(columns=("a",))
        assert hash(ReadOptions(columns=["a"])) == hash(ReadOptions(columns=("a",)))

    def test_columns_by_name_index_and_order(self) -> None:
        assert frame_of(PLAIN, columns=["age", 0]).columns.tolist() == ["age", "smokes"]
        assert "'height'" in refusal(PLAIN, columns=["height"])
        assert "twice" in refusal(PLAIN, columns=["age", 2])

    def test_an_index_column_by_name(self) -> None:
        assert frame_of(PLAIN, index_column="age").columns.tolist() == ["smokes", "cough"]
        assert "'id'" in refusal(PLAIN, index_column="id")
        assert "row names" in refusal(b"id\n1\n2\n", index_column="id")


class TestDelimiters:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_each_is_guessed(self, delimiter: str) -> None:
        table = PLAIN.decode().replace(",", delimiter).encode()
        frame, report = read_frame(table)
        assert report.delimiter == delimiter
        assert frame.equals(frame_of(PLAIN))

    def test_decimal_commas_do_not_deceive(self) -> None:
        _, report = read_frame(b"a;b\n1,5;2,5\n3,5;4,5\n")
        assert report.delimiter == ";"

    def test_delimiters_within_quotes_do_not_count(self) -> None:
        frame, report = read_frame(b'a;b\n"x,y,z";1\n"p,q,r";2\n')
        assert report.delimiter == ";"
        assert frame["a"].tolist() == ["x,y,z", "p,q,r"]

    def test_one_odd_line_does_not_change_the_guess(self) -> None:
        assert "Line 3" in refusal(b"a;b;c\n1;2;3\n1;2\n1;2;3\n1;2;3\n")

    def test_a_single_column(self) -> None:
        frame, report = read_frame(b"smokes\nyes\nno\n")
        assert (report.delimiter, frame.shape) == (",", (2, 1))

    def test_one_given(self) -> None:
        assert frame_of(b"a b\n1 2\n", delimiter=" ").columns.tolist() == ["a", "b"]
        assert frame_of(b"a,b\n1,2\n", delimiter=";").columns.tolist() == ["a,b"]

    def test_tsv_by_extension(self) -> None:
        _, report = read_frame(Upload(b"a\tb\n1\t2\n", "t.TSV"))
        assert (report.format, report.delimiter) == ("tsv", "\t")


class TestEncodings:
    TEXT = "größe,naïve\nähm,日本\nöh,日本\n"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
    def test_marks_and_utf8(self, encoding: str) -> None:
        frame, report = read_frame(self.TEXT.encode(encoding))
        assert frame.columns.tolist() == ["größe", "naïve"]
        assert report.encoding == encoding
        assert not any("UTF-8" in note for note in report.notes)

    def test_big_endian_utf16(self) -> None:
        table = codecs.BOM_UTF16_BE + self.TEXT.encode("utf-16-be")
        assert frame_of(table)["größe"].tolist() == ["ähm", "öh"]

    def test_western_european_is_noted(self) -> None:
        frame, report = read_frame("größe,b\nfünf,„x“\n".encode("cp1252"))
        assert frame.iloc[0].tolist() == ["fünf", "„x“"]
        assert "not UTF-8" in " ".join(report.notes)
        assert frame_of(b"a,b\n\x81\xfc,1\n")["a"].tolist() == ["\x81ü"]

    def test_one_given(self) -> None:
        assert frame_of("д,b\n1,2\n".encode("koi8-r"), encoding="koi8-r").columns[0] == "д"
        assert frame_of(codecs.BOM_UTF8 + b"a,b\n1,2\n", encoding="UTF8").columns[0] == "a"
        assert "line 2" in refusal(b"a,b\n\xff,2\n", encoding="utf-8")

    def test_a_broken_utf16_file(self) -> None:
        assert "UTF-16" in refusal(codecs.BOM_UTF16_LE + b"a,b")

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends(self, end: str) -> None:
        assert frame_of(PLAIN.decode().replace("\n", end).encode()).equals(frame_of(PLAIN))


class TestForeignContent:
    @pytest.mark.parametrize(
        ("magic", "part"),
        [
            (b"PK\x03\x04", "format='excel'"),
            (b"PAR1", "format='parquet'"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"%PDF-1.7", "PDF"),
            (b"\xd0\xcf\x11\xe0", ".xls"),
            (b"\x00\x01\x02\xff", "binary"),
        ],
    )
    def test_a_wrong_extension_is_recognised(self, magic: bytes, part: str) -> None:
        assert part in refusal(Upload(magic + b"\x00" * 40, "table.csv"))

    def test_text_under_the_name_of_another_format(self) -> None:
        assert "Excel" in refusal(Upload(PLAIN, "table.xlsx"))
        assert "Parquet" in refusal(Upload(PLAIN, "table.parquet"))
        assert "format='csv'" in refusal(Upload(b"a,b\nx,y\n", "table.data"))

    def test_without_a_name_the_first_bytes_tell(self) -> None:
        frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
        assert read_frame(parquet(frame))[1].format == "parquet"
        assert read_frame(workbook(s=[["a"], ["x"]]))[1].format == "excel"

    @pytest.mark.parametrize("content", [b"", b"  \n\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
    def test_an_empty_file(self, content: bytes) -> None:
        for name in ("t.csv", "t.tsv", "t.data"):
            assert f"'{name}'" in refusal(Upload(content, name))


class TestNames:
    def test_a_header_alone(self) -> None:
        assert "no rows" in refusal(b"a,b\n")
        assert "no rows" in refusal(Upload(b"a,b\n\n\n", "t.csv"))

    def test_an_empty_name(self) -> None:
        for table in (b"a,,c\n1,2,3\n", b"a, ,c\n1,2,3\n"):
            assert frame_of(table).columns.tolist() == ["a", "column 2", "c"]
            assert "named by place: column 'column 2'" in notes_of(table)
            assert "Column 2 has no name" in refusal(table, repair_names=False)

    def test_a_name_twice(self) -> None:
        table = b"age,sex,age\n1,2,3\n"
        assert frame_of(table).columns.tolist() == ["age", "sex", "age (2)"]
        assert "numbered: column 'age (2)'" in notes_of(table)
        sentence = refusal(table, repair_names=False)
        assert "'age'" in sentence
        assert "1 and 3" in sentence
        assert "header=False" not in sentence

    def test_values_where_names_should_be(self) -> None:
        assert "header=False" in refusal(b"0,1,0\n1,1,0\n")

    def test_without_a_header_the_names_are_the_indices(self) -> None:
        data = read_table(b"0,1,0\n1,1,0\n", header=False)
        assert data.names == (0, 1, 2)
        assert data.rows == 2
        assert frame_of(b"0,1,0\n", header=False, columns=[2, "0"]).columns.tolist() == [2, 0]

    def test_names_are_hostile_text_and_come_back_whole(self) -> None:
        names = ["<script>alert(1)</script>", "=1+1", 'a"b', "x\ny", "日本"]
        out = io.StringIO(newline="")
        csv.writer(out).writerows([names, list("abcde")])
        assert frame_of(out.getvalue().encode()).columns.tolist() == names

    def test_spaces_around_names_and_cells(self) -> None:
        frame, report = read_frame(b'a , "b, c"\nyes ,no\n yes, no\n')
        assert frame.columns.tolist() == ["a", "b, c"]
        assert frame["a"].tolist() == ["yes", "yes"]
        assert "Spaces around cells were taken off in column 'a'" in "\n".join(report.notes)


class TestIndexColumns:
    @pytest.mark.parametrize("start", [0, 1])
    def test_an_unnamed_count_is_left_out(self, start: int) -> None:
        table = f",a\n{start},x\n{start + 1},y\n{start + 2},x\n".encode()
        frame, report = read_frame(table)
        assert frame.columns.tolist() == ["a"]
        assert "counts the rows" in report.notes[0]

    def test_saved_again_by_pandas(self) -> None:
        assert frame_of(b"Unnamed: 0,a\n0,x\n1,y\n").columns.tolist() == ["a"]

    @pytest.mark.parametrize("cells", [(0, 2), (1, 0), (2, 3), ("00", "01")])
    def test_what_is_different_in_each_row_names_the_rows(self, cells: tuple[object, ...]) -> None:
        frame, report = read_frame(f",a\n{cells[0]},x\n{cells[1]},y\n".encode())
        assert frame.columns.tolist() == ["a"]
        assert "names the rows" in report.notes[0]

    def test_what_is_not_is_a_variable(self) -> None:
        assert frame_of(b",a\n0,x\n0,y\n").columns.tolist() == ["column 1", "a"]

    def test_it_can_be_kept_out_of_it(self) -> None:
        assert frame_of(b",a\n0,x\n1,y\n", index_column=None).shape == (2, 2)

    def test_a_named_count_is_kept(self) -> None:
        assert frame_of(b"id,a\n0,x\n1,y\n").columns.tolist() == ["id", "a"]

    def test_row_names_without_a_place_in_the_header(self) -> None:
        frame, report = read_frame(b'"a","b"\n"r1",1,2\n"r2",3,4\n')
        assert frame.to_numpy().tolist() == [[1, 2], [3, 4]]
        assert "names the rows" in report.notes[0]

    def test_an_index_alone_is_no_table(self) -> None:
        assert "row names" in refusal(b'""\n0\n1\n')


class TestTrailingDelimiters:
    @pytest.mark.parametrize("table", [b"a,b,\n1,2,\n3,4,\n", b"a,b\n1,2,\n3,4,\n"])
    def test_they_are_dropped_and_noted(self, table: bytes) -> None:
        frame, report = read_frame(table)
        assert frame.to_numpy().tolist() == [[1, 2], [3, 4]]
        assert any("trailing delimiters" in note for note in report.notes)

    def test_several(self) -> None:
        assert frame_of(b"a,b,,,\n1,2,,,\n").columns.tolist() == ["a", "b"]

    def test_without_a_header(self) -> None:
        frame, report = read_frame(b"1,,2,\n3,,4,\n", header=False)
        assert frame.columns.tolist() == [0, 1, 2]
        assert "right edge" in report.notes[0]


class TestMalformedLines:
    @pytest.mark.parametrize(
        ("table", "line"),
        [
            (b"a,b\n1,2\n1,2,3\n", 3),
            (b"a,b\n1,2\n1\n", 3),
            (b"a,b\n1,2,3,4\n1,2\n", 2),
            (b"a,b\n1,2,3\n1,2\n", 2),
            (b"a,b\nx,2,3\nx,2,4\n", 2),
            (b'a,b\n"x\ny",2\n1\n', 4),
            (b"a,b\n\n\n1,2\n3\n", 5),
            (b'a,b\n1,2\n"3,4\n5,6\n', 3),
            (b'a,b\n1,"2"x\n', 2),
            (b'a,b\n1,"' + b"x" * 200_000, 2),
        ],
    )
    def test_the_line_is_named(self, table: bytes, line: int) -> None:
        assert f"Line {line} " in refusal(table, delimiter=",")

    def test_without_a_header_the_first_line_decides(self) -> None:
        assert "Line 3 has 1 cell where line 1 has 2" in refusal(
            b"1,2\n3,4\n5\n", header=False, delimiter=","
        )

    def test_blank_lines(self) -> None:
        frame, report = read_frame(b"\na,b\n\n1,2\n   \n3,4\n\n\n")
        assert frame.to_numpy().tolist() == [[1, 2], [3, 4]]
        assert any("Blank lines" in note for note in report.notes)

    def test_a_row_of_empty_cells_is_a_row(self) -> None:
        frame, report = read_frame(b"a,b\n1,2\n,\n")
        assert len(frame) == 2
        assert "1 row holds no value at all." in report.notes

    def test_an_empty_cell_in_the_only_column(self) -> None:
        assert frame_of(b'a\nx\n""\n\ny\n')["a"].isna().tolist() == [False, True, False]
        assert len(frame_of(b'""\nx\n', header=False)) == 2


class TestValues:
    def test_canonical_integers_become_integers(self) -> None:
        frame = frame_of(b"a,b\n1,-3\n10,0\n2,7\n")
        assert [str(kind) for kind in frame.dtypes] == ["int64", "int64"]
        assert read_table(b"a\n10\n9\n1\n").labels == (("1", "9", "10"),)

    def test_with_missing_cells_too(self) -> None:
        frame = frame_of(b"a,b\n1,x\n,y\n")
        assert str(frame["a"].dtype) == "Int64"
        data = read_table(b"a,b\n1,x\n,y\n", missing="state")
        assert data.labels[0] == ("1", "(missing)")

    def test_whole_floats_are_integers(self) -> None:
        assert frame_of(b"a\n1.0\n2.\n3\n")["a"].tolist() == [1, 2, 3]
        assert str(frame_of(b'a\n1.0\n""\n')["a"].dtype) == "Int64"

    def test_floats(self) -> None:
        frame = frame_of(b"a\n.5\n-1.25\n1e-05\n1E+300\n")
        assert frame["a"].tolist() == [0.5, -1.25, 1e-05, 1e300]
        assert np.isnan(frame_of(b"a\n1.5\nNA\n")["a"][1])

    @pytest.mark.parametrize(
        "cell",
        ["01", "+1", "1e5", "1,5", "1 000", "0x1F", "1_000", "١", "inf", "1e+999", "--1", "9" * 25],
    )
    def test_anything_else_keeps_the_column_as_text(self, cell: str) -> None:
        frame = frame_of(f'a\n1\n"{cell}"\n'.encode())
        assert frame["a"].tolist() == ["1", cell]

    def test_leading_zeros_stay_apart(self) -> None:
        assert set(read_table(b"a\n01\n1\n001\n").labels[0]) == {"01", "1", "001"}

    def test_texts_that_melt_into_one_number_are_noted(self) -> None:
        notes = notes_of(b"version\n1.1\n1.10\n2.0\n")
        assert "'version'" in notes
        assert "'1.1' and '1.10'" in notes

    def test_text_that_looks_like_code_is_text(self) -> None:
        cells = ["__import__('os')", "=cmd|' /C calc'!A0", "1;drop", "True"]
        table = "a\n" + "".join(f'"{cell}"\n' for cell in cells)
        assert frame_of(table.encode())["a"].tolist() == cells


class TestMissingCells:
    @pytest.mark.parametrize("token", sorted(MISSING_VALUES - {""}))
    def test_each_token(self, token: str) -> None:
        frame = frame_of(f"a,b\nx,1\n{token},2\n".encode())
        assert frame["a"].isna().tolist() == [False, True]

    @pytest.mark.parametrize("label", ["None", "none", "no", "nA", "-", ".", "missing", "nil"])
    def test_categories_are_not_eaten(self, label: str) -> None:
        assert frame_of(f"a,b\nx,1\n{label},2\n".encode())["a"].tolist() == ["x", label]

    def test_they_are_counted_by_kind(self) -> None:
        notes = notes_of(b"a,b\nNA,?\nx,?\n,y\nNone,z\n")
        assert "4 cells" in notes
        assert "'?' 2×" in notes
        assert "'NA' 1×" in notes
        assert "empty 1×" in notes
        assert "'None' counts as a category" in notes

    def test_the_list_can_be_given(self) -> None:
        table = b"country,b\nNA,9\nDE,1\n"
        assert frame_of(table, missing_values=[""])["country"].tolist() == ["NA", "DE"]
        assert frame_of(table, missing_values=["9"])["b"].isna().tolist() == [True, False]
        assert not frame_of(table, missing_values=[]).isna().to_numpy().any()

    def test_what_a_dataset_does_with_them(self) -> None:
        table = b"a,b\nx,1\n,2\nx,?\n"
        with pytest.raises(DataError, match="missing='drop'"):
            read_table(table)
        assert read_table(table, missing="drop").rows == 1
        assert read_table(table, missing="state").cardinalities == (2, 3)

    def test_an_empty_column_is_noted(self) -> None:
        assert "No value at all in column 'b'" in notes_of(b"a,b\nx,\ny,NA\n")


class TestRemarks:
    def table(self, **columns: object) -> str:
        return notes_of(pd.DataFrame(columns).to_csv(index=False).encode())

    def test_measurements_identifiers_and_constants(self) -> None:
        rng = np.random.default_rng(0)
        notes = self.table(
            height=rng.normal(size=300),
            age=rng.integers(0, 200, 300),
            id=np.arange(300)[::-1],
            town=[f"t{i % 90}" for i in range(300)],
            country=["DE"] * 300,
            sex=["f", "m"] * 150,
        )
        assert "'height' has 300 different values; group a measurement" in notes
        assert "'age' has" in notes
        assert "'id' has a different value in each of 300 rows" in notes
        assert "'town' has 90 different values; group rare values" in notes
        assert "Only one value occurs in column 'country'" in notes
        assert "'sex'" not in notes

    def test_small_tables_are_left_in_peace(self) -> None:
        assert self.table(a=[1, 2, 3], b=["x", "y", "z"]) == ""

    def test_many_remarks_are_summed_up(self) -> None:
        wide = {f"c{i}": np.random.default_rng(i).normal(size=80) for i in range(30)}
        assert "22 more columns" in self.table(**wide)

    def test_nothing_is_changed(self) -> None:
        data = read_table(pd.DataFrame({"x": np.arange(300) / 7}).to_csv(index=False).encode())
        assert data.cardinalities == (300,)

    def test_the_report(self) -> None:
        assert read_frame(PLAIN)[1] == TableReport("csv", ",", "utf-8", 3, 3, ())


class TestExcel:
    def test_a_name_that_is_a_formula_without_a_result(self) -> None:
        sentence = refusal(workbook(s=[["a", "=1+1"], ["x", "y"]]))
        assert "Cell B1 should name a column but holds a formula" in sentence

    def test_formulas_without_a_result_are_missing_and_told(self) -> None:
        rows = [["a", "b"], ["x", "=A2"], ["y", "v"], ["=A2&A3", "w"]]
        frame, report = read_frame(workbook(s=rows))
        assert frame.isna().to_numpy().tolist() == [[False, True], [False, False], [True, False]]
        (note,) = [note for note in report.notes if "formula" in note]
        assert note.startswith("2 cells hold formulas whose result is empty or was not stored")
        assert "(first B2)" in note
        # In a table without a header the first row is data like the others.
        bare = read_frame(workbook(s=[["=1+1", "u"], ["x", "v"]]), header=False)[0]
        assert bare.isna().to_numpy().tolist() == [[True, False], [False, False]]

    def test_stored_results_are_read_and_nothing_is_said(self) -> None:
        content = workbook(s=[["a", "b"], ["x", 1], ["y", 2]])
        with zipfile.ZipFile(io.BytesIO(content)) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        sheet = "xl/worksheets/sheet1.xml"
        parts[sheet] = parts[sheet].replace(b"<v>2</v>", b"<f>1+1</f><v>2</v>")
        assert b"<f>" in parts[sheet]
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as new:
            for name, part in parts.items():
                new.writestr(name, part)
        frame, report = read_frame(out.getvalue())
        assert frame["b"].tolist() == [1, 2]
        assert not [note for note in report.notes if "formula" in note]

    def test_values_as_a_csv_export_writes_them(self) -> None:
        day = pd.Timestamp("2020-02-03").to_pydatetime()
        content = workbook(
            data=[
                ["n", "x", "ok", "day", "text"],
                [1.0, 0.5, True, day, "01"],
                [2, 1.5, False, day, "1"],
                [None, "#N/A", True, None, "None"],
            ]
        )
        frame, report = read_frame(Upload(content, "t.xlsx"))
        assert report.format == "excel"
        assert frame["n"].tolist()[:2] == [1, 2]
        assert frame["ok"].tolist() == ["TRUE", "FALSE", "TRUE"]
        assert frame["day"].tolist()[0] == "2020-02-03"
        assert frame["text"].tolist() == ["01", "1", "None"]
        assert frame["x"].isna().tolist() == [False, False, True]
        assert cell_text(day.replace(hour=5)) == "2020-02-03 05:00:00"
        assert cell_text(1e300) == "1e+300"

    def test_sheets(self) -> None:
        content = workbook(first=[["a"], ["x"]], second=[["b"], ["y"]])
        assert "Read the first sheet, 'first'" in notes_of(content)
        assert frame_of(content, sheet="second").columns.tolist() == ["b"]
        assert frame_of(content, sheet=1).columns.tolist() == ["b"]
        sentence = refusal(content, sheet="third")
        assert "'third'" in sentence
        assert "'second'" in sentence
        refusal(content, sheet=2)

    def test_blank_rows_columns_and_an_index(self) -> None:
        rows = [[], [None, "a", "b", None], [0, "x", "y"], [], [1, "z", "y"], [], []]
        frame, report = read_frame(workbook(s=rows))
        assert frame.to_numpy().tolist() == [["x", "y"], ["z", "y"]]
        assert any("counts the rows" in note for note in report.notes)

    def test_a_table_that_starts_further_right(self) -> None:
        assert frame_of(workbook(s=[[None, "a"], [None, "x"]])).columns.tolist() == ["a"]

    def test_no_header(self) -> None:
        assert frame_of(workbook(s=[[1, 2], [3, 4]]), header=False).columns.tolist() == [0, 1]

    def test_an_empty_sheet_and_a_header_alone(self) -> None:
        assert "empty" in refusal(workbook(s=[]))
        assert "no rows" in refusal(workbook(s=[["a", "b"]]))

    def test_a_name_missing(self) -> None:
        assert "'column 2'" in notes_of(workbook(s=[["a", None], ["x", "y"]]))

    def test_old_workbooks_archives_and_damage(self) -> None:
        assert ".xls" in refusal(Upload(b"\xd0\xcf\x11\xe0" + b"\0" * 600, "t.xlsx"))
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("hello.txt", "hello")
        assert "no sheets" in refusal(Upload(out.getvalue(), "t.xlsx"))
        whole = workbook(s=[["a"], ["x"]])
        for cut in (10, len(whole) // 2, len(whole) - 3):
            assert "Excel workbook" in refusal(Upload(whole[:cut], "t.xlsx"))

    def rewritten(self, **parts: bytes) -> bytes:
        """A good workbook with some members replaced."""
        out = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(workbook(s=[["a"], ["x"]]))) as old,
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for member in old.namelist():
                new.writestr(member, parts.get(Path(member).stem, old.read(member)))
        return out.getvalue()

    def test_entities_are_never_expanded(self) -> None:
        bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>'
        for content in (bomb, bomb.decode().encode("utf-16")):
            assert "entities" in refusal(Upload(self.rewritten(sheet1=content), "t.xlsx"))

    def test_sheets_that_claim_the_impossible(self) -> None:
        space = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
        rows = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999"><c><v>2</v></c></row>'
        sheet = b"<worksheet " + space + b"><sheetData>" + rows + b"</sheetData></worksheet>"
        assert "size of an Excel sheet" in refusal(self.rewritten(sheet1=sheet))
        wrong = b"<worksheet " + space + b'><dimension ref="A1:A1"/><sheetData>'
        wrong += b'<row r="1"><c t="inlineStr"><is><t>a</t></is></c></row>'
        wrong += b'<row r="2"><c><v>7</v></c></row></sheetData></worksheet>'
        assert frame_of(self.rewritten(sheet1=wrong))["a"].tolist() == [7]

    def test_what_unpacks_to_too_much(self) -> None:
        large = self.rewritten(theme1=b"<a>" + b" " * (1 << 20) + b"</a>")
        assert "unpacks" in refusal(Upload(large, "t.xlsx"), limits=Limits(unpacked_mb=1))


class TestParquet:
    def test_types_are_kept(self) -> None:
        frame = pd.DataFrame(
            {
                "grade": pd.Categorical(["low", "high"], categories=["low", "mid", "high"]),
                "n": [1.0, None],
                "x": [0.5, 1.5],
                "flag": [True, False],
                "code": ["NA", "None"],
            }
        )
        read, report = read_frame(Upload(parquet(frame), "t.parquet"))
        assert str(read["n"].dtype) == "Int64"
        assert read["code"].tolist() == ["NA", "None"]
        assert "empty 1×" in "\n".join(report.notes)
        data = read_table(parquet(frame), missing="state")
        assert data.labels[0] == ("low", "mid", "high")
        assert data.labels[1] == ("1", "(missing)")
        assert data.labels[3] == ("False", "True")

    def test_empty_text_and_given_tokens_are_missing(self) -> None:
        frame = pd.DataFrame({"a": ["", "x", "?"], "b": pd.Categorical(["", "?", "y"])})
        assert frame_of(parquet(frame)).isna().to_numpy().tolist() == [
            [True, True],
            [False, False],
            [False, False],
        ]
        read, report = read_frame(parquet(frame), missing_values=["?"])
        assert read.isna().sum().tolist() == [1, 1]
        assert "'?' 2×" in "\n".join(report.notes)

    def test_categories_keep_their_order_without_the_empty_one(self) -> None:
        for ordered in (False, True):
            grade = pd.Categorical(["low", "", "high"], ["low", "", "mid", "high"], ordered=ordered)
            data = read_table(parquet(pd.DataFrame({"grade": grade})), missing="drop")
            assert data.labels == (("low", "mid", "high"),)

    def test_a_stored_index(self) -> None:
        frame = pd.DataFrame({"a": ["x", "y"]}, index=[5, 9])
        read, report = read_frame(parquet(frame))
        assert read.columns.tolist() == ["a"]
        assert "index" in report.notes[0]
        frame.index.name = "case"
        assert read_frame(parquet(frame))[0].columns.tolist() == ["a", "case"]

    def test_columns(self) -> None:
        content = parquet(pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6]}))
        assert frame_of(content, columns=["c", "a"]).columns.tolist() == ["c", "a"]
        assert frame_of(content, index_column="b").columns.tolist() == ["a", "c"]
        assert "'z'" in refusal(content, columns=["z"])

    def test_what_is_no_single_value(self) -> None:
        for column in (pa.array([[1], [2]]), pa.array([b"x", b"y"]), pa.array([{"k": 1}, None])):
            out = io.BytesIO()
            pq.write_table(pa.table({"good": pa.array([1, 2]), "odd": column}), out)
            assert "'odd'" in refusal(out.getvalue())
            assert frame_of(out.getvalue(), columns=["good"]).shape == (2, 1)

    def test_names_twice_no_rows_and_damage(self) -> None:
        out = io.BytesIO()
        pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), out)
        assert "both named 'a'" in refusal(out.getvalue())
        assert "no rows" in refusal(parquet(pd.DataFrame({"a": pd.Series([], dtype="int64")})))
        whole = parquet(pd.DataFrame({"a": [1, 2]}))
        assert "Parquet" in refusal(whole[:-20])
        assert "Parquet" in refusal(Upload(whole[:4] + b"\xff" * 60 + whole[64:], "t.parquet"))


class TestLibra:
    DATA = b"0,1,2\n1,0,0\n"

    def write(self, folder: Path, schema: str | None, name: str = "toy.ts.data") -> Path:
        path = folder / name
        path.write_bytes(self.DATA)
        if schema is not None:
            (folder / "toy.schema").write_text(schema)
        return path

    def test_states_up_to_the_largest_code(self, tmp_path: Path) -> None:
        data = read_table(self.write(tmp_path, None))
        assert data.names == (0, 1, 2)
        assert data.cardinalities == (2, 2, 3)
        assert data.codes.tolist() == [[0, 1, 2], [1, 0, 0]]

    @pytest.mark.parametrize("name", ["toy.data", "toy.ts.data"])
    def test_the_schema_beside_it(self, tmp_path: Path, name: str) -> None:
        path = self.write(tmp_path, "2,4,5,\n", name)
        data = read_table(path)
        assert data.cardinalities == (2, 4, 5)
        assert data.labels[1] == ("0", "1", "2", "3")
        assert "'toy.schema'" in notes_of(path)
        assert read_table(path, columns=[2, 0]).cardinalities == (5, 2)

    @pytest.mark.parametrize("schema", ["2,4", "2,4,5,6", "2,x,5", "2,0,5", "", "2,4,9999999999"])
    def test_a_schema_that_does_not_fit(self, tmp_path: Path, schema: str) -> None:
        assert "'toy.schema'" in refusal(self.write(tmp_path, schema))

    def test_codes_beyond_the_schema(self, tmp_path: Path) -> None:
        sentence = refusal(self.write(tmp_path, "2,2,2"))
        assert "Line 1" in sentence
        assert "column 2" in sentence

    @pytest.mark.parametrize("cell", ["x", "-1", "0.5", "9" * 12, "999999999"])
    def test_what_is_no_state(self, cell: str) -> None:
        sentence = refusal(f"0,1\n1,{cell}\n".encode(), format="libra")
        assert "Line 2" in sentence
        assert "column 1" in sentence

    def test_missing_cells(self) -> None:
        frame = frame_of(b"0,*\n?,1\n", format="libra")
        assert frame.isna().to_numpy().tolist() == [[False, True], [True, False]]
        assert read_table(b"0,*\n1,1\n", format="libra", missing="drop").rows == 1

    def test_uneven_lines(self) -> None:
        assert "Line 2" in refusal(b"0,1\n0\n", format="libra")


# Labels that survive reading: no spaces around them, none that counts as missing.
LABELS = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"]) | st.sampled_from(",;|\t\n\"'"), max_size=6
).map(lambda text: f"v{text}.")


@given(
    rows=st.integers(1, 6).flatmap(
        lambda n: st.lists(st.lists(LABELS, min_size=n, max_size=n), min_size=1, max_size=8)
    ),
    delimiter=st.sampled_from(",;\t|"),
)
def test_any_text_comes_back(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([[f"c{i}" for i in range(len(rows[0]))], *rows])
    frame = frame_of(out.getvalue().encode(), delimiter=delimiter)
    assert frame.to_numpy().tolist() == rows


@given(data=st.binary(max_size=300), kind=st.sampled_from(["csv", "parquet", "excel", "libra"]))
def test_any_bytes_give_a_table_or_a_sentence(data: bytes, kind: str) -> None:
    try:
        frame, report = read_frame(data, format=kind)
    except DataError as error:
        sentence = str(error)
    else:
        sentence = "A table."
        assert frame.shape == (report.rows, report.columns)
    assert sentence.endswith(".")


def test_a_dataset_written_by_pandas_comes_back() -> None:
    rng = np.random.default_rng(1)
    data = bjp.Dataset.from_frame(
        pd.DataFrame(
            {
                "a": rng.integers(0, 12, 50),
                "b": rng.choice(["no", "yes", "don't, know"], 50),
                "c": rng.choice(["<38", "38+"], 50),
            }
        )
    )
    frame = data.to_frame()
    again = [
        read_table(frame.to_csv(index=False).encode()),
        read_table(frame.to_csv().encode()),
        read_table(frame.to_csv(sep="\t", index=False, encoding="utf-16").encode("utf-16")),
        read_table(parquet(frame)),
    ]
    assert {table.digest for table in again} == {data.digest}
