"""The two losses as scale mixtures of Gaussians: what each says of a document's score, given the scales.

The pseudo-likelihood of a document is exp(-2 c loss). Given its scales it is Gaussian in the score s = eta' z, so that
all the sampler needs is its pull and precision: exp(pull s - precision s^2 / 2) up to a constant.
"""

import numpy as np

from treatise.bayes.gibbs_medlda._loops import draw_scales


class HingeLoss:
    """max(0, margin - y s) for labels y of -1 and 1, several of them where there are several tasks (Lemma 2).

    Parameters
    ----------
    signs : ndarray of shape (n_documents, n_tasks)
        Labels -1 and 1.
    cost : float
        The paper's c.
    margin : float
        The paper's l, which a score should reach on its side.
    """

    def __init__(self, signs, cost, margin):
        self.signs, self.cost, self.margin = signs, cost, margin
        self.scales = np.ones(signs.shape)

    def gaussian(self):
        """Pull and precision of each document and task given the scales.

        Equations 11 and 23 of the paper lack the factor c before y; it follows from equation 10, and is one for c = 1.
        """
        pull = self.cost * self.signs * (1.0 + self.cost * self.margin / self.scales)
        return pull, self.cost**2 / self.scales

    def draw_scales(self, rng, scores):
        """Draw the scales given the scores (equations 12 and 24)."""
        draw_scales(rng, self.cost * (self.margin - self.signs * scores), self.scales)

    def of(self, scores):
        """Mean loss of a document, in units of the margin, over all tasks."""
        return float(np.mean(np.maximum(0.0, self.margin - self.signs * scores)) / self.margin)


class InsensitiveLoss:
    """max(0, abs(y - s) - epsilon): a sum of two hinges, each with a scale of its own (Lemma 5).

    Parameters
    ----------
    numbers : ndarray of shape (n_documents, 1)
        Targets.
    cost : float
        The paper's c.
    epsilon : float
        Errors up to this cost nothing.
    """

    def __init__(self, numbers, cost, epsilon):
        self.numbers, self.cost, self.epsilon = numbers, cost, epsilon
        self.above, self.below = np.ones(numbers.shape), np.ones(numbers.shape)

    def gaussian(self):
        """Pull and precision of each document given the scales.

        Equations 17 and 18 of the paper have c before psi where c^2 belongs, as their first lines show.
        """
        pull = (self.numbers - self.epsilon) / self.above + (self.numbers + self.epsilon) / self.below
        return self.cost**2 * pull, self.cost**2 * (1.0 / self.above + 1.0 / self.below)

    def draw_scales(self, rng, scores):
        """Draw both scales of each document given the scores (equations 19 and 20)."""
        residuals = self.numbers - scores
        draw_scales(rng, self.cost * (residuals - self.epsilon), self.above)
        draw_scales(rng, self.cost * (residuals + self.epsilon), self.below)

    def of(self, scores):
        """Mean loss of a document, in the units of the targets."""
        return float(np.mean(np.maximum(0.0, np.abs(self.numbers - scores) - self.epsilon)))
