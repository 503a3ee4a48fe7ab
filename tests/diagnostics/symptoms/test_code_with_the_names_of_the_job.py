"""Blocks of code of the runbooks repeat what stands in the job's source, and mark what it does not tell."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.notation.code_names import code_names
from diagnostics.runbook import fill, runbooks
from diagnostics.signals.job_code import NAMES as FACT_OF

SUBJECT = {"job": "a" * 32, "vertex": "score", "vertex_id": "b" * 32}
SKEW = {"key_distribution": {"hot_key_multiple_ratio": 3.6, "top_key": "M-17"}}
CLOCKS = {"fast_devices": 2, "bound_ms": 5000, "kept_bound_ms": 5000, "latency_cost_999_ms": 33_800}
SOURCE = """
import java.time.Duration;
import org.apache.flink.api.common.state.*;
class Job {
    private transient ValueState<byte[]> profile;
    void open() {
        profile = getRuntimeContext().getState(new ValueStateDescriptor<>("user-profile", byte[].class));
    }
    void main() {
        readings.assignTimestampsAndWatermarks(WatermarkStrategy.<Reading>forBoundedOutOfOrderness(bound(p.getLong("bound")))
                .withTimestampAssigner((r, t) -> r.eventTime))
            .keyBy(r -> r.getMerchant()).process(new RiskScore(3))
            .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10))).aggregate(new Avg()).uid("averages");
    }
}
"""


def source_facts(source: str) -> dict[str, Any]:
    """The facts of `job_code` of a source with one of each kind."""
    rows = list(code_names(source))
    facts: dict[str, Any] = {FACT_OF[kind]: name for kind, name, _ in rows if kind in FACT_OF}
    return {**facts, "imports": [name for kind, name, _ in rows if kind == "import"], "key_by_calls": 1}


JOB_CODE = {**source_facts(SOURCE), "results_in_sequence": False}


def blocks(book: str, facts: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks of code of a runbook."""
    stored = [
        {"key": key, "subject": {}, "level": "case", "facts": known, "citations": [], "citation_count": 0}
        for key, known in facts.items()
    ]
    steps = fill(runbooks()[book], {"subject": SUBJECT}, stored)["steps"]
    return [change for step in steps for change in step["change"] if change["kind"] == "code"]


def test_a_key_is_split_where_the_job_partitions_and_before_its_own_function() -> None:
    [block] = blocks("data-skew", {**SKEW, "job_code": JOB_CODE})
    assert any(".process(new RiskScore(...))" in said for said in block["unset"])
    assert 'salted.f1.getMerchant() + "#" + salted.f0' in block["to"]


def test_what_no_source_tells_is_marked_as_a_gap_and_is_no_text_to_look_for() -> None:
    [block] = blocks("data-skew", SKEW)
    assert block["from"] == ""
    assert block["unset"][0].startswith("What it replaces, in general form: stream.keyBy(r -> r.<key>)")
    assert "new <function that merges them>()" in block["to"]


def test_a_time_to_live_is_given_to_the_state_of_the_job_by_the_statement_that_gets_it() -> None:
    [block] = [each for each in blocks("rocksdb-slow-upload", {"job_code": JOB_CODE}) if "StateTtl" in each["to"]]
    assert block["from"] in SOURCE
    assert block["from"].startswith("profile = getRuntimeContext().getState(")
    assert "ValueState<byte[]> former;" in block["to"]
    assert 'descriptor = new ValueStateDescriptor<>("user-profile-ttl", byte[].class)' in block["to"]
    assert block["unset"] == []


def test_a_type_of_other_types_is_given_to_the_new_state_as_the_present_one_has_it() -> None:
    hint = "new TypeHint<ArrayList<String>>() {}.getTypeInfo()"
    source = SOURCE.replace("ValueState<byte[]>", "ValueState<ArrayList<String>>").replace("byte[].class", hint)
    facts = {"job_code": {**source_facts(source), "results_in_sequence": False}}
    [block] = [each for each in blocks("rocksdb-slow-upload", facts) if "StateTtl" in each["to"]]
    assert "ValueState<ArrayList<String>> former;" in block["to"]
    assert f'descriptor = new ValueStateDescriptor<>("user-profile-ttl", {hint})' in block["to"]
    assert "<type of the present state>" not in block["to"]


def test_a_map_is_moved_entry_by_entry() -> None:
    carts = {"state_class": "MapStateDescriptor", "state_name": "carts", "state_types": "String.class, Item.class"}
    [block] = [each for each in blocks("rocksdb-slow-upload", {"job_code": carts}) if "StateTtl" in each["to"]]
    assert 'new MapStateDescriptor<>("carts", String.class, Item.class)' in block["to"]
    assert "for (var entry : former.entries())" in block["to"]


def test_time_stamps_are_clamped_where_the_job_takes_them_and_its_bound_stays() -> None:
    [clamp, lateness, *_] = blocks("out-of-order-events", {"device_clocks": CLOCKS, "job_code": JOB_CODE})
    assert clamp["from"] == ".withTimestampAssigner((r, t) -> r.eventTime)"
    assert "bound" not in clamp["to"].partition(".withTimestampAssigner")[2]
    assert "Math.min(\n    r.eventTime,\n    (t == Long.MIN_VALUE" in clamp["to"]
    assert lateness["from"] == ".window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))"
    assert lateness["to"].startswith(f"{lateness['from']}\n")
    assert ".allowedLateness(Duration.ofMillis(33800))" in lateness["to"]


def test_code_says_which_classes_it_needs_that_the_source_does_not_import() -> None:
    _, lateness, *_ = blocks("out-of-order-events", {"device_clocks": CLOCKS})
    assert "The new code also needs these imports: java.time.Duration." in lateness["unset"]


@pytest.mark.parametrize("name", ["x;rm", "a b", 'q"', "x -> y", "new X() {}"])
def test_a_name_that_is_more_than_a_name_stays_a_gap(name: str) -> None:
    [block] = blocks("data-skew", {**SKEW, "job_code": {**JOB_CODE, "key_part": name}})
    assert "stream.keyBy(r -> r.<key>)" in block["unset"][0]


@pytest.mark.parametrize("call", [".window(a);stolen()", ".window($(id))", ".window(a)\n>stolen", "x | y()"])
def test_a_quotation_that_is_more_than_a_call_is_not_repeated(call: str) -> None:
    _, lateness, *_ = blocks("out-of-order-events", {"device_clocks": CLOCKS, "job_code": {"window": call}})
    assert call not in lateness["from"] + lateness["to"]
    assert ".window(<window>)" in lateness["to"]


def test_without_a_source_one_block_stands_for_all_kinds_of_state() -> None:
    [block] = [each for each in blocks("rocksdb-slow-upload", {}) if "StateTtl" in each["to"]]
    assert "<name of the present state>" in block["to"]


INDEXER = """
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;
class Job {
    static class Index extends RichSinkFunction<Order> {
        void flush() throws Exception {
            for (int attempt = 1; ; attempt++) {
                HttpURLConnection h = (HttpURLConnection) new URL(url).openConnection();
                try (OutputStream os = h.getOutputStream()) { os.write(p); }
                int rc = h.getResponseCode();
                if (rc == 200) break;
            }
        }
    }
    void main() { orders.addSink(new Index(url, 250)).name("orders"); }
}
"""


def test_a_sink_is_limited_before_the_statement_that_begins_its_request() -> None:
    facts = {
        "outside_system": {"refused": 28},
        "back_pressure.origin": {"parallelism": 4},
        "job_code": source_facts(INDEXER),
    }
    [block] = [each for each in blocks("slow-sink", facts) if "RateLimiter" in each["to"]]
    assert block["from"] == "HttpURLConnection h = (HttpURLConnection) new URL(url).openConnection();"
    *_, limit, acquire, request = block["to"].strip().splitlines()
    assert limit.endswith("limiter = RateLimiter.create(<agreed requests per second> / (double) 4);")
    assert (acquire, request) == ("limiter.acquire();", block["from"])
    assert "private transient RateLimiter limiter;" in block["to"]
    assert block["unset"] == ["The new code also needs these imports: com.google.common.util.concurrent.RateLimiter."]
