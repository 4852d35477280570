"""The referee of Suqian: clean logs under every option, and every kind of fault planted."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache

import pytest

from tests.referee.common import KIND, Json, Value
from tests.referee.damage import (
    Log,
    Mutation,
    assert_noticed,
    change_option,
    drop,
    drop_field,
    first,
    has,
    places,
    search,
    set_field,
    stacked,
)
from tests.referee.player import Habits, play_deal, play_match
from tests.referee.replay import check_log, check_match
from tests.referee.suqian import BIDS, SINGLES, Suqian

EAGER = Habits(declare=1.0, kong=1.0, claim=0.3, bid=0.3, careless=0.0)
BUSY = Habits(declare=1.0, kong=1.0, claim=0.9, bid=0.0)
PATIENT = Habits(declare=0.0, kong=1.0, claim=0.7, bid=0.2)
SINGLE_VALUES = [
    (name, value)
    for name, option in Suqian.option_table.items()
    for value in option.values or (1, 5)
    if value != option.default
]

# Hands for stacked walls.
LOOSE = "147m258p369s1478s"
LOOSE_2 = "258m369p147s4589m"
LOOSE_3 = "369m147p258s3699p"
COMPLETE = "123m456s789s22m46p"


def suqian_log(
    wanted: Callable[[Log], bool],
    habits: Habits = EAGER,
    wall: tuple[int, ...] = (),
    **options: Value,
) -> Log:
    return search(played(**options), wanted, habits, wall)


@cache
def played(**options: Value) -> Suqian:
    return Suqian(options)


def after_ready(kind: str, **fields: object) -> Callable[[Log], bool]:
    """Want an event of a seat that has declared in a turn before."""

    def wanted(log: Log) -> bool:
        return any(
            place_of_ready + 1 < place
            for place in places(log, kind, **fields)
            for place_of_ready in places(log[:place], "ready", seat=log[place]["seat"])[:1]
        )

    return wanted


# Clean logs


@pytest.mark.parametrize("habits", [EAGER, BUSY, PATIENT])
@pytest.mark.parametrize("seed", range(12))
def test_clean(seed: int, habits: Habits) -> None:
    assert check_log(play_deal(Suqian(), seed, habits=habits), wins_taken=True) == []


@pytest.mark.parametrize(("name", "value"), SINGLE_VALUES)
def test_clean_under_every_option(name: str, value: Value) -> None:
    for seed in range(6):
        log = play_deal(Suqian({name: value}), seed, habits=EAGER)
        assert log[0]["options"]["options"][name] == value
        assert check_log(log, wins_taken=True) == []


@pytest.mark.parametrize(
    "options", [{}, {"bid_persistence": "hand"}, {"bids_enabled": False}, {"draw_dealer": "pass"}]
)
def test_clean_match(options: dict[str, Value]) -> None:
    """SQ-12, SQ-13, SQ-27: dealer and bids go from deal to deal."""
    logs = play_match(Suqian({"rounds_per_match": 1} | options), 3, habits=EAGER)
    assert check_match(logs, wins_taken=True) == []
    carried = any(log[0]["carried"]["bids"] for log in logs)
    assert carried is (options.get("bid_persistence") != "hand" and "bids_enabled" not in options)
    assert logs[-1][-1]["carried"] == {"bids": {}}


def test_bids_end_with_the_round() -> None:
    """SQ-13, SQ-27: when the last seat's deal passes on, the bids are cleared."""
    logs = play_match(Suqian({"rounds_per_match": 2}), 5, habits=EAGER)
    assert check_match(logs, wins_taken=True) == []
    at = next(n for n, log in enumerate(logs) if log[0]["round"] == 2)
    assert logs[at - 1][-1]["carried"] == {"bids": {}}
    assert any(event["bids"] for event in logs[at - 1] if event["event"] == "bid")


def test_the_player_reaches_every_kind_of_event() -> None:
    seen: Counter[str] = Counter()
    factors: Counter[str] = Counter()
    for seed in range(80):
        for event in play_deal(Suqian(), seed, habits=(EAGER, BUSY)[seed % 2]):
            seen[" ".join(str(event.get(key, "")) for key in ("event", "kind", "by")).strip()] += 1
            factors.update(event.get("factors", ()))
    assert {"bid", "flower", "pong", "ready", "exhausted"} <= set(seen)
    assert {"kong exposed", "kong added", "kong concealed"} <= set(seen)
    assert {"win  discard", "win  self_draw"} <= set(seen)
    assert {"self_draw", "fang_ting", "jue_zhang", "qi_dui"} <= set(factors)


# Situations


def test_nearer_of_two_wins() -> None:
    """SQ-42, SQ-58: one winner a discard, the nearest after the discarder."""
    log = play_with_context_of_two()
    assert [event["seat"] for event in log if event["event"] == "win"] == [1]
    damaged = deepcopy(log)
    win = first(damaged, "win")
    second = deepcopy(win) | {"seat": 2}
    damaged.insert(places(damaged, "win")[0] + 1, second)
    assert any("expected the end of the deal" in fault for fault in check_log(damaged))


@cache
def play_with_context_of_two() -> Log:
    """Return a deal in which seats 1 and 2 wait for the same tile and a third discards it."""

    def wanted(log: Log) -> bool:
        wins = places(log, "win", by="discard", seat=1)
        ready = {log[p]["seat"] for p in places(log, "ready", waits=["5p"])}
        return bool(wins) and {1, 2} <= ready

    wall = stacked("147m258p3699s578m", "123m456s789s22m46p", "123s456m789m33s46p", LOOSE_3)
    return search(Suqian({"bids_enabled": False}), wanted, EAGER, wall)


def test_exhaustion_pays_nothing() -> None:
    """SQ-43, SQ-46, SQ-57: nobody wins, nobody pays, kongs included."""

    def wanted(log: Log) -> bool:
        return bool(places(log, "exhausted") and places(log, "kong", kind="concealed"))

    log = suqian_log(wanted, PATIENT)
    assert log[-1]["payments"] == [0, 0, 0, 0]
    assert check_log(log) == []


def test_dealer_may_only_fang_ting() -> None:
    """SQ-23, SQ-34: a dealt complete hand does not win; declaring with it is fang ting."""
    wall = stacked(COMPLETE, LOOSE, LOOSE_2, LOOSE_3, last="5p")
    log = suqian_log(has("ready", seat=0, fang=True), EAGER, wall)
    assert places(log, "ready", seat=0)[0] < places(log, "draw")[0]
    assert check_log(log, wins_taken=True) == []


@pytest.mark.parametrize(("rule", "fang"), [("any", True), ("drawn_tile", False)])
def test_fang_ting_discard(rule: str, fang: bool) -> None:
    """SQ-A12: whether another discard than the drawn tile may make it fang ting."""
    wall = stacked("123m456s789s2m456p", LOOSE, LOOSE_2, LOOSE_3, last="2m")

    def wanted(log: Log) -> bool:
        ready = places(log, "ready", seat=0)
        return bool(ready) and log[ready[0] + 1]["tile"] in ("4p", "6p", "5p")

    log = suqian_log(wanted, EAGER, wall, fang_ting_discard=rule)
    assert first(log, "ready")["fang"] is fang
    assert check_log(log, wins_taken=True) == []
    damaged = deepcopy(log)
    change_option("fang_ting_discard", "any" if rule == "drawn_tile" else "drawn_tile")(damaged)
    assert any("what seat 0 declares" in fault for fault in check_log(damaged))


def test_pong_is_no_draw_for_fang_ting() -> None:
    """SQ-34: complete hands after a pong declare without fang."""
    log = suqian_log(lambda log: bool(declared_after_pong(log)), BUSY)
    assert not log[declared_after_pong(log)[0]]["fang"]
    assert check_log(log, wins_taken=True) == []


def declared_after_pong(log: Log) -> list[int]:
    return [place for place in places(log, "ready") if log[place - 1]["event"] == "pong"]


@pytest.mark.parametrize(
    ("scope", "waits"),
    [("all_shapes", []), ("declared_shape", [["9s"]])],
)
def test_declared_shape(scope: str, waits: list[list[str]]) -> None:
    """SQ-A8: 112233 55 66 999 waits for 9 as seven pairs, and as runs for 5 and 6."""
    wall = stacked("112233m55s66s999s", LOOSE, LOOSE_2, LOOSE_3, last="9p")
    log = suqian_log(
        lambda log: not places(log, "pong", seat=0) and keeps_dealt(log),
        EAGER if scope == "declared_shape" else PATIENT,
        wall,
        single_wait_scope=scope,
    )
    ready = [log[p]["waits"] for p in places(log[: 4 + 4 + 30], "ready", seat=0)]
    assert ready[:1] == waits
    assert check_log(log, wins_taken=True) == []


def keeps_dealt(log: Log) -> bool:
    """Tell whether the dealer throws its last tile first."""
    return log[places(log, "discard", seat=0)[0]] == {"event": "discard", "seat": 0, "tile": "9p"}


@pytest.mark.parametrize(("rule", "made"), [("same_wait", True), ("never", False)])
def test_kong_after_ting(rule: str, made: bool) -> None:
    """SQ-A13: a kong of the drawn tile that leaves the single wait."""
    wall = stacked(
        "777m123p789s46s22m", LOOSE_2, "148m258p369s1478s", LOOSE_3, last="9p", then="1m1p2p7m"
    )
    log = suqian_log(
        lambda log: keeps_dealt(log) and bool(places(log, "draw", seat=0, tile="7m")),
        Habits(declare=1.0, kong=1.0, claim=0.0, bid=0.0),
        wall,
        kong_after_ting=rule,
    )
    assert bool(places(log, "kong", seat=0)) is made
    assert check_log(log, wins_taken=True) == []
    if made:
        assert_noticed(log, change_option("kong_after_ting", "never"), "no kong after declaring")


def test_bids_forbid() -> None:
    """SQ-30, SQ-31: bu peng bars pongs, da pie a third suit."""
    pong = suqian_log(has("pong"), BUSY)
    number = first(pong, "pong")["seat"]
    assert_noticed(pong, put_up(number, "bu_peng"), "a bidder of bu peng")
    ready = suqian_log(three_suits, EAGER)
    number = ready[three_suited(ready)[0]]["seat"]
    assert_noticed(ready, put_up(number, "da_pie"), "without a third suit")


def three_suits(log: Log) -> bool:
    return bool(three_suited(log))


def three_suited(log: Log) -> list[int]:
    """Return the declarations of winners with three suits."""
    wins = [log[p] for p in places(log, "win")]
    return [
        places(log, "ready", seat=win["seat"])[0]
        for win in wins
        if len({tile[1] for tile in win["hand"]}) == 3
    ]


def put_up(number: int, bid: str) -> Mutation:
    """Put a bid up that the log was not played with."""

    def damage(log: Log) -> None:
        event = first(log, "bid", seat=number)
        if bid not in event["bids"]:
            event["bids"].append(bid)

    return damage


def test_robbing() -> None:
    """SQ-53: a robbed seat is the discarder."""
    log = rob_log()
    win = first(log, "win")
    assert win["by"] == "rob_kong"
    assert win["payments"][win["from"]] == -win["payments"][win["seat"]]
    assert "self_draw" not in win["factors"]
    assert check_log(log, wins_taken=True) == []
    assert_noticed(log, drop("rob"), "seat")
    assert_noticed(log, set_field("rob", "how", "pong"), "how: expected win")
    assert_noticed(log, set_field("win", "by", "discard"), "by: expected rob_kong")


@cache
def rob_log() -> Log:
    """Return a deal in which seat 1 robs the kong of a seat."""
    wall = stacked("55p147m258s369s14s", COMPLETE, LOOSE_2, LOOSE_3, last="7s", then="5p1p9m2p5p")
    habits = Habits(declare=0.5, kong=1.0, claim=0.6, bid=0.0)
    return search(Suqian(), robbed_undeclared, habits, wall)


def robbed_undeclared(log: Log) -> bool:
    return any(
        not places(log, "ready", seat=log[place]["from"])
        for place in places(log, "win", by="rob_kong")
    )


def test_ting_discarder_is_not_liable() -> None:
    """SQ-56: all three pay their own; declaring with that very discard does not count."""
    log = suqian_log(won_from_declared)
    win = first(log, "win")
    assert sum(amount < 0 for amount in win["payments"]) == 3
    assert check_log(log, wins_taken=True) == []
    now = suqian_log(won_from_declaring)
    assert sum(amount < 0 for amount in first(now, "win")["payments"]) == 1
    assert check_log(now, wins_taken=True) == []


def won_from_declared(log: Log) -> bool:
    return any(
        places(log[: place - 2], "ready", seat=log[place]["from"])
        for place in places(log, "win", by="discard")
    )


def won_from_declaring(log: Log) -> bool:
    return any(log[place - 2]["event"] == "ready" for place in places(log, "win", by="discard"))


# Planted faults


@cache
def a_win() -> Log:
    return suqian_log(lambda log: any(log[p]["payer_elements"] for p in places(log, "win")))


@cache
def self_drawn() -> Log:
    return suqian_log(has("win", by="self_draw"))


@cache
def with_kong(kind: str) -> Log:
    return suqian_log(has("kong", kind=kind), BUSY)


@cache
def fang() -> Log:
    return suqian_log(has("ready", fang=True))


@cache
def declared_later() -> Log:
    return suqian_log(after_ready("discard"))


@cache
def later_bids() -> Log:
    """Return a deal with bids that stood before it."""
    logs = play_match(Suqian({"rounds_per_match": 1}), 3, habits=EAGER)
    return next(log for log in logs if log[0]["carried"]["bids"])


def withdraw(log: Log) -> None:
    number = next(iter(log[0]["carried"]["bids"]))
    first(log, "bid", seat=int(number))["bids"] = []


def double_bid(log: Log) -> None:
    event = next(log[p] for p in places(log, "bid") if log[p]["bids"])
    event["bids"].append(event["bids"][0])


def unknown_bid(log: Log) -> None:
    first(log, "bid")["bids"].append("du_qi")


def swap_bids(log: Log) -> None:
    a, b = places(log, "bid")[:2]
    log[a], log[b] = log[b], log[a]


def flip_fang(log: Log) -> None:
    ready = first(log, "ready")
    ready["fang"] = not ready["fang"]


def drop_ready_of_winner(log: Log) -> None:
    del log[places(log, "ready", seat=first(log, "win")["seat"])[0]]


def unlock(log: Log) -> None:
    """Discard another tile than the drawn one after declaring."""
    for place in places(log, "discard"):
        seat = log[place]["seat"]
        if places(log[: place - 1], "ready", seat=seat) and log[place - 1]["event"] == "draw":
            dealt = first(log, "deal")["hands"][seat]
            kept = [t for t in dealt if KIND[t] not in SINGLES and t != log[place]["tile"]]
            thrown = [log[p]["tile"] for p in places(log[:place], "discard", seat=seat)]
            log[place]["tile"] = next(t for t in kept if t not in thrown)
            return
    raise AssertionError("no seat plays on after declaring")


def declare_unready(log: Log) -> None:
    place = places(log, "discard")[0]
    ready = {"event": "ready", "seat": log[place]["seat"], "mode": "ting", "waits": ["1m"]}
    log.insert(place, ready | {"fang": False})


def claim_when_declared(log: Log) -> None:
    """Let the seat declare before its claim."""
    place = next(p for p in places(log, "pong") if after_ready("pong")(log[: p + 1]))
    del log[place]


def other_payer(log: Log) -> None:
    win = next(log[p] for p in places(log, "win") if log[p]["payer_elements"])
    seat, own = next(iter(win["payer_elements"].items()))
    del win["payer_elements"][seat]
    win["payer_elements"][str((int(seat) + 1) % 4)] = own


def more_points(log: Log) -> None:
    win = next(log[p] for p in places(log, "win") if log[p]["payer_elements"])
    own = next(iter(win["payer_elements"].values()))
    own[next(iter(own))] += 1


def win_field(field: str, change: Callable[[Json], None]) -> Mutation:
    def damage(log: Log) -> None:
        change(first(log, "win")[field])

    return damage


def pay_another(log: Log) -> None:
    payments = first(log, "win")["payments"]
    payments.insert(0, payments.pop())


def carried_lost(log: Log) -> None:
    log[-1]["carried"] = {"bids": {"0": ["du_ci"], "1": ["du_ci"], "2": ["du_ci"]}}


def kong_after_pong(log: Log) -> None:
    place = places(log, "pong")[0]
    kong = {"event": "kong", "seat": log[place]["seat"], "tiles": log[place]["tiles"][:1] * 4}
    log.insert(place + 1, kong | {"kind": "added"})


def chow(log: Log) -> None:
    place = places(log, "draw", **{"from": "head"})[0]
    tile = log[place - 1]["tile"]
    log[place] = {"event": "chow", "seat": log[place]["seat"], "tiles": [tile] * 3}
    log[place] |= {"tile": tile, "from": log[place - 1]["seat"]}


def other_replacement(log: Log) -> None:
    place = places(log, "kong")[0] + 1
    log[place]["wall_index"] -= 1


def concealed_as_added(log: Log) -> None:
    first(log, "kong", kind="concealed")["kind"] = "added"


FAULTS: list[tuple[str, Callable[[], Log], Mutation, str]] = [
    # bids
    ("bid missing", a_win, drop("bid"), "expected"),
    ("no bids", a_win, lambda log: log.__delitem__(slice(1, 5)), "expected the bid of seat 0"),
    ("bids out of turn", a_win, swap_bids, "seat: expected 0"),
    ("bid of the wrong seat", a_win, set_field("bid", "seat", 2), "seat: expected 0"),
    ("unknown bid", a_win, unknown_bid, "du_qi"),
    ("bid twice", a_win, double_bid, "not allowed"),
    ("bid withdrawn", later_bids, withdraw, "are not the bids that stood"),
    ("bid an amount", a_win, set_field("bid", "bids", {"mai": 1}), "not allowed"),
    ("bids off", a_win, change_option("bids_enabled", False), "expected the deal"),
    ("bids per hand", later_bids, change_option("bid_persistence", "hand"), "no bid stands"),
    ("bids malformed", a_win, set_field("start", "carried", {"bids": {"0": []}}), "bids must be"),
    ("bids carried", a_win, carried_lost, "carried: expected"),
    # declarations
    ("fang", fang, flip_fang, "what seat"),
    ("fang missing", fang, drop_field("ready", "fang"), "what seat"),
    ("mode", fang, set_field("ready", "mode", "fei_ting"), "mode must be one of"),
    ("waits", fang, set_field("ready", "waits", ["1m", "2m"]), "waits of seat"),
    ("declared unready", fang, declare_unready, "not exactly one wait"),
    ("undeclared win", self_drawn, drop_ready_of_winner, "not_ting"),
    ("hand unlocked", declared_later, unlock, "a declared hand discards the tile just drawn"),
    # kongs and claims
    ("chow", a_win, chow, "expected seat"),
    ("pong kept back", lambda: suqian_log(has("pong"), BUSY), drop("pong"), "seat"),
    ("kong after a pong", lambda: suqian_log(has("pong"), BUSY), kong_after_pong, "of a claim"),
    ("kong kind", lambda: with_kong("concealed"), concealed_as_added, "has no pong"),
    ("kong replacement", lambda: with_kong("added"), other_replacement, "wall_index"),
    ("kong giver", lambda: with_kong("exposed"), drop_field("kong", "from"), "from"),
    # wins
    ("by", self_drawn, set_field("win", "by", "kong_draw"), "by: expected self_draw"),
    ("payer of a bid", a_win, other_payer, "payer_elements: expected"),
    ("points of a bid", a_win, more_points, "payer_elements: expected"),
    ("element", a_win, win_field("elements", lambda e: e.update(wind=99)), "elements: expected"),
    ("factor", a_win, win_field("factors", lambda f: f.update(nei_jue=2)), "factors: expected"),
    ("base", a_win, set_field("win", "base_total", 1), "base_total: expected"),
    ("multiplier", a_win, set_field("win", "multiplier", 64), "multiplier: expected"),
    ("payments", a_win, pay_another, "payments: expected"),
    ("foreign field", a_win, set_field("win", "fan", 1), "unknown field 'fan'"),
    ("a field too few", a_win, drop_field("win", "payer_elements"), "is missing"),
    ("payments at the end", a_win, set_field("end", "payments", [0, 0, 0, 0]), "payments"),
    ("dealer", a_win, set_field("end", "dealer", 3), "dealer: expected"),
    ("match over", a_win, set_field("end", "match_over", True), "match_over: expected"),
    ("wall", a_win, lambda log: log[0]["wall"].append("5z"), "the wall needs the 120 tiles"),
]


@pytest.mark.parametrize(
    ("source", "damage", "text"), [pytest.param(*rest, id=name) for name, *rest in FAULTS]
)
def test_planted_fault(source: Callable[[], Log], damage: Mutation, text: str) -> None:
    assert_noticed(source(), damage, text)


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("discard_payment", "bao_three", lambda log: bool(won_from_declaring(log))),
        ("dealer_points", "either_side", has("win", by="self_draw", seat=2)),
        ("jin_feng_scope", "wind_and_flowers", lambda log: "spring" in str(log[-2].get("flowers"))),
        ("jin_feng_timing", "after_fan", lambda log: strong_and_doubled(log)),
        ("zuizi_timing", "after_fan", lambda log: bid_and_doubled(log)),
        ("du_points_without_bid", True, lambda log: log[-2].get("tile", "")[0:1] == "6"),
        ("jue_zhang_own_pung", False, lambda log: own_jue_zhang(log)),
        ("du_ci_on_seven_pairs", False, lambda log: du_ci_on_pairs(log)),
        ("dealer_adds", False, has("win", seat=0)),
    ],
)
def test_option_moves_a_payment(name: str, value: Value, what: Callable[[Log], bool]) -> None:
    """A log played under one value of an option is no log under another."""
    log = suqian_log(lambda log: bool(places(log, "win")) and what(log))
    assert_noticed(log, change_option(name, value), "expected")


def strong_and_doubled(log: Log) -> bool:
    return "jin_feng" in log[-2]["elements"] and bool(log[-2]["factors"])


def bid_and_doubled(log: Log) -> bool:
    return bool(log[-2]["payer_elements"] and log[-2]["factors"])


def own_jue_zhang(log: Log) -> bool:
    win = log[-2]
    own = any(
        m["type"] == "pong" and m["tiles"][0] + m["tiles"][-1] == win["tile"] for m in win["melds"]
    )
    return own and "jue_zhang" in win["factors"]


def du_ci_on_pairs(log: Log) -> bool:
    win = log[-2]
    return "qi_dui" in win["factors"] and any(
        "du_ci" in own for own in win["payer_elements"].values()
    )


def test_bids_are_those_of_the_specification() -> None:
    assert BIDS == ("bu_peng", "da_pie", "du_ci", "du_liu")
