"""The preview of a redaction."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from diagnostics.errors import UnreadableInput
from diagnostics.intake import SourceFile
from diagnostics.intake.limits import Spent
from diagnostics.language import in_reader_language
from diagnostics.redaction import redact_upload
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.redaction.selectors import redaction_rules, redactor_for

MOST_PREVIEWED_BYTES = 2 * 1024 * 1024
"""The page sends the first MiB of a file; the answer comes at once. Our choice."""
MOST_SECONDS = 5.0
"""Time limit: two compressed megabytes may be four hundred. Our choice: replacements up to then are shown."""


@login_required
@require_POST
def preview(request: SignedInRequest) -> HttpResponse:
    """Replacements in the beginning of a file; nothing is stored."""
    if not request.user.may_change_cases:
        raise PermissionDenied(say("Your role may read cases, not add to them."))
    received = request.FILES.get("file")
    name = request.POST.get("name") or "file"
    preview_shown = {"name": name, "complete": request.POST.get("complete") == "1"}
    redactor = redactor_for(request.POST.getlist("redact"))
    if received is None or (received.size or 0) > MOST_PREVIEWED_BYTES:
        preview_shown["problem"] = say("The beginning of the file did not arrive.")
    elif redactor is None:
        preview_shown["problem"] = say("No rule is chosen.")
    else:
        with tempfile.TemporaryDirectory(dir=settings.INCOMING_DIR) as folder:
            source = Path(folder) / "source"
            source.write_bytes(received.read())
            try:
                target = Path(folder) / "target"
                done = redact_upload(SourceFile(source, "file"), target, redactor, seconds=MOST_SECONDS)
                preview_shown["left_out"] = done.left_out
            except Spent:
                preview_shown["complete"] = False
            except UnreadableInput as error:
                preview_shown["problem"] = say("Nothing of it can be read as text: {error}", error=error)
            titles = {rule.id: in_reader_language(rule.title) for rule in redaction_rules()}
            preview_shown["found"] = [(titles[rule_id], found) for rule_id, found in redactor.replacements.items()]
    return render(request, "redaction/_preview.html", preview_shown)
