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


Bid = str | tuple[str, ...]
"""What seats bid before a deal: an amount, by its name, or any of several words."""


def resolve_policies(
    policies: str | Sequence[str], *, modes: Sequence[str] = (), bids: Sequence[Bid] = ()
) -> tuple[str, ...]:
    """Name the policy of each seat.

    Parameters
    ----------
    policies : str or sequence of str
        One name for all seats, four names, or both as one text with commas. ``greedy:MODE`` is
        greedy and declares that mode wherever it may (alone: the game's first).
        ``greedy:bids=WORD+WORD`` makes these bids as soon as it may, ``greedy:NAME=AMOUNT`` bids
        the greatest amount allowed up to that one (alone: as little as it must); both may follow
        a mode.
    modes : sequence of str
        Declaration modes of the ruleset.
    bids : sequence of str or tuple of str
        Bids of the ruleset.

    Returns
    -------
    tuple of 4 str

    Raises
    ------
    ArgumentError
        For an unknown name, mode or bid, or another number of names than one or four.

    Examples
    --------
    >>> resolve_policies("greedy,random,random,random")
    ('greedy', 'random', 'random', 'random')
    >>> resolve_policies("greedy:fei_ting", modes=("ting", "fei_ting"))[0]
    'greedy:fei_ting'
    >>> resolve_policies("greedy:bids=du_liu", bids=[("bu_peng", "du_liu")])[3]
    'greedy:bids=du_liu'
    """
    given = policies.split(",") if isinstance(policies, str) else words("policies", policies)
    names = [name.strip() for name in given]
    for name in names:
        _code(name, modes, bids)
    if len(names) == 1:
        names *= _core.N_SEATS
    if len(names) != _core.N_SEATS:
        raise ArgumentError(f"policies: {len(names)} names given; one or four are allowed")
    return tuple(names)


def policy_codes(
    policies: str | Sequence[str], *, modes: Sequence[str] = (), bids: Sequence[Bid] = ()
) -> tuple[_core.PolicyCode, ...]:
    """Policies as the core reads them; arguments as for `resolve_policies`."""
    names = resolve_policies(policies, modes=modes, bids=bids)
    return tuple(_code(name, modes, bids) for name in names)


def _code(name: str, modes: Sequence[str], bids: Sequence[Bid]) -> _core.PolicyCode:
    """Position in the core's list, the mode wished for (0 none), and the bids."""
    base, *wishes = name.split(":")
    if base not in _core.POLICY_NAMES:
        raise ArgumentError(
            f"policies: unknown policy {name!r}; allowed are {', '.join(_core.POLICY_NAMES)}"
        )
    mode, amounts = 0, [0] * len(bids)
    for number, wish in enumerate(wishes):
        key, equals, value = wish.partition("=")
        if base == "greedy" and equals:
            place, amount = _bid(name, key, value, bids)
            amounts[place] = amount
        elif base == "greedy" and number == 0 and wish in modes:
            mode = 1 + list(modes).index(wish)
        else:
            allowed = ", ".join(f"greedy:{name}" for name in modes) or "none in this ruleset"
            raise ArgumentError(f"policies: {name!r} names no declaration; allowed are {allowed}")
    return _core.POLICY_NAMES.index(base), mode, tuple(amounts)


def _bid(name: str, key: str, value: str, bids: Sequence[Bid]) -> tuple[int, int]:
    """Place of a bid among those of the ruleset, and the amount as the core has it."""
    for place, bid in enumerate(bids):
        if key != (bid if isinstance(bid, str) else "bids"):
            continue
        if isinstance(bid, str):
            if value.isascii() and value.isdigit() and len(value) <= 9:
                return place, int(value)
            raise ArgumentError(f"policies: {name!r}: {value!r} is no amount of {bid}")
        chosen = value.split("+")
        for word in chosen:
            if word not in bid:
                raise ArgumentError(
                    f"policies: {name!r}: unknown bid {word!r}; allowed are {', '.join(bid)}"
                )
        return place, sum(1 << bid.index(word) for word in set(chosen))
    names = [bid if isinstance(bid, str) else "bids" for bid in bids]
    allowed = ", ".join(f"greedy:{known}=…" for known in names) or "none in this ruleset"
    raise ArgumentError(f"policies: {name!r} names no bid; allowed are {allowed}")
