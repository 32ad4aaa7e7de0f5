"""A package that registers a score and a search, as CONTRIBUTING.md shows."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

from tests.contracts.recipes import ROOT

PROGRAM = """
import sys, bjp_engine as bjp
from bjp_engine.cli import main
for command in {commands!r}:
    print("#", *command)
    try:
        print("=", main(command))
    except SystemExit as end:
        print("=", end.code)
try:
    bjp.learn([[0, 1], [1, 0]], 'bicc')
except bjp.errors.OptionError as error:
    print("# unknown", error, sep="\\n")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The document's package, as an installer would lay it out."""
    root, text = tmp_path_factory.mktemp("package"), (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    code = re.sub(r"^print\(.*\n", "", code, flags=re.MULTILINE)
    (root / "my_package.py").write_text(code)
    points = tomllib.loads("".join(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)))
    groups = points["project"]["entry-points"]
    groups["bjp_engine.scores"] |= {
        "absent": "my_package:Absent",
        "other": "my_package:EarlierEnd",
        "bjp": "my_package:Bic",
    }
    folder = root / "my_package-1.dist-info"
    folder.mkdir()
    with (folder / "entry_points.txt").open("w") as file:
        for group, names in groups.items():
            file.write(f"[{group}]\n")
            file.writelines(f"{name} = {value}\n" for name, value in names.items())
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    return root


def test_its_names_are_taken_and_what_is_wrong_is_one_sentence(installed):
    data, out = str(ROOT / "sample_data/datasets/coronary.csv"), installed / "a.html"
    bic = ["learn", data, "--method", "bic", "--search", "round-by-round"]
    commands = {
        "bic": bic,
        "heavy": [*bic, "--option", "weight=50"],
        "built in": ["learn", data, "--method", "bjp", "--search", "ibmap-hc"],
        "help": ["learn", "--help"],
        "view": ["share", data, "--method", "bic", "--out", str(out)],
        "absent": ["learn", data, "--method", "absent"],
        "other": ["learn", data, "--method", "other"],
    }
    found = subprocess.run(
        [sys.executable, "-u", "-c", PROGRAM.format(commands=list(commands.values()))],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])},
        # Both in one, in their order.
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert not found.returncode, found.stdout
    assert "Traceback" not in found.stdout
    *parts, unknown = re.split(r"^# .*\n", found.stdout, flags=re.MULTILINE)[1:]
    said = dict(zip(commands, parts, strict=True))
    ended = {name: int(part.rpartition("= ")[2]) for name, part in said.items()}
    assert ended == dict.fromkeys(commands, 0) | {"view": 2, "absent": 2, "other": 2}
    assert "bic by round-by-round" in said["bic"]
    assert "ln BIC" in said["bic"]
    scores = [re.search(r"(\S+) \(ln BIC\)", said[name]) for name in ("bic", "heavy")]
    assert all(scores)
    assert scores[0][1] != scores[1][1]
    # A built-in goes first.
    assert "(ln BJP)" in said["built in"]
    # Help is wrapped, also behind hyphens.
    help_text = "".join(said["help"].split())
    assert "ofotherpackages:round-by-round" in help_text
    assert "{bjp,ib,mpl,near,absent,bic,other}" in help_text
    assert "--method bic is of another package and has no view; use one of bjp, " in said["view"]
    assert not out.exists()
    assert "'absent' can't be loaded from 'my_package:Absent' (AttributeError: " in said["absent"]
    assert "'my_package:EarlierEnd' is registered as 'other', but its name is " in said["other"]
    assert "'near', 'absent', 'bic', 'bjp', 'other'" in unknown
