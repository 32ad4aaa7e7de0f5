"""What calls report, that they can be cancelled, and the options that they refuse."""

import re
from ast import literal_eval

import pytest

from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.progress import Progress
from tests.refusals import assert_refused


def reports_of(call, *args, **options):
    """The steps of the call's progress; the same call, cancelled from the start, makes nothing."""
    seen = []
    call(*args, **options, progress=Progress(lambda *now: seen.append(now)))
    with pytest.raises(Cancelled):
        call(*args, **options, progress=Progress(cancelled=lambda: True))
    return seen


def assert_options_refused(cases, call, *args, **usual):
    """The sentence repeats each case, such as `seed=-1`, which replaces what is usual."""
    for case in cases.split():
        name, value = case.split("=", 1)
        options = usual | {name: literal_eval(value)}
        assert_refused(OptionError, re.escape(case), call, *args, **options)
