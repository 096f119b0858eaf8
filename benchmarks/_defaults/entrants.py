"""Who is tried: every estimator of the catalogue that learns from a table's target, and the obvious one beside it."""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags

from treatise.catalog import ComparisonEntry, EstimatorEntry, Paper, load_catalogue
from treatise.catalog._schema import UNMEASURED
from treatise.compare.candidates import Candidate

BAGS = "learns from bags of rows, and the tables have rows alone; its experiment tries it on molecules"
EXCUSED = {
    **dict.fromkeys(["DDSVM", "DiverseDensity", "EMDD", "MISVM", "miSVM"], BAGS),
    "FixedRankPSDRegressor": "learns a matrix from measurements of it",
    "GibbsMedLDAClassifier": "wants counts of words, which scaled columns are not; its benchmark tries the default",
    "GibbsMedLDARegressor": "wants counts of words, which scaled columns are not",
    "GroundMetricLearner": "wants histograms, which columns of a table are not; its experiment tries it on digits",
    "PrivateLogisticRegression": "asks for rows within a stated norm",
    "PrivateLinearSVC": "asks for rows within a stated norm",
}
"""Estimators with X and y that no table of columns is meant for."""

UNSCORED = {
    "sequence": "labels the positions of sequences, which no table holds",
    "cluster-sequences": "groups sequences, and no column says which groups are right",
}
"""Tasks without a score on held-out rows of a table, and why: estimators of these alone are not tried."""

OBVIOUS = {
    "linear": ("sklearn.linear_model.LogisticRegression", "sklearn.linear_model.Ridge"),
    "additive": ("sklearn.linear_model.LogisticRegression", "sklearn.linear_model.Ridge"),
    "kernel": ("sklearn.svm.SVC", "sklearn.svm.SVR"),
    "ensemble": ("sklearn.ensemble.RandomForestClassifier", "sklearn.ensemble.RandomForestRegressor"),
    "tree": ("sklearn.tree.DecisionTreeClassifier", "sklearn.tree.DecisionTreeRegressor"),
    "neighbours": ("sklearn.neighbors.KNeighborsClassifier", "sklearn.neighbors.KNeighborsRegressor"),
    "probabilities": ("sklearn.naive_bayes.GaussianNB", "sklearn.linear_model.BayesianRidge"),
    "other": ("sklearn.linear_model.LogisticRegression", "sklearn.linear_model.Ridge"),
}
"""What a person would take in scikit-learn for a model of each form: for classes, and for amounts."""
OBVIOUS_OF_TASK = {
    "cluster": "sklearn.cluster.KMeans",
    "survival": "treatise.compare.lifetimes.CoxRegression",
}
"""The same where the task decides, whatever the form; Cox's model is scikit-survival's."""


@dataclass(frozen=True)
class Entrant:
    """An estimator that is tried, as the catalogue has it."""

    paper: Paper
    entry: EstimatorEntry
    compare: ComparisonEntry

    @property
    def name(self) -> str:
        """The bare name, as in code."""
        return self.entry.name

    def bare(self, task: str) -> Candidate:
        """It for a task, without the parameters that the catalogue settles."""
        return Candidate(self.entry, replace(self.compare, params={}), self.paper, task)

    def obvious(self, task: str) -> Candidate:
        """What a person would take instead, which knows of no order of classes."""
        task = "multiclass" if task == "ordinal" else task
        path = OBVIOUS_OF_TASK.get(task) or OBVIOUS[self.compare.form][task == "regression"]
        params = {"max_iter": 1000} if path.endswith("LogisticRegression") else {}
        compare = ComparisonEntry((task,), *UNMEASURED, scaling="standard", params=params)
        return Candidate(EstimatorEntry(path, compare), compare, None, task)


def entrants(words: Sequence[str] = ()) -> list[Entrant]:
    """Those whose name, paper or family is among the words; all where there is none."""
    everyone = list(_everyone())
    known = {word for one in everyone for word in (one.name, one.paper.id, one.paper.family)}
    unknown = set(words) - known
    if unknown:
        raise ValueError(f"no estimator with X and y, paper or family is named {', '.join(sorted(unknown))}")
    return [one for one in everyone if not words or {one.name, one.paper.id, one.paper.family} & set(words)]


def _everyone() -> Iterator[Entrant]:
    for paper in load_catalogue():
        for entry in paper.estimators:
            if entry.name in EXCUSED:
                continue
            compare = entry.compare or _inferred(entry)
            if compare is not None and not set(compare.tasks) <= UNSCORED.keys():
                yield Entrant(paper, entry, compare)


def _inferred(entry: EstimatorEntry) -> ComparisonEntry | None:
    """How a predictor or a selector that takes no part in comparisons would: scaled columns, nothing to search."""
    module, _, name = entry.path.rpartition(".")
    member = getattr(import_module(module), name)
    predicts = inspect.isclass(member) and issubclass(member, ClassifierMixin | RegressorMixin)
    if inspect.isclass(member) and issubclass(member, SelectorMixin) and not predicts:
        tasks, (head, _) = ("binary", "multiclass"), OBVIOUS["linear"]
        return ComparisonEntry(
            tasks, *UNMEASURED, role="transformer", scaling="standard", form="linear", head=dict.fromkeys(tasks, head)
        )
    if not predicts or _needs(member):
        return None
    estimator = member()
    if not is_classifier(estimator):
        kinds: tuple[str, ...] = ("regression",)
    else:
        kinds = ("binary", "multiclass") if get_tags(estimator).classifier_tags.multi_class else ("binary",)
    return ComparisonEntry(kinds, *UNMEASURED, scaling="standard", form=_form(entry.path))


def _needs(member: Any) -> bool:
    """Whether an estimator cannot be made without being told something."""
    parameters = inspect.signature(member).parameters.values()
    return any(parameter.default is inspect.Parameter.empty for parameter in parameters)


def _form(path: str) -> str:
    family = path.split(".")[1]
    return {"svm": "kernel", "bayesnet": "probabilities", "online": "linear", "linear": "linear"}.get(family, "other")
