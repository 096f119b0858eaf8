"""Forest densities against kernel densities, integrals, exhaustive choice and the paper's kind of data."""

import networkx
import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.neighbors import KernelDensity
from sklearn.utils.estimator_checks import check_estimator

from treatise.graphical import (
    ForestDensity,
    edge_stability,
    plot_graph,
    plot_heldout_path,
    plot_pair_density,
)
from treatise.optimize import solve_graphical_lasso
from treatise.papers.graphical.v12_0907._subgraphs import make_subgraph_gaussian
from treatise.statistics import DensityGrids, plug_in_bandwidths

SECOND_HALF = np.arange(400, 800)


def toy():
    """Ten Gaussian columns: a ring of five, a pair, and three alone."""
    precision = 62 * np.eye(10)
    for i, j, value in [(0, 1, -25), (1, 2, -25), (2, 3, -25), (3, 4, -25), (0, 4, -15), (6, 7, -30)]:
        precision[i, j] = precision[j, i] = value
    rng = np.random.default_rng(3)
    return 0.5 + rng.standard_normal((800, 10)) @ np.linalg.cholesky(np.linalg.inv(precision)).T


@pytest.fixture(scope="module")
def ring():
    return toy()


@pytest.fixture(scope="module")
def curved():
    """Three columns, the second a parabola of the first, the third a noisy copy of the second."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    x[:, 1] = x[:, 0] ** 2 + 0.3 * x[:, 1]
    x[:, 2] = x[:, 1] + 0.5 * x[:, 2]
    return x * [1.0, 10.0, 0.1] + [5.0, 0.0, -3.0]


def log_kernel_density(X, centres, widths):
    """Product Gaussian kernel, by scikit-learn on columns divided by their bandwidths."""
    peer = KernelDensity(bandwidth=1.0, rtol=0).fit(centres / widths)
    return peer.score_samples(X / widths) - np.log(widths).sum()


def integral(model, axes):
    """Of the density over the product of equally spaced axes."""
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
    return np.exp(model.score_samples(points)).sum() * np.prod([axis[1] - axis[0] for axis in axes])


def wide_axes(model, points, reach=6.0):
    low = model.training_rows_.min(axis=0) - reach * model.pair_bandwidths_
    high = model.training_rows_.max(axis=0) + reach * model.pair_bandwidths_
    return [np.linspace(a, b, points) for a, b in zip(low, high)]


@pytest.mark.parametrize("marginals", ["pair", "univariate"])
def test_the_ring_gives_its_four_strongest_sides_and_the_pair(ring, marginals):
    model = ForestDensity(holdout=SECOND_HALF, marginals=marginals).fit(ring)
    assert model.n_edges_ == model.complexity_ == 5
    assert model.ordered_edges_[:5].tolist() == [[3, 4], [0, 1], [2, 3], [1, 2], [6, 7]]
    assert model.edges_.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [6, 7]]
    assert len(model.ordered_edges_) == 9 and model.complexities_.tolist() == list(range(10))
    assert model.heldout_path_.argmax() == 5


def test_without_edges_the_density_is_the_product_of_univariate_kernel_densities(curved):
    model = ForestDensity(0, marginals="univariate").fit(curved)
    widths = plug_in_bandwidths(curved)
    rows = np.vstack([curved[:20], curved[:5] + 3.0])
    expected = sum(
        KernelDensity(bandwidth=widths[k], rtol=0).fit(curved[:, [k]]).score_samples(rows[:, [k]]) for k in range(3)
    )
    np.testing.assert_allclose(model.score_samples(rows), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("marginals", ["pair", "univariate"])
def test_with_two_columns_and_an_edge_it_is_the_bivariate_kernel_density(curved, marginals):
    model = ForestDensity("tree", marginals=marginals).fit(curved[:, :2])
    widths = plug_in_bandwidths(curved[:, :2], dimension=2)
    expected = log_kernel_density(curved[:30, :2], curved[:, :2], widths)
    np.testing.assert_allclose(model.score_samples(curved[:30, :2]), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("marginals", ["pair", "univariate"])
def test_density_of_a_row_is_the_product_of_equation_1(ring, marginals):
    model = ForestDensity(holdout=SECOND_HALF, marginals=marginals).fit(ring)
    centres, rows = ring[:400], ring[400:420]
    singles = [log_kernel_density(rows[:, [k]], centres[:, [k]], model.bandwidths_[[k]]) for k in range(10)]
    expected = sum(singles)
    for i, j in model.edges_:
        expected += log_kernel_density(rows[:, [i, j]], centres[:, [i, j]], model.pair_bandwidths_[[i, j]])
        expected -= singles[i] + singles[j]
    np.testing.assert_allclose(model.score_samples(rows), expected, rtol=0, atol=1e-9)
    assert model.score(rows) == pytest.approx(expected.mean())


def test_density_far_from_all_rows_at_once_is_finite_and_right(curved):
    model = ForestDensity("tree").fit(curved[:, :2])
    # Rows near the first value are not those near the second, so that every product of relative kernels underflows.
    row = np.array([curved[:, 0].max() + 200.0, curved[:, 1].min() - 2000.0])
    widths = plug_in_bandwidths(curved[:, :2], dimension=2)
    halves = 0.5 * ((row - curved[:, :2]) / widths) ** 2
    assert (np.exp(halves.min(axis=0) - halves).prod(axis=1) < 1e-250).all()
    expected = logsumexp(-halves.sum(axis=1)) - np.log(300 * 2 * np.pi * widths.prod())
    np.testing.assert_allclose(model.score_samples([row]), expected, rtol=1e-12)


@pytest.mark.parametrize("columns", [2, 3])
def test_density_integrates_to_one(curved, columns):
    model = ForestDensity("tree").fit(curved[:150, :columns])
    # Steps are below a bandwidth, where sums over a Gaussian's points are exact to many digits.
    assert integral(model, wide_axes(model, 36)) == pytest.approx(1.0, abs=1e-3)


def test_integral_with_univariate_bandwidths_is_that_of_the_ratio_at_the_middle_column(curved):
    model = ForestDensity("tree", marginals="univariate").fit(curved)
    middle = int(np.bincount(model.edges_.ravel()).argmax())
    axes = wide_axes(model, 36)
    x, centres = axes[middle][:, None], curved[:, [middle]]
    blurred = log_kernel_density(x, centres, model.pair_bandwidths_[[middle]])
    own = log_kernel_density(x, centres, model.bandwidths_[[middle]])
    expected = np.exp(2 * blurred - own).sum() * (x[1, 0] - x[0, 0])
    found = integral(model, axes)
    assert found == pytest.approx(expected, abs=1e-3)
    assert 1.0 < found < 1.05


def test_with_univariate_bandwidths_outliers_raise_the_density_without_end():
    # A column with four edges: the pairs outlast the columns in the tails, without end.
    rng = np.random.default_rng(1)
    centre = rng.normal(size=(400, 1))
    star = np.hstack([centre, centre + 0.3 * rng.normal(size=(400, 4))])
    model = ForestDensity("tree", marginals="univariate").fit(star)
    assert (model.edges_[:, 0] == 0).all()
    far = np.vstack([np.full(5, distance) for distance in (10.0, 100.0, 1000.0)])
    far[:, 1:] = 0.0
    assert (np.diff(model.score_samples(far)) > 0).all()
    assert (np.diff(ForestDensity("tree").fit(star).score_samples(far)) < 0).all()


def test_pruning_takes_the_prefix_of_the_best_heldout_likelihood(ring):
    model = ForestDensity(random_state=1).fit(ring)
    again = [ForestDensity(k, marginals="pair").fit(model.training_rows_) for k in range(10)]
    heldout = np.array([row for row in ring if not (model.training_rows_ == row).all(axis=1).any()])
    assert len(heldout) == 400
    scores = [forest.score(heldout) for forest in again]
    np.testing.assert_allclose(model.heldout_path_, scores, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.score_path(heldout), scores, rtol=0, atol=1e-10)
    assert model.n_edges_ == int(np.argmax(scores))


def test_heldout_forest_joins_what_the_training_densities_say_of_the_others(ring):
    model = ForestDensity("heldout", holdout=SECOND_HALF).fit(ring)
    low, span = ring[:400].min(axis=0), np.ptp(ring[:400], axis=0)
    training, other = ((part - low) / span for part in (ring[:400], ring[400:]))
    grids, other_grids = (
        DensityGrids(part, bandwidths=plug_in_bandwidths(part, dimension=2)) for part in (training, other)
    )
    cross = grids.cross_information(other_grids)
    graph = networkx.Graph()
    graph.add_nodes_from(range(10))
    graph.add_weighted_edges_from((i, j, cross[i, j]) for i in range(10) for j in range(i) if cross[i, j] > 0)
    expected = {tuple(sorted(edge)) for edge in networkx.maximum_spanning_edges(graph, data=False)}
    assert {tuple(edge) for edge in model.edges_.tolist()} == expected
    assert len(model.heldout_path_) == len(expected) + 1


def test_restricted_forest_keeps_trees_small_and_chooses_their_size(ring):
    two = ForestDensity("restricted", max_tree_edges=2, holdout=SECOND_HALF).fit(ring)
    sizes = [len(part) - 1 for part in networkx.connected_components(two.to_networkx())]
    assert max(sizes) == 2 and two.complexities_.tolist() == [2]
    free = ForestDensity("restricted", holdout=SECOND_HALF).fit(ring)
    # Four sides of the ring hang together: more does not help.
    assert free.complexity_ == 4 and free.complexities_.tolist() == list(range(10))
    assert free.edges_.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [6, 7]]
    assert free.heldout_path_[4] == free.heldout_path_.max() > free.heldout_path_[2]
    some = ForestDensity("restricted", max_tree_edges=[3, 1, 3], holdout=SECOND_HALF).fit(ring)
    assert some.complexities_.tolist() == [1, 3]
    np.testing.assert_allclose(some.heldout_path_, free.heldout_path_[[1, 3]])


def test_restricted_path_is_the_grid_likelihood_of_the_heldout_densities(ring):
    model = ForestDensity("restricted", max_tree_edges=0, holdout=SECOND_HALF, grid_size=64).fit(ring[:, :3])
    assert model.n_edges_ == 0
    expected = 0.0
    for k in range(3):
        low, high = ring[:400, k].min(), ring[:400, k].max()
        grid = np.linspace(low, high, 64)[:, None]
        width = plug_in_bandwidths(ring[400:, [k]], dimension=2)
        other = np.exp(log_kernel_density(grid, ring[400:, [k]], width))
        own = log_kernel_density(grid, ring[:400, [k]], model.bandwidths_[[k]])
        expected += (other * own).sum() * (high - low) / 63
    assert model.heldout_path_[0] == pytest.approx(expected, abs=1e-9)


def test_refitting_with_another_structure_leaves_nothing_of_the_first(ring):
    model = ForestDensity(random_state=0).fit(ring[:100])
    model.set_params(structure=3).fit(ring[:100])
    assert not hasattr(model, "heldout_path_") and not hasattr(model, "complexities_")
    assert model.n_edges_ == 3 and len(model.training_rows_) == 100


def test_samples_follow_the_density(curved):
    curved = curved[:150]
    model = ForestDensity("tree").fit(curved)
    drawn = model.sample(20_000, random_state=0)
    again = model.sample(20_000, random_state=0)
    np.testing.assert_array_equal(drawn, again)
    # The density is a mixture over rows in each column and pair: the moments follow exactly.
    for k in range(3):
        assert drawn[:, k].mean() == pytest.approx(curved[:, k].mean(), abs=0.04 * curved[:, k].std())
        spread = np.sqrt(curved[:, k].var() + model.pair_bandwidths_[k] ** 2)
        assert drawn[:, k].std() == pytest.approx(spread, rel=0.04)
    for i, j in model.edges_:
        covariance = np.cov(drawn[:, i], drawn[:, j])[0, 1]
        expected = np.cov(curved[:, i], curved[:, j], ddof=0)[0, 1]
        assert covariance == pytest.approx(expected, abs=0.05 * drawn[:, i].std() * drawn[:, j].std())
    # Minus the mean log-density of its own draws is the entropy, here integrated on a grid.
    axes = wide_axes(model, 36)
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    log_density = model.score_samples(points)
    volume = np.prod([axis[1] - axis[0] for axis in axes])
    entropy = -(np.exp(log_density) * log_density).sum() * volume
    assert -model.score(drawn[:3000]) == pytest.approx(entropy, abs=0.08)


def test_samples_of_columns_without_edges_are_independent(ring):
    drawn = ForestDensity(0).fit(ring).sample(5000, random_state=1)
    assert np.abs(np.corrcoef(drawn.T) - np.eye(10)).max() < 0.06


def test_units_and_origins_move_the_density_and_not_the_forest(ring):
    units, origins = np.geomspace(0.01, 1000, 10), np.linspace(-5, 5, 10)
    plain = ForestDensity(random_state=0).fit(ring)
    moved = ForestDensity(random_state=0).fit(ring * units + origins)
    np.testing.assert_array_equal(moved.ordered_edges_, plain.ordered_edges_)
    np.testing.assert_allclose(moved.mutual_information_, plain.mutual_information_, rtol=0, atol=1e-10)
    expected = plain.score_samples(ring[:9]) - np.log(units).sum()
    np.testing.assert_allclose(moved.score_samples(ring[:9] * units + origins), expected, rtol=0, atol=1e-8)


def test_bandwidth_factor_grid_and_kind_of_information_reach_the_grids(ring):
    model = ForestDensity("tree", bandwidth_factor=0.5, grid_size=32, mutual_information="slow").fit(ring)
    scaled = (ring - ring.min(axis=0)) / np.ptp(ring, axis=0)
    widths = 0.5 * plug_in_bandwidths(scaled, dimension=2)
    grids = DensityGrids(scaled, grid_size=32, bandwidths=widths, pair_bandwidths=widths)
    np.testing.assert_allclose(model.mutual_information_, grids.mutual_information("slow"), rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.pair_bandwidths_, widths * np.ptp(ring, axis=0))


def test_graph_carries_names_and_informations(ring):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ring, columns=[f"v{k}" for k in range(10)])
    model = ForestDensity(holdout=SECOND_HALF).fit(frame)
    graph = model.to_networkx()
    assert graph.number_of_nodes() == 10 and networkx.is_forest(graph)
    assert graph["v6"]["v7"]["weight"] == model.mutual_information_[6, 7] == model.edge_weights_[-1]
    stable = edge_stability(ForestDensity(random_state=0), ring, n_subsamples=4, random_state=0)
    assert stable.frequency[6, 7] == 1.0
    assert plot_graph(model) is not None


def test_plots_show_the_chosen_size_and_the_pair(ring):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ring, columns=[f"v{k}" for k in range(10)])
    model = ForestDensity(holdout=SECOND_HALF).fit(frame)
    ax = plot_heldout_path(model)
    assert ax.get_lines()[1].get_xdata()[0] == 5
    assert ax.get_lines()[1].get_ydata()[0] == model.heldout_path_[5]
    ax = plot_pair_density(model, "v6", 7)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("v6", "v7")
    assert plot_heldout_path(model, ax=ax) is ax
    with pytest.raises(ValueError, match="'v11' is no column"):
        plot_pair_density(model, "v11", "v6")
    with pytest.raises(ValueError, match="column 10 does not exist: there are 10"):
        plot_pair_density(model, 10, 1)
    with pytest.raises(ValueError, match="holds no rows out"):
        plot_heldout_path(ForestDensity("tree").fit(frame))


def best_gaussian(training, heldout, ratios):
    """Best held-out likelihood of the graphical lasso on a path, and of the refit on its graphs."""
    mean, deviation = training.mean(axis=0), training.std(axis=0)
    S = np.corrcoef(training.T)
    z = (heldout - mean) / deviation
    moments, best = z.T @ z / len(z), np.full(2, -np.inf)
    for ratio in ratios:
        precision = solve_graphical_lasso(S, ratio, tol=1e-3).precision
        refit = solve_graphical_lasso(S, np.where(precision != 0, 0.0, np.inf), tol=1e-3).precision
        for place, found in enumerate((precision, refit)):
            value = 0.5 * (np.linalg.slogdet(found)[1] - (moments * found).sum() - len(S) * np.log(2 * np.pi))
            best[place] = max(best[place], value - np.log(deviation).sum())
    return best


def test_forest_beats_gaussian_graphs_on_uniform_columns_and_loses_on_gaussian_ones():
    """Draws of the paper's kind; 24 columns stand for its 100, which the experiment runs."""
    wins = {True: 0, False: 0}
    for gaussian in wins:
        for seed in range(4 if gaussian else 10):
            X, _ = make_subgraph_gaussian(800, 24, gaussian=gaussian, random_state=seed)
            # The grid weighs the edges only; the likelihood is that of the held-out rows themselves.
            forest = ForestDensity(holdout=SECOND_HALF, marginals="univariate", grid_size=32).fit(X)
            rivals = best_gaussian(X[:400], X[400:], (0.05, 0.1, 0.15, 0.2))
            wins[gaussian] += forest.heldout_path_.max() > rivals.max()
    assert wins[False] >= 9
    assert wins[True] == 0


def test_bad_input_is_refused_with_what_would_be_right(ring):
    constant = ring.copy()
    constant[:, 4] = 1.0
    with pytest.raises(ValueError, match="constant over the 400 training rows, without a density: column 4; drop it"):
        ForestDensity(random_state=0).fit(constant)
    constant[::2, 4] = 2.0
    constant[400:, 4] = 1.0
    with pytest.raises(ValueError, match="constant over the 400 held-out rows"):
        ForestDensity("heldout", holdout=SECOND_HALF).fit(constant)
    with pytest.raises(ValueError, match="minimum of 10 is required"):
        ForestDensity().fit(ring[:9])
    with pytest.raises(ValueError, match="NaN"):
        ForestDensity().fit(np.where(ring > 0.9, np.nan, ring))
    with pytest.raises(ValueError, match="structure=10 edges are too many: a forest of 10 columns has 9"):
        ForestDensity(10).fit(ring)
    with pytest.raises(ValueError, match="holdout must be a share or the numbers of rows, 0 to 799"):
        ForestDensity(holdout=[1, 800]).fit(ring)
    with pytest.raises(ValueError, match="holdout names 799 of 800 rows"):
        ForestDensity(holdout=np.arange(1, 800)).fit(ring)
    with pytest.raises(ValueError, match="max_tree_edges must hold whole numbers"):
        ForestDensity("restricted", max_tree_edges=[0.5], random_state=0).fit(ring)
    with pytest.raises(ValueError, match="'structure' parameter"):
        ForestDensity("prunned").fit(ring)


def test_scikit_learns_checks_pass_with_and_without_held_out_rows():
    for structure in ("restricted", "tree"):
        check_estimator(ForestDensity(structure, random_state=0, grid_size=16), on_skip=None)
