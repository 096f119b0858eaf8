"""Stepwise regression: least squares whose columns enter and leave by their partial F (Figure 18 of JMLR 12:627)."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import f as f_distribution

from treatise.optimize.forward_selection import ForwardSelection, rises

DIRECTIONS = ("both", "forward", "backward")


@dataclass(frozen=True)
class StepwiseStep:
    """A column that was tried: what became of it, and its partial F given the others."""

    action: str
    """``"enter"``, ``"leave"``, or ``"refused"`` for the best column that did not enter."""
    column: int
    f: float
    p: float
    r2: float
    """Share of the variance that the columns explain after the step."""


@dataclass(frozen=True)
class StepwiseResult:
    """The columns that stayed, the model on them, and how it came about."""

    selected: tuple[int, ...]
    """Columns, in the order in which they entered."""
    coef: np.ndarray
    """One for each column of the table; zero for those left out."""
    intercept: float
    f: float
    """F of the whole model; NaN without columns."""
    p: float
    r2: float
    r2_adj: float
    steps: tuple[StepwiseStep, ...]

    def predict(self, X):
        """Responses that the model expects."""
        return np.asarray(X, dtype=float) @ self.coef + self.intercept


def stepwise_regression(X, y, *, f_in=4.0, f_out=3.9, start=(), direction="both"):
    """Choose the columns of a linear model one by one, by how much each explains beside the others.

    The column that would lower the squared error most enters if its partial F is at least ``f_in``; then the one that
    is missed least leaves if its F is at most ``f_out``; until nothing changes. Use it for a handful of columns that
    were set by design. Where columns are many or correlated, the F of the best of them is no longer an F, and the
    p-values are too small: take a penalty or cross-validation instead. A step costs O(n p).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Columns; constant ones, and those that others explain, never enter.
    y : array-like of shape (n_samples,)
        Response.
    f_in, f_out : float, default=4.0 and 3.9
        Partial F that a column needs to enter, and at or below which it leaves. The first is the larger one.
    start : sequence of int, default=()
        Columns to begin with; for ``direction="backward"`` an empty sequence stands for all.
    direction : {"both", "forward", "backward"}, default="both"
        Whether columns enter and leave, only enter, or only leave.

    Returns
    -------
    StepwiseResult

    Examples
    --------
    >>> from treatise.optimize import stepwise_regression
    >>> X = [[-1, -1], [-1, 1], [1, -1], [1, 1], [0, 0]]
    >>> found = stepwise_regression(X, [1.0, 1.1, 3.1, 3.0, 2.0])
    >>> found.selected, found.coef.round(3).tolist(), round(found.intercept, 3)
    ((0,), [1.0, 0.0], 2.04)

    References
    ----------
    .. [1] Paper v12-0627, Figure 18 and Appendix A. The paper prints no thresholds; 4.0 and 3.9 select what it reports.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    _check(X, y, f_in, f_out, start, direction)
    n, p = X.shape
    chosen = list(range(p)) if direction == "backward" and not len(start) else [int(j) for j in start]
    if direction == "backward" and len(chosen) >= n - 1:
        raise ValueError(
            f"{len(chosen)} columns leave no error to judge them by on {n} rows; start with {n - 2} or fewer"
        )
    model, steps, seen = _Model(X, y, chosen), list[StepwiseStep](), set[frozenset[int]]()
    while frozenset(model.chosen) not in seen:
        seen.add(frozenset(model.chosen))
        if direction != "backward":
            model = _enter(model, f_in, steps)
        if direction != "forward":
            model = _leave(model, f_out, steps)
    coef, intercept, _ = model.search.least_squares()
    k, r2, (rss, total) = len(model.chosen), model.r2, model.squares
    error = rss / (n - 1 - k) if n - 1 - k > 0 else np.nan
    whole = _ratio(total - rss, k * error) if k else np.nan
    return StepwiseResult(
        selected=tuple(model.chosen), coef=coef[0], intercept=float(intercept[0]), f=whole,
        p=_tail(whole, k, n - 1 - k), r2=r2,
        r2_adj=1.0 - (n - 1) / (n - k - 1) * (1.0 - r2) if n - k - 1 > 0 else np.nan, steps=tuple(steps),
    )  # fmt: skip


def _check(X, y, f_in, f_out, start, direction):
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"X of shape {X.shape} and y of shape {y.shape} do not belong together; give (n, p) and (n,)")
    if not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise ValueError("X and y must be finite; leave out runs that failed")
    if not 0 < f_out < f_in:
        raise ValueError(
            f"f_in={f_in} must be above f_out={f_out}, and both above 0, or a column enters and leaves forever"
        )
    if direction not in DIRECTIONS:
        raise ValueError(f"direction={direction!r} is not known; choose one of {', '.join(map(repr, DIRECTIONS))}")
    outside = [j for j in start if not 0 <= j < X.shape[1]]
    if outside:
        raise ValueError(f"start holds column {outside[0]}; X has columns 0 to {X.shape[1] - 1}")


class _Model:
    """Least squares on some columns, ready to take another one."""

    def __init__(self, X, y, chosen):
        self.X, self.y, self.search = X, y, ForwardSelection(X, y[:, np.newaxis])
        self.chosen = []
        for column in chosen:
            # What the others explain already has no part of its own.
            if self.search.drops()[0, column] > 0.0:
                self.search.add(column, [0])
                self.chosen.append(column)

    @property
    def squares(self):
        """Squared error, and that of the mean alone."""
        return float(self.search.rss[0]), float(self.search.total[0])

    @property
    def r2(self):
        rss, total = self.squares
        return 1.0 - rss / total if total > 0 else 0.0


def _enter(model, f_in, steps):
    """Steps 4 and 5: the column that raises R^2 most, if its partial F is large enough."""
    drops = model.search.drops()[0]
    column, left = int(np.argmax(drops)), len(model.y) - len(model.chosen) - 2
    if drops.size == 0 or drops[column] <= 0.0 or left < 1:
        return model
    before = model.squares[0]
    after = before - float(drops[column])
    value = _ratio(float(drops[column]), max(after, 0.0) / left if after > 1e-14 * model.squares[1] else 0.0)
    if value < f_in:
        steps.append(StepwiseStep("refused", column, value, _tail(value, 1, left), model.r2))
        return model
    grown = _Model(model.X, model.y, [*model.chosen, column])
    steps.append(StepwiseStep("enter", column, value, _tail(value, 1, left), grown.r2))
    return grown


def _leave(model, f_out, steps):
    """Steps 6 and 7: the column that R^2 misses least, if its partial F is small enough."""
    left = len(model.y) - len(model.chosen) - 1
    if not model.chosen or left < 1:
        return model
    unit = float(model.search.unit[0])
    losses = rises(model.X[:, model.chosen], model.y / unit)
    place = int(np.argmin(losses))
    value = _ratio(float(losses[place]), model.squares[0] / left)
    if value > f_out:
        return model
    smaller = _Model(model.X, model.y, model.chosen[:place] + model.chosen[place + 1 :])
    steps.append(StepwiseStep("leave", model.chosen[place], value, _tail(value, 1, left), smaller.r2))
    return smaller


def _ratio(gain, error):
    """An F; infinite where nothing is left unexplained."""
    if np.isnan(error):
        return np.nan
    return gain / error if error > 0 else np.inf if gain > 0 else 0.0


def _tail(value, k, left):
    return float(f_distribution.sf(value, k, left)) if left > 0 and not np.isnan(value) else np.nan
