"""Parts that are rows: successive projection against a pivoted QR, the ellipsoid, the program against plain HiGHS.

Plain HiGHS takes over a minute at the paper's size of 100 rows, so that is solved once by each side.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import sparse
from scipy.linalg import qr
from scipy.optimize import linprog
from sklearn.decomposition import NMF
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import normalize

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_moffett, load_newsgroup_counts, make_near_separable, make_separable
from treatise.decomposition import AnchorTopics, LPSeparableNMF, SeparableNMF
from treatise.optimize import successive_projection


def benchmarks() -> Iterator[Contest | Scaling]:
    """The paper's synthetic sizes and noises, a million rows, a spectral scene, documents, and the linear program."""
    X, pure = make_separable(noise=0.25, random_state=0)
    yield Contest(
        "5000 x 250, noise 0.25: the 10 rows of successive projection, share that agree",
        "scipy",
        ours=lambda: successive_projection(X, 10).indices,
        theirs=lambda: qr(X.T, mode="r", pivoting=True)[1][:10],
        quality=lambda rows: float(np.isin(rows, qr(X.T, mode="r", pivoting=True)[1][:10]).mean()),
        warm_up=partial(successive_projection, X[:50], 3),
    )
    yield Contest(
        "5000 x 250, noise 0.25: ER-SPA against a pivoted QR, share of 10 pure rows found",
        "scipy",
        ours=lambda: SeparableNMF(10).fit(X).components_indices_,
        theirs=lambda: qr(X.T, mode="r", pivoting=True)[1][:10],
        quality=lambda rows: float(np.isin(pure, rows).mean()),
        warm_up=partial(SeparableNMF(3).fit, X[:50]),
    )
    for noise in (0.32, 0.40):
        yield recovery(noise)
    yield Scaling(
        "ER-SPA, rank 20, 50 columns, noise 0.01, over rows",
        (10_000, 100_000, 1_000_000),
        prepare=lambda n: partial(SeparableNMF(20).fit, make_separable(n, 50, 20, noise=0.01, random_state=0)[0]),
        warm_up=partial(SeparableNMF(3).fit, X[:50]),
        repeats=1,
    )
    try:
        counts, groups, _ = load_newsgroup_counts()
        shares = normalize(counts, norm="l1")
        yield Contest(
            f"20 Newsgroups, {counts.shape[0]} x {counts.shape[1]}, 20 topics: information shared with the newsgroups",
            "scikit-learn",
            ours=lambda: AnchorTopics(20).fit(counts).labels_,
            theirs=lambda: NMF(20, init="nndsvd").fit_transform(shares).argmax(axis=1),
            quality=partial(normalized_mutual_info_score, groups),
            warm_up=partial(AnchorTopics(2).fit, counts[:50]),
            repeats=1,
        )
        scene = load_moffett()[0]
        yield Contest(
            "Moffett scene 2500 x 184, 3 materials: relative error (the peer's parts are no pixels)",
            "scikit-learn",
            ours=partial(_error, SeparableNMF(3), scene),
            theirs=partial(_error, NMF(3, max_iter=1000), scene),
            quality=float,
            warm_up=partial(SeparableNMF(3).fit, scene[:50]),
        )
    except DataNotFoundError as missing:
        left_out(f"left out: {missing}")
    for n in (60, 100):
        yield program(n)
    yield Scaling(
        "the linear program (8), noise 0.15 on single entries of 50 columns, over rows; quality: the most that any of "
        "its constraints is missed by",
        (100, 300, 1000),
        prepare=lambda n: partial(solved_program, _pointwise(n)),
        warm_up=partial(LPSeparableNMF(3).fit, _pointwise(60)[:12]),
        repeats=1,
        quality=lambda solution: largest_violation(*solution),
    )


def recovery(noise: float) -> Contest:
    """Ten of the paper's sets: the share of pure rows that the ellipsoid finds, beside successive projection."""
    sets = [make_separable(noise=noise, random_state=seed) for seed in range(10)]

    def found(choose: Callable[[np.ndarray], np.ndarray]) -> float:
        return float(np.mean([np.isin(pure, choose(X)).mean() for X, pure in sets]))

    return Contest(
        f"ten sets of 5000 x 250, noise {noise}: share of the pure rows found, ER-SPA beside a pivoted QR",
        "scipy",
        ours=lambda: found(lambda X: SeparableNMF(10).fit(X).components_indices_),
        theirs=lambda: found(lambda X: qr(X.T, mode="r", pivoting=True)[1][:10]),
        quality=float,
        warm_up=partial(SeparableNMF(3).fit, sets[0][0][:50]),
        repeats=1,
    )


def program(n: int) -> Contest:
    """The optimum of program (8), by ours and by plain HiGHS."""
    rows = _pointwise(n)
    costs = 1.0 + np.random.default_rng(0).uniform(-0.01, 0.01, n)
    model = LPSeparableNMF(10, noise=0.15, costs=costs)
    return Contest(
        f"{n} x 50, noise 0.15 on single entries: the objective of the linear program (8)",
        "scipy",
        ours=lambda: model.fit(rows).objective_,
        theirs=lambda: plain_objective(rows, 0.15, costs),
        quality=float,
        warm_up=partial(LPSeparableNMF(3).fit, rows[:12]),
        repeats=1,
    )


def solved_program(rows: np.ndarray, noise: float = 0.15) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
    """Rows and noise, and the weights (Y transposed) and diagonal that solve program (8)."""
    model = LPSeparableNMF(10, noise=noise).fit(rows)
    return rows, noise, model.lp_weights_.toarray(), model.lp_diagonal_


def largest_violation(rows: np.ndarray, noise: float, weights: np.ndarray, diagonal: np.ndarray) -> float:
    """By how much a solution misses the constraints of program (8) at most."""
    sizes = np.abs(rows).sum(axis=1)
    bounds = sizes[:, np.newaxis] / sizes * diagonal
    errors = np.abs(rows - weights @ rows).sum(axis=1)
    missed = ((errors - noise).max(), (weights - bounds).max(), -weights.min(), (diagonal - 1.0).max())
    return float(max(0.0, *missed))


def _pointwise(n: int) -> np.ndarray:
    return make_near_separable("dirichlet", "pointwise", 0.15, n_samples=n, random_state=0)[0]


def _error(model: SeparableNMF | NMF, X: np.ndarray) -> float:
    return float(model.fit(X).reconstruction_err_ / np.linalg.norm(X))


def plain_objective(X: np.ndarray, noise: float, costs: np.ndarray) -> float:
    """Program (8) with all its n^2 + n p variables, sparse, by HiGHS: Y by rows, then magnitudes of residuals."""
    n, p = X.shape
    sizes = np.abs(X).sum(axis=1)
    rebuilt, residuals = sparse.kron(X.T, sparse.eye_array(n)), sparse.eye_array(n * p)
    within = sparse.hstack([sparse.csr_array((n, n * n)), sparse.kron(np.ones((1, p)), sparse.eye_array(n))])
    i, j = (index.ravel() for index in np.indices((n, n)))
    own = sparse.csr_array((sizes[j], (np.arange(n * n), i * n + i)), shape=(n * n, n * n))
    below = sparse.hstack([sparse.diags_array(sizes[i]) - own, sparse.csr_array((n * n, n * p))])
    A = sparse.vstack(
        [sparse.hstack([rebuilt, -residuals]), sparse.hstack([-rebuilt, -residuals]), within, below], format="csr"
    )
    target = X.T.ravel()
    b = np.concatenate([target, -target, np.full(n, noise), np.zeros(n * n)])
    c = np.append(np.diag(costs).ravel(), np.zeros(n * p))
    upper = np.append(np.where(np.eye(n).ravel() > 0, 1.0, np.inf), np.full(n * p, np.inf))
    return float(linprog(c, A_ub=A, b_ub=b, bounds=np.column_stack([np.zeros(len(c)), upper]), method="highs").fun)
