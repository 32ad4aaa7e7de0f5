"""Settings shared by every test, and where the seconds of a run went."""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Workers fill the cores; threads of linear algebra would wait for one another, in children, too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# A shared machine may be slow at any moment: no deadline, and the same examples every time.
settings.register_profile(
    "fast",
    max_examples=25,
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("slow", settings.get_profile("fast"), max_examples=100)
# HYPOTHESIS_PROFILE=search looks further, with new examples each time.
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Seconds and tests by folder, in a run of several."""
    seconds: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for report in (each for kind in terminalreporter.stats.values() for each in kind):
        if isinstance(report, pytest.TestReport):
            folder = str(Path(report.nodeid.partition("::")[0]).parent)
            seconds[folder] += report.duration
            tests[folder] += report.when == "call"
    if len(seconds) > 1:
        terminalreporter.section("seconds by folder")
        for folder, spent in seconds.most_common():
            terminalreporter.write_line(f"{spent:7.1f} s {tests[folder]:5d} tests  {folder}")
        terminalreporter.write_line(f"{seconds.total():7.1f} s {tests.total():5d} tests")
