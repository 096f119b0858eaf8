"""Pictures of policy evaluation: errors over the steps, and an objective over two parameters or two coefficients."""

import numpy as np

from treatise._core.figures import axes_for


def plot_learning_curves(curves, *, steps=None, ylabel="root of the objective", ax=None):
    """Draw errors of several methods over the steps learned from.

    Use it to see which method learns fastest, and which one diverges: errors that are not finite end a line.

    Parameters
    ----------
    curves : dict of array-like of shape (n_kept,) or (n_runs, n_kept)
        Errors by the method's name; of several runs the median and the middle half are drawn.
    steps : array-like of shape (n_kept,) or None, default=None
        Steps at each error (an estimator's ``path_steps_``); None counts from 1.
    ylabel : str, default="root of the objective"
        What the errors are.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.rl import plot_learning_curves
    >>> plot_learning_curves({"LSTD": [3.0, 1.0, 0.5], "TD": [3.0, 2.5, 2.2]}).get_xlabel()
    'steps'
    """
    if not curves:
        raise ValueError("there is no curve to draw")
    ax = axes_for(ax, figsize=(6, 4))
    for name, errors in curves.items():
        errors = np.atleast_2d(np.asarray(errors, dtype=np.float64))
        errors = np.where(np.isfinite(errors), errors, np.nan)
        along = np.arange(1, errors.shape[1] + 1) if steps is None else np.asarray(steps)
        seen = np.isfinite(errors).any(axis=0)
        low, middle, high = np.nanpercentile(errors[:, seen], [25, 50, 75], axis=0)
        (line,) = ax.plot(along[seen], middle, label=name)
        if len(errors) > 1:
            ax.fill_between(along[seen], low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    ax.set(xlabel="steps", ylabel=ylabel, yscale="log")
    ax.legend(frameon=False, fontsize="small", ncols=2 if len(curves) > 4 else 1)
    return ax


def plot_tuning(tuned, x, y, *, ax=None):
    """Draw the score of :func:`tune` over two parameters, the best of all others at each place.

    Use it to see how carefully two parameters have to be chosen; white places diverged.

    Parameters
    ----------
    tuned : Tuned
        What :func:`tune` returned.
    x, y : str
        The two parameters.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteEvaluation, TD, plot_tuning, tune
    >>> from treatise.rl.environments import boyan_chain, boyan_features
    >>> problem = FiniteEvaluation(boyan_chain(), boyan_features(), np.ones((14, 1)), weights=np.ones(14), horizon=20)
    >>> tuned = tune(TD(), {"alpha": [0.01, 0.1], "trace_decay": [0.0, 1.0]}, problem, n_steps=200, random_state=0)
    >>> plot_tuning(tuned, "trace_decay", "alpha").get_ylabel()
    'alpha'
    """
    for name in (x, y):
        if name not in tuned.settings[0]:
            raise ValueError(f"{name!r} was not tuned; these were: {', '.join(tuned.settings[0])}")
    across = list(dict.fromkeys(setting[x] for setting in tuned.settings))
    down = list(dict.fromkeys(setting[y] for setting in tuned.settings))
    table = np.full((len(down), len(across)), np.inf)
    for setting, score in zip(tuned.settings, tuned.scores):
        place = down.index(setting[y]), across.index(setting[x])
        table[place] = min(table[place], score)
    ax = axes_for(ax, figsize=(5.5, 4))
    shown = np.where(np.isfinite(table), np.log10(np.maximum(table, 1e-300)), np.nan)
    picture = ax.imshow(shown, origin="lower", aspect="auto", cmap="viridis")
    ax.set_xticks(range(len(across)), [f"{value:g}" if isinstance(value, float) else str(value) for value in across])
    ax.set_yticks(range(len(down)), [f"{value:g}" if isinstance(value, float) else str(value) for value in down])
    ax.set(xlabel=x, ylabel=y)
    ax.figure.colorbar(picture, ax=ax, label="logarithm of the score")
    return ax


def plot_objective(problem, name="mspbe", *, features=(0, 1), path=None, width=None, ax=None):
    """Draw an objective over two of the coefficients, the others held at its minimum.

    Use it to see how flat or steep a problem is, and how a method's estimates run on it.

    Parameters
    ----------
    problem : FiniteEvaluation or LinearGaussianEvaluation
        Knows the objective.
    name : {"mse", "msbe", "mspbe", "mstde", "neu"}, default="mspbe"
        Which.
    features : pair of int, default=(0, 1)
        The two coefficients.
    path : array-like of shape (n_kept, n_features) or None, default=None
        Estimates on the way (an estimator's ``path_``), drawn as a line.
    width : float or None, default=None
        How far to draw to each side of the minimum; None takes twice the greater of the two coefficients there.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteEvaluation, plot_objective
    >>> from treatise.rl.environments import boyan_chain, boyan_features
    >>> problem = FiniteEvaluation(boyan_chain(), boyan_features(), np.ones((14, 1)), weights=np.ones(14))
    >>> plot_objective(problem, "msbe").get_title()
    'msbe'
    """
    first, second = features
    if not (0 <= first < problem.n_features and 0 <= second < problem.n_features and first != second):
        raise ValueError(f"features={features!r}: give two different ones of 0 to {problem.n_features - 1}")
    centre = problem.solution(name)
    width = width or 2.0 * max(abs(centre[first]), abs(centre[second]), 1e-12)
    offsets = np.linspace(-width, width, 61)
    grid = np.tile(centre, (61 * 61, 1))
    grid[:, first] += np.tile(offsets, 61)
    grid[:, second] += np.repeat(offsets, 61)
    ax = axes_for(ax, figsize=(5, 4))
    heights = np.sqrt(problem.objective(grid, name)).reshape(61, 61)
    drawn = ax.contourf(centre[first] + offsets, centre[second] + offsets, heights, levels=20, cmap="viridis")
    ax.figure.colorbar(drawn, ax=ax, label="square root")
    ax.plot(centre[first], centre[second], "w+", markersize=10)
    if path is not None:
        path = np.asarray(path)
        ax.plot(path[:, first], path[:, second], color="#c8553d", linewidth=1)
        ax.set(
            xlim=(centre[first] - width, centre[first] + width), ylim=(centre[second] - width, centre[second] + width)
        )
    ax.set(xlabel=f"coefficient {first}", ylabel=f"coefficient {second}", title=name)
    return ax
