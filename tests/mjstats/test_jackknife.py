"""The jackknife and the Gini coefficient against what is obvious, and against known laws."""

import numpy as np
import pytest

from mjstats.errors import ArgumentError
from mjstats.stats.clustered import mean_of, ratio
from mjstats.stats.concentration import gini
from mjstats.stats.jackknife import jackknife


def mean(sums):
    return sums[:, :1] / sums[:, 1:2]


def slow_jackknife(parts, statistic):
    """Leave each group out in turn."""
    left_out = [
        statistic(np.delete(parts, group, axis=0).sum(axis=0)[None])[0]
        for group in range(len(parts))
    ]
    g, middle = len(parts), np.mean(left_out, axis=0)
    return np.sqrt((g - 1) / g * sum((value - middle) ** 2 for value in left_out))


def slow_gini(amounts):
    """Mean absolute difference of all pairs, over twice the mean."""
    pairs = [abs(a - b) for a in amounts for b in amounts]
    return np.mean(pairs) / (2 * np.mean(amounts))


def test_it_is_leaving_each_group_out():
    rng = np.random.default_rng(1)
    parts = rng.gamma(2.0, size=(13, 3))

    def statistic(sums):
        return np.column_stack([sums[:, 0] / sums[:, 1], np.sqrt(sums[:, 2] * sums[:, 0])])

    value, se = jackknife(parts, statistic)
    np.testing.assert_allclose(value, statistic(parts.sum(axis=0)[None])[0])
    np.testing.assert_allclose(se, slow_jackknife(parts, statistic))


def test_equal_groups_give_the_standard_error_of_a_mean():
    x = np.random.default_rng(2).normal(size=40)
    value, se = jackknife(np.column_stack([5 * x, np.full(40, 5)]), mean)
    assert value[0] == pytest.approx(x.mean())
    assert se[0] == pytest.approx(x.std(ddof=1) / np.sqrt(40))


def test_unequal_groups_agree_with_the_delta_method():
    rng = np.random.default_rng(3)
    n = rng.integers(15, 30, 2000)
    total = n * rng.normal(1.0, 0.3, 2000)
    _, se = jackknife(np.column_stack([total, n]), mean)
    assert se[0] == pytest.approx(ratio(total, n)[1][0], rel=2e-3)


def test_fifty_groups_tell_what_all_clusters_tell():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(5000, 20)) + rng.normal(size=(5000, 1))
    parts = np.column_stack([x.sum(axis=1), np.full(5000, 20)])
    _, fine = jackknife(parts, mean)
    _, coarse = jackknife(parts.reshape(50, 100, 2).sum(axis=1), mean)
    # The standard deviation of a standard error from 50 groups is a tenth of it.
    assert coarse[0] == pytest.approx(fine[0], rel=0.35)


@pytest.mark.parametrize("what", ["sd", "gini"])
def test_intervals_cover_what_is_known(what):
    """Clustered geometric amounts: sd and Gini are known, and intervals hold them in 95 %."""
    rng = np.random.default_rng(5)
    values = np.arange(60)
    # Four of the ten amounts of a cluster are one and the same.
    p = 0.2
    truth = {"sd": np.sqrt((1 - p) / p**2), "gini": 1 / (2 - p)}[what]
    runs = 600
    x = rng.geometric(p, size=(runs, 50, 8, 10)) - 1
    x[..., :4] = x[..., :1]
    x = np.minimum(x, 59)
    held = 0
    for sample in x.reshape(runs, 50, 80):
        counts = np.stack([np.bincount(group, minlength=60) for group in sample])
        if what == "gini":
            value, se = jackknife(counts, lambda c: gini(values, c)[:, None])
        else:
            sums = np.stack([counts @ values**k for k in range(3)], axis=1)
            value, se = jackknife(
                sums, lambda s: np.sqrt(s[:, 2:] / s[:, :1] - (s[:, 1:2] / s[:, :1]) ** 2)
            )
        interval = mean_of(value, np.array([4000]), se=se, g=50)
        held += interval.ci_low[0] < truth < interval.ci_high[0]
    # Three standard errors of the share are 2.7 %.
    assert 0.915 <= held / runs <= 0.975


def test_one_group_tells_no_error():
    value, se = jackknife([[3.0, 2.0]], mean)
    assert value.tolist() == [1.5]
    assert np.isnan(se).all()


def test_what_is_undefined_without_a_group_has_no_error():
    with np.errstate(invalid="ignore", divide="ignore"):
        value, se = jackknife([[1.0, 1.0], [0.0, 0.0]], mean)
    assert value.tolist() == [1.0]
    assert np.isnan(se).all()


def test_parts_are_a_table():
    with pytest.raises(ArgumentError, match=r"shape \(3,\): \(groups, sums\)"):
        jackknife([1.0, 2.0, 3.0], mean)


def test_gini_is_the_mean_difference():
    amounts = np.random.default_rng(6).integers(0, 30, 200)
    values, counts = np.unique(amounts, return_counts=True)
    assert gini(values, counts) == pytest.approx(slow_gini(amounts))
    np.testing.assert_allclose(gini(values, [counts, 3 * counts]), [slow_gini(amounts)] * 2)


@pytest.mark.parametrize(
    ("values", "counts", "expected"),
    [([7], [5], 0.0), ([0, 9], [4, 1], 0.8), ([1, 3], [1, 1], 0.25), ([0, 2, 5], [0, 3, 0], 0.0)],
)
def test_gini_of_small_samples(values, counts, expected):
    assert gini(values, counts) == pytest.approx(expected)


def test_gini_of_the_exponential_law_is_a_half():
    # Quantiles of the law.
    x = -np.log1p(-(np.arange(20000) + 0.5) / 20000)
    assert gini(x, np.ones(20000)) == pytest.approx(0.5, abs=1e-4)


def test_gini_of_nothing_is_missing():
    assert np.isnan(gini([0], [3]))
    assert np.isnan(gini([0, 2], [0, 0]))


@pytest.mark.parametrize(
    ("values", "counts", "said"),
    [
        ([1, 2], [1, 2, 3], "one a value"),
        ([[1, 2]], [[1, 2]], "one a value"),
        ([2, 1], [1, 1], "ascending"),
        ([1, 1], [1, 1], "ascending"),
        ([-1, 1], [1, 1], "ascending"),
    ],
)
def test_gini_refuses_what_is_no_distribution(values, counts, said):
    with pytest.raises(ArgumentError, match=said):
        gini(values, counts)
