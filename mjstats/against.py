"""What a run was dealt, held cell by cell against exact counting."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mjstats import exact
from mjstats.estimates import origin_line
from mjstats.run import RunData
from mjstats.simulate import ruleset_of
from mjstats.stats.intervals import binomial_z, rate_interval

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from mjstats.rulesets import Ruleset

#: What the heavenly wins of all deals are filed under, beside the seats 0-3.
NO_SEAT: Final = -1
_WAITS: Final[Mapping[str, tuple[exact.WaitKey, ...]]] = {
    "waits": ("kinds", "live"),
    "wait_class": ("wait_class",),
}
#: Elements of a heavenly win that depend on the tiles alone, whatever reading is scored.
_TIAN_HU: Final = {
    "duan_men": "two_suits",
    "qing_yi_se": "one_suit",
    "peng_peng_hu": "all_triplets",
}


def against_exact(data: RunData) -> "pd.DataFrame":
    """Count what was dealt, and set each cell beside its exact probability.

    Deals are independent and each cell counts one seat (in the order from the dealer), so a count
    is binomial under the exact probability, whatever the players do.

    Parameters
    ----------
    data : RunData
        The run.

    Returns
    -------
    pandas.DataFrame
        One row a cell: ``what``, ``seat`` (0 is the dealer; -1: the deal), ``cell``; ``k`` events
        of ``n``, ``p``, ``se``, ``ci_low``, ``ci_high`` (95 %, of this cell alone); ``exact``;
        ``z``, the normal deviate of the binomial mid-p value; ``p_value``, twice the smaller tail,
        at most 1: it never promises more than it keeps.

        By ``what``: ``shanten`` and ``bonus`` (after replacement) of all seats; ``wilds`` and
        ``special_kongs`` (which of the four are held) where the game has them; ``waits``
        (``"kinds, live"``: kinds waited for and live tiles) and ``wait_class`` of the hands of 13
        tiles that were dealt ready (of Changchun and Yiwu the waits that win, without classes);
        ``tian_hu``, where it is played, and its features; ``dealt_win`` of Changchun (if players
        show the special kongs that complete a hand, as greedy ones do) and of Yiwu. What the exact
        values rule out and still occurred is a cell ``impossible``.

    Raises
    ------
    TaskMismatchError
        If the ruleset of the run cannot be made any more.

    Examples
    --------
    >>> import mjstats as mj
    >>> table = against_exact(mj.simulate("plain", deals=1000, seed=1))
    >>> bool(table["p_value"].min() > 0.001 / len(table))
    True
    """
    import pandas as pd
    from scipy import stats

    table = pd.DataFrame(_cells(data), columns=["what", "seat", "cell", "k", "n", "exact"])
    k, n, p = (table[name].to_numpy() for name in ("k", "n", "exact"))
    table["p"] = k / n
    table["se"] = np.sqrt(table["p"] * (1 - table["p"]) / n)
    table["ci_low"], table["ci_high"], _ = rate_interval(k, n)
    table["z"] = binomial_z(k, n, p)
    law = stats.binom(n, p)
    table["p_value"] = np.minimum(1.0, 2 * np.minimum(law.cdf(k), law.sf(k - 1)))
    table.attrs["origin"] = origin_line(data)
    names = ["what", "seat", "cell", "k", "n", "p", "se", "ci_low", "ci_high"]
    return table[[*names, "exact", "z", "p_value"]]


_Cell = tuple[str, int, str, int, int, float]


def _cells(data: RunData) -> Iterator[_Cell]:
    """Yield what, seat, cell, events, trials and exact probability."""
    rules = ruleset_of(data)
    seats = range(4)
    told = ("shanten", "bonus", *data.layout.dealt)
    columns = ["deal", "dealer", *(f"{what}_{s}" for what in told for s in seats)]
    dealt = data.frame("deals", columns=columns)
    # Before the first discard a seat sees no tile but its own.
    listens = data.frame(
        "listens", columns=["deal", "seat", "turn", "kinds", "live_visible", "wait_class"]
    )
    listens = listens[listens["turn"] == 0].rename(columns={"live_visible": "live"})
    dealer = dealt["dealer"].to_numpy()
    order = (listens["seat"].to_numpy() - dealer[listens["deal"].to_numpy()]) % 4
    bonus = exact.bonus(rules).query("stage == 'replaced'")
    asked = _asked(rules)
    waits = {what: exact.waits(rules, by=keys, waits="legal") for what, keys in asked.items()}
    for seat in seats:
        seen = _turned(dealt, dealer, seat, told)
        n: Literal[13, 14] = 13 if seat else 14
        hands = exact.shanten(rules, tiles=n)
        yield from _beside("shanten", seat, hands, ["shanten"], seen)
        if rules.bonus:
            yield from _beside("bonus", seat, bonus[bonus["order"] == seat], ["bonus"], seen)
        if "wilds" in told:
            yield from _beside("wilds", seat, exact.wilds(rules, tiles=n), ["wilds"], seen)
        if "special_kongs" in told:
            kongs = exact.special_kongs(rules, tiles=n)
            names = tuple(exact.SPECIAL_KONGS)
            yield from _beside("special_kongs", seat, kongs, names, _parted(seen, names))
        if seat and (order == seat).any():
            for what, keys in asked.items():
                yield from _beside(what, seat, waits[what], keys, listens[order == seat])
    if "el_tian_hu" in data.layout.element_columns:
        yield from _heavenly(data)
    yield from _dealt_wins(data)


def _asked(rules: "Ruleset") -> Mapping[str, tuple[exact.WaitKey, ...]]:
    """Choose what to count of hands dealt ready."""
    if rules.options.get("special_kong_time") == "after_deal":
        # The waits of a run are those after the special kongs.
        return {}
    if rules.module in exact.ASK_MORE:
        return {"waits": _WAITS["waits"]}
    return _WAITS


def _turned(
    dealt: "pd.DataFrame", dealer: "NDArray[np.integer]", seat: int, told: Sequence[str]
) -> "pd.DataFrame":
    """Give what is told of the dealt hand of the seat so many after the dealer."""
    import pandas as pd

    at = (np.arange(len(dealt)), (dealer.astype(np.int64) + seat) % 4)
    return pd.DataFrame(
        {what: np.stack([dealt[f"{what}_{s}"] for s in range(4)], axis=1)[at] for what in told}
    )


def _parted(seen: "pd.DataFrame", names: Sequence[str]) -> "pd.DataFrame":
    """Give a column to each of the special kongs."""
    import pandas as pd

    held = seen["special_kongs"].to_numpy()
    return pd.DataFrame({name: held >> bit & 1 == 1 for bit, name in enumerate(names)})


def _beside(
    what: str, seat: int, table: "pd.DataFrame", keys: Sequence[str], seen: "pd.DataFrame"
) -> Iterator[_Cell]:
    """Yield a cell for each row of an exact table, and one for what it says cannot happen."""
    found = seen.groupby(list(keys), observed=True).size().to_dict()
    left = len(seen)
    for row in table[table["count"] > 0].to_dict("records"):
        key = tuple(row[name] for name in keys)
        k = int(found.get(key if len(keys) > 1 else key[0], 0))
        left -= k
        if row["p"] < 1:
            yield what, seat, ", ".join(map(str, key)), k, len(seen), row["p"]
    if left:
        yield what, seat, "impossible", left, len(seen), 0.0


def _heavenly(data: RunData) -> Iterator[_Cell]:
    """Yield the heavenly wins, and those of their elements that have exact values."""
    rules = ruleset_of(data)
    table = exact.features(rules).set_index("feature")
    asked = {e: f for e, f in _TIAN_HU.items() if table["element"][f] == e}
    names = [f"el_{name}" for name in ("tian_hu", *asked)]
    elements = data.frame("deals", columns=names)
    wins = elements[elements["el_tian_hu"] > 0]
    (complete,) = exact.complete(rules)["p"]
    yield "tian_hu", NO_SEAT, "tian_hu", len(wins), len(elements), complete
    if len(wins):
        for element, feature in asked.items():
            k = int((wins[f"el_{element}"] > 0).sum())
            yield "tian_hu", NO_SEAT, element, k, len(wins), table["p"][feature]


def _dealt_wins(data: RunData) -> Iterator[_Cell]:
    """Yield the wins with the dealt hand of games that ask more than a complete one."""
    rules = ruleset_of(data)
    if rules.module not in exact.ASK_MORE or rules.options.get("one_bamboo_wild"):
        return
    table = exact.dealt_win(rules)
    deals = data.frame("deals", columns=["by", *data.layout.element_columns])
    won = deals[deals["by"] == "dealt"]
    if rules.module == "yiwu":
        for element, p in zip(table["win"], table["p"], strict=True):
            k = int((won[f"el_{element}"] > 0).sum())
            yield "dealt_win", NO_SEAT, element, k, len(deals), p
    else:
        yield "dealt_win", NO_SEAT, "any", len(won), len(deals), table["p"].sum()
