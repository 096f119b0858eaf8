"""Segments that several images or series have in common (Ren, Du, Carin & Dunson, JMLR 12:203, section 3)."""

from numbers import Integral

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array
from treatise._core.magnitudes import check_magnitudes
from treatise.bayes.stick_breaking._ascent import Widths
from treatise.bayes.stick_breaking._base import (
    _POSITIVE,
    StickBreaking,
    atom_invariants,
    kept_sticks,
    moments_at,
    places_like,
    shares_of,
    stick_invariants,
)
from treatise.bayes.stick_breaking._features import checked_counts, prior_atoms, restored_atoms
from treatise.bayes.stick_breaking._shared import DataSet, Library, SharedSegments
from treatise.bayes.stick_breaking._start import first_groups
from treatise.bayes.stick_breaking._sticks import log_stick_weights

_LEAST_USE = 1e-6
"""Added to the share of each atom, so that divergences are finite where one is not used."""


class HierarchicalStickBreaking(StickBreaking):
    """Segments several images or series at once, with one library of kinds of segments, and tells which are alike.

    Every data set is divided as by :class:`LogisticStickBreaking`; its segments point to kinds (atoms) that all data
    sets share under a Dirichlet process, as many as are needed. Use it to find the same ground, texture or state in
    several pictures or recordings, and to sort these by what they are made of. Features must be comparable between
    data sets; for a single one take the plain form.

    One cycle costs O(K (n c^2 + c^3)) for each data set of n rows, K sticks and c centres.

    Parameters
    ----------
    n_atoms : int, default=20
        Kinds of segments at most in all data sets together (the truncation L; the paper has 40).
    e0, f0 : float, default=1.0
        Shape and rate of the gamma prior of the Dirichlet process's precision.

    Attributes
    ----------
    labels_ : list of ndarray of int
        Kind of each row of each data set, by falling number of rows from 0.
    resp_ : list of ndarray of shape (n_rows, n_atoms)
        Chance of each row to be of each kind.
    n_segments_ : int
        Kinds that are the most probable one of a row or more.
    atom_usage_ : ndarray of shape (n_sets, n_atoms)
        Share of each data set's rows that are of each kind.
    atoms_ : dict of str to ndarray
        Posterior of each kind's distribution, for scaled columns without constant ones.
    means_ : ndarray of shape (n_atoms, n_features)
        Posterior mean of each kind's features, or chances of words; NaN in empty ones.
    sets_ : list of dict
        Centres, weights, factors of their precisions, widths, and the chances that each stick has each kind
        ("pointers"), of each data set.

    See Also
    --------
    LogisticStickBreaking : One data set.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import HierarchicalStickBreaking
    >>> rng = np.random.default_rng(0)
    >>> states = [np.repeat([0, 1], [60, 40]), np.repeat([1, 0], [50, 50]), np.repeat([2], [100])]
    >>> X = [rng.normal(4.0 * state, 1.0)[:, np.newaxis] for state in states]
    >>> model = HierarchicalStickBreaking(n_atoms=6, centers=20, random_state=0).fit(X, locations=[np.arange(100)] * 3)
    >>> model.n_segments_
    3
    >>> model.similarity().round(1)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])

    References
    ----------
    .. [1] Paper v12-0203, section 3 and Appendix A.
    """

    _parameter_constraints: dict = {
        **StickBreaking._parameter_constraints,
        "n_atoms": [Interval(Integral, 1, None, closed="left")],
        "e0": [_POSITIVE],
        "f0": [_POSITIVE],
    }

    def __init__(
        self, n_sticks=10, n_atoms=20, *, centers="auto", widths="auto", width_update="map", emission="gaussian",
        codebooks=None, breaks="reached", merge=True, n_neighbors=9, a0=1e-6, b0=1e-6, e0=1.0, f0=1.0, n_init=1,
        max_iter=200, tol=1e-4, verbose=None, random_state=None,
    ):  # fmt: skip
        self.n_sticks = n_sticks
        self.n_atoms = n_atoms
        self.centers = centers
        self.widths = widths
        self.width_update = width_update
        self.emission = emission
        self.codebooks = codebooks
        self.breaks = breaks
        self.merge = merge
        self.n_neighbors = n_neighbors
        self.a0 = a0
        self.b0 = b0
        self.e0 = e0
        self.f0 = f0
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, data_sets, y=None, locations=None):
        """Find the segments of all data sets.

        Parameters
        ----------
        data_sets : list of array-like of shape (n_rows, n_features)
            Features of the rows of each data set.
        y : Ignored
        locations : list of array-like of shape (n_rows,) or (n_rows, n_dimensions), or None, default=None
            Places of the rows of each data set.

        Returns
        -------
        self
        """
        sets = self._checked_sets(data_sets)
        if locations is not None and len(locations) != len(sets):
            raise ValueError(f"locations has {len(locations)} entries for {len(sets)} data sets; give one for each")
        rows = np.vstack(sets)
        self._learn_scale(rows)
        Y = [self.scale_.apply(own) for own in sets]
        places = locations if locations is not None else [None] * len(sets)
        placed = [self._placed(own, place, f"locations[{m}]") for m, (own, place) in enumerate(zip(Y, places))]
        best = self._best_climb(lambda seed: self._start(Y, placed, seed), len(rows))
        self._keep(best, rows, [centers for _, centers, _ in placed])
        return self

    def _checked_sets(self, data_sets):
        if isinstance(data_sets, np.ndarray) and data_sets.ndim == 2:
            raise ValueError(
                "data_sets is one table; give a list of tables, one for each data set, or take LogisticStickBreaking"
            )
        sets = [check_array(own, dtype=np.float64, input_name=f"data_sets[{m}]") for m, own in enumerate(data_sets)]
        if not sets:
            raise ValueError("data_sets is empty; give a list of one table or more")
        for m, own in enumerate(sets):
            check_magnitudes(own, f"data_sets[{m}]")
            if own.shape[1] != sets[0].shape[1]:
                raise ValueError(
                    f"data_sets[{m}] has {own.shape[1]} columns and data_sets[0] has {sets[0].shape[1]}; all need "
                    "the same"
                )
            if self.emission == "multinomial":
                checked_counts(own, self.codebooks)
        if sum(map(len, sets)) < 2:
            raise ValueError("data_sets has 1 row in all; two or more are needed")
        self.n_features_in_ = sets[0].shape[1]
        return sets

    def _start(self, Y, placed, seed):
        """Groups of all rows together; in each data set the most frequent have a stick, the rest the last."""
        groups = first_groups(np.vstack([smooth for _, _, smooth in placed]), self.n_atoms, seed)
        K, L, sets = self.n_sticks, self.n_atoms, []
        ends = np.cumsum([len(own) for own in Y])
        for own, (sticks, _, _), mine in zip(Y, placed, np.split(groups, ends[:-1])):
            counts = np.bincount(mine, minlength=L)
            ranked = np.argsort(-counts, kind="stable")
            stick_of = np.full(L, K - 1)
            stick_of[ranked[: K - 1]] = np.arange(min(K - 1, L))
            pointers = np.full((K, L), 1e-3)
            np.add.at(pointers, stick_of, np.diag(counts))
            shares = np.eye(K)[stick_of[mine]]
            sets.append(DataSet(own, sticks.without([]), shares, pointers / pointers.sum(axis=1, keepdims=True)))
        atoms = prior_atoms(np.vstack(Y), self.emission, self.codebooks)
        widths = Widths(self.width_update, np.random.default_rng(seed))
        return SharedSegments(sets, atoms, Library(L, self.e0, self.f0), widths)

    def _keep(self, found, rows, centers):
        model = found.model
        chances = []
        for own in model.sets:
            fits = model.atoms.log_likelihood(own.Y)
            chances.append(_kinds(fits, own.pointers, log_stick_weights(own.sticks.means, own.sticks.etas)))
        every = np.vstack(chances)
        hard = np.bincount(every.argmax(axis=1), minlength=self.n_atoms)
        order = np.lexsort((-every.sum(axis=0), -hard))
        self.n_segments_ = int(np.count_nonzero(hard))
        self.resp_ = [own[:, order] for own in chances]
        self.labels_ = [own.argmax(axis=1) for own in self.resp_]
        self.atom_usage_ = np.array([own.mean(axis=0) for own in self.resp_])
        self.atoms_ = {name: values[order] for name, values in model.atoms.arrays().items()}
        self.means_ = self._segment_means(rows, self.atoms_)
        self.means_[self.n_segments_ :] = np.nan
        self.sets_ = [
            {"centers": middle, "pointers": own.pointers[:, order], **kept_sticks(own.sticks)}
            for own, middle in zip(model.sets, centers)
        ]
        self._keep_trace(found, len(rows))

    def predict(self, X, locations=None, *, data_set=0):
        """Kinds of rows of one of the fitted data sets, given features and places.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        locations : array-like or None, default=None
            Places, if the fit had them.
        data_set : int, default=0
            Which of the data sets they belong to.

        Returns
        -------
        labels : ndarray of int of shape (n_rows,)
        """
        check_is_fitted(self)
        X = check_array(X, dtype=np.float64)
        check_magnitudes(X, "X")
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} columns; {self.n_features_in_} are needed, as in the fit")
        if not 0 <= data_set < len(self.sets_):
            raise ValueError(f"data_set={data_set} is none of the {len(self.sets_)} data sets of the fit, from 0 on")
        own = self.sets_[data_set]
        places = places_like(own["centers"], locations, len(X))
        moments = moments_at(places, own["weights"], own["roots"], own["widths"])
        fits = restored_atoms(self.atoms_, self.codebooks).log_likelihood(self.scale_.apply(X))
        return _kinds(fits, own["pointers"], log_stick_weights(*moments)).argmax(axis=1)

    def similarity(self):
        """How alike data sets are: exp(-divergence) of the shares of kinds in them (section 5.4).

        The Kullback-Leibler divergence is the mean of both directions.

        Returns
        -------
        similarity : ndarray of shape (n_sets, n_sets)
            From 0 to 1.
        """
        check_is_fitted(self)
        usage = self.atom_usage_ + _LEAST_USE
        usage /= usage.sum(axis=1, keepdims=True)
        logs = np.log(usage)
        divergence = (usage * logs).sum(axis=1)[:, np.newaxis] - usage @ logs.T
        return np.exp(-0.5 * np.maximum(divergence + divergence.T, 0.0))

    def _invariants(self):
        L = self.n_atoms
        yield from atom_invariants(L, len(self.columns_), self.atoms_, self.codebooks)
        for own in self.sets_:
            yield from stick_invariants(self.n_sticks, own["centers"], own["weights"], own["roots"], own["widths"])
            yield "each stick points to kinds", is_array(own["pointers"], np.float64, self.n_sticks, L)


def _kinds(fits, pointers, log_weights):
    """Chances of kinds, through the sticks that point to them."""
    return shares_of(fits @ pointers.T + log_weights) @ pointers
