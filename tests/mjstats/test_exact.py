"""Exact counting against published values, against listing every hand, and against closed forms."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjstats as mj
from mjstats import exact
from mjstats.counting import States, Sum, Tiles, Trait, count_hands
from mjstats.errors import ArgumentError, RulesetError
from tests.mjstats import slow_hands
from tests.referee import shapes

KNOWN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data/known/exact.json").read_text(encoding="utf-8")
)
T108 = Tiles(0, (4,) * 27 + (0,) * 7)
T136 = Tiles(2, (4,) * 34)
ONE_SUIT = Tiles(0, (4,) * 9 + (0,) * 25)

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


# Thirteen orphans, which no ruleset plays: the same counting with two more traits.

ONES = [*(9 * suit + place for suit in range(3) for place in (0, 8)), *range(27, 34)]


def orphan_kinds(states: States) -> Any:
    return states.held[:, [kind % 9 for kind in ONES if kind // 9 == states.part]]


ORPHANS: list[Trait] = [
    Sum(lambda states: (orphan_kinds(states) > 0).sum(axis=1), 13),
    Sum(lambda states: (orphan_kinds(states) > 1).any(axis=1), 1),
]


def with_orphans(
    tiles: Tiles, n: int, bits: int, *, formal: bool = False, distinct: bool = False
) -> Counter[int]:
    """Hands by tiles missing to the nearest of the shapes and thirteen orphans."""
    traits: list[Trait] = []
    if bits:
        traits, missing = exact.nearness(tiles, n, bits, capped=not formal)
    found: Counter[int] = Counter()
    hands = count_hands(tiles, n, [*traits, *ORPHANS], distinct=distinct)
    for (*elements, kinds, paired), count in hands.items():
        orphans = 14 - kinds - paired
        found[min(missing(elements), orphans) if bits else orphans] += count
    return found


@pytest.mark.parametrize("n", [13, 14])
@pytest.mark.parametrize(
    ("keys", "bits"),
    [
        (("thirteen_orphans",), 0),
        (("capped", "min_std_7p_distinct_13o"), STANDARD | DISTINCT),
        (("capped", "min_std_7p_quads_13o"), STANDARD | QUADS),
        (("uncapped", "min_std_7p_distinct_13o"), STANDARD | DISTINCT),
        (("uncapped", "min_std_7p_quads_13o"), STANDARD | QUADS),
    ],
)
def test_known_shanten_with_orphans(n: int, keys: tuple[str, ...], bits: int) -> None:
    node = KNOWN["T136_shanten"][f"deal{n}"]
    for key in keys:
        node = node[key]
    found = with_orphans(T136, n, bits, formal=keys[0] == "uncapped")
    assert {missing - 1: count for missing, count in found.items()} == {
        int(value): cell["count"] for value, cell in node["dist"].items()
    }


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("thirteen_orphans", 0),
        ("union_std_7p_distinct_13o", STANDARD | DISTINCT),
        ("union_std_7p_quads_13o", STANDARD | QUADS),
    ],
)
def test_known_hands_with_orphans(name: str, bits: int) -> None:
    known = KNOWN["T136_complete_and_ready"]
    distinct = with_orphans(T136, 14, bits, distinct=True)
    assert distinct[0] == KNOWN["complete_hands_distinct"]["T136"][name]
    assert with_orphans(T136, 14, bits)[0] == known["deal14_complete"][name]["count"]
    for node, formal in (("live_wait_required", False), ("ignoring_copies_in_hand", True)):
        ready = with_orphans(T136, 13, bits, formal=formal)[1]
        assert ready == known["deal13_ready"][node][name]["count"]


@pytest.mark.parametrize(
    ("tiles", "n"),
    [
        (small(2, m="200000001", p="100000011", s="300000002", z="1121120"), 13),
        (small(2, m="200000001", p="110000001", s="200000001", z="1211112"), 14),
    ],
)
def test_orphans_by_listing(tiles: Tiles, n: int) -> None:
    listed: Counter[int] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, n):
        held = [hand[kind] for kind in ONES]
        orphans = 14 - sum(copies > 0 for copies in held) - any(copies > 1 for copies in held)
        standard = slow_hands.missing_standard(hand, 7, cap=4)
        listed[min(standard, orphans)] += ways
    assert with_orphans(tiles, n, STANDARD) == listed


@pytest.mark.parametrize("pairs", ["distinct", "quads"])
def test_known_unions_of_shapes(pairs: str) -> None:
    """Several shapes at once: complete, both at once, and ready; as kinds and as dealt."""
    both: Any = ["standard", f"seven_pairs_{pairs}"]
    known = KNOWN["T136_complete_and_ready"]
    assert exact.complete("plain", shape=both)["count"].tolist() == [
        known["deal14_complete"][f"union_std_7p_{pairs}"]["count"]
    ]
    table = exact.features("plain", shape=both, combined=True, of="dealt")
    found = table.set_index(["feature", "other"])["count"]
    assert (
        found["standard", "seven_pairs"] == known["deal14_complete"][f"std_and_7p_{pairs}"]["count"]
    )
    for waits, node in (("live", "live_wait_required"), ("formal", "ignoring_copies_in_hand")):
        (row,) = exact.ready("plain", shape=both, waits=waits).to_dict("records")
        assert row["count"] == known["deal13_ready"][node][f"union_std_7p_{pairs}"]["count"]
        assert row["shape"] == f"standard+seven_pairs_{pairs}"
    for name, tiles in (("T108", T108), ("T136", T136)):
        kinds = KNOWN["complete_hands_distinct"][name]
        bits = DISTINCT if pairs == "distinct" else QUADS
        alone = [exact._missing(tiles, 14, b, 0, distinct=True)[0] for b in (STANDARD, bits)]
        union = exact._missing(tiles, 14, STANDARD | bits, 0, distinct=True)[0]
        assert sum(alone) - union == kinds[f"standard_and_seven_pairs_{pairs}"]


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
            for bits, missing in (
                (STANDARD, standard),
                (STANDARD | DISTINCT, min(standard, distinct)),
                (STANDARD | QUADS, min(standard, quads)),
            ):
                listed.setdefault((bits, formal), Counter())[missing] += ways
    for (bits, formal), counts in listed.items():
        assert sum(counts.values()) == tiles.hands(n)
        assert exact._missing(tiles, n, bits, 0, formal=formal) == counts


@pytest.mark.parametrize("groups", [False, True])
def test_unconnected_by_listing(groups: bool) -> None:
    tiles = small(2, m="1011001", p="110100001", s="01100101", z="1110111")
    listed: Counter[int] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 14):
        listed[slow_hands.missing_unconnected(hand, groups=groups)] += ways
    assert exact._missing(tiles, 14, GROUPS if groups else UNCONNECTED, 0) == listed


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


@pytest.mark.parametrize("shapes", [STANDARD | QUADS, STANDARD | QUADS | UNCONNECTED])
def test_dealt_hands_with_wild_tiles_are_all_hands(shapes: int) -> None:
    """Three wild tiles of 135: the numbers of each shanten add up, and so do the wild ones held."""
    parts = [
        (faces * comb(3, held), held, tiles)
        for faces, tiles in exact._wild_games(shapes)
        for held in range(4)
    ]
    assert sum(ways * tiles.hands(14 - held) for ways, held, tiles in parts) == 34 * comb(135, 14)
    for ways, held, tiles in parts[:4]:
        found = exact._missing(tiles, 14 - held, STANDARD | QUADS, held)
        assert ways * sum(found.values()) == ways * comb(132, 14 - held)


def test_whites_are_whites_in_the_unconnected_hand_alone() -> None:
    """Whites count as the 1m, of which no other copy is left."""
    tiles = small(2, m="3011", p="1010011", s="11001001", z="11101")
    tiles = Tiles(2, tiles.copies, white=0)
    listed: Counter[int] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 12):
        own = (0, *hand[1:33], hand[0])
        nearest = min(
            slow_hands.missing_standard(hand, 7, cap=14),
            slow_hands.missing_pairs(hand, 34, quads=True),
            slow_hands.missing_unconnected(own, groups=False),
        )
        listed[max(0, nearest - 2)] += ways
    assert exact._missing(tiles, 12, STANDARD | QUADS | UNCONNECTED, 2) == listed


# Waits.


def known_waits(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = KNOWN["T136_waits"][kind]
    return found


@pytest.mark.parametrize(("waits", "kind"), [("live", "live"), ("formal", "all")])
def test_known_waits(waits: exact.Waits, kind: str) -> None:
    known = known_waits(kind)
    for key, node in (("kinds", "waiting_kinds"), ("live", "live_waiting_tiles")):
        table = exact.waits("plain", waits=waits, by=[key])
        assert set(table["total"]) == {known["ready_count"]}
        assert dict(zip(table[key], table["count"], strict=True)) == {
            int(value): cell["count"] for value, cell in known[node]["dist"].items()
        }
    table = exact.waits("plain", waits=waits, by=["kinds", "roles"]).query("kinds == 1")
    roles = known["single_kind_role_sets"]
    assert sum(table["count"]) == roles["total_single"]
    assert dict(zip(table["roles"], table["count"], strict=True)) == {
        key: cell["count"] for key, cell in roles.items() if key != "total_single"
    }
    classes = exact.waits("plain", waits=waits, by=["kinds", "wait_class"]).query("kinds == 1")
    single = dict(zip(classes["wait_class"], classes["count"], strict=True))
    published = known["single_kind_exclusive_class"]
    assert single["closed"] == published["closed_kanchan"]["count"]
    assert single["edge"] == published["edge_penchan"]["count"]
    assert single["pair"] == published["pair_tanki"]["count"]
    assert single["complex"] == published["mixed_or_other"]["count"]


def test_known_joint_waits() -> None:
    table = exact.waits("plain", by=["kinds", "live"])
    found = {f"{row.kinds},{row.live}": row.count for row in table.itertuples(index=False)}
    assert found == KNOWN["T136_waits"]["joint_live_kinds_tiles_counts"]


def roles_of(reading: shapes.Reading, kind: int) -> set[str]:
    """Letters of the roles that a kind plays in a reading."""
    letters = {"T"} if kind in reading.pairs else set()
    for group in reading.groups:
        if kind in group.tiles:
            place = kind - group.tile
            if group.form == "triplet" or place == 1:
                letters.add("S" if group.form == "triplet" else "K")
            else:
                edge = (place, group.tile % 9) in {(2, 0), (0, 6)}
                letters.add("P" if edge else "R")
    return letters


@pytest.mark.parametrize(
    ("tiles", "pairs"),
    [
        (small(0, m="2222", p="2222"), True),
        (small(0, m="4441", p="0000443"), False),
        (small(0, m="4441", p="0000443"), True),
        (small(2, m="1111111", s="401", z="44"), True),
        (small(2, m="44401", z="4004"), True),
    ],
)
@pytest.mark.parametrize("formal", [False, True])
def test_waits_by_listing(tiles: Tiles, pairs: bool, formal: bool) -> None:
    kinds = range(27 + tiles.honours)
    listed: Counter[tuple[int, int, str, int, bool]] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 13):
        waited: dict[int, set[str]] = {}
        for kind in kinds:
            if formal or hand[kind] < 4:
                full = shapes.changed(hand, (kind,), 1)
                for reading in shapes.readings(full, seven_pairs=pairs):
                    waited.setdefault(kind, set()).update(roles_of(reading, kind))
        if waited:
            first = next(iter(waited.values()))
            roles = "+".join(letter for letter in "TKPRS" if letter in first)
            listed[
                len(waited),
                sum(4 - hand[kind] for kind in waited),
                roles if len(waited) == 1 else "",
                sum(any(hand[9 * suit : 9 * suit + 9]) for suit in range(3)),
                any(hand[27:]),
            ] += ways
    found: Counter[tuple[int, int, str, int, bool]] = Counter()
    for row, count in exact._waits(tiles, STANDARD | QUADS * pairs, formal=formal).items():
        found[row.kinds, row.live, row.roles, row.suits, row.honours] += count
    assert found == listed


@pytest.mark.parametrize("groups", [False, True])
def test_unconnected_waits_by_listing(groups: bool) -> None:
    tiles = small(2, m="1011001", p="110010010", s="011001001", z="1111111")
    listed: Counter[tuple[int, int]] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 13):
        if max(hand) == 1 and slow_hands.missing_unconnected(hand, groups=groups) == 1:
            waited = [
                kind
                for kind in range(34)
                if slow_hands.missing_unconnected(shapes.changed(hand, (kind,), 1), groups=groups)
                == 0
            ]
            listed[len(waited), 4 * len(waited)] += ways
    assert listed
    found: Counter[tuple[int, int]] = Counter()
    for row, count in exact._waits(tiles, GROUPS if groups else UNCONNECTED, formal=False).items():
        found[row.kinds, row.live] += count
    assert found == listed


@pytest.mark.parametrize(
    ("tiles", "bits"),
    [
        (T108, STANDARD | QUADS),
        (T136, STANDARD | DISTINCT | UNCONNECTED),
        (T136, STANDARD | QUADS | GROUPS),
    ],
)
def test_waits_and_shanten_agree_on_what_is_ready(tiles: Tiles, bits: int) -> None:
    for formal in (False, True):
        ready = exact._missing(tiles, 13, bits, 0, formal=formal)[1]
        assert sum(exact._waits(tiles, bits, formal=formal).values()) == ready


# Features.


def features_of(hand: tuple[int, ...], found: list[shapes.Reading]) -> set[str]:
    """Features of a complete hand, straight from their meanings."""
    standard = [reading for reading in found if reading.shape == "standard"]
    triplets = {sum(group.form == "triplet" for group in r.groups) for r in standard}
    suits = sum(any(hand[9 * suit : 9 * suit + 9]) for suit in range(3))
    honours = any(hand[27:])
    ones = [9 * suit + place for suit in range(3) for place in (0, 8)]
    outer = any(hand[kind] for kind in ones)
    quads = hand.count(4)
    pairs = len(found) > len(standard)
    return {
        name
        for name, holds in {
            "standard": bool(standard),
            "seven_pairs": pairs,
            "seven_pairs_1_quad": pairs and quads == 1,
            "seven_pairs_2_quads": pairs and quads == 2,
            "seven_pairs_3_quads": pairs and quads == 3,
            "one_suit": suits == 1 and not honours,
            "one_suit_honours": suits == 1 and honours,
            "two_suits": suits == 2,
            "at_most_two_suits": suits < 3,
            "three_suits": suits == 3,
            "no_honours": not honours,
            "no_terminals": not honours and not outer,
            "only_terminals": sum(hand[27:]) + sum(hand[kind] for kind in ones) == 14,
            "terminals": outer,
            "terminals_or_honours": outer or honours,
            "terminal_set": any(
                kind in ones
                for r in found
                for kind in (*r.pairs, *(g.tile for g in r.groups if g.form == "triplet"))
            ),
            "all_triplets": 4 in triplets,
            "three_triplets": 3 in triplets,
            "no_triplets": 0 in triplets,
            "some_triplet": bool(triplets - {0}),
            "honour_triplet": any(
                g.form == "triplet" and g.tile >= 27 for r in standard for g in r.groups
            ),
            "dragon_pair": any(kind >= 31 for r in standard for kind in r.pairs),
            "straight": any(
                {shapes.Group("run", 9 * suit + low) for low in (0, 3, 6)} <= set(r.groups)
                for r in standard
                for suit in range(3)
            ),
            "quad": quads > 0,
        }.items()
        if holds
    }


@pytest.mark.parametrize(
    "tiles",
    [
        small(0, m="22222", p="22222"),
        small(0, m="4441", p="0000443"),
        small(0, p="131111113", s="004"),
        small(2, m="44000002", z="440004"),
        small(2, m="4004", p="4", s="4", z="4"),
        small(2, m="411", z="1304041"),
    ],
)
@pytest.mark.parametrize("quads", [True, False])
def test_features_by_listing(tiles: Tiles, quads: bool) -> None:
    """Both readings of seven pairs, together with four sets and a pair."""
    listed: Counter[frozenset[str]] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 14):
        found = shapes.readings(hand)
        if not quads and 4 in hand:
            found = [reading for reading in found if reading.shape == "standard"]
        if found:
            listed[frozenset(features_of(hand, found))] += ways
    assert listed
    assert exact._features(tiles, STANDARD | (QUADS if quads else DISTINCT)) == listed


@pytest.mark.parametrize("groups", [False, True])
def test_unconnected_features_by_listing(groups: bool) -> None:
    """Whether an unconnected hand is also of the three groups; suits and terminals."""
    tiles = small(2, m="1011001", p="110010010", s="011001001", z="1111111")
    listed: Counter[tuple[bool, ...]] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 14):
        loose, grouped = (
            slow_hands.missing_unconnected(hand, groups=choice) == 0 for choice in (False, True)
        )
        if grouped or (loose and not groups):
            ones = any(hand[9 * suit + place] for suit in range(3) for place in (0, 8))
            listed[loose, grouped and groups, ones] += ways
    found: Counter[tuple[bool, ...]] = Counter()
    for has, count in exact._features(tiles, GROUPS if groups else UNCONNECTED).items():
        assert {"three_suits", "terminals_or_honours"} <= has
        found["unconnected" in has, "unconnected_groups" in has, "terminals" in has] += count
    assert listed
    assert found == listed


def test_known_features() -> None:
    table = exact.features("plain", of="dealt").set_index("feature")
    assert table.loc["all_triplets", "count"] == 2137006080
    assert table.loc["one_suit", "count"] == 1321781052
    assert table.loc["standard", "count"] == 11353128141498
    assert set(table["total"]) == {comb(136, 14)}


def test_combined_features() -> None:
    alone = exact.features("yancheng").set_index("feature")
    table = exact.features("yancheng", combined=True)
    assert list(alone["count"]) == list(table[table["other"] == ""]["count"])
    both = table.set_index(["feature", "other"])
    assert both.loc[("seven_pairs", "one_suit"), "element"] == "qi_dui + qing_yi_se"
    assert both.loc[("seven_pairs", "quad"), "element"] == ""
    assert both.loc[("standard", "seven_pairs"), "count"] == (
        alone.loc["standard", "count"] + alone.loc["seven_pairs", "count"] - alone["total"].iloc[0]
    )
    one_suit = exact._missing(ONE_SUIT, 14, STANDARD | QUADS, 0)
    assert alone.loc["one_suit", "count"] == 3 * one_suit[0]


def test_known_hands_of_one_suit_by_kinds() -> None:
    """Complete hands, and 13-tile hands by number of live waits, seven pairs included."""
    complete = exact._missing(ONE_SUIT, 14, STANDARD | DISTINCT, 0, distinct=True)
    assert (complete[0], sum(complete.values())) == (13277, 118800)
    assert exact._missing(ONE_SUIT, 14, STANDARD, 0, distinct=True)[0] == 13259
    for bits, published in ((STANDARD, 40070), (STANDARD | DISTINCT, 40196)):
        near = exact._missing(ONE_SUIT, 13, bits, 0, distinct=True)
        assert (near[1], sum(near.values())) == (published, 93600)
    listed: Counter[int] = Counter()
    waits = exact._waits(ONE_SUIT, STANDARD | DISTINCT, formal=False, distinct=True)
    for row, count in waits.items():
        listed[row.kinds] += count
    by_kinds = (14193, 14493, 6739, 2948, 1335, 392, 79, 16, 1)
    assert listed == dict(enumerate(by_kinds, start=1))


# Special kongs.


def test_special_kongs_by_listing() -> None:
    copies = small(2, m="200000001", p="100000011", s="300000002", z="1121120").copies
    for winds, bamboo in ((4, False), (3, False), (4, True), (3, True)):
        listed: Counter[tuple[bool, ...]] = Counter()
        for hand, ways in slow_hands.hands(copies, 7):
            held = []
            for kinds, needed in (
                ((27, 28, 29, 30), winds),
                ((31, 32, 33), 3),
                ((0, 9, 18), 3),
                ((8, 17, 26), 3),
            ):
                own = {kind for kind in kinds if hand[kind]} - ({18} if bamboo else set())
                held.append(len(own) + (hand[18] if own and bamboo else 0) >= needed)
            listed[tuple(held)] += ways
        assert exact._special(copies, 7, winds=winds, bamboo=bamboo) == listed


def test_special_kongs_table() -> None:
    table = exact.special_kongs("plain", tiles=14, fractions=True)
    assert sum(table["fraction"]) == 1
    assert sum(table["count"]) == comb(136, 14) == table["total"].iloc[0]
    # Three ones without a nine, by inclusion and exclusion over the kinds that lack.
    ones = sum((-1) ** k * comb(3, k) * comb(136 - 4 * k, 14) for k in range(4))
    assert sum(table[table["yao"]]["count"]) == ones
    assert not exact.special_kongs("yancheng")[["xuan_feng", "xi"]].to_numpy().any()


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
        (lambda: exact.shanten("plain", tiles=12), "tiles=12: 13 to 14 is allowed"),
        (lambda: exact.shanten("plain", tiles=True), "tiles=True: a whole number is expected"),
        (lambda: exact.shanten("plain", wilds=5), "wilds=5: 0 to 4 is allowed"),
        (lambda: exact.shanten("plain", shape="orphans"), "shape = 'orphans': allowed are ruleset"),
        (lambda: exact.shanten("yancheng", shape="unconnected"), "needs winds and dragons"),
        (lambda: exact.ready("plain", shape=[]), r"shape = \[\]: allowed are one or more of rules"),
        (lambda: exact.ready("plain", shape=5), "shape=5: a name or a list of names"),
        (lambda: exact.complete("plain", shape=["standard", ""]), "shape = '': allowed are rules"),
        (lambda: exact.waits("plain", by=["suit"]), "by = 'suit': allowed are kinds, live, roles"),
        (lambda: exact.features("plain", of="won"), "of = 'won': allowed are complete, dealt"),
        (lambda: exact.special_kongs("plain", tiles=15), "tiles=15: 13 to 14 is allowed"),
        (lambda: exact.ready("plain", waits="dead"), "waits = 'dead': allowed are live, formal"),
        (lambda: exact.draws(-1, unseen=3, n=1), "live=-1: 0 to 3 is allowed"),
        (lambda: exact.draws(1, unseen=3, n=4), "n=4: 0 to 3 is allowed"),
        (lambda: exact.draws(3, unseen=10**6, n=500_000), "unseen=1000000: 0 to 1000 is allowed"),
        (lambda: exact.draws(10**5000, unseen=9, n=1), "live=a number of hundreds of digits: 0 to"),
        (lambda: exact.draws(float("nan"), unseen=9, n=1), "live=nan: a whole number is expected"),
        (lambda: exact.shanten("plain", tiles=[13, 14]), "a whole number is expected"),
        (lambda: exact.shanten("plain", tiles=np.array([13, 14])), "tiles: one whole number"),
        (lambda: exact.shanten("plain", wilds=float("nan")), "wilds=nan: a whole number"),
        (lambda: exact.shanten("plain", shape=np.array(["standard"])), "a name or a list"),
        (lambda: exact.features("plain", of=["dealt"]), "of = .'dealt'.: allowed are complete"),
        (lambda: exact.draws(1, unseen=2.5, n=1), "unseen=2.5: a whole number is expected"),
    ],
)
def test_bad_arguments(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


def test_unknown_ruleset() -> None:
    with pytest.raises(RulesetError, match="unknown ruleset 'riichi'"):
        exact.shanten("riichi")
