"""Registers the modules of a package by its folder listing; a module without the required value stops the start."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def registered(package: ModuleType, attribute: str) -> Iterator[tuple[str, Any]]:
    """Each module of `package` in name order, with its `attribute`; without the module that defines the type.

    The type of `FORMAT` values is in the module `format`, of `SIGNALS` values in `signal`, and so on.

    Gives   (module name without the package, value of the attribute).
    Raises  TypeError naming the module that does not define it.
    """
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        if module.name == attribute.lower().removesuffix("s"):
            continue
        loaded = importlib.import_module(f"{package.__name__}.{module.name}")
        if not hasattr(loaded, attribute):
            raise TypeError(f"{loaded.__name__} defines no {attribute}; every file in {package.__name__} must")
        yield module.name, getattr(loaded, attribute)
