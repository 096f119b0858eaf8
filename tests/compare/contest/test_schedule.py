"""Turns and times, with a clock in the test's hands."""

import numpy as np
import pytest

from treatise.compare.candidates import all_candidates
from treatise.compare.contest.schedule import Clock, Schedule
from treatise.compare.inputs import Size


class FakeTime:
    def __init__(self):
        self.value = 0.0

    def __call__(self):
        return self.value


@pytest.fixture
def plan():
    now = FakeTime()
    candidates = all_candidates("binary")
    return now, candidates, Schedule(Clock(100.0, now=now), candidates, k=5, jobs=2)


SIZE = Size(1000, 10, 2)


def test_everyone_gets_a_turn_even_if_all_use_their_whole_share(plan):
    now, candidates, schedule = plan
    seen, free_at = [], [0.0, 0.0]
    for candidate, seconds in schedule.turns(candidates, SIZE):
        seen.append(candidate.key)
        slot = int(np.argmin(free_at))
        free_at[slot] = now.value + seconds
        now.value = min(free_at)
    assert sorted(seen) == sorted(c.key for c in candidates)
    # All of them together end when the folds' time ends; the least share may exceed it by a little.
    assert max(free_at) <= 100.0


def test_the_cheapest_come_first_when_nothing_is_known(plan):
    _, candidates, schedule = plan
    order = [c for c, _ in schedule.turns(candidates, SIZE)]
    costs = [c.compare.seconds.at(*SIZE) for c in order]
    assert costs == sorted(costs)


def test_the_longest_come_first_later_and_those_that_cannot_finish_are_passed_over(plan):
    now, candidates, schedule = plan
    for number, candidate in enumerate(candidates):
        schedule.durations[candidate.key] = [float(number + 1)]
    order = [schedule.expected(c.key) for c, _ in schedule.turns(candidates, SIZE)]
    assert order == sorted(order, reverse=True)
    now.value = schedule.clock.budget - schedule.ending_seconds - 2.5
    late = [schedule.expected(c.key) for c, _ in schedule.turns(candidates, SIZE)]
    assert late == [2.0, 1.0]


def test_no_turn_is_given_once_the_time_is_up(plan):
    now, candidates, schedule = plan
    now.value = 99.0
    assert list(schedule.turns(candidates, SIZE)) == []


def test_the_end_keeps_more_time_for_a_slower_winner_but_never_most_of_the_budget(plan):
    _, _, schedule = plan
    quick = schedule.ending_seconds
    schedule.best_fit_seconds = 4.0
    assert schedule.ending_seconds == pytest.approx(quick + 10.0)
    schedule.best_fit_seconds = 1e6
    assert schedule.ending_seconds == pytest.approx(35.0)


def test_the_estimate_counts_the_folds_to_come_and_never_exceeds_the_budget(plan):
    now, _, schedule = plan
    schedule.durations = {"a": [0.1] * 10, "b": [0.3] * 10}
    # Forty folds each are left of fifty, on two processors.
    assert schedule.estimate_left(["a", "b"]) == pytest.approx((40 * 0.1 + 40 * 0.3) / 2 + schedule.ending_seconds)
    schedule.durations["a"] = [100.0]
    now.value = 30.0
    assert schedule.estimate_left(["a", "b"]) == pytest.approx(70.0)


def test_time_of_earlier_sittings_counts():
    now = FakeTime()
    clock = Clock(100.0, 60.0, now)
    now.value = 15.0
    assert clock.elapsed == 75.0
    assert clock.left == 25.0


def test_waves_finish_a_repeat_before_the_next_begins(plan):
    _, _, schedule = plan
    waves = list(schedule.waves())
    assert waves[:6] == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0)]
