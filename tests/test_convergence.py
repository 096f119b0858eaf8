"""Every iterative estimator of these families tells when it falls short, and converges at its defaults."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import treatise.decomposition
import treatise.kernel_methods
import treatise.linear
import treatise.svm

SHORT = {
    "AdaptivePoolingClassifier": {"max_iter": 1, "alpha": 10.0, "tol": 1e-9},
    "MultiTaskMEDClassifier": {"max_iter": 1, "tol": 1e-9},
    "MultiTaskMEDRegressor": {"max_iter": 1, "tol": 1e-9},
    "BackgroundClassifier": {"max_iter": 1},
    "BiasFreeSVC": {"max_iter": 1},
    "EarlyStoppedKernelRegressor": {"max_iter": 1},
    "GroupARDRegressor": {"max_iter": 1, "tol": 1e-12},
    "GroupLassoMKL": {"max_iter": 1, "tol": 1e-12, "gamma": 0.1},
    "GroupedMKLClassifier": {"max_iter": 1, "tol": 1e-12, "groups": [[0, 1], [2]]},
    "HybridLinearClassifier": {"max_iter": 1},
    "HybridLinearRegressor": {"max_iter": 1, "learning_rate": 1e-3},
    "KernelMachineClassifier": {"loss": "logistic", "max_iter": 1, "penalty": 1e-6},
    "KernelMachineRegressor": {"loss": "huber", "max_iter": 1, "penalty": 1e-6},
    "KernelMarginClassifier": {"max_iter": 1},
    "LatentLogLinearClassifier": {"max_iter": 1},
    "LpMKLClassifier": {"max_iter": 1, "tol": 1e-12},
    "LpMKLOneClass": {"max_iter": 1, "tol": 1e-12, "normalize": None},
    "LpMKLRegressor": {"max_iter": 1, "tol": 1e-12},
    "MajorizedLogisticRegression": {"max_iter": 1},
    "MarginClassifier": {"max_iter": 1},
    "QNormSVC": {"max_iter": 1},
    "SemiStochasticLogisticRegression": {"n_passes": 0.1, "tol": 1e-6},
    "SpAMClassifier": {"max_iter": 1, "tol": 1e-12, "penalty": 0.001},
    "SpAMRegressor": {"max_iter": 1, "tol": 1e-12, "penalty": 0.001},
    "GeometricMedianSubspace": {"max_iter": 1},
    "AnechoicBSS": {"max_iter": 1, "n_sources": 1, "tol": 1e-12},
    "LPSeparableNMF": {"max_iter": 1},
    "SparseNMF": {"max_iter": 11, "tol": 1e-12, "n_components": 2},
}
"""Parameters under which a fit cannot converge."""

CERTIFIED = {
    "MEDGraph": "takes zeros and ones; the sweeps are those of MultiTaskMEDClassifier",
    "AnchorTopics": "the ellipsoid of SeparableNMF",
    "ConditionalDBN": "its machines are ConditionalRBM",
    "ConditionalRBM": "passes are counted; its own tests have steps that are too long",
    "FactoredConditionalRBM": "the learning of ConditionalRBM",
    "EnsembleSVC": "its machines have the solver of ExtremePointsSVC, and no limit that a user could set",
    "BiasFreeSVCGrid": "its machines are those of BiasFreeSVC, without a limit",
    "ExtremePointsSVC": "its machines have no limit that a user could set; told by the solver's own test",
    "KernelMinimaxProbabilityMachine": "one eigendecomposition",
    "KnowledgeKernelRegressor": "a linear program, whose gap is looked at",
    "LinearKnowledgeRegressor": "a linear program, whose gap is looked at",
    "MICGroup": "a greedy search that ends where no feature shortens the description",
    "MICMulti": "a greedy search that ends where no feature shortens the description",
    "MICMultiClassifier": "the search of MICMulti, then scikit-learn's logistic regression",
    "MinimaxProbabilityMachine": "one eigendecomposition",
    "PairwiseCouplingClassifier": "the machines are those of the estimator inside",
    "PrivateKernelClassifier": "an error where the minimum is not reached",
    "PrivateLinearSVC": "an error where the minimum is not reached",
    "PrivateLogisticRegression": "an error where the minimum is not reached",
    "PrivateTuner": "the models are those of the estimator inside",
    "SeparableNMF": "an ellipsoid whose duality gap is looked at; test_enclosing_ellipsoid cuts one short",
    "SlowFeatureAnalysis": "one eigendecomposition",
    "TransFeat": "a greedy search that ends where no feature shortens the description",
    "XSFA": "an eigendecomposition for each source; doubts about one are told",
    "SVMPath": "exact; test_path has a kernel at which it stalls",
    "SVMPathCV": "exact; test_path has a kernel at which it stalls",
}
"""Estimators that need no limit, and why."""


def public_estimators():
    families = (treatise.svm, treatise.kernel_methods, treatise.linear, treatise.decomposition)
    found = {name: getattr(family, name) for family in families for name in family.__all__}
    return {n: c for n, c in found.items() if isinstance(c, type) and issubclass(c, BaseEstimator)}


ESTIMATORS = public_estimators()


def takes_kernels(name):
    return "MKL" in name and "kernels" in ESTIMATORS[name]().get_params()


def table(name, unit=1.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * [1.0, 3.0, 0.3]
    score = X[:, 0] + np.sin(X[:, 1]) + rng.normal(size=40)
    if name in ("LPSeparableNMF", "SparseNMF"):
        X = np.abs(X)
    if takes_kernels(name):
        X = [rbf_kernel(X, gamma=gamma) for gamma in (0.01, 0.3, 5.0)]
    else:
        X = unit * X
    return X, (score > 0).astype(int) if is_classifier(ESTIMATORS[name]()) else score


def fitted(name, unit=1.0, **parameters):
    X, y = table(name, unit)
    estimator = ESTIMATORS[name](**parameters)
    if takes_kernels(name):
        estimator.set_params(kernels="precomputed")
    return estimator.fit(X) if name == "LpMKLOneClass" else estimator.fit(X, y)


def test_every_estimator_is_accounted_for():
    assert set(ESTIMATORS) == SHORT.keys() | CERTIFIED.keys()


@pytest.mark.parametrize("name", SHORT)
def test_too_little_work_is_told(name):
    with pytest.warns(ConvergenceWarning):
        model = fitted(name, **SHORT[name])
    assert model.converged_ is False


@pytest.mark.parametrize("name", sorted(SHORT))
def test_defaults_converge_on_a_small_table(name):
    needed = {key: SHORT[name][key] for key in ("groups", "n_components", "normalize") if key in SHORT[name]}
    if name == "SemiStochasticLogisticRegression":
        needed = {"n_passes": 100, "random_state": 0}  # ten passes over 40 rows are few steps
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = fitted(name, **needed)
    assert model.converged_ is True


def judged_by_a_tolerance():
    """Classifiers and regressors of columns."""
    return sorted(
        name
        for name in SHORT
        if hasattr(ESTIMATORS[name], "predict") and not takes_kernels(name) and "tol" in ESTIMATORS[name]().get_params()
    )


def lost_to_the_tolerance(name, unit):
    """How far scores are from a tight fit's, as a share of their spread; none where the fit says it fell short."""
    needed = {"random_state": 0} if name == "SemiStochasticLogisticRegression" else {}
    found = fitted(name, unit, **needed)
    if not found.converged_:
        return 0.0
    tight = fitted(name, unit, **needed, tol=1e-4 * found.tol)
    score = "decision_function" if is_classifier(found) else "predict"
    ours, best = (getattr(model, score)(table(name, unit)[0]) for model in (found, tight))
    return np.abs(ours - best).max() / np.ptp(best)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", judged_by_a_tolerance())
def test_a_small_unit_of_the_columns_ends_no_fit_early(name):
    # A machine that is judged by its duality gap has coarser scores in any unit.
    assert lost_to_the_tolerance(name, 1e-4) <= max(0.01, 2 * lost_to_the_tolerance(name, 1.0))
