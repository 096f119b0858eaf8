"""Every iterative learner of sequences says whether it has settled: cut short it warns, given time it does not."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.kernels import HiddenMarkovProductKernel, LinearDynamicalProductKernel
from treatise.sequence import CRF, HMM, AdditiveCRF, SemiCRF


def chains(seed=0):
    """Numbers around the level of a label that seldom changes."""
    rng = np.random.default_rng(seed)
    labels = [np.repeat(rng.integers(0, 2, 6), 4) for _ in range(12)]
    return [(path + 0.8 * rng.normal(size=len(path)))[:, np.newaxis] for path in labels], [p.tolist() for p in labels]


SEQUENCES, LABELS = chains()
LETTERS = ["".join(row) for row in np.random.default_rng(1).choice(list("ACGT"), (3, 40))]
SERIES = [np.random.default_rng(2).normal(size=(30, 2)).cumsum(axis=0)]


def fitted(estimator):
    return estimator.fit(SEQUENCES, LABELS)


LEARNERS = {
    "CRF": lambda n: fitted(CRF(max_iter=n)),
    "CRF, majorized": lambda n: fitted(CRF(solver="majorized", max_iter=n)),
    "CRF, semistochastic": lambda n: fitted(CRF(solver="semistochastic", max_iter=n, random_state=0)),
    "SemiCRF": lambda n: fitted(SemiCRF(max_iter=n)),
    "AdditiveCRF": lambda n: fitted(AdditiveCRF(max_iter=n)),
    "HMM": lambda n: HMM(2, emission="gaussian", max_iter=n, random_state=0).fit(SEQUENCES),
    "HiddenMarkovProductKernel": lambda n: HiddenMarkovProductKernel(max_iter=n, tol=1e-3).models(LETTERS),
    "LinearDynamicalProductKernel": lambda n: LinearDynamicalProductKernel(max_iter=n).models(SERIES),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_runs_cut_short_warn_and_long_ones_do_not(name):
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        short = LEARNERS[name](1)
    assert not getattr(short, "converged_", False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        settled = LEARNERS[name](500)
    assert getattr(settled, "converged_", True) is True


def test_boosting_ends_early_by_design():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert not fitted(AdditiveCRF(method="boost", max_iter=1)).converged_
