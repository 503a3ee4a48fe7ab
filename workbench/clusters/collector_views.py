"""`/collect_flink.py`: the collector as a download, so that a host of the cluster can fetch it with one command."""

from __future__ import annotations

from django.http import FileResponse, HttpRequest
from django.views.decorators.http import require_safe

from diagnostics import collect_flink


@require_safe
def collector(request: HttpRequest) -> FileResponse:
    """The file of this release. It contains nothing of this workbench, so no sign-in is required."""
    script = open(collect_flink.__file__, "rb")  # noqa: SIM115 - the response closes it
    return FileResponse(script, as_attachment=True, filename="collect_flink.py", content_type="text/x-python")
