"""Exact values of the tile sets of all games, as their definitions give them to `mjstats.exact`.

The definitions here hold what exact counting reads and nothing else.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import mjstats as mj
from mjstats import exact
from mjstats.counting import Tiles, grouped
from mjstats.errors import ArgumentError
from mjstats.rulesets import Ruleset, ruleset_ids
from mjstats.stats.intervals import binomial_z
from tests.mjstats import slow_hands
from tests.mjstats.test_exact import DISTINCT, GROUPS, QUADS, STANDARD, UNCONNECTED, small

DRAFT = """
id = "{id}"
name = "{id}"
name_zh = "{id}"
module = "{module}"
status = "provisional"
summary = "Tiles and shapes alone."
shapes = {shapes}
tiles = {tiles}
sources = [{{ title = "Tests", reason = "What exact counting reads." }}]
switches = {{ rounds_per_match = 4 }}
{rest}
"""
ELEMENT = """
[elements.{id}]
name_zh = "{id}"
name_en = "{id}"
value = 1
doc = "An element of the tiles alone."
"""
OPTION = """
[options.{id}]
default = {default}
values = {values}
doc = "An option that exact counting reads."
"""
PAIRS = '["standard", "pairs_quads"]'
ALL = "playing = { suits = 4, winds = 4, dragons = 4 }"
DRAFTS: dict[str, dict[str, Any]] = {
    "suqian": {
        "shapes": PAIRS,
        "tiles": "playing = { suits = 4 }, bonus = { winds = 1, seasons = 1, plants = 1 }",
        "elements": ["da_pie", "qing_yi_se", "da_dui_hu", "qi_dui"],
        "options": {"multi_ron": ("false", "")},
    },
    "suzhou": {
        "shapes": PAIRS,
        "tiles": "playing = { suits = 4, winds = 4 }, "
        "bonus = { dragons = 4, seasons = 1, plants = 1, animals = 1, baida = 4 }",
        "elements": ["hun_yi_se", "qing_yi_se", "dui_dui_hu", "qi_dui", "wind_triplet", "tian_hu"],
        "options": {"tian_hu_after_kong": ("false", "")},
    },
    "changchun": {
        "shapes": PAIRS,
        "tiles": ALL,
        "elements": ["piao_hu", "qi_dui", "yao_jiu", "three_suits"],
        "options": {
            "xuan_feng_tiles": ('"all4"', '["all4", "any3"]'),
            "one_bamboo_wild": ("false", ""),
        },
    },
    "yiwu": {
        "shapes": """[
            "standard",
            { shape = "pairs_quads", option = "quad_as_two_pairs", equals = true },
            { shape = "pairs_distinct", option = "quad_as_two_pairs", equals = false },
            { shape = "unconnected", option = "bu_kao_mode", equals = "gaps" },
            { shape = "unconnected_groups", option = "bu_kao_mode", equals = "groups" },
        ]""",
        "tiles": ALL,
        "elements": ["zi_mo"],
        "options": {
            "wild_count": ("3", "[3, 4]"),
            "quad_as_two_pairs": ("true", ""),
            "bu_kao_mode": ('"gaps"', '["gaps", "groups"]'),
        },
    },
}
PLAYING = {
    "suqian": 108,
    "suzhou": 124,
    "changchun": 136,
    "yiwu": 136,
    "yancheng": 108,
    "plain": 136,
}
BONUS = {"suqian": 12, "suzhou": 28, "yancheng": 36}
GAMES = tuple(PLAYING)
TAME = tuple(game for game in GAMES if game != "yiwu")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What names each game in Python and on the command line."""
    folder = tmp_path_factory.mktemp("games")
    found = {game: game for game in GAMES}
    for game, draft in DRAFTS.items():
        parts = [ELEMENT.format(id=name) for name in draft["elements"]]
        for name, (default, values) in draft.get("options", {}).items():
            text = OPTION.format(id=name, default=default, values=values)
            parts.append(text if values else text.replace("values = \n", ""))
        path = folder / f"{game}.toml"
        tiles = "{ " + draft["tiles"] + " }"
        path.write_text(
            DRAFT.format(
                id=game, module=game, shapes=draft["shapes"], tiles=tiles, rest="".join(parts)
            ),
            encoding="utf-8",
        )
        found[game] = str(path)
    return found


@pytest.fixture
def games(files: dict[str, str]) -> dict[str, Ruleset]:
    return {game: mj.ruleset(name) for game, name in files.items()}


@pytest.mark.parametrize("game", GAMES)
def test_every_dealt_hand_has_a_shanten(games: dict[str, Ruleset], game: str) -> None:
    for tiles in (13, 14):
        table = exact.shanten(games[game], tiles=tiles)
        assert sum(table["count"]) == table["total"].iloc[0]
        # The face of the wild tile is part of the deal, and one of its tiles is turned up.
        hands = 34 * comb(135, tiles) if game == "yiwu" else comb(PLAYING[game], tiles)
        assert table["total"].iloc[0] == hands
        ready = exact.ready(games[game])["count"].iloc[0]
        if tiles == 13:
            assert table.set_index("shanten").loc[0, "count"] == ready
        else:
            complete = exact.complete(games[game])["count"].iloc[0]
            assert table.set_index("shanten").loc[-1, "count"] == complete


@pytest.mark.parametrize("game", TAME)
@pytest.mark.parametrize("waits", ["live", "formal"])
def test_waits_are_those_of_ready_hands(
    games: dict[str, Ruleset], game: str, waits: exact.Waits
) -> None:
    table = exact.waits(
        games[game], waits=waits, by=["kinds", "live", "roles", "wait_class", "suits", "honours"]
    )
    ready = exact.ready(games[game], waits=waits)["count"].iloc[0]
    assert sum(table["count"]) == ready == table["total"].iloc[0]
    assert table["honours"].any() == (games[game].tile_set > 0)


@pytest.mark.parametrize("game", GAMES)
def test_features_of_complete_hands(games: dict[str, Ruleset], game: str) -> None:
    alone = exact.features(games[game], of="dealt").set_index("feature")
    both = exact.features(games[game], combined=True).set_index(["feature", "other"])
    complete = exact.complete(games[game])
    assert set(alone["total"]) == set(complete["total"])
    assert set(both["total"]) == set(complete["count"])
    for name in alone.index:
        assert both.loc[(name, ""), "count"] == alone.loc[name, "count"]
    for name in ("standard", "seven_pairs"):
        if alone.loc[name, "count"]:
            shape = name if name == "standard" else "seven_pairs_quads"
            assert alone.loc[name, "count"] == exact.complete(games[game], shape=shape)["count"][0]


@pytest.mark.parametrize(
    ("game", "elements"),
    [
        (
            "suqian",
            {
                "one_suit": "qing_yi_se",
                "at_most_two_suits": "da_pie",
                "all_triplets": "da_dui_hu",
                "seven_pairs": "qi_dui",
            },
        ),
        (
            "suzhou",
            {
                "one_suit": "qing_yi_se",
                "one_suit_honours": "hun_yi_se",
                "all_triplets": "dui_dui_hu",
                "seven_pairs": "qi_dui",
                "honour_triplet": "wind_triplet",
            },
        ),
        (
            "changchun",
            {
                "three_suits": "three_suits",
                "terminals_or_honours": "yao_jiu",
                "all_triplets": "piao_hu",
                "seven_pairs": "qi_dui",
            },
        ),
        (
            "yancheng",
            {
                "one_suit": "qing_yi_se",
                "two_suits": "duan_men",
                "terminal_set": "yao_jiu",
                "all_triplets": "peng_peng_hu",
                "straight": "yi_tiao_long",
                "seven_pairs": "qi_dui",
            },
        ),
    ],
)
def test_elements_of_the_tiles_alone(
    games: dict[str, Ruleset], game: str, elements: dict[str, str]
) -> None:
    table = exact.features(games[game], combined=True).set_index(["feature", "other"])
    alone = table.xs("", level="other")
    assert {name: element for name, element in alone["element"].items() if element} == elements
    first, second = sorted(elements, key=list(exact.FEATURES).index)[:2]
    both = {element for element in table["element"] if "+" in element}
    assert all(set(pair.split(" + ")) <= set(elements.values()) for pair in both)
    if (first, second) in table.index:
        assert table.loc[(first, second), "element"] == f"{elements[first]} + {elements[second]}"


@pytest.mark.parametrize("game", GAMES)
def test_bonus_tiles_of_every_game(games: dict[str, Ruleset], game: str) -> None:
    table = exact.bonus(games[game], fractions=True)
    special = BONUS.get(game, 0)
    assert set(table["bonus"]) == set(range(special + 1)) if special < 13 else True
    for (stage, order), rows in table.groupby(["stage", "order"]):
        assert sum(rows["fraction"]) == 1
        playing, size = PLAYING[game], 13 + (order == 0)
        mean = sum(rows["bonus"] * rows["fraction"])
        among = playing + (special if stage == "dealt" else 1)
        assert mean * among == size * special


@pytest.mark.parametrize("game", TAME)
def test_special_kongs_of_every_game(games: dict[str, Ruleset], game: str) -> None:
    table = exact.special_kongs(games[game])
    assert sum(table["count"]) == comb(PLAYING[game], 13)
    winds, dragons = (PLAYING[game] > 108, PLAYING[game] == 136)
    assert (table["xuan_feng"].any(), table["xi"].any()) == (winds, dragons)
    all_winds = sum((-1) ** k * comb(4, k) * comb(PLAYING[game] - 4 * k, 13) for k in range(5))
    assert sum(table[table["xuan_feng"]]["count"]) == (all_winds if winds else 0)


def test_options_of_the_special_kongs(files: dict[str, str]) -> None:
    default = exact.special_kongs(files["changchun"])
    assert list(default["count"]) == list(exact.special_kongs("plain")["count"])
    shares = {}
    for name, changes in {
        "default": {},
        "any3": {"xuan_feng_tiles": "any3"},
        "bamboo": {"one_bamboo_wild": True},
    }.items():
        rules = mj.ruleset(files["changchun"], changes=changes)
        table = exact.special_kongs(rules)
        shares[name] = [table.loc[table[kong], "p"].sum() for kong in ("xuan_feng", "xi", "jiu")]
    assert shares["any3"][0] > shares["bamboo"][0] > shares["default"][0]
    assert shares["any3"][1:] == pytest.approx(shares["default"][1:])
    assert shares["bamboo"][2] > shares["default"][2]


def test_a_kong_before_tian_hu(files: dict[str, str]) -> None:
    for kong, expected in ((False, 1), (True, 0)):
        rules = mj.ruleset(files["suzhou"], changes={"tian_hu_after_kong": kong})
        cells = [cell for cell in exact.expected_cells(rules) if cell.cell == "tian_hu"]
        assert len(cells) == expected


# Wild tiles.


@pytest.mark.parametrize(
    ("changes", "wilds", "bits"),
    [
        ({}, 3, STANDARD | QUADS | UNCONNECTED),
        ({"wild_count": 4}, 4, STANDARD | QUADS | UNCONNECTED),
    ],
)
def test_wild_tiles_of_a_ruleset(
    files: dict[str, str], changes: dict[str, Any], wilds: int, bits: int
) -> None:
    rules = mj.ruleset(files["yiwu"], changes=changes)
    assert rules.shapes == bits
    table = exact.shanten(rules)
    assert table["total"].iloc[0] == 34 * comb(132 + wilds, 13)
    given = [exact.shanten(rules, wilds=held) for held in range(wilds + 1)]
    for shanten, count in zip(table["shanten"], table["count"], strict=True):
        parts = [
            sum(part.loc[part["shanten"] == shanten, "count"]) * comb(wilds, held)
            for held, part in enumerate(given)
        ]
        assert sum(parts) == count
    features = exact.features(rules, of="dealt").set_index("feature")["count"]
    held = [name for name in features.index if name.startswith("wilds_")]
    assert len(held) == wilds + 1
    assert sum(features[held]) == exact.complete(rules)["count"].iloc[0]


def faces(indicator: bool) -> Iterator[tuple[int, Counter[int]]]:
    """For each face the tiles in play, wild ones as -1, whites as the face."""
    for face in range(34):
        tiles = Counter(dict.fromkeys(range(34), 4))
        wild = tiles.pop(face) - indicator
        if face != 33:
            tiles[face] = tiles.pop(33)
        tiles[-1] = wild
        yield face, tiles


def dealt_wild_hands(n: int, size: int, seed: int) -> Iterator[tuple[int, NDArray[np.uint8], int]]:
    """Yield face, counts without the wild tiles, and wild tiles, of hands dealt at random."""
    rng = np.random.default_rng(seed)
    walls = {face: np.array(sorted(tiles.elements())) for face, tiles in faces(True)}
    for face in rng.integers(34, size=n):
        wall = walls[int(face)]
        hand = rng.choice(wall, size=size, replace=False)
        counts = np.bincount(hand[hand >= 0], minlength=34).astype(np.uint8)
        yield int(face), counts, int((hand < 0).sum())


def test_shapes_of_the_options_of_yiwu(files: dict[str, str]) -> None:
    changes = {"quad_as_two_pairs": False, "bu_kao_mode": "groups"}
    assert mj.ruleset(files["yiwu"], changes=changes).shapes == STANDARD | DISTINCT | GROUPS


@pytest.mark.parametrize("size", [13, 14])
def test_wild_hands_dealt_at_random(games: dict[str, Ruleset], size: int) -> None:
    """The evaluator of the core, hand by hand, against the counts."""
    from cython_core._hand import HandView

    rules, n = games["yiwu"], 5_000
    seen: Counter[int] = Counter()
    none = np.zeros(34, dtype=np.uint8)
    for face, counts, wilds in dealt_wild_hands(n, size, seed=size):
        white = face if face != 33 else 255
        seen[HandView(counts, none, 0, 2, rules.shapes, wilds, white).shanten()] += 1
    table = exact.shanten(rules, tiles=size).set_index("shanten")["p"]
    assert set(seen) <= set(table.index)
    k = np.array([seen[shanten] for shanten in table.index])
    z = binomial_z(k, np.full(len(k), n), table.to_numpy())
    # All cells together: less than once in a thousand seeds.
    assert np.abs(z).max() < 4.2


@pytest.mark.parametrize("held", [1, 2, 3])
@pytest.mark.parametrize("quads", [True, False])
def test_wild_heads_by_listing(held: int, quads: bool) -> None:
    tiles = small(2, m="2021", p="000411", s="3", z="40002")
    listed = 0
    for hand, ways in slow_hands.hands(tiles.copies, 13 - held):
        parts = slow_hands.PARTS
        best = {0: 0}
        for i, part in enumerate(parts):
            own = tuple(hand[kind] for kind in part)
            best = {
                sets: min(
                    best[before] + slow_hands.lacking(own, sets - before, 0, i < 3, 14)
                    for before in best
                    if before <= sets
                )
                for sets in range(5)
            }
        pairs = all(copies <= (4 if quads else 2) for copies in hand)
        odd = sum(copies % 2 for copies in hand)
        if best[4] < held or (pairs and odd < held):
            listed += ways
    assert listed
    assert exact._wild_heads(tiles, held, STANDARD | (QUADS if quads else DISTINCT)) == listed


def test_a_wild_head_waits_for_every_tile(games: dict[str, Ruleset]) -> None:
    """Three of 34 kinds are drawn at random beside: all complete the hand, or it is no head."""
    from cython_core._hand import HandView

    rules = games["yiwu"]
    table = exact.wild_head(rules)
    assert list(table["wilds"]) == [1, 2, 3]
    assert set(table["total"]) == {34 * comb(135, 13)}
    # With three wild tiles among six tiles of a few kinds heads are common enough to compare.
    tiles = small(2, m="222", p="2")
    none = np.zeros(34, dtype=np.uint8)
    found = 0
    for hand, ways in slow_hands.hands((*tiles.copies[:9], 4, *tiles.copies[10:]), 10):
        counts = np.array(hand, dtype=np.uint8)
        view = HandView(counts, none, 0, 2, STANDARD | QUADS, 3, 255)
        found += ways * (view.formal_waits() == (1 << 34) - 1)
    small_tiles = Tiles(2, (*tiles.copies[:9], 4, *tiles.copies[10:]))
    assert found == exact._wild_heads(small_tiles, 3, STANDARD | QUADS)


def test_games_without_wild_tiles_count_none() -> None:
    with pytest.raises(ArgumentError, match="wild_head: plain has no wild tiles"):
        exact.wild_head("plain")
    with pytest.raises(ArgumentError, match="wilds: plain has no wild tiles"):
        exact.wilds("plain")


@pytest.mark.parametrize("tiles", [13, 14])
def test_wild_tiles_by_listing_the_places(tiles: Literal[13, 14]) -> None:
    """Of all places that three wild tiles can have in a wall, those within the hand."""
    places = Counter(sum(p < tiles for p in three) for three in combinations(range(135), 3))
    table = exact.wilds("yiwu", tiles=tiles)
    assert table["p"].to_numpy() == pytest.approx(
        [places[held] / comb(135, 3) for held in table["wilds"]], rel=1e-12
    )
    four = exact.wilds(mj.ruleset("yiwu", changes={"wild_count": 4}), tiles=tiles)
    assert four["p"].dot(four["wilds"].astype(float)) == pytest.approx(4 * tiles / 136)


def test_special_kongs_with_wild_tiles_are_refused(games: dict[str, Ruleset]) -> None:
    with pytest.raises(ArgumentError, match="allowed are rulesets without wild tiles"):
        exact.special_kongs(games["yiwu"])


# Cells beside a simulation, and the command line.


@pytest.mark.parametrize("game", GAMES)
def test_cells_of_every_game_are_whole_laws(games: dict[str, Ruleset], game: str) -> None:
    cells = exact.expected_cells(games[game])
    for table in ("hand", "dealer_hand"):
        shanten = [c.p for c in cells if c.table == table and c.cell.startswith("dealt_shanten")]
        complete = [c.p for c in cells if c[:2] == (table, "dealt_complete")]
        assert sum(shanten) + sum(complete) == 1
        bonus = [c.p for c in cells if c.table == table and c.cell.startswith("bonus_")]
        assert sum(bonus) == (1 if game in BONUS else 0)


@pytest.mark.parametrize("game", TAME)
def test_dealt_hands_of_every_game(games: dict[str, Ruleset], game: str) -> None:
    """Hands of shuffled walls, bonus tiles replaced, through the evaluator of the core."""
    rules = games[game]
    n, rng = 20_000, np.random.default_rng(7)
    wall = np.repeat(np.arange(34), exact.playing_tiles(rules).copies)
    hands = np.stack([rng.permutation(wall)[:13] for _ in range(n)])
    counts = np.stack([np.bincount(hand, minlength=34) for hand in hands]).astype(np.uint8)
    seen = np.bincount(mj.shanten(counts, ruleset=rules) + 1, minlength=10)
    table = exact.shanten(rules).set_index("shanten")["p"]
    assert seen.sum() == sum(seen[shanten + 1] for shanten in table.index)
    k = np.array([seen[shanten + 1] for shanten in table.index])
    z = binomial_z(k, np.full(len(k), n), table.to_numpy())
    assert np.abs(z).max() < 4.2


def test_rows_are_told_apart_however_many_columns_they_have() -> None:
    """What the columns may hold is far more than one number of 64 bits can tell apart."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 6, size=(400, 60))[rng.integers(0, 400, size=3000)]
    found, inverse = grouped(rows)
    assert len(found) == len(np.unique(rows, axis=0)) > 200
    assert (found[inverse] == rows).all()
    assert found.tolist() == sorted(found.tolist(), key=lambda row: row[::-1])


@pytest.mark.parametrize(
    ("game", "preset"),
    [(game, preset) for game in ruleset_ids() for preset in mj.ruleset(game).definition.presets],
)
def test_every_preset_has_exact_values(game: str, preset: str) -> None:
    cells = exact.expected_cells(mj.ruleset(game, preset=preset))
    for table, left in (("hand", 0), ("dealer_hand", "dealt_complete")):
        p = {cell.cell: cell.p for cell in cells if cell.table == table}
        steps = sum(value for name, value in p.items() if name.startswith("dealt_shanten_"))
        assert steps + (p[left] if left else 0) == 1


CALLS = {
    "shanten": ["--tiles", "14"],
    "complete": ["--shape", "standard"],
    "ready": ["--waits", "formal"],
    "waits": ["--by", "kinds,live"],
    "features": ["--combined"],
    "bonus": [],
    "special_kongs": [],
    "wilds": ["--tiles", "14"],
    "wild_head": [],
    "dealt_win": [],
    "draws": ["--live", "3", "--unseen", "80", "--n", "12"],
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("what", CALLS)
def test_command_line_of_every_game(files: dict[str, str], game: str, what: str) -> None:
    import click.testing

    from mjstats.cli import main

    call = ["exact", files[game], what, *CALLS[what], "--format", "json"]
    if (game, what) == ("yiwu", "waits"):
        # The other shapes take long.
        call += ["--shape", "unconnected"]
    done = click.testing.CliRunner().invoke(main, call)
    # With wild tiles no special kongs are counted; without them there is no wild head.
    if what in ({"special_kongs"} if game == "yiwu" else {"wilds", "wild_head"}):
        assert done.exit_code == 2
        assert "wild" in done.stderr
        return
    assert done.exit_code == 0, done.stderr
    rows = json.loads(done.stdout)
    assert rows
    assert all(float(row["p"]) >= 0 for row in rows)
