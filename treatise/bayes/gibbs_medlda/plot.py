"""Pictures of topics: their words, and what they say of the classes."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for, panels_for


def plot_topics(model, names=None, *, topics=None, n_words=8, ax=None):
    """The most probable words of topics, each topic with its weights in the scores.

    Parameters
    ----------
    model : GibbsMedLDAClassifier or GibbsMedLDARegressor
        Fitted.
    names : sequence of str or None, default=None
        Names of the words; None takes those that X had, or their numbers.
    topics : sequence of int or None, default=None
        Which; None takes the eight that tell most, by the range of their weights and their share of the words.
    n_words : int, default=8
        Words of each.
    ax : sequence of matplotlib axes or None, default=None
        One for each topic; None makes a figure.

    Returns
    -------
    ax : ndarray of matplotlib axes
    """
    check_is_fitted(model)
    words = model.top_words(n_words, names)
    chosen = np.arange(len(words))
    if topics is None:
        topics = np.argsort(-np.abs(model.coef_).max(axis=0) * model.topic_shares_, kind="stable")[:8]
    elif not np.isin(topics, chosen).all():
        raise ValueError(f"topics holds {list(topics)}; the model has topics from 0 to {len(words) - 1}")
    across = min(4, len(topics))
    panels = panels_for(ax, len(topics), across=across, figsize=(3.2 * across, 2.4 * -(-len(topics) // across)))
    for panel, topic in zip(panels, topics):
        shown = np.sort(model.components_[topic])[::-1][: len(words[topic])]
        places = np.arange(len(shown))[::-1]
        panel.barh(places, shown, color="0.75")
        panel.set_yticks(places, [str(word) for word in words[topic]])
        panel.set_title(f"topic {topic}: {_verdict(model, topic)}", fontsize=9)
        panel.tick_params(labelsize=8)
    return panels


def plot_class_topics(model, X, y, *, class_names=None, ax=None):
    """Mean share of every topic in the documents of each class: few dark cells a row mean topics that tell classes.

    Parameters
    ----------
    model : GibbsMedLDAClassifier
        Fitted to classes.
    X : array-like or sparse matrix of shape (n_documents, n_words)
        Counts.
    y : array-like of shape (n_documents,)
        Classes of the documents.
    class_names : sequence of str or None, default=None
        What to call the classes; None takes them as they are.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    shares, y = model.transform(X), np.asarray(y)
    if y.ndim != 1 or not np.isin(y, model.classes_).all():
        raise ValueError("y holds what is no class of the model; give the class of each document")
    met = [label for label in model.classes_ if (y == label).any()]
    means = np.array([shares[y == label].mean(axis=0) for label in met])
    # Topics in the order of the class that has most of them, so that the picture is nearly diagonal.
    order = np.lexsort((-means.max(axis=0), means.argmax(axis=0)))
    names = met if class_names is None else [class_names[i] for i in np.searchsorted(model.classes_, met)]
    ax = axes_for(ax, figsize=(2 + 0.18 * means.shape[1], 1 + 0.22 * len(met)))
    image = ax.imshow(means[:, order], aspect="auto", cmap="Greys", vmin=0.0)
    ax.set_yticks(np.arange(len(met)), [str(name) for name in names], fontsize=8)
    ax.set_xticks(np.arange(len(order)), [str(topic) for topic in order], fontsize=6, rotation=90)
    ax.set_xlabel("topic")
    ax.figure.colorbar(image, ax=ax, label="mean share")
    return ax


def _verdict(model, topic):
    """What a topic speaks for."""
    weights = model.coef_[:, topic]
    if len(weights) > 1:
        best = int(np.argmax(weights))
        return f"{model.classes_[best]} ({weights[best]:+.0f})"
    if hasattr(model, "classes_"):
        return f"{model.classes_[int(weights[0] > 0)]} ({weights[0]:+.0f})"
    return f"{weights[0] * model.target_scale_:+.2g}"
