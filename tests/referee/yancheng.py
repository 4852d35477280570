"""Yancheng: no claims; a hand is declared ting or fei ting, and only then it may win."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar

from tests.referee.common import (
    HONOURS,
    KIND,
    PLANT_NAMES,
    SEASON_NAMES,
    SUITED,
    IllegalWinError,
    Json,
    Option,
    Value,
    Win,
    check_source,
    check_tiles,
    pay,
    switch,
)
from tests.referee.game import Game, Outcome
from tests.referee.shapes import (
    Group,
    Reading,
    changed,
    is_complete,
    live_waits,
    readings,
)
from tests.referee.table import Entry, Seat, Table

SEASONS = tuple(KIND[name] for name in SEASON_NAMES)
PLANTS = tuple(KIND[name] for name in PLANT_NAMES)
FLOWERS: dict[int, int] = HONOURS | dict.fromkeys(SEASONS + PLANTS, 1)


def is_terminal(kind: int) -> bool:
    """Tell whether a suited tile is a 1 or a 9."""
    return kind % 9 in (0, 8)


def in_middle(group: Group, tile: int) -> bool:
    """Tell whether a tile is the middle of a run."""
    return group.form == "run" and tile == group.tile + 1


def closes(group: Group, tile: int) -> bool:
    """Tell whether a run closes on a tile: its middle, the 3 of 123 or the 7 of 789."""
    if group.form != "run":
        return False
    edge = {0: group.tile + 2, 6: group.tile}.get(group.tile % 9)
    return in_middle(group, tile) or tile == edge


class Yancheng(Game):
    """Scores and permissions of the Yancheng game."""

    ident = "yancheng"
    copies = SUITED | FLOWERS
    bonus = frozenset(FLOWERS)
    modes = ("ting", "fei_ting")
    own_kongs = ("concealed",)
    option_table: ClassVar[Mapping[str, Option]] = {
        "fei_pattern_requires_exact_waits": switch(True),
        "dui_dao_belly": Option("shape", ("shape", "win_tile")),
        "edge_belly": switch(True),
        "multi_wait_cap": Option(40, (40, 80)),
        "seven_pairs_da_diao": switch(True),
        "luxury_drops_flower_kongs": switch(False),
        "opening_ting_credit": Option(
            "through_first_discard", ("through_first_discard", "window_only")
        ),
        "opening_window": switch(True),
        "tian_hu_hei_zi": switch(True),
        "tian_hu_wait_bonus": switch(False),
        "multi_ron": switch(False),
        "kong_after_ting": Option("same_waits", ("same_waits", "still_ready", "never")),
        "fei_duel": Option("off", ("off", "on")),
        "round_up_tens": switch(False),
        "three_suits_must_fly": switch(False),
        "da_fei_ji_same_discard": switch(False),
        "rounds_per_match": Option(4, least=1),
    }
    element_values: ClassVar[Mapping[str, int]] = {
        "flower_tiles": 1,
        "yao_jiu": 1,
        "men_qing": 10,
        "duan_men": 10,
        "qing_yi_se": 50,
        "peng_peng_hu": 50,
        "yi_tiao_long": 10,
        "qi_dui": 20,
        "deng_zi": 10,
        "hei_zi": 36,
        "qi_shou_ting": 10,
        "ya_dang": 10,
        "dui_dao": 10,
        "da_diao_che": 10,
        "ting_self_draw": 1,
        "ting_dian_pao": 2,
        "da_fei_ji": 4,
        "fei_ting_self_draw": 3,
        "tian_hu": 3,
        "hao_hua_qi_dui": 2,
        "jia_jia": 2,
    }

    # Scoring

    def check(self, win: Win) -> None:
        mode = win.context.get("ting_mode", "none")
        check_tiles(win, self.copies, self.bonus, ("kong_concealed",))
        check_source(win, ("discard",), ("self_draw", "kong_draw", "flower_draw", "dealt"))
        if win.by == "dealt":
            if win.winner != win.dealer:
                raise IllegalWinError("tian_hu_is_the_dealers")
            if win.melds or mode != "none":
                raise IllegalWinError("tian_hu_before_kong_and_discard")
        elif mode == "none":
            raise IllegalWinError("not_declared")
        elif mode == "fei_ting" and win.by == "discard":
            raise IllegalWinError("fei_ting_self_draw_only")
        groups = tuple(meld.group for meld in win.melds)
        whole = changed(win.hand, (win.tile,), 1)
        if not is_complete(whole, groups):
            raise IllegalWinError("not_complete")
        if mode == "ting" and self.must_fly(Seat(melds=list(win.melds)), whole):
            raise IllegalWinError("three_suits_must_fly")

    def settle(self, win: Win) -> list[Json]:
        self.check(win)
        results: list[tuple[int, Json]] = []
        whole = changed(win.hand, (win.tile,), 1)
        groups = tuple(meld.group for meld in win.melds)
        for reading in readings(whole, groups):
            for elements, factors in self.scorings(win, reading):
                base = sum(elements.values())
                if self.on("round_up_tens"):
                    base = -(-base // 10) * 10
                multiplier = 1
                for factor in factors.values():
                    multiplier *= factor
                result: Json = {
                    "legal": True,
                    "elements": {name: worth for name, worth in elements.items() if worth},
                    "factors": factors,
                    "base_total": base,
                    "multiplier": multiplier,
                    "payments": pay(win.winner, self.shares(win, base * multiplier)),
                }
                results.append((base * multiplier, result))
        best = max(amount for amount, _ in results)
        return [result for amount, result in results if amount == best]

    def shares(self, win: Win, amount: int) -> dict[int, int]:
        """Return what each payer pays."""
        if win.source is not None:
            return {win.source: amount}
        states = win.context.get("payer_states", ["none"] * 4)
        twice = {"off": (), "on": ("fei_ting",)}[str(self.options["fei_duel"])]
        return {
            seat: amount * (2 if states[seat] in twice else 1)
            for seat in range(4)
            if seat != win.winner
        }

    def scorings(
        self, win: Win, reading: Reading
    ) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
        """Yield elements and factors of a reading, once for each way to see its last tile."""
        plain, factors = self.plain_elements(win, reading), self.plain_factors(win)
        whole = changed(win.hand, (win.tile,), 1)
        groups = tuple(meld.group for meld in win.melds)
        if win.by == "dealt" and self.on("tian_hu_wait_bonus"):
            last_tiles = [tile for tile in self.playing if whole[tile]]
        elif win.by != "dealt" and win.context["ting_mode"] == "fei_ting":
            last_tiles = [win.tile]
        else:
            yield plain, factors
            return
        for tile in last_tiles:
            before = changed(whole, (tile,), -1)
            waits = live_waits(before, groups, self.playing)
            quads = whole.count(4) if reading.shape == "seven_pairs" else 0
            luxury = quads > 0 and before[tile] == 3 and waits == (tile,)
            elements, more = dict(plain), dict(factors)
            if luxury:
                more["hao_hua_qi_dui"] = self.values["hao_hua_qi_dui"] * 2 ** (quads - 1)
                if self.on("luxury_drops_flower_kongs"):
                    elements["deng_zi"] = 0
            bonuses = self.wait_bonuses(reading, tile, waits)
            if not bonuses:
                yield elements, more
            for name, worth in bonuses:
                yield elements | {name: worth}, more

    def plain_elements(self, win: Win, reading: Reading) -> dict[str, int]:
        """Return the elements that any declaration can earn."""
        value = self.values
        groups, pairs = reading.groups, reading.pairs
        tiles = [tile for g in groups for tile in g.tiles] + 2 * list(pairs)
        suits = len({tile // 9 for tile in tiles})
        alike = [tile for g in groups if g.form != "run" for tile in g.tiles] + 2 * list(pairs)
        runs = {g.tile for g in groups if g.form == "run"}
        flowers = Counter(win.flowers)
        deng_zi = (
            sum(g.form == "kong" for g in groups)
            + sum(flowers[kind] == 4 for kind in HONOURS)
            + sum(all(flowers[kind] for kind in four) for four in (SEASONS, PLANTS))
        )
        if win.by == "dealt":
            no_flower = not win.flowers and self.on("tian_hu_hei_zi")
        else:
            no_flower = win.context.get("flowers_at_ting", len(win.flowers)) == 0
        opening = win.by != "dealt" and bool(win.context.get("opening_ting"))
        return {
            "flower_tiles": len(win.flowers) * value["flower_tiles"],
            "yao_jiu": sum(map(is_terminal, alike)) * value["yao_jiu"],
            "men_qing": value["men_qing"],
            "duan_men": value["duan_men"] * (suits == 2),
            "qing_yi_se": value["qing_yi_se"] * (suits == 1),
            "peng_peng_hu": value["peng_peng_hu"] * (len(groups) == 4 and not runs),
            "yi_tiao_long": value["yi_tiao_long"]
            * any({first, first + 3, first + 6} <= runs for first in (0, 9, 18)),
            "qi_dui": value["qi_dui"] * (reading.shape == "seven_pairs"),
            "deng_zi": deng_zi * value["deng_zi"],
            "hei_zi": value["hei_zi"] * no_flower,
            "qi_shou_ting": value["qi_shou_ting"] * opening,
        }

    def plain_factors(self, win: Win) -> dict[str, int]:
        """Return the factors that do not depend on the reading."""
        if win.by == "dealt":
            name = "tian_hu"
        elif win.context["ting_mode"] == "fei_ting":
            name = "fei_ting_self_draw"
        elif win.source is None:
            name = "ting_self_draw"
        else:
            states = {win.context.get("discarder_state")}
            if self.on("da_fei_ji_same_discard"):
                states.add(win.context.get("discarder_declares_now"))
            name = "da_fei_ji" if "fei_ting" in states else "ting_dian_pao"
        factors = {name: self.values[name]}
        if win.context.get("jia", 0) > 0:
            factors["jia_jia"] = self.values["jia_jia"]
        return factors

    def wait_bonuses(
        self, reading: Reading, tile: int, waits: tuple[int, ...]
    ) -> list[tuple[str, int]]:
        """Return the wait bonuses that a reading allows, of which one is scored."""
        exact = self.on("fei_pattern_requires_exact_waits")
        closing = sum(closes(group, tile) for group in reading.groups)
        bonuses = []
        if not exact or waits == (tile,):
            if reading.shape == "seven_pairs":
                on_pair = tile in reading.pairs and self.on("seven_pairs_da_diao")
            else:
                on_pair = tile in reading.pairs
            k = on_pair + closing
            if k:
                tiers = {40: 3, 80: 4}[self.number("multi_wait_cap")]
                name = "da_diao_che" if on_pair else "ya_dang"
                bonuses.append((name, self.values[name] * 2 ** (min(k, tiers) - 1)))
        if Group("triplet", tile) in reading.groups:
            other = reading.pairs[0]
            if not exact or waits == tuple(sorted((tile, other))):
                bellied = (tile, other) if self.options["dui_dao_belly"] == "shape" else (tile,)
                belly = closes if self.on("edge_belly") else in_middle
                bellies = sum(any(belly(g, kind) for g in reading.groups) for kind in bellied)
                bonuses.append(("dui_dao", self.values["dui_dao"] * 2**bellies))
        return bonuses

    # What is carried

    def counters_before_match(self) -> Json:
        return {"jia": 0}

    def start_faults(self, start: Json) -> list[str]:
        faults = super().start_faults(start)
        jia = start["carried"].get("jia")
        if type(jia) is not int or not 0 <= jia <= start["deal_in_match"]:
            faults.append(f"jia must be 0 to {start['deal_in_match']}, the deals before, not {jia}")
        return faults

    def carry(self, before: Json, outcome: Outcome) -> Json:
        jia, dealer = before["jia"], before["dealer"]
        if not outcome.winners:
            jia += 1
        elif jia > 0:
            jia += 1 if dealer in outcome.winners else -1
        return {"jia": jia, "dealer": self.next_dealer(dealer, outcome.winners)}

    # Permissions

    def must_fly(self, seat: Seat, counts: tuple[int, ...]) -> bool:
        """Tell whether a hand has three suits and the option makes it fly."""
        tiles = [kind for kind, n in enumerate(counts) if n] + [g.tile for g in seat.groups]
        return self.on("three_suits_must_fly") and len({tile // 9 for tile in tiles}) == 3

    def has_window(self) -> bool:
        return self.on("opening_window")

    def against_declaring(self, table: Table, seat: int, mode: str, kept: Seat) -> str:
        if table.seats[seat].mode != "none":
            return "a declaration is final"
        if not self.waits(kept):
            return "the hand is not ready"
        if mode == "ting" and self.must_fly(kept, kept.counts):
            return "a hand of three suits must fly"
        return ""

    def declare(self, table: Table, seat: int, ready: Json, *, in_window: bool) -> None:
        super().declare(table, seat, ready, in_window=in_window)
        player = table.seats[seat]
        player.flowers_at_ready = len(player.flowers)
        through_discard = self.options["opening_ting_credit"] == "through_first_discard"
        first_discard = player.thrown == 0 and (through_discard or seat == table.dealer)
        player.opening = in_window or first_discard

    def against_kong(self, table: Table, seat: int, kind: str, tile: int, entry: Entry) -> str:
        player = table.seats[seat]
        if player.mode == "none":
            return ""
        rule = self.options["kong_after_ting"]
        if rule == "never":
            return "there is no kong after declaring"
        if tile != entry.tile:
            return "a kong after declaring uses the tile just drawn"
        before, after = self.waits_around_kong(player, kind, tile, entry.tile)
        if rule == "same_waits" and after != before:
            return "a kong after declaring leaves the waits as they are"
        if not after:
            return "a kong after declaring leaves the hand ready"
        return ""

    def several_winners(self) -> bool:
        return self.on("multi_ron")

    def win_context(self, table: Table, seat: int, source: int | None) -> Json:
        player = table.seats[seat]
        return {
            "ting_mode": player.mode,
            "discarder_state": None if source is None else self.state_before(table, source),
            "discarder_declares_now": None if source is None else table.declared_now,
            "jia": table.carried["jia"],
            "opening_ting": player.opening,
            "flowers_at_ting": player.flowers_at_ready,
            "payer_states": [player.mode for player in table.seats],
        }

    def state_before(self, table: Table, discarder: int) -> str:
        """Return the discarder's state before the discard that lies open."""
        return "none" if table.declared_now else table.seats[discarder].mode


def score(case: Json, options: Mapping[str, Value], elements: Mapping[str, int]) -> Json:
    """Answer a case; `options` and `elements` are changes to the defaults."""
    return Yancheng(options, elements).answer(case)
