"""Yiwu: wild tiles and thrown ones, one element a win, guarantors, stakes before the deal."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar

from tests.referee.common import (
    HONOURS,
    KIND,
    NAMES,
    SUITED,
    IllegalWinError,
    Json,
    Meld,
    Option,
    Value,
    Win,
    check_source,
    check_tiles,
    pay,
    switch,
)
from tests.referee.game import Game, Outcome
from tests.referee.shapes import Counts, changed, paired, splits, unconnected
from tests.referee.table import Entry, Table

WHITE = KIND["7z"]
CALLED = ("chow", "pong", "kong_exposed", "kong_added")
MELDS = (*CALLED, "kong_concealed")
STACKS_17, STACKS_7 = 34, 14
MOST_PLACED = 2**30
"""Where placed points stop without a limit of the rules."""
PIAO_LEVEL = 8
"""What a hand must be worth after its own piao."""


class Yiwu(Game):
    """Scores and permissions of the Yiwu game."""

    ident = "yiwu"
    copies = SUITED | HONOURS
    first_dealer_drawn = True
    last_claim_ends = True
    own_kongs = ("concealed", "added")
    claims = ("pong", "kong", "chow")
    option_table: ClassVar[Mapping[str, Option]] = {
        "wild_count": Option(3, (3, 4)),
        "wild_head_discard_win": switch(False),
        "double_piao_needs_three": switch(False),
        "lone_wild_discard": Option("dead", ("dead", "claimable", "forbidden")),
        "bao_fail": Option("feeder_wins", ("feeder_wins", "feeder_wins_double", "any_fail")),
        "feed_counts_kong": switch(True),
        "feed_three_before": switch(False),
        "rob_kong_payer": Option("all", ("all", "robbed")),
        "self_draw_needs_closed": switch(False),
        "stack_kong_head": switch(False),
        "three_wilds_kong_ok": switch(True),
        "double_piao_kong_ok": switch(True),
        "bu_kao_mode": Option("gaps", ("gaps", "groups")),
        "quad_as_two_pairs": switch(True),
        "reserve_partial_stack": Option("excluded", ("excluded", "counted", "indicator_stack")),
        "mai_value": Option(2),
        "mai_mode": Option("both", ("both", "winner")),
        "mai_time": Option("any_hand", ("any_hand", "new_dealer")),
        "xia_double_on_draw": switch(False),
        "xia_cap": Option("none", least=1),
        "xia_partial": switch(False),
        "double_piao_draw_penalty": Option(0),
        "base_dealer": Option(7),
        "base_other": Option(5),
        "base_mode": Option("pair", ("pair", "winner", "payer")),
        "discarder_extra": Option("point", ("point", "share")),
        "multi_guarantor": Option("each_full", ("each_full", "split")),
        "rounds_per_match": Option(4, least=1),
    }
    element_values: ClassVar[Mapping[str, int]] = {
        "fang_chong": 1,
        "zi_mo": 2,
        "qiang_gang": 2,
        "cai_shen_tou": 4,
        "gang_kai": 4,
        "dan_piao": 8,
        "piao_gang": 8,
        "shuang_piao": 16,
    }

    # Shapes

    def plain(self, counts: Counts, wild: int) -> Counts:
        """Return the tiles that are not wild, whites as the indicator's face."""
        counts = changed(counts, [wild] * counts[wild], -1)
        if wild == WHITE:
            return counts
        whites = counts[WHITE]
        return changed(changed(counts, [WHITE] * whites, -1), [wild] * whites, 1)

    def is_complete(self, counts: Counts, n_melds: int, wild: int, shown: int = 0) -> bool:
        """Tell whether a hand of 14 wins by shape.

        `shown` of its wild tiles (a claimed discard) count as the tile that they show.
        """
        wilds = counts[wild] - shown
        plain = changed(self.plain(counts, wild), [wild] * shown, 1)
        if splits(plain, 4 - n_melds, 1, wilds):
            return True
        if n_melds:
            return False
        as_shown = changed(counts, [wild] * wilds, -1)
        return paired(plain, wilds, quads=self.on("quad_as_two_pairs")) or unconnected(
            as_shown, wilds, size=14, groups_of_three=self.options["bu_kao_mode"] == "groups"
        )

    def is_wild_head(self, hand: Counts, n_melds: int, wild: int) -> bool:
        """Tell whether a hand of 13, but for one wild tile, is all groups or six pairs."""
        wilds, plain = hand[wild] - 1, self.plain(hand, wild)
        if wilds < 0:
            return False
        if splits(plain, 4 - n_melds, 0, wilds):
            return True
        return not n_melds and paired(plain, wilds, quads=self.on("quad_as_two_pairs"))

    def as_played(self, melds: Collection[Meld], wild: int) -> tuple[Meld, ...]:
        """Return the melds with whites, in runs, playing as the indicator's face."""
        return tuple(
            Meld(
                meld.type,
                meld.tiles,
                meld.giver,
                tuple(sorted(wild if tile == WHITE else tile for tile in meld.tiles)),
            )
            if wild != WHITE and meld.type in MELDS
            else meld
            for meld in melds
        )

    # Scoring

    def check(self, win: Win) -> None:
        self.settle(win)

    def settle(self, win: Win) -> list[Json]:
        element, multiplier = self.element(win)
        return [
            {
                "legal": True,
                "elements": {element: multiplier} if multiplier else {},
                "factors": {},
                "base_total": sum(self.bases(win).values()),
                "multiplier": multiplier,
                "payments": pay(win.winner, self.shares(win, multiplier)),
            }
        ]

    def element(self, win: Win) -> tuple[str, int]:
        """Return the one element that a win scores and its multiplier."""
        wild = KIND[win.context["wild"]]
        melds = self.as_played(win.melds, wild)
        self.check_held(win, melds, wild)
        own_ways = ("self_draw", "kong_draw", "dealt")
        check_source(win, ("discard", "rob_kong"), own_ways)
        if win.by == "dealt" and (melds or win.winner != win.dealer):
            raise IllegalWinError("dealt_hand_is_the_dealers")
        if win.by == "kong_draw" and not any("kong" in meld.type for meld in melds):
            raise IllegalWinError("kong_draw_without_kong")
        thrown = win.by == "discard" and win.tile == wild
        if thrown and not self.is_claimable(win):
            raise IllegalWinError("dead_wild")
        whole = changed(win.hand, (win.tile,), 1)
        if not self.is_complete(whole, len(melds), wild, int(thrown)):
            raise IllegalWinError("shape")
        head = self.is_wild_head(win.hand, len(melds), wild)
        wilds = whole[wild] - thrown
        self.check_circumstances(win, head, wilds)
        name, multiplier = max(self.candidates(win, head), key=lambda found: found[1])
        others = [n for seat, n in enumerate(win.context["piao"]) if seat != win.winner]
        needed = {
            "three_wilds" if wilds > 2 else "two_wilds": {0: 0, 1: 0, 2: 2}.get(wilds, 4),
            "after_piao": {0: 0, 1: 2, 2: 4}[max(others)],
            "piao_min": PIAO_LEVEL if win.context["piao"][win.winner] else 0,
        }
        for reason, level in needed.items():
            if multiplier < level:
                raise IllegalWinError(reason)
        return name, multiplier

    def check_held(self, win: Win, melds: tuple[Meld, ...], wild: int) -> None:
        """Refuse what no player can hold."""
        turned = {wild: 1} if self.number("wild_count") == 3 else {}
        copies = {kind: n - turned.get(kind, 0) for kind, n in self.copies.items()}
        held = Win(**{**vars(win), "melds": melds})
        check_tiles(held, copies, self.bonus, MELDS)
        melded = any(wild in meld.tiles for meld in melds)
        if melded and self.options["lone_wild_discard"] != "claimable":
            raise IllegalWinError("wild_in_meld")

    def is_claimable(self, win: Win) -> bool:
        """Tell whether a wild discard, if not told otherwise a lone one, may be won as it shows."""
        lone = bool(win.context.get("lone_wild", True))
        return lone and self.options["lone_wild_discard"] == "claimable"

    def check_circumstances(self, win: Win, head: bool, wilds: int) -> None:
        """Refuse wins that thrown and held wild tiles bar whatever the elements are worth."""
        piao = win.context["piao"]
        own, by_kong = piao[win.winner], win.by == "kong_draw"
        if win.by == "discard":
            if wilds >= 2:
                raise IllegalWinError("two_wilds")
            if head and not self.on("wild_head_discard_win"):
                raise IllegalWinError("wild_head_self_draw_only")
            if any(n for seat, n in enumerate(piao) if seat != win.winner):
                raise IllegalWinError("after_piao")
        head = head and win.source is None
        if own and not head and not by_kong:
            raise IllegalWinError("piao_min")
        if by_kong and not head:
            if wilds >= 3 and not self.on("three_wilds_kong_ok"):
                raise IllegalWinError("three_wilds")
            if own == 2 and not self.on("double_piao_kong_ok"):
                raise IllegalWinError("double_piao_kong")

    def candidates(self, win: Win, head: bool) -> Iterator[tuple[str, int]]:
        """Yield the elements that a win could score, what is reported first standing first."""
        value, own = self.values, win.context["piao"][win.winner]
        if win.by == "discard":
            yield "fang_chong", value["fang_chong"]
        elif win.by == "rob_kong":
            yield "qiang_gang", value["qiang_gang"]
        else:
            if head:
                name = ("cai_shen_tou", "dan_piao", "shuang_piao")[own]
                stacked = win.by == "kong_draw" and not own and self.on("stack_kong_head")
                yield name, value[name] * (2 if stacked else 1)
            elif win.by == "kong_draw":
                name = "piao_gang" if own else "gang_kai"
                yield name, value[name]
            opened = any(meld.type in CALLED for meld in win.melds)
            reduced = opened and self.on("self_draw_needs_closed")
            yield "zi_mo", 1 if reduced else value["zi_mo"]

    def pair_base(self, winner: int, payer: int, dealer: int, context: Mapping[str, Any]) -> int:
        """Return what a winner and a payer play for."""
        pays_dealer = {
            "pair": dealer in (winner, payer),
            "winner": dealer == winner,
            "payer": dealer == payer,
        }[str(self.options["base_mode"])]
        base = self.number("base_dealer" if pays_dealer else "base_other")
        mai, xia = context["mai"], context["xia"]
        base += mai[winner] + (mai[payer] if self.options["mai_mode"] == "both" else 0)
        if dealer in (winner, payer):
            base += xia[payer if winner == dealer else winner]
        return int(base)

    def bases(self, win: Win) -> dict[int, int]:
        """Return what each payer owes before the multiplier."""
        bases = {
            payer: self.pair_base(win.winner, payer, win.dealer, win.context)
            for payer in range(4)
            if payer != win.winner
        }
        if win.by == "discard" and win.source is not None:
            share = self.options["discarder_extra"] == "share"
            bases[win.source] += bases[win.source] if share else 1
        return bases

    def shares(self, win: Win, multiplier: int) -> dict[int, int]:
        """Return what each payer pays."""
        shares = {payer: multiplier * base for payer, base in self.bases(win).items()}
        if win.by == "rob_kong" and self.options["rob_kong_payer"] == "robbed":
            assert win.source is not None
            shares = {win.source: sum(shares.values())}
        return self.after_guarantors(win, shares)

    def after_guarantors(self, win: Win, shares: dict[int, int]) -> dict[int, int]:
        """Return the payments when those who answer for others have paid."""
        whole = sum(shares.values())
        feeds = win.context.get("feeds") or []
        piaos = [
            (feed["to"], self.guarantors(feed, win))
            for feed in ([feeds] if isinstance(feeds, dict) else feeds)
        ]
        own = next((found for to, found in piaos if to == win.winner), [])
        if len(own) > 1 and self.options["multi_guarantor"] == "split":
            return {
                seat: whole // len(own) + (place < whole % len(own))
                for place, seat in enumerate(own)
            }
        if own:
            return dict.fromkeys(own, whole)
        for to, found in piaos:
            if win.winner in found:
                twice = self.options["bao_fail"] == "feeder_wins_double"
                return {to: whole * (2 if twice else 1)}
        if self.options["bao_fail"] == "any_fail":
            # Each feeder's own share falls to whom he fed, whatever falls to himself.
            owed: dict[int, int] = {}
            for payer, share in shares.items():
                fed = [to for to, found in piaos if to != win.winner and payer in found]
                answers = fed[0] if fed else payer
                owed[answers] = owed.get(answers, 0) + share
            return owed
        return shares

    def guarantors(self, feed: Mapping[str, Any], win: Win) -> list[int]:
        """Return who answers for a piao player, the first to feed standing first."""
        if not win.context["piao"][feed["to"]]:
            return []
        before = feed.get("before", [0] * 4)
        found = [
            seat
            for seat in range(4)
            if feed["by"][seat] >= 2 or (self.on("feed_three_before") and before[seat] >= 3)
        ]
        order = feed.get("order", [])
        return sorted(found, key=lambda seat: order.index(seat) if seat in order else 4)

    # What is carried

    def counters_before_match(self) -> Json:
        return {"mai": [0] * 4, "xia": [0] * 4, "last": None, "repeat": 0}

    def start_faults(self, start: Json) -> list[str]:
        faults = super().start_faults(start)
        if faults:
            return faults
        carried, place, dealer = start["carried"], start["deal_in_match"], start["dealer"]
        mai, xia, last, repeat = (carried[name] for name in ("mai", "xia", "last", "repeat"))
        if type(repeat) is not int or not 0 <= repeat <= place:
            return [f"repeat must be 0 to {place}, the deals before, not {repeat}"]
        for name, stakes in (("mai", mai), ("xia", xia)):
            if not (
                isinstance(stakes, list)
                and len(stakes) == 4
                and all(type(n) is int and n >= 0 for n in stakes)
            ):
                return [f"{name} must be four whole numbers, not {stakes}"]
        if not set(mai) <= {0, self.number("mai_value")}:
            faults.append(f"mai must be 0 or {self.number('mai_value')}, not {mai}")
        if last is not None and (type(last) is not int or last < 0):
            faults.append(f"last must be null or a multiplier, not {last}")
        if xia[dealer]:
            faults.append("the dealer places nothing")
        if repeat == 0 and (any(mai) or any(xia) or last is not None):
            faults.append("nothing stands when the dealer has changed")
        return faults

    def carry(self, before: Json, outcome: Outcome) -> Json:
        dealer, winners = int(before["dealer"]), outcome.winners
        if winners and dealer not in winners:
            return {**self.counters_before_match(), "dealer": (dealer + 1) % 4}
        return {
            "mai": before["mai"],
            "xia": before["xia"],
            "last": outcome.multiplier if winners else None,
            "repeat": before["repeat"] + 1,
            "dealer": dealer,
        }

    def exhausted_payments(self, table: Table) -> list[int]:
        paid = [0, 0, 0, 0]
        for payer in range(4):
            if self.piao(table, payer) < 2:
                continue
            for other in table.after(payer):
                base = self.pair_base(other, payer, table.dealer, table.carried)
                amount = self.number("double_piao_draw_penalty") * base
                paid[payer] -= amount
                paid[other] += amount
        return paid

    # Stakes

    def bid_phases(self) -> Collection[str]:
        return ("mai", "xia")

    def bid_choices(self, table: Table, phase: str, seat: int) -> list[Any]:
        carried = table.carried
        up = carried[phase][seat]
        if phase == "mai":
            closed = self.options["mai_time"] == "new_dealer" and carried["repeat"] > 0
            amounts = [up] if up or closed else [0, self.number("mai_value")]
        else:
            amounts = self.xia_choices(carried, up, is_dealer=seat == table.dealer)
        return [{phase: amount} for amount in dict.fromkeys(amounts)]

    def xia_choices(self, carried: Json, up: int, *, is_dealer: bool) -> list[int]:
        """Return what a seat may have placed."""
        last, cap = carried["last"], self.options["xia_cap"]
        most = MOST_PLACED if cap == "none" else int(cap)
        drawn = last is None and carried["repeat"] > 0 and self.on("xia_double_on_draw")
        if is_dealer or (last is None and not drawn):
            return [up]
        if up:
            return [min(2 * up, most)]
        if last is None:
            return [0]
        most = min(last, most)
        return list(range(most + 1)) if self.on("xia_partial") else [0, most]

    def bid(self, table: Table, phase: str, seat: int, bids: Any) -> str:
        choices = self.bid_choices(table, phase, seat)
        if bids not in choices:
            return f"{bids} is none of {choices}"
        table.carried[phase][seat] = bids[phase]
        return ""

    # Permissions

    def indicator_source(self) -> str:
        return "wall" if self.number("wild_count") == 3 else "lot"

    def wild(self, table: Table) -> int:
        """Return the kind that is wild."""
        assert table.indicator is not None
        return table.indicator

    def face(self, table: Table, tile: int, *, thrown: bool = False) -> int:
        wild = self.wild(table)
        if tile == wild:
            return tile if thrown and self.lone_wild_open(table) else -1
        return wild if tile == WHITE else tile

    def lone_wild_open(self, table: Table) -> bool:
        """Tell whether the last discard is a lone wild tile that may be claimed."""
        lone = any(seat.notes.get("lone_wild", False) for seat in table.seats)
        return lone and self.options["lone_wild_discard"] == "claimable"

    def piao(self, table: Table, seat: int) -> int:
        """Return how often a seat has made a piao."""
        return int(table.seats[seat].notes.get("piao", 0))

    def can_draw(self, table: Table, end: str) -> bool:
        made = max(self.piao(table, seat) for seat in range(4))
        reserve = (STACKS_17, STACKS_7, 0)[made]
        rule, left = self.options["reserve_partial_stack"], table.wall.left
        if rule == "excluded" or reserve == 0:
            return table.wall.can_draw(end, reserve)
        return left - (rule == "indicator_stack") > reserve

    def against_discarding(self, table: Table, seat: int, tile: int, entry: Entry) -> str:
        lone = tile == self.wild(table) and table.seats[seat].hand.count(tile) == 1
        if lone and self.options["lone_wild_discard"] == "forbidden":
            return "the only wild tile is not thrown"
        return ""

    def against_claim(self, table: Table, seat: int, what: str, source: int, tile: int) -> str:
        if self.face(table, tile, thrown=True) < 0:
            return "a thrown wild tile is dead"
        if what == "chow" and seat != (source + 1) % 4:
            return "only the next seat may chow"
        if what == "kong" and not self.can_draw(table, "head"):
            return "there is no kong after the last draw"
        return ""

    def can_rob(self, kind: str) -> bool:
        return kind == "added"

    def note_discard(self, table: Table, seat: int, tile: int, *, win_declined: bool) -> None:
        player, wild = table.seats[seat], self.wild(table)
        held, made = player.hand.count(wild), self.piao(table, seat)
        # Wild tiles are counted where they can be thrown: at their most.
        player.notes["had_three"] = player.notes.get("had_three", False) or held >= 3
        for other in table.seats:
            other.notes["lone_wild"] = False
        if tile == wild and held == 1:
            player.notes["lone_wild"] = True
        elif tile == wild:
            second_barred = self.on("double_piao_needs_three") and not player.notes["had_three"]
            if made == 0:
                player.notes["turn"] = sum(self.piao(table, other) > 0 for other in range(4))
            player.notes["piao"] = made if made == 1 and second_barred else min(made + 1, 2)
        super().note_discard(table, seat, tile, win_declined=win_declined)

    def note_passed(
        self, table: Table, source: int, tile: int, able: Collection[int], claimer: int | None
    ) -> None:
        super().note_passed(table, source, tile, able, claimer)
        if claimer is None:
            return
        player = table.seats[claimer]
        if player.melds[-1].type == "kong_exposed" and not self.on("feed_counts_kong"):
            return
        when = "by" if self.piao(table, claimer) else "before"
        fed = player.notes.setdefault("fed", {"by": [0] * 4, "before": [0] * 4, "order": []})
        fed[when][source] += 1
        if source not in fed["order"]:
            fed["order"].append(source)

    def win_context(self, table: Table, seat: int, source: int | None) -> Json:
        piaos = [number for number in range(4) if self.piao(table, number)]
        piaos.sort(key=lambda number: int(table.seats[number].notes["turn"]))
        nothing = {"by": [0] * 4, "before": [0] * 4, "order": []}
        return {
            "wild": NAMES[self.wild(table)],
            "piao": [self.piao(table, number) for number in range(4)],
            "mai": table.carried["mai"],
            "xia": table.carried["xia"],
            "feeds": [
                {"to": number, **table.seats[number].notes.get("fed", nothing)} for number in piaos
            ],
            "lone_wild": any(player.notes.get("lone_wild", False) for player in table.seats),
        }


def score(case: Json, options: Mapping[str, Value], elements: Mapping[str, int]) -> Json:
    """Answer a case; `options` and `elements` are changes to the defaults."""
    return Yiwu(options, elements).answer(case)
