"""The `bjp` command: files and arguments it refuses, how the app is started, and real shells."""

import importlib
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import networkx as nx
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.kernels import compiled


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    rows = "".join(f"{k % 2},{k % 2 if k % 5 else 0},{k % 3}\n" for k in range(60))
    path.write_text(f"a,b,c\n{rows}", encoding="utf-8")
    return path


def test_what_is_no_table_or_graph_and_how_a_file_is_read(table, tmp_path, command):
    assert "absent.csv" in command.refuse("learn", "absent.csv")
    command.refuse("learn", tmp_path)
    command.refuse("score", table, "--graph", tmp_path)
    graph, path = tmp_path / "graph.csv", tmp_path / "t.csv"
    bjp.io.write_graph(nx.Graph([("a", "snow")]), graph)
    assert "snow" in command.refuse("score", table, "--graph", graph)
    # A file is read as the sentence says.
    for text, flag, value in (
        ("Poll\na,b,c\n0,1,1,\n1,1,0\n", "skip_lines=…", "skip_lines=1"),
        ("0,1,0\n1,1,0\n0,0,1\n", "header_rows=0", "header_rows=0"),
    ):
        path.write_text(text, encoding="utf-8")
        assert f"(--read {flag})" in command.refuse("health", path)
        assert "rows" in command("health", path, "--read", value), flag
    # Each note of a reader is a line on standard error, which names the flag.
    path.write_text("a;b\n1,500;x\n2,250;y\n", encoding="utf-8")
    for argv in (("health", path), ("learn", path)):
        command(*argv, note=None)
        (line,) = command.noticed
        assert "'1,500'" in line, argv
        assert "--read decimal=" in line, argv
    path.write_text("a,b,snow\n0,1,0\n1,0,1\n", encoding="utf-8")
    gml = tmp_path / "graph.gml"
    gml.write_text("graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 1 target 0 ] ]")
    command("score", path, "--graph", gml)
    assert len(command.noticed) == 2
    path.write_text("a!b\n0!1\n", encoding="utf-8")
    chosen = ("--read", "delimiter=!", "--read", "columns=b")
    assert "1 row, 1 column" in command("health", path, *chosen)
    for wrong in ("delimiter", "delimeter=!", "skip_lines=-1", "limits=9", "header_rows=none"):
        assert "--read" in command.refuse("health", path, "--read", wrong), wrong


def test_names_cannot_steer_the_terminal(tmp_path, command):
    assert "karate\t34 nodes\t78 edges\n" in command("networks")
    path, lost = tmp_path / "hostile.csv", str(tmp_path / "\x1b[2J.csv")
    path.write_text("\x1b[31mred\x07,b\n" + "0,0\n1,1\n" * 20, encoding="utf-8")
    assert cli.main(["learn", str(path)]) == cli.main(["health", str(path)]) == 0
    assert cli.main(["score", str(path), "--graph", lost]) == 2
    assert cli.main(["learn", str(path), "--roles", lost]) == 2
    assert "\x1b" not in "".join(command.read())


def test_arguments_that_are_not_known_and_none(command):
    for argv, code in (
        (["dance"], 2),
        (["score", "x.csv"], 2),
        (["learn"], 2),
        (["--version"], 0),
    ):
        with pytest.raises(SystemExit) as ending:
            cli.main(argv)
        assert ending.value.code == code, argv
        out, err = command.read()
        assert ("usage: bjp" in err, out) == (
            (True, "") if code else (False, f"bjp {bjp.__version__}\n")
        ), argv
    assert cli.main([]) == 2
    out, err = command.read()
    assert not out
    assert all(name in err for name in cli.COMMANDS)


def test_kernels_are_compiled_before_a_search_is_timed(table, command, monkeypatch):
    calls = Mock()
    calls.learn.side_effect = bjp.learn
    calls.warmup.side_effect = lambda report: report("Compiling the kernels")
    monkeypatch.setattr(bjp, "learn", calls.learn)
    monkeypatch.setattr(importlib.import_module("bjp_engine.warmup"), "warmup", calls.warmup)
    for complete, wanted in ((True, ["learn"]), (False, ["warmup", "learn"])):
        calls.reset_mock()
        monkeypatch.setattr(compiled, "is_complete", lambda complete=complete: complete)
        command("learn", table, note="" if complete else "Compiling the kernels\n")
        assert [name for name, *_ in calls.mock_calls] == wanted
    assert command("warmup") == "Compiling the kernels\n"


def test_where_the_app_is_found_and_listens(command, tmp_path, monkeypatch):
    program = Mock()
    program.return_value.wait.return_value = 0
    monkeypatch.setattr(subprocess, "Popen", program)
    monkeypatch.setattr(signal, "signal", Mock())

    def served(port):
        """The port that the app gets."""
        said = command("app", "--port", port, "--no-browser")
        return int(re.findall(r"http://127\.0\.0\.1:(\d+) ", said)[0])

    # From anywhere, and to this machine only.
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        assert taken < served(taken) <= taken + 100
    # A port that nobody listens at is taken as it is.
    assert served(taken) == taken
    ((started,), how) = program.call_args
    assert started[:4] == [sys.executable, "-m", "streamlit", "run"]
    asked = {"--server.address=127.0.0.1", f"--server.port={taken}", "--server.headless=true"}
    assert {*asked, "--browser.gatherUsageStats=false"} <= set(started)
    assert started[4] == str(how["cwd"] / "app.py")
    assert Path(started[4]).is_file()
    assert (how["cwd"] / ".streamlit" / "config.toml").is_file()
    for port in ("0", "-1", "65536", "99999999999"):
        assert "65535" in command.refuse("app", "--port", port), port


PAGE = Path(__file__).parents[3] / "docs" / "commands.md"
WRITE = "--prog bjp --shell=bash bjp_engine.cli.make_parser"


def test_a_script_completes_commands_and_options_in_a_shell():
    assert WRITE in PAGE.read_text(encoding="utf-8")
    program = Path(sys.executable).with_name("shtab")
    made = subprocess.run([program, *WRITE.split()], check=True, capture_output=True, text=True)
    (commands,) = re.findall(r"subparsers=\((.*)\)", made.stdout)
    assert set(commands.split()) == set(cli.COMMANDS)
    (options,) = re.findall(r"_learn_option_strings=\((.*)\)", made.stdout)
    assert {"--search", "--seconds"} <= set(options.split())


def test_a_console_that_lacks_a_letter_gets_a_question_mark(tmp_path):
    """In a process of its own, as each command is outside the tests."""
    path = tmp_path / "answers.csv"
    path.write_text("ψ,größe,c\n" + "γ,1,x\nγ,1,y\n" * 2, encoding="utf-8")
    made = subprocess.run(
        [sys.executable, "-m", "bjp_engine", "health", str(path)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    shown = made.stdout.decode("cp1252")
    assert "4 rows, 3 columns" in shown
    assert ("größe" in shown, "ψ" in shown) == (True, False)
