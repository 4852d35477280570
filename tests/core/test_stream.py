"""Streams are numpy's Philox, bounded numbers are unbiased."""

import hashlib

import numpy as np
import pytest
from scipy.stats import chi2

from mjstats import _core, ruleset
from mjstats._core import bounded_numbers, seed_key, stream_words

KEY = seed_key(20261130)


@pytest.mark.parametrize(
    ("match", "deal", "purpose"), [(0, 0, 0), (3, 1, 0), (2**40, 77, 8), (2**64 - 1, 2**63, 11)]
)
def test_stream_is_numpy_philox(match: int, deal: int, purpose: int) -> None:
    counter = purpose * 2**64 + deal * 2**128 + match * 2**192
    numpy_words = np.random.Philox(key=KEY[0] + (KEY[1] << 64), counter=counter).random_raw(25)
    ours = stream_words(KEY, match, deal, purpose, 50)
    assert [low | high << 32 for low, high in zip(ours[::2], ours[1::2], strict=True)] == list(
        map(int, numpy_words)
    )


def test_known_philox_vector() -> None:
    """First block of the reference implementation's test for counter and key of all ones."""
    ones = 2**64 - 1
    # The counter moves before the block: all ones less one in the lowest word.
    words = np.random.Philox(key=2**128 - 1, counter=2**256 - 2).random_raw(4)
    assert [hex(int(word)) for word in words] == [
        "0x87b092c3013fe90b",
        "0x438c3c67be8d0224",
        "0x9cc7d7c69cd777b6",
        "0xa09caebf594f0ba0",
    ]
    ours = stream_words((ones, ones), ones, ones, ones, 8)
    numpy_words = np.random.Philox(
        key=2**128 - 1, counter=(ones << 192) | (ones << 128) | (ones << 64)
    ).random_raw(4)
    assert [low | high << 32 for low, high in zip(ours[::2], ours[1::2], strict=True)] == list(
        map(int, numpy_words)
    )


def test_key_comes_from_seed_sequence() -> None:
    words = np.random.SeedSequence(7).generate_state(2, np.uint64)
    assert seed_key(7) == (int(words[0]), int(words[1]))


@pytest.mark.parametrize("bound", [2, 3, 34, 144, 1000])
def test_bounded_numbers_are_uniform(bound: int) -> None:
    n = 40_000
    counts = np.bincount(bounded_numbers(KEY, 5, bound, n), minlength=bound)
    assert len(counts) == bound
    statistic = float(((counts - n / bound) ** 2 / (n / bound)).sum())
    assert statistic < chi2.isf(1e-7, bound - 1)


def test_bounded_numbers_reject_where_a_plain_product_would_be_biased() -> None:
    """3/4 of 2**32: without rejection the values 0 mod 3 would come up twice as often."""
    bound = 3 << 30
    values = np.array(bounded_numbers(KEY, 6, bound, 30_000))
    counts = np.bincount(values % 3, minlength=3)
    assert float(((counts - 10_000) ** 2 / 10_000).sum()) < chi2.isf(1e-7, 2)


def slow_wall(game: str, match: int, deal: int) -> bytes:
    """Fisher-Yates over numpy's Philox, in plain Python."""
    counter = deal * 2**128 + match * 2**192
    words = np.random.Philox(key=KEY[0] + (KEY[1] << 64), counter=counter).random_raw(200)
    halves = iter([half for word in words for half in (int(word) & 0xFFFFFFFF, int(word) >> 32)])

    def below(bound: int) -> int:
        while True:
            product = next(halves) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32

    wall = [kind for kind, n in enumerate(ruleset(game).tile_counts) for _ in range(n)]
    for i in range(len(wall) - 1):
        j = i + below(len(wall) - i)
        wall[i], wall[j] = wall[j], wall[i]
    return bytes(wall)


@pytest.mark.parametrize("game", ["yancheng", "plain"])
def test_wall_is_a_plain_fisher_yates(game: str) -> None:
    record = _core.rule_record(ruleset(game))
    for match, deal in [(0, 0), (0, 1), (1, 0), (2**33, 5)]:
        assert _core.shuffled_wall(record, KEY, match, deal) == slow_wall(game, match, deal)


@pytest.mark.parametrize(
    ("game", "golden"),
    [
        ("yancheng", "099c692790832fadb0bf4c7c07c3f747000c7804098babbcd3581bd419503a48"),
        ("plain", "045f785653ae8210a39baef1cde7308244e616686d1d017adb23236c7e0651b6"),
    ],
)
def test_golden_walls(game: str, golden: str) -> None:
    """A33: own shuffle, own bounded integers: the same walls on every machine and for ever."""
    record = _core.rule_record(ruleset(game))
    digest = hashlib.sha256()
    for match in range(5):
        for deal in range(4):
            digest.update(_core.shuffled_wall(record, KEY, match, deal))
    assert digest.hexdigest() == golden
