"""Optimisation machinery: losses, penalties, projections, solvers."""

from treatise.optimize.admm import ADMMSolution, minimize_on_subspace
from treatise.optimize.block_arrow import ArrowFactor, BlockArrow
from treatise.optimize.bordered_newton import KernelNewtonSolution, minimize_kernel_newton
from treatise.optimize.box_quadratic import minimize_box_quadratic
from treatise.optimize.cholesky_updates import (
    cholesky_append,
    cholesky_delete,
    cholesky_downdate,
    cholesky_update,
)
from treatise.optimize.covariance_selection import covariance_selection
from treatise.optimize.enclosing_ellipsoid import EnclosingEllipsoid, minimum_volume_ellipsoid
from treatise.optimize.evolution import SNES, XNES, EvolutionStrategy, load_search, nes_utilities
from treatise.optimize.feedback_arc import ArcOrder, feedback_arc_order
from treatise.optimize.forward_selection import ForwardSelection
from treatise.optimize.graphical_lasso import (
    GraphicalLassoSolution,
    graphical_lasso_penalty_limit,
    logdet_prox,
    solve_graphical_lasso,
)
from treatise.optimize.group import (
    GroupLassoSolution,
    GroupMultinomialSolution,
    group_lasso_path,
    group_logistic_path,
    group_penalty_limit,
    solve_group_multinomial_columns,
)
from treatise.optimize.hitting_sets import (
    TooManySetsError,
    greedy_hitting_set,
    minimal_masks,
    minimum_hitting_sets,
)
from treatise.optimize.kernel_quadratic import minimize_kernel_quadratic
from treatise.optimize.l1 import (
    ConeMarginSolution,
    L1ConstrainedPath,
    L1LogisticSolution,
    L1Path,
    NormCondition,
    l1_constrained_path,
    l1_constraint_paths,
    minimize_l1_cone_margin,
    solve_l1_logistic,
    solve_l1_logistic_columns,
)
from treatise.optimize.lbfgs import LBFGSState, least_subgradient, minimize_lbfgs
from treatise.optimize.losses import (
    AbsoluteLoss,
    EpsilonInsensitiveLoss,
    ExponentialLoss,
    HingeLoss,
    HuberHingeLoss,
    HuberLoss,
    KinkedLoss,
    LogisticLoss,
    Loss,
    ModifiedHuberLoss,
    PoissonLoss,
    QuantileLoss,
    ScaledLoss,
    SmoothHingeLoss,
    SquaredHingeLoss,
    SquaredLoss,
    make_loss,
)
from treatise.optimize.low_rank_curvature import LowRankCurvature
from treatise.optimize.many_lbfgs import ManyMinima, minimize_many_lbfgs
from treatise.optimize.nnls import nonnegative_kkt_residual, nonnegative_least_squares
from treatise.optimize.observed_factors import ObservedFactors, factorize_observed, factorize_signs
from treatise.optimize.parametric_simplex import LPPath, parametric_simplex
from treatise.optimize.partition_bound import PartitionBound, log_partition_bound
from treatise.optimize.partition_bound_plot import plot_log_partition_bound
from treatise.optimize.penalties import (
    BoxConstraint,
    ColumnNormPenalty,
    GroupPenalty,
    L1Penalty,
    L2Penalty,
    NonnegativeL1Penalty,
    NuclearPenalty,
    Penalty,
    project_columns_on_l1_ball,
    prox_column_norms,
    singular_value_threshold,
    soft_threshold,
)
from treatise.optimize.posterior_projection import PosteriorProjection, posterior_projection
from treatise.optimize.projections import (
    hoyer_sparseness,
    l1_of_unit_vector,
    project_l1_l2,
    project_sparseness,
)
from treatise.optimize.riemannian import armijo_step, q_factor
from treatise.optimize.separating_plane import separating_plane
from treatise.optimize.simplices import project_capped_simplex
from treatise.optimize.sparse_cholesky import CholeskyPlan, SelectedInverse, SparseCholesky, fill_reducing_order
from treatise.optimize.sparse_low_rank import SparseLowRank, denoise_sparse_low_rank
from treatise.optimize.stepwise import StepwiseResult, StepwiseStep, stepwise_regression
from treatise.optimize.successive_projection import SuccessiveProjection, successive_projection
from treatise.optimize.svm import (
    SVMDualProblem,
    SVMDualSolution,
    SVMStart,
    SVMWithoutOffsetSolution,
    solve_svm_dual,
    solve_svm_without_offset,
    svm_without_offset_path,
    warm_start,
)
from treatise.optimize.transport import PairTransport, TransportSolution, solve_transport
from treatise.optimize.two_sat import two_sat

__all__ = [
    "SNES",
    "XNES",
    "ADMMSolution",
    "AbsoluteLoss",
    "ArcOrder",
    "ArrowFactor",
    "BlockArrow",
    "BoxConstraint",
    "CholeskyPlan",
    "ColumnNormPenalty",
    "ConeMarginSolution",
    "EnclosingEllipsoid",
    "EpsilonInsensitiveLoss",
    "EvolutionStrategy",
    "ExponentialLoss",
    "ForwardSelection",
    "GraphicalLassoSolution",
    "GroupLassoSolution",
    "GroupMultinomialSolution",
    "GroupPenalty",
    "HingeLoss",
    "HuberHingeLoss",
    "HuberLoss",
    "KernelNewtonSolution",
    "KinkedLoss",
    "L1ConstrainedPath",
    "L1LogisticSolution",
    "L1Path",
    "L1Penalty",
    "L2Penalty",
    "LBFGSState",
    "LPPath",
    "LogisticLoss",
    "Loss",
    "LowRankCurvature",
    "ManyMinima",
    "ModifiedHuberLoss",
    "NonnegativeL1Penalty",
    "NormCondition",
    "NuclearPenalty",
    "ObservedFactors",
    "PairTransport",
    "PartitionBound",
    "Penalty",
    "PoissonLoss",
    "PosteriorProjection",
    "QuantileLoss",
    "SVMDualProblem",
    "SVMDualSolution",
    "SVMStart",
    "SVMWithoutOffsetSolution",
    "ScaledLoss",
    "SelectedInverse",
    "SmoothHingeLoss",
    "SparseCholesky",
    "SparseLowRank",
    "SquaredHingeLoss",
    "SquaredLoss",
    "StepwiseResult",
    "StepwiseStep",
    "SuccessiveProjection",
    "TooManySetsError",
    "TransportSolution",
    "armijo_step",
    "cholesky_append",
    "cholesky_delete",
    "cholesky_downdate",
    "cholesky_update",
    "covariance_selection",
    "denoise_sparse_low_rank",
    "factorize_observed",
    "factorize_signs",
    "feedback_arc_order",
    "fill_reducing_order",
    "graphical_lasso_penalty_limit",
    "greedy_hitting_set",
    "group_lasso_path",
    "group_logistic_path",
    "group_penalty_limit",
    "hoyer_sparseness",
    "l1_constrained_path",
    "l1_constraint_paths",
    "l1_of_unit_vector",
    "least_subgradient",
    "load_search",
    "log_partition_bound",
    "logdet_prox",
    "make_loss",
    "minimal_masks",
    "minimize_box_quadratic",
    "minimize_kernel_newton",
    "minimize_kernel_quadratic",
    "minimize_l1_cone_margin",
    "minimize_lbfgs",
    "minimize_many_lbfgs",
    "minimize_on_subspace",
    "minimum_hitting_sets",
    "minimum_volume_ellipsoid",
    "nes_utilities",
    "nonnegative_kkt_residual",
    "nonnegative_least_squares",
    "parametric_simplex",
    "plot_log_partition_bound",
    "posterior_projection",
    "project_capped_simplex",
    "project_columns_on_l1_ball",
    "project_l1_l2",
    "project_sparseness",
    "prox_column_norms",
    "q_factor",
    "separating_plane",
    "singular_value_threshold",
    "soft_threshold",
    "solve_graphical_lasso",
    "solve_group_multinomial_columns",
    "solve_l1_logistic",
    "solve_l1_logistic_columns",
    "solve_svm_dual",
    "solve_svm_without_offset",
    "solve_transport",
    "stepwise_regression",
    "successive_projection",
    "svm_without_offset_path",
    "two_sat",
    "warm_start",
]
