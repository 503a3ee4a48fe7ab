"""The evidence tables, one per file. A file in this folder is registered by its `TABLE`.

`diagnostics/evidence/table.py` defines the type.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from diagnostics.evidence.table import Table
from diagnostics.registry import registered

TABLES: Mapping[str, Table] = dict(registered(sys.modules[__name__], "TABLE"))
"""Every evidence table by name."""
