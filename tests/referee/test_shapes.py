"""Hand shapes: known waits, and what the specification says about every single wait."""

from collections.abc import Iterator
from itertools import combinations_with_replacement

import pytest

from tests.referee.common import KIND, NAMES, parse_tiles
from tests.referee.shapes import (
    Group,
    counted,
    formal_waits,
    is_complete,
    is_ready,
    live_waits,
    readings,
)
from tests.referee.yancheng import closes

PLAYING = range(34)


@pytest.mark.parametrize(
    ("hand", "waits"),
    [
        ("1112345678999m", "1m 2m 3m 4m 5m 6m 7m 8m 9m"),
        ("2224446668885m", "3m 4m 5m 6m 7m"),
        ("44455666m22p345s", "5m 2p"),
        ("112233m5566p888s", "5p 6p 8s"),
        ("11m22p33s55m66p99s8m", "8m"),
        ("123567m456p789s1z", "1z"),
        ("147m258p369s1234z", ""),
    ],
)
def test_waits(hand: str, waits: str) -> None:
    counts = counted(parse_tiles(hand))
    assert [NAMES[kind] for kind in live_waits(counts, (), PLAYING)] == waits.split()
    assert is_ready(counts, (), PLAYING) is bool(waits)


def test_a_wait_held_four_times_is_formal_only() -> None:
    counts = counted(parse_tiles("11222233m55p456s"))
    assert [NAMES[kind] for kind in formal_waits(counts, (), PLAYING)] == ["2m", "5p"]
    assert [NAMES[kind] for kind in live_waits(counts, (), PLAYING)] == ["5p"]


def test_a_hand_can_be_formally_ready_without_a_live_wait() -> None:
    counts = counted(parse_tiles("1111m"))
    melds = [Group("triplet", KIND[name]) for name in ("1p", "4p", "7p")]
    assert formal_waits(counts, melds, PLAYING) == (KIND["1m"],)
    assert not is_ready(counts, melds, PLAYING)


def test_readings_are_all_and_each_once() -> None:
    found = readings(counted(parse_tiles("11122233344455m")))
    assert len(found) == len(set(found))
    assert {tuple(sorted(group.form for group in reading.groups)) for reading in found} == {
        ("triplet",) * 4,
        ("run", "run", "run", "triplet"),
    }
    two_shapes = readings(counted(parse_tiles("22334455667788m")))
    assert {reading.shape for reading in two_shapes} == {"standard", "seven_pairs"}
    assert not is_complete(counted(parse_tiles("11m22p33s55m66p99s77z")), seven_pairs=False)


def one_suit_single_waits(size: int) -> Iterator[tuple[tuple[int, ...], int, set[tuple[int, int]]]]:
    """Yield each one-suit shape with a single wait in the suit: its tile, and (pair, runs) classes.

    Groups of another suit, and a pair where the shape has none of its own, complete the hand.
    """
    melds = [Group("kong", kind) for kind in (18, 21, 24, 26)][: (14 - size) // 3]
    pair = (9, 9) if size % 3 == 2 else ()
    for shape in combinations_with_replacement(range(9), size):
        if any(shape.count(kind) > 4 for kind in shape):
            continue
        counts = counted((*shape, *pair))
        waits = live_waits(counts, melds, range(27))
        if len(waits) != 1 or waits[0] > 8:
            continue
        classes = {
            (
                int(waits[0] in reading.pairs),
                sum(closes(group, waits[0]) for group in reading.groups),
            )
            for reading in readings(counted((*shape, *pair, *waits)), melds)
        }
        yield shape, waits[0], classes


@pytest.mark.parametrize("size", [1, 2, 4, 5, 7, 8])
def test_single_waits_of_one_suit(size: int) -> None:
    """Every reading of a single wait has one class, with one to three groups closing on it."""
    triple_pairs = set()
    for shape, _, classes in one_suit_single_waits(size):
        assert len(classes) == 1, shape
        on_pair, runs = classes.pop()
        assert 1 <= on_pair + runs <= 3, shape
        if on_pair and on_pair + runs == 3:
            triple_pairs.add("".join(str(kind + 1) for kind in shape))
    assert triple_pairs == ({"1223334", "6777889"} if size == 7 else set())
