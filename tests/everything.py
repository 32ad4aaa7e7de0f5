"""Every test, in two runs side by side: the browser's in front, all else behind it.

Pages are watched and timed in a browser, one at a time, and much of that is waiting; the other
tests fill the waiting on every core, at a priority so low that no page is kept from its time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import IO

PYTEST = [sys.executable, "-m", "pytest"]
FRONT = [*PYTEST, "-m", "browser"]
BEHIND = ["nice", "-n", "15", *PYTEST, "-n", "auto", "--dist", "loadfile", "-m", "not browser"]


def run(said: IO[bytes]) -> bool:
    """Run both, and print what the one behind has said once both have ended.

    Parameters
    ----------
    said : binary file
        Keeps it until then.

    Returns
    -------
    bool
        Whether everything passed.
    """
    behind = subprocess.Popen(BEHIND, stdout=said, stderr=subprocess.STDOUT)
    try:
        front = subprocess.run(FRONT, check=False)
    finally:
        # Ctrl-C reaches both, and this waits for both.
        behind.wait()
    said.seek(0)
    sys.stdout.buffer.write(said.read())
    return front.returncode == behind.returncode == 0


if __name__ == "__main__":
    with tempfile.TemporaryFile() as kept:
        sys.exit(not run(kept))
