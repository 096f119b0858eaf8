"""Conditional random fields of positions: probabilities, training, CRFsuite's numbers, model files, bad input."""

import itertools
import pickle
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from treatise.io import load_model, save_model
from treatise.papers.sequence.v15_0981._high_order import make_high_order_sequences
from treatise.sequence import CRF, plot_label_transitions, word_features

TAGS = {
    "the": "D", "dog": "N", "barks": "V", "and": "C", "a": "D", "cat": "N", "sleeps": "V", "near": "P", "old": "A",
    "house": "N", "while": "C", "dogs": "N", "bark": "V", "at": "P", "some": "D", "cats": "N",
}  # fmt: skip


def sentences(n=30, seed=0):
    rng = np.random.default_rng(seed)
    words = [rng.choice(list(TAGS), rng.integers(1, 7)).tolist() for _ in range(n)]
    tags = [[TAGS[word] if rng.random() > 0.2 else "X" for word in each] for each in words]
    return [word_features(each, affix=1) for each in words], tags


def numbers(n=25, d=3, K=3, seed=0, length=6):
    """Arrays, with labels that follow their own kind."""
    rng = np.random.default_rng(seed)
    labels = [np.abs(np.cumsum(rng.integers(-1, 2, rng.integers(1, length + 1)))) % K for _ in range(n)]
    return [np.eye(K)[y][:, :d] + rng.normal(size=(len(y), d)) for y in labels], [y.tolist() for y in labels]


def scored(states, patterns, sequence, labels):
    """Score of a labelling by the weights that the model shows."""
    total = 0.0
    for t, position in enumerate(sequence):
        for name, value in position.items():
            key, x = (f"{name}:{value}", 1.0) if isinstance(value, str) else (name, float(value))
            total += x * states.get((key, labels[t]), 0.0)
        for length in range(2, t + 2):
            total += patterns.get(tuple(labels[t - length + 1 : t + 1]), 0.0)
    return total


@pytest.mark.parametrize("order", [1, 2, 3])
def test_probabilities_are_those_of_the_shown_weights(order):
    X, y = sentences()
    crf = CRF(order).fit(X, y)
    sequence = next(x for x in X if len(x) == 4)
    paths = list(itertools.product(crf.classes_.tolist(), repeat=4))
    shown = crf.state_features_, crf.pattern_features_
    values = np.array([scored(*shown, sequence, path) for path in paths])
    log_p = values - np.logaddexp.reduce(values)
    best = np.argsort(-log_p)
    assert crf.predict([sequence]) == [list(paths[best[0]])]
    [found] = crf.predict_k_best([sequence], 5)
    assert [tuple(labels) for labels, _ in found] == [paths[i] for i in best[:5]]
    np.testing.assert_allclose([value for _, value in found], log_p[best[:5]], rtol=1e-9)
    i = int(best[17])
    np.testing.assert_allclose(crf.log_probability([sequence], [paths[i]]), log_p[i], rtol=1e-9)
    [marginals] = crf.predict_marginals([sequence])
    for t, label in itertools.product(range(4), range(len(crf.classes_))):
        expected = np.exp(log_p[[path[t] == crf.classes_[label] for path in paths]]).sum()
        np.testing.assert_allclose(marginals[t, label], expected, atol=1e-11)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("make", [sentences, numbers])
def test_gradient_is_that_of_the_objective(order, make, monkeypatch):
    X, y = make(n=8)
    caught = {}

    def catch(self, objective, curvature):
        caught["objective"], caught["n_weights"] = objective, len(curvature)
        assert np.all(curvature > 0)
        return np.zeros(len(curvature))

    monkeypatch.setattr(CRF, "_minimise", catch)
    CRF(order, l2=0.3).fit(X, y)
    objective, n_weights, rng = caught["objective"], caught["n_weights"], np.random.default_rng(0)
    for _ in range(2):
        w = rng.normal(size=n_weights)
        error = check_grad(lambda v: objective(v)[0], lambda v: objective(v)[1], w, seed=1, direction="random")
        # One-sided differences of a sum of size 100 keep six digits of a slope of size 10.
        assert error < 2e-4
        v = rng.normal(size=n_weights)
        assert objective(0.5 * (w + v))[0] < 0.5 * (objective(w)[0] + objective(v)[0])


@pytest.mark.parametrize("order", [1, 2])
def test_training_ends_where_the_gradient_is_small(order):
    X, y = sentences(n=60)
    crf = CRF(order, tol=1e-9).fit(X, y)
    assert np.all(np.diff(crf.objective_path_) < 0)
    # At the optimum the penalty's slope equals observed less expected counts: checked for transitions.
    chains = crf._chains(X)
    found = chains.marginals()
    expected = found.pairs if order == 1 else found.patterns
    observed = dict.fromkeys(crf.patterns_, 0)
    for path in y:
        for length in range(2, order + 2):
            for end in range(length, len(path) + 1):
                observed[tuple(path[end - length : end])] += 1
    for i, pattern in enumerate(crf.patterns_):
        at = tuple(crf.classes_.tolist().index(label) for label in pattern) if order == 1 else i
        slope = observed[pattern] - expected[at] - crf.l2 * crf.pattern_features_[pattern]
        assert abs(slope) < 1e-4 * sum(map(len, y))


def crfsuite_model(tmp_path, X, y, **options):
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for sequence, labels in zip(X, y):
        trainer.append(sequence, labels)
    trainer.set_params({"epsilon": 1e-7, "delta": 1e-9, **options})
    path = str(tmp_path / "model.crfsuite")
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger, trainer.logparser.last_iteration["loss"]


@pytest.mark.parametrize("everything", [False, True])
def test_the_same_model_as_crfsuite(tmp_path, everything):
    X, y = sentences(n=80)
    tagger, loss = crfsuite_model(
        tmp_path, X, y, c1=0.0, c2=0.5,
        **{"feature.possible_transitions": everything, "feature.possible_states": everything},
    )  # fmt: skip
    crf = CRF(all_transitions=everything, all_states=everything, tol=1e-9).fit(X, y)
    # Both minimise -log-likelihood + half the squared weights (c2 = l2 / 2) to their own tolerance.
    np.testing.assert_allclose(crf.objective_path_[-1], loss, rtol=1e-5)
    assert crf.predict(X) == [tagger.tag(sequence) for sequence in X]
    info = tagger.info()
    for pair, weight in info.transitions.items():
        assert crf.transition_features_[pair] == pytest.approx(weight, abs=5e-3)
    assert set(info.state_features) <= set(crf.state_features_)
    for pair, weight in info.state_features.items():
        assert crf.state_features_[pair] == pytest.approx(weight, abs=5e-3)


def test_l1_gives_the_zeros_of_crfsuite(tmp_path):
    X, y = sentences(n=80)
    tagger, loss = crfsuite_model(tmp_path, X, y, c1=1.0, c2=0.05)
    crf = CRF(l1=1.0, l2=0.1, tol=1e-9, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(crf.objective_path_[-1], loss, rtol=1e-4)
    kept = sum(weight != 0 for weight in crf.state_features_.values())
    assert kept < 0.5 * len(crf.state_features_)
    # Weights at the border of being zero may fall to either side.
    assert abs(kept - len(tagger.info().state_features)) <= 0.1 * kept


def markov_labels(rng, n, length, k=2, n_labels=4):
    """Labels whose next is settled by the last two, and noisy observations of them."""
    rule = rng.integers(0, n_labels, (n_labels,) * k)
    X, y = [], []
    for _ in range(n):
        path = rng.integers(0, n_labels, k).tolist()
        while len(path) < length:
            path.append(int(rule[tuple(path[-k:])]) if rng.random() < 0.9 else int(rng.integers(n_labels)))
        y.append(path)
        X.append(np.eye(n_labels)[path] + rng.normal(size=(length, n_labels)))
    return X, y


def test_a_higher_order_finds_what_pairs_cannot_tell():
    rng = np.random.default_rng(0)
    X, y = markov_labels(rng, 120, 15)
    accuracy = [CRF(order).fit(X[:60], y[:60]).score(X[60:], y[60:]) for order in (1, 2)]
    assert accuracy[1] > accuracy[0] + 0.05


@pytest.mark.parametrize("seed", range(3))
def test_accuracy_rises_to_the_order_of_the_data_and_stays(seed):
    training, test = make_high_order_sequences((300, 200), order=2, noise=0.5, random_state=seed)
    accuracy = [
        CRF(order, tol=1e-3).fit(training.observations, training.labels).score(test.observations, test.labels)
        for order in (1, 2, 3)
    ]
    # Two standard errors on 4000 labels are 0.015.
    assert accuracy[1] - accuracy[0] >= 0.05
    assert abs(accuracy[2] - accuracy[1]) <= 0.03


def test_rare_patterns_and_attributes_are_left_out():
    X, y = sentences()
    full, cut = CRF(2, max_iter=3).fit(X, y), CRF(2, max_iter=3, min_count=3, min_pattern_count=3).fit(X, y)
    assert set(cut.patterns_) < set(full.patterns_)
    assert 0 < len(cut.coef_.data) < len(full.coef_.data)
    assert {len(pattern) for pattern in full.patterns_} == {2, 3}


def test_the_three_forms_of_features_are_one():
    X, y = sentences()
    names = [[[f"{k}:{v}" if isinstance(v, str) else k for k, v in p.items()] for p in each] for each in X]
    a, b = CRF().fit(X, y), CRF().fit(names, y)
    assert a.state_features_ == pytest.approx(b.state_features_)
    dense, vectors = a.vectorizer_.transform(X)[0].toarray(), []
    for low, high in itertools.pairwise(np.cumsum([0, *map(len, X)])):
        vectors.append(dense[low:high])
    # Arrays have a bias of their own and a weight for each label; given both, lists are the same model.
    biased = [[{**p, "bias2": 1.0} for p in each] for each in X]
    c, d = CRF(tol=1e-8).fit(vectors, y), CRF(tol=1e-8, all_states=True).fit(biased, y)
    np.testing.assert_allclose(c.objective_path_[-1], d.objective_path_[-1], rtol=1e-6)
    assert c.predict(vectors) == d.predict(biased)
    assert ("bias", "D") in c.state_features_ and ("x0", "D") in c.state_features_


def test_labels_keep_their_kind():
    X, y = numbers()
    assert set(itertools.chain(*CRF().fit(X, y).predict(X))) <= {0, 1, 2}
    named = [[f"s{label}" for label in path] for path in y]
    assert set(itertools.chain(*CRF().fit(X, named).predict(X))) <= {"s0", "s1", "s2"}


def test_one_label_and_one_position():
    crf = CRF(2).fit([[{"a": 1}], [{"b": 1}]], [["x"], ["x"]])
    assert crf.predict([[{"c": 1}, {}]]) == [["x", "x"]]
    np.testing.assert_allclose(crf.predict_marginals([[{"c": 1}, {}]])[0], 1.0)


@pytest.mark.parametrize("order", [1, 2])
def test_models_are_copied_pickled_and_saved(order, tmp_path):
    X, y = sentences()
    crf = CRF(order, l2=0.5).fit(X, y)
    assert clone(crf).get_params() == crf.get_params()
    save_model(crf, tmp_path / "crf.skops", metadata={"task": "tags"})
    for again in (pickle.loads(pickle.dumps(crf)), load_model(tmp_path / "crf.skops").model):
        assert again.predict(X) == crf.predict(X)
        assert again.pattern_features_ == crf.pattern_features_
        assert again.state_features_ == crf.state_features_
        np.testing.assert_array_equal(again.log_probability(X, y), crf.log_probability(X, y))


def test_a_forged_pattern_is_refused():
    X, y = sentences()
    crf = CRF(2, max_iter=2).fit(X, y)
    crf._pattern_codes[0, 0] = 1000
    with pytest.raises(ValueError, match="outside 0 to"):
        crf.predict(X)


def test_weights_as_a_table():
    X, y = sentences()
    crf = CRF(l1=0.5).fit(X, y)
    table = crf.weights(top=3)
    assert table.columns == ["label", "attribute", "weight"]
    assert table.group_by("label").len()["len"].max() <= 3
    label, attribute, weight = table.row(0)
    assert crf.state_features_[attribute, label] == weight
    largest = max(abs(w) for (_, y), w in crf.state_features_.items() if y == label)
    assert abs(weight) == largest
    assert len(crf.weights()) == np.count_nonzero(crf.coef_.data)


def test_progress_is_told_of_every_iteration(monkeypatch):
    steps = []

    @contextmanager
    def recorded(description, total, *, show):
        assert (description, total, show) == ("CRF", 200, True)
        yield steps.append

    monkeypatch.setattr("treatise.sequence.crf._base.progress", recorded)
    X, y = sentences()
    assert CRF(verbose=True).fit(X, y).n_iter_ == sum(steps)


def test_transitions_are_drawn():
    X, y = sentences()
    crf = CRF(2, max_iter=5).fit(X, y)
    ax = plot_label_transitions(crf)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == crf.classes_.tolist()
    assert plot_label_transitions(crf, ax=ax) is ax
    with pytest.raises(NotFittedError):
        plot_label_transitions(CRF())


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([], [], "no sequences"),
        ([[]], [[]], "is empty"),
        ([[{"a": 1}]], [["x", "y"]], "1 positions and 2 labels"),
        ([[{"a": 1}]], [["x"], ["y"]], "1 sequences and labels for 2"),
        (["a sentence"], [["x"]], "is a str"),
        ([csr_array(np.eye(2))], [["x", "y"]], "is a sparse matrix"),
        ([["word"]], [["x"]], "every position needs"),
        ([[{"a": object()}]], [["x"]], "must be a number or a string"),
        ([[{"a": np.nan}]], [["x"]], "NaN"),
        ([np.array([[np.inf]])], [["x"]], "NaN or infinity"),
        ([np.zeros((2, 2)), np.zeros((2, 3))], [[0, 1], [0, 1]], "columns"),
        (np.zeros((3, 2)), [[0, 1, 0]], "one for each sequence"),
        ([np.zeros((1, 2)), [{"a": 1}]], [[0], [1]], "sequence 1 .* is a list of features; expected an array"),
        ([[{"a": 1}, {"b": 1}]], [["x", 1]], "some labels are strings"),
    ],
)
def test_bad_input_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        CRF().fit(X, y)


def test_bad_input_at_prediction_is_named():
    X, y = sentences()
    crf = CRF(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="is empty"):
        crf.predict([[]])
    with pytest.raises(ValueError, match="'Z' did not occur in training"):
        crf.log_probability(X[:1], [["Z"] * len(X[0])])
    assert crf.score(X[:1], [["Z"] * len(X[0])]) == 0.0
    with pytest.raises(ValueError, match="is an array; expected a list of features"):
        crf.predict([np.zeros((2, 2))])
    with pytest.raises(ValueError, match=f"{len(X[0])} positions and {len(X[0]) + 1} labels"):
        crf.score(X[:1], [["D"] * (len(X[0]) + 1)])
    with pytest.raises(ValueError, match="'order'"):
        CRF(0).fit(X, y)
