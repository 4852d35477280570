"""Means of deals with less variance, by control variates whose expectation is known exactly.

A control is a quantity of a deal, correlated with what is estimated, of known mean. Deals are
weighted so that the controls come out at their known means exactly (regression or calibration
estimator: J.-C. Deville and C.-E. Särndal (1992), J. Am. Stat. Assoc. 87, 376-382; S. S. Lavenberg
and P. D. Welch (1981), Management Science 27, 322-335). The weights depend on the controls alone,
so that estimates that belong together still do: rates sum to one, payments to zero.
"""

# The estimate and why its interval is right.
#
# Deal n has controls x_n (their known means subtracted), a quantity y_n and a size m_n (1, or the
# number of wins in it, ...); wanted is theta = E sum y / E sum m over a cluster (a match). The
# estimate is sum w y / sum w m with w_n = (1 - xbar' S^-1 (x_n - xbar)) / n, where xbar and S are
# the mean and the covariance matrix of the controls over the deals. This is (ybar - b_y' xbar) /
# (mbar - b_m' xbar) with the coefficients b of the regression over deals. To first order its error
# is the sum over deals of r_n = y_n - theta m_n - (b_y - theta b_m)' x_n, over the sum of sizes,
# whatever the coefficients: they only decide how large the residuals are. Their own error times
# xbar is of the second order. What is needed of the controls is that the sum of x_n has mean zero
# over the deals of a cluster (and over those of the run); that its deals are independent is not.
# So the variance is that of the sums of residuals by cluster, as without controls, deals of one
# match being dependent in any way, and matches of a random length that depends on what happened in
# them: mjstats.controls shows why the sum has mean zero then. Two factors for what q estimated
# coefficients cost, each 1 + q / n on average over n deals: (n - 1) / (n - 1 - q), because they
# make residuals too small, and 1 + xbar' S^-1 xbar, for the error of the coefficients.
#
# Coefficients could be those of the regression over clusters. They are not, because a run has some
# twenty times fewer matches than deals, and q of them would cost 1 + 2 q / g.

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjstats.errors import ArgumentError
from mjstats.stats.clustered import Floats, WholeClusters, student_interval
from mjstats.stats.intervals import check_alpha

#: Relative size below which a direction of the controls counts as constant.
_FLAT = 1e-10


@dataclass(frozen=True, slots=True)
class Controlled:
    """Means with and without control variates; every field but the last two has one entry a cell.

    Parameters
    ----------
    plain, plain_se : ndarray of float64
        Ratio of the sums and its standard error by clusters, without controls.
    plain_ci_low, plain_ci_high : ndarray of float64
        Student's interval of the plain estimate.
    mean, se : ndarray of float64
        Controlled estimate and its standard error by clusters.
    ci_low, ci_high : ndarray of float64
        Student's interval of the controlled estimate.
    variance_ratio : ndarray of float64
        (se / plain_se)^2: 0.9 is worth a ninth more deals. NaN where nothing varies.
    n : int
        Observations.
    n_controls : int
        Linearly independent controls.
    """

    plain: Floats
    plain_se: Floats
    plain_ci_low: Floats
    plain_ci_high: Floats
    mean: Floats
    se: Floats
    ci_low: Floats
    ci_high: Floats
    variance_ratio: Floats
    n: int
    n_controls: int


def controlled_mean(
    y: ArrayLike,
    x: ArrayLike,
    mu: ArrayLike,
    *,
    clusters: ArrayLike,
    sizes: ArrayLike | None = None,
    alpha: float = 0.05,
) -> Controlled:
    """Mean of observations in clusters, with control variates.

    Parameters
    ----------
    y : array_like, shape (n,) or (n, c)
        The quantities of n observations, for c cells.
    x : array_like, shape (n,) or (n, q)
        The controls of each observation.
    mu : array_like, shape () or (q,)
        Their exact means: given all that came before an observation, whatever it was, its controls
        must have them.
    clusters : array_like of int, shape (n,)
        Cluster of each observation.
    sizes : array_like, shape (n,) or (n, c), optional
        What the quantities are related to; 1 an observation by default.
    alpha : float, default 0.05
        Error rate of both sides of each interval together.

    Returns
    -------
    Controlled
        Both estimates of sum of y / sum of sizes.

    Raises
    ------
    ArgumentError
        If shapes or alpha are not allowed, a number is not finite, or there are not more
        observations than controls, two besides.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 1.0, 0.0, 1.0])
    >>> c = controlled_mean(2 * x + 1, x, 1.0, clusters=[0, 0, 1, 1, 2, 2])
    >>> print(f"plain {c.plain[0]:.2f}, controlled {c.mean[0]:.2f}")
    plain 2.67, controlled 3.00
    """
    check_alpha(alpha)
    tops, controls = _columns("y", y), _columns("x", x)
    size = _columns("sizes", np.ones(len(tops)) if sizes is None else sizes)
    means, labels = np.asarray(mu, dtype=np.float64), np.asarray(clusters)
    q, c = controls.shape[1], tops.shape[1]
    if not (
        len(tops) == len(controls) == len(size)
        and labels.shape == (len(tops),)
        and means.shape in ((), (q,))
        and size.shape[1] in (1, c)
    ):
        raise ArgumentError(
            f"y of shape {np.shape(y)}, x {np.shape(x)}, mu {means.shape}, clusters {labels.shape}"
            f"{'' if sizes is None else f', sizes {np.shape(sizes)}'}: (n,) or (n, cells), (n,) or "
            "(n, controls), (controls,), (n,) and sizes as y are expected"
        )
    if len(tops) < q + 2:
        raise ArgumentError(f"{len(tops)} observations: {q} controls need {q + 2} or more")
    if not np.isfinite(means).all():
        raise ArgumentError("mu: finite numbers are expected")
    names, cluster = np.unique(labels, return_inverse=True)
    sums = ControlSums(q, c)
    whole = np.zeros(len(tops), dtype=np.int64)
    sums.add(cluster, whole, controls - means, tops, np.broadcast_to(size, tops.shape))
    estimates = sums.estimates(g=len(names))
    g = len(names)
    plain, plain_se = estimates.plain[0], estimates.plain_se[0]
    mean, se = estimates.mean[0], estimates.se[0]
    plain_low, plain_high = student_interval(plain, plain_se, g=g, alpha=alpha)
    low, high = student_interval(mean, se, g=g, alpha=alpha)
    return Controlled(
        plain=plain,
        plain_se=plain_se,
        plain_ci_low=plain_low,
        plain_ci_high=plain_high,
        mean=mean,
        se=se,
        ci_low=low,
        ci_high=high,
        variance_ratio=estimates.variance_ratio[0],
        n=int(estimates.n[0]),
        n_controls=int(estimates.n_controls[0]),
    )


@dataclass(frozen=True, slots=True)
class Estimates:
    """What `ControlSums` knows of each group.

    Parameters
    ----------
    plain, plain_se, mean, se : ndarray of float64, shape (groups, columns)
        Estimates without and with controls, and their standard errors.
    n, n_controls : ndarray of int64, shape (groups,)
        Observations, and linearly independent controls among them.
    departure : ndarray of float64, shape (groups, controls)
        Means of the controls, their known means subtracted.
    """

    plain: Floats
    plain_se: Floats
    mean: Floats
    se: Floats
    n: NDArray[np.int64]
    n_controls: NDArray[np.int64]
    departure: Floats

    @property
    def variance_ratio(self) -> Floats:
        """Give (se / plain_se)^2; NaN where nothing varies."""
        ratio = np.full(self.se.shape, np.nan)
        np.divide(self.se, self.plain_se, out=ratio, where=self.plain_se > 0)
        return ratio**2


class ControlSums:
    """Sums over deals and over clusters that are enough for controlled means of any run.

    Observations are added in the order of their clusters, in parts of any length; nothing is kept
    but two square matrices a group.

    Parameters
    ----------
    n_controls : int
        Controls an observation.
    n_columns : int
        Quantities an observation, each with its own size.

    Examples
    --------
    >>> sums = ControlSums(1, 1)
    >>> x = np.array([[-1.0], [0.0], [1.0], [0.0], [-1.0], [0.0]])
    >>> one = np.ones((6, 1))
    >>> sums.add(np.array([0, 0, 1, 1, 2, 2]), np.zeros(6, int), x, 2 * x + 3, one)
    >>> print(f"{sums.estimates(g=3).mean[0, 0]:.2f}")
    3.00
    """

    def __init__(self, n_controls: int, n_columns: int) -> None:
        self._x = slice(1, 1 + n_controls)
        self._y = slice(1 + n_controls, 1 + n_controls + n_columns)
        self._m = slice(1 + n_controls + n_columns, 1 + n_controls + 2 * n_columns)
        # Products of columns (1, controls, quantities, sizes), summed over deals, over clusters.
        width = self._m.stop
        self._deals, self._sums = (np.zeros((0, width, width)) for _ in range(2))
        self._clusters = WholeClusters()

    def add(
        self,
        cluster: NDArray[np.integer],
        group: NDArray[np.integer],
        x: Floats,
        tops: NDArray[np.generic],
        sizes: NDArray[np.generic],
    ) -> None:
        """Add observations.

        Parameters
        ----------
        cluster : ndarray of int, shape (n,)
            Cluster of each observation, none below the greatest one added before.
        group : ndarray of int, shape (n,)
            Group of each observation, from 0. It must be settled before the controls are known.
        x : ndarray of float64, shape (n, n_controls)
            Controls, their known means subtracted.
        tops, sizes : ndarray, shape (n, n_columns)
            Quantities, and what they are related to.
        """
        rows = np.column_stack([np.ones(len(cluster)), x, tops, sizes])
        self._take(*self._clusters.take(cluster, group.astype(np.int64), rows))

    def _take(self, cluster: NDArray[np.int64], group: NDArray[np.int64], rows: Floats) -> None:
        """Add observations of complete clusters."""
        if not len(cluster):
            return
        missing = int(group.max()) + 1 - len(self._deals)
        if missing > 0:
            more = np.zeros((missing, *self._deals.shape[1:]))
            self._deals = np.concatenate([self._deals, more])
            self._sums = np.concatenate([self._sums, more])
        order = np.lexsort((cluster, group))
        cluster, group, rows = cluster[order], group[order], rows[order]
        new = np.ones(len(group), dtype=np.bool_)
        new[1:] = (cluster[1:] != cluster[:-1]) | (group[1:] != group[:-1])
        starts = np.flatnonzero(new)
        sums, owners = np.add.reduceat(rows, starts, axis=0), group[starts]
        for number in np.unique(owners):
            for matrices, parts, of in (
                (self._deals, rows, group),
                (self._sums, sums, owners),
            ):
                part = parts[slice(*np.searchsorted(of, [number, number + 1]))]
                matrices[number] += part.T @ part

    def estimates(self, *, g: int) -> Estimates:
        """Estimate the ratio of quantity and size in each group.

        Parameters
        ----------
        g : int
            Number of clusters, those without observations included.

        Returns
        -------
        Estimates
            With and without controls. NaN where sizes sum to nothing, controlled ones also where
            there are not more deals than controls; standard errors also below two clusters.
        """
        rest = self._clusters.rest()
        if rest:
            self._take(*rest)
        n = self._deals[:, 0, 0]
        shape = (len(n), self._y.stop - self._y.start)
        plain, plain_se, mean, se = (np.full(shape, np.nan) for _ in range(4))
        rank = np.zeros(len(n), dtype=np.int64)
        departure = np.zeros((len(n), self._x.stop - self._x.start))
        factor = np.sqrt(g / (g - 1)) if g > 1 else np.nan
        for i in np.flatnonzero(n):
            averages = self._deals[i, 0] / n[i]
            flat = np.zeros((departure.shape[1], len(averages)))
            plain[i], plain_se[i] = self._ratio(averages, flat, self._sums[i], n[i])
            xbar = departure[i] = averages[self._x]
            covariance = self._deals[i, self._x] / n[i] - xbar[:, None] * averages
            squares = np.diag(self._deals[i, self._x, self._x]) / n[i]
            inverse, rank[i] = _inverse(covariance[:, self._x], squares)
            distance = xbar @ inverse @ xbar
            spare = n[i] - 1 - rank[i]
            if spare > 0:
                slopes = inverse @ covariance
                mean[i], se[i] = self._ratio(averages - xbar @ slopes, slopes, self._sums[i], n[i])
                se[i] *= np.sqrt((n[i] - 1) / spare * (1 + distance))
        return Estimates(
            plain=plain,
            plain_se=plain_se * factor,
            mean=mean,
            se=se * factor,
            n=n.astype(np.int64),
            n_controls=rank,
            departure=departure,
        )

    def _ratio(
        self, averages: Floats, slopes: Floats, sums: Floats, n: float
    ) -> tuple[Floats, Floats]:
        """Give the ratios of adjusted averages, and the root of their residuals' squares."""
        size = averages[self._m]
        some = np.where(size > 0, size, np.nan)
        value = averages[self._y] / some
        # Residuals as combinations of the columns: y - value m - (slope_y - value slope_m)' x.
        columns = np.arange(len(value))
        residual = np.zeros((len(averages), len(value)))
        residual[self._y][columns, columns] = 1.0
        residual[self._m][columns, columns] = -value
        residual[self._x] = value * slopes[:, self._m] - slopes[:, self._y]
        squares = np.einsum("wc,wc->c", residual, sums @ residual)
        return value, np.sqrt(np.maximum(squares, 0.0)) / (n * some)


def _columns(name: str, values: ArrayLike) -> Floats:
    """Bring values to the shape (observations, columns) and check them."""
    array = np.asarray(values, dtype=np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2:
        raise ArgumentError(f"{name} of shape {array.shape}: one or two dimensions are expected")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name}: finite numbers are expected")
    return array


def _inverse(covariance: Floats, squares: Floats) -> tuple[Floats, int]:
    """Give the inverse of a covariance matrix, over the directions that vary, and their number."""
    variance = np.diag(covariance)
    # An indicator that was never seen is constant but for rounding.
    varies = variance > _FLAT * squares
    scale = np.zeros_like(variance)
    scale[varies] = variance[varies] ** -0.5
    values, vectors = np.linalg.eigh(scale[:, None] * covariance * scale)
    vary = values > _FLAT * len(values)
    vectors = scale[:, None] * vectors[:, vary]
    return (vectors / values[vary]) @ vectors.T, int(vary.sum())
