"""Plain mahjong: chow, pong, every kong, robbing; any complete hand wins."""

from collections.abc import Mapping
from typing import ClassVar

from tests.referee.common import (
    HONOURS,
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
from tests.referee.shapes import changed, is_complete
from tests.referee.table import Table


class Plain(Game):
    """Scores and permissions of the plain game."""

    ident = "plain"
    copies = SUITED | HONOURS
    own_kongs = ("concealed", "added")
    claims = ("pong", "kong", "chow")
    option_table: ClassVar[Mapping[str, Option]] = {
        "multi_ron": switch(False),
        "seven_pairs": switch(False),
        "reserve_tiles": Option(0),
        "self_draw_factor": Option(1),
        "discard_payment": Option("discarder", ("discarder", "all")),
        "rounds_per_match": Option(4, least=1),
    }
    element_values: ClassVar[Mapping[str, int]] = {"hu": 1, "zi_mo": 1}

    def values_from_options(self) -> dict[str, int]:
        return {"zi_mo": self.number("self_draw_factor")}

    # Scoring and what is carried

    def check(self, win: Win) -> None:
        kongs = ("kong_exposed", "kong_added", "kong_concealed")
        check_tiles(win, self.copies, self.bonus, ("chow", "pong", *kongs))
        check_source(win, ("discard", "rob_kong"), ("self_draw", "kong_draw", "dealt"))
        if win.by == "dealt" and (win.melds or win.winner != win.dealer):
            raise IllegalWinError("dealt_hand_is_the_dealers")
        if win.by == "kong_draw" and not any(meld.type in kongs for meld in win.melds):
            raise IllegalWinError("kong_draw_without_kong")
        whole = changed(win.hand, (win.tile,), 1)
        groups = tuple(meld.group for meld in win.melds)
        if not is_complete(whole, groups, seven_pairs=self.on("seven_pairs")):
            raise IllegalWinError("not_complete")

    def settle(self, win: Win) -> list[Json]:
        self.check(win)
        own_draw = win.source is None
        multiplier = self.values["zi_mo"] if own_draw else 1
        base = self.values["hu"]
        everyone = [seat for seat in range(4) if seat != win.winner]
        alone = win.source is not None and self.options["discard_payment"] == "discarder"
        payers = [win.source] if win.source is not None and alone else everyone
        return [
            {
                "legal": True,
                "elements": {"hu": base} if base else {},
                "factors": {"zi_mo": multiplier} if own_draw else {},
                "base_total": base,
                "multiplier": multiplier,
                "payments": pay(win.winner, dict.fromkeys(payers, base * multiplier)),
            }
        ]

    def counters_before_match(self) -> Json:
        return {}

    def carry(self, before: Json, outcome: Outcome) -> Json:
        return {"dealer": self.next_dealer(before["dealer"], outcome.winners)}

    # Permissions

    def can_draw(self, table: Table, end: str) -> bool:
        return table.wall.left > self.number("reserve_tiles")

    def against_claim(self, table: Table, seat: int, what: str, source: int, tile: int) -> str:
        if what == "chow" and seat != (source + 1) % 4:
            return "only the next seat may chow"
        return ""

    def can_rob(self, kind: str) -> bool:
        return kind == "added"

    def several_winners(self) -> bool:
        return self.on("multi_ron")


def score(case: Json, options: Mapping[str, Value], elements: Mapping[str, int]) -> Json:
    """Answer a case; `options` and `elements` are changes to the defaults."""
    return Plain(options, elements).answer(case)
