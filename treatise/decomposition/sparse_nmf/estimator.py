"""Non-negative matrix factorisation whose parts, or whose codes, have a chosen sparseness (JMLR 5:1457)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted, check_non_negative, validate_data

from treatise._core.invariants import finite, is_array
from treatise.decomposition._products import data_by, error_norm, squared_error, squared_norm
from treatise.decomposition.sparse_nmf._factorise import (
    balanced,
    factorise,
    given_factors,
    settle,
    starting_factors,
)
from treatise.decomposition.sparse_nmf._rules import (
    CoordinateRule,
    MultiplicativeRule,
    ProjectedGradientRule,
    ProjectedRowRule,
)
from treatise.optimize import hoyer_sparseness, nonnegative_least_squares


class SparseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Non-negative factorisation ``X = codes @ components`` with exactly the sparseness you ask for.

    Plain non-negative factorisation of images, spectra or counts gives parts that are sparse only by chance.
    Here every component, every code, or both get a Hoyer sparseness (:func:`treatise.optimize.hoyer_sparseness`)
    that you set between 0 (spread evenly) and 1 (a single entry), so that a set of faces falls into noses and
    brows rather than into ghosts of whole faces. Sparse components are local parts; sparse codes make each
    component stand for few samples, as a prototype does.

    Do not use it when the data have meaningful negative values, when a penalty that trades sparseness for fit
    is what you want (scikit-learn's ``NMF`` has L1 penalties), or to learn a code for samples that come one at
    a time while constraining ``code_sparseness``, which is a property of a whole batch.

    One iteration costs O(nnz(X) m + (n + p) m^2) for m components, n samples and p features, and a
    constrained factor adds a projection that is linear in its size. Beside X only the factors are held; sparse X
    stays sparse. The error is not convex: the result depends on the start.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of components (the paper's M). ``"auto"`` takes min(n_samples, n_features).
    component_sparseness : float or None, default=None
        Hoyer sparseness of each component over the features: the paper's S_w, the sparseness of the columns of
        its W, which are the rows of ``components_`` here. None leaves the components free.
    code_sparseness : float or None, default=None
        Hoyer sparseness of each component's code over the samples: the paper's S_h, the sparseness of the rows
        of its H, which are the columns of the codes here. None leaves the codes free.
    solver : {"mu", "cd"}, default="mu"
        How the factors are improved. ``"mu"`` is the paper's algorithm: multiplicative steps for a factor
        without a target of sparseness, projected gradient steps for one with a target. ``"cd"`` is coordinate
        descent, which goes beyond the paper and needs far fewer iterations: single entries, or whole rows of
        the target sparseness, are set to their exact minimisers one after another.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"} or None, default=None
        The start: ``"random"`` positive numbers, as in the paper; non-negative singular vectors with zeros left,
        filled with the mean of the factor, or filled with small random numbers; or the arrays given to
        :meth:`fit_transform`. None is ``"nndsvda"``, or ``"random"`` where a sparseness is asked for, which the
        paper's start reaches and singular vectors, being spread, often do not (a part is lost), and where there
        are more components than singular vectors.
    max_iter : int, default=1000
        Most iterations; one improves the components and then the codes.
    tol : float, default=1e-5
        Stop when ten iterations lowered the error ``|X - codes @ components|`` by less than this share of the
        error at the start. 0 always runs ``max_iter`` iterations.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts; the others are deterministic.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts, in the unit of the data for a code of typical size: the codes of the training samples have
        a mean square of one in each component. (The paper gives them a sum of squares of one, which would make
        the codes shrink and the parts grow with the number of samples.)
    component_sparseness_ : ndarray of shape (n_components,)
        Hoyer sparseness of each component.
    code_sparseness_ : ndarray of shape (n_components,)
        Hoyer sparseness of each component's code over the training samples.
    reconstruction_err_ : float
        Frobenius norm of ``X - codes @ components_``.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        Squared error at the start and after each iteration; it never rises.
    n_components_ : int
        Number of components.
    n_iter_ : int
        Iterations done.
    converged_ : bool
        Whether the error stopped falling, by ``tol``; with ``tol=0`` it is not asked.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has them.

    See Also
    --------
    treatise.decomposition.plot_parts : Draw components that are images.
    treatise.optimize.project_l1_l2 : The projection that gives a vector its sparseness.

    Notes
    -----
    Without ``code_sparseness``, the iterations end with one exact non-negative least-squares solution for the
    codes, so that ``fit_transform(X)`` equals ``fit(X).transform(X)``. With it, ``transform`` looks for the
    codes of the new batch that have this sparseness over that batch, with the components held fixed; give it
    whole batches like the one it was fitted on.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from treatise.decomposition import SparseNMF
    >>> X = load_digits().data
    >>> model = SparseNMF(16, component_sparseness=0.8, max_iter=50, tol=0, random_state=0).fit(X)
    >>> model.component_sparseness_.round(6).min(), model.component_sparseness_.round(6).max()
    (np.float64(0.8), np.float64(0.8))
    >>> bool((model.components_ == 0).mean() > 0.7)
    True

    References
    ----------
    .. [1] Paper v05-1457, section 3.3, "Algorithm: NMF with sparseness constraints".
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "component_sparseness": [Interval(Real, 0, 1, closed="both"), None],
        "code_sparseness": [Interval(Real, 0, 1, closed="both"), None],
        "solver": [StrOptions({"mu", "cd"})],
        "init": [StrOptions({"random", "nndsvd", "nndsvda", "nndsvdar", "custom"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components="auto",
        *,
        component_sparseness=None,
        code_sparseness=None,
        solver="mu",
        init=None,
        max_iter=1000,
        tol=1e-5,
        random_state=None,
    ):
        self.n_components = n_components
        self.component_sparseness = component_sparseness
        self.code_sparseness = code_sparseness
        self.solver = solver
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, *, codes=None, components=None):
        """Learn the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Non-negative data.
        y : None
            Ignored.
        codes, components : array-like or None, default=None
            The start, with ``init="custom"``; see :meth:`fit_transform`.

        Returns
        -------
        self
        """
        self.fit_transform(X, codes=codes, components=components)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None, *, codes=None, components=None):
        """Learn the components and return the codes of the samples they were learnt from.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Non-negative data.
        y : None
            Ignored.
        codes : array-like of shape (n_samples, n_components) or None, default=None
            Non-negative start of the codes, with ``init="custom"``.
        components : array-like of shape (n_components, n_features) or None, default=None
            Non-negative start of the components, with ``init="custom"``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        X = self._checked(X, reset=True)
        self.n_components_ = min(X.shape) if self.n_components == "auto" else self.n_components
        component_rule, code_rule = self._rules(*X.shape)
        H, B = self._start(X, codes, components)
        H, B, history, converged = factorise(X, H, B, component_rule, code_rule, self.max_iter, self.tol)
        if self.code_sparseness is None:
            gram, cross = B @ B.T, data_by(B, X)
            H = nonnegative_least_squares(gram, cross)
            history[-1] = min(history[-1], squared_error(squared_norm(X), H, H @ H.T, gram, cross))
        H, B = balanced(H, B, np.sqrt(X.shape[0]))

        self.components_ = B
        self.component_sparseness_ = hoyer_sparseness(B, axis=1)
        self.code_sparseness_ = hoyer_sparseness(H, axis=1)
        self.objective_history_ = np.array(history)
        self.reconstruction_err_ = error_norm(X, H, B)
        self.n_iter_ = len(history) - 1
        self.converged_ = bool(converged or self.tol == 0)
        if not self.converged_:
            warnings.warn(
                f"the error still falls after max_iter={self.max_iter} iterations; "
                f"raise max_iter, or tol={self.tol:g} if the fit is good enough",
                ConvergenceWarning,
                stacklevel=2,
            )
        return np.ascontiguousarray(H.T)

    def _invariants(self):
        shape = (self.n_components_, self.n_features_in_)
        yield "components have a number for each feature", is_array(self.components_, np.floating, *shape)
        yield "components are finite", finite(self.components_)

    def transform(self, X):
        """Codes of samples under the learnt components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Non-negative data. With ``code_sparseness``, a whole batch of at least two samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The exact non-negative least-squares codes; with ``code_sparseness``, codes of that sparseness over
            this batch, whose scale is free.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        gram, cross = self.components_ @ self.components_.T, data_by(self.components_, X)
        H = nonnegative_least_squares(gram, cross)
        if self.code_sparseness is not None:
            self._require_vectors("code_sparseness", X.shape[0], "sample")
            rule = self._rule(self.code_sparseness, X.shape[0], X.shape[1], unit_norm=False)
            H = settle(rule, rule.project(H), gram, cross, squared_norm(X), self.max_iter, self.tol)
        return np.ascontiguousarray(H.T)

    def inverse_transform(self, X):
        """Data that codes stand for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_components)
            Codes.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        codes = check_array(X, accept_sparse=("csr", "csc"), dtype=np.float64)
        if codes.shape[1] != self.n_components_:
            raise ValueError(f"X has {codes.shape[1]} columns; codes have n_components={self.n_components_}")
        return codes @ self.components_

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X, *, reset):
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=np.float64, reset=reset)
        check_non_negative(X, "SparseNMF (input X)")
        return X

    def _rules(self, n_samples, n_features):
        """The rules of the components and of the codes."""
        self._require_vectors("component_sparseness", n_features, "feature")
        self._require_vectors("code_sparseness", n_samples, "sample")
        components = self._rule(self.component_sparseness, n_features, n_samples, unit_norm=False)
        return components, self._rule(self.code_sparseness, n_samples, n_features, unit_norm=True)

    def _require_vectors(self, parameter, size, of):
        wished = getattr(self, parameter)
        if wished is not None and size < 2:
            raise ValueError(f"{parameter}={wished} has no meaning over {size} {of}; X needs at least 2")

    def _rule(self, sparseness, size, other, *, unit_norm):
        """The rule of a factor with rows of ``size``, where a product with the data costs ``other`` per entry."""
        # As many sweeps over the factor as cost about what the product with the data does.
        sweeps = 1 + other // self.n_components_
        if sparseness is None:
            return MultiplicativeRule() if self.solver == "mu" else CoordinateRule(sweeps)
        if self.solver == "mu":
            return ProjectedGradientRule(size, sparseness, unit_norm=unit_norm)
        return ProjectedRowRule(size, sparseness, sweeps=min(sweeps, 3))

    def _start(self, X, codes, components):
        init = self.init
        if init is None:
            free = self.component_sparseness is None and self.code_sparseness is None
            init = "nndsvda" if free and self.n_components_ <= min(X.shape) else "random"
        if init == "custom":
            return given_factors(X, self.n_components_, codes, components)
        if init == "nndsvd" and self.solver == "mu":
            warnings.warn(
                "init='nndsvd' starts with zeros, which solver='mu' cannot leave; use init='nndsvda' or solver='cd'",
                UserWarning,
                stacklevel=3,
            )
        return starting_factors(X, self.n_components_, init, self.random_state)
