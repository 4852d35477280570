"""A naive player of all four seats that writes the event log of a deal.

It is slow and plays at random, leaning towards hands that hang together so that deals end in wins.
It serves to try out the step machine, which reads the log again from the rules.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import chain
from random import Random

from tests.referee.common import NAMES, SPECIAL_KONGS, Json, Meld, Win
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
        self.kong_money = [0, 0, 0, 0]

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
            self.write("exhausted", tiles_left=self.table.wall.present())
            paid = self.game.exhausted_payments(self.table)
            self.payments = [a + b for a, b in zip(self.payments, paid, strict=True)]
        after = self.game.carry({**self.table.carried, "dealer": self.table.dealer}, self.outcome)
        dealer = after.pop("dealer")
        over = self.game.match_over({**self.start, "first_dealer": self.first_dealer}, dealer)
        payments = self.payments
        if not self.game.kongs_void(self.outcome):
            payments = [a + b for a, b in zip(payments, self.kong_money, strict=True)]
        self.write("end", payments=payments, carried=after, dealer=dealer, match_over=over)
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
        self.dealt_order = list(self.table.seats[order[0]].hand)
        for player in self.table.seats:
            player.dealt = list(player.hand)
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
        if number in self.table.bao_unseen and self.bao_view(number):
            return None
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
        entry = self.special_kongs_after_deal()
        while entry is not None:
            turn = self.own_turn(number, entry)
            if turn is None:
                return
            number, tile, entry = turn
            declares = self.table.declared_now is not None
            if self.wins(number, tile, "discard"):
                return
            if self.bao_after_discard(number, declares=declares):
                return
            over = self.game.claims_over(self.table, entry)
            claimed = None if over else self.claims(number, tile, self.game.claims)
            if claimed:
                number, entry = claimed
                continue
            self.game.note_passed(self.table, number, tile, self.able, None)
            number = (number + 1) % 4
            if not self.game.can_draw(self.table, "head"):
                return
            if self.game.final_draws(self.table):
                self.final_draws(number)
                return
            entry = self.draw(number, "head")

    def final_draws(self, number: int) -> None:
        for seat in ((number + step) % 4 for step in range(4)):
            entry = self.draw(seat, "head") if self.game.can_draw(self.table, "head") else None
            if entry is None or self.own_win(seat, entry)[1]:
                return

    def own_win(self, number: int, entry: Entry) -> tuple[bool, bool]:
        """Win with the entry's tile if it can and will; tell both."""
        if entry.how in ("claim", "shown"):
            return False, False
        hand = changed(self.table.seats[number].counts, (entry.tile,), -1)
        win = self.as_win(number, hand, entry.tile, entry.how, None)
        able = not self.game.refusal(win)
        won = able and self.willing(self.habits.win)
        if won:
            self.win(win)
        return able, won

    def own_turn(self, number: int, entry: Entry) -> tuple[int, int, Entry] | None:
        while True:
            able, won = self.own_win(number, entry)
            if won:
                return None
            moves: list[Callable[[], tuple[int, Entry | None]]] = []
            for kind, tile in self.kongs(number, entry) if entry.how != "claim" else []:
                moves.append(partial(self.kong, number, kind, tile))
            if self.game.special_kongs:
                for kind, tiles in self.special_kongs(number, in_turn=True):
                    moves.append(partial(self.special_kong, number, kind, tiles, entry))
                for kind, tile in self.supplements(number, entry):
                    moves.append(partial(self.supplement, number, kind, tile))
            if not moves or not self.willing(self.habits.kong):
                return number, self.discard(number, entry, win_declined=able), entry
            number, drawn = self.random.choice(moves)()
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

    def kong(self, number: int, kind: str, tile: int) -> tuple[int, Entry | None]:
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
                return number, None
            self.game.note_passed(self.table, number, tile, self.able, None)
        while tile in seat.hand:
            seat.use(tile)
        if kind == "concealed":
            seat.melds.append(Meld("kong_concealed", tiles, None, shown))
        else:
            seat.melds[place] = Meld("kong_added", tiles, seat.melds[place].giver, shown)
        if self.paid(number, kind, tile):
            return number, None
        return number, self.draw(number, "tail", kong=kind)

    def special_kongs_after_deal(self) -> Entry | None:
        entry: Entry | None = Entry("dealt", self.last_dealt)
        if not self.game.shows_after_deal():
            return entry
        for number in self.table.from_dealer():
            shown: Entry | None = entry if number == self.table.dealer else Entry("deal", -1)
            while shown and (there := self.special_kongs(number, in_turn=False)):
                if not self.willing(self.habits.kong):
                    break
                kind, tiles = self.random.choice(there)
                shown = self.special_kong(number, kind, tiles, shown)[1]
            if number == self.table.dealer:
                entry = shown
        return entry

    def special_kongs(self, number: int, *, in_turn: bool) -> list[tuple[str, tuple[int, ...]]]:
        """Return the special kongs that a seat may show, without wild tiles."""
        hand, found = self.table.seats[number].hand, []
        for kind, tiles in SPECIAL_KONGS.items():
            own = tuple(tile for tile in tiles if tile in hand)
            for shown in {own, own[:3]}:
                if len(shown) > 3 and not self.game.can_draw(self.table, "tail"):
                    continue
                against = self.game.against_special_kong(
                    self.table, number, kind, shown, in_turn=in_turn
                )
                if not against:
                    found.append((kind, shown))
        return sorted(found)

    def special_kong(
        self, number: int, kind: str, tiles: tuple[int, ...], entry: Entry
    ) -> tuple[int, Entry | None]:
        seat = self.table.seats[number]
        for tile in tiles:
            seat.use(tile)
        seat.melds.append(Meld(kind, tiles))
        self.write("special_kong", seat=number, kind=kind, tiles=[NAMES[tile] for tile in tiles])
        if self.paid(number, kind, tiles[0]):
            return number, None
        if len(tiles) > 3:
            drawn = self.draw(number, "tail", kong=kind)
            return number, (Entry("claim", drawn.tile) if drawn and entry.how == "claim" else drawn)
        if entry.how == "dealt":
            return number, Entry("dealt", [t for t in self.dealt_order if t in seat.hand][-1])
        if entry.how in ("self_draw", "kong_draw") and entry.tile not in seat.hand:
            return number, Entry("shown", entry.tile)
        return number, entry

    def supplements(self, number: int, entry: Entry) -> list[tuple[str, int]]:
        seat = self.table.seats[number]
        if not self.game.can_draw(self.table, "tail"):
            return []
        return [
            (kind, tile)
            for kind in SPECIAL_KONGS
            if any(meld.type == kind for meld in seat.melds)
            for tile in sorted(set(seat.hand))
            if not self.game.against_supplement(self.table, number, kind, tile, entry)
        ]

    def supplement(self, number: int, kind: str, tile: int) -> tuple[int, Entry | None]:
        self.write("supplement", seat=number, kind=kind, tile=NAMES[tile])
        if self.game.supplement_robbable(self.table, number, tile):
            if self.wins(number, tile, "rob_kong"):
                return number, None
            claimed = self.claims(number, tile, self.game.supplement_robbers(), robbed=True)
            if claimed:
                return claimed
            self.game.note_passed(self.table, number, tile, self.able, None)
        self.table.seats[number].supplement(kind, tile)
        if self.paid(number, "supplement", tile):
            return number, None
        return number, self.draw(number, "tail", kong="supplement")

    def paid(self, number: int, kind: str, tile: int, giver: int | None = None) -> bool:
        payments = self.game.kong_payments(number, kind, tile, giver)
        if payments is not None:
            self.write("kong_payment", seat=number, kind=kind, payments=payments)
            self.kong_money = [a + b for a, b in zip(self.kong_money, payments, strict=True)]
        return self.bao_recount(number)

    def bao_after_discard(self, number: int, *, declares: bool) -> bool:
        if not self.game.has_bao:
            return False
        rolls = len(self.table.bao_slots)
        chosen = self.game.options["bao_reroll"] == "optional"
        if not chosen and self.bao_recount((number + 1) % 4):
            return True
        if declares and len(self.table.bao_slots) == rolls and self.bao_shown(number):
            return True
        return chosen and self.bao_recount((number + 1) % 4)

    def bao_shown(self, number: int) -> bool:
        table = self.table
        if table.bao_over:
            return False
        if not table.bao_slots:
            return self.bao_roll([number], number, reroll=False)
        if self.game.options["bao_view_time"] == "next_turn":
            table.bao_unseen.add(number)
            return False
        return self.bao_view(number)

    def bao_recount(self, to_move: int) -> bool:
        if not self.game.has_bao or not self.game.bao_due(self.table):
            return False
        if self.game.options["bao_reroll"] == "optional" and not self.willing(0.5):
            return False
        return self.bao_roll(self.table.declared(), to_move, reroll=True)

    def bao_roll(self, viewers: list[int], to_move: int, *, reroll: bool) -> bool:
        table, wall = self.table, self.table.wall
        wall.put_back()
        choices = self.game.bao_choices(table)
        if not choices:
            self.write("bao", tile=None, reroll=reroll)
            table.bao_over = True
            table.bao_unseen.clear()
            return False
        thrown = self.random.choice(sorted(choices))
        dice = (
            [thrown] if self.game.number("bao_dice") == 1 else [thrown - thrown // 2, thrown // 2]
        )
        index = choices[thrown]
        wall.lay_aside(index)
        table.bao_slots.append(index)
        if self.game.options["bao_view_time"] == "next_turn":
            table.bao_unseen |= set(viewers)
            viewers = []
        tile = NAMES[wall.tiles[index]]
        self.write("bao", tile=tile, wall_index=index, dice=dice, seen_by=viewers, reroll=reroll)
        return self.chong_bao([s for k in range(4) if (s := (to_move + k) % 4) in viewers])

    def bao_view(self, number: int) -> bool:
        self.table.bao_unseen.discard(number)
        bao = self.table.bao()
        if bao is None:
            return False
        self.write("bao_view", seat=number, tile=NAMES[bao])
        return self.chong_bao([number])

    def chong_bao(self, viewers: Sequence[int]) -> bool:
        bao = self.table.bao()
        if bao is None:
            return False
        for seat in viewers:
            win = self.as_win(seat, self.table.seats[seat].counts, bao, "bao_view", None)
            if not self.game.refusal(win) and self.willing(self.habits.win):
                self.win(win)
                return True
        return False

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

    def claims(
        self, source: int, tile: int, kinds: Collection[str], *, robbed: bool = False
    ) -> tuple[int, Entry | None] | None:
        for what in kinds:
            for number in self.table.after(source):
                seat = self.table.seats[number]
                if what == "kong" and not self.game.can_draw(self.table, "tail"):
                    continue
                if self.game.against_claim(self.table, number, what, source, tile):
                    continue
                owns = self.claim_tiles(seat.hand, what, tile)
                if owns and self.willing(self.habits.claim):
                    own = self.random.choice(owns)
                    if robbed:
                        rob = {"event": "rob", "seat": number, "from": source}
                        self.events.append({**rob, "tile": NAMES[tile], "how": what})
                    entry = self.take_claim(number, what, source, tile, own, robbed=robbed)
                    return number, entry
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
        self,
        number: int,
        what: str,
        source: int,
        tile: int,
        own: tuple[int, ...],
        *,
        robbed: bool,
    ) -> Entry | None:
        seat, tiles = self.table.seats[number], tuple(sorted((*own, tile)))
        for kind in own:
            seat.use(kind)
        if robbed:
            self.table.seats[source].use(tile)
        else:
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
            return None if self.bao_recount(number) else Entry("claim", tile)
        if self.paid(number, "exposed", tile, source):
            return None
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
        self.outcome = Outcome(tuple(self.winners), win.source, result.get("multiplier", 1))
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
