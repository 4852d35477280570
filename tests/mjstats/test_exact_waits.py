"""Waits with wild tiles, waits and dealt hands that win by the rules: by listing every hand."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

import pytest

import mjstats as mj
from mjstats import exact
from mjstats.completing import completing_unconnected
from mjstats.counting import Tiles
from mjstats.errors import ArgumentError
from tests.mjstats import slow_hands
from tests.mjstats.test_exact import DISTINCT, GROUPS, ONE_SUIT, QUADS, STANDARD, UNCONNECTED, small
from tests.referee import shapes

Hand = tuple[int, ...]


def and_one(hand: Hand, kind: int) -> Hand:
    return (*hand[:kind], hand[kind] + 1, *hand[kind + 1 :])


def missing_wild(hand: Hand, *, quads: bool) -> int:
    """Tiles missing to sets and a pair or to seven pairs, wild tiles not used."""
    pairs = slow_hands.missing_pairs(hand, 34, quads=quads)
    return min(slow_hands.missing_standard(hand, 7, cap=14), pairs)


def missing_head(hand: Hand, *, quads: bool) -> int:
    """Tiles missing to four sets or six pairs, no wild tile used."""
    best = {0: 0}
    for i, part in enumerate(slow_hands.PARTS):
        own = tuple(hand[kind] for kind in part)
        best = {
            sets: min(
                best[before] + slow_hands.lacking(own, sets - before, 0, i < 3, 14)
                for before in best
                if before <= sets
            )
            for sets in range(5)
        }
    odd = sum(copies % 2 for copies in hand)
    six = odd if quads or max(hand) <= 2 else slow_hands.FAR
    return min(best[4], six)


WILD = small(2, m="2021", p="00041", z="40002")


@pytest.mark.parametrize(("held", "quads"), [(1, True), (2, True), (2, False), (3, False)])
@pytest.mark.parametrize("head", [False, True])
def test_waits_with_wild_tiles_by_listing(held: int, quads: bool, head: bool) -> None:
    listed: Counter[tuple[int, int]] = Counter()
    for hand, ways in slow_hands.hands(WILD.copies, 13 - held):
        if head and missing_head(hand, quads=quads) >= held:
            continue
        waits = [
            kind
            for kind in range(34)
            if hand[kind] < 4
            and WILD.copies[kind]
            and missing_wild(and_one(hand, kind), quads=quads) <= held
        ]
        if waits:
            listed[len(waits), sum(hand[kind] for kind in waits)] += ways
    assert listed
    bits = STANDARD | (QUADS if quads else DISTINCT)
    assert exact._wild_completing(WILD, held, bits, head=head) == listed


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("white", [None, 0])
def test_unconnected_waits_by_listing(groups: bool, white: int | None) -> None:
    """Of ten tiles, three more being wild; whites may count as a kind whose others are wild."""
    z = "1110101" if white is None else "1110100"
    copies = small(2, m="3011001", p="0100110", s="0010110", z=z).copies
    listed: Counter[tuple[int, int]] = Counter()

    def missing(hand: Hand) -> int:
        own = hand if white is None else (0, *hand[1:33], hand[0])
        return slow_hands.missing_unconnected(own, groups=groups)

    for hand, ways in slow_hands.hands(copies, 10):
        if missing(hand) == 4:
            waits = [k for k in range(34) if copies[k] and missing(and_one(hand, k)) == 3]
            if waits:
                listed[len(waits), sum(hand[kind] for kind in waits)] += ways
    assert listed
    found = completing_unconnected(copies, 10, groups=groups, white=white)
    assert Counter({key: n for key, n in found.items() if key[0]}) == listed


def test_without_wild_tiles_the_waits_are_those_of_the_other_count() -> None:
    """Two ways to count the same: with no condition but the shape."""
    tiles = ONE_SUIT
    listed: Counter[tuple[int, int]] = Counter()
    for row, count in exact._waits(tiles, STANDARD | QUADS, formal=False).items():
        listed[row.kinds, row.live] += count
    found = exact._wild_completing(tiles, 0, STANDARD | QUADS, head=False)
    whole: Counter[tuple[int, int]] = Counter()
    for (kinds, own), count in found.items():
        whole[kinds, 4 * kinds - own] += count
    assert whole == listed


def test_waits_of_yiwu() -> None:
    """The unconnected hand alone, by number of wild tiles."""
    table = exact.waits("yiwu", shape="unconnected", by=["wilds", "kinds", "live"])
    assert set(table["wilds"]) == {0, 1, 2, 3}
    assert sum(table["count"]) == exact.ready("yiwu", shape="unconnected")["count"].iloc[0]
    legal = exact.waits("yiwu", shape="unconnected", by=["wilds"], waits="legal")
    assert set(legal["wilds"]) == {0, 1, 2}
    ready = exact.ready("yiwu", shape="unconnected", waits="legal")
    assert ready["count"].iloc[0] == sum(legal["count"])


@pytest.mark.parametrize("held", [3])
def test_all_ready_hands_wait_for_something(held: int) -> None:
    (_, tiles), *_ = exact._wild_games(STANDARD)
    found = exact._wild_completing(tiles, held, STANDARD | QUADS, head=False)
    assert sum(found.values()) == 18333326688672
    assert exact._missing(tiles, 13 - held, STANDARD | QUADS, held)[1] == sum(found.values())


# Changchun: three suits, a 1, 9 or honour, a triplet or a pair of dragons.


def wins(hand: Hand, *, options: dict[str, Any], shown: Sequence[int] = (), quads: bool) -> bool:
    """Whether 14 tiles win, some of them shown as special kongs: from the words of the rules."""
    left = tuple(copies - shown.count(kind) for kind, copies in enumerate(hand))
    counted = hand if options.get("special_kong_counts_suits", True) else left
    if options.get("three_suits", "on") == "on" and not all(
        any(counted[9 * suit : 9 * suit + 9]) for suit in range(3)
    ):
        return False
    ones, nines = (any(hand[9 * suit + rank] for suit in range(3)) for rank in (0, 8))
    if not any(hand[27:]) and not (
        ones and nines if options.get("yao_jiu_mode") == "both" else ones or nines
    ):
        return False
    laid = [shapes.Group("triplet", 31)] * (len(shown) // 3)
    for reading in shapes.readings(left, laid):
        if reading.shape != "standard":
            if not shown and (quads or max(hand) < 4):
                return True
        elif (
            shown
            or reading.pairs[0] >= 31
            or any(group.form == "triplet" for group in reading.groups)
        ):
            return True
    return False


CHANGCHUN = [
    small(2, m="211", p="101", s="0001", z="0000233"),
    small(2, m="2001", p="411", s="00000004", z="2"),
    small(2, m="2", p="2", s="300000001", z="1112411"),
]


@pytest.mark.parametrize("tiles", CHANGCHUN)
@pytest.mark.parametrize(
    "options", [{}, {"three_suits": "off", "yao_jiu_mode": "both"}, {"yao_jiu_mode": "both"}]
)
def test_legal_waits_of_changchun_by_listing(tiles: Tiles, options: dict[str, Any]) -> None:
    listed: Counter[tuple[int, int]] = Counter()
    for hand, ways in slow_hands.hands(tiles.copies, 13):
        waits = [
            kind
            for kind in range(34)
            if hand[kind] < 4
            and tiles.copies[kind]
            and wins(and_one(hand, kind), options=options, quads=True)
        ]
        if waits:
            listed[len(waits), sum(hand[kind] for kind in waits)] += ways
    found = exact._legal_waits(
        tiles,
        STANDARD | QUADS,
        three_suits=options.get("three_suits", "on") == "on",
        both=options.get("yao_jiu_mode") == "both",
    )
    assert found == listed


@pytest.mark.parametrize(
    "tiles",
    [
        small(2, m="211", p="2111", s="4", z="0000212"),
        small(2, m="000000112", p="000000112", s="000000004", z="1111031"),
    ],
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"special_kong_counts_suits": False, "xuan_feng_tiles": "any3"},
        {"three_suits": "off", "yao_jiu_mode": "both", "qi_dui": "off"},
    ],
)
def test_dealt_wins_of_changchun_by_listing(
    tiles: Tiles, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = mj.ruleset("changchun", changes=options)
    monkeypatch.setattr(exact, "playing_tiles", lambda _: tiles)
    kongs = [[(31, 32, 33)], [(0, 9, 18)], [(8, 17, 26)]]
    if "xuan_feng_tiles" in options:
        kongs.append(list(combinations(range(27, 31), 3)))
    pairs = options.get("qi_dui", "on") == "on"
    at_once = later = 0
    for hand, ways in slow_hands.hands(tiles.copies, 14):
        if wins(hand, options=options, quads=True) and (
            pairs or any(r.shape == "standard" for r in shapes.readings(hand))
        ):
            at_once += ways
            continue
        shown: list[tuple[int, ...]] = [()]
        for choices in kongs:
            shown += [(*before, *kong) for before in shown for kong in choices]
        able = [s for s in shown[1:] if all(hand[kind] >= s.count(kind) for kind in s)]
        later += ways * any(wins(hand, options=options, shown=s, quads=True) for s in able)
    assert at_once + later
    found = exact._dealt_win(rules)
    assert found == {
        "at_once": (at_once, tiles.hands(14)),
        "after_special_kong": (later, tiles.hands(14)),
    }


def test_dealt_wins_of_changchun() -> None:
    table = exact.dealt_win("changchun").set_index("win")
    assert table["count"].to_dict() == {
        "at_once": 4684670539632,
        "after_special_kong": 7763483362656,
    }
    assert set(table["total"]) == {comb(136, 14)}
    cells = {(c.table, c.cell): c.p for c in exact.expected_cells("changchun")}
    assert float(cells["deal", "win_by_dealt"]) == pytest.approx(table["p"].sum(), rel=1e-12)
    wild = mj.ruleset("changchun", changes={"one_bamboo_wild": True})
    with pytest.raises(ArgumentError, match="dealt_win: not counted with one_bamboo_wild"):
        exact.dealt_win(wild)
    assert not [c for c in exact.expected_cells(wild) if c.cell == "win_by_dealt"]


# Yiwu: the last of the 14 tiles counts as drawn.


@pytest.mark.parametrize("quads", [True, False])
def test_dealt_wins_of_yiwu_by_listing(quads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = mj.ruleset("yiwu", changes={"quad_as_two_pairs": quads, "bu_kao_mode": "groups"})
    tiles = small(2, m="44", p="44", z="4")
    monkeypatch.setattr(exact, "_wild_games", lambda _: [(1, tiles)])
    plain = head = total = 0
    for held in range(4):
        for hand, ways in slow_hands.hands(tiles.copies, 14 - held):
            ways *= comb(3, held)
            total += 14 * ways
            if missing_wild(hand, quads=quads) > held:
                continue
            heads = 0
            for kind, copies in enumerate(hand):
                before = (*hand[:kind], copies - 1, *hand[kind + 1 :])
                if copies and missing_head(before, quads=quads) < held:
                    heads += copies
            if held and missing_head(hand, quads=quads) < held - 1:
                heads += held
            head += ways * heads
            plain += ways * (14 - heads) * (held < 3)
    assert head
    assert exact._dealt_win(rules) == {"zi_mo": (plain, total), "cai_shen_tou": (head, total)}


def test_dealt_wins_of_yiwu() -> None:
    table = exact.dealt_win("yiwu").set_index("win")
    assert table["count"].to_dict() == {
        "zi_mo": 154907428474521216,
        "cai_shen_tou": 9102436066158528,
    }
    assert set(table["total"]) == {14 * 34 * comb(135, 14)}


def test_dealt_wins_elsewhere_are_complete_hands() -> None:
    (row,) = exact.dealt_win("plain").to_dict("records")
    assert (row["win"], row["count"]) == ("complete", exact.complete("plain")["count"].iloc[0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exact.waits("yiwu", waits="formal"), "waits = 'formal': not counted with wild"),
        (lambda: exact.waits("yiwu", by=["suits"]), "by = 'suits': not counted of the live waits"),
        (
            lambda: exact.waits("changchun", by=["roles"], waits="legal"),
            "by = 'roles': not counted of the legal waits of changchun; allowed are kinds, live",
        ),
        (lambda: exact.ready("yiwu", waits="legal", wilds=2), "only hands as dealt are counted"),
    ],
)
def test_what_is_not_counted_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


def test_groups_and_gaps_together_are_gaps() -> None:
    both = exact._wild_waits(3, UNCONNECTED | GROUPS, heads=False)
    assert both == exact._wild_waits(3, UNCONNECTED, heads=False)
