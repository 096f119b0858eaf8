"""Pictures of the features behind a categorical table."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_hidden_features(model, *, most_features=6, names=None, ax=None):
    """What each feature does to every column (Figures 5 and 8 of v15-1215), and how features go together (Table 3).

    Left, a curve for each feature: the chance, in every column, of any answer but the one that is usual without
    features, for a row that has this feature alone; the dashed curve is a row without any. Right, for each pair of
    features, how much more often rows have both than they would by chance.

    Parameters
    ----------
    model : CategoricalIBP
        Fitted.
    most_features : int, default=6
        Curves at most; the most frequent features are drawn.
    names : list of str or None, default=None
        Names of the columns; None takes those of the fit, or numbers.
    ax : sequence of two matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : ndarray of two matplotlib axes
    """
    check_is_fitted(model)
    profiles = model.profiles()
    if names is None:
        names = getattr(model, "feature_names_in_", [str(j) for j in range(len(profiles))])
    panels = panels_for(ax, 2, figsize=(max(8.0, 0.3 * len(names)) + 4.0, 4.5))
    unusual = np.array([1.0 - own[:, own[0].argmax()] for own in profiles])
    shown = min(model.n_components_, most_features)
    places = np.arange(len(names))
    panels[0].plot(places, unusual[:, 0], "k--", label="no feature")
    for k in range(shown):
        label = f"feature {k} ({100 * model.prevalence_[k]:.1f} %)"
        panels[0].plot(places, unusual[:, k + 1], "o-", markersize=3, linewidth=1, label=label)
    panels[0].set_xticks(places, [str(name) for name in names], rotation=90 if len(names) > 8 else 0)
    panels[0].set_ylim(0, 1)
    panels[0].set_ylabel("chance of an unusual answer")
    panels[0].legend(fontsize="small")
    together, product = model.cooccurrence()
    ratio = np.log2(np.maximum(together, 1e-12) / np.maximum(product, 1e-12))[:shown, :shown]
    image = panels[1].imshow(np.clip(ratio, -3, 3), cmap="RdBu_r", vmin=-3, vmax=3)
    panels[1].set_xticks(range(shown), range(shown))
    panels[1].set_yticks(range(shown), range(shown))
    panels[1].set_title("features together", fontsize="medium")
    panels[1].figure.colorbar(image, ax=panels[1], label="log2 of both / by chance", shrink=0.8)
    return panels
