"""Computable guarantees of averaged SGD, and a certificate of near-optimality (Bach, JMLR 15:595)."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.extmath import row_norms, safe_sparse_dot

# |third derivative| <= constant * second derivative, for each loss in its score.
_SELF_CONCORDANCE = {"log": 1.0, "square_root": 1.5, "logcosh": 2.0}


def averaged_sgd_bounds(n_samples, radius, distance, *, curvature=None, step=None, moment=1, tail=3.0):
    """Every bound of the paper on the error of averaged SGD with a constant step.

    Parameters
    ----------
    n_samples : int
        Number N of rows, each seen once.
    radius : float
        Limit R of the norm of a row.
    distance : float
        Distance of the first weights from the best ones.
    curvature : float or None, default=None
        Smallest eigenvalue of the Hessian of the expected loss at the best weights; None leaves out the bounds that
        need it. They hold for the paper's own step only.
    step : float or None, default=None
        The constant step; None is the paper's, 1 / (2 R^2 sqrt(N)).
    moment : int, default=1
        Which moment p the bounds on moments are for.
    tail : float, default=3.0
        Exponent t of the bounds in probability, which hold but for a chance of 2 exp(-t).

    Returns
    -------
    bounds : dict of str to float
        "expected excess" and "expected squared distance" of the last iterate (Lemma 1, Corollary 2), "moment of
        excess" (p-th root; Proposition 3, with its sharper constants for p up to 3), "excess in probability" and
        "squared distance in probability" (Proposition 5), "gradient at the average" (2p-th root; Proposition 7), and
        with a curvature "expected excess, curved" and "expected squared distance of the average, curved"
        (Proposition 10).

    Examples
    --------
    >>> from treatise.online import averaged_sgd_bounds
    >>> bounds = averaged_sgd_bounds(10_000, radius=1.0, distance=2.5)
    >>> round(bounds["expected excess"], 3), round(bounds["excess in probability"], 3)
    (0.065, 0.825)

    References
    ----------
    .. [1] Paper v15-0595, Lemma 1 to Proposition 10. Corollary 8 prints a small n where N is meant.
    """
    positive = {"n_samples": n_samples, "radius": radius, "moment": moment, "step": step, "curvature": curvature}
    for name, value in positive.items():
        if value is not None and not 0 < value < np.inf:
            raise ValueError(f"{name}={value!r} must be positive and finite")
    for name, value in {"distance": distance, "tail": tail}.items():
        if not 0 <= value < np.inf:
            raise ValueError(f"{name}={value!r} must be a finite number from 0 on")
    own_step = step is None
    gamma = 1.0 / (2.0 * radius**2 * np.sqrt(n_samples)) if own_step else step
    noise = n_samples * gamma**2 * radius**2
    start = distance**2
    sharper = {1: start + noise, 2: start + 9.0 * noise, 3: start + 20.0 * noise}
    moments = sharper.get(moment, 3.0 * start + 20.0 * moment * noise)
    root = np.sqrt(n_samples)
    bounds = {
        "expected excess": start / (2.0 * gamma * n_samples) + gamma * radius**2 / 2.0,
        "expected squared distance": start + noise,
        "moment of excess": moments / (2.0 * gamma * n_samples),
        "excess in probability": 30.0 * gamma * radius**2 * tail + 3.0 * start / (gamma * n_samples),
        "squared distance in probability": 60.0 * noise * tail + 6.0 * start,
        "gradient at the average": radius / root * (
            8.0 * np.sqrt(moment) + 4.0 * moment / root + 40.0 * radius**2 * gamma * moment * root
            + 3.0 * start / (gamma * root) + 3.0 * distance / (gamma * radius * root)
        ),
    }  # fmt: skip
    if curvature is not None:
        if not own_step:
            raise ValueError(f"step={step!r}: the bounds with a curvature hold for the paper's own step only")
        ratio = radius**2 / (n_samples * curvature)
        bounds["expected excess, curved"] = ratio * (5.0 * radius * distance + 15.0) ** 4
        bounds["expected squared distance of the average, curved"] = (
            ratio / curvature * (6.0 * radius * distance + 21.0) ** 4
        )
    return {name: float(value) for name, value in bounds.items()}


@dataclass(frozen=True)
class Certificate:
    """How near weights are to those of least mean loss on a sample.

    Attributes
    ----------
    valid : bool
        Whether the gradient is small enough for the bounds to hold; else they are infinite.
    excess : float
        The mean loss exceeds the least one by at most this.
    distance : float
        The best weights are at most this far away.
    gradient_norm, curvature : float
        Norm of the gradient and smallest eigenvalue of the Hessian at the weights.
    """

    valid: bool
    excess: float
    distance: float
    gradient_norm: float
    curvature: float


def self_concordant_certificate(X, y, coef, *, loss="log"):
    """Bound the excess of weights over the least mean loss on a sample, and their distance from the best.

    If R |gradient| / mu is at most 3/4, the excess is at most 2 |gradient|^2 / mu and the distance at most
    2 |gradient| / mu. The paper has mu, the smallest eigenvalue of the Hessian, at the best weights; its proof, run
    from the other end of the segment, gives the same with mu at the weights at hand, so that all is computable.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows; with a column of ones if there is an intercept.
    y : array-like of shape (n_samples,)
        Labels -1 and 1, or targets with ``loss="logcosh"``.
    coef : array-like of shape (n_features,)
        The weights.
    loss : {"log", "square_root", "logcosh"}, default="log"
        The loss.

    Returns
    -------
    certificate : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import self_concordant_certificate
    >>> X = np.array([[1.0], [1.0], [1.0], [1.0]])
    >>> certificate = self_concordant_certificate(X, [1, 1, 1, -1], [1.0])
    >>> certificate.valid, round(certificate.distance, 3)
    (True, 0.193)

    References
    ----------
    .. [1] Paper v15-0595, Lemma 9 and Lemma 13.
    """
    if loss not in _SELF_CONCORDANCE:
        raise ValueError(f"loss={loss!r} must be one of {', '.join(_SELF_CONCORDANCE)}")
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    y, coef = np.asarray(y, dtype=float), np.asarray(coef, dtype=float).ravel()
    if X.shape != (len(y), len(coef)) or len(y) == 0:
        raise ValueError(f"X of shape {X.shape} does not fit {len(y)} labels and {len(coef)} weights, or has no rows")
    for name, values in {"X": X.data if sparse.issparse(X) else X, "y": y, "coef": coef}.items():
        if not np.isfinite(values).all():
            raise ValueError(f"{name} holds nan or infinity; a certificate needs finite numbers")
    if loss != "logcosh" and not np.all(np.abs(y) == 1.0):
        raise ValueError(f"labels must be -1 and 1, got {np.unique(y)!r}")
    slope, bend = _slope_and_bend(loss, safe_sparse_dot(X, coef), y)
    gradient = safe_sparse_dot(X.T, slope) / len(y)
    weighted = X.multiply(bend[:, None]).tocsr() if sparse.issparse(X) else X * bend[:, None]
    hessian = safe_sparse_dot(X.T, weighted, dense_output=True) / len(y)
    curvature = float(np.linalg.eigvalsh(hessian)[0])
    norm = float(np.linalg.norm(gradient))
    radius = _SELF_CONCORDANCE[loss] * float(np.sqrt(row_norms(X, squared=True).max()))
    valid = curvature > 0.0 and radius * norm <= 0.75 * curvature
    if not valid:
        return Certificate(False, np.inf, np.inf, norm, curvature)
    return Certificate(True, 2.0 * norm**2 / curvature, 2.0 * norm / curvature, norm, curvature)


def _slope_and_bend(loss, score, y):
    """First and second derivative of the loss in the score."""
    if loss == "log":
        chance = expit(score)
        return -y * expit(-y * score), chance * (1.0 - chance)
    if loss == "square_root":
        root = np.sqrt(1.0 + score**2)
        return 0.5 * (score / root - y), 0.5 / root**3
    error = np.tanh(score - y)
    return error, 1.0 - error**2
