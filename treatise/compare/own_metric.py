"""A measure that the user brings: a function, one of scikit-learn's scorers, or the name of one."""

import hashlib
import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

import numpy as np
from joblib import wrap_non_picklable_objects
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.metrics._scorer import _BaseScorer
from sklearn.utils.metaestimators import available_if

from treatise._core.errors import TreatiseError
from treatise.compare.measures import METRICS
from treatise.compare.metrics import Predictions
from treatise.report.record import Metric


@dataclass(frozen=True)
class OwnMetric:
    """A measure with its function, which is kept by value so that other processes can have it.

    More is better, as with scikit-learn's scorers.
    """

    metric: Metric
    code: bytes

    def __reduce__(self) -> Any:
        # Without the function that may have been made of the code meanwhile, which need not survive pickling.
        return OwnMetric, (self.metric, self.code)

    @cached_property
    def function(self) -> Any:
        """The function, or the scorer."""
        return pickle.loads(self.code)

    @property
    def fingerprint(self) -> str:
        """Another one where the function was changed and kept its name, or what it holds was."""
        inner = getattr(self.function, "_score_func", self.function)
        try:
            text = inspect.getsource(inner)
        except (OSError, TypeError):
            text = _compiled_text(getattr(inner, "__code__", None)) or type(inner).__name__
        held = [getattr(inner, "__defaults__", None), getattr(inner, "__kwdefaults__", None)]
        held += [cell.cell_contents for cell in getattr(inner, "__closure__", None) or ()]
        held += [getattr(self.function, name, None) for name in ("_sign", "_kwargs")]
        # Functions and the like show where they lie in memory, which is another place in every run.
        shown = re.sub(r" at 0x[0-9a-f]+", "", repr(held))
        return hashlib.sha256((text + shown).encode()).hexdigest()[:16]

    def score(
        self, actual: np.ndarray, found: Predictions, classes: np.ndarray, weights: np.ndarray | None = None
    ) -> float:
        """The measure of predictions; weights reach a function that takes ``sample_weight``."""
        told = {} if weights is None or not _takes_weights(self.function) else {"sample_weight": weights}
        if isinstance(self.function, _BaseScorer):
            kind = ForetoldClasses if len(classes) else ForetoldAmounts
            return float(self.function(kind(found, classes), np.zeros((len(actual), 1)), actual, **told))
        return float(self.function(actual, found.values, **told))

    def tried(self, y: np.ndarray, classes: np.ndarray) -> None:
        """Refuse a function that fails on perfect predictions: it would fail for every method."""
        shares = (y[:, None] == classes).astype(float) if len(classes) else None
        try:
            value = self.score(y, Predictions(y, shares, shares), classes)
        except Exception as error:
            raise TreatiseError(
                f"the metric {self.metric.label!r} fails where predictions are perfect ({type(error).__name__}: "
                f"{error}); a function takes the actual and the predicted values and returns a number"
            ) from error
        if not np.isfinite(value):
            raise TreatiseError(f"the metric {self.metric.label!r} gives {value} where predictions are perfect")


def own_metric(given: str | Callable[..., Any]) -> OwnMetric:
    """The measure of a function ``f(actual, predicted)``, of a scorer, or of a scorer's name.

    Parameters
    ----------
    given : str or callable
        More must be better; ``sklearn.metrics.make_scorer(loss, greater_is_better=False)`` turns a loss round.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare.metrics import Predictions
    >>> from treatise.compare.own_metric import own_metric
    >>> def within_one(actual, predicted):
    ...     return np.mean(abs(actual - predicted) <= 1)
    >>> own = own_metric(within_one)
    >>> own.metric.label, own.score(np.array([1.0, 2.0]), Predictions(np.array([1.5, 4.0])), np.array([]))
    ('within one', 0.5)
    """
    if isinstance(given, str):
        if given not in get_scorer_names():
            raise TreatiseError(
                f"metric {given!r} is unknown; choose one of {', '.join(METRICS)}, or the name of one of "
                "scikit-learn's scorers"
            )
        name, function = given, get_scorer(given)
    elif callable(given):
        function = given
        named = given._score_func if isinstance(given, _BaseScorer) and hasattr(given, "_score_func") else given
        name = getattr(named, "__name__", type(given).__name__)
        name = "own metric" if name == "<lambda>" else name
        name = f"own {name}" if name in METRICS else name
    else:
        raise TreatiseError(f"metric={given!r} is no name and no function; give f(actual, predicted) or a scorer")
    try:
        code = pickle.dumps(wrap_non_picklable_objects(function, keep_wrapper=False))
    # Whatever the function holds tells its own state, and may fail in its own way.
    except Exception as error:
        raise TreatiseError(
            f"the metric {name!r} cannot be sent to the processes that judge ({error}); let it hold no open files, "
            "locks or connections"
        ) from error
    return OwnMetric(Metric(name, name.replace("_", " "), True), code)


def _compiled_text(code: CodeType | None) -> str:
    """What a function does, where its source is not at hand."""
    if code is None:
        return ""
    plain = [_compiled_text(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return repr((code.co_code, code.co_names, plain))


def _takes_weights(function: Any) -> bool:
    inner = getattr(function, "_score_func", function)
    try:
        return "sample_weight" in inspect.signature(inner).parameters
    except (TypeError, ValueError):
        return False


class _Foretold(BaseEstimator):
    """Stands for a model whose predictions are known, since a scorer asks a model."""

    def __init__(self, found: Predictions, classes: np.ndarray) -> None:
        self.found, self.classes = found, classes
        self.classes_ = classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> np.ndarray:
        return self.found.values


class ForetoldAmounts(RegressorMixin, _Foretold):
    """Of amounts."""


class ForetoldClasses(ClassifierMixin, _Foretold):
    """Of classes, with probabilities or scores where they are known."""

    @available_if(lambda self: self.found.probabilities is not None)
    def predict_proba(self, X: Any) -> np.ndarray | None:
        return self.found.probabilities

    @available_if(lambda self: self.found.scores is not None)
    def decision_function(self, X: Any) -> np.ndarray:
        scores = np.asarray(self.found.scores)
        return scores[:, 1] if scores.shape[1] == 2 else scores
