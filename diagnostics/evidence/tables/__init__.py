"""The evidence tables, one a file. The folder listing is the registry.

`diagnostics/evidence/table.py` states what a table is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from diagnostics.evidence.table import Table
from diagnostics.registry import registered

TABLES: Mapping[str, Table] = dict(registered(sys.modules[__name__], "TABLE"))
"""Every evidence table by name."""
