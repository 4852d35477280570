"""From the human form to the frozen ruleset: extends, presets, changes, and what options imply.

Settings are laid over the definition in this order, the later ones winning: the preset, the house
files from the innermost outwards, the changes of the call. What an option implies about other
options and elements yields to every one of these.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from mjstats.arguments import mapping
from mjstats.arguments import path as checked_path
from mjstats.errors import RulesetError
from mjstats.rulesets.schema import (
    GROUPS,
    SHAPE_BITS,
    TILE_SETS,
    Definition,
    KongAfterDeclaring,
    OptionRef,
    ShapeForm,
    SwitchesForm,
    Value,
    check_settings,
    read_definition,
    read_house,
    read_toml,
    same,
    setting_path,
    settings_of,
    show,
)
from mjstats.tiles import N_ALL

if TYPE_CHECKING:
    import pandas as pd

CATALOG: Final = files("mjstats.rulesets") / "catalog"
"""Folder of the definitions that come with the package."""


@dataclass(frozen=True, slots=True)
class Element:
    """One scoring item of a resolved ruleset.

    Parameters
    ----------
    id : str
        Name in columns and settings.
    kind : {"element", "factor"}
        Summand of the base, or factor upon it.
    name_zh, name_en : str
        Names for people.
    value : int
        Value, of the first tier where there are several.
    scale : tuple of int
        Multiple of the value in each tier; ``(1,)`` without tiers.
    """

    id: str
    kind: Literal["element", "factor"]
    name_zh: str
    name_en: str
    value: int
    scale: tuple[int, ...]

    @property
    def tiers(self) -> tuple[int, ...]:
        """Value of every tier."""
        return tuple(self.value * factor for factor in self.scale)


@dataclass(frozen=True, slots=True)
class Switches:
    """What the shared engine asks about a ruleset.

    Parameters
    ----------
    allow_chow, allow_pong, allow_exposed_kong, allow_added_kong : bool
        Claims and kongs that exist; concealed kongs always do.
    chow_from_any : bool
        A chow may be made of any seat's discard, not of the seat before alone.
    rob_added_kong : bool
        An added kong may be won on.
    rob_supplement : bool
        A tile added to a special kong may be won on, or taken by a pong.
    rob_supplement_by_kong : bool
        It may be taken by an exposed kong as well.
    specials_after_deal : bool
        Special kongs are shown round the table after the deal, not in the first own turn.
    concealed_kong_hidden : bool
        Concealed kongs lie face down until the deal ends.
    multi_ron : bool
        Every seat that may win on a discard does, not the nearest alone.
    opening_window : bool
        Non-dealers dealt a ready hand may declare before the dealer's first discard.
    kong_after_declaring : {"same_waits", "still_ready", "never"}
        When a declared hand may make a kong of the tile just drawn.
    reserve_tiles : int
        Tiles at the tail that stay undrawn.
    wild_tiles : int
        Copies of the wild face in play: 0, 3 (one is turned up) or 4 (the face is drawn by lot).
    rounds_per_match, deals_per_match : int
        Length of a match; deals 0 means by rounds.
    first_dealer : {"seat0", "drawn"}
        Who deals first in a match.
    dealer_stays_on_draw : bool
        The dealer deals again after an exhausted wall.
    bonus_replaced : bool
        Bonus tiles are set aside and replaced from the tail.
    """

    allow_chow: bool
    chow_from_any: bool
    allow_pong: bool
    allow_exposed_kong: bool
    allow_added_kong: bool
    rob_added_kong: bool
    rob_supplement: bool
    rob_supplement_by_kong: bool
    specials_after_deal: bool
    concealed_kong_hidden: bool
    multi_ron: bool
    opening_window: bool
    kong_after_declaring: KongAfterDeclaring
    reserve_tiles: int
    wild_tiles: int
    rounds_per_match: int
    deals_per_match: int
    first_dealer: Literal["seat0", "drawn"]
    dealer_stays_on_draw: bool
    bonus_replaced: bool


@dataclass(frozen=True, slots=True)
class _Layers:
    """A definition with the settings laid over it, in the order in which they win."""

    base: str
    definition: Definition
    preset: str = ""
    house: Mapping[str, Value] = field(default_factory=dict)
    changes: Mapping[str, Value] = field(default_factory=dict)
    id: str = ""
    name: str = ""
    name_zh: str = ""
    file: str = ""

    @property
    def settings(self) -> dict[str, Value]:
        """Every setting that was said, the winning value of each."""
        preset: dict[str, Value] = {}
        if self.preset:
            form = self.definition.presets[self.preset]
            preset = settings_of(form, where=f"presets.{self.preset}")
        return {**preset, **self.house, **self.changes}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Ruleset:
    """A regional game, fully resolved; made by `ruleset`, never by hand.

    Two rulesets are equal if they have the same id and are played the same (`digest`).

    Parameters
    ----------
    id, name, name_zh : str
        Names.
    module : str
        The compiled module that plays it.
    status : {"provisional", "checked"}
        Whether an independent second reading of the sources agrees.
    tile_set : int
        Kinds that are played with: 0 the suits, 1 with winds, 2 all 34.
    tile_counts : tuple of int
        Copies of each of the 47 kinds in the wall.
    bonus : tuple of int
        Kinds that are set aside, ascending.
    shapes : int
        Winning shapes, a bit set: standard 1, pairs_distinct 2, pairs_quads 4, unconnected 8.
    switches : Switches
        Switches of the shared engine.
    counters : tuple of str
        Names of the counters that a match carries from deal to deal.
    modes : tuple of str
        Names of the ways to declare ready.
    bids : tuple of str or tuple of str
        What seats bid before a deal: an amount, by its name, or any of several words.
    elements : tuple of Element
        Scoring items, in the order of the columns.
    """

    id: str
    name: str
    name_zh: str
    module: str
    status: Literal["provisional", "checked"]
    tile_set: int
    tile_counts: tuple[int, ...]
    bonus: tuple[int, ...]
    shapes: int
    switches: Switches
    counters: tuple[str, ...]
    modes: tuple[str, ...]
    bids: tuple[str | tuple[str, ...], ...]
    elements: tuple[Element, ...]
    digest: str
    _options: tuple[tuple[str, Value], ...]
    _layers: _Layers

    @property
    def options(self) -> dict[str, Value]:
        """Value of every option, in the order of the definition."""
        return dict(self._options)

    @property
    def open_bids(self) -> tuple[str | tuple[str, ...], ...]:
        """Bids that seats may make: none where the option ``bids_enabled`` is off."""
        return self.bids if self.options.get("bids_enabled", True) else ()

    @property
    def definition(self) -> Definition:
        """The human form: names, documentation, allowed values, presets, clauses, sources."""
        return self._layers.definition

    @property
    def base(self) -> str:
        """Id in the catalogue, or path of the file, that the definition was read from."""
        return self._layers.base

    @property
    def settings(self) -> dict[str, Value]:
        """Every setting that was made, by full path.

        ``ruleset(r.base, changes=r.settings)`` is played exactly as ``r``.
        """
        return self._layers.settings

    @property
    def base_stake(self) -> int | None:
        """Value of the base stake, the unit of comparisons with other games; None without one.

        Examples
        --------
        >>> ruleset("yancheng").base_stake, ruleset("yiwu", changes={"base_other": 3}).base_stake
        (10, 3)
        """
        section, _, name = self.definition.base_stake.partition(".")
        if section == "options":
            return int(self.options[name])
        return next((item.value for item in self.elements if item.id == name), None)

    def option_codes(self) -> dict[str, int]:
        """Return the options as the core reads them.

        Returns
        -------
        dict of str to int
            Booleans as 0 and 1, integers themselves, ``"none"`` as -1, a word as its position in
            the list of allowed values.

        Examples
        --------
        >>> ruleset("yancheng", changes={"kong_after_ting": "never"}).option_codes()[
        ...     "kong_after_ting"
        ... ]
        2
        """
        forms = self.definition.options
        return {name: forms[name].code(value) for name, value in self._options}

    def element_values(self) -> tuple[int, ...]:
        """Return the value of every element, in the order of `elements`."""
        return tuple(element.value for element in self.elements)

    def as_dict(self) -> dict[str, Any]:
        """Return what is played, complete: the content of `digest`.

        Returns
        -------
        dict
            Plain values only. Names, documentation and sources stay out: they change nothing.
            So do switches that are off, lest a new one move the digest of every game.
        """
        off = SwitchesForm()
        return {
            "module": self.module,
            "tile_counts": list(self.tile_counts),
            "bonus": list(self.bonus),
            "shapes": self.shapes,
            "switches": {
                part.name: getattr(self.switches, part.name)
                for part in fields(Switches)
                if getattr(self.switches, part.name) != getattr(off, part.name)
            },
            "counters": list(self.counters),
            "modes": list(self.modes),
            "elements": [
                {"id": item.id, "kind": item.kind, "value": item.value, "scale": list(item.scale)}
                for item in self.elements
            ],
            "options": self.options,
        }

    def __eq__(self, other: object) -> bool:
        """Compare id and digest."""
        if not isinstance(other, Ruleset):
            return NotImplemented
        return (self.id, self.digest) == (other.id, other.digest)

    def __hash__(self) -> int:
        """Hash id and digest."""
        return hash((self.id, self.digest))

    def __repr__(self) -> str:
        """Return the call that makes the ruleset."""
        layers = self._layers
        text = repr(layers.file or layers.base)
        if layers.preset:
            text += f", preset={layers.preset!r}"
        if layers.changes:
            text += f", changes={dict(layers.changes)!r}"
        return f"ruleset({text})"


def ruleset(
    source: "str | PathLike[str] | Ruleset",
    *,
    preset: str | None = None,
    changes: Mapping[str, Value] | None = None,
) -> Ruleset:
    """Return a ruleset, resolved and frozen.

    Parameters
    ----------
    source : str, path or Ruleset
        Id in the catalogue; a TOML file (a string that ends in ``.toml`` is one); or a ruleset to
        change further.
    preset : str, optional
        Named set of settings of the game; it replaces the preset that the source has.
    changes : mapping, optional
        Settings by path: ``options.NAME`` (or the bare name) and ``elements.ID.value``.

    Returns
    -------
    Ruleset
        The ruleset.

    Raises
    ------
    RulesetError
        If there is no such ruleset, file, preset, option, element or value, or a file is faulty.

    Examples
    --------
    >>> changed = ruleset("yancheng", changes={"elements.qing_yi_se.value": 30})
    >>> changed.options["multi_ron"], changed.switches.multi_ron
    (False, False)
    >>> changed
    ruleset('yancheng', changes={'elements.qing_yi_se.value': 30})
    """
    layers = source._layers if isinstance(source, Ruleset) else _load(source)
    if preset is not None:
        _check_preset(layers.definition, preset, where="preset")
        layers = _replace(layers, preset=preset)
    if changes is not None:
        changes = mapping("changes", changes)
        full = {setting_path(key, where="changes"): value for key, value in changes.items()}
        check_settings(layers.definition, full, where="changes")
        layers = _replace(layers, changes={**layers.changes, **full})
    return _resolve(layers)


def ruleset_ids() -> tuple[str, ...]:
    """Return the ids of the catalogue, in alphabetical order."""
    names = [entry.name for entry in CATALOG.iterdir()]
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def rulesets() -> "pd.DataFrame":
    """Return the catalogue as a table.

    Returns
    -------
    DataFrame
        One row a ruleset: ``id, name, name_zh, tiles`` (in the wall), ``elements`` (number of
        scoring items), ``sources`` (titles).

    Examples
    --------
    >>> "yancheng" in set(rulesets()["id"])
    True
    """
    import pandas as pd

    games = [ruleset(name) for name in ruleset_ids()]
    return pd.DataFrame(
        {
            "id": [game.id for game in games],
            "name": [game.name for game in games],
            "name_zh": [game.name_zh for game in games],
            "tiles": [sum(game.tile_counts) for game in games],
            "elements": [len(game.elements) for game in games],
            "sources": [
                "; ".join(source.title for source in game.definition.sources) for game in games
            ],
        }
    )


def parse_change(text: str) -> tuple[str, Value]:
    """Read one setting as a command line writes it.

    Parameters
    ----------
    text : str
        ``options.NAME=VALUE``, ``NAME=VALUE`` or ``elements.ID.value=VALUE``; the value is
        ``true``, ``false``, an integer or a word.

    Returns
    -------
    tuple of str and value
        Full path and value; whether the game has it is checked by `ruleset`.

    Raises
    ------
    RulesetError
        If the text has no such form.

    Examples
    --------
    >>> parse_change("multi_ron=true"), parse_change("elements.qing_yi_se.value=30")
    (('options.multi_ron', True), ('elements.qing_yi_se.value', 30))
    """
    key, equals, word = (part.strip() for part in text.partition("="))
    if not (key and equals and word):
        raise RulesetError(
            f"setting {text!r}: allowed are options.NAME=VALUE and elements.ID.value=VALUE"
        )
    path = setting_path(key, where="setting")
    if word in ("true", "false"):
        return path, word == "true"
    try:
        return path, int(word)
    except ValueError:
        return path, word


def _replace(layers: _Layers, **parts: Any) -> _Layers:
    """Return the layers with some parts exchanged."""
    old = {part.name: getattr(layers, part.name) for part in fields(_Layers)}
    return _Layers(**{**old, **parts})


def _check_preset(definition: Definition, preset: str, *, where: str) -> None:
    if not isinstance(preset, str) or preset not in definition.presets:
        names = ", ".join(definition.presets) or "none"
        raise RulesetError(
            f"{where} = {show(preset)}: {definition.id} has no such preset; allowed are {names}"
        )


def _load(source: str | PathLike[str]) -> _Layers:
    """Load an id of the catalogue or a file."""
    if isinstance(source, str) and not source.endswith(".toml"):
        if source not in ruleset_ids():
            raise RulesetError(
                f"unknown ruleset {source!r}; allowed are {', '.join(ruleset_ids())} "
                "and the path of a .toml file"
            )
        return _Layers(base=source, definition=_catalog_definition(source))
    return _load_file(checked_path("ruleset", source), trail=())


@cache
def _catalog_definition(name: str) -> Definition:
    """Read a definition of the catalogue once."""
    with as_file(CATALOG / f"{name}.toml") as path:
        return read_definition(read_toml(path), where=path.name)


def _load_file(path: Path, *, trail: tuple[Path, ...]) -> _Layers:
    """Load a file, and what it extends."""
    where = str(path)
    raw = read_toml(path)
    if "extends" not in raw:
        return _Layers(base=where, definition=read_definition(raw, where=where), file=where)
    house = read_house(raw, where=where)
    trail = (*trail, path.resolve())
    if house.extends.endswith(".toml"):
        target = path.parent / house.extends
        if target.resolve() in trail:
            raise RulesetError(f"{where}: extends = {show(house.extends)}: extends itself")
        inner = _load_file(target, trail=trail)
    else:
        try:
            inner = _load(house.extends)
        except RulesetError as error:
            raise RulesetError(f"{where}: extends = {show(house.extends)}: {error}") from error
    settings = settings_of(house, where=where)
    check_settings(inner.definition, settings, where=where)
    if house.preset:
        _check_preset(inner.definition, house.preset, where=f"{where}: preset")
    return _replace(
        inner,
        preset=house.preset or inner.preset,
        house={**inner.house, **settings},
        id=house.id or inner.id,
        name=house.name or inner.name,
        name_zh=house.name_zh or inner.name_zh,
        file=where,
    )


def _resolve(layers: _Layers) -> Ruleset:
    """Fill in every value."""
    definition, settings = layers.definition, layers.settings
    options = _option_values(definition, settings)
    values = _element_values(definition, settings, options)

    def decided(value: Any) -> Any:
        if not isinstance(value, OptionRef):
            return value
        chosen = options[value.option]
        if value.equals is not None:
            return same(chosen, value.equals)
        return value.words.get(str(chosen), chosen)

    counts = [0] * N_ALL
    for group, copies in {**definition.tiles.playing, **definition.tiles.bonus}.items():
        for kind in GROUPS[group]:
            counts[kind] = copies
    shapes = 0
    for shape in definition.shapes:
        if not isinstance(shape, ShapeForm):
            shapes |= SHAPE_BITS[shape]
        elif same(options[shape.option], shape.equals):
            shapes |= SHAPE_BITS[shape.shape]
    parts: dict[str, Any] = {
        "id": layers.id or definition.id,
        "name": layers.name or definition.name,
        "name_zh": layers.name_zh or definition.name_zh,
        "module": definition.module,
        "status": definition.status,
        "tile_set": TILE_SETS.index(frozenset(definition.tiles.playing)),
        "tile_counts": tuple(counts),
        "bonus": tuple(sorted(kind for name in definition.tiles.bonus for kind in GROUPS[name])),
        "shapes": shapes,
        "switches": Switches(
            **{
                part.name: decided(getattr(definition.switches, part.name))
                for part in fields(Switches)
            }
        ),
        "counters": definition.counters,
        "modes": definition.modes,
        "bids": definition.bids,
        "elements": tuple(
            Element(
                name,
                "factor" if decided(form.kind) in (True, "factor") else "element",
                form.name_zh,
                form.name_en,
                values[name],
                form.scale,
            )
            for name, form in definition.elements.items()
        ),
        "_options": tuple(options.items()),
        "_layers": layers,
    }
    draft = Ruleset(**parts, digest="")
    text = msgspec.json.encode(draft.as_dict(), order="sorted")
    return Ruleset(**parts, digest=hashlib.sha256(text).hexdigest())


def _option_values(definition: Definition, settings: Mapping[str, Value]) -> dict[str, Value]:
    """Return every option: as set, else as another option implies, else its default."""
    values: dict[str, Value] = {}

    def value_of(name: str) -> Value:
        if name not in values:
            values[name] = settings.get(f"options.{name}", definition.options[name].default)
            if f"options.{name}" not in settings:
                implied = {
                    source: implication.options[name]
                    for source, option in definition.options.items()
                    for implication in option.implies
                    if name in implication.options and same(value_of(source), implication.value)
                }
                values[name] = _agreed(f"options.{name}", implied, values[name])
        return values[name]

    return {name: value_of(name) for name in definition.options}


def _element_values(
    definition: Definition, settings: Mapping[str, Value], options: Mapping[str, Value]
) -> dict[str, int]:
    """Return every element's value: as set, else as an option implies, else its own."""
    values = {}
    for element, form in definition.elements.items():
        path = f"elements.{element}.value"
        implied: dict[str, Any] = {}
        for name, option in definition.options.items():
            if option.element == element:
                implied[name] = options[name]
            for implication in option.implies:
                if element in implication.elements and same(options[name], implication.value):
                    implied[name] = implication.elements[element]["value"]
        value = settings[path] if path in settings else _agreed(path, implied, form.value)
        values[element] = int(value)
    return values


def _agreed(path: str, implied: Mapping[str, Value], default: Value) -> Value:
    """Return the value that options imply for a setting, if they agree."""
    if not implied:
        return default
    first, *others = implied.values()
    if any(not same(first, other) for other in others):
        ways = ", ".join(f"{show(value)} by options.{name}" for name, value in implied.items())
        raise RulesetError(f"{path}: implied to be {ways}; set {path} itself")
    return first
