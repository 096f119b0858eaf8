"""A program that prints a number: its words with arguments filled in, run without a shell."""

import math
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from treatise._core.errors import TreatiseError
from treatise.search.commands import guard

_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf(?:inity)?|nan", re.IGNORECASE)


@dataclass(frozen=True)
class Printed:
    """What a run of a program came to: the number, or what was wrong."""

    value: float
    complaint: str = ""


class Program:
    """A command with places such as ``{rate}`` for its arguments, split into words as a shell would, but run by none.

    Its number is the last one on the last line that it prints. A run that fails, takes longer than ``timeout`` seconds
    or prints no number is worth NaN. Runs end with this process, also when it is killed.
    """

    def __init__(self, command: str, timeout: float | None = None) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise TreatiseError(f"the command {command!r} cannot be read ({error}); check its quotes") from None
        if not self.words:
            raise TreatiseError("the command is empty; give a program with places for numbers, as in 'prog {x}'")
        self.timeout = timeout
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False
        self._lock = threading.Lock()
        self._guard: subprocess.Popen[str] | None = None

    @property
    def places(self) -> list[str]:
        """Names of its places, in order, each once."""
        return list(dict.fromkeys(name for word in self.words for name in _PLACE.findall(word)))

    def filled(self, values: Mapping[str, float | int]) -> list[str]:
        """Its words for some values."""
        return [_PLACE.sub(lambda m: repr(values[m[1]]) if m[1] in values else m[0], word) for word in self.words]

    def run(self, values: Mapping[str, float | int]) -> Printed:
        """The number that it prints for some values."""
        process = self._begun(self.filled(values))
        if process is None:
            return Printed(math.nan, "the search was stopped")
        try:
            out, complaint = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            _end([process])
            return Printed(math.nan, f"it took longer than {self.timeout:g} s")
        finally:
            with self._lock:
                self._running.discard(process)
                self._tell_guard("-", process)
        if process.returncode != 0:
            return Printed(math.nan, f"it ended with status {process.returncode}{_last(complaint)}")
        lines = [line for line in out.splitlines() if line.strip()]
        found = _NUMBER.findall(lines[-1]) if lines else []
        if not found:
            return Printed(math.nan, f"it printed no number{_last(out)}")
        value = float(found[-1])
        return Printed(value, "it printed NaN" if math.isnan(value) else "")

    def _begun(self, words: list[str]) -> "subprocess.Popen[str] | None":
        """A run that is known to whoever may have to end it; None once all were stopped."""
        with self._lock:
            if self._stopped:
                return None
            try:
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                    errors="replace", start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise TreatiseError(f"{words[0]!r} cannot be started ({error.strerror or error})") from error
            self._running.add(process)
            self._tell_guard("+", process)
        return process

    def _tell_guard(self, sign: str, process: "subprocess.Popen[str]") -> None:
        """Have the guard know what begins and ends; without one, where there are no groups, runs go on after a kill."""
        if not hasattr(os, "killpg"):
            return
        with suppress(OSError):
            if self._guard is None:
                self._guard = subprocess.Popen(
                    [sys.executable, "-S", guard.__file__], stdin=subprocess.PIPE, text=True, start_new_session=True
                )
            assert self._guard.stdin is not None
            self._guard.stdin.write(f"{sign}{process.pid}\n")
            self._guard.stdin.flush()

    def stop(self) -> None:
        """End whatever runs, and begin nothing more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        _end(running)

    def close(self) -> None:
        """Dismiss the guard."""
        if self._guard is not None:
            with suppress(OSError):
                self._guard.communicate()
            self._guard = None


def _end(processes: Iterable[subprocess.Popen[str]]) -> None:
    """Kill processes together with those that they started."""
    for process in processes:
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def _last(text: str) -> str:
    """The last line of a text, to be shown behind a sentence."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f": {lines[-1][:200]}" if lines else ""
