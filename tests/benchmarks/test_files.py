"""The benchmarks of large files, on small ones."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import files, tables


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_is_read_prepared_and_learned_from(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"small.{kind}"
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})
    getattr(table, f"to_{kind}")(path, index=False)
    size, *seconds, codes, peak = files._measured(str(path))
    assert size == path.stat().st_size / 2**20
    assert len(seconds) == 3
    assert min(seconds) > 0
    assert codes == 200 / 2**20
    assert peak > 1


def test_reading_is_compared_with_pandas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, small in (("ROWS", 60), ("SHORT", 40), ("WIDE", 7)):
        monkeypatch.setattr(tables, name, small)
    monkeypatch.setattr(tables, "_alone", lambda work, *given: work(*given))
    written: list[str] = []
    monkeypatch.setattr(tables.marked, "write", lambda *given: written.append(given[2]))
    assert tables.main() == 0
    assert written[0] == capsys.readouterr().out.strip()
    assert [line.split(" | ")[0] for line in written[0].splitlines()[2:]] == [
        "| 60 × 30",
        "| 40 × 30, every cell quoted",
        "| 40 × 30, a blank line in it",
        "| 5 × 7",
    ]
