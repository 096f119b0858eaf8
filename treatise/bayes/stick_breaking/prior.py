"""Draws from the prior of stick weights over places (section 2.2 of v12-0203, Figures 2 and 3)."""

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from treatise.bayes.stick_breaking._places import checked_locations, chosen_centers, places_of
from treatise.bayes.stick_breaking._sticks import stick_shares


def draw_stick_weights(
    locations, *, width, centers="auto", n_sticks=10, spike=(1.0, 10.0), slab=15.0, random_state=None
):
    """Weights of sticks over places, drawn from the prior: what segments a model expects before it sees data.

    Each stick's weights are zero but for a share drawn from a beta distribution, and normal else; its constant is
    normal too. Look at some draws to choose kernel widths: the wider, the larger the segments.

    Parameters
    ----------
    locations : array-like of shape (n_places,) or (n_places, n_dimensions)
        Places.
    width : float
        Kernel width psi of ``exp(-distance^2 / psi)``.
    centers : "auto", int, "all" or array-like, default="auto"
        Centres of the kernels, as in :class:`LogisticStickBreaking`.
    n_sticks : int, default=10
        Sticks.
    spike : (float, float), default=(1.0, 10.0)
        Beta distribution of the share of weights that are not zero.
    slab : float, default=15.0
        Standard deviation of those.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    weights : ndarray of shape (n_places, n_sticks)
        Each row sums to one.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import draw_stick_weights
    >>> weights = draw_stick_weights(np.arange(488), width=500.0, centers=98, random_state=0)
    >>> weights.shape, bool(np.allclose(weights.sum(axis=1), 1.0))
    ((488, 10), True)

    References
    ----------
    .. [1] Paper v12-0203, section 2.2.
    """
    locations = checked_locations(locations, None)
    if not width > 0 or not slab > 0 or not min(spike) > 0 or n_sticks < 1:
        raise ValueError(
            f"width={width}, slab={slab}, spike={spike} must be above zero and n_sticks={n_sticks} 1 or more"
        )
    random_state = check_random_state(random_state)
    places = places_of(locations, chosen_centers(centers, locations))
    n_weights = places.squares.shape[1] + 1
    kept = random_state.random_sample((n_sticks - 1, n_weights)) < random_state.beta(*spike, size=(n_sticks - 1, 1))
    kept[:, 0] = True
    weights = np.where(kept, random_state.normal(scale=slab, size=kept.shape), 0.0)
    return stick_shares(expit(places.features(width) @ weights.T))
