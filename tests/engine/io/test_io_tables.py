"""Reading tables: what `test_awkward_files` doesn't show of every format, guess and refusal."""

import csv
import io
import pickle
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bjp_engine.errors import DataError, OptionError
from bjp_engine.io import ReadOptions, TableReport, child, read_frame, read_table
from bjp_engine.io.excel import cell_text
from bjp_engine.io.sources import read_source
from bjp_engine.io.values import MISSING_VALUES
from tests.apart import run_here
from tests.awkward.case import Upload
from tests.awkward.workbooks import plain, rewritten, workbook

PLAIN = b"smokes,cough,age\nyes,no,1\nno,no,2\nyes,yes,3\n"


@pytest.fixture(autouse=True)
def _read_here(monkeypatch):
    """Files that are read in a process of their own are read in this one."""
    monkeypatch.setattr(child, "run", run_here)


def frame_of(source, **options):
    return read_frame(source, **options)[0]


def names_of(source, **options):
    return frame_of(source, **options).columns.tolist()


def notes_of(source, **options):
    return "\n".join(read_frame(source, **options)[1].notes)


def refusal(source, **options):
    with pytest.raises(DataError) as caught:
        read_frame(source, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


class TestSources:
    def test_the_same_table_from_everywhere(self, tmp_path):
        path = tmp_path / "table.csv"
        path.write_bytes(PLAIN)
        wanted = read_table(PLAIN)
        with path.open("rb") as file:
            assert read_table(file).digest == wanted.digest
        for source in (path, str(path), Upload(PLAIN, "table.csv"), io.BytesIO(PLAIN)):
            assert read_table(source).digest == wanted.digest
        assert wanted.names == ("smokes", "cough", "age")
        assert wanted.labels == (("no", "yes"), ("no", "yes"), ("1", "2", "3"))
        assert read_frame(PLAIN)[1] == TableReport("csv", ",", "utf-8", 3, 3, ())
        # An upload that was read before is read whole; text in memory is taken for UTF-8.
        upload = Upload(PLAIN, "table.csv")
        upload.read()
        assert len(frame_of(upload)) == 3
        assert names_of(io.StringIO("é,b\n1,2\n")) == ["é", "b"]
        upload.close()
        assert refusal(upload).startswith("'table.csv' can't be read")

    def test_what_is_no_file(self, tmp_path):
        sentence = refusal(tmp_path / "nowhere.csv")
        assert "'nowhere.csv'" in sentence
        assert str(tmp_path) not in sentence
        assert "folder" in refusal(tmp_path)
        assert "'null'" in refusal("/dev/null")
        # An address is never fetched.
        assert "There is no file 'table.csv'" in refusal("http://127.0.0.1:1/table.csv")
        refusal("a\0b.csv")
        assert "can't be read" in refusal("a" * 5000 + ".csv")
        assert "int" in refusal(7)

        class Odd:
            def read(self, size=-1):
                return 1 << 40

        for file in (Odd(), io.StringIO("a\ud800\n")):
            assert "binary mode" in refusal(file)
        path = tmp_path / "table.csv"
        path.write_bytes(b"\xff\xfe\xff")
        with path.open(encoding="utf-8") as file:
            assert "binary mode" in refusal(file)
        path.write_bytes(PLAIN)
        for source in (PLAIN, path, io.BytesIO(PLAIN), io.BufferedReader(io.BytesIO(PLAIN))):
            with pytest.raises(DataError, match="larger than"):
                read_source(source, limit=10)

    def test_what_runs_code_is_refused_unopened(self):
        class Bomb:
            def __reduce__(self):
                return (pytest.fail, ("it was unpickled",))

        for name in ("t.pickle", "t.pkl", "t.joblib", "t.npy"):
            assert "run code" in refusal(Upload(pickle.dumps(Bomb()), name))
        refusal(Upload(pickle.dumps(Bomb()), "table.csv"))

    def test_names_and_contents_that_do_not_fit(self):
        for name in ("t.json", "t.xls", "t.rds", "t.csv.bak", "t.html"):
            assert ".xlsx" in refusal(Upload(PLAIN, name))
            assert len(frame_of(Upload(PLAIN, name), format="csv")) == 3
        # A path is sent as the name of an upload.
        assert "'t.exe'" in refusal(Upload(PLAIN, "C:\\Users\\me\\t.exe"))
        assert "Excel" in refusal(Upload(PLAIN, "table.xlsx"))


def test_options():
    for options, part in (
        ({"sep": ","}, "'sep'"),
        ({"format": "minitab"}, "'minitab'"),
        ({"delimiter": ",,"}, "delimiter"),
        ({"delimiter": '"'}, "delimiter"),
        ({"columns": "smokes"}, "columns"),
        ({"columns": []}, "columns"),
        ({"missing_values": "NA"}, "missing_values"),
        ({"missing_values": [9]}, "list of texts"),
        ({"header": 0}, "header"),
        ({"encoding": "klingon"}, "klingon"),
        ({"encoding": "zip"}, "zip"),
        ({"encoding": 8}, "encoding"),
    ):
        with pytest.raises(OptionError, match=part):
            read_frame(PLAIN, **options)
    with pytest.raises(OptionError, match="missing"):
        read_table(PLAIN, missing="ignore")
    assert ReadOptions(columns=["a"]) == ReadOptions(columns=("a",))
    assert hash(ReadOptions(columns=["a"])) == hash(ReadOptions(columns=("a",)))
    assert names_of(PLAIN, columns=["age", 0]) == ["age", "smokes"]
    assert "twice" in refusal(PLAIN, columns=["age", 2])


class TestText:
    def test_names_and_index_columns(self):
        assert names_of(b"0,1,0\n", header_rows=0, columns=[2, "column 1"]) == [
            "column 3",
            "column 1",
        ]
        frame, report = read_frame(b'a , "b, c"\nyes ,no\n yes, no\n')
        assert frame.columns.tolist() == ["a", "b, c"]
        assert frame["a"].tolist() == ["yes", "yes"]
        assert "Spaces around cells were taken off in columns 'a', 'b, c'" in "\n".join(
            report.notes
        )
        # What is different in each row names the rows.
        for one, two in ((0, 2), (1, 0), (2, 3), ("00", "01")):
            table = f",a\n{one},x\n{two},y\n".encode()
            assert names_of(table) == ["a"]
            assert "names the rows" in notes_of(table), table
        assert names_of(b"id,a\n0,x\n1,y\n") == ["id", "a"]
        assert "row names" in refusal(b'""\n0\n1\n')
        frame, report = read_frame(b"1,,2,\n3,,4,\n", header_rows=0)
        assert frame.columns.tolist() == ["column 1", "column 3"]
        assert "without a value" in report.notes[0]

    def test_malformed_and_blank_lines(self):
        for table, line in (
            (b"a,b\nx,2,3\nx,2,4\n", 2),
            (b'a,b\n"x\ny",2\n1\n', 4),
            (b"a,b\n\n\n1,2\n3\n", 5),
        ):
            assert f"Line {line} " in refusal(table, delimiter=","), table
        sentence = refusal(b"1,2\n3,4\n5\n", header_rows=0, delimiter=",")
        assert "Line 3 has 1 cell where line 1 has 2" in sentence
        # A row of empty cells is a row, also where there is one column; a blank line is none.
        assert len(frame_of(b"a,b\n1,2\n,\n")) == 2
        assert frame_of(b'a\nx\n""\n\ny\n')["a"].isna().tolist() == [False, True, False]
        assert len(frame_of(b'""\nx\n', header_rows=0)) == 2


class TestValues:
    def test_numbers(self):
        frame = frame_of(b"a,b\n1,-3\n10,0\n2,7\n")
        assert [str(kind) for kind in frame.dtypes] == ["int64", "int64"]
        assert read_table(b"a\n10\n9\n1\n").labels == (("1", "9", "10"),)
        assert str(frame_of(b"a,b\n1,x\n,y\n")["a"].dtype) == "Int64"
        assert read_table(b"a,b\n1,x\n,y\n", missing="state").labels[0] == ("1", "(missing)")
        assert frame_of(b"a\n1.0\n2.0\n3.0\n")["a"].tolist() == [1, 2, 3]
        assert str(frame_of(b'a\n1.0\n""\n')["a"].dtype) == "Int64"
        frame = frame_of(b"a\n.5\n-1.25\n1e-05\n1E+300\n")
        assert frame["a"].tolist() == [0.5, -1.25, 1e-05, 1e300]
        assert np.isnan(frame_of(b"a\n1.5\nNA\n")["a"][1])

    def test_anything_else_keeps_the_column_as_text(self):
        for cell in (
            *("01", "+1", "1e5", "1,5", "1 000", "0x1F", "1_000", "١", "inf", "1e+999", "--1"),
            *("9" * 25, "__import__('os')", "=cmd|' /C calc'!A0", "1;drop", "True"),
        ):
            assert frame_of(f'a\n1\n"{cell}"\n'.encode())["a"].tolist() == ["1", cell], cell
        assert set(read_table(b"a\n01\n1\n001\n").labels[0]) == {"01", "1", "001"}
        notes = notes_of(b"version\n1.1\n1.10\n2.0\n")
        assert "'version'" in notes
        assert "'1.1' and '1.10'" in notes

    def test_missing_cells(self):
        for token in MISSING_VALUES - {""}:
            frame = frame_of(f"a,b\nx,1\n{token},2\n".encode())
            assert frame["a"].isna().tolist() == [False, True], token
        for label in ("None", "none", "no", "nA", "-", ".", "missing", "nil"):
            assert frame_of(f"a,b\nx,1\n{label},2\n".encode())["a"].tolist() == ["x", label]
        notes = notes_of(b"a,b\nNA,?\nx,?\n,y\nNone,z\n")
        for part in ("4 cells", "'?' 2×", "'NA' 1×", "empty 1×", "'None' counts as a category"):
            assert part in notes
        table = b"country,b\nNA,9\nDE,1\n"
        assert frame_of(table, missing_values=[""])["country"].tolist() == ["NA", "DE"]
        assert frame_of(table, missing_values=["9"])["b"].isna().tolist() == [True, False]
        assert not frame_of(table, missing_values=[]).isna().to_numpy().any()
        table = b"a,b\nx,1\n,2\nx,?\n"
        with pytest.raises(DataError, match="missing='drop'"):
            read_table(table)
        assert read_table(table, missing="drop").rows == 1
        assert read_table(table, missing="state").cardinalities == (2, 3)

    def test_numbers_are_written_in_one_way_or_stay_text(self):
        """Each way returns the same texts; what doesn't is a version, a list, a code."""
        for cells, decimal, numbers in (
            ("1.1 1.10 1.2", ".", None),
            ("1 1.0 2.5", ".", None),
            ("1.5 2.0 3", ".", None),
            ("0.5 .7", ".", None),
            ("1.20 2.35 10.00", ".", [1.2, 2.35, 10]),
            ("1 2.5 2.25", ".", [1, 2.5, 2.25]),
            ("1.0 2.5 1e-05", ".", [1, 2.5, 1e-05]),
            ("0,50 0,25 3,10", ",", [0.5, 0.25, 3.1]),
            ("0,5 0,50 3,10", ",", None),
        ):
            table = "\n".join(["a;b", *(f"{cell};u" for cell in cells.split()), ""]).encode()
            frame = frame_of(table)
            wanted = cells.split() if numbers is None else numbers
            assert frame["a"].tolist() == wanted, cells
            assert ("stays text" in notes_of(table)) == (numbers is None), cells
            # A person may say that they are numbers.
            forced = [float(cell.replace(",", ".")) for cell in cells.split()]
            assert frame_of(table, decimal=decimal)["a"].tolist() == forced, cells

    def test_many_numbers_are_measurements_unless_two_are_one(self):
        """Programs that cut digits leave zeros here and there; versions come in pairs."""
        cells = [f"{k / 7:.4g}" for k in range(1, 40)]
        cells[7:9] = ["1.140", "1.30"]
        for more, kind in (([], "f"), (["0", "-0"], "f"), (["1.1", "1.10"], "O")):
            table = "\n".join(["a", *cells, *more, ""]).encode()
            assert frame_of(table, delimiter=",")["a"].dtype.kind == kind, more

    def test_a_comma_or_a_point_with_two_meanings(self):
        """Answers, decimals, thousands: what the column or the file shows, else the text."""
        for delimiter, cells, values in (
            ("\t", "1,2 2 3 1,20 2,3", None),
            ("\t", "1,2 1,3 2,3", None),
            ("|", "1,4 2,4 7", None),
            ("\t", "1,2 2,5 3,1", [1.2, 2.5, 3.1]),
            ("\t", "0,2 2,5 3", [0.2, 2.5, 3]),
            (";", "1,2 1 2 1,3 3 2,3", None),
            (";", "1,5 2,25", [1.5, 2.25]),
            (";", "1 1,5 2 2,5 3 3,5 5", [1, 1.5, 2, 2.5, 3, 3.5, 5]),
            (";", "1.500 2.250", None),
            (";", "1.500 12 3.000", None),
            (";", "0.500 2.250", [0.5, 2.25]),
            ("\t", "1.500 2.250", [1.5, 2.25]),
        ):
            rows = [f"a{delimiter}b", *(f"{cell}{delimiter}u" for cell in cells.split()), ""]
            table = "\n".join(rows).encode()
            wanted = cells.split() if values is None else values
            assert frame_of(table)["a"].tolist() == wanted, (delimiter, cells)
            assert ("stays text" in notes_of(table)) == (values is None), (delimiter, cells)
        # Another column shows what the point is; or a person says it.
        assert frame_of(b"a;b\n1.500;0.75\n2.250;1.25\n")["a"].tolist() == [1.5, 2.25]
        assert frame_of(b"a;b\n1.500;u\n2.250;v\n", decimal=",")["a"].tolist() == [1500, 2250]
        book = workbook(s=[["pick", "g"], ["1,2", "x"], [2, "y"], ["1,20", "x"], [3, "y"]])
        assert frame_of(book)["pick"].tolist() == ["1,2", "2", "1,20", "3"]

    def test_what_is_missing_by_its_column(self):
        """A lone point among numbers is missing, and NA among countries is one."""
        assert frame_of(b"a,b\n1,x\n.,.\n2,y\n").isna().to_numpy().tolist() == [
            [False, False],
            [True, False],
            [False, False],
        ]
        lands = ["DE", "FR", "US", "GB", "IT", "ES", "NA", "NL", "BE", "AT", "CH", "SE"]
        table = "\n".join(["land,x", *(f"{land},{len(land)}" for land in lands), ""]).encode()
        assert frame_of(table)["land"].tolist() == lands
        assert "'NA' counts as a code" in notes_of(table)
        # Where NA is missing elsewhere, it is here.
        other = table.replace(b"DE,2", b"DE,NA")
        assert frame_of(other).isna().sum().tolist() == [1, 1]


class TestExcel:
    def test_formulas(self):
        # Without a result they are missing, and the first is named.
        rows = [["a", "b"], ["x", "=A2"], ["y", "v"], ["=A2&A3", "w"]]
        frame, report = read_frame(workbook(s=rows))
        assert frame.isna().to_numpy().tolist() == [[False, True], [False, False], [True, False]]
        (note,) = [note for note in report.notes if "Formula" in note]
        assert "without a stored result count as missing: 2 (" in note
        assert "(first B2)" in note
        # In a table without a header the first row is data like the others.
        bare = frame_of(workbook(s=[["=1+1", "u"], ["x", "v"]]), header_rows=0)
        assert bare.isna().to_numpy().tolist() == [[True, False], [False, False]]
        # Stored results are read, and nothing is said.
        with zipfile.ZipFile(io.BytesIO(plain())) as held:
            sheet = held.read("xl/worksheets/sheet1.xml")
        stored = sheet.replace(b"<v>2</v>", b"<f>1+1</f><v>2</v>")
        assert stored != sheet
        frame, report = read_frame(rewritten(plain(), sheet1=stored))
        assert frame["b"].tolist() == [1, 2]
        assert not [note for note in report.notes if "Formula" in note]

    def test_values_as_a_csv_export_writes_them(self):
        day = pd.Timestamp("2020-02-03").to_pydatetime()
        rows = [
            ["n", "x", "ok", "day", "text"],
            [1.0, 0.5, True, day, "01"],
            [2, 1.5, False, day, "1"],
            [None, "#N/A", True, None, "None"],
        ]
        frame, report = read_frame(Upload(workbook(data=rows), "t.xlsx"))
        assert report.format == "excel"
        assert frame["n"].tolist()[:2] == [1, 2]
        assert frame["ok"].tolist() == ["TRUE", "FALSE", "TRUE"]
        assert frame["day"].tolist()[0] == "2020-02-03"
        assert frame["text"].tolist() == ["01", "1", "None"]
        assert frame["x"].isna().tolist() == [False, False, True]
        assert cell_text(day.replace(hour=5)) == "2020-02-03 05:00:00"
        assert cell_text(1e300) == "1e+300"

    def test_the_sheet_that_is_a_table(self):
        """A cover, a list of variables, an empty or hidden sheet before the data; or none."""
        data = [["a", "b", "c"], *([k % 3, "uv"[k % 2], 1.5 * (k % 4)] for k in range(40))]
        cover = [["Survey", "Mood"], ["Exported", "2024-05-01"], ["Rows", 40]]
        variables = [["name", "about"], *([f"v{k}", f"question {k}"] for k in range(90))]
        states = [["variable", "label", "value"]]
        states += [[f"v{k // 5}", f"answer {k % 5}", k % 5] for k in range(150)]
        wide = [
            [f"v{k}" for k in range(12)],
            *([(k * j) % 3 for j in range(12)] for k in range(60)),
        ]
        assert "v11" in names_of(workbook(first=states, second=wide))
        lines = [["Notes"], ["They were asked by mail."], [], ["Twice."]]
        for first in (cover, variables, lines, []):
            frame, report = read_frame(workbook(first=first, second=data))
            assert frame.columns.tolist() == ["a", "b", "c"], first[:1]
            assert "the sheet 'second'" in report.notes[0]
            assert report.chosen.sheet == "second"
        # Of two tables the first, unless it is hidden.
        later = [["d", "e"], *([k % 2, k % 3] for k in range(50))]
        assert names_of(workbook(one=data, two=later)) == ["a", "b", "c"]
        book = openpyxl.load_workbook(io.BytesIO(workbook(one=data, two=later)))
        book["one"].sheet_state = "hidden"
        out = io.BytesIO()
        book.save(out)
        frame, report = read_frame(out.getvalue())
        assert frame.columns.tolist() == ["d", "e"]
        assert "hidden: 'one'" in report.notes[0]
        assert names_of(out.getvalue(), sheet="one") == ["a", "b", "c"]
        # A hidden table is read where no other sheet is one.
        book = openpyxl.load_workbook(io.BytesIO(workbook(cover=cover, notes=lines, data=data)))
        book["data"].sheet_state = "veryHidden"
        book.save(out := io.BytesIO())
        frame, report = read_frame(out.getvalue())
        assert frame.columns.tolist() == ["a", "b", "c"]
        assert "Read the hidden sheet 'data', since no other" in report.notes[0]

    def test_merged_cells_are_filled(self):
        """Down in the data, across in the names, over a title, beyond the rows; empty ones stay."""
        book = openpyxl.Workbook()
        sheet = book.active
        rows = [["clinic", "sex", "score", ""], ["", "", "before", "after"]]
        rows += [["A" * (k % 5 == 0), "mf"[k % 2], k % 3, k % 4] for k in range(20)]
        for row in rows:
            sheet.append([cell if cell != "" else None for cell in row])
        for cells in ("A1:A2", "B1:B2", "C1:D1", "A3:A7", "A8:A12", "A13:A17", "A18:B900"):
            sheet.merge_cells(cells)
        sheet.insert_rows(1)
        sheet["A1"] = "Report"
        sheet.merged_cells.ranges = {
            *(one for one in sheet.merged_cells.ranges if one.shift(row_shift=1) is None),
        }
        sheet.merge_cells("A1:D1")
        out = io.BytesIO()
        book.save(out)
        frame, report = read_frame(out.getvalue())
        assert frame.columns.tolist() == ["clinic", "sex", "before", "after"]
        assert frame["clinic"].tolist() == ["A"] * 20
        assert frame["sex"].tolist() == [*"mfmfmfmfmfmfmfm", *"A" * 5]
        assert frame["after"].tolist() == [k % 4 for k in range(20)]
        assert any("Merged cells: " in note for note in report.notes)

    def test_workbooks_as_other_programs_write_them(self):
        """Unreadable styles and properties, the strict variant, names with backslashes."""
        wanted = [["x", 1], ["y", 2]]
        for parts in ({"styles": b"<styleSheet><nope"}, {"core": b"<coreProperties"}):
            frame, report = read_frame(rewritten(plain(), **parts))
            assert frame.to_numpy().tolist() == wanted
            assert "styles" in report.notes[0]
        usual = b"http://schemas.openxmlformats.org/"
        strict = (
            (usual + b"spreadsheetml/2006/main", b"http://purl.oclc.org/ooxml/spreadsheetml/main"),
            (usual + b"officeDocument/2006/", b"http://purl.oclc.org/ooxml/officeDocument/"),
        )
        for name, pairs in ((lambda n: n, strict), (lambda n: n.replace("/", "\\"), ())):
            out = io.BytesIO()
            with zipfile.ZipFile(io.BytesIO(plain())) as old, zipfile.ZipFile(out, "w") as new:
                for member in old.namelist():
                    text = old.read(member)
                    for one, other in pairs:
                        text = text.replace(one, other)
                    new.writestr(name(member), text)
            assert frame_of(Upload(out.getvalue(), "t.xlsx")).to_numpy().tolist() == wanted

    def test_sheets_and_attacks(self):
        content = workbook(first=[["a"], ["x"]], second=[["b"], ["y"]])
        assert names_of(content, sheet=1) == ["b"]
        assert "'second'" in refusal(content, sheet="third")
        refusal(content, sheet=2)
        rows = [[], [None, "a", "b", None], [0, "x", "y"], [], [1, "z", "y"], [], []]
        frame, report = read_frame(workbook(s=rows))
        assert frame.to_numpy().tolist() == [["x", "y"], ["z", "y"]]
        assert any("counts the rows" in note for note in report.notes)
        assert names_of(workbook(s=[[1, 2], [3, 4]]), header_rows=0) == ["column 1", "column 2"]
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>'
        content = rewritten(plain(), sheet1=bomb.encode("utf-16"))
        assert "entities" in refusal(Upload(content, "t.xlsx"))
        # A sheet is larger than it says.
        space = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
        wrong = b"<worksheet " + space + b'><dimension ref="A1:A1"/><sheetData>'
        wrong += b'<row r="1"><c t="inlineStr"><is><t>a</t></is></c></row>'
        wrong += b'<row r="2"><c><v>7</v></c></row></sheetData></worksheet>'
        assert frame_of(rewritten(plain(), sheet1=wrong))["a"].tolist() == [7]


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
def test_any_text_comes_back(rows, delimiter):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([[f"c{i}" for i in range(len(rows[0]))], *rows])
    frame = frame_of(out.getvalue().encode(), delimiter=delimiter)
    assert frame.to_numpy().tolist() == rows


@given(data=st.binary(max_size=300), kind=st.sampled_from(["csv", "parquet", "excel"]))
def test_any_bytes_give_a_table_or_a_sentence(data, kind):
    try:
        frame, report = read_frame(data, format=kind)
    except DataError as error:
        sentence = str(error)
    else:
        sentence = "A table."
        assert frame.shape == (report.rows, report.columns)
    assert sentence.endswith(".")
