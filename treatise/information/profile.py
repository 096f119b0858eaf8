"""All neighbour estimates of two samples from one search."""

import numpy as np
from scipy.special import digamma

from treatise.information._estimator import list_estimators
from treatise.information._radii import PairRadii
from treatise.information.divergences.neighbours import KnnKLDivergence, _NeighbourDivergence


def divergence_profile(X, Y, *, k=3, alpha=0.9) -> dict[str, float]:
    """Every divergence of two samples that follows from neighbours, from one search of them.

    The searches are nearly all the cost of each estimate; here they are made once for the whole family, so that all
    divergences cost little more than one.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features) and (n_other, n_features)
        The samples.
    k : int, default=3
        Number of neighbours; at least 3, which the L2 divergence needs.
    alpha : float, default=0.9
        Order of the Renyi, Tsallis and Bregman divergences.

    Returns
    -------
    profile : dict of str to float
        Values by the names of the methods of :func:`divergence`, and "entropy_x", "entropy_y", "cross_entropy" and
        "j_distance".

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import divergence_profile
    >>> rng = np.random.default_rng(0)
    >>> profile = divergence_profile(rng.normal(size=(3000, 1)), rng.normal(size=(3000, 1)) + 1.0)
    >>> round(profile["kl_knn"], 1), round(profile["hellinger_knn"], 1)
    (0.5, 0.4)
    """
    if k < 3:
        raise ValueError(f"k={k} is too small: the L2 divergence needs at least 3 neighbours")
    X, Y = KnnKLDivergence(k)._pair(X, Y)
    radii = PairRadii(X, Y, k)
    profile = {}
    for row in list_estimators("divergence"):
        if issubclass(row.estimator, _NeighbourDivergence):
            orders = {"alpha": alpha} if "alpha" in row.estimator._get_param_names() else {}
            profile[row.name] = float(row.estimator(k=k, **orders).from_radii(radii))
    profile["j_distance"] = profile["kl_knn"] + float(KnnKLDivergence(k).from_radii(radii.reverse))
    profile["entropy_x"] = float(np.mean(radii.log_own_volume) - digamma(k))
    profile["entropy_y"] = float(np.mean(radii.reverse.log_own_volume) - digamma(k))
    profile["cross_entropy"] = float(np.mean(radii.log_other_volume) - digamma(k))
    return profile
