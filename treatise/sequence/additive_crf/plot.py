"""Pictures of additive conditional random fields."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_additive_features(crf, features=None, ax=None):
    """The learned curves: how each column's value raises or lowers the score of the labels.

    With two labels one curve, that of the second label against the first; with more, one for each. Ticks along the
    bottom mark hundredths of the training values: where there are none, the curve is a guess.

    Parameters
    ----------
    crf : AdditiveCRF
        A fitted model.
    features : int, sequence of int or None, default=None
        Columns to draw; None draws all.
    ax : matplotlib axes, sequence of them or None, default=None
        Where to draw, one for each column; None makes a figure.

    Returns
    -------
    ax : ndarray of matplotlib axes, or one where one was given
    """
    check_is_fitted(crf, "classes_")
    chosen = range(crf.n_features_in_) if features is None else np.atleast_1d(features).tolist()
    for j in chosen:
        if not 0 <= j < crf.n_features_in_:
            raise ValueError(f"there is no column {j}; columns are numbered from 0 to {crf.n_features_in_ - 1}")
    across = min(4, len(chosen))
    panels = panels_for(ax, len(chosen), across=across, figsize=(3 * across, 2.5 * -(-len(chosen) // across)))
    for j, panel in zip(chosen, panels):
        _draw(crf, j, panel)
    return panels if ax is None or np.ndim(ax) else panels[0]


def _draw(crf, j, ax):
    knots = crf.knots_[j]
    curves = crf.component(j, knots)
    labels = crf.classes_.tolist()
    for label, curve in list(zip(labels, curves.T))[len(labels) == 2 :]:
        ax.plot(knots, curve, label=str(label))
    ax.axhline(0.0, color="0.8", zorder=0)
    # The curve keeps each distinct value once.
    marks = np.quantile(knots, np.linspace(0, 1, 101))
    ax.plot(marks, np.zeros_like(marks), "|", color="0.4", transform=ax.get_xaxis_transform(), clip_on=False)
    ax.set_xlabel(f"column {j}")
    ax.set_ylabel(f"score of {labels[1]}" if len(labels) == 2 else "score")
    if len(labels) > 2:
        ax.legend()
