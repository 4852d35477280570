"""Changchun where two want the same tile: hands laid out, decisions taken from a script."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
TABLE = {case["id"]: case for case in load_cases("changchun.json") if case["kind"] == "table"}
Json = dict[str, Any]
Action = tuple[int, ...]

ACT_DISCARD, ACT_PONG, ACT_KONG, ACT_SPECIAL, ACT_SUPPLEMENT = 0, 4, 5, 8, 9
DRAW, DISCARD, PONG, KONG, ROB, WIN, SHOWN, SUPPLEMENT, PAID = 1, 2, 5, 6, 7, 8, 11, 12, 13
XUAN_FENG, YAO = (_core.MELD_NAMES.index(name) for name in ("xuan_feng", "yao"))
SIX, EAST, ONE = map(parse_tile, ("6s", "1z", "1m"))


@pytest.fixture(scope="module", autouse=True)
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with compiled(HERE / "_scripted.pyx", tmp_path_factory.mktemp("scripted")):
        yield


def play(
    *hands: str,
    dealer: int,
    turns: Mapping[int, Sequence[Action]],
    claims: Mapping[int, Action] | None = None,
    passing: tuple[int, ...] = (),
    draws: str = "",
) -> tuple[list[tuple[int, int]], Json]:
    """What happens, as pairs of event and seat, and the core's log with what was offered.

    Whoever is told nothing throws what it draws, claims nothing and takes every win.
    """
    rules = ruleset("changchun")
    record = _core._compiled.__wrapped__(rules.digest, rules)
    player = _play.Player(record, policy_codes("random"), _core.seed_key(3), 0)
    held = [parse_tiles(hand) for hand in hands]
    left = Counter(dict.fromkeys(range(34), 4))
    left.subtract([*(kind for hand in held for kind in hand), *parse_tiles(draws)])
    assert min(left.values()) >= 0
    claims = claims or {}
    log, offers = import_module("cython_core._scripted").play(
        record,
        player,
        first=dealer,
        hands=held,
        melds=[[]] * 4,
        flowers=[[]] * 4,
        draws=[*parse_tiles(draws), *left.elements()],
        actions=[turns.get(seat, []) for seat in range(4)],
        answers=[[claims[seat]] if seat in claims else [] for seat in range(4)],
        taken=[[False] if seat in passing else [] for seat in range(4)],
    )
    return [(event["type"], event["seat"]) for event in log["events"]], log | {"offers": offers}


def thrown(claims: Mapping[int, Action], *, three: bool, passing: tuple[int, ...] = ()) -> Any:
    """Seat 2 throws 6s: seats 0 and 1 wait for it, seat 3 holds two or three."""
    happened, log = play(
        "234567m4522s999p",
        "234567m4588s111p",
        "369m147p123457z9s6s",
        "189m258p666s1267z" if three else "189m258p66s12367z",
        dealer=2,
        turns={2: [(ACT_DISCARD, SIX)]},
        claims=claims,
        passing=passing,
    )
    assert happened[0] == (DISCARD, 2)
    return happened[1:], log


@pytest.mark.parametrize(("three", "action"), [(False, ACT_PONG), (True, ACT_KONG)])
def test_cc_14_15_40_42_the_nearest_win_goes_before_every_claim(three: bool, action: int) -> None:
    """CC-T78, CC-T90: CC-14, CC-15, CC-40, CC-42: seat 3 sits nearest, and claims in vain."""
    claims = {3: (action, SIX)}
    happened, log = thrown(claims, three=three)
    assert happened == [(WIN, TABLE["CC-T78"]["expect"]["taken_by"])]
    # Standing 1: two shares of 2^1, and 2^3 of the dealer, who threw it and pays all.
    assert log["wins"][0]["settlement"]["payments"] == [12, 0, -12, 0]
    happened, _ = thrown(claims, three=three, passing=(0,))
    assert happened == [(WIN, 1)]
    happened, _ = thrown(claims, three=three, passing=(0, 1))
    assert happened[0] == (KONG if three else PONG, 3)


def east(claims: Mapping[int, Action]) -> Any:
    """Seat 1 shows a wind kong, then draws an East and adds it; seat 2 holds two Easts."""
    happened, log = play(
        "369m147p123567s3z4z",
        "147m258p369s1234z",
        "258m369p147s1155z",
        "147m258p369s2266z",
        dealer=0,
        turns={
            0: [(ACT_DISCARD, parse_tile("4z"))],
            1: [
                (ACT_SPECIAL, 0),
                (ACT_DISCARD, parse_tile("4m")),
                (ACT_SUPPLEMENT, EAST, XUAN_FENG),
            ],
        },
        claims=claims,
        draws="8m9m9m9m1z",
    )
    added = happened.index((SUPPLEMENT, 1))
    opening = happened[:added]
    # The showing is paid and replaced, and nobody was asked: seat 2 claims the first it may.
    assert opening[opening.index((SHOWN, 1)) + 1 :][:2] == [(PAID, 1), (DRAW, 1)]
    return happened[added + 1 :], log


def test_cc_53_54_55_56_the_worked_example() -> None:
    """CC-T62, CC-T71: CC-53 to CC-56: a pair takes the East; it is neither paid nor replaced."""
    happened, log = east({2: (ACT_PONG, EAST)})
    assert happened[:3] == [(ROB, 2), (PONG, 2), (DISCARD, 2)]
    assert list(log["kong_pay"]) == [-1, 3, -1, -1]
    happened, log = east({})
    assert happened[:2] == [(PAID, 1), (DRAW, 1)]
    assert list(log["kong_pay"]) == [-2, 6, -2, -2]


def test_cc_40_53_a_win_goes_before_the_robbing_pong() -> None:
    """CC-T72: CC-40, CC-53: seat 1 adds a 1m; seat 2 holds two, seat 3 waits for it."""

    def added(passing: tuple[int, ...]) -> Any:
        happened, log = play(
            "369m147p123567s3z4z",
            "147m158p169s1234z",
            "11m258m369p147s22z",
            "23m567p99988p234s",
            dealer=0,
            turns={
                0: [(ACT_DISCARD, parse_tile("4z"))],
                1: [
                    (ACT_SPECIAL, 1),
                    (ACT_DISCARD, parse_tile("7m")),
                    (ACT_SUPPLEMENT, ONE, YAO),
                ],
            },
            claims={2: (ACT_PONG, ONE)},
            passing=passing,
            draws="8m9m9m9m1m",
        )
        return happened[happened.index((SUPPLEMENT, 1)) + 1 :], log

    happened, log = added(())
    assert happened[-1] == (WIN, TABLE["CC-T72"]["expect"]["taken_by"])
    assert (PONG, 2) not in happened
    assert log["wins"][0]["by"] == _core.BY_NAMES.index("rob_kong")
    assert list(log["kong_pay"]) == [-1, 3, -1, -1]
    happened, _ = added((3,))
    assert happened[:2] == [(ROB, 2), (PONG, 2)]


@pytest.mark.parametrize(("hand", "tile", "shown"), [("4455z67z", "5z", 0), ("44567z1z", "4z", 1)])
def test_cc_47_51_a_first_turn_entered_by_a_pong(hand: str, tile: str, shown: int) -> None:
    """CC-47, CC-51: what was dealt and is still in hand may be shown, what the pong took not."""
    kind = parse_tile(tile)
    happened, log = play(
        "369m147p12356s22z5z" if tile == "5z" else "369m147p12356s22z4z",
        f"147m258p3s{hand}",
        "258m369p147s1133z",
        "147m258p369s3366z",
        dealer=0,
        turns={0: [(ACT_DISCARD, kind)], 1: [(ACT_DISCARD, parse_tile("3s"))]},
        claims={1: (ACT_PONG, kind)},
    )
    assert happened[:3] == [(DISCARD, 0), (PONG, 1), (DISCARD, 1)]
    first = next(o for o in log["offers"] if (o["what"], o["seat"]) == (0, 1))
    assert first["specials"] == shown
