"""Pictures of conditional random fields."""

import numpy as np

from treatise._core.figures import axes_for


def plot_label_transitions(crf, ax=None):
    """Weights of moves between labels as a coloured matrix: red moves are favoured, blue ones avoided.

    Pairs of labels without a weight are left white.

    Parameters
    ----------
    crf : CRF or SemiCRF
        A fitted model.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    weights, labels = crf.transition_features_, crf.classes_.tolist()
    ax = axes_for(ax)
    place = {label: i for i, label in enumerate(labels)}
    matrix = np.full((len(labels),) * 2, np.nan)
    for (label, following), weight in weights.items():
        matrix[place[label], place[following]] = weight
    limit = max(float(np.nanmax(np.abs(matrix), initial=0.0)), 1e-12)
    image = ax.imshow(matrix, cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.set_xticks(range(len(labels)), [str(label) for label in labels], rotation=90)
    ax.set_yticks(range(len(labels)), [str(label) for label in labels])
    ax.set_xlabel("label")
    ax.set_ylabel("label before")
    ax.figure.colorbar(image, ax=ax, label="weight")
    return ax
