"""Survival times as an input: what is read, how rows are divided and judged, what a model file answers."""

import numpy as np
import polars as pl
import pytest

import treatise
from treatise._core.errors import TreatiseError
from treatise.compare import fit_method, predict_lifetimes
from treatise.compare.inputs import Request, read_input
from treatise.compare.inputs.base import FoldPredictions
from treatise.compare.inputs.survival import SurvivalInput
from treatise.compare.lifetimes import KaplanMeier
from treatise.compare.metrics import Predictions
from treatise.io import Table, load_model, save_model
from treatise.report import render_report
from treatise.statistics import concordance_index, integrated_brier_score


def lives(n=120, seed=0):
    rng = np.random.default_rng(seed)
    dose, age = rng.normal(size=n), rng.normal(60, 9, n)
    life, seen = np.exp(0.8 * dose + 0.4 * rng.gumbel(size=n)), rng.exponential(3.0, n)
    return pl.DataFrame(
        {
            "dose": dose, "age": age, "ward": np.array(["north", "south"])[rng.integers(0, 2, n)],
            "years": np.minimum(life, seen).round(3), "died": (life <= seen).astype(int),
        }
    )  # fmt: skip


def given(frame=None, **wishes):
    table = Table("lives", lives() if frame is None else frame, True, ())
    return read_input(Request(table, **{"lifetime": "years", "event": "died", **wishes}))


def test_times_and_events_are_read_and_predict_nothing():
    data = given()
    assert isinstance(data, SurvivalInput)
    assert set(data.X.columns) == {"dose", "age", "ward"}
    frame = lives()
    np.testing.assert_array_equal(data.y["event"], frame["died"].to_numpy() == 1)
    np.testing.assert_array_equal(data.y["time"], frame["years"].to_numpy())
    about = data.describe()
    assert about.question == "time 'years' until 'died': survival"
    assert any(fact.name == "Events seen" for fact in about.facts)
    assert not any("long tail" in note for note in about.notes)


@pytest.mark.parametrize(
    "codes", [(False, True), ("no", "Yes"), ("censored", "dead"), (1, 2), (0.0, 1.0)], ids=lambda codes: str(codes[1])
)
def test_events_may_be_written_in_the_usual_ways(codes):
    frame = lives()
    died = frame["died"].to_numpy() == 1
    told = pl.Series("died", [codes[int(flag)] for flag in died])
    np.testing.assert_array_equal(given(frame.with_columns(told)).y["event"], died)


def test_rows_without_a_time_or_an_event_are_left_out():
    frame = lives().with_columns(
        years=pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise("years"),
        died=pl.when(pl.int_range(pl.len()) == 9).then(None).otherwise("died"),
    )
    data = given(frame)
    assert data.n_rows == 116
    assert any("3 rows without a value in 'years'" in note for note in data.notes)


@pytest.mark.parametrize(
    ("change", "wishes", "complaint"),
    [
        ({}, {"lifetime": None}, "name the column of times with --time"),
        ({"years": pl.lit("long")}, {}, "it must be a number"),
        ({"years": pl.col("years") - 5}, {}, "is not negative"),
        ({"died": pl.lit(0)}, {}, "0 of 120 rows have the event"),
        ({"died": pl.lit("maybe")}, {}, "holds 'maybe'; write 1 where the event was seen"),
        ({"years": pl.lit(2.0)}, {}, "one value only|the same time"),
        ({}, {"event": "years"}, "both the time and the event"),
        ({}, {"weight": "age"}, "do not go with weights"),
        ({}, {"target": "age"}, "do not go with a target"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(change, wishes, complaint):
    with pytest.raises(TreatiseError, match=complaint):
        given(lives().with_columns(**change), **wishes)


def test_folds_are_disjoint_hold_everything_and_keep_the_share_of_events():
    data = given()
    held = [data.divide(4, 0, fold, 7)[1] for fold in range(4)]
    assert sorted(np.concatenate([part.numbers for part in held]).tolist()) == list(range(120))
    shares = [part.actual["event"].mean() for part in held]
    assert np.ptp(shares) < 0.04


def test_judging_is_concordance_and_the_brier_score_with_the_censoring_of_all_rows():
    data = given()
    _, held_out = data.divide(3, 0, 0, 0)
    utility = held_out.X["dose"].to_numpy()
    survival = np.linspace(0.9, 0.2, len(data.grid)) * np.ones((len(utility), 1))
    measures = data.judge(held_out, Predictions(utility, scores=survival))
    assert measures["concordance"] == concordance_index(held_out.actual, utility) > 0.6
    expected = integrated_brier_score(held_out.actual, survival, data.grid, reference=data.y)
    assert measures["integrated_brier"] == expected
    merits = data.merits(data.metrics[0], held_out, Predictions(utility, scores=survival))
    assert merits.mean() == pytest.approx(measures["concordance"], abs=0.02)


def test_the_curve_without_columns_is_kaplan_and_meiers():
    data = given()
    model = KaplanMeier().fit(data.X, data.y)
    assert set(model.predict(data.X)) == {0.0}
    curve = model.predict_survival_function(data.X[:2], data.grid)
    # The grid lies between events, where some have died and some have not.
    assert np.all(np.diff(curve[0]) <= 0) and 0 < curve[0, -1] < curve[0, 0] < 1


def test_coxs_model_answers_as_scikit_survival_does():
    linear = pytest.importorskip("sksurv.linear_model")
    from treatise.compare.lifetimes import CoxRegression

    data = given()
    X = data.X.select("dose", "age").to_numpy()
    theirs = linear.CoxPHSurvivalAnalysis(alpha=0.1).fit(X, data.y)
    ours = CoxRegression().fit(X, data.y)
    np.testing.assert_allclose(ours.predict(X), -theirs.predict(X))
    functions = theirs.predict_survival_function(X[:3])
    expected = [[float(curve(time)) for time in data.grid] for curve in functions]
    np.testing.assert_allclose(ours.predict_survival_function(X[:3], data.grid), expected)


def test_a_saved_model_tells_median_lifetimes_and_survival(tmp_path):
    frame = lives()
    table = Table("lives", frame, True, ())
    pipeline, about, _ = fit_method("MinlipSurvival", table, time="years", event="died")
    save_model(pipeline, tmp_path / "model.skops", metadata=about)
    model = load_model(tmp_path / "model.skops")
    answer = predict_lifetimes(model, Table("new", frame.drop("years", "died"), True, ()), keep=["dose"])
    assert answer.columns[:3] == ["dose", "prediction", "utility"]
    shares = answer.select(pl.selectors.starts_with("survival ")).to_numpy()
    assert shares.shape[1] == 5 and np.all(np.diff(shares, axis=1) <= 1e-9)
    assert np.corrcoef(answer["utility"], answer["dose"])[0, 1] > 0.5
    known = answer.drop_nulls("prediction")
    assert np.all(np.diff(known.sort("utility")["prediction"].to_numpy()) >= 0)


def test_thirds_by_prediction_carry_observed_and_predicted_curves():
    data = given()
    _, held_out = data.divide(2, 0, 0, 0)
    utility = held_out.X["dose"].to_numpy()
    flat = np.full((len(utility), len(data.grid)), 0.5)
    found = data.explain([FoldPredictions(held_out.numbers, held_out.actual, utility, None, flat)]).survival
    assert [group.rows for group in found] == [20, 20, 20]
    # Whoever had more of it lived longer.
    assert found[0].observed[-1] < found[2].observed[-1]
    assert set(found[1].predicted) == {0.5}


def test_a_comparison_of_a_frame_ranks_draws_curves_and_predicts(tmp_path, contestants):
    frame = lives(90)
    comparison = treatise.compare(
        frame, time="years", event="died", budget=120, jobs=1, folds=2, output=tmp_path / "run",
        include="MinlipSurvival",
    )  # fmt: skip
    labels = [entry.label for entry in comparison.run.leaderboard]
    assert labels[0] == "MinlipSurvival" and comparison.run.metric.name == "concordance"
    assert comparison.run.data.kind == "survival times"
    assert len(comparison.run.best.survival) == 3
    page = render_report(comparison.run)
    assert 'id="survival"' in page and "Predicted and observed survival" in page
    assert "utility" in comparison.best.predict(frame.head(3)).columns
    told = pl.read_csv(tmp_path / "run" / "out_of_fold.csv")
    assert {"actual event", "actual time"} <= set(told.columns)


def test_other_rows_judge_a_run_and_a_saved_model(tmp_path, contestants):
    contestants("KaplanMeier", "MinlipSurvival", task="survival")
    new = lives(60, seed=1)
    comparison = treatise.compare(
        lives(), time="years", event="died", budget=120, jobs=1, folds=3, test=new, output=tmp_path / "run"
    )
    run, best = comparison.run, comparison.best
    assert run.test.rows == 60 and set(run.test.metrics) == {"concordance", "integrated_brier"}
    y = given(new).y
    X = new.select(best.metadata["columns"])
    assert run.test.metrics["concordance"] == pytest.approx(concordance_index(y, best.model.predict(X)))
    grid = np.asarray(best.metadata["times"])
    curves = best.model[-1].predict_survival_function(best.model[:-1].transform(X), grid)
    assert run.test.metrics["integrated_brier"] == pytest.approx(integrated_brier_score(y, curves, grid, reference=y))
    assert run.test.low < run.test.score < run.test.high
    assert "On the 60 rows of" in run.verdict[-1]
    score = best.score(new)
    assert score.measurements[0].score == run.test.score
    with pytest.raises(TreatiseError, match="no column 'died'"):
        best.score(new.drop("died"))
    with pytest.raises(TreatiseError, match="lacks the column 'years'"):
        treatise.compare(lives(), time="years", event="died", test=new.drop("years"), output=tmp_path / "other")
    with pytest.raises(TreatiseError, match="can be compared"):
        best.score(new.with_columns(pl.lit(0).alias("died")))
