"""
Honest error bars for cross-validation
======================================

The folds of a cross-validation share most of their training data, so their scores move
together and the usual error bar, the spread of the folds over the root of their number,
promises too much. Worse, no estimate from one cross-validation can be right for every
distribution. What can be done is to correct for the overlap, and to know by how much one is
off.
"""

# %%
# One cross-validation
# --------------------
# Keep the loss of every example and its fold, and let the report say what they can tell.

import matplotlib.pyplot as plt
from sklearn.linear_model import LinearRegression

from treatise.datasets import make_bengio_grandvalet
from treatise.papers.theory.v05_1089.simulation import (
    plot_cv_variance,
    simulate_cv_variance,
)
from treatise.theory import cross_val_losses, cv_variance_report

line = LinearRegression(fit_intercept=False)
X, y = make_bengio_grandvalet(120, random_state=0)
losses, fold = cross_val_losses(line, X, y)
print(cv_variance_report(losses, fold, correlation=(0.0, 0.4)))

# %%
# Thousands of them
# -----------------
# Where fresh samples can be had, as here, the variance can be taken apart: the variance of
# a single error, the covariance within a fold, and the covariance between folds, which no
# single run can see.

runs = [
    simulate_cv_variance(make_bengio_grandvalet, line, n, random_state=0)
    for n in (60, 120, 240)
]
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
plot_cv_variance(runs, relative=True, ax=ax)
plt.show()

# %%
# How often did an interval of 95 % hold the true error?

fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
labels = {
    "v1": "errors taken for independent",
    "v2": "folds taken for independent",
    "corrected": "corrected",
}
for name, label in labels.items():
    ax.plot(
        [run.n for run in runs],
        [100 * run.coverage[name] for run in runs],
        "o-",
        label=label,
    )
ax.axhline(95, color="0.4", linewidth=1, linestyle="--")
ax.set(xlabel="number of examples n", ylabel="coverage, %", xscale="log", ylim=(70, 100))
ax.set_xticks([run.n for run in runs], [str(run.n) for run in runs])
ax.minorticks_off()
ax.legend()
plt.show()
