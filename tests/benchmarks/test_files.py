"""The benchmark of large files, on small ones."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import files


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
