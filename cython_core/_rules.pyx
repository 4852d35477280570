"""Rule records: a resolved ruleset turned into what the core plays by."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memset

import importlib

REASONS = (
    "legal",
    "not_complete",
    "not_declared",
    "claim_not_allowed",
    "self_draw_only",
    "declaration_not_allowed",
    "not_dealer",
    "no_such_win",
    "level_too_low",
    "min_flowers",
    "missed_win",
    "suit_missing",
    "no_terminal",
    "no_triplet",
    "single_tile",
)
BY = ("discard", "self_draw", "rob_kong", "kong_draw", "flower_draw", "bao_view", "dealt")
MELDS = (
    "chow", "pong", "kong_exposed", "kong_added", "kong_concealed", "xuan_feng", "xi", "yao", "jiu",
)
LISTEN_OUTCOMES = (
    "won_by_draw", "won_by_discard", "dealt_in", "another_won", "exhausted", "changed",
)

_KONG_AFTER = {"never": KONG_NEVER, "same_waits": KONG_SAME_WAITS, "still_ready": KONG_STILL_READY}


cdef class RuleRecord:
    """A compiled ruleset.

    Parameters
    ----------
    module : str
        Name of the game's module without its underscore.
    tile_set, shapes : int
        Tile set of the evaluator (0 suits, 1 with winds, 2 all) and bit set of shapes.
    tile_counts : sequence of int, length 47
        Copies of each kind in the wall.
    bonus : sequence of int
        Kinds that are set aside and replaced.
    switches : dict
        Switches of the shared loop.
    counters, modes, bids : sequence
        Carried counters, declarations and bids, as the module has them.
    element_values : dict
        Name to integer, in the order of the module.
    option_codes : dict
        Name to integer, all that the module declares and perhaps more.

    Raises
    ------
    ValueError
        If the data and the module do not speak of the same names, or a number is out of range.
    """

    def __init__(
        self, module, *, tile_set, shapes, tile_counts, bonus, switches, counters, modes, bids,
        element_values, option_codes,
    ):
        game = importlib.import_module(f"cython_core._{module}")
        if not hasattr(game, "HOOKS"):
            raise ValueError(f"module {module!r} is no game")
        self.module = module
        self.hooks = game.HOOKS
        self.element_names = game.ELEMENTS
        self.counter_names = game.COUNTERS
        self.mode_names = ("none", *game.MODES)
        self.bid_names = game.BIDS
        self.mark_names = getattr(game, "MARKS", ())
        self.context = game.CONTEXT
        # Each counter by its name, unless the game words them otherwise.
        self.carried = getattr(game, "CARRIED", None) or {
            name: (place, "count") for place, name in enumerate(game.COUNTERS)
        }
        memset(&self.rules, 0, sizeof(Rules))
        for bid, name in enumerate(game.BIDS):
            self.rules.bid_sets |= (not isinstance(name, str)) << bid
        # What a settlement tells besides elements, factors and payments.
        told = getattr(game, "SETTLEMENT", ())
        self.rules.has_fans = "fan" in told
        self.rules.has_payer_elements = "payer_elements" in told
        self.rules.has_payer_fans = "payer_fans" in told
        self.rules.hooks = <const Hooks*>PyCapsule_GetPointer(game.HOOKS, b"mjstats.Hooks")
        self.rules.tile_set = tile_set
        self.rules.shapes = shapes
        self._set_wall(tile_counts, bonus)
        self._set_switches(dict(switches))
        for what, data, code in (
            ("elements", tuple(element_values), game.ELEMENTS),
            ("counters", tuple(counters), game.COUNTERS),
            ("modes", tuple(modes), game.MODES),
            ("bids", tuple(bids), game.BIDS),
        ):
            if data != code:
                raise ValueError(
                    f"ruleset data and module _{module} differ in {what}: {data}, {code}"
                )
        # Options that only switch the shared loop are not the module's.
        if not set(game.OPTIONS) <= set(option_codes):
            missing = sorted(set(game.OPTIONS) - set(option_codes))
            raise ValueError(f"ruleset data lacks options of module _{module}: {missing}")
        self.rules.n_elements = len(game.ELEMENTS)
        self.rules.n_counters = len(game.COUNTERS)
        self.rules.n_modes = len(game.MODES)
        for i, name in enumerate(game.ELEMENTS):
            self.rules.value[i] = element_values[name]
        for i, name in enumerate(game.OPTIONS):
            self.rules.option[i] = option_codes[name]

    cdef _set_wall(self, tile_counts, bonus):
        cdef int kind, _copy, size = 0
        if len(tile_counts) != N_ALL:
            raise ValueError(f"tile_counts has {len(tile_counts)} entries, needs {N_ALL}")
        if sum(tile_counts) > MAX_WALL or min(tile_counts) < 0 or max(tile_counts) > 4:
            raise ValueError(f"tile_counts: 0-4 copies a kind and at most {MAX_WALL} tiles in all")
        for kind, copies in enumerate(tile_counts):
            for _copy in range(copies):
                self.rules.wall[size] = kind
                size += 1
        self.rules.wall_size = size
        for kind in bonus:
            self.rules.bonus |= <uint64_t>1 << kind
        if sum(tile_counts[kind] for kind in bonus) > MAX_BONUS:
            raise ValueError(f"more than {MAX_BONUS} bonus tiles")

    cdef _set_switches(self, switches):
        self.rules.allow_chow = switches.pop("allow_chow")
        self.rules.chow_from_any = switches.pop("chow_from_any")
        self.rules.allow_pong = switches.pop("allow_pong")
        self.rules.allow_exposed_kong = switches.pop("allow_exposed_kong")
        self.rules.allow_added_kong = switches.pop("allow_added_kong")
        self.rules.rob_added_kong = switches.pop("rob_added_kong")
        self.rules.multi_ron = switches.pop("multi_ron")
        self.rules.rob_supplement = switches.pop("rob_supplement")
        self.rules.rob_supplement_by_kong = switches.pop("rob_supplement_by_kong")
        self.rules.specials_after_deal = switches.pop("specials_after_deal")
        self.rules.opening_window = switches.pop("opening_window")
        self.rules.kong_after_declaring = _KONG_AFTER[switches.pop("kong_after_declaring")]
        self.rules.concealed_kong_hidden = switches.pop("concealed_kong_hidden")
        self.rules.reserve_tiles = switches.pop("reserve_tiles")
        self.rules.wild_tiles = switches.pop("wild_tiles")
        self.rules.rounds_per_match = switches.pop("rounds_per_match")
        self.rules.deals_per_match = switches.pop("deals_per_match")
        self.rules.first_dealer_drawn = switches.pop("first_dealer") == "drawn"
        self.rules.dealer_stays_on_draw = switches.pop("dealer_stays_on_draw")
        if self.rules.bonus and not switches.pop("bonus_replaced"):
            raise ValueError("bonus tiles that are not replaced are not played by this core")
        switches.pop("bonus_replaced", None)
        if switches:
            raise ValueError(f"unknown switches: {', '.join(sorted(switches))}")

    @property
    def n_elements(self):
        """Number of elements, factors included."""
        return self.rules.n_elements

    @property
    def looks_into_wall(self):
        """Whether seats may see tiles that still lie in the wall."""
        return self.rules.hooks.sight != NULL

    @property
    def special_kongs(self):
        """Whether special kongs may be shown."""
        return self.rules.hooks.specials != NULL

    @property
    def wall_size(self):
        """Number of tiles in the wall."""
        return self.rules.wall_size
