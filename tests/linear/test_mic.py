"""Selection by description length against the paper's formulas, exhaustive search and plain stepwise regression."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from treatise.linear import MICGroup, MICMulti, MICMultiClassifier, TransFeat
from treatise.linear.mic._search import feature_prices
from treatise.statistics import integer_code_constant, log_star


def squared_error(X, y):
    Q, _ = np.linalg.qr(X - X.mean(axis=0))
    residual = y - y.mean()
    return float(np.sum((residual - Q @ (Q.T @ residual)) ** 2))


def data(seed=0, n=40, p=30, h=6, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    W = rng.normal(size=(p, h)) * (rng.random((p, h)) < 0.5) * (np.arange(p) < 4)[:, np.newaxis]
    return X, X @ W + noise * rng.normal(size=(n, h))


def exhaustive(X, Y, prices, noise, once=True):
    """Algorithm 1 as printed: every feature, every number of responses, models from scratch."""
    (n, p), h = X.shape, Y.shape[1]
    sets, unused = [[] for _ in range(h)], set(range(p))
    while unused:
        best = (0.0, None, None)
        rss = [squared_error(X[:, s], y) for s, y in zip(sets, Y.T)]
        for j in sorted(unused):
            saved = np.zeros(h)
            for t in range(h):
                if j not in sets[t]:
                    ratio = squared_error(X[:, [*sets[t], j]], Y[:, t]) / rss[t]
                    saved[t] = n / 2 * (-np.log2(ratio) if noise == "current" else (1 - ratio) / np.log(2))
            order = np.argsort(-saved)
            for k in range(1, h + 1):
                net = saved[order[:k]].sum() - prices[k - 1]
                if net > best[0] + 1e-12:
                    best = (net, j, order[:k])
        if best[1] is None:
            break
        for t in best[2]:
            sets[t].append(best[1])
        if once:
            unused.remove(best[1])
    return [sorted(s) for s in sets]


def test_prices_are_those_of_table_1():
    printed = {"partial": (18.4, 39.8, 59.7), "full": (51.0,), "independent": (13.0, 64.8, 259.3)}
    for coding, expected in printed.items():
        prices = feature_prices(coding, 2000, 20, 2.0)
        found = prices[[19]] if coding == "full" else prices[[0, 4, 19]]
        # Printed to a tenth of a bit.
        np.testing.assert_allclose(found, expected, atol=0.05)


@pytest.mark.parametrize("noise", ["previous", "current"])
@pytest.mark.parametrize("coding", ["partial", "full", "independent"])
def test_search_with_bounds_finds_what_exhaustive_search_finds(coding, noise):
    for seed in range(5):
        X, Y = data(seed)
        sets = exhaustive(X, Y, feature_prices(coding, 30, 6, 2.0), noise, once=coding != "independent")
        coef = MICMulti(coding, noise=noise).fit(X, Y).coef_
        assert [np.flatnonzero(row).tolist() for row in coef] == sets


def test_bounded_search_agrees_with_all_features_on_many_problems(monkeypatch):
    from treatise.linear.mic import _search

    for seed in range(50):
        X, Y = data(seed, p=90)
        bounded = MICMulti().fit(X, Y).coef_
        monkeypatch.setattr(_search, "SHORTLIST", 1000)
        np.testing.assert_array_equal(MICMulti().fit(X, Y).coef_, bounded)
        monkeypatch.undo()


def test_total_falls_at_every_step_and_is_that_of_the_model():
    X, Y = data(1, noise=0.3)
    for noise in ("previous", "current"):
        model = MICMulti(noise=noise).fit(X, Y)
        assert len(model.bits_path_) > 3 and np.all(np.diff(model.bits_path_) < 0)
        k = np.count_nonzero(model.coef_, axis=0)
        k = k[k > 0]
        of_model = feature_prices("partial", 30, 6, 2.0)[k - 1].sum()
        variance = np.mean((Y - model.predict(X)) ** 2, axis=0)
        of_data = 40 / 2 * np.log2(2 * np.pi * np.e * variance).sum()
        np.testing.assert_allclose(model.total_bits_, of_model + of_data, atol=1e-8)


def test_one_response_is_the_same_in_every_coding_and_stepwise_regression():
    X, Y = data(2)
    fits = [MICMulti(coding).fit(X, Y[:, 0]).coef_ for coding in ("partial", "full", "independent")]
    np.testing.assert_array_equal(fits[0], fits[1])
    np.testing.assert_array_equal(fits[0], fits[2])
    chosen, n = [], len(X)
    while True:
        rss = squared_error(X[:, chosen], Y[:, 0])
        saved = [n / 2 / np.log(2) * (1 - squared_error(X[:, [*chosen, j]], Y[:, 0]) / rss) for j in range(30)]
        if max(saved) <= np.log2(30) + 2:
            break
        chosen.append(int(np.argmax(saved)))
    assert chosen and np.flatnonzero(fits[0]).tolist() == sorted(chosen)


def test_independent_coding_fits_every_response_on_its_own():
    X, Y = data(3)
    together = MICMulti("independent").fit(X, Y)
    for t in range(6):
        np.testing.assert_allclose(together.coef_[t], MICMulti().fit(X, Y[:, t]).coef_, atol=1e-12)


def test_weak_features_of_many_responses_enter_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 300))
    Y = 0.5 * X[:, [5]] + rng.normal(size=(60, 12))
    shared, alone = MICMulti().fit(X, Y), MICMulti("independent").fit(X, Y)
    assert np.flatnonzero(shared.support_).tolist() == [5]
    assert np.count_nonzero(shared.coef_) >= 10 > 2 * np.count_nonzero(alone.coef_[:, 5])


def test_order_scale_and_shift_change_only_what_they_must():
    X, Y = data(4)
    plain = MICMulti().fit(X, Y)
    rng = np.random.default_rng(0)
    columns, responses, rows = rng.permutation(30), rng.permutation(6), rng.permutation(40)
    moved = MICMulti().fit(X[np.ix_(rows, columns)], Y[np.ix_(rows, responses)])
    np.testing.assert_allclose(moved.coef_, plain.coef_[np.ix_(responses, columns)], atol=1e-10)
    a, b = 10.0 ** rng.integers(-6, 6, 30), 10.0 ** rng.integers(-6, 6, 6)
    scaled = MICMulti().fit(a * X + 1.0, b * Y - 2.0)
    np.testing.assert_allclose(scaled.coef_ * a / b[:, np.newaxis], plain.coef_, atol=1e-6)
    # Scaling y by b adds n lg b bits to every model alike.
    np.testing.assert_allclose(scaled.total_bits_ - plain.total_bits_, 40 * np.log2(b).sum(), rtol=1e-6)


def test_noise_alone_keeps_almost_nothing_and_a_fit_without_error_ends():
    rng = np.random.default_rng(0)
    for n, p, h in ((20, 2000, 5), (15, 20, 3), (60, 200, 10)):
        kept = [MICMulti().fit(rng.normal(size=(n, p)), rng.normal(size=(n, h))).support_.sum() for _ in range(5)]
        assert sum(kept) <= 1
    X = rng.normal(size=(30, 100))
    exact = MICMulti().fit(X, X[:, :2] @ [[1.0, 0.0], [2.0, 3.0]])
    np.testing.assert_allclose(exact.coef_[:, :2], [[1.0, 2.0], [0.0, 3.0]], atol=1e-10)
    assert not exact.support_[2:].any() and np.isfinite(exact.total_bits_)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_rows_leave_one_to_tell_the_noise(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 50))
    model = MICMulti(coef_bits=1e-6, noise="current").fit(X, X[:, :1] * [1, 2])
    assert np.count_nonzero(model.coef_, axis=1).max() <= max(n - 2, 0)
    assert np.all(np.isfinite(model.predict(X)))


def test_constant_columns_and_responses_are_left_alone():
    X, Y = data(5)
    plain = MICMulti().fit(X, Y)
    X2 = X.copy()
    unused = int(np.flatnonzero(~plain.support_)[0])
    X2[:, unused] = 1e7 / 3
    np.testing.assert_allclose(MICMulti().fit(X2, Y).coef_, plain.coef_, atol=1e-10)
    Y2 = np.column_stack([Y, np.full(40, 0.1)])
    flat = MICMulti().fit(X, Y2)
    assert not flat.coef_[6].any() and flat.intercept_[6] == pytest.approx(0.1)


def test_a_feature_of_one_row_is_not_paid_for_by_an_outlier_there():
    X, Y = data(8)
    X[:, 20] = np.arange(40) == 3
    X[:, 21] = (np.arange(40) == 3) | (np.arange(40) == 4)
    Y[3] += 100.0
    Y[4] += 100.0
    for model in (MICMulti().fit(X, Y), MICGroup().fit(X, Y[:, 0]), MICGroup(method="subset").fit(X, Y[:, 0])):
        assert not model.support_[20] and model.support_[21]


def test_bic_bits_keep_fewer_features():
    X, Y = data(6, noise=3.0)
    assert MICMulti(coef_bits="bic").fit(X, Y).support_.sum() <= MICMulti().fit(X, Y).support_.sum()


def test_several_columns_of_y_and_one_have_scikit_learns_shapes():
    X, Y = data(7)
    one, column, several = MICMulti().fit(X, Y[:, 0]), MICMulti().fit(X, Y[:, :1]), MICMulti().fit(X, Y)
    assert one.coef_.shape == (30,) and isinstance(one.intercept_, float) and one.predict(X).shape == (40,)
    assert column.coef_.shape == (1, 30) and column.predict(X).shape == (40, 1)
    assert several.coef_.shape == (6, 30) and several.predict(X).shape == (40, 6)
    assert several.transform(X).shape == (40, several.get_support().sum())
    with pytest.raises(ValueError, match="NaN"):
        MICMulti().fit(X, np.where(Y[0, 0] == Y, np.nan, Y))


# Classes and labels.


def test_classes_and_their_indicators_choose_the_same_features():
    X, y = load_iris(return_X_y=True)
    classes = MICMultiClassifier().fit(X, y)
    labels = MICMultiClassifier().fit(X, np.eye(3, dtype=int)[y])
    np.testing.assert_allclose(classes.coef_, labels.coef_)
    regression = MICMulti(noise="current").fit(X, np.eye(3)[y])
    np.testing.assert_array_equal(classes.coef_ != 0, regression.coef_ != 0)
    assert classes.score(X, y) > 0.94
    assert labels.predict(X).shape == (150, 3) and labels.predict_proba(X).shape == (150, 3)
    np.testing.assert_allclose(classes.predict_proba(X).sum(axis=1), 1.0)


def test_logistic_refit_is_that_of_the_chosen_features():
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    model = MICMultiClassifier().fit(X, y)
    few = X[:, model.support_]
    scaled = StandardScaler().fit_transform(few)
    peer = LogisticRegression().fit(scaled, y)
    # Both end at the tolerance of the same solver.
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(scaled), atol=1e-3)


def test_a_classifier_of_few_rows_finds_more_than_the_variance_before_a_feature_pays_for_and_no_noise_of_very_few():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2000))
    y = (X[:, 0] + 0.7 * X[:, 1] + 0.8 * rng.normal(size=60) > 0).astype(int)
    assert MICMultiClassifier().fit(X, y).get_support(indices=True).tolist() == [0]
    with pytest.warns(UserWarning, match="saves the bits"):
        assert not MICMultiClassifier(noise="previous").fit(X, y).support_.any()
    # Of eight rows the variance after a feature of noise is next to nothing.
    with pytest.warns(UserWarning, match="saves the bits"):
        assert not MICMultiClassifier().fit(X[:8], np.arange(8) % 2).support_.any()
    assert MICMultiClassifier(noise="current").fit(X[:8], np.arange(8) % 2).support_.any()


def test_a_label_that_never_changes_and_one_class_are_told_apart():
    X, y = load_iris(return_X_y=True)
    labels = np.column_stack([y == 0, np.ones(150)]).astype(int)
    model = MICMultiClassifier().fit(X, labels)
    assert np.all(model.predict(X)[:, 1] == 1) and 0.9 < model.predict_proba(X)[0, 1] < 1.0
    with pytest.raises(ValueError, match="one class only"):
        MICMultiClassifier().fit(X, np.zeros(150))


# Groups.


def plain_switch_search(X, y, groups):
    """Algorithm 2 with Equation 9, from scratch, stopping when nothing is gained."""
    chosen, n = [], len(X)
    sizes = np.bincount(groups)
    while True:
        rss = squared_error(X[:, chosen], y)
        known = set(groups[chosen])
        net = np.full(X.shape[1], -np.inf)
        for j in set(range(X.shape[1])) - set(chosen):
            of_group = 1 + np.log2(len(known)) if groups[j] in known else 1 + np.log2(len(sizes))
            saved = n / 2 / np.log(2) * (1 - squared_error(X[:, [*chosen, j]], y) / rss)
            net[j] = saved - of_group - np.log2(sizes[groups[j]]) - 2
        if net.max() <= 0:
            return chosen
        chosen.append(int(np.argmax(net)))


def test_switch_coding_follows_algorithm_2():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, groups = rng.normal(size=(50, 40)), np.repeat(np.arange(5), [4, 6, 10, 10, 10])
        y = X[:, :3].sum(axis=1) + X[:, 20] + 1.5 * rng.normal(size=50)
        assert MICGroup(groups, extra=0).fit(X, y).selected_.tolist() == plain_switch_search(X, y, groups)


def test_going_on_and_back_finds_groups_that_pay_only_together():
    rng = np.random.default_rng(0)
    found = {0: 0, 5: 0}
    for _ in range(20):
        X, groups = rng.normal(size=(100, 400)), np.repeat(np.arange(40), 10)
        y = X[:, :5].sum(axis=1) + 2.2 * rng.normal(size=100)
        for extra in found:
            model = MICGroup(groups, extra=extra).fit(X, y)
            found[extra] += int(model.support_[:5].sum())
            assert model.support_[5:].sum() <= 2
    assert found[5] > found[0]


def test_groups_are_labels_or_lists_and_must_divide_the_features():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 9))
    y = X[:, 0] + X[:, 4] + 0.3 * rng.normal(size=60)
    labels = ["a", "b", "a", "b", "b", "c", "c", "c", "c"]
    lists = [[0, 2], [1, 3, 4], [5, 6, 7, 8]]
    np.testing.assert_array_equal(MICGroup(labels).fit(X, y).coef_, MICGroup(lists).fit(X, y).coef_)
    for wrong, words in (
        ([[0, 1, 2, 3], [3, 4, 5, 6, 7, 8]], "groups overlap: feature 3 is named twice"),
        ([[0, 0, 1, 2, 3], [4, 5, 6, 7, 8]], "groups overlap: feature 0 is named twice"),
        ([[0, 1, 2, 3], [4, 5, 6, 7]], "feature 8 is in no group"),
        ([[0, 1, 2, 3], [4, 5, 6, 7, 9]], "numbers from 0 to 8"),
        (["a", "b"], "one label for each feature"),
    ):
        for estimator in (MICGroup(wrong), TransFeat(wrong)):
            with pytest.raises(ValueError, match=words):
                estimator.fit(X, y)


def test_groups_by_other_names_and_columns_in_other_order_are_the_same():
    rng = np.random.default_rng(2)
    X, groups = rng.normal(size=(80, 60)), np.repeat(np.arange(6), 10)
    y = X[:, :4].sum(axis=1) + 1.5 * rng.normal(size=80)
    order = rng.permutation(60)
    for method in ("switch", "subset"):
        plain = MICGroup(groups, method=method).fit(X, y)
        moved = MICGroup((7 - groups)[order], method=method).fit(X[:, order], y)
        np.testing.assert_allclose(moved.coef_, plain.coef_[order], atol=1e-10)


def test_subsets_of_a_group_enter_at_once_by_the_printed_code():
    rng = np.random.default_rng(3)
    X, groups = rng.normal(size=(50, 20)), np.repeat(np.arange(4), 5)
    y = X[:, :3].sum(axis=1) + rng.normal(size=50)
    model = MICGroup(groups, method="subset").fit(X, y)
    rss, best = squared_error(X[:, []], y), {}
    from math import comb

    for g in range(4):
        chosen, members = [], np.flatnonzero(groups == g).tolist()
        for k in range(1, 6):
            drops = {j: squared_error(X[:, [*chosen, j]], y) for j in members if j not in chosen}
            chosen.append(min(drops, key=drops.get))
            saved = 50 / 2 / np.log(2) * (1 - min(drops.values()) / rss)
            price = np.log2(20) + log_star(k) + integer_code_constant(5) + np.log2(comb(5, k)) + 2 * k
            best[saved - price] = list(chosen)
    assert model.selected_[: len(best[max(best)])].tolist() == best[max(best)]
    assert len(model.bits_path_) == 2 and np.all(np.diff(model.bits_path_) < 0)


# Earlier tasks.


def test_without_sources_a_feature_costs_lg_p_and_with_them_what_equation_17_says():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(30, 8)), rng.normal(size=30)
    groups = [0, 0, 0, 1, 1, 2, 2, 2]
    none = TransFeat(groups).fit(X, y)
    np.testing.assert_allclose(none.feature_bits_, np.log2(8))
    np.testing.assert_allclose(none.group_bits_, np.log2(3))
    sources = np.zeros((5, 8), dtype=bool)
    sources[:, 0] = True
    sources[:2, 3] = True
    some = TransFeat(groups).fit(X, y, sources=sources)
    np.testing.assert_allclose(some.feature_bits_[[0, 3, 7]], -np.log2([6 / 13, 3 / 13, 1 / 13]))
    np.testing.assert_allclose(some.group_bits_, -np.log2([6 / 8, 3 / 8, 1 / 8]))


def test_sources_find_features_that_the_rows_cannot_pay_for():
    rng = np.random.default_rng(5)
    sources = np.zeros((20, 300), dtype=bool)
    sources[:, :3] = True
    with_sources = without = 0
    for _ in range(10):
        X = rng.normal(size=(25, 300))
        y = X[:, :3].sum(axis=1) + rng.normal(size=25)
        without += int(TransFeat().fit(X, y).support_[:3].sum())
        with_sources += int(TransFeat().fit(X, y, sources=sources).support_[:3].sum())
    assert with_sources > 2 * without


def test_known_groups_take_the_shorter_of_both_names():
    from treatise.linear.mic._group_code import GroupCode

    code = GroupCode(np.array([0, 0, 1, 1]), np.array([0.1, 5.0]), np.zeros(4), shorter_of_both=True)
    np.testing.assert_allclose(code.prices([0, 2]), [0.1, 0.1, 2.0, 2.0])
    assert code.total([0, 2, 3, 1]) == pytest.approx(0.1 + 5.0 + 2.0 + 0.1)


def test_sources_that_are_no_masks_are_refused():
    X, y = np.eye(5), np.arange(5.0)
    with pytest.raises(ValueError, match="one value a feature"):
        TransFeat().fit(X, y, sources=[[True, False]])
    with pytest.raises(ValueError, match="true or false"):
        TransFeat().fit(X, y, sources=np.full((2, 5), 0.5))


@pytest.mark.parametrize("model", [MICMulti(), MICGroup(), TransFeat(), MICMultiClassifier()])
def test_a_model_without_any_feature_says_that_it_is_a_constant(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 300)), np.arange(40) % 2
    with pytest.warns(UserWarning, match="none of the 300 features saves the bits that name it"):
        model.fit(X, y)
    assert not model.support_.any() and len(np.unique(model.predict(X))) == 1


def test_a_model_with_a_feature_or_of_a_constant_does_not_warn(recwarn):
    X, Y = data()
    MICMulti().fit(X, Y)
    MICMulti().fit(X, np.ones(len(X)))
    assert not [warning for warning in recwarn if "saves the bits" in str(warning.message)]


def test_numbers_whose_squares_overflow_are_refused():
    """Of the classes nothing was told apart; columns of regressors are brought to one length first."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = X[:, 0] - X[:, 1]
    with pytest.raises(ValueError, match=r"X holds .*, whose square overflows"):
        MICMultiClassifier().fit(1e160 * X, y > 0)
    for model in (MICMulti(), MICGroup([0, 0, 1, 1]), TransFeat()):
        with pytest.raises(ValueError, match=r"y holds .*, whose square overflows"):
            model.fit(X, 1e160 * y)
        near, far = model.fit(X, y).predict(X), model.fit(1e150 * X, y).predict(1e150 * X)
        np.testing.assert_allclose(far, near, rtol=1e-9)
