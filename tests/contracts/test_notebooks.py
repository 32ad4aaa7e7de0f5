"""The notebooks run as they are; that of a questionnaire is run on other tables and checked."""

import csv
import json
import re
from pathlib import Path

import nbclient
import nbformat
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.parameters.effects import INFINITE

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOK = FOLDER / "questionnaire.ipynb"
SAMPLES = bjp.resources.sample_data() / "datasets"
# Published by Bickel, Hammel & O'Connell (1975): admitted and rejected men, then women.
BERKELEY = {
    "A": (512, 313, 89, 19),
    "B": (353, 207, 17, 8),
    "C": (120, 205, 202, 391),
    "D": (138, 279, 131, 244),
    "E": (53, 138, 94, 299),
    "F": (22, 351, 24, 317),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.ipynb")))
def test_a_notebook_runs_and_prints_what_is_stored(name):
    def printed(notebook):
        outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
        return [one["text"] for one in outputs if one["output_type"] == "stream"]

    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert "/tmp/" not in text
    assert "Traceback" not in text
    stored, fresh = (nbformat.reads(text, 4) for _ in range(2))
    nbclient.NotebookClient(fresh, timeout=None, resources={"metadata": {"path": "."}}).execute()
    assert printed(fresh) == printed(stored) != []


def run(path, by, method="exact", permutations=59):
    """What the notebook computes of a table."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    _, *code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names = {"bjp": bjp, "FILE": path, "SOURCE": "a test", "MISSING": "state", "BY": by}
    names |= {"PERMUTATIONS": permutations, "REPEATS": 20, "METHOD": method}
    for source in code:
        exec(source, names)
    check(names, path, by)
    return names


def check(names, path, by):
    """Compare the notebook's numbers with the rows, and the paragraph with the numbers."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False).replace("", "(missing)")
    data, network, answer = (names[name] for name in ("data", "network", "answer"))
    assert len(frame) == data.rows
    paper = dict(part.split(". ", 1) for part in names["paragraph"].split("\n\n"))
    # Verdicts.
    pairs, sure = np.triu_indices(data.n, 1), names["probabilities"]
    judged = sure.matrix[pairs][sure.judged[pairs]]
    counted = re.findall(r"([\d,]+) (?:is|are) (\w+)", paper["Results"])
    said = {word: int(n.replace(",", "")) for n, word in counted}
    assert said.get("present", 0) == (judged >= 0.9).sum()
    assert said.get("absent", 0) == (judged <= 0.1).sum()
    assert said.get("undecided", 0) == ((judged > 0.1) & (judged < 0.9)).sum()
    # The strongest effect of each kind, of those that have a finite estimate.
    effects = names["effects"]
    for kind, rows in effects[effects["doubt"] != INFINITE].groupby("kind"):
        top = rows.loc[rows["effect"].abs().idxmax()]
        named = f"{top['x']} – {top['y']} {top['effect']:.2f} [{top['low']:.2f}, {top['high']:.2f}]"
        named = named.replace("-", "−")
        assert named in paper["Results"], (kind, named)
    # Probabilities given evidence, by every joint state where there are few.
    first = data.names[0]
    state = names["evidence"][first]
    shares = answer.set_index(["variable", "state"])["share in the data"]
    part = frame[frame[first] == state]
    for name in data.names[1:3]:
        for value, share in part[name].value_counts(normalize=True).items():
            assert shares[name, value] == pytest.approx(share)
    if np.prod(data.cardinalities, dtype=float) <= 2048:
        joint = network.model.joint()[data.labels[0].index(state)]
        for i, name in enumerate(data.names[1:]):
            given = joint.sum(axis=tuple({*range(joint.ndim)} - {i})) / joint.sum()
            found = answer["probability"][answer["variable"] == name]
            assert found.to_numpy() == pytest.approx(given, abs=1e-9)
    # Groups, and how well variables are predicted.
    sizes = frame[by].value_counts()
    for (a, b), one in names["compared"].pairs.items():
        assert (one.rows_a, one.rows_b) == tuple(sizes[name.split(" = ")[1]] for name in (a, b))
        assert one.p in (np.arange(60) + 1) / 60
        named = f"networks of {a} (n = {one.rows_a:,}) and {b} (n = {one.rows_b:,})"
        assert named in paper["Results"]
    for row in names["predicted"].itertuples():
        shares = frame[str(row.variable)].value_counts(normalize=True)
        # Of nearly equal states, the commonest of a part of the rows may be another one.
        alike = shares.iloc[0] - shares.iloc[1] < 0.15
        low = shares.iloc[1] - 0.15 if alike else shares.iloc[0] - 0.05
        assert low < row.majority < shares.iloc[0] + 0.05
    assert names["stability"].describe() in paper["Results"]


def write(path, names, rows):
    """A table as a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return path


@pytest.mark.slow
def test_berkeley_admissions(tmp_path):
    import statsmodels.api as sm
    import statsmodels.formula.api as smf

    cells = [
        (dept, sex, admitted, counts[2 * s + a])
        for dept, counts in BERKELEY.items()
        for s, sex in enumerate(("male", "female"))
        for a, admitted in enumerate(("yes", "no"))
    ]
    rows = (cell[:3] for cell in cells for _ in range(cell[3]))
    names = run(write(tmp_path / "berkeley.csv", ["dept", "sex", "admitted"], rows), "sex")
    edges = {frozenset(edge) for edge in names["trace"].graph.edges}
    # What the table is known for: given the department, admission hardly depends on sex.
    assert {frozenset(("dept", "sex")), frozenset(("dept", "admitted"))} <= edges
    # Fitted frequencies are those of the log-linear model.
    table = pd.DataFrame(cells, columns=["dept", "sex", "admitted", "n"])
    terms = " + ".join(":".join(f"C({name})" for name in sorted(edge)) for edge in edges)
    formula = f"n ~ C(dept) + C(sex) + C(admitted) + {terms}"
    fitted = smf.glm(formula, table, family=sm.families.Poisson()).fit().fittedvalues
    wanted = fitted.groupby(table["admitted"]).sum() / fitted.sum()
    found = names["network"].query().query("variable == 'admitted'").set_index("state")
    for state, share in wanted.items():
        assert found["probability"][state] == pytest.approx(share, abs=2e-3)


@pytest.mark.slow
def test_a_questionnaire_of_which_the_truth_is_known(tmp_path):
    rng = np.random.default_rng(8)
    n = 1200
    sex = rng.integers(0, 2, n)
    smokes = rng.random(n) < 0.4
    coughs = rng.random(n) < np.where(smokes, 0.7, 0.2)
    runs = rng.random(n) < np.where(smokes, 0.2, 0.6)
    # Only women who run sleep well.
    sleeps = rng.random(n) < np.where(sex == 0, np.where(runs, 0.85, 0.25), 0.5)
    coin = rng.random(n) < 0.5
    answers = np.where([smokes, coughs, runs, sleeps, coin], "yes", "no")
    rows = zip(np.where(sex == 0, "woman", "man"), *answers, strict=True)
    variables = ["sex", "smokes", "coughs", "runs", "sleeps", "coin"]
    names = run(write(tmp_path / "survey.csv", variables, rows), "sex")
    verdict = {frozenset((row.x, row.y)): row.verdict for row in names["verdicts"].itertuples()}
    effects = {frozenset((row.x, row.y)): row.effect for row in names["effects"].itertuples()}
    for other, sign in (("coughs", 1), ("runs", -1)):
        pair = frozenset(("smokes", other))
        assert (verdict[pair], effects[pair] * sign > 1) == ("present", True), other
    assert "present" not in {word for pair, word in verdict.items() if "coin" in pair}
    (one,) = names["compared"].pairs.values()
    assert one.p_edges <= 1 / 60 + 1e-12
    assert set(one.edges.iloc[0][["x", "y"]]) == {"runs", "sleeps"}
    assert "runs and sleeps" in names["paragraph"]
    predicted = names["predicted"].set_index("variable")["normalised"]
    assert predicted["coin"] < 0.1 < predicted["coughs"]


# The senate's graph is too dense for exact answers, and chains of 400 sweeps do not mix on it.
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_samples():
    for name, by, method in (
        ("coronary", "smoking", "exact"),
        ("titanic", "Sex", "exact"),
        ("senate109", "Mccain_AZ", "gibbs"),
    ):
        run(SAMPLES / f"{name}.csv", by, method, permutations=19)
