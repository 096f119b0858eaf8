"""Trees that grow online and tell very many classes apart, and how good a split is (Choromanska, 2014, Chapter 4)."""

from treatise.online.partition_tree.split import SplitQuality, split_quality, splits_to_entropy
from treatise.online.partition_tree.tree import PartitionTreeClassifier

__all__ = ["PartitionTreeClassifier", "SplitQuality", "split_quality", "splits_to_entropy"]
