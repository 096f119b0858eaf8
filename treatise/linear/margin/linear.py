"""Multi-category large margin classifiers with their probability links (Zhang, JMLR 5:1225)."""

from treatise.linear.margin._base import LinearScores
from treatise.linear.margin._multicategory import MulticategoryMargin


class MarginClassifier(MulticategoryMargin, LinearScores):
    r"""Linear classifier of several classes on a margin loss, with the class probabilities that the loss implies.

    One margin loss :math:`\phi` and three ways to make a loss of all scores from it, c being the true class:

    ================== ===================================================================== ==================
    formulation        loss of the scores                                                    best for every q?
    ================== ===================================================================== ==================
    ``"pairwise"``     :math:`\sum_k \phi(f_c - f_k)`                                        not with the hinge
    ``"constrained"``  :math:`\sum_{k \ne c} \phi(-f_k)`, scores of sum zero                 yes
    ``"one_vs_rest"``  :math:`\phi(f_c) + \sum_{k \ne c} \phi(-f_k)`                         not with the hinge
    ================== ===================================================================== ==================

    Where the last column says yes, the best scores rank the most probable class first whatever the class
    probabilities q are, so that enough data leads to the best classifier. Where it says no, that holds as long as one
    class has more than half of the probability.

    Use ``"pairwise"`` for linear scores: it asks that the true class come first and no more, while the others set each
    score against a constant, which a class between two others cannot meet (iris: 0.97 against 0.79 and 0.95 of held-out
    rows). Take ``"constrained"`` with the hinge for a support vector machine of several classes that is consistent, and
    ``"one_vs_rest"`` for many classes. Where probabilities are all that is wanted, multinomial logistic regression
    (:class:`BackgroundClassifier`) is the usual choice. Do not use the exponential loss on noisy labels: a far
    outlier outweighs everything.

    Costs O(n p k) a pass for k classes, and some tens of passes; a few hundred for the hinge. Memory is that of X and
    2 n k numbers.

    Parameters
    ----------
    formulation : {"pairwise", "constrained", "one_vs_rest"}, default="pairwise"
        How the margins of a row's classes are combined.
    loss : {"logistic", "squared_hinge", "hinge", "least_squares", "exponential"}, default="logistic"
        Loss of a margin z: log(1 + exp(-z)), max(0, 1 - z)², max(0, 1 - z), (1 - z)² or exp(-z). The kink of the hinge
        is rounded over a width of 0.001, which moves the least loss by 0.0005 a margin at most.
    alpha : float, default=1e-3
        Weight of the penalty, half the squared norm of all weights (intercepts are free), against the mean loss.
    fit_intercept : bool, default=True
        Whether scores have an intercept.
    class_weight : dict, "balanced" or None, default=None
        Costs of errors on each class. Predictions then minimise the expected cost; probabilities stay the data's.
    max_iter : int, default=1000
        Iterations of L-BFGS at most, for each width of a hinge.
    tol : float, default=1e-5
        Ends when no component of the gradient is larger, in the width of the widest column where that is below one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (n_classes, n_features)
        Weights of the scores, one row a class, for two classes too.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts of the scores.
    class_costs_ : ndarray of shape (n_classes,)
        Costs in use.
    n_iter_ : int
        Iterations made.
    converged_ : bool
        Whether the gradient fell to ``tol``, or to where rounding hides any further decrease.
    objective_ : float
        The least found.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    KernelMarginClassifier : The same with kernels.
    BackgroundClassifier : Losses that set the true class against a background of all.
    check_consistency : The verdict of the table's last column, by computation.

    Notes
    -----
    A fourth formulation of the paper, the difference of the true class's score to the largest other, is consistent for
    no convex loss; it is there in :func:`check_consistency`, and as a classifier in scikit-learn's ``LinearSVC``.

    The links of the pairwise and the constrained formulation follow from the first-order conditions of the conditional
    risk; the paper gives those of the others.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from treatise.linear import MarginClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MarginClassifier("constrained", "squared_hinge").fit(scale(X), y)
    >>> round(model.score(scale(X), y), 2)
    0.99
    >>> model.predict_proba(scale(X)[65:66]).round(1)
    array([[0.1, 0.9, 0. ]])

    References
    ----------
    .. [1] Paper v05-1225: Equations (10), (12) and (14), Theorems 6, 8 and 10, Propositions 4 and 29.
    """

    _parameter_constraints: dict = {**LinearScores._parameter_constraints, **MulticategoryMargin._loss_constraints}

    def __init__(
        self,
        formulation="pairwise",
        loss="logistic",
        *,
        alpha=1e-3,
        fit_intercept=True,
        class_weight=None,
        max_iter=1000,
        tol=1e-5,
    ):
        self.formulation = formulation
        self.loss = loss
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
