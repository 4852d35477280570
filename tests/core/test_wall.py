"""Every order of the wall is equally likely, and no two deals share one."""

import numpy as np
import pytest
from scipy.stats import chi2

from mjstats import _core, ruleset
from mjstats.replay import replay_range

GAMES = ["plain", "suqian", "yancheng"]


def walls(game: str, n: int, seed: int = 1) -> np.ndarray:
    record = _core.rule_record(ruleset(game))
    out = np.empty((n, record.wall_size), np.uint8)
    _core.shuffled_walls(record, _core.seed_key(seed), 0, out)
    return out


@pytest.mark.parametrize("game", GAMES)
def test_wall_is_the_tile_set(game: str) -> None:
    counts = np.array(ruleset(game).tile_counts)
    for wall in walls(game, 50):
        assert (np.bincount(wall, minlength=47) == counts).all()


@pytest.mark.parametrize("game", GAMES)
def test_single_positions(game: str) -> None:
    """Chi-square of kind by position: rows and columns of the table are both fixed."""
    n = 20_000
    sample = walls(game, n)
    counts = np.array(ruleset(game).tile_counts)
    size = sample.shape[1]
    statistic = 0.0
    for kind in np.flatnonzero(counts):
        expected = n * counts[kind] / size
        seen = (sample == kind).sum(axis=0)
        statistic += float(((seen - expected) ** 2 / expected).sum())
    kinds = int((counts > 0).sum())
    freedom = (kinds - 1) * (size - 1)
    # Tiles of one wall are drawn without replacement, which widens the sum by size / (size - 1).
    assert statistic * (size - 1) / size < chi2.isf(1e-7, freedom)
    assert statistic > chi2.ppf(1e-7, freedom)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("first", "second"), [(0, 1), (12, 52), (52, 53), (-2, -1), (0, -1)])
def test_pairs_of_positions(game: str, first: int, second: int) -> None:
    n = 60_000
    sample = walls(game, n, seed=2)
    counts = np.array(ruleset(game).tile_counts)
    size = sample.shape[1]
    pairs = np.zeros((47, 47))
    np.add.at(pairs, (sample[:, first], sample[:, second]), 1)
    expected = n * (np.outer(counts, counts) - np.diag(counts)) / (size * (size - 1))
    possible = expected > 0
    assert pairs[~possible].sum() == 0
    statistic = float(((pairs - expected)[possible] ** 2 / expected[possible]).sum())
    assert statistic < chi2.isf(1e-7, int(possible.sum()) - 1)


@pytest.mark.parametrize("game", GAMES)
def test_a24_replacements_come_from_the_tail(game: str) -> None:
    """Last stack first, its upper tile before its lower one; turns draw from the head."""
    size = sum(ruleset(game).tile_counts)
    tails = 0
    for trace in replay_range(game, seed=3, deals=range(200), policies="random"):
        from_tail = [i + 1 - 2 * (i % 2) for i in range(size - 1, 0, -1)]
        taken = {"head": list(range(53, size)), "tail": from_tail}
        for event in trace.events:
            if "wall_index" not in event:
                continue
            end = "tail" if event["event"] == "flower" else event["from"]
            left = [index for index in taken[end] if index in taken["head"]]
            assert event["wall_index"] == left[0]
            taken["head"].remove(left[0])
            tails += end == "tail"
    assert tails > 20


@pytest.mark.parametrize("bug", ["A31", "A32"])
def test_every_deal_has_its_own_wall(bug: str) -> None:
    """A31: the second wall depends on the seed; A32: no wall comes again when the dealer stays."""
    record = _core.rule_record(ruleset("yancheng"))
    seen = {
        _core.shuffled_wall(record, _core.seed_key(seed), match, deal)
        for seed in range(3)
        for match in range(20)
        for deal in range(20)
    }
    assert len(seen) == 3 * 20 * 20, bug
    again = _core.shuffled_wall(record, _core.seed_key(2), 19, 19)
    assert again in seen


def test_same_tiles_same_wall_whatever_the_rules() -> None:
    """Common random numbers: a changed option does not change the wall."""
    plain = _core.rule_record(ruleset("yancheng"))
    changed = _core.rule_record(ruleset("yancheng", changes={"options.multi_ron": True}))
    key = _core.seed_key(3)
    assert _core.shuffled_wall(plain, key, 5, 2) == _core.shuffled_wall(changed, key, 5, 2)
