"""Any other system: JSON, signed where a secret is set.

The header `X-Workbench-Signature` is `t=SECONDS,v1=HEX`, the HMAC-SHA256 of `SECONDS.BODY` with the secret, so that a
receiver can refuse what somebody else or an old message sent. The body is what `json.dumps(separators=(",", ":"))`
writes in the order that it has.
"""

from __future__ import annotations

import hashlib
import hmac
import json

from workbench.channels.kind import Kind, Message, Post
from workbench.languages.sentences import say_later


def _write(message: Message, secret: str, now: int) -> Post:
    body = {"text": message.text, "url": message.url, **message.fields}
    if not secret:
        return Post(body)
    signed = f"{now}.{json.dumps(body, separators=(',', ':'))}".encode()
    mark = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return Post(body, headers={"X-Workbench-Signature": f"t={now},v1={mark}"})


KIND = Kind(
    title=say_later("Webhook (JSON)"),
    write=_write,
    address="https://example.org/hooks/flink",
    signed_with=say_later("Signing secret"),
)
