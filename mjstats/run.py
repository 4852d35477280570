"""Data of a run: its columns, chunk by chunk, in memory or on disk, and where they come from.

A run has four datasets. Columns that name something (outcomes, modes, roles, wait classes, waits)
are categoricals in the frames and dictionary-encoded strings in the files; inside, they are codes.
A seat that does not exist (no winner, no discarder) is -1.

============= ====================================================================================
deals         one row a deal: ``match`` int32, ``deal`` int64 (index in the run), ``deal_in_match``
              int32, ``dealer`` int8, ``round`` int16, ``outcome``, ``by`` (missing when exhausted),
              ``winner`` int8 (of several, the nearest to the discarder), ``discarder`` int8,
              ``n_winners`` int8, ``turns`` int16, ``tiles_left`` int16, ``base_total`` int64,
              ``multiplier`` int64 (both of that winner), ``pay_0`` … ``pay_3`` int64 (of the whole
              deal), ``shanten_0`` … ``shanten_3`` int8, ``bonus_0`` … ``bonus_3`` int8 (as dealt,
              bonus tiles replaced), with wild tiles ``wilds_0`` … ``wilds_3`` int8 (dealt), with
              special kongs ``special_kongs_0`` … ``special_kongs_3`` int8 (held as dealt, each by
              itself: the sum of 1 xuan_feng, 2 xi, 4 yao, 8 jiu), the game's counters before the
              deal int64, ``el_<id>`` int32 for each element (its value, a factor's factor, 0 when
              absent; of that winner)
listens       one row each time a seat becomes ready: ``match`` int32, ``deal`` int64, ``seat``
              int8, ``turn`` int16, ``tiles_left`` int16, ``mode``, ``waits`` (a hand string),
              ``kinds`` int8, ``live_wall`` int16, ``live_visible`` int16, ``wait_class``,
              ``outcome``, ``turns_to_outcome`` int16
settlements   one row a deal and seat: ``match`` int32, ``deal`` int64, ``seat`` int8, ``is_dealer``
              bool, ``role`` (winner; discarder: of the tile that was won on; payer: pays without
              having discarded; none), ``payment`` int64
extra_wins    the second and third winner of one tile: ``match`` int32, ``deal`` int64, ``winner``
              int8, ``by``, ``base_total`` int64, ``multiplier`` int64, ``pay_0`` … ``pay_3`` int64
              (of this win alone), ``el_<id>`` int32
============= ====================================================================================
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypedDict, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from mjstats import _core
from mjstats.arguments import path as checked_path
from mjstats.errors import ArgumentError, StoreError, TaskMismatchError
from mjstats.policies import policies_by_seat
from mjstats.tiles import N_KINDS, format_tiles

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

Dataset = Literal["deals", "listens", "settlements", "extra_wins"]
DATASETS: Final[tuple[Dataset, ...]] = get_args(Dataset)
Columns = dict[str, NDArray[Any]]
#: The datasets of one stretch of deals. The settlements follow from the rest.
Chunk = dict[Dataset, Columns]

#: Version of the files; moves when a column changes its name, type or meaning.
SCHEMA_VERSION: Final = 1
#: Deals in a chunk, which is a row group of the files.
CHUNK_DEALS: Final = 65_536

OUTCOMES: Final = ("exhausted", "win")
BY: Final = _core.BY_NAMES
LISTEN_OUTCOMES: Final = _core.LISTEN_OUTCOMES
WAIT_CLASSES: Final = ("closed", "edge", "pair", "two_sided", "two_pair", "complex")
ROLES: Final = ("none", "payer", "discarder", "winner")

#: Where a data file says what it is, and the file of the circumstances beside it.
METADATA_KEY: Final = b"mjstats"
RUN_FILE: Final = "run.json"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a dataset.

    Parameters
    ----------
    name : str
        Name.
    dtype : str
        numpy type of the numbers or codes.
    categories : tuple of str, optional
        What the codes 0, 1, … stand for; -1 is missing.
    is_waits : bool
        True for bit masks over tile kinds that are shown as hand strings.
    """

    name: str
    dtype: str
    categories: tuple[str, ...] | None = None
    is_waits: bool = False


class ElementName(msgspec.Struct, frozen=True):
    """An element and what people call it.

    Parameters
    ----------
    id, name_zh, name_en : str
        Id, Chinese name, English name.
    """

    id: str
    name_zh: str
    name_en: str


class Layout(msgspec.Struct, frozen=True):
    """What the ruleset decides about the columns.

    Parameters
    ----------
    counters : tuple of str
        Names of the counters that the game carries from deal to deal.
    modes : tuple of str
        Ways to be ready, first ``"none"``.
    elements : tuple of ElementName
        The elements, factors included, in the ruleset's order.
    dealt : tuple of str
        What else is told of the hands as dealt, a column a seat: ``"wilds"``, ``"special_kongs"``.
    """

    counters: tuple[str, ...]
    modes: tuple[str, ...]
    elements: tuple[ElementName, ...]
    dealt: tuple[str, ...] = ()

    @property
    def element_columns(self) -> tuple[str, ...]:
        """Names of the columns ``el_<id>``."""
        return tuple(f"el_{element.id}" for element in self.elements)

    def columns(self, dataset: Dataset) -> tuple[Column, ...]:
        """Give the columns of a dataset, in order.

        Parameters
        ----------
        dataset : {"deals", "listens", "settlements", "extra_wins"}
            Which.

        Returns
        -------
        tuple of Column
            Names, types and categories.

        Raises
        ------
        ArgumentError
            If there is no such dataset.
        """
        place = (Column("match", "i4"), Column("deal", "i8"))
        pays = tuple(Column(f"pay_{seat}", "i8") for seat in range(4))
        elements = tuple(Column(name, "i4") for name in self.element_columns)
        worth = (Column("base_total", "i8"), Column("multiplier", "i8"), *pays)
        match dataset:
            case "deals":
                return (
                    *place,
                    Column("deal_in_match", "i4"),
                    Column("dealer", "i1"),
                    Column("round", "i2"),
                    Column("outcome", "i1", OUTCOMES),
                    Column("by", "i1", BY),
                    Column("winner", "i1"),
                    Column("discarder", "i1"),
                    Column("n_winners", "i1"),
                    Column("turns", "i2"),
                    Column("tiles_left", "i2"),
                    *worth,
                    *(
                        Column(f"{what}_{seat}", "i1")
                        for what in ("shanten", "bonus", *self.dealt)
                        for seat in range(4)
                    ),
                    *(Column(name, "i8") for name in self.counters),
                    *elements,
                )
            case "listens":
                return (
                    *place,
                    Column("seat", "i1"),
                    Column("turn", "i2"),
                    Column("tiles_left", "i2"),
                    Column("mode", "i1", self.modes),
                    Column("waits", "u8", is_waits=True),
                    Column("kinds", "i1"),
                    Column("live_wall", "i2"),
                    Column("live_visible", "i2"),
                    Column("wait_class", "i1", WAIT_CLASSES),
                    Column("outcome", "i1", LISTEN_OUTCOMES),
                    Column("turns_to_outcome", "i2"),
                )
            case "settlements":
                return (
                    *place,
                    Column("seat", "i1"),
                    Column("is_dealer", "?"),
                    Column("role", "i1", ROLES),
                    Column("payment", "i8"),
                )
            case "extra_wins":
                return (*place, Column("winner", "i1"), Column("by", "i1", BY), *worth, *elements)
            case _:
                raise ArgumentError(f"no dataset {dataset!r}: allowed are {', '.join(DATASETS)}")


class Task(msgspec.Struct, frozen=True):
    """What defines the deals of a run; two runs of one task differ in length only.

    Parameters
    ----------
    ruleset : dict
        The resolved ruleset: its id, its digest and all that is played.
    policies : tuple of str
        Policy of each seat.
    seed : int
        Seed.
    sim_version : int
        Version of the simulator's behaviour.
    """

    ruleset: dict[str, Any]
    policies: tuple[str, ...]
    seed: int
    sim_version: int

    def text(self) -> bytes:
        """Give the canonical JSON, which identifies the task."""
        return msgspec.json.encode(self, order="deterministic")

    def id(self) -> str:
        """Give the SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.text()).hexdigest()

    def require_same(self, other: "Task", *, where: str) -> None:
        """Refuse to put data of different tasks together.

        Parameters
        ----------
        other : Task
            Task of the other data.
        where : str
            Which data they are, for the message.

        Raises
        ------
        TaskMismatchError
            If the tasks differ; the message names what differs and the likely cause.
        """
        if self.text() == other.text():
            return
        for name, cause in (
            ("sim_version", "they were written by different versions of the simulator"),
            ("seed", "they come from different runs"),
            ("policies", "they come from different runs"),
        ):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise TaskMismatchError(
                    f"{where}: {name} {mine!r} here, {theirs!r} there; probably {cause}"
                )
        key, mine, theirs = next(_differences(self.ruleset, other.ruleset))
        raise TaskMismatchError(
            f"{where}: ruleset {key} {mine!r} here, {theirs!r} there; probably the ruleset's file "
            "or the changes to it are not the same any more"
        )


def _differences(a: object, b: object, key: str = "") -> Iterator[tuple[str, object, object]]:
    """Yield the dotted keys at which two nested mappings differ, with both values."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in sorted({*a, *b}):
            inner = f"{key}.{name}" if key else str(name)
            yield from _differences(a.get(name), b.get(name), inner)
    elif a != b:
        yield key, a, b


class Stopping(msgspec.Struct, frozen=True):
    """How the number of deals came about when a stopping rule chose it.

    Parameters
    ----------
    rule : str
        The rule as text, ``"rel_err:<element>:<target>"``.
    reached : bool
        False when the largest number of deals came first.
    """

    rule: str
    reached: bool


class Origin(msgspec.Struct, frozen=True):
    """What a data file says about itself: all that defines it, and nothing else.

    Parameters
    ----------
    schema_version : int
        Version of the files.
    task : Task
        Task.
    task_id : str
        SHA-256 of the task.
    layout : Layout
        What the ruleset decides about the columns.
    deals : int
        Length of the run.
    stopping : Stopping, optional
        How the length came about, if by a stopping rule.
    """

    schema_version: int
    task: Task
    task_id: str
    layout: Layout
    deals: int
    stopping: Stopping | None = None


class Recipe(TypedDict):
    """How to make a ruleset anew: an id or a path, and the settings upon it."""

    base: str
    settings: dict[str, Any]


class Circumstances(msgspec.Struct, frozen=True):
    """When, where and with what a run was made: written to ``run.json``, beside the data.

    Parameters
    ----------
    task_id : str
        SHA-256 of the task.
    created : str
        Date and time, ISO 8601.
    host : str
        Name of the machine.
    workers : int
        Number of threads.
    elapsed_s : float
        Seconds that the last part took.
    software : dict
        Versions of mjstats, Python, numpy.
    ruleset : Recipe
        How to make the ruleset anew: ``base`` (an id or a path) and ``settings``.
    """

    task_id: str
    created: str
    host: str
    workers: int
    elapsed_s: float
    software: dict[str, str]
    ruleset: Recipe


class Store(Protocol):
    """Where the chunks of a run are kept."""

    def __len__(self) -> int:
        """Give the number of chunks."""

    def rows(self, dataset: Dataset) -> int:
        """Give the number of rows of a dataset."""

    def read(self, index: int, dataset: Dataset, names: Sequence[str]) -> Columns:
        """Read columns of one chunk: numbers and codes."""


class MemoryStore:
    """Chunks in memory, each column in the narrowest type that holds its numbers.

    Parameters
    ----------
    layout : Layout
        What the ruleset decides about the columns.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._chunks: list[Chunk] = []

    def append(self, chunk: Chunk) -> None:
        """Take the next chunk.

        Parameters
        ----------
        chunk : Chunk
            Columns in any type.
        """
        self._chunks.append(
            {
                dataset: {name: _narrow(values) for name, values in columns.items()}
                for dataset, columns in chunk.items()
            }
        )

    def __len__(self) -> int:
        """Give the number of chunks."""
        return len(self._chunks)

    def rows(self, dataset: Dataset) -> int:
        """Give the number of rows of a dataset."""
        return sum(len(chunk[dataset]["deal"]) for chunk in self._chunks)

    def read(self, index: int, dataset: Dataset, names: Sequence[str]) -> Columns:
        """Read columns of one chunk: numbers and codes."""
        columns = self._chunks[index][dataset]
        types = {column.name: column.dtype for column in self._layout.columns(dataset)}
        return {name: columns[name].astype(types[name]) for name in names}


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Give whole numbers in the narrowest signed type that holds them; bit masks as they are."""
    if values.dtype.kind != "i" or not len(values):
        return values
    low, high = int(values.min()), int(values.max())
    for narrow in (np.int8, np.int16, np.int32):
        limits = np.iinfo(narrow)
        if limits.min <= low and high <= limits.max:
            return values.astype(narrow)
    return values


class FileStore:
    """Chunks in the Parquet files of a folder; a chunk is a row group.

    Parameters
    ----------
    files : mapping of dataset to pyarrow.parquet.ParquetFile
        Open files.
    layout : Layout
        What the ruleset decides about the columns.
    """

    def __init__(self, files: "Mapping[Dataset, pq.ParquetFile]", layout: Layout) -> None:
        self._files = files
        self._layout = layout

    def __len__(self) -> int:
        """Give the number of chunks."""
        return int(self._files["deals"].num_row_groups)

    def rows(self, dataset: Dataset) -> int:
        """Give the number of rows of a dataset."""
        return int(self._files[dataset].metadata.num_rows)

    def read(self, index: int, dataset: Dataset, names: Sequence[str]) -> Columns:
        """Read columns of one chunk: numbers and codes."""
        import pyarrow as pa

        columns = {column.name: column for column in self._layout.columns(dataset)}
        try:
            table = self._files[dataset].read_row_group(index, columns=list(names))
            return {name: _decode(table.column(name), columns[name]) for name in names}
        except (OSError, pa.ArrowException, LookupError, ValueError) as error:
            raise StoreError(f"{dataset}.parquet is damaged: {_first_line(error)}") from error


@dataclass(frozen=True, eq=False)
class RunData:
    """Datasets and provenance of a run.

    Parameters
    ----------
    origin : Origin
        What defines the data.
    circumstances : Circumstances
        When, where and with what the run was made.
    store : Store
        The chunks.
    path : Path, optional
        Folder of the files; None for a run in memory.
    """

    origin: Origin
    circumstances: Circumstances
    store: Store
    path: Path | None = None

    def __repr__(self) -> str:
        """Say what it is, shortly."""
        task = self.origin.task
        where = "" if self.path is None else f", {str(self.path)!r}"
        return (
            f"<{type(self).__name__} {task.ruleset['id']}: {self.n_deals:,} deals, "
            f"{self.n_matches:,} matches, seed {task.seed}, "
            f"{policies_by_seat(task.policies)}{where}>"
        )

    @property
    def layout(self) -> Layout:
        """What the ruleset decides about the columns."""
        return self.origin.layout

    @property
    def n_deals(self) -> int:
        """Number of deals."""
        return self.origin.deals

    @cached_property
    def n_matches(self) -> int:
        """Number of matches, a last one that is cut included."""
        last = self.store.read(len(self.store) - 1, "deals", ["match"])["match"]
        return int(last[-1]) + 1

    @property
    def provenance(self) -> dict[str, Any]:
        """All that is known about where the data come from, as plain objects."""
        result: dict[str, Any] = msgspec.to_builtins(self.origin)
        result["circumstances"] = msgspec.to_builtins(self.circumstances)
        return result

    def chunks(
        self, dataset: Dataset, *, columns: Sequence[str] | None = None
    ) -> Iterator[Columns]:
        """Go through a dataset chunk by chunk, without building a frame.

        Parameters
        ----------
        dataset : {"deals", "listens", "settlements", "extra_wins"}
            Which.
        columns : sequence of str, optional
            Names of the columns; all by default.

        Yields
        ------
        dict of str to ndarray
            Columns of the next 65,536 deals. Categories are codes (-1: missing), waits bit masks
            over tile kinds.

        Raises
        ------
        ArgumentError
            If a column does not exist.
        """
        known = [column.name for column in self.layout.columns(dataset)]
        names = known if columns is None else list(columns)
        for name in names:
            if name not in known:
                raise ArgumentError(
                    f"{dataset} has no column {name!r}: allowed are {', '.join(known)}"
                )
        for index in range(len(self.store)):
            if dataset == "settlements":
                settled = settlements(
                    self.store.read(index, "deals", SETTLEMENT_SOURCES),
                    self.store.read(index, "extra_wins", ["deal", "winner"]),
                )
                yield {name: settled[name] for name in names}
            else:
                yield self.store.read(index, dataset, names)

    def frame(self, dataset: Dataset, *, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Build the DataFrame of a dataset.

        Parameters
        ----------
        dataset : {"deals", "listens", "settlements", "extra_wins"}
            Which.
        columns : sequence of str, optional
            Names of the columns; all by default.

        Returns
        -------
        pandas.DataFrame
            Columns as described at the head of this module.
        """
        import pandas as pd

        kinds = {column.name: column for column in self.layout.columns(dataset)}
        names = list(kinds) if columns is None else list(columns)
        base: Dataset = "deals" if dataset == "settlements" else dataset
        n = self.store.rows(base) * (4 if dataset == "settlements" else 1)
        arrays = {name: np.empty(n, dtype=kinds[name].dtype) for name in names if name in kinds}
        start = 0
        for chunk in self.chunks(dataset, columns=names) if names else ():
            stop = start + len(chunk[names[0]])
            for name in names:
                arrays[name][start:stop] = chunk[name]
            start = stop
        visible = {name: shown(arrays[name], kinds[name]) for name in names}
        return pd.DataFrame(visible, copy=False)

    @cached_property
    def deals(self) -> "pd.DataFrame":
        """One row a deal; read on first use."""
        return self.frame("deals")

    @cached_property
    def listens(self) -> "pd.DataFrame":
        """One row each time a seat becomes ready; read on first use."""
        return self.frame("listens")

    @cached_property
    def settlements(self) -> "pd.DataFrame":
        """One row a deal and seat; built on first use."""
        return self.frame("settlements")

    @cached_property
    def wins(self) -> "pd.DataFrame":
        """One row a win: where several seats win on one tile, one for each; built on first use."""
        import pandas as pd

        shared = (
            "match",
            "deal",
            "winner",
            "by",
            "base_total",
            "multiplier",
            *self.layout.element_columns,
        )
        first = self.frame("deals", columns=[*shared, "outcome"])
        first = first[first["outcome"] == "win"].drop(columns="outcome")
        extra = self.frame("extra_wins", columns=shared)
        return pd.concat([first, extra]).sort_values("deal", kind="stable", ignore_index=True)


SETTLEMENT_SOURCES: Final = (
    "match",
    "deal",
    "dealer",
    "outcome",
    "winner",
    "discarder",
    "pay_0",
    "pay_1",
    "pay_2",
    "pay_3",
)


def settlements(deals: Columns, extra_wins: Columns) -> Columns:
    """Give the settlements of deals: one row a deal and seat.

    Parameters
    ----------
    deals : dict of str to ndarray
        Columns `SETTLEMENT_SOURCES` of consecutive deals.
    extra_wins : dict of str to ndarray
        Columns ``deal`` and ``winner`` of the further winners in these deals.

    Returns
    -------
    dict of str to ndarray
        Columns of the dataset ``settlements``.
    """
    n = len(deals["deal"])
    seat = np.arange(4, dtype=np.int8)
    payment = np.stack([deals[f"pay_{s}"] for s in range(4)], axis=1)
    won = deals["outcome"] == OUTCOMES.index("win")
    role = np.where(won[:, None] & (payment < 0), ROLES.index("payer"), ROLES.index("none"))
    role = role.astype(np.int8)
    role[deals["discarder"][:, None] == seat] = ROLES.index("discarder")
    role[deals["winner"][:, None] == seat] = ROLES.index("winner")
    if len(extra_wins["deal"]):
        role[extra_wins["deal"] - deals["deal"][0], extra_wins["winner"]] = ROLES.index("winner")
    return {
        "match": np.repeat(deals["match"], 4),
        "deal": np.repeat(deals["deal"], 4),
        "seat": np.tile(seat, n),
        "is_dealer": (deals["dealer"][:, None] == seat).ravel(),
        "role": role.ravel(),
        "payment": payment.ravel(),
    }


@cache
def waits_text(mask: int) -> str:
    """Write a set of tile kinds as a hand string.

    Parameters
    ----------
    mask : int
        Bit k set: kind k is in the set.

    Returns
    -------
    str
        For example ``"25m"``; empty for no kind.

    Examples
    --------
    >>> waits_text(0b10010)
    '25m'
    """
    return format_tiles(kind for kind in range(N_KINDS) if mask >> kind & 1)


@cache
def _waits_mask(text: str) -> int:
    """Read a set of tile kinds back: the inverse of `waits_text`."""
    from mjstats.tiles import parse_tiles

    return sum(1 << kind for kind in parse_tiles(text)) if text else 0


def shown(values: NDArray[Any], column: Column) -> "pd.Categorical | NDArray[Any]":
    """Turn codes and masks into categoricals; leave numbers alone.

    Parameters
    ----------
    values : ndarray
        Numbers, codes or masks.
    column : Column
        What they are.

    Returns
    -------
    pandas.Categorical or ndarray
        As the frames show it.
    """
    import pandas as pd

    if column.is_waits:
        masks, codes = np.unique(values, return_inverse=True)
        texts = [waits_text(int(mask)) for mask in masks]
        return pd.Categorical.from_codes(codes, categories=pd.Index(texts, dtype="str"))
    if column.categories is not None:
        return pd.Categorical.from_codes(
            values, categories=pd.Index(column.categories, dtype="str")
        )
    return values


def encode(columns: Columns, kinds: Iterable[Column]) -> "pa.Table":
    """Turn columns into an Arrow table as the files hold it.

    Parameters
    ----------
    columns : dict of str to ndarray
        Numbers, codes and masks.
    kinds : iterable of Column
        Their names, types and categories.

    Returns
    -------
    pyarrow.Table
        Enumerations and waits as dictionary-encoded strings.
    """
    import pyarrow as pa

    arrays: dict[str, Any] = {}
    for column in kinds:
        values = columns[column.name]
        if column.is_waits:
            masks, codes = np.unique(values, return_inverse=True)
            texts = pa.array([waits_text(int(mask)) for mask in masks], pa.string())
            arrays[column.name] = pa.DictionaryArray.from_arrays(codes.astype(np.int32), texts)
        elif column.categories is not None:
            arrays[column.name] = pa.DictionaryArray.from_arrays(
                pa.array(values, mask=values < 0), pa.array(column.categories, pa.string())
            )
        else:
            arrays[column.name] = pa.array(values)
    return pa.table(arrays)


def _decode(values: "pa.ChunkedArray", column: Column) -> NDArray[Any]:
    """Turn a column of a file back into numbers, codes or masks."""
    import pyarrow as pa

    if column.categories is None and not column.is_waits:
        return np.asarray(values.to_numpy(), dtype=column.dtype)
    array = values.combine_chunks()
    array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    texts = array.dictionary.to_pylist()
    code = _waits_mask if column.categories is None else column.categories.index
    # A missing value is -1: the last entry of the table.
    table = np.array([*(code(text) for text in texts), 0 if column.is_waits else -1], column.dtype)
    indices = array.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    return np.asarray(table[indices])


def open_data(path: str | os.PathLike[str]) -> RunData:
    """Open the folder of a run.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    RunData
        Its columns are read when they are asked for.

    Raises
    ------
    StoreError
        If the folder or a file in it is missing, foreign, damaged or of another schema version.
    TaskMismatchError
        If the files belong to different runs.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = checked_path("open_run", path)
    try:
        is_folder = any((folder / f"{dataset}.parquet").exists() for dataset in DATASETS)
    except OSError:  # a name longer than names can be
        is_folder = False
    if not is_folder:
        raise StoreError(f"{str(folder)!r} is no folder of a run")
    files: dict[Dataset, pq.ParquetFile] = {}
    origins: list[Origin] = []
    for dataset in DATASETS:
        file = folder / f"{dataset}.parquet"
        try:
            files[dataset] = pq.ParquetFile(file, page_checksum_verification=True)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"{str(file)!r} cannot be read: {_first_line(error)}") from error
        origins.append(_origin(files[dataset], file))
        first, last = origins[0], origins[-1]
        first.task.require_same(last.task, where=str(file))
        if (first.deals, first.stopping) != (last.deals, last.stopping):
            raise TaskMismatchError(
                f"{file}: {first.deals} deals in deals.parquet, {last.deals} here; "
                "probably the files come from runs of different length"
            )
    origin = origins[0]
    if files["deals"].metadata.num_rows != origin.deals:
        raise StoreError(f"{str(folder)!r} is damaged: not as many rows as deals")
    run_file = folder / RUN_FILE
    try:
        circumstances = msgspec.json.decode(run_file.read_bytes(), type=Circumstances)
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(f"{str(run_file)!r} cannot be read: {_first_line(error)}") from error
    if circumstances.task_id != origin.task_id:
        raise TaskMismatchError(f"{run_file}: of another task than the data beside it")
    return RunData(origin, circumstances, FileStore(files, origin.layout), folder)


def _first_line(error: Exception) -> str:
    """Say what an error says, on one line."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def _origin(parquet: "pq.ParquetFile", file: Path) -> Origin:
    """Read and check what a data file says about itself."""
    text = (parquet.metadata.metadata or {}).get(METADATA_KEY)
    if text is None:
        raise StoreError(f"{str(file)!r} was not written by mjstats")
    try:
        # The version first: files of another one may say other things about themselves.
        version = msgspec.json.decode(text, type=dict[str, Any]).get("schema_version")
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"{str(file)!r} has schema version {version}; this mjstats reads {SCHEMA_VERSION}"
            )
        origin = msgspec.json.decode(text, type=Origin)
    except msgspec.MsgspecError as error:
        raise StoreError(f"{str(file)!r} is damaged: {_first_line(error)}") from error
    if origin.task.id() != origin.task_id:
        raise StoreError(f"{str(file)!r} is damaged: its task does not have the id it says")
    return origin
