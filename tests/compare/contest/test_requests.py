"""Requests to end: one cuts short what may be, waits for what may not, and a second one does not wait."""

import signal
import threading

import pytest

from treatise.compare.contest import requests as module
from treatise.compare.contest.requests import SAME, Requests


def ask():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def later(monkeypatch):
    """A clock that the test moves."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, now[0] + seconds)


def test_a_request_cuts_short_the_block_that_it_is_made_in():
    with Requests() as requests:
        with pytest.raises(KeyboardInterrupt), requests.cut_short():
            ask()
        assert not requests.noted


def test_a_request_outside_of_such_a_block_cuts_short_the_next_and_no_other():
    with Requests() as requests:
        ask()
        assert requests.noted
        with pytest.raises(KeyboardInterrupt), requests.cut_short():
            raise AssertionError("was begun")
        with requests.cut_short():
            assert not requests.noted


def test_requests_at_once_are_one(later):
    with Requests() as requests:
        with pytest.raises(KeyboardInterrupt), requests.cut_short():
            ask()
        ask()
        assert not requests.noted
        later(2 * SAME)
        ask()
        ask()
        assert requests.noted


def test_who_asks_again_does_not_wait(later):
    with Requests():
        ask()
        later(2 * SAME)
        with pytest.raises(KeyboardInterrupt):
            ask()


def test_only_what_would_raise_is_heard_and_that_is_put_back():
    before, asked = signal.getsignal(signal.SIGTERM), []
    with Requests():
        assert signal.getsignal(signal.SIGTERM) is before
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    own = signal.signal(signal.SIGINT, lambda *_: asked.append(1))
    try:
        with Requests() as requests:
            ask()
        assert asked and not requests.noted
    finally:
        signal.signal(signal.SIGINT, own)


def test_a_thread_that_no_signal_reaches_goes_without():
    held = []

    def compare():
        with Requests() as requests, requests.cut_short():
            held.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=compare)
    thread.start()
    thread.join()
    assert held == [signal.default_int_handler]
