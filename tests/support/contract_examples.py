"""Every public estimator, and those whose defaults do not suit the general checks, as these should make them."""

import inspect
from importlib import import_module

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, is_regressor
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import KBinsDiscretizer

from treatise.catalog import FAMILIES
from treatise.linear import PrivateLogisticRegression


def _bins(n_bins):
    return KBinsDiscretizer(n_bins, encode="ordinal", strategy="uniform")


# The checks draw nothing themselves: what is random needs a seed.
SEEDED = {"random_state": 0}
# A weighted and a repeated row take other steps; only a tight end makes their scores agree to seven digits.
TIGHT_MIXTURE = {"tol": 1e-14, "max_iter": 60}
TIGHT_HYBRID = {"tol": 1e-12, "max_iter": 1000}
# The checks bring rows of any norm and expect the accuracy of a classifier without noise.
ROOMY_ROWS = {"data_norm": 10.0, "norm_excess": "clip", "fit_intercept": True}
NEARLY_PUBLIC = {**ROOMY_ROWS, "epsilon": 1e6, "alpha": 1e-3, **SEEDED}
# A chain long enough to run through every step of the sampler.
SHORT_CHAIN = {"n_burn": 20, "n_samples": 40, "thin": 4, "n_chains": 1, **SEEDED}
SHORTEST_CHAIN = {"n_burn": 2, "n_samples": 4, "thin": 1, **SEEDED}

# Learners that take the rows in random order.
SHUFFLING = (
    "ALMA", "AROW", "NAROW", "ROMMA", "AveragedSGDClassifier", "AveragedSGDRegressor", "ConfidenceWeighted",
    "ImprovedEllipsoid", "KernelAveragedSGDClassifier", "NormalHerd", "OnlineGradientDescent", "OnlinePerceptron",
    "PassiveAggressive", "SecondOrderPerceptron", "SoftConfidenceWeighted", "StructuredPerceptronClassifier",
)  # fmt: skip

PARAMETERS = {
    **dict.fromkeys(SHUFFLING, SEEDED),
    "ExpertClassifier": {"estimators": [LogisticRegression(), GaussianNB()]},
    "ExpertRegressor": {"estimators": [LinearRegression(), Ridge()]},
    # The checks feed streams without knowing of a radius.
    "OnlineClusteringExperts": {"radius": 1e4, **SEEDED},
    # The checks bring few classes and little data, and expect the accuracy of a batch learner.
    "PartitionTreeClassifier": {"n_passes": 50, **SEEDED},
    "HybridLinearClassifier": TIGHT_HYBRID,
    "HybridLinearRegressor": TIGHT_HYBRID,
    "AutoregressiveISA": SEEDED,
    "IndependentSubspaceAnalysis": SEEDED,
    "PostNonlinearISA": SEEDED,
    "KernelMarginClassifier": {"tol": 1e-11},
    "MinlipOrdinal": {"tol": 1e-10},
    "LatentLogLinearClassifier": {"C": 0.1, "n_restarts": 2, "tol": 1e-12, **SEEDED},
    "PrivateKernelClassifier": {"epsilon": 1e6, "alpha": 1e-3, "gamma": 0.1, **SEEDED},
    "PrivateLinearSVC": NEARLY_PUBLIC,
    "PrivateLogisticRegression": NEARLY_PUBLIC,
    "PrivateTuner": {
        "estimator": PrivateLogisticRegression(**ROOMY_ROWS),
        "param_grid": {"alpha": [1e-3]},
        "epsilon": 1e6,
        **SEEDED,
    },
    "DesignedSearchCV": {
        "estimator": LogisticRegression(),
        "factors": {"C": (0.1, 10.0, "log")},
        "cv": 2,
        "error_score": "raise",
    },
    "AnechoicBSS": SEEDED,
    "LogisticStickBreaking": SEEDED,
    "SemiStochasticLogisticRegression": SEEDED,
    # The width "scale" depends on the variance, which is another one for repeated rows.
    "BiasFreeSVC": {"gamma": 0.01, "tol": 1e-14, "stopping": "gap"},
    "MaximumMarginRegression": {"gamma": 0.01, "tol": 1e-14},
    # Repeated rows fall into other folds than weighted ones: only a grid of one point chooses the same.
    "BiasFreeSVCGrid": {"lams": [1e-2], "gammas": [0.01], "cv": 2, "tol": 1e-14, "stopping": "gap"},
    # Weights equal repeated rows only where every machine sees all rows.
    "EnsembleSVC": {
        "n_estimators": 3,
        "max_samples": 1.0,
        "bootstrap": False,
        "gamma": 0.01,
        "tol": 1e-12,
        **SEEDED,
    },
    # Only with every row kept.
    "ExtremePointsSVC": {"gamma": 0.01, "epsilon": 1e-12, "tol": 1e-12},
    # Not the default: for an SVM with gamma="scale" a row of weight two is not two rows.
    "PairwiseCouplingClassifier": {"estimator": LogisticRegression(), "calibration": "sigmoid"},
    "QNormSVC": {"gamma": 0.05, "tol": 1e-11},
    "EarlyStoppedKernelRegressor": SEEDED,
    "LpMKLClassifier": TIGHT_MIXTURE,
    "LpMKLOneClass": TIGHT_MIXTURE,
    "LpMKLRegressor": TIGHT_MIXTURE,
    # Along hundreds of steps rounding errors grow beyond what the checks allow.
    "FixedRankMetricLearner": {"max_iter": 20, **SEEDED},
    "FixedRankPSDRegressor": {"max_iter": 20, **SEEDED},
    "PseudoEuclideanEmbedding": {"metric": "sqeuclidean"},
    # The checks bring numbers that are no shares of a whole.
    "GroundMetricLearner": {"normalize": True, "max_outer": 1},
    # These take binary or categorical columns; the checks bring numbers.
    "MEDGraph": {"binarize": 0.0},
    "DecisionTreeMarkovNetwork": {"binarize": 0.0, **SEEDED},
    "IsingGraph": {"binarize": 0.0},
    "MultinomialGraph": {"n_bins": 3, "tol": 1e-3},
    "MutualInformationGraph": {"n_bins": 3},
    "ConstrainedStructureLearner": {"discretizer": _bins(2), "max_parents": 3},
    "OrderAveragedNetwork": {"discretizer": _bins(3)},
    "BayesianKernelClassifier": {"burn_in": 100, "n_samples": 100, **SEEDED},
    "CategoricalIBP": {"n_bins": 3, "n_burn": 4, "n_samples": 6, "n_chains": 1, **SEEDED},
    "ForestDensity": SEEDED,
    # Few splines, which the checks can wait for.
    "HeteroscedasticAdditiveRegressor": {"n_splines": 4},
    # A few trees, which the checks can wait for.
    "InteractionRuleClassifier": {"n_trees": 60, "n_cuts": 5, **SEEDED},
    "RandomIntersectionTrees": {"n_trees": 20, "min_trees": 1, "max_patterns": 20, "max_nodes": 200, **SEEDED},
    "RandomizedVariableElimination": SEEDED,
    # Where no plane is right the weights never rest: only the mean over many passes is that of a rounded table too.
    "ThermalPerceptron": {"decay": 0.9999, **SEEDED},
    "ClusterFeatureSelector": {"max_clusters": 4, **SEEDED},
    "MergeGaussianMixture": SEEDED,
    "SLIM": {"n_orders": 2, "n_burn_dag": 20, "n_samples_dag": 40, **SHORT_CHAIN},
    "CorrelatedSLIM": {"n_factors": 2, **SHORTEST_CHAIN},
    "NonlinearSLIM": {"orders": "columns", **SHORTEST_CHAIN},
    "SparseFactorModel": SHORT_CHAIN,
    # The checks bring amounts, which are no counts.
    "GibbsMedLDAClassifier": {"tokens_per_row": 20, "n_burn": 5, "n_samples": 3, **SEEDED},
    "GibbsMedLDARegressor": {"tokens_per_row": 20, "n_burn": 5, "n_samples": 3, **SEEDED},
    "VariationalGLMM": {"family": "gaussian"},
    # Short chains, which the checks can wait for.
    "EnrichedDPRegressor": {"burn_in": 60, "n_samples": 90, "thin": 10, **SEEDED},
    "EnrichedDPClassifier": {"burn_in": 60, "n_samples": 90, "thin": 10, **SEEDED},
    "DPMixtureRegressor": {"burn_in": 60, "n_samples": 90, "thin": 10, **SEEDED},
    # A few trees, and models that the checks can wait for.
    "ClassSampledForest": {"n_estimators": 20, **SEEDED},
    "BackwardElimination": {"estimator": LogisticRegression(), **SEEDED},
    "GreedyElimination": {"estimator": GaussianNB(), **SEEDED},
    "LinearBlender": {"estimators": [("linear", LogisticRegression()), ("bayes", GaussianNB())], "cv": 3, **SEEDED},
}

SET_ASIDE = {
    "SemiSupervisedGenerative": {
        "check_classifiers_classes": "-1 marks a row without a label; the check spares scikit-learn's own by name",
    },
}
"""Checks of scikit-learn that cannot hold, and why."""


def example_of(estimator_class):
    """An instance for the general checks."""
    return estimator_class(**PARAMETERS.get(estimator_class.__name__, {}))


def _tables():
    """A table that every estimator accepts, with classes, and with numbers that follow from it."""
    X, labels = make_classification(120, 8, n_informative=5, random_state=0)
    X = np.abs(X)
    noise = np.random.default_rng(1).normal(size=len(X))
    return X, labels, 2 * X[:, 0] + np.sin(X[:, 1]) + 0.3 * noise


X, LABELS, NUMBERS = _tables()


def target_of(estimator):
    """What an estimator learns of the table's rows."""
    return NUMBERS if is_regressor(estimator) else LABELS


MACHINERY = ["statistics", "optimize", "kernels", "inference"]


def public_estimators():
    """Every public class with ``fit`` in the families and the machinery, as one default instance each."""
    found = {}
    for package in [*FAMILIES, *MACHINERY]:
        module = import_module(f"treatise.{package}")
        for name in getattr(module, "__all__", []):
            member = getattr(module, name)
            if not inspect.isclass(member) or inspect.isabstract(member):
                continue
            if issubclass(member, BaseEstimator) and hasattr(member, "fit"):
                found[f"treatise.{package}.{name}"] = member
    return found


def _takes_a_table(estimator_class):
    """Estimators whose ``fit`` takes X; others (games, sequences, graphs) say so by another name."""
    return next(iter(list(inspect.signature(estimator_class.fit).parameters)[1:]), None) == "X"


TABLE_ESTIMATORS = {path: cls for path, cls in public_estimators().items() if _takes_a_table(cls)}


def output_of(estimator, X):
    """What a fitted estimator makes of X; a learner of graphs makes nothing of rows, and its graph stands for it."""
    for method in ("transform", "predict"):
        if hasattr(estimator, method):
            return np.asarray(_dense(getattr(estimator, method)(X)))
    final = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    return np.asarray(_dense(final.adjacency_))


def _dense(result):
    return result.toarray() if sparse.issparse(result) else result
