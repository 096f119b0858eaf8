"""Naive Bayes with the best forest among its features (de Campos & Ji, JMLR 12:663, Section 3.1)."""

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, within
from treatise.bayesnet._classifier import NetworkClassifier
from treatise.bayesnet._tables import TableCoder, read_table
from treatise.bayesnet.network.bayesian_network import BayesianNetwork
from treatise.bayesnet.structure._parent_sets import ParentSets
from treatise.bayesnet.structure.constrained import posterior_table, warn_without_proof
from treatise.bayesnet.structure.search import StructureSearch, Watch, relative_gap
from treatise.statistics.family_scores import FamilyScores


class TreeAugmentedClassifier(NetworkClassifier, BaseEstimator):
    """Tree-augmented naive Bayes: features depend on the class and on one another along a forest.

    Each feature has no parent, or the class and at most one other feature; of all such networks the best is found, for
    the score of all columns together. Features that tell too little of the class have no part in predictions.

    Use it where naive Bayes suffers from features that repeat one another, with up to a hundred or two of them, which
    are cut into states if they are numbers. It models the joint distribution, not the class alone: with much data
    discriminative methods, such as logistic regression, do better.

    Costs p^2 counts of n rows, and a search that is quick for forests.

    Parameters
    ----------
    criterion : {"bic", "aic", "bdeu"}, default="bic"
        What the structure maximises.
    equivalent_sample_size : float, default=1.0
        Weight of the prior in rows: of "bdeu", and of the tables.
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric features of more than two values: cut them by class entropy, ask the transformer (one
        column of integers for each), or take whole numbers for categories.
    time_limit : float or None, default=300.0
        Seconds for the search; None sets no limit. A search that ends before its proof warns.

    Attributes
    ----------
    parents_ : list of tuple
        For each feature its parents: numbers of features, and "class".
    score_, upper_bound_, gap_, optimal_, converged_
        Of the structure, as in :class:`ConstrainedStructureLearner`.
    classes_ : ndarray
        The classes seen.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    tree_augmented_rules : The same for :class:`ConstrainedStructureLearner`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from treatise.bayesnet import TreeAugmentedClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = TreeAugmentedClassifier().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.96

    References
    ----------
    .. [1] Paper v12-0663: Section 3.1, Table 4.
    """

    _parameter_constraints: dict = {
        "criterion": [StrOptions({"bic", "aic", "bdeu"})],
        "equivalent_sample_size": [Interval(Real, 0, None, closed="neither")],
        "discretizer": [StrOptions({"mdl"}), HasMethods(["fit", "transform"]), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(self, criterion="bic", *, equivalent_sample_size=1.0, discretizer="mdl", time_limit=300.0):
        self.criterion = criterion
        self.equivalent_sample_size = equivalent_sample_size
        self.discretizer = discretizer
        self.time_limit = time_limit

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Find the best forest, and fill its tables.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numbers, strings, Booleans or categories, without missing cells.
        y : array-like of shape (n_samples,)
            Class of each row; two or more classes.

        Returns
        -------
        self
        """
        X, y = read_table(self, X, y, reset=True)
        labels = self._code_labels(y)
        self._coder = TableCoder(self.discretizer).fit(X, labels, len(self.classes_))
        codes, n_states = self._coder.coded(X), self._coder.n_states_
        # A feature of one state has a log probability of zero whatever its parents: none is its best parent set.
        scores = FamilyScores(
            np.column_stack([codes, labels]), np.append(n_states, len(self.classes_)), self.criterion,
            self.equivalent_sample_size,
        )  # fmt: skip
        search = StructureSearch(tree_augmented_sets(scores), "auto", 3, check_random_state(0))
        watch = Watch(self.time_limit)
        search.run(watch, show=None)
        self.score_, self.optimal_ = search.score, search.optimal
        self.upper_bound_ = search.score if search.optimal else search.upper_bound
        self.gap_ = relative_gap(self.score_, self.upper_bound_)
        self.converged_ = self.optimal_
        warn_without_proof(self, "stopped", watch.seconds)
        self._keep_tables(search.parents(), scores)
        return self

    def _keep_tables(self, parents, scores):
        target, ess = self.n_features_in_, self.equivalent_sample_size
        self.parents_ = [tuple("class" if own == target else own for own in each) for each in parents[:target]]
        self.class_prior_ = posterior_table(scores.counts, target, (), ess)
        self._feature_parent = np.array([next((own for own in each if own != target), -1) for each in parents[:target]])
        # Tables with the class first, the state last; where a parent's value is new, the table without that parent.
        self._without, self._within = [], []
        for child, own in enumerate(parents[:target]):
            if not own:
                self._without.append(posterior_table(scores.counts, child, (), ess)[np.newaxis])
                self._within.append(np.empty(0))
                continue
            self._without.append(posterior_table(scores.counts, child, (target,), ess))
            feature = self._feature_parent[child]
            both = posterior_table(scores.counts, child, (target, feature), ess) if feature >= 0 else np.empty(0)
            self._within.append(both)

    def predict_joint_log_proba(self, X):
        """Log probability of each class together with the row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            A value that was never seen is left out.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_classes)
        """
        return self._joint_log_proba(X)

    def _joint_log_proba(self, X):
        check_is_fitted(self)
        codes = self._coder.coded(read_table(self, X, reset=False))
        known = codes < self._coder.n_states_
        joint = np.tile(np.log(self.class_prior_), (len(codes), 1))
        for child, feature in enumerate(self._feature_parent):
            rows = known[:, child]
            both = rows & known[:, feature] if feature >= 0 else np.zeros(len(codes), dtype=bool)
            joint[both] += (
                np.log(self._within[child][:, codes[both, feature], codes[both, child]]).T if both.any() else 0.0
            )
            alone = rows & ~both
            joint[alone] += np.log(self._without[child][:, codes[alone, child]]).T
        return joint

    def to_network(self, target="class"):
        """The classifier as a Bayesian network; features of a single state are left out.

        Parameters
        ----------
        target : str, default="class"
            Name of the class among the variables. The features have their names, or else their numbers.

        Returns
        -------
        network : BayesianNetwork
        """
        check_is_fitted(self)
        names = self._feature_names_beside(target)
        parents, cpts, states = {target: ()}, {target: self.class_prior_}, {target: self.classes_.tolist()}
        for child, (name, own) in enumerate(zip(names, self._coder.states_)):
            if len(own) < 2:
                continue
            feature = self._feature_parent[child]
            states[name] = own
            if feature >= 0:
                parents[name], cpts[name] = (target, names[feature]), self._within[child]
            elif self.parents_[child]:
                parents[name], cpts[name] = (target,), self._without[child]
            else:
                parents[name], cpts[name] = (), self._without[child][0]
        return BayesianNetwork(parents, cpts, states)

    def _invariants(self):
        p, classes = self.n_features_in_, len(self.classes_)
        yield "tables are coded by their coder", isinstance(self._coder, TableCoder) and self._coder.n_columns_ == p
        yield "classes have shares", is_array(self.class_prior_, np.float64, classes)
        named = is_array(self._feature_parent, np.integer, p) and within(self._feature_parent, -1, p)
        yield "a feature has one other as its parent, or none", named
        yield (
            "every feature has its parents and tables",
            {*map(len, (self._without, self._within, self.parents_))} == {p},
        )
        states = self._coder.n_states_
        for child, feature in enumerate(self._feature_parent):
            alone, both = self._without[child], self._within[child]
            sound = any(is_array(alone, np.float64, many, states[child]) for many in (1, classes))
            yield "a table is of classes and states", sound
            sound = feature < 0 or is_array(both, np.float64, classes, states[feature], states[child])
            yield "a table beside a parent is of the states of both", sound


def tree_augmented_sets(scores):
    """Parent sets of tree-augmented naive Bayes, the class last: none, the class, the class and one feature."""
    target = scores.counts.n_columns - 1
    sets, values, n_evaluated = [], [], 1
    for child in range(target):
        allowed = [(), (target,), *((other, target) for other in range(target) if other != child)]
        own = scores.scores(child, allowed)
        n_evaluated += len(allowed)
        best_smaller = np.maximum.accumulate(np.concatenate([[-np.inf], own[:2]]))
        # Lemma 1: a set must beat its subsets.
        kept = np.flatnonzero(own > np.concatenate([best_smaller[:2], np.full(len(own) - 2, best_smaller[2])]))
        order = kept[np.argsort(-own[kept], kind="stable")]
        sets.append([allowed[at] for at in order])
        values.append(own[order])
    sets.append([()])
    values.append(scores.scores(target, [()]))
    return ParentSets(sets, values, n_evaluated, n_evaluated, np.full(target + 1, -np.inf))
