"""Rare elements: hands of a stratum, the law of the deals, unbiased estimates, any workers."""

from collections import Counter
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import product
from math import comb, prod

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import mjstats as mj
from mjstats import _core, exact
from mjstats.counting import Sum, Tiles, Trait
from mjstats.dealt import DealtHands
from mjstats.errors import ArgumentError
from mjstats.policies import policy_codes
from mjstats.traits import Room, pairs

# The function of the same name stands before the module.
module = import_module("mjstats.rare")
YANCHENG = mj.ruleset("yancheng")
SMALL = Tiles(0, (2, 2, 1, *[0] * 6, 1, 2, *[0] * 7, 2, *[0] * 15))


@cache
def plain_rates(**settings: bool) -> pd.DataFrame:
    changes = {f"options.{name}": value for name, value in settings.items()}
    run = mj.simulate("yancheng", deals=120_000, seed=31, changes=changes)
    table = run.frequencies()
    return table[table["per"] == "deal"].set_index("element")


# Dealt hands


def test_hands_of_a_stratum_are_drawn_as_they_are_dealt() -> None:
    """Chi-square over every hand of four tiles, each weighing its number of physical hands."""
    ways = {
        held: prod(comb(n, k) for n, k in zip(SMALL.copies, held, strict=True))
        for held in product(*(range(n + 1) for n in SMALL.copies))
        if sum(held) == 4
    }
    hands = DealtHands(SMALL, 4, [Sum(pairs, 7)], lambda elements: elements)
    rng = np.random.default_rng(5)
    for stratum, share in hands.share.items():
        members = {held: n for held, n in ways.items() if sum(k // 2 for k in held) == stratum[0]}
        total = sum(members.values())
        assert share == Fraction(total, comb(SMALL.total, 4))
        drawn = Counter(tuple(map(int, row)) for row in hands.draw(stratum, 20_000, rng))
        assert set(drawn) <= set(members)
        if len(members) > 1:
            expected = [20_000 * n / total for n in members.values()]
            assert stats.chisquare([drawn[held] for held in members], expected).pvalue > 1e-4
    assert sum(hands.share.values()) == 1


@pytest.mark.parametrize("trait", [Room(), Sum(pairs, 7)])
def test_no_hands_have_no_products(trait: Trait) -> None:
    """Part of the deals may have no hit: the strata of none are none."""
    none = np.zeros(0, dtype=np.uint16)
    assert trait.products(none, none)[none, none].tolist() == []


@pytest.mark.parametrize("by", [("copies",), ("suit",), ("shanten",), ("copies", "suit")])
def test_a_drawn_hand_lies_in_its_stratum(by: tuple[str, ...]) -> None:
    hands = module._hands(YANCHENG, 13, by)
    rng = np.random.default_rng(2)
    assert sum(hands.share.values()) == 1
    for stratum in hands.share:
        drawn = hands.draw(stratum, 20, rng)
        assert (drawn.sum(axis=1) == 13).all()
        assert (drawn <= 4).all()
        assert hands.strata(drawn) == [stratum] * 20
        numbers = dict(zip([n for name in by for n in module.STRATA[name]], stratum, strict=True))
        for row in drawn:
            seen = {
                "quads": (row == 4).sum(),
                "triplets": (row == 3).sum(),
                "pairs": (row == 2).sum(),
                "longest_suit": row[:27].reshape(3, 9).sum(axis=1).max(),
                "shanten": mj.shanten(row[None], ruleset=YANCHENG)[0] if "shanten" in by else None,
            }
            assert numbers == {name: seen[name] for name in numbers}


@pytest.mark.parametrize("tiles", [13, 14])
def test_strata_have_their_exact_shares(tiles: int) -> None:
    table = exact.shanten("yancheng", tiles=tiles, fractions=True)
    shares = module._hands(YANCHENG, tiles, ("shanten",)).share
    assert {s: p for (s,), p in shares.items()} == dict(
        zip(table["shanten"], table["fraction"], strict=True)
    )
    longest = module._hands(YANCHENG, tiles, ("suit",)).share
    assert longest[tiles,] == Fraction(3 * comb(36, tiles), comb(108, tiles))


def play(
    hands: np.ndarray, *, place: int, event: str = "men_qing", seed: int = 7, **aim: object
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _core.play_given(
        _core.rule_record(YANCHENG),
        policy_codes("greedy"),
        key=(seed, place),
        place=place,
        hands=hands,
        conditions=module.Event.parse(event, YANCHENG).conditions,
        **aim,
    )


def any_hands(n: int, *, place: int, seed: int = 3) -> np.ndarray:
    hands = module._hands(YANCHENG, 13 if place else 14, ())
    return hands.draw((), n, np.random.default_rng(seed))


@pytest.mark.parametrize("place", range(4))
def test_deals_round_a_given_hand_are_plain_deals(place: int) -> None:
    """With hands that are drawn unconditionally every seat is dealt what it is in a plain deal."""
    given = any_hands(4000, place=place)
    found, dealt, _ = play(given, place=place, event="hei_zi")
    assert (dealt[:, place] == given).all()
    assert (dealt.sum(axis=1) <= 4).all()
    for seat in range(4):
        assert (dealt[:, seat].sum(axis=1) == (13 if seat else 14)).all()
        shanten = mj.shanten(np.ascontiguousarray(dealt[:, seat]), ruleset=YANCHENG)
        table = exact.shanten("yancheng", tiles=13 if seat else 14)
        rows = table[table["p"] > 0.002]
        seen = [(shanten == s).sum() for s in rows["shanten"]]
        expected = rows["p"] / rows["p"].sum() * sum(seen)
        assert stats.chisquare(seen, expected).pvalue > 1e-4
        kinds = dealt[:, seat].sum(axis=0)[:27]
        assert stats.chisquare(kinds).pvalue > 1e-4
    # No flower until declaring: the bonus tiles lie as in a plain wall.
    rate = plain_rates().loc["hei_zi"]
    p = found.sum(axis=1)
    assert abs(p.mean() - rate["p"]) < 4 * np.hypot(np.sqrt(rate["p"] / len(p)), rate["se"])


def test_a_given_hand_leaves_its_tiles_to_nobody_else() -> None:
    hand = np.zeros((500, 34), np.uint8)
    hand[:, [0, 5, 20]] = 4
    hand[:, 8] = 1
    _, dealt, _ = play(hand, place=2)
    assert (dealt[:, 2] == hand).all()
    assert not dealt[:, [0, 1, 3]][:, :, [0, 5, 20]].any()
    assert (dealt[:, [0, 1, 3], 8].sum(axis=1) <= 3).all()


# Splitting


# A third as much at each step.
LOWER = [min(1.0, 3.0 ** (i - 8)) for i in range(_core.AIM_LEVELS)]
AIMS = {
    "qi_dui": {"wanted": (2,) * 7, "concealed": True, "target": LOWER},
    "yao_jiu": {"wanted": (3, 3, 3, 3, 2), "target": LOWER},
    "duan_men": {"one_suit": True, "target": LOWER},
    "men_qing": {"wanted": (4, 4, 4, 2), "target": LOWER, "start": 1.7},
}


@pytest.mark.parametrize("event", sorted(AIMS))
def test_split_deals_have_the_event_as_often_as_plain_ones(event: str) -> None:
    """About three copies at each step: the mean stays, and copies are not all alike."""
    found, _, reached = play(any_hands(2500, place=1), place=1, event=event, **AIMS[event])
    part = found.sum(axis=1)
    rate = plain_rates().loc[event]
    se = part.std() / np.sqrt(len(part))
    assert abs(part.mean() - rate["p"]) < 4 * np.hypot(se, rate["se"])
    assert len(set(part)) > 10
    assert (np.diff(reached) >= -1e-9).all()
    assert reached[-1] == pytest.approx(2500, abs=15)


def test_copies_reach_each_step_as_often_as_plain_deals() -> None:
    hands = any_hands(3000, place=1)
    aim = {"wanted": (3, 3, 3, 3, 2)}
    _, _, plain = play(hands, place=1, seed=1, **aim)
    _, _, split = play(hands, place=1, seed=2, target=LOWER, **aim)
    assert (np.abs(split - plain) < 5 * np.sqrt(plain + 1)).all()


def test_hands_are_as_near_as_they_are() -> None:
    """A complete hand of four concealed triplets that wins at once was never nearer by a throw."""
    hand = np.zeros((50, 34), np.uint8)
    hand[:, [0, 4, 8, 12]] = 3
    hand[:, 20] = 1
    _, _, reached = play(hand, place=1, wanted=(3, 3, 3, 3, 2))
    assert reached[1] == pytest.approx(50, abs=10)
    _, _, reached = play(hand, place=1, one_suit=True)
    assert reached[1] < 25


# Estimates


def z_score(estimate: pd.Series, rate: pd.Series) -> float:
    return float((estimate["p"] - rate["p"]) / np.hypot(estimate["se"], rate["se"]))


@pytest.mark.parametrize(
    ("element", "method"),
    [
        ("qi_dui", "copies"),
        ("qi_dui", "suit"),
        ("peng_peng_hu", "copies"),
        ("qing_yi_se", "suit"),
        ("yi_tiao_long", "shanten"),
        ("duan_men", "copies+suit"),
        ("men_qing", "shanten"),
        ("peng_peng_hu", "split"),
        ("qing_yi_se", "split"),
    ],
)
def test_estimates_agree_with_plain_simulation(element: str, method: str) -> None:
    table = mj.rare("yancheng", element, seed=4, deals=60_000, target=0.001, method=method)
    assert abs(z_score(table.iloc[0], plain_rates().loc[element])) < 4


def test_any_winner_of_a_tile_counts() -> None:
    """Where several win by one tile, the element occurs if any of them has it."""
    plain = plain_rates(multi_ron=True)
    table = mj.rare(
        "yancheng", "yao_jiu", seed=4, deals=60_000, changes={"options.multi_ron": True}
    )
    assert abs(z_score(table.iloc[0], plain.loc["yao_jiu"])) < 4


def test_several_elements_in_one_win_and_their_values() -> None:
    run = mj.simulate("yancheng", deals=60_000, seed=8).deals
    wanted = (run["el_qi_dui"] > 0) & (run["el_duan_men"] > 0) & (run["el_yao_jiu"] >= 4)
    p = wanted.mean()
    table = mj.rare("yancheng", "qi_dui+duan_men+yao_jiu>=4", seed=3, deals=30_000)
    rate = pd.Series({"p": p, "se": np.sqrt(p * (1 - p) / len(run))})
    assert abs(z_score(table.iloc[0], rate)) < 4
    values = mj.rare("yancheng", ["deng_zi", "deng_zi=10", "deng_zi>=20"], seed=3, deals=20_000)
    whole, ten, more = values["p"]
    assert abs(whole - ten - more) < 4 * np.hypot(*values["se"][:2])


def test_tian_hu_is_exact_and_its_estimate_agrees() -> None:
    p = exact.complete("yancheng", fractions=True)["fraction"].iloc[0]
    row = mj.rare("yancheng", "tian_hu", seed=1).iloc[0]
    assert (row["p"], row["se"], row["method"]) == (float(p), 0, "exact")
    assert Fraction(int(row["k"]), int(row["n"])) == p
    row = mj.rare("yancheng", "tian_hu", seed=1, deals=60_000, method="shanten").iloc[0]
    # Its stratum is the complete hands, so that what is left to chance is next to nothing.
    assert row["p"] == pytest.approx(float(p), rel=1e-3)
    assert row["ci_low"] < float(p) < row["ci_high"]


def test_estimates_are_the_same_for_any_number_of_workers() -> None:
    tables = [
        mj.rare("yancheng", ["peng_peng_hu", "qi_dui"], seed=6, deals=10_000, workers=n)
        for n in (1, 2, 3)
    ]
    pd.testing.assert_frame_equal(tables[0], tables[1], check_exact=True)
    pd.testing.assert_frame_equal(tables[0], tables[2], check_exact=True)
    other = mj.rare("yancheng", "peng_peng_hu", seed=7, deals=10_000)
    assert other["p"].iloc[0] != tables[0]["p"].iloc[0]


def test_the_numbers_of_deals_are_kept() -> None:
    row = mj.rare("yancheng", "peng_peng_hu", seed=6, deals=50_000, method="copies").iloc[0]
    assert row["n"] + row["pilot"] <= 50_000 + 2 * 160
    assert row["pilot"] <= 0.3 * 50_000
    assert row["k"] / row["n"] == pytest.approx(row["p"])
    easy = mj.rare("yancheng", "duan_men", seed=6, deals=400_000).iloc[0]
    assert easy["reached"]
    assert easy["n"] < 100_000


def test_strata_make_up_the_estimate() -> None:
    arguments = {"seed": 6, "deals": 50_000, "method": "copies"}
    whole = mj.rare("yancheng", "peng_peng_hu", **arguments).iloc[0]
    table = mj.rare("yancheng", "peng_peng_hu", **arguments, by_stratum=True)
    assert table["part"].sum() == pytest.approx(whole["p"])
    assert table["n"].sum() == whole["n"]
    assert table["hits"].sum() == whole["hits"]
    assert table.groupby("place")["share"].sum().to_numpy() == pytest.approx(1)


def test_luxury_pairs_by_splitting_agree_with_strata() -> None:
    """Rare as they are, both ways find them."""
    arguments = {"seed": 2, "policies": "greedy:fei_ting"}
    split = mj.rare("yancheng", "hao_hua_qi_dui", deals=90_000, **arguments).iloc[0]
    strata = mj.rare(
        "yancheng", "hao_hua_qi_dui", deals=150_000, method="copies", **arguments
    ).iloc[0]
    assert split["rel_se"] < 0.12
    assert abs(z_score(split, strata)) < 4
    two = mj.rare("yancheng", "hao_hua_qi_dui=4", deals=50_000, **arguments).iloc[0]
    assert two["hits"] > 30
    assert two["p"] < split["p"] / 5


def test_combined_elements_agree_with_strata() -> None:
    """Suits and copies together, though plain deals hardly ever have both."""
    split = mj.rare("yancheng", "qi_dui+qing_yi_se", seed=2, deals=90_000).iloc[0]
    strata = mj.rare(
        "yancheng", "qi_dui+qing_yi_se", seed=3, deals=150_000, method="copies+suit"
    ).iloc[0]
    assert (split["method"], split["rel_se"] < 0.25) == ("split", True)
    assert abs(z_score(split, strata)) < 4


def test_kongs_of_the_winner() -> None:
    """As rows of the replayed deals count them, melded and concealed."""
    kongs = []
    for deal in range(200):
        trace = mj.replay("plain", seed=5, deal=0, match=deal)
        win = next((event for event in trace.events if event["event"] == "win"), None)
        kongs.append(0 if win is None else sum("kong" in meld["type"] for meld in win["melds"]))
    p = np.mean(np.array(kongs) >= 1)
    row = mj.rare("plain", "kongs", seed=1, deals=10_000).iloc[0]
    assert (row["name_en"], row["method"]) == ("kongs", "split")
    assert abs(row["p"] - p) < 4 * np.hypot(row["se"], np.sqrt(p * (1 - p) / len(kongs)))
    four = mj.rare("plain", "kongs=4", seed=1, deals=10_000).iloc[0]
    assert 0 < four["p"] < 1e-6
    assert four["projected"] > four["n"]
    assert not four["reached"]


def test_what_never_occurs_has_an_upper_bound() -> None:
    row = mj.rare("yancheng", "hao_hua_qi_dui", seed=1, deals=20_000, method="copies").iloc[0]
    assert (row["p"], row["hits"], row["ci_low"], row["reached"]) == (0, 0, 0, False)
    # One event of a plain deal weighs at most four times its share: a quarter is spread plainly.
    assert 0 < row["ci_high"] < 3.7 * 4 / row["n"] * 1.2


def test_gamma_interval_of_equal_weights_is_the_exact_one_of_a_count() -> None:
    for k in (1, 5, 40):
        low, high = module.gamma_interval(np.full(k, 0.5), 0.5)
        assert low == pytest.approx(0.5 * stats.chi2.ppf(0.025, 2 * k) / 2)
        assert high == pytest.approx(0.5 * stats.chi2.ppf(0.975, 2 * k + 2) / 2)
    low, high = module.gamma_interval(np.zeros(0), 0.5)
    assert (low, high) == (0, pytest.approx(-0.5 * np.log(0.025)))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"element": "tsumo"}, "element 'tsumo': yancheng has none such; allowed are flower_tiles"),
        ({"element": "qi_dui="}, "allowed is ID, ID=VALUE, ID>=VALUE, several joined by +"),
        ({"element": "qi_dui=0"}, "values from 1 are allowed"),
        ({"element": []}, "none given"),
        ({"target": 0}, "target=0: 0.001 to 1 is allowed"),
        ({"target": float("nan")}, "target=nan"),
        ({"deals": 9_999}, "deals=9999: 10000 to"),
        ({"seed": -1}, "seed=-1"),
        ({"method": "luck"}, "method='luck' for qi_dui: allowed are copies, suit, shanten"),
        ({"method": "split"}, "method='split' for qi_dui: allowed are copies"),
        ({"method": "exact"}, "method='exact' for qi_dui"),
        ({"method": "suit+suit"}, "method='suit+suit'"),
        ({"element": "+".join(["qi_dui"] * 9)}, "at most 8 may be joined"),
        ({"policies": "clever"}, "unknown policy 'clever'"),
        ({"alpha": 1.0}, "alpha=1.0"),
        ({"workers": 0}, "workers=0"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        mj.rare("yancheng", **{"element": "qi_dui", "seed": 1, **arguments})
    assert told in str(caught.value)
