"""Costs measured over sizes."""

import numpy as np
import pytest

from benchmarks._contest import Contest, Scaling


def test_a_scaling_tells_the_memory_of_each_size_without_that_of_its_data():
    def prepare(size):
        data = np.ones(size)
        return lambda: float(np.add(data, 1.0).sum())

    row = Scaling("sums", (2_000_000, 8_000_000), prepare, repeats=2).run()
    assert row["sizes"] == [2_000_000, 8_000_000]
    assert len(row["seconds"]) == 2 and min(row["seconds"]) > 0.0 and np.isfinite(row["slope"])
    # A second array of the size, where the looks at the process catch it; never the data as well.
    assert max(row["peak MiB"]) < 80.0
    assert "quality" not in row


def test_a_scaling_tells_the_quality_of_each_size_where_it_is_asked():
    row = Scaling("sums", (10, 1000), lambda size: lambda: np.ones(size), repeats=1, quality=np.sum).run()
    assert row["quality"] == [10.0, 1000.0]


def test_a_side_that_ends_without_a_result_is_named():
    contest = Contest("dies", "numpy", ours=lambda: 1 / 0, theirs=lambda: 1.0, quality=float)
    with pytest.raises(RuntimeError, match="dies: ours ended without a result"):
        contest.run()
