"""Coverage of the intervals with control variates, over many runs of Yancheng.

Run from the repository root: ``python verification/control_variates.py``. Many short runs of
different seeds are held against one long run of another seed. For each row: how often the interval
holds the long run's value, with controls and without; whether the standard errors are as large as
the estimates scatter; whether their mean is right; and the variance ratio, as the tables say it and
as the estimates show it. Exit code 1 if a row fails.
"""

import argparse
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import mjstats as mj
from mjstats.results import Run

LONG_SEED = 2**40
# Rows, and the greatest variance ratio that they may show: below 1 where dealt hands matter,
# little above 1 where they do not.
SETTLEMENTS = {
    ("is_dealer", True): 0.98,
    ("is_dealer", False): 0.98,
    ("seat", 0): 1.0,
    ("seat", 3): 1.0,
}
RATES = {
    ("win", "deal"): 1.02,
    ("win_by_self_draw", "deal"): 1.02,
    ("duan_men", "deal"): 1.02,
    ("qi_dui", "deal"): 1.02,
    ("qi_shou_ting", "deal"): 0.8,
    ("jia_jia", "deal"): 1.02,
    ("win_by_discard", "win"): 1.02,
    ("yao_jiu", "win"): 1.02,
    ("qi_shou_ting", "win"): 0.8,
}
LIMITS = {f"{key}={value}": limit for (key, value), limit in SETTLEMENTS.items()} | {
    f"{element} per {per}": limit for (element, per), limit in RATES.items()
}


def rows(run: Run, *, control: bool) -> Iterator[pd.Series]:
    """Yield the rows of a run's tables in the order of `LIMITS`."""
    for key, value in SETTLEMENTS:
        table = run.expected_settlements(by=key, control=control)
        yield table[table[key] == value].iloc[0]
    table = run.frequencies(control=control).set_index(["element", "per"])
    for name in RATES:
        yield table.loc[name].rename({"p": "mean"})


def estimates(run: Run, *, control: bool) -> np.ndarray:
    """Return mean, se, ci_low, ci_high of each row; shape (rows, 4)."""
    names = ["mean", "se", "ci_low", "ci_high"]
    return np.array([row[names].to_numpy(dtype=float) for row in rows(run, control=control)])


def main() -> int:
    """Print every row and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--deals", type=int, default=2000, help="of each short run")
    parser.add_argument("--long", type=int, default=2_000_000, help="deals of the long run")
    parser.add_argument("--workers", type=int)
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        long = mj.simulate(
            "yancheng",
            deals=args.long,
            seed=LONG_SEED,
            workers=args.workers,
            out=f"{folder}/long",
        )
        truth, truth_se = estimates(long, control=True)[:, :2].T
        del long
    both = np.empty((args.repeats, 2, len(LIMITS), 4))
    for seed in range(args.repeats):
        run = mj.simulate("yancheng", deals=args.deals, seed=seed, workers=1)
        both[seed] = [estimates(run, control=control) for control in (False, True)]
    noise = 4 / np.sqrt(args.repeats)
    covered = ((both[..., 2] <= truth) & (truth <= both[..., 3])).mean(axis=0)
    scatter = both[..., 0].var(axis=0, ddof=1)
    size = (both[..., 1] ** 2).mean(axis=0) / scatter
    shift = (both[..., 0].mean(axis=0) - truth) / np.sqrt(scatter / args.repeats + truth_se**2)
    ratio = (both[:, 1, :, 1] ** 2 / both[:, 0, :, 1] ** 2).mean(axis=0)
    print(
        f"{args.repeats} runs of {args.deals} deals, long run of {args.long}\n"
        "     covered (plain)  se^2/var  bias z  ratio (seen)"
    )
    failed = 0
    for i, (name, limit) in enumerate(LIMITS.items()):
        good = (
            abs(covered[1, i] - 0.95) <= 0.01 + noise * np.sqrt(0.05 * 0.95)
            and abs(size[1, i] - 1) <= 0.05 + noise * np.sqrt(2)
            and abs(shift[1, i]) <= 4
            and ratio[i] <= limit
        )
        failed += not good
        print(
            f"{'ok ' if good else 'BAD'}  {covered[1, i]:.4f} ({covered[0, i]:.4f})  "
            f"{size[1, i]:8.3f}  {shift[1, i]:6.2f}  {ratio[i]:.3f} "
            f"({scatter[1, i] / scatter[0, i]:.3f})  {name}"
        )
    print("not ok" if failed else "ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
