"""A sweep of alternating least squares on a signed network beside implicit's, over links, and the signs it tells."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from benchmarks._contest import Contest, Scaling, left_out
from treatise.datasets import make_signed_network
from treatise.network import SignedLinkPredictor
from treatise.optimize import factorize_observed


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same number of sweeps over the same links; the losses differ, so the time alone is compared."""
    A = network(20_000, 1_000_000)
    try:
        yield Contest(
            work="ten sweeps over a million signed links, rank 10 (the losses differ, the time alone is compared)",
            peer="implicit",
            ours=lambda: factorize_observed(A, 10, max_iter=10, tol=0.0, random_state=0),
            theirs=_implicit(A),
            quality=lambda _: 1.0,
            warm_up=lambda: factorize_observed(network(100, 500), 10, max_iter=1, random_state=0),
        )
    except ImportError as missing:
        left_out(f"{missing}: no contest with implicit")
    yield Scaling(
        work="one sweep of rank 10, over links",
        sizes=(100_000, 1_000_000, 12_000_000),
        prepare=lambda links: _sweep(network(links // 100, links)),
        warm_up=_sweep(network(100, 500)),
    )
    yield accuracy(0.02)


def accuracy(share: float) -> Contest:
    """The paper's five camps, of whose links few are seen; the peer takes those that are not for zero."""
    A, camps = make_signed_network((100, 200, 300, 400, 500), sparsity=share, random_state=0)
    first, second = np.triu_indices(len(camps), 1)
    unseen = np.asarray(A[first, second]).ravel() == 0.0
    first, second = first[unseen], second[unseen]
    truth = np.where(camps[first] == camps[second], 1, -1)
    pairs = np.stack([first, second], axis=1)

    def truncated() -> np.ndarray:
        svd = TruncatedSVD(5, random_state=0)
        rows = svd.fit_transform(A)
        return np.sign(np.einsum("ij,ij->i", rows[first], svd.components_.T[second]))

    def completed() -> np.ndarray:
        return SignedLinkPredictor(rank=5, reg=1.0, random_state=0).fit(A).predict(pairs)

    return Contest(
        work=f"five camps of 1500 nodes, {share:.0%} of the links seen: share of the other signs that are right",
        peer="scikit-learn",
        ours=completed,
        theirs=truncated,
        quality=lambda signs: float(np.mean(signs == truth)),
        warm_up=completed,
        repeats=1,
    )


def network(n: int, links: int) -> sparse.csr_array:
    """Random signed links."""
    rng = np.random.default_rng(n)
    rows, columns = rng.integers(0, n, (2, links))
    A = sparse.csr_array((np.where(rng.random(links) < 0.7, 1.0, -1.0), (rows, columns)), shape=(n, n))
    A.data = np.sign(A.data)
    A.eliminate_zeros()
    return A


def _sweep(A):
    return lambda: factorize_observed(A, 10, max_iter=1, tol=0.0, random_state=0)


def _implicit(A):
    from implicit.als import AlternatingLeastSquares

    plain = sparse.csr_matrix(abs(A))

    def work():
        model = AlternatingLeastSquares(factors=10, iterations=10, use_cg=False, use_gpu=False, random_state=0)
        model.fit(plain, show_progress=False)
        return model

    return work
