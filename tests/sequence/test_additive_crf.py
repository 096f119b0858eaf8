"""Additive conditional random fields: smoothing, backfitting and boosting, probabilities, curves, files, bad input."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from treatise.datasets import ADDITIVE_CURVES, make_additive_chain, make_interleaved_emissions
from treatise.inference import Chains
from treatise.io import load_model, save_model
from treatise.sequence import CRF, AdditiveCRF, plot_additive_features, plot_label_transitions
from treatise.sequence.additive_crf._loops import backfit, epanechnikov_sums
from treatise.sequence.additive_crf._training import Columns, Training

METHODS = ["backfit", "boost"]


def kernel_matrix(at, points, bandwidth):
    return np.maximum(0.0, 1 - ((np.asarray(at)[:, None] - points) / bandwidth) ** 2)


def wavy(n=12, length=30, K=3, seed=0):
    """Sequences of two columns whose labels follow waves of the first and stay for a while."""
    rng = np.random.default_rng(seed)
    sequences, labels = [], []
    for _ in range(n):
        x = rng.uniform(-2, 2, (length, 2))
        scores = np.column_stack([np.sin(2 * x[:, 0] + 2 * k) + (k == 1) * x[:, 1] ** 2 / 2 for k in range(K)])
        y = Chains(2 * scores, np.log(3) * np.eye(K)).sample(random_state=int(rng.integers(1000)))[0]
        sequences.append(x)
        labels.append([f"label {k}" for k in y])
    return sequences, labels


@pytest.mark.parametrize("bandwidth", [0.01, 0.3, 100.0])
def test_kernel_sums_are_those_of_the_dense_matrix(bandwidth):
    rng = np.random.default_rng(0)
    knots = np.unique(np.concatenate([rng.normal(size=300), 50 + rng.normal(size=50), [1e4]]))
    mass = rng.normal(size=len(knots))
    found = np.empty(len(knots))
    epanechnikov_sums(knots, bandwidth, mass, found)
    # Windows of some hundred numbers of size one; 1e-11 is ten thousand rounding errors.
    np.testing.assert_allclose(found, kernel_matrix(knots, knots, bandwidth) @ mass, atol=1e-11)


def test_backfitting_is_that_of_dense_weighted_smoothers():
    rng = np.random.default_rng(1)
    T, bandwidths = 80, np.array([0.5, 0.8])
    # Rounded numbers, so that some values occur several times.
    rows = np.round(rng.normal(size=(T, 2)), 1)
    weight, gradient = rng.uniform(0.05, 0.25, T), rng.normal(size=T)
    columns = Columns(rows, bandwidths)
    curves = 0.1 * rng.normal(size=len(columns.knots))
    for own in (slice(0, columns.first[1]), slice(columns.first[1], None)):
        curves[own] -= np.average(curves[own], weights=columns.counts[own])
    start = columns.at_positions(curves[np.newaxis])[:, 0]
    response = start + gradient / weight
    m = [curves[columns.first[j] + columns.codes[j]] for j in range(2)]
    offset = 0.0
    for _ in range(3):
        offset += np.average(response - offset - m[0] - m[1], weights=weight)
        for j in range(2):
            K = kernel_matrix(rows[:, j], rows[:, j], bandwidths[j])
            smooth = K @ (weight * (response - offset - m[1 - j])) / (K @ weight)
            offset += smooth.mean()
            m[j] = smooth - smooth.mean()
    found = backfit(
        columns.codes, columns.first, columns.counts, columns.knots, bandwidths, gradient, weight, curves, 0.0, 3, 0.0
    )
    assert found == pytest.approx(offset, abs=1e-10)
    for j in range(2):
        np.testing.assert_allclose(curves[columns.first[j] + columns.codes[j]], m[j], atol=1e-10)


def test_smoothing_time_steps_first_and_then_across_them_is_one_smooth_over_all_positions():
    """Figures 11.2 and 11.3 smooth at every time step and add up, weighted by densities."""
    rng = np.random.default_rng(2)
    n, T, h = 7, 5, 0.9
    x, value = rng.normal(size=(n, T)), rng.normal(size=(n, T))
    columns = Columns(x.reshape(-1, 1), np.array([h]))
    at = columns.knots
    in_two_stages = np.zeros(len(at))
    for t in range(T):
        K = kernel_matrix(at, x[:, t], h)
        density, near = K.mean(axis=1), K.sum(axis=1)
        mean = np.divide(K @ value[:, t], near, out=np.zeros(len(at)), where=near > 0)
        in_two_stages += density * mean
    np.testing.assert_allclose(columns.smoothed(0, value.reshape(-1, 1))[0] / n, in_two_stages, atol=1e-12)


def single_steps(seed, n=300):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-1.5 * np.sin(2 * x)))).astype(int)
    return x, y


def local_scoring(x, y, bandwidth, rounds, exact_offset):
    """The logistic additive model of section 10.1 with one column, by dense matrices."""
    K = kernel_matrix(x, x, bandwidth)
    m, b = np.zeros(len(x)), 0.0
    for _ in range(rounds):
        for _ in range(50 if exact_offset else 0):
            p = 1 / (1 + np.exp(-b - m))
            b += np.sum(y - p) / np.sum(p * (1 - p))
        p = 1 / (1 + np.exp(-b - m))
        w = p * (1 - p)
        z = m + b + (y - p) / w
        b = np.average(z - m, weights=w)
        smooth = K @ (w * (z - b)) / (K @ w)
        m, b = smooth - smooth.mean(), b + smooth.mean()
    return m


@pytest.mark.parametrize("seed", range(3))
def test_sequences_of_one_position_give_the_logistic_additive_model(seed):
    x, y = single_steps(seed)
    sequences, labels = [[[value]] for value in x], [[int(label)] for label in y]
    for rounds in (1, 2):
        crf = AdditiveCRF(bandwidth=0.5, max_iter=rounds, tol=0.0).fit(sequences, labels)
        # Within these rounds no step is damped; the intercept comes from a few steps of L-BFGS.
        np.testing.assert_allclose(
            crf.component(0, x)[:, 1], local_scoring(x, y, 0.5, rounds, exact_offset=True), atol=2e-4
        )
        np.testing.assert_array_equal(crf.transitions_, 0.0)
    # Local scoring itself goes on to a fixed point of a little less likelihood, which damping refuses.
    crf = AdditiveCRF(bandwidth=0.5, max_iter=60, tol=0.0).fit(sequences, labels)
    np.testing.assert_allclose(crf.component(0, x)[:, 1], local_scoring(x, y, 0.5, 100, False), atol=0.05)


@pytest.mark.parametrize("K", [2, 3])
def test_probabilities_are_those_of_the_shown_curves(K):
    sequences, labels = wavy(K=K)
    crf = AdditiveCRF().fit(sequences, labels)
    x = np.random.default_rng(3).uniform(-3, 3, (4, 2))
    scores = crf.intercept_ + sum(
        np.column_stack([np.interp(x[:, j], crf.knots_[j], curve) for curve in crf.curves_[j].T]) for j in range(2)
    )
    paths = np.array(list(itertools.product(range(K), repeat=4)))
    values = scores[np.arange(4), paths].sum(axis=1) + crf.transitions_[paths[:, :-1], paths[:, 1:]].sum(axis=1)
    log_p = values - np.logaddexp.reduce(values)
    assert crf.predict([x]) == [crf.classes_[paths[np.argmax(log_p)]].tolist()]
    found = crf.log_probability([x, x[:1]], [crf.classes_[paths[5]].tolist(), [crf.classes_[0]]])
    assert found[0] == pytest.approx(log_p[5], abs=1e-10)
    assert found[1] == pytest.approx(scores[0, 0] - np.logaddexp.reduce(scores[0]), abs=1e-10)
    [marginals] = crf.predict_marginals([x])
    for t, k in itertools.product(range(4), range(K)):
        assert marginals[t, k] == pytest.approx(np.exp(log_p[paths[:, t] == k]).sum(), abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("K", [2, 3])
def test_the_objective_never_rises_and_is_the_penalised_likelihood(method, K):
    sequences, labels = wavy(K=K)
    crf = AdditiveCRF(method, l2_transition=0.5, max_iter=15, tol=0.0).fit(sequences, labels)
    assert np.all(np.diff(crf.objective_path_) <= 0) and crf.objective_path_[-1] < 0.9 * crf.objective_path_[0]
    loss = -crf.log_probability(sequences, labels).sum() + 0.25 * np.sum(crf.transitions_**2)
    assert crf.objective_path_[-1] == pytest.approx(loss, rel=1e-9)
    assert len(crf.objective_path_) == crf.n_iter_ + 1


@pytest.mark.parametrize("method", METHODS)
def test_a_single_round_moves_along_the_gradient_of_the_likelihood(method):
    """The loss changes as the positions' gradients say, along the move that the round makes."""
    sequences, labels = wavy(n=6, K=3)
    codes = np.array([int(label[-1]) for each in labels for label in each])
    rows = np.concatenate(sequences)
    training = Training(codes, [len(each) for each in labels], 3, Columns(rows, np.array([0.5, 0.5])), 0.01)
    model = training.start()
    moved = training.backfitted(model) if method == "backfit" else training.boosted(model, 0.1)
    along = training.columns.at_positions(moved.curves - model.curves)
    slope = np.sum((model.probabilities - training.indicators) * along)
    eps = 1e-6
    shifted = [training.damped(model, sign * eps * (moved.curves - model.curves), 0.0) for sign in (1, -1)]
    # The backward step is refused, since it raises the loss: one-sided, with an error of the order of eps.
    assert shifted[1] is model
    assert (shifted[0].objective - model.objective) / eps == pytest.approx(slope, rel=1e-3)
    assert slope < 0


def test_transitions_and_intercepts_match_the_counts_of_training():
    sequences, labels = wavy(K=3)
    crf = AdditiveCRF(l2_transition=0.5).fit(sequences, labels)
    # Columns of transitions average to zero, so that their penalty leaves the counts of labels alone.
    np.testing.assert_allclose(crf.transitions_.mean(axis=0), 0.0, atol=1e-12)
    expected = sum(each.sum(axis=0) for each in crf.predict_marginals(sequences))
    seen = [sum(each.count(label) for each in labels) for label in crf.classes_]
    # A few steps of L-BFGS each round: hundredths of a count in hundreds.
    np.testing.assert_allclose(expected, seen, atol=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_interleaved_emissions_are_told_apart_where_straight_features_fail(seed):
    x, y = make_interleaved_emissions(500, random_state=seed)
    held_x, held_y = make_interleaved_emissions(5000, random_state=100 + seed)
    straight = CRF().fit([x], [y.tolist()])
    assert 1 - straight.score([held_x], [held_y.tolist()]) > 0.25
    for method in METHODS:
        crf = AdditiveCRF(method, bandwidth=0.25).fit([x], [y.tolist()])
        assert 1 - crf.score([held_x], [held_y.tolist()]) <= 0.04


@pytest.mark.parametrize("method", METHODS)
def test_known_curves_and_transitions_are_recovered(method):
    x, y = make_additive_chain(5000, random_state=0)
    crf = AdditiveCRF(method, bandwidth=0.25).fit([x], [y])
    for j, curve in enumerate(ADDITIVE_CURVES):
        here, true = crf.component(j, x[:, j])[:, 1], curve(x[:, j])
        assert np.sqrt(np.mean((here - true + true.mean()) ** 2)) <= 0.35
    moves = crf.transitions_
    # Only this contrast is determined, the rest may lie in the intercept; its standard error is about 0.08.
    assert moves[0, 0] + moves[1, 1] - moves[0, 1] - moves[1, 0] == pytest.approx(2 * np.log(3), abs=0.35)


def test_curves_are_centred_and_cancel_over_labels():
    sequences, labels = wavy(K=3)
    crf = AdditiveCRF().fit(sequences, labels)
    rows = np.concatenate(sequences)
    for j in range(2):
        np.testing.assert_allclose(crf.component(j, rows[:, j]).mean(axis=0), 0.0, atol=1e-10)
        np.testing.assert_allclose(crf.curves_[j].sum(axis=1), 0.0, atol=1e-10)
    two = AdditiveCRF().fit(*wavy(K=2))
    assert all(np.all(curves[:, 0] == 0) for curves in two.curves_)


@pytest.mark.parametrize("method", METHODS)
def test_names_of_labels_and_units_of_columns_do_not_matter(method):
    sequences, labels = wavy(n=4, K=2)
    crf = AdditiveCRF(method, max_iter=5, tol=0.0).fit(sequences, labels)
    renamed = [[{"label 0": "z", "label 1": "a"}[label] for label in each] for each in labels]
    scaled = [40 * x - 3 for x in sequences]
    swapped = AdditiveCRF(method, max_iter=5, tol=0.0).fit(scaled, renamed)
    for ours, theirs in zip(crf.predict_marginals(sequences), swapped.predict_marginals(scaled)):
        # L-BFGS takes other steps for swapped labels, to the same end within its tolerance.
        np.testing.assert_allclose(ours, theirs[:, ::-1], atol=2e-3)


def test_a_constant_column_has_a_flat_curve_and_values_beyond_training_the_last_ones():
    x, y = make_interleaved_emissions(300, random_state=0)
    both = np.hstack([x, np.full_like(x, 7.0)])
    crf = AdditiveCRF().fit([both], [y])
    np.testing.assert_allclose(crf.component(1, [7.0, 8.0]), 0.0, atol=1e-12)
    alone = AdditiveCRF().fit([x], [y])
    # A constant column acts as a second offset, with which the cycles settle at slightly different places.
    np.testing.assert_allclose(crf.curves_[0], alone.curves_[0], atol=0.01)
    ends = alone.component(0, [x.min(), x.max()])
    np.testing.assert_array_equal(alone.component(0, [-1e9, 1e9]), ends)


def test_one_label_plain_numbers_and_given_bandwidths():
    crf = AdditiveCRF().fit([[1.0, 2.0, 3.0], [4.0]], [["a"] * 3, ["a"]])
    assert crf.predict([[9.0, 9.0]]) == [["a", "a"]] and crf.log_probability([[1.0]], [["a"]])[0] == 0
    sequences, labels = wavy(n=3, K=2)
    crf = AdditiveCRF(bandwidth=[0.3, 2.0]).fit(sequences, labels)
    np.testing.assert_array_equal(crf.bandwidths_, [0.3, 2.0])
    rows = np.concatenate(sequences)
    plugin = AdditiveCRF().fit(sequences, labels).bandwidths_
    np.testing.assert_allclose(plugin, rows.std(axis=0) * len(rows) ** -0.2)


def test_a_wider_kernel_gives_flatter_curves():
    x, y = make_interleaved_emissions(300, random_state=1)
    lengths = [
        np.abs(np.diff(AdditiveCRF(bandwidth=h).fit([x], [y]).curves_[0][:, 1])).sum() for h in (0.25, 1.0, 20.0)
    ]
    assert lengths[0] > lengths[1] > lengths[2]


@pytest.mark.parametrize("method", METHODS)
def test_models_are_saved_cloned_and_pickled(method, tmp_path):
    sequences, labels = wavy(n=4, K=3)
    crf = AdditiveCRF(method, bandwidth=0.4, max_iter=3).fit(sequences, labels)
    save_model(crf, tmp_path / "additive.skops")
    for copy in (load_model(tmp_path / "additive.skops").model, pickle.loads(pickle.dumps(crf))):
        for ours, theirs in zip(crf.predict_marginals(sequences), copy.predict_marginals(sequences)):
            np.testing.assert_array_equal(ours, theirs)
    again = clone(crf)
    assert again.get_params() == crf.get_params() and not hasattr(again, "classes_")
    np.testing.assert_array_equal(again.fit(sequences, labels).objective_path_, crf.objective_path_)


def test_curves_and_transitions_are_drawn():
    from matplotlib.figure import Figure

    sequences, labels = wavy(n=4, K=3)
    crf = AdditiveCRF(max_iter=2).fit(sequences, labels)
    panels = plot_additive_features(crf)
    assert len(panels) == 2 and [line.get_label() for line in panels[1].lines[:3]] == crf.classes_.tolist()
    np.testing.assert_array_equal(panels[0].lines[0].get_ydata(), crf.curves_[0][:, 0])
    ax = Figure().subplots()
    two = AdditiveCRF(max_iter=2).fit(*wavy(n=4, K=2))
    assert plot_additive_features(two, 1, ax=ax) is ax
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), two.curves_[1][:, 1])
    assert ax.get_ylabel() == "score of label 1"
    with pytest.raises(ValueError, match="ax holds 1 axes; this plot has 2 panels"):
        plot_additive_features(crf, ax=ax)
    with pytest.raises(ValueError, match="there is no column 2"):
        plot_additive_features(crf, [0, 2])
    image = plot_label_transitions(crf, ax=Figure().subplots()).images[0]
    np.testing.assert_allclose(image.get_array(), crf.transitions_)


def test_bad_input_is_named():
    x, y = [[0.0, 1.0], [1.0, 2.0]], ["a", "b"]
    fit = AdditiveCRF().fit
    with pytest.raises(ValueError, match="give a list of them"):
        fit(np.zeros((3, 2)), [["a"] * 3])
    with pytest.raises(ValueError, match="NaN or infinite"):
        fit([[[0.0], [np.nan]]], [y])
    with pytest.raises(ValueError, match="all must have the same number"):
        fit([x, [[1.0]]], [y, ["a"]])
    with pytest.raises(ValueError, match="2 positions and 1 labels"):
        fit([x], [["a"]])
    with pytest.raises(ValueError, match="at least one sequence"):
        fit([], [])
    with pytest.raises(ValueError, match=r"sequences\[1\] is empty"):
        fit([x, np.zeros((0, 2))], [y, []])
    with pytest.raises(ValueError, match="no columns"):
        fit([np.zeros((2, 0))], [y])
    for bandwidth in ([0.1, 0.2, 0.3], [0.1, -1.0]):
        with pytest.raises(ValueError, match="one for each of 2 columns"):
            AdditiveCRF(bandwidth=bandwidth).fit([x], [y])
    with pytest.raises(ValueError, match="'bandwidth' parameter"):
        AdditiveCRF(bandwidth=0.0).fit([x], [y])
    crf = fit([x], [y])
    with pytest.raises(ValueError, match="fitted to 2"):
        crf.predict([[[1.0]]])
    with pytest.raises(ValueError, match="there is no column 2"):
        crf.component(2, [0.0])
    with pytest.raises(ValueError, match="'c' did not occur"):
        crf.log_probability([x], [["a", "c"]])
