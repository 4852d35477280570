"""Every notation, both ways, and every way of getting it wrong."""

import doctest
import pickle
from collections import Counter
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjstats import tiles
from mjstats.errors import MjstatsError, NotAWin, TileError
from mjstats.tiles import (
    KIND_NAMES,
    MAX_COPIES,
    N_ALL,
    HandTiles,
    Meld,
    Style,
    format_hand,
    format_tiles,
    make_meld,
    parse_hand,
    parse_tile,
    parse_tiles,
    tile_name,
)

STYLES = get_args(Style)

kinds = st.integers(0, N_ALL - 1)


def limited(numbers: list[int]) -> list[int]:
    """Drop copies beyond what a set of tiles holds."""
    seen: Counter[int] = Counter()
    kept = []
    for kind in numbers:
        if seen[kind] < MAX_COPIES[kind]:
            seen[kind] += 1
            kept.append(kind)
    return kept


many_kinds = st.lists(kinds, max_size=40).map(limited)

chows = st.integers(0, 20).map(
    lambda i: Meld("chow", (low := 9 * (i // 7) + i % 7, low + 1, low + 2))
)
equal_sets = st.builds(
    lambda shape, kind: Meld(shape[0], (kind,) * shape[1]),
    st.sampled_from([("pong", 3), ("kong_exposed", 4), ("kong_concealed", 4)]),
    st.integers(0, 33),
)
special_kongs = st.sampled_from(
    [
        Meld("xuan_feng", (27, 28, 29, 30)),
        Meld("xuan_feng", (27, 28, 29, 30, 29, 27)),
        Meld("xi", (31, 32, 33)),
        Meld("xi", (31, 32, 33, 31)),
        Meld("yao", (0, 9, 18)),
        Meld("yao", (0, 9, 18, 18, 0)),
        Meld("jiu", (8, 17, 26)),
        Meld("jiu", (8, 17, 26, 8)),
    ]
)


@st.composite
def hands(draw: st.DrawFn) -> HandTiles:
    melds: list[Meld] = []
    counts: Counter[int] = Counter()
    for meld in draw(st.lists(st.one_of(chows, equal_sets, special_kongs), max_size=4)):
        after = counts + Counter(meld.tiles)
        if all(number <= 4 for number in after.values()):
            melds.append(meld)
            counts = after
    melded = [kind for meld in melds for kind in meld.tiles]
    concealed = limited([*melded, *draw(st.lists(kinds, max_size=14))])[len(melded) :]
    return HandTiles(tuple(concealed), tuple(melds))


def test_kind_order_is_the_one_of_the_core() -> None:
    assert N_ALL == 47
    assert KIND_NAMES[0] == "1m"
    assert KIND_NAMES[9] == "1p"
    assert KIND_NAMES[18] == "1s"
    assert KIND_NAMES[27:34] == ("1z", "2z", "3z", "4z", "5z", "6z", "7z")
    assert KIND_NAMES[34:42] == (
        *("spring", "summer", "autumn", "winter"),
        *("plum", "orchid", "bamboo", "chrysanthemum"),
    )
    assert KIND_NAMES[42:] == ("rat", "god_of_wealth", "cat", "treasure_bowl", "baida")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", range(N_ALL))
def test_each_tile_reads_back(kind: int, style: Style) -> None:
    assert parse_tile(tile_name(kind, style=style)) == kind


@pytest.mark.parametrize("style", STYLES)
@given(numbers=many_kinds)
def test_tiles_round_trip(numbers: list[int], style: Style) -> None:
    assert parse_tiles(format_tiles(numbers, style=style)) == tuple(numbers)


@pytest.mark.parametrize("style", STYLES)
@given(hand=hands())
def test_hands_round_trip(hand: HandTiles, style: Style) -> None:
    assert parse_hand(format_hand(hand, style=style)) == hand


@given(numbers=many_kinds, data=st.data())
def test_notations_may_be_mixed(numbers: list[int], data: st.DataObject) -> None:
    words = [tile_name(kind, style=data.draw(st.sampled_from(STYLES))) for kind in numbers]
    assert parse_tiles(" ".join(words)) == tuple(numbers)


@given(
    text=st.text(alphabet="123789mpsz[]{} WBTFJ一萬東中發白財神springbaid_🀀🀄\ufe0fh0", max_size=12)
)
def test_any_text_is_read_or_refused_with_a_tile_error(text: str) -> None:
    try:
        hand = parse_hand(text)
    except TileError:
        return
    assert parse_hand(format_hand(hand)) == hand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("123m456p789s11z", "1m 2m 3m 4p 5p 6p 7s 8s 9s 1z 1z"),
        ("1m 2m\t3m", "1m 2m 3m"),
        ("123mspring plum", "1m 2m 3m spring plum"),
        ("W1W9 B1B9 T1T9", "1m 9m 1p 9p 1s 9s"),
        ("F1F2F3F4 J1J2J3", "1z 2z 3z 4z 5z 6z 7z"),
        ("一萬二万三筒四餅五饼六條七条八索", "1m 2m 3p 4p 5p 6s 7s 8s"),
        ("東东南西北中發发白", "1z 1z 2z 3z 4z 5z 6z 6z 7z"),
        ("東風南风紅中红中發財发财白板", "1z 2z 5z 5z 6z 6z 7z"),
        ("春夏秋冬梅蘭竹菊", "spring summer autumn winter plum orchid bamboo chrysanthemum"),
        ("兰", "orchid"),
        ("老鼠財神貓聚寶盆百搭", "rat god_of_wealth cat treasure_bowl baida"),
        ("鼠财神猫聚宝盆", "rat god_of_wealth cat treasure_bowl"),
        ("🀀🀁🀂🀃🀄🀅🀆", "1z 2z 3z 4z 5z 6z 7z"),
        ("🀇🀏🀐🀘🀙🀡", "1m 9m 1s 9s 1p 9p"),
        ("🀦🀧🀨🀩🀢🀣🀤🀥", "spring summer autumn winter plum orchid bamboo chrysanthemum"),
        ("🀄\ufe0f🀄\ufe0e", "5z 5z"),
        ("", ""),
    ],
)
def test_readings(text: str, names: str) -> None:
    assert [KIND_NAMES[kind] for kind in parse_tiles(text)] == names.split()


def test_unicode_names_agree_with_the_standard() -> None:
    import unicodedata

    numbers = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
    expected = [f"{n} OF {s}" for s in ("CHARACTERS", "CIRCLES", "BAMBOOS") for n in numbers]
    expected += ["EAST WIND", "SOUTH WIND", "WEST WIND", "NORTH WIND"]
    expected += ["RED DRAGON", "GREEN DRAGON", "WHITE DRAGON"]
    expected += ["SPRING", "SUMMER", "AUTUMN", "WINTER"]
    expected += ["PLUM", "ORCHID", "BAMBOO", "CHRYSANTHEMUM"]
    for kind, name in enumerate(expected):
        char = tile_name(kind, style="unicode")
        assert unicodedata.name(char) == f"MAHJONG TILE {name}"


@pytest.mark.parametrize(
    ("text", "meld_type", "names"),
    [
        ("[123m]", "chow", "1m 2m 3m"),
        ("[312m]", "chow", "1m 2m 3m"),
        ("[一萬二萬三萬]", "chow", "1m 2m 3m"),
        ("[555p]", "pong", "5p 5p 5p"),
        ("[777z]", "pong", "7z 7z 7z"),
        ("[5555p]", "kong_exposed", "5p 5p 5p 5p"),
        ("{5555p}", "kong_concealed", "5p 5p 5p 5p"),
        ("[1234z]", "xuan_feng", "1z 2z 3z 4z"),
        ("[1234z33z]", "xuan_feng", "1z 2z 3z 4z 3z 3z"),
        ("[124z]", "xuan_feng", "1z 2z 4z"),
        ("[567z]", "xi", "5z 6z 7z"),
        ("[567z5z]", "xi", "5z 6z 7z 5z"),
        ("[1m1p1s]", "yao", "1m 1p 1s"),
        ("[1m1p1s1s1m]", "yao", "1m 1p 1s 1s 1m"),
        ("[9m9p9s]", "jiu", "9m 9p 9s"),
        ("[9m9p9s9p]", "jiu", "9m 9p 9s 9p"),
        ("[9m1s9s]", "jiu", "9m 1s 9s"),
    ],
)
def test_melds(text: str, meld_type: str, names: str) -> None:
    (meld,) = parse_hand(f"55m {text}").melds
    assert meld.type == meld_type
    assert [KIND_NAMES[kind] for kind in meld.tiles] == names.split()


@pytest.mark.parametrize(
    "meld",
    [
        *("[12m]", "[124m]", "[891m]", "[12z3m]", "[89m1p]", "[1m1p1p]", "[]", "{}"),
        *("[567z1z]", "[557z]", "[12345z]", "[spring plum orchid]"),
        *("{555p}", "{123m}", "{5556p}"),
    ],
)
def test_no_melds(meld: str) -> None:
    with pytest.raises(TileError, match=r"no meld .* at position 5 of "):
        parse_hand(f"55m {meld}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12x", "unknown suit letter 'x' at position 3"),
        ("12萬", "unknown suit letter '萬' at position 3"),
        ("12", "no suit letter after '12' at position 2"),
        ("12 m", "no suit letter after '12' at position 2"),
        ("120m", "no tile '0m': character '0' at position 3"),
        ("11m8z", "no tile '8z': character '8' at position 4"),
        ("11m m", "no tile 'm': character 'm' at position 5"),
        ("11m Spring", "unknown character 'S' at position 5"),
        ("sprung", "no tile 'sprung': character 's' at position 1"),
        ("W0", "no tile 'W0' .Botzone W1-W9. at position 1"),
        ("F5", "no tile 'F5' .Botzone F1-F4. at position 1"),
        ("J4", "no tile 'J4' .Botzone J1-J3. at position 1"),
        ("11m J", "no tile 'J' .Botzone J1-J3. at position 5"),
        ("H1", "unknown character 'H' at position 1"),
        ("一", "unknown character '一' at position 1"),
        ("1m🀫", "unknown character '🀫' at position 3"),
        ("1m\ufe0f", "unknown character '\ufe0f' at position 3"),
        ("\uff11m", "unknown character '\uff11' at position 1"),
        ("²m", "unknown character '²' at position 1"),
        ("1m,2m", "unknown character ',' at position 3"),
        ("55m [123m", r"no closing '\]' for '\[' at position 5"),
        ("55m [123m}", r"no closing '\]' for '\[' at position 5"),
        ("55m {1111m]", "no closing '}' for '{' at position 5"),
        ("55m [[123m]", r"no closing '\]' for '\[' at position 5"),
        ("55m 123m]", r"nothing opened before '\]' at position 9"),
        ("[123m] 55m", "concealed tile after a meld: character '5' at position 8"),
    ],
)
def test_errors_name_position_and_character(text: str, message: str) -> None:
    with pytest.raises(TileError, match=message):
        parse_hand(text)


def test_a35_unknown_suit_letter_is_refused_where_it_stands() -> None:
    with pytest.raises(TileError, match="unknown suit letter 'h' at position 17"):
        parse_hand("678s678p55m [777h]")
    with pytest.raises(TileError, match="unknown suit letter 'h' at position 4 of '777h'"):
        make_meld("pong", tiles="777h")


def test_a36_five_copies_have_one_error() -> None:
    with pytest.raises(TileError, match=r"^5 copies of 2m \(max 4\)$"):
        parse_hand("22222448m123p678s")
    with pytest.raises(TileError, match=r"^5 copies of 2m \(max 4\)$"):
        parse_hand("22m [222m]")
    with pytest.raises(TileError, match=r"^5 copies of 2m \(max 4\)$"):
        parse_tiles("2m W2 二萬 🀈 2m")
    with pytest.raises(TileError, match=r"^2 copies of spring \(max 1\)$"):
        parse_tiles("spring 春")


def test_single_tiles() -> None:
    with pytest.raises(TileError, match="'12m' holds 2 tiles, exactly one is allowed"):
        parse_tile("12m")
    with pytest.raises(TileError, match="'' holds 0 tiles, exactly one is allowed"):
        parse_tile("")
    with pytest.raises(TileError, match="given as a string, not as int"):
        parse_tile(cast("Any", 5))


@pytest.mark.parametrize("kind", [-1, N_ALL])
def test_no_such_kind(kind: int) -> None:
    with pytest.raises(TileError, match=f"no tile kind {kind}; allowed are 0-46"):
        tile_name(kind)


def test_no_such_style() -> None:
    with pytest.raises(TileError, match="unknown style 'roman'; allowed are mpsz, unicode"):
        tile_name(0, style=cast("Any", "roman"))


def test_make_meld_says_what_is_wrong() -> None:
    assert make_meld("kong_added", tiles="5555p") == Meld("kong_added", (13,) * 4)
    with pytest.raises(TileError, match="unknown meld type 'pung'; allowed are chow, pong"):
        make_meld("pung", tiles="555p")
    with pytest.raises(TileError, match="tiles '55p' do not make a pong"):
        make_meld("pong", tiles="55p")


def test_an_added_kong_is_written_as_an_exposed_one() -> None:
    hand = HandTiles((0, 0), (make_meld("kong_added", tiles="5555p"),))
    assert format_hand(hand) == "11m [5555p]"


def test_counts_leave_bonus_tiles_apart() -> None:
    hand = parse_hand("115m spring [777z]")
    assert hand.counts.dtype == "uint8"
    assert hand.counts.shape == (34,)
    assert hand.counts.sum() == 3
    assert hand.counts[0] == 2
    assert hand.counts[4] == 1
    assert hand.bonus == (34,)


def test_examples_in_the_documentation() -> None:
    assert doctest.testmod(tiles).failed == 0
    assert doctest.testmod(tiles).attempted > 0


def test_not_a_win_keeps_its_reason_across_processes() -> None:
    error = pickle.loads(pickle.dumps(NotAWin("not_declared")))
    assert error.reason == "not_declared"
    assert str(error) == "not a win: not_declared"
    assert isinstance(error, MjstatsError)
    assert isinstance(error, ValueError)
