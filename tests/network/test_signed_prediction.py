"""Signs of unseen links and camps of signed networks against networks whose camps are known."""

import networkx
import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from treatise.datasets import make_signed_network
from treatise.io import load_model, save_model
from treatise.network import SignedClustering, SignedLinkPredictor, cycle_features, undirected_signs
from treatise.network.signed.clustering import signed_laplacian_vectors
from treatise.network.signed.completion import project_singular_values

METHODS = ["als", "sigmoid", "squared_hinge", "svp", "hoc", "katz", "moi"]


def unseen(A, camps):
    i, j = np.triu_indices(len(camps), 1)
    hidden = A.toarray()[i, j] == 0
    i, j = i[hidden], j[hidden]
    return np.stack([i, j], axis=1), np.where(camps[i] == camps[j], 1, -1)


def test_a_complete_network_has_the_rank_of_its_camps():
    for sizes, rank in (([4], 1), ([3, 5], 1), ([3, 1, 2], 3), ([2, 3, 4, 5], 4)):
        A, camps = make_signed_network(sizes, sparsity=1.0)
        full = np.where(camps[:, np.newaxis] == camps, 1.0, -1.0)
        np.testing.assert_array_equal(A.toarray(), full - np.eye(len(camps)))
        assert np.linalg.matrix_rank(full) == rank
    values = np.linalg.eigvalsh(make_signed_network([3, 1, 2], sparsity=1.0)[0].toarray() + np.eye(6))
    # Six digits are known.
    np.testing.assert_allclose(sorted(values[np.abs(values) > 1e-9]), [-1.75877, 2.69459, 5.06418], atol=5e-6)


@pytest.mark.parametrize(("method", "least"), list(zip(METHODS, [0.97, 0.9, 0.97, 0.97, 0.75, 0.6, 0.6])))
def test_unseen_signs_of_five_camps_are_told(method, least):
    A, camps = make_signed_network([20, 40, 60, 80, 100], sparsity=0.15, random_state=0)
    model = SignedLinkPredictor(method, rank=5, order=4, max_iter=400, random_state=0).fit(A)
    pairs, signs = unseen(A, camps)
    few = np.random.default_rng(0).permutation(len(pairs))[:3000]
    assert model.score(pairs[few], signs[few]) > least


@pytest.mark.parametrize("method", ["als", "katz", "svp"])
def test_two_camps_are_told_from_few_links(method):
    A, camps = make_signed_network([150, 150], sparsity=0.06, random_state=1)
    model = SignedLinkPredictor(method, rank=2, random_state=0).fit(A)
    assert model.score(*unseen(A, camps)) > 0.99


@pytest.mark.parametrize("method", METHODS)
def test_scores_do_not_depend_on_the_order_of_the_nodes_or_of_a_pair(method):
    A, _ = make_signed_network([15, 15, 20], sparsity=0.4, random_state=2)
    order = np.random.default_rng(0).permutation(50)
    model = SignedLinkPredictor(method, rank=3, reg=1.0, order=4, tol=1e-10, max_iter=3000, random_state=0)
    pairs = np.array([[0, 1], [0, 30], [20, 49]])
    plain = model.fit(A).decision_function(pairs)
    np.testing.assert_allclose(model.decision_function(pairs[:, ::-1]), plain, rtol=1e-6, atol=1e-9)
    moved = model.fit(A[order][:, order]).decision_function(np.argsort(order)[pairs])
    if method in ("sigmoid", "squared_hinge"):  # steps are taken in another order, towards another local minimum
        np.testing.assert_array_equal(np.sign(moved), np.sign(plain))
    else:
        np.testing.assert_allclose(moved, plain, rtol=1e-2, atol=1e-4)


def test_projection_never_raises_the_error_and_holds_a_sparse_network():
    A, camps = make_signed_network([100, 200, 300], sparsity=0.02, random_state=0)
    found = project_singular_values(A, 3, random_state=0)
    assert (np.diff(found.error) <= 0).all()
    dense = (found.U * found.w) @ found.U.T
    entries = dense[A.toarray() != 0] - A.toarray()[A.toarray() != 0]
    assert found.error[-1] == pytest.approx(np.sum(entries**2), rel=1e-6)
    pairs, signs = unseen(A, camps)
    assert np.mean(np.sign(found.at(pairs[:, 0], pairs[:, 1])) == signs) > 0.9


def test_hoc_learns_from_known_links_as_if_they_were_unknown():
    A, _ = make_signed_network([30, 30, 30], sparsity=0.4, random_state=3)
    model = SignedLinkPredictor("hoc", order=3).fit(A)
    links = sparse.coo_array(sparse.triu(A))
    pairs = np.stack([links.row, links.col], axis=1)
    expected = model.model_.decision_function(cycle_features(A, pairs, order=3))
    np.testing.assert_array_equal(model.decision_function(pairs), expected)


def test_score_takes_one_sign_for_each_pair():
    A, camps = make_signed_network([10, 10], sparsity=0.5, random_state=0)
    model = SignedLinkPredictor().fit(A)
    pairs, signs = unseen(A, camps)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(pairs, signs[:1])


def test_directed_links_are_scored_along_their_direction():
    rng = np.random.default_rng(0)
    giving, taking = np.sign(rng.normal(size=(2, 60)))
    A = np.outer(giving, taking) * (rng.random((60, 60)) < 0.4)
    np.fill_diagonal(A, 0.0)
    pairs = np.argwhere((A == 0) & ~np.eye(60, dtype=bool))
    signs = (giving[pairs[:, 0]] * taking[pairs[:, 1]]).astype(int)
    assert SignedLinkPredictor(rank=2, directed=True, random_state=0).fit(A).score(pairs, signs) > 0.99
    assert SignedLinkPredictor("hoc", order=4, directed=True).fit(A).score(pairs[:500], signs[:500]) > 0.95


def test_nodes_without_links_score_zero_and_get_the_majority():
    A, _ = make_signed_network([10, 10], sparsity=0.5, random_state=0)
    A = sparse.block_diag([A, np.zeros((1, 1))], format="csr")
    for method in ("als", "katz", "moi", "svp"):
        model = SignedLinkPredictor(method, rank=2, random_state=0).fit(A)
        assert model.decision_function([[0, 20]])[0] == pytest.approx(0.0, abs=1e-9)
    model = SignedLinkPredictor(rank=2, random_state=0).fit(A)
    assert model.predict([[0, 20]])[0] == model.majority_


@pytest.mark.parametrize("method", ["als", "sigmoid", "squared_hinge"])
@pytest.mark.parametrize("reg", [10.0, "auto"])
def test_a_penalty_that_leaves_nothing_of_the_factors_predicts_the_majority(method, reg):
    friends = np.ones((5, 5)) - np.eye(5)
    pairs = np.argwhere(friends > 0)
    for seed in range(4):
        model = SignedLinkPredictor(method, rank=2, reg=reg, random_state=seed).fit(friends)
        assert (model.predict(pairs) == 1).all()
    if reg == 10.0:
        assert not model.decision_function(pairs).any()


@pytest.mark.parametrize("method", ["als", "squared_hinge"])
def test_a_penalty_that_leaves_nothing_loses_against_one_that_tells_as_many_signs(method):
    """Two camps of two cliques, with two links between them: naming the frequent sign is right of any few links."""
    A = networkx.to_numpy_array(networkx.ring_of_cliques(4, 5))
    camps = np.arange(20) // 10
    A[camps[:, None] != camps] *= -1.0
    A = sparse.csr_array(A)
    for seed in range(4):
        assert SignedLinkPredictor(method, random_state=seed).fit(A).score(*unseen(A, camps)) > 0.95


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("method", ["als", "sigmoid", "squared_hinge", "svp"])
def test_completion_of_a_network_of_one_sign_predicts_that_sign(method, sign):
    for n, share in ((6, 0.7), (20, 0.4), (60, 0.15)):
        upper = np.triu(np.random.default_rng(0).random((n, n)) < share, 1)
        A = sign * (upper + upper.T).astype(float)
        pairs = np.argwhere(np.triu(A == 0, 1))
        assert SignedLinkPredictor(method, random_state=0).fit(A).score(pairs, np.full(len(pairs), sign)) == 1.0


@pytest.mark.parametrize("sizes", [[10, 10, 10], [20, 20], [40, 50, 60]])
def test_the_rank_of_the_projection_is_drawn_from_the_links(sizes):
    A, camps = make_signed_network(sizes, sparsity=0.4, random_state=0)
    model = SignedLinkPredictor("svp", random_state=0).fit(A)
    assert model.rank_ <= len(sizes)
    assert model.score(*unseen(A, camps)) > 0.97


@pytest.mark.parametrize("method", ["als", "sigmoid", "squared_hinge", "svp"])
def test_friends_of_friends_are_friends_in_a_network_without_cycles(method):
    """Two sides that are linked with one another alone could as well be called foes among themselves."""
    for seed in range(6):
        path = np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1)
        star = np.zeros((6, 6))
        star[0, 1:] = star[1:, 0] = 1.0
        A = sparse.csr_array(sparse.block_diag([path, star]))
        model = SignedLinkPredictor(method, reg=0.3, random_state=seed).fit(A)
        assert (model.predict([[0, 2], [4, 5], [7, 8]]) == 1).all()
        assert (model.predict([[0, 1], [3, 4]]) == 1).all()


def test_projection_of_a_few_nodes_has_no_complaint(recwarn):
    model = SignedLinkPredictor("svp", rank=2, random_state=0).fit(np.ones((5, 5)) - np.eye(5))
    assert model.predict([[0, 1]]) == [1]
    assert not recwarn.list


def test_a_saved_model_says_the_same(tmp_path):
    A, _ = make_signed_network([10, 15, 20], sparsity=0.4, random_state=0)
    for method in ("als", "hoc", "katz"):
        model = SignedLinkPredictor(method, rank=3, order=3, random_state=0).fit(A)
        save_model(model, tmp_path / "model.skops")
        loaded = load_model(tmp_path / "model.skops").model
        np.testing.assert_array_equal(
            loaded.decision_function([[0, 1], [3, 40]]), model.decision_function([[0, 1], [3, 40]])
        )


@pytest.mark.parametrize("completion", ["als", "svp"])
def test_ten_camps_are_found_after_completion(completion):
    A, camps = make_signed_network([40] * 10, sparsity=0.15, random_state=0)
    model = SignedClustering(10, completion=completion, random_state=0).fit(A)
    assert adjusted_rand_score(camps, model.labels_) > 0.98
    assert model.embedding_.shape == (400, 10)


def test_projection_ends_where_nodes_have_few_links():
    """With steps of one length the error of 300 nodes of ten links each still falls after 500."""
    A, _ = make_signed_network([150, 150], sparsity=0.035, noise=0.05, random_state=1)
    found = project_singular_values(A, 4, random_state=0)
    assert found.converged
    assert (np.diff(found.error) <= 0.0).all()
    assert SignedClustering(4, completion="svp", random_state=0).fit(A).converged_


def test_the_signed_laplacian_finds_camps_of_a_dense_network():
    A, camps = make_signed_network([20, 30], sparsity=0.8, random_state=0)
    labels = SignedClustering(2, completion=None, random_state=0).fit_predict(A)
    assert adjusted_rand_score(camps, labels) == 1.0
    large, _ = make_signed_network([300, 301], sparsity=0.05, random_state=0)
    L = np.diag(abs(large).sum(axis=1)) - large.toarray()
    vectors = signed_laplacian_vectors(large, 2, 0)
    values = np.linalg.eigvalsh(L)[:2]
    np.testing.assert_allclose(np.einsum("ik,ij,jk->k", vectors, L, vectors), values, rtol=1e-6, atol=1e-9)


def test_names_of_networkx_nodes_are_understood():
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("ann", "bob", 1), ("bob", "cat", -1), ("ann", "dan", 1), ("dan", "cat", -1)])
    model = SignedLinkPredictor("katz").fit(graph)
    assert model.predict([["ann", "cat"], ["bob", "dan"]]).tolist() == [-1, 1]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="no link"):
        SignedLinkPredictor().fit(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="takes undirected"):
        SignedLinkPredictor("katz", directed=True).fit(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="needs both"):
        SignedLinkPredictor("hoc").fit([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="choose 3, 4 or 5"):
        SignedLinkPredictor("hoc", order=7).fit([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="below the 2 nodes"):
        SignedClustering(2).fit([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="sampling="):
        make_signed_network([3], sampling="random")


def test_power_law_sampling_makes_unequal_degrees_at_the_same_density():
    A, _ = make_signed_network([300, 300], sparsity=0.05, sampling="powerlaw", random_state=0)
    degrees = np.diff(A.indptr)
    assert degrees.mean() / 599 == pytest.approx(0.05, rel=0.15)
    assert degrees.std() > 2 * np.sqrt(degrees.mean())


def test_a_network_without_links_has_no_camps():
    with pytest.raises(ValueError, match="no link"):
        SignedClustering(2).fit(sparse.csr_array((8, 8)))


@pytest.mark.parametrize("form", [np.array, lambda A: networkx.from_numpy_array(A, create_using=networkx.DiGraph)])
def test_the_advice_for_a_directed_network_leads_to_one_that_is_taken(form):
    one_way = form(np.array([[0.0, 1.0, -1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    with pytest.raises(ValueError, match="undirected_signs"):
        SignedLinkPredictor("katz").fit(one_way)
    SignedLinkPredictor("katz").fit(undirected_signs(one_way))
