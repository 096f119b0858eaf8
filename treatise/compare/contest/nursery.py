"""A process that has imported what jobs need and forks workers from itself, so that one is ready in milliseconds.

It serves one client over a socket, whose number is its argument. Each message is a letter, the number of a worker and
a value: the client asks for a birth, with the worker's standard input and output, or a death; the nursery tells of
deaths. The standard library's fork server would run the caller's own script anew.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import sys
import time

IDLE_SECONDS = 300.0
BIRTH, DEATH = b"b", b"d"
MESSAGE = struct.Struct("<cqq")
SET_DEATH_SIGNAL = 1
"""Linux' number for it, PR_SET_PDEATHSIG."""


def main(number: int) -> None:
    """Serve until the client closes the socket or dies, or nothing was wanted for long."""
    import treatise.compare.contest.worker as worker

    client = socket.socket(fileno=number)
    # A child that ends makes the wait below return.
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    worker.prepare()
    children: dict[int, int] = {}
    last_wish = time.monotonic()
    while children or time.monotonic() - last_wish < IDLE_SECONDS:
        ready, _, _ = select.select([number, woken], [], [], IDLE_SECONDS)
        if woken in ready:
            os.read(woken, 4096)
            _bury(client, children)
        if number in ready:
            last_wish = time.monotonic()
            message, pipes, _, _ = socket.recv_fds(client, MESSAGE.size, 2)
            if not message:
                break
            word, name, _ = MESSAGE.unpack(message)
            if word == DEATH:
                for pid in (pid for pid, known in children.items() if known == name):
                    os.kill(pid, signal.SIGKILL)
                continue
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for descriptor in (client.detach(), woken, wake):
                    os.close(descriptor)
                _become_worker(*pipes)
            children[pid] = name
            for pipe in pipes:
                os.close(pipe)


def _become_worker(jobs: int, answers: int) -> None:
    """What a child does, and nothing after it."""
    import treatise.compare.contest.worker as worker

    try:
        _die_with_parent()
        os.setsid()
        os.dup2(jobs, 0)
        os.dup2(answers, 1)
        os.close(jobs)
        os.close(answers)
        worker.serve()
    finally:
        os._exit(0)


def _die_with_parent() -> None:
    """Have Linux kill this process when the nursery ends: one that is deep in a foreign call looks after nothing."""
    nursery = os.getppid()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != nursery:  # it ended before that
        os._exit(1)


def _bury(client: socket.socket, children: dict[int, int]) -> None:
    """Tell of every child that has ended, and how."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        client.send(MESSAGE.pack(DEATH, children.pop(pid), os.waitstatus_to_exitcode(status)))


if __name__ == "__main__":
    with contextlib.suppress(OSError):  # the client may be gone
        main(int(sys.argv[1]))
