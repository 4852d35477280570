"""Rare elements against plain simulation, against exact values, and over repeated runs.

Run from the repository root: ``python verification/rare.py [--full]``. Prints a line a check and
ends with exit code 1 if one fails: beyond 4.5 standard errors, by chance once in about 10,000 runs.
``--full`` also estimates the rarest elements, luxury seven pairs of three quads among them, and
fails if a relative standard error of 5 % is not reached (hours on two cores).
"""

import argparse
import sys

import numpy as np

import mjstats as mj

LIMIT = 4.5
RARE = (
    ("greedy:fei_ting", "hao_hua_qi_dui=2", 4_000_000),
    ("greedy:fei_ting", "hao_hua_qi_dui=4", 4_000_000),
    ("greedy:fei_ting", "hao_hua_qi_dui=8", 40_000_000),
    ("greedy", "peng_peng_hu+qing_yi_se", 8_000_000),
    ("greedy", "qi_dui+qing_yi_se", 4_000_000),
    ("greedy", "kongs=4", 4_000_000),
)


def against_plain(*, deals: int, seed: int) -> bool:
    """Compare every method with one long plain run."""
    run = mj.simulate("yancheng", deals=deals, seed=seed)
    table = run.frequencies()
    plain = table[table["per"] == "deal"].set_index("element")
    fine = True
    for element, method in (
        ("qi_dui", "copies"),
        ("qi_dui", "shanten"),
        ("duan_men", "suit"),
        ("yi_tiao_long", "copies+suit"),
        ("peng_peng_hu", "split"),
        ("peng_peng_hu", "copies"),
        ("qing_yi_se", "split"),
        ("qing_yi_se", "suit"),
    ):
        row = mj.rare("yancheng", element, seed=seed, deals=deals // 4, method=method).iloc[0]
        rate = plain.loc[element]
        z = (row["p"] - rate["p"]) / np.hypot(row["se"], rate["se"])
        fine &= abs(z) < LIMIT
        print(f"{element} by {method}: {row['p']:.3e}, plain {rate['p']:.3e}, z = {z:+.2f}")
    return fine


def repeated(*, runs: int, deals: int, seed: int) -> bool:
    """Check the mean of many small estimates, and how often their intervals hold."""
    fine = True
    table = mj.simulate("yancheng", deals=3 * deals, seed=seed).frequencies()
    plain = table[table["per"] == "deal"].set_index("element")
    for element, method in (
        ("peng_peng_hu", "split"),
        ("qing_yi_se", "split"),
        ("qing_yi_se", "suit"),
    ):
        truth = plain.loc[element]
        rows = [
            mj.rare("yancheng", element, seed=seed, deals=10_000, method=method).iloc[0]
            for seed in range(runs)
        ]
        p = np.array([row["p"] for row in rows])
        z = (p.mean() - truth["p"]) / np.hypot(p.std(ddof=1) / np.sqrt(runs), truth["se"])
        # The plain run has an error of its own; the mean of all estimates has hardly any.
        holds = np.mean([row["ci_low"] <= p.mean() <= row["ci_high"] for row in rows])
        least = 0.95 - LIMIT * np.sqrt(0.95 * 0.05 / runs)
        fine &= abs(z) < LIMIT and holds >= least
        print(f"{element} by {method}: {runs} runs, z of the mean {z:+.2f}, coverage {holds:.3f}")
    return fine


def rarest(*, seed: int) -> bool:
    """Estimate what plain simulation cannot, and tell how long plain simulation would take."""
    fine = True
    for policies, element, deals in RARE:
        game = "plain" if element == "kongs=4" else "yancheng"
        row = mj.rare(game, element, seed=seed, deals=deals, policies=policies).iloc[0]
        plain = 1 / row["p"] / row["rel_se"] ** 2
        fine &= bool(row["reached"])
        print(
            f"{element} ({policies}): {row['p']:.3e}, relative error {row['rel_se']:.3f}, "
            f"{row['n'] + row['pilot']:,} deals; plain simulation needs {plain:.1e}",
            flush=True,
        )
    return fine


def main() -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    fine = against_plain(deals=given.deals, seed=given.seed)
    fine &= repeated(runs=given.runs, deals=given.deals, seed=given.seed + 1)
    if given.full:
        fine &= rarest(seed=given.seed)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
