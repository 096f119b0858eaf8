"""Variational hierarchical EM for hidden Markov models: bounds and steps by brute force, limits, real groups."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import rand_score

from treatise.bayes import (
    HMMClusterer,
    HMMHierarchy,
    HMMMixture,
    SampledHMMClusterer,
    fit_hmms,
    hmm_expected_log_likelihood,
    hmm_kl,
    plot_hmm_centers,
    plot_hmm_hierarchy,
)
from treatise.bayes.hmm_clustering import _pairs
from treatise.bayes.hmm_clustering._packed import packed
from treatise.bayes.hmm_clustering._reduction import expectation, maximised, reduced_mixture
from treatise.inference import MixtureHMM
from treatise.io import load_model, save_model

LAZY = np.array([[0.8, 0.1, 0.1], [0.2, 0.8, 0.0], [0.0, 0.2, 0.8]])


def one_column(means, variance=0.5, transitions=LAZY):
    """A model of the paper's section 5.3."""
    return MixtureHMM(
        np.full(3, 1 / 3), transitions, np.ones((3, 1)), np.reshape(means, (3, 1, 1)), np.full((3, 1, 1), variance)
    )


PAPER = [one_column(means) for means in ([1.0, 2, 3], [3.0, 2, 1], [1.0, 2, 2], [1.0, 3, 3])]


def random_hmm(rng, S=3, M=2, d=3, full=True, scale=2.0):
    covariances = rng.normal(size=(S, M, d, d))
    covariances = covariances @ covariances.swapaxes(-1, -2) + 0.3 * np.eye(d)
    if not full:
        covariances = np.diagonal(covariances, axis1=2, axis2=3)
    return MixtureHMM(
        rng.dirichlet(np.ones(S)), rng.dirichlet(np.ones(S), S), rng.dirichlet(np.ones(M), S),
        scale * rng.normal(size=(S, M, d)), covariances,
    )  # fmt: skip


def whole(covariance):
    return np.diag(covariance) if covariance.ndim == 1 else covariance


def enumerated(base, other, tau):
    """The bound at its maximum, and nu and xi, from all state paths of both models (equations 21 to 23)."""
    d = base.n_features
    states = np.empty((base.n_states, other.n_states))
    for b, r in itertools.product(range(base.n_states), range(other.n_states)):
        states[b, r] = 0.0
        for m in range(base.n_components):
            inner = 0.0
            for k in range(other.n_components):
                P, away = np.linalg.inv(whole(other.covariances[r, k])), base.means[b, m] - other.means[r, k]
                spread = np.trace(P @ whole(base.covariances[b, m])) + away @ P @ away
                log_det = np.linalg.slogdet(whole(other.covariances[r, k]))[1]
                inner += other.weights[r, k] * np.exp(-0.5 * (d * np.log(2 * np.pi) + log_det + spread))
            states[b, r] += base.weights[b, m] * np.log(inner)
    S, R = states.shape
    ahead, phis = np.zeros((S, R)), {}
    for t in range(tau - 1, 0, -1):
        scores = np.log(np.maximum(other.transitions, 1e-300))[None] + (states + ahead)[:, None, :]
        reached = np.log(np.exp(scores - scores.max()).sum(axis=2)) + scores.max()
        phis[t] = np.exp(scores - reached[:, :, None])
        ahead = base.transitions @ reached
    scores = np.log(other.start)[None] + states + ahead
    reached = np.log(np.exp(scores - scores.max()).sum(axis=1)) + scores.max()
    first = np.exp(scores - reached[:, None])
    nu, xi, begun = np.zeros((R, S)), np.zeros((R, R)), np.zeros(R)
    for path in itertools.product(range(S), repeat=tau):
        chance = base.start[path[0]] * np.prod([base.transitions[a, b] for a, b in itertools.pairwise(path)])
        for trail in itertools.product(range(R), repeat=tau):
            weight = chance * first[path[0], trail[0]]
            for t in range(1, tau):
                weight *= phis[t][path[t], trail[t - 1], trail[t]]
            begun[trail[0]] += weight
            for t in range(tau):
                nu[trail[t], path[t]] += weight
                if t:
                    xi[trail[t - 1], trail[t]] += weight
    return base.start @ reached, begun, nu, xi


def test_bounds_of_the_papers_four_models_are_those_worked_out_apart():
    bounds = hmm_expected_log_likelihood(PAPER, PAPER)
    np.testing.assert_allclose(bounds[0], [-15.372597, -16.431809, -16.321028, -17.455633], atol=1e-5)
    np.testing.assert_allclose(bounds[2], [-14.516761, -15.538196, -13.696499, -18.902553], atol=1e-5)
    single = hmm_expected_log_likelihood(PAPER, PAPER, tau=1)
    np.testing.assert_allclose(single[0], [-1.769454, -1.769454, -1.793919, -1.892027], atol=1e-5)


def test_bounds_lie_below_the_expected_log_likelihood():
    bounds = hmm_expected_log_likelihood(PAPER, PAPER)
    for i, base in enumerate(PAPER):
        drawn = base.sample(10, 4000, random_state=i)
        for j, other in enumerate(PAPER):
            logs = other.log_likelihood(drawn)
            assert bounds[i, j] < logs.mean() + 4 * logs.std() / np.sqrt(4000)


@pytest.mark.parametrize("full", [True, False])
def test_bounds_and_statistics_equal_sums_over_all_paths(full):
    rng = np.random.default_rng(0)
    base, other = random_hmm(rng, 2, 2, 2, full), random_hmm(rng, 3, 1, 2, full)
    bound, begun, nu, xi = enumerated(base, other, 4)
    assert hmm_expected_log_likelihood([base], [other], tau=4)[0, 0] == pytest.approx(bound, rel=1e-10)
    one = np.ones(1)
    _, _, _, sums = expectation(packed([base]), one, one, packed([other]), one, 4)
    np.testing.assert_allclose(sums.begun[0], begun, rtol=1e-10)
    np.testing.assert_allclose(sums.moved[0], xi, rtol=1e-10)
    np.testing.assert_allclose(sums.mass[0].sum(axis=1), nu.sum(axis=1), rtol=1e-10)
    # One component: the new means are those of the base components in their shares (equation 26).
    given = np.einsum("rb,bm->rbm", nu, base.weights)
    found = maximised(packed([other]), sums)
    np.testing.assert_allclose(
        found.means[0, :, 0], np.einsum("rbm,bmd->rd", given, base.means) / given.sum(axis=(1, 2))[:, None], rtol=1e-9
    )
    for r in range(3):
        away = base.means - found.means[0, r, 0]
        spread = np.array([[whole(c) for c in row] for row in base.covariances]) + away[..., None] * away[..., None, :]
        spread = np.einsum("bm,bmde->de", given[r], spread) / given[r].sum()
        expected = spread if full else np.diagonal(spread)
        np.testing.assert_allclose(found.covariances[0, r, 0], expected, rtol=1e-8, atol=1e-10)


def test_statistics_count_every_virtual_step_once():
    rng = np.random.default_rng(1)
    base, centers = packed([random_hmm(rng) for _ in range(5)]), packed([random_hmm(rng, S=2) for _ in range(3)])
    weights = np.full(5, 0.2)
    _, shares, _, sums = expectation(base, weights, weights, centers, np.full(3, 1 / 3), 7)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    # The weights of the five models sum to one.
    assert sums.begun.sum() == pytest.approx(1, abs=1e-10)
    assert sums.moved.sum() == pytest.approx(6, abs=1e-10)
    assert sums.mass.sum() == pytest.approx(7, abs=1e-10)
    found = maximised(centers, sums)
    for chances in (found.start, found.transitions, found.weights):
        np.testing.assert_allclose(chances.sum(axis=-1), 1.0, rtol=1e-12)


def test_the_bound_never_falls_on_twenty_random_problems():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        base = packed([random_hmm(rng, 2 + seed % 2, 2, 3, full=seed % 4 < 2) for _ in range(8)])
        centers = packed([random_hmm(rng, 2, 2, 3, full=seed % 4 < 2) for _ in range(3)])
        weights = rng.dirichlet(np.ones(8))
        run = reduced_mixture(
            base, weights, centers, np.full(3, 1 / 3), tau=5, n_virtual=10.0 ** (seed % 5 - 1), max_iter=15, tol=0.0
        )
        rises = np.diff(run.history)
        assert (rises >= -1e-9 * np.abs(run.history[1:])).all()


def test_single_states_merge_into_the_moments_of_their_mixture():
    rng = np.random.default_rng(2)
    models = [random_hmm(rng, 1, 1, 3) for _ in range(6)]
    weights = rng.dirichlet(np.ones(6))
    center = HMMClusterer(1, n_init=1).fit(models, weights=weights).centers_[0]
    means = np.array([model.means[0, 0] for model in models])
    mean = weights @ means
    spread = np.array([model.covariances[0, 0] for model in models])
    covariance = np.einsum("i,ide->de", weights, spread) + np.einsum("i,id,ie->de", weights, means - mean, means - mean)
    np.testing.assert_allclose(center.means[0, 0], mean, atol=1e-10)
    np.testing.assert_allclose(center.covariances[0, 0], covariance, atol=1e-10)


def test_well_separated_models_as_centres_of_themselves_stay():
    rng = np.random.default_rng(3)
    models = [random_hmm(rng, 3, 1, 2, scale=60.0) for _ in range(4)]
    found = HMMClusterer(4, init=models).fit(models)
    np.testing.assert_allclose(found.assignments_, np.eye(4), atol=1e-12)
    for model, center in zip(models, found.centers_):
        np.testing.assert_allclose(center.means, model.means, rtol=1e-6)
        np.testing.assert_allclose(center.covariances, model.covariances, rtol=1e-6)
        np.testing.assert_allclose(center.transitions, model.transitions, atol=1e-6)


def test_the_numbering_of_hidden_states_changes_nothing():
    rng = np.random.default_rng(4)
    models = [random_hmm(rng) for _ in range(6)]
    turned = []
    for model in models:
        p = rng.permutation(3)
        turned.append(
            MixtureHMM(
                model.start[p], model.transitions[np.ix_(p, p)], model.weights[p], model.means[p], model.covariances[p]
            )
        )
    np.testing.assert_allclose(hmm_kl(models), hmm_kl(turned), atol=1e-9)
    start = models[:2]
    one, other = (HMMClusterer(2, init=start, n_virtual=1).fit(each) for each in (models, turned))
    np.testing.assert_allclose(one.means_, other.means_, atol=1e-9)
    np.testing.assert_allclose(one.assignments_, other.assignments_, atol=1e-9)


def test_many_virtual_sequences_make_hard_groups_and_next_to_none_the_weights():
    rng = np.random.default_rng(5)
    models = [random_hmm(rng) for _ in range(8)]
    hard = HMMClusterer(3, n_virtual=1e8, random_state=0).fit(models)
    assert (hard.assignments_.max(axis=1) > 1 - 1e-9).all()
    soft = HMMClusterer(3, init=models[:3], n_virtual=1e-9, tol=1e-2).fit(models)
    np.testing.assert_allclose(soft.assignments_, np.tile(soft.weights_, (8, 1)), atol=1e-6)


def test_models_of_unequal_size_and_centres_of_another_size():
    rng = np.random.default_rng(6)
    models = [random_hmm(rng, S, M, 2, full=S % 2 == 0) for S, M in ((1, 1), (2, 3), (4, 1), (3, 2), (2, 2))]
    for bound, i, j in ((hmm_expected_log_likelihood(models, models, tau=3), 1, 3),):
        assert bound[i, j] == pytest.approx(enumerated(models[i], models[j], 3)[0], rel=1e-9)
    for S, M in ((1, 1), (2, 1), (5, 4)):
        found = HMMClusterer(2, n_states=S, n_components=M, n_init=2, random_state=0).fit(models)
        assert found.means_.shape == (2, S, M, 2)
        assert (np.diff(found.history_) >= -1e-9 * np.abs(found.history_[1:])).all()


def test_moves_that_a_centre_forbids_are_bounded_all_the_same():
    rng = np.random.default_rng(7)
    far = MixtureHMM([1, 0], np.eye(2), [[1.0], [1.0]], [[[0.0]], [[1e3]]], [[[1e-2]], [[1e-2]]])
    base = random_hmm(rng, 2, 1, 1)
    found = hmm_expected_log_likelihood([base], [far], tau=20)
    assert np.isfinite(found).all()
    # Only the first state can be reached: the bound is that of a single one.
    alone = MixtureHMM([1], [[1]], [[1.0]], [[[0.0]]], [[[1e-2]]])
    np.testing.assert_allclose(found, hmm_expected_log_likelihood([base], [alone], tau=20), rtol=1e-10)


def test_work_in_parts_gives_what_one_piece_gives(monkeypatch):
    rng = np.random.default_rng(8)
    base, centers = packed([random_hmm(rng) for _ in range(7)]), packed([random_hmm(rng) for _ in range(2)])
    weights = rng.dirichlet(np.ones(7))
    once = expectation(base, weights, 5 * weights, centers, np.full(2, 0.5), 4)
    monkeypatch.setattr(_pairs, "_TERMS_AT_ONCE", 100)
    monkeypatch.setattr(_pairs, "_WHITE_AT_ONCE", 20)
    parts = expectation(base, weights, 5 * weights, centers, np.full(2, 0.5), 4)
    np.testing.assert_allclose(parts[0], once[0], rtol=1e-12)
    for a, b in zip(parts[3], once[3]):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_a_shift_of_all_models_costs_the_bounds_no_digits():
    rng = np.random.default_rng(10)
    base, centers = packed([random_hmm(rng) for _ in range(5)]), packed([random_hmm(rng) for _ in range(3)])
    moved = [each._replace(means=each.means + 2.0**20) for each in (base, centers)]
    np.testing.assert_allclose(_pairs.pair_bounds(*moved, 5), _pairs.pair_bounds(base, centers, 5), rtol=1e-9)


def test_divergences_are_zero_on_the_diagonal_and_exact_for_single_states():
    rng = np.random.default_rng(9)
    models = [random_hmm(rng, 1, 1, 2) for _ in range(11)]
    found = hmm_kl(models, tau=6)
    np.testing.assert_allclose(np.diagonal(found), 0.0, atol=1e-12)
    (mean, S), (other, R) = ((model.means[0, 0], model.covariances[0, 0]) for model in models[:2])
    P, away = np.linalg.inv(R), mean - other
    log_ratio = np.linalg.slogdet(R)[1] - np.linalg.slogdet(S)[1]
    assert found[0, 1] == pytest.approx(3 * (np.trace(P @ S) + away @ P @ away - 2 + log_ratio))
    np.testing.assert_allclose(hmm_kl(models, models[:3], tau=6), found[:, :3], atol=1e-10)


def families(shift=10.0, seed=0, n=5, length=60):
    random = np.random.RandomState(seed)
    return [model.sample(length, random_state=random)[0] + move for move in (0.0, shift) for model in PAPER[:1] * n]


def test_two_families_apart_are_found_from_models_and_from_sequences():
    sequences, kinds = families(), np.repeat([0, 1], 5)
    fitted = fit_hmms(sequences, random_state=0)
    for found in (
        HMMClusterer(2, random_state=0).fit(fitted).labels_,
        HMMClusterer(2, random_state=0).fit(sequences).labels_,
        HMMMixture(2, random_state=0).fit(sequences).labels_,
        SampledHMMClusterer(2, n_samples=10, random_state=0).fit(fitted).labels_,
    ):
        assert rand_score(kinds, found) == 1.0


def test_groups_of_long_noisy_sequences_are_found():
    scores = []
    for trial in range(3):
        random = np.random.RandomState(trial)
        sequences = [model.sample(1000, random_state=random)[0] for model in PAPER for _ in range(6)]
        sequences = [each + np.sqrt(0.1) * random.standard_normal(each.shape) for each in sequences]
        labels = HMMClusterer(4, random_state=trial).fit(fit_hmms(sequences, n_init=2, random_state=0)).labels_
        scores.append(rand_score(np.repeat(np.arange(4), 6), labels))
    assert np.mean(scores) >= 0.8


def test_scaled_and_shifted_columns_change_the_centres_alike():
    sequences = families()
    moved = [1000.0 * each + 7.0 for each in sequences]
    one, other = (HMMClusterer(2, random_state=0).fit(each) for each in (sequences, moved))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(other.means_, 1000.0 * one.means_ + 7.0, rtol=1e-5)
    np.testing.assert_allclose(other.covariances_, 1e6 * one.covariances_, rtol=1e-4)


def test_a_hierarchy_keeps_together_what_was_together_and_predicts_its_own_labels():
    sequences = [X + move for move in (0.0, 3.0, 40.0) for X in families(0.0, n=2)]
    found = HMMHierarchy((3, 2), random_state=0).fit(sequences)
    fine, coarse = found.labels_
    assert rand_score(np.repeat([0, 1, 2], 4), fine) == 1.0 and rand_score(np.repeat([0, 0, 1], 4), coarse) == 1.0
    np.testing.assert_array_equal(found.predict(sequences), found.labels_)
    with pytest.raises(ValueError, match="must be numbers of groups that fall"):
        HMMHierarchy((2, 4)).fit(sequences)


def test_new_models_and_sequences_go_to_the_centre_of_their_like():
    sequences = families()
    model = HMMClusterer(2, random_state=0).fit(sequences)
    np.testing.assert_array_equal(model.predict(sequences), model.labels_)
    np.testing.assert_array_equal(model.predict(families(seed=9)), model.labels_)
    assert (model.sequence_log_likelihood(sequences).argmax(axis=1) == model.labels_).all()
    assert model.score_sequences(sequences).shape == (10,)
    np.testing.assert_allclose(model.bounds(sequences), model.bounds_, rtol=1e-12)
    np.testing.assert_array_equal(clone(model).fit(sequences).means_, model.means_)


def test_the_mixture_fitted_to_sequences_never_falls_and_keeps_groups_together():
    random = np.random.RandomState(0)
    sequences = [PAPER[k % 2 * 3].sample(30, random_state=random)[0] for k in range(40)]
    model = HMMMixture(2, n_states=2, n_init=2, reg_covar=0.0, random_state=0).fit(sequences)
    assert (np.diff(model.history_) > -1e-8).all()
    logs = model.sequence_log_likelihood(sequences) + np.log(model.weights_)
    assert model.log_likelihood_ == pytest.approx(np.logaddexp(*logs.T).sum(), rel=1e-9)
    np.testing.assert_allclose(model.predict_proba(sequences), model.assignments_, atol=1e-9)
    assert model.score(sequences) == pytest.approx(model.log_likelihood_ / 40)
    groups = np.arange(40) % 10
    together = HMMMixture(2, n_init=2, random_state=0).fit(sequences, groups=groups)
    for group in range(10):
        assert len(set(together.labels_[groups == group])) == 1


def test_one_model_of_all_sequences_is_baum_and_welchs():
    from treatise.sequence import HMM

    sequences = families(3.0)
    mixture = HMMMixture(1, n_init=1, tol=1e-9, max_iter=2000, reg_covar=0.0, random_state=0).fit(sequences)
    center = mixture.centers_[0]
    begin = HMM.from_parameters(
        center.start, center.transitions, means=center.means[:, 0], covariances=center.covariances[:, 0]
    )
    single = HMM(init=begin, emission="gaussian", tol=1e-9, max_iter=2000, reg_covar=0.0).fit(sequences)
    assert mixture.log_likelihood_ == pytest.approx(single.log_likelihood_, abs=1e-4)


def test_models_of_other_libraries_are_taken_by_their_names():
    hmm = pytest.importorskip("hmmlearn.hmm")
    from treatise.kernels import Gaussians, HiddenMarkovModel
    from treatise.sequence import HMM

    means, variances = np.array([[0.0, 1.0], [3.0, 2.0]]), np.array([[1.0, 2.0], [0.5, 1.0]])
    start, moves = np.array([0.3, 0.7]), np.array([[0.9, 0.1], [0.2, 0.8]])
    ours = MixtureHMM(start, moves, np.ones((2, 1)), means[:, None], variances[:, None])
    gaussian = hmm.GaussianHMM(2, covariance_type="diag")
    gaussian.n_features = 2
    gaussian.startprob_, gaussian.transmat_, gaussian.means_, gaussian.covars_ = start, moves, means, variances
    mixed = hmm.GMMHMM(2, 2, covariance_type="diag")
    mixed.startprob_, mixed.transmat_, mixed.weights_ = start, moves, np.full((2, 2), 0.5)
    mixed.means_, mixed.covars_ = np.repeat(means[:, None], 2, axis=1), np.repeat(variances[:, None], 2, axis=1)
    others = [
        gaussian,
        mixed,
        HMM.from_parameters(start, moves, means=means, covariances=variances),
        HiddenMarkovModel(start, moves, Gaussians(means, variances)),
    ]
    found = hmm_expected_log_likelihood([ours, *others], [ours])
    np.testing.assert_allclose(found, found[0, 0], rtol=1e-12)
    center = HMMClusterer(1).fit(others).centers_[0]
    assert center.transmat_ is center.transitions and center.covars_.shape == (2, 2, 2)
    with pytest.raises(ValueError, match="model 1: its states show symbols"):
        hmm_kl([ours, HMM.from_parameters([1.0], [[1.0]], emission_probabilities=[[1.0]])])


def test_fits_that_fall_short_and_empty_groups_warn():
    rng = np.random.default_rng(10)
    models = [random_hmm(rng) for _ in range(12)]
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        short = HMMClusterer(3, max_iter=1, tol=0, n_init=1, anneal=False, random_state=0).fit(models)
    assert not short.converged_ and short.n_iter_ == 1
    with pytest.warns(ConvergenceWarning, match="only 1 of n_clusters=2"):
        HMMClusterer(2, n_init=1, random_state=0).fit([models[0]] * 4)
    with pytest.warns(ConvergenceWarning, match="of 10 sequences had not converged after max_iter=1"):
        fit_hmms(families(), max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="log-likelihood still rose"):
        HMMMixture(2, max_iter=1, n_init=1, random_state=0).fit(families(1.0))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no sequences were given"),
        ([np.ones((5, 2)), np.ones((5, 3))], "sequence 1 has 3 columns"),
        ([np.ones((5, 2)), np.full((5, 2), np.nan)], "sequence 1 holds NaN"),
        ([np.arange(8.0), np.ones((1, 1))], "sequence 1 has 1 positions"),
        ([np.ones(9), np.ones(9)], "sequence 0: n_states=3 exceeds the 1 distinct vectors"),
        (np.ones((5, 2)), "one table was given"),
        (["ab", "cd"], "no number"),
        (3, "must be a list"),
        ([PAPER[0], random_hmm(np.random.default_rng(0))], "model 1 shows vectors of 3 numbers"),
        ([PAPER[0]], "n_clusters=2 exceeds the 1 models"),
    ],
)
def test_wrong_input_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        HMMClusterer(2).fit(given)


def test_wrong_weights_groups_and_centres_are_refused():
    with pytest.raises(ValueError, match="a positive number for each of the 4"):
        HMMClusterer(2).fit(PAPER, weights=[1, 1, 0, 1])
    with pytest.raises(ValueError, match="init holds 3 models"):
        HMMClusterer(2, init=PAPER[:3]).fit(PAPER)
    with pytest.raises(ValueError, match="an entry for each of the 10"):
        HMMMixture(2).fit(families(), groups=[1, 2])
    with pytest.raises(ValueError, match="exceeds the 2 sequences or groups"):
        HMMMixture(3).fit(families(), groups=np.arange(10) % 2)
    model = HMMClusterer(2, random_state=0).fit(PAPER)
    with pytest.raises(ValueError, match="cannot tell how to fit"):
        model.predict(families())
    with pytest.raises(ValueError, match="cannot be compared"):
        model.predict([random_hmm(np.random.default_rng(0))])


def test_fitted_models_are_pickled_and_saved(tmp_path):
    sequences = families()
    for model in (
        HMMClusterer(2, random_state=0),
        HMMMixture(2, random_state=0),
        HMMHierarchy((3, 2), random_state=0),
    ):
        model.fit(sequences)
        save_model(model, tmp_path / "model.skops")
        for copy in (pickle.loads(pickle.dumps(model)), load_model(tmp_path / "model.skops").model):
            np.testing.assert_array_equal(copy.predict(sequences), model.predict(sequences))


def test_pictures_show_every_centre_and_level():
    sequences = families()
    panels = plot_hmm_centers(HMMClusterer(3, random_state=0).fit(sequences))
    assert len(panels) == 3 and len(panels[0].lines) == 3
    rng = np.random.default_rng(11)
    flat = HMMClusterer(2, random_state=0).fit([random_hmm(rng) for _ in range(4)])
    panels = plot_hmm_centers(flat, columns=(0, 2))
    assert len(panels) == 2 and panels[0].get_ylabel() == "column 2"
    with pytest.raises(ValueError, match="must be two of the 3"):
        plot_hmm_centers(flat, columns=(0, 3))
    hierarchy = HMMHierarchy((3, 2), random_state=0).fit(sequences)
    ax = plot_hmm_hierarchy(hierarchy, y=["low"] * 5 + ["high"] * 5)
    assert len(ax.patches) == 30 and [text.get_text() for text in ax.get_legend().get_texts()] == ["high", "low"]
    with pytest.raises(ValueError, match="a kind for each of the 10"):
        plot_hmm_hierarchy(hierarchy, y=[1, 2])


def switching(rng, stay, length):
    """Two levels, of which only the moves differ between groups."""
    state, seen = rng.integers(2), []
    for _ in range(length):
        seen.append(rng.normal((-2.0, 2.0)[state]))
        state = state if rng.random() < stay else 1 - state
    return np.array(seen)[:, None]


def test_sequences_too_short_for_models_of_their_own_are_told_and_long_ones_are_not():
    rng = np.random.default_rng(0)
    given = [switching(rng, stay, 39 if k == 3 else 40) for k, stay in enumerate((0.9, 0.5) * 4)]
    with pytest.warns(
        UserWarning, match="1 of 8 sequences have fewer than 40 positions.* number 3 with 39.*HMMMixture"
    ):
        HMMClusterer(2, n_states=2, n_init=1, random_state=0).fit(given)
    with pytest.warns(UserWarning, match="8 of 8 sequences have fewer than 60 positions, 20 for each of 3"):
        fit_hmms(given, n_states=3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HMMClusterer(2, n_states=2, n_init=1, random_state=0).fit([part for part in given if len(part) == 40])
        # A mixture's models learn from all sequences of a group, however short each is.
        HMMMixture(2, n_states=2, random_state=0).fit([part[:20] for part in given])


@pytest.mark.parametrize("given", [(PAPER[0], PAPER[0]), (PAPER[0], None), (PAPER[:1], PAPER[0])])
def test_one_model_in_place_of_a_list_is_told(given):
    with pytest.raises(ValueError, match=r"where a list of them is due; write \[model\]"):
        hmm_kl(*given)
    with pytest.raises(ValueError, match="come in a list, and 3 is none"):
        hmm_expected_log_likelihood(3, PAPER)


def test_numbers_whose_squares_overflow_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"sequence 1 holds .*e\+\d+, whose square overflows"):
        HMMClusterer(2).fit([rng.normal(size=(60, 1)), 1e200 * rng.normal(size=(60, 1))])
