"""A naive player of all four seats that writes the event log of a deal.

It is slow and plays at random, leaning towards hands that hang together so that deals end in wins.
It serves to try out the step machine, which reads the log again from the rules.
"""

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain
from random import Random

from tests.referee.common import NAMES, Json, Meld, Win
from tests.referee.game import Game, Outcome
from tests.referee.shapes import Counts, changed
from tests.referee.table import Entry, Seat, Table, Wall


@dataclass(frozen=True)
class Habits:
    """How often the players do what they may."""

    win: float = 1.0
    declare: float = 0.8
    kong: float = 0.7
    claim: float = 0.3
    bid: float = 0.2
    careless: float = 0.05


def spelled(tiles: Sequence[int]) -> str:
    """Write the tiles of a meld in hand notation."""
    return "".join(NAMES[tile] for tile in tiles)


def fresh_wall(game: Game, random: Random, first: Sequence[int] = ()) -> list[int]:
    """Return a shuffled wall that begins with the given tiles."""
    rest = Counter(game.copies)
    rest.subtract(first)
    if min(rest.values()) < 0:
        raise ValueError("the wall has not that many of a tile")
    tiles = list(rest.elements())
    random.shuffle(tiles)
    return [*first, *tiles]


class Deal:
    """One deal as it is played."""

    def __init__(
        self,
        game: Game,
        start: Json,
        wall: Sequence[int],
        random: Random,
        habits: Habits,
        first_dealer: int,
    ) -> None:
        self.game, self.random, self.habits = game, random, habits
        self.start = start
        self.first_dealer = first_dealer
        carried = deepcopy(start["carried"])
        self.table = Table(start["dealer"], start["round"], carried, Wall(wall))
        self.events: list[Json] = [start]
        self.winners: list[int] = []
        self.outcome = Outcome()
        self.able: list[int] = []
        self.payments = [0, 0, 0, 0]

    def write(self, event: str, **fields: object) -> None:
        self.events.append({"event": event, **fields})

    def willing(self, habit: float) -> bool:
        return self.random.random() < habit

    def play(self) -> list[Json]:
        """Play the deal and return its events."""
        self.bids()
        self.deal()
        self.indicator()
        self.window()
        self.turns()
        if not self.winners:
            self.write("exhausted", tiles_left=self.table.wall.left)
            paid = self.game.exhausted_payments(self.table)
            self.payments = [a + b for a, b in zip(self.payments, paid, strict=True)]
        after = self.game.carry({**self.table.carried, "dealer": self.table.dealer}, self.outcome)
        dealer = after.pop("dealer")
        over = self.game.match_over({**self.start, "first_dealer": self.first_dealer}, dealer)
        self.write("end", payments=self.payments, carried=after, dealer=dealer, match_over=over)
        return self.events

    def bids(self) -> None:
        for phase in self.game.bid_phases():
            for number in self.table.from_dealer():
                choices = self.game.bid_choices(self.table, phase, number)
                up = self.random.choice(choices) if self.willing(self.habits.bid) else choices[0]
                self.write("bid", seat=number, bids=up)
                self.game.bid(self.table, phase, number, up)

    def deal(self) -> None:
        wall, order = self.table.wall, self.table.from_dealer()
        for number in order:
            self.table.seats[number].hand = [wall.take(wall.head()) for _ in range(13)]
        self.last_dealt = wall.take(wall.head())
        self.table.seats[order[0]].hand.append(self.last_dealt)
        hands = [[NAMES[tile] for tile in seat.hand] for seat in self.table.seats]
        self.write("deal", hands=hands)
        for number in order:
            hand = self.table.seats[number].hand
            while bonus := [tile for tile in hand if tile in self.game.bonus]:
                replacement = self.set_aside(number, bonus[0])
                replaced = number == order[0] and self.last_dealt in self.game.bonus
                if replaced and replacement is not None:
                    self.last_dealt = replacement

    def indicator(self) -> None:
        source, wall = self.game.indicator_source(), self.table.wall
        if source == "wall":
            index = wall.head()
            self.table.indicator = wall.take(index)
            self.write("indicator", tile=NAMES[self.table.indicator], wall_index=index)
        elif source == "lot":
            self.table.indicator = self.random.choice(self.game.playing)
            self.write("indicator", tile=NAMES[self.table.indicator])

    def set_aside(self, number: int, tile: int) -> int | None:
        seat, wall = self.table.seats[number], self.table.wall
        seat.hand.remove(tile)
        seat.flowers.append(tile)
        if not self.game.can_draw(self.table, "tail"):
            self.write("flower", seat=number, tile=NAMES[tile], replacement=None)
            return None
        index = wall.tail()
        replacement = wall.take(index)
        seat.hand.append(replacement)
        self.write(
            "flower",
            seat=number,
            tile=NAMES[tile],
            replacement=NAMES[replacement],
            wall_index=index,
        )
        return replacement

    def window(self) -> None:
        if not self.game.has_window():
            return
        for number in self.table.after(self.table.dealer):
            seat = self.table.seats[number]
            modes = [
                mode
                for mode in self.game.modes
                if not self.game.against_declaring(self.table, number, mode, seat)
            ]
            if modes and self.willing(self.habits.declare):
                marks = self.game.marks(self.table, number)
                self.declare(number, self.random.choice(modes), seat, marks, in_window=True)

    def declare(self, number: int, mode: str, kept: Seat, marks: Json, *, in_window: bool) -> None:
        choices = self.game.declarable_waits(kept)
        waits = choices[0] if len(choices) == 1 else self.random.choice(choices)
        said = {"seat": number, "mode": mode, "waits": [NAMES[kind] for kind in waits], **marks}
        self.write("ready", **said)
        self.game.declare(self.table, number, self.events[-1], in_window=in_window)

    def draw(
        self, number: int, end: str, *, kong: str | None = None, fed: int | None = None
    ) -> Entry | None:
        wall = self.table.wall
        index = wall.head() if end == "head" else wall.tail()
        tile: int | None = wall.take(index)
        wall.tails += end == "tail"
        how = "self_draw" if end == "head" else "kong_draw"
        assert tile is not None
        self.table.seats[number].hand.append(tile)
        self.events.append(
            {"event": "draw", "seat": number, "tile": NAMES[tile], "wall_index": index, "from": end}
        )
        self.game.note_draw(self.table, number, kong, fed)
        while tile in self.game.bonus:
            tile, how = self.set_aside(number, tile), "flower_draw"
            if tile is None:
                return None
        return Entry(how, tile)

    def turns(self) -> None:
        number = self.table.dealer
        entry: Entry | None = Entry("dealt", self.last_dealt)
        while entry is not None:
            tile = self.own_turn(number, entry)
            if tile is None or self.wins(number, tile, "discard"):
                return
            over = self.game.claims_over(self.table, entry)
            claimed = None if over else self.claims(number, tile)
            if claimed:
                number, entry = claimed
                continue
            self.game.note_passed(self.table, number, tile, self.able, None)
            number = (number + 1) % 4
            if not self.game.can_draw(self.table, "head"):
                return
            entry = self.draw(number, "head")

    def own_turn(self, number: int, entry: Entry) -> int | None:
        seat = self.table.seats[number]
        while True:
            hand = changed(seat.counts, (entry.tile,), -1)
            win = self.as_win(number, hand, entry.tile, entry.how, None)
            able = entry.how != "claim" and not self.game.refusal(win)
            if able and self.willing(self.habits.win):
                self.win(win)
                return None
            kongs = self.kongs(number, entry) if entry.how != "claim" else []
            if not kongs or not self.willing(self.habits.kong):
                return self.discard(number, entry, win_declined=able)
            drawn = self.kong(number, *self.random.choice(kongs))
            if drawn is None:
                return None
            entry = drawn

    def kongs(self, number: int, entry: Entry) -> list[tuple[str, int]]:
        seat = self.table.seats[number]
        if not self.game.can_draw(self.table, "tail"):
            return []
        made = {tile: self.game.face(self.table, tile) for tile in set(seat.hand)}
        found = [
            ("concealed", t) for t, face in made.items() if face >= 0 and seat.hand.count(t) == 4
        ]
        pongs = [meld.group.tile for meld in seat.melds if meld.type == "pong"]
        found += [("added", tile) for tile, face in made.items() if face in pongs]
        return sorted(
            (kind, tile)
            for kind, tile in found
            if kind in self.game.own_kongs
            and not self.game.against_kong(self.table, number, kind, tile, entry)
        )

    def kong(self, number: int, kind: str, tile: int) -> Entry | None:
        seat, face, place = self.table.seats[number], self.game.face(self.table, tile), 0
        tiles: tuple[int, ...] = (tile,) * 4
        if kind == "added":
            place = next(
                i for i, m in enumerate(seat.melds) if m.type == "pong" and m.group.tile == face
            )
            tiles = tuple(sorted((*seat.melds[place].tiles, tile)))
        shown = () if tiles == (face,) * 4 else (face,) * 4
        self.write("kong", seat=number, tiles=[NAMES[t] for t in tiles], kind=kind)
        if self.game.can_rob(kind):
            if self.wins(number, tile, "rob_kong"):
                return None
            self.game.note_passed(self.table, number, tile, self.able, None)
        seat.hand = [other for other in seat.hand if other != tile]
        if kind == "concealed":
            seat.melds.append(Meld("kong_concealed", tiles, None, shown))
        else:
            seat.melds[place] = Meld("kong_added", tiles, seat.melds[place].giver, shown)
        return self.draw(number, "tail", kong=kind)

    def discard(self, number: int, entry: Entry, *, win_declined: bool) -> int:
        seat = self.table.seats[number]
        allowed = [
            tile
            for tile in sorted(set(seat.hand))
            if not self.game.against_discarding(self.table, number, tile, entry)
        ]
        ready = [
            (tile, mode)
            for tile in allowed
            for mode in self.game.modes
            if not self.game.against_declaring(self.table, number, mode, seat.without(tile))
        ]
        if ready and self.willing(self.habits.declare):
            tile, mode = self.random.choice(ready)
            marks = self.game.marks(self.table, number, tile, entry)
            self.declare(number, mode, seat.without(tile), marks, in_window=False)
            self.table.declared_now = mode
        elif self.willing(self.habits.careless):
            tile = self.random.choice(allowed)
        else:
            tile = min(allowed, key=lambda tile: self.company(seat.counts, tile))
        self.game.note_discard(self.table, number, tile, win_declined=win_declined)
        self.write("discard", seat=number, tile=NAMES[tile])
        return tile

    def company(self, counts: Counts, tile: int) -> float:
        """Return how well a tile hangs together with its hand."""
        worth = 3.0 * (counts[tile] - 1)
        if tile < 27:
            for step, weight in ((1, 2.0), (2, 1.0)):
                worth += weight * (tile % 9 >= step and counts[tile - step] > 0)
                worth += weight * (tile % 9 + step <= 8 and counts[tile + step] > 0)
        return worth + self.random.random() / 2

    def claims(self, source: int, tile: int) -> tuple[int, Entry | None] | None:
        for what in self.game.claims:
            for number in self.table.after(source):
                seat = self.table.seats[number]
                if what == "kong" and not self.game.can_draw(self.table, "tail"):
                    continue
                if self.game.against_claim(self.table, number, what, source, tile):
                    continue
                owns = self.claim_tiles(seat.hand, what, tile)
                if owns and self.willing(self.habits.claim):
                    own = self.random.choice(owns)
                    return number, self.take_claim(number, what, source, tile, own)
        return None

    def claim_tiles(self, hand: Sequence[int], what: str, tile: int) -> list[tuple[int, ...]]:
        """Return the ways to complete a claim with own tiles."""
        tile = self.game.face(self.table, tile, thrown=True)
        plays = {self.game.face(self.table, own): own for own in hand}
        if what != "chow":
            n = 2 if what == "pong" else 3
            own = plays.get(tile, -1)
            return [(own,) * n] if hand.count(own) >= n else []
        if not 0 <= tile < 27:
            return []
        ways = [
            tuple(kind for kind in range(low, low + 3) if kind != tile)
            for low in range(tile - 2, tile + 1)
            if low // 9 == tile // 9 and 0 <= low % 9 <= 6
        ]
        return [
            tuple(plays[kind] for kind in way) for way in ways if all(kind in plays for kind in way)
        ]

    def take_claim(
        self, number: int, what: str, source: int, tile: int, own: tuple[int, ...]
    ) -> Entry | None:
        seat, tiles = self.table.seats[number], tuple(sorted((*own, tile)))
        for kind in own:
            seat.hand.remove(kind)
        self.table.seats[source].discards.pop()
        faces = [self.game.face(self.table, kind) for kind in own]
        faces.append(self.game.face(self.table, tile, thrown=True))
        shown = tuple(sorted(faces)) if tuple(sorted(faces)) != tiles else ()
        seat.melds.append(Meld("kong_exposed" if what == "kong" else what, tiles, source, shown))
        if what == "pong":
            self.table.pongs.append((tile, number))
        event = {"event": what, "seat": number, "tiles": [NAMES[kind] for kind in tiles]}
        event |= {"kind": "exposed"} if what == "kong" else {"tile": NAMES[tile]}
        self.events.append({**event, "from": source})
        self.game.note_passed(self.table, source, tile, self.able, number)
        if what != "kong":
            return Entry("claim", tile)
        return self.draw(number, "tail", kong="exposed", fed=source)

    def as_win(self, number: int, hand: Counts, tile: int, by: str, source: int | None) -> Win:
        seat = self.table.seats[number]
        context = self.game.win_context(self.table, number, source)
        melds, flowers = tuple(seat.melds), tuple(seat.flowers)
        return Win(hand, melds, flowers, tile, by, number, source, self.table.dealer, context)

    def wins(self, source: int, tile: int, by: str) -> bool:
        self.able = []
        for number in self.table.after(source):
            win = self.as_win(number, self.table.seats[number].counts, tile, by, source)
            if self.game.refusal(win):
                continue
            self.able.append(number)
            if self.winners and not self.game.several_winners():
                continue
            if not self.willing(self.habits.win):
                continue
            if by == "rob_kong":
                rob = {"event": "rob", "seat": number, "from": source, "tile": NAMES[tile]}
                self.events.append({**rob, "how": "win"})
            self.win(win)
        return bool(self.winners)

    def win(self, win: Win) -> None:
        result = self.game.settle(win)[0]
        hand = chain.from_iterable([NAMES[kind]] * n for kind, n in enumerate(win.hand))
        event: Json = {
            "event": "win",
            "seat": win.winner,
            "by": win.by,
            "tile": NAMES[win.tile],
            "hand": list(hand),
            "melds": [
                {"type": meld.type, "tiles": spelled(meld.tiles)}
                | ({} if meld.giver is None else {"from": meld.giver})
                for meld in win.melds
            ],
            "flowers": [NAMES[tile] for tile in win.flowers],
        }
        if win.source is not None:
            event["from"] = win.source
        self.events.append(event | {field: result[field] for field in self.game.result_fields})
        self.winners.append(win.winner)
        self.outcome = Outcome(tuple(self.winners), win.source, result["multiplier"])
        self.payments = [a + b for a, b in zip(self.payments, result["payments"], strict=True)]


def first_start(game: Game, seed: int) -> Json:
    """Return the `start` of a match's first deal, without its wall."""
    return {
        "event": "start",
        "schema": 1,
        "ruleset": game.ident,
        "digest": "0" * 64,
        "options": {"options": game.options, "elements": game.values},
        "seed": seed,
        "match": 0,
        "deal": 0,
        "deal_in_match": 0,
        "dealer": Random(f"{seed} dealer").randrange(4) if game.first_dealer_drawn else 0,
        "round": 1,
        "round_wind": "1z",
        "carried": game.before_deal(game.counters_before_match(), Random(f"{seed} dice")),
    }


def play_deal(
    game: Game,
    seed: int,
    *,
    habits: Habits | None = None,
    first: Sequence[int] = (),
    start: Json | None = None,
    first_dealer: int | None = None,
) -> list[Json]:
    """Play a deal, a match's first unless `start` is given, whose wall begins with `first`.

    `first_dealer` dealt first in the match; without it the dealer of this deal where it is drawn.
    """
    random = Random(seed)
    wall = fresh_wall(game, random, first)
    opening = (start or first_start(game, seed)) | {"wall": [NAMES[tile] for tile in wall]}
    if first_dealer is None:
        first_dealer = opening["dealer"] if game.first_dealer_drawn else 0
    return Deal(game, opening, wall, random, habits or Habits(), first_dealer).play()


def play_match(game: Game, seed: int, *, habits: Habits | None = None) -> list[list[Json]]:
    """Play the deals of a match."""
    start = first_start(game, seed)
    first_dealer = start["dealer"]
    logs: list[list[Json]] = []
    while True:
        log = play_deal(
            game, seed + len(logs), habits=habits, start=start, first_dealer=first_dealer
        )
        logs.append(log)
        end = log[-1]
        if end["match_over"]:
            return logs
        number = game.next_round({**start, "first_dealer": first_dealer}, end["dealer"])
        start = start | {
            "deal": start["deal"] + 1,
            "deal_in_match": start["deal_in_match"] + 1,
            "dealer": end["dealer"],
            "round": number,
            "round_wind": NAMES[game.round_wind(number)],
            "carried": game.before_deal(end["carried"], Random(f"{seed} {len(logs)} dice")),
        }
