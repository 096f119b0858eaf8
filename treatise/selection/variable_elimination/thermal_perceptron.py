"""The thermal perceptron (Frean, Neural Computation 4:946), as annealed by Stracuzzi & Utgoff (JMLR 5:1331)."""

import math
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier, signs_of
from treatise._core.invariants import Invariants, linear
from treatise._core.jit import compiled_sums
from treatise._core.magnitudes import check_magnitudes


@compiled_sums
def anneal(X, signs, temperature, decay, coldest, rate, constant, weights, average):
    """Correct every mistake by exp(-|activation| / T) of a step, while T falls; the mistakes of each pass.

    The last weight is that of a constant feature, of the value ``constant``. ``average`` becomes the mean of the
    weights over the colder half of the passes. After a pass without a mistake the weights stay as they are, at every
    temperature, so that the other passes need not be made.
    """
    n, p = X.shape
    n_passes = 0
    hot = temperature
    while hot >= coldest:
        hot *= decay
        n_passes += 1
    mistakes = np.zeros(n_passes, dtype=np.int64)
    first_cold = n_passes // 2
    for epoch in range(n_passes):
        for i in range(n):
            activation = weights[p] * constant
            for j in range(p):
                activation += weights[j] * X[i, j]
            if signs[i] * activation <= 0.0:
                mistakes[epoch] += 1
                step = rate * signs[i] * np.exp(-abs(activation) / temperature)
                for j in range(p):
                    weights[j] += step * X[i, j]
                weights[p] += step * constant
            if epoch >= first_cold:
                for j in range(p + 1):
                    average[j] += weights[j]
        temperature *= decay
        if mistakes[epoch] == 0:
            rows_left = n * (n_passes - max(epoch + 1, first_cold))
            for j in range(p + 1):
                average[j] += rows_left * weights[j]
            break
    average /= n * (n_passes - first_cold)
    return mistakes


class ThermalPerceptron(ScoreClassifier, BaseEstimator):
    """Perceptron that stops heeding rows far on the wrong side of its plane as a temperature falls.

    Each mistake corrects the weights, by the less the further the row lies on the wrong side, measured in units of the
    temperature. Hot, it is the perceptron; cold, it minds only the rows near the plane, so that it settles where the
    classes overlap too.

    Use it for linear rules of yes/no features, separable or nearly so. Do not use it for probabilities, nor with
    features of very different scale; logistic regression is the better first choice on tables of measurements, and
    faster. Costs O(n p) a pass, of which there are 1 897 by default, and memory of one copy of the table.

    Parameters
    ----------
    temperature : float, default=2.0
        Temperature at the start.
    decay : float, default=0.999
        What it is multiplied by after each pass.
    min_temperature : float, default=0.3
        Below this temperature it ends.
    learning_rate : "scale" or float, default="scale"
        Size of a correction. "scale" is one over the mean squared length of a row, seen from the mean row, and gives
        the constant feature the features' mean size, so that neither unit nor shift of the features matters. A number
        takes the features as they are. The paper gives none.
    average : bool, default=True
        Whether the weights are the mean over the colder half of the passes, which holds still where the classes
        overlap, and not the last ones, as in the paper.
    random_state : int, RandomState instance or None, default=None
        Draws the order of the rows, once.

    Attributes
    ----------
    coef_ : ndarray of shape (n_machines, n_features)
        Weights: one machine for two classes, else one for each class against the rest.
    intercept_ : ndarray of shape (n_machines,)
        Weight of a constant feature.
    mistakes_ : ndarray of int of shape (n_machines, n_passes)
        Rows on the wrong side in each pass, counted as they were met.
    classes_ : ndarray
        The classes seen.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    RandomizedVariableElimination : The selection that its paper runs with it.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.selection import ThermalPerceptron
    >>> X = np.random.default_rng(0).integers(0, 2, (300, 10))
    >>> y = X.sum(axis=1) >= 7
    >>> ThermalPerceptron(random_state=0).fit(X, y).score(X, y)
    1.0

    References
    ----------
    .. [1] Paper v05-1331, Section 5.2; the factor of a correction is Frean's, Neural Computation 4(6), 1992.
    """

    _parameter_constraints: dict = {
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "decay": [Interval(Real, 0, 1, closed="neither")],
        "min_temperature": [Interval(Real, 0, None, closed="neither")],
        "learning_rate": [StrOptions({"scale"}), Interval(Real, 0, None, closed="neither")],
        "average": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        temperature=2.0,
        *,
        decay=0.999,
        min_temperature=0.3,
        learning_rate="scale",
        average=True,
        random_state=None,
    ):
        self.temperature = temperature
        self.decay = decay
        self.min_temperature = min_temperature
        self.learning_rate = learning_rate
        self.average = average
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_magnitudes(X, "X")
        if self.temperature < self.min_temperature:
            raise ValueError(
                f"temperature={self.temperature} is below min_temperature={self.min_temperature} at the start, which "
                "leaves no pass; begin hotter"
            )
        codes = self._code_labels(y)
        order = check_random_state(self.random_state).permutation(len(X))
        X, codes = X[order], codes[order]
        centre, rate, constant = self._units(X)
        X = X - centre
        machines, mistakes = [], []
        for signs in signs_of(codes, len(self.classes_)):
            weights, average = np.zeros(X.shape[1] + 1), np.zeros(X.shape[1] + 1)
            mistakes.append(
                anneal(X, signs, self.temperature, self.decay, self.min_temperature, rate, constant, weights, average)
            )
            machines.append(average if self.average else weights)
        weights = np.array(machines)
        self.coef_ = weights[:, :-1]
        self.intercept_ = weights[:, -1] * constant - self.coef_ @ centre
        self.mistakes_ = np.array(mistakes)
        return self

    def _units(self, X):
        """Where zero is, the size of a correction, and the constant feature."""
        if self.learning_rate != "scale":
            return np.zeros(X.shape[1]), float(self.learning_rate), 1.0
        square = float(np.mean(X.var(axis=0))) or 1.0
        return X.mean(axis=0), 1.0 / (square * (X.shape[1] + 1)), math.sqrt(square)

    def _invariants(self) -> Invariants:
        yield from linear(self, len(self.classes_) if len(self.classes_) > 2 else 1)

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return X @ self.coef_.T + self.intercept_
