"""Classic worlds whose states are hidden, as finite processes and as environments to act in (JMLR 12:691)."""

from itertools import product

import numpy as np

from treatise.rl.environments.base import Environment
from treatise.rl.environments.finite import drawn_place
from treatise.rl.processes._sampling_loops import cumulative
from treatise.rl.processes.pomdp import FinitePOMDP


class HiddenWorld(Environment):
    """A finite process with hidden states as a world to act in: it shows the number of the observation alone.

    Before the first action nothing has been seen, which is shown as -1.

    Parameters
    ----------
    pomdp : FinitePOMDP
        The process.
    max_steps : int or None, default=None
        Steps after which an episode is cut off.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import HiddenWorld, tiger
    >>> world = HiddenWorld(tiger())
    >>> world.reset(np.random.default_rng(0)), world.step(0)
    (array([-1.]), (array([0.]), -1.0, False))
    """

    def __init__(self, pomdp, max_steps=None):
        self.pomdp, self.max_steps = pomdp, max_steps
        self.n_actions, self.state_numbers = pomdp.n_actions, range(-1, pomdp.observations.shape[2])
        self._start, self._moves, self._sights = map(cumulative, (pomdp.start, pomdp.transitions, pomdp.observations))

    def reset(self, rng):
        """Draw a state; nothing is seen yet.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of all chance until the next call.

        Returns
        -------
        seen : ndarray of shape (1,)
        """
        self._rng, self._state = rng, drawn_place(rng, self._start)
        return np.array([-1.0])

    def step(self, action):
        """Act, and see something.

        Parameters
        ----------
        action : int
            What to do.

        Returns
        -------
        seen : ndarray of shape (1,)
        reward : float
        done : bool
            Never.
        """
        before, self._state = self._state, drawn_place(self._rng, self._moves[action, self._state])
        seen = drawn_place(self._rng, self._sights[action, self._state])
        return np.array([float(seen)]), float(self.pomdp.rewards[before, action, self._state]), False


def tiger(*, discount=0.75):
    """Two doors, a tiger behind one of them: listen (action 0), open the left one (1) or the right one (2).

    Listening tells the side of the tiger 85 times of 100 and costs one; opening earns 10 or costs 100, and all begins
    anew.

    Parameters
    ----------
    discount : float, default=0.75
        What a reward is worth one step later.

    Returns
    -------
    pomdp : FinitePOMDP
        State and observation 0: the tiger is left.

    Examples
    --------
    >>> from treatise.rl import tiger
    >>> tiger().expected_rewards
    array([[  -1., -100.,   10.],
           [  -1.,   10., -100.]])

    References
    ----------
    .. [1] Paper v12-0691, section 7.
    """
    anew, heard = np.full((2, 2), 0.5), [[0.85, 0.15], [0.15, 0.85]]
    return FinitePOMDP(
        [np.eye(2), anew, anew], [heard, anew, anew], [[-1.0, -100.0, 10.0], [-1.0, 10.0, -100.0]], discount=discount
    )


def maze1d(*, discount=0.75):
    """Four cells in a row, the third of which is the goal; move left (action 0) or right (1), seeing only the goal.

    An action in the goal earns one and leads to any of the other cells, where one begins too.

    Parameters
    ----------
    discount : float, default=0.75
        What a reward is worth one step later.

    Returns
    -------
    pomdp : FinitePOMDP
        States from left to right; observation 1 is the goal.

    Examples
    --------
    >>> from treatise.rl import maze1d
    >>> maze1d().start.round(3)
    array([0.333, 0.333, 0.   , 0.333])

    References
    ----------
    .. [1] Paper v12-0691, section 7.
    """
    goal = np.arange(4) == 2
    others = ~goal / 3.0
    moves = np.eye(4)[[[0, 0, 2, 2], [1, 2, 2, 3]]]
    moves[:, goal] = others
    return FinitePOMDP(moves, np.eye(2)[goal.astype(int)], goal.astype(float), discount=discount, start=others)


def grid5(*, discount=0.9):
    """A square of 5 by 5 cells, of which only walls beside the cell are seen.

    Moves go west (0), east (1), north (2), south (3). One begins in the north-west; an action in the south-east corner
    earns one and leads back there. A step into a wall goes nowhere.

    Parameters
    ----------
    discount : float, default=0.9
        What a reward is worth one step later.

    Returns
    -------
    pomdp : FinitePOMDP
        State 5 row + column, from the north-west; nine observations.

    Examples
    --------
    >>> from treatise.rl import grid5
    >>> grid5().observations.shape
    (4, 25, 9)

    References
    ----------
    .. [1] Paper v12-0691, section 7.
    """
    row, column = np.divmod(np.arange(25), 5)
    reached = [5 * row + np.maximum(column - 1, 0), 5 * row + np.minimum(column + 1, 4)]
    reached += [5 * np.maximum(row - 1, 0) + column, 5 * np.minimum(row + 1, 4) + column]
    moves = np.eye(25)[np.array(reached)]
    moves[:, 24] = np.eye(25)[0]
    # At the first line, between, or at the last one: north to south, then west to east.
    wall = 3 * ((row == 4).astype(int) - (row == 0) + 1) + ((column == 4).astype(int) - (column == 0) + 1)
    return FinitePOMDP(
        moves, np.eye(9)[wall], (np.arange(25) == 24).astype(float), discount=discount, start=np.eye(25)[0]
    )


HEAVEN_HELL_MAP = {
    0: (0, 0, 1, 7),  # the start: north is the fork, south the way to the priest
    1: (1, 1, 2, 0),
    2: (3, 5, 2, 1),
    3: (4, 2, 3, 3),
    5: (2, 6, 5, 5),
    7: (7, 8, 0, 7),
    8: (7, 9, 8, 8),
    9: (8, 9, 9, 9),
}
"""Where moves to the west, east, north and south lead from each position but heaven and hell."""


def heaven_hell(*, discount=0.99):
    """A fork with heaven at one end and hell at the other; a priest, out of the way, knows which is where.

    Positions: one begins at 0, from which 1 and 2 lead north to the fork, 3 and 4 to its west end, 5 and 6 to its east
    end; 7 and 8 lead from the start south and east to the priest at 9. An action in heaven earns one, in hell it costs
    one, and all begins anew with heaven at either end. Positions are seen, heaven's side at the priest alone. Moves go
    west (0), east (1), north (2), south (3).

    Parameters
    ----------
    discount : float, default=0.99
        What a reward is worth one step later.

    Returns
    -------
    pomdp : FinitePOMDP
        State: position, plus ten where heaven is at position 6. Observation: position, or 10 for the priest who points
        to position 6.

    Examples
    --------
    >>> from treatise.rl import heaven_hell
    >>> world = heaven_hell()
    >>> world.n_states, world.n_actions, world.n_observations
    (20, 4, 11)

    References
    ----------
    .. [1] Geffner & Bonet, Solving large POMDPs using real time dynamic programming, 1998, as in paper v12-0691,
       section 7: the map has the lengths that its values and its numbers of beliefs and nodes tell.
    """
    moves, sights, rewards = np.zeros((4, 20, 20)), np.zeros((20, 11)), np.zeros(20)
    start = np.zeros(20)
    start[[0, 10]] = 0.5
    for side in (0, 10):
        for position in range(10):
            state = side + position
            sights[state, 10 if position == 9 and side else position] = 1.0
            if position in (4, 6):
                moves[:, state] = start
                rewards[state] = 1.0 if (position == 6) == bool(side) else -1.0
            else:
                for action, reached in enumerate(HEAVEN_HELL_MAP[position]):
                    moves[action, state, side + reached] = 1.0
    return FinitePOMDP(moves, sights, rewards, discount=discount, start=start)


ROCKS = {(4, 3): ((2, 1), (1, 3), (1, 0))}
"""Places of the rocks, of the sizes whose maps are published."""


def rock_sample(size=4, n_rocks=3, *, rocks=None, start=None, discount=0.95, exit_reward=1.0, half_distance=20.0):
    """A rover looks for good rocks: move north, east, south or west (0 to 3), check a rock (4 and on) or sample (last).

    A good rock earns 10 and is bad from then on; sampling a bad one costs 10, sampling without a rock 100. Leaving to
    the east earns ``exit_reward``, leaving elsewhere costs 100; then comes one step in a place beside the map, and all
    begins anew, every rock being good or bad with equal chance. A check is right with a chance that falls from one to a
    half with the distance, half way at ``half_distance``.

    Parameters
    ----------
    size, n_rocks : int, default=4 and 3
        Cells on each side, and rocks.
    rocks : sequence of (int, int) or None, default=None
        Column and row, from the south-west, of each rock; None takes the published map of 4 x 4 cells and 3 rocks.
    start : (int, int) or None, default=None
        Where the rover begins; None is half way up in the west.
    discount : float, default=0.95
        What a reward is worth one step later.
    exit_reward : float, default=1.0
        For leaving to the east.
    half_distance : float, default=20.0
        At which a check is right three times of four. 20 is published with the problem; the value 21.11 and the 16
        nodes that paper v12-0691 prints of its expert are those of checks of the rock beneath alone (0.25).

    Returns
    -------
    pomdp : FinitePOMDP
        State: (size x row + column) 2^n_rocks + the rocks' goodness as bits, the first rock's the highest; the last
        state is the place beside the map. Observation 1: the rock checked looks good.

    Examples
    --------
    >>> from treatise.rl import rock_sample
    >>> world = rock_sample(4, 3)
    >>> world.n_states, world.n_actions, world.n_observations
    (129, 8, 2)

    References
    ----------
    .. [1] Smith & Simmons, Heuristic search value iteration for POMDPs, UAI 2004, made to go on for ever as in paper
       v12-0691, section 7.
    """
    if rocks is None:
        if (size, n_rocks) not in ROCKS:
            raise ValueError(f"there is no published map of {size} x {size} cells with {n_rocks} rocks; give rocks")
        rocks = ROCKS[size, n_rocks]
    rocks = [tuple(int(part) for part in rock) for rock in rocks]
    column, row = (0, size // 2) if start is None else start
    if (
        len(rocks) != n_rocks
        or len(set(rocks)) != n_rocks
        or any(not 0 <= part < size for rock in rocks for part in rock)
    ):
        raise ValueError(f"rocks={rocks!r}: give {n_rocks} different places, each part from 0 to {size - 1}")
    if not (0 <= column < size and 0 <= row < size):
        raise ValueError(f"start={start!r} is not on the map, whose columns and rows go from 0 to {size - 1}")
    kinds = 2**n_rocks
    n_states, n_actions = size * size * kinds + 1, 5 + n_rocks
    sample, beside = n_actions - 1, n_states - 1
    moves, rewards = np.zeros((n_actions, n_states, n_states)), np.zeros((n_states, n_actions))
    sights = np.zeros((n_actions, n_states, 2))
    sights[:, :, 0] = 1.0
    first = np.zeros(n_states)
    first[(size * row + column) * kinds : (size * row + column + 1) * kinds] = 1.0 / kinds
    moves[:, beside] = first
    for y, x, kind in product(range(size), range(size), range(kinds)):
        state = (size * y + x) * kinds + kind
        good = [bool(kind >> (n_rocks - 1 - rock) & 1) for rock in range(n_rocks)]
        for action, (dx, dy) in enumerate([(0, 1), (1, 0), (0, -1), (-1, 0)]):
            to_x, to_y = x + dx, y + dy
            inside = 0 <= to_x < size and 0 <= to_y < size
            moves[action, state, (size * to_y + to_x) * kinds + kind if inside else beside] = 1.0
            if not inside:
                rewards[state, action] = exit_reward if to_x == size else -100.0
        for rock, place in enumerate(rocks):
            moves[4 + rock, state, state] = 1.0
            right = 0.5 + 0.5 * 2.0 ** (-np.hypot(x - place[0], y - place[1]) / half_distance)
            sights[4 + rock, state] = [1.0 - right, right] if good[rock] else [right, 1.0 - right]
        here = rocks.index((x, y)) if (x, y) in rocks else None
        spent = kind if here is None else kind & ~(1 << (n_rocks - 1 - here))
        moves[sample, state, (size * y + x) * kinds + spent] = 1.0
        rewards[state, sample] = -100.0 if here is None else (10.0 if good[here] else -10.0)
    return FinitePOMDP(moves, sights, rewards, discount=discount, start=first)
