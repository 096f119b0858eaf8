"""Policy evaluation in finite decision processes: objectives, limits of the methods, and whether they contract."""

import numpy as np

from treatise.rl.policy_evaluation.objectives import EvaluationProblem, Moments
from treatise.rl.policy_evaluation.transitions import transitions_of
from treatise.rl.processes import stationary_distribution

FIXED_POINT = ("lstd", "lspe", "td", "tdc", "gtd2")


class FiniteEvaluation(EvaluationProblem):
    """A policy to be judged in a finite decision process, from its own steps or from another policy's.

    Use it to see what an estimator tends to before running it, to check whether a method will converge, and to score
    and tune estimators against the truth. Costs states^3.

    Parameters
    ----------
    mdp : FiniteMDP
        The world.
    features : array-like of shape (n_states, n_features)
        A row for each state.
    target : array-like of shape (n_states, n_actions) or (n_states,)
        The policy to be judged.
    behaviour : array-like of shape (n_states, n_actions) or (n_states,) or None, default=None
        The policy that acts; None is the same.
    weights : array-like of shape (n_states,) or None, default=None
        How much each state counts; None counts how often the acting policy meets it in the long run.
    horizon : int or None, default=None
        Steps after which episodes of :meth:`sample` are cut off.

    Attributes
    ----------
    values : ndarray of shape (n_states,)
        The true values.
    weights : ndarray of shape (n_states,)
        How much each state counts.
    moments : Moments
        What the objectives are made of.
    discount : float
        Of the decision process.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteEvaluation, FiniteMDP
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> problem = FiniteEvaluation(mdp, np.ones((2, 1)), np.ones((2, 1)))
    >>> problem.solution("mspbe").round(6), {k: round(v, 6) for k, v in problem.objectives([1.0]).items()}
    (array([1.]), {'mse': 1.0, 'msbe': 1.0, 'mspbe': 0.0, 'mstde': 1.0, 'neu': 0.0})

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Section 2.1; Geist & Scherrer, JMLR 15:289, Theorems 1 to 3.
    """

    def __init__(self, mdp, features, target, behaviour=None, *, weights=None, horizon=None):
        self.mdp, self.discount, self.horizon = mdp, mdp.discount, horizon
        self.target = mdp.checked_policy(target)
        self.behaviour = self.target if behaviour is None else mdp.checked_policy(behaviour)
        if ((self.target > 0.0) & (self.behaviour == 0.0)).any():
            raise ValueError("the target takes actions that the behaviour policy never takes: they cannot be judged")
        self.features = np.ascontiguousarray(features, dtype=np.float64)
        if self.features.ndim != 2 or len(self.features) != mdp.n_states:
            raise ValueError(f"features have the shape {self.features.shape}; give a row for each of {mdp.n_states}")
        # A terminal state is worth nothing, whatever its features.
        self.features[mdp.terminal] = 0.0
        self.chain, self.chain_rewards = mdp.chain(self.target)
        self.chain = np.where(mdp.terminal, 0.0, self.chain)
        self.chain[mdp.terminal], self.chain_rewards = 0.0, np.where(mdp.terminal, 0.0, self.chain_rewards)
        self.values = mdp.value(self.target)
        self.weights = self._visits() if weights is None else self._checked_weights(weights)
        self.moments = self._moments()

    def _visits(self):
        """How often the acting policy meets each state; an end is followed by a new beginning."""
        flow = self.mdp.chain(self.behaviour)[0].copy()
        terminal = self.mdp.terminal
        if terminal.any():
            ending = flow[:, terminal].sum(axis=1)
            flow[:, terminal] = 0.0
            flow += np.outer(ending, self.mdp.start)
            flow[terminal] = self.mdp.start
        return stationary_distribution(flow)

    def _checked_weights(self, weights):
        weights = np.asarray(weights, dtype=np.float64)
        if weights.shape != (self.mdp.n_states,) or (weights < 0.0).any() or not weights.sum() > 0.0:
            raise ValueError(f"weights of the shape {weights.shape}: give one for each state, none negative")
        return weights / weights.sum()

    def _moments(self):
        phi, d, P, r = self.features, self.weights, self.chain, self.chain_rewards
        mean_after = P @ phi
        # Over single steps: an action of the target, then a state.
        arrivals = np.einsum("s,sa,ast->t", d, self.target, self.mdp.transitions)
        earned = np.einsum("s,sa,ast,sat->t", d, self.target, self.mdp.transitions, self.mdp.rewards)
        squares = np.einsum("s,sa,ast,sat->", d, self.target, self.mdp.transitions, self.mdp.rewards**2)
        weighted = phi * d[:, np.newaxis]
        return Moments(
            features=weighted.T @ phi, ahead=weighted.T @ mean_after,
            mean_ahead=(mean_after * d[:, np.newaxis]).T @ mean_after,
            drawn_ahead=(phi * arrivals[:, np.newaxis]).T @ phi,
            rewards=weighted.T @ r, mean_rewards_ahead=mean_after.T @ (d * r), drawn_rewards_ahead=phi.T @ earned,
            mean_square=float(d @ r**2), drawn_square=float(squares),
            values=weighted.T @ self.values, value_square=float(d @ self.values**2),
        )  # fmt: skip

    def sample(self, n_steps, *, random_state=None):
        """A run of the policy that acts.

        Parameters
        ----------
        n_steps : int
            Steps, over all episodes.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws.

        Returns
        -------
        transitions : Transitions
        """
        run = self.mdp.sample(self.behaviour, n_steps, horizon=self.horizon, random_state=random_state)
        return transitions_of(run, self.features, target=self.target, behaviour=self.behaviour)

    def limit(self, method="lstd", trace_decay=0.0):
        """Coefficients that a method tends to with ever more steps.

        Parameters
        ----------
        method : {"lstd", "lspe", "td", "tdc", "gtd2", "brm"}, default="lstd"
            All but the last share the fixed point of the projected operator. That of "brm" is of rewards without
            importance weights (``BRM(weigh_rewards=False)``).
        trace_decay : float, default=0.0
            The method's lambda.

        Returns
        -------
        coef : ndarray of shape (n_features,)
        """
        matrix, right = self.limit_system(method, trace_decay)
        return np.linalg.lstsq(matrix, right, rcond=1e-12)[0]

    def limit_system(self, method="lstd", trace_decay=0.0):
        """The matrix and the right-hand side, per step, that a method's sums tend to.

        Parameters
        ----------
        method : {"lstd", "lspe", "td", "tdc", "gtd2", "brm"}, default="lstd"
            As for :meth:`limit`.
        trace_decay : float, default=0.0
            The method's lambda.

        Returns
        -------
        matrix : ndarray of shape (n_features, n_features)
        right : ndarray of shape (n_features,)
        """
        phi, d, P, r, gamma = self.features, self.weights, self.chain, self.chain_rewards, self.discount
        identity = np.eye(len(P))
        Q = np.linalg.inv(identity - trace_decay * gamma * P)
        if method in FIXED_POINT:
            weighted = phi.T * d
            return weighted @ (identity - gamma * P) @ Q @ phi, weighted @ Q @ r
        if method != "brm":
            raise ValueError(f"no limit is known of {method!r}; take one of {', '.join((*FIXED_POINT, 'brm'))}")
        # Theorem 3 of JMLR 15:289.
        ratios = np.divide(self.target, self.behaviour, out=np.zeros_like(self.target), where=self.behaviour > 0.0)
        if trace_decay * gamma * ratios.max() >= 1.0:
            raise ValueError(
                f"discount x trace_decay x ratio reaches {trace_decay * gamma * ratios.max():.3g}: BRM's sums have a "
                "limit only below 1; take a smaller trace_decay"
            )
        squared = np.einsum("sa,sa,ast->st", self.target, ratios, self.mdp.transitions)
        x = np.linalg.solve(identity - (trace_decay * gamma) ** 2 * squared.T, d)
        D, D_after = np.diag(x), np.diag(squared.T @ x)
        S = trace_decay * gamma * (D @ P - gamma * D_after) @ Q
        back = identity - gamma * P.T
        inner = D - gamma * D @ P - gamma * P.T @ D + gamma**2 * D_after
        inner = inner + S @ (identity - gamma * P) + back @ S.T
        return phi.T @ inner @ phi, phi.T @ (back @ Q.T @ D + S) @ r

    def contraction(self, trace_decay=0.0):
        """The greatest absolute eigenvalue of the projected operator: TD, LSPE and FPKF need one below 1.

        Parameters
        ----------
        trace_decay : float, default=0.0
            The methods' lambda.

        Returns
        -------
        radius : float
        """
        phi, P, gamma = self.features, self.chain, self.discount
        operator = (1.0 - trace_decay) * gamma * P @ np.linalg.inv(np.eye(len(P)) - trace_decay * gamma * P)
        weighted = phi.T * self.weights
        # Pi M and (phi^T D phi)^-1 phi^T D M phi have the same eigenvalues but zeros.
        small = np.linalg.pinv(weighted @ phi, hermitian=True) @ weighted @ operator @ phi
        return float(np.abs(np.linalg.eigvals(small)).max(initial=0.0))

    def growth(self, trace_decay=0.0):
        """The greatest real part among the eigenvalues of TD's mean step: above 0, TD diverges at every step length.

        Parameters
        ----------
        trace_decay : float, default=0.0
            The methods' lambda.

        Returns
        -------
        growth : float
        """
        return float(np.linalg.eigvals(-self.limit_system("td", trace_decay)[0]).real.max())
