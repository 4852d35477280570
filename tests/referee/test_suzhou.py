"""Suzhou: what a seat may still claim, clean logs under arbitrary options, planted faults."""

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pytest

from tests.referee.cases import load_cases
from tests.referee.common import KIND, NAMES, Json, Meld, Value, Win, parse_tiles
from tests.referee.damage import (
    Log,
    Mutation,
    assert_noticed,
    change_option,
    first,
    has,
    places,
    search,
    set_field,
    stacked,
)
from tests.referee.player import Habits, first_start, play_deal, play_match
from tests.referee.replay import check_log, check_match
from tests.referee.shapes import changed
from tests.referee.suzhou import Suzhou
from tests.referee.table import Table, Wall

BUSY = Habits(kong=1.0, claim=0.8)
TABLES = {case["id"]: case for case in load_cases("suzhou.json") if case["kind"] == "table"}


# What a seat may still claim: the worked situations


class Situation:
    """A seat among discards, and what it may do about the last of them."""

    def __init__(self, case: Json, options: dict[str, Value]) -> None:
        self.game = Suzhou(options)
        self.table = Table(0, 1, {"baozi": False, "diling": False, "dice": [1, 2]}, Wall([0] * 40))
        self.seat = case["seat"]
        player = self.table.seats[self.seat]
        player.hand = parse_tiles(case["hand"])
        player.thrown = 1
        player.melds = [
            Meld(meld["type"], tuple(parse_tiles(meld["tiles"])), 0)
            for meld in case.get("melds", [])
        ]
        player.flowers = [KIND[name] for name in case.get("flowers", [])]
        for event in case["events"]:
            self.happen(event)

    def happen(self, event: Json) -> None:
        """Let a discard of another seat, or an own draw and discard, happen."""
        player, tile = self.table.seats[self.seat], KIND[event.get("discard", "1m")]
        declined = False
        if "draw" in event:
            drawn = KIND[event["draw"]]
            player.hand.append(drawn)
            self.game.note_draw(self.table, self.seat, None, None)
            declined = self.can_win(drawn, None)
        does = event.get("player", "")
        if does.startswith("discard"):
            own = KIND[does.removeprefix("discard ")]
            self.game.note_discard(self.table, self.seat, own, win_declined=declined)
        elif "discard" in event:
            self.table.seats[event["by"]].discards.append(tile)
            self.last = tile, event["by"]
            if does:
                self.react(does, tile, event["by"])

    def react(self, does: str, tile: int, source: int) -> None:
        """Let the seat pass a discard or take it."""
        player = self.table.seats[self.seat]
        able = [self.seat] if self.can_win(tile, source) else []
        n = {"pass": 0, "pung": 2, "kong": 3}[does]
        if n:
            assert not self.game.against_claim(self.table, self.seat, "pong", source, tile)
            for _ in range(n):
                player.hand.remove(tile)
            kind = "pong" if n == 2 else "kong_exposed"
            player.melds.append(Meld(kind, (tile,) * (n + 1), source))
        self.game.note_passed(self.table, source, tile, able, self.seat if n else None)
        if does == "kong":
            self.game.note_draw(self.table, self.seat, "exposed", source)

    def can_win(self, tile: int, source: int | None, by: str = "discard") -> bool:
        player = self.table.seats[self.seat]
        hand = player.counts if source is not None else changed(player.counts, (tile,), -1)
        win = Win(
            hand=hand,
            melds=tuple(player.melds),
            flowers=tuple(player.flowers),
            tile=tile,
            by=by if source is not None else "self_draw",
            winner=self.seat,
            source=source,
            dealer=0,
            context=self.game.win_context(self.table, self.seat, source),
        )
        return not self.game.refusal(win)


@pytest.mark.parametrize("name", [name for name, case in TABLES.items() if "events" in case])
def test_situation(name: str) -> None:
    """SZ-042 to SZ-052 and SZ-060; the kong of SZ-052 is a planted fault below."""
    case = TABLES[name]
    found = Situation(case, {})
    tile, source = found.last
    if "can_win" in case["expect"]:
        assert found.can_win(tile, source) is case["expect"]["can_win"]
    if "waits" in case["expect"]:
        waits = [kind for kind in range(31) if found.can_win(kind, source)]
        assert [NAMES[kind] for kind in waits] == case["expect"]["waits"]
    if "can_pung" in case["expect"]:
        against = found.game.against_claim(found.table, found.seat, "pong", source, tile)
        assert (not against) is case["expect"]["can_pung"]


@pytest.mark.parametrize("name", ["SZ-040", "SZ-041"])
def test_every_winner_is_paid(name: str) -> None:
    case, game = TABLES[name], Suzhou()
    paid = [0, 0, 0, 0]
    for winner in case["winners"]:
        answer = game.answer(
            winner | {"winner": winner["seat"], "by": case.get("by", "discard")} | case_ends(case)
        )
        paid = [a + b for a, b in zip(paid, answer["payments"], strict=True)]
    assert paid == case["expect"]["payments"]


def case_ends(case: Json) -> Json:
    return {"discarder": case["discarder"], "dealer": case["dealer"]}


READY: Json = {"seat": 1, "hand": "123m456p789s22m46p", "flowers": ["spring"]}


def test_the_block_and_robbing() -> None:
    """SZ-A17: a win passed blocks robbing too, or does not."""
    case = READY | {"events": [{"discard": "5p", "by": 2, "player": "pass"}]}
    for blocks in (True, False):
        found = Situation(case, {"missed_win_blocks_rob": blocks})
        assert found.can_win(KIND["5p"], 3, "rob_kong") is not blocks
        assert not found.can_win(KIND["5p"], 3)


def test_a_claimed_kong_and_the_block() -> None:
    """A blocked seat that kongs another discard draws for it."""
    hand = READY | {"hand": "111s456m789s22m46p"}
    events = [
        {"discard": "5p", "by": 2, "player": "pass"},
        {"discard": "1s", "by": 3, "player": "kong"},
    ]
    for lifts in (True, False):
        found = Situation(hand | {"events": events}, {"kong_lifts_block": lifts})
        assert found.table.seats[1].notes["blocked"] is not lifts


def test_a_blocked_seat_stays_blocked_after_a_pong() -> None:
    """As SZ-047, but the seat has passed a win before."""
    events = [{"discard": "9s", "by": 2, "player": "pass"}, *TABLES["SZ-047"]["events"]]
    assert not Situation(TABLES["SZ-047"] | {"events": events}, {}).can_win(KIND["7s"], 0)


def test_a_poor_hand_passes_nothing() -> None:
    """What could not win for want of flowers is not missed."""
    poor = {"seat": 1, "hand": "123p456s22m46p", "melds": [{"type": "pong", "tiles": "333m"}]}
    events = [{"discard": "5p", "by": 2, "player": "pass"}]
    case = poor | {"flowers": ["spring"], "events": events}
    assert "blocked" not in Situation(case, {}).table.seats[1].notes


# Scores that the cases leave open


def score(changes: dict[str, Value], **case: Any) -> Json:
    full = {"melds": [], "flowers": [], "winner": 1, "discarder": None, "dealer": 0}
    return Suzhou().answer(full | {"options": changes} | case)


def test_list_b_gives_way_to_options_of_ones_own() -> None:
    game = Suzhou({"scoring_list": "B", "qi_dui_value": 15})
    assert (game.values["qi_dui"], game.values["da_diao_che"]) == (15, 5)
    assert not game.on("qi_dui_double_hard")
    assert game.options["men_qing_rule"] == "stacking"
    assert Suzhou({"da_diao_che": "add_5"}, {"da_diao_che": 7}).values["da_diao_che"] == 7


@pytest.mark.parametrize(("option", "expected"), [(15, (10, 5)), (10, (10, 0)), (5, (0, 5))])
def test_flowerless_seven_pairs(option: int, expected: tuple[int, int]) -> None:
    case = {"hand": "11m22p33s55m66p99s8m", "win_tile": "8m", "by": "self_draw"}
    elements = score({"qi_dui_flowerless": option}, **case)["elements"]
    assert (elements.get("da_men_qing", 0), elements.get("xiao_men_qing", 0)) == expected


def test_quads_in_seven_pairs() -> None:
    case = {"hand": "1111m22p33s66p99s8m", "win_tile": "8m", "by": "self_draw"}
    assert score({}, **case)["legal"]
    assert score({"quad_as_two_pairs": False}, **case)["reason"] == "not_complete"


@pytest.mark.parametrize(("value", "worth"), [(2, 2), (1, 1)])
def test_wind_triplet_by_discard(value: int, worth: int) -> None:
    case = {"hand": "11z22s123m456p789s", "win_tile": "1z", "discarder": 2}
    changes: dict[str, Value] = {"wind_triplet_by_discard": value}
    assert score(changes, by="discard", **case)["elements"]["wind_triplet"] == worth
    drawn = case | {"discarder": None, "by": "self_draw"}
    assert score(changes, **drawn)["elements"]["wind_triplet"] == 2


def test_robbing_without_a_minimum() -> None:
    case: dict[str, Any] = {
        "hand": "123p456s22m46p",
        "melds": [{"type": "pong", "tiles": "333m"}],
        "win_tile": "5p",
        "by": "rob_kong",
        "discarder": 2,
    }
    assert score({"rob_kong_minimum": "none"}, **case)["payments"] == [0, 15, -15, 0]
    assert score({}, **case)["reason"] == "min_flowers"


def test_the_deal_flower_and_gang_kai() -> None:
    case = {
        "hand": "123m456p789s22m456p",
        "win_tile": None,
        "by": "dealt",
        "winner": 0,
        "flowers": ["spring"],
    }
    assert "gang_kai" not in score({}, **case)["elements"]
    assert "gang_kai" in score({"deal_flower_gang_kai": True}, **case)["elements"]


def test_unit() -> None:
    case = {"hand": "123m456p789s22m46p", "win_tile": "5p", "by": "self_draw"}
    assert score({"unit": 5}, **case)["payments"] == [-75, 225, -75, -75]


def test_special_dice() -> None:
    before = {"baozi": False, "diling": False, "dealer": 0}
    case = {"kind": "carry", "before": before, "event": {"type": "draw", "next_dice": [4, 1]}}
    after = Suzhou().answer(case | {"options": {"baozi_dice": "doubles_and_14"}})["after"]
    assert after["baozi"] is True
    assert Suzhou().answer(case)["after"]["baozi"] is False


def test_dealer_after_several_winners_and_after_a_draw() -> None:
    before = {"baozi": False, "diling": False, "dealer": 0}
    event = {"type": "multi_win", "winners": [0, 1], "discarder": 3}
    options: dict[str, Value] = {"multi_win_dealer": "nearest_winner", "draw_dealer": "keep"}
    for ending, dealer in ((event, 0), ({"type": "draw"}, 0)):
        case = {"kind": "carry", "before": before, "event": ending, "options": options}
        assert Suzhou().answer(case)["after"]["dealer"] == dealer


# Clean logs


@pytest.mark.parametrize("seed", range(40))
def test_clean_suzhou(seed: int) -> None:
    """Under arbitrary options, with wins always taken and with wins passed."""
    random = Random(seed)
    options = {
        name: random.choice(option.values)
        for name, option in Suzhou.option_table.items()
        if option.values and random.random() < 0.3
    }
    habits = Habits(win=random.choice((0.0, 0.5, 1.0)), kong=1.0, claim=random.choice((0.3, 1.0)))
    log = play_deal(Suzhou(options), seed, habits=habits)
    assert check_log(json.loads(json.dumps(log)), wins_taken=habits.win == 1.0) == []


@pytest.mark.parametrize("deals", [16, 3])
def test_clean_match(deals: int) -> None:
    logs = play_match(Suzhou({"deals_per_match": deals}), 3, habits=BUSY)
    assert len(logs) == deals
    assert check_match(logs, wins_taken=True) == []
    assert logs[0][-1]["carried"]["diling"] is logs[1][0]["carried"]["diling"]


def test_the_player_reaches_what_is_peculiar_to_suzhou() -> None:
    seen: Counter[str] = Counter()
    for seed in range(150):
        for event in play_deal(Suzhou(), seed, habits=BUSY):
            seen[" ".join(str(event.get(key, "")) for key in ("event", "kind", "by")).strip()] += 1
            seen.update(event.get("elements", {}))
    wanted = {"pong", "kong exposed", "kong added", "kong concealed", "win  discard", "gang_kai"}
    assert wanted | {"win  self_draw", "win  flower_draw", "exhausted", "wind_pung"} <= set(seen)


# Planted faults


def two_winners(log: Log) -> bool:
    return len(places(log, "win", by="discard")) == 2


@cache
def two_rons() -> Log:
    """Seats 1 and 2 wait for 5p alike."""
    hands = ("1258m258p147s147z", "123m456m789s22m46p", "123s456s999m33s46p", "369m36p25869s333z")
    return search(Suzhou(), two_winners, Habits(claim=0.0, careless=0.5), stacked(*hands))


@cache
def fed_kong() -> Log:
    """Seat 1 takes a kong from a discard and wins with its replacement."""

    def wanted(log: Log) -> bool:
        wins = places(log, "win", by="kong_draw")
        return bool(wins) and "from" in log[wins[0] - 2]

    hands = ("18m25p9s14778p123z", "999s23456m45688p", "36s147s2258s1234z", "36s147s258m11234z")
    dealt, tail = stacked(*hands), parse_tiles("7m9p")
    rest = Counter(Suzhou.copies)
    rest.subtract([*dealt, *tail])
    wall = (*dealt, *sorted(rest.elements()), *tail)
    return search(Suzhou(), wanted, Habits(claim=0.5, careless=0.5), wall)


@cache
def discard_win() -> Log:
    return search(Suzhou(), has("win", by="discard"), BUSY)


@cache
def poor_win() -> Log:
    """A win off a discard with exactly three flowers and nothing that exempts it."""

    def wanted(log: Log) -> bool:
        return any(
            set(log[p]["elements"]) == {"win", "hard_flowers"} and log[p]["base_total"] == 8
            for p in places(log, "win", by="discard")
        )

    return search(Suzhou({"min_disc": 3}), wanted, Habits(claim=0.9))


@cache
def passed_pong() -> Log:
    """A seat that passes a pong sees the third copy before it draws."""
    game = Suzhou()
    for seed in range(500):
        log = play_deal(game, seed, habits=Habits(claim=0.0, kong=0.0))
        if third_copy(log) is not None:
            return log
    raise AssertionError("no pong could be refused")


def third_copy(log: Log) -> tuple[int, int] | None:
    """Return the place of a discard and the seat that has just passed a pong of its tile."""
    hands = [list(hand) for hand in first(log, "deal")["hands"]]
    passed: list[set[str]] = [set(), set(), set(), set()]
    for place, event in enumerate(log):
        match event:
            case {"event": "flower", "seat": seat, "tile": tile, "replacement": new}:
                hands[seat].remove(tile)
                hands[seat].append(new)
            case {"event": "draw", "seat": seat, "tile": tile}:
                hands[seat].append(tile)
                passed[seat].clear()
            case {"event": "discard", "seat": seat, "tile": tile}:
                hands[seat].remove(tile)
                for other in range(4):
                    if other != seat and hands[other].count(tile) == 2:
                        if tile in passed[other]:
                            return place, other
                        passed[other].add(tile)
    return None


def pong_the_third_copy(log: Log) -> None:
    found = third_copy(log)
    assert found is not None
    place, seat = found
    tile, source = log[place]["tile"], log[place]["seat"]
    pong = {"event": "pong", "seat": seat, "tiles": [tile] * 3, "tile": tile, "from": source}
    log.insert(place + 1, pong)


def pay_all_alike(log: Log) -> None:
    win = first(log, "win")
    share = win["payments"][win["seat"]] // 3
    win["payments"] = [3 * share if seat == win["seat"] else -share for seat in range(4)]


def three_times(log: Log) -> None:
    win = first(log, "win")
    win["payments"] = [3 * paid for paid in win["payments"]]


def set_carried(name: str, value: object) -> Mutation:
    def damage(log: Log) -> None:
        log[0]["carried"][name] = value

    return damage


def flip(name: str) -> Mutation:
    def damage(log: Log) -> None:
        log[0]["carried"][name] = not log[0]["carried"][name]

    return damage


def winner_to_deal(log: Log) -> None:
    log[-1]["dealer"] = first(log, "win")["seat"]


def diling_lost(log: Log) -> None:
    log[-1]["carried"] = {"diling": not log[-1]["carried"]["diling"]}


def kong_after_pong(log: Log) -> None:
    """SZ-24: no kong in the turn of a pong."""
    place = places(log, "pong")[0]
    seat, tile = log[place]["seat"], log[place]["tile"]
    kong = {"event": "kong", "seat": seat, "tiles": [tile] * 4, "kind": "added"}
    log.insert(place + 1, kong)


def ponged() -> Log:
    return search(Suzhou(), has("pong"), BUSY)


FAULTS: list[tuple[str, Callable[[], Log], Mutation, str]] = [
    ("dice of three", discard_win, set_carried("dice", [1, 2, 3]), "dice must be"),
    ("seven pips", discard_win, set_carried("dice", [1, 7]), "dice must be"),
    ("bao zi without doubles", discard_win, flip("baozi"), "baozi must be"),
    ("di ling at first", discard_win, flip("diling"), "without diling"),
    ("di ling no truth value", discard_win, set_carried("diling", 0), "diling must be"),
    ("a counter more", discard_win, set_carried("jia", 0), "carried must have"),
    ("first dealer", discard_win, set_field("start", "dealer", 1), "begins with dealer 0"),
    ("second round", discard_win, set_field("start", "round", 2), "round must be 1"),
    ("deal too late", discard_win, change_option("deals_per_match", 0), "cannot be 0"),
    ("unit", discard_win, change_option("unit", 2), "payments: expected"),
    ("discarder pays three", discard_win, three_times, "payments: expected"),
    ("too poor", poor_win, change_option("min_disc", 4), "min_flowers"),
    ("one winner's payment", two_rons, three_times, "payments: expected"),
    ("a winner deals", two_rons, winner_to_deal, "dealer: expected"),
    ("no di ling after two winners", two_rons, diling_lost, "carried: expected"),
    ("bao jiao zi from all", fed_kong, pay_all_alike, "payments: expected"),
    ("not on the kong", fed_kong, set_field("win", "by", "self_draw"), "by: expected kong_draw"),
    ("pong once passed", passed_pong, pong_the_third_copy, "is refused until the next own draw"),
    ("kong after a pong", ponged, kong_after_pong, "no kong in the turn of a claim"),
    (
        "a match too short",
        discard_win,
        set_field("end", "match_over", True),
        "match_over: expected False",
    ),
]


@pytest.mark.parametrize(
    ("source", "damage", "text"), [pytest.param(*rest, id=name) for name, *rest in FAULTS]
)
def test_planted_fault(source: Callable[[], Log], damage: Mutation, text: str) -> None:
    assert_noticed(source(), damage, text)


def test_a_missed_win_is_no_win() -> None:
    """SZ-70 in a log: seat 1 passes 5p of seat 2 and wins 5p of seat 3."""
    hands = ("369m25p36947s33z5p", "147m258s1258p112z", "1258m147s147p1z34z", READY["hand"])
    start = first_start(Suzhou(), 0) | {"deal": 1, "deal_in_match": 1, "dealer": 2}
    # The seats follow the dealer: 2, 3, 0 and 1, the waiting hand last.
    wall = stacked(*hands)
    habits = Habits(win=0.0, claim=0.0, careless=1.0)

    def both_discard(log: Log) -> bool:
        head = [event["tile"] for event in log if event["event"] == "discard"][:3]
        return head[0] == "5p" and "5p" in head[1:] and not places(log[:8], "flower")

    log = next(
        log
        for seed in range(3000)
        if both_discard(
            log := play_deal(Suzhou(), seed, habits=habits, first=wall, start=deepcopy(start))
        )
    )
    assert check_log(log) == []
    place = places(log, "discard", tile="5p")[1]
    win = {
        "event": "win",
        "seat": 1,
        "by": "discard",
        "tile": "5p",
        "from": log[place]["seat"],
        "hand": [NAMES[tile] for tile in parse_tiles(READY["hand"])],
        "melds": [],
        "flowers": [],
        "elements": {"win": 5, "da_men_qing": 10},
        "factors": {},
        "base_total": 15,
        "multiplier": 1,
        "payments": [0, 0, 0, 0],
    }
    log[place + 1 :] = [win]
    assert any("missed_win" in fault for fault in check_log(log))
    del log[places(log, "discard", tile="5p")[0]]["tile"]
    assert not any("missed_win" in fault for fault in check_log(log))


def test_carried_state_must_be_taken_over() -> None:
    logs = deepcopy(play_match(Suzhou(), 3, habits=BUSY))
    later = next(log for log in logs[1:] if log[0]["carried"]["diling"])
    later[0]["carried"]["diling"] = False
    assert check_match(logs) != []
