"""The evaluator against the slow one, known counts, and faults that other libraries had."""

import json
from collections.abc import Iterator
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest

from cython_core import _exact, _hand
from mjstats.tiles import KIND_NAMES, parse_hand, parse_tile
from tests.reference import evaluator as slow
from tests.reference.hands import CLASSES, TILE_SETS, check, random_hand, view

STANDARD, DISTINCT, QUADS, UNCONNECTED, GROUPS = 1, 2, 4, 8, 16
KNOWN = json.loads(Path("tests/data/known/exact.json").read_text(encoding="utf-8"))


def hand_of(text: str, *, wilds: int = 0) -> slow.Hand:
    parsed = parse_hand(text)
    locked = [kind for meld in parsed.melds for kind in meld.tiles]
    return slow.Hand(
        tuple(parsed.concealed.count(k) for k in range(34)),
        tuple(locked.count(k) for k in range(34)),
        len(parsed.melds),
        wilds,
    )


def core(text: str, shapes: int = STANDARD, *, wilds: int = 0) -> _hand.HandView:
    return view(hand_of(text, wilds=wilds), shapes)


def names(mask: int) -> str:
    return " ".join(KIND_NAMES[kind] for kind in range(34) if mask >> kind & 1)


# Against the slow evaluator: 12,000 hands, half of them with melds, a fifth with wild tiles.


@pytest.mark.parametrize("kinds", TILE_SETS)
def test_equals_the_slow_evaluator(kinds: int) -> None:
    assert check(4000, kinds=kinds, seed=20) == []


# Rows of counts.


def random_rows(rng: np.random.Generator, kinds: int, melds: int, n: int) -> np.ndarray:
    hands = [
        random_hand(rng, kinds, in_turn=bool(rng.integers(2)), melds=melds, wilds=0).held
        for _ in range(n)
    ]
    return np.array(hands, np.uint8)


def row_view(row: np.ndarray, melds: int, tile_set: int, shapes: int) -> _hand.HandView:
    return _hand.HandView(row, np.zeros(34, np.uint8), melds, tile_set, shapes)


@pytest.mark.parametrize("shapes", [STANDARD, STANDARD | QUADS, STANDARD | DISTINCT | UNCONNECTED])
@pytest.mark.parametrize("melds", range(5))
@pytest.mark.parametrize("kinds", TILE_SETS)
def test_rows_are_hands_one_by_one(kinds: int, melds: int, shapes: int) -> None:
    tile_set = TILE_SETS.index(kinds)
    rows = random_rows(np.random.default_rng(1), kinds, melds, 300)
    out = np.empty(len(rows), np.int8)
    assert _hand.shanten_rows(rows, melds, tile_set, shapes, out) == -1
    views = [row_view(row, melds, tile_set, shapes) for row in rows]
    assert out.tolist() == [v.shanten() for v in views]
    in_turn = rows.sum(axis=1) == 14 - 3 * melds

    some = rows[in_turn]
    after = np.empty((len(some), 34), np.int8)
    accepts = np.empty((len(some), 34), np.uint64)
    live = np.empty((len(some), 34), np.uint8)
    assert _hand.discard_table(some, melds, tile_set, shapes, after, accepts, live) == -1
    for i, row in enumerate(some):
        found = [
            (k, after[i, k], accepts[i, k], live[i, k]) for k in range(34) if after[i, k] != 127
        ]
        assert found == row_view(row, melds, tile_set, shapes).discards()

    some = rows[~in_turn]
    out = np.empty(len(some), np.int8)
    accepts = np.empty(len(some), np.uint64)
    live = np.empty(len(some), np.uint8)
    assert _hand.draw_table(some, melds, tile_set, shapes, out, accepts, live) == -1
    for i, row in enumerate(some):
        one = row_view(row, melds, tile_set, shapes)
        assert (out[i], accepts[i]) == (one.shanten(), one.accepts())
        assert live[i] == sum(4 - row[k] for k in range(34) if int(accepts[i]) >> k & 1)


FAULTS = {
    "more than four copies": [(2, {kind: n}) for kind in range(34) for n in (5, 133, 255)],
    "honours that the set lacks": [(0, {kind: 1, 0: 0}) for kind in range(27, 34)]
    + [(1, {kind: 1, 0: 0}) for kind in range(31, 34)],
    "twelve tiles": [(2, {kind: 0}) for kind in range(13)],
    "fifteen tiles": [(2, {kind: 3}) for kind in range(13)],
}


@pytest.mark.parametrize("shapes", [STANDARD, STANDARD | QUADS, STANDARD | UNCONNECTED])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_that_is_no_hand_is_named(fault: str, shapes: int) -> None:
    rows = np.zeros((151, 34), np.uint8)
    rows[:, :13] = 1
    out = np.empty(len(rows), np.int8)
    for (tile_set, changes), at in product(FAULTS[fault], (0, 63, 64, 150)):
        assert _hand.shanten_rows(rows, 0, tile_set, shapes, out) == -1
        good = rows[at].copy()
        for kind, copies in changes.items():
            rows[at, kind] = copies
        assert _hand.shanten_rows(rows, 0, tile_set, shapes, out) == at
        rows[at] = good


# Known counts.


def one_suit_rows(tiles: int) -> np.ndarray:
    """All hands of one suit."""

    def split(tiles: int, kinds: int) -> Iterator[tuple[int, ...]]:
        if kinds == 0:
            if tiles == 0:
                yield ()
            return
        for copies in range(min(4, tiles) + 1):
            for more in split(tiles - copies, kinds - 1):
                yield (copies, *more)

    rows = np.array(list(split(tiles, 9)), np.uint8)
    return np.hstack([rows, np.zeros((len(rows), 25), np.uint8)])


def test_one_suit_hands_of_fourteen_tiles() -> None:
    rows = one_suit_rows(14)
    out = np.empty(len(rows), np.int8)
    assert len(rows) == 118_800
    counts = {}
    for shapes in (STANDARD, STANDARD | DISTINCT):
        assert _hand.shanten_rows(rows, 0, 0, shapes, out) == -1
        counts[shapes] = int((out == -1).sum())
    assert counts == {STANDARD: 13_259, STANDARD | DISTINCT: 13_277}


def test_one_suit_hands_of_thirteen_tiles() -> None:
    rows = one_suit_rows(13)
    out = np.empty(len(rows), np.int8)
    accepts = np.empty(len(rows), np.uint64)
    live = np.empty(len(rows), np.uint8)
    assert len(rows) == 93_600
    assert _hand.draw_table(rows, 0, 0, STANDARD, out, accepts, live) == -1
    assert (out == 0).sum() == 40_070
    assert (live[out == 0] > 0).all()
    assert _hand.draw_table(rows, 0, 0, STANDARD | DISTINCT, out, accepts, live) == -1
    assert (out == 0).sum() == 40_196
    kinds = np.bitwise_count(accepts[out == 0])
    expected = [14193, 14493, 6739, 2948, 1335, 392, 79, 16, 1]
    assert np.bincount(kinds).tolist() == [0, *expected]


def histogram(kinds: int, classes: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """States of a suit, and tile subsets behind them, by number of tiles and class."""
    digits = np.arange(len(classes))[:, None] // 5 ** np.arange(kinds) % 5
    tiles = digits.sum(axis=1)
    ways = np.array([comb(4, k) for k in range(5)])[digits].prod(axis=1, dtype=np.int64)
    states = np.zeros((most + 1, 256), np.int64)
    subsets = np.zeros((most + 1, 256), np.int64)
    keep = tiles <= most
    np.add.at(states, (tiles[keep], classes[keep]), 1)
    np.add.at(subsets, (tiles[keep], classes[keep]), ways[keep])
    return states, subsets


def merge(a: np.ndarray, b: np.ndarray, merged: np.ndarray, most: int) -> np.ndarray:
    """Histogram of two suits together."""
    out = np.zeros((most + 1, 256), np.int64)
    for i, j in product(range(most + 1), repeat=2):
        if i + j <= most:
            x, y = np.nonzero(a[i])[0], np.nonzero(b[j])[0]
            np.add.at(out[i + j], merged[np.ix_(x, y)], np.outer(a[i][x], b[j][y]))
    return out


@pytest.fixture(scope="module")
def all_tiles() -> dict[str, dict[int, np.ndarray]]:
    """States and subsets of 108 and 136 tiles by missing tiles to the standard shape."""
    suit_classes, honour_classes, vectors, merged = _exact.suit_tables(2, True)
    missing = vectors[merged, 9]
    found: dict[str, dict[int, np.ndarray]] = {}
    for part, name in enumerate(("states", "subsets")):
        suit = histogram(9, suit_classes, 14)[part]
        honours = histogram(7, honour_classes, 14)[part]
        two = merge(suit, suit, merged, 14)
        for set_, rest in (("T108", suit), ("T136", merge(suit, honours, merged, 14))):
            by_missing = {13: np.zeros(16, np.int64), 14: np.zeros(16, np.int64)}
            for total, i in product((13, 14), range(15)):
                if i <= total:
                    x, y = np.nonzero(two[i])[0], np.nonzero(rest[total - i])[0]
                    np.add.at(
                        by_missing[total],
                        missing[np.ix_(x, y)],
                        np.outer(two[i][x], rest[total - i][y]),
                    )
            found[f"{set_} {name}"] = by_missing
    return found


@pytest.mark.parametrize("set_", ["T108", "T136"])
def test_distinct_complete_hands(all_tiles: dict[str, dict[int, np.ndarray]], set_: str) -> None:
    known = KNOWN["complete_hands_distinct"]
    states = all_tiles[f"{set_} states"]
    assert states[14][0] == known[set_]["standard"]
    for total in (13, 14):
        assert states[total].sum() == known["distinct_hands_total"][set_][str(total)]


def test_distinct_ready_hands(all_tiles: dict[str, dict[int, np.ndarray]]) -> None:
    live = KNOWN["T136_waits"]["live"]
    assert all_tiles["T136 states"][13][1] == live["ready_distinct_hands"]
    assert all_tiles["T136 subsets"][13][1] == live["ready_count"]


@pytest.mark.parametrize("tiles", [13, 14])
def test_dealt_shanten(all_tiles: dict[str, dict[int, np.ndarray]], tiles: int) -> None:
    known = KNOWN["T136_shanten"][f"deal{tiles}"]["capped"]["standard"]["dist"]
    found = all_tiles["T136 subsets"][tiles]
    assert {int(s): row["count"] for s, row in known.items()} == {
        missing - 1: int(n) for missing, n in enumerate(found) if n
    }
    assert int(found.sum()) == comb(136, tiles)


def test_one_suit_hands_of_136_tiles() -> None:
    rows = one_suit_rows(14)
    out = np.empty(len(rows), np.int8)
    _hand.shanten_rows(rows, 0, 0, STANDARD, out)
    ways = np.array([comb(4, k) for k in range(5)])[rows[:, :9]].prod(axis=1, dtype=np.int64)
    assert 3 * int(ways[out == -1].sum()) == 1_321_781_052


# Faults that other libraries had, by their numbers.


def test_a01_a_quad_of_the_awaited_tile_is_no_wait() -> None:
    for text in ("123456789m1111p", "123456789m1111z"):
        assert core(text).shanten() == 1
        assert core(text).waits() == 0


def test_a02_honours_with_a_quad_are_not_ready() -> None:
    for text in ("1112223334444z", "11122233334444z"):
        assert core(text).shanten() == 1


def test_a03_one_split_of_a_suit_does_not_overshoot() -> None:
    assert core("245568m245568p77s").shanten() == 2


def test_a04_sets_are_shared_out_best() -> None:
    assert core("4569m13445788p2s").shanten() == 2


def test_a05_shapes_without_melds_need_a_hand_without_melds() -> None:
    every = STANDARD | DISTINCT | QUADS | UNCONNECTED | GROUPS
    assert core("19m19p19s12345z [567s]", every).shanten() == 6
    assert core("1122m3344p5566z [567s]"[:-7] + "7z", every).shanten() == 0
    assert core("1122m3344p55z [567s]", every).shanten() == core("1122m3344p55z [567s]").shanten()


def test_a06_copies_in_melds_count() -> None:
    assert core("45z [444z] [111z] [555z] [777z]").shanten() == 1
    for tile in ("4z", "5z"):
        hand = core(f"{tile} [444z] [111z] [555z] [777z]")
        assert (hand.shanten(), hand.waits(), names(hand.formal_waits())) == (1, 0, tile)
    assert core("6z [444z] [111z] [555z] [777z]").shanten() == 0


def test_a07_a_short_hand_depends_on_its_melds() -> None:
    counts = np.array(hand_of("14668889m").held, np.uint8)
    assert row_view(counts, 2, 2, STANDARD).shanten() == 1
    out = np.empty(1, np.int8)
    for melds in (0, 1, 3, 4):
        assert _hand.shanten_rows(counts[None], melds, 2, STANDARD, out) == 0


def test_a08_a_dead_wait_is_formal_only() -> None:
    for text, wait in (("123456789m1111p", "1p"), ("13m456p789s11z {2222m}", "2m")):
        hand = core(text)
        assert (hand.shanten(), hand.waits(), names(hand.formal_waits())) == (1, 0, wait)


def test_a09_formal_and_live_waits_differ() -> None:
    hand = core("1234444678m456p")
    assert (names(hand.formal_waits()), names(hand.waits())) == ("1m 4m", "1m")


def test_a10_a_second_wait_is_seen() -> None:
    hand = core("78889m11888p [444z]")
    assert names(hand.waits()) == "8m 1p"
    assert hand.wait_class(hand.waits()) == CLASSES.index("complex")


def test_a11_own_copies_are_not_live() -> None:
    def after(text: str, discard: str) -> tuple[str, int]:
        rows = {
            KIND_NAMES[kind]: (names(mask), live) for kind, _, mask, live in core(text).discards()
        }
        return rows[discard]

    assert after("123456789m444p5s7z", "7z") == ("5s", 3)
    # The discard is seen too: three of 2m are own, whatever becomes of one of them.
    assert after("222m34m456p789s111z", "2m") == ("2m 5m", 1 + 4)


def test_a12_a_wait_that_others_hold_is_kept_with_nothing_live() -> None:
    hand = core("13m456p789s11122z7z")
    unseen = np.full(34, 4, np.uint8)
    unseen[parse_tile("2m")] = 0
    kind, shanten, mask, live = hand.best_discard(1 << parse_tile("7z"), unseen)
    assert (kind, shanten, names(mask), live) == (parse_tile("7z"), 0, "2m", 0)


def test_a13_a_pair_may_be_cut_from_a_quad() -> None:
    assert core("222234m444p555s55z").complete() is True
    assert core("222234m44p555s555z").complete() is True
    assert core("22223444m44p555s55z").complete() is False


def test_a14_every_reading_is_found() -> None:
    found = {(pair, types, kinds) for _, pair, types, kinds in core("11122233344s222z").readings()}
    chow, pong = 0, 1
    assert found == {
        (18, (chow, chow, chow, pong), (18, 19, 19, 28)),
        (21, (pong, pong, pong, pong), (18, 19, 20, 28)),
        (21, (chow, chow, chow, pong), (18, 18, 18, 28)),
    }


def test_a15_four_alike_are_two_pairs_or_not() -> None:
    hand = "111122m33p44s5566z"
    assert core(hand, DISTINCT).complete() is False
    assert core(hand, QUADS).complete() is True
    assert [shape for shape, *_ in core(hand, STANDARD | QUADS).readings()] == [QUADS]


def test_a16_the_nine_sided_wait() -> None:
    hand = core("1112345678999m")
    assert hand.waits() == 0b111111111
    rows = {kind: live for kind, _, _, live in core("1112345678999m1z").discards()}
    assert rows[parse_tile("1z")] == 23


def test_a36_five_copies_are_no_row() -> None:
    row = np.zeros((1, 34), np.uint8)
    row[0, [1, 7, 9, 10, 11]] = [5, 2, 2, 2, 2]
    assert _hand.shanten_rows(row, 0, 2, STANDARD, np.empty(1, np.int8)) == 0


# Wild tiles.


def test_a_wild_tile_lifts_the_cap() -> None:
    # Three sets and four alike: a wild tile beside the fourth makes any tile complete the hand.
    assert core("123456789m111p", wilds=1).waits() == (1 << 34) - 1
    assert core("123456789m1111p").waits() == 0


def test_a_wild_head_waits_for_every_kind() -> None:
    for pairs in ("1122m3344p5566z", "111122m3344p55z"):
        hand = core(pairs, STANDARD | QUADS, wilds=1)
        own = hand_of(pairs).held
        assert hand.waits() == sum(1 << k for k in range(34) if own[k] < 4)
        assert hand.formal_waits() == (1 << 34) - 1


def test_whites_that_stand_for_another_kind_are_white_in_the_unconnected_hand() -> None:
    # Whites counted as 2m: with 1m they would be too close, as whites they fit.
    base = hand_of("147m258p369s12345z")
    held = list(base.held)
    held[parse_tile("5z")] = 0
    held[parse_tile("2m")] = 1
    hand = slow.Hand(tuple(held), white=parse_tile("2m"))
    assert view(hand, UNCONNECTED).shanten() == -1
    assert view(slow.Hand(tuple(held)), UNCONNECTED).shanten() == 0
