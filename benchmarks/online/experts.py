"""Games with experts against a loop over NumPy's rows, and averaged SGD against scikit-learn's."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss

from benchmarks._contest import Contest, Scaling
from treatise.online import AdaHedge, AveragedSGDClassifier, FlipFlop, NormalHedge, PerturbedLeader


def losses(n_rounds: int, n_experts: int) -> np.ndarray:
    """Uniform losses, one expert a little better."""
    game = np.random.default_rng(0).random((n_rounds, n_experts))
    game[:, 0] -= 0.02
    return game


def numpy_adahedge(game: np.ndarray) -> float:
    """Regret of AdaHedge as Figure 1 of its paper has it, a row at a time."""
    n_experts = game.shape[1]
    total, gap, paid = np.zeros(n_experts), 0.0, 0.0
    for row in game:
        rate = np.log(n_experts) / gap if gap > 0.0 else np.inf
        weights, before = numpy_mix(rate, total)
        loss = weights @ row
        total = total + row
        gap += max(0.0, loss - (numpy_mix(rate, total)[1] - before))
        paid += loss
    return float(paid - total.min())


def numpy_mix(rate: float, total: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and mix loss."""
    least = total.min()
    weights = (total == least).astype(float) if np.isinf(rate) else np.exp(-rate * (total - least))
    mass = weights.sum()
    return weights / mass, least - np.log(mass / len(total)) / rate


def stream(n_rows: int, n_features: int, density: float) -> tuple[sparse.csr_matrix | np.ndarray, np.ndarray]:
    """Rows of norm one whose labels follow a logistic model."""
    rng = np.random.default_rng(0)
    if density < 1.0:
        X = sparse.random(n_rows, n_features, density, format="csr", rng=rng)
        X = sparse.csr_matrix(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1) + 1e-12)))
    else:
        X = rng.standard_normal((n_rows, n_features))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    score = X @ (10.0 * rng.standard_normal(n_features))
    return X, (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-score))).astype(int)


def our_pass(X: sparse.csr_matrix | np.ndarray, y: np.ndarray) -> Callable[[], AveragedSGDClassifier]:
    """One pass with the step that follows from the length."""
    model = AveragedSGDClassifier(schedule="constant", n_passes=1, fit_intercept=False, shuffle=False)
    return lambda: model.fit(X, y)


def their_pass(X: sparse.csr_matrix | np.ndarray, y: np.ndarray) -> Callable[[], SGDClassifier]:
    """One pass with the same step, given."""
    step = 1.0 / (2.0 * np.sqrt(X.shape[0]))
    model = SGDClassifier(
        loss="log_loss", penalty=None, learning_rate="constant", eta0=step, average=True, max_iter=1, tol=None,
        shuffle=False, fit_intercept=False,
    )  # fmt: skip
    return lambda: model.fit(X, y)


def benchmarks() -> Iterator[Contest | Scaling]:
    """AdaHedge on a whole matrix, averaged SGD on sparse and dense rows, and our own cost over the rounds."""
    for n_rounds, n_experts in ((100_000, 10), (20_000, 1000)):
        game = losses(n_rounds, n_experts)
        yield Contest(
            f"AdaHedge: {n_rounds} rounds of {n_experts} experts (quality: regret)",
            "numpy",
            lambda game=game: float(AdaHedge().run(game).regret[-1]),
            lambda game=game: numpy_adahedge(game),
            lambda regret: regret,
            warm_up=lambda: AdaHedge().run(losses(5, 3)),
        )
    for n_rows, n_features, density in ((200_000, 10_000, 0.005), (200_000, 50, 1.0)):
        X, y = stream(n_rows, n_features, density)
        kind = "sparse" if density < 1.0 else "dense"
        yield Contest(
            f"one averaged pass over {n_rows} x {n_features} {kind} rows (quality: log loss on them)",
            "scikit-learn",
            our_pass(X, y),
            their_pass(X, y),
            lambda model, X=X, y=y: log_loss(y, model.predict_proba(X)),
            warm_up=our_pass(X[:100], y[:100]),
        )
    for strategy in (AdaHedge(), FlipFlop(), NormalHedge(), PerturbedLeader()):
        yield Scaling(
            f"{type(strategy).__name__}: rounds of 20 experts",
            (10_000, 100_000, 1_000_000),
            lambda size, strategy=strategy: partial(strategy.run, losses(size, 20)),
            warm_up=lambda strategy=strategy: strategy.run(losses(5, 20)),
        )
