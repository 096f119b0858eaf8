"""Examples from files of any size, as chunks of hashed sparse rows, and the cache that spares parsing them again."""

from treatise.io.streams.rows import Chunk
from treatise.io.streams.stream import Stream

__all__ = ["Chunk", "Stream"]
