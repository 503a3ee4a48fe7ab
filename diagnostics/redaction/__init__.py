"""Removes secrets and personal data from evidence before it is stored, by stable pseudonyms."""

from __future__ import annotations

from diagnostics.redaction.redactor import Redactor, Replacement
from diagnostics.redaction.rule import RedactionRule, shipped_redaction_rules
from diagnostics.redaction.upload import Redacted, nobody, redact_upload

__all__ = ["Redacted", "RedactionRule", "Redactor", "Replacement", "nobody", "redact_upload", "shipped_redaction_rules"]
