"""`python -m tests.lowest`: the tests on the lowest versions that pyproject.toml allows.

It is run once a release and takes a quarter of an hour. tests/lowest.lock pins these versions and
all that they stand on; after a change of a bound, `python -m tests.lowest --lock` writes it again.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "tests" / "lowest.lock"
UV = Path(sys.executable).with_name("uv")
TOOLS = """
pytest>=9
hypothesis>=6.140
mpmath>=1.3
packaging>=25
nbformat>=5.10
nbclient>=0.10
ipykernel>=7
"""
COMPILE = (
    *("pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
    *("--fork-strategy", "fewest", "--resolution", "lowest-direct", "--all-extras"),
    *("--no-emit-index-url", "--no-annotate"),
    *("--custom-compile-command", "python -m tests.lowest --lock"),
    *("pyproject.toml", "-", "--output-file", str(LOCK.relative_to(ROOT))),
)
# What meets each dependency: files, frames, solvers, compiled code, figures, pages.
FOLDERS = (
    *("engine/io", "engine/parameters", "engine/sampling", "engine/scores"),
    *("app/downloads", "app/scores", "app/step"),
)


def main():
    """Pin the versions, or run the tests on them; 0 where all pass."""
    if sys.argv[1:] == ["--lock"]:
        return subprocess.run([UV, *COMPILE], cwd=ROOT, input=TOOLS, text=True).returncode  # noqa: PLW1510
    tests = [f"tests/{name}" for name in FOLDERS]
    tests += sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/engine/test_*.py"))
    with tempfile.TemporaryDirectory() as folder:
        python = make_environment(Path(folder))
        return run_tests(python, *tests).returncode


def make_environment(folder):
    """The Python of a new environment with the pinned versions and this checkout.

    Packages come from the index, so this needs a network, as `make test` does at first.
    """
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [UV, "pip", "install", "--quiet", "--python", python]
    for command in (
        [UV, "venv", "--quiet", "--python", sys.executable, folder],
        [*install, "--requirements", LOCK],
        [*install, "--no-deps", "--editable", ROOT],
    ):
        subprocess.run(command, cwd=ROOT, check=True)
    return python


def run_tests(python, *tests, **options):
    """Fast tests in an environment, with compiled code of their own."""
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    # An old package calls new ones by names that they have deprecated since.
    command += ["-W", "ignore::DeprecationWarning"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(python.parents[1] / "compiled")}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, text=True, **options)


if __name__ == "__main__":
    sys.exit(main())
