"""The interface of a world to act in."""

from abc import ABC, abstractmethod


class Environment(ABC):
    """A world that is told an action and answers with a state, a reward and whether the episode has ended.

    A subclass holds its constants, and its state between two steps; all chance comes from the generator that
    ``reset`` was given, so that two runs with one seed are alike.

    Attributes
    ----------
    n_actions : int or None
        Number of actions, counted from 0; None where an action is a vector.
    action_size : int or None
        Length of an action that is a vector; None where actions are numbered.
    state_size : int
        Length of a state.
    state_numbers : range or None
        What a state is one of, where it is a number, by itself in an array; None where it is any vector.
    state_groups, action_groups : list of int or None
        Sizes of the groups of bits that states and actions are made of, where they are: 1 for a bit by itself, J for
        one of J.
    max_steps : int or None
        Steps after which an episode is cut off; None where the world sets no limit.
    cut_off : bool
        Whether the world itself cut the episode off with the last step, though it has not ended for good.
    """

    n_actions: int | None = None
    action_size: int | None = None
    state_size: int = 1
    state_numbers: range | None = None
    state_groups: list[int] | None = None
    action_groups: list[int] | None = None
    max_steps: int | None = None
    cut_off: bool = False

    @abstractmethod
    def reset(self, rng):
        """Begin an episode.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of all chance until the next call.

        Returns
        -------
        state : ndarray of shape (state_size,)
        """

    @abstractmethod
    def step(self, action):
        """Do something.

        Parameters
        ----------
        action : int or ndarray of shape (action_size,)
            What to do.

        Returns
        -------
        state : ndarray of shape (state_size,)
        reward : float
        done : bool
            Whether the episode has ended for good: nothing is earned any more.
        """
