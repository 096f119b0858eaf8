"""The dependency model with valence: a grammar learnt from sentences of tags without trees (JMLR 12:455)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, within
from treatise.inference.projective_trees.draw import draw_trees
from treatise.sequence._observed_sequences import alphabet_of
from treatise.sequence.dependency._corpus import Corpus
from treatise.sequence.dependency._counted import tree_counts
from treatise.sequence.dependency._grammar import Grammar, extended_grammar, harmonic_grammar, random_grammar
from treatise.sequence.dependency._tags import tags_of
from treatise.sequence.dependency._training import DirichletSteps, LikelihoodSteps, RegularisedSteps, learn
from treatise.sequence.dependency.measures import checked_heads

SMOOTHING = float(np.exp(-10))
"""The paper's number added to every probability at the end."""
PAPER_SIGMA = 120.0
"""The strength that the paper takes for twelve languages."""
SIGMA_PER_WORD = 0.01
"""Ours: likelihoods grow with the sentences, and so must what they are weighed against."""


class DependencyModelWithValence(BaseEstimator):
    """Dependency grammar learnt from sentences of tags, without trees or with them.

    The root's tag is drawn first; then every head draws its dependents on either side, the outermost first, and before
    each decides whether to stop, which depends on how many it has (its valence). Use it to find structure in tagged
    sequences where no treebank exists; sentences of up to ten words or so teach it best. Not where a treebank exists: a
    supervised parser is far better. What it finds depends on the start, and a higher likelihood is not a better tree:
    the penalty on the number of types of dependencies ("pr-as", "pr-s") is what draws it to grammars as people write
    them.

    An E-step costs O(V n^3) for a sentence of n words and V numbers of dependents told apart, and memory O(V n^2); with
    the penalty some twenty times that. Threads share the sentences.

    Parameters
    ----------
    stop_valence : int, default=2
        Numbers of dependents that stopping depends on: 2 tells none from some, 3 none, one and more.
    child_valence : int, default=1
        The same for the choice of a dependent's tag; 1 makes no difference.
    backoff : float or None, default=None
        Weight of the dependents' probabilities by head, the rest being those of the side alone; the paper's extended
        model has 1/3, which from the harmonic start may cost more than it gains (ten points of accuracy on English web
        text): compare, or begin from a fitted basic model. None does not mix.
    method : {"pr-as", "pr-s", "em", "dirichlet"}, default="pr-as"
        Likelihood with a penalty on the number of types of dependencies, heads of one tag pooled (asymmetric) or each
        pair of words by itself (symmetric); likelihood alone; Dirichlet prior on all probabilities.
    sigma : float, "paper" or None, default=None
        Penalty of one type of dependency ("pr-as", "pr-s"), in units of log-likelihood; 0 is "em". None is a hundredth
        of the number of words, so that sentences given twice teach the same; "paper" is 120, its choice for all
        languages.
    alpha : float, default=0.25
        Imagined count of every choice ("dirichlet"); below 0.5 it makes rare choices rarer.
    max_iter : int, default=100
        Steps at most.
    tol : float, default=1e-4
        Rise of the objective per word at which they stop.
    init : {"harmonic", "random"} or DependencyModelWithValence, default="harmonic"
        Where to begin: heads near their dependents (Klein and Manning), drawn, or a fitted model, whose valences may
        be others.
    smoothing : float, default=exp(-10)
        Number added to every probability at the end, so that no sentence of known tags is impossible.
    projection_iter : int, default=20
        Steps at most of the penalised E-step; the next one goes on from there.
    projection_tol : float, default=0.005
        Gap per word at which they stop.
    tags : sequence or None, default=None
        The tags; None takes those that are seen in fitting. Others are an error later.
    random_state : int, RandomState instance or None, default=None
        The random start.

    Attributes
    ----------
    root_ : ndarray of shape (n_tags,)
        Probability of the root's tag.
    child_ : ndarray of shape (n_tags, 2, child_valence, n_tags)
        Probability of a dependent's tag, by the head's tag, side (0 left, 1 right) and dependents taken before.
    stop_ : ndarray of shape (n_tags, 2, stop_valence)
        Probability of stopping, by the head's tag, side and dependents taken before.
    tags_ : ndarray of shape (n_tags,)
        The tags.
    objective_ : float
        Log-likelihood of the sentences ("em"), its bound ("dirichlet"), or what the projected posterior reaches of the
        penalised one; before the final smoothing.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective before every step and after the last.
    gap_ : float
        How much the projected posterior may fall short of the best at the end, in the objective's unit; 0 without
        penalty.
    gaps_ : ndarray of shape (n_iter_ + 1,)
        The same beside every entry of the history: up to it the objective never falls.
    n_iter_ : int
        Steps taken; 0 where trees were counted.
    converged_ : bool
        Whether the last step raised the objective by no more than ``tol`` allows, with the gap asked for.

    See Also
    --------
    attachment_accuracy : Share of right heads.
    dependency_ambiguity : The number of types of dependencies in use, which is penalised.

    Notes
    -----
    Trees have one root and no crossing arcs. The paper's formula for valences counts one further than its text; the
    text's meaning is taken, as its basic model needs it. Sentences of one word have one tree, and count. The weights of
    "dirichlet" are those of the mean-field bound, which sum to less than one; they are made to sum to one at the end.

    Examples
    --------
    >>> from treatise.sequence import DependencyModelWithValence
    >>> sentences = [["D", "N", "V"], ["N", "V"], ["D", "N", "V", "D", "N"], ["N", "V", "N"]] * 5
    >>> model = DependencyModelWithValence().fit(sentences)
    >>> model.predict([["D", "N", "V", "N"]])
    [array([ 1,  2, -1,  2])]

    References
    ----------
    .. [1] Paper v12-0455, sections 2 to 5; Table 1 for the steps.
    """

    _parameter_constraints: dict = {
        "stop_valence": [Interval(Integral, 1, 64, closed="both")],
        "child_valence": [Interval(Integral, 1, 64, closed="both")],
        "backoff": [Interval(Real, 0, 1, closed="both"), None],
        "method": [StrOptions({"em", "dirichlet", "pr-s", "pr-as"})],
        "sigma": [Interval(Real, 0, None, closed="left"), StrOptions({"paper"}), None],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"harmonic", "random"}), HasMethods(["predict_proba"])],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "projection_iter": [Interval(Integral, 1, None, closed="left")],
        "projection_tol": [Interval(Real, 0, None, closed="left")],
        "tags": ["array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        stop_valence=2,
        child_valence=1,
        *,
        backoff=None,
        method="pr-as",
        sigma=None,
        alpha=0.25,
        max_iter=100,
        tol=1e-4,
        init="harmonic",
        smoothing=SMOOTHING,
        projection_iter=20,
        projection_tol=5e-3,
        tags=None,
        random_state=None,
    ):
        self.stop_valence = stop_valence
        self.child_valence = child_valence
        self.backoff = backoff
        self.method = method
        self.sigma = sigma
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.smoothing = smoothing
        self.projection_iter = projection_iter
        self.projection_tol = projection_tol
        self.tags = tags
        self.random_state = random_state

    def __sklearn_clone__(self):
        # The model to start from is data: a clone of it would have forgotten its parameters.
        parameters = {
            name: value if name == "init" else clone(value, safe=False)
            for name, value in self.get_params(deep=False).items()
        }
        return type(self)(**parameters)

    @classmethod
    def from_parameters(cls, root, child, stop, *, tags=None):
        """A model with given probabilities, ready to parse, score and draw sentences.

        Parameters
        ----------
        root : array-like of shape (n_tags,)
            Probabilities of the root's tag.
        child : array-like of shape (n_tags, 2, child valences, n_tags) or (n_tags, 2, n_tags)
            Probabilities of dependents by the head's tag, side (0 left, 1 right) and dependents taken before.
        stop : array-like of shape (n_tags, 2, stop valences)
            Probabilities of stopping.
        tags : sequence or None, default=None
            Names of the tags; None numbers them from 0.

        Returns
        -------
        model : DependencyModelWithValence
        """
        root, child, stop = (np.ascontiguousarray(each, np.float64) for each in (root, child, stop))
        child = child[:, :, np.newaxis, :] if child.ndim == 3 else child
        T = len(root) if root.ndim == 1 else 0
        if (
            not T
            or child.shape != (T, 2, *child.shape[2:3], T)
            or stop.shape != (T, 2, *stop.shape[2:3])
            or stop.ndim != 3
        ):
            raise ValueError(
                f"root {root.shape}, child {child.shape} and stop {stop.shape} do not belong together; for T tags they "
                "are (T,), (T, 2, valences, T) and (T, 2, valences)"
            )
        for name, table in (("root", root), ("child", child)):
            if not (table >= 0).all() or np.abs(table.sum(axis=-1) - 1).max() > 1e-6:
                raise ValueError(f"{name} must hold probabilities that sum to 1 along its last axis")
        if not ((stop >= 0) & (stop <= 1)).all():
            raise ValueError("stop must hold probabilities, between 0 and 1")
        model = cls(stop.shape[2], child.shape[2], tags=list(range(T) if tags is None else tags))
        model.tags_ = alphabet_of(model.tags, None)
        if len(model.tags_) != T:
            raise ValueError(f"{len(model.tags_)} tags do not name the {T} of the probabilities")
        model.root_, model.child_, model.stop_ = root, child, stop
        return model

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, sentences, heads=None):
        """Learn from sentences, or count where their trees are given.

        Parameters
        ----------
        sentences : list of sequences of tags
            Tags are texts or whole numbers.
        heads : list of array-like of int or None, default=None
            The head of each word, -1 for the root: probabilities are then the shares of the choices of these trees,
            whatever the method.

        Returns
        -------
        self : DependencyModelWithValence
        """
        observed = tags_of(sentences)
        self.tags_ = alphabet_of(self.tags, observed)
        corpus = Corpus(self._codes(observed), observed.lengths)
        grammar = self._start(corpus)
        if heads is not None:
            return self._count(corpus, heads, grammar)
        words = len(corpus.tags)
        run = learn(self._steps(corpus), corpus, grammar, self.max_iter, self.tol * words, self.projection_tol * words)
        if not run.converged:
            warnings.warn(
                f"the grammar had not settled after max_iter={self.max_iter} steps (per word, the last raised the "
                f"objective by {(run.history[-1] - run.history[-2]) / words:.2g}, with a gap of "
                f"{run.gaps[-1] / words:.2g}); raise max_iter, tol or projection_tol",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.history_, self.objective_, self.gap_ = run.history, float(run.history[-1]), float(run.gaps[-1])
        self.gaps_ = run.gaps
        self.n_iter_, self.converged_ = len(run.history) - 1, run.converged
        return self._keep(run.grammar)

    def predict(self, sentences, *, decoding="viterbi"):
        """The head of each word.

        Parameters
        ----------
        sentences : list of sequences of tags
            Of known tags.
        decoding : {"viterbi", "posterior"}, default="viterbi"
            The most probable tree, or that with the most heads expected to be right.

        Returns
        -------
        heads : list of ndarray of int
            Numbers of words from 0, -1 for the root.
        """
        if decoding not in ("viterbi", "posterior"):
            raise ValueError(f"decoding={decoding!r} must be 'viterbi' or 'posterior'")
        corpus = self._corpus(sentences)
        if decoding == "posterior":
            heads = corpus.best_expected_heads(self._expectations(corpus).edges)
        else:
            heads, weights = corpus.best_heads(self._grammar())
            _require_trees(weights)
        return np.split(heads, corpus.starts[1:-1])

    def predict_proba(self, sentences):
        """Probabilities of the heads of each word.

        Parameters
        ----------
        sentences : list of sequences of tags
            Of known tags.

        Returns
        -------
        heads : list of ndarray of shape (n, n + 1)
            Of word h as the head of word c at ``[c, h]``, and of c as the root at ``[c, -1]``.
        """
        corpus = self._corpus(sentences)
        return corpus.tables(self._expectations(corpus).edges)

    def score(self, sentences, heads=None):
        """Log-likelihood of all sentences together.

        Parameters
        ----------
        sentences : list of sequences of tags
            Of known tags.
        heads : None
            Not used; cross-validation of models fitted to trees passes them.

        Returns
        -------
        log_likelihood : float
            Minus infinity where some sentence has no possible tree, which needs ``smoothing=0``.
        """
        return self._corpus(sentences).expectations(self._grammar()).log_likelihood

    def ambiguity(self, sentences, *, symmetric=True):
        """How many types of dependencies the model uses on sentences; see :func:`dependency_ambiguity`.

        Parameters
        ----------
        sentences : list of sequences of tags
            Of known tags.
        symmetric : bool, default=True
            Whether every pair of words counts by itself.

        Returns
        -------
        ambiguity : float
        """
        corpus = self._corpus(sentences)
        edges = self._expectations(corpus).edges
        return float(corpus.features(len(self.tags_), symmetric).largest(edges).sum())

    def sample(self, n_sentences=1, *, max_length=10, random_state=None):
        """Draw sentences and their trees, of those that are not too long.

        Parameters
        ----------
        n_sentences : int, default=1
            How many.
        max_length : int, default=10
            Most words; longer sentences are drawn again.
        random_state : int, RandomState instance or None, default=None
            Source of randomness.

        Returns
        -------
        sentences : list of ndarray
            Tags.
        heads : list of ndarray of int
            The head of each word, -1 for the root.
        """
        check_is_fitted(self, "child_")
        if n_sentences < 1 or not 1 <= max_length <= 300:
            raise ValueError(f"n_sentences={n_sentences} must be at least 1, max_length={max_length} from 1 to 300")
        tables = self.root_, self.child_, self.stop_
        drawn, heads = draw_trees(*tables, n_sentences, max_length, check_random_state(random_state))
        return [self.tags_[sentence] for sentence in drawn], heads

    def _steps(self, corpus):
        if self.method == "dirichlet":
            return DirichletSteps(self.alpha)
        words = len(corpus.tags)
        sigma = {None: SIGMA_PER_WORD * words, "paper": PAPER_SIGMA}.get(self.sigma, self.sigma)
        if self.method == "em" or sigma == 0:
            return LikelihoodSteps()
        features = corpus.features(len(self.tags_), self.method == "pr-s")
        return RegularisedSteps(features, float(sigma), self.projection_iter, self.projection_tol * words)

    def _start(self, corpus):
        shape = self.stop_valence, self.child_valence, self.backoff
        if self.init == "harmonic":
            return harmonic_grammar(corpus, len(self.tags_), *shape)
        if self.init == "random":
            return random_grammar(len(self.tags_), *shape, check_random_state(self.random_state))
        check_is_fitted(self.init, "child_")
        if not np.array_equal(self.init.tags_, self.tags_):
            raise ValueError("init has other tags; set tags to those of init")
        grammar = extended_grammar(self.init.root_, self.init.child_, self.init.stop_, *shape)
        _require_trees(corpus.best_heads(grammar)[1])
        return grammar

    def _count(self, corpus, heads, grammar):
        if len(heads) != len(corpus):
            raise ValueError(f"{len(heads)} trees do not belong to {len(corpus)} sentences")
        trees = [checked_heads(tree, f"heads[{s}]") for s, tree in enumerate(heads)]
        for s, (tree, n) in enumerate(zip(trees, corpus.lengths)):
            if len(tree) != n:
                raise ValueError(f"heads[{s}] has {len(tree)} heads for {n} words")
        counts = tree_counts(corpus, trees, grammar)
        for _ in range(1 if self.backoff is None else self.max_iter):  # the parts of the mixture are hidden
            grammar = grammar.maximised(counts)
        self.n_iter_, self.converged_, self.gap_, self.gaps_ = 0, True, 0.0, np.zeros(1)
        self._keep(grammar)
        self.objective_ = corpus.expectations(self._grammar()).log_likelihood
        self.history_ = np.array([self.objective_])
        return self

    def _keep(self, grammar):
        grammar = grammar.smoothed(self.smoothing)
        self.root_, self.child_, self.stop_ = grammar.root, np.ascontiguousarray(grammar.child), grammar.stop.copy()
        return self

    def _grammar(self):
        return Grammar(self.root_, self.child_, None, 1.0 - self.stop_, self.stop_)

    def _codes(self, observed):
        return observed.codes(self.tags_, name="sentences", kind="tags of the model")

    def _corpus(self, sentences):
        check_is_fitted(self, "child_")
        observed = tags_of(sentences)
        return Corpus(self._codes(observed), observed.lengths)

    def _expectations(self, corpus):
        found = corpus.expectations(self._grammar())
        if np.isneginf(found.log_likelihood):
            _require_trees(corpus.best_heads(self._grammar())[1])
        return found

    def _invariants(self):
        T = len(self.tags_)
        yield "tags are in one row", is_array(self.tags_, np.generic, T) and T > 0
        yield "tags have a probability as the root", _are_probabilities(self.root_, T)
        valences = self.child_.shape[2]
        yield "heads choose among all tags", valences > 0 and _are_probabilities(self.child_, T, 2, valences, T)
        valences = self.stop_.shape[2]
        yield "heads stop on both sides", valences > 0 and _are_probabilities(self.stop_, T, 2, valences)


def _are_probabilities(table, *shape):
    return is_array(table, np.float64, *shape) and within(table, 0.0, 1.0 + 1e-6)


def _require_trees(weights):
    if np.isneginf(weights).any():
        which = int(np.argmax(np.isneginf(weights)))
        raise ValueError(
            f"sentences[{which}] has no tree of positive probability under the model; fit with smoothing above 0"
        )
