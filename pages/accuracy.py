"""How good is it? Other packages, probabilities, the best possible, and the paper's tables."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.accuracy import calibration, limit, packages, paper
from bjp_explorer.accuracy.packages import DISTRIBUTIONS, FAR, SETTINGS
from bjp_explorer.app import frame
from bjp_explorer.shell import caches, links
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.shell.text import count
from bjp_explorer.views.palette import current
from bjp_explorer.views.sections import show_contents, show_heading

VIEWS = {
    "others": "Better than other packages?",
    "calibration": "Are its probabilities right?",
    "limit": "How far from the best possible?",
    "paper": "As in the paper?",
}
VIEW = OneOf("view", "accuracy-view", "others", VIEWS)
KINDS = {"": calibration.ALL_KINDS} | {kind: name for kind, (name, _) in DISTRIBUTIONS.items()}
KIND = OneOf("kind", "accuracy-kind", "", KINDS)
SIZES = {0: "any rows"} | {k: f"{k:,} rows" for k in sorted(set(calibration.read()["rows"]))}
SIZE = OneOf("size", "accuracy-size", 0, SIZES)
NUMBERS = {table: table.removeprefix("table-") for table in paper.TABLES}
TABLE = OneOf("table", "accuracy-paper", "table-1", paper.TABLES, NUMBERS)
FIELDS = (VIEW, KIND, SIZE, TABLE)
# Pixels of a column of the paper's table, by the length of its name: a letter, and the least.
LETTER, LEAST = 8.5, {"network": 100, "N": 60}


def compare_packages() -> None:
    """The engine's searches beside other packages, on data whose network is known."""
    sections = {
        "loses": "Where it loses",
        "methods": "All methods",
        "time": "Accuracy and time",
        "how": "How it was done",
    }
    found = packages.read()
    table = found.standings(found.usual)
    parts = [(found.title(str(name)), row) for name, row in table.iterrows()]
    st.markdown(packages.finding(found, table))
    show_contents(st.container(horizontal=True), sections)
    groups = count(len(found.common(found.usual)) // len(table), "group")
    st.caption(
        "Wrong edges (missed or spurious) per true edge: 0 is perfect, 1 is an empty graph. Points "
        f"are the {groups} of data for which all these methods have a result, bars their means; "
        f"points beyond {FAR} are drawn at the right edge."
    )
    shares = "; ".join(f"{title} {row['share']:.2f}" for title, row in parts)
    st.plotly_chart(
        caches.drawn(("strips", palette), lambda: packages.strips(found, table, palette)),
        key="accuracy-strips",
        config=SETTINGS,
        alt=f"Mean wrong edges per true edge, lowest first: {shares}.",
    )
    show_heading(sections, "loses")
    st.markdown(packages.defeats(found))
    show_heading(sections, "methods")
    subject = found.title(packages.SUBJECT)
    st.caption(
        "“Closest” counts the groups where no other method was closer to the true network, ties "
        f"included. The last column counts the groups that {subject} wins, ties and loses against "
        "the method."
    )
    st.dataframe(
        packages.summary(found, table),
        hide_index=True,
        key="accuracy-table",
        column_config=packages.SUMMARY_COLUMNS,
    )
    show_heading(sections, "time")
    st.caption(
        "The numbers are those of the table. Filled marks are this engine’s. Lower is closer to "
        "the true network, left is faster: processor time on one core, without start-up and "
        "reading."
    )
    seconds = "; ".join(f"{title} {row['seconds']:.3g} s" for title, row in parts)
    st.plotly_chart(
        caches.drawn(("times", palette), lambda: packages.times(found, table, palette)),
        key="accuracy-times",
        config=SETTINGS,
        alt=f"Median seconds per search, closest to the true network first: {seconds}.",
    )
    show_heading(sections, "how")
    st.markdown(packages.how(found))


def show_probabilities() -> None:
    """Of the pairs with some probability, how many are edges."""
    found, place = calibration.read(), st.container()
    row = st.container(horizontal=True, vertical_alignment="center")
    kind = KIND.menu(row, "How the data were made", width=220)
    rows = SIZE.menu(row, "Rows", width=140)
    chosen = calibration.select(found, kind, rows)
    place.markdown(calibration.finding(chosen))
    st.caption(
        "Pairs of variables from known networks, in ten bins by calibrated probability. On the "
        "dotted line the probability is right: of the pairs with 0.7, 70 % are edges. A number "
        "counts the pairs of a bin; bars are two standard errors. Bins of fewer than 20 pairs are "
        "left out."
    )
    bins = calibration.bins(chosen).itertuples()
    shares = "; ".join(f"{each.probability:.2f}: {each.share:.2f}" for each in bins)
    st.plotly_chart(
        calibration.diagram(chosen, palette),
        key="accuracy-diagram",
        config=SETTINGS,
        alt=f"Share of edges by mean calibrated probability: {shares}.",
    )
    st.subheader("Where they fall short", anchor=False)
    st.markdown(calibration.falls_short(found))
    st.dataframe(
        calibration.by_kind(calibration.select(found, "", rows)),
        hide_index=True,
        key="accuracy-kinds",
        column_config=calibration.COLUMNS,
    )
    st.caption(
        "“Off by” is the expected calibration error in percentage points: how far the bins’ mean "
        "probabilities are from their shares of edges, the mean over all pairs. Nothing was fitted "
        "to these samples, though some were looked at while terms were chosen; "
        "`docs/calibration.md` has more."
    )


def show_limit() -> None:
    """How many wrong edges nobody can avoid."""
    found = limit.read()
    st.markdown(limit.finding(found))
    st.caption(limit.describe(found))
    st.plotly_chart(
        limit.chart(found, palette),
        key="accuracy-limit",
        config=SETTINGS,
        alt="Wrong edges per true edge by number of rows, as in the table below.",
    )
    st.table(limit.table(found), border="horizontal", hide_index=True)


def show_paper() -> None:
    """The included results of the paper's tables beside its figures, and the command."""
    row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    name = TABLE.buttons(row, "Table of the paper")
    links.copy_button(row)
    found = paper.read()[name]
    st.markdown(paper.finding(found))
    st.markdown(paper.ABOUT[name])
    st.plotly_chart(
        paper.chart(found, palette),
        key="accuracy-paper-chart",
        config=SETTINGS,
        alt="Our figures against the paper’s, as in the table below.",
    )
    near = "within 10 % of its Hamming distance, or "
    st.caption(
        "Bars are a standard error; on the dotted line both figures are equal. In the table, ± is "
        "the standard error of our mean, or the number that the paper prints after ±; Δ is ours "
        "minus the paper’s. A figure agrees "
        f"{near if found.experiment.measure == 'hamming' else ''}within three standard errors of "
        "the difference; ▲ marks figures of ours above that range, ▼ figures below it."
    )
    table = caches.drawn((name, palette), lambda: paper.table(found, palette))
    st.dataframe(
        table,
        hide_index=True,
        key="accuracy-paper-table",
        height=420,
        column_config={
            name: st.column_config.TextColumn(
                width=LEAST.get(name, max(92, round(LETTER * len(name)))),
                alignment="right" if k else "left",
                pinned=k < 2,
            )
            for k, name in enumerate(table.columns)
        },
    )
    st.markdown(
        f"{paper.design(found.experiment)} These results come with the app. This command computes "
        "them, and `bjp report results` shows them with the paper’s claims:"
    )
    st.code(f"bjp experiment {name} --out results", language=None)


SHOW = {
    "others": compare_packages,
    "calibration": show_probabilities,
    "limit": show_limit,
    "paper": show_paper,
}
links.read(FIELDS)
frame.heading("The engine on data from known networks, where every wrong edge can be counted.")
palette = current()
SHOW[VIEW.buttons(st, "Question", label_visibility="collapsed", wrap=True)]()
links.keep(FIELDS)
