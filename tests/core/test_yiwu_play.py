"""Yiwu as played and scored: each clause, seen in logs and rows of deals and in worked wins."""

from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import mjstats as mj
from mjstats import _core
from mjstats.policies import policy_codes
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset
from tests.referee.cases import load_cases

SEED = 7
Json = dict[str, Any]
Deal = tuple[Json, ...]
OPEN = {"chow", "pong", "kong_exposed", "kong_added"}
NEUTRAL: Json = {"piao": [0, 0, 0, 0], "mai": [0, 0, 0, 0], "xia": [0, 0, 0, 0]}
# A standard hand on 1m and 4m; one that any tile completes.
READY = {"hand": "123456p789s23m22z", "melds": [], "win_tile": "4m"}
HEAD = {"hand": "123456p789s234m9p", "melds": [], "win_tile": "6z"}


@cache
def deals(policies: str = "random", n: int = 400, **changes: Any) -> tuple[Deal, ...]:
    traces = replay_range("yiwu", seed=SEED, deals=range(n), policies=policies, changes=changes)
    return tuple(trace.events for trace in traces)


@cache
def block(policies: str, n_matches: int, **changes: Any) -> _core.Block:
    rules = ruleset("yiwu", changes=changes)
    return _core.play_matches(
        _core.rule_record(rules),
        policy_codes(policies, modes=rules.modes, bids=rules.bids),
        seed=SEED,
        first_match=0,
        n_matches=n_matches,
    )


def of(events: Deal, *names: str) -> list[Json]:
    return [event for event in events if event["event"] in names]


def both() -> tuple[Deal, ...]:
    return deals("random") + deals("greedy", 800)


def worth(case: Json, by: str = "self_draw", **more: Any) -> Json:
    """Score a win of seat 1, seat 0 dealing; ``context`` is laid over the neutral one."""
    context = NEUTRAL | {"wild": "9p"} | more.pop("context", {})
    whole = {**case, "by": by, "winner": 1, "dealer": 0, "context": context, **more}
    if by in {"discard", "rob_kong"}:
        whole.setdefault("discarder", 3)
    return mj.score(whole, ruleset="yiwu").as_dict()


def no_win(case: Json, by: str = "self_draw", **more: Any) -> bool:
    try:
        worth(case, by, **more)
    except mj.NotAWin:
        return True
    return False


# The deal


def test_yw_01_02_03_08_the_wall_and_the_deal() -> None:
    for events in deals(n=20):
        assert sorted(Counter(events[0]["wall"]).values()) == [4] * 34
        sizes = [len(hand) for hand in of(events, "deal")[0]["hands"]]
        assert sizes.pop(events[0]["dealer"]) == 14
        assert sizes == [13, 13, 13]


def test_yw_06_12_the_first_dealer_is_drawn() -> None:
    rows = block("greedy", 400).deals
    first = Counter(rows["dealer"][rows["deal_in_match"] == 0].tolist())
    assert sum(first.values()) == 400
    assert all(60 < first[seat] < 140 for seat in range(4))


def test_yw_52_the_tile_turned_up_is_wild_and_stays_out() -> None:
    for events in both():
        (indicator,) = of(events, "indicator")
        assert indicator == {
            "event": "indicator",
            "tile": events[0]["wall"][53],
            "wall_index": 53,
        }
        assert 53 not in [event["wall_index"] for event in of(events, "draw")]


def test_yw_52_four_wilds_by_lot() -> None:
    faces = Counter[str]()
    for events in deals("greedy", 300, wild_count=4):
        (indicator,) = of(events, "indicator")
        assert "wall_index" not in indicator
        faces[indicator["tile"]] += 1
        heads = [event["wall_index"] for event in of(events, "draw") if event["from"] == "head"]
        assert heads[:1] == [53][: len(heads)]
    assert len(faces) > 25


def test_yw_13_14_who_deals_next() -> None:
    stays = Counter[str]()
    for before, after in pairwise(both()):
        if after[0]["deal_in_match"] == 0:
            continue
        dealer = before[0]["dealer"]
        winners = [win["seat"] for win in of(before, "win")]
        kept = not winners or winners == [dealer]
        assert after[0]["dealer"] == (dealer if kept else (dealer + 1) % 4)
        stays["drawn" if not winners else "won" if kept else "lost"] += 1
    assert min(stays.values()) > 20


# The turn


def test_yw_09_10_chow_is_for_the_next_seat_and_comes_last() -> None:
    seen = Counter[str]()
    for events in both():
        for event in of(events, "chow", "pong"):
            seen[event["event"]] += 1
            if event["event"] == "chow":
                assert event["seat"] == (event["from"] + 1) % 4
            else:
                seen["far"] += event["seat"] != (event["from"] + 1) % 4
    assert min(seen.values()) > 50


def test_yw_11_kongs_draw_from_the_tail() -> None:
    kongs = Counter[str]()
    for events in both():
        for before, after in pairwise(events):
            if before["event"] == "kong" and after["event"] != "rob":
                kongs[before["kind"]] += 1
                assert (after["event"], after["from"]) == ("draw", "tail")
    assert min(kongs[kind] for kind in ("exposed", "added", "concealed")) > 10


def test_yw_22_no_win_and_no_kong_right_after_a_claim() -> None:
    for events in both():
        for before, after in pairwise(events):
            if before["event"] in {"chow", "pong"}:
                assert (after["event"], after["seat"]) == ("discard", before["seat"])


def test_yw_37_wild_tiles_are_not_claimed_nor_laid_down() -> None:
    thrown = 0
    for events in both():
        wild = of(events, "indicator")[0]["tile"]
        for before, after in pairwise(events):
            if before["event"] == "discard" and before["tile"] == wild:
                thrown += 1
                assert after["event"] in {"draw", "exhausted"}
        for event in of(events, "chow", "pong", "kong"):
            assert wild not in event["tiles"]
    assert thrown > 50


def test_yw_52_whites_are_claimed_as_the_wild_face() -> None:
    runs = 0
    for events in deals("random", 1500):
        wild = of(events, "indicator")[0]["tile"]
        for event in of(events, "chow"):
            runs += "7z" in event["tiles"]
            low, middle, high = sorted(wild if tile == "7z" else tile for tile in event["tiles"])
            assert low[1] == middle[1] == high[1]
            assert (int(low[0]) + 1, int(high[0]) - 1) == (int(middle[0]), int(middle[0]))
    assert runs > 10


@pytest.mark.parametrize("value", ["dead", "claimable", "forbidden"])
def test_yw_39_the_only_wild_thrown(value: str) -> None:
    lone = taken = 0
    for events in deals("random", 1200, lone_wild_discard=value):
        wild = of(events, "indicator")[0]["tile"]
        if wild == "7z":
            continue
        held = Counter(
            {seat: of(events, "deal")[0]["hands"][seat].count(wild) for seat in range(4)}
        )
        for event, after in pairwise(events):
            if event["event"] == "draw" and event["tile"] == wild:
                held[event["seat"]] += 1
            if event["event"] == "discard" and event["tile"] == wild:
                lone += held[event["seat"]] == 1
                held[event["seat"]] -= 1
                taken += after["event"] in {"chow", "pong", "kong", "win"}
                if after["event"] in {"chow", "pong"}:
                    assert wild in after["tiles"]
    assert (lone > 0) == (value != "forbidden")
    assert (taken > 0) == (value == "claimable")


def test_yw_66_67_68_the_reserve() -> None:
    left = Counter[tuple[int, int]]()
    for events in deals("random", 1200):
        wild = of(events, "indicator")[0]["tile"]
        held = Counter(
            {seat: of(events, "deal")[0]["hands"][seat].count(wild) for seat in range(4)}
        )
        piao = Counter[int]()
        for event in events:
            if event["event"] == "draw" and event["tile"] == wild:
                held[event["seat"]] += 1
            if event["event"] == "discard" and event["tile"] == wild:
                if held[event["seat"]] >= 2:
                    piao[event["seat"]] += 1
                held[event["seat"]] -= 1
        for end in of(events, "exhausted"):
            tails = sum(event["from"] == "tail" for event in of(events, "draw"))
            highest = max(piao.values(), default=0)
            left[highest, end["tiles_left"]] += 1
            reserve = (34, 14, 0)[min(highest, 2)]
            # The tile beside a half-used stack stays as well; a late piao comes too late.
            assert end["tiles_left"] >= reserve
            if highest == 0:
                assert end["tiles_left"] - tails % 2 == 34
    assert left[0, 34] > 20
    assert left[1, 14] > 5


@pytest.mark.parametrize("value", ["counted", "indicator_stack"])
def test_yw_66_the_half_used_stack_by_option(value: str) -> None:
    seen = Counter[int]()
    for events in deals("random", 1200, reserve_partial_stack=value):
        wild = of(events, "indicator")[0]["tile"]
        if wild in [event["tile"] for event in of(events, "discard")]:
            continue
        for end in of(events, "exhausted"):
            seen[sum(event["from"] == "tail" for event in of(events, "draw")) % 2] += 1
            assert end["tiles_left"] == (34 if value == "counted" else 35)
    assert min(seen[0], seen[1]) > 2


@pytest.mark.parametrize(("match", "deal"), [(4, 674), (12, 43), (13, 57)])
def test_yw_66_no_kong_claims_the_discard_of_the_last_draw(match: int, deal: int) -> None:
    """A kong could still take the tile of a half-used stack there."""
    events = mj.replay("yiwu", seed=97, match=match, deal=deal, policies="random").events
    last = max(i for i, e in enumerate(events) if e["event"] == "draw" and e["from"] == "head")
    left = sum(e["event"] == "draw" for e in events)
    assert of(events, "exhausted")[0]["tiles_left"] == 82 - left
    assert not [e for e in events[last:] if e["event"] == "kong" and e["kind"] == "exposed"]


# Stakes


def test_yw_57_58_59_60_61_62_70_bids_of_a_dealership() -> None:
    seen = Counter[str]()
    for before, events in pairwise(deals("random", 1500)):
        start, bids = events[0], of(events, "bid")
        dealer, carried = start["dealer"], start["carried"]
        order = [(dealer + place) % 4 for place in range(4)] * 2
        assert [bid["seat"] for bid in bids] == order
        mai = {bid["seat"]: bid["bids"]["mai"] for bid in bids[:4]}
        xia = {bid["seat"]: bid["bids"]["xia"] for bid in bids[4:]}
        last = carried["last"]
        for seat in range(4):
            assert mai[seat] in ({2} if carried["mai"][seat] else {0, 2})
            if carried["xia"][seat]:
                assert xia[seat] == carried["xia"][seat] * (2 if last else 1)
                seen["doubled"] += bool(last)
            elif last and seat != dealer:
                assert xia[seat] in {0, last}
                seen["placed"] += xia[seat] > 0
            else:
                assert xia[seat] == 0
        end = events[-1]["carried"]
        wins = of(events, "win")
        if wins and wins[0]["seat"] != dealer:
            assert end == {"mai": [0] * 4, "xia": [0] * 4, "last": None, "repeat": 0}
        else:
            assert end == {
                "mai": [mai[seat] for seat in range(4)],
                "xia": [xia[seat] for seat in range(4)],
                "last": wins[0]["multiplier"] if wins else None,
                "repeat": carried["repeat"] + 1,
            }
        if start["deal_in_match"]:
            assert carried == before[-1]["carried"]
    assert seen["placed"] > 10
    assert seen["doubled"] > 0


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("mai_time", "new_dealer"),
        ("xia_cap", 3),
        ("xia_partial", True),
        ("xia_double_on_draw", True),
    ],
)
def test_bids_by_option(option: str, value: Any) -> None:
    seen = Counter[str]()
    for events in deals("random", 1200, **{option: value}):
        carried, bids = events[0]["carried"], of(events, "bid")
        for bid in bids[:4]:
            new = bid["bids"]["mai"] > carried["mai"][bid["seat"]]
            seen["late purchase"] += new and carried["repeat"] > 0
        for bid in bids[4:]:
            amount, old = bid["bids"]["xia"], carried["xia"][bid["seat"]]
            seen["beyond 3"] += amount > 3
            seen["part"] += not old and 0 < amount < min(carried["last"] or 0, 3)
            seen["doubled without a win"] += bool(old and amount == 2 * old and not carried["last"])
    expected = {
        "late purchase": option != "mai_time",
        "beyond 3": option != "xia_cap",
        "part": option == "xia_partial",
        "doubled without a win": option == "xia_double_on_draw",
    }
    assert {name: seen[name] > 0 for name in expected} == expected


def test_yw_61_placed_points_stop_growing_where_settlements_would_not_stay_exact() -> None:
    """In long dealerships that double on every draw."""
    counters = block("random", 3, **{"options.xia_double_on_draw": True}).counters
    assert counters[:, 4:8].max() == 2**30
    assert counters[:, 4:8].min() == 0


def test_greedy_stakes_nothing_unless_told() -> None:
    assert not block("greedy", 20).counters[:, :8].any()
    told = block("greedy:mai=2:xia=16", 20).counters
    assert (told[:, :4] == 2).all()
    assert told[:, 4:8].any()


@pytest.mark.parametrize(
    ("event", "after"),
    [
        ({"type": "win", "winner": 0, "element": "zi_mo"}, {"last": 2, "repeat": 1, "dealer": 0}),
        ({"type": "win", "winner": 0, "multiplier": 16}, {"last": 16, "mai": [2, 0, 2, 0]}),
        ({"type": "draw"}, {"last": None, "xia": [0, 4, 0, 8], "dealer": 0}),
        (
            {"type": "win", "winner": 2},
            {"last": None, "xia": [0] * 4, "mai": [0] * 4, "repeat": 0, "dealer": 1},
        ),
        ({"type": "win", "winner": 0}, {"xia": [0, 4, 0, 8], "repeat": 1, "dealer": 0}),
    ],
)
def test_yw_58_62_what_a_deal_hands_on(event: Json, after: Json) -> None:
    before = {"dealer": 0, "mai": [2, 0, 2, 0], "xia": [0, 4, 0, 8], "last": 4}
    got = mj.next_state(before, event, ruleset="yiwu")
    assert {name: got[name] for name in after} == after
    # What the dealer's win allows to place is left out where nothing says what it was worth.
    assert ("last" in got) == (event != {"type": "win", "winner": 0})


# Wins


def test_yw_18_19_20_21_24_one_element_a_win() -> None:
    seen = Counter[str]()
    for events in both():
        for win in of(events, "win"):
            ((element, value),) = win["elements"].items()
            assert win["multiplier"] == value
            seen[element] += 1
            assert (element == "fang_chong") == (win["by"] == "discard")
            assert (element == "qiang_gang") == (win["by"] == "rob_kong")
    assert min(seen[name] for name in ("fang_chong", "zi_mo", "cai_shen_tou", "gang_kai")) > 1


@pytest.mark.parametrize(
    ("changes", "payments"),
    [
        ({}, [-14, 34, -10, -10]),
        ({"base_dealer": 9, "base_other": 7}, [-18, 46, -14, -14]),
        ({"base_mode": "winner"}, [-10, 30, -10, -10]),
        ({"base_mode": "payer"}, [-14, 34, -10, -10]),
        ({"elements.zi_mo.value": 3}, [-21, 51, -15, -15]),
    ],
)
def test_yw_54_55_56_bases(changes: Json, payments: list[int]) -> None:
    assert worth(READY, options=changes)["payments"] == payments


@pytest.mark.parametrize(
    ("changes", "payments"),
    [
        ({}, [-7, 18, -5, -6]),
        ({"discarder_extra": "share"}, [-7, 22, -5, -10]),
    ],
)
def test_yw_20_the_discarder_pays_more(changes: Json, payments: list[int]) -> None:
    assert worth(READY, "discard", options=changes)["payments"] == payments


def test_yw_57_58_63_64_65_bought_and_placed_points() -> None:
    stakes = {"mai": [2, 2, 0, 0], "xia": [0, 4, 8, 0]}
    assert worth(READY, context=stakes)["payments"] == [-30, 58, -14, -14]
    winner = {"mai_mode": "winner"}
    assert worth(READY, context=stakes, options=winner)["payments"] == [-26, 54, -14, -14]


def test_yw_22_opened_hands_by_option() -> None:
    opened = {"hand": "456p789s23m22z", "melds": [{"type": "chow", "tiles": "123p"}]}
    opened["win_tile"] = "4m"
    closed_only = {"self_draw_needs_closed": True}
    assert worth(opened)["payments"] == [-14, 34, -10, -10]
    assert worth(opened, options=closed_only)["payments"] == [-7, 17, -5, -5]
    assert worth(READY, options=closed_only)["payments"] == [-14, 34, -10, -10]
    kong = {"hand": "456p789s23m22z", "melds": [{"type": "kong_concealed", "tiles": "1111z"}]}
    kong["win_tile"] = "4m"
    assert worth(kong, options=closed_only)["multiplier"] == 2


def test_yw_23_robbing_and_who_pays() -> None:
    assert worth(READY, "rob_kong")["payments"] == [-14, 34, -10, -10]
    robbed = {"rob_kong_payer": "robbed"}
    assert worth(READY, "rob_kong", options=robbed)["payments"] == [0, 34, 0, -34]
    # A wild-head wait may rob, at the level of a self-draw (YW-A07).
    assert worth(HEAD, "rob_kong")["elements"] == {"qiang_gang": 2}


def test_yw_29_four_alike_in_seven_pairs() -> None:
    pairs = {"hand": "1111m2277p3388s5z", "melds": [], "win_tile": "5z"}
    assert worth(pairs)["elements"] == {"zi_mo": 2}
    assert no_win(pairs, options={"quad_as_two_pairs": False})


def test_yw_35_36_six_pairs_and_a_wild() -> None:
    pairs = {"hand": "1144m2277p3388s9p", "melds": [], "win_tile": "5z"}
    assert worth(pairs)["elements"] == {"cai_shen_tou": 4}
    quads = {"hand": "1111m2277p3388s9p", "melds": [], "win_tile": "5z"}
    assert worth(quads)["elements"] == {"cai_shen_tou": 4}
    assert no_win(quads, options={"quad_as_two_pairs": False})


def test_yw_25_26_27_28_53_unconnected() -> None:
    gaps = {"hand": "158m269p37s12345z", "melds": [], "win_tile": "6z"}
    assert worth(gaps, context={"wild": "9s"})["elements"] == {"zi_mo": 2}
    assert no_win(gaps, context={"wild": "9s"}, options={"bu_kao_mode": "groups"})
    groups = {"hand": "147m258p369s1234z", "melds": [], "win_tile": "5z"}
    assert worth(groups, options={"bu_kao_mode": "groups"})["elements"] == {"zi_mo": 2}


def test_yw_31_32_33_34_any_tile_completes_a_wild_head() -> None:
    for tile in ("1m", "9p", "7z", "5s"):
        assert worth(HEAD | {"win_tile": tile})["elements"] == {"cai_shen_tou": 4}


def test_yw_47_48_49_50_51_replacements() -> None:
    kong = {"hand": "456p23m22z", "melds": [{"type": "kong_exposed", "tiles": "1111s"}]}
    kong["melds"].append({"type": "pong", "tiles": "777s"})
    kong["win_tile"] = "4m"
    assert worth(kong, "kong_draw")["elements"] == {"gang_kai": 4}
    mine = {"piao": [0, 1, 0, 0]}
    assert worth(kong, "kong_draw", context=mine)["elements"] == {"piao_gang": 8}
    twice = {"piao": [0, 2, 0, 0]}
    assert worth(kong, "kong_draw", context=twice)["elements"] == {"piao_gang": 8}
    strict = {"double_piao_kong_ok": False}
    assert no_win(kong, "kong_draw", context=twice, options=strict)
    assert worth(kong, "kong_draw", context={"piao": [0, 0, 2, 0]})["multiplier"] == 4


def test_yw_49_wild_head_on_a_replacement_by_option() -> None:
    head = {"hand": "123456p234m9p", "melds": [{"type": "kong_concealed", "tiles": "1111s"}]}
    head["win_tile"] = "6z"
    assert worth(head, "kong_draw")["multiplier"] == 4
    stacked = worth(head, "kong_draw", options={"stack_kong_head": True})
    assert stacked["elements"] == {"cai_shen_tou": 8}
    assert stacked["multiplier"] == 8


def test_yw_69_three_wilds_and_a_replacement_by_option() -> None:
    case = {"hand": "79s368m22z555s", "melds": [{"type": "kong_concealed", "tiles": "1111p"}]}
    case["win_tile"] = "4m"
    wild = {"wild": "5s"}
    assert worth(case, "kong_draw", context=wild)["elements"] == {"gang_kai": 4}
    assert no_win(case, "kong_draw", context=wild, options={"three_wilds_kong_ok": False})


def test_yw_43_69_minimum_levels() -> None:
    assert no_win(READY, "discard", context={"piao": [1, 0, 0, 0]})
    assert not no_win(READY, context={"piao": [1, 0, 0, 0]})
    assert no_win(READY, context={"piao": [2, 0, 0, 0]})
    two = {"hand": "123456p79s3m22z99p", "melds": [], "win_tile": "4m"}
    assert no_win(two, "discard")
    assert not no_win(two)


def test_levels_are_multipliers() -> None:
    """YW-47, YW-69: a self-draw that is worth enough reaches the level of a replacement."""
    context = {"piao": [0, 0, 2, 0]}
    assert no_win(READY, context=context)
    raised = {"elements.zi_mo.value": 4}
    assert worth(READY, context=context, options=raised)["elements"] == {"zi_mo": 4}


def test_yw_39_a_thrown_wild_wins_only_as_what_it_shows() -> None:
    case = {"hand": "123m789s23p789p22z", "melds": [], "win_tile": "4p"}
    wild = {"wild": "4p"}
    assert no_win(case, "discard", context=wild)
    claimable = {"lone_wild_discard": "claimable"}
    got = worth(case, "discard", context=wild, options=claimable)
    assert got["elements"] == {"fang_chong": 1}
    pair = {"hand": "123m789s123p789p2z", "melds": [], "win_tile": "4p"}
    assert no_win(pair, "discard", context=wild, options=claimable)


def test_yw_23_42_nobody_fed_and_the_robbed_player_pays() -> None:
    options = {"bao_fail": "any_fail", "rob_kong_payer": "robbed"}
    context = {"piao": [0, 0, 1, 0], "feeds": {"to": 2, "by": [1, 0, 0, 0]}}
    got = worth(READY, "rob_kong", context=context, options=options)
    assert got["payments"] == [0, 34, 0, -34]


def test_yw_15_16_17_hands_of_triplets_are_worth_no_more() -> None:
    case = {
        "hand": "99s33z",
        "melds": [{"type": "pong", "tiles": f"{n}{n}{n}m"} for n in (1, 4, 7)],
    }
    assert worth(case | {"win_tile": "9s"})["payments"] == worth(READY)["payments"]


def feeds(by: list[int], **more: Any) -> Json:
    return {"feeds": {"to": 1, "by": by}, "piao": [0, 1, 0, 0], **more}


def test_yw_41_46_guarantors() -> None:
    assert worth(HEAD, context=feeds([0, 0, 1, 0]))["payments"] == [-56, 136, -40, -40]
    assert worth(HEAD, context=feeds([0, 0, 2, 0]))["payments"] == [0, 136, -136, 0]
    split = {"multi_guarantor": "split"}
    got = worth(HEAD, context=feeds([2, 0, 2, 0]), options=split)
    assert got["payments"] == [-68, 136, -68, 0]


@pytest.mark.parametrize(
    ("value", "payments"),
    [
        ("feeder_wins", [0, -34, 0, 34]),
        ("feeder_wins_double", [0, -68, 0, 68]),
        ("any_fail", [0, -34, 0, 34]),
    ],
)
def test_yw_42_the_feeder_wins(value: str, payments: list[int]) -> None:
    context = feeds([0, 0, 0, 2])
    got = worth(READY, winner=3, context=context, options={"bao_fail": value})
    assert got["payments"] == payments


def test_yw_42_another_wins() -> None:
    context = feeds([0, 0, 0, 2])
    plain = worth(READY, winner=2, context=context)
    assert plain["payments"] == [-14, -10, 34, -10]
    any_fail = worth(READY, winner=2, context=context, options={"bao_fail": "any_fail"})
    assert any_fail["payments"] == [-14, -20, 34, 0]


def test_guarantees_before_the_first_piao_are_played_by_option() -> None:
    """YW-A06: the option is seen in play, since a worked case cannot say when a meld was fed."""
    plain = block("random", 60).deals
    three = block("random", 60, feed_three_before=True).deals
    same = min(len(plain), len(three))
    assert (plain["winner"][:same] == three["winner"][:same]).all()


def test_yw_38_40_44_45_piaos_are_won() -> None:
    names = [element.id for element in ruleset("yiwu").elements]
    rows = block("random", 300)
    for name in ("dan_piao", "shuang_piao"):
        won = rows.elements[:, names.index(name)] > 0
        assert won.any(), name
        assert (rows.deals["by"][won] != _core.BY_NAMES.index("discard")).all()


def test_yw_37_greedy_gives_up_a_wild_head_for_a_piao_when_told_to() -> None:
    names = [element.id for element in ruleset("yiwu").elements]
    heads = [names.index(name) for name in ("cai_shen_tou", "dan_piao", "shuang_piao")]
    wins = {
        policy: (block(policy, 2000, wild_count=4).elements[:, heads] > 0).sum(axis=0).tolist()
        for policy in ("greedy", "greedy:piao=1", "greedy:piao=2")
    }
    head, single, double = wins["greedy"]
    assert (single, double) == (0, 0)
    fewer, single, double = wins["greedy:piao=1"]
    assert fewer < head
    assert single > 30
    assert double == 0
    assert wins["greedy:piao=2"][2] > 0


def test_yw_44_three_wilds_at_once_by_option() -> None:
    names = [element.id for element in ruleset("yiwu").elements]
    place = names.index("shuang_piao")
    free = (block("random", 300).elements[:, place] > 0).sum()
    strict = block("random", 300, double_piao_needs_three=True).elements[:, place] > 0
    assert strict.sum() < free


def test_yw_68_a_double_piao_that_runs_out_by_option() -> None:
    """YW-A24: the penalty is paid to each opponent, mai and xia included."""
    penalties = 0
    for events in deals("random", 4000, double_piao_draw_penalty=4):
        if not of(events, "exhausted"):
            continue
        payments = events[-1]["payments"]
        assert sum(payments) == 0
        payers = [seat for seat in range(4) if payments[seat] < 0]
        if not payers:
            continue
        penalties += 1
        assert len(payers) == 1
        (payer,) = payers
        dealer = events[0]["dealer"]
        bids = of(events, "bid")
        mai = {bid["seat"]: bid["bids"]["mai"] for bid in bids[:4]}
        xia = {bid["seat"]: bid["bids"]["xia"] for bid in bids[4:]}
        for seat in set(range(4)) - {payer}:
            base = 7 if dealer in {seat, payer} else 5
            base += mai[seat] + mai[payer]
            base += xia[seat] + xia[payer] if dealer in {seat, payer} else 0
            assert payments[seat] == 4 * base
    assert penalties > 0


@pytest.mark.parametrize(
    "case",
    [case for case in load_cases("yiwu.json") if case["kind"] == "table"],
    ids=lambda case: case["id"],
)
def test_table_case(case: Json) -> None:
    """Situations that only play can answer, found in played deals or in what a deal hands on."""
    context, expect = case["context"], case["expect"]
    if "xia_offer" in expect or "mai_offer" in expect:
        offers(context, expect)
    elif "next_dealer" in expect:
        event = {"type": "win", "winner": context["winner"]}
        after = mj.next_state({"dealer": context["dealer"]}, event, ruleset="yiwu")
        assert after["dealer"] == expect["next_dealer"]
    elif "wall" in expect:
        exhausted = Counter(
            (sum(event["from"] == "tail" for event in of(events, "draw")), len(of(events, "draw")))
            for events in deals("random", 300)
            if of(events, "exhausted")
        )
        assert exhausted[0, expect["draws_no_piao"]] > 0
    elif "draws_no_piao" in expect:
        draws = {
            len(of(events, "draw"))
            for events in deals("random", 1200)
            if [end["tiles_left"] for end in of(events, "exhausted")] == [expect["left"]]
        }
        assert expect["draws_no_piao"] in draws
    else:
        assert case["id"] in PLAYED, case["id"]
        PLAYED[case["id"]]()


def offers(context: Json, expect: Json) -> None:
    """What a deal hands on, and what may be bid on that."""
    before = {name: context[name] for name in ("dealer", "mai", "xia") if name in context}
    if context["winner"] is None:
        event: Json = {"type": "draw"}
    else:
        event = {"type": "win", "winner": context["winner"]}
        if "element" in context:
            event["element"] = context["element"]
    after = mj.next_state(before, event, ruleset="yiwu")
    for name in ("next_dealer", "xia", "mai"):
        if name in expect:
            assert after[name.removeprefix("next_")] == expect[name]
    dealer, last = after["dealer"], after["last"] or 0
    offer = [0 if seat == dealer or after["xia"][seat] else last for seat in range(4)]
    forced = [2 * amount if last else 0 for amount in after["xia"]]
    assert expect.get("xia_offer", offer) == offer
    assert expect.get("xia_forced", forced) == forced
    assert expect.get("mai_offer", []) in ([], [0 if up else 2 for up in after["mai"]])


PLAYED = {
    "YW-T68": test_yw_22_no_win_and_no_kong_right_after_a_claim,
    "YW-T69": test_yw_09_10_chow_is_for_the_next_seat_and_comes_last,
    "YW-T70": test_yw_09_10_chow_is_for_the_next_seat_and_comes_last,
    "YW-T71": test_yw_09_10_chow_is_for_the_next_seat_and_comes_last,
    "YW-T72": test_yw_37_wild_tiles_are_not_claimed_nor_laid_down,
    "YW-T73": test_yw_52_whites_are_claimed_as_the_wild_face,
    "YW-T74": test_yw_37_wild_tiles_are_not_claimed_nor_laid_down,
    "YW-T75": test_yw_38_40_44_45_piaos_are_won,
    "YW-T76": test_yw_66_67_68_the_reserve,
    "YW-T77": test_yw_38_40_44_45_piaos_are_won,
    "YW-T78": test_yw_18_19_20_21_24_one_element_a_win,
    "YW-T92": test_yw_68_a_double_piao_that_runs_out_by_option,
    "YW-T93": test_yw_06_12_the_first_dealer_is_drawn,
}
