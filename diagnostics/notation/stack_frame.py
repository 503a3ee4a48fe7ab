"""Normalises stack frames of all sources to `package.Class.method`, without module, line and address."""

from __future__ import annotations

import re
from functools import lru_cache

MOST_FRAME = 500
MOST_FRAMES = 1_000
"""Frames kept of one stack, from its top. The JVM itself stops at 1,024 by default."""

_LAMBDA = re.compile(r"\$\$Lambda(?:\$\d+)?(?:/(?:0x)?[0-9a-fA-F]+)?")
_PLACE = re.compile(r"(?:\(.*|:-?\d+)$", re.DOTALL)
_KIND = re.compile(r"_\[[a-z0-9]\]$")

LIBRARIES = (
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "scala.",
    "kotlin.",
    "akka.",
    "io.netty.",
    "io.fabric8.",
    "okhttp3.",
    "okio.",
    "redis.clients.",
    "io.lettuce.",
    "com.amazonaws.",
    "software.amazon.",
    "com.aliyun.",
    "com.azure.",
    "com.esotericsoftware.",
    "com.fasterxml.",
    "com.google.",
    "com.mongodb.",
    "com.microsoft.",
    "com.mysql.",
    "com.twitter.",
    "com.zaxxer.",
    "oracle.",
    "org.apache.",
    "org.codehaus.",
    "org.elasticsearch.",
    "org.mariadb.",
    "org.opensearch.",
    "org.postgresql.",
    "org.rocksdb.",
    "org.forstdb.",
    "org.slf4j.",
    "org.xerial.",
    "ch.qos.",
    "co.elastic.",
    "com.aerospike.",
    "com.alibaba.druid.",
    "com.alibaba.fluss.",
    "com.alibaba.hologres.",
    "com.clickhouse.",
    "com.datastax.",
    "com.github.luben.",
    "com.github.shyiko.",
    "com.hazelcast.",
    "com.influxdb.",
    "com.oracle.",
    "com.rabbitmq.",
    "com.starrocks.",
    "com.taosdata.",
    "com.ververica.cdc.",
    "com.zendesk.",
    "io.confluent.",
    "io.debezium.",
    "io.grpc.",
    "io.micrometer.",
    "io.milvus.",
    "io.minio.",
    "io.opentelemetry.",
    "io.prometheus.",
    "io.vertx.",
    "net.jpountz.",
    "net.spy.memcached.",
    "org.antlr.",
    "org.eclipse.",
    "org.h2.",
    "org.influxdb.",
    "org.jboss.",
    "org.mongodb.",
    "org.objenesis.",
    "org.redisson.",
    "org.sqlite.",
    "org.tikv.",
    "org.tukaani.",
    "org.yaml.",
    "pemja.",
    "py4j.",
    "reactor.",
    "ru.yandex.clickhouse.",
    "cn.hutool.",
    "com.alibaba.nacos.",
    "com.alibaba.otter.",
    "com.aliyuncs.",
    "com.arangodb.",
    "com.baidubce.",
    "com.couchbase.",
    "com.databricks.client.",
    "com.facebook.presto.",
    "com.github.benmanes.",
    "com.github.jedis.",
    "com.huawei.gauss.",
    "com.huaweicloud.sdk.",
    "com.ibm.db2.",
    "com.jcraft.",
    "com.kingbase8.",
    "com.lmax.",
    "com.ning.",
    "com.obs.services.",
    "com.oceanbase.jdbc.",
    "com.pingcap.tidb.",
    "com.qcloud.cos.",
    "com.sap.db.",
    "com.snowflake.",
    "com.squareup.okhttp.",
    "com.sybase.jdbc",
    "com.tencentcloudapi.",
    "com.typesafe.",
    "com.vertica.",
    "com.volcengine.tos.",
    "dm.jdbc.",
    "feign.",
    "groovy.",
    "io.etcd.",
    "io.nats.",
    "io.pinecone.",
    "io.pravega.",
    "io.streamnative.",
    "io.delta.",
    "com.getindata.connectors.",
    "com.vesoft.nebula.",
    "com.dtstack.",
    "org.dinky.",
    "com.singlestore.",
    "io.questdb.",
    "io.reactivex.",
    "io.searchbox.",
    "io.trino.",
    "javassist.",
    "net.bytebuddy.",
    "net.sf.cglib.",
    "net.snowflake.",
    "org.aspectj.",
    "org.asynchttpclient.",
    "org.bson.",
    "org.fusesource.",
    "org.glassfish.",
    "org.hibernate.",
    "org.ibatis.",
    "org.joda.",
    "org.jooq.",
    "org.locationtech.",
    "org.neo4j.",
    "org.opengauss.",
    "org.reactivestreams.",
    "org.springframework.",
    "retrofit2.",
    "rx.",
    "ru.ivi.opensource.",
    "shaded.parquet.",
)
"""Packages of Flink, the JDK and common libraries: their frames are not user code."""

CONNECTORS = (
    "com.alibaba.fluss.",
    "com.dtstack.",
    "com.getindata.connectors.",
    "com.starrocks.",
    "io.debezium.",
    "io.pravega.",
    "org.apache.doris.flink.",
    "org.apache.fluss.",
    "org.apache.hudi.",
    "org.apache.iceberg.",
    "org.apache.inlong.",
    "org.apache.paimon.",
    "org.apache.pulsar.",
    "org.apache.seatunnel.",
    "org.tikv.",
    "ru.ivi.opensource.",
)
"""Packages of connectors, and of clients of one connector only, that are not part of Flink."""

GENERATED = (
    *("StreamExec", "BatchExec", "ProcTime", "LocalWindow", "GlobalWindow", "GroupAggs", "JoinCondition"),
    *(
        "SourceConversion$",
        "SinkConversion$",
        "BatchCalc$",
        "StreamCalc$",
        "GroupingWindowAggsHandler$",
        "KeyProjection$",
    ),
    *("DataStreamCalcRule$", "DataStreamSourceConversion$", "DataStreamSinkConversion$", "DataSetCalcRule$"),
    *("ConditionFunction$", "LookupFunction$", "WatermarkGenerator$", "ExpressionReducer$"),
)
"""Beginnings of class names that Flink SQL generates; these classes have no package."""


def frame_name(printed: str) -> str:
    """`package.Class.method` of a frame.

    Understands the frames of stack traces and jstack (`java.base@17/java.lang.Thread.run(Thread.java:840)`, also with
    the module inside the brackets), of Flink's flame graphs (`java.lang.Thread.run:840`) and of profilers
    (`java/lang/Thread.run_[j]`). Lambdas lose their addresses, so that equal stacks are equal. Native frames stay.
    """
    return _frame_name(printed[:MOST_FRAME])  # the cache keeps what it is asked for


@lru_cache(maxsize=16_384)
def _frame_name(printed: str) -> str:
    frame = _KIND.sub("", _PLACE.sub("", _LAMBDA.sub("$$Lambda", printed.strip())))
    if "/" in frame and not frame.startswith("["):
        first, _, rest = frame.partition("/")
        if "//" in frame:
            frame = frame.rpartition("//")[2]
        elif "." in first or "@" in first:
            frame = rest.rpartition("/")[2]
        else:
            frame = frame.replace("/", ".")
    return frame.encode("utf-8", "replace").decode("utf-8")


LAMBDA = r"\.lambda\$(\w+?)\$[\w$]*$"
"""A lambda's frame as named by javac: `Class.lambda$method$3`, with a hash when serializable."""
PLAIN = r".\1"
_LAMBDA_OF_METHOD = re.compile(LAMBDA)


def plain_frame(frame: str) -> str:
    """The frame of a lambda's enclosing method; other frames unchanged."""
    return _LAMBDA_OF_METHOD.sub(PLAIN, frame) if ".lambda$" in frame else frame


def is_user_code(frame: str) -> bool:
    """Whether a frame lies outside Flink, the JDK, well-known libraries and generated classes."""
    return frame.count(".") >= 2 and not frame.startswith(LIBRARIES)


def is_own_logger(logger: str) -> bool:
    """Whether a logger is of the job's own code; unknown, so false, where a layout abbreviates its name."""
    return is_user_code(f"{logger}.log") and all(len(part) > 1 for part in logger.split("."))


_SHADED = re.compile(r"^(?:[A-Za-z_$][\w$]{0,100}\.){1,12}(?:shaded?|relocated|thirdparty|repackaged)\.")


def unshaded(name: str) -> str:
    """A class or frame without the package that its library was moved into: Flink's connectors shade what they need."""
    return _SHADED.sub("", name)


def is_flink(frame: str) -> bool:
    """Whether a frame is Flink's own, of Flink CDC under its former name, or of a class that Flink SQL generated."""
    if frame.startswith(("org.apache.flink.", "com.ververica.cdc.")):
        return not frame.startswith("org.apache.flink.shaded.") and ".shaded." not in frame
    return frame.startswith(GENERATED)


def is_generated(frame: str | None) -> bool:
    """Whether a frame is of a class that Flink SQL generated for the job."""
    return frame is not None and frame.startswith(GENERATED)
