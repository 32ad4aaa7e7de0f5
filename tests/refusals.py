"""What is refused: by an error of one kind, in one sentence that names what is wrong."""

import re

import pytest


def assert_refused(error, about, call, *args, **options):
    """The call raises this error with one line that matches, whatever else it was given."""
    case = f"{about!r} with {options or args}"
    try:
        call(*args, **options)
    except error as raised:
        sentence = str(raised)
        assert re.search(about, sentence), f"{case}: {sentence}"
        assert "\n" not in sentence, f"{case}: {sentence}"
    else:
        pytest.fail(f"not refused: {case}")
