"""Fixtures that every test may use, and the order in which tests run."""

import os
from itertools import groupby

import matplotlib
import pytest

from treatise._core.errors import DataNotFoundError
from treatise.datasets import locate

matplotlib.use("Agg")
WAITING = ("compare", "cli", "report")
"""Folders whose tests mostly wait: for comparisons in processes of their own, for commands, for a browser."""
LONG = ("docs", "papers", "bayesnet")
"""Folders whose tests compute longest."""
collect_ignore = ["support"]  # what tests import; nothing there is a test or a doctest


def pytest_collection_modifyitems(config, items):
    """What waits goes to the first of several processes, what computes long is dealt to the others, all of it first.

    Each process is given an equal share of the list to begin with, one after another, and takes from the others when
    it is done. The tests of a file stay together, for they share what they fit and compile.
    """
    n_processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    files: dict[str, list] = {"waiting": [], "long": [], "rest": []}
    for path, each in groupby(items, key=lambda item: item.path):
        folder = path.relative_to(config.rootpath).parts[1]
        kind = "waiting" if folder in WAITING else "long" if folder in LONG else "rest"
        files[kind].append(list(each))
    shares = [files["waiting"], *(files["long"][number :: n_processes - 1] for number in range(n_processes - 1))]
    if n_processes == 1:
        shares = [files["waiting"] + files["long"]]
    shares = [[item for each in share for item in each] for share in shares]
    rest = [item for each in files["rest"] for item in each]
    for share in shares[:-1]:
        room = max(len(items) // n_processes - len(share), 0)
        share += rest[:room]
        rest = rest[room:]
    items[:] = [item for share in [*shares, rest] for item in share]


@pytest.fixture
def real_data():
    """Path of a real data file; the test skips, saying what is absent, where the file is not there."""

    def find(name):
        try:
            return locate(name)
        except DataNotFoundError as missing:
            pytest.skip(str(missing))

    return find
