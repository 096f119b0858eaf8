"""The recurrent classifier against its definition, with the perceptron and with other classifiers."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from treatise.io import load_model, save_model
from treatise.papers.sequence.v15_1317._digit_words import make_digit_words
from treatise.sequence import RecurrentClassifier, word_features


@pytest.fixture(scope="module")
def words():
    return make_digit_words(120, length=5, random_state=1)


def brute_perceptron(sequences, labels, n_prev, epochs, average, seed):
    """Algorithm 1 with dense vectors of features, and a mean over all visits."""
    classes = sorted({label for path in labels for label in path})
    K, examples = len(classes), []
    for x, path in zip(sequences, labels):
        codes = [classes.index(label) for label in path]
        for t in range(len(path)):
            before = np.zeros((n_prev, K + 1))
            for j in range(n_prev):
                before[j, codes[t - j - 1] if t > j else K] = 1.0
            examples.append((np.concatenate([x[t], [1.0], before.ravel()]), codes[t]))
    W = np.zeros((K, len(examples[0][0])))
    total, rng = np.zeros_like(W), np.random.RandomState(seed)
    for _ in range(epochs):
        for i in rng.permutation(len(examples)):
            f, y = examples[i]
            guess = np.argmax(W @ f)
            if guess != y:
                W[y] += f
                W[guess] -= f
            total += W
    return total / (epochs * len(examples)) if average else W


@pytest.mark.parametrize(("n_prev", "average"), [(0, False), (1, True), (2, False)])
def test_the_perceptron_is_that_of_algorithm_1(n_prev, average):
    rng = np.random.default_rng(0)
    sequences = [rng.normal(size=(T, 3)) for T in (1, 4, 6, 3)]
    labels = [rng.choice(list("abc"), len(x)).tolist() for x in sequences]
    fitted = RecurrentClassifier(n_prev=n_prev, epochs=4, average=average, random_state=0).fit(sequences, labels)
    expected = brute_perceptron(sequences, labels, n_prev, 4, average, 0)
    ours = np.vstack([fitted.coef_, fitted.label_coef_.reshape(-1, 3)]).T
    # Only the order of summation differs.
    np.testing.assert_allclose(ours, expected, atol=1e-10)


def test_an_average_goes_on_after_the_last_mistake():
    sequences, labels = [np.array([[1.0], [-1.0]])], [["a", "b"]]
    fitted = RecurrentClassifier(n_prev=0, epochs=50, random_state=0).fit(sequences, labels)
    expected = brute_perceptron(sequences, labels, 0, 50, True, 0)
    np.testing.assert_allclose(fitted.coef_.T, expected, atol=1e-12)


@pytest.mark.parametrize("n_prev", [0, 1, 2])
@pytest.mark.parametrize("base", [None, LogisticRegression(), DecisionTreeClassifier(max_depth=6, random_state=0)])
def test_a_prediction_decides_by_the_scores_after_its_own_labels(words, base, n_prev):
    sequences, labels = words
    fitted = RecurrentClassifier(base, n_prev=n_prev, epochs=3, random_state=0).fit(sequences[:60], labels[:60])
    right_on_the_true_path = []
    for x, truth, path in zip(sequences[60:66], labels[60:66], fitted.predict(sequences[60:66])):
        for t in range(len(path)):
            assert path[t] == fitted.classes_[np.argmax(fitted.decision_scores(x, path[:t]))]
            guess = fitted.classes_[np.argmax(fitted.decision_scores(x, truth[:t]))]
            right_on_the_true_path.append(guess == truth[t])
    score = fitted.exact_imitation_score(sequences[60:66], labels[60:66])
    assert score == pytest.approx(np.mean(right_on_the_true_path))


def test_scores_are_those_of_the_base_on_features_and_labels_before(words):
    sequences, labels = words
    for K in (10, 2):
        targets = labels if K == 10 else [[str(int(d) % 2) for d in path] for path in labels]
        fitted = RecurrentClassifier(LogisticRegression(), n_prev=2).fit(sequences, targets)
        row = np.zeros(64 + 1 + 2 * (K + 1))
        row[:64], row[64] = sequences[0][1], 1.0
        row[65 + int(np.searchsorted(fitted.classes_, targets[0][0]))] = 1.0
        row[65 + K + 1 + K] = 1.0
        expected = fitted.base_.decision_function(sparse.csr_array(row[np.newaxis]))[0]
        ours = fitted.decision_scores(sequences[0], targets[0][:1])
        np.testing.assert_allclose(ours if K > 2 else ours[1], expected, atol=1e-10)


def test_dictionaries_and_arrays_of_the_same_numbers_agree(words):
    sequences, labels = words
    features = [[{**{f"p{i}": v for i, v in enumerate(row)}, "bias": 1.0} for row in x] for x in sequences]
    from_arrays = RecurrentClassifier(epochs=2, random_state=0).fit(sequences, labels)
    from_names = RecurrentClassifier(epochs=2, random_state=0).fit(features, labels)
    np.testing.assert_allclose(from_arrays.coef_, from_names.coef_, atol=1e-9)
    assert from_arrays.predict(sequences) == from_names.predict(features)


def test_a_window_gives_the_columns_of_neighbours_within_the_sequence():
    sequences = [np.array([[1.0], [2.0], [3.0]]), np.array([[4.0]])]
    fitted = RecurrentClassifier(window=1, epochs=1).fit(sequences, [["a", "b", "a"], ["b"]])
    expected = [[0, 0, 1, 1, 2, 1], [1, 1, 2, 1, 3, 1], [2, 1, 3, 1, 0, 0], [0, 0, 4, 1, 0, 0]]
    np.testing.assert_array_equal(fitted.encode(sequences)[0].toarray(), expected)


def test_one_label_alone_is_always_predicted():
    assert RecurrentClassifier().fit([np.ones((2, 1))], [["a", "a"]]).predict([np.zeros((3, 1))]) == [["a", "a", "a"]]


def test_copies_on_disk_and_clones_predict_alike(words, tmp_path):
    sequences, labels = words
    fitted = RecurrentClassifier(epochs=2, random_state=0).fit(sequences, labels)
    expected = fitted.predict(sequences)
    assert pickle.loads(pickle.dumps(fitted)).predict(sequences) == expected
    assert clone(fitted).fit(sequences, labels).predict(sequences) == expected
    save_model(fitted, tmp_path / "words.skops")
    assert load_model(tmp_path / "words.skops").model.predict(sequences) == expected
    sentences = [word_features(["the", "dog"]), word_features(["barks"])]
    tagger = RecurrentClassifier(random_state=0).fit(sentences, [["D", "N"], ["V"]])
    save_model(tagger, tmp_path / "tagger.skops")
    assert load_model(tmp_path / "tagger.skops").model.predict(sentences) == tagger.predict(sentences)


@pytest.mark.parametrize(
    ("sequences", "labels", "message"),
    [
        ([], [], "no sequences"),
        ([np.ones((2, 2)), np.ones((0, 2))], [["a", "b"], []], "sequence 1 .* is empty"),
        ([np.ones((2, 2))], [["a"]], "2 positions and 1 labels"),
        ([np.ones((2, 2)), np.ones((1, 3))], [["a", "b"], ["a"]], "has 3 columns; expected 2"),
        ([np.ones((2, 2)), [{"a": 1.0}]], [["a", "b"], ["a"]], "is a list of features; expected an array"),
        ([np.array([[np.nan]])], [["a"]], "NaN"),
        (np.ones((2, 2)), [["a", "b"]], "one array of two dimensions"),
        (["ab"], [["a", "b"]], "is a str"),
    ],
)
def test_bad_sequences_are_refused(sequences, labels, message):
    with pytest.raises(ValueError, match=message):
        RecurrentClassifier().fit(sequences, labels)


def test_bad_prefixes_labels_and_contexts_are_refused(words):
    sequences, labels = words
    fitted = RecurrentClassifier(epochs=1).fit(sequences, labels)
    with pytest.raises(ValueError, match="must be shorter"):
        fitted.decision_scores(sequences[0], labels[0])
    with pytest.raises(ValueError, match="'x' did not occur"):
        fitted.exact_imitation_score(sequences[:1], [["x"] * 5])
    with pytest.raises(ValueError, match="5 positions and 1 labels"):
        fitted.score(sequences[:1], [["1"]])
    with pytest.raises(ValueError, match="n_prev=12 gives"):
        RecurrentClassifier(n_prev=12).fit(sequences, labels)
