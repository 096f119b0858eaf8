"""How far each part is from the cone of the others."""

import numpy as np
from scipy.optimize import linprog
from sklearn.utils import check_array


def conical_conditioning(components):
    """The least distance, in the sum of magnitudes, of a part from the cone that all others span.

    It bounds the noise under which parts can be told from mixtures: with parts of sum one and mixtures with no weight
    above beta, :class:`LPSeparableNMF` finds the parts up to a noise of kappa (1 - beta) min(1, rho) / (5 (rho + 2))
    (Theorem 2). Zero says that one part is a mixture of the others. Costs a linear program for each part.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features)
        The parts.

    Returns
    -------
    float
        kappa.

    Examples
    --------
    >>> from treatise.decomposition import conical_conditioning
    >>> conical_conditioning([[1.0, 0.0], [0.0, 1.0]]), conical_conditioning([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    (1.0, 0.0)
    """
    parts = check_array(components, dtype=np.float64, input_name="components")
    distances = []
    for k, part in enumerate(parts):
        others = np.delete(parts, k, axis=0)
        # The residual in two parts, above and below zero.
        costs = np.append(np.zeros(len(others)), np.ones(2 * len(part)))
        equal = np.hstack([others.T, np.eye(len(part)), -np.eye(len(part))])
        distances.append(linprog(costs, A_eq=equal, b_eq=part, method="highs").fun)
    return float(min(distances))
