"""Which method do I want: every estimator and function that does something with data, task by task."""

import dataclasses
import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin

from treatise.catalog import EstimatorEntry, Paper, load_catalogue
from treatise.catalog._schema import TASKS
from treatise_pages.catalogue import is_running, paper_link
from treatise_pages.docstrings import first_line
from treatise_pages.rst import escaped, folded, reference, table, title

# What a person would say; a task without an entry is shown by its own name.
TITLES = {
    "binary": "Predict one of two classes", "multiclass": "Predict one of several classes",
    "regression": "Predict a number", "multilabel": "Predict several labels at once",
    "multitask": "Learn several related tasks together", "survival": "Predict the time to an event",
    "ranking": "Put things in order", "preference": "Combine preferences", "anomaly": "Find the unusual",
    "clustering": "Find groups", "density": "Model a distribution", "topics": "Find topics in documents",
    "semisupervised": "Learn from few labels and many rows without", "active": "Choose which labels to ask for",
    "private": "Learn without giving away single rows", "structure": "Learn who depends on whom",
    "inference": "Infer hidden variables of a known model", "sequence": "Label sequences",
    "structured": "Predict trees, alignments and other structures", "time-series": "Work with time series",
    "feature-selection": "Choose features", "decomposition": "Take a matrix apart",
    "source-separation": "Separate mixed signals", "dimension-reduction": "Reduce dimensions",
    "metric": "Learn a distance or similarity", "kernel": "Choose or combine kernels",
    "online": "Learn from a stream, one example at a time", "experts": "Follow expert advice",
    "network": "Work with networks", "reinforcement": "Learn to act", "optimisation": "Optimise a black box",
    "design": "Design experiments", "estimation": "Estimate entropies, divergences and dependence",
    "diagnostics": "Judge a learner or an experiment", "image": "Work with images", "text": "Work with text",
    "multiple-instance": "Classify bags of rows that share one label",
}  # fmt: skip
PREDICTION = ("binary", "multiclass", "regression", "sequence")


def pages(docs: Path) -> dict[str, str]:
    return {"_generated/by_task.inc": _by_task(list(load_catalogue()))}


def _by_task(papers: list[Paper]) -> str:
    text = ""
    tasks = [task for task in TASKS if any(task in paper.tasks for paper in papers)]
    # What can be used now comes first; the order within stays the catalogue's.
    for task in sorted(tasks, key=lambda t: not any(is_running(p) for p in papers if t in p.tasks)):
        working = [p for p in papers if task in p.tasks and is_running(p)]
        planned = [p for p in papers if task in p.tasks and not is_running(p)]
        text += f".. _task-{task}:\n\n" + title(TITLES.get(task, task.capitalize()), "-") + "\n"
        if working:
            rows = [_row(entry, paper) for paper in working for entry in methods_for(task, paper)]
            text += table(["Method", "What it is", "Paper"], rows, widths="24 46 30") + "\n"
        if planned:
            items = "\n".join(f"- {paper_link(p)}. {escaped(p.when)}" for p in planned)
            text += folded(f"{len(planned)} planned" if working else f"{len(planned)} planned, none working yet", items)
            text += "\n"
    return text


def _row(entry: EstimatorEntry, paper: Paper) -> list[str]:
    return [reference(entry.path), first_line(entry.path), paper_link(paper)]


def methods_for(task: str, paper: Paper) -> list[EstimatorEntry]:
    """The methods of a paper for one of its tasks, as their rows say or, where they do not, by what they are.

    A task of prediction belongs to what predicts so: to classifiers, to regressors, and to what a comparison uses for
    it. What predicts nothing stands under the paper's other tasks; if the paper has none, under all.
    """
    methods = [entry for entry in paper.estimators if is_method(entry)]
    predicting = [entry for entry in methods if task in (entry.tasks or predicted_by(entry))]
    if task in PREDICTION and predicting:
        helping = set(paper.tasks) <= set(PREDICTION)
        return [e for e in methods if e in predicting or (helping and not e.tasks and not predicted_by(e))]
    return [entry for entry in methods if not entry.tasks or task in entry.tasks]


def is_method(entry: EstimatorEntry) -> bool:
    """Whether a name does something with data, rather than hold a result, draw it, or make or load data."""
    if entry.name.startswith("plot_") or entry.path.startswith("treatise.datasets."):
        return False
    member = _member(entry)
    holds = inspect.isclass(member) and (dataclasses.is_dataclass(member) or issubclass(member, tuple | Exception))
    return not holds


def predicted_by(entry: EstimatorEntry) -> set[str]:
    """The tasks of prediction that an estimator is for."""
    if entry.compare is not None:
        return {task.removesuffix("-groups") for task in entry.compare.tasks}
    member = _member(entry)
    if not inspect.isclass(member):
        return set()
    classes = {"binary", "multiclass"} if issubclass(member, ClassifierMixin) else set()
    return classes | ({"regression"} if issubclass(member, RegressorMixin) else set())


def _member(entry: EstimatorEntry) -> Any:
    module, _, name = entry.path.rpartition(".")
    return getattr(import_module(module), name)
