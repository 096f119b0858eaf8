"""Picture of policy searches: returns over the trials."""

import numpy as np

from treatise._core.figures import axes_for


def plot_policy_search(searches, *, best=True, ylabel="return", ax=None):
    """Draw how the returns of policy searches rise with the trials.

    Use it to see whether a search was still rising when it ended, or which of several methods learns fastest. The
    likeness of the policies tried is drawn by :func:`treatise.kernels.plot_gram` from
    :meth:`PolicyBO.kernel_matrix`.

    Parameters
    ----------
    searches : PolicyBO or dict of array-like of shape (n_trials,) or (n_runs, n_trials)
        A search; or returns by the method's name, of which means over the runs and their standard errors are drawn.
    best : bool, default=True
        Whether to draw the best return so far (and the trials of a single search as points) or each trial's own.
    ylabel : str, default="return"
        What the returns are.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.rl import plot_policy_search
    >>> plot_policy_search({"bbk": [-400.0, -320.0, -180.0], "se": [-400.0, -400.0, -390.0]}).get_xlabel()
    'trials'
    """
    alone = not isinstance(searches, dict)
    curves = {"": searches.y_} if alone else searches
    if not curves:
        raise ValueError("there is no curve to draw")
    ax = axes_for(ax, figsize=(6, 4))
    for name, returns in curves.items():
        returns = np.atleast_2d(np.asarray(returns, dtype=np.float64))
        along = np.arange(1, returns.shape[1] + 1)
        if best:
            if alone:
                ax.scatter(along, returns[0], s=12, color="0.6")
            returns = np.maximum.accumulate(returns, axis=1)
        (line,) = ax.plot(along, returns.mean(axis=0), label=name)
        if len(returns) > 1:
            error = returns.std(axis=0, ddof=1) / np.sqrt(len(returns))
            low, high = returns.mean(axis=0) - error, returns.mean(axis=0) + error
            ax.fill_between(along, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    ax.set(xlabel="trials", ylabel=f"best {ylabel} so far" if best else ylabel)
    if not alone:
        ax.legend(frameon=False, fontsize="small")
    return ax
