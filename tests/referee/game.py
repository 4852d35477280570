"""The questions that the step machine and the cases ask a game, with the shared answers.

A question about permission is answered with the reason against, "" when there is none.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, Self

from tests.referee.common import (
    NAMES,
    IllegalWinError,
    Json,
    Option,
    Value,
    Win,
    parse_win,
    split_changes,
)
from tests.referee.shapes import live_waits
from tests.referee.table import Entry, Seat, Table


@dataclass(frozen=True)
class Outcome:
    """How a deal ended, as far as the next one can depend on it."""

    winners: tuple[int, ...] = ()
    source: int | None = None
    """The discarder or the robbed seat."""
    multiplier: int = 1
    """Of the (last) win."""


def outcome_of(event: Json) -> Outcome:
    """Return the outcome in the event of a case of kind "carry"."""
    if event["type"] == "draw":
        return Outcome()
    if event["type"] not in ("win", "multi_win"):
        raise ValueError(f"a deal ends with a draw or a win, not {event['type']!r}")
    winners = event["winners"] if "winners" in event else [event["winner"]]
    return Outcome(tuple(winners), event.get("discarder"))


class Game(ABC):
    """A game under resolved options and element values."""

    ident: ClassVar[str]
    copies: ClassVar[Mapping[int, int]]
    """Copies of each kind in the wall."""
    bonus: ClassVar[Collection[int]] = ()
    """Kinds that are set aside and replaced."""
    option_table: ClassVar[Mapping[str, Option]]
    element_values: ClassVar[Mapping[str, int]]
    modes: ClassVar[Collection[str]] = ()
    """Declarations that go with a discard."""
    own_kongs: ClassVar[Collection[str]]
    special_kongs: ClassVar[bool] = False
    has_bao: ClassVar[bool] = False
    last_claim_ends: ClassVar[bool] = False
    """After the last draw only one claim is possible: nobody claims the discard of its turn."""
    first_dealer_drawn: ClassVar[bool] = False
    """Any seat may deal first in a match; otherwise seat 0 does."""
    claims: ClassVar[Collection[str]] = ()
    """Claims on a discard other than winning."""
    result_fields: ClassVar[Collection[str]] = (
        "elements",
        "factors",
        "base_total",
        "multiplier",
        "payments",
    )

    def __init__(
        self, options: Mapping[str, Value] | None = None, elements: Mapping[str, int] | None = None
    ) -> None:
        options, elements = options or {}, elements or {}
        self.changed_options = dict(options)
        options = {**self.options_from_options(options), **options}
        for name, given in options.items():
            if name not in self.option_table:
                raise ValueError(f"{self.ident} has no option {name!r}")
            if not self.option_table[name].allows(given):
                raise ValueError(f"option {name!r} of {self.ident} cannot be {given!r}")
        for name, worth in elements.items():
            if name not in self.element_values:
                raise ValueError(f"{self.ident} has no element {name!r}")
            if type(worth) is not int or worth < 0:
                raise ValueError(f"element {name!r} of {self.ident} cannot be worth {worth!r}")
        self.options: dict[str, Value] = {
            name: options.get(name, option.default) for name, option in self.option_table.items()
        }
        self.changed_values = dict(elements)
        self.values: dict[str, int] = {
            **self.element_values,
            **self.values_from_options(),
            **elements,
        }

    def options_from_options(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Return the options that others set unless they are given themselves."""
        return {}

    def on(self, name: str) -> bool:
        """Tell whether a true/false option is on."""
        return self.options[name] is True

    def number(self, name: str) -> int:
        """Return the value of a numeric option."""
        return int(self.options[name])

    def values_from_options(self) -> dict[str, int]:
        """Return the element values that options set."""
        return {}

    @property
    def playing(self) -> list[int]:
        """The kinds that hands are made of."""
        return [kind for kind in self.copies if kind not in self.bonus]

    # Scoring and what is carried

    def refusal(self, win: Win) -> str:
        """Return the reason why this is no win."""
        try:
            self.check(win)
        except IllegalWinError as reason:
            return str(reason)
        return ""

    @abstractmethod
    def check(self, win: Win) -> None:
        """Raise IllegalWinError if this is no win."""

    @abstractmethod
    def settle(self, win: Win) -> list[Json]:
        """Return the results that pay most, more than one where readings tie."""

    @abstractmethod
    def counters_before_match(self) -> Json:
        """Return the carried counters before a match's first deal."""

    @abstractmethod
    def carry(self, before: Json, outcome: Outcome) -> Json:
        """Return the counters and the dealer after a deal."""

    def next_dealer(self, dealer: int, winners: Collection[int]) -> int:
        """A dealer's win or a drawn deal keeps the deal, otherwise the next seat has it."""
        return dealer if not winners or dealer in winners else (dealer + 1) % 4

    def changed(self, case: Json) -> Self:
        """Return the game with a case's own changes."""
        options, elements = split_changes(case.get("options", {}))
        return type(self)(self.changed_options | options, self.changed_values | elements)

    def answer(self, case: Json) -> Json:
        """Answer a case under its own changes of options."""
        game = self.changed(case)
        kind = case.get("kind", "win")
        if kind == "carry":
            return {"after": game.after(case["before"], case["event"])}
        if kind == "table":
            return {"id": case["id"], "skipped": "table"}
        if kind != "win":
            raise ValueError(f"{self.ident} has no case of kind {kind!r}")
        try:
            return game.settle(parse_win(case))[0]
        except IllegalWinError as reason:
            return {"legal": False, "reason": str(reason)}

    def after(self, before: Json, event: Json) -> Json:
        """Return what stands after the event of a case of kind "carry"."""
        outcome = outcome_of(event)
        multiplier = event.get("multiplier", self.values.get(event.get("element", ""), 1))
        before = self.counters_before_match() | before
        after = self.carry(before, replace(outcome, multiplier=multiplier))
        if "round" in before:
            number = self.next_round(before, after["dealer"])
            after["round"] = number
            after["round_wind"] = NAMES[self.round_wind(number)]
            after["match_over"] = self.match_over(before, after["dealer"])
        return after

    # Playing a deal

    def bid_phases(self) -> Collection[str]:
        """Return the names of the biddings before the deal; each asks every seat once."""
        return ()

    def bid_choices(self, table: Table, phase: str, seat: int) -> list[Any]:
        """Return everything that a seat may have up after bidding."""
        return []

    def bid(self, table: Table, phase: str, seat: int, bids: Any) -> str:
        """Judge what a seat has up; a game with bids notes it."""
        return "" if bids in self.bid_choices(table, phase, seat) else f"{bids} cannot be up"

    def start_faults(self, start: Json) -> list[str]:
        """Return what is impossible in the carried state of a `start` event."""
        faults = []
        first = {**self.counters_before_match()}
        dealers = self.first_dealers(start)
        passed_on = min(self.passed_on(start, dealer) for dealer in dealers or range(4))
        if set(start["carried"]) != set(first):
            faults.append(f"carried must have the counters {sorted(first)}")
        elif start["deal_in_match"] == 0 and start["carried"] != first:
            faults.append(f"a match begins with carried {first}")
        if start["deal_in_match"] == 0 and passed_on:
            faults.append(f"a match begins with dealer {dealers[0]} in round 1")
        elif passed_on > start["deal_in_match"]:
            faults.append(
                f"dealer {start['dealer']} in round {start['round']} needs at least {passed_on} "
                f"deals before, not {start['deal_in_match']}"
            )
        if start["round"] > self.number("rounds_per_match"):
            faults.append(f"a match has {self.number('rounds_per_match')} rounds")
        return faults

    def first_dealers(self, start: Json) -> list[int]:
        """Return the seats that can have dealt first in the match of a `start` event."""
        if not self.first_dealer_drawn:
            return [0]
        if start["deal_in_match"] == 0:
            return [start["dealer"]]
        return [s for s in range(4) if self.passed_on(start, s) <= start["deal_in_match"]]

    def passed_on(self, start: Json, first: int) -> int:
        """Return how often the deal has been passed on since the first dealer had it."""
        rounds, dealer = int(start["round"]), int(start["dealer"])
        return 4 * (rounds - 1) + (dealer - first) % 4

    def round_wind(self, round_number: int) -> int:
        """Return the wind of a round."""
        return 27 + (round_number - 1) % 4

    def next_round(self, start: Json, dealer: int) -> int:
        """Return the round of the next deal: a round closes when the first dealer's turn is back.

        The first dealer is seat 0 unless `start` has it as `first_dealer`.
        """
        first = int(start.get("first_dealer", 0))
        passed = dealer == first and int(start["dealer"]) == (first + 3) % 4
        return int(start["round"]) + passed

    def match_over(self, start: Json, dealer: int) -> bool:
        """Tell whether a deal was its match's last; `dealer` is the next."""
        return self.next_round(start, dealer) > self.number("rounds_per_match")

    def before_deal(self, carried: Json, random: Random) -> Json:
        """Return the counters of a deal from those that the deal before left: dice are rolled."""
        return carried

    def indicator_source(self) -> str:
        """Tell where the indicator comes from: "wall", "lot" (no tile leaves the wall), "none"."""
        return "none"

    def face(self, table: Table, tile: int, *, thrown: bool = False) -> int:
        """Return the tile as which a tile plays in a meld, -1 for none."""
        return tile

    def claims_over(self, table: Table, entry: Entry) -> bool:
        """Tell whether the discard of a turn entered so can no longer be claimed, only won."""
        last = entry.how == "claim" and not self.can_draw(table, "head")
        return last and self.last_claim_ends

    def exhausted_payments(self, table: Table) -> list[int]:
        """Return what a deal without a winner pays."""
        return [0, 0, 0, 0]

    def can_draw(self, table: Table, end: str) -> bool:
        """Tell whether a tile may be drawn from the wall's "head" or "tail"."""
        return table.wall.left > 0

    def has_window(self) -> bool:
        """Tell whether ready hands may be declared before the first discard."""
        return False

    def waits(self, seat: Seat) -> tuple[int, ...]:
        """Return the legal waits of a hand between its turns."""
        return live_waits(seat.counts, seat.groups, self.playing)

    def against_declaring(self, table: Table, seat: int, mode: str, kept: Seat) -> str:
        """Judge a declaration that leaves the seat holding `kept`."""
        return "there are no declarations"

    def declarable_waits(self, kept: Seat) -> list[tuple[int, ...]]:
        """Return the legal waits that a declaration can name, more than one for a choice."""
        return [self.waits(kept)]

    def marks(
        self, table: Table, seat: int, tile: int | None = None, entry: Entry | None = None
    ) -> Json:
        """Return what a declaration, with its discard, says besides mode and waits."""
        return {}

    def declare(self, table: Table, seat: int, ready: Json, *, in_window: bool) -> None:
        """Note a declaration."""
        table.seats[seat].mode = ready["mode"]

    def against_discarding(self, table: Table, seat: int, tile: int, entry: Entry) -> str:
        """Judge a discard of a tile that the seat holds."""
        if table.seats[seat].mode != "none" and tile != entry.tile:
            return "a declared hand discards the tile just drawn"
        return ""

    def waits_around_kong(
        self, player: Seat, kind: str, tile: int, drawn: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return a hand's waits without the drawn tile, and after an own kong."""
        before = self.waits(player.without(drawn))
        return before, self.waits(player.with_kong(kind, tile))

    def against_kong(self, table: Table, seat: int, kind: str, tile: int, entry: Entry) -> str:
        """Judge a kong in one's own turn whose tiles are there."""
        return ""

    def against_claim(self, table: Table, seat: int, what: str, source: int, tile: int) -> str:
        """Judge a pong, exposed kong or chow whose tiles are there."""
        return ""

    def kong_payments(
        self, seat: int, kind: str, tile: int, giver: int | None = None
    ) -> list[int] | None:
        """Return what a kong of a tile pays at once, None where kongs are paid with a win."""
        return None

    def kongs_void(self, outcome: Outcome) -> bool:
        """Tell whether the kongs that were paid at once count for nothing."""
        return False

    def shows_after_deal(self) -> bool:
        """Tell whether special kongs are shown directly after the deal."""
        return False

    def against_special_kong(
        self, table: Table, seat: int, kind: str, tiles: Sequence[int], *, in_turn: bool
    ) -> str:
        """Judge the showing of a special kong whose tiles are there."""
        return "there are no special kongs"

    def against_supplement(
        self, table: Table, seat: int, kind: str, tile: int, entry: Entry
    ) -> str:
        """Judge a tile added to an own special kong."""
        return "there are no special kongs"

    def supplement_robbable(self, table: Table, seat: int, tile: int) -> bool:
        """Tell whether others may take a supplement."""
        return False

    def supplement_robbers(self) -> Collection[str]:
        """Return the claims that may take a supplement."""
        return ("pong",)

    def final_draws(self, table: Table) -> bool:
        """Tell whether the next four draws are the last, without discards."""
        return False

    def bao_choices(self, table: Table) -> dict[int, int]:
        """Return the sums of dice that find a bao, with its slot; none lies outside the wall."""
        return {}

    def bao_due(self, table: Table) -> bool:
        """Tell whether the bao has to go because three copies are out."""
        return False

    def can_rob(self, kind: str) -> bool:
        """Tell whether a kong of this kind can be robbed."""
        return False

    def several_winners(self) -> bool:
        """Tell whether one tile can have several winners."""
        return False

    def note_draw(self, table: Table, seat: int, kong: str | None, fed: int | None) -> None:
        """Take note of an own draw.

        `kong` is the kind of the kong that it replaces, `fed` the giver of an exposed one.
        """
        table.fed = fed

    def note_discard(self, table: Table, seat: int, tile: int, *, win_declined: bool) -> None:
        """Let a seat discard a tile, which now lies open."""
        player = table.seats[seat]
        player.hand.remove(tile)
        player.discards.append(tile)
        player.thrown += 1
        table.thrown.append(tile)

    def note_passed(
        self, table: Table, source: int, tile: int, able: Collection[int], claimer: int | None
    ) -> None:
        """Take note that nobody won on a discard, or on the tile of a kong that could be robbed.

        `able` could have won. `claimer` has just taken the discard as pong, kong or chow.
        """
        table.declared_now = None

    def win_context(self, table: Table, seat: int, source: int | None) -> Json:
        """Return the circumstances that the score depends on."""
        return {}
