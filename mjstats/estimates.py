"""What the tables of a run share: grouping of rows, columns of estimates, notes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from mjstats.arguments import words
from mjstats.errors import ArgumentError
from mjstats.rulesets.schema import show
from mjstats.run import Column, Columns, Dataset, RunData, shown
from mjstats.stats.clustered import Clusters, Mean, Rate
from mjstats.stats.multiplicity import Method, alpha_each

if TYPE_CHECKING:
    import pandas as pd

#: Columns of the deal that rows of listens and settlements may be grouped by, beside the counters.
DEAL_KEYS: Final = ("dealer", "round", "deal_in_match")


@dataclass(frozen=True, slots=True)
class Family:
    """The error rate of the intervals of one table.

    Parameters
    ----------
    alpha : float
        Error rate of each interval.
    suffix : str
        What the names of methods say besides the method.
    notes : tuple of str
        What a reader of the table must know, a sentence each.
    origin : str
        What was played, on one line.
    """

    alpha: float
    suffix: str
    notes: tuple[str, ...]
    origin: str

    @classmethod
    def of(
        cls, data: RunData, clusters: Clusters, *, alpha: float, m: int, simultaneous: bool | Method
    ) -> "Family":
        """Choose the error rate of each of m intervals.

        Parameters
        ----------
        data : RunData
            The run.
        clusters : Clusters
            What its deals are grouped by.
        alpha : float
            Error rate of each interval, or of all together.
        m : int
            Number of intervals in the table.
        simultaneous : bool or {"bonferroni", "sidak"}
            Whether all hold together with 1 - alpha, and by which method; True is Bonferroni's.

        Returns
        -------
        Family
            Error rate, suffix, notes and origin.
        """
        notes = list(run_notes(data))
        suffix = clusters.suffix
        if simultaneous:
            method: Method = "bonferroni" if simultaneous is True else simultaneous
            alpha = alpha_each(alpha, m=max(m, 1), method=method)
            suffix += f", {method} of {m}"
            notes.append(f"intervals hold simultaneously: {method} over {m} cells")
        return cls(alpha, suffix, tuple(notes), origin_line(data))

    def with_note(self, note: str) -> "Family":
        """Add a sentence that a reader must know."""
        return replace(self, notes=(*self.notes, note))

    def finish(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        """Put the notes and the origin into ``frame.attrs``, which rows chosen from it keep."""
        frame.attrs |= {"notes": list(self.notes), "origin": self.origin}
        return frame


def clusters_of(data: RunData) -> Clusters:
    """Give what the deals of a run are grouped by: matches, or batches if there are too few.

    Parameters
    ----------
    data : RunData
        The run.

    Returns
    -------
    Clusters
        Matches or batches.
    """
    return Clusters.choose(n_matches=data.n_matches, n_deals=data.n_deals)


def origin_line(data: RunData) -> str:
    """Say on one line what was played: ruleset and changes to it, policies, deals, seed.

    Parameters
    ----------
    data : RunData
        The run.

    Returns
    -------
    str
        As it stands in figures.
    """
    task = data.origin.task
    return " · ".join(
        [
            task.ruleset["id"],
            *changes_of(data),
            policies_text(data),
            f"{data.n_deals:,} deals",
            f"seed {task.seed}",
        ]
    )


def changes_of(data: RunData) -> list[str]:
    """Say what was changed in the ruleset of a run, one setting each.

    Parameters
    ----------
    data : RunData
        The run.

    Returns
    -------
    list of str
        Such as ``"multi_ron = true"``.
    """
    return [
        f"{path.removeprefix('options.').removeprefix('elements.')} = {show(value)}"
        for path, value in data.circumstances.ruleset["settings"].items()
    ]


def policies_text(data: RunData) -> str:
    """Say who played a run.

    Parameters
    ----------
    data : RunData
        The run.

    Returns
    -------
    str
        The policies of the seats in their order; one alone if all have the same.
    """
    policies = data.origin.task.policies
    return policies[0] if len(set(policies)) == 1 else ", ".join(policies)


def run_notes(data: RunData) -> Iterator[str]:
    """Yield what a reader of any table of a run must know.

    Parameters
    ----------
    data : RunData
        The run.

    Yields
    ------
    str
        A sentence.
    """
    clusters = clusters_of(data)
    if clusters.batches:
        yield (
            f"{data.n_matches} matches are fewer than 30: standard errors by batch means of "
            f"{clusters.n} batches of consecutive deals"
        )
    stopping = data.origin.stopping
    if stopping is not None:
        reached = "reached" if stopping.reached else "not reached"
        yield (
            f"the number of deals was chosen by the stopping rule {stopping.rule} ({reached}): "
            "estimates are slightly biased"
        )


def rate_columns(rate: Rate, index: Any = slice(None)) -> dict[str, NDArray[Any]]:
    """Give the columns of a rate: k, n, p, se, ci_low, ci_high, ci_method, one_in.

    Parameters
    ----------
    rate : Rate
        Estimates.
    index : index expression, optional
        Which of them; all by default.

    Returns
    -------
    dict of str to ndarray
        ``one_in`` is 1 / p, missing where nothing was seen.
    """
    p = rate.p[index]
    return {
        "k": rate.k[index],
        "n": rate.n[index],
        "p": p,
        "se": rate.se[index],
        "ci_low": rate.ci_low[index],
        "ci_high": rate.ci_high[index],
        "ci_method": rate.ci_method[index].astype(object),
        "one_in": np.divide(1.0, p, out=np.full(p.shape, np.nan), where=p > 0),
    }


def mean_columns(
    mean: Mean, sd: NDArray[np.float64], index: Any = slice(None)
) -> dict[str, NDArray[Any]]:
    """Give the columns of a mean: n, mean, sd, se, ci_low, ci_high, ci_method.

    Parameters
    ----------
    mean : Mean
        Estimates.
    sd : ndarray of float64
        Standard deviations of the observations.
    index : index expression, optional
        Which of them; all by default.

    Returns
    -------
    dict of str to ndarray
        The columns.
    """
    return {
        "n": mean.n[index],
        "mean": mean.mean[index],
        "sd": sd[index],
        "se": mean.se[index],
        "ci_low": mean.ci_low[index],
        "ci_high": mean.ci_high[index],
        "ci_method": mean.ci_method[index].astype(object),
    }


class Groups:
    """Groups of rows by some columns: only those that occur, numbered as they appear.

    Parameters
    ----------
    keys : sequence of Column
        The columns.
    """

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = tuple(keys)
        self._numbers: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        """Give the number of groups."""
        return len(self._numbers)

    def number(self, columns: Columns) -> NDArray[np.int64]:
        """Give each row the number of its group.

        Parameters
        ----------
        columns : dict of str to ndarray
            The key columns of some rows, at least one of them.

        Returns
        -------
        ndarray of int64
            Group of each row.
        """
        arrays = [columns[key.name] for key in self._keys]
        mixed = np.zeros(len(columns["deal"]), dtype=np.int64)
        for values in arrays:
            distinct, place = np.unique(values, return_inverse=True)
            mixed = mixed * len(distinct) + place
        _, first, place = np.unique(mixed, return_index=True, return_inverse=True)
        numbers = [
            self._numbers.setdefault(
                tuple(int(values[row]) for values in arrays), len(self._numbers)
            )
            for row in first
        ]
        return np.array(numbers, dtype=np.int64)[place]

    def order(self) -> NDArray[np.int64]:
        """Give the groups in the order of their keys."""
        return np.array([self._numbers[key] for key in self._sorted()], dtype=np.int64)

    def _sorted(self) -> list[tuple[int, ...]]:
        """Give the keys in their order; who has declared stands before who has not."""
        last = np.iinfo(np.int64).max

        def rank(row: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(
                last if key.name == "mode" and value == 0 else value
                for key, value in zip(self._keys, row, strict=True)
            )

        return sorted(self._numbers, key=rank)

    def find(self, row: Mapping[str, int]) -> int:
        """Give the number of the group that a row with these keys, perhaps others too, is in."""
        return self._numbers[tuple(row[key.name] for key in self._keys)]

    def rows(self) -> list[dict[str, int]]:
        """Give the keys of the groups as numbers or codes, in the order of the groups' numbers."""
        return [
            {key.name: value for key, value in zip(self._keys, row, strict=True)}
            for row in self._numbers
        ]

    def labels(self) -> dict[str, Any]:
        """Give the key columns, one row a group, in the order of their keys."""
        rows = self._sorted()
        return {
            key.name: shown(np.array([row[i] for row in rows], dtype=key.dtype), key)
            for i, key in enumerate(self._keys)
        }


def keys_of(
    data: RunData, dataset: Dataset, by: str | Sequence[str], *, names: Sequence[str]
) -> list[Column]:
    """Find the columns that rows are to be grouped by.

    Parameters
    ----------
    data : RunData
        The run.
    dataset : {"listens", "settlements"}
        Where the rows come from.
    by : str or sequence of str
        Names of the keys.
    names : sequence of str
        Columns of the dataset that may be keys, beside ``is_dealer``, ``policy`` (of the seat),
        those of the deal in `DEAL_KEYS` and the game's counters.

    Returns
    -------
    list of Column
        The keys, in the order given.

    Raises
    ------
    ArgumentError
        If there is no such key, or one stands twice.
    """
    layout = data.layout
    deals = {column.name: column for column in layout.columns("deals")}
    policies = tuple(dict.fromkeys(data.origin.task.policies))
    known = {column.name: column for column in layout.columns(dataset) if column.name in names}
    known["is_dealer"] = Column("is_dealer", "?")
    known["policy"] = Column("policy", "i1", policies)
    known |= {name: deals[name] for name in (*DEAL_KEYS, *layout.counters) if name not in known}
    chosen = words("by", by)
    for name in chosen:
        if name not in known:
            raise ArgumentError(f"by: no key {name!r}: allowed are {', '.join(known)}")
    if len(set(chosen)) < len(chosen):
        raise ArgumentError(f"by={chosen!r}: each key once")
    return [known[name] for name in chosen]


def keyed_chunks(
    data: RunData, dataset: Dataset, keys: Sequence[Column], *, names: Sequence[str]
) -> Iterator[Columns]:
    """Go through a dataset with the keys of each row beside its columns.

    Parameters
    ----------
    data : RunData
        The run.
    dataset : {"listens", "settlements"}
        Which.
    keys : sequence of Column
        As `keys_of` gives them.
    names : sequence of str
        Further columns of the dataset.

    Yields
    ------
    dict of str to ndarray
        Columns and keys of the next 65,536 deals.
    """
    own = {column.name for column in data.layout.columns(dataset)}
    wanted = {key.name for key in keys}
    from_rows = sorted({"match", "deal", "seat", *names, *(wanted & own)})
    from_deal = sorted({"deal", "dealer", *(wanted - own - {"is_dealer", "policy"})})
    policies = list(dict.fromkeys(data.origin.task.policies))
    policy = np.array([policies.index(name) for name in data.origin.task.policies], dtype=np.int8)
    deals = data.chunks("deals", columns=from_deal)
    for rows, deal in zip(data.chunks(dataset, columns=from_rows), deals, strict=True):
        place = rows["deal"] - deal["deal"][0]
        keyed = {name: values[place] for name, values in deal.items()} | rows
        keyed["is_dealer"] = keyed["dealer"] == rows["seat"]
        keyed["policy"] = policy[rows["seat"]]
        yield keyed
