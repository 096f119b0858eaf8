"""The semi-supervised generative classifier against definitions, closed forms and enumeration."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

from treatise.semisupervised import (
    SemiSupervisedGenerative,
    divergence_bounds,
    objective_variance,
    unlabelled_worth,
)
from treatise.semisupervised.generative._densities import DENSITIES
from treatise.semisupervised.generative._objective import OBJECTIVES, Objective, log_joint, weights_of

PAPER = {"density": "diag", "smoothing": 0.0, "tol": 1e-8}


def rows_for(name, n, rng):
    X = rng.normal(size=(n, 4)) @ np.array([[1.0, 0.5, 0, 0], [0, 1, 0, 0.3], [0, 0, 1, 0], [0, 0, 0, 1]])
    if name == "multinomial":
        return rng.poisson(2.0, (n, 4)).astype(float)
    return (X > 0).astype(float) if name == "bernoulli" else X


def few_labels(y, n, seed):
    """Labels of n rows, at least one of each class, and -1 for the others."""
    rng = np.random.default_rng(seed)
    while True:
        kept = rng.choice(len(y), n, replace=False)
        if len(np.unique(y[kept])) == len(np.unique(y)):
            return np.where(np.isin(np.arange(len(y)), kept), y, -1)


@pytest.mark.parametrize("name", DENSITIES)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_gradient_is_that_of_the_objective(name, objective):
    rng = np.random.default_rng(0)
    X, U, codes = rows_for(name, 60, rng), rows_for(name, 90, rng), np.arange(60) % 3
    density = DENSITIES[name](3, 4, np.bincount(codes), 0.7, 0.01)
    value_of = Objective(density, X, codes, U, weights_of(objective, 60, 90))
    theta = value_of.supervised() + 0.1 * rng.normal(size=len(value_of.supervised()))
    slope = value_of(theta)[1]
    step = 1e-6
    measured = [
        (value_of(theta + step * unit)[0] - value_of(theta - step * unit)[0]) / (2 * step)
        for unit in np.eye(len(theta))
    ]
    # Central differences of step 1e-6 carry about 1e-10 of the value.
    np.testing.assert_allclose(slope, measured, atol=1e-6 * np.abs(slope).max())
    # Steps in other coordinates have the slope that the chain rule gives.
    by_step = density.slope_of_step(theta[3:], slope[3:])
    unit = rng.normal(size=len(by_step))
    ahead, behind = (value_of(np.r_[theta[:3], density.moved(theta[3:], s * unit)])[0] for s in (step, -step))
    assert by_step @ unit == pytest.approx((ahead - behind) / (2 * step), rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("name", DENSITIES)
def test_supervised_start_is_the_maximum_of_the_supervised_objective(name):
    rng = np.random.default_rng(1)
    X, codes = rows_for(name, 80, rng), np.arange(80) % 3
    density = DENSITIES[name](3, 4, np.bincount(codes), 0.7, 0.01)
    value_of = Objective(density, X, codes, X[:0], weights_of("supervised", 80, 0))
    np.testing.assert_allclose(value_of(value_of.supervised())[1], 0.0, atol=1e-10)


def test_value_is_the_papers_equation_20():
    rng = np.random.default_rng(2)
    X, U, codes = rng.normal(size=(20, 2)), rng.normal(size=(50, 2)), np.arange(20) % 2
    density = DENSITIES["diag"](2, 2, np.bincount(codes), 0.0, 1e-9)
    theta = np.r_[np.log([0.3, 0.7]), rng.normal(size=4), rng.normal(size=4)]
    means, variances = theta[2:6].reshape(2, 2), np.exp(theta[6:].reshape(2, 2))
    joint = [
        np.log(share) + multivariate_normal(mean, np.diag(variance)).logpdf(np.r_[X, U])
        for share, mean, variance in zip((0.3, 0.7), means, variances)
    ]
    marginal = np.logaddexp(*joint)
    conditional = np.array(joint)[codes, np.arange(20)] - marginal[:20]
    value = Objective(density, X, codes, U, weights_of("unbiased", 20, 50))(theta)[0]
    penalty = -0.5e-9 * np.sum(10 / variances)
    assert value == pytest.approx(conditional.sum() + 20 / 70 * marginal.sum() + penalty, rel=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_all_labels_give_naive_bayes_whatever_the_objective(objective):
    X, y = load_iris(return_X_y=True)
    model = SemiSupervisedGenerative(**PAPER, var_floor=1e-12, objective=objective).fit(X, y)
    peer = GaussianNB(var_smoothing=0.0).fit(X, y)
    np.testing.assert_allclose(model.means_, peer.theta_, atol=1e-6)
    np.testing.assert_allclose(model.covariances_, peer.var_, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    joint = peer._joint_log_likelihood(X)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, atol=1e-4)


def test_all_labels_give_discriminant_analysis_and_the_other_naive_bayes():
    X, y = load_iris(return_X_y=True)
    tied = SemiSupervisedGenerative("tied", smoothing=0.0, var_floor=1e-10, objective="supervised").fit(X, y)
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(tied.predict_proba(X), peer.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(tied.covariances_[1], peer.covariance_, atol=1e-6)
    counts = np.random.default_rng(0).poisson(1.0 + X)
    for name, other in (("multinomial", MultinomialNB(alpha=0.5)), ("bernoulli", BernoulliNB(alpha=0.5))):
        rows = counts if name == "multinomial" else counts > 2
        ours = SemiSupervisedGenerative(name, smoothing=0.5, objective="supervised").fit(rows.astype(float), y)
        np.testing.assert_allclose(ours.predict_proba(rows), other.fit(rows, y).predict_proba(rows), atol=1e-6)


def test_full_covariances_are_those_of_the_classes():
    X, y = load_iris(return_X_y=True)
    model = SemiSupervisedGenerative("full", smoothing=0.0, var_floor=1e-10, objective="supervised").fit(X, y)
    for code in range(3):
        np.testing.assert_allclose(model.covariances_[code], np.cov(X[y == code].T, bias=True), atol=1e-6)
    log_density = np.log(1 / 3) + multivariate_normal(model.means_[2], model.covariances_[2]).logpdf(X)
    np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, 2], log_density, rtol=1e-8)
    together = np.logaddexp.reduce(model.predict_joint_log_proba(X), axis=1)
    np.testing.assert_allclose(model.score_samples(X), together)


@pytest.mark.parametrize("objective", ["unbiased", "biased"])
def test_the_default_ends_where_no_direction_rises(objective):
    X, y = load_wine(return_X_y=True)
    few = few_labels(y, 30, 0)
    model = SemiSupervisedGenerative(objective=objective).fit(X, few)
    assert model.converged_
    Z, labelled = (X - X.mean(axis=0)) / X.std(axis=0), few >= 0
    value_of = Objective(
        model._density(), Z[labelled], few[labelled], Z[~labelled], weights_of(objective, 30, len(y) - 30)
    )
    best = value_of(model._theta)[0]
    assert best / 30 == pytest.approx(model.objective_, rel=1e-9)
    assert best >= value_of(value_of.supervised())[0]
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert value_of(model._theta + 1e-2 * rng.normal(size=len(model._theta)))[0] < best


def two_normals(n, rng):
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) * [1.0, 2.0] + np.outer(y, [2.0, 1.0]), y


def test_where_the_model_is_right_both_ways_beat_the_labelled_rows_alone():
    errors = {objective: [] for objective in OBJECTIVES}
    truth = np.array([[0.0, 0.0], [2.0, 1.0]])
    for seed in range(50):
        X, y = two_normals(3100, np.random.default_rng(seed))
        y[100:] = -1
        for objective in OBJECTIVES:
            model = SemiSupervisedGenerative(**PAPER | {"tol": 1e-5}, objective=objective).fit(X, y)
            errors[objective].append(np.sum((model.means_ - truth) ** 2))
    squared = {objective: np.mean(values) for objective, values in errors.items()}
    assert squared["unbiased"] < 0.95 * squared["supervised"]
    assert squared["biased"] < 0.5 * squared["supervised"]


def two_humps(n, rng):
    """A class of two clusters, which one normal density cannot be, and one between them."""
    y = rng.integers(0, 2, n)
    side = rng.choice([-2.0, 2.0], n)
    centre = np.where(y[:, np.newaxis] == 0, np.c_[side, np.zeros(n)], [0.0, 1.5])
    return centre + np.sqrt(0.3) * rng.normal(size=(n, 2)), y


def test_where_the_model_is_wrong_only_the_unbiased_objective_gains_by_unlabelled_rows():
    losses = {objective: [] for objective in OBJECTIVES}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = two_humps(200, rng)
        U, _ = two_humps(10_000, rng)
        T, t = two_humps(20_000, rng)
        for objective in OBJECTIVES:
            model = SemiSupervisedGenerative(**PAPER | {"tol": 1e-5}, objective=objective)
            model.fit(np.r_[X, U], np.r_[y, np.full(len(U), -1)])
            losses[objective].append(-model.predict_joint_log_proba(T)[np.arange(len(t)), t].mean())
    mean = {objective: np.mean(values) for objective, values in losses.items()}
    assert mean["unbiased"] < mean["supervised"] < mean["biased"]
    assert mean["biased"] - mean["unbiased"] >= 0.02


def test_units_and_origins_of_columns_change_nothing_but_units():
    X, y = load_wine(return_X_y=True)
    few = few_labels(y, 40, 1)
    plain = SemiSupervisedGenerative("diag").fit(X, few)
    moved = SemiSupervisedGenerative("diag").fit(1e-3 * X + 5.0, few)
    np.testing.assert_allclose(moved.predict_proba(1e-3 * X + 5.0), plain.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(moved.means_, 1e-3 * plain.means_ + 5.0, rtol=1e-4)
    shift = X.shape[1] * np.log(1e3)
    np.testing.assert_allclose(moved.score_samples(1e-3 * X + 5.0), plain.score_samples(X) + shift, rtol=1e-4)


def test_a_constant_column_and_a_single_label_of_each_class_are_no_trouble():
    X, y = load_iris(return_X_y=True)
    few = np.where(np.isin(np.arange(150), [0, 50, 100]), y, -1)
    plain = SemiSupervisedGenerative().fit(X, few)
    wider = SemiSupervisedGenerative().fit(np.c_[X, np.full(150, 7.0)], few)
    assert plain.density_ == "tied"
    np.testing.assert_array_equal(wider.predict(np.c_[X, np.full(150, 7.0)]), plain.predict(X))
    assert wider.means_[0, 4] == 7.0
    assert wider.covariances_[0, 4, 4] == 0.0


def test_a_class_that_was_seen_once_does_not_decide_the_density_of_all():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    first, second = rng.normal(size=(2, 400))
    X = np.c_[first, np.where(y, 1, -1) * first + 0.3 * second]  # only the correlation tells the classes apart
    once = y[:200].copy()
    once[0] = 9
    model = SemiSupervisedGenerative().fit(X[:200], once)
    assert model.density_ == "full"
    assert model.score(X[200:], y[200:]) > 0.8


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_huge_and_tiny_numbers(scale):
    X, y = load_iris(return_X_y=True)
    few = few_labels(y, 30, 2)
    plain = SemiSupervisedGenerative("diag").fit(X, few).predict(X)
    np.testing.assert_array_equal(SemiSupervisedGenerative("diag").fit(scale * X, few).predict(scale * X), plain)


def test_sparse_counts_equal_dense_ones():
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    X = rng.poisson(np.where(y[:, np.newaxis] == 0, [0.2, 0.2, 2.0], [2.0, 0.2, 0.2])).astype(float)
    few = np.where(np.arange(200) < 10, y, -1)
    for name, rows in (("multinomial", X), ("bernoulli", (X > 0).astype(float))):
        dense = SemiSupervisedGenerative(name).fit(rows, few)
        thin = SemiSupervisedGenerative(name).fit(sparse.csr_array(rows), few)
        np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(rows)), dense.predict_proba(rows), atol=1e-8)
        assert dense.score(rows, y) > 0.75


@pytest.mark.parametrize(
    "missing", [None, float("nan"), -1], ids=["None", "NaN", "-1"],
)  # fmt: skip
def test_strings_may_have_any_mark_of_a_missing_label(missing):
    X, y = load_iris(return_X_y=True)
    few = few_labels(y, 30, 3)
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)
    words = np.where(few < 0, None, names[few])
    words[few < 0] = missing
    model = SemiSupervisedGenerative("diag").fit(X, words)
    plain = SemiSupervisedGenerative("diag").fit(X, few)
    assert model.classes_.tolist() == names.tolist()
    np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])
    as_floats = SemiSupervisedGenerative("diag").fit(X, np.where(few < 0, np.nan, few))
    np.testing.assert_array_equal(as_floats.predict(X), plain.predict(X))
    assert as_floats.classes_.dtype.kind == "i"


def test_what_cannot_be_learned_is_refused():
    X, y = load_iris(return_X_y=True)
    model = SemiSupervisedGenerative("diag")
    with pytest.raises(ValueError, match="no row has a label"):
        model.fit(X, np.full(150, -1))
    with pytest.raises(ValueError, match=r"one class only, 1.*-1 among numbers"):
        model.fit(X, np.where(y == 0, -1, 1))
    with pytest.raises(ValueError, match="no column of X varies"):
        model.fit(np.ones((150, 2)), y)
    with pytest.raises(ValueError, match="no count of a word"):
        SemiSupervisedGenerative("multinomial").fit(X - 3.0, y)
    with pytest.raises(ValueError, match="columns of 0 and 1"):
        SemiSupervisedGenerative("bernoulli").fit(X, y)
    with pytest.raises(ValueError, match="X has 150 rows and y has 3"):
        model.fit(X, [0, 1, -1])


def test_a_class_without_a_labelled_row_is_refused():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    labels = pandas.Series(pandas.Categorical.from_codes(np.where(y == 2, -1, y), ["a", "b", "c"]))
    with pytest.raises(ValueError, match=r"the classes \['c'\] have no labelled row"):
        SemiSupervisedGenerative("diag").fit(X, labels)


def test_it_says_when_unlabelled_rows_make_the_objective_noisier():
    # Unusual rows are the sure ones: what the model knows of x and of y go against each other.
    conditional = np.random.default_rng(0).exponential(size=400)
    marginal = 3.0 - 0.8 * conditional
    found = objective_variance(conditional, marginal, 5000)
    assert found.hurts
    assert found.ratio > 1.0
    assert not objective_variance(conditional, 3.0 + 0.8 * conditional, 5000).hurts


def test_fit_warns_where_they_do():
    rng = np.random.default_rng(0)
    # The common rows are those that could be of either class.
    X = (rng.random((3000, 1)) < 0.6).astype(float)
    y = (rng.random(3000) < np.where(X[:, 0] == 1, 0.5, 0.02)).astype(int)
    y[600:] = -1
    with pytest.warns(UserWarning, match="unlabelled rows make the objective noisier"):
        model = SemiSupervisedGenerative("bernoulli").fit(X, y)
    assert model.variance_ratio_ > 1.0


def test_variance_formula_matches_simulation():
    # A fixed model of one binary x and one binary y, and rows drawn anew 20 000 times.
    rng = np.random.default_rng(0)
    chances = np.array([0.2, 0.1, 0.3, 0.4])  # of (x, y) = 00, 01, 10, 11
    marginal, conditional = np.array([1.2, 1.2, 0.3, 0.3]), np.array([0.1, 1.5, 0.9, 0.4])
    n_labelled, n_unlabelled, repeats = 20, 60, 20_000
    cells = rng.choice(4, p=chances, size=(repeats, n_labelled + n_unlabelled))
    objective = conditional[cells[:, :n_labelled]].mean(axis=1) + marginal[cells].mean(axis=1)
    weights = np.rint(chances * 1000).astype(int)
    found = objective_variance(np.repeat(conditional, weights), np.repeat(marginal, weights), 0)
    exact_y = np.repeat(conditional, weights).var()
    predicted = exact_y / n_labelled + found.gain / (n_labelled + n_unlabelled)
    assert objective.var() == pytest.approx(predicted, rel=0.05)
    alone = (conditional + marginal)[cells[:, :n_labelled]].mean(axis=1)
    assert alone.var() == pytest.approx((exact_y + found.gain) / n_labelled, rel=0.05)


def discrete_divergences(truth, models):
    """D(X,Y), D(X) of each model from the truth; tables have a row for each x and a column for each y."""
    joint = np.sum(truth * np.log(truth / models), axis=(1, 2))
    at, of = truth.sum(axis=1), models.sum(axis=2)
    return joint, np.sum(at * np.log(at / of), axis=1)


def test_divergences_and_bounds_hold_on_random_discrete_distributions():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        truth = rng.dirichlet(np.ones(6)).reshape(3, 2)
        models = rng.dirichlet(np.ones(6), size=40).reshape(40, 3, 2)
        joint, marginal = discrete_divergences(truth, models)
        unsupervised = joint[np.argmin(marginal)]
        before = 0.0
        for share in (0.0, 0.3, 0.7, 0.95):
            usual = (1 - share) * joint + share * marginal
            # Equation 8, with unlabelled as one more value of y.
            wide = np.concatenate([(1 - share) * truth, share * truth.sum(axis=1, keepdims=True)], axis=1)
            spread = np.concatenate([(1 - share) * models, share * models.sum(axis=2, keepdims=True)], axis=2)
            kept = wide > 0
            np.testing.assert_allclose(
                np.sum(wide[kept] * np.log(wide[kept] / spread[:, kept]), axis=1), usual, atol=1e-12
            )
            chosen = joint[np.argmin(usual)]
            low, high = divergence_bounds(joint.min(), share, unsupervised)
            assert low <= chosen <= high + 1e-12
            assert chosen >= before - 1e-12  # Theorem 8
            before = chosen


def test_bounds_refuse_impossible_numbers():
    for bad in ((-0.1, 0.5), (0.1, 1.0), (0.1, 0.5, 0.05)):
        with pytest.raises(ValueError):
            divergence_bounds(*bad)


def test_worth_of_unlabelled_rows_is_told_on_held_out_labels():
    rng = np.random.default_rng(0)
    X, y = two_humps(4000, rng)
    y[400:] = -1
    right, wrong = (
        unlabelled_worth(SemiSupervisedGenerative(**PAPER | {"tol": 1e-5}, objective=objective), X, y)
        for objective in ("unbiased", "biased")
    )
    assert wrong.verdict == "hurt"
    assert wrong.n_rows == 400
    assert right.joint_gain > wrong.joint_gain
    with pytest.raises(ValueError, match="no unlabelled row"):
        unlabelled_worth(SemiSupervisedGenerative(), X[:400], y[:400])
    with pytest.raises(ValueError, match="single labelled row"):
        unlabelled_worth(SemiSupervisedGenerative(), X[:6], [0, 1, 1, -1, -1, -1])


def test_worth_equals_the_difference_of_two_fits():
    X, y = load_wine(return_X_y=True)
    few = few_labels(y, 40, 0)
    model = SemiSupervisedGenerative("diag")
    found = unlabelled_worth(model, X, few, cv=2)
    labelled = np.flatnonzero(few >= 0)
    gains = []
    for _, part in StratifiedKFold(2).split(labelled, few[labelled]):
        out = labelled[part]
        rest = ~np.isin(np.arange(len(y)), out)
        logs = []
        for objective in ("supervised", "unbiased"):
            fitted = SemiSupervisedGenerative("diag", objective=objective).fit(X[rest], few[rest])
            logs.append(fitted.predict_log_proba(X[out])[np.arange(len(out)), few[out]])
        gains.append(logs[1] - logs[0])
    assert found.label_gain == pytest.approx(np.concatenate(gains).mean(), rel=1e-9)


def test_no_warning_at_the_defaults_on_real_tables():
    for load in (load_iris, load_wine):
        X, y = load(return_X_y=True)
        for seed, n in itertools.product(range(2), (9, 30)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                SemiSupervisedGenerative().fit(X, few_labels(y, n, seed))


def test_a_climb_cut_short_warns():
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="still rises after 1 steps"):
        model = SemiSupervisedGenerative("diag", max_iter=1).fit(X, few_labels(y, 30, 0))
    assert model.converged_ is False


def test_unlabelled_rows_are_what_makes_the_difference():
    X, y = load_wine(return_X_y=True)
    gains = []
    for seed in range(6):
        few = few_labels(y, 18, seed)
        alone = SemiSupervisedGenerative(objective="supervised").fit(X, few).score(X, y)
        gains.append(SemiSupervisedGenerative().fit(X, few).score(X, y) - alone)
    assert np.mean(gains) > 0.01


def test_log_joint_adds_the_log_share():
    density = DENSITIES["bernoulli"](2, 1, np.array([1, 1]), 0.0, 1e-9)
    found = log_joint(density, np.r_[np.log([0.25, 0.75]), 0.0, 0.0], np.array([[1.0]]))
    np.testing.assert_allclose(found, np.log([[0.125, 0.375]]))


def two_classes(seed, strangers):
    """Two classes with 800 labels, and 2400 rows without: of the same kind, or all about the middle of one class."""
    rng = np.random.default_rng(seed)
    y = np.arange(3200) % 2
    middles = 1.5 * np.column_stack([2 * y - 1, np.zeros(3200)])
    X, few = middles + rng.normal(size=(3200, 2)), np.where(np.arange(3200) < 800, y, -1)
    if strangers:
        X[800:] = [-1.5, 0.0] + 0.2 * rng.normal(size=(2400, 2))
    return X, few


def test_unlabelled_rows_that_hurt_held_out_labels_are_told():
    X, few = two_classes(0, strangers=True)
    with pytest.warns(UserWarning, match="2400 unlabelled rows hurt: held-out labels are predicted worse"):
        model = SemiSupervisedGenerative().fit(X, few)
    worth = unlabelled_worth(SemiSupervisedGenerative(model.density_), X, few)
    assert worth.verdict == "hurt"
    # Other folds and an earlier end of the trial fits: the size is the same, not the digits.
    assert model.label_gain_ == pytest.approx(worth.label_gain, rel=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SemiSupervisedGenerative().fit(*two_classes(0, strangers=False)).label_gain_ > -0.01
        assert np.isnan(SemiSupervisedGenerative(objective="supervised").fit(X, few).label_gain_)
        assert np.isnan(SemiSupervisedGenerative().fit(X[few >= 0], few[few >= 0]).label_gain_)
