"""Picture of a search: the best value and the width of the cloud over the evaluations."""

from treatise._core.figures import axes_for


def plot_search(result, *, optimum=0.0, ax=None):
    """Draw how a search of :func:`minimize_nes` went: best value so far and scale of the trials.

    Use it to see whether the search was still falling when it ended, and whether the cloud drew together too early.

    Parameters
    ----------
    result : scipy.optimize.OptimizeResult
        What :func:`minimize_nes` returned.
    optimum : float, default=0.0
        What is taken from the values, so that they can be drawn on a logarithmic scale; where values are not above it
        the scale is linear.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from scipy.optimize import rosen
    >>> from treatise.search import minimize_nes, plot_search
    >>> ax = plot_search(minimize_nes(rosen, [0.0, 0.0], ftarget=1e-8, random_state=0))
    >>> ax.get_xlabel(), ax.get_yscale()
    ('evaluations', 'log')
    """
    if not len(result.history["nfev"]):
        raise ValueError("the search has no generation to draw")
    ax = axes_for(ax, figsize=(6, 4))
    above = result.history["fun"] - optimum
    label = "best value above the optimum" if optimum else "best value"
    ax.plot(result.history["nfev"], above, color="#1b6ca8", label=label)
    ax.plot(result.history["nfev"], result.history["sigma"], "--", color="#c8553d", label="scale of the trials")
    if (above > 0).all():
        ax.set_yscale("log")
    ax.set_xlabel("evaluations")
    ax.legend(frameon=False)
    return ax
