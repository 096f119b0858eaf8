"""What conditional random fields of positions and of segments share: input, patterns, training, weights."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, within
from treatise._core.progress import progress
from treatise.inference import PatternAutomaton
from treatise.optimize import minimize_lbfgs
from treatise.sequence._listed_sequences import check_form, listed_sequences, n_columns
from treatise.sequence.features import SequenceVectorizer


class BaseCRF(BaseEstimator):
    """Input, training and weights; a final class adds its scores."""

    _parameter_constraints: dict = {
        "order": [Interval(Integral, 1, None, closed="left")],
        "l1": [Interval(Real, 0, None, closed="left")],
        "l2": [Interval(Real, 0, None, closed="left")],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "min_pattern_count": [Interval(Integral, 1, None, closed="left")],
        "all_states": ["boolean"],
        "all_transitions": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean", None],
    }

    def _encoded(self, sequences, *, fitting):
        """Rows of all positions and the lengths of the sequences."""
        sequences = listed_sequences(sequences)
        if fitting:
            columns = n_columns(sequences)
            self.takes_arrays_ = columns is not None
            if self.takes_arrays_:
                self.n_features_in_ = columns
            self.vectorizer_ = None if self.takes_arrays_ else SequenceVectorizer()
        check_form(sequences, self.n_features_in_ if self.takes_arrays_ else None)
        if not self.takes_arrays_:
            encode = self.vectorizer_.fit_transform if fitting else self.vectorizer_.transform
            return encode(sequences)
        stacked = np.concatenate(sequences)
        # Lists of features carry a bias if their author wants one; columns are given one.
        return np.hstack([stacked, np.ones((len(stacked), 1))]), np.array([len(rows) for rows in sequences])

    def _scores_of(self, rows, table):
        found = rows @ table
        return found.toarray() if sparse.issparse(found) else found

    def _set_patterns(self, patterns, weights):
        """Strings of labels as one array, -1 where a string is shorter than the longest."""
        width = max((len(pattern) for pattern in patterns), default=0)
        self._pattern_codes = np.full((len(patterns), width), -1, np.int64)
        for i, pattern in enumerate(patterns):
            self._pattern_codes[i, : len(pattern)] = pattern
        self.pattern_weights_ = weights

    def _invariants(self):
        codes, K = self._pattern_codes, len(self.classes_)
        yield "patterns are of labels", is_array(codes, np.int64, None, None) and within(codes, -1, K)
        gaps = (codes[:, :-1] < 0) & (codes[:, 1:] >= 0)
        yield "patterns are of two labels or more, without gaps", (codes[:, :2] >= 0).all() and not gaps.any()
        yield "patterns have weights", is_array(self.pattern_weights_, np.float64, len(codes))
        columns = self._n_columns()
        for name in ("coef_", "inside_coef_", "start_coef_", "end_coef_"):
            if name in vars(self):
                table = vars(self)[name]
                sound = np.issubdtype(table.dtype, np.floating) and table.shape == (columns, K)
                yield f"{name} has a number for each feature and label", sound

    def _n_columns(self):
        """Features of a position."""
        return self.n_features_in_ + 1 if self.takes_arrays_ else len(self.vectorizer_.vocabulary_)

    def _pattern_strings(self):
        return [tuple(int(y) for y in row[row >= 0]) for row in self._pattern_codes]

    @property
    def patterns_(self):
        """Label patterns that have a weight, as tuples of labels."""
        check_is_fitted(self, "classes_")
        return [tuple(self.classes_[list(string)].tolist()) for string in self._pattern_strings()]

    @property
    def pattern_features_(self):
        """Weights of the label patterns: a dictionary from tuples of labels."""
        return dict(zip(self.patterns_, self.pattern_weights_.tolist()))

    @property
    def transition_features_(self):
        """Weights of pairs of labels: a dictionary from (label, next label)."""
        return {pattern: weight for pattern, weight in self.pattern_features_.items() if len(pattern) == 2}

    def _automaton(self):
        return PatternAutomaton(self._pattern_strings(), len(self.classes_))

    def _attribute_names(self):
        if self.takes_arrays_:
            return [*(f"x{i}" for i in range(self.n_features_in_)), "bias"]
        return list(self.vectorizer_.vocabulary_)

    def _minimise(self, objective, curvature):
        """L-BFGS from zero, until three iterations in a row gain little.

        The preconditioner is the diagonal of the Hessian near the end, as a guess: a feature that occurs n times has
        labels that are settled in most of its places, which leaves curvature like the root of n.
        """
        diagonal = curvature + self.l2
        diagonal = np.maximum(diagonal, 1e-8 * max(float(diagonal.max(initial=0.0)), 1e-8))
        end, last, short, passes = None, -1, 0, []

        def note(state):
            passes.append(float(state.evaluations))
            advance(1 if state.iteration else 0)

        with progress(type(self).__name__, self.max_iter, show=self.verbose) as advance:
            while end is None or end.status == "running":
                end = minimize_lbfgs(
                    objective,
                    np.zeros(len(diagonal)),
                    diagonal=diagonal,
                    l1=self.l1,
                    memory=8,
                    max_iter=self.max_iter,
                    gradient_tolerance=0.0,
                    decrease_tolerance=self.tol,
                    state=end,
                    callback=note,
                )
                if end.status == "decrease":
                    short, last = (short + 1 if end.iteration == last + 1 else 1), end.iteration
                    if short < 3 and end.iteration < self.max_iter:
                        end.status = "running"
                elif end.iteration >= self.max_iter:
                    break
        self.n_iter_, self.objective_path_, self.passes_ = end.iteration, np.array(end.path), np.array(passes)
        self._tell(end.status in ("gradient", "stalled") or short >= 3)
        return end.w

    def _tell(self, converged):
        """Note whether training has settled, and warn where it has not."""
        self.converged_ = bool(converged)
        if not self.converged_:
            warnings.warn(
                f"training had not converged after max_iter={self.max_iter} iterations; raise it, or tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=5,
            )
