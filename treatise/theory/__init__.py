"""What theory says about your numbers: bounds, dimensions, honest error bars."""

from treatise.optimize import two_sat
from treatise.theory.best_of_many import ComparisonsWithBest, comparisons_with_best
from treatise.theory.corrected_resampling import (
    CorrectedInterval,
    CorrectedTest,
    corrected_interval,
    corrected_ttest,
)
from treatise.theory.cv_covariance import (
    CVEigenvalues,
    cv_covariance_matrix,
    cv_eigenvalues,
    cv_variance,
    feasible_gamma,
)
from treatise.theory.cv_losses import CVLosses, cross_val_losses, jackknife_losses
from treatise.theory.cv_report import CVVarianceReport, cv_variance_report
from treatise.theory.five_by_two import FiveByTwoTest, five_by_two_test
from treatise.theory.holdout import HoldoutVariance, holdout_variance
from treatise.theory.multiplicity import holm
from treatise.theory.teaching import (
    TEACHING_MODELS,
    ConceptClass,
    Learner,
    Teacher,
    TeachingResult,
    TeachingRows,
    half_class,
    interval_class,
    monomial_class,
    or_dnf_class,
    pair_class,
    plot_teaching,
    powerset_class,
    singleton_class,
    teaching_rows,
    threshold_class,
)
from treatise.theory.threshold_neurons import (
    NeuronComplexity,
    SampleMeasures,
    ThresholdNeuron,
    fit_threshold_neuron,
    neuron_complexity,
    sample_measures,
    sample_of_one_in_three,
    sample_of_vertex_cover,
)

__all__ = [
    "TEACHING_MODELS",
    "CVEigenvalues",
    "CVLosses",
    "CVVarianceReport",
    "ComparisonsWithBest",
    "ConceptClass",
    "CorrectedInterval",
    "CorrectedTest",
    "FiveByTwoTest",
    "HoldoutVariance",
    "Learner",
    "NeuronComplexity",
    "SampleMeasures",
    "Teacher",
    "TeachingResult",
    "TeachingRows",
    "ThresholdNeuron",
    "comparisons_with_best",
    "corrected_interval",
    "corrected_ttest",
    "cross_val_losses",
    "cv_covariance_matrix",
    "cv_eigenvalues",
    "cv_variance",
    "cv_variance_report",
    "feasible_gamma",
    "fit_threshold_neuron",
    "five_by_two_test",
    "half_class",
    "holdout_variance",
    "holm",
    "interval_class",
    "jackknife_losses",
    "monomial_class",
    "neuron_complexity",
    "or_dnf_class",
    "pair_class",
    "plot_teaching",
    "powerset_class",
    "sample_measures",
    "sample_of_one_in_three",
    "sample_of_vertex_cover",
    "singleton_class",
    "teaching_rows",
    "threshold_class",
    "two_sat",
]
