"""Writing results so that nothing is ever half there, and saying what they were made from."""

import ast
import hashlib
import json
import os
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import polars as pl

PACKAGE_ROOT = Path(__file__).resolve().parent
DATA_SUFFIXES = (".tsv", ".csv", ".json", ".yaml", ".txt", ".jinja", ".html", ".css", ".js")
RECORDED_PACKAGES = ("tirec", "polars", "numpy", "lightgbm", "torch", "transformers")


@contextmanager
def atomic(path: Path | str) -> Iterator[Path]:
    """Yields a temporary name beside `path` that becomes `path` only when the block ends well."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        yield temporary
        _flush(temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    with path.open("rb") as handle:
        os.fsync(handle.fileno())


def write_text(text: str, path: Path | str) -> None:
    """Writes `text` as UTF-8, whole or not at all."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(content: object, path: Path | str) -> None:
    """Writes sorted, indented JSON, whole or not at all."""
    write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", path)


def write_parquet(frame: pl.DataFrame, path: Path | str) -> None:
    """Writes a Parquet file whose bytes depend on the frame alone, whole or not at all."""
    with atomic(path) as temporary:
        frame.write_parquet(temporary, compression="zstd", statistics=True)


def write_tsv(frame: pl.DataFrame, path: Path | str) -> None:
    """Writes a tab-separated table with a header, whole or not at all."""
    with atomic(path) as temporary:
        frame.write_csv(temporary, separator="\t")


def file_hash(path: Path | str) -> str:
    """SHA-256 of a file's bytes, in hex."""
    with Path(path).open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def text_hash(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def code_id(script: Path | str, without: Collection[str] = ()) -> str:
    """Hash of a script and of every tirec module it imports, directly or through others.

    Comments, docstrings and layout do not count, so that editing them reruns nothing; the data files that lie beside
    a module do. `without` names modules or packages that this run of the script does not use, such as another engine.
    """
    seen: dict[Path, str] = {}
    _collect(Path(script).resolve(), seen, frozenset(without))
    named = {_place(path): digest for path, digest in seen.items()}
    return text_hash(json.dumps(named, sort_keys=True))[:16]


def _place(path: Path) -> str:
    """A path that is the same in every checkout."""
    return str(path.relative_to(PACKAGE_ROOT)) if PACKAGE_ROOT in path.parents else path.name


def _collect(path: Path, seen: dict[Path, str], without: frozenset[str]) -> None:
    if path in seen:
        return
    seen[path], modules = _digest(path)
    for module in modules:
        if any(f"{module}.".startswith(f"{left_out}.") for left_out in without):
            continue
        for file in _module_files(module, PACKAGE_ROOT):
            _collect(file, seen, without)


@cache
def _digest(path: Path) -> tuple[str, tuple[str, ...]]:
    """The hash of one file's code and of the data beside it, and the tirec modules it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    for node in nodes:
        _drop_docstring(node)
    data = [file_hash(file) for file in _data_files(path)]
    return text_hash(ast.dump(tree) + "".join(data)), tuple(sorted(_imported(nodes)))


def _data_files(path: Path) -> list[Path]:
    """The data files in a package module's own folder."""
    if PACKAGE_ROOT not in path.parents:
        return []
    return sorted(file for file in path.parent.iterdir() if file.suffix in DATA_SUFFIXES)


def _drop_docstring(node: ast.AST) -> None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return
    node.body = [child for child in node.body if not _is_bare_string(child)] or [ast.Pass()]


def _is_bare_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _imported(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name == "tirec" or name.startswith("tirec.")}


@cache
def _module_files(module: str, root: Path) -> tuple[Path, ...]:
    """The file of a tirec module and the packages above it, below the package's `root`, as far as they exist."""
    parts = module.split(".")[1:]
    files = [root.joinpath(*parts[:depth], "__init__.py") for depth in range(len(parts) + 1)]
    if parts:
        files.append(root.joinpath(*parts).with_suffix(".py"))
    return tuple(file for file in files if file.is_file())


def record(
    outputs: list[Path], inputs: Mapping[str, Path], settings: Mapping[str, object], data_class: str, script: Path | str
) -> None:
    """Writes beside each output a sidecar that says what it was made from; never an input of any rule."""
    content = {
        "inputs": {name: file_hash(path) for name, path in sorted(inputs.items())},
        "settings": dict(settings),
        "data_class": data_class,
        "code": code_id(script),
        "python": platform.python_version(),
        "packages": {name: found for name in RECORDED_PACKAGES if (found := _version(name))},
    }
    for output in outputs:
        write_json(content, sidecar(output))


def placed(paths: Iterable[Path | None]) -> dict[str, Path]:
    """Files by folder and name, as a sidecar lists inputs whose names repeat; what was not given is left out."""
    return {f"{path.parent.name}/{path.name}": path for path in paths if path}


def sidecar(output: Path) -> Path:
    """The path of an output's provenance file."""
    return output.with_name(f".{output.name}.provenance.json")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
