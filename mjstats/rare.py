"""Rare elements: estimates by strata of the dealt hand, unbiased whatever is guessed beforehand."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from mjstats.errors import ArgumentError
from mjstats.exact import expected_cells, nearness, playing_tiles
from mjstats.policies import policy_codes, resolve_policies
from mjstats.rulesets import Ruleset, Value
from mjstats.rulesets import ruleset as resolve
from mjstats.simulate import worker_count
from mjstats.stats.intervals import check_alpha

if TYPE_CHECKING:
    import pandas as pd

# How it is estimated. A cell is a seat's place from the dealer together with a stratum of what that
# seat is dealt; P(place, stratum) is counted exactly. Of each cell a number n of deals is played:
# the seat's hand is drawn from exactly its law in the stratum, the wall round it as `lay_hand` of
# the core proves, the rest as always. A deal lies in four cells, one a place; one with the event
# that was played for cell c counts
#
#     w = r(c) / sum over its four cells of r^2,        r = n / P
#
# (multiple importance sampling with the power heuristic: Veach and Guibas, SIGGRAPH 1995). If f is
# the probability of a deal, it is played f r(c) times on average for each of its cells c, which
# makes f sum(r^2) / sum(r^2) = f in all: the sum of the weights has the mean f summed over all
# deals with the event. So the estimate is unbiased whatever the numbers n are. They are fixed by a
# pilot, before the first of the deals that count is played; the pilot's deals are not counted.

#: Deals played at once: the unit of the random streams, so that workers change nothing.
BLOCK: Final = 1536
#: Deals of each cell in the first stage of the pilot.
FIRST: Final = 300
#: The pilot ends when its last stage has this relative standard error, or with this part of all.
PILOT_ERROR: Final = 0.15
PILOT_PART: Final = 0.25
#: Part of the deals that is spread as plain simulation would spread them: no deal can weigh more
#: than about the inverse times what it would there.
PLAIN_PART: Final = 0.25
#: What the pilot's guess of the deals needed is multiplied by.
MARGIN: Final = 1.2

# Elements that ask for few suits, and those that ask for many copies of few kinds.
_OF_SUITS: Final = frozenset({"qing_yi_se", "hun_yi_se", "duan_men", "da_pie", "que_yi_men"})
_OF_COPIES: Final = frozenset(
    {
        "qi_dui",
        "hao_hua_qi_dui",
        "peng_peng_hu",
        "da_dui_hu",
        "dui_dui_hu",
        "piao_hu",
        "deng_zi",
        "dui_dao",
        "an_gang",
    }
)


@dataclass(frozen=True, slots=True)
class Event:
    """Conditions on the elements of one win, all of which must hold.

    Parameters
    ----------
    text : str
        As it was asked for.
    conditions : tuple of (int, str, int)
        Position of the element, ``"="`` or ``">="``, value.
    """

    text: str
    conditions: tuple[tuple[int, str, int], ...]

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
        conditions = []
        for part in text.split("+"):
            found = re.fullmatch(r"\s*(\w+)\s*(?:(>=|=)\s*([0-9]{1,9}))?\s*", part, re.ASCII)
            if found is None:
                raise ArgumentError(
                    f"element {text!r}: allowed is ID, ID=VALUE, ID>=VALUE, several joined by +"
                )
            name, relation, value = found.groups()
            if name not in names:
                raise ArgumentError(
                    f"element {name!r}: {rules.id} has none such; allowed are {', '.join(names)}"
                )
            if value is not None and int(value) == 0:
                raise ArgumentError(f"element {part!r}: values from 1 are allowed")
            conditions.append((names.index(name), relation or ">=", int(value or 1)))
        return cls(text, tuple(conditions))

    def occurs(self, elements: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell of each win (row) whether the event occurs."""
        true = np.ones(len(elements), dtype=np.bool_)
        for column, relation, value in self.conditions:
            values = elements[:, column]
            true &= values == value if relation == "=" else values >= value
        return true


@dataclass(frozen=True, slots=True)
class _Longest:
    """Trait: tiles of the longest suit."""

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return the tiles of each state; honours are no suit."""
        return (states.tiles * (states.part in SUITS)).astype(np.uint16)

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of the greater ones."""
        number = np.arange(15, dtype=np.uint16)
        return np.maximum.outer(number, number)


def _triplets(states: States) -> NDArray[np.integer]:
    return np.asarray((states.held == 3).sum(axis=1))


def _doubles(states: States) -> NDArray[np.integer]:
    return np.asarray((states.held == 2).sum(axis=1))


#: What dealt hands can be stratified by: numbers that each hand has.
STRATA: Final[Mapping[str, tuple[str, ...]]] = {
    "copies": ("quads", "triplets", "pairs"),
    "suit": ("longest_suit",),
    "shanten": ("shanten",),
}


@lru_cache(maxsize=16)
def _hands(rules: Ruleset, n: int, by: tuple[str, ...]) -> DealtHands:
    """Group the dealt hands of a game; a stratum is the tuple of its numbers."""
    tiles = playing_tiles(rules)
    near, missing = nearness(tiles, n, rules.shapes)
    traits_of: dict[str, list[Trait]] = {
        "copies": [Sum(of_hand.quads, 3), Sum(_triplets, 4), Sum(_doubles, 7)],
        "suit": [_Longest()],
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
    winner : ndarray of int64, shape (hits,)
        Place of the seat that won with the event.
    """

    n: NDArray[np.int64]
    cell: NDArray[np.int64]
    lies_in: NDArray[np.int64]
    winner: NDArray[np.int64]

    @property
    def won_in(self) -> NDArray[np.int64]:
        """The cell of the hand that won, of each deal with the event."""
        return np.asarray(self.lies_in[np.arange(len(self.winner)), self.winner])

    def weights(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the weight of each deal with the event."""
        r = self.n / share
        return np.asarray(r[self.cell] / (r[self.lies_in] ** 2).sum(axis=1))

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
    policies : tuple of str
        Policy of each seat.
    seed : int
        Seed.
    pool : ThreadPoolExecutor
        Workers.
    """

    def __init__(
        self,
        rules: Ruleset,
        event: Event,
        by: tuple[str, ...],
        *,
        policies: tuple[str, ...],
        seed: int,
        pool: ThreadPoolExecutor,
    ) -> None:
        self._record = _core.rule_record(rules)
        self._codes = policy_codes(policies, modes=rules.modes)
        self._event = event
        self._seed = seed
        self._pool = pool
        self._hands = [_hands(rules, 13 if place else 14, by) for place in range(_core.N_SEATS)]
        self.cells = [
            _Cell(place, numbers, hands.share[numbers])
            for place, hands in enumerate(self._hands)
            for numbers in sorted(hands.share)
        ]
        self._number = {(cell.place, cell.numbers): i for i, cell in enumerate(self.cells)}
        self.share = np.array([float(cell.share) for cell in self.cells])

    def play(self, n: NDArray[np.int64], *, stage: int) -> _Played:
        """Play so many deals of each cell; a stage has its own random numbers."""
        tasks = [
            (stage, cell, block, min(BLOCK, int(n[cell]) - block * BLOCK))
            for cell in range(len(self.cells))
            for block in range(-(-int(n[cell]) // BLOCK))
        ]
        found = list(self._pool.map(self._block, tasks))
        cell = np.repeat([task[1] for task in tasks], [len(winner) for _, winner in found])
        return _Played(
            n,
            cell.astype(np.int64),
            np.concatenate([lies_in for lies_in, _ in found]),
            np.concatenate([winner for _, winner in found]),
        )

    def greatest(self, n: NDArray[np.int64]) -> float:
        """Give the greatest weight that a deal can have: the other seats' cells weigh least."""
        r = n / self.share
        place = np.array([cell.place for cell in self.cells])
        least = np.array([r[place == i].min() ** 2 for i in range(_core.N_SEATS)])
        return float((r / (r**2 + least.sum() - least[place])).max())

    def _block(
        self, task: tuple[int, int, int, int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Play one block: the cells and the winner's place of each deal with the event."""
        stage, number, block, n = task
        cell = self.cells[number]
        source = np.random.SeedSequence(self._seed, spawn_key=(stage, number, block))
        words = source.generate_state(2, np.uint64)
        rng = np.random.Generator(np.random.Philox(source.spawn(1)[0]))
        played, dealt = _core.play_given(
            self._record,
            self._codes,
            key=(int(words[0]), int(words[1])),
            first_match=0,
            place=cell.place,
            hands=self._hands[cell.place].draw(cell.numbers, n, rng),
        )
        seat = self._winners(played)
        hits = np.flatnonzero(seat >= 0)
        lies_in = np.empty((len(hits), _core.N_SEATS), dtype=np.int64)
        for place, hands in enumerate(self._hands):
            strata = hands.strata(dealt[hits, place])
            lies_in[:, place] = [self._number[place, numbers] for numbers in strata]
        return lies_in, (seat - played.deals["dealer"])[hits] & 3

    def _winners(self, block: _core.Block) -> NDArray[np.int64]:
        """Give the seat whose win is the first of the deal with the event, -1 if there is none."""
        seat = np.where(self._event.occurs(block.elements), block.deals["winner"], -1)
        seat = seat.astype(np.int64)
        for i in np.flatnonzero(self._event.occurs(block.extra_elements)):
            row = block.extra_wins["deal"][i]
            if seat[row] < 0:
                seat[row] = block.extra_wins["winner"][i]
        return seat


def rare(
    ruleset: str | os.PathLike[str] | Ruleset,
    element: str | Sequence[str],
    *,
    seed: int,
    target: float = 0.05,
    deals: int = 4_000_000,
    policies: str | Sequence[str] = "greedy",
    strata: str | None = None,
    exact: bool = True,
    by_stratum: bool = False,
    alpha: float = 0.05,
    workers: int | None = None,
    preset: str | None = None,
    changes: Mapping[str, Value] | None = None,
) -> "pd.DataFrame":
    r"""Probability that an element, or several in one win, occur in a deal, however rare.

    What is estimated: the probability that the first deal of a match, all carried counters at their
    start, has a win with the element.

    Dealt hands are grouped into strata whose probabilities are counted exactly; strata that lead to
    the element more often than others are played more often, and every deal counts with the weight
    that makes up for it. A pilot, whose deals are not counted, decides how often; estimates are
    unbiased whatever it decides.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    element : str or sequence of str
        Each an element (it occurs), ``"ID=VALUE"`` (with this value), ``"ID>=VALUE"``, or several
        joined by ``+`` (in one win): ``"qing_yi_se+qi_dui"``, ``"hao_hua_qi_dui=8"``.
    seed : int
        Seed, 0 to 2^63 - 1.
    target : float, default 0.05
        Relative standard error to be reached.
    deals : int, default 4,000,000
        Most deals of one estimate, the pilot included. If they do not suffice, the estimate is as
        unbiased, but its error is above the target; ``reached`` tells.
    policies : str or sequence of str, default "greedy"
        One policy for all seats, or one a seat.
    strata : str, optional
        What to group dealt hands by: ``"copies"`` (quads, triplets and pairs), ``"suit"`` (tiles of
        the longest suit), ``"shanten"``, or some joined by ``+``. By default what suits the
        element. It changes the error, never the meaning of the estimate.
    exact : bool, default True
        Give the exact value where there is one (``tian_hu``), instead of playing.
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
        a rate (``n`` deals that count, ``k`` = n p, no whole number), ``method`` ("stratified" or
        "exact"), ``hits`` (deals in which it was seen), ``rel_se``, ``reached`` (the target),
        ``pilot`` (deals not counted), ``strata``. With `by_stratum` one row a seat and stratum:
        ``element``, ``place`` (from the dealer), the numbers of the stratum, ``share`` (its exact
        probability), ``n`` and ``hits`` of the deals played for it, ``part`` of the estimate that
        comes from wins of such hands.

        Intervals are those of Fay and Feuer (1997) for weighted sums of counts, which count on one
        more event of the greatest weight: they are right with few hits or none, and tell how much
        might come from deals of which none was seen.

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
    'stratified, gamma'
    """
    import pandas as pd

    rules = resolve(ruleset, preset=preset, changes=changes)
    events = [
        Event.parse(text, rules) for text in ([element] if isinstance(element, str) else element)
    ]
    if not events:
        raise ArgumentError("element: none given; one or more are expected")
    if not 0.001 <= target < 1:
        raise ArgumentError(f"target={target!r}: 0.001 to 1 is allowed")
    check_alpha(alpha)
    names = resolve_policies(policies, modes=rules.modes)
    seed = whole_number("seed", seed, least=0)
    most = whole_number("deals", deals, least=10_000)
    known = {cell.cell: cell.p for cell in expected_cells(rules) if cell.table == "deal"}
    rows: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    with ThreadPoolExecutor(worker_count(workers)) as pool:
        for event in events:
            if exact and event.text in known and not by_stratum:
                rows.append(_head(event, rules) | _exact_row(known[event.text]))
                continue
            by = _strata(strata, event, rules)
            sampler = _Sampler(rules, event, by, policies=names, seed=seed, pool=pool)
            n, used = _pilot(sampler, target=target, most=most)
            played = sampler.play(n, stage=0)
            rows.append(
                _head(event, rules)
                | _estimate(played, sampler, alpha=alpha, target=target)
                | {"pilot": used, "strata": "+".join(by)}
            )
            cells += _cell_rows(event, by, sampler, played)
    return pd.DataFrame(cells if by_stratum else rows)


def _head(event: Event, rules: Ruleset) -> dict[str, Any]:
    elements = [rules.elements[column] for column, *_ in event.conditions]
    return {
        "element": event.text,
        "name_zh": "+".join(element.name_zh for element in elements),
        "name_en": " + ".join(element.name_en for element in elements),
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
        "pilot": 0,
        "strata": "",
    }


def _strata(chosen: str | None, event: Event, rules: Ruleset) -> tuple[str, ...]:
    """Choose what to group dealt hands by."""
    if chosen is not None:
        names = tuple(chosen.split("+"))
        if not set(names) <= set(STRATA) or len(set(names)) < len(names):
            raise ArgumentError(
                f"strata={chosen!r}: allowed are {', '.join(STRATA)}, some of them joined by +"
            )
        return names
    ids = {rules.elements[column].id for column, *_ in event.conditions}
    fitting = tuple(
        name for name, group in (("copies", _OF_COPIES), ("suit", _OF_SUITS)) if ids & group
    )
    return fitting or ("shanten",)


def _pilot(sampler: _Sampler, *, target: float, most: int) -> tuple[NDArray[np.int64], int]:
    """Play deals that do not count: how many of each cell shall count, and how many were played."""
    share = sampler.share
    features = np.array([(cell.place == 0, *cell.numbers) for cell in sampler.cells], dtype=float)
    limit = int(most * PILOT_PART)
    n = np.full(len(share), max(2, min(FIRST, limit // 2 // len(share))), dtype=np.int64)
    k, total = np.zeros((2, len(share)), dtype=np.int64)
    used, stage = 0, 1
    while True:
        played = sampler.play(n, stage=stage)
        # A cell's own rate: wins of the seat that it is about.
        own = played.won_in[played.won_in == played.cell]
        k, total = k + np.bincount(own, minlength=len(share)), total + n
        used = int(total.sum())
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
    k: NDArray[np.int64], n: NDArray[np.int64], features: NDArray[np.float64]
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


def _estimate(played: _Played, sampler: _Sampler, *, alpha: float, target: float) -> dict[str, Any]:
    """Give the weighted rate with its error and interval."""
    share = sampler.share
    p, se = played.estimate(share)
    low, high = gamma_interval(played.weights(share), sampler.greatest(played.n), alpha=alpha)
    return {
        "k": p * float(played.n.sum()),
        "n": int(played.n.sum()),
        "p": p,
        "se": se,
        "ci_low": low,
        "ci_high": high,
        "ci_method": "stratified, gamma",
        "one_in": 1 / p if p > 0 else np.nan,
        "method": "stratified",
        "hits": len(played.cell),
        "rel_se": se / p if p > 0 else np.inf,
        "reached": bool(p > 0 and se <= target * p),
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
    parts = np.bincount(played.won_in, played.weights(sampler.share), minlength=len(sampler.cells))
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
