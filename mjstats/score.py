"""The worth of one win and the state that a deal leaves behind."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from mjstats import _core
from mjstats.arguments import mapping, naming, whole_number
from mjstats.contradictions import Told, refuse_contradictions
from mjstats.errors import ArgumentError, HandError, NotAWin, TileError, quoted
from mjstats.kongs import check_special, kong_events
from mjstats.rulesets import ruleset as resolve_ruleset
from mjstats.tiles import KIND_NAMES, N_KINDS, Meld, make_meld, parse_hand, parse_tile
from mjstats.wording import MOST_COUNT, SEATS, as_list, read_entry, write_entry

if TYPE_CHECKING:
    from os import PathLike

    from mjstats.rulesets import Ruleset

# A counter that cannot be told; it is left out of what is carried.
NOT_TOLD = -1


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a win is worth and who pays it.

    Parameters
    ----------
    elements : dict of str to int
        Element id to value; none of value 0.
    factors : dict of str to int
        Factor id to factor; only those that apply.
    base_total, multiplier : int
        Sum of the elements and product of the factors.
    payments : tuple of 4 int
        What each seat receives; the sum is zero.
    payer_elements : dict of str to dict of str to int, optional
        Seat ("0" to "3") to the elements that count in that payer's amount alone; payers without
        any are left out. None where the game has no such elements.
    fan : int, optional
        Doublings, where the game counts them.
    payer_fans : dict of str to int, optional
        Seat to the doublings of that payer's amount, where they differ between payers.
    replacement_draws : int, optional
        Tiles drawn for the kongs of a case of kind "kong", which has nothing else but payments.
    """

    elements: dict[str, int]
    factors: dict[str, int]
    base_total: int
    multiplier: int
    payments: tuple[int, ...]
    payer_elements: dict[str, dict[str, int]] | None = None
    fan: int | None = None
    payer_fans: dict[str, int] | None = None
    replacement_draws: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Keys and plain values as in the worked cases; what the game does not have is left out."""
        if self.replacement_draws is not None:
            return {
                "payments": list(self.payments),
                "replacement_draws": self.replacement_draws,
            }
        parts: dict[str, Any] = {
            "elements": dict(self.elements),
            "factors": dict(self.factors),
            "payer_elements": deepcopy(self.payer_elements),
            "base_total": self.base_total,
            "multiplier": self.multiplier,
            "fan": self.fan,
            "payer_fans": deepcopy(self.payer_fans),
            "payments": list(self.payments),
        }
        return {name: part for name, part in parts.items() if part is not None}


def settlement_from_core(rules: "Ruleset", raw: Mapping[str, Any]) -> Settlement:
    """Name the numbers of the core."""

    def named(values: Sequence[int], *kinds: str) -> dict[str, int]:
        pairs = zip(rules.elements, values, strict=True)
        return {item.id: value for item, value in pairs if value and item.kind in kinds}

    payer_elements = payer_fans = None
    if "payer_values" in raw:
        by_payer = {SEATS[seat]: values for seat, values in raw["payer_values"].items()}
        payer_elements = {
            seat: named(values, "element", "factor")
            for seat, values in by_payer.items()
            if any(values)
        }
    if "payer_fans" in raw:
        payer_fans = {SEATS[seat]: fan for seat, fan in raw["payer_fans"].items()}
    return Settlement(
        elements=named(raw["values"], "element"),
        factors=named(raw["values"], "factor"),
        base_total=raw["base_total"],
        multiplier=raw["multiplier"],
        payments=tuple(raw["payments"]),
        payer_elements=payer_elements,
        fan=raw.get("fan"),
        payer_fans=payer_fans,
    )


def score(
    case: Mapping[str, Any],
    *,
    ruleset: "str | PathLike[str] | Ruleset",
    preset: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Settlement:
    """Score one win, or kongs that are paid apart from it.

    Parameters
    ----------
    case : mapping
        ``hand`` (concealed tiles without the winning tile), ``melds`` (``type``, ``tiles``),
        ``flowers``, ``win_tile`` (None for the dealer's dealt hand: then ``hand`` has 14 tiles, the
        last one dealt last), ``by``, ``winner``, ``discarder``, ``dealer``, ``context`` (what else
        the game needs; neutral where unnamed) and ``options`` (changes for this case alone).
        Other keys are not looked at. Where kongs are paid at once, ``context`` may list them as
        ``kong_events``; a case whose ``kind`` is "kong" has these alone.
    ruleset : str, path or Ruleset
    preset, changes
        As for `mjstats.ruleset`; the case's own ``options`` win over them.

    Returns
    -------
    Settlement
        Of the reading that pays most.

    Raises
    ------
    NotAWin
        If the hand is no legal win; ``reason`` says why.
    TileError, HandError, ArgumentError, RulesetError
        If the case makes no sense: unknown tiles, a hand of the wrong size, five copies, a legal
        win that no deal can end with (`kong_draw` without a kong, tian hu of another than the
        dealer), ….

    Examples
    --------
    >>> case = {
    ...     "hand": "234m567p345s678s5m",
    ...     "flowers": ["2z", "5z"],
    ...     "win_tile": "5m",
    ...     "by": "self_draw",
    ...     "winner": 1,
    ...     "dealer": 0,
    ...     "context": {"ting_mode": "ting", "flowers_at_ting": 2},
    ... }
    >>> score(case, ruleset="yancheng").payments
    (-12, 36, -12, -12)
    """
    rules = resolve_ruleset(ruleset, preset=preset, changes=changes)
    case = mapping("case", case)
    options = case.get("options")
    if options:
        rules = resolve_ruleset(rules, changes=mapping("options", options))
    record = _core.rule_record(rules)
    kongs = kong_events(rules, record, case.get("context"))
    if case.get("kind") == "kong":
        return Settlement({}, {}, 0, 0, kongs.payments, replacement_draws=kongs.draws)
    by, tile, hand = _tiles(case)
    wild = _wild(record, case)
    melds = [
        _meld(rules, meld, place, wild)
        for place, meld in enumerate(as_list(case.get("melds"), "melds"))
    ]
    bonus = [_tile(name, "flowers") for name in as_list(case.get("flowers"), "flowers")]
    _check_tiles(rules, hand, melds, bonus, wild)
    winner = _seat(case, "winner")
    discarder = _discarder(case, by, winner)
    reason, raw = _core.score_win(
        record,
        winner=winner,
        discarder=discarder,
        dealer=_seat(case, "dealer"),
        by=_core.BY_NAMES.index(by),
        tile=tile,
        hand=hand,
        melds=[(_core.MELD_NAMES.index(meld.type), meld.tiles) for meld in melds],
        bonus=bonus,
        context=_context(record, case.get("context"), len(bonus)),
        wild=_core.NO_KIND if wild is None else wild,
    )
    if reason:
        raise NotAWin(_core.REASON_NAMES[reason])
    refuse_contradictions(
        Told(
            rules=rules,
            by=by,
            winner=winner,
            dealer=_seat(case, "dealer"),
            discarder=case.get("discarder"),
            tile=tile,
            hand=hand,
            melds=melds,
            n_bonus=len(bonus),
            wild=wild,
            context=case.get("context") or {},
        )
    )
    settlement = settlement_from_core(rules, raw)
    payments = zip(settlement.payments, kongs.payments, strict=True)
    return replace(settlement, payments=tuple(map(sum, payments)))


def next_state(
    before: Mapping[str, Any],
    event: Mapping[str, Any],
    *,
    ruleset: "str | PathLike[str] | Ruleset",
    preset: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """State that a deal leaves to the next.

    Parameters
    ----------
    before : mapping
        ``dealer``, ``round`` (1 where unnamed) and the game's counters (neutral where unnamed). The
        match is taken to have begun with seat 0.
    event : mapping
        ``type`` "draw", or "win" with ``winner`` (or ``winners``, nearest to the discarder first)
        and, where the next deal depends on it, the ``multiplier`` of the win or its ``element``;
        "multi_win" with ``winners`` and ``discarder``; "bid" with ``seat`` and ``bids`` in a game
        in which bids stay. ``next_dice``, where dice are thrown before a deal: those of the next.
    ruleset : str, path or Ruleset
    preset, changes
        As for `mjstats.ruleset`.

    Returns
    -------
    dict
        The counters, ``dealer``, ``round`` and ``round_wind`` of the next deal, and whether the
        match is over (``match_over``). Counters that wait for dice, or for the multiplier of the
        win, are left out without them.

    Raises
    ------
    ArgumentError
        For an unknown counter or event, a seat that does not exist, or a round after the match.

    Examples
    --------
    >>> next_state({"jia": 0, "dealer": 1}, {"type": "draw"}, ruleset="yancheng")["jia"]
    1
    >>> next_state({"dealer": 3}, {"type": "win", "winner": 1}, ruleset="yancheng")["round_wind"]
    '2z'
    """
    rules = resolve_ruleset(ruleset, preset=preset, changes=changes)
    record = _core.rule_record(rules)
    before, event = mapping("before", before), mapping("event", event)
    known = (*record.carried, "dealer", "round", "round_wind")
    for name in before:
        if name not in known:
            raise ArgumentError(
                f"before: unknown counter {quoted(name)}; allowed are {', '.join(known)}"
            )
    counters = [0] * len(record.counter_names)
    for name, entry in record.carried.items():
        numbers = read_entry(entry, before.get(name), where=name)
        counters[entry[0] : entry[0] + len(numbers)] = numbers
    dealer = _seat(before, "dealer")
    number = whole_number("round", before.get("round", 1), least=1, most=_last_round(rules))
    said = {name: value for name, value in before.items() if isinstance(value, Mapping)}
    if event.get("type") == "bid" and "bids" in record.carried:
        place, form, _ = record.carried["bids"]
        seat = _seat(event, "seat")
        # What is up stays up.
        counters[place + seat] |= read_entry((place, form), event.get("bids"), where="bids")[0]
        up = [*said.get("bids", {}).get(SEATS[seat], []), *event.get("bids", [])]
        said["bids"] = {**said.get("bids", {}), SEATS[seat]: up}
        after: dict[str, Any] = {
            "dealer": dealer,
            "round": number,
            "over": False,
            "counters": counters,
        }
    else:
        winners = _winners(event, bids="bids" in record.carried)
        after = _core.next_state(
            record,
            dealer=dealer,
            first_dealer=0,
            round_=number,
            counters=counters,
            winners=winners,
            multiplier=_multiplier(rules, event),
            discarder=_thrower(event, winners),
            dice=_dice(event.get("next_dice")),
        )
    if after["dealer"] < 0:
        raise ArgumentError("event: discarder is missing; who deals next depends on it")
    carried = carried_in_words(record, after["counters"])
    for name, value in carried.items():
        if isinstance(value, dict):
            carried[name] = {
                seat: _in_order(words, said.get(name, {}).get(seat, []))
                for seat, words in value.items()
            }
    return {
        **carried,
        "dealer": after["dealer"],
        "round": after["round"],
        "round_wind": round_wind(after["round"]),
        "match_over": after["over"],
    }


def _in_order(words: Sequence[str], said: Sequence[str]) -> list[str]:
    """Words in the order in which they were said."""
    return sorted(words, key=lambda word: said.index(word) if word in said else len(said))


def round_wind(number: int) -> str:
    """Wind tile of a round, counted from 1."""
    return f"{(number - 1) % 4 + 1}z"


def carried_in_words(record: _core.RuleRecord, counters: Sequence[int]) -> dict[str, Any]:
    """Say what is carried as logs and worked cases do.

    What is not known (-1), before the next dice or without a multiplier, is left out.
    """
    return {
        name: write_entry(entry, counters[entry[0] :][: entry[2] if len(entry) > 2 else 1])
        for name, entry in record.carried.items()
        if counters[entry[0]] >= 0
    }


def _dice(value: Any) -> tuple[int, int]:
    """Read two dice, 0 where none are given."""
    if value is None:
        return 0, 0
    dice = [whole_number("next_dice", die, least=1, most=6) for die in as_list(value, "next_dice")]
    if len(dice) != 2:
        raise ArgumentError(f"next_dice: {len(dice)} dice; 2 are needed")
    return dice[0], dice[1]


def _last_round(rules: "Ruleset") -> int:
    """Greatest number that a round can have before a deal of a match."""
    if rules.switches.deals_per_match:
        # The deal has come back to the first dealer after four deals at the earliest.
        return 1 + (rules.switches.deals_per_match - 1) // _core.N_SEATS
    return rules.switches.rounds_per_match


def _winners(event: Mapping[str, Any], *, bids: bool) -> list[int]:
    kind = event.get("type")
    if kind == "draw":
        return []
    if kind not in {"win", "multi_win"}:
        allowed = ["draw", "win", "multi_win", *(["bid"] if bids else [])]
        raise ArgumentError(
            f"event: type {quoted(kind)} is unknown; allowed are {', '.join(allowed)}"
        )
    if kind == "multi_win" or "winners" in event:
        if "winner" in event:
            raise ArgumentError("event: either winner or winners is expected, not both")
        winners = as_list(event.get("winners"), "winners")
        seats = [_seat({"winners": seat}, "winners") for seat in winners]
        if len(seats) != len(set(seats)) or not 1 <= len(seats) <= _core.N_SEATS - 1:
            raise ArgumentError("event: winners must be 1 to 3 different seats")
        return seats
    return [_seat(event, "winner")]


def _thrower(event: Mapping[str, Any], winners: Sequence[int]) -> int:
    """Who threw the tile that was won, or -1 where nobody says."""
    if event.get("type") != "multi_win" and event.get("discarder") is None:
        return -1
    discarder = _seat(event, "discarder")
    if discarder in winners:
        raise ArgumentError(f"discarder: seat {discarder} cannot win on its own tile")
    return discarder


def _multiplier(rules: "Ruleset", event: Mapping[str, Any]) -> int:
    """Multiplier of a win, said outright or by the element that it came from."""
    if "element" not in event:
        if "multiplier" not in event:
            return NOT_TOLD
        return whole_number("multiplier", event["multiplier"], most=MOST_COUNT)
    values = {element.id: element.value for element in rules.elements}
    if event["element"] not in values:
        raise ArgumentError(
            f"event: unknown element {quoted(event['element'])}; allowed are {', '.join(values)}"
        )
    return values[event["element"]]


def _tiles(case: Mapping[str, Any]) -> tuple[str, int, list[int]]:
    """How the win came about, the winning tile, and the concealed tiles with it."""
    text = case.get("hand")
    if not isinstance(text, str):
        raise ArgumentError(
            f"hand: {quoted(text)} is no hand string, for example '234m567p345s678s5m'"
        )
    with naming("hand"):
        parsed = parse_hand(text)
    if parsed.melds:
        raise HandError("hand: melds belong under 'melds', the hand has concealed tiles only")
    hand = list(parsed.concealed)
    by = case.get("by")
    if by not in _core.BY_NAMES:
        raise ArgumentError(f"by: {quoted(by)} is unknown; allowed are {', '.join(_core.BY_NAMES)}")
    assert isinstance(by, str)
    name = case.get("win_tile")
    if name is not None:
        tile = _tile(name, "win_tile")
        return by, tile, [*hand, tile]
    if by not in {"self_draw", "dealt"}:
        raise ArgumentError(
            f"win_tile: missing; only a dealt win has none, this one is {quoted(by)}"
        )
    if not hand:
        raise HandError("hand: no tiles")
    return "dealt", hand[-1], hand


def _check_tiles(
    rules: "Ruleset",
    hand: Sequence[int],
    melds: Sequence[Meld],
    bonus: Sequence[int],
    wild: int | None,
) -> None:
    needed = 14 - 3 * len(melds)
    if len(hand) != needed:
        raise HandError(
            f"hand: {len(hand)} concealed tiles with the winning tile; "
            f"with {len(melds)} melds {needed} are needed"
        )
    melded = [meld.tiles for meld in melds]
    places = {"hand": hand, **{f"melds[{place}]": tiles for place, tiles in enumerate(melded)}}
    for where, kinds in places.items():
        for kind in kinds:
            if kind >= N_KINDS or kind in rules.bonus or not rules.tile_counts[kind]:
                raise HandError(
                    f"{where}: {KIND_NAMES[kind]} is no playing tile of ruleset {rules.id}"
                )
    playing = list(chain(*places.values()))
    for kind in bonus:
        if kind not in rules.bonus:
            raise HandError(f"flowers: {KIND_NAMES[kind]} is no bonus tile of ruleset {rules.id}")
    for kind in {*playing, *bonus}:
        copies = playing.count(kind) + bonus.count(kind)
        most = rules.switches.wild_tiles if kind == wild else rules.tile_counts[kind]
        if copies > most:
            where = "flowers" if kind in rules.bonus else "hand and melds"
            raise TileError(f"{where}: {copies} copies of {KIND_NAMES[kind]} (max {most})")


def _wild(record: _core.RuleRecord, case: Mapping[str, Any]) -> int | None:
    """Face of the wild tiles, where the game has them and the case names it."""
    context = case.get("context")
    if "wild" not in record.context or not isinstance(context, Mapping):
        return None
    kind = read_entry(record.context["wild"], context.get("wild"), where="context.wild")[0] - 1
    if kind >= N_KINDS:
        raise HandError(f"context.wild: {KIND_NAMES[kind]} cannot be wild")
    return kind if kind >= 0 else None


def _meld(rules: "Ruleset", value: Any, place: int, wild: int | None) -> Meld:
    given = mapping(f"melds[{place}]", value)
    tiles = given.get("tiles")
    if not isinstance(tiles, str):
        raise ArgumentError(f"melds[{place}]: tiles {quoted(tiles)} is no hand string")
    with naming(f"melds[{place}]"):
        meld = make_meld(_word(given.get("type")), tiles=tiles, wild=wild)
        check_special(rules, meld)
    return meld


def _word(value: Any) -> str:
    """Give a word, or what stands in the place of one."""
    return value if isinstance(value, str) else quoted(value)


def _tile(name: Any, where: str) -> int:
    if not isinstance(name, str):
        raise ArgumentError(f"{where}: {quoted(name)} is no tile name, for example '5m'")
    with naming(where):
        return parse_tile(name)


def _seat(values: Mapping[str, Any], name: str) -> int:
    seat = values.get(name)
    if type(seat) is not int or not 0 <= seat < _core.N_SEATS:
        raise ArgumentError(f"{name}: {quoted(seat)} is no seat; allowed are 0, 1, 2, 3")
    return seat


def _discarder(case: Mapping[str, Any], by: str, winner: int) -> int:
    if by not in {"discard", "rob_kong"}:
        return -1
    discarder = _seat(case, "discarder")
    if discarder == winner:
        raise ArgumentError(f"discarder: seat {discarder} cannot win on its own tile")
    return discarder


def _context(record: _core.RuleRecord, given: Any, n_bonus: int) -> dict[int, int]:
    """Places and values of the game's context; neutral (0) where nothing is said."""
    values = dict(mapping("context", given)) if given is not None else {}
    values.pop("kong_events", None)
    context: dict[int, int] = {}
    for name, entry in record.context.items():
        value = values.pop(name, None)
        if value is None and entry[1] == "bonus":
            # Bonus tiles held when declaring: all of them, unless the case says otherwise.
            value = n_bonus
        numbers = read_entry(entry, value, where=f"context.{name}")
        if entry[0] is not None:
            context.update(enumerate(numbers, start=entry[0]))
    if values:
        raise ArgumentError(
            f"context: unknown key {quoted(next(iter(values)))}; "
            f"allowed are {', '.join(record.context)}"
        )
    return context
