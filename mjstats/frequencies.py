"""Hand frequencies: how often each element, outcome and dealt hand occurs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from mjstats.controls import DealtControls
from mjstats.errors import TaskMismatchError
from mjstats.estimates import Family, clusters_of, rate_columns
from mjstats.exact import expected_cells
from mjstats.run import BY, OUTCOMES, Columns, Layout, RunData
from mjstats.simulate import ruleset_of
from mjstats.stats.clustered import Rate, RatioSums, sum_by
from mjstats.stats.control import ControlSums
from mjstats.stats.intervals import EXACT_BELOW, binomial_z
from mjstats.stats.multiplicity import Method

if TYPE_CHECKING:
    import pandas as pd

    from mjstats.rulesets import Ruleset

#: What a rate is related to: a deal; a win (of several winners, each); a hand of 13 tiles dealt to
#: one who is not the dealer; the dealer's hand of 14.
PER: Final = ("deal", "win", "hand", "dealer_hand")
#: Units of the rates for which control variates are of use; dealt hands have exact values.
CONTROLLED: Final = ("deal", "win")
#: Dealt hands that never occurred are shown from this exact probability on.
SHOWN_FROM: Final = 1e-6
_NAMES: Final = {
    "win": ("和牌", "somebody wins"),
    "exhausted": ("流局", "wall exhausted"),
    "win_by_discard": ("點炮", "win on a discard"),
    "win_by_self_draw": ("自摸", "win by self-draw"),
    "win_by_rob_kong": ("搶槓", "win by robbing a kong"),
    "win_by_kong_draw": ("槓上自摸", "win on a kong replacement"),
    "win_by_flower_draw": ("補花自摸", "win on a flower replacement"),
    "win_by_bao_view": ("看寶胡", "win by viewing the bao"),
    "win_by_dealt": ("天胡", "win with the dealt hand"),
    "dealt_ready": ("起手聽牌", "dealt ready"),
    "dealt_complete": ("起手和牌", "dealt complete"),
}
_SHANTEN: Final = range(9)
_BONUS: Final = range(45)
_WILDS: Final = range(5)
_SPECIAL_KONGS: Final = {
    "xuan_feng": ("旋風槓", "kong of winds"),
    "xi": ("喜槓", "kong of dragons"),
    "yao": ("幺蛋", "kong of ones"),
    "jiu": ("九蛋", "kong of nines"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of the table.

    Parameters
    ----------
    element : str
        Id of an element, or of an outcome or dealt hand.
    name_zh, name_en : str
        Names for people.
    kind : str
        "element" of the ruleset, "outcome" of the deal, "dealt" hand: an element may have the id
        of an outcome.
    always : bool
        False if the row is shown only when it was seen or is possible.
    """

    element: str
    name_zh: str
    name_en: str
    kind: str
    always: bool = True


def _outcome(name: str) -> Cell:
    return Cell(name, *_NAMES[name], "outcome")


def cells(layout: Layout) -> dict[str, tuple[Cell, ...]]:
    """Give the rows of the table, by what they are related to.

    Parameters
    ----------
    layout : Layout
        Columns of the run.

    Returns
    -------
    dict of str to tuple of Cell
        For each of `PER`.
    """
    elements = tuple(Cell(e.id, e.name_zh, e.name_en, "element") for e in layout.elements)
    by = tuple(
        replace(_outcome(f"win_by_{name}"), always=name in {"discard", "self_draw"}) for name in BY
    )
    dealt = (
        *(
            Cell(f"dealt_shanten_{s}", f"起手{s}向聽", f"dealt {s} shanten", "dealt", always=False)
            for s in _SHANTEN
        ),
        *(
            Cell(f"bonus_{b}", f"起手{b}花", f"{b} bonus tiles dealt", "dealt", always=False)
            for b in _BONUS
        ),
        *(cell for what in layout.dealt for cell in _further(what)),
    )
    return {
        "deal": (_outcome("win"), _outcome("exhausted"), *by, *elements),
        "win": (*by, *elements),
        "hand": (Cell("dealt_ready", *_NAMES["dealt_ready"], "dealt"), *dealt),
        "dealer_hand": (Cell("dealt_complete", *_NAMES["dealt_complete"], "dealt"), *dealt),
    }


def _further(what: str) -> tuple[Cell, ...]:
    """Give the rows of what else is told of dealt hands."""
    if what == "wilds":
        return tuple(
            Cell(f"wilds_{n}", f"起手{n}財神", f"{n} wild tiles dealt", "dealt", always=False)
            for n in _WILDS
        )
    return tuple(
        Cell(f"special_kong_{name}", f"起手{zh}", f"dealt a special {en}", "dealt", always=False)
        for name, (zh, en) in _SPECIAL_KONGS.items()
    )


def _held(what: str, numbers: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Give the events of `_further` in each hand."""
    if what == "wilds":
        return np.asarray(numbers == np.array(_WILDS))
    return np.asarray(numbers >> np.arange(len(_SPECIAL_KONGS)) & 1 == 1)


def frequencies(
    data: RunData,
    *,
    alpha: float = 0.05,
    simultaneous: bool | Method = False,
    control: bool = False,
) -> "pd.DataFrame":
    """Rates of all elements, outcomes and dealt hands, with intervals clustered by match.

    Parameters
    ----------
    data : RunData
        The run.
    alpha : float, default 0.05
        Error rate of each interval; of all together if simultaneous.
    simultaneous : bool or {"bonferroni", "sidak"}, default False
        Make all intervals hold together; True is Bonferroni's.
    control : bool, default False
        Estimate the rates per deal and per win with control variates (`mjstats.controls`): the
        deals are weighted so that the dealt hands are distributed as exact counting says. ``k`` and
        ``n`` stay what was counted; ``p`` is no longer their quotient.

    Returns
    -------
    pandas.DataFrame
        One row an element and unit: ``element``, ``name_zh``, ``name_en``, ``per``, the columns of
        a rate, ``exact`` (probability from exact counting, missing where there is none), ``z``
        (simulated minus exact, in standard errors under the exact value) and ``kind``: "outcome" of
        the deal, "element" or "dealt". Kind, element and unit name a row; Suzhou's element ``win``,
        the points of every win, has the id of an outcome.

        Per ``"deal"``: ``win``, ``exhausted``, ``win_by_…``, each element (occurs in at least one
        win of the deal). Per ``"win"``: the same but for the first two, each winner of a deal
        counted. Per ``"hand"`` (13 tiles, seats that do not deal) and per ``"dealer_hand"`` (14
        tiles), bonus tiles replaced: ``dealt_shanten_…``, ``bonus_…``, with wild tiles
        ``wilds_…``, with special kongs ``special_kong_…`` (each held by itself), and for 13 tiles
        ``dealt_ready`` (shanten 0), for 14 ``dealt_complete`` (shanten -1). Elements that never
        occurred are shown with their upper bounds; rarer ways to win and dealt hands only if they
        occurred or have an exact probability of one in a million or more.

        With `control` also ``variance_ratio``: variance of the rate over that of the plain one;
        missing where the plain rate stands, because there are fewer than ten events or non-events,
        too few deals for the controls, or exact values anyway (dealt hands).

    Raises
    ------
    RulesetError, TaskMismatchError
        With `control`, if there are no exact values for the run's ruleset.

    Examples
    --------
    >>> from mjstats.simulate import simulate_data
    >>> table = frequencies(simulate_data("yancheng", deals=500, seed=1))
    >>> men_qing = table.query("element == 'men_qing' and per == 'win'").iloc[0]
    >>> float(men_qing["p"]), bool(men_qing["ci_low"] < 1.0)
    (1.0, True)
    """
    import pandas as pd

    table = cells(data.layout)
    clusters = clusters_of(data)
    sums = {per: RatioSums(len(table[per]), n_groups=1) for per in PER}
    controls = DealtControls.of(data) if control else None
    controlled = {
        per: ControlSums(controls.n, len(table[per])) for per in CONTROLLED if controls is not None
    }
    for deal, parts in _events(data):
        ids = clusters.ids(match=deal["match"], deal=deal["deal"])
        for per, (place, events) in parts.items():
            sums[per].add(ids[place], np.zeros(len(place), dtype=np.int64), events)
        if controls is not None:
            x, whole = controls.values(deal), np.zeros(len(ids), dtype=np.int64)
            for per, both in controlled.items():
                place, events = parts[per]
                tops = np.stack([sum_by(place, event, len(ids)) for event in events.T], axis=1)
                sizes = np.bincount(place, minlength=len(ids))[:, None]
                both.add(ids, whole, x, tops, np.broadcast_to(sizes, tops.shape))
    try:
        exact = exact_values(ruleset_of(data))
    except TaskMismatchError:
        # A house file that is gone leaves the simulated values as they are.
        exact = {}
    shown: list[tuple[str, int]] = []
    for per in PER:
        seen = sums[per].seen()
        shown += [
            (per, i)
            for i, cell in enumerate(table[per])
            if cell.always or seen[i] or exact.get((cell.element, per), 0.0) >= SHOWN_FROM
        ]
    family = Family.of(data, clusters, alpha=alpha, m=len(shown), simultaneous=simultaneous)
    frames = []
    for per in PER:
        rate = sums[per].rates(g=clusters.n, alpha=family.alpha, suffix=family.suffix)
        ratio = np.full(rate.p.shape, np.nan)
        if controls is not None and per in controlled:
            rate, ratio = controls.rates(rate, controlled[per], g=clusters.n, family=family)
        rows = [i for unit, i in shown if unit == per]
        chosen = [table[per][i] for i in rows]
        truth = np.array([exact.get((cell.element, per), np.nan) for cell in chosen])
        frames.append(
            pd.DataFrame(
                {
                    "element": [cell.element for cell in chosen],
                    "name_zh": [cell.name_zh for cell in chosen],
                    "name_en": [cell.name_en for cell in chosen],
                    "per": per,
                    **rate_columns(rate, (0, rows)),
                    "exact": truth,
                    "z": z_score(rate, truth, (0, rows)),
                    "kind": [cell.kind for cell in chosen],
                    **({"variance_ratio": ratio[0, rows]} if control else {}),
                }
            )
        )
    if controls is not None:
        family = family.with_note(controls.note)
    return family.finish(pd.concat(frames, ignore_index=True))


def z_score(
    rate: Rate, exact: NDArray[np.float64], index: Any = slice(None)
) -> NDArray[np.float64]:
    """Distance of simulated rates from exact ones, in standard errors.

    Parameters
    ----------
    rate : Rate
        Simulated.
    exact : ndarray of float64
        Exact probabilities; NaN where there is none.
    index : index expression, optional
        Which of the rates; all by default.

    Returns
    -------
    ndarray of float64
        (p - exact) / sqrt(exact (1 - exact) / effective trials): the error that the exact value
        gives, so that an event that was never seen has a z-score too. Where fewer than ten events
        (or non-events) are expected, the normal deviate of the binomial mid-p value takes its
        place, because counts as small as that are far from normal.
    """
    k, n, n_effective = rate.k[index], rate.n[index], rate.n_effective[index]
    size = np.where(n_effective > 0, n_effective, np.nan)
    z = np.asarray((rate.p[index] - exact) / np.sqrt(exact * (1 - exact) / size))
    rare = n * np.minimum(exact, 1 - exact) < EXACT_BELOW
    z[rare] = binomial_z(k[rare], n[rare], exact[rare])
    return z


def exact_values(ruleset: "Ruleset") -> dict[tuple[str, str], float]:
    """Give the exact probabilities that belong to rows of the table.

    Parameters
    ----------
    ruleset : Ruleset
        The game.

    Returns
    -------
    dict of (str, str) to float
        Probability by element and unit.
    """
    return {(cell.cell, cell.table): float(cell.p) for cell in expected_cells(ruleset)}


def _events(
    data: RunData,
) -> Iterator[tuple[Columns, dict[str, tuple[NDArray[np.int64], NDArray[np.bool_]]]]]:
    """Yield the deals chunk by chunk, and for each of `PER` the deal and the events of each row."""
    elements = data.layout.element_columns
    own = ("match", "deal", "dealer", "outcome", "by")
    told = ("shanten", "bonus", *data.layout.dealt)
    dealt = [f"{what}_{seat}" for what in told for seat in range(4)]
    deals = data.chunks("deals", columns=[*own, *dealt, *elements])
    extra_wins = data.chunks("extra_wins", columns=["match", "deal", "by", *elements])
    seat = np.arange(4)
    for deal, extra in zip(deals, extra_wins, strict=True):
        every = np.arange(len(deal["deal"]))
        first, further = _win_events(deal, elements), _win_events(extra, elements)
        place = extra["deal"] - deal["deal"][0]
        any_win = first.copy()
        np.logical_or.at(any_win, place, further)
        won = deal["outcome"] == OUTCOMES.index("win")
        parts = {
            "deal": (every, np.column_stack([won, ~won, any_win])),
            "win": (np.concatenate([every[won], place]), np.concatenate([first[won], further])),
        }
        held = {what: np.stack([deal[f"{what}_{s}"] for s in seat], axis=1) for what in told}
        dealer = deal["dealer"][:, None] == seat
        for per, whose in (("hand", ~dealer), ("dealer_hand", dealer)):
            steps, flowers, *more = (held[what][whose][:, None] for what in told)
            head = steps == (0 if per == "hand" else -1)
            events = np.hstack(
                [
                    head,
                    steps == np.array(_SHANTEN),
                    flowers == np.array(_BONUS),
                    *map(_held, data.layout.dealt, more),
                ]
            )
            parts[per] = np.nonzero(whose)[0], events
        yield deal, parts


def _win_events(wins: Columns, elements: tuple[str, ...]) -> NDArray[np.bool_]:
    """Give the events of each win: how it came about, each element."""
    by = wins["by"][:, None] == np.arange(len(BY))
    return np.column_stack([by, *(wins[name] != 0 for name in elements)])
