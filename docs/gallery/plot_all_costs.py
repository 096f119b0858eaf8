"""
Every cost of a support vector machine at once
==============================================

A support vector machine has a cost C, and people look for it on a grid. The solutions for
all costs form a path that bends at finitely many points; following it takes about as long
as one fit, and the cross-validated error is then known for every C, not for ten of them.
"""

# %%
# Two classes, each a mixture of ten Gaussians, as in the paper.
from matplotlib import pyplot as plt

from treatise.datasets import make_gaussian_mixtures
from treatise.svm import SVMPath, SVMPathCV, plot_decision_surface, plot_svm_path

X, y = make_gaussian_mixtures(random_state=0)
path = SVMPath(gamma=1.0, C_max=1000.0).fit(X, y)
print(f"{len(path.costs_)} bends up to C = 1000")

# %%
# Each line is the weight of one training point, as a share of C. At first all count alike;
# at the end only the points near the border are left.
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
plot_svm_path(path, ax)

# %%
# The error by cross-validation, exactly, as a function of C.
machine = SVMPathCV(SVMPath(gamma=1.0, C_max=1000.0), cv=5).fit(X, y)
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.step(machine.costs_[1:], machine.errors_[1:], where="post")
ax.axvline(machine.best_C_, color="C3", ls="--")
ax.set(
    xscale="log",
    xlabel="C",
    ylabel="cross-validated error",
    title=f"best at C = {machine.best_C_:.3g}",
)

# %%
# And the machine with that cost.
fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
plot_decision_surface(machine, X, y, ax)
plt.show()
