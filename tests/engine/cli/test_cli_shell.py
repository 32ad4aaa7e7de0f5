"""The command in a shell: completion as its page says, and consoles that lack letters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("shtab")
PAGE = (Path(__file__).parents[3] / "docs" / "commands.md").read_text(encoding="utf-8")
WRITE = "--prog bjp --shell=bash bjp_engine.cli.make_parser"
# bash completes a line that is typed; this completes the words that are given.
COMPLETE = """source "$0"
function=$(complete -p bjp | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$function" bjp "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="this machine has no bash")
def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    assert WRITE in PAGE
    made = subprocess.run([PROGRAM, *WRITE.split()], check=True, capture_output=True, text=True)
    script = tmp_path / "bjp.sh"
    script.write_text(made.stdout, encoding="utf-8")

    def complete(*words: str) -> list[str]:
        command = ["bash", "-c", COMPLETE, str(script), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    assert complete("bjp", "le") == ["learn"]
    assert {"--search", "--seconds"} <= set(complete("bjp", "learn", "--se"))
    assert complete("bjp", "learn", "--unknown") == []


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_console_that_lacks_a_letter_gets_a_question_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("ψ,größe\nγ,1\nδ,2\nγ,1\nδ,2\n", encoding="utf-8")
    made = subprocess.run(
        [sys.executable, "-m", "bjp_engine", "learn", str(path)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    shown = made.stdout.decode(encoding)
    assert "4 rows, 2 variables" in shown
    assert ("größe" if encoding == "cp1252" else "gr??e") in shown
    assert "ψ" not in shown
