"""Kinds of files in which names or the order of decisions mislead, each as a CSV that is read."""

from itertools import combinations, product

import numpy as np
import pandas as pd

from bjp_engine.columns import Column, Table
from bjp_engine.health import health, suggest
from bjp_engine.health.scales import order_intervals, scale_of
from bjp_engine.io import read_columns
from bjp_engine.labels import count_places, natural_key
from bjp_engine.preparation import MissingCodes, RecodeStates, prepare

ROWS = 240


def rng(seed=0):
    return np.random.default_rng(seed)


def made_of(table):
    """What a file becomes as suggested: kinds of findings with their columns, and the dataset."""
    if not isinstance(table, Table):
        text = table if isinstance(table, str) else table.to_csv(index=False)
        table = read_columns(text.encode())[0]
    report = health(table)
    kinds = {}
    for one in report.findings:
        kinds.setdefault(one.kind, []).extend(one.columns)
    return kinds, prepare(table, suggest(report))


def answers(**columns):
    """Two answers of nobody in particular, and other columns."""
    draw = rng(9)
    return pd.DataFrame(
        {"town": draw.choice(["N", "S", "E"], ROWS), "sex": draw.choice(["f", "m"], ROWS)} | columns
    )


def with_lines(table, lines):
    """A table as CSV with a line at each of some places, the header being at 0."""
    text = table.to_csv(index=False).splitlines()
    for place, line in lines:
        text.insert(place, line)
    return "\n".join(text) + "\n"


def test_frequencies_are_found_whatever_stands_beside_them():
    lines = list(product("ab", "xyz", ["no", "yes"]))
    counted = pd.DataFrame(lines, columns=["p", "q", "r"]).assign(Freq=rng().integers(5, 80, 12))
    long = counted.loc[counted.index.repeat(counted["Freq"]), ["p", "q", "r"]]
    rows, freq = len(long), counted["Freq"]
    total = pd.DataFrame([{"p": "Sum", "Freq": rows, "Percent": 100.0}])
    shares = counted.assign(Percent=(100 * freq / rows).round(1), so_far=freq.cumsum())
    for case, table in {
        "plain": counted,
        "row names": counted.reset_index(names="rownames"),
        "other numbers": counted.assign(case=range(501, 513)),
        "names": counted.assign(cell=[f"cell {k}" for k in range(12)]),
        "shares": shares,
        "a total": pd.concat([shares, total]),
        "another word": counted.rename(columns={"Freq": "number of persons"}),
        "no line for a rare cell": counted[freq > freq.min()],
    }.items():
        kinds, made = made_of(table)
        assert "frequencies" in kinds, case
        assert made.data.names == ("p", "q", "r"), case
        kept = rows - freq.min() if case.startswith("no line") else rows
        assert made.data.rows == kept, case
    assert made_of(shares)[0]["frequencies"] == ["Freq", "Percent", "so_far"]
    # What else is found is that of the long table.
    report, usual = health(counted), health(long)
    assert (report.rows, report.roles["Freq"]) == (12, "frequency")
    found, others = (
        [one for one in each.findings if one.kind not in ("frequencies", "blankets")]
        for each in (report, usual)
    )
    assert found == others
    # Rows that differ by chance are persons, and visits are numbered.
    draw = rng(2)
    visits = pd.DataFrame([*product(range(59), range(1, 5))], columns=["subject", "visit"])
    visits["treatment"], visits["count"] = draw.integers(0, 2, 236), draw.poisson(8, 236)
    persons = pd.DataFrame(rng().integers(0, 5, (300, 20))).add_prefix("v")
    for case, table in {
        "a score": counted.rename(columns={"Freq": "score"}),
        "a line twice": pd.concat([counted, counted.iloc[:1]]),
        "halves": counted.assign(Freq=freq + 0.5),
        "negative": counted.assign(Freq=freq - freq.max()),
        "missing": counted.assign(Freq=freq.where(freq > freq.min())),
        "ones": counted.assign(Freq=1),
        "alone": counted[["Freq"]],
        "visits": visits,
        "persons": persons.assign(count=draw.integers(0, 9, 300)),
    }.items():
        assert "frequencies" not in {one.kind for one in health(table).findings}, case


def test_lines_that_are_no_rows_are_left_out_and_persons_are_not():
    plain = answers(score=rng(1).integers(1, 6, ROWS))
    numbers = pd.DataFrame({"age": rng(2).integers(18, 80, ROWS), "pay": rng(3).normal(9, 1, ROWS)})
    named = plain.assign(id=range(5001, 5001 + ROWS))
    end = ROWS + 1
    for case, table, lines in (
        ("header", plain, [(50, "town,sex,score"), (150, "town,sex,score")]),
        ("pages", plain, [(k, "town,sex,score") for k in range(30, ROWS, 30)]),
        ("header of two", plain[["town", "sex"]], [(99, "town,sex")]),
        ("header of numbers", numbers, [(99, "age,pay")]),
        ("total", plain, [(end, f"Total,,{plain['score'].sum()}")]),
        ("totals", numbers, [(end, f"{numbers['age'].sum()},{numbers['pay'].sum()}")]),
        ("mean", plain, [(end, f"Mean,,{plain['score'].mean()}")]),
        ("footers", plain, [(end, '"Source: a ministry",,'), (end + 1, "n = 240,,")]),
        ("footer beside numbers", named, [(end, "Page 1 of 1,,,")]),
        ("total beside numbers", named, [(end, "Total,,,240")]),
        ("rare", plain, [(end, "W,f,3")]),
        ("rare twice", plain[["town", "sex"]], [(end, "W,x")]),
        ("who broke off", named, [(end, "W,,,5300")]),
        ("the same answer to all", plain.astype(str), [(end, "dk,dk,dk")]),
    ):
        kinds, made = made_of(with_lines(table, lines))
        person = case.startswith(("rare", "who", "the same"))
        assert ("lines" in kinds) != person, case
        if not person:
            usual = made_of(table)[1].data
            assert (made.data.labels, made.data.rows) == (usual.labels, ROWS), case
            assert (made.data.codes == usual.codes).all(), case


def test_a_line_amid_others_that_may_be_a_person_is_asked_about():
    job = rng(4).choice(["office", "shop", "farm"], ROWS)
    table = answers(job=job).replace({"N": "north", "S": "south", "E": "east"})
    for place, line, asked in (
        (99, "west,d,artist", True),
        (99, "west,d,***", False),
        (99, "town,d,artist", False),
        (ROWS + 1, "west,d,artist", False),
    ):
        kinds, made = made_of(with_lines(table, [(place, line)]))
        assert "lines" in kinds, line
        assert made.data.rows == ROWS + asked, line


def test_subtotals_are_left_out_and_numbers_that_happen_to_add_up_are_not():
    for case, total in (("Total {}", ""), ("{} (both)", ""), ("{}", "All"), ("", "")):
        lines, every = ["sex,age,patients"], 0
        for sex, counts in (("m", (112, 187, 251)), ("f", (145, 171, 316))):
            lines += [f"{sex},{age},{n}" for age, n in zip("abc", counts, strict=True)]
            lines.append(f"{case.format(sex)},{total},{sum(counts)}")
            every += sum(counts)
        for end in ([], [f"Total,,{every}"]):
            kinds, made = made_of("\n".join([*lines, *end]) + "\n")
            assert (made.data.names, made.data.rows) == (("sex", "age"), every), (case, end)
            assert {"lines", "frequencies"} <= set(kinds), (case, end)
    # What is called a total may be off by rounding.
    for total, off in product(("Gesamt", "Total", "x"), (-1, 0, 1, 2)):
        lines = f"sex,smokes,n\nm,y,52\nm,n,107\nf,y,78\nf,n,98\n{total},,{335 + off}\n"
        wanted = off == 0 or (total != "x" and off < 2)
        assert ("lines" in made_of(lines)[0]) == wanted, (total, off)
    # A line for each sum over some factors, as addmargins of R writes them.
    for shape, total in product(((2, 4), (2, 2, 2), (4, 3)), ("Sum", "alle", "")):
        factors = [f"f{k}" for k in range(len(shape))]
        parts = pd.DataFrame([*product(*map(range, shape))], columns=factors)
        parts = parts.astype(str).assign(n=rng(len(shape)).integers(9, 99, len(parts)))
        every = pd.concat(
            parts.assign(**dict.fromkeys(over, total)).groupby(factors, as_index=False).sum()
            for k in range(len(factors) + 1)
            for over in combinations(factors, k)
        )
        cases = [every, every.sort_values(factors[::-1]), pd.concat([every.tail(1), parts])]
        if len(shape) == 2:
            # Two sums over the second factor alone.
            over = every[(every["f1"] == total) & (every["f0"] != total)]
            cases.append(pd.concat([over.tail(2), parts]))
        for case, table in enumerate(cases):
            kinds, made = made_of(table)
            found = made.data.names, made.data.rows
            assert found == (tuple(factors), parts["n"].sum()), (shape, total, case)
            assert {"lines", "frequencies"} <= set(kinds), (shape, total, case)
    for seed in range(60):
        draw = rng(seed)
        rows, most = int(draw.choice([8, 40, ROWS])), int(draw.choice([3, 20, 2000]))
        table = answers()[:rows].assign(n=draw.integers(0, most, rows), k=range(rows))
        assert "lines" not in made_of(table)[0], seed


def test_statistics_below_the_rows_are_left_out_and_a_last_person_is_not():
    draw = rng(11)
    numbers = pd.DataFrame({f"q{k}": draw.integers(1, 6, ROWS) for k in range(4)})
    table = answers(**numbers, pay=draw.normal(50, 9, ROWS).round(2))
    holes = table.assign(pay=table["pay"].where(draw.random(ROWS) > 0.1))
    named = table.assign(sex=[f"p{k}" for k in range(ROWS)])
    statistics = ["mean", "std", "min", "max", "count", "sum"]
    for frame, label, some in (
        *product((table,), ("{}", "x{}"), (["mean"], ["sum"], statistics[:4], statistics)),
        *product((holes, named), ("{}",), (["mean"], statistics)),
    ):
        below = frame.agg(dict.fromkeys([*numbers, "pay"], some)).round(2)
        below.insert(0, "sex" if frame is named else "town", [label.format(s) for s in below.index])
        made = made_of(pd.concat([frame, below]))[1].data
        usual = made_of(frame)[1].data
        assert (made.labels, made.rows) == (usual.labels, usual.rows), (label, some)
    # Without a label, too; lowest and highest answers are a pair of lines, or persons.
    answered = pd.DataFrame(numbers)
    for some in (["mean", "std", "min", "max"], ["max", "min"]):
        made = made_of(pd.concat([answered, answered.agg(some)]))[1].data
        assert (made.rows, {*made.cardinalities}) == (ROWS, {5}), some
    both = answered.agg(["min", "max"])
    design = pd.DataFrame([*product(range(1, 4), repeat=5)]).add_prefix("f")
    for persons in (
        *(pd.concat([answered, both[-1:]]), pd.concat([both[:1], answered, both[1:]])),
        *(answered[:n].sort_values([*numbers], ascending=False) for n in (30, 60, 120, ROWS)),
        *(answered.sort_values([*numbers]), design, pd.concat([design[::-1], design])),
        pd.concat([table, both.assign(town="N", sex="f", pay=table["pay"].agg(["min", "max"]))]),
    ):
        assert "lines" not in made_of(persons)[0]
    # Who gives the lowest answer each time, and is the only one of a town, is a person.
    person = dict.fromkeys(numbers, 1) | {"town": "W", "sex": "f", "pay": table["pay"].min()}
    assert "lines" not in made_of(pd.concat([table, pd.DataFrame([person])]))[0]


def test_words_of_scales_are_in_order_and_others_are_not():
    scales = """
        No education|Primary|Secondary|Higher ; Bachelor’s degree|Master’s degree|PhD ;
        Never|Less than once a year|Once a month|Daily ; underweight|normal|overweight|obese ;
        Not at all worried|Not too worried|Somewhat worried|Very worried ;
        None at all|Not very much|Quite a lot|A great deal ; Stage I|Stage II|Stage III|Stage IV ;
        Never|sometimes|always ; disagree|neutral|agree ; low|medium|high ; low|normal|high ;
        very dissatisfied|satisfied|very satisfied ; nie|selten|oft|immer ; poor|fair|good ;
        trifft nicht zu|trifft eher nicht zu|trifft eher zu|trifft zu ; no|maybe|yes ;
        Not at all|A little|Somewhat|Mostly|Fully ; No|Partly|Yes ; nein|teilweise|ja ;
        worse|same|better ; less|about the same|more
    """
    # Who doesn't know is not between the two.
    others = """
        Room 1|Room 2|Room 4 ; Stage A|Stage B|Stage ; x y|y|z y ; No|yes ; red|green|blue ;
        don't know|no|yes ; never|sometimes|k.A. ; often|frequently|never ; Never|never|always
    """
    for cases, ordered in ((scales, True), (others, False)):
        for case in cases.split(";"):
            states = tuple(case.strip().split("|"))
            data = made_of(answers(x=rng().choice(states, ROWS)))[1].data
            assert data.ordered[2] == ordered, states
            assert data.labels[2] == states or not ordered, states


def test_choices_of_one_question_by_what_stands_in_them():
    options = ("Radio", "Public TV", "Web")
    for form, value, choices in (
        *((form, "Yes", True) for form in ("media/{}", "media.{}", "media [{}]", "media – {}")),
        *((form, "1", True) for form in ("q (choice={})", "{} - media", "Which media? [{}]")),
        ("{}", "x", True),
        ("{}", "often", False),
        *(("media/{}", no, False) for no in ("No", "0", "FALSE", "Unchecked", "nein", "-")),
    ):
        ticked = {
            form.format(one): np.where(rng(k).random(ROWS) < 0.4, value, None)
            for k, one in enumerate(options)
        }
        kinds, made = made_of(answers(**ticked))
        assert ("multiple_choice" in kinds) == choices, (form, value)
        if choices:
            for name, cells in ticked.items():
                codes = made.data.codes[:, made.data.index(name)]
                assert (codes == (cells == value)).all(), name
        else:
            assert not set(ticked) & set(made.data.names), value
        # What denies stands among them and is none.
        denied = {
            form.format(one): np.where(rng(k).random(ROWS) < 0.4, "0", None)
            for k, one in enumerate(("Press", "Mail"))
        }
        mixed = denied | ticked
        order = sorted(mixed, key=lambda name: (len(name), name))
        made = made_of(answers(**{name: mixed[name] for name in order}))[1]
        assert set(made.data.names) == {"town", "sex", *(ticked if choices else ())}, (form, value)


def test_several_answers_in_a_cell_become_variables_and_other_commas_do_not():
    options, ticks = ("Email", "Phone", "Letter"), rng(5).random((ROWS, 3)) < 0.4
    for separator in (", ", ";", "|", " "):
        cells = [separator.join(o for o, t in zip(options, r, strict=True) if t) for r in ticks]
        kinds, made = made_of(answers(by=cells))
        assert kinds["several_answers"] == ["by"], separator
        assert made.data.rows == ROWS
        for k, option in enumerate(options):
            codes = made.data.codes[:, made.data.index(f"by: {option}")]
            assert (codes == ticks[:, k]).all(), (separator, option)
        # Beside its own choices such a list is a copy of them.
        own = {f"by/{o}": np.where(ticks[:, k], 1, 0) for k, o in enumerate(options)}
        kinds, made = made_of(answers(by=cells, **own))
        assert set(kinds["copies"]) == {"by", *own}
        assert set(own) <= set(made.data.names)
        assert not {"by", "by: Email"} & set(made.data.names)
    for states in (
        ("Ulm, DE", "Graz, AT", "Bern, CH", "Bonn, DE"),
        ("Agree, strongly", "Agree, somewhat", "Neither", "Disagree, somewhat"),
        ("No", "Yes, sometimes", "Yes, always"),
        ("very good", "good", "bad", "very bad"),
    ):
        assert "several_answers" not in made_of(answers(by=rng().choice(states, ROWS)))[0], states


def test_a_sum_of_others_is_a_copy():
    parts = pd.DataFrame(rng(6).integers(0, 5, (ROWS, 3)), columns=["a", "b", "c"])
    kinds, made = made_of(answers(**parts, total=parts.sum(axis=1)))
    assert (kinds["copies"], "total" in made.data.names) == (["total", "a", "b", "c"], False)
    assert "copies" not in made_of(answers(**parts, other=parts.sum(axis=1) % 7))[0]


def test_units_with_several_rows_by_what_is_constant_within_them():
    persons, draw = np.repeat(np.arange(40), 6), rng(7)
    sex = draw.choice(["f", "m"], 40)[persons]
    pain, visit = draw.integers(0, 9, ROWS), np.tile(range(6), 40)
    for case, key in {
        "numbers": 7 * persons + 300,
        "letters": [f"{chr(65 + k // 26)}{chr(65 + k % 26)}" for k in persons],
    }.items():
        kinds, made = made_of(pd.DataFrame({"key1": key, "sex": sex, "pain": pain, "visit": visit}))
        assert kinds["repeated"] == ["key1"], case
        assert "key1" not in made.data.names
        assert any("not independent" in note for note in made.notes)
    # What others don't follow from is none, nor is a class whose parts are counted by chance.
    loose = pd.DataFrame({"key1": 7 * persons, "pain": pain, "visit": visit})
    job = draw.integers(0, 20, ROWS)
    for frame in (loose, answers(job=[f"job {k}" for k in job], sector=job % 3)):
        assert "repeated" not in made_of(frame)[0]


def test_codes_need_evidence_here_and_none_against_it_among_siblings():
    draw = rng(8)
    item = draw.choice([1, 2, 3, 4, 5, 9], ROWS, p=[0.2, 0.2, 0.2, 0.2, 0.15, 0.05])
    late, early = draw.integers(8, 12, ROWS), draw.integers(1, 6, ROWS)
    for case, table, codes in (
        ("alone", answers(mon=item, tue=early), ["mon"]),
        ("a sibling with codes", answers(t_mon=item, t_tue=item[::-1]), ["t_mon", "t_tue"]),
        ("a sibling's answer", answers(t_mon=item, t_tue=late), []),
        (
            "a fifth of all",
            answers(mon=draw.choice([1, 2, 3, 4, 9], ROWS, p=[0.18] * 4 + [0.28])),
            [],
        ),
        ("typographic", answers(a=draw.choice(["x", "yy", "don’t know"], ROWS)), ["a"]),
        ("two words", answers(a=draw.choice(["x", "yy", "Don't know / Refused"], ROWS)), ["a"]),
        ("a star", answers(a=draw.choice(["low", "high", "*"], ROWS, p=[0.5, 0.4, 0.1])), ["a"]),
        ("a dash of most", answers(a=draw.choice(["flu", "cold", "-"], ROWS)), []),
        ("blood groups", answers(a=draw.choice(["A+", "0+", "-"], ROWS, p=[0.5, 0.4, 0.1])), []),
    ):
        assert made_of(table)[0].get("missing_codes", []) == codes, case
    # The file's own labels: of a number that stays one, and of a state with such a code.
    hours = np.append(np.arange(60), 888_888)
    codes = np.where(draw.random(ROWS) < 0.05, 60, draw.integers(0, 60, ROWS))
    states = np.array(["yes", "no", "refused"], dtype=object)

    def bare(code):
        """Three labelled answers, and a code without a label."""
        texts = ["never", "often", "always", code]
        known = dict(zip(texts, ["1", "2", "3", code], strict=True))
        places = np.where(draw.random(ROWS) < 0.05, 3, draw.integers(0, 3, ROWS))
        return Column(texts, places, ordered=True, declared=True, aliases=known)

    vote = Column(states[:2], draw.integers(0, 2, ROWS))
    for column, found in (
        (Column(hours, codes, aliases={"888888": "Don't know"}), ("888888",)),
        (Column(states, codes % 3, ordered=True, declared=True), None),
        *((bare(code), found) for code, found in (("99", ("99",)), ("-9", ("-9",)), ("4", None))),
        (Column(states, codes % 3, declared=True, aliases={"refused": "9"}), ("refused",)),
    ):
        table = Table(ROWS, {"x": column, "y": vote})
        steps = [s for s in suggest(health(table)).steps if isinstance(s, MissingCodes)]
        assert [s.codes for s in steps] == ([] if found is None else [(("x", found),)])


def test_texts_keep_their_names_and_their_natural_order():
    for states, change, kept in (
        (["007", "012", "n.a."], ("n.a.", "none"), ["007", "012", "none"]),
        (["007", "012", "13"], ("13", "014"), ["007", "012", "014"]),
        (["1.1", "1.10", "x"], ("x", "1.2"), ["1.1", "1.10", "1.2"]),
    ):
        frame = pd.DataFrame({"a": states * 9, "b": ["u", "v", "w"] * 9})
        labels = prepare(frame, [RecodeStates(("a",), (change,))]).data.labels[0]
        assert sorted(labels) == sorted(kept), states
    gone = MissingCodes((("a", ("n.a.",)),))
    for states, numeric in ((["007", "12", "n.a."], False), (["1.50", "2.25", "n.a."], True)):
        table = gone.apply(Table.of(pd.DataFrame({"a": states}))).table
        assert table.column("a").numeric == numeric, states
    assert sorted(["1_10", "1_9", "2_1"], key=natural_key) == ["1_9", "1_10", "2_1"]


def test_namibia_and_north_america_are_no_missing_cells():
    for others, kept, noted in (
        (("DE", "FR", "ZA", "BW"), True, True),
        (("EU", "AS", "OC"), True, True),
        (("ZA", "BW"), False, True),
        (("FR",), False, True),
        # States of the USA, and whatever else has two letters.
        (("CA", "DE", "IN", "MO"), False, False),
        (("NY", "TX"), False, False),
        (("ab", "cd"), False, False),
    ):
        assert bool(count_places((*others, "NA"))) == noted, others
        frame = answers(where=rng().choice((*others, "NA"), ROWS))
        table = read_columns(frame.to_csv(index=False).encode())[0]
        assert ("NA" in table.column("where").labels) == kept, others
        assert any("'NA' counts as" in note for note in table.notes) == noted, others


def test_intervals_in_every_usual_form():
    rising = """
        0|1|2|10; <20|20–39|40–59|≥60; <-3|-3 to -1|≥-1; 0|1–2|≥3; 1st|2nd|3rd;
        18-24|25-34|65+; under 5|5 to 10|over 10; 1e-05|0.001|0.5; 1,000|2,500|10,000;
        0-5|5-10|10-15; less than 1 year|1-2 years|3+ years;
        < 20k|20k–40k|≥ 40k; <20k|20-40k|40k+; <$500k|$500k-$1M|$1M+; under 18|18-24|65+;
        bis 20|20 bis unter 40|60 und mehr; $0 - $999|$1,000 - $1,999|$3,000 or more;
        bis 999|1.000 bis 1.999|2.000 und mehr; unter 1.000 €|1.000 bis 1.999 €|2.000 € und mehr;
        (17.999, 26.0]|(26.0, 34.0]|(34.0, 50.0]; [0,5)|[5,10)|[10,Inf); < 0,5|0,5–1,5|> 1,5;
        under 18 years old|18 to 24 years old|65 years or older;
        no children|1 child|2 children|3 or more children; never|once|twice|3 or more times;
        mild (5-9)|moderate (10–14)|severe (15-19); 0-5 (low)|6-10 (mid)|11+ (high);
        moins de 20|20 à 39|40 ou plus; menos de 20|20 a 39|40 y más; 0-25%|25-50%|50-100%;
        less than 6 months|6 months - 1 year|1-2 years|over 2 years; low: 0-3|mid: 4-6|high: 7-10;
        weniger als 1 Jahr|1 bis 3 Jahre|länger als 3 Jahre;
        1–3x per week|4–6x per week|7x or more per week;
        none (0)|mild (1-4)|severe (5+); no schooling|1-4 years|5-8 years|9+ years;
        ≤ 18|> 18 to 25|> 25; 18-<25|25-<35|35+; age 5-9|age 10-14|age 15+; <5 mg|5-10 mg|>10 mg
    """
    others = """
        0-9|5-14|10-19; 0-0|1-0|2-1; 1-2|1-3|3-4; 1st|2nd|3rd|Crew; n|y|(missing); 1|2|(missing);
        red|green|blue; a1|a2|a3; low|middle|high; ²|³|٣; 5 mg|10 mg|20 mg; 1,2|1,20|2,3;
        10 main street|20 park lane|30 hill road; 555-1234|555-2345|555-9999; ward 1|ward 2|ward 3;
        A+|B+|C+; 1 day|2 weeks|3 months; north 1-2|south 3-4|east 5-6;
        9|yes (1)|yes (2)
    """
    for cases, ordered in ((rising, True), (others, False)):
        for case in map(str.strip, cases.split(";")):
            states = case.split("|")
            found = order_intervals(sorted(states))
            assert found == (tuple(states) if ordered else None), case
    assert order_intervals(["", " ", "1"]) is None
    # Of amounts it is asked, as of numbers.
    report = health(answers(dose=rng().choice(["5 mg", "10 mg", "20 mg"], ROWS)))
    assert [one.advised for one in report.findings if one.kind == "ordered"] == [False]


def test_words_of_a_scale_with_more_and_less_than_them():
    for case in """
        less than high school|high school|some college|bachelor degree|graduate degree
        no high school diploma|high school diploma|bachelor’s degree|master’s degree or higher
        never|less than monthly|monthly|weekly|more often than weekly|daily
    """.strip().splitlines():
        states = case.strip().split("|")
        assert scale_of(sorted(states)) == tuple(states), case
        frame = answers(x=rng().choice(states, ROWS))
        data = made_of(frame)[1].data
        place = data.names.index("x")
        assert (data.labels[place], data.ordered[place]) == (tuple(states), True)


def test_remarks_below_a_table_with_many_empty_cells():
    draw = rng(3)
    table = answers(cough=draw.choice(["n", "y"], ROWS)).mask(draw.random((ROWS, 3)) < 0.25)
    for remarks in (
        ["Source: registry 2024"],
        ["n = 240", "Source: registry, 2024", "Note: draft"],
    ):
        text = with_lines(table, [(ROWS + 1 + k, f'"{one}",,') for k, one in enumerate(remarks)])
        kinds, made = made_of(text)
        assert "lines" in kinds, remarks
        assert made.data.rows <= ROWS, remarks
        assert not any({*remarks} & {*labels} for labels in made.data.labels), remarks
    half = (
        answers().replace({"N": "New York", "S": "Los Angeles"}).mask(draw.random((ROWS, 2)) < 0.5)
    )
    assert "lines" in made_of(with_lines(half, [(ROWS + 1, "Source: registry,")]))[0]
    # A word that only one person gave, and nothing else, is an answer.
    assert "lines" not in made_of(with_lines(table, [(ROWS + 1, "West,,")]))[0]
    # So are a few words, also beside others.
    for town in ({"N": "Graz", "S": "Wien"}, {"N": "Graz", "S": "Sankt Anton"}):
        towns = table.replace(town)
        for answer in ("Bad Ischl", "Sankt Veit/Glan"):
            assert "lines" not in made_of(with_lines(towns, [(ROWS + 1, f"{answer},,")]))[0]
        assert (
            "lines" in made_of(with_lines(towns, [(ROWS + 1, "Some towns are left out here,,")]))[0]
        )
    # So is a comment.
    comments = [f"I like the {k}th part" * (k % 3 + 1) for k in range(ROWS)]
    few = table.assign(comment=np.where(draw.random(ROWS) < 0.2, comments, None))
    assert "lines" not in made_of(with_lines(few, [(ROWS + 1, ",,,the longest comment of all")]))[0]


def test_what_few_wrote_in_a_field_is_left_out():
    other = [f"text number {k}" if k < 10 else None for k in range(ROWS)]
    kinds, made = made_of(answers(other=other))
    assert (kinds["text"], made.data.names) == (["other"], ("town", "sex"))
    assert "missing" not in kinds
    # A few answers that recur are no free text.
    assert "text" not in made_of(answers(other=["yes" if k % 5 else "no" for k in range(ROWS)]))[0]


def test_a_cross_table_is_found():
    counts = pd.DataFrame({"smoke": ["yes", "no"], "lung": [40, 10], "no lung": [20, 50]})
    total = counts.assign(Total=counts.sum(axis=1, numeric_only=True))
    line = pd.DataFrame([{"smoke": "Total", "lung": 50, "no lung": 70, "Total": 120}])
    # Items of persons with their sum.
    persons = pd.DataFrame(rng().integers(5, 9, (40, 2)), columns=["q1", "q2"])
    persons = persons.assign(score=persons.sum(axis=1), who=[f"P{k}" for k in range(40)])
    for table, severity in (
        (pd.concat([total, line]), "stop"),
        (total, "serious"),
        (pd.concat([counts, line.drop(columns="Total")]), "serious"),
        (persons, None),
        # A class, and five persons.
        (persons[:12].add_prefix("test").rename(columns={"testwho": "pupil"}), None),
        (pd.DataFrame({"name": [*"abcde"], "age": range(20, 25), "shoe": range(40, 45)}), None),
        (pd.DataFrame({"pupil": [*"abcde"], "art": range(20, 25), "maths": range(5)}), None),
        (counts, "serious"),
        (counts.assign(age=["old", "young"]), None),
        (counts.assign(lung=[0.4, 0.1]), None),
        (counts.assign(lung=[1, 2], **{"no lung": [3, 4]}), None),
    ):
        found = [one for one in health(table).findings if one.kind == "cross_table"]
        assert [one.severity for one in found] == ([severity] if severity else []), table
        assert all("frequency" in one.sentence for one in found)


def test_signs_among_yes_and_no():
    for states, sign, missing in (
        (("y", "n"), ".", True),
        (("y", "n"), "-", True),
        (("yes", "no"), "–", True),
        (("light", "heavy"), ".", True),
        # Of many rows, it may say that there is none.
        (("light", "heavy"), "-", False),
        (("+", "-"), "?", False),
    ):
        cells = rng().choice([*states, sign], ROWS, p=(0.4, 0.35, 0.25))
        found = made_of(answers(x=cells))[0].get("missing_codes", [])
        assert found == (["x"] if missing else []), (states, sign)


def test_columns_that_no_row_has_beside_the_others_are_left_out_and_not_imputed():
    # As REDCap exports patients and their visits.
    patient = pd.Series(range(ROWS)) % 12 == 0
    table = answers(county=rng(1).choice(["a", "b"], ROWS))
    table = table.mask(patient.to_numpy()[:, None] == [[True, True, False]])
    kinds, made = made_of(table)
    assert (kinds["apart"], made.data.names) == (["town", "county"], ("town", "sex"))
    # One row with both is enough to keep it, for a person to decide.
    table.loc[0, "town"] = "N"
    assert made_of(table.assign(sex=table["sex"].fillna("f")))[1].data.n == 3
    # Of a split ballot each half was asked another question.
    split = answers(a=rng(2).choice(["y", "n"], ROWS), b=rng(3).choice(["y", "n"], ROWS))
    split.loc[::2, "a"] = split.loc[1::2, "b"] = None
    kinds, made = made_of(split)
    assert (kinds["apart"], [*made.data.names]) == (["a", "b"], [n for n in split if n != "b"])
    split.loc[0, "a"] = "y"
    assert "apart" not in made_of(split)[0]
