"""What the repository holds, imports, pins and promises."""

import json
import os
import re
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.contracts.recipes import ROOT

LARGEST = 1_000_000  # bytes
# Written in halves, so that this file does not find itself.
MACHINE_PATHS = re.compile(
    "|".join(("/ho" + r"me/\w", "/Us" + r"ers/\w", "/ro" + r"ot\b", "/wo" + r"rk/\w"))
)
LOCKS = ("requirements.lock", "requirements-dev.lock")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def project():
    return tomllib.loads(text("pyproject.toml"))


def committed():
    """Every file that .gitignore does not name, with or without git."""
    lines = [line.rstrip("/") for line in text(".gitignore").splitlines() if line[:1] != "#"]

    def is_ignored(place):
        return any(fnmatch(name, line) for line in lines for name in (place.name, str(place)))

    lines += [".git"]
    for folder, folders, files in os.walk(ROOT):
        place = Path(folder).relative_to(ROOT)
        folders[:] = [name for name in folders if not is_ignored(place / name)]
        found = (ROOT / place / name for name in files if not is_ignored(place / name))
        yield from (file for file in found if file.is_file())


def pins(lock):
    """The versions in a lock file, by distribution."""
    lines = text(lock).splitlines()
    pairs = [line.split(";")[0].split("==") for line in lines if line and line[0] not in " #"]
    # Of several for one package, the first is that of the oldest Python.
    return {canonicalize_name(name): version.strip() for name, version in reversed(pairs)}


def test_no_file_names_a_path_of_a_machine_is_large_or_cannot_be_parsed():
    files = list(committed())
    assert {ROOT / "Makefile", ROOT / ".ci" / "run", Path(__file__).resolve()} <= set(files)
    assert not [path for path in files if path.stat().st_size > LARGEST]
    for path in files:
        lines = path.read_bytes().decode(errors="replace").splitlines()
        named = [number for number, line in enumerate(lines, 1) if MACHINE_PATHS.search(line)]
        assert not named, f"{path}:{named}"
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix == ".toml":
            tomllib.loads(path.read_text(encoding="utf-8"))


def test_the_locks_name_no_host_and_satisfy_what_pyproject_asks_for():
    for lock in LOCKS:
        assert "://" not in text(lock), lock
        assert " @ " not in text(lock), lock
        assert not re.search(r"^--", text(lock), re.MULTILINE), lock
    groups, extras = project()["dependency-groups"], project()["project"]["optional-dependencies"]
    runtime = [*project()["project"]["dependencies"], *extras["app"], *groups["build"]]
    everything = [*runtime, *groups["dev"], *groups["docs"]]
    everything += project()["build-system"]["requires"]
    for lock, asked in zip(LOCKS, (runtime, everything), strict=True):
        pinned = pins(lock)
        for requirement in map(Requirement, asked):
            version = pinned[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), f"{lock}: {requirement}"
    # The tests run on the versions that users get.
    assert pins(LOCKS[0]).items() <= pins(LOCKS[1]).items()

    # Those of the command that tries the lowest versions are the bounds themselves.
    lowest = pins("tests/lowest.lock")
    for requirement in map(Requirement, [*project()["project"]["dependencies"], *extras["app"]]):
        (bound,) = (Version(one.version) for one in requirement.specifier)
        found = lowest[canonicalize_name(requirement.name)]
        assert Version(found).release[: len(bound.release)] == bound.release, requirement


PACKAGES = ("bjp_engine", "bjp_explorer")
# What is imported by another name than it is installed by.
IMPORTED_AS = {
    "scikit-learn": "sklearn",
    "pyyaml": "yaml",
    "pillow": "PIL",
    "import-linter": "importlinter",
    "myst-nb": "myst_nb",
    "causal-learn": "causallearn",
}
# Which file may import what only an extra installs.
OPTIONAL = {
    "distributed": {"bjp_engine/cluster.py"},
    "pgmpy": {"bjp_engine/parameters/network.py", "bjp_engine/sampling/__init__.py"},
}


def modules(requirements):
    """What requirements are imported as."""
    installed = {re.split(r"[\s<>=!~\[;]", one, maxsplit=1)[0].lower() for one in requirements}
    return {IMPORTED_AS.get(name, name) for name in installed}


# One import a line is Ruff's rule E401.
IMPORT = re.compile(r"^[ ]*(?:from (\w+)[\w.]* import|import (\w+))", re.MULTILINE)


def imported(*folders):
    """The packages that Python files import, wherever in it, each with the file."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    paths += [ROOT / name for name in folders if name.endswith(".py")]
    return {
        (path.relative_to(ROOT).as_posix(), first or second)
        for path in paths
        for first, second in IMPORT.findall(path.read_text(encoding="utf-8"))
    }


def test_every_import_is_a_declared_dependency():
    extras, groups = project()["project"]["optional-dependencies"], project()["dependency-groups"]
    core = modules(project()["project"]["dependencies"]) | sys.stdlib_module_names
    app = core | modules(extras["app"]) | {*PACKAGES}
    tests = app | modules([*groups["dev"], *groups["docs"], *groups["build"]])
    # Sphinx brings docutils.
    tests |= {"app", "benchmarks", "docs", "docutils", "pages", "tests"}
    shipped = imported("bjp_explorer", "pages", "app.py")
    for files, known in (
        (imported("bjp_engine"), core | {*PACKAGES}),
        (shipped, app),
        (imported("tests", "docs"), tests),
    ):
        strangers = {(file, name) for file, name in files if name not in known}
        assert not {(file, name) for file, name in strangers if file not in OPTIONAL.get(name, ())}
    # Extras hold what is imported only if it is there, and packages import nothing above them.
    assert extras["all"] == [f"bjp-explorer[{','.join(sorted({*extras} - {'all'}))}]"]
    assert modules(extras["app"]) <= {name for _, name in shipped | imported("bjp_engine")}
    assert modules([*extras["cluster"], *extras["pgmpy"]]) == set(OPTIONAL)
    above = {"app", "pages", "tests", "benchmarks"}
    assert not {(file, name) for file, name in imported(*PACKAGES) if name in above}


def test_ci_runs_the_checks_before_the_tests_and_skips_nothing():
    lines = text(".ci/run").splitlines()
    assert {"make test test-all", "export BJP_REQUIRE_BROWSER=1"} <= set(lines)
    assert re.search(r"^test: .*\$\(LINTED\)", text("Makefile"), re.MULTILINE)
    assert os.name == "nt" or os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_app_stays_on_this_machine():
    settings = tomllib.loads(text(".streamlit/config.toml"))
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["client"]["showErrorDetails"] == "none"
    assert "://" not in json.dumps(settings)
