"""Sharing a compiled loop out over threads."""

import pytest

from treatise._core import threads as _threads


@pytest.mark.parametrize("threads, cost", [(1, 1e9), (4, 1e9), (4, 1e3), (64, 1e9)])
def test_ranges_cover_every_item_once(monkeypatch, threads, cost):
    monkeypatch.setattr(_threads.numba, "get_num_threads", lambda: threads)
    done = []
    _threads.over_ranges(lambda first, last: done.extend(range(first, last)), 13, cost=cost)
    assert sorted(done) == list(range(13))


def test_little_work_stays_in_the_calling_thread(monkeypatch):
    monkeypatch.setattr(_threads, "ThreadPoolExecutor", None)
    _threads.over_ranges(lambda first, last: None, 100, cost=1e6)


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(_threads.numba, "get_num_threads", lambda: 2)

    def work(first, last):
        raise FloatingPointError(f"{first} to {last}")

    with pytest.raises(FloatingPointError, match="0 to 5"):
        _threads.over_ranges(work, 10, cost=1e9)
