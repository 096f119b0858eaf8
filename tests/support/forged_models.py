"""Forged model files by the hundred: each is refused in a sentence, or its model answers; none crashes or never ends.

A small model of every public estimator is fitted and saved with one value in it changed: a number in an array, a
length, a type, an order, a setting, a value that is missing. What loads is put to use. Every estimator has a process of
its own, with a limit of processor time for each forgery, so that crashes and loops without end are told from answers,
however busy the machine is. ``make fuzz`` makes many, with every index of the compiled loops checked; the tests make a
few.
"""

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from forged_examples import EXAMPLES, Example

from treatise._core.errors import TreatiseError
from treatise.io import load_model, save_model

SECONDS = 20
"""Processor time for one forgery; what is sound takes a hundredth of that, and a loop to be compiled a quarter."""
MEMORY = 16 << 30

WHOLE = (-1, 0, 1, 2, 63, 10**6, 2**31, 2**62, -(2**62))
REAL = (float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 0.5, 1e6, 1e308)
TYPES = (np.float32, np.float64, np.int8, np.int32, np.int64, np.bool_, np.complex128)


class Place(NamedTuple):
    """Where a value of a model is kept, so that it can be exchanged or taken away, and put back."""

    name: str
    value: Any
    put: Callable[[Any], None]
    attributes: dict[str, Any] | None = None
    """Those of the object that has it as one."""


def places(part: Any, name: str = "", depth: int = 0) -> Iterator[Place]:
    """All values that a model holds in attributes, dictionaries and lists of its own."""
    if depth > 6:
        return
    if isinstance(part, (dict, list)):
        held = part.items() if isinstance(part, dict) else enumerate(part)
        found = [(key, value, lambda new, key=key: part.__setitem__(key, new)) for key, value in held]
    elif type(part).__module__.startswith("treatise.") and hasattr(part, "__dict__"):
        # Past __setattr__, which frozen classes refuse.
        held = vars(part)
        found = [(key, value, lambda new, key=key: held.__setitem__(key, new)) for key, value in held.items()]
    else:
        return
    for key, value, put in found[:40]:
        yield Place(f"{name}.{key}", value, put, None if isinstance(part, (dict, list)) else vars(part))
        yield from places(value, f"{name}.{key}", depth + 1)


def changed(value: Any, rng: random.Random) -> Any:
    """Another value in place of one: an extreme, another length, type or order."""
    if isinstance(value, np.ndarray):
        return _changed_array(value, rng)
    if isinstance(value, (bool, np.bool_)):
        return rng.choice([not value, 3, None])
    if isinstance(value, (int, np.integer)):
        return rng.choice([*WHOLE, 10**30, int(value) + 1, int(value) - 1, float("nan"), None, "other"])
    if isinstance(value, (float, np.floating)):
        return rng.choice([*REAL, 3, None, "other"])
    if isinstance(value, (list, tuple)):
        kind = type(value) if type(value) in (list, tuple) else list
        items = list(value)
        return kind(rng.choice([[], items[:-1], items + items, items[::-1]]))
    if isinstance(value, dict):
        return dict(list(value.items())[:-1])
    return rng.choice([None, 0, "other", np.zeros(2)])


def _changed_array(values: np.ndarray, rng: random.Random) -> Any:
    how = rng.randrange(8)
    if how <= 2 and values.size and values.dtype.kind in "iufb":
        new = values.copy()
        number = rng.choice(REAL if values.dtype.kind == "f" else WHOLE)
        new.flat[rng.randrange(values.size)] = np.array(number).astype(values.dtype)
        return new
    if how == 3 and values.ndim:
        return values[:-1].copy()
    if how == 4 and values.ndim:
        return np.concatenate([values, values])
    if how == 5:
        return values.astype(rng.choice(TYPES)) if values.dtype.kind in "iufb" else values[:0].copy()
    if how == 6 and values.ndim:
        return np.ascontiguousarray(values[::-1])
    others = [values[np.newaxis], *([values[..., :-1], values[:0]] if values.ndim else [])]
    return rng.choice(others).copy()


@contextmanager
def tampered(model: Any, rng: random.Random) -> Iterator[str]:
    """What was done to a model, of which one value is another for a while.

    It is put back, and not changed in a copy, as a copy shares with the library what there is once of a kind.
    """
    place = rng.choice(list(places(model)))
    if place.attributes is not None and rng.randrange(8) == 0:
        told, whole = "missing", dict(place.attributes)
        del place.attributes[place.name.rpartition(".")[2]]
    else:
        new = changed(place.value, rng)
        told, whole = _shown(new), None
        place.put(new)
    try:
        yield f"{place.name}: {_shown(place.value)} -> {told}"
    finally:
        if whole is None:
            place.put(place.value)
        else:
            place.attributes.clear()
            place.attributes.update(whole)  # in their order


def _shown(value: Any) -> str:
    text = f"{value.dtype}{list(value.shape)} " if isinstance(value, np.ndarray) else ""
    return " ".join((text + repr(value)).split())[:80]


def outcome(path: Path, use: Callable[[Any], None]) -> str:
    """What a file comes to: refused, an error, or an answer."""
    try:
        model = load_model(path).model
    except TreatiseError as error:
        return "refused" if len(str(error)) > 10 else "refused without a sentence"
    try:
        use(model)
    except Exception as error:
        kind, place = ("error", "") if is_told(error) else ("raw", f" at {_place(error)}")
        return f"{kind} {type(error).__name__}: {' '.join(str(error).split())[:120]}{place}"
    return "answer"


def is_told(error: Exception) -> bool:
    """Whether an error was raised on purpose, by this library or by scikit-learn's checks, in words for the user."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = any(f"/{package}/" in Path(last.filename).as_posix() for package in ("treatise", "sklearn"))
    return own and (last.line or "").startswith("raise ")


def _place(error: Exception) -> str:
    """The innermost line of this library's that an error came through."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if "/treatise/" in frame.filename]
    return f"{own[-1].filename.rpartition('/treatise/')[2]}:{own[-1].lineno}" if own else "another library"


def try_forgeries(example: Example, number: int, seed: int, report: Callable[[str], None]) -> None:
    """Fit, forge and use a model, telling each forgery before and after it is tried."""
    rng = random.Random(f"{example.name} {seed}")
    model = example.fit()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        save_model(model, path)
        sound = outcome(path, example.use)
        report(f"done\t{sound}" if sound == "answer" else f"done\tbroken without a change: {sound}")
        for _ in range(number):
            try:
                with tampered(model, rng) as what:
                    save_model(model, path)
            except TreatiseError:
                continue
            report(f"try\t{what}")
            used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
            resource.setrlimit(resource.RLIMIT_CPU, (int(used) + SECONDS, resource.RLIM_INFINITY))
            report(f"done\t{outcome(path, example.use)}")


def run(example: Example, number: int, seed: int) -> Iterator[tuple[str, str]]:
    """Forgeries of one estimator and what they came to, tried in a process that may die."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            warnings.simplefilter("ignore")
            np.seterr(all="ignore")
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            try_forgeries(example, number, seed, lambda line: os.write(writing, f"{line}\n".encode()) and None)
        except BaseException as error:
            os.write(writing, f"done\tbroken: {type(error).__name__}: {' '.join(str(error).split())}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    what = "as it was fitted"
    with open(reading, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            kind, _, text = line.rstrip("\n").partition("\t")
            if kind == "try":
                what = text
            else:
                yield what, text
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number_of = os.WTERMSIG(status)
        yield what, "never ended" if number_of == signal.SIGXCPU else f"crashed by {signal.Signals(number_of).name}"


def is_bad(result: str) -> bool:
    """Whether an outcome is none that a stranger's file may have: what is wrong in it is told in words for the user.

    A loop that is compiled with its indices checked tells a wrong one by an IndexError in these words; NumPy's own,
    which name the index, are an answer as good as any other error.
    """
    return result.startswith(
        ("crashed", "never", "broken", "refused without", "raw", "error IndexError: index is out of bounds")
    )


def main() -> int:
    """Forge models of all estimators, or of those that are named; the exit status says whether one broke out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("estimators", nargs="*", default=list(EXAMPLES), metavar="ESTIMATOR")
    parser.add_argument("--forgeries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="show every error, not those alone that must not be")
    wanted = parser.parse_args()
    bad = 0
    for name in wanted.estimators:
        counts = {"refused": 0, "answer": 0, "error": 0, "raw": 0}
        for what, result in run(EXAMPLES[name], wanted.forgeries, wanted.seed):
            kind = result.split()[0]
            counts[kind] = counts.get(kind, 0) + 1
            bad += is_bad(result)
            if is_bad(result) or (wanted.verbose and kind in ("error", "raw")):
                print(f"    {what}: {result}", flush=True)
        print(f"{name}: {', '.join(f'{count} {kind}' for kind, count in counts.items())}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
