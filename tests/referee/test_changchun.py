"""The referee of Changchun: clean logs under every option, and every kind of fault planted."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache

import pytest

from tests.referee.cases import load_cases
from tests.referee.changchun import Changchun
from tests.referee.common import Json, Value
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
from tests.referee.player import Habits, first_start, play_deal, play_match
from tests.referee.replay import check_log, check_match

EAGER = Habits(declare=1.0, kong=1.0, claim=0.3, careless=0.0)
BUSY = Habits(declare=0.3, kong=1.0, claim=0.9)
QUIET = Habits(declare=0.0, kong=0.0, claim=0.0)
SHOWING = Habits(declare=0.0, kong=1.0, claim=0.0)
ROBBING = Habits(win=0.0, declare=0.0, kong=1.0, claim=1.0)
LOST = Habits(win=0.0, declare=0.0, kong=1.0, claim=0.7)
DECLINING = Habits(win=0.0, declare=1.0, kong=0.3, claim=0.5, careless=0.0)
OTHER_VALUES = [
    (name, value)
    for name, option in Changchun.option_table.items()
    for value in option.values or (1, 3)
    if value != option.default
]

# Hands for stacked walls.
LOOSE = "147m258p369s1478s"
LOOSE_2 = "258m369p147s4589m"
LOOSE_3 = "369m147p258s3699p"
READY = "234m567p4522s111z"
WINDS = "1234z147m258p369s"
MORE_WINDS = "11234z147m25p369s"
DRAGONS = "567z147m258p3699s"
MORE_DRAGONS = "5567z147m258p369s"
NINES = "9m9p9s147m258p14s36m"
WAITING_FOR_EAST = "234m567p456s99s11z"
GAMES: dict[tuple[tuple[str, Value], ...], Changchun] = {}


def played(options: dict[str, Value]) -> Changchun:
    return GAMES.setdefault(tuple(sorted(options.items())), Changchun(options))


def changchun_log(
    wanted: Callable[[Log], bool],
    habits: Habits = EAGER,
    wall: tuple[int, ...] = (),
    **options: Value,
) -> Log:
    return search(played(options), wanted, habits, wall)


def turn_of(log: Log, step: int) -> int:
    """Return the seat that comes a number of steps after the dealer."""
    return int(log[0]["dealer"] + step) % 4


def shown(kind: str, step: int) -> Callable[[Log], bool]:
    return lambda log: bool(places(log, "special_kong", kind=kind, seat=turn_of(log, step)))


def drawn_first(log: Log) -> bool:
    """Tell whether the seat after the dealer draws first."""
    return bool(log[3]["event"] == "draw" and log[2]["event"] == "discard")


# Clean logs


@pytest.mark.parametrize("habits", [EAGER, BUSY, LOST])
@pytest.mark.parametrize("seed", range(8))
def test_clean(seed: int, habits: Habits) -> None:
    log = play_deal(Changchun(), seed, habits=habits)
    assert check_log(log, wins_taken=habits.win == 1.0) == []


@pytest.mark.parametrize(("name", "value"), OTHER_VALUES)
def test_clean_under_every_option(name: str, value: Value) -> None:
    for seed in range(2):
        log = play_deal(Changchun({name: value}), seed, habits=EAGER)
        assert log[0]["options"]["options"][name] == value
        assert check_log(log, wins_taken=True) == []


def test_seed_only_profile() -> None:
    game = Changchun({"scoring_profile": "seed_only"})
    assert game.options["qi_dui"] == "off"
    assert {name for name, worth in game.values.items() if worth} >= {"li_hu", "zhuang"}
    assert game.values["zi_mo"] == game.values["piao_hu"] == game.values["chong_bao"] == 0
    assert Changchun({"scoring_profile": "seed_only", "qi_dui": "on"}).options["qi_dui"] == "on"
    assert Changchun({"scoring_profile": "seed_only"}, {"zi_mo": 1}).values["zi_mo"] == 1


def test_clean_match() -> None:
    """CC-16, CC-17: any seat deals first, and the round is over when it would deal again."""
    logs = play_match(Changchun({"rounds_per_match": 1}), 2, habits=EAGER)
    assert logs[0][0]["dealer"] != 0
    assert check_match(logs, wins_taken=True) == []
    damaged = deepcopy(logs)
    for start in (log[0] for log in damaged[1:]):
        start["round"] = 1
    damaged[-1][-1]["match_over"] = False
    assert check_match(damaged, whole=False) != []


def test_first_dealers() -> None:
    """CC-16, CC-24: every seat deals first in some match."""
    dealers = {first_start(Changchun(), seed)["dealer"] for seed in range(30)}
    assert dealers == {0, 1, 2, 3}


def test_cases_of_the_next_dealer() -> None:
    """CC-T82, CC-T83, CC-T84: who deals next."""
    cases = {case["id"]: case for case in load_cases("changchun.json")}
    for name in ("CC-T82", "CC-T83", "CC-T84"):
        context = cases[name]["context"]
        event: Json = {"type": "win", "winner": context["winner"]}
        if context["winner"] is None:
            event = {"type": "draw"}
        after = Changchun().after({"dealer": context["dealer"]}, event)
        assert after["dealer"] == cases[name]["expect"]["next_dealer"]


def test_the_player_reaches_every_kind_of_event() -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        for event in play_deal(Changchun(), seed, habits=(EAGER, BUSY)[seed % 2]):
            seen[" ".join(str(event.get(key, "")) for key in ("event", "kind", "by")).strip()] += 1
    assert {"bao", "bao_view", "chow", "pong", "ready", "exhausted"} <= set(seen)
    assert {"kong added", "kong concealed", "kong_payment supplement"} <= set(seen)
    assert {"win  discard", "win  self_draw", "win  bao_view"} <= set(seen)


# The wall


def test_seven_stacks_remain() -> None:
    """CC-T85, CC-T86: 69 draws, 14 tiles stay."""
    log = search(Changchun(), has("exhausted"), Habits(win=0.0, kong=0.0, claim=0.0, declare=0.0))
    assert len(places(log, "draw")) == 69
    assert first(log, "exhausted")["tiles_left"] == 14
    assert log[-1]["payments"] == [0, 0, 0, 0]
    assert_noticed_unwon(log, set_field("exhausted", "tiles_left", 15), "tiles_left")
    assert_noticed_unwon(log, change_option("reserve_stacks", 6), "found exhausted")
    assert_noticed_unwon(log, change_option("final_four", "mil"), "expected seat")


def test_a_lone_tail_tile_stays() -> None:
    """CC-T87: after one replacement 68 draws in all, 15 tiles stay."""

    def wanted(log: Log) -> bool:
        return len(places(log, "draw", **{"from": "tail"})) == 1 and has("exhausted")(log)

    log = search(Changchun(), wanted, LOST)
    assert len(places(log, "draw")) == 68
    assert first(log, "exhausted")["tiles_left"] == 15
    assert check_log(log) == []


def test_after_the_last_draw() -> None:
    """One claim may follow the last draw, and its discard ends the deal."""

    def wanted(log: Log) -> bool:
        return len(log) > 4 and log[-4]["event"] in ("pong", "chow") and has("exhausted")(log)

    log = search(Changchun(), wanted, Habits(win=0.0, declare=0.0, kong=0.0, claim=0.9))
    assert check_log(log) == []
    damaged = deepcopy(log)
    claim = deepcopy(damaged[-4]) | {"from": damaged[-4]["seat"], "tile": damaged[-3]["tile"]}
    damaged.insert(-2, claim)
    assert any("to be exhausted" in fault for fault in check_log(damaged))


def test_final_four() -> None:
    """The last four draws are kept: no discard follows them."""
    log = search(played({"final_four": "mil"}), has("exhausted"), EAGER)
    assert [event["event"] for event in log[-6:-2]] == ["draw"] * 4
    assert first(log, "exhausted")["tiles_left"] in (14, 15)
    assert check_log(log, wins_taken=True) == []
    assert_noticed(log, lambda log: log.insert(-2, first(log, "discard")), "to be exhausted")


def assert_noticed_unwon(log: Log, damage: Mutation, text: str) -> None:
    """Assert that a log of players who pass wins is clean, and that its damage is noticed."""
    log = deepcopy(log)
    assert check_log(log) == []
    damage(log)
    faults = check_log(log)
    assert any(text in fault for fault in faults), faults


# Special kongs


@cache
def winds() -> Log:
    """Return a deal in which the seat after the dealer shows its dealt winds."""
    wall = stacked(LOOSE, WINDS, LOOSE_2, LOOSE_3)
    return changchun_log(shown("xuan_feng", 1), SHOWING, wall)


def test_winds_take_a_replacement() -> None:
    """CC-46, CC-54: a wind kong is paid at once and takes one tile; the others take none."""
    place = places(winds(), "special_kong")[0]
    kinds = [event["event"] for event in winds()[place : place + 3]]
    assert kinds == ["special_kong", "kong_payment", "draw"]
    assert winds()[place + 2]["from"] == "tail"
    dragons = changchun_log(shown("xi", 1), SHOWING, stacked(LOOSE, DRAGONS, LOOSE_2, LOOSE_3))
    place = places(dragons, "special_kong")[0]
    assert dragons[place + 2]["event"] != "draw"
    assert check_log(winds(), wins_taken=True) == check_log(dragons, wins_taken=True) == []


def test_later_tiles_make_no_special_kong() -> None:
    """CC-T64, CC-T65: a set is dealt; neither the first draw nor a later one completes it."""
    wall = stacked(LOOSE, "56z147m258p369s36p", LOOSE_2, LOOSE_3, then="7z")
    log = changchun_log(drawn_first, QUIET, wall)
    assert not places(log, "special_kong")
    for number in (0, 1):
        damaged = deepcopy(log)
        draw = places(log, "draw", seat=turn_of(log, 1))[number]
        kong = {"event": "special_kong", "seat": turn_of(log, 1), "kind": "xi"}
        damaged.insert(draw + 1, kong | {"tiles": ["5z", "6z", "7z"]})
        wanted = ("only dealt tiles", "shown in the first turn", "does not hold")
        assert any(text in fault for fault in check_log(damaged) for text in wanted)
    late = changchun_log(shown("xi", 1), SHOWING, wall, special_kong_source="first_turn")
    assert check_log(late, wins_taken=True) == []
    assert_noticed(late, change_option("special_kong_source", "dealt"), "only dealt tiles")


def test_three_winds() -> None:
    """CC-T69: three winds are a wind kong where the option says so."""
    wall = stacked(LOOSE, "123z147m258p3699s", LOOSE_2, LOOSE_3)
    log = changchun_log(shown("xuan_feng", 1), SHOWING, wall, xuan_feng_tiles="any3")
    assert check_log(log, wins_taken=True) == []
    assert_noticed(log, change_option("xuan_feng_tiles", "all4"), "are no xuan_feng")


def test_dealer_adds_nothing_at_first() -> None:
    """CC-T67, CC-52: the dealer's first turn has no supplement."""
    log = changchun_log(shown("xi", 0), SHOWING, stacked(MORE_DRAGONS, LOOSE, LOOSE_2, LOOSE_3))
    place = places(log, "kong_payment")[0]
    assert log[place + 1]["event"] != "supplement"

    def damage(log: Log) -> None:
        added = {"event": "supplement", "seat": log[0]["dealer"], "kind": "xi", "tile": "5z"}
        log.insert(place + 1, added)

    assert_noticed(log, damage, "the dealer adds nothing")


def test_others_add_in_a_row() -> None:
    """CC-T68, CC-52: others go on adding in their first turn."""
    wall = stacked(LOOSE, "55677z147m258p36s", LOOSE_2, LOOSE_3)

    def wanted(log: Log) -> bool:
        added = places(log, "supplement", seat=turn_of(log, 1))
        return len(added) >= 2 and not places(log[: added[1]], "discard", seat=turn_of(log, 1))

    log = changchun_log(wanted, SHOWING, wall)
    assert check_log(log, wins_taken=True) == []


def test_a_dealt_supplement_is_not_robbed() -> None:
    """CC-A27: unless the option says so, only later tiles can be robbed."""
    wall = stacked(LOOSE, MORE_WINDS, "11z258m369p147s45m", LOOSE_3)
    log = changchun_log(has("supplement", tile="1z"), ROBBING, wall)
    assert not places(log, "rob")
    robbed = changchun_log(has("rob", how="pong"), ROBBING, wall, opening_supplement_robbable=True)
    assert check_log(robbed) == []
    off = change_option("opening_supplement_robbable", False)
    assert_noticed_unwon(robbed, off, "expected the payment")


@cache
def robbed_by_pong() -> Log:
    """Return a deal in which a drawn East is added to dealt winds, and taken for a pong."""
    wall = stacked(LOOSE, WINDS, "11z258m369p147s45m", LOOSE_3, then="1z")
    return changchun_log(has("rob", how="pong"), ROBBING, wall)


@cache
def robbed_by_win() -> Log:
    wall = stacked(LOOSE, WINDS, WAITING_FOR_EAST, LOOSE_3, then="1z")
    return changchun_log(has("rob", how="win"), SHOWING, wall)


def test_robbed_supplement() -> None:
    """CC-T70, CC-T71, CC-56: the supplement does not count, and the robber discards."""
    log = robbed_by_pong()
    rob = places(log, "rob")[0]
    assert [event["event"] for event in log[rob - 1 : rob + 2]] == ["supplement", "rob", "pong"]
    assert check_log(log) == []


def test_win_goes_before_the_robbing_pong() -> None:
    """CC-T72, CC-40: who could do both wins."""
    win = first(robbed_by_win(), "win")
    assert win["by"] == "rob_kong"
    assert check_log(robbed_by_win(), wins_taken=True) == []
    as_drawn = deepcopy(robbed_by_win())
    change_option("rob_kong_as", "self_draw")(as_drawn)
    assert any("elements: expected" in fault for fault in check_log(as_drawn))


def test_robbed_by_a_kong() -> None:
    """CC-A20: three alike rob a supplement for a kong where the option says so.

    Nobody has three of a kind that the special kong shows: it takes three winds and the fourth.
    """
    wall = stacked(LOOSE, "123z147m258p3699s", "444z258m369p147s4m", LOOSE_3, then="4z")
    log = changchun_log(
        has("rob", how="kong"),
        Habits(win=0.0, declare=0.0, kong=1.0, claim=0.5),
        wall,
        xuan_feng_tiles="any3",
        rob_supplement_by_kong=True,
    )
    assert first(log, "kong")["kind"] == "exposed"
    assert check_log(log) == []
    off = change_option("rob_supplement_by_kong", False)
    assert_noticed_unwon(log, off, "is robbed by ['pong']")


def test_after_deal() -> None:
    """CC-A09: special kongs shown directly after the deal, from the dealer on."""
    wall = stacked(DRAGONS, WINDS, NINES, "1m1p1s2z258m369p14s4p")
    log = changchun_log(
        lambda log: len(places(log[:12], "special_kong")) == 4,
        Habits(declare=0.0, kong=1.0, claim=0.0),
        wall,
        special_kong_time="after_deal",
    )
    order = [log[place]["seat"] for place in places(log, "special_kong")]
    assert order[:4] == [turn_of(log, step) for step in range(4)]
    assert check_log(log, wins_taken=True) == []
    assert_noticed(log, change_option("special_kong_time", "first_turn"), "seat")


def test_shown_in_the_turn_of_a_claim() -> None:
    """A first turn entered by a claim still shows, but nothing wins and nothing is added."""

    def wanted(log: Log) -> bool:
        return any(log[p - 1]["event"] == "pong" for p in places(log, "special_kong"))

    wall = stacked("123456m789p1234s", "11234z55z147m36s2p", LOOSE_2, LOOSE_3, last="5z")
    log = changchun_log(wanted, Habits(declare=0.0, kong=1.0, claim=1.0), wall)
    place = places(log, "special_kong")[0]
    assert log[place + 2]["from"] == "tail"
    assert check_log(log, wins_taken=True) == []

    def add(log: Log) -> None:
        added = {"event": "supplement", "seat": log[place]["seat"], "kind": "xuan_feng"}
        log.insert(place + 3, added | {"tile": "1z"})

    def make_kong(log: Log) -> None:
        kong = {"event": "kong", "seat": log[place]["seat"], "kind": "added"}
        log.insert(place + 3, kong | {"tiles": ["5z"] * 4})

    assert_noticed(log, add, "in the turn of a claim")
    assert_noticed(log, make_kong, "in the turn of a claim")


# Kongs and claims


def with_kong(kind: str) -> Log:
    return search(Changchun(), has("kong", kind=kind), LOST)


def test_void_kongs() -> None:
    """CC-A26: kong money of an exhausted deal stands, or does not."""

    def wanted(log: Log) -> bool:
        return has("exhausted")(log) and has("kong_payment")(log)

    log = search(Changchun(), wanted, LOST)
    assert any(log[-1]["payments"])
    assert check_log(log) == []
    assert_noticed_unwon(log, change_option("kong_on_draw", "void"), "payments: expected [0, 0")


def test_kong_in_a_claims_turn() -> None:
    """CC-T89: an added kong needs a draw in this turn."""
    log = search(Changchun(), has("pong"), LOST)

    def damage(log: Log) -> None:
        place = places(log, "pong")[0]
        kong = {"event": "kong", "seat": log[place]["seat"], "kind": "added"}
        log.insert(place + 1, kong | {"tiles": [log[place]["tile"]] * 4})

    assert_noticed_unwon(log, damage, "in the turn of a claim")


def test_chow_across() -> None:
    """CC-T73, CC-T74: chows are of suited tiles, from the seat before."""
    log = search(played({"chow_from": "any"}), chow_across, LOST)
    assert_noticed_unwon(log, change_option("chow_from", "next"), "only the next seat may chow")
    log = search(Changchun(), has("chow"), LOST)
    assert_noticed_unwon(log, honours_chowed, "is not a run")


def chow_across(log: Log) -> bool:
    return any(log[p]["seat"] != (log[p]["from"] + 1) % 4 for p in places(log, "chow"))


def honours_chowed(log: Log) -> None:
    """Let the next seat chow a dragon."""
    place = next(
        p
        for p in places(log, "discard")
        if log[p]["tile"] in ("5z", "6z", "7z") and log[p + 1]["event"] == "draw"
    )
    chow = {"event": "chow", "seat": log[place + 1]["seat"], "tiles": ["5z", "6z", "7z"]}
    log[place + 1] = chow | {"tile": log[place]["tile"], "from": log[place]["seat"]}


def test_dead_claim() -> None:
    """CC-T77: no claim leaves one tile beside a chow, unless it is allowed."""
    log = search(played({"dead_claim": "allowed"}), has_single_tile, LOST)
    assert check_log(log) == []
    assert_noticed_unwon(log, change_option("dead_claim", "forbidden"), "must not leave one tile")


def has_single_tile(log: Log) -> bool:
    """Tell whether a seat claims four times, one of them a chow."""
    claims = [event for event in log if event["event"] in ("chow", "pong")]
    return any(
        len(own := [event["event"] for event in claims if event["seat"] == seat]) == 4
        and "chow" in own
        for seat in range(4)
    )


# Declarations and the bao


def ready_wall(then: str = "") -> tuple[int, ...]:
    return stacked(LOOSE, READY, LOOSE_2, LOOSE_3, then=then)


@cache
def rolled() -> Log:
    """Return a deal with a declaration, a roll, and play after it."""
    return changchun_log(
        lambda log: len(log) - places([*log, {"event": "bao"}], "bao")[0] > 12, EAGER, ready_wall()
    )


@cache
def viewed() -> Log:
    return search(Changchun(), has("bao_view"), DECLINING)


@cache
def rerolled() -> Log:
    return search(Changchun(), has("bao", reroll=True), DECLINING)


@cache
def chong() -> Log:
    return search(Changchun(), has("win", by="bao_view"), EAGER)


@cache
def mo_bao() -> Log:
    return search(Changchun(), lambda log: "mo_bao" in log[-2].get("elements", {}), EAGER)


def test_no_bao_left() -> None:
    """CC-23: when no slot qualifies there is none for the rest of the deal."""
    log = search(
        played({"reserve_stacks": 0}),
        lambda log: bool(places(log, "bao", tile=None)),
        Habits(win=0.0, declare=1.0, kong=1.0, claim=0.9),
    )
    assert set(log[places(log, "bao", tile=None)[0]]) == {"event", "tile", "reroll"}
    assert check_log(log) == []


def test_copies_in_melds() -> None:
    """CC-T79, CC-T80: melds count for the re-roll unless the option counts discards alone."""

    def counts_melds(log: Log) -> bool:
        changed = deepcopy(log)
        change_option("bao_count", "discarded")(changed)
        return has("bao", reroll=True)(log) and bool(check_log(changed))

    assert check_log(search(Changchun(), counts_melds, DECLINING)) == []


def test_two_dice() -> None:
    """CC-A15: two dice count up to twelve stacks."""
    log = changchun_log(has("bao"), EAGER, ready_wall(), bao_dice=2)
    assert len(first(log, "bao")["dice"]) == 2
    assert_noticed(log, change_option("bao_dice", 1), "dice: expected 1")


def test_seen_at_the_next_turn() -> None:
    """CC-A14: the bao is looked at before the next own draw."""
    log = changchun_log(has("bao_view"), EAGER, ready_wall(), bao_view_time="next_turn")
    assert first(log, "bao")["seen_by"] == []
    assert check_log(log, wins_taken=True) == []
    assert_noticed(log, change_option("bao_view_time", "on_ting"), "seen_by")


def test_optional_reroll() -> None:
    """CC-A16: the re-roll may be left out."""
    logs = [
        play_deal(played({"bao_reroll": "optional"}), seed, habits=DECLINING) for seed in range(12)
    ]
    assert all(check_log(log) == [] for log in logs)


def test_declared_hands_claim_nothing() -> None:
    """CC-T75, CC-21: no pong after declaring, and the drawn tile is discarded."""
    log = rolled()
    seat = first(log, "ready")["seat"]
    later = places(log, "discard", seat=seat)[-1]
    damaged = deepcopy(log)
    held = next(t for t in first(log, "deal")["hands"][seat] if t != log[later]["tile"])
    damaged[later]["tile"] = held
    wanted = ("discards the tile just drawn", "does not hold")
    assert any(text in fault for fault in check_log(damaged) for text in wanted)


def test_kong_after_ting() -> None:
    """CC-T76: a kong of the drawn tile that leaves the waits as they are."""

    def wanted(log: Log) -> bool:
        return any(places(log[:p], "ready", seat=log[p]["seat"]) for p in places(log, "kong"))

    wall = ready_wall("1p2p4p6m1z")
    log = changchun_log(wanted, Habits(win=0.0, declare=1.0, kong=1.0, claim=0.0), wall)
    assert check_log(log) == []
    assert_noticed_unwon(log, change_option("ting_kong", "never"), "no kong after declaring")


def test_ting_needs_conditions() -> None:
    """CC-A19: under the option the hand that declares has the suits and a 1 or 9 already."""

    def lacking(log: Log) -> bool:
        return bool(check_declared(log))

    def check_declared(log: Log) -> list[str]:
        changed = deepcopy(log)
        change_option("ting_needs_conditions", True)(changed)
        return [f for f in check_log(changed) if "the hand that declares lacks" in f]

    log = search(Changchun(), lacking, EAGER)
    assert check_log(log, wins_taken=True) == []


def test_ting_required() -> None:
    """CC-A18: under the option only declared hands win."""

    def undeclared(log: Log) -> bool:
        return any(not places(log, "ready", seat=log[p]["seat"]) for p in places(log, "win"))

    log = search(Changchun(), undeclared, BUSY)
    assert_noticed(log, change_option("ting_required", True), "not_ting")


# Planted faults


def reroll_dropped(log: Log) -> None:
    del log[places(log, "bao", reroll=True)[0]]


def next_slot(log: Log) -> None:
    bao = first(log, "bao")
    bao["wall_index"] -= 2
    bao["tile"] = log[0]["wall"][bao["wall_index"]]


def other_die(log: Log) -> None:
    bao = first(log, "bao")
    bao["dice"] = [7 - bao["dice"][0]]


def nobody_sees(log: Log) -> None:
    first(log, "bao")["seen_by"] = []


def two_rolls(log: Log) -> None:
    place = places(log, "bao")[0]
    log.insert(place, deepcopy(log[place]))


def undeclared_view(log: Log) -> None:
    """Let the next seat look at the bao without having declared."""
    place = places(log, "bao")[0]
    bao = log[place]
    view = {"event": "bao_view", "seat": (bao["seen_by"][0] + 1) % 4, "tile": bao["tile"]}
    log.insert(place + 1, view)


def pay_less(name: str) -> Mutation:
    def damage(log: Log) -> None:
        event = first(log, name)
        event["payments"] = [amount // 2 for amount in event["payments"]]

    return damage


def wrong_fans(log: Log) -> None:
    fans = first(log, "win")["payer_fans"]
    fans[next(iter(fans))] += 1


def other_wind(log: Log) -> None:
    first(log, "special_kong")["tiles"][0] = "5z"


def show_twice(log: Log) -> None:
    place = places(log, "special_kong")[0]
    log.insert(place + 3, deepcopy(log[place]))


def supplement_of_a_stranger(log: Log) -> None:
    first(log, "supplement")["tile"] = next(
        t for t in first(log, "deal")["hands"][first(log, "supplement")["seat"]] if t[1] != "z"
    )


def unrobbed(log: Log) -> None:
    del log[places(log, "rob")[0]]


def robbed_by_another(log: Log) -> None:
    rob = first(log, "rob")
    rob["seat"] = next(s for s in range(4) if s not in (rob["seat"], rob["from"]))


def carried(log: Log) -> None:
    log[-1]["carried"] = {"jia": 0}


FAULTS: list[tuple[str, Callable[[], Log], Mutation, str]] = [
    # the bao
    ("no roll", rolled, drop("bao"), "expected a roll for the bao"),
    ("two rolls", rolled, two_rolls, "found bao"),
    ("other slot", rolled, next_slot, "wall_index"),
    ("other die", rolled, other_die, "wall_index"),
    ("die of seven", rolled, set_field("bao", "dice", [7]), "finds no bao"),
    ("bao tile", rolled, set_field("bao", "tile", "baida"), "tile: expected"),
    ("no bao tile", rolled, set_field("bao", "tile", None), "the bao is one of the slots"),
    ("nobody sees", rolled, nobody_sees, "seen_by"),
    ("all see", rolled, set_field("bao", "seen_by", [0, 1, 2, 3]), "seen_by"),
    ("a first roll is none again", rolled, set_field("bao", "reroll", True), "reroll: expected"),
    ("undeclared look", rolled, undeclared_view, "found bao_view"),
    ("dice missing", rolled, drop_field("bao", "dice"), "the bao is one of"),
    ("no look", viewed, drop("bao_view"), "to look at the bao"),
    ("look of another", viewed, set_field("bao_view", "seat", 9), "must be a seat"),
    ("another bao seen", viewed, set_field("bao_view", "tile", "baida"), "tile: expected"),
    ("re-roll left out", rerolled, reroll_dropped, "expected a roll for the bao"),
    ("re-roll called a roll", rerolled, set_field("bao", "reroll", False, reroll=True), "reroll"),
    # declarations
    ("waits", rolled, set_field("ready", "waits", ["1m"]), "waits of seat"),
    ("mode", rolled, set_field("ready", "mode", "fei_ting"), "mode must be one of"),
    ("fang", rolled, set_field("ready", "fang", True), "what seat"),
    ("undeclared", rolled, drop("ready"), "found bao"),
    # special kongs
    ("wind kong", winds, other_wind, "does not hold"),
    ("kind", winds, set_field("special_kong", "kind", "xi"), "are no xi"),
    ("no kind", winds, set_field("special_kong", "kind", "da_dan"), "a special kong is one of"),
    ("seat", winds, set_field("special_kong", "seat", 9), "must be a seat"),
    ("shown twice", winds, show_twice, "does not hold"),
    ("not paid", winds, drop("kong_payment"), "expected the payment"),
    ("paid less", winds, pay_less("kong_payment"), "payments: expected"),
    ("paid to another kind", winds, set_field("kong_payment", "kind", "xi"), "kind: expected"),
    ("paid seat", winds, set_field("kong_payment", "seat", 0), "seat: expected"),
    ("stake", winds, change_option("stake", 2), "payments: expected"),
    ("supplement", robbed_by_pong, supplement_of_a_stranger, "does not belong"),
    ("not robbed", robbed_by_pong, unrobbed, "expected the payment"),
    ("robbed how", robbed_by_pong, set_field("rob", "how", "kong"), "is robbed by"),
    ("robbed tile", robbed_by_pong, set_field("rob", "tile", "2z"), "tile: expected"),
    ("robbed seat", robbed_by_pong, set_field("rob", "from", 9), "must be a seat"),
    ("robber", robbed_by_pong, robbed_by_another, "robber: expected"),
    ("robbed, no pong", robbed_by_pong, drop("pong"), "expected the pong of seat"),
    # wins
    ("chong bao", chong, set_field("win", "by", "self_draw"), "found win"),
    ("chong bao kept", chong, drop("win"), "winners by the bao"),
    ("chong value", chong, set_field("win", "elements", {}), "elements: expected"),
    ("mo bao value", mo_bao, set_field("win", "elements", {}), "elements: expected"),
    ("plain mo bao", mo_bao, set_field("win", "fan", 9), "fan: expected"),
    ("payer fans", chong, wrong_fans, "payer_fans: expected"),
    ("payments", chong, pay_less("win"), "payments: expected"),
    ("foreign field", chong, set_field("win", "colour", 2), "unknown field 'colour'"),
    ("base", chong, set_field("win", "base_total", 7), "base_total: expected"),
    ("multiplier", chong, set_field("win", "multiplier", 3), "multiplier: expected"),
    ("pairwise fans", chong, set_field("win", "payer_elements", {}), "payer_elements: expected"),
    ("fan mode", chong, change_option("fan_mode", "add"), "payments: expected"),
    ("fan cap", chong, change_option("fan_cap", 1), "payer_fans: expected"),
    # kongs
    ("kong unpaid", lambda: with_kong("concealed"), drop("kong_payment"), "expected the payment"),
    ("exposed kong unpaid", lambda: with_kong("exposed"), drop("kong_payment"), "the payment"),
    ("added kong unpaid", lambda: with_kong("added"), drop("kong_payment"), "the payment"),
    (
        "payer of an exposed kong",
        lambda: with_kong("exposed"),
        change_option("exposed_kong_payer", "discarder"),
        "payments: expected",
    ),
    # the end
    ("carried", chong, carried, "carried: expected"),
    ("dealer", chong, lambda log: log[-1].update(dealer=(log[-1]["dealer"] + 2) % 4), "dealer"),
    ("end payments", winds, set_field("end", "payments", [0, 0, 0, 0]), "payments: expected"),
    ("match over", chong, set_field("end", "match_over", True), "match_over: expected False"),
]


@pytest.mark.parametrize(
    ("source", "damage", "text"), [pytest.param(*rest, id=name) for name, *rest in FAULTS]
)
def test_planted_fault(source: Callable[[], Log], damage: Mutation, text: str) -> None:
    log = deepcopy(source())
    taken = check_log(log, wins_taken=True) == []
    assert check_log(log) == []
    damage(log)
    faults = check_log(log, wins_taken=taken)
    assert any(text in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("discard_payment", "three_pay", has("win", by="discard")),
        ("jia_hu_mode", "middle", lambda log: "jia_hu" in log[-2].get("elements", {})),
        ("special_kong_breaks_li_hu", False, lambda log: special_winner(log)),
        ("mo_bao_value", "plain", lambda log: {"mo_bao", "jia_hu"} <= set(log[-2]["elements"])),
        ("scoring_profile", "seed_only", has("win", by="self_draw")),
    ],
)
def test_option_moves_a_payment(name: str, value: Value, wanted: Callable[[Log], bool]) -> None:
    """A log played under one value of an option is no log under another."""
    log = search(Changchun(), lambda log: bool(places(log, "win")) and wanted(log), EAGER)
    changed = deepcopy(log)
    changed[0]["options"] = {
        "options": Changchun({name: value}).options,
        "elements": Changchun({name: value}).values,
    }
    assert check_log(log, wins_taken=True) == []
    assert any("expected" in fault for fault in check_log(changed))


def special_winner(log: Log) -> bool:
    """Tell whether the winner has nothing open but special kongs."""
    open_melds = [m["type"] for m in log[-2]["melds"] if m["type"] != "kong_concealed"]
    return bool(open_melds) and set(open_melds) <= {"xuan_feng", "xi", "yao", "jiu"}
