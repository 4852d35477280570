"""Coverage of the intervals, in numbers: exact for plain rates, by simulation for clustered ones.

Run from the repository root: ``python verification/intervals.py``. Prints a line a case and ends
with exit code 1 if an interval covers less than its floor.
"""

import sys
from collections.abc import Iterator

import numpy as np
from scipy import stats

from mjstats.stats.clustered import Clusters, clustered_mean, clustered_rate
from mjstats.stats.intervals import clopper_pearson, rate_interval, wilson

ALPHA = 0.05
REPEATS = 20_000
# Six binomial standard errors of 20,000 repeats of a 95 % interval.
NOISE = 6 * np.sqrt(0.05 * 0.95 / REPEATS)


def binomial() -> Iterator[tuple[str, float, float]]:
    """Yield case, exact mean coverage over a range of rates, floor."""
    for n in (10, 100, 1000, 10_000):
        k = np.arange(n + 1)
        bounds = {
            "clopper-pearson": (*clopper_pearson(k, n), 1 - ALPHA),
            "wilson": (*wilson(k, n), 0.945),
            "as chosen": (*rate_interval(k, n)[:2], 0.945),
        }
        rates = np.linspace(0.5 / n, 1 - 0.5 / n, 400)
        for name, (low, high, floor) in bounds.items():
            covered = [stats.binom.pmf(k, n, p)[(low <= p) & (p <= high)].sum() for p in rates]
            yield f"{name}, n={n}, mean over rates", float(np.mean(covered)), floor


def clustered() -> Iterator[tuple[str, float, float]]:
    """Yield case, simulated coverage, floor: beta-binomial matches of unequal length."""
    rng = np.random.default_rng(20240601)
    for g in (30, 100, 1000):
        for p in (0.001, 0.02, 0.3):
            for rho in (0.001, 0.05):
                size = (1 - rho) / rho
                n = rng.integers(16, 33, size=(g, REPEATS))
                k = rng.binomial(n, rng.beta(p * size, (1 - p) * size, n.shape))
                rate = clustered_rate(k, n)
                inside = (rate.ci_low <= p) & (p <= rate.ci_high)
                yield f"rate, {g} matches, p={p}, rho={rho}", float(inside.mean()), 0.93


def batches() -> Iterator[tuple[str, float, float]]:
    """Yield case, simulated coverage, floor: means of autocorrelated deals in few matches."""
    rng = np.random.default_rng(20240602)
    repeats = REPEATS // 10
    for n_deals, phi in ((150, 0.0), (600, 0.0), (600, 0.3)):
        clusters = Clusters.choose(n_matches=n_deals // 24, n_deals=n_deals)
        deal = np.arange(n_deals)
        ids = clusters.ids(match=deal // 24, deal=deal)
        x = rng.normal(size=(n_deals, repeats))
        for i in range(1, n_deals):
            x[i] += phi * x[i - 1]
        total = np.zeros((clusters.n, repeats))
        np.add.at(total, ids, x)
        mean = clustered_mean(total, np.bincount(ids))
        inside = (mean.ci_low <= 0) & (mean.ci_high >= 0)
        yield f"batch mean, {n_deals} deals, phi={phi}", float(inside.mean()), 0.925


def main() -> int:
    """Print every case and return the exit code."""
    failed = 0
    for cases, noise in ((binomial(), 0.0), (clustered(), NOISE), (batches(), 3 * NOISE)):
        for name, covered, floor in cases:
            good = covered >= floor - noise
            failed += not good
            print(f"{'ok ' if good else 'BAD'} {covered:.4f} (floor {floor:.3f})  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
