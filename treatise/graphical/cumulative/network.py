"""Cumulative distribution networks and the derivative-sum-product algorithm (Huang & Frey, JMLR 12:301)."""

import warnings
from itertools import product

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from treatise.graphical.cumulative.factors import CDFFactor

# So many numbers of a table at a time: they stay in the cache from one product to the next.
_NUMBERS_AT_ONCE = 2**16


class CumulativeDistributionNetwork:
    """A joint distribution written as a product of local cumulative distributions.

    Questions of the kind "below these values" need no sums: marginals are limits and conditionals on inequalities are
    ratios. Densities are mixed derivatives, computed by passing messages; variables that share no function are
    independent. Use it for ordinal data, for ranks and for probabilities of joint limits; for densities alone copula
    packages offer more families.

    Densities cost, for each row, two to the number of variables of the largest function on a tree, and more where
    cycles must be broken up: the product of the degrees of the variables that meet (exact all the same). A function's
    derivative below 1e-308 counts as zero, so that rows some hundred slopes, or 38 standard deviations, off have the
    log density -inf.

    Parameters
    ----------
    functions : list of CDFFactor
        The local distributions.

    Attributes
    ----------
    variables : tuple
        Names, in the order of the columns of all arrays: that of their first appearance.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import CumulativeDistributionNetwork, SigmoidCDF
    >>> chain = CumulativeDistributionNetwork([SigmoidCDF("ab", [1.0, 2.0]), SigmoidCDF("bc", [1.0, 1.0])])
    >>> x = np.zeros((1, 3))
    >>> chain.cdf(x).round(4), chain.logpdf(x).round(4)
    (array([0.1111]), array([-3.7013]))
    >>> chain.cdf([[0.0, np.inf, 0.0]])
    array([0.25])

    References
    ----------
    .. [1] Paper v12-0301, Sections 2 and 3, Tables 1 and 2.
    """

    def __init__(self, functions):
        self.functions = list(functions)
        if not self.functions or not all(isinstance(function, CDFFactor) for function in self.functions):
            raise ValueError("a network needs one or more functions, each a CDFFactor")
        if len({function.ordinal for function in self.functions}) > 1:
            raise ValueError("ordinal and continuous functions cannot share a network")
        self.ordinal = self.functions[0].ordinal
        names: dict = {}
        for function in self.functions:
            for name in function.variables:
                names.setdefault(name, len(names))
        self.variables = tuple(names)
        self._columns = [[names[name] for name in function.variables] for function in self.functions]

    @property
    def is_tree(self):
        """Whether variables and functions form a tree (or several)."""
        parent = list(range(len(self.variables) + len(self.functions)))

        def root(node):
            while parent[node] != node:
                node = parent[node]
            return node

        for number, columns in enumerate(self._columns):
            for column in columns:
                a, b = root(column), root(len(self.variables) + number)
                if a == b:
                    return False
                parent[a] = b
        return True

    def cdf(self, X):
        """Probability that all variables lie at or below the rows of X; +inf leaves a variable out.

        Parameters
        ----------
        X : array-like of shape (n, n_variables)
            Upper ends. Of a data frame that names all variables, the columns of that name.

        Returns
        -------
        p : ndarray of shape (n,)
        """
        X = self._rows(X)
        result = np.ones(len(X))
        for function, columns in zip(self.functions, self._columns):
            result *= function.value(X[:, columns])
        return result

    def logpdf(self, X):
        """Log density, or log probability of ordinal values; columns of +inf are left out.

        Parameters
        ----------
        X : array-like of shape (n, n_variables)
            Values; a column is +inf for all rows or for none.

        Returns
        -------
        logp : ndarray of shape (n,)
        """
        X = self._rows(X)
        return self._log_derivative(X, self._finite_columns(X))

    def conditional_cdf(self, X, *, given=(), below=()):
        """``P(rest <= x | given = x, below <= x)``: one condition by values, one by upper ends.

        Parameters
        ----------
        X : array-like of shape (n, n_variables)
            Values and upper ends; +inf leaves a variable out.
        given : sequence of names, default=()
            Variables known to have the values of X.
        below : sequence of names, default=()
            Variables known to lie at or below those of X.

        Returns
        -------
        p : ndarray of shape (n,)
            NaN in rows where the conditions themselves have the density zero.
        """
        X = self._rows(X)
        known, limits = self._known(X, given), self._numbers(below)
        twice = [self.variables[number] for number in known if number in limits]
        if twice:
            raise ValueError(f"variable {twice[0]!r} is in both given and below; its value says more than its limit")
        return np.exp(self._ratio(X, known, known, known + limits))

    def conditional_logpdf(self, X, *, given):
        """Log density of the other variables when those in ``given`` have the values of X.

        Parameters
        ----------
        X : array-like of shape (n, n_variables)
            Values; +inf leaves a variable out.
        given : sequence of names
            Variables that are known.

        Returns
        -------
        logp : ndarray of shape (n,)
            NaN in rows where what is given has the density zero.
        """
        X = self._rows(X)
        known = self._known(X, given)
        return self._ratio(X, self._finite_columns(X), known, known)

    def _ratio(self, X, columns, known, kept):
        """Log derivative in some columns less that in those ``known``, where only the ``kept`` ones have limits."""
        condition = np.full_like(X, np.inf)
        condition[:, kept] = X[:, kept]
        of_condition = self._log_derivative(condition, known)
        of_condition[np.isneginf(of_condition)] = np.nan
        return self._log_derivative(X, columns) - of_condition

    def sample(self, n=1, *, random_state=None):
        """Draw from the network: the largest of independent draws from its functions, variable by variable.

        The product of distributions is the distribution of the maximum, so this is exact on every graph.

        Parameters
        ----------
        n : int, default=1
            Number of rows.
        random_state : int, RandomState instance or None, default=None
            Source of randomness.

        Returns
        -------
        X : ndarray of shape (n, n_variables)
        """
        generator = check_random_state(random_state)
        X = np.full((n, len(self.variables)), -np.inf)
        for function, columns in zip(self.functions, self._columns):
            X[:, columns] = np.maximum(X[:, columns], function.sample(n, generator))
        return X

    def fit(self, observations, *, max_iter=200):
        """Fit the parameters of all functions to rows by maximum likelihood.

        Parameters
        ----------
        observations : array-like of shape (n, n_variables)
            Rows.
        max_iter : int, default=200
            Most steps of L-BFGS.

        Returns
        -------
        network : CumulativeDistributionNetwork
            A new network with the fitted functions.
        """
        X = self._rows(observations)
        if len(X) == 0:
            raise ValueError("there are no observations; the likelihood needs one row at least")
        vectors = [function.parameters() for function in self.functions]
        if not sum(len(vector) for vector in vectors):
            raise ValueError("none of the network's functions has parameters to fit")
        edges = np.cumsum([len(vector) for vector in vectors])[:-1]

        def network(parameters):
            parts = np.split(parameters, edges)
            return CumulativeDistributionNetwork(
                [function.with_parameters(part) for function, part in zip(self.functions, parts)]
            )

        def cost(parameters):
            mean = np.mean(network(parameters).logpdf(X))
            return -float(mean) if np.isfinite(mean) else 1e10

        best = minimize(cost, np.concatenate(vectors), method="L-BFGS-B", options={"maxiter": max_iter})
        if best.status == 1:  # the one limit that L-BFGS-B reports: of iterations or of evaluations
            warnings.warn(
                f"the likelihood still rises after max_iter={max_iter} steps; raise max_iter, or start nearer",
                ConvergenceWarning,
                stacklevel=2,
            )
        return network(best.x)

    def _rows(self, X):
        if hasattr(X, "columns") and set(self.variables) <= set(X.columns):
            X = X[list(self.variables)]
        X = np.atleast_2d(np.asarray(X, np.float64))
        if X.shape[1] != len(self.variables):
            raise ValueError(f"X has {X.shape[1]} columns for the {len(self.variables)} variables {self.variables}")
        if np.isnan(X).any():
            raise ValueError("X holds NaN; use +inf for a variable that is not observed")
        return X

    def _numbers(self, names):
        unknown = [name for name in names if name not in self.variables]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is none of the variables {self.variables}")
        return [self.variables.index(name) for name in names]

    def _known(self, X, names):
        known = self._numbers(names)
        for number in known:
            if np.isposinf(X[:, number]).any():
                raise ValueError(f"variable {self.variables[number]!r} is given, but +inf is no value; leave it out")
        return known

    def _finite_columns(self, X):
        unseen = np.isposinf(X)
        mixed = unseen.any(axis=0) & ~unseen.all(axis=0)
        if mixed.any():
            raise ValueError(f"variable {self.variables[int(np.argmax(mixed))]!r} is +inf in some rows only")
        return [int(column) for column in np.flatnonzero(~unseen.all(axis=0))]

    def _log_derivative(self, X, columns):
        """Logarithm of the mixed derivative (difference) of the joint distribution in some columns.

        By the rule of products every variable is differentiated in exactly one of its functions; the derivative is the
        sum over all choices. For ordinal values the sum is over the value and the one before, with signs. Either way
        a choice for each variable and a table for each function: messages are sums over one variable's choice.
        """
        if self.ordinal:
            self._refuse_other_values(X, columns)
        places = [[number for number, own in enumerate(self._columns) if column in own] for column in columns]
        widest = max(2 ** len(own) for own in self._columns)
        size = max(64, _NUMBERS_AT_ONCE // widest)
        result = np.empty(len(X))
        for low in range(0, len(X), size):
            result[low : low + size] = self._of_rows(X[low : low + size], columns, places)
        return result

    def _refuse_other_values(self, X, columns):
        """Ordinal variables have probabilities at their values only; limits may lie anywhere."""
        for column in columns:
            homes = [(function, own) for function, own in zip(self.functions, self._columns) if column in own]
            count = max(function.n_values[own.index(column)] for function, own in homes)
            strange = ~np.isin(X[:, column], np.arange(count))
            if strange.any():
                raise ValueError(
                    f"ordinal values are whole numbers, those of variable {self.variables[column]!r} 0 to {count - 1}; "
                    f"X holds {X[strange, column][0]:g}"
                )

    def _of_rows(self, X, columns, places):
        """The logarithm for a few rows; ``places`` holds the functions of each column."""
        tables = []
        for number, (function, own) in enumerate(zip(self.functions, self._columns)):
            moving = [column for column in own if column in columns]
            choices = [2 if self.ordinal else len(places[columns.index(column)]) for column in moving]
            table = np.empty((len(X), *choices))
            cache: dict = {}
            for choice in product(*(range(count) for count in choices)):
                if self.ordinal:
                    table[(slice(None), *choice)] = self._shifted(function, own, X, moving, choice)
                    continue
                chosen = [places[columns.index(column)][c] == number for column, c in zip(moving, choice)]
                subset = tuple(own.index(column) for column, mine in zip(moving, chosen) if mine)
                if subset not in cache:
                    cache[subset] = function.mixed_derivative(X[:, own], subset)
                table[(slice(None), *choice)] = cache[subset]
            tables.append((tuple(moving), table))
        if self.ordinal:
            tables += [((column,), np.broadcast_to([1.0, -1.0], (len(X), 2))) for column in columns]
        return _log_sum_of_products(tables, len(X))

    @staticmethod
    def _shifted(function, own, X, moving, choice):
        x = X[:, own].copy()
        for column, back in zip(moving, choice):
            x[:, own.index(column)] -= back
        return function.value(x)


def _log_sum_of_products(tables, n):
    """Logarithm of the sum over all choices of the product of tables, for each row; -inf where it is not positive.

    Variables are summed out one after another, the one that meets fewest others first.
    """
    scale = np.zeros(n)
    tables = list(tables)
    while True:
        alive = {variable for variables, _ in tables for variable in variables}
        if not alive:
            break
        met = {one: set().union(*(variables for variables, _ in tables if one in variables)) for one in alive}
        variable = min(sorted(alive), key=lambda one: len(met[one]))
        touching = [entry for entry in tables if variable in entry[0]]
        tables = [entry for entry in tables if variable not in entry[0]]
        joint = tuple(sorted({other for variables, _ in touching for other in variables} - {variable})) + (variable,)
        message = 1.0
        for variables, table in touching:
            axes = [variables.index(other) + 1 for other in joint if other in variables]
            shape = [table.shape[variables.index(other) + 1] if other in variables else 1 for other in joint]
            message = message * table.transpose(0, *axes).reshape(n, *shape)
        message = message.sum(axis=-1)
        largest = np.abs(message).reshape(n, -1).max(axis=1)
        safe = np.where(largest > 0, largest, 1.0)
        scale += np.log(safe)
        tables.append((joint[:-1], message / safe.reshape(n, *([1] * (message.ndim - 1)))))
    value = np.ones(n)
    for _, table in tables:
        value = value * table
    with np.errstate(divide="ignore"):
        return np.where(value > 0, np.log(np.maximum(value, 0.0)) + scale, -np.inf)
