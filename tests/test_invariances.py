"""What changes nothing in mathematics changes nothing in a fit; what leaves too little to learn from is told.

These hold for every public estimator with X, so that a new one is held to them without a test of its own.
"""

import warnings

import numpy as np
import pytest
from contract_examples import LABELS, NUMBERS, TABLE_ESTIMATORS, X, example_of, output_of, target_of
from sklearn.base import clone, is_classifier, is_regressor

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

BY_ROW = {"GramTransformer"}
"""Have a column for each row of the table."""


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
