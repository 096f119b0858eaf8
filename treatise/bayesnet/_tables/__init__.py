"""Tables of anything as tables of states: what classifiers and structure learners read."""

from treatise.bayesnet._tables.coding import TableCoder
from treatise.bayesnet._tables.reading import read_table

__all__ = ["TableCoder", "read_table"]
