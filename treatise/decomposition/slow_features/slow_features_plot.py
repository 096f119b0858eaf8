"""Picture of slow features, or of sources, over time."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_slow_features(model, X, *, truth=None, n_shown=6, frames=None, ax=None):
    """Draw the features of a record over time, one below the other, each with its delta value.

    Use it to see what each feature follows, and how well sources were recovered where they are known.

    Parameters
    ----------
    model : SlowFeatureAnalysis or XSFA
        Fitted.
    X : array-like of shape (n_times, n_features)
        Rows in the order of time.
    truth : array-like of shape (n_times, n_sources) or None, default=None
        True sources in the order of the features, drawn behind them with the sign that fits.
    n_shown : int, default=6
        Most features to draw.
    frames : slice or None, default=None
        Part of the record to draw; None draws all.
    ax : sequence of matplotlib Axes or None, default=None
        One for each feature; None makes a new figure.

    Returns
    -------
    ax : ndarray of matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import SlowFeatureAnalysis, plot_slow_features
    >>> time = np.arange(500)
    >>> X = np.column_stack([np.sin(time / 30) + np.sin(time / 5), np.sin(time / 5)])
    >>> panels = plot_slow_features(SlowFeatureAnalysis().fit(X), X)
    >>> [panel.get_ylabel() for panel in panels]
    ['1', '2']
    """
    check_is_fitted(model)
    if n_shown < 1:
        raise ValueError(f"n_shown={n_shown} must be at least 1")
    features = model.transform(X)[:, :n_shown]
    if truth is not None:
        truth = np.asarray(truth, dtype=np.float64)
        if truth.ndim != 2 or len(truth) != len(features):
            raise ValueError(f"truth of shape {truth.shape} does not fit the {len(features)} rows of X")
    panels = panels_for(ax, features.shape[1], across=1, figsize=(9, 1.1 * features.shape[1] + 0.6))
    frames = slice(None) if frames is None else frames
    time = model.dt * np.arange(len(features))[frames]
    for number, panel in enumerate(panels):
        label = f"delta {model.deltas_[number]:.3g}"
        if truth is not None and number < truth.shape[1]:
            source = (truth[:, number] - truth[:, number].mean()) / truth[:, number].std()
            match = float(np.mean(source * features[:, number]))
            panel.plot(time, (np.sign(match) * source)[frames], color="#e0a899", linewidth=2.5, label="source")
            label += f", correlation {abs(match):.3f}"
        panel.plot(time, features[frames, number], color="#1b6ca8", linewidth=0.9)
        panel.set_ylabel(str(number + 1), rotation=0, labelpad=8)
        panel.set_title(label, loc="left", fontsize=8, pad=2)
        panel.margins(x=0)
        panel.tick_params(labelsize=7, labelbottom=number == len(panels) - 1)
    panels[-1].set_xlabel("time")
    return panels
