"""Hidden Markov models: likelihoods and steps against enumeration and hmmlearn, counting, forms of input."""

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score

from treatise.io import load_model, save_model
from treatise.sequence import HMM, HMMDecoder

pytestmark = pytest.mark.filterwarnings("ignore:expectation-maximisation:sklearn.exceptions.ConvergenceWarning")


def random_discrete(seed, K=3, S=4):
    rng = np.random.default_rng(seed)
    return HMM.from_parameters(
        rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), K),
        emission_probabilities=rng.dirichlet(np.ones(S), K), symbols="abcdefgh"[:S],
    )  # fmt: skip


def random_gaussian(seed, covariance, K=3, d=2):
    rng = np.random.default_rng(seed)
    spread = rng.normal(size=(K, d, d))
    full = spread @ spread.transpose(0, 2, 1) + 0.3 * np.eye(d)
    return HMM.from_parameters(
        rng.dirichlet(np.ones(K)), 0.6 * np.eye(K) + 0.4 * rng.dirichlet(np.ones(K), K),
        means=3 * rng.normal(size=(K, d)),
        covariances=full if covariance == "full" else np.diagonal(full, axis1=1, axis2=2),
    )  # fmt: skip


def all_paths(model, densities):
    """Joint probability of one sequence and every path."""
    T, K = densities.shape
    paths = np.array(list(itertools.product(range(K), repeat=T)))
    joint = model.start_[paths[:, 0]] * densities[np.arange(T), paths].prod(axis=1)
    for t in range(1, T):
        joint *= model.transitions_[paths[:, t - 1], paths[:, t]]
    return paths, joint


def densities_of(model, sequence):
    if model.emission == "discrete":
        return model.emission_probabilities_[:, [list(model.symbols_).index(x) for x in sequence]].T
    covariances = model.covariances_ if model.covariance == "full" else [np.diag(v) for v in model.covariances_]
    normal = [multivariate_normal(mean, covariance) for mean, covariance in zip(model.means_, covariances)]
    return np.column_stack([each.pdf(sequence) for each in normal]).reshape(-1, len(normal))


MODELS = [random_discrete(0), random_gaussian(1, "diagonal"), random_gaussian(2, "full")]
by_model = pytest.mark.parametrize("model", MODELS, ids=["discrete", "diagonal", "full"])


@by_model
def test_likelihood_states_and_path_equal_enumeration(model):
    sequences = [model.sample(length, random_state=length)[0][0] for length in (1, 5, 6)]
    total = 0.0
    for sequence, proba, states in zip(sequences, model.predict_proba(sequences), model.predict(sequences)):
        paths, joint = all_paths(model, densities_of(model, sequence))
        total += np.log(joint.sum())
        marginals = [np.bincount(column, joint, minlength=3) / joint.sum() for column in paths.T]
        np.testing.assert_allclose(proba, marginals, atol=1e-12)
        assert joint[(paths == states).all(axis=1)] == pytest.approx(joint.max(), rel=1e-12)
    assert model.score(sequences) == pytest.approx(total, abs=1e-10)


@by_model
def test_one_step_of_em_is_the_weighted_count_over_all_paths(model):
    sequences = [model.sample(length, random_state=10 + length)[0][0] for length in (4, 6, 1)]
    start, moves, weights = np.zeros(3), np.zeros((3, 3)), []
    for sequence in sequences:
        paths, joint = all_paths(model, densities_of(model, sequence))
        posterior = joint / joint.sum()
        start += np.bincount(paths[:, 0], posterior, minlength=3)
        for t in range(1, len(sequence)):
            np.add.at(moves, (paths[:, t - 1], paths[:, t]), posterior)
        weights.append(np.array([np.bincount(column, posterior, minlength=3) for column in paths.T]))
    weights, joined = np.concatenate(weights), np.concatenate(sequences)
    parameters = {"emission": model.emission, "covariance": model.covariance, "alphabet": model.alphabet}
    stepped = HMM(3, init=model, max_iter=1, reg_covar=0.01, **parameters).fit(sequences)
    np.testing.assert_allclose(stepped.start_, start / 3, atol=1e-12)
    np.testing.assert_allclose(stepped.transitions_, moves / moves.sum(axis=1, keepdims=True), atol=1e-12)
    if model.emission == "discrete":
        shown = np.array([[weights[joined == x, j].sum() for x in model.symbols_] for j in range(3)])
        np.testing.assert_allclose(
            stepped.emission_probabilities_, shown / shown.sum(axis=1, keepdims=True), atol=1e-12
        )
        return
    for j in range(3):
        mean = np.average(joined, axis=0, weights=weights[:, j])
        covariance = np.cov(joined.T, aweights=weights[:, j], ddof=0) + 0.01 * np.eye(2)
        np.testing.assert_allclose(stepped.means_[j], mean, atol=1e-10)
        expected = covariance if model.covariance == "full" else np.diag(covariance)
        np.testing.assert_allclose(stepped.covariances_[j], expected, atol=1e-10)


@by_model
def test_em_never_lowers_the_likelihood_and_ends_at_its_score(model):
    sequences, _ = model.sample(40, 25, random_state=0)
    parameters = {"emission": model.emission, "covariance": model.covariance}
    # Without a floor under the variances every step raises the likelihood itself.
    fitted = HMM(3, n_init=6, max_iter=100, reg_covar=0.0, random_state=1, **parameters).fit(sequences)
    assert np.diff(fitted.history_).min() > -1e-8
    assert fitted.history_[-1] > fitted.history_[0] + 10
    assert fitted.score(sequences) == pytest.approx(fitted.log_likelihood_, abs=1e-8)
    assert fitted.log_likelihood_ > model.score(sequences) - 5, "as likely as the model that drew them, about"
    np.testing.assert_allclose(fitted.transitions_.sum(axis=1), 1, atol=1e-12)


def test_em_takes_the_steps_of_hmmlearn_to_the_same_likelihood():
    hmm = pytest.importorskip("hmmlearn.hmm")
    lengths, start = [30] * 20, random_discrete(5)
    X = np.concatenate(random_discrete(4).sample(30, 20, random_state=0)[0])
    codes = np.searchsorted(start.symbols_, X)[:, np.newaxis]
    theirs = hmm.CategoricalHMM(3, n_iter=15, tol=-np.inf, init_params="")
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = (
        start.start_, start.transitions_, start.emission_probabilities_,
    )  # fmt: skip
    theirs.fit(codes, lengths)
    ours = HMM(init=start, alphabet="abcd", max_iter=15, tol=0).fit(X, lengths=lengths)
    assert ours.score(X, lengths=lengths) == pytest.approx(theirs.score(codes, lengths), abs=1e-8)
    np.testing.assert_allclose(ours.transitions_, theirs.transmat_, atol=1e-8)
    np.testing.assert_allclose(ours.emission_probabilities_, theirs.emissionprob_, atol=1e-8)
    for covariance in ("diag", "full"):
        model = random_gaussian(3, "full" if covariance == "full" else "diagonal")
        Y = np.concatenate(model.sample(30, 20, random_state=0)[0])
        peer = hmm.GaussianHMM(3, covariance_type=covariance)
        peer.startprob_, peer.transmat_, peer.means_ = model.start_, model.transitions_, model.means_
        peer.covars_ = model.covariances_
        assert model.score(Y, lengths=lengths) == pytest.approx(peer.score(Y, lengths), abs=1e-8)


def test_counting_labelled_sequences_divides_what_was_seen():
    model = HMM().fit(["xxyz", "yx", "z"], [["a", "a", "b", "b"], ["b", "a"], ["c"]])
    assert model.states_.tolist() == ["a", "b", "c"] and model.symbols_.tolist() == ["x", "y", "z"]
    np.testing.assert_allclose(model.start_, [1 / 3, 1 / 3, 1 / 3])
    # State c is never left, and moves to all alike.
    np.testing.assert_allclose(model.transitions_, [[0.5, 0.5, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(model.emission_probabilities_, [[1, 0, 0], [0, 2 / 3, 1 / 3], [0, 0, 1]])
    assert model.n_iter_ == 0 and model.log_likelihood_ == pytest.approx(model.score(["xxyz", "yx", "z"]))
    smooth = HMM(smoothing=1.0, alphabet="wxyz").fit(["xxyz", "yx", "z"], ["aabb", "ba", "c"])
    np.testing.assert_allclose(smooth.emission_probabilities_[0], [1 / 7, 4 / 7, 1 / 7, 1 / 7])
    np.testing.assert_allclose(smooth.transitions_, model.transitions_)
    numbered = HMM(4).fit(["xy"], [np.array([2, 0])])
    assert numbered.states_.tolist() == [0, 1, 2, 3] and numbered.start_.tolist() == [0, 0, 1, 0]
    np.testing.assert_allclose(numbered.emission_probabilities_[3], 0.5)


def test_counting_labelled_vectors_gives_means_and_covariances_of_states():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    for covariance in ("diagonal", "full"):
        model = HMM(emission="gaussian", covariance=covariance, reg_covar=0.0).fit(X, labels, lengths=[150, 50])
        for j in range(2):
            expected = np.cov(X[labels == j].T, ddof=0)
            np.testing.assert_allclose(model.means_[j], X[labels == j].mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(
                model.covariances_[j], expected if covariance == "full" else np.diag(expected), atol=1e-12
            )
        assert model.start_[labels[0]] >= 0.5


def test_em_finds_the_regimes_of_well_separated_states():
    truth = HMM.from_parameters(
        [0.5, 0.5], [[0.95, 0.05], [0.1, 0.9]], means=[[0.0], [3.0]], covariances=[[1.0], [0.25]]
    )
    sequences, states = truth.sample(300, 20, random_state=0)
    model = HMM(2, emission="gaussian", n_init=3, random_state=0).fit(sequences)
    order = np.argsort(model.means_[:, 0])
    # Standard errors of some 4000 and 2000 positions are below 0.02.
    np.testing.assert_allclose(model.means_[order, 0], [0, 3], atol=0.08)
    np.testing.assert_allclose(np.diag(model.transitions_)[order], [0.95, 0.9], atol=0.03)
    right = np.concatenate(model.predict(sequences)) == order[np.concatenate(states)]
    assert right.mean() > 0.97


def test_the_likeliest_of_several_starts_is_kept():
    sequences, _ = random_discrete(3).sample(40, 30, random_state=0)
    single = []
    random = np.random.RandomState(0)
    for _ in range(5):
        single.append(HMM(3, max_iter=20, random_state=random).fit(sequences).log_likelihood_)
    several = HMM(3, n_init=5, max_iter=20, random_state=0).fit(sequences)
    assert several.log_likelihood_ == max(single) and max(single) > min(single) + 0.1
    again = HMM(3, n_init=5, max_iter=20, random_state=0).fit(sequences)
    np.testing.assert_array_equal(again.transitions_, several.transitions_)


def test_all_forms_of_the_same_sequences_give_the_same():
    model = random_discrete(6)
    texts = ["abca", "dd", "bacbad"]
    lists = [list(text) for text in texts]
    joined, lengths = np.array(list("".join(texts))), [4, 2, 6]
    assert model.score(texts) == model.score(lists) == model.score(joined, lengths=lengths)
    flat = model.predict(joined, lengths=lengths)
    assert isinstance(flat, np.ndarray)
    np.testing.assert_array_equal(np.concatenate(model.predict(texts)), flat)
    np.testing.assert_array_equal(model.predict("abca"), flat[:4])
    np.testing.assert_array_equal(model.predict(np.array(list("abca"))), flat[:4])
    fits = [HMM(2, max_iter=3, random_state=0).fit(form, lengths=n) for form, n in ((texts, None), (joined, lengths))]
    np.testing.assert_array_equal(fits[0].transitions_, fits[1].transitions_)
    one = HMM(2, emission="gaussian", max_iter=3, random_state=0).fit(np.arange(8.0))
    np.testing.assert_array_equal(
        one.means_, HMM(2, emission="gaussian", max_iter=3, random_state=0).fit([np.arange(8.0)[:, None]]).means_
    )


def test_predict_takes_any_decoder_and_names_states():
    model = HMM.from_parameters(
        [0.4, 0.6], [[0.7, 0.3], [0.4, 0.6]], emission_probabilities=[[0.9, 0.1], [0.3, 0.7]], states=["rain", "sun"]
    )
    sequence = np.array([0, 1, 1, 0, 1])
    assert set(model.predict(sequence)) <= {"rain", "sun"}
    posterior = model.predict(sequence, decoder=HMMDecoder(alpha=0))
    np.testing.assert_array_equal(posterior, model.states_[model.predict_proba(sequence).argmax(axis=1)])
    np.testing.assert_array_equal(model.predict(sequence, decoder=HMMDecoder(alpha=1)), model.predict(sequence))
    labelled = model.predict([sequence], decoder=HMMDecoder(state_labels=["wet", "dry"]))
    assert set(labelled[0]) <= {"wet", "dry"}
    with pytest.raises(ValueError, match="decoder must be an HMMDecoder"):
        model.predict(sequence, decoder="map")


@by_model
def test_samples_follow_the_model(model):
    sequences, states = model.sample(50, 400, random_state=3)
    assert len(sequences) == len(states) == 400 and len(sequences[0]) == 50
    parameters = {"emission": model.emission, "covariance": model.covariance, "alphabet": model.alphabet}
    counted = HMM(3, **parameters).fit(sequences, states)
    # Thousands of moves and visits a state: standard errors below 0.02, of 400 first states 0.025.
    np.testing.assert_allclose(counted.transitions_, model.transitions_, atol=0.06)
    np.testing.assert_allclose(counted.start_, model.start_, atol=0.1)
    if model.emission == "discrete":
        np.testing.assert_allclose(counted.emission_probabilities_, model.emission_probabilities_, atol=0.06)
    else:
        np.testing.assert_allclose(counted.means_, model.means_, atol=0.2)
        np.testing.assert_allclose(counted.covariances_, model.covariances_, rtol=0.2, atol=0.1)
    again, _ = model.sample(50, 400, random_state=3)
    np.testing.assert_array_equal(np.concatenate(again), np.concatenate(sequences))


def test_bic_counts_free_parameters_and_prefers_the_right_number_of_states():
    model = random_discrete(0)
    sequences, _ = model.sample(30, 10, random_state=0)
    assert model.bic(sequences) == pytest.approx((2 + 6 + 9) * np.log(300) - 2 * model.score(sequences))
    for covariance, free in (("diagonal", 2 + 6 + 3 * 4), ("full", 2 + 6 + 3 * 5)):
        gaussian = random_gaussian(1, covariance)
        X, _ = gaussian.sample(30, 10, random_state=0)
        assert gaussian.bic(X) == pytest.approx(free * np.log(300) - 2 * gaussian.score(X))
    truth = HMM.from_parameters([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], means=[[0.0], [4.0]], covariances=[[1.0], [1.0]])
    X, _ = truth.sample(100, 10, random_state=0)
    bic = [HMM(k, emission="gaussian", n_init=3, random_state=0).fit(X).bic(X) for k in (1, 2, 3)]
    assert np.argmin(bic) == 1


def test_moves_that_the_first_model_forbids_stay_forbidden():
    left_right = HMM.from_parameters(
        [1.0, 0.0], [[0.8, 0.2], [0.0, 1.0]], emission_probabilities=[[0.6, 0.4], [0.3, 0.7]], symbols="ab"
    )
    model = HMM(init=left_right, max_iter=30).fit(["aababbb", "abbbb", "aaab"])
    assert model.transitions_[1].tolist() == [0, 1] and model.start_.tolist() == [1, 0]
    again = clone(model).fit(["aababbb", "abbbb", "aaab"])
    np.testing.assert_array_equal(again.transitions_, model.transitions_)


def test_observations_far_beyond_the_range_of_floating_point_are_still_exact():
    model = HMM.from_parameters(
        [0.5, 0.5], [[1.0, 0.0], [0.5, 0.5]], means=[[0.0], [100.0]], covariances=[[1.0], [1.0]]
    )
    # State 0 is never left, and explains 100 with a density of exp(-5000).
    X = np.array([[0.0], [100.0], [0.0]])
    logs = np.column_stack([-0.5 * (X[:, 0] - m) ** 2 - 0.5 * np.log(2 * np.pi) for m in (0.0, 100.0)])
    paths = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]
    prior = np.log([0.5, 0.25, 0.125, 0.125])
    expected = np.logaddexp.reduce([p + logs[np.arange(3), path].sum() for p, path in zip(prior, paths)])
    assert model.score([X]) == pytest.approx(expected, rel=1e-14)
    refitted = HMM(init=model, emission="gaussian", max_iter=2).fit([X, X])
    assert np.isfinite(refitted.history_).all()


def test_a_data_frame_is_a_sequence_of_vectors():
    values = np.random.default_rng(0).normal(size=(30, 2))
    expected = HMM(2, emission="gaussian", random_state=0, tol=1e-3).fit(values).predict_proba(values)
    for frame in (pd.DataFrame(values), pl.DataFrame(values)):
        found = HMM(2, emission="gaussian", random_state=0, tol=1e-3).fit(frame)
        np.testing.assert_array_equal(found.predict_proba(frame), expected)


def test_cross_validation_scores_models_counted_from_labels():
    sequences, labels = ["abab", "bbba", "aab", "abb"], ["xyxy", "yyyx", "xxy", "xyy"]
    scores = cross_val_score(HMM(smoothing=1.0, alphabet="ab"), sequences, labels, cv=2, error_score="raise")
    counted = HMM(smoothing=1.0, alphabet="ab").fit(sequences[:2], labels[:2])
    assert scores[1] == counted.score(sequences[2:])


def test_fitted_models_are_cloned_pickled_and_saved(tmp_path):
    for model in (HMM(3, max_iter=3, random_state=0), HMM(2, emission="gaussian", max_iter=3, random_state=0)):
        rng = np.random.default_rng(0)
        data = ["abca", "bbcaa"] if model.emission == "discrete" else [rng.normal(size=(9, 2))]
        model.fit(data)
        save_model(model, tmp_path / "model.skops")
        for copy in (pickle.loads(pickle.dumps(model)), load_model(tmp_path / "model.skops").model):
            assert copy.score(data) == model.score(data)
            np.testing.assert_array_equal(copy.predict(data)[0], model.predict(data)[0])
        assert clone(model).fit(data).score(data) == model.score(data)
        with pytest.raises(NotFittedError):
            clone(model).score(data)


def test_a_fit_that_has_not_converged_warns():
    sequences, _ = random_discrete(1).sample(30, 10, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        HMM(3, max_iter=1, random_state=0).fit(sequences)


@pytest.mark.parametrize(
    ("parameters", "sequences", "message"),
    [
        ({"n_states": 2}, [], "give at least one sequence"),
        ({"n_states": 2}, ["ab", ""], r"sequences\[1\] is empty"),
        ({"n_states": 2}, "", "an empty sequence"),
        ({"n_states": 2}, [1, 2], "must hold a symbol"),
        ({"n_states": 2}, [[0.5, np.nan]], "holds NaN"),
        ({}, ["ab"], "n_states=None needs labels"),
        ({"n_states": 0}, ["ab"], "n_states"),
        ({"n_states": 2, "alphabet": "abb"}, ["ab"], "each once"),
        ({"n_states": 2, "alphabet": "ab"}, ["aab", "abc"], r"sequences\[1\] holds 'c'"),
        ({"n_states": 2, "alphabet": "ab"}, [[1, 2]], "holds 1"),
        ({"n_states": 2, "emission": "gaussian"}, [[[1.0, np.inf]]], "NaN or infinite"),
        ({"n_states": 2, "emission": "gaussian"}, ["ab"], "must hold numbers"),
        ({"n_states": 2, "emission": "gaussian"}, [1.0, 2.0], "must hold a vector"),
        ({"n_states": 2, "emission": "gaussian"}, [np.ones((4, 2)), np.ones((3, 1))], "vectors of 1 numbers"),
        ({"n_states": 3, "emission": "gaussian"}, [[1.0, 1.0, 2.0]], "exceeds the 2 distinct vectors"),
        ({"init": MODELS[0], "n_states": 2, "alphabet": "abcd"}, ["ab"], "init has 3 states"),
        ({"init": MODELS[0]}, ["ab"], "init has other symbols"),
        ({"init": MODELS[0], "emission": "gaussian"}, [[1.0, 2.0]], "same kind of emissions"),
    ],
)
def test_wrong_input_is_refused(parameters, sequences, message):
    with pytest.raises(ValueError, match=message):
        HMM(**parameters).fit(sequences)


def test_wrong_labels_lengths_and_parameters_are_refused():
    with pytest.raises(ValueError, match=r"labels\[1\] has 1 positions and its sequence 2"):
        HMM().fit(["ab", "ab"], ["xy", "x"])
    with pytest.raises(ValueError, match="1 sequences of labels were given for 2 sequences"):
        HMM().fit(["ab", "ab"], ["xy"])
    with pytest.raises(ValueError, match="numbers from 0 to 1"):
        HMM(2).fit(["ab"], [[0, 2]])
    joined = np.array(list("abab"))
    with pytest.raises(ValueError, match="sum to the 4 positions"):
        HMM(2).fit(joined, lengths=[2, 3])
    with pytest.raises(ValueError, match="whole numbers"):
        HMM(2).fit(joined, lengths=[2.5, 1.5])
    with pytest.raises(ValueError, match="lengths belong to"):
        HMM(2).fit(["ab"], lengths=[2])
    model = MODELS[1]
    with pytest.raises(ValueError, match="positions hold 3 numbers"):
        model.score([np.ones((2, 3))])
    with pytest.raises(ValueError, match="must be at least 1"):
        model.sample(0)
    half = [[0.5, 0.5], [0.5, 0.5]]
    with pytest.raises(ValueError, match="give either"):
        HMM.from_parameters([0.5, 0.5], half)
    with pytest.raises(ValueError, match="a row for each state that sums to 1"):
        HMM.from_parameters([0.5, 0.5], half, emission_probabilities=[[0.5, 0.4], [0.5, 0.5]])
    with pytest.raises(ValueError, match="3 symbols do not name 2 columns"):
        HMM.from_parameters([0.5, 0.5], half, emission_probabilities=half, symbols="abc")
    with pytest.raises(ValueError, match="each of the 2 states"):
        HMM.from_parameters([0.5, 0.5], half, means=[[1.0]], covariances=[[1.0]])
    with pytest.raises(ValueError, match="name each of the 2 states"):
        HMM.from_parameters([0.5, 0.5], half, emission_probabilities=half, states=["x"])
    for covariances, message in (
        ([1.0, 1.0], "do not belong together"),
        ([[1.0], [np.nan]], "NaN or infinity"),
        ([[1.0], [-1.0]], "state 1 has a covariance that is not positive"),
        ([[[1.0]], [[0.0]]], "state 1 has a covariance that is not positive"),
    ):
        with pytest.raises(ValueError, match=message):
            HMM.from_parameters([0.5, 0.5], half, means=[[0.0], [1.0]], covariances=covariances)
    flat = [np.zeros((3, 2)), np.ones((3, 2))]
    for covariance in ("diagonal", "full"):
        with pytest.raises(ValueError, match=r"state 0 .* give reg_covar > 0"):
            HMM(emission="gaussian", covariance=covariance, reg_covar=0).fit(flat, ["xxx", "yyy"])
    impossible = HMM.from_parameters([1.0, 0.0], np.eye(2), emission_probabilities=np.eye(2), symbols="ab")
    for method in (impossible.score, impossible.predict, impossible.predict_proba):
        with pytest.raises(ValueError, match="no possible path"):
            method(["ab"])
