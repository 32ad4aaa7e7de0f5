"""Awkward text tables: delimiters, quotes, encodings, numbers, names, lines."""

import codecs

from tests.awkward.case import read, refused

AB = ("a", "b")
PLACES = ("column 1", "column 2", "column 3", "column 4", "column 5")
UMLAUTS = "größe,ja\nähm,日本\nöh,日本\n"
ARFF = """% of Weka
@relation 'two words'
@ATTRIBUTE a {y, 'x 1', z}
@attribute 'b c' numeric
@attribute größe string
@data
y,1,'k, l'
'x 1',2.5,m
z,?,n
% the last
y,1,m
"""
LATIN = "größe,ja\nähm,1\nöh,2\n"


def _wide(columns):
    header = ",".join(f"v{i}" for i in range(columns))
    return "\n".join([header, *(",".join([state] * columns) for state in "011")]).encode()


CASES = (
    # Delimiters
    read("semicolons", b"a;b\nx;y\nu;v\n", AB, 2),
    read("tabs under .csv", b"a\tb\nx\ty\n", AB, 1),
    read("bars", b"a|b\nx|y\n", AB, 1),
    read("commas under .tsv", b"a,b\nx,y\n", AB, 1, file="t.tsv"),
    read("runs of spaces", b"a b  c\n1   2 3\n4 5    6\n", ("a", "b", "c"), 2, says="spaces"),
    read(
        "spaces by R, with row names",
        b'"a" "b"\n"r1" 1 "x y"\n"r2" 2 "z"\n',
        AB,
        2,
        labels={"b": ("x y", "z")},
    ),
    read("carets that are given", b"a^b\nx^y\n", AB, 1, options={"delimiter": "^"}),
    read("one column of times", b"time\n12:30\n13:45\n", ("time",), 2),
    read("one column of texts with spaces", b"hue\nlight blue\ndark red\n", ("hue",), 2),
    read(
        "one column, of which the last texts have as many words",
        b"v\n17\na b c d\na b c d\n",
        ("v",),
        3,
    ),
    read("Excel's sep=;", b"sep=;\na;b\n1;2\n", AB, 1, says="gives the delimiter ';'"),
    read("a delimiter that is given", b"a!b\nx!y\n", AB, 1, options={"delimiter": "!"}),
    # Quotes
    read("a delimiter within quotes", b'a,b\n"x,y",1\n', AB, 1, labels={"a": ("x,y",)}),
    read("line ends within quotes", b'a,b\n"x\r\ny",1\n', AB, 1, labels={"a": ("x\r\ny",)}),
    read("doubled quotes", b'a,b\n"x""y",1\n', AB, 1, labels={"a": ('x"y',)}),
    read("backslashes before quotes", b'a,b\n"x\\"y",1\n', AB, 1, labels={"a": ('x"y',)}),
    read("single quotes", b"'a','b'\n'x,1','y'\n'u','v'\n", AB, 2, options={"quote": "'"}),
    read("apostrophes", b"a,b\n'tis,o'clock\n", AB, 1, labels={"a": ("'tis",)}),
    read("quotes that are text", b'a,b\nx"y,1\n', AB, 1, labels={"a": ('x"y',)}),
    read(
        "no quotes at all",
        b'a,b\n"x,1\n',
        AB,
        1,
        options={"quote": None},
        labels={"a": ('"x',)},
    ),
    refused("a quote never closed", b'a,b\n1,2\n"3,4\n5,6\n', "Line 3 opens a quotation mark"),
    refused("text behind a quote", b'a,b\n1,"2"x\n', "Line 2 has text after a closing"),
    refused("a cell of 200 000 characters", b'a,b\n1,"' + b"x" * 200_000, "or shorten the cell"),
    # Encodings
    read("UTF-8", UMLAUTS.encode(), ("größe", "ja"), 2),
    read("UTF-8 with a mark", UMLAUTS.encode("utf-8-sig"), ("größe", "ja"), 2),
    read("UTF-16 with a mark", UMLAUTS.encode("utf-16"), ("größe", "ja"), 2),
    read("UTF-16 without one", LATIN.encode("utf-16-le"), ("größe", "ja"), 2, says="low bytes"),
    read("UTF-16, high bytes first", LATIN.encode("utf-16-be"), ("größe", "ja"), 2, says="high"),
    read("UTF-32", UMLAUTS.encode("utf-32"), ("größe", "ja"), 2),
    read("Windows-1252", LATIN.encode("cp1252"), ("größe", "ja"), 2, says="cp1252"),
    *(
        refused(f"letters of another script in {code}", text.encode(code), "give its encoding")
        for code, text in (
            ("cp932", "名前,b\nソース,はい\n表,いいえ\n能,はい\n"),
            ("euc_jp", "名前,b\nソース,はい\n表,いいえ\n能,はい\n"),
            ("cp949", "이름,b\n철수,예\n영희,예\n민수,예\n"),
            ("gb2312", "姓名,b\n张三,是\n李四,否\n王五,是\n"),
            ("big5", "姓名,b\n張三,是\n李四,否\n王五,是\n"),
            ("cp1251", "имя,b\nМария,да\nИван,нет\nПётр,да\n"),
            ("koi8-r", "имя,b\nМария,да\nИван,нет\nПётр,да\n"),
            ("iso8859-7", "όνομα,b\nΜαρία,ναι\nΆννα,όχι\nΕλένη,ναι\n"),
            ("cp1255", "name,b\n" + "yes,1\n" * 150 + "כן,2\n"),
            ("big5", "sex,b\n女,1\n男,2\n女,3\n"),
        )
    ),
    *(
        read(f"{one} in Windows-1252", text.encode("cp1252"), (one, "b"), rows, says="cp1252")
        for one, text, rows in (
            ("prénom", "prénom,b\nélève,“a”\nêtre,don’t\nœuf,ação\n", 3),
            ("Preis (¥)", "Preis (¥),b\n5,„a“\n6,½\n7,a\n", 3),
            ("GRÖSSE", "GRÖSSE,b\nÄ,JÄ\nÖL,NÖ\nß,JÄ\n", 3),
            ("é", "é,b\n1,5 €\n2,20 °C\n", 2),
            ("três", "três,b\nhyvää,1\n“À”,2\n", 2),
            ("street", "street,b\n" + "no,1\n" * 1000 + "Straße,2\n", 1001),
            ("answer", "answer,b\n" + "don’t know,1\nyes,«\xa0ÉTÉ\xa0»\n" * 9, 18),
        )
    ),
    *(
        read(
            f"the end of a file by DOS after {end!r}",
            b"a,b\nx,1\ny,2" + end,
            AB,
            2,
            labels={"b": ("1", "2")},
        )
        for end in (b"\x1a", b"\r\n\x1a", b"\n\x1a\x1a\x1a\0\0")
    ),
    read(
        "a cell of another encoding in UTF-8",
        ("größe,ja\n" + "ähm,1\n" * 40).encode() + b"\xfcber,2\n",
        ("größe", "ja"),
        41,
        says="1 character (first in line 42)",
    ),
    read(
        "Cyrillic, given",
        "д,b\n1,2\n".encode("koi8-r"),
        ("д", "b"),
        1,
        options={"encoding": "koi8-r"},
    ),
    refused("not what was given", b"a,b\n\xff,2\n", "line 2", options={"encoding": "utf-8"}),
    refused("half a UTF-16 character", codecs.BOM_UTF16_LE + b"a,b", "UTF-16"),
    refused("zero bytes", b"a,b\n\0\0\0\0\1\2,1\n", "binary data"),
    refused("noise", bytes(range(1, 256)) * 4, "neither UTF-8 nor"),
    # Numbers
    read("decimal commas", b"a;b\n1,5;x\n2,25;y\n", AB, 2, labels={"a": ("1.5", "2.25")}),
    read(
        "points between thousands",
        b"a;b\n1.234,5;x\n7,5;y\n",
        AB,
        2,
        labels={"a": ("7.5", "1234.5")},
        says="thousands",
    ),
    read(
        "commas between thousands",
        b'a;b\n"1,234,567";x\n89;y\n',
        AB,
        2,
        labels={"a": ("89", "1234567")},
    ),
    read("Swiss thousands", b"a;b\n1'234.5;x\n2.5;y\n", AB, 2, labels={"a": ("2.5", "1234.5")}),
    read(
        "thin spaces between thousands",
        "a;b\n1\u202f234,5;x\n".encode(),
        AB,
        1,
        labels={"a": ("1234.5",)},
    ),
    *(
        read(f"numbers as {cell}", f"a;b\n{text}".encode(), AB, 3, labels={"a": numbers}, says=says)
        for cell, text, numbers, says in (
            ("€1,200", "€1,200;x\n€950;y\n€2,300;x\n", ("950", "1200", "2300"), "sign '€'"),
            ("1.200 €", "1.200 €;x\n1.250 €;y\n2.300 €;x\n", ("1200", "1250", "2300"), "sign '€'"),
            ("7,50 €", "7,50 €;x\n-12,00 €;y\n;x\n", ("-12", "7.5"), "sign '€'"),
            ("-$5", "-$5;x\n$-7.5;y\n$ 10;x\n", ("-7.5", "-5", "10"), "sign '$'"),
            ("12 %", "12 %;x\n7 %;y\nNA;x\n", ("7", "12"), "sign '%'"),
            ("−3", "−3;x\n−4;y\n0;x\n", ("-4", "-3", "0"), "'−' was read as a minus sign"),
            ("–3", "–3;x\n−4;y\n0;x\n", ("-4", "-3", "0"), "'–' was read as a minus sign"),
            ("−3 %", "−3.5%;x\n4%;y\n12%;x\n", ("-3.5", "4", "12"), "minus sign"),
            ("1\u202f200", "1\u202f200;x\n950;y\n7;x\n", ("7", "950", "1200"), "separator: space"),
            ("1\xa0200", "1\xa0200;x\n950;y\n7;x\n", ("7", "950", "1200"), "separator: space"),
            ("1\u2009200", "1\u2009200;x\n950;y\n7;x\n", ("7", "950", "1200"), "separator: space"),
            ("two moneys", "5 €;x\n$7;y\n5 €;x\n", ("5 €", "$7"), ""),
            ("codes", "A1;x\nA2;y\nA10;x\n", ("A1", "A2", "A10"), ""),
            ("a sign here and there", "5 %;x\n7;y\n8;x\n", ("7", "8", "5 %"), ""),
            ("1,250 %", "1,250 %;x\n7 %;y\n8 %;x\n", ("1,250 %", "7 %", "8 %"), "stays text"),
        )
    ),
    read(
        "either decimals or thousands",
        b'a;b\n"1,234";x\n2;y\n',
        AB,
        2,
        labels={"a": ("2", "1,234")},
        says="give the decimal separator",
    ),
    read(
        "thousands that are given",
        b'a;b\n"1,234";x\n2;y\n',
        AB,
        2,
        options={"decimal": "."},
        labels={"a": ("2", "1234")},
    ),
    read(
        "answers like 1,2 in a file of commas",
        b'a,b\n"1,2",x\n"1,3",y\n',
        AB,
        2,
        labels={"a": ("1,2", "1,3")},
    ),
    read("leading zeros", b"a,b\n01,x\n1,y\n", AB, 2, labels={"a": ("01", "1")}),
    read("a number too large", b"a\n1\n" + b"9" * 5000 + b"\n", ("a",), 2),
    read("digits of other scripts", "a\n٣\n１\n".encode(), ("a",), 2),
    read(
        "a few words among numbers",
        b"a,b\n" + b"".join(b"%d,x\n" % (i % 7) for i in range(40)) + b"unknown,y\n",
        AB,
        41,
        says="'unknown' in line 42",
    ),
    read("infinity and nothing", b"a,b\ninf,NA\nnan,?\n", AB, 2, labels={"a": ("inf",)}),
    # Lines that are no rows
    read("comments above", b"# made\n# today\na,b\n1,2\n", AB, 1, says="Comments above"),
    read("comments between", b"a,b\n1,2\n# a, b, c\n3,4\n", AB, 2, says="between rows"),
    read("names behind a #", b"#id,b\n1,2\n3,4\n", ("#id", "b"), 2, says="names stand in line 1"),
    read("rows that begin with #", b"a,b\n#1,2\n#2,3\n", AB, 2, labels={"a": ("#1", "#2")}),
    read("lines above", b"Report\n2020\na,b\n1,2\n", AB, 1, options={"skip_lines": 2}),
    *(
        refused(f"{k} lines above of {k + 1}", text, "(skip_lines=)", options={"skip_lines": k})
        for k, text in (
            (1, b"Poll\nAll; of us\n\na,b\n1,2\n1,3\n3,3\n"),
            (2, b"Poll\nof 2020\nAll; of us\n\na,b\n1,2\n1,3\n3,3\n"),
        )
    ),
    read("a title above the names", b"Poll of 2020\n\na,b\n1,2\n1,3\n", AB, 2, says="of 2020"),
    read("a title with a comma", b"Poll, 2020\na,b,c\n1,2,3\n1,2,4\n", ("a", "b", "c"), 2),
    *(
        read(
            f"the title {title!r} above states",
            f"{title}\n{names}".encode() + b"n,m,n\ny,f,y\ny,m,n\nn,f,y\n" * 5,
            ("smoke", "sex", "cough"),
            20,
            says="Left out above the names",
        )
        for title, names in (
            ("Survey, 2024, all", "smoke,sex,cough\n"),
            ("2024, survey of adults, all", "smoke,sex,cough\n"),
            ("Survey, 2024", "smoke,sex,cough\n"),
            ("Survey, spring, adults", "\nsmoke,sex,cough\n"),
            ("Survey, spring, adults, all", "smoke,sex,cough\n"),
            ("Survey, 2024, all\nBy us, 2023", "smoke,sex,cough\n"),
            ("Table 1: smoking, by sex", "smoke,sex,cough\n"),
            ("Results, first wave, Graz", "smoke,sex,cough\n"),
        )
    ),
    read(
        "names with a year above a row",
        b"land,2020,mood\nDE,good,glad\n" + b"FR,bad,sad\nIT,good,sad\n" * 9,
        ("land", "2020", "mood"),
        19,
    ),
    read("a title of a spreadsheet", b"Poll;;\na;b;c\n1;2;3\n1;3;4\n", ("a", "b", "c"), 2),
    read("a title above two columns", b"Poll,\na,b\n1,2\n2,2\n", AB, 2, says="skip_lines"),
    read("a title above semicolons", b"Poll\na;b\n1;2\n3;4\n", AB, 2, says="'Poll'"),
    read(
        "two titles, one as wide as the table",
        b"Table 1\nPoll,,\n\nid,sex,age\n1,m,20\n2,f,30\n3,m,20\n",
        ("id", "sex", "age"),
        3,
        says="above the names: 2 lines ('Table 1' …)",
    ),
    *(
        read(
            f"a table in column B below {title!r}",
            f"{title}\n{';' * wide}\n;a;b\n;x;1\n;y;2\n;x;2\n".encode(),
            AB,
            3,
            labels={"a": ("x", "y")},
            says="Left out above the names: 1 line ('Poll')",
        )
        for title, wide in (("Poll;;", 2), (";Poll;", 2), ("Poll", 0), ("Poll;Poll;Poll", 2))
    ),
    refused("a title that is no evident one", b"\n\nPoll,,\na,b,c\nx,y,z\n", "(skip_lines=3)"),
    refused(
        "a second such title",
        b"Poll,,\nWave,,\na,b,c\nx,y,z\n",
        "(skip_lines=2)",
        options={"skip_lines": 1},
    ),
    *(
        read(
            f"the remark {text!r} below states",
            b"smoke,sex,cough\n" + b"n,m,n\ny,f,y\ny,m,n\nn,f,y\n" * 5 + text.encode(),
            ("smoke", "sex", "cough"),
            20,
            says="below the table were left out",
        )
        for text in (
            "Source: own survey, 2023",
            "\nSource: us, 2023\nDraft",
            "All of us, in May, in Graz, by hand",
        )
    ),
    refused("a last row cut short", b"a,b,c\nNew York,2,3\nLos Angeles,3\n", "Line 3 has 2"),
    refused("a last row of more cells", b"a,b,c\nNew York,2,3\nLos Angeles,3,4,5\n", "Line 3"),
    read(
        "names of two words above states of a rare person",
        b"Age group,Sex of it,City\nmiddle,d,Graz\n" + b"old,m,Graz\nyoung,f,Wien\n" * 5,
        ("Age group", "Sex of it", "City"),
        11,
    ),
    read(
        "names of two words above rows with names",
        b"Age group,Sex of it\n" + b"Ann,old,m\nBob,young,f\nCid,old,f\nDoe,young,m\n",
        ("Age group", "Sex of it"),
        4,
    ),
    read("a remark below", b"a,b\n1,2\n1,3\n\nSource: us\n", AB, 2, says="below the table"),
    read(
        "remarks right below",
        b"a,b,c\n1,2,3\n2,3,3\nSource: us\nThe end of it\n",
        ("a", "b", "c"),
        2,
        says="2 (line 4, 5)",
    ),
    refused("counts above a table without names", b"3,2\n5,1,x,7\n6,2,y,8\n5,1,y,8\n", "4 cells"),
    refused("names fewer than cells", b"a,b,c\nx,y,z,v,w\nu,y,z,v,u\n", "header has 3"),
    refused("a row below a lone name", b"a\n1,x,y\n2,x,z\n", "header has 1"),
    refused("a short row before others", b"a,b\n1,2\n\nSource\n3,4\n", "Line 4 has 1 cell"),
    refused("a row cut short", b"a,b,c\n1,2,3\n2,3\n", "Line 3 has 2 cells"),
    read("two words a row", b"sex smokes\nm yes\nf no\nm no\nf yes\n", ("sex", "smokes"), 4),
    read("blank lines", b"\n\na,b\n\n1,2\n   \n3,4\n\n", AB, 2, says="Blank lines"),
    *(
        read(f"a blank line after {end!r}", end.join([b"a,b", b"1,2", b"", b"3,4", b""]), AB, 2)
        for end in (b"\n", b"\r\n")
    ),
    read("a blank line and cells with line ends", b'a,b\n"x\ny",2\n\n3,4\n', AB, 2),
    read("old Mac line ends", b"a,b\r1,2\r3,4\r", AB, 2),
    read("no line end", b"a,b\n1,2", AB, 1),
    # Rows of another width
    refused("a cell too many", b"a,b\n1,2\n1,2,3\n", "Line 3 has 3 cells"),
    refused("a cell too few", b"a,b\n1,2\n1\n", "Line 3 has 1 cell "),
    read("trailing delimiters", b"a,b,\n1,2,\n", AB, 1, says="neither a name nor a value"),
    read("trailing delimiters below the names", b"a,b\n1,2,\n3,4,\n", AB, 2),
    read("trailing delimiters here and there", b"a,b\n1,2,,\n3,4\n5,6,\n", AB, 3),
    read("names without columns", b"a,b,,\n1,2\n", AB, 1),
    # Names
    read("a name twice", b"age,sex,age\n1,2,3\n", ("age", "sex", "age (2)"), 1, says="numbered"),
    read("a name twice and its number", b"a,a,a (2)\n1,2,3\n", ("a", "a (3)", "a (2)"), 1),
    read("no name", b"a,,c\n1,2,3\n4,2,3\n", ("a", "column 2", "c"), 2, says="named by place"),
    refused("no header", b"0,1,0\n1,1,0\n", "header_rows=0"),
    read("no header, said", b"0,1,0\n1,1,0\n", PLACES[:3], 2, options={"header_rows": 0}),
    *(
        read(f"no header, but {what}", text.encode(), PLACES[:wide], rows, says="named by place")
        for what, text, wide, rows in (
            ("states", "m,yes\nf,no\nm,no\nf,yes\n" * 5, 2, 20),
            (
                "numbers within their columns",
                "5.1,3,.2\n4.9,3,.1\n5.4,4,.7\n5,3,.2\n6,2,.3\n",
                3,
                5,
            ),
            (
                "dates, blanks and codes",
                "2020-01-02,P7,,b\n2020-01-03,P8,4,c\n" * 1
                + "".join(
                    f"2020-02-0{k},P{k},{'' if k % 3 else k},{'bc'[k % 2]}\n" for k in range(1, 7)
                ),
                4,
                8,
            ),
            ("a person each", "Ann,m,x\nBob,f,y\nCid,m,y\nDoe,f,x\nEve,f,x\nFay,m,x\n", 3, 6),
            ("a column", "17\n18\n15\n20\n17\n", 1, 5),
            ("a state of its own", "e,f,n,t,x\n" + "e,f,t,n,z\np,g,n,t,z\n" * 3, 5, 7),
            ("an answer twice", "C,C,A,B\n" + "D,C,B,A\nC,D,D,D\n" * 3, 4, 7),
            (
                "numbers and a rare state",
                "25,46.3,m,no,d\n" + "42,25.9,m,yes,e\n19,50,f,no,e\n" * 3,
                5,
                7,
            ),
            ("rising letters, as below", "A,B,C\n" + "A,B,B\nA,B,C\nB,B,C\n" * 3, 3, 10),
            (
                "years of three events",
                "1990,2000,2010\n" + "1985,2001,2017\n1991,1999,2003\n" * 2,
                3,
                5,
            ),
            ("a rare half", "2.5,1,3\n" + "2,1,3\n1,2,3\n3,3,1\n" * 2, 3, 7),
        )
    ),
    *(
        read(f"names that are {what}", text.encode(), tuple(text.split("\n")[0].split(",")), 6)
        for what, text in (
            ("years", "2000,2001,2002\n" + "5,3,2100\n6,1950,7\n" * 3),
            ("years of a decade each", "1990,2000,2010\n" + "5,3,2\n6,9,7\n" * 3),
            ("years that fall", "2022,2021,2020\n" + "1800,2105,2240\n2370,1598,2186\n" * 3),
            ("questions with parts", "1.1,1.2,2.1\n" + "4,1,2\n1,3,2\n" * 3),
            ("letters of answers", "A,B,C,D\n" + "B,B,A,D\nC,A,D,C\n" * 3),
            ("places", "0,1,2\n" + "0,1,2\n0,0,1\n" * 3),
            ("items of which some were left out", "1,2,4,5,8\n" + "1,2,4,5,5\n3,3,1,5,2\n" * 3),
            ("wavelengths", "400.5,410.25,431\n" + "0.2,0.4,0.3\n0.1,0.5,0.9\n" * 3),
            ("the choices", "tea,milk\n" + "tea,\n,milk\n" * 3),
            ("a country and years", "land,2000,2001\n" + "DE,5,6\nFR,7,8\n" * 3),
            ("repeated in the middle", "sex,age\nm,20\nf,31\nm,35\nsex,age\nf,30\nm,22\n"),
        )
    ),
    read(
        "names most of which are like answers",
        b"other,m,1\n" + b"no,m,2\nyes,f,1\n" * 3,
        ("other", "m", "1"),
        6,
        says="like those below; if it is a row",
    ),
    read("an index without a name", b",a\n0,x\n1,y\n", ("a",), 2, says="counts the rows"),
    read("row names without a name", b",a\nr7,x\nr3,y\n", ("a",), 2, says="names the rows"),
    read("an unnamed column that repeats", b",a\n0,x\n0,y\n", ("column 1", "a"), 2),
    read("saved again by pandas", b"Unnamed: 0,a\n3,x\n7,y\n", ("a",), 2),
    read("names of one another", b"a,b\n1,2\n", AB, 1, options={"columns": ["a", "b"]}),
    refused("a column that isn't there", b"a,b\n1,2\n", "'z'", options={"columns": ["z"]}),
    read("5000 columns", lambda: _wide(5000), tuple(f"v{i}" for i in range(5000)), 3),
    refused("too many columns", lambda: _wide(20_001), "BJP_MAX_COLUMNS"),
    refused("one line of 40 MB", lambda: b"a," * (20 << 20), "longer than 16 MB"),
    refused("nothing", b"", "empty"),
    refused("blanks", b"  \n \n", "empty"),
    refused("a header alone", b"a,b\n", "no rows"),
    # Other things under the name of a table
    refused("a web page", b"<!DOCTYPE html><html><body>404</body></html>", "HTML page"),
    refused("a table of a page", b"<table><tr><td>a</td></tr></table>", "HTML page"),
    refused("JSON", b'[{"a": 1}, {"a": 2}]', "JSON document"),
    refused("XML", b'<?xml version="1.0"?><a/>', "XML document"),
    # Weka
    *(
        read(
            f"ARFF as {file}",
            ARFF.encode(),
            ("a", "b c", "größe"),
            4,
            labels={"a": ("y", "x 1", "z"), "b c": ("1", "2.5"), "größe": ("k, l", "m", "n")},
            says="Comments between rows were left out: 1 (line 10)",
            file=file,
        )
        for file in ("t.arff", "t.txt", "")
    ),
    refused("ARFF without rows", b"@relation x\n@attribute a {x}\n", "@data", file="t.arff"),
    refused("a sparse ARFF", ARFF[: ARFF.index("y,1")].encode() + b"{1 x}\n", "sparse"),
    refused("a state that ARFF lacks", ARFF.replace("z,?", "q,?").encode(), "Line 9: 'q'"),
    refused(
        "a cell that ARFF lacks", ARFF.replace("@attribute größe string\n", "").encode(), "cells"
    ),
    refused("a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "a picture"),
    refused("a database", b"SQLite format 3\0" + b"\0" * 40, "SQLite"),
    refused("a pickle", b"\x80\x04\x95cos\nsystem\n.", "run code", file="t.pkl"),
    refused("a pickle under .csv", b"\x80\x04\x95\0\0\0cos\nsystem\n.", "binary data"),
    read("no names", b"0,1,2\n1,0,0\n", PLACES[:3], 2, says="named by place", file="t.data"),
    # Text that others would run
    read(
        "formulas and scripts", b'=1+1,<script>\n@SUM(A1),"\' onload="\n', ("=1+1", "<script>"), 1
    ),
    read("marks of direction", "a\u202e,b\nx\u202e,y\n".encode(), ("a\u202e", "b"), 1),
    read("a name of 10 000 characters", b"n" * 10_000 + b",b\n1,2\n", ("n" * 10_000, "b"), 1),
)
