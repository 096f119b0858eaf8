"""Decoders of hidden Markov models against enumeration, the paper's exact examples, and their own theory."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from treatise.io import load_model, save_model
from treatise.sequence import HMM, HiddenChains, HMMDecoder, decoding_path, log_average_messages, path_risks

NAMED = {"viterbi": (0, 1, 0, 0), "posterior": (1, 0, 0, 0), "prior path": (0, 0, 0, 1), "prior states": (0, 0, 1, 0)}


def random_chains(seed, K=4, T=6, zeros=True):
    """A random model with structural zeros in its start, moves and emissions, and at least one possible path."""
    rng = np.random.default_rng(seed)
    while True:
        start, moves, seen = rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), K), rng.uniform(0.05, 1, (T, K))
        if zeros:
            start[rng.integers(K)] = 0
            moves[rng.random((K, K)) < 0.35] = 0
            seen[rng.random((T, K)) < 0.15] = 0
        if moves.sum(axis=1).min() == 0 or start.sum() == 0:
            continue
        with np.errstate(divide="ignore"):
            chains = HiddenChains(start / start.sum(), moves / moves.sum(axis=1, keepdims=True), np.log(seen))
        if Enumerated(chains).joint.sum() > 0:
            return chains


class Enumerated:
    """Every path of one short sequence, with all that the definitions need, by products of probabilities."""

    def __init__(self, chains):
        T, K = chains.log_emissions.shape
        self.paths = np.array(list(itertools.product(range(K), repeat=T)))
        self.prior = chains.start[self.paths[:, 0]].copy()
        for t in range(1, T):
            self.prior *= chains.transitions[self.paths[:, t - 1], self.paths[:, t]]
        self.joint = self.prior * np.exp(chains.log_emissions)[np.arange(T), self.paths].prod(axis=1)
        if self.joint.sum() > 0:
            self.posterior = self.joint / self.joint.sum()
            self.states = self.marginals(self.posterior, K)
            self.prior_states = self.marginals(self.prior, K)

    def marginals(self, weights, K):
        return np.array([np.bincount(column, weights, minlength=K) for column in self.paths.T])

    def along(self, table):
        """Entries of a table of positions and states along every path."""
        return table[np.arange(table.shape[0]), self.paths]

    def risk(self, weights, power, prior_power=None):
        """The combined risk (equation 56) of every path; a weight of 0 takes its term out."""
        prior_power = power if prior_power is None else prior_power
        T = self.paths.shape[1]
        terms = (
            -box_cox(self.along(self.states), power).sum(axis=1) / T,
            -box_cox(self.posterior, 0) / T,
            -box_cox(self.along(self.prior_states), prior_power).sum(axis=1) / T,
            -box_cox(self.prior, 0) / T,
        )
        return sum(weight * term for weight, term in zip(weights, terms) if weight > 0)


def box_cox(p, power):
    with np.errstate(divide="ignore"):
        return np.log(p) if power == 0 else (p**power - 1) / power


def place(paths, path):
    return int(np.flatnonzero((paths == path).all(axis=1))[0])


# The paper's examples


def table_2_chains():
    shown = np.array([[1 / 6] * 6, [0.1, 0.1, 0.1, 0.1, 0.1, 0.5]])
    observed = np.array([2, 6, 6, 4, 1]) - 1
    return HiddenChains([2 / 3, 1 / 3], [[0.95, 0.05], [0.1, 0.9]], np.log(shown[:, observed].T))


def test_log_average_messages_are_those_of_table_2():
    chains = table_2_chains()
    forward, backward = log_average_messages(chains, 7.0, normalized=False)
    # Printed to five digits.
    np.testing.assert_allclose(
        1e6 * (forward * backward).T,
        [[7.4409, 7.5121, 7.7823, 9.3311, 8.1481], [6.6088, 7.8168, 7.7088, 5.9598, 4.8559]],
        atol=5.1e-5,
    )
    forward, backward = log_average_messages(chains, 7.0, normalized=True)
    np.testing.assert_allclose(
        (forward * backward).T,
        [[0.23753, 0.32510, 0.40751, 0.48626, 0.60611], [0.22453, 0.22664, 0.25809, 0.31526, 0.39389]],
        atol=5.1e-6,
    )
    decoder = HMMDecoder("log-average", mu=7.0, normalized=False)
    assert decoder.decode(chains).paths.tolist() == [0, 1, 0, 0, 0]
    assert decoder.set_params(normalized=True).decode(chains).paths.tolist() == [0, 0, 0, 0, 0]


def test_two_tied_viterbi_paths_are_never_glued_by_the_hybrid():
    emissions = np.array([[0.3, 0.15], [0.2, 0.3], [1 / 6, 1 / 6]])
    moves = [[0.6, 0.4, 0], [0.1, 0.1, 0.8], [0, 0.02, 0.98]]
    chains = HiddenChains([0.4, 0.54, 0.06], moves, np.log(emissions.T))
    assert np.sort(Enumerated(chains).joint)[-2:] == pytest.approx([0.0144, 0.0144], abs=1e-15)
    for weights in ((0, 1, 0, 0), (0.001, 1, 0, 0)):
        assert HMMDecoder(weights=weights).decode(chains).paths.tolist() in ([0, 1], [1, 2])


def appendix_a_chains():
    ones = [1] * 9
    moves = [
        [5, 0, 0, 0, 4, 0, 0, 0, 0], ones, [0, 0, 4, 0, 5, 0, 0, 0, 0], ones, [0, 1, 0, 1, 1, 1, 2, 1, 2], ones,
        [3, 3, 0, 0, 0, 3, 0, 0, 0], ones, [0, 0, 3, 3, 0, 0, 0, 3, 0],
    ]  # fmt: skip
    shown = {0: (1 / 25, 1 / 20, 0), 2: (1 / 20, 1 / 25, 0), 4: (1 / 10, 0, 1 / 5), 6: (1 / 15, 1 / 15, 0)}
    shown[8] = shown[6]
    with np.errstate(divide="ignore"):
        seen = np.log([[shown.get(j, (0, 0, 1 / 5))[t] for j in range(9)] for t in range(3)])
    return HiddenChains(np.full(9, 1 / 9), np.array(moves) / 9, seen)


def test_appendix_a_needs_the_posterior_constraint_to_be_possible():
    chains = appendix_a_chains()
    eighths = 8 * chains.posterior
    np.testing.assert_allclose(eighths, np.rint(eighths), atol=1e-12)
    right = {
        name: HMMDecoder(alpha=0, family="linear", constraint=name).decode(chains)
        for name in (None, "prior", "posterior")
    }
    expected = {name: 3 * (1 - found.risks.error[0]) for name, found in right.items()}
    assert expected == pytest.approx({None: 1.25, "prior": 1.0, "posterior": 0.875}, abs=1e-12)
    assert [bool(found.risks.admissible[0]) for found in right.values()] == [False, False, True]
    assert np.isfinite(right["prior"].risks.prior_log_path[0]) and np.isinf(right[None].risks.prior_log_path[0])
    best = Enumerated(chains)
    sums = np.where(best.posterior > 0, best.along(best.states).sum(axis=1), -1)
    # The paper names four of the eight.
    assert np.sum(np.abs(sums - 0.875) < 1e-12) == 8
    for path in ((5, 7, 2), (5, 7, 6), (3, 3, 5), (9, 3, 5)):
        assert sums[place(best.paths, np.array(path) - 1)] == pytest.approx(0.875)


# Enumeration


@pytest.mark.parametrize("family", ["log", "linear", 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_hybrid_paths_have_the_least_combined_risk_of_all_paths(seed, family):
    chains = random_chains(seed)
    every = Enumerated(chains)
    power = {"log": 0.0, "linear": 1.0}.get(family, family)
    for weights in itertools.product((0, 0.3, 1), repeat=4):
        if any(weights):
            found = HMMDecoder(weights=weights, family=family).decode(chains)
            risk = every.risk(weights, power)
            assert risk[place(every.paths, found.paths)] == pytest.approx(risk.min(), abs=1e-10)
            if weights[1] > 0 or (family == "log" and weights[0] > 0 and weights[3] > 0):
                assert found.risks.admissible[0], "Remark 1 and Proposition 2"


def test_posterior_and_prior_states_may_take_different_powers():
    weights, worse = (1, 0.1, 2, 0), 0
    for seed in range(20):
        chains = random_chains(seed)
        every = Enumerated(chains)
        risk = every.risk(weights, 1.0, -0.5)
        found, swapped = (
            place(every.paths, HMMDecoder(weights=weights, family=family).decode(chains).paths)
            for family in (("linear", -0.5), (-0.5, "linear"))
        )
        assert risk[found] == pytest.approx(risk.min(), abs=1e-10)
        worse += risk[swapped] > risk.min() + 1e-6
    assert worse > 0, "the order of the pair matters"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("constraint", "family"), list(itertools.product(("prior", "posterior"), ("log", "linear"))))
def test_constrained_decoders_are_best_among_the_paths_they_allow(seed, constraint, family):
    chains = random_chains(seed)
    every = Enumerated(chains)
    allowed = getattr(every, constraint) > 0
    risk = np.where(allowed, every.risk((1, 0, 0, 0), 0.0 if family == "log" else 1.0), np.inf)
    found = HMMDecoder(alpha=0, family=family, constraint=constraint).decode(chains)
    assert risk[place(every.paths, found.paths)] == pytest.approx(risk.min(), abs=1e-10)
    if family == "log":
        # Posterior-Viterbi decoding: the prior constraint suffices, and small weights of the path give the same.
        assert found.risks.admissible[0]
        for weights in ((1, 1e-7, 0, 0), (1, 0, 0, 1e-7)):
            small = HMMDecoder(weights=weights).decode(chains)
            assert small.risks.log_states[0] == pytest.approx(found.risks.log_states[0], abs=1e-5)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("seed", range(4))
def test_block_paths_have_the_most_expected_right_blocks(seed, k):
    chains = random_chains(seed, K=3)
    every = Enumerated(chains)
    T = every.paths.shape[1]
    block = min(k, T)
    expected = np.zeros(len(every.paths))
    for t in range(T - block + 1):
        codes = every.paths[:, t : t + block] @ (3 ** np.arange(block))
        expected += np.bincount(codes, every.posterior, minlength=3**block)[codes]
    found = HMMDecoder("block", k=k).decode(chains).paths
    assert expected[place(every.paths, found)] == pytest.approx(expected.max(), abs=1e-12)
    if k >= T:
        assert every.posterior[place(every.paths, found)] == pytest.approx(every.posterior.max())


def test_path_risks_are_their_definitions():
    chains = random_chains(3)
    every = Enumerated(chains)
    T = every.paths.shape[1]
    for n in (0, 17, int(every.posterior.argmax()), len(every.paths) - 1):
        path = every.paths[n]
        risks = path_risks(chains, path)
        assert risks.log_path[0] == pytest.approx(-box_cox(every.posterior[n], 0) / T)
        assert risks.log_states[0] == pytest.approx(every.risk((1, 0, 0, 0), 0)[n])
        assert risks.error[0] == pytest.approx(1 - every.along(every.states)[n].mean())
        assert risks.prior_log_path[0] == pytest.approx(-box_cox(every.prior[n], 0) / T)
        assert risks.prior_log_states[0] == pytest.approx(every.risk((0, 0, 1, 0), 0)[n])
        assert risks.prior_error[0] == pytest.approx(1 - every.along(every.prior_states)[n].mean())
        assert bool(risks.admissible[0]) == (every.posterior[n] > 0)


# Losses and labels


def expected_loss(every, loss):
    return (every.states @ loss.T)[np.arange(every.states.shape[0]), every.paths].mean(axis=1)


def test_losses_and_labels_are_minimised_as_stated():
    chains = random_chains(11, zeros=False)
    every, rng = Enumerated(chains), np.random.default_rng(0)
    labels = np.array(["x", "y", "y", "y"])
    different = labels[:, np.newaxis] != labels
    matrix, vector = rng.uniform(0, 3, (4, 4)), np.array([4.0, 1.0, 1.0, 0.5])
    off = 1 - np.eye(4)
    cases = (
        ({"loss": matrix}, matrix),
        ({"loss": vector}, vector * off),
        ({"state_labels": labels}, different.astype(float)),
        ({"state_labels": labels, "loss": [5.0, 1.0]}, different * np.array([5.0, 1.0, 1.0, 1.0])),
    )
    for parameters, loss in cases:
        found = HMMDecoder(alpha=0, family="linear", **parameters).decode(chains)
        losses = expected_loss(every, loss)
        assert losses[place(every.paths, found.paths)] == pytest.approx(losses.min(), abs=1e-12)
        assert found.risks.error[0] == pytest.approx(losses.min(), abs=1e-12), parameters
    mixed = losses + 0.2 * every.risk((0, 1, 0, 0), 0)
    found = HMMDecoder(weights=(1, 0.2, 0, 0), family="linear", **parameters).decode(chains)
    assert mixed[place(every.paths, found.paths)] == pytest.approx(mixed.min(), abs=1e-10)


def test_labels_of_unequal_numbers_of_states_are_summed_not_averaged():
    # One state of label x has 0.4; the three of label y have 0.2 each, 0.6 together: y is right more often.
    chains = HiddenChains([0.4, 0.2, 0.2, 0.2], np.full((4, 4), 0.25), np.zeros((1, 4)))
    for family in ("log", "linear"):
        found = HMMDecoder(alpha=0, family=family, state_labels=list("xyyy")).decode(chains)
        assert found.labels.tolist() == ["y"]
        assert found.risks.error[0] == pytest.approx(0.4)


def test_suppressing_a_state_in_the_log_family_multiplies_its_probability():
    chains = random_chains(5, zeros=False)
    every, weight = Enumerated(chains), np.array([1.0, 1.0, 0.25, 1.0])
    risk = -(np.log(every.along(every.states * weight)).sum(axis=1) + 0.5 * np.log(every.posterior))
    found = HMMDecoder(weights=(1, 0.5, 0, 0), loss=weight).decode(chains)
    assert risk[place(every.paths, found.paths)] == pytest.approx(risk.min(), abs=1e-10)


# Theory


def test_the_risk_of_blocks_is_the_states_risk_and_k_minus_one_times_the_paths():
    chains = random_chains(2, K=3, zeros=False)
    every = Enumerated(chains)
    T = every.paths.shape[1]
    path = every.paths[123]
    risks = path_risks(chains, path)
    for k in range(1, T + 1):
        log_product = 0.0
        for j in range(1 - k, T):
            window = slice(max(j, 0), min(j + k, T))
            log_product += np.log(every.posterior[(every.paths[:, window] == path[window]).all(axis=1)].sum())
        assert -log_product / T == pytest.approx((k - 1) * risks.log_path[0] + risks.log_states[0], abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_risks_are_monotone_in_k_and_the_path_near_viterbi(seed):
    chains = random_chains(seed, K=6, T=4)
    rng = np.random.default_rng(seed)
    T = 150
    chains = HiddenChains(chains.start, chains.transitions, np.log(rng.uniform(0.01, 1, (T, 6))))
    viterbi = HMMDecoder(alpha=1).decode(chains).risks
    found = [HMMDecoder(k=k).decode(chains).risks for k in (1, 1.001, 1.5, 2, 3, 5, 10, 50, 1000)]
    paths, states = ([getattr(risk, name)[0] for risk in found] for name in ("log_path", "log_states"))
    assert np.all(np.diff([p for p in paths if np.isfinite(p)]) <= 1e-12) and np.all(np.diff(states) >= -1e-12)
    assert len(set(np.round(paths, 9))) > 3, "the range is not trivial"
    for k, path in zip((2, 3, 5, 10, 50, 1000), paths[3:]):
        assert viterbi.log_path[0] - 1e-12 <= path <= viterbi.log_path[0] + viterbi.log_states[0] / (k - 1) + 1e-12
    errors = [HMMDecoder(alpha=a, family="linear").decode(chains).risks.error[0] for a in (0, 0.1, 0.5, 1)]
    assert np.all(np.diff(errors) >= -1e-12)


def test_named_corners_are_viterbi_posterior_and_their_priors():
    chains = random_chains(9)
    every = Enumerated(chains)
    for family in ("log", "linear"):
        found = {name: HMMDecoder(weights=w, family=family).decode(chains).paths for name, w in NAMED.items()}
        assert every.posterior[place(every.paths, found["viterbi"])] == pytest.approx(every.posterior.max())
        assert every.prior[place(every.paths, found["prior path"])] == pytest.approx(every.prior.max())
        np.testing.assert_array_equal(found["posterior"], chains.posterior.argmax(axis=1))
        np.testing.assert_array_equal(found["prior states"], chains.prior.argmax(axis=1))
    np.testing.assert_array_equal(HMMDecoder(k=4).decode(chains).paths, HMMDecoder(alpha=0.75).decode(chains).paths)


def power_messages(chains, mean):
    """Equation 45 as written, in products of plain numbers."""
    P, f = chains.transitions, np.exp(chains.log_emissions)
    T, K = f.shape
    forward, backward = np.empty((T, K)), np.ones((T, K))
    forward[0] = chains.start * f[0]
    for t in range(1, T):
        forward[t] = [mean(forward[t - 1] * P[:, i]) * f[t, i] for i in range(K)]
    for t in range(T - 2, -1, -1):
        backward[t] = [mean(P[i] * f[t + 1] * backward[t + 1]) for i in range(K)]
    return forward * backward


def geometric(terms):
    terms = terms[terms > 0]
    return np.prod(terms) ** (1 / len(terms)) if len(terms) else 0.0


@pytest.mark.parametrize("seed", range(3))
def test_power_transform_is_its_definition_between_posterior_decoding_and_viterbi(seed):
    chains = random_chains(seed)
    for mu in (0.3, 2.0, 9.0):
        scores = power_messages(chains, lambda terms, mu=mu: np.sum(terms**mu) ** (1 / mu))
        np.testing.assert_array_equal(HMMDecoder("power", mu=mu).decode(chains).paths, scores.argmax(axis=1))
    np.testing.assert_array_equal(
        HMMDecoder("power", mu=0).decode(chains).paths, power_messages(chains, geometric).argmax(axis=1)
    )
    np.testing.assert_array_equal(HMMDecoder("power").decode(chains).paths, HMMDecoder(alpha=0).decode(chains).paths)
    viterbi = HMMDecoder(alpha=1).decode(chains).paths
    for mu in (1e4, np.inf):
        np.testing.assert_array_equal(HMMDecoder("power", mu=mu).decode(chains).paths, viterbi)


def test_log_average_runs_from_posterior_decoding_to_viterbi():
    model = HMM.from_parameters(
        [0.6, 0.3, 0.1], [[0.8, 0.2, 0], [0.1, 0.7, 0.2], [0.3, 0, 0.7]],
        emission_probabilities=[[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]],
    )  # fmt: skip
    chains = model.chains(model.sample(100, random_state=0)[0])
    low, high = (HMMDecoder("log-average", mu=mu).decode(chains).paths for mu in (1e-3, 1e4))
    np.testing.assert_array_equal(low, HMMDecoder(alpha=0).decode(chains).paths)
    np.testing.assert_array_equal(high, HMMDecoder(alpha=1).decode(chains).paths)
    assert not np.array_equal(low, high)


# Batches, sizes, other models


def test_batches_of_ragged_sequences_are_decoded_one_by_one_and_side_by_side():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 30, 40)
    seen = np.log(rng.uniform(0.01, 1, (lengths.sum(), 3)))
    start, moves = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3)
    batch = HiddenChains(start, moves, seen, lengths=lengths)
    varying = HiddenChains(start, np.repeat(moves[np.newaxis], len(seen), axis=0), seen, lengths=lengths)
    for decoder in (
        HMMDecoder(), HMMDecoder(weights=(1, 1, 1, 1), family="linear"), HMMDecoder("block", k=3),
        HMMDecoder("power", mu=3), HMMDecoder("log-average", mu=3), HMMDecoder(alpha=0, constraint="prior"),
    ):  # fmt: skip
        together = decoder.decode(batch)
        singly = [decoder.decode(HiddenChains(start, moves, part)) for part in np.split(seen, np.cumsum(lengths)[:-1])]
        np.testing.assert_array_equal(together.paths, np.concatenate([each.paths for each in singly]))
        np.testing.assert_allclose(
            together.risks.log_path, np.concatenate([each.risks.log_path for each in singly]), atol=1e-12
        )
        np.testing.assert_array_equal(decoder.decode(varying).paths, together.paths)
        assert [len(labels) for labels in together] == lengths.tolist()


def test_moves_that_vary_with_the_position_are_followed():
    rng = np.random.default_rng(1)
    moves = rng.dirichlet(np.ones(3), (5, 3))
    chains = HiddenChains(rng.dirichlet(np.ones(3)), moves, np.log(rng.uniform(0.1, 1, (5, 3))))
    paths = np.array(list(itertools.product(range(3), repeat=5)))
    prior = chains.start[paths[:, 0]].copy()
    for t in range(1, 5):
        prior *= moves[t, paths[:, t - 1], paths[:, t]]
    joint = prior * np.exp(chains.log_emissions)[np.arange(5), paths].prod(axis=1)
    best = joint.argmax()
    np.testing.assert_array_equal(HMMDecoder(alpha=1).decode(chains).paths, paths[best])
    marginal = np.array([np.bincount(column, prior, minlength=3) for column in paths.T])
    np.testing.assert_allclose(chains.prior, marginal, atol=1e-14)
    assert path_risks(chains, paths[best]).log_path[0] == pytest.approx(-np.log(joint[best] / joint.sum()) / 5)
    assert path_risks(chains, paths[best]).prior_log_path[0] == pytest.approx(-np.log(prior[best]) / 5)
    np.testing.assert_array_equal(HMMDecoder("block", k=5).decode(chains).paths, paths[best])


def test_a_million_positions_stay_finite():
    rng = np.random.default_rng(0)
    moves = 0.8 * np.eye(6) + 0.2 * rng.dirichlet(np.ones(6), 6)
    seen = rng.uniform(-40, 0, (1_000_000, 6))
    chains = HiddenChains(np.full(6, 1 / 6), moves, seen)
    risks = HMMDecoder(weights=(1, 1, 1, 1)).decode(chains).risks
    assert all(np.isfinite(getattr(risks, name)).all() for name in vars(risks))
    assert np.abs(chains.posterior.sum(axis=1) - 1).max() < 1e-9
    few = HiddenChains(np.full(6, 1 / 6), moves, seen[:50_000])
    for mu in (1e-3, 1e4):
        assert np.isfinite(HMMDecoder("power", mu=mu).decode(few).risks.log_path).all()
    np.testing.assert_array_equal(HMMDecoder("power").decode(few).paths, few.posterior.argmax(axis=1))


def test_decoding_equals_hmmlearn_where_it_decodes():
    hmm = pytest.importorskip("hmmlearn.hmm")
    rng = np.random.default_rng(0)
    categorical, gaussian = hmm.CategoricalHMM(4), hmm.GaussianHMM(4, covariance_type="full")
    spread = rng.normal(size=(4, 2, 2))
    for model in (categorical, gaussian):
        model.startprob_, model.transmat_ = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4), 4)
    categorical.emissionprob_, categorical.n_features = rng.dirichlet(np.ones(5), 4), 5
    gaussian.means_, gaussian.covars_ = rng.normal(size=(4, 2)), spread @ spread.transpose(0, 2, 1) + np.eye(2)
    for model in (categorical, gaussian):
        X, _ = model.sample(500, random_state=1)
        chains = HiddenChains(model.startprob_, model.transmat_, model._compute_log_likelihood(X))
        score, path = model.decode(X, algorithm="viterbi")
        found = HMMDecoder(alpha=1).decode(chains)
        # Symbols admit ties (3 3 1 3 and 3 1 3 3 are as probable where both show the same); vectors do not.
        assert path_risks(chains, path).log_path[0] == pytest.approx(found.risks.log_path[0], abs=1e-12)
        assert model is categorical or np.array_equal(found.paths, path)
        assert chains.log_likelihood[0] - 500 * found.risks.log_path[0] == pytest.approx(score, abs=1e-8)
        np.testing.assert_array_equal(HMMDecoder(alpha=0).decode(chains).paths, model.decode(X, algorithm="map")[1])
        assert chains.log_likelihood[0] == pytest.approx(model.score(X), abs=1e-8)
        np.testing.assert_allclose(chains.posterior, model.predict_proba(X), atol=1e-10)


# The decoding path


def test_the_decoding_path_runs_from_posterior_decoding_to_viterbi_and_draws_itself():
    chains = random_chains(4, K=4, T=6)
    path = decoding_path(chains, [1, 0, 0.5])
    assert path.alphas.tolist() == [0, 0.5, 1]
    for alpha, row in zip(path.alphas, path.paths):
        np.testing.assert_array_equal(row, HMMDecoder(alpha=alpha).decode(chains).paths)
    linear = decoding_path(chains, decoder=HMMDecoder(family="linear", k=3))
    assert len(linear.alphas) == len(linear.risks) == 16
    np.testing.assert_array_equal(
        linear.paths[5], HMMDecoder(alpha=linear.alphas[5], family="linear").decode(chains).paths
    )
    ax = path.plot(truth=path.paths[0])
    np.testing.assert_array_equal(ax.images[0].get_array(), np.vstack([path.paths[:1], path.paths]))
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["truth", "0", "0.5", "1"]
    drawn = path.plot_risks().lines[0].get_xydata()
    finite = [risk for risk in path.risks if np.isfinite(risk.log_path[0])]
    np.testing.assert_allclose(drawn, [(risk.log_path[0], 100 * risk.error[0]) for risk in finite])
    with pytest.raises(ValueError, match="sequence=1 is not among the 1 sequences"):
        path.plot(1)
    with pytest.raises(ValueError, match="truth has the shape"):
        path.plot(truth=[0])
    with pytest.raises(ValueError, match="needs method='hybrid'"):
        decoding_path(chains, decoder=HMMDecoder("block"))
    with pytest.raises(ValueError, match="alphas must be a list"):
        decoding_path(chains, [])


# Bad input, and the estimator's manners


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": (1, -1, 0, 0)}, "none negative"),
        ({"weights": (0, 0, 0, 0)}, "not all 0"),
        ({"weights": (1, 0, 0)}, "four numbers"),
        ({"alpha": 0.5, "k": 2}, "alpha and k were given"),
        ({"alpha": 1.5}, "alpha"),
        ({"k": 0.5}, "'k'"),
        ({"family": "cubic"}, "family"),
        ({"family": ("log", "log", "log")}, "a pair of these"),
        ({"method": "block", "k": 2.5}, "whole number"),
        ({"method": "block", "k": np.inf}, "whole number"),
        ({"method": "log-average", "mu": 0}, "positive and finite"),
        ({"method": "viterbi"}, "method"),
        ({"loss": np.full((4, 4), 2.0)}, "needs family='linear'"),
        ({"loss": [1, 1, 0, 1]}, "a loss of 0"),
        ({"loss": [1, 1]}, "for 4 states"),
        ({"loss": [1, 1, 1, -1]}, "not negative"),
        ({"state_labels": ["a", "b"]}, "each of the 4 states"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        HMMDecoder(**parameters).decode(random_chains(0))


def test_blocks_that_are_too_many_to_search_are_refused_however_long():
    seen = np.zeros((60, 4))
    chains = HiddenChains(np.full(4, 0.25), np.full((4, 4), 0.25), seen)
    for k in (15, 40, 10**9, 1e300):
        with pytest.raises(ValueError, match="along 60 positions are too many to search"):
            HMMDecoder("block", k=k).decode(chains)


@pytest.mark.parametrize("k", [40, 10**9, 1e300])
def test_a_block_longer_than_a_sequence_is_all_of_it(k):
    chains = random_chains(0)
    found, viterbi = HMMDecoder("block", k=k).decode(chains), HMMDecoder(alpha=1).decode(chains)
    assert found.risks.log_path == pytest.approx(viterbi.risks.log_path)
    alone = HiddenChains([1.0], [[1.0]], np.zeros((5, 1)))
    np.testing.assert_array_equal(HMMDecoder("block", k=k).decode(alone).paths, np.zeros(5))


def test_wrong_models_and_paths_are_refused():
    half, seen = [[0.5, 0.5], [0.5, 0.5]], np.zeros((3, 2))
    with pytest.raises(ValueError, match="transitions must be probabilities that sum to 1; a row sums to"):
        HiddenChains([0.5, 0.5], [[0.5, 0.4], [0.5, 0.5]], seen)
    with pytest.raises(ValueError, match="start holds negative"):
        HiddenChains([1.5, -0.5], half, seen)
    with pytest.raises(ValueError, match="NaN"):
        HiddenChains([0.5, 0.5], half, np.full((3, 2), np.nan))
    with pytest.raises(ValueError, match="each of the 2 states"):
        HiddenChains([0.2, 0.3, 0.5], np.full((2, 2), 0.5), seen)
    with pytest.raises(ValueError, match="is empty"):
        HiddenChains([0.5, 0.5], half, seen, lengths=[3, 0])
    with pytest.raises(ValueError, match="name each of the 2 states"):
        HiddenChains([0.5, 0.5], half, seen, states=["a"])
    impossible = HiddenChains([0.5, 0.5], half, np.full((3, 2), -np.inf))
    for decoder in (HMMDecoder(), HMMDecoder(alpha=1), HMMDecoder("block"), HMMDecoder("power"),
                    HMMDecoder("log-average")):  # fmt: skip
        with pytest.raises(ValueError, match="no possible path"):
            decoder.decode(impossible)
    with pytest.raises(ValueError, match="chains is a list; give HiddenChains"):
        HMMDecoder().decode(["ab"])
    chains = HiddenChains([0.5, 0.5], half, seen)
    for paths in ([0, 1], [0.0, 1.0, 0.0]):
        with pytest.raises(ValueError, match="the number of a state for each of the 3 positions"):
            path_risks(chains, paths)
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        path_risks(chains, [0, 1, 2])
    long = HiddenChains([0.5, 0.5], half, np.full((3000, 2), -1.0))
    with pytest.raises(ValueError, match="vanish in floating point"):
        HMMDecoder("log-average", mu=1, normalized=False).decode(long)


def test_a_decoder_is_cloned_pickled_and_saved(tmp_path):
    decoder = HMMDecoder(alpha=0.25, family="linear", loss=[1.0, 2.0, 1.0, 1.0])
    chains = random_chains(1)
    expected = decoder.decode(chains).paths
    save_model(decoder, tmp_path / "decoder.skops")
    for copy in (clone(decoder), pickle.loads(pickle.dumps(decoder)), load_model(tmp_path / "decoder.skops").model):
        np.testing.assert_array_equal(copy.decode(chains).paths, expected)


def test_one_state_and_one_position_are_decoded():
    chains = HiddenChains([1.0], [[1.0]], np.array([[-3.0]]))
    for decoder in (HMMDecoder(), HMMDecoder("block"), HMMDecoder("power"), HMMDecoder(state_labels=["a"])):
        found = decoder.decode(chains)
        assert found.paths.tolist() == [0] and found.risks.error[0] == pytest.approx(0)
