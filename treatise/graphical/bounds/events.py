"""Events of a model's variables: sums over a threshold, and whatever a function of the states can tell."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

# Beyond this many joint states an event is not enumerated.
_MOST_LABELINGS = 2**20


@dataclass(frozen=True)
class SumAtLeast:
    """The event that the states, counted as numbers, sum to at least a threshold.

    Attributes
    ----------
    threshold : float
    """

    threshold: float

    def __post_init__(self):
        if np.isnan(self.threshold):
            raise ValueError("threshold is NaN; give the number that the sum must reach")


@dataclass(frozen=True)
class LabelingEvent:
    """The event that a function of the states of some variables is true.

    Attributes
    ----------
    holds : callable
        Of an array of labelings, of shape (N, number of variables), gives N booleans.
    variables : sequence of int or None, default=None
        The variables that it looks at, in this order; None is all.

    Examples
    --------
    >>> from treatise.graphical import LabelingEvent
    >>> alike = LabelingEvent(lambda states: states[:, 0] == states[:, 1], variables=(2, 5))
    """

    holds: Callable[[np.ndarray], np.ndarray]
    variables: tuple[int, ...] | None = None


def as_event(event):
    """The event, a bare function as one of all variables; an error for anything else."""
    if isinstance(event, (SumAtLeast, LabelingEvent)):
        return event
    if isinstance(event, Mapping):
        return dict(event)
    if callable(event):
        return LabelingEvent(event)
    raise ValueError(f"the event {event!r} must map variables to states, or be a SumAtLeast, a LabelingEvent or a "
                     "function of labelings")  # fmt: skip


def event_variables(graph, event):
    """The variables that a labeling event looks at."""
    variables = range(len(graph)) if event.variables is None else [int(v) for v in event.variables]
    if len(set(variables)) < len(variables) or any(not 0 <= v < len(graph) for v in variables):
        raise ValueError(f"variables={event.variables!r} must be different ones out of 0 to {len(graph) - 1}")
    return list(variables)


def joint_labelings(n_states):
    """All joint states of variables with so many states, of shape (N, number of variables), the last running first."""
    n_states = tuple(int(k) for k in n_states)
    if prod(n_states) > _MOST_LABELINGS:
        raise ValueError(f"the event looks at {prod(n_states)} joint states; enumeration stops at {_MOST_LABELINGS}. "
                         "Give it as a LabelingEvent of the few variables that it depends on")  # fmt: skip
    return np.indices(n_states).reshape(len(n_states), -1).T


def holds_for(event, labelings):
    """Whether a labeling event holds, for each labeling of its variables."""
    holds = np.asarray(event.holds(labelings.copy()))
    if holds.shape != (len(labelings),) or holds.dtype != bool:
        raise ValueError(f"the event's function must give one boolean for each of {len(labelings)} labelings; "
                         f"it gave {holds.dtype} of shape {holds.shape}")  # fmt: skip
    return holds


def event_mask(graph, event):
    """Whether each joint state of the model, in the order of its tables, belongs to the event."""
    event = as_event(event)
    labelings = joint_labelings(graph.n_states)
    if isinstance(event, SumAtLeast):
        return labelings.sum(axis=1) >= event.threshold
    if isinstance(event, LabelingEvent):
        return holds_for(event, labelings[:, event_variables(graph, event)])
    graph.condition(event)
    return np.all(labelings[:, list(event)] == list(event.values()), axis=1)
