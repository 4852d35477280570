"""How simulated players decide, by name."""

from collections.abc import Sequence

from mjstats import _core
from mjstats.arguments import words
from mjstats.errors import ArgumentError


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


def resolve_policies(
    policies: str | Sequence[str], *, modes: Sequence[str] = ()
) -> tuple[str, ...]:
    """Name the policy of each seat.

    Parameters
    ----------
    policies : str or sequence of str
        One name for all seats, four names, or both as one text with commas. ``greedy:MODE`` is
        greedy and declares that mode wherever it may (alone: the game's first).
    modes : sequence of str
        Declaration modes of the ruleset.

    Returns
    -------
    tuple of 4 str

    Raises
    ------
    ArgumentError
        For an unknown name or mode, or another number of names than one or four.

    Examples
    --------
    >>> resolve_policies("greedy,random,random,random")
    ('greedy', 'random', 'random', 'random')
    >>> resolve_policies("greedy:fei_ting", modes=("ting", "fei_ting"))[0]
    'greedy:fei_ting'
    """
    given = policies.split(",") if isinstance(policies, str) else words("policies", policies)
    names = [name.strip() for name in given]
    for name in names:
        _code(name, modes)
    if len(names) == 1:
        names *= _core.N_SEATS
    if len(names) != _core.N_SEATS:
        raise ArgumentError(f"policies: {len(names)} names given; one or four are allowed")
    return tuple(names)


def policy_codes(
    policies: str | Sequence[str], *, modes: Sequence[str] = ()
) -> tuple[tuple[int, int], ...]:
    """Policies as the core reads them; arguments as for `resolve_policies`."""
    return tuple(_code(name, modes) for name in resolve_policies(policies, modes=modes))


def _code(name: str, modes: Sequence[str]) -> tuple[int, int]:
    """Position in the core's list, and the mode wished for (0 none)."""
    base, given, mode = name.partition(":")
    if base not in _core.POLICY_NAMES:
        raise ArgumentError(
            f"policies: unknown policy {name!r}; allowed are {', '.join(_core.POLICY_NAMES)}"
        )
    index = _core.POLICY_NAMES.index(base)
    if not given:
        return index, 0
    if base != "greedy" or mode not in modes:
        allowed = ", ".join(f"greedy:{name}" for name in modes) or "none in this ruleset"
        raise ArgumentError(f"policies: {name!r} names no declaration; allowed are {allowed}")
    return index, 1 + list(modes).index(mode)
