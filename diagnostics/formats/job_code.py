"""A job's source: settings in Java, Scala, Python (`env.enableCheckpointing(5000)`) and SQL (`SET`, `WITH (...)`),
calls that partition records or wait for an outside system, and names of its state, key and events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import re2

from diagnostics.errors import LimitExceeded
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.code_call import TRAP, WITHOUT_IDLENESS, known_calls, state_removals, trap_name
from diagnostics.notation.code_names import code_names
from diagnostics.notation.code_setting import settings_of, states_setting
from diagnostics.notation.code_state import previous_results
from diagnostics.notation.file_range import Head, Range, open_text
from diagnostics.notation.secret_option import masked
from diagnostics.notation.source_text import Lines, calls, without_comments
from diagnostics.notation.sql_tables import hinted_options, is_statement, sql_tables, tables_looked_up
from diagnostics.vocabulary.connectors import connector_named
from diagnostics.vocabulary.known_bug import signed_calls
from diagnostics.vocabulary.statement_traps import traps_in

MOST_BYTES = 1_000_000
"""Our choice: the longest source file of a job seen has 40 KB."""
MOST_OPTIONS = 2_000
MOST_VALUE = 2_000

# RE2 scans the head once, however many words it searches.
_OF_FLINK = re2.compile(
    rb"org\.apache\.flink|pyflink|StreamExecutionEnvironment|CheckpointConfig|RestartStrategies|\benv\."
)
_CALLED = re2.compile(
    rb"(?:enable|disable|set)_?[A-Za-z_]{4,40}\s?\(|RestartStrategies|restart_strategies|new FlinkKafkaProducer"
)
_OPERATED = re2.compile(rb"getExecutionEnvironment|get_execution_environment")
_SQL = re2.compile(rb"(?i)\bCREATE\s{1,20}(?:TEMPORARY\s{1,20})?TABLE\b|\bSET\s{1,20}'?[a-z]{1,40}\.")
_BEGINS_SQL = re2.compile(rb"(?im)^\s{0,80}(?:Flink SQL>\s{0,20})?(?:CREATE|INSERT|SELECT|WITH)\s")
_PIECE = re2.compile(
    rb"\b(?:WatermarkStrategy|AscendingTimestampExtractor|BoundedOutOfOrdernessTimestampExtractor|AsyncDataStream"
    rb"|(?:Keyed|Windowed|SingleOutput)?(?:Data)?Stream(?:Operator)?<|DataStreamSource<|[A-Z]\w{1,40}(?:Source|Sink)"
    rb"(?:\.|<)|new Flink(?:Kafka|Kinesis)\w{4,20}|StreamTableEnvironment|TableEnvironment|CheckpointConfig"
    rb"|[a-zA-Z_]{0,20}[eE]nv(?:ironment)?\.[a-z]\w{3,40}\(|ProcessFunction|StateTtlConfig|\w{3,20}StateDescriptor)"
    rb"|\.(?:keyBy|key_by|sinkTo|sink_to|addSink|add_sink|addSource|fromSource|from_source"
    rb"|assignTimestampsAndWatermarks)\("
)
"""What a copied piece of a job has, without the lines around it."""
_THROWN = re2.compile(
    rb"(?m)^\s{0,16}at [\w.$/<>]{1,300}\(|^\s{0,16}(?:Caused by: )?[\w.]{0,300}(?:Exception|Error)\b|Traceback"
)
_OPTIONS_ALONE = re2.compile(r"(?:\s*'[a-z][\w.-]{1,120}'\s*=\s*'[^'\n]{0,500}'\s*,?)+\s*\)?;?\s*")
"""Options of a table without the statement around them, in a text without comments. RE2: its time is linear."""
BEGINS_OPTIONS = ("'", "-", "#", "/")
"""What a text of such options begins with: one of them, or a comment."""
_OPTION = re.compile(r"'([a-z][\w.-]{1,120})'\s{0,20}=\s{0,20}'([^'\n]{0,500})'")
ENDS_OF_CODE = (";", "{", "}", ")", ",", ".", "(", ">", ":", "\\", "+")
PIECE_CONFIDENCE = 0.3
"""For a piece that states nothing: what else may be read in a text is read."""
_SET = re.compile(
    r"\bSET\s{1,20}'?([a-z][\w-]{0,60}\.[\w.-]{2,120})'?\s{0,20}=\s{0,20}('[^'\n]{0,500}'|[^\s;'\n]{1,200})", re.I
)
_WATERMARK = re2.compile(r"(?i)WATERMARK\s+FOR\s+\S{1,120}|\.?for(?:BoundedOutOfOrderness|MonotonousTimestamps)\b")
_IDLENESS = re2.compile(r"(?i)withIdleness|with_idleness|idle-timeout")
"""What lets subtasks without records not hold the watermark."""
_CLASS = re.compile(r"\b([A-Za-z]{2,40}(?:Source|Sink|Consumer|Producer|Stream|Builder))(?:011|010|09)?\s?[.<(]")

Option = tuple[str, str, str, int, int]
"""Scope, key, value, first and last line."""


def _recognise(head: Head) -> float:
    """Source code counts only when it states a setting or builds a job: other code is no evidence."""
    if head.text.lstrip()[:1] in "{[<":
        return 0.0
    is_code = bool(_OF_FLINK.search(head.content) and _CALLED.search(head.content))
    is_job = bool(_OPERATED.search(head.content))
    is_sql = bool(_SQL.search(head.content))
    begins_sql = bool(_BEGINS_SQL.search(head.content)) or _is_of_options(head.text)
    is_piece = bool(_PIECE.search(head.content)) and not _THROWN.search(head.content)
    if not (is_code or is_job or is_sql or begins_sql or is_piece):
        return 0.0
    plain = without_comments(head.text)
    if is_code and next(_options_in_code(plain), None):
        return 0.85
    if is_job and next(known_calls(plain), None):
        return 0.8
    if (is_sql or begins_sql) and next(_options_in_sql(plain), None):
        return 0.7
    if begins_sql and is_statement(plain) and not _THROWN.search(head.content):
        return 0.6
    if is_piece and _is_written_as_code(plain):
        states = (_options_in_code(plain), known_calls(plain), _connectors_in_code(plain))
        return 0.6 if any(next(each, None) for each in states) else PIECE_CONFIDENCE
    return 0.0


def _is_of_options(text: str) -> bool:
    """Whether a text holds options of tables alone, with or without comments."""
    begins = text.lstrip().startswith(BEGINS_OPTIONS)
    return begins and _OPTIONS_ALONE.fullmatch(without_comments(text)) is not None


def _is_written_as_code(plain: str) -> bool:
    """Whether most lines end as lines of code do."""
    lines = [line.rstrip() for line in plain.splitlines() if line.strip()]
    return 2 * sum(line.endswith(ENDS_OF_CODE) for line in lines) >= len(lines)


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_BYTES:
        raise LimitExceeded(
            say("source code of {size:,} bytes; at most {bound:,} are read", size=part.size, bound=MOST_BYTES)
        )
    with open_text(part) as opened:
        plain = without_comments(opened.read())
    stated = [*_options_in_code(plain), *_connectors_in_code(plain), *_options_in_sql(plain)]
    options = sorted(stated, key=lambda option: option[3:])[:MOST_OPTIONS]
    rows = [
        {"scope": scope, "key": key, "value": masked(key, value[:MOST_VALUE]), "line": first, "last_line": last}
        for scope, key, value, first, last in options
    ]
    called = [
        {"kind": kind, "name": call.name, "line": call.line, "last_line": call.last_line}
        for kind, call in known_calls(plain)
    ]
    called += [
        {"kind": "state-removal", "name": call.name, "line": call.line, "last_line": call.last_line}
        for call in state_removals(plain)
    ]
    called += [
        {"kind": "call-of-a-sign", "name": call.name, "line": call.line, "last_line": call.last_line}
        for call in calls(plain, signed_calls().__contains__)
    ]
    named = (*code_names(plain), *_named_in_sql(plain))
    called += [{"kind": kind, "name": name, "line": line, "last_line": line} for kind, name, line in named]
    for call in previous_results(plain):
        names = {"previous-result": f"{call.receiver}.value", "taker-of-previous-result": call.arguments[0]}
        called += [
            {"kind": kind, "name": name, "line": call.line, "last_line": call.last_line} for kind, name in names.items()
        ]
    yield Rows("config_option", rows)
    yield Rows("code_call", called)
    yield Coverage(records=len(rows) + len(called))


def _options_in_code(plain: str) -> Iterator[Option]:
    for call in calls(plain, states_setting):
        for key, value in settings_of(call):
            yield "program", key, value, call.line, call.last_line


def _connectors_in_code(plain: str) -> Iterator[Option]:
    """The class of each connector that the code uses, once."""
    lines = Lines(plain)
    seen: set[str] = set()
    for used in _CLASS.finditer(plain):
        name, line = used.group(1), lines.at(used.start())
        if name not in seen and connector_named(name) is not None:
            seen.add(name)
            yield "program", "connector.class", name, line, line


def _named_in_sql(plain: str) -> Iterator[tuple[str, str, int]]:
    """Kind, name and line of tables with their connectors, of what look-up joins ask, of traps, and of a watermark."""
    lines = Lines(plain)
    for table in sql_tables(plain):
        if table.printed and table.connector:
            yield "table", f"{table.printed} {table.connector}", lines.at(table.place)
    for name, place in tables_looked_up(plain):
        yield "look-up-table", name, lines.at(place)
    for trap, shown, place in traps_in(plain):
        yield TRAP, trap_name(trap, shown), lines.at(place)
    if (assigned := _WATERMARK.search(plain)) and not _IDLENESS.search(plain):
        yield WITHOUT_IDLENESS, " ".join(assigned.group().split()), lines.at(assigned.start())


def _options_in_sql(plain: str) -> Iterator[Option]:
    lines = Lines(plain)
    for found in _SET.finditer(plain):
        first, last = lines.at(found.start()), lines.at(found.end() - 1)
        yield "session", found.group(1), found.group(2).strip("'"), first, last
    for table in sql_tables(plain):
        for key, value, place in table.options:
            yield "table", key, value, lines.at(place), lines.at(place)
    for key, value, place in hinted_options(plain):
        yield "table", key, value, lines.at(place), lines.at(place)
    if _OPTIONS_ALONE.fullmatch(plain):
        for option in _OPTION.finditer(plain):
            yield "table", option[1], option[2], lines.at(option.start()), lines.at(option.start())


FORMAT = Format(
    id="flink-job-code",
    title=to_say("Source code of a job"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/",
    tables=("config_option", "code_call"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="conf/OrderJob.java",
            text="import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "env.enableCheckpointing(1000); // each second\n"
            "CheckpointConfig config = env.getCheckpointConfig();\n"
            "config.setMinPauseBetweenCheckpoints(500);\n"
            "config.setCheckpointTimeout(60 * 1000L);\n"
            "config.setMaxConcurrentCheckpoints(1);\n"
            "config.enableExternalizedCheckpoints(ExternalizedCheckpointCleanup.RETAIN_ON_CANCELLATION);\n"
            "config.enableUnalignedCheckpoints();\n"
            'config.setCheckpointStorage("hdfs://nn:8020/checkpoints");\n'
            "/* env.setParallelism(9); */\n"
            "stream.map(new Parse()).setParallelism(4);\n",
            rows={
                "config_option": [
                    {"scope": "program", "key": "execution.checkpointing.interval", "value": "1000 ms", "line": 3},
                    {"key": "execution.checkpointing.min-pause", "value": "500 ms", "line": 5},
                    {"key": "execution.checkpointing.timeout", "value": "60000 ms", "line": 6},
                    {"key": "execution.checkpointing.max-concurrent-checkpoints", "value": "1", "line": 7},
                    {
                        "key": "execution.checkpointing.externalized-checkpoint-retention",
                        "value": "RETAIN_ON_CANCELLATION",
                        "line": 8,
                    },
                    {"key": "execution.checkpointing.unaligned.enabled", "value": "true", "line": 9},
                    {"key": "execution.checkpointing.storage", "value": "filesystem", "line": 10},
                    {"key": "execution.checkpointing.dir", "value": "hdfs://nn:8020/checkpoints", "line": 10},
                ],
                "code_call": [
                    {"kind": "former-retention", "name": "enableExternalizedCheckpoints", "line": 8},
                    {
                        "kind": "import",
                        "name": "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment",
                        "line": 1,
                    },
                ],
            },
        ),
        Sample(
            name="conf/OldJob.java",
            text="import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "env.enableCheckpointing(5000);\n"
            'env.socketTextStream("gateway", 9000).addSink(new FlinkKafkaProducer<>(\n'
            '    "orders", new Schema(), properties, FlinkKafkaProducer.Semantic.EXACTLY_ONCE));\n',
            rows={
                "config_option": [
                    {"key": "execution.checkpointing.interval", "value": "5000 ms", "line": 3},
                    {"scope": "program", "key": "connector.class", "value": "socketTextStream", "line": 4},
                    {"scope": "program", "key": "connector.class", "value": "FlinkKafkaProducer", "line": 4},
                    {"key": "sink.delivery-guarantee", "value": "EXACTLY_ONCE", "line": 4, "last_line": 5},
                ],
                "code_call": [
                    {"kind": "sink", "name": "addSink", "line": 4, "last_line": 5},
                    {"kind": "former-producer", "name": "FlinkKafkaProducer", "line": 4, "last_line": 5},
                    {
                        "kind": "import",
                        "name": "org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer",
                        "line": 1,
                    },
                ],
            },
        ),
        Sample(
            name="conf/EnrichmentJob.java",
            text="import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "public void flatMap(Order o, Collector<Order> out) throws Exception {\n"
            "    try (ResultSet rs = ps.executeQuery()) { out.collect(o); } // executeQuery()\n"
            "}\n"
            "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "env.addSource(new OrderSource())\n"
            '    .flatMap(new CustomerLookup(p.get("jdbc"))).setParallelism(3)\n'
            "    .keyBy(t -> t.f0)\n"
            "    .sum(1);\n",
            rows={
                "code_call": [
                    {"kind": "blocking", "name": "executeQuery", "line": 3},
                    {"kind": "key-by", "name": "keyBy", "line": 8},
                    {"kind": "key-part", "name": "f0", "line": 8},
                    {"kind": "handed-argument", "name": "CustomerLookup jdbc", "line": 7},
                    {"kind": "source", "name": "OrderSource", "line": 6},
                    {
                        "kind": "import",
                        "name": "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment",
                        "line": 1,
                    },
                ]
            },
        ),
        Sample(
            name="conf/ScoreJob.java",
            text="StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "public void processElement(Order o, Context ctx, Collector<Double> out) throws Exception {\n"
            "    Double m = model.value();\n"
            "    double s = score(o, m == null ? 0.5 : m);\n"
            "    model.update(s);\n"
            "    Long n = count.value();\n"
            "    count.update(n == null ? 1L : n + 1);\n"
            "}\n"
            "private double score(Order o, double prior) { return prior + o.amount; }\n"
            "stream.keyBy(o -> o.merchant).process(new Score());\n",
            rows={
                "code_call": [
                    {"kind": "key-by", "name": "keyBy", "line": 10},
                    {"kind": "key-part", "name": "merchant", "line": 10},
                    {"kind": "keyed-function", "name": "Score", "line": 10},
                    {"kind": "previous-result", "name": "model.value", "line": 3},
                    {"kind": "taker-of-previous-result", "name": "score", "line": 3},
                ]
            },
        ),
        Sample(
            name="job.sql",
            text="-- settings of the session\n"
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET table.exec.state.ttl = 1h;\n"
            "CREATE TABLE orders (id BIGINT, paid BOOLEAN) WITH (\n"
            "  'connector' = 'kafka',\n"
            "  'sink.delivery-guarantee' = 'exactly-once',\n"
            "  'properties.sasl.jaas.config' = 'secret'\n"
            ");\n",
            rows={
                "config_option": [
                    {"scope": "session", "key": "execution.checkpointing.interval", "value": "10 s", "line": 2},
                    {"scope": "session", "key": "table.exec.state.ttl", "value": "1h", "line": 3},
                    {"scope": "table", "key": "connector", "value": "kafka", "line": 5},
                    {"scope": "table", "key": "sink.delivery-guarantee", "value": "exactly-once", "line": 6},
                    {"scope": "table", "key": "properties.sasl.jaas.config", "value": "******", "line": 7},
                ],
                "code_call": [{"kind": "table", "name": "orders kafka", "line": 4}],
            },
        ),
        Sample(
            name="piece.txt",
            text="KafkaSource<String> source = KafkaSource.<String>builder()\n    .setTopics(topics)\n    .build();\n",
            rows={"config_option": [{"scope": "program", "key": "connector.class", "value": "KafkaSource", "line": 1}]},
        ),
        Sample(
            name="queue.txt",
            text="RMQSource<String> queue;\nDataStream<String> in = env.fromSource(queue);\n",
            rows={"config_option": [{"scope": "program", "key": "connector.class", "value": "RMQSource", "line": 1}]},
        ),
        Sample(
            name="options.sql",
            text="'connector' = 'kafka',\n'scan.startup.mode' = 'latest-offset'\n",
            rows={
                "config_option": [
                    {"scope": "table", "key": "connector", "value": "kafka", "line": 1},
                    {"key": "scan.startup.mode", "value": "latest-offset", "line": 2},
                ]
            },
        ),
        Sample(
            name="tables.sql",
            text="-- the table of orders:\n'changelog-producer' = 'lookup'\n# the sums:\n"
            "'merge-engine' = 'aggregation', -- one row a day\n'bucket' = '4'\n",
            rows={
                "config_option": [
                    {"scope": "table", "key": "changelog-producer", "value": "lookup", "line": 2},
                    {"key": "merge-engine", "value": "aggregation", "line": 4},
                    {"key": "bucket", "value": "4", "line": 5},
                ]
            },
        ),
        Sample(name="query.sql", text="SELECT a, COUNT(*)\nFROM t\nGROUP BY a\n", rows={}),
    ),
)
