"""Rare elements: by strata of the dealt hand or by splitting, unbiased whatever is guessed."""

import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from mjstats import _core
from mjstats import traits as of_hand
from mjstats.arguments import whole_number
from mjstats.counting import SUITS, States, Sum, Trait
from mjstats.dealt import DealtHands
from mjstats.errors import ArgumentError, quoted
from mjstats.exact import expected_cells, nearness, playing_tiles
from mjstats.policies import policy_codes, resolve_policies
from mjstats.rulesets import Ruleset, Value
from mjstats.rulesets import ruleset as resolve
from mjstats.simulate import worker_count
from mjstats.stats.intervals import check_alpha

if TYPE_CHECKING:
    import pandas as pd

# How it is estimated.
#
# Strata. A cell is a seat's place from the dealer together with a stratum of what that seat is
# dealt; P(place, stratum) is counted exactly. Of each cell a number n of deals is played: the
# seat's hand is drawn from exactly its law in the stratum, the wall round it as `lay_hand` of the
# core proves, the rest as always. A deal lies in four cells, one a place; one with the event that
# was played for cell c counts
#
#     w = r(c) / sum over its four cells of r^2,        r = n / P
#
# (multiple importance sampling with the power heuristic: Veach and Guibas, SIGGRAPH 1995). If f is
# the probability of a deal, it is played f r(c) times on average for each of its cells c, which
# makes f sum(r^2) / sum(r^2) = f in all: the sum of the weights has the mean f summed over all
# deals with the event. So the estimate is unbiased whatever the numbers n are. They are fixed by a
# pilot, before the first of the deals that count is played; the pilot's deals are not counted.
#
# Splitting. Strata as well, but a deal that comes nearer to the event is played on in copies that
# share its weight (`split` in the core), so that a deal counts w times the part of its copies that
# has the event. How many copies depends on what has happened in the deal and on numbers that a
# pilot has fixed, which leaves the mean as it is. Standard errors are those of independent deals,
# whatever copies do.

#: Deals played at once: the unit of the random streams, so that workers change nothing.
BLOCK: Final = 1536
#: Deals of each cell in the first stage of the pilot.
FIRST: Final = 300
#: The pilot ends when its last stage has this relative standard error, or with this part of all.
PILOT_ERROR: Final = 0.08
PILOT_PART: Final = 0.25
#: Part of the deals that is spread as plain simulation would spread them: no deal can weigh more
#: than about the inverse times what it would there.
PLAIN_PART: Final = 0.25
#: What the pilot's guess of the deals needed is multiplied by.
MARGIN: Final = 1.5

#: Deals of each of the stages that tell how rarely deals come near, and how many stages; at most
#: this part of all.
TARGET_DEALS: Final = 6000
TARGET_STAGES: Final = 8
TARGET_PART: Final = 0.1
#: Number of the first of these stages; the pilot's are 1, 2, …, and 0 the deals that count.
FIRST_OF_TARGETS: Final = 1000
#: Copies that reach each step, for each deal that is begun.
GROWTH: Final = 2.0
#: Copies at the next step of which too little has been seen, which is less than so many copies.
NEXT_COPIES: Final = 10.0
SURE_COPIES: Final = 10.0

_NO_LIMIT: Final = 2**31 - 1

# Elements that ask for few suits, and those that ask for many copies of few kinds.
_OF_SUITS: Final = frozenset({"qing_yi_se", "hun_yi_se", "duan_men", "da_pie", "que_yi_men"})
_OF_COPIES: Final = frozenset({"qi_dui", "deng_zi", "dui_dao", "an_gang"})
# Elements that deals can be led to step by step.
_ALL_TRIPLETS: Final = frozenset({"peng_peng_hu", "da_dui_hu", "dui_dui_hu", "piao_hu"})
_LUXURY: Final = frozenset({"hao_hua_qi_dui"})
_ONE_SUIT: Final = "qing_yi_se"
#: May be asked for beside the elements: the kongs of the winner.
KONGS: Final = "kongs"


@dataclass(frozen=True, slots=True)
class Aim:
    """What a hand with the event has, so that one can tell how near a hand is to it.

    Parameters
    ----------
    wanted : tuple of int
        Copies of the kinds, most first; none: only one suit.
    one_suit : bool
        Whether they are of one suit.
    concealed : bool
        Whether none of them may be melded.
    """

    wanted: tuple[int, ...] = ()
    one_suit: bool = False
    concealed: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """Conditions on the elements of one win, all of which must hold.

    Parameters
    ----------
    text : str
        As it was asked for.
    conditions : tuple of (int, int, int)
        Position of the element, its least and its greatest value.
    """

    text: str
    conditions: tuple[tuple[int, int, int], ...]

    @classmethod
    def parse(cls, text: str, rules: Ruleset) -> "Event":
        """Read an event such as ``"qing_yi_se+qi_dui"`` or ``"hao_hua_qi_dui=8"``.

        Parameters
        ----------
        text : str
            Elements joined by ``+``; each alone (it occurs), or with ``=value`` or ``>=value``.
        rules : Ruleset
            The game.

        Returns
        -------
        Event
            The event.

        Raises
        ------
        ArgumentError
            If there is no such element or the text is none.
        """
        names = [element.id for element in rules.elements]
        allowed = [*names, KONGS]
        conditions = []
        for part in text.split("+"):
            found = re.fullmatch(r"\s*(\w+)\s*(?:(>=|=)\s*([0-9]{1,9}))?\s*", part, re.ASCII)
            if found is None:
                raise ArgumentError(
                    f"element {text!r}: allowed is ID, ID=VALUE, ID>=VALUE, several joined by +"
                )
            name, relation, value = found.groups()
            if name not in allowed:
                raise ArgumentError(
                    f"element {name!r}: {rules.id} has none such; allowed are {', '.join(allowed)}"
                )
            if value is not None and int(value) == 0:
                raise ArgumentError(f"element {part!r}: values from 1 are allowed")
            least = int(value or 1)
            column = _core.WINNERS_KONGS if name == KONGS else names.index(name)
            conditions.append((column, least, least if relation == "=" else _NO_LIMIT))
        if len(conditions) > 8:
            raise ArgumentError(f"element {text!r}: at most 8 may be joined")
        return cls(text, tuple(conditions))

    @staticmethod
    def name(rules: Ruleset, column: int) -> str:
        """Give the id of what is asked for."""
        return KONGS if column == _core.WINNERS_KONGS else rules.elements[column].id

    def aim(self, rules: Ruleset) -> Aim | None:
        """Give what a hand with the event has, if that is known."""
        asked = {self.name(rules, column): least for column, least, _ in self.conditions}
        suit = _ONE_SUIT in asked
        if KONGS in asked:
            return Aim((4,) * min(4, asked[KONGS]), suit)
        if asked.keys() & _ALL_TRIPLETS:
            return Aim((3, 3, 3, 3, 2), one_suit=suit)
        for name in asked.keys() & _LUXURY:
            tiers = next(element.tiers for element in rules.elements if element.id == name)
            quads = 1 + sum(value < asked[name] for value in tiers)
            if quads <= 3:
                # The tile that completes the last quad is the one that wins.
                wanted = (*[4] * (quads - 1), 3, *[2] * (7 - 2 * quads))
                return Aim(wanted, suit, concealed=True)
        if "qi_dui" in asked and suit:
            return Aim((2,) * 7, one_suit=True, concealed=True)
        return Aim(one_suit=True) if suit else None


@dataclass(frozen=True, slots=True)
class _Nearest:
    """Trait: tiles of what is aimed at, in the suit that has most of it.

    Parameters
    ----------
    aim : Aim
        What is aimed at, in one suit.
    """

    aim: Aim

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return the tiles of each state; honours are no suit."""
        held = -np.sort(-states.held.astype(np.int64), axis=1)
        if self.aim.wanted:
            wanted = np.array((*self.aim.wanted, *[0] * held.shape[1]))[: held.shape[1]]
            held = np.minimum(held, wanted)
        return np.asarray(held.sum(axis=1) * (states.part in SUITS), dtype=np.uint16)

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of the greater ones."""
        number = np.arange(15, dtype=np.uint16)
        return np.maximum.outer(number, number)


def _triplets(states: States) -> NDArray[np.integer]:
    return np.asarray((states.held == 3).sum(axis=1))


def _doubles(states: States) -> NDArray[np.integer]:
    return np.asarray((states.held == 2).sum(axis=1))


#: What dealt hands can be stratified by: numbers that each hand has. The last is for splitting.
STRATA: Final[Mapping[str, tuple[str, ...]]] = {
    "copies": ("quads", "triplets", "pairs"),
    "suit": ("longest_suit",),
    "shanten": ("shanten",),
    "near": ("near",),
}


@lru_cache(maxsize=16)
def _hands(rules: Ruleset, n: int, by: tuple[str, ...], aim: Aim | None = None) -> DealtHands:
    """Group the dealt hands of a game; a stratum is the tuple of its numbers."""
    tiles = playing_tiles(rules)
    near, missing = nearness(tiles, n, rules.shapes)
    traits_of: dict[str, list[Trait]] = {
        "copies": [Sum(of_hand.quads, 3), Sum(_triplets, 4), Sum(_doubles, 7)],
        "suit": [_Nearest(Aim(one_suit=True))],
        "near": [_Nearest(aim or Aim())],
        "shanten": near,
    }

    def numbers(elements: tuple[int, ...]) -> tuple[int, ...]:
        found: tuple[int, ...] = ()
        for name in by:
            own, elements = elements[: len(traits_of[name])], elements[len(traits_of[name]) :]
            found += (missing(own) - 1,) if name == "shanten" else own
        return found

    return DealtHands(tiles, n, [trait for name in by for trait in traits_of[name]], numbers)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A stratum of what the seat at a place is dealt.

    Parameters
    ----------
    place : int
        Places from the dealer.
    numbers : tuple of int
        Numbers that the hands of the stratum have.
    share : Fraction
        Probability of the stratum.
    """

    place: int
    numbers: tuple[int, ...]
    share: Fraction


@dataclass(frozen=True, slots=True)
class _Played:
    """Deals of the cells in which the event occurred.

    Parameters
    ----------
    n : ndarray of int64, shape (cells,)
        Deals played, two or more.
    cell : ndarray of int64, shape (hits,)
        Cell for which each deal with the event was played.
    lies_in : ndarray of int64, shape (hits, 4)
        The cells in which it lies, one a place.
    found : ndarray of float64, shape (hits, 4)
        Part of the copies of the deal that had the event, by place of the winner.
    """

    n: NDArray[np.int64]
    cell: NDArray[np.int64]
    lies_in: NDArray[np.int64]
    found: NDArray[np.float64]

    def weights(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the weight of each deal with the event."""
        r = self.n / share
        w = r[self.cell] / (r[self.lies_in] ** 2).sum(axis=1)
        return np.asarray(w * self.found.sum(axis=1))

    def estimate(self, share: NDArray[np.float64]) -> tuple[float, float]:
        """Give the probability and its standard error."""
        w = self.weights(share)
        sums, squares = (
            np.bincount(self.cell, weights, minlength=len(share)) for weights in (w, w**2)
        )
        # A cell's sum varies by n times the variance of its deals.
        variance = (squares - sums**2 / self.n) * self.n / (self.n - 1)
        return float(w.sum()), float(np.sqrt(max(0.0, variance.sum())))


class _Sampler:
    """Plays deals of cells and finds those with the event.

    Parameters
    ----------
    rules : Ruleset
        The game.
    event : Event
        What is looked for.
    by : tuple of str
        What dealt hands are stratified by.
    aim : Aim or None
        What deals are split by.
    policies : tuple of str
        Policy of each seat.
    seed : int
        Seed.
    pool : ThreadPoolExecutor
        Workers.
    abandoned : threading.Event
        Set when nobody waits for the deals any more.
    """

    def __init__(
        self,
        rules: Ruleset,
        event: Event,
        by: tuple[str, ...],
        aim: Aim | None,
        *,
        policies: tuple[str, ...],
        seed: int,
        pool: ThreadPoolExecutor,
        abandoned: threading.Event,
    ) -> None:
        self.aim = aim
        self.target = np.ones(_core.AIM_LEVELS)
        self._record = _core.rule_record(rules)
        self._codes = policy_codes(policies, modes=rules.modes, bids=rules.open_bids)
        self._event = event
        self._seed = seed
        self._pool = pool
        self._abandoned = abandoned
        self._hands = [
            _hands(rules, 13 if place else 14, by, aim) for place in range(_core.N_SEATS)
        ]
        self.cells = [
            _Cell(place, numbers, hands.share[numbers])
            for place, hands in enumerate(self._hands)
            for numbers in sorted(hands.share)
        ]
        self._number = {(cell.place, cell.numbers): i for i, cell in enumerate(self.cells)}
        self.share = np.array([float(cell.share) for cell in self.cells])

    def play(self, n: NDArray[np.int64], *, stage: int) -> _Played:
        """Play so many deals of each cell; a stage has its own random numbers."""
        start = self.share / n * n.sum() / _core.N_SEATS if self.aim else np.ones(len(n))
        tasks = [
            (stage, cell, block, min(BLOCK, int(n[cell]) - block * BLOCK), start[cell])
            for cell in range(len(self.cells))
            for block in range(-(-int(n[cell]) // BLOCK))
        ]
        parts = list(self._pool.map(self._block, tasks))
        cell_of = np.array([task[1] for task in tasks])
        cell = np.repeat(cell_of, [len(found) for _, found, _ in parts])
        # How many of plain deals come so near: each place's cells make up all deals once.
        weight = self.share / n / _core.N_SEATS
        self.reached = sum(weight[i] * part[2] for i, part in zip(cell_of, parts, strict=True))
        return _Played(
            n,
            cell,
            np.concatenate([lies_in for lies_in, *_ in parts]),
            np.concatenate([found for _, found, _ in parts]),
        )

    def greatest(self, n: NDArray[np.int64]) -> float:
        """Give the greatest weight that a deal can have: the other seats' cells weigh least."""
        r = n / self.share
        place = np.array([cell.place for cell in self.cells])
        least = np.array([r[place == i].min() ** 2 for i in range(_core.N_SEATS)])
        return float((r / (r**2 + least.sum() - least[place])).max())

    def _block(
        self, task: tuple[int, int, int, int, float]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Play one block: cells and finds of each deal with the event; how near deals came."""
        stage, number, block, n, start = task
        if self._abandoned.is_set():
            raise CancelledError
        cell = self.cells[number]
        source = np.random.SeedSequence(self._seed, spawn_key=(stage, number, block))
        words = source.generate_state(2, np.uint64)
        rng = np.random.Generator(np.random.Philox(source.spawn(1)[0]))
        aim = self.aim or Aim()
        found, dealt, reached = _core.play_given(
            self._record,
            self._codes,
            key=(int(words[0]), int(words[1])),
            place=cell.place,
            hands=self._hands[cell.place].draw(cell.numbers, n, rng),
            conditions=self._event.conditions,
            wanted=aim.wanted,
            one_suit=aim.one_suit,
            concealed=aim.concealed,
            start=start,
            target=self.target.tolist(),
        )
        hits = np.flatnonzero(found.any(axis=1))
        lies_in = np.empty((len(hits), _core.N_SEATS), dtype=np.int64)
        for place, hands in enumerate(self._hands):
            strata = hands.strata(dealt[hits, place])
            lies_in[:, place] = [self._number[place, numbers] for numbers in strata]
        return lies_in, found[hits], reached


def rare(
    ruleset: str | os.PathLike[str] | Ruleset,
    element: str | Sequence[str],
    *,
    seed: int,
    target: float = 0.05,
    deals: int = 4_000_000,
    policies: str | Sequence[str] = "greedy",
    method: str | None = None,
    by_stratum: bool = False,
    alpha: float = 0.05,
    workers: int | None = None,
    preset: str | None = None,
    changes: Mapping[str, Value] | None = None,
) -> "pd.DataFrame":
    r"""Probability that an element, or several in one win, occur in a deal, however rare.

    What is estimated: the probability that the first deal of a match, all carried counters at their
    start, has a win with the element.

    Dealt hands are grouped into strata whose probabilities are counted exactly; those that lead to
    the element more often are played more often, and every deal counts with the weight that makes
    up for it. By splitting besides: a deal that comes nearer to the element than before is played
    on several times, the untouched tiles of the wall in new orders, and each copy counts its part.
    A pilot, whose deals are not counted, decides how often, and how many deals shall count;
    estimates are unbiased whatever it decides.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    element : str or sequence of str
        Each an element (it occurs), ``"ID=VALUE"`` (with this value), ``"ID>=VALUE"``, or several
        joined by ``+`` (in one win): ``"qing_yi_se+qi_dui"``, ``"hao_hua_qi_dui=8"``. Beside the
        elements ``kongs``, those of the winner: ``"kongs=4"``.
    seed : int
        Seed, 0 to 2^63 - 1.
    target : float, default 0.05
        Relative standard error to be reached.
    deals : int, default 4,000,000
        Most deals of one estimate, the pilot included. If they do not suffice, the estimate is as
        unbiased, but its error is above the target; ``reached`` and ``projected`` tell. Copies of
        split deals are not counted.
    policies : str or sequence of str, default "greedy"
        One policy for all seats, or one a seat.
    method : str, optional
        ``"exact"`` (where there is an exact value: ``tian_hu``), ``"split"`` (elements of triplets,
        quads, one suit), or what to group dealt hands by: ``"copies"`` (quads, triplets and pairs),
        ``"suit"`` (tiles of the longest suit), ``"shanten"``, or some of these joined by ``+``. By
        default the first that suits the element. It changes the error, never the meaning.
    by_stratum : bool, default False
        Give the strata of the estimate, one row each.
    alpha : float, default 0.05
        Error rate of the intervals.
    workers : int, optional
        Number of threads; all processors by default. Does not change the result.
    preset : str, optional
        Named set of options of the ruleset.
    changes : mapping, optional
        Settings by path.

    Returns
    -------
    pandas.DataFrame
        One row an element: ``element``, ``name_zh``, ``name_en``, ``per`` ("deal"), the columns of
        a rate (``n`` deals that count, ``k`` = n p, no whole number), ``method``, ``hits``
        (deals in which it was seen), ``rel_se``, ``reached`` (the target), ``projected`` (deals
        that count after which it will be, give or take the error of the error), ``pilot`` (deals
        not counted). With `by_stratum` one row a seat and stratum:
        ``element``, ``place`` (from the dealer), the numbers of the stratum, ``share`` (its exact
        probability), ``n`` and ``hits`` of the deals played for it, ``part`` of the estimate that
        comes from wins of such hands.

        Intervals are those of Fay and Feuer (1997) for weighted sums of counts, which count on one
        more event of the greatest weight (if deals are split, of the greatest one seen): they are
        right with few hits or none, and tell how much might come from deals of which none was seen.

    Raises
    ------
    ArgumentError
        If there is no such element, or a number or name is not allowed.
    RulesetError
        If there is no such ruleset, option or value.

    Notes
    -----
    M. P. Fay and E. J. Feuer (1997), Statistics in Medicine 16, 791-801.

    Examples
    --------
    >>> rare("yancheng", "tian_hu", seed=1)[["p", "se", "method"]].to_string(index=False)
    '       p  se method\n0.000053 0.0  exact'
    >>> table = rare("yancheng", "qing_yi_se", seed=1, deals=60_000)
    >>> table["ci_method"].iloc[0]
    'split, gamma'
    """
    import pandas as pd

    rules = resolve(ruleset, preset=preset, changes=changes)
    events = [
        Event.parse(text, rules) for text in ([element] if isinstance(element, str) else element)
    ]
    if not events:
        raise ArgumentError("element: none given; one or more are expected")
    if not 0.001 <= target < 1:
        raise ArgumentError(f"target={quoted(target)}: 0.001 to 1 is allowed")
    check_alpha(alpha)
    names = resolve_policies(policies, modes=rules.modes, bids=rules.open_bids)
    seed = whole_number("seed", seed, least=0)
    most = whole_number("deals", deals, least=10_000)
    known = {cell.cell: cell.p for cell in expected_cells(rules) if cell.table == "deal"}
    rows: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    with _workers(workers) as (pool, abandoned):
        for event in events:
            how = _method(method, event, rules, exact=event.text in known and not by_stratum)
            if how == "exact":
                rows.append(_head(event, rules) | _exact_row(known[event.text]))
                continue
            aim = event.aim(rules) if how == "split" else None
            by = tuple(how.split("+")) if aim is None else ("near" if aim.one_suit else "copies",)
            sampler = _Sampler(
                rules, event, by, aim, policies=names, seed=seed, pool=pool, abandoned=abandoned
            )
            n, used = _pilot(sampler, target=target, most=most)
            played = sampler.play(n, stage=0)
            rows.append(
                _head(event, rules)
                | _estimate(played, sampler, how, alpha=alpha, target=target)
                | {"pilot": used}
            )
            cells += _cell_rows(event, by, sampler, played)
    return pd.DataFrame(cells if by_stratum else rows)


@contextmanager
def _workers(workers: int | None) -> Iterator[tuple[ThreadPoolExecutor, threading.Event]]:
    """Open a pool whose blocks are not waited for when something fails, Ctrl-C included."""
    abandoned = threading.Event()
    pool = ThreadPoolExecutor(worker_count(workers), thread_name_prefix="mjstats")
    try:
        yield pool, abandoned
    finally:
        abandoned.set()
        pool.shutdown(cancel_futures=True)


def _head(event: Event, rules: Ruleset) -> dict[str, Any]:
    names = [
        ("杠", "kongs")
        if column == _core.WINNERS_KONGS
        else (rules.elements[column].name_zh, rules.elements[column].name_en)
        for column, *_ in event.conditions
    ]
    return {
        "element": event.text,
        "name_zh": "+".join(zh for zh, _ in names),
        "name_en": " + ".join(en for _, en in names),
        "per": "deal",
    }


def _exact_row(p: Fraction) -> dict[str, Any]:
    return {
        "k": p.numerator,
        "n": p.denominator,
        "p": float(p),
        "se": 0.0,
        "ci_low": float(p),
        "ci_high": float(p),
        "ci_method": "exact",
        "one_in": float(1 / p),
        "method": "exact",
        "hits": 0,
        "rel_se": 0.0,
        "reached": True,
        "projected": 0.0,
        "pilot": 0,
    }


def _method(chosen: str | None, event: Event, rules: Ruleset, *, exact: bool) -> str:
    """Choose how to estimate."""
    ids = {event.name(rules, column) for column, *_ in event.conditions}
    may_split = event.aim(rules) is not None and not _core.rule_record(rules).looks_into_wall
    if chosen is None:
        if exact or may_split:
            return "exact" if exact else "split"
        groups = (("copies", _OF_COPIES | _ALL_TRIPLETS | _LUXURY), ("suit", _OF_SUITS))
        return "+".join(name for name, group in groups if ids & group) or "shanten"
    names = chosen.split("+")
    if (exact and chosen == "exact") or (may_split and chosen == "split"):
        return chosen
    strata = [name for name in STRATA if name != "near"]
    if not set(names) <= set(strata) or len(set(names)) < len(names):
        also = [name for name, may in (("exact", exact), ("split", may_split)) if may]
        allowed = ", ".join([*also, *strata])
        raise ArgumentError(
            f"method={chosen!r} for {event.text}: allowed are {allowed}, strata joined by +"
        )
    return chosen


def _find_targets(sampler: _Sampler, *, most: int) -> int:
    """Choose what copies shall weigh, so that each step is made as often; how many deals it took.

    Each stage comes further than that before, and so sees rarer steps. What was seen in hardly any
    copy is no guide: a guess too low would make deals without end.
    """
    deals = min(TARGET_DEALS, int(most * TARGET_PART) // TARGET_STAGES)
    n = np.maximum(2, (sampler.share * deals / _core.N_SEATS).astype(np.int64))
    for stage in range(TARGET_STAGES):
        sampler.play(n, stage=FIRST_OF_TARGETS + stage)
        part, sure = 1.0, True
        for missing in reversed(range(_core.AIM_LEVELS)):
            reached = float(sampler.reached[missing])
            if sure and reached * n.sum() >= SURE_COPIES * sampler.target[missing]:
                part = min(part, reached)
            elif sure:
                sure = False
                part /= NEXT_COPIES
            sampler.target[missing] = part / GROWTH
    return int(n.sum()) * TARGET_STAGES


def _pilot(sampler: _Sampler, *, target: float, most: int) -> tuple[NDArray[np.int64], int]:
    """Play deals that do not count: how many of each cell shall count, and how many were played."""
    share = sampler.share
    features = np.array([(cell.place == 0, *cell.numbers) for cell in sampler.cells], dtype=float)
    before = _find_targets(sampler, most=most) if sampler.aim else 0
    place = np.array([cell.place for cell in sampler.cells])
    limit = int(most * PILOT_PART)
    first = max(2, min(max(FIRST, 12_000 // len(share)), limit // 2 // len(share)))
    n = np.full(len(share), first, dtype=np.int64)
    k, total = np.zeros((2, len(share)))
    used, stage = 0, 1
    while True:
        played = sampler.play(n, stage=stage)
        # A cell's own rate: wins of the seat that it is about. What a deal with few of many copies
        # adds to the variance is the square of their part; a usual one counts as one.
        part = played.found[np.arange(len(played.cell)), place[played.cell]] ** 2
        seen = np.bincount(played.cell, part, minlength=len(share))
        k, total = k + seen / max(part[part > 0].mean() if part.any() else 1.0, 1e-300), total + n
        used = int(total.sum()) + before
        rate = _smooth(k, total, features)
        p, se = played.estimate(share)
        spare = min(limit - used, used)
        sure = stage > 1 and 0 < se <= PILOT_ERROR * p
        if sure or spare < used // 2:
            # A stage that has seen little cannot tell how many deals are enough.
            needed = n.sum() * max(1.0, (se / (target * p)) ** 2 * MARGIN) if sure else most
            return _spread(share, rate, int(min(most - used, needed))), used
        n = _spread(share, rate, spare)
        stage += 1


def _smooth(
    k: NDArray[np.float64], n: NDArray[np.float64], features: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Guess rates: a log-linear law over the numbers of the strata, worth one event, and counts.

    It decides about the numbers of deals alone; a bad guess costs deals, never truth.
    """
    spread = features.std(axis=0)
    x = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    x = np.column_stack([np.ones(len(x)), x])
    ridge = np.diag([0.01, *[1.0] * (x.shape[1] - 1)])
    beta = np.zeros(x.shape[1])
    beta[0] = np.log((k.sum() + 0.5) / n.sum())
    for _ in range(50):  # Newton's steps of a Poisson regression, never too long
        expected = n * np.exp(np.clip(x @ beta, -40.0, 0.0))
        gradient = x.T @ (k - expected) - ridge @ beta
        step = np.linalg.solve(x.T @ (x * expected[:, None]) + ridge, gradient)
        beta += step * min(1.0, 1.0 / max(np.abs(step).max(), 1e-12))
    law = np.exp(np.clip(x @ beta, -40.0, 0.0))
    rate: NDArray[np.float64] = np.minimum((k + 1) / (n + 1 / law), 1.0)
    return rate


def _spread(share: NDArray[np.float64], rate: NDArray[np.float64], deals: int) -> NDArray[np.int64]:
    """Spread deals by Neyman's rule, a part as plain simulation would; two a cell at least."""
    # A deal weighs what all its four cells make it weigh, so that rates of nearly 1 need deals too.
    sigma = share * np.sqrt(rate)
    wish = deals * ((1 - PLAIN_PART) * sigma / sigma.sum() + PLAIN_PART * share / share.sum())
    return np.asarray(np.maximum(2, wish.astype(np.int64)))


def _estimate(
    played: _Played, sampler: _Sampler, how: str, *, alpha: float, target: float
) -> dict[str, Any]:
    """Give the weighted rate with its error and interval."""
    share = sampler.share
    p, se = played.estimate(share)
    weights = played.weights(share)
    split = bool(sampler.aim) and len(weights) > 0
    greatest = float(weights.max()) if split else sampler.greatest(played.n)
    low, high = gamma_interval(weights, greatest, alpha=alpha)
    return {
        "k": p * float(played.n.sum()),
        "n": int(played.n.sum()),
        "p": p,
        "se": se,
        "ci_low": low,
        "ci_high": high,
        "ci_method": f"{'split' if sampler.aim else 'stratified'}, gamma",
        "one_in": 1 / p if p > 0 else np.nan,
        "method": how,
        "hits": len(played.cell),
        "rel_se": se / p if p > 0 else np.inf,
        "reached": bool(p > 0 and se <= target * p),
        # Errors fall with the square root of the deals.
        "projected": max(1.0, (se / (target * p)) ** 2) * float(played.n.sum())
        if p > 0
        else np.inf,
    }


def gamma_interval(
    weights: NDArray[np.float64], greatest: float, *, alpha: float = 0.05
) -> tuple[float, float]:
    """Interval of the mean of a sum of weights of rare events (Fay and Feuer 1997).

    Parameters
    ----------
    weights : ndarray of float64
        Weight of each event seen.
    greatest : float
        Greatest weight that an event can have.
    alpha : float, default 0.05
        Error rate of both sides together.

    Returns
    -------
    low, high : float
        Bounds; without events 0 and that of the greatest weight. With equal weights the exact
        interval of a Poisson count.

    Examples
    --------
    >>> low, high = gamma_interval(np.full(10, 0.1), 0.1)
    >>> print(f"{low:.4f} {high:.4f}")
    0.4795 1.8390
    """
    from scipy import special

    mean, variance = float(weights.sum()), float((weights**2).sum())
    low = 0.0
    if mean > 0:
        low = variance / mean * float(special.gammaincinv(mean**2 / variance, alpha / 2))
    mean, variance = mean + greatest, variance + greatest**2
    return low, variance / mean * float(special.gammainccinv(mean**2 / variance, alpha / 2))


def _cell_rows(
    event: Event, by: tuple[str, ...], sampler: _Sampler, played: _Played
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the strata."""
    names = [number for name in by for number in STRATA[name]]
    hits = np.bincount(played.cell, minlength=len(sampler.cells))
    w = played.weights(sampler.share) / played.found.sum(axis=1)
    # What a deal adds belongs to the hands that won.
    parts = np.bincount(
        played.lies_in.ravel(),
        (w[:, None] * played.found).ravel(),
        minlength=len(sampler.cells),
    )
    for i, cell in enumerate(sampler.cells):
        yield {
            "element": event.text,
            "place": cell.place,
            **dict(zip(names, cell.numbers, strict=True)),
            "share": float(cell.share),
            "n": int(played.n[i]),
            "hits": int(hits[i]),
            "part": float(parts[i]),
        }
