"""Averaged and selective naive Bayes against sums over all sets of features, and against what they reduce to."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import KBinsDiscretizer

from treatise.bayesnet import AveragedNaiveBayes, SelectiveNaiveBayes, plot_inclusion
from treatise.datasets import make_network_table
from treatise.statistics import MDLDiscretizer


def random_table(seed, n=40):
    """Up to six features of two to four states, some dependent on one of three classes; every state occurs."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)])
    states = rng.integers(2, 5, rng.integers(2, 7))
    X = np.column_stack([np.concatenate([np.arange(4) % r, rng.integers(0, r, n - 4)]) for r in states])
    for i, r in enumerate(states):
        X[4:, i] = np.where(rng.random(n - 4) < rng.uniform(0, 0.8), y[4:] % r, X[4:, i])
    return X, y, states


def log_marginal_likelihood(counts, cell):
    """Equation 7 for one row of a table of counts."""
    r = len(counts)
    total = math.lgamma(r * cell) - math.lgamma(r * cell + sum(counts))
    return total + sum(math.lgamma(cell + count) - math.lgamma(cell) for count in counts)


def brute_force(X, y, states, rows, prior=None, bdeu=None):
    """Class probabilities, and those of each feature's arc, from every one of the 2^p structures."""
    p, classes = X.shape[1], range(3)
    prior = np.full(p, 0.5) if prior is None else prior
    of_class = [np.sum(y == c) for c in classes]
    class_cell = 1.0 if bdeu is None else bdeu / 3
    joint, total, included = np.zeros((len(rows), 3)), 0.0, np.zeros(p)
    for structure in itertools.product([False, True], repeat=p):
        log_weight, term = 0.0, np.ones((len(rows), 3))
        for c in classes:
            term[:, c] = (class_cell + of_class[c]) / (3 * class_cell + len(y))
        for i, linked in enumerate(structure):
            r = states[i]
            log_weight += math.log(prior[i] if linked else 1 - prior[i])
            cell = 1.0 if bdeu is None else bdeu / (r * (3 if linked else 1))
            for group in [[c] for c in classes] if linked else [list(classes)]:
                counts = [int(np.sum((X[:, i] == k) & np.isin(y, group))) for k in range(r)]
                log_weight += log_marginal_likelihood(counts, cell)
                theta = (cell + np.array(counts)) / (r * cell + sum(counts))
                for c in group:
                    term[:, c] *= theta[rows[:, i]]
        weight = math.exp(log_weight + 5 * len(y))  # a common factor against underflow
        joint += weight * term
        included += weight * np.array(structure)
        total += weight
    return joint / joint.sum(axis=1, keepdims=True), included / total


@pytest.mark.parametrize("seed", range(20))
def test_average_equals_the_sum_over_all_sets_of_features(seed):
    X, y, states = random_table(seed)
    rows = X[:6]
    model = AveragedNaiveBayes(discretizer=None).fit(X, y)
    expected, included = brute_force(X, y, states, rows)
    # Sums of at most 64 terms in double precision.
    np.testing.assert_allclose(model.predict_proba(rows), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.inclusion_probabilities_, included, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_average_equals_the_sum_with_other_priors(seed):
    X, y, states = random_table(seed)
    prior = np.linspace(0.1, 0.9, X.shape[1])
    model = AveragedNaiveBayes(2.5, parameter_prior="bdeu", structure_prior=prior, discretizer=None).fit(X, y)
    expected, included = brute_force(X, y, states, X[:6], prior, bdeu=2.5)
    np.testing.assert_allclose(model.predict_proba(X[:6]), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.inclusion_probabilities_, included, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_selected_set_is_the_most_probable_of_all(seed):
    X, y, _ = random_table(seed)
    factors = AveragedNaiveBayes(discretizer=None).fit(X, y).log_bayes_factors_
    sets = itertools.product([False, True], repeat=X.shape[1])
    best = max(sets, key=lambda chosen: factors[list(chosen)].sum())
    model = SelectiveNaiveBayes(discretizer=None).fit(X, y)
    assert model.support_.tolist() == list(best)
    # With those features alone, and all of them linked, the predictions are the same.
    chosen = X[:, model.support_]
    if chosen.shape[1]:
        whole = AveragedNaiveBayes(structure_prior=1.0, discretizer=None).fit(chosen, y)
        np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(chosen), rtol=0, atol=1e-12)


def test_a_prior_of_one_is_categorical_naive_bayes_and_of_zero_the_class_frequencies():
    X, y, _ = random_table(0, n=200)
    smoothed = (1.7 + np.bincount(y)) / (3 * 1.7 + len(y))
    peer = CategoricalNB(alpha=1.7, class_prior=smoothed).fit(X, y)
    linked = AveragedNaiveBayes(1.7, structure_prior=1.0, discretizer=None).fit(X, y)
    np.testing.assert_allclose(linked.predict_proba(X), peer.predict_proba(X), rtol=0, atol=1e-12)
    alone = AveragedNaiveBayes(1.7, structure_prior=0.0, discretizer=None).fit(X, y)
    np.testing.assert_allclose(alone.predict_proba(X), np.tile(smoothed, (len(X), 1)), rtol=0, atol=1e-12)


def test_inclusion_grows_with_the_prior_and_long_tables_neither_overflow_nor_underflow():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 6400)
    X = np.column_stack([y, rng.integers(0, 2, 6400), np.where(rng.random(6400) < 0.48, y, 1 - y)])
    fits = [AveragedNaiveBayes(structure_prior=prior).fit(X, y) for prior in (0.01, 0.3, 0.5, 0.9)]
    weights = np.array([fit.inclusion_probabilities_ for fit in fits])
    assert np.isfinite(weights).all() and np.isfinite(fits[0].predict_log_proba(X)).all()
    assert (np.diff(weights[:, 1]) > 0).all() and (np.diff(weights[:, 2]) > 0).all()
    assert weights[0, 0] == 1.0 and fits[0].log_bayes_factors_[0] > 4000


def test_ten_calls_of_partial_fit_are_one_fit_to_the_last_bit():
    rng = np.random.default_rng(1)
    y = np.array(["no", "yes", "perhaps"])[rng.integers(0, 3, 300)]
    words = np.sort(np.array(["b", "d", "a", "e", "c"], dtype=object)[rng.integers(0, 5, (300, 2))], axis=0)[::-1]
    numbers = np.sort(rng.integers(-5, 50, (300, 3)), axis=0)
    for X in (words, numbers):
        whole = AveragedNaiveBayes(discretizer=None).fit(X, y)
        parts = AveragedNaiveBayes(discretizer=None)
        for rows in np.split(np.arange(300), 10):
            parts.partial_fit(X[rows], y[rows], classes=["no", "perhaps", "yes"])
        assert parts.states_ == whole.states_
        np.testing.assert_array_equal(parts.log_bayes_factors_, whole.log_bayes_factors_)
        np.testing.assert_array_equal(parts.predict_log_proba(X), whole.predict_log_proba(X))


def test_partial_fit_keeps_the_cuts_of_the_first_call_and_refuses_unknown_classes():
    X, y = load_iris(return_X_y=True)
    model = AveragedNaiveBayes().partial_fit(X, y, classes=[0, 1, 2])
    once = AveragedNaiveBayes().fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), once.predict_proba(X))
    model.partial_fit(X[:5] + 100, y[:5])
    assert model.states_ == once.states_ and model.class_count_.tolist() == [55, 50, 50]
    with pytest.raises(ValueError, match=r"y holds \[3\], not among the classes \[0, 1, 2\]"):
        model.partial_fit(X[:2], [0, 3])


def test_a_class_without_rows_has_the_mass_of_the_prior():
    X, y, _ = random_table(3)
    seen = y < 2
    model = AveragedNaiveBayes(discretizer=None).partial_fit(X[seen], y[seen], classes=[0, 1, 2])
    assert math.exp(model.class_log_prior_[2]) == pytest.approx(1 / (3 + seen.sum()), rel=1e-12)
    one = AveragedNaiveBayes(structure_prior=1.0, discretizer=None)
    one.partial_fit(X[seen], y[seen], classes=[0, 1, 2])
    assert all(theta[2] == pytest.approx(1 / theta.shape[1], rel=1e-12) for theta in one.theta_)


def test_values_never_seen_have_the_mass_of_a_state_without_counts():
    X = np.array([["a"], ["a"], ["b"], ["a"], ["b"], ["b"]], dtype=object)
    y = np.array([0, 0, 0, 1, 1, 1])
    model = AveragedNaiveBayes(structure_prior=1.0).fit(X, y)
    # Both classes have three rows and two states: 1 / (2 + 3) each, so the prior decides.
    np.testing.assert_allclose(model.predict_proba([["z"]]), [[0.5, 0.5]], rtol=0, atol=1e-15)
    assert model.predict_joint_log_proba(np.array([["z"]], dtype=object))[0, 0] == pytest.approx(math.log(0.5 / 5))
    unbalanced = AveragedNaiveBayes(structure_prior=1.0).fit(X[:5], y[:5])
    expected = np.array([4 / 7 / 5, 3 / 7 / 4])
    np.testing.assert_allclose(unbalanced.predict_proba([["z"]])[0], expected / expected.sum(), atol=1e-15)


@pytest.mark.parametrize("values", [(1, 2, 4), (1, 2, 3), tuple(range(0, 60, 3))])
def test_numbers_never_seen_have_that_mass_too(values):
    X = np.repeat(values, 2)[:, None]
    y = np.tile([0, 1], len(values))
    for table in (X, sparse.csr_matrix(X)):
        model = AveragedNaiveBayes(structure_prior=1.0, discretizer=None).fit(table, y)
        assert model.states_ == [values]
        for new in (-5, 100, 2.5, 7.5):
            row = sparse.csr_matrix([[float(new)]]) if sparse.issparse(table) else [[new]]
            mass = np.exp(model.predict_joint_log_proba(row)[0])
            np.testing.assert_allclose(mass, 0.5 / (2 * len(values)), rtol=1e-12)


def test_missing_cells_drop_out_exactly():
    rng = np.random.default_rng(2)
    X, y, _ = random_table(4, n=150)
    holes = rng.random(X.shape) < 0.3
    holes[:4] = False
    damaged = np.where(holes, np.nan, X)
    model = AveragedNaiveBayes(discretizer=None).fit(damaged, y)
    for i in range(X.shape[1]):
        known = ~holes[:, i]
        alone = AveragedNaiveBayes(discretizer=None).fit(X[known][:, [i]], y[known])
        assert model.log_bayes_factors_[i] == pytest.approx(alone.log_bayes_factors_[0], abs=1e-10)
        np.testing.assert_allclose(model.theta_[i], alone.theta_[0], rtol=1e-12)
    # In prediction: the sum of the joint probability over the states that the cell might have.
    row = damaged[5:6].copy()
    row[0] = X[5]
    row[0, 1] = np.nan
    filled = np.repeat(row, model.n_states_[1], axis=0)
    filled[:, 1] = np.arange(model.n_states_[1])
    summed = np.exp(model.predict_joint_log_proba(filled)).sum(axis=0)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(row))[0], summed, rtol=1e-12)
    nothing = np.full((1, X.shape[1]), np.nan)
    np.testing.assert_allclose(model.predict_log_proba(nothing)[0], model.class_log_prior_, atol=1e-14)


@pytest.mark.parametrize("discretizer", ["mdl", None])
def test_sparse_tables_give_what_dense_ones_give(discretizer):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 200)
    X = np.where(rng.random((200, 12)) < 0.3, rng.integers(-3, 6, (200, 12)) + y[:, None], 0)
    X[:, 3] = X[:, 3] + 10  # no zeros here
    weights = rng.uniform(0.1, 3.0, 200)
    dense = AveragedNaiveBayes(discretizer=discretizer).fit(X, y, sample_weight=weights)
    test = np.where(rng.random((50, 12)) < 0.5, X[:50], 0)
    for layout in (sparse.csr_matrix, sparse.csc_array):
        thin = AveragedNaiveBayes(discretizer=discretizer).fit(layout(X), y, sample_weight=weights)
        np.testing.assert_allclose(thin.inclusion_probabilities_, dense.inclusion_probabilities_, atol=1e-10)
        # Sums of weights in another order.
        np.testing.assert_allclose(thin.predict_log_proba(layout(test)), dense.predict_log_proba(test), atol=1e-10)


def test_whole_weights_repeat_rows_and_fractions_lie_between():
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(4).integers(0, 4, len(y))
    weighted = AveragedNaiveBayes().fit(X, y, sample_weight=weights)
    repeated = AveragedNaiveBayes().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.states_ == repeated.states_
    np.testing.assert_array_equal(weighted.predict_log_proba(X), repeated.predict_log_proba(X))
    codes = MDLDiscretizer().fit_transform(X, y)
    halves = AveragedNaiveBayes(0.5, discretizer=None).fit(codes, y, sample_weight=np.full(len(y), 0.5))
    # Half the prior and half the rows: the same probabilities within classes, but weaker evidence for arcs.
    linked = AveragedNaiveBayes(structure_prior=1.0, discretizer=None).fit(codes, y)
    half = AveragedNaiveBayes(0.5, structure_prior=1.0, discretizer=None).fit(codes, y, sample_weight=np.full(150, 0.5))
    np.testing.assert_allclose(half.predict_proba(codes), linked.predict_proba(codes), atol=1e-12)
    assert (halves.log_bayes_factors_ < linked.log_bayes_factors_).all()


def test_numbers_are_cut_by_class_entropy():
    X, y = load_iris(return_X_y=True)
    cutter = MDLDiscretizer().fit(X, y)
    model = AveragedNaiveBayes().fit(X, y)
    assert model.n_states_.tolist() == cutter.n_bins_.tolist()
    coded = AveragedNaiveBayes(discretizer=None).fit(cutter.transform(X), y)
    np.testing.assert_array_equal(model.predict_log_proba(X), coded.predict_log_proba(cutter.transform(X)))
    assert model.states_[3] == ("<= 0.8", "(0.8, 1.75]", "> 1.75")
    two_valued = AveragedNaiveBayes().fit(np.where(X > 6, 2.5, -1.0)[:, :1], y)
    assert two_valued.states_ == [("<= 0.75", "> 0.75")]


def test_a_transformer_may_cut_the_numbers():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, y == 1])
    bins = KBinsDiscretizer(4, encode="ordinal", strategy="uniform")
    model = AveragedNaiveBayes(discretizer=bins).fit(X, y)
    codes = np.column_stack([bins.fit_transform(X[:, :4]), X[:, 4]])
    coded = AveragedNaiveBayes(discretizer=None).fit(codes, y)
    np.testing.assert_array_equal(model.predict_log_proba(X), coded.predict_log_proba(codes))
    with pytest.raises(ValueError, match="KBinsDiscretizer: encode='ordinal'"):
        AveragedNaiveBayes(discretizer=KBinsDiscretizer(4)).fit(X, y)
    with pytest.raises(ValueError, match="wants dense columns"):
        AveragedNaiveBayes(discretizer=bins).fit(sparse.csr_matrix(X), y)


def test_frames_keep_their_types_and_declared_categories_count_as_states():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 60)
    colour = np.array(["red", "green"], dtype=object)[np.where(rng.random(60) < 0.3, 1 - y, y)]
    size, wet = rng.normal(size=60) + 2 * y, rng.random(60) < 0.5
    frame = pandas.DataFrame({"colour": colour, "size": size, "wet": wet})
    model = AveragedNaiveBayes().fit(frame, y)
    assert model.states_[0] == ("green", "red") and model.states_[2] == (False, True)
    assert model.feature_names_in_.tolist() == ["colour", "size", "wet"]
    other = polars.DataFrame({"colour": colour.tolist(), "size": size, "wet": wet})
    np.testing.assert_array_equal(AveragedNaiveBayes().fit(other, y).predict_proba(other), model.predict_proba(frame))
    declared = frame.assign(colour=pandas.Categorical(colour, ["red", "green", "blue"]))
    enum = other.with_columns(polars.col("colour").cast(polars.Enum(["red", "green", "blue"])))
    for table in (declared, enum):
        wider = AveragedNaiveBayes().fit(table, y)
        assert wider.states_[0] == ("blue", "green", "red")
        weight = wider.inclusion_probabilities_[0]
        unseen = weight / (3 + np.sum(y == 0)) + (1 - weight) / (3 + 60)
        assert wider.theta_[0][0, 0] == pytest.approx(unseen, rel=1e-12)
    frame.loc[3, "colour"] = None
    frame.loc[4, "size"] = np.nan
    patchy = AveragedNaiveBayes().fit(frame, y)
    assert patchy.states_[0] == ("green", "red") and np.isfinite(patchy.predict_log_proba(frame)).all()


@pytest.mark.parametrize("estimator", [AveragedNaiveBayes(), SelectiveNaiveBayes()])
def test_the_network_answers_as_the_classifier_does(estimator):
    pandas = pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[:, :12], y.map({0: "malign", 1: "benign"})
    X["constant"] = 1.0
    model = estimator.fit(X, y)
    network = model.to_network()
    assert "constant" not in network.variables and network.states["class"] == ("benign", "malign")
    words = {}
    for name, states, cuts in zip(X.columns, model.states_, MDLDiscretizer().fit(X, y).cut_points_):
        if len(states) > 1:
            words[name] = np.array(states, dtype=object)[np.searchsorted(cuts, X[name])]
    answers = network.predict_proba(pandas.DataFrame(words).assign(**{"class": "benign"}), "class")
    np.testing.assert_allclose(answers, model.predict_proba(X), atol=1e-12)
    if isinstance(model, SelectiveNaiveBayes):
        unlinked = [name for name, parents in network.parents.items() if not parents]
        assert len(unlinked) == 1 + np.sum(~model.support_ & (model.n_states_ > 1))
    with pytest.raises(ValueError, match="also the name of a feature"):
        model.to_network(target="mean radius")


def test_averaging_beats_selection_on_random_networks():
    gains = []
    for seed in range(100):
        X, _ = make_network_table(1050, n_nodes=10, max_parents=5, random_state=seed)
        y, X = X[:, seed % 10], np.delete(X, seed % 10, axis=1)
        if min(y[:50].sum(), 50 - y[:50].sum()) == 0 or y[50:].min() == y[50:].max():
            continue
        areas = [
            roc_auc_score(y[50:], model(discretizer=None).fit(X[:50], y[:50]).predict_proba(X[50:])[:, 1])
            for model in (AveragedNaiveBayes, SelectiveNaiveBayes)
        ]
        if areas[1] < 1:
            gains.append((areas[0] - areas[1]) / (1 - areas[1]))
    gains = np.array(gains)
    assert gains.mean() / (gains.std(ddof=1) / np.sqrt(len(gains))) > 2


def test_bad_input_is_refused_with_the_reason():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"column 0 of X is continuous \(it holds 4.3\)"):
        AveragedNaiveBayes(discretizer=None).fit(X, y)
    with pytest.raises(ValueError, match="infinity"):
        AveragedNaiveBayes().fit(np.where(X > 7, np.inf, X), y)
    with pytest.raises(ValueError, match="structure_prior must be a probability, or one for each of the 4"):
        AveragedNaiveBayes(structure_prior=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="structure_prior"):
        AveragedNaiveBayes(structure_prior=1.5).fit(X, y)
    with pytest.raises(ValueError, match="at least one non-zero number"):
        AveragedNaiveBayes().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="a number as large as 1152921504606846976"):
        AveragedNaiveBayes(discretizer=None).fit(np.array([[2**60], [1]]), [0, 1])
    model = AveragedNaiveBayes().fit(X.astype(object), y)
    with pytest.raises(ValueError, match="column 0 of X held numbers when the model was fitted and now holds 'red'"):
        model.predict(np.array([["red", 1.0, 1.0, 1.0]], dtype=object))


def test_negative_whole_numbers_are_categories_like_others():
    X = np.array([[-7], [-7], [3], [3], [-7], [3]])
    y = np.array([0, 0, 1, 1, 0, 1])
    model = AveragedNaiveBayes(discretizer=None).fit(X, y)
    assert model.states_ == [(-7, 3)] and model.predict([[-7], [3]]).tolist() == [0, 1]


def test_the_picture_has_a_bar_for_each_feature_and_says_what_it_hides():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = AveragedNaiveBayes().fit(X, y)
    ax = plot_inclusion(model, max_features=5)
    assert [patch.get_width() for patch in ax.patches] == sorted(model.inclusion_probabilities_, reverse=True)[:5]
    assert "25 less probable" in ax.get_title()
    assert plot_inclusion(model, feature_names=range(30), ax=ax) is ax
    with pytest.raises(ValueError, match="2 names for 30 features"):
        plot_inclusion(model, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="has no inclusion_probabilities_"):
        plot_inclusion(SelectiveNaiveBayes().fit(X, y))
