"""How files come in: large ones are read in a process of their own, and a server offers some."""

import os
import signal
import threading
from functools import partial

import pandas as pd
import pytest

from bjp_engine.errors import Cancelled, DataError
from bjp_engine.io import ReadOptions, tables
from bjp_engine.preparation import prepare
from bjp_explorer.data import reading
from bjp_explorer.data import upload as server
from bjp_explorer.data.upload import Upload
from bjp_explorer.jobs import results
from tests.app.conftest import healthy
from tests.app.data.uploads import VOTES, in_hand, ready, upload
from tests.app.looks import ENDS

UPLOAD = Upload("votes.csv", VOTES)


def nothing(*_):
    """Nobody is told."""


def test_it_reads_what_a_thread_reads_in_turns_and_errors_come_back(monkeypatch):
    """Who waits is told so, and can go."""
    turns = threading.Semaphore(1)
    monkeypatch.setattr(reading, "_turns", lambda: turns)
    told = []
    with turns, pytest.raises(Cancelled):
        reading.read_in_turn(
            UPLOAD, ReadOptions(), lambda what, *_: told.append(what), iter([False, True]).__next__
        )
    assert told == ["turn"]
    assert reading.read_in_turn(UPLOAD, ReadOptions(), nothing, lambda: False).report
    assert turns.acquire(blocking=False)
    turns.release()
    # Those that may hold more than they take wait, however small.
    assert not reading.is_apart(UPLOAD)
    assert reading.is_apart(Upload("t.csv", b"a" * (reading.LARGE + 1)))
    for beginning in (b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"$FL"):
        assert reading.is_apart(Upload("t.csv", beginning))
    plain = reading.read(UPLOAD, ReadOptions())
    for least in (1, 1 << 20):
        monkeypatch.setattr(reading, "LARGE", least)
        told = []
        report = partial(lambda told, *one: told.append(one), told)
        found = reading.read_in_turn(UPLOAD, ReadOptions(), report, lambda: False)
        assert (found.report, found.health.to_json()) == (plain.report, plain.health.to_json())
        made = [prepare(one.table, one.suggestion).data.digest for one in (found, plain)]
        assert (made[0], {what for what, *_ in told}) == (made[1], {"lines", "columns"})
        assert told[-1] == ("columns", 17, 17)
    monkeypatch.setattr(reading, "LARGE", 1)
    ragged = Upload("t.csv", b"a,b\n1,2\n1,2,3\n")
    with pytest.raises(DataError, match="Line 3"):
        reading.read_in_turn(ragged, ReadOptions(), nothing, lambda: False)
    with pytest.raises(Cancelled):
        reading.read_in_turn(UPLOAD, ReadOptions(), nothing, lambda: True)


def die(send, *_):
    """What a reader does that a damaged file ends."""
    os.kill(os.getpid(), signal.SIGABRT)


@pytest.mark.slow
def test_the_page_reads_so_and_a_file_that_ends_its_process_is_told(app, monkeypatch):
    monkeypatch.setattr(reading, "LARGE", 100)
    upload(app, "votes.csv", VOTES)
    assert in_hand(app).data.rows == 435
    monkeypatch.setattr(reading, "serve", die)
    monkeypatch.setattr(tables, "_read_apart", die)
    for k, least in enumerate((1, 1000)):
        monkeypatch.setattr(reading, "LARGE", least)
        upload(app, f"t{k}.parquet", b"PAR1" + b"\0" * (100 + k))
        assert "damaged" in app.error[0].value


@pytest.fixture
def held(monkeypatch):
    """Every reading waits for the event; those that are cancelled meanwhile are counted."""
    free, gone, read = threading.Event(), threading.Semaphore(0), reading.read

    def wait_and_read(upload, way, *told):
        while not free.wait(0.005):
            if told[0].cancelled():
                gone.release()
                raise Cancelled("The computation was cancelled.")
        return read(upload, way, *told)

    monkeypatch.setattr(reading, "read", wait_and_read)
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    return free, gone


def test_while_a_file_is_read_options_are_changed_and_other_pages_say_so(app, switch_page, held):
    free, gone = held
    app.segmented_control(key="data-way").set_value("file").run()
    app.file_uploader(key="data-file").set_value(("votes.csv", VOTES, "text/csv")).run()
    # An option that is changed back at once reads anew.
    header = f"data-h-{Upload('votes.csv', VOTES).digest}"
    for lines in ("none", "detected"):
        box = app.selectbox(key=header)
        box.select_index(box.options.index(lines)).run()
        # The reading before is cancelled, and the page doesn't report it.
        assert gone.acquire(timeout=ENDS)
        assert not app.run().info
        assert app.get("progress")
    switch_page(app, "method")
    assert app.info[0].value.startswith("*Data* is reading your file, and uses it when you ")
    free.set()
    ready(switch_page(app, "data"))
    assert in_hand(app).data.rows == 435
    assert not switch_page(app, "method").info


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of shards, a text table, and what is none."""
    there = tmp_path / "data"
    there.mkdir()
    monkeypatch.setenv(server.FOLDER, str(there))
    for k, states in enumerate((["a", "b"], ["b", "c"])):
        columns = {"x": states * 30, "y": states[:1] * 30 + states[1:] * 30}
        pd.DataFrame(columns).to_parquet(there / f"shard-{k}.parquet")
    pd.DataFrame({"u": ["no", "yes"] * 30, "v": ["no"] * 25 + ["yes"] * 35}).to_csv(
        there / "small.csv", index=False
    )
    (there / "notes.md").write_text("no table")
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    return there


def test_only_tables_of_the_folder_are_offered_and_read(folder, monkeypatch):
    shards = ["shard-0.parquet", "shard-1.parquet"]
    offered = [*shards, "small.csv"]
    assert server.server_files() == offered
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "gone.csv").symlink_to(folder / "nothing.csv")
    assert server.server_files() == offered
    for name in ("../secret.csv", "notes.md", "/etc/passwd", "link.csv"):
        taken = server.take_from_server(name)
        assert isinstance(taken, str), name
        assert "can't be read" in taken, name
    (folder / "shard-1.parquet").unlink()
    assert server.server_files() == [shards[0], "small.csv"]
    for nowhere in ("", "/nowhere/at/all"):
        monkeypatch.setenv(server.FOLDER, nowhere)
        assert server.server_files() == []
    monkeypatch.setenv(server.FOLDER, str(folder))
    monkeypatch.setenv("BJP_MAX_FILE_MB", "1")
    (folder / "small.csv").write_bytes(b"a,b\n" + b"1,2\n" * (1 << 19))
    assert "larger than 1 MB" in str(server.take_from_server("small.csv"))


def test_a_file_becomes_a_dataset(folder, app, monkeypatch):
    healthy(app.segmented_control(key="data-way").set_value("file").run())
    ready(app.selectbox(key="data-server-file").set_value("small.csv"))
    assert in_hand(app).data.names == ("u", "v")
    monkeypatch.delenv(server.FOLDER)
    healthy(app.run())
    assert all(each.label != "Or a file on this server" for each in app.selectbox)
