"""Writing whole or not at all, and code identity that ignores what changes no result."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from tirec import provenance


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "table.tsv"
    provenance.write_text("old", target)

    def fail_half_way() -> None:
        with provenance.atomic(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        fail_half_way()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_parquet_bytes_depend_on_the_frame_alone(tmp_path: Path) -> None:
    frame = pl.DataFrame({"instance_id": [1, 2], "p": [0.25, None]})
    for name in ("one.parquet", "two.parquet"):
        provenance.write_parquet(frame, tmp_path / name)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def identity(tmp_path: Path, text: str) -> str:
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    provenance._digest.cache_clear()
    return provenance.code_id(script)


def test_comments_docstrings_and_layout_do_not_count(tmp_path: Path) -> None:
    plain = identity(tmp_path, "def double(x):\n    return 2 * x\n")
    assert identity(tmp_path, '"""Doc."""\n\n\ndef double(x):  # why\n    """Doc."""\n    return 2 * x\n') == plain
    assert identity(tmp_path, "def double(x):\n    return 3 * x\n") != plain


def test_modules_imported_through_others_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "workflow" / "tirec"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "outer.py").write_text("from tirec.inner import rule\n")
    (package / "inner.py").write_text("rule = 1\n")
    monkeypatch.setattr(provenance, "PACKAGE_ROOT", package)
    before = identity(tmp_path, "from tirec import outer\n")
    (package / "unrelated.py").write_text("other = 1\n")
    assert identity(tmp_path, "from tirec import outer\n") == before
    (package / "inner.py").write_text("rule = 2\n")
    changed = identity(tmp_path, "from tirec import outer\n")
    assert changed != before
    (package / "bands.tsv").write_text("low\t1\n")
    assert identity(tmp_path, "from tirec import outer\n") != changed


def test_a_reworded_text_trains_nothing_again_but_another_reward_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = Path(__file__).resolve().parents[3] / "scripts"
    trainer, texts = scripts / "train_policy.py", scripts / "render_observations.py"
    provenance.code_id(trainer), provenance.code_id(texts)  # what is remembered of one package is not said of another
    package = shutil.copytree(provenance.PACKAGE_ROOT, tmp_path / "tirec", ignore=shutil.ignore_patterns("*.pyc"))
    monkeypatch.setattr(provenance, "PACKAGE_ROOT", package)

    def identities_after(module: str) -> tuple[str, str]:
        with (package / module).open("a", encoding="utf-8") as file:
            file.write("\nANOTHER = 1\n")
        provenance._digest.cache_clear()
        return provenance.code_id(trainer), provenance.code_id(texts)

    before = provenance.code_id(trainer), provenance.code_id(texts)
    reworded = identities_after("evidence/functions/labs.py")
    assert reworded[0] == before[0]
    assert reworded[1] != before[1]
    assert identities_after("agent/reward.py")[0] != before[0]


def test_a_sidecar_says_what_an_output_was_made_from(tmp_path: Path) -> None:
    source, output = tmp_path / "in.tsv", tmp_path / "out.tsv"
    source.write_text("a\n")
    output.write_text("b\n")
    provenance.record([output], {"source": source}, {"gamma": 0.05}, "synthetic", __file__)
    told = json.loads(provenance.sidecar(output).read_text())
    assert told["inputs"] == {"source": provenance.file_hash(source)}
    assert told["settings"] == {"gamma": 0.05}
    assert told["data_class"] == "synthetic"
