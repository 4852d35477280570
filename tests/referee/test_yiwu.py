"""Yiwu: shapes with wild tiles, the worked situations, clean logs, planted faults."""

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import pytest

from tests.referee.cases import load_cases
from tests.referee.common import KIND, NAMES, Json, Meld, Option, Value, parse_tiles
from tests.referee.damage import (
    Log,
    Mutation,
    assert_noticed,
    change_option,
    drop,
    first,
    has,
    places,
    search,
    set_field,
    stacked,
)
from tests.referee.game import Outcome
from tests.referee.player import Habits, first_start, play_deal, play_match
from tests.referee.replay import check_log, check_match
from tests.referee.shapes import changed, counted, is_complete, paired, splits, unconnected
from tests.referee.table import Entry, Table, Wall
from tests.referee.yiwu import Yiwu

BUSY = Habits(kong=1.0, claim=0.5, bid=0.5)
CALM = Habits(claim=0.0, kong=0.0)
TABLES = {case["id"]: case for case in load_cases("yiwu.json") if case["kind"] == "table"}
OPTION_VALUES: dict[str, tuple[Value, ...]] = {
    "mai_value": (0, 3),
    "xia_cap": (3, 8),
    "double_piao_draw_penalty": (4,),
    "base_dealer": (9,),
    "base_other": (7,),
}


# Shapes


@pytest.mark.parametrize("wilds", [1, 2])
def test_wild_tiles_are_any_tiles(wilds: int) -> None:
    """A hand with wild tiles is complete if some tiles in their place make it so."""
    random = Random(wilds)
    kinds = [*range(18), 27, 28]
    deck = [kind for kind in kinds for _ in range(4)]
    found = Counter[bool]()
    for _ in range(150):
        hand = counted(random.sample(deck[: random.choice((20, 40, 80))], 14 - wilds))
        fills = combinations_with_replacement(range(34), wilds)
        whole = [changed(hand, fill, 1) for fill in fills]
        standard = any(is_complete(counts, seven_pairs=False) for counts in whole)
        assert splits(hand, 4, 1, wilds) is standard
        pairs = any(all(n % 2 == 0 for n in counts) for counts in whole)
        assert paired(hand, wilds, quads=True) is pairs
        found[standard] += 1
    assert len(found) == 2
    assert min(found.values()) > 5


@pytest.mark.parametrize(
    ("hand", "wilds", "gaps", "groups"),
    [
        ("147m258p369s12345z", 0, True, True),
        ("147m147p369s12345z", 0, True, False),
        ("159m258p369s12345z", 0, True, False),
        ("146m258p369s12345z", 0, False, False),
        ("147m258p369s11234z", 0, False, False),
        ("147m258p36s1234z", 2, True, True),
        ("37m37p37s1234567z", 1, False, False),
        ("37m37p369s123456z", 1, True, False),
        ("1m1234567z", 6, True, True),
    ],
)
def test_unconnected(hand: str, wilds: int, gaps: bool, groups: bool) -> None:
    counts = counted(parse_tiles(hand))
    assert unconnected(counts, wilds, size=14, groups_of_three=False) is gaps
    assert unconnected(counts, wilds, size=14, groups_of_three=True) is groups


def test_a_wild_head_waits_for_every_tile() -> None:
    """3.4: without one wild tile all is melded, if and only if every kind completes the hand."""
    game, wild, random = Yiwu(), KIND["9p"], Random(3)
    deck = [kind for kind in (*range(9), 17, 17, 17, 27) for _ in range(4)]
    heads = 0
    for _ in range(1500):
        hand = counted([*random.sample(deck[:36], 10), wild, *random.choices(deck, k=2)])
        if hand[wild] > 3 or max(hand) > 4:
            continue
        every = all(game.is_complete(changed(hand, (kind,), 1), 0, wild) for kind in range(34))
        assert game.is_wild_head(hand, 0, wild) is every
        heads += every
    assert heads > 5


# Worked situations


def table_of(wild: str, *, left: int = 82, tails: int = 0) -> Table:
    wall = Wall([0] * left)
    wall.tails = tails
    carried = {"mai": [0] * 4, "xia": [0] * 4, "last": None, "repeat": 0}
    return Table(0, 1, carried, wall, KIND[wild])


@pytest.mark.parametrize("name", ["YW-T75", "YW-T76", "YW-T77"])
def test_piao(name: str) -> None:
    context, expect = TABLES[name]["context"], TABLES[name]["expect"]
    game, table = Yiwu(), table_of(context["wild"])
    tile, seat = KIND[context["tile"]], table.seats[0]
    seat.hand = [tile] * context["wilds_held"] + [0]
    seat.notes["piao"] = context["piao_before"]
    assert not game.against_discarding(table, 0, tile, Entry("self_draw", tile))
    game.note_discard(table, 0, tile, win_declined=False)
    assert game.piao(table, 0) == expect["piao_after"]
    assert game.against_claim(table, 1, "pong", 0, tile) == "a thrown wild tile is dead"


@pytest.mark.parametrize(("held", "piao"), [((3, 2), 2), ((2, 2), 1)])
def test_a_double_piao_from_three(held: tuple[int, int], piao: int) -> None:
    game, table, wild = Yiwu({"double_piao_needs_three": True}), table_of("9p"), KIND["9p"]
    for n in held:
        table.seats[2].hand = [wild] * n
        game.note_discard(table, 2, wild, win_declined=False)
    assert game.piao(table, 2) == piao


def test_a_lone_wild_tile_thrown() -> None:
    wild, entry = KIND["9p"], Entry("self_draw", KIND["9p"])
    for rule, allowed, face in (("dead", True, -1), ("claimable", True, wild)):
        game, table = Yiwu({"lone_wild_discard": rule}), table_of("9p")
        table.seats[2].hand = [wild, 0]
        assert (not game.against_discarding(table, 2, wild, entry)) is allowed
        game.note_discard(table, 2, wild, win_declined=False)
        assert game.face(table, wild, thrown=True) == face
        assert game.face(table, KIND["7z"]) == wild
    table.seats[2].hand = [wild, 0]
    assert Yiwu({"lone_wild_discard": "forbidden"}).against_discarding(table, 2, wild, entry)


@pytest.mark.parametrize(
    ("piao", "left", "draws"),
    [(0, 82, "draws_no_piao"), (1, 82, "draws_after_dan_piao"), (2, 82, "draws_after_shuang_piao")],
)
def test_reserve(piao: int, left: int, draws: str) -> None:
    game, table = Yiwu(), table_of("9p", left=left)
    table.seats[3].notes["piao"] = piao
    drawn = 0
    while game.can_draw(table, "head"):
        table.wall.take(table.wall.head())
        drawn += 1
    assert drawn == TABLES["YW-T89"]["expect"][draws]


@pytest.mark.parametrize(
    ("rule", "tails", "left"),
    [
        ("excluded", 0, 34),
        ("excluded", 1, 35),
        ("excluded", 2, 34),
        ("counted", 1, 34),
        ("indicator_stack", 0, 35),
    ],
)
def test_the_stack_of_the_kong(rule: str, tails: int, left: int) -> None:
    """YW-A16: what stands when no more can be drawn."""
    game, table = Yiwu({"reserve_partial_stack": rule}), table_of("9p", tails=tails)
    while game.can_draw(table, "head"):
        table.wall.take(table.wall.head())
    assert table.wall.left == left


XIA = ["YW-T79", "YW-T80", "YW-T81", "YW-T82", "YW-T83", "YW-T84", "YW-T88"]


@pytest.mark.parametrize("name", XIA)
def test_placing(name: str) -> None:
    context, expect = TABLES[name]["context"], TABLES[name]["expect"]
    game, table = Yiwu(), table_of("9p")
    before = {"mai": [0] * 4, "xia": context["xia"], "last": None, "repeat": 0, "dealer": 0}
    after = game.carry(before, Outcome((0,), None, game.values[context["element"]]))
    assert after.pop("dealer") == 0
    table.carried = after
    offered = [game.bid_choices(table, "xia", seat) for seat in range(4)]
    for seat, choices in enumerate(offered):
        forced = expect.get("xia_forced", [0] * 4)[seat]
        wanted = [0, expect["xia_offer"][seat]] if expect["xia_offer"][seat] else [forced]
        assert choices == [{"xia": amount} for amount in wanted]


def placing(options: dict[str, Value], **carried: Any) -> list[list[int]]:
    """Return what each seat may have placed."""
    game, table = Yiwu(options), table_of("9p")
    table.carried = {"mai": [0] * 4, "xia": [0, 2, 0, 0], "last": 4, "repeat": 1} | carried
    return [[c["xia"] for c in game.bid_choices(table, "xia", seat)] for seat in range(4)]


def test_placing_under_options() -> None:
    assert placing({}) == [[0], [4], [0, 4], [0, 4]]
    assert placing({"xia_cap": 3}) == [[0], [3], [0, 3], [0, 3]]
    assert placing({"xia_partial": True})[2] == [0, 1, 2, 3, 4]
    assert placing({}, last=None) == [[0], [2], [0], [0]]
    assert placing({"xia_double_on_draw": True}, last=None) == [[0], [4], [0], [0]]


def test_buying() -> None:
    """T85, T86: bought points stand while the dealer stays."""
    table = table_of("9p")
    table.carried |= {"mai": [2, 0, 0, 0], "repeat": 1}
    for rule, free in (("any_hand", [{"mai": 0}, {"mai": 2}]), ("new_dealer", [{"mai": 0}])):
        game = Yiwu({"mai_time": rule})
        assert game.bid_choices(table, "mai", 0) == [{"mai": 2}]
        assert game.bid_choices(table, "mai", 1) == free
    before = {"mai": [2, 0, 2, 0], "xia": [0, 4, 0, 8], "last": 2, "repeat": 3, "dealer": 0}
    cleared = {"mai": [0] * 4, "xia": [0] * 4, "last": None, "repeat": 0, "dealer": 1}
    assert Yiwu().carry(before, Outcome((2,))) == cleared
    assert Yiwu().carry(before, Outcome()) == before | {"last": None, "repeat": 4}


def test_a_double_piao_drawn() -> None:
    """T92: nothing, or what the option says."""
    table = table_of("9p")
    table.seats[1].notes["piao"] = 2
    assert Yiwu().exhausted_payments(table) == [0, 0, 0, 0]
    paid = Yiwu({"double_piao_draw_penalty": 4}).exhausted_payments(table)
    assert paid == [28, -68, 20, 20]


# Scores that the cases leave open


def score(changes: dict[str, Value], **case: Any) -> Json:
    context = {"wild": "9p", "piao": [0] * 4, "mai": [0] * 4, "xia": [0] * 4}
    context |= case.pop("context", {})
    full = {"melds": [], "winner": 1, "discarder": None, "dealer": 0, "by": "self_draw"}
    return Yiwu().answer(full | {"options": changes, "context": context} | case)


HEAD = {"hand": "123456p234m9p", "melds": [{"type": "kong_concealed", "tiles": "1111s"}]}
PLAIN = {"hand": "123456p789s23m22z", "win_tile": "4m"}
OPEN = {
    "hand": "789s23m22z",
    "melds": [{"type": "pong", "tiles": "111z"}, {"type": "chow", "tiles": "456p"}],
    "win_tile": "4m",
}
THREE = {
    "hand": "79s368m22z555s",
    "melds": [{"type": "kong_concealed", "tiles": "1111p"}],
    "win_tile": "4m",
    "by": "kong_draw",
    "context": {"wild": "5s"},
}
KONG = {
    "hand": "123456p23m22z",
    "melds": [{"type": "kong_exposed", "tiles": "1111s"}],
    "win_tile": "4m",
    "by": "kong_draw",
}


@pytest.mark.parametrize(
    ("changes", "case", "multiplier"),
    [
        ({"stack_kong_head": True}, HEAD | {"win_tile": "6z", "by": "kong_draw"}, 8),
        ({"self_draw_needs_closed": True}, OPEN, 1),
        ({"self_draw_needs_closed": True}, PLAIN, 2),
        ({"three_wilds_kong_ok": False}, THREE, None),
        ({}, KONG | {"context": {"piao": [0, 2, 0, 0]}}, 8),
        ({"double_piao_kong_ok": False}, KONG | {"context": {"piao": [0, 2, 0, 0]}}, None),
        ({"double_piao_kong_ok": False}, KONG | {"context": {"piao": [0, 1, 0, 0]}}, 8),
        ({"elements.fang_chong.value": 2}, PLAIN | {"by": "discard", "discarder": 3}, 2),
        (
            {"elements.fang_chong.value": 2},
            PLAIN | {"by": "discard", "discarder": 3, "context": {"piao": [1, 0, 0, 0]}},
            None,
        ),
    ],
)
def test_multiplier(changes: dict[str, Value], case: Json, multiplier: int | None) -> None:
    assert score(changes, **case).get("multiplier") == multiplier


@pytest.mark.parametrize(
    ("changes", "case", "payments"),
    [
        ({"base_mode": "winner"}, {}, [-10, 30, -10, -10]),
        ({"base_mode": "payer"}, {}, [-14, 34, -10, -10]),
        ({"base_mode": "payer"}, {"winner": 0}, [30, -10, -10, -10]),
        ({"base_dealer": 9, "base_other": 7}, {}, [-18, 46, -14, -14]),
        ({"mai_mode": "winner"}, {"context": {"mai": [0, 2, 2, 0]}}, [-18, 46, -14, -14]),
        ({"discarder_extra": "share"}, {"by": "discard", "discarder": 2}, [-7, 22, -10, -5]),
        ({"rob_kong_payer": "robbed"}, {"by": "rob_kong", "discarder": 2}, [0, 34, -34, 0]),
        ({}, {"by": "rob_kong", "discarder": 2}, [-14, 34, -10, -10]),
    ],
)
def test_payments(changes: dict[str, Value], case: Json, payments: list[int]) -> None:
    assert score(changes, **PLAIN | case)["payments"] == payments


def test_who_answers_for_a_failed_piao() -> None:
    """Seat 2 has fed seat 3, which has made a piao; seat 1 or seat 2 wins."""
    context = {"piao": [0, 0, 0, 1], "feeds": {"to": 3, "by": [0, 0, 2, 0]}}
    for rule, other, feeder in (
        ("feeder_wins", [-14, 34, -10, -10], [0, 0, 34, -34]),
        ("feeder_wins_double", [-14, 34, -10, -10], [0, 0, 68, -68]),
        ("any_fail", [-14, 34, 0, -20], [0, 0, 34, -34]),
    ):
        options: dict[str, Value] = {"bao_fail": rule}
        assert score(options, **PLAIN, context=context)["payments"] == other
        assert score(options, **PLAIN, winner=2, context=context)["payments"] == feeder


def test_guarantors_split_and_three_before() -> None:
    won = {"hand": "123456p789s234m9p", "win_tile": "6z"}
    context = {"piao": [0, 1, 0, 0], "feeds": {"to": 1, "by": [2, 0, 2, 0]}}
    paid = score({"multi_guarantor": "split"}, **won, context=context)["payments"]
    assert paid == [-68, 136, -68, 0]
    context["feeds"] = {"to": 1, "by": [0] * 4, "before": [3, 0, 0, 0]}
    assert score({}, **won, context=context)["payments"] == [-56, 136, -40, -40]
    three = score({"feed_three_before": True}, **won, context=context)["payments"]
    assert three == [-136, 136, 0, 0]


def test_feeds_are_counted_from_the_first_piao() -> None:
    for counts_kong in (True, False):
        game, table = Yiwu({"feed_counts_kong": counts_kong}), table_of("9p")
        seat, wild = table.seats[1], KIND["9p"]
        for kind, piao in (("pong", 0), ("chow", 1), ("kong_exposed", 1)):
            seat.notes["piao"], seat.notes["turn"] = piao, 0
            seat.melds.append(Meld(kind, (wild,), 2))
            game.note_passed(table, 2, 0, [], 1)
        feed = game.win_context(table, 1, None)["feeds"][0]
        assert feed["to"] == 1
        assert feed["by"][2] == 1 + counts_kong
        assert feed["before"][2] == 1


# Clean logs


def any_value(option: str, form: Option, random: Random) -> Value:
    return random.choice(form.values or OPTION_VALUES.get(option, (form.default,)))


@pytest.mark.parametrize("seed", range(40))
def test_clean_yiwu(seed: int) -> None:
    """Under arbitrary options, with wins always taken and with wins passed."""
    random = Random(seed)
    options = {
        name: any_value(name, form, random)
        for name, form in Yiwu.option_table.items()
        if random.random() < 0.3
    }
    win = random.choice((0.0, 0.5, 1.0))
    habits = Habits(win=win, kong=1.0, claim=random.choice((0.3, 1.0)), careless=0.3)
    log = play_deal(Yiwu(options), seed, habits=habits)
    assert check_log(json.loads(json.dumps(log)), wins_taken=win == 1.0) == []


@pytest.mark.parametrize(
    "options", [{"rounds_per_match": 1}, {"rounds_per_match": 2, "xia_cap": 4, "mai_value": 3}]
)
def test_clean_match(options: dict[str, Value]) -> None:
    logs = play_match(Yiwu(options), 3, habits=BUSY)
    assert check_match(logs, wins_taken=True) == []
    assert any(any(log[0]["carried"]["mai"]) for log in logs)


def test_the_player_reaches_what_is_peculiar_to_yiwu() -> None:
    seen = Counter[str]()
    for seed in range(200):
        for event in play_deal(Yiwu(), seed, habits=Habits(kong=1.0, claim=0.4, careless=0.3)):
            seen[" ".join(str(event.get(key, "")) for key in ("event", "kind", "by")).strip()] += 1
            seen.update(event.get("elements", {}))
            seen["white in a chow"] += event["event"] == "chow" and "7z" in event["tiles"]
    wanted = {"chow", "pong", "kong exposed", "kong added", "kong concealed", "white in a chow"}
    assert wanted | {"fang_chong", "zi_mo", "cai_shen_tou", "exhausted", "indicator"} <= set(+seen)


# Planted faults


@cache
def yiwu_win() -> Log:
    return search(Yiwu(), has("win", by="discard"), BUSY)


@cache
def bought() -> Log:
    return search(Yiwu(), lambda log: bool(places(log, "bid", bids={"mai": 2})), BUSY)


@cache
def placed() -> Log:
    """The dealer has won with 4, seat 1 has placed 2 before; the rest decide."""
    start = deepcopy(first_start(Yiwu(), 0)) | {"deal": 1, "deal_in_match": 1, "dealer": 0}
    start["carried"] = {"mai": [0, 2, 0, 0], "xia": [0, 2, 0, 0], "last": 4, "repeat": 1}
    return play_deal(Yiwu(), 1, habits=Habits(bid=0.0), start=start, first_dealer=0)


@cache
def yiwu_exhausted() -> Log:
    return search(Yiwu(), has("exhausted"), CALM)


@cache
def piao_made() -> Log:
    """Seat 1 is dealt two wild tiles and throws one; nobody wins."""
    hands = ("1258m258p147s147z", "99p147m258s1369s1z", "369m369p147s2589s", "147m369s25p12345z")
    wall = stacked(*hands, last="2z", then="9p")

    def wanted(log: Log) -> bool:
        thrown = places(log, "discard", seat=1, tile="9p")
        return bool(thrown) and bool(places(log, "exhausted"))

    habits = Habits(win=0.0, claim=0.0, kong=0.0, careless=1.0)
    return search(Yiwu({"double_piao_draw_penalty": 4}), wanted, habits, wall)


@cache
def with_white() -> Log:
    def wanted(log: Log) -> bool:
        return any("7z" in log[place]["tiles"] for place in places(log, "chow"))

    return search(Yiwu(), wanted, BUSY)


def chow_with_the_wild(log: Log) -> None:
    """Put the wild tile itself in the place of a white."""
    chow = next(log[place] for place in places(log, "chow") if "7z" in log[place]["tiles"])
    wild = first(log, "indicator")["tile"]
    chow["tiles"] = [wild if name == "7z" else name for name in chow["tiles"]]


def other_indicator(log: Log) -> None:
    indicator = first(log, "indicator")
    indicator["tile"] = next(name for name in NAMES[:34] if name != indicator["tile"])


def bid_of_the_next(log: Log) -> None:
    bids = places(log, "bid")
    log[bids[0]], log[bids[1]] = log[bids[1]], log[bids[0]]


def end_too_early(log: Log) -> None:
    place = places(log, "draw")[-1]
    log[place:] = log[-2:]


def draw_from_the_reserve(log: Log) -> None:
    place = places(log, "exhausted")[0]
    seat = (log[place - 1]["seat"] + 1) % 4
    log.insert(
        place, {"event": "draw", "seat": seat, "tile": "1m", "wall_index": 102, "from": "head"}
    )


def pong_the_wild(log: Log) -> None:
    place = places(log, "discard", seat=1, tile="9p")[0]
    pong = {"event": "pong", "seat": 2, "tiles": ["9p"] * 3, "tile": "9p", "from": 1}
    log.insert(place + 1, pong)


def set_bid(phase: str, seat: int, amount: int) -> Mutation:
    def damage(log: Log) -> None:
        bid = next(log[p] for p in places(log, "bid", seat=seat) if phase in log[p]["bids"])
        bid["bids"] = {phase: amount}

    return damage


def set_carried(name: str, value: object) -> Mutation:
    def damage(log: Log) -> None:
        log[0]["carried"][name] = value

    return damage


def set_after(name: str, value: object) -> Mutation:
    def damage(log: Log) -> None:
        log[-1]["carried"][name] = value

    return damage


def discarder_as_the_others(log: Log) -> None:
    win = first(log, "win")
    win["payments"][win["from"]] += 1
    win["payments"][win["seat"]] -= 1


FAULTS: list[tuple[str, Callable[[], Log], Mutation, str]] = [
    ("no indicator", yiwu_win, drop("indicator"), "expected the indicator"),
    ("another indicator", yiwu_win, other_indicator, "tile: expected"),
    (
        "indicator from elsewhere",
        yiwu_win,
        set_field("indicator", "wall_index", 135),
        "expected 53",
    ),
    ("no bid", yiwu_win, drop("bid"), "seat: expected"),
    ("bids out of turn", yiwu_win, bid_of_the_next, "seat: expected"),
    ("bought three", bought, set_field("bid", "bids", {"mai": 3}), "is none of"),
    ("bought twice", placed, set_bid("mai", 1, 4), "is none of"),
    ("withdrawn", placed, set_bid("mai", 1, 0), "is none of"),
    ("not doubled", placed, set_bid("xia", 1, 2), "is none of"),
    ("placed in part", placed, set_bid("xia", 2, 3), "is none of"),
    ("placed by the dealer", placed, set_bid("xia", 0, 4), "is none of"),
    ("carried mai", placed, set_carried("mai", [0, 1, 0, 0]), "mai must be 0 or 2"),
    ("carried xia of the dealer", placed, set_carried("xia", [1, 0, 0, 0]), "places nothing"),
    ("carried xia of three", placed, set_carried("xia", [0, 0, 0]), "xia must be four"),
    ("carried last", placed, set_carried("last", True), "last must be null"),
    ("carried repeat", placed, set_carried("repeat", 2), "repeat must be"),
    ("stands at first", placed, set_carried("repeat", 0), "nothing stands when"),
    ("counter left out", placed, lambda log: log[0]["carried"].pop("last"), "must have the count"),
    ("first counters", yiwu_win, set_carried("repeat", 1), "a match begins with"),
    ("repeat after", yiwu_exhausted, set_after("repeat", 0), "carried: expected"),
    ("mai after", yiwu_exhausted, set_after("mai", [2, 2, 2, 2]), "carried: expected"),
    ("ended too early", yiwu_exhausted, end_too_early, "found exhausted"),
    ("drawn from the reserve", yiwu_exhausted, draw_from_the_reserve, "to be exhausted"),
    ("white is no wild", with_white, chow_with_the_wild, "a wild tile is among them"),
    ("discarder's point", yiwu_win, discarder_as_the_others, "payments: expected"),
    ("base", yiwu_win, change_option("base_dealer", 8), "payments: expected"),
    ("element", yiwu_win, set_field("win", "elements", {"zi_mo": 1}), "elements: expected"),
    ("multiplier", yiwu_win, set_field("win", "multiplier", 2), "multiplier: expected"),
]


@pytest.mark.parametrize(
    ("source", "damage", "text"), [pytest.param(*rest, id=name) for name, *rest in FAULTS]
)
def test_planted_fault(source: Callable[[], Log], damage: Mutation, text: str) -> None:
    assert_noticed(source(), damage, text)


def test_planted_faults_after_a_piao() -> None:
    log = piao_made()
    assert check_log(log) == []
    reserve = first(log, "exhausted")["tiles_left"]
    assert reserve == (14 if len(places(log, "discard", seat=1, tile="9p")) == 1 else 0)
    claimed = deepcopy(log)
    pong_the_wild(claimed)
    assert any("a wild tile is among them" in fault for fault in check_log(claimed))
    unpaid = deepcopy(log)
    unpaid[-1]["payments"] = [1, -1, 0, 0]
    assert any("payments: expected" in fault for fault in check_log(unpaid))


def test_a_match_must_close_its_rounds() -> None:
    logs = deepcopy(play_match(Yiwu({"rounds_per_match": 2}), 3, habits=BUSY))
    later = next(log for log in logs if log[0]["round"] == 2)
    later[0]["round"], later[0]["round_wind"] = 1, "1z"
    assert check_match(logs) != []
