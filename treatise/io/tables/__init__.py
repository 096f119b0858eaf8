"""Tables from files: whole, or some rows at a time."""

from treatise.io.tables.blocks import TableBlocks
from treatise.io.tables.reading import read_table
from treatise.io.tables.table import Table

__all__ = ["Table", "TableBlocks", "read_table"]
