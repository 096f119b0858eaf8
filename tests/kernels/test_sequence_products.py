"""Kernels between hidden Markov models and between linear dynamical systems."""

import itertools

import numpy as np
import pytest
from scipy import stats

from treatise.kernels import (
    GaussianProductKernel,
    Gaussians,
    HiddenMarkovModel,
    HiddenMarkovProductKernel,
    LinearDynamicalProductKernel,
    LinearDynamicalSystem,
    states_for_length,
)
from treatise.kernels.products._hidden_markov_loops import baum_welch
from treatise.kernels.products._kalman_em import _maximised, fitted_systems, initial_systems, smoothed

TWO = HiddenMarkovModel([0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
THREE = HiddenMarkovModel(
    [0.2, 0.5, 0.3],
    [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]],
    [[0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1]],
)


def powered_words(model, length, rho):
    """Sum over state paths of the joint probability to the power rho, for each word."""
    n_states, n_symbols = model.emissions.shape
    sums = []
    for word in itertools.product(range(n_symbols), repeat=length):
        total = 0.0
        for path in itertools.product(range(n_states), repeat=length):
            joint = model.start[path[0]] * model.emissions[path[0], word[0]]
            for t in range(1, length):
                joint *= model.transitions[path[t - 1], path[t]] * model.emissions[path[t], word[t]]
            total += joint**rho
        sums.append(total)
    return np.array(sums)


@pytest.mark.parametrize("T, expected", [(0, 0.334), (1, 0.11181678), (2, 0.037385503326)])
def test_hidden_markov_values_worked_out_by_hand(T, expected):
    assert HiddenMarkovProductKernel(n_steps=T)([TWO, THREE])[0, 1] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("rho", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("T", [0, 1, 3, 4])
def test_the_recursion_is_the_sum_over_all_words_and_paths(T, rho):
    expected = powered_words(TWO, T + 1, rho) @ powered_words(THREE, T + 1, rho)
    gram = HiddenMarkovProductKernel(n_steps=T, rho=rho)([TWO, THREE])
    # A few thousand products of probabilities: rounding only.
    assert gram[0, 1] == pytest.approx(expected, rel=1e-11)
    assert gram[1, 1] == pytest.approx((powered_words(THREE, T + 1, rho) ** 2).sum(), rel=1e-11)


def test_five_thousand_steps_stay_finite_in_logarithms():
    for rho in (0.5, 1.0):
        kernel = HiddenMarkovProductKernel(n_steps=5000, rho=rho)
        prepared = kernel.prepare([TWO, THREE])
        logs = kernel.log_block(prepared, prepared)
        assert np.isfinite(logs).all()
        np.testing.assert_allclose(np.diagonal(kernel.normalized()([TWO, THREE])), 1.0, rtol=1e-9)
        # Far along the chain each step multiplies by the same number.
        longer = HiddenMarkovProductKernel(n_steps=10_001, rho=rho)
        steps = longer.log_block(prepared, prepared) / logs
        np.testing.assert_allclose(steps, 2.0, rtol=1e-3)


def test_gaussian_emissions_for_no_step_are_a_mixture_and_of_equal_states_a_product():
    models = [
        HiddenMarkovModel([0.3, 0.7], [[0.9, 0.1], [0.2, 0.8]], Gaussians([[0.0], [2.0]], [1.0, 0.5])),
        HiddenMarkovModel([1.0], [[1.0]], Gaussians([[1.0]], [2.0])),
    ]
    pairs = GaussianProductKernel(rho=1.0)(models[0].emissions, models[1].emissions)
    assert HiddenMarkovProductKernel(n_steps=0)(models)[0, 1] == pytest.approx(models[0].start @ pairs[:, 0], rel=1e-12)
    alone = GaussianProductKernel(rho=1.0)(models[1].emissions)[0, 0]
    assert HiddenMarkovProductKernel(n_steps=3)(models)[1, 1] == pytest.approx(alone**4, rel=1e-12)
    far = models[0].emissions.parameters[0] + 200.0
    moved = HiddenMarkovModel([0.5, 0.5], np.full((2, 2), 0.5), Gaussians(far, [1.0, 1.0]))
    kernel = HiddenMarkovProductKernel(n_steps=50)
    logs = kernel.log_block(kernel.prepare(models), kernel.prepare([moved]))
    assert np.isfinite(logs).all() and (logs < -1e5).all()


def random_hidden_markov_models(rng, n):
    return [
        HiddenMarkovModel(
            rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k), rng.dirichlet(np.full(4, 0.5), k)
        )
        for k in rng.integers(1, 6, n)
    ]  # fmt: skip


@pytest.mark.parametrize("rho", [0.5, 1.0])
def test_gram_matrices_of_hidden_markov_models_are_positive_semidefinite(rho):
    models = random_hidden_markov_models(np.random.default_rng(0), 50)
    kernel = HiddenMarkovProductKernel(n_steps=6, rho=rho)
    gram = kernel(models)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10 * np.trace(gram)
    prepared = kernel.prepare(models)
    np.testing.assert_allclose(kernel.block(prepared[[4, 2]], prepared[7:11]), gram[[4, 2], 7:11], rtol=1e-12)
    np.testing.assert_allclose(np.diagonal(kernel.normalized()(models)), 1.0, rtol=1e-12)


def test_work_in_parts_gives_what_one_piece_gives(monkeypatch):
    models = random_hidden_markov_models(np.random.default_rng(11), 20)
    kernel = HiddenMarkovProductKernel(n_steps=4)
    prepared, again = kernel.prepare(models), kernel.prepare(models)
    whole = kernel.log_block(prepared, again)
    monkeypatch.setattr("treatise.kernels.products.hidden_markov._EMISSIONS_AT_ONCE", 1500)
    for other in (prepared, again):
        np.testing.assert_allclose(kernel.log_block(prepared, other), whole, rtol=1e-12)


def test_expectation_maximisation_never_lowers_the_likelihood_and_its_first_value_is_right():
    sequence = np.random.default_rng(1).integers(0, 3, 6)
    start, transitions, emissions = TWO.start.copy(), TWO.transitions.copy(), TWO.emissions.copy()
    history, occupancy = baum_welch(sequence, start, transitions, emissions, 30, 0.0, 0.0)
    word = int(np.ravel_multi_index(sequence, (3,) * 6))
    assert history[0] == pytest.approx(np.log(powered_words(TWO, 6, 1.0)[word]), rel=1e-12)
    assert (np.diff(history) > -1e-12).all() and history[-1] > history[0] + 0.1
    assert occupancy.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(transitions.sum(axis=1), 1.0)


def test_expectation_maximisation_finds_the_source_of_a_long_sequence():
    rng = np.random.default_rng(2)
    source = HiddenMarkovModel([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.9, 0.05, 0.05], [0.05, 0.15, 0.8]])
    state, symbols = 0, []
    for _ in range(6000):
        symbols.append(int(rng.choice(3, p=source.emissions[state])))
        state = int(rng.choice(2, p=source.transitions[state]))
    model = HiddenMarkovProductKernel([0, 1, 2], n_states=2).models([symbols])[0]
    order = np.argsort(-model.emissions[:, 0])
    # Standard errors here are about 0.01.
    np.testing.assert_allclose(model.emissions[order], source.emissions, atol=0.04)
    np.testing.assert_allclose(model.transitions[np.ix_(order, order)], source.transitions, atol=0.04)
    np.testing.assert_allclose(model.start[order], [2 / 3, 1 / 3], atol=0.05)


def test_the_rule_for_the_number_of_states_and_its_place_in_the_fit():
    assert states_for_length(100, 4) == int(np.floor(0.5 * np.sqrt(16 + 4 * 15) - 2)) + 1 == 3
    kernel = HiddenMarkovProductKernel()
    assert [len(m.start) for m in kernel.models(["ACGT" * 25, "ACGT" * 500])] == [3, states_for_length(2000, 4)]
    one, two = kernel.models(["ACGGT" * 10, "ACGGT" * 10])
    np.testing.assert_array_equal(one.transitions, two.transitions)


def test_smoothing_leaves_no_zero():
    model = HiddenMarkovProductKernel(n_states=2, smoothing=0.5).models(["AAAAAACCCCCC"])[0]
    assert model.emissions.min() > 0 and model.transitions.min() > 0


@pytest.mark.parametrize(
    "kernel, objects, message",
    [
        (HiddenMarkovProductKernel(), ["ACGX"], "'X', which is not in the alphabet"),
        (HiddenMarkovProductKernel(), ["A"], "length 1"),
        (HiddenMarkovProductKernel(), [3], "no sequence"),
        (HiddenMarkovProductKernel(), [], "empty"),
        (HiddenMarkovProductKernel("AA"), ["AA"], "each once"),
        (HiddenMarkovProductKernel(4), ["AA"], "alphabet=4"),
        (HiddenMarkovProductKernel(tol="small"), ["AC"], "tol='small' must be a number"),
        (HiddenMarkovProductKernel(n_states=0), ["AC"], "n_states=0"),
        (HiddenMarkovProductKernel(n_steps=-1), ["AC"], "n_steps=-1"),
        (HiddenMarkovProductKernel(smoothing=-1), ["AC"], "smoothing=-1"),
        (HiddenMarkovProductKernel(), [TWO, "ACGT"], "over 3 and over 4"),
        (HiddenMarkovProductKernel(), [TWO, HiddenMarkovModel([1.0], [[1.0]], Gaussians([[0.0]], [1.0]))], "emit"),
        (LinearDynamicalProductKernel(0), [np.eye(4)], "n_states=0"),
        (LinearDynamicalProductKernel(ridge=0), [np.eye(4)], "ridge=0"),
        (LinearDynamicalProductKernel(), [np.eye(2)], "length 2"),
        (LinearDynamicalProductKernel(), [], "empty"),
    ],
)
def test_what_cannot_be_is_refused(kernel, objects, message):
    with pytest.raises(ValueError, match=message):
        kernel(objects)


def test_models_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match="sum to 1"):
        HiddenMarkovModel([0.5, 0.4], np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match="do not belong together"):
        HiddenMarkovModel([0.5, 0.5], np.eye(3), np.eye(2))
    with pytest.raises(ValueError, match="do not belong together"):
        HiddenMarkovModel([[1.0]], [[1.0]], [[1.0]])
    with pytest.raises(ValueError, match="mean has shape"):
        LinearDynamicalSystem([[0.0]], [[1.0]], [[1.0]], [[1.0]], [[1.0]], [[1.0]])
    with pytest.raises(ValueError, match="Q holds NaN"):
        LinearDynamicalSystem([0.0], [[1.0]], [[1.0]], [[np.nan]], [[1.0]], [[1.0]])
    with pytest.raises(ValueError, match="C has shape"):
        LinearDynamicalSystem([0.0], [[1.0]], [[1.0]], [[1.0]], [[1.0, 1.0]], [[1.0]])


def a_system(rng, K=2, D=3):
    roots = rng.normal(size=(3, max(K, D), max(K, D)))
    S, Q, R = roots @ roots.transpose(0, 2, 1) / 3 + 0.2 * np.eye(max(K, D))
    A = 0.9 * np.linalg.qr(rng.normal(size=(K, K)))[0]
    return LinearDynamicalSystem(
        rng.normal(size=K), S[:K, :K], A, Q[:K, :K], rng.normal(size=(D, K)), R[:D, :D]
    )  # fmt: skip


def simulated(system, n, length, rng):
    K, D = len(system.mean), len(system.C)
    s = rng.multivariate_normal(system.mean, system.covariance, n)
    shown = []
    for t in range(length):
        if t > 0:
            s = s @ system.A.T + rng.multivariate_normal(np.zeros(K), system.Q, n)
        shown.append(s @ system.C.T + rng.multivariate_normal(np.zeros(D), system.R, n))
    return np.stack(shown, axis=1)


def test_the_joint_moments_are_those_of_simulated_series():
    rng = np.random.default_rng(3)
    system = a_system(rng)
    means, covariances = system.moments(3)
    series = simulated(system, 50_000, 4, rng).reshape(50_000, -1)
    covariance = covariances.reshape(12, 12)
    deviation = np.sqrt(np.diagonal(covariance))
    # Five standard errors of a mean and of a covariance from 50 000 series.
    assert (np.abs(series.mean(axis=0) - means.ravel()) < 5 * deviation / np.sqrt(5e4)).all()
    bound = 5 * np.outer(deviation, deviation) * np.sqrt(2 / 5e4)
    assert (np.abs(np.cov(series.T) - covariance) < bound).all()
    assert np.abs(covariance[:3, 6:9]).max() > 0.1


def test_no_step_is_the_gaussian_kernel_and_joint_differs_from_marginals_after_one():
    rng = np.random.default_rng(4)
    systems = [a_system(rng) for _ in range(5)]
    first = Gaussians([s.C @ s.mean for s in systems], [s.C @ s.covariance @ s.C.T + s.R for s in systems])
    for rho in (0.5, 1.0):
        expected = GaussianProductKernel(rho=rho)(first)
        for joint in (False, True):
            kernel = LinearDynamicalProductKernel(n_steps=0, rho=rho, joint=joint)
            np.testing.assert_allclose(kernel(systems), expected, rtol=1e-12)
        marginal = LinearDynamicalProductKernel(n_steps=3, rho=rho)(systems)
        joint = LinearDynamicalProductKernel(n_steps=3, rho=rho, joint=True)(systems)
        assert np.abs(np.log(marginal / joint))[np.triu_indices(5, 1)].min() > 1e-3


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("rho", [0.5, 1.0])
def test_gram_matrices_of_systems_are_positive_semidefinite(rho, joint):
    rng = np.random.default_rng(5)
    systems = [a_system(rng, K=int(k)) for k in rng.integers(1, 4, 50)]
    kernel = LinearDynamicalProductKernel(n_steps=4, rho=rho, joint=joint)
    gram = kernel(systems)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10 * np.trace(gram)
    np.testing.assert_allclose(kernel.diagonal(kernel.prepare(systems)), np.diagonal(gram), rtol=1e-9)
    np.testing.assert_allclose(np.diagonal(kernel.normalized()(systems)), 1.0, rtol=1e-9)


def test_the_smoother_conditions_the_joint_gaussian():
    rng = np.random.default_rng(6)
    system = a_system(rng, K=2, D=1)
    Y = simulated(system, 1, 5, rng)
    arrays = tuple(getattr(system, name)[np.newaxis] for name in ("mean", "covariance", "A", "Q", "C", "R"))
    means, covariances, lagged, likelihood = smoothed(Y, arrays)
    seen_mean, seen = (each.reshape(5, -1) for each in system.moments(4))
    seen_mean = seen_mean.ravel()
    assert likelihood[0] == pytest.approx(stats.multivariate_normal(seen_mean, seen).logpdf(Y.ravel()), rel=1e-10)
    watched = LinearDynamicalSystem(system.mean, system.covariance, system.A, system.Q, np.eye(2), np.zeros((2, 2)))
    state_mean, states = watched.moments(4)
    states = states.reshape(10, 10)
    C = np.kron(np.eye(5), system.C)
    gain = states @ C.T @ np.linalg.inv(C @ states @ C.T + np.kron(np.eye(5), system.R))
    left = states - gain @ C @ states
    np.testing.assert_allclose(means[0].ravel(), state_mean.ravel() + gain @ (Y.ravel() - seen_mean), rtol=1e-8)
    for t in range(5):
        np.testing.assert_allclose(covariances[0, t], left[2 * t : 2 * t + 2, 2 * t : 2 * t + 2], atol=1e-10)
    for t in range(4):
        np.testing.assert_allclose(lagged[0, t], left[2 * t + 2 : 2 * t + 4, 2 * t : 2 * t + 2], atol=1e-10)


def test_a_maximisation_step_averages_the_expected_squares_over_time():
    rng = np.random.default_rng(9)
    Y = simulated(a_system(rng, D=2), 1, 6, rng)
    means, covariances, lagged, _ = smoothed(Y, initial_systems(Y, 2))
    mean, covariance, A, Q, C, R = (each[0] for each in _maximised(Y, means, covariances, lagged, 0.0, False))
    m, P, L, y = means[0], covariances[0], lagged[0], Y[0]
    both = [np.block([[P[t + 1], L[t]], [L[t].T, P[t]]]) for t in range(5)]
    pairs = [b + np.outer(x, x) for b, x in zip(both, np.hstack((m[1:], m[:-1])))]
    step = np.hstack((np.eye(2), -A))
    np.testing.assert_allclose(Q, np.mean([step @ each @ step.T for each in pairs], axis=0), atol=1e-10)
    # The residual of the best step has nothing left along the past.
    np.testing.assert_allclose(sum(step @ each for each in pairs)[:, 2:], 0.0, atol=1e-9)
    shown = [C @ P[t] @ C.T + np.outer(y[t] - C @ m[t], y[t] - C @ m[t]) for t in range(6)]
    np.testing.assert_allclose(R, np.mean(shown, axis=0), atol=1e-10)
    np.testing.assert_allclose(mean, m[0])
    np.testing.assert_allclose(covariance, P[0], atol=1e-10)


@pytest.mark.parametrize("shared", [False, True])
def test_fitting_a_system_raises_the_likelihood(shared):
    rng = np.random.default_rng(7)
    Y = simulated(a_system(rng, D=2), 6, 20, rng)
    found = [smoothed(Y, fitted_systems(Y, 2, steps, 0.0, shared))[3] for steps in (1, 2, 5, 10, 20)]
    totals = np.array([each.sum() for each in found]) if shared else np.array(found).T
    assert (np.diff(totals) > -1e-8).all()
    if not shared:
        assert (totals[:, -1] > smoothed(Y, initial_systems(Y, 2))[3] + 0.5).all()


def test_series_of_unequal_length_and_any_scale_are_fitted():
    rng = np.random.default_rng(8)
    system = a_system(rng, D=2)
    series = [simulated(system, 1, length, rng)[0] for length in (12, 30, 12)]
    kernel = LinearDynamicalProductKernel(n_steps=4, max_iter=20)
    gram = kernel(series)
    np.testing.assert_allclose(gram[0, 2], kernel(series[2:], series[:1])[0, 0], rtol=1e-9)
    # A change of units multiplies every density, and at rho = 1/2 the kernel does not see it.
    np.testing.assert_allclose(kernel([1000.0 * each for each in series]), gram, rtol=1e-8)


class LikeHmmlearn:
    """The attributes of a fitted model of hmmlearn."""

    def __init__(self, **parameters):
        vars(self).update(parameters)


def test_models_of_hmmlearn_are_taken_by_their_names():
    start, transitions = np.array([0.3, 0.7]), np.array([[0.9, 0.1], [0.2, 0.8]])
    shown, means = np.array([[0.5, 0.5, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]]), np.array([[0.0, 1.0], [2.0, -1.0]])
    covariances = np.array([np.eye(2), [[2.0, 0.5], [0.5, 1.0]]])
    chain = {"startprob_": start, "transmat_": transitions}
    kernel = HiddenMarkovProductKernel(n_steps=3)
    for theirs, emissions in (
        (LikeHmmlearn(**chain, emissionprob_=shown), shown),
        (LikeHmmlearn(**chain, means_=means, covars_=covariances), Gaussians(means, covariances)),
    ):
        ours = HiddenMarkovModel(start, transitions, emissions)
        np.testing.assert_allclose(kernel([theirs, ours]), np.full((2, 2), kernel([ours])[0, 0]))
    with pytest.raises(ValueError, match="neither symbols"):
        kernel([LikeHmmlearn(**chain, means_=np.zeros((2, 2, 2)))])
