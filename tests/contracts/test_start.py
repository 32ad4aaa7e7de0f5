"""What a fresh process loads: a program that learns from an array waits for nothing else."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import bjp_engine as bjp

HEAVY = (
    *("pandas", "pyarrow", "openpyxl", "streamlit", "plotly", "pyvis", "pgmpy", "matplotlib"),
    *("scipy.special", "scipy.sparse", "scipy.stats", "scipy.optimize", "sklearn"),
    *("distributed", "dask"),
)
# One after another in one process; each may load nothing heavy, and numba brings the last with
# the first kernel.
LIGHT = (
    "import bjp_engine as bjp; before = dir(bjp)",
    "from bjp_engine import Dataset, learn, networks, read_table",
    "data = bjp.Dataset.from_codes([[0, 1], [1, 0]] * 9)",
    "data.digest, data.take([0]), data.select([1])",
    "bjp.metrics.hamming(*[bjp.networks.load('karate')] * 2)",
    "bjp.sampling.random_model(bjp.networks.load('karate'))",
    "bjp.io.trace_json(bjp.independence.IndependenceOptions())",
    "bjp.io.read_graph(b'source,target', 'csv')",
    "import bjp_engine.experiments",
)
KERNELS = tuple(f"bjp.learn(data, {method!r})" for method in ("bjp", "ib", "mpl"))
NAMES = """
import bjp_engine.progress, bjp_engine.warmup, bjp_engine.io, types
assert all(isinstance(m, types.ModuleType) for m in (bjp.progress, bjp.warmup, bjp.io, bjp.search))
assert callable(bjp.learn)
assert {'io', 'confidence', 'scores', 'search', 'read_table'} <= set(before)
assert all(hasattr(bjp, name) for name in before)
assert dir(bjp) == before
assert read_table is bjp.read_table is bjp.io.read_table
assert networks is bjp.networks
"""


def run(program):
    """What a program prints in a process of its own."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_nothing_heavy_is_loaded_before_it_is_needed_and_every_name_is_there():
    program = [f"import sys\nheavy = {(*HEAVY, 'threadpoolctl', 'scipy.linalg')}"]
    look = "print({!r}, [name for name in heavy if name in sys.modules])"
    program += [f"{code}\n{look.format(code)}" for code in LIGHT]
    program += [f"heavy = {HEAVY}", *(f"{code}\n{look.format(code)}" for code in KERNELS)]
    found = run("\n".join([*program, NAMES]))
    assert found.splitlines() == [f"{code} []" for code in (*LIGHT, *KERNELS)]


def test_a_process_that_reads_a_file_loads_little(tmp_path):
    table = pa.table({"a": ["x", None, "y"], "b": [1, 2, None], "c": ["u", "u", "v"]})
    table = table.set_column(2, "c", table["c"].dictionary_encode())
    pq.write_table(table, path := tmp_path / "a.parquet")
    # It begins as `child._START` does: without what the packages themselves import.
    engine = Path(bjp.__file__).parent
    folders = {"bjp_engine": str(engine), "bjp_engine.io": str(engine / "io")}
    heavy = ({*HEAVY} - {"pyarrow", "pandas"}) | {"numba", "networkx"}
    program = (
        "import sys; from pathlib import Path; from types import ModuleType\n"
        f"for name, folder in {folders}.items():\n"
        "    sys.modules[name] = package = ModuleType(name)\n"
        "    package.__path__ = [folder]\n"
        "from bjp_engine.io import limits, options, sources, tables\n"
        f"file = sources.Content(b'PAR1', 'a.parquet', Path({str(path)!r}))\n"
        "how = options.ReadOptions(), limits.Limits()\n"
        "found = tables._read_apart(lambda _: None, file, *how)\n"
        "assert found[:2] == (['a', 'b', 'c'], 3), found\n"
        f"print({heavy} & set(sys.modules))"
    )
    assert run(program) == "set()\n"
