"""A table in blocks: every row once, none of the held-out ones, a fair sample, and the same answers as in memory."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import dump_svmlight_file
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare import understand
from treatise.compare.candidates import streaming_candidates
from treatise.compare.inputs.block_reading import digest_of_parts, oversize, read_streamed
from treatise.compare.inputs.block_store import FOLD, JUDGED, Block, BlockStore, joined, scatter
from treatise.compare.inputs.blocks import BlockInput, HashedFold
from treatise.compare.inputs.columns import width_of
from treatise.compare.inputs.encoding import table_pipeline
from treatise.io import read_table

N = 6000


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Small enough for a small table to have many."""
    monkeypatch.setattr("treatise.io.source.lines.BLOCK", 1 << 14)
    monkeypatch.setattr("treatise.compare.inputs.block_store.BLOCK_ROWS", 400)
    monkeypatch.setattr("treatise.compare.inputs.block_reading.SAMPLE_ROWS", 1000)


@pytest.fixture
def people(tmp_path):
    """A table sorted by its target, with a rare class, gaps, a category and a column of dates."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    town = rng.choice(["Bern", "Chur", "Genf"], N)
    score = x + (town == "Bern") + 0.3 * rng.normal(size=N)
    label = np.where(score > 0.4, "yes", "no").astype(object)
    label[rng.choice(N, 3, replace=False)] = "maybe"
    frame = pl.DataFrame({"number": np.arange(N) + 0.5, "x": x, "town": town, "day": ["2020-01-01"] * N})
    frame = frame.with_columns(pl.when(pl.Series(rng.random(N) < 0.95)).then(pl.col("x")).alias("x"))
    frame = frame.with_columns(label=pl.Series(label.astype(str)), target=pl.Series(score)).sort("label")
    path = tmp_path / "people.csv"
    frame.drop("target").write_csv(path)
    frame.drop("label").write_csv(tmp_path / "amounts.csv")
    return path


def streamed(path, target, tmp_path, **options):
    large = oversize(path, None, 1.0)
    options = {"task": None, "seed": 0, "seconds": 60.0, **options}
    fields = read_streamed(large, target, folder=tmp_path / "store", **options)
    return BlockInput(**fields, source=str(path))


class Diary(ClassifierMixin, BaseEstimator):
    """Writes down what it is shown."""

    def partial_fit(self, X, y, classes=None):
        self.classes_ = classes
        self.shown_ = [*getattr(self, "shown_", []), (X, y)]
        return self


def test_hashed_folds_are_even_repeatable_and_unrelated_to_each_other():
    rows = np.arange(100_000)
    folds = scatter(rows, 3, FOLD) % np.uint64(5)
    np.testing.assert_array_equal(folds, scatter(rows, 3, FOLD) % np.uint64(5))
    # Counts of a binomial with mean 20 000 and deviation 126; independent folds agree on a fifth, deviation 126.
    assert np.abs(np.bincount(folds.astype(int)) - 20_000).max() < 5 * 127
    for other in (scatter(rows, 4, FOLD), scatter(rows, 1003, FOLD), scatter(rows, 3, JUDGED), np.roll(folds, 1)):
        assert abs(np.sum(folds == other % np.uint64(5)) - 20_000) < 5 * 127


def test_every_training_row_is_shown_once_mixed_and_no_held_out_row_ever(people, tmp_path):
    problem = streamed(people, "label", tmp_path)
    assert len(problem.store) > 10
    training, held_out = problem.divide(5, 0, 2, 7)
    test, X, actual = held_out.numbers, held_out.X, held_out.actual
    diary = training.fit(Pipeline([("method", Diary())]))[-1]
    shown = pl.concat([X for X, _ in diary.shown_])["number"].to_numpy()
    whole = pl.read_csv(people)
    numbers = whole["number"].to_numpy()
    in_fold = HashedFold(2, 5, 7).holds(np.arange(N))
    np.testing.assert_array_equal(np.sort(shown), np.sort(numbers[~in_fold]))
    np.testing.assert_array_equal(test, np.flatnonzero(in_fold))
    np.testing.assert_array_equal(X["number"].to_numpy(), numbers[in_fold])
    np.testing.assert_array_equal(actual, whole["label"].to_numpy()[in_fold])
    labels = dict(zip(numbers, whole["label"]))
    assert [labels[n] for n in shown] == np.concatenate([y for _, y in diary.shown_]).tolist()
    assert list(diary.classes_) == ["maybe", "no", "yes"]
    # Half the file is "no" and comes first; the first thing shown is a mixture of parts that lie far apart.
    first = (diary.shown_[0][1] == "no").mean()
    assert 0.05 < first < 0.95
    assert not np.isin(training.sampled, test).any()


def test_each_row_is_judged_in_one_fold_and_a_cap_thins_the_folds_evenly(people, tmp_path, monkeypatch):
    problem = streamed(people, "label", tmp_path)
    tested = np.concatenate([problem.divide(5, 1, fold, 0)[1].numbers for fold in range(5)])
    np.testing.assert_array_equal(np.sort(tested), np.arange(N))
    monkeypatch.setattr("treatise.compare.inputs.blocks.MOST_JUDGED", 400)
    sizes = [len(problem.divide(5, 1, fold, 0)[1].numbers) for fold in range(5)]
    # Binomial of a third of 1200 rows: mean 400, deviation 16.
    assert max(abs(size - 400) for size in sizes) < 5 * 17


def test_the_problem_describes_the_whole_table_and_its_sample_is_fair(people, tmp_path):
    problem = streamed(people, "label", tmp_path)
    about = problem.describe()
    whole = pl.read_csv(people)
    assert about.rows == problem.n_rows == N
    assert about.classes == ("maybe", "no", "yes")
    assert list(about.counts) == [whole["label"].to_list().count(c) for c in about.classes]
    assert ("day", "is constant") in problem.dropped
    assert problem.task == "multiclass"
    # A thousand rows by chance, and at least the three of the rare class and a hundred of each other one.
    assert 1000 <= len(problem.y) <= 1300
    assert (problem.y == "maybe").sum() == 3
    # The mean of a thousand uniform numbers on [0, N] is within 5 deviations, N / sqrt(12 * 1000) each.
    assert abs(problem.X["number"].mean() - N / 2) < 5 * N / np.sqrt(12_000)
    np.testing.assert_array_equal(problem.X["number"].to_numpy(), whole["number"].to_numpy()[problem.sampled])
    problem.close()
    other = streamed(people, "label", tmp_path, seed=1)
    assert not np.array_equal(other.sampled, problem.sampled)


@pytest.mark.parametrize(
    ("name", "target", "task"), [("people", "label", "multiclass"), ("amounts", "target", "regression")]
)
def test_every_streaming_method_beats_guessing_after_one_pass(people, tmp_path, name, target, task):
    problem = streamed(people.with_name(f"{name}.csv"), target, tmp_path)
    assert problem.task == task
    training, held_out = problem.divide(5, 0, 0, 0)
    found = {}
    for candidate in streaming_candidates(task):
        fitted = training.fit(table_pipeline(candidate, False, {}, 0))
        measures = problem.judge(held_out, problem.apply(fitted, held_out.X))
        found[candidate.label] = measures["r2" if task == "regression" else "accuracy"]
    guess = found.pop("DummyRegressor" if task == "regression" else "DummyClassifier")
    # The score is linear in what the learners see, with noise of a tenth of its variance: the best linear rule has
    # R2 0.9 (five percent of x missing take some of it) and an accuracy of 0.9; guessing gets 0 and about one half.
    assert guess < (0.1 if task == "regression" else 0.65)
    if task == "multiclass":
        # Made for hundreds of classes; of three a single pass teaches it next to nothing.
        assert found.pop("PartitionTreeClassifier") > guess - 0.05
    assert len(found) >= (2 if task == "regression" else 7)
    assert min(found.values()) > 0.7, found


def test_what_the_catalogue_settles_for_blocks_is_not_searched():
    for task in ("binary", "multiclass", "regression"):
        for candidate in streaming_candidates(task):
            method = table_pipeline(candidate, False, {}, 0)[-1]
            assert hasattr(method, "partial_fit") or candidate.label.startswith("Dummy")
            assert not set(candidate.compare.search) & set(candidate.compare.stream)
    averaged = next(c for c in streaming_candidates("binary") if c.label == "AveragedSGDClassifier")
    assert table_pipeline(averaged, False, {}, 0)[-1].schedule == "doubling"


def test_parquet_and_text_give_the_same_problem(people, tmp_path):
    path = tmp_path / "people.parquet"
    pl.read_csv(people, try_parse_dates=True).write_parquet(path)
    one, two = streamed(people, "label", tmp_path), streamed(path, "label", tmp_path / "other")
    np.testing.assert_array_equal(one.sampled, two.sampled)
    np.testing.assert_array_equal(one.y, two.y)
    assert one.X.equals(two.X)
    assert one.dropped == two.dropped and one.describe().counts == two.describe().counts


def test_a_score_in_blocks_agrees_with_the_same_learner_in_memory(people, tmp_path):
    problem = streamed(people, "label", tmp_path)
    candidate = next(c for c in streaming_candidates("multiclass") if c.label == "AROW")
    training, held_out = problem.divide(5, 0, 0, 0)
    test, X, actual = held_out.numbers, held_out.X, held_out.actual
    fitted = training.fit(table_pipeline(candidate, False, {}, 0))
    in_blocks = np.mean(fitted.predict(X) == actual)
    whole = understand(read_table(people), "label")
    rows = np.setdiff1d(np.arange(N), test)
    in_memory = table_pipeline(candidate, False, {"n_passes": 1}, 0).fit(whole.X[rows], whole.y[rows])
    # The same rule in another order and with scales of a sample; the deviation of 1200 held-out rows is 0.009.
    assert in_blocks == pytest.approx(np.mean(in_memory.predict(X) == actual), abs=0.03)


def test_sparse_rows_are_laid_out_and_learned(tmp_path):
    rng = np.random.default_rng(0)
    X = sparse.random(3000, 60, 0.2, random_state=0, format="csr")
    last = sparse.csr_matrix(([0.5], ([2999], [0])), shape=(3000, 1))
    X = sparse.hstack([X, last], format="csr")  # the widest row is the last
    y = (X @ rng.normal(size=61) > 0).astype(int)
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    problem = streamed(path, None, tmp_path)
    assert problem.sparse and problem.X.shape[1] == 61 and problem.task == "binary"
    training, hidden = problem.divide(5, 0, 0, 0)
    test, held_out, actual = hidden.numbers, hidden.X, hidden.actual
    assert abs(held_out - X[test]).max() < 1e-12
    candidate = next(c for c in streaming_candidates("binary") if c.label == "SoftConfidenceWeighted")
    assert np.mean(training.fit(table_pipeline(candidate, True, {}, 0)).predict(held_out) == actual) > 0.85


def test_reading_ends_when_its_time_is_up_and_a_later_sitting_reads_the_same_rows(people, tmp_path):
    shuffled = people.with_name("shuffled.csv")
    pl.read_csv(people).sample(fraction=1.0, shuffle=True, seed=0).write_csv(shuffled)
    problem = streamed(shuffled, "label", tmp_path, seconds=0.0)
    assert 100 < problem.n_rows < N
    assert any(f"the first {problem.n_rows} of about" in note for note in problem.notes)
    sizes = problem.store.sizes
    problem.close()
    again = streamed(shuffled, "label", tmp_path, seconds=60.0, rows=problem.n_rows)
    assert again.store.sizes == sizes
    np.testing.assert_array_equal(again.sampled, problem.sampled)
    again.close()
    fewer = streamed(shuffled, "label", tmp_path, rows=1001)
    assert fewer.n_rows == 1001


def test_rows_without_a_target_are_left_out_and_told(tmp_path):
    lines = [f"{i * 0.37:.2f},{'?' if i % 10 == 0 else 'ab'[i % 2]}\n" for i in range(20_000)]
    lines[19_001] = "unknown,a\n"
    path = tmp_path / "gaps.csv"
    path.write_text("x,y\n" + "".join(lines))
    problem = streamed(path, "y", tmp_path)
    assert problem.n_rows == 18_000
    assert problem.describe().counts == (8001, 9999)
    assert "2000 rows without a value in 'y' are left out" in problem.notes
    assert "1 values of 'x' that are no number are taken as missing" in problem.notes


def test_a_late_value_decides_what_the_target_is(tmp_path):
    values = [str(i % 3) for i in range(6000)]
    path = tmp_path / "target.csv"
    for last, task in (("1", "multiclass"), ("2.5", "regression")):
        path.write_text("x,y\n" + "".join(f"{i * 0.37:.2f},{value}\n" for i, value in enumerate([*values, last])))
        assert streamed(path, "y", tmp_path).task == task
    many = ["a"] * 4000 + [f"v{i}" for i in range(2000)]
    path.write_text("x,y\n" + "".join(f"{i * 0.37:.2f},{value}\n" for i, value in enumerate(many)))
    with pytest.raises(TreatiseError, match="more than 1000 different values"):
        streamed(path, "y", tmp_path)


def test_unknown_targets_dates_and_full_disks_are_refused_before_anything_is_written(people, tmp_path, monkeypatch):
    for target, sentence in ((None, "--target"), ("lable", "did you mean 'label'"), ("day", "holds dates")):
        with pytest.raises(TreatiseError, match=sentence):
            streamed(people, target, tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("usage", (), {"free": 1000}))
    with pytest.raises(TreatiseError, match=r"1000 bytes are free.*choose another --output"):
        streamed(people, "label", tmp_path)
    assert not (tmp_path / "store").exists()


def test_only_files_beyond_the_limit_are_streamed(people, tmp_path):
    whole = pl.read_csv(people)
    # Two numbers, three towns and three labels (the head of the sorted table shows some of them).
    encoded = 8 * N * width_of(whole.drop("day"))
    large = oversize(people, None, 0.3 * encoded)
    assert large.needed == pytest.approx(encoded, rel=0.35)
    assert "people has about" in large.sentence and "--memory" in large.sentence
    assert oversize(people, None, 2 * encoded) is None
    whole.write_parquet(tmp_path / "people.parquet")
    assert oversize(tmp_path / "people.parquet", None, 0.3 * encoded) is not None
    assert oversize(tmp_path / "people.parquet", None, 2 * encoded) is None
    strange = tmp_path / "strange.csv"
    strange.write_bytes("a,b\n1,2\n".encode("utf-16"))
    assert oversize(strange, None, 1000.0) is None
    with pytest.raises(TreatiseError, match="UTF-16"):
        oversize(strange, None, 10.0)
    for other in ("iris", whole, read_table(people), tmp_path / "nowhere.csv"):
        assert oversize(other, None, 1.0) is None


def test_the_digest_notices_another_size_and_another_content(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(bytes(3_000_000))
    digests = {digest_of_parts(path)}
    path.write_bytes(bytes(3_000_001))
    digests.add(digest_of_parts(path))
    path.write_bytes(bytes(2_999_999) + b"x")
    digests.add(digest_of_parts(path))
    assert len(digests) == 3


def test_a_store_gives_back_its_rows_and_never_deletes_a_strangers_folder(tmp_path):
    store = BlockStore(tmp_path / "blocks", new=True)
    frame = pl.DataFrame({"row": np.arange(1000), "text": [f"t{i}" for i in range(1000)]})
    for first in range(0, 1000, 90):
        store.add(Block(np.arange(first, min(first + 90, 1000)), frame[first : first + 90], None))
    store.finish()
    again = BlockStore(tmp_path / "blocks")
    assert len(again) > 1
    whole = joined([again.read(number) for number in range(len(again))])
    assert whole.frame.equals(frame)
    np.testing.assert_array_equal(whole.rows, np.arange(1000))
    again.remove()
    assert not (tmp_path / "blocks").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    with pytest.raises(TreatiseError, match="holds something else"):
        BlockStore(tmp_path / "mine", new=True)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "precious"


def test_blocks_stay_small_in_memory(tmp_path):
    """A table of many blocks is read one group at a time: what is alive at once does not grow with the rows."""
    rng = np.random.default_rng(0)
    path = tmp_path / "long.csv"
    frame = pl.DataFrame(rng.normal(size=(20_000, 5)).round(4), schema=list("abcde"))
    frame.with_columns(y=pl.Series(rng.choice(["u", "v"], 20_000))).write_csv(path)
    problem = streamed(path, "y", tmp_path)
    diary = problem.fit(Pipeline([("method", Diary())]))[-1]
    assert max(len(y) for _, y in diary.shown_) <= problem.rows_in_memory < 5000
    assert sum(len(y) for _, y in diary.shown_) == 20_000
