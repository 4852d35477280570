"""The step machine: replays an event log from the rules and notes every fault.

`check_log` judges one deal, `check_match` the deals of a match in their order. What happens in
which order stands here; what a game permits and pays is asked of its rules object (see `game.py`).
A new game is a module with such an object, entered in `GAMES`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import NoReturn

from tests.referee.changchun import Changchun
from tests.referee.common import KIND, NAMES, SPECIAL_KONGS, Json, Meld, Win, parse_tiles
from tests.referee.events import describe, form_faults
from tests.referee.game import Game, Outcome
from tests.referee.plain import Plain
from tests.referee.shapes import changed
from tests.referee.suqian import Suqian
from tests.referee.suzhou import Suzhou
from tests.referee.table import Entry, Seat, Table, Wall, names
from tests.referee.yancheng import Yancheng
from tests.referee.yiwu import Yiwu

GAMES: dict[str, type[Game]] = {
    game.ident: game for game in (Changchun, Plain, Suqian, Suzhou, Yancheng, Yiwu)
}
N_DEALT = 53
N_SUITED = 27
DECLARED = ("event", "seat", "mode", "waits")


class ReplayStoppedError(Exception):
    """The log has left the rules so far that nothing after this point can be judged."""


class Replay:
    """One deal, read event by event."""

    def __init__(self, events: Sequence[Json], game: str | None, *, wins_taken: bool) -> None:
        self.events = events
        self.game_name = game
        self.wins_taken = wins_taken
        self.position = 0
        self.faults: list[str] = []
        self.winners: list[int] = []
        self.saw_reroll: list[int] = []
        self.outcome = Outcome()
        self.able: list[int] = []
        self.payments = [0, 0, 0, 0]
        self.kong_money = [0, 0, 0, 0]

    def run(self) -> list[str]:
        """Replay the deal and return the faults found."""
        try:
            self.start()
            self.bids()
            self.deal()
            self.indicator()
            self.window()
            self.play(self.special_kongs_after_deal())
            self.end()
        except ReplayStoppedError:
            pass
        return self.faults

    # Reading events

    def fault(self, text: str) -> None:
        """Note a fault of the event read last."""
        place = max(self.position - 1, 0)
        event = self.events[place] if self.events else None
        name = event.get("event") if isinstance(event, dict) else None
        self.faults.append(f"event {place} ({name}): {text}")

    def stop(self, text: str) -> NoReturn:
        """Note a fault after which the replay cannot go on."""
        self.fault(text)
        raise ReplayStoppedError

    def next_is(self, *kinds: str) -> bool:
        """Tell whether the next event is of one of the kinds."""
        if self.position == len(self.events):
            return False
        event = self.events[self.position]
        return isinstance(event, dict) and event.get("event") in kinds

    def take(self, *kinds: str, wanted: str) -> Json:
        """Read the next event, which must be of one of the kinds."""
        if self.position == len(self.events):
            self.faults.append(
                f"event {self.position}: expected {wanted}, found the end of the log"
            )
            raise ReplayStoppedError
        event = self.events[self.position]
        self.position += 1
        fields = GAMES[self.game_name].result_fields if self.game_name in GAMES else ()
        wrong = form_faults(event, fields)
        if wrong:
            self.stop("; ".join(wrong))
        if event["event"] not in kinds:
            self.stop(f"expected {wanted}, found {describe(event)}")
        return event

    def expect(self, what: str, found: object, wanted: object) -> None:
        """Note a fault if a value is not as wanted."""
        if found != wanted:
            self.fault(f"{what}: expected {wanted}, found {found}")

    def require(self, what: str, found: object, wanted: object) -> None:
        """Stop if a value is not as wanted."""
        if found != wanted:
            self.stop(f"{what}: expected {wanted}, found {found}")

    def judge(self, against: str) -> None:
        """Note a fault if there is a reason against what was done."""
        if against:
            self.fault(f"not allowed: {against}")

    def conserve(self) -> None:
        """Stop if the tiles in hands, melds, flowers, discards and wall are not the full set."""
        wall = self.table.wall
        tiles = Counter(t for t, there in zip(wall.tiles, wall.untouched, strict=True) if there)
        tiles.update(() if wall.aside is None else (wall.tiles[wall.aside],))
        for seat in self.table.seats:
            tiles.update(seat.hand + seat.flowers + seat.discards)
            for meld in seat.melds:
                tiles.update(meld.tiles)
        if self.game.indicator_source() == "wall" and self.table.indicator is not None:
            tiles[self.table.indicator] += 1
        if tiles != self.game.copies:
            self.stop("tiles are not conserved")

    # Before the first turn

    def start(self) -> None:
        event = self.take("start", wanted="start")
        self.first = event
        self.game_name = self.game_name or event["ruleset"]
        if self.game_name not in GAMES:
            self.stop(f"no rules for {self.game_name!r}, only for {sorted(GAMES)}")
        game = GAMES[self.game_name]
        given = event["options"]
        for part, known in (("options", game.option_table), ("elements", game.element_values)):
            self.expect(part, sorted(given[part]), sorted(known))
        try:
            self.game = game(given["options"], given["elements"])
        except ValueError as error:
            self.stop(str(error))
        self.expect("schema", event["schema"], 1)
        self.expect("digest is empty", not event["digest"], False)
        self.expect("deal before deal_in_match", event["deal"] < event["deal_in_match"], False)
        self.expect("round below 1", event["round"] < 1, False)
        impossible = self.game.start_faults(event)
        for text in impossible:
            self.fault(text)
        if impossible:
            raise ReplayStoppedError
        wind = NAMES[self.game.round_wind(event["round"])]
        self.expect("round_wind", event["round_wind"], wind)
        tiles = [KIND[name] for name in event["wall"]]
        if Counter(tiles) != self.game.copies:
            more, less = Counter(tiles), Counter(self.game.copies)
            self.stop(
                f"the wall needs the {less.total()} tiles of the game; "
                f"too many: {names(list((more - less).elements()))}; "
                f"missing: {names(list((less - more).elements()))}"
            )
        carried = deepcopy(event["carried"])
        self.table = Table(event["dealer"], event["round"], carried, Wall(tiles))

    def bids(self) -> None:
        """Read what the seats bid before the deal, phase after phase."""
        for phase in self.game.bid_phases():
            for number in self.table.from_dealer():
                event = self.take("bid", wanted=f"the bid of seat {number} ({phase})")
                self.require("seat", event["seat"], number)
                against = self.game.bid(self.table, phase, number, event["bids"])
                if against:
                    self.stop(f"not allowed: {against}")

    def deal(self) -> None:
        event = self.take("deal", wanted="the deal")
        wall, order = self.table.wall, self.table.from_dealer()
        for place, number in enumerate(order):
            self.table.seats[number].hand = [
                wall.take(index) for index in range(13 * place, 13 * place + 13)
            ]
        last = wall.take(N_DEALT - 1)
        self.table.seats[order[0]].hand.append(last)
        for number, seat in enumerate(self.table.seats):
            seat.dealt = list(seat.hand)
            dealt = [NAMES[tile] for tile in seat.hand]
            self.expect(f"dealt to seat {number}", event["hands"][number], dealt)
        self.dealt_order = list(self.table.seats[order[0]].hand)
        self.dealt_last = [last]
        for number in order:
            hand = self.table.seats[number].hand
            while any(tile in self.game.bonus for tile in hand):
                tile = self.flower(number)
                if tile is None:
                    return
                if number == order[0] and last in self.game.bonus:
                    self.dealt_last.append(tile)
        self.dealt_last = [tile for tile in self.dealt_last if tile not in self.game.bonus]

    def indicator(self) -> None:
        """Read the tile that tells which tiles are wild."""
        source = self.game.indicator_source()
        if source == "none":
            return
        event = self.take("indicator", wanted="the indicator")
        tile = KIND[event["tile"]]
        if source == "wall":
            self.require("wall_index", event.get("wall_index"), N_DEALT)
            self.require("tile", event["tile"], NAMES[self.table.wall.take(N_DEALT)])
        else:
            self.require("wall_index", event.get("wall_index"), None)
            if tile not in self.game.playing:
                self.stop(f"{event['tile']} cannot be wild")
        self.table.indicator = tile
        self.conserve()

    def window(self) -> None:
        """Read the declarations before the first turn; the dealer's own belongs to its discard."""
        dealer = self.table.dealer
        order = self.table.after(dealer)
        while self.next_is("ready") and self.events[self.position].get("seat") != dealer:
            event = self.take("ready", wanted="a declaration")
            if not self.game.has_window():
                self.stop("there is no opening window")
            if event["seat"] not in order:
                self.stop("declarations go in turn order from the dealer's next seat, one a seat")
            order = order[order.index(event["seat"]) + 1 :]
            seat = self.table.seats[event["seat"]]
            self.declaration(event, seat, self.game.marks(self.table, event["seat"]))

    # Turns

    def play(self, entry: Entry | None) -> None:
        """Play turn after turn until the deal is over."""
        seat = self.table.dealer
        while entry is not None:
            turn = self.own_turn(seat, entry)
            if turn is None:
                break
            seat, tile, entry = turn
            declares = self.table.declared_now is not None
            if self.wins(seat, tile, "discard"):
                return
            if self.bao_after_discard(seat, declares=declares):
                return
            over = self.game.claims_over(self.table, entry)
            claimed = self.claim(seat, tile) if self.claim_follows() and not over else None
            if claimed is None:
                self.game.note_passed(self.table, seat, tile, self.able, None)
                seat = (seat + 1) % 4
                if self.game.can_draw(self.table, "head") and self.game.final_draws(self.table):
                    self.final_draws(seat)
                    break
                if not self.game.can_draw(self.table, "head"):
                    break
                entry = self.draw(seat, "head")
            else:
                seat, entry = claimed
        if not self.winners:
            self.exhausted()

    def final_draws(self, number: int) -> None:
        """Read the last four draws, which are kept unless they win."""
        for seat in ((number + step) % 4 for step in range(4)):
            entry = self.draw(seat, "head") if self.game.can_draw(self.table, "head") else None
            if entry is None:
                return
            if self.next_is("win"):
                event = self.take("win", wanted=f"seat {seat} to win")
                self.require("seat", event["seat"], seat)
                self.own_win(event, seat, entry)
                return
            self.win_declined(seat, entry)

    def own_turn(self, number: int, entry: Entry) -> tuple[int, int, Entry] | None:
        """Read a turn and return who discards which tile, and its last entry; None at the end.

        Who robs a supplement for a pong takes over the turn.
        """
        special = ("special_kong", "supplement") if self.game.special_kongs else ()
        while True:
            wanted = f"seat {number} to win, make a kong or discard"
            event = self.take("win", "kong", *special, "ready", "discard", wanted=wanted)
            self.require("seat", event["seat"], number)
            if event["event"] == "win":
                self.own_win(event, number, entry)
                return None
            declined = self.win_declined(number, entry)
            drawn: Entry | None
            if event["event"] == "kong":
                drawn = self.own_kong(event, number, entry)
            elif event["event"] == "special_kong":
                drawn = self.special_kong(event, number, entry)
            elif event["event"] == "supplement":
                number, drawn = self.supplement(event, number, entry)
            else:
                return number, self.discard(event, number, entry, win_declined=declined), entry
            if drawn is None:
                return None
            entry = drawn

    def discard(self, event: Json, number: int, entry: Entry, *, win_declined: bool) -> int:
        """Read a discard, with the declaration that goes with it."""
        seat, ready = self.table.seats[number], None
        if event["event"] == "ready":
            ready = event
            event = self.take("discard", wanted=f"the discard of seat {number}, which declares")
            self.require("seat", event["seat"], number)
        tile = KIND[event["tile"]]
        if tile not in seat.hand:
            self.stop(f"seat {number} does not hold {event['tile']}")
        self.judge(self.game.against_discarding(self.table, number, tile, entry))
        if ready is not None:
            self.table.declared_now = ready["mode"]
            marks = self.game.marks(self.table, number, tile, entry)
            self.declaration(ready, seat.without(tile), marks, in_window=False)
        self.game.note_discard(self.table, number, tile, win_declined=win_declined)
        self.conserve()
        return tile

    def declaration(self, event: Json, kept: Seat, marks: Json, *, in_window: bool = True) -> None:
        """Judge a declaration of a hand that keeps the given tiles."""
        number, mode = event["seat"], event["mode"]
        if mode not in self.game.modes:
            self.stop(f"mode must be one of {list(self.game.modes)}, not {mode!r}")
        self.judge(self.game.against_declaring(self.table, number, mode, kept))
        found = tuple(sorted(KIND[name] for name in event["waits"]))
        choices = [tuple(sorted(waits)) for waits in self.game.declarable_waits(kept)]
        wanted = found if found in choices else next(iter(choices), ())
        self.expect(f"waits of seat {number}", names(found), names(wanted))
        said = {key: event[key] for key in event if key not in DECLARED}
        self.require(f"what seat {number} declares", said, marks)
        self.game.declare(self.table, number, event, in_window=in_window)

    def draw(
        self, number: int, end: str, *, kong: str | None = None, fed: int | None = None
    ) -> Entry | None:
        """Read a draw and the flowers after it; None when a flower cannot be replaced.

        `kong` is the kind of the kong that it replaces, `fed` the giver of an exposed one.
        """
        wall = self.table.wall
        if number in self.table.bao_unseen and self.bao_view(number):
            return None
        event = self.take("draw", wanted=f"seat {number} to draw from the {end}")
        self.require("seat", event["seat"], number)
        self.require("from", event["from"], end)
        tile = self.drawn(event, wall.head() if end == "head" else wall.tail(), event["tile"])
        wall.tails += end == "tail"
        self.table.seats[number].hand.append(tile)
        self.conserve()
        self.game.note_draw(self.table, number, kong, fed)
        how = "self_draw" if end == "head" else "kong_draw"
        while tile in self.game.bonus:
            replacement = self.flower(number)
            if replacement is None:
                return None
            tile, how = replacement, "flower_draw"
        return Entry(how, tile)

    def drawn(self, event: Json, index: int, name: str) -> int:
        """Take a tile out of the wall as an event says."""
        self.require("wall_index", event["wall_index"], index)
        tile = self.table.wall.take(index)
        self.require("tile", name, NAMES[tile])
        return tile

    def flower(self, number: int) -> int | None:
        """Read a bonus tile set aside and return its replacement, None at the empty wall."""
        seat = self.table.seats[number]
        there = [tile for tile in seat.hand if tile in self.game.bonus]
        event = self.take("flower", wanted=f"seat {number} to replace {names(there)}")
        self.require("seat", event["seat"], number)
        tile = KIND[event["tile"]]
        if tile not in there:
            self.stop(f"seat {number} has {names(there)} to set aside, not {event['tile']}")
        seat.hand.remove(tile)
        seat.flowers.append(tile)
        replacement = None
        if self.game.can_draw(self.table, "tail"):
            if event["replacement"] is None or "wall_index" not in event:
                self.stop("a flower is replaced while the wall has a tile")
            replacement = self.drawn(event, self.table.wall.tail(), event["replacement"])
            seat.hand.append(replacement)
        elif event["replacement"] is not None or "wall_index" in event:
            self.stop("there is no tile left to replace a flower")
        self.conserve()
        return replacement

    # Kongs and claims

    def own_kong(self, event: Json, number: int, entry: Entry) -> Entry | None:
        """Read a kong in one's own turn; return the turn's new entry, None if the deal is over."""
        seat, kind, tiles = self.table.seats[number], event["kind"], self.tiles_of(event)
        if kind not in self.game.own_kongs:
            self.stop(f"a kong in one's own turn is one of {list(self.game.own_kongs)}, not {kind}")
        if "from" in event:
            self.fault("only an exposed kong has `from`")
        if entry.how == "claim":
            self.stop("no kong in the turn of a claim")
        if len(tiles) != 4:
            self.stop("a kong has four tiles")
        pong = None
        if kind == "added":
            there = (
                m for m in seat.melds if m.type == "pong" and Counter(m.tiles) <= Counter(tiles)
            )
            pong = next(there, None)
            if pong is None:
                self.stop(f"seat {number} has no pong of {names(tiles[:1])}")
        own = list((Counter(tiles) - Counter(pong.tiles if pong else ())).elements())
        played = tuple(sorted((*(pong.group.tiles if pong else ()), *self.played(own))))
        self.check_kong(played)
        tile = own[0]
        self.judge(self.game.against_kong(self.table, number, kind, tile, entry))
        needed = 1 if kind == "added" else 4
        if len(own) != needed or seat.hand.count(tile) < needed:
            self.stop(f"seat {number} does not hold {needed} x {NAMES[tile]}")
        if self.game.can_rob(kind):
            if self.wins(number, tile, "rob_kong"):
                return None
            self.game.note_passed(self.table, number, tile, self.able, None)
        for _ in range(needed):
            seat.use(tile)
        shown = played if played != tiles else ()
        if pong is None:
            seat.melds.append(Meld("kong_concealed", tiles, None, shown))
        else:
            seat.melds[seat.melds.index(pong)] = Meld("kong_added", tiles, pong.giver, shown)
        self.conserve()
        if self.paid(number, kind, tile):
            return None
        return self.draw(number, "tail", kong=kind)

    def claim_follows(self) -> bool:
        """Tell whether the next event claims the discard."""
        if not self.next_is("chow", "pong", "kong"):
            return False
        event = self.events[self.position]
        return event["event"] in self.game.claims and event.get("kind", "exposed") == "exposed"

    def claim(self, source: int, tile: int, *, robbed: bool = False) -> tuple[int, Entry | None]:
        """Read a pong, exposed kong or chow; return the claimer and how its turn is entered.

        A robbed supplement is taken out of the hand of its owner.
        """
        event = self.take("chow", "pong", "kong", wanted="a claim")
        number, what, tiles = event["seat"], event["event"], self.tiles_of(event)
        seat = self.table.seats[number]
        if number == source:
            self.stop("nobody claims an own discard")
        self.require("from", event.get("from"), source)
        self.require("claimed tile", event.get("tile", NAMES[tile]), NAMES[tile])
        if tile not in tiles:
            self.stop(f"the claim does not hold the discard {NAMES[tile]}")
        played = self.played(tiles, thrown=tile)
        if what == "kong":
            self.check_kong(played)
        elif what == "pong":
            self.require("tiles of a pong", names(played), names((played[0],) * 3))
        else:
            low = played[0]
            if played != (low, low + 1, low + 2) or low >= N_SUITED or low % 9 > 6:
                self.stop(f"{names(tiles)} is not a run")
        self.judge(self.game.against_claim(self.table, number, what, source, tile))
        own = list(tiles)
        own.remove(tile)
        for needed in own:
            if needed not in seat.hand:
                self.stop(f"seat {number} does not hold {names(own)}")
            seat.use(needed)
        if robbed:
            self.table.seats[source].use(tile)
        else:
            self.table.seats[source].discards.pop()
        kind, shown = "kong_exposed" if what == "kong" else what, played if played != tiles else ()
        seat.melds.append(Meld(kind, tiles, source, shown))
        if what == "pong":
            self.table.pongs.append((tile, number))
        self.conserve()
        self.game.note_passed(self.table, source, tile, self.able, number)
        if what != "kong":
            over = self.bao_recount(number)
            return number, None if over else Entry("claim", tile)
        if self.paid(number, "exposed", tile, source):
            return number, None
        return number, self.draw(number, "tail", kong="exposed", fed=source)

    # Special kongs and what is paid for kongs at once

    def special_kongs_after_deal(self) -> Entry | None:
        """Read what is shown directly after the deal; return how the dealer's turn is entered."""
        entry: Entry | None = Entry("dealt", self.dealt_last[-1])
        if not self.game.shows_after_deal():
            return entry
        for number in self.table.from_dealer():
            shown: Entry | None = entry if number == self.table.dealer else Entry("deal", -1)
            while self.next_is("special_kong"):
                if self.events[self.position].get("seat") != number or shown is None:
                    break
                event = self.take("special_kong", wanted="a special kong")
                shown = self.special_kong(event, number, shown, in_turn=False)
            if number == self.table.dealer:
                entry = shown
        return entry

    def special_kong(
        self, event: Json, number: int, entry: Entry, *, in_turn: bool = True
    ) -> Entry | None:
        """Read a special kong; return the turn's new entry, None if the deal is over."""
        seat, kind, tiles = self.table.seats[number], event["kind"], self.tiles_of(event)
        if kind not in SPECIAL_KONGS:
            self.stop(f"a special kong is one of {list(SPECIAL_KONGS)}, not {kind}")
        if Counter(tiles) - Counter(seat.hand):
            self.stop(f"seat {number} does not hold {names(tiles)}")
        against = self.game.against_special_kong(self.table, number, kind, tiles, in_turn=in_turn)
        if against:
            self.stop(f"not allowed: {against}")
        replaced = len(tiles) > 3
        if replaced and not self.game.can_draw(self.table, "tail"):
            self.stop("a kong needs a tile in the wall")
        for tile in tiles:
            seat.use(tile)
        seat.melds.append(Meld(kind, tiles))
        self.conserve()
        if self.paid(number, kind, tiles[0]):
            return None
        if replaced:
            drawn = self.draw(number, "tail", kong=kind)
            return Entry("claim", drawn.tile) if drawn and entry.how == "claim" else drawn
        if entry.how == "dealt":
            left = [tile for tile in self.dealt_order if tile in seat.hand]
            return Entry("dealt", left[-1])
        if entry.how in ("self_draw", "kong_draw") and entry.tile not in seat.hand:
            return Entry("shown", entry.tile)
        return entry

    def supplement(self, event: Json, number: int, entry: Entry) -> tuple[int, Entry | None]:
        """Read a supplement; return whose turn it is then, and the new entry."""
        seat, kind, tile = self.table.seats[number], event["kind"], KIND[event["tile"]]
        if not any(meld.type == kind for meld in seat.melds):
            self.stop(f"seat {number} has no {kind} to add to")
        if tile not in seat.hand:
            self.stop(f"seat {number} does not hold {event['tile']}")
        self.judge(self.game.against_supplement(self.table, number, kind, tile, entry))
        if not self.game.can_draw(self.table, "tail"):
            self.stop("a kong needs a tile in the wall")
        if self.game.supplement_robbable(self.table, number, tile):
            if self.wins(number, tile, "rob_kong", or_claimed=True):
                return number, None
            if self.next_is("rob"):
                return self.rob_by_claim(number, tile)
            self.game.note_passed(self.table, number, tile, self.able, None)
        seat.supplement(kind, tile)
        self.conserve()
        if self.paid(number, "supplement", tile):
            return number, None
        return number, self.draw(number, "tail", kong="supplement")

    def rob_by_claim(self, source: int, tile: int) -> tuple[int, Entry | None]:
        """Read a supplement taken by a pong, or by what else may take it."""
        event = self.take("rob", wanted="the robbing of a supplement")
        robbers = self.game.supplement_robbers()
        if event["how"] not in robbers:
            self.stop(f"a supplement is robbed by {list(robbers)}, not by {event['how']}")
        self.require("from", event["from"], source)
        self.require("tile", event["tile"], NAMES[tile])
        if not self.next_is(event["how"]):
            self.stop(f"expected the {event['how']} of seat {event['seat']}")
        self.require("robber", self.events[self.position].get("seat"), event["seat"])
        return self.claim(source, tile, robbed=True)

    def paid(self, number: int, kind: str, tile: int, giver: int | None = None) -> bool:
        """Read what a kong that stands is paid at once, and a re-roll that it brings.

        Tell whether the deal is over.
        """
        wanted = self.game.kong_payments(number, kind, tile, giver)
        if wanted is not None:
            event = self.take("kong_payment", wanted=f"the payment of the kong of seat {number}")
            self.expect("seat", event["seat"], number)
            self.expect("kind", event["kind"], kind)
            self.expect("payments", event["payments"], wanted)
            self.kong_money = [a + b for a, b in zip(self.kong_money, wanted, strict=True)]
        return self.bao_recount(number)

    # The bao

    def bao_after_discard(self, number: int, *, declares: bool) -> bool:
        """Read what a discard that nobody won does to the bao; tell whether the deal is over."""
        if not self.game.has_bao:
            return False
        # Whoever may choose to throw anew does so at its turn, after the look of who declared.
        chosen = self.game.options["bao_reroll"] == "optional"
        if not chosen and self.bao_recount((number + 1) % 4):
            return True
        if declares and self.bao_shown(number):
            return True
        return chosen and self.bao_recount((number + 1) % 4)

    def bao_shown(self, number: int) -> bool:
        """Read how who has just declared comes to see the bao; tell whether the deal is over."""
        table = self.table
        if table.bao_over or number in self.saw_reroll:
            return False
        if not table.bao_slots:
            return self.bao_roll([number], number, reroll=False)
        if self.game.options["bao_view_time"] == "next_turn":
            table.bao_unseen.add(number)
            return False
        return self.bao_view(number)

    def bao_recount(self, to_move: int) -> bool:
        """Read the re-roll if three copies of the bao are out; tell whether the deal is over."""
        self.saw_reroll = []
        if not self.game.has_bao or not self.game.bao_due(self.table):
            return False
        if self.game.options["bao_reroll"] == "optional" and not self.next_is("bao"):
            return False
        self.saw_reroll = self.table.declared()
        return self.bao_roll(self.saw_reroll, to_move, reroll=True)

    def bao_roll(self, viewers: list[int], to_move: int, *, reroll: bool) -> bool:
        """Read a roll for a bao; tell whether it ends the deal."""
        table, wall = self.table, self.table.wall
        event = self.take("bao", wanted="a roll for the bao")
        wall.put_back()
        choices = self.game.bao_choices(table)
        self.expect("reroll", event["reroll"], reroll)
        if not choices:
            self.require("tile", event["tile"], None)
            self.expect("fields", sorted(event), ["event", "reroll", "tile"])
            table.bao_over = True
            table.bao_unseen.clear()
            return False
        if event["tile"] is None or not {"wall_index", "dice", "seen_by"} <= set(event):
            self.stop(f"the bao is one of the slots {sorted(choices.values())}")
        dice = event["dice"]
        self.require("dice", len(dice), self.game.number("bao_dice"))
        if not all(1 <= die <= 6 for die in dice) or sum(dice) not in choices:
            self.stop(f"{dice} finds no bao, only {sorted(choices)}")
        index = choices[sum(dice)]
        self.require("wall_index", event["wall_index"], index)
        self.require("tile", event["tile"], NAMES[wall.tiles[index]])
        wall.lay_aside(index)
        table.bao_slots.append(index)
        self.conserve()
        if self.game.options["bao_view_time"] == "next_turn":
            table.bao_unseen |= set(viewers)
            viewers = []
        self.expect("seen_by", sorted(event["seen_by"]), sorted(viewers))
        order = [(to_move + step) % 4 for step in range(4)]
        return self.chong_bao([seat for seat in order if seat in viewers])

    def bao_view(self, number: int) -> bool:
        """Read a look at the bao; tell whether it ends the deal."""
        self.table.bao_unseen.discard(number)
        bao = self.table.bao()
        if bao is None:
            return False
        event = self.take("bao_view", wanted=f"seat {number} to look at the bao")
        self.require("seat", event["seat"], number)
        self.require("tile", event["tile"], NAMES[bao])
        return self.chong_bao([number])

    def chong_bao(self, viewers: Sequence[int]) -> bool:
        """Read the win of one who sees that the bao is a wait; tell whether there is one."""
        bao = self.table.bao()
        if bao is None:
            return False
        claims = {
            seat: self.as_win(seat, self.table.seats[seat].counts, bao, "bao_view", None)
            for seat in viewers
        }
        able = [seat for seat, win in claims.items() if not self.game.refusal(win)]
        if self.next_is("win") and self.events[self.position].get("by") == "bao_view":
            event = self.take("win", wanted="a win by the bao")
            if event["seat"] not in claims:
                self.stop(f"seat {event['seat']} has not just seen the bao")
            self.win(event, claims[event["seat"]])
        if self.wins_taken:
            self.expect("winners by the bao", self.winners, able[:1])
        return bool(self.winners)

    def tiles_of(self, event: Json) -> tuple[int, ...]:
        """Return an event's tiles in order of kinds."""
        if not event["tiles"]:
            self.stop("a meld has tiles")
        return tuple(sorted(KIND[name] for name in event["tiles"]))

    def played(self, tiles: Sequence[int], *, thrown: int | None = None) -> tuple[int, ...]:
        """Return the tiles as which the tiles of a meld play, `thrown` among them from a discard.

        The replay stops at tiles that make no melds.
        """
        own, faces = list(tiles), []
        if thrown is not None:
            own.remove(thrown)
            faces = [self.game.face(self.table, thrown, thrown=True)]
        faces += [self.game.face(self.table, tile) for tile in own]
        if min(faces) < 0:
            self.stop(f"{names(tiles)} make no meld: a wild tile is among them")
        return tuple(sorted(faces))

    def check_kong(self, tiles: tuple[int, ...]) -> None:
        """Stop unless the tiles are four alike and one can be drawn to replace them."""
        self.require("tiles of a kong", tiles, (tiles[0],) * 4)
        if not self.game.can_draw(self.table, "tail"):
            self.stop("a kong needs a tile in the wall")

    # Winning

    def own_claim(self, number: int, entry: Entry) -> Win:
        """Return the win that a seat would claim in its own turn."""
        hand = changed(self.table.seats[number].counts, (entry.tile,), -1)
        return self.as_win(number, hand, entry.tile, entry.how, None)

    def as_win(
        self, number: int, hand: tuple[int, ...], tile: int, by: str, source: int | None
    ) -> Win:
        seat = self.table.seats[number]
        return Win(
            hand=hand,
            melds=tuple(seat.melds),
            flowers=tuple(seat.flowers),
            tile=tile,
            by=by,
            winner=number,
            source=source,
            dealer=self.table.dealer,
            context=self.game.win_context(self.table, number, source),
        )

    def own_win(self, event: Json, number: int, entry: Entry) -> None:
        """Judge a win in one's own turn."""
        if entry.how in ("claim", "shown"):
            self.stop("nothing wins in the turn of a claim, or with the last tile shown")
        if entry.how == "dealt" and KIND[event["tile"]] in self.dealt_last:
            entry = Entry("dealt", KIND[event["tile"]])
        self.win(event, self.own_claim(number, entry))

    def win_declined(self, number: int, entry: Entry) -> bool:
        """Tell whether a seat that does not win could; a fault where wins are always taken."""
        if entry.how in ("claim", "shown"):
            return False
        declined = not self.game.refusal(self.own_claim(number, entry))
        if declined and self.wins_taken:
            self.fault(f"seat {number} could win by {entry.how} on {NAMES[entry.tile]}")
        return declined

    def wins(self, source: int, tile: int, by: str, *, or_claimed: bool = False) -> bool:
        """Read the wins on a discard or a kong that can be robbed; tell whether there was one.

        What can be robbed by a claim, too, may go on to that.
        """

        def win_of(number: int) -> Win:
            return self.as_win(number, self.table.seats[number].counts, tile, by, source)

        order = self.table.after(source)
        self.able = [s for s in order if not self.game.refusal(win_of(s))]
        kinds = ("win",) if by == "discard" else ("rob",)
        winners: list[int] = []
        while self.next_is(*kinds) and (not winners or self.game.several_winners()):
            if or_claimed and self.events[self.position].get("how") != "win":
                break
            event = self.take(*kinds, wanted="a win")
            number = event["seat"]
            if by == "rob_kong":
                self.require("from", event["from"], source)
                self.require("tile", event["tile"], NAMES[tile])
                self.require("how", event["how"], "win")
                event = self.take("win", wanted=f"the win of seat {number}, which robs the kong")
                self.require("seat", event["seat"], number)
            nearest = 1 + max(map(order.index, winners), default=-1)
            if number not in order[nearest:]:
                self.stop(f"wins go in turn order after seat {source}, one a seat")
            self.win(event, win_of(number))
            winners.append(number)
        if self.wins_taken:
            expected = self.able if self.game.several_winners() else self.able[:1]
            self.expect(f"winners of {NAMES[tile]} from seat {source}", winners, expected)
        return bool(winners)

    def win(self, event: Json, win: Win) -> None:
        """Compare a win event with what the rules say about it."""
        seat = self.table.seats[win.winner]
        self.winners.append(win.winner)
        self.payments = [a + b for a, b in zip(self.payments, event["payments"], strict=True)]
        self.expect("by", event["by"], win.by)
        self.expect("tile", event["tile"], NAMES[win.tile])
        self.expect("from", event.get("from"), win.source)
        hand = sorted(NAMES[kind] for kind, n in enumerate(win.hand) for _ in range(n))
        self.expect("hand", sorted(event["hand"]), hand)
        self.expect("flowers", sorted(event["flowers"]), sorted(NAMES[t] for t in seat.flowers))
        self.check_melds(event["melds"], seat.melds)
        against = self.game.refusal(win)
        if against:
            self.judge(f"seat {win.winner} cannot win by {win.by}: {against}")
            return
        fields = self.game.result_fields
        results = self.game.settle(win)
        self.outcome = Outcome(tuple(self.winners), win.source, results[0].get("multiplier", 1))
        nearest = min(results, key=lambda result: sum(event[f] != result[f] for f in fields))
        for field in fields:
            self.expect(field, event[field], nearest[field])

    def check_melds(self, given: list[Json], melds: Sequence[Meld]) -> None:
        """Compare the melds of a win event with those on the table."""
        try:
            found = [(m["type"], tuple(sorted(parse_tiles(m["tiles"])))) for m in given]
        except (ValueError, KeyError):
            self.fault(f"melds cannot be read: {given}")
            return
        self.expect("melds", sorted(found), sorted((meld.type, meld.tiles) for meld in melds))
        for meld, key in zip(given, found, strict=True):
            givers = [other.giver for other in melds if (other.type, other.tiles) == key]
            if "from" in meld and givers and meld["from"] not in givers:
                self.fault(f"giver of {meld['tiles']}: expected {givers}, found {meld['from']}")

    # The end

    def exhausted(self) -> None:
        event = self.take("exhausted", wanted="the deal to be exhausted")
        self.expect("tiles_left", event["tiles_left"], self.table.wall.present())
        paid = self.game.exhausted_payments(self.table)
        self.payments = [a + b for a, b in zip(self.payments, paid, strict=True)]

    def end(self) -> None:
        event = self.take("end", wanted="the end of the deal")
        payments = self.payments
        if not self.game.kongs_void(self.outcome):
            payments = [a + b for a, b in zip(payments, self.kong_money, strict=True)]
        self.expect("payments", event["payments"], payments)
        self.expect("sum of payments", sum(event["payments"]), 0)
        before = {**self.table.carried, "dealer": self.table.dealer}
        after = self.game.carry(before, self.outcome)
        dealer = after.pop("dealer")
        self.expect("carried", event["carried"], after)
        self.expect("dealer", event["dealer"], dealer)
        # The log of a later deal does not say who dealt first.
        overs = {
            self.game.match_over({**self.first, "first_dealer": first}, dealer)
            for first in self.game.first_dealers(self.first)
        }
        if event["match_over"] not in overs:
            self.fault(f"match_over: expected {not event['match_over']}")
        if self.position != len(self.events):
            extra = self.events[self.position]
            self.position += 1
            self.stop(f"nothing stands after the end, found {describe(extra)}")


def check_log(
    events: Sequence[Json], *, wins_taken: bool = False, game: str | None = None
) -> list[str]:
    """Return the faults of a deal's event log, none if it is clean.

    With `wins_taken` a win passed is a fault, as for policies that take every win. `game` names the
    rules if `start.ruleset` is the id of a house rule.
    """
    return Replay(events, game, wins_taken=wins_taken).run()


def check_match(
    logs: Sequence[Sequence[Json]],
    *,
    wins_taken: bool = False,
    game: str | None = None,
    whole: bool = True,
) -> list[str]:
    """Return the faults of a match's deals and of what is carried from one to the next.

    `whole` demands that the deals are all of the match, from its first to its last.
    """
    faults = []
    for number, log in enumerate(logs):
        found = check_log(log, wins_taken=wins_taken, game=game)
        faults += [f"deal {number}, {fault}" for fault in found]
    if faults:
        return faults
    if not logs:
        return ["a match has deals"]
    rules = GAMES[game or logs[0][0]["ruleset"]](**logs[0][0]["options"])
    dealers = rules.first_dealers(logs[0][0])
    for number, (log, following) in enumerate(pairwise(logs), start=1):
        start, end, then = log[0], log[-1], following[0]
        wanted = {name: start[name] for name in ("ruleset", "digest", "options", "seed", "match")}
        wanted |= {name: start[name] + 1 for name in ("deal", "deal_in_match")}
        # Dice are rolled for the next deal, so that it may have more counters.
        wanted |= {"dealer": end["dealer"], "carried": then["carried"] | end["carried"]}
        rounds = {
            first: rules.next_round({**start, "first_dealer": first}, end["dealer"])
            for first in dealers
        }
        dealers = [first for first in dealers if rounds[first] == then["round"]] or dealers
        wanted["round"] = rounds[dealers[0]]
        faults += [
            f"deal {number}, start: {name} must be {value!r}, not {then[name]!r}"
            for name, value in wanted.items()
            if then[name] != value
        ]
        if end["match_over"]:
            faults.append(f"deal {number}: the match was over before")
    overs = {
        rules.match_over({**logs[-1][0], "first_dealer": first}, logs[-1][-1]["dealer"])
        for first in dealers
    }
    if logs[-1][-1]["match_over"] not in overs:
        faults.append(f"deal {len(logs) - 1}, end: match_over must be {overs.pop()}")
    if whole and logs[0][0]["deal_in_match"] != 0:
        faults.append("the first deal of the match is missing")
    if whole and not logs[-1][-1]["match_over"]:
        faults.append("the last deal of the match is missing")
    return faults


def split_logs(lines: Iterable[str]) -> list[list[Json]]:
    """Read JSON lines into one list of events a deal; a deal begins with `start`."""
    logs: list[list[Json]] = []
    for line in lines:
        if not line.strip():
            continue
        event = json.loads(line)
        if event.get("event") == "start" or not logs:
            logs.append([])
        logs[-1].append(event)
    return logs
