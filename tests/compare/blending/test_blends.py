"""Blends: weights that help, judged on rows that had no say in them, and saved as one model."""

import numpy as np
import polars as pl
import pytest

from treatise.compare import BlendedClassifier, BlendedRegressor, expert_weights, greedy_weights, understand
from treatise.compare.blending import blends
from treatise.compare.inputs import FoldPredictions
from treatise.compare.metrics import METRICS
from treatise.io import Table, load_model, save_model
from treatise.report import FoldRecord


def table(n=600, task="regression", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = 3 * x + rng.normal(size=n)
    target = pl.Series(y if task == "regression" else np.where(y > 0, "yes", "no"))
    return understand(Table("points", pl.DataFrame({"x": x}).with_columns(y=target), True, ()), "y")


def folds_of(data, key, predict, metric, k=5):
    """What a method says of each fold, with a record."""
    parts = []
    for fold in range(k):
        _, held_out = data.divide(k, 0, fold, 0)
        values, probabilities = predict(held_out)
        record = FoldRecord(key, "fold", 0, 0, fold, 480, 120, 0.0, {}, 0.1, 0.01, {}, 0.2, 0.0)
        merits = np.zeros(len(values))
        parts.append((record, FoldPredictions(held_out.numbers, held_out.actual, values, probabilities, None, merits)))
    return parts


def noisy(data, metric, names, scale):
    """Regressors whose errors are independent of each other."""
    found = {}
    for number, name in enumerate(names):
        rng = np.random.default_rng(number)
        found[name] = folds_of(
            data, name, lambda h, rng=rng: (h.actual + rng.normal(0, scale, len(h.actual)), None), metric
        )
    return found


def test_independent_errors_cancel_in_the_greedy_blend():
    data, rmse = table(), METRICS["rmse"]
    greedy, weighted = blends(data, rmse, noisy(data, rmse, ["a", "b", "c", "d"], 1.0))
    assert np.mean([record.score for record, _ in greedy.parts]) < 0.6  # each alone has 1.0, four of them 0.5
    assert sum(greedy.weights.values()) == pytest.approx(1.0)
    assert sum(weighted.weights.values()) == pytest.approx(1.0)
    assert greedy.candidate.key == "treatise/GreedyBlend"
    assert greedy.parts[0][0].fit_seconds == pytest.approx(0.4)


def test_a_fold_has_no_say_in_the_weights_it_is_judged_with():
    """One that is perfect on a fold and poor elsewhere counts for nothing on it."""
    data, rmse = table(), METRICS["rmse"]

    def lucky(held_out, lucky_fold):
        first = data.divide(5, 0, lucky_fold, 0)[1].numbers
        rng = np.random.default_rng(9)
        perfect = np.isin(held_out.numbers, first)
        return np.where(perfect, held_out.actual, rng.normal(0, 50, len(held_out.actual))), None

    members = noisy(data, rmse, ["a", "b"], 1.0)
    members["lucky"] = folds_of(data, "lucky", lambda h: lucky(h, 2), rmse)
    greedy, _ = blends(data, rmse, members)
    scores = [record.score for record, _ in greedy.parts]
    assert scores[2] > 0.5  # with a say it would be near nought


def test_probabilities_are_blended_and_methods_without_them_stay_out():
    data, area = table(task="binary"), METRICS["roc_auc"]

    def said(seed):
        rng = np.random.default_rng(seed)

        def predict(held_out):
            given = np.clip((held_out.actual == "yes") * 0.3 + rng.random(len(held_out.actual)) * 0.7, 0, 1)
            return np.where(given > 0.5, "yes", "no"), np.column_stack([1 - given, given])

        return predict

    members = {name: folds_of(data, name, said(seed), area) for seed, name in enumerate(["a", "b"])}
    members["mute"] = folds_of(data, "mute", lambda h: (np.full(len(h.actual), "no"), None), area)
    greedy, _ = blends(data, area, members)
    assert set(greedy.weights) == {"a", "b"}
    part = greedy.parts[0][1]
    np.testing.assert_allclose(part.probabilities.sum(axis=1), 1.0)
    assert part.merits.mean() == pytest.approx(greedy.parts[0][0].score)


def test_one_method_alone_makes_no_blend():
    data, rmse = table(), METRICS["rmse"]
    assert blends(data, rmse, noisy(data, rmse, ["a"], 1.0)) == []


def test_greedy_is_never_worse_than_the_best_on_its_rows():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=300)
    members = np.stack([truth + rng.normal(0, s, 300) for s in (0.2, 3.0, 5.0)])

    def merit(found):
        return -np.square(found - truth).mean()

    weights = greedy_weights(members, merit)
    assert merit(np.tensordot(weights, members, 1)) >= max(merit(member) for member in members)


def test_flipflop_follows_a_clear_leader_and_shares_among_equals():
    rng = np.random.default_rng(0)
    clear = np.column_stack([rng.random(500) * 0.2, 0.5 + rng.random(500) * 0.2])
    assert expert_weights(clear)[0] > 0.95
    level = rng.random((2000, 4))
    assert expert_weights(level).max() < 0.9


@pytest.mark.parametrize("blended", [BlendedRegressor, BlendedClassifier])
def test_a_blend_is_saved_and_loaded_as_one_model(blended, tmp_path):
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60) if blended is BlendedRegressor else np.where(X[:, 0] > 0, "b", "a")
    models = (
        [LinearRegression(), DummyRegressor()]
        if blended is BlendedRegressor
        else [LogisticRegression(), DummyClassifier()]
    )
    model = blended([each.fit(X, y) for each in models], [0.7, 0.3])
    save_model(model, tmp_path / "blend.skops", metadata={})
    again = load_model(tmp_path / "blend.skops").model
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.score(X, y) > 0.3
