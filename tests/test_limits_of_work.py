"""Every estimator with a limit on its work says where the limit cut it short, or stands here with the reason.

A limit is known by the name of its parameter, so that a new estimator is held to this without a test of its own.
"""

import inspect
import re

import pytest
from contract_examples import TABLE_ESTIMATORS, X, example_of, public_estimators, target_of
from forged_examples import EXAMPLES
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

LIMIT = re.compile(
    r"max_(iter|steps|sweeps|outer|inner|passes|epochs|rounds|restarts)|n_(iter|steps|sweeps|passes|epochs|rounds|inner"
    r"|outer|samples|samples_dag)|epochs|\w+_iter|\w+_iterations"
)

ESTIMATORS = {path.rpartition(".")[2]: cls for path, cls in public_estimators().items()}
ON_TABLES = {cls.__name__ for cls in TABLE_ESTIMATORS.values()}
STREAMS = {path.rpartition(".")[2] for path in public_estimators() if path.startswith("treatise.online.")}
"""Learn from one row after another: a pass is more of a stream, and nothing is to be reached at its end."""

PERCEPTRON = "a perceptron of so many passes, whose weights are averaged"
CONTRASTIVE = "contrastive divergence of so many passes; its own tests have steps that are too long"
FEW_SWEEPS = "the paper keeps one sweep; those before it are judged, and its own tests have a case"
ONE_STEP = "one step is enough here: "
OWN_CASE = "what is fitted here needs no more; its own tests have a case"

MAY_BE_SILENT = {
    ("ActivePairClustering", "n_rounds"): OWN_CASE,
    ("ActivePreferenceRanker", "n_rounds"): OWN_CASE,
    ("BradleyTerryRater", "max_iter"): OWN_CASE,
    ("CategoricalIBP", "max_iter"): "steps towards the peaks that the chain starts from; R-hat judges the chain",
    ("ConditionalDBN", "n_epochs"): CONTRASTIVE,
    ("ConditionalRBM", "n_epochs"): CONTRASTIVE,
    ("FactoredConditionalRBM", "n_epochs"): CONTRASTIVE,
    ("DecisionTreeMarkovNetwork", "max_iter"): ONE_STEP + "graphical/test_cut_short.py has a case that needs more",
    ("DependencyModelWithValence", "projection_iter"): "the gap that is left counts in what max_iter waits for",
    ("GibbsMedLDAClassifier", "n_samples"): FEW_SWEEPS,
    ("GibbsMedLDARegressor", "n_samples"): FEW_SWEEPS,
    ("GroupLassoMKL", "max_iter"): ONE_STEP + "a pass over the one column that is left is exact; its tests have a case",
    ("IsingGraph", "max_iter"): ONE_STEP + "no edge in this table; graphical/test_cut_short.py has a case",
    ("KernelMachineRegressor", "max_iter"): ONE_STEP + "least squares are one linear system",
    ("LearnedOutputSearch", "epochs"): PERCEPTRON,
    ("LearnedOutputSearch", "max_steps"): "steps of the search for one output, which may be stopped at any time",
    ("LevelSetSpectralClustering", "max_restarts"): OWN_CASE,
    ("MEDGraph", "max_iter"): ONE_STEP + "no column of this table varies as zeros and ones",
    ("MultinomialGraph", "max_iter"): ONE_STEP + "no edge in this table; graphical/test_cut_short.py has a case",
    ("OutputSpaceSearch", "dagger_iterations"): "rounds of imitation, of which the best on held-out rows is kept",
    ("OutputSpaceSearch", "epochs"): PERCEPTRON,
    ("OutputSpaceSearch", "max_steps"): "steps of the search for one output, which may be stopped at any time",
    ("RecurrentClassifier", "epochs"): PERCEPTRON,
    ("SampledHMMClusterer", "n_samples"): "sequences that stand for each model",
    ("SemiStochasticLogisticRegression", "n_inner"): "steps of each system of equations; n_passes ends the search",
    ("SemiSupervisedGenerative", "max_iter"): ONE_STEP + "rows that all have a label give a closed form",
    ("StructuredPerceptronClassifier", "n_passes"): "converged_ says whether all is separated, which need not be",
}
"""Limits at which nothing need be told, and why."""

ONLINE = {"solver": "online"}
SETTINGS = {
    ("FixedRankMetricLearner", "epochs"): ONLINE,
    ("FixedRankPSDRegressor", "epochs"): ONLINE,
    ("LowRankKernelLearner", "epochs"): ONLINE,
    ("CRFRankAggregator", "n_epochs"): {"solver": "sgd"},
    ("MDPInverseRL", "max_iter"): {"method": "projection"},
    ("POMDPInverseRL", "max_iter"): {"method": "prj"},
    ("MultinomialPreferenceModel", "max_iter"): {"adherence": "learn"},
}
"""What else must be set for a limit to count."""


def limits():
    found = [
        (name, limit)
        for name, cls in ESTIMATORS.items()
        for limit in inspect.signature(cls).parameters
        if LIMIT.fullmatch(limit) and not (name in STREAMS and limit == "n_passes")
    ]
    return sorted(found)


def set_short(estimator, limit):
    """One step, a tolerance that it does not meet, and draws that are the same in every run."""
    possible = estimator.get_params(deep=False)
    wanted = {
        limit: 1,
        "tol": 1e-12,
        "thin": 1,
        "random_state": 0,
        **SETTINGS.get((type(estimator).__name__, limit), {}),
    }
    estimator.set_params(**{name: value for name, value in wanted.items() if name in possible})


def fitted(name, limit, monkeypatch):
    """An estimator that was stopped after one step."""
    cls = ESTIMATORS[name]
    if name in ON_TABLES:
        estimator = clone(example_of(cls))
        set_short(estimator, limit)
        return estimator.fit(X, target_of(estimator))
    example = next(example for key, example in EXAMPLES.items() if key.split(" ")[0] == name)
    fit = cls.fit

    def fit_short(self, *args, **kwargs):
        set_short(self, limit)
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(cls, "fit", fit_short)
    return example.fit()


def test_exceptions_are_of_limits_that_exist():
    assert MAY_BE_SILENT.keys() <= set(limits())


@pytest.mark.parametrize(("name", "limit"), [each for each in limits() if each not in MAY_BE_SILENT])
def test_a_fit_cut_to_one_step_warns_and_has_not_converged(name, limit, monkeypatch):
    with pytest.warns(ConvergenceWarning):
        model = fitted(name, limit, monkeypatch)
    assert model.converged_ is False
