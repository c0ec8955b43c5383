"""Stands in a lean NumPy in place of its LAPACK (``numpy.linalg._umath_linalg``), which no figure calls.

NumPy imports that module whenever it is imported; what it holds is asked for by ``solve``, ``svd`` and their
like alone. A call of those raises the error on which the page's worker fetches the whole of NumPy, and the
next call finds the library beside this file.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    stem = __name__.rpartition(".")[2]
    found = sorted(Path(__file__).parent.glob(f"{stem}.*.so"))
    spec = importlib.util.spec_from_file_location(__name__, found[0]) if found else None
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {__name__!r}", name=__name__)
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    globals().update({n: v for n, v in vars(library).items() if not n.startswith("__")})
    return getattr(library, name)
