"""An error answer of Flink's REST API: `{"errors": [...]}`."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, items, rest_reader, rest_shape, text

MOST_TOLD = 300


def _fits(seen: Outline) -> bool:
    return seen.keys.get("") == frozenset({"errors"})


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    told = [text(error) for error in items(document.value["errors"])]
    reason = " ".join(" ".join(error.split()) for error in told if error)[:MOST_TOLD]
    yield Coverage(
        records=1, warnings=(say("Flink answered with an error instead of what was asked: {reason}", reason=reason),)
    )


FORMAT = Format(
    id="flink-rest-error",
    title=to_say("Flink REST: error answer"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/",
    tables=(),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/checkpoints.json",
            text='{"errors":["Checkpointing was not enabled for job 62c0ae9f2958cc5d669a5f9058cc4097."]}',
            rows={},
        ),
    ),
)
