"""Random wins under random rules, scored by the core and by the referee."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import mjstats as mj
from tests.referee.changchun import Changchun
from tests.referee.common import IllegalWinError, Json, Value, parse_win
from tests.referee.game import Game
from tests.referee.suqian import Suqian
from tests.referee.suzhou import Suzhou
from tests.referee.yancheng import Yancheng
from tests.referee.yiwu import Yiwu
from tests.reference import (
    changchun_wins,
    suqian_wins,
    suzhou_wins,
    yancheng_wins,
    yiwu_wins,
)


@dataclass(frozen=True)
class Wins:
    """How the wins of a game are made up.

    `rules` says which options of a range are changed, and how; those with words or switches are
    changed now and then whatever it says. By house rule an element is worth one of `worth`.
    """

    referee: type[Game]
    case: Callable[[random.Random, dict[str, Value]], Json]
    rules: Callable[[random.Random], dict[str, Value]] = lambda rng: {}
    worth: range = range(1, 60)


GAMES = {
    "yancheng": Wins(Yancheng, lambda rng, _: yancheng_wins.random_case(rng)),
    "suqian": Wins(Suqian, lambda rng, _: suqian_wins.random_case(rng)),
    "suzhou": Wins(Suzhou, lambda rng, _: suzhou_wins.random_case(rng)),
    "changchun": Wins(
        Changchun,
        lambda rng, _: changchun_wins.random_case(rng),
        rules=changchun_wins.random_rules,
        worth=range(5),
    ),
    "yiwu": Wins(Yiwu, yiwu_wins.random_case, rules=yiwu_wins.random_rules),
}


def compare_wins(game: str, seed: int, n: int) -> tuple[Counter[str], list[str]]:
    """Score random hands under random rules both ways: what came up, and differences."""
    rng = random.Random(seed)
    wins = GAMES[game]
    seen: Counter[str] = Counter()
    differences: list[str] = []
    for _ in range(n):
        options = {
            name: rng.choice(option.values)
            for name, option in wins.referee.option_table.items()
            if option.values and rng.random() < 0.2
        } | wins.rules(rng)
        elements = {
            name: rng.choice(wins.worth)
            for name in wins.referee.element_values
            if rng.random() < 0.1
        }
        case = wins.case(rng, options)
        changes = options | {f"elements.{name}.value": worth for name, worth in elements.items()}
        expected: list[Json] = []
        with suppress(IllegalWinError):
            expected = wins.referee(options, elements).settle(parse_win(case))
        ours: dict[str, Any] | None = None
        try:
            ours = {"legal": True, **mj.score(case, ruleset=game, changes=changes).as_dict()}
            seen.update(["legal", *ours["elements"], *ours["factors"]])
            seen.update(name for payer in ours.get("payer_elements", {}).values() for name in payer)
        except mj.NotAWin as error:
            seen[error.reason] += 1
        except mj.MjstatsError:
            seen["refused"] += 1
        if (ours not in expected) if ours else expected:
            differences.append(f"{case} under {changes}: {ours}, expected {expected}")
    return seen, differences
