"""What is refused: by an error of one kind, in one sentence that names what is wrong."""

import re

import pytest


def assert_refused(error, about, call, *args, **options):
    """The call raises this error with one line that matches, whatever else it was given."""
    try:
        call(*args, **options)
    except error as raised:
        sentence = str(raised)
        assert re.search(about, sentence), f"{about!r} with {options or args}: {sentence}"
        assert "\n" not in sentence, f"{about!r}: {sentence}"
    else:
        pytest.fail(f"not refused: {about!r} with {options or args}")
