"""The steps of a preparation cell by cell, for comparison."""

from bisect import bisect_right
from collections import Counter

import pandas as pd


def text(cell):
    """A cell as its state is called."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def cells_of(data):
    """The cells of a dataset as texts."""
    return [
        {n: data.labels[i][row[i]] for i, n in enumerate(data.names)} for row in data.codes.tolist()
    ]


class Oracle:
    """A list of rows; a missing cell is None, a mark where it was made a state."""

    MARK = object()

    def __init__(self, frame):
        self.grouped = set()
        self.rows = [
            {name: None if pd.isna(cell) else cell for name, cell in row.items()}
            for row in frame.to_dict("records")
        ]

    def cells(self, name):
        return [row[name] for row in self.rows if row[name] not in (None, self.MARK)]

    def change(self, name, how):
        for row in self.rows:
            if row[name] not in (None, self.MARK):
                row[name] = how(row[name])

    def apply(self, step):
        getattr(self, step.kind)(step)

    def roles(self, step):
        """What columns are; an order changes no cell."""
        if step.role == "group":
            self.grouped |= set(step.columns)
        elif step.role == "leave out":
            for row in self.rows:
                for name in step.columns:
                    del row[name]

    def missing(self, step):
        names = tuple(self.rows[0]) if self.rows else ()
        if step.how == "drop":
            self.rows = [row for row in self.rows if None not in [row[n] for n in names]]
            return
        self.drop_empty(names)
        for name in names:
            for row in self.rows:
                if row[name] is None:
                    row[name] = self.MARK

    def drop_empty(self, names):
        names = [name for name in names if name not in self.grouped]
        held = [row for row in self.rows if {row[n] for n in names} - {None, self.MARK}]
        self.rows = held if held and len(names) > 1 else self.rows

    def tidy(self, step):
        for name in step.columns:
            self.change(name, lambda cell: " ".join(cell.split()))
            counts = Counter(self.cells(name))
            usual = {
                cell: min(
                    (one for one in counts if one.casefold() == cell.casefold()),
                    key=lambda one: (-counts[one], one),
                )
                for cell in counts
            }
            self.change(name, usual.__getitem__)

    def merge_rare(self, step):
        for name in step.columns:
            counts = Counter(map(text, self.cells(name)))
            rare = {s for s, k in counts.items() if k < step.below and s != "other"}
            if any(k >= step.below for k in counts.values()) and len(rare) > (
                "other" not in counts
            ):
                self.change(name, lambda cell, rare=rare: "other" if cell in rare else cell)

    def bins(self, step):
        labels = ("<0.25", "0.25–4", "≥4")
        self.change("measured", lambda cell: labels[bisect_right(step.cuts, cell)])

    def missing_codes(self, step):
        for name, codes in step.codes:
            self.change(name, lambda cell, codes=codes: None if text(cell) in codes else cell)

    def recode(self, step):
        for name in step.columns:
            self.change(name, lambda cell: dict(step.pairs).get(text(cell), cell))

    def split(self, step):
        for name in step.columns:
            listed = [[p.strip() for p in row[name].split(",")] for row in self.rows if row[name]]
            parts = sorted({part for cell in listed for part in cell})
            for k, row in enumerate(self.rows):
                answers = row[name] and [part.strip() for part in row[name].split(",")]
                made = {
                    f"{name}: {part}": "yes" if answers and part in answers else "no"
                    for part in parts
                }
                cells = [made if one == name else {one: cell} for one, cell in row.items()]
                self.rows[k] = {one: cell for part in cells for one, cell in part.items()}

    def filter(self, step):
        self.rows = [row for row in self.rows if (row[step.column] in step.states) == step.keep]

    def frequencies(self, step):
        long = [dict(row) for row in self.rows for _ in range(int(row[step.column]))]
        self.rows = [{n: cell for n, cell in row.items() if n != step.column} for row in long]

    def multiple_choice(self, step):
        for row in self.rows:
            for name in step.columns:
                row[name] = "no" if row[name] is None else "yes"

    def table(self, *, groups):
        """The cells as texts, of groups or of variables."""
        missing = (None, self.MARK)
        return [
            {
                name: "(missing)" if cell in missing else text(cell)
                for name, cell in row.items()
                if (name in self.grouped) is groups
            }
            for row in self.rows
        ]
