"""The only door to the compiled core: checks that it fits, allocates, and starts kernels."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mjstats.errors import CoreError, RulesetError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mjstats.rulesets import Ruleset

CORE_API: Final = 9
"""The compiled core must carry this number; it moves with every change of a kernel's signature."""

try:
    from cython_core import _exact, _hand, _play, _policy, _rules
except ImportError as error:
    raise ImportError(
        f"the compiled core of mjstats is missing or of another Python ({error}); "
        "rebuild it: pip install --force-reinstall ."
    ) from error

if _play.CORE_API != CORE_API:
    raise ImportError(
        f"{_play.__file__} is of core version {_play.CORE_API}, mjstats needs {CORE_API}; "
        "rebuild it: pip install --force-reinstall ."
    )

N_SEATS: Final = 4
NO_KIND: Final = 255
"""What the core says where there is no kind of tile."""
SIM_VERSION: Final[int] = _play.SIM_VERSION
"""Moves when the order of draws or an outcome can change; part of a run's identity."""

BY_NAMES: Final[tuple[str, ...]] = _rules.BY
MELD_NAMES: Final[tuple[str, ...]] = _rules.MELDS
REASON_NAMES: Final[tuple[str, ...]] = _rules.REASONS
LISTEN_OUTCOMES: Final[tuple[str, ...]] = _rules.LISTEN_OUTCOMES
POLICY_NAMES: Final[tuple[str, ...]] = _policy.POLICIES

AIM_LEVELS: Final[int] = _play.AIM_LEVELS
"""Numbers of tiles that may be missing to what is aimed at, 0 among them."""
WINNERS_KONGS: Final[int] = _play.WINNERS_KONGS
"""Stands for the kongs of the winner where the position of an element is asked for."""

RuleRecord = _rules.RuleRecord

PolicyCode = tuple[int, int, tuple[int, ...]]
"""Position in `POLICY_NAMES`, mode that a seat would declare (0 the first), bids that it makes."""

DEAL_DTYPE: Final = np.dtype(
    [
        ("match", "<i4"),
        ("deal_in_match", "<i4"),
        ("dealer", "i1"),
        ("round", "<i2"),
        ("outcome", "i1"),
        ("by", "i1"),
        ("winner", "i1"),
        ("discarder", "i1"),
        ("n_winners", "i1"),
        ("turns", "<i2"),
        ("tiles_left", "<i2"),
        ("base_total", "<i8"),
        ("multiplier", "<i8"),
        ("pay", "<i8", (4,)),
        ("shanten", "i1", (4,)),
        ("bonus", "i1", (4,)),
        ("wilds", "i1", (4,)),
        ("special_kongs", "i1", (4,)),
    ]
)
"""One row a deal, packed as the kernel writes it."""

LISTEN_DTYPE: Final = np.dtype(
    [
        ("deal", "<i4"),
        ("seat", "i1"),
        ("turn", "<i2"),
        ("tiles_left", "<i2"),
        ("mode", "i1"),
        ("waits", "<u8"),
        ("kinds", "i1"),
        ("live_wall", "<i2"),
        ("live_visible", "<i2"),
        ("wait_class", "i1"),
        ("outcome", "i1"),
        ("turns_to_outcome", "<i2"),
    ]
)
"""One row each time a seat enters a ready state; ``deal`` is the row within the block."""

WIN_DTYPE: Final = np.dtype(
    [
        ("deal", "<i4"),
        ("winner", "i1"),
        ("by", "i1"),
        ("base_total", "<i8"),
        ("multiplier", "<i8"),
        ("pay", "<i8", (4,)),
    ]
)
"""One row a second or third winner of one tile."""

# Rows that the kernel gets at a time: a fraction of a second of play, so that Ctrl-C is heard.
_DEALS: Final = 4096
_LISTENS: Final = 4 * _DEALS
_WINS: Final = _DEALS // 4

MOST_DEALS_OF_MATCH = 200_000
"""A match that is longer hardly ends at all: under some rules nobody wins, and the dealer stays."""


@dataclass(frozen=True, slots=True)
class Block:
    """What the kernel wrote for some consecutive whole matches.

    Parameters
    ----------
    deals : ndarray of DEAL_DTYPE, shape (n,)
    counters : ndarray of int64, shape (n, counters)
        Carried counters before each deal, in the order of ``RuleRecord.counter_names``.
    elements : ndarray of int32, shape (n, elements)
        Element and factor values of the first winner, 0 where absent.
    listens : ndarray of LISTEN_DTYPE
    extra_wins : ndarray of WIN_DTYPE, shape (m,)
    extra_elements : ndarray of int32, shape (m, elements)
    """

    deals: "NDArray[np.void]"
    counters: "NDArray[np.int64]"
    elements: "NDArray[np.int32]"
    listens: "NDArray[np.void]"
    extra_wins: "NDArray[np.void]"
    extra_elements: "NDArray[np.int32]"

    @classmethod
    def room(cls, record: RuleRecord, *, deals: int, listens: int, wins: int) -> "Block":
        """Make room for so many rows, to be filled by the kernel."""
        return cls(
            deals=np.empty(deals, DEAL_DTYPE),
            counters=np.empty((deals, len(record.counter_names)), np.int64),
            elements=np.empty((deals, record.n_elements), np.int32),
            listens=np.empty(listens, LISTEN_DTYPE),
            extra_wins=np.empty(wins, WIN_DTYPE),
            extra_elements=np.empty((wins, record.n_elements), np.int32),
        )

    def cut(self, *, deals: int, listens: int, wins: int) -> "Block":
        """Keep the rows that were filled."""
        return Block(
            self.deals[:deals],
            self.counters[:deals],
            self.elements[:deals],
            self.listens[:listens],
            self.extra_wins[:wins],
            self.extra_elements[:wins],
        )


def seed_key(seed: int) -> tuple[int, int]:
    """Key of a run's random streams: the first two words of numpy's ``SeedSequence(seed)``."""
    words = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    return int(words[0]), int(words[1])


@lru_cache(maxsize=64)
def _compiled(digest: str, ruleset: "Ruleset") -> RuleRecord:
    try:
        return RuleRecord(
            ruleset.module,
            tile_set=ruleset.tile_set,
            shapes=ruleset.shapes,
            tile_counts=ruleset.tile_counts,
            bonus=ruleset.bonus,
            switches=asdict(ruleset.switches),
            counters=ruleset.counters,
            modes=ruleset.modes,
            bids=ruleset.bids,
            element_values={element.id: element.value for element in ruleset.elements},
            option_codes=ruleset.option_codes(),
        )
    except ImportError as error:
        raise RulesetError(
            f"ruleset {ruleset.id}: no compiled module for {ruleset.module!r}"
        ) from error
    except ValueError as error:
        raise RulesetError(f"ruleset {ruleset.id}: {error}") from error


def rule_record(ruleset: "Ruleset") -> RuleRecord:
    """Compile a resolved ruleset; equal rulesets share one record."""
    return _compiled(ruleset.digest, ruleset)


def play_matches(
    record: RuleRecord,
    policies: Sequence[PolicyCode],
    *,
    seed: int,
    first_match: int,
    n_matches: int,
    stop: Callable[[], bool] = lambda: False,
) -> Block:
    """Play whole matches.

    Parameters
    ----------
    record : RuleRecord
    policies : sequence of 4 PolicyCode
    seed : int
    first_match, n_matches : int
    stop : callable
        Asked now and then; true ends the play wherever it is.

    Returns
    -------
    Block

    Raises
    ------
    RulesetError
        If a match does not end.
    """
    player = _play.Player(record, policies, seed_key(seed), first_match)
    parts: list[Block] = []
    done = False
    while not done:
        if parts and stop():
            break
        part = Block.room(record, deals=_DEALS, listens=_LISTENS, wins=_WINS)
        n, n_listens, n_wins, done = player.play(
            first_match + n_matches,
            part.deals.view(np.uint8),
            part.counters,
            part.elements,
            part.listens.view(np.uint8),
            part.extra_wins.view(np.uint8),
            part.extra_elements,
        )
        parts.append(part.cut(deals=n, listens=n_listens, wins=n_wins))
        last = parts[-1].deals[-1]
        if not done and last["deal_in_match"] >= MOST_DEALS_OF_MATCH:
            raise RulesetError(
                f"match {last['match']} has no end after {MOST_DEALS_OF_MATCH:,} deals: the dealer "
                "stays, and hardly a hand wins; allowed are rules under which others win"
            )
    return join_blocks(parts)


def play_given(
    record: RuleRecord,
    policies: Sequence[PolicyCode],
    *,
    key: tuple[int, int],
    place: int,
    hands: "NDArray[np.uint8]",
    conditions: Sequence[tuple[int, int, int]],
    wanted: Sequence[int] = (),
    one_suit: bool = False,
    concealed: bool = False,
    start: float = 1.0,
    target: Sequence[float] = (1.0,) * AIM_LEVELS,
) -> tuple["NDArray[np.float64]", "NDArray[np.uint8]", "NDArray[np.float64]"]:
    """Look for an event in the first deals of matches, one seat being dealt a given hand in each.

    Parameters
    ----------
    record : RuleRecord
    policies : sequence of 4 PolicyCode
    key : pair of int
        Key of the random streams, 2 x 64 bits.
    place : int
        Places of the seat from the dealer, 0-3.
    hands : ndarray of uint8, shape (n, 34)
        Playing tiles that the seat holds when its bonus tiles are replaced: 13, the dealer 14.
    conditions : sequence of (int, int, int), at most 8
        Element or `WINNERS_KONGS`, least and greatest value, all of one win.
    wanted : sequence of int
        Copies of the kinds aimed at, most first, at most 16; none: only one suit.
    one_suit : bool
        Whether they are of one suit.
    concealed : bool
        Whether none of them may be melded.
    start : float
        What each deal weighs, a plain one 1.
    target : sequence of AIM_LEVELS float, above 0
        What a copy shall weigh when so few tiles are missing to the aim for the first time; a deal
        that weighs more is split.

    Returns
    -------
    found : ndarray of float64, shape (n, 4)
        Part of the copies of each deal that had the event, by place of the (first) winner; its mean
        is the probability, and that of a deal with the event may lie above 1.
    dealt : ndarray of uint8, shape (n, 4, 34)
        The playing tiles that each seat is dealt, the dealer first.
    reached : ndarray of float64, shape (AIM_LEVELS,)
        Number of the deals in which at most so many tiles were missing to the aim, copies weighed.
    """
    dealt = np.empty((len(hands), 4, 34), np.uint8)
    found = np.empty((len(hands), 4))
    reached = np.zeros(AIM_LEVELS)
    _play.Player(record, policies, key, 0).play_given(
        hands,
        place,
        dealt,
        found,
        reached,
        conditions=conditions,
        wanted=wanted,
        one_suit=one_suit,
        concealed=concealed,
        start=start,
        target=target,
    )
    return found, dealt, reached


def join_blocks(parts: Sequence[Block]) -> Block:
    """Put blocks one after another; ``deal`` of listens and further wins moves along."""
    offset = 0
    listens: list[NDArray[np.void]] = []
    wins: list[NDArray[np.void]] = []
    for part in parts:
        for rows, moved in ((part.listens, listens), (part.extra_wins, wins)):
            copy = rows.copy()
            copy["deal"] += offset
            moved.append(copy)
        offset += len(part.deals)
    return Block(
        deals=np.concatenate([part.deals for part in parts]),
        counters=np.concatenate([part.counters for part in parts]),
        elements=np.concatenate([part.elements for part in parts]),
        listens=np.concatenate(listens),
        extra_wins=np.concatenate(wins),
        extra_elements=np.concatenate([part.extra_elements for part in parts]),
    )


class MatchLog:
    """The deals of one match with all their events, asked for in ascending order.

    Parameters
    ----------
    record : RuleRecord
    policies : sequence of 4 PolicyCode
    seed, match : int
    """

    def __init__(
        self, record: RuleRecord, policies: Sequence[PolicyCode], *, seed: int, match: int
    ) -> None:
        self.match = match
        self._player = _play.Player(record, policies, seed_key(seed), match)
        self._scratch = np.empty(1024, LISTEN_DTYPE).view(np.uint8)
        self._next = 0

    def reaches(self, match: int, deal: int) -> bool:
        """Whether a deal of a match can still be asked for."""
        return match == self.match and deal >= self._next

    def events(self, deal: int) -> dict[str, Any]:
        """Raw events of a deal that the match has."""
        self._next = deal + 1
        log: dict[str, Any] | None
        try:
            log = self._player.log(deal, self._scratch)
        except RuntimeError as error:
            raise CoreError(str(error)) from error
        if log is None:
            raise CoreError(f"match {self.match} ended before its deal {deal}")
        return log


HandView = _hand.HandView
shanten_rows = _hand.shanten_rows
discard_table = _hand.discard_table
draw_table = _hand.draw_table
bench_best_discard = _hand.bench_best_discard
score_win = _play.score_win
kong_payment = _play.kong_payment
next_state = _play.next_state
shuffled_wall = _play.shuffled_wall
shuffled_walls = _play.shuffled_walls
stream_words = _play.stream_words
bounded_numbers = _play.bounded_numbers
suit_tables = _exact.suit_tables
convolve = _exact.convolve
