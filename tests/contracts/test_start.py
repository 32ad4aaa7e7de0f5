"""What a fresh process loads: a program that learns from an array waits for nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bjp_engine as bjp

HEAVY = (
    *("pandas", "pyarrow", "openpyxl", "streamlit", "plotly", "pyvis", "pgmpy", "matplotlib"),
    *("scipy.special", "scipy.sparse", "scipy.stats", "scipy.optimize", "sklearn"),
)
# numba brings scipy's top package when it is imported, and this part with the first kernel.
BLAS = "scipy.linalg"
CODED = "import bjp_engine as bjp; data = bjp.Dataset.from_codes([[0, 1], [1, 0]] * 9)"


def printed(program: str) -> str:
    """What a program prints in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stderr == ""
    return run.stdout.strip()


def loaded(program: str, among: tuple[str, ...]) -> str:
    """Which modules a program has loaded at its end."""
    return printed(f"{program}; import sys; print([m for m in {among} if m in sys.modules])")


@pytest.mark.parametrize(
    "program",
    [
        "import bjp_engine",
        "from bjp_engine import Dataset, learn, networks, read_table",
        f"{CODED}; data.digest, data.take([0]), data.select([1])",
        "import bjp_engine as bjp; bjp.metrics.hamming(*[bjp.networks.load('karate')] * 2)",
        "import bjp_engine as bjp; bjp.sampling.random_model(bjp.networks.load('karate'))",
        "import bjp_engine as bjp; bjp.io.trace_json(bjp.independence.TestOptions())",
        "import bjp_engine as bjp; bjp.io.read_graph(b'source,target', 'csv')",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(program: str) -> None:
    assert loaded(program, (*HEAVY, BLAS)) == "[]"


@pytest.mark.parametrize("method", ["bjp", "ib", "mpl"])
def test_nothing_heavy_is_loaded_to_learn(method: str) -> None:
    assert loaded(f"{CODED}; bjp.learn(data, {method!r})", HEAVY) == "[]"


def test_a_process_that_reads_a_file_loads_little(tmp_path: Path) -> None:
    table = pa.table({"a": ["x", None, "y"], "b": [1, 2, None], "c": ["u", "u", "v"]})
    table = table.set_column(2, "c", table["c"].dictionary_encode())
    pq.write_table(table, path := tmp_path / "a.parquet")
    # It begins as `child._START` does: without what the packages themselves import.
    engine = Path(bjp.__file__).parent
    folders = {"bjp_engine": str(engine), "bjp_engine.io": str(engine / "io")}
    program = (
        "import sys; from pathlib import Path; from types import ModuleType\n"
        f"for name, folder in {folders}.items():\n"
        "    sys.modules[name] = package = ModuleType(name)\n"
        "    package.__path__ = [folder]\n"
        "from bjp_engine.io import child, limits, options, parquet\n"
        "sent, guard = [], limits.Guard(limits.Limits())\n"
        f"parquet.send_columns(sent.append, Path({str(path)!r}), options.ReadOptions(), guard)\n"
        "assert sent[0][0] == ['a', 'b', 'c'], sent"
    )
    heavy = tuple(name for name in HEAVY if name != "pyarrow")
    assert loaded(program, (*heavy, "numba", "networkx")) == "[]"


def test_every_name_is_there_though_it_is_loaded_late() -> None:
    program = (
        "import bjp_engine as bjp\n"
        "before = dir(bjp)\n"
        "assert {'io', 'confidence', 'scores', 'search', 'read_table'} <= set(before)\n"
        "assert all(hasattr(bjp, name) for name in before)\n"
        "assert dir(bjp) == before\n"
        "from bjp_engine import networks, read_table\n"
        "print(read_table is bjp.read_table is bjp.io.read_table, networks is bjp.networks)"
    )
    assert printed(program) == "True True"


def test_modules_are_not_hidden_by_functions_of_their_name() -> None:
    program = (
        "import bjp_engine.progress, bjp_engine.warmup, bjp_engine.io, bjp_engine as bjp, types\n"
        "modules = bjp.progress, bjp.warmup, bjp.io, bjp.search\n"
        "print(all(isinstance(one, types.ModuleType) for one in modules), callable(bjp.learn))"
    )
    assert printed(program) == "True True"


def test_an_unknown_name_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="'bjp_engine' has no attribute 'lern'"):
        bjp.lern  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="lern"):
        exec("from bjp_engine import lern")
