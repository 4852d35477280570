"""Suzhou where policies never go: situations laid out tile by tile, decisions taken from a script.

Every worked case of kind "table" is played here by the real loop, and what lies beyond them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from cython_core import _play
from mjstats import _core
from mjstats.policies import policy_codes
from mjstats.rulesets import ruleset
from mjstats.tiles import parse_tile
from tests.core.extension import compiled
from tests.referee.cases import load_cases
from tests.referee.common import parse_tiles

HERE = Path(__file__).parent / "scripted"
TABLE = {case["id"]: case for case in load_cases("suzhou.json") if case["kind"] == "table"}
Json = dict[str, Any]

DISCARD, WIN, CONCEALED, ADDED, PONG, KONG, _, PASS = range(8)
TURN, CLAIM, WIN_OFFER = range(3)
MELDS = {name: place for place, name in enumerate(_core.MELD_NAMES)}
EAST = parse_tile("1z")


@pytest.fixture(scope="module", autouse=True)
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with compiled(HERE / "_scripted.pyx", tmp_path_factory.mktemp("scripted")):
        yield


@dataclass
class Scene:
    """A deal that is written while it is told: seat after seat on turn, each drawing what is said.

    Parameters
    ----------
    dealer : int
        On turn first, with a fourteenth tile that it throws.
    hands, melds, flowers : dict of seat to what it holds
        Seats that are not named hold tiles that lead nowhere.
    """

    dealer: int
    hands: dict[int, str]
    melds: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    flowers: dict[int, int] = field(default_factory=dict)
    draws: list[int] = field(default_factory=list)
    tail: list[int] = field(default_factory=list)  # in the order in which it is drawn
    fourteenth: list[int] = field(default_factory=list)
    actions: dict[int, list[tuple[int, int]]] = field(
        default_factory=lambda: {seat: [] for seat in range(4)}
    )
    answers: dict[int, list[tuple[int, int]]] = field(
        default_factory=lambda: {seat: [] for seat in range(4)}
    )
    taken: dict[int, list[bool]] = field(default_factory=lambda: {seat: [] for seat in range(4)})
    on_turn: int = -1
    turns: int = 0

    def __post_init__(self) -> None:
        self.rest = Counter(dict.fromkeys(range(31), 4))
        for seat, text in self.hands.items():
            self.rest -= Counter(parse_tiles(text))
            for type_of_meld, kind in self.melds.get(seat, []):
                self.rest[kind] -= 3 if type_of_meld == "pong" else 4
        assert min(self.rest.values()) >= 0

    def draw(self, seat: int, tile: int | None) -> int:
        """Let the turn come to a seat, which draws a tile (None: a wind that nobody wants)."""
        while self.on_turn >= 0 and (self.on_turn + 1) % 4 != seat:
            self.throw((self.on_turn + 1) % 4, None)
        self.on_turn = seat
        self.turns += 1
        if tile is None:
            wanted = {kind for text in self.hands.values() for kind in parse_tiles(text)}
            tile = next(k for k in reversed(range(27, 31)) if self.rest[k] and k not in wanted)
        self.rest[tile] -= 1
        assert self.rest[tile] >= 0
        (self.draws if self.turns > 1 else self.fourteenth).append(tile)
        return tile

    def throw(self, seat: int, drawn: int | None, thrown: int | None = None) -> None:
        """A whole turn: draw, and throw that tile or another."""
        tile = self.draw(seat, drawn)
        self.actions[seat].append((DISCARD, tile if thrown is None else thrown))

    def claimed(self, seat: int, action: int, tile: int, thrown: int | None) -> None:
        """A claim on the last discard, and the discard that follows (None: not told)."""
        self.answers[seat].append((action, tile))
        self.on_turn = seat
        self.turns += 1
        if thrown is not None:
            self.actions[seat].append((DISCARD, thrown))

    def play(self, **options: Any) -> tuple[Json, list[Json]]:
        """Return the core's log and the offers."""
        hands: list[list[int]] = []
        left = self.rest.copy()
        for seat in range(4):
            if seat in self.hands:
                hand = parse_tiles(self.hands[seat])
            else:
                hand = []
                # At most one tile of every third rank and single winds: far from ready.
                for kind in [*range(seat % 3, 27, 3), *range(27, 31), *range(27)]:
                    if left[kind] > 1 and kind not in hand and len(hand) < 13:
                        hand.append(kind)
                        left[kind] -= 1
            hands.append(hand + self.fourteenth * (seat == self.dealer))
        # The wall after the deal: draws, what is left, and the tail in pairs from its end.
        tail = [*self.tail, *[EAST] * (len(self.tail) % 2)]
        pairs = [tail[at : at + 2] for at in range(0, len(tail), 2)]
        middle = sorted((left - Counter(tail)).elements())[: 99 - len(self.draws) - len(tail)]
        middle += [EAST] * (99 - len(self.draws) - len(tail) - len(middle))
        wall = [*self.draws, *middle, *(tile for pair in reversed(pairs) for tile in pair)]
        rules = ruleset("suzhou", changes=options)
        record = _core._compiled.__wrapped__(rules.digest, rules)
        player = _play.Player(record, policy_codes("random"), _core.seed_key(3), 0)
        log, offers = import_module("cython_core._scripted").play(
            record,
            player,
            first=self.dealer,
            hands=hands,
            melds=[[(MELDS[n], k) for n, k in self.melds.get(seat, [])] for seat in range(4)],
            flowers=[[46] * self.flowers.get(seat, 0) for seat in range(4)],
            draws=wall,
            actions=list(self.actions.values()),
            answers=list(self.answers.values()),
            taken=list(self.taken.values()),
        )
        return log, offers


def may_win(offers: Sequence[Json], seat: int, turn: int) -> bool:
    return any((o["what"], o["seat"], o["turn"]) == (WIN_OFFER, seat, turn) for o in offers)


def may_pong(offers: Sequence[Json], seat: int, turn: int) -> bool:
    found = [o for o in offers if (o["what"], o["seat"], o["turn"]) == (CLAIM, seat, turn)]
    return any(offer["pong"] for offer in found)


def told(case: Json, last: str | None = None) -> Scene:
    """The scene of a worked case; ``last`` replaces the tile of its last discard."""
    seat, events = case["seat"], [dict(event) for event in case["events"]]
    if last:
        events[-1]["discard"] = last
    hand = case["hand"]
    begins = events[0]
    dealer = begins.get("by", (seat - 1) % 4)
    first = None
    if "by" not in begins and "draw" not in begins:
        # The player's own turn: the last tile of the hand is the one drawn.
        tiles = parse_tiles(hand)
        first, hand = parse_tile(begins["player"].split()[1]), ""
        tiles.remove(first)
        hand = "".join(f"{k % 9 + 1}{'mpsz'[k // 9]}" for k in tiles)
    scene = Scene(
        dealer,
        {seat: hand},
        {seat: [("pong", parse_tiles(m["tiles"])[0]) for m in case.get("melds", [])]},
        {seat: len(case.get("flowers", []))},
    )
    if dealer != begins.get("by"):
        scene.throw(dealer, None)
    claimed = None
    for event in events:
        player = event.get("player", "")
        thrown = parse_tile(player.split()[1]) if player.startswith("discard") else None
        if "by" in event:
            tile = parse_tile(event["discard"])
            scene.throw(event["by"], tile)
            claimed = tile if player == "pung" else None
            if player:
                # Not the win, where there is one.
                scene.taken[seat].append(False)
            if player == "pung":
                scene.claimed(seat, PONG, tile, None)
        elif claimed is not None:
            assert thrown is not None
            scene.actions[seat].append((DISCARD, thrown))
            claimed = None
        else:
            assert thrown is not None
            scene.throw(seat, parse_tile(event["draw"]) if "draw" in event else first, thrown)
    return scene


MISSED = [name for name, case in TABLE.items() if "can_win" in case["expect"]]


@pytest.mark.parametrize("name", MISSED)
def test_case_of_missed_wins(name: str) -> None:
    """SZ-042 to SZ-049, SZ-060: clauses SZ-70 to SZ-75, both examples (SZ-73, SZ-74) among them."""
    case = TABLE[name]
    for last in case["expect"].get("waits", [None]):
        scene = told(case, last)
        _, offers = scene.play()
        assert may_win(offers, case["seat"], scene.turns) == case["expect"]["can_win"]


def test_the_cases_of_missed_wins_are_these() -> None:
    assert [f"SZ-0{number}" for number in (*range(42, 50), 60)] == MISSED


@pytest.mark.parametrize("name", ["SZ-050", "SZ-051"])
def test_case_of_missed_pongs(name: str) -> None:
    """Clauses SZ-68 and SZ-69; after the own next draw the pong is free again."""
    case = TABLE[name]
    scene = told(case)
    _, offers = scene.play()
    assert may_pong(offers, case["seat"], scene.turns) == case["expect"]["can_pung"]


def test_sz_68_an_own_draw_lifts_the_missed_pong() -> None:
    case = TABLE["SZ-050"]
    scene = told({**case, "events": case["events"][:1]})
    scene.throw(1, None)
    scene.throw(2, parse_tile("4p"))
    _, offers = scene.play()
    assert may_pong(offers, 1, 1)
    assert may_pong(offers, 1, scene.turns)


def test_sz_24_case_sz_052_pong_now_kong_later() -> None:
    case = TABLE["SZ-052"]
    scene = told(case)
    tile = parse_tile("4p")
    scene.actions[1].append((DISCARD, parse_tile("2m")))
    scene.throw(1, None)
    _, offers = scene.play()
    offered = {o["turn"]: o for o in offers if o["what"] == TURN and o["seat"] == 1}
    claim = next(o for o in offers if o["what"] == CLAIM and o["seat"] == 1)
    assert claim["kong"]
    assert bool(offered[2]["added"] >> tile & 1) == case["expect"]["kong_now"]
    later = bool(offered[scene.turns]["added"] >> tile & 1)
    assert later == case["expect"]["kong_after_own_draw"]


def winners(case: Json) -> Scene:
    """Two seats that wait for the tile that the discarder draws."""
    hands = {w["seat"]: w["hand"] for w in case["winners"]}
    melds = {
        w["seat"]: [("pong", parse_tiles(m["tiles"])[0]) for m in w["melds"]]
        for w in case["winners"]
    }
    flowers = {w["seat"]: len(w["flowers"]) for w in case["winners"]}
    if case.get("by") == "rob_kong":
        melds[case["discarder"]] = [("pong", parse_tile("5p"))]
        hands[case["discarder"]] = "147m258s369p4z"
    scene = Scene(case["dealer"], hands, melds, flowers)
    for seat in range(case["discarder"]):
        scene.throw(seat, EAST + 1)
    return scene


def after(log: Json) -> Json:
    names = _core.rule_record(ruleset("suzhou")).counter_names
    return dict(zip(names, log["after"]["counters"], strict=True)) | log["after"]


def test_sz_17_case_sz_040_several_winners_of_a_discard() -> None:
    """SZ-09, SZ-25: each is paid in full; the next deal is di ling, and the discarder deals."""
    case = TABLE["SZ-040"]
    scene = winners(case)
    scene.throw(2, parse_tile("5p"))
    log, _ = scene.play()
    assert paid(log) == case["expect"]["payments"]
    assert bool(after(log)["diling"]) == case["expect"]["next"]["diling"]
    assert after(log)["dealer"] == 2
    # Nearest to the discarder first.
    assert [win["winner"] for win in log["wins"]] == [0, 1]
    log, _ = scene.play(multi_win_dealer="nearest_winner")
    assert after(log)["dealer"] == 0


def paid(log: Json) -> list[int]:
    return [sum(win["settlement"]["payments"][seat] for win in log["wins"]) for seat in range(4)]


def test_sz_60_case_sz_041_two_rob_one_kong() -> None:
    case = TABLE["SZ-041"]
    scene = winners(case)
    scene.actions[2].append((ADDED, scene.draw(2, parse_tile("5p"))))
    log, _ = scene.play()
    assert {win["by"] for win in log["wins"]} == {_core.BY_NAMES.index("rob_kong")}
    assert paid(log) == case["expect"]["payments"]


def test_case_sz_059_an_exhausted_deal_pays_nothing() -> None:
    """SZ-39: kongs and flowers score for a winner alone."""
    case = TABLE["SZ-059"]
    scene = Scene(0, {2: "147m258s369p4z"}, {2: [("kong_concealed", parse_tile("7p"))]}, {2: 4})
    scene.throw(0, None)
    log, offers = scene.play()
    assert log["wins"] == []
    assert paid(log) == case["expect"]["payments"]
    assert len(offers) > 60
    assert after(log)["diling"]
    assert after(log)["dealer"] == 1


# Beyond the worked cases.

ONE, THREE, FOUR, FIVE, SIX = (parse_tile(f"{rank}p") for rank in (1, 3, 4, 5, 6))


def two_sided(**more: Any) -> Scene:
    """Seat 1 waits for 3p and 6p, concealed; seat 2 has a pong of 3p."""
    hands = {1: "123m 456p 789s 22m 45p", 2: "147m 258s 79p 2z 3z"}
    return Scene(0, hands, {2: [("pong", THREE)]}, {1: 2}, **more)


@pytest.mark.parametrize("blocks", [True, False])
def test_sz_71_a_declined_self_draw_and_robbed_kongs(blocks: bool) -> None:
    """A kong is not robbed before the next own draw either (SZ-A17), or is."""
    scene = two_sided()
    scene.throw(0, None)
    scene.throw(1, SIX)
    scene.actions[2].append((ADDED, scene.draw(2, THREE)))
    _, offers = scene.play(missed_win_blocks_rob=blocks)
    assert may_win(offers, 1, scene.turns) != blocks


def test_sz_70_a_passed_robbery_starts_the_block() -> None:
    scene = two_sided(tail=[EAST, EAST])
    for seat in (0, 1):
        scene.throw(seat, None)
    scene.actions[2] += [(ADDED, scene.draw(2, THREE)), (DISCARD, EAST)]
    scene.taken[1].append(False)
    scene.throw(3, SIX)
    _, offers = scene.play()
    assert may_win(offers, 1, 3)
    assert not may_win(offers, 1, scene.turns)


@pytest.mark.parametrize("flowers", [3, 4])
def test_sz_70_a_hand_below_the_minimum_passes_nothing(flowers: int) -> None:
    """With three flowers 5p cannot be won on a discard, so a kong of it is robbed right after."""
    hands = {1: "123s 456s 22m 45p", 3: "147m 258s 79p 2z 3z"}
    melds = {1: [("pong", parse_tile("3m"))], 3: [("pong", THREE)]}
    scene = Scene(0, hands, melds, {1: flowers})
    scene.throw(0, None)
    scene.throw(1, None)
    scene.throw(2, SIX)
    scene.taken[1].append(False)
    scene.actions[3].append((ADDED, scene.draw(3, THREE)))
    _, offers = scene.play()
    assert may_win(offers, 1, 3) == (flowers == 4)
    assert may_win(offers, 1, scene.turns) == (flowers == 3)


def test_sz_71_the_block_never_covers_a_self_draw() -> None:
    scene = Scene(2, {1: "123m 456p 789s 22m 46p"}, {}, {1: 2})
    scene.throw(2, FIVE)
    scene.taken[1].append(False)
    scene.draw(1, FIVE)
    log, _ = scene.play()
    assert [win["by"] for win in log["wins"]] == [_core.BY_NAMES.index("self_draw")]


def test_sz_72_who_is_barred_stays_so_after_another_pong() -> None:
    """5p passed; then the pong of 1p leaves an incomplete hand, which may not win none the less."""
    hand = "123m 456s 46p 11p 999p"
    for first, expected in ((FIVE, False), (EAST, True)):
        scene = Scene(2, {1: hand}, {}, {1: 4})
        scene.throw(2, first)
        scene.taken[1].append(False)
        scene.throw(3, ONE)
        scene.claimed(1, PONG, ONE, parse_tile("9p"))
        scene.throw(2, FIVE)
        _, offers = scene.play()
        assert may_win(offers, 1, 1) == (first == FIVE)
        assert may_pong(offers, 1, 2)
        assert may_win(offers, 1, scene.turns) == expected


@pytest.mark.parametrize("lifts", [True, False])
def test_sz_72_the_replacement_of_a_claimed_kong_and_the_block(lifts: bool) -> None:
    """It is an own draw, or with kong_lifts_block = false it is none."""
    scene = Scene(2, {1: "123m 456p 22m 46p 333s"}, {}, {1: 4}, tail=[EAST, EAST])
    scene.throw(2, FIVE)
    scene.taken[1].append(False)
    scene.throw(3, parse_tile("3s"))
    scene.claimed(1, KONG, parse_tile("3s"), EAST)
    scene.throw(2, FIVE)
    _, offers = scene.play(kong_lifts_block=lifts)
    assert may_win(offers, 1, 1)
    assert may_win(offers, 1, scene.turns) == lifts


def test_sz_68_the_replacement_of_a_kong_lifts_the_missed_pong() -> None:
    """Whatever kong_lifts_block says: 4p passed and claimed after the kong of 3s."""
    scene = Scene(2, {1: "123m 789s 46s 44p 333s"}, {}, {1: 4}, tail=[EAST, EAST])
    scene.throw(2, FOUR)
    scene.answers[1].append((PASS, FOUR))
    scene.throw(3, parse_tile("3s"))
    scene.claimed(1, KONG, parse_tile("3s"), EAST)
    scene.throw(2, FOUR)
    _, offers = scene.play(kong_lifts_block=False)
    assert may_pong(offers, 1, 1)
    assert may_pong(offers, 1, scene.turns)


def test_sz_76_another_single_tile_hand_follows_the_common_rule() -> None:
    """2m passed by a hand of one tile: barred, the exception of SZ-75 being for two pairs."""
    pongs = [("pong", parse_tile(tile)) for tile in ("1p", "9m", "5m", "7s")]
    scene = Scene(2, {1: "2m"}, {1: pongs})
    scene.throw(2, parse_tile("2m"))
    scene.taken[1].append(False)
    scene.throw(3, parse_tile("2m"))
    _, offers = scene.play()
    assert may_win(offers, 1, 1)
    assert not may_win(offers, 1, scene.turns)


def values(log: Json) -> Json:
    (win,) = log["wins"]
    names = [element.id for element in ruleset("suzhou").elements]
    return dict(zip(names, win["settlement"]["values"], strict=True))


@pytest.mark.parametrize(("after_kong", "expected"), [(False, 0), (True, 50)])
def test_sz_62_tian_hu_and_a_kong_before_it(after_kong: bool, expected: int) -> None:
    scene = Scene(0, {0: "123m 777s 2222s 46p 9m"}, tail=[FIVE, EAST])
    scene.draw(0, parse_tile("9m"))
    scene.actions[0].append((CONCEALED, parse_tile("2s")))
    log, _ = scene.play(tian_hu_after_kong=after_kong)
    assert values(log)["tian_hu"] == expected
    assert values(log)["gang_kai"] == 5


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("claimed", [True, False])
def test_sz_63_di_hu_is_won_by_the_first_own_draw(strict: bool, claimed: bool) -> None:
    """A pong of another before it spoils it if di_hu_uninterrupted."""
    scene = Scene(0, {1: "123m 456p 789s 22m 46p", 3: "147m 258s 369p 44s 11z"})
    scene.throw(0, EAST)
    if claimed:
        scene.claimed(3, PONG, EAST, parse_tile("1m"))
        scene.throw(0, None)
    scene.draw(1, FIVE)
    log, _ = scene.play(di_hu_uninterrupted=strict)
    assert values(log)["di_hu"] == (0 if strict and claimed else 50)
    # Not the second draw.
    scene = Scene(0, {1: "123m 456p 789s 22m 46p"})
    for seat in (0, 1, 2, 3, 0):
        scene.throw(seat, None)
    scene.draw(1, FIVE)
    log, _ = scene.play()
    assert values(log)["di_hu"] == 0


@pytest.mark.parametrize("further", [False, True])
def test_sz_59_a_further_kong_breaks_the_chain(further: bool) -> None:
    """The win on the replacement of a fed kong is paid by who fed it; on a further one by three."""
    hand = {1: "123p 46p 333s 9999m 2m"} if further else {1: "123p 46p 333s 22m 789m"}
    scene = Scene(2, hand, {}, {1: 3}, tail=[parse_tile("2m"), FIVE] if further else [FIVE, EAST])
    scene.throw(2, parse_tile("3s"))
    scene.claimed(1, KONG, parse_tile("3s"), None)
    if further:
        scene.actions[1].append((CONCEALED, parse_tile("9m")))
    log, _ = scene.play()
    pay = log["wins"][0]["settlement"]["payments"]
    share = pay[1] // 3
    assert pay == (
        [-share, 3 * share, -share, -share] if further else [0, 3 * share, -3 * share, 0]
    )


def test_hands_that_nobody_tells_of_lead_nowhere() -> None:
    scene = Scene(2, {1: "123m 456p 789s 22m 46p"}, {}, {1: 2})
    scene.throw(2, FIVE)
    log, offers = scene.play()
    assert [win["winner"] for win in log["wins"]] == [1]
    assert {o["seat"] for o in offers if o["what"] == WIN_OFFER} == {1}
