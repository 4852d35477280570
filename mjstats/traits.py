"""What may be asked of a hand suit by suit: distances, waits, features."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mjstats.counting import PARTS, SUITS, Interned, States, all_states, suit_tables

Kept = tuple[int, tuple[tuple[int, int], ...]]
"""Different honours; and for each way to choose the suit tiles, the most that are held."""

# Roles in which a wait completes a hand, as bits, and their letters: the pair, the middle of a run,
# the 3 of 123 or 7 of 789, any other end of a run, the third copy, a tile of an unconnected hand.
PAIR, CLOSED, EDGE, RUN_END, TRIPLET, FREE = (1 << bit for bit in range(6))
ROLE_LETTERS: Final = "TKPRSU"


def pairs(states: States) -> NDArray[np.integer]:
    """Count the pairs, four alike being two."""
    return np.asarray((states.held >> 1).sum(axis=1))


def twos(states: States) -> NDArray[np.integer]:
    """Count the kinds held at least twice."""
    return np.asarray((states.held >= 2).sum(axis=1))


def kinds(states: States) -> NDArray[np.integer]:
    """Count the kinds held."""
    return np.asarray((states.held >= 1).sum(axis=1))


def odd(states: States) -> NDArray[np.integer]:
    """Count the kinds held an odd number of times."""
    return np.asarray((states.held & 1).sum(axis=1))


def quads(states: States) -> NDArray[np.integer]:
    """Count the kinds held four times."""
    return np.asarray((states.held == 4).sum(axis=1))


def more_than_two(states: States) -> NDArray[np.integer]:
    """Tell whether a kind is held more than twice."""
    return np.asarray((states.held > 2).any(axis=1)).astype(np.uint8)


def suits(states: States) -> NDArray[np.integer]:
    """Count the suits held: 0 or 1 of one part, 0 of the honours."""
    return np.asarray((states.tiles > 0) & (states.part in SUITS)).astype(np.uint8)


def honours(states: States) -> NDArray[np.integer]:
    """Tell whether honours are held."""
    return np.asarray((states.tiles > 0) & (states.part not in SUITS)).astype(np.uint8)


HONOURS, OUTER, INNER = 1, 2, 4


def ends(states: States) -> NDArray[np.integer]:
    """Tell by flags whether honours, 1s or 9s, and other tiles are held."""
    if states.part not in SUITS:
        return np.asarray((states.tiles > 0) * HONOURS)
    outer = (states.held[:, [0, 8]] > 0).any(axis=1)
    inner = (states.held[:, 1:8] > 0).any(axis=1)
    return np.asarray(outer * OUTER + inner * INNER)


def terminal_or_honour(states: States) -> NDArray[np.integer]:
    """Tell whether a 1, a 9 or an honour is held."""
    return np.asarray(ends(states) & (HONOURS | OUTER) > 0).astype(np.uint8)


def both_terminals(states: States) -> NDArray[np.integer]:
    """Tell by flags whether 1s, and whether 9s are held; honours set both."""
    if states.part not in SUITS:
        return np.asarray((states.tiles > 0) * 3)
    return np.asarray((states.held[:, 0] > 0) + 2 * (states.held[:, 8] > 0))


HONOUR_TRIPLET, DRAGON_PAIR = 1, 2


def honour_sets(states: States) -> NDArray[np.integer]:
    """Tell by flags whether honours are held three times, and dragons twice."""
    if states.part in SUITS:
        return np.zeros(len(states.held), dtype=np.int64)
    triplet = (states.held == 3).any(axis=1)
    pair = (states.held[:, 4:] == 2).any(axis=1)
    return np.asarray(triplet * HONOUR_TRIPLET + pair * DRAGON_PAIR)


def not_scattered(states: States) -> NDArray[np.integer]:
    """Tell whether tiles are held that no unconnected hand has together."""
    close = (states.held > 1).any(axis=1)
    if states.part in SUITS:
        here = states.held > 0
        for gap in (1, 2):
            close |= (here[:, gap:] & here[:, :-gap]).any(axis=1)
    return np.asarray(close).astype(np.uint8)


class Sparse(Interned[Kept]):
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

    def _part(self, part: int, row: tuple[int, ...]) -> Kept:
        honours, mask = row
        if part == 3:
            return honours, ((0, 0),)
        if self._groups:
            return honours, tuple((1 << g, (mask & 0x49 << g).bit_count()) for g in range(3))
        return honours, tuple(
            (n, max((mask & choice).bit_count() for choice in GAPS[n])) for n in range(1, 4)
        )

    def _both(self, a: Kept, b: Kept) -> Kept:
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
        if self._groups:
            # Any 14 of the nine suit tiles and the seven honours.
            return 14 - min(14, honours + max(held for _, held in best))
        return 14 - max(held + min(honours, 14 - n) for n, held in best)


def _gaps() -> dict[int, list[int]]:
    """List the sets of ranks at least three apart, by their number, as masks."""
    found: dict[int, list[int]] = {n: [] for n in range(4)}
    for mask in range(512):
        if not mask & (mask << 1 | mask << 2):
            found[mask.bit_count()].append(mask)
    return found


GAPS: Final = _gaps()


@cache
def splits(part: int, tile_set: int) -> NDArray[np.bool_]:
    """Tell for each base-5 number whether the tiles are sets, or sets and a pair, without rest."""
    suit, honour, vectors, _ = suit_tables(tile_set, True)
    classes = suit if part in SUITS else honour
    states = all_states(part, (0, 4, 7)[tile_set])
    entry = states.tiles // 3 * 2 + (states.tiles % 3 == 2)
    whole = np.zeros(len(classes), dtype=np.bool_)
    whole[states.index] = vectors[classes[states.index], entry] == 0
    whole[states.index] &= states.tiles % 3 != 1
    return whole


class Waiting(NamedTuple):
    """How near a part of a 13-tile hand is to completion.

    Parameters
    ----------
    phase : int
        `WHOLE` (sets), `WAITS` (sets and a pair but for one tile), `HALF` (two tiles more than
        sets: it has the pair, or waits for the last set, or both), `TWO_HALVES`, `LOST`.
    pair : bool
        A half that is sets and a pair.
    kinds, tiles : int
        Kinds that it waits for, and live copies of them; of a half: if another part has the pair.
    roles : tuple of int
        Roles of these waits, if they are at most two.
    odd : int
        Kinds held an odd number of times, 2 for more or where seven pairs are out of reach.
    odd_tiles, odd_roles : int
        Live copies of the odd kind, and its roles among the waits.
    """

    phase: int
    pair: bool
    kinds: int
    tiles: int
    roles: tuple[int, ...]
    odd: int
    odd_tiles: int
    odd_roles: int


WHOLE, WAITS, HALF, TWO_HALVES, LOST = range(5)


class Waits(Interned[Waiting]):
    """Trait: the waits of a 13-tile hand, standard shape and seven pairs.

    Parts of a ready hand are whole but for one that waits with 3m + 1 tiles, or for two with
    3m + 2, of which one has the pair and the other waits; with seven pairs all kinds but one are
    held in pairs.

    Parameters
    ----------
    tile_set : int
        Kinds of which a winning hand may consist.
    formal : bool
        Whether kinds of which the hand holds all four copies are waits.
    standard : bool
        Whether the standard shape is played.
    pairs : int
        Most copies of a kind in seven pairs: 4, or 2 (seven different ones), or 0 (not played).
    """

    def __init__(self, *, tile_set: int, formal: bool, standard: bool, pairs: int) -> None:
        super().__init__(self._rows, self._part, self._both)
        self._tile_set = tile_set
        self._formal = formal
        self._standard = standard
        self._pairs = pairs

    def _rows(self, states: States) -> NDArray[np.integer]:
        held = states.held.astype(np.int64)
        whole = splits(states.part, self._tile_set)
        roles = _roles(states, whole)
        if not self._formal:
            roles[held == 4] = 0
        rest = states.tiles % 3
        here = whole[states.index]
        waits = (roles > 0).sum(axis=1)
        phase = np.select(
            [(rest == 0) & here, (rest == 1) & (waits > 0), (rest == 2) & (here | (waits > 0))],
            [WHOLE, WAITS, HALF],
            LOST,
        )
        if not self._standard:
            phase[:] = LOST
        tiles = ((roles > 0) * (4 - held)).sum(axis=1)
        first, second = np.zeros((2, len(held)), dtype=np.int64)
        for column in roles.T:
            second = np.where(first > 0, np.where(second > 0, second, column), 0)
            first = np.where(first > 0, first, column)
        many = waits > 2
        first[many], second[many] = 0, 0
        is_odd = held & 1 == 1
        odd = np.minimum(is_odd.sum(axis=1), 2)
        odd[(held > self._pairs).any(axis=1)] = 2
        one = odd == 1
        return np.column_stack(
            [
                phase,
                here & (phase == HALF),
                waits,
                tiles,
                first,
                second,
                odd,
                one * ((4 - held) * is_odd).sum(axis=1),
                one * (roles * is_odd).sum(axis=1),
            ]
        )

    def _part(self, part: int, row: tuple[int, ...]) -> Waiting | None:
        phase, pair, kinds, tiles, first, second, *odd = row
        roles = tuple(sorted(role for role in (first, second) if role))
        return _alive(Waiting(phase, bool(pair), kinds, tiles, roles, *odd))

    def _both(self, a: Waiting, b: Waiting) -> Waiting | None:
        odd, odd_tiles = min(a.odd + b.odd, 2), a.odd_tiles + b.odd_tiles
        if WHOLE in (a.phase, b.phase):
            part = a if b.phase == WHOLE else b
            return _alive(part._replace(odd=odd, odd_tiles=odd_tiles))
        if a.phase == b.phase == HALF:
            # Each waits only if the other has the pair.
            active = [x for x, other in ((a, b), (b, a)) if other.pair]
            kinds = sum(x.kinds for x in active)
            roles = sorted(role for x in active for role in x.roles) if kinds <= 2 else ()
            if kinds:
                return _alive(
                    Waiting(
                        TWO_HALVES,
                        False,
                        kinds,
                        sum(x.tiles for x in active),
                        tuple(roles),
                        odd,
                        odd_tiles,
                        sum(x.odd_roles for x in active),
                    )
                )
        return _alive(Waiting(LOST, False, 0, 0, (), odd, odd_tiles, 0))

    def waits(self, element: int) -> tuple[int, int, tuple[int, ...]]:
        """Return kinds, live tiles and roles (of at most two kinds) of the waits of a hand."""
        x = self.elements[element]
        kinds, tiles, roles = x.kinds, x.tiles, list(x.roles)
        if x.odd == 1 and x.odd_roles:
            if kinds <= 2:
                roles.remove(x.odd_roles)
                roles.append(x.odd_roles | PAIR)
        elif x.odd == 1:
            kinds, tiles = kinds + 1, tiles + x.odd_tiles
            roles.append(PAIR)
        return kinds, tiles, tuple(sorted(roles)) if kinds <= 2 else ()


def _alive(x: Waiting) -> Waiting | None:
    """Forget what no longer matters; None if the hand cannot become ready."""
    if x.odd == 2:
        x = x._replace(odd_tiles=0, odd_roles=0)
    if x.phase == LOST:
        return None if x.odd == 2 else Waiting(LOST, False, 0, 0, (), x.odd, x.odd_tiles, 0)
    return x


def _roles(states: States, whole: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Give the roles in which each kind would complete the part, 0 if it does not."""
    n = states.held.shape[1]
    roles = np.zeros((len(states.held), n), dtype=np.int64)
    for rank in range(n):
        for role, tiles in _partners(rank, runs=states.part in SUITS):
            enough = states.tiles % 3 != 0
            for partner, copies in Counter(tiles).items():
                enough = enough & (states.held[:, partner] >= copies)
            rest = states.index[enough] - sum(5**partner for partner in tiles)
            roles[enough, rank] |= role * whole[rest]
    return roles


def _partners(rank: int, *, runs: bool) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the roles that a tile can play, and the tiles that it needs for them."""
    yield PAIR, (rank,)
    yield TRIPLET, (rank, rank)
    if runs:
        if 0 < rank < 8:
            yield CLOSED, (rank - 1, rank + 1)
        if rank < 7:
            yield (EDGE if rank == 6 else RUN_END), (rank + 1, rank + 2)
        if rank > 1:
            yield (EDGE if rank == 2 else RUN_END), (rank - 2, rank - 1)


# What a part is to a hand that needs a triplet or a pair of dragons: nothing, sets, sets and a
# pair, each without and with such.
NO_SETS, SETS, SETS_CHA, PAIRED, PAIRED_CHA = range(5)


@cache
def _cha_states(part: int, tile_set: int) -> NDArray[np.uint8]:
    """Tell for each base-5 number what the tiles are to a hand that needs a triplet."""
    states = all_states(part, (0, 4, 7)[tile_set])
    whole = splits(part, tile_set)
    cha = np.zeros(len(states.held), dtype=np.bool_)
    for rank in range(states.held.shape[1]):
        enough = states.held[:, rank] >= 3
        cha[enough] |= whole[states.index[enough] - 3 * 5**rank]
    if part not in SUITS:
        cha |= (states.held[:, 4:] == 2).any(axis=1)
    found = np.zeros(len(whole), dtype=np.uint8)
    code = np.where(states.tiles % 3 == 2, PAIRED, SETS) + cha
    found[states.index] = np.where(whole[states.index], code, NO_SETS)
    return found


@dataclass(frozen=True, slots=True)
class Cha:
    """Trait: whether a hand can be read as sets and a pair, and so with a triplet (Changchun).

    Parameters
    ----------
    tile_set : int
        Kinds of which a winning hand may consist.
    """

    tile_set: int

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return what each state is: `NO_SETS` to `PAIRED_CHA`."""
        return _cha_states(states.part, self.tile_set)[states.index].astype(np.uint16)

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of what two parts are together."""
        return np.array([[cha_of_both(x, y) for y in range(5)] for x in range(5)], dtype=np.uint16)


def cha_of_both(a: int, b: int) -> int:
    """Give what two parts are together to a hand that needs a triplet.

    Parameters
    ----------
    a, b : int
        `NO_SETS` to `PAIRED_CHA`.

    Returns
    -------
    int
        Likewise.
    """
    if NO_SETS in (a, b) or (a >= PAIRED and b >= PAIRED):
        return NO_SETS
    cha = SETS_CHA in (a, b) or PAIRED_CHA in (a, b)
    return (PAIRED if max(a, b) >= PAIRED else SETS) + cha


_Shown = tuple[int, ...]


class Opened(Interned[_Shown]):
    """Trait: what is left of a hand when special kongs of it are shown.

    Elements tell for each choice of kongs what is left (`NO_SETS` to `PAIRED_CHA`), and at last
    whether all of it are pairs (`SETS`).

    Parameters
    ----------
    tile_set : int
        Kinds of which a winning hand may consist.
    shown : sequence of tuple of int
        Kinds of which a tile is shown, of each choice of kongs; the first choice shows nothing.
    pairs : int
        Most copies of a kind in seven pairs: 4, or 2, or 0 (not played).
    three_suits : bool
        Whether a hand without a suit is lost.
    shown_counts : bool
        Whether the shown tiles count as tiles of their suits.
    """

    def __init__(
        self,
        *,
        tile_set: int,
        shown: Sequence[tuple[int, ...]],
        pairs: int,
        three_suits: bool,
        shown_counts: bool,
    ) -> None:
        super().__init__(self._rows, lambda _, row: row if any(row) else None, self._both)
        self._tile_set = tile_set
        self._shown = shown
        self._pairs = pairs
        self._three_suits = three_suits
        self._shown_counts = shown_counts

    def _rows(self, states: States) -> NDArray[np.integer]:
        table = _cha_states(states.part, self._tile_set)
        place = PARTS[states.part]
        columns = []
        for kinds in self._shown:
            ranks = [kind - place.start for kind in kinds if place.start <= kind < place.stop]
            able = (states.held[:, ranks] > 0).all(axis=1)
            left = np.where(able, states.index - sum(5**rank for rank in ranks), 0)
            if self._three_suits and states.part in SUITS:
                able &= states.tiles > (0 if self._shown_counts else len(ranks))
            columns.append(np.where(able, table[left], NO_SETS))
        even = (states.held % 2 == 0).all(axis=1) & (states.held <= self._pairs).all(axis=1)
        if self._three_suits and states.part in SUITS:
            even &= states.tiles > 0
        return np.column_stack([*columns, even & (self._pairs > 0)])

    def _both(self, a: _Shown, b: _Shown) -> _Shown | None:
        both = tuple(cha_of_both(x, y) for x, y in zip(a, b, strict=True))
        return both if any(both) else None


class Room(Interned[int]):
    """Trait: the kinds that an unconnected hand of 13 tiles waits for.

    Hands that are not unconnected are left out. Any fitting tile completes the hand: with 13 tiles
    at least six are of the suits, and with exactly six all honours are held.
    """

    def __init__(self) -> None:
        super().__init__(self._rows, self._part, lambda a, b: a + b)

    def _rows(self, states: States) -> NDArray[np.integer]:
        held = states.held > 0
        mask = held @ (1 << np.arange(held.shape[1]))
        return np.column_stack([not_scattered(states), mask])

    def _part(self, part: int, row: tuple[int, ...]) -> int | None:
        bad, mask = row
        if bad:
            return None
        if part not in SUITS:
            return 7 - mask.bit_count()
        return sum(
            not mask >> max(rank - 2, 0) & (0b11111 >> max(2 - rank, 0)) for rank in range(9)
        )


class Sets(NamedTuple):
    """How a part of a complete hand can be read as sets.

    Parameters
    ----------
    pair : bool
        Whether it has the pair.
    triplets : int
        Numbers of triplets that readings have, as bits 0-4; 0 if there is no reading.
    straight : bool
        Whether a reading has the runs 123, 456, 789 of one suit.
    terminals : bool
        Whether a reading has a pair or triplet of 1s or 9s.
    """

    pair: bool
    triplets: int
    straight: bool
    terminals: bool


_NO_SETS: Final = Sets(False, 0, False, False)


class Readings(Interned[Sets]):
    """Trait: the readings of a hand as sets and a pair.

    Parameters
    ----------
    tile_set : int
        Kinds of which a winning hand may consist.
    """

    def __init__(self, *, tile_set: int) -> None:
        super().__init__(self._rows, self._part, self._both)
        self._tile_set = tile_set

    def _rows(self, states: States) -> NDArray[np.integer]:
        rows = np.zeros((len(states.held), 4), dtype=np.int64)
        suit = states.part in SUITS
        for i in np.flatnonzero(splits(states.part, self._tile_set)[states.index]):
            found = list(read(tuple(states.held[i].tolist()), runs=suit))
            triplets = sum({1 << len(thirds) for _, thirds, _ in found})
            straight = any({0, 3, 6} <= set(begun) for _, _, begun in found)
            ends = suit and any({0, 8} & {*eyes, *thirds} for eyes, thirds, _ in found)
            rows[i] = (states.tiles[i] % 3 == 2, triplets, straight, ends)
        return rows

    def _part(self, part: int, row: tuple[int, ...]) -> Sets:
        pair, triplets, straight, ends = row
        return Sets(bool(pair), triplets, bool(straight), bool(ends))

    def _both(self, a: Sets, b: Sets) -> Sets:
        if not (a.triplets and b.triplets) or (a.pair and b.pair):
            return _NO_SETS
        triplets = 0
        for number in range(5):
            if a.triplets >> number & 1:
                triplets |= b.triplets << number & 0b11111
        return Sets(
            a.pair or b.pair,
            triplets,
            a.straight or b.straight,
            a.terminals or b.terminals,
        )


def read(
    held: tuple[int, ...], *, runs: bool
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """Yield every way to read tiles of one part as sets and at most one pair.

    Parameters
    ----------
    held : tuple of int
        Copies by rank.
    runs : bool
        Whether there are runs.

    Yields
    ------
    tuple of three tuples of int
        Ranks of the pair (none or one), of the triplets, and lowest ranks of the runs.
    """
    left = list(held)

    def rest(
        rank: int, eyes: tuple[int, ...], thirds: tuple[int, ...], begun: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
        if rank == len(left):
            yield eyes, thirds, begun
            return
        for triplet in range(2):
            for pair in range(1 if eyes else 2):
                n = left[rank] - 3 * triplet - 2 * pair
                further = (rank + 1, rank + 2) if n else ()
                if n < 0 or (
                    n and not (runs and rank + 2 < len(left) and min(left[i] for i in further) >= n)
                ):
                    continue
                for i in further:
                    left[i] -= n
                yield from rest(
                    rank + 1, eyes + (rank,) * pair, thirds + (rank,) * triplet, begun + (rank,) * n
                )
                for i in further:
                    left[i] += n

    yield from rest(0, (), (), ())
