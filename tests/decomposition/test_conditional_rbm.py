"""Conditional Boltzmann machines against sums over all hidden states, finite differences, and long chains."""

import warnings
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.datasets import make_coupled_oscillators
from treatise.decomposition import ConditionalDBN, ConditionalRBM, FactoredConditionalRBM, plot_generation
from treatise.decomposition.conditional_rbm._contrastive import Statistics
from treatise.decomposition.conditional_rbm._energy import (
    Layers,
    free_energy,
    free_energy_gradient,
    hidden_probabilities,
    log_partition,
    settle,
    visible_means,
)
from treatise.decomposition.conditional_rbm._factored_machine import FactoredMachine
from treatise.decomposition.conditional_rbm._frames import autoregression, windows_of
from treatise.decomposition.conditional_rbm._machine import ConditionalMachine

D, H, N = 3, 4, 2


def parameters(rng, scale=0.7, d=D, h=H):
    shapes = {"W": (d, h), "A": (N * d, d), "B": (N * d, h), "a": (d,), "b": (h,)}
    return {name: scale * rng.standard_normal(shape) for name, shape in shapes.items()}


def states(h):
    return np.array(list(product([0.0, 1.0], repeat=h)))


def energies(p, v, past, binary=False):
    """Energy of each hidden state (section 3.2), for one frame and its past."""
    a, b = p["a"] + past @ p["A"], p["b"] + past @ p["B"]
    own = -a @ v if binary else 0.5 * np.sum((v - a) ** 2)
    return np.array([own - v @ p["W"] @ h - b @ h for h in states(len(p["b"]))])


@pytest.mark.parametrize("binary", [False, True])
def test_free_energy_is_the_sum_over_all_hidden_states(binary):
    rng = np.random.default_rng(0)
    p = parameters(rng)
    past, v = rng.standard_normal((5, N * D)), rng.random((5, D))
    found = free_energy(ConditionalMachine(p, binary).layers(past, None), v)
    expected = [-np.log(np.exp(-energies(p, v[i], past[i], binary)).sum()) for i in range(5)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_conditional_chances_and_means_are_those_of_the_energy():
    rng = np.random.default_rng(1)
    p, past, v = parameters(rng), rng.standard_normal((1, N * D)), rng.standard_normal((1, D))
    layers = ConditionalMachine(p, False).layers(past, None)
    weights = np.exp(-energies(p, v[0], past[0]))
    np.testing.assert_allclose(hidden_probabilities(layers, v)[0], weights @ states(H) / weights.sum(), atol=1e-12)
    h = states(H)[11]
    grid = np.linspace(-20, 20, 4001)
    first = np.array([energies(p, np.array([x, 0.3, -0.2]), past[0])[11] for x in grid])
    mean = np.sum(grid * np.exp(-first)) / np.sum(np.exp(-first))
    assert visible_means(layers, h[np.newaxis])[0, 0] == pytest.approx(mean, abs=1e-9)


def test_density_integrates_to_one():
    rng = np.random.default_rng(2)
    p, past = parameters(rng, d=2, h=3), rng.standard_normal((1, 4))
    grid = np.linspace(-12, 12, 301)
    v = np.array(list(product(grid, grid)))
    layers = ConditionalMachine(p, False).layers(past, None)
    log_density = -free_energy(layers, v) - log_partition(layers, p["W"])
    assert np.exp(log_density).sum() * (grid[1] - grid[0]) ** 2 == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("binary", [False, True])
def test_gradient_of_the_free_energy_matches_differences(binary):
    rng = np.random.default_rng(3)
    layers = ConditionalMachine(parameters(rng), binary).layers(rng.standard_normal((4, N * D)), None)
    v, step = rng.standard_normal((4, D)), 1e-5
    differences = np.stack(
        [(free_energy(layers, v + step * e) - free_energy(layers, v - step * e)) / (2 * step) for e in np.eye(D)],
        axis=1,
    )
    np.testing.assert_allclose(free_energy_gradient(layers, v), differences, atol=1e-7)


def test_settling_never_raises_the_free_energy_and_ends_where_its_gradient_vanishes():
    rng = np.random.default_rng(4)
    layers = ConditionalMachine(parameters(rng), False).layers(rng.standard_normal((20, N * D)), None)
    v = rng.standard_normal((20, D))
    for _ in range(10):
        moved, _ = settle(layers, v, max_iter=1)
        assert (free_energy(layers, moved) <= free_energy(layers, v) + 1e-12).all()
        v = moved
    v, converged = settle(layers, v, tol=1e-10)
    assert converged and np.abs(free_energy_gradient(layers, v)).max() < 1e-8
    free = np.array([[True, False, True]] * 20)
    start = rng.standard_normal((20, D))
    held, _ = settle(layers, start, free, tol=1e-10)
    np.testing.assert_array_equal(held[:, 1], start[:, 1])
    assert np.abs(free_energy_gradient(layers, held)[free]).max() < 1e-8


def test_long_chains_give_the_gradient_of_the_exact_likelihood():
    rng = np.random.default_rng(5)
    p = parameters(rng, scale=0.5, d=2, h=3)
    past, v = np.tile(rng.standard_normal((1, 4)), (10_000, 1)), np.tile(rng.standard_normal((1, 2)), (10_000, 1))

    def likelihood(q):
        layers = ConditionalMachine(q, False).layers(past[:1], None)
        return float(-free_energy(layers, v[:1])[0] - log_partition(layers, q["W"])[0])

    machine = ConditionalMachine(p, False)
    layers = machine.layers(past, None)
    visible = v
    for _ in range(500):
        hidden = (rng.random((10_000, 3)) < hidden_probabilities(layers, visible)).astype(float)
        visible = visible_means(layers, hidden) + rng.standard_normal(v.shape)
    data, model = (Statistics(x, hidden_probabilities(layers, x)) for x in (v, visible))
    found = machine.gradients(data, model, past, None)
    exact, sampled = [], []
    for name in p:
        for index in np.ndindex(p[name].shape):
            q = {key: value.copy() for key, value in p.items()}
            q[name][index] += 1e-5
            up = likelihood(q)
            q[name][index] -= 2e-5
            exact.append((up - likelihood(q)) / 2e-5)
            sampled.append(found[name][index] / 10_000)
    exact, sampled = np.array(exact), np.array(sampled)
    assert exact @ sampled / np.linalg.norm(exact) / np.linalg.norm(sampled) > 0.99


def factored_parameters(rng, n_factors, tied, labels=True):
    shapes = {"Wv": (D, n_factors), "Wh": (H, n_factors), "Av": (D, n_factors), "Ap": (N * D, n_factors),
              "Bh": (H, n_factors), "Bp": (N * D, n_factors), "a": (D,), "b": (H,)}  # fmt: skip
    shapes |= {"Z": (2, n_factors)} if tied else dict.fromkeys(("Wz", "Az", "Bz"), (2, n_factors))
    shapes |= {"R": (3, 2)} if labels else {}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("labels", [True, False])
def test_gradients_of_the_factored_machine_match_differences_of_its_energy(tied, labels):
    rng = np.random.default_rng(6)
    p = factored_parameters(rng, 5, tied, labels)
    past = rng.standard_normal((6, N * D))
    style = np.eye(3)[rng.integers(0, 3, 6)] if labels else rng.standard_normal((6, 2))
    data, model = (Statistics(rng.standard_normal((6, D)), rng.random((6, H))) for _ in range(2))

    def harmony(q):
        """Minus the energy of the data, less that of the reconstruction."""
        layers = FactoredMachine(q).layers(past, style)
        sums = [
            -0.5 * np.square(s.visible - layers.visible_bias).sum()
            + np.sum(layers.up(s.visible) * s.hidden)
            + np.sum(layers.hidden_bias * s.hidden)
            for s in (data, model)
        ]
        return sums[0] - sums[1]

    found = FactoredMachine(p).gradients(data, model, past, style)
    assert found.keys() == p.keys()
    for name in p:
        for index in list(np.ndindex(p[name].shape))[::3]:
            q = {key: value.copy() for key, value in p.items()}
            q[name][index] += 1e-5
            up = harmony(q)
            q[name][index] -= 2e-5
            assert found[name][index] == pytest.approx((up - harmony(q)) / 2e-5, abs=1e-5), name


def test_factored_machine_with_one_constant_feature_is_the_plain_one():
    rng = np.random.default_rng(7)
    p = factored_parameters(rng, 9, tied=True, labels=False)
    p["Z"] = rng.standard_normal((1, 9))
    gate = p["Z"][0]
    plain = ConditionalMachine(
        {"W": (p["Wv"] * gate) @ p["Wh"].T, "A": (p["Ap"] * gate) @ p["Av"].T, "B": (p["Bp"] * gate) @ p["Bh"].T,
         "a": p["a"], "b": p["b"]}, False,
    )  # fmt: skip
    past, v, h = rng.standard_normal((5, N * D)), rng.standard_normal((5, D)), rng.random((5, H))
    ours, theirs = FactoredMachine(p).layers(past, np.ones((5, 1))), plain.layers(past, None)
    np.testing.assert_allclose(hidden_probabilities(ours, v), hidden_probabilities(theirs, v), atol=1e-10)
    np.testing.assert_allclose(visible_means(ours, h), visible_means(theirs, h), atol=1e-10)
    np.testing.assert_allclose(free_energy(ours, v), free_energy(theirs, v), atol=1e-10)


# Learning


@pytest.fixture(scope="module")
def oscillators():
    X = make_coupled_oscillators(6000, random_state=0)
    return X[:5000], X[5000:]


def test_learning_as_in_the_paper_raises_the_exact_likelihood_of_later_frames(oscillators):
    train, test = oscillators
    model = ConditionalRBM(10, random_state=0)
    found = []
    for epochs in (1, 19, 80):
        model.partial_fit([train], n_epochs=epochs)
        found.append(model.log_likelihood([test]).mean())
    assert found[0] < found[1] < found[2] and found[2] > -9.8
    assert len(model.errors_) == 100 and model.converged_
    # No machine of unit variance is above this.
    assert found[2] < -5 * np.log(2 * np.pi)


def test_a_start_from_least_squares_predicts_the_next_frame_as_well_from_the_beginning(oscillators):
    train, test = oscillators
    model = ConditionalRBM(10, ar_init="least_squares", n_epochs=20, random_state=0).fit([train])
    weights, constant = autoregression(windows_of([train], 3))
    ahead = windows_of([test], 3)
    least_squares = np.square(ahead.past() @ weights + constant - ahead.present()).mean()
    assert -model.score([test]) < 1.05 * least_squares
    assert model.log_likelihood([test]).mean() > -9.25


def test_the_default_predicts_better_than_least_squares_from_a_few_frames_ahead_on(oscillators):
    train, test = oscillators
    machine, linear = (
        ConditionalRBM(30, order=6, ar_init=start, n_epochs=epochs, random_state=0).fit([train])
        for start, epochs in (("random", "auto"), ("least_squares", 1))
    )
    assert len(machine.errors_) == 120  # 6000 mini-batches
    starts = range(10, 960, 40)
    errors = np.array([[np.square(m.predict(test[:s], 10) - test[s : s + 10]).mean(axis=1) for s in starts]
                       for m in (machine, linear)]).mean(axis=1)  # fmt: skip
    assert errors[0, 0] > errors[1, 0]
    assert errors[0, 9] < 0.7 * errors[1, 9]


def test_generation_stays_bounded_is_repeatable_and_moves_like_the_data(oscillators):
    train, test = oscillators
    model = ConditionalRBM(10, random_state=0).fit([train])
    made = model.sample(test[:10], 1000, random_state=1)
    assert np.abs(made).max() < 6 and 0.5 < made.std() < 1.5
    np.testing.assert_array_equal(model.sample(test[:10], 20, random_state=1), made[:20])
    assert not np.array_equal(model.sample(test[:10], 20, random_state=2), made[:20])


def test_without_hidden_weights_the_machine_is_an_autoregression(oscillators):
    train, test = oscillators
    model = ConditionalRBM(5, n_epochs=1, random_state=0).fit([train])
    model.W_[:], model.B_[:], model.b_[:] = 0.0, 0.0, 0.0
    standard = (test[:3] - model.mean_) / model.scale_
    expected = (model.a_ + standard.ravel() @ model.A_) * model.scale_ + model.mean_
    np.testing.assert_allclose(model.predict(test[:3])[0], expected, atol=1e-12)
    np.testing.assert_array_equal(model.transform([test])[0], np.full((997, 5), 0.5))


def test_missing_values_are_filled_in_at_the_least_free_energy(oscillators):
    train, test = oscillators
    model = ConditionalRBM(10, random_state=0).fit([train])
    gappy = test[:60].copy()
    gappy[20:40, 4] = np.nan
    gappy[30, :] = np.nan
    filled = model.impute(gappy)
    known = ~np.isnan(gappy)
    np.testing.assert_array_equal(filled[known], gappy[known])
    assert np.abs(filled - test[:60])[20:40, 4].mean() < 0.2
    windows = windows_of([(filled - model.mean_) / model.scale_], 3)
    slope = free_energy_gradient(model._layers_of(windows), windows.present())
    assert np.abs(slope[~known[3:]]).max() < 1e-5


def test_windows_never_cross_from_one_sequence_to_the_next():
    parts = [np.arange(10.0).reshape(5, 2), 100 + np.arange(4.0).reshape(2, 2), 200 + np.arange(8.0).reshape(4, 2)]
    with pytest.warns(UserWarning, match="1 of 3 sequences have fewer than the 3 frames"):
        windows = windows_of(parts, 2)
    np.testing.assert_array_equal(windows.sequence_of, [0, 0, 0, 2, 2])
    np.testing.assert_array_equal(windows.past()[3], parts[2][:2].ravel())
    np.testing.assert_array_equal(windows.present(), np.vstack([parts[0][2:], parts[2][2:]]))


def test_units_and_origin_of_columns_change_answers_only_by_themselves(oscillators):
    train, test = oscillators[0][:500], oscillators[1][:20]
    unit, origin = np.array([1e-3, 1e4, *[1.0] * 8]), np.array([5.0, -1e4, *[0.0] * 8])
    plain, moved = (ConditionalRBM(5, n_epochs=5, random_state=0).fit([X]) for X in (train, train * unit + origin))
    # Learning is in single precision.
    np.testing.assert_allclose(
        moved.predict(test * unit + origin, 3), plain.predict(test, 3) * unit + origin, rtol=1e-3
    )
    np.testing.assert_allclose(moved.score([test * unit + origin]), plain.score([test]), rtol=1e-3)


def test_labels_bias_hidden_units_and_sparsity_lowers_their_activity():
    sequences = [make_coupled_oscillators(300, 4, random_state=seed) for seed in range(2)]
    model = ConditionalRBM(8, n_epochs=10, random_state=0).fit(sequences, ["slow", "fast"])
    assert model.L_.shape == (2, 8)
    pasts = sequences[0][:10]
    assert not np.allclose(model.predict(pasts, label="slow"), model.predict(pasts, label="fast"))
    with pytest.raises(ValueError, match="label='brisk' must be one of"):
        model.predict(pasts, label="brisk")
    quiet = ConditionalRBM(8, n_epochs=60, learning_rate=1e-2, sparsity_target=0.1, sparsity_cost=1.0, random_state=0)
    loud = ConditionalRBM(8, n_epochs=60, learning_rate=1e-2, random_state=0)
    on = [np.mean(m.fit(sequences).transform(sequences)[0]) for m in (quiet, loud)]
    assert on[0] < 0.2 < on[1]


def test_styles_turn_the_motion_and_can_be_changed_midway():
    time = np.arange(600)
    slow, fast = (np.column_stack([np.sin(time / t), np.cos(time / t)]) for t in (20.0, 5.0))
    model = FactoredConditionalRBM(10, n_factors=10, order=1, ar_learning_rate=1e-3, random_state=0)
    model.fit([slow, fast], ["slow", "fast"])

    def speed(frames):
        return np.median(np.abs(np.diff(np.unwrap(np.arctan2(frames[:, 0], frames[:, 1])))))

    ahead = {style: model.predict(start[:50], 40, style=style) for style, start in (("slow", slow), ("fast", fast))}
    assert speed(ahead["fast"]) > 2 * speed(ahead["slow"])
    gated = -model.score([slow, fast], ["slow", "fast"])
    wrong = -model.score([slow, fast], ["fast", "slow"])
    plain = ConditionalRBM(10, order=1, ar_learning_rate=1e-3, random_state=0).fit([slow, fast])
    assert gated < 0.5 * wrong and gated < -plain.score([slow, fast])
    shares = np.column_stack([np.linspace(1, 0, 30), np.linspace(0, 1, 30)])
    assert model.sample(slow[:10], 30, style=shares).shape == (30, 2)
    np.testing.assert_allclose(model.predict(slow[:10], 2, style=[0.0, 1.0]), model.predict(slow[:10], 2, style="slow"))
    with pytest.raises(ValueError, match="style has 2 rows"):
        model.predict(slow[:10], 3, style=shares[:2])
    with pytest.raises(ValueError, match="style='brisk' must be one of"):
        model.predict(slow[:10], 3, style="brisk")


def test_real_valued_styles_are_used_as_they_are_beside_a_constant():
    sequences = [make_coupled_oscillators(200, 4, random_state=seed) for seed in range(3)]
    model = FactoredConditionalRBM(6, n_factors=8, n_epochs=5, tie_features=False, random_state=0)
    model.fit(sequences, [[0.0], [1.0], [2.0]])
    assert model.R_ is None and model.Wz_.shape == (2, 8)
    assert np.isfinite(model.predict(sequences[0][:5], 4, style=[0.5])).all()
    with pytest.raises(ValueError, match=r"a style of shape \(2,\) does not fit; 1 finite"):
        model.predict(sequences[0][:5], style=[0.5, 1.0])


def test_stack_learns_level_by_level_and_generates_from_the_top():
    X = make_coupled_oscillators(1500, 6, random_state=0)
    model = ConditionalDBN((12, 6), order=2, n_epochs=20, random_state=0).fit([X])
    first, second = model.machines_
    hidden = first.transform([X])
    again = ConditionalRBM(**second.get_params()).fit(hidden)
    np.testing.assert_array_equal(second.W_, again.W_)
    np.testing.assert_array_equal(model.transform([X])[0], second.transform(hidden)[0])
    made = model.sample(X[:10], 200, random_state=0)
    assert made.shape == (200, 6) and np.abs(made).max() < 6
    np.testing.assert_array_equal(model.sample(X[:10], 5, random_state=0), made[:5])
    # By hand: the most likely hidden frame of the top, then its mean one level down.
    likely = second.predict(hidden[0][:8])
    np.testing.assert_allclose(model.predict(X[:10]), first.frame_of(X[:10], likely), atol=1e-12)
    with pytest.raises(ValueError, match="past has 3 frames; 2 levels of order 2 need 4"):
        model.sample(X[:3])


# Bad input and what goes wrong


def test_steps_that_are_too_long_are_told():
    X = make_coupled_oscillators(400, 5, random_state=0)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="learning diverged in pass"):
        ConditionalRBM(20, learning_rate=10.0, ar_learning_rate=1.0, random_state=0).fit([X])
    with pytest.warns(ConvergenceWarning, match="reconstructions got worse"):
        model = ConditionalRBM(20, ar_init="least_squares", learning_rate=0.5, n_epochs=20, random_state=0).fit([X])
    assert model.converged_ is False


def test_few_frames_and_repeated_columns_give_finite_machines():
    X = make_coupled_oscillators(30, 3, random_state=0)
    poor = np.column_stack([X, X, np.ones(30)])
    model = ConditionalRBM(50, order=5, n_epochs=5, random_state=0).fit([poor])
    assert np.isfinite(model.predict(poor, 10)).all()
    np.testing.assert_allclose(model.predict(poor, 3)[:, -1], 1.0, atol=0.2)


def test_bad_input_is_refused_with_a_reason():
    X = make_coupled_oscillators(50, 3, random_state=0)
    model = ConditionalRBM(3, n_epochs=1, random_state=0).fit([X])
    with pytest.raises(ValueError, match="sequences is empty"):
        ConditionalRBM().fit([])
    with pytest.raises(ValueError, match="1 dimensions; each sequence must be"):
        ConditionalRBM().fit([1.0, 2.0] and [[1.0, 2.0]])
    with pytest.raises(ValueError, match="NaN"):
        ConditionalRBM().fit([np.where(X > 1, np.nan, X)])
    with pytest.raises(ValueError, match="sequence 1 has 2 columns; 3 are expected"):
        ConditionalRBM().fit([X, X[:, :2]])
    with pytest.raises(ValueError, match="no sequence has the 61 frames that order=60 needs; the longest has 50"):
        ConditionalRBM(order=60).fit([X])
    with pytest.raises(ValueError, match="past has 2 frames; order=3"):
        model.predict(X[:2])
    with pytest.raises(ValueError, match="the first 3 frames have missing values"):
        model.impute(np.full((5, 3), np.nan))
    with pytest.raises(ValueError, match="at most 20 of them, not visible='gaussian' and 30"):
        ConditionalRBM(30, n_epochs=1).fit([X]).log_likelihood([X])
    with pytest.raises(ValueError, match="takes values from 0 to 1"):
        ConditionalRBM(visible="binary").fit([X])
    with pytest.raises(ValueError, match="fitted without labels"):
        model.transform([X], ["a"])
    with pytest.raises(ValueError, match="styles has 2 entries; there are 1"):
        FactoredConditionalRBM().fit([X], ["a", "b"])
    with pytest.raises(ValueError, match="has no level"):
        ConditionalDBN(()).fit([X])


def test_a_penalty_that_predicts_later_pieces_best_is_chosen():
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.standard_normal((60, 12)), axis=0) / 5
    windows = windows_of([X], 4)
    chosen, _ = autoregression(windows)
    free, _ = autoregression(windows, 1e-12)
    assert np.linalg.norm(chosen) < 0.5 * np.linalg.norm(free)
    exact = np.linalg.lstsq(np.c_[windows.past(), np.ones(56)], windows.present(), rcond=None)[0][:-1]
    np.testing.assert_allclose(free, exact, atol=1e-6 * np.abs(exact).max() * 100)


def test_picture_shows_past_future_and_hidden_units():
    X = make_coupled_oscillators(80, 4, random_state=0)
    model = ConditionalRBM(6, n_epochs=2, random_state=0).fit([X])
    made = model.sample(X[:40], 20)
    panels = plot_generation(X[:40], made, truth=X[40:60], columns=[0, 2], hidden=model.transform([X])[0])
    assert len(panels) == 3 and len(panels[0].lines) == 4
    assert panels[2].images[0].get_array().shape == (6, 77)
    with pytest.raises(ValueError, match=r"columns=\[7\] must be from 0 to 3"):
        plot_generation(X[:40], made, columns=[7])


def test_binary_frames_are_modelled_as_chances():
    rng = np.random.default_rng(0)
    turns = (np.arange(2000)[:, np.newaxis] // 5 + np.arange(4)) % 4 == 0
    X = np.where(rng.random(turns.shape) < 0.02, ~turns, turns).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ConditionalRBM(10, order=6, visible="binary", learning_rate=0.02, ar_learning_rate=0.1, random_state=0)
        model.set_params(n_epochs=200).fit([X])
    ahead = np.array([model.predict(X[t - 6 : t])[0] for t in range(1000, 1100)])
    assert ahead.min() >= 0 and ahead.max() <= 1
    as_before = np.mean(X[999:1099] == X[1000:1100])
    assert np.mean((ahead > 0.5) == X[1000:1100]) > as_before + 0.03
    assert isinstance(model._layers_of(windows_of([X], 6)), Layers)
