"""Tasks for worker processes to do in tests: a worker finds them by their name."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from bjp_engine import Dataset
from bjp_engine.errors import DataError
from bjp_explorer.jobs.tasks import Report


class StubbornError(Exception):
    """An error that can't be sent to another process."""

    def __init__(self) -> None:
        """Hold what nobody else can hold."""
        super().__init__("too stubborn to travel")
        self.lock = threading.Lock()


def present(report: Report, data: Dataset) -> tuple[int, str, bool, int]:
    """The process, and the dataset as it has it."""
    fresh = Dataset.from_codes(data.codes, data.cardinalities, data.names, data.labels)
    return os.getpid(), fresh.digest, data.codes.flags.writeable, report.threads


def refuse(report: Report, data: Dataset) -> None:
    """Say that the data can't be used."""
    raise DataError("Column “a” is empty.")


def break_down(report: Report, data: Dataset) -> None:
    """A defect."""
    raise ZeroDivisionError("the secret inside")


def stay(report: Report, data: Dataset) -> None:
    """An error that doesn't leave the process."""
    raise StubbornError


def give_lock(report: Report, data: Dataset) -> Any:
    """A result that doesn't leave it either."""
    return threading.Lock()


def wait(report: Report, data: Dataset, most: float = 3600.0) -> str:
    """Last until it is stopped."""
    end = time.monotonic() + most
    report.progress(1, 2)
    while time.monotonic() < end:
        if report.stopping():
            return "stopped"
        time.sleep(0.005)
    return "ended"


def sleep(report: Report, data: Dataset, most: float = 30.0) -> str:
    """Last, and never ask whether to stop."""
    report.progress(1, 2)
    time.sleep(most)
    return "ended"
