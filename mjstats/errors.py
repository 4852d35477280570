"""Every error that mjstats raises on purpose: one family, one sentence each."""

from typing import Final

#: Characters of what was given that a message repeats.
MOST_SHOWN: Final = 200


class MjstatsError(ValueError):
    """Base of all errors of mjstats: says what was wrong, where, and what is allowed."""


class TileError(MjstatsError):
    """A text that is no tile, or tiles of which there are too many."""


class HandError(MjstatsError):
    """A hand of the wrong size, or with tiles that the ruleset does not have."""


class RulesetError(MjstatsError):
    """A ruleset, option, element or ruleset file that does not exist or makes no sense."""


class ArgumentError(MjstatsError):
    """An argument out of its range."""


class NotAWin(MjstatsError):  # noqa: N818 - a verdict on a hand; the public contract names it so
    """The hand is no legal win under the ruleset.

    Parameters
    ----------
    reason : str
        Why the win does not stand, as a short snake_case word.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"not a win: {reason}")
        self.reason = reason

    def __reduce__(self) -> tuple[type["NotAWin"], tuple[str]]:
        """Pickle by the reason, so that the error crosses process borders."""
        return (NotAWin, (self.reason,))


class TaskMismatchError(MjstatsError):
    """Data of different tasks that were to be put together."""


class StoreError(MjstatsError):
    """A folder or file of a run that is missing, foreign, damaged or in the way."""


class CoreError(MjstatsError):
    """An impossible state inside the compiled core, or a core that does not fit the package."""


def quoted(value: object) -> str:
    """Show what was given in the sentence that refuses it: as Python writes it, but not at length.

    Parameters
    ----------
    value : object

    Returns
    -------
    str

    Examples
    --------
    >>> quoted("5x"), quoted(10**5000)
    ("'5x'", 'int that is too long to show')
    """
    try:
        text = repr(value)
    except ValueError:  # whole numbers of thousands of digits are not written
        return f"{type(value).__name__} that is too long to show"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
