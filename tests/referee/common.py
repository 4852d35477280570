"""What all games share: tiles and their names, cases, options, payments."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.referee.shapes import N_KINDS, Counts, Group, counted

Json = dict[str, Any]
Value = bool | int | str

SEASON_NAMES = ("spring", "summer", "autumn", "winter")
PLANT_NAMES = ("plum", "orchid", "bamboo", "chrysanthemum")
SUZHOU_NAMES = ("rat", "god_of_wealth", "cat", "treasure_bowl", "baida")
NAMES = (
    *(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)),
    *(f"{rank}z" for rank in range(1, 8)),
    *SEASON_NAMES,
    *PLANT_NAMES,
    *SUZHOU_NAMES,
)
KIND = {name: kind for kind, name in enumerate(NAMES)}

SUITED = dict.fromkeys(range(27), 4)
HONOURS = dict.fromkeys(range(27, N_KINDS), 4)

MELD_FORMS = {
    "chow": "run",
    "pong": "triplet",
    "kong_exposed": "kong",
    "kong_added": "kong",
    "kong_concealed": "kong",
}
SPECIAL_KONGS = {
    "xuan_feng": (27, 28, 29, 30),
    "xi": (31, 32, 33),
    "yao": (0, 9, 18),
    "jiu": (8, 17, 26),
}
"""The tiles that a special kong is made of; its supplements are of the same kinds."""


class IllegalWinError(Exception):
    """A hand that may not win; the text is the reason."""


@dataclass(frozen=True)
class Meld:
    """A finished group on the table; `giver` is the seat that discarded its claimed tile.

    `played` are the tiles as which its tiles play, if that is not what they show.
    """

    type: str
    tiles: tuple[int, ...]
    giver: int | None = None
    played: tuple[int, ...] = ()

    @property
    def group(self) -> Group:
        tiles = self.played or self.tiles
        low, form = min(tiles), MELD_FORMS.get(self.type)
        if self.type in SPECIAL_KONGS:
            return Group("special", low, self.tiles)
        if form == "run":
            made = Group("run", low)
        elif form in ("triplet", "kong"):
            made = Group("triplet" if form == "triplet" else "kong", low)
        else:
            raise IllegalWinError("unknown_meld")
        if low >= N_KINDS or made.tiles != tuple(sorted(tiles)):
            raise IllegalWinError("malformed_meld")
        if form == "run" and (low >= 27 or low % 9 > 6):
            raise IllegalWinError("malformed_meld")
        return made


@dataclass(frozen=True)
class Win:
    """A claim to have won: what the winner holds and how the last tile came.

    `hand` is without `tile`, also for a dealt win. `source` is the discarder or the robbed seat.
    """

    hand: Counts
    melds: tuple[Meld, ...]
    flowers: tuple[int, ...]
    tile: int
    by: str
    winner: int
    source: int | None
    dealer: int
    context: Mapping[str, Any] = field(default_factory=dict)


def parse_tiles(text: str) -> list[int]:
    """Read suited tiles and honours such as `123m55z`."""
    if not re.fullmatch(r"([1-9]+[mps]|[1-7]+z)*", text.replace(" ", "")):
        raise ValueError(f"not a hand: {text!r}")
    groups = re.findall(r"(\d+)([mpsz])", text)
    return [KIND[rank + suit] for ranks, suit in groups for rank in ranks]


def parse_win(case: Json) -> Win:
    """Read a case of kind "win"; a dealt hand's fourteenth tile is its last."""
    tiles = parse_tiles(case["hand"])
    context = dict(case.get("context", {}))
    by = case["by"]
    if case["win_tile"] is None:
        n_melds = len(case.get("melds", []))
        if by not in ("self_draw", "dealt") or len(tiles) + 3 * n_melds != 14:
            raise IllegalWinError("hand_size")
        by, last = "dealt", tiles.pop()
    else:
        last = KIND[case["win_tile"]]
    if context.get("tian_hu") and by == "self_draw":
        by = "dealt"
    return Win(
        hand=counted(tiles),
        melds=tuple(
            Meld(m["type"], tuple(parse_tiles(m["tiles"])), m.get("from"))
            for m in case.get("melds", [])
        ),
        flowers=tuple(KIND[name] for name in case.get("flowers", [])),
        tile=last,
        by=by,
        winner=case["winner"],
        source=case.get("discarder"),
        dealer=case["dealer"],
        context=context,
    )


def check_tiles(
    win: Win, copies: Mapping[int, int], bonus: Collection[int], meld_types: Iterable[str]
) -> None:
    """Refuse what no player can hold: forbidden melds, a wrong size, more copies than exist."""
    for meld in win.melds:
        if meld.type not in meld_types:
            raise IllegalWinError("claim_not_allowed")
    if sum(win.hand) + 3 * len(win.melds) != 13:
        raise IllegalWinError("hand_size")
    own: Counter[int] = Counter({kind: n for kind, n in enumerate(win.hand) if n})
    own[win.tile] += 1
    for meld in win.melds:
        own.update(meld.group.tiles if not meld.played else meld.tiles)
    if any(kind in bonus for kind in own):
        raise IllegalWinError("bonus_tile_in_hand")
    if any(kind not in bonus for kind in win.flowers):
        raise IllegalWinError("not_a_flower")
    own.update(win.flowers)
    for kind, n in own.items():
        if n > copies.get(kind, 0):
            raise IllegalWinError("too_many_copies")


def check_source(win: Win, discard_ways: Sequence[str], own_ways: Sequence[str]) -> None:
    """Refuse an unknown way of winning, or a discarder where there is none and the reverse."""
    if win.by in discard_ways:
        if win.source is None or win.source == win.winner:
            raise IllegalWinError("no_discarder")
    elif win.by not in own_ways:
        raise IllegalWinError(f"no_win_by_{win.by}")
    elif win.source is not None:
        raise IllegalWinError("discarder_at_own_draw")


def pay(winner: int, shares: Mapping[int, int]) -> list[int]:
    """Return the four payments when each of the given seats pays its share to the winner."""
    payments = [-shares.get(seat, 0) for seat in range(4)]
    payments[winner] = sum(shares.values())
    return payments


@dataclass(frozen=True)
class Option:
    """An option's default and its values; without values any whole number from `least` on.

    The default is always allowed, such as "none" where there is no limit.
    """

    default: Value
    values: tuple[Value, ...] = ()
    least: int = 0

    def allows(self, value: object) -> bool:
        if type(value) is type(self.default) and value == self.default:
            return True
        if self.values:
            return any(type(value) is type(v) and value == v for v in self.values)
        return type(value) is int and value >= self.least


def switch(default: bool) -> Option:
    """Return an option that is true or false."""
    return Option(default, (True, False))


def split_changes(changes: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, int]]:
    """Part a case's `options` into options and element values (`elements.<id>.value`)."""
    options: dict[str, Value] = {}
    elements: dict[str, int] = {}
    for name, value in changes.items():
        found = re.fullmatch(r"elements\.(\w+)\.value", name)
        if found:
            elements[found[1]] = int(value)
        else:
            options[name.removeprefix("options.")] = value
    return options, elements


def parse_changes(text: str) -> dict[str, Value]:
    """Read the keys of `expect_under`: `option=value,option=value`."""

    def value(word: str) -> Value:
        if word in ("true", "false"):
            return word == "true"
        return int(word) if re.fullmatch(r"-?\d+", word) else word

    pairs = (part.split("=") for part in text.split(","))
    return {name.strip(): value(word.strip()) for name, word in pairs}
