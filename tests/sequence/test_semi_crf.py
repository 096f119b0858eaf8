"""Conditional random fields of segments: probabilities by enumeration, gradient, files, bad input."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.base import clone

from treatise.io import load_model, save_model
from treatise.sequence import CRF, SemiCRF, labels_from_segments, segment_f1


def runs(n=30, K=3, seed=0, longest=3, n_segments=4, noise=1.0, repeats=False):
    """Segments whose labels go round, and noisy observations of them."""
    rng = np.random.default_rng(seed)
    X, ways = [], []
    for _ in range(n):
        way, at, label = [], 0, int(rng.integers(K))
        for _ in range(rng.integers(1, n_segments + 1)):
            end = at + int(rng.integers(1, longest + 1))
            way.append((at, end, label))
            at = end
            label = label if repeats and rng.random() < 0.3 else (label + 1) % K
        ways.append(way)
        X.append(np.eye(K)[labels_from_segments(way)] + noise * rng.normal(size=(at, K)))
    return X, ways


def enumerated(n, longest, K):
    if n == 0:
        yield []
        return
    for length in range(1, min(n, longest) + 1):
        for rest in enumerated(n - length, longest, K):
            for label in range(K):
                yield [*rest, (n - length, n, label)]


def scored(model, patterns, x, way):
    """Score of a segmentation by the weights that the model shows."""
    rows = np.hstack([x, np.ones((len(x), 1))])
    labels = [label for _, _, label in way]
    total = 0.0
    for i, (start, end, y) in enumerate(way):
        total += (rows[start:end] @ model.inside_coef_)[:, y].sum()
        total += rows[start] @ model.start_coef_[:, y] + rows[end - 1] @ model.end_coef_[:, y]
        total += model.length_coef_[end - start - 1, y]
        for length in range(2, model.order + 2):
            total += patterns.get(tuple(labels[max(i - length + 1, 0) : i + 1]), 0.0) * (length <= i + 1)
    return total


@pytest.mark.parametrize(("order", "repeats"), [(1, False), (2, False), (2, True)])
def test_probabilities_are_those_of_the_shown_weights(order, repeats):
    X, ways = runs(repeats=repeats)
    model = SemiCRF(order).fit(X, ways)
    assert model.repeats_ is repeats and model.max_segment_length_ == 3
    x = np.random.default_rng(1).normal(size=(5, 3))
    possible = [way for way in enumerated(5, 3, 3) if repeats or all(a[2] != b[2] for a, b in itertools.pairwise(way))]
    patterns = model.pattern_features_
    values = np.array([scored(model, patterns, x, way) for way in possible])
    log_p = values - np.logaddexp.reduce(values)
    best = np.argsort(-log_p)
    assert model.predict([x]) == [possible[best[0]]]
    [found] = model.predict_k_best([x], 4)
    assert [way for way, _ in found] == [possible[i] for i in best[:4]]
    np.testing.assert_allclose([value for _, value in found], log_p[best[:4]], rtol=1e-9)
    np.testing.assert_allclose(model.log_probability([x], [possible[best[9]]]), log_p[best[9]], rtol=1e-9)
    covered = np.zeros((5, 3))
    for way, p in zip(possible, np.exp(log_p)):
        covered[np.arange(5), labels_from_segments(way)] += p
    np.testing.assert_allclose(model.predict_marginals([x])[0], covered, atol=1e-11)
    assert model.predict_labels([x]) == [labels_from_segments(possible[best[0]])]


@pytest.mark.parametrize("order", [1, 2])
def test_gradient_is_that_of_the_objective(order, monkeypatch):
    X, ways = runs(n=8)
    caught = {}

    def catch(self, objective, curvature):
        caught["objective"], caught["n_weights"] = objective, len(curvature)
        return np.zeros(len(curvature))

    monkeypatch.setattr(SemiCRF, "_minimise", catch)
    SemiCRF(order, l2=0.3).fit(X, ways)
    objective, rng = caught["objective"], np.random.default_rng(0)
    for _ in range(2):
        w = rng.normal(size=caught["n_weights"])
        error = check_grad(lambda v: objective(v)[0], lambda v: objective(v)[1], w, seed=1, direction="random")
        # One-sided differences of a sum of size 100 keep six digits of a slope of size 10.
        assert error < 2e-4


def test_segments_of_one_position_are_a_chain():
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 3, 7).tolist() for _ in range(20)]
    X = [np.eye(3)[y] + rng.normal(size=(7, 3)) for y in labels]
    ways = [[(t, t + 1, y) for t, y in enumerate(path)] for path in labels]
    semi = SemiCRF(2, tol=1e-9, l2=1.0).fit(X, ways)
    # Every position is inside, first and last at once: the three blocks share one weight, whose penalty is a third
    # of that of a single block; the bias has four shares with the length's. So the chain is fitted by its own
    # probabilities, not by weights.
    assert semi.max_segment_length_ == 1
    total = semi.inside_coef_ + semi.start_coef_ + semi.end_coef_
    total[-1] += semi.length_coef_[0]
    chain = CRF(2, max_iter=1).fit(X, labels)
    chain.coef_, chain.pattern_weights_ = total, semi.pattern_weights_
    assert chain.patterns_ == semi.patterns_
    np.testing.assert_allclose(chain.log_probability(X, labels), semi.log_probability(X, ways), rtol=1e-10)


def test_lengths_of_segments_are_learned_where_positions_say_nothing():
    # Labels alternate; a always has three positions and b two: features that are all alike suffice.
    way = [(0, 3, "a"), (3, 5, "b"), (5, 8, "a"), (8, 10, "b")]
    sequences = [[{"bias": 1}] * 10] * 5
    model = SemiCRF(l2=0.01).fit(sequences, [way] * 5)
    assert model.predict(sequences[:1]) == [way]
    assert CRF(l2=0.01).fit(sequences, [labels_from_segments(way)] * 5).predict(sequences[:1])[0] != (
        labels_from_segments(way)
    )


def separated(n, seed):
    """Segments a, x, b, x, a, ... of any lengths; only x, and the first label, can be seen."""
    rng = np.random.default_rng(seed)
    X, ways = [], []
    for _ in range(n):
        way, at, letters = [], 0, ["a", "b"] if rng.random() < 0.5 else ["b", "a"]
        for i in range(7):
            end = at + int(rng.integers(2, 6))
            way.append((at, end, "x" if i % 2 else letters[i // 2 % 2]))
            at = end
        ways.append(way)
        X.append([{"x": y == "x", "not x": y != "x", y: t == 0} for t, y in enumerate(labels_from_segments(way))])
    return X, ways


def test_patterns_of_segments_reach_over_long_segments():
    (X, ways), (new_X, new_ways) = separated(40, 0), separated(40, 1)
    labels, new_labels = ([labels_from_segments(way) for way in each] for each in (ways, new_ways))
    # The label before x lies two to five positions back, but two segments back.
    assert SemiCRF(2).fit(X, ways).score(new_X, new_ways) == 1.0
    assert SemiCRF(1).fit(X, ways).score(new_X, new_ways) < 0.95
    assert CRF(2).fit(X, labels).score(new_X, new_labels) < 0.95


def test_labels_of_positions_are_read_as_runs():
    X, ways = runs()
    a = SemiCRF(max_iter=5).fit(X, ways)
    b = SemiCRF(max_iter=5).fit(X, [labels_from_segments(way) for way in ways])
    assert a.predict(X) == b.predict(X)
    assert a.score(X, ways) == b.score(X, [labels_from_segments(way) for way in ways])


def test_models_are_copied_pickled_and_saved(tmp_path):
    X, ways = runs()
    model = SemiCRF(2).fit(X, ways)
    assert clone(model).get_params() == model.get_params()
    save_model(model, tmp_path / "segments.skops")
    for again in (pickle.loads(pickle.dumps(model)), load_model(tmp_path / "segments.skops").model):
        assert again.predict(X) == model.predict(X)
        np.testing.assert_array_equal(again.log_probability(X, ways), model.log_probability(X, ways))


def test_a_segment_longer_than_any_of_training_is_impossible():
    X, ways = runs()
    model = SemiCRF(max_iter=3).fit(X, ways)
    assert model.log_probability([np.zeros((9, 3))], [[(0, 9, 1)]]).tolist() == [-np.inf]


def test_f1_counts_segments_that_are_right_in_full():
    true = [[(0, 2, "a"), (2, 4, "O"), (4, 5, "b")], [(0, 1, "a")]]
    found = [[(0, 2, "a"), (2, 5, "O")], [(0, 1, "b")]]
    assert segment_f1(true, found) == pytest.approx(2 * 1 / (4 + 3))
    assert segment_f1(true, found, ignore={"O"}) == pytest.approx(2 * 1 / (3 + 2))
    assert segment_f1([[]], [[]]) == 1.0
    with pytest.raises(ValueError, match="of 1 sequences and of 2"):
        segment_f1([[]], [[], []])
    with pytest.raises(ValueError, match=r"sequence 0 .* see segments_from_labels"):
        segment_f1([["abc", "abd"]], [["abc", "abe"]])


@pytest.mark.parametrize(
    ("segments", "options", "message"),
    [
        ([[(0, 1, "a"), (2, 3, "b")]], {}, "must begin at 1"),
        ([[(0, 0, "a"), (0, 3, "b")]], {}, "not be empty"),
        ([[(0, 1.5, "a"), (1.5, 3, "b")]], {}, "end at a whole number"),
        ([[(0, 2, "a")]], {}, "3 positions and its segments end at 2"),
        ([["a", "b"]], {}, "3 positions and 2 labels"),
        ([[(0, 3, "a")], []], {}, "1 sequences and segments for 2"),
        ([[(0, 3, "a")]], {"max_segment_length": 2}, "max_segment_length=2"),
        ([[(0, 1, "a"), (1, 3, "a")]], {"allow_repeat": False}, "allow_repeat=False"),
    ],
)
def test_bad_segments_are_named(segments, options, message):
    with pytest.raises(ValueError, match=message):
        SemiCRF(**options).fit([np.zeros((3, 2))], segments)
