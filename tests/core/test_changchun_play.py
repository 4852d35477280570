"""Changchun as played: clauses of the turn, seen in logs and rows of real deals."""

from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from mjstats import _core
from mjstats.policies import policy_codes
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset
from tests.referee.cases import load_cases

SEED = 4
Json = dict[str, Any]
Deal = tuple[Json, ...]
TABLE = {case["id"]: case for case in load_cases("changchun.json") if case["kind"] == "table"}
BIG_EGGS = {"1s", "1p", "5z", "6z", "7z"}
CLASSES = {
    "xuan_feng": {"1z", "2z", "3z", "4z"},
    "xi": {"5z", "6z", "7z"},
    "yao": {"1m", "1p", "1s"},
    "jiu": {"9m", "9p", "9s"},
}


@cache
def deals(policies: str = "greedy", n: int = 600, **changes: Any) -> tuple[Deal, ...]:
    traces = replay_range(
        "changchun", seed=SEED, deals=range(n), policies=policies, changes=changes
    )
    return tuple(trace.events for trace in traces)


def of(events: Deal, *names: str) -> list[Json]:
    return [event for event in events if event["event"] in names]


def block(policies: str, n_matches: int, **changes: Any) -> _core.Block:
    record = _core.rule_record(ruleset("changchun", changes=changes))
    return _core.play_matches(
        record, policy_codes(policies), seed=SEED, first_match=0, n_matches=n_matches
    )


def test_cc_04_cc_31_wall_and_hands() -> None:
    """CC-04, CC-31: CC-T85."""
    expected = TABLE["CC-T85"]["expect"]
    for events in deals(n=40):
        assert Counter(Counter(events[0]["wall"]).values()) == {4: 34}
        hands = events[1]["hands"]
        dealer = events[0]["dealer"]
        assert [len(hands[(dealer + i) % 4]) for i in range(4)] == expected["hands"]
        assert 136 - sum(map(len, hands)) == expected["wall_after_deal"]


def test_cc_16_24_28_the_first_dealer_is_drawn_and_acts_first() -> None:
    """CC-16, CC-24, CC-28: CC-T93."""
    first = Counter(
        int(row["dealer"]) for row in block("greedy", 800).deals if row["deal_in_match"] == 0
    )
    for seat, share in enumerate(TABLE["CC-T93"]["expect"]["dealer_distribution"]):
        assert abs(first[seat] - 800 * share) < 5 * (800 * share * (1 - share)) ** 0.5
    for events in deals(n=100):
        assert events[2]["seat"] == events[0]["dealer"]


def test_cc_17_25_26_who_deals_next() -> None:
    """CC-17, CC-25, CC-26: CC-T82, CC-T83, CC-T84."""
    for case in (TABLE["CC-T82"], TABLE["CC-T83"], TABLE["CC-T84"]):
        context = case["context"]
        won = context["winner"] is not None
        event = {"type": "win", "winner": context["winner"]} if won else {"type": "draw"}
        record = _core.rule_record(ruleset("changchun"))
        after = _core.next_state(
            record,
            dealer=context["dealer"],
            first_dealer=0,
            round_=1,
            counters=[],
            winners=[event["winner"]] if won else [],
            multiplier=1,
            discarder=-1,
            dice=(0, 0),
        )
        assert after["dealer"] == case["expect"]["next_dealer"]
    kept = 0
    for before, after in pairwise(deals()):
        if after[0]["deal_in_match"]:
            winners = {event["seat"] for event in of(before, "win")}
            stays = not winners or before[0]["dealer"] in winners
            assert after[0]["dealer"] == (before[0]["dealer"] + (not stays)) % 4
            kept += stays
    assert kept > 50


def test_cc_14_one_winner() -> None:
    """CC-14: who it is of several, test_changchun_scenes.py says."""
    assert {len(of(events, "win")) for events in deals()} == {0, 1}


def test_cc_11_losers_pay_alike_opened_or_not() -> None:
    """Self-draws: the two losers who are not the dealer pay the same."""
    found = 0
    for events in deals():
        opened = {event["seat"] for event in of(events, "chow", "pong", "kong", "special_kong")}
        for win in of(events, "win"):
            if win["by"] not in {"self_draw", "kong_draw"}:
                continue
            losers = [s for s in range(4) if s not in (win["seat"], events[0]["dealer"])]
            assert len({win["payments"][seat] for seat in losers}) == 1
            found += len({seat in opened for seat in losers}) == 2
    assert found > 5


def test_cc_34_cc_35_the_next_seat_draws_and_then_discards() -> None:
    """CC-T92: after a discard that nobody claims; every turn ends with a win or a discard.

    CC-34, CC-35.
    """
    for events in deals(policies="random", n=100):
        for before, after in pairwise(events):
            if before["event"] == "discard" and after["event"] == "draw":
                assert after["seat"] == (before["seat"] + 1) % 4
                assert after["from"] == "head"
            if before["event"] in {"chow", "pong"}:
                assert after["event"] in {"discard", "ready", "special_kong", "bao", "win"}
                assert after.get("by", "bao_view") == "bao_view"


def test_cc_33_36_38_39_claims_exist_and_their_limits() -> None:
    """CC-T73, CC-T74, CC-T91: chows of suits from the seat before, pongs from any.

    CC-33, CC-36, CC-38, CC-39.
    """
    seen = Counter[str]()
    for events in deals(policies="random", n=300):
        for event in of(events, "chow"):
            assert event["tiles"][0][-1] != "z"
            assert (event["seat"] - event["from"]) % 4 == 1
            seen["chow"] += 1
        for event in of(events, "pong"):
            seen[f"pong {(event['seat'] - event['from']) % 4}"] += 1
        for event in of(events, "kong"):
            seen[event["kind"]] += 1
    assert min(seen[f"pong {i}"] for i in (1, 2, 3)) > 20
    assert min(seen[name] for name in ("chow", "exposed", "added", "concealed")) > 5
    anywhere = [
        event
        for events in deals(policies="random", n=300, chow_from="any")
        for event in of(events, "chow")
    ]
    assert {(event["seat"] - event["from"]) % 4 for event in anywhere} == {1, 2, 3}


def test_cc_40_42_a_win_goes_before_every_claim() -> None:
    """CC-40, CC-42: CC-T72, CC-T90: after a discard that is won nothing else follows."""
    for events in deals():
        for win in of(events, "win"):
            if win["by"] == "discard":
                assert events[events.index(win) - 1]["event"] == "discard"
            assert events[events.index(win) + 1]["event"] == "end"


def test_cc_37_45_replacements_come_from_the_tail() -> None:
    """CC-37, CC-45: Upper tile of the last stack first; the slot of the bao is passed over."""
    tails = passed = 0
    for events in deals(n=1500):
        expected = [i + 1 - 2 * (i % 2) for i in range(135, 0, -1)]
        slot = -1
        for event in events:
            if event["event"] == "bao":
                slot = event.get("wall_index", -1)
            if event["event"] == "draw" and event["from"] == "tail":
                passed += expected[0] == slot
                index = expected[0] if expected[0] != slot else expected[1]
                assert event["wall_index"] == index
                expected.remove(index)
                tails += 1
    assert tails > 300
    assert passed > 5


def test_cc_37_seven_stacks_stay() -> None:
    """CC-T86, CC-T87: 69 draws without kongs, one fewer with one, its replacement counted."""
    seen = Counter[tuple[int, int, int]]()
    for events in deals(policies="random", n=400):
        for event in of(events, "exhausted"):
            draws = of(events, "draw")
            tails = sum(draw["from"] == "tail" for draw in draws)
            seen[tails, len(draws), event["tiles_left"]] += 1
    case, other = TABLE["CC-T86"]["expect"], TABLE["CC-T87"]["expect"]
    assert seen[0, case["draws"], case["left"]] > 20
    assert seen[1, other["draws"], other["left"]] > 20
    assert all(left == 14 + tails % 2 for tails, _, left in seen)


def test_cc_41_43_44_50_what_kongs_are_paid() -> None:
    """Paid at once by each of the three, twice for a big egg, whoever wins.

    CC-41, CC-43, CC-44, CC-50.
    """
    seen = Counter[tuple[str, bool]]()
    for policies in ("random", "greedy"):
        for events in deals(policies=policies, n=600):
            for before, after in pairwise(events):
                if before["event"] != "kong":
                    continue
                if after["event"] == "rob":
                    continue
                egg = before["tiles"][0] in BIG_EGGS
                stakes = (1 + (before["kind"] == "concealed")) * (1 + egg)
                expected = [-stakes] * 4
                expected[before["seat"]] = 3 * stakes
                assert after["event"] == "kong_payment"
                assert after["payments"] == expected
                seen[before["kind"], egg] += 1
    assert {kind for kind, _ in seen} == {"exposed", "added", "concealed"}
    assert sum(n for (_, egg), n in seen.items() if egg) > 20


def test_cc_43_50_51_kongs_need_a_drawn_tile_and_big_eggs_come_at_any_time() -> None:
    """CC-T66, CC-T88, CC-T89; CC-43, CC-50, CC-51."""
    late = added = 0
    for events in deals(policies="random", n=600):
        turn_by_claim = False
        discards = Counter[int]()
        for event in events:
            match event["event"]:
                case "chow" | "pong":
                    turn_by_claim = True
                case "draw":
                    turn_by_claim = False
                case "discard":
                    discards[event["seat"]] += 1
                case "kong" if event["kind"] != "exposed":
                    assert not turn_by_claim
                    added += event["kind"] == "added"
                    late += event["tiles"][0] in BIG_EGGS and discards[event["seat"]] > 0
    assert late > 5
    assert added > 5


def test_cc_46_47_48_49_51_special_kongs_are_of_dealt_tiles() -> None:
    """CC-T64, CC-T65: in the first own turn, of the dealt hand alone.

    CC-46, CC-47, CC-48, CC-49, CC-51.
    """
    seen = Counter[str]()
    for events in deals(n=1500):
        thrown: set[int] = set()
        for event in events:
            if event["event"] == "discard":
                thrown.add(event["seat"])
            if event["event"] == "special_kong":
                seat = event["seat"]
                assert seat not in thrown
                assert not Counter(event["tiles"]) - Counter(events[1]["hands"][seat])
                assert set(event["tiles"]) == CLASSES[event["kind"]]
                assert events[events.index(event) + 1]["payments"][seat] == 3
                seen[event["kind"]] += 1
    assert min(seen[name] for name in CLASSES) > 20


def test_cc_46_three_winds_and_bamboo_ones_by_option() -> None:
    """CC-T69."""
    three = [e for d in deals(n=400, xuan_feng_tiles="any3") for e in of(d, "special_kong")]
    assert {len(e["tiles"]) for e in three if e["kind"] == "xuan_feng"} == {3}
    wild = [e for d in deals(n=400, one_bamboo_wild=True) for e in of(d, "special_kong")]
    assert any("1s" in e["tiles"] for e in wild if e["kind"] != "yao")


def test_cc_52_no_supplement_in_the_dealers_first_turn() -> None:
    """CC-T67, CC-T68: others may add one after another in theirs."""
    in_first = 0
    for events in deals(n=2500):
        thrown: set[int] = set()
        for before, event in pairwise(events):
            if event["event"] == "discard":
                thrown.add(event["seat"])
            if event["event"] == "supplement" and event["seat"] not in thrown:
                assert event["seat"] != events[0]["dealer"]
                in_first += 1
            if event["event"] == "supplement":
                assert before["event"] in {"draw", "kong_payment"}
    assert in_first > 20


def test_cc_53_54_55_56_supplements_are_robbed_openings_are_not() -> None:
    """CC-T70, CC-T71: by a pair or a win; what was robbed is not paid and draws nothing.

    CC-53, CC-54, CC-55, CC-56.
    """
    seen = Counter[str]()
    for policies in ("greedy", "greedy,random,greedy,random"):
        for events in deals(policies=policies, n=2500):
            for before, after in pairwise(events):
                if before["event"] == "special_kong":
                    assert after["event"] == "kong_payment"
                if before["event"] == "supplement":
                    assert after["event"] in {"kong_payment", "rob"}
                if before["event"] == "rob":
                    seen[before["how"]] += 1
                    assert after["event"] == before["how"]
                    assert after["seat"] == before["seat"]
                    if before["how"] == "pong":
                        assert events[events.index(after) + 1]["event"] != "draw"
    assert min(seen["pong"], seen["win"]) > 3


def test_cc_19_the_die_counts_stacks_from_the_walls_end() -> None:
    found = 0
    for events in deals():
        taken = set(range(53))
        for event in events:
            if event["event"] == "draw":
                taken.add(event["wall_index"])
            if event["event"] != "bao" or event["tile"] is None:
                continue
            stacks = [i for i in range(134, 52, -2) if not {i, i + 1} & taken]
            assert event["wall_index"] == stacks[sum(event["dice"]) - 1]
            assert events[0]["wall"][event["wall_index"]] == event["tile"]
            found += 1
    assert found > 300
    two = [e["dice"] for d in deals(n=200, bao_dice=2) for e in of(d, "bao") if e["tile"]]
    assert {len(dice) for dice in two} == {2}


def test_cc_20_22_only_who_has_declared_sees_the_bao() -> None:
    """CC-20, CC-22: CC-T81."""
    looks = 0
    for events in deals():
        declared: set[int] = set()
        for event in events:
            if event["event"] == "ready":
                declared.add(event["seat"])
            if event["event"] == "bao" and event["tile"] is not None:
                assert set(event["seen_by"]) <= declared
                assert event["seen_by"]
            if event["event"] == "bao_view":
                assert event["seat"] in declared
                looks += 1
    assert looks > 100


def test_cc_21_after_ting_the_drawn_tile_goes() -> None:
    """CC-T75, CC-T76: no pong or chow; kongs of the drawn tile that keep the waits."""
    kongs = 0
    for events in deals(n=1500):
        declared: set[int] = set()
        drawn = thrown = ""
        for before, event in pairwise(events):
            seat = event.get("seat")
            if event["event"] == "draw":
                drawn = event["tile"]
            if before["event"] == "discard":
                thrown = before["tile"]
            if seat in declared:
                assert event["event"] not in {"chow", "pong", "ready", "special_kong"}
                if event["event"] == "discard":
                    assert event["tile"] == drawn
                if event["event"] == "kong":
                    tile = thrown if event["kind"] == "exposed" else drawn
                    assert event["tiles"][0] == tile
                    kongs += 1
            if before["event"] == "ready":
                declared.add(before["seat"])
    assert kongs > 5
    for events in deals(n=600, ting_kong="never"):
        declared = {}
        for index, event in enumerate(events):
            if event["event"] == "ready":
                declared[event["seat"]] = index
            if event["event"] in {"kong", "supplement"}:
                assert event["seat"] not in declared


@pytest.mark.parametrize("count", ["visible", "discarded"])
def test_cc_23_the_bao_is_thrown_anew_when_three_are_out(count: str) -> None:
    """CC-T79, CC-T80: pongs and kongs that lie open count, or discards alone."""
    again = 0
    for events in deals(n=1200, bao_count=count):
        bao, out = None, Counter[str]()
        for before, event in pairwise(events):
            match event["event"]:
                case "discard":
                    out[event["tile"]] += 1
                case "chow" | "pong" if count == "visible":
                    out.update(set(event["tiles"]) - {event["tile"]})
                    out[event["tile"]] += 2 * (event["event"] == "pong")
                case "kong" if count == "visible" and event["kind"] == "exposed":
                    out[event["tiles"][0]] += 3
                case "special_kong" if count == "visible":
                    out.update(event["tiles"])
                case "kong_payment" if count == "visible" and before["event"] == "supplement":
                    out[before["tile"]] += 1
                case "bao":
                    if event["reroll"]:
                        assert out[bao] >= 3
                        again += 1
                    bao = event["tile"]
                    if bao is not None:
                        assert out[bao] < 3
                case "draw" if bao is not None:
                    assert out[bao] < 3
    assert again > 10


def test_cc_02_19_wins_with_the_bao() -> None:
    """CC-02, CC-19: Chong bao for who waits for it, mo bao whatever the hand waits for."""
    ways = Counter[str]()
    for events in deals(n=1500):
        bao = None
        for event in events:
            if event["event"] in {"bao", "bao_view"}:
                bao = event["tile"]
            if event["event"] == "win" and event["elements"].keys() & {"mo_bao", "chong_bao"}:
                assert event["tile"] == bao
                assert event["elements"]["zi_mo"] == 1
                ways["mo_bao" if "mo_bao" in event["elements"] else event["by"]] += 1
    assert min(ways["mo_bao"], ways["bao_view"]) > 50
    assert set(ways) == {"mo_bao", "bao_view"}


def test_cc_05_06_07_08_09_greedy_declares_what_can_win() -> None:
    """Every wait that was declared makes a legal win: suits, terminals or honours, a triplet.

    CC-05, CC-06, CC-07, CC-08, CC-09.
    """
    for events in deals():
        for event in of(events, "ready"):
            assert event["waits"]
    rows = block("greedy", 60).deals
    assert (rows["outcome"] == 1).mean() > 0.9


def test_cc_12_13_no_claim_leaves_a_dead_single_tile() -> None:
    """CC-12, CC-13: CC-T77: beside a chow, unless the claim is allowed by option."""
    singles = Counter[str]()
    for rule in ("forbidden", "allowed"):
        for events in deals(policies="random", n=500, dead_claim=rule):
            melds: dict[int, list[str]] = {seat: [] for seat in range(4)}
            for event in events:
                if event["event"] == "kong" and event["kind"] == "added":
                    continue
                if event["event"] in {"chow", "pong", "kong", "special_kong"}:
                    laid = melds[event["seat"]]
                    laid.append(event.get("kind", event["event"]))
                    claim = event["event"] in {"chow", "pong"} or laid[-1] == "exposed"
                    if len(laid) == 4 and claim and "chow" in laid and "concealed" not in laid:
                        singles[rule] += 1
    assert singles["forbidden"] == 0
    assert singles["allowed"] > 5


def test_cc_10_18_fans_of_standing_hands_and_of_the_dealer() -> None:
    """CC-10, CC-18: Each loser's share doubles with every fan; the dealer's with one more."""
    standing = 0
    for events in deals():
        opened = {event["seat"] for event in of(events, "chow", "pong", "special_kong")}
        opened |= {event["seat"] for event in of(events, "kong") if event["kind"] != "concealed"}
        for win in of(events, "win"):
            seat = win["seat"]
            pairs = win["elements"].keys() & {"qi_dui", "hao_hua_qi_dui"}
            if "li_hu" in win["elements"]:
                assert seat not in opened
                standing += 1
            else:
                assert seat in opened or pairs or "mo_bao" in win["elements"]
            for payer, fans in win["payer_fans"].items():
                apart = win["payer_elements"].get(payer, {})
                assert fans == win["fan"] + sum(apart.values())
                dealer = events[0]["dealer"] in (seat, int(payer))
                assert (apart.get("zhuang") == 1) == dealer
            total = sum(2**fans for fans in win["payer_fans"].values())
            assert win["payments"][seat] == total
    assert standing > 20


def test_last_four_draws_by_option() -> None:
    """Section 1.7: from 18 tiles on four draws that are kept; a win among them ends it sooner."""
    kept = won = 0
    for events in deals(policies="random,greedy,greedy,random", n=600, final_four="mil"):
        names = [e["event"] for e in events if e["event"] not in {"bao", "bao_view"}]
        if of(events, "exhausted"):
            first = len(names) - names[::-1].index("discard")
            assert set(names[first:-2]) == {"draw"}
            assert len(names[first:-2]) == 4 or of(events, "kong", "supplement", "special_kong")
            assert of(events, "exhausted")[0]["tiles_left"] in {14, 15}
            kept += 1
        elif names[-4:] == ["draw", "draw", "win", "end"]:
            won += 1
    assert kept > 40
    assert won > 0


def test_kong_money_is_given_back_by_option() -> None:
    stands = deals(policies="random", n=300)
    void = deals(policies="random", n=300, kong_on_draw="void")
    found = 0
    for first, second in zip(stands, void, strict=True):
        if of(first, "exhausted") and of(first, "kong_payment"):
            events = of(first, "kong_payment")
            paid = [sum(event["payments"][seat] for event in events) for seat in range(4)]
            assert first[-1]["payments"] == paid
            assert second[-1]["payments"] == [0, 0, 0, 0]
            found += 1
    assert found > 30
