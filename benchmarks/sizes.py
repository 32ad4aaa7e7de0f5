"""`python -m benchmarks sizes`: what an installation brings along, with its extras and without.

Read from the metadata of the packages that are installed here, on this system and Python; the
table is written into README.md.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks import marked

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
WAYS = {
    "bjp-explorer": (),
    **{f"bjp-explorer[{extra}]": (extra,) for extra in ("app", "cluster", "pgmpy")},
}


def needed(extras: Iterable[str] = ()) -> dict[str, Distribution]:
    """The packages that an installation with these extras has beside the project, by name."""
    wanted = [*PROJECT["dependencies"]]
    for extra in extras:
        wanted += PROJECT["optional-dependencies"][extra]
    left, found = [Requirement(one) for one in wanted], dict[str, Distribution]()
    seen: set[tuple[str, str]] = set()
    while left:
        one = left.pop()
        for extra in ("", *one.extras):
            key = canonicalize_name(one.name), extra
            if key in seen or not (one.marker is None or one.marker.evaluate({"extra": ""})):
                continue
            seen.add(key)
            found[key[0]] = distribution(one.name)
            for text in found[key[0]].requires or ():
                more = Requirement(text)
                if more.marker is None or more.marker.evaluate({"extra": extra}):
                    more.marker = None
                    left.append(more)
    return found


def size(package: Distribution) -> int:
    """The bytes of a package's files."""
    paths = (Path(str(package.locate_file(one))) for one in package.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


def table() -> str:
    """A line for each way to install."""
    lines = ["| | packages | MB |", "| --- | --- | --- |"]
    for name, extras in WAYS.items():
        found = needed(extras).values()
        total = sum(map(size, found)) / 1e6
        lines.append(f"| `pip install '{name}'` | {len(found)} | {total:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table and write it into README.md."""
    print(text := table())
    marked.write("../README.md", "sizes", text)
