"""A plane between two kinds of rows."""

import numpy as np
import pytest
from scipy import sparse

from treatise.optimize import separating_plane


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_plane_keeps_its_distance_and_is_none_where_there_is_none(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    positive = X @ [1.0, -2.0, 0.5] > 0.2
    weights, threshold = separating_plane(form(X), positive)
    assert np.all(np.where(positive, 1.0, -1.0) * (X @ weights - threshold) >= 1.0 - 1e-7)
    assert separating_plane(form(np.vstack([X, X[:1]])), np.append(positive, not positive[0])) is None


def test_time_that_is_up_is_told():
    rng = np.random.default_rng(0)
    with pytest.raises(TimeoutError, match="longer time_limit"):
        separating_plane(rng.normal(size=(4000, 300)), rng.random(4000) < 0.5, time_limit=1e-6)
