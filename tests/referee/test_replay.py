"""The step machine passes clean logs and notices every kind of fault planted in them."""

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from itertools import pairwise

import pytest

from tests.referee.common import KIND, Value
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
from tests.referee.game import Game
from tests.referee.plain import Plain
from tests.referee.player import Habits, play_deal, play_match
from tests.referee.replay import check_log, check_match, split_logs
from tests.referee.yancheng import Yancheng

BUSY = Habits(kong=1.0, claim=0.7, careless=0.2)
EAGER = Habits(declare=1.0, kong=1.0)

# Hands for stacked walls: the dealer, the next seats, and the dealer's last tile.
LOOSE = "147m258p369s1478s"
LOOSE_2 = "258m369p147s4589m"
LOOSE_3 = "369m147p258s3699p"
ONE_WAIT = "222m456p345s678s5m"
THREE_WAITS = "222m456p345s678s3m"


@cache
def yancheng_log(
    seed: int = 0,
    *,
    first: tuple[int, ...] = (),
    habits: Habits = EAGER,
    options: tuple[tuple[str, Value], ...] = (),
) -> Log:
    return play_deal(Yancheng(dict(options)), seed, habits=habits, first=first)


def stacked_log(
    wall: tuple[int, ...], options: dict[str, Value], wanted: Callable[[Log], bool]
) -> Log:
    """Return a Yancheng log over a wall that begins with the given tiles, with what is wanted."""
    game = Yancheng(options)
    logs = (play_deal(game, seed, habits=EAGER, first=wall) for seed in range(500))
    return next(log for log in logs if wanted(log))


def exhausted_by_flower(log: Log) -> bool:
    return bool(places(log, "flower", replacement=None))


# Clean logs


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("habits", [Habits(), EAGER, Habits(declare=0.9, careless=0.0)])
def test_clean_yancheng(seed: int, habits: Habits) -> None:
    log = play_deal(Yancheng(), seed, habits=habits)
    assert check_log(json.loads(json.dumps(log)), wins_taken=True) == []


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("multi_ron", [False, True])
def test_clean_plain(seed: int, multi_ron: bool) -> None:
    game = Plain({"multi_ron": multi_ron, "seven_pairs": seed % 2 == 1})
    assert check_log(play_deal(game, seed, habits=BUSY), wins_taken=True) == []


@pytest.mark.parametrize("reserve", [1, 13, 40])
def test_clean_plain_with_reserve(reserve: int) -> None:
    game = Plain({"reserve_tiles": reserve, "self_draw_factor": 2, "discard_payment": "all"})
    for seed in range(10):
        log = play_deal(game, seed, habits=Habits(win=0.0, kong=1.0, claim=0.5))
        assert check_log(log) == []
        assert first(log, "exhausted")["tiles_left"] == reserve
        assert check_log(play_deal(game, seed, habits=BUSY), wins_taken=True) == []


def test_the_player_reaches_every_kind_of_event() -> None:
    seen: Counter[str] = Counter()
    for seed in range(400):
        for event in play_deal(Plain({"multi_ron": True}), seed, habits=BUSY):
            seen[" ".join(str(event.get(key, "")) for key in ("event", "kind", "by")).strip()] += 1
    wanted = {"chow", "pong", "kong exposed", "kong added", "kong concealed", "rob", "exhausted"}
    wanted |= {"win  discard", "win  self_draw", "win  kong_draw", "win  rob_kong"}
    assert wanted <= set(seen)


def test_passed_wins_are_legal_unless_every_win_is_taken() -> None:
    log = next(
        log
        for seed in range(100)
        if check_log(log := play_deal(Plain(), seed, habits=Habits(win=0.0)), wins_taken=True)
    )
    assert check_log(log) == []


def test_tian_hu() -> None:
    log = yancheng_log(first=stacked("234m567p345s678s5m", LOOSE, LOOSE_2, LOOSE_3, last="5m"))
    win = first(log, "win")
    assert win["by"] == "dealt"
    assert win["factors"] == {"tian_hu": 3}
    assert check_log(log, wins_taken=True) == []
    passing = yancheng_log(
        first=stacked("234m567p345s678s5m", LOOSE, LOOSE_2, LOOSE_3, last="5m"),
        habits=Habits(win=0.0),
    )
    assert check_log(passing) == []
    assert "could win by dealt" in check_log(passing, wins_taken=True)[0]


def test_tian_hu_with_a_flower_as_the_last_dealt() -> None:
    """The replacement of the fourteenth stands for it."""
    wall = stacked("234m567p345s678s5m", LOOSE, LOOSE_2, LOOSE_3, last="1z")
    log = stacked_log(wall, {}, has("win", by="dealt"))
    assert first(log, "win")["tile"] in ("2m", "5m")
    assert check_log(log, wins_taken=True) == []


def window_log(options: tuple[tuple[str, Value], ...] = (), seed: int = 0) -> Log:
    """Return a log in which all three non-dealers declare in the opening window."""
    hands = ("123m123p123s1458m", ONE_WAIT, "222p567m345m678p5s", "999m888m222s999s4m")
    return yancheng_log(seed, first=stacked(*hands), options=options)


def test_window() -> None:
    log = window_log()
    assert [log[place]["seat"] for place in places(log, "ready")][:3] == [1, 2, 3]
    assert check_log(log, wins_taken=True) == []


def kong_log(hand: str, drawn: str, rule: str) -> Log:
    """Return a log in which seat 1 declares at the opening and then draws a kong's fourth tile."""
    wall = stacked("123m123p123s1458m", hand, LOOSE_2, LOOSE_3, then=drawn)
    return yancheng_log(first=wall, options=(("kong_after_ting", rule),))


def test_kong_after_ting() -> None:
    """A26: a concealed kong leaves a declared hand as it is, as far as the option lets it."""
    same = kong_log("777m234p345s678s5p", "7m", "same_waits")
    assert places(same, "kong")
    assert check_log(same, wins_taken=True) == []
    narrower = kong_log("7778m345p345s678s", "7m", "still_ready")
    assert places(narrower, "kong")
    assert check_log(narrower, wins_taken=True) == []
    assert not places(kong_log("7778m345p345s678s", "7m", "same_waits"), "kong")
    assert not places(kong_log("777m234p345s678s5p", "7m", "never"), "kong")


@pytest.mark.parametrize(
    ("credit", "window", "dealer", "credited"),
    [
        ("through_first_discard", True, False, True),
        ("window_only", True, False, True),
        ("through_first_discard", False, False, True),
        ("window_only", False, False, False),
        ("through_first_discard", True, True, True),
        ("window_only", True, True, True),
    ],
)
def test_opening_credit(credit: str, window: bool, dealer: bool, credited: bool) -> None:
    """Seat 1, or the dealer, declares at its first chance and wins later."""
    hands = (THREE_WAITS, LOOSE) if dealer else (LOOSE, THREE_WAITS)
    seat = 0 if dealer else 1
    log = stacked_log(
        stacked(*hands, LOOSE_2, LOOSE_3),
        {"opening_ting_credit": credit, "opening_window": window},
        lambda log: bool(places(log, "win", seat=seat)),
    )
    declared = places(log, "ready", seat=seat)[0]
    assert not places(log[:declared], "discard", seat=seat)
    assert ("qi_shou_ting" in first(log, "win")["elements"]) is credited
    assert check_log(log, wins_taken=True) == []


def test_several_winners_in_yancheng() -> None:
    hands = (LOOSE, THREE_WAITS, "23m55p777p888p234s", LOOSE_3)
    log = deepcopy(
        stacked_log(stacked(*hands), {"multi_ron": True}, lambda log: len(places(log, "win")) == 2)
    )
    assert check_log(log, wins_taken=True) == []
    change_option("multi_ron", False)(log)
    assert check_log(log) != []


def test_declaring_with_the_fatal_tile() -> None:
    """A discarder who declares fei ting with the tile that is won was not flying before."""

    def fatal(log: Log) -> bool:
        return log[-2].get("by") == "discard" and log[-4].get("mode") == "fei_ting"

    hands = (ONE_WAIT, "23m55p777p888p234s", LOOSE, LOOSE_3)
    for same, factor in ((False, "ting_dian_pao"), (True, "da_fei_ji")):
        options: dict[str, Value] = {"da_fei_ji_same_discard": same}
        log = stacked_log(stacked(*hands, last="4m"), options, fatal)
        assert factor in first(log, "win")["factors"]
        assert check_log(log, wins_taken=True) == []


@pytest.mark.parametrize("game", [Plain(), Plain({"rounds_per_match": 2})])
def test_clean_match(game: Game) -> None:
    logs = play_match(game, 7, habits=BUSY)
    assert check_match(logs, wins_taken=True) == []
    lines = [json.dumps(event) for log in logs for event in log]
    assert split_logs(lines) == logs


def test_clean_yancheng_match() -> None:
    logs = play_match(Yancheng({"rounds_per_match": 1}), 11, habits=EAGER)
    assert check_match(logs, wins_taken=True) == []
    assert {log[0]["carried"]["jia"] for log in logs} != {0}


# Planted faults: the log to damage, the damage, and what the message must name


def plain_win() -> Log:
    return search(Plain(), has("win", by="discard"), BUSY)


def self_draw() -> Log:
    return yancheng_log(first=stacked(LOOSE, ONE_WAIT, LOOSE_2, LOOSE_3, then="5m"))


def fifth_copy(log: Log) -> None:
    log[0]["wall"][60] = "1m" if log[0]["wall"][60] != "1m" else "2m"


def short_wall(log: Log) -> None:
    log[0]["wall"].pop()


def swap_hands(log: Log) -> None:
    hands = first(log, "deal")["hands"]
    hands[1], hands[2] = hands[2], hands[1]


def swap_dealt_tile(log: Log) -> None:
    hand = first(log, "deal")["hands"][0]
    hand[0] = next(name for name in KIND if name != hand[0])


def swap_flower_seats(log: Log) -> None:
    early = places(log, "flower")
    a, b = next((x, y) for x, y in pairwise(early) if log[x]["seat"] != log[y]["seat"])
    log[a], log[b] = log[b], log[a]


def lower_tile_first(log: Log) -> None:
    flower = first(log, "flower")
    flower["wall_index"] += 1
    flower["replacement"] = log[0]["wall"][flower["wall_index"]]


def draw_next_index(log: Log) -> None:
    draw = first(log, "draw")
    draw["wall_index"] += 1
    draw["tile"] = log[0]["wall"][draw["wall_index"]]


def draw_from_tail(log: Log) -> None:
    first(log, "draw")["from"] = "tail"


def other_seat_draws(log: Log) -> None:
    draw = first(log, "draw")
    draw["seat"] = (draw["seat"] + 1) % 4


def discard_of_another(log: Log) -> None:
    place = places(log, "discard")[0]
    hands = first(log, "deal")["hands"]
    log[place]["tile"] = next(t for t in hands[1] if t not in hands[0])


def unlock(log: Log) -> None:
    """Let a declared hand keep its drawn tile and discard another."""
    place = next(
        place
        for place in places(log, "draw")
        if log[place + 1]["event"] == "discard"
        and places(log[:place], "ready", seat=log[place]["seat"])
    )
    seat = log[place]["seat"]
    hand = [tile for tile in first(log, "deal")["hands"][seat] if not tile.endswith("z")]
    log[place + 1]["tile"] = next(tile for tile in hand if tile != log[place]["tile"])


def declare_unready(log: Log) -> None:
    place = places(log, "discard")[0]
    ready = {"event": "ready", "seat": log[place]["seat"], "mode": "ting", "waits": ["1m"]}
    log.insert(place, ready)


def declare_twice(log: Log) -> None:
    place = next(
        place
        for place in places(log, "discard")
        if places(log[:place], "ready", seat=log[place]["seat"])
        and log[place - 1]["event"] == "draw"
    )
    log.insert(place, first(log, "ready", seat=log[place]["seat"]) | {})


def ready_after_discard(log: Log) -> None:
    place = next(p for p in places(log, "ready") if log[p + 1]["event"] == "discard")
    log[place], log[place + 1] = log[place + 1], log[place]


def fewer_waits(log: Log) -> None:
    first(log, "ready")["waits"].pop()


def more_waits(log: Log) -> None:
    ready = first(log, "ready")
    ready["waits"].append(next(name for name in KIND if name not in ready["waits"]))


def reverse_window(log: Log) -> None:
    a, b = places(log, "ready")[:2]
    log[a], log[b] = log[b], log[a]


def dealer_in_window_again(log: Log) -> None:
    place = places(log, "ready")[0]
    log.insert(place, deepcopy(log[place]))


def undeclared_win(log: Log) -> None:
    """Take away the winner's declaration."""
    seat = first(log, "win")["seat"]
    del log[places(log, "ready", seat=seat)[-1]]


def add_factor(log: Log) -> None:
    first(log, "win")["factors"]["jia_jia"] = 2


def add_element(log: Log) -> None:
    first(log, "win")["elements"]["yi_tiao_long"] = 10


def pay_another(log: Log) -> None:
    payments = first(log, "win")["payments"]
    payments.insert(0, payments.pop())


def lose_hand_tile(log: Log) -> None:
    first(log, "win")["hand"].pop()


def add_flower(log: Log) -> None:
    first(log, "win")["flowers"].append("spring")


def add_meld(log: Log) -> None:
    first(log, "win")["melds"].append({"type": "kong_concealed", "tiles": "1111m"})


def early_end(log: Log) -> None:
    """Call the deal exhausted while tiles are left."""
    place = places(log, "draw")[-3]
    log[place:] = [{"event": "exhausted", "tiles_left": 0}, log[-1]]


def one_more_draw(log: Log) -> None:
    place = places(log, "exhausted")[0]
    seat = (log[place - 1]["seat"] + 1) % 4
    draw = {"event": "draw", "seat": seat, "tile": "1m", "wall_index": 90, "from": "head"}
    log.insert(place, draw)


def discard_the_win(log: Log) -> None:
    """Discard the tile that was won."""
    place = places(log, "win")[0]
    log[place] = {"event": "discard", "seat": log[place]["seat"], "tile": log[place]["tile"]}


def after_the_end(log: Log) -> None:
    log.append(deepcopy(log[-1]))


def cut(log: Log) -> None:
    del log[len(log) // 2 :]


def keep_out_last(log: Log) -> None:
    del log[-1]


def sum_not_zero(log: Log) -> None:
    log[-1]["payments"][0] += 1


def wins_not_paid(log: Log) -> None:
    log[-1]["payments"] = [3, -1, -1, -1]


def next_dealer(log: Log) -> None:
    log[-1]["dealer"] = (log[-1]["dealer"] + 1) % 4


def over(log: Log) -> None:
    log[-1]["match_over"] = True


def no_replacement(log: Log) -> None:
    """Drop the draw after a kong."""
    del log[places(log, "kong")[0] + 1]


def kong_of_another(log: Log) -> None:
    kong = first(log, "kong", kind="concealed")
    kong["tiles"] = ["9s" if kong["tiles"][0] != "9s" else "1m"] * 4


def kong_of_unlike(log: Log) -> None:
    kong = first(log, "kong")
    kong["tiles"][0] = "9s" if kong["tiles"][0] != "9s" else "1m"


def chow_by_another(log: Log) -> None:
    chow = first(log, "chow")
    chow["seat"] = (chow["seat"] + 1) % 4


def chow_no_run(log: Log) -> None:
    chow = first(log, "chow")
    chow["tiles"] = [chow["tile"], "1z", "2z"]


def claim_other_tile(log: Log) -> None:
    pong = first(log, "pong")
    pong["tile"] = "9s" if pong["tile"] != "9s" else "1m"


def pong_without_pair(log: Log) -> None:
    """Let another seat pong, who cannot hold the pair."""
    pong = first(log, "pong")
    pong["seat"] = next(s for s in range(4) if s not in (pong["seat"], pong["from"]))


def claim_from_another(log: Log) -> None:
    pong = first(log, "pong")
    pong["from"] = next(s for s in range(4) if s not in (pong["seat"], pong["from"]))


def kong_after_claim(log: Log) -> None:
    place = places(log, "pong")[0]
    seat = log[place]["seat"]
    kong = {"event": "kong", "seat": seat, "tiles": log[place]["tiles"] + [log[place]["tile"]]}
    log.insert(place + 1, kong | {"kind": "added"})


def win_after_claim(log: Log) -> None:
    place = places(log, "pong")[0]
    win = deepcopy(first(log, "win")) | {"seat": log[place]["seat"]}
    log.insert(place + 1, win)


def added_without_pong(log: Log) -> None:
    first(log, "kong", kind="concealed")["kind"] = "added"


def exposed_in_own_turn(log: Log) -> None:
    first(log, "kong", kind="concealed")["kind"] = "exposed"


def rob_without_win(log: Log) -> None:
    place = places(log, "rob")[0]
    del log[place + 1]


def rob_by_incomplete(log: Log) -> None:
    place = places(log, "rob")[0]
    taken = (log[place]["from"], log[place]["seat"])
    other = next(s for s in range(4) if s not in taken)
    log[place]["seat"] = log[place + 1]["seat"] = other


def win_of_robbed_tile_without_rob(log: Log) -> None:
    del log[places(log, "rob")[0]]


def two_winners(log: Log) -> bool:
    return len(places(log, "win")) == 2


def winners_reversed(log: Log) -> None:
    a, b = places(log, "win")
    log[a], log[b] = log[b], log[a]


def nearer_seat_passed(log: Log) -> None:
    del log[places(log, "win")[0]]


def kong_at_empty_wall(log: Log) -> None:
    """Put a concealed kong into the turn of the last draw."""
    place = places(log, "draw")[-1]
    kong = {"event": "kong", "seat": log[place]["seat"], "tiles": [log[place]["tile"]] * 4}
    log.insert(place + 1, kong | {"kind": "concealed"})


def replace_from_nothing(log: Log) -> None:
    first(log, "flower", replacement=None).update(replacement="1m", wall_index=100)


def yancheng_exhausted() -> Log:
    return yancheng_log(3, habits=Habits(declare=0.0))


def last_flower() -> Log:
    for seed in range(100):
        log = yancheng_log(seed, habits=Habits(declare=0.0, careless=1.0))
        if exhausted_by_flower(log):
            return log
    raise AssertionError("no deal ends with a flower")


def yancheng_plain_start() -> Log:
    return yancheng_log(0)


def declared_later() -> Log:
    for seed in range(100):
        log = yancheng_log(seed)
        ready = [p for p in places(log, "ready") if log[p + 1]["event"] == "discard"]
        if ready and places(log[ready[0] + 2 :], "discard", seat=log[ready[0]]["seat"]):
            return log
    raise AssertionError("no deal in which a seat plays on after declaring")


def yancheng_kong() -> Log:
    return kong_log("777m234p345s678s5p", "7m", "same_waits")


def plain_with(name: str, /, **fields: object) -> Callable[[], Log]:
    @cache
    def found() -> Log:
        return search(Plain(), has(name, **fields), BUSY)

    return found


@cache
def robbed() -> Log:
    return search(Plain(), has("rob"), BUSY)


@cache
def two_rons() -> Log:
    return search(Plain({"multi_ron": True}), two_winners, BUSY)


@cache
def plain_exhausted() -> Log:
    return search(Plain(), has("exhausted"), Habits(kong=0.0, claim=0.0))


@cache
def claim_and_win() -> Log:
    return search(Plain(), lambda log: bool(places(log, "pong")) and bool(places(log, "win")), BUSY)


FAULTS: list[tuple[str, Callable[[], Log], Mutation, str]] = [
    # form
    ("missing field", plain_win, drop_field("draw", "wall_index"), "field 'wall_index' is missing"),
    ("unknown field", plain_win, set_field("draw", "colour", 1), "unknown field 'colour'"),
    ("seat of wrong type", plain_win, set_field("draw", "seat", "1"), "'seat' must be a seat"),
    ("seat true", plain_win, set_field("discard", "seat", True), "'seat' must be a seat"),
    ("no such tile", plain_win, set_field("discard", "tile", "8z"), "'tile' must be a tile"),
    ("no such event", plain_win, set_field("discard", "event", "throw"), "there is no event"),
    ("foreign field in a win", plain_win, set_field("win", "fan", 1), "unknown field 'fan'"),
    ("null field", plain_win, set_field("draw", "from", None), "'from' must be a text"),
    ("fractional value", plain_win, set_field("win", "base_total", 1.0), "a whole number"),
    # start
    ("no start", plain_win, drop("start"), "expected start"),
    ("schema", plain_win, set_field("start", "schema", 2), "schema: expected 1"),
    ("ruleset", plain_win, set_field("start", "ruleset", "rome"), "no rules for 'rome'"),
    ("round wind", plain_win, set_field("start", "round_wind", "2z"), "round_wind: expected 1z"),
    ("first dealer", plain_win, set_field("start", "dealer", 2), "begins with dealer 0"),
    ("first counter", yancheng_plain_start, set_field("start", "carried", {"jia": 1}), "begins"),
    ("counters", yancheng_plain_start, set_field("start", "carried", {}), "carried must have"),
    ("option value", plain_win, change_option("multi_ron", 1), "cannot be 1"),
    (
        "option missing",
        plain_win,
        lambda log: log[0]["options"]["options"].pop("multi_ron"),
        "opti",
    ),
    ("option unknown", plain_win, change_option("jokers", True), "no option 'jokers'"),
    ("round too late", plain_win, set_field("start", "round", 5), "a match has 4 rounds"),
    ("five alike in the wall", plain_win, fifth_copy, "too many"),
    ("short wall", plain_win, short_wall, "missing"),
    # deal and flowers
    ("hands exchanged", plain_win, swap_hands, "dealt to seat 1"),
    ("tile dealt wrongly", plain_win, swap_dealt_tile, "dealt to seat 0"),
    ("no deal", plain_win, drop("deal"), "expected the deal"),
    ("flower kept", yancheng_plain_start, drop("flower"), "wall_index: expected 142"),
    ("flowers out of turn", yancheng_plain_start, swap_flower_seats, "seat: expected"),
    ("lower tile first", yancheng_plain_start, lower_tile_first, "wall_index: expected 142"),
    ("other replacement", yancheng_plain_start, set_field("flower", "replacement", "cat"), "tile"),
    ("not replaced", yancheng_plain_start, set_field("flower", "replacement", None), "is replaced"),
    ("replaced from nothing", last_flower, replace_from_nothing, "no tile left to replace"),
    # turns
    ("draw out of order", plain_win, draw_next_index, "wall_index: expected 53"),
    ("draw from the tail", plain_win, draw_from_tail, "from: expected head"),
    ("draw of another seat", plain_win, other_seat_draws, "seat: expected 1"),
    ("drawn tile", plain_win, set_field("draw", "tile", "baida"), "tile: expected"),
    ("no draw", plain_win, drop("draw"), "expected seat"),
    ("no discard", plain_win, drop("discard"), "expected seat 0 to win, make a kong or discard"),
    ("discard not owned", plain_win, discard_of_another, "does not hold"),
    # declarations
    ("hand unlocked", declared_later, unlock, "discards the tile just drawn"),
    ("declared unready", yancheng_plain_start, declare_unready, "the hand is not ready"),
    ("declared twice", declared_later, declare_twice, "a declaration is final"),
    ("declared after", declared_later, ready_after_discard, "found ready"),
    ("no such mode", self_draw, set_field("ready", "mode", "riichi"), "mode must be one of"),
    ("a wait too few", self_draw, fewer_waits, "waits of seat 1"),
    ("a wait too many", self_draw, more_waits, "waits of seat 1"),
    ("window out of turn", window_log, reverse_window, "go in turn order"),
    ("declared twice in window", window_log, dealer_in_window_again, "one a seat"),
    ("no window", window_log, change_option("opening_window", False), "no opening window"),
    (
        "three suits must fly",
        lambda: kong_log("777m234p345s678s5p", "7m", "never"),
        change_option("three_suits_must_fly", True),
        "must fly",
    ),
    # kongs and claims
    ("no replacement", yancheng_kong, no_replacement, "to draw from the tail"),
    ("kong not owned", yancheng_kong, kong_of_another, "does not hold 4"),
    ("kong of unlike tiles", yancheng_kong, kong_of_unlike, "tiles of a kong"),
    ("kong kind", yancheng_kong, set_field("kong", "kind", "added"), "is one of ['concealed']"),
    ("kong giver", yancheng_kong, set_field("kong", "from", 0), "only an exposed kong"),
    ("kong forbidden", yancheng_kong, change_option("kong_after_ting", "never"), "no kong after"),
    (
        "kong changes the waits",
        lambda: kong_log("7778m345p345s678s", "7m", "still_ready"),
        change_option("kong_after_ting", "same_waits"),
        "leaves the waits as they are",
    ),
    ("kong at the empty wall", plain_exhausted, kong_at_empty_wall, "a kong needs a tile"),
    ("chow across", plain_with("chow"), chow_by_another, "only the next seat may chow"),
    ("chow without a run", plain_with("chow"), chow_no_run, "is not a run"),
    ("pong of another tile", plain_with("pong"), claim_other_tile, "claimed tile"),
    ("pong without a pair", plain_with("pong"), pong_without_pair, "does not hold"),
    ("pong from another", plain_with("pong"), claim_from_another, "from: expected"),
    ("kong in a claim's turn", plain_with("pong"), kong_after_claim, "in the turn of a claim"),
    ("win in a claim's turn", claim_and_win, win_after_claim, "nothing wins in the turn"),
    (
        "added without a pong",
        plain_with("kong", kind="concealed"),
        added_without_pong,
        "has no pong",
    ),
    (
        "exposed in one's own turn",
        plain_with("kong", kind="concealed"),
        exposed_in_own_turn,
        "is one of",
    ),
    ("exposed without replacement", plain_with("kong", kind="exposed"), no_replacement, "the tail"),
    ("robbed without a win", robbed, rob_without_win, "which robs the kong"),
    ("robbed by the wrong seat", robbed, rob_by_incomplete, "not_complete"),
    ("robbed unannounced", robbed, win_of_robbed_tile_without_rob, "to draw from the tail"),
    ("robbed tile", robbed, set_field("rob", "tile", "baida"), "tile: expected"),
    ("robbed how", robbed, set_field("rob", "how", "pong"), "how: expected win"),
    # wins
    ("undeclared win", self_draw, undeclared_win, "not_declared"),
    ("won by", self_draw, set_field("win", "by", "kong_draw"), "by: expected self_draw"),
    ("won tile", self_draw, set_field("win", "tile", "9s"), "tile: expected 5m"),
    ("won from", self_draw, set_field("win", "from", 2), "from: expected None"),
    ("not from the discarder", plain_win, drop_field("win", "from"), "from: expected"),
    ("winner's hand", self_draw, lose_hand_tile, "hand: expected"),
    ("winner's melds", self_draw, add_meld, "melds: expected"),
    ("winner's flowers", self_draw, add_flower, "flowers: expected"),
    ("element", self_draw, add_element, "elements: expected"),
    ("factor", self_draw, add_factor, "factors: expected"),
    ("base", self_draw, set_field("win", "base_total", 3), "base_total: expected"),
    ("multiplier", self_draw, set_field("win", "multiplier", 7), "multiplier: expected"),
    ("payments", self_draw, pay_another, "payments: expected"),
    ("second winner", two_rons, change_option("multi_ron", False), "expected the end of the deal"),
    ("winners' order", two_rons, winners_reversed, "wins go in turn order"),
    ("nearer winner passed", two_rons, nearer_seat_passed, "winners of"),
    ("win passed", plain_win, drop("win"), "winners of"),
    ("own win passed", self_draw, discard_the_win, "could win by self_draw"),
    # the end
    ("ended early", plain_exhausted, early_end, "found exhausted"),
    ("drawn beyond", plain_exhausted, one_more_draw, "expected the deal to be exhausted"),
    ("exhaustion left out", plain_exhausted, drop("exhausted"), "expected the deal to be"),
    ("tiles left", plain_exhausted, set_field("exhausted", "tiles_left", 1), "tiles_left"),
    ("flower ends the deal", last_flower, drop("exhausted"), "expected the deal to be exhausted"),
    ("no end", plain_win, keep_out_last, "found the end of the log"),
    ("log cut", plain_win, cut, "found the end of the log"),
    ("event after the end", plain_win, after_the_end, "nothing stands after the end"),
    ("payments of the deal", plain_win, wins_not_paid, "payments: expected"),
    ("sum of payments", plain_win, sum_not_zero, "sum of payments"),
    ("next dealer", plain_win, next_dealer, "dealer: expected"),
    ("match over", plain_win, over, "match_over: expected False"),
    (
        "carried after",
        yancheng_exhausted,
        set_field("end", "carried", {"jia": 0}),
        "carried: expected {'jia': 1}",
    ),
]


@pytest.mark.parametrize(
    ("source", "damage", "text"), [pytest.param(*rest, id=name) for name, *rest in FAULTS]
)
def test_planted_fault(source: Callable[[], Log], damage: Mutation, text: str) -> None:
    assert_noticed(source(), damage, text)


MATCH_FAULTS: list[tuple[str, Callable[[list[Log]], object], str]] = [
    ("deal missing", lambda logs: logs.pop(2), "deal_in_match must be"),
    ("first deal missing", lambda logs: logs.pop(0), "first deal of the match is missing"),
    ("last deal missing", lambda logs: logs.pop(), "last deal of the match is missing"),
    ("seed", lambda logs: logs[1][0].update(seed=99), "seed must be"),
    ("digest", lambda logs: logs[1][0].update(digest="other"), "digest must be"),
]


@pytest.mark.parametrize(
    ("damage", "text"), [pytest.param(*rest, id=name) for name, *rest in MATCH_FAULTS]
)
def test_planted_match_fault(damage: Callable[[list[Log]], object], text: str) -> None:
    logs = deepcopy(play_match(Plain({"rounds_per_match": 1}), 5, habits=BUSY))
    assert check_match(logs) == []
    damage(logs)
    faults = check_match(logs)
    assert any(text in fault for fault in faults), faults


def test_carried_state_must_be_taken_over() -> None:
    logs = deepcopy(play_match(Yancheng({"rounds_per_match": 1}), 11, habits=EAGER))
    later = next(log for log in logs[2:] if log[0]["carried"]["jia"] > 0)
    later[0]["carried"]["jia"] -= 1
    assert check_match(logs) != []
