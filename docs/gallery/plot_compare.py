"""
Which method does best on my table?
===================================

One call asks every method that can take the table, tunes it inside the training folds,
judges it on held-out ones and says which differences are real. Here it has a few seconds
for the 150 irises; on a table of yours give it minutes. From the command line the same is
``treatise compare iris``.
"""

# %%
# The comparison leaves a folder with the report, the fitted winner and all predictions.

import tempfile

import matplotlib.pyplot as plt

from treatise.compare import compare_methods, fit_method

folder = tempfile.TemporaryDirectory()
comparison = compare_methods("iris", budget=8, output=f"{folder.name}/iris", seed=0)
print(comparison.leaderboard.select("label", "score", "low", "high", "standing"))

# %%
# The verdict in words is the first thing that the report shows.

print("\n".join(comparison.run.verdict))

# %%
# Intervals allow for the overlap of the training sets, so they are wider than the usual
# ones, and honest.

board = comparison.leaderboard.reverse()
low, high = (board[side].fill_null(board["score"]) for side in ("low", "high"))
fig, ax = plt.subplots(figsize=(7, 0.8 + 0.35 * len(board)), layout="constrained")
colours = ["#8b9298" if paper is None else "#14696f" for paper in board["paper"]]
ax.hlines(board["label"], low, high, colors=colours, linewidth=2)
ax.scatter(board["score"], board["label"], c=colours, zorder=2)
ax.set_xlabel(f"{comparison.run.metric.label}, with its 95 % interval")
ax.set_title(
    "Methods from papers (teal) and baselines (grey)", loc="left", fontsize="medium"
)
plt.show()

# %%
# The folder holds the winner, fitted on all rows and safe to load. One method by name, with
# the preprocessing that it needs, is fitted without a comparison too, and predicts rows
# that look like the table's.

pipeline, about, problem = fit_method("LogisticRegression", "iris", params={"C": 10.0})
print(about["label"], "predicts", about["target"], "from", about["columns"])
print(pipeline.predict(problem.X.head(2)))
folder.cleanup()
