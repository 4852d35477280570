"""Standard errors of whatever is computed from sums: the delete-a-group jackknife."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from mjstats.errors import ArgumentError
from mjstats.stats.clustered import Floats


def jackknife(parts: ArrayLike, statistic: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Statistic of the sum of independent groups, with its standard error.

    Parameters
    ----------
    parts : array_like, shape (g, k)
        What each of g groups adds to k sums. Groups should be about equally large.
    statistic : callable
        Smooth function of sums, (n, k), to values, (n, c), row by row; NaN where it is not defined.

    Returns
    -------
    value, se : ndarray of float64, shape (c,)
        Statistic of all groups, and the root of (g - 1) / g times the sum of squares of what it is
        without each group, about their mean; NaN below two groups, and where the statistic is not
        defined without one of them.

    Raises
    ------
    ArgumentError
        If the parts are not of the shape (groups, sums).

    Notes
    -----
    K. M. Wolter (2007), *Introduction to Variance Estimation*, chapter 4; for the Gini coefficient
    S. Yitzhaki (1991), J. Bus. Econ. Stat. 9, 235-239.

    Examples
    --------
    >>> value, se = jackknife([[1, 2], [2, 2], [6, 2]], lambda sums: sums[:, :1] / sums[:, 1:])
    >>> print(f"{value[0]:.2f} ± {se[0]:.4f}")
    1.50 ± 0.7638
    """
    sums = np.asarray(parts, dtype=np.float64)
    if sums.ndim != 2:
        raise ArgumentError(f"parts of shape {sums.shape}: (groups, sums) is expected")
    g, total = len(sums), sums.sum(axis=0)
    value = statistic(total[None])[0]
    if g < 2:
        return value, np.full(value.shape, np.nan)
    without = statistic(total - sums)
    squares = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    return value, np.sqrt((g - 1) / g * squares)
