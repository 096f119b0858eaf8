"""Bounds on log Z, on probabilities of events and on tails of sums."""

from treatise.graphical.bounds.chebyshev import ChebyshevBound, chebyshev_bound
from treatise.graphical.bounds.chebyshev_chernoff import ChebyshevChernoffBound, chebyshev_chernoff_bound
from treatise.graphical.bounds.chernoff import ChernoffBound, chernoff_sum_bound
from treatise.graphical.bounds.event_bounds import EventBounds, event_bounds
from treatise.graphical.bounds.events import LabelingEvent, SumAtLeast
from treatise.graphical.bounds.log_determinant import LogDetBound, log_det_bound
from treatise.graphical.bounds.partition import PartitionBounds, log_partition_bounds
from treatise.graphical.bounds.plot import plot_partition_bounds
from treatise.graphical.bounds.preconditioner import PreconditionerBounds, preconditioner_log_partition

__all__ = [
    "ChebyshevBound",
    "ChebyshevChernoffBound",
    "ChernoffBound",
    "EventBounds",
    "LabelingEvent",
    "LogDetBound",
    "PartitionBounds",
    "PreconditionerBounds",
    "SumAtLeast",
    "chebyshev_bound",
    "chebyshev_chernoff_bound",
    "chernoff_sum_bound",
    "event_bounds",
    "log_det_bound",
    "log_partition_bounds",
    "plot_partition_bounds",
    "preconditioner_log_partition",
]
