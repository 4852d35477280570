"""Shanten, waits, acceptance and readings of hands under a ruleset.

A hand is a string (`mjstats.tiles`), a parsed `HandTiles`, or counts: ``uint8`` of shape (34,), or
(n, 34) for many hands at once. It has 13 tiles, or 14 in turn, a meld counting as three. Melds
stand in the string; ``melds=`` counts those whose tiles are not told. The ruleset decides which
shapes win, and so what shanten means: the least number of tiles still to be exchanged before the
hand is ready, over these shapes; 0 is ready, -1 complete. It is capped: the hand aimed at holds at
most four copies of a kind, concealed and melded together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mjstats import _core
from mjstats.errors import ArgumentError, HandError, TileError, quoted
from mjstats.rulesets import ruleset as resolve_ruleset
from mjstats.tiles import (
    KIND_NAMES,
    N_KINDS,
    HandTiles,
    Meld,
    format_hand,
    format_tiles,
    parse_hand,
)

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd
    from numpy.typing import NDArray

    from mjstats.rulesets import Ruleset

    HandLike = str | HandTiles | NDArray[np.uint8]
    RulesetLike = str | PathLike[str] | Ruleset

# Roles as the core tells them -> class of a wait that plays only this one.
_CLASS_OF_ROLE: Final = {1: "closed", 2: "edge", 4: "pair", 8: "two_sided", 16: "two_pair"}

# Shapes as the core numbers them.
_SHAPE_NAMES: Final = {
    1: "standard",
    2: "seven_pairs_distinct",
    4: "seven_pairs_quads",
    8: "unconnected",
    16: "unconnected",
}

_CHOW: Final = 0


def shanten(
    hand: "HandLike | Sequence[HandLike]", *, ruleset: "RulesetLike", melds: int = 0
) -> "int | NDArray[np.int8]":
    """Return the shanten of one hand or of many.

    Parameters
    ----------
    hand : str, HandTiles, ndarray, or a sequence of strings or HandTiles
        A hand; or ``uint8`` counts of shape (n, 34), one hand a row; or a list of hands.
    ruleset : str, path or Ruleset
        Decides the shapes; the shanten is the least over them.
    melds : int, default 0
        Melds whose tiles are not told, 0 to 4, the same for every hand.

    Returns
    -------
    int or ndarray of int8, shape (n,)
        -1 complete, 0 ready (at least one live wait), else the tiles to be exchanged before.

    Raises
    ------
    TileError, HandError
        If a hand cannot be read, has the wrong size or tiles that the ruleset plays without.
    ArgumentError
        If the counts have another dtype or shape, or `melds` is out of range.
    RulesetError
        If there is no such ruleset.

    Examples
    --------
    >>> shanten("123456789m1111p", ruleset="plain")
    1
    >>> import numpy as np
    >>> rows = np.zeros((2, 34), np.uint8)
    >>> rows[0, :13] = 1
    >>> rows[1, ::3] = 1
    >>> rows[1, 0] = 2
    >>> shanten(rows, ruleset="plain")
    array([0, 7], dtype=int8)
    """
    rules = resolve_ruleset(ruleset)
    if isinstance(hand, np.ndarray):
        rows, single = _rows(hand)
        out = np.empty(len(rows), np.int8)
        melded = _check_melds(melds)
        bad = _core.shanten_rows(rows, melded, rules.tile_set, rules.shapes, out)
        if bad >= 0:
            _check_tiles(rows[bad].tolist(), rules, where="" if single else f"row {bad}: ")
            _check_size(int(rows[bad].sum()), melded, (13, 14), where=f"row {bad}: ")
        return int(out[0]) if single else out
    if isinstance(hand, Sequence) and not isinstance(hand, str):
        found = [_read(one, rules, melds, (13, 14)).view.shanten() for one in hand]
        return np.array(found, np.int8)
    return _read(hand, rules, melds, (13, 14)).view.shanten()


def waits(hand: "HandLike", *, ruleset: "RulesetLike", melds: int = 0) -> "pd.DataFrame":
    """Return the waits of a hand between turns.

    Parameters
    ----------
    hand : str, HandTiles or ndarray
        A hand of 13 tiles, a meld counting as three; counts have shape (34,).
    ruleset : str, path or Ruleset
        Decides the shapes.
    melds : int, default 0
        Melds whose tiles are not told, 0 to 4.

    Returns
    -------
    pandas.DataFrame
        One row a formal wait, in the order of kinds; none if there is no wait. `tile`; `formal`
        (always True); `live`, 4 less the own copies, melds included (0: the hand is not ready by
        this wait alone); `class`, by the parts that the tile plays over all readings of the
        complete hand: ``closed`` (the middle of a run), ``edge`` (3 of 123, 7 of 789), ``pair``
        (also of seven pairs), ``two_sided`` (any other end of a run), ``two_pair`` (the third of a
        triplet), ``complex`` (more than one of these, or a tile of an unconnected hand).

    Raises
    ------
    TileError, HandError, ArgumentError, RulesetError
        As `shanten`; 14 tiles are a HandError here.

    Examples
    --------
    >>> waits("1234444678m456p", ruleset="plain")
      tile  formal  live    class
    0   1m    True     3     pair
    1   4m    True     0  complex
    """
    import pandas as pd

    rules = resolve_ruleset(ruleset)
    held = _read(hand, rules, melds, (13,))
    kinds = _kinds(held.view.formal_waits())
    return pd.DataFrame(
        {
            "tile": pd.Series([KIND_NAMES[kind] for kind in kinds], dtype=object),
            "formal": np.ones(len(kinds), bool),
            "live": np.array([4 - held.own[kind] for kind in kinds], np.int64),
            "class": pd.Series(
                [_CLASS_OF_ROLE.get(held.view.wait_roles(kind), "complex") for kind in kinds],
                dtype=object,
            ),
        }
    )


def acceptance(hand: "HandLike", *, ruleset: "RulesetLike", melds: int = 0) -> "pd.DataFrame":
    """Return the tiles that lower the shanten: of a hand between turns, or after each discard.

    Parameters
    ----------
    hand : str, HandTiles or ndarray
        A hand of 13 or 14 tiles, a meld counting as three; counts have shape (34,).
    ruleset : str, path or Ruleset
        Decides the shapes.
    melds : int, default 0
        Melds whose tiles are not told, 0 to 4.

    Returns
    -------
    pandas.DataFrame
        One row a discard, or a single row whose `discard` is None at 13 tiles. `shanten` is that
        after the discard, `tiles` the accepted tiles as a hand string, `live` the copies of them
        that are not own (4 - own, the discard counting as own). Best first: lowest shanten, most
        live, lowest kind.

    Raises
    ------
    TileError, HandError, ArgumentError, RulesetError
        As `shanten`.

    Examples
    --------
    >>> acceptance("123456789m1155p7s", ruleset="plain").head(2)
      discard  shanten          tiles  live
    0      7s        0            15p     4
    1      5p        1  134567p56789s    39
    """
    import pandas as pd

    held = _read(hand, resolve_ruleset(ruleset), melds, (13, 14))
    rows: list[tuple[str | None, int, str, int]]
    if held.in_turn:
        rows = [
            (KIND_NAMES[kind], after, format_tiles(_kinds(mask)), live)
            for kind, after, mask, live in sorted(
                held.view.discards(), key=lambda row: (row[1], -row[3], row[0])
            )
        ]
    else:
        accepted = _kinds(held.view.accepts())
        live = sum(4 - held.own[kind] for kind in accepted)
        rows = [(None, held.view.shanten(), format_tiles(accepted), live)]
    return pd.DataFrame(rows, columns=["discard", "shanten", "tiles", "live"])


def readings(hand: "HandLike", *, ruleset: "RulesetLike", melds: int = 0) -> "pd.DataFrame":
    """Return every way to read a complete hand.

    Parameters
    ----------
    hand : str, HandTiles or ndarray
        A hand of 14 tiles, a meld counting as three; counts have shape (34,).
    ruleset : str, path or Ruleset
        Decides the shapes.
    melds : int, default 0
        Melds whose tiles are not told, 0 to 4.

    Returns
    -------
    pandas.DataFrame
        One row a decomposition of the concealed tiles, none if the hand is not complete.
        `reading`, from 1; `shape`, ``standard``, ``seven_pairs_distinct``, ``seven_pairs_quads``
        (four alike are two of the pairs) or ``unconnected``; `sets`, the concealed sets and then
        the melds, or the seven pairs, or the tiles of the unconnected hand; `pair`, None where the
        shape has no pair of its own.

    Raises
    ------
    TileError, HandError, ArgumentError, RulesetError
        As `shanten`; 13 tiles are a HandError here.

    Examples
    --------
    >>> readings("111222333m44p [789s]", ruleset="plain")
       reading     shape                   sets pair
    0        1  standard  111m 222m 333m [789s]  44p
    1        2  standard  123m 123m 123m [789s]  44p
    """
    import pandas as pd

    held = _read(hand, resolve_ruleset(ruleset), melds, (14,))
    rows = []
    for number, (shape, pair, types, kinds) in enumerate(held.view.readings(), start=1):
        if types or held.melds:
            sets = [
                format_tiles([first, first + 1, first + 2] if type_ == _CHOW else [first] * 3)
                for type_, first in zip(types, kinds, strict=True)
            ]
            sets += [format_hand(HandTiles((), held.melds))] if held.melds else []
        else:
            copies = 2 if _SHAPE_NAMES[shape].startswith("seven_pairs") else 14
            tiles = [kind for kind in range(N_KINDS) for _ in range(held.own[kind])]
            sets = [format_tiles(tiles[at : at + copies]) for at in range(0, 14, copies)]
        two = None if pair == _core.NO_KIND else format_tiles([pair, pair])
        rows.append((number, _SHAPE_NAMES[shape], " ".join(sets), two))
    return pd.DataFrame(rows, columns=["reading", "shape", "sets", "pair"])


@dataclass(frozen=True, slots=True)
class _Held:
    """A hand that has been checked: `own` counts concealed and melded copies by kind."""

    view: "_core.HandView"
    own: list[int]
    melds: tuple[Meld, ...]
    in_turn: bool


def _read(hand: "HandLike", rules: "Ruleset", melds: int, sizes: tuple[int, ...]) -> _Held:
    """Read one hand and check its tiles and its size."""
    declared: tuple[Meld, ...] = ()
    if isinstance(hand, np.ndarray):
        rows, single = _rows(hand)
        if not single:
            raise ArgumentError(f"counts of shape {hand.shape}: one hand has shape (34,)")
        counts = rows[0]
    elif isinstance(hand, str | HandTiles):
        tiles = parse_hand(hand) if isinstance(hand, str) else hand
        if tiles.bonus:
            name = KIND_NAMES[tiles.bonus[0]]
            raise HandError(f"{name} is a bonus tile: it is set aside and no part of a hand")
        counts, declared = tiles.counts, tiles.melds
    else:
        raise ArgumentError(
            f"hand of type {type(hand).__name__}: allowed are a string, HandTiles and uint8 counts"
        )
    locked = np.zeros(N_KINDS, np.uint8)
    for meld in declared:
        np.add.at(locked, list(meld.tiles), 1)
    own = (counts + locked).tolist()
    _check_tiles(own, rules, where="")
    melded = _check_melds(melds) + len(declared)
    size = _check_size(int(counts.sum()), melded, sizes, where="")
    view = _core.HandView(counts, locked, melded, rules.tile_set, rules.shapes)
    return _Held(view, own, declared, in_turn=size == 14)


def _rows(counts: "NDArray[np.uint8]") -> "tuple[NDArray[np.uint8], bool]":
    """Return counts as rows, and whether they were one hand."""
    if counts.dtype != np.uint8 or counts.ndim not in (1, 2) or counts.shape[-1] != N_KINDS:
        raise ArgumentError(
            f"counts of dtype {counts.dtype} and shape {counts.shape}: "
            f"allowed are uint8 and shape ({N_KINDS},) or (n, {N_KINDS})"
        )
    return np.ascontiguousarray(np.atleast_2d(counts)), counts.ndim == 1


def _check_melds(melds: int) -> int:
    if isinstance(melds, bool) or not isinstance(melds, int | np.integer) or not 0 <= melds <= 4:
        raise ArgumentError(f"melds={quoted(melds)}: allowed are 0 to 4")
    return int(melds)


def _check_tiles(own: Sequence[int], rules: "Ruleset", *, where: str) -> None:
    """Check copies by kind, melds included."""
    for kind, copies in enumerate(own):
        if copies > 4:
            raise TileError(f"{where}{copies} copies of {KIND_NAMES[kind]} (max 4)")
        if copies and not rules.tile_counts[kind]:
            raise HandError(f"{where}{rules.id} is played without {KIND_NAMES[kind]}")
        if copies and kind in rules.bonus:
            raise HandError(
                f"{where}{KIND_NAMES[kind]} is a bonus tile of {rules.id}: "
                "it is set aside and no part of a hand"
            )


def _check_size(concealed: int, melds: int, sizes: tuple[int, ...], *, where: str) -> int:
    """Check the number of tiles; returns it, a meld counting as three."""
    size = concealed + 3 * melds
    if melds > 4 or size not in sizes:
        raise HandError(
            f"{where}{concealed} concealed tiles and {melds} melds; allowed are "
            f"{' or '.join(map(str, sizes))} tiles, a meld counting as three "
            "(melds= counts those whose tiles are not told)"
        )
    return size


def _kinds(mask: int) -> list[int]:
    """Kinds of a bit mask, ascending."""
    return [kind for kind in range(N_KINDS) if mask >> kind & 1]
