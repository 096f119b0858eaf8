"""Several targets at once: read, divided, judged target by target, compared, saved and used."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge

import treatise
from treatise._core.errors import TreatiseError
from treatise.compare import predict_targets
from treatise.compare.candidates import all_candidates, find_candidate
from treatise.compare.inputs import Request, read_input
from treatise.compare.inputs.encoding.frames import amounts_or_labels
from treatise.compare.metrics import Predictions, judge_amounts, predict_several
from treatise.compare.several import LogisticPerTarget, RidgePerTarget
from treatise.io import load_model, read_table


@pytest.fixture(scope="module")
def amounts():
    """Three amounts of very different size that share two of five columns, and a category."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    weights = np.vstack([rng.normal(size=(2, 3)) + 1, np.zeros((3, 3))])
    Y = (X @ weights + 0.5 * rng.normal(size=(150, 3))) * [1.0, 1000.0, 0.01]
    names = {f"x{j}": X[:, j] for j in range(5)} | {"town": rng.choice([f"t{i}" for i in range(40)], 150)}
    return pl.DataFrame(names | {f"y{j}": Y[:, j] for j in range(3)})


@pytest.fixture(scope="module")
def classes(amounts):
    """The same as classes: yes and no, and three of them."""
    middle = pl.col("y1") / 1000
    return amounts.select(
        pl.col("^x.*$"),
        pl.when(pl.col("y0") > 0).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("a"),
        pl.when(middle > 1).then(3).when(middle < -1).then(1).otherwise(2).alias("b"),
    )


def read(frame, *targets, **wishes):
    return read_input(Request(frame, targets=targets, **wishes))


def test_tasks_follow_from_what_the_targets_hold(amounts, classes):
    several = read(amounts, "y0", "y1")
    assert (several.kind, several.task, several.targets) == ("several targets", "multi-regression", ("y0", "y1"))
    assert several.y.shape == (150, 2) and "y2" in several.X.columns and "y1" not in several.X.columns
    assert several.size.classes == 2
    both = read(classes, "a", "b")
    assert both.task == "multi-class" and [labels.tolist() for labels in both.labels] == [["no", "yes"], [1, 2, 3]]
    assert both.y.min() == 0 and both.y.max() == 2
    flags = classes.with_columns(pl.col("b") == 2)
    assert read(flags, "a", "b").task == "multi-label"


@pytest.mark.parametrize(("targets", "wishes", "words"), [
    (("y0", "a"), {}, "holds amounts and 'a' classes"),
    (("y0", "y0"), {}, "named twice"),
    (("y0", "nothing"), {}, "no column 'nothing'"),
    (("y0", "y1"), {"threshold": 0.3}, "do not go with --threshold"),
    (("y0", "y1"), {"ordered": True}, "do not go with --ordered"),
    (("y0", "town"), {"task": "regression"}, "regression needs numbers"),
])  # fmt: skip
def test_what_cannot_be_is_told(amounts, targets, wishes, words):
    frame = amounts.with_columns(pl.when(pl.col("y0") > 0).then(pl.lit("p")).otherwise(pl.lit("q")).alias("a"))
    with pytest.raises(TreatiseError, match=words):
        read(frame, *targets, **wishes)


def test_rows_that_lack_a_target_are_left_out_and_counted(amounts):
    holes = amounts.with_columns(pl.when(pl.col("x0") > 0.5).then(None).otherwise(pl.col("y1")).alias("y1"))
    given = read(holes, "y0", "y1")
    missing = holes["y1"].null_count()
    assert given.n_rows == 150 - missing
    assert f"{missing} rows without a value in every target are left out" in given.notes
    with pytest.raises(TreatiseError, match="no row has a value in all of"):
        read(amounts.with_columns(pl.lit(None, pl.Float64).alias("y1")), "y0", "y1")


def test_measures_are_means_of_the_targets_in_their_own_units(amounts):
    given = read(amounts, "y0", "y1", "y2")
    _, held_out = given.divide(5, 0, 0, 0)
    rng = np.random.default_rng(1)
    spread = given.y.std(axis=0)
    said = held_out.actual + 0.3 * spread * rng.normal(size=held_out.actual.shape)
    measures = given.judge(held_out, Predictions(said))
    each = [judge_amounts(held_out.actual[:, j] / spread[j], said[:, j] / spread[j]) for j in range(3)]
    assert measures["mean_r2"] == pytest.approx(np.mean([one["r2"] for one in each]))
    assert measures["mean_rmse"] == pytest.approx(np.mean([one["rmse"] for one in each]))
    assert measures["r2 y1"] == pytest.approx(each[1]["r2"])
    for metric in given.metrics:
        merits = given.merits(metric, held_out, Predictions(said))
        assert merits.mean() == pytest.approx(metric.merit(measures[metric.name]), rel=1e-6), metric.name
    # In other units of one target everything stays.
    larger = read(amounts.with_columns(pl.col("y2") * 1e6), "y0", "y1", "y2")
    _, other = larger.divide(5, 0, 0, 0)
    assert larger.judge(other, Predictions(said * [1, 1, 1e6])) == pytest.approx(measures)


def test_classes_have_probabilities_side_by_side(classes):
    given = read(classes, "a", "b")
    training, held_out = given.divide(5, 0, 0, 0)
    model = training.fit(given.pipeline(find_candidate("LogisticPerTarget", given.candidates(), given.task), {}, 0))
    found = given.apply(model, held_out.X)
    assert found.values.shape == (len(held_out.numbers), 2) and found.scores.shape[1] == 5
    np.testing.assert_allclose(found.scores[:, :2].sum(axis=1), 1.0)
    np.testing.assert_allclose(found.scores[:, 2:].sum(axis=1), 1.0)
    measures = given.judge(held_out, found)
    assert 0.6 < measures["mean_balanced_accuracy"] <= 1 and measures["mean_log_loss"] > 0
    for metric in given.metrics:
        merits = given.merits(metric, held_out, found)
        assert merits.mean() == pytest.approx(metric.merit(measures[metric.name]), rel=0.02), metric.name


def test_probabilities_of_a_class_that_a_part_of_the_rows_lacks_are_zero():
    X, Y = np.arange(12.0)[:, None], np.column_stack([np.arange(12) % 2, np.arange(12) % 2])
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, Y)
    found = predict_several(forest, X, [2, 3])
    assert found.scores.shape == (12, 5) and (found.scores[:, 4] == 0).all()
    constant = LogisticPerTarget().fit(X, np.column_stack([Y[:, 0], np.zeros(12, int)]))
    assert predict_several(constant, X, [2, 2]).scores[:, 2:].tolist() == [[1.0, 0.0]] * 12


def test_a_model_for_each_is_what_single_fits_are():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    together = RidgePerTarget(alpha=2.0).fit(X, Y).predict(X)
    for j in range(2):
        np.testing.assert_array_equal(together[:, j], Ridge(alpha=2.0).fit(X, Y[:, j]).predict(X))


def test_several_targets_are_set_beside_columns_as_what_they_share():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=200)
    Y = np.column_stack([shared * scale + 0.1 * scale * rng.normal(size=200) for scale in (1.0, 100.0, 0.01)])
    assert abs(np.corrcoef(amounts_or_labels(Y), shared)[0, 1]) > 0.99
    codes = (Y > 0).astype(int)
    assert abs(np.corrcoef(amounts_or_labels(codes), shared)[0, 1]) > 0.7


def test_every_task_has_independent_and_joint_baselines():
    for task, joint in (("multi-regression", "MultiTaskLassoCV"), ("multi-label", "RandomForestClassifier")):
        labels = {candidate.label for candidate in all_candidates(task) if candidate.baseline}
        assert joint in labels and sum(label.endswith("PerTarget") for label in labels) == 3
        assert any(label.startswith("Dummy") for label in labels)


@pytest.fixture(scope="module")
def finished(amounts, shared_contestants, tmp_path_factory):
    """A comparison of few methods, with rows to test on."""
    folder = tmp_path_factory.mktemp("several")
    (folder / "new.csv").write_text(amounts.tail(40).write_csv())

    def make():
        return treatise.compare(
            amounts.head(110), targets=["y0", "y1", "y2"], budget=120, jobs=1, folds=3, output=folder / "run",
            test=folder / "new.csv",
        ), folder  # fmt: skip

    return shared_contestants(make, "RidgePerTarget", "DummyRegressor", task="multi-regression")


def test_a_run_judges_every_target_and_its_model_predicts_them(finished, amounts):
    comparison, folder = finished
    run = comparison.run
    assert run.leaderboard[0].label == "RidgePerTarget" and run.leaderboard[0].score > 0.5
    assert {"mean_r2", "mean_rmse", "r2 y0", "r2 y1", "r2 y2"} <= set(run.leaderboard[0].metrics)
    assert [each.target for each in run.best.targets] == ["y0", "y1", "y2"]
    assert all(each.low < each.score < each.high for each in run.best.targets)
    assert run.test.rows == 40 and "r2 y2" in run.test.metrics
    page = (folder / "run" / "report.html").read_text()
    assert "Each target" in page and "mean R² of the targets" in page
    assert "--target=y0 --target=y1 --target=y2" in run.command
    held_out = pl.read_csv(folder / "run" / "out_of_fold.csv")
    assert {"actual y0", "treatise/RidgePerTarget y2"} <= set(held_out.columns)
    model = load_model(folder / "run" / "best.skops")
    said = predict_targets(model, read_table(folder / "new.csv"))
    assert said.columns == ["prediction y0", "prediction y1", "prediction y2"]
    actual = amounts.tail(40)
    assert np.corrcoef(said["prediction y1"], actual["y1"])[0, 1] > 0.8
    assert comparison.best.score(actual).measurements[0].score == pytest.approx(run.test.score)
    kept = comparison.best.predict(actual, keep=["town"])
    assert kept.columns[0] == "town"
    assert json.loads((folder / "run" / "run.json").read_text())["best"]["targets"][0]["target"] == "y0"


def test_a_table_without_the_targets_or_with_one_too_few_is_told(finished, amounts):
    comparison, _ = finished
    with pytest.raises(TreatiseError, match="no column 'y1' to compare"):
        comparison.best.score(amounts.drop("y1"))
    with pytest.raises(TreatiseError, match="lacks the column 'x3'"):
        comparison.best.predict(amounts.drop("x3"))
    with pytest.raises(TreatiseError, match="either a target or several"):
        treatise.compare(amounts, "y0", targets=["y1", "y2"])
