"""What stands around the app when it is served: settings, headers, and an end in order."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bjp_engine.errors import OptionError
from bjp_explorer.app.headers import Application, Headers, OwnHost
from bjp_explorer.jobs.pool import WORKERS, workers
from bjp_explorer.shell.frames import Frames

# Seconds between two collections of all garbage.
COLLECTED = 20.0


def guard(app: Application) -> Application:
    """The app under its own names only, with the headers of every answer."""
    try:
        workers(os.environ.get(WORKERS))
    except OptionError as error:
        sys.exit(str(error))
    return Frames(Headers(OwnHost(app)))


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """What is done when the server begins and ends.

    It gets ready while the first browser still loads, and looks for garbage now and then, not
    after every run.
    """
    threading.Thread(target=_get_ready, name="get ready", daemon=True).start()
    collecting = asyncio.create_task(_collect())
    yield
    collecting.cancel()


def _get_ready() -> None:
    """Import what every page needs, and load the compiled kernels."""
    importlib.import_module("bjp_explorer.app.frame")
    importlib.import_module("bjp_explorer.shell.loading").warm_up()
    # None of this is ever garbage, and to look through it takes longer than a click.
    gc.collect()
    gc.freeze()


async def _collect() -> None:
    """Look for garbage at intervals, so that what a visit or a search held is soon given back."""
    while True:
        await asyncio.sleep(COLLECTED)
        await asyncio.to_thread(gc.collect)
