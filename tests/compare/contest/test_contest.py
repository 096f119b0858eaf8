"""What a contest keeps of the clock for its end."""

from types import SimpleNamespace

import pytest

from treatise.compare.contest.clock import Clock
from treatise.compare.contest.contest import REPORT_MOST, REPORT_SECONDS, REPORT_SHARE, Contest
from treatise.compare.contest.ending import Ending

BUDGET = 100.0


def contest_of(wall, processor):
    """A contest whose last job took so long on the clock, for so many seconds of processor time."""
    contest = object.__new__(Contest)
    contest.clock = Clock(BUDGET, now=lambda: 0.0)
    contest._wall = contest._processor = 1.0
    contest._for_known_groups = 0.0
    contest.race = SimpleNamespace(leader=None)
    contest._pace(wall, processor)
    return contest


def left_before_the_page(contest):
    return Ending(contest, None, None, 1, False, lambda run: run, None)._left


def test_a_busy_machine_keeps_more_of_the_clock_for_the_page():
    idle, busy = contest_of(10.0, 10.0), contest_of(60.0, 10.0)
    assert idle.slowness == 1.0
    assert busy.slowness > 5.0
    assert busy.ending_seconds - idle.ending_seconds == pytest.approx((busy.slowness - 1.0) * REPORT_SECONDS)
    page = REPORT_SHARE * BUDGET
    assert BUDGET - left_before_the_page(idle) == pytest.approx(page)
    assert BUDGET - left_before_the_page(busy) == pytest.approx(busy.slowness * page)


def test_the_page_takes_no_more_than_a_share_of_the_budget_however_busy_the_machine_is():
    assert contest_of(1e6, 1.0).report_seconds(REPORT_SECONDS) == REPORT_MOST * BUDGET
