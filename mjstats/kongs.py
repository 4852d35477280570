"""Kongs that are paid at once, as worked cases list them, and what makes a special kong."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mjstats import _core
from mjstats.arguments import mapping, naming, whole_number
from mjstats.errors import ArgumentError, TileError, quoted
from mjstats.rulesets import Ruleset
from mjstats.tiles import (
    BAMBOO_ONE,
    KIND_NAMES,
    SPECIAL_KONGS,
    Meld,
    format_tiles,
    make_meld,
    parse_tile,
)
from mjstats.wording import as_list

_SPECIAL: Final = _core.MELD_NAMES[5:]
_KINDS: Final = (*_core.MELD_NAMES[2:], "supplement")
_ROBBED: Final = ("kong_added", "supplement")


@dataclass(frozen=True, slots=True)
class Kongs:
    """What a list of kongs comes to.

    Parameters
    ----------
    payments : tuple of 4 int
        What each seat receives; the sum is zero.
    draws : int
        Replacement tiles drawn.
    """

    payments: tuple[int, ...]
    draws: int


@dataclass(frozen=True, slots=True)
class _Kong:
    """One kong: what is paid for it, the replacements drawn, and the tiles that lie on the table.

    A robbed one comes to nothing.
    """

    payments: tuple[int, ...] = (0,) * _core.N_SEATS
    draws: int = 0
    tiles: tuple[int, ...] = ()


def check_special(rules: Ruleset, meld: Meld) -> None:
    """Refuse tiles that are no special kong of a ruleset (CC-46 to CC-49, CC-A06).

    Parameters
    ----------
    rules : Ruleset
    meld : Meld
        Of any type; the tiles of a special kong are those shown, then its supplements.

    Raises
    ------
    TileError
        If the ruleset has no such kong, or none of these tiles.
    """
    if meld.type not in SPECIAL_KONGS:
        return
    if "xuan_feng_tiles" not in rules.options:
        raise TileError(f"ruleset {rules.id} has no {meld.type}")
    size = _size(rules, meld.type)
    kinds = _class(rules, meld.type)
    stands_in = {BAMBOO_ONE} if rules.options["one_bamboo_wild"] else set()
    themselves = [kind for kind in meld.tiles[:size] if kind not in stands_in]
    if (
        len(meld.tiles) < size
        or not themselves
        or len(set(themselves)) < len(themselves)
        or not kinds.issuperset(meld.tiles)
    ):
        names = ", ".join(KIND_NAMES[kind] for kind in SPECIAL_KONGS[meld.type])
        instead = " (1s may stand for any)" if stands_in else ""
        raise TileError(
            f"{format_tiles(meld.tiles)} is no {meld.type}; allowed are {size} different ones of "
            f"{names}{instead}, then supplements"
        )


def _size(rules: Ruleset, meld_type: str) -> int:
    """Tiles of a special kong when it is shown."""
    return 4 if meld_type == "xuan_feng" and rules.options["xuan_feng_tiles"] == "all4" else 3


def _class(rules: Ruleset, meld_type: str) -> set[int]:
    """Kinds of which a special kong consists and that may be added to it."""
    own = next(kinds for name, kinds in SPECIAL_KONGS.items() if name == meld_type)
    return {*own, *([BAMBOO_ONE] if rules.options.get("one_bamboo_wild") else [])}


def kong_events(rules: Ruleset, record: _core.RuleRecord, context: Any) -> Kongs:
    """Settle the kongs that a worked case lists.

    Parameters
    ----------
    rules : Ruleset
    record : RuleRecord
        Of that ruleset.
    context : mapping or None
        Its ``kong_events`` is a list of ``seat``, ``type`` (a kong's, "supplement"), ``tile`` or
        ``tiles``, ``from`` (of an exposed kong), ``of`` (of a supplement), ``robbed``: whether it
        was and so does not stand.

    Returns
    -------
    Kongs

    Raises
    ------
    ArgumentError, TileError
        If an event makes no sense, or the game pays nothing for kongs.
    """
    given = context.get("kong_events") if isinstance(context, Mapping) else None
    where = "context.kong_events"
    kongs = [
        _event(rules, record, mapping(f"{where}[{place}]", event), f"{where}[{place}]")
        for place, event in enumerate(as_list(given, where))
    ]
    for kind, copies in Counter(kind for kong in kongs for kind in kong.tiles).items():
        if copies > rules.tile_counts[kind]:
            most = rules.tile_counts[kind]
            raise TileError(f"{where}: {copies} copies of {KIND_NAMES[kind]} (max {most})")
    paid = (sum(kong.payments[seat] for kong in kongs) for seat in range(_core.N_SEATS))
    return Kongs(tuple(paid), sum(kong.draws for kong in kongs))


def _event(rules: Ruleset, record: _core.RuleRecord, event: Mapping[str, Any], where: str) -> _Kong:
    """Read one kong."""
    kind = event.get("type")
    if kind not in _KINDS:
        raise ArgumentError(
            f"{where}.type: {quoted(kind)} is unknown; allowed are {', '.join(_KINDS)}"
        )
    seat = whole_number(f"{where}.seat", event.get("seat"), most=_core.N_SEATS - 1)
    meld_type = event.get("of") if kind == "supplement" else kind
    if kind == "supplement" and meld_type not in _SPECIAL:
        raise ArgumentError(
            f"{where}.of: {quoted(meld_type)} is unknown; allowed are {', '.join(_SPECIAL)}"
        )
    source = -1
    if kind == "kong_exposed":
        source = whole_number(f"{where}.from", event.get("from"), most=_core.N_SEATS - 1)
        if source == seat:
            raise ArgumentError(f"{where}.from: seat {seat} cannot feed its own kong")
    tiles = _special(rules, event, where) if kind in _SPECIAL else _same(rules, event, where)
    paid = _core.kong_payment(
        record,
        seat=seat,
        source=source,
        meld_type=_core.MELD_NAMES.index(meld_type),
        kind=tiles[0],
        supplement=kind == "supplement",
    )
    if paid is None:
        raise ArgumentError(f"{where}: kongs of this game are not paid apart from a win")
    robbed = event.get("robbed", False)
    if not isinstance(robbed, bool):
        raise ArgumentError(f"{where}.robbed: {quoted(robbed)} is not true or false")
    if not robbed:
        return _Kong(tuple(paid), len(tiles) - 3 if kind in _SPECIAL else 1, tiles)
    if kind not in _ROBBED:
        raise ArgumentError(f"{where}.robbed: a {kind} is not robbed; {' and '.join(_ROBBED)} are")
    if event.get("by") is not None:
        by = whole_number(f"{where}.by", event["by"], most=_core.N_SEATS - 1)
        if by == seat:
            raise ArgumentError(f"{where}.by: seat {seat} cannot rob its own kong")
    return _Kong()


def _special(rules: Ruleset, event: Mapping[str, Any], where: str) -> tuple[int, ...]:
    """Tiles of a special kong that is shown."""
    text = event.get("tiles")
    if not isinstance(text, str):
        raise ArgumentError(f"{where}.tiles: {quoted(text)} is no hand string, for example '1234z'")
    with naming(f"{where}.tiles"):
        meld = make_meld(str(event["type"]), tiles=text)
        check_special(rules, meld)
        # By option three winds are a kong, and four may still be shown.
        if len(meld.tiles) > (4 if meld.type == "xuan_feng" else 3):
            raise TileError(f"{quoted(text)} holds supplements; these are events of their own")
    return meld.tiles


def _same(rules: Ruleset, event: Mapping[str, Any], where: str) -> tuple[int, ...]:
    """Tiles of an ordinary kong, or the one that is added to a special kong."""
    name = event.get("tile")
    if not isinstance(name, str):
        raise ArgumentError(f"{where}.tile: {quoted(name)} is no tile name, for example '5m'")
    with naming(f"{where}.tile"):
        kind = parse_tile(name)
        if not rules.tile_counts[kind] or kind in rules.bonus:
            raise TileError(f"{KIND_NAMES[kind]} is no playing tile of ruleset {rules.id}")
        if event["type"] != "supplement":
            return (kind,) * 4
        allowed = _class(rules, str(event["of"]))
        if kind not in allowed:
            names = ", ".join(KIND_NAMES[one] for one in sorted(allowed))
            raise TileError(f"{name} cannot be added to a {event['of']}; allowed are {names}")
    return (kind,)
