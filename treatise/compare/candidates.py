"""Which methods there are for a task: those of the catalogue, and the usual baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from inspect import signature
from typing import Any

from treatise._core.errors import TreatiseError
from treatise.catalog import ComparisonEntry, EstimatorEntry, Paper, load_catalogue, load_entries
from treatise.report.record import MethodRecord, PaperRecord

LIBRARIES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost", "sksurv": "scikit-survival"}
"""Names of the optional libraries, as they write themselves."""


@dataclass(frozen=True)
class Candidate:
    """A method that takes part: an estimator of a paper, or a baseline without one."""

    entry: EstimatorEntry
    compare: ComparisonEntry
    paper: Paper | None
    task: str

    @property
    def key(self) -> str:
        """What names the candidate in files: the paper (or the baseline's package) and the estimator."""
        owner = self.paper.id if self.paper else self.entry.requires or self.entry.path.split(".")[0]
        return "-".join([f"{owner}/{self.entry.name}", *map(str, self._settled.values())])

    @property
    def label(self) -> str:
        """What names the candidate to a person."""
        head = self.compare.head.get(self.task)
        if self._settled:
            return f"{self.entry.name} ({', '.join(map(str, self._settled.values()))})"
        return f"{self.entry.name} + {head.rpartition('.')[2]}" if head else self.entry.name

    @property
    def baseline(self) -> bool:
        """Whether it is one of the usual choices that the others are measured by."""
        return self.paper is None and self.form != "blend"

    @property
    def form(self) -> str:
        """What its model is."""
        return self.compare.form

    def describe(self) -> MethodRecord:
        """The candidate for the run's record."""
        if self.paper is None:
            library = LIBRARIES.get(self.entry.requires, "scikit-learn")
            return MethodRecord(self.key, self.label, self.entry.path, f"A baseline of {library}.", None)
        known = ("id", "title", "authors", "journal", "year", "pages", "when", "cost")
        paper = PaperRecord(**{name: getattr(self.paper, name) for name in known})
        return MethodRecord(self.key, self.label, self.entry.path, self.paper.summary, paper)

    def method(self, seed: int) -> Any:
        """The unfitted estimator, with the parameters that the catalogue settles."""
        return instance(self.entry.path, {**self.compare.params, **self._settled}, seed)

    @property
    def _settled(self) -> Mapping[str, Any]:
        """The parameters that make it the form for its task, if it has several."""
        return self.compare.by_task.get(self.task, {})

    def head(self, seed: int) -> Any:
        """The unfitted predictor behind a transformer."""
        return instance(self.compare.head[self.task], {}, seed)


def all_candidates(task: str) -> list[Candidate]:
    """Every method of the catalogue, and every baseline, for a task whose rows all have a target."""
    return [candidate for candidate in _candidates(task) if candidate.compare.unlabelled != "only"]


def unlabelled_candidates(task: str) -> list[Candidate]:
    """Those that learn from rows without a label too."""
    return [candidate for candidate in _candidates(task) if candidate.compare.unlabelled]


def _candidates(task: str) -> list[Candidate]:
    papers = [
        Candidate(entry, entry.compare, paper, task)
        for paper in load_catalogue()
        for entry in paper.estimators
        if entry.compare is not None and task in entry.compare.tasks
    ]
    return papers + _usual("baselines.toml", task)


def streaming_candidates(task: str) -> list[Candidate]:
    """Those that learn from a table in blocks, as the catalogue says they should, and the baselines for that."""
    return [
        replace(candidate, compare=_in_blocks(candidate.compare, candidate.compare.stream))
        for candidate in (*all_candidates(task), *_usual("stream_baselines.toml", task))
        if candidate.compare.stream is not None
    ]


def _usual(file: str, task: str) -> list[Candidate]:
    return [
        Candidate(entry, entry.compare, None, task)
        for entry in load_entries(files(__package__) / file)
        if entry.compare and task in entry.compare.tasks and (not entry.requires or find_spec(entry.requires))
    ]


def _in_blocks(compare: ComparisonEntry, settled: Mapping[str, Any]) -> ComparisonEntry:
    search = {name: values for name, values in compare.search.items() if name not in settled}
    return replace(compare, params={**compare.params, **settled}, search=search)


def chosen_candidates(
    candidates: Sequence[Candidate], include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> list[Candidate]:
    """Those that take part when a user includes some, or all, and excludes some of these.

    Guessing takes part beside whatever is included, unless it is excluded: a score says little without it.

    Parameters
    ----------
    candidates : sequence of Candidate
        Those that apply.
    include, exclude : sequence of str
        Names of estimators, import paths, keys, ids of papers, families such as ``"svm"``, ``"papers"`` or
        ``"baselines"``; each may hold ``*`` and ``?``, and case does not matter.

    Examples
    --------
    >>> from treatise.compare.candidates import all_candidates, chosen_candidates
    >>> some = chosen_candidates(all_candidates("regression"), ["baselines"], ["*Forest*", "SVR"])
    >>> [candidate.label for candidate in some][:3]
    ['DummyRegressor', 'Ridge', 'HistGradientBoostingRegressor']
    """
    wanted = {c.key for pattern in include for c in _meant(pattern, candidates)} or {c.key for c in candidates}
    unwanted = {c.key for pattern in exclude for c in _meant(pattern, candidates)}
    if candidates and not wanted - unwanted:
        raise TreatiseError("no method is left to compare; include more or exclude fewer")
    wanted |= {c.key for c in candidates if c.form == "constant"}
    return [c for c in candidates if c.key in wanted - unwanted]


def _meant(pattern: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that a name or pattern stands for; none is an error that names close ones."""
    found = [c for c in candidates if any(fnmatchcase(name.lower(), pattern.lower()) for name in _names(c))]
    # Two methods may differ in capitals alone; whoever writes one of them as it is written means that one.
    exact = [c for c in found if pattern in _names(c)]
    if found:
        return exact or found
    elsewhere = _tasks_of(pattern.lower())
    if elsewhere:
        raise TreatiseError(f"{pattern!r} takes {', '.join(elsewhere)} tasks, not this one")
    known = {name.lower(): name for c in candidates for name in _names(c)}
    close = [repr(known[name]) for name in get_close_matches(pattern.lower(), known, 3)]
    hint = f"did you mean {' or '.join(close)}?" if close else "`treatise list` names the methods and their families"
    raise TreatiseError(f"no method or family {pattern!r} takes part here; {hint}")


def _names(candidate: Candidate) -> tuple[str, ...]:
    own = (candidate.entry.name, candidate.key, candidate.entry.path, candidate.label)
    if candidate.paper is None:
        return (*own, "baselines", candidate.key.partition("/")[0])
    return (*own, "papers", candidate.paper.id, candidate.paper.family)


def find_candidate(name: str, candidates: Sequence[Candidate], task: str) -> Candidate:
    """The one of ``candidates`` that a person means by its name, import path, key or paper's id."""
    wanted = name.lower()
    matches = [
        c
        for c in candidates
        if wanted in (c.key.lower(), c.entry.name.lower(), c.entry.path.lower(), c.paper.id if c.paper else "")
    ]
    # Two methods may differ in capitals alone.
    exact = [c for c in matches if name in (c.key, c.entry.name, c.entry.path)]
    if len(matches) == 1 or len(exact) == 1:
        return (exact or matches)[0]
    if matches:
        raise TreatiseError(f"{name!r} could be {', '.join(c.key for c in matches)}; name one of these")
    elsewhere = _tasks_of(wanted)
    hint = (
        f"it takes {', '.join(elsewhere)} tasks"
        if elsewhere
        else f"choose one of {', '.join(c.key for c in candidates)}"
    )
    raise TreatiseError(f"no method {name!r} for a {task} task; {hint}")


def _tasks_of(name: str) -> list[str]:
    """The tasks that an estimator of this name takes."""
    entries = [entry for paper in load_catalogue() for entry in paper.estimators]
    entries += load_entries(files(__package__) / "baselines.toml")
    named = [entry.compare for entry in entries if entry.compare and entry.name.lower() == name]
    return list(dict.fromkeys(task for compare in named for task in compare.tasks))


def instance(path: str, params: Mapping[str, Any], seed: int) -> Any:
    """An estimator by its import path, with its randomness fixed if it has any."""
    module, _, name = path.rpartition(".")
    made = getattr(import_module(module), name)
    known = signature(made).parameters.values()
    if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in known):
        names = [parameter.name for parameter in known if parameter.kind is not parameter.VAR_POSITIONAL]
        unknown = [name for name in params if name not in names]
        if unknown:
            raise TypeError(f"no parameter is called {unknown[0]!r}; it has {', '.join(names) or 'none'}")
    estimator = made(**params)
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=seed)
    return estimator
