"""Numbers whose squares overflow are refused in words; planes were learnt from them that told no class apart."""

import numpy as np
import pytest

from treatise.selection import (
    KernelMomentSparseClassifier,
    L1MarginClassifier,
    MomentSparseClassifier,
    SparseFisherDiscriminant,
    ThermalPerceptron,
)


@pytest.mark.parametrize(
    "machine",
    [
        KernelMomentSparseClassifier(),
        L1MarginClassifier(),
        MomentSparseClassifier(),
        SparseFisherDiscriminant(),
        ThermalPerceptron(random_state=0),
        ThermalPerceptron(learning_rate=1.0, random_state=0),
    ],
    ids=str,
)
def test_numbers_whose_squares_overflow_are_refused(machine):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] > X[:, 1]).astype(int)
    with pytest.raises(ValueError, match=r"X holds .*e\+160, whose square overflows; write it in a larger unit"):
        machine.fit(1e160 * X, y)
    assert machine.fit(X, y).score(X, y) > 0.8
