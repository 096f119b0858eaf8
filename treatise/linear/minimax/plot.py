"""A picture of what one class's guaranteed accuracy costs the other."""

from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_frontier(machine, *, ax=None):
    """Draw the accuracies that can be promised to two classes together, and the machine's choice among them.

    Parameters
    ----------
    machine : MinimaxProbabilityMachine or KernelMinimaxProbabilityMachine
        A fitted machine.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        The drawing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treatise.linear import MinimaxProbabilityMachine, plot_frontier
    >>> machine = MinimaxProbabilityMachine().fit(*load_breast_cancer(return_X_y=True))
    >>> ax = plot_frontier(machine)
    >>> ax.get_xlabel()
    'accuracy promised to class 0'

    References
    ----------
    .. [1] Paper v05-1253: Figure 11.
    """
    check_is_fitted(machine, "frontier_")
    ax = axes_for(ax, figsize=(4.8, 4.4))
    first, second = machine.classes_.tolist()
    ax.plot(*machine.frontier_.T, color="#1b6ca8")
    ax.plot(*machine.class_accuracies_, "o", color="#c44e52", label=machine.criterion.replace("_", " "))
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, linestyle="--", zorder=0)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_xlabel(f"accuracy promised to class {first}")
    ax.set_ylabel(f"accuracy promised to class {second}")
    ax.legend(loc="lower left", fontsize="small")
    return ax
