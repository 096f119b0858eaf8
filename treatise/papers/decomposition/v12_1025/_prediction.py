"""Exact likelihood as learning goes on, predictions ahead (as Figure 14), and what a style is worth."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from treatise.datasets import make_coupled_oscillators
from treatise.decomposition import ConditionalRBM, FactoredConditionalRBM
from treatise.papers._evidence import Row

AHEAD = 20


def likelihood_rows(full: bool) -> list[Row]:
    """Contrastive divergence raises the exact likelihood of later frames, which ten hidden units allow to sum."""
    X = make_coupled_oscillators(6000, random_state=0)
    model, passes = ConditionalRBM(10, random_state=0), (1, 19, 80, *([300] if full else []))
    found = []
    for more in passes:
        model.partial_fit([X[:5000]], n_epochs=more)
        found.append(float(model.log_likelihood([X[5000:]]).mean()))
    total = np.cumsum(passes)
    # Frames have unit variance around their means in the model.
    most = -5 * np.log(2 * np.pi)
    return [
        Row.check(
            "oscillators: exact log-likelihood of later frames rises with the passes", True, found == sorted(found)
        ),
        Row.check_at_most("oscillators: the last, against that of frames without an error", round(most, 4), found[-1]),
        Row.check_at_least(
            "oscillators: the same, against its own level after one pass and 4", found[0] + 4, found[-1]
        ),
        *[Row.ours(f"oscillators: log-likelihood after {n} passes", round(v, 4)) for n, v in zip(total, found)],
    ]


def horizon_rows(full: bool) -> tuple[list[Row], dict[str, np.ndarray]]:
    """Errors by frames ahead of least squares, a machine and a factored one, over draws of the oscillators."""
    names = ("least squares", "conditional RBM", "factored conditional RBM")
    n_draws = 6 if full else 2
    errors = np.array([_errors_ahead(seed, full) for seed in range(n_draws)])
    first, fifth, last = errors[:, :, 0], errors[:, :, 5], errors[:, :, -1]
    place = "Section 4.6.3"
    rows = [
        Row.claim("one frame ahead least squares are best, in every draw", place,
                  bool((first[:, 0] <= first.min(axis=1)).all())),
        Row.claim("six frames ahead the machine is better than least squares, in every draw", place,
                  bool((fifth[:, 1] < fifth[:, 0]).all())),
        Row.claim("six frames ahead the factored machine is better than least squares, in every draw", place,
                  bool((fifth[:, 2] < fifth[:, 0]).all())),
    ]  # fmt: skip
    for number, name in enumerate(names):
        for ahead, values in ((1, first), (6, fifth), (AHEAD, last)):
            quantity = f"oscillators, {ahead} frames ahead: squared error of {name}, mean of {n_draws}"
            rows.append(Row.ours(quantity, round(float(values[:, number].mean()), 5)))
    return rows, dict(zip(names, errors.mean(axis=0)))


def _errors_ahead(seed: int, full: bool) -> list[np.ndarray]:
    X = make_coupled_oscillators(8000 if full else 4000, random_state=seed)
    train, test = X[:-1000], X[-1000:]
    linear = ConditionalRBM(1, order=6, n_epochs=1, ar_init="least_squares", random_state=0).fit([train])
    n_epochs = 100
    # Without hidden units it is the autoregression itself.
    linear.W_[:], linear.B_[:], linear.b_[:] = 0.0, 0.0, 0.0
    plain = ConditionalRBM(100, order=6, n_epochs=n_epochs, random_state=0).fit([train])
    factored = FactoredConditionalRBM(100, n_factors=60, order=6, n_epochs=n_epochs, random_state=0).fit(
        [train], ["all"]
    )
    starts = range(10, len(test) - AHEAD, 30)

    def errors(predict: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return np.mean([np.square(predict(test[:s]) - test[s : s + AHEAD]).mean(axis=1) for s in starts], axis=0)

    return [
        errors(lambda past: linear.predict(past, AHEAD)),
        errors(lambda past: plain.predict(past, AHEAD)),
        errors(lambda past: factored.predict(past, AHEAD, style="all")),
    ]


def style_rows(full: bool) -> list[Row]:
    """Two rhythms that the last frame alone cannot tell apart: with the style the machine keeps to one."""
    n_draws = 5 if full else 3
    frames = np.arange(600)
    gains = []
    for seed in range(n_draws):
        noise = 0.05 * np.random.default_rng(seed).standard_normal((2, 600, 2))
        slow, fast = (np.column_stack([np.sin(frames / t), np.cos(frames / t)]) for t in (20.0, 5.0))
        data = [slow + noise[0], fast + noise[1]]
        settings: dict[str, Any] = {
            "order": 1,
            "n_epochs": 300 if full else 200,
            "ar_learning_rate": 1e-3,
            "random_state": seed,
        }
        gated = FactoredConditionalRBM(10, n_factors=10, **settings).fit(data, ["slow", "fast"])
        plain = ConditionalRBM(10, **settings).fit(data)
        unstyled = np.mean([_rhythm_error(partial(plain.predict, n_steps=10), x) for x in data])
        of_style = {name: partial(gated.predict, n_steps=10, style=name) for name in ("slow", "fast")}
        styled = np.mean([_rhythm_error(predict, x) for predict, x in zip(of_style.values(), data)])
        gains.append(unstyled - styled)
    error = float(np.std(gains, ddof=1) / np.sqrt(n_draws))
    statement = f"gating by style lowers the error ten frames ahead, two rhythms, mean of {n_draws}"
    gain = round(float(np.mean(gains)), 4)
    return [Row.claim_positive(statement, "Section 4.6.3", gain, standard_error=round(error, 5))]


def _rhythm_error(predict: Callable[..., np.ndarray], frames: np.ndarray) -> float:
    return float(np.mean([np.square(predict(frames[:s])[-1] - frames[s + 9]).mean() for s in range(100, 500, 20)]))
