"""The form of the events of a log: which fields an event has, and of which type."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from tests.referee.common import KIND, Json


@dataclass(frozen=True)
class Field:
    """A field's type and whether it may be left out."""

    what: str
    test: Callable[[object], bool]
    optional: bool = False


def is_int(value: object) -> bool:
    return type(value) is int


def is_seat(value: object) -> bool:
    return type(value) is int and 0 <= value <= 3


def is_tile(value: object) -> bool:
    return isinstance(value, str) and value in KIND


def is_text(value: object) -> bool:
    return isinstance(value, str)


def list_of(test: Callable[[object], bool], size: int | None = None) -> Callable[[object], bool]:
    """Return the test for a list whose items pass a test."""

    def check(value: object) -> bool:
        return isinstance(value, list) and all(map(test, value)) and size in (None, len(value))

    return check


def is_object(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def is_amounts(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_text, value)) and all(map(is_int, value.values()))


def is_meld(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) - {"from"} == {"type", "tiles"}
        and is_text(value["type"])
        and is_text(value["tiles"])
        and ("from" not in value or is_seat(value["from"]))
    )


INT = Field("a whole number", is_int)
COUNT = Field("a whole number from 0", lambda value: type(value) is int and value >= 0)
SEAT = Field("a seat", is_seat)
GIVER = Field("a seat", is_seat, optional=True)
TILE = Field("a tile", is_tile)
TILES = Field("a list of tiles", list_of(is_tile))
TEXT = Field("a text", is_text)
FLAG = Field("true or false", lambda value: type(value) is bool)
OBJECT = Field("an object", is_object)
BY_PAYER = Field(
    "an object of a payer's amounts by seat",
    lambda value: isinstance(value, dict) and all(map(is_amounts, value.values())),
)
BIDS = Field(
    "a list of bids or an object of amounts",
    lambda value: list_of(is_text)(value) or is_amounts(value),
)
AMOUNTS = Field("an object of whole numbers", is_amounts)
PAYMENTS = Field("four whole numbers", list_of(is_int, 4))
OPTIONS = Field(
    "an object of options and elements",
    lambda value: (
        isinstance(value, dict)
        and set(value) == {"options", "elements"}
        and all(map(is_object, value.values()))
    ),
)

FIELDS: Mapping[str, Mapping[str, Field]] = {
    "start": {
        "schema": INT,
        "ruleset": TEXT,
        "digest": TEXT,
        "options": OPTIONS,
        "seed": COUNT,
        "match": COUNT,
        "deal": COUNT,
        "deal_in_match": COUNT,
        "dealer": SEAT,
        "round": COUNT,
        "round_wind": TILE,
        "carried": OBJECT,
        "wall": TILES,
    },
    "bid": {"seat": SEAT, "bids": BIDS},
    "deal": {"hands": Field("four lists of tiles", list_of(list_of(is_tile), 4))},
    "indicator": {"tile": TILE, "wall_index": Field("a whole number from 0", COUNT.test, True)},
    "flower": {
        "seat": SEAT,
        "tile": TILE,
        "replacement": Field("a tile or null", lambda value: value is None or is_tile(value)),
        "wall_index": Field("a whole number from 0", COUNT.test, optional=True),
    },
    "draw": {"seat": SEAT, "tile": TILE, "wall_index": COUNT, "from": TEXT},
    "discard": {"seat": SEAT, "tile": TILE},
    "ready": {
        "seat": SEAT,
        "mode": TEXT,
        "waits": TILES,
        "fang": Field("true or false", FLAG.test, optional=True),
    },
    "chow": {"seat": SEAT, "tiles": TILES, "tile": TILE, "from": SEAT},
    "pong": {"seat": SEAT, "tiles": TILES, "tile": TILE, "from": SEAT},
    "kong": {"seat": SEAT, "tiles": TILES, "kind": TEXT, "from": GIVER},
    "special_kong": {"seat": SEAT, "kind": TEXT, "tiles": TILES},
    "supplement": {"seat": SEAT, "kind": TEXT, "tile": TILE},
    "kong_payment": {"seat": SEAT, "kind": TEXT, "payments": PAYMENTS},
    "bao": {
        "tile": Field("a tile or null", lambda value: value is None or is_tile(value)),
        "wall_index": Field(COUNT.what, COUNT.test, optional=True),
        "dice": Field("a list of whole numbers", list_of(is_int), optional=True),
        "seen_by": Field("a list of seats", list_of(is_seat), optional=True),
        "reroll": FLAG,
    },
    "bao_view": {"seat": SEAT, "tile": TILE},
    "rob": {"seat": SEAT, "from": SEAT, "tile": TILE, "how": TEXT},
    "win": {
        "seat": SEAT,
        "by": TEXT,
        "tile": TILE,
        "from": GIVER,
        "hand": TILES,
        "melds": Field("a list of melds", list_of(is_meld)),
        "flowers": TILES,
    },
    "exhausted": {"tiles_left": COUNT},
    "end": {"payments": PAYMENTS, "carried": OBJECT, "dealer": SEAT, "match_over": FLAG},
}
RESULT_FIELDS: Mapping[str, Field] = {
    "elements": AMOUNTS,
    "factors": AMOUNTS,
    "payer_elements": BY_PAYER,
    "fan": INT,
    "payer_fans": AMOUNTS,
    "base_total": INT,
    "multiplier": INT,
    "payments": PAYMENTS,
}


def form_faults(event: object, result_fields: Collection[str]) -> list[str]:
    """Return what is wrong with the form of an event."""
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return ["an event is an object with a text in `event`"]
    name = event["event"]
    if name not in FIELDS:
        return [f"there is no event {name!r}"]
    fields = dict(FIELDS[name])
    if name == "win":
        fields |= {field: RESULT_FIELDS[field] for field in result_fields}
    faults = [f"unknown field {field!r}" for field in event if field not in {*fields, "event"}]
    for field, wanted in fields.items():
        if field not in event:
            if not wanted.optional:
                faults.append(f"field {field!r} is missing")
        elif not wanted.test(event[field]):
            faults.append(f"{field!r} must be {wanted.what}, not {event[field]!r}")
    return faults


def describe(event: Json | None) -> str:
    """Return an event as a few words for a message."""
    if event is None:
        return "the end of the log"
    parts = [str(event.get("event"))]
    parts += [f"{key} {event[key]}" for key in ("seat", "tile", "tiles", "kind") if key in event]
    return ", ".join(parts)
