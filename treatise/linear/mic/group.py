"""MIC-Group: sparse regression with features in groups (Dhillon et al., JMLR 12:525, Section 4.2)."""

from numbers import Integral

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from treatise._core.magnitudes import check_magnitudes
from treatise.linear._feature_groups import group_numbers
from treatise.linear.mic._base import DescriptionLengthRegressor, residual_bits
from treatise.linear.mic._group_code import GroupCode
from treatise.linear.mic._subsets import subset_select
from treatise.linear.mic._switch import switch_select


class GroupRegressor(DescriptionLengthRegressor):
    """Base of the regressors of one response on features in groups.

    Parameters
    ----------
    groups : array-like of shape (n_features,), list of lists of int or None, default=None
        Label of each feature's group, or for each group the numbers of its features. Every feature belongs to one
        group; None puts all into one.
    extra : int, default=5
        Steps to go on after no feature pays, before those that do not pay are taken out again. One feature of a group
        may not pay for naming the group where two together do. Zero stops at once.

    Attributes
    ----------
    selected_ : ndarray of int
        Features kept, in the order in which they entered.
    groups_ : ndarray of int of shape (n_features,)
        Number of each feature's group.
    """

    _parameter_constraints: dict = {
        **DescriptionLengthRegressor._parameter_constraints,
        "groups": ["array-like", None],
        "extra": [Interval(Integral, 0, None, closed="left")],
    }

    def _fit_code(self, X, y, code):
        """Search with a code of features, and store the model."""
        chosen, search, path = switch_select(X, y, code, self.extra)
        self._store(chosen, search, path, code.total(chosen), len(X))

    def _store(self, chosen, search, path, spent, n_samples):
        coef, intercept, rss = search.least_squares([chosen])
        self._keep(coef, intercept, several=False)
        self._tell_of_nothing(search)
        self.selected_ = np.array(chosen, dtype=np.intp)
        self.bits_path_ = np.array([residual_bits(rss_, search, n_samples) + bits for rss_, bits in path])
        self.total_bits_ = residual_bits(rss, search, n_samples) + spent


class MICGroup(GroupRegressor):
    """Sparse least squares where useful features come together in few of several groups, with nothing to tune.

    Features enter one at a time as long as the residuals' code shortens by more bits than name the feature. A group
    costs bits once; further features of it cost little, and those of a small group less than those of a large one. So
    several features of one group enter where a selection without groups would miss them, and not all features of a
    group need to enter.

    Use it where features have a natural kind each (pathways of genes, kinds of words, sensors, powers of one
    measurement) and few kinds matter. Do not use it where useful features are spread evenly: groups then cost bits for
    nothing. Costs n p for each feature added; memory n p.

    Parameters
    ----------
    method : {"switch", "subset"}, default="switch"
        "switch" adds feature by feature and names known groups by a short code. "subset" adds to the model the best
        subset of a group at once, and no group twice; it is slower and about as good.

    See Also
    --------
    TransFeat : Learns from earlier tasks which features and groups are likely.
    MICMulti : Several responses.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import MICGroup
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 400))
    >>> y = X[:, :5].sum(axis=1) + 2.0 * rng.normal(size=80)
    >>> groups = np.repeat([0, 1], [8, 392])
    >>> sorted(MICGroup(groups).fit(X, y).selected_.tolist())
    [0, 1, 2, 3, 4]

    References
    ----------
    .. [1] Paper v12-0525, Sections 4.2 and 4.3, Algorithm 2, Equation 9.
    """

    _parameter_constraints: dict = {
        **GroupRegressor._parameter_constraints,
        "method": [StrOptions({"switch", "subset"})],
    }

    def __init__(self, groups=None, *, method="switch", extra=5, coef_bits=2.0):
        self.groups = groups
        self.method = method
        self.extra = extra
        self.coef_bits = coef_bits

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Choose features, and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Response.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        check_magnitudes(y, "y")
        self.groups_ = group_numbers(self.groups, X.shape[1])
        sizes, coef_bits = np.bincount(self.groups_), self._bits_of_coefficient(len(X))
        if self.method == "subset":
            self._store(*subset_select(X, y, self.groups_, coef_bits), len(X))
            return self
        code = GroupCode(
            self.groups_, np.full(len(sizes), 1.0 + np.log2(len(sizes))), np.log2(sizes)[self.groups_] + coef_bits
        )
        self._fit_code(X, y, code)
        return self
