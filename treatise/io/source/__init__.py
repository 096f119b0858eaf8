"""What a file is: its bytes and compression, encoding, format, delimiter, header, missing words, numbers and columns.

Every reader asks here; none decides by itself.
"""

from treatise.io.source.columns import column_name, refuse_patterns
from treatise.io.source.content import (
    DAMAGED,
    PARQUET,
    damage,
    is_packed,
    naming,
    neighbours,
    open_bytes,
    raw_bytes,
    read_bytes,
    refuse_unfolding,
    stem,
    unpacked_bytes,
    unpacked_limit,
)
from treatise.io.source.delimiters import DELIMITERS, find_delimiter, possible_delimiters
from treatise.io.source.encoding import plain_text, refuse_wide
from treatise.io.source.formats import (
    FORMATS,
    GLANCE,
    TABLES,
    find_format,
    is_sentences,
    is_tabular,
    refuse_other_than_table,
)
from treatise.io.source.headers import column_names, is_header
from treatise.io.source.lines import LONGEST_LINE, line_blocks
from treatise.io.source.records import Records, records_of
from treatise.io.source.values import MISSING, is_number, read_as, read_compact, read_dates, read_written, typed_frame
from treatise.io.source.written_dates import COMPACT, ORDERS
from treatise.io.source.written_numbers import DECIMAL_COMMA, plain_numbers

__all__ = [
    "COMPACT",
    "DAMAGED",
    "DECIMAL_COMMA",
    "DELIMITERS",
    "FORMATS",
    "GLANCE",
    "LONGEST_LINE",
    "MISSING",
    "ORDERS",
    "PARQUET",
    "TABLES",
    "Records",
    "column_name",
    "column_names",
    "damage",
    "find_delimiter",
    "find_format",
    "is_header",
    "is_number",
    "is_packed",
    "is_sentences",
    "is_tabular",
    "line_blocks",
    "naming",
    "neighbours",
    "open_bytes",
    "plain_numbers",
    "plain_text",
    "possible_delimiters",
    "raw_bytes",
    "read_as",
    "read_bytes",
    "read_compact",
    "read_dates",
    "read_written",
    "records_of",
    "refuse_other_than_table",
    "refuse_patterns",
    "refuse_unfolding",
    "refuse_wide",
    "stem",
    "typed_frame",
    "unpacked_bytes",
    "unpacked_limit",
]
