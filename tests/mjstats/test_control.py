from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from mjstats import collect, controls
from mjstats.controls import DealtControls
from mjstats.errors import ArgumentError, RulesetError
from mjstats.exact import expected_cells
from mjstats.results import open_run, simulate
from mjstats.stats.clustered import clustered_mean, sum_by
from mjstats.stats.control import ControlSums, controlled_mean


@pytest.fixture(scope="module")
def run():
    with pytest.MonkeyPatch.context() as patch:
        # Small chunks, so that what is added up chunk by chunk is tested.
        patch.setattr(collect, "CHUNK_DEALS", 700)
        return simulate("yancheng", deals=4000, seed=11)


def matches(rng, *, g=60, gain=1.0):
    """Play matches whose length depends on what happens in them: x, y, match.

    Each deal has two controls of mean 0.3 and 0; the first moves the payment, by `gain`. A match
    ends with probability 0.3 after a deal whose first control is high, 0.02 else, so that the mean
    of a match's controls is not theirs.
    """
    x, shared, match = [], [], []
    for i in range(g):
        state, over = rng.normal(), False
        while not over:
            x.append((rng.random() < 0.3, rng.normal()))
            over = rng.random() < (0.3 if x[-1][0] else 0.02)
            shared.append(state)
            match.append(i)
    x = np.array(x, dtype=float)
    y = gain * x[:, 0] + 0.1 * np.array(shared) + rng.normal(size=len(x)) * 0.3
    return x, y, np.array(match)


MU = np.array([0.3, 0.0])


def repeat(n, *, seed, gain):
    """Estimates of many repetitions, and the truth: gain * 0.3 a deal."""
    rng = np.random.default_rng(seed)
    cases = []
    for _ in range(n):
        x, y, match = matches(rng, gain=gain)
        cases.append(controlled_mean(y, x, MU, clusters=match))
    names = ("plain", "plain_se", "mean", "se", "ci_low", "ci_high", "variance_ratio")
    return {name: np.array([getattr(c, name)[0] for c in cases]) for name in names}


def test_intervals_cover_and_estimates_scatter_as_they_say():
    n = 1000
    seen = repeat(n, seed=1, gain=1.0)
    covered = ((seen["ci_low"] <= 0.3) & (seen["ci_high"] >= 0.3)).mean()
    # Four binomial standard errors.
    assert abs(covered - 0.95) < 4 * np.sqrt(0.05 * 0.95 / n)
    assert abs(seen["mean"].mean() - 0.3) < 4 * seen["mean"].std() / np.sqrt(n)
    assert (seen["se"] ** 2).mean() / seen["mean"].var() == pytest.approx(1, abs=0.18)
    ratio = seen["variance_ratio"].mean()
    assert 0.3 < ratio < 0.8
    assert seen["mean"].var() / seen["plain"].var() == pytest.approx(ratio, abs=0.12)


def test_nothing_is_gained_and_little_lost_without_correlation():
    seen = repeat(300, seed=2, gain=0.0)
    assert seen["variance_ratio"].mean() == pytest.approx(1, abs=0.02)
    assert (seen["variance_ratio"] > 0.9).all()
    covered = ((seen["ci_low"] <= 0) & (seen["ci_high"] >= 0)).mean()
    assert abs(covered - 0.95) < 4 * np.sqrt(0.05 * 0.95 / 300)


def test_matches_that_end_by_the_control_have_a_biased_mean_of_means():
    # What the estimator must not do: average the controls of each match.
    rng = np.random.default_rng(3)
    x, _, match = matches(rng, g=3000)
    means = sum_by(match, x[:, 0], 3000) / np.bincount(match)
    assert means.mean() - 0.3 > 10 * means.std() / np.sqrt(3000)
    sums = sum_by(match, x[:, 0] - 0.3, 3000)
    assert abs(sums.mean()) < 4 * sums.std() / np.sqrt(3000)


def test_weights_reproduce_the_known_means_and_what_adds_up():
    x, y, match = matches(np.random.default_rng(4))
    won = x[:, 0]
    other = np.column_stack([y, 2 - y, won, 1 - won, x[:, 1]])
    c = controlled_mean(other, x, MU, clusters=match)
    assert c.mean[0] + c.mean[1] == pytest.approx(2)
    assert c.mean[2:].tolist() == pytest.approx([0.3, 0.7, 0.0])
    assert c.se[2:].tolist() == pytest.approx([0.0] * 3, abs=1e-7)
    assert c.n_controls == 2


def test_estimate_is_that_of_explicit_weights():
    x, y, match = matches(np.random.default_rng(5))
    sizes = 1.0 + (y > 0)
    c = controlled_mean(y, x, MU, clusters=match, sizes=sizes)
    n, d = len(x), x.mean(axis=0) - MU
    inverse = np.linalg.inv(np.cov(x.T, bias=True))
    w = (1 - (x - x.mean(axis=0)) @ inverse @ d) / n
    value = (w @ y) / (w @ sizes)
    assert c.mean[0] == pytest.approx(value, rel=1e-12)
    # Residuals by ordinary least squares of y - value * size, its error by match.
    e = y - value * sizes
    slope = np.linalg.lstsq(x - x.mean(axis=0), e, rcond=None)[0]
    by_match = sum_by(match, e - (x - MU) @ slope, 60)
    factor = 60 / 59 * (n - 1) / (n - 3) * (1 + d @ inverse @ d)
    assert c.se[0] == pytest.approx(np.sqrt(factor * (by_match**2).sum()) / (n * (w @ sizes)))


def test_plain_estimate_is_that_of_clustered_means():
    x, y, match = matches(np.random.default_rng(6))
    c = controlled_mean(y, x, MU, clusters=match)
    plain = clustered_mean(sum_by(match, y, 60), np.bincount(match))
    for name in ("mean", "se", "ci_low", "ci_high"):
        theirs = {"mean": c.plain, "se": c.plain_se}.get(name, getattr(c, f"plain_{name}", None))
        assert theirs[0] == pytest.approx(getattr(plain, name)[0], rel=1e-9)


def test_controls_that_repeat_or_never_vary_change_nothing():
    x, y, match = matches(np.random.default_rng(7))
    wide = np.column_stack([x, 1 - x[:, 0], np.zeros(len(x))])
    mu = np.array([0.3, 0.0, 0.7, 1e-4])
    a = controlled_mean(y, x, MU, clusters=match)
    b = controlled_mean(y, wide, mu, clusters=match)
    assert b.n_controls == 2
    assert (b.mean[0], b.se[0]) == pytest.approx((a.mean[0], a.se[0]), rel=1e-9)


def test_sums_do_not_depend_on_the_parts():
    x, y, match = matches(np.random.default_rng(8))
    group = (np.arange(len(x)) * 7) % 3
    whole, parts = ControlSums(2, 1), ControlSums(2, 1)
    one = np.ones((len(x), 1))
    whole.add(match, group, x - MU, y[:, None], one)
    for part in np.array_split(np.arange(len(x)), 9):
        parts.add(match[part], group[part], (x - MU)[part], y[part, None], one[part])
    a, b = whole.estimates(g=60), parts.estimates(g=60)
    for name in ("plain", "plain_se", "mean", "se", "departure"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-10)
    assert a.n.tolist() == np.bincount(group).tolist()
    for g in range(3):
        own = group == g
        # Clusters without deals of the group count too.
        alone = controlled_mean(y[own], x[own], MU, clusters=match[own])
        clusters = len(np.unique(match[own]))
        scale = np.sqrt(60 / 59 / (clusters / (clusters - 1)))
        assert a.mean[g, 0] == pytest.approx(alone.mean[0], rel=1e-10)
        assert a.se[g, 0] == pytest.approx(alone.se[0] * scale, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [[[1.0]]]}, "y of shape"),
        ({"x": [1.0, 2.0]}, "are expected"),
        ({"mu": [0.0, 1.0]}, "are expected"),
        ({"clusters": [0, 1]}, "are expected"),
        ({"sizes": [1.0] * 5}, "sizes"),
        ({"y": [1.0, np.nan, 1.0, 1.0]}, "y: finite"),
        ({"mu": np.inf}, "mu: finite"),
        ({"x": np.ones((4, 3)), "mu": 1.0}, "need 5 or more"),
        ({"alpha": 0.0}, "alpha"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    good = {
        "y": [1.0, 2.0, 3.0, 4.0],
        "x": [0.0, 1.0, 0.0, 1.0],
        "mu": 0.5,
        "clusters": [0, 0, 1, 1],
    }
    arguments = good | change
    with pytest.raises(ArgumentError, match=message):
        controlled_mean(arguments.pop("y"), arguments.pop("x"), arguments.pop("mu"), **arguments)


def law(ruleset, table, start):
    cells = expected_cells(ruleset)
    return {
        c.cell[len(start) :]: c.p for c in cells if c.table == table and c.cell.startswith(start)
    }


@pytest.mark.parametrize("by_seat", [False, True])
def test_controls_are_the_dealt_hands_less_their_exact_means(run, by_seat):
    deals = run.deals
    own = DealtControls.of(run, by_seat=by_seat)
    x = own.values({name: deals[name].to_numpy() for name in own.columns})
    assert x.shape == (len(deals), own.n)
    # Classes of shanten but the last, which ends where the next begins.
    least = (2, 3, 4) if by_seat else (1, 2, 3, 4)
    size = len(least) + 2
    assert own.n == 4 * size
    row = 17
    for place in range(4):
        dealer = int(deals["dealer"][row])
        seat = place if by_seat else (dealer + place) % 4
        table = "dealer_hand" if seat == dealer else "hand"
        block = x[row, size * place : size * (place + 1)]
        shanten = {int(s): p for s, p in law("yancheng", table, "dealt_shanten_").items()}
        shanten[-1] = law("yancheng", table, "dealt_complete").get("", 0)
        dealt = int(deals[f"shanten_{seat}"][row])
        expected = [
            (start <= dealt < stop) - float(sum(p for s, p in shanten.items() if start <= s < stop))
            for start, stop in pairwise((-1, *least))
        ]
        bonus = law("yancheng", table, "bonus_")
        mean = sum(int(b) * p for b, p in bonus.items())
        flowers = int(deals[f"bonus_{seat}"][row])
        expected += [flowers - float(mean), (flowers == 0) - float(bonus["0"])]
        assert block.tolist() == pytest.approx(expected)


def test_means_of_controls_are_zero_whatever_came_before(run):
    own = DealtControls.of(run)
    deals = run.deals
    x = own.values({name: deals[name].to_numpy() for name in own.columns})
    for part in (deals["dealer"] == 2, deals["deal_in_match"] > 12, deals["jia"] > 0):
        some = x[part.to_numpy()]
        z = some.mean(axis=0) / (x.std(axis=0) / np.sqrt(len(some)))
        # 72 values in all.
        assert np.abs(z).max() < 4.5


def test_settlements_keep_their_columns_and_sum_to_zero(run):
    plain = run.expected_settlements(by="is_dealer")
    table = run.expected_settlements(by="is_dealer", control=True)
    assert list(table.columns) == [*plain.columns, "variance_ratio"]
    same = ["is_dealer", "n", "sd"]
    assert table[same].equals(plain[same])
    assert set(table["ci_method"]) == {"t, control variates"}
    other, dealer = table["mean"]
    assert 3 * other + dealer == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(table["variance_ratio"], (table["se"] / plain["se"]) ** 2)
    assert (table["variance_ratio"] < 0.99).all()
    assert any("control variates" in note for note in table.attrs["notes"])


def test_settlements_are_those_of_the_arrays(run):
    deals = run.deals
    own = DealtControls.of(run)
    x = own.values({name: deals[name].to_numpy() for name in own.columns})
    pay = deals[[f"pay_{s}" for s in range(4)]].to_numpy()
    won = (deals["outcome"] == "win").to_numpy() & (deals["winner"] == deals["dealer"]).to_numpy()
    dealer = deals["dealer"].to_numpy()
    y = np.where(won, pay[np.arange(len(pay)), dealer], 0)
    c = controlled_mean(y, x, np.zeros(own.n), clusters=deals["match"], sizes=won)
    table = run.expected_settlements(control=True)
    cell = table[(table["role"] == "winner") & table["is_dealer"]].iloc[0]
    assert (cell["mean"], cell["se"]) == pytest.approx((c.mean[0], c.se[0]), rel=1e-9)
    assert (cell["ci_low"], cell["ci_high"]) == pytest.approx((c.ci_low[0], c.ci_high[0]))
    assert cell["variance_ratio"] == pytest.approx(c.variance_ratio[0], rel=1e-6)


def test_groups_that_are_known_before_the_deal_have_their_own_weights(run):
    deals = run.deals
    own = DealtControls.of(run, by_seat=True)
    part = (deals["dealer"] == 1).to_numpy()
    x = own.values({name: deals[name].to_numpy()[part] for name in own.columns})
    sums = ControlSums(own.n, 1)
    group = np.zeros(part.sum(), dtype=int)
    match, pay = deals["match"].to_numpy()[part], deals[["pay_1"]].to_numpy()[part]
    sums.add(match, group, x, pay, np.ones(pay.shape))
    expected = sums.estimates(g=run.n_matches)
    table = run.expected_settlements(by=["seat", "is_dealer"], control=True)
    cell = table[(table["seat"] == 1) & table["is_dealer"]].iloc[0]
    assert cell["mean"] == pytest.approx(expected.mean[0, 0], rel=1e-9)
    assert cell["se"] == pytest.approx(expected.se[0, 0], rel=1e-9)


def test_small_groups_and_rare_events_stay_plain(run):
    plain = run.expected_settlements(by="deal_in_match")
    table = run.expected_settlements(by="deal_in_match", control=True)
    assert table["variance_ratio"].isna().all()
    assert table[list(plain.columns)].equals(plain)
    plain, table = run.frequencies(), run.frequencies(control=True)
    rare = (np.minimum(plain["k"], plain["n"] - plain["k"]) < 10) | ~plain["per"].isin(
        ["deal", "win"]
    )
    assert (table["variance_ratio"].isna() == rare).all()
    assert table.loc[rare, list(plain.columns)].equals(plain[rare])


def test_rates_add_up_and_gain_where_the_dealt_hand_matters(run):
    table = run.frequencies(control=True).set_index(["element", "per"])
    plain = run.frequencies().set_index(["element", "per"])
    assert list(table.columns) == [*plain.columns, "variance_ratio"]
    assert table[["k", "n"]].equals(plain[["k", "n"]])
    p = table["p"]
    assert p["win", "deal"] + p["exhausted", "deal"] == pytest.approx(1)
    cell = table.loc["qi_shou_ting", "deal"]
    assert cell["variance_ratio"] < 0.8
    assert cell["se"] < 0.9 * plain.loc[("qi_shou_ting", "deal"), "se"]
    assert cell["ci_method"] == "wilson, control variates"
    assert cell["ci_low"] < cell["p"] < cell["ci_high"]
    assert table.loc["duan_men", "deal"]["variance_ratio"] == pytest.approx(1, abs=0.03)


def test_several_winners_count_each():
    run = simulate("plain", deals=2500, seed=2, changes={"multi_ron": True})
    deals, wins = run.deals, run.wins
    own = DealtControls.of(run)
    x = own.values({name: deals[name].to_numpy() for name in own.columns})
    assert (deals["n_winners"] > 1).any()
    discards = np.bincount(wins["deal"][wins["by"] == "discard"], minlength=len(deals))
    c = controlled_mean(
        discards, x, np.zeros(own.n), clusters=deals["match"], sizes=deals["n_winners"]
    )
    table = run.frequencies(control=True).set_index(["element", "per"])
    cell = table.loc["win_by_discard", "win"]
    assert (cell["p"], cell["se"]) == pytest.approx((c.mean[0], c.se[0]), rel=1e-9)


def test_runs_on_disk_give_the_same(run, tmp_path):
    simulate("yancheng", deals=4000, seed=11, out=tmp_path / "run")
    stored = open_run(tmp_path / "run")
    for name, keys in (("expected_settlements", {}), ("frequencies", {})):
        a = getattr(stored, name)(control=True, **keys)
        b = getattr(run, name)(control=True, **keys)
        for column in a.select_dtypes("number"):
            np.testing.assert_allclose(a[column], b[column], rtol=1e-9)


def test_gains_show_both_estimates(run):
    gains = run.control_gains(by=["is_dealer"])
    cell = gains[gains["cell"] == "is_dealer=True"].iloc[0]
    table = run.expected_settlements(by="is_dealer", control=True).iloc[1]
    assert (cell["mean"], cell["se"]) == (table["mean"], table["se"])
    assert cell["worth"] == pytest.approx((cell["se_plain"] / cell["se"]) ** 2)
    rates = gains[gains["table"] == "frequencies"].set_index("cell")
    assert rates.loc["qi_shou_ting per deal", "worth"] > 1.2


def test_seats_of_different_policies_have_controls_by_seat():
    run = simulate("yancheng", deals=1200, seed=3, policies=["greedy", "random"] * 2)
    assert DealtControls.of(run).by_seat
    table = run.expected_settlements(by="policy", control=True).set_index("policy")
    assert table["variance_ratio"].notna().all()
    assert table["mean"].sum() == pytest.approx(0, abs=1e-9)


def test_without_exact_values_there_is_an_error(run, monkeypatch):
    cells = expected_cells("yancheng")
    without = [cell for cell in cells if cell.cell != "dealt_shanten_2"]
    monkeypatch.setattr(controls, "expected_cells", lambda rules: without)
    with pytest.raises(RulesetError, match="no exact values of the dealt shanten of 'yancheng'"):
        run.expected_settlements(control=True)


def moved(cells, *, table, source, target, share):
    """Move a share of the probability of one cell to another."""
    p = {cell[:2]: cell.p for cell in cells}
    amount = p[table, source] * share
    change = {source: -amount, target: amount}
    return [
        cell._replace(p=cell.p + change.get(cell.cell, 0)) if cell.table == table else cell
        for cell in cells
    ]


def test_wrong_exact_values_are_noticed(run, monkeypatch):
    wrong = moved(
        expected_cells("yancheng"),
        table="hand",
        source="dealt_shanten_2",
        target="dealt_shanten_3",
        share=Fraction(1, 5),
    )
    monkeypatch.setattr(controls, "expected_cells", lambda rules: wrong)
    with pytest.raises(RulesetError, match="not distributed as the exact values of 'yancheng'"):
        run.frequencies(control=True)


def test_hands_that_are_impossible_by_the_exact_values_are_noticed(run, monkeypatch):
    wrong = expected_cells("yancheng")
    for table in ("hand", "dealer_hand"):
        for bonus in range(4, 37):
            name = f"bonus_{bonus}"
            wrong = moved(wrong, table=table, source=name, target="bonus_3", share=1)
            wrong = [cell for cell in wrong if cell[:2] != (table, name)]
    monkeypatch.setattr(controls, "expected_cells", lambda rules: wrong)
    with pytest.raises(RulesetError, match="was dealt, which is impossible"):
        run.frequencies(control=True)
