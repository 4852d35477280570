"""Many intervals at once: the error rate that each may have so that all hold together."""

from typing import Literal

import numpy as np

from mjstats.errors import ArgumentError, quoted
from mjstats.stats.intervals import check_alpha

Method = Literal["bonferroni", "sidak"]


def alpha_each(alpha: float, *, m: int, method: Method = "bonferroni") -> float:
    """Error rate of one interval among several, so that all hold together with 1 - alpha.

    Parameters
    ----------
    alpha : float
        Error rate of the whole family.
    m : int
        Number of intervals in the family, at least 1.
    method : {"bonferroni", "sidak"}, default "bonferroni"
        Bonferroni (alpha / m) holds under any dependence; Šidák (1 - (1 - alpha)^(1/m)) is a trifle
        narrower and holds for independent and for jointly normal estimates.

    Returns
    -------
    float
        Error rate of each.

    Raises
    ------
    ArgumentError
        If alpha, m or the method is not allowed.

    Examples
    --------
    >>> print(f"{alpha_each(0.05, m=20):.5f} {alpha_each(0.05, m=20, method='sidak'):.5f}")
    0.00250 0.00256
    """
    check_alpha(alpha)
    if m < 1:
        raise ArgumentError(f"m={quoted(m)}: at least 1 interval is expected")
    if method == "bonferroni":
        return alpha / m
    if method == "sidak":
        return float(-np.expm1(np.log1p(-alpha) / m))
    raise ArgumentError(f"method={quoted(method)}: allowed are 'bonferroni', 'sidak'")
