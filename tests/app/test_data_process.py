"""A large file is read in a process of its own: the same table, and an end whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection

import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine.errors import Cancelled, DataError
from bjp_engine.io import ReadOptions
from bjp_engine.preparation import prepare
from bjp_explorer import data_process, data_reading
from bjp_explorer.data_file import Upload
from tests.app.uploads import VOTES, in_hand, upload

UPLOAD = Upload("votes.csv", VOTES)


def nothing(*_: object) -> None:
    """Nobody is told."""


def test_it_reads_what_a_thread_reads() -> None:
    told: list[tuple[str, int, int]] = []
    found = data_process.read(UPLOAD, ReadOptions(), lambda *one: told.append(one), lambda: False)
    plain = data_reading.read(UPLOAD, ReadOptions())
    assert found.report == plain.report
    assert found.health.to_json() == plain.health.to_json()
    assert prepare(found.table, found.suggested).data.digest == (
        prepare(plain.table, plain.suggested).data.digest
    )
    assert {what for what, *_ in told} == {"lines", "columns"}
    assert told[-1] == ("columns", 17, 17)
    assert not multiprocessing.active_children()


def test_an_error_comes_back_as_its_sentence() -> None:
    ragged = Upload("t.csv", b"a,b\n1,2\n1,2,3\n")
    with pytest.raises(DataError, match="Line 3"):
        data_process.read(ragged, ReadOptions(), nothing, lambda: False)


def test_no_more_are_read_at_once_than_there_are_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits is told so, and can go."""
    turns = threading.Semaphore(1)
    monkeypatch.setattr(data_process, "_turns", lambda: turns)
    told: list[str] = []
    with turns, pytest.raises(Cancelled):
        data_process.read(
            UPLOAD, ReadOptions(), lambda what, *_: told.append(what), lambda: "turn" in told
        )
    assert told == ["turn"]
    assert data_process.read(UPLOAD, ReadOptions(), nothing, lambda: False).report
    assert turns.acquire(blocking=False)


def test_it_is_cancelled() -> None:
    with pytest.raises(Cancelled):
        data_process.read(UPLOAD, ReadOptions(), nothing, lambda: True)
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_is_told() -> None:
    def kill() -> bool:
        for child in multiprocessing.active_children():
            os.kill(child.pid or 0, signal.SIGKILL)
        return False

    with pytest.raises(DataError, match="was ended"):
        data_process.read(UPLOAD, ReadOptions(), nothing, kill)


def test_which_are_read_apart() -> None:
    assert not data_process.is_apart(UPLOAD)
    assert data_process.is_apart(Upload("t.csv", b"a" * (data_process.LARGE + 1)))
    for beginning in (b"PAR1", b"PK\x03\x04", b"\x1f\x8b"):
        assert data_process.is_apart(Upload("t.csv", beginning))


def die(pipe: Connection) -> None:
    """What a reader does that a damaged file ends."""
    pipe.recv()
    pipe.recv_bytes()
    os.kill(os.getpid(), signal.SIGABRT)


def test_a_file_that_ends_the_process_is_told(
    open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_process, "_serve", die)
    archive = Upload("t.parquet", b"PAR1" + b"\0" * 100)
    with pytest.raises(DataError, match="damaged"):
        data_process.read(archive, ReadOptions(), nothing, lambda: False)
    app = upload(open_app(), archive.name, archive.content)
    assert "damaged" in app.error[0].value


def test_the_page_reads_so(
    open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_process, "LARGE", 100)
    app = upload(open_app(), "votes.csv", VOTES)
    assert in_hand(app).data.rows == 435
