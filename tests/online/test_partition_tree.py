"""Online partition trees for very many classes (Choromanska, 2014, Algorithm 6)."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from treatise.datasets import make_hypercube_gaussians
from treatise.online import PartitionTreeClassifier


@pytest.fixture(scope="module")
def cube():
    return make_hypercube_gaussians(64, 200, random_state=0), make_hypercube_gaussians(64, 50, random_state=1)


def grown_by_hand(X, y, n_classes, rate, min_visits, max_nodes, max_depth):
    """Algorithm 6 with dictionaries, each node's regressor on examples less the mean of those that it has seen."""
    width = X.shape[1] + 1

    def fresh(depth, label=0):
        return {
            "w": np.zeros(width), "g": np.zeros(width), "m": np.zeros(n_classes), "n": np.zeros(n_classes),
            "seen": np.empty((0, width - 1)), "mean": np.zeros(width),
            "sides": set(), "children": None, "depth": depth, "label": label,
        }  # fmt: skip

    nodes, size = [fresh(0)], 0.0
    for seen, (x, label) in enumerate(zip(np.hstack([X, np.ones((len(X), 1))]), y), 1):
        node = nodes[0]
        while True:
            node["seen"] = np.vstack([node["seen"], x[:-1]])
            node["mean"][:-1] = node["seen"].mean(axis=0)
            # Only what an example holds is learnt from; the mean shifts the score for all.
            moving = np.where(x != 0, x - node["mean"], 0.0)
            h = node["w"] @ (x - node["mean"])
            if node is nodes[0]:
                size += np.abs(moving).sum()
            node["m"][label] += np.clip(h, -1, 1)
            node["n"][label] += 1
            if node["n"][label] > node["n"][node["label"]] or node["n"].sum() == 1:
                node["label"] = label
            if node["depth"] == max_depth:
                break
            side = 1 if node["m"][label] / node["n"][label] > node["m"].sum() / node["n"].sum() else -1
            node["g"] += moving**2
            step = np.sign(side - h) * rate * seen / size
            node["w"] += np.divide(step * moving, np.sqrt(node["g"]), out=np.zeros(width), where=moving != 0)
            node["sides"].add(side)
            if node["children"] is None:
                if len(node["sides"]) < 2 or node["n"].sum() < min_visits or len(nodes) + 2 > max_nodes:
                    break
                node["children"] = {s: fresh(node["depth"] + 1, node["label"]) for s in (-1, 1)}
                nodes += [node["children"][-1], node["children"][1]]
            node = node["children"][side]
    return nodes


@pytest.mark.parametrize(("min_visits", "max_nodes", "max_depth"), [(1, 500, 20), (7, 25, 20), (3, 500, 3)])
def test_grows_as_the_algorithm_says(min_visits, max_nodes, max_depth):
    X, y = make_hypercube_gaussians(16, 30, random_state=0)
    X[::3, 1] = 0.0
    nodes = grown_by_hand(X, y, 16, 3.0, min_visits, max_nodes, max_depth)
    tree = PartitionTreeClassifier(
        max_nodes, max_depth=max_depth, min_visits=min_visits, n_passes=1, shuffle=False
    ).fit(X, y)
    assert tree.n_nodes_ == len(nodes)
    assert tree.depth_ == max(node["depth"] for node in nodes)
    # The same sums in another order; classes never tie within rounding here.
    np.testing.assert_allclose(tree._tree.weights[: len(nodes)], [node["w"] for node in nodes], atol=1e-9)
    predicted = []
    for x in np.hstack([X, np.ones((len(X), 1))]):
        node = nodes[0]
        while node["children"]:
            node = node["children"][1 if node["w"] @ (x - node["mean"]) > 0 else -1]
        predicted.append(node["label"])
    np.testing.assert_array_equal(tree.predict(X), predicted)


def test_classes_of_a_larger_cube_have_vertices_of_their_own():
    X, y = make_hypercube_gaussians(30, 40, n_dimensions=5, spread=0.01, random_state=0)
    means = np.array([X[y == c].mean(axis=0) for c in range(30)])
    assert len(np.unique(means.round(), axis=0)) == 30
    np.testing.assert_allclose(means, means.round(), atol=0.01)
    with pytest.raises(ValueError, match="n_dimensions=4 has no 30 vertices; 5 are needed"):
        make_hypercube_gaussians(30, 1, n_dimensions=4)


def test_errors_fall_far_below_those_of_a_random_tree(cube):
    (X, y), (X_test, y_test) = cube
    once = [PartitionTreeClassifier(n_passes=1, random_state=seed).fit(X, y) for seed in range(5)]
    thrice = [PartitionTreeClassifier(n_passes=3, random_state=seed).fit(X, y) for seed in range(5)]
    random = PartitionTreeClassifier(n_passes=1, split="random", random_state=0).fit(X, y)
    # Order of the examples moves a tree by a few per cent: medians of five.
    assert np.median([1 - tree.score(X_test, y_test) for tree in once]) <= 0.05
    assert np.median([1 - tree.score(X_test, y_test) for tree in thrice]) <= 0.02
    assert max(tree.depth_ for tree in thrice) <= 12
    assert 1 - random.score(X_test, y_test) > 0.3
    assert random.depth_ == 6


def test_examples_far_from_the_origin_give_the_same_tree(cube):
    """A regressor on raw examples would follow their common part, and send nearly all of them one way."""
    (X, y), (X_test, _) = cube
    # Powers of two shift most digits without rounding; the few others turn no example here.
    near = PartitionTreeClassifier(n_passes=1, random_state=0).fit(X, y)
    far = PartitionTreeClassifier(n_passes=1, random_state=0).fit(X + 4.0, y)
    np.testing.assert_array_equal(far.predict(X_test + 4.0), near.predict(X_test))


def test_parts_of_a_stream_give_the_tree_of_the_whole(cube):
    (X, y), _ = cube
    whole = PartitionTreeClassifier(n_passes=1, shuffle=False).fit(X, y)
    parts = PartitionTreeClassifier(n_passes=1, shuffle=False)
    for rows in np.array_split(np.arange(len(X)), 7):
        parts.partial_fit(X[rows], y[rows], classes=np.arange(64))
    np.testing.assert_array_equal(parts.apply(X), whole.apply(X))
    assert parts.n_seen_ == len(X)


def test_top_classes_begin_with_the_prediction_and_hold_the_truth_more_often(cube):
    (X, y), (X_test, y_test) = cube
    tree = PartitionTreeClassifier(n_passes=1, random_state=0).fit(X, y)
    top = tree.predict_topk(X_test, 5)
    np.testing.assert_array_equal(top[:, 0], tree.predict(X_test))
    assert all(len(set(row)) == 5 for row in top[:100])
    assert np.mean((top == y_test[:, None]).any(axis=1)) > tree.score(X_test, y_test)
    assert set(tree.predict_topk(X_test[:1], 64)[0]) == set(range(64))


def test_sparse_rows_give_the_same_tree(cube):
    (X, y), _ = cube
    X = np.where(X > 0.5, X, 0.0)
    dense = PartitionTreeClassifier(n_passes=1, random_state=0).fit(X, y)
    thin = PartitionTreeClassifier(n_passes=1, random_state=0).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(thin.apply(sparse.csr_matrix(X)), dense.apply(X))


def test_balances_are_those_of_the_counts_and_get_drawn(cube):
    (X, y), _ = cube
    tree = PartitionTreeClassifier(n_passes=1, random_state=0).fit(X, y)
    depth, balance, visits = tree._balances()
    # The root sees all examples but those before its split; 64 classes on a cube part evenly.
    assert visits[0] >= len(X) - 50
    assert depth[0] == 0
    assert balance[0] == pytest.approx(0.5, abs=0.02)
    assert len(depth) == tree.n_nodes_ // 2
    axes = Figure().subplots()
    assert tree.plot_balance(axes) is axes
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), np.column_stack([depth, balance]))


def test_random_tree_trains_its_nodes_on_what_would_come_to_them():
    X, y = make_hypercube_gaussians(2, 40, random_state=0)
    X = np.hstack([X, np.zeros_like(X)])
    tree = PartitionTreeClassifier(n_passes=1, split="random", shuffle=False, random_state=0).fit(X, y)
    # The first example goes left, at a score of zero, whatever its class; one example a leaf is counted each.
    assert tree.n_nodes_ == 3
    assert tree._tree.visits[1] + tree._tree.visits[2] == 80
    assert tree._tree.visits[1] >= 1
    assert tree.score(X, y) == 1.0


def test_random_split_sends_half_of_the_classes_each_way():
    X, y = make_hypercube_gaussians(32, 20, random_state=0)
    tree = PartitionTreeClassifier(n_passes=1, split="random", random_state=3).fit(X, y)
    assert tree.depth_ == 5
    assert tree.n_nodes_ <= 63
    codes = tree._codes
    for depth in range(5):
        _, sizes = np.unique(codes & (2 ** (depth + 1) - 1), return_counts=True)
        assert set(sizes) == {32 // 2 ** (depth + 1)}


def test_unknown_classes_are_refused():
    tree = PartitionTreeClassifier()
    tree.partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="not among the classes"):
        tree.partial_fit([[0.0]], [2])
    with pytest.raises(ValueError, match="differ from those"):
        tree.partial_fit([[0.0]], [1], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="classes must be passed"):
        PartitionTreeClassifier().partial_fit([[0.0]], [1])


def test_a_short_table_is_read_often_enough_for_its_nodes_to_learn():
    X, y = load_iris(return_X_y=True)
    assert PartitionTreeClassifier(random_state=0).fit(X, y).n_seen_ == 10 * 150
    scores = [cross_val_score(PartitionTreeClassifier(random_state=seed), X, y).mean() for seed in range(3)]
    # One pass gives 0.64.
    assert min(scores) > 0.9
    long = make_hypercube_gaussians(16, 2000, random_state=0)
    assert PartitionTreeClassifier(random_state=0).fit(*long).n_seen_ == 32_000


def test_wrong_numbers_of_classes_are_refused():
    with pytest.raises(ValueError, match="one class only"):
        PartitionTreeClassifier().fit([[0.0], [1.0]], [1, 1])
    tree = PartitionTreeClassifier().fit([[0.0], [1.0]], [1, 2])
    with pytest.raises(ValueError, match="k=3 classes wanted; there are 2"):
        tree.predict_topk([[0.0]], 3)
