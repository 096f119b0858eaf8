"""What happened: the record of one run through a decision process."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Trajectory:
    """Steps of a run, in order; entry t of every array belongs to step t.

    Attributes
    ----------
    states, next_states : ndarray of int of shape (n_steps,) or of float of shape (n_steps, state_size)
        The state a step leaves and the one it reaches; numbered, or vectors.
    actions : ndarray of int of shape (n_steps,) or of float of shape (n_steps, action_size)
        What was done.
    rewards : ndarray of shape (n_steps,)
        What it earned.
    starts : ndarray of bool of shape (n_steps,)
        True where an episode begins; traces begin anew there. The first entry is True.
    ends : ndarray of bool of shape (n_steps,)
        True where a step reaches a terminal state: nothing is earned beyond it. An episode that is only cut off
        ends without it.
    observations, next_observations : ndarray of int of shape (n_steps,) or None
        What was seen in the two states, where states are hidden.
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    next_states: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    observations: np.ndarray | None = None
    next_observations: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.states)
