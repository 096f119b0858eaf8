"""A game that was played: what the learner paid, and how far behind the best expert it fell."""

from dataclasses import dataclass

import numpy as np

from treatise._core.figures import axes_for


@dataclass(frozen=True)
class Play:
    """What a strategy did on a matrix of losses.

    Attributes
    ----------
    losses : ndarray of shape (n_rounds,)
        Loss of the learner in each round, the weighted mean of the experts' losses.
    regret : ndarray of shape (n_rounds,)
        Cumulative loss of the learner less that of the expert who is best by then.
    rates : ndarray of shape (n_rounds,)
        Learning rate of each round; infinite where the leader is followed, nan where a strategy has none.
    gaps : ndarray of shape (n_rounds,)
        Mixability gap of each round (loss paid less mix loss); nan where a strategy does not weigh exponentially.
    regimes : ndarray of int of shape (n_rounds,)
        1 in the rounds in which :class:`FlipFlop` hedged, else 0.
    weights : ndarray of shape (n_rounds, n_experts), or None
        Weights of each round, where they were asked for.
    """

    losses: np.ndarray
    regret: np.ndarray
    rates: np.ndarray
    gaps: np.ndarray
    regimes: np.ndarray
    weights: np.ndarray | None = None

    def plot_regret(self, *, label=None, ax=None):
        """Draw the regret over the rounds.

        Parameters
        ----------
        label : str or None, default=None
            Name in the legend.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        return plot_regret({label: self} if label else [self], ax=ax)


def plot_regret(plays, *, ax=None):
    """Draw the regret of several strategies on the same losses.

    Parameters
    ----------
    plays : dict of str to Play, or list of Play
        What the strategies did; the keys name them in the legend.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import AdaHedge, FollowTheLeader, plot_regret
    >>> losses = np.random.default_rng(0).random((100, 3))
    >>> ax = plot_regret({"AdaHedge": AdaHedge().run(losses), "leader": FollowTheLeader().run(losses)})
    >>> len(ax.lines)
    2
    """
    ax = axes_for(ax)
    named = plays.items() if isinstance(plays, dict) else ((None, play) for play in plays)
    for name, play in named:
        ax.plot(np.arange(1, len(play.regret) + 1), play.regret, label=name, linewidth=1.2)
    ax.set_xlabel("round")
    ax.set_ylabel("regret")
    if isinstance(plays, dict):
        ax.legend()
    return ax
