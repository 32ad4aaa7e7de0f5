"""What is known of pairs in a CSV file: read, written, and refused with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bjp_engine.errors import DataError
from bjp_engine.io import known_csv, parse_known, read_known
from bjp_engine.scores import KnownEdges

NAMES = ("a", "b", "c", "d", 7)


class TestRead:
    @pytest.mark.parametrize(
        "text",
        [
            "a,b,required\nb,c,forbidden\na,7,0.25\n",
            "x,y,known\na,b,required\n\nb,c,Forbidden\na,7,.25",
            "\ufefffrom,to,what\r\n a , b , required \r\nb,c,forbidden\r\na,7,0.25\r\n",
            'a,b,required\n"b","c",forbidden\na,7,2.5e-1\na,b,required\n',
        ],
    )
    def test_pairs(self, text: str) -> None:
        found = parse_known(text.encode(), NAMES)
        assert found.rows() == (("a", "b", "required"), ("b", "c", "forbidden"), ("a", 7, 0.25))

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("a,b,required\na,z,forbidden\n", "Line 2 of 'known': There is no variable 'z'"),
            ("a,b,requird\n", "Line 1 of 'known': it says 'requird' of a pair"),
            ("x,y,known\na,b,required\n\nb,a,0.5\n", "Line 4 of 'known': an earlier line says"),
            ("a,a,required\n", "Line 1 of 'known': it pairs 'a' with itself"),
            ("a,b\n", "Line 1 of 'known': it has 2 cells"),
            ("a,b,required\na,c,1\n", "Line 2 of 'known': it says '1'"),
            ("a,b,nan\n", "Line 1 of 'known': it says 'nan'"),
            ('a,b,"required\n', "Line 1 of 'known': unexpected end of data"),
        ],
    )
    def test_names_the_line(self, text: str, words: str) -> None:
        with pytest.raises(DataError, match=words):
            parse_known(text.encode(), NAMES)

    def test_without_names_a_header_is_x_y_known(self) -> None:
        assert parse_known(b"x,y,known\na,b,required").required == (("a", "b"),)
        with pytest.raises(DataError, match="Line 1"):
            parse_known(b"from,to,what\na,b,required")

    def test_not_utf8(self) -> None:
        with pytest.raises(DataError, match="'known' is not UTF-8"):
            parse_known("ä,b,required".encode("latin-1"))

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"'none\.csv' can't be read"):
            read_known(tmp_path / "none.csv")


class TestWrite:
    def test_read_again(self, tmp_path: Path) -> None:
        known = KnownEdges(
            [("a", "b")], likely={("=c()", 'of "d", or'): 0.1}, apart=[(["d"], ["e", "f"])]
        )
        path = tmp_path / "known.csv"
        path.write_text(known_csv(known), encoding="utf-8")
        assert '\n\'=c(),"of ""d"", or",0.1\n' in path.read_text(encoding="utf-8")
        assert set(read_known(path).rows()) == set(known.rows())
