"""What a game keeps as numbers, in the words of worked cases and logs, and back.

A game's module lists its context and what it carries as name -> ``(place, form)``, or
``(place, form, 4)`` for one number a seat; a place None means that the value is checked and changes
nothing. Forms: "bool"; "anything" (not looked at); "count"; "count or none" (0 is none); "bonus"
(a count whose neutral value is all bonus tiles held); "kind" (one tile, 1 and more; 0 is none);
"kinds" (a set of tiles; with seats a list of ``{"tile", "by"}``); "to by" (four numbers for one of
four seats, ``{"to", "by"}``, or a list of such for several); a tuple of words, of which one is
meant; and ``{"any": words}``, a set of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mjstats.arguments import naming, whole_number
from mjstats.errors import ArgumentError, quoted
from mjstats.tiles import KIND_NAMES, parse_tile

MOST_COUNT: Final = 2**30
"""The most of any count, so that what is settled with it stays exact in the core."""

SEATS: Final = ("0", "1", "2", "3")

Form = str | tuple[Any, ...] | dict[str, Sequence[Any]]
Entry = tuple[Any, ...]


def read_entry(entry: Entry, value: Any, *, where: str) -> list[int]:
    """Turn a value, given in words, into the numbers of an entry.

    Parameters
    ----------
    entry : tuple
        Place, form, and the number of places where it is not one.
    value : object
        What was given; None is neutral.
    where : str
        Name for error messages.

    Returns
    -------
    list of int
        One number a place.

    Raises
    ------
    ArgumentError
        If the value does not have the form.

    Examples
    --------
    >>> read_entry((0, "bool"), True, where="ting")
    [1]
    >>> read_entry((0, {"any": ("bu_peng", "du_ci")}, 4), {"2": ["du_ci"]}, where="bids")
    [0, 0, 2, 0]
    """
    _, form, *places = entry
    if not places:
        return [_read(form, value, where)]
    n: int = places[0]
    if value is None:
        return [0] * n
    if form == "kinds":
        return _kinds_by_seat(value, where)
    if form == "to by":
        return _to_by(value, where)
    if isinstance(value, Mapping):
        unknown = [key for key in value if str(key) not in SEATS]
        if unknown:
            raise ArgumentError(f"{where}: {quoted(unknown[0])} is no seat; allowed are 0, 1, 2, 3")
        given = {str(key): item for key, item in value.items()}
        return [_read(form, given.get(seat), where) for seat in SEATS]
    items = as_list(value, where)
    if len(items) != n:
        raise ArgumentError(f"{where}: {len(items)} entries; {n} are needed")
    return [_read(form, item, where) for item in items]


def write_entry(entry: Entry, numbers: Sequence[int]) -> Any:
    """Say the numbers of an entry in words; sets of seats as an object of those that have any.

    Parameters
    ----------
    entry : tuple
        Place, form, and the number of places where it is not one.
    numbers : sequence of int
        One number a place.

    Examples
    --------
    >>> write_entry((0, {"any": ("bu_peng", "du_ci")}, 4), [0, 3, 0, 0])
    {'1': ['bu_peng', 'du_ci']}
    """
    _, form, *places = entry
    said = [_write(form, number) for number in numbers]
    if not places:
        return said[0]
    if isinstance(form, dict):
        return {seat: words for seat, words in zip(SEATS, said, strict=True) if words}
    return said


def flat(value: Any) -> Any:
    """Write a list as words, a mapping as NAME=VALUE words, mappings by key as KEY: words, ...."""
    plain = value.tolist() if hasattr(value, "dtype") else value
    if isinstance(plain, Mapping):
        if plain and all(isinstance(item, Mapping | list) for item in plain.values()):
            return ", ".join(f"{name}: {flat(item)}" for name, item in plain.items())
        return " ".join(f"{name}={_inside(item)}" for name, item in plain.items())
    return " ".join(map(_inside, plain)) if isinstance(plain, list | tuple) else plain


def _inside(item: Any) -> str:
    """Write what stands within a list or mapping; what has parts itself in brackets."""
    if isinstance(item, Mapping | list | tuple):
        return f"({flat(item)})"
    return str(item).lower() if isinstance(item, bool) else "-" if item is None else str(item)


def as_list(value: Any, where: str) -> list[Any]:
    """Return a list or tuple as a list, None as an empty one."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise ArgumentError(f"{where}: {quoted(value)} is no list")
    return list(value)


def _read(form: Form, value: Any, where: str) -> int:
    if value is None:
        return 0
    if form == "bool":
        if not isinstance(value, bool):
            raise ArgumentError(f"{where}: {quoted(value)} is not true or false")
        return int(value)
    if form == "anything":
        return 0
    if form == "kind":
        return 1 + _kind(value, where)
    if form == "kinds":
        return sum(1 << kind for kind in {_kind(name, where) for name in as_list(value, where)})
    if isinstance(form, str):
        return whole_number(where, value, most=MOST_COUNT)
    if isinstance(form, dict):
        words = list(form["any"])
        return sum(
            1 << bit for bit in {_word(item, words, where) for item in as_list(value, where)}
        )
    return _word(value, form, where)


def _write(form: Form, number: int) -> Any:
    if form == "bool":
        return bool(number)
    if form == "kinds":
        return [KIND_NAMES[kind] for kind in range(len(KIND_NAMES)) if number >> kind & 1]
    if form == "count or none":
        return number or None
    if isinstance(form, str):
        return number
    if isinstance(form, dict):
        return [word for bit, word in enumerate(form["any"]) if number >> bit & 1]
    return form[number]


def _word(value: Any, allowed: Sequence[Any], where: str) -> int:
    for place, word in enumerate(allowed):
        if type(word) is type(value) and word == value:
            return place
    raise ArgumentError(
        f"{where}: {quoted(value)} is unknown; allowed are {', '.join(map(str, allowed))}"
    )


def _kind(name: Any, where: str) -> int:
    if not isinstance(name, str):
        raise ArgumentError(f"{where}: {quoted(name)} is no tile name, for example '5m'")
    with naming(where):
        return parse_tile(name)


def _to_by(value: Any, where: str) -> list[int]:
    n = len(SEATS)
    numbers = [0] * n * n
    told: set[int] = set()
    for item in [value] if isinstance(value, Mapping) else as_list(value, where):
        if not isinstance(item, Mapping) or set(item) != {"to", "by"}:
            raise ArgumentError(
                f'{where}: {quoted(item)} is nothing like {{"to": 1, "by": [0, 0, 2, 0]}}'
            )
        seat = whole_number(f"{where}.to", item["to"], most=n - 1)
        if seat in told:
            raise ArgumentError(f"{where}.to: seat {seat} stands twice")
        told.add(seat)
        counts = as_list(item["by"], f"{where}.by")
        if len(counts) != n:
            raise ArgumentError(f"{where}.by: {len(counts)} entries; {n} are needed")
        numbers[n * seat : n * (seat + 1)] = [
            _read("count", count, f"{where}.by") for count in counts
        ]
    return numbers


def _kinds_by_seat(value: Any, where: str) -> list[int]:
    numbers = [0] * len(SEATS)
    for item in as_list(value, where):
        if not isinstance(item, Mapping) or set(item) != {"tile", "by"}:
            raise ArgumentError(
                f'{where}: {quoted(item)} is no entry like {{"tile": "5m", "by": 0}}'
            )
        seat = whole_number(f"{where}.by", item["by"], most=len(SEATS) - 1)
        numbers[seat] |= 1 << _kind(item["tile"], where)
    return numbers
