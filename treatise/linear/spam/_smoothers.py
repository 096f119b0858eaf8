"""Backfitting with kernel smoothers: sparse additive models as the thesis states them (section 12.2)."""

import numpy as np

from treatise.optimize.penalties import kept_share

SMOOTHERS = ("kernel", "local_linear")
_LARGEST_BYTES = 4 * 2**30


def plug_in_bandwidths(X):
    """0.6 deviations times n to the power -1/5, for every column."""
    return 0.6 * X.std(axis=0) * len(X) ** -0.2


def smoother_matrices(X, bandwidths, kind):
    """The matrix of every column that smooths values on the rows, centred: ``S_j R`` has mean zero.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns.
    bandwidths : ndarray of shape (n_features,)
        Width of the Gaussian window; a column without width has a matrix of zeros.
    kind : {"kernel", "local_linear"}
        Local averages or local lines.

    Returns
    -------
    S : ndarray of shape (n_features, n_samples, n_samples)
    """
    n, p = X.shape
    if 8 * p * n * n > _LARGEST_BYTES:
        raise ValueError(
            f"smoother={kind!r} needs a matrix of {n} x {n} for each of {p} columns, {8 * p * n * n / 2**30:.1f} GiB; "
            "use smoother='basis'"
        )
    S = np.zeros((p, n, n))
    for j in range(p):
        if bandwidths[j] > 0:
            S[j] = smoothing_weights(X[:, j], X[:, j], bandwidths[j], kind)
            S[j] -= S[j].mean(axis=0)
    return S


def smoothing_weights(points, x, bandwidth, kind):
    """Weights of the values at ``x`` in the smooth value at each of ``points``."""
    distance = points[:, None] - x[None, :]
    window = np.exp(-0.5 * (distance / bandwidth) ** 2)
    if kind == "local_linear":
        first, second = (window * distance).sum(axis=1), (window * distance**2).sum(axis=1)
        window = window * (second[:, None] - distance * first[:, None])
    total = window.sum(axis=1)
    # Far from all rows the window is empty: there the nearest row's value stands.
    far = ~(np.abs(total) > 1e-12 * np.abs(window).max(axis=1, initial=0.0)) | (total == 0)
    weights = window / np.where(far, 1.0, total)[:, None]
    if far.any():
        weights[far] = 0.0
        weights[far, np.abs(distance[far]).argmin(axis=1)] = 1.0
    return weights


def backfit(S, y, penalty, start=None, *, tol=1e-6, max_iter=500):
    """Sparse backfitting at one penalty: smooth the partial residual of a column, and shrink what comes out.

    Parameters
    ----------
    S : ndarray of shape (n_features, n_samples, n_samples)
        Smoother matrices.
    y : ndarray of shape (n_samples,)
        Centred targets.
    penalty : float
        Price of the root mean square of a component.
    start : ndarray of shape (n_features, n_samples) or None, default=None
        Components to begin with.
    tol : float, default=1e-6
        Largest change of a component, in root mean square over that of y, at which to stop.
    max_iter : int, default=500
        Passes at most.

    Returns
    -------
    components : ndarray of shape (n_features, n_samples)
    shrink : ndarray of shape (n_features,)
        Factor by which the smooth residual of each column is shrunk.
    n_iter : int
        Passes.
    converged : bool
        Whether the last pass moved no component by more than ``tol``.
    """
    p = len(S)
    f = np.zeros((p, len(y))) if start is None else start.copy()
    shrink = np.zeros(p)
    residual = y - f.sum(axis=0)
    limit = tol * max(float(np.sqrt(np.mean(y * y))), np.finfo(float).tiny)
    passes, moved = 0, np.inf
    while moved > limit and passes < max_iter:
        passes, moved = passes + 1, 0.0
        for j in range(p):
            smooth = S[j] @ (residual + f[j])
            size = np.sqrt(np.mean(smooth * smooth))
            shrink[j] = kept_share(size, penalty)
            new = shrink[j] * smooth
            change = new - f[j]
            moved = max(moved, float(np.sqrt(np.mean(change * change))))
            residual -= change
            f[j] = new
    return f, shrink, passes, moved <= limit
