"""Fixtures that every test may use, and the order in which tests run."""

import os
from itertools import groupby

import matplotlib
import pytest

from treatise._core.errors import DataNotFoundError
from treatise.datasets import locate

matplotlib.use("Agg")
LONG = ("compare", "cli", "docs", "report", "papers", "bayesnet")
"""Folders whose files take longest: comparisons in processes of their own, pages, experiments, searches."""
collect_ignore = ["support"]  # what tests import; nothing there is a test or a doctest


def pytest_collection_modifyitems(config, items):
    """Long files first, dealt to the processes in turn, so that none of them is left with these at the end.

    Each process is first given an equal share of the list, one after another; the tests of a file stay together, for
    they share what they fit and compile.
    """
    n_processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    folder = {item: item.path.relative_to(config.rootpath).parts[1] for item in items}
    files = [list(each) for _, each in groupby(items, key=lambda item: item.path)]
    long = sorted((each for each in files if folder[each[0]] in LONG), key=lambda each: LONG.index(folder[each[0]]))
    rest = [item for each in files if folder[each[0]] not in LONG for item in each]
    shares = [[item for each in long[number::n_processes] for item in each] for number in range(n_processes)]
    for share in shares[:-1]:
        room = max(len(items) // n_processes - len(share), 0)
        share += rest[:room]
        rest = rest[room:]
    shares[-1] += rest
    items[:] = [item for share in shares for item in share]


@pytest.fixture
def real_data():
    """Path of a real data file; the test skips, saying what is absent, where the file is not there."""

    def find(name):
        try:
            return locate(name)
        except DataNotFoundError as missing:
            pytest.skip(str(missing))

    return find
