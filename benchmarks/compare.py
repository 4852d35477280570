"""Our deals a second beside those of a compiled rival, in one run, on one core.

Every repeat runs the rival and then each game, so that a machine that grows slower or faster meets
all alike; the ratios are taken repeat by repeat and their medians printed.

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
    parser.add_argument(
        "--rulesets",
        default=",".join(mj.rulesets()["id"]),
        help="games [%(default)s]",
    )
    parser.add_argument(
        "--deals", type=int, default=100_000, help="of ours, a game and repeat [%(default)s]"
    )
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    command = shlex.split(options.rival)
    pattern = re.compile(options.pattern)
    rulesets = options.rulesets.split(",")
    rates: dict[str, list[tuple[float, float, float]]] = {name: [] for name in rulesets}
    with on_cores(1):  # the rival inherits it
        for name in rulesets:
            ours(name, deals=1000, seed=0)  # tables and imports are not part of the rate
        for repeat in range(options.repeats):
            b = rival(command, pattern=pattern)
            for name in rulesets:
                a = ours(name, deals=options.deals, seed=repeat)
                rates[name].append((a, b, a / b))
    rows = [
        (
            name,
            *map(statistics.median, zip(*of, strict=True)),
            min(r for *_, r in of),
            max(r for *_, r in of),
        )
        for name, of in rates.items()
    ]
    print(
        tabulate(
            rows,
            headers=["game", "ours, deals/s", "rival, deals/s", "ours / rival", "least", "most"],
            floatfmt=("", ",.0f", ",.0f", ".3f", ".3f", ".3f"),
        )
    )


if __name__ == "__main__":
    main()
