"""Suzhou: scores count flowers, small hands need some, and a win passed is a win missed."""

from collections.abc import Collection, Iterator, Mapping
from math import prod
from random import Random
from typing import ClassVar

from tests.referee.common import (
    KIND,
    PLANT_NAMES,
    SEASON_NAMES,
    SUITED,
    SUZHOU_NAMES,
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
from tests.referee.shapes import Counts, Group, Reading, changed, readings
from tests.referee.table import Seat, Table

WINDS = dict.fromkeys(range(27, 31), 4)
FLOWERS = {
    **dict.fromkeys((*range(31, 34), KIND["baida"]), 4),
    **dict.fromkeys((KIND[name] for name in (*SEASON_NAMES, *PLANT_NAMES)), 1),
    **dict.fromkeys((KIND[name] for name in SUZHOU_NAMES if name != "baida"), 1),
}
CALLED = ("pong", "kong_exposed", "kong_added")
MELDS = (*CALLED, "kong_concealed")
EXEMPT = {
    "da_men_qing",
    "xiao_men_qing",
    "dui_dui_hu",
    "hun_yi_se",
    "qi_dui",
    "qing_yi_se",
    "gang_kai",
    "da_diao_che",
    "tian_hu",
    "di_hu",
}
"""What frees a hand from the minimum of flowers."""
SOFT = (
    "kong_exposed",
    "kong_concealed",
    "wind_pung",
    "wind_triplet",
    "wind_kong_exposed",
    "wind_kong_concealed",
)
LIST_B: Mapping[str, Value] = {
    "qi_dui_value": 10,
    "qi_dui_double_hard": False,
    "da_diao_che": "add_5",
    "men_qing_rule": "stacking",
}


class Suzhou(Game):
    """Scores and permissions of the Suzhou game."""

    ident = "suzhou"
    copies = SUITED | WINDS | FLOWERS
    bonus = frozenset(FLOWERS)
    own_kongs = ("concealed", "added")
    claims = ("pong", "kong")
    last_claim_ends = True
    option_table: ClassVar[Mapping[str, Option]] = {
        "scoring_list": Option("A", ("A", "B")),
        "qi_dui_value": Option(15, (15, 10)),
        "qi_dui_double_hard": switch(True),
        "da_diao_che": Option("double", ("double", "add_5", "add_10")),
        "men_qing_rule": Option("exclusive", ("exclusive", "stacking")),
        "qi_dui_flowerless": Option(15, (15, 10, 5)),
        "min_self": Option(3, (3, 2)),
        "min_disc": Option(4, (4, 3)),
        "flower_basis": Option("hard_plus_soft", ("hard_plus_soft", "hard_only")),
        "rob_kong_minimum": Option("self_draw_minimum", ("self_draw_minimum", "none")),
        "wind_triplet_by_discard": Option(2, (2, 1)),
        "baozi_diling": Option("multiply", ("multiply", "single", "carry")),
        "draw_dealer": Option("next", ("next", "keep")),
        "multi_win_dealer": Option("discarder", ("discarder", "nearest_winner")),
        "quad_as_two_pairs": switch(True),
        "deal_flower_gang_kai": switch(False),
        "di_hu_uninterrupted": switch(False),
        "baozi_dice": Option("doubles", ("doubles", "doubles_and_14")),
        "missed_win_blocks_rob": switch(True),
        "kong_lifts_block": switch(True),
        "tian_hu_after_kong": switch(False),
        "unit": Option(1, least=1),
        "deals_per_match": Option(16, least=1),
    }
    element_values: ClassVar[Mapping[str, int]] = {
        "win": 5,
        "hard_flowers": 1,
        "kong_exposed": 1,
        "kong_concealed": 2,
        "wind_pung": 1,
        "wind_triplet": 2,
        "wind_kong_exposed": 3,
        "wind_kong_concealed": 4,
        "da_men_qing": 10,
        "xiao_men_qing": 5,
        "hun_yi_se": 5,
        "qing_yi_se": 10,
        "dui_dui_hu": 5,
        "qi_dui": 15,
        "gang_kai": 5,
        "tian_hu": 50,
        "di_hu": 50,
        "hai_di": 5,
        "da_diao_che": 2,
        "baozi": 2,
        "diling": 2,
    }

    def options_from_options(self, given: Mapping[str, Value]) -> dict[str, Value]:
        return dict(LIST_B) if given.get("scoring_list") == "B" else {}

    def values_from_options(self) -> dict[str, int]:
        worth = {"double": 2, "add_5": 5, "add_10": 10}[str(self.options["da_diao_che"])]
        return {"qi_dui": self.number("qi_dui_value"), "da_diao_che": worth}

    # Scoring

    def check(self, win: Win) -> None:
        self.scorings(win)

    def settle(self, win: Win) -> list[Json]:
        found = self.scorings(win)
        results = [self.result(win, elements, factors) for elements, factors in found]
        best = max(result["payments"][win.winner] for result in results)
        return [result for result in results if result["payments"][win.winner] == best]

    def scorings(self, win: Win) -> list[tuple[dict[str, int], dict[str, int]]]:
        """Return elements and factors of every reading that may win."""
        check_tiles(win, self.copies, self.bonus, MELDS)
        own_ways = ("self_draw", "kong_draw", "flower_draw", "dealt")
        check_source(win, ("discard", "rob_kong"), own_ways)
        if win.by == "dealt" and (win.melds or win.winner != win.dealer):
            raise IllegalWinError("dealt_hand_is_the_dealers")
        if win.by == "kong_draw" and not any("kong" in meld.type for meld in win.melds):
            raise IllegalWinError("kong_draw_without_kong")
        whole = changed(win.hand, (win.tile,), 1)
        found = [
            (self.elements(win, reading), self.factors(win))
            for reading in self.readings(whole, tuple(meld.group for meld in win.melds))
        ]
        if not found:
            raise IllegalWinError("not_complete")
        if win.context.get("blocked", False):
            covers = win.by == "discard" or self.on("missed_win_blocks_rob")
            if win.source is not None and covers:
                raise IllegalWinError("missed_win")
        rich = [(elements, f) for elements, f in found if self.is_rich(win, elements, f)]
        if not rich:
            raise IllegalWinError("min_flowers")
        return rich

    def readings(self, counts: Counts, melds: tuple[Group, ...]) -> list[Reading]:
        """Return every reading; four alike are two pairs unless an option forbids it."""
        pairs = self.on("quad_as_two_pairs") or 4 not in counts
        return readings(counts, melds, seven_pairs=pairs)

    def is_rich(self, win: Win, elements: Mapping[str, int], factors: Mapping[str, int]) -> bool:
        """Tell whether a scoring has the flowers that it needs."""
        if EXEMPT & {*elements, *factors}:
            return True
        needed = self.number("min_disc" if win.by == "discard" else "min_self")
        if win.by == "rob_kong" and self.options["rob_kong_minimum"] == "none":
            needed = 0
        counted = ["hard_flowers"]
        if self.options["flower_basis"] == "hard_plus_soft":
            counted += SOFT
        return sum(elements.get(name, 0) for name in counted) >= needed

    def result(self, win: Win, elements: Mapping[str, int], factors: Mapping[str, int]) -> Json:
        base, multiplier = sum(elements.values()), prod(factors.values())
        amount = base * multiplier * self.number("unit")
        alone = win.source if win.source is not None else win.context.get("bao_jiao_zi")
        if alone is None:
            shares = {seat: amount for seat in range(4) if seat != win.winner}
        else:
            shares = {alone: amount * (1 if win.by == "discard" else 3)}
        return {
            "legal": True,
            "elements": {name: worth for name, worth in elements.items() if worth},
            "factors": factors,
            "base_total": base,
            "multiplier": multiplier,
            "payments": pay(win.winner, shares),
        }

    def elements(self, win: Win, reading: Reading) -> dict[str, int]:
        """Return what a reading scores, worthless entries included."""
        value = self.values
        soft = self.soft_flowers(win, reading)
        found = {"win": value["win"], **soft}
        hard = len(win.flowers)
        seven_pairs = reading.shape == "seven_pairs"
        if hard:
            twice = seven_pairs and self.on("qi_dui_double_hard")
            found["hard_flowers"] = hard * value["hard_flowers"] * (2 if twice else 1)
        names = [*self.hand_types(win, reading), *self.circumstances(win)]
        if seven_pairs:
            flowerless = {15: ("da_men_qing", "xiao_men_qing"), 10: ("da_men_qing",)}
            names.append("qi_dui")
            if not hard:
                names += flowerless.get(self.number("qi_dui_flowerless"), ("xiao_men_qing",))
        else:
            names += self.men_qing(win, has_flower=bool(hard or soft))
        if len(win.melds) == 4 and self.options["da_diao_che"] != "double":
            names.append("da_diao_che")
        return found | {name: value[name] for name in names}

    def soft_flowers(self, win: Win, reading: Reading) -> dict[str, int]:
        """Return the entries of kongs and winds."""
        melded = {meld.group: meld.type for meld in win.melds}
        soft: dict[str, int] = {}
        for group in reading.groups:
            how = melded.get(group, "concealed")
            wind = group.tile >= 27
            if group.form == "kong":
                kind = "concealed" if how == "kong_concealed" else "exposed"
                name = f"{'wind_' * wind}kong_{kind}"
            elif wind:
                name = "wind_pung" if how == "pong" else "wind_triplet"
            else:
                continue
            worth = self.values[name]
            by_discard = win.by == "discard" and group.tile == win.tile
            if (
                name == "wind_triplet"
                and by_discard
                and self.number("wind_triplet_by_discard") == 1
            ):
                worth = 1
            soft[name] = soft.get(name, 0) + worth
        return soft

    def men_qing(self, win: Win, *, has_flower: bool) -> Iterator[str]:
        """Yield big and small men qing of a hand of four groups."""
        called = any(meld.type in CALLED for meld in win.melds)
        if self.options["men_qing_rule"] == "stacking":
            if not has_flower:
                yield "da_men_qing"
            if not called:
                yield "xiao_men_qing"
        elif not called:
            yield "xiao_men_qing" if has_flower else "da_men_qing"

    def hand_types(self, win: Win, reading: Reading) -> Iterator[str]:
        """Yield what the tiles of a hand earn."""
        whole = changed(win.hand, (win.tile,), 1)
        kinds = [kind for kind, n in enumerate(whole) if n]
        kinds += [meld.group.tile for meld in win.melds]
        suits = {kind // 9 for kind in kinds if kind < 27}
        if len(suits) == 1:
            yield "hun_yi_se" if max(kinds) >= 27 else "qing_yi_se"
        if reading.groups and all(group.form != "run" for group in reading.groups):
            yield "dui_dui_hu"

    def circumstances(self, win: Win) -> Iterator[str]:
        """Yield what the moment of the win earns."""
        dealt = win.by == "dealt"
        replaced_in_deal = dealt and bool(win.flowers) and self.on("deal_flower_gang_kai")
        if win.by in ("kong_draw", "flower_draw") or replaced_in_deal:
            yield "gang_kai"
        if dealt or win.context.get("tian_hu", False):
            yield "tian_hu"
        if win.context.get("di_hu", False):
            yield "di_hu"
        if win.source is None and win.context.get("last_tile", False):
            yield "hai_di"

    def factors(self, win: Win) -> dict[str, int]:
        """Return the doublings."""
        names = [name for name in ("baozi", "diling") if win.context.get(name, False)]
        if self.options["baozi_diling"] != "multiply":
            # Which of the two is told is left open; bao zi is the one that was thrown.
            names = names[:1]
        if len(win.melds) == 4 and self.options["da_diao_che"] == "double":
            names.append("da_diao_che")
        return {name: self.values[name] for name in names}

    # What is carried

    def counters_before_match(self) -> Json:
        return {"diling": False}

    def is_baozi(self, dice: Collection[int]) -> bool:
        """Tell whether a throw of two dice is a bao zi."""
        special = self.options["baozi_dice"] == "doubles_and_14" and set(dice) == {1, 4}
        return special or len(set(dice)) == 1

    def before_deal(self, carried: Json, random: Random) -> Json:
        dice = [random.randint(1, 6), random.randint(1, 6)]
        return {"baozi": self.is_baozi(dice), "diling": carried["diling"], "dice": dice}

    def start_faults(self, start: Json) -> list[str]:
        carried, place = start["carried"], start["deal_in_match"]
        if set(carried) != {"baozi", "diling", "dice"}:
            return ["carried must have the counters ['baozi', 'dice', 'diling']"]
        dice = carried["dice"]
        if not (
            isinstance(dice, list)
            and len(dice) == 2
            and all(type(pips) is int and 1 <= pips <= 6 for pips in dice)
        ):
            return [f"dice must be two numbers from 1 to 6, not {dice}"]
        faults = []
        if carried["baozi"] is not self.is_baozi(dice):
            faults.append(f"baozi must be {self.is_baozi(dice)} with the dice {dice}")
        if type(carried["diling"]) is not bool:
            faults.append("diling must be true or false")
        if place == 0 and (carried["diling"] or start["dealer"]):
            faults.append("a match begins with dealer 0 and without diling")
        if start["round"] != 1:
            faults.append("round must be 1")
        if place >= self.number("deals_per_match"):
            faults.append(f"a match has {self.number('deals_per_match')} deals")
        return faults

    def next_round(self, start: Json, dealer: int) -> int:
        return 1

    def match_over(self, start: Json, dealer: int) -> bool:
        return int(start["deal_in_match"]) + 1 >= self.number("deals_per_match")

    def carry(self, before: Json, outcome: Outcome) -> Json:
        winners, dealer = outcome.winners, int(before["dealer"])
        if not winners:
            dealer = (dealer + (self.options["draw_dealer"] == "next")) % 4
        elif len(winners) == 1:
            dealer = winners[0]
        elif outcome.source is None:
            raise ValueError("several winners need a discarder")
        elif self.options["multi_win_dealer"] == "discarder":
            dealer = outcome.source
        else:
            source = outcome.source
            dealer = min(winners, key=lambda seat: (seat - source) % 4)
        return {"diling": bool(before["baozi"]) or len(winners) != 1, "dealer": dealer}

    def after(self, before: Json, event: Json) -> Json:
        dice = event.get("next_dice")
        rolled = {} if dice is None else {"baozi": self.is_baozi(dice)}
        return super().after(before, event) | rolled

    # Permissions

    def against_claim(self, table: Table, seat: int, what: str, source: int, tile: int) -> str:
        if what == "pong" and tile in self.refused(table.seats[seat]):
            return "a pong passed, or a triplet discarded from, is refused until the next own draw"
        return ""

    def refused(self, player: Seat) -> set[int]:
        """Return the tiles that a player may not pong before its next draw."""
        tiles: set[int] = player.notes.setdefault("refused", set())
        return tiles

    def can_rob(self, kind: str) -> bool:
        return kind == "added"

    def several_winners(self) -> bool:
        return True

    def note_draw(self, table: Table, seat: int, kong: str | None, fed: int | None) -> None:
        super().note_draw(table, seat, kong, fed)
        player = table.seats[seat]
        self.refused(player).clear()
        if fed is None or self.on("kong_lifts_block"):
            player.notes["blocked"] = False

    def note_discard(self, table: Table, seat: int, tile: int, *, win_declined: bool) -> None:
        player = table.seats[seat]
        if player.hand.count(tile) == 3:
            self.refused(player).add(tile)
        if win_declined:
            player.notes["blocked"] = True
        super().note_discard(table, seat, tile, win_declined=win_declined)

    def note_passed(
        self, table: Table, source: int, tile: int, able: Collection[int], claimer: int | None
    ) -> None:
        super().note_passed(table, source, tile, able, claimer)
        for seat in table.after(source):
            player = table.seats[seat]
            if seat == claimer:
                # Da diao che: what is left of XX YY completes the hand, but YY may still be won.
                passed = len(player.melds) < 4 and bool(self.readings(player.counts, player.groups))
            else:
                passed = True
                # A robbable tile cannot be held twice, so that this is a discard.
                if player.hand.count(tile) >= 2:
                    self.refused(player).add(tile)
            if seat in able and passed:
                player.notes["blocked"] = True

    def win_context(self, table: Table, seat: int, source: int | None) -> Json:
        player = table.seats[seat]
        first_turn = source is None and player.thrown == 0
        kongs = [meld for meld in player.melds if meld.type == "kong_concealed"]
        interrupted = self.on("di_hu_uninterrupted") and any(
            meld.giver is not None for other in table.seats for meld in other.melds
        )
        return {
            "baozi": table.carried["baozi"],
            "diling": table.carried["diling"],
            "bao_jiao_zi": table.fed if source is None else None,
            "tian_hu": first_turn
            and seat == table.dealer
            and (not kongs or self.on("tian_hu_after_kong")),
            "di_hu": first_turn and seat != table.dealer and not player.melds and not interrupted,
            "last_tile": source is None and table.wall.left == 0,
            "blocked": player.notes.get("blocked", False),
        }


def score(case: Json, options: Mapping[str, Value], elements: Mapping[str, int]) -> Json:
    """Answer a case; `options` and `elements` are changes to the defaults."""
    return Suzhou(options, elements).answer(case)
