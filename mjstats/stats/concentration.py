"""How unequally amounts are spread: the Gini coefficient."""

import numpy as np
from numpy.typing import ArrayLike

from mjstats.errors import ArgumentError
from mjstats.stats.clustered import Floats


def gini(values: ArrayLike, counts: ArrayLike) -> Floats:
    """Gini coefficient of amounts that are given by how often each occurs.

    Parameters
    ----------
    values : array_like, shape (v,)
        Amounts, ascending, none below zero.
    counts : array_like, shape (v,) or (n, v)
        How often each occurs; several rows are several samples.

    Returns
    -------
    ndarray of float64, shape () or (n,)
        Mean difference of two amounts drawn with replacement, over twice their mean: 0 if all are
        equal, (m - 1) / m if one of m has everything. NaN if the amounts sum to nothing.

    Raises
    ------
    ArgumentError
        If the values do not ascend from zero or more, or counts have another shape.

    Notes
    -----
    C. Gini (1914), Atti del R. Istituto Veneto 73, 1203-1248; as the area between the Lorenz curve
    and the diagonal over that below the diagonal.

    Examples
    --------
    >>> float(gini([0, 1], [3, 1])), float(gini([5], [10]))
    (0.75, 0.0)
    """
    x, c = np.asarray(values, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if x.ndim != 1 or c.ndim not in (1, 2) or c.shape[-1] != len(x):
        raise ArgumentError(f"values of shape {x.shape} and counts of {c.shape}: one a value")
    if (x < 0).any() or (np.diff(x) <= 0).any():
        raise ArgumentError("values: ascending numbers from zero on are expected")
    n, total = c.sum(axis=-1), c @ x
    # Each pair of values differs once either way: weigh x by how many lie below less above.
    below_less_above = 2 * np.cumsum(c, axis=-1) - c - n[..., None]
    spread = (c * below_less_above) @ x
    total = np.where(total > 0, total, np.nan)
    return np.asarray(spread / (n * total))
