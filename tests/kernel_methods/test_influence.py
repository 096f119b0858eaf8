"""Influence against refits with a little more weight, exact leave-one-out and the paper's bounds."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from treatise.kernel_methods import (
    InfluenceFunction,
    KernelMachineClassifier,
    KernelMachineRegressor,
    influence_bound,
    plot_influence,
    robustness_bound,
    sensitivity_curve,
)

SMOOTH = ["logistic", "exponential", "squared_hinge", "modified_huber", "squared"]


def simulated(n, seed=0):
    """The paper's Section 6: correlated normals and logistic classes."""
    generator = np.random.RandomState(seed)
    X = generator.randn(n, 2) @ np.linalg.cholesky([[1.0, 0.5], [0.5, 1.0]]).T
    p = 1 / (1 + np.exp(-(X @ [-1.0, 1.0] + 0.5)))
    return X, np.where(generator.rand(n) < p, 1.0, -1.0)


def machine_of(**options):
    return KernelMachineClassifier(0.01, gamma=0.25, tol=1e-13, **options)


def test_influence_of_a_far_point_has_the_known_size():
    X, y = simulated(60)
    machine = machine_of(unpenalized=None).fit(X, y)
    influence = InfluenceFunction(machine, X, y).at([[6.0, 6.0]], [1.0])
    assert influence.norms[0] == pytest.approx(25.01888, abs=1e-4)
    block = machine.kernel_([[6.0, 6.0]], X)
    own = (influence.coef @ block.T)[0, 0] + influence.own_coef[0]
    assert own == pytest.approx(24.99744, abs=1e-4)


@pytest.mark.parametrize("unpenalized", [None, "constant"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_influence_is_the_derivative_of_a_refit(loss, unpenalized):
    X, y = simulated(60)
    machine = machine_of(loss=loss, unpenalized=unpenalized).fit(X, y)
    z, label = np.array([[1.0, -2.0]]), 1.0
    influence = InfluenceFunction(machine, X, y).at(z, [label])
    eps = 1e-6
    weights = np.append(np.full(60, (1 - eps) / 60), eps)
    moved = machine_of(loss=loss, unpenalized=unpenalized).fit(
        np.vstack([X, z]), np.append(y, label), sample_weight=weights * 61
    )
    difference = (moved.decision_function(X) - machine.decision_function(X)) / eps
    # First-order: the step is 1e-6, and rounding of the fits over it about 1e-6 as well.
    np.testing.assert_allclose(influence.scores[0], difference, atol=2e-4 * np.abs(difference).max())
    if unpenalized:
        slope = (moved.unpenalized_coef_[0] - machine.unpenalized_coef_[0]) / eps
        assert influence.offsets[0] == pytest.approx(slope, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("unpenalized", [None, "constant"])
def test_mean_influence_over_the_training_objects_is_zero(unpenalized):
    X, y = simulated(80, 1)
    training = InfluenceFunction(machine_of(unpenalized=unpenalized).fit(X, y), X, y).training()
    np.testing.assert_allclose(training.scores.mean(axis=0), 0, atol=1e-8)
    again = InfluenceFunction(machine_of(unpenalized=unpenalized).fit(X, y), X, y).at(X[:3], y[:3])
    np.testing.assert_allclose(again.norms, training.norms[:3], rtol=1e-9)


def test_leave_one_out_scores_follow_the_exact_ones():
    X, y = simulated(100, 2)
    approximate = InfluenceFunction(machine_of().fit(X, y), X, y).leave_one_out()
    exact = np.empty(100)
    for i in range(100):
        rest = np.arange(100) != i
        exact[i] = machine_of().fit(X[rest], y[rest]).decision_function(X[i : i + 1])[0]
    assert np.corrcoef(approximate, exact)[0, 1] > 0.999


def test_sensitivity_curve_approaches_the_influence():
    X, y = simulated(1200, 3)
    machine = KernelMachineClassifier(0.01, gamma=0.25, tol=1e-12)
    z = np.array([2.0, -1.0])
    at = X[:20]
    curve = sensitivity_curve(machine, X, y, z, 1.0, at)
    fitted = machine.fit(X, y)
    influence = InfluenceFunction(fitted, X, y).at([z], [1.0]).scores[0, :20]
    # The difference falls as 1 / n: what is below 5 % here is so with more rows too.
    np.testing.assert_allclose(curve, influence, atol=0.05 * np.abs(influence).max())


@pytest.mark.parametrize("loss", ["hinge", *SMOOTH])
def test_one_more_object_never_moves_the_machine_beyond_the_bound(loss):
    generator = np.random.default_rng(4)
    options = {"loss": loss, "gamma": 0.25, "unpenalized": None, "tol": 1e-10}
    for draw in range(40):
        if draw % 10 == 0:
            X, y = simulated(25, 10 + draw)
            before = KernelMachineClassifier(0.05, **options).fit(X, y)
        z, label = generator.normal(size=2) * 4, generator.choice([-1.0, 1.0])
        after = KernelMachineClassifier(0.05, **options).fit(np.vstack([X, z]), np.append(y, label))
        coef = np.zeros(26)
        coef[after.support_] += after.dual_coef_
        coef[before.support_] -= before.dual_coef_
        gram = before.kernel_(np.vstack([X, z]))
        moved = np.sqrt(max(coef @ gram @ coef, 0.0))
        assert 26 * moved <= 2 * robustness_bound(loss, 0.05)
    assert robustness_bound("hinge", 0.02) == pytest.approx(50.0)
    assert robustness_bound("hinge", 0.02, np.inf) == np.inf


def test_section_6_a_linear_machine_moves_by_a_plane_and_not_at_all_where_the_point_is_well_classified():
    X, y = simulated(200, 6)
    grid = np.stack(np.meshgrid(np.linspace(-8, 8, 9), np.linspace(-8, 8, 9)), axis=-1).reshape(-1, 2)

    # The penalty of the larger sample, so that C = 1 with and without the point: only the point itself counts.
    def moved(z, label):
        before, after = (
            KernelMachineClassifier(1 / (2 * n), loss="hinge", kernel="linear", tol=1e-10) for n in (200, 201)
        )
        scores = before.fit(X, y).decision_function(grid)
        return after.fit(np.vstack([X, z]), np.append(y, label)).decision_function(grid) - scores

    design = np.column_stack([np.ones(81), grid])
    bent = moved([6.0, 6.0], 1.0)
    plane = design @ np.linalg.lstsq(design, bent, rcond=None)[0]
    assert np.abs(bent).max() > 1e-3
    np.testing.assert_allclose(bent, plane, atol=1e-9)
    # Beyond the margin on its own side it is no support vector, and the machine stays; to the solver's tolerance.
    np.testing.assert_allclose(moved([-6.0, 6.0], 1.0), 0.0, atol=1e-6)


def test_sparse_rows_have_the_sensitivity_of_dense_ones():
    X, y = simulated(30)
    machine = KernelMachineClassifier()
    dense = sensitivity_curve(machine, X, y, X[0], -1.0, X[:4])
    thin = sensitivity_curve(machine, sparse.csr_array(X), y, X[0], -1.0, sparse.csr_array(X[:4]))
    np.testing.assert_allclose(thin, dense, atol=1e-9)


def test_influence_with_an_offset_stays_below_its_bound():
    X, y = simulated(60, 5)
    machine = KernelMachineClassifier(0.5, gamma=0.25, tol=1e-12).fit(X, y)
    scores = machine.decision_function(X)
    curvature = 1 / (2 + 2 * np.cosh(scores))
    bound = influence_bound("logistic", 0.5, curvature.min(), curvature.mean())
    influence = InfluenceFunction(machine, X, y).training()
    assert np.hypot(influence.norms, influence.offsets).max() <= bound


def test_bad_requests_are_answered():
    X, y = simulated(30)
    with pytest.raises(ValueError, match="use sensitivity_curve"):
        InfluenceFunction(KernelMachineClassifier(loss="hinge").fit(X, y), X, y)
    with pytest.raises(ValueError, match="offset or without free functions"):
        InfluenceFunction(KernelMachineClassifier(unpenalized=1).fit(X, y), X, y)
    with pytest.raises(ValueError, match="must be a KernelMachineClassifier"):
        from sklearn.svm import SVC

        InfluenceFunction(SVC().fit(X, y), X, y)
    machine = KernelMachineClassifier().fit(X, y)
    for data, labels, message in (
        (
            X,
            np.where(y > 0, "yes", "no"),
            r"y holds \['no', 'yes'\], not among the classes \[-1., +1.\] of the machine",
        ),
        (X[::-1], y, "not what the machine was fitted to"),
        (X[:10], y[:10], "not what the machine was fitted to"),
        (X, y[:10], "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=message):
            InfluenceFunction(machine, data, labels)
    weighted = KernelMachineClassifier().fit(X, y, sample_weight=1 + np.arange(30) % 3)
    with pytest.raises(ValueError, match="with equal weights"):
        InfluenceFunction(weighted, X, y)
    with pytest.raises(ValueError, match=r"y holds \[0\.\], not among"):
        InfluenceFunction(machine, X, y).at(X[:2], [1.0, 0.0])
    with pytest.raises(ValueError, match="must be a KernelMachineClassifier"):
        sensitivity_curve(KernelMachineRegressor(), X, y, X[0], 1.0, X)
    with pytest.raises(ValueError, match="new_X has 1 features, and X has 2"):
        sensitivity_curve(machine, X, y, [1.0], 1.0, X)
    with pytest.raises(ValueError, match=r"y holds \[2\.\], not among"):
        sensitivity_curve(machine, X, y, X[0], 2.0, X)
    with pytest.raises(ValueError, match="slope of 'exponential' is not bounded"):
        influence_bound("exponential", 0.1, 0.1, 0.1)
    with pytest.raises(ValueError, match="kernel_bound=-1"):
        robustness_bound("hinge", 0.1, -1)
    gram = np.eye(30)
    precomputed = InfluenceFunction(KernelMachineClassifier(kernel="precomputed").fit(gram, y), gram, y)
    assert len(precomputed.training().norms) == 30
    with pytest.raises(ValueError, match="cannot be computed at new objects"):
        precomputed.at(gram[:1], y[:1])
    with pytest.raises(ValueError, match="losses of labels"):
        robustness_bound("huber", 1.0)


def test_picture_names_the_largest():
    X, y = simulated(40)
    influence = InfluenceFunction(KernelMachineClassifier().fit(X, y), X, y).training()
    names = [text.get_text() for text in plot_influence(influence, n_named=2).texts]
    assert names == [str(i) for i in np.argsort(-influence.norms)[:2]]


@pytest.mark.parametrize("unpenalized", [None, "constant"])
def test_scores_of_new_objects_move_as_those_of_machines_with_a_little_more_weight(unpenalized):
    rng = np.random.default_rng(0)
    X, points, extra = rng.normal(size=(30, 2)), rng.normal(size=(7, 2)), rng.normal(size=(2, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0, 1, -1)
    machine = KernelMachineClassifier(0.05, gamma=0.7, unpenalized=unpenalized, tol=1e-12).fit(X, y)
    function = InfluenceFunction(machine, X, y)
    changes = function.score_changes(points, extra, [1, -1])
    share = 1e-5
    for row, label, expected in zip(extra, (1, -1), changes):
        weights = np.append(np.full(30, (1 - share) / 30), share)
        moved = clone(machine).fit(np.vstack([X, row]), np.append(y, label), sample_weight=weights)
        difference = (moved.decision_function(points) - machine.decision_function(points)) / share
        # Of second order in the share, and rounding of 1e-11 over it.
        np.testing.assert_allclose(difference, expected, atol=2e-3)
    np.testing.assert_allclose(function.score_changes(X), function.training().scores, atol=1e-10)
    with pytest.raises(ValueError, match="together"):
        function.score_changes(points, extra)
