"""Differences between two runs that played the same walls.

Runs of one seed share the wall of every (match, deal), so what the matches of the same number have
in common cancels in the difference of two estimates.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mjstats.errors import ArgumentError
from mjstats.stats.clustered import Floats, linearised, residual_variance, student_interval


@dataclass(frozen=True, slots=True)
class Difference:
    """Differences "b minus a" of ratios; every field has one entry a cell.

    Parameters
    ----------
    a, b : ndarray of float64
        Both estimates.
    difference, se : ndarray of float64
        b - a and its standard error by pairs of clusters.
    se_unpaired : ndarray of float64
        Standard error that the same numbers would have without pairing.
    ci_low, ci_high : ndarray of float64
        Student's interval; infinite where the standard error cannot be told.
    """

    a: Floats
    b: Floats
    difference: Floats
    se: Floats
    se_unpaired: Floats
    ci_low: Floats
    ci_high: Floats


def paired_difference(
    sums_a: ArrayLike,
    sizes_a: ArrayLike,
    sums_b: ArrayLike,
    sizes_b: ArrayLike,
    *,
    alpha: float = 0.05,
) -> Difference:
    """Difference of two ratios over the same clusters.

    Parameters
    ----------
    sums_a, sums_b : array_like, shape (g,) or (g, c)
        Sum of the quantity in each of g clusters under a and under b, for c cells.
    sizes_a, sizes_b : array_like, shape (g,) or (g, c)
        What it is related to (deals, wins, …); may differ between a and b.
    alpha : float, default 0.05
        Error rate of both sides of each interval together.

    Returns
    -------
    Difference
        One entry a cell.

    Raises
    ------
    ArgumentError
        If the numbers of clusters or cells differ, or alpha is not allowed.

    Examples
    --------
    >>> d = paired_difference([1, 5, 3], [2, 2, 2], [2, 6, 4], [2, 2, 2])
    >>> print(f"{d.difference[0]:.2f} ± {d.se[0]:.2f} (unpaired ± {d.se_unpaired[0]:.2f})")
    0.50 ± 0.00 (unpaired ± 0.82)
    """
    a, residuals_a = linearised(sums_a, sizes_a)
    b, residuals_b = linearised(sums_b, sizes_b)
    if residuals_a.shape != residuals_b.shape:
        raise ArgumentError(
            f"pairs of {residuals_a.shape} and {residuals_b.shape} (clusters, cells): "
            "both sides need the same clusters and cells"
        )
    se = np.sqrt(residual_variance(residuals_b - residuals_a))
    low, high = student_interval(b - a, se, g=len(residuals_a), alpha=alpha)
    return Difference(
        a=a,
        b=b,
        difference=b - a,
        se=se,
        se_unpaired=np.sqrt(residual_variance(residuals_a) + residual_variance(residuals_b)),
        ci_low=low,
        ci_high=high,
    )
