"""Hands as users give them: every form of input, every column, every error."""

import doctest
import re

import numpy as np
import pandas as pd
import pytest

import mjstats as mj
from mjstats import hands
from mjstats.errors import ArgumentError, HandError, MjstatsError, RulesetError, TileError
from mjstats.hands import acceptance, readings, shanten, waits
from mjstats.tiles import parse_hand
from tests.reference import evaluator as slow
from tests.reference.hands import random_hand

PLAIN = mj.ruleset("plain")
PAIRS = mj.ruleset("plain", changes={"seven_pairs": True})


def counts(text: str) -> np.ndarray:
    return parse_hand(text).counts


def test_examples() -> None:
    assert doctest.testmod(hands).failed == 0


def test_public_names() -> None:
    for name in ("shanten", "waits", "acceptance", "readings"):
        assert getattr(mj, name) is getattr(hands, name)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("123456789m1111p", 1),
        ("123456789m1111z", 1),
        ("1112223334444z", 1),
        ("11122233334444z", 1),
        ("245568m245568p77s", 2),
        ("4569m13445788p2s", 2),
        ("45z [444z] [111z] [555z] [777z]", 1),
        ("1112345678999m", 0),
        ("11123456789999m", -1),
        ("1m [234m] {5555p} [777s] [1z1z1z1z]", 0),
        ("9m [1234z] [567z] [1m1p1s] [9m9p9s]", 0),
    ],
)
def test_shanten_of_one_hand(hand: str, expected: int) -> None:
    assert shanten(hand, ruleset="plain") == expected
    assert shanten(parse_hand(hand), ruleset=PLAIN) == expected
    assert isinstance(shanten(hand, ruleset="plain"), int)


def test_the_ruleset_decides_the_shapes() -> None:
    assert shanten("1133557799m113p", ruleset="plain") > 0
    assert shanten("1133557799m113p", ruleset=PAIRS) == 0
    assert shanten("1133557799m113p", ruleset="yancheng") == 0
    assert shanten("1133557799m1111p", ruleset="yancheng") == -1


def test_many_hands() -> None:
    rng = np.random.default_rng(3)
    some = [random_hand(rng, 34, in_turn=False, melds=0, wilds=0) for _ in range(200)]
    rows = np.array([hand.held for hand in some], np.uint8)
    got = shanten(rows, ruleset="plain")
    assert isinstance(got, np.ndarray)
    assert (got.dtype, got.shape) == (np.int8, (200,))
    assert got.tolist() == [slow.shanten(hand, slow.STANDARD) for hand in some]
    assert np.array_equal(shanten(np.asfortranarray(rows), ruleset="plain"), got)
    assert np.array_equal(shanten(rows[::2], ruleset="plain"), got[::2])
    assert shanten(rows[7], ruleset="plain") == got[7]
    assert isinstance(shanten(rows[7], ruleset="plain"), int)
    empty = shanten(rows[:0], ruleset="plain")
    assert isinstance(empty, np.ndarray)
    assert (empty.dtype, empty.shape) == (np.int8, (0,))
    texts = ["123456789m1111p", parse_hand("1112345678999m")]
    assert np.array_equal(shanten(texts, ruleset="plain"), np.array([1, 0], np.int8))


def test_melds_that_are_not_told() -> None:
    assert shanten("14668889m", ruleset="plain", melds=2) == 1
    assert shanten(counts("14668889m"), ruleset="plain", melds=2) == 1
    assert shanten("14668889m [111z]", ruleset="plain", melds=1) == 1
    rows = np.stack([counts("14668889m")] * 3)
    assert np.array_equal(shanten(rows, ruleset="plain", melds=np.int64(2)), np.ones(3, np.int8))


def test_waits() -> None:
    table = waits("1234444678m456p", ruleset="plain")
    assert list(table.columns) == ["tile", "formal", "live", "class"]
    assert table.to_dict("list") == {
        "tile": ["1m", "4m"],
        "formal": [True, True],
        "live": [3, 0],
        "class": ["pair", "complex"],
    }
    assert [str(kind) for kind in table.dtypes[1:3]] == ["bool", "int64"]
    none = waits("123m456p789s1357z", ruleset="plain")
    assert len(none) == 0
    assert list(none.dtypes) == list(table.dtypes)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("13m456p789s11122z", {"2m": "closed"}),
        ("12m456p789s11122z", {"3m": "edge"}),
        ("89m456p789s11122z", {"7m": "edge"}),
        ("2m123456p789s111z", {"2m": "pair"}),
        ("23m456p789s11122z", {"1m": "two_sided", "4m": "two_sided"}),
        ("78m456p789s11122z", {"6m": "two_sided", "9m": "two_sided"}),
        ("22m456p789s11133z", {"2m": "two_pair", "3z": "two_pair"}),
        ("2223m456p789s111z", {"1m": "two_sided", "3m": "pair", "4m": "two_sided"}),
        ("2344m456p789s111z", {"1m": "two_sided", "4m": "complex"}),
        ("1m [234m] {5555p} [777s] [1z1z1z1z]", {"1m": "pair"}),
        ("13m456p789s11z {2222m}", {"2m": "closed"}),
    ],
)
def test_classes_of_waits(hand: str, expected: dict[str, str]) -> None:
    table = waits(hand, ruleset="plain")
    assert dict(zip(table["tile"], table["class"], strict=True)) == expected


def test_a_wait_of_seven_pairs_is_a_pair_wait() -> None:
    table = waits("1133557799m113p", ruleset=PAIRS)
    assert table.to_dict("records") == [{"tile": "3p", "formal": True, "live": 3, "class": "pair"}]


def test_copies_in_melds_are_not_live() -> None:
    table = waits("13m456p789s22z [222m]", ruleset="plain")
    assert table[["tile", "live"]].to_numpy().tolist() == [["2m", 1]]


def test_acceptance_after_each_discard() -> None:
    table = acceptance("123456789m1155p7s", ruleset="plain")
    assert list(table.columns) == ["discard", "shanten", "tiles", "live"]
    assert table.iloc[0].to_dict() == {"discard": "7s", "shanten": 0, "tiles": "15p", "live": 4}
    order = list(zip(table["shanten"], -table["live"], strict=True))
    assert order == sorted(order)
    assert set(table["discard"]) == {f"{rank}m" for rank in range(1, 10)} | {"1p", "5p", "7s"}
    assert np.array_equal(table, acceptance(counts("123456789m1155p7s"), ruleset="plain"))


def test_acceptance_between_turns() -> None:
    table = acceptance("123456789m1155p", ruleset="plain")
    assert table["discard"].isna().all()
    assert table.drop(columns="discard").to_dict("records") == [
        {"shanten": 0, "tiles": "15p", "live": 4}
    ]


def test_acceptance_against_the_slow_evaluator() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        hand = random_hand(rng, 34, in_turn=True, melds=0, wilds=0)
        table = acceptance(np.array(hand.held, np.uint8), ruleset=PAIRS)
        got = {
            (row.discard, row.shanten, row.live): parse_hand(row.tiles).concealed
            for row in table.itertuples()
        }
        assert got == {
            (hands.KIND_NAMES[kind], after, live): tuple(kinds)
            for kind, after, kinds, live in slow.discards(hand, slow.STANDARD | slow.PAIRS_QUADS)
        }


def test_readings() -> None:
    table = readings("111222333m44p [789s]", ruleset="plain")
    assert table.to_dict("list") == {
        "reading": [1, 2],
        "shape": ["standard", "standard"],
        "sets": ["111m 222m 333m [789s]", "123m 123m 123m [789s]"],
        "pair": ["44p", "44p"],
    }


def test_readings_of_seven_pairs() -> None:
    table = readings("112233m445566p77z", ruleset=PAIRS)
    assert table["shape"].tolist() == ["standard", "seven_pairs_quads"]
    assert table["sets"].tolist() == ["123m 123m 456p 456p", "11m 22m 33m 44p 55p 66p 77z"]
    assert table["pair"].tolist()[0] == "77z"
    assert table["pair"].isna().tolist() == [False, True]


def test_readings_of_one_pair_and_four_melds() -> None:
    table = readings("11m [234m] {5555p} [777s] [1z1z1z1z]", ruleset="plain")
    assert table["sets"].tolist() == ["[234m] {5555p} [777s] [1111z]"]
    assert table["pair"].tolist() == ["11m"]


def test_a_hand_that_is_not_complete_has_no_reading() -> None:
    table = readings("123456789m11p19s7z", ruleset="plain")
    assert len(table) == 0
    assert list(table.columns) == ["reading", "shape", "sets", "pair"]


HAND_FUNCTIONS = (shanten, waits, acceptance, readings)


@pytest.mark.parametrize("function", HAND_FUNCTIONS)
@pytest.mark.parametrize(
    ("hand", "error", "says"),
    [
        ("14668889m", HandError, "8 concealed tiles and 0 melds"),
        ("123456789m111122p", HandError, "15 concealed tiles and 0 melds"),
        ("123456789m1122p [789s]", HandError, "13 concealed tiles and 1 melds"),
        ("", HandError, "0 concealed tiles"),
        ("22222448m123p678s", TileError, "5 copies of 2m (max 4)"),
        ("2m456p789s11z {2222m}", TileError, "5 copies of 2m (max 4)"),
        ("678s678p55m [777h]", TileError, "unknown suit letter 'h' at position 17"),
        ("123456789m111p spring", HandError, "spring is a bonus tile"),
        (7, ArgumentError, "hand of type int"),
        (np.zeros(33, np.uint8), ArgumentError, "shape (33,)"),
        (np.zeros(34, np.int64), ArgumentError, "dtype int64"),
        (np.full(34, 5, np.uint8), TileError, "5 copies of 1m (max 4)"),
        (np.ones(34, np.uint8), HandError, "34 concealed tiles"),
    ],
)
def test_bad_hands(function: object, hand: object, error: type[MjstatsError], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        function(hand, ruleset="plain")


@pytest.mark.parametrize("function", [waits, acceptance, readings])
def test_one_hand_at_a_time(function: object) -> None:
    with pytest.raises(ArgumentError, match=re.escape("one hand has shape (34,)")):
        function(np.zeros((2, 34), np.uint8), ruleset="plain")


def test_sizes_that_a_function_needs() -> None:
    with pytest.raises(HandError, match="allowed are 13 tiles"):
        waits("123456789m11122p", ruleset="plain")
    with pytest.raises(HandError, match="allowed are 14 tiles"):
        readings("123456789m1112p", ruleset="plain")
    with pytest.raises(HandError, match="allowed are 13 or 14 tiles"):
        acceptance("123456789m111p", ruleset="plain")


@pytest.mark.parametrize("melds", [-1, 5, 1.0, True, "2", None])
def test_bad_melds(melds: object) -> None:
    for hand in ("123456789m1112p", counts("123456789m1112p"), counts("123456789m1112p")[None]):
        with pytest.raises(ArgumentError, match="allowed are 0 to 4"):
            shanten(hand, ruleset="plain", melds=melds)


def test_too_many_melds_together() -> None:
    with pytest.raises(HandError, match="5 melds"):
        shanten("1m [111p] [222p] [333p]", ruleset="plain", melds=2)


def test_bad_rows_are_named() -> None:
    rows = np.stack([counts("123456789m1112p")] * 5)
    rows[3, 1] = 5
    with pytest.raises(TileError, match=re.escape("row 3: 5 copies of 2m (max 4)")):
        shanten(rows, ruleset="plain")
    rows[3, 1] = 3
    with pytest.raises(HandError, match="row 3: 15 concealed tiles and 0 melds"):
        shanten(rows, ruleset="plain")
    with pytest.raises(HandError, match="row 0: 13 concealed tiles and 2 melds"):
        shanten(rows, ruleset="plain", melds=2)
    rows[3] = counts("123456789m1115z")
    assert shanten(rows, ruleset="plain")[3] == 0
    with pytest.raises(HandError, match="row 3: 1z is a bonus tile of yancheng"):
        shanten(rows, ruleset="yancheng")
    with pytest.raises(HandError, match=r"^1z is a bonus tile of yancheng"):
        shanten(rows[3], ruleset="yancheng")


def test_honours_where_the_game_has_none() -> None:
    for function in HAND_FUNCTIONS:
        with pytest.raises(HandError, match="5z is a bonus tile of yancheng"):
            function("123456789m5z [111p]", ruleset="yancheng")


def test_unknown_ruleset() -> None:
    for function in HAND_FUNCTIONS:
        with pytest.raises(RulesetError, match="unknown ruleset"):
            function("123456789m1112p", ruleset="atlantis")


def test_tables_are_frames() -> None:
    assert isinstance(waits("123456789m1112p", ruleset="plain"), pd.DataFrame)
