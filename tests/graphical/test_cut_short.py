"""No method of graphs, networks and their inference stops short in silence."""

import warnings
from importlib import import_module
from inspect import isabstract, isclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from treatise.bayesnet import SLIM, ConstrainedStructureLearner, SparseFactorModel, TreeAugmentedClassifier
from treatise.graphical import (
    CoHubGraphs,
    CumulativeDistributionNetwork,
    DecisionTreeMarkovNetwork,
    IsingGraph,
    MultinomialGraph,
    NeighborhoodLasso,
    NodePerturbationGraphs,
    RangeMoves,
    SigmoidCDF,
    SparsePrecision,
    grid_edges,
    rcon_norm,
)
from treatise.inference import (
    FactorGraph,
    PairwiseEnergy,
    belief_propagation,
    iterated_conditional_forests,
    iterated_conditional_modes,
    max_product,
    mean_field,
    min_sum,
    tree_reweighted,
    tree_reweighted_map,
    trws,
)

FAMILIES = ("graphical", "inference", "bayesnet", "theory")
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(60, 5)) @ RNG.normal(size=(5, 5))
BITS = (NUMBERS + NUMBERS[:, [1, 2, 3, 4, 0]] > 0).astype(int)
TABLES = [NUMBERS, NUMBERS[:, ::-1] + RNG.normal(size=NUMBERS.shape)]

# What each estimator with a limit on its iterations is fitted to, and settings that need more than one.
CASES = {
    "CoHubGraphs": (CoHubGraphs(1.0, 1.0), TABLES),
    "DecisionTreeMarkovNetwork": (
        DecisionTreeMarkovNetwork(features="prune", kappa=1.0, prior_sd=1.0, min_samples_leaf=2, tol=1e-6),
        BITS,
    ),
    "IsingGraph": (IsingGraph(0.02, refit=False), BITS),
    "MultinomialGraph": (MultinomialGraph(0.02), BITS),
    "NeighborhoodLasso": (NeighborhoodLasso(0.01, adaptive=False), NUMBERS),
    "NodePerturbationGraphs": (NodePerturbationGraphs(1.0, 1.0), TABLES),
    "SparsePrecision": (SparsePrecision(0.01, tol=1e-9), NUMBERS),
}


def estimators_with_a_limit():
    found = set()
    for family in FAMILIES:
        module = import_module(f"treatise.{family}")
        for name in module.__all__:
            member = getattr(module, name)
            estimator = isclass(member) and issubclass(member, BaseEstimator) and not isabstract(member)
            if estimator and hasattr(member, "fit") and "max_iter" in member().get_params():
                found.add(name)
    return found


def test_every_estimator_with_a_limit_is_among_the_cases():
    assert estimators_with_a_limit() == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_an_estimator_that_is_cut_short_says_so(name):
    estimator, X = CASES[name]
    with pytest.warns(ConvergenceWarning, match="max_iter|tol"):
        short = estimator.set_params(max_iter=1).fit(X)
    assert short.converged_ is False
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert estimator.set_params(max_iter=20000).fit(X).converged_ is True


def frustrated(n=4, seed=1):
    """A grid with strong couplings of both signs, on which messages take many rounds."""
    rng = np.random.default_rng(seed)
    edges = grid_edges((n, n))
    return FactorGraph.ising(rng.normal(0, 0.3, n * n), edges, rng.normal(0, 1.5, len(edges)))


@pytest.mark.parametrize("solver", [belief_propagation, max_product])
def test_messages_without_a_bound_warn(solver):
    with pytest.warns(ConvergenceWarning, match=f"{solver.__name__} was cut short by max_iter=1"):
        found = solver(frustrated(), max_iter=1)
    assert found.converged is False


@pytest.mark.parametrize("solver", [mean_field, tree_reweighted, tree_reweighted_map])
def test_messages_with_a_bound_tell_without_a_warning(solver):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert solver(frustrated(), max_iter=1).converged is False


@pytest.mark.parametrize("solver", [iterated_conditional_modes, iterated_conditional_forests])
def test_searches_that_are_cut_short_warn(solver):
    model = frustrated(8)
    start = np.arange(64) % 2
    with pytest.warns(ConvergenceWarning, match="max_sweeps=1"):
        assert solver(model, start=start, max_sweeps=1).converged is False
    assert solver(model, start=start).converged is True


def picture(seed=0, shape=(8, 8), h=6):
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 10, (shape[0] * shape[1], h)), grid_edges(shape)


@pytest.mark.parametrize("method", ["range_expansion", "range_swap", "alpha_expansion", "alpha_beta_swap", "icm"])
def test_moves_that_are_cut_short_warn(method):
    unary, edges = picture()
    with pytest.warns(ConvergenceWarning, match="max_sweeps=1"):
        assert RangeMoves(truncation=2, method=method, max_sweeps=1).minimize(unary, edges, 2.0).converged is False
    assert RangeMoves(truncation=2, method=method).minimize(unary, edges, 2.0).converged is True


def test_min_sum_warns_and_sequential_messages_have_their_bound():
    unary, edges = picture()
    energy = PairwiseEnergy(unary, edges, 2.0, np.minimum(np.abs(np.subtract.outer(np.arange(6), np.arange(6))), 2.0))
    with pytest.warns(ConvergenceWarning, match="min_sum was cut short by max_sweeps=1"):
        assert min_sum(energy, max_sweeps=1).converged is False
    short = trws(energy, max_sweeps=1)
    assert short.converged is False and short.gap > 0


def test_fits_and_norms_that_are_cut_short_warn():
    network = CumulativeDistributionNetwork([SigmoidCDF("ab", [1.0, 1.0])])
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        network.fit(3 * NUMBERS[:, :2] / NUMBERS[:, :2].std(axis=0), max_iter=1)
    square = NUMBERS.T @ NUMBERS
    with pytest.warns(ConvergenceWarning, match="upper bound only"):
        assert rcon_norm(square, max_iter=2) >= rcon_norm(square) * (1 - 1e-9)


def test_searches_for_structure_have_a_limit_of_time_and_say_when_it_ends_them():
    assert np.isfinite(ConstrainedStructureLearner(method="branch-and-bound").time_limit)
    assert np.isfinite(TreeAugmentedClassifier().time_limit)
    codes = np.random.default_rng(0).integers(0, 3, (200, 12))
    codes[:, 1:] = np.where(np.random.default_rng(1).random((200, 11)) < 0.5, codes[:, :-1], codes[:, 1:])
    # A callback stops the search after its first step, however fast the machine is.
    stopped = ConstrainedStructureLearner("aic", method="branch-and-bound", callback=lambda state: True)
    with pytest.warns(ConvergenceWarning, match="per cent below the best possible"):
        assert stopped.fit(codes).converged_ is False
    assert stopped.gap_ > 0


def test_chains_that_do_not_agree_warn():
    rng = np.random.default_rng(2)
    X = rng.laplace(size=(80, 4)) @ rng.normal(size=(4, 4))
    with pytest.warns(ConvergenceWarning, match="R-hat"):
        short = SparseFactorModel(4, n_burn=0, n_samples=20, thin=1, random_state=0).fit(X)
    assert short.converged_ is False
    with pytest.warns(ConvergenceWarning, match="do not agree|prefer different orders"):
        slim = SLIM(n_burn=0, n_samples=20, n_burn_dag=0, n_samples_dag=20, thin=1, random_state=0).fit(X)
    assert slim.converged_ is False


def test_slim_gives_the_same_draws_in_other_units():
    rng = np.random.default_rng(4)
    X = rng.laplace(size=(100, 3))
    X[:, 1] += X[:, 0]
    plan = {"n_burn": 100, "n_samples": 300, "n_burn_dag": 100, "n_samples_dag": 200, "thin": 5, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        plain, other = SLIM(**plan).fit(X), SLIM(**plan).fit(X * [1.0, 7.3, 0.01] + [0.0, 5.0, -3.0])
    np.testing.assert_array_equal(plain.order_, other.order_)
    np.testing.assert_array_equal(plain.weights_draws_, other.weights_draws_)
