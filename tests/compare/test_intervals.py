"""Predictive intervals in a comparison: judged on held-out rows, explained, and written with predictions."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats
from typer.testing import CliRunner

import treatise
from treatise._core.errors import TreatiseError
from treatise.cli import app
from treatise.compare import FittedModel, fit_method
from treatise.compare.explaining.intervals import intervals_of_methods, predictive_intervals_of
from treatise.compare.inputs import FoldPredictions, TableInput
from treatise.compare.intervals import (
    LEVEL,
    MOST_KEPT,
    allowed_error,
    error_intervals,
    intervals_from,
    judge_intervals,
    kept_errors,
    own_intervals,
)
from treatise.compare.metrics import Predictions
from treatise.io import load_model


def parts_of(actual, predicted, folds=5, intervals=None):
    """Predictions as folds leave them."""
    return [
        FoldPredictions(i, actual[i], predicted[i], None, intervals=None if intervals is None else intervals[i])
        for i in np.array_split(np.arange(len(actual)), folds)
    ]


@pytest.fixture
def noise():
    return np.random.default_rng(0).normal(size=1000)


def test_only_rows_with_an_interval_are_judged():
    actual = np.array([0.0, 1.0, 5.0, 9.0])
    intervals = np.array([[-1.0, 1.0], [np.nan, np.nan], [0.0, 4.0], [8.0, 9.0]])
    # By hand at level 0.9: 2 wide; 4 wide and one off, which costs 20; 1 wide, its end included.
    assert judge_intervals(actual, intervals) == pytest.approx({"interval_score": (2 + 24 + 1) / 3, "coverage": 2 / 3})
    weighed = judge_intervals(actual, intervals, np.array([1.0, 7.0, 0.0, 1.0]))
    assert weighed == pytest.approx({"interval_score": 1.5, "coverage": 1.0})
    assert judge_intervals(actual, None) == {}
    assert judge_intervals(actual, np.full((4, 2), np.nan)) == {}


def test_allowed_errors_hold_new_rows_with_the_probability_promised():
    rng, hits = np.random.default_rng(1), 0
    for _ in range(4000):
        sizes = np.abs(rng.standard_t(3, size=20))
        hits += sizes[-1] <= allowed_error(sizes[:-1], 0.8)
    # Exactly 16 of 20 in the long run; the standard error is 0.0063.
    assert hits / 4000 == pytest.approx(0.8, abs=0.02)


def test_a_fold_has_no_say_in_its_own_intervals(noise):
    parts = parts_of(noise, np.zeros(1000))
    before = error_intervals(parts, LEVEL, in_time=False)
    wild = FoldPredictions(parts[2].numbers, 100 * parts[2].actual, parts[2].predicted, None)
    after = error_intervals([*parts[:2], wild, *parts[3:]], LEVEL, in_time=False)
    np.testing.assert_array_equal(after[2], before[2])
    assert (after[0][:, 1] > before[0][:, 1]).all()


def test_folds_in_time_know_the_past_alone(noise):
    parts = parts_of(noise, np.zeros(1000))
    first, second, *_ = error_intervals(parts, LEVEL, in_time=True)
    assert np.isinf(first).all()
    assert (second[:, 1] == allowed_error(np.abs(noise[:200]), LEVEL)).all()
    found = predictive_intervals_of("a", "A", parts, in_time=True)
    assert found is not None and found.rows == 800


def test_true_quantiles_hold_and_half_of_them_are_too_narrow(noise):
    exact = stats.norm.ppf(0.95) * np.tile([-1.0, 1.0], (1000, 1))
    found = predictive_intervals_of("a", "A", parts_of(noise, np.zeros(1000), intervals=exact))
    assert found is not None and found.own and found.holds == "as promised" and "they hold" in found.words
    assert found.inside == int((np.abs(noise) <= stats.norm.ppf(0.95)).sum())
    assert found.low <= 0.9 <= found.high and f"{100 * found.coverage:.1f} %" in found.words
    # A standard normal's expected score at the true quantiles is 2 pdf(z) * 2 / (1 - level).
    assert found.score == pytest.approx(4 * stats.norm.pdf(stats.norm.ppf(0.95)) / 0.1, rel=0.06)
    narrow = predictive_intervals_of("a", "A", parts_of(noise, np.zeros(1000), intervals=exact / 2))
    assert narrow is not None and narrow.holds == "too narrow" and "do not rely on them" in narrow.words
    wide = predictive_intervals_of("a", "A", parts_of(noise, np.zeros(1000), intervals=exact * 2))
    assert wide is not None and wide.holds == "too wide" and wide.score > found.score


def test_bounds_allow_for_rows_that_belong_together():
    rng = np.random.default_rng(2)
    actual = np.repeat(rng.normal(size=50), 20)
    parts = parts_of(actual, np.zeros(1000))
    alone = predictive_intervals_of("a", "A", parts)
    together = predictive_intervals_of("a", "A", parts, np.repeat(np.arange(50), 20))
    assert alone is not None and together is not None
    assert together.high - together.low > 3 * (alone.high - alone.low)


def test_rows_are_shown_by_prediction_and_numbered(noise):
    predicted = np.random.default_rng(3).normal(size=1000)
    found = predictive_intervals_of("a", "A", parts_of(predicted + noise, predicted))
    assert found is not None and not found.own
    assert len(found.numbers) == 300 and list(found.predicted) == sorted(found.predicted)
    np.testing.assert_allclose(predicted[list(found.numbers)], found.predicted)
    assert "errors of A on other folds" in found.words


def test_a_blank_or_tiny_record_says_nothing(noise):
    assert predictive_intervals_of("a", "A", []) is None
    assert predictive_intervals_of("a", "A", parts_of(noise[:6], np.zeros(6), folds=2)) is None


def test_files_keep_errors_that_never_make_intervals_too_narrow():
    sizes = np.random.default_rng(4).exponential(size=25_000)
    kept = json.loads(json.dumps(kept_errors(parts_of(sizes, np.zeros(25_000)))))
    assert len(kept["sizes"]) == MOST_KEPT and kept["rows"] == 25_000
    for level in (0.1, 0.5, 0.9, 0.95, 0.99):
        half = intervals_from(kept, np.array([7.0]), level)[0, 1] - 7.0
        exact = allowed_error(sizes, level)
        assert exact <= half + 1e-12 and half <= allowed_error(sizes, level + 0.0012) + 1e-12
    few = kept_errors(parts_of(sizes[:19], np.zeros(19)))
    assert intervals_from(few, np.zeros(1), 0.9)[0, 1] == np.sort(sizes[:19])[17]
    with pytest.raises(TreatiseError, match=r"19 held-out rows, too few for intervals of 0.99; ask for 0.95 at most"):
        intervals_from(few, np.zeros(1), 0.99)
    intervals_from(few, np.zeros(1), 0.95)


@pytest.mark.parametrize(
    "forged",
    [{}, {"rows": 3}, {"rows": 3, "ranks": [1, 3, 2], "sizes": [1, 2, 3]}, {"rows": 9, "ranks": [1], "sizes": [1.0]},
     {"rows": "x", "ranks": [], "sizes": []}],
)  # fmt: skip
def test_damaged_errors_are_refused(forged):
    with pytest.raises(TreatiseError, match="damaged"):
        intervals_from(forged, np.zeros(2), 0.5)


def test_measures_of_intervals_stand_beside_the_others_where_a_method_gives_them(noise):
    rng = np.random.default_rng(5)
    X = pl.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    frame = X.with_columns((X["a"] + 0.3 * pl.Series(noise[:300])).alias("y"))
    for method, gives in [
        ("GroupARDRegressor", True),
        ("BayesianRidge", True),
        ("Ridge", False),
        ("DummyRegressor", False),
    ]:
        pipeline, _, given = fit_method(method, frame, "y")
        assert isinstance(given, TableInput)
        _, held_out = given.divide(3, 0, 0, 0)
        intervals = given.intervals(pipeline, held_out, 40, 0)
        assert (intervals is not None) == gives
        found = given.judge(held_out, Predictions(pipeline.predict(held_out.X), intervals=intervals))
        assert ("interval_score" in found) == gives
        if intervals is not None:
            asked = np.isfinite(intervals).all(axis=1)
            assert asked.sum() == 40
            whole = own_intervals(pipeline, held_out.X, LEVEL)
            assert whole is not None
            np.testing.assert_allclose(intervals[asked], whole[asked])


class Entry:
    def __init__(self, key, measures):
        self.key, self.label, self.metrics = key, key.upper(), measures


def test_the_chosen_method_and_the_best_with_intervals_of_its_own_are_explained(noise):
    board = [Entry("a", {"r2": 0.9}), Entry("b", {"interval_score": None}), Entry("c", {"interval_score": 2.0}),
             Entry("d", {"interval_score": 1.0})]  # fmt: skip
    own = np.tile([-1.6, 1.6], (1000, 1))
    said = {"a": parts_of(noise, np.zeros(1000)), "c": parts_of(noise, np.zeros(1000), intervals=own)}
    found = intervals_of_methods(board, "a", said.__getitem__, None, in_time=False)
    assert [(f.key, f.own) for f in found] == [("a", False), ("c", True)]
    assert [f.key for f in intervals_of_methods(board, "c", said.__getitem__, None, in_time=False)] == ["c"]


@pytest.fixture(scope="module")
def homes(tmp_path_factory, shared_contestants):
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("homes")
    X = rng.normal(size=(240, 3))
    frame = pl.DataFrame(X, schema=["size", "age", "rooms"])
    frame = frame.with_columns(pl.Series("price", X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=240)))
    frame.write_csv(folder / "homes.csv")

    def make():
        return treatise.compare(
            folder / "homes.csv", "price", budget=60, jobs=1, folds=3, keep=5, output=folder / "run"
        )  # fmt: skip

    methods = ("Ridge", "GroupARDRegressor", "DummyRegressor")
    return folder, frame, shared_contestants(make, *methods, task="regression")


def test_a_comparison_judges_and_saves_intervals(homes):
    _, frame, comparison = homes
    run = comparison.run
    measures = {entry.label: entry.metrics for entry in run.leaderboard}
    assert measures["GroupARDRegressor"]["coverage"] == pytest.approx(0.9, abs=0.08)
    # The true law's expected score is 0.5 * 4 pdf(z) / 0.1.
    assert measures["GroupARDRegressor"]["interval_score"] == pytest.approx(2.063, rel=0.2)
    assert "coverage" not in measures["Ridge"] and "coverage" not in measures["DummyRegressor"]
    assert {found.label for found in run.intervals} >= {"GroupARDRegressor"}
    assert run.intervals[0].key == run.best.key and run.intervals[0].words in run.verdict
    assert run.metric.name == "r2"
    for label, model in comparison.models.items():
        answer = model.predict(frame, interval=0.8)
        assert answer.columns == ["prediction", "lower", "upper"]
        truth = frame["price"].to_numpy()
        held = ((answer["lower"].to_numpy() <= truth) & (truth <= answer["upper"].to_numpy())).mean()
        assert held == pytest.approx(0.8, abs=0.08), label


def test_predict_writes_intervals_of_the_method_or_of_its_errors(homes, tmp_path):
    folder, _, comparison = homes
    by_label = {load_model(path).metadata["label"]: path for path in (folder / "run" / "models").glob("*.skops")}
    by_label[comparison.run.best.label] = folder / "run" / "best.skops"
    widths = {}
    for label in ("GroupARDRegressor", "Ridge"):
        out = tmp_path / f"{label}.csv"
        words = ["predict", str(by_label[label]), str(folder / "homes.csv"), "--interval", "0.9", "-o", str(out)]
        assert CliRunner().invoke(app, words).exit_code == 0
        answer = pl.read_csv(out)
        widths[label] = (answer["upper"] - answer["lower"]).to_numpy()
        assert (answer["lower"] < answer["prediction"]).all() and (answer["prediction"] < answer["upper"]).all()
    assert np.ptp(widths["Ridge"]) < 1e-9 < np.ptp(widths["GroupARDRegressor"])
    assert widths["Ridge"][0] == pytest.approx(np.median(widths["GroupARDRegressor"]), rel=0.2)


def test_intervals_that_cannot_be_had_are_refused_in_a_sentence(homes):
    _, frame, _ = homes
    pipeline, about, _ = fit_method("Ridge", frame, "price")
    with pytest.raises(TreatiseError, match=r"Ridge gives no intervals.*treatise compare"):
        FittedModel(pipeline, about, "").predict(frame, interval=0.9)
    classes = frame.with_columns((pl.col("price") > 0).cast(pl.String).alias("price"))
    pipeline, about, _ = fit_method("LogisticRegression", classes, "price")
    with pytest.raises(TreatiseError, match="intervals are for predicted amounts"):
        FittedModel(pipeline, about, "").predict(classes, interval=0.9)
