"""Learners with class distances, against their definitions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier

from treatise.datasets import make_phrase_movements
from treatise.optimize import minimize_box_quadratic
from treatise.sequence import (
    GroupedClassifier,
    MaximumMarginRegression,
    PhrasePairFeatures,
    StructuredPerceptronClassifier,
    class_distances,
    movement_distances,
    orientation_of,
)


def plain_passes(X, codes, distances, rate, n_passes):
    """Table 2 of the paper, row by row, and the mean of the weights after every row."""
    X = np.c_[X, np.ones(len(X))]
    weights, total = np.zeros((X.shape[1], len(distances))), 0.0
    for _ in range(n_passes):
        for x, label in zip(X, codes):
            scores = x @ weights + distances[label]
            rival = max((c for c in range(len(distances)) if c != label), key=lambda c: (scores[c], -c))
            if scores[rival] > scores[label]:
                weights[:, label] += rate * x
                weights[:, rival] -= rate * x
            total = total + weights
    return weights, total / (n_passes * len(X))


@pytest.mark.parametrize("distances", ["zero-one", "ordinal", [[0, 2, 1], [1, 0, 3], [0.5, 1, 0]]])
def test_weights_are_those_of_the_rule_row_by_row(distances):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), rng.integers(0, 3, 40)
    last, mean = plain_passes(X, y, class_distances(distances, 3), 0.3, 3)
    model = StructuredPerceptronClassifier(distances, rate=0.3, n_passes=3, average=False, shuffle=False).fit(X, y)
    np.testing.assert_allclose(np.vstack([model.coef_.T, model.intercept_]), last, atol=1e-12)
    model.set_params(average=True)
    np.testing.assert_allclose(np.vstack([model.coef_.T, model.intercept_]), mean, atol=1e-10)
    parts = StructuredPerceptronClassifier(distances, rate=0.3, average=False)
    for _ in range(3):
        for rows in (slice(0, 13), slice(13, 40)):
            parts.partial_fit(sparse.csr_array(X[rows]), y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.coef_.T, last[:-1], atol=1e-12)


def test_the_first_update_takes_from_the_class_that_is_farthest_the_first_of_equals():
    far = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    model = StructuredPerceptronClassifier(far, rate=1.0, fit_intercept=False, average=False)
    model.partial_fit([[1.0, 2.0]], [0], classes=[0, 1, 2])
    assert model.coef_.tolist() == [[1, 2], [0, 0], [-1, -2]]
    model = StructuredPerceptronClassifier(rate=1.0, fit_intercept=False, average=False)
    model.partial_fit([[1.0, 2.0]], [2], classes=[0, 1, 2])
    assert model.coef_.tolist() == [[-1, -2], [0, 0], [1, 2]]


def test_separable_classes_end_with_every_distance_kept():
    X, y = load_iris(return_X_y=True)
    X, y = scale(X)[y != 1], y[y != 1]
    model = StructuredPerceptronClassifier(n_passes=500, average=False, random_state=0).fit(X, y)
    assert model.converged_ and model.loss_curve_[-1] == 0.0
    scores = X @ model.coef_.T + model.intercept_
    codes = np.searchsorted(model.classes_, y)
    assert np.all(scores[np.arange(len(y)), codes] - scores[np.arange(len(y)), 1 - codes] >= 1.0)


def test_digits_are_told_apart_as_well_as_the_paper_s_setting_does():
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)
    paper = StructuredPerceptronClassifier(rate=1.0, average=False, random_state=0).fit(train, y_train)
    ours = StructuredPerceptronClassifier(random_state=0).fit(train, y_train)
    assert paper.score(test, y_test) >= 0.93 and ours.score(test, y_test) >= 0.94
    chances = ours.predict_proba(test)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(ours.classes_[chances.argmax(axis=1)], ours.predict(test))


def test_the_scale_of_the_features_does_not_count_at_the_default_rate():
    X, y = load_iris(return_X_y=True)
    model = StructuredPerceptronClassifier(fit_intercept=False, random_state=0)
    assert np.array_equal(model.fit(X, y).predict(X), model.fit(1e6 * X, y).predict(1e6 * X))


def test_ordered_distances_make_errors_smaller():
    gains = []
    for seed in range(5):
        X, y = ordered_table(seed)
        train, test = slice(0, 3000), slice(3000, None)
        errors = [
            np.abs(StructuredPerceptronClassifier(d, random_state=0).fit(X[train], y[train]).predict(X[test]) - y[test])
            for d in ("zero-one", "ordinal")
        ]
        gains.append(errors[0].mean() - errors[1].mean())
    assert np.mean(gains) > 0.0


def ordered_table(seed, n=5000, p=3000, active=15):
    """Five ordered classes from a sum of weights of a few indicators, a tenth of the labels moved to a neighbour."""
    rng = np.random.default_rng(seed)
    columns = np.array([rng.choice(p, active, replace=False) for _ in range(n)])
    score = rng.normal(size=p)[columns].sum(axis=1)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    moved = rng.random(n) < 0.1
    y = np.where(moved, np.clip(y + rng.choice([-1, 1], n), 0, 4), y)
    pointers = np.arange(0, n * active + 1, active)
    return sparse.csr_array((np.ones(n * active), columns.ravel(), pointers), shape=(n, p)), y


def test_early_stopping_keeps_the_pass_that_did_best_on_rows_held_back():
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.3, rng.integers(0, 10, len(y)), y)
    model = StructuredPerceptronClassifier(n_passes=40, average=False, early_stopping=True, random_state=0)
    model.fit(X, noisy)
    assert len(model.loss_curve_) < 40
    plain = StructuredPerceptronClassifier(n_passes=40, average=False, random_state=0).fit(X, noisy)
    assert model.score(X, y) > plain.score(X, y)
    with pytest.raises(ValueError, match="leaves none to hold back"):
        StructuredPerceptronClassifier(early_stopping=True, validation_fraction=0.99).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("options", "words"),
    [({"distances": [[0, 1], [1, 0]]}, r"shape \(2, 2\)"), ({"distances": -np.ones((3, 3))}, "not negative"),
     ({"distances": np.ones((3, 3))}, "zero from a class"), ({"distances": "near"}, "near"), ({"rate": 0.0}, "rate"),
     ({"rate": 1e300}, "overflowed")],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(options, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        StructuredPerceptronClassifier(**options).fit(1e10 * X, y)


# ---------------------------------------------------------------- maximum margin regression


def dual_by_sweeps(gram, C):
    n = len(gram)
    alpha = minimize_box_quadratic(gram, -np.ones(n), np.zeros(n), np.full(n, C))
    return alpha, alpha.sum() - 0.5 * alpha @ gram @ alpha


def test_the_dual_is_solved_for_labels_alike_and_unlike():
    X, y = load_iris(return_X_y=True)
    X = scale(X)[::3]
    y = y[::3]
    kernel = rbf_kernel(X, gamma=0.5)
    for similar in ("indicator", [[1.0, 0.4, 0.1], [0.4, 1.0, 0.4], [0.1, 0.4, 1.0]]):
        matrix = np.eye(3) if isinstance(similar, str) else np.array(similar)
        alpha, objective = dual_by_sweeps(kernel * matrix[np.ix_(y, y)], 1.0)
        model = MaximumMarginRegression(gamma=0.5, output_kernel=similar, tol=1e-9).fit(X, y)
        assert model.objective_ == pytest.approx(objective, abs=1e-6)
        scores = kernel @ (alpha[:, np.newaxis] * matrix[y])
        np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-3)
        slack = np.maximum(0.0, 1.0 - scores[np.arange(len(y)), y])
        gap = slack.sum() + (kernel * matrix[np.ix_(y, y)] @ alpha) @ alpha - alpha.sum()
        assert gap < 1e-6 and model.gap_ <= 1e-9 * len(y)


def test_the_numbers_of_iris_and_digits():
    X, y = load_iris(return_X_y=True)
    iris = MaximumMarginRegression(gamma=0.5, tol=1e-8).fit(scale(X), y)
    assert iris.objective_ == pytest.approx(5.66438, abs=1e-4)
    assert iris.score(scale(X), y) == pytest.approx(0.967, abs=1e-3)
    X, y = load_digits(return_X_y=True)
    X = np.c_[X / 16, np.ones(len(X))]
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    digits = MaximumMarginRegression(gamma=0.1).fit(train, y_train)
    assert digits.score(test, y_test) == pytest.approx(0.929, abs=0.005)


def test_twice_the_rows_at_half_the_cost_are_the_same_machine():
    X, y = load_iris(return_X_y=True)
    once = MaximumMarginRegression(C=2.0, gamma=0.3, tol=1e-9).fit(X, y)
    twice = MaximumMarginRegression(C=1.0, gamma=0.3, tol=1e-9).fit(np.vstack([X, X]), np.r_[y, y])
    np.testing.assert_allclose(once.decision_function(X), twice.decision_function(X), atol=1e-4)
    given = MaximumMarginRegression(C=2.0, kernel="precomputed", tol=1e-9).fit(rbf_kernel(X, gamma=0.3), y)
    np.testing.assert_allclose(given.decision_function(rbf_kernel(X, gamma=0.3)), once.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [(np.eye(2), r"shape \(2, 2\)"), ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], "eigenvalue -1"),
     ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "symmetric"), (np.zeros((3, 3)), "diagonal")],
)  # fmt: skip
def test_a_kernel_of_labels_that_is_none_is_refused(kernel, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        MaximumMarginRegression(output_kernel=kernel).fit(X, y)


# ---------------------------------------------------------------- groups


def grouped_table(seed=0, n=600):
    rng = np.random.default_rng(seed)
    X, groups = rng.normal(size=(n, 3)), rng.choice(["a", "b", "c"], n, p=[0.6, 0.38, 0.02])
    return X, np.where(groups == "a", X[:, 0] > 0, X[:, 0] < 0).astype(int), groups


@pytest.mark.parametrize("base", [None, DecisionTreeClassifier(random_state=0), StructuredPerceptronClassifier()])
def test_each_group_has_the_model_that_a_fit_of_its_own_gives(base):
    X, y, groups = grouped_table()
    model = GroupedClassifier(base, min_samples=30).fit(X, y, groups=groups)
    assert sorted(model.groups_[place] for place in model.models_) == ["a", "b"]
    if base is None:
        for group in "ab":
            rows = groups == group
            alone = LogisticRegression(max_iter=1000).fit(X[rows], y[rows])
            np.testing.assert_allclose(model.predict_proba(X[rows], groups[rows]), alone.predict_proba(X[rows]))
        small = groups == "c"
        everybody = LogisticRegression(max_iter=1000).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X[small], groups[small]), everybody.predict_proba(X[small]))
        np.testing.assert_allclose(model.predict_proba(X[:3], ["new"] * 3), everybody.predict_proba(X[:3]))
    assert model.score(X, y, groups=groups) > 0.9 > GroupedClassifier(base).fit(X, y).score(X, y) or base is not None


def test_sparse_groups_see_their_own_columns_and_predict_as_with_all_of_them():
    rng = np.random.default_rng(3)
    X = sparse.random_array((300, 500), density=0.02, rng=rng, format="csr")
    groups, y = rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    model = GroupedClassifier(LogisticRegression(tol=1e-8), min_samples=10).fit(X, y, groups=groups)
    new = sparse.random_array((60, 500), density=0.05, rng=rng, format="csr")
    for group in range(3):
        inside, columns = model.models_[group]
        assert inside.n_features_in_ == len(columns) < 500
        whole = LogisticRegression(tol=1e-8).fit(X[groups == group], y[groups == group])
        np.testing.assert_allclose(model.predict_proba(new, np.full(60, group)), whole.predict_proba(new), atol=1e-4)


def test_groups_of_one_class_and_new_ones_without_a_model_of_all():
    X = np.arange(12.0).reshape(-1, 1)
    y, groups = np.r_[np.zeros(4), np.tile([0, 1], 4)], np.r_[np.zeros(4), np.ones(8)].astype(int)
    for fallback in ("global", "prior"):
        model = GroupedClassifier(min_samples=4, fallback=fallback).fit(X, y, groups=groups)
        assert model.predict_proba(X[:2], [0, 0]).tolist() == [[1, 0], [1, 0]]
    assert model.predict_proba(X[:1], [7])[0].tolist() == [8 / 12, 4 / 12]
    few = GroupedClassifier(min_samples=5, fallback="prior").fit(X, y, groups=groups)
    assert few.predict_proba(X[:1], [0])[0].tolist() == [1, 0]


def test_groups_that_do_not_fit_are_refused():
    X, y, groups = grouped_table()
    model = GroupedClassifier().fit(X, y, groups=groups)
    with pytest.raises(ValueError, match=r"3 groups; say which"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        model.predict(X, groups[:2])
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        GroupedClassifier().fit(X, y, groups=groups[:2])
    with pytest.raises(ValueError, match="NaN"):
        GroupedClassifier().fit(X, y, groups=np.where(groups == "a", np.nan, 1.0))
    with pytest.raises(ValueError, match="missing values"):
        GroupedClassifier().fit(X, y, groups=np.where(groups == "a", None, groups.astype(object)))
    with pytest.raises(ValueError, match="missing values"):
        model.predict(X, np.where(groups == "a", None, groups.astype(object)))
    # Numbers that stand for the groups of a fit on texts would all be new ones, without a word.
    with pytest.raises(ValueError, match=r"given as .*0.*those of the fit are like .*a"):
        model.predict(X, np.zeros(len(X), dtype=int))


def test_groups_of_several_types_are_told_apart_by_their_texts():
    X, y, groups = grouped_table()
    mixed = np.where(groups == "a", 7, groups.astype(object))
    model = GroupedClassifier().fit(X, y, groups=mixed)
    assert model.groups_[0] == "7"
    renamed = GroupedClassifier().fit(X, y, groups=groups)
    np.testing.assert_array_equal(model.predict_proba(X, mixed), renamed.predict_proba(X, groups))


def test_score_of_grouped_rows_takes_one_class_for_each_row():
    X, y, groups = grouped_table()
    model = GroupedClassifier().fit(X, y, groups=groups)
    assert model.score(X, y[:, None], groups=groups) == model.score(X, y, groups=groups)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:1], groups=groups)


# ---------------------------------------------------------------- phrases


def test_distances_and_orientations_are_those_of_the_paper():
    # The source goes on, skips two words, goes back.
    assert movement_distances([(0, 1), (4, 5), (2, 3), (6, 6)]).tolist() == [0, -2, 4, -2]
    assert orientation_of([-15, -1, 0, 2]).tolist() == [0, 0, 1, 2]
    assert orientation_of([-15, -5, -4, -1, 0, 1, 4, 5], 5).tolist() == [0, 0, 1, 1, 2, 3, 3, 4]
    with pytest.raises(ValueError, match="n_classes=4"):
        orientation_of([0], 4)
    with pytest.raises(ValueError, match="from place 3 to 2"):
        movement_distances([(3, 2)])


def test_indicators_tell_words_and_their_places_apart():
    maker = PhrasePairFeatures(window=2, longest=2)
    one = maker.transform([(["a", "b", "c", "d"], 1, 2, ["x", "y"])])
    # Left edge: a..d without the far side; right edge alike; sequences of one and two; two words and one pair.
    assert one.nnz == (4 + 3) + (4 + 3) + 3 and set(one.data) == {1.0}
    moved = maker.transform([(["d", "a", "b", "c"], 2, 3, ["x", "y"])])
    shared = one.multiply(moved).nnz
    assert 0 < shared < one.nnz
    with pytest.raises(ValueError, match="places 3 to 4"):
        maker.transform([(["a"], 3, 4, [])])


def test_made_up_sentences_move_as_they_are_said_to():
    pairs, distances, phrases = make_phrase_movements(200, noise=0.0, random_state=0)
    assert len(pairs) == len(distances) == len(phrases)
    start = 0
    while start < len(pairs):
        source = pairs[start][0]
        part = range(start, start + len(source))
        spans = [pairs[i][1:3] for i in part]
        assert sorted(first for first, _ in spans) == list(range(len(source)))
        assert movement_distances(spans).tolist() == distances[start : start + len(source)].tolist()
        order = [source[first] for first, _ in spans]
        verb = next(i for i, word in enumerate(order) if word.startswith("verb"))
        if not any(word.startswith("particle") for word in order):
            assert all(word.startswith("adverb") for word in order[verb + 1 :])
        start += len(source)
    still = make_phrase_movements(50, noise=1.0, random_state=0)
    assert np.all(still.distances == 0)
