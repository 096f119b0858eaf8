"""What changes nothing in mathematics changes nothing in a fit; what leaves too little to learn from is told.

These hold for every public estimator with X, so that a new one is held to them without a test of its own.
"""

import warnings

import numpy as np
import pytest
from contract_examples import TABLE_ESTIMATORS, example_of, output_of
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

ESTIMATORS = {cls.__name__: example_of(cls) for cls in TABLE_ESTIMATORS.values()}

SAMPLERS = (
    "SLIM", "CorrelatedSLIM", "NonlinearSLIM", "SparseFactorModel", "CategoricalIBP", "BayesianKernelClassifier",
)  # fmt: skip
"""Judged by R-hat, each in a test of its own."""

IN_ORDER = {
    "ALMA", "AROW", "NAROW", "ROMMA", "AveragedSGDClassifier", "AveragedSGDRegressor", "ConfidenceWeighted",
    "ImprovedEllipsoid", "KernelAveragedSGDClassifier", "NormalHerd", "OnlineGradientDescent", "OnlinePerceptron",
    "PassiveAggressive", "SecondOrderPerceptron", "SoftConfidenceWeighted", "PartitionTreeClassifier",
    "DoublingKCenter", "OnlineClusteringExperts", "ExpertClassifier", "ExpertRegressor",
    "SemiStochasticLogisticRegression", "SlowFeatureAnalysis", "StructuredPerceptronClassifier", "XSFA",
    "AutoregressiveISA",
}  # fmt: skip
"""Learn from one row after another, or from how they change, so that their order counts."""

DRAWN = {
    "FixedRankMetricLearner", "PrivateKernelClassifier", "PrivateLinearSVC", "PrivateLogisticRegression",
    "PrivateTuner", "ForestDensity", "DecisionTreeMarkovNetwork", "EnsembleSVC", "PrunedTreeClassifier",
    "RandomIntersectionTrees", "InteractionRuleClassifier", "ThermalPerceptron",
    "ClusterFeatureSelector", "MergeGaussianMixture", "AnechoicBSS",
    "GibbsMedLDAClassifier", "GibbsMedLDARegressor", "EnrichedDPRegressor", "EnrichedDPClassifier",
    "DPMixtureRegressor", "ClassSampledForest",
}  # fmt: skip
"""Draw rows, pairs of rows or noise by their places in the table."""

FOLDED = {
    "SpAMClassifier", "SVMPathCV", "BiasFreeSVCGrid", "PairwiseCouplingClassifier", "EpsilonBoostClassifier",
    "EpsilonBoostRegressor", "GroupLassoMKL", "RandomizedVariableElimination", "BackwardElimination",
    "GreedyElimination", "LinearBlender", "DesignedSearchCV",
}  # fmt: skip
"""Choose by cross-validation, whose folds go by the places of the rows."""

ONE_STEP = {
    "GroupLassoMKL": "one column is left at this penalty, and a pass over it is exact; its tests have a case",
    "MEDGraph": "no column of this table varies as zeros and ones",
    "KernelMachineRegressor": "least squares are one linear system",
    "DecisionTreeMarkovNetwork": "graphical/test_cut_short.py has a case that needs more",
    "IsingGraph": "no edge in this table; graphical/test_cut_short.py has a case",
    "MultinomialGraph": "no edge in this table; graphical/test_cut_short.py has a case",
    "SemiSupervisedGenerative": "rows that all have a label give a closed form; its own tests have a case",
}
"""One step may be enough here, and why."""

BY_ROW = {"GramTransformer"}
"""Have a column for each row of the table."""


def tables():
    """A table that every estimator accepts, with classes, and with numbers that follow from it."""
    X, labels = make_classification(120, 8, n_informative=5, random_state=0)
    X = np.abs(X)
    noise = np.random.default_rng(1).normal(size=len(X))
    return X, labels, 2 * X[:, 0] + np.sin(X[:, 1]) + 0.3 * noise


X, LABELS, NUMBERS = tables()


def target_of(estimator):
    return NUMBERS if is_regressor(estimator) else LABELS


def quietly(estimator, *table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(*table)


def scores_of(model, rows):
    """Scores where there are some: they tell more than labels."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(rows))
    return output_of(model, rows)


def by_name(names):
    return pytest.mark.parametrize("name", sorted(names))


def limited():
    return {n for n, e in ESTIMATORS.items() if "max_iter" in e.get_params(deep=False)} - set(ONE_STEP)


@by_name(limited())
def test_a_fit_cut_to_one_step_warns_and_has_not_converged(name):
    estimator = clone(ESTIMATORS[name]).set_params(max_iter=1)
    if "tol" in estimator.get_params():
        estimator.set_params(tol=1e-12)
    with pytest.warns(ConvergenceWarning):
        model = estimator.fit(X, target_of(estimator))
    assert model.converged_ is False


@by_name(set(ESTIMATORS) - IN_ORDER - DRAWN - FOLDED - BY_ROW - set(SAMPLERS))
def test_the_order_of_the_rows_does_not_matter(name):
    estimator = ESTIMATORS[name]
    order, y = np.random.default_rng(2).permutation(len(X)), target_of(estimator)
    plain, moved = scores_of(quietly(estimator, X, y), X), scores_of(quietly(estimator, X[order], y[order]), X)
    if plain.dtype.kind == "f":
        # Iterative fits stop at their tolerance, not at the same point.
        np.testing.assert_allclose(moved, plain, atol=1e-4 * np.abs(plain).max())
    else:
        np.testing.assert_array_equal(moved, plain)


@by_name(n for n, e in ESTIMATORS.items() if is_classifier(e))
def test_one_class_is_refused(name):
    with pytest.raises(ValueError, match="class"):
        clone(ESTIMATORS[name]).fit(X, np.zeros(len(X), int))


@by_name(n for n, e in ESTIMATORS.items() if is_regressor(e))
def test_the_unit_of_the_target_does_not_matter(name):
    estimator = ESTIMATORS[name]
    plain = quietly(estimator, X, NUMBERS).score(X, NUMBERS)
    for unit in (1e-6, 1e6):
        assert quietly(estimator, X, unit * NUMBERS).score(X, unit * NUMBERS) == pytest.approx(plain, abs=0.01)


def wide():
    return np.abs(np.random.default_rng(3).normal(size=(24, 40))), np.arange(24) % 2, np.arange(24.0) % 5


POOR = {
    "columns that follow from others": lambda: (np.c_[X, X[:, 0], X[:, 1] + X[:, 2]], LABELS, NUMBERS),
    "rows three times": lambda: tuple(np.repeat(part[:30], 3, axis=0) for part in (X, LABELS, NUMBERS)),
    "more columns than rows": wide,
}


@by_name(set(ESTIMATORS) - set(SAMPLERS))
@pytest.mark.parametrize("table", POOR)
def test_tables_without_full_rank_give_finite_results(name, table):
    estimator = ESTIMATORS[name]
    rows, labels, numbers = POOR[table]()
    found = scores_of(quietly(estimator, rows, numbers if is_regressor(estimator) else labels), rows)
    assert np.isfinite(found.astype(float)).all()
