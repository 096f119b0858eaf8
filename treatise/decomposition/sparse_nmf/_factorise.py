"""Where the two factors start, and the alternation between them.

Factors have one row per component: ``H`` (the codes, the paper's H) one column per sample, ``B`` (the
components, the transpose of the paper's W) one column per feature. X is dense or sparse, samples by features.
"""

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_random_state
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_non_negative

from treatise.decomposition._products import data_by, squared_error, squared_norm
from treatise.decomposition.sparse_nmf._rules import MultiplicativeRule, ProjectedGradientRule, SparsenessRule

# The progress that decides on convergence is looked at over this many iterations.
_PACE = 10


def starting_factors(X, n_components, init, random_state):
    """Two non-negative factors, of shapes (n_components, n_samples) and (n_components, n_features).

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    n_components : int
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}
    random_state : int, RandomState instance or None

    Returns
    -------
    codes, components : ndarray
    """
    generator = check_random_state(random_state)
    if init == "random":
        # Magnitudes of normal numbers, as in the author's program, at the scale of the data.
        scale = np.sqrt(X.mean() / n_components)
        codes = scale * np.abs(generator.standard_normal((n_components, X.shape[0])))
        return codes, scale * np.abs(generator.standard_normal((n_components, X.shape[1])))
    codes, components = _nonnegative_svd(X, n_components)
    for factor in (codes, components):
        zeros = factor < 1e-6 * factor.max()
        if init == "nndsvd":
            factor[zeros] = 0.0
        elif init == "nndsvda":
            # The factor's own mean, not that of the data: the start keeps step with the unit of the data.
            factor[zeros] = factor.mean()
        else:
            factor[zeros] = np.abs(generator.standard_normal(zeros.sum())) * factor.mean() / 100
    return codes, components


def given_factors(X, n_components, codes, components):
    """The caller's own start, checked: copies of shapes (n_components, n_samples) and (n_components, n_features)."""
    shapes = {"codes": (X.shape[0], n_components), "components": (n_components, X.shape[1])}
    checked = {}
    for name, given in (("codes", codes), ("components", components)):
        if given is None:
            raise ValueError(f"init='custom' needs {name}, an array of shape {shapes[name]}")
        given = check_array(given, dtype=np.float64, input_name=name)
        check_non_negative(given, f"SparseNMF (its {name})")
        if given.shape != shapes[name]:
            raise ValueError(f"{name} has the shape {given.shape}; it must be {shapes[name]}")
        checked[name] = given
    return np.array(checked["codes"].T, order="C"), np.array(checked["components"], order="C")


def _nonnegative_svd(X, n_components):
    """The non-negative double singular value decomposition of Boutsidis and Gallopoulos (2008)."""
    if n_components > min(X.shape):
        raise ValueError(
            f"a start from singular vectors has at most min(n_samples, n_features)={min(X.shape)} components, "
            f"not n_components={n_components}; use init='random'"
        )
    # The decomposition is deterministic: so is its sketch.
    left, values, right = randomized_svd(X, n_components, random_state=0)
    left = left.T
    sides = []
    for sign in (1.0, -1.0):
        u, v = np.maximum(sign * left, 0.0), np.maximum(sign * right, 0.0)
        sides.append((u, v, np.linalg.norm(u, axis=1), np.linalg.norm(v, axis=1)))
    positive = sides[0][2] * sides[0][3] >= sides[1][2] * sides[1][3]
    u, v, u_norm, v_norm = (np.where(positive if a.ndim == 1 else positive[:, None], a, b) for a, b in zip(*sides))
    # Of each pair keep the larger of its two non-negative parts, at the length that part has in the product.
    u_share = np.sqrt(values * v_norm / np.maximum(u_norm, np.finfo(float).tiny))
    v_share = np.sqrt(values * u_norm / np.maximum(v_norm, np.finfo(float).tiny))
    return u * u_share[:, None], v * v_share[:, None]


def factorise(X, H, B, component_rule, code_rule, max_iter, tol):
    """Steps 2 to 4 of the algorithm.

    Returns
    -------
    H, B : ndarray
    history : list of float
        Squared error at the start and after each iteration.
    converged : bool
    """
    H, B = balanced(H, B, 1.0)
    if isinstance(component_rule, SparsenessRule):
        B = component_rule.project(B)
    if isinstance(code_rule, SparsenessRule):
        H = code_rule.project(H)
    # The step size of a gradient suits one scale of the other factor, which multiplicative steps let drift.
    drifts = isinstance(component_rule, ProjectedGradientRule) and isinstance(code_rule, MultiplicativeRule)
    energy, gram_of_codes = squared_norm(X), H @ H.T
    history = [squared_error(energy, H, gram_of_codes, B @ B.T, data_by(B, X))]
    for n_iter in range(1, max_iter + 1):
        B = component_rule.step(B, gram_of_codes, _pooled_by(H, X))
        gram, cross = B @ B.T, data_by(B, X)
        H = code_rule.step(H, gram, cross)
        gram_of_codes = H @ H.T
        history.append(squared_error(energy, H, gram_of_codes, gram, cross))
        if drifts:
            H, B = balanced(H, B, 1.0)
            gram_of_codes = H @ H.T
        if tol > 0 and n_iter % _PACE == 0 and _slow(history, tol):
            return H, B, history, True
    return H, B, history, False


def settle(rule, H, gram, cross, energy, max_iter, tol):
    """Step 4b alone, with the components fixed, until the error stops falling."""
    history = [squared_error(energy, H, H @ H.T, gram, cross)]
    for n_iter in range(1, max_iter + 1):
        H = rule.step(H, gram, cross)
        history.append(squared_error(energy, H, H @ H.T, gram, cross))
        if n_iter % _PACE == 0 and _slow(history, tol):
            break
    return H


def _slow(history, tol):
    start, before, now = (np.sqrt(history[i]) for i in (0, -1 - _PACE, -1))
    return before - now <= tol * start


def _pooled_by(H, X):
    """``H @ X``, C-ordered, for dense and sparse X."""
    return np.ascontiguousarray((X.T @ H.T).T) if sparse.issparse(X) else H @ X


def balanced(H, B, norm):
    """The same product with rows of H of the given L2 norm; a row of zeros stays."""
    scale = np.linalg.norm(H, axis=1, keepdims=True) / norm
    scale[scale == 0] = 1.0
    return H / scale, B * scale
