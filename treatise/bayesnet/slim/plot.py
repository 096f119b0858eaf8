"""Drawings of sampled linear networks: edge probabilities, likelihoods of models, traces of chains."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_edge_probabilities(model, ax=None):
    """Posterior probability of every edge or loading, as a table of shades with the medians of the weights.

    Parameters
    ----------
    model : SLIM, NonlinearSLIM, SparseFactorModel or CorrelatedSLIM
        A fitted model. Edges run from column to row.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import SLIM, plot_edge_probabilities
    >>> X = np.random.default_rng(0).laplace(size=(50, 3))
    >>> slim = SLIM(2, n_burn=20, n_samples=20, n_burn_dag=20, n_samples_dag=20, random_state=0).fit(X)
    >>> plot_edge_probabilities(slim).get_xlabel()
    'parent'
    """
    check_is_fitted(model)
    names = _names(model)
    if hasattr(model, "edge_probabilities_"):
        order = model.order_
        probabilities, weights = model.edge_probabilities_[np.ix_(order, order)], model.coef_[np.ix_(order, order)]
        rows = columns = [names[i] for i in order]
        labels = "child", "parent"
    else:
        probabilities, weights = model.inclusion_probabilities_, model.loadings_
        rows, columns, labels = names, list(range(weights.shape[1])), ("variable", "factor")
    ax = axes_for(ax)
    image = ax.imshow(probabilities, vmin=0, vmax=1, cmap="Blues", aspect="auto")
    for i, k in np.argwhere(probabilities > 0.5):
        shade = "white" if probabilities[i, k] > 0.6 else "black"
        ax.text(k, i, f"{weights[i, k]:.2f}", ha="center", va="center", color=shade, fontsize=8)
    ax.set_xticks(range(len(columns)), columns, rotation=90 if len(columns) > 8 else 0)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_ylabel(labels[0])
    ax.set_xlabel(labels[1])
    ax.figure.colorbar(image, ax=ax, label="posterior probability")
    return ax


def plot_likelihoods(model, ax=None):
    """Held-out log-likelihood of each candidate order, and of the factor model, over posterior draws.

    Parameters
    ----------
    model : SLIM or NonlinearSLIM
        A fitted model.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        Boxes of quartiles, with whiskers to the 2.5 and 97.5 per cent quantiles; the chosen order is filled.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import SLIM, plot_likelihoods
    >>> X = np.random.default_rng(0).laplace(size=(50, 3))
    >>> slim = SLIM(2, n_burn=20, n_samples=20, n_burn_dag=20, n_samples_dag=20, random_state=0).fit(X)
    >>> plot_likelihoods(slim).get_ylabel()
    'log-likelihood of the rows kept back'
    """
    check_is_fitted(model)
    ax = axes_for(ax)
    draws = list(model.candidate_draws_)
    labels = [f"order {number + 1}" for number in range(len(draws))]
    factor = getattr(model, "factor_draws_", np.empty(0))
    if len(factor):
        draws.append(factor)
        labels.append("factor model")
    boxes = ax.boxplot(draws, whis=(2.5, 97.5), showfliers=False, patch_artist=True)
    for number, box in enumerate(boxes["boxes"]):
        box.set_facecolor(
            "#1b6ca8" if number == model.selected_ else "#f2a65a" if labels[number][0] == "f" else "white"
        )
    for median in boxes["medians"]:
        median.set_color("black")
    ax.set_xticks(range(1, len(labels) + 1), labels, rotation=90 if len(labels) > 4 else 0)
    what = "rows kept back" if model.test_size > 0 else "training rows"
    ax.set_ylabel(f"log-likelihood of the {what}")
    return ax


def plot_traces(model, ax=None):
    """Log-likelihood of the training data along each chain: level and overlapping traces are as they should be.

    Parameters
    ----------
    model : SLIM, NonlinearSLIM, SparseFactorModel or CorrelatedSLIM
        A fitted model.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import SparseFactorModel, plot_traces
    >>> X = np.random.default_rng(0).laplace(size=(50, 3))
    >>> model = SparseFactorModel(n_burn=20, n_samples=80, n_chains=3, random_state=0).fit(X)
    >>> len(plot_traces(model).lines)
    3
    """
    check_is_fitted(model)
    ax = axes_for(ax)
    for number, chain in enumerate(model.log_likelihood_draws_):
        ax.plot((1 + np.arange(len(chain))) * model.thin, chain, linewidth=0.8, label=f"chain {number + 1}")
    found = model.diagnostics_["log_likelihood"]
    ax.set_title(f"R-hat {found['r_hat']:.2f}, effective sample size {found['ess']:.0f}", fontsize=10)
    ax.set_xlabel("sweep after the burn-in")
    ax.set_ylabel("log-likelihood, given the sources")
    ax.legend()
    return ax


def _names(model):
    return list(getattr(model, "feature_names_in_", range(model.n_features_in_)))
