"""How simulated players decide, by name."""

from collections.abc import Sequence

from mjstats import _core
from mjstats.errors import ArgumentError

N_SEATS = 4


def policy_names() -> tuple[str, ...]:
    """Names of the policies that can be given to a simulation.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> policy_names()
    ('random', 'greedy')
    """
    return _core.POLICY_NAMES


def resolve_policies(policies: str | Sequence[str]) -> tuple[str, ...]:
    """Name the policy of each seat.

    Parameters
    ----------
    policies : str or sequence of str
        One name for all seats, four names, or both as one text with commas.

    Returns
    -------
    tuple of 4 str

    Raises
    ------
    ArgumentError
        For an unknown name, or another number of names than one or four.

    Examples
    --------
    >>> resolve_policies("greedy,random,random,random")
    ('greedy', 'random', 'random', 'random')
    """
    names = policies.split(",") if isinstance(policies, str) else list(policies)
    names = [name.strip() for name in names]
    for name in names:
        if name not in _core.POLICY_NAMES:
            raise ArgumentError(
                f"policies: unknown policy {name!r}; allowed are {', '.join(_core.POLICY_NAMES)}"
            )
    if len(names) == 1:
        names *= N_SEATS
    if len(names) != N_SEATS:
        raise ArgumentError(f"policies: {len(names)} names given; one or four are allowed")
    return tuple(names)


def policy_codes(policies: str | Sequence[str]) -> tuple[int, ...]:
    """Positions of the seats' policies in the core's list."""
    return tuple(_core.POLICY_NAMES.index(name) for name in resolve_policies(policies))
