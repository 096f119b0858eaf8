"""
Ratings from games
==================

:class:`~treatise.ranking.OnlineRater` keeps a mean and an uncertainty of every player's
skill and revises both after each game, by closed formulas: any number of teams and players,
ties included. Here the true skills are known, so we can see how well it finds them.
"""

# %%
# Games of four, among forty players. Each game tells the order of the four and nothing
# else.

import matplotlib.pyplot as plt
import numpy as np

from treatise.datasets import make_ranking_games
from treatise.ranking import OnlineRater

games, skill = make_ranking_games(1500, n_players=40, n_teams=4, random_state=1)
rater = OnlineRater().fit(games)
print(rater.leaderboard().head(5))

# %%
# After a hundred and fifty games each, the ratings put the players in the right order.
# Their unit is that of the logistic model, in which differences of skill count about twice
# as much; only differences matter.

fig, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
true = skill[rater.players_]
ax.errorbar(
    true,
    rater.mu_,
    yerr=2 * rater.sigma_,
    fmt="o",
    color="#14696f",
    ecolor="#6fa9ad",
    markersize=4,
)
ax.set(xlabel="true skill", ylabel="rating, two standard deviations each way")
ax.set_title(
    f"correlation {np.corrcoef(true, rater.mu_)[0, 1]:.3f}", loc="left", fontsize="medium"
)
plt.show()

# %%
# The best, a middling and the worst player over their games.

order = np.argsort(skill)
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
rater.plot_history(games[:400], [int(order[-1]), int(order[20]), int(order[0])], ax=ax)
plt.show()

# %%
# Who would win? Before a game the ratings give the expected order and the chance of one
# side against another.

first, second = rater.leaderboard()["player"][:2]
chance = rater.predict_win_proba([first], [second])
print(f"player {first} beats player {second} with probability {chance:.2f}")
print(f"pairs predicted wrongly along the way: {rater.n_errors_ / rater.n_pairs_:.1%}")
