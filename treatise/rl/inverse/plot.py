"""Pictures of inverse learning: the graph of a controller, its value over beliefs, learned beside true rewards."""

import numpy as np

from treatise._core.figures import axes_for


def plot_controller(controller, *, actions=None, observations=None, pomdp=None, ax=None):
    """Draw a finite-state controller as a graph: nodes with their actions, arrows with what was seen.

    Parameters
    ----------
    controller : FiniteStateController
        The controller; its first node has a thick rim.
    actions, observations : sequence of str or None, default=None
        Names; None takes numbers.
    pomdp : FinitePOMDP or None, default=None
        With it, only observations that can come are drawn.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.rl import FiniteStateController, plot_controller
    >>> alternate = FiniteStateController([0, 1], [[1], [0]])
    >>> len(plot_controller(alternate, actions=["south", "east"]).texts)
    6
    """
    ax = axes_for(ax, figsize=(5, 5))
    angles = np.pi / 2 - 2 * np.pi * np.arange(controller.n_nodes) / controller.n_nodes
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    ways = _ways(controller, pomdp)
    for (node, reached), seen in ways.items():
        words = ", ".join(str(z) if observations is None else observations[z] for z in seen)
        if len(seen) == controller.successors.shape[1]:
            words = "any"
        if node == reached:
            ax.annotate(f"stays: {words}", places[node] * 1.28, ha="center", va="center", fontsize=7, color="0.4")
            continue
        arrow = {"arrowstyle": "-|>", "connectionstyle": "arc3,rad=0.15", "color": "0.5", "shrinkA": 18, "shrinkB": 18}
        ax.annotate("", places[reached], places[node], arrowprops=arrow)
        across = places[reached] - places[node]
        aside = 0.11 * np.array([across[1], -across[0]])
        ax.text(*(places[node] + 0.45 * across + aside), words, ha="center", va="center", fontsize=7)
    for node, (x, y) in enumerate(places):
        ax.plot(x, y, "o", markersize=32, markerfacecolor="white", markeredgecolor="C0",
                markeredgewidth=3 if node == controller.start else 1)  # fmt: skip
        action = controller.actions[node]
        ax.text(x, y, str(action) if actions is None else actions[action], ha="center", va="center", fontsize=8)
    ax.set_xlim(-1.5, 1.5)
    ax.set_ylim(-1.5, 1.5)
    ax.set_axis_off()
    return ax


def _ways(controller, pomdp):
    """Observations that lead from one node to another."""
    possible = np.ones(controller.successors.shape, dtype=bool)
    if pomdp is not None:
        possible[:] = False
        for node, belief in zip(*controller.visited_beliefs(pomdp)):
            possible[node] |= pomdp.observation_probabilities(belief, controller.actions[node]) > 0.0
    ways = {}
    for node, seen in zip(*np.nonzero(possible)):
        ways.setdefault((int(node), int(controller.successors[node, seen])), []).append(int(seen))
    return ways


def plot_belief_value(controller, pomdp, *, states=(0, 1), actions=None, ax=None):
    """Draw the value of every node of a controller over the beliefs between two states.

    Parameters
    ----------
    controller : FiniteStateController
        The controller.
    pomdp : FinitePOMDP
        The process.
    states : (int, int), default=(0, 1)
        Between which the belief goes.
    actions : sequence of str or None, default=None
        Names of actions for the legend; None takes numbers.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.rl import plot_belief_value, solve_pomdp, tiger
    >>> plot_belief_value(solve_pomdp(tiger()).controller, tiger()).get_ylabel()
    'value'
    """
    ax = axes_for(ax, figsize=(5, 3.5))
    values = controller.values(pomdp)[:, list(states)]
    share = np.linspace(0.0, 1.0, 101)
    lines = np.outer(1.0 - share, values[:, 0]) + np.outer(share, values[:, 1])
    for node, line in enumerate(lines.T):
        action = controller.actions[node]
        ax.plot(share, line, lw=1, label=f"{node}: {action if actions is None else actions[action]}")
    best = lines.max(axis=1)
    ax.plot(share, best, "k", lw=2.5, alpha=0.5, label="best node")
    # Nodes for other beliefs may be far below: what is best sets the scale.
    spread = max(best.max() - best.min(), 1e-9)
    ax.set_ylim(best.min() - 1.5 * spread, best.max() + 0.1 * spread)
    ax.set_xlabel(f"probability of state {states[1]}")
    ax.set_ylabel("value")
    ax.legend(fontsize=7)
    return ax


def plot_rewards(learned, true=None, *, actions=None, ax=None):
    """Draw learned rewards of actions in states, beside true ones.

    Parameters
    ----------
    learned : array-like of shape (n_states, n_actions)
        Such as ``reward_``.
    true : array-like of shape (n_states, n_actions) or None, default=None
        What they are compared with.
    actions : sequence of str or None, default=None
        Names; None takes numbers.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.rl import plot_rewards, tiger
    >>> len(plot_rewards([[0, -100, 7], [0, 7, -100]], tiger().expected_rewards).patches)
    12
    """
    learned = np.asarray(learned, dtype=np.float64)
    if learned.ndim != 2 or (true is not None and np.shape(true) != learned.shape):
        raise ValueError(f"rewards have the shapes {learned.shape} and {np.shape(true)}; give (n_states, n_actions)")
    ax = axes_for(ax, figsize=(7, 3.5))
    places, width = np.arange(learned.size), 0.8 if true is None else 0.4
    if true is not None:
        ax.bar(places - width / 2, np.asarray(true, dtype=np.float64).T.ravel(), width, color="0.2", label="true")
    ax.bar(places + (0.0 if true is None else width / 2), learned.T.ravel(), width, color="C0", label="learned")
    n_states, n_actions = learned.shape
    names = range(n_actions) if actions is None else actions
    ax.set_xticks(np.arange(n_actions) * n_states + (n_states - 1) / 2, [f"action {name}" for name in names])
    for action in range(1, n_actions):
        ax.axvline(action * n_states - 0.5, color="0.8", lw=0.8)
    ax.set_xlabel("states, for each action")
    ax.set_ylabel("reward")
    ax.legend(fontsize=8)
    return ax
