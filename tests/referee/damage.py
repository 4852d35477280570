"""Writing logs to try the step machine on, finding events in them, and damaging them."""

from collections.abc import Callable
from copy import deepcopy
from functools import cache

from tests.referee.common import Json, Value, parse_tiles
from tests.referee.game import Game
from tests.referee.player import Habits, play_deal
from tests.referee.replay import check_log

Log = list[Json]
Mutation = Callable[[Log], None]


def stacked(*hands: str, last: str = "9p", then: str = "") -> tuple[int, ...]:
    """Return the first tiles of a wall: four hands in turn order, the 14th, and what follows."""
    return tuple(parse_tiles("".join(hands))) + tuple(parse_tiles(last + then))


@cache
def search(
    game: Game, wanted: Callable[[Log], bool], habits: Habits, first: tuple[int, ...] = ()
) -> Log:
    """Return the first log that the player writes with what is wanted, over a wall's beginning."""
    logs = (play_deal(game, seed, habits=habits, first=first) for seed in range(2000))
    return next(log for log in logs if wanted(log))


def places(log: Log, name: str, /, **fields: object) -> list[int]:
    """Return the places of the events of a kind with the given fields."""
    return [
        place
        for place, event in enumerate(log)
        if event["event"] == name and all(event.get(key) == v for key, v in fields.items())
    ]


def first(log: Log, name: str, /, **fields: object) -> Json:
    return log[places(log, name, **fields)[0]]


def has(name: str, /, **fields: object) -> Callable[[Log], bool]:
    return lambda log: bool(places(log, name, **fields))


def set_field(name: str, field: str, value: object, /, **where: object) -> Mutation:
    def damage(log: Log) -> None:
        first(log, name, **where)[field] = value

    return damage


def drop(name: str, /, **where: object) -> Mutation:
    def damage(log: Log) -> None:
        del log[places(log, name, **where)[0]]

    return damage


def drop_field(name: str, field: str) -> Mutation:
    def damage(log: Log) -> None:
        del first(log, name)[field]

    return damage


def change_option(name: str, value: Value) -> Mutation:
    def damage(log: Log) -> None:
        log[0]["options"]["options"][name] = value

    return damage


def assert_noticed(log: Log, damage: Mutation, text: str) -> None:
    """Assert that a log is clean, and that its damage is noticed with a text."""
    log = deepcopy(log)
    assert check_log(log, wins_taken=True) == []
    damage(log)
    faults = check_log(log, wins_taken=True)
    assert any(text in fault for fault in faults), faults
