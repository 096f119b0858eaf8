"""Picture of a search for a structure: score and upper bound over time."""

import numpy as np

from treatise._core.figures import axes_for


def plot_search_bounds(learner, ax=None):
    """Draw how the score of the best network and the upper bound approached one another.

    Parameters
    ----------
    learner : ConstrainedStructureLearner or ndarray of shape (n_reports, 3)
        A fitted learner, or its ``history_``.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import plot_search_bounds
    >>> ax = plot_search_bounds(np.array([[0.1, -120.0, -90.0], [0.4, -110.0, -100.0], [0.9, -105.0, -105.0]]))
    >>> ax.get_title()
    'best to 0 %'
    """
    history = np.asarray(getattr(learner, "history_", learner), dtype=np.float64)
    if history.ndim != 2 or history.shape[1] != 3 or not len(history):
        raise ValueError(f"a history has rows of seconds, score and upper bound; its shape is {history.shape}")
    ax = axes_for(ax, figsize=(7, 4))
    history = history[np.isfinite(history).all(axis=1)]
    seconds, scores, bounds = history.T
    ax.fill_between(seconds, scores, bounds, step="post", color="#1b6ca8", alpha=0.15)
    ax.step(seconds, bounds, where="post", color="#c0392b", label="upper bound")
    ax.step(seconds, scores, where="post", color="#1b6ca8", label="best network")
    ax.set_xlabel("seconds")
    ax.set_ylabel("log score")
    ax.set_title(f"best to {100 * max(0.0, bounds[-1] - scores[-1]) / abs(scores[-1]):.3g} %")
    ax.legend(loc="upper right")
    return ax
