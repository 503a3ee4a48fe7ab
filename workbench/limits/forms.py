"""The form of the limits."""

from __future__ import annotations

from typing import Any

from django import forms

from workbench.limits.catalogue import LIMITS
from workbench.limits.models import LONGEST_REASON
from workbench.limits.quantities import LONGEST, read


class LimitsForm(forms.Form):
    """Each limit as text with its unit; an empty one restores the default."""

    reason = forms.CharField(max_length=LONGEST_REASON, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in LIMITS:
            self.fields[name] = forms.CharField(max_length=LONGEST, required=False)

    def clean(self) -> dict[str, Any]:
        """The limits' numbers under `values`."""
        cleaned: dict[str, Any] = super().clean() or {}
        cleaned["values"] = {}
        for name, limit in LIMITS.items():
            text = cleaned.get(name, "")
            try:
                cleaned["values"][name] = read(text, limit.unit) if text else None
            except ValueError as error:
                self.add_error(name, str(error))
        return cleaned
