"""What parameters of the estimators may be, and what their defaults stand for."""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval

from treatise.information._estimator import Estimator, named
from treatise.kernels import Gaussian, Kernel, median_gamma

NEIGHBOURS = [Interval(Integral, 1, None, closed="left")]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
POSITIVE_OR_NONE = [*POSITIVE, None]
COUNT = [Interval(Integral, 1, None, closed="left")]
COUNT_OR_NONE = [*COUNT, None]
SHARE = [Interval(Real, 0, 1, closed="neither")]
TOLERANCE = [Interval(Real, 0, 1, closed="left")]
KERNEL = [Kernel, None]
MEMBER = [Estimator, str, None]
SEED = ["random_state"]


def order_of(alpha, name="alpha"):
    """The order of a Renyi-type quantity, which is Shannon's at one."""
    if alpha == 1:
        raise ValueError(f"{name}=1 is the limit that Shannon's quantity is; take that, or another order such as 0.99")
    return float(alpha)


def member_of(quantity, member, default):
    """The estimator that another is built from: an object, a name, or the usual one."""
    return named(quantity, default if member is None else member, {})


def kernel_or_gaussian(kernel, X):
    """The kernel given, or the Gaussian one with the width of the median distance of two rows."""
    return Gaussian(median_gamma(X)) if kernel is None else kernel
