"""Tasks for worker processes, which find them by their name, and a link without a process."""

import os
import threading
import time

from bjp_engine import Dataset
from bjp_engine.errors import DataError


class StubbornError(Exception):
    def __init__(self):
        super().__init__("too stubborn to travel")
        self.lock = threading.Lock()


def present(data, n_jobs):
    """The process, and the dataset as it has it."""
    fresh = Dataset.from_codes(data.codes, data.cardinalities, data.names, data.labels)
    return os.getpid(), fresh.digest, data.codes.flags.writeable, n_jobs


def refuse(data, progress):
    raise DataError("Column “a” is empty.")


def break_down(data, progress):
    raise ZeroDivisionError("the secret inside")


def stay(data, progress):
    """An error that doesn't leave the process."""
    raise StubbornError


def wait(data, progress):
    """Last until it is stopped."""
    progress.report(1, 2)
    while not progress.cancelled():
        time.sleep(0.005)
    return "stopped"


def sleep(data, progress):
    """Last an hour, and never ask whether to stop."""
    progress.report(1, 2)
    time.sleep(3600)


def nothing(caller):
    """A worker that loads no kernels."""


class Here:
    """An interpreter that is none: its tasks run in the threads of their jobs."""

    alive, pid, memory = True, 1, 0

    def keeps(self, key):
        return False

    def stop(self):
        self.stopped = True

    def kill(self):
        """There is nothing to end."""

    def run(self, work, *arguments, look, receive=None, keep=None):
        self.stopped = False

        def stopping():
            look()
            return self.stopped

        def caller(message):
            receive(message)

        caller.stopping = stopping
        return work(caller, *([keep[1]] if keep else []), *arguments)
