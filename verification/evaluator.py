"""The evaluator against the slow one on a million random hands, and the size of its tables.

Run from the repository root, with the core built in place: ``python verification/evaluator.py``
(``--hands N`` for another number, ``--workers N``). Half of the hands have melds, a fifth wild
tiles, a tenth are in turn; every answer is compared. Then all lawful melds of one suit are gone
through, to show that the classes of locked suits stay below 256. Exit code 1 on any difference.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations_with_replacement, repeat
from pathlib import Path

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1]))

from cython_core import _suits
from cython_core._hand import HandView
from tests.reference.hands import TILE_SETS, check

PART = 2000


def part(kinds: int, seed: int) -> list[str]:
    """Differences on one part of the hands."""
    return check(PART, kinds=kinds, seed=seed)


def suit_melds() -> list[tuple[int, ...]]:
    """List the copies by rank that one meld can lock in one suit, special kongs included."""
    melds = [tuple(int(k <= r < k + 3) for r in range(9)) for k in range(7)]
    melds += [tuple(n * (r == k) for r in range(9)) for k in range(9) for n in (3, 4)]
    # Changchun's yao and jiu kongs lock ones and nines of all suits, with supplements.
    melds += [tuple(n * (r == k) for r in range(9)) for k in (0, 8) for n in (1, 2)]
    return [(0,) * 9, *melds]


def states(room: list[int], tiles: int) -> Iterator[list[int]]:
    """Yield concealed copies of at most so many tiles."""
    if not room:
        yield []
        return
    for copies in range(min(room[0], tiles) + 1):
        for more in states(room[1:], tiles - copies):
            yield [copies, *more]


def locked_suits(melds: int) -> Iterator[tuple[int, Sequence[int], Sequence[int]]]:
    """Yield first kind, concealed and locked copies of every suit of a hand with so many melds."""
    tiles = 14 - 3 * melds
    locks = {
        tuple(map(sum, zip(*some, strict=True)))
        for some in combinations_with_replacement(suit_melds(), melds)
    }
    for lock in locks:
        if max(lock) <= 4:
            for held in states([4 - n for n in lock], tiles):
                yield 0, held, lock
    # The order of honours changes nothing.
    copies = [(held, lock) for lock in range(5) for held in range(5 - lock)]
    for some in combinations_with_replacement(copies, 7):
        held, lock = zip(*some, strict=True)
        if sum(held) <= tiles:
            yield 27, held, lock


def main() -> int:
    """Compare, count, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    failed = False
    parts = -(-arguments.hands // (PART * len(TILE_SETS)))
    seeds = range(1000 * arguments.seed, 1000 * arguments.seed + parts)
    with ProcessPoolExecutor(arguments.workers, max_tasks_per_child=20) as pool:
        for kinds in TILE_SETS:
            found: list[str] = []
            runs = pool.map(part, repeat(kinds), seeds)
            for differences in tqdm(
                runs, total=parts, desc=f"{kinds} kinds", unit_scale=PART, mininterval=2
            ):
                found += differences
            failed |= bool(found)
            for line in found[:20]:
                print(line)
            print(f"{kinds} kinds: {PART * parts} hands, {len(found)} differences")

    for melds in range(1, 5):
        for first, held, lock in tqdm(locked_suits(melds), desc=f"{melds} melds", mininterval=2):
            counts, locked = np.zeros((2, 34), np.uint8)
            counts[first : first + len(held)] = held
            locked[first : first + len(lock)] = lock
            HandView(counts, locked, melds, 2, 1).shanten()
    sizes = _suits.known_classes()
    print("classes for 0 to 4 sets:", *sizes)
    return int(failed or max(sizes) >= 256)


if __name__ == "__main__":
    sys.exit(main())
