"""Partitions of rows: the Chinese restaurant and its nested form, distances, and one that stands for many."""

from treatise.statistics.partitions.restaurant import (
    draw_nested_partition,
    draw_partition,
    log_nested_partition_probability,
    log_partition_probability,
    nested_partitions,
    set_partitions,
)
from treatise.statistics.partitions.summaries import (
    binder_distance,
    co_clustering,
    representative_partition,
    variation_of_information,
)

__all__ = [
    "binder_distance",
    "co_clustering",
    "draw_nested_partition",
    "draw_partition",
    "log_nested_partition_probability",
    "log_partition_probability",
    "nested_partitions",
    "representative_partition",
    "set_partitions",
    "variation_of_information",
]
