"""Partial order embedding against closed forms, a linear program, finite differences, and a taxonomy with noise."""

import warnings

import clarabel
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from treatise.io import load_model, save_model
from treatise.kernels import Gaussian, Linear
from treatise.metric import ComparisonGraph, PartialOrderEmbedding, plot_embedding
from treatise.metric.partial_order._solver import DiagonalView, FullView, HingeObjective
from treatise.papers.metric.v12_0491._taxonomy import make_taxonomy, taxonomy_comparisons


def problem(n=40, count=300, seed=0):
    """Three tables, of which the first decides the comparisons."""
    rng = np.random.default_rng(seed)
    tables = [rng.normal(size=(n, 3)) for _ in range(3)]
    rows = rng.integers(0, n, (6 * count, 4))
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 2] != rows[:, 3])]
    near, far = (((tables[0][rows[:, a]] - tables[0][rows[:, a + 1]]) ** 2).sum(axis=1) for a in (0, 2))
    return tables, np.where((near < far)[:, None], rows, rows[:, [2, 3, 0, 1]])[:count]


def semidefinite_program(views, graph, beta):
    """The optimum of the full problem by Clarabel, all entries of every matrix and one slack a comparison."""
    pairs, (near, far), m = graph.pairs, graph.edges.T, len(graph.edges)
    margins, traces, cones = [], [], [clarabel.NonnegativeConeT(2 * m)]
    for view in views:
        d = view.F.shape[1]
        column, row = np.tril_indices(d)
        unit = np.where(row == column, 1.0, np.sqrt(2))
        difference = view.F[pairs[:, 0]] - view.F[pairs[:, 1]]
        products = difference[:, row] * difference[:, column] * unit
        margins.append(products[near] - products[far])
        traces.append(view.cost * (row == column))
        cones.append(clarabel.PSDTriangleConeT(d))
    margins, slacks = sparse.csc_array(np.hstack(margins)), sparse.eye_array(m)
    N = margins.shape[1]
    A = sparse.block_array([[margins, -slacks], [sparse.csc_array((m, N)), -slacks], [-sparse.eye_array(N), None]])
    b = np.concatenate([-np.ones(m), np.zeros(m + N)])
    cost = np.concatenate([*traces, np.full(m, beta / m)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    empty = sparse.csc_matrix((N + m, N + m))
    return clarabel.DefaultSolver(empty, cost, sparse.csc_matrix(A), b, cones, settings).solve().obj_val


@pytest.mark.parametrize("beta", [10.0, 100.0, 1000.0])
@pytest.mark.parametrize("kind", ["gaussian", "units apart", "points", "noise"])
def test_the_default_is_the_optimum_of_the_semidefinite_program(kind, beta):
    tables, rows = problem(12, 60)
    kernels = [Gaussian(0.3)(X) for X in tables[:2]]
    if kind == "units apart":
        kernels = [1e-2 * kernels[0], 1e2 * kernels[1]]
    if kind == "points":
        kernels = [np.eye(12)]
    if kind == "noise":
        rows = np.array([row for row in np.random.default_rng(0).integers(0, 12, (90, 4)) if row[0] != row[1]])
        rows = rows[rows[:, 2] != rows[:, 3]]
    model = PartialOrderEmbedding("precomputed", beta=beta, processing="none").fit(kernels, rows)
    graph = ComparisonGraph(rows)
    views = [model._view(modality, K)[0] for modality, K in zip(model.modalities_, kernels)]
    exact = semidefinite_program(views, graph, beta)
    # The default gap is 1e-5, Clarabel's own tolerance 1e-8.
    assert exact * (1 - 1e-6) <= model.objective_ <= exact * (1 + 1e-5)
    assert model.converged_ and model.gap_ <= 1e-5


@pytest.mark.parametrize("solver", ["interior", "accelerated", "subgradient", "lp"])
def test_the_gap_never_claims_more_than_is_true_and_short_runs_warn(solver):
    tables, rows = problem(15, 60)
    diagonal = solver == "lp"
    best = PartialOrderEmbedding(beta=100.0, diagonal=diagonal, random_state=0, solver="lp" if diagonal else "interior")
    optimum = best.fit(tables, rows).objective_
    for max_iter in (1, 10, 100):
        model = clone(best).set_params(solver=solver, max_iter=max_iter)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.fit(tables, rows)
        assert (1 - model.gap_) * model.objective_ <= optimum * (1 + 1e-9)
        assert model.converged_ == (not [w for w in told if w.category is ConvergenceWarning])
        assert model.converged_ or solver != "lp"
        assert not model.converged_ or model.gap_ <= 1e-3
    if solver != "lp":
        with pytest.warns(ConvergenceWarning, match="Raise max_iter=2"):
            assert not clone(model).set_params(max_iter=2).fit(tables, rows).converged_


def test_units_of_a_kernel_are_those_of_beta():
    tables, rows = problem(15, 60)
    K = Gaussian(0.3)(tables[0])
    options = {"kernel": "precomputed", "random_state": 0}
    one = PartialOrderEmbedding(beta=100.0, **options).fit(K, rows)
    for unit in (1e-4, 1e5):
        other = PartialOrderEmbedding(beta=100.0 / unit, **options).fit(unit * K, rows)
        assert unit * other.objective_ == pytest.approx(one.objective_, rel=1e-6)
        assert_allclose(pdist(other.transform(unit * K)), pdist(one.transform(K)), rtol=1e-3, atol=1e-3)


# Sub-gradients give no bound as close as asked for here.
@pytest.mark.filterwarnings("ignore:the objective may lie")
# At beta = 1 the diagonal optimum is reached by the single point too, with or without its warning.
@pytest.mark.filterwarnings("ignore:beta=1 ")
@pytest.mark.parametrize("beta", [0.3, 1.0, 5.0])
@pytest.mark.parametrize(
    "solver, tolerance", [("interior", 1e-6), ("accelerated", 1e-3), ("subgradient", 1e-3), ("lp", 1e-6)]
)
@pytest.mark.parametrize("diagonal", [False, True])
def test_three_objects_have_the_optimum_worked_by_hand(beta, solver, tolerance, diagonal):
    model = PartialOrderEmbedding("precomputed", beta=beta, diagonal=diagonal, solver=solver, max_iter=2000, tol=1e-7)
    if solver == ("interior" if diagonal else "lp"):
        with pytest.raises(ValueError, match=f"does not solve diagonal={diagonal}"):
            model.fit(np.eye(3), [(0, 1, 2)])
        return
    optimum = min(beta, 1.0 if diagonal else 1 / np.sqrt(3))
    if optimum == beta and beta < 1:
        with pytest.warns(UserWarning, match="one point"):
            model.fit(np.eye(3), [(0, 1, 2)])
        assert model.score(np.eye(3), [(0, 1, 2)]) == 0.0
    else:
        model.fit(np.eye(3), [(0, 1, 2)])
    assert model.objective_ == pytest.approx(optimum, rel=tolerance)
    if not diagonal and beta > 0.6:
        # E_02 - E_01 has the eigenvalues -sqrt 3, 0, sqrt 3; W is the top vector's square over sqrt 3.
        difference = np.array([[0.0, 1.0, -1.0], [1.0, -1.0, 0.0], [-1.0, 0.0, 1.0]])
        values, vectors = np.linalg.eigh(difference)
        assert values[-1] == pytest.approx(np.sqrt(3))
        assert_allclose(model.metrics_[0], np.outer(vectors[:, -1], vectors[:, -1]) / np.sqrt(3), atol=5e-3)


@pytest.mark.parametrize("beta", [10.0, 100.0])
def test_the_diagonal_objective_is_that_of_the_linear_program(beta):
    tables, rows = problem()
    options = {"kernel": Gaussian(0.3), "beta": beta, "diagonal": True}
    exact = PartialOrderEmbedding(**options, solver="lp").fit(tables, rows)
    ours = PartialOrderEmbedding(**options, solver="accelerated", tol=1e-2).fit(tables, rows)
    assert ours.converged_
    assert exact.objective_ * (1 - 1e-9) <= ours.objective_ <= 1.01 * exact.objective_
    assert (np.diff(ours.objective_history_) <= 0).all()
    full = PartialOrderEmbedding(**{**options, "diagonal": False}, max_iter=200).fit(tables, rows)
    # The diagonal matrices are among the full ones.
    assert full.objective_ < exact.objective_


@pytest.mark.parametrize("rounding", [0.0, 0.3])
def test_gradients_are_those_of_finite_differences(rounding):
    tables, rows = problem(12, 40)
    graph = ComparisonGraph(rows)
    rng = np.random.default_rng(0)
    M = rng.normal(size=(3, 3))
    for view, W in ((FullView(tables[0]), M @ M.T), (DiagonalView(tables[1], np.ones(3)), rng.random(3))):
        objective = HingeObjective([view], graph.pairs, graph.edges, 7.0)

        def value(V, view=view, objective=objective):
            return view.penalty(V) + objective.loss(objective.distances([V]), rounding)[0]

        gradient = objective.gradient(objective.loss(objective.distances([W]), rounding)[1])[0]
        for _ in range(5):
            along = rng.normal(size=W.shape)
            slope = (value(W + 1e-6 * along) - value(W - 1e-6 * along)) / 2e-6
            assert slope == pytest.approx(float(np.vdot(gradient, along)), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", [Linear(), Gaussian(0.5), None]])
def test_points_have_the_distances_of_the_metric_also_after_a_model_file(kernel, diagonal, tmp_path):
    tables, rows = problem(25, 120)
    model = PartialOrderEmbedding(kernel, diagonal=diagonal, beta=100.0, max_iter=150).fit(tables, rows)
    points = model.transform(tables)
    expected = np.zeros((25, 25))
    for modality, X, W in zip(model.modalities_, tables, model.metrics_):
        F = X if modality.kernel is None else modality.kernel(X)
        difference = F[:, None] - F[None]
        expected += np.einsum("ijp,pq,ijq->ij", difference, np.diag(W) if diagonal else W, difference)
    found = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    assert_allclose(found, expected, atol=1e-8 * expected.max())
    save_model(model, tmp_path / "model.skops")
    assert_allclose(load_model(tmp_path / "model.skops").model.transform(tables), points)
    assert model.kernel_weight_.sum() == pytest.approx(1.0) and model.kernel_weight_.argmax() == 0


def test_the_score_grows_with_beta_and_new_objects_are_mapped():
    tables, rows = problem(60, 600, seed=1)
    seen = rows[(rows < 45).all(axis=1)]
    scores = []
    for beta in (20.0, 100.0, 1000.0):
        model = PartialOrderEmbedding(Gaussian(0.3), beta=beta, max_iter=300).fit([X[:45] for X in tables], seen)
        scores.append(model.score([X[:45] for X in tables], seen))
    assert scores[0] < scores[1] < scores[2] and scores[2] > 0.97
    unseen = rows[(rows >= 45).any(axis=1)]
    assert model.score(tables, unseen) > 0.7
    plane = clone(model).set_params(n_components=2).fit([X[:45] for X in tables], seen)
    assert plane.transform(tables).shape == (60, 2)


def test_linear_form_and_linear_kernel_agree():
    tables, rows = problem(20, 100)
    ours = PartialOrderEmbedding(None, beta=50.0).fit(tables[0], rows)
    kernel = PartialOrderEmbedding("linear", beta=50.0).fit(tables[0], rows)
    # Both have a gap of 1e-5; the representer theorem makes the optima one.
    assert ours.objective_ == pytest.approx(kernel.objective_, rel=2e-5)
    assert ours.metrics_[0].shape == (3, 3) and kernel.metrics_[0].shape == (20, 20)


def test_several_kernels_of_one_table_and_their_sum():
    tables, rows = problem(30, 200)
    kernels = [Gaussian(0.1), Gaussian(1.0)]
    both = PartialOrderEmbedding(kernels, beta=100.0, max_iter=200).fit(tables[0], rows)
    assert len(both.metrics_) == 2
    summed = PartialOrderEmbedding(kernels, beta=100.0, max_iter=200, combine="sum").fit(tables[0], rows)
    one = PartialOrderEmbedding(Gaussian(0.1) + Gaussian(1.0), beta=100.0, max_iter=200).fit(tables[0], rows)
    assert summed.objective_ == pytest.approx(one.objective_, rel=1e-6)
    assert len(summed.metrics_) == 1


def test_a_taxonomy_is_learnt_and_noise_kernels_are_left_out():
    kernels, labels, parents = make_taxonomy(random_state=0)
    rng = np.random.RandomState(0)
    order = rng.permutation(200)
    train, test = np.sort(order[:160]), order[160:]
    rows = taxonomy_comparisons(labels[train], parents, random_state=0)
    rows = rows[rng.choice(len(rows), 2000, replace=False)]
    steps = np.where(labels[:, None] == labels, 0, 1 + (parents[labels][:, None] != parents[labels]))
    i, j, k = rng.choice(test, 20_000), rng.choice(train, 20_000), rng.choice(train, 20_000)
    unseen = np.column_stack([i, j, i, k])[steps[i, k] == steps[i, j] + 1]
    seen, columns = [K[np.ix_(train, train)] for K in kernels], [K[:, train] for K in kernels]
    short = {"diagonal": True, "max_iter": 300, "tol": 0.2}
    model = PartialOrderEmbedding("precomputed", **short).fit(seen, rows)
    assert model.score(columns, unseen) >= 0.78
    assert model.kernel_weight_[2:].sum() < 0.05
    summed = PartialOrderEmbedding("precomputed", combine="sum", **short).fit(seen, rows)
    assert summed.score(columns, unseen) <= 0.60


def test_taxonomy_comparisons_are_one_step_apart():
    labels, parents = np.repeat(np.arange(4), 3), np.array([0, 0, 1, 1])
    rows = taxonomy_comparisons(labels, parents, random_state=0)
    steps = np.where(labels[:, None] == labels, 0, 1 + (parents[labels][:, None] != parents[labels]))
    assert (steps[rows[:, 2], rows[:, 3]] == steps[rows[:, 0], rows[:, 1]] + 1).all()
    # Each object: 2 of its class, 3 of its group.
    assert len(rows) == 12 * 5 and ComparisonGraph(rows).is_consistent()


def test_contradictions_are_processed_as_asked():
    tables, rows = problem(20, 100)
    noisy = np.concatenate([rows, rows[:30, [2, 3, 0, 1]], rows[:10]])
    counts = {}
    for processing in ("none", "contradictions", "partial_order"):
        model = PartialOrderEmbedding(processing=processing, beta=100.0, max_iter=40, random_state=0).fit(
            tables[0], noisy
        )
        counts[processing] = len(model.comparisons_)
    assert counts["none"] == len(ComparisonGraph(noisy)) > counts["contradictions"] >= counts["partial_order"]
    with pytest.raises(ValueError, match="nothing is left"):
        PartialOrderEmbedding().fit(tables[0], [(0, 1, 2), (0, 2, 1)])


def test_bad_input_is_refused():
    tables, rows = problem(20, 50)
    for options, modalities, comparisons, message in [
        ({}, tables[0], rows + 5, "from 0 to 19"),
        ({"kernel": ["rbf", "rbf"]}, tables, rows, "2 kernels for 3 modalities"),
        ({"kernel": "precomputed"}, tables[0], rows, "square"),
        ({"kernel": "precomputed"}, -np.eye(20), rows, "modality 0: .* never negative"),
        ({"kernel": "precomputed"}, [np.eye(20), np.eye(20) + np.eye(20, k=1)], rows, r"modality 1: .* entry \(0, 1\)"),
        ({"kernel": "precomputed", "diagonal": True}, np.ones((20, 20)) - 0.1 * np.eye(20), rows, "modality 0"),
        ({"kernel": lambda A, B: -A @ B.T, "diagonal": True}, tables[0], rows, "never negative"),
        ({"kernel": lambda A, B: -A @ B.T}, tables[0], rows, "positive semidefinite"),
        ({"kernel": None, "combine": "sum"}, tables, rows, "kernels"),
        ({}, [tables[0], tables[1][:9]], rows, "same ones"),
        ({"beta": 0.0}, tables[0], rows, "'beta' parameter"),
        ({}, np.full((20, 2), np.nan), rows, "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            PartialOrderEmbedding(**options).fit(modalities, comparisons)
    model = PartialOrderEmbedding(None, beta=100.0, max_iter=40).fit(tables, rows)
    with pytest.raises(ValueError, match="2 modalities were given"):
        model.transform(tables[:2])
    kernels = PartialOrderEmbedding(beta=100.0, max_iter=40).fit(tables, rows)
    for fitted in (model, kernels):
        with pytest.raises(ValueError, match="it had 3 in fit"):
            fitted.transform([X[:, :2] for X in tables])


def test_the_plot_shows_groups_and_the_share_that_holds():
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [5.0, 0.0, 0.0], [5.0, 2.0, 0.1]])
    ax = plot_embedding(points, ["a", "a", "b", "b"], comparisons=[(0, 1, 2), (0, 2, 1)])
    assert len(ax.collections) == 2 and ax.get_title().startswith("50%")
    assert plot_embedding(points, ax=ax) is ax
    with pytest.raises(ValueError, match="3 labels for 4 points"):
        plot_embedding(points, "abc")
