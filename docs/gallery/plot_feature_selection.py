"""
Few features instead of many
============================

:class:`~treatise.selection.FCBF` ranks features by how much they tell about the class, then
lets each of them remove the later ones that it already covers. It looks at one or two
features at a time, so it is fast with thousands of them, and it needs no learner.
"""

# %%
# Thirty measurements of cell nuclei, many of them nearly the same: radius, perimeter and
# area, each three times.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from treatise.selection import FCBF, plot_relevance

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = FCBF().fit(X, y)
print(list(selector.get_feature_names_out()))

# %%
# The picture gives the reason why each feature went. The area is highly relevant, but the
# perimeter covers it.

plot_relevance(selector)
plt.show()

# %%
# Naive Bayes takes features for independent, so it gains from losing the repeated ones. The
# selection is part of the pipeline, and is made anew in every fold: chosen on all rows, it
# would flatter the score.

for name, model in {
    "all 30": GaussianNB(),
    "selected": make_pipeline(FCBF(), GaussianNB()),
}.items():
    scores = cross_val_score(model, X, y, cv=10)
    print(f"{name:9s} accuracy {scores.mean():.3f}")
