"""What stands around the app when it is served: settings, headers, and an end in order."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bjp_engine import OptionError
from bjp_explorer.headers import Application, Headers
from bjp_explorer.pool import WORKERS, workers


def guarded(app: Application) -> Application:
    """The app with the headers of every answer.

    Parameters
    ----------
    app : ASGI application

    Returns
    -------
    ASGI application

    Raises
    ------
    SystemExit
        If a setting in the environment can't be used; its message says which and why.
    """
    try:
        workers(os.environ.get(WORKERS))
    except OptionError as error:
        sys.exit(str(error))
    return Headers(app)


@asynccontextmanager
async def ending(_: Any) -> AsyncIterator[None]:
    """What is done when the server ends: runs close their files, since their threads are not asked.

    Yields
    ------
    None
        While it serves.
    """
    yield
    # Where no page was ever shown, nothing was begun.
    if "bjp_explorer.cached" in sys.modules:
        from bjp_explorer import cached

        await asyncio.to_thread(cached.desk().close)
