import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from mjstats.errors import ArgumentError
from mjstats.publish.tables import FORMATS, render

RATES = pd.DataFrame(
    {
        "element": ["qing_yi_se", "never_seen", "exactly"],
        "name_zh": ["清一色", "無|管", "準"],
        "k": [12_345, 0, 3],
        "n": [1_000_000, 1_000_000, 7],
        "p": [0.012345, 0.0, 3 / 7],
        "se": [0.000110421, np.nan, 0.0],
        "ci_low": [0.0121305, 0.0, 3 / 7],
        "ci_high": [0.0125633, 3.7e-06, 3 / 7],
        "one_in": [81.00445524, np.inf, 7 / 3],
        "exact": [False, False, True],
        "z": [-1.23456, np.nan, np.nan],
    }
)


def table_cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_digits_follow_the_standard_error() -> None:
    rows = table_cells(render(RATES))
    assert rows[0] == list(RATES.columns)
    assert rows[2][2:] == [
        *(
            "12,345",
            "1,000,000",
            "0.01235",
            "0.00011",
            "0.01213",
            "0.01256",
            "81.0",
            "false",
            "-1.23",
        )
    ]


def test_nothing_seen_shows_the_bound_and_no_error() -> None:
    row = table_cells(render(RATES))[3]
    assert row[4:9] == ["0.00000000", "-", "0.00000000", "0.00000370", "-"]


def test_a_rate_of_nothing_counted_has_no_error() -> None:
    frame = pd.DataFrame({"p": [0.0], "se": [0.0], "ci_low": [0.0], "ci_high": [0.004]})
    assert table_cells(render(frame))[2] == ["0.0000", "-", "0.0000", "0.0040"]


def test_a_second_mean_has_the_digits_of_its_own_error() -> None:
    frame = pd.DataFrame({"p": [0.5], "se": [0.01], "mean_turns": [7.12345], "se_turns": [0.123]})
    assert table_cells(render(frame))[2] == ["0.500", "0.010", "7.12", "0.12"]


def test_exact_values_show_six_digits() -> None:
    row = table_cells(render(RATES))[4]
    assert row[4] == "0.428571"
    assert row[-2] == "true"


@pytest.mark.parametrize(
    ("one_in", "p", "se", "shown"),
    [
        (12_345.678, 8.1e-05, 9e-06, "12,300"),
        (123_456.7, 8.1e-06, 9e-07, "123,000"),
        (8.123456, 0.1231, 0.0003, "8.1235"),
    ],
)
def test_one_in_has_the_digits_of_its_rate(one_in: float, p: float, se: float, shown: str) -> None:
    frame = pd.DataFrame({"p": [p], "se": [se], "one_in": [one_in]})
    assert table_cells(render(frame))[2][-1] == shown


def test_csv_and_json_lose_nothing() -> None:
    read = list(csv.DictReader(io.StringIO(render(RATES, fmt="csv"))))
    assert [float(row["p"]) for row in read] == RATES["p"].tolist()
    rows = json.loads(render(RATES, fmt="json"))
    assert [row["p"] for row in rows] == RATES["p"].tolist()
    assert [row["exact"] for row in rows] == [False, False, True]
    assert rows[1]["se"] is None
    assert rows[1]["one_in"] is None


@pytest.mark.parametrize("fmt", ["csv", "json"])
def test_great_integers_keep_every_digit(fmt: str) -> None:
    great = 4_250_305_029_168_216_000
    frame = pd.DataFrame({"count": [great, 5]}, dtype=object)
    text = render(frame, fmt=fmt)
    assert str(great) in text
    if fmt == "json":
        assert json.loads(text) == [{"count": str(great)}, {"count": "5"}]


def test_lists_become_one_cell() -> None:
    frame = pd.DataFrame({"waits": [["1m", "4m"]]})
    assert render(frame, fmt="csv") == "waits\n1m 4m\n"
    assert json.loads(render(frame, fmt="json")) == [{"waits": ["1m", "4m"]}]


def test_mappings_become_one_cell() -> None:
    frame = pd.DataFrame({"elements": [{"men_qing": 10, "qi_dui": 20}]})
    assert render(frame, fmt="csv") == "elements\nmen_qing=10 qi_dui=20\n"
    assert "men_qing=10 qi_dui=20" in render(frame)


@pytest.mark.parametrize("fmt", ["table", "csv"])
def test_integers_beside_missing_values_stay_integers(fmt: str) -> None:
    frame = pd.DataFrame({"event": ["start", "draw"], "seat": [None, 2]}, dtype=object)
    assert "2.0" not in render(frame, fmt=fmt)


def test_markdown_escapes_its_bar() -> None:
    assert "無\\|管" in render(RATES, fmt="md", title="Frequencies")


def test_latex_escapes_underscores() -> None:
    assert r"qing\_yi\_se" in render(RATES, fmt="latex")


def test_html_escapes_and_is_reproducible() -> None:
    frame = pd.DataFrame({"name": ["<script>"]})
    page = render(frame, fmt="html", title="T", notes=["seed 1"])
    assert "&lt;script&gt;" in page
    assert "seed 1" in page
    assert page == render(frame, fmt="html", title="T", notes=["seed 1"])


@pytest.mark.parametrize("fmt", FORMATS)
def test_an_empty_table_keeps_its_columns(fmt: str) -> None:
    text = render(RATES.head(0), fmt=fmt)
    assert text.endswith("\n")
    assert text.strip() == "[]" if fmt == "json" else "ci" in text


def test_an_unknown_format_names_the_allowed_ones() -> None:
    with pytest.raises(ArgumentError, match=r"'yaml'.*table, csv, json, md, latex, html"):
        render(RATES, fmt="yaml")
