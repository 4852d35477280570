"""Dealt hands as control variates: what of them is known exactly, deal by deal.

The controls of a deal are, for each seat, which shanten its hand was dealt with (an indicator each,
the rarest ones together), how many bonus tiles it set aside, and whether it had none. Their exact
means come from `mjstats.exact`; estimates of a run are corrected by how far its deals happened to
be from them. What the four hands of a deal are together is not known exactly and not needed.
"""

# Why the controls of every deal have their exact means, whatever was played before.
#
# Let F be all that happened before the n-th deal of a run: walls, dice and decisions. F decides
# which match and which deal of it comes next (the same match goes on, or is over), who deals, and
# what the counters are. The wall of the deal is drawn from the stream of (seed, match, deal) alone,
# which no earlier deal has touched. So given F, whatever it is, the wall is a uniform permutation,
# and the hands in the order of the table, beginning with the dealer, have the distribution of
# mjstats.exact. With its mean subtracted, a control x_n has E(x_n | F) = 0. From that:
#
# 1. A run cut at N deals: the sum of x_n over its deals has mean zero, for each N.
# 2. A match has a random number of deals D that depends on what happens in them. "The match has an
#    n-th deal" is decided by F, so the mean of the sum over a match is the sum over n of
#    E(1{D >= n} E(x_n | F)) = 0 (Wald: E(D) is finite and the controls are bounded). This is why
#    sums are used; the mean over the deals of one match, which divides by D, has not the mean zero.
# 3. The same holds for any part of the deals that F decides: those of a dealer, of a round, with a
#    counter at some value. It does not hold for parts that the deal itself decides, such as the
#    deals that were won; these are treated as ratios over all deals.
#
# Hence each match (and the last one, cut or not) adds a residual of mean zero, independently of the
# others; mjstats.stats.control says what follows. A run cut at N deals is biased by what its cut
# match lacks, with or without controls: by 1 / N, where the standard error is 1 / sqrt(N).

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from mjstats.errors import RulesetError
from mjstats.estimates import Family
from mjstats.exact import expected_cells
from mjstats.run import Columns, RunData
from mjstats.simulate import ruleset_of
from mjstats.stats.clustered import Floats, Mean, Rate, mean_of, rate_of
from mjstats.stats.control import ControlSums, Estimates
from mjstats.stats.intervals import EXACT_BELOW

if TYPE_CHECKING:
    from mjstats.rulesets import Ruleset

#: Below this many deals a control, estimating the coefficients costs what little controls gain.
DEALS_PER_CONTROL: Final = 40
#: A shanten that is rarer than this in every seat shares an indicator with its neighbour.
RARE: Final = 1e-3
#: The same where controls go by seats. There the mean that is subtracted depends on whether the
#: seat deals; an indicator that was never seen would be a control of that and of nothing else.
SCARCE: Final = 1e-2
#: Dealt hands as far from their exact values as this, by chance, mean that the values are wrong.
SURE: Final = 1e-9
#: What names of methods say, and the note of tables.
METHOD: Final = ", control variates"

_TABLES: Final = ("hand", "dealer_hand")
_SEATS: Final = np.arange(4)
Estimate = TypeVar("Estimate", Rate, Mean)


@dataclass(frozen=True, slots=True)
class DealtControls:
    """Control variates of a deal: functions of each seat's dealt hand, means subtracted.

    Parameters
    ----------
    shanten : ndarray of float64, shape (2, shanten + 1, k)
        Controls by table (not the dealer, the dealer) and shanten.
    bonus : ndarray of float64, shape (2, bonus tiles, l)
        Controls by table and number of bonus tiles.
    variance, bound : ndarray of float64, shape (k + l,)
        Exact variance and greatest size of each control; the greater of both tables.
    by_seat : bool
        Controls stand in the order of the seats; else in the order of the table, dealer first.
    name : str
        Id of the ruleset, for messages.
    """

    shanten: Floats
    bonus: Floats
    variance: Floats
    bound: Floats
    by_seat: bool
    name: str

    @classmethod
    def of(cls, data: RunData, *, by_seat: bool = False) -> Self:
        """Make the controls of the deals of a run.

        Parameters
        ----------
        data : RunData
            The run.
        by_seat : bool, default False
            Whether what is estimated goes by seats. With seats of different policies it always
            does.

        Returns
        -------
        DealtControls
            The controls.

        Raises
        ------
        TaskMismatchError
            If the ruleset of the run cannot be made any more.
        RulesetError
            If there are no exact values of the dealt hands of this ruleset.
        """
        rules = ruleset_of(data)
        by_seat = by_seat or len(set(data.origin.task.policies)) > 1
        shanten, bonus = (_laws(rules, what) for what in ("shanten", "bonus"))
        # Shanten begin with -1. The last indicator follows from the others.
        ends = _ends(shanten.min(axis=0), SCARCE) if by_seat else _ends(shanten.max(axis=0), RARE)
        classes = np.searchsorted(ends, np.arange(shanten.shape[1]), side="right")
        indicators = (classes[:, None] == np.arange(len(ends))).astype(np.float64)
        numbers = np.arange(bonus.shape[1])
        scores = np.column_stack([numbers, numbers == 0])[:, : 2 * (len(numbers) > 1)]
        tables = _centred(indicators, shanten), _centred(scores, bonus)
        laws = shanten, bonus
        squares = [np.einsum("tv,tvk->tk", law, x**2) for law, x in zip(laws, tables, strict=True)]
        return cls(
            *tables,
            variance=np.concatenate([square.max(axis=0) for square in squares]),
            bound=np.concatenate([np.abs(x).max(axis=(0, 1)) for x in tables]),
            by_seat=by_seat,
            name=rules.id,
        )

    @property
    def n(self) -> int:
        """Number of controls a deal."""
        return 4 * int(self.shanten.shape[2] + self.bonus.shape[2])

    @property
    def columns(self) -> list[str]:
        """Columns of the deals that `values` needs."""
        return ["dealer", *(f"{what}_{seat}" for what in ("shanten", "bonus") for seat in range(4))]

    def values(self, deals: Columns) -> Floats:
        """Give the controls of some deals.

        Parameters
        ----------
        deals : dict of str to ndarray
            Their `columns`.

        Returns
        -------
        ndarray of float64, shape (deals, n)
            One row a deal.

        Raises
        ------
        RulesetError
            If a hand is impossible by the exact values.
        """
        dealer = deals["dealer"].astype(np.int64)[:, None]
        seats = np.broadcast_to(_SEATS, (len(dealer), 4)) if self.by_seat else (dealer + _SEATS) % 4
        table = (seats == dealer).astype(np.int64)
        parts = []
        for what, scores, least in (("shanten", self.shanten, -1), ("bonus", self.bonus, 0)):
            dealt = np.stack([deals[f"{what}_{seat}"] for seat in range(4)], axis=1)
            place = np.take_along_axis(dealt.astype(np.int64), seats, axis=1) - least
            beyond = (place < 0) | (place >= scores.shape[1])
            if beyond.any():
                raise RulesetError(
                    f"control: {what} {place[beyond][0] + least} was dealt, which is impossible by "
                    f"the exact values of {self.name!r}; control=False is allowed"
                )
            parts.append(scores[table, place])
        return np.concatenate(parts, axis=2).reshape(len(dealer), self.n)

    def rates(
        self, plain: Rate, sums: ControlSums, *, g: int, family: Family
    ) -> tuple[Rate, Floats]:
        """Put controlled rates in the place of plain ones where the deals allow it.

        Parameters
        ----------
        plain : Rate
            Plain rates, entries of shape (groups, columns).
        sums : ControlSums
            The same events with these controls.
        g : int
            Number of clusters.
        family : Family
            Error rate of the intervals, suffix of the names of methods.

        Returns
        -------
        Rate
            Counts as they were. Where there are fewer than ten events or non-events, or too few
            deals for the controls, all is as it was.
        ndarray of float64
            Ratio of the variances with and without controls; NaN for plain rates.

        Raises
        ------
        RulesetError
            If the dealt hands are not distributed as the exact values say.
        """
        estimates = self._checked(sums.estimates(g=g))
        use = _enough(estimates)[:, None] & (np.minimum(plain.k, plain.n - plain.k) >= EXACT_BELOW)
        use &= (estimates.mean > 0) & (estimates.mean < 1)
        controlled = rate_of(
            np.where(use, estimates.mean, 0.0) * plain.n,
            plain.n,
            se=np.where(use, estimates.se, np.nan),
            g=g,
            alpha=family.alpha,
            suffix=f"{METHOD}{family.suffix}",
        )
        ratio = np.where(use, estimates.variance_ratio, np.nan)
        return _chosen(use, replace(controlled, k=plain.k), plain), ratio

    def means(
        self,
        plain: Mean,
        sums: ControlSums,
        *,
        cells: tuple[Sequence[int], Sequence[int]],
        g: int,
        family: Family,
    ) -> tuple[Mean, Floats]:
        """Put controlled means in the place of plain ones where the deals allow it.

        Parameters
        ----------
        plain : Mean
            Plain means, entries of shape (n, 1).
        sums : ControlSums
            The same quantities with these controls.
        cells : tuple of two sequences of int
            Group and column of `sums` for each of the n means.
        g : int
            Number of clusters.
        family : Family
            Error rate of the intervals, suffix of the names of methods.

        Returns
        -------
        Mean
            As it was where there are fewer than ten observations, or too few deals for the
            controls.
        ndarray of float64, shape (n, 1)
            Ratio of the variances with and without controls; NaN for plain means.

        Raises
        ------
        RulesetError
            If the dealt hands are not distributed as the exact values say.
        """
        estimates = self._checked(sums.estimates(g=g))
        mean, se, ratio = (
            values[cells][:, None]
            for values in (estimates.mean, estimates.se, estimates.variance_ratio)
        )
        use = _enough(estimates)[cells[0], None] & (plain.n >= EXACT_BELOW) & (se > 0)
        suffix = f"{METHOD}{family.suffix}"
        controlled = mean_of(mean, plain.n, se=se, g=g, alpha=family.alpha, suffix=suffix)
        return _chosen(use, controlled, plain), np.where(use, ratio, np.nan)

    def _checked(self, estimates: Estimates) -> Estimates:
        """Refuse to go on where the dealt hands are not what the exact values say."""
        # D. A. Freedman (1975), Annals of Probability 3, 100-118, theorem 1.6: no n terms of mean
        # zero given the earlier ones, with variances up to v and none above b, have a mean t from
        # zero more often than 2 exp(-n t^2 / (2 v + 2 b t / 3)), however few or skewed they are.
        off = np.abs(estimates.departure)
        variance, bound = np.tile(self.variance, 4), np.tile(self.bound, 4)
        unlikely = estimates.n[:, None] * off**2 / (2 * variance + 2 * bound * off / 3)
        if unlikely.max(initial=0.0) > np.log(2 / SURE):
            raise RulesetError(
                f"control: the dealt hands of the run are not distributed as the exact values of "
                f"{self.name!r} say (a mean is off by {off.flat[np.argmax(unlikely)]:.4g}), so "
                "their expectations are of no use; control=False is allowed"
            )
        return estimates

    @property
    def note(self) -> str:
        """What a reader of the table must know."""
        order = "seat by seat" if self.by_seat else "from the dealer round the table"
        return (
            f"control variates: shanten and bonus tiles as dealt, {order}, {self.n} a deal, their "
            "means exact; cells without variance_ratio are plain (fewer than "
            f"{DEALS_PER_CONTROL} deals a control, or fewer than {EXACT_BELOW} events)"
        )


def _enough(estimates: Estimates) -> NDArray[np.bool_]:
    """Tell which groups have the deals that their controls need."""
    controls = estimates.n_controls
    return (controls > 0) & (estimates.n >= DEALS_PER_CONTROL * controls)


def _chosen(use: NDArray[np.bool_], controlled: Estimate, plain: Estimate) -> Estimate:
    """Take controlled estimates where they are to be used, plain ones elsewhere."""
    pairs = {f.name: (getattr(controlled, f.name), getattr(plain, f.name)) for f in fields(plain)}
    return type(plain)(**{name: np.where(use, *pair) for name, pair in pairs.items()})


def _laws(rules: "Ruleset", what: str) -> Floats:
    """Give the exact distributions of both tables (hand, dealer's hand): a row each."""
    laws: list[dict[int, Fraction]] = []
    cells = expected_cells(rules)
    start = {"shanten": "dealt_shanten_", "bonus": "bonus_"}[what]
    for table in _TABLES:
        law = {
            int(cell.cell.removeprefix(start)): cell.p
            for cell in cells
            if cell.table == table and cell.cell.startswith(start)
        }
        if what == "shanten":
            complete = (cell.p for cell in cells if cell[:2] == (table, "dealt_complete"))
            law[-1] = sum(complete, Fraction())
        elif not law:
            law[0] = Fraction(1)
        if sum(law.values()) != 1:
            raise RulesetError(
                f"control: there are no exact values of the dealt {what} of {rules.id!r}; "
                "control=False is allowed"
            )
        laws.append(law)
    least, most = min(map(min, laws)), max(map(max, laws))
    return np.array([[float(law.get(i, 0)) for i in range(least, most + 1)] for law in laws])


def _ends(masses: Floats, least: float) -> list[int]:
    """Divide values into classes of at least some mass each: where each but the last ends."""
    ends: list[int] = []
    start = 0
    for stop in range(1, len(masses)):
        if min(masses[start:stop].sum(), masses[stop:].sum()) >= least:
            ends.append(stop)
            start = stop
    return ends


def _centred(scores: Floats, laws: Floats) -> Floats:
    """Subtract the exact mean under each law."""
    return np.stack([scores - law @ scores for law in laws])
