"""Cycles of signed networks against dense matrix products and counting by hand."""

import itertools

import networkx
import numpy as np
import pytest

from treatise.network import (
    balance_report,
    cycle_features,
    cycle_patterns,
    imbalance_score,
    is_balanced,
    is_weakly_balanced,
    signed_katz,
    undirected_signs,
)
from treatise.network.signed import cycles


def directed(seed, n=30, density=0.2):
    rng = np.random.default_rng(seed)
    A = np.sign(rng.normal(size=(n, n)) + 0.3) * (rng.random((n, n)) < density)
    np.fill_diagonal(A, 0.0)
    return A


def undirected(seed, n=30, density=0.2):
    upper = np.triu(directed(seed, n, density), 1)
    return upper + upper.T


def test_directed_features_are_products_without_the_link_itself():
    A = directed(0)
    pairs = np.vstack([np.argwhere(A != 0)[:12], np.argwhere(A == 0)[5:15]])
    found = cycle_features(A, pairs, order=5, directed=True)
    assert found.shape[1] == 16 + 64 + 256 == len(cycle_patterns(5, directed=True))
    for row, (i, j) in zip(found, pairs):
        B = A.copy()
        B[i, j] = 0.0
        steps = [B > 0, B < 0, (B > 0).T, (B < 0).T]
        steps = [step.astype(float) for step in steps]
        expected = [
            np.linalg.multi_dot(walk)[i, j] for length in (2, 3, 4) for walk in itertools.product(steps, repeat=length)
        ]
        np.testing.assert_allclose(row, expected)


def test_links_both_ways_to_all_nodes_stay_within_the_lists_of_the_loop(monkeypatch):
    A, pairs = directed(2, n=8, density=1.0), [[0, 1], [3, 2]]
    found = cycle_features(A, pairs, order=4, directed=True)
    monkeypatch.setattr(cycles, "walk_counts", cycles.walk_counts.py_func)  # Python looks at every index
    np.testing.assert_array_equal(cycle_features(A, pairs, order=4, directed=True), found)


def test_undirected_features_add_a_pattern_and_its_reverse():
    A = undirected(1)
    pairs = np.argwhere(np.triu(A) != 0)[:15]
    names = cycle_patterns(5)
    assert len(names) == 3 + 6 + 10
    found = cycle_features(A, pairs, order=5)
    for row, (i, j) in zip(found, pairs):
        B = A.copy()
        B[i, j] = B[j, i] = 0.0
        sign = {"+": (B > 0).astype(float), "-": (B < 0).astype(float)}
        for value, name in zip(row, names):
            walks = {name, name[::-1]}
            expected = sum(np.linalg.multi_dot([sign[s] for s in walk])[i, j] for walk in walks)
            assert value == pytest.approx(expected)
    np.testing.assert_array_equal(cycle_features(A, pairs, order=3), found[:, :3])


def test_katz_is_its_dense_formula_and_its_series():
    A = undirected(2, n=50)
    pairs = np.array(list(itertools.product(range(0, 50, 7), range(50))))
    beta = 0.9 / np.abs(np.linalg.eigvalsh(A)).max()
    dense = np.linalg.inv(np.eye(50) - beta * A) - np.eye(50) - beta * A
    # Conjugate gradients end at a residual of 1e-12.
    np.testing.assert_allclose(signed_katz(A, pairs), dense[tuple(pairs.T)], atol=1e-10)
    small = 0.3 * beta
    series = imbalance_score(A, pairs, order=60, beta=small)
    np.testing.assert_allclose(signed_katz(A, pairs, beta=small), series, atol=1e-10)
    np.testing.assert_allclose(imbalance_score(A, pairs, order=3, beta=1.0), (A @ A)[tuple(pairs.T)])


def test_a_small_discount_leaves_walks_of_two_steps_and_loses_no_digits():
    A = undirected(2, n=50)
    pairs = np.array(list(itertools.product(range(0, 50, 7), range(50))))
    walks = (A @ A)[tuple(pairs.T)]
    np.testing.assert_allclose(signed_katz(A, pairs, beta=1e-8, tol=1e-8) / 1e-16, walks, atol=1e-4)


@pytest.mark.parametrize("order", [3, 4])
def test_the_score_is_the_change_of_unbalanced_walks(order):
    """Closed walks with the asked link once: unbalanced ones if it is negative, less those if it is positive."""
    A = undirected(3, n=8, density=0.6)
    i, j = 0, 1
    A[i, j] = A[j, i] = 0.0

    def unbalanced(sign):
        total = 0
        for middle in itertools.product(range(8), repeat=order - 2):
            walk = (i, *middle, j)
            product = np.prod([A[a, b] for a, b in itertools.pairwise(walk)]) * sign
            total += product < 0
        return total

    expected = unbalanced(-1) - unbalanced(1)
    lower = imbalance_score(A, [[i, j]], order=order - 1, beta=1.0)[0] if order > 3 else 0.0
    assert imbalance_score(A, [[i, j]], order=order, beta=1.0)[0] - lower == pytest.approx(expected)


def test_patterns_of_cycles_are_counted_as_by_hand():
    A = undirected(4, n=12, density=0.6)
    seen = {3: {}, 4: {}}
    for order in (3, 4):
        for nodes in itertools.permutations(range(12), order):
            links = [A[a, b] for a, b in itertools.pairwise((*nodes, nodes[0]))]
            if 0 not in links:
                word = "".join("+" if s > 0 else "-" for s in links)
                turns = [word[k:] + word[:k] for k in range(order)]
                name = min(turns + [t[::-1] for t in turns])
                seen[order][name] = seen[order].get(name, 0) + 1
    for pattern in balance_report(A, n_shuffles=1, random_state=0):
        if pattern.pattern.startswith("balanced"):
            continue
        order = len(pattern.pattern)
        share = seen[order].get(pattern.pattern, 0) / sum(seen[order].values())
        assert pattern.share == pytest.approx(share, abs=1e-12)
        assert pattern.balanced == (pattern.pattern.count("-") % 2 == 0)


def test_shuffled_signs_make_every_pattern_as_frequent_as_expected():
    A = undirected(5, n=60, density=0.4)
    positive = np.mean(A[A != 0] > 0)
    report = {p.pattern: p for p in balance_report(A, n_shuffles=20, random_state=0)}
    # Signs at random: shares are binomial, up to the noise of twenty shuffles of 700 links.
    assert report["+++"].expected == pytest.approx(positive**3, abs=0.02)
    assert report["++++"].expected == pytest.approx(positive**4, abs=0.02)
    total = sum(report[name].share for name in ("+++", "++-", "+--", "---"))
    assert total == pytest.approx(1.0)


def test_two_camps_are_balanced_and_one_turned_link_is_found():
    rng = np.random.default_rng(0)
    camps = rng.integers(0, 2, 40)
    A = np.where(camps[:, np.newaxis] == camps, 1.0, -1.0) * (rng.random((40, 40)) < 0.2)
    A = np.triu(A, 1)
    A = A + A.T
    found = is_balanced(A)
    assert found.balanced
    same = found.camps[:, np.newaxis] == found.camps
    assert (A[same] >= 0).all()
    assert (A[~same] <= 0).all()
    i, j = next((i, j) for i, j in np.argwhere(A != 0) if (A[i] != 0).sum() > 3 and (A[j] != 0).sum() > 3)
    A[i, j] = A[j, i] = -A[i, j]
    found = is_balanced(A)
    assert not found.balanced
    links = [A[a, b] for a, b in itertools.pairwise([*found.cycle, found.cycle[0]])]
    assert np.prod(links) < 0
    assert len(set(found.cycle)) == len(found.cycle)


def test_three_hostile_camps_are_weakly_balanced_and_no_more():
    camps = np.repeat([0, 1, 2], 5)
    A = np.where(camps[:, np.newaxis] == camps, 1.0, -1.0)
    np.fill_diagonal(A, 0.0)
    assert not is_balanced(A).balanced
    found = is_weakly_balanced(A)
    np.testing.assert_array_equal(found.camps, camps)
    A[0, 1] = A[1, 0] = -1.0
    found = is_weakly_balanced(A)
    assert not found.balanced
    links = [A[a, b] for a, b in itertools.pairwise([*found.cycle, found.cycle[0]])]
    assert sorted(links) == [-1.0, *[1.0] * (len(links) - 1)]


def test_directions_are_dropped_with_the_pairs_that_contradict_each_other():
    A = np.zeros((3, 3))
    A[0, 1], A[1, 0], A[1, 2] = 1, -1, -1
    np.testing.assert_array_equal(undirected_signs(A).toarray(), [[0, 0, 0], [0, 0, -1], [0, -1, 0]])


def test_bad_networks_and_pairs_are_refused():
    with pytest.raises(ValueError, match="the network has 2"):
        signed_katz([[0, 2], [2, 0]], [[0, 1]])
    with pytest.raises(ValueError, match="not symmetric"):
        imbalance_score([[0, 1], [-1, 0]], [[0, 1]])
    with pytest.raises(ValueError, match="link to itself"):
        is_balanced([[1, 1], [1, 0]])
    with pytest.raises(ValueError, match="0 to 1"):
        signed_katz([[0, 1], [1, 0]], [[0, 2]])
    with pytest.raises(ValueError, match="below"):
        signed_katz([[0, 1], [1, 0]], [[0, 1]], beta=1.0)
    with pytest.raises(ValueError, match="order=6"):
        cycle_features([[0, 1], [1, 0]], [[0, 1]], order=6)
    with pytest.raises(ValueError, match="no node 'z'"):
        signed_katz(networkx.Graph([("a", "b", {"weight": -1})]), [["a", "z"]])
    assert signed_katz(networkx.Graph([("a", "b", {"weight": -1})]), [["a", "b"]]).shape == (1,)
    assert np.isnan(balance_report(np.zeros((3, 3)))[0].share)
