"""Listen-wait odds: what becomes of a ready hand, by its mode, its wait and more."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from mjstats.estimates import (
    Family,
    Groups,
    clusters_of,
    keyed_chunks,
    keys_of,
    rate_columns,
)
from mjstats.run import LISTEN_OUTCOMES, RunData
from mjstats.stats.clustered import RatioSums
from mjstats.stats.multiplicity import Method

if TYPE_CHECKING:
    import pandas as pd

#: Rows of the table in each group: winning in any way, then each outcome.
OUTCOMES: Final = ("won", *LISTEN_OUTCOMES)
_KEYS: Final = (
    "seat",
    "turn",
    "tiles_left",
    "mode",
    "waits",
    "kinds",
    "live_wall",
    "live_visible",
    "wait_class",
)


def listen_odds(
    data: RunData,
    *,
    by: str | Sequence[str] = ("mode", "wait_class"),
    alpha: float = 0.05,
    simultaneous: bool | Method = False,
) -> "pd.DataFrame":
    """Rate of each outcome of a ready state, with intervals clustered by match.

    Parameters
    ----------
    data : RunData
        The run.
    by : str or sequence of str, default ("mode", "wait_class")
        Keys: ``seat``, ``turn``, ``tiles_left``, ``mode``, ``waits``, ``kinds``, ``live_wall``,
        ``live_visible``, ``wait_class``, ``is_dealer``, ``policy`` (of the seat), ``dealer``,
        ``round``, ``deal_in_match`` and the game's counters. None at all gives one group. Where
        tiles are wild these are waits too, so that every wait is of class ``complex``: there
        ``kinds`` or ``live_visible`` tell more.
    alpha : float, default 0.05
        Error rate of each interval; of all together if simultaneous.
    simultaneous : bool or {"bonferroni", "sidak"}, default False
        Make all intervals hold together; True is Bonferroni's.

    Returns
    -------
    pandas.DataFrame
        Seven rows a group that occurs: the keys, ``outcome`` (``won``, which is the sum of the next
        two, won_by_draw, won_by_discard, dealt_in, another_won, exhausted, changed), the columns of
        a rate whose ``n`` are the ready states of the group, and ``mean_turns``, ``se_turns``: mean
        number of turns from the ready state to this outcome.

    Examples
    --------
    >>> from mjstats.simulate import simulate_data
    >>> table = listen_odds(simulate_data("plain", deals=200, seed=1), by="is_dealer")
    >>> table[["is_dealer", "outcome"]].drop_duplicates().shape
    (14, 2)
    >>> bool((table.query("outcome != 'won'").groupby("is_dealer")["p"].sum() > 0.999).all())
    True
    """
    import pandas as pd

    keys = keys_of(data, "listens", by, names=_KEYS)
    clusters = clusters_of(data)
    groups = Groups(keys)
    width = len(OUTCOMES)
    events, turns = RatioSums(width), RatioSums(1)
    names = ("outcome", "turns_to_outcome")
    for rows in keyed_chunks(data, "listens", keys, names=names):
        if not len(rows["deal"]):
            continue
        ids = clusters.ids(match=rows["match"], deal=rows["deal"])
        number = groups.number(rows)
        code = rows["outcome"].astype(np.int64) + 1
        is_outcome = code[:, None] == np.arange(width)
        is_outcome[:, 0] = is_outcome[:, 1] | is_outcome[:, 2]
        events.add(ids, number, is_outcome)
        row, column = np.nonzero(is_outcome)
        turns.add(ids[row], number[row] * width + column, rows["turns_to_outcome"][row][:, None])
    m = len(groups) * width
    family = Family.of(data, clusters, alpha=alpha, m=m, simultaneous=simultaneous)
    rate = events.rates(g=clusters.n, alpha=family.alpha, suffix=family.suffix)
    order = groups.order()
    labels = pd.DataFrame(groups.labels(), index=range(len(order)))
    frame = labels.loc[np.repeat(np.arange(len(order)), width)].reset_index(drop=True)
    frame["outcome"] = pd.Categorical(list(OUTCOMES) * len(order), categories=OUTCOMES)
    for name, values in rate_columns(rate, order).items():
        frame[name] = values.ravel()
    mean, _ = turns.means(g=clusters.n)
    cells = (order[:, None] * width + np.arange(width)).ravel()
    # Groups at the end of the numbering may have no row with a late outcome.
    for name, values in (("mean_turns", mean.mean[:, 0]), ("se_turns", mean.se[:, 0])):
        padded = np.full(len(order) * width, np.nan)
        padded[: len(values)] = values
        frame[name] = padded[cells]
    return family.finish(frame)
