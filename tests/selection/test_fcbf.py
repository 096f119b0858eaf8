"""FCBF against its definition, the paper's sets, and the invariances that follow from counting."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

from treatise.datasets import load_table, make_corral
from treatise.selection import FCBF
from treatise.statistics import MDLDiscretizer, mutual_information, symmetrical_uncertainty


def names_kept(kind, **parameters):
    X, y, names = make_corral(kind)
    return [names[i] for i in FCBF(**parameters).fit(X, y).selected_]


def brute_force(X, y, threshold=0.0, measure=symmetrical_uncertainty):
    """Figure 4 of the paper, line by line, with the slack for rounding."""
    relevance = [measure(x, y) for x in X.T]
    ranked = [i for i in np.argsort(-np.array(relevance), kind="stable") if relevance[i] > threshold + 1e-12]
    blanket, pairs, j = {}, 0, 0
    while j < len(ranked):
        for i in ranked[j + 1 :]:
            pairs += 1
            if measure(X[:, i], X[:, ranked[j]]) >= relevance[i] - 1e-12:
                blanket[int(i)] = int(ranked[j])
                ranked.remove(i)
        j += 1
    return [int(i) for i in ranked], blanket, pairs


@pytest.fixture(scope="module")
def table():
    """Groups of dependent columns of 2 to 12 values, some relevant, and noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    columns = []
    for noise in (0.2, 0.4, 0.6):
        base = np.where(rng.random(400) < noise, rng.integers(0, 3, 400), y)
        columns += [base, base + 3 * (rng.random(400) < 0.3), np.where(rng.random(400) < 0.2, 0, base)]
    columns += [rng.integers(0, values, 400) for values in (2, 3, 9, 12, 12, 2)]
    return np.column_stack(columns), y


def test_exact_corral_has_the_uncertainties_that_follow_from_its_counts():
    X, y, names = make_corral("corral-47")
    scores = dict(zip(names, FCBF().fit(X, y).scores_))
    assert scores["A0"] == pytest.approx(0.106445, abs=1e-6)
    assert scores["R"] == pytest.approx(0.187224, abs=1e-6)
    assert scores["A0_1"] == pytest.approx(0.080965, abs=1e-6)
    assert scores["A0"] == scores["A1"] == scores["B0"] == scores["B1"] == scores["A0_0"]
    assert max(scores[f"I{k}_{copy}"] for k in (1, 2) for copy in range(7)) < 1e-12


def test_corral_copies_differ_in_the_stated_share_of_rows():
    X, _, names = make_corral("corral-47")
    column = dict(zip(names, X.T))
    for base in ("A0", "A1", "B0", "B1"):
        assert [16 * np.mean(column[base] != column[f"{base}_{k}"]) for k in range(7)] == list(range(7))
    assert len(names) == 47 and len(make_corral("corral-46")[2]) == 46
    with pytest.raises(ValueError, match="'corral-48' is no Corral set"):
        make_corral("corral-48")


@pytest.mark.parametrize("discretizer", ["mdl", None])
def test_corral_selections_are_those_of_table_1(discretizer):
    for kind in ("corral", "corral-47"):
        assert names_kept(kind, discretizer=discretizer) == ["R", "A0", "A1", "B0", "B1"]
    assert names_kept("corral-46", discretizer=discretizer) == ["A0", "A1", "B0", "B1"]
    assert names_kept("corral", threshold="log") == ["R", "A0"]
    assert names_kept("corral-47", threshold="log") == ["R", "A0", "A1", "B0", "B1"]
    assert names_kept("corral-46", threshold="log") == ["A0", "A1", "B0", "B1"]


@pytest.mark.parametrize("threshold", [0.0, 0.05])
@pytest.mark.parametrize("measure", ["su", "mi"])
def test_selection_blankets_and_pairs_equal_the_algorithm_line_by_line(table, threshold, measure):
    X, y = table
    function = {"su": symmetrical_uncertainty, "mi": mutual_information}[measure]
    selected, blanket, pairs = brute_force(X, y, threshold, function)
    found = FCBF(threshold, discretizer=None, measure=measure).fit(X, y)
    assert found.selected_.tolist() == selected
    assert {i: int(j) for i, j in enumerate(found.blanket_) if j >= 0} == blanket
    assert found.n_pair_evaluations_ == pairs
    assert np.flatnonzero(found.relevant_).tolist() == sorted([*selected, *blanket])
    np.testing.assert_allclose(found.scores_, [function(x, y) for x in X.T], atol=1e-12)
    assert 1 < len(selected) < found.relevant_.sum() < X.shape[1] or threshold == 0.0


def test_every_removed_feature_has_its_blanket_and_no_kept_one_has_any(table):
    X, y = table
    found = FCBF(discretizer=None).fit(X, y)
    for i, j in enumerate(found.blanket_):
        if j >= 0:
            assert found.support_[j] and found.scores_[j] >= found.scores_[i]
            assert symmetrical_uncertainty(X[:, i], X[:, j]) >= found.scores_[i] - 1e-12
    kept = found.selected_
    for later in range(len(kept)):
        for earlier in range(later):
            assert symmetrical_uncertainty(X[:, kept[later]], X[:, kept[earlier]]) < found.scores_[kept[later]]


def test_names_of_values_classes_and_order_of_columns_do_not_matter(table):
    X, y = table
    rng = np.random.default_rng(1)
    plain = FCBF(discretizer=None).fit(X, y)
    assert len(np.unique(plain.scores_)) == X.shape[1], "the invariance to order holds where no scores are tied"
    renamed = np.column_stack([rng.permutation(100)[x] for x in X.T])
    again = FCBF(discretizer=None).fit(renamed, np.array(["u", "a", "k"])[y])
    np.testing.assert_array_equal(again.scores_, plain.scores_)
    np.testing.assert_array_equal(again.selected_, plain.selected_)
    order = rng.permutation(X.shape[1])
    moved = FCBF(discretizer=None).fit(X[:, order], y)
    np.testing.assert_array_equal(order[moved.selected_], plain.selected_)
    rows = rng.permutation(len(y))
    np.testing.assert_array_equal(FCBF(discretizer=None).fit(X[rows], y[rows]).scores_, plain.scores_)


def test_a_feature_as_near_to_a_better_one_as_to_the_class_is_covered():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 100)
    noisy = np.where(rng.random(100) < 0.3, 1 - y, y)
    # The first feature is the class: both uncertainties of the second are the same number.
    found = FCBF(discretizer=None).fit(np.column_stack([y, noisy]), y)
    assert found.selected_.tolist() == [0] and found.blanket_.tolist() == [-1, 0]


def test_one_dominating_feature_costs_one_comparison_for_each_other():
    rng = np.random.default_rng(2)
    feature = rng.integers(0, 2, 200)
    y = np.where(rng.random(200) < 0.1, 1 - feature, feature)
    found = FCBF(discretizer=None).fit(np.repeat(feature[:, np.newaxis], 500, axis=1), y)
    assert found.n_pair_evaluations_ == 499
    assert found.selected_.tolist() == [0] and (found.blanket_[1:] == 0).all()


def test_comparisons_grow_nearly_linearly_with_the_number_of_features():
    rng = np.random.default_rng(3)
    y, pairs = rng.integers(0, 2, 200), []
    blocks = np.where(rng.random((10, 200)) < 0.7, rng.integers(0, 2, (10, 200)), y)
    sizes = (1_000, 10_000, 100_000)
    for size in sizes:
        copies, noise = np.repeat(blocks, size // 20, axis=0), rng.integers(0, 2, (size // 2, 200), dtype=np.int8)
        found = FCBF(discretizer=None).fit(np.concatenate([copies, noise]).T, y)
        pairs.append(found.n_pair_evaluations_)
    # Linear with a logarithm from the noise, of which the best few survive; comparing all pairs would give 2.
    assert 0.9 < np.polyfit(np.log(sizes), np.log(pairs), 1)[0] < 1.3
    assert pairs[-1] < 0.001 * sizes[-1] ** 2 / 2


def test_n_features_keeps_the_first_and_log_the_most_relevant(table):
    X, y = table
    whole = FCBF(discretizer=None).fit(X, y)
    two = FCBF(discretizer=None, n_features=2).fit(X, y)
    np.testing.assert_array_equal(two.selected_, whole.selected_[:2])
    assert two.n_pair_evaluations_ < whole.n_pair_evaluations_
    some = FCBF("log", discretizer=None).fit(X, y)
    # floor(15 / log2 15) = 3
    assert some.relevant_.sum() == 3
    assert some.threshold_ == np.sort(whole.scores_)[-3] == some.scores_[some.relevant_].min()
    only = FCBF("log", discretizer=None).fit(X[:, :1], y)
    assert only.selected_.tolist() == [0]


def test_frames_sparse_matrices_and_strings_give_the_selection_of_the_array(table):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y = table
    expected = FCBF(discretizer=None).fit(X, y)
    names = [f"column {i}" for i in range(X.shape[1])]
    as_text = X.astype(str)
    mixed = pandas.DataFrame(X, columns=names).astype({"column 0": "category", "column 1": str})
    for other in (as_text, as_text.astype(object), sparse.csr_array(X), sparse.csc_matrix(X), mixed):
        found = FCBF(discretizer=None).fit(other, y)
        np.testing.assert_array_equal(found.scores_, expected.scores_)
        np.testing.assert_array_equal(found.selected_, expected.selected_)
    frame = polars.DataFrame(X, schema=names).cast({names[1]: polars.String})
    found = FCBF(discretizer=None).fit(frame, y)
    np.testing.assert_array_equal(found.selected_, expected.selected_)
    assert list(found.feature_names_in_) == names
    kept = found.get_feature_names_out()
    assert list(kept) == [names[i] for i in sorted(expected.selected_)]
    assert found.transform(frame).shape == (len(y), len(kept))
    out = FCBF(discretizer=None).set_output(transform="pandas").fit(mixed, y).transform(mixed)
    assert list(out.columns) == list(kept)


def test_categories_are_not_cut_but_numbers_are():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 200)
    # Relevant as categories only: the class is the parity of the code.
    code = 2 * rng.integers(0, 30, 200) + y
    frame = pandas.DataFrame({"code": pandas.Categorical(code), "number": code, "text": [f"v{c}" for c in code]})
    scores = FCBF().fit(frame, y).scores_
    assert scores[0] == scores[2] == pytest.approx(symmetrical_uncertainty(code, y))
    assert scores[1] == 0.0
    assert FCBF(discretizer=None).fit(frame, y).scores_[1] == scores[0]


def test_continuous_features_are_discretised_as_mdl_discretizer_does():
    X, y = load_breast_cancer(return_X_y=True)
    by_hand = FCBF(discretizer=None).fit(MDLDiscretizer().fit_transform(X, y), y)
    inside = FCBF().fit(X, y)
    np.testing.assert_array_equal(inside.scores_, by_hand.scores_)
    np.testing.assert_array_equal(inside.selected_, by_hand.selected_)
    np.testing.assert_array_equal(FCBF().fit(sparse.csr_matrix(X), y).scores_, inside.scores_)


def test_a_transformer_may_discretise():
    X, y = load_breast_cancer(return_X_y=True)
    bins = KBinsDiscretizer(5, encode="ordinal", quantile_method="averaged_inverted_cdf")
    by_hand = make_pipeline(bins, FCBF(discretizer=None)).fit(X, y)[-1]
    inside = FCBF(discretizer=bins).fit(X, y)
    np.testing.assert_array_equal(inside.selected_, by_hand.selected_)
    with pytest.raises(ValueError, match="one dense column of integers for each"):
        FCBF(discretizer=KBinsDiscretizer(5, quantile_method="averaged_inverted_cdf")).fit(X, y)
    with pytest.raises(ValueError, match="wants dense columns"):
        FCBF(discretizer=bins).fit(sparse.csr_matrix(X), y)


def test_exclusive_or_is_beyond_it_and_says_so():
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 10, axis=0)
    with pytest.warns(UserWarning, match="kept no feature: the most relevant has a score of 0"):
        FCBF(discretizer=None).fit(X, X[:, 0] ^ X[:, 1])


def test_a_threshold_above_all_scores_leaves_nothing_with_a_warning(table):
    X, y = table
    top = FCBF(discretizer=None).fit(X, y).scores_.max()
    with pytest.warns(UserWarning, match="FCBF kept no feature"):
        found = FCBF(float(top), discretizer=None).fit(X, y)
    assert len(found.selected_) == 0 and not found.support_.any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert found.transform(X).shape == (len(y), 0)


def test_bad_input_is_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="NaN"):
        FCBF().fit(np.where(X == 0, np.nan, X), y)
    with pytest.raises(ValueError, match="column 3 of X is continuous"):
        FCBF(discretizer=None).fit(np.column_stack([X[:, :3], X[:, 3] / 7]), y)
    with pytest.raises(ValueError, match="Unknown label type"):
        FCBF().fit(X, y + 0.5 * (y == 1))
    for wrong in ({"threshold": -0.1}, {"threshold": "sqrt"}, {"measure": "gini"}, {"discretizer": "width"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            FCBF(**wrong).fit(X, y)


def test_bad_frames_are_refused_by_column(table):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1.0, None, 3.0], "town": ["Bern", "Chur", "Bern"]})
    with pytest.raises(ValueError, match=r"NaN .* in column 'age'"):
        FCBF().fit(frame, [0, 1, 0])
    with pytest.raises(ValueError, match="infinity in column 'age'"):
        FCBF().fit(frame.fillna({"age": np.inf}), [0, 1, 0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        FCBF().fit(frame.fillna(0.0), [0, 1])
    with pytest.raises(ValueError, match="requires y"):
        FCBF().fit(frame.fillna(0.0), None)


def test_splice_keeps_the_published_numbers_of_features(real_data):
    real_data("keel/splice.dat")
    X, y = load_table("keel/splice.dat").arrays()
    found = FCBF().fit(X, y)
    assert len(found.selected_) == 22 and found.selected_[:5].tolist() == [29, 28, 30, 31, 34]
    assert len(FCBF("log").fit(X, y).selected_) == 9
    # One fold of the ten changes by 0.3 points with the draw of the folds.
    letters = OrdinalEncoder().fit_transform(X)
    accuracy = cross_val_score(CategoricalNB(min_categories=8), letters[:, found.selected_], y, cv=10).mean()
    assert accuracy == pytest.approx(0.962, abs=0.004)
