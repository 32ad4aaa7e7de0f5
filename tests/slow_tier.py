"""The slow tier in two runs side by side: the tests in a browser in front, other slow ones behind.

Pages are watched in a browser, one at a time, and much of that is waiting; the other tests fill
the waiting, at a priority so low that no page is kept from its time.

A browser, a server and jobs at low priority share the processor with those tests, and now and then
an answer comes too late. So up to three browser tests that failed run again once the others have
ended: what fails twice is a failure, what passes then is named.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PYTEST = [sys.executable, "-m", "pytest"]
# The other run would overwrite its list of what failed.
FRONT = [*PYTEST, "-m", "browser", "-o", "cache_dir=.pytest_cache/browser"]
AGAIN = [*FRONT, "--last-failed", "--last-failed-no-failures", "none", "-v"]
FAILED = Path(".pytest_cache/browser/v/cache/lastfailed")
RETRIED = 3
BEHIND = ["nice", "-n", "15", *PYTEST, "-n", "auto", "--dist", "loadfile"]
BEHIND += ["-m", "slow and not browser"]


def main() -> int:
    """Run both, print what the one behind wrote once both have ended; 0 where both passed."""
    FAILED.unlink(missing_ok=True)
    with tempfile.TemporaryFile() as output:
        behind = subprocess.Popen(BEHIND, stdout=output, stderr=subprocess.STDOUT)
        try:
            front = subprocess.run(FRONT, check=False)
        finally:
            # Ctrl-C reaches both, and this waits for both.
            behind.wait()
        output.seek(0)
        sys.stdout.buffer.write(output.read())
        sys.stdout.flush()
    failed = front.returncode
    if failed == pytest.ExitCode.TESTS_FAILED and 0 < len(last_failed()) <= RETRIED:
        sys.stdout.write(f"Running again: {', '.join(last_failed())}\n")
        sys.stdout.flush()
        failed = subprocess.run(AGAIN, check=False).returncode
    return int(bool(failed or behind.returncode))


def last_failed() -> list[str]:
    """The browser tests that failed in the last run."""
    return list(json.loads(FAILED.read_text())) if FAILED.exists() else []


if __name__ == "__main__":
    sys.exit(main())
