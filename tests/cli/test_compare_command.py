"""``treatise compare``, ``fit`` and ``predict`` as a person runs them."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris
from slow_clock import slow_clock

from treatise.compare.candidates import all_candidates, streaming_candidates


@pytest.fixture
def few(monkeypatch):
    """Let only the named methods take part, in one pass over the folds."""

    def choose(*names):
        for place, every in (
            ("rows.all_candidates", all_candidates),
            ("blocks.streaming_candidates", streaming_candidates),
        ):
            monkeypatch.setattr(
                f"treatise.compare.inputs.{place}",
                lambda task, every=every: [c for c in every(task) if c.label in names],
            )

    monkeypatch.setattr("treatise.compare.inputs.base.MOST_REPEATS", 1)
    slow_clock(monkeypatch)
    monkeypatch.setattr("treatise.cli._compare._age", lambda: 0.0)  # of this process, which ran other tests before
    return choose


@pytest.fixture
def treatise(invoke, iris, monkeypatch):
    """Run a command line in the folder of the tables."""

    def run(*words):
        monkeypatch.chdir(iris)
        return invoke(*map(str, words))

    return run


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    folder = tmp_path_factory.mktemp("iris")
    X, y = load_iris(return_X_y=True)
    names = load_iris().target_names[y]
    frame = pl.DataFrame(X, schema=["sl", "sw", "pl", "pw"]).with_columns(species=pl.Series(names))
    frame.write_csv(folder / "iris.csv")
    frame.write_csv(folder / "plain.csv", include_header=False)
    frame.drop("species").write_csv(folder / "new.csv", include_header=False)
    return folder


def test_compare_says_what_it_understood_prints_a_board_and_ends_with_the_paths(iris, treatise, few):
    few("LogisticRegression", "DummyClassifier")
    done = treatise("compare", "iris.csv", "--target", "species", "--budget", 120, "-o", "run")
    assert done.exit_code == 0, done.stderr
    assert "iris: 150 rows, 4 columns" in done.stderr
    assert "multiclass" in done.stderr
    assert "fold 1" in done.stderr
    assert "LogisticRegression" in done.stdout
    assert done.stdout.splitlines()[-2].endswith("report.html")
    assert (iris / "run" / "report.html").exists()


def test_compare_says_that_a_table_is_too_large_and_compares_what_streams(iris, treatise, few):
    wanted = ("AROW", "HybridLinearClassifier", "SGDClassifier")
    few(*wanted)
    done = treatise(
        "compare", "iris.csv", "--target", "species", "--memory", "0.000001", "--budget", 120, "-o", "blocks"
    )
    assert done.exit_code == 0, done.stderr
    assert done.stderr.startswith("iris has about 150 rows and would take 8.2 KiB as a matrix, more than the 1.05 KiB")
    assert "read in blocks, and the methods that learn from a stream are compared" in done.stderr
    for name in wanted:
        assert name in done.stdout
    assert done.stdout.splitlines()[-1].endswith("best.skops")
    assert (iris / "blocks" / "report.html").exists()
    refused = treatise("compare", "iris.csv", "--target", "species", "--memory", "-1")
    assert refused.exit_code == 1


def test_fit_and_predict_round_trip_without_header_and_without_target(iris, treatise):
    fitted = treatise("fit", "LogisticRegression", "plain.csv", "--target", -1, "--set", "C=10", "-o", "m.skops")
    assert fitted.exit_code == 0, fitted.stderr
    done = treatise("predict", "m.skops", "new.csv", "-o", "out.csv")
    assert done.exit_code == 0, done.stderr
    out = pl.read_csv(iris / "out.csv")
    assert out.columns[0] == "prediction"
    assert (out["prediction"] == pl.read_csv(iris / "iris.csv")["species"]).mean() > 0.95
    shares = out.select(pl.sum_horizontal(pl.selectors.starts_with("probability")))
    assert (shares.to_series() - 1).abs().max() < 1e-9


def test_predictions_go_to_standard_output_without_a_file(treatise):
    treatise("fit", "RandomForestClassifier", "iris.csv", "--target", "species", "-o", "forest.skops")
    done = treatise("predict", "forest.skops", "iris.csv")
    assert done.stdout.splitlines()[0].startswith("prediction,")
    assert len(done.stdout.splitlines()) == 151
    as_json = json.loads(treatise("predict", "forest.skops", "iris.csv", "--json").stdout)
    assert as_json["rows"] == len(as_json["predictions"]) == 150


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("compare", "nowhere.csv", "--target", "y"), "nowhere.csv"),
        (("compare", "iris.csv", "--target", "spezies"), "did you mean 'species'"),
        (("compare", "iris.csv", "--target", "species", "--metric", "rmse"), "choose one of"),
        (("compare", "iris.csv", "--target", "species", "--budget", "0.1"), "too small"),
        (("fit", "NoSuchThing", "iris.csv", "--target", "species"), "no method 'NoSuchThing'"),
        (("fit", "Ridge", "iris.csv", "--target", "species"), "takes regression tasks"),
        (("fit", "SVC", "iris.csv", "--target", "species", "--set", "C=-1"), "'C' parameter"),
        (("fit", "SVC", "iris.csv", "--target", "species", "--set", "Q=1"), "Invalid parameter 'Q'"),
        (("fit", "SVC", "iris.csv", "--target", "species", "--set", "C"), "name=value"),
        (("predict", "iris.csv", "iris.csv"), "iris.csv"),
    ],
)
def test_mistakes_get_one_sentence_on_standard_error(treatise, arguments, sentence):
    done = treatise(*arguments)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_model_refuses_a_table_that_lacks_its_columns(iris, treatise):
    treatise("fit", "LogisticRegression", "iris.csv", "--target", "species", "-o", "named.skops")
    pl.read_csv(iris / "iris.csv").drop("sw").write_csv(iris / "narrow.csv")
    done = treatise("predict", "named.skops", "narrow.csv")
    assert done.exit_code == 1
    assert "lacks the column 'sw'" in done.stderr


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """A table whose second class is rare, in two files, and with a column to carry through."""
    folder = tmp_path_factory.mktemp("rare")
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    frame = pl.DataFrame(
        {"name": [f"n{i}" for i in range(400)], "day": np.arange(400) // 2, "x": x, "z": rng.normal(size=400),
         "y": np.where(x + rng.logistic(size=400) > 3.5, "event", "none")}
    )  # fmt: skip
    frame[:300].write_csv(folder / "train.csv")
    frame[300:].write_csv(folder / "test.csv")
    return folder


def test_compare_by_time_with_a_test_file_and_predict_with_columns_and_a_score(rare, invoke, few, monkeypatch):
    monkeypatch.chdir(rare)
    done = invoke(
        "compare", "train.csv", "--target", "y", "--by-time", "day", "--test", "test.csv", "--folds", "3", "--metric",
        "average_precision", "--include", "LogisticRegression", "--include", "Dummy*", "--budget", "120", "-j", "1",
        "-o", "run",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "note: each fold learns from what comes before it by 'day'" in done.stderr
    assert "On the 100 rows of test.csv: average precision" in done.stdout
    run = json.loads((rare / "run" / "run.json").read_text())
    assert run["folds"]["k"] == 3 and run["folds"]["repeats_done"] == 1
    assert run["test"]["rows"] == 100 and run["test"]["low"] < run["test"]["score"] < run["test"]["high"]

    predicted = invoke("predict", "run/best.skops", "test.csv", "--keep", "name", "--keep", "day", "-o", "out.csv")
    assert predicted.exit_code == 0, predicted.stderr
    out = pl.read_csv(rare / "out.csv")
    assert out.columns == ["name", "day", "prediction", "probability event", "probability none"]
    careless = invoke("predict", "run/best.skops", "test.csv", "--threshold", "0.99").stdout
    assert careless.count("event") < (out["prediction"] == "event").sum() + 2  # the header names it once

    told = invoke("predict", "run/best.skops", "test.csv", "--score")
    assert told.exit_code == 0 and told.stdout.startswith("test: 100 rows judged")
    measures = json.loads(invoke("predict", "run/best.skops", "test.csv", "--score", "--json").stdout)["measures"]
    assert measures["average_precision"]["score"] == pytest.approx(run["test"]["score"])
    assert measures["average_precision"]["low"] == pytest.approx(run["test"]["low"])


def test_wishes_that_a_model_does_not_take_are_refused(iris, treatise):
    treatise("fit", "LogisticRegression", "iris.csv", "--target", "species", "-o", "plain.skops")
    for words, sentence in (
        (("--keep", "spezies"), "did you mean 'species'"),
        (("--threshold", "0.3"), "models of two classes"),
        (("--threshold", "3"), "is no probability"),
    ):
        done = treatise("predict", "plain.skops", "iris.csv", *words)
        assert done.exit_code == 1 and sentence in done.stderr
    assert treatise("predict", "plain.skops", "iris.csv", "--score").stdout.count("balanced accuracy") == 1


def test_labels_of_held_out_rows_are_guarded_for_a_spreadsheet_where_that_is_asked_for(tmp_path, treatise, few):
    few("DummyClassifier")
    labels = ["=1+2", "@SUM(A1)"] * 30
    pl.DataFrame({"size": np.arange(60.0), "kind": labels}).write_csv(tmp_path / "data.csv")
    command = ("compare", tmp_path / "data.csv", "--target", "kind", "-o", tmp_path / "run")
    for words, told in (((), {"=1+2", "@SUM(A1)"}), (("--spreadsheet",), {"'=1+2", "'@SUM(A1)"})):
        done = treatise(*command, *words)
        assert done.exit_code == 0, done.stderr
        assert set(pl.read_csv(tmp_path / "run" / "out_of_fold.csv")["actual"]) == told
