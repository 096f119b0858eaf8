"""How several tasks come in: with the task of each row, as columns of targets, or as classes against the rest."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d


@dataclass(frozen=True)
class Task:
    """Rows of the table that a task has, and their targets."""

    rows: np.ndarray
    targets: np.ndarray


def ids_of_rows(tasks, X):
    """The task of each row, checked against the table."""
    tasks = column_or_1d(np.asarray(tasks))
    check_consistent_length(X, tasks)
    if tasks.dtype.kind == "f" and not np.isfinite(tasks).all():
        raise ValueError("tasks holds NaN or infinity; every row needs a task")
    return tasks


def task_positions(tasks, known, X):
    """Positions of the rows' tasks among those of ``fit``, -1 for others."""
    tasks = ids_of_rows(tasks, X)
    at = np.minimum(np.searchsorted(known, tasks), len(known) - 1)
    return np.where(known[at] == tasks, at, -1)


def refuse_unknown(tasks, positions, known):
    """Refuse rows of tasks that were not there in ``fit``."""
    if np.any(positions < 0):
        unknown = np.unique(np.asarray(tasks)[positions < 0])
        raise ValueError(f"tasks holds {unknown.tolist()[:5]}, not among the tasks {known.tolist()[:10]} of fit")


def signs_of_task(labels, name):
    """Labels of one task as -1 and 1, and the two classes; ``name`` is for the error."""
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"{name} holds one class only, {classes.tolist()[0]!r}; each task needs rows of two classes: leave it out "
            "or add rows"
        )
    if len(classes) > 2:
        raise ValueError(
            f"{name} holds {len(classes)} classes, {classes.tolist()[:5]}; each task must have two. Without tasks, "
            "several classes are taken one against the rest"
        )
    return np.where(codes == 1, 1.0, -1.0), classes
