"""What control variates are worth in a run, row by row."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mjstats.arguments import words
from mjstats.frequencies import frequencies
from mjstats.run import RunData
from mjstats.settlements import expected_settlements

if TYPE_CHECKING:
    import pandas as pd


def control_gains(data: RunData, *, by: str | Sequence[str] = "is_dealer") -> "pd.DataFrame":
    """Set the controlled estimates of a run beside the plain ones.

    Parameters
    ----------
    data : RunData
        The run.
    by : str or sequence of str, default "is_dealer"
        Keys of the expected settlements.

    Returns
    -------
    pandas.DataFrame
        One row a cell that is controlled: ``table`` ("settlements" or "frequencies"), ``cell``
        (``is_dealer=True``, or element and unit), ``mean_plain`` and ``se_plain``, ``mean`` and
        ``se`` with controls (of a rate: the rate), ``variance_ratio``, and ``worth``: 1 /
        variance_ratio, how many times as many deals the plain estimate would take for the same
        standard error.

    Raises
    ------
    ArgumentError
        If there is no such key.
    RulesetError, TaskMismatchError
        If there are no exact values for the run's ruleset.

    Examples
    --------
    >>> from mjstats.results import simulate
    >>> gains = control_gains(simulate("yancheng", deals=3000, seed=1))
    >>> bool((gains.loc[gains["cell"] == "is_dealer=True", "worth"] > 1).all())
    True
    """
    import pandas as pd

    keys = words("by", by)
    settled = [expected_settlements(data, by=by, control=control) for control in (False, True)]
    rates = [frequencies(data, control=control) for control in (False, True)]
    groups = [
        ", ".join(f"{key}={row[key]}" for key in keys) or "everybody"
        for row in settled[0].to_dict("records")
    ]
    cells = rates[0]["element"] + " per " + rates[0]["per"]
    # An element may have the id of an outcome.
    cells = cells.where(~cells.duplicated(keep=False), cells + " (" + rates[0]["kind"] + ")")
    parts = (
        _beside("settlements", groups, *settled, value="mean"),
        _beside("frequencies", cells, *rates, value="p"),
    )
    result = pd.concat(parts).dropna(subset="variance_ratio").reset_index(drop=True)
    result.attrs["notes"] = rates[1].attrs["notes"]
    return result


def _beside(
    table: str,
    cells: "Sequence[str] | pd.Series",
    plain: "pd.DataFrame",
    controlled: "pd.DataFrame",
    *,
    value: str,
) -> "pd.DataFrame":
    """Set the estimates of two tables of the same rows side by side."""
    import pandas as pd

    return pd.DataFrame(
        {
            "table": table,
            "cell": cells,
            "mean_plain": plain[value],
            "se_plain": plain["se"],
            "mean": controlled[value],
            "se": controlled["se"],
            "variance_ratio": controlled["variance_ratio"],
            "worth": 1 / controlled["variance_ratio"],
        }
    )
