"""What the repository holds, pins and promises."""

import inspect
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bjp_engine

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TOP_LEVEL = {
    ".ci",
    ".github",
    ".gitignore",
    ".streamlit",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "app.py",
    "benchmarks",
    "bjp_engine",
    "bjp_explorer",
    "deno.json",
    "docs",
    "hatch_build.py",
    "pages",
    "pyproject.toml",
    "requirements-dev.lock",
    "requirements.lock",
    "sample_data",
    "tests",
}
LARGEST = 1_000_000  # bytes
LARGER_ON_PURPOSE: set[str] = set()
# Written in halves, so that this file does not find itself.
MACHINE_PATHS = re.compile(
    "|".join(("/ho" + r"me/\w", "/Us" + r"ers/\w", "/ro" + r"ot\b", "/wo" + r"rk/\w"))
)


def committed() -> list[Path]:
    """Every file that is, or would be, committed."""
    try:
        listing = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the checkout has no git history to ask")
    names = {os.fsdecode(name) for name in listing.split(b"\0") if name}
    return sorted(ROOT / name for name in names if (ROOT / name).is_file())


def pins(lock: str) -> dict[str, str]:
    """The versions in a lock file, by distribution."""
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    pairs = [line.split(";")[0].split("==") for line in lines if line and line[0] not in " #"]
    return {canonicalize_name(name): version.strip() for name, version in pairs}


class TestFiles:
    def test_nothing_unexpected_at_the_top(self) -> None:
        assert {path.relative_to(ROOT).parts[0] for path in committed()} <= TOP_LEVEL

    def test_no_path_of_a_machine(self) -> None:
        found = [
            f"{path.relative_to(ROOT)}:{number}"
            for path in committed()
            for number, line in enumerate(
                path.read_bytes().decode(errors="replace").splitlines(), 1
            )
            if MACHINE_PATHS.search(line)
        ]
        assert not found

    def test_no_large_file(self) -> None:
        large = {
            path.relative_to(ROOT).as_posix()
            for path in committed()
            if path.stat().st_size > LARGEST
        }
        assert large <= LARGER_ON_PURPOSE

    def test_every_json_and_toml_parses(self) -> None:
        for path in committed():
            if path.suffix == ".json":
                json.loads(path.read_text(encoding="utf-8"))
            elif path.suffix == ".toml":
                tomllib.loads(path.read_text(encoding="utf-8"))


class TestLocks:
    @pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
    def test_no_host_and_no_place(self, lock: str) -> None:
        text = (ROOT / lock).read_text(encoding="utf-8")
        assert "://" not in text
        assert " @ " not in text
        assert not re.search(r"^--", text, re.MULTILINE)

    def test_they_satisfy_what_pyproject_asks_for(self) -> None:
        groups, extras = PROJECT["dependency-groups"], PROJECT["project"]["optional-dependencies"]
        runtime = [*PROJECT["project"]["dependencies"], *extras["app"], *groups["build"]]
        everything = [*runtime, *groups["dev"], *groups["docs"]]
        everything += PROJECT["build-system"]["requires"]
        for lock, asked in (("requirements.lock", runtime), ("requirements-dev.lock", everything)):
            pinned = pins(lock)
            for requirement in map(Requirement, asked):
                version = pinned[canonicalize_name(requirement.name)]
                assert requirement.specifier.contains(version), f"{lock}: {requirement}"

    def test_the_tests_run_on_the_versions_that_users_get(self) -> None:
        assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()


class TestPromises:
    def test_ci_runs_the_checks(self) -> None:
        script = ROOT / ".ci" / "run"
        lines = script.read_text(encoding="utf-8").splitlines()
        assert {"make test test-all", "export BJP_REQUIRE_BROWSER=1"} <= set(lines)
        # No test is run before the code is checked.
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(r"^test: .*\$\(LINTED\)", makefile, re.MULTILINE)
        assert os.name == "nt" or os.access(script, os.X_OK)

    def test_the_app_stays_on_this_machine(self) -> None:
        settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
        assert settings["server"]["address"] == "127.0.0.1"
        assert settings["browser"]["gatherUsageStats"] is False
        assert settings["client"]["showErrorDetails"] == "none"
        assert "://" not in json.dumps(settings)

    def test_every_packaged_component_has_its_folder(self) -> None:
        for component in PROJECT["tool"]["streamlit"]["component"]["components"]:
            assert (ROOT / "bjp_explorer" / component["asset_dir"]).is_dir()

    def test_every_file_of_the_wheel_exists(self) -> None:
        source = (ROOT / "hatch_build.py").read_text(encoding="utf-8")
        names = re.findall(r'^    "(.+)": "', source, re.MULTILINE)
        assert names
        assert all((ROOT / name).exists() for name in names)


def public() -> Iterator[Any]:
    """The public names of the engine, and those of its public modules."""
    for name in dir(bjp_engine):
        thing = getattr(bjp_engine, name)
        if not name.startswith("_"):
            yield pytest.param(thing, id=name)
        if isinstance(thing, ModuleType):
            for inner in getattr(thing, "__all__", ()):
                yield pytest.param(getattr(thing, inner), id=f"{name}.{inner}")


# The order of sections in every docstring of the house.
SECTIONS = (
    *("Parameters", "Attributes", "Yields", "Returns", "Raises", "Warns"),
    *("Examples", "Notes", "References"),
)


def is_protocol(thing: type) -> bool:
    """Whether a class says what others supply; its members say it."""
    return bool(getattr(thing, "_is_protocol", False))


def sections(docstring: str) -> list[str]:
    """The sections of a numpy docstring, from top to bottom."""
    return re.findall(r"^\s*(\w[\w ]*)\n\s*-{3,}$", docstring, re.MULTILINE)


@pytest.mark.parametrize("thing", list(public()))
def test_public_docstrings(thing: Any) -> None:
    is_class, is_function = inspect.isclass(thing), inspect.isroutine(thing)
    if not (is_class or is_function or inspect.ismodule(thing)):
        return  # a constant or an alias of a type: its module documents it
    docstring = inspect.getdoc(thing) or ""
    assert docstring.splitlines()[0].endswith((".", ":"))
    found = sections(docstring)
    assert found == [title for title in SECTIONS if title in found]
    if is_function:
        signature = inspect.signature(thing)
        assert not signature.parameters or "Parameters" in found
        assert signature.return_annotation in ("None", None) or {"Returns", "Yields"} & set(found)
    elif is_class and not issubclass(thing, Exception | Enum) and not is_protocol(thing):
        # A class that takes nothing is there to be derived from, or says what it offers.
        taken = issubclass(thing, dict) or inspect.signature(thing).parameters
        assert not taken or {"Parameters", "Attributes", "Examples"} & set(found)
