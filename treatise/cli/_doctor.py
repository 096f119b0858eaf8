"""``treatise doctor``: what the library stands on here, and a remedy for what is wrong."""

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treatise.cli._console import Json, print_facts, print_json, remark, say

if TYPE_CHECKING:
    from packaging.requirements import Requirement

MODULES = {"scikit-learn": "sklearn"}  # distributions that are imported by another name
CORE = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "polars",
    "skops",
)  # looked at where no metadata names more
GIB = 2**30


@dataclass(frozen=True)
class Problem:
    """Something wrong, and what to do about it; ``core`` if methods cannot run."""

    what: str
    remedy: str
    core: bool = False


Compile = Annotated[
    bool, typer.Option("--compile", help="Compile every method beforehand, so that no comparison has to.")
]


def doctor(as_json: Json = False, compile_all: Compile = False) -> None:
    """Examine the installation: versions, threads, memory, data; a remedy for each problem.

    The exit status is 1 if something is broken that methods cannot run without.
    """
    if compile_all:
        _compile()
        return
    problems: list[Problem] = []
    findings: dict[str, Any] = {
        "treatise": _treatise(),
        "python": {"version": platform.python_version(), "executable": sys.executable},
        "platform": platform.platform(),
        "packages": _packages(problems),
        "jit": _jit(problems),
        "threads": _threads(),
        "memory": _memory(),
        "data": _data(problems),
        "extras": _extras(problems),
    }
    findings["problems"] = [asdict(problem) for problem in problems]
    if as_json:
        print_json(findings)
    else:
        _print_findings(findings, problems)
    if any(problem.core for problem in problems):
        raise typer.Exit(1)


def _compile() -> None:
    """Compile every method, and say how long each took."""
    from treatise.compare.contest.compiling import Compiled, compile_methods

    def tell(found: Compiled) -> None:
        if found.complaint:
            remark(f"{found.label} ({found.task}) could not be tried: {found.complaint}")
        elif found.seconds > 0:
            remark(f"{found.label} ({found.task}): compiled in {found.seconds:.1f} s")

    done = compile_methods(tell)
    seconds = sum(found.seconds for found in done)
    say(f"{len(done)} methods are ready; compiling took {seconds:.0f} s of processor time.")
    if any(found.complaint for found in done):
        raise typer.Exit(1)


def _treatise() -> dict[str, str]:
    import treatise

    return {"version": treatise.__version__, "folder": str(Path(treatise.__file__).parent)}


def _packages(problems: list[Problem]) -> dict[str, str | None]:
    """Versions of the packages that methods run on; each is imported, for a broken one has a version too."""
    versions: dict[str, str | None] = {}
    floors = {requirement.name: requirement for requirement in _requirements("")}
    for name in floors or CORE:
        versions[name] = version = _version(name)
        try:
            import_module(MODULES.get(name, name))
        except Exception as error:
            state = "is not installed" if version is None else f"{version} cannot be imported ({error})"
            remedy = f"reinstall it: python -m pip install --force-reinstall {name}"
            if "writable" in str(error):  # Matplotlib has no other way to say so
                remedy = "set TMPDIR to a folder that you can write to"
            problems.append(Problem(f"{name} {state}", remedy, core=True))
            continue
        if name in floors and version and not floors[name].specifier.contains(version, prereleases=True):
            wanted = f"{name}{floors[name].specifier}"
            remedy = f"upgrade it: python -m pip install '{wanted}'"
            problems.append(Problem(f"{name} {version} is older than {wanted}", remedy, core=True))
    return versions


def _jit(problems: list[Problem]) -> dict[str, Any]:
    """The compiled loops kept on disk."""
    import treatise

    named = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(named) if named else Path(treatise.__file__).parent
    disabled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    writable = _writable(folder)
    if disabled:
        remedy = "unset NUMBA_DISABLE_JIT"
        problems.append(Problem("NUMBA_DISABLE_JIT is set, so loops run uncompiled, far slower", remedy))
    try:
        from treatise._core.jit import compiled_files
        from treatise._core.kept_loops import kept_place
    except ImportError:  # numba is broken, and stands among the problems already
        files, size = 0, 0
    else:
        files, size = compiled_files(folder)
        if not writable:
            place = kept_place()
            state = "every process compiles them anew" if place is None else f"they are kept in {place.parent}"
            remedy = "set NUMBA_CACHE_DIR to a folder that you can write to and that lasts"
            problems.append(Problem(f"{folder} is not writable, so compiled loops are not kept there; {state}", remedy))
    return {"folder": str(folder), "writable": writable, "files": files, "bytes": size, "disabled": disabled}


def _writable(folder: Path) -> bool:
    """Whether files can be put there, the folder being made if need be."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK)


def _threads() -> dict[str, Any]:
    """How many threads each layer would use."""
    threads: dict[str, Any] = {"cpus": os.cpu_count(), "usable": _usable_cpus(), "numba": None, "blas": []}
    try:
        import numba
        import scipy.linalg  # noqa: F401  (loads the BLAS that is then asked)
        from threadpoolctl import threadpool_info

        threads["numba"] = numba.config.NUMBA_NUM_THREADS
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        keys = {"library": "internal_api", "version": "version", "threads": "num_threads"}
        threads["blas"] = [{name: pool.get(key) for name, key in keys.items()} for pool in pools]
    except ImportError:  # what is broken stands among the problems already
        pass
    return threads


def _usable_cpus() -> int | None:
    """Cores that this process may use: a container or a batch system often grants fewer than there are."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count()


def _memory() -> dict[str, int | None]:
    try:
        import psutil
    except ImportError:
        return {"total": None, "available": None}
    memory = psutil.virtual_memory()
    return {"total": memory.total, "available": memory.available}


def _data(problems: list[Problem]) -> dict[str, Any]:
    """The data home: which known files lie there. Their contents are checked when they are used."""
    try:
        from treatise.datasets._home import data_home, known_files
    except ImportError as error:
        problems.append(Problem(f"the data sets cannot be imported ({error})", "mend the packages above", core=True))
        return {"home": None, "exists": False, "known": 0, "present": 0, "missing": []}
    home, known = data_home(), known_files()
    missing = sorted(name for name in known if not (home / name).is_file())
    if "TREATISE_DATA" in os.environ and not home.is_dir():
        remedy = "make the folder, or let TREATISE_DATA name the one that holds the data"
        problems.append(Problem(f"TREATISE_DATA names {home}, which is no folder", remedy))
    present = len(known) - len(missing)
    return {
        "home": str(home),
        "exists": home.is_dir(),
        "known": len(known),
        "present": present,
        "missing": missing,
    }


def _extras(problems: list[Problem]) -> dict[str, dict[str, Any]]:
    """Which optional parts are installed, and what each lacks."""
    try:
        names = metadata.metadata("treatise").get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        remedy = "install it: python -m pip install treatise"
        problems.append(Problem("treatise runs from a folder without being installed", remedy))
        return {}
    extras = {}
    for extra in names:
        missing = [requirement.name for requirement in _requirements(extra) if _version(requirement.name) is None]
        extras[extra] = {"installed": not missing, "missing": missing}
    return extras


def _requirements(extra: str) -> "Iterator[Requirement]":
    """What the library requires, or what one of its extras adds to that."""
    from packaging.requirements import Requirement

    try:
        stated = [Requirement(text) for text in metadata.requires("treatise") or []]
    except metadata.PackageNotFoundError:
        return
    for requirement in stated:
        conditional = requirement.marker is not None and "extra" in str(requirement.marker)
        if conditional != bool(extra) or not _applies(requirement, extra):
            continue
        if requirement.name == "treatise":  # an extra that is made of others
            for part in sorted(requirement.extras):
                yield from _requirements(part)
        else:
            yield requirement


def _applies(requirement: "Requirement", extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _print_findings(found: dict[str, Any], problems: list[Problem]) -> None:
    jit, threads, data, memory = found["jit"], found["threads"], found["data"], found["memory"]
    blas = ", ".join(f"{pool['threads']} in {pool['library']} {pool['version']}" for pool in threads["blas"])
    kept = f"{jit['files']} compiled loops ({jit['bytes'] / 2**20:.1f} MiB) in {jit['folder']}"
    print_facts(
        [
            ("treatise", f"{found['treatise']['version']} in {found['treatise']['folder']}"),
            ("python", f"{found['python']['version']} ({found['python']['executable']})"),
            ("platform", found["platform"]),
            *((name, version or "not installed") for name, version in found["packages"].items()),
            ("compiled", kept),
            ("cores", f"{threads['usable']} usable of {threads['cpus']}"),
            ("threads", f"{threads['numba']} in numba, {blas}" if blas else ""),
            ("memory", _gib(memory)),
            ("data", f"{data['present']} of {data['known']} known files in {data['home']}"),
            *((f"extra {name}", _extra(state)) for name, state in found["extras"].items()),
        ]
    )
    say()
    for problem in problems:
        say(
            f"{'broken' if problem.core else 'problem'}: {problem.what}",
            style="red" if problem.core else "yellow",
        )
        say(f"  remedy: {problem.remedy}")
    if not problems:
        say("no problem found", style="green")


def _gib(memory: dict[str, int | None]) -> str:
    total, available = memory["total"], memory["available"]
    return f"{available / GIB:.1f} GiB available of {total / GIB:.1f} GiB" if total and available else ""


def _extra(state: dict[str, Any]) -> str:
    return "installed" if state["installed"] else f"not installed; it lacks {', '.join(state['missing'])}"
