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
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

import mjstats as mj
from mjstats import exact

ALARMS = 0.001
GAMES = {
    "yancheng": mj.ruleset("yancheng"),
    "plain": mj.ruleset("plain"),
    "plain, seven pairs": mj.ruleset("plain", changes={"seven_pairs": True}),
}
SEATS = np.arange(4)
# Elements of a heavenly win that depend on the tiles alone, whatever reading is scored.
TIAN_HU = {
    "el_duan_men": "two_suits",
    "el_qing_yi_se": "one_suit",
    "el_peng_peng_hu": "all_triplets",
}


class Cell(NamedTuple):
    """A number of events among n, and their exact probability."""

    name: str
    k: int
    n: int
    p: float

    @property
    def z(self) -> float:
        """Distance in standard errors."""
        return float((self.k - self.n * self.p) / np.sqrt(self.n * self.p * (1 - self.p)))

    @property
    def tail(self) -> float:
        """Two-sided p-value: twice the smaller tail."""
        law = stats.binom(self.n, self.p)
        return float(min(1.0, 2 * min(law.cdf(self.k), law.sf(self.k - 1))))


def table_cells(
    name: str, table: pd.DataFrame, keys: list[str], seen: pd.DataFrame
) -> Iterator[Cell]:
    """Yield a cell for each row of an exact table, and one for what it says cannot happen."""
    found = seen.groupby(keys, observed=True).size()
    left = len(seen)
    for row in table[table["count"] > 0].to_dict("records"):
        key = tuple(row[key] for key in keys)
        k = int(found.get(key if len(keys) > 1 else key[0], 0))
        left -= k
        if row["p"] < 1:
            yield Cell(f"{name} {', '.join(map(str, key))}", k, len(seen), row["p"])
    if left:
        yield Cell(f"{name} impossible", left, len(seen), 0.0)


def by_order(deals: pd.DataFrame, name: str, order: int) -> NDArray[np.int64]:
    """Give a column of the seats as that of the seat so many after the dealer."""
    values = np.stack([deals[f"{name}_{seat}"] for seat in SEATS], axis=1)
    return values[np.arange(len(deals)), (deals["dealer"].to_numpy() + order) % 4].astype(np.int64)


def cells(rules: mj.Ruleset, *, deals: int, seed: int) -> Iterator[Cell]:
    """Play a game and yield every cell that has an exact value."""
    run = mj.simulate(rules, deals=deals, seed=seed)
    played, listens = run.deals, run.listens
    bonus = exact.bonus(rules).query("stage == 'replaced'")
    waits = [(keys, exact.waits(rules, by=keys)) for keys in (["kinds", "live"], ["wait_class"])]
    # Before the first discard a seat sees no tile but its own.
    listens = listens[listens["turn"] == 0].rename(columns={"live_visible": "live"})
    dealer = played["dealer"].to_numpy()[listens["deal"].to_numpy()]
    listens = listens.assign(order=(listens["seat"].to_numpy() - dealer) % 4)
    for order in range(4):
        seen = pd.DataFrame({name: by_order(played, name, order) for name in ("shanten", "bonus")})
        hands = exact.shanten(rules, tiles=13 + (order == 0))
        yield from table_cells(f"seat {order}: shanten", hands, ["shanten"], seen)
        if rules.bonus:
            law = bonus[bonus["order"] == order]
            yield from table_cells(f"seat {order}: bonus tiles", law, ["bonus"], seen)
        if order:
            for keys, table in waits:
                dealt = listens[listens["order"] == order]
                name = f"seat {order}: waits by {', '.join(keys)}:"
                yield from table_cells(name, table, keys, dealt)
    if "el_tian_hu" in played:
        wins = played[played["el_tian_hu"] > 0]
        (complete,) = exact.complete(rules)["p"]
        yield Cell("tian hu", len(wins), len(played), complete)
        features = exact.features(rules).set_index("feature")["p"]
        for element, feature in TIAN_HU.items():
            k = int((wins[element] > 0).sum())
            yield Cell(
                f"tian hu with {element.removeprefix('el_')}", k, len(wins), features[feature]
            )


def main(deals: int = 1_000_000, seed: int = 1) -> int:
    """Play, compare, print, and return the exit code."""
    found = [
        (f"{game}: {cell.name}", cell, cell.tail)
        for game, rules in GAMES.items()
        for cell in cells(rules, deals=deals, seed=seed)
    ]
    limit = ALARMS / len(found)
    found.sort(key=lambda item: item[2])
    z = np.array([cell.z for _, cell, _ in found if cell.n * cell.p * (1 - cell.p) > 25])
    alarms = [item for item in found if item[2] < limit]
    print(f"{len(found)} cells of {len(GAMES)} games, {deals:,} deals each, seed {seed}")
    print(
        f"alarm if a p-value is below {limit:.2g} (|z| about {stats.norm.isf(limit / 2):.1f}): "
        f"false alarms over all cells in at most {ALARMS:.1%} of the seeds"
    )
    print(
        f"cells with more than 25 expected: {len(z)}, "
        f"largest |z| {np.abs(z).max():.2f}, mean square of z {np.square(z).mean():.2f}"
    )
    for name, cell, tail in found[:10]:
        mark = "BAD" if tail < limit else "ok "
        print(f"{mark} p-value {tail:.2g}: {cell.k:,} of {cell.n:,}, exact {cell.p:.6g}  {name}")
    print(f"{len(alarms)} alarms")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
