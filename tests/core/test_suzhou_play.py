"""Suzhou as played: each clause of the turn, seen in logs and rows of real deals."""

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
from tests.referee.common import parse_tiles

SEED = 9
OWN_DRAWS = ("self_draw", "kong_draw", "flower_draw")
WINDS = {"1z", "2z", "3z", "4z"}
Json = dict[str, Any]
Deal = tuple[Json, ...]


@cache
def deals(policies: str = "greedy", n: int = 800, **changes: Any) -> tuple[Deal, ...]:
    traces = replay_range("suzhou", seed=SEED, deals=range(n), policies=policies, changes=changes)
    return tuple(trace.events for trace in traces)


@cache
def block(policies: str, n_matches: int, **changes: Any) -> _core.Block:
    record = _core.rule_record(ruleset("suzhou", changes=changes))
    return _core.play_matches(
        record, policy_codes(policies), seed=SEED, first_match=0, n_matches=n_matches
    )


def of(events: Deal, *names: str) -> list[Json]:
    return [event for event in events if event["event"] in names]


def wins(*policies: str, **changes: Any) -> list[tuple[Deal, Json]]:
    return [
        (events, win)
        for policy in policies or ("greedy", "random")
        for events in deals(policy, **changes)
        for win in of(events, "win")
    ]


def test_sz_02_03_04_the_wall_and_the_deal() -> None:
    """SZ-04: fourteen tiles to the dealer, thirteen to the others."""
    flowers = ["5z", "6z", "7z", "baida"] * 4 + [
        *("spring", "summer", "autumn", "winter", "plum", "orchid", "bamboo", "chrysanthemum"),
        *("rat", "god_of_wealth", "cat", "treasure_bowl"),
    ]
    assert len(flowers) == 28
    for events in deals(n=20):
        wall = Counter(events[0]["wall"])
        assert sum(wall.values()) == 4 * 19 * 2
        playing = wall - Counter(flowers)
        assert len(playing) == 31
        assert set(playing.values()) == {4}
        sizes = [len(hand) for hand in events[1]["hands"]]
        assert sizes.pop(events[0]["dealer"]) == 14
        assert sizes == [13, 13, 13]


def test_sz_03_flowers_never_stay_in_hand() -> None:
    for events in deals():
        held = Counter[int]()
        for event in events:
            if event["event"] == "flower":
                held[event["seat"]] += 1
            elif event["event"] == "discard":
                assert event["tile"] in WINDS or event["tile"][-1] in "mps"
        for win in of(events, "win"):
            assert len(win["flowers"]) == held[win["seat"]]


def test_sz_10_11_12_13_23_kongs_of_each_kind_and_no_chow() -> None:
    seen = Counter[str]()
    for policy in ("random", "greedy"):
        for events in deals(policy):
            assert of(events, "chow", "ready", "bid") == []
            seen.update(kong["kind"] for kong in of(events, "kong"))
            seen.update(event["event"] for event in of(events, "pong"))
    assert min(seen[name] for name in ("exposed", "added", "concealed", "pong")) > 20


def test_sz_24_no_kong_in_the_turn_of_a_pong() -> None:
    for policy in ("random", "greedy"):
        for events in deals(policy):
            for before, after in pairwise(events):
                if before["event"] == "pong":
                    assert (after["event"], after["seat"]) == ("discard", before["seat"])


def test_sz_15_16_17_18_dice_and_di_ling() -> None:
    """Dice are fair; equal ones, a drawn deal or several winners make the next deal di ling."""
    rows = block("greedy", 500)
    baozi, diling, first, second = rows.counters.T
    assert ((first == second) == baozi).all()
    throws = Counter(zip(first.tolist(), second.tolist(), strict=True))
    mean = len(first) / 36
    assert len(throws) == 36
    assert all(abs(n - mean) < 5 * mean**0.5 for n in throws.values())
    deal = rows.deals
    special = (baozi == 1) | (deal["n_winners"] != 1)
    following = deal["deal_in_match"][1:] > 0
    assert (diling[1:][following] == special[:-1][following]).all()
    assert (diling[deal["deal_in_match"] == 0] == 0).all()
    won = deal["outcome"] == 1
    for counter, name in ((baozi, "baozi"), (diling, "diling")):
        factor = rows.elements[:, mj_element(name)]
        assert (factor[won] == 2 * counter[won]).all()
    both = won & (baozi == 1) & (diling == 1)
    assert both.any()
    assert (deal["multiplier"][both] % 4 == 0).all()


def mj_element(name: str) -> int:
    return [element.id for element in ruleset("suzhou").elements].index(name)


def test_the_end_of_a_deal_knows_no_dice() -> None:
    for before, after in pairwise(deals()):
        assert set(before[0]["carried"]) == {"baozi", "diling", "dice"}
        assert set(before[-1]["carried"]) == {"diling"}
        if after[0]["deal_in_match"]:
            assert after[0]["carried"]["diling"] == before[-1]["carried"]["diling"]


@pytest.mark.parametrize(
    "changes", [{}, {"draw_dealer": "keep"}, {"multi_win_dealer": "nearest_winner"}]
)
def test_sz_25_who_deals_next(changes: dict[str, str]) -> None:
    seen = Counter[int]()
    for policy in ("greedy", "random"):
        for events in deals(policy, **changes):
            found = of(events, "win")
            dealer = events[0]["dealer"]
            seen[len(found)] += 1
            if len(found) > 1 and "multi_win_dealer" not in changes:
                expected = found[0]["from"]
            elif found:
                expected = found[0]["seat"]
            else:
                expected = dealer if changes.get("draw_dealer") else (dealer + 1) % 4
            assert events[-1]["dealer"] == expected
            assert (events[0]["round"], events[0]["round_wind"]) == (1, "1z")
    assert min(seen[n] for n in range(3)) > 5


def test_a_match_is_sixteen_deals() -> None:
    for events in deals():
        assert events[-1]["match_over"] == (events[0]["deal_in_match"] == 15)
    short = deals(n=30, deals_per_match=3)
    assert [events[0]["deal_in_match"] for events in short] == [0, 1, 2] * 10


def flowers_of(win: Json) -> int:
    soft = ("kong_exposed", "kong_concealed", "wind_pung", "wind_triplet")
    soft += ("wind_kong_exposed", "wind_kong_concealed")
    return len(win["flowers"]) + sum(win["elements"].get(name, 0) for name in soft)


EXEMPT = {
    *("da_men_qing", "xiao_men_qing", "dui_dui_hu", "hun_yi_se", "qi_dui", "qing_yi_se"),
    *("gang_kai", "tian_hu", "di_hu"),
}


def test_sz_19_21_27_28_the_minimum_in_play() -> None:
    """Hands that need flowers have three by their own draw and by robbing, four on a discard."""
    plain, exempt = Counter[str](), 0
    least = dict.fromkeys(("discard", "self_draw", "rob_kong"), 99)
    for _, win in wins():
        if EXEMPT & win["elements"].keys() or "da_diao_che" in win["factors"]:
            exempt += flowers_of(win) < 3
            continue
        plain[win["by"]] += 1
        least[win["by"]] = min(least[win["by"]], flowers_of(win))
    assert plain["discard"] > 100
    assert (least["discard"], least["self_draw"]) == (4, 3)
    assert least["rob_kong"] >= 3
    assert exempt > 20


def test_sz_20_the_lower_minimum_in_play() -> None:
    least = dict.fromkeys(("discard", "self_draw", "rob_kong"), 99)
    for _, win in wins(min_self=2, min_disc=3):
        if not (EXEMPT & win["elements"].keys() or "da_diao_che" in win["factors"]):
            least[win["by"]] = min(least[win["by"]], flowers_of(win))
    assert (least["discard"], least["self_draw"]) == (3, 2)


def test_sz_09_38_59_60_who_pays() -> None:
    """One share by the discarder, three by the robbed and by who fed the kong, else one each."""
    seen = Counter[str]()
    for events, win in wins("greedy", "random", n=4000):
        share = win["base_total"] * win["multiplier"]
        owed = [0, 0, 0, 0]
        feeder = fed_by(events, win)
        if win["by"] == "discard":
            owed[win["from"]] = share
        elif win["by"] == "rob_kong":
            owed[win["from"]] = 3 * share
        elif feeder is not None:
            owed[feeder] = 3 * share
            assert win["elements"]["gang_kai"] == 5
            seen["fed"] += 1
        else:
            owed = [share] * 4
            owed[win["seat"]] = 0
        seen[win["by"]] += 1
        expected = [-amount for amount in owed]
        expected[win["seat"]] = sum(owed)
        assert win["payments"] == expected
    assert min(seen[name] for name in ("rob_kong", "fed", "kong_draw", "flower_draw")) > 2


def fed_by(events: Deal, win: Json) -> int | None:
    """Who fed the kong whose replacement wins; flowers between do not matter."""
    if win["by"] not in {"kong_draw", "flower_draw"}:
        return None
    before = [e for e in events[: events.index(win)] if e["event"] != "flower"]
    if before[-1]["event"] != "draw" or before[-1]["from"] != "tail":
        return None
    return before[-2].get("from")


def test_sz_36_64_replacements_and_the_last_tile() -> None:
    seen = Counter[str]()
    for events, win in wins("greedy", "random", n=4000):
        assert ("gang_kai" in win["elements"]) == (win["by"] in {"kong_draw", "flower_draw"})
        taken = [e["wall_index"] for e in events if "wall_index" in e]
        left = 152 - 53 - len(taken)
        last = left == 0 and win["by"] in OWN_DRAWS
        assert ("hai_di" in win["elements"]) == last
        seen["last"] += last
        seen["on_last_discard"] += left == 0 and not last
    assert seen["last"] > 0


def test_a_pong_of_the_last_discard_ends_the_deal() -> None:
    """SZ-23: with an empty wall the last discard may be ponged, what that turn throws not again."""
    ends = Counter[int]()
    for events in deals("random", 4000):
        left, pongs = 152 - 53, 0
        for event in events:
            left -= "wall_index" in event
            pongs += left == 0 and event["event"] == "pong"
            assert left or event["event"] != "kong"
        ends[pongs] += left == 0
    assert set(ends) == {0, 1}
    assert ends[1] > 5


def test_sz_62_tian_hu_in_play() -> None:
    """SZ-44: a dealer who is dealt a complete hand wins with it, worth 5 and 50."""
    hand = np.zeros(34, np.uint8)
    for kind in parse_tiles("123m555p789s22m456p"):
        hand[kind] += 1
    found, _, _ = _core.play_given(
        _core.rule_record(ruleset("suzhou")),
        policy_codes("greedy"),
        key=_core.seed_key(SEED),
        place=0,
        hands=np.tile(hand, (100, 1)),
        conditions=[(mj_element("tian_hu"), 50, 50), (mj_element("win"), 5, 5)],
    )
    assert (found[:, 0] == 1).all()


def test_sz_68_69_missed_pongs_in_play() -> None:
    """Nobody pongs a tile between passing it, or throwing it from three, and his next draw."""
    refused = 0
    for events in deals("random", 3000):
        hands = [Counter(hand) for hand in events[1]["hands"]]
        barred: list[set[str]] = [set() for _ in range(4)]
        for index, event in enumerate(events):
            seat = event.get("seat", 0)
            match event["event"]:
                case "flower":
                    hands[seat][event["tile"]] -= hands[seat][event["tile"]] > 0
                    if event["replacement"]:
                        hands[seat][event["replacement"]] += 1
                case "draw":
                    hands[seat][event["tile"]] += 1
                    barred[seat].clear()
                case "pong":
                    assert event["tile"] not in barred[seat]
                    hands[seat][event["tile"]] -= 2
                case "kong":
                    n = {"exposed": 3, "added": 1, "concealed": 4}[event["kind"]]
                    hands[seat][event["tiles"][0]] -= n
                case "discard":
                    tile = event["tile"]
                    if hands[seat][tile] >= 3:
                        barred[seat].add(tile)
                    hands[seat][tile] -= 1
                    taken = events[index + 1]
                    for other in range(4):
                        if other != seat and hands[other][tile] >= 2:
                            claimed = taken["event"] in {"pong", "kong"} and taken["seat"] == other
                            refused += tile in barred[other]
                            if not claimed and taken["event"] != "win":
                                barred[other].add(tile)
    assert refused > 3


@pytest.mark.parametrize("policies", ["greedy", "greedy,random,greedy,random"])
def test_greedy_claims_into_ready_hands_that_may_win(policies: str) -> None:
    """After a claim that makes it ready, some wait wins by own draw: flowers enough or exempt."""
    found = 0
    for events in deals(policies, 600):
        hands = [Counter(hand) for hand in events[1]["hands"]]
        melds: list[list[Json]] = [[] for _ in range(4)]
        flowers: list[list[str]] = [[] for _ in range(4)]
        for index, event in enumerate(events):
            seat = event.get("seat", 0)
            match event["event"]:
                case "flower":
                    hands[seat][event["tile"]] -= hands[seat][event["tile"]] > 0
                    flowers[seat].append(event["tile"])
                    if event["replacement"]:
                        hands[seat][event["replacement"]] += 1
                case "draw":
                    hands[seat][event["tile"]] += 1
                case "discard":
                    hands[seat][event["tile"]] -= 1
                    claimed = events[index - 1]["event"] == "pong"
                    if claimed and (seat in {0, 2} or policies == "greedy"):
                        found += check_ready(hands[seat], melds[seat], flowers[seat])
                case "pong":
                    hands[seat][event["tile"]] -= 2
                    melds[seat].append({"type": "pong", "tiles": "".join(event["tiles"])})
                case "kong":
                    tile, kind = event["tiles"][0], event["kind"]
                    if events[index + 1]["event"] == "rob":
                        break
                    hands[seat][tile] -= {"exposed": 3, "added": 1, "concealed": 4}[kind]
                    if kind == "added":
                        old = {"type": "pong", "tiles": tile * 3}
                        melds[seat].remove(old)
                    melds[seat].append({"type": f"kong_{kind}", "tiles": tile * 4})
    assert found > 30


def check_ready(hand: Counter[str], melds: list[Json], flowers: list[str]) -> bool:
    """Whether the hand is ready; then one of its waits must win."""
    text = "".join(hand.elements())
    exposed = " ".join(
        f"{{{m['tiles']}}}" if m["type"] == "kong_concealed" else f"[{m['tiles']}]" for m in melds
    )
    waits = mj.waits(f"{text} {exposed}", ruleset="suzhou")
    live = [str(row.tile) for row in waits.itertuples() if row.live]
    if not live:
        return False
    case: Json = {"hand": text, "melds": melds, "flowers": flowers, "by": "self_draw"}
    case |= {"winner": 1, "dealer": 0}
    assert any(legal(case | {"win_tile": tile}) for tile in live), case
    return True


def legal(case: Json) -> bool:
    try:
        mj.score(case, ruleset="suzhou")
    except mj.NotAWin:
        return False
    return True
