"""What more members bring, as a picture."""

import numpy as np

from treatise._core.classifier import codes_among, codes_from_scores
from treatise._core.figures import axes_for
from treatise.svm.ensemble._aggregation import FIXED_RULES, combine


def plot_ensemble_growth(ensemble, X, y, ax=None):
    """Draw the accuracy of the first members against their number, for votes and for mean decision values.

    Where the curves are flat, more members bring nothing; larger subsamples may.

    Parameters
    ----------
    ensemble : EnsembleSVC
        A fitted ensemble.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
        Rows that the ensemble was not trained on.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = axes_for(ax, figsize=(6, 4))
    truth = codes_among(np.asarray(y), ensemble.classes_, where="of the ensemble")
    decisions = ensemble.decision_matrix(X)
    n_classes = len(ensemble.classes_)
    n_pairs = n_classes * (n_classes - 1) // 2
    n_members = decisions.shape[1] // n_pairs
    sizes = np.unique(np.geomspace(1, n_members, 40).astype(int))
    for rule in FIXED_RULES:
        scores = (combine(rule, decisions[:, : size * n_pairs], n_classes) for size in sizes)
        accuracies = [np.mean(codes_from_scores(some) == truth) for some in scores]
        ax.plot(sizes, accuracies, marker=".", label=rule)
    ax.set(xlabel="members", ylabel="accuracy", xscale="log")
    ax.set_title(f"{len(ensemble.support_)} distinct of {ensemble.n_support_total_} support vectors")
    ax.legend()
    return ax
