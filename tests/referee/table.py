"""The table during a deal: wall, seats, and how a turn was entered."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.referee.common import NAMES, Json, Meld
from tests.referee.shapes import N_KINDS, Counts, Group


class Wall:
    """The tiles in order; heads are taken from the front, tails from the last stack of two."""

    def __init__(self, tiles: Sequence[int]) -> None:
        self.tiles = list(tiles)
        self.untouched = [True] * len(self.tiles)
        self.left = len(self.tiles)
        self.tails = 0
        """Tail draws so far."""
        self.aside: int | None = None
        """The slot of the tile that lies outside the wall, the bao."""

    def head(self) -> int:
        """Return the index of the next head draw."""
        return self.untouched.index(True)

    def tail(self) -> int:
        """Return the index of the next tail draw: of the last stack, the upper tile first."""
        last = len(self.tiles) - 1 - self.untouched[::-1].index(True)
        upper = last - last % 2
        return upper if self.untouched[upper] else last

    def can_draw(self, end: str, reserve: int) -> bool:
        """Tell whether whole stacks of a reserve remain after a draw; a lone tail tile is none."""
        if reserve == 0:
            return self.left > 0
        if end == "head":
            return self.present() - self.tails % 2 > reserve
        return self.present() - 1 - (self.tails + 1) % 2 >= reserve

    def stacks(self) -> list[int]:
        """Return the upper slots of the whole stacks, from the end of the wall."""
        uppers = range(len(self.tiles) - 2, -1, -2)
        return [upper for upper in uppers if all(self.untouched[upper : upper + 2])]

    def lay_aside(self, index: int) -> None:
        """Lay a tile outside the wall; its slot is skipped by draws."""
        self.take(index)
        self.aside = index

    def put_back(self) -> None:
        """Put the tile outside the wall back into its slot."""
        if self.aside is not None:
            self.untouched[self.aside] = True
            self.left += 1
            self.aside = None

    def present(self) -> int:
        """Return the number of tiles in the wall, one laid aside included."""
        return self.left + (self.aside is not None)

    def take(self, index: int) -> int:
        """Take a tile out of the wall."""
        self.untouched[index] = False
        self.left -= 1
        return self.tiles[index]


@dataclass
class Seat:
    """What one player has."""

    hand: list[int] = field(default_factory=list)
    """Concealed tiles as kinds, in no order; bonus tiles not yet set aside included."""
    dealt: list[int] = field(default_factory=list)
    """The dealt tiles that have not gone into melds."""
    melds: list[Meld] = field(default_factory=list)
    flowers: list[int] = field(default_factory=list)
    discards: list[int] = field(default_factory=list)
    """Discards that nobody claimed."""
    thrown: int = 0
    """Own discards, claimed ones included."""
    mode: str = "none"
    opening: bool = False
    """Declared at the opening, as far as that is credited."""
    flowers_at_ready: int = 0
    notes: dict[str, Any] = field(default_factory=dict)
    """What a game alone remembers of the player."""

    @property
    def counts(self) -> Counts:
        """The concealed playing tiles as 34 counts."""
        counts = [0] * N_KINDS
        for tile in self.hand:
            counts[tile] += 1
        return tuple(counts)

    @property
    def groups(self) -> tuple[Group, ...]:
        return tuple(meld.group for meld in self.melds)

    def use(self, tile: int) -> None:
        """Take a tile out of the hand for a meld, a dealt copy before a drawn one."""
        self.hand.remove(tile)
        if tile in self.dealt:
            self.dealt.remove(tile)

    def supplement(self, kind: str, tile: int) -> None:
        """Add a tile of the hand to the special kong of a kind."""
        self.use(tile)
        place = next(i for i, meld in enumerate(self.melds) if meld.type == kind)
        self.melds[place] = Meld(kind, tuple(sorted((*self.melds[place].tiles, tile))))

    def without(self, tile: int) -> "Seat":
        """Return the hand and melds that remain when a tile is discarded."""
        hand = list(self.hand)
        hand.remove(tile)
        return Seat(hand=hand, melds=self.melds)

    def with_kong(self, kind: str, tile: int) -> "Seat":
        """Return the hand and melds after a concealed or added kong, before its replacement."""
        melds = [m for m in self.melds if not (m.type == "pong" and m.tiles[0] == tile)]
        return Seat(
            hand=[held for held in self.hand if held != tile],
            melds=[*melds, Meld(f"kong_{kind}", (tile,) * 4)],
        )


@dataclass(frozen=True)
class Entry:
    """How a turn was entered: the tile that came last, and by which way."""

    how: str
    """dealt, self_draw, kong_draw, flower_draw, or claim after a pong or chow."""
    tile: int


@dataclass
class Table:
    """The state of a deal."""

    dealer: int
    round: int
    carried: Json
    """The counters as the bids before the deal have left them."""
    wall: Wall
    indicator: int | None = None
    """The tile turned up to tell which tiles are wild."""
    seats: tuple[Seat, Seat, Seat, Seat] = field(
        default_factory=lambda: (Seat(), Seat(), Seat(), Seat())
    )
    declared_now: str | None = None
    """The mode declared with the discard that lies open."""
    fed: int | None = None
    """Who discarded for the exposed kong that the drawing seat's last tile replaces."""
    thrown: list[int] = field(default_factory=list)
    """All discards, claimed ones included."""
    bao_slots: list[int] = field(default_factory=list)
    """The slots of the bao so far."""
    bao_over: bool = False
    """No slot was left for another bao."""
    bao_unseen: set[int] = field(default_factory=set)
    """Who has declared and looks at the bao before the next own draw."""
    pongs: list[tuple[int, int]] = field(default_factory=list)
    """Tile and seat of every pong, in the order of the claims."""

    def bao(self) -> int | None:
        """Return the active bao."""
        return None if self.wall.aside is None else self.wall.tiles[self.wall.aside]

    def declared(self) -> list[int]:
        """Return the seats that have declared."""
        return [number for number, seat in enumerate(self.seats) if seat.mode != "none"]

    def from_dealer(self) -> list[int]:
        """Return the seats in turn order from the dealer."""
        return [(self.dealer + step) % 4 for step in range(4)]

    def after(self, seat: int) -> list[int]:
        """Return the other seats in turn order after a seat."""
        return [(seat + step) % 4 for step in (1, 2, 3)]


def names(tiles: Sequence[int]) -> str:
    """Write tiles for a message."""
    return " ".join(NAMES[tile] for tile in tiles)
