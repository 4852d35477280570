"""Suqian (xiaobaozi): pong and kong, a declared single wait, and bids that each payer settles."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from math import prod
from typing import Any, ClassVar

from tests.referee.common import (
    KIND,
    NAMES,
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
from tests.referee.shapes import Reading, changed, held, is_complete, readings
from tests.referee.table import Entry, Seat, Table

WIND_NAMES = ("1z", "2z", "3z", "4z")
SINGLES = dict.fromkeys((KIND[name] for name in (*WIND_NAMES, *SEASON_NAMES, *PLANT_NAMES)), 1)
SIXES = (5, 14, 23)
BIDS = ("bu_peng", "da_pie", "du_ci", "du_liu")
CALLED = ("pong", "kong_exposed", "kong_added")
MELDS = (*CALLED, "kong_concealed")


def is_six(tile: int) -> bool:
    """Tell whether a tile is a six of any suit."""
    return tile in SIXES


class Suqian(Game):
    """Scores and permissions of the Suqian game."""

    ident = "suqian"
    copies = SUITED | SINGLES
    bonus = frozenset(SINGLES)
    modes = ("ting",)
    own_kongs = ("concealed", "added")
    claims = ("pong", "kong")
    result_fields = (
        "elements",
        "factors",
        "payer_elements",
        "base_total",
        "multiplier",
        "payments",
    )
    option_table: ClassVar[Mapping[str, Option]] = {
        "discard_payment": Option("discarder_only", ("discarder_only", "bao_three")),
        "dealer_points": Option("winner_only", ("winner_only", "either_side")),
        "jin_feng_scope": Option("wind_only", ("wind_only", "wind_and_flowers")),
        "jin_feng_timing": Option("in_base", ("in_base", "after_fan")),
        "zuizi_timing": Option("in_base", ("in_base", "after_fan")),
        "du_points_without_bid": switch(False),
        "jue_zhang_own_pung": switch(True),
        "single_wait_scope": Option("all_shapes", ("all_shapes", "declared_shape")),
        "nei_jue_scope": Option("seven_pairs", ("seven_pairs", "any")),
        "du_ci_on_seven_pairs": switch(True),
        "da_dui_requires_pung": switch(False),
        "fang_ting_discard": Option("any", ("any", "drawn_tile")),
        "kong_after_ting": Option("same_wait", ("same_wait", "never")),
        "draw_dealer": Option("keep", ("keep", "pass")),
        "bid_persistence": Option("round", ("round", "hand")),
        "bid_order": Option("simultaneous", ("simultaneous", "sequential")),
        "dealer_adds": switch(True),
        "bids_enabled": switch(True),
        "rounds_per_match": Option(4, least=1),
    }
    element_values: ClassVar[Mapping[str, int]] = {
        "base": 2,
        "dealer": 2,
        "wind": 2,
        "jin_feng": 4,
        "kong_exposed": 4,
        "kong_concealed": 8,
        "bu_peng": 20,
        "da_pie": 15,
        "du_ci": 10,
        "du_liu": 5,
        "self_draw": 2,
        "fang_ting": 2,
        "jue_zhang": 2,
        "qi_dui": 2,
        "nei_jue": 2,
        "qing_yi_se": 2,
        "da_dui_hu": 2,
    }

    # Waits

    def shape_waits(self, seat: Seat) -> dict[str, tuple[int, ...]]:
        """Return the legal waits of each shape, of which the player holds no four copies."""
        kinds = [kind for kind in self.playing if held(seat.counts, seat.groups, kind) < 4]
        found: dict[str, tuple[int, ...]] = {"standard": (), "seven_pairs": ()}
        for kind in kinds:
            for shape in {r.shape for r in readings(changed(seat.counts, (kind,), 1), seat.groups)}:
                found[shape] += (kind,)
        return found

    def declarable_waits(self, kept: Seat) -> list[tuple[int, ...]]:
        """Return the single waits that may be declared."""
        if self.options["single_wait_scope"] == "all_shapes":
            found = {self.waits(kept)}
        else:
            found = set(self.shape_waits(kept).values())
        return sorted(waits for waits in found if len(waits) == 1)

    def shapes_won(self, win: Win) -> set[str]:
        """Return the shapes that the declared single wait covers; none if it is no single wait."""
        seat = Seat(hand=list(Counter(dict(enumerate(win.hand))).elements()), melds=[*win.melds])
        if self.options["single_wait_scope"] == "all_shapes":
            single = self.waits(seat) == (win.tile,)
            return {"standard", "seven_pairs"} if single else set()
        if win.context.get("declared_waits", (win.tile,)) != (win.tile,):
            return set()
        return {s for s, waits in self.shape_waits(seat).items() if waits == (win.tile,)}

    # Scoring

    def check(self, win: Win) -> None:
        check_tiles(win, self.copies, self.bonus, MELDS)
        check_source(win, ("discard", "rob_kong"), ("self_draw", "kong_draw", "flower_draw"))
        if not win.context.get("ting", False):
            raise IllegalWinError("not_ting")
        whole, groups = self.whole(win)
        if not is_complete(whole, groups):
            raise IllegalWinError("not_complete")
        if not self.shapes_won(win):
            raise IllegalWinError("not_single_wait")
        own = self.bids_of(win, win.winner)
        for bid in ("bu_peng", "da_pie"):
            if bid in own and not self.qualities(win, readings(whole, groups)[0])[bid]:
                raise IllegalWinError(f"{bid}_violated")

    def whole(self, win: Win) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        """Return the concealed tiles with the last one, and the melds as groups."""
        return changed(win.hand, (win.tile,), 1), tuple(meld.group for meld in win.melds)

    def bids_of(self, win: Win, seat: int) -> list[str]:
        if not self.on("bids_enabled"):
            return []
        return list(win.context.get("bids", {}).get(str(seat), []))

    def qualities(self, win: Win, reading: Reading) -> dict[str, bool]:
        """Tell for each bid whether a winning hand meets its condition."""
        on_pair = win.tile in reading.pairs
        if reading.shape == "seven_pairs":
            on_pair = on_pair and self.on("du_ci_on_seven_pairs")
        return {
            "bu_peng": not any(meld.type in CALLED for meld in win.melds),
            "da_pie": len(self.suits(win)) <= 2,
            "du_ci": on_pair,
            "du_liu": is_six(win.tile),
        }

    def suits(self, win: Win) -> set[int]:
        """Return the suits of the whole hand."""
        whole, groups = self.whole(win)
        return {k // 9 for k, n in enumerate(whole) if n} | {g.tile // 9 for g in groups}

    def settle(self, win: Win) -> list[Json]:
        self.check(win)
        shapes = self.shapes_won(win)
        results = [
            self.result(win, reading)
            for reading in readings(*self.whole(win))
            if reading.shape in shapes
        ]
        best = max(result["payments"][win.winner] for result in results)
        return [result for result in results if result["payments"][win.winner] == best]

    def result(self, win: Win, reading: Reading) -> Json:
        elements = {name: worth for name, worth in self.points(win, reading).items() if worth}
        factors = {name: self.values[name] for name in self.doublings(win, reading)}
        in_base = sum(elements.values())
        multiplier = prod(factors.values())
        after = 0
        if self.options["jin_feng_timing"] == "after_fan":
            after = elements.get("jin_feng", 0)
            in_base -= after
        per_payer: dict[int, dict[str, int]] = {}
        amounts: dict[int, int] = {}
        liable = win.source is not None and not win.context.get("discarder_ting", False)
        for seat in range(4):
            alone = liable and self.options["discard_payment"] == "discarder_only"
            if seat == win.winner or (alone and seat != win.source):
                continue
            bids = self.bid_points(win, reading, seat)
            own = self.dealer_points(win, seat)
            per_payer[seat] = {k: worth for k, worth in (own | bids).items() if worth}
            before_fan, after_fan = in_base + sum(own.values()), after
            if self.options["zuizi_timing"] == "in_base":
                before_fan += sum(bids.values())
            else:
                after_fan += sum(bids.values())
            amounts[seat] = before_fan * multiplier + after_fan
        if liable and win.source is not None:
            amounts = {win.source: sum(amounts.values())}
        return {
            "legal": True,
            "elements": elements,
            "factors": factors,
            "payer_elements": {str(seat): own for seat, own in per_payer.items() if own},
            "base_total": in_base,
            "multiplier": multiplier,
            "payments": pay(win.winner, amounts),
        }

    def bid_points(self, win: Win, reading: Reading, payer: int) -> dict[str, int]:
        """Return the points of the bids that the hand meets: the winner's and the payer's."""
        both = Counter(self.bids_of(win, win.winner) + self.bids_of(win, payer))
        met = self.qualities(win, reading)
        return {bid: self.values[bid] * both[bid] for bid in BIDS if met[bid]}

    def dealer_points(self, win: Win, payer: int) -> dict[str, int]:
        """Return what a paying dealer owes more, where both sides count."""
        if self.options["dealer_points"] == "winner_only" or payer != win.dealer:
            return {}
        base = 0 if self.on("dealer_adds") else -self.values["base"]
        return {"base": base, "dealer": self.values["dealer"]}

    def points(self, win: Win, reading: Reading) -> dict[str, int]:
        """Return the winner's points."""
        value = self.values
        is_dealer = win.winner == win.dealer
        number = KIND[win.context.get("round_wind", "1z")] - KIND["1z"]
        strong = {WIND_NAMES[number]}
        if self.options["jin_feng_scope"] == "wind_and_flowers":
            strong |= {SEASON_NAMES[number], PLANT_NAMES[number]}
        n_strong = sum(tile in {KIND[name] for name in strong} for tile in win.flowers)
        kinds = [meld.type for meld in win.melds]
        points = {
            "base": value["base"] * (not is_dealer or self.on("dealer_adds")),
            "dealer": value["dealer"] * is_dealer,
            "wind": value["wind"] * (len(win.flowers) - n_strong),
            "jin_feng": value["jin_feng"] * n_strong,
            "kong_exposed": value["kong_exposed"]
            * (kinds.count("kong_exposed") + kinds.count("kong_added")),
            "kong_concealed": value["kong_concealed"] * kinds.count("kong_concealed"),
        }
        if self.on("du_points_without_bid"):
            met = self.qualities(win, reading)
            points |= {bid: value[bid] * met[bid] for bid in ("du_ci", "du_liu")}
        return points

    def doublings(self, win: Win, reading: Reading) -> Iterator[str]:
        """Yield the doublings that a win earns."""
        if win.source is None:
            yield "self_draw"
        if win.context.get("fang_ting", False):
            yield "fang_ting"
        own_counts = self.on("jue_zhang_own_pung")
        for pung in win.context.get("pungs_before_ting", []):
            if KIND[pung["tile"]] == win.tile and (own_counts or pung["by"] != win.winner):
                yield "jue_zhang"
        seven_pairs = reading.shape == "seven_pairs"
        if seven_pairs:
            yield "qi_dui"
        if win.hand[win.tile] == 3 and (seven_pairs or self.options["nei_jue_scope"] == "any"):
            yield "nei_jue"
        if len(self.suits(win)) == 1:
            yield "qing_yi_se"
        punged = any(meld.type in ("pong", "kong_added") for meld in win.melds)
        alike = not seven_pairs and all(group.form != "run" for group in reading.groups)
        if alike and (punged or not self.on("da_dui_requires_pung")):
            yield "da_dui_hu"

    # What is carried

    def counters_before_match(self) -> Json:
        return {"bids": {}}

    def start_faults(self, start: Json) -> list[str]:
        faults = super().start_faults(start)
        bids = start["carried"].get("bids")
        well_formed = isinstance(bids, dict) and all(
            seat in ("0", "1", "2", "3")
            and isinstance(up, list)
            and up
            and len(set(up)) == len(up)
            and set(up) <= set(BIDS)
            for seat, up in bids.items()
        )
        if not well_formed:
            faults.append(f"bids must be lists of {list(BIDS)} by seat, not {bids}")
        elif bids and not (self.on("bids_enabled") and self.options["bid_persistence"] == "round"):
            faults.append("no bid stands from a deal before")
        return faults

    def next_dealer(self, dealer: int, winners: Collection[int]) -> int:
        if not winners and self.options["draw_dealer"] == "pass":
            return (dealer + 1) % 4
        return super().next_dealer(dealer, winners)

    def carry(self, before: Json, outcome: Outcome) -> Json:
        dealer = self.next_dealer(before["dealer"], outcome.winners)
        round_over = before["dealer"] == 3 and dealer == 0
        kept = not round_over and self.options["bid_persistence"] == "round"
        return {"dealer": dealer, "bids": dict(before.get("bids", {})) if kept else {}}

    def after(self, before: Json, event: Json) -> Json:
        if event["type"] != "bid":
            return super().after(before, event)
        seat, bids = str(event["seat"]), dict(before.get("bids", {}))
        up = list(bids.get(seat, []))
        up += [bid for bid in event["bids"] if bid not in up]
        return {"bids": bids | {seat: up} if up else bids}

    # Bids

    def bid_phases(self) -> Collection[str]:
        return ("bids",) if self.on("bids_enabled") else ()

    def bid_choices(self, table: Table, phase: str, seat: int) -> list[Any]:
        up = table.carried["bids"].get(str(seat), [])
        free = [bid for bid in BIDS if bid not in up]
        return [[*up, *more] for n in range(len(free) + 1) for more in combinations(free, n)]

    def bid(self, table: Table, phase: str, seat: int, bids: Any) -> str:
        if sorted(bids) not in map(sorted, self.bid_choices(table, phase, seat)):
            return f"{bids} are not the bids that stood and further ones, each of {list(BIDS)}"
        if bids:
            table.carried["bids"][str(seat)] = list(bids)
        return ""

    def up(self, table: Table, seat: int) -> list[str]:
        """Return the bids that a seat has up."""
        return list(table.carried["bids"].get(str(seat), []))

    # Permissions

    def against_declaring(self, table: Table, seat: int, mode: str, kept: Seat) -> str:
        if table.seats[seat].mode != "none":
            return "a declaration is final"
        if not self.declarable_waits(kept):
            return "the hand has not exactly one wait"
        suits = {tile // 9 for tile in kept.hand} | {group.tile // 9 for group in kept.groups}
        if "da_pie" in self.up(table, seat) and len(suits) == 3:
            return "a bidder of da pie declares without a third suit"
        return ""

    def marks(
        self, table: Table, seat: int, tile: int | None = None, entry: Entry | None = None
    ) -> Json:
        player = table.seats[seat]
        fang = entry is not None and entry.how != "claim"
        fang = fang and is_complete(player.counts, player.groups)
        if entry is not None and self.options["fang_ting_discard"] == "drawn_tile":
            fang = fang and tile == entry.tile
        return {"fang": fang}

    def declare(self, table: Table, seat: int, ready: Json, *, in_window: bool) -> None:
        super().declare(table, seat, ready, in_window=in_window)
        table.seats[seat].notes |= {
            "fang": ready["fang"],
            "waits": tuple(KIND[name] for name in ready["waits"]),
            "pungs": [{"tile": NAMES[tile], "by": by} for tile, by in table.pongs],
        }

    def against_kong(self, table: Table, seat: int, kind: str, tile: int, entry: Entry) -> str:
        player = table.seats[seat]
        if player.mode == "none":
            return ""
        if self.options["kong_after_ting"] == "never":
            return "there is no kong after declaring"
        if tile != entry.tile:
            return "a kong after declaring uses the tile just drawn"
        if player.notes["waits"] not in self.declarable_waits(player.with_kong(kind, tile)):
            return "a kong after declaring leaves the wait as it is"
        return ""

    def against_claim(self, table: Table, seat: int, what: str, source: int, tile: int) -> str:
        if table.seats[seat].mode != "none":
            return "a declared hand claims nothing but a win"
        if "bu_peng" in self.up(table, seat):
            return "a bidder of bu peng makes no pong and no exposed kong"
        return ""

    def can_rob(self, kind: str) -> bool:
        return kind == "added"

    def win_context(self, table: Table, seat: int, source: int | None) -> Json:
        player = table.seats[seat]
        declared = player.mode != "none"
        # Who declares with the discard that is won was not yet in ting.
        source_ting = source is not None and table.seats[source].mode != "none"
        return {
            "ting": declared,
            "discarder_ting": source_ting and table.declared_now is None,
            "fang_ting": declared and player.notes["fang"],
            "bids": table.carried["bids"],
            "pungs_before_ting": player.notes["pungs"] if declared else [],
            "declared_waits": player.notes["waits"] if declared else (),
            "round_wind": NAMES[self.round_wind(table.round)],
        }


def score(case: Json, options: Mapping[str, Value], elements: Mapping[str, int]) -> Json:
    """Answer a case; `options` and `elements` are changes to the defaults."""
    return Suqian(options, elements).answer(case)
