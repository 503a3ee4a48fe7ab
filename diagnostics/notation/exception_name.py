"""The package of exceptions that a program, a field of JSON or a web page prints without it.

Names that several products share, such as TimeoutException, ConnectException and SerializationException, stay as they
are printed. Source: the API documentation of Java 8 to 21, of Flink 1.5 to 2.0, of Kafka's clients and of Debezium.
"""

from __future__ import annotations

import re

_BY_PACKAGE = {
    "java.lang": (
        "AbstractMethodError ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException"
        " BootstrapMethodError ClassCastException ClassFormatError ClassNotFoundException CloneNotSupportedException"
        " ExceptionInInitializerError IllegalAccessError IllegalAccessException IllegalArgumentException"
        " IllegalMonitorStateException IllegalStateException IncompatibleClassChangeError IndexOutOfBoundsException"
        " InstantiationException InterruptedException LinkageError NegativeArraySizeException NoClassDefFoundError"
        " NoSuchFieldError NoSuchFieldException NoSuchMethodError NoSuchMethodException NullPointerException"
        " NumberFormatException OutOfMemoryError RuntimeException SecurityException StackOverflowError"
        " StringIndexOutOfBoundsException UnsatisfiedLinkError UnsupportedClassVersionError"
        " UnsupportedOperationException VerifyError"
    ),
    "java.io": (
        "EOFException FileNotFoundException IOException InterruptedIOException InvalidClassException"
        " NotSerializableException StreamCorruptedException UTFDataFormatException UncheckedIOException"
    ),
    "java.net": (
        "BindException MalformedURLException NoRouteToHostException SocketException SocketTimeoutException"
        " URISyntaxException UnknownHostException"
    ),
    "java.nio": "BufferOverflowException BufferUnderflowException",
    "java.nio.channels": "ClosedChannelException UnresolvedAddressException",
    "java.nio.file": "FileAlreadyExistsException NoSuchFileException",
    "java.sql": (
        "BatchUpdateException SQLException SQLFeatureNotSupportedException SQLIntegrityConstraintViolationException"
        " SQLNonTransientConnectionException SQLRecoverableException SQLSyntaxErrorException SQLTimeoutException"
        " SQLTransientConnectionException"
    ),
    "java.time": "DateTimeException",
    "java.time.format": "DateTimeParseException",
    "java.util": "ConcurrentModificationException MissingResourceException NoSuchElementException",
    "java.util.concurrent": "CompletionException ExecutionException RejectedExecutionException",
    "javax.net.ssl": "SSLException SSLHandshakeException SSLPeerUnverifiedException",
    "org.apache.flink.util": "FlinkException FlinkRuntimeException StateMigrationException",
    "org.apache.flink.runtime": "JobException",
    "org.apache.flink.runtime.checkpoint": "CheckpointException",
    "org.apache.flink.runtime.client": "JobExecutionException JobSubmissionException",
    "org.apache.flink.runtime.io.network.netty.exception": "LocalTransportException RemoteTransportException",
    "org.apache.flink.runtime.io.network.partition": "PartitionNotFoundException ProducerFailedException",
    "org.apache.flink.runtime.jobmanager.scheduler": "NoResourceAvailableException",
    "org.apache.flink.client.program": "ProgramInvocationException",
    "org.apache.flink.streaming.runtime.tasks": "ExceptionInChainedOperatorException StreamTaskException",
    "org.apache.flink.table.api": "SqlParserException TableException ValidationException",
    "org.apache.kafka.common": "KafkaException",
    "org.apache.kafka.common.errors": (
        "GroupAuthorizationException InvalidPidMappingException InvalidProducerEpochException"
        " InvalidTxnStateException OutOfOrderSequenceException ProducerFencedException RecordDeserializationException"
        " RecordTooLargeException SaslAuthenticationException SslAuthenticationException TopicAuthorizationException"
        " TransactionalIdAuthorizationException UnknownProducerIdException UnknownTopicOrPartitionException"
    ),
    "org.apache.kafka.clients.consumer": (
        "CommitFailedException NoOffsetForPartitionException OffsetOutOfRangeException RetriableCommitFailedException"
    ),
    "io.debezium": "DebeziumException",
}
_QUALIFIED = {name: f"{package}.{name}" for package, names in _BY_PACKAGE.items() for name in names.split()}

BARE = r"[A-Z][A-Za-z0-9_]{0,100}(?:Exception|Error)"
"""An exception's class without its package, as an expression."""
_BARE_HEAD = re.compile(rf"({BARE})(?:: |:?$)")


def qualified(name: str) -> str:
    """The class with its package, where the name alone says which it is."""
    return _QUALIFIED.get(name, name)


def bare_head(line: str) -> str | None:
    """The class without package that a line begins with, as the head of a trace prints it; None without one."""
    found = _BARE_HEAD.match(line)
    return found[1] if found else None


def is_qualifiable(name: str) -> bool:
    """Whether the name alone says that it is an exception of Java, and which."""
    return name in _QUALIFIED
