"""What classifiers that are Bayesian networks of the class and the features share."""

from treatise._core.classifier import ProbabilityClassifier


class NetworkClassifier(ProbabilityClassifier):
    """A classifier of tables of anything, which has a network of its features and the class."""

    def _feature_names_beside(self, target):
        """Names of the features, or else their numbers; that of the class must be another."""
        names = list(getattr(self, "feature_names_in_", range(self.n_features_in_)))
        if target in names:
            raise ValueError(f"target={target!r} is also the name of a feature; choose another")
        return names

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
