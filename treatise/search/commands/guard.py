"""A process that outlives a search which was killed, to end the programs that the search had started.

It reads lines from its standard input, which closes when the search ends, however it dies: ``+`` and the number of a
process that began, ``-`` and that of one that ended. It runs as a file, by an interpreter that imports nothing else.
"""

import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress


def main(lines: Iterable[str]) -> None:
    """Follow what begins and ends, then kill what is left, with all that it started."""
    running: set[int] = set()
    for line in lines:
        (running.add if line.startswith("+") else running.discard)(int(line[1:]))
    for process in running:
        with suppress(OSError):
            os.killpg(process, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.stdin)
