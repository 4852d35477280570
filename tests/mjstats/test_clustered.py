import numpy as np
import pytest

from mjstats.errors import ArgumentError
from mjstats.stats.clustered import (
    Clusters,
    RatioSums,
    clustered_mean,
    clustered_rate,
    ratio,
    sum_by,
)
from mjstats.stats.intervals import clopper_pearson, wilson
from mjstats.stats.paired import paired_difference


def beta_binomial(rng, *, g, m, p, rho):
    """Counts of g clusters of m trials with mean p and intra-cluster correlation rho."""
    size = (1 - rho) / rho
    return rng.binomial(m, rng.beta(p * size, (1 - p) * size, g))


def test_ratio_variance_is_that_of_the_residuals():
    k, n = np.array([1, 4, 2, 5]), np.array([10, 20, 10, 30])
    value, se = ratio(k, n)
    p = 12 / 70
    expected = np.sqrt(4 / 3 * ((k - p * n) ** 2).sum()) / 70
    assert value[0] == pytest.approx(p)
    assert se[0] == pytest.approx(expected)


def test_equal_clusters_reduce_to_the_mean_of_cluster_means():
    x = np.random.default_rng(1).normal(size=(50, 3))
    mean = clustered_mean(x * 10, np.full(50, 10))
    np.testing.assert_allclose(mean.mean, x.mean(axis=0))
    np.testing.assert_allclose(mean.se, x.std(axis=0, ddof=1) / np.sqrt(50))
    assert mean.n.tolist() == [500] * 3


def test_clusters_of_one_trial_are_a_plain_rate():
    k = np.zeros(2000, dtype=int)
    k[:600] = 1
    rate = clustered_rate(k, np.ones(2000))
    low, high = wilson(600, 2000)
    assert rate.se[0] == pytest.approx(np.sqrt(0.3 * 0.7 / 1999))
    assert rate.ci_low[0] == pytest.approx(low, rel=1e-3)
    assert rate.ci_high[0] == pytest.approx(high, rel=1e-3)
    assert rate.ci_method[0] == "wilson"


def test_dependence_within_clusters_widens():
    k = np.repeat([0, 10], 50)
    rate = clustered_rate(k, np.full(100, 10))
    assert rate.n_effective[0] == pytest.approx(100, rel=0.05)
    assert rate.ci_high[0] - rate.ci_low[0] > 2 * 0.09


def test_a39_no_event_and_constant_values_keep_their_cells():
    rate = clustered_rate(np.zeros((40, 2)), np.full(40, 25))
    _, high = clopper_pearson(0, 1000)
    assert rate.ci_low.tolist() == [0, 0]
    assert rate.ci_high.tolist() == pytest.approx([float(high)] * 2)
    mean = clustered_mean(np.full(40, 0.1 * 25), np.full(40, 25))
    assert mean.se[0] == pytest.approx(0, abs=1e-15)
    assert not np.isnan(mean.se[0])


def test_a39_sums_are_exact_and_never_negative():
    rng = np.random.default_rng(3)
    values = 10**7 + rng.integers(0, 2, 1000)
    group = rng.integers(0, 3, 1000)
    cluster = np.sort(rng.integers(0, 40, 1000))
    sums = RatioSums(2)
    for part in np.array_split(np.arange(1000), 7):
        tops = np.stack([values[part], np.full(len(part), 10**7)], axis=1)
        sums.add(cluster[part], group[part], tops)
    mean, sd = sums.means(g=40)
    assert mean.mean.shape == (3, 2)
    for g in range(3):
        inside = group == g
        assert mean.n[g, 0] == inside.sum()
        assert mean.mean[g, 0] == pytest.approx(values[inside].mean(), rel=1e-15)
        assert sd[g, 0] == pytest.approx(values[inside].std(ddof=1), rel=1e-9)
        by_cluster = clustered_mean(
            sum_by(cluster[inside], values[inside] - 10**7, 40),
            sum_by(cluster[inside], np.ones(inside.sum()), 40),
        )
        assert mean.se[g, 0] == pytest.approx(by_cluster.se[0], rel=1e-6)
    assert sd[:, 1].tolist() == [0, 0, 0]
    assert mean.se[:, 1].tolist() == [0, 0, 0]


def test_sums_do_not_depend_on_the_parts():
    rng = np.random.default_rng(4)
    event = rng.random((900, 3)) < [0.5, 0.1, 0.0]
    cluster = np.sort(rng.integers(0, 60, 900))
    whole, parts = RatioSums(3), RatioSums(3)
    whole.add(cluster, np.zeros(900, dtype=int), event)
    for part in np.array_split(np.arange(900), 71):
        parts.add(cluster[part], np.zeros(len(part), dtype=int), event[part])
    a, b = whole.rates(g=60), parts.rates(g=60)
    n = np.bincount(cluster, minlength=60)
    k = np.stack([np.bincount(cluster[event[:, c]], minlength=60) for c in range(3)], axis=1)
    c = clustered_rate(k, n)
    for name in ("k", "n", "p", "se", "ci_low", "ci_high", "ci_method"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist()
        if name != "ci_method":
            np.testing.assert_allclose(getattr(a, name)[0], getattr(c, name), rtol=1e-9)


def test_groups_may_appear_late():
    sums = RatioSums(1)
    sums.add(np.array([0, 1]), np.array([0, 0]), np.array([[1], [1]]))
    sums.add(np.array([1, 2]), np.array([4, 0]), np.array([[1], [0]]))
    rate = sums.rates(g=3)
    assert rate.n[:, 0].tolist() == [3, 0, 0, 0, 1]
    assert rate.k[:, 0].tolist() == [2, 0, 0, 0, 1]
    assert np.isnan(rate.p[1, 0])
    assert (rate.ci_low[1, 0], rate.ci_high[1, 0]) == (0, 1)


def test_rare_events_do_not_claim_more_than_the_trials():
    k = np.zeros(100, dtype=int)
    k[:5] = 1
    n = np.full(100, 20)
    n[:5] = 40
    assert clustered_rate(k, n).n_effective[0] <= n.sum()


def test_an_exact_fit_is_not_certainty():
    rate = clustered_rate([5, 5, 5, 5], [10, 10, 10, 10])
    assert rate.se[0] > 0
    assert rate.ci_low[0] < 0.5 < rate.ci_high[0]


def test_one_cluster_falls_back_to_independent_trials():
    rate = clustered_rate([3], [10])
    low, high = clopper_pearson(3, 10)
    assert (rate.ci_low[0], rate.ci_high[0]) == (pytest.approx(low), pytest.approx(high))
    assert rate.se[0] == pytest.approx(np.sqrt(0.021))
    mean = clustered_mean([3], [10])
    assert np.isnan(mean.se[0])
    assert (mean.ci_low[0], mean.ci_high[0]) == (-np.inf, np.inf)


def test_nothing_observed():
    rate = clustered_rate(np.zeros((5, 1)), np.zeros((5, 1)))
    assert np.isnan(rate.p[0])
    assert np.isnan(rate.se[0])
    assert (rate.ci_low[0], rate.ci_high[0]) == (0, 1)


@pytest.mark.parametrize(
    ("n_matches", "n_deals", "expected"),
    [(30, 700, (30, False)), (29, 700, (30, True)), (5, 120, (12, True)), (1, 7, (7, True))],
)
def test_choice_of_clusters(n_matches, n_deals, expected):
    clusters = Clusters.choose(n_matches=n_matches, n_deals=n_deals)
    assert (clusters.n, clusters.batches) == expected
    assert clusters.suffix == (", batch means" if expected[1] else "")


def test_batches_are_consecutive_and_nearly_equal():
    clusters = Clusters.choose(n_matches=3, n_deals=67)
    ids = clusters.ids(match=np.zeros(67, dtype=np.int32), deal=np.arange(67))
    assert (np.diff(ids) >= 0).all()
    sizes = np.bincount(ids, minlength=clusters.n)
    assert sizes.max() - sizes.min() <= 1
    by_match = Clusters.choose(n_matches=40, n_deals=900)
    match = np.arange(900) // 23
    assert by_match.ids(match=match, deal=np.arange(900)).tolist() == match.tolist()


def test_suffix_reaches_the_method():
    assert clustered_rate([3, 4], [9, 9], suffix=", batch means").ci_method[0] == (
        "clopper-pearson, batch means"
    )
    assert clustered_mean([3, 4], [9, 9], suffix=", batch means").ci_method[0] == "t, batch means"


@pytest.mark.parametrize(("g", "p", "rho"), [(40, 0.3, 0.05), (200, 0.02, 0.02), (30, 0.5, 0.2)])
def test_clustered_rate_covers(g, p, rho):
    rng = np.random.default_rng(20240607)
    k = np.stack([beta_binomial(rng, g=g, m=20, p=p, rho=rho) for _ in range(2000)], axis=1)
    rate = clustered_rate(k, np.full(g, 20))
    covered = ((rate.ci_low <= p) & (p <= rate.ci_high)).mean()
    # Six binomial standard errors of 2,000 repeats below and above a coverage of 0.935 to 0.97.
    assert 0.905 < covered < 0.995
    naive_low, naive_high = wilson(k.sum(axis=0), 20 * g)
    if rho >= 0.05:
        assert ((naive_low <= p) & (p <= naive_high)).mean() < covered


def test_paired_difference_gains_from_common_walls():
    rng = np.random.default_rng(5)
    common = rng.normal(size=300)
    n = rng.integers(16, 30, 300)
    a = n * (2.0 + common) + rng.normal(scale=0.5, size=300)
    b = n * (2.5 + common) + rng.normal(scale=0.5, size=300)
    d = paired_difference(a, n, b, n)
    assert d.se[0] < d.se_unpaired[0] / 10
    assert d.ci_low[0] < 0.5 < d.ci_high[0]
    assert d.difference[0] == pytest.approx(d.b[0] - d.a[0])
    single = ratio(b - a, n)
    assert d.se[0] == pytest.approx(single[1][0], rel=1e-9)


def test_shapes_are_checked():
    with pytest.raises(ArgumentError, match="clusters"):
        clustered_rate(np.zeros((3, 2)), np.zeros(4))
    with pytest.raises(ArgumentError, match="same clusters"):
        paired_difference([1, 2], [3, 3], [1, 2, 3], [3, 3, 3])


def test_sum_by_keeps_empty_groups():
    assert sum_by(np.array([2, 0, 2]), np.array([1, 5, 3]), 4).tolist() == [5, 0, 4, 0]
