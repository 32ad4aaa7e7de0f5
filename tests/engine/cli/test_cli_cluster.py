"""`bjp learn --scheduler`: the same lines as from the same rows in one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bjp_engine.cli import main
from tests.clusters import local_client, sharded_table


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with local_client(2, processes=False) as client:
        yield client.scheduler.address


@pytest.fixture
def pattern(tmp_path: Path) -> str:
    table = sharded_table(400)
    table.to_csv(tmp_path / "whole.csv", index=False)
    (tmp_path / "parts").mkdir()
    for k in range(3):
        table.iloc[k * 150 : (k + 1) * 150].to_csv(tmp_path / "parts" / f"{k}.csv", index=False)
    return str(tmp_path / "parts" / "*.csv")


def run(capsys: pytest.CaptureFixture[str], *arguments: Any) -> list[str]:
    """What a command prints, without the name of its file and the time that it took."""
    assert main(["learn", *map(str, arguments)]) == 0
    lines = capsys.readouterr().out.splitlines()
    return [lines[0].rpartition(": ")[2], lines[1].rpartition(" in ")[0], *lines[2:]]


@pytest.mark.parametrize(
    "how",
    [
        ("--search", "ibmap-hc", "--confidence", "bootstrap", "--resamples", "2"),
        ("--confidence", "calibrated", "--paper"),
    ],
)
def test_the_same_as_from_one_file(
    how: tuple[str, ...],
    scheduler: str,
    pattern: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    expected = run(capsys, tmp_path / "whole.csv", *how)
    assert run(capsys, pattern, "--scheduler", scheduler, *how) == expected
    assert expected[0] == "400 rows, 8 variables"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--prepare", "suggested"), "--prepare looks at single rows"),
        (("--missing", "impute"), "--missing impute looks at single rows"),
    ],
)
def test_what_needs_rows_is_refused(
    more: tuple[str, ...],
    sentence: str,
    scheduler: str,
    pattern: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["learn", pattern, "--scheduler", scheduler, *more]) == 2
    assert sentence in capsys.readouterr().err


def test_a_pattern_without_a_cluster(pattern: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", pattern]) == 2
    assert "is a pattern of files; name one file, or" in capsys.readouterr().err


def test_what_is_no_address(pattern: str, capsys: pytest.CaptureFixture[str]) -> None:
    for scheduler in ("nowhere", "tcp://", "tcp://here:1x"):
        assert main(["learn", pattern, "--scheduler", scheduler]) == 2
        assert capsys.readouterr().err.strip() == (
            f"bjp: scheduler='{scheduler}' is no address; give one such as 'tcp://host:8786'."
        )
