"""Our deals a second beside those of a compiled rival, in one run, on one core.

Repeats alternate (ours, rival, ours, rival, …) so that a machine that grows slower or faster meets
both alike; the ratio is taken pair by pair and its median printed.

    python benchmarks/compare.py --rival "./rival 300000"
"""

import argparse
import re
import shlex
import statistics
import subprocess
import time

from tabulate import tabulate

import mjstats as mj
from mjstats.bench import on_cores


def ours(ruleset: str, *, deals: int, seed: int) -> float:
    """Deals a second of one worker: walls, play, scoring and the rows of the datasets."""
    start = time.perf_counter()
    mj.simulate(ruleset, deals=deals, seed=seed, policies="greedy", workers=1)
    return deals / (time.perf_counter() - start)


def rival(command: list[str], *, pattern: re.Pattern[str]) -> float:
    """Rate that the rival prints itself (stdout or stderr)."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = pattern.search(done.stdout + done.stderr)
    if found is None:
        raise SystemExit(f"{command[0]}: no rate in its output; --pattern is {pattern.pattern!r}")
    return float(found.group(1).replace(",", ""))


def main() -> None:
    """Read the options, run the repeats, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rival", required=True, help="program and its arguments, in one string")
    parser.add_argument(
        "--pattern",
        default=r"(?:games|deals)/s\D*([\d.,]+(?:e[+-]?\d+)?)",
        help="regular expression whose first group is the rival's rate [%(default)s]",
    )
    parser.add_argument("--ruleset", default="yancheng")
    parser.add_argument(
        "--deals", type=int, default=300_000, help="of ours, a repeat [%(default)s]"
    )
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    command = shlex.split(options.rival)
    pattern = re.compile(options.pattern)
    rows = []
    with on_cores(1):  # the rival inherits it
        ours(options.ruleset, deals=1000, seed=0)  # tables and imports are not part of the rate
        for repeat in range(options.repeats):
            a = ours(options.ruleset, deals=options.deals, seed=repeat)
            b = rival(command, pattern=pattern)
            rows.append((str(repeat + 1), a, b, a / b))
    rows.append(("median", *(statistics.median(row[i] for row in rows) for i in (1, 2, 3))))
    print(
        tabulate(
            rows,
            headers=["repeat", "ours, deals/s", "rival, deals/s", "ours / rival"],
            floatfmt=("", ",.0f", ",.0f", ".3f"),
        )
    )


if __name__ == "__main__":
    main()
