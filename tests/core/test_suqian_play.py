"""Suqian as played: each clause of the turn, seen in logs and rows of real deals."""

from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import mjstats as mj
from mjstats import _core
from mjstats.policies import policy_codes
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset
from tests.referee.cases import load_cases
from tests.referee.replay import check_log

SEED = 5
BIDS = ("bu_peng", "da_pie", "du_ci", "du_liu")
MIXED = "random,greedy,random,greedy:bids=du_ci+du_liu"
BIDDERS = "greedy:bids=bu_peng+da_pie,greedy:bids=da_pie,greedy:bids=bu_peng,greedy"
FLOWERS = [
    *("1z", "2z", "3z", "4z", "spring", "summer", "autumn", "winter"),
    *("plum", "orchid", "bamboo", "chrysanthemum"),
]
Json = dict[str, Any]
Deal = tuple[Json, ...]


@cache
def deals(policies: str = MIXED, n: int = 250, **changes: Any) -> tuple[Deal, ...]:
    traces = replay_range("suqian", seed=SEED, deals=range(n), policies=policies, changes=changes)
    return tuple(trace.events for trace in traces)


def of(events: Deal, *names: str) -> list[Json]:
    return [event for event in events if event["event"] in names]


def up(events: Deal) -> list[list[str]]:
    """Bids in force, by seat."""
    return [bid["bids"] for bid in sorted(of(events, "bid"), key=lambda bid: bid["seat"])]


def is_suited(tile: str) -> bool:
    return len(tile) == 2 and tile[1] in "mps"


def hands_at(events: Deal, until: int) -> list[Counter[str]]:
    """Concealed suit tiles of each seat before an event."""
    hands = [Counter(filter(is_suited, hand)) for hand in of(events, "deal")[0]["hands"]]
    for event in events[:until]:
        hand = hands[event["seat"]] if "seat" in event else Counter[str]()
        match event["event"]:
            case "draw" if is_suited(event["tile"]):
                hand[event["tile"]] += 1
            case "flower" if event["replacement"] and is_suited(event["replacement"]):
                hand[event["replacement"]] += 1
            case "discard":
                hand[event["tile"]] -= 1
            case "pong":
                hand[event["tile"]] -= 2
            case "kong":
                own = {"exposed": 3, "added": 1, "concealed": 4}[event["kind"]]
                hand[event["tiles"][0]] -= own
    return [+hand for hand in hands]


def melds_at(events: Deal, until: int, seat: int) -> list[list[str]]:
    found = {
        tuple(event["tiles"][:3]): event["tiles"]
        for event in of(events[:until], "pong", "kong")
        if event["seat"] == seat
    }
    return list(found.values())


def hand_string(hand: Counter[str], melds: list[list[str]]) -> str:
    text = "".join(sorted(hand.elements(), key=lambda tile: (tile[1], tile[0])))
    laid = ["[" + "".join(tile[0] for tile in meld) + meld[0][1] + "]" for meld in melds]
    return " ".join([text, *laid])


def test_sq_08_09_10_11_the_wall() -> None:
    """SQ-08, SQ-09, SQ-10, SQ-11."""
    for events in deals(n=20):
        tiles = Counter(events[0]["wall"])
        assert sum(tiles.values()) == 120 == 4 * 15 * 2
        suited = {tile: n for tile, n in tiles.items() if is_suited(tile)}
        assert len(suited) == 27
        assert set(suited.values()) == {4}
        assert sorted(tiles.keys() - suited.keys()) == sorted(FLOWERS)


def test_sq_03_19_thirteen_tiles_and_the_dealers_fourteenth() -> None:
    """SQ-03, SQ-19."""
    for events in deals():
        sizes = [len(hand) for hand in of(events, "deal")[0]["hands"]]
        assert sizes.pop(events[0]["dealer"]) == 14
        assert sizes == [13, 13, 13]
        assert of(events, "draw", "discard", "kong")[0]["event"] != "draw"


def test_sq_20_21_pungs_and_kongs_and_no_chow() -> None:
    """SQ-20, SQ-21."""
    seen: Counter[str] = Counter()
    for events in deals():
        seen.update(event.get("kind", event["event"]) for event in of(events, "pong", "kong"))
        assert of(events, "chow") == []
    assert min(seen[what] for what in ("pong", "exposed", "added", "concealed")) > 10


def test_sq_05_06_07_23_24_winners_have_declared_a_single_wait() -> None:
    """SQ-05, SQ-06, SQ-07, SQ-23, SQ-24."""
    wins = 0
    for events in deals():
        declared = {event["seat"]: event for event in of(events, "ready")}
        for ready in declared.values():
            at = events.index(ready)
            assert len(ready["waits"]) == 1
            hand = hands_at(events, at + 2)[ready["seat"]]
            melds = melds_at(events, at, ready["seat"])
            live = [
                tile
                for tile in mj.waits(hand_string(hand, melds), ruleset="suqian")["tile"]
                if hand[tile] + sum(meld.count(tile) for meld in melds) < 4
            ]
            assert live == ready["waits"]
        for win in of(events, "win"):
            assert declared[win["seat"]]["waits"] == [win["tile"]]
            assert win["base_total"] == sum(win["elements"].values())
            wins += 1
    assert wins > 100


def test_sq_04_25_26_everybody_is_asked_for_bids_before_each_deal() -> None:
    """SQ-04, SQ-25, SQ-26."""
    seen: Counter[str] = Counter()
    for events in deals():
        bids = of(events, "bid")
        assert [bid["seat"] for bid in bids] == [(events[0]["dealer"] + i) % 4 for i in range(4)]
        assert events.index(bids[-1]) + 1 == events.index(of(events, "deal")[0])
        for bid in bids:
            assert set(bid["bids"]) <= set(BIDS)
            seen.update(bid["bids"])
        assert up(events)[1] == []
        assert up(events)[3] == ["du_ci", "du_liu"]
    assert set(seen) == set(BIDS)
    assert not any(of(events, "bid") for events in deals("random", 20, bids_enabled=False))


@pytest.mark.parametrize("persistence", ["round", "hand"])
@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
def test_sq_27_a_bid_stays_until_the_round_ends(persistence: str, order: str) -> None:
    """SQ-A15, SQ-A16: or for one deal; asked at once or in turn, the log is the same."""
    logs = deals("random,greedy,greedy,greedy", 300, bid_persistence=persistence, bid_order=order)
    dropped = 0
    for before, after in pairwise(logs):
        carried = {int(seat): bids for seat, bids in before[-1]["carried"]["bids"].items()}
        if after[0]["deal_in_match"] == 0:
            assert after[0]["carried"] == {"bids": {}}
            continue
        assert after[0]["carried"] == before[-1]["carried"]
        if persistence == "hand" or after[0]["round"] != before[0]["round"]:
            assert carried == {}
            dropped += any(up(before))
        else:
            assert carried == {seat: bids for seat, bids in enumerate(up(before)) if bids}
        for seat, bids in carried.items():
            assert set(bids) <= set(up(after)[seat])
    assert dropped > 5


@pytest.mark.parametrize("policies", [MIXED, BIDDERS])
def test_sq_30_31_obligations_of_bids(policies: str) -> None:
    """SQ-30, SQ-31."""
    kept: Counter[str] = Counter()
    for events in deals(policies):
        bids = up(events)
        for meld in of(events, "pong", "kong"):
            if "bu_peng" in bids[meld["seat"]]:
                assert meld["event"] == "kong"
                assert meld["kind"] == "concealed"
                kept["concealed"] += 1
        for ready in of(events, "ready"):
            if "da_pie" not in bids[ready["seat"]]:
                continue
            at = events.index(ready)
            tiles = [*hands_at(events, at + 2)[ready["seat"]]]
            tiles += [tile for meld in melds_at(events, at, ready["seat"]) for tile in meld]
            assert len({tile[1] for tile in tiles}) <= 2
            kept["two suits"] += 1
        for win in of(events, "win"):
            kept["won"] += bool(bids[win["seat"]])
    assert kept["concealed"] > 2
    assert policies == MIXED or min(kept["two suits"], kept["won"]) > 50


def test_greedy_bidders_still_win_and_are_paid() -> None:
    """Da pie costs wins, and what it earns is in the settlement of every payer."""
    wins: Counter[int] = Counter()
    for events in deals(BIDDERS):
        assert check_log(events, wins_taken=True) == []
        bids = up(events)
        for win in of(events, "win"):
            wins[win["seat"]] += 1
            own = set(bids[win["seat"]]) & {"bu_peng", "da_pie"}
            assert win["payer_elements"] or not own
            for earned in win["payer_elements"].values():
                assert own <= set(earned)
    assert min(wins.values()) > 20


def test_sq_12_13_14_15_dealers_rounds_and_matches() -> None:
    """SQ-12, SQ-13, SQ-14, SQ-15."""
    for policies in (MIXED, "greedy"):
        logs = deals(policies)
        assert (logs[0][0]["dealer"], logs[0][0]["round"]) == (0, 1)
        ends = 0
        for before, after in pairwise(logs):
            start, following = before[0], after[0]
            winners = [event["seat"] for event in of(before, "win")]
            stays = not winners or winners == [start["dealer"]]
            dealer = start["dealer"] if stays else (start["dealer"] + 1) % 4
            number = start["round"] + (not stays and dealer == 0)
            assert start["round_wind"] == f"{start['round']}z"
            assert before[-1]["match_over"] == (number == 5)
            ends += number == 5
            if number == 5:
                dealer, number = 0, 1
            assert (following["dealer"], following["round"]) == (dealer, number)
        assert ends > 3


def test_sq_12_the_deal_may_pass_on_after_a_draw() -> None:
    """SQ-A14."""
    drawn = 0
    for events in deals("random", 60, draw_dealer="pass"):
        if of(events, "exhausted"):
            assert events[-1]["dealer"] == (events[0]["dealer"] + 1) % 4
            drawn += 1
    assert drawn > 40


@pytest.mark.parametrize("payment", ["discarder_only", "bao_three"])
def test_sq_43_44_45_56_who_pays(payment: str) -> None:
    """SQ-43, SQ-44, SQ-45, SQ-56."""
    seen: Counter[str] = Counter()
    for events in deals("greedy", 250, discard_payment=payment):
        for win in of(events, "win"):
            payers = {seat for seat in range(4) if win["payments"][seat] < 0}
            others = set(range(4)) - {win["seat"]}
            amount = win["base_total"] * win["multiplier"]
            if win["by"] not in {"discard", "rob_kong"}:
                assert payers == others
                assert win["factors"]["self_draw"] == 2
                seen["self-draw"] += 1
                continue
            assert "self_draw" not in win["factors"]
            before = events[: events.index(win)]
            at = max(i for i, e in enumerate(before) if e.get("seat") == win["from"])
            # A declaration with the fatal discard stands directly before it and is too late.
            ready = [e for e in of(events[: at - 1], "ready") if e["seat"] == win["from"]]
            assert payers == (others if ready else {win["from"]})
            shares = 3 if ready or payment == "bao_three" else 1
            assert win["payments"][win["seat"]] == shares * amount
            seen["declared" if ready else "undeclared"] += 1
    assert min(seen[what] for what in ("self-draw", "declared", "undeclared")) > 20


@pytest.mark.parametrize("discard", ["any", "drawn_tile"])
def test_sq_34_fang_ting_is_declared_with_a_complete_hand(discard: str) -> None:
    """SQ-A12: with any discard, or the drawn tile alone; the dealer's dealt hand included."""
    found: Counter[str] = Counter()
    for events in deals("greedy", 1500, fang_ting_discard=discard):
        fang = set()
        for ready in of(events, "ready"):
            at = events.index(ready)
            before = events[at - 1]
            hand = hands_at(events, at)[ready["seat"]]
            melds = melds_at(events, at, ready["seat"])
            whole = mj.shanten(hand_string(hand, melds), ruleset="suqian") == -1
            drawn = before["event"] != "pong"
            if discard == "drawn_tile" and of(events[:at], "draw"):
                got = before["replacement"] if before["event"] == "flower" else before["tile"]
                whole &= got == events[at + 1]["tile"]
            elif discard == "drawn_tile":
                # The dealer's last tile: the referee checks it.
                whole = ready["fang"]
            assert ready["fang"] == (whole and drawn), (events[0]["deal"], ready)
            found["fang" if ready["fang"] else "plain"] += 1
            if ready["fang"]:
                fang.add(ready["seat"])
        for win in of(events, "win"):
            assert win["factors"].get("fang_ting", 1) == 1 + (win["seat"] in fang)
            found["won"] += win["seat"] in fang
    assert found["fang"] > 20 or discard == "drawn_tile"
    assert found["plain"] > 1000


def test_sq_28_29_47_numbers_of_the_original() -> None:
    """SQ-28, SQ-29, SQ-47, SQ-48."""
    values = {item.id: item.value for item in ruleset("suqian").elements}
    assert values == {
        "base": 2,
        "dealer": 2,
        "wind": 2,
        "jin_feng": 4,
        "kong_exposed": 4,
        "kong_concealed": 8,
        "bu_peng": 20,
        "da_pie": 15,
        "du_ci": 10,
        "du_liu": 5,
        **dict.fromkeys(
            ["self_draw", "fang_ting", "jue_zhang", "qi_dui", "nei_jue", "qing_yi_se"], 2
        ),
        "da_dui_hu": 2,
    }


def test_sq_35_54_jue_zhang_needs_a_pung_before_the_declaration() -> None:
    """SQ-35, SQ-54."""
    found: Counter[bool] = Counter()
    for events in deals("greedy", 1500):
        for win in of(events, "win"):
            ready = next(e for e in of(events, "ready") if e["seat"] == win["seat"])
            punged = [
                e for e in of(events[: events.index(ready)], "pong") if e["tile"] == win["tile"]
            ]
            assert ("jue_zhang" in win["factors"]) == bool(punged)
            found[bool(punged)] += 1
    assert found[True] > 10


def test_sq_53_kongs_are_robbed() -> None:
    robbed = 0
    for events in deals("greedy", 1500):
        for win in of(events, "win"):
            if win["by"] != "rob_kong":
                continue
            at = events.index(win)
            assert [event["event"] for event in events[at - 2 : at]] == ["kong", "rob"]
            assert events[at - 2]["kind"] == "added"
            # The tile was punged; whether that was before the declaration varies.
            assert win["factors"].keys() <= set(ELEMENTS_OF_ROBBERY)
            robbed += 1
    assert robbed > 0


ELEMENTS_OF_ROBBERY = ("jue_zhang", "fang_ting", "qing_yi_se", "qi_dui")


@pytest.mark.parametrize("allowed", ["same_wait", "never"])
def test_declared_hands_are_locked(allowed: str) -> None:
    """SQ-A13: only the drawn tile goes, or a kong of it that keeps the wait."""
    kongs = 0
    for events in deals("greedy", 700, kong_after_ting=allowed):
        locked: set[int] = set()
        drawn = ""
        for number, event in enumerate(events):
            match event["event"]:
                case "draw":
                    drawn = event["tile"]
                case "flower":
                    drawn = event["replacement"]
                case "discard" if event["seat"] in locked:
                    assert event["tile"] == drawn
                case "discard":
                    locked |= {e["seat"] for e in of(events[:number], "ready")}
                case "kong" if event["seat"] in locked:
                    assert event["kind"] != "exposed"
                    assert event["tiles"][0] == drawn
                    kongs += 1
                case "pong":
                    assert event["seat"] not in locked
    assert (kongs > 5) == (allowed == "same_wait")


@pytest.mark.parametrize("case", load_cases("suqian.json"), ids=lambda case: case["id"])
def test_table_case(case: Json) -> None:
    """Situations of the worked cases that only the engine can answer."""
    if case["kind"] != "table":
        assert case["kind"] in {"win", "carry"}
    elif case["id"] == "SQ-043":
        exhausted_deals_pay_nothing(case["expect"]["payments"])
    else:
        assert case["id"] == "SQ-042"
        only_the_nearest_wins(case)


def exhausted_deals_pay_nothing(payments: list[int]) -> None:
    """SQ-46, SQ-57: kongs and winds score only with a win; play goes to the last tile."""
    with_kong = 0
    for events in deals("random", 200):
        for exhausted in of(events, "exhausted"):
            assert exhausted["tiles_left"] == 0
            assert events[-1]["payments"] == payments
            with_kong += bool(of(events, "kong"))
    assert with_kong > 5


def only_the_nearest_wins(case: Json) -> None:
    """SQ-58: of several who wait for a discard the nearest in turn order wins, alone."""
    found = 0
    for events in deals("greedy", 1500):
        for win in of(events, "win"):
            if win["by"] != "discard":
                continue
            could = [
                (e["seat"] - win["from"]) % 4
                for e in of(events, "ready")
                if e["waits"] == [win["tile"]] and e["seat"] != win["from"]
            ]
            assert (win["seat"] - win["from"]) % 4 == min(could)
            assert len(of(events, "win")) == 1
            found += len(could) > 1
    assert found > 3
    order = sorted(case["candidates"], key=lambda seat: (seat - case["discarder"]) % 4)
    assert order[:1] == case["expect"]["winners"]


def test_presets() -> None:
    assert ruleset("suqian", preset="table").settings == {"options.discard_payment": "bao_three"}
    assert ruleset("suqian", preset="seed_literal").settings == {
        "options.jin_feng_timing": "after_fan"
    }


def test_every_clause_and_every_ambiguity_is_answered() -> None:
    definition = ruleset("suqian").definition
    assert list(definition.clauses) == [f"SQ-{number:02}" for number in range(1, 60)]
    outside = {clause for clause, form in definition.clauses.items() if form.status == "O"}
    assert outside == {f"SQ-{number:02}" for number in (1, 2, 16, 17, 18, 41, 42)}
    settled = {option.ambiguity for option in definition.options.values()} - {""}
    assert settled == {f"SQ-A{number}" for number in range(1, 18)}


def test_rows_have_the_bids_in_force_and_what_they_earned() -> None:
    rules = ruleset("suqian")
    codes = policy_codes("greedy:bids=bu_peng+du_liu,greedy,greedy,greedy", bids=rules.bids)
    block = _core.play_matches(
        _core.rule_record(rules), codes, seed=SEED, first_match=0, n_matches=40
    )
    assert set(np.unique(block.counters[:, 0])) == {1 | 8}
    assert not block.counters[:, 1:].any()
    earned = block.elements[:, [item.id for item in rules.elements].index("bu_peng")]
    mine = (block.deals["winner"] == 0) & (block.deals["outcome"] == 1)
    on_draw = np.isin(block.deals["by"], [_core.BY_NAMES.index("self_draw")])
    assert (earned[mine & on_draw] == 60).all()
    assert (earned[mine] > 0).all()
    assert set(np.unique(earned[~mine])) == {0, 20}


def test_the_greatest_values_fit() -> None:
    """Five factors, every wind, bids on both sides, all at their limits: in unbounded integers."""
    values = {
        item.id: 100 if item.kind == "factor" else 1_000_000 for item in ruleset("suqian").elements
    }
    case = {
        "hand": "11m22m44m55m88m999m",
        "win_tile": "9m",
        "by": "self_draw",
        "winner": 0,
        "dealer": 0,
        "flowers": FLOWERS,
        "context": {"ting": True, "fang_ting": True, "bids": {seat: list(BIDS) for seat in "0123"}},
    }
    changes = {f"elements.{name}.value": value for name, value in values.items()}
    got = mj.score(case, ruleset="suqian", changes=changes)
    amount = (14 + 2 * 3) * 10**6 * 100**5
    assert got.payments == (3 * amount, -amount, -amount, -amount)
    with pytest.raises(mj.MjstatsError, match="allowed are integers 1 to 100"):
        ruleset("suqian", changes={"elements.self_draw.value": 101})
