"""Counts, entropies, discretisation and other statistics that many methods share."""

from treatise.statistics.bivariate_normal import bivariate_normal_cdf
from treatise.statistics.chain_diagnostics import effective_sample_size, split_r_hat
from treatise.statistics.code_lengths import integer_code_constant, log_star, subset_code_length
from treatise.statistics.concordance import concordance_index
from treatise.statistics.copula import copula_transform, normal_scores
from treatise.statistics.cubic_splines import OSullivanBasis, osullivan_basis
from treatise.statistics.density_grids import DensityGrids, kde_mutual_information, plug_in_bandwidths
from treatise.statistics.discretize import MDLDiscretizer
from treatise.statistics.entropy import (
    chao_shen_entropy,
    conditional_mutual_information,
    entropy,
    mutual_information,
    su_matrix,
    symmetrical_uncertainty,
)
from treatise.statistics.gauss_hermite import normal_expectation, normal_nodes
from treatise.statistics.geometric_median import geometric_median
from treatise.statistics.half_spaces import worst_case_accuracy
from treatise.statistics.isotonic_tree import isotonic_regression_on_tree
from treatise.statistics.merge_mixture import MergeGaussianMixture
from treatise.statistics.min_hash import MinHashPrevalence
from treatise.statistics.model_formula import FormulaColumns, ModelFormula, RandomPart, parse_formula
from treatise.statistics.neighbours import counts_within, neighbour_distances, neighbour_graph
from treatise.statistics.permutation import PermutationTest, permutation_test
from treatise.statistics.place_intervals import place_intervals
from treatise.statistics.polynomial_terms import PolynomialTerms, n_polynomial_terms
from treatise.statistics.predictive_intervals import (
    coverage_bounds,
    gives_intervals,
    interval_scores,
    predictive_intervals,
)
from treatise.statistics.rank_agreement import disagreement, kendall_distance, ndcg
from treatise.statistics.sampling import ChainPlan, Draws, EllipticalSlice, geweke_joint_test, run_chains, to_arviz
from treatise.statistics.scatter import scatter_m_estimate
from treatise.statistics.selection_stability import Stability, selection_stability
from treatise.statistics.streaming_covariance import StreamingCovariance
from treatise.statistics.subspaces import subspace_distance
from treatise.statistics.survival_curves import brier_curve, integrated_brier_score, kaplan_meier
from treatise.statistics.survival_times import martingale_residuals, survival_bounds
from treatise.statistics.time_windows import delay_windows
from treatise.statistics.trivariate_normal import trivariate_normal_cdf
from treatise.statistics.warping import dtw, dtw_pairwise
from treatise.statistics.weighted_chi2 import weighted_chi2_cdf, weighted_chi2_sf
from treatise.statistics.westfall_young import westfall_young

__all__ = [
    "ChainPlan",
    "DensityGrids",
    "Draws",
    "EllipticalSlice",
    "FormulaColumns",
    "MDLDiscretizer",
    "MergeGaussianMixture",
    "MinHashPrevalence",
    "ModelFormula",
    "OSullivanBasis",
    "PermutationTest",
    "PolynomialTerms",
    "RandomPart",
    "Stability",
    "StreamingCovariance",
    "bivariate_normal_cdf",
    "brier_curve",
    "chao_shen_entropy",
    "concordance_index",
    "conditional_mutual_information",
    "copula_transform",
    "counts_within",
    "coverage_bounds",
    "delay_windows",
    "disagreement",
    "dtw",
    "dtw_pairwise",
    "effective_sample_size",
    "entropy",
    "geometric_median",
    "geweke_joint_test",
    "gives_intervals",
    "integer_code_constant",
    "integrated_brier_score",
    "interval_scores",
    "isotonic_regression_on_tree",
    "kaplan_meier",
    "kde_mutual_information",
    "kendall_distance",
    "log_star",
    "martingale_residuals",
    "mutual_information",
    "n_polynomial_terms",
    "ndcg",
    "neighbour_distances",
    "neighbour_graph",
    "normal_expectation",
    "normal_nodes",
    "normal_scores",
    "osullivan_basis",
    "parse_formula",
    "permutation_test",
    "place_intervals",
    "plug_in_bandwidths",
    "predictive_intervals",
    "run_chains",
    "scatter_m_estimate",
    "selection_stability",
    "split_r_hat",
    "su_matrix",
    "subset_code_length",
    "subspace_distance",
    "survival_bounds",
    "symmetrical_uncertainty",
    "to_arviz",
    "trivariate_normal_cdf",
    "weighted_chi2_cdf",
    "weighted_chi2_sf",
    "westfall_young",
    "worst_case_accuracy",
]
