"""Numbers too large to square are refused by every model here, in fits and in predictions."""

import numpy as np
import pytest

from treatise.bayes import (
    BayesianKernelClassifier,
    DPMixtureRegressor,
    EnrichedDPClassifier,
    EnrichedDPRegressor,
    GPBinaryClassifier,
    HeteroscedasticAdditiveRegressor,
    HierarchicalStickBreaking,
    LatentGaussianModel,
    LogisticStickBreaking,
    VariationalGLMM,
)
from treatise.linear import GroupARDRegressor, GroupLassoMKL

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
NUMBERS = X[:, 0] + 0.1 * RNG.normal(size=30)
SHORT = {"burn_in": 5, "n_samples": 5, "random_state": 0}

REGRESSORS = [
    EnrichedDPRegressor(**SHORT), DPMixtureRegressor(**SHORT), HeteroscedasticAdditiveRegressor(),
    VariationalGLMM("gaussian"), GroupARDRegressor(), GroupLassoMKL(),
]  # fmt: skip
CLASSIFIERS = [EnrichedDPClassifier(**SHORT), BayesianKernelClassifier(**SHORT), GPBinaryClassifier()]
PREDICTING = [EnrichedDPRegressor(**SHORT), HeteroscedasticAdditiveRegressor(), VariationalGLMM("gaussian")]


def named(model):
    return type(model).__name__


@pytest.mark.parametrize("model", REGRESSORS, ids=named)
def test_huge_targets_are_refused(model):
    with pytest.raises(ValueError, match=r"y holds .*e\+300, whose square overflows"):
        model.fit(X, 1e300 * NUMBERS)


@pytest.mark.parametrize("model", [*REGRESSORS, *CLASSIFIERS], ids=named)
def test_huge_columns_are_refused(model):
    target = NUMBERS if model in REGRESSORS else (NUMBERS > 0).astype(int)
    with pytest.raises(ValueError, match=r"X holds .*e\+\d+, whose square overflows; write it in a larger unit"):
        model.fit(1e200 * X, target)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", PREDICTING, ids=named)
def test_huge_new_rows_are_refused(model):
    model.fit(X, NUMBERS)
    with pytest.raises(ValueError, match="X holds"):
        model.predict(1e200 * X)


def test_huge_places_sets_and_counts_are_refused():
    with pytest.raises(ValueError, match="locations holds"):
        LogisticStickBreaking(max_iter=2).fit(X, locations=np.arange(30) * 1e300)
    with pytest.raises(ValueError, match=r"data_sets\[1\] holds"):
        HierarchicalStickBreaking(max_iter=2).fit([X, 1e200 * X])
    with pytest.raises(ValueError, match="y holds"):
        LatentGaussianModel(np.eye(3), likelihood="poisson").fit([1.0, 2.0, 1e300])
