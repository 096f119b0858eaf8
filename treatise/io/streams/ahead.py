"""A thread that reads and parses while another computes."""

import queue
import threading
from collections.abc import Iterator

from treatise.io.streams.rows import Chunk

AHEAD = 3
"""Chunks that wait between both."""


def ahead(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The same chunks, made by a thread that stays a few ahead."""
    waiting: queue.Queue[Chunk | BaseException | None] = queue.Queue(AHEAD)
    stop = threading.Event()

    def put(item: Chunk | BaseException | None) -> None:
        while not stop.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def make() -> None:
        try:
            for chunk in chunks:
                put(chunk)
                if stop.is_set():
                    return
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=make, name="treatise-stream", daemon=True)
    thread.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join()
