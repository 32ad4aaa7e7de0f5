"""docs/reproduction.md and the results that are shipped: made by the commands that they name."""

import re
import tomllib

import pytest

from bjp_engine.experiments import TABLES, claims, read_experiment, read_results, summaries
from bjp_engine.experiments.runs import Job, Row, run_job
from bjp_engine.experiments.summary import gaps
from bjp_engine.resources import sample_data
from docs.make_reproduction import renewed
from tests.contracts.recipes import ROOT

PAGE = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shipped():
    return read_results(sample_data("paper", "results.parquet"))


def test_the_shipped_results_are_the_paper_s_whole_design(shipped):
    assert dict(shipped.experiments) == dict(TABLES)
    assert len(shipped) == shipped.expected == 36_000


def test_the_shipped_rows_come_out_again(shipped):
    names = [name for name in Row._fields if name not in ("seconds", "version")]
    for table, network, d, s in (
        ("table-1", "target-6", 9, 9),
        ("table-2", "hub-3", 3, 0),
        ("table-3", "scale-free-4", 0, 7),
        ("table-4", "curtis-54", 5, 2),
    ):
        experiment = TABLES[table]
        kept = shipped.where(experiment=table, network=network, distribution=d, sample=s)
        found = set(kept.to_frame()[names].itertuples(index=False, name=None))
        again = run_job(Job(experiment, network, d, s))
        assert {tuple(getattr(row, name) for name in names) for row in again} == found, table
        assert len(found) == 18, table


def test_the_page_s_tables_are_the_results(shipped):
    assert renewed(PAGE, shipped) == PAGE
    assert PAGE.count("<!-- /") == 5


def test_what_the_page_promises(shipped):
    compared = summaries(shipped)
    real = compared["agrees"][compared["experiment"].isin(["table-3", "table-4"])]
    assert len(real) == 180
    assert real.mean() >= 0.85
    rates = gaps(compared[compared["experiment"] == "table-1"])
    assert sum(rates.values()) / len(rates) < 0.08
    found = [*claims(shipped).itertuples()]
    for rival, kind in (("mpl", "fewer errors"), ("ib", "grows with n"), ("mpl", "grows with n")):
        verdicts = {c.verdict for c in found if (c.rival, c.kind) == (rival, kind)}
        assert verdicts == {"holds"}
    assert {c.verdict for c in found if c.kind == "fewer tests"} == {"holds"}
    refuted = [c.scope for c in found if c.verdict == "refuted"]
    assert refuted == ["scale-free-1"]
    ratios = [c.estimate for c in found if c.kind == "fewer tests"]
    assert (round(min(ratios), 1), round(max(ratios), 1)) == (1.4, 2.1)


def test_the_experiment_on_the_page_can_be_read(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    experiment = read_experiment(tmp_path / "mine.toml")
    assert experiment.name == tomllib.loads(text)["name"]
    assert experiment.size == 2 * 2 * 10 * 5 * 3


def test_the_code_on_the_page_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "reproduction.md", "exec"), {})
