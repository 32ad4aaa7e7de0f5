"""Settings shared by every test."""

import os

from hypothesis import HealthCheck, settings

# A shared machine may be slow at any moment: no deadline, and the same examples every time.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# HYPOTHESIS_PROFILE=search looks further, with new examples each time.
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
