"""Removes what a database cannot store from JSON values of uploaded files."""

from __future__ import annotations

import math
from typing import Any


def storable(value: Any) -> Any:
    """The JSON value without what PostgreSQL refuses: NUL, lone surrogates, non-finite numbers.

    Characters that cannot be stored become U+FFFD, a non-finite number becomes null.
    """
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {storable(name): storable(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(each) for each in value]
    return value
