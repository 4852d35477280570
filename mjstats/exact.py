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

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from mjstats.counting import Classes, Interned, States, Sum, Tiles, Trait, count_hands
from mjstats.errors import ArgumentError
from mjstats.rulesets import ruleset as resolve_ruleset
from mjstats.tiles import N_KINDS

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from mjstats.rulesets import Ruleset

Shape = Literal["ruleset", "standard", "seven_pairs_distinct", "seven_pairs_quads", "unconnected"]
"""Winning shapes; ``ruleset``: the nearest of those that the ruleset plays."""

Waits = Literal["live", "formal"]
"""Live waits: of which the hand does not hold all four copies; formal waits: by shape alone."""

N_SEATS: Final = 4
_MOST_WILDS: Final = 4

_STANDARD, _PAIRS_DISTINCT, _PAIRS_QUADS, _UNCONNECTED, _GROUPS = (1 << bit for bit in range(5))
_SHAPE_BITS: Final[Mapping[str, int]] = {
    "standard": _STANDARD,
    "seven_pairs_distinct": _PAIRS_DISTINCT,
    "seven_pairs_quads": _PAIRS_QUADS,
    "unconnected": _UNCONNECTED,
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
    shape: Shape = "ruleset",
    wilds: int = 0,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Distribution of the shanten of a dealt hand.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game: its playing tiles and winning shapes.
    tiles : {13, 14}, default 13
        Tiles of the hand.
    shape : {"ruleset", "standard", "seven_pairs_distinct", "seven_pairs_quads", "unconnected"}
        Winning shape; ``ruleset`` is the least shanten over all that the ruleset plays.
    wilds : int, default 0
        Wild tiles among those of the hand, 0-4; the others are dealt from the playing tiles.
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
    found = _missing(
        _tiles_of(rules),
        _checked("tiles", tiles, (13, 14)) - _checked("wilds", wilds, range(_MOST_WILDS + 1)),
        _shapes_of(rules, shape),
        wilds,
    )
    rows = sorted(found.items())
    return _table(
        {"shanten": [missing - 1 for missing, _ in rows]},
        [count for _, count in rows],
        _tiles_of(rules).hands(tiles - wilds),
        fractions=fractions,
    )


def complete(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    shape: Shape = "ruleset",
    wilds: int = 0,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Probability that 14 dealt tiles are a complete hand.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    shape : {"ruleset", "standard", "seven_pairs_distinct", "seven_pairs_quads", "unconnected"}
        Winning shape; ``ruleset`` is any that the ruleset plays.
    wilds : int, default 0
        Wild tiles among the 14, 0-4.
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
    n = 14 - _checked("wilds", wilds, range(_MOST_WILDS + 1))
    tiles = _tiles_of(rules)
    found = _missing(tiles, n, _shapes_of(rules, shape), wilds)
    return _table({"shape": [shape]}, [found.get(0, 0)], tiles.hands(n), fractions=fractions)


def ready(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    waits: Waits = "live",
    shape: Shape = "ruleset",
    wilds: int = 0,
    fractions: bool = False,
) -> "pd.DataFrame":
    """Probability that 13 dealt tiles are ready.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    waits : {"live", "formal"}, default "live"
        Ready with at least one live wait (the contract's meaning), or by shape alone.
    shape : {"ruleset", "standard", "seven_pairs_distinct", "seven_pairs_quads", "unconnected"}
        Winning shape; ``ruleset`` is any that the ruleset plays.
    wilds : int, default 0
        Wild tiles among the 13, 0-4.
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
    n = 13 - _checked("wilds", wilds, range(_MOST_WILDS + 1))
    formal = _checked("waits", waits, get_args(Waits)) == "formal"
    tiles = _tiles_of(rules)
    found = _missing(tiles, n, _shapes_of(rules, shape), wilds, formal=formal)
    columns: dict[str, list[str]] = {"shape": [shape], "waits": [waits]}
    return _table(columns, [found.get(1, 0)], tiles.hands(n), fractions=fractions)


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
    for stage, order in ((stage, order) for stage in _STAGES for order in range(N_SEATS)):
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


def draws(live: int, unseen: int, n: int, *, fractions: bool = False) -> "pd.DataFrame":
    """Probability that k of the live copies come within n draws (hypergeometric).

    Parameters
    ----------
    live : int
        Copies that can still come.
    unseen : int
        Tiles among which they lie, all equally likely to be next.
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
    for name, value, most in (("unseen", unseen, 10**6), ("live", live, unseen), ("n", n, unseen)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise ArgumentError(f"{name} = {value!r}: allowed are integers 0 to {most}")
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
        ``dealt_shanten_…``, ``bonus_…``, ``dealt_ready`` (13 tiles), ``dealt_complete`` (14), and
        per deal ``tian_hu`` where the ruleset has it: the dealer wins with the dealt hand whenever
        it is complete.

    Examples
    --------
    >>> cells = {(cell.table, cell.cell): cell.p for cell in expected_cells("yancheng")}
    >>> cells["deal", "tian_hu"] == cells["dealer_hand", "dealt_complete"]
    True
    """
    rules = resolve_ruleset(ruleset)
    tiles = _tiles_of(rules)
    special = sum(rules.tile_counts[kind] for kind in rules.bonus)
    playing = sum(rules.tile_counts) - special
    cells: list[ExpectedCell] = []
    for table, n, name, least in (
        ("hand", 13, "dealt_ready", 1),
        ("dealer_hand", 14, "dealt_complete", 0),
    ):
        total = tiles.hands(n)
        found = _missing(tiles, n, rules.shapes, 0)
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
    if any(element.id == "tian_hu" for element in rules.elements):
        p = next(cell.p for cell in cells if cell.cell == "dealt_complete")
        cells.append(ExpectedCell("deal", "tian_hu", p))
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


def _tiles_of(rules: "Ruleset") -> Tiles:
    """Give the playing tiles of a ruleset."""
    counts = rules.tile_counts[:N_KINDS]
    copies = tuple(0 if kind in rules.bonus else n for kind, n in enumerate(counts))
    return Tiles(rules.tile_set, copies)


def _shapes_of(rules: "Ruleset", shape: Shape) -> int:
    """Give the bits of a shape."""
    _checked("shape", shape, get_args(Shape))
    if shape == "ruleset":
        return rules.shapes
    if shape == "unconnected" and rules.tile_set != 2:
        raise ArgumentError(
            f"shape 'unconnected' needs winds and dragons, and {rules.id} does not play with them: "
            f"allowed are {', '.join(name for name in get_args(Shape) if name != shape)}"
        )
    return _SHAPE_BITS[shape]


def _checked(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """Return the value if it is allowed."""
    if isinstance(value, bool) or value not in allowed:
        raise ArgumentError(
            f"{name} = {value!r}: allowed are {', '.join(str(choice) for choice in allowed)}"
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


# Distances to the winning shapes.


def _pairs(states: States) -> NDArray[np.integer]:
    return np.asarray((states.held >> 1).sum(axis=1))


def _twos(states: States) -> NDArray[np.integer]:
    return np.asarray((states.held >= 2).sum(axis=1))


def _kinds(states: States) -> NDArray[np.integer]:
    return np.asarray((states.held >= 1).sum(axis=1))


@lru_cache(maxsize=64)
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
    traits: list[Trait] = []
    readers: list[Callable[[Sequence[int]], int]] = []

    def add(new: Sequence[Trait], read: Callable[[Sequence[int]], int]) -> None:
        first = len(traits)
        traits.extend(new)
        readers.append(lambda elements: read(elements[first : first + len(new)]))

    if shapes & _STANDARD:
        # A wild tile may be the fifth copy of a kind; a formal wait too.
        classes = Classes(tiles.tile_set, capped=wilds == 0 and not formal)
        add([classes], lambda elements: classes.missing(elements[0]))
    if shapes & _PAIRS_QUADS:
        # Pairs, and of the odd tiles those that may still become one of the seven.
        add([Sum(_pairs, 7)], lambda e: 14 - 2 * e[0] - min(7 - e[0], n - 2 * e[0]))
    if shapes & _PAIRS_DISTINCT:
        add([Sum(_twos, 7), Sum(_kinds, 7)], lambda e: 14 - e[0] - e[1])
    for bit in (_UNCONNECTED, _GROUPS):
        if shapes & bit and tiles.honours == 7:
            sparse = _Sparse(groups=bit == _GROUPS, white=tiles.white)
            add([sparse], sparse.missing)
    found: dict[int, int] = {}
    for elements, count in count_hands(tiles, n, traits, distinct=distinct).items():
        missing = max(0, min(read(elements) for read in readers) - wilds)
        found[missing] = found.get(missing, 0) + count
    return found


class _Sparse(Interned[tuple[int, tuple[tuple[int, int], ...]]]):
    """Trait: the kinds that an unconnected hand can use.

    An element is the number of different honours, and for what suit tiles the hand might have (how
    many; or which of the groups 147, 258, 369 are taken) the most that are held of them.

    Parameters
    ----------
    groups : bool
        Whether the suits must be the three groups in some order, not any ranks three apart.
    white : int, optional
        The kind as which the white tiles are counted; here they are whites.
    """

    def __init__(self, *, groups: bool, white: int | None) -> None:
        super().__init__(self._describe_masks, self._part, self._both)
        self._groups = groups
        self._white = white

    def _describe_masks(self, states: States) -> NDArray[np.integer]:
        held = states.held > 0
        if states.part == 3:
            return np.column_stack([held.sum(axis=1), np.zeros(len(held), dtype=np.int64)])
        white = np.zeros(len(held), dtype=np.int64)
        if self._white is not None and self._white // 9 == states.part:
            held = held.copy()
            white += held[:, self._white % 9]
            held[:, self._white % 9] = False
        return np.column_stack([white, held @ (1 << np.arange(9))])

    def _part(self, part: int, row: tuple[int, ...]) -> tuple[int, tuple[tuple[int, int], ...]]:
        honours, mask = row
        if part == 3:
            return honours, ((0, 0),)
        if self._groups:
            return honours, tuple((1 << g, (mask & 0x49 << g).bit_count()) for g in range(3))
        return honours, tuple(
            (n, max((mask & choice).bit_count() for choice in _GAPS[n])) for n in range(1, 4)
        )

    def _both(
        self, a: tuple[int, tuple[tuple[int, int], ...]], b: tuple[int, tuple[tuple[int, int], ...]]
    ) -> tuple[int, tuple[tuple[int, int], ...]]:
        best: dict[int, int] = {}
        for i, x in a[1]:
            for j, y in b[1]:
                if not (self._groups and i & j):
                    best[i + j] = max(best.get(i + j, 0), x + y)
        # Of 14 tiles at most seven are honours, so the suits lack at most two of their nine.
        most = max(best)
        return a[0] + b[0], tuple(
            item for item in sorted(best.items()) if self._groups or item[0] >= most - 2
        )

    def missing(self, elements: Sequence[int]) -> int:
        """Return the tiles that lack to an unconnected hand."""
        honours, best = self.elements[elements[0]]
        return 14 - max(held + min(honours, 14 - (9 if self._groups else n)) for n, held in best)


def _gaps() -> dict[int, list[int]]:
    """List the sets of ranks at least three apart, by their number, as masks."""
    found: dict[int, list[int]] = {n: [] for n in range(4)}
    for mask in range(512):
        if not mask & (mask << 1 | mask << 2):
            found[mask.bit_count()].append(mask)
    return found


_GAPS: Final = _gaps()
