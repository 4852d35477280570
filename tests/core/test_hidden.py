"""A policy never sees another's tiles, the wall or a tile that was shown to others alone.

Every decision of whole matches is taken twice: on the table as it is, and with all hidden tiles
dealt out anew. The answers are the same. Others' waits, shanten and tiles of face-down kongs are
spoilt too, so that these are not read either.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mjstats import _core
from mjstats.policies import policy_codes
from mjstats.rulesets import Ruleset, ruleset, ruleset_ids
from tests.core.extension import compiled

HERE = Path(__file__).parent / "blind"
QUESTIONS = ("turn", "claim", "opening", "bid", "win", "bao")
# Changchun's bao: 1 + its kind in the table's notes, and who has seen it in the seats'.
HIDDEN = {"changchun": (0, 0)}
CHANGES: dict[str, dict[str, Any]] = {"changchun": {"bao_reroll": "optional"}}


@pytest.fixture(scope="module", autouse=True)
def blind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with compiled(HERE / "_blind.pyx", tmp_path_factory.mktemp("blind")):
        yield


def record_of(rules: Ruleset) -> _core.RuleRecord:
    """A record of its own: its hooks are exchanged."""
    return _core._compiled.__wrapped__(rules.digest, rules)


def answers(game: str, policies: str, *, peek: bool = False) -> dict[str, tuple[int, int]]:
    """Count by kind of question how often it was asked and how often the answers differed."""
    rules = ruleset(game, changes=CHANGES.get(game, {}))
    record = record_of(rules)
    module = import_module("cython_core._blind")
    module.watch(record, hidden=HIDDEN.get(game, (-1, -1)), peek=peek, seed=5)
    codes = policy_codes(policies, modes=rules.modes, bids=rules.bids)
    if peek:
        # A match of players who never win may have no end.
        log = _core.MatchLog(record, codes, seed=12, match=0)
        for deal in range(10):
            log.events(deal)
    else:
        # Random players hardly ever win, so that their matches are long.
        n_matches = 5 if policies == "random" else 8
        _core.play_matches(record, codes, seed=12, first_match=0, n_matches=n_matches)
    return dict(zip(QUESTIONS, module.answers(), strict=True))


@pytest.mark.parametrize("game", ruleset_ids())
@pytest.mark.parametrize("policies", ["random", "greedy", "greedy,random,greedy,random"])
def test_decisions_do_not_depend_on_hidden_tiles(game: str, policies: str) -> None:
    found = answers(game, policies)
    for question, (_, differ) in found.items():
        assert differ == 0, question
    assert found["turn"][0] > 3000
    rules = ruleset(game)
    if rules.switches.allow_pong:
        assert found["claim"][0] > 100
    if rules.bids:
        assert found["bid"][0] > 50
    if game == "changchun":
        assert policies == "random" or found["bao"][0] > 0


@pytest.mark.parametrize("game", ruleset_ids())
def test_a_player_that_peeks_is_noticed(game: str) -> None:
    asked, differ = answers(game, "greedy", peek=True)["turn"]
    assert differ > asked / 10
