"""Tiles and hands in every notation that mjstats reads and writes.

A tile is a *kind*, an integer from 0 to 46 (`KIND_NAMES`): characters, dots, bamboo, winds, dragons
and the bonus kinds. Four notations are read, also mixed in one text, and written with ``style=``:

=========  ======================================================================
style      example
=========  ======================================================================
mpsz       ``123m 55z spring`` - z: East South West North red green white
unicode    the mahjong tiles of the Unicode block U+1F000
chinese    ``一萬 東 紅中 春``, traditional or simplified
botzone    ``W1 B9 T3 F1 J1`` - W characters, B dots, T bamboo, F winds, J dragons
=========  ======================================================================

Melds follow the concealed tiles: ``[123m]`` chow, ``[555p]`` pong, ``[5555p]`` exposed kong,
``{5555p}`` concealed kong, and the special kongs of Changchun ``[1234z]`` ``[567z]`` ``[1m1p1s]``
``[9m9p9s]``, their supplements appended. Positions in error messages count from 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from mjstats.errors import TileError, quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

N_KINDS: Final = 34
WHITE: Final = 33
"""Number of playing kinds; bonus kinds follow."""

_BONUS_NAMES: Final = (
    *("spring", "summer", "autumn", "winter"),
    *("plum", "orchid", "bamboo", "chrysanthemum"),
    *("rat", "god_of_wealth", "cat", "treasure_bowl", "baida"),
)

KIND_NAMES: Final[tuple[str, ...]] = (
    *(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)),
    *(f"{rank}z" for rank in range(1, 8)),
    *_BONUS_NAMES,
)
"""Name of every kind in the order of the kinds: ``1m`` … ``9s``, ``1z`` … ``7z``, ``spring`` …"""

N_ALL: Final = len(KIND_NAMES)
"""Number of kinds, bonus kinds included."""

MAX_COPIES: Final[tuple[int, ...]] = (4,) * N_KINDS + (1,) * 12 + (4,)
"""Copies of a kind that the fullest set of tiles holds; of the bonus kinds only baida has four."""

Style = Literal["mpsz", "unicode", "chinese", "botzone"]
"""A notation that can be written."""

MeldType = Literal[
    "chow",
    "pong",
    "kong_exposed",
    "kong_added",
    "kong_concealed",
    "xuan_feng",
    "xi",
    "yao",
    "jiu",
]
"""The kinds of meld; the last four are the special kongs of Changchun."""

MELD_TYPES: Final[tuple[MeldType, ...]] = get_args(MeldType)

_BOTZONE: Final[dict[str, range]] = {
    "W": range(0, 9),
    "B": range(9, 18),
    "T": range(18, 27),
    "F": range(27, 31),
    "J": range(31, 34),
}

_CHINESE: Final[tuple[str, ...]] = (
    *(rank + suit for suit in "萬筒條" for rank in "一二三四五六七八九"),
    *("東", "南", "西", "北", "中", "發", "白"),
    *("春", "夏", "秋", "冬", "梅", "蘭", "竹", "菊"),
    *("老鼠", "財神", "貓", "聚寶盆", "百搭"),
)

_UNICODE: Final[dict[str, int]] = {
    **{chr(0x1F000 + i): 27 + i for i in range(7)},
    **{chr(0x1F007 + i): i for i in range(9)},
    **{chr(0x1F010 + i): 18 + i for i in range(9)},
    **{chr(0x1F019 + i): 9 + i for i in range(9)},
    **{chr(0x1F022 + i): 38 + i for i in range(4)},
    **{chr(0x1F026 + i): 34 + i for i in range(4)},
    # The joker of the Unicode block is the tile that Suzhou calls baida.
    chr(0x1F02A): 46,
}

_VARIATION_SELECTORS: Final = "\ufe0e\ufe0f"


def _chinese_words() -> dict[str, int]:
    """Return every Chinese name that is read, with its kind."""
    words = {name: kind for kind, name in enumerate(_CHINESE)}
    variants = {"萬": "万", "筒": "餅饼", "條": "条索", "東": "东", "發": "发", "蘭": "兰"}
    variants |= {"貓": "猫"}
    for name, kind in list(words.items()):
        for other in variants.get(name[-1], ""):
            words[name[:-1] + other] = kind
    for wind in "東东南西北":
        words |= {f"{wind}風": words[wind], f"{wind}风": words[wind]}
    words |= {"紅中": 31, "红中": 31, "發財": 32, "发财": 32, "白板": 33}
    return words | {"鼠": 42, "财神": 43, "聚宝盆": 45}


# Longest first, so that 紅中 or 東風 is never read as a shorter name and a rest.
_WORDS: Final[tuple[tuple[str, int], ...]] = tuple(
    sorted(
        {**_chinese_words(), **_UNICODE}.items(),
        key=lambda item: -len(item[0]),
    )
)

_ALLOWED: Final = (
    "allowed are 1-9 with m p s, 1-7 with z, bonus tiles by name, Unicode tiles, "
    "Chinese names, Botzone W B T F J"
)


@dataclass(frozen=True, slots=True)
class Meld:
    """An exposed or concealed set that has left the hand.

    Parameters
    ----------
    type : str
        One of `MELD_TYPES`.
    tiles : tuple of int
        Kinds; a run ascending, a special kong with its supplements appended.
    """

    type: MeldType
    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandTiles:
    """The tiles of one hand.

    Parameters
    ----------
    concealed : tuple of int
        Kinds of the concealed tiles in the order given, bonus tiles included.
    melds : tuple of Meld
        Melds in the order given.
    """

    concealed: tuple[int, ...]
    melds: tuple[Meld, ...] = ()

    @property
    def counts(self) -> "NDArray[np.uint8]":
        """Copies of each playing kind among the concealed tiles, shape (34,)."""
        import numpy as np

        playing = [kind for kind in self.concealed if kind < N_KINDS]
        return np.bincount(playing, minlength=N_KINDS).astype(np.uint8)

    @property
    def bonus(self) -> tuple[int, ...]:
        """Bonus kinds among the concealed tiles, in the order given."""
        return tuple(kind for kind in self.concealed if kind >= N_KINDS)


class _Reader:
    """Reads tiles from a text, left to right, and knows where it stands."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TileError(f"tiles are given as a string, not as {type(text).__name__}")
        self.text = text
        self.at = 0

    def fail(self, what: str, at: int) -> TileError:
        """Return the error for the character at an index."""
        return TileError(f"{what} at position {at + 1} of {quoted(self.text)}; {_ALLOWED}")

    def skip_spaces(self) -> None:
        """Move to the next character that is no space."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1

    def peek(self) -> str:
        """Return the next character, or an empty string at the end."""
        return self.text[self.at : self.at + 1]

    def read_group(self) -> list[int]:
        """Read one token: digits with a suit letter, or one tile of another notation."""
        start, char = self.at, self.peek()
        if char.isascii() and char.isdigit():
            return self._read_ranks()
        if char.isascii() and char.islower():
            return [self._read_bonus_name()]
        if char in _BOTZONE:
            rank = self.text[start + 1 : start + 2]
            kinds = _BOTZONE[char]
            if rank.isascii() and rank.isdigit() and 1 <= int(rank) <= len(kinds):
                self.at += 2
                return [kinds[int(rank) - 1]]
            raise self.fail(f"no tile {char + rank!r} (Botzone {char}1-{char}{len(kinds)})", start)
        for word, kind in _WORDS:
            if self.text.startswith(word, start):
                self.at += len(word)
                if word in _UNICODE and self.peek() and self.peek() in _VARIATION_SELECTORS:
                    self.at += 1
                return [kind]
        raise self.fail(f"unknown character {char!r}", start)

    def _read_ranks(self) -> list[int]:
        """Read digits and the suit letter that they share."""
        start = self.at
        while self.peek().isascii() and self.peek().isdigit():
            self.at += 1
        suit = self.peek()
        digits = self.text[start : self.at]
        if not suit or suit.isspace() or suit in "[]{}":
            raise self.fail(f"no suit letter after {quoted(digits)}", self.at - 1)
        if suit not in "mpsz":
            raise self.fail(f"unknown suit letter {suit!r}", self.at)
        self.at += 1
        kinds = []
        for offset, digit in enumerate(digits):
            if not 1 <= int(digit) <= (7 if suit == "z" else 9):
                raise self.fail(f"no tile {digit + suit!r}: character {digit!r}", start + offset)
            kinds.append(9 * "mpsz".index(suit) + int(digit) - 1)
        return kinds

    def _read_bonus_name(self) -> int:
        """Read a word of small letters, which must name a bonus kind."""
        start = self.at
        while (char := self.peek()) == "_" or (char.isascii() and char.islower()):
            self.at += 1
        word = self.text[start : self.at]
        if word not in _BONUS_NAMES:
            raise self.fail(f"no tile {quoted(word)}: character {word[0]!r}", start)
        return KIND_NAMES.index(word)

    def read_until(self, stops: str) -> list[int]:
        """Read tiles up to one of the stop characters or the end."""
        kinds: list[int] = []
        self.skip_spaces()
        while (char := self.peek()) and char not in stops:
            kinds += self.read_group()
            self.skip_spaces()
        return kinds


def parse_tile(text: str) -> int:
    """Read exactly one tile.

    Parameters
    ----------
    text : str
        A tile in any notation.

    Returns
    -------
    int
        Its kind, 0-46.

    Raises
    ------
    TileError
        If the text is not exactly one tile.

    Examples
    --------
    >>> parse_tile("5p"), parse_tile("紅中"), parse_tile("J1"), parse_tile("spring")
    (13, 31, 31, 34)
    """
    kinds = parse_tiles(text)
    if len(kinds) != 1:
        raise TileError(f"{quoted(text)} holds {len(kinds)} tiles, exactly one is allowed")
    return kinds[0]


def parse_tiles(text: str) -> tuple[int, ...]:
    """Read tiles without melds, in the order given.

    Parameters
    ----------
    text : str
        Tiles in any notation, spaces between them allowed.

    Returns
    -------
    tuple of int
        Their kinds.

    Raises
    ------
    TileError
        If something else than tiles stands in the text (naming position and character), or if
        there are more copies of a kind than a set of tiles holds.

    Examples
    --------
    >>> parse_tiles("19m 東 W2")
    (0, 8, 27, 1)
    """
    reader = _Reader(text)
    kinds = reader.read_until("")
    _check_copies(kinds)
    return tuple(kinds)


def parse_hand(text: str) -> HandTiles:
    """Read a hand: concealed tiles, then melds.

    Parameters
    ----------
    text : str
        Tiles in any notation; melds in brackets after the concealed tiles (see the module).

    Returns
    -------
    HandTiles
        The hand; its size is not judged here.

    Raises
    ------
    TileError
        If something else than tiles and melds stands in the text (naming position and character),
        or if there are more copies of a kind than a set of tiles holds.

    Examples
    --------
    >>> hand = parse_hand("11m [345p] {7777s}")
    >>> hand.concealed, [meld.type for meld in hand.melds]
    ((0, 0), ['chow', 'kong_concealed'])
    """
    reader = _Reader(text)
    concealed = reader.read_until("[]{}")
    melds: list[Meld] = []
    while opening := reader.peek():
        start = reader.at
        if opening not in "[{":
            if melds and opening not in "]}":
                raise reader.fail(f"concealed tile after a meld: character {opening!r}", start)
            raise reader.fail(f"nothing opened before {opening!r}", start)
        closing = "]" if opening == "[" else "}"
        reader.at += 1
        kinds = reader.read_until("[]{}")
        if reader.peek() != closing:
            raise reader.fail(f"no closing {closing!r} for {opening!r}", start)
        reader.at += 1
        reader.skip_spaces()
        meld_type = "kong_concealed" if opening == "{" else _bracket_type(kinds)
        if meld_type is None or not _is_meld(meld_type, kinds):
            raise TileError(
                f"no meld {text[start : reader.at].strip()!r} at position {start + 1} of {text!r}; "
                "allowed are [123m] [555p] [5555p] {5555p} [1234z] [567z] [1m1p1s] [9m9p9s]"
            )
        melds.append(_as_meld(meld_type, kinds))
    _check_copies([*concealed, *(kind for meld in melds for kind in meld.tiles)])
    return HandTiles(tuple(concealed), tuple(melds))


def as_played(kind: int, wild: int | None) -> int:
    """Return the kind as which a tile is played where the face ``wild`` is wild, and back.

    Whites stand for that face, and the wild tiles take the place of the whites (Yiwu, YW-52).

    Parameters
    ----------
    kind : int
        Kind, 0-33.
    wild : int or None
        Face of the wild tiles.

    Returns
    -------
    int
        The kind; `WHITE` is a wild tile.

    Examples
    --------
    >>> as_played(33, 4), as_played(4, 4), as_played(5, 4), as_played(33, None)
    (4, 33, 5, 33)
    """
    if wild is not None and kind in {wild, WHITE}:
        return kind ^ wild ^ WHITE
    return kind


def make_meld(meld_type: str, *, tiles: str, wild: int | None = None) -> Meld:
    """Build a meld from its type and its tiles, as worked cases name them.

    Parameters
    ----------
    meld_type : str
        One of `MELD_TYPES`.
    tiles : str
        Tiles in any notation.
    wild : int, optional
        Face of the wild tiles: whites, and a wild tile that was claimed for its face, count as it.

    Returns
    -------
    Meld
        The meld.

    Raises
    ------
    TileError
        If the type is unknown or the tiles do not make such a meld.

    Examples
    --------
    >>> make_meld("kong_added", tiles="5555p").tiles
    (13, 13, 13, 13)
    """
    known = next((name for name in MELD_TYPES if name == meld_type), None)
    if known is None:
        raise TileError(
            f"unknown meld type {quoted(meld_type)}; allowed are {', '.join(MELD_TYPES)}"
        )
    kinds = parse_tiles(tiles)
    played = [wild if wild is not None and kind == WHITE else kind for kind in kinds]
    if not _is_meld(known, played):
        raise TileError(f"tiles {quoted(tiles)} do not make a {meld_type}")
    return _as_meld(known, kinds)


def tile_name(kind: int, *, style: Style = "mpsz") -> str:
    """Write one tile.

    Parameters
    ----------
    kind : int
        Kind, 0-46.
    style : {"mpsz", "unicode", "chinese", "botzone"}
        Notation. Kinds that Unicode or Botzone do not have are written by their English name.

    Returns
    -------
    str
        The tile; every reader of this module reads it back.

    Raises
    ------
    TileError
        If there is no such kind or style.

    Examples
    --------
    >>> tile_name(31), tile_name(31, style="chinese"), tile_name(31, style="botzone")
    ('5z', '中', 'J1')
    """
    if not 0 <= kind < N_ALL:
        raise TileError(f"no tile kind {kind}; allowed are 0-{N_ALL - 1}")
    if style == "mpsz":
        return KIND_NAMES[kind]
    if style == "chinese":
        return _CHINESE[kind]
    if style == "unicode":
        return next((char for char, at in _UNICODE.items() if at == kind), KIND_NAMES[kind])
    if style == "botzone":
        for letter, kinds in _BOTZONE.items():
            if kind in kinds:
                return f"{letter}{kinds.index(kind) + 1}"
        return KIND_NAMES[kind]
    raise TileError(f"unknown style {style!r}; allowed are {', '.join(get_args(Style))}")


def format_tiles(kinds: Iterable[int], *, style: Style = "mpsz") -> str:
    """Write tiles in the order given.

    Parameters
    ----------
    kinds : iterable of int
        Kinds, 0-46.
    style : {"mpsz", "unicode", "chinese", "botzone"}
        Notation.

    Returns
    -------
    str
        The tiles; in ``mpsz`` neighbours of one suit share the suit letter.

    Examples
    --------
    >>> format_tiles([0, 1, 2, 27, 27, 34])
    '123m11z spring'
    """
    names = [tile_name(kind, style=style) for kind in kinds]
    if style != "mpsz":
        return " ".join(names)
    text = ""
    for name in names:
        if name in _BONUS_NAMES:
            text += f" {name} "
        elif text.endswith(name[1]):
            text = text[:-1] + name
        else:
            text += name
    return " ".join(text.split())


def format_hand(hand: HandTiles, *, style: Style = "mpsz") -> str:
    """Write a hand so that `parse_hand` reads it back.

    An added kong is written as an exposed one: the notation has one form for both.

    Parameters
    ----------
    hand : HandTiles
        The hand.
    style : {"mpsz", "unicode", "chinese", "botzone"}
        Notation of the tiles.

    Returns
    -------
    str
        Concealed tiles and melds, separated by spaces.

    Examples
    --------
    >>> format_hand(parse_hand("W1 W1 [B3 B4 B5]"))
    '11m [345p]'
    """
    parts = [format_tiles(hand.concealed, style=style)] if hand.concealed else []
    for meld in hand.melds:
        inside = format_tiles(meld.tiles, style=style)
        parts.append(f"{{{inside}}}" if meld.type == "kong_concealed" else f"[{inside}]")
    return " ".join(parts)


#: Kind that may stand for any tile of a special kong where a ruleset says so.
BAMBOO_ONE: Final = 18

# The class of tiles of each special kong; the first three differ, supplements repeat them.
#: Kinds of each of Changchun's special kongs.
SPECIAL_KONGS: Final[dict[MeldType, tuple[int, ...]]] = {
    "xuan_feng": (27, 28, 29, 30),
    "xi": (31, 32, 33),
    "yao": (0, 9, 18),
    "jiu": (8, 17, 26),
}


def _is_meld(meld_type: MeldType, kinds: Sequence[int]) -> bool:
    """Tell whether the tiles make a meld of the type."""
    if meld_type in SPECIAL_KONGS:
        # Whether 1s may stand for another tile is for the ruleset to judge, not for the notation.
        own = SPECIAL_KONGS[meld_type]
        first = [kind for kind in kinds[:3] if kind != BAMBOO_ONE]
        return (
            len(kinds) >= 3
            and len(set(kinds[:3])) > 1
            and len(set(first)) == len(first)
            and all(kind in own or kind == BAMBOO_ONE for kind in kinds)
        )
    if meld_type == "chow":
        low = min(kinds, default=N_KINDS)
        return low < 27 and low % 9 <= 6 and sorted(kinds) == [low, low + 1, low + 2]
    size = 3 if meld_type == "pong" else 4
    return len(kinds) == size and len(set(kinds)) == 1 and kinds[0] < N_KINDS


def _bracket_type(kinds: Sequence[int]) -> MeldType | None:
    """Return the type of a meld in square brackets."""
    order: tuple[MeldType, ...] = ("chow", "pong", "kong_exposed", *SPECIAL_KONGS)
    return next((name for name in order if _is_meld(name, kinds)), None)


def _as_meld(meld_type: MeldType, kinds: Sequence[int]) -> Meld:
    """Build the meld with its tiles in the order that the type asks for."""
    return Meld(meld_type, tuple(sorted(kinds) if meld_type == "chow" else kinds))


def _check_copies(kinds: Sequence[int]) -> None:
    """Raise if a kind occurs more often than a set of tiles holds it."""
    for kind in sorted(set(kinds)):
        copies = kinds.count(kind)
        if copies > MAX_COPIES[kind]:
            raise TileError(f"{copies} copies of {KIND_NAMES[kind]} (max {MAX_COPIES[kind]})")
