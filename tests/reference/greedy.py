"""The policy ``greedy``, told slowly: lowest shanten, then most live acceptance, then lowest kind.

Of the discards that leave a hand ready, those after which it may be declared come first.

`faults` walks through the event log of a deal and asks at every decision of a greedy seat what the
definition demands.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mjstats.tiles import KIND_NAMES, WHITE, as_played
from tests.referee.game import Game
from tests.referee.replay import GAMES
from tests.reference import evaluator as slow

Json = dict[str, Any]
KIND = {name: kind for kind, name in enumerate(KIND_NAMES)}


@dataclass
class Seat:
    hand: slow.Hand
    pongs: list[int] = field(default_factory=list)
    declared: bool = False
    melds: list[Json] = field(default_factory=list)
    flowers: list[str] = field(default_factory=list)
    refused: set[int] = field(default_factory=set)  # passed pongs, where they count


@dataclass
class Table:
    """What can be told from the log so far."""

    shapes: int
    bonus: set[int]
    modes: bool
    single_wait: bool
    kong_hidden: bool
    claims: set[str]
    seats: list[Seat]
    unseen: list[int]
    left: int
    game: Game
    passes_count: bool
    wild: int | None = None  # face of the wild tiles

    def handicap(self, number: int, hand: slow.Hand) -> int:
        """How much farther from a legal win than its shanten says a hand between turns is."""
        return 0

    def wins(self, number: int, hand: slow.Hand) -> bool:
        """Whether a ready hand may win by some of its waits."""
        return True

    def may_draw(self, *, tail: bool) -> bool:
        return self.left > 0

    def measure(self, number: int, hand: slow.Hand) -> tuple[int, int]:
        """Shanten and live acceptance between turns."""
        shanten, accepted = slow.shanten(hand, self.shapes), slow.accepted(hand, self.shapes)
        if shanten > 0:
            shanten += self.handicap(number, hand)
        elif not self.wins(number, hand):
            shanten, accepted = max(1, self.handicap(number, hand)), []
        return shanten, slow.live(hand, accepted, tuple(self.unseen))

    def best(self, number: int, hand: slow.Hand, allowed: Sequence[int]) -> tuple[int, int, int]:
        """Discard, and shanten and live acceptance after it."""
        rows = [(kind, *self.measure(number, hand.minus(kind))) for kind in allowed]
        return min(rows, key=lambda row: (row[1], -row[2], row[0]))

    def turn(self, number: int, drawn: int, *, after_claim: bool) -> tuple[str, int]:
        """What greedy does in its own turn when it cannot win: kong or discard, and which kind."""
        seat = self.seats[number]
        held = [kind for kind in range(34) if seat.hand.held[kind]]
        discard, *now = self.best(number, seat.hand, [drawn] if seat.declared else held)
        declarable = [kind for kind in held if self.may_declare(seat.hand.minus(kind))]
        if declarable and not seat.declared:
            discard, *now = self.best(number, seat.hand, declarable)
        if not after_claim and self.may_draw(tail=True):
            for kind in held:
                after = self.konged(seat, kind)
                if after is None or (seat.declared and not self.waits_stay(seat, kind, drawn)):
                    continue
                if no_worse(self.measure(number, after), (now[0], now[1])):
                    return "kong", kind
        return "discard", discard

    def may_declare(self, hand: slow.Hand) -> bool:
        """Whether a ready hand may be declared (nobody has bid)."""
        waits = slow.live_waits(hand, self.shapes)
        return self.modes and bool(waits) and (len(waits) == 1 or not self.single_wait)

    def konged(self, seat: Seat, kind: int) -> slow.Hand | None:
        if seat.hand.held[kind] == 4:
            return melded(seat.hand, {kind: 4}, {kind: 4})
        if kind in seat.pongs:
            return melded(seat.hand, {kind: 1}, {kind: 1})._replace(melds=seat.hand.melds)
        return None

    def waits_stay(self, seat: Seat, kind: int, drawn: int) -> bool:
        after = self.konged(seat, kind)
        assert after is not None
        before = slow.live_waits(seat.hand.minus(drawn), self.shapes)
        return kind == drawn and before == slow.live_waits(after, self.shapes)

    def claim(self, number: int, tile: int, *, is_next: bool) -> tuple[str, int] | None:
        """The claim that greedy makes on a discard: pong, kong or chow (its lowest kind)."""
        seat = self.seats[number]
        hand = seat.hand
        if seat.declared:
            return None
        options: list[tuple[tuple[int, int, int], tuple[str, int]]] = []
        now = self.measure(number, hand)
        if hand.held[tile] == 3 and self.may_draw(tail=True) and "kong" in self.claims:
            konged = melded(hand, {tile: 3}, {tile: 4})
            if no_worse(self.measure(number, konged), now) and self.may_win(
                number, konged, "kong_exposed", [tile] * 4
            ):
                return "kong", tile
        if hand.held[tile] >= 2 and "pong" in self.claims and tile not in seat.refused:
            options.append(self.option(number, "pong", tile, melded(hand, {tile: 2}, {tile: 3})))
        if is_next and tile < 27 and "chow" in self.claims:
            for first in range(tile - 2, tile + 1):
                run = {first: 1, first + 1: 1, first + 2: 1}
                if first < 0 or first // 9 != (first + 2) // 9:
                    continue
                own = {kind: 1 for kind in run if kind != tile}
                if all(hand.held[kind] for kind in own):
                    options.append(self.option(number, "chow", first, melded(hand, own, run)))
        options = [option for option in options if option[0][0] < now[0]]
        options = [option for option in options if self.sensible(number, *option[1], tile)]
        # Lowest shanten, most acceptance; a pong before a chow, the lowest chow.
        return min(options, key=lambda option: option[0], default=(0, None))[1]

    def sensible(self, number: int, what: str, first: int, tile: int) -> bool:
        """Whether a claim does not lead to a ready hand that cannot win."""
        seat = self.seats[number]
        run = [tile] * 3 if what == "pong" else [first, first + 1, first + 2]
        own = list(run)
        own.remove(tile)
        after = melded(seat.hand, dict(Counter(own)), dict(Counter(run)))
        held = [kind for kind in range(34) if after.held[kind]]
        discard, *_ = self.best(number, after, held)
        return self.may_win(number, after.minus(discard), what, run)

    def may_win(self, number: int, hand: slow.Hand, what: str, tiles: list[int]) -> bool:
        """Whether some wait of the hand, if it is ready, wins by its own draw."""
        if self.modes or slow.shanten(hand, self.shapes) > 0:
            return True
        seat = self.seats[number]
        held = [kind for kind, n in enumerate(hand.held) for _ in range(n)]
        held += [WHITE] * hand.wilds
        meld = {"type": what, "tiles": self.named(tiles)}
        case: Json = {"hand": self.named(held), "melds": [*seat.melds, meld]}
        case |= {"flowers": seat.flowers, "by": "self_draw", "winner": number, "dealer": 0}
        case |= {"context": self.context()}
        answers = (
            self.game.answer(case | {"win_tile": self.named([kind])})
            for kind in slow.live_waits(hand, self.shapes)
        )
        return any(answer["legal"] for answer in answers)

    def context(self) -> Json:
        """What a win depends on besides the tiles."""
        return {}

    def named(self, kinds: Sequence[int]) -> str:
        return "".join(KIND_NAMES[as_played(kind, self.wild)] for kind in kinds)

    def option(
        self, number: int, what: str, kind: int, after: slow.Hand
    ) -> tuple[tuple[int, int, int], tuple[str, int]]:
        held = [k for k in range(34) if after.held[k]]
        _, shanten, live = self.best(number, after, held)
        return (shanten, -live, -1 if what == "pong" else kind), (what, kind)


@dataclass
class Yiwu(Table):
    """Wild tiles are kept; where only wild head wins, it is what a hand is measured by."""

    tails: int = 0
    piao: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    claimed: bool = False  # the turn was entered by a claim

    def needs_head(self, number: int, hand: slow.Hand) -> bool:
        others = [piao for seat, piao in enumerate(self.piao) if seat != number]
        return self.piao[number] > 0 or hand.wilds >= 3 or max(others) == 2

    def to_head(self, hand: slow.Hand) -> int:
        """Tiles missing to sets, or six pairs, beside one wild tile."""
        rest = hand._replace(wilds=hand.wilds - 1)
        missing = slow.missing_sets(rest)
        if not hand.melds:
            pairs = sum(n // 2 for n in rest.held)
            odd = sum(n % 2 for n in rest.held)
            missing = min(missing, 12 - 2 * min(pairs, 6) - min(odd, 6 - min(pairs, 6)))
        return max(0, missing - rest.wilds)

    def handicap(self, number: int, hand: slow.Hand) -> int:
        if hand.wilds == 0 or not self.needs_head(number, hand):
            return 0
        return max(0, self.to_head(hand) - slow.shanten(hand, self.shapes))

    def wins(self, number: int, hand: slow.Hand) -> bool:
        if not self.needs_head(number, hand):
            return True
        return hand.wilds > 0 and self.to_head(hand) == 0

    def may_draw(self, *, tail: bool) -> bool:
        reserve = (34, 14, 0)[max(self.piao)]
        beside = (self.tails + tail) % 2 if reserve else 0
        return self.left - 1 - beside >= reserve

    def claim(self, number: int, tile: int, *, is_next: bool) -> tuple[str, int] | None:
        # After the last draw one claim is possible, and no kong.
        last = not self.may_draw(tail=False)
        if self.claimed and last:
            return None
        allowed = self.claims
        self.claims = allowed - {"kong"} if last else allowed
        found = super().claim(number, tile, is_next=is_next)
        self.claims = allowed
        return found

    def context(self) -> Json:
        assert self.wild is not None
        nothing = [0, 0, 0, 0]
        return {"wild": KIND_NAMES[self.wild], "piao": self.piao, "mai": nothing, "xia": nothing}


SPECIAL = {
    "xuan_feng": [27, 28, 29, 30],
    "xi": [31, 32, 33],
    "yao": [0, 9, 18],
    "jiu": [8, 17, 26],
}


@dataclass
class Changchun(Table):
    """Hands are kept near all suits, a terminal and a triplet; special kongs are shown and grow."""

    dealer: int = 0
    tails: int = 0
    turns: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    dealt: list[Counter[int]] = field(default_factory=list)
    last_claim: bool = False  # made after the last draw

    def laid(self, number: int, hand: slow.Hand) -> list[Json]:
        """The seat's melds, and the one more that a hand under consideration has."""
        seat = self.seats[number]
        if hand.melds == len(seat.melds):
            return seat.melds
        more = [hand.locked[kind] - seat.hand.locked[kind] for kind in range(34)]
        tiles = [kind for kind in range(34) for _ in range(more[kind])]
        names = [name for name, kinds in SPECIAL.items() if tiles == kinds]
        if len(set(tiles)) == 1:
            own = seat.hand.held[tiles[0]] - hand.held[tiles[0]]
            names = ["pong" if len(tiles) == 3 else f"kong_{('exposed', 'concealed')[own == 4]}"]
        name = names[0] if names else "chow"
        return [*seat.melds, {"type": name, "tiles": self.named(tiles)}]

    def legal(self, number: int, hand: slow.Hand) -> list[int]:
        """Waits that win."""
        held = [kind for kind, n in enumerate(hand.held) for _ in range(n)]
        case: Json = {"hand": self.named(held), "melds": self.laid(number, hand), "dealer": 0}
        case |= {"by": "self_draw", "winner": number}
        return [
            kind
            for kind in slow.live_waits(hand, self.shapes)
            if self.game.answer(case | {"win_tile": self.named([kind])})["legal"]
        ]

    def handicap(self, number: int, hand: slow.Hand) -> int:
        all_tiles = [hand.held[kind] + hand.locked[kind] for kind in range(34)]
        suits = [sum(all_tiles[9 * suit : 9 * suit + 9]) for suit in range(3)]
        far = 2 * suits.count(0)
        far += not any(all_tiles[kind] for kind in range(34) if kind >= 27 or kind % 9 in (0, 8))
        triplet = any(meld["type"] != "chow" for meld in self.laid(number, hand))
        triplet |= max(hand.held) >= 3 or max(hand.held[31:]) >= 2
        return far + (0 if triplet else max(0, 2 - hand.held.count(2)))

    def weigh(self, number: int, hand: slow.Hand) -> tuple[int, int, int]:
        """Distance, what of it is handicap, and live acceptance less than nothing."""
        shanten, accepted, far = slow.shanten(hand, self.shapes), [], 0
        if shanten > 0:
            far, accepted = self.handicap(number, hand), slow.accepted(hand, self.shapes)
        else:
            accepted = self.legal(number, hand)
            far = 0 if accepted else max(1, self.handicap(number, hand))
        return shanten + far, far, -slow.live(hand, accepted, tuple(self.unseen))

    def measure(self, number: int, hand: slow.Hand) -> tuple[int, int]:
        distance, _, live = self.weigh(number, hand)
        return distance, -live

    def best(self, number: int, hand: slow.Hand, allowed: Sequence[int]) -> tuple[int, int, int]:
        rows = [(*self.weigh(number, hand.minus(kind)), kind) for kind in allowed]
        distance, _, live, kind = min(rows)
        return kind, distance, -live

    def may_draw(self, *, tail: bool) -> bool:
        if tail:
            return self.left - 1 - (self.tails + 1) % 2 >= 14
        return self.left - self.tails % 2 > 14

    def may_declare(self, hand: slow.Hand) -> bool:
        """Told by the waits that win, which need the seat: see `turn` and `declares`."""
        return False

    def declares(self, number: int) -> bool:
        return bool(self.legal(number, self.seats[number].hand))

    def waits_stay(self, seat: Seat, kind: int, drawn: int) -> bool:
        number, after = self.seats.index(seat), self.konged(seat, kind)
        assert after is not None
        before = self.legal(number, seat.hand.minus(drawn))
        return kind == drawn and before == self.legal(number, after)

    def turn(self, number: int, drawn: int, *, after_claim: bool) -> tuple[str, Any]:
        what, kind = super().turn(number, drawn, after_claim=after_claim)
        if what == "kong":
            return what, kind
        seat = self.seats[number]
        held = [kind for kind in range(34) if seat.hand.held[kind]]
        now = self.best(number, seat.hand, [drawn] if seat.declared else held)[1:]
        first = self.turns[number] == 1
        if first and not seat.declared and len(seat.melds) < 4:
            for name, tiles in SPECIAL.items():
                there = all(self.dealt[number][tile] for tile in tiles)
                if not there or name in {meld["type"] for meld in seat.melds}:
                    continue
                if len(tiles) == 4 and not self.may_draw(tail=True):
                    continue
                after = melded(seat.hand, dict.fromkeys(tiles, 1), dict.fromkeys(tiles, 1))
                rest = [kind for kind in range(34) if after.held[kind]]
                value = self.measure(number, after) if len(tiles) == 4 else ()
                if no_worse(value or self.best(number, after, rest)[1:], now):
                    return "special_kong", name
        if after_claim or (first and number == self.dealer) or not self.may_draw(tail=True):
            return what, kind
        for name, tiles in SPECIAL.items():
            if name not in {meld["type"] for meld in seat.melds}:
                continue
            for tile in tiles:
                if not seat.hand.held[tile]:
                    continue
                after = self.supplemented(seat.hand, tile)
                if seat.declared and (
                    tile != drawn
                    or self.legal(number, after) != self.legal(number, seat.hand.minus(drawn))
                ):
                    continue
                if no_worse(self.measure(number, after), now):
                    return "supplement", (name, tile)
        return what, kind

    def supplemented(self, hand: slow.Hand, tile: int) -> slow.Hand:
        return melded(hand, {tile: 1}, {tile: 1})._replace(melds=hand.melds)

    def claim(self, number: int, tile: int, *, is_next: bool) -> tuple[str, int] | None:
        seat = self.seats[number]
        claims = set(self.claims)
        if not self.may_draw(tail=False):
            claims -= {"kong"} | (claims if self.last_claim else set())
        kinds = [meld["type"] for meld in seat.melds]
        if len(kinds) == 3 and "kong_concealed" not in kinds:
            claims -= {"chow"} | ({"pong", "kong"} if "chow" in kinds else set())
        if seat.declared:
            if "kong" not in claims or seat.hand.held[tile] < 3 or not self.may_draw(tail=True):
                return None
            after = melded(seat.hand, {tile: 3}, {tile: 4})
            same = self.legal(number, after) == self.legal(number, seat.hand)
            better = no_worse(self.measure(number, after), self.measure(number, seat.hand))
            return ("kong", tile) if same and better else None
        allowed, self.claims = self.claims, claims
        made = super().claim(number, tile, is_next=is_next)
        self.claims = allowed
        return made

    def note(self, event: Json) -> None:
        """Count turns, tail draws and dealt tiles."""
        name, number = event["event"], event.get("seat", 0)
        seat = self.seats[number]
        if name == "draw":
            self.tails += event["from"] == "tail"
            self.turns[number] += event["from"] == "head"
        if name in {"chow", "pong"} or event.get("kind") == "exposed":
            self.last_claim |= not self.may_draw(tail=False)
            own = [KIND[item] for item in event["tiles"]]
            own.remove(KIND[event.get("tile", event["tiles"][0])])
            if self.turns[number] == 0:
                self.dealt[number] = Counter(
                    {kind: seat.hand.held[kind] for kind in range(34)}
                ) - Counter(own)
            self.turns[number] += 1
        elif name == "kong":
            self.dealt[number][KIND[event["tiles"][0]]] = 0


TABLES: dict[str, type[Table]] = {"yiwu": Yiwu, "changchun": Changchun}


def no_worse(after: tuple[int, int], before: tuple[int, int]) -> bool:
    return after[0] < before[0] or (after[0] == before[0] and after[1] >= before[1])


def melded(hand: slow.Hand, own: dict[int, int], tiles: dict[int, int]) -> slow.Hand:
    """The hand with one more meld."""
    held, locked = list(hand.held), list(hand.locked)
    for kind, n in own.items():
        held[kind] -= n
    for kind, n in tiles.items():
        locked[kind] += n
    return hand._replace(held=tuple(held), locked=tuple(locked), melds=hand.melds + 1)


def with_tile(hand: slow.Hand, kind: int, *, copies: int = 1) -> slow.Hand:
    """The hand with a tile more or less; whites are wild where another face plays as whites."""
    if kind == WHITE and hand.white is not None:
        return hand._replace(wilds=hand.wilds + copies)
    return hand.plus(kind, copies)


def faults(events: Sequence[Json], rules: Any, greedy: set[int]) -> list[str]:
    """What seats of policy ``greedy`` did otherwise than defined."""
    kinds = (27, 31, 34)[rules.tile_set]
    wild = next((KIND[event["tile"]] for event in events if event["event"] == "indicator"), None)
    empty = slow.Hand((0,) * 34, kinds=kinds, white=wild)
    switches = rules.switches
    claims = {
        name
        for name, there in (
            ("chow", switches.allow_chow),
            ("pong", switches.allow_pong),
            ("kong", switches.allow_exposed_kong),
        )
        if there
    }
    # What is seen of a hidden tile or paid at once changes no decision.
    events = [e for e in events if e["event"] not in {"bao", "bao_view", "kong_payment"}]
    table = TABLES.get(rules.id, Table)(
        shapes=rules.shapes,
        bonus=set(rules.bonus),
        modes=bool(rules.modes),
        single_wait=rules.module == "suqian",
        kong_hidden=switches.concealed_kong_hidden,
        claims=claims,
        seats=[Seat(empty) for _ in range(4)],
        unseen=[4] * 34,
        left=len(events[0]["wall"]) - 53,
        game=GAMES[rules.id](),
        passes_count=rules.id == "suzhou",
        wild=wild,
    )
    if wild is not None:
        table.unseen[WHITE] = rules.switches.wild_tiles
        table.left -= rules.switches.wild_tiles == 3
    found: list[str] = []
    drawn, by_claim = -1, False
    for index, event in enumerate(events):
        name = event["event"]
        number = event.get("seat", 0)
        seat = table.seats[number]
        tile = as_played(KIND.get(event.get("tile", ""), -1), wild)

        def check(expected: object, did: object, at: int = index) -> None:
            if expected != did:
                found.append(f"event {at}: {did}, expected {expected}")

        if isinstance(table, Changchun):
            table.note(event)
        if name == "deal":
            for number, hand in enumerate(event["hands"]):
                for item in hand:
                    if KIND[item] not in table.bonus:
                        took = table.seats[number]
                        took.hand = with_tile(took.hand, as_played(KIND[item], wild))
            drawn = as_played(KIND[event["hands"][events[0]["dealer"]][-1]], wild)
            if isinstance(table, Changchun):
                table.dealer = events[0]["dealer"]
                table.turns[table.dealer] = 1
                table.dealt = [Counter(KIND[item] for item in hand) for hand in event["hands"]]
        elif name == "flower":
            seat.flowers.append(event["tile"])
            if event["replacement"] is not None:
                table.left -= 1
                drawn = KIND[event["replacement"]]
                if drawn not in table.bonus:
                    seat.hand = seat.hand.plus(drawn)
        elif name == "draw":
            table.left -= 1
            drawn, by_claim = tile, False
            seat.refused.clear()
            if isinstance(table, Yiwu):
                table.claimed = False
                table.tails += event["from"] == "tail"
            if tile not in table.bonus:
                seat.hand = with_tile(seat.hand, tile)
        elif name == "discard":
            if number in greedy:
                check(table.turn(number, drawn, after_claim=by_claim), ("discard", tile))
            if table.passes_count and seat.hand.held[tile] >= 3:
                seat.refused.add(tile)
            if isinstance(table, Yiwu) and tile == WHITE:
                table.piao[number] = min(2, table.piao[number] + (seat.hand.wilds >= 2))
            seat.hand = with_tile(seat.hand, tile, copies=-1)
            if number in greedy and table.modes and not seat.declared:
                declares = table.may_declare(seat.hand)
                if isinstance(table, Changchun):
                    declares = table.declares(number)
                check(declares, events[index - 1]["event"] == "ready")
                check(rules.modes[0], events[index - 1].get("mode", rules.modes[0]))
            seat.declared |= events[index - 1]["event"] == "ready"
            table.unseen[tile] -= 1
            dead = wild is not None and tile == WHITE
            if events[index + 1]["event"] != "win" and not dead:
                check_claims(table, events, index, greedy, check)
            if table.passes_count:
                for other in range(4):
                    if other != number and table.seats[other].hand.held[tile] >= 2:
                        table.seats[other].refused.add(tile)
        elif name == "ready":
            # In the opening window; a declaration with a discard is noted at the discard.
            thrown = events[index + 1]["event"] == "discard"
            seat.declared = not thrown or events[index + 1]["seat"] != number
        elif name == "special_kong":
            tiles = [KIND[item] for item in event["tiles"]]
            if number in greedy:
                expected = table.turn(number, drawn, after_claim=by_claim)
                check(expected, ("special_kong", event["kind"]))
            seat.hand = melded(seat.hand, dict.fromkeys(tiles, 1), dict.fromkeys(tiles, 1))
            seat.melds.append({"type": event["kind"], "tiles": "".join(event["tiles"])})
            for kind in tiles:
                table.unseen[kind] -= 1
                table.dealt[number][kind] -= 1
        elif name == "supplement":
            if number in greedy:
                expected = table.turn(number, drawn, after_claim=by_claim)
                check(expected, ("supplement", (event["kind"], tile)))
            table.unseen[tile] -= 1
            if events[index + 1]["event"] == "rob":
                seat.hand = seat.hand.minus(tile)
                continue
            table.dealt[number][tile] -= 1
            seat.hand = table.supplemented(seat.hand, tile)
            meld = next(meld for meld in seat.melds if meld["type"] == event["kind"])
            meld["tiles"] += event["tile"]
        elif name in {"chow", "pong"}:
            run = [as_played(KIND[item], wild) for item in event["tiles"]]
            if isinstance(table, Yiwu):
                table.claimed = True
            own = list(run)
            own.remove(tile)
            seat.hand = melded(
                seat.hand, {k: own.count(k) for k in own}, {k: run.count(k) for k in run}
            )
            for kind in own:
                table.unseen[kind] -= 1
            seat.melds.append({"type": name, "tiles": "".join(event["tiles"])})
            if name == "pong":
                seat.pongs.append(tile)
            by_claim = True
        elif name == "kong":
            kind = as_played(KIND[event["tiles"][0]], wild)
            if number in greedy and event["kind"] != "exposed":
                check(table.turn(number, drawn, after_claim=by_claim), ("kong", kind))
            if event["kind"] == "added":
                seat.melds.remove({"type": "pong", "tiles": "".join(event["tiles"][:3])})
            made = {"type": f"kong_{event['kind']}", "tiles": "".join(event["tiles"])}
            seat.melds.append(made)
            if event["kind"] == "exposed":
                seat.hand = melded(seat.hand, {kind: 3}, {kind: 4})
                table.unseen[kind] -= 3
                continue
            if events[index + 1]["event"] == "rob":
                break
            after = table.konged(seat, kind)
            assert after is not None
            seat.hand = after
            if event["kind"] == "added":
                table.unseen[kind] -= 1
            elif not table.kong_hidden:
                table.unseen[kind] = 0
    return found


def check_claims(
    table: Table, events: Sequence[Json], index: int, greedy: set[int], check: Any
) -> None:
    """Whoever is greedy claims as defined, in the order in which seats are asked."""
    thrower, tile = events[index]["seat"], as_played(KIND[events[index]["tile"]], table.wild)
    following = events[index + 1]
    made: tuple[int, str, int] | None = None
    if following["event"] in {"chow", "pong"} or following.get("kind") == "exposed":
        lowest = min(as_played(KIND[item], table.wild) for item in following["tiles"])
        made = (following["seat"], following["event"], lowest)
    for step in (2, 3, 1):
        number = (thrower + step) % 4
        if number in greedy:
            claim = table.claim(number, tile, is_next=step == 1)
            did = made[1:] if made and made[0] == number else None
            check((number, claim), (number, did))
        if made and made[0] == number:
            return
