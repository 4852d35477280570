"""How simulated players decide, by name."""

from collections.abc import Sequence

from mjstats import _core
from mjstats.arguments import words
from mjstats.errors import ArgumentError, quoted


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


def policies_by_seat(policies: Sequence[str]) -> str:
    """Say who plays how: once where all seats do the same, else seat by seat.

    Parameters
    ----------
    policies : sequence of 4 str
        As `resolve_policies` returns them.

    Returns
    -------
    str

    Examples
    --------
    >>> policies_by_seat(["greedy"] * 4)
    'greedy'
    >>> policies_by_seat(["greedy", "random", "greedy", "random"])
    'greedy (seats 0, 2), random (seats 1, 3)'
    """
    seats: dict[str, list[str]] = {}
    for seat, name in enumerate(policies):
        seats.setdefault(name, []).append(str(seat))
    if len(seats) == 1:
        return policies[0]
    return ", ".join(
        f"{name} (seat{'s' * (len(at) > 1)} {', '.join(at)})" for name, at in seats.items()
    )


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
        Bids of the ruleset that may be made.

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
            f"policies: unknown policy {quoted(name)}; allowed are {', '.join(_core.POLICY_NAMES)}"
        )
    if wishes and base != "greedy":
        raise ArgumentError(
            f"policies: {quoted(name)}: {base} takes neither declarations nor bids; "
            f"allowed is {base!r}"
        )
    mode, amounts = 0, {}
    for number, wish in enumerate(wishes):
        key, equals, value = wish.partition("=")
        if key in map(_key, bids):
            place, amount = _bid(name, key, value, bids)
            if place in amounts:
                raise ArgumentError(f"policies: {quoted(name)} says {key} twice; once is allowed")
            amounts[place] = amount
        elif number == 0 and not equals and wish in modes:
            mode = 1 + list(modes).index(wish)
        else:
            raise _nothing_known(name, modes, bids)
    told = tuple(amounts.get(place, 0) for place in range(len(bids)))
    return _core.POLICY_NAMES.index(base), mode, told


def _nothing_known(name: str, modes: Sequence[str], bids: Sequence[Bid]) -> ArgumentError:
    known = [*(f"greedy:{mode}" for mode in modes), *(f"greedy:{_key(bid)}=…" for bid in bids)]
    allowed = ", ".join(known) or "none in this ruleset"
    return ArgumentError(
        f"policies: {quoted(name)} names no declaration and no bid; allowed are {allowed}"
    )


def _key(bid: Bid) -> str:
    """Name by which a policy says a bid."""
    return bid if isinstance(bid, str) else "bids"


def _bid(name: str, key: str, value: str, bids: Sequence[Bid]) -> tuple[int, int]:
    """Place of a bid among those of the ruleset, and the amount as the core has it."""
    place = [_key(bid) for bid in bids].index(key)
    bid = bids[place]
    if isinstance(bid, str):
        if value.isascii() and value.isdigit() and len(value) <= 9:
            return place, int(value)
        raise ArgumentError(
            f"policies: {quoted(name)}: {quoted(value)} is no amount of {bid}; allowed is {bid}=2"
        )
    if not value:
        raise ArgumentError(
            f"policies: {quoted(name)} makes no bid; allowed is {key}= and, joined by +, some of "
            f"{', '.join(bid)}"
        )
    chosen = value.split("+")
    for word in chosen:
        if word not in bid:
            raise ArgumentError(
                f"policies: {quoted(name)}: unknown bid {quoted(word)}; "
                f"allowed are {', '.join(bid)}"
            )
        if chosen.count(word) > 1:
            raise ArgumentError(f"policies: {quoted(name)} says {word} twice; once is allowed")
    return place, sum(1 << bid.index(word) for word in chosen)
