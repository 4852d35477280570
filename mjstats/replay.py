"""One deal again, event by event, in the schema of the event log."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from mjstats import _core
from mjstats.arguments import whole_number
from mjstats.errors import ArgumentError
from mjstats.policies import policy_codes
from mjstats.rulesets import ruleset as resolve_ruleset
from mjstats.score import carried_in_words, round_wind, settlement_from_core
from mjstats.tiles import KIND_NAMES, as_played, format_tiles
from mjstats.wording import flat

if TYPE_CHECKING:
    from os import PathLike

    from mjstats.rulesets import Ruleset

SCHEMA = 1

# Largest index of a match or deal that can be asked for.
MOST_INDEX = 2**31 - 1

# Order of the core's EventType.
_EVENTS = (
    "flower",
    "draw",
    "discard",
    "ready",
    "chow",
    "pong",
    "kong",
    "rob",
    "win",
    "exhausted",
    "bid",
    "special_kong",
    "supplement",
    "kong_payment",
    "indicator",
    "bao",
    "bao_view",
)


@dataclass(frozen=True, slots=True)
class Trace:
    """The events of one deal.

    Parameters
    ----------
    events : tuple of dict
        One mapping an event, complete enough to replay the deal from.
    """

    events: tuple[dict[str, Any], ...]

    def json_lines(self) -> str:
        """One JSON object a line."""
        return "\n".join(
            json.dumps(event, ensure_ascii=False, separators=(", ", ": ")) for event in self.events
        )

    def text(self) -> str:
        """One readable line an event."""
        return "\n".join(_sentence(event) for event in self.events)

    def html(self) -> str:
        """Return the readable lines as an HTML list."""
        lines = "\n".join(f"<li>{escape(_sentence(event))}</li>" for event in self.events)
        return f'<ol class="mjstats-trace" start="0">\n{lines}\n</ol>'

    def _repr_html_(self) -> str:
        return self.html()

    def __repr__(self) -> str:
        """Name the deal, not its events."""
        start = self.events[0]
        return (
            f"Trace({start['ruleset']}, seed={start['seed']}, match={start['match']}, "
            f"deal_in_match={start['deal_in_match']}, {len(self.events)} events)"
        )


def replay(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    seed: int,
    deal: int,
    match: int | None = None,
    policies: str | Sequence[str] = "greedy",
    preset: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Trace:
    """Play one deal of a run again and keep everything that happens.

    Parameters
    ----------
    ruleset : str, path or Ruleset
    seed : int
        Seed of the run.
    deal : int
        With ``match`` the index within that match, else the index in the run, from 0.
    match : int, optional
    policies : str or sequence of str
        Policies of the run.
    preset, changes
        As for `mjstats.ruleset`.

    Returns
    -------
    Trace

    Raises
    ------
    ArgumentError
        For a negative seed, match or deal, or a deal beyond the end of the match.

    Examples
    --------
    >>> trace = replay("yancheng", seed=1, deal=0)
    >>> trace.events[0]["event"], trace.events[-1]["event"]
    ('start', 'end')
    """
    index = whole_number("deal", deal, most=MOST_INDEX)
    return next(
        replay_range(
            ruleset,
            seed=seed,
            deals=range(index, index + 1),
            match=match,
            policies=policies,
            preset=preset,
            changes=changes,
        )
    )


def replay_range(
    ruleset: "str | PathLike[str] | Ruleset",
    *,
    seed: int,
    deals: range,
    match: int | None = None,
    policies: str | Sequence[str] = "greedy",
    preset: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Iterator[Trace]:
    """Replay consecutive deals; arguments as for `replay`.

    Parameters
    ----------
    ruleset : str, path or Ruleset
    seed : int
    deals : range
        Indices in the run, or within ``match``.
    match : int, optional
    policies : str or sequence of str
    preset, changes
        As for `mjstats.ruleset`.

    Yields
    ------
    Trace

    Examples
    --------
    >>> [trace.events[0]["deal"] for trace in replay_range("plain", seed=1, deals=range(3))]
    [0, 1, 2]
    """
    seed = whole_number("seed", seed)
    whole_number("deal", deals.start, most=MOST_INDEX)
    match = None if match is None else whole_number("match", match, most=MOST_INDEX)
    rules = resolve_ruleset(ruleset, preset=preset, changes=changes)
    record = _core.rule_record(rules)
    codes = policy_codes(policies, modes=rules.modes, bids=rules.open_bids)
    lengths = _MatchLengths(record, codes, seed)
    if match is not None and deals.stop > lengths.length(match):
        # Before the first event is told: a refusal comes alone.
        raise ArgumentError(
            f"deal: match {match} of this run has only {lengths.length(match)} deals, "
            f"so there is no deal {max(deals.start, lengths.length(match))} in it"
        )
    logs = None
    for deal in deals:
        if match is None:
            number, within = lengths.locate(deal)
            index = deal
        else:
            number, within = match, deal
            index = lengths.first_deal(match) + deal
        if logs is None or not logs.reaches(number, within):
            logs = _core.MatchLog(record, codes, seed=seed, match=number)
        log = logs.events(within)
        yield Trace(tuple(_events(rules, record, log, seed=seed, match=number, deal=index)))


class _MatchLengths:
    """Where the deals of a run lie in its matches, found by playing as far as needed."""

    def __init__(
        self, record: _core.RuleRecord, codes: Sequence[_core.PolicyCode], seed: int
    ) -> None:
        self._record = record
        self._codes = codes
        self._seed = seed
        self._starts = [0]  # first deal of each match known so far, and of the next

    def _extend(self) -> None:
        first = len(self._starts) - 1
        block = _core.play_matches(
            self._record,
            self._codes,
            seed=self._seed,
            first_match=first,
            n_matches=min(first + 1, 4096),
        )
        for index in range(1, len(block.deals)):
            if block.deals["deal_in_match"][index] == 0:
                self._starts.append(self._starts[first] + index)
        self._starts.append(self._starts[first] + len(block.deals))

    def first_deal(self, match: int) -> int:
        while len(self._starts) <= match:
            self._extend()
        return self._starts[match]

    def length(self, match: int) -> int:
        return self.first_deal(match + 1) - self.first_deal(match)

    def locate(self, deal: int) -> tuple[int, int]:
        while self._starts[-1] <= deal:
            self._extend()
        match = bisect_right(self._starts, deal) - 1
        return match, deal - self._starts[match]


def _events(
    rules: "Ruleset",
    record: _core.RuleRecord,
    log: dict[str, Any],
    *,
    seed: int,
    match: int,
    deal: int,
) -> Iterator[dict[str, Any]]:
    before, after = log["before"], log["after"]
    wall = [KIND_NAMES[kind] for kind in log["wall"]]
    dealer = before["dealer"]
    yield {
        "event": "start",
        "schema": SCHEMA,
        "ruleset": rules.id,
        "digest": rules.digest,
        "options": {
            "options": dict(rules.options),
            "elements": {element.id: element.value for element in rules.elements},
        },
        "seed": seed,
        "match": match,
        "deal": deal,
        "deal_in_match": before["deal_in_match"],
        "dealer": dealer,
        "round": before["round"],
        "round_wind": round_wind(before["round"]),
        "carried": carried_in_words(record, before["counters"]),
        "wall": wall,
    }
    hands: list[list[str]] = [[], [], [], []]
    for place in range(4):
        hands[(dealer + place) % 4] = wall[13 * place : 13 * place + 13]
    hands[dealer] = [*hands[dealer], wall[52]]
    events = [_event(rules, record, raw, log) for raw in log["events"]]
    yield from (event for event in events if event["event"] == "bid")
    yield {"event": "deal", "hands": hands}
    yield from (event for event in events if event["event"] != "bid")
    payments = log["kong_pay"]
    for win in log["wins"]:
        payments = [a + b for a, b in zip(payments, win["settlement"]["payments"], strict=True)]
    yield {
        "event": "end",
        "payments": payments,
        "carried": carried_in_words(record, after["counters"]),
        "dealer": after["dealer"],
        "match_over": after["over"],
    }


def _names(kinds: Iterable[int], wild: int | None) -> list[str]:
    """Names of tiles by their faces; the core has the kinds as which they are played."""
    return [KIND_NAMES[as_played(kind, wild)] for kind in kinds]


def _claimed(kinds: Sequence[int], raw: dict[str, Any], wild: int | None) -> dict[str, Any]:
    """Tiles of a claimed meld; a wild tile taken for its face shows itself (``mask``)."""
    tiles = _names(kinds, wild)
    if raw["mask"] and wild is not None:
        tiles[kinds.index(raw["tile"])] = KIND_NAMES[wild]
    return {"tiles": tiles, "tile": tiles[kinds.index(raw["tile"])], "from": raw["source"]}


def _kinds(mask: int) -> list[int]:
    return [kind for kind in range(34) if mask >> kind & 1]


def _bytes(packed: int, n: int) -> bytes:
    """Numbers that the core packs into one, the first lowest."""
    return packed.to_bytes(8, "little")[:n]


def _event(
    rules: "Ruleset",
    record: _core.RuleRecord,
    raw: dict[str, Any],
    log: dict[str, Any],
) -> dict[str, Any]:
    name = _EVENTS[raw["type"]]
    event: dict[str, Any] = {"event": name, "seat": raw["seat"]}
    wild = log["wild"]
    tile = _names([raw["tile"]], wild)[0] if raw["tile"] != _core.NO_KIND else None
    match name:
        case "flower":
            event["tile"] = tile
            replaced = raw["other"] != _core.NO_KIND
            event["replacement"] = KIND_NAMES[raw["other"]] if replaced else None
            if replaced:
                event["wall_index"] = raw["index"]
        case "draw":
            event |= {
                "tile": tile,
                "wall_index": raw["index"],
                "from": "tail" if raw["tail"] else "head",
            }
        case "discard":
            event["tile"] = tile
        case "ready":
            event["mode"] = record.mode_names[raw["other"]]
            event["waits"] = _names(_kinds(raw["mask"]), wild)
            for bit, mark in enumerate(record.mark_names):
                event[mark] = bool(raw["marks"] >> bit & 1)
        case "chow":
            first = raw["other"]
            event |= _claimed(range(first, first + 3), raw, wild)
        case "pong":
            event |= _claimed([raw["tile"]] * 3, raw, wild)
        case "kong":
            kind = _core.MELD_NAMES[raw["other"]].removeprefix("kong_")
            event |= {"tiles": _claimed([raw["tile"]] * 4, raw, wild)["tiles"], "kind": kind}
            if kind == "exposed":
                event["from"] = raw["source"]
        case "rob":
            event |= {
                "from": raw["source"],
                "tile": tile,
                "how": ("win", "pong", "kong")[raw["other"]],
            }
        case "win":
            event |= _win(rules, log["wins"][raw["other"]], wild)
        case "bid":
            name = record.bid_names[raw["other"]]
            amount = raw["mask"]
            if isinstance(name, str):
                event["bids"] = {name: amount}
            else:
                event["bids"] = [item for bit, item in enumerate(name) if amount >> bit & 1]
        case "special_kong":
            tiles = _names(_bytes(raw["mask"], raw["index"]), wild)
            event |= {"kind": _core.MELD_NAMES[raw["other"]], "tiles": tiles}
        case "supplement":
            event |= {"kind": _core.MELD_NAMES[raw["other"]], "tile": tile}
        case "kong_payment":
            names = (*_core.MELD_NAMES, "supplement")
            kind = names[raw["other"]].removeprefix("kong_")
            event |= {"kind": kind, "payments": raw["pay"]}
        case "indicator":
            event = {"event": name, "tile": tile}
            if raw["index"] >= 0:
                event["wall_index"] = raw["index"]
        case "bao":
            event = {"event": name, "tile": tile, "reroll": bool(raw["tail"])}
            if tile is not None:
                event |= {
                    "wall_index": raw["index"],
                    "dice": list(_bytes(raw["mask"], raw["source"])),
                    "seen_by": [seat for seat in range(4) if raw["other"] >> seat & 1],
                }
        case "bao_view":
            event["tile"] = tile
        case "exhausted":
            event = {"event": name, "tiles_left": raw["index"]}
    return event


def _win(rules: "Ruleset", win: dict[str, Any], wild: int | None) -> dict[str, Any]:
    event: dict[str, Any] = {
        "by": _core.BY_NAMES[win["by"]],
        "tile": _names([win["tile"]], wild)[0],
    }
    if win["discarder"] >= 0:
        event["from"] = win["discarder"]
    melds = []
    for meld_type, kinds, source in win["melds"]:
        meld: dict[str, Any] = {
            "type": _core.MELD_NAMES[meld_type],
            "tiles": format_tiles(as_played(kind, wild) for kind in kinds),
        }
        if source >= 0:
            meld["from"] = source
        melds.append(meld)
    event |= {
        "hand": _names(win["hand"], wild),
        "melds": melds,
        "flowers": [KIND_NAMES[kind] for kind in win["flowers"]],
    }
    return event | settlement_from_core(rules, win["settlement"]).as_dict()


def _sentence(event: Mapping[str, Any]) -> str:
    """One readable line: the event and its fields in their order."""
    words = [f"{event['event']:<9}"]
    for name, value in event.items():
        if name != "event":
            # Alone in a list, truth values and what is missing are written as within lists.
            said = flat(value if isinstance(value, Mapping | list) else [value])
            words.append(f"{name} {said or '-'}")
    return "  ".join(words)
