"""The slow tier in two runs side by side: the tests in a browser in front, other slow ones behind.

Pages are watched in a browser, one at a time, and much of that is waiting; the other tests fill
the waiting, at a priority so low that no page is kept from its time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile

PYTEST = [sys.executable, "-m", "pytest"]
FRONT = [*PYTEST, "-m", "browser"]
BEHIND = ["nice", "-n", "15", *PYTEST, "-n", "auto", "--dist", "loadfile"]
BEHIND += ["-m", "slow and not browser"]


def main() -> int:
    """Run both, print what the one behind wrote once both have ended; 0 where both passed."""
    with tempfile.TemporaryFile() as output:
        behind = subprocess.Popen(BEHIND, stdout=output, stderr=subprocess.STDOUT)
        try:
            front = subprocess.run(FRONT, check=False)
        finally:
            # Ctrl-C reaches both, and this waits for both.
            behind.wait()
        output.seek(0)
        sys.stdout.buffer.write(output.read())
    return int(bool(front.returncode or behind.returncode))


if __name__ == "__main__":
    sys.exit(main())
