"""`python -m bjp_engine` is `bjp`."""

import sys

from bjp_engine.cli import main

sys.exit(main())
