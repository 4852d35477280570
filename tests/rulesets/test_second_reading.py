"""The catalogue against the referee, whose author read the rules without seeing it."""

import pytest

from mjstats.rulesets import ruleset, ruleset_ids
from tests.referee.replay import GAMES

READ_TWICE = sorted(GAMES.keys() & ruleset_ids())


@pytest.mark.parametrize("name", ruleset_ids())
def test_a_ruleset_is_checked_if_and_only_if_there_is_a_second_reading(name: str) -> None:
    assert (ruleset(name).status == "checked") == (name in GAMES)


@pytest.mark.parametrize("name", READ_TWICE)
def test_both_readings_agree(name: str) -> None:
    game, second = ruleset(name), GAMES[name]
    assert {kind: n for kind, n in enumerate(game.tile_counts) if n} == dict(second.copies)
    assert set(game.bonus) == set(second.bonus)
    assert game.modes == tuple(second.modes)
    assert set(game.options) == set(second.option_table)
    for option, form in game.definition.options.items():
        other = second.option_table[option]
        assert form.default == other.default
        assert type(form.default) is type(other.default)
        for value in form.choices or (form.min, form.max):
            assert other.allows(value), (option, value)
    assert {item.id: item.value for item in game.elements} == dict(second.element_values)


@pytest.mark.parametrize("name", READ_TWICE)
def test_both_readings_agree_on_claims(name: str) -> None:
    switches, second = ruleset(name).switches, GAMES[name]
    claims = {
        "chow": switches.allow_chow,
        "pong": switches.allow_pong,
        "kong": switches.allow_exposed_kong,
    }
    assert {claim for claim, allowed in claims.items() if allowed} == set(second.claims)
    assert switches.allow_added_kong == ("added" in second.own_kongs)
