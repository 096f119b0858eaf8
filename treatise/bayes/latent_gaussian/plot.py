"""Pictures of latent Gaussian models."""

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for
from treatise.statistics.predictive_intervals import interval_ends


def plot_intervals(model, *, entries=None, level=0.95, at=None, transform=None, ax=None):
    """The posterior of a field along a line, as its mean within a band.

    Parameters
    ----------
    model : LatentGaussianModel or HyperparameterGrid
        Fitted.
    entries : array-like of int or None, default=None
        Entries to show; None is all of them.
    level : float, default=0.95
        Probability of the band, by the Gaussian approximation.
    at : array-like or None, default=None
        Where the entries stand on the horizontal axis; None is their number.
    transform : callable or None, default=None
        What is shown of a number of the field, such as ``numpy.exp`` for rates.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    check_is_fitted(model)
    mean, variance = model.mean_, model.variance_
    entries = np.arange(len(mean)) if entries is None else np.asarray(entries)
    at = entries if at is None else np.asarray(at)
    transform = (lambda values: values) if transform is None else transform
    half = ndtri(interval_ends(level)[1]) * np.sqrt(variance[entries])
    ax = axes_for(ax, figsize=(7, 3.5))
    ax.fill_between(at, transform(mean[entries] - half), transform(mean[entries] + half), alpha=0.3, linewidth=0)
    ax.plot(at, transform(mean[entries]))
    ax.set_ylabel(f"posterior, {100 * level:g} % band")
    return ax


def plot_field(model, shape, *, what="mean", transform=None, ax=None):
    """The posterior of a field on a grid, as an image.

    Parameters
    ----------
    model : LatentGaussianModel or HyperparameterGrid
        Fitted; the first entries of its field are the cells of a grid, row by row.
    shape : (int, int)
        Rows and columns of the grid.
    what : {"mean", "deviation"}, default="mean"
        Posterior mean, or deviation.
    transform : callable or None, default=None
        What is shown of these numbers, such as ``numpy.exp`` for rates.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    check_is_fitted(model)
    if what not in ("mean", "deviation"):
        raise ValueError(f"what={what!r} is not known; choose 'mean' or 'deviation'")
    cells = int(np.prod(shape))
    if cells > len(model.mean_):
        raise ValueError(f"shape={tuple(shape)} has {cells} cells; the field has {len(model.mean_)} entries")
    values = model.mean_[:cells] if what == "mean" else np.sqrt(model.variance_[:cells])
    values = values if transform is None else transform(values)
    ax = axes_for(ax, figsize=(5.5, 4.5))
    image = ax.imshow(values.reshape(shape), origin="lower", aspect="equal", cmap="viridis")
    ax.figure.colorbar(image, ax=ax, label=f"posterior {what}")
    return ax


def plot_marginals(laws, *, ax=None):
    """Densities of one number by several methods.

    Parameters
    ----------
    laws : dict of str to Marginal
        Densities by the names that the legend shows.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    ax = axes_for(ax, figsize=(6, 3.5))
    for name, law in laws.items():
        x = np.linspace(law.x[0], law.x[-1], 400)
        ax.plot(x, law.pdf(x), label=name)
    ax.set_ylabel("posterior density")
    ax.legend(frameon=False)
    return ax
