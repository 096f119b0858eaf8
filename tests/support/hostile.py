"""Estimators that misbehave in one way each, for the tests of isolation."""

import os
import re
import time
from pathlib import Path

import numba
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from treatise.compare.contest import signals
from treatise.compare.contest.messages import BEGIN


class _Hostile(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[0])

    def predict_proba(self, X):
        return np.full((X.shape[0], len(self.classes_)), 1 / len(self.classes_))


class Raises(_Hostile):
    """Fails with a message."""

    def fit(self, X, y):
        raise ValueError("the matrix is <singular>\nsecond line")


class Hangs(_Hostile):
    """Never comes back."""

    def fit(self, X, y):
        time.sleep(600)


class EatsMemory(_Hostile):
    """Takes more and more memory."""

    def fit(self, X, y):
        self.hoard = []
        for _ in range(10_000):
            self.hoard.append(np.ones(2**23))
            time.sleep(0.01)
        return self


class Dies(_Hostile):
    """Ends its own process, as a crash in compiled code would."""

    def fit(self, X, y):
        os._exit(7)


class Prints(_Hostile):
    """Writes to standard output, which must not disturb the answers."""

    def fit(self, X, y):
        print("noise " * 10_000)
        os.write(1, b"\x00\x01 raw noise\n" * 1000)
        return super().fit(X, y)


class Succeeds(_Hostile):
    """Does nothing wrong."""


def spin(seconds):
    """Begins, and uses the processor for so long."""
    signals.tell(BEGIN)
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass


def start_slowly_and_compile():
    """Spins before it begins, and then compiles a loop."""
    start = time.process_time()
    while time.process_time() - start < 0.7:
        pass
    signals.tell(BEGIN)

    @numba.njit
    def added(values):
        total = 0.0
        for value in values:
            total += value
        return total

    return added(np.array([1.0, 2.0, 3.0]))


def hold_all_threads(marker):
    """A call that lets no other thread of its process run, and does not end."""
    Path(marker).touch()
    re.match("(a+)+$", 40 * "a" + "b")
