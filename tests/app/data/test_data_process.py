"""A large file is read in a process of its own: the same table, and an end whatever happens."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from functools import partial

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
from tests.app.looks import ENDS, until

UPLOAD = Upload("votes.csv", VOTES)


def nothing(*_: object) -> None:
    """Nobody is told."""


def test_it_reads_what_a_thread_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reading.read(UPLOAD, ReadOptions())
    for least in (1, 1 << 20):
        monkeypatch.setattr(process, "LARGE", least)
        told: list[tuple[str, int, int]] = []
        report = partial(lambda told, *one: told.append(one), told)
        found = process.read(UPLOAD, ReadOptions(), report, lambda: False)
        assert found.report == plain.report
        assert found.health.to_json() == plain.health.to_json()
        made = [prepare(one.table, one.suggestion).data.digest for one in (found, plain)]
        assert made[0] == made[1]
        assert {what for what, *_ in told} == {"lines", "columns"}
        assert told[-1] == ("columns", 17, 17)


def test_an_error_comes_back_as_its_sentence_and_a_cancel_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "LARGE", 1)
    ragged = Upload("t.csv", b"a,b\n1,2\n1,2,3\n")
    with pytest.raises(DataError, match="Line 3"):
        process.read(ragged, ReadOptions(), nothing, lambda: False)
    with pytest.raises(Cancelled):
        process.read(UPLOAD, ReadOptions(), nothing, lambda: True)


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
    # Those that may hold more than they take wait, however small.
    assert not process.is_apart(UPLOAD)
    assert process.is_apart(Upload("t.csv", b"a" * (process.LARGE + 1)))
    for beginning in (b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"$FL"):
        assert process.is_apart(Upload("t.csv", beginning))


def die(send: child.Send, *_: object) -> None:
    """What a reader does that a damaged file ends."""
    os.kill(os.getpid(), signal.SIGABRT)


@pytest.mark.slow
def test_the_page_reads_so_and_a_file_that_ends_its_process_is_told(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LARGE", 100)
    upload(app, "votes.csv", VOTES)
    assert in_hand(app).data.rows == 435
    monkeypatch.setattr(process, "serve", die)
    monkeypatch.setattr(parquet, "send_columns", die)
    for k, least in enumerate((1, 1000)):
        monkeypatch.setattr(process, "LARGE", least)
        upload(app, f"t{k}.parquet", b"PAR1" + b"\0" * (100 + k))
        assert "damaged" in app.error[0].value


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


def test_while_a_file_is_read_options_are_changed_and_other_pages_say_so(
    app: AppTest,
    switch_page: Callable[..., AppTest],
    held: tuple[threading.Event, threading.Semaphore],
) -> None:
    free, gone = held
    app.segmented_control(key="data-way").set_value("file").run()
    app.file_uploader(key="data-file").set_value(("votes.csv", VOTES, "text/csv")).run()
    # An option that is changed back at once reads anew.
    header = f"data-header-{Upload('votes.csv', VOTES).digest}"
    for first_line_is_names in (False, True):
        app.checkbox(key=header).set_value(first_line_is_names).run()
        # The reading before is cancelled, and the page doesn't report it.
        assert gone.acquire(timeout=ENDS)
        assert not app.run().info
        assert app.get("progress")
    switch_page(app, "method")
    assert app.info[0].value.startswith("Your file is still being read; *Data* shows ")
    free.set()
    until(lambda: "is still being read" not in app.run().info[0].value)
    assert app.info[0].value.startswith("Your file has been read; open *Data* to use it. ")
    ready(switch_page(app, "data"))
    assert in_hand(app).data.rows == 435
    assert not switch_page(app, "method").info
