"""How fast this machine is: rates of the core, each from rows or seeds in to rows out."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from mjstats import _core
from mjstats.hands import shanten
from mjstats.results import simulate
from mjstats.rulesets import ruleset as resolve_ruleset
from mjstats.tiles import N_KINDS

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd
    from numpy.typing import NDArray

    from mjstats.rulesets import Ruleset

SEED = 1
#: Hands in one call, and those of work whose answers are wide.
HANDS = 100_000
SOME = 10_000
#: Deals of one repeat: enough for blocks of full size, a second or less.
DEALS = 50_000


def rates(
    ruleset: "str | PathLike[str] | Ruleset" = "yancheng",
    *,
    seconds: float = 1.0,
    policies: str = "greedy",
) -> "pd.DataFrame":
    """Measure the rates of this machine; other work on it lowers them.

    Parameters
    ----------
    ruleset : str, path or Ruleset, default "yancheng"
        The game.
    seconds : float, default 1.0
        Least time for each rate, s.
    policies : str, default "greedy"
        Players of the deals.

    Returns
    -------
    pandas.DataFrame
        One row a rate: ``work``, ``cores``, ``n`` (pieces of work), ``seconds``, ``per_second``.
        Shanten and acceptance (kinds and copies, of every discard) are those of dealt hands of 14
        tiles from count rows; deals include scoring and the rows of the datasets.

    Examples
    --------
    >>> table = rates("plain", seconds=0)
    >>> bool((table["per_second"] > 0).all())
    True
    """
    import pandas as pd

    rules = resolve_ruleset(ruleset)
    hands = dealt_hands(rules, n=HANDS)
    some = hands[:SOME]
    shantens = np.empty((SOME, N_KINDS), np.int8)
    accepts = np.empty((SOME, N_KINDS), np.uint64)
    live = np.empty((SOME, N_KINDS), np.uint8)
    walls = np.empty((SOME, sum(rules.tile_counts)), np.uint8)
    record, key = _core.rule_record(rules), _core.seed_key(SEED)

    def accept() -> None:
        _core.discard_table(some, 0, rules.tile_set, rules.shapes, shantens, accepts, live)

    def play(workers: int) -> None:
        simulate(rules, deals=DEALS, seed=SEED, policies=policies, workers=workers)

    works: list[tuple[str, int, int, Callable[[], object]]] = [
        ("shanten", 1, HANDS, lambda: shanten(hands, ruleset=rules)),
        ("acceptance", 1, SOME, accept),
        ("walls", 1, SOME, lambda: _core.shuffled_walls(record, key, 0, walls)),
        ("deals", 1, DEALS, lambda: play(1)),
        ("deals", 2, DEALS, lambda: play(2)),
    ]
    rows = []
    for name, used, n, work in works:
        with on_cores(used):
            pieces, elapsed = measure(work, n=n, seconds=seconds)
        rows.append((name, used, pieces, elapsed, pieces / elapsed))
    return pd.DataFrame(rows, columns=["work", "cores", "n", "seconds", "per_second"])


def measure(work: Callable[[], object], *, n: int, seconds: float) -> tuple[int, float]:
    """Repeat some work and time it.

    Parameters
    ----------
    work : callable
        The work; called once before, so that nothing is built while the clock runs.
    n : int
        Pieces of work in one call.
    seconds : float
        Least time, s.

    Returns
    -------
    tuple of int and float
        Pieces done and the time they took, s.
    """
    work()
    pieces, start = 0, time.perf_counter()
    while True:
        work()
        pieces += n
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return pieces, elapsed


def dealt_hands(ruleset: "Ruleset", *, n: int) -> "NDArray[np.uint8]":
    """Deal hands of 14 playing tiles, each from a full set.

    Parameters
    ----------
    ruleset : Ruleset
        The game, which decides the tiles.
    n : int
        Number of hands.

    Returns
    -------
    ndarray of uint8, shape (n, 34)
        Counts by kind.
    """
    copies = [0 if kind in ruleset.bonus else ruleset.tile_counts[kind] for kind in range(N_KINDS)]
    wall = np.repeat(np.arange(N_KINDS), copies)
    generator = np.random.default_rng(SEED)
    order = generator.random((n, len(wall))).argpartition(14, axis=1)[:, :14]
    rows = np.zeros((n, N_KINDS), np.uint8)
    np.add.at(rows, (np.arange(n)[:, None], wall[order]), 1)
    return rows


@contextmanager
def on_cores(n: int) -> Iterator[None]:
    """Keep this thread, and those that it starts, on so many cores where the system can.

    Parameters
    ----------
    n : int
        Number of cores.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(allowed)[:n]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
