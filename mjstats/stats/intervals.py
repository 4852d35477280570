"""Intervals for a rate: Wilson's and the exact one, whole arrays at once."""

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjstats.errors import ArgumentError, quoted

Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]

#: Below this many events (or non-events) Wilson's approximation gives way to the exact interval.
EXACT_BELOW = 10


def check_alpha(alpha: float) -> float:
    """Check an error rate.

    Parameters
    ----------
    alpha : float
        Error rate, 1 - confidence.

    Returns
    -------
    float
        The same number.

    Raises
    ------
    ArgumentError
        If it does not lie strictly between 0 and 1.
    """
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise ArgumentError(f"alpha={quoted(alpha)}: a number between 0 and 1 is expected")
    return float(alpha)


def check_counts(k: ArrayLike, n: ArrayLike) -> Bounds:
    """Check events and trials and bring them to one shape.

    Parameters
    ----------
    k, n : array_like
        Events and trials; broadcast against each other. Fractions are allowed, because an effective
        sample size is one.

    Returns
    -------
    tuple of ndarray of float64
        Both, in their common shape.

    Raises
    ------
    ArgumentError
        If not 0 <= k <= n everywhere, NaN included.
    """
    events, trials = np.broadcast_arrays(
        np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    )
    bad = ~((events >= 0) & (events <= trials) & np.isfinite(trials))
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ArgumentError(f"k={events[at]:g}, n={trials[at]:g}: 0 <= k <= n is expected")
    return events, trials


def wilson(k: ArrayLike, n: ArrayLike, *, alpha: float = 0.05) -> Bounds:
    """Wilson's score interval of a rate.

    Parameters
    ----------
    k, n : array_like
        Events and trials, 0 <= k <= n; fractions are allowed (effective sample sizes).
    alpha : float, default 0.05
        Error rate of both sides together.

    Returns
    -------
    tuple of ndarray of float64
        Lower and upper bounds. No event gives the lower bound 0 exactly, no non-event the upper
        bound 1; without trials the interval is (0, 1).

    Notes
    -----
    E. B. Wilson (1927), J. Am. Stat. Assoc. 22, 209-212.

    Examples
    --------
    >>> low, high = wilson(10, 100)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0552 0.1744
    """
    from scipy import special

    k, n = check_counts(k, n)
    z2 = float(special.ndtri(check_alpha(alpha) / 2)) ** 2
    centre = k + z2 / 2
    # k (n - k) / n, zero when there are no trials.
    spread = np.divide(k * (n - k), n, out=np.zeros_like(n), where=n > 0)
    half = np.sqrt(z2 * (spread + z2 / 4))
    low = np.where(k == 0, 0.0, np.clip((centre - half) / (n + z2), 0.0, 1.0))
    high = np.where(k == n, 1.0, np.clip((centre + half) / (n + z2), 0.0, 1.0))
    return low, high


def clopper_pearson(k: ArrayLike, n: ArrayLike, *, alpha: float = 0.05) -> Bounds:
    """Exact (Clopper-Pearson) interval of a rate.

    Parameters
    ----------
    k, n : array_like
        Events and trials, 0 <= k <= n; fractions are allowed (effective sample sizes).
    alpha : float, default 0.05
        Error rate of both sides together; each side keeps alpha / 2, also when k is 0 or n.

    Returns
    -------
    tuple of ndarray of float64
        Lower and upper bounds. No event gives the lower bound 0 and the upper bound
        1 - (alpha / 2)^(1 / n); without trials the interval is (0, 1).

    Notes
    -----
    C. J. Clopper and E. S. Pearson (1934), Biometrika 26, 404-413. The upper bound is taken from
    the upper tail itself, so that a very small alpha loses no digits.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 18, alpha=0.01)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0000 0.2550
    """
    from scipy import special

    k, n = check_counts(k, n)
    tail = check_alpha(alpha) / 2
    some, spare = k > 0, n - k > 0
    # The placeholders 1 keep the inverse away from its undefined corners.
    low = special.betaincinv(np.where(some, k, 1.0), n - k + 1, tail)
    high = special.betainccinv(k + 1, np.where(spare, n - k, 1.0), tail)
    return np.where(some, low, 0.0), np.where(spare, high, 1.0)


def rate_interval(
    k: ArrayLike, n: ArrayLike, *, n_effective: ArrayLike | None = None, alpha: float = 0.05
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.str_]]:
    """Interval of a rate by the method that suits its count, with that method's name.

    Parameters
    ----------
    k, n : array_like
        Events and trials, 0 <= k <= n.
    n_effective : array_like, optional
        Independent trials that carry as much information as the n observed ones; n by default.
    alpha : float, default 0.05
        Error rate of both sides together.

    Returns
    -------
    low, high : ndarray of float64
        Bounds.
    method : ndarray of str
        ``"clopper-pearson"`` where fewer than ten events or fewer than ten non-events were seen,
        else ``"wilson"``.

    Examples
    --------
    >>> low, high, method = rate_interval([0, 50], 100)
    >>> [str(name) for name in method]
    ['clopper-pearson', 'wilson']
    """
    k, n = check_counts(k, n)
    size = n if n_effective is None else np.broadcast_to(np.asarray(n_effective, float), n.shape)
    events = np.where(k == n, size, np.divide(k, n, out=np.zeros_like(n), where=n > 0) * size)
    exact = (k < EXACT_BELOW) | (n - k < EXACT_BELOW)
    low, high = (
        np.where(exact, *pair)
        for pair in zip(
            clopper_pearson(events, size, alpha=alpha),
            wilson(events, size, alpha=alpha),
            strict=True,
        )
    )
    return low, high, np.where(exact, "clopper-pearson", "wilson")


def binomial_z(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> NDArray[np.float64]:
    """Distance of binomial counts from a known probability, in standard errors.

    Parameters
    ----------
    k, n : array_like of int
        Events and trials.
    p : array_like
        Probability of an event.

    Returns
    -------
    ndarray of float64
        Normal deviate of the mid-p value: about (k - n p) / sqrt(n p (1 - p)) for large counts, and
        still a fair measure where the binomial law is skewed and coarse.

    Examples
    --------
    >>> print(binomial_z([540, 0], [1000, 1000], [0.5, 0.0005]).round(2))
    [ 2.53 -0.52]
    """
    from scipy import special, stats

    events, trials = check_counts(k, n)
    law = stats.binom(trials, np.asarray(p, dtype=np.float64))
    half = law.pmf(events) / 2
    below, above = law.cdf(events) - half, law.sf(events) + half
    # The smaller tail keeps its digits.
    return np.where(below < above, special.ndtri(below), -special.ndtri(above))
