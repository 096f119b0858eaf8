"""Which methods can take the table, and each as a pipeline with the preprocessing it needs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.resources import files
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from treatise._core.errors import TreatiseError
from treatise.catalog import ComparisonEntry, EstimatorEntry, Paper, load_catalogue, load_entries
from treatise.compare._encode import Densify, NeverEmpty, TableEncoder
from treatise.compare._metrics import TAGGER
from treatise.compare._problem import TASKS, Problem


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
        return f"{self.paper.id if self.paper else self.entry.path.split('.')[0]}/{self.entry.name}"

    @property
    def label(self) -> str:
        """What names the candidate to a person."""
        head = self.compare.head.get(self.task)
        return f"{self.entry.name} + {head.rpartition('.')[2]}" if head else self.entry.name

    def describe(self) -> dict[str, Any]:
        """The candidate as plain data, for the run's record."""
        paper = None
        summary = "A scikit-learn baseline."
        if self.paper is not None:
            row = self.paper.row()
            paper = {key: row[key] for key in ("id", "title", "authors", "journal", "year", "pages", "when", "cost")}
            summary = self.paper.summary
        return {
            "key": self.key, "label": self.label, "estimator": self.entry.path, "summary": summary, "paper": paper,
        }  # fmt: skip


def all_candidates(task: str) -> list[Candidate]:
    """Every method of the catalogue, and every baseline, for a task."""
    found = [
        Candidate(entry, entry.compare, paper, task)
        for paper in load_catalogue()
        for entry in paper.estimators
        if entry.compare is not None and task in entry.compare.tasks
    ]
    baselines = load_entries(files(__package__) / "baselines.toml")
    found += [Candidate(e, e.compare, None, task) for e in baselines if e.compare and task in e.compare.tasks]
    return found


def streaming_candidates(task: str) -> list[Candidate]:
    """Those that learn from a table in blocks, as the catalogue says they should, and the baselines for that."""
    entries = load_entries(files(__package__) / "stream_baselines.toml")
    usual = [Candidate(e, e.compare, None, task) for e in entries if e.compare and task in e.compare.tasks]
    return [
        replace(candidate, compare=_in_blocks(candidate.compare, candidate.compare.stream))
        for candidate in (*all_candidates(task), *usual)
        if candidate.compare.stream is not None
    ]


def _in_blocks(compare: ComparisonEntry, settled: Mapping[str, Any]) -> ComparisonEntry:
    search = {name: values for name, values in compare.search.items() if name not in settled}
    return replace(compare, params={**compare.params, **settled}, search=search)


def find_candidate(name: str, task: str) -> Candidate:
    """The candidate that a person means by an estimator's name, its import path, its key or its paper's id."""
    wanted = name.lower()
    candidates = all_candidates(task)
    matches = [
        c
        for c in candidates
        if wanted in (c.key.lower(), c.entry.name.lower(), c.entry.path.lower(), c.paper.id if c.paper else "")
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise TreatiseError(f"{name!r} could be {', '.join(c.key for c in matches)}; name one of these")
    elsewhere = [t for t in TASKS if any(wanted == c.entry.name.lower() for c in all_candidates(t))]
    hint = (
        f"it takes {', '.join(elsewhere)} tasks"
        if elsewhere
        else f"choose one of {', '.join(c.key for c in candidates)}"
    )
    raise TreatiseError(f"no method {name!r} for a {task} task; {hint}")


def why_not(candidate: Candidate, problem: Problem, seconds: float, memory: float) -> str | None:
    """Why a candidate cannot take the problem with so much time and memory for one fit, or None if it can."""
    size = (problem.n_rows, problem.width, max(2, len(problem.classes)))
    needed_seconds = candidate.compare.seconds.at(*size)
    needed_bytes = candidate.compare.bytes.at(problem.rows_in_memory, *size[1:])
    if problem.sparse and "sparse" not in candidate.compare.input:
        needed_bytes = max(needed_bytes, 8.0 * problem.rows_in_memory * problem.width * 2)
    if needed_bytes > memory:
        return f"would need about {needed_bytes / 2**30:.1f} GiB of memory; {memory / 2**30:.1f} GiB are free for it"
    if needed_seconds > seconds:
        return f"one fit would take about {needed_seconds:.0f} s of this budget; give it more with --budget"
    return None


def build(candidate: Candidate, sparse: bool, params: Mapping[str, Any], seed: int) -> Pipeline:
    """The candidate as an unfitted pipeline from the table to the prediction.

    ``params`` are named as in the catalogue's search space: a parameter of the method, or ``head__NAME``
    for a transformer's head.
    """
    method = _instance(candidate.entry.path, candidate.compare.params, seed)
    if candidate.task == "sequence":
        # Imported here: comparisons of tables need none of the sequence learners, nor do their processes.
        from treatise.sequence import SequenceTagger

        return Pipeline([(TAGGER, SequenceTagger(method.set_params(**params)))])
    steps: list[tuple[str, Any]] = []
    takes_sparse = "sparse" in candidate.compare.input
    if not sparse:
        steps.append(("table", TableEncoder()))
    elif not takes_sparse:
        steps.append(("table", Densify()))
    scaler = _scaler(candidate.compare.scaling, sparse and takes_sparse)
    if scaler is not None:
        steps.append(("scale", scaler))
    steps.append(("method", method))
    if candidate.compare.head:
        steps.append(("kept", NeverEmpty()))
        steps.append(("head", _instance(candidate.compare.head[candidate.task], {}, seed)))
    pipeline = Pipeline(steps)
    names = {name if name.startswith("head__") else f"method__{name}": value for name, value in params.items()}
    return pipeline.set_params(**names)


def _instance(path: str, params: Mapping[str, Any], seed: int) -> Any:
    module, _, name = path.rpartition(".")
    estimator = getattr(import_module(module), name)(**params)
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=seed)
    return estimator


def _scaler(scaling: str, sparse: bool) -> Any:
    if scaling == "standard":
        return StandardScaler(with_mean=not sparse)
    if scaling == "minmax":
        # New rows may lie outside the range seen in training; a method that needs non-negative input must not see that.
        return MaxAbsScaler() if sparse else MinMaxScaler(clip=True)
    return None
