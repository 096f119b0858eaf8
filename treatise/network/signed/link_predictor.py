"""Signs of unseen links in a network of friends and foes (Chiang et al., JMLR 15:1177)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array, is_number
from treatise.network.signed.completion import befriend_themselves, project_singular_values
from treatise.network.signed.cycles import cycle_features, imbalance_score, signed_katz
from treatise.network.signed.signs import pairs_of, signs_of_network
from treatise.optimize import ObservedFactors, factorize_observed, factorize_signs

FACTORS = {"als": 1.0, "sigmoid": 0.5, "squared_hinge": 1.0}
"""Methods that fit two factors, and their loss of a link whose score is zero."""
PENALTIES = (10.0, 3.0, 1.0, 0.3)
"""What ``reg="auto"`` tries, the strongest first."""
RANKS = (1, 2, 3, 5, 10, 20, 40)
"""What ``rank="auto"`` tries for "svp", which has no penalty that would keep a high rank from fitting chance."""
JUDGED = 0.1
"""Share of the links that judge ranks and penalties."""


class SignedLinkPredictor(BaseEstimator):
    """Predicts whether an unseen link of a network is positive or negative, from the signs of the others.

    Use it for networks of trust and distrust, votes for and against, friends and foes. The low-rank methods ("als",
    "sigmoid", "squared_hinge", "svp") complete the whole matrix, and are best where there are more than two camps and
    many links; the cycle methods ("hoc", "katz", "moi") look at walks between the two nodes. It has nothing to say
    about nodes without a link, nor about whether there will be a link at all. Cost: "als" entries x rank^2 a sweep;
    "hoc" the degrees of the two nodes for each link at order 3, their neighbours' links above; "katz" and "moi" some
    passes over the network for each different first node asked.

    Parameters
    ----------
    method : {"als", "sigmoid", "squared_hinge", "svp", "hoc", "katz", "moi"}, default="als"
        "als" completes with the squared loss, by alternating least squares; "sigmoid" and "squared_hinge" with losses
        of signs, by stochastic gradients; "svp" by singular value projection, for links observed evenly; "hoc" is
        logistic regression on counts of cycles; "katz" and "moi" count balanced against unbalanced cycles, by which a
        foe's foe is a friend.
    rank : int or "auto", default="auto"
        Of the completion; cut to the nodes less one. "auto" is 40 for the factor methods; for "svp", the best of 1, 2,
        3, 5, 10, 20 and 40 for a tenth of the links.
    reg : float or "auto", default="auto"
        Penalty of the factors. "auto" takes the best of 0.3, 1, 3 and 10 for a tenth of the links.
    order : int, default=5
        Longest cycles of "hoc" (3, 4 or 5) and "moi" (3 or more).
    beta : float or None, default=None
        Discount of "katz" and "moi"; None is 0.9 over the spectral norm.
    directed : bool, default=False
        Whether links have a direction; not for "svp", "katz" and "moi".
    max_iter : int, default=500
        Most sweeps or passes of the completion.
    tol : float, default=1e-4
        Relative decrease at which the completion ends.
    random_state : int, RandomState instance or None, default=None
        Start of the completion, and the links that judge ranks and penalties.

    Attributes
    ----------
    W_, H_ : ndarray of shape (n_nodes, rank)
        Factors of the completed matrix, for the low-rank methods.
    rank_ : int
        Rank used, for the low-rank methods.
    reg_ : float
        Penalty used, for the factor methods.
    objective_ : ndarray
        Objective after each half sweep, pass or step, for the low-rank methods.
    converged_ : bool
        Whether the completion ended by its tolerance.
    model_ : Pipeline
        The logistic regression of "hoc".
    majority_ : float
        The more frequent sign, predicted where the score is zero.
    network_ : csr_array of shape (n_nodes, n_nodes)
        The signs.
    nodes_ : ndarray of shape (n_nodes,)
        Names of the nodes.

    References
    ----------
    .. [1] Paper v15-1177, sections 3 and 4.

    Examples
    --------
    >>> from treatise.datasets import make_signed_network
    >>> from treatise.network import SignedLinkPredictor
    >>> A, camps = make_signed_network([30, 40, 50], sparsity=0.3, random_state=0)
    >>> model = SignedLinkPredictor(rank=3, random_state=0).fit(A)
    >>> model.predict([[0, 1], [0, 119]])
    array([ 1, -1])
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({*FACTORS, "svp", "hoc", "katz", "moi"})],
        "rank": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "reg": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "order": [Interval(Integral, 3, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="neither"), None],
        "directed": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, method="als", *, rank="auto", reg="auto", order=5, beta=None, directed=False, max_iter=500, tol=1e-4,
        random_state=None,
    ):  # fmt: skip
        self.method = method
        self.rank = rank
        self.reg = reg
        self.order = order
        self.beta = beta
        self.directed = directed
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, graph, y=None):
        """Learn from the signs of the known links.

        Parameters
        ----------
        graph : array-like or sparse matrix of shape (n, n), or networkx Graph
            Entries -1 and 1, zero where nothing is known; the ``weight`` of networkx edges. Symmetric unless
            ``directed``.
        y : ignored
            Present for scikit-learn's sake.

        Returns
        -------
        self
        """
        if self.directed and self.method in ("svp", "katz", "moi"):
            raise ValueError(f"method={self.method!r} takes undirected networks; see undirected_signs")
        if self.method == "hoc" and self.order > 5:
            raise ValueError(f"order={self.order} is beyond what cycles are counted for; choose 3, 4 or 5")
        self.network_, self.nodes_ = signs_of_network(graph, directed=self.directed)
        if not self.network_.nnz:
            raise ValueError("the network has no link; there is no sign to learn from")
        self.majority_ = 1.0 if self.network_.data.sum() >= 0 else -1.0
        seed = check_random_state(self.random_state).randint(2**31)
        if self.method in FACTORS or self.method == "svp":
            self._fit_completion(seed)
        elif self.method == "hoc":
            self._fit_cycles()
        return self

    def _fit_completion(self, seed):
        self.rank_, reg = self._best_setting(seed)
        if reg is not None:
            self.reg_ = float(reg)
        found = self._completed(self.network_, self.rank_, reg, seed)
        self.W_, self.H_, self.objective_ = found.W, found.H, found.objective
        self._end(found.converged)

    def _completed(self, A, rank, reg, seed):
        options = {"max_iter": self.max_iter, "tol": self.tol, "random_state": seed}
        if self.method == "svp":
            projection = project_singular_values(A, rank, **options)
            found = ObservedFactors(projection.U * projection.w, projection.U, *projection[2:])
        elif self.method == "als":
            found = factorize_observed(A, rank, reg=reg, **options)
        else:
            found = factorize_signs(A, rank, loss=self.method, reg=reg, **options)
        if reg is not None and found.objective[-1] >= (1.0 - self.tol) * FACTORS[self.method] * A.nnz:
            # A penalty this strong leaves nothing of the factors: the signs of what is left would be the start's.
            return found._replace(W=np.zeros_like(found.W), H=np.zeros_like(found.H))
        return found if self.directed else befriend_themselves(A, found)

    def _settings(self):
        """Ranks and penalties to choose from, those that allow least first."""
        most = max(self.network_.shape[0] - 1, 1)
        ranks = [40 if self.rank == "auto" else self.rank]
        if self.method == "svp":
            ranks = RANKS if self.rank == "auto" else ranks
            return [(rank, None) for rank in sorted({min(rank, most) for rank in ranks})]
        return [(min(ranks[0], most), reg) for reg in (PENALTIES if self.reg == "auto" else [self.reg])]

    def _best_setting(self, seed):
        """The rank and penalty with the most signs right among links that were left out; of equals the first.

        One that leaves nothing of the factors names the more frequent sign everywhere, and comes after its equals.
        """
        settings = self._settings()
        if len(settings) == 1:
            return settings[0]
        links = sparse.coo_array(self.network_ if self.directed else sparse.triu(self.network_))
        judged = np.random.default_rng(seed).random(links.nnz) < JUDGED
        if not judged.any() or judged.all():
            return next(setting for setting in settings if setting[1] in (None, 1.0))
        kept = sparse.csr_array((links.data[~judged], (links.row[~judged], links.col[~judged])), shape=links.shape)
        kept = kept if self.directed else sparse.csr_array(kept + kept.T)
        rows, columns, signs = links.row[judged], links.col[judged], links.data[judged]

        def merit(setting):
            found = self._completed(kept, *setting, seed)
            right = self._signs(self._score(found, rows, columns)) == signs
            return float(np.mean(right)), bool(found.W.any())

        return max(settings, key=merit)

    def _score(self, factors, rows, columns):
        forth = factors.at(rows, columns)
        return forth if self.directed else (forth + factors.at(columns, rows)) / 2.0

    def _fit_cycles(self):
        links = sparse.coo_array(self.network_ if self.directed else sparse.triu(self.network_))
        if len(np.unique(links.data)) < 2:
            raise ValueError("all known links have the same sign; logistic regression needs both")
        pairs = np.stack([links.row, links.col], axis=1)
        features = cycle_features(self.network_, pairs, order=self.order, directed=self.directed)
        self.model_ = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)).fit(features, links.data)

    def _end(self, converged):
        self.converged_ = bool(converged)
        if not self.converged_:
            warnings.warn(
                f"the completion had not ended after {self.max_iter} steps; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    def decision_function(self, pairs):
        """Scores of pairs of nodes: positive where a positive link is likelier.

        Parameters
        ----------
        pairs : array-like of shape (m, 2)
            Nodes by number, or by name for networkx graphs. A link that is known is scored without itself by "hoc".

        Returns
        -------
        scores : ndarray of shape (m,)
            Zero where nothing connects the two, or the penalty leaves nothing of the factors.
        """
        check_is_fitted(self, "network_")
        sources, targets = pairs_of(pairs, self.nodes_)
        places = np.stack([sources, targets], axis=1)
        if self.method == "katz":
            return signed_katz(self.network_, places, beta=self.beta, tol=1e-8)
        if self.method == "moi":
            return imbalance_score(self.network_, places, order=self.order, beta=self.beta)
        if self.method == "hoc":
            features = cycle_features(self.network_, places, order=self.order, directed=self.directed)
            return self.model_.decision_function(features) if len(features) else np.zeros(0)
        return self._score(ObservedFactors(self.W_, self.H_, self.objective_, self.converged_), sources, targets)

    def predict(self, pairs):
        """Signs of pairs of nodes; the network's more frequent sign where nothing is known.

        Parameters
        ----------
        pairs : array-like of shape (m, 2)
            Nodes by number, or by name for networkx graphs.

        Returns
        -------
        signs : ndarray of int of shape (m,)
            -1 or 1.
        """
        return self._signs(self.decision_function(pairs)).astype(np.int64)

    def _signs(self, scores):
        return np.where(scores == 0.0, self.majority_, np.sign(scores))

    def score(self, pairs, signs):
        """Share of signs that are right.

        Parameters
        ----------
        pairs : array-like of shape (m, 2)
            Pairs of nodes.
        signs : array-like of shape (m,)
            -1 or 1.

        Returns
        -------
        accuracy : float
        """
        return float(accuracy_score(signs, self.predict(pairs)))

    def _invariants(self):
        n = len(self.nodes_)
        self.network_.check_format(full_check=True)
        yield "network_ is a matrix of signs of all nodes", self.network_.shape == (n, n) and finite(self.network_.data)
        yield "the more frequent sign is one", is_number(self.majority_) and abs(self.majority_) == 1.0
        if hasattr(self, "W_"):
            for name in ("W_", "H_"):
                factor = getattr(self, name)
                yield f"{name} has a row for each node", is_array(factor, np.float64, n, self.W_.shape[1])
                yield f"{name} is finite", finite(factor)
        elif self.method == "hoc":
            yield "a model weighs cycles", hasattr(self.model_, "decision_function")
