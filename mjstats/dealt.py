"""Dealt hands drawn at random under a condition, and the exact probability of the condition."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mjstats.counting import PARTS, States, Tiles, Trait, all_states, grouped

Stratum = tuple[int, ...]
"""Numbers that all hands of a stratum have."""

_BINOMIAL: Final = np.array(
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]]
)


@dataclass(frozen=True, slots=True)
class _Level:
    """Ways to hold some part of a hand, those of one group side by side.

    Parameters
    ----------
    rows : ndarray of int64, shape (groups, 1 + traits)
        Tiles and elements of the traits.
    first : ndarray of int64, shape (groups,)
        Physical hands before those of the group.
    weight : ndarray of int64, shape (groups,)
        Physical hands of the group.
    ends : ndarray of int64, shape (ways,)
        Physical hands up to and including each way.
    left, right : ndarray of int64, shape (ways,)
        What each way consists of: a state (both the same), or a group of either half.
    """

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    weight: NDArray[np.int64]
    ends: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        rows: NDArray[np.int64],
        weights: NDArray[np.int64],
        left: NDArray[np.int64],
        right: NDArray[np.int64],
    ) -> "_Level":
        """Put the ways of each group side by side."""
        rows, group = grouped(rows)
        order = np.argsort(group, kind="stable")
        ends = np.cumsum(weights[order])
        last = np.searchsorted(group[order], np.arange(len(rows)), side="right") - 1
        stop = ends[last]
        first = np.concatenate([[0], stop[:-1]]).astype(np.int64)
        return cls(rows, first, stop - first, ends, left[order], right[order])

    def draw(
        self, groups: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Choose a way of each group, each physical hand equally likely."""
        number = self.first[groups] + rng.integers(self.weight[groups])
        way = np.searchsorted(self.ends, number, side="right")
        return self.left[way], self.right[way]


class DealtHands:
    """All hands of `n` tiles by strata, from each of which hands can be drawn.

    Suits are counted one by one and put together, in integers that hold every number of hands; a
    hand is drawn by going the same way back. So a drawn hand has exactly the law of a dealt one of
    its stratum, and the strata have exactly their shares.

    Parameters
    ----------
    tiles : Tiles
        What is dealt from.
    n : int
        Tiles of a hand.
    traits : sequence of Trait
        What is asked of a hand.
    stratum : callable
        Gives the stratum of a hand from the elements of its traits.

    Examples
    --------
    >>> from mjstats.counting import Sum
    >>> from mjstats.traits import pairs
    >>> yancheng = Tiles(0, (4,) * 27 + (0,) * 7)
    >>> hands = DealtHands(yancheng, 13, [Sum(pairs, 7)], lambda elements: elements)
    >>> print(f"{float(hands.share[6,]):.6f}")
    0.000061
    >>> drawn = hands.draw((6,), 5, np.random.default_rng(1))
    >>> (drawn // 2).sum(axis=1).tolist()
    [6, 6, 6, 6, 6]
    """

    def __init__(
        self,
        tiles: Tiles,
        n: int,
        traits: Sequence[Trait],
        stratum: Callable[[tuple[int, ...]], Stratum],
    ) -> None:
        self._states = [all_states(part, tiles.honours) for part in range(4)]
        self._parts = [_part(tiles, part, traits, n) for part in range(4)]
        self._left = _both(self._parts[0], self._parts[1], traits, 0, n)
        self._right = _both(self._parts[2], self._parts[3], traits, 0, n)
        self._whole = _both(self._left, self._right, traits, n, n)
        self._traits = traits
        self._stratum = stratum
        total = tiles.hands(n)
        groups: dict[Stratum, list[int]] = {}
        for group, row in enumerate(self._whole.rows):
            groups.setdefault(stratum(tuple(map(int, row[1:]))), []).append(group)
        self._groups = {name: np.array(members) for name, members in groups.items()}
        #: Exact probability of each stratum.
        self.share: Final = {
            name: Fraction(sum(map(int, self._whole.weight[members])), total)
            for name, members in self._groups.items()
        }

    def draw(self, stratum: Stratum, size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Draw hands of a stratum, independent of each other.

        Parameters
        ----------
        stratum : tuple of int
            One of the keys of `share`.
        size : int
            Number of hands.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        ndarray of uint8, shape (size, 34)
            Copies of each kind.
        """
        members = self._groups[stratum]
        ends = np.cumsum(self._whole.weight[members])
        chosen = members[np.searchsorted(ends, rng.integers(ends[-1], size=size), side="right")]
        halves = self._whole.draw(chosen, rng)
        hands = np.zeros((size, 34), dtype=np.uint8)
        for half, level in enumerate((self._left, self._right)):
            for i, groups in enumerate(level.draw(halves[half], rng)):
                part = 2 * half + i
                held = self._states[part].held
                state, _ = self._parts[part].draw(groups, rng)
                hands[:, PARTS[part].start : PARTS[part].start + held.shape[1]] = held[state]
        return hands

    def strata(self, hands: NDArray[np.uint8]) -> list[Stratum]:
        """Tell the strata of hands.

        Parameters
        ----------
        hands : ndarray of uint8, shape (m, 34)
            Copies of each kind.

        Returns
        -------
        list of tuple of int
            Stratum of each.
        """
        elements: list[NDArray[np.uint16]] = []
        for part, states in enumerate(self._states):
            held = hands[:, PARTS[part]][:, : states.held.shape[1]]
            index = (held @ 5 ** np.arange(held.shape[1])).astype(np.int32)
            own = States(part, held, index, held.sum(axis=1).astype(np.uint8))
            here = [trait.of(own) for trait in self._traits]
            elements = (
                [_times(*both) for both in zip(self._traits, elements, here, strict=True)]
                if part
                else here
            )
        return [self._stratum(tuple(int(e[i]) for e in elements)) for i in range(len(hands))]


def _part(tiles: Tiles, part: int, traits: Sequence[Trait], most: int) -> _Level:
    """Group what may be held of one part."""
    states = all_states(part, tiles.honours)
    weights = np.ones(len(states.held), dtype=np.int64)
    for rank in range(states.held.shape[1]):
        weights *= _BINOMIAL[tiles.copies[PARTS[part]][rank], states.held[:, rank]]
    chosen = np.flatnonzero((weights > 0) & (states.tiles <= most))
    rows = np.column_stack([states.tiles, *(trait.of(states) for trait in traits)])
    return _Level.of(rows[chosen].astype(np.int64), weights[chosen], chosen, chosen)


def _both(a: _Level, b: _Level, traits: Sequence[Trait], least: int, most: int) -> _Level:
    """Group what two parts make together, `least` to `most` tiles."""
    tiles = np.add.outer(a.rows[:, 0], b.rows[:, 0])
    i, j = np.nonzero((tiles >= least) & (tiles <= most))
    columns = [tiles[i, j]]
    for column, trait in enumerate(traits, start=1):
        x, y = a.rows[:, column].astype(np.uint16), b.rows[:, column].astype(np.uint16)
        columns.append(trait.products(x, y)[x[i], y[j]])
    rows = np.column_stack(columns).astype(np.int64)
    return _Level.of(rows, a.weight[i] * b.weight[j], i, j)


def _times(trait: Trait, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Multiply elements one by one."""
    return np.asarray(trait.products(a, b)[a, b])
