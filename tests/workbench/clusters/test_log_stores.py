"""A listed log store is asked for the lines of a window; they become one log for each process."""

from __future__ import annotations

import datetime as dt
import json
import time
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from tests.collecting.recorded_cluster import RecordedCluster, recorded_answers, running
from tests.workbench.clusters.test_prometheus import QUICK
from tests.workbench.people import People, signed_in
from workbench.clusters import elasticsearch, log_store, loki
from workbench.clusters.collecting import collection_run
from workbench.clusters.elasticsearch import ELASTICSEARCH, index_read
from workbench.clusters.log_store import SelectorRefused
from workbench.clusters.log_stores import LOG_STORES_BY_SERVICE
from workbench.clusters.loki import LOKI
from workbench.clusters.models import Cluster, Collection, CollectionStatus, Serves
from workbench.clusters.services import cluster_add, collection_request, query_request

pytestmark = pytest.mark.usefixtures("queue")

END = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)
LOGGER = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"
POD = {"app": "flink", "pod": "orders-jobmanager-0", "container": "flink-main-container"}
OTHER = POD | {"pod": "orders-taskmanager-1"}


def record(seconds_before: float, text: str) -> tuple[int, str]:
    """A line of Flink's log as of that long before END, with its moment in ns."""
    moment = END - dt.timedelta(seconds=seconds_before)
    return int(moment.timestamp() * 1e6) * 1000, f"{moment:%F %T},000 WARN  {LOGGER} [] - {text}"


class RecordedLoki(RecordedCluster):
    """Answers with the newest lines of the window, as many as are asked for; streams are split by their level."""

    def __init__(self, lines: list[tuple[dict[str, str], int, str]]) -> None:
        super().__init__({})
        self.lines = lines

    def answer(self, asked: str) -> tuple[int, bytes]:
        query = self.query(asked)
        begin, end, limit = (int(query[name]) for name in ("start", "end", "limit"))
        newest_first = self.lines[::-1]
        newest_first.sort(key=lambda line: -line[1])
        chosen = [line for line in newest_first if begin <= line[1] < end][:limit]
        streams: dict[str, Any] = {}
        for labels, moment, text in chosen:
            written = labels | {"detected_level": "error" if "failed" in text else "info"}
            stream = streams.setdefault(json.dumps(written), {"stream": written, "values": []})
            stream["values"].append([str(moment), text])
        data = {"resultType": "streams", "result": list(streams.values()), "stats": {}}
        return 200, json.dumps({"status": "success", "data": data}).encode()

    @staticmethod
    def query(asked: str) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(asked).query).items()}


class RecordedElasticsearch(RecordedCluster):
    """Answers a search in `source` with the newest documents of the window."""

    def __init__(self, documents: list[dict[str, Any]]) -> None:
        super().__init__({})
        self.documents = documents

    def answer(self, asked: str) -> tuple[int, bytes]:
        search = json.loads(parse_qs(urlsplit(asked).query)["source"][0])
        span = search["query"]["bool"]["filter"][0]["range"]["@timestamp"]
        hits = []
        for number, source in enumerate(self.documents):
            at = int(dt.datetime.fromisoformat(source["@timestamp"]).timestamp() * 1000)
            if span["gte"] <= at <= span["lte"]:
                hits.append({"_index": "logs", "_id": str(number), "_source": source, "sort": [at]})
        hits.sort(key=lambda hit: -hit["sort"][0])
        found = {"hits": hits[: search["size"]]}
        return 200, json.dumps({"timed_out": False, "_shards": {"failed": 0}, "hits": found}).encode()


@pytest.fixture
def store() -> Iterator[RecordedLoki]:
    """Three records of two processes, one of them in two lines."""
    first, second, third = (record(30, "it began"), record(20, "checkpoint 7 failed"), record(10, "it went on"))
    lines = [
        (POD, *first),
        (POD, *second),
        (POD, second[0], "java.io.IOException: no space left on device"),
        (OTHER, *third),
    ]
    with running(RecordedLoki(lines)) as server:
        assert isinstance(server, RecordedLoki)
        yield server


def listed(people: People, url: str, **more: Any) -> Cluster:
    options: dict[str, Any] = {"name": "logs", "serves": Serves.LOKI, "special_allowed": True}
    return cluster_add(user=people.ada, url=url, **options | more)


def asked(people: People, server: Cluster, selector: str = 'app="flink"') -> Collection:
    window: dict[str, Any] = {"begin": END - dt.timedelta(hours=1), "end": END}
    collection = query_request(user=people.alice, server=server, selector=selector, **window)
    collection_run(collection, **QUICK)
    collection.refresh_from_db()
    return collection


def contents(collection: Collection) -> dict[str, str]:
    """The files of the only zip of the collection's case."""
    with zipfile.ZipFile(collection.case.files.get().path) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


JOB_MANAGER = "log-store/orders-jobmanager-0-flink-main-container.log"
TASK_MANAGER = "log-store/orders-taskmanager-1-flink-main-container.log"


def test_the_lines_of_loki_become_a_log_for_each_process_in_order(people: People, store: RecordedLoki) -> None:
    collection = asked(people, listed(people, store.url, tenant="ops"))
    assert (collection.status, collection.detail) == (CollectionStatus.DONE, "")
    files = contents(collection)
    assert files[JOB_MANAGER].splitlines() == [text for _, _, text in store.lines[:3]]
    assert files[TASK_MANAGER].splitlines() == [store.lines[3][2]]
    assert store.asked[0][2]["X-Scope-OrgID"] == "ops"
    query = store.query(store.paths[0])
    assert (query["query"], query["direction"]) == ('{app="flink"}', "backward")
    assert {member["format"] for member in collection.case.files.get().members} == {"flink-log", "metrics-report"}


def test_pages_that_cut_a_moment_in_two_lose_and_repeat_nothing(
    people: People, store: RecordedLoki, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = [(POD, record(15, "")[0], f"{record(15, str(n))[1]}") for n in range(4)]
    store.lines = [*store.lines[:3], *together, *store.lines[3:]]
    monkeypatch.setattr(loki, "PAGE_LINES", 5)
    small = log_store.LogStore(5, LOKI.per_second, LOKI.path, LOKI.read, LOKI.selector)
    monkeypatch.setitem(LOG_STORES_BY_SERVICE, "loki", small)
    files = contents(asked(people, listed(people, store.url)))
    assert sorted(files[JOB_MANAGER].splitlines()) == sorted(text for _, _, text in store.lines[:7])
    assert len(store.asked) > 1


def test_more_lines_than_the_bound_leave_out_the_oldest_and_say_from_when(
    people: People, store: RecordedLoki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loki, "PAGE_LINES", 2)
    monkeypatch.setattr(log_store, "MOST_LINES", 2)
    small = log_store.LogStore(2, LOKI.per_second, LOKI.path, LOKI.read, LOKI.selector)
    monkeypatch.setitem(LOG_STORES_BY_SERVICE, "loki", small)
    files = contents(asked(people, listed(people, store.url)))
    assert TASK_MANAGER in files
    assert "it began" not in "".join(files.values())
    [skipped] = json.loads(files["log-store/collected.json"])["skipped"]
    assert skipped == "lines before 2026-11-21 11:59:40 UTC: more than 2 lines"


def test_documents_of_elasticsearch_become_records_with_their_stack_traces(people: People) -> None:
    kubernetes = {"pod": {"name": "orders-jobmanager-0"}}
    documents: list[dict[str, Any]] = [
        {"@timestamp": "2026-11-21T11:59:30.000Z", "message": record(30, "plain")[1], "kubernetes": kubernetes},
        {
            "@timestamp": "2026-11-21T11:59:40.000Z",
            "log.level": "WARN",
            "log.logger": LOGGER,
            "message": "checkpoint 7 failed",
            "error.stack_trace": "java.io.IOException: gone\n\tat com.acme.A.b(A.java:1)",
            "kubernetes": kubernetes,
        },
        {"@timestamp": "2026-11-20T11:59:40.000Z", "message": "before the window", "kubernetes": kubernetes},
    ]
    with running(RecordedElasticsearch(documents)) as server:
        store = listed(people, server.url, serves=Serves.ELASTIC, index="filebeat-*, logs")
        files = contents(asked(people, store, 'kubernetes.labels.app: "flink"'))
        asked_for = json.loads(parse_qs(urlsplit(server.paths[0]).query)["source"][0])
        assert urlsplit(server.paths[0]).path == "/filebeat-*,logs/_search"
    assert asked_for["query"]["bool"]["filter"][1]["query_string"]["query"] == 'kubernetes.labels.app: "flink"'
    assert files["log-store/orders-jobmanager-0.log"].splitlines() == [
        record(30, "plain")[1],
        f"2026-11-21T11:59:40.000Z WARN {LOGGER} - checkpoint 7 failed",
        "java.io.IOException: gone",
        "\tat com.acme.A.b(A.java:1)",
    ]


def test_a_cluster_with_a_log_store_is_asked_for_everything_but_its_logs(people: People, store: RecordedLoki) -> None:
    now = dt.datetime.now(dt.UTC)
    store.lines = [(POD, int(now.timestamp() * 1e9) - 10**9, record(0, "a line of the store")[1])]
    with running(RecordedCluster(recorded_answers())) as flink:
        cluster = cluster_add(
            user=people.ada,
            name="payments",
            url=flink.url,
            special_allowed=True,
            log_store=listed(people, store.url),
            log_selector='app="flink"',
        )
        collection = collection_request(user=people.alice, cluster=cluster)
        collection_run(collection, **QUICK)
        assert not any("/logs" in path for path in flink.paths)
        names = sorted(file.name.rpartition("-")[0] for file in collection.case.files.all())
        assert names == ["collected/logs", "collected/payments"]

        store.answer = lambda _asked: (503, b"busy")  # type: ignore[method-assign]
        collection = collection_request(user=people.alice, cluster=cluster)
        collection_run(collection, **QUICK)
        collection.refresh_from_db()
        assert collection.detail == "logs was left out: HTTP 503: busy."
        assert any("/logs" in path for path in flink.paths), "without the store's lines those of REST are taken"


def test_a_store_that_hangs_is_left_out_after_a_bounded_time(people: People, store: RecordedLoki) -> None:
    def hang(_asked: str) -> tuple[int, bytes]:
        time.sleep(3)
        return 200, b"{}"

    store.answer = hang  # type: ignore[method-assign]
    with running(RecordedCluster(recorded_answers())) as flink:
        options: dict[str, Any] = {"log_store": listed(people, store.url), "log_selector": 'app="flink"'}
        cluster = cluster_add(user=people.ada, name="payments", url=flink.url, special_allowed=True, **options)
        collection = collection_request(user=people.alice, cluster=cluster)
        begun = time.monotonic()
        collection_run(collection, **QUICK, most_answer_seconds=1.0)
    collection.refresh_from_db()
    assert collection.status == CollectionStatus.DONE
    assert collection.detail == "logs was left out: the answer took longer than 1 seconds."
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"status":"success","data":{"resultType":"streams","result":[]}}', "it has no line with app="),
        (b'{"taskmanagers": 1}', "what answers there is no Loki API"),
        (b'{"data":{"resultType":"matrix","result":[]}}', "what answers there is no Loki API"),
        (b"<html>", "the answer is no JSON"),
    ],
)
def test_a_store_without_lines_or_another_program_is_said_to_be_so(people: People, body: bytes, reason: str) -> None:
    with running(RecordedCluster({"/loki/api/v1/query_range": body})) as server:
        collection = asked(people, listed(people, server.url))
    assert collection.status == CollectionStatus.FAILED
    assert reason in collection.detail


@pytest.mark.parametrize(
    "answer",
    [
        {"data": {"resultType": "streams", "result": [None, {"stream": [], "values": 1}, {"stream": {}}]}},
        {"data": {"resultType": "streams", "result": [{"stream": {}, "values": [None, [], [1, 2], ["x", "y"]]}]}},
    ],
)
def test_malformed_streams_are_no_lines(answer: Any) -> None:
    assert LOKI.read(answer).lines == []


@pytest.mark.parametrize(
    "hit", [None, {}, {"_source": 1}, {"_source": {}, "sort": [True]}, {"_source": {}, "sort": ["x"]}]
)
def test_malformed_hits_are_no_lines(hit: Any) -> None:
    assert ELASTICSEARCH.read({"hits": {"hits": [hit]}}).lines == []


def test_shards_that_failed_are_said() -> None:
    page = ELASTICSEARCH.read({"timed_out": True, "_shards": {"failed": 2}, "hits": {"hits": []}})
    assert page.warnings == [
        "lines of 2 shards that failed",
        f"lines that the search did not reach within {elasticsearch.SEARCH_SECONDS} s",
    ]


@pytest.mark.parametrize("index", ["_all", "../_cluster", "a b/c", "-x", "a" * 501])
def test_an_index_that_is_none_is_refused(index: str) -> None:
    with pytest.raises(SelectorRefused):
        index_read(index)


def test_selectors_are_checked_by_the_store_that_they_are_for(people: People, store: RecordedLoki) -> None:
    server = listed(people, store.url)
    for typed in ("", "app=flink", '{a="b"} |= "c"'):
        with pytest.raises(ValidationError, match=r"matcher|Matchers"):
            asked(people, server, typed)
    elastic = listed(people, store.url, name="elastic", serves=Serves.ELASTIC)
    with pytest.raises(ValidationError, match="Regular expressions"):
        asked(people, elastic, "message: /.*/")
    with pytest.raises(ValidationError, match="Loki needs a matcher"):
        listed(people, "http://10.1.2.3", name="flink", serves=Serves.REST, log_store=server)


def test_somebody_asks_from_the_page_of_a_new_case(people: People, store: RecordedLoki) -> None:
    server = listed(people, store.url)
    browser = signed_in(people.alice)
    assert "Ask a log store" in browser.get(reverse("cases:new")).content.decode()
    form = {
        "log-server": server.pk,
        "log-selector": 'app="flink"',
        "log-hours": "6",
        "log-until": "2026-11-21T12:00",
        "server": server.pk,
        "job": "of the other form",
    }
    browser.post(reverse("clusters:logs"), form)
    collection = Collection.objects.get()
    assert (collection.begins_at, collection.ends_at) == (END - dt.timedelta(hours=6), END)
    assert collection.case.title == "logs, logs until 2026-11-21 12:00 UTC"
    assert browser.post(reverse("clusters:metrics"), form).status_code == 404
