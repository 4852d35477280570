"""Changchun: special kongs, a hidden bao, and conditions that a complete hand must meet."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar

from tests.referee.common import (
    HONOURS,
    KIND,
    MELD_FORMS,
    NAMES,
    SPECIAL_KONGS,
    SUITED,
    IllegalWinError,
    Json,
    Meld,
    Option,
    Value,
    Win,
    check_source,
    check_tiles,
    parse_tiles,
    switch,
)
from tests.referee.game import Game, Outcome
from tests.referee.shapes import Counts, Group, Reading, changed, held, readings
from tests.referee.table import Entry, Seat, Table

ONE_BAMBOO = KIND["1s"]
EGGS = tuple(KIND[name] for name in ("1p", "1s", "5z", "6z", "7z"))
DRAGONS = range(KIND["5z"], KIND["7z"] + 1)
N_SUITED = 27


def is_middle(group: Group, tile: int) -> bool:
    """Tell whether a tile is the middle of a run."""
    return group.form == "run" and tile == group.tile + 1


def is_edge(group: Group, tile: int) -> bool:
    """Tell whether a tile is the 3 of 123 or the 7 of 789."""
    return group.form == "run" and tile == {0: group.tile + 2, 6: group.tile}.get(group.tile % 9)


class Changchun(Game):
    """Scores and permissions of the Changchun game."""

    ident = "changchun"
    copies = SUITED | HONOURS
    modes = ("ting",)
    own_kongs = ("concealed", "added")
    claims = ("pong", "kong", "chow")
    special_kongs = True
    has_bao = True
    first_dealer_drawn = True
    last_claim_ends = True
    result_fields = (
        "elements",
        "factors",
        "payer_elements",
        "base_total",
        "multiplier",
        "fan",
        "payer_fans",
        "payments",
    )
    option_table: ClassVar[Mapping[str, Option]] = {
        "fan_mode": Option("double", ("double", "add")),
        "scoring_profile": Option("published", ("published", "seed_only")),
        "discard_payment": Option(
            "cover_unless_ting", ("cover_unless_ting", "three_pay", "discarder_covers")
        ),
        "fan_cap": Option("none"),
        "xuan_feng_tiles": Option("all4", ("all4", "any3")),
        "chow_from": Option("next", ("next", "any")),
        "special_kong_source": Option("dealt", ("dealt", "first_turn")),
        "special_kong_time": Option("first_turn", ("first_turn", "after_deal")),
        "special_kong_breaks_li_hu": switch(True),
        "special_kong_counts_suits": switch(True),
        "shou_ba_yi_counts_concealed_kong": switch(True),
        "bao_count": Option("visible", ("visible", "discarded")),
        "bao_view_time": Option("on_ting", ("on_ting", "next_turn")),
        "bao_dice": Option(1, (1, 2)),
        "bao_reroll": Option("auto", ("auto", "optional")),
        "reserve_stacks": Option(7, tuple(range(8))),
        "ting_required": switch(False),
        "ting_needs_conditions": switch(False),
        "rob_supplement_by_kong": switch(False),
        "rob_kong_as": Option("discard", ("discard", "self_draw")),
        "exposed_kong_payer": Option("three", ("three", "discarder")),
        "jia_hu_mode": Option("wide", ("wide", "middle")),
        "hao_hua_mode": Option("fourth", ("fourth", "any")),
        "mo_bao_value": Option("best", ("best", "plain")),
        "kong_on_draw": Option("stands", ("stands", "void")),
        "opening_supplement_robbable": switch(False),
        "dead_claim": Option("forbidden", ("forbidden", "allowed")),
        "qi_dui": Option("on", ("on", "off")),
        "piao_hu_special_kong": switch(True),
        "yao_jiu_mode": Option("either", ("either", "both")),
        "final_four": Option("off", ("off", "mil")),
        "one_bamboo_wild": switch(False),
        "three_suits": Option("on", ("on", "off")),
        "ting_kong": Option("same_waits", ("same_waits", "never")),
        "stake": Option(1, least=1),
        "rounds_per_match": Option(4, least=1),
    }
    element_values: ClassVar[Mapping[str, int]] = {
        "li_hu": 1,
        "zhuang": 1,
        "zi_mo": 1,
        "dian_pao": 1,
        "jia_hu": 1,
        "piao_hu": 2,
        "qi_dui": 3,
        "hao_hua_qi_dui": 4,
        "mo_bao": 1,
        "chong_bao": 2,
        "qing_yi_se": 1,
    }

    def options_from_options(self, given: Mapping[str, Value]) -> dict[str, Value]:
        return {"qi_dui": "off"} if given.get("scoring_profile") == "seed_only" else {}

    def values_from_options(self) -> dict[str, int]:
        if self.options["scoring_profile"] == "seed_only":
            return dict.fromkeys(self.element_values.keys() - {"li_hu", "zhuang"}, 0)
        return {}

    # Legal hands

    def is_special_kong(self, kind: str, tiles: Sequence[int]) -> bool:
        """Tell whether tiles are a special kong, supplements included."""
        wanted, have = SPECIAL_KONGS[kind], Counter(tiles)
        needed = 3
        if kind == "xuan_feng" and self.options["xuan_feng_tiles"] == "all4":
            needed = 4
        own = [tile for tile in have if tile in wanted]
        wild = 0
        if self.on("one_bamboo_wild"):
            wild = have[ONE_BAMBOO] - (ONE_BAMBOO in own)
        strange = [tile for tile in have if tile not in wanted]
        if strange and not (self.on("one_bamboo_wild") and strange == [ONE_BAMBOO]):
            return False
        return bool(own) and len(own) + wild >= needed and len(tiles) >= needed

    def legal_readings(self, hand: Counts, melds: Sequence[Meld], tile: int) -> list[Reading]:
        """Return the readings that win with a last tile; IllegalWinError if there are none."""
        whole, groups = changed(hand, (tile,), 1), tuple(meld.group for meld in melds)
        found = readings(whole, groups, seven_pairs=self.options["qi_dui"] == "on")
        if not found:
            raise IllegalWinError("shape")
        self.check_conditions(whole, melds)
        found = [reading for reading in found if self.has_cha(reading)]
        if not found:
            raise IllegalWinError("cha")
        counted = [
            meld
            for meld in melds
            if meld.type != "kong_concealed" or not self.on("shou_ba_yi_counts_concealed_kong")
        ]
        if len(counted) == 4:
            found = [reading for reading in found if self.is_piao_hu(reading)]
        if not found:
            raise IllegalWinError("shou_ba_yi")
        return found

    def check_conditions(self, hand: Counts, melds: Sequence[Meld]) -> None:
        """Refuse a hand without the three suits, or without a 1 or 9."""
        kinds = {kind for kind, n in enumerate(hand) if n}
        suits = {kind // 9 for kind in kinds if kind < N_SUITED}
        ranks = {kind % 9 for kind in kinds if kind < N_SUITED} & {0, 8}
        exempt = any(kind >= N_SUITED for kind in kinds)
        for meld in melds:
            if meld.type in ("xuan_feng", "xi"):
                exempt = True
            elif meld.type in ("yao", "jiu"):
                # A wild 1s is there as the tile that it stands for.
                ranks.add(0 if meld.type == "yao" else 8)
                if self.on("special_kong_counts_suits"):
                    suits |= {0, 1, 2}
            else:
                exempt |= meld.tiles[0] >= N_SUITED
                suits |= {tile // 9 for tile in meld.tiles if tile < N_SUITED}
                ranks |= {tile % 9 for tile in meld.tiles if tile < N_SUITED} & {0, 8}
        if self.options["three_suits"] == "on" and len(suits) < 3:
            raise IllegalWinError("three_suits")
        needed = 2 if self.options["yao_jiu_mode"] == "both" else 1
        if not exempt and len(ranks) < needed:
            raise IllegalWinError("yao_jiu")

    def has_cha(self, reading: Reading) -> bool:
        """Tell whether a reading has a triplet, or what stands in for one."""
        return (
            reading.shape == "seven_pairs"
            or any(group.form != "run" for group in reading.groups)
            or reading.pairs[0] in DRAGONS
        )

    def is_piao_hu(self, reading: Reading) -> bool:
        """Tell whether all four sets are triplets or kongs."""
        forms = {"triplet", "kong"}
        if self.on("piao_hu_special_kong"):
            forms.add("special")
        return reading.shape == "standard" and {group.form for group in reading.groups} <= forms

    def legal_waits(self, hand: Counts, melds: Sequence[Meld]) -> tuple[int, ...]:
        """Return the kinds that would win and of which the player has no four copies."""
        groups = tuple(meld.group for meld in melds)
        found = []
        for kind in self.playing:
            if held(hand, groups, kind) < 4:
                try:
                    self.legal_readings(hand, melds, kind)
                except IllegalWinError:
                    continue
                found.append(kind)
        return tuple(found)

    def waits(self, seat: Seat) -> tuple[int, ...]:
        return self.legal_waits(seat.counts, seat.melds)

    # Scoring

    def check(self, win: Win) -> None:
        self.ways(win)

    def self_drawn(self, win: Win) -> bool:
        """Tell whether a win counts as drawn by the winner."""
        return win.source is None or (
            win.by == "rob_kong" and self.options["rob_kong_as"] == "self_draw"
        )

    def ways(self, win: Win) -> list[dict[str, int]]:
        """Return every way to count the fans of a win; IllegalWinError if it is none."""
        check_tiles(win, self.copies, self.bonus, (*MELD_FORMS, *SPECIAL_KONGS))
        own_ways = ("self_draw", "kong_draw", "dealt", "bao_view")
        check_source(win, ("discard", "rob_kong"), own_ways)
        for meld in win.melds:
            if meld.type in SPECIAL_KONGS and not self.is_special_kong(meld.type, meld.tiles):
                raise IllegalWinError("malformed_meld")
        if win.by == "dealt" and (
            win.winner != win.dealer or any(m.type not in SPECIAL_KONGS for m in win.melds)
        ):
            raise IllegalWinError("dealt_hand_is_the_dealers")
        declared = win.winner in win.context.get("ting", [])
        bao = win.context.get("bao")
        is_bao = declared and bao is not None and KIND[bao] == win.tile
        if self.on("ting_required") and not declared and win.by != "dealt":
            raise IllegalWinError("not_ting")
        drawn = {"zi_mo": self.values["zi_mo"]} if self.self_drawn(win) else {}
        waits = self.legal_waits(win.hand, win.melds) if is_bao else ()
        if win.by == "bao_view":
            if win.tile not in waits:
                raise IllegalWinError("chong_bao")
            drawn["chong_bao"] = self.values["chong_bao"]
        elif is_bao and waits and win.by in ("self_draw", "kong_draw"):
            bonus = drawn | {"mo_bao": self.values["mo_bao"]}
            if self.options["mo_bao_value"] == "best":
                return [fans | bonus for wait in waits for fans in self.hand_fans(win, wait)]
            plain = {"li_hu": self.values["li_hu"]} if self.is_closed(win.melds) else {}
            ways = [plain | bonus]
            if win.tile in waits:
                ways += [fans | drawn for fans in self.hand_fans(win, win.tile)]
            return ways
        return [fans | drawn for fans in self.hand_fans(win, win.tile)]

    def is_closed(self, melds: Sequence[Meld]) -> bool:
        """Tell whether melds leave a hand standing."""
        harmless = {"kong_concealed"}
        if not self.on("special_kong_breaks_li_hu"):
            harmless |= set(SPECIAL_KONGS)
        return all(meld.type in harmless for meld in melds)

    def hand_fans(self, win: Win, tile: int) -> Iterator[dict[str, int]]:
        """Yield the fans of a hand with a last tile, reading by reading."""
        hand, melds, value = win.hand, win.melds, self.values
        legal = self.legal_readings(hand, melds, tile)
        whole = changed(hand, (tile,), 1)
        runs = [r for r in legal if r.shape == "standard" and not self.is_piao_hu(r)]
        jia_hu = any(self.is_jia_hu(r.groups[len(melds) :], r.pairs[0], tile) for r in runs)
        if runs and self.options["jia_hu_mode"] == "wide" and not jia_hu:
            jia_hu = self.legal_waits(hand, melds) == (tile,)
        kinds = {k for k, n in enumerate(whole) if n} | {k for m in melds for k in m.tiles}
        pure = {"qing_yi_se": value["qing_yi_se"]}
        mixed = max(kinds) >= N_SUITED or len({kind // 9 for kind in kinds}) > 1
        if self.options["three_suits"] == "on" or mixed:
            pure = {}
        for reading in legal:
            if reading.shape == "seven_pairs":
                fourth = hand[tile] == 3
                if self.options["hao_hua_mode"] == "any":
                    fourth = 4 in whole
                name = "hao_hua_qi_dui" if fourth else "qi_dui"
                yield {name: value[name]} | pure
                continue
            fans = {"li_hu": value["li_hu"]} if self.is_closed(melds) else {}
            if self.is_piao_hu(reading):
                fans["piao_hu"] = value["piao_hu"]
            elif jia_hu:
                fans["jia_hu"] = value["jia_hu"]
            yield fans | pure

    def is_jia_hu(self, groups: Sequence[Group], pair: int, tile: int) -> bool:
        """Tell whether a last tile closes a concealed run, or the pair."""
        if self.options["jia_hu_mode"] == "middle":
            return any(is_middle(group, tile) for group in groups)
        return pair == tile or any(is_middle(g, tile) or is_edge(g, tile) for g in groups)

    def settle(self, win: Win) -> list[Json]:
        ways = [{k: worth for k, worth in way.items() if worth} for way in self.ways(win)]
        best = max(sum(way.values()) for way in ways)
        return [self.result(win, way) for way in ways if sum(way.values()) == best]

    def result(self, win: Win, elements: dict[str, int]) -> Json:
        fan, stake = sum(elements.values()), self.number("stake")
        pairwise: dict[int, dict[str, int]] = {}
        for seat in range(4):
            if seat == win.winner:
                continue
            own = {"zhuang": self.values["zhuang"] * (win.dealer in (win.winner, seat))}
            if seat == win.source and not self.self_drawn(win):
                own["dian_pao"] = self.values["dian_pao"]
            pairwise[seat] = {name: worth for name, worth in own.items() if worth}
        fans = {seat: self.capped(fan + sum(own.values())) for seat, own in pairwise.items()}
        shares = {seat: stake * self.times(own) for seat, own in fans.items()}
        payments = [-shares.get(seat, 0) for seat in range(4)]
        payments[win.winner] = sum(shares.values())
        if win.source is not None and not self.self_drawn(win) and self.covers(win):
            payments = [0] * 4
            payments[win.source] = -sum(shares.values())
            payments[win.winner] = sum(shares.values())
        for event in win.context.get("kong_events", []):
            payments = [a + b for a, b in zip(payments, self.kong_event(event), strict=True)]
        return {
            "legal": True,
            "elements": elements,
            "factors": {},
            "payer_elements": {str(seat): own for seat, own in pairwise.items() if own},
            # What a payer owes who is neither dealer nor discarder, if the winner is not dealer.
            "base_total": stake,
            "multiplier": self.times(self.capped(fan)),
            "fan": fan,
            "payer_fans": {str(seat): own for seat, own in fans.items()},
            "payments": payments,
        }

    def capped(self, fan: int) -> int:
        """Return the fans that count."""
        return fan if self.options["fan_cap"] == "none" else min(fan, self.number("fan_cap"))

    def times(self, fan: int) -> int:
        """Return how many stakes a share of some fans is."""
        return int(2**fan) if self.options["fan_mode"] == "double" else 1 + fan

    def covers(self, win: Win) -> bool:
        """Tell whether the discarder pays for all three."""
        rule = self.options["discard_payment"]
        return rule == "discarder_covers" or (
            rule == "cover_unless_ting" and win.source not in win.context.get("ting", [])
        )

    # Kongs are paid at once

    def kong_payments(
        self, seat: int, kind: str, tile: int, giver: int | None = None
    ) -> list[int] | None:
        stakes = self.number("stake")
        if kind in ("exposed", "added", "concealed"):
            stakes *= (2 if kind == "concealed" else 1) * (2 if tile in EGGS else 1)
        payments = [-stakes] * 4
        if kind == "exposed" and self.options["exposed_kong_payer"] == "discarder":
            payments = [0] * 4
            payments[seat if giver is None else giver] = -3 * stakes
        payments[seat] = 3 * stakes
        return payments

    def kongs_void(self, outcome: Outcome) -> bool:
        return not outcome.winners and self.options["kong_on_draw"] == "void"

    def kong_event(self, event: Json) -> list[int]:
        """Return what a case's kong event pays."""
        if event.get("robbed", False):
            return [0] * 4
        kind = event["type"].removeprefix("kong_")
        tile = parse_tiles(event.get("tile") or event["tiles"])[0]
        return self.kong_payments(event["seat"], kind, tile, event.get("from")) or [0] * 4

    def answer(self, case: Json) -> Json:
        if case.get("kind") != "kong":
            return super().answer(case)
        game = self.changed(case)
        events = case["context"]["kong_events"]
        paid = [game.kong_event(event) for event in events]
        drawn = [
            len(parse_tiles(e["tiles"])) - 3 if e["type"] in SPECIAL_KONGS else 1
            for e in events
            if not e.get("robbed", False)
        ]
        return {
            "payments": [sum(column) for column in zip(*paid, strict=True)],
            "replacement_draws": sum(drawn),
        }

    # What is carried

    def counters_before_match(self) -> Json:
        return {}

    def carry(self, before: Json, outcome: Outcome) -> Json:
        return {"dealer": self.next_dealer(before["dealer"], outcome.winners)}

    # The wall and the bao

    def can_draw(self, table: Table, end: str) -> bool:
        return table.wall.can_draw(end, 2 * self.number("reserve_stacks"))

    def final_draws(self, table: Table) -> bool:
        left = table.wall.present() - table.wall.tails % 2
        return self.options["final_four"] == "mil" and left <= 18

    def bao_choices(self, table: Table) -> dict[int, int]:
        stacks, dice = table.wall.stacks(), self.number("bao_dice")
        return {
            thrown: slot
            for thrown in range(dice, 6 * dice + 1)
            for slot in stacks[thrown - 1 : thrown]
            if slot not in table.bao_slots and not self.three_out(table, table.wall.tiles[slot])
        }

    def bao_due(self, table: Table) -> bool:
        bao = table.bao()
        return bao is not None and self.three_out(table, bao)

    def three_out(self, table: Table, kind: int) -> bool:
        """Tell whether three copies of a kind are out."""
        if self.options["bao_count"] == "discarded":
            return table.thrown.count(kind) >= 3
        lying = [tile for seat in table.seats for tile in seat.discards]
        lying += [
            tile
            for seat in table.seats
            for meld in seat.melds
            for tile in meld.tiles
            if meld.type != "kong_concealed"
        ]
        return lying.count(kind) >= 3

    # Permissions

    def against_declaring(self, table: Table, seat: int, mode: str, kept: Seat) -> str:
        if table.seats[seat].mode != "none":
            return "a declaration is final"
        if self.on("ting_needs_conditions"):
            try:
                self.check_conditions(kept.counts, kept.melds)
            except IllegalWinError as reason:
                return f"the hand that declares lacks {reason}"
        return "" if self.waits(kept) else "the hand is not ready"

    def against_moving_waits(self, before: Seat, after: Seat) -> str:
        """Judge a kong or supplement of a declared hand."""
        if self.options["ting_kong"] == "never":
            return "there is no kong after declaring"
        if self.waits(before) != self.waits(after):
            return "a kong after declaring leaves the waits as they are"
        return ""

    def against_kong(self, table: Table, seat: int, kind: str, tile: int, entry: Entry) -> str:
        player = table.seats[seat]
        if player.mode == "none":
            return ""
        if tile != entry.tile:
            return "a kong after declaring uses the tile just drawn"
        return self.against_moving_waits(player.without(tile), player.with_kong(kind, tile))

    def against_claim(self, table: Table, seat: int, what: str, source: int, tile: int) -> str:
        player = table.seats[seat]
        if what == "kong" and not self.can_draw(table, "head"):
            return "there is no exposed kong after the last draw"
        if what == "chow" and self.options["chow_from"] == "next" and seat != (source + 1) % 4:
            return "only the next seat may chow"
        if player.mode != "none":
            if what != "kong":
                return "a declared hand claims nothing but a win or a kong"
            return self.against_moving_waits(player, player.with_kong("exposed", tile))
        if self.options["dead_claim"] == "forbidden" and self.is_dead(player, what):
            return "a claim must not leave one tile beside a chow"
        return ""

    def is_dead(self, player: Seat, what: str) -> bool:
        """Tell whether a claim leaves a single tile that cannot win."""
        types = [what, *(meld.type for meld in player.melds)]
        if self.on("shou_ba_yi_counts_concealed_kong"):
            types = [kind for kind in types if kind != "kong_concealed"]
        special = not self.on("piao_hu_special_kong") and not SPECIAL_KONGS.keys().isdisjoint(types)
        return len(types) == 4 and ("chow" in types or special)

    def can_rob(self, kind: str) -> bool:
        return kind == "added"

    def shows_after_deal(self) -> bool:
        return self.options["special_kong_time"] == "after_deal"

    def against_special_kong(
        self, table: Table, seat: int, kind: str, tiles: Sequence[int], *, in_turn: bool
    ) -> str:
        player = table.seats[seat]
        if in_turn and (player.thrown or self.shows_after_deal()):
            return "special kongs are shown in the first turn, or directly after the deal"
        if any(meld.type == kind for meld in player.melds):
            return f"there is a {kind} already"
        if len(player.melds) == 4:
            return "there are four melds already"
        own = {tile for tile in tiles if tile in SPECIAL_KONGS[kind]}
        wild = tiles.count(ONE_BAMBOO) - (ONE_BAMBOO in own)
        if not self.is_special_kong(kind, tiles) or len(own) + wild != len(tiles):
            return f"these tiles are no {kind}"
        dealt_only = self.options["special_kong_source"] == "dealt"
        if dealt_only and Counter(tiles) - Counter(player.dealt):
            return "only dealt tiles make a special kong"
        return ""

    def against_supplement(
        self, table: Table, seat: int, kind: str, tile: int, entry: Entry
    ) -> str:
        player = table.seats[seat]
        wild = self.on("one_bamboo_wild") and tile == ONE_BAMBOO
        if tile not in SPECIAL_KONGS[kind] and not wild:
            return f"this tile does not belong to a {kind}"
        if entry.how == "claim":
            return "there is no supplement in the turn of a claim"
        if seat == table.dealer and not player.thrown:
            return "the dealer adds nothing in the first turn"
        if player.mode == "none":
            return ""
        if tile != entry.tile:
            return "a supplement after declaring is the tile just drawn"
        after = Seat(hand=list(player.hand), melds=list(player.melds))
        after.supplement(kind, tile)
        return self.against_moving_waits(player.without(tile), after)

    def supplement_robbable(self, table: Table, seat: int, tile: int) -> bool:
        player = table.seats[seat]
        opening = not player.thrown and tile in player.dealt
        return not opening or self.on("opening_supplement_robbable")

    def supplement_robbers(self) -> Collection[str]:
        return ("pong", "kong") if self.on("rob_supplement_by_kong") else ("pong",)

    def win_context(self, table: Table, seat: int, source: int | None) -> Json:
        # Who declares with the discard that is won was not yet in ting.
        now = source if table.declared_now is not None else None
        bao = table.bao()
        return {
            "ting": [number for number in table.declared() if number != now],
            "bao": None if bao is None else NAMES[bao],
        }


def score(case: Json, options: Mapping[str, Value], elements: Mapping[str, int]) -> Json:
    """Answer a case; `options` and `elements` are changes to the defaults."""
    return Changchun(options, elements).answer(case)
