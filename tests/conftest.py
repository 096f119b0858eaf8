"""Fixtures that every test may use."""

import matplotlib
import pytest

from treatise._core.errors import DataNotFoundError
from treatise.datasets import locate

matplotlib.use("Agg")
collect_ignore = ["support"]  # what tests import; nothing there is a test or a doctest


@pytest.fixture
def real_data():
    """Path of a real data file; the test skips, saying what is absent, where the file is not there."""

    def find(name):
        try:
            return locate(name)
        except DataNotFoundError as missing:
            pytest.skip(str(missing))

    return find
