"""
What depends on what
====================

A table of measurements, and the question which of them are linked once all the others are
known. :class:`~treatise.graphical.SparsePrecision` draws the graph of numeric columns,
:class:`~treatise.graphical.IsingGraph` that of columns with two values; on the command line
``treatise graph data.csv`` chooses between them.
"""

# %%
# Ten measurements of 442 people with diabetes. The penalty is chosen by the extended BIC.

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from treatise.graphical import SparsePrecision, edge_stability, plot_graph

X = load_diabetes(as_frame=True).data
graph = SparsePrecision().fit(X)
ax = plot_graph(graph)

# %%
# Blood serum values ``s1`` to ``s6`` hang together by construction: total cholesterol, its
# parts, and their ratio. An edge that comes back in most subsamples of the people is no
# accident of those who happened to be measured.

stability = edge_stability(
    SparsePrecision(graph.penalty_), X, n_subsamples=20, random_state=0
)
names = list(X.columns)
for (i, j), share in zip(stability.edges, stability.of_edges):
    if share < 1:
        print(f"{names[i]:>4} - {names[j]:<4} {share:.2f}")

# %%
# The same question put to sparse additive regression: which columns move the progress of
# the disease, and along which curves?

from treatise.linear import SpAMRegressor, plot_components

frame = load_diabetes(as_frame=True)
model = SpAMRegressor("cv").fit(frame.data, frame.target)
axes = plot_components(
    model, frame.data, features=model.norms_.argsort()[::-1][:4].tolist()
)
axes[0].set_ylabel("effect on the progress")
plt.show()
