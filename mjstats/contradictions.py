"""Wins that no deal can end with, however the hand scores: told by what else a worked case says.

Refused is only what the rules make impossible. What a case leaves open stays open: it lists the
winner's melds and bonus tiles, and of the others only what it names.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mjstats.errors import ArgumentError, quoted
from mjstats.rulesets import Ruleset
from mjstats.tiles import KIND_NAMES, N_KINDS, SPECIAL_KONGS, Meld, parse_tile

_CLAIMED: Final = ("chow", "pong", "kong_exposed", "kong_added")
_OWN_DRAWS: Final = ("self_draw", "kong_draw", "flower_draw", "dealt")
_MOST_MELDS: Final = 4
# Tiles of a set that no tile replaces: three dragons, ones or nines that were shown, too.
_SET: Final = 3


@dataclass(frozen=True, slots=True)
class Told:
    """A win as a case tells it.

    Parameters
    ----------
    rules : Ruleset
    by : str
        How the win came about.
    winner, dealer : int
        Seats.
    discarder : object
        As the case has it.
    tile : int
        Kind of the winning tile.
    hand : sequence of int
        Kinds of the concealed tiles, the winning one included.
    melds : sequence of Meld
    n_bonus : int
        Bonus tiles that the winner holds.
    wild : int or None
        Face of the wild tiles.
    context : mapping
        As the case has it; every value is of the form that the game asks for.
    """

    rules: Ruleset
    by: str
    winner: int
    dealer: int
    discarder: object
    tile: int
    hand: Sequence[int]
    melds: Sequence[Meld]
    n_bonus: int
    wild: int | None
    context: Mapping[str, Any]

    def melded(self, *types: str) -> bool:
        """Whether the winner has a meld of one of the types."""
        return any(meld.type in types for meld in self.melds)

    def copies(self, kind: int) -> int:
        """Count the copies of a kind that the winner had before the winning tile."""
        melded = sum(meld.tiles.count(kind) for meld in self.melds)
        return list(self.hand).count(kind) - (kind == self.tile) + melded


def refuse_contradictions(told: Told) -> None:
    """Refuse a win that cannot be.

    Parameters
    ----------
    told : Told

    Raises
    ------
    ArgumentError
        With the field, what it says, and what rules it out.
    """
    if complaint := _how(told):
        raise ArgumentError(complaint)
    for name, check in _CHECKS.items():
        value = told.context.get(name)
        if value is None or value is False:
            continue
        if complaint := check(told, value):
            raise ArgumentError(f"context.{name}: {complaint}")


def _how(told: Told) -> str | None:
    if told.by == "kong_draw" and all(len(meld.tiles) == _SET for meld in told.melds):
        return "by: 'kong_draw', but no kong is among the winner's melds, which a tile replaces"
    shown = Counter(meld.type for meld in told.melds if meld.type in SPECIAL_KONGS)
    for name, n in shown.items():
        if n > 1:
            return f"melds: {n} of type {name}; one of each special kong is allowed"
    if told.by == "flower_draw" and told.n_bonus == 0:
        return "by: 'flower_draw', but flowers has no bonus tile, which a tile replaces"
    if told.by == "dealt" and told.melded(*_CLAIMED):
        return "melds: a dealt win comes before any claim; only concealed and special kongs can lie"
    if told.by in {"self_draw", "dealt"} and told.discarder is not None:
        return (
            f"discarder: {quoted(told.discarder)}, "
            f"but nobody discards the tile of a {told.by!r} win"
        )
    return None


def _tian_hu(told: Told, _: Any) -> str | None:
    if told.winner != told.dealer:
        return (
            f"seat {told.winner} wins, and the first discard is that of the dealer, {told.dealer}"
        )
    if told.by not in _OWN_DRAWS:
        return f"a win before the first discard cannot come by {told.by!r}"
    if told.melded(*_CLAIMED):
        return "a win before the first discard comes before any claim"
    return None


def _di_hu(told: Told, _: Any) -> str | None:
    if told.winner == told.dealer:
        return (
            f"seat {told.winner} is the dealer, whose first tile is dealt; allowed are the others"
        )
    if told.by not in _OWN_DRAWS:
        return f"a win on the own first draw cannot come by {told.by!r}"
    return None


def _last_tile(told: Told, _: Any) -> str | None:
    if told.by == "dealt":
        return "after the deal the wall is not drawn yet"
    for name in ("tian_hu", "di_hu"):
        if told.context.get(name):
            return f"contradicts {name}, which comes before the wall is drawn"
    return None


def _feeder(told: Told, value: Any) -> str | None:
    if value == "none":
        return None
    if told.by not in {"kong_draw", "flower_draw"}:
        return f"a win by {told.by!r} follows no kong; allowed with kong_draw and flower_draw"
    if not told.melded("kong_exposed"):
        return f"seat {value} fed a kong, but no kong_exposed is among the winner's melds"
    return None


def _declares_now(told: Told, value: Any) -> str | None:
    state = told.context.get("discarder_state")
    if value != "none" and state not in {None, "none", value}:
        return f"{value!r}, but discarder_state says that {state!r} was declared before"
    return None


def _flowers_at_ting(told: Told, value: int) -> str | None:
    if value > told.n_bonus:
        return f"{value} bonus tiles when declaring, but {told.n_bonus} in the end"
    return None


def _pungs(told: Told, items: Sequence[Mapping[str, Any]]) -> str | None:
    """Each kind is punged once, of copies that the winner does not hold."""
    by_seat: Counter[int] = Counter()
    seats: dict[int, set[int]] = {}
    for name in ("pungs_before_ting", "pungs_after_ting"):
        for item in told.context.get(name) or ():
            seats.setdefault(parse_tile(item["tile"]), set()).add(item["by"])
    for item in items:
        kind, seat = parse_tile(item["tile"]), item["by"]
        by_seat[seat] += 1
        if not _playing(told, kind):
            return f"{KIND_NAMES[kind]} is no playing tile of ruleset {told.rules.id}"
        if len(seats[kind]) > 1:
            return f"{KIND_NAMES[kind]} is punged by several seats"
        if by_seat[seat] > _MOST_MELDS:
            return f"{by_seat[seat]} pungs of seat {seat} (max {_MOST_MELDS})"
        mine = any(kind in meld.tiles and meld.type in _CLAIMED for meld in told.melds)
        if seat == told.winner and not mine:
            return f"the winner punged {KIND_NAMES[kind]}, but no such pong is among the melds"
        if seat != told.winner and told.copies(kind) > 1:
            return (
                f"seat {seat} punged {KIND_NAMES[kind]}, of which the winner has "
                f"{told.copies(kind)} (4 in all)"
            )
    return None


def _discards(told: Told, names: Sequence[str]) -> str | None:
    for kind, n in Counter(map(parse_tile, names)).items():
        if not _playing(told, kind):
            return f"{KIND_NAMES[kind]} is no playing tile of ruleset {told.rules.id}"
        # What was thrown may lie in a meld now.
        held = list(told.hand).count(kind) - (kind == told.tile)
        most = told.rules.tile_counts[kind] - held
        if n > most:
            return (
                f"{n} discards of {KIND_NAMES[kind]}, of which the winner holds {held} (max {most})"
            )
    return None


def _bao(told: Told, name: str) -> str | None:
    kind = parse_tile(name)
    if not _playing(told, kind):
        return f"{KIND_NAMES[kind]} is no playing tile of ruleset {told.rules.id}"
    own = told.copies(kind) + (kind == told.tile and told.by != "bao_view")
    if own >= told.rules.tile_counts[kind]:
        return f"{name} lies apart, but the winner has {own} copies"
    return None


def _wild(told: Told, _: Any) -> str | None:
    """Wild tiles stay concealed; only one that was thrown and may be taken comes into a meld."""
    assert told.wild is not None
    name = KIND_NAMES[told.wild]
    if told.by == "rob_kong" and told.tile == told.wild:
        return f"{name} is wild, and no kong can be made with it; it cannot be robbed"
    taken = told.rules.options["lone_wild_discard"] == "claimable"
    for place, meld in enumerate(told.melds):
        most = int(taken and meld.type in _CLAIMED)
        if meld.tiles.count(told.wild) > most:
            return f"{name} is wild and stays concealed, but melds[{place}] shows it (max {most})"
    return None


def _mai(told: Told, amounts: Any) -> str | None:
    value = told.rules.options["mai_value"]
    for seat, amount in _by_seat(amounts):
        if amount not in {0, value}:
            return f"{amount} bought by seat {seat}; allowed are 0 and {value}"
    return None


def _xia(told: Told, amounts: Any) -> str | None:
    most = told.rules.options["xia_cap"]
    for seat, amount in _by_seat(amounts):
        if amount and seat == told.dealer:
            return f"{amount} placed by seat {seat}, the dealer; allowed are the others"
        if isinstance(most, int) and amount > most:
            return f"{amount} placed by seat {seat} (max {most})"
    return None


def _by_seat(amounts: Any) -> list[tuple[int, int]]:
    pairs = amounts.items() if isinstance(amounts, Mapping) else enumerate(amounts)
    return [(int(seat), amount or 0) for seat, amount in pairs]


def _piao(told: Told, counts: Any) -> str | None:
    thrown = sum(n for _, n in _by_seat(counts))
    most = told.rules.switches.wild_tiles
    held = 0 if told.wild is None else list(told.hand).count(told.wild)
    if thrown + held > most:
        return f"{thrown} wild tiles thrown, and the winner holds {held} (max {most} in all)"
    return None


def _feeds(told: Told, value: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str | None:
    for feeds in [value] if isinstance(value, Mapping) else value:
        seat, fed = feeds["to"], [n or 0 for n in feeds["by"]]
        if fed[seat]:
            return f"seat {seat} cannot feed itself"
        if sum(fed) > _MOST_MELDS:
            return f"{sum(fed)} melds of seat {seat} (max {_MOST_MELDS})"
    return None


def _playing(told: Told, kind: int) -> bool:
    return kind < N_KINDS and kind not in told.rules.bonus and told.rules.tile_counts[kind] > 0


# By the names that games give to the same thing.
_CHECKS: Final[dict[str, Callable[[Told, Any], str | None]]] = {
    "tian_hu": _tian_hu,
    "di_hu": _di_hu,
    "last_tile": _last_tile,
    "bao_jiao_zi": _feeder,
    "discarder_declares_now": _declares_now,
    "flowers_at_ting": _flowers_at_ting,
    "pungs_before_ting": _pungs,
    "pungs_after_ting": _pungs,
    "discards": _discards,
    "bao": _bao,
    "wild": _wild,
    "piao": _piao,
    "mai": _mai,
    "xia": _xia,
    "feeds": _feeds,
}
