"""The human form of a ruleset: what a TOML file may say, and the checks on it.

Two kinds of file are read. A *definition* describes a whole game (the catalogue holds one file a
game); a *house file* has a key ``extends`` and changes options and element values of another
ruleset. Every error names the file, the key path, the value and what is allowed.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from mjstats.errors import RulesetError
from mjstats.tiles import MAX_COPIES, N_ALL

Value = bool | int | str
"""Value of an option: true or false, an integer, or a word."""

VALUE_LIMIT: Final = 1_000_000
"""Greatest absolute value of an element or of an integer option."""

FACTOR_LIMIT: Final = 1000
"""Greatest factor: with elements within `VALUE_LIMIT` no payment leaves 64 bits."""

MAX_WALL: Final = 152
"""Most tiles that a wall of the core holds."""

DEALT: Final = 53
"""Tiles that are dealt before the first turn."""

MAX_MATCH: Final = 1000
"""Most rounds or deals of a match."""

GROUPS: Final[dict[str, range]] = {
    "suits": range(0, 27),
    "winds": range(27, 31),
    "dragons": range(31, 34),
    "seasons": range(34, 38),
    "plants": range(38, 42),
    "animals": range(42, 46),
    "baida": range(46, 47),
}
"""Kinds of each group of tiles that a definition counts copies of."""

TILE_SETS: Final[tuple[frozenset[str], ...]] = (
    frozenset({"suits"}),
    frozenset({"suits", "winds"}),
    frozenset({"suits", "winds", "dragons"}),
)
"""Groups that may be played with, in the order of the tile sets 0, 1, 2."""

ShapeName = Literal[
    "standard", "pairs_distinct", "pairs_quads", "unconnected", "unconnected_groups"
]
"""Winning shapes: four sets and a pair; seven pairs of seven kinds; seven pairs in which four alike
are two pairs; the unconnected hand; the one whose suits are 147, 258 and 369 in some order."""

SHAPE_BITS: Final[dict[str, int]] = {name: 1 << bit for bit, name in enumerate(get_args(ShapeName))}

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_CLAUSE: Final = re.compile(r"[A-Z]{2}-\d{2}")
_AMBIGUITY: Final = re.compile(r"[A-Z]{2}-A\d{1,2}")


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a TOML file: keys that it does not name are errors."""


class SourceForm(_Form, frozen=True):
    """Where a ruleset comes from, and what was taken from there."""

    title: str
    reason: str
    url: str = ""


class TilesForm(_Form, frozen=True):
    """Copies of each kind, by group: those that are played with and those set aside as bonus."""

    playing: dict[str, int]
    bonus: dict[str, int] = {}


KongAfterDeclaring = Literal["same_waits", "still_ready", "never"]
"""When a declared hand may make a kong of the tile just drawn."""


class OptionRef(_Form, frozen=True):
    """A value that an option decides: the option's own, or whether it equals something.

    Where the option has words of its own, ``words`` says what they are to the switch.
    """

    option: str
    equals: Value | None = None
    words: dict[str, str] = {}


class ShapeForm(_Form, frozen=True):
    """A winning shape that is played when an option has a value."""

    shape: ShapeName
    option: str
    equals: Value = True


class SwitchesForm(_Form, frozen=True):
    """Switches of the shared engine; each a value, or left to an option."""

    allow_chow: bool | OptionRef = False
    chow_from_any: bool | OptionRef = False
    allow_pong: bool | OptionRef = False
    allow_exposed_kong: bool | OptionRef = False
    allow_added_kong: bool | OptionRef = False
    rob_added_kong: bool | OptionRef = False
    rob_supplement: bool | OptionRef = False
    rob_supplement_by_kong: bool | OptionRef = False
    specials_after_deal: bool | OptionRef = False
    concealed_kong_hidden: bool | OptionRef = False
    multi_ron: bool | OptionRef = False
    opening_window: bool | OptionRef = False
    kong_after_declaring: KongAfterDeclaring | OptionRef = "never"
    reserve_tiles: int | OptionRef = 0
    wild_tiles: int | OptionRef = 0
    rounds_per_match: int | OptionRef = 0
    deals_per_match: int | OptionRef = 0
    first_dealer: Literal["seat0", "drawn"] = "seat0"
    dealer_stays_on_draw: bool | OptionRef = True
    bonus_replaced: bool | OptionRef = False


class ElementForm(_Form, frozen=True):
    """One scoring item: a summand of the base, or a factor upon it; an option may decide which.

    ``most`` is the greatest value of a factor where with the common limit payments could leave 64
    bits.
    """

    name_zh: str
    name_en: str
    value: int
    doc: str
    kind: Literal["element", "factor"] | OptionRef = "element"
    scale: tuple[int, ...] = (1,)
    most: int = 0
    clauses: tuple[str, ...] = ()


class Implication(_Form, frozen=True):
    """What else holds when an option has a value, unless it is said otherwise."""

    value: Value
    options: dict[str, Any] = {}
    elements: dict[str, Any] = {}


class OptionForm(_Form, frozen=True):
    """One choice that a ruleset leaves open."""

    default: Value
    doc: str
    values: tuple[Value, ...] = ()
    min: int | None = None
    max: int | None = None
    none: bool = False
    element: str = ""
    implies: tuple[Implication, ...] = ()
    ambiguity: str = ""
    clauses: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[Value, ...]:
        """Every allowed value, or an empty tuple if the option is an integer in a range."""
        if isinstance(self.default, bool):
            return (self.default, not self.default)
        return self.values

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.choices:
            return ", ".join(show(value) for value in self.choices)
        none = ' or "none"' if self.none else ""
        return f"integers {self.min} to {self.max}{none}"

    def allows(self, value: object) -> bool:
        """Tell whether the option may have a value."""
        if self.choices:
            return any(same(value, choice) for choice in self.choices)
        if self.none and value == "none":
            return True
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return self.min is not None and self.max is not None and self.min <= value <= self.max

    def code(self, value: Value) -> int:
        """Return the value as the core reads it.

        Booleans are 0 and 1, integers themselves, ``"none"`` is -1, and a word is its position in
        the list of allowed values.
        """
        if isinstance(value, int):
            return int(value)
        return -1 if self.none and value == "none" else self.values.index(value)


class PresetForm(_Form, frozen=True):
    """A named set of settings."""

    doc: str
    options: dict[str, Any] = {}
    elements: dict[str, Any] = {}


class ClauseForm(_Form, frozen=True):
    """One clause of the original rules and what becomes of it.

    The status is I (in the simulation), P (a parameter) or O (outside, with the reason).
    """

    status: Literal["I", "P", "O"]
    text: str
    reason: str = ""


class Definition(_Form, frozen=True):
    """A whole game.

    ``base_stake`` names the element or option whose value is the unit of comparisons with other
    games: what a payer pays at least, before anything of the winning hand counts.
    """

    id: str
    name: str
    name_zh: str
    module: str
    status: Literal["provisional", "checked"]
    summary: str
    sources: tuple[SourceForm, ...]
    tiles: TilesForm
    shapes: tuple[ShapeName | ShapeForm, ...]
    elements: dict[str, ElementForm]
    options: dict[str, OptionForm]
    switches: SwitchesForm = SwitchesForm()
    counters: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    bids: tuple[str | tuple[str, ...], ...] = ()
    base_stake: str = ""
    presets: dict[str, PresetForm] = {}
    clauses: dict[str, ClauseForm] = {}
    decisions: dict[str, str] = {}


class HouseForm(_Form, frozen=True):
    """A file that changes another ruleset."""

    extends: str
    id: str = ""
    name: str = ""
    name_zh: str = ""
    preset: str = ""
    options: dict[str, Any] = {}
    elements: dict[str, Any] = {}


def same(left: object, right: object) -> bool:
    """Tell whether two values are equal and of one type: 1 is not true."""
    return type(left) is type(right) and left == right


def show(value: object) -> str:
    """Write a value as a TOML file does, cut short where it is long."""
    if isinstance(value, int) and value.bit_length() > 256:
        return "a number of hundreds of digits"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:200]}…"


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises
    ------
    RulesetError
        If the file cannot be read or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RulesetError(f"cannot read ruleset file '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RulesetError(f"{path}: no UTF-8 text at byte {error.start}") from error
    except ValueError as error:
        # Beside its own errors tomllib passes on that of a number of thousands of digits.
        raise RulesetError(f"{path}: no TOML: {error}") from error
    except RecursionError as error:
        raise RulesetError(f"{path}: no TOML: nested too deeply") from error


FormT = TypeVar("FormT", bound=_Form)


def read_house(raw: Mapping[str, Any], *, where: str) -> HouseForm:
    """Turn the content of a house file into its form; its settings are checked elsewhere."""
    return _convert(raw, HouseForm, where=where)


def read_definition(raw: Mapping[str, Any], *, where: str) -> Definition:
    """Turn the content of a definition into its form, checked.

    Parameters
    ----------
    raw : mapping
        Parsed TOML.
    where : str
        Name of the file for error messages.

    Raises
    ------
    RulesetError
        At the first fault found, with key path, value and what is allowed.
    """
    # Entry by entry first: msgspec does not say at which key of a table an error lies.
    parts: dict[str, type[_Form]] = {
        "elements": ElementForm,
        "options": OptionForm,
        "presets": PresetForm,
        "clauses": ClauseForm,
    }
    for section, form in parts.items():
        table = raw.get(section, {})
        if isinstance(table, dict):
            for key, entry in table.items():
                _convert(entry, form, where=where, path=f"{section}.{key}")
    definition = _convert(raw, Definition, where=where)
    for problem in _problems(definition):
        raise RulesetError(f"{where}: {problem}")
    return definition


def setting_path(key: str, *, where: str) -> str:
    """Return the full path of a setting: a bare name is that of an option."""
    if "." not in key:
        return f"options.{key}"
    match key.split("."):
        case ["options", _] | ["elements", _, "value"]:
            return key
    raise RulesetError(
        f"{where}: {key}: unknown setting; allowed are options.NAME and elements.ID.value"
    )


def settings_of(form: HouseForm | PresetForm | Implication, *, where: str) -> dict[str, Any]:
    """Return the settings of a form as full path and value, unchecked values."""
    settings = {f"options.{name}": value for name, value in form.options.items()}
    for element, table in form.elements.items():
        if not isinstance(table, dict):
            raise RulesetError(
                f"{where}: elements.{element} = {show(table)}: not a table; "
                f"allowed is elements.{element}.value"
            )
        for key, value in table.items():
            if key != "value":
                raise RulesetError(
                    f"{where}: elements.{element}.{key}: unknown key; allowed are value"
                )
            settings[f"elements.{element}.value"] = value
    return settings


def check_settings(definition: Definition, settings: Mapping[str, Any], *, where: str) -> None:
    """Raise at the first setting that the game does not have or allow.

    Parameters
    ----------
    definition : Definition
        The game.
    settings : mapping of str to value
        Full path of each setting and its value.
    where : str
        Name of the file or argument for error messages.

    Raises
    ------
    RulesetError
        With key path, value and what is allowed.
    """
    for path, value in settings.items():
        section, name = path.split(".")[:2]
        if section == "options":
            option = definition.options.get(name)
            if option is None:
                raise RulesetError(
                    f"{where}: {path}: unknown option; allowed are {_list(definition.options)}"
                )
            if not option.allows(value):
                raise RulesetError(
                    f"{where}: {path} = {show(value)}: impossible value; "
                    f"allowed are {option.allowed}"
                )
        else:
            if name not in definition.elements:
                raise RulesetError(
                    f"{where}: {path}: unknown element; allowed are {_list(definition.elements)}"
                )
            least, most = _limits(definition.elements[name])
            if not _is_amount(value, least, most):
                raise RulesetError(
                    f"{where}: {path} = {show(value)}: impossible value; "
                    f"allowed are integers {least} to {most}"
                )


def option_refs(definition: Definition) -> Iterator[tuple[str, OptionRef]]:
    """Yield every key of the switches, and every kind of an element, that is left to an option."""
    for key in SwitchesForm.__struct_fields__:
        value = getattr(definition.switches, key)
        if isinstance(value, OptionRef):
            yield f"switches.{key}", value
    for name, element in definition.elements.items():
        if isinstance(element.kind, OptionRef):
            yield f"elements.{name}.kind", element.kind


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _limits(element: ElementForm) -> tuple[int, int]:
    """Least and greatest value of an element, or of what is a factor or may become one."""
    if element.kind != "element":
        return 1, element.most or FACTOR_LIMIT
    return -VALUE_LIMIT, VALUE_LIMIT


def _is_amount(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _convert(raw: object, form: type[FormT], *, where: str, path: str = "") -> FormT:
    """Turn parsed TOML into a form, or raise naming path, value and what is allowed."""
    try:
        return msgspec.convert(raw, form)
    except msgspec.ValidationError as error:
        text, _, inside = str(error).partition(" - at `$")
        steps = re.findall(r"\w+|\[\d+\]", inside.rstrip("`"))
        at, allowed, value = path, form, raw
        for step in steps:
            at += step if step.startswith("[") else f".{step}"
            allowed, value = _step(allowed, value, step)
        at = at.removeprefix(".")
        field = re.search(r"field `(\w+)`", text)
        if "unknown field" in text and field:
            unknown = f"{at}.{field[1]}".removeprefix(".")
            names = _list(_forms_in(allowed)[0].__struct_fields__)
            text = f"{unknown}: unknown key; allowed are {names}"
        elif field:
            text = f"{at}.{field[1]}".removeprefix(".") + ": missing key"
        elif "Invalid enum" in text:
            words = _list(show(word) for word in _words_in(allowed))
            text = f"{at} = {show(value)}: impossible value; allowed are {words}"
        else:
            text = f"{at or 'file'} = {show(value)}: {text[0].lower()}{text[1:]}"
        raise RulesetError(f"{where}: {text}") from error


def _step(form: Any, value: Any, step: str) -> tuple[Any, Any]:
    """Follow one step of a key path through a form and the value beside it."""
    if step.startswith("["):
        return get_args(form)[0], value[int(step[1:-1])]
    forms = _forms_in(form)
    inner = next((get_type_hints(f)[step] for f in forms if step in f.__struct_fields__), object)
    return inner, value.get(step) if isinstance(value, dict) else value


def _forms_in(form: Any) -> list[Any]:
    """Return the forms of a type: itself, or those of a union."""
    parts = get_args(form) if get_origin(form) in (Union, UnionType) else (form,)
    return [part for part in parts if isinstance(part, type) and issubclass(part, _Form)]


def _words_in(form: Any) -> Iterator[str]:
    """Yield the words that a type allows."""
    if get_origin(form) is Literal:
        yield from get_args(form)
    elif get_origin(form) in (Union, UnionType):
        for part in get_args(form):
            yield from _words_in(part)


def _problems(definition: Definition) -> Iterator[str]:
    """Yield what is wrong with a definition beyond the types of its values."""
    for path, name in (("id", definition.id), ("module", definition.module)):
        if not _NAME.fullmatch(name):
            yield f"{path} = {show(name)}: not a name; allowed are a-z, 0-9 and _"
    for section in ("elements", "options", "presets", "counters", "modes"):
        for name in getattr(definition, section):
            if not _NAME.fullmatch(name):
                yield f"{section}.{name}: not a name; allowed are a-z, 0-9 and _"
    if not definition.sources:
        yield "sources = []: a ruleset names at least one source"
    yield from _tile_problems(definition)
    yield from _option_problems(definition)
    yield from _element_problems(definition)
    yield from _reference_problems(definition)
    yield from _stake_problems(definition)
    for name, preset in definition.presets.items():
        yield from _setting_problems(definition, preset, f"presets.{name}")
    yield from _clause_problems(definition)


def _tile_problems(definition: Definition) -> Iterator[str]:
    copies = [0] * N_ALL
    for section, table in (
        ("playing", definition.tiles.playing),
        ("bonus", definition.tiles.bonus),
    ):
        for group, number in table.items():
            path = f"tiles.{section}.{group}"
            if group not in GROUPS:
                yield f"{path}: unknown group; allowed are {_list(GROUPS)}"
                return
            most = MAX_COPIES[GROUPS[group][0]]
            if not 1 <= number <= most:
                yield f"{path} = {number}: impossible value; allowed are integers 1 to {most}"
            for kind in GROUPS[group]:
                if copies[kind]:
                    yield f"{path}: the group is played with and set aside at once"
                    return
                copies[kind] = number
    if frozenset(definition.tiles.playing) not in TILE_SETS:
        sets = "; ".join(_list(sorted(groups, key=list(GROUPS).index)) for groups in TILE_SETS)
        yield f"tiles.playing = {show(definition.tiles.playing)}: allowed groups are {sets}"
    if not DEALT <= sum(copies) <= MAX_WALL:
        yield f"tiles: {sum(copies)} tiles in all; allowed are {DEALT} to {MAX_WALL}"
    for key, most in (
        ("reserve_tiles", max(0, sum(copies) - DEALT)),
        ("rounds_per_match", MAX_MATCH),
        ("deals_per_match", MAX_MATCH),
    ):
        number = getattr(definition.switches, key)
        if isinstance(number, int) and not 0 <= number <= most:
            yield f"switches.{key} = {number}: impossible value; allowed are integers 0 to {most}"


def _option_problems(definition: Definition) -> Iterator[str]:
    for name, option in definition.options.items():
        path = f"options.{name}"
        if isinstance(option.default, bool):
            if option.values or option.min is not None or option.max is not None or option.none:
                yield f"{path}: true or false needs no values, min, max or none"
        elif option.values:
            if option.min is not None or option.max is not None or option.none:
                yield f"{path}: allowed is a list of values or a range, not both"
            if any(type(value) is not type(option.default) for value in option.values):
                yield f"{path}.values = {show(option.values)}: values of more than one type"
            if len(set(option.values)) < len(option.values):
                yield f"{path}.values = {show(option.values)}: a value stands twice"
        elif option.min is None or option.max is None:
            yield f"{path}: allowed values are missing (values, or min and max)"
        elif not -VALUE_LIMIT <= option.min <= option.max <= VALUE_LIMIT:
            yield (
                f"{path}: impossible range {option.min} to {option.max}; "
                f"allowed are integers {-VALUE_LIMIT} to {VALUE_LIMIT}"
            )
        if not option.allows(option.default):
            yield (
                f"{path}.default = {show(option.default)}: impossible value; "
                f"allowed are {option.allowed}"
            )
        if option.element:
            if option.element not in definition.elements:
                yield (
                    f"{path}.element = {show(option.element)}: unknown element; "
                    f"allowed are {_list(definition.elements)}"
                )
            if isinstance(option.default, bool) or not isinstance(option.default, int):
                yield f"{path}.element: only an option of integers can be an element's value"
        for number, implication in enumerate(option.implies):
            inside = f"{path}.implies[{number}]"
            if not option.allows(implication.value):
                yield (
                    f"{inside}.value = {show(implication.value)}: impossible value; "
                    f"allowed are {option.allowed}"
                )
            yield from _setting_problems(definition, implication, inside)
    yield from _circle_problems(definition)


def _circle_problems(definition: Definition) -> Iterator[str]:
    """Yield each option that would decide about itself."""
    targets = {
        name: {target for implication in option.implies for target in implication.options}
        for name, option in definition.options.items()
    }
    for name in targets:
        reached, new = set[str](), targets[name]
        while new:
            reached |= new
            new = {far for near in new for far in targets.get(near, ())} - reached
        if name in reached:
            yield f"options.{name}.implies: the option decides about itself"


def _element_problems(definition: Definition) -> Iterator[str]:
    for name, element in definition.elements.items():
        limited = element.kind != "element" and 1 <= element.most <= FACTOR_LIMIT
        if element.most and not limited:
            yield (
                f"elements.{name}.most = {element.most}: impossible value; allowed are integers "
                f"1 to {FACTOR_LIMIT}, and for a factor alone"
            )
        least, most = _limits(element)
        if not _is_amount(element.value, least, most):
            yield (
                f"elements.{name}.value = {element.value}: impossible value; "
                f"allowed are integers {least} to {most}"
            )
        if (
            not element.scale
            or element.scale[0] != 1
            or list(element.scale) != sorted(set(element.scale))
        ):
            yield (
                f"elements.{name}.scale = {show(element.scale)}: "
                "allowed are rising integers from 1 on"
            )


def _reference_problems(definition: Definition) -> Iterator[str]:
    """Yield each switch or shape that leans on an option in an impossible way."""
    refs = list(option_refs(definition))
    for number, shape in enumerate(definition.shapes):
        if isinstance(shape, ShapeForm):
            refs.append((f"shapes[{number}]", OptionRef(shape.option, shape.equals)))
    for path, ref in refs:
        option = definition.options.get(ref.option)
        if option is None:
            yield (
                f"{path}.option = {show(ref.option)}: unknown option; "
                f"allowed are {_list(definition.options)}"
            )
            return
        if ref.equals is not None:
            if not option.allows(ref.equals):
                yield (
                    f"{path}.equals = {show(ref.equals)}: impossible value; "
                    f"allowed are {option.allowed}"
                )
            continue
        if path.startswith("elements."):
            yield f"{path}.equals: missing; the kind is a factor when the option has that value"
            continue
        key = path.removeprefix("switches.")
        needed = type(getattr(SwitchesForm(), key))
        if option.none or type(option.default) is not needed:
            yield f"{path}.option = {show(ref.option)}: values of another type than the switch"
        words = list(_words_in(get_type_hints(SwitchesForm)[key]))
        choices = {ref.words.get(str(choice), choice) for choice in option.choices}
        if words and not choices <= set(words):
            yield (
                f"{path}.option = {show(ref.option)}: values beside those of the switch; "
                f"allowed are {_list(show(word) for word in words)}"
            )
    if definition.switches.rounds_per_match == 0 == definition.switches.deals_per_match:
        yield "switches: no length of a match; allowed are rounds_per_match or deals_per_match"
    if not definition.shapes:
        yield "shapes = []: a ruleset plays at least one shape"
    names = {form.shape if isinstance(form, ShapeForm) else form for form in definition.shapes}
    if (
        names <= {"unconnected", "unconnected_groups"}
        and frozenset(definition.tiles.playing) != TILE_SETS[-1]
    ):
        yield "shapes: the unconnected hand alone needs winds and dragons to be played with"


def _stake_problems(definition: Definition) -> Iterator[str]:
    """Yield what is wrong with the name of the base stake."""
    path = f"base_stake = {show(definition.base_stake)}"
    match definition.base_stake.split("."):
        case [""]:
            pass
        case ["elements", name] if name in definition.elements:
            if definition.elements[name].kind != "element":
                yield f"{path}: a factor is no stake; allowed are elements that are summed"
        case ["options", name] if name in definition.options:
            option = definition.options[name]
            if isinstance(option.default, bool | str) or option.none:
                yield f"{path}: only an option of integers can be a stake"
        case _:
            yield f"{path}: no element or option; allowed are elements.ID and options.NAME"


def _setting_problems(
    definition: Definition, form: PresetForm | Implication, path: str
) -> Iterator[str]:
    try:
        check_settings(definition, settings_of(form, where=path), where=path)
    except RulesetError as error:
        yield str(error)


def _clause_problems(definition: Definition) -> Iterator[str]:
    for clause, form in definition.clauses.items():
        if not _CLAUSE.fullmatch(clause):
            yield f"clauses.{clause}: not a clause id like AB-01"
        if (form.status == "O") != bool(form.reason):
            yield f"clauses.{clause}.reason: a clause has a reason if and only if it is outside (O)"
    for name in definition.decisions:
        if not _AMBIGUITY.fullmatch(name):
            yield f"decisions.{name}: not an ambiguity id like AB-A1"
    for section in ("elements", "options"):
        for name, entry in getattr(definition, section).items():
            for clause in entry.clauses:
                if clause not in definition.clauses:
                    yield (
                        f"{section}.{name}.clauses = {show(entry.clauses)}: "
                        f"unknown clause {clause!r}"
                    )
    for name, option in definition.options.items():
        if option.ambiguity and not _AMBIGUITY.fullmatch(option.ambiguity):
            yield (
                f"options.{name}.ambiguity = {show(option.ambiguity)}: "
                "not an ambiguity id like AB-A1"
            )
