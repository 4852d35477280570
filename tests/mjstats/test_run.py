import json

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mjstats.errors import ArgumentError, StoreError, TaskMismatchError
from mjstats.run import (
    DATASETS,
    METADATA_KEY,
    ROLES,
    SCHEMA_VERSION,
    Column,
    Task,
    encode,
    open_data,
    settlements,
    shown,
    waits_text,
)
from mjstats.simulate import simulate_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "yancheng"
    simulate_data("yancheng", deals=120, seed=5, out=path)
    return path


@pytest.fixture
def copy(folder, tmp_path):
    target = tmp_path / "copy"
    target.mkdir()
    for file in folder.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target


def rewrite(file, change):
    """Write a data file anew with another text about itself."""
    parquet = pq.ParquetFile(file)
    table = parquet.read()
    text = json.loads(parquet.metadata.metadata[METADATA_KEY])
    change(text)
    table = table.replace_schema_metadata({METADATA_KEY: json.dumps(text)})
    pq.write_table(table, file)


def test_columns_are_those_of_the_contract(folder):
    data = open_data(folder)
    elements = [name for name in data.deals.columns if name.startswith("el_")]
    assert "el_qing_yi_se" in elements
    assert " ".join(data.deals.columns) == " ".join(
        [
            "match deal deal_in_match dealer round outcome by winner discarder n_winners turns",
            "tiles_left base_total multiplier pay_0 pay_1 pay_2 pay_3",
            "shanten_0 shanten_1 shanten_2 shanten_3 bonus_0 bonus_1 bonus_2 bonus_3 jia",
            *elements,
        ]
    )
    assert " ".join(data.listens.columns) == (
        "match deal seat turn tiles_left mode waits kinds live_wall live_visible wait_class "
        "outcome turns_to_outcome"
    )
    assert " ".join(data.settlements.columns) == "match deal seat is_dealer role payment"


def test_types_are_stable(folder):
    data = open_data(folder)
    for dataset in DATASETS:
        frame = data.frame(dataset)
        for column in data.layout.columns(dataset):
            if column.is_waits or column.categories is not None:
                assert isinstance(frame[column.name].dtype, pd.CategoricalDtype)
            else:
                assert frame[column.name].dtype == np.dtype(column.dtype)
    assert list(data.deals["outcome"].cat.categories) == ["exhausted", "win"]
    assert list(data.listens["mode"].cat.categories) == ["none", "ting", "fei_ting"]


def test_files_can_be_read_without_mjstats(folder):
    data = open_data(folder)
    for dataset in DATASETS:
        plain = pd.read_parquet(folder / f"{dataset}.parquet")
        ours = data.frame(dataset)
        assert list(plain.columns) == list(ours.columns)
        for name in plain.columns:
            assert plain[name].astype(str).tolist() == ours[name].astype(str).tolist()


def test_files_say_what_they_are_and_nothing_else(folder):
    data = open_data(folder)
    text = pq.ParquetFile(folder / "deals.parquet").metadata.metadata[METADATA_KEY]
    origin = json.loads(text)
    assert origin["task"]["seed"] == 5
    assert origin["task"]["policies"] == ["greedy"] * 4
    assert origin["task"]["ruleset"]["id"] == "yancheng"
    assert origin["task_id"] == data.origin.task.id()
    circumstances = json.loads((folder / "run.json").read_text())
    for secret in (circumstances["host"], circumstances["created"]):
        assert secret.encode() not in text
    assert {"host", "created", "workers", "elapsed_s"} <= set(circumstances)
    # What a reader looks for first stands there in plain words too.
    assert (circumstances["deals"], circumstances["task"]["seed"]) == (120, 5)
    assert circumstances["task"]["policies"] == ["greedy"] * 4


def test_provenance_is_complete_and_plain(folder):
    provenance = open_data(folder).provenance
    assert json.loads(json.dumps(provenance))["deals"] == 120
    assert provenance["task"]["sim_version"] >= 1
    assert provenance["circumstances"]["ruleset"] == {"base": "yancheng", "settings": {}}


def test_repr_is_short(folder):
    text = repr(open_data(folder))
    assert text.startswith("<RunData yancheng: 120 deals, ")
    assert "seed 5, greedy" in text


def test_frames_are_read_once(folder):
    data = open_data(folder)
    assert data.deals is data.deals


def test_unknown_column(folder):
    with pytest.raises(ArgumentError, match="deals has no column 'points': allowed are match, "):
        open_data(folder).frame("deals", columns=["points"])


def test_memory_is_kept_small_and_types_come_back():
    data = simulate_data("yancheng", deals=300, seed=5)
    kept = sum(values.nbytes for chunk in data.store._chunks for values in chunk["deals"].values())
    frame = data.frame("deals")
    assert kept < frame.memory_usage(index=False).sum() / 2
    assert frame["pay_0"].dtype == np.int64
    assert frame["pay_0"].abs().max() > 127


def test_columns_come_in_the_order_asked_for(folder):
    frame = open_data(folder).frame("listens", columns=["waits", "deal"])
    assert list(frame.columns) == ["waits", "deal"]


def test_waits_are_hand_strings():
    assert waits_text(0b10010) == "25m"
    assert waits_text(1 << 9 | 1 << 26 | 1 << 33) == "1p9s7z"
    assert waits_text(0) == ""
    column = Column("waits", "u8", is_waits=True)
    masks = np.array([18, 3, 18], dtype=np.uint64)
    assert shown(masks, column).tolist() == ["25m", "12m", "25m"]


def test_missing_enumerations_stay_missing():
    column = Column("by", "i1", ("discard", "self_draw"))
    codes = np.array([1, -1, 0], dtype=np.int8)
    assert pd.Series(shown(codes, column)).isna().tolist() == [False, True, False]
    table = encode({"by": codes}, [column])
    assert table.column("by").to_pylist() == ["self_draw", None, "discard"]


def test_roles_in_a_settlement():
    payments = np.array([[-8, 20, -8, -4], [-3, -3, 9, -3], [2, -2, 0, 0]])
    deals = {
        "match": np.array([0, 0, 0], dtype=np.int32),
        "deal": np.array([7, 8, 9]),
        "dealer": np.array([0, 1, 1], dtype=np.int8),
        "outcome": np.array([1, 1, 0], dtype=np.int8),
        "winner": np.array([1, 2, -1], dtype=np.int8),
        "discarder": np.array([0, -1, -1], dtype=np.int8),
        **{f"pay_{seat}": payments[:, seat] for seat in range(4)},
    }
    extra = {"deal": np.array([7]), "winner": np.array([3], dtype=np.int8)}
    rows = settlements(deals, extra)
    roles = [ROLES[code] for code in rows["role"]]
    assert roles[:4] == ["discarder", "winner", "payer", "winner"]
    assert roles[4:8] == ["payer", "payer", "winner", "payer"]
    assert roles[8:] == ["none"] * 4
    assert rows["payment"].tolist() == payments.ravel().tolist()
    assert rows["is_dealer"].tolist() == [s == d for d in (0, 1, 1) for s in range(4)]


def test_task_is_identified_by_its_content():
    task = Task({"id": "x", "a": 1, "b": [1, 2]}, ("greedy",) * 4, 1, 1)
    same = Task({"b": [1, 2], "a": 1, "id": "x"}, ("greedy",) * 4, 1, 1)
    assert task.id() == same.id()
    for change in ({"seed": 2}, {"policies": ("random",) * 4}, {"sim_version": 2}):
        assert msgspec.structs.replace(task, **change).id() != task.id()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 2}, "seed 1 here, 2 there"),
        ({"sim_version": 3}, "different versions of the simulator"),
        ({"ruleset": {"options": {"a": True}}}, "ruleset options.a False here, True there"),
    ],
)
def test_different_tasks_do_not_mix(change, message):
    task = Task({"options": {"a": False}}, ("greedy",) * 4, 1, 1)
    with pytest.raises(TaskMismatchError, match=message):
        task.require_same(msgspec.structs.replace(task, **change), where="x.parquet")


def test_open_nothing(tmp_path):
    with pytest.raises(StoreError, match=r"nowhere' is no folder of a run"):
        open_data(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["deals.parquet", "extra_wins.parquet", "run.json"])
def test_missing_file(copy, name):
    (copy / name).unlink()
    with pytest.raises(StoreError, match=name):
        open_data(copy)


@pytest.mark.parametrize("name", ["listens.parquet", "run.json"])
def test_torn_file(copy, name):
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(StoreError, match=f"{name}' cannot be read"):
        open_data(copy)


def test_foreign_file(copy):
    pq.write_table(pa.table({"x": [1]}), copy / "deals.parquet")
    with pytest.raises(StoreError, match="was not written by mjstats"):
        open_data(copy)


def test_other_schema_version(copy):
    rewrite(copy / "deals.parquet", lambda text: text.update(schema_version=SCHEMA_VERSION + 1))
    with pytest.raises(StoreError, match=f"version {SCHEMA_VERSION + 1}; this mjstats reads"):
        open_data(copy)


def test_altered_task(copy):
    rewrite(copy / "deals.parquet", lambda text: text["task"].update(seed=6))
    with pytest.raises(StoreError, match="does not have the id it says"):
        open_data(copy)


def test_files_of_other_runs_are_refused(copy, tmp_path):
    other = tmp_path / "other"
    simulate_data("yancheng", deals=120, seed=6, out=other)
    (copy / "listens.parquet").write_bytes((other / "listens.parquet").read_bytes())
    with pytest.raises(TaskMismatchError, match="seed 5 here, 6 there"):
        open_data(copy)


def test_files_of_another_length_are_refused(copy, tmp_path):
    other = tmp_path / "other"
    simulate_data("yancheng", deals=130, seed=5, out=other)
    (copy / "listens.parquet").write_bytes((other / "listens.parquet").read_bytes())
    with pytest.raises(TaskMismatchError, match=r"120 deals in deals\.parquet, 130 here"):
        open_data(copy)


def test_circumstances_of_another_run_are_refused(copy, tmp_path):
    other = tmp_path / "other"
    simulate_data("yancheng", deals=20, seed=6, out=other)
    (copy / "run.json").write_bytes((other / "run.json").read_bytes())
    with pytest.raises(TaskMismatchError, match="of another task than the data beside it"):
        open_data(copy)


@pytest.mark.parametrize("name", ["deals", "listens"])
def test_damaged_rows(copy, name):
    file = copy / f"{name}.parquet"
    column = pq.ParquetFile(file).metadata.row_group(0).column(2)
    content = bytearray(file.read_bytes())
    content[column.data_page_offset + column.total_compressed_size // 2] ^= 4
    file.write_bytes(content)
    with pytest.raises(StoreError, match=rf"^{name}\.parquet is damaged: .+") as caught:
        getattr(open_data(copy), name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("recipe", [{}, {"base": "yancheng"}, {"base": 3, "settings": {}}])
def test_circumstances_without_a_ruleset(copy, recipe):
    told = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps({**told, "ruleset": recipe}))
    with pytest.raises(StoreError, match=r"run\.json' cannot be read: .*ruleset"):
        open_data(copy)
