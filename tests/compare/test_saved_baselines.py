"""Whatever can win a comparison can be saved: every baseline of every kind of data, and what it says once loaded."""

import numpy as np
import polars as pl
import pytest

from treatise.compare.candidates import streaming_candidates
from treatise.compare.inputs import Request, read_input
from treatise.io import load_model, save_model

ROWS = 90


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=ROWS)
    return pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(
        pl.Series("amount", y),
        pl.Series("second", X[:, 2] + 0.3 * rng.normal(size=ROWS)),
        pl.Series("coin", np.where(y > 0, "heads", "tails")),
        pl.Series("town", np.array(["Bern", "Chur", "Thun"])[np.digitize(y, [-0.7, 0.7])]),
        pl.Series("time", rng.exponential(size=ROWS) + 0.1),
        pl.Series("event", (rng.random(ROWS) < 0.7).astype(int)),
        pl.Series("bag", np.repeat(np.arange(ROWS // 3), 3)),
        pl.Series("of_bag", np.repeat(np.where(rng.random(ROWS // 3) < 0.5, "yes", "no"), 3)),
    )


ASKED = {
    "binary": (("coin",), {"target": "coin"}),
    "multiclass": (("town",), {"target": "town"}),
    "ordered": (("town",), {"target": "town", "ordered": ("Bern", "Chur", "Thun")}),
    "regression": (("amount",), {"target": "amount"}),
    "several amounts": (("amount", "second"), {"targets": ("amount", "second")}),
    "several labels": (("coin", "town"), {"targets": ("coin", "town")}),
    "survival": (("time", "event"), {"lifetime": "time", "event": "event"}),
    "bags": (("bag", "of_bag"), {"target": "of_bag", "bag": "bag"}),
    "groups": ((), {"task": "cluster"}),
    "groups of sequences": (("bag",), {"task": "cluster", "group": "bag"}),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.filterwarnings("ignore")
def test_every_baseline_is_saved_and_says_the_same_when_loaded(frame, tmp_path, asked):
    columns, wishes = ASKED[asked]
    given = read_input(Request(frame.select("a", "b", "c", *columns), **wishes))
    baselines = [candidate for candidate in given.candidates() if candidate.baseline]
    assert baselines
    for candidate in baselines:
        model = given.fit(given.pipeline(candidate, {}, 0))
        save_model(model, tmp_path / "model.skops", metadata=given.metadata(candidate))
        loaded = load_model(tmp_path / "model.skops").model
        said, again = (given.apply(each, given.X).values for each in (model, loaded))
        np.testing.assert_array_equal(said, again, err_msg=candidate.key)


@pytest.mark.parametrize("target", ["coin", "town", "amount"])
@pytest.mark.filterwarnings("ignore")
def test_every_baseline_that_learns_from_a_stream_is_saved(frame, tmp_path, target):
    given = read_input(Request(frame.select("a", "b", "c", target), target))
    for candidate in streaming_candidates(given.task):
        if candidate.baseline:
            model = given.fit(given.pipeline(candidate, {}, 0))
            save_model(model, tmp_path / "model.skops", metadata=given.metadata(candidate))
            loaded = load_model(tmp_path / "model.skops").model
            np.testing.assert_array_equal(model.predict(given.X), loaded.predict(given.X), err_msg=candidate.key)


def test_every_baseline_of_labelled_sequences_is_saved(frame, tmp_path):
    path = tmp_path / "sequences.csv"
    frame.select("a", "b", "town", sentence="bag").write_csv(path)
    given = read_input(Request(path, "town", task="sequence"))
    for candidate in given.candidates():
        if candidate.baseline:
            model = given.fit(given.pipeline(candidate, {}, 0))
            save_model(model, tmp_path / "model.skops", metadata=given.metadata(candidate))
            loaded = load_model(tmp_path / "model.skops").model
            np.testing.assert_array_equal(model.predict(given.X), loaded.predict(given.X), err_msg=candidate.key)
