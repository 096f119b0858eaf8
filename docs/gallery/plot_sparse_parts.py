"""
Parts of digits, as sparse as you like
======================================

Non-negative factorisation writes each image as a sum of parts. How local the parts are is
left to chance, unless :class:`~treatise.decomposition.SparseNMF` is told: a sparseness of 0
spreads a part over the whole image, 1 is a single pixel.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from treatise.decomposition import SparseNMF, plot_parts

X = load_digits().data[:600]
models = {
    sparseness: SparseNMF(
        16, component_sparseness=sparseness, max_iter=40, tol=0, random_state=0
    ).fit(X)
    for sparseness in (0.3, 0.6, 0.8, 0.9)
}

# %%
# Ghosts of whole digits on the left, strokes on the right.

fig = plt.figure(figsize=(10, 2.9), layout="constrained")
for part, (sparseness, model) in zip(
    fig.subfigures(1, len(models), wspace=0.06), models.items()
):
    plot_parts(model.components_, (8, 8), ax=part.subplots())
    part.suptitle(f"sparseness {sparseness}")
plt.show()

# %%
# The error is least near 0.8, which is about what strokes are; to ask for more or for less
# costs.

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(
    list(models),
    [model.reconstruction_err_ for model in models.values()],
    "o-",
    color="#14696f",
)
ax.set(xlabel="sparseness of the parts", ylabel="reconstruction error")
plt.show()

# %%
# A new image gets its code by ``transform``, and the code times the parts gives it back.

codes = models[0.8].transform(X[:6])
fig, axes = plt.subplots(2, 6, figsize=(7, 2.5), layout="constrained")
for column, (image, code) in enumerate(zip(X, codes)):
    axes[0, column].imshow(image.reshape(8, 8), cmap="gray_r")
    axes[1, column].imshow((code @ models[0.8].components_).reshape(8, 8), cmap="gray_r")
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("image")
axes[1, 0].set_ylabel("from parts")
plt.show()
