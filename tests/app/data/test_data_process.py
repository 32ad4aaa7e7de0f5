"""A large file is read in a process of its own: the same table, and an end whatever happens."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine.errors import Cancelled, DataError
from bjp_engine.io import ReadOptions, child, parquet
from bjp_engine.preparation import prepare
from bjp_engine.progress import Progress
from bjp_explorer.data import process, reading
from bjp_explorer.data.upload import Upload
from bjp_explorer.jobs import results
from tests.app.data.uploads import VOTES, in_hand, ready, upload

UPLOAD = Upload("votes.csv", VOTES)


def nothing(*_: object) -> None:
    """Nobody is told."""


@pytest.mark.parametrize("large", [True, False])
def test_it_reads_what_a_thread_reads(monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    monkeypatch.setattr(process, "LARGE", 1 if large else 1 << 20)
    told: list[tuple[str, int, int]] = []
    found = process.read(UPLOAD, ReadOptions(), lambda *one: told.append(one), lambda: False)
    plain = reading.read(UPLOAD, ReadOptions())
    assert found.report == plain.report
    assert found.health.to_json() == plain.health.to_json()
    assert prepare(found.table, found.suggestion).data.digest == (
        prepare(plain.table, plain.suggestion).data.digest
    )
    assert {what for what, *_ in told} == {"lines", "columns"}
    assert told[-1] == ("columns", 17, 17)


def test_an_error_comes_back_as_its_sentence() -> None:
    ragged = Upload("t.csv", b"a,b\n1,2\n1,2,3\n")
    with pytest.raises(DataError, match="Line 3"):
        process.read(ragged, ReadOptions(), nothing, lambda: False)


def test_no_more_are_read_at_once_than_there_are_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits is told so, and can go."""
    turns = threading.Semaphore(1)
    monkeypatch.setattr(process, "_turns", lambda: turns)
    told: list[str] = []
    with turns, pytest.raises(Cancelled):
        process.read(
            UPLOAD, ReadOptions(), lambda what, *_: told.append(what), lambda: "turn" in told
        )
    assert told == ["turn"]
    assert process.read(UPLOAD, ReadOptions(), nothing, lambda: False).report
    assert turns.acquire(blocking=False)


def test_it_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LARGE", 1)
    with pytest.raises(Cancelled):
        process.read(UPLOAD, ReadOptions(), nothing, lambda: True)


def test_which_are_read_apart() -> None:
    assert not process.is_apart(UPLOAD)
    assert process.is_apart(Upload("t.csv", b"a" * (process.LARGE + 1)))
    for beginning in (b"PAR1", b"PK\x03\x04", b"\x1f\x8b"):
        assert process.is_apart(Upload("t.csv", beginning))


def die(send: child.Send, *_: object) -> None:
    """What a reader does that a damaged file ends."""
    os.kill(os.getpid(), signal.SIGABRT)


@pytest.mark.slow
@pytest.mark.parametrize("large", [True, False])
def test_a_file_that_ends_its_process_is_told(
    open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    monkeypatch.setattr(process, "LARGE", 1 if large else 1000)
    monkeypatch.setattr(process, "serve", die)
    monkeypatch.setattr(parquet, "send_columns", die)
    app = upload(open_app(), "t.parquet", b"PAR1" + b"\0" * 100)
    assert "damaged" in app.error[0].value


def test_the_page_reads_so(
    open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LARGE", 100)
    app = upload(open_app(), "votes.csv", VOTES)
    assert in_hand(app).data.rows == 435


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Semaphore]:
    """Every reading waits for the event; those that are cancelled meanwhile are counted."""
    free, gone, read = threading.Event(), threading.Semaphore(0), reading.read

    def wait_and_read(upload: Upload, way: ReadOptions, *told: Progress) -> reading.Reading:
        while not free.wait(0.005):
            if told[0].cancelled():
                gone.release()
                raise Cancelled("The computation was cancelled.")
        return read(upload, way, *told)

    monkeypatch.setattr(reading, "read", wait_and_read)
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    return free, gone


def test_an_option_that_is_changed_back_at_once_reads_anew(
    open_app: Callable[..., AppTest], held: tuple[threading.Event, threading.Semaphore]
) -> None:
    free, gone = held
    app = open_app()
    app.segmented_control(key="data-way").set_value("file").run()
    app.file_uploader(key="data-file").set_value(("votes.csv", VOTES, "text/csv")).run()
    header = f"data-header-{Upload('votes.csv', VOTES).digest}"
    for first_line_is_names in (False, True):
        app.checkbox(key=header).set_value(first_line_is_names).run()
        # The reading before is cancelled, and the page doesn't report it.
        assert gone.acquire(timeout=600)
        assert not app.run().info
        assert app.get("progress")
    free.set()
    ready(app)
    assert in_hand(app).data.rows == 435


def test_other_pages_say_that_a_file_is_being_read(
    open_app: Callable[..., AppTest],
    switch_page: Callable[..., AppTest],
    held: tuple[threading.Event, threading.Semaphore],
) -> None:
    free, _ = held
    app = open_app()
    app.segmented_control(key="data-way").set_value("file").run()
    app.file_uploader(key="data-file").set_value(("votes.csv", VOTES, "text/csv")).run()
    assert app.get("progress")
    assert not app.info
    switch_page(app, "method")
    assert app.info[0].value.startswith("Your file is still being read; *Data* shows ")
    free.set()
    end = time.monotonic() + 600
    while "is still being read" in app.info[0].value and time.monotonic() < end:
        time.sleep(0.05)
        app.run()
    assert app.info[0].value.startswith("Your file has been read; open *Data* to use it. ")
    ready(switch_page(app, "data"))
    assert in_hand(app).data.rows == 435
    assert not switch_page(app, "method").info
