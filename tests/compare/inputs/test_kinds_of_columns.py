"""Each kind of column in the encoder: dates, many categories, text, numbers as text; what comes later and is new."""

import datetime

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from treatise._core.errors import TreatiseError
from treatise.compare import TableEncoder, fit_method, predict_table, understand
from treatise.compare.candidates import all_candidates
from treatise.compare.inputs.encoding.numbers import Numbers
from treatise.compare.inputs.encoding.target_means import TargetMeans
from treatise.io import Table, load_model, read_table, save_model


def encoded(column, **options):
    encoder = TableEncoder(**options)
    matrix = encoder.fit_transform(pl.DataFrame({"x": column}))
    return encoder, dict(zip(encoder.get_feature_names_out(), matrix.T))


# ------------------------------------------------------------------ numbers


def test_neighbouring_numbers_are_one_part_and_the_order_of_the_table_is_kept():
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": [3, None], "t": ["u", "v"], "c": [True, False]})
    encoder = TableEncoder().fit(frame)
    assert [type(part).__name__ for part in encoder.parts_] == ["Numbers", "Indicators", "Numbers"]
    assert list(encoder.get_feature_names_out()) == ["a", "b", "b is missing", "t = u", "t = v", "c"]
    np.testing.assert_array_equal(encoder.transform(frame), [[1, 3, 0, 1, 0, 1], [2, 3, 1, 0, 1, 0]])


@pytest.mark.parametrize("rows", [50, 3000])
def test_medians_are_those_of_what_is_there(rows):
    rng = np.random.default_rng(rows)
    matrix = rng.normal(size=(rows, 5))
    matrix[rng.random(matrix.shape) < 0.3] = np.nan
    matrix[:, 3] = np.nan
    fitted = Numbers(list("abcde")).fit(pl.DataFrame(matrix, schema=list("abcde")), None)
    np.testing.assert_array_equal(np.delete(fitted.medians_, 3), np.nanmedian(np.delete(matrix, 3, axis=1), axis=0))
    assert fitted.medians_[3] == 0


def test_the_matrix_may_be_written_to_and_the_table_keeps_its_numbers():
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    TableEncoder().fit_transform(frame)[:] = 0
    assert frame.rows() == [(1.0, 3.0), (2.0, 4.0)]


def test_a_tiny_share_of_words_among_numbers_is_missing_with_a_count_and_more_is_an_error():
    encoder = TableEncoder().fit(pl.DataFrame({"n": np.arange(300.0)}))
    texts = [str(i) for i in range(300)]
    with pytest.warns(UserWarning, match="2 of 300 values of 'n' are no numbers, such as 'tall', and are taken"):
        out = encoder.transform(pl.DataFrame({"n": ["tall", "short", *texts[2:]]}))
    assert out[0, 0] == out[1, 0] == 149.5
    with pytest.raises(TreatiseError, match="column 'n' holds 'w0' where the model was fitted with numbers"):
        encoder.transform(pl.DataFrame({"n": [f"w{i}" for i in range(4)] + texts[4:]}))


def test_money_that_comes_as_text_is_read_as_in_fitting():
    encoder = TableEncoder(written={"n": "$1,234.5"}).fit(pl.DataFrame({"n": [1000.0, 2000.0]}))
    new = pl.DataFrame({"n": ["1,500", "$2", None, "($7)"]})
    np.testing.assert_array_equal(encoder.transform(new).ravel(), [1500, 2, 1500, -7])


# ------------------------------------------------------------------ dates


def test_dates_become_days_and_parts_on_circles():
    days = [datetime.date(2020, 12, 31), datetime.date(2021, 1, 1), datetime.date(2021, 7, 1)]
    _, out = encoded(days)
    np.testing.assert_array_equal(out["x in days since 2020-12-31"], [0, 1, 182])
    np.testing.assert_array_equal(out["x: year"], [2020, 2021, 2021])
    december, january, july = np.column_stack([out["x: month (sine)"], out["x: month (cosine)"]])
    # One step of twelve on the circle, and half of it.
    assert np.linalg.norm(december - january) == pytest.approx(2 * np.sin(np.pi / 12))
    assert np.linalg.norm(january - july) == pytest.approx(2)
    assert not any("hour" in name or "missing" in name for name in out)
    thursday = np.array([out["x: day of week (sine)"][0], out["x: day of week (cosine)"][0]])
    np.testing.assert_allclose(thursday, [np.sin(2 * np.pi * 4 / 7), np.cos(2 * np.pi * 4 / 7)])


def test_parts_that_do_not_vary_are_left_out():
    _, out = encoded([datetime.datetime(2020, 5, 4, 10), datetime.datetime(2020, 5, 4, 16)])
    assert list(out) == ["x in days since 2020-05-04", "x: hour (sine)", "x: hour (cosine)"]
    np.testing.assert_allclose(out["x in days since 2020-05-04"], [0, 0.25])


def test_missing_dates_have_the_middle_and_a_mark_and_later_ones_go_on():
    encoder, out = encoded([datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 3)])
    np.testing.assert_array_equal(out["x is missing"], [0, 1, 0])
    np.testing.assert_array_equal(out["x in days since 2020-01-01"], [0, 1, 2])
    later = encoder.transform(pl.DataFrame({"x": [datetime.date(2030, 1, 1), datetime.date(2019, 12, 31)]}))
    np.testing.assert_array_equal(later[:, 0], [3653, -1])


def test_zones_are_told_by_the_clock_on_the_wall_of_fitting():
    moments = pl.Series(["2020-06-01 00:30", "2020-06-01 12:30"]).str.to_datetime()
    moments = moments.dt.replace_time_zone("Europe/Zurich")
    encoder, out = encoded(moments)
    same = pl.DataFrame({"x": moments.dt.convert_time_zone("Asia/Tokyo")})
    np.testing.assert_allclose(encoder.transform(same), np.column_stack(list(out.values())))
    as_text = pl.DataFrame({"x": ["2020-05-31T22:30Z", "2020-06-01 12:30+02:00"]})
    np.testing.assert_allclose(encoder.transform(as_text), np.column_stack(list(out.values())))


def test_dates_as_text_numbers_and_times_of_day_are_read_as_in_fitting():
    days = [datetime.date(2021, 3, 4), datetime.date(2021, 5, 1)]
    encoder, out = encoded(days, written={"x": "month/day/year"})
    expected = np.column_stack(list(out.values()))
    for cells in (["03/04/2021", "5/1/2021"], ["2021-03-04", "05/01/2021"]):
        np.testing.assert_allclose(encoder.transform(pl.DataFrame({"x": cells})), expected)
    compact, out = encoded(days, written={"x": "yearmonthday"})
    np.testing.assert_allclose(compact.transform(pl.DataFrame({"x": [20210304, 20210501]})), expected)
    clock, out = encoded([datetime.time(6), datetime.time(18)])
    assert list(out) == ["x in days", "x: hour (sine)", "x: hour (cosine)"]
    np.testing.assert_allclose(clock.transform(pl.DataFrame({"x": ["12:00:00"]})), [[0.5, 0, -1]], atol=1e-12)
    with pytest.raises(TreatiseError, match="column 'x' holds 'soon' where the model was fitted with dates"):
        encoder.transform(pl.DataFrame({"x": ["soon", "03/04/2021"]}))
    with pytest.raises(TreatiseError, match=r"column 'x' holds 3\.5 where the model was fitted with dates"):
        encoder.transform(pl.DataFrame({"x": [3.5]}))


# ------------------------------------------------------------------ many categories


def noise(seed=0, rows=2000, values=1000):
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"x": [f"v{i}" for i in rng.integers(0, values, rows)]}), rng.integers(0, 2, rows)


def correlation(matrix, y):
    return 0.0 if np.ptp(matrix[:, 0]) == 0 else abs(np.corrcoef(matrix[:, 0], y)[0, 1])


def test_a_column_of_noise_tells_training_nothing_and_held_out_rows_nothing():
    for seed in range(5):
        frame, y = noise(seed)
        means = TargetMeans(["x"], seed)
        # Independent columns of 2000 rows correlate with a deviation of 0.022.
        assert correlation(means.fit_transform(frame, y), y) < 5 * 0.023
    train, test = np.arange(1000), np.arange(1000, 2000)
    model = make_pipeline(TableEncoder(), DecisionTreeClassifier(max_depth=5, random_state=0))
    model.fit(frame[train], y[train])
    scores = model.predict_proba(frame[test])[:, 1]
    assert abs(roc_auc_score(y[test], scores) - 0.5) < 0.06  # deviation 0.018
    # Five questions to fifty indicators and a mean: what a tree makes of as many random columns, not a leak.
    assert roc_auc_score(y[train], model.predict_proba(frame[train])[:, 1]) < 0.7


def test_means_with_their_own_rows_in_them_would_fail_that_test():
    frame, y = noise()
    # The categories differ a little, as chance will have it, so that they do not all stand for the mean.
    even = (frame["x"].str.slice(1).cast(pl.Int64) % 2).to_numpy()
    y = np.where(np.random.default_rng(1).random(2000) < 0.2, even, y)
    means = TargetMeans(["x"])
    honest = correlation(means.fit_transform(frame, y), y)
    leaking = correlation(means.fit(frame, y).transform(frame), y)
    assert leaking > 0.5 > 0.3 > honest


def test_categories_that_tell_are_found_in_held_out_rows():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 300, 4000)
    effect = rng.normal(size=300)
    frame = pl.DataFrame({"x": [f"v{i}" for i in codes]})
    for y in (effect[codes] + 0.3 * rng.normal(size=4000), (effect[codes] + rng.normal(size=4000) > 0).astype(int)):
        means = TargetMeans(["x"]).fit(frame[:3000], y[:3000])
        assert correlation(means.transform(frame[3000:]), y[3000:]) > (0.9 if y.dtype.kind == "f" else 0.45)


def test_new_categories_have_the_mean_of_all_and_shares_of_classes_add_up():
    frame = pl.DataFrame({"x": [f"v{i % 4}" for i in range(60)]})
    y = np.array([f"c{min(i % 4, 2)}" for i in range(60)])
    encoder = TableEncoder(max_categories=2).fit(frame, y)
    names = list(encoder.get_feature_names_out())
    assert names == ["x: share of c0", "x: share of c1", "x: share of c2", "x = v0", "x = v1"]
    new = encoder.transform(pl.DataFrame({"x": ["never seen", "v0"]}))
    np.testing.assert_allclose(new[0], [0.25, 0.25, 0.5, 0, 0])
    np.testing.assert_allclose(new[1], [1, 0, 0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(encoder.fit_transform(frame, y)[:, :3].sum(axis=1), 1)
    assert encoder.unseen(pl.DataFrame({"x": ["never seen", "v0", None, "v3", "nor this"]})) == {"x": 2}


# ------------------------------------------------------------------ text


def reviews(rows=300, seed=0):
    """Sentences of forty words of which some go with the label."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    good, bad, other = (["great", "lovely"], ["awful", "boring"], [f"word{chr(97 + i)}" for i in range(26)])
    texts = [" ".join([*rng.choice(other, 8), *rng.choice(good if label else bad, 2)]) for label in y]
    return pl.DataFrame({"text": texts}), np.where(y, "good", "bad")


def test_words_are_weighed_by_tf_idf_and_rows_have_length_one():
    frame = pl.DataFrame({"text": ["red red big apple", "red plum tree", "old plum tree", None]})
    encoder = TableEncoder(sparse=True)
    X = encoder.fit_transform(frame)
    assert sparse.issparse(X)
    words = ("apple", "big", "old", "plum", "red", "tree")
    assert list(encoder.get_feature_names_out()) == [f"text: {word}" for word in words]
    once = 1 + np.log(5 / 2)
    weights = np.array([once, once, 0, 0, (1 + np.log(2)) * (1 + np.log(5 / 3)), 0])
    np.testing.assert_allclose(X.toarray()[0], weights / np.linalg.norm(weights))
    np.testing.assert_array_equal(X.toarray()[3], 0)
    np.testing.assert_array_equal(encoder.transform(pl.DataFrame({"text": ["Quite new words", ""]})).toarray(), 0)


def test_text_is_sparse_for_methods_that_take_that_and_a_few_directions_for_others():
    frame, y = reviews()
    thin, dense = TableEncoder(sparse=True), TableEncoder(sparse=False)
    assert sparse.issparse(thin.fit_transform(frame, y)) and thin.sparse_
    out = dense.fit_transform(frame, y)
    assert isinstance(out, np.ndarray) and out.shape[1] <= 50
    np.testing.assert_allclose(dense.transform(frame), out, atol=1e-10)
    new, actual = reviews(seed=1)
    for encoder in (thin, dense):
        model = make_pipeline(encoder, LogisticRegression()).fit(frame, y)
        assert model.score(new, actual) > 0.95


def test_numbers_beside_text_are_scaled_in_the_encoder_and_come_first():
    frame, y = reviews(rows=100)
    frame = frame.with_columns(n=pl.Series(np.linspace(5000, 9000, 100)), gap=pl.Series([None, 1.0] * 50))
    standard = TableEncoder(sparse=True, scaling="standard").fit_transform(frame, y).toarray()
    np.testing.assert_allclose(standard[:, :3].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standard[:, 0].std(), 1)
    encoder = TableEncoder(sparse=True, scaling="minmax").fit(frame, y)
    assert list(encoder.get_feature_names_out())[:3] == ["n", "gap", "gap is missing"]
    new = encoder.transform(frame.with_columns(n=pl.lit(1e9)))
    assert new.min() >= 0 and new.max() <= 1


def test_many_indicators_are_sparse_only_where_they_may_be():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{j}": [f"v{i}" for i in rng.integers(0, 40, 400)] for j in range(8)})
    assert sparse.issparse(TableEncoder(sparse=True).fit_transform(frame))
    assert not sparse.issparse(TableEncoder().fit_transform(frame))
    assert not sparse.issparse(TableEncoder(sparse=True).fit_transform(frame.select("c0")))
    whole = TableEncoder(sparse=True).fit_transform(frame).toarray()
    np.testing.assert_array_equal(whole, TableEncoder().fit_transform(frame))


def test_a_method_with_a_matrix_of_columns_by_columns_is_spared_the_words():
    frame, y = reviews()
    problem = understand(Table("reviews", frame.with_columns(y=pl.Series(y)), True, ()), "y")
    for candidate in all_candidates("binary"):
        encoder = problem.pipeline(candidate, {}, 0).named_steps["table"]
        assert encoder.sparse is ("sparse" in candidate.compare.input and candidate.compare.bytes.p <= 1)


def test_a_method_of_words_takes_part_where_there_are_words_alone():
    frame, y = reviews()
    words = understand(Table("reviews", frame.with_columns(y=pl.Series(y)), True, ()), "y")
    numbers = pl.DataFrame({"a": np.random.default_rng(0).normal(size=len(y)), "y": y})
    plain = understand(Table("numbers", numbers, True, ()), "y")
    found = [{each.entry.name for each in given.candidates()} for given in (words, plain)]
    assert "GibbsMedLDAClassifier" in found[0] - found[1] and found[1] < found[0]
    (chosen,) = [each for each in words.candidates() if each.entry.name == "GibbsMedLDAClassifier"]
    right = words.fit(words.pipeline(chosen, {}, 0)).score(words.X, words.y)
    assert right > 0.9


# ------------------------------------------------------------------ all of it


def everything(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    texts, y = reviews(rows, seed)
    days = rng.integers(18_000, 19_000, rows)
    return texts.with_columns(
        day=pl.Series(days).cast(pl.Int32).cast(pl.Date), n=pl.Series(rng.normal(size=rows)),
        many=pl.Series([f"v{i}" for i in rng.integers(0, 90, rows)]), few=pl.Series(rng.choice(["a", "b"], rows)),
        y=pl.Series(y),
    )  # fmt: skip


@pytest.mark.parametrize("method", ["LogisticRegression", "HistGradientBoostingClassifier"])
def test_a_saved_model_predicts_new_dates_categories_gaps_and_words(tmp_path, method):
    table = Table("t", everything(), True, ())
    pipeline, metadata, _ = fit_method(method, table, "y", params={"max_iter": 30})
    save_model(pipeline, tmp_path / "m.skops", metadata=metadata)
    model = load_model(tmp_path / "m.skops")
    new = everything(20, seed=3).drop("y")
    strange = new.with_columns(
        day=pl.lit(datetime.date(2050, 1, 1)), many=pl.lit("new"), few=pl.lit(None, pl.String),
        n=pl.lit(None, pl.Float64), text=pl.lit(None, pl.String),
    )  # fmt: skip
    for frame in (new, strange):
        found = predict_table(model, Table("new", frame, True, ()))
        assert found["prediction"].to_list() == pipeline.predict(frame).tolist()
        assert np.isfinite(found.select(pl.col(pl.Float64)).to_numpy()).all()
    actual = everything(20, seed=3)["y"].to_list()
    assert np.mean(pipeline.predict(new) == actual) > 0.8


def test_a_short_file_is_read_as_the_model_was(tmp_path):
    lines = [f'{1 + i % 12}/{1 + i % 28}/2021,"${1000 + 37 * i * i:,}.00",{"ab"[i % 12 > 5]}\n' for i in range(120)]
    (tmp_path / "old.csv").write_text("day,paid,y\n" + "".join(lines))
    (tmp_path / "new.csv").write_text('day,paid\n3/4/2021,"1,500"\n')
    pipeline, metadata, given = fit_method("LogisticRegression", tmp_path / "old.csv", "y")
    assert dict(given.written) == {"day": "month/day/year", "paid": "$1,234.5"}
    save_model(pipeline, tmp_path / "m.skops", metadata=metadata)
    model = load_model(tmp_path / "m.skops")
    (part,) = type(given).predict(model, str(tmp_path / "new.csv"))
    plain = pl.DataFrame({"day": [datetime.date(2021, 3, 4)], "paid": [1500.0]})
    assert part.frame["prediction"].to_list() == pipeline.predict(plain).tolist() == ["a"]
    untyped = read_table(tmp_path / "new.csv")
    assert untyped.frame["day"].to_list() == ["3/4/2021"]
    assert predict_table(model, untyped).equals(part.frame)


def test_data_frames_with_money_and_dates_as_text_are_understood(tmp_path):
    frame = pl.DataFrame({
        "paid": [f"${i * i}.50" for i in range(60)], "when": [f"{1 + i % 28}.{1 + i % 12}.2020" for i in range(60)],
        "stamp": [20200101 + i % 28 for i in range(60)], "digits": [str(i % 7) for i in range(60)],
        "y": ["a", "b"] * 30,
    })  # fmt: skip
    pipeline, _, given = fit_method("LogisticRegression", frame.to_pandas(), "y")
    assert given.X.schema == {"paid": pl.Float64, "when": pl.Date, "stamp": pl.Date, "digits": pl.String}
    assert pipeline.predict(frame).tolist() == pipeline.predict(given.X).tolist()
