"""Values of options that are worth playing under."""

from collections.abc import Iterator

from mjstats.rulesets import Value, ruleset
from mjstats.rulesets.schema import OptionForm


def other_values(game: str) -> Iterator[tuple[str, Value]]:
    """Yield every value of every option but its default; of a range those around the default."""
    for name, option in ruleset(game).definition.options.items():
        choices = option.choices or beside(option)
        yield from ((name, value) for value in choices if value != option.default)


def beside(option: OptionForm) -> list[Value]:
    """Return values of an option that is a range: the least, around the default, and no limit."""
    near = option.default if isinstance(option.default, int) else option.min
    least, most = option.min or 0, option.max
    numbers = {least, near - 1, near + 1} if near is not None else {least}
    found: list[Value] = [n for n in sorted(numbers) if n >= least and (most is None or n <= most)]
    return [*found, "none"] if option.none else found
