"""Two experts who trade on opposite views of a price's volatility (V'yugin, JMLR 12:241, Section 5)."""

import numpy as np


def volatility_gains(prices, shares=1.0):
    """Gains of two zero-sum traders, of whom one wins when a price moves far and the other when it moves much.

    The first holds 2 * shares * (price - first price) at every moment, the second as many short. Over a series the
    first gains shares * ((last - first)^2 - sum of squared steps): it bets on macro against micro volatility.

    Parameters
    ----------
    prices : array-like of shape (n_steps + 1,)
        The price at each moment.
    shares : float, default=1.0
        Scale of the holdings.

    Returns
    -------
    gains : ndarray of shape (n_steps, 2)
        Gain of each trader in each step; play ``-gains`` as losses.

    Examples
    --------
    >>> from treatise.online import volatility_gains
    >>> volatility_gains([10.0, 11.0, 13.0]).tolist()
    [[0.0, -0.0], [4.0, -4.0]]

    References
    ----------
    .. [1] Paper v12-0241, Equations 45 to 47. The paper prints twice the total above; by its Equation 45 the
       factor is one.
    """
    prices = np.asarray(prices, dtype=float)
    if prices.ndim != 1 or len(prices) < 2 or not np.all(np.isfinite(prices)):
        raise ValueError(f"prices must be a series of at least two finite numbers, got shape {prices.shape}")
    first = 2.0 * shares * (prices[:-1] - prices[0]) * np.diff(prices)
    return np.column_stack([first, -first])
