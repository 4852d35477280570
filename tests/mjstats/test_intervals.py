import numpy as np
import pytest
from scipy import stats

from mjstats.errors import ArgumentError
from mjstats.stats.intervals import EXACT_BELOW, clopper_pearson, rate_interval, wilson
from mjstats.stats.multiplicity import alpha_each


def binomial_coverage(low, high, p):
    """Exact probability that the interval of k covers p, k ~ Binomial(len - 1, p)."""
    n = len(low) - 1
    inside = (low <= p) & (p <= high)
    return float(stats.binom.pmf(np.arange(n + 1), n, p)[inside].sum())


def test_a37_clopper_pearson_is_never_nan_at_0_or_n():
    low, high = clopper_pearson([0, 18], 18, alpha=0.01)
    assert low[0] == 0.0
    assert high[0] == pytest.approx(0.2550, abs=5e-5)
    assert low[1] == pytest.approx(1 - high[0], rel=1e-12)
    assert high[1] == 1.0


def test_a38_tiny_alpha_keeps_its_digits():
    _, high = clopper_pearson(0, 1000, alpha=1e-7)
    assert float(high) == pytest.approx(0.0166707224, abs=5e-11)
    _, high = clopper_pearson(0, 1000, alpha=1e-300)
    assert float(high) == pytest.approx(-np.expm1(np.log(5e-301) / 1000), rel=1e-12)
    low, high = wilson(3, 1000, alpha=1e-12)
    assert 0 < low < 0.003 < high < 0.1


@pytest.mark.parametrize("method", [wilson, clopper_pearson])
def test_no_event_has_an_upper_bound_and_no_trial_the_whole_range(method):
    low, high = method([0, 7, 0], [7, 7, 0])
    assert low.tolist()[0] == 0.0
    assert 0 < high[0] < 1
    assert high[1] == 1.0
    assert 0 < low[1] < 1
    assert (low[2], high[2]) == (0.0, 1.0)


@pytest.mark.parametrize(("method", "name"), [(wilson, "wilson"), (clopper_pearson, "exact")])
@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (37, 1000)])
def test_equal_to_scipy(method, name, k, n):
    expected = stats.binomtest(k, n).proportion_ci(0.99, method=name)
    low, high = method(k, n, alpha=0.01)
    assert float(low) == pytest.approx(expected.low, abs=1e-12)
    assert float(high) == pytest.approx(expected.high, abs=1e-12)


@pytest.mark.parametrize("p", [0.001, 0.03, 0.2, 0.5, 0.9])
def test_exact_interval_covers_at_least_what_it_says(p):
    low, high = clopper_pearson(np.arange(201), 200)
    assert binomial_coverage(low, high, p) >= 0.95


@pytest.mark.parametrize("p", [0.001, 0.03, 0.2, 0.5, 0.9])
def test_chosen_interval_covers_about_what_it_says(p):
    low, high, _ = rate_interval(np.arange(1001), 1000)
    assert binomial_coverage(low, high, p) >= 0.935


def test_method_is_named_by_the_count():
    k = np.array([0, EXACT_BELOW - 1, EXACT_BELOW, 95])
    low, high, method = rate_interval(k, 100)
    assert method.tolist() == ["clopper-pearson", "clopper-pearson", "wilson", "clopper-pearson"]
    assert low[0] == 0
    assert ((low <= k / 100) & (k / 100 <= high)).all()


def test_effective_size_widens_the_interval():
    low, high, _ = rate_interval([0, 5, 50], 100, n_effective=[40, 40, 40])
    plain_low, plain_high, _ = rate_interval([0, 5, 50], 100)
    assert (high > plain_high).all()
    assert (low <= plain_low).all()
    assert (low[1:] < plain_low[1:]).all()


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (np.nan, 5), (1, np.nan), (1, np.inf)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(ArgumentError, match="0 <= k <= n"):
        wilson(k, n)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, np.nan])
def test_impossible_alpha_is_refused(alpha):
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        clopper_pearson(1, 5, alpha=alpha)


def test_simultaneous_error_rates():
    assert alpha_each(0.05, m=1) == 0.05
    assert alpha_each(0.05, m=1, method="sidak") == pytest.approx(0.05, rel=1e-15)
    assert alpha_each(0.05, m=10) == pytest.approx(0.005)
    assert 1 - (1 - alpha_each(0.05, m=10, method="sidak")) ** 10 == pytest.approx(0.05)
    assert alpha_each(1e-18, m=4, method="sidak") == pytest.approx(2.5e-19)


def test_simultaneous_bad_input():
    with pytest.raises(ArgumentError, match="at least 1"):
        alpha_each(0.05, m=0)
    with pytest.raises(ArgumentError, match="'bonferroni', 'sidak'"):
        alpha_each(0.05, m=3, method="tukey")
