"""The error along the descent, and where it was stopped."""

import numpy as np

from treatise._core.figures import axes_for


def plot_error_path(regressor, X, y, *, iterations=None, ax=None):
    """Mean squared error against the number of steps, with the place where the descent was stopped.

    Parameters
    ----------
    regressor : EarlyStoppedKernelRegressor
        A fitted one.
    X : array or sparse matrix of shape (n_samples, n_features)
        Objects, best ones that it did not see.
    y : array of shape (n_samples,)
        Their responses, or in a simulation the true function.
    iterations : array of int or None, default=None
        Numbers of steps; None spaces forty evenly in the logarithm, to ten times where it stopped and 100 at least.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import EarlyStoppedKernelRegressor, plot_error_path
    >>> x = np.linspace(0, 1, 50)[:, None]
    >>> model = EarlyStoppedKernelRegressor(noise=0.1).fit(x, x.ravel() ** 2)
    >>> ax = plot_error_path(model, x, x.ravel() ** 2)
    >>> ax.get_xlabel()
    'gradient steps'
    """
    if iterations is None:
        iterations = np.unique(np.geomspace(1, max(100, 10 * regressor.n_iter_), 40).astype(int))
    stages = np.append(np.asarray(iterations), regressor.n_iter_)
    errors = np.mean((regressor.staged_predict(X, stages) - np.asarray(y)) ** 2, axis=1)
    ax = axes_for(ax, figsize=(6, 3.5))
    ax.semilogx(stages[:-1], errors[:-1], color="#2b6cb0", label="error along the path")
    ax.axvline(max(regressor.n_iter_, stages[:-1].min()), color="#c05621", linestyle="--")
    ax.plot([max(regressor.n_iter_, stages[:-1].min())], errors[-1:], "o", color="#c05621", label="stopped here")
    ax.set_xlabel("gradient steps")
    ax.set_ylabel("mean squared error")
    ax.legend(fontsize="small")
    return ax
