"""What passes between a run and its workers: pickles with their length before them, and a few words."""

import pickle
import struct
from typing import Any

READY, BEGIN, COMPILING, COMPILED = "ready", "begin", "compiling", "compiled"
"""What a worker says before it answers."""


def write_message(stream: Any, message: Any) -> None:
    """Send a pickled message with its length before it."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack("<Q", len(body)))
    stream.write(body)
    stream.flush()


def read_message(stream: Any) -> Any:
    """The next message, or None at the end of the stream."""
    try:
        head = stream.read(8)
        if len(head) < 8:
            return None
        (length,) = struct.unpack("<Q", head)
        body = stream.read(length)
        return pickle.loads(body) if len(body) == length else None
    except (OSError, ValueError):
        return None
