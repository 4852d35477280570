"""Rates and means of deals that come in matches.

Deals of one match share carried state and are not independent, so the match is the unit that is
counted: an estimate is a ratio of two sums over matches, and its variance that of the linearised
residuals (delta method; W. G. Cochran (1977), *Sampling Techniques*, sections 6.3 and 9A).
"""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjstats.errors import ArgumentError
from mjstats.stats.intervals import EXACT_BELOW, check_alpha, rate_interval

#: Below this many matches, batches of consecutive deals are the clusters.
MIN_CLUSTERS = 30
#: Method names of tables made from batches end in this.
BATCH_NOTE = ", batch means"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Clusters:
    """What the deals of a run are grouped by.

    Parameters
    ----------
    n : int
        Number of clusters.
    batches : bool
        True when they are batches of consecutive deals, False when they are the matches.
    n_deals : int
        Deals of the run.
    """

    n: int
    batches: bool
    n_deals: int

    @classmethod
    def choose(cls, *, n_matches: int, n_deals: int) -> Self:
        """Take the matches if there are at least 30 of them, else batches of consecutive deals.

        Parameters
        ----------
        n_matches, n_deals : int
            Size of the run.

        Returns
        -------
        Clusters
            Up to 30 batches, of ten deals or more where 100 deals allow it.
        """
        if n_matches >= MIN_CLUSTERS:
            return cls(n_matches, False, n_deals)
        return cls(min(max(n_deals // 10, 10), MIN_CLUSTERS, n_deals), True, n_deals)

    def ids(self, *, match: NDArray[np.integer], deal: NDArray[np.integer]) -> NDArray[np.int64]:
        """Cluster of each row.

        Parameters
        ----------
        match, deal : ndarray of int, shape (n,)
            Match and deal of each row, counted from the start of the run.

        Returns
        -------
        ndarray of int64, shape (n,)
            Cluster, from 0.
        """
        if self.batches:
            return deal.astype(np.int64) * self.n // self.n_deals
        return match.astype(np.int64)

    @property
    def suffix(self) -> str:
        """What a method name says besides the method: that batches were used, or nothing."""
        return BATCH_NOTE if self.batches else ""


@dataclass(frozen=True, slots=True)
class Rate:
    """Rates with standard errors and intervals; every field has one entry a cell.

    Parameters
    ----------
    k, n : ndarray of int64
        Events and trials.
    p, se : ndarray of float64
        Rate and its standard error by clusters; NaN without trials.
    n_effective : ndarray of float64
        Independent trials of the same information.
    ci_low, ci_high : ndarray of float64
        Interval; (0, 1) without trials.
    ci_method : ndarray of str
        Name of the interval's method.
    """

    k: NDArray[np.int64]
    n: NDArray[np.int64]
    p: Floats
    se: Floats
    n_effective: Floats
    ci_low: Floats
    ci_high: Floats
    ci_method: NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Mean:
    """Means with standard errors and intervals; every field has one entry a cell.

    Parameters
    ----------
    n : ndarray of int64
        Observations.
    mean, se : ndarray of float64
        Mean and its standard error by clusters; NaN where it cannot be told.
    ci_low, ci_high : ndarray of float64
        Student's interval; infinite where the standard error cannot be told.
    ci_method : ndarray of str
        Name of the interval's method.
    """

    n: NDArray[np.int64]
    mean: Floats
    se: Floats
    ci_low: Floats
    ci_high: Floats
    ci_method: NDArray[np.str_]


@dataclass(slots=True)
class Moments:
    """Count, mean and sum of squared deviations by group, added up chunk by chunk.

    Chunks are joined by the update of T. F. Chan, G. H. Golub and R. J. LeVeque (1983), so the
    variance is never the small difference of two large sums and never negative.

    Parameters
    ----------
    n_groups : int
        Number of groups.

    Examples
    --------
    >>> moments = Moments(1)
    >>> moments.add(np.array([0, 0]), np.array([1.0, 3.0]))
    >>> moments.add(np.array([0]), np.array([2.0]))
    >>> float(moments.mean[0]), float(moments.sd[0])
    (2.0, 1.0)
    """

    n_groups: int
    n: NDArray[np.int64] = field(init=False)
    mean: Floats = field(init=False)
    m2: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Start from no observation."""
        self.n = np.zeros(self.n_groups, dtype=np.int64)
        self.mean = np.zeros(self.n_groups)
        self.m2 = np.zeros(self.n_groups)

    def add(self, group: NDArray[np.integer], values: NDArray[np.number]) -> None:
        """Add a chunk.

        Parameters
        ----------
        group : ndarray of int, shape (n,)
            Group of each value, from 0.
        values : ndarray, shape (n,)
            The values.
        """
        n = np.bincount(group, minlength=self.n_groups)
        mean = sum_by(group, values, self.n_groups) / np.maximum(n, 1)
        m2 = sum_by(group, (values - mean[group]) ** 2, self.n_groups)
        total = np.maximum(self.n + n, 1)
        step = mean - self.mean
        self.m2 += m2 + step**2 * (self.n * (n / total))
        self.mean += step * (n / total)
        self.n += n

    @property
    def sd(self) -> Floats:
        """Standard deviation of the observations of each group; NaN below two of them."""
        degrees = np.where(self.n > 1, self.n - 1.0, np.nan)
        return np.sqrt(self.m2 / degrees)


def sum_by(group: NDArray[np.integer], values: NDArray[np.generic], n_groups: int) -> Floats:
    """Sum values by group.

    Parameters
    ----------
    group : ndarray of int, shape (n,)
        Group of each value, 0 to n_groups - 1.
    values : ndarray, shape (n,)
        The values.
    n_groups : int
        Number of groups.

    Returns
    -------
    ndarray of float64, shape (n_groups,)
        Sums.
    """
    return np.bincount(group, weights=values, minlength=n_groups).astype(np.float64)


def residual_variance(residuals: Floats) -> Floats:
    """Variance of a sum of residuals of independent clusters.

    Parameters
    ----------
    residuals : ndarray of float64, shape (g, c)
        Linearised residuals of g clusters for c cells, each column summing to zero.

    Returns
    -------
    ndarray of float64, shape (c,)
        g / (g - 1) times the sum of squares; NaN for fewer than two clusters.
    """
    g = len(residuals)
    squares = np.einsum("gc,gc->c", residuals, residuals)
    return squares * (g / (g - 1)) if g > 1 else np.full(squares.shape, np.nan)


def _cells(sums: ArrayLike, sizes: ArrayLike) -> tuple[Floats, Floats]:
    """Bring cluster sums and cluster sizes to the shape (clusters, cells)."""
    top = np.asarray(sums, dtype=np.float64)
    base = np.asarray(sizes, dtype=np.float64)
    top = top[:, None] if top.ndim == 1 else top
    base = base[:, None] if base.ndim == 1 else base
    if top.ndim != 2 or base.ndim != 2 or len(top) != len(base):
        raise ArgumentError(
            f"cluster sums of shape {np.shape(sums)} and sizes of shape {np.shape(sizes)}: "
            "(clusters,) or (clusters, cells) are expected, with equally many clusters"
        )
    return top, np.broadcast_to(base, top.shape)


def ratio(sums: ArrayLike, sizes: ArrayLike) -> tuple[Floats, Floats]:
    """Ratio of two sums over clusters, with its standard error by the delta method.

    Parameters
    ----------
    sums : array_like, shape (g,) or (g, c)
        Sum of the quantity in each of g clusters, for c cells.
    sizes : array_like, shape (g,) or (g, c)
        What it is related to (deals, wins, …) in each cluster.

    Returns
    -------
    value, se : ndarray of float64, shape (c,)
        Ratio and standard error; NaN where the denominator is zero, the standard error also for
        fewer than two clusters.

    Examples
    --------
    >>> value, se = ratio([1, 2, 3], [2, 4, 6])
    >>> float(value[0]), float(se[0])
    (0.5, 0.0)
    """
    value, residuals = linearised(sums, sizes)
    return value, np.sqrt(residual_variance(residuals))


def linearised(sums: ArrayLike, sizes: ArrayLike) -> tuple[Floats, Floats]:
    """Ratio of two sums over clusters, and what each cluster adds to its deviation.

    Parameters
    ----------
    sums, sizes : array_like, shape (g,) or (g, c)
        As in :func:`ratio`.

    Returns
    -------
    value : ndarray of float64, shape (c,)
        Ratio; NaN where the denominator is zero.
    residuals : ndarray of float64, shape (g, c)
        (sum - value * size) / total size of each cluster.
    """
    top, base = _cells(sums, sizes)
    total = base.sum(axis=0)
    total[total == 0] = np.nan
    value = top.sum(axis=0) / total
    return value, (top - value * base) / total


def student_interval(centre: Floats, se: Floats, *, g: int, alpha: float) -> tuple[Floats, Floats]:
    """Student's interval with g - 1 degrees of freedom.

    Parameters
    ----------
    centre, se : ndarray of float64
        Estimates and standard errors.
    g : int
        Number of clusters.
    alpha : float
        Error rate of both sides together.

    Returns
    -------
    low, high : ndarray of float64
        Bounds; infinite where the standard error cannot be told.
    """
    from scipy import special

    t = -float(special.stdtrit(g - 1, check_alpha(alpha) / 2)) if g > 1 else np.inf
    half = np.where(np.isnan(se), np.inf, t * se)
    centre = np.nan_to_num(centre)
    return centre - half, centre + half


def _squared_quantile_ratio(g: int, alpha: float) -> float:
    """Give (normal / Student's t)^2 at g - 1 degrees of freedom: how much few clusters weigh."""
    from scipy import special

    if g < 2:
        return 1.0
    return float((special.ndtri(alpha / 2) / special.stdtrit(g - 1, alpha / 2)) ** 2)


def clustered_rate(k: ArrayLike, n: ArrayLike, *, alpha: float = 0.05, suffix: str = "") -> Rate:
    """Rates of events that come in clusters.

    The interval is that of :func:`mjstats.stats.intervals.rate_interval` for the effective number
    of trials, p (1 - p) / se^2 (E. L. Korn and B. I. Graubard (1998), Survey Methodology 24,
    193-201), lowered by (z / t)^2 because the standard error itself is an estimate.

    Parameters
    ----------
    k : array_like of int, shape (g,) or (g, c)
        Events in each of g clusters, for c cells.
    n : array_like of int, shape (g,) or (g, c)
        Trials in each cluster, k <= n.
    alpha : float, default 0.05
        Error rate of both sides of each interval together.
    suffix : str, optional
        Appended to the names of the methods.

    Returns
    -------
    Rate
        One entry a cell. With fewer than two clusters, and where no event (or nothing but events)
        was seen, clustering cannot be told and the trials count as independent. Below ten events
        (or non-events) an effective number above n is not believed.

    Raises
    ------
    ArgumentError
        If shapes, counts or alpha are not allowed.

    Examples
    --------
    >>> rate = clustered_rate([0, 0, 0], [10, 10, 10])
    >>> print(f"{rate.p[0]:.1f} [{rate.ci_low[0]:.1f}, {rate.ci_high[0]:.4f}] {rate.ci_method[0]}")
    0.0 [0.0, 0.1157] clopper-pearson
    """
    check_alpha(alpha)
    events, trials = _cells(k, n)
    p, se = ratio(events, trials)
    k_all, n_all = events.sum(axis=0), trials.sum(axis=0)
    binomial = p * (1 - p)
    told = (binomial > 0) & (se > 0)
    n_effective = np.divide(binomial, se**2, out=n_all.copy(), where=told)
    rare = (k_all < EXACT_BELOW) | (n_all - k_all < EXACT_BELOW)
    n_effective = np.where(rare, np.minimum(n_effective, n_all), n_effective)
    # An exact fit in every cluster (se = 0 although 0 < p < 1) is chance, not certainty.
    n_effective *= np.where(told, _squared_quantile_ratio(len(events), alpha), 1.0)
    independent = np.sqrt(np.divide(binomial, n_all, out=np.full_like(p, np.nan), where=n_all > 0))
    low, high, method = rate_interval(k_all, n_all, n_effective=n_effective, alpha=alpha)
    return Rate(
        k=k_all.astype(np.int64),
        n=n_all.astype(np.int64),
        p=p,
        se=np.where(told, se, independent),
        n_effective=n_effective,
        ci_low=low,
        ci_high=high,
        ci_method=np.strings.add(method, suffix),
    )


def clustered_mean(
    total: ArrayLike, n: ArrayLike, *, alpha: float = 0.05, suffix: str = ""
) -> Mean:
    """Means of observations that come in clusters.

    Parameters
    ----------
    total : array_like, shape (g,) or (g, c)
        Sum of the observations in each of g clusters, for c cells.
    n : array_like of int, shape (g,) or (g, c)
        Observations in each cluster.
    alpha : float, default 0.05
        Error rate of both sides of each interval together.
    suffix : str, optional
        Appended to the name of the method.

    Returns
    -------
    Mean
        One entry a cell, with Student's interval of g - 1 degrees of freedom.

    Raises
    ------
    ArgumentError
        If shapes or alpha are not allowed.

    Examples
    --------
    >>> mean = clustered_mean([4, 6, 8], [2, 2, 2])
    >>> print(f"{mean.mean[0]:.1f} ± {mean.se[0]:.4f}")
    3.0 ± 0.5774
    """
    sums, sizes = _cells(total, n)
    mean, se = ratio(sums, sizes)
    low, high = student_interval(mean, se, g=len(sums), alpha=alpha)
    return Mean(
        n=sizes.sum(axis=0).astype(np.int64),
        mean=mean,
        se=se,
        ci_low=low,
        ci_high=high,
        ci_method=np.full(mean.shape, f"t{suffix}"),
    )
