"""Exact counting against published values, against listing every hand, and against closed forms."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from math import comb
from pathlib import Path
from typing import Any

import pytest

import mjstats as mj
from mjstats import exact
from mjstats.counting import Sum, Tiles, count_hands
from mjstats.errors import ArgumentError, RulesetError
from tests.mjstats import slow_hands

KNOWN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data/known/exact.json").read_text(encoding="utf-8")
)
T108 = Tiles(0, (4,) * 27 + (0,) * 7)
T136 = Tiles(2, (4,) * 34)

STANDARD, DISTINCT, QUADS, UNCONNECTED, GROUPS = 1, 2, 4, 8, 16


def small(tile_set: int, **copies: str) -> Tiles:
    """A few tiles: digits are the copies of the ranks of a suit."""
    counts: list[int] = []
    for suit, kinds in (("m", 9), ("p", 9), ("s", 9), ("z", 7)):
        digits = copies.get(suit, "")
        counts += [int(digit) for digit in digits.ljust(kinds, "0")]
    return Tiles(tile_set, tuple(counts))


# Published values, 136 tiles.


@pytest.mark.parametrize("n", [13, 14])
@pytest.mark.parametrize(
    ("keys", "shapes", "formal"),
    [
        (("seven_pairs_distinct",), DISTINCT, False),
        (("seven_pairs_quads",), QUADS, False),
        (("capped", "standard"), STANDARD, False),
        (("capped", "min_std_7p_distinct"), STANDARD | DISTINCT, False),
        (("capped", "min_std_7p_quads"), STANDARD | QUADS, False),
        (("uncapped", "standard"), STANDARD, True),
        (("uncapped", "min_std_7p_distinct"), STANDARD | DISTINCT, True),
        (("uncapped", "min_std_7p_quads"), STANDARD | QUADS, True),
    ],
)
def test_known_shanten(n: int, keys: tuple[str, ...], shapes: int, formal: bool) -> None:
    node = KNOWN["T136_shanten"][f"deal{n}"]
    for key in keys:
        node = node[key]
    found = exact._missing(T136, n, shapes, 0, formal=formal)
    assert {missing - 1: count for missing, count in found.items()} == {
        int(value): cell["count"] for value, cell in node["dist"].items()
    }


@pytest.mark.parametrize(("name", "tiles"), [("T108", T108), ("T136", T136)])
def test_known_complete_hands_by_kinds(name: str, tiles: Tiles) -> None:
    known = KNOWN["complete_hands_distinct"][name]

    def complete(shapes: int) -> int:
        return exact._missing(tiles, 14, shapes, 0, distinct=True)[0]

    assert complete(STANDARD) == known["standard"]
    for shape, pairs in ((DISTINCT, "distinct"), (QUADS, "quads")):
        assert complete(shape) == known[f"seven_pairs_{pairs}"]
        assert complete(STANDARD | shape) == known[f"union_std_7p_{pairs}"]


@pytest.mark.parametrize(("name", "tiles"), [("T108", T108), ("T136", T136)])
@pytest.mark.parametrize("n", [13, 14])
def test_known_number_of_hands(name: str, tiles: Tiles, n: int) -> None:
    known = KNOWN["complete_hands_distinct"]["distinct_hands_total"][name][str(n)]
    found = exact._missing(tiles, n, STANDARD, 0, distinct=True)
    assert sum(found.values()) == known


@pytest.mark.parametrize(
    ("waits", "node"), [("live", "live_wait_required"), ("formal", "ignoring_copies_in_hand")]
)
@pytest.mark.parametrize("shape", ["standard", "seven_pairs_distinct", "seven_pairs_quads"])
def test_known_ready(waits: exact.Waits, node: str, shape: exact.Shape) -> None:
    known = KNOWN["T136_complete_and_ready"]["deal13_ready"][node][shape]
    (row,) = exact.ready("plain", waits=waits, shape=shape).to_dict("records")
    assert (row["count"], row["total"]) == (known["count"], known["total"])
    assert row["p"] == pytest.approx(float(known["p"]), rel=1e-15)


@pytest.mark.parametrize("shape", ["standard", "seven_pairs_distinct", "seven_pairs_quads"])
def test_known_complete(shape: exact.Shape) -> None:
    known = KNOWN["T136_complete_and_ready"]["deal14_complete"][shape]
    (row,) = exact.complete("plain", shape=shape).to_dict("records")
    assert (row["count"], row["total"]) == (known["count"], known["total"])


def test_closed_forms() -> None:
    quads = Sum(lambda states: (states.held == 4).sum(axis=1), 3)
    kinds = Sum(lambda states: (states.held > 0).sum(axis=1), 13)
    total = T136.hands(13)
    none = sum(count for (q,), count in count_hands(T136, 13, [quads]).items() if q == 0)
    assert 1 - none / total == pytest.approx(0.0017828, abs=5e-8)
    mean = sum(k * count for (k,), count in count_hands(T136, 13, [kinds]).items()) / total
    assert mean == pytest.approx(11.359743, abs=5e-7)
    assert mean == pytest.approx(34 * (1 - comb(132, 13) / comb(136, 13)), rel=1e-12)


# Every hand listed, on a few tiles.

LISTED = [
    (small(0, m="22222", p="22222"), 13),
    (small(0, m="22222", p="22222"), 14),
    (small(0, m="4441", p="0000443"), 13),
    (small(1, m="1111111", s="401", z="44"), 13),
    (small(2, m="44", z="4111"), 13),
    (small(2, p="4444", z="12"), 14),
]


@pytest.mark.parametrize(("tiles", "n"), LISTED)
def test_distances_by_listing(tiles: Tiles, n: int) -> None:
    kinds = 27 + tiles.honours
    listed: dict[tuple[int, bool], Counter[int]] = {}
    for hand, ways in slow_hands.hands(tiles.copies, n):
        distinct, quads = (
            slow_hands.missing_pairs(hand, kinds, quads=quads) for quads in (False, True)
        )
        for formal, cap in ((False, 4), (True, 14)):
            standard = slow_hands.missing_standard(hand, tiles.honours, cap=cap)
            for shapes, missing in (
                (STANDARD, standard),
                (STANDARD | DISTINCT, min(standard, distinct)),
                (STANDARD | QUADS, min(standard, quads)),
            ):
                listed.setdefault((shapes, formal), Counter())[missing] += ways
    for (shapes, formal), counts in listed.items():
        assert sum(counts.values()) == tiles.hands(n)
        assert exact._missing(tiles, n, shapes, 0, formal=formal) == counts


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("n", [12, 14])
def test_unconnected_by_listing(n: int, groups: bool) -> None:
    tiles = small(2, m="1011001", p="110100001", s="01100101", z="1110111")
    listed: Counter[int] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, n):
        listed[slow_hands.missing_unconnected(hand, groups=groups)] += ways
    assert exact._missing(tiles, n, GROUPS if groups else UNCONNECTED, 0) == listed


@pytest.mark.parametrize("wilds", [1, 2, 3, 4])
def test_wild_tiles_by_listing(wilds: int) -> None:
    tiles = small(2, m="2021", p="000411", z="40002")
    listed: Counter[int] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 14 - wilds):
        nearest = min(
            slow_hands.missing_standard(hand, 7, cap=14),
            slow_hands.missing_pairs(hand, 34, quads=True),
        )
        listed[max(0, nearest - wilds)] += ways
    assert exact._missing(tiles, 14 - wilds, STANDARD | QUADS, wilds) == listed


# Bonus tiles.


def deal_with_replacement(wall: tuple[int, ...], playing: int) -> list[tuple[int, list[int]]]:
    """Deal 3, 2 and 2 tiles; seat by seat replace those from `playing` on, from the tail."""
    head, tail = list(wall[:7]), list(wall[7:])
    seats = [head[:3], head[3:5], head[5:]]
    out = []
    for hand in seats:
        aside = 0
        while bonus := [tile for tile in hand if tile >= playing]:
            hand.remove(bonus[0])
            hand.append(tail.pop())
            aside += 1
        out.append((aside, sorted(hand)))
    return out


def test_bonus_tiles_by_playing_every_wall() -> None:
    playing, special = 10, 3
    seen: list[Counter[int]] = [Counter() for _ in range(3)]
    for places in combinations(range(playing + special), special):
        left = iter(range(playing))
        wall = tuple(
            playing if place in places else next(left) for place in range(playing + special)
        )
        for seat, (aside, _) in enumerate(deal_with_replacement(wall, playing)):
            seen[seat][aside] += 1
    for seat, size in enumerate((3, 2, 2)):
        law = exact._bonus_replaced(playing, special, size)
        assert {b: count for b, count, _ in law} == seen[seat]
        assert {total for _, _, total in law} == {comb(playing + special, special)}


def test_hands_after_replacement_are_uniform() -> None:
    playing = 8
    seen: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for wall in permutations(range(playing + 1)):
        hands = deal_with_replacement(wall, playing)
        seen[tuple(tuple(hand) for _, hand in hands)] += 1
    assert len(seen) == comb(8, 3) * comb(5, 2) * comb(3, 2)
    assert len(set(seen.values())) == 1


def test_bonus_table() -> None:
    table = exact.bonus("yancheng", fractions=True)
    for _, rows in table.groupby(["stage", "order"]):
        assert sum(rows["fraction"]) == 1
        assert sum(rows["count"]) == rows["total"].iloc[0]
    first = table[(table["bonus"] == 0) & (table["order"] == 1)]
    assert [round(p, 7) for p in first["p"]] == [0.0195726, 0.0195726]
    mean = {
        key: sum(rows["bonus"] * rows["fraction"])
        for key, rows in table.groupby(["stage", "order"])
    }
    assert mean["dealt", 0] == Fraction(14 * 36, 144)
    assert mean["replaced", 0] == Fraction(14 * 36, 109)
    assert mean["replaced", 3] == mean["replaced", 1] == Fraction(13 * 36, 109)
    # Twelve single bonus tiles beside 108, as in Suqian.
    assert exact._bonus_dealt(108, 12, 13)[0][1] / comb(120, 13) == pytest.approx(
        0.235115, abs=5e-7
    )


def test_no_bonus_tiles() -> None:
    assert set(exact.bonus("plain")["bonus"]) == {0}


# Tables, draws, cells beside the simulation.


def test_tables_are_of_the_contract() -> None:
    table = exact.shanten("yancheng", tiles=14, fractions=True)
    assert list(table.columns) == [
        *("shanten", "count", "total", "p", "se", "exact", "one_in", "fraction")
    ]
    assert all(type(value) is int for value in (*table["count"], *table["total"]))
    assert sum(table["count"]) == comb(108, 14) == table["total"].iloc[0]
    assert list(table["exact"]) == [True] * len(table)
    assert set(table["se"]) == {0.0}
    assert sum(table["fraction"]) == 1


def test_the_ruleset_decides_tiles_and_shapes() -> None:
    plain = mj.exact.shanten("plain")
    assert list(plain["count"]) == list(exact.shanten("plain", shape="standard")["count"])
    with_pairs = mj.ruleset("plain", changes={"seven_pairs": True})
    assert list(exact.shanten(with_pairs)["count"]) != list(plain["count"])
    assert exact.shanten("yancheng")["total"].iloc[0] == comb(108, 13)


def test_draws() -> None:
    table = exact.draws(3, unseen=8, n=5, fractions=True)
    listed = Counter(sum(tile < 3 for tile in drawn) for drawn in combinations(range(8), 5))
    assert dict(zip(table["k"], table["count"], strict=True)) == listed
    assert sum(table["fraction"]) == 1
    assert exact.draws(0, unseen=0, n=0)["count"].tolist() == [1]


def test_expected_cells_are_those_of_the_tables() -> None:
    cells = {(cell.table, cell.cell): cell.p for cell in exact.expected_cells("yancheng")}
    ready = exact.ready("yancheng", fractions=True)["fraction"].iloc[0]
    complete = exact.complete("yancheng", fractions=True)["fraction"].iloc[0]
    assert cells["hand", "dealt_ready"] == cells["hand", "dealt_shanten_0"] == ready
    assert cells["dealer_hand", "dealt_complete"] == cells["deal", "tian_hu"] == complete
    for table in ("hand", "dealer_hand"):
        for name, rest in (("dealt_shanten_", 0), ("bonus_", 0)):
            total = sum(p for key, p in cells.items() if key[0] == table and name in key[1])
            missing = complete if table == "dealer_hand" and name == "dealt_shanten_" else 0
            assert total == 1 - missing - rest
    plain = exact.expected_cells("plain")
    assert not any(cell.cell.startswith(("bonus", "tian_hu")) for cell in plain)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exact.shanten("plain", tiles=12), "tiles = 12: allowed are 13, 14"),
        (lambda: exact.shanten("plain", tiles=True), "tiles = True"),
        (lambda: exact.shanten("plain", wilds=5), "wilds = 5: allowed are 0, 1, 2, 3, 4"),
        (lambda: exact.shanten("plain", shape="orphans"), "shape = 'orphans': allowed are ruleset"),
        (lambda: exact.shanten("yancheng", shape="unconnected"), "needs winds and dragons"),
        (lambda: exact.ready("plain", waits="dead"), "waits = 'dead': allowed are live, formal"),
        (lambda: exact.draws(-1, unseen=3, n=1), "live = -1: allowed are integers 0 to 3"),
        (lambda: exact.draws(1, unseen=3, n=4), "n = 4: allowed are integers 0 to 3"),
        (lambda: exact.draws(1, unseen=2.5, n=1), "unseen = 2.5: allowed are integers 0 to"),
    ],
)
def test_bad_arguments(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


def test_unknown_ruleset() -> None:
    with pytest.raises(RulesetError, match="unknown ruleset 'riichi'"):
        exact.shanten("riichi")
