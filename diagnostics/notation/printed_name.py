"""Names as reporters print them: Prometheus' ones allow few characters, so two spellings of one name are compared."""

from __future__ import annotations

import re


def normalised(printed: str | None) -> str:
    """A resource id or name with everything but letters and digits as `_`, as Prometheus reporters print it."""
    return re.sub(r"\W", "_", printed or "")
