"""Other interpreters for work that may be ended."""

import os
import threading

import pytest

from bjp_engine.processes import Interpreter, LostError


def test_two_end_one_at_once():
    made = Interpreter()
    both = [threading.Thread(target=made.kill) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
        assert not one.is_alive()
    assert not made.alive
    with pytest.raises(LostError):
        made.run(os.getpid, look=lambda: None)
