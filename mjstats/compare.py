"""Runs side by side: the same measures of several games in one table.

A *win* is that of one winner: three winners of one tile are three wins. What *changes hands* in a
deal is the sum of what its net receivers receive; kongs and penalties that a game settles in the
deal, won or drawn, are in it. A *stake* is the base stake of the ruleset (`Ruleset.base_stake`),
the *sd* the standard deviation of what a seat receives in a deal.

===================== ==========================================================================
win_rate              deals with a winner
draw_rate             deals in which the wall is exhausted
several_winners_rate  deals with more than one winner
self_draw_rate        of the wins, those on a tile that nobody threw: drawn from the wall or after
                      a kong or flower, dealt, or viewed (bao)
discard_rate          of the wins, those on a discard
rob_kong_rate         of the wins, those on a robbed kong; the three ways sum to one
dealer_win_rate       of the wins, those of the dealer; a quarter would be no edge
turns                 turns of all seats a deal
turns_won             the same of deals with a winner
dealer_edge           what the dealer receives a deal, on average
settlement_size       mean of what a seat receives or pays a deal, without its sign: half of what
                      changes hands
settlement_sd         standard deviation of what a seat receives a deal, about its exact mean, which
                      is zero
winner_receipt        what a winner receives, on average, all of the deal settled
discarder_payment     what the discarder of the tile that was won on pays, all of the deal settled
gini                  concentration of what changes hands: Gini coefficient over all deals, drawn
                      ones included with what they settle, mostly nothing
gini_won              the same over the deals with a winner
element_rate          wins with the element
element_points        of the values of all elements that are summed (points, in Changchun fans, in
                      Yiwu multipliers), over all wins, those of this element: they sum to one; no
                      such share for factors
element_payout        of what changes hands, the part that does so in deals with a win that has the
                      element: what the deals with it are worth, for elements and factors alike;
                      several elements share a deal, so they sum to more than one
===================== ==========================================================================

An element that counts for single payers (bids, the dealer's fan) is in a win if it counts for one
of them. Shares of elements that were seen in few deals have intervals that are too narrow.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjstats.errors import ArgumentError, TaskMismatchError
from mjstats.estimates import Family, changes_of, clusters_of, origin_line, policies_text, run_notes
from mjstats.run import BY, OUTCOMES, ROLES, Columns, ElementName, RunData, open_data
from mjstats.simulate import ruleset_of
from mjstats.stats.clustered import Floats, Mean, Rate, RatioSums, mean_of, sum_by
from mjstats.stats.concentration import gini
from mjstats.stats.jackknife import jackknife
from mjstats.stats.multiplicity import Method

if TYPE_CHECKING:
    import pandas as pd

#: Groups of consecutive matches that the jackknife leaves out one by one.
GROUPS: Final = 50

#: Measures and what people call them, by how they are estimated.
DEAL_RATES: Final = {
    "win_rate": ("和牌率", "deals that are won"),
    "draw_rate": ("流局率", "deals with an exhausted wall"),
    "several_winners_rate": ("一炮多響率", "deals with several winners"),
}
WIN_RATES: Final = {
    "self_draw_rate": ("自摸率", "wins by self-draw"),
    "discard_rate": ("點炮率", "wins on a discard"),
    "rob_kong_rate": ("搶槓率", "wins by robbing a kong"),
    "dealer_win_rate": ("莊家和牌率", "wins of the dealer"),
}
TURNS: Final = {
    "turns": ("手數", "turns a deal, all seats together"),
    "turns_won": ("和牌手數", "turns of won deals"),
}
AMOUNTS: Final = {
    "dealer_edge": ("莊家優勢", "dealer's edge a deal"),
    "settlement_size": ("輸贏均值", "mean size of a settlement"),
    "winner_receipt": ("和家所得", "what a winner receives"),
    "discarder_payment": ("點炮所付", "what a discarder pays"),
}
SPREAD: Final = {"settlement_sd": ("輸贏標準差", "spread of a settlement")}
GINIS: Final = {
    "gini": ("基尼係數", "Gini of payouts"),
    "gini_won": ("和牌基尼係數", "Gini of payouts of won deals"),
}
ELEMENT_RATE, ELEMENT_POINTS, ELEMENT_PAYOUT = "element_rate", "element_points", "element_payout"
ELEMENT_MEASURES: Final = (ELEMENT_RATE, ELEMENT_POINTS, ELEMENT_PAYOUT)
MEASURES: Final = {**DEAL_RATES, **WIN_RATES, **TURNS, **AMOUNTS, **SPREAD, **GINIS}

_CLAIMED: Final = tuple(BY.index(name) for name in ("discard", "rob_kong"))
_DISCARD, _ROB = _CLAIMED
_WIN: Final = OUTCOMES.index("win")


def compare(
    runs: "Sequence[RunData | str | os.PathLike[str]]",
    *,
    alpha: float = 0.05,
    simultaneous: bool | Method = False,
) -> "pd.DataFrame":
    """Set runs side by side: rates, turns, dealer's edge, settlements, payouts, elements.

    `mjstats.compare` says at its head what each measure is. The runs may be of different rulesets,
    lengths, seeds and policies; one alone is allowed.

    Parameters
    ----------
    runs : sequence of Run, str or path
        Runs, or the folders of stored ones.
    alpha : float, default 0.05
        Error rate of each interval; of all together if simultaneous.
    simultaneous : bool or {"bonferroni", "sidak"}, default False
        Make all intervals of the table hold together; True is Bonferroni's.

    Returns
    -------
    pandas.DataFrame
        One row a run, measure, element and unit: ``run`` (the ruleset's id; where runs share it,
        with what tells them apart), ``ruleset``, ``policies``, ``measure``, ``element`` (missing
        but for elements), ``name_zh``, ``name_en``, ``unit`` ("rate", "turns", "points", "stakes",
        "sd", "gini", "share"), ``n`` (deals, wins, or settlements of a seat that the measure is
        over), ``estimate``, ``se``, ``ci_low``, ``ci_high``, ``ci_method``.

        Matches are the replication unit. Rates and means have errors by matches as in the other
        tables; what is computed from several sums (spread, multiples of the sd, Gini, shares of
        elements) those of a jackknife that leaves out each of 50 groups of consecutive matches.
        Rows in stakes are missing where the base stake is zero or less, or not known. A share that
        is zero or one for all that was seen has no standard error, and the interval 0 to 1.

        ``attrs``: ``notes`` (sentences a reader must know) and ``origins`` (a line a run:
        what was played).

    Raises
    ------
    ArgumentError
        If there is no run, one has no deals, or something is no run.
    StoreError, TaskMismatchError
        If a folder cannot be read.

    Examples
    --------
    >>> from mjstats.simulate import simulate_data
    >>> table = compare([simulate_data(game, deals=300, seed=1) for game in ("plain", "yancheng")])
    >>> rows = table.query("measure == 'dealer_edge' and unit == 'stakes'")
    >>> rows["run"].tolist()
    ['plain', 'yancheng']
    """
    import pandas as pd

    opened = _opened(runs)
    labels = _labels(opened)
    m = sum(map(_n_rows, opened))
    stakes = [_stake(data) for data in opened]
    parts, notes = [], []
    for label, data, stake in zip(labels, opened, stakes, strict=True):
        sums = _Sums(data)
        family = Family.of(data, sums.clusters, alpha=alpha, m=m, simultaneous=simultaneous)
        own = list(run_notes(data))
        notes += [f"{label}: {note}" for note in own]
        notes += [note for note in family.notes if note not in (*own, *notes)]
        rows = pd.DataFrame(sums.rows(family, stake=stake))
        rows.insert(0, "run", label)
        rows.insert(1, "ruleset", data.origin.task.ruleset["id"])
        rows.insert(2, "policies", policies_text(data))
        parts.append(rows)
    table = pd.concat(parts, ignore_index=True)
    if len(set(table["policies"])) > 1:
        notes.append("the runs differ in policies: differences are not those of the rules alone")
    worth = (f"{label} {stake or 'none'}" for label, stake in zip(labels, stakes, strict=True))
    table.attrs |= {
        "notes": [f"base stake in points: {', '.join(worth)}", *notes],
        "origins": [
            told if label == data.origin.task.ruleset["id"] else f"{label}: {told}"
            for label, data in zip(labels, opened, strict=True)
            for told in [origin_line(data)]
        ],
    }
    return table


def side_by_side(table: "pd.DataFrame") -> "tuple[pd.DataFrame, pd.DataFrame]":
    """Lay a comparison out for readers.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `compare`.

    Returns
    -------
    measures : pandas.DataFrame
        One row a measure and unit: ``measure``, ``name_zh``, ``unit``, and a column a run with the
        estimate and half of its interval; with the whole interval where it is lopsided, and its
        upper end of what was never seen.
    elements : pandas.DataFrame
        One row a run and element: ``run``, ``element``, ``name_zh``, ``name_en``, and the same of
        its three measures, ``rate``, ``points`` and ``payout``; the one with the greatest part of
        what changes hands first.

    Examples
    --------
    >>> from mjstats.simulate import simulate_data
    >>> measures, elements = side_by_side(compare([simulate_data("plain", deals=300, seed=1)]))
    >>> list(measures), elements["element"].tolist()
    (['measure', 'name_zh', 'unit', 'plain'], ['hu', 'zi_mo'])
    """
    import pandas as pd

    said = table.copy()
    said["text"] = pd.Series([_text(row) for row in table.to_dict("records")], said.index, object)
    runs = list(dict.fromkeys(said["run"]))
    keys = ["measure", "name_zh", "unit"]
    general = said[said["element"].isna()]
    measures = general.pivot_table("text", keys, "run", aggfunc="first", sort=False, observed=True)
    keys = ["run", "element", "name_zh", "name_en"]
    own = said[said["element"].notna()]
    names = {name: name.removeprefix("element_") for name in ELEMENT_MEASURES}
    elements = own.pivot_table("text", keys, "measure", aggfunc="first", sort=False, observed=True)
    order = (
        own[own["measure"] == ELEMENT_PAYOUT]
        .assign(place=own["run"].map(runs.index))
        .sort_values(["place", "estimate"], ascending=[True, False], kind="stable")
    )
    elements = elements.reindex(columns=list(names)).rename(columns=names)
    elements = elements.loc[list(map(tuple, order[keys].to_numpy()))]
    return (
        measures.reindex(columns=runs).rename_axis(columns=None).reset_index(),
        elements.rename_axis(columns=None).reset_index(),
    )


def _text(row: Mapping[Hashable, Any]) -> str | None:
    """Say an estimate in the digits that are known."""
    value, low, high = row["estimate"], row["ci_low"], row["ci_high"]
    half = (high - low) / 2
    if math.isnan(value):
        return None
    if row["unit"] == "rate" and not value:
        return f"< {high:.{1 - math.floor(math.log10(high))}f}"
    if math.isnan(row["se"]) or not 0 < half < math.inf:
        return f"{value:.4g}"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    if value < half and low >= 0:
        # As much to both sides would be less than nothing.
        return f"{value:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"
    return f"{value:.{decimals}f} ± {half:.{decimals}f}"


class _Sums:
    """Everything that the measures of one run are computed from, summed chunk by chunk.

    Parameters
    ----------
    data : RunData
        The run.
    """

    def __init__(self, data: RunData) -> None:
        self._names = data.layout.elements
        kinds = {item["id"]: item["kind"] for item in data.origin.task.ruleset["elements"]}
        self._summed = np.array([kinds[item.id] == "element" for item in self._names], dtype=bool)
        self.clusters = clusters_of(data)
        self._n_groups = min(GROUPS, self.clusters.n)
        self._deals = RatioSums(len(DEAL_RATES), n_groups=1)
        self._wins = RatioSums(len(WIN_RATES) + len(self._names), n_groups=1)
        # A group a measure: each is over rows of its own.
        self._means = RatioSums(1, n_groups=len(TURNS) + len(AMOUNTS))
        # By group of matches: squares and rows of settlements, rows and sums of each amount, what
        # changes hands, in deals with each element too, and the points of each.
        self._parts = np.zeros((self._n_groups, 3 + 2 * (len(AMOUNTS) + len(self._names))))
        # How often each amount changes hands, by group, in deals that are not won and that are.
        self._payouts: dict[int, NDArray[np.int64]] = {}
        columns = data.layout.element_columns
        chunks = zip(
            data.chunks(
                "deals",
                columns=["match", "deal", "dealer", "outcome", "by", "winner", "turns", *columns],
            ),
            data.chunks("settlements", columns=["role", "payment"]),
            data.chunks("extra_wins", columns=["deal", "by", "winner", *columns]),
            strict=True,
        )
        for deals, settled, extra in chunks:
            self._add(deals, settled, extra, columns)

    def _add(
        self, deals: Columns, settled: Columns, extra: Columns, columns: Sequence[str]
    ) -> None:
        """Add the deals of one chunk."""
        ids = self.clusters.ids(match=deals["match"], deal=deals["deal"])
        every = np.arange(len(ids))
        won = deals["outcome"] == _WIN
        # The wins: the first of each deal, then the further ones.
        place = np.concatenate([every[won], extra["deal"] - deals["deal"][0]])

        def of_wins(name: str) -> NDArray[Any]:
            return np.concatenate([deals[name][won], extra[name]])

        several = np.bincount(place, minlength=len(ids)) > 1
        self._deals.add(ids, np.zeros_like(ids), np.column_stack([won, ~won, several]))
        by = of_wins("by")
        ways = (~np.isin(by, _CLAIMED), by == _DISCARD, by == _ROB)
        dealers = of_wins("winner") == deals["dealer"][place]
        values = np.column_stack([of_wins(name) for name in columns]).astype(np.int64)
        events = np.column_stack([*ways, dealers, values != 0])
        self._wins.add(ids[place], np.zeros_like(place), events)

        payment = settled["payment"].reshape(-1, 4)
        role = settled["role"].reshape(-1, 4)
        winner, winner_seat = np.nonzero(role == ROLES.index("winner"))
        discarder, discarder_seat = np.nonzero(role == ROLES.index("discarder"))
        amounts = (
            (every, payment[every, deals["dealer"]]),
            (np.repeat(every, 4), np.abs(payment).ravel()),
            (winner, payment[winner, winner_seat]),
            (discarder, -payment[discarder, discarder_seat]),
        )
        means = ((every, deals["turns"]), (every[won], deals["turns"][won]), *amounts)
        rows = np.concatenate([row for row, _ in means])
        number = np.repeat(np.arange(len(means)), [len(row) for row, _ in means])
        self._means.add(ids[rows], number, np.concatenate([x for _, x in means])[:, None])

        group = ids * self._n_groups // self.clusters.n
        payout = np.maximum(payment, 0).sum(axis=1)
        held = np.zeros((len(ids), len(columns)), dtype=bool)
        np.logical_or.at(held, place, values != 0)
        sums = [
            (every, np.full(len(ids), 4)),
            (every, (payment.astype(np.float64) ** 2).sum(axis=1)),
        ]
        for row, amount in amounts:
            sums += [(row, np.ones(len(row))), (row, amount)]
        sums.append((every, payout))
        sums += [(every[had], payout[had]) for had in held.T]
        sums += [(place, points) for points in np.where(self._summed, values, 0).T]
        for column, (row, amount) in enumerate(sums):
            self._parts[:, column] += sum_by(group[row], amount, self._n_groups)
        different, number = np.unique(payout, return_inverse=True)
        cell = (number * self._n_groups + group) * 2 + won
        counts = np.bincount(cell, minlength=len(different) * self._n_groups * 2)
        for value, count in zip(
            different.tolist(), counts.reshape(len(different), -1, 2), strict=True
        ):
            self._payouts[value] = self._payouts.get(value, 0) + count

    def rows(self, family: Family, *, stake: int | None) -> Iterator[dict[str, Any]]:
        """Yield the rows of the run.

        Parameters
        ----------
        family : Family
            Error rate of the intervals.
        stake : int or None
            Base stake.

        Yields
        ------
        dict
            All columns but those of the run.
        """
        g, alpha, suffix = self.clusters.n, family.alpha, family.suffix
        deals, wins = (
            sums.rates(g=g, alpha=alpha, suffix=suffix) for sums in (self._deals, self._wins)
        )
        means, _ = self._means.means(g=g, alpha=alpha, suffix=suffix)
        parts, elements = self._parts, len(self._names)
        summed = parts[:, _ELEMENTS + elements :].sum(axis=0)
        # An element that costs points leaves the shares of points without bounds.
        bounds = (0.0, 1.0) if (summed >= 0).all() else (-math.inf, math.inf)
        settlements = int(parts[:, _SETTLEMENTS].sum())
        every = deals.n[0, 0]
        sd = self._jackknifed(parts, _sd, n=settlements, family=family)
        in_sd = self._jackknifed(
            parts,
            lambda sums: _quotient(sums[:, _SUMS], sums[:, _COUNTS] * _sd(sums)),
            n=means.n[len(TURNS) :, 0],
            family=family,
        )
        points = self._jackknifed(
            parts,
            lambda sums: _shares(sums[:, _ELEMENTS + elements :]),
            n=wins.n[0, 0],
            family=family,
            bounds=bounds,
        )
        payout = self._jackknifed(
            parts,
            lambda sums: _quotient(
                sums[:, _ELEMENTS : _ELEMENTS + elements], sums[:, _PAYOUT, None]
            ),
            n=every,
            family=family,
            bounds=(0.0, 1.0),
        )
        for estimates, names in ((deals, DEAL_RATES), (wins, WIN_RATES)):
            for column, name in enumerate(names):
                yield _row(name, "rate", estimates, (0, column))
        for column, name in enumerate(TURNS):
            yield _row(name, "turns", means, (column, 0))
        scale = 1 / stake if stake else math.nan
        for column, name in enumerate(AMOUNTS):
            at = (len(TURNS) + column, 0)
            yield _row(name, "points", means, at)
            yield _row(name, "stakes", means, at, scale=scale)
            yield _row(name, "sd", in_sd, (column,))
        for name in SPREAD:
            yield _row(name, "points", sd, (0,))
            yield _row(name, "stakes", sd, (0,), scale=scale)
        values = sorted(self._payouts)
        counts = np.stack([self._payouts[value] for value in values])
        for name, some in zip(GINIS, (counts.sum(axis=2), counts[:, :, 1]), strict=True):
            estimate = self._jackknifed(
                some.T,
                lambda sample: gini(values, sample)[:, None],
                n=int(some.sum()),
                family=family,
                bounds=(0.0, 1.0),
            )
            yield _row(name, "gini", estimate, (0,))
        for column, element in enumerate(self._names):
            yield _row(ELEMENT_RATE, "rate", wins, (0, len(WIN_RATES) + column), element=element)
            if self._summed[column]:
                yield _row(ELEMENT_POINTS, "share", points, (column,), element=element)
            yield _row(ELEMENT_PAYOUT, "share", payout, (column,), element=element)

    def _jackknifed(
        self,
        parts: NDArray[Any],
        statistic: Callable[[Floats], Floats],
        *,
        n: ArrayLike,
        family: Family,
        bounds: tuple[float, float] = (-math.inf, math.inf),
    ) -> Mean:
        """Estimate what is computed from several sums; no interval leaves the bounds."""
        value, se = jackknife(parts, statistic)
        g = len(parts)
        mean = mean_of(
            value,
            np.broadcast_to(np.asarray(n), value.shape),
            # The same in every group is chance, not certainty.
            se=np.where(se > 0, se, np.nan),
            g=g,
            alpha=family.alpha,
            suffix=f", jackknife of {g} groups{family.suffix}",
        )
        low, high = np.clip([mean.ci_low, mean.ci_high], *bounds)
        return replace(mean, ci_low=low, ci_high=high)


# Columns of the sums by groups of matches.
_SETTLEMENTS, _SQUARES = 0, 1
_COUNTS, _SUMS = (slice(start, 2 + 2 * len(AMOUNTS), 2) for start in (2, 3))
_PAYOUT = 2 + 2 * len(AMOUNTS)
_ELEMENTS = _PAYOUT + 1


def _quotient(top: Floats, base: Floats) -> Floats:
    """Divide; NaN where the divisor is not positive."""
    top, base = np.broadcast_arrays(top, base)
    out: Floats = np.full(top.shape, np.nan)
    return np.divide(top, base, out=out, where=base > 0)


def _shares(sums: Floats) -> Floats:
    """Divide each row by its sum."""
    return _quotient(sums, sums.sum(axis=1, keepdims=True))


def _sd(sums: Floats) -> Floats:
    """Give the spread of settlements about zero, a column of one."""
    return np.sqrt(_quotient(sums[:, _SQUARES, None], sums[:, _SETTLEMENTS, None]))


def _row(
    measure: str,
    unit: str,
    estimates: Rate | Mean,
    at: tuple[int, ...],
    *,
    scale: float = 1.0,
    element: ElementName | None = None,
) -> dict[str, Any]:
    """Give one row of the table: one estimate of many, in multiples of a unit."""
    value = estimates.p if isinstance(estimates, Rate) else estimates.mean
    names = (element.name_zh, element.name_en) if element else MEASURES[measure]
    return {
        "measure": measure,
        "element": element.id if element else None,
        "name_zh": names[0],
        "name_en": names[1],
        "unit": unit,
        "n": int(estimates.n[at]),
        "estimate": float(value[at]) * scale,
        "se": float(estimates.se[at]) * scale,
        "ci_low": float(estimates.ci_low[at]) * scale,
        "ci_high": float(estimates.ci_high[at]) * scale,
        "ci_method": str(estimates.ci_method[at]),
    }


def _n_rows(data: RunData) -> int:
    """Give the number of rows that a run has in the table."""
    kinds = [item["kind"] for item in data.origin.task.ruleset["elements"]]
    general = len(MEASURES) + 2 * len(AMOUNTS) + len(SPREAD)
    return general + 2 * len(kinds) + kinds.count("element")


def _opened(runs: object) -> list[RunData]:
    """Check the runs, and open those that are folders."""
    if isinstance(runs, str) or not isinstance(runs, Sequence):
        told = f"{type(runs).__name__} is no list"
        raise ArgumentError(f"compare: {told}; allowed is a list of runs or folders of runs")
    if not runs:
        raise ArgumentError("compare: no run; allowed is a list of one or more")
    opened = []
    for place, run in enumerate(runs):
        where = f"compare: runs[{place}]"
        if isinstance(run, str | os.PathLike):
            run = open_data(run)
        if not isinstance(run, RunData):
            kind = type(run).__name__
            raise ArgumentError(f"{where}: {kind} is no run; allowed are runs and folders of runs")
        if run.n_deals < 1:
            raise ArgumentError(f"{where}: a run without deals; allowed are 1 or more")
        opened.append(run)
    return opened


def _labels(runs: Sequence[RunData]) -> list[str]:
    """Name each run by its ruleset, and by what tells it from others of the same."""
    ids = [data.origin.task.ruleset["id"] for data in runs]
    traits = [
        (
            ", ".join(changes_of(data)),
            policies_text(data),
            f"seed {data.origin.task.seed}",
            f"{data.n_deals:,} deals",
        )
        for data in runs
    ]
    labels: list[str] = []
    for name, own in zip(ids, traits, strict=True):
        others = [other for its, other in zip(ids, traits, strict=True) if its == name]
        differ = [trait for trait, *all_ in zip(own, *others, strict=True) if len(set(all_)) > 1]
        told = ", ".join(filter(None, differ))
        labels.append(f"{name} ({told})" if told else name)
    seen: Counter[str] = Counter()
    for place, label in enumerate(labels):
        seen[label] += 1
        if labels.count(label) > 1 or seen[label] > 1:
            labels[place] = f"{label} #{seen[label]}"
    return labels


def _stake(data: RunData) -> int | None:
    """Give the base stake; None where no stake can be a unit."""
    try:
        stake = ruleset_of(data).base_stake
    except TaskMismatchError:
        # A house file that is gone leaves the other units.
        return None
    return stake if stake is not None and stake > 0 else None
