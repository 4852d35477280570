"""Kongs that are paid at once, as worked cases list them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mjstats import _core
from mjstats.arguments import mapping, naming, whole_number
from mjstats.errors import ArgumentError
from mjstats.tiles import make_meld, parse_tile
from mjstats.wording import as_list

_SPECIAL: Final = _core.MELD_NAMES[5:]
_KINDS: Final = (*_core.MELD_NAMES[2:], "supplement")


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


def kong_events(record: _core.RuleRecord, context: Any) -> Kongs:
    """Settle the kongs that a worked case lists.

    Parameters
    ----------
    record : RuleRecord
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
    payments = [0] * _core.N_SEATS
    draws = 0
    given = context.get("kong_events") if isinstance(context, Mapping) else None
    for place, event in enumerate(as_list(given, "context.kong_events")):
        where = f"context.kong_events[{place}]"
        paid, n = _event(record, mapping(where, event), where)
        payments = [a + b for a, b in zip(payments, paid, strict=True)]
        draws += n
    return Kongs(tuple(payments), draws)


def _event(record: _core.RuleRecord, event: Mapping[str, Any], where: str) -> tuple[list[int], int]:
    """Payments and replacements of one kong."""
    kind = event.get("type")
    if kind not in _KINDS:
        raise ArgumentError(f"{where}.type: {kind!r} is unknown; allowed are {', '.join(_KINDS)}")
    seat = whole_number(f"{where}.seat", event.get("seat"), most=_core.N_SEATS - 1)
    meld_type, source, draws = str(kind), -1, 1
    if kind == "supplement":
        meld_type = str(event.get("of"))
        if meld_type not in _SPECIAL:
            raise ArgumentError(
                f"{where}.of: {meld_type!r} is unknown; allowed are {', '.join(_SPECIAL)}"
            )
        tile = _tile(event, where)
    elif kind in _SPECIAL:
        with naming(f"{where}.tiles"):
            tiles = make_meld(meld_type, tiles=str(event.get("tiles"))).tiles
        tile, draws = tiles[0], len(tiles) - 3
    else:
        tile = _tile(event, where)
    if kind == "kong_exposed":
        source = whole_number(f"{where}.from", event.get("from"), most=_core.N_SEATS - 1)
        if source == seat:
            raise ArgumentError(f"{where}.from: seat {seat} cannot feed its own kong")
    paid = _core.kong_payment(
        record,
        seat=seat,
        source=source,
        meld_type=_core.MELD_NAMES.index(meld_type),
        kind=tile,
        supplement=kind == "supplement",
    )
    if paid is None:
        raise ArgumentError(f"{where}: kongs of this game are not paid apart from a win")
    robbed = event.get("robbed", False)
    if not isinstance(robbed, bool):
        raise ArgumentError(f"{where}.robbed: {robbed!r} is not true or false")
    return ([0] * _core.N_SEATS, 0) if robbed else (paid, draws)


def _tile(event: Mapping[str, Any], where: str) -> int:
    name = event.get("tile")
    if not isinstance(name, str):
        raise ArgumentError(f"{where}.tile: {name!r} is no tile name, for example '5m'")
    with naming(f"{where}.tile"):
        return parse_tile(name)
