"""Programs that pip can install beside us, in one run on one core.

    python -m pip install -r benchmarks/peers.txt
    python benchmarks/peers.py

Each peer gets the same hands of 14 tiles in its own representation (converting is not timed).
Acceptance is that of every discard of a hand. The peers play other games (Japanese rules) with
policies of their own, so their deals/s say what a user of such a simulator gets, no more. A dash:
not offered.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from tabulate import tabulate

import mjstats as mj
from mjstats.bench import dealt_hands, on_cores, rates

SEED = 1
Work = Callable[[], int]


@dataclass(frozen=True)
class Peer:
    """What one program offers: each function does some work and says how many units it was."""

    shanten: Work | None = None
    acceptance: Work | None = None
    deals: Work | None = None


def each(function: Callable[..., Any], hands: Iterable[Any]) -> Work:
    """Call a function that takes one hand on all of them."""
    hands = list(hands)

    def work() -> int:
        for hand in hands:
            function(hand)
        return len(hands)

    return work


def with_discards(function: Callable[[Any], Any], hands: Sequence[Sequence[Any]]) -> Work:
    """Call a function that takes 13 tiles on every discard of each hand of 14."""

    def work() -> int:
        for rests in hands:
            for rest in rests:
                function(rest)
        return len(hands)

    return work


def discards(tiles: list[int]) -> list[list[int]]:
    """Give the 13 tiles that each kind of discard leaves."""
    return [
        tiles[: tiles.index(kind)] + tiles[tiles.index(kind) + 1 :] for kind in sorted(set(tiles))
    ]


def mahjong(hands: list[list[int]]) -> Peer:
    """Load ``mahjong``: plain Python, shanten from count lists."""
    shanten = importlib.import_module("mahjong.shanten").Shanten.calculate_shanten
    return Peer(each(shanten, (np.bincount(hand, minlength=34).tolist() for hand in hands)))


def pymahjonggb(hands: list[list[int]]) -> Peer:
    """Load ``PyMahjongGB``: C++, the standard shape gives shanten and useful tiles."""
    module = importlib.import_module("MahjongGB")
    names = [
        f"{suit}{i}"
        for suit, n in (("W", 9), ("B", 9), ("T", 9), ("F", 4), ("J", 3))
        for i in range(1, n + 1)
    ]
    rests = [[tuple(names[tile] for tile in rest) for rest in discards(hand)] for hand in hands]
    return Peer(
        each(lambda hand: module.MahjongShanten((), hand), (hand[0] for hand in rests)),
        with_discards(module.RegularShanten, rests),
    )


def riichienv(hands: list[list[int]]) -> Peer:
    """Load ``riichienv``: Rust; matches of random agents."""
    module = importlib.import_module("riichienv")
    agent = importlib.import_module("riichienv.agents").RandomAgent(SEED)
    # Four physical tiles of a kind stand side by side.
    copies = [[4 * tile + hand[:i].count(tile) for i, tile in enumerate(hand)] for hand in hands]

    def match() -> int:
        table = module.RiichiEnv(game_mode="4p-red-half", skip_mjai_logging=True)
        seen, deals = table.reset(), set()
        while not table.done():
            seen = table.step({seat: agent.act(view) for seat, view in seen.items()})
            deals.add((table.round_wind, table.kyoku_idx, table.honba))
        return len(deals)

    return Peer(each(module.calculate_shanten, copies), deals=match)


def jansou(hands: list[list[int]]) -> Peer:
    """Load ``jansou``: Python with a native kernel; matches of its agents by efficiency."""
    tiles = importlib.import_module("jansou.core.tiles")
    hand_type = importlib.import_module("jansou.core.hand").Hand
    kinds = list(tiles.TileKind)
    objects = [hand_type([tiles.Tile(kinds[tile]) for tile in hand]) for hand in hands]
    environment = importlib.import_module("jansou.game.environment").Environment
    rules = importlib.import_module("jansou.core.rules").preset("tenhou")
    agent = importlib.import_module("jansou.game.agents").SmartEfficiencyAgent

    def match() -> int:
        table = environment(rules)
        table.run([agent() for _ in range(4)])
        return len(table.records)

    return Peer(
        each(importlib.import_module("jansou.analysis.shanten").shanten, objects),
        each(importlib.import_module("jansou.analysis.efficiency").discard_evaluation, objects),
        match,
    )


def cmajiang(hands: list[list[int]]) -> Peer:
    """Load ``cmajiang``: C++ behind pybind11."""
    module = importlib.import_module("cmajiang")

    def shoupai(hand: list[int]) -> Any:
        return module.Shoupai(
            "".join(
                letter
                + "".join(
                    str(tile - first + 1) for tile in sorted(hand) if first <= tile < first + 9
                )
                for letter, first in (("m", 0), ("p", 9), ("s", 18), ("z", 27))
            )
        )

    rests = [[shoupai(rest) for rest in discards(hand)] for hand in hands]
    return Peer(
        each(module.xiangting, (shoupai(hand) for hand in hands)),
        with_discards(module.tingpai, rests),
    )


PEERS = {
    "mahjong": mahjong,
    "PyMahjongGB": pymahjonggb,
    "riichienv": riichienv,
    "jansou": jansou,
    "cmajiang": cmajiang,
}


def main() -> None:
    """Measure every program that is installed and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=1000, help="for each peer [%(default)s]")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each number [%(default)s]")
    options = parser.parse_args()

    rows = dealt_hands(mj.ruleset("plain"), n=options.hands)
    hands = [np.repeat(np.arange(len(row)), row).tolist() for row in rows]
    ours = {ruleset: rates(ruleset, seconds=options.seconds) for ruleset in ("plain", "yancheng")}
    table = [
        (f"mjstats, {ruleset}", mj.__version__, *found["per_second"][[0, 1, 3]])
        for ruleset, found in ours.items()
    ]
    with on_cores(1):
        for name, load in PEERS.items():
            try:
                peer = load(hands)
            except ImportError as error:
                print(f"{name}: not measured: {error}", file=sys.stderr)
                continue
            works = (peer.shanten, peer.acceptance, peer.deals)
            found = [None if work is None else rate(work, options.seconds) for work in works]
            table.append((name, version(name), *found))
    print(
        tabulate(
            table,
            headers=["program", "version", "shanten/s", "acceptance hands/s", "deals/s"],
            floatfmt=",.0f",
            missingval="-",
            disable_numparse=[1],
        )
    )


def rate(work: Work, seconds: float) -> float:
    """Units a second: the work is repeated until the time is over."""
    work()
    units, start = 0, time.perf_counter()
    while True:
        units += work()
        if (elapsed := time.perf_counter() - start) >= seconds:
            return units / elapsed


if __name__ == "__main__":
    main()
