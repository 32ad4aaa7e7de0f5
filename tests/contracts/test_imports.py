"""Who may import whom, and from where."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("bjp_engine", "bjp_explorer")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def shipped() -> list[Path]:
    """Every Python file that a user installs."""
    folders = [ROOT / name for name in (*PACKAGES, "pages")]
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return [*files, *ROOT.glob("app.py")]


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def test_import_contracts() -> None:
    # In a process of its own: it sets up logging, which disables every logger that is there.
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    ran = subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "0 broken" in ran.stdout


# What is imported by another name than it is installed by.
IMPORTED_AS = {"arviz-stats": "arviz_stats", "scikit-learn": "sklearn"}
# Which file may import what only an extra installs.
OPTIONAL = {
    "distributed": {"bjp_engine/cluster.py"},
    "pgmpy": {"bjp_engine/parameters/network.py", "bjp_engine/sampling/from_pgmpy.py"},
}


def modules(requirements: list[str]) -> set[str]:
    """What requirements are imported as."""
    installed = {re.split(r"[\s<>=!~\[;]", one, maxsplit=1)[0].lower() for one in requirements}
    return {IMPORTED_AS.get(name, name) for name in installed}


def test_every_import_is_a_declared_dependency() -> None:
    core = modules(PROJECT["project"]["dependencies"]) | sys.stdlib_module_names | set(PACKAGES)
    app = core | modules(PROJECT["project"]["optional-dependencies"]["app"])
    strangers = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in shipped()
        for module in imported(path)
        if module.split(".")[0] not in (core if "bjp_engine" in path.parts else app)
        and str(path.relative_to(ROOT)) not in OPTIONAL.get(module.split(".")[0], ())
    }
    assert not strangers


def test_extras_hold_what_is_imported_only_if_it_is_there() -> None:
    extras = dict(PROJECT["project"]["optional-dependencies"])
    assert extras.pop("all") == [f"bjp-explorer[{','.join(sorted(extras))}]"]
    of_app = {name.split(".")[0] for path in shipped() for name in imported(path)}
    assert modules(extras.pop("app")) <= of_app
    assert modules([one for extra in extras.values() for one in extra]) == set(OPTIONAL)


def test_packages_never_import_pages_or_tests() -> None:
    above = {"app", "pages", "tests", "benchmarks"}
    wrong = {
        f"{path.relative_to(ROOT)}: {module}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for module in imported(path)
        if module.split(".")[0] in above
    }
    assert not wrong
