"""What goes over the pipe between the server and a worker: messages, and datasets beside them.

Both ends are processes of the app, one started by the other, and nobody else holds the pipe; so
pickle is safe here. Version 5 of it keeps arrays read-only and sends a dataset's columns as they
lie in memory, without a copy on this side.
"""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from typing import Any

from bjp_engine import Dataset

_PROTOCOL = 5


def packed(message: object) -> bytes:
    """A message as bytes."""
    return pickle.dumps(message, _PROTOCOL)


def receive(pipe: Connection) -> Any:
    """The next message."""
    return pickle.loads(pipe.recv_bytes())  # noqa: S301 - our own process


def send_data(pipe: Connection, data: Dataset) -> None:
    """Send a dataset, column by column as it lies in memory."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(data, _PROTOCOL, buffer_callback=buffers.append)
    pipe.send_bytes(packed((body, len(buffers))))
    for buffer in buffers:
        with buffer.raw() as raw:
            pipe.send_bytes(raw)


def receive_data(pipe: Connection) -> Dataset:
    """A dataset that `send_data` sends, over the one copy that arrived."""
    body, count = receive(pipe)
    # Bytes can't be written to, so neither can the arrays that look at them.
    buffers = [pipe.recv_bytes() for _ in range(count)]
    data: Dataset = pickle.loads(body, buffers=buffers)  # noqa: S301 - our own process
    return data
