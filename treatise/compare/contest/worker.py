"""A worker process: reads jobs from its standard input, runs them, answers with the result."""

import gc
import os
import sys
import threading
import time
from typing import Any

from treatise.compare.contest import signals
from treatise.compare.contest.messages import READY, read_message, write_message

IDLE_SECONDS = 300.0


def prepare() -> None:
    """Import what jobs need before the first one arrives."""
    import treatise.compare.contest.fold  # noqa: F401

    # What was imported stays: no collection after a job need look at it.
    gc.freeze()


def serve() -> None:
    """Serve until the parent closes the stream or dies."""
    # Whatever a method prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    busy = threading.Event()
    threading.Thread(target=_end_with, args=(os.getppid(), busy), daemon=True).start()
    prepare()
    settings = read_message(sys.stdin.buffer)
    if settings is None:
        return
    environment, sys.path[:] = settings
    os.environ.update(environment)
    signals.hearers.append(lambda word, value: write_message(answers, (word, value)))
    signals.tell(READY, os.getpid())
    while (message := read_message(sys.stdin.buffer)) is not None:
        busy.set()
        signals.tell(*_answer(*message))
        gc.collect()
        busy.clear()


def _answer(function: Any, args: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "done", function(*args)
    except MemoryError:
        return "error", "ran out of memory"
    except Exception as error:
        first_line = (str(error).strip() or "no message").splitlines()[0]
        return "error", f"{type(error).__name__}: {first_line}"


def _end_with(parent: int, busy: threading.Event) -> None:
    """Leave no orphan behind when the parent is killed, and none that idles for long."""
    last_work = time.monotonic()
    while os.getppid() == parent and time.monotonic() - last_work < IDLE_SECONDS:
        time.sleep(0.5)
        if busy.is_set():
            last_work = time.monotonic()
    os._exit(1)


if __name__ == "__main__":
    serve()
