"""What saved models say of new tables: scores always, columns carried through, thresholds, and how good they are."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics as sk

from treatise._core.errors import TreatiseError
from treatise.compare import FittedModel, fit_method, predict_table
from treatise.compare.candidates import all_candidates
from treatise.compare.inputs.base import FoldPredictions
from treatise.datasets import load_table
from treatise.io import Table


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    size, town = rng.normal(size=300), rng.choice(["Bern", "Chur"], 300)
    event = size + (town == "Bern") + rng.logistic(size=300) > 2.2
    return pl.DataFrame({"id": np.arange(300) * 7 % 311, "size": size, "town": town, "y": np.where(event, "bad", "ok")})


def fitted(rows, method="LogisticRegression", target="y", **about):
    table = Table("rows", rows.drop("id"), True, ())
    pipeline, metadata, _ = fit_method(method, table, target)
    return FittedModel(pipeline, {**metadata, **about}, "")


@pytest.fixture(scope="module")
def model(rows):
    return fitted(rows)


def test_a_classifier_without_probabilities_gives_scores(rows):
    answer = fitted(rows, "SVC").predict(rows)
    assert answer.columns == ["prediction", "score bad", "score ok"]
    said = np.where(answer["score bad"] > answer["score ok"], "bad", "ok")
    assert (said == answer["prediction"].to_numpy()).all()


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_all_methods_for_classes_but_one_have_scores_or_probabilities(task):
    silent = []
    for candidate in all_candidates(task):
        last = candidate.head(0) if candidate.compare.head else candidate.method(0)
        if not (hasattr(last, "predict_proba") or hasattr(last, "decision_function")):
            silent.append(candidate.label)
    assert set(silent) <= {"PartitionTreeClassifier"}


def test_a_method_of_labels_alone_says_how_often_each_was_right(rows):
    flowers = load_table("iris")
    pipeline, about, given = fit_method("PartitionTreeClassifier", flowers)
    told = np.where(np.arange(150) % 5 == 0, given.y[::-1], given.y)
    settled = given.settled([FoldPredictions(np.arange(150), given.y, told, None)])
    share = (np.sum((told == "setosa") & (given.y == "setosa")) + 1) / (np.sum(told == "setosa") + 2)
    assert settled["right"]["setosa"] == pytest.approx(share)
    answer = FittedModel(pipeline, {**about, **settled}, "").predict(flowers)
    assert answer.columns == ["prediction", "score"]
    assert set(answer["score"]) <= {0.5, *settled["right"].values()}


def test_pandas_and_polars_come_back_as_they_came(rows, model):
    frame = rows.to_pandas().set_index("id")
    answer = model.predict(frame)
    assert isinstance(answer, pd.DataFrame) and answer.index.equals(frame.index)
    assert isinstance(model.predict(rows), pl.DataFrame)
    assert (answer["prediction"].to_numpy() == model.predict(rows)["prediction"].to_numpy()).all()


def test_columns_are_carried_through_before_the_predictions(rows, model):
    assert model.predict(rows, keep=["id", "town"]).columns[:3] == ["id", "town", "prediction"]
    everything = model.predict(rows, keep=["all"])
    assert everything.columns[:5] == [*rows.columns, "prediction"]
    assert everything["id"].equals(rows["id"])
    with pytest.raises(TreatiseError, match="has no column 'town1'; did you mean 'town'"):
        model.predict(rows, keep=["town1"])
    with pytest.raises(TreatiseError, match="rename it"):
        model.predict(rows.with_columns(prediction=pl.lit(1)), keep=["all"])


def test_the_threshold_of_the_model_decides_and_another_one_overrides_it(rows, model):
    assert model.metadata["positive"] == "bad"  # the rarer class, though the first by name
    usual = model.predict(rows)
    careful = fitted(rows, threshold={"value": 0.2, "of": "probabilities", "rule": "f1"}).predict(rows)
    expected = np.where(careful["probability bad"].to_numpy() >= 0.2, "bad", "ok")
    assert (careful["prediction"].to_numpy() == expected).all()
    assert (careful["prediction"] == "bad").sum() > (usual["prediction"] == "bad").sum()
    assert model.predict(rows, threshold=0.2).equals(careful)
    three = Table("three", pl.DataFrame({"x": np.arange(90.0), "y": ["a", "b", "c"] * 30}), True, ())
    pipeline, about, _ = fit_method("LogisticRegression", three, "y")
    with pytest.raises(TreatiseError, match="models of two classes"):
        predict_table(FittedModel(pipeline, about, ""), three, threshold=0.3)


def test_a_labelled_table_is_judged_with_intervals(rows, model):
    found = model.score(rows)
    by_name = {m.metric.name: m for m in found.measurements}
    answer = model.predict(rows)
    actual = rows["y"].to_numpy()
    assert found.rows == 300
    assert by_name["accuracy"].score == pytest.approx((answer["prediction"].to_numpy() == actual).mean())
    assert by_name["roc_auc"].score == pytest.approx(sk.roc_auc_score(actual == "bad", answer["probability bad"]))
    assert by_name["average_precision"].score == pytest.approx(
        sk.average_precision_score(actual == "bad", answer["probability bad"])
    )
    assert all(m.low < m.score < m.high for m in found.measurements)
    half = 1.96 * np.sqrt(by_name["accuracy"].score * (1 - by_name["accuracy"].score) / 300)
    assert by_name["accuracy"].high - by_name["accuracy"].score == pytest.approx(half, rel=0.02)


def test_amounts_are_judged_with_the_weights_of_the_model(rows):
    rng = np.random.default_rng(1)
    amounts = rows.with_columns(y=pl.col("size") * 2 + pl.Series(rng.normal(size=300)), w=pl.Series(rng.random(300)))
    model = fitted(amounts.drop("w"), "Ridge", weight="w")
    found = {m.metric.name: m.score for m in model.score(amounts).measurements}
    predicted = model.predict(amounts)["prediction"]
    assert found["mae"] == pytest.approx(sk.mean_absolute_error(amounts["y"], predicted, sample_weight=amounts["w"]))
    assert list(found) == ["r2", "rmse", "mae"]


def test_rows_without_a_label_are_left_out_and_strange_labels_refused(rows, model):
    some = rows.with_columns(y=pl.when(pl.col("id") < 100).then(None).otherwise(pl.col("y")))
    with pytest.warns(UserWarning, match="rows without a value in 'y' are left out"):
        assert model.score(some).rows == some["y"].drop_nulls().len()
    with pytest.raises(TreatiseError, match="holds 'good', which the model does not know"):
        model.score(rows.with_columns(y=pl.lit("good")))
    with pytest.raises(TreatiseError, match="no column 'y' to compare"):
        model.score(rows.drop("y"))


def test_categories_that_the_model_has_not_seen_are_told_once(rows):
    model = fitted(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(rows)
    new = rows.with_columns(town=pl.when(pl.col("size") > 1).then(pl.lit("Genf")).otherwise(pl.col("town")))
    count = (rows["size"] > 1).sum()
    with pytest.warns(UserWarning) as told:
        model.predict(new)
    assert [str(word.message) for word in told] == [
        f"{count} rows hold a value of 'town' that the model has not seen; it says nothing to it"
    ]
