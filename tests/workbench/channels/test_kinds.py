"""Messages have the form that each system's documentation asks for, and are signed as it checks them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest

from workbench.channels.kind import Message, Post, kinds

NOW = 1_777_860_702
TEXT = "Verdict: <Orders> & [co]\nrecords of one key\nhttps://w.example/cases/7/"
MESSAGE = Message(TEXT, "https://w.example/cases/7/", {"schema": 1, "sure": "93 %"})


def written(kind: str, secret: str = "", message: Message = MESSAGE) -> Post:
    return kinds()[kind].write(message, secret, NOW)


@pytest.mark.parametrize("kind", [name for name, kind in kinds().items() if kind.mail is None and kind.posts is None])
def test_every_message_holds_the_verdict_and_the_link(kind: str) -> None:
    sent = json.dumps(written(kind).body, ensure_ascii=False)
    assert "records of one key" in sent
    assert MESSAGE.url in sent


def test_slack_takes_no_markup_from_evidence() -> None:
    assert written("slack").body["text"].startswith("Verdict: &lt;Orders&gt; &amp; [co]")


def test_teams_gets_a_card_whose_first_line_is_bold_and_holds_no_link_of_the_evidence() -> None:
    body = written("teams").body["attachments"][0]["content"]["body"]
    assert [block["weight"] for block in body] == ["Bolder", "Default", "Default"]
    assert body[0]["text"] == r"Verdict: <Orders> & \[co\]"


def test_a_backslash_of_the_evidence_takes_no_escape_away() -> None:
    message = Message(text=r"Job \[x\](http://evil.invalid/)", url=MESSAGE.url)
    [block] = kinds()["teams"].write(message, "", NOW).body["attachments"][0]["content"]["body"]
    assert block["text"] == r"Job \\\[x\\\](http://evil.invalid/)"


def test_dingtalk_checks_the_signature_of_time_and_secret() -> None:
    query = written("dingtalk", "SEC1").query
    signed = f"{query['timestamp']}\nSEC1".encode()
    assert query["timestamp"] == str(NOW * 1000)
    assert base64.b64decode(query["sign"]) == hmac.new(b"SEC1", signed, hashlib.sha256).digest()


def test_feishu_checks_the_signature_in_the_body() -> None:
    body = written("feishu", "s").body
    assert base64.b64decode(body["sign"]) == hmac.new(f"{NOW}\ns".encode(), b"", hashlib.sha256).digest()


def test_a_webhook_signs_the_bytes_that_are_sent() -> None:
    post = written("webhook", "s")
    sent = json.dumps(post.body, separators=(",", ":"))
    mark = hmac.new(b"s", f"{NOW}.{sent}".encode(), hashlib.sha256).hexdigest()
    assert post.headers == {"X-Workbench-Signature": f"t={NOW},v1={mark}"}
    assert written("webhook").headers == {}


def test_a_long_message_to_wecom_keeps_its_link_within_the_bound() -> None:
    content = written("wecom", message=Message("反压" * 2_000, MESSAGE.url)).body["text"]["content"]
    assert len(content.encode()) <= 2_048
    assert content.endswith(MESSAGE.url)


@pytest.mark.parametrize(
    ("kind", "answer", "refusal"),
    [
        ("dingtalk", {"errcode": 310000, "errmsg": "sign not match"}, "sign not match (310000)"),
        ("wecom", {"errcode": 0, "errmsg": "ok"}, ""),
        ("feishu", {"code": 19021}, "refused (19021)"),
        ("slack", "ok", ""),
    ],
)
def test_a_refusal_with_status_200_is_seen(kind: str, answer: object, refusal: str) -> None:
    assert kinds()[kind].refusal(answer) == refusal
