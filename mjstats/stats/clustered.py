"""Rates and means of deals that come in matches.

Deals of one match share carried state and are not independent, so the match is the unit that is
counted: an estimate is a ratio of two sums over matches, and its variance that of the linearised
residuals (delta method; W. G. Cochran (1977), *Sampling Techniques*, sections 6.3 and 9A).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjstats.errors import ArgumentError
from mjstats.stats.intervals import EXACT_BELOW, check_alpha, check_counts, rate_interval

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
    mean : ndarray of float64
        Mean; NaN without observations.
    se : ndarray of float64
        Standard error of the mean by clusters; NaN where it cannot be told.
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
    events, trials = _cells(k, n)
    return rate_of(
        events.sum(axis=0),
        trials.sum(axis=0),
        se=ratio(events, trials)[1],
        g=len(events),
        alpha=alpha,
        suffix=suffix,
    )


def rate_of(
    k: NDArray[np.generic],
    n: NDArray[np.generic],
    *,
    se: Floats,
    g: int,
    alpha: float = 0.05,
    suffix: str = "",
) -> Rate:
    """Rates from their counts and standard errors by clusters; see `clustered_rate`.

    Parameters
    ----------
    k, n : ndarray of int
        Events and trials.
    se : ndarray of float64
        Standard errors by clusters.
    g : int
        Number of clusters.
    alpha : float, default 0.05
        Error rate of both sides of each interval together.
    suffix : str, optional
        Appended to the names of the methods.

    Returns
    -------
    Rate
        In the shape of k.
    """
    check_alpha(alpha)
    events, trials = check_counts(k, n)
    some = np.where(trials > 0, trials, np.nan)
    p = events / some
    binomial = p * (1 - p)
    told = (binomial > 0) & (se > 0)
    n_effective = np.divide(binomial, se**2, out=trials.copy(), where=told)
    rare = (events < EXACT_BELOW) | (trials - events < EXACT_BELOW)
    n_effective = np.where(rare, np.minimum(n_effective, trials), n_effective)
    n_effective *= np.where(told, _squared_quantile_ratio(g, alpha), 1.0)
    low, high, method = rate_interval(events, trials, n_effective=n_effective, alpha=alpha)
    return Rate(
        k=events.astype(np.int64),
        n=trials.astype(np.int64),
        p=p,
        # An exact fit in every cluster (se = 0 although 0 < p < 1) is chance, not certainty.
        se=np.where(told, se, np.sqrt(binomial / some)),
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
    return mean_of(mean, sizes.sum(axis=0), se=se, g=len(sums), alpha=alpha, suffix=suffix)


def mean_of(
    mean: Floats,
    n: NDArray[np.generic],
    *,
    se: Floats,
    g: int,
    alpha: float = 0.05,
    suffix: str = "",
) -> Mean:
    """Means with intervals from standard errors by clusters; see `clustered_mean`.

    Parameters
    ----------
    mean : ndarray of float64
        Means.
    n : ndarray of int
        Observations.
    se : ndarray of float64
        Standard errors by clusters.
    g : int
        Number of clusters.
    alpha : float, default 0.05
        Error rate of both sides of each interval together.
    suffix : str, optional
        Appended to the name of the method.

    Returns
    -------
    Mean
        In the shape of mean.
    """
    low, high = student_interval(mean, se, g=g, alpha=alpha)
    return Mean(
        n=n.astype(np.int64),
        mean=mean,
        se=se,
        ci_low=low,
        ci_high=high,
        ci_method=np.full(mean.shape, f"t{suffix}"),
    )


class WholeClusters:
    """Rows in the order of their clusters, handed on cluster by cluster.

    The last cluster waits until rows of a later one come, because more of it may follow.
    """

    def __init__(self) -> None:
        self._waiting: tuple[NDArray[Any], ...] = ()

    def take(self, cluster: NDArray[np.integer], *columns: NDArray[Any]) -> list[NDArray[Any]]:
        """Take rows and give those that are complete.

        Parameters
        ----------
        cluster : ndarray of int, shape (n,)
            Cluster of each row, none below the greatest one taken before.
        *columns : ndarray, shape (n, …)
            What goes with the rows.

        Returns
        -------
        list of ndarray
            Cluster and columns of the rows of complete clusters; rows that waited stand first.
        """
        rows: list[NDArray[Any]] = [cluster.astype(np.int64), *columns]
        if self._waiting:
            rows = [np.concatenate(pair) for pair in zip(self._waiting, rows, strict=True)]
        last = rows[0] == rows[0].max(initial=-1)
        self._waiting = tuple(column[last] for column in rows)
        return [column[~last] for column in rows]

    def rest(self) -> tuple[NDArray[Any], ...]:
        """Give the rows that wait, if any were ever taken; none wait any more."""
        rows, self._waiting = self._waiting, ()
        return rows


class RatioSums:
    """Sums over clusters that are enough for ratios, means and their variances.

    Rows are added in the order of their clusters, in parts of any length; nothing is kept but whole
    numbers by group, so a run of any length fits. The numbers are Python's: exact, so that a
    variance is never a small difference of rounded sums, and never negative.

    Parameters
    ----------
    n_columns : int
        Quantities a row.
    n_groups : int, default 0
        Groups that there are even without rows.

    Examples
    --------
    >>> sums = RatioSums(1)
    >>> sums.add(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([[1], [0], [0]]))
    >>> rate = sums.rates(g=2)
    >>> int(rate.k[0, 0]), int(rate.n[0, 0])
    (1, 3)
    """

    def __init__(self, n_columns: int, *, n_groups: int = 0) -> None:
        self.n_columns = n_columns
        nothing = np.zeros((n_groups, n_columns), dtype=object)
        self._rows, self._rows2 = nothing[:, :1], nothing[:, :1]
        self._top, self._top2, self._cross, self._squares = (nothing.copy() for _ in range(4))
        self._clusters = WholeClusters()

    def add(
        self,
        cluster: NDArray[np.integer],
        group: NDArray[np.integer],
        tops: NDArray[np.generic],
    ) -> None:
        """Add rows.

        Parameters
        ----------
        cluster : ndarray of int, shape (n,)
            Cluster of each row, none below the greatest one added before.
        group : ndarray of int, shape (n,)
            Group of each row, from 0.
        tops : ndarray of int or bool, shape (n, n_columns)
            The quantities, whole numbers.
        """
        self._take(*self._clusters.take(cluster, group.astype(np.int64), tops))

    def close(self) -> None:
        """Count the last cluster too: no rows follow."""
        rest = self._clusters.rest()
        if rest:
            self._take(*rest)

    def _take(
        self, cluster: NDArray[np.int64], group: NDArray[np.int64], tops: NDArray[np.generic]
    ) -> None:
        """Add rows of complete clusters."""
        if not len(cluster):
            return
        width = max(int(group.max()) + 1, len(self._rows))
        for name in ("_rows", "_rows2", "_top", "_top2", "_cross", "_squares"):
            old = getattr(self, name)
            new = np.zeros((width, old.shape[1]), dtype=object)
            new[: len(old)] = old
            setattr(self, name, new)
        keys, place, sizes = np.unique(
            cluster * width + group, return_inverse=True, return_counts=True
        )
        owner = keys % width
        ones = np.ones(len(keys), dtype=np.int64)
        self._rows[:, 0] += _products(owner, sizes, ones, width)
        self._rows2[:, 0] += _products(owner, sizes, sizes, width)
        for column, values in enumerate(np.ascontiguousarray(tops.T)):
            if values.dtype == np.bool_:
                top = np.bincount(place[values], minlength=len(keys))
                squares = _products(owner, top, ones, width)
            else:
                top = sum_by(place, values, len(keys)).astype(np.int64)
                amounts = values.astype(np.int64)
                squares = _products(group, amounts, amounts, width)
            self._top[:, column] += _products(owner, top, ones, width)
            self._top2[:, column] += _products(owner, top, top, width)
            self._cross[:, column] += _products(owner, top, sizes, width)
            self._squares[:, column] += squares

    def _ratio_se(self, g: int) -> Floats:
        """Give the standard error of top / rows: whole numbers up to the last step."""
        n, k = self._rows, self._top
        scaled = n * n * self._top2 - 2 * k * n * self._cross + k * k * self._rows2
        variance = _quotient(scaled, n**4)
        return np.sqrt(np.maximum(variance, 0) * (g / (g - 1) if g > 1 else np.nan))

    def seen(self) -> NDArray[np.bool_]:
        """Tell for each column whether its quantity was ever different from zero."""
        self.close()
        return np.asarray((self._squares != 0).any(axis=0))

    def rates(self, *, g: int, alpha: float = 0.05, suffix: str = "") -> Rate:
        """Rates of the quantities a row; they must be 0 or 1.

        Parameters
        ----------
        g : int
            Number of clusters, those without rows included.
        alpha : float, default 0.05
            Error rate of both sides of each interval together.
        suffix : str, optional
            Appended to the names of the methods.

        Returns
        -------
        Rate
            Entries of shape (n_groups, n_columns).
        """
        self.close()
        k = self._top.astype(np.float64)
        n = np.broadcast_to(self._rows.astype(np.float64), k.shape)
        return rate_of(k, n, se=self._ratio_se(g), g=g, alpha=alpha, suffix=suffix)

    def means(self, *, g: int, alpha: float = 0.05, suffix: str = "") -> tuple[Mean, Floats]:
        """Means of the quantities a row.

        Parameters
        ----------
        g : int
            Number of clusters, those without rows included.
        alpha : float, default 0.05
            Error rate of both sides of each interval together.
        suffix : str, optional
            Appended to the name of the method.

        Returns
        -------
        Mean
            Entries of shape (n_groups, n_columns).
        ndarray of float64, shape (n_groups, n_columns)
            Standard deviations of the rows; NaN below two rows.
        """
        self.close()
        n = np.broadcast_to(self._rows, self._top.shape)
        spread = _quotient(n * self._squares - self._top**2, n * (n - 1))
        mean = mean_of(
            _quotient(self._top, n),
            n,
            se=self._ratio_se(g),
            g=g,
            alpha=alpha,
            suffix=suffix,
        )
        return mean, np.sqrt(np.maximum(spread, 0))


def _products(
    group: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64], n_groups: int
) -> NDArray[np.object_]:
    """Sum products of whole numbers by group, exactly, as Python's numbers."""
    bound = float(np.abs(a).max()) * float(np.abs(b).max()) * len(a)
    if bound < 2**53:
        # Every partial sum is a whole number that a float holds.
        return np.array([int(value) for value in sum_by(group, a * b, n_groups)], dtype=object)
    sums = np.zeros(n_groups, dtype=object)
    np.add.at(sums, group, a.astype(object) * b)
    return sums


def _quotient(top: NDArray[np.object_], base: NDArray[np.object_]) -> Floats:
    """Divide whole numbers of any size; NaN where the divisor is zero."""
    top, base = np.broadcast_arrays(top, base)
    pairs = zip(top.ravel().tolist(), base.ravel().tolist(), strict=True)
    flat = [a / b if b else np.nan for a, b in pairs]
    return np.array(flat, dtype=np.float64).reshape(top.shape)
