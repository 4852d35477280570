"""Arguments of the wrong kind: one sentence each, wherever they are handed in."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, SupportsIndex

from mjstats.errors import ArgumentError, HandError, TileError, quoted

#: Largest seed, index and number of deals: what the files can hold as a number.
LARGEST: Final = 2**63 - 1
#: More threads than any machine has processors for.
MOST_WORKERS: Final = 1024


def whole_number(name: str, value: object, *, least: int = 0, most: int = LARGEST) -> int:
    """Check a whole number; numpy's integers are taken too.

    Parameters
    ----------
    name : str
        Name of the argument, for the message.
    value : object
        What was given.
    least, most : int, default 0 and 2^63 - 1
        The range that is allowed.

    Returns
    -------
    int

    Raises
    ------
    ArgumentError
        If the value is no whole number, true and false among them, or out of the range.

    Examples
    --------
    >>> whole_number("deals", 100, least=1)
    100
    """
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise ArgumentError(f"{name}={quoted(value)}: a whole number is expected")
    try:
        number = value.__index__()
    except TypeError as error:  # an array of several numbers
        raise ArgumentError(f"{name}: one whole number is expected") from error
    if not least <= number <= most:
        told = number if number.bit_length() <= 128 else "a number of hundreds of digits"
        raise ArgumentError(f"{name}={told}: {least} to {most} is allowed")
    return number


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name the field in which a tile or a hand is refused.

    Parameters
    ----------
    name : str
        Name of the field, put before the message.

    Raises
    ------
    TileError, HandError
        As raised within.

    Examples
    --------
    >>> with naming("win_tile"):
    ...     raise TileError("'5x' is no tile")
    Traceback (most recent call last):
    mjstats.errors.TileError: win_tile: '5x' is no tile
    """
    try:
        yield
    except (TileError, HandError) as error:
        raise type(error)(f"{name}: {error}") from error


def path(name: str, value: object) -> Path:
    """Check the path of a file or folder.

    Parameters
    ----------
    name : str
        Name of the argument, for the message.
    value : object
        What was given.

    Returns
    -------
    Path

    Raises
    ------
    ArgumentError
        If the value is neither a text nor a path, or has a character that no path can have.

    Examples
    --------
    >>> path("out", "results").name
    'results'
    """
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str):
        raise ArgumentError(f"{name}: {type(value).__name__} is no path; allowed are str and Path")
    if "\0" in text:
        raise ArgumentError(f"{name}={quoted(text)}: no path has a null character")
    return Path(text)


def mapping(name: str, value: object) -> Mapping[str, Any]:
    """Check a mapping of names to values.

    Parameters
    ----------
    name : str
        Name of the argument, for the message.
    value : object
        What was given.

    Returns
    -------
    mapping

    Raises
    ------
    ArgumentError
        If the value is no mapping, or has a key that is no text.

    Examples
    --------
    >>> mapping("changes", {"multi_ron": True})
    {'multi_ron': True}
    """
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name}: {quoted(value)} is no mapping of names to values")
    for key in value:
        if not isinstance(key, str):
            raise ArgumentError(f"{name}: {quoted(key)} is no name")
    return value


def words(name: str, value: object) -> list[str]:
    """Check a name or several.

    Parameters
    ----------
    name : str
        Name of the argument, for the message.
    value : object
        What was given: a text, or a sequence of texts.

    Returns
    -------
    list of str
        A single text as a list of one.

    Raises
    ------
    ArgumentError
        If there is anything but texts.

    Examples
    --------
    >>> words("by", "seat"), words("by", ("role", "seat"))
    (['seat'], ['role', 'seat'])
    """
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, Sequence) or not all(isinstance(word, str) for word in given):
        raise ArgumentError(f"{name}={quoted(value)}: a name or a list of names is expected")
    return list(given)
