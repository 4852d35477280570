"""From files, presets and changes to frozen rulesets."""

import json
import pickle
from pathlib import Path
from typing import Any, cast

import pytest

from mjstats.errors import RulesetError
from mjstats.rulesets import Ruleset, Value, parse_change, ruleset, ruleset_ids, rulesets
from mjstats.tiles import KIND_NAMES

HERE = Path(__file__).parent
VALID = HERE / "valid"
CASES = HERE.parent / "data" / "cases"

# What is played by default. A digest changes if and only if the game does: say so in CHANGELOG.
DIGESTS = {
    "changchun": "5e362ba198591162da150c4c1825b5f2a99e5fe852f08155ce076347366317e2",
    "yiwu": "feeb955947ace71a7904fb1a242a3545e02c11593575b1b4d9610bcc17e97a9d",
    "plain": "6fb3ac41b999be36683cb817db25e1e3d90c167a5af5fa092b6fa2613ebc18d6",
    "suqian": "02e811fb1b83a1866279ab4355cb6ab503e9663b345880173d109df8cf150318",
    "suzhou": "48e5267bdd051cdb994247912ba11fdaf57ef59ea6e817c27550f0e856dc8ede",
    "yancheng": "5381fdf1cfba1bbfc80fc442e049d4bb4563c4a4ea24f2af0c9ec574d13432b0",
}

EVERY_VALUE = [
    (name, option, value)
    for name in ruleset_ids()
    for option, form in ruleset(name).definition.options.items()
    for value in (form.choices or dict.fromkeys((form.min, form.max, form.default)))
]


@pytest.mark.parametrize("name", ruleset_ids())
def test_digests_are_golden(name: str) -> None:
    assert ruleset(name).digest == DIGESTS[name]


STAKES = {"changchun": 1, "plain": 1, "suqian": 2, "suzhou": 5, "yancheng": 10, "yiwu": 5}


@pytest.mark.parametrize("name", ruleset_ids())
def test_every_game_has_a_base_stake(name: str) -> None:
    game = ruleset(name)
    assert game.base_stake == STAKES[name]
    path = game.definition.base_stake
    setting = path if path.startswith("options.") else f"{path}.value"
    assert ruleset(game, changes={setting: 7}).base_stake == 7


def test_a_base_stake_may_be_an_option_or_missing() -> None:
    staked = ruleset(VALID / "staked.toml")
    assert staked.base_stake == 3
    assert ruleset(staked, changes={"stake": 0}).base_stake == 0
    assert ruleset(VALID / "minimal.toml").base_stake is None


@pytest.mark.parametrize(("name", "option", "value"), EVERY_VALUE)
def test_every_value_of_every_option_resolves(name: str, option: str, value: Value) -> None:
    default = ruleset(name)
    changed = ruleset(name, changes={f"options.{option}": value})
    assert changed.options[option] == value
    assert changed == ruleset(name, changes={option: value})
    assert (changed == default) == (value == default.options[option])
    code = changed.option_codes()[option]
    if isinstance(value, int):
        assert code == int(value)
    elif changed.definition.options[option].values:
        assert changed.definition.options[option].values[code] == value
    else:
        assert (code, value) == (-1, "none")


@pytest.mark.parametrize("name", ruleset_ids())
def test_every_element_can_be_changed(name: str) -> None:
    default = ruleset(name)
    for at, element in enumerate(default.elements):
        changed = ruleset(name, changes={f"elements.{element.id}.value": 97})
        assert changed.elements[at].value == 97
        assert changed.element_values()[at] == 97
        assert changed.digest != default.digest
        assert changed.elements[:at] + changed.elements[at + 1 :] == (
            default.elements[:at] + default.elements[at + 1 :]
        )


@pytest.mark.parametrize("name", ruleset_ids())
def test_every_preset_resolves_and_changes_something(name: str) -> None:
    for preset in ruleset(name).definition.presets:
        assert ruleset(name, preset=preset).digest != ruleset(name).digest


@pytest.mark.parametrize("limit", [-1_000_000, 1_000_000])
def test_values_have_a_limit(limit: int) -> None:
    path = "elements.hu.value"
    assert ruleset("plain", changes={path: limit}).elements[0].value == limit
    with pytest.raises(RulesetError, match="allowed are integers -1000000 to 1000000"):
        ruleset("plain", changes={path: limit + (1 if limit > 0 else -1)})


@pytest.mark.parametrize("value", [0, -1, 1001])
def test_factors_have_narrower_limits(value: int) -> None:
    assert ruleset("plain", changes={"elements.zi_mo.value": 1000}).elements[1].value == 1000
    with pytest.raises(RulesetError, match="allowed are integers 1 to 1000"):
        ruleset("plain", changes={"elements.zi_mo.value": value})


def test_plain_is_as_specified() -> None:
    plain = ruleset("plain")
    assert sum(plain.tile_counts) == 136
    assert plain.tile_counts == (4,) * 34 + (0,) * 13
    assert (plain.tile_set, plain.bonus, plain.shapes) == (2, (), 1)
    assert (plain.counters, plain.modes) == ((), ())
    assert [(item.id, item.kind, item.value) for item in plain.elements] == [
        ("hu", "element", 1),
        ("zi_mo", "factor", 1),
    ]
    switches = plain.switches
    assert switches.allow_chow
    assert switches.allow_pong
    assert switches.allow_exposed_kong
    assert switches.allow_added_kong
    assert switches.rob_added_kong
    assert not switches.multi_ron
    assert not switches.concealed_kong_hidden
    assert not switches.bonus_replaced
    assert switches.reserve_tiles == 0
    assert (switches.rounds_per_match, switches.deals_per_match) == (4, 0)
    assert switches.first_dealer == "seat0"
    assert switches.dealer_stays_on_draw


def test_options_reach_shapes_switches_and_elements_of_plain() -> None:
    changes: dict[str, Value] = {
        "seven_pairs": True,
        "multi_ron": True,
        "reserve_tiles": 14,
        "rounds_per_match": 1,
        "self_draw_factor": 2,
    }
    plain = ruleset("plain", changes=changes)
    assert plain.shapes == 1 | 4
    assert plain.switches.multi_ron
    assert plain.switches.reserve_tiles == 14
    assert plain.switches.rounds_per_match == 1
    assert plain.element_values() == (1, 2)
    priced = ruleset(plain, changes={"elements.zi_mo.value": 3})
    assert priced.element_values() == (1, 3)
    assert priced.options["self_draw_factor"] == 2


def test_yc_01_yc_02_tiles_of_yancheng() -> None:
    game = ruleset("yancheng")
    assert game.tile_counts == (4,) * 34 + (1,) * 8 + (0,) * 5
    assert sum(game.tile_counts) == 136 + 8
    assert game.bonus == tuple(range(27, 42))
    assert sum(game.tile_counts[kind] for kind in game.bonus) == 36
    assert [KIND_NAMES[kind] for kind in game.bonus[:7]] == [f"{i}z" for i in range(1, 8)]
    assert game.tile_set == 0


def test_yancheng_is_played_as_specified() -> None:
    game = ruleset("yancheng")
    assert game.shapes == 1 | 4
    assert (game.counters, game.modes) == (("jia",), ("ting", "fei_ting"))
    switches = game.switches
    assert switches.concealed_kong_hidden
    assert switches.bonus_replaced
    assert switches.opening_window
    assert switches.kong_after_declaring == "same_waits"
    assert switches.rounds_per_match == 4


def test_yc_06_nothing_makes_an_open_meld() -> None:
    switches = ruleset("yancheng").switches
    assert not switches.allow_chow
    assert not switches.allow_pong
    assert not switches.allow_exposed_kong
    assert not switches.allow_added_kong


def test_yc_07_the_first_dealer_is_seat_0() -> None:
    assert ruleset("yancheng").switches.first_dealer == "seat0"


def test_yc_09_the_dealer_stays_when_the_wall_is_exhausted() -> None:
    assert ruleset("yancheng").switches.dealer_stays_on_draw


def test_changchun_is_played_as_specified() -> None:
    """CC-04, CC-16, CC-33, CC-36: 136 tiles, every claim, a drawn dealer."""
    game = ruleset("changchun")
    assert game.tile_counts == (4,) * 34 + (0,) * 13
    assert (game.tile_set, game.bonus, game.shapes) == (2, (), 1 | 4)
    assert (game.counters, game.modes) == ((), ("ting",))
    switches = game.switches
    assert switches.allow_chow
    assert switches.allow_pong
    assert switches.allow_exposed_kong
    assert switches.allow_added_kong
    assert switches.rob_added_kong
    assert switches.rob_supplement
    assert not switches.rob_supplement_by_kong
    assert not switches.chow_from_any
    assert not switches.multi_ron
    assert not switches.concealed_kong_hidden
    assert switches.first_dealer == "drawn"
    assert switches.dealer_stays_on_draw
    assert switches.kong_after_declaring == "same_waits"
    assert ruleset("changchun", changes={"qi_dui": "off"}).shapes == 1
    assert ruleset("changchun", changes={"chow_from": "any"}).switches.chow_from_any


def test_fans_of_changchun() -> None:
    """CC-10, CC-18: one fan each; the others are those of public tables."""
    values = {item.id: item.value for item in ruleset("changchun").elements}
    assert values == {
        **dict.fromkeys(("li_hu", "zhuang", "zi_mo", "dian_pao", "jia_hu", "mo_bao"), 1),
        **{"piao_hu": 2, "qi_dui": 3, "hao_hua_qi_dui": 4, "chong_bao": 2, "qing_yi_se": 1},
    }


def test_the_original_of_changchun_alone_has_two_fans() -> None:
    """CC-10, CC-18: the standing win and the dealer; what is said explicitly wins."""
    game = ruleset("changchun", changes={"scoring_profile": "seed_only"})
    assert {item.id for item in game.elements if item.value} == {"li_hu", "zhuang"}
    assert (game.options["qi_dui"], game.shapes) == ("off", 1)
    changes = {"scoring_profile": "seed_only", "qi_dui": "on", "elements.zi_mo.value": 1}
    kept = ruleset("changchun", changes=changes)
    assert {item.id for item in kept.elements if item.value} == {"li_hu", "zhuang", "zi_mo"}
    assert kept.shapes == 1 | 4


def test_presets_of_changchun() -> None:
    literal = ruleset("changchun", preset="seed_literal")
    assert literal.settings == {
        "options.scoring_profile": "seed_only",
        "options.chow_from": "any",
        "options.bao_count": "discarded",
        "options.shou_ba_yi_counts_concealed_kong": False,
        "options.discard_payment": "three_pay",
        "options.dead_claim": "allowed",
    }
    assert ruleset("changchun", preset="table").settings == {
        "options.xuan_feng_tiles": "any3",
        "options.special_kong_source": "first_turn",
        "options.fan_cap": 6,
    }


def test_changchun_answers_every_clause_and_every_ambiguity() -> None:
    definition = ruleset("changchun").definition
    assert list(definition.clauses) == [f"CC-{number:02}" for number in range(1, 57)]
    outside = {clause for clause, form in definition.clauses.items() if form.status == "O"}
    assert outside == {f"CC-{number:02}" for number in (1, 3, 27, 29, 30, 32)}
    settled = {option.ambiguity for option in definition.options.values()} - {""}
    assert settled | set(definition.decisions) == {f"CC-A{number:02}" for number in range(1, 34)}


def test_suzhou_is_played_as_specified() -> None:
    """SZ-02, SZ-03, SZ-23: 152 tiles, 28 of them flowers; pongs and kongs, no chow."""
    game = ruleset("suzhou")
    assert sum(game.tile_counts) == 152
    assert sum(game.tile_counts[kind] for kind in game.bonus) == 28
    assert game.bonus == tuple(range(31, 47))
    assert game.tile_set == 1
    assert game.shapes == 1 | 4
    assert (game.counters, game.modes) == (("baozi", "diling", "die_1", "die_2"), ())
    switches = game.switches
    assert (switches.allow_pong, switches.allow_chow, switches.multi_ron) == (True, False, True)
    assert (switches.rounds_per_match, switches.deals_per_match) == (0, 16)
    assert not switches.concealed_kong_hidden
    assert not switches.dealer_stays_on_draw
    assert ruleset("suzhou", changes={"draw_dealer": "keep"}).switches.dealer_stays_on_draw
    assert ruleset("suzhou", changes={"quad_as_two_pairs": False}).shapes == 1 | 2


def test_sz_26_list_b_sets_what_differs_and_yields_to_explicit_options() -> None:
    game = ruleset("suzhou", preset="list_b")
    assert game == ruleset("suzhou", changes={"scoring_list": "B"})
    values = {item.id: (item.kind, item.value) for item in game.elements}
    assert values["qi_dui"] == ("element", 10)
    assert values["da_diao_che"] == ("element", 5)
    assert game.options["men_qing_rule"] == "stacking"
    assert game.options["qi_dui_double_hard"] is False
    doubled = ruleset("suzhou", changes={"scoring_list": "B", "da_diao_che": "double"})
    values = {item.id: (item.kind, item.value) for item in doubled.elements}
    assert values["da_diao_che"] == ("factor", 2)
    assert values["qi_dui"] == ("element", 10)


def test_the_table_preset_of_suzhou() -> None:
    game = ruleset("suzhou", preset="table")
    assert game.settings == {
        "options.men_qing_rule": "stacking",
        "options.wind_triplet_by_discard": 1,
    }


@pytest.mark.parametrize(
    ("rule", "kind", "value"), [("add_10", "element", 10), ("double", "factor", 2)]
)
def test_sz_37_61_an_option_decides_whether_da_diao_che_is_a_factor(
    rule: str, kind: str, value: int
) -> None:
    by_option = ruleset("suzhou", changes={"da_diao_che": rule})
    assert {item.id: (item.kind, item.value) for item in by_option.elements}["da_diao_che"] == (
        kind,
        value,
    )
    direct = ruleset(by_option, changes={"elements.da_diao_che.value": 7})
    assert {item.id: (item.kind, item.value) for item in direct.elements}["da_diao_che"] == (
        kind,
        7,
    )


def test_suzhou_answers_every_clause_and_every_ambiguity() -> None:
    definition = ruleset("suzhou").definition
    assert list(definition.clauses) == [f"SZ-{number:02}" for number in range(1, 78)]
    outside = {clause for clause, form in definition.clauses.items() if form.status == "O"}
    assert outside == {f"SZ-{number:02}" for number in (1, 43, 65, 66, 67, 77)}
    parameters = {clause for clause, form in definition.clauses.items() if form.status == "P"}
    assert parameters == {f"SZ-{number:02}" for number in (5, 20, 53, 56, 61)}
    settled = {option.ambiguity for option in definition.options.values()} - {""}
    assert settled | set(definition.decisions) == {f"SZ-A{number}" for number in range(1, 19)}


# The number that a clause of the original gives, and the element that carries it.
SUZHOU_NUMBERS = [
    ("SZ-44", "win", 5),
    ("SZ-45", "hard_flowers", 1),
    ("SZ-46", "kong_exposed", 1),
    ("SZ-47", "kong_concealed", 2),
    ("SZ-48", "wind_pung", 1),
    ("SZ-49", "wind_triplet", 2),
    ("SZ-50", "wind_kong_exposed", 3),
    ("SZ-51", "wind_kong_concealed", 4),
    ("SZ-29", "da_men_qing", 10),
    ("SZ-52", "xiao_men_qing", 5),
    ("SZ-55", "hun_yi_se", 5),
    ("SZ-57", "qing_yi_se", 10),
    ("SZ-54", "dui_dui_hu", 5),
    ("SZ-34", "qi_dui", 15),
    ("SZ-58", "gang_kai", 5),
    ("SZ-62", "tian_hu", 50),
    ("SZ-63", "di_hu", 50),
    ("SZ-64", "hai_di", 5),
    ("SZ-37", "da_diao_che", 2),
    ("SZ-16", "baozi", 2),
    ("SZ-18", "diling", 2),
]


def test_numbers_of_the_original_of_suzhou() -> None:
    game = ruleset("suzhou")
    assert [(item.id, item.value) for item in game.elements] == [
        (element, value) for _, element, value in SUZHOU_NUMBERS
    ]
    for clause, element, _ in SUZHOU_NUMBERS:
        assert clause in game.definition.elements[element].clauses


def test_yiwu_is_played_as_specified() -> None:
    """YW-03, YW-09, YW-12, YW-13: 136 tiles, chow, pong, kong, a first dealer by lot."""
    game = ruleset("yiwu")
    assert (sum(game.tile_counts), game.bonus, game.tile_set) == (136, (), 2)
    assert game.shapes == 1 | 4 | 8
    assert ruleset("yiwu", changes={"bu_kao_mode": "groups"}).shapes == 1 | 4 | 16
    assert ruleset("yiwu", changes={"quad_as_two_pairs": False}).shapes == 1 | 2 | 8
    switches = game.switches
    assert switches.allow_chow
    assert switches.allow_pong
    assert switches.rob_added_kong
    assert not switches.multi_ron
    assert (switches.wild_tiles, switches.rounds_per_match) == (3, 4)
    assert switches.first_dealer == "drawn"
    assert switches.dealer_stays_on_draw


def test_yiwu_answers_every_clause_and_every_ambiguity() -> None:
    definition = ruleset("yiwu").definition
    assert list(definition.clauses) == [f"YW-{number:02}" for number in range(1, 72)]
    outside = {clause for clause, form in definition.clauses.items() if form.status == "O"}
    assert outside == {f"YW-{number:02}" for number in (4, 5, 7, 71)}
    settled = {option.ambiguity for option in definition.options.values()} - {""}
    assert settled | set(definition.decisions) == {f"YW-A{number:02}" for number in range(1, 33)}


def test_presets_of_yiwu() -> None:
    literal = ruleset("yiwu", preset="seed_literal").settings
    assert literal == {
        "options.wild_head_discard_win": True,
        "options.double_piao_needs_three": True,
        "options.bao_fail": "any_fail",
    }
    assert ruleset("yiwu", preset="table").settings == {
        "options.base_dealer": 9,
        "options.base_other": 7,
        "options.bao_fail": "feeder_wins_double",
        "options.double_piao_draw_penalty": 4,
    }


YIWU_NUMBERS = [
    ("YW-19", "fang_chong", 1),
    ("YW-24", "zi_mo", 2),
    ("YW-23", "qiang_gang", 2),
    ("YW-34", "cai_shen_tou", 4),
    ("YW-49", "gang_kai", 4),
    ("YW-40", "dan_piao", 8),
    ("YW-51", "piao_gang", 8),
    ("YW-45", "shuang_piao", 16),
]


def test_numbers_of_the_original_of_yiwu() -> None:
    game = ruleset("yiwu")
    assert [(item.id, item.value) for item in game.elements] == [
        (element, value) for _, element, value in YIWU_NUMBERS
    ]
    for clause, element, _ in YIWU_NUMBERS:
        assert clause in game.definition.elements[element].clauses


NUMBERS = [
    ("YC-13", "flower_tiles", 1),
    ("YC-14", "yao_jiu", 1),
    ("YC-16", "men_qing", 10),
    ("YC-17", "duan_men", 10),
    ("YC-18", "qing_yi_se", 50),
    ("YC-19", "peng_peng_hu", 50),
    ("YC-20", "yi_tiao_long", 10),
    ("YC-21", "qi_dui", 20),
    ("YC-22", "deng_zi", 10),
    ("YC-25", "hei_zi", 36),
    ("YC-26", "qi_shou_ting", 10),
    ("YC-27", "tian_hu", 3),
    ("YC-29", "ya_dang", 10),
    ("YC-31", "dui_dao", 10),
    ("YC-32", "da_diao_che", 10),
    ("YC-34", "hao_hua_qi_dui", 2),
    ("YC-37", "ting_self_draw", 1),
    ("YC-38", "ting_dian_pao", 2),
    ("YC-39", "da_fei_ji", 4),
    ("YC-40", "fei_ting_self_draw", 3),
    ("YC-42", "jia_jia", 2),
]


@pytest.mark.parametrize(("clause", "element", "value"), NUMBERS)
def test_numbers_of_the_original(clause: str, element: str, value: int) -> None:
    game = ruleset("yancheng")
    assert clause in game.definition.elements[element].clauses
    assert {item.id: item.value for item in game.elements}[element] == value


def test_the_original_gives_a_number_to_every_element_in_order() -> None:
    elements = [item.id for item in ruleset("yancheng").elements if item.kind == "element"]
    assert [element for _, element, _ in NUMBERS if element in elements] == elements
    assert {element for _, element, _ in NUMBERS} == {
        item.id for item in ruleset("yancheng").elements
    }


def test_tiers_scale_with_the_first() -> None:
    game = ruleset("yancheng", changes={"elements.dui_dao.value": 7})
    tiers = {item.id: item.tiers for item in game.elements}
    assert tiers["dui_dao"] == (7, 14, 28)
    assert tiers["da_diao_che"] == (10, 20, 40, 80)
    assert tiers["hao_hua_qi_dui"] == (2, 4, 8)
    assert tiers["men_qing"] == (10,)


def test_yancheng_answers_every_clause_and_every_ambiguity() -> None:
    definition = ruleset("yancheng").definition
    assert list(definition.clauses) == [f"YC-{number:02}" for number in range(1, 50)]
    outside = {clause for clause, form in definition.clauses.items() if form.status == "O"}
    assert outside == {"YC-03", "YC-15", "YC-41", "YC-48", "YC-49"}
    settled = {option.ambiguity for option in definition.options.values()} - {""}
    assert settled | set(definition.decisions) == {f"YC-A{number}" for number in range(1, 19)}


def worked_cases() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for path in sorted(CASES.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        cases = content["cases"] if isinstance(content, dict) else content
        name = content["ruleset"] if isinstance(content, dict) else path.stem
        if name in ruleset_ids():
            found += [(name, case) for case in cases]
    return found


def test_what_worked_cases_change_is_known() -> None:
    settings = 0
    for name, case in worked_cases():
        for path, value in case.get("options", {}).items():
            assert ruleset(name, changes={path: value}).digest
            settings += 1
        played = ruleset(name, changes=case.get("options"))
        for key in case.get("expect_under", {}):
            changed = ruleset(played, changes=dict(parse_change(part) for part in key.split(",")))
            assert changed.digest != played.digest
            settings += 1
    assert settings > 0


# ------------------------------------------------------------------ options that set others


@pytest.fixture
def lists() -> Path:
    return VALID / "implying.toml"


def test_defaults_of_a_game_of_lists(lists: Path) -> None:
    game = ruleset(lists)
    assert game.options["qi_dui_value"] == 15
    assert game.element_values() == (15, 2)
    assert game.shapes == 1 | 4 | 8
    assert (game.tile_set, sum(game.tile_counts), len(game.bonus)) == (1, 152, 16)
    switches = game.switches
    assert not switches.multi_ron
    assert not switches.dealer_stays_on_draw
    assert switches.reserve_tiles == 7
    assert switches.deals_per_match == 16
    assert switches.first_dealer == "drawn"
    assert game.option_codes()["fan_cap"] == -1


def test_an_option_implies_others_and_elements_through_them(lists: Path) -> None:
    game = ruleset(lists, changes={"scoring_list": "B"})
    assert game.options["qi_dui_value"] == 10
    assert game.options["double_hard"] is False
    assert game.options["da_diao_rule"] == "add"
    assert game.element_values() == (10, 5)
    assert game == ruleset(lists, preset="list_b")


def test_an_explicit_option_wins_over_an_implied_one(lists: Path) -> None:
    game = ruleset(lists, changes={"scoring_list": "B", "qi_dui_value": 15, "double_hard": True})
    assert game.options["qi_dui_value"] == 15
    assert game.options["double_hard"] is True
    assert game.options["da_diao_rule"] == "add"
    assert game.element_values() == (15, 5)


def test_an_explicit_element_wins_over_every_option(lists: Path) -> None:
    changes: dict[str, Value] = {"elements.qi_dui.value": 33, "elements.da_diao.value": 3}
    game = ruleset(lists, changes={**changes, "scoring_list": "B", "qi_dui_value": 10})
    assert game.element_values() == (33, 3)


def test_shapes_and_switches_follow_words(lists: Path) -> None:
    game = ruleset(
        lists,
        changes={"quad_as_two_pairs": False, "who_wins": "all", "draw_dealer": "keep"},
    )
    assert game.shapes == 1 | 2 | 8
    assert game.switches.multi_ron
    assert game.switches.dealer_stays_on_draw


def test_two_options_that_imply_different_values_are_refused(tmp_path: Path) -> None:
    text = (VALID / "implying.toml").read_text(encoding="utf-8")
    text = text.replace(
        'doc = "Who wins on a discard."',
        'doc = "Who wins on a discard."\n'
        'implies = [{ value = "all", options = { qi_dui_value = 15 } }]',
    )
    path = tmp_path / "torn.toml"
    path.write_text(text, encoding="utf-8")
    torn: dict[str, Value] = {"scoring_list": "B", "who_wins": "all"}
    with pytest.raises(
        RulesetError,
        match=r"options.qi_dui_value: implied to be 10 by options.scoring_list, 15 by "
        r"options.who_wins; set options.qi_dui_value itself",
    ):
        ruleset(path, changes=torn)
    assert ruleset(path, changes={**torn, "qi_dui_value": 10}).element_values() == (10, 5)


def test_options_that_imply_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    text = (VALID / "implying.toml").read_text(encoding="utf-8")
    text = text.replace(
        'doc = "Hard flowers count twice."',
        'doc = "Hard flowers count twice."\n'
        'implies = [{ value = false, options = { scoring_list = "A" } }]',
    )
    path = tmp_path / "circle.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesetError, match="the option decides about itself"):
        ruleset(path)


# ------------------------------------------------------------------ layers


def test_a_house_file_changes_its_base() -> None:
    game = ruleset(VALID / "house.toml")
    assert (game.id, game.name, game.name_zh) == ("our_yancheng", "Our Yancheng", "鹽城麻將")
    assert game.module == "yancheng"
    assert game.switches.multi_ron
    assert game.options["seven_pairs_da_diao"] is False
    assert {item.id: item.value for item in game.elements}["qing_yi_se"] == 30


def test_layers_win_in_order() -> None:
    outer = ruleset(VALID / "house_of_house.toml")
    assert outer.options["multi_ron"] is True
    assert outer.options["kong_after_ting"] == "still_ready"
    assert outer.options["seven_pairs_da_diao"] is True
    changed = ruleset(VALID / "house_of_house.toml", changes={"kong_after_ting": "same_waits"})
    assert changed.options["kong_after_ting"] == "same_waits"


def test_a_preset_of_the_call_replaces_the_one_before(lists: Path) -> None:
    dear = ruleset(lists, preset="dear")
    assert dear.element_values() == (40, 2)
    assert dear.switches.multi_ron
    other = ruleset(dear, preset="list_b")
    assert other == ruleset(lists, preset="list_b")


def test_changes_add_up_and_never_touch_the_source() -> None:
    first = ruleset("yancheng", changes={"multi_ron": True})
    before = first.digest
    second = ruleset(first, changes={"options.multi_ron": False, "elements.qi_dui.value": 5})
    assert first.options["multi_ron"] is True
    assert first.digest == before
    assert second == ruleset("yancheng", changes={"elements.qi_dui.value": 5})


@pytest.mark.parametrize("source", ["yancheng", str(VALID / "house_of_house.toml")])
def test_base_and_settings_make_it_again(source: str) -> None:
    game = ruleset(source, preset="seed_literal", changes={"elements.qi_dui.value": 5})
    again = ruleset(game.base, changes=game.settings)
    assert again.digest == game.digest
    assert again.options == game.options


def test_names_do_not_change_what_is_played(tmp_path: Path) -> None:
    path = tmp_path / "renamed.toml"
    path.write_text('extends = "plain"\nid = "ours"\nname = "Ours"\n', encoding="utf-8")
    assert ruleset(path).digest == ruleset("plain").digest
    assert ruleset(path) != ruleset("plain")
    assert len({ruleset(path), ruleset("plain"), ruleset("plain")}) == 2


def test_a_ruleset_is_frozen() -> None:
    game = ruleset("plain")
    with pytest.raises(AttributeError):
        cast("Any", game).id = "other"
    game.options["multi_ron"] = True
    game.settings["options.multi_ron"] = True
    assert game.options["multi_ron"] is False
    assert game == ruleset("plain")


def test_a_ruleset_crosses_process_borders() -> None:
    game = ruleset("yancheng", preset="seed_literal", changes={"multi_ron": True})
    assert pickle.loads(pickle.dumps(game)) == game


def test_repr_is_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(VALID)
    for game in (
        ruleset("yancheng"),
        ruleset("yancheng", preset="seed_literal", changes={"multi_ron": True}),
        ruleset("house.toml", changes={"elements.qi_dui.value": 5}),
        ruleset("minimal.toml"),
    ):
        again = eval(repr(game), {"ruleset": ruleset})
        assert isinstance(again, Ruleset)
        assert again == game
    assert repr(ruleset("plain")) == "ruleset('plain')"
    assert game != "minimal"


def test_the_digest_covers_everything_that_is_played() -> None:
    content = ruleset("yancheng").as_dict()
    assert json.loads(json.dumps(content)) == content
    assert set(content) == {
        *("module", "tile_counts", "bonus", "shapes", "switches", "counters", "modes"),
        *("elements", "options"),
    }


# ------------------------------------------------------------------ the catalogue, bad input


def test_the_catalogue_as_a_table() -> None:
    table = rulesets()
    assert list(table.columns) == ["id", "name", "name_zh", "tiles", "elements", "sources"]
    assert list(table["id"]) == list(ruleset_ids())
    row = table.set_index("id").loc["yancheng"]
    assert (row["name_zh"], row["tiles"], row["elements"]) == ("鹽城麻將", 144, 21)
    assert row["sources"].startswith("Encyclopedia page")


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("multi_ron=true", "options.multi_ron", True),
        ("options.multi_ron = false", "options.multi_ron", False),
        ("multi_wait_cap=80", "options.multi_wait_cap", 80),
        ("kong_after_ting=never", "options.kong_after_ting", "never"),
        ("elements.qing_yi_se.value=-30", "elements.qing_yi_se.value", -30),
    ],
)
def test_settings_of_a_command_line(text: str, path: str, value: Value) -> None:
    assert parse_change(text) == (path, value)
    assert type(parse_change(text)[1]) is type(value)


@pytest.mark.parametrize("text", ["multi_ron", "multi_ron=", "=true", ""])
def test_settings_without_name_or_value(text: str) -> None:
    with pytest.raises(RulesetError, match=r"allowed are options.NAME=VALUE and elements.ID.value"):
        parse_change(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"multi_ro": True}, "changes: options.multi_ro: unknown option; allowed are multi_ron, "),
        ({"options.a.b": True}, "changes: options.a.b: unknown setting; allowed are options.NAME"),
        ({"elements.hu": 2}, "changes: elements.hu: unknown setting; allowed are options.NAME"),
        ({"elements.fan.value": 2}, "changes: elements.fan.value: unknown element; allowed are hu"),
        ({"elements.hu.value": True}, "changes: elements.hu.value = true: impossible value"),
        ({"multi_ron": "true"}, 'changes: options.multi_ron = "true": impossible value; allowed'),
        ({"multi_ron": None}, "changes: options.multi_ron = null: impossible value; allowed"),
        ({"discard_payment": "x"}, '"x": impossible value; allowed are "discarder", "all"'),
        ({"reserve_tiles": -1}, "reserve_tiles = -1: impossible value; allowed are integers 0 to"),
    ],
)
def test_impossible_changes(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesetError) as caught:
        ruleset("plain", changes=changes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_rulesets_presets_and_files(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match=r"unknown ruleset 'jancheng'; allowed are .*plain, "):
        ruleset("jancheng")
    with pytest.raises(RulesetError, match='preset = "table": plain has no such preset; allowed'):
        ruleset("plain", preset="table")
    with pytest.raises(RulesetError, match=r"cannot read ruleset file 'no.toml': No such file"):
        ruleset("no.toml")
    with pytest.raises(RulesetError, match=r"cannot read ruleset file .*: Is a directory"):
        ruleset(tmp_path)
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "\xe9"')
    with pytest.raises(RulesetError, match="no UTF-8 text at byte 8"):
        ruleset(path)
