"""The referee replays many deals of every game: every step, every payment.

Run from the repository root: ``python verification/referee.py [--deals 20000] [--game yancheng]``.
Plays each game under ``random`` and ``greedy`` (with each declaration and each bid), with its
defaults (``--deals`` each) and under each other value of every option (a tenth of that; of a range
its ends and what lies beside the default). Prints a line a setting and ends with exit code 1 if the
referee finds anything. About an hour on two cores.
"""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parents[1]))

from mjstats.policies import policy_names
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset, ruleset_ids
from tests.referee.replay import check_log
from tests.reference.options import other_values

SEED = 97
CHUNK = 500


def settings(game: str, deals: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield changes to the defaults and how many deals to play under them."""
    yield {}, deals
    yield from (({name: value}, deals // 10) for name, value in other_values(game))


def policies_of(game: str) -> Iterator[str]:
    """Yield the policies to play a game under."""
    yield from policy_names()
    rules = ruleset(game)
    yield from (f"greedy:{mode}" for mode in rules.modes[1:])
    for bid in rules.bids:
        if isinstance(bid, str):
            yield f"greedy:{bid}=2"
        else:
            # One bid a seat, so that winner and payers differ.
            seats = (bid * 4)[:4]
            yield ",".join(f"greedy:bids={word}" for word in seats)


def check(game: str, policy: str, changes: dict[str, Any], first: int, n: int) -> list[str]:
    """Return what the referee finds in deals ``first`` to ``first + n`` of a run."""
    traces = replay_range(
        game, seed=SEED, deals=range(first, first + n), policies=policy, changes=changes
    )
    # A wild head is given up for a piao by whoever is told to make one.
    wins_taken = "piao" not in policy
    return [
        f"{trace!r}: {fault}"
        for trace in traces
        for fault in check_log(trace.events, wins_taken=wins_taken)
    ]


@click.command(help=__doc__)
@click.option("--deals", default=20_000, show_default=True, help="Deals a game and policy.")
@click.option("--game", "games", multiple=True, help="Only these games.")
@click.option("--defaults", is_flag=True, help="Only the default options.")
def main(deals: int, games: tuple[str, ...], defaults: bool) -> None:
    """Check every setting and say what was found."""
    failed = False
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for game in games or ruleset_ids():
            for policy in policies_of(game):
                chosen = [({}, deals)] if defaults else settings(game, deals)
                for changes, n in chosen:
                    chunks = [
                        pool.submit(check, game, policy, changes, first, min(CHUNK, n - first))
                        for first in range(0, n, CHUNK)
                    ]
                    faults = [fault for chunk in chunks for fault in chunk.result()]
                    what = ", ".join(f"{name}={value}" for name, value in changes.items())
                    click.echo(
                        f"{game} {policy} {what or 'defaults'}: {n} deals, {len(faults)} faults"
                    )
                    for fault in faults[:5]:
                        click.echo(f"  {fault}")
                    failed |= bool(faults)
    sys.exit(failed)


if __name__ == "__main__":
    main()
