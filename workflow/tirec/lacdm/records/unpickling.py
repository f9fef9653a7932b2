"""Reading the framework's pickles without running what a pickle may ask for: containers and pandas frames only."""

import importlib
import pickle
from pathlib import Path
from typing import Any

from tirec.errors import DataError

_BY_MODULE = {
    "builtins": "dict list set slice int float str bytearray",
    "collections": "OrderedDict defaultdict",
    "numpy": "ndarray dtype",
    "numpy.core.multiarray": "_reconstruct scalar",
    "numpy._core.multiarray": "_reconstruct scalar",
    "numpy.core.numeric": "_frombuffer",
    "numpy._core.numeric": "_frombuffer",
    "pandas": "DataFrame Series Index RangeIndex StringDtype",
    "pandas.arrays": "ArrowStringArray",
    "pandas.core.frame": "DataFrame",
    "pandas.core.series": "Series",
    "pandas.core.indexes.base": "_new_Index Index",
    "pandas.core.indexes.range": "RangeIndex",
    "pandas.core.internals.managers": "BlockManager SingleBlockManager",
    "pandas.core.internals.blocks": "new_block",
    "pandas._libs.internals": "_unpickle_block",
    "pyarrow.lib": "_restore_array py_buffer type_for_alias",
}
ALLOWED = frozenset((module, name) for module, names in _BY_MODULE.items() for name in names.split())
"""Names that a pickle of dictionaries or of one pandas frame needs; any other is refused."""


class _Containers(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """The allowed name; raises UnpicklingError for any other, before anything of it is imported."""
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return getattr(importlib.import_module(module), name)


def load_containers(path: Path) -> Any:
    """What a pickle of plain containers or a pandas frame holds; raises DataError for anything else in it."""
    try:
        with path.open("rb") as handle:
            return _Containers(handle).load()
    except pickle.UnpicklingError as fault:
        raise DataError(f"{path}: is not a pickle of plain containers ({fault}); it was not loaded") from None
    except ModuleNotFoundError as fault:
        raise DataError(
            f"{path}: needs the package {fault.name} to be read; install it, or use the CSV files"
        ) from None
    except (EOFError, ValueError, TypeError, AttributeError, IndexError, KeyError) as fault:
        raise DataError(f"{path}: cannot be unpickled ({type(fault).__name__}); get it again") from None
