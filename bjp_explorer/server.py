"""What stands around the app when it is served: its settings are checked, its answers guarded."""

from __future__ import annotations

import os
import sys

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
