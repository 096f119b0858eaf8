"""How good a search's answer is after each step."""

from dataclasses import dataclass

import numpy as np

from treatise._core.figures import axes_for


@dataclass(frozen=True)
class AnytimeCurve:
    """What :meth:`OutputSpaceSearch.anytime_curve` found, one number for each number of steps from none.

    Parameters
    ----------
    steps : ndarray of int
        Steps taken in every sequence.
    seconds : ndarray
        Seconds for all sequences together until then.
    accuracy : ndarray
        Share of positions labelled right.
    loss : ndarray
        Mean loss of a sequence.
    cost : ndarray
        Mean cost of the answers; it never rises.
    """

    steps: np.ndarray
    seconds: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray
    cost: np.ndarray

    def plot(self, ax=None, *, against="seconds", label=None):
        """Draw accuracy against time or steps.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a new figure.
        against : {"seconds", "steps"}, default="seconds"
            What lies along the bottom.
        label : str or None, default=None
            Name of the line.

        Returns
        -------
        ax : matplotlib Axes
        """
        if against not in ("seconds", "steps"):
            raise ValueError(f"against={against!r} is neither 'seconds' nor 'steps'")
        ax = axes_for(ax)
        ax.plot(getattr(self, against), 100 * self.accuracy, marker=".", label=label)
        ax.set_xlabel("seconds" if against == "seconds" else "search steps")
        ax.set_ylabel("positions labelled right (%)")
        if label is not None:
            ax.legend()
        return ax
