"""Picture of which blocks a group-sparse regression keeps, and how much it lets each of them vary."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_group_variances(model, *, labels=None, ax=None):
    """Draw the deviation of every block's coefficients, root of its variance; a cross marks a block that is zero.

    Use it to see which blocks carry the prediction; with columns of one scale the bars can be compared.

    Parameters
    ----------
    model : GroupARDRegressor or GroupLassoMKL
        Fitted.
    labels : sequence of str or None, default=None
        A word for each block, in their order; None numbers them.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import GroupARDRegressor, plot_group_variances
    >>> X = np.random.default_rng(0).standard_normal((80, 6))
    >>> model = GroupARDRegressor(groups=2).fit(X, X[:, 0] + X[:, 1])
    >>> ax = plot_group_variances(model, labels=["size", "age", "place"])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['size', 'age', 'place']
    """
    check_is_fitted(model)
    deviations = np.sqrt(model.variances_)
    if labels is not None and len(labels) != len(deviations):
        raise ValueError(f"labels has {len(labels)} words for {len(deviations)} blocks; give one for each")
    places = np.arange(len(deviations))
    ax = axes_for(ax, figsize=(min(12.0, 3 + 0.3 * len(places)), 3.5))
    ax.bar(places, deviations, color="#1b6ca8")
    zero = np.flatnonzero(deviations == 0)
    ax.plot(zero, np.zeros(len(zero)), "x", color="#c8553d", clip_on=False)
    if labels is not None:
        ax.set_xticks(places, list(labels), rotation=90 if len(places) > 8 else 0)
    ax.set(xlabel="block", ylabel="deviation of its coefficients", ylim=(0, None))
    return ax
