"""TransFeat: which features earlier tasks chose makes them cheaper now (Dhillon et al., JMLR 12:525, Section 7)."""

from numbers import Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from treatise._core.magnitudes import check_magnitudes
from treatise.linear._feature_groups import group_numbers
from treatise.linear.mic._group_code import GroupCode
from treatise.linear.mic.group import GroupRegressor


class TransFeat(GroupRegressor):
    """Sparse least squares that prefers the features and groups that related tasks chose before.

    A feature that many earlier models use is likely, and so takes few bits to name; one that none uses takes more than
    it would without them. With few rows this finds features that the rows alone could not pay for.

    Use it for a task with few rows where models of related tasks with more rows are at hand, over the same features. Do
    not hand it models of unrelated tasks: it then looks in the wrong places first. Costs as :class:`MICGroup`.

    Parameters
    ----------
    a : float, default=1.0
        Times that every feature, and every group, is taken to have been chosen before any task was seen.
    b : float or "auto", default="auto"
        Times that it is taken not to have been chosen. "auto" is what makes all equally likely to be the next without
        sources: the number of features, or of groups, less one.

    Attributes
    ----------
    feature_bits_, group_bits_ : ndarray of shape (n_features,) and (n_groups,)
        Bits to name each feature, and each group that is not in the model yet.

    See Also
    --------
    MICGroup : The same without sources. It names a feature among those of its group (log2 of the group's size, and one
        bit for the switch); here it is named among all features, so without sources the two differ.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import MICMulti, TransFeat
    >>> rng = np.random.default_rng(0)
    >>> weights = np.repeat([1.0, 0.0], [4, 496])
    >>> sources = []
    >>> for task in range(40):
    ...     X = rng.normal(size=(200, 500))
    ...     sources.append(MICMulti().fit(X, X @ weights + rng.normal(size=200)).get_support())
    >>> X = rng.normal(size=(30, 500))
    >>> y = X @ weights + rng.normal(size=30)
    >>> [sorted(TransFeat().fit(X, y, sources=given).selected_.tolist()) for given in (None, sources)]
    [[], [1, 3]]

    References
    ----------
    .. [1] Paper v12-0525, Section 7.1, Equation 17, Algorithm 3.
    """

    _parameter_constraints: dict = {
        **GroupRegressor._parameter_constraints,
        "a": [Interval(Real, 0, None, closed="neither")],
        "b": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
    }

    def __init__(self, groups=None, *, a=1.0, b="auto", extra=5, coef_bits=2.0):
        self.groups = groups
        self.a = a
        self.b = b
        self.extra = extra
        self.coef_bits = coef_bits

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sources=None):
        """Choose features, and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Response.
        sources : array-like of bool of shape (n_tasks, n_features) or None, default=None
            For each earlier task which features its model uses, as ``get_support`` of a selector says.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        check_magnitudes(y, "y")
        self.groups_ = group_numbers(self.groups, X.shape[1])
        chosen = _checked_sources(sources, X.shape[1])
        members = self.groups_ == np.arange(self.groups_.max() + 1)[:, np.newaxis]
        self.feature_bits_ = self._bits(chosen)
        self.group_bits_ = self._bits(np.array([[np.any(task[of]) for of in members] for task in chosen]), len(members))
        code = GroupCode(
            self.groups_, self.group_bits_, self.feature_bits_ + self._bits_of_coefficient(len(X)), shorter_of_both=True
        )
        self._fit_code(X, np.asarray(y, dtype=np.float64), code)
        return self

    def _bits(self, chosen, n_items=None):
        """Minus lg of Equation 17, from the tasks that chose each of several items."""
        n_items = chosen.shape[1] if n_items is None else n_items
        b = n_items - 1.0 if self.b == "auto" else self.b
        times = chosen.sum(axis=0) if len(chosen) else np.zeros(n_items)
        return -np.log2((times + self.a) / (len(chosen) + self.a + b))


def _checked_sources(sources, n_features):
    if sources is None or len(sources) == 0:
        return np.zeros((0, n_features), dtype=bool)
    masks = np.asarray(sources)
    if masks.ndim != 2 or masks.shape[1] != n_features:
        raise ValueError(
            f"sources has the shape {masks.shape} and X {n_features} features; give for each earlier task one value a "
            "feature: whether its model uses it"
        )
    if not np.all((masks == 0) | (masks == 1)):
        raise ValueError("sources must be true or false; for coefficients, give coef != 0")
    return masks.astype(bool)
