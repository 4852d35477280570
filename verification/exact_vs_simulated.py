"""Exact values against long runs: every cell, with one false-alarm rate over all of them.

Run from the repository root: ``python verification/exact_vs_simulated.py [DEALS [SEED]]``. Each
game is played for so many deals (1,000,000); what was dealt is counted by the seats' order from the
dealer and compared with the counts of `mjstats.exact`: shanten and bonus tiles of all four seats,
waits of hands dealt ready, heavenly wins and their features. Deals are independent, so the count of
a cell is binomial under the exact probability, and its p-value (twice the smaller tail) is exact.
An alarm is a p-value below 0.001 divided by the number of all cells: if the engine and the counts
agree, the whole command alarms in at most one of a thousand seeds. Ends with exit code 1 on an
alarm.
"""

import sys

import pandas as pd
from scipy import stats

import mjstats as mj
from mjstats.against import against_exact

ALARMS = 0.001
GAMES = {
    "yancheng": mj.ruleset("yancheng"),
    "plain": mj.ruleset("plain"),
    "plain, seven pairs": mj.ruleset("plain", changes={"seven_pairs": True}),
}


def main(deals: int = 1_000_000, seed: int = 1) -> int:
    """Play, compare, print, and return the exit code."""
    tables = [
        against_exact(mj.simulate(rules, deals=deals, seed=seed)).assign(game=game)
        for game, rules in GAMES.items()
    ]
    found = pd.concat(tables).sort_values("p_value")
    limit = ALARMS / len(found)
    alarms = found[found["p_value"] < limit]
    z = found.loc[found["n"] * found["exact"] * (1 - found["exact"]) > 25, "z"]
    print(f"{len(found)} cells of {len(GAMES)} games, {deals:,} deals each, seed {seed}")
    print(
        f"alarm if a p-value is below {limit:.2g} (|z| about {stats.norm.isf(limit / 2):.1f}): "
        f"false alarms over all cells in at most {ALARMS:.1%} of the seeds"
    )
    print(
        f"cells with more than 25 expected: {len(z)}, "
        f"largest |z| {z.abs().max():.2f}, mean square of z {(z**2).mean():.2f}"
    )
    for row in found.head(10).itertuples():
        mark = "BAD" if row.p_value < limit else "ok "
        print(
            f"{mark} p-value {row.p_value:.2g}: {row.k:,} of {row.n:,}, exact {row.exact:.6g}  "
            f"{row.game}: {row.what}, seat {row.seat}: {row.cell}"
        )
    print(f"{len(alarms)} alarms")
    return 1 if len(alarms) else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
