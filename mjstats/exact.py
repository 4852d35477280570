"""Exact probabilities of dealt hands, by counting instead of playing.

Every table is exact: ``count`` of ``total`` physical deals as Python integers, ``p`` their ratio,
``se`` 0. A dealt hand is what a seat holds when the bonus tiles are set aside and replaced: 13
playing tiles, the dealer 14.
"""

# Why a hand after replacement is a uniform subset of the playing tiles: the wall is a random
# permutation, and which tile is revealed next (dealt, or drawn as a replacement) depends only on
# what was revealed before. So the order in which the four seats reveal tiles does not matter: the
# probability that they reveal given sequences of kinds of tile, bonus or playing, depends on the
# numbers of each alone. Given which of the revealed tiles are bonus tiles, the playing tiles are a
# uniform sample, and a seat keeps exactly its first 13 (14) of them.

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from mjstats import _core
from mjstats import traits as of_hand
from mjstats.arguments import whole_number, words
from mjstats.completing import Columns, Completing, completing, completing_unconnected
from mjstats.counting import HAND, Classes, Sum, Tiles, Trait, Union, count_hands, suit_tables
from mjstats.errors import ArgumentError, quoted
from mjstats.rulesets import ruleset as resolve_ruleset
from mjstats.tiles import N_KINDS

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from mjstats.rulesets import Ruleset

Shape = Literal[
    "ruleset",
    "standard",
    "seven_pairs_distinct",
    "seven_pairs_quads",
    "unconnected",
    "unconnected_groups",
]
"""Winning shapes; ``ruleset``: the nearest of those that the ruleset plays; ``unconnected_groups``:
the unconnected hand whose suits are the ranks 147, 258 and 369 in some order."""

Waits = Literal["live", "formal", "legal"]
"""Live waits: of which the hand does not hold all four copies; formal waits: by shape alone; legal
waits: live ones that win at once by the rules of the game (see `waits`)."""

WaitKey = Literal["kinds", "live", "roles", "wait_class", "suits", "honours", "wilds"]
"""What the waits of a ready hand can be told apart by."""

ASK_MORE: Final = ("changchun", "yiwu")
"""Modules of the games that ask more of a dealt hand than its shape."""

FEATURES: Final[Mapping[str, str]] = {
    "standard": "four sets and a pair",
    "seven_pairs": "seven pairs",
    "seven_pairs_1_quad": "seven pairs, one kind four times",
    "seven_pairs_2_quads": "seven pairs, two kinds four times",
    "seven_pairs_3_quads": "seven pairs, three kinds four times",
    "unconnected": "the unconnected hand",
    "unconnected_groups": "the unconnected hand of the ranks 147, 258 and 369",
    "one_suit": "one suit and nothing else",
    "one_suit_honours": "one suit and honours",
    "two_suits": "exactly two suits, honours or not",
    "at_most_two_suits": "two suits, one or none, honours or not",
    "three_suits": "all three suits",
    "no_honours": "no honours",
    "no_terminals": "neither 1s, 9s nor honours",
    "only_terminals": "nothing but 1s, 9s and honours",
    "terminals": "at least one 1 or 9",
    "terminals_or_honours": "at least one 1, 9 or honour",
    "terminal_set": "a pair or triplet of 1s or 9s",
    "all_triplets": "four triplets and a pair",
    "three_triplets": "a reading with exactly three triplets",
    "no_triplets": "four runs and a pair",
    "some_triplet": "a reading with at least one triplet",
    "honour_triplet": "a triplet of winds or dragons",
    "dragon_pair": "four sets and a pair of dragons",
    "straight": "the runs 123, 456 and 789 of one suit",
    "quad": "some kind four times",
}
"""Every feature of complete hands, and what it means."""

WILD_FEATURES: Final[Mapping[str, str]] = {
    "standard": FEATURES["standard"],
    "seven_pairs": FEATURES["seven_pairs"],
    "unconnected": FEATURES["unconnected"],
    "unconnected_groups": FEATURES["unconnected_groups"],
    **{f"wilds_{held}": f"{held} wild tiles held" for held in range(5)},
}
"""Every feature of complete hands with wild tiles, and what it means."""

SPECIAL_KONGS: Final[Mapping[str, tuple[int, ...]]] = {
    "xuan_feng": (27, 28, 29, 30),
    "xi": (31, 32, 33),
    "yao": (0, 9, 18),
    "jiu": (8, 17, 26),
}
"""Special kongs, and the kinds of which each takes one tile."""

# Elements of the rulesets that ask for just such a feature. The same id may ask for another one in
# another game; then the module of the game stands before it.
_ELEMENT_FEATURES: Final[Mapping[str, str]] = {
    "qing_yi_se": "one_suit",
    "hun_yi_se": "one_suit_honours",
    "duan_men": "two_suits",
    "da_pie": "at_most_two_suits",
    "three_suits": "three_suits",
    "yancheng.yao_jiu": "terminal_set",
    "changchun.yao_jiu": "terminals_or_honours",
    "wind_triplet": "honour_triplet",
    "peng_peng_hu": "all_triplets",
    "da_dui_hu": "all_triplets",
    "dui_dui_hu": "all_triplets",
    "piao_hu": "all_triplets",
    "yi_tiao_long": "straight",
    "qi_dui": "seven_pairs",
}

_MOST_WILDS: Final = 4
_BESIDE_WILDS: Final = 14 - 1 - _MOST_WILDS, 14
"""First and end of the numbers of tiles dealt beside wild ones."""
_MOST_UNSEEN: Final = 1000

_STANDARD, _PAIRS_DISTINCT, _PAIRS_QUADS, _UNCONNECTED, _GROUPS = (1 << bit for bit in range(5))
_SHAPE_BITS: Final[Mapping[str, int]] = {
    "standard": _STANDARD,
    "seven_pairs_distinct": _PAIRS_DISTINCT,
    "seven_pairs_quads": _PAIRS_QUADS,
    "unconnected": _UNCONNECTED,
    "unconnected_groups": _GROUPS,
}


class ExpectedCell(NamedTuple):
    """An exact probability that a simulated table shows beside its own value.

    Parameters
    ----------
    table : {"deal", "hand", "dealer_hand"}
        What the rate is related to: a deal, a dealt hand of 13 tiles, the dealer's of 14.
    cell : str
        Name of the event, as in the column ``element`` of the frequencies.
    p : Fraction
        Probability.
    """

    table: str
    cell: str
    p: Fraction


def shanten(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    tiles: int = 13,
    shape: Shape | Sequence[Shape] = "ruleset",
    wilds: int | None = None,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Distribution of the shanten of a dealt hand.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game: its playing tiles and winning shapes.
    tiles : {13, 14}, default 13
        Tiles of the hand.
    shape : Shape or sequence of Shape, default "ruleset"
        Winning shapes: the least shanten over them; ``ruleset`` stands for those that the ruleset
        plays.
    wilds : int, optional
        Wild tiles among those of the hand, 0-4: count the hands that hold so many, the others
        dealt from the playing tiles. By default as dealt: none, if the ruleset has no wild tiles.
    fractions : bool, default False
        Add the column ``fraction``: the probability as a `fractions.Fraction`.

    Returns
    -------
    pandas.DataFrame
        One row a value: ``shanten`` (-1 is complete), ``count``, ``total``, ``p``, ``se``,
        ``exact``, ``one_in``.

    Raises
    ------
    ArgumentError
        If an argument is out of its range, or the tiles cannot make the shape.

    Examples
    --------
    >>> table = shanten("yancheng", tiles=14)
    >>> int(table.loc[table["shanten"] == -1, "count"].iloc[0]), table["total"].iloc[0]
    (7402104845520, 139737927523546800)
    """
    rules = resolve_ruleset(ruleset)
    found, total = _dealt(
        rules,
        whole_number("tiles", tiles, least=13, most=14),
        _shapes_of(rules, shape),
        wilds=wilds,
    )
    rows = sorted(found.items())
    return _table(
        {"shanten": [missing - 1 for missing, _ in rows]},
        [count for _, count in rows],
        total,
        fractions=fractions,
    )


def complete(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    shape: Shape | Sequence[Shape] = "ruleset",
    wilds: int | None = None,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Probability that 14 dealt tiles are a complete hand.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    shape : Shape or sequence of Shape, default "ruleset"
        Winning shapes, any of which will do; ``ruleset`` stands for those that the ruleset plays.
    wilds : int, optional
        Wild tiles among the 14, 0-4; by default as dealt (see `shanten`).
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row: ``shape``, ``count``, ``total``, ``p``, ``se``, ``exact``, ``one_in``.

    Raises
    ------
    ArgumentError
        If an argument is out of its range, or the tiles cannot make the shape.

    Examples
    --------
    >>> complete("plain", shape="standard")["count"].iloc[0]
    11353128141498
    """
    rules = resolve_ruleset(ruleset)
    found, total = _dealt(rules, 14, _shapes_of(rules, shape), wilds=wilds)
    return _table({"shape": [_joined(shape)]}, [found.get(0, 0)], total, fractions=fractions)


def ready(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    waits: Waits = "live",
    shape: Shape | Sequence[Shape] = "ruleset",
    wilds: int | None = None,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Probability that 13 dealt tiles are ready.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    waits : {"live", "formal", "legal"}, default "live"
        Ready with at least one live wait (the contract's meaning), by shape alone, or with at least
        one wait that wins by the rules (see `waits`).
    shape : Shape or sequence of Shape, default "ruleset"
        Winning shapes, any of which will do; ``ruleset`` stands for those that the ruleset plays.
    wilds : int, optional
        Wild tiles among the 13, 0-4; by default as dealt (see `shanten`).
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row: ``shape``, ``waits``, ``count``, ``total``, ``p``, ``se``, ``exact``, ``one_in``.

    Raises
    ------
    ArgumentError
        If an argument is out of its range, or the tiles cannot make the shape.

    Examples
    --------
    >>> live = ready("plain", shape="standard")["count"].iloc[0]
    >>> formal = ready("plain", shape="standard", waits="formal")["count"].iloc[0]
    >>> live, formal - live
    (32244742336860, 7203158052)
    """
    rules = resolve_ruleset(ruleset)
    formal = _checked("waits", waits, get_args(Waits)) == "formal"
    shapes = _shapes_of(rules, shape)
    found, total = _dealt(rules, 13, shapes, wilds=wilds, formal=formal)
    count = found.get(1, 0)
    if waits == "legal" and rules.module in ASK_MORE:
        if wilds is not None:
            raise ArgumentError("wilds and waits='legal': only hands as dealt are counted so")
        count = sum(_waiting(rules, shapes, waits).values())
    columns: dict[str, list[str]] = {"shape": [_joined(shape)], "waits": [waits]}
    return _table(columns, [count], total, fractions=fractions)


def waits(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    waits: Waits = "live",
    by: Sequence[WaitKey] = ("kinds",),
    shape: Shape | Sequence[Shape] = "ruleset",
    fractions: bool = False,
) -> "pd.DataFrame":
    """Distribution of the waits of a ready hand of 13 dealt tiles.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    waits : {"live", "formal", "legal"}, default "live"
        Which waits count, and make a hand ready. Legal ones are those live ones that win by the
        rules of a game that asks more of a dealt hand than its shape: in Changchun the suits, the
        1s and 9s and the triplet (all with the drawn tile, nothing shown), in Yiwu a wild head if
        three wild tiles or more are held. Elsewhere all live waits are.
    by : sequence of str, default ("kinds",)
        What to tell apart, one or more of:

        * ``kinds``: number of kinds waited for;
        * ``live``: number of live tiles, 4 - own copies of each kind;
        * ``roles``: of a single wait, the roles that it plays in the readings of the complete hand,
          as a text like ``T+K`` (empty for more waits): ``T`` half of the pair, ``K`` middle of a
          run, ``P`` the 3 of 123 or the 7 of 789, ``R`` any other end of a run, ``S`` third of a
          triplet, ``U`` any tile of an unconnected hand;
        * ``wait_class``: ``closed`` (K), ``edge`` (P), ``pair`` (T), of two waits ``two_sided``
          (each only R) and ``two_pair`` (each only S), else ``complex``;
        * ``suits``: number of suits in the 13 tiles;
        * ``honours``: whether there are honours among them;
        * ``wilds``: number of wild tiles among them.

        With wild tiles in play the wild kind is one more wait of every ready hand, a wild tile
        completing whatever another tile does; its live tiles are those that the hand does not hold.
        Roles and classes are then those of the other waits of hands that hold no wild tile (with
        one: no role, and ``complex``); ``suits`` and ``honours`` are refused, and so are formal
        waits. Of the legal waits of Changchun only ``kinds`` and ``live`` are told.
    shape : Shape or sequence of Shape, default "ruleset"
        Winning shapes, any of which will do; ``ruleset`` stands for those that the ruleset plays.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a cell: the columns of `by`, ``count``, ``total`` (ready hands), ``p``, ``se``,
        ``exact``, ``one_in``.

    Raises
    ------
    ArgumentError
        If an argument is unknown, or the tiles cannot make the shape.

    Examples
    --------
    >>> table = waits("plain", shape="standard")
    >>> table[["count", "total"]].iloc[0].tolist()
    [18408836277756, 32244742336860]
    """
    rules = resolve_ruleset(ruleset)
    names = list(dict.fromkeys(words("by", by)))
    for name in names:
        _checked("by", name, get_args(WaitKey))
    _checked("waits", waits, get_args(Waits))
    refused: tuple[str, ...] = ()
    if _wild_count(rules):
        refused = ("suits", "honours")
    elif waits == "legal" and rules.module == "changchun":
        refused = ("roles", "wait_class", "suits", "honours")
    for name in names:
        if name in refused:
            allowed = ", ".join(key for key in get_args(WaitKey) if key not in refused)
            raise ArgumentError(
                f"by = {name!r}: not counted of the {waits} waits of {rules.id}; allowed are "
                f"{allowed}"
            )
    found = _waiting(rules, _shapes_of(rules, shape), waits)
    cells: dict[tuple[Any, ...], int] = {}
    for ready_hand, count in found.items():
        key = tuple(getattr(ready_hand, name) for name in names)
        cells[key] = cells.get(key, 0) + count
    rows = sorted(cells.items())
    return _table(
        {name: [key[i] for key, _ in rows] for i, name in enumerate(names)},
        [count for _, count in rows],
        sum(cells.values()),
        fractions=fractions,
    )


def features(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    combined: bool = False,
    of: Literal["complete", "dealt"] = "complete",
    shape: Shape | Sequence[Shape] = "ruleset",
    fractions: bool = False,
) -> "pd.DataFrame":
    """Features of complete hands of 14 dealt tiles, alone and two together.

    A feature of the readings holds if at least one reading has it. Of a game with wild tiles the
    shapes are told, with wild tiles used for any other, and how many are held.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    combined : bool, default False
        Add the combinations of two features that occur.
    of : {"complete", "dealt"}, default "complete"
        What ``total`` counts: complete hands, or all hands of 14 tiles.
    shape : Shape or sequence of Shape, default "ruleset"
        Winning shapes of the hands, any of which will do; ``ruleset`` stands for those that the
        ruleset plays.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a ``feature`` and ``other`` feature (empty: alone), ``element`` (ids of the
        ruleset's elements that ask for just this, if there are such), ``count``, ``total``, ``p``,
        ``se``, ``exact``, ``one_in``. Features: see `FEATURES`, with wild tiles `WILD_FEATURES`.

    Raises
    ------
    ArgumentError
        If an argument is unknown, or the tiles cannot make the shape.

    Examples
    --------
    >>> table = features("plain", of="dealt").set_index("feature")
    >>> table.loc[["one_suit", "all_triplets"], "count"].tolist()
    [1321781052, 2137006080]
    """
    rules = resolve_ruleset(ruleset)
    every = _checked("of", of, ("complete", "dealt")) == "dealt"
    shapes = _shapes_of(rules, shape)
    wild_count = _wild_count(rules)
    if wild_count:
        names = tuple(WILD_FEATURES)[: wild_count - _MOST_WILDS or None]
        found = _wild_features(wild_count, shapes)
        hands = sum(
            ways * tiles.hands(14 - held) for ways, tiles, held in _held(wild_count, shapes)
        )
    else:
        names, found = tuple(FEATURES), _features(playing_tiles(rules), shapes)
        hands = playing_tiles(rules).hands(14)
    total = hands if every else sum(found.values())
    asked = {"": ""}
    for element in rules.elements:
        own = f"{rules.module}.{element.id}"
        if feature := _ELEMENT_FEATURES.get(own) or _ELEMENT_FEATURES.get(element.id):
            asked[feature] = element.id
    cells = [(name, "") for name in names]
    if combined:
        cells += combinations(names, 2)
    counts = [
        sum(n for has, n in found.items() if feature in has and (not other or other in has))
        for feature, other in cells
    ]
    shown = [i for i, (_, other) in enumerate(cells) if counts[i] or not other]
    return _table(
        {
            "feature": [cells[i][0] for i in shown],
            "other": [cells[i][1] for i in shown],
            "element": [
                " + ".join(filter(None, (asked[name] for name in cells[i])))
                if asked.keys() >= set(cells[i])
                else ""
                for i in shown
            ],
        },
        [counts[i] for i in shown],
        total,
        fractions=fractions,
    )


def bonus(ruleset: "str | PathLike[str] | Ruleset", *, fractions: bool = False) -> "pd.DataFrame":
    """Distribution of the bonus tiles that each seat gets with the deal.

    The numbers set aside after replacement are the same for all three seats that do not deal,
    however late they replace: the tiles that a seat reveals are a random sample whatever was
    revealed before.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a ``stage``, ``order`` and ``bonus``: stage ``dealt`` (among the 14 or 13 tiles
        first dealt) and ``replaced`` (set aside until only playing tiles are left), order of the
        seats from the dealer (0-3), number of bonus tiles; then ``count``, ``total``, ``p``,
        ``se``, ``exact``, ``one_in``.

    Examples
    --------
    >>> table = bonus("yancheng")
    >>> none = table[(table["bonus"] == 0) & (table["order"] == 1)]
    >>> [round(p, 7) for p in none["p"]]
    [0.0195726, 0.0195726]
    """
    rules = resolve_ruleset(ruleset)
    special = sum(rules.tile_counts[kind] for kind in rules.bonus)
    playing = sum(rules.tile_counts) - special
    cells: list[tuple[str, int, int]] = []
    counts: list[tuple[int, int]] = []
    for stage, order in ((stage, order) for stage in _STAGES for order in range(_core.N_SEATS)):
        for number, count, total in _BONUS_LAWS[stage](playing, special, 13 + (order == 0)):
            cells.append((stage, order, number))
            counts.append((count, total))
    columns = dict(zip(("stage", "order", "bonus"), zip(*cells, strict=True), strict=True))
    return _table(
        columns,
        [count for count, _ in counts],
        [total for _, total in counts],
        fractions=fractions,
    )


def special_kongs(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    tiles: Literal[13, 14] = 13,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Probability that the dealt tiles hold special kongs, as Changchun plays them.

    A special kong is one tile each of the four winds (``xuan_feng``), of the three dragons
    (``xi``), of the 1s (``yao``) or of the 9s (``jiu``) of the three suits. The options
    ``xuan_feng_tiles`` (``any3``: three different winds are enough) and ``one_bamboo_wild`` (1s may
    stand for any tile of a special kong) of a ruleset that has them are followed; each kong then
    counts as held if it could be shown by itself.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game: its playing tiles.
    tiles : {13, 14}, default 13
        Tiles of the hand.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a set of special kongs that a hand can hold: ``xuan_feng``, ``xi``, ``yao``,
        ``jiu`` (whether it holds this one), ``count``, ``total``, ``p``, ``se``, ``exact``,
        ``one_in``.

    Raises
    ------
    ArgumentError
        If the number of tiles is not allowed.

    Examples
    --------
    >>> table = special_kongs("plain")
    >>> print(f"{table.loc[table['xuan_feng'], 'p'].sum():.7f}")
    0.0088194
    """
    rules = resolve_ruleset(ruleset)
    playing = _without_wilds(rules, "special kongs")
    n = whole_number("tiles", tiles, least=13, most=14)
    found = _special(
        playing.copies,
        n,
        winds=3 if rules.options.get("xuan_feng_tiles") == "any3" else 4,
        bamboo=bool(rules.options.get("one_bamboo_wild", False)),
    )
    rows = sorted(found.items())
    return _table(
        {name: [held[i] for held, _ in rows] for i, name in enumerate(SPECIAL_KONGS)},
        [count for _, count in rows],
        playing.hands(n),
        fractions=fractions,
    )


def wilds(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    tiles: Literal[13, 14] = 13,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Probability of so many wild tiles among the dealt ones (hypergeometric).

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game; it must have wild tiles.
    tiles : {13, 14}, default 13
        Tiles of the hand.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a number of ``wilds``: ``count``, ``total``, ``p``, ``se``, ``exact``, ``one_in``.

    Raises
    ------
    ArgumentError
        If the number of tiles is not allowed, or the ruleset has no wild tiles.

    Examples
    --------
    >>> wilds("yiwu")["p"].round(6).tolist()
    [0.736269, 0.239287, 0.023731, 0.000713]
    """
    rules = resolve_ruleset(ruleset)
    most = _wild_count(rules, need="wilds")
    n = whole_number("tiles", tiles, least=13, most=14)
    # The copies of the face that are not in play lie apart: the indicator.
    others = playing_tiles(rules).total - _MOST_WILDS
    return _table(
        {"wilds": list(range(most + 1))},
        [comb(most, held) * comb(others, n - held) for held in range(most + 1)],
        comb(others + most, n),
        fractions=fractions,
    )


def wild_head(
    ruleset: "str | PathLike[str] | Ruleset", *, fractions: bool = False
) -> "pd.DataFrame":
    """Probability that 13 dealt tiles wait for any tile at all, by a wild head.

    Without one of the wild tiles the other twelve are four sets, or six pairs where seven pairs are
    played, the remaining wild tiles used for any other: then the one makes a pair with whatever is
    drawn.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game; it must have wild tiles.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a number of wild tiles held: ``wilds``, ``count`` of the hands that hold so many and
        have a wild head, ``total`` (all hands), ``p``, ``se``, ``exact``, ``one_in``.

    Raises
    ------
    ArgumentError
        If the ruleset has no wild tiles.
    """
    rules = resolve_ruleset(ruleset)
    wild_count = _wild_count(rules, need="wild_head")
    # Neither sets nor pairs ask what the whites are.
    shapes = rules.shapes & (_STANDARD | _PAIRS_QUADS | _PAIRS_DISTINCT)
    found = dict.fromkeys(range(1, wild_count + 1), 0)
    total = 0
    for ways, tiles, held in _held(wild_count, shapes):
        total += ways * tiles.hands(13 - held)
        if held:
            found[held] += ways * _wild_heads(tiles, held, shapes)
    return _table({"wilds": list(found)}, list(found.values()), total, fractions=fractions)


def dealt_win(
    ruleset: "str | PathLike[str] | Ruleset", *, fractions: bool = False
) -> "pd.DataFrame":
    """Probability that the dealer's 14 dealt tiles win.

    More than a complete hand where a game asks more. In Changchun all three suits, a 1, 9 or
    honour, and a triplet, a pair of dragons or seven pairs; what is not complete as it lies may be
    so once special kongs that draw no replacement are shown, which count as triplets. In Yiwu the
    last tile dealt counts as drawn, and two wild tiles ask for a self-draw, three for a wild head.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a way to win, no hand in two of them: ``win`` (``complete``; in Changchun
        ``at_once`` and ``after_special_kong``, for players who show what makes the hand complete;
        in Yiwu ``zi_mo`` and ``cai_shen_tou``), ``count``, ``total``, ``p``, ``se``, ``exact``,
        ``one_in``. In Yiwu each hand is counted once for each tile that may be the last.

    Raises
    ------
    ArgumentError
        With ``one_bamboo_wild`` (Changchun): bamboo ones that stand for other tiles of special
        kongs are not counted.

    Examples
    --------
    >>> dealt_win("changchun")[["win", "count"]].values.tolist()
    [['at_once', 4684670539632], ['after_special_kong', 7763483362656]]
    """
    found = _dealt_win(resolve_ruleset(ruleset))
    return _table(
        {"win": list(found)},
        [count for count, _ in found.values()],
        [total for _, total in found.values()],
        fractions=fractions,
    )


def draws(live: int, unseen: int, n: int, *, fractions: bool = False) -> "pd.DataFrame":
    """Probability that k of the live copies come within n draws (hypergeometric).

    Parameters
    ----------
    live : int
        Copies that can still come.
    unseen : int
        Tiles among which they lie, all equally likely to be next; 1000 at the most.
    n : int
        Draws without replacement.
    fractions : bool, default False
        Add the column ``fraction``.

    Returns
    -------
    pandas.DataFrame
        One row a ``k``: ``count``, ``total``, ``p``, ``se``, ``exact``, ``one_in``.

    Raises
    ------
    ArgumentError
        If a number is negative, or there are more live copies or draws than unseen tiles.

    Examples
    --------
    >>> draws(2, unseen=50, n=10)[["k", "count", "total"]].values.tolist()
    [[0, 6540715896, 10272278170], [1, 3354213280, 10272278170], [2, 377348994, 10272278170]]
    """
    unseen = whole_number("unseen", unseen, most=_MOST_UNSEEN)
    live = whole_number("live", live, most=unseen)
    n = whole_number("n", n, most=unseen)
    ks = range(max(0, n - (unseen - live)), min(live, n) + 1)
    counts = [comb(live, k) * comb(unseen - live, n - k) for k in ks]
    return _table({"k": list(ks)}, counts, comb(unseen, n), fractions=fractions)


def expected_cells(ruleset: "str | PathLike[str] | Ruleset") -> list[ExpectedCell]:
    """Exact probabilities that belong to rows of the frequencies of a run.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.

    Returns
    -------
    list of ExpectedCell
        ``dealt_shanten_…``, ``bonus_…``, ``dealt_ready`` (13 tiles), ``dealt_complete`` (14),
        ``wilds_…`` with wild tiles, ``special_kong_…`` in Changchun; per deal ``tian_hu`` where the
        ruleset has it: the dealer wins with the dealt hand whenever it is complete;
        ``win_by_dealt`` of Changchun and Yiwu, see `dealt_win`.

    Examples
    --------
    >>> cells = {(cell.table, cell.cell): cell.p for cell in expected_cells("yancheng")}
    >>> cells["deal", "tian_hu"] == cells["dealer_hand", "dealt_complete"]
    True
    """
    rules = resolve_ruleset(ruleset)
    special = sum(rules.tile_counts[kind] for kind in rules.bonus)
    playing = sum(rules.tile_counts) - special
    cells: list[ExpectedCell] = []
    n: Literal[13, 14]
    for table, n, name, least in (
        ("hand", 13, "dealt_ready", 1),
        ("dealer_hand", 14, "dealt_complete", 0),
    ):
        found, total = _dealt(rules, n, rules.shapes)
        cells.append(ExpectedCell(table, name, Fraction(found.get(least, 0), total)))
        cells += (
            ExpectedCell(table, f"dealt_shanten_{missing - 1}", Fraction(count, total))
            for missing, count in sorted(found.items())
            if missing
        )
        if special:
            cells += (
                ExpectedCell(table, f"bonus_{number}", Fraction(count, deals))
                for number, count, deals in _bonus_replaced(playing, special, n)
            )
        if _wild_count(rules):
            held = wilds(rules, tiles=n)
            cells += (
                ExpectedCell(table, f"wilds_{number}", Fraction(count, deals))
                for number, count, deals in zip(
                    held["wilds"], held["count"], held["total"], strict=True
                )
            )
        if "special_kong_time" in rules.options:
            kongs = special_kongs(rules, tiles=n)
            cells += (
                ExpectedCell(
                    table,
                    f"special_kong_{name}",
                    Fraction(sum(kongs["count"][kongs[name]]), kongs["total"][0]),
                )
                for name in SPECIAL_KONGS
            )
    # Where a kong may come first, tian hu is more than a complete hand.
    if any(element.id == "tian_hu" for element in rules.elements) and not rules.options.get(
        "tian_hu_after_kong", False
    ):
        p = next(cell.p for cell in cells if cell.cell == "dealt_complete")
        cells.append(ExpectedCell("deal", "tian_hu", p))
    if rules.module in ASK_MORE and not rules.options.get("one_bamboo_wild"):
        p = sum((Fraction(*ratio) for ratio in _dealt_win(rules).values()), Fraction(0))
        cells.append(ExpectedCell("deal", "win_by_dealt", p))
    return cells


def _bonus_dealt(playing: int, special: int, size: int) -> list[tuple[int, int, int]]:
    """Bonus tiles among `size` tiles: number, count, total."""
    total = comb(playing + special, size)
    return [
        (b, comb(special, b) * comb(playing, size - b), total)
        for b in range(min(special, size) + 1)
    ]


def _bonus_replaced(playing: int, special: int, size: int) -> list[tuple[int, int, int]]:
    """Bonus tiles revealed until `size` playing tiles are: number, count, total.

    Negative hypergeometric: of all arrangements of the bonus tiles among the playing ones, those
    with b before the last of the first `size` playing tiles.
    """
    total = comb(playing + special, special)
    return [
        (b, comb(b + size - 1, b) * comb(playing + special - size - b, special - b), total)
        for b in range(special + 1)
    ]


_STAGES: Final = ("dealt", "replaced")
_BONUS_LAWS: Final[Mapping[str, Callable[[int, int, int], list[tuple[int, int, int]]]]] = {
    "dealt": _bonus_dealt,
    "replaced": _bonus_replaced,
}


_BAMBOO_ONE: Final = 18


def _special(
    copies: Sequence[int], n: int, *, winds: int, bamboo: bool
) -> dict[tuple[bool, ...], int]:
    """Count the hands of `n` tiles by which of the special kongs they hold."""
    needed = [winds, 3, 3, 3]
    of_kind = {kind: group for group, kinds in enumerate(SPECIAL_KONGS.values()) for kind in kinds}
    # By tiles, different kinds held of each group, and bamboo ones: kind after kind.
    counts: dict[tuple[int, tuple[int, ...], int], int] = {(0, (0, 0, 0, 0), 0): 1}
    others = sum(copies) - sum(copies[kind] for kind in of_kind)
    for kind, group in of_kind.items():
        more: dict[tuple[int, tuple[int, ...], int], int] = {}
        for (tiles, held, ones), count in counts.items():
            for copy in range(copies[kind] + 1):
                kinds = tuple(h + (copy > 0 and g == group) for g, h in enumerate(held))
                key = (tiles + copy, kinds, copy if kind == _BAMBOO_ONE else ones)
                more[key] = more.get(key, 0) + count * comb(copies[kind], copy)
        counts = more
    found: dict[tuple[bool, ...], int] = {}
    for (tiles, held, ones), count in counts.items():
        if tiles <= n:
            shown = []
            for group, kinds in enumerate(SPECIAL_KONGS.values()):
                own = held[group]
                if bamboo:
                    # The 1s stand for what is missing beside at least one other tile.
                    own -= _BAMBOO_ONE in kinds and ones > 0
                    own += ones if own else 0
                shown.append(own >= needed[group])
            key_ = tuple(shown)
            found[key_] = found.get(key_, 0) + count * comb(others, n - tiles)
    return {key: count for key, count in found.items() if count}


def playing_tiles(rules: "Ruleset") -> Tiles:
    """Give the tiles that hands are dealt from.

    Parameters
    ----------
    rules : Ruleset
        The game.

    Returns
    -------
    Tiles
        Its tiles without the bonus tiles; wild tiles are those of their kind.
    """
    counts = rules.tile_counts[:N_KINDS]
    copies = tuple(0 if kind in rules.bonus else n for kind, n in enumerate(counts))
    return Tiles(rules.tile_set, copies)


def _wild_count(rules: "Ruleset", *, need: str = "") -> int:
    """Give the number of wild tiles in play; none is an error where something needs them."""
    wild_count = int(rules.options.get("wild_count", 0))
    if need and not wild_count:
        raise ArgumentError(
            f"{need}: {rules.id} has no wild tiles; allowed are rulesets with an option wild_count"
        )
    return wild_count


def _without_wilds(rules: "Ruleset", what: str) -> Tiles:
    """Give the playing tiles of a ruleset that must have no wild ones."""
    if _wild_count(rules):
        raise ArgumentError(
            f"{what} of hands with wild tiles, as {rules.id} has them: not counted; "
            "allowed are rulesets without wild tiles"
        )
    return playing_tiles(rules)


def _dealt(
    rules: "Ruleset", n: int, shapes: int, *, wilds: int | None = None, formal: bool = False
) -> tuple[dict[int, int], int]:
    """Count dealt hands by missing tiles, wild ones included; and all hands that may be dealt."""
    if wilds is not None:
        wilds = whole_number("wilds", wilds, most=_MOST_WILDS)
    wild_count = _wild_count(rules)
    if not wild_count:
        tiles, held = playing_tiles(rules), wilds or 0
        return _missing(tiles, n - held, shapes, held, formal=formal), tiles.hands(n - held)
    found: dict[int, int] = {}
    total = 0
    for ways, tiles, held in _held(wild_count, shapes, wilds=wilds):
        for missing, count in _missing(tiles, n - held, shapes, held, formal=formal).items():
            found[missing] = found.get(missing, 0) + ways * count
        total += ways * tiles.hands(n - held)
    return found, total


def _held(
    wild_count: int, shapes: int, *, wilds: int | None = None
) -> Iterator[tuple[int, Tiles, int]]:
    """Yield the ways to hold so many wild tiles, what is dealt beside them, and how many."""
    for faces, tiles in _wild_games(shapes):
        for held in range(wild_count + 1) if wilds is None else (wilds,):
            # How many wild tiles are held is part of the deal only where it is not given.
            yield faces * (comb(wild_count, held) if wilds is None else 1), tiles, held


@lru_cache(maxsize=8)
def _wild_features(wild_count: int, shapes: int) -> dict[frozenset[str], int]:
    """Count the complete hands of 14 tiles, wild ones included, by their features."""
    names = {
        _STANDARD: "standard",
        _PAIRS_DISTINCT: "seven_pairs",
        _PAIRS_QUADS: "seven_pairs",
        _UNCONNECTED: "unconnected",
        _GROUPS: "unconnected_groups",
    }
    found: dict[frozenset[str], int] = {}
    for ways, tiles, held in _held(wild_count, shapes):
        traits, readers = _distances(tiles, shapes, capped=held == 0)
        n = 14 - held
        for elements, count in count_hands(tiles, n, traits).items():
            whole = {names[bit] for bit, read in readers.items() if read(elements, n) <= held}
            if whole:
                key = frozenset({*whole, f"wilds_{held}"})
                found[key] = found.get(key, 0) + ways * count
    return found


@lru_cache(maxsize=16)
def _wild_heads(tiles: Tiles, held: int, shapes: int) -> int:
    """Count the hands of 13 tiles with so many wild ones that have a wild head."""
    classes = Classes(tiles.tile_set, capped=False)
    traits: list[Trait] = [classes, Sum(of_hand.odd, HAND), Sum(of_hand.more_than_two, 1)]
    found = 0
    for (element, odd, more), count in count_hands(tiles, 13 - held, traits).items():
        pairs = shapes & _PAIRS_QUADS or (shapes & _PAIRS_DISTINCT and not more)
        if (shapes & _STANDARD and classes.missing(element, pair=False) < held) or (
            pairs and odd < held
        ):
            found += count
    return found


def _wild_games(shapes: int) -> list[tuple[int, Tiles]]:
    """List what is dealt beside the wild tiles: how many of the 34 wild kinds give it, the tiles.

    The whites count as the wild kind, so 33 kinds are left of which each has four copies, honours
    being one less: whichever kind is wild, an honour or the whites themselves included. Only in
    the unconnected hand the whites are honours again, and the place of a wild suit kind is open;
    suits are alike, and so are ranks counted from either end.
    """
    copies = (4,) * 33 + (0,)
    if not shapes & (_UNCONNECTED | _GROUPS):
        return [(N_KINDS, Tiles(2, copies))]
    suited = [(3 if rank == 4 else 6, Tiles(2, copies, white=rank)) for rank in range(5)]
    return [(7, Tiles(2, copies)), *suited]


def _shapes_of(rules: "Ruleset", shape: Shape | Sequence[Shape]) -> int:
    """Give the bits of the shapes."""
    shapes = 0
    for name in words("shape", shape):
        _checked("shape", name, get_args(Shape))
        if name.startswith("unconnected") and rules.tile_set != 2:
            names = ", ".join(s for s in get_args(Shape) if not s.startswith("unconnected"))
            raise ArgumentError(
                f"shape {name!r} needs winds and dragons, and {rules.id} does not play with them: "
                f"allowed are {names}"
            )
        shapes |= rules.shapes if name == "ruleset" else _SHAPE_BITS[name]
    if not shapes:
        raise ArgumentError(
            f"shape = {quoted(shape)}: allowed are one or more of {', '.join(get_args(Shape))}"
        )
    return shapes


def _joined(shape: Shape | Sequence[Shape]) -> str:
    """Name shapes in one word."""
    return "+".join(dict.fromkeys(words("shape", shape)))


def _checked(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """Return the value if it is allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ArgumentError(
            f"{name} = {quoted(value)}: allowed are {', '.join(str(choice) for choice in allowed)}"
        )
    return value


def _table(
    columns: Mapping[str, Sequence[Any]],
    counts: Sequence[int],
    total: int | Sequence[int],
    *,
    fractions: bool,
) -> "pd.DataFrame":
    """Build an exact table of the contract."""
    import pandas as pd

    totals = [total] * len(counts) if isinstance(total, int) else list(total)
    table = pd.DataFrame({name: list(values) for name, values in columns.items()})
    table["count"] = pd.Series(counts, dtype=object)
    table["total"] = pd.Series(totals, dtype=object)
    ratios = [Fraction(count, of) for count, of in zip(counts, totals, strict=True)]
    table["p"] = [float(ratio) for ratio in ratios]
    table["se"] = 0.0
    table["exact"] = True
    table["one_in"] = [float(1 / ratio) if ratio else float("nan") for ratio in ratios]
    if fractions:
        table["fraction"] = pd.Series(ratios, dtype=object)
    return table


@lru_cache(maxsize=256)
def _missing(
    tiles: Tiles,
    n: int,
    shapes: int,
    wilds: int,
    *,
    formal: bool = False,
    distinct: bool = False,
) -> dict[int, int]:
    """Count the hands of `n` tiles and `wilds` wild ones by tiles missing to the nearest shape."""
    # Beside wild tiles hands of several sizes are dealt: one count for all.
    sizes = range(*_BESIDE_WILDS) if wilds and n in range(*_BESIDE_WILDS) else range(n, n + 1)
    capped = wilds == 0 and not formal
    found: dict[int, int] = {}
    for missing, count in _distant(tiles, sizes, shapes, capped, distinct)[n].items():
        left = max(0, missing - wilds)
        found[left] = found.get(left, 0) + count
    return found


@lru_cache(maxsize=64)
def _distant(
    tiles: Tiles, sizes: range, shapes: int, capped: bool, distinct: bool
) -> dict[int, dict[int, int]]:
    """Count the hands of each size by tiles missing to the nearest shape."""
    traits, readers = _distances(tiles, shapes, capped=capped)
    found: dict[int, dict[int, int]] = {n: {} for n in sizes}
    hands = count_hands(tiles, sizes[-1], traits, least=sizes[0], distinct=distinct)
    for n, elements, count in hands.by_size():
        missing = min(read(elements, n) for read in readers.values())
        found[n][missing] = found[n].get(missing, 0) + count
    return found


def nearness(
    tiles: Tiles, n: int, shapes: int, *, capped: bool = True
) -> tuple[list[Trait], Callable[[Sequence[int]], int]]:
    """Give the traits of a hand that tell how near it is to a winning shape.

    Parameters
    ----------
    tiles : Tiles
        What is dealt from.
    n : int
        Tiles of the hand.
    shapes : int
        Winning shapes, as bits.
    capped : bool, default True
        Whether a winning hand holds at most four copies of a kind.

    Returns
    -------
    traits : list of Trait
        What must be known of a hand.
    missing : callable
        Gives from the elements of the traits the tiles missing to the nearest shape.
    """
    traits, readers = _distances(tiles, shapes, capped=capped)
    return traits, lambda elements: min(read(elements, n) for read in readers.values())


_Reader = Callable[[Sequence[int], int], int]
"""Tells the tiles missing, from the elements of the traits and the tiles of the hand."""


def _distances(
    tiles: Tiles, shapes: int, *, capped: bool
) -> tuple[list[Trait], dict[int, _Reader]]:
    """Give what must be known of a hand, and by shape what tells the tiles missing to it."""
    traits: list[Trait] = []
    readers: dict[int, _Reader] = {}

    def add(bit: int, new: Sequence[Trait], read: _Reader) -> None:
        first = len(traits)
        traits.extend(new)
        readers[bit] = lambda elements, n: read(elements[first : first + len(new)], n)

    def sized(read: Callable[[Sequence[int]], int]) -> _Reader:
        return lambda elements, _: read(elements)

    if shapes & _STANDARD:
        # A wild tile may be the fifth copy of a kind; a formal wait too.
        classes = Classes(tiles.tile_set, capped=capped)
        add(_STANDARD, [classes], lambda e, _: classes.missing(e[0]))
    if shapes & _PAIRS_QUADS:
        # Pairs, and of the odd tiles those that may still become one of the seven.
        add(
            _PAIRS_QUADS,
            [Sum(of_hand.pairs, 7)],
            lambda e, n: 14 - 2 * e[0] - min(7 - e[0], n - 2 * e[0]),
        )
    if shapes & _PAIRS_DISTINCT:
        distinct = [Sum(of_hand.twos, 7), Sum(of_hand.kinds, 7)]
        add(_PAIRS_DISTINCT, distinct, lambda e, _: 14 - e[0] - e[1])
    for bit in (_UNCONNECTED, _GROUPS):
        if shapes & bit and tiles.honours == 7:
            sparse = of_hand.Sparse(groups=bit == _GROUPS, white=tiles.white)
            add(bit, [sparse], sized(sparse.missing))
    return traits, readers


class _Ready(NamedTuple):
    """What is told of a ready hand: see `waits`."""

    kinds: int
    live: int
    roles: str = ""
    wait_class: str = "complex"
    suits: int = 0
    honours: bool = False
    wilds: int = 0


_WAIT_CLASSES: Final[Mapping[tuple[int, ...], str]] = {
    (of_hand.CLOSED,): "closed",
    (of_hand.EDGE,): "edge",
    (of_hand.PAIR,): "pair",
    (of_hand.RUN_END, of_hand.RUN_END): "two_sided",
    (of_hand.TRIPLET, of_hand.TRIPLET): "two_pair",
}


@lru_cache(maxsize=16)
def _waits(tiles: Tiles, shapes: int, *, formal: bool, distinct: bool = False) -> dict[_Ready, int]:
    """Count the ready hands of 13 tiles by their waits."""
    found: dict[_Ready, int] = {}
    present: tuple[Trait, ...] = (Sum(of_hand.suits, 3), Sum(of_hand.honours, 1))

    def add(kinds: int, live: int, roles: tuple[int, ...], rest: Sequence[int], n: int) -> None:
        letters = "+".join(
            letter
            for bit, letter in enumerate(of_hand.ROLE_LETTERS)
            if kinds == 1 and roles[0] >> bit & 1
        )
        wait_class = _WAIT_CLASSES.get(roles, "complex")
        key = _Ready(kinds, live, letters, wait_class, rest[0], bool(rest[1]))
        found[key] = found.get(key, 0) + n

    if shapes & (_STANDARD | _PAIRS_DISTINCT | _PAIRS_QUADS):
        near = of_hand.Waits(
            tile_set=tiles.tile_set,
            formal=formal,
            standard=bool(shapes & _STANDARD),
            pairs=4 if shapes & _PAIRS_QUADS else 2 if shapes & _PAIRS_DISTINCT else 0,
        )
        for (element, *rest), n in count_hands(
            tiles, 13, [near, *present], distinct=distinct
        ).items():
            add(*near.waits(element), rest, n)
    if shapes & _UNCONNECTED and tiles.honours == 7:
        # No such hand is ready in another shape: it holds no two tiles of a pair or set.
        room = of_hand.Room()
        for (element, *rest), n in count_hands(
            tiles, 13, [room, *present], distinct=distinct
        ).items():
            if kinds := room.elements[element]:
                roles = (of_hand.FREE,) * kinds if kinds <= 2 else ()
                add(kinds, 4 * kinds, roles, rest, n)
    elif shapes & _GROUPS and tiles.honours == 7:
        # Thirteen of the sixteen kinds: at least two suits are held, and leave the third no choice.
        sparse = of_hand.Sparse(groups=True, white=None)
        for (element, *rest), n in count_hands(
            tiles, 13, [sparse, *present], distinct=distinct
        ).items():
            if sparse.missing((element,)) == 1:
                add(3, 12, (), rest, n)
    return found


_HEAD_FROM: Final = 3
"""Wild tiles in a hand of Yiwu from which on nothing but a wild head wins (YW-69)."""


def _waiting(rules: "Ruleset", shapes: int, waits: Waits) -> dict[_Ready, int]:
    """Count the ready hands of 13 dealt tiles by their waits."""
    if wild_count := _wild_count(rules):
        if waits == "formal":
            raise ArgumentError(
                f"waits = 'formal': not counted with wild tiles, as {rules.id} has them; allowed "
                "are live, legal"
            )
        return _wild_waits(wild_count, shapes, heads=waits == "legal" and rules.module == "yiwu")
    tiles = playing_tiles(rules)
    if waits == "legal" and rules.module == "changchun":
        options = rules.options
        return {
            _Ready(kinds, 4 * kinds - own): count
            for (kinds, own), count in _legal_waits(
                tiles,
                shapes,
                three_suits=options.get("three_suits", "on") == "on",
                both=options.get("yao_jiu_mode") == "both",
            ).items()
        }
    return _waits(tiles, shapes, formal=waits == "formal")


@lru_cache(maxsize=4)
def _wild_waits(wild_count: int, shapes: int, *, heads: bool) -> dict[_Ready, int]:
    """Count the ready hands of 13 tiles, wild ones included; with `heads` those that may win."""
    found: dict[_Ready, int] = {}

    def add(key: _Ready, count: int) -> None:
        found[key] = found.get(key, 0) + count

    near = shapes & (_STANDARD | _PAIRS_DISTINCT | _PAIRS_QUADS)
    for ways, tiles, held in _held(wild_count, near) if near else ():
        rest = wild_count - held
        if held == 0:
            for key, count in _waits(tiles, near, formal=False).items():
                more = key._replace(kinds=key.kinds + 1, live=key.live + rest, suits=0)
                add(more._replace(honours=False), ways * count)
            live = _missing(tiles, 13, near, 0).get(1, 0)
            # Hands that wait for a fifth copy alone: a wild tile may be it.
            fifth = _missing(tiles, 13, near, 0, formal=True).get(1, 0) - live
        else:
            head = heads and held >= _HEAD_FROM
            fifth = 0 if head else _missing(tiles, 13 - held, near, held).get(1, 0)
            for (kinds, own), count in _wild_completing(tiles, held, near, head=head).items():
                add(_Ready(kinds + 1, 4 * kinds - own + rest, wilds=held), ways * count)
                fifth -= 0 if head else count
        if fifth:
            add(_Ready(1, rest, wilds=held), ways * fifth)
    # An unconnected hand is ready in no other shape: it holds no two tiles of a pair or set, and
    # wild tiles are too few to make sets of single tiles.
    far = shapes & (_UNCONNECTED | _GROUPS)
    for ways, tiles, held in _held(wild_count, far) if far else ():
        if heads and held >= _HEAD_FROM:
            continue
        groups = not far & _UNCONNECTED
        for (kinds, _), count in completing_unconnected(
            tiles.copies, 13 - held, groups=groups, white=tiles.white
        ).items():
            roles = of_hand.ROLE_LETTERS[-1] if held == 0 and kinds == 1 else ""
            live = 4 * kinds + wild_count - held
            add(_Ready(kinds + 1, live, roles, wilds=held), ways * count)
    return found


@lru_cache(maxsize=16)
def _wild_completing(tiles: Tiles, held: int, shapes: int, *, head: bool) -> Completing:
    """Count ready hands with wild tiles by what completes sets or pairs; if `head`, wild heads."""
    traits: list[Trait] = [Classes(tiles.tile_set, capped=False), Sum(of_hand.odd, held + 2)]
    if shapes & _PAIRS_DISTINCT and not shapes & _PAIRS_QUADS:
        traits.append(Sum(of_hand.more_than_two, 1))
    vectors = suit_tables(tiles.tile_set, False)[2].astype(np.int64)
    # Entries of a vector: sets, and whether with a pair.
    entries = [(i, i // 2 * 3 + i % 2 * 2) for i in range(10)]

    def near(columns: Columns, *, entry: int, most: int) -> NDArray[np.bool_]:
        classes, odd, *more = columns
        standard = (vectors[classes, entry] <= most) & bool(shapes & _STANDARD)
        pairs = (odd <= most) & bool(shapes & (_PAIRS_QUADS | _PAIRS_DISTINCT))
        return np.asarray(standard | (pairs & (more[0] == 0) if more else pairs))

    def possible(held_tiles: NDArray[np.integer], columns: Columns) -> NDArray[np.bool_]:
        # Every tile of a ready hand is used: its sets and pair lack just the others.
        used = [vectors[columns[0], i] == size - held_tiles.astype(np.int64) for i, size in entries]
        return np.asarray(np.any(used, axis=0) | (columns[1] <= held + 1))

    return completing(
        tiles,
        13 - held,
        traits,
        lambda columns: near(columns, entry=9, most=held),
        possible=possible,
        ready=lambda columns: near(columns, entry=9 - head, most=held - 1 if head else held + 1),
    )


@lru_cache(maxsize=8)
def _legal_waits(tiles: Tiles, shapes: int, *, three_suits: bool, both: bool) -> Completing:
    """Count ready hands of 13 tiles by what completes them as Changchun asks for it (3.2)."""
    traits: list[Trait] = [
        of_hand.Cha(tiles.tile_set),
        Sum(of_hand.suits, 3),
        Union(of_hand.both_terminals if both else of_hand.terminal_or_honour),
        Sum(of_hand.odd, 2),
        Sum(of_hand.quads, 1),
    ]

    def legal(columns: Columns) -> NDArray[np.bool_]:
        cha, suits, ends, odd, quads = columns
        pairs = (odd == 0) & bool(shapes & _PAIRS_QUADS)
        pairs = pairs | ((odd == 0) & (quads == 0) & bool(shapes & _PAIRS_DISTINCT))
        whole = ((cha == of_hand.PAIRED_CHA) & bool(shapes & _STANDARD)) | pairs
        return np.asarray(whole & (ends == (3 if both else 1)) & ((suits == 3) | (not three_suits)))

    return completing(tiles, 13, traits, legal)


_Win = dict[str, tuple[int, int]]
"""By what a dealt hand wins, hands and all hands."""


def _dealt_win(rules: "Ruleset") -> _Win:
    """Count the dealer's hands of 14 tiles that win as they were dealt."""
    if rules.module == "changchun":
        return _changchun_win(rules)
    if rules.module == "yiwu":
        return _yiwu_win(rules)
    found, total = _dealt(rules, 14, rules.shapes)
    return {"complete": (found.get(0, 0), total)}


def _changchun_win(rules: "Ruleset") -> _Win:
    """Sections 3.2 and 3.6 of Changchun: at once, or after special kongs that draw nothing."""
    tiles, options = playing_tiles(rules), rules.options
    if options.get("one_bamboo_wild"):
        raise ArgumentError("dealt_win: not counted with one_bamboo_wild; allowed is false")
    kongs = [[SPECIAL_KONGS[name]] for name in ("xi", "yao", "jiu")]
    if options.get("xuan_feng_tiles") == "any3":
        # Three winds draw no replacement either.
        kongs.append(list(combinations(SPECIAL_KONGS["xuan_feng"], 3)))
    shown = [
        tuple(kind for kong in chosen for kind in kong)
        for chosen in product(*([(), *choices] for choices in kongs))
    ]
    both = options.get("yao_jiu_mode") == "both"
    opened = of_hand.Opened(
        tile_set=tiles.tile_set,
        shown=shown,
        pairs=4 if rules.shapes & _PAIRS_QUADS else 0,
        three_suits=options.get("three_suits", "on") == "on",
        shown_counts=bool(options.get("special_kong_counts_suits", True)),
    )
    ends = Union(of_hand.both_terminals if both else of_hand.terminal_or_honour)
    at_once = later = 0
    for (element, flags), count in count_hands(tiles, 14, [opened, ends]).items():
        plain, *others, pairs = opened.elements[element]
        if flags != (3 if both else 1):
            continue
        if plain == of_hand.PAIRED_CHA or pairs:
            at_once += count
        elif max(others) >= of_hand.PAIRED:
            later += count
    total = tiles.hands(14)
    return {"at_once": (at_once, total), "after_special_kong": (later, total)}


def _yiwu_win(rules: "Ruleset") -> _Win:
    """Section 3.5 of Yiwu: the last of the 14 tiles counts as drawn.

    A wild head is one of the 13 tiles before it, and wins with whatever comes. The level that a
    hand must reach goes by its wild tiles: 2 with two, 4 with more (YW-69).
    """
    wild_count = _wild_count(rules)
    value = {element.id: element.value for element in rules.elements}
    plain = value.get("zi_mo", 0)
    head = max(plain, value.get("cai_shen_tou", 0))
    near = rules.shapes & (_STANDARD | _PAIRS_QUADS | _PAIRS_DISTINCT)
    # In 13 tiles in order and one more: so many of them for each hand of 14, the last one open.
    complete, heads = Counter[int](), Counter[int]()
    for ways, tiles, held in _held(wild_count, rules.shapes):
        complete[held] += ways * 14 * _missing(tiles, 14 - held, rules.shapes, held).get(0, 0)
    for ways, tiles, held in _held(wild_count, near):
        if held:
            ready = _wild_heads(tiles, held, near)
            drawn = ready * (tiles.total - (13 - held))
            if near & _PAIRS_DISTINCT:
                # A third copy of a kind is no seventh pair.
                wins = _wild_completing(tiles, held, near, head=True)
                drawn = sum(n * (4 * kinds - own) for (kinds, own), n in wins.items())
            heads[held] += ways * drawn
            heads[held + 1] += ways * ready * (wild_count - held)
    total = 14 * sum(ways * tiles.hands(14 - held) for ways, tiles, held in _held(wild_count, near))
    level = {held: 1 if held < 2 else 2 if held == 2 else 4 for held in range(wild_count + 1)}
    counts = {
        "zi_mo": sum(complete[w] - heads[w] for w in level if plain >= level[w]),
        "cai_shen_tou": sum(heads[w] for w in level if head >= level[w]),
    }
    return {name: (count, total) for name, count in counts.items()}


@lru_cache(maxsize=16)
def _features(tiles: Tiles, shapes: int) -> dict[frozenset[str], int]:
    """Count the complete hands of 14 tiles by their features."""
    readings = of_hand.Readings(tile_set=tiles.tile_set)
    asked: list[Trait] = [
        readings,
        Sum(of_hand.odd, 1),
        Sum(of_hand.quads, 3),
        Sum(of_hand.not_scattered, 1),
        Sum(of_hand.suits, 3),
        Union(of_hand.ends),
        Union(of_hand.honour_sets),
    ]
    played_groups = shapes & _GROUPS and tiles.honours == 7
    sparse = of_hand.Sparse(groups=True, white=None)
    if played_groups:
        asked.append(sparse)
    found: dict[frozenset[str], int] = {}
    for (element, odd, quads, close, suits, ends, sets_of, *rest), n in count_hands(
        tiles, 14, asked
    ).items():
        sets = readings.elements[element]
        standard = sets.pair and sets.triplets > 0 and shapes & _STANDARD
        pairs = not odd and (shapes & _PAIRS_QUADS or (shapes & _PAIRS_DISTINCT and not quads))
        scattered = not close and shapes & _UNCONNECTED and tiles.honours == 7
        in_groups = played_groups and sparse.missing(rest) == 0
        if not (standard or pairs or scattered or in_groups):
            continue
        triplets = sets.triplets if standard else 0
        honours, outer, inner = (
            ends & bit for bit in (of_hand.HONOURS, of_hand.OUTER, of_hand.INNER)
        )
        holds = {
            "standard": standard,
            "seven_pairs": pairs,
            "seven_pairs_1_quad": pairs and quads == 1,
            "seven_pairs_2_quads": pairs and quads == 2,
            "seven_pairs_3_quads": pairs and quads == 3,
            "unconnected": scattered or (in_groups and not close),
            "unconnected_groups": in_groups,
            "one_suit": suits == 1 and not honours,
            "one_suit_honours": suits == 1 and honours,
            "two_suits": suits == 2,
            "at_most_two_suits": suits <= 2,
            "three_suits": suits == 3,
            "no_honours": not honours,
            "no_terminals": not (honours or outer),
            "only_terminals": not inner,
            "terminals": outer,
            "terminals_or_honours": honours or outer,
            "terminal_set": outer and (pairs or (standard and sets.terminals)),
            "all_triplets": triplets & 1 << 4,
            "three_triplets": triplets & 1 << 3,
            "no_triplets": triplets & 1,
            "some_triplet": triplets & ~1,
            "honour_triplet": standard and sets_of & of_hand.HONOUR_TRIPLET,
            "dragon_pair": standard and sets_of & of_hand.DRAGON_PAIR,
            "straight": standard and sets.straight,
            "quad": quads,
        }
        key = frozenset(name for name, true in holds.items() if true)
        found[key] = found.get(key, 0) + n
    return found
