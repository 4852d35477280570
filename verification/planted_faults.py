"""Faults planted in the Yancheng module, one at a time: each must be caught.

Run from the repository root, with the core built: ``python verification/planted_faults.py``.
Every fault is a small wrong change of ``cython_core/_yancheng.pyx``, compiled in a copy of the
project and held against the referee (logs of played deals), the referee's scores (random wins) and
the slow twin of ``greedy``. Words after the command choose the faults whose names hold them. Ends
with exit code 1 if one slips through. About ten minutes on two cores.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULE = Path("cython_core/_yancheng.pyx")

# What is wrong, the right text (once in the module) and the wrong one.
FAULTS = [
    (
        "three-suited hands may declare ting",
        "    if table.rules.option[THREE_SUITS_MUST_FLY] and",
        "    if False and",
    ),
    ("nobody may declare ting", "    return 1 << TING | 1 << FEI_TING", "    return 1 << FEI_TING"),
    (
        "jia forgotten",
        "    win.context[JIA] = table.carried.counter[0]",
        "    win.context[JIA] = 0",
    ),
    (
        "bonus tiles at declaring taken at the win",
        "seat.bonus_at_mode if seat.mode else seat.n_bonus",
        "seat.n_bonus",
    ),
    ("tian hu not recognised", "win.by == BY_DEALT or win.context", "win.context"),
    (
        "no credit for the opening window",
        "seat.opening_mode == 1 or (",
        "seat.opening_mode == 3 or (",
    ),
    ("dealer's first discard uncredited", "win.winner == win.dealer or not", "False or not"),
    (
        "discarder's state after the discard",
        "DISCARDER_STATE] = discarder.mode_at_discard",
        "DISCARDER_STATE] = discarder.mode",
    ),
    ("nines are no terminals", "kind % 9 == 0 or kind % 9 == 8", "kind % 9 == 0"),
    ("runs close on their low end", "    if tile == run + 1:", "    if tile == run:"),
    ("3 of 123 closes nothing", "run % 9 == 0 and tile == run + 2", "False"),
    ("7 of 789 closes nothing", "run % 9 == 6 and tile == run)", "False)"),
    ("bonus for any number of waits", "(n_waits == 1 or not exact)", "True"),
    ("doubling wait bonus too often", "<< (min(k, tiers) - 1)", "<< min(k, tiers)"),
    ("wait bonus capped at two", "== 80 else 3", "== 80 else 2"),
    (
        "pair wait called ya dang",
        "value[DA_DIAO_CHE if on_pair else YA_DANG] = closed",
        "value[YA_DANG] = closed",
    ),
    ("dui dao whatever else is waited for", "triplet = live == (", "triplet = True or live == ("),
    ("bellies of the tile drawn only", "if not rules.option[BELLY_OF_WIN_TILE]:", "if False:"),
    (
        "edge bellies never count",
        "bellies = closing_runs(reading, tile, edges) > 0",
        "bellies = closing_runs(reading, tile, False) > 0",
    ),
    (
        "seven pairs never da diao che",
        "(standard or rules.option[SEVEN_PAIRS_DA_DIAO])",
        "standard",
    ),
    ("terminal kongs count three", "            terminals += 4", "            terminals += 3"),
    ("no terminal pair", "terminals += 2 * is_terminal(reading.pair)", "terminals += 0"),
    (
        "terminal triplets count two",
        "terminals += 3 * is_terminal(kind)",
        "terminals += 2 * is_terminal(kind)",
    ),
    ("kongs are no triplets", "cdef int triplets = win.hand.melds", "cdef int triplets = 0"),
    ("straight from any three runs", ">> (3 * i) & 7 == 7", ">> (3 * i) & 7 == 3"),
    (
        "seven pairs earn nothing",
        "        value[QI_DUI] = rules.value[QI_DUI]",
        "        value[QI_DUI] = 0",
    ),
    ("plants are no set", "        n += count[i] == 4", "        n += i < 8 and count[i] == 4"),
    ("rounded down to tens", "(base + 9) // 10 * 10", "base // 10 * 10"),
    ("undeclared wins stand", "        return NOT_DECLARED", "        return LEGAL"),
    ("fei ting wins on a discard", "        return SELF_DRAW_ONLY", "        return LEGAL"),
    ("anybody's tian hu", "            return NOT_DEALER", "            return LEGAL"),
    ("two suits unpaid", "    if suits == 2:", "    if suits == 4:"),
    ("one suit as missing suit", "    elif suits == 1:", "    elif suits == 0:"),
    ("kongs are no deng zi", "(win.hand.melds + flower_kongs(win))", "flower_kongs(win)"),
    (
        "hei zi by tiles at the win",
        "black = win.context[FLOWERS_AT_TING] == 0",
        "black = win.n_bonus == 0",
    ),
    ("opening ting never paid", "if win.context[OPENING_TING] and", "if False and"),
    (
        "ting self-draw doubled",
        "multiply(value, TING_SELF_DRAW, rules.value[TING_SELF_DRAW])",
        "multiply(value, TING_SELF_DRAW, 2)",
    ),
    (
        "every discard is da fei ji",
        "        if state == FEI_TING:\n",
        "        if state != FEI_TING:\n",
    ),
    ("jia doubles at zero too", "    if win.context[JIA] > 0:", "    if win.context[JIA] >= 0:"),
    ("luxury on any wait", "    if live != <uint64_t>1 << tile or", "    if"),
    ("luxury tiers squared", "<< (quads - 1))", "<< quads)"),
    ("worst reading scored", "base * factor > best", "base * factor < best"),
    ("discard paid by all", "(win.by == BY_DISCARD and payer != win.discarder)", "False"),
    ("duel ignored", "            share *= 2", "            share *= 1"),
    (
        "counter falls on a draw",
        "        after.counter[0] += 1\n    elif",
        "        after.counter[0] += 0\n    elif",
    ),
    (
        "counter moves at zero",
        "    elif before.counter[0] > 0:",
        "    elif before.counter[0] >= 0:",
    ),
    ("dealer's win lowers the counter", "1 if dealer_won else -1", "-1"),
]

PROBE = """
import sys
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset
from tests.referee.replay import check_log
from tests.reference.greedy import faults
from tests.reference.wins import compare_wins

for seed in range(4):
    if compare_wins("yancheng", seed, 1500)[1]:
        sys.exit(7)
rules = ruleset("yancheng")
for trace in replay_range("yancheng", seed=6, deals=range(20), policies="greedy"):
    if faults(trace.events, rules, {0, 1, 2, 3}):
        sys.exit(7)
changed = [{}, {"opening_ting_credit": "window_only"}, {"three_suits_must_fly": True}]
for changes in changed:
    for policies in ("greedy", "random"):
        run = {"seed": 5, "deals": range(2000), "policies": policies, "changes": changes}
        for trace in replay_range("yancheng", **run):
            if check_log(trace.events, wins_taken=True):
                sys.exit(7)
"""
CAUGHT = 7


def plant(fault: tuple[str, str, str]) -> tuple[str, bool]:
    """Compile one fault in a copy of the project and look whether it is caught."""
    what, right, wrong = fault
    text = (ROOT / MODULE).read_text(encoding="utf-8")
    if text.count(right) != 1:
        raise SystemExit(f"{what}: {right!r} stands {text.count(right)} times in {MODULE}")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "mjstats"
        ignored = shutil.ignore_patterns(".git", ".venv*", "results", "docs", "*_cache")
        shutil.copytree(ROOT, copy, ignore=ignored)
        (copy / MODULE).write_text(text.replace(right, wrong), encoding="utf-8")
        environment = os.environ | {"PYTHONPATH": str(copy)}
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(build, cwd=copy, env=environment, check=True, capture_output=True)
        probe = subprocess.run(
            [sys.executable, "-P", "-c", PROBE],
            cwd=copy,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        if probe.returncode not in (0, CAUGHT):
            raise SystemExit(f"{what}: the probe broke\n{probe.stderr}")
        return what, probe.returncode == CAUGHT


def main() -> None:
    """Plant every fault (or those that hold the words given) and say which were caught."""
    chosen = [fault for fault in FAULTS if " ".join(sys.argv[1:]) in fault[0]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(plant, chosen))
    for what, caught in results:
        print("caught " if caught else "MISSED ", what)
    missed = sum(not caught for _, caught in results)
    print(f"{len(results) - missed} of {len(results)} planted faults caught")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
