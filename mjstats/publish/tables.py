"""One place that turns a table of the contract into text.

``csv`` and ``json`` carry every number in full precision (in JSON, integers beyond 2**53 as decimal
strings); ``table``, ``md``, ``latex`` and ``html`` are for readers: the digits follow from the
standard error.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from mjstats.errors import ArgumentError
from mjstats.wording import flat

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["table", "csv", "json", "md", "latex", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)

# Columns in the unit of the estimate: they share the decimals that its standard error allows.
_IN_UNIT = frozenset({"p", "mean", "estimate", "sd", "se", "ci_low", "ci_high"})
_GROUPED = frozenset({"k", "n", "count", "total"})
_LARGEST_EXACT_FLOAT = 2**53


def render(
    frame: "pd.DataFrame",
    *,
    fmt: Format = "table",
    title: str = "",
    notes: Sequence[str] = (),
) -> str:
    """Render one table.

    Parameters
    ----------
    frame : pandas.DataFrame
        A table of the contract: one row a cell, snake_case columns. The index is not shown.
    fmt : {"table", "csv", "json", "md", "latex", "html"}
        ``table`` is plain text for a terminal; ``json`` a list of objects, missing values as null.
    title : str
        Heading, shown in the formats for readers.
    notes : sequence of str
        Lines below the table, shown in the formats for readers.

    Returns
    -------
    str
        The text, ending with a newline.

    Raises
    ------
    ArgumentError
        If the format is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"element": ["qing_yi_se"], "p": [0.0123456], "se": [0.000123]})
    >>> print(render(frame), end="")
    element           p       se
    ----------  -------  -------
    qing_yi_se  0.01235  0.00012
    >>> print(render(frame, fmt="csv"), end="")
    element,p,se
    qing_yi_se,0.0123456,0.000123
    """
    match fmt:
        case "csv":
            return _flattened(frame).to_csv(index=False, lineterminator="\n")
        case "json":
            return to_json(records(frame))
        case "table" | "md":
            return _plain(frame, markdown=fmt == "md", title=title, notes=notes)
        case "latex" | "html":
            return _rich(frame, latex=fmt == "latex", title=title, notes=notes)
        case _:
            raise ArgumentError(f"format {fmt!r} is unknown: allowed are {', '.join(FORMATS)}")


def records(frame: "pd.DataFrame") -> list[dict[str, object]]:
    """Give the rows as plain objects that JSON can hold without loss.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table.

    Returns
    -------
    list of dict
        One a row; missing and infinite values are None; a column with integers beyond 2**53 holds
        decimal strings.

    Examples
    --------
    >>> import pandas as pd
    >>> records(pd.DataFrame({"count": [2**60], "se": [float("nan")]}, dtype=object))
    [{'count': '1152921504606846976', 'se': None}]
    """
    names = [str(name) for name in frame.columns]
    columns = [_plain_column(frame[name].tolist()) for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def to_json(value: object) -> str:
    """Write indented JSON that keeps every digit, ending with a newline.

    Parameters
    ----------
    value : object
        Lists, mappings, strings, numbers, None.

    Returns
    -------
    str

    Examples
    --------
    >>> print(to_json({"total": 2**53 + 1}), end="")
    {
      "total": "9007199254740993"
    }
    """
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(_jsonable(value)), indent=2)
    return text.decode() + "\n"


def _plain_column(values: list[Any]) -> list[object]:
    """Reduce a column to what JSON holds; if one number needs words, all of its column get them."""
    plain = [_jsonable(value) for value in values]
    if any(
        isinstance(now, str) and isinstance(was, int)
        for now, was in zip(plain, values, strict=True)
    ):
        return [str(value) if type(value) is int else value for value in plain]
    return plain


def _jsonable(value: Any) -> object:
    """Reduce one value to what JSON holds without loss."""
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset) or hasattr(value, "dtype"):
        plain = value.tolist() if hasattr(value, "tolist") else value
        return (
            [_jsonable(item) for item in plain] if isinstance(plain, list | tuple | set) else plain
        )
    if _missing(value):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST_EXACT_FLOAT:
        return str(value)
    return value


def _missing(value: Any) -> bool:
    import pandas as pd

    return (
        value is None
        or value is pd.NA
        or value is pd.NaT
        or (isinstance(value, float) and not math.isfinite(value))
    )


def _flattened(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Put lists and mappings into one cell each; integers beside missing values stay integers."""
    import pandas as pd

    written = {
        str(name): pd.Series([flat(value) for value in frame[name]], frame.index, dtype=object)
        for name, dtype in frame.dtypes.items()
        if pd.api.types.is_object_dtype(dtype)
    }
    return frame.assign(**written)


def _decimals(row: Mapping[str, Any], *, error: str = "se") -> int | None:
    """Decimals that show a standard error with two significant digits; None without an error.

    Where nothing was counted there is an interval but no standard error: a quarter of it stands in.
    """
    scale = row.get(error, math.nan)
    if _missing(scale) or not scale:
        low, high = row.get("ci_low", math.nan), row.get("ci_high", math.nan)
        scale = None if _missing(low) or _missing(high) else (high - low) / 4
    return 1 - math.floor(math.log10(scale)) if scale else None


def _show(name: str, value: Any, row: Mapping[str, Any]) -> str:
    """Text of one cell for a reader."""
    value = flat(value)
    if _missing(value):
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}" if name in _GROUPED else str(value)
    if not isinstance(value, float):
        return str(value)
    if name == "z":
        return f"{value:.2f}"
    if name == "se" and not value and row.get("ci_low") != row.get("ci_high"):
        return "-"  # nothing was counted: the interval says what is known
    stem, _, rest = name.partition("_")
    beside = f"se_{rest}" if stem in ("mean", "se") and f"se_{rest}" in row else "se"
    decimals = _decimals(row, error=beside)
    if (name in _IN_UNIT or beside != "se") and decimals is not None:
        return f"{value:.{max(decimals, 0)}f}"
    if name == "one_in":
        digits = (
            5
            if decimals is None or not row.get("p")
            else decimals + math.floor(math.log10(row["p"]))
        )
        return f"{_significant(value, max(digits + 1, 1)):,}"
    return f"{value:.6g}"


def _significant(value: float, digits: int) -> float | int:
    """Round to so many significant digits; whole numbers without a point."""
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    return int(rounded) if decimals <= 0 else rounded


def _cells(frame: "pd.DataFrame") -> tuple[list[str], list[list[str]], list[bool]]:
    """Headings, shown cells by row, and whether a column stands to the right (numbers)."""
    columns = {str(name): frame[name].tolist() for name in frame.columns}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    shown = [[_show(name, value, row) for name, value in row.items()] for row in rows]
    right = [
        any(
            isinstance(v, int | float) and not isinstance(v, bool) and not _missing(v)
            for v in values
        )
        for values in columns.values()
    ]
    return list(columns), shown, right


def _plain(frame: "pd.DataFrame", *, markdown: bool, title: str, notes: Sequence[str]) -> str:
    from tabulate import tabulate

    names, rows, right = _cells(frame)
    if markdown:
        rows = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    text = tabulate(
        rows,
        headers=names,
        tablefmt="pipe" if markdown else "simple",
        disable_numparse=True,
        colalign=["right" if flag else "left" for flag in right] if rows else None,
    )
    heading = [f"### {title}\n" if markdown else title] if title else []
    gap = [""] if markdown and notes else []
    return "\n".join([*heading, text, *gap, *notes]) + "\n"


def _rich(frame: "pd.DataFrame", *, latex: bool, title: str, notes: Sequence[str]) -> str:
    import pandas as pd
    from great_tables import GT

    names, rows, right = _cells(frame)
    shown = pd.DataFrame(rows, columns=names, dtype=str)
    # A fixed id: equal tables must give equal bytes.
    table = GT(shown, id="mjstats").cols_align("left")
    numbers = [name for name, flag in zip(names, right, strict=True) if flag]
    if numbers:
        table = table.cols_align("right", columns=numbers)
    if title:
        table = table.tab_header(title=title)
    for note in notes:
        table = table.tab_source_note(note)
    draw: Callable[[], str] = table.as_latex if latex else table.as_raw_html
    return draw().strip() + "\n"
