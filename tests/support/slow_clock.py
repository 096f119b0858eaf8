"""A clock of comparisons that others who keep the machine busy cannot outrun."""

import time
from functools import partial

import pytest

from treatise.compare.contest.clock import Clock


def slow_clock(patch: pytest.MonkeyPatch, times: float = 10.0) -> None:
    """Let the seconds of a budget last so many times as long."""
    patch.setattr("treatise.compare.comparison.Clock", partial(Clock, now=lambda: time.monotonic() / times))
